# heddle cache --locality: stack distances of traces and jobs, against a list kept by awk.
source "$(dirname "$0")/lib.sh"
source "$source_folder/tests/cli/ready.sh"

# member NAME: a number of the last --json output.
member() { sed -nE "s/^  \"$1\": ([0-9]+),?\$/\1/p" "$work/log/out"; }

# ---- a job, and its trace ---------------------------------------------------------------------

accepts trace body.yaml -o body.hdt
accepts cache --locality body.hdt
prints '^body.hdt: 1 launch, 4 blocks, 12 MIs, 768 lane accesses$'
prints '^  72 accesses of lines of 128 B by warps of 32, global memory$'
prints '^  one stack for the device; footprint 24 lines, 3 KiB$'
prints '^ +3-4 +[0-9]+ +[0-9.]+%'
prints '^ +cold +24 +33.3%  #+$'
prints '^ +24 +3 KiB +24 +33.3%  #+$'
awk 'length > 80 { exit 1 }' "$work/log/out" || complain "a table is too wide"
sed 1d "$work/log/out" >from_trace
accepts cache --locality body.yaml
prints '^body.yaml: 1 launch, 4 blocks, 12 MIs, 768 lane accesses$'
sed 1d "$work/log/out" | cmp -s - from_trace || complain "the job is not as its trace"
accepts cache --locality body.cl --global 256 --local 64 --count 256
sed 1d "$work/log/out" | cmp -s - from_trace || complain "the kernel file is not as the job"
cp body.hdt oddly-named
accepts cache --locality oddly-named
sed 1d "$work/log/out" | cmp -s - from_trace || complain "the name of a trace matters"
cp body.hdt body.cu # a trace by its first bytes, whatever it is called
accepts cache --locality body.cu
rm body.cu

accepts cache --locality body.hdt --per block
prints '^  a stack for each of 4 blocks; footprint of the largest 6 lines, '
accepts cache --locality body.hdt --per cluster --clusters 2
prints '^  a stack for each of 2 core clusters; footprint of the largest 12 lines, '
accepts cache --locality body.hdt --per cluster --clusters 1 --line 128
sed 1d "$work/log/out" | sed 's/a stack for each of 1 core cluster/one stack for the device/' |
    cmp -s - from_trace || complain "one cluster is not the device"
accepts cache --locality body.hdt --device h200
prints ' of lines of 64 B by warps of 32'
prints '^A cache as large as the L2 of h200, .* would miss [0-9.]+%\.$'
accepts cache --locality body.hdt --device h200 --per block --line 64
prints ' of lines of 64 B '
prints '^A cache as large as the L1 of h200'
accepts cache --locality body.hdt --csv
[ "$(head -1 "$work/log/out")" = lines,bytes,miss_ratio ] || complain "no heading"
prints '^1,128,1$'
[ "$(tail -1 "$work/log/out")" = 24,3072,0.333333333333 ] || complain "not the footprint's ratio"

accepts cache --locality body.hdt --json
for name in file line warp device per clusters spaces runs blocks mis lane_accesses line_accesses \
    stacks footprint cold distances curve cache complete stopped printed; do
    prints "^  \"$name\": "
done
[ "$(grep -c '^  "' "$work/log/out")" -eq 21 ] || complain "other members than docs/json.md has"
[ "$(member cold)" = 24 ] || complain "cold: $(member cold)"
prints '"miss_ratio": '
accepts cache --locality body.yaml --json --device h200 --per cluster --clusters 3
prints '"clusters": 3'
prints '"complete": true'

# ---- few bytes, many lines -----------------------------------------------------------------------

# Each lane is far from the next: a trace of some bytes, and many lines.
wide=65536
cat >wide.cl <<'END'
__kernel void wide(__global int *a) { a[get_global_id(0) * 256] = 1; }
END
accepts trace wide.cl --global $wide --local 1024 --count $((wide * 256)) -o wide.hdt
accepts cache --locality wide.hdt --json
[ "$(member footprint)" = $wide ] || complain "footprint $(member footprint)"
refuses "^wide.hdt: error: the lines .* more than the 1 MiB that are allowed: .*--memory" \
    cache --locality wide.hdt --memory $((wide * 16))
refuses "error: the lines .* more than the 1 MiB" \
    cache --locality wide.hdt --memory $((wide * 16)) --per cluster --clusters 3

# ---- launches, blocks, spaces; any number of workers -----------------------------------------------

# Threads read what others wrote; the first launch is run twice.
cat >chain.cl <<'END'
__kernel void first(__global int *index) {
    index[get_global_id(0)] = 1023 - (int)get_global_id(0);
}
__kernel void second(__global int *index, __global int *out, __constant int *c) {
    __local int t[64];
    t[get_local_id(0)] = index[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    int sum = 0;
    for (int i = 0; i < 64; i++)
        sum += t[i] + index[(get_group_id(0) * 61 + i * 37) % 1024] + c[i % 16];
    out[get_global_id(0)] = sum;
}
END
cat >chain.yaml <<'END'
kernel: chain.cl
buffers:
  - {name: index, type: int, count: 1024}
  - {name: out, type: int, count: 1024}
  - {name: c, type: int, count: 16}
launches:
  - {kernel: first, global: [1024], local: [64], repeat: 2, args: [{name: index, buffer: index}]}
  - kernel: second
    global: [1024]
    local: [64]
    args: [{name: index, buffer: index}, {name: out, buffer: out}, {name: c, buffer: c}]
END
accepts trace chain.yaml -o chain.hdt
number=0
for options in "" "--per block" "--per cluster --clusters 3" "--launch 0-1" \
    "--launch 2 --blocks 3-7" "--blocks 15-99 --per block" "--space constant,global --line 32" \
    "--space local,global --per block --line 16" "--per cluster --clusters 65536"; do
    # shellcheck disable=SC2086
    accepts cache --locality chain.hdt --json $options
    sed 2d "$work/log/out" >from_trace
    for workers in 1 2 5; do
        [ -z "$options" ] || [ $((number++ % 3)) -eq 0 ] || continue # the numbers by turns
        # shellcheck disable=SC2086
        accepts cache --locality chain.yaml --json --workers $workers $options
        sed 2d "$work/log/out" | cmp -s - from_trace ||
            complain "$options: $workers workers are not as the trace"
    done
    number=$((number + 1))
done
accepts cache --locality chain.hdt --launch 1
prints '^chain.hdt: 1 launch, 16 blocks, 16 MIs, 1.02k lane accesses$'
accepts cache --locality chain.hdt --launch 0-1 --json # the second finds what the first touched
[ "$(member cold)" = 32 ] && [ "$(member line_accesses)" = 64 ] || complain "launches are apart"
accepts cache --locality chain.hdt --blocks 2-3
prints '^chain.hdt: 3 launches, 6 blocks, '

# What kernels print comes before the tables, goes into JSON, and is left out of CSV.
echo '__kernel void say(__global int *a) { a[get_global_id(0)] = 1; printf("hello\n"); }' >say.cl
accepts cache --locality say.cl --global 1 --local 1
[ "$(head -1 "$work/log/out")" = hello ] || complain "what the kernel prints is missing"
accepts cache --locality say.cl --global 1 --local 1 --json
prints '"printed": "hello\\n"'
accepts cache --locality say.cl --global 1 --local 1 --csv
! grep -q hello "$work/log/out" || complain "what the kernel prints stands in the CSV"

# ---- random texts against a list kept by awk ----------------------------------------------------------

# random_text SEED: a trace in the text form; few or many addresses, near or far, repeated or not.
random_text() {
    awk -v seed="$1" 'BEGIN {
        srand(seed)
        split("1 2 4 8 16 12", width, " ")
        threads = 1 + int(rand() * 70)
        region = 2 ^ (6 + int(rand() * 14))
        print "# heddle-trace-text 1"
        for (b = int(rand() * 3); b < 7; b += 1 + int(rand() * 3)) {
            print "B", b, threads
            for (pos = 0; pos < 5; pos++) {
                pc = 1 + int(rand() * 6)
                way = int(rand() * 4)
                base = int(rand() * region)
                stride = int(rand() * 150)
                line = pos " " pc " L " width[pc]
                some = 0
                for (t = 0; t < threads; t++) {
                    if (rand() < 0.2 && (some || t + 1 < threads))
                        continue
                    at = way == 0 ? int(rand() * region) : way == 1 ? base : base + t * stride
                    line = line sprintf(" %d:%x", t, at)
                    some = 1
                }
                print line
            }
        }
    }'
}

# expected LINE PER CLUSTERS: "distance count" for each distance of a text, cold ones as 0.
expected() {
    awk -v bytes="$1" -v per="$2" -v clusters="$3" '
        function number(hex, i, n) {
            n = 0
            for (i = 1; i <= length(hex); i++)
                n = n * 16 + index("0123456789abcdef", substr(hex, i, 1)) - 1
            return n
        }
        function touch(line, at, i) { # list[stack, 1] is on top of a stack
            for (at = 1; at <= size[stack] && list[stack, at] != line; at++)
                continue
            count[at > size[stack] ? 0 : at]++
            if (at > size[stack])
                size[stack]++
            for (i = at; i > 1; i--)
                list[stack, i] = list[stack, i - 1]
            list[stack, 1] = line
        }
        /^#/ { next }
        /^B/ { stack = per == "device" ? 0 : per == "block" ? "b" $2 : $2 % clusters; next }
        {
            split("", seen)
            for (f = 5; f <= NF; f++) {
                split($f, lane, ":")
                first = number(lane[2])
                last = first + $4 - 1
                for (line = int(first / bytes); line <= int(last / bytes); line++)
                    if (!((int(lane[1] / 32), line) in seen)) {
                        seen[int(lane[1] / 32), line] = 1
                        touch(line)
                    }
            }
        }
        END { for (d in count) print d, count[d] }' | sort -n
}

# The same from the program: what --csv says of misses, times all accesses.
counted() {
    local all
    "$heddle" cache --locality "$@" --json >"$work/log/out"
    all=$(member line_accesses)
    echo "0 $(member cold)"
    "$heddle" cache --locality "$@" --csv | awk -F, -v all="$all" '
        NR == 1 { before = all; next }
        {
            misses = int($3 * all + 0.5)
            if (misses != before)
                print $1, before - misses
            before = misses
        }'
}

compared=0
for seed in 1 2 3 4 5 6; do
    random_text "$seed" >random.text
    accepts trace import random.text -o random.hdt
    bytes=$((1 << seed * 5 % 9 + seed % 5 / 4))
    per=$(echo device cluster block | cut -d' ' -f$((seed / 2 % 3 + 1)))
    clusters=$((seed % 4 + 1))
    options="--line $bytes --per $per"
    [ "$per" != cluster ] || options="$options --clusters $clusters"
    expected "$bytes" "$per" "$clusters" <random.text >want
    # shellcheck disable=SC2086
    counted random.hdt $options >got
    compared=$((compared + $(wc -l <want)))
    cmp -s want got || complain "seed $seed, $options: $(diff want got | head -5)"
done
[ "$compared" -ge 50 ] || complain "only $compared distances were compared"

# ---- what is refused -----------------------------------------------------------------------------------

for bytes in 0 3 100 129 -1 x 4096k ''; do
    refuses "error: --line takes a (power of two|whole number)" cache --locality body.hdt "--line=$bytes"
done
refuses "error: --per takes block, cluster or device, not 'warp'" cache --locality body.hdt --per warp
refuses "error: --per cluster needs .*--clusters C" cache --locality body.hdt --per cluster
refuses "error: --clusters takes a whole number" cache --locality body.hdt --per cluster --clusters 0
refuses "error: --clusters takes at most 65536" cache --locality body.hdt --per cluster --clusters 65537
refuses "error: --clusters goes with --per cluster" cache --locality body.hdt --clusters 2
refuses "error: --csv and --json" cache --locality body.hdt --csv --json
refuses "error: .*nothing-such" cache --locality body.hdt --device nothing-such
refuses "^body.hdt: error: --launch 1: " cache --locality body.hdt --launch 1
refuses "^body.hdt: error: --blocks 4-9: " cache --locality body.hdt --blocks 4-9
refuses "^body.yaml: error: --launch 1: there is 1 launch" cache --locality body.yaml --launch 1
refuses "^body.yaml: error: --blocks 4: .*4 blocks" cache --locality body.yaml --blocks 4
refuses "^chain.yaml: error: --launch 3-5: there are 3 launches" cache --locality chain.yaml --launch 3-5
refuses "error: --launch takes a number" cache --locality body.hdt --launch x
refuses "error: --blocks takes a number" cache --locality body.hdt --blocks 3-1
refuses "error: --space takes" cache --locality body.hdt --space shared
refuses "error: --space private: " cache --locality body.hdt --space private
refuses "error: --space local goes with --per block" cache --locality chain.hdt --space global,local
accepts trace chain.yaml -o narrow.hdt --space global
refuses "^narrow.hdt: error: --space local: " cache --locality narrow.hdt --space local --per block
refuses "^body.hdt: error: .*no access to constant memory" cache --locality body.hdt --space constant
refuses "^body.yaml: error: .*no access to constant memory" cache --locality body.yaml --space constant
refuses "^body.hdt: error: this is a trace: " cache --locality body.hdt --global 256
refuses "^body.hdt: error: this is a trace: " cache --locality body.hdt --workers 2
refuses "^body.yaml:? error: --global goes with a kernel file" cache --locality body.yaml --global 256

# An empty trace; a file that is none; one that is not there; a folder.
printf '# heddle-trace-text 1\n' >empty.text
accepts trace import empty.text -o empty.hdt
refuses "^empty.hdt: error: there is no access to global memory" cache --locality empty.hdt
accepts trace chain.yaml -o empty.hdt --launch 0 --space local
refuses "^empty.hdt: error: there is no access to local memory" \
    cache --locality empty.hdt --space local --per block
refuses "^empty.hdt: error: --launch 1: " cache --locality empty.hdt --launch 1
: >nothing
refuses "^nothing: error: neither a trace .* nor a job" cache --locality nothing
refuses "^random.text: error: neither a trace .* nor a job" cache --locality random.text
refuses "^absent.hdt: error: cannot open: " cache --locality absent.hdt
refuses "^absent.yaml: error: " cache --locality absent.yaml
mkdir folder
refuses "^folder: error: cannot read: Is a directory$" cache --locality folder
refuses "error: which file" cache --locality
refuses "error: 'body.hdt' is one word too many" cache --locality body.hdt body.hdt

# A kernel that faults gives no result.
echo '__kernel void far(__global int *a) { a[get_global_id(0) * 4096] = 1; }' >far.cl
refuses "^far.cl:1:[0-9]+: error: " cache --locality far.cl --global 64 --count 64

# A trace that is not complete is analysed as far as it goes, with a warning; a damaged one is not.
size=$(stat -c %s chain.hdt)
head -c $((size - 40)) chain.hdt >cut.hdt
call cache --locality cut.hdt
[ "$status" -eq 0 ] && grep -q '^cut.hdt: warning: the trace is not complete: ' "$work/log/err" ||
    complain "a trace that is cut"
cp chain.hdt damaged.hdt
printf '\252\125' | dd of=damaged.hdt bs=1 seek=$((size / 2)) conv=notrunc status=none
refuses "^damaged.hdt: error: " cache --locality damaged.hdt

finish
