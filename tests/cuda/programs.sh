# For the scripts of this folder that run programs/, once built.

# check_program FILE: what FILE has become, under watch, does what its head says.
check_program() {
    local name wanted=0 line
    name=$(basename "$1" .cu)
    call watch --device h100 -- "./$name"
    grep -q '^// faults' "$1" && wanted=2
    [ "$status" -eq "$wanted" ] || complain "watch $name: exit status $status, not $wanted"
    prints '^as expected$'
    [ "$wanted" = 0 ] || grep -q ': error: ' "$work/log/err" || complain "$name: no fault is told"
    while read -r line; do
        grep -qxF -- "$line" "$work/log/out" || complain "$name does not print: $line"
    done < <(sed -n 's,^// prints: ,,p' "$1")
}

# replays FOLDER: all of its jobs, to what was expected
replays() {
    local job
    for job in "$1"/*.yaml; do
        accepts run --check expected "$job"
        prints '^Equal to the reference: yes$'
    done
}

# check_recording FILE: what FILE has become is recorded, and leaves in memory, launch by launch, what
# it left then. False: it launches nothing.
check_recording() {
    local name
    name=$(basename "$1" .cu)
    grep -q '<<<\|Launch' "$1" || return
    call record --device h100 -o "of-$name" -- "./$name" # some fault, as they expect
    [ "$status" -eq 0 ] || complain "record $name: exit status $status"
    prints '^as expected$'
    replays "of-$name"
}
