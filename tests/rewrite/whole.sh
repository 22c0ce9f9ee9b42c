# Programs in CUDA C before and after they are rewritten: built as one, run, and compared. For scripts
# that have read cli/lib.sh and set `whole` to the folder of the originals, and `standard` where they
# are newer than C++14; what becomes of PROGRAM lies in PROGRAM-rewritten/*/.
nvcc=${CUDA_PATH-${CUDA_HOME-/usr/local/cuda}}/bin/nvcc
[ -x "$nvcc" ] || nvcc=
clang=$(sed -n 's/^CLANG_PROGRAM:FILEPATH=//p' "$(dirname "$heddle")/CMakeCache.txt")
own=$source_folder/src/frontend/clang/cuda
export nvcc clang own
[ -n "$nvcc" ] || echo "there is no nvcc: programs are compiled by clang, and not run"

# fail WORD...: a failure of this program, with the last output.
fail() {
    echo "FAILED: $name: $*"
    [ ! -s log ] || sed 's/^/  /' log
}

# together VERSION...: the text of one program of all versions, which are files. Before what a version
# prints stands a line "=== VERSION".
together() {
    local version
    echo '#include <cstdio>'
    echo 'static int call(int (*main)(int, char **), int n, char **words) { return main(n, words); }'
    echo 'static int call(int (*main)(), int, char **) { return main(); }'
    sed -n '/^#include </p' "$@" | sort -u
    for version in "$@"; do
        printf '%s\n' "namespace in_$(tr -c 'a-z0-9\n' _ <<<"$version") {" \
            "#include \"$version\"" '}'
    done
    echo 'int main(int argc, char **argv) {'
    for version in "$@"; do
        printf '%s\n' "    std::printf(\"=== $version\\n\");" \
            "    if (int status = call(in_$(tr -c 'a-z0-9\n' _ <<<"$version")::main, argc, argv))" \
            '        return status;' '    std::fflush(stdout);'
    done
    echo '}'
}

# build: the program $name from $name.cu, or at least compiled where there is no nvcc.
build() {
    if [ -n "$nvcc" ]; then
        "$nvcc" -std="${standard:-c++14}" -gencode arch=compute_80,code=compute_80 -cudart shared -o "$name" \
            "$name.cu" >log 2>&1 || fail "nvcc refuses $name.cu"
    else
        "$clang" -x cuda --cuda-device-only --cuda-path=/no/toolkit -nocudainc -nogpulib \
            --cuda-gpu-arch=sm_80 --cuda-feature=+ptx83 -Xclang -target-sdk-version=12.5 \
            -Xclang -fcuda-allow-variadic-functions -std=c++17 -w -fsyntax-only \
            -isystem "$("$clang" -print-resource-dir)/include/cuda_wrappers" -isystem "$own" \
            -isystem "$own/own" -idirafter "$own/after" -include heddle_cuda.h \
            -include heddle_functions.h "$name.cu" >log 2>&1 || fail "clang refuses $name.cu"
    fi
}

# said VERSION: what it printed. Watch's own result stands behind, from its first line "N launches on
# ..." on.
said() { awk -v version="=== $1" '/^[0-9]+ launch(es)? on /{exit} /^=== /{on = $0 == version; next} on' out; }

# compare PROGRAM: each of its versions prints what the original prints.
compare() {
    local version
    said "$whole/$1.cu" >first
    [ -s first ] || fail "the original of $1 prints nothing"
    for version in "../$1"-rewritten/*/"$1.cu"; do
        said "$version" | diff first - >log || fail "$version: other output"
    done
}

# check_programs NAME PROGRAM...: built and run together
check_programs() {
    local name=$1 program versions=()
    shift
    mkdir "$name" && cd "$name" || return
    for program in "$@"; do
        versions+=("$whole/$program.cu" "../$program"-rewritten/*/"$program.cu")
    done
    together "${versions[@]}" >"$name.cu"
    build
    [ -n "$nvcc" ] || return
    "$heddle" run --device a100 -- "./$name" >out 2>log || fail "run $name: exit status $?"
    grep -q '^[0-9]* launch' out || fail "$name launches nothing"
    for program in "$@"; do compare "$program"; done
}
export -f fail together build said compare check_programs
