# After lib.sh: $heddle is one that stands ready (ready.c), and so is the clang that it starts;
# $plain is the program itself, for those who look at its process. Sanitized, both are that.
plain=$heddle
make_ready() {
    local name clang made source=$source_folder/tests/cli/ready.c
    made=$(dirname "$plain")/tests/ready
    mkdir -p "$made" "$work/ready"
    (
        flock 9
        [ "$made/ask" -nt "$source" ] && exit
        cc -O1 -DSTANDS_READY -shared -fPIC "$source" -o "$made/new" &&
            mv "$made/new" "$made/ready.so" &&
            cc -O1 -static "$source" -o "$made/new" && mv "$made/new" "$made/ask"
    ) 9>"$made/lock" || exit 2
    clang=$(strings -a "$plain" | grep -m1 '^/.*/bin/clang$')
    ln -s "$(dirname "$plain")"/* "$work/ready/" # what is looked for beside heddle
    rm "$work/ready/heddle"
    ln -s "$plain" "$work/ready/heddle.plain"
    ln -s "$clang" "$work/ready/clang.plain"
    ready=()
    for name in heddle clang; do
        cp "$made/ask" "$work/ready/$name"
        STANDS_READY=$work/ready/$name.socket LD_PRELOAD="$made/ready.so ${LD_PRELOAD:-}" \
            "$work/ready/$name.plain" </dev/null >"$work/ready/$name.log" 2>&1 &
        ready+=($!)
    done
    trap 'kill "${ready[@]}"; wait "${ready[@]}"; rm -rf "$work"' EXIT
    heddle=$work/ready/heddle
}
[ -n "${HEDDLE_SANITIZED:-}" ] || make_ready
