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
