# For the scripts of this folder that run programs/, once built, with nvcc or, by these functions,
# with clang and PTX. Sourced after ../cli/lib.sh.
kept=$source_folder/tests/cuda/kept
programs=$source_folder/tests/cuda/programs
libraries=$(dirname "$heddle")/cuda
clang=$(sed -n 's/^CLANG_PROGRAM:FILEPATH=//p' "$(dirname "$heddle")/CMakeCache.txt")

# compile NAME SOURCE OPTION...: NAME.o from the source, with the PTX of NAME.fatbin.
compile() {
    "$clang" -x cuda --cuda-host-only --cuda-path=/no/toolkit -nocudainc -std=c++17 -w \
        -Xclang -target-sdk-version=12.5 -Xclang -fcuda-include-gpubinary -Xclang "$1.fatbin" \
        -isystem "$("$clang" -print-resource-dir)/include/cuda_wrappers" \
        -isystem "$source_folder/src/frontend/clang/cuda" \
        -isystem "$source_folder/src/frontend/clang/cuda/own" -I"$source_folder/src" \
        -include "$kept/runtime.h" -c -o "$1.o" "${@:2}"
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

# one_program FILE...: the text of one program of all these. It runs those that it is asked for, or
# all, each after a line "=== NAME".
one_program() {
    local file name
    printf '#include <%s>\n' cstdio cstring
    sed -n '/^#include/p' "$@" | sort -u
    for file; do
        sed "/^#include/d; s/^int main()/int main_of_$(basename "$file" .cu)()/" "$file"
    done
    cat <<'END'
static int run(int count, char **asked, const char *name, int program()) {
    bool wanted = count == 1;
    for (int i = 1; i < count; i++)
        wanted |= !std::strcmp(asked[i], name);
    if (!wanted)
        return 0;
    std::printf("=== %s\n", name);
    int status = program();
    cudaGetLastError(); // which the next one must not find
    return status;
}
int main(int count, char **asked) {
    int status = 0;
END
    for file; do
        name=$(basename "$file" .cu)
        printf '    status |= run(count, asked, "%s", main_of_%s);\n' "$name" "$name"
    done
    printf '    return status;\n}\n'
}

# check_program FILE... -- PROGRAM [NAME]: what these files have become, under `heddle run`, does
# what their heads say.
check_program() {
    local files=() wanted=0 file line
    while [ "$1" != -- ]; do
        files+=("$1")
        shift
    done
    call run --device h100 "$@"
    ! grep -q '^// faults' "${files[@]}" || wanted=2
    [ "$status" -eq "$wanted" ] || complain "run $*: exit status $status, not $wanted"
    [ "$wanted" = 0 ] || grep -q ': error: ' "$work/log/err" || complain "$*: no fault is told"
    for file in "${files[@]}"; do
        awk -v name="$(basename "$file" .cu)" 'BEGIN {on = 1} /^=== / {on = $2 == name} on' \
            "$work/log/out" >"$work/said"
        while read -r line; do
            grep -qxF -- "$line" "$work/said" || complain "$file does not print: $line"
        done < <(echo 'as expected'; sed -n 's,^// prints: ,,p' "$file")
    done
}

# replays FOLDER: all that was recorded, to what was expected
replays() {
    local job
    for job in "$1"/job*.yaml; do
        accepts run --check expected "$job"
        prints '^Equal to the reference: yes$'
    done
}

# check_recording FOLDER FILE... -- PROGRAM [NAME]: what these files have become is recorded, and
# leaves in memory, launch by launch, what it left then: from nvcc's PTX, and as Heddle compiles the
# source, but for the last bits where a file says that it rounds.
check_recording() {
    local folder=$1 files=() most=0 job
    shift
    while [ "$1" != -- ]; do
        files+=("$1")
        shift
    done
    call record --device h100 -o "$folder" "$@" # some fault, as they expect
    [ "$status" -eq 0 ] || complain "record $*: exit status $status"
    [ "$(grep -cx 'as expected' "$work/log/out")" -eq ${#files[@]} ] ||
        complain "record $*: not as expected"
    cp "$work/log/out" "$folder/said"
    replays "$folder"
    ! grep -q '^// rounds' "${files[@]}" || most=1
    for job in "$folder"/source*.yaml; do
        [ -e "$job" ] || continue
        call run --local-memory 262144 --check expected "$job"
        [ "$status" -le "$most" ] || complain "run $job: exit status $status"
    done
}
