# heddle apply --map: kernels whose threads take their work from a map, and the files beside them.
source "$(dirname "$0")/lib.sh"
source "$source_folder/tests/cli/ready.sh"

cat >add.cl <<'E2'
__kernel void add(__global float *a, uint n) {
    uint i = get_global_id(0);
    if (i < n)
        a[i] += 1.0f + get_group_id(0);
}
__kernel void turn(__global float *a) {
    __local float shared[4];
    shared[get_local_id(0)] = a[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    a[get_global_id(0)] = shared[3 - get_local_id(0)];
}
__kernel void number(__global uint *next, __global uint *out) {
    out[get_global_id(0)] = atomic_inc(next);
}
E2
cat >add.yaml <<'E2'
kernel: add.cl
buffers:
  - {name: a, type: float, count: 8, init: [{generator: iota}]}
  - {name: next, type: uint, count: 1}
  - {name: out, type: uint, count: 8}
launches:
  - {kernel: add, global: [8], local: [4], args: [{name: a, buffer: a}, {name: n, value: 7}]}
  - {kernel: turn, global: [8], local: [4], args: [{name: a, buffer: a}]}
  - {kernel: number, global: [8], local: [4], args: [{name: next, buffer: next}, {name: out, buffer: out}]}
E2
map() { printf 'heddle map 1\n%s\n' "$@" >orders; }

map 'launch 0 threads 8 block 4 kernel add
7 6 5 4 0-3
launch 1 threads 8 block 4 whole-blocks kernel turn
4-7 0-3'
accepts apply add.yaml --map orders --out new
prints 'add in another order: launch 0 of 8 threads$'
prints 'turn in another order: launch 1 of 8 threads, whole blocks'
prints 'threads by a map: [0-9]* places changed, checked on the machine'
numbers=$(od -An -tu4 -v new/heddle_map.bin | xargs)
[ "$numbers" = '7 6 5 4 0 1 2 3 4 5 6 7 0 1 2 3' ] || complain "the map holds $numbers"
grep -q '{1, 8u, 8, 4, "turn"}' new/add.h || complain "the header does not say where orders begin"
cat >host.c <<'E2'
#include "new/add.h"
int main(void) {
    uint32_t numbers[HEDDLE_MAP_NUMBERS];
    return !heddle_map_read("new/heddle_map.bin", numbers) || heddle_map_first(1) != 8 ||
           heddle_map_first(2) != HEDDLE_MAP_NONE || numbers[1] != 6;
}
E2
cc -std=c99 -Wall -Wextra -Werror -o host host.c && ./host || complain "the header does not work"
accepts apply add.yaml --map orders --out new --json
prints '"map": "new/heddle_map.bin"'
fits apply
head -3 orders >one
accepts apply add.cl --entry add --global 8 --local 4 --map one --out made
prints 'checked on the machine'

# ---- what is wrong
map 'launch 1 threads 8 block 4 kernel turn
7 6 5 4 0-3'
refuses "the threads of a block of 'turn' belong together: it has a barrier; only whole blocks" \
    apply add.yaml --map orders --out never
map 'launch 0 threads 8 block 4 kernel add
7 6 5 5 0-3'
refuses 'orders:3:7: .*thread 5 stands at two places' apply add.yaml --map orders --out never
map 'launch 0 threads 16 block 4 kernel add
0-15'
refuses 'launch 0 of the job has 8 threads in blocks of 4, and this order 16' \
    apply add.yaml --map orders --out never
map 'launch 5 threads 8 block 4 kernel add
0-7'
refuses 'the job has 3 launches' apply add.yaml --map orders --out never
refuses '--map and --diff: choose one' apply add.yaml --map orders --diff
[ ! -e never ] || complain "a refused map left files"
map 'launch 2 threads 8 block 4 kernel number
7 6 5 4 0-3'
"$heddle" apply add.yaml --map orders --out never 2>"$work/log/err"
[ $? = 1 ] || complain "numbers that atomics hand out do not differ"
grep -q "with this map the kernels leave other values" "$work/log/err" || complain "it is not said why"
finish
