# Files that are written: whole, or not at all.
source "$(dirname "$0")/lib.sh"

mkdir new
accepts rewrite body.yaml --layout soa --out new
prints 'body as soa: [1-9][0-9]* places changed'
[ -s new/body.cl ] && [ -s new/body.h ] && [ "$(ls new | wc -l)" -eq 2 ] ||
    complain "rewrite wrote $(ls new)"
cp new/body.cl "$work/log/first"
accepts rewrite body.cl --layout soa --out new
cmp -s new/body.cl "$work/log/first" || complain "a kernel file and its job give two results"

refuses "absent: error: .*exists" rewrite body.yaml --layout soa --out absent
refuses "absent: error: .*exists" advise body.yaml --apply absent
refuses "error: .*replaced" advise body.yaml --apply .
refuses "body.h?.*error: .*exists" rewrite body.yaml --layout soa --out body.cl
refuses "error: the kernel itself is in this folder|: error: .*replaced" \
    rewrite body.yaml --layout soa --out .

mkdir best
accepts advise body.yaml --device tesla-k20c --apply best
if grep -q 'leave it as it is' "$work/log/out"; then
    [ -z "$(ls -A best)" ] || complain "advice to leave it, but $(ls best) was written"
else
    [ -s best/body.cl ] && [ -s best/body.h ] || complain "advise --apply wrote $(ls best)"
fi

# A pointer into the record that is stored cannot be rewritten.
cat >stored.cl <<'END'
typedef struct pair { int a, b; } pair;
__kernel void keep(__global pair *p, __global ulong *out) {
    __global int *q = &p[get_global_id(0)].b;
    out[get_global_id(0)] = (ulong)q;
}
END
refuses "^stored.cl:3:[0-9]+: error: " rewrite stored.cl --layout soa --out new
[ ! -e new/stored.cl ] || complain "a refused rewrite wrote something"

# A folder where nothing can be created; root may write anywhere, so for root
# it is one of the kernel's own.
read_only=/proc/sys
[ "$(id -u)" -eq 0 ] || { mkdir -m 555 shut; read_only=shut; }
refuses "error: cannot write|$read_only.*error: " rewrite body.yaml --layout soa --out $read_only

# A full disk: a file system of one page, where this user may mount one.
mkdir full
cat >"$work/log/on_full_disk" <<'END'
mount -t tmpfs -o size=4k,nr_inodes=16 none full || exit 77
"$1" rewrite body.yaml --layout '{x}:2{y}:4{tag}:8' --out full
status=$?
[ "$(ls -A full)" = "" ] || { echo "left behind: $(ls -A full)" >&2; exit 1; }
exit $status
END
unshare --mount --map-root-user true 2>/dev/null && shield=--map-root-user || shield=
if unshare --mount $shield true 2>/dev/null; then
    # shellcheck disable=SC2086
    unshare --mount $shield bash "$work/log/on_full_disk" "$heddle" \
        >"$work/log/out" 2>"$work/log/err"
    status=$?
    [ $status -eq 77 ] || {
        [ $status -eq 2 ] || complain "on a full disk: exit status $status, not 2"
        [ "$(grep -c 'full/body.*error: .*No space left' "$work/log/err")" -eq 1 ] ||
            complain "on a full disk: not one message"
    }
fi
# The same without a mount: files may not grow, as if the disk ended there.
mkdir limited
(
    trap '' XFSZ
    ulimit -f 1
    "$heddle" rewrite body.yaml --layout soa --out limited --no-verify >"$work/log/out" 2>"$work/log/err"
)
status=$?
[ $status -eq 2 ] || complain "with a limit on files: exit status $status, not 2"
[ "$(grep -c 'error: cannot write' "$work/log/err")" -eq 1 ] ||
    complain "with a limit on files: not one message"
[ "$(ls -A limited)" = "" ] || complain "with a limit on files: left behind $(ls -A limited)"
finish
