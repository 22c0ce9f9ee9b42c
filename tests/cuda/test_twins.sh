# The same kernel in CUDA C and in OpenCL C, line by line: twins/NAME.cu and twins/NAME.cl must
# have the same accesses, costs, transactions on the machine, and results. Their heads:
#
#   // flags: -g 64 -a n=64    options of the command line: the launch, for both
#   // writes: BUFFER          which buffer holds the results
#   // record                  there is a record to lay out, so compare costs of layouts
#
# Called with the path of heddle.
set -u
heddle=$(realpath "$1")
source "$(dirname "$0")/../folder.sh"
cd "$(dirname "$0")/twins" || exit 2
failed=0

# plain FILE: without names of files and times, and without what only C calls a type.
plain() {
    sed -e 's/\.c[lu]\b//g' -e 's/\bstruct //g' -e 's/, about [0-9]* registers//' \
        -e '/^Executed/,/^$/d' "$1"
}

# same WHAT COMMAND...: what heddle says of both.
same() {
    local what=$1 ending
    shift
    for ending in cl cu; do
        "$heddle" "$1" --as-written "$name.$ending" "${flags[@]}" "${@:2}" >"$work/out" 2>&1 ||
            { echo "FAILED $name.$ending $what: $(head -3 "$work/out")"; failed=1; return; }
        plain "$work/out" >"$work/$ending"
        [ ! -e "$work/dump" ] || mv "$work/dump" "$work/dump.$ending"
    done
    [ -s "$work/cl" ] && diff "$work/cl" "$work/cu" >"$work/difference" ||
        { echo "FAILED $name: $what differ:"; head -10 "$work/difference"; failed=1; }
}

for file in *.cu; do
    name=${file%.cu}
    eval "flags=($(sed -n 's,^// flags: ,,p' "$file"))"
    same accesses advise --accesses
    if grep -qx '// record' "$file"; then
        same costs advise --costs
    fi
    buffer=$(sed -n 's,^// writes: ,,p' "$file")
    same transactions run --dump "$buffer=$work/dump"
    cmp -s "$work/dump.cl" "$work/dump.cu" || { echo "FAILED $name: results differ"; failed=1; }
    rm -f "$work"/dump.*
done
exit $failed
