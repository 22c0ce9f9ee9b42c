# Whole CUDA programs of whole/, each in three layouts: what `heddle apply` makes of one, built by
# nvcc, prints under `heddle run` what the original prints. All versions of half of the programs are
# compiled as one, each in a namespace, since nvcc spends its time on headers; their mains run one after
# another.
# A line of the table:
#
#   PROGRAM | what is expected | RECORD=LAYOUT ...; RECORD=LAYOUT ...; RECORD=LAYOUT ...
#
# Expected is
#
#   rewritten   without an edit by hand
#   places      whole/PROGRAM.places has the lines of all places, with what is said of each, and
#               nothing is written
#
# Without nvcc nothing is run: clang takes what becomes of a program, with Heddle's own headers.
# Called with the path of heddle.
source "$(dirname "$0")/../cli/lib.sh"
export whole=$source_folder/tests/rewrite/whole heddle work source_folder
nvcc=${CUDA_PATH-${CUDA_HOME-/usr/local/cuda}}/bin/nvcc
[ -x "$nvcc" ] || nvcc=
clang=$(sed -n 's/^CLANG_PROGRAM:FILEPATH=//p' "$(dirname "$heddle")/CMakeCache.txt")
own=$source_folder/src/frontend/clang/cuda
export nvcc clang own
[ -n "$nvcc" ] || echo "there is no nvcc: programs are compiled by clang, and not run"

table() {
    cat <<'TABLE'
plain     | rewritten | Body=aosoa:32; Body=soa; Body={x,y,z,_}{mass,vx,vy,vz}{id}
wrappers  | rewritten | Cell=aosoa:32; Cell=soa; Cell={pressure,type}{density,velocity,source}
templates | rewritten | Sample=aosoa:32; Sample=soa; Sample={value,weight}{time,channel,flags}
managed   | rewritten | Agent=aosoa:32; Agent=soa; Agent={state,x,y}{days,exposure,contacts}
owner     | rewritten | Particle=aosoa:32; Particle=soa; Particle={position,velocity,age}{life,colour}
several   | rewritten | Node=aosoa:32 Edge=aosoa:32 Element=aosoa:32; Node=soa Edge=soa Element=soa; Node={temperature,flux}{x,y,capacity,boundary} Edge={a,b}{length,conductivity}
scene     | rewritten | Sphere=aosoa:32 Ray=aosoa:32; Sphere=soa Ray=soa; Sphere={cx,cy,cz,radius}{red,green,blue,_}{hits} Ray={t,sphere}{ox,oy,oz,dx,dy,dz}
streams   | rewritten | Option=aosoa:32; Option=soa; Option={spot,strike,years,rate,volatility}{call,put,iterations}
ping_pong | rewritten | Point=aosoa:32; Point=soa; Point={u,v}{feed,kill,obstacle,age}
snapshots | rewritten | Spin=aosoa:32; Spin=soa; Spin={up,field}{flips,energy,random}
batches   | rewritten | Order=aosoa:32; Order=soa; Order={side,status,price,quantity,filled}{id,customer}
symbols   | rewritten | Synapse=aosoa:32; Synapse=soa; Synapse={from,weight}{to,trace}
symbols   | places | Neuron=aosoa:32; Neuron=soa
TABLE
}

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
    sed -n '/^#include </p' "$@" | sort -u
    for version in "$@"; do
        printf '%s\n' "namespace in_$(tr -c 'a-z0-9\n' _ <<<"$version") {" \
            "#include \"$version\"" '}'
    done
    echo 'int main(int argc, char **argv) {'
    for version in "$@"; do
        printf '%s\n' "    std::printf(\"=== $version\\n\");" \
            "    if (int status = in_$(tr -c 'a-z0-9\n' _ <<<"$version")::main(argc, argv))" \
            '        return status;' '    std::fflush(stdout);'
    done
    echo '}'
}

# build: the program $name from $name.cu, or at least compiled where there is no nvcc.
build() {
    if [ -n "$nvcc" ]; then
        "$nvcc" -std=c++14 -gencode arch=compute_80,code=compute_80 -cudart shared -o "$name" \
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

# rewrite TO LAYOUTS: heddle's exit status.
rewrite() {
    local to=$1 one options=()
    for one in $2; do options+=(--layout "$one"); done
    "$heddle" apply --no-verify "${options[@]}" --record "${2%%=*}" --out "$to" "$whole/$name.cu" >log 2>&1
}

# Each line that has an error, with the message, is one of NAME.places, and the other way round.
check_places() {
    local line pattern
    [ ! -e "$1" ] || fail "refused, but $1 is written"
    while read -r line pattern; do
        grep -Eq "$name.cu:$line:[0-9]+: error: .*$pattern" log ||
            fail "no such place: line $line: $pattern"
    done <"$whole/$name.places"
    diff <(sed -nE "s/^.*$name.cu:([0-9]+):[0-9]+: error: .*/\1/p" log | sort -nu) \
        <(cut -d' ' -f1 "$whole/$name.places" | sort -nu) || fail 'other places'
}

# check_layouts TO LAYOUTS
check_layouts() {
    rewrite "$1" "$2"
    status=$?
    if [ "$expected" = places ]; then
        [ $status -eq 2 ] || fail "$2: exit status $status, not 2"
        check_places "$1"
    elif [ $status -ne 0 ]; then
        fail "$2: not rewritten"
    fi
}

# check_line LINE of the table
check_line() {
    local name expected all layouts number=0
    IFS='|' read -r name expected all <<<"$1"
    name=${name// } expected=${expected// }
    mkdir "$name-$expected" && cd "$name-$expected" || return
    while IFS= read -r -d ';' layouts; do
        number=$((number + 1))
        check_layouts "$number" "${layouts# }"
    done <<<"$all;"
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
export -f fail together build said compare rewrite check_places check_layouts check_line \
    check_programs

for file in "$whole"/*.cu; do
    table | grep -q "^$(basename "$file" .cu) " || complain "$file is not in the table"
done
table | tr '\n' '\0' | xargs -0 -P 2 -I {} bash -c 'check_line "{}"' >said
mapfile -t programs < <(table | sed -n 's/ *| rewritten .*//p')
half=$((${#programs[@]} / 2))
printf '%s\n' "first ${programs[*]:0:half}" "second ${programs[*]:half}" |
    xargs -P 2 -I {} bash -c 'check_programs {}' >>said
cat said
failures=$((failures + $(grep -c '^FAILED' said)))
finish
