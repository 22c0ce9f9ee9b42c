# Predicted times: what `advise`, `diff` and `report` say of them, and that they decide.
source "$(dirname "$0")/lib.sh"
source "$source_folder/tests/cli/ready.sh"
command -v node >/dev/null || { echo "this test needs node: apt-get install nodejs"; exit 2; }

# holds EXPRESSION: it is true of the last output as JSON, `a`.
holds() {
    node -e '
        const a = JSON.parse(require("fs").readFileSync(process.argv[1], "utf8"));
        if (!eval(process.argv[2])) process.exit(1);' "$work/log/out" "$1" || complain "not so: $1"
}

# A small device; with a slow memory, slow units for floats, or for integers.
plain='warp:32 l1:16k/32 l2:32k/32 w:1,10,30 blocks:8 threads:1024 regs:32768 maxregs:63 sms:2'
plain+=' segment:32 l1tags:128/4 l2tags:128/16 compiler:nvptx64'
memory="$plain clock:100 bandwidth:0.1,1,1 rates:64,2,64,16,64,4 latency:30,100,300"
floats="$plain clock:100 bandwidth:100,200,1 rates:0.1,2,64,16,64,4 latency:30,100,300"
integers="$plain clock:100 bandwidth:100,200,1 rates:64,2,0.3,16,64,4 latency:30,100,300"
kmeans=$source_folder/examples/kmeans/kmeans-small.yaml

# Where memory bounds the kernel a layout that moves less is faster, and where its arithmetic does it is
# about as fast; where the profile has no speeds nothing is said of it.
accepts advise body.yaml --device "$memory"
prints '^Verdict for .*: take '
in_one_line -E 'predicted on synthetic: [0-9.]+ to [0-9.]+ times faster \(DRAM, [0-9]+% of its bandwidth before; DRAM'
in_one_line -E 'Predicted time on synthetic kernel runs now bound by then bound by push 1 '
accepts advise body.yaml --device "$memory" --json
fits advise
holds 'a.time.gain.low > 1 && a.time.before.bound === "DRAM" && a.time.kernels[0].kernel === "push"'
holds 'a.time.kernels[0].flops === 512 && a.time.kernels[0].fp64 === 0' # 256 multiply-adds
holds 'a.time.kernels[0].dram_bytes_after < a.time.kernels[0].dram_bytes'
holds 'a.time.roofs.dram === 1e8 && a.time.roofs.l2 === 1e9 && a.time.roofs.fp32 === 2 * 2 * 64e8'
accepts advise body.yaml --device "$floats"
in_one_line -E 'predicted on synthetic: about as fast \([0-9.]+ to [0-9.]+ times\) \(fp32 units, [0-9]+% of their rate before'
for device in "$plain" tesla-c1060; do
    accepts advise body.yaml --device "$device"
    prints '^Verdict for .*: take '
    ! grep -qi predicted "$work/log/out" || complain "predicts for a device without speeds"
    accepts advise body.yaml --device "$device" --json
    holds 'a.time === null'
done

# What costs less but takes longer is not advised: tiles cost more instructions than they save here.
accepts advise "$kmeans" --device "$plain" --json
holds 'a.kind === "take" && a.time === null'
layout=$(node -p 'JSON.parse(require("fs").readFileSync(process.argv[1])).devices[0].best.notation' "$work/log/out")
accepts advise "$kmeans" --device "$integers"
prints '^Verdict for .*: leave it as it is; what costs less is predicted to be slower \('
in_one_line -E 'predicted on synthetic: [0-9.]+ [mun]?s, between [0-9.]+ [mun]?s and [0-9.]+ [mun]?s \(integer units, '
accepts diff "$kmeans" --layout "$layout" --device "$integers"
in_one_line -E '\(integer units, [0-9]+% of their rate\): [0-9.]+ to [0-9.]+ times slower'
for device in "$memory" "$floats" "$integers"; do
    for job in body.yaml "$kmeans" "$source_folder/examples/irreg/irreg-small.yaml"; do
        accepts advise "$job" --device "$device" --json
        holds 'a.time.gain.high >= 1'
    done
done

# diff predicts what advise does, and nothing of traces.
accepts advise body.yaml --device "$memory" --json
cp "$work/log/out" advice.json
layout=$(node -p 'JSON.parse(require("fs").readFileSync("advice.json")).devices[0].best.notation')
for caches in '' --caches; do
    accepts diff body.yaml --layout "$layout" --device "$memory" $caches --json
    fits diff
    holds 'a.time.simulated === 1'
    for side in before after; do
        holds "Math.abs(a.time.$side.seconds / JSON.parse(require('fs').readFileSync('advice.json')).time.$side.seconds - 1) < 1e-9"
    done
done
accepts diff body.yaml --layout "$layout" --device "$memory"
in_one_line -E "Predicted on synthetic: original [0-9.]+ us \(DRAM, [0-9]+% of its bandwidth\), .* \(DRAM, .*\): [0-9.]+ to [0-9.]+ times faster"
accepts diff body.yaml body.yaml --device "$memory" --json
holds 'a.time.gain.times === 1'
accepts trace body.yaml -o body.hdt
for versions in "body.hdt body.hdt" "body.yaml body.hdt"; do
    # shellcheck disable=SC2086
    accepts diff $versions --device "$memory" --json
    fits diff
    holds 'a.time === null'
done
accepts diff body.yaml --layout soa --device "$plain"
! grep -qi predicted "$work/log/out" || complain "diff predicts for a device without speeds"

# Both count the passes of banks, of every launch.
cat >banks.cl <<'END'
typedef struct body {
    float x, y;
    int tag;
} body;

__kernel void push(__global body *bodies) { bodies[get_global_id(0)].x += 1.0f; }

__kernel void turn(__global body *bodies) {
    __local float part[64 * 32];
    int i = get_global_id(0), l = get_local_id(0);
    part[l * 32] = bodies[i].y;
    barrier(CLK_LOCAL_MEM_FENCE);
    bodies[i].y = part[(63 - l) * 32];
}
END
cat >banks.yaml <<'END'
kernel: banks.cl
buffers: [{name: bodies, type: body, count: 256}]
launches:
  - {kernel: push, global: [256], local: [64], args: [{name: bodies, buffer: bodies}]}
  - {kernel: turn, global: [256], local: [64], args: [{name: bodies, buffer: bodies}]}
END
slow="$plain banks:32 clock:1 bandwidth:100,200,1 rates:64,2,64,16,1,4 latency:30,100,300"
accepts advise banks.yaml --device "$slow" --json
cp "$work/log/out" banks.json
holds 'a.time.before.bound === "load/store units"'
accepts diff banks.yaml --layout aos --layout soa --device "$slow" --json
holds 'Math.abs(a.time.before.seconds / JSON.parse(require("fs").readFileSync("banks.json")).time.before.seconds - 1) < 1e-9'

# Of a large job the caches of some blocks are simulated, unless all are asked for.
sed -e 's/256/262144/' -e 's/\[64\]/[256]/' body.yaml >many.yaml
accepts diff many.yaml --layout soa --device h200 --json
holds 'a.time.simulated > 0 && a.time.simulated < 1'
cp "$work/log/out" some.json
accepts diff many.yaml --layout soa --device h200
in_one_line -E 'Predicted on h200, by the caches of [0-9.]+% of the blocks: '
accepts diff many.yaml --layout soa --device h200 --caches --json
holds 'a.time.simulated === 1'
holds 'Math.abs(a.time.before.seconds / JSON.parse(require("fs").readFileSync("some.json")).time.before.seconds - 1) < 0.05'

# But not where launches leave more to each other than L2 holds.
sed 's/  - kernel: push/&\n    repeat: 2/' many.yaml >often.yaml
small_l2="$plain clock:100 bandwidth:100,200,1 rates:64,2,64,16,64,4 latency:30,100,300"
accepts diff often.yaml --layout soa --device "$small_l2"
in_one_line -F '--caches predicts times, too, which some blocks do not tell here: L2 has no room'
accepts diff often.yaml --layout soa --device "$small_l2" --json
fits diff
holds 'a.time === null'
accepts diff often.yaml --layout soa --device "$small_l2" --caches --json
holds 'a.time.simulated === 1'
accepts diff often.yaml --layout soa --device h200 --json
holds 'a.time.simulated < 1'

# The page has what advise says, or why it has nothing.
if [ "${HEDDLE_PAGE:-ON}" != OFF ]; then
    accepts report body.yaml --device "$memory" --json
    fits report
    holds 'require("util").isDeepStrictEqual(a.runs[0].time, JSON.parse(require("fs").readFileSync("advice.json")).time)'
    accepts report body.yaml --device "$plain" --json
    holds 'a.runs[0].time === null'
    holds 'a.runs[0].left_out.find(({ section }) => section === "time").why.startsWith("time is not known for synthetic: ")'
fi

finish
