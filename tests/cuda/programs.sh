# For the scripts of this folder that run programs/, once built, with nvcc or, by these functions, with
# clang and PTX. Sourced after ../cli/lib.sh.
kept=$source_folder/tests/cuda/kept
programs=$source_folder/tests/cuda/programs
libraries=$(dirname "$heddle")/cuda
clang=$(sed -n 's/^CLANG_PROGRAM:FILEPATH=//p' "$(dirname "$heddle")/CMakeCache.txt")

# compile NAME SOURCE: NAME.o from the source, with the PTX of NAME.fatbin.
compile() {
    "$clang" -x cuda --cuda-host-only --cuda-path=/no/toolkit -nocudainc -std=c++17 -w \
        -Xclang -target-sdk-version=12.5 -Xclang -fcuda-include-gpubinary -Xclang "$1.fatbin" \
        -isystem "$("$clang" -print-resource-dir)/include/cuda_wrappers" \
        -isystem "$source_folder/src/frontend/clang/cuda" \
        -isystem "$source_folder/src/frontend/clang/cuda/own" -I"$source_folder/src" \
        -include "$kept/runtime.h" -c -o "$1.o" "$2"
}
# link NAME: the program from NAME.o.
link() {
    g++ -o "$1" "$1.o" "$libraries/libcudart.so.13" -Wl,-rpath-link,"$libraries" -lpthread
}
# build_kept FILE: the program that it is, with the PTX beside it.
build_kept() {
    local name
    name=$(basename "$1" .cu)
    python3 "$kept/fatbin.py" "$name.ptx" "$name.fatbin" && compile "$name" "$1" &&
        link "$name"
}
export -f compile link build_kept
export source_folder kept programs libraries clang

# check_program FILE: what FILE has become, under `heddle run`, does what its head says.
check_program() {
    local name wanted=0 line
    name=$(basename "$1" .cu)
    call run --device h100 -- "./$name"
    grep -q '^// faults' "$1" && wanted=2
    [ "$status" -eq "$wanted" ] || complain "run $name: exit status $status, not $wanted"
    prints '^as expected$'
    [ "$wanted" = 0 ] || grep -q ': error: ' "$work/log/err" || complain "$name: no fault is told"
    while read -r line; do
        grep -qxF -- "$line" "$work/log/out" || complain "$name does not print: $line"
    done < <(sed -n 's,^// prints: ,,p' "$1")
}

# replays FOLDER: all that was recorded, to what was expected
replays() {
    local job
    for job in "$1"/job*.yaml; do
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
    return 0
}

# check_source JOB FILE: what Heddle compiles of FILE does what nvcc's PTX did, but for the last bits where
# FILE says that it rounds.
check_source() {
    call run --local-memory 262144 --check expected "$1"
    if grep -q '^// rounds' "$2"; then
        [ "$status" -le 1 ] || complain "run $1: exit status $status"
    else
        [ "$status" -eq 0 ] || complain "run $1: exit status $status"
    fi
}
