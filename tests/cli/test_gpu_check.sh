# heddle device check on the GPU of tests/measure/fake_cuda: to its end, with steps that fail and steps that
# hang, stopped, killed, and without a device.
source "$(dirname "$0")/lib.sh"
export CUDA_PATH= # Heddle's own headers, which are read faster
fake=$(dirname "$heddle")/tests/measure/fake_cuda
[ -f "$fake/libcuda.so.1" ] || { echo "no $fake/libcuda.so.1"; exit 2; }

# check ARGUMENTS: heddle device check with the fake GPU, on small sizes; no call may hang.
check() {
    LD_LIBRARY_PATH=$fake timeout 850 "$heddle" device check --small "$@" >"$work/log/out" \
        2>"$work/log/err" </dev/null
    status=$?
}
# ends STATUS: the last call ended so.
ends() { [ "$status" -eq "$1" ] || complain "exit status $status, not $1"; }
# page PATTERN: the page has a line that matches.
page() { grep -Eq -- "$1" page.md || complain "no line of the page matches: $1"; }
# no_page
no_page() { [ ! -e page.md ] || complain "there is a page"; }

# ---- Nsight Compute's stand-in: runs the program, and writes what ncu would -------------------------

mkdir "$work/tools"
cat >"$work/tools/ncu" <<'END2'
#!/bin/sh
while [ $# -gt 0 ]; do
    case $1 in
    --log-file) log=$2; shift 2 ;;
    --csv) shift ;;
    --*) shift 2 ;;
    *) break ;;
    esac
done
case ${FAKE_NCU:-} in
refused) echo '==ERROR== ERR_NVGPUCTRPERM - The user does not have permission' >"$log"; exit 1 ;;
hangs) sleep 1000 ;;
esac
"$@" || exit
cat >"$log" <<'CSV'
==PROF== Profiling "assign" - 0: 0%....50%....100% - 3 passes
"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum","l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum","l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum","l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum","l1tex__t_sector_hit_rate.pct","lts__t_sector_hit_rate.pct"
"","","","","","","","","","","","sector","sector","sector","sector","%","%"
"0","42","heddle","127.0.0.1","assign(point *, const float *, int)","1","7","(64, 1, 1)","(32, 1, 1)","0","9.0","12,345","4,096","0","0","25.50","62.5"
CSV
END2
chmod +x "$work/tools/ncu"

# ---- to its end ------------------------------------------------------------------------------------

# Small, four of the programs of table 2 are those of the steps before, which are left out.
some=()
steps='device copies remap overlap training kmeans nbody table2-nbody4 table2-blackscholes'
steps+=' table2-bitonic table2-lavamd table2-sampo machine counters whole-training'
for step in $steps; do [ "$step" = device ] || some+=(--only "$step"); done
FAKE_CUDA_NAME='NVIDIA H100 80GB HBM3' PATH=$work/tools:$PATH \
    check "${some[@]}" --json -o page-DEVICE.md
ends 0
fits device check
mv page-nvidia-h100-80gb-hbm3.md page.md || complain "the page has another name"
page '^# Heddle on NVIDIA H100 80GB HBM3$'
page '^\| profile \| `h100` of `devices/` \|$'
page '^\| within the device, read and written \| 1 \|'
page '^\| 12 bytes, aosoa:32 \|'
page '^\| gather, 4 bytes \|'
page '^\| chunks of .*, as planned \|'
page '^`examples/nbody4/nbody4-small`, priced on `h100`, 2 rounds'
# Cost and time to the original's, ms, quartiles; predicted ms, both gains, interval, bound.
number='[0-9]+\.[0-9]+'
bound='[a-zA-Z0-9/ ]+, [0-9]+%'
before="( \\| $number){3} \\| $number to $number" after="$number to $number \\| $bound \\| yes \\|\$"
page "^\\| \`soa\` \\| .*plain.*$before( \\| $number){3} \\| $after"
page "^\\| \`aos\` \\| original$before \\| $number \\| 1\.00 \\| 1\.00 \\| $after"
predicted='[0-9]+%, [01] of 1 measured gains in the predicted interval'
page "^Predicted gains beside measured ones: no rank correlation, .* median error of the ratio $predicted"
page '^\| nbody \| done \| .*; predicted gains: [0-9]+% off, [01] of 1 in the interval \|$'
[ "$(grep -c '^Predicted gains beside' page.md)" -eq 7 ] || complain "not every program is predicted"
page '^\| kmeans: assign \| `soa` \| 12345 \| 5376 \| 5376 \| 4096 \| 512 \| 512 \| 0 \| 0 \| 0 \| 26% \| 62% \|$'
[ "$(sed -n 's/^| \([a-z0-9-]*\) | done | .*/\1/p' page.md | paste -sd' ')" = "$steps" ] ||
    complain "not all steps are done"
grep -q 'Not done\|not done' page.md && complain "something is not done"
[ "$(grep -c '^## ' page.md)" -eq "$(wc -w <<<"$steps")" ] || complain "not a part for each step"
page '^Tile by bytes of a cluster, from 1 kernels: `'
page '^\| sampo \| bit for bit \|  \|$'
rm page.md

# ---- a choice ---------------------------------------------------------------------------------------

accepts device check --list
prints '^copies +Copies$'
accepts device check --list --json
fits device check
refuses "there is no step 'copie'; did you mean 'copies'" device check --only copie
refuses '--minutes takes a number from 0.05 to 1440' device check --minutes 0
check --only copies --json -o page.md
ends 0
prints '"name": "copies"'
prints '"state": "done"'
prints '"gigabytes": [0-9]'
[ "$(grep -c '"state"' "$work/log/out")" -eq 2 ] || complain "more than the device and the copies"
rm page.md

# ---- times that cannot be predicted -------------------------------------------------------------------

check --only kmeans --json -o page.md
ends 0
fits device check
page '^No times are predicted: `devices/` has no profile of Fake GPU 0\.$'
page '^\| layout \| by \| cost to aos \| time to aos \| ms \| quartiles \| equal \|$'
mkdir "$work/profiles"
sed 's/^title: .*/title: NVIDIA Untold 77/; /^clock:/,/^shared:/d' \
    "$source_folder/devices/h100.yaml" >"$work/profiles/untold.yaml"
HEDDLE_DEVICES=$work/profiles FAKE_CUDA_NAME='NVIDIA Untold 77' \
    check --only kmeans --json -o page.md
ends 0
fits device check
page '^No times are predicted: time is not known for untold: add clock:, bandwidth:, rates: and latency: to its profile\.$'
page '^\| layout \| by \| cost to aos \| time to aos \| ms \| quartiles \| equal \|$'
rm page.md

# ---- steps that fail ----------------------------------------------------------------------------------

FAKE_CUDA_FAIL=cuMemAllocHost_v2:1:2 check --only copies --only kmeans -o page.md
ends 2
page '^\| copies \| \*\*not done: it failed\*\* \|'
page '^\*\*Not done:\*\* cannot pin [0-9]+ bytes of the host.s memory: CUDA_ERROR_OUT_OF_MEMORY\.'
page '^\| kmeans \| done \|'
prints '^copies: not done: cannot pin'

# The first rows are there; what the driver says of the next is, too. (The device's own step writes
# once.)
FAKE_CUDA_FAIL=cuMemcpyHtoDAsync_v2:2:46 check --only copies --json -o page.md
ends 2
fits device check
page 'Not done:\*\* cannot copy, host to device, pinned: CUDA_ERROR_DEVICE_UNAVAILABLE. What there is:'
page '^\| within the device'

# Another byte in what the original leaves when it runs again: the layouts are not to blame.
FAKE_CUDA_FLIP=3 check --only kmeans --json -o page.md
ends 2
fits device check
page 'Not done:\*\* .*runs of the original leave different values'

# Another byte in what a layout leaves.
FAKE_CUDA_FLIP=5 check --only kmeans -o page.md
ends 1
page '\| \*\*no\*\* \|$'
page 'outputs differ'

FAKE_CUDA_FLIP=2 check --only machine --json -o page.md
ends 1
fits device check
page "^\\| kmeans \\| \\*\\*no\\*\\* \\| .*centroids\\[0\\]"
page '^\| nbody \| bit for bit \|'

FAKE_NCU=refused PATH=$work/tools:$PATH check --only counters -o page.md
ends 0
page 'Not done:\*\* Nsight Compute may not read the counters \(ERR_NVGPUCTRPERM\); run it as root'
if ! command -v ncu >/dev/null && ! compgen -G '/opt/nvidia/nsight-compute/*' >/dev/null; then
    check --only counters --json -o page.md
    ends 0
    fits device check
    page 'Not done:\*\* there is no Nsight Compute: no ncu in PATH'
fi

# ---- steps that hang -----------------------------------------------------------------------------------

# Pinned memory is what only the copies ask for: they are killed, and the others go on.
FAKE_CUDA_HANG=cuMemAllocHost_v2:1 check --minutes 0.5 --only copies --only kmeans -o page.md
ends 2
page '^\| copies \| \*\*not done: it failed\*\* \|'
page 'Not done:\*\* it was not at its end after [0-9]+ s and was killed\.'
page '^\| kmeans \| done \|'

# What a step has found is kept.
FAKE_CUDA_HANG=cuMemcpyHtoDAsync_v2:2 check --minutes 0.2 --only copies -o page.md
ends 2
page 'was killed. What there is:'
page '^\| within the device'

FAKE_NCU=hangs PATH=$work/tools:$PATH check --minutes 0.3 --only counters --json -o page.md
fits device check
page '^\| counters \| (done in part|\*\*not done)'
for pid in $(pgrep -f "$work/tools/ncu"); do complain "ncu is still there: $pid"; done

# With too little time for all, all is named.
FAKE_CUDA_HANG=cuMemAllocHost_v2:1 check --minutes 0.08 --json -o page.md
fits device check
[ "$(grep -c '^| [a-z0-9-]* | ' page.md)" -ge 19 ] || complain "steps are missing"
page 'Not done:\*\* there was no time left for it'
rm page.md

# ---- without a device -------------------------------------------------------------------------------------

FAKE_CUDA_DEVICES=0 check -o page.md
ends 2
[ "$(grep -c 'error: ' "$work/log/err")" -eq 1 ] || complain "not one error"
grep -q "there is no CUDA device: NVIDIA's driver finds none" "$work/log/err" ||
    complain "it does not say that there is no device"
no_page
FAKE_CUDA_FLIP=1 check -o page.md
ends 2
grep -q 'the device gives other bytes back than it got' "$work/log/err" ||
    complain "it does not say that memory is lost"
no_page
FAKE_CUDA_HANG=cuInit:1 check --minutes 0.05 -o page.md
ends 2
grep -q 'it was not at its end after 3 s and was killed' "$work/log/err" ||
    complain "it does not say that the device does not answer"
no_page
if ! ldconfig -p 2>/dev/null | grep libcuda.so.1 >/dev/null; then
    refuses "there is no CUDA device: there is no libcuda.so.1; install NVIDIA's driver" device check
fi

# ---- signals ---------------------------------------------------------------------------------------------

# begin: a check whose second step hangs, in the background, once it has a page.
begin() {
    rm -f "$work/log/err" # the last check's would pass for this one's
    FAKE_CUDA_HANG=cuMemAllocHost_v2:1 LD_LIBRARY_PATH=$fake "$heddle" device check --small \
        -o page.md --only copies --only kmeans >"$work/log/out" 2>"$work/log/err" </dev/null &
    checker=$! step=
    for _ in $(seq 600); do
        grep -q '^gpu-check: copies' "$work/log/err" 2>/dev/null &&
            step=$(pgrep -P "$checker") && break
        sleep 0.1
    done
    [ -n "$step" ] || complain "there is no process for the step"
}
# gone: the step's process ends with the check's.
gone() {
    for _ in $(seq 100); do
        kill -0 "$step" 2>/dev/null || return
        sleep 0.1
    done
    complain "the step's process is still there"
}

begin
kill -TERM "$checker"
wait "$checker"
status=$?
ends 130
page 'Stopped by a signal'
page '^\| kmeans \| \*\*not done\*\* \|'
page 'Not done:\*\* the check was stopped by a signal'
gone
rm page.md

begin
kill -KILL "$checker"
wait "$checker" 2>/dev/null
page '^\| device \| done \|'
gone

finish
