# Training on whatever OpenCL device there is, with few kernels: what is kept, what is shown, and
# trainings that end early.
source "$(dirname "$0")/lib.sh"
source "$source_folder/tests/cli/ready.sh"
export HEDDLE_DATABASE=$work/log/profiles.db
export TMPDIR=$work/log/tmp
mkdir "$TMPDIR"
need_shim
small=(--bytes 4 --lengths 128,256 --repeats 1) # one shape: 17 builds, 34 timings for each length

# ends STATUS PATTERN: the last call ended so, printed nothing, and said this.
ends() {
    [ "$status" -eq "$1" ] || complain "exit status $status, not $1"
    [ ! -s "$work/log/out" ] || complain "wrote on standard output"
    grep -Eq -- "$2" "$work/log/err" || complain "no message matches: $2"
}

# ---- the command line ------------------------------------------------------------

refuses "lengths takes some of 128, 256, .*16384, .*not '100'" device train --lengths 100
refuses "lengths takes some of .*not '128,'" device train --lengths 128,
refuses "lengths takes some of .*not '128;256'" device train --lengths '128;256'
refuses "bytes takes some of 4, 8, .*128, .*not '8,7'" device train --bytes 8,7
refuses "repeats takes at most 1000" device train --repeats 1001
refuses "--again and --show: choose one" device train --show --again
refuses "'b' is one word too many" device train a b
refuses "no OpenCL device is called 'no_such_device'" device train no_such_device
refuses "no tree was learned yet; 'heddle device train' measures" device train --show
refuses "no tree was learned yet; 'heddle device train xyz' measures" device train --show xyz

# ---- a training, and what is kept of it ---------------------------------------------

accepts device train "${small[@]}"
prints '^Tile by bytes of a cluster on '
prints '^  (above: |up to [0-9]+: )?(AoS|SoA|[0-9]+)$'
prints '^  from 2 kernels and [0-9]+ patterns?, measured now: 2$'
prints "^  for a program a tile is a proposal: 'heddle advise --budget TIME' races it$"
# As a figure of a profile it is read again, and selects.
{ cat "$source_folder/devices/h200.yaml"
  tr '\n' ' ' <"$work/log/out" | grep -o 'tiles: {value: "[^}]*}'; } >learned.yaml
tree=$(sed -n 's/^tiles: {value: "\([^"]*\)".*/\1/p' learned.yaml)
prints '^  left out, in 2 folds +[0-2] of 2 '
grep -v 'measured now' "$work/log/out" >"$work/log/first"
accepts device list learned.yaml
prints "^  tiles +$tree\$"
accepts advise --graph "$source_folder/examples/nbody4/nbody4-small.yaml" --device learned.yaml
prints '^Graph and tree select '
accepts device train "${small[@]}"
prints 'measured now: 0$'
grep -v 'measured now' "$work/log/out" | cmp -s - "$work/log/first" ||
    complain "the same measurements gave another tree"
accepts device train --show
prints '^  from 2 kernels and [0-9]+ patterns?, learned on 20[0-9-]+$'
grep -v 'learned on' "$work/log/out" | cmp -s - "$work/log/first" ||
    complain "the tree that is kept is another"
device=$(sed -n 's/^Tile by bytes of a cluster on \(.*\) (.*)$/\1/p' "$work/log/out")
accepts device train --show "$device"
accepts device train --show 0:0
refuses "no tree of a device called 'xyz'; there are those of" device train --show xyz
accepts device train --lengths 512 --bytes 4 --repeats 1
prints '^  from 3 kernels .*measured now: 1$'
accepts device train "${small[@]}" --again
prints '^  from 2 kernels .*measured now: 2$'
# Drivers that keep what they compiled find it again: no folder is named that comes and goes.
with BUILD_OPTIONS="$work/log/options" -- device train "${small[@]}" --again
[ "$(wc -l <"$work/log/options")" -eq 17 ] || complain "not 17 builds"
! grep -q -- -I "$work/log/options" || complain "a build names a folder"
ls "$TMPDIR" | grep '^heddle-' >/dev/null && complain "left temporary files"

# ---- trainings that end early --------------------------------------------------------
# Of each, the first kernel is whole after 34 timings, and is not measured again.

early() {
    rm -f "$HEDDLE_DATABASE"
    with "$@" -- device train "${small[@]}"
}
goes_on() {
    accepts device train "${small[@]}"
    prints "measured now: $1\$"
    prints '^  from 2 kernels '
}

early LOST_DEVICE_AFTER=40
ends 2 'error: cannot run kernel .train. on .*: CL_DEVICE_NOT_AVAILABLE'
ends 2 'note: 1 of 2 kernels are measured and kept; the same command goes on'
[ "$(grep -c 'error: ' "$work/log/err")" -eq 1 ] || complain "not one error"
goes_on 1

early LOST_DEVICE_AFTER=0
ends 2 'note: 0 of 2 kernels are measured'

early LOST_BUILDS_AFTER=3
ends 2 'error: .*does not compile it \(CL_BUILD_PROGRAM_FAILURE\)'
ends 2 'note: 0 of 2 kernels are measured'

for signal in 15 2; do
    early SIGNAL_AFTER=50 SIGNAL=$signal
    ends 130 'warning: stopped by a signal with 1 of 2 kernels measured; they are kept'
done
goes_on 1
ls "$TMPDIR" | grep '^heddle-' >/dev/null && complain "left temporary files"
early SIGNAL_AFTER=50 SIGNAL=9 2>"$work/log/shell" # which says that it was killed
[ "$status" -eq 137 ] || complain "killed: exit status $status, not 137"
goes_on 1

# ---- databases that are no good: it works without, and leaves them as they are ----------

# without PATTERN: a training says this once, and the file stays.
without() {
    cp "$HEDDLE_DATABASE" "$work/log/before"
    call device train "${small[@]}"
    [ "$status" -eq 0 ] || complain "exit status $status, not 0"
    prints 'measured now: 2$'
    [ "$(wc -l <"$work/log/err")" -eq 1 ] || complain "not one warning"
    grep -Fq "$HEDDLE_DATABASE: warning: " "$work/log/err" || complain "the file is not named"
    grep -Eq "$1.*HEDDLE_DATABASE" "$work/log/err" || complain "no warning matches: $1"
    cmp -s "$HEDDLE_DATABASE" "$work/log/before" || complain "the file has changed"
}

cp "$HEDDLE_DATABASE" "$work/log/good"
printf '\0\0\0\11' | dd of="$HEDDLE_DATABASE" bs=1 seek=60 conv=notrunc status=none
without 'has version 9, and this heddle knows version 2; use the newer heddle'
cp "$work/log/good" "$HEDDLE_DATABASE"
head -c 3000 /dev/zero | tr '\0' x |
    dd of="$HEDDLE_DATABASE" bs=1 seek=8192 conv=notrunc status=none
without 'damaged|malformed'
export HEDDLE_DATABASE=$work/log/good/below/profiles.db
refuses 'no tree was learned yet' device train --show
grep -Fq "$HEDDLE_DATABASE: warning: " "$work/log/err" || complain "the file is not named"
grep -q 'name a file that can be written in HEDDLE_DATABASE' "$work/log/err" || complain "no mend"

# ---- where it is ---------------------------------------------------------------------------

unset HEDDLE_DATABASE
call_home() { env -u XDG_DATA_HOME "$@" "$heddle" device train --show >"$work/log/out" 2>"$work/log/err"; }
call_home HOME="$work/log/home"
[ -f "$work/log/home/.local/share/heddle/profiles.db" ] || complain "not in ~/.local/share"
call_home HOME="$work/log/home" XDG_DATA_HOME="$work/log/data"
[ -f "$work/log/data/heddle/profiles.db" ] || complain "not in XDG_DATA_HOME"
call_home -u HOME
grep -q 'neither HOME nor HEDDLE_DATABASE' "$work/log/err" || complain "no warning without HOME"

finish
