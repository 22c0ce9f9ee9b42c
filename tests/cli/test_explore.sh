# Exploring whatever OpenCL device there is, with few variants: what is kept, what is shown, and
# explorations that end early.
source "$(dirname "$0")/lib.sh"
source "$source_folder/tests/cli/ready.sh"
export HEDDLE_DATABASE=$work/log/profiles.db
export TMPDIR=$work/log/tmp
mkdir "$TMPDIR"
need_shim
# 3 points in 2 layouts and one placement: 6 variants
small=(--fix objects=2048 --vary sparsity=1,4,16 --vary layout=aos,soa --vary placement=device
    --repeats 1 --meter model)

# ends STATUS PATTERN: the last call ended so, and said this.
ends() {
    [ "$status" -eq "$1" ] || complain "exit status $status, not $1"
    grep -Eq -- "$2" "$work/log/err" || complain "no message matches: $2"
}

# ---- the command line ------------------------------------------------------------

refuses "there is no dimension 'sparseness'; there are indirect" device explore --vary sparseness=1
refuses "'65' is no value of sparsity, which is a whole number from 1 to 64" device explore --vary sparsity=65
refuses "'sparsity=1': this dimension is given twice" device explore --vary sparsity=1 --fix sparsity=1
refuses "fix takes one value; --vary takes several" device explore --fix sparsity=1,2
refuses "'split=1'.*the host computes all" device explore --vary split=1 # a range that makes no kernel
refuses "4 fields of float take at least 3 operations" device explore --fix intensity=0.1
refuses "repeats takes at most 1000" device explore --repeats 1001
refuses "budget takes a time over 0" device explore --budget 0s
refuses "no placement is called 'moon'; there are device, host" device explore --vary placement=moon
refuses "'placement=host,moon': no placement" device explore --model h200 --vary placement=host,moon
refuses "h200 has no placement 'managed': pages move when they are touched" \
    device explore --model h200 --vary placement=managed
refuses "'layout=soa': this dimension is given twice" \
    device explore --vary layout=aos --vary layout=soa
refuses "has no placement 'managed'" device explore --vary placement=managed
refuses "'b' is one word too many" device explore a b
refuses "no OpenCL device is called 'no_such_device'" device explore no_such_device
refuses "the plan has [0-9]+ variants left, which take at least [0-9.]+ s, and the budget is 1 s" \
    device explore --vary sparsity=1..64 --vary granularity=1..64 --budget 1s
refuses "'objects=2048': layout=nonsense: expected a layout: 'aos', 'soa', .* found 'nonsense'" \
    device explore "${small[@]:0:4}" --vary layout=nonsense
# More than the host can hold.
refuses "'aggregate=64 objects=268435456': in aos it takes 320 GiB, and on .* it may take" \
    device explore --fix aggregate=64 --fix objects=268435456
refuses "'aggregate=64 objects=268435456': in soa it takes 320 GiB" \
    device explore --vary aggregate=64 --fix objects=268435456 --vary layout=soa
OCL_ICD_VENDORS=$work/log/none refuses "there is no OpenCL device to run on" device explore
# What is to be written is looked at before a device is, and folders that were made go again.
export OCL_ICD_VENDORS=$work/log/none
refuses "^no/page.html: error: --out: there is no folder no; make it first" \
    device explore --out no/page.html
refuses "^body.cl/a: error: cannot make this folder" device explore --pictures body.cl/a
refuses "^body.cl: error: this is no folder" device explore --keep body.cl
refuses "the name is empty; name a folder" device explore --keep ''
refuses "there is no OpenCL device to run on" device explore --keep new/one --pictures new/two
unset OCL_ICD_VENDORS
refuses "nothing was explored yet; 'heddle device explore' measures" device explore --show
refuses "--again and --show: choose one" device explore --show --again

# ---- an exploration, and what is kept of it ------------------------------------------

accepts device explore "${small[@]}" --json
fits device explore
cp "$work/log/out" "$work/log/first"
measured() { grep -Eo '"measured": [0-9]+' "$work/log/out"; }
[ "$(measured)" = '"measured": 6' ] || complain "not 6 measured: $(measured)"
accepts device explore "${small[@]}" --json
[ "$(measured)" = '"measured": 0' ] || complain "measured again: $(measured)"
accepts device explore "${small[@]}"
prints '^  6 variants planned: 6 known before, 0 measured now'
prints '^  (counters: |no counters: )[a-z]'
prints '^  bandwidth +[0-9.]+ GB/s, by [0-9]+ objects in soa$'
[ "$(grep -c 'objects in soa' "$work/log/out")" -eq 1 ] || complain "the bandwidth's objects twice"
prints '^Kernels alone$'
prints '^  sparsity |^Sparsity '
accepts device explore --show --json
fits device explore
accepts device explore "${small[@]}" --again --json
[ "$(measured)" = '"measured": 6' ] || complain "not measured again: $(measured)"
ls "$TMPDIR" | grep '^heddle-' >/dev/null && complain "left temporary files"

# Variants are jobs like others, also of what is known.
accepts device explore "${small[@]}" --keep kept/here --json
[ "$(measured)" = '"measured": 0' ] || complain "measured to be kept: $(measured)"
accepts run "kept/here/objects=2048.yaml"
accepts advise --costs "kept/here/sparsity=4,objects=2048.yaml" --layout soa
cp -r kept/here before
rm kept/here/*
accepts device explore "${small[@]}" --again --keep kept/here
diff -r before kept/here >"$work/log/fault" || complain "$(cat "$work/log/fault")"

# ---- without a device -----------------------------------------------------------------

refuses "model runs nothing on a device, and goes with no DEVICE" device explore --model h200 0:0
refuses "no_such" device explore --model no_such
modelled=(device explore --model tesla-k20c "${small[@]:0:6}")
OCL_ICD_VENDORS=$work/log/none accepts "${modelled[@]}" --json
fits device explore
[ "$(measured)" = '"measured": 12' ] || complain "not 12 modelled: $(measured)"
prints '"predicted": true'
prints '"bandwidth": null'
grep -q "no point was timed and metered" "$work/log/out" && complain "no watts"
accepts "${modelled[@]}" --pictures model/pictures
[ -s "model/pictures/sparsity,objects=2048-power.svg" ] || complain "$(ls model/pictures)"
grep -q 'Time.*modelled' "model/pictures/sparsity,objects=2048-time.svg" || complain "a measured time"
prints '^  times +modelled, not measured; of kernels alone$'
prints '^  times +modelled, not measured; of whole runs, with transfers$'
prints '^  value .*least time .*least .*power$'
prints '( |^)W$'
prints '^tesla-k20c \(device profile\)$'
prints '0 measured now'
accepts device explore --show tesla-k20c
accepts device explore --model radeon-fiji "${small[@]:0:6}" --json # which shares more of the host's memory
[ "$(measured)" = '"measured": 16' ] || complain "not 16 modelled: $(measured)"
prints '"placement": "coarse"'
OCL_ICD_VENDORS=$work/log/none accepts "${modelled[@]:0:8}" --vary placement=device,device \
    --vary layout=soa,soa --json # of what is known what was asked for
[ "$(measured)" = '"measured": 0' ] || complain "not known: $(measured)"
grep -Eq '"(host|aos)"' "$work/log/out" && complain "what was not asked for"
refuses 'modelled energy is not known for .*add energy' device explore \
    --model "warp:32 l1:48k/128 l2:768k/32 w:1,30,100 blocks:8 threads:1536 regs:32768 sms:14 l1tags:128/4 l2tags:128/16"

# ---- explorations that end early --------------------------------------------------------
# A point is whole after 2 variants' checks, timings and whole runs, and is not measured again.

early() {
    rm -f "$HEDDLE_DATABASE"
    with "$@" -- device explore "${small[@]}"
}
goes_on() {
    accepts device explore "${small[@]}" --json
    local now
    now=$(measured | grep -o '[0-9]*$')
    [ "$now" -gt 0 ] && [ "$now" -lt 6 ] || complain "went on with $now of 6 variants"
}

early LOST_DEVICE_AFTER=14
ends 2 'error: cannot run kernel .micro. on .*: CL_DEVICE_NOT_AVAILABLE'
ends 2 'note: [24] of 6 variants are measured; they are kept, and the same command goes on'
goes_on
early LOST_DEVICE_AFTER=0
ends 2 'note: 0 of 6 variants are measured'
early LOST_BUILDS_AFTER=0
ends 2 'no variant could be run'
early SIGNAL_AFTER=14 SIGNAL=15
ends 130 'warning: stopped by a signal with [24] of 6 variants measured; they are kept'
goes_on
early SIGNAL_AFTER=14 SIGNAL=9 2>"$work/log/shell" # which says that it was killed
[ "$status" -eq 137 ] || complain "killed: exit status $status, not 137"
goes_on
rm -f "$HEDDLE_DATABASE"
long=(--vary sparsity=1..64 --vary layout=aos,soa --meter model --repeats 1)
call device explore --fix objects=2048 "${long[@]}" --budget 4s
ends 0 'warning: the budget ended with [0-9]+ of 260 variants measured; they are kept'
rm -f "$HEDDLE_DATABASE"
call device explore --fix objects=4194304 "${long[@]}" --budget 600ms
ends 2 'warning: the budget ended too soon, give it more: with 0 of 260 variants measured'

# ---- pictures ---------------------------------------------------------------------------

accepts device explore "${small[@]}" --out page.html --pictures new/pictures
[ -s "new/pictures/sparsity,objects=2048-time.svg" ] || complain "$(ls new/pictures)"
grep -q '<svg' page.html || complain "a page without pictures"
accepts device explore --fix objects=2048 --vary sparsity=1,4 --vary placement=device,host --repeats 1
prints '^Whole runs, with transfers$'

# ---- where standard error is no terminal -------------------------------------------------

early CLOCK_STEP=20
ends 0 '^heddle: note: measuring [a-z0-9 =]+: [0-9]+%, about '
finish
