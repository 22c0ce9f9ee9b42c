# Whole CUDA programs of whole/, each in three layouts: what `heddle apply` makes of one is built by
# nvcc with the command that the original is built with, and prints under `heddle run` what the
# original prints. A line of the table:
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
plain     | rewritten | Body=aosoa:32; Body=soa; Body={x,y,z,mass}{vx,vy,vz,id}
wrappers  | rewritten | Cell=aosoa:32; Cell=soa; Cell={pressure,type}{density,velocity,source}
templates | rewritten | Sample=aosoa:32; Sample=soa; Sample={value,weight}{time,channel,flags}
managed   | rewritten | Agent=aosoa:32; Agent=soa; Agent={state,x,y}{days,exposure,contacts}
owner     | rewritten | Particle=aosoa:32; Particle=soa; Particle={position,velocity,age}{life,colour}
several   | rewritten | Node=aosoa:32 Edge=aosoa:32 Element=aosoa:32; Node=soa Edge=soa Element=soa; Node={temperature,flux}{x,y,capacity,boundary} Edge={a,b}{length,conductivity}
scene     | rewritten | Sphere=aosoa:32 Ray=aosoa:32; Sphere=soa Ray=soa; Sphere={cx,cy,cz,radius}{red,green,blue,hits} Ray={t,sphere}{ox,oy,oz,dx,dy,dz}
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

# build TARGET SOURCE: TARGET is made, or at least compiled where there is no nvcc.
build() {
    if [ -n "$nvcc" ]; then
        "$nvcc" -std=c++14 -gencode arch=compute_80,code=compute_80 -cudart shared -o "$1" "$2" >log 2>&1 || fail "nvcc refuses $2"
    else
        "$clang" -x cuda --cuda-device-only --cuda-path=/no/toolkit -nocudainc -nogpulib \
            --cuda-gpu-arch=sm_80 --cuda-feature=+ptx83 -Xclang -target-sdk-version=12.5 \
            -Xclang -fcuda-allow-variadic-functions -std=c++17 -w -fsyntax-only \
            -isystem "$("$clang" -print-resource-dir)/include/cuda_wrappers" -isystem "$own" \
            -isystem "$own/own" -idirafter "$own/after" -include heddle_cuda.h \
            -include heddle_functions.h "$2" >log 2>&1 || fail "clang refuses $2"
    fi
}

# output TARGET: what it prints goes to TARGET.out. Watch's own result stands behind, from its first
# line "N launches on ..." on.
output() {
    "$heddle" run --device a100 -- "$1" >"$1.out" 2>log || fail "watch $1: exit status $?"
    grep -q '^[0-9]* launch' "$1.out" || fail "$1 launches nothing"
    sed -i '/^[0-9]* launch[es]* on /,$d' "$1.out"
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

check_layouts() {
    local to=$name-$1 layouts=$2
    rewrite "$to" "$layouts"
    status=$?
    if [ "$expected" = places ]; then
        [ $status -eq 2 ] || fail "$layouts: exit status $status, not 2"
        check_places "$to"
        return
    fi
    [ $status -eq 0 ] || { fail "$layouts: not rewritten"; return; }
    build "$to/program" "$to/$name.cu"
    [ -n "$nvcc" ] || return
    output "$to/program"
    diff "$name.out" "$to/program.out" >log || fail "$layouts: other output"
}

# check_program LINE of the table
check_program() {
    local name expected all layouts number=0
    IFS='|' read -r name expected all <<<"$1"
    name=${name// } expected=${expected// }
    mkdir "$name-$expected" && cd "$name-$expected" || return
    if [ "$expected" = rewritten ]; then
        build "$name" "$whole/$name.cu"
        [ -z "$nvcc" ] || output "./$name"
    fi
    while IFS= read -r -d ';' layouts; do
        number=$((number + 1)) layouts=${layouts# }
        [ -n "$nvcc" ] || [ $number -eq 1 ] || break
        check_layouts $number "$layouts"
    done <<<"$all;"
}
export -f fail build output rewrite check_places check_layouts check_program

for file in "$whole"/*.cu; do
    table | grep -q "^$(basename "$file" .cu) " || complain "$file is not in the table"
done
table | tr '\n' '\0' | xargs -0 -P 2 -I {} bash -c 'check_program "{}"' >said
cat said
failures=$((failures + $(grep -c '^FAILED' said)))
finish
