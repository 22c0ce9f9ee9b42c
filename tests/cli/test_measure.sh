# Two versions of a kernel on whatever OpenCL device there is.
source "$(dirname "$0")/lib.sh"
source "$source_folder/tests/cli/ready.sh"

accepts measure body.yaml --layout soa --repeats 3
prints '^(struct )?body on '
prints '^  original +[0-9.]+ (ns|us|ms|s) '
prints '^  soa .*[0-9]x$'
prints '^  speed-up: the median of the ratios of neighbouring runs \(quartiles '
prints 'the ratio of the median times is [0-9.]+x$'
prints '^  outputs equal: yes$'
accepts measure body.cl --layout '{x,y}{tag}/da' --repeats 1
prints '^  outputs equal: yes$'

# Placements: whole runs, said apart; what the device lacks is said.
accepts measure body.yaml --layout soa --placement host --repeats 3
prints '^  version +placement +to device +kernels +from device +whole +runs +speed-up$'
prints '^  original +device '
prints '^  soa +host .*[0-9]x$'
prints '^  speed-up of whole runs: '
prints '^  outputs equal: yes$'
accepts measure body.yaml --placement device --repeats 1
prints '^  aos +device '
sed 's/name: bodies$/&\n    placement: host/' body.yaml >placed.yaml
accepts measure placed.yaml --layout soa --repeats 1 --json
prints '"original_placement": "host"'
prints '"rewritten_placement": "host"'
prints '"whole": null'
refuses "body.yaml:[0-9]+:[0-9]+: error: buffer '.*' cannot lie in managed memory on .*: managed memory is CUDA's" \
    measure body.yaml --layout soa --placement managed
refuses "error: --placement: unknown placement 'here'; there are: device, host, fine, coarse, managed, hinted" \
    measure body.yaml --layout soa --placement here
need_shim
for lack in 'SVM_CAPABILITIES=1 fine no fine-grained shared' 'SVM_CAPABILITIES=0 coarse no shared'; do
    read -r setting placement reported <<<"$lack"
    with "$setting" -- measure body.yaml --layout soa --placement "$placement"
    [ "$status" -eq 2 ] || complain "$lack: exit status $status, not 2"
    grep -Eq "cannot lie in $placement-grained shared memory on .*: its driver reports $reported virtual" \
        "$work/log/err" || complain "$lack: $(cat "$work/log/err")"
done
refuses "error: .*no_such_device" measure body.yaml --layout soa --on no_such_device
refuses "error: " measure body.yaml --layout soa --on 99:99
# Where standard error is no terminal a line a minute says how far it is.
with CLOCK_STEP=20 -- measure body.yaml --layout soa
says '^heddle: note: measuring: [0-9]+%$'
with CLOCK_STEP=20 -- measure body.yaml --layout soa --quiet
[ ! -s "$work/log/err" ] || complain "--quiet said something"
# Energy: the model, a command in a meter's place, and meters that cannot be read.
accepts measure body.yaml --layout soa --repeats 1 --energy --meter model
prints '^Energy of a run, modelled$'
prints '^  original +[0-9.]+ (n|u|m|)J .* -$'
prints '^  soa +[0-9.]+ (n|u|m|)J .* [0-9.]+x$'
prints "^  energy: modelled from the device's profile, not metered; one run, idle$"
accepts measure body.yaml --layout soa --repeats 1 --energy --meter model --subtract-idle \
    --device "warp:8 l1:0 l2:0 w:1,2,3 blocks:1 threads:8 regs:99 maxregs:9"
prints '^  energy of both is missing: modelled energy is not known for synthetic: add'
accepts measure body.yaml --layout soa --repeats 1 --energy --meter-command 'echo 45.5 W'
prints '^Energy of a run$'
prints '^  soa +[0-9.]+ (n|u|m|)J +45.5 W +45.5 W .*[0-9.]%'
prints '^  energy: metered by command; one run, idle power included;'
accepts measure body.yaml --placement host --repeats 1 --energy --meter model
prints '^  aos +[0-9.]+ (n|u|m|)J '
# One that fails in the middle: times stand, and the energy is missing.
cat >fails <<'END'
echo >>asked
[ $(wc -l <asked) -lt 9 ] && echo 45 W
END
accepts measure body.yaml --layout soa --repeats 1 --energy --meter-command 'sh fails' --json
fits measure
prints '"missing": "the command ended with status 1; run it by hand"'
prints '"equal": true'
refuses "error: the meter command cannot be read: no command was given: --meter-command CMD" \
    measure body.yaml --layout soa --energy --meter command
refuses "error: the meter command cannot be read: the command printed 'much'; it must print one" \
    measure body.yaml --layout soa --energy --meter-command 'echo much'
refuses "error: the meter command cannot be read: it stalled: nothing new for 1" \
    measure body.yaml --layout soa --energy --meter-command 'echo 5 J'
refuses "error: there is no meter 'scales'; known are nvml.*, command, model$" \
    measure body.yaml --layout soa --energy --meter scales
refuses "error: --subtract-idle goes with --energy" measure body.yaml --layout soa --subtract-idle
# A profile of the device, which other commands take.
refuses "error: no device is called 'no_such_device'; there are: " device probe no_such_device
accepts device probe 0:0
cp "$work/log/out" printed.yaml
accepts device list printed.yaml
accepts device probe 0:0 -o mine.yaml
prints '^mine: '
prints '^  from +mine.yaml$'
grep -q '^# Probed: OpenCL 0:0 ' mine.yaml || complain "the profile does not say of which device"
accepts advise --costs body.yaml --device mine.yaml
accepts device probe 0:0 --json
prints '"warp": [0-9]'

# What cannot be rewritten is an error, but the ranking holds all the same.
given cast.cl
call advise cast.cl --measure
[ "$status" -eq 2 ] || complain "exit status $status, not 2"
prints '^Layouts on h200'
prints '^Verdict for h200: leave it as it is; .* cannot rewrite these kernels: cast.cl:3:'
! grep -q 'heddle apply' "$work/log/out" || complain "names a command that is refused, too"
grep -Eq 'cast.cl:3:[0-9]+: error: ' "$work/log/err" || complain "the cast is not located"
refuses "cast.cl:3:[0-9]+: error: " advise cast.cl --measure --json

# Kernels in several files, from a folder with other files of the same names.
mkdir parts elsewhere
cat >parts/pair.h <<'END'
typedef struct pair { float a; int b; } pair;
END
cat >parts/part.cl <<'END'
#include "pair.h"
__kernel void k(__global pair *p) { p[get_global_id(0)].a += p[get_global_id(0)].b; }
END
echo '#include "part.cl"' >parts/all.cl
cat >parts/all.yaml <<'END'
kernel: all.cl
buffers: [{name: p, type: pair, count: 256, init: [{field: b, generator: iota}]}]
launches: [{kernel: k, global: [256], args: [{name: p, buffer: p}]}]
END
echo 'typedef struct pair { double c; } pair;' >elsewhere/pair.h
echo '__kernel void k(__global int *p) {}' >elsewhere/part.cl
for folder in parts elsewhere; do
    cd $folder || exit 2
    accepts measure ../parts/all.yaml --layout soa --repeats 1
    prints '^  outputs equal: yes$'
    cd ..
done

finish
