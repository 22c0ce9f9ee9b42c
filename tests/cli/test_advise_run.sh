# `heddle advise --run`: the job is run where the static cost rests on assumptions, and what keeps
# it from being run is said in one line beside the static answer.
source "$(dirname "$0")/lib.sh"
source "$source_folder/tests/cli/ready.sh"

cat >gather.cl <<'END'
typedef struct {
    float x, y, z, w;
    int tag, rest[3];
} particle;
__kernel void gather(__global const particle *p, __global const int *order, __global float *sum) {
    int i = get_global_id(0);
    int at = order[i];
    sum[i] = p[at].x + p[at].y;
}
END
# job ORDER: its buffer of indices has these contents.
job() {
    local order=${1:-}
    cat <<END
kernel: gather.cl
buffers:
  - {name: p, type: particle, count: 4096, init: [{generator: uniform, seed: 1, high: 9}]}
  - {name: order, type: int, count: 4096$order}
  - {name: sum, type: float, count: 4096}
launches:
  - kernel: gather
    global: [4096]
    local: [128]
    args:
      - {name: p, buffer: p}
      - {name: order, buffer: order}
      - {name: sum, buffer: sum}
END
}
job ", init: [{generator: permutation, seed: 2}]" >gather.yaml
job >empty.yaml
job ", init: [{generator: uniform, seed: 2, low: 4095, high: 4097}]" >wrong.yaml

# static REASON: the last answer is by static cost, and says why.
static() {
    tr -s ' \n' ' ' <"$work/log/out" >"$work/log/words"
    grep -Eq "of it rests on assumptions: .*; the job was not run: $1" "$work/log/words" ||
        complain "it does not say: $1"
}

# ---- a run ------------------------------------------------------------------------------

accepts advise gather.yaml
prints 'a run of the whole job, with its caches simulated'
accepts advise gather.yaml --json
fits advise
prints '"whole": true'
prints '"blocks": 32,'
accepts advise gather.yaml --run all --json
prints '"whole": true'
# Of 32 blocks of 128 threads with four accesses each ten are within 5,120 accesses.
accepts advise gather.yaml --run 5120 --json
prints '"whole": false'
prints '"blocks": 1[01],'
prints '"lane_accesses": 5[16]'
cp "$work/log/out" "$work/log/some"
accepts advise gather.yaml --run 5120 --json
diff <(grep -v '"seconds"' "$work/log/some") <(grep -v '"seconds"' "$work/log/out") ||
    complain "the same question has another answer"

accepts advise gather.yaml --run 0
prints 'static cost; [0-9]*% of it rests on assumptions: '
accepts advise gather.yaml --run 0 --json
prints '"evidence": null'
# Nothing is assumed of a kernel whose lanes take their own elements.
accepts advise body.yaml --json
prints '"evidence": null'

# Without the figures of its caches a device has no simulation; what was counted decides.
accepts advise gather.yaml --json --device \
    'warp:32 l1:48k/128 l2:768k/32 w:1,30,100 blocks:8 threads:1536 regs:32768'
prints '"simulated": false'
prints '"whole": true'

# ---- energy ---------------------------------------------------------------------------------

# Joules are by hand: a microjoule for each byte of memory, or for each operation.
levels="warp:32 l1:64k/32 l2:4m/32 blocks:16 threads:1024 regs:65536 segment:32 maxregs:255 sms:40"
levels+=" l1tags:128/128 l2tags:128/16 w:1,5.2,14.6"
of_memory="$levels energy:0,0,0,0,0,1000000,0,5"
of_operations="$levels energy:1000000,0,0,0,0,0.000001,0,5"
accepts advise gather.yaml --device "$of_memory"
prints '^Verdict for synthetic: take aosoa:4, at 0.622 of the cost of AoS \('
accepts advise gather.yaml --device "$of_memory" --objective energy
prints '^Verdict for synthetic: take soa, at 0.400 of the modelled energy of AoS: it moves 2.5x fewer '
prints '^  layout +cost +ratio +transactions +DRAM +energy$'
prints '^  aosoa:4 .* 0.400 .* 64 KiB +65.5 mJ$'
prints '^  ratio: of the energy, which is modelled, without idle power$'
# Of the compiled kernels.
accepts advise gather.yaml --device t4 --objective energy
prints '^Verdict for t4: take .* of the modelled energy of AoS: it moves '
prints '^  layout +requests +transactions +DRAM +energy +time +power +energy to$'
prints '^  aos .* 160 KiB +[0-9.]+ uJ +[0-9.]+ us +[0-9.]+ W +1.000$'
prints '^  energy to AoS: of the energy, which is modelled, with idle power for the$'
accepts advise gather.yaml --device "$of_memory" --objective energy --json
fits advise
prints '"heard": true'
awk -F'[:,]' '/"dram_bytes"/ { bytes = $2 }
    /"joules"/ { count++; if ($2 / bytes > 1.000001e-6 || $2 / bytes < 0.999999e-6) exit 1 }
    END { exit count < 5 }' "$work/log/out" || complain "joules are not those of the bytes"
# One addition for each of 4,096 threads, or of the 11 blocks that were heard: no layout saves any.
accepts advise gather.yaml --device "$of_operations" --objective energy
prints '^Verdict for synthetic: leave it as it is; no layout takes noticeably less modelled energy \('
prints '^  soa .* 1.000 .* 4.10 mJ$'
accepts advise gather.yaml --device "$of_operations" --objective energy --run 5120 --json
prints '"joules": 0.001408'
# Where nothing is heard the static cost tells what moves.
accepts advise body.yaml --device "$of_memory" --objective energy
prints '^Verdict for synthetic: take soa, at 0.667 of the modelled energy of AoS: it moves 1.5x fewer '
prints '^Layouts on synthetic, by static cost$'
accepts advise gather.yaml --run 0 --device "$of_memory" --objective energy --json
fits advise
prints '"heard": false'
refuses "modelled energy is not known for synthetic: add energy: to its profile" \
    advise body.yaml --objective energy --device "$levels"
# With speeds there is idle power, and the product of both: watts of 5 when idle, for microseconds.
speeds="clock:1000 bandwidth:100,400,10 rates:64,32,64,16,128,4 latency:30,200,400"
accepts advise gather.yaml --device "$of_memory $speeds" --objective edp
prints '^Verdict for synthetic: take .* of the modelled energy-delay product of AoS: it moves 2.5x fewer '
prints '^  layout +cost +ratio +transactions +DRAM +time +energy$'
prints '^  ratio: of the modelled energy times the predicted time$'
accepts advise gather.yaml --device "$of_memory $speeds" --objective energy
prints '^  ratio: of the energy, which is modelled, with idle power for the predicted$'
accepts advise gather.yaml --device t4 --objective edp
prints '^  EDP to AoS: of the modelled energy times the predicted time$'
for how in "t4" "t4 --as-written" "t4 --run 0"; do
    accepts advise gather.yaml --objective edp --json --device $how
    fits advise
    prints '"objective": "edp"'
done
prints '"heard": false'
awk -F'[:,]' '/"ratio"/ { ratio[++count] = $2 } /"seconds"/ { seconds = $2 }
    /"joules"/ { product[count] = seconds * $2; if (ratio[count] == 1) own = product[count] }
    END { for (i = 1; i <= count; i++) if (product[i])
              { seen++; off = product[i] / own / ratio[i]; if (off > 1.0001 || off < 0.9999) exit 1 }
          exit seen < 3 }' "$work/log/out" || complain "ratios are not those of joules times seconds"
refuses "modelled energy is not known for synthetic: add energy: to its profile" \
    advise body.yaml --objective edp --device "$levels $speeds"
refuses "time is not known for synthetic: add clock:, .* to its profile, or .*--budget TIME" \
    advise body.yaml --objective edp --device "$of_memory"

# ---- none -----------------------------------------------------------------------------------

accepts advise empty.yaml
static "buffer 'order' has no contents, and they decide which elements are read; give them in a job"
accepts advise gather.cl
static "buffer 'order' has no contents"

call advise wrong.yaml
[ "$status" -eq 0 ] || complain "a fault: exit status $status, not 0"
grep -q "gather.cl:8:[0-9]*: warning: .*'p'" "$work/log/err" ||
    complain "the fault is not told with its place"
! grep -q 'error: ' "$work/log/err" || complain "a fault is an error of the static answer"
static "the kernels fault on the job's data"

accepts advise gather.yaml --run 100
static 'a block makes 512 accesses of lanes, more than the limit of 100; raise it with --run'

# A block that never ends is more work than any limit.
sed 's/int at = order\[i\];/int at = order[i]; while (at >= 0) at = order[at];/' gather.cl >loop.cl
sed 's/gather.cl/loop.cl/' gather.yaml >loop.yaml
accepts advise loop.yaml --run 1k
static "a block of 'gather' does more work than the limit of 1000 accesses allows"

# A kernel file without an index that memory decides runs on contents that are made up.
sed 's/order\[i\]/i/; s/sum\[i\] = /if (p[at].tag > 30) sum[i] = /' gather.cl >made_up.cl
accepts advise made_up.cl --global 4096 --local 128
prints 'on made-up contents of p'

# A job of 10^9 accesses: a block of each launch stands for all, and what is counted is what --run all
# counts.
accepts advise "$source_folder/examples/nbody/nbody.yaml" --json
python3 - "$work/log/out" <<'END2' || complain 'a share of the blocks'
import json, sys
answer = json.load(open(sys.argv[1]))
original = answer["counted"]["original"]
assert "a run of 2 of 128 blocks" in answer["basis"]["text"], answer["basis"]
assert (original["requests"], original["transactions"]) == (33563648, 33812480), original
assert answer["counted"]["layouts"][0]["requests"] == 8394240, answer["counted"]["layouts"][0]
END2

refuses "run takes a number of accesses as 16M or 200k, 0 or all, not 'much'" \
    advise gather.yaml --run much
refuses "run takes a number of accesses .*not '5x'" advise gather.yaml --run 5x
refuses "run takes a number of accesses .*not '-1'" advise gather.yaml --run=-1
refuses "run takes a number of accesses .*not '99999999999999G'" \
    advise gather.yaml --run 99999999999999G
finish
