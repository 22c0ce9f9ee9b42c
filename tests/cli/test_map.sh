# heddle map: what is printed of a job and of a trace, the map that it writes, and what is refused.
source "$(dirname "$0")/lib.sh"
source "$source_folder/tests/cli/ready.sh"

# Threads i, i + 32, i + 64 ... want the same row; natural warps have 32 rows each.
cat >rows.cl <<'END'
kernel void rows(global const int *to, global const float *from, global float *sum) {
    int i = get_global_id(0), row = to[i];
    float all = 0;
    for (int k = 0; k < 128; k++)
        all += from[(row * 128 + k) * 8];
    sum[i] = all;
}
kernel void wait(global const int *to, global const float *from, global float *sum) {
    local float part[64];
    int l = get_local_id(0);
    part[l] = from[get_group_id(0) / 2 % 2 * 64 + l];
    barrier(CLK_LOCAL_MEM_FENCE);
    sum[get_global_id(0)] = part[63 - l];
}
END
cat >rows.yaml <<'END'
kernel: rows.cl
buffers:
  - {name: to, type: int, count: 512, init: [{generator: modulo, high: 32}]}
  - {name: from, type: float, count: 32768, init: [{generator: uniform}]}
  - {name: sum, type: float, count: 512}
launches:
  - kernel: rows
    global: [512]
    local: [64]
    args: [{name: to, buffer: to}, {name: from, buffer: from}, {name: sum, buffer: sum}]
END
sed 's/kernel: rows$/kernel: wait/' rows.yaml >wait.yaml

# ---- a job ------------------------------------------------------------------------------------

accepts map rows.yaml -o rows.map
prints '^rows.yaml on h200$'
prints '^  original +[0-9.]+k +[0-9.]+ .*-$'
prints '^  threads +'
prints '^ +0  rows .* of threads$'
prints '^Take (threads|warps|blocks): warps make [4-9][0-9]\.[0-9]% fewer transactions$'
prints '^  This was counted on the machine, with the rewritten kernels'
prints '^  Wrote the map of threads to rows.map\.$'
prints '^  Next: heddle apply rows.yaml --map rows.map -o DIR$'
awk 'length > 80 { exit 1 }' "$work/log/out" || complain "a table is too wide"
head -n 2 rows.map >"$work/log/out"
prints '^heddle map 1$'
prints '^launch 0 threads 512 block 64 kernel rows$'
accepts apply rows.yaml --map rows.map -o mapped
accepts map rows.yaml --json --stages threads --no-caches --reuse --shuffle-threads 5 --no-refine
fits map
prints '"name": "unsorted"'
prints '"scenario": 4'
prints '"blocks_at_once": null'

# of barriers only blocks move, and it says so
accepts map wait.yaml --stages threads,warps,blocks
prints '^ +0  wait .*of blocks \(it has a barrier'
grep -Eq '^  (threads|warps) ' "$work/log/out" && complain "threads of a barrier were moved"

# nothing to gain, nothing written
accepts map rows.yaml --stages none -o none.map
prints '^Leave it: '
prints 'none.map was not written'
[ ! -e none.map ] || complain "a map was written that is not recommended"

# new numbers
printf 'indices:\n  - {from: to, to: from}\n' >indices
sed 's/modulo, high: 32/permutation, seed: 3/; s/count: 32768/count: 512/' rows.yaml | cat - indices >data.yaml
sed 's/rows/data/; s/k < 128/k < 1/; s/\[(row.*8\]/[row]/' rows.cl >data.cl
sed -i 's/rows/data/' data.yaml
accepts map data.yaml --stages none -o data.map
prints '^Take data by '
prints '^  Wrote the new numbers of from to data.map.from\.$'
[ ! -e data.map ] || complain "a map of threads without one"
sed -n 2p data.map.from >"$work/log/out"
prints '^launch 0 threads 512 block 1 kernel from$'

mkdir -p taken.from
refuses 'taken.from: error: --out: this is a folder' map data.yaml -o taken

# a random order is no original
accepts map data.yaml --stages none --no-data
prints '^  original +[0-9]'
original=$(grep '^  original ' "$work/log/out" | tr -s ' ')
for shuffled in --shuffle-data --shuffle-threads '--shuffle-data 1 --shuffle-threads'; do
    # shellcheck disable=SC2086
    accepts map data.yaml --stages none $shuffled 2
    [ "$(grep '^  original ' "$work/log/out" | tr -s ' ')" = "$original" ] || complain "another original"
    prints '^  unsorted +[0-9]'
done
accepts map data.yaml --stages none --shuffle-data 2 --json
fits map
prints '"what": "data in a random order"'

# ---- advise ------------------------------------------------------------------------------------

# where no layout helps, and threads do, it says so
sed 's/^  all += .*//; s/global const float \*from/global const cell *from/
    s/from\[(row \* 128 + k) \* 8\]/from[row * 128 + k].x/; 1s/^/typedef struct { float x, y; } cell;\n/
    /^kernel void wait/,$d' rows.cl >cells.cl
sed 's/rows.cl/cells.cl\nrecord: cell/; s/type: float, count: 32768/type: cell, count: 4096/' \
    rows.yaml >cells.yaml
accepts advise cells.yaml
prints '^  threads of rows in another order may save up to [89][0-9]\.[0-9]% of its transactions$'
prints 'heddle map cells.yaml$'
accepts map cells.yaml --stages threads --json
fits map
prints '"name": "threads"'

# ---- a trace ----------------------------------------------------------------------------------

accepts trace rows.yaml -o rows.hdt
accepts map rows.hdt -o trace.map
prints '^rows.hdt on h200, estimated from the trace$'
prints '^Take '
cmp -s rows.map trace.map || accepts apply rows.yaml --map trace.map -o mapped
accepts map rows.hdt --json
fits map

# ---- what is refused --------------------------------------------------------------------------

printf '# heddle-trace-text 1\nB 0 1\n0 1 L 4 0:1000\nB 1 1\n0 1 L 4 0:2000\n' >one.txt
accepts trace import one.txt -o one.hdt
refuses 'one.hdt: error: the trace does not say which thread an access is of' map one.hdt
sed 's/from: to, to: from/from: from, to: sum/' data.yaml >none.yaml
refuses "none.yaml:[0-9:]+ error: 'from' holds what is no whole number, so no indices" \
    map none.yaml
sed 's/to: from}/to: few}/; s/^launches/  - {name: few, type: int, count: 9}\n&/' data.yaml >few.yaml
refuses "few.yaml:[0-9:]+ error: 'to' holds [0-9]+ in element" map few.yaml --stages none
[ -x "$(dirname "$heddle")/heddle-mpi" ] ||
    refuses 'error: Zoltan comes with heddle-mpi, which is not there' \
        map rows.yaml --partitioner zoltan
if tried 1 2; then # what is said of options needs no sanitizer
    refuses "rows.hdt: error: --data needs a job" map rows.hdt --data
    refuses "rows.hdt: error: --measure needs a job" map rows.hdt --measure
    refuses "rows.yaml: error: --data: the job has no 'indices'" map rows.yaml --data
    refuses '--data and --no-data: choose one' map data.yaml --data --no-data
    refuses "nothing" map data.yaml --numbering nothing
    refuses "--partitioner takes greedy, zoltan or metis, not 'best'" map rows.yaml --partitioner best
    refuses "--stages takes threads, warps, blocks and throttling.*'thread'" \
        map rows.yaml --stages thread
    refuses '--on goes with --measure' map rows.yaml --on 0:0
    refuses '--shuffle-threads and --out: choose one' map rows.yaml --shuffle-threads 1 -o x.map
    refuses '--shuffle-threads and --data: choose one' map data.yaml --shuffle-threads 1 --data
fi

# ---- stopped ----------------------------------------------------------------------------------

# A signal ends the timing after some launches: what was found until then is printed.
need_shim
with CLOCK_STEP=20 -- map rows.yaml --measure --stages threads --no-caches
says '^heddle: note: measuring: [0-9]+%$'
with SIGNAL_AFTER=20 SIGNAL=2 -- map rows.yaml --measure --repeats 100000 --no-caches
[ "$status" -eq 130 ] || complain "SIGINT: exit status $status, not 130"
prints '^Time on '
grep -q 'warning: stopped by a signal: only the steps until then count' "$work/log/err" ||
    complain "SIGINT: no warning"

finish
