#!/bin/bash
# The examples' hosts, as they are, with their kernels and buffers in other layouts.
source "$(dirname "$0")/../cli/lib.sh"
source "$source_folder/tests/cli/ready.sh"
export HEDDLE_DATABASE=$work/profiles.db

# outcome FILE: what an example prints, without its times.
outcome() { grep -m 1 -E '^(equal|different)' "$1" | sed 's/, kernels took.*//'; }

for example in 'bitonic element soa' 'blackscholes option aosoa:64' 'sampo agent soa' 'nbody4 body soa'; do
    read -r name record layout <<<"$example"
    program=$(HEDDLE=$heddle bash "$source_folder/examples/build.sh" "$name" '' "$work/$name") || { complain "$name is not built"; continue; }
    arguments=()
    [ "$name" != sampo ] || arguments=(65536)
    [ "$name" != nbody4 ] || arguments=(1024)
    "$program" "${arguments[@]}" >own
    accepts apply --layout "$record=$layout" --verify -- "$program" "${arguments[@]}"
    [ "$(outcome "$work/log/out")" = "$(outcome own)" ] || complain "$name prints something else"
    prints "^  *$record  *$layout "
    prints '^Both forms left the same'
done

# --json, and what is not there.
call apply --layout agent=soa --json -- "$work/sampo/sampo" 65536
[ "$status" = 0 ] || complain "--json: status $status"
for member in '"exchanged": 36,' '"record": "agent",' '"left_out": \[\]' '"races": \[\]'; do
    grep -q "$member" "$work/log/out" || complain "--json has no $member"
done
call apply --layout nosuch=soa -- "$work/sampo/sampo" 65536
[ "$status" = 2 ] || complain "of a record that is not there: status $status"
says "no kernel of .* has a record that --layout names"
call apply --layout soa -- true
[ "$status" = 2 ] || complain "of a program without OpenCL: status $status"
says 'has made no OpenCL call'
refuses 'which layout' apply -- true
refuses 'verify' apply --layout soa --verify --out new -- true

# Found once, and remembered.
accepts apply --auto -- "$work/sampo/sampo" 262144
cp "$work/log/out" first
prints '^(agent=.*: kernels take|Left as it is: )'
accepts apply --auto -- "$work/sampo/sampo" 262144
prints '(as an earlier run found)'
[ "$(outcome first)" = "$(outcome "$work/log/out")" ] || complain '--auto prints something else'
accepts apply --auto --again -- "$work/sampo/sampo" 262144
call apply --auto --layout soa -- true
[ "$status" = 2 ] || complain "--auto with --layout: status $status"

# Without the command.
layer=$(dirname "$heddle")/libheddle-layer.so
OPENCL_LAYERS=$layer HEDDLE_LAYER='apply agent=soa' "$work/sampo/sampo" 65536 >out 2>err || complain 'HEDDLE_LAYER=apply'
grep -q 'agent as soa: converted 1 times and back 1 times' err || complain "of apply: $(cat err)"
OPENCL_LAYERS=$layer HEDDLE_LAYER="record $work/run" "$work/bitonic/bitonic" >out 2>err || complain 'HEDDLE_LAYER=record'
accepts run --check expected "$work/run"
prints '^Equal to the reference: yes'
# A loader that takes no layer.
OPENCL_LAYERS=/nosuch.so "$work/bitonic/bitonic" >out 2>err || complain 'a layer that is not there'
finish
