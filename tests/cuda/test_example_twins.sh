# The kernels of examples/ that are also there in CUDA C: on the machine examples/NAME/NAME.cu leaves
# in every buffer what NAME.cl leaves, and moves as many transactions.
# Called with the path of heddle.
set -u
heddle=$(realpath "$1")
examples=$(realpath "$(dirname "$0")/../../examples")
export CUDA_PATH= # Heddle's own headers, which are read faster
source "$(dirname "$0")/../folder.sh"
failed=0
complain() { failed=1; echo "FAILED $name: $*"; }

# The small job with blocks and threads in the place of work-items.
cuda_job() {
    awk -v kernel="$examples/$name/$name" '
        /^kernel:/ { print "kernel: " kernel ".cu"; next }
        {
            while (match($0, /global: \[[0-9]+\],? *local: \[[0-9]+\]/)) {
                split(substr($0, RSTART, RLENGTH), size, /[^0-9]+/)
                $0 = substr($0, 1, RSTART - 1) "blocks: [" size[2] / size[3] "], threads: [" \
                     size[3] "]" substr($0, RSTART + RLENGTH)
            }
            if (/^ +global: /) { split($0, size, /[^0-9]+/); items = size[2]; next }
            if (/^ +local: \[/) {
                split($0, size, /[^0-9]+/)
                print "    blocks: [" items / size[2] "]"
                sub(/local/, "threads")
            }
            print
        }' "$1"
}

# run ENDING JOB: what the machine counts, and the buffers.
run() {
    local buffer dumps=()
    for buffer in $buffers; do
        dumps+=(--dump "$buffer=$work/$buffer.$1")
    done
    "$heddle" run "$2" --device h100 "${dumps[@]}" >"$work/out.$1" 2>"$work/err" ||
        { complain "$2: $(head -n 2 "$work/err")"; return 1; }
    sed -n -e '/^wrote/d' -e '/^Global memory/,$p' "$work/out.$1" >"$work/moved.$1"
}

for name in kmeans nbody nbody4 lavamd blackscholes bitonic sampo; do
    small=$examples/$name/$name-small.yaml
    buffers=$(sed -n 's/^  - name: //p' "$small")
    cuda_job "$small" >"$work/$name.yaml"
    run cl "$small" && run cu "$work/$name.yaml" || continue
    for buffer in $buffers; do
        cmp -s "$work/$buffer.cl" "$work/$buffer.cu" || complain "buffer '$buffer' differs"
    done
    [ -s "$work/moved.cl" ] && diff "$work/moved.cl" "$work/moved.cu" || complain "other transactions"
done
exit $failed
