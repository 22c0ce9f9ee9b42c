# Whole CUDA programs of whole/, each in three layouts: what `heddle apply` makes of one, built by
# nvcc, prints under `heddle run` what the original prints. All versions of half of the programs are
# compiled as one, each in a namespace, since nvcc spends its time on headers; their mains run one after
# another.
# A line of the table:
#
#   PROGRAM | RECORD=LAYOUT ...; RECORD=LAYOUT ...; RECORD=LAYOUT ...
#
# Without nvcc nothing is run: clang takes what becomes of a program, with Heddle's own headers.
# Called with the path of heddle.
source "$(dirname "$0")/../cli/lib.sh"
export whole=$source_folder/tests/rewrite/whole heddle work source_folder
source "$source_folder/tests/rewrite/whole.sh"

table() {
    cat <<'TABLE'
plain     | Body=aosoa:32; Body=soa; Body={x,y,z,_}{mass,vx,vy,vz}{id}
wrappers  | Cell=aosoa:32; Cell=soa; Cell={pressure,type}{density,velocity,source}
templates | Sample=aosoa:32; Sample=soa; Sample={value,weight}{time,channel,flags}
managed   | Agent=aosoa:32; Agent=soa; Agent={state,x,y}{days,exposure,contacts}
owner     | Particle=aosoa:32; Particle=soa; Particle={position,velocity,age}{life,colour}
several   | Node=aosoa:32 Edge=aosoa:32 Element=aosoa:32; Node=soa Edge=soa Element=soa; Node={temperature,flux}{x,y,capacity,boundary} Edge={a,b}{length,conductivity}
scene     | Sphere=aosoa:32 Ray=aosoa:32; Sphere=soa Ray=soa; Sphere={cx,cy,cz,radius}{red,green,blue,_}{hits} Ray={t,sphere}{ox,oy,oz,dx,dy,dz}
streams   | Option=aosoa:32; Option=soa; Option={spot,strike,years,rate,volatility}{call,put,iterations}
ping_pong | Point=aosoa:32; Point=soa; Point={u,v}{feed,kill,obstacle,age}
snapshots | Spin=aosoa:32; Spin=soa; Spin={up,field}{flips,energy,random}
batches   | Order=aosoa:32; Order=soa; Order={side,status,price,quantity,filled}{id,customer}
symbols   | Synapse=aosoa:32; Neuron=soa; Neuron=aosoa:32 Synapse={from,weight}{to,trace}
TABLE
}

# rewrite TO LAYOUTS: heddle's exit status.
rewrite() {
    local to=$1 one options=()
    for one in $2; do options+=(--layout "$one"); done
    "$heddle" apply --no-verify "${options[@]}" --record "${2%%=*}" --out "$to" "$whole/$name.cu" >log 2>&1
}

# check_line LINE of the table
check_line() {
    local name all layouts number=0
    IFS='|' read -r name all <<<"$1"
    name=${name// }
    mkdir "$name-rewritten" && cd "$name-rewritten" || return
    while IFS= read -r -d ';' layouts; do
        number=$((number + 1))
        rewrite "$number" "${layouts# }" || fail "$layouts: not rewritten"
    done <<<"$all;"
}

export -f rewrite check_line

for file in "$whole"/*.cu; do
    table | grep -q "^$(basename "$file" .cu) " || complain "$file is not in the table"
done
table | tr '\n' '\0' | xargs -0 -P 2 -I {} bash -c 'check_line "{}"' >said
mapfile -t programs < <(table | sed 's/ *|.*//')
half=$((${#programs[@]} / 2))
printf '%s\n' "first ${programs[*]:0:half}" "second ${programs[*]:half}" |
    xargs -P 2 -I {} bash -c 'check_programs {}' >>said
cat said
failures=$((failures + $(grep -c '^FAILED' said)))
finish
