# From a program to a faster one: nvcc, heddle advise, and the command that it prints, with what builds
# the program. Whole programs of ../rewrite/whole, one of several files, and "the emptied main": nothing
# that lost its host code is written as if it were the program. Without nvcc the last alone is tested.
# Called with the path of heddle.
source "$(dirname "$0")/../cli/lib.sh"
source "$source_folder/tests/cuda/programs.sh"
nvcc=${CUDA_PATH-${CUDA_HOME-/usr/local/cuda}}/bin/nvcc

# ---- the emptied main ----------------------------------------------------------------------------

mkdir parts
cp "$programs"/{particles.cu,check.h} "$kept"/particles.ptx .
cp "$programs/parts/particle.h" parts
build_kept particles.cu >built 2>&1 || { cat built; complain 'particles cannot be built'; }
accepts record -o run -- ./particles
grep -q '<<<' run/source/particles.cu && complain 'the copy has its host code, so nothing is shown'
accepts apply --layout soa --out whole run
grep -q 'cudaMalloc' whole/particles.cu && grep -q '<<<' whole/particles.cu || complain 'the host code is gone'
# The copy itself is no program.
refuses 'without the host code that launches them.*--source FILE' apply --layout soa --out none run/source/particles.cu
call advise --apply none run/source/particles.cu
[ ! -e none ] || complain 'an extract was written'
# Its file has gone, moved, changed, or lost its main().
mkdir moved
mv particles.cu moved
refuses 'particles.cu is not there, .*--source FILE' apply --layout soa --out none run
cp -r check.h parts moved
accepts apply --layout soa --out found --source moved/particles.cu run
cmp -s found/particles.cu whole/particles.cu || complain 'another program'
sed 's/p.steps++/p.steps += 2/' moved/particles.cu >particles.cu
refuses 'not what was recorded any more' apply --layout soa --out none run
sed 's/int main(/int start(/' moved/particles.cu >particles.cu
sed -i 's/int main(/int start(/' run/source/particles.cu
refuses 'no file of the program that is known has main\(\)' apply --layout soa --out none run
[ ! -e none ] || complain 'no program, but it was written'

[ -x "$nvcc" ] || { echo 'there is no nvcc: no programs are built'; finish; exit; }
PATH=$(dirname "$nvcc"):$PATH

# ---- whole programs ------------------------------------------------------------------------------

# three_commands NAME FLAGS FILES [ARGUMENTS]: in the folder NAME; what went wrong
three_commands() {
    cd "$1" || return
    local command build status
    nvcc -std=c++14 $2 -lineinfo -cudart shared -o app $3 >log 2>&1 || { cat log; echo "FAILED: $1: nvcc"; return; }
    "$heddle" advise --keep run -- ./app $4 >advice 2>log || { cat log; echo "FAILED: $1: advise"; return; }
    command=$(grep -m1 '^  heddle apply run .* --out DIR$' advice) || { cat advice; echo "FAILED: $1: no command"; return; }
    command=${command/heddle/\"\$heddle\"}
    build="--out new --build 'nvcc -std=c++14 $2 -o app $3'"
    eval "${command/--out DIR/$build}" >applied 2>log
    status=$?
    [ $status -eq 0 ] || { cat applied log; echo "FAILED: $1: apply: exit status $status"; return; }
    grep -Eq '^  outputs equal: yes \([1-9][0-9]* lines?, .*[1-9][0-9]* allocations?\)$' applied ||
        { cat applied; echo "FAILED: $1: nothing was compared"; }
    awk '/^  the program / {before = $3} /^  the new one / {after = $4} END {exit !(before && after)}' applied ||
        { cat applied; echo "FAILED: $1: no table"; }
}
export -f three_commands
export heddle

for name in plain wrappers templates managed owner ping_pong several; do
    mkdir $name
    cp "$source_folder/tests/rewrite/whole/$name.cu" $name
    echo "$name -O1 $name.cu"
done >list
mkdir files
cat >files/body.h <<'C'
#pragma once
struct Body { float x, y, z; int id; float mass; float spare[3]; };
void drift(Body *bodies, int n, float dt);
C
cat >files/drift.cu <<'C'
#include <cstdio>
#include <cstdlib>
#include "body.h"
static __global__ void move(Body *bodies, int n, float dt) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        bodies[i].x += dt * bodies[i].mass;
}
void drift(Body *bodies, int n, float dt) { move<<<(n + 127) / 128, 128>>>(bodies, n, dt); }
C
cat >files/main.cu <<'C'
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include "body.h"
int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 10;
    std::vector<Body> all(n);
    for (int i = 0; i < n; i++) all[i] = {float(i), 1, 2, i, 0.5f * i, {1, 2, 3}};
    Body *d = nullptr;
    cudaMalloc(&d, n * sizeof(Body));
    cudaMemcpy(d, all.data(), n * sizeof(Body), cudaMemcpyHostToDevice);
    for (int s = 0; s < 3; s++) drift(d, n, 0.25f);
    cudaMemcpy(all.data(), d, n * sizeof(Body), cudaMemcpyDeviceToHost);
    std::printf("%g %g\n", all[n - 1].x, all[n / 2].x);
    std::printf("at %lld\n", (long long)std::chrono::steady_clock::now().time_since_epoch().count());
    FILE *out = std::fopen("bodies.bin", "wb");
    std::fwrite(all.data(), sizeof(Body), n, out);
    std::fclose(out);
    cudaFree(d);
}
C
echo "files -O1 *.cu 1000" >>list
# Kernels in a header, as -lineinfo tells, which the file that is compiled includes.
mkdir -p headed/include
sed -n '/^struct/,$p' "$source_folder/tests/rewrite/whole/plain.cu" | sed '/^int main/,$d' >headed/include/kernels.hpp
{
    sed '/^struct/,$d' "$source_folder/tests/rewrite/whole/plain.cu"
    echo '#include "include/kernels.hpp"'
    sed -n '/^int main/,$p' "$source_folder/tests/rewrite/whole/plain.cu"
} >headed/main.cu
echo "headed -O1 main.cu" >>list
while read -r name flags files arguments; do
    printf '%s\0' "three_commands $name $flags '$files' '$arguments'"
done <list | xargs -0 -P 2 -I {} bash -c '{}' >said
cat said
failures=$((failures + $(grep -c '^FAILED' said)))

# A main() that launches is empty in the copy, and full in what is written.
cd plain || exit 2
tr -d '\n' <run/source/plain.cu | grep -Eq 'int main\([^)]*\) *\{ *\}' || complain 'main is not emptied, so nothing is shown'
tr -d '\n' <new/plain.cu | grep -Eq 'int main\([^)]*\) *\{ *\}' && complain 'the emptied main was written'
cd ..

# Times differ between any two runs, and are left out; the rest of what was written is compared.
cd files || exit 2
grep -q 'left out: 1 in which runs of the original differ' applied || complain 'a time was compared'
grep -q 'outputs equal: yes (2 lines, 1 file, 1 allocation)' applied || complain 'not all was compared'
grep -q '^  new/main.cu$' applied || complain 'main.cu is not there'
# What differs is an error: here the new program alone is built to do something else.
rm -r new
call apply --layout soa --out new \
    --build 'if [ -e drift.h ]; then sed -i "s/0.25f/0.75f/" main.cu; fi; nvcc -O1 -o app *.cu' -- ./app 1000
[ "$status" -eq 1 ] || complain "outputs differ, and the exit status is $status"
prints 'outputs equal: no'
prints 'differs: line 1 of standard output'
prints 'differs: bodies.bin'
prints 'differs: allocation 1, of 32000 bytes'
rm -r new
call apply --layout soa --out new --build 'false' -- ./app 1000
[ "$status" -eq 2 ] || complain "nothing is built, and the exit status is $status"
says "files: error: --build: 'false' fails in this folder"
rm -r new
call apply --layout soa --out new --json --build 'nvcc -O1 -o app *.cu' -- ./app 1000
fits apply
finish
