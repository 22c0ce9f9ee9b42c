# Without a device: `heddle advise --placements`, and the decision rules, `--by rules`.
source "$(dirname "$0")/lib.sh"
source "$source_folder/tests/cli/ready.sh"

# ---- placements -------------------------------------------------------------------------

cat >gather.cl <<'END'
struct r { float x, y, z, w; };
__kernel void gather(__global const struct r *table, __global const int *at, __global float *out) {
    int i = get_global_id(0);
    out[i] = table[at[i]].x;
}
END
cat >gather.yaml <<'END'
kernel: gather.cl
record: r
buffers:
  - {name: table, type: r, count: 65536}
  - {name: at, type: int, count: 4096, init: [{generator: uniform, low: 0, high: 65535, seed: 7}]}
  - {name: out, type: float, count: 4096}
launches:
  - {kernel: gather, global: [4096], local: [256], args: [{name: table, buffer: table}, {name: at, buffer: at}, {name: out, buffer: out}]}
END

accepts advise gather.yaml --placements
prints '^Placements on h200: put table, at and out in pinned host memory: in .* a whole run takes .* and not .* times faster\.$'
prints '^Time of a whole run, by where all buffers are$'
prints '^  layout +device +host +each at its best$'
prints '^Energy of a whole run, by where all buffers are$'
prints '^  table +1 MiB +gather '
prints "^  memory of the placement 'host': clCreateBuffer\\(\\) with"
in_one_line -F 'not priced here: fine, coarse, managed, hinted'
mv "$work/log/out" "$work/bare"
# The list is a word of its own, or left out; what follows may be the job.
for words in "--placements gather.yaml" "gather.yaml --placements all" "--placements=all gather.yaml" \
    "--placements --quiet gather.yaml" "--placements device,host gather.yaml"; do
    accepts advise $words
    cmp -s "$work/log/out" "$work/bare" || complain "advise $words: not what --placements alone prints"
done
accepts advise gather.yaml --placements host,fine,coarse --device radeon-fiji --objective energy
prints '^Energy of a whole run, by where all buffers are$'
prints '^  layout +host +fine +coarse +each at its best$'
in_one_line -F ' times less.'
# Where the memory is shared a copy only adds; in place there is nothing to gain.
accepts advise gather.yaml --placements host,device --device amd-kaveri
prints '^Placements on amd-kaveri: put table, at and out in pinned host memory: '
sed 's/count: \([0-9]*\)/&, placement: host/' gather.yaml >placed.yaml
accepts advise placed.yaml --placements --device amd-carrizo
prints '^Placements on amd-carrizo: leave the buffers where they are: as far as can be told no placement gains \(in '

refuses "placements: unknown placement 'there'; there are: device, host, fine" advise gather.yaml --placements host,there
refuses "placements: unknown placement 'there'" advise gather.yaml --placements=there
refuses "time is not known for synthetic: add clock:, bandwidth:, rates: and latency: to its profile" \
    advise gather.yaml --placements --device "warp:32 l1:48k/128 l2:768k/32 w:1,30,100 blocks:8 threads:1536 regs:32768 sms:14 l1tags:128/4 l2tags:128/16"
sed 's/count: 65536/&, placement: managed/' gather.yaml >managed.yaml
refuses "managed.yaml:4:5: error: placements cannot be priced for h200: buffer 'table' lies in managed memory" \
    advise managed.yaml --placements

# ---- rules --------------------------------------------------------------------------------

accepts advise gather.yaml --by rules
prints '^By rules for h200: take soa, in device memory \(rule of thumb\)\.$'
prints '^  heddle apply gather.yaml --layout soa --out DIR$'
prints '^  rule of thumb +soa +device +the device has memory of its own$'
in_one_line -F 'nothing was explored: heddle device explore --model h200'
prints '^  intensity +0\.'
accepts advise gather.yaml --by rules --device amd-kaveri
prints '^By rules for amd-kaveri: take soa, in pinned host memory \(rule of thumb\)\.$'
accepts advise gather.yaml --by rules --device h200 --objective energy
prints '^By rules for h200: take da, in device memory \(rule of thumb\)\.$'
in_one_line -E 'operations for a byte are few \(below 2\.8'
# A micro-kernel is nearest to itself.
mkdir kept
accepts device explore --model radeon-fiji --vary group=64,256 --keep kept -o kept/page.html
accepts advise kept/usual.yaml --by rules --device radeon-fiji --objective energy
prints '^  usual +0 +50\.0%$'
in_one_line -E 'nearest micro-kernels .* 2 are near, the nearest 0 away'
accepts advise gather.yaml --by rules --device radeon-fiji --objective energy
in_one_line -F 'none is near: the nearest is '
# What does not run has no features, and is advised by the rule of thumb all the same.
sed 's/high: 65535/high: 99999/' gather.yaml >faults.yaml
accepts advise faults.yaml --by rules --device radeon-fiji --objective energy
prints '^By rules for radeon-fiji: take soa, in device memory \(rule of thumb\)\.$'
in_one_line -F 'how much is computed is not known'

refuses "by: unknown 'magic'; there is: rules" advise gather.yaml --by magic
refuses "by and --placements: choose one of them" advise gather.yaml --by rules --placements all
refuses "by and --budget: choose one of them" advise gather.yaml --by rules --budget 1s

finish
