# heddle cache: what is printed of a job and of its trace, layouts, and what is refused.
source "$(dirname "$0")/lib.sh"
source "$source_folder/tests/cli/ready.sh"

# total NAME: of the last --json output.
total() { sed -nE "s/^    \"$1\": ([0-9]+),?\$/\1/p" "$work/log/out"; }

# ---- a job, and its trace ---------------------------------------------------------------------

accepts trace body.yaml -o body.hdt
accepts cache body.yaml --device tesla-m2050
prints '^body.yaml on tesla-m2050: sectors of 32 bytes$'
prints '^push: 1 launch, 4 blocks, '
prints '^Fields and buffers$'
prints '^  body\.[xyz] '
awk 'length > 80 { exit 1 }' "$work/log/out" || complain "a table is too wide"
sed 1d "$work/log/out" >from_job
accepts cache body.hdt --device tesla-m2050 --job body.yaml
sed 1d "$work/log/out" | cmp -s - from_job || complain "the trace is not as the job"
accepts cache body.cl --global 256 --local 64 --count 256 --device tesla-m2050
sed 1d "$work/log/out" | cmp -s - from_job || complain "the kernel file is not as the job"

accepts cache body.yaml --json
as_run=$(total transactions)
accepts cache body.yaml --json --layout aos
[ "$(total transactions)" = "$as_run" ] || complain "aos is not as run"
accepts cache body.yaml --json --layout soa
[ "$(total transactions)" -lt "$as_run" ] || complain "soa has as many transactions as aos"
accepts cache body.hdt --job body.yaml --json --layout soa --launch 0 --blocks 0-1
prints '"blocks": 2'
accepts cache body.yaml --registers 32 --workers 2
accepts cache body.yaml --json --blocks-at-once 1
prints '"blocks_per_sm": 1'

# ---- what is refused --------------------------------------------------------------------------

plain='warp:32 l1:48k/128 l2:768k/32 w:1,30,100 blocks:8 threads:1536 regs:32768'
refuses "lacks 'l1tags', which a simulation of its caches needs; add it .*l1tags:128/4" \
    cache body.yaml --device "$plain"
refuses "lacks 'l2tags'" cache body.yaml --device "$plain l1tags:128/6"
refuses "lacks 'sms'" cache body.yaml --device "$plain l1tags:128/6 l2tags:128/8"
refuses "the size of 'l1' a multiple of that line times its ways" \
    cache body.yaml --device "$plain l1tags:128/5 l2tags:128/8"
refuses 'tesla-c1060.yaml: error: there is no L2 for global memory' \
    cache body.yaml --device tesla-c1060
grep -v tags "$source_folder/devices/tesla-k20c.yaml" >bare.yaml
refuses "bare.yaml: error: the profile lacks 'l2tags'.*ways: 16" \
    cache body.yaml --device ./bare.yaml
refuses "--layout body=.*|no field 'w'" cache body.hdt --layout '{w}'
refuses '--job goes with a trace' cache body.yaml --job body.yaml
refuses 'this is a trace' cache body.hdt --global 64
refuses 'the trace has no such launch' cache body.hdt --launch 7
refuses 'nothing' cache body.yaml --layout '{x}{nothing}'
sed 's/global: \[256\]/global: [128]/' body.yaml >other.yaml
refuses "body.hdt: error: the trace is of another job than other.yaml: its launch 0 is of 'push'" \
    cache body.hdt --job other.yaml --layout soa
sed 's/count: 256/count: 512/' body.yaml >other.yaml
refuses "another job than other.yaml: in its launch 0 .*buffer 'bodies' has 3072 bytes" \
    cache body.hdt --job other.yaml --layout soa

finish
