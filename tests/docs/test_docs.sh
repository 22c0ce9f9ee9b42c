# The figures in the documents that do not depend on time, and that a command prints within seconds, are what the
# commands print (figures.py). It first proves on a made-up document that it can fail.
source "$(dirname "$0")/../folder.sh"
figures=$(realpath "$(dirname "$0")")/figures.py
root=$(realpath "$(dirname "$0")/../..")
build=${HEDDLE_BUILD:-$root/build/release}

cat >"$work/page.md" <<'END'
Some text.

```console
$ printf 'one\ntwo\n'
one
three
$ heddle --version | wc -l
1
```

```console times
$ date +%N
never compared
```
END
cp "$work/page.md" "$work/before.md"
python3 "$figures" "$build" --check "$work/page.md" >"$work/said" 2>&1 && {
    echo "a wrong figure is not found"
    exit 1
}
grep -qx -- '-three' "$work/said" && grep -qx -- '+two' "$work/said" || { cat "$work/said"; exit 1; }
cmp "$work/page.md" "$work/before.md" || exit 1
python3 "$figures" "$build" "$work/page.md" >/dev/null || exit 1
sed 's/^three$/two/' "$work/before.md" | cmp - "$work/page.md" || exit 1
python3 "$figures" "$build" --check "$work/page.md" >/dev/null || exit 1
echo 'no commands' >"$work/page.md"
python3 "$figures" "$build" --check "$work/page.md" >/dev/null 2>&1 && { echo "nothing compared is no success"; exit 1; }

python3 "$figures" "$build" --check
