# heddle-mpi: what is divided among processes prints what one prints, and what the end of one leaves.
# Where there is no MPI it was not built, and there is nothing to test. The same for all numbers of
# ranks, without MPI: tests/machine/test_ranks.c, tests/analysis/test_ranks.c.
source "$(dirname "$0")/lib.sh"
source "$source_folder/tests/cli/ready.sh"
mpi=$(dirname "$heddle")/heddle-mpi
[ -x "$mpi" ] && command -v mpirun >/dev/null || { echo "no heddle-mpi"; exit 0; }
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_btl_vader_single_copy_mechanism=none

# over RANKS ARGUMENTS: heddle-mpi, its output as call() leaves that of heddle.
over() {
    local ranks=$1
    shift
    mpirun -q -n "$ranks" "$mpi" "$@" >"$work/log/out" 2>"$work/log/err" </dev/null
    status=$?
}

# without_time FILE: what it says but for times.
without_time() { sed -E 's/"seconds": [0-9.e+-]+/"seconds": 0/; s/"file": "[^"]*"/"file": ""/' "$1"; }

cat >slow.cl <<'C'
__kernel void slow(__global int *x) {
    int sum = 0;
    for (int i = 0; i < 100; i++) sum += x[(get_global_id(0) + i) % 64];
    x[get_global_id(0) + 64] = sum;
}
C
cat >slow.yaml <<'Y'
kernel: slow.cl
buffers: [{name: x, type: int, count: 1088}]
launches:
  - {kernel: slow, global: [1024], local: [64], repeat: 1000000, args: [{name: x, buffer: x}]}
Y
job=$source_folder/examples/bfs/bfs-small.yaml

# Exactly what one process prints, and leaves.
accepts run -j1 --accesses --json "$job" --dump nodes=alone.bin
without_time "$work/log/out" | sed 's/alone.bin/ranks.bin/' >alone
over 3 run -j1 --accesses --json "$job" --dump nodes=ranks.bin
[ "$status" = 0 ] || complain "heddle-mpi run: exit status $status"
without_time "$work/log/out" | cmp - alone || complain "heddle-mpi run says something else"
cmp alone.bin ranks.bin || complain "heddle-mpi run leaves something else"

accepts trace "$job" -o alone.hdt
over 3 trace "$job" -o ranks.hdt
[ "$status" = 0 ] || complain "heddle-mpi trace: exit status $status"
for command in "trace export" "cache --locality --json" "cache --reuse --scenario 3 --json" "cache --json" "show --json"; do
    # shellcheck disable=SC2086
    accepts $command alone.hdt
    without_time "$work/log/out" >alone
    # shellcheck disable=SC2086
    accepts $command ranks.hdt
    without_time "$work/log/out" | cmp - alone || complain "$command says something else of ranks"
done

# Orders of threads, which the ranks make by turns, and of data.
questions="--shuffle-data 2 --stages threads,blocks --no-caches --json"
# shellcheck disable=SC2086
accepts map "$source_folder/examples/sta/sta-small.yaml" $questions
without_time "$work/log/out" >alone
# shellcheck disable=SC2086
over 3 map "$source_folder/examples/sta/sta-small.yaml" $questions
without_time "$work/log/out" | cmp - alone || complain "heddle-mpi map says something else"

# A fault in a block of another rank is printed as one process prints it.
cat >fault.cl <<'C'
__kernel void fault(__global int *y) { y[get_global_id(0)] = 1; }
C
cat >fault.yaml <<'Y'
kernel: fault.cl
buffers: [{name: y, type: int, count: 1000}]
launches: [{kernel: fault, global: [1024], local: [64], args: [{name: y, buffer: y}]}]
Y
call run fault.yaml
cp "$work/log/err" alone
over 2 trace fault.yaml -o fault.hdt
{ cat alone; echo "heddle: note: that was rank 1 of 2"; } | cmp - "$work/log/err" || complain "a fault"
[ "$status" = 2 ] && [ ! -e fault.hdt ] && [ ! -e fault.hdt.part ] || complain "a fault: $status, or files are left"

# Errors: one message, of the first rank, and nothing is left.
mkdir full && touch full/file
over 2 trace "$job" -o full
[ "$status" = 2 ] && [ "$(grep -c 'error: ' "$work/log/err")" = 1 ] &&
    grep -q 'full: error: this folder is no trace' "$work/log/err" || complain "full: $status"
[ "$(ls full)" = file ] && [ ! -e full.part ] || complain "a trace that is refused leaves files"

# The death of a rank: its number, an exit status, and a trace to read.
mpirun -q -n 3 sh -c \
    'echo $$ >pid.$OMPI_COMM_WORLD_RANK; exec "$0" "$@"' "$mpi" trace -j1 slow.yaml -o dead.hdt \
    >"$work/log/out" 2>"$work/log/err" </dev/null &
run=$!
for i in $(seq 300); do
    [ "$(stat -c %s dead.hdt.part/rank-0001.hdt.part 2>/dev/null || echo 0)" -gt 100000 ] && break
    sleep 0.1
done
kill -9 "$(cat pid.1)"
wait $run && complain "a run whose rank died ends well"
grep -Eq 'rank 1 (is gone|with PID|.*exited on signal 9)' "$work/log/err" || complain "no name of the dead rank"
[ ! -e dead.hdt ] || complain "a trace of a run that died is called a whole one"
call cache --locality dead.hdt.part
[ "$status" = 0 ] || complain "locality of what is left: $status"
grep -q 'dead.hdt.part: warning: the trace is not complete: .*rank 1: the run was killed' \
    "$work/log/err" || complain "locality does not say that it is not complete"
finish
