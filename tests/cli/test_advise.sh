# `heddle advise --budget`: layouts raced on whatever OpenCL device there is, answers from before,
# and none where anything has changed.
source "$(dirname "$0")/lib.sh"
export HEDDLE_DATABASE=$work/log/profiles.db
export TMPDIR=$work/log/tmp
mkdir "$TMPDIR"
need_shim # all calls are with it, so that one heddle stands ready
LD_PRELOAD=$shim source "$source_folder/tests/cli/ready.sh"
call() { with NOTHING=1 -- "$@"; }

# remembers WHAT ARGUMENTS: the answer is there without a run: the device is lost at once.
remembers() {
    local what=$1
    shift
    with LOST_DEVICE_AFTER=0 -- "$@"
    [ "$status" -eq 0 ] || complain "$what: exit status $status, not 0"
    prints '^  measured on 20[0-9-]+T[0-9:]+Z; --again measures anew$'
}

# asks WHAT [VARIABLE=VALUE] ARGUMENTS: it must be measured, so that the lost device is an error.
asks() {
    local what=$1 setting=NOTHING=1
    shift
    case $1 in *=*) setting=$1; shift ;; esac
    with LOST_DEVICE_AFTER=0 "$setting" -- "$@"
    [ "$status" -eq 2 ] || complain "$what: exit status $status, not 2"
    grep -q 'CL_DEVICE_NOT_AVAILABLE' "$work/log/err" || complain "$what: nothing was run"
}

# ---- the command line -----------------------------------------------------------------

refuses "budget takes a time over 0 as 60s, 500ms or 2m, not '0s'" advise body.yaml --budget 0s
refuses "budget takes a time .*not '-3s'" advise body.yaml --budget=-3s
refuses "budget takes a time .*not 'soon'" advise body.yaml --budget soon
refuses "budget takes a time .*not '5h'" advise body.yaml --budget 5h
refuses "budget takes a time .*not 'inf'" advise body.yaml --budget inf
refuses "--budget and --measure: choose one" advise body.yaml --budget 1s --measure
refuses "again goes with --budget" advise body.yaml --again
refuses "placements: unknown placement 'there'; there are: device, host, fine" \
    advise body.yaml --budget 1s --placements host,there
refuses "placements: unknown placement ''; there are: " advise body.yaml --budget 1s --placements host,
refuses "no OpenCL device is called 'no_such'" advise body.yaml --budget 1s --on no_such --json
refuses "no OpenCL device is called 'cuda:0', and kernels in OpenCL C run on no other" \
    advise body.yaml --budget 1s --on cuda:0 --json

# ---- a race, and the answer from before --------------------------------------------------

cat >k.h <<'END'
#define STEP 1
END
echo '#define TIMES 2' >macros.h
sed -e '1i #include "k.h"' -e '1i #include "macros.h"' -e 's/\* dt/* dt * STEP/' body.cl >near.cl
sed 's/body.cl/near.cl/' body.yaml >near.yaml
# So many rounds, however long they take.
long=(--budget 10m --repeats 12)
asked=(advise near.yaml "${long[@]}")
accepts "${asked[@]}"
prints '^Measured on .*: (1 layout|(1[0-9]+|[02-9][0-9]*) layouts) and the original, [0-9]+ rounds?, '
prints '^  proposed by: 1 '
prints '^  aos +[0-9.]+ .*original'
prints '^  soa +[0-9.]+ .*'
prints 'heddle device train'
prints '^Verdict: '
! grep -q 'measured on 20' "$work/log/out" || complain "remembers what it never asked"
! grep -q '^Verdict for' "$work/log/out" || complain "static cost advises beside the device"
grep '^Verdict' "$work/log/out" >"$work/log/verdict"
remembers "the same in other words" advise near.yaml --budget 600s --repeats 12
grep '^Verdict' "$work/log/out" | cmp -s - "$work/log/verdict" || complain "another verdict"
with LOST_DEVICE_AFTER=0 -- "${asked[@]}" --json
[ "$status" -eq 0 ] || complain "the same again: exit status $status, not 0"
for member in '"remembered": true' '"verdict": "' '"end": "finished"' '"ratio_low": ' \
    '"backend": "opencl"' '"winner": [0-9]'; do
    prints "$member"
done
asks "--again" "${asked[@]}" --again
remembers "after a failure" "${asked[@]}"

# ---- objectives ---------------------------------------------------------------------------------

# What takes minutes says how far it is.
with CLOCK_STEP=20 -- advise body.yaml --run all
says '^heddle: note: (counting|simulating layouts|counting layouts): [0-9]+%$'
with CLOCK_STEP=20 -- advise body.yaml --budget 9m --repeats 3
says '^heddle: note: building layout [0-9]+ of [0-9]+: [0-9]+%, about '
with CLOCK_STEP=70 -- apply body.yaml --layout soa -o checked
says '^heddle: note: checking on the machine: [0-9]+%$'
rm -r checked

# A device of which every level is as fast as the next, but memory alone takes energy.
hungry="warp:32 l1:48k/32 l2:768k/32 w:1,1,1 blocks:8 threads:1536 regs:32768 maxregs:63 segment:32"
hungry+=" energy:1,1,1,1,1,900000,0,0"
frugal=(advise body.yaml --budget 9m --repeats 12 --objective energy --meter model)
accepts "${frugal[@]}" --device "$hungry"
prints "^Verdict: soa, at 0.667 of the original's energy \\(0.667 to 0.667\\), modelled; of"
prints '^  layout +time +energy +to original '
prints '^  soa +[0-9.]+ .s +[0-9.]+ mJ +0.667 .*'
prints "^  to original: the median of the ratios to the original's energy in the same"
asks "other figures of energy" "${frugal[@]}" --device "${hungry/900000/800000}"
asks "another objective" "${frugal[@]/energy/edp}" --device "$hungry"
asks "the time" advise body.yaml --budget 9m --repeats 12 --device "$hungry"
with LOST_DEVICE_AFTER=0 -- "${frugal[@]}" --device "$hungry" --json
[ "$status" -eq 0 ] || complain "the same objective: exit status $status, not 0"
fits advise
prints '"remembered": true'
prints '"objective": "energy"'
prints '"energy_source": "model"'
prints '"joules": [0-9]'
accepts advise body.yaml --budget 2s --repeats 3 --objective edp --meter-command 'echo 45 W' --json
fits advise
prints '"energy_source": "command"'
cat >"$work/fails" <<END
echo >>"$work/asked"
[ \$(wc -l <"$work/asked") -lt 40 ] && echo 45 W
END
refuses "error: the energy of a run is missing: the command ended with status 1; .*--meter model" \
    advise body.yaml --budget 10m --objective energy --json --meter-command "sh $work/fails"
refuses "error: modelled energy is not known for synthetic: add energy: to its profile" \
    advise body.yaml --budget 2s --objective energy --meter model --json \
    --device "${hungry/ energy*/}"
refuses "objective: unknown objective 'joy'; there are: time, energy, edp" \
    advise body.yaml --objective joy
refuses "meter goes with --budget and --objective energy or edp" \
    advise body.yaml --budget 1s --meter model
refuses "there is no meter 'scales'; known are " \
    advise body.yaml --budget 1s --objective energy --meter scales --json

# ---- what has changed is asked again --------------------------------------------------------

cp near.cl same.cl
sed -i 's/bodies\[i\].y \* dt/bodies[i].y * dt * 2/' near.cl
asks "another kernel" "${asked[@]}"
cp same.cl near.cl
echo '#define STEP 2' >k.h
asks "another header" "${asked[@]}"
echo '#define STEP 1' >k.h
echo '#define TIMES 3' >macros.h
asks "another header of macros" "${asked[@]}"
echo '#define TIMES 2' >macros.h
sed 's/256/512/' near.yaml >more.yaml
asks "another size" advise more.yaml "${long[@]}"
sed 's/seed: 1/seed: 2/' near.yaml >other.yaml
asks "other contents" advise other.yaml "${long[@]}"
sed 's/value: 0.5/value: 0.25/' near.yaml >value.yaml
asks "another argument" advise value.yaml "${long[@]}"
(cat near.yaml; echo 'tolerance: {relative: 0.1}') >loose.yaml
asks "another tolerance" advise loose.yaml "${long[@]}"
(cat near.yaml; echo 'options: -cl-fast-relaxed-math') >options.yaml
asks "other options" advise options.yaml "${long[@]}"
with LOST_DEVICE_AFTER=1000000 TMPDIR=/dev/null -- advise near.yaml --budget 11m --repeats 12
prints 'left out: .*cannot make a temporary folder'
asks "what the system hindered" advise near.yaml --budget 11m --repeats 12
asks "another budget" advise near.yaml --budget 4s --repeats 12
asks "another profile" "${asked[@]}" --device tesla-k20c
asks "another device" OTHER_DEVICE="Another device" "${asked[@]}"
asks "another driver" OTHER_DRIVER="9.9" "${asked[@]}"
remembers "all as it was" "${asked[@]}"

# ---- a tree of tiles --------------------------------------------------------------------------

accepts device train --bytes 4 --lengths 128,256 --repeats 1
asks "a device that was trained" "${asked[@]}"
accepts "${asked[@]}"
! grep -q 'heddle device train' "$work/log/out" || complain "asks for a training that was made"
prints 'graph$|graph and|and tree|tree,'

# Those of a profile are raced, too, and are no advice without a race: four bytes in tiles of 32.
tiled="warp:32 l1:48k/32 l2:768k/32 w:1,30,100 blocks:8 threads:1536 regs:32768"
asks "a profile with tiles" "${asked[@]}" --device "$tiled tiles:32"
accepts "${asked[@]}" --device "$tiled tiles:32"
tr -s '\n ' ' ' <"$work/log/out" | grep -q 'graph and tree of synthetic' ||
    complain "the tiles of a profile propose nothing"
asks "other tiles" "${asked[@]}" --device "$tiled tiles:64"
asks "another epsilon" "${asked[@]}" --device "$tiled tiles:32 epsilon:4"
accepts advise near.yaml --device "$tiled"
grep '^Verdict\|^   [1-9]  ' "$work/log/out" >"$work/log/untiled"
accepts advise near.yaml --device "$tiled tiles:32 epsilon:4"
grep '^Verdict\|^   [1-9]  ' "$work/log/out" | cmp -s - "$work/log/untiled" ||
    complain "tiles of a profile change the advice without a race"

# ---- layouts that are left out -------------------------------------------------------------------

# Padding is no field: only the original has what the file puts there.
cat >padding.cl <<'END'
typedef struct { char tag; int x; } cell;
__kernel void look(__global cell *cells) {
    int i = get_global_id(0);
    cell copy = cells[i];
    cells[i].x = ((const char *)&copy)[1 + copy.tag];
}
END
cat >padding.yaml <<'END'
kernel: padding.cl
buffers: [{name: cells, type: cell, count: 2, file: cells.bin}]
launches: [{kernel: look, global: [2], local: [1], args: [{name: cells, buffer: cells}]}]
END
printf '\0\7\7\7\0\0\0\0\0\7\7\7\0\0\0\0' >cells.bin
call advise padding.yaml "${long[@]}"
[ "$status" -eq 0 ] || complain "exit status $status, not 0"
grep -Eq "^padding.yaml: warning: soa is left out: the outputs differ: 'cells\[0\].x'" \
    "$work/log/err" || complain "no warning names what differs"
grep -Eq "^padding.yaml: note: .*'heddle run --races padding.yaml' tells" "$work/log/err" ||
    complain "says nothing of races"
prints "left out: .*outputs differ"
prints '^Verdict: leave it as it is; no layout that could be built leaves the same'
! grep -q 'heddle apply' "$work/log/out" || complain "advises a layout that computes another thing"

given cast.cl
accepts advise cast.cl "${long[@]}"
prints 'left out: .* and [0-9]+ more: cast.cl:3:[0-9]+: '
prints '^Verdict: no other layout could be measured, so static cost decides\.$'
prints '^Verdict for h200: leave it .* cannot rewrite these kernels: cast.cl:3:'
! grep -q 'heddle apply' "$work/log/out" || complain "names a command that is refused, too"

with LOST_DEVICE_AFTER=1000000 LOST_BUILDS_AFTER=1 -- advise body.yaml --budget 9m --repeats 12
prints 'left out: .*does not compile it \(CL_BUILD_PROGRAM_FAILURE\)$'

# ---- an original that does not agree with itself -------------------------------------------------

# One buffer, so that the second reading is that of the second run.
with UNSTABLE_READS=2 -- advise body.yaml --budget 10m
[ "$status" -eq 2 ] || complain "an unstable original: exit status $status, not 2"
[ "$(grep -c 'error: ' "$work/log/err")" -eq 1 ] || complain "an unstable original: not one error"
grep -Eq "^body.yaml: error: runs of the original leave different values, .*'bodies\[0\].x' is .* in one and .* in another;.*'heddle run --races body.yaml'" \
    "$work/log/err" || complain "an unstable original: no message"
prints '^Layouts on h200'
prints '^By static cost on h200: '
! grep -q '^Measured\|^Verdict:' "$work/log/out" || complain "an unstable original was measured"
# It agreed with itself at first.
with UNSTABLE_READS=3 -- advise body.yaml --budget 10m
[ "$status" -eq 2 ] || complain "unstable later: exit status $status, not 2"
grep -Eq 'error: runs of the original leave different values' "$work/log/err" ||
    complain "unstable later: no message"
with UNSTABLE_READS=2 -- measure body.yaml --layout soa --repeats 1
[ "$status" -eq 2 ] || complain "measure, unstable: exit status $status, not 2"
grep -Eq 'error: runs of the original leave different values' "$work/log/err" ||
    complain "measure, unstable: no message"
[ ! -s "$work/log/out" ] || complain "measure, unstable: a result"

# ---- signals: what was found till then ------------------------------------------------------------

with NOISY_TIMES=3 SIGNAL_AFTER=300 SIGNAL=2 -- advise body.yaml --budget 9m
[ "$status" -eq 130 ] || complain "SIGINT: exit status $status, not 130"
prints '^Layouts on h200'
prints '^Measured on .* layouts? and the original, [0-9]+ rounds?'
prints '^Verdict so far: '
grep -q 'warning: stopped by a signal after [0-9]* rounds; what was measured is kept$' \
    "$work/log/err" || complain "SIGINT: no warning"
asks "what a signal has stopped" advise body.yaml --budget 9m
with NOISY_TIMES=3 SIGNAL_AFTER=300 SIGNAL=15 -- advise body.yaml --budget 8m --json
[ "$status" -eq 130 ] || complain "SIGTERM: exit status $status, not 130"
prints '"stopped": true'
mkdir new
with SIGNAL_AFTER=8 SIGNAL=2 -- advise body.yaml --budget 9m --apply new
[ "$status" -eq 130 ] || complain "SIGINT early: exit status $status, not 130"
prints '^Verdict so far: stopped after [0-9]+ rounds, and [0-9]+ are the least that tell anything, so static cost decides\.$'
prints '^Verdict for h200: '
prints "^  heddle apply body.yaml --layout .* --out DIR"
grep -q ', and nothing is written$' "$work/log/err" || complain "SIGINT early: does not say what of --apply"
[ -z "$(ls new)" ] || complain "SIGINT early: wrote files"
# What needs no device is there at once: whoever kills it has that.
with SIGNAL_AFTER=1 SIGNAL=9 -- advise body.yaml --budget 9m 2>"$work/log/shell"
prints '^Layouts on h200'
prints '^By static cost on h200: .*\. The device decides\.$'

# ---- words that agree with the numbers -------------------------------------------------------------

# By chance some are slower, and the intervals are wide: "as fast" is who is within 1% of the least
# ratio of all, and who is not and is not surely slower is undecided.
for seed in 1 2; do
    with NOISY_TIMES=$seed -- advise body.yaml --budget 10m --repeats 16 --again
    [ "$status" -eq 0 ] || complain "noisy times: exit status $status, not 0"
    sed -n '/^Measured/,/^  to original:/p' "$work/log/out" | awk '
        $4 == "ns" || $3 == "us" || $3 == "ms" {
            if (!least) least = $4
            if (/as fast$/ && $4 > 1.0105 * least) print "as fast at", $4, "of", least
            if (/undecided$/ && $4 < 1.0095 * least) print "undecided at", $4, "of", least
            if (/as fast$|undecided$/) print "found", $NF >"/dev/stderr"
        }' >"$work/wrong" 2>>"$work/found"
    [ ! -s "$work/wrong" ] || complain "$(cat "$work/wrong")"
done
grep -q undecided "$work/found" || complain "nothing was undecided in two noisy races"
prints '^  to original: the median of the ratios'

# ---- nothing to measure ------------------------------------------------------------------------------

cat >good.cl <<'END'
typedef struct { float4 a; } whole;
__kernel void k(__global whole *p) { p[get_global_id(0)].a += 1.0f; }
END
accepts advise good.cl --measure --apply new
prints '^Verdict for h200: leave it as it is'
prints '^Nothing was measured: the advice is to leave'
prints '^Nothing is written to new: '
accepts advise good.cl --measure --json
prints '"unmeasured": "the advice is to leave the layout as it is'
accepts advise body.cl --measure --json
prints '"unmeasured": null'

# ---- a device that goes away, a budget that is too small ------------------------------------------

with LOST_DEVICE_AFTER=6 -- advise body.yaml "${long[@]}"
[ "$status" -eq 2 ] || complain "lost device: exit status $status, not 2"
[ "$(grep -c 'error: ' "$work/log/err")" -eq 1 ] || complain "lost device: not one error"
grep -Eq "error: cannot run kernel 'push' on .*: CL_DEVICE_NOT_AVAILABLE" "$work/log/err" ||
    complain "the loss is not told"
prints '^Layouts on h200'
asks "what was lost is not remembered" advise body.yaml "${long[@]}"
accepts advise body.yaml --budget 10m --repeats 3
prints '^Verdict: leave it .*--repeats allows only 3 rounds, and [0-9]+ are the least that tell anything\.$'
accepts advise body.yaml --budget 1ms
prints '^Verdict: the budget ended before anything could be measured, .* try --budget [0-9]+s\.$'

finish
