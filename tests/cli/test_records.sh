# Several records: a job whose buffers hold more than one is advised as a whole. Jobs in which both are worth
# changing, and only one is, and (with nvcc) the recording of a program with three structs.
# Called with the path of heddle.
source "$(dirname "$0")/lib.sh"

cat >records.h <<'E2'
typedef struct particle { float x, y, z; int id; float w[4]; } particle;
typedef struct cell { float sum; int first, last; float spare[5]; } cell;
E2
cat >move.cl <<'E2'
#include "records.h"
__kernel void move(__global particle *p, __global cell *c, int n) {
    int i = get_global_id(0);
    p[i].x += p[i].y;
    c[i].sum += 2.0f;
}
E2
cat >first_cell.cl <<'E2'
#include "records.h"
__kernel void first_cell(__global particle *p, __global cell *c, int n) {
    int i = get_global_id(0);
    p[i].x += c[0].sum; /* of all threads alike: no layout gains */
}
E2
# job NAME KERNEL [KEY]
job() {
    cat >"$1" <<E2
kernel: $2.cl
${3-}
buffers:
  - {name: p, type: particle, count: 4096}
  - {name: c, type: cell, count: 4096}
launches:
  - kernel: $2
    global: [4096]
    local: [64]
    args: [{name: p, buffer: p}, {name: c, buffer: c}, {name: n, value: 4096}]
E2
}
job both.yaml move
job one.yaml first_cell
job named.yaml move 'record: cell'

# Both: the heaviest first, each with its part; one command for all, which works.
accepts advise both.yaml
prints '^Verdict for h200: take [^ ]+ for particle \([0-9.]+% of the gain\), [^ ]+ for cell \([0-9.]+% of the gain\): together '
prints '^  heddle apply both.yaml --layout .*particle=.* --layout .*cell=.* --out DIR$'
grep -E '^  (particle|cell) ' "$work/log/out" | head -1 | grep -q particle || complain 'particle is the heaviest'
command=$(grep -m1 '^  heddle apply' "$work/log/out" | sed 's/^  heddle //; s/--out DIR/--out new/')
eval "accepts $command"
prints 'checked on the machine$'
accepts advise --apply same both.yaml
cmp -s new/move.cl same/move.cl || complain 'advise --apply writes something else'
call advise --json both.yaml
fits advise
python3 - "$work/log/out" <<'E2' || complain 'the parts are no whole'
import json, sys
all = json.load(open(sys.argv[1]))
r = all["records"]
assert [x["name"] for x in r] == ["particle", "cell"] and not any(x["leave"] for x in r), r
assert r[0]["transactions"] > r[1]["transactions"] > r[1]["transactions_then"], r
assert abs(sum(x["part"] for x in r) - 1) < 1e-9, r
saved = [x["transactions"] - x["transactions_then"] for x in r]
assert abs(r[0]["part"] - saved[0] / sum(saved)) < 1e-9, r
E2

# One: the other stays, and is not in the command.
accepts advise one.yaml
prints '^Verdict for h200: take [^ ]+ for particle \(100.0% of the gain\): .*; leave cell as it is\.$'
prints '^  heddle apply one.yaml --layout [^ ]*particle=[^ ]* --out DIR$'

# --record narrows, also what the job says; other commands do not ask.
accepts advise --record cell both.yaml
prints '^struct cell, 32 bytes$'
grep -q '^struct particle, ' "$work/log/out" && complain '--record does not narrow'
accepts advise named.yaml
prints '^struct cell, 32 bytes$'
accepts advise --record particle named.yaml
prints '^struct particle, 32 bytes$'
refuses "there is no record 'none'" advise --record none both.yaml
refuses 'hold several records, among them particle and cell; say which to lay out with --record particle' \
    run --layout soa both.yaml
accepts run --layout soa --record cell both.yaml
for command in run show cache 'advise --accesses' 'run --layout cell=soa' 'diff --layout cell=soa'; do
    call $command both.yaml
    [ "$status" -eq 0 ] || complain "$command asks for a record"
done
accepts report -o page.html both.yaml
accepts report --json both.yaml
python3 - "$work/log/out" <<'E2' || complain 'the page has no verdict for all records'
import json, sys
(run,) = json.load(open(sys.argv[1]))["runs"]
v = run["verdict"]
assert " for particle (" in v["text"] and " for cell (" in v["text"], v["text"]
assert "particle=" in v["command"] and "cell=" in v["command"], v["command"]
assert run["record"]["name"] == "particle" and v["before"]["transactions"] > v["after"]["transactions"]
E2

# A program with three structs.
nvcc=${CUDA_PATH-${CUDA_HOME-/usr/local/cuda}}/bin/nvcc
if [ -x "$nvcc" ]; then
    cp "$source_folder/tests/rewrite/whole/several.cu" .
    "$nvcc" -std=c++14 -O1 -lineinfo -cudart shared -o several several.cu 2>log || complain "$(cat log)"
    accepts record -o run -- ./several
    accepts advise run
    prints '^Verdict for h200: take .* for (Node|Edge|Element) '
    [ "$(grep -cE '^  (Node|Edge|Element) +' "$work/log/out")" -eq 3 ] || complain 'not all three records are listed'
    command=$(grep -m1 '^  heddle apply' "$work/log/out" | sed 's/^  heddle //; s/--out DIR/--out made/')
    eval "accepts $command"
    grep -q '<<<' made/several.cu || complain 'no program is written'
else
    echo 'there is no nvcc: the program with three structs is not built'
fi
finish
