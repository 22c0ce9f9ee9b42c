# Cooperative launches: grid.sync() of cooperative groups from source, from PTX and in a program that
# nvcc builds, with one block and with many; what a launch is told that cannot wait.
source "$(dirname "$0")/lib.sh"
nvcc=${CUDA_PATH-${CUDA_HOME-/usr/local/cuda}}/bin/nvcc

cat >phases.cu <<'END'
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void phases(int *a, int *b, int rounds) {
    cg::grid_group g = cg::this_grid();
    int i = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
    a[i] = i + 1;
    for (int k = 0; k < rounds; k++) {
        g.sync();
        b[i] = a[(i + 37) % all] * 2 + k;
        g.sync();
        a[i] = b[(i + all - 11) % all] - i;
    }
}
END
# job FILE BLOCKS COOPERATIVE: of 64 threads each.
job() {
    local first=a second=b third=rounds
    [[ $1 == *.cu ]] || { first=param_0 second=param_1 third=param_2; }
    printf '%s\n' "kernel: $1" buffers: "  - {name: a, type: int, count: $(($2 * 64))}" \
        "  - {name: b, type: int, count: $(($2 * 64))}" launches: \
        "  - {kernel: phases, blocks: [$2], threads: [64], cooperative: $3, args: [" \
        "      {name: $first, buffer: a}, {name: $second, buffer: b}, {name: $third, value: 3}]}" >job.yaml
}
# expected THREADS: what a holds then.
expected() {
    awk -v n="$1" 'BEGIN {
        for (i = 0; i < n; i++) a[i] = i + 1
        for (k = 0; k < 3; k++) {
            for (i = 0; i < n; i++) b[i] = a[(i + 37) % n] * 2 + k
            for (i = 0; i < n; i++) a[i] = b[(i + n - 11) % n] - i
        }
        for (i = 0; i < n; i++) print a[i]
    }'
}

# phases FILE: with one block and many, any number of workers, the same trace.
phases() {
    local blocks workers
    for blocks in 1 7 20; do
        job "$1" "$blocks" true
        for workers in 1 3; do
            accepts run job.yaml --workers "$workers" --dump a=a.bin
            od -An -v -w4 -t d4 a.bin | tr -d ' ' >got
            expected $((blocks * 64)) | cmp -s - got || complain "$1 with $blocks blocks: wrong"
            accepts trace job.yaml --workers "$workers" -o "$workers.hdt"
        done
        cmp -s 1.hdt 3.hdt || complain "$1: the trace depends on the number of workers"
    done
    accepts run job.yaml --races
}
phases phases.cu
job phases.cu 4 false
refuses "^phases.cu:8:[0-9]+: error: .*barrier of its grid, which only a cooperative launch has" \
    run job.yaml
job phases.cu 4000 true
refuses "^job.yaml:.*error: a cooperative launch of 4000 blocks of kernel phases; tesla-k20c holds" \
    run job.yaml --device tesla-k20c
job phases.cu 4 maybe
refuses "^job.yaml:6:.*error: 'cooperative' is true or false" run job.yaml

# A block that leaves: the others wait in vain.
sed 's/    a\[i\] = i + 1;/    if (blockIdx.x == 2) return;/' phases.cu >leaves.cu
job leaves.cu 4 true
refuses "^leaves.cu:[0-9]+:[0-9]+: error: the block waits here for all 4 blocks of its grid.*: 1 of them have ended" \
    run job.yaml

[ -x "$nvcc" ] || finish
"$nvcc" -ptx -lineinfo -arch=sm_80 -o phases.ptx phases.cu || complain "no PTX"
phases phases.ptx

cat phases.cu - >program.cu <<'END'
#include <cstdio>
int main() {
    int *a, *b, rounds = 3, on_sm = 0, sms = 0;
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&on_sm, phases, 64, 0);
    int most = on_sm * sms;
    cudaMallocManaged(&a, most * 64 * 4);
    cudaMallocManaged(&b, most * 64 * 4);
    void *args[] = {&a, &b, &rounds};
    for (int blocks : {1, 7, 300}) {
        cudaLaunchCooperativeKernel((void *)phases, dim3(blocks), dim3(64), args, 0, 0);
        cudaError_t error = cudaDeviceSynchronize();
        long sum = 0;
        for (int i = 0; i < blocks * 64; i++)
            sum += (long)a[i] * (i % 101 + 1);
        printf("%d blocks: %s %ld\n", blocks, cudaGetErrorName(error), sum);
    }
    printf("more: %s\n", cudaGetErrorName(cudaLaunchCooperativeKernel(
        (void *)phases, dim3(most + 1), dim3(64), args, 0, 0)));
}
END
"$nvcc" -lineinfo -arch=sm_80 -cudart shared -o program program.cu || complain "no program"
accepts run -- ./program
for blocks in 1 7 300; do
    sum=$(expected $((blocks * 64)) | awk '{ sum += $1 * ((NR - 1) % 101 + 1) } END { printf "%.0f", sum }')
    prints "^$blocks blocks: cudaSuccess $sum$"
done
prints '^more: cudaErrorCooperativeLaunchTooLarge$'

finish
