# Programs of hosts/, in C and C++, whose kernels are in OpenCL C: what `heddle rewrite --host` makes of
# one is built with the compiler that builds the original, and prints on the machine's OpenCL device
# what the original prints. Called with the path of heddle.
source "$(dirname "$0")/../cli/lib.sh"
hosts=$source_folder/tests/rewrite/hosts
export POCL_CACHE_DIR=${POCL_CACHE_DIR:-$work/pocl}

# build FOLDER NAME: the program that its files there are, by the file's language.
build() {
    local compiler=cc source=$1/$2.c
    [ -e "$source" ] || { compiler=c++ source=$1/$2.cpp; }
    "$compiler" -O1 -w -o "$1/$2" "$source" -lOpenCL -lm >"$work/log/out" 2>"$work/log/err" ||
        complain "$compiler refuses $source"
}

# output FOLDER NAME: runs it there; OUTPUT.
output() {
    (cd "$1" && "./$2") >"$1/$2.out" 2>"$work/log/err" || complain "$1/$2: exit status $?"
}

# host_of NAME
host_of() { ls "$hosts/$1".c "$hosts/$1".cpp 2>/dev/null; }

# in_layouts NAME LAYOUTS...: each a list of RECORD=LAYOUT.
in_layouts() {
    local name=$1 layouts one options number=0
    shift
    mkdir original-$name
    cp "$hosts"/* original-$name
    build original-$name "$name"
    output original-$name "$name"
    [ -s original-$name/$name.out ] || complain "$name prints nothing"
    for layouts in "$@"; do
        number=$((number + 1))
        options=(--record "${layouts%%=*}")
        for one in $layouts; do options+=(--layout "$one"); done
        accepts rewrite --no-verify "${options[@]}" --host "$(host_of "$name")" \
            --out "$name-$number" "$hosts/$name.cl"
        build "$name-$number" "$name"
        output "$name-$number" "$name"
        diff "original-$name/$name.out" "$name-$number/$name.out" >"$work/log/out" ||
            complain "$name in $layouts prints something else"
    done
}

in_layouts particles particle=soa particle=aosoa:32 'particle={x,y,z,mass}{vx,vy,vz,cell}:16'
in_layouts wrappers 'Agent=soa Place=soa' 'Agent=aosoa:32 Place={x,y,radius}{visits}' \
    'Agent={x,y}{state,days,exposure}:8{group} Place=aosoa:4'
in_layouts lattice Site=soa Site=aosoa:32 'Site={f,solid}{rho,ux,uy}'
finish
