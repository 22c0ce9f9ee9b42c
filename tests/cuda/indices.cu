// expect: out int 192 = int(i / 16) % 3 + int(i / 48) % 2 * 10 + int(i / 96) * 100 + i % 4 * 1000 + int(i / 4) % 2 * 10000 + int(i / 8) % 2 * 100000
// expect: sizes int = 3 2 2 4 2 2 32 1 12 1 1 16 1 1
//
// Blocks and threads of three dimensions, numbered with the first one fastest.
__global__ void place(int *out, int *sizes) {
    int b = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    int i = b * (blockDim.x * blockDim.y * blockDim.z) + t;
    out[i] = blockIdx.x + blockIdx.y * 10 + blockIdx.z * 100 + threadIdx.x * 1000 +
             threadIdx.y * 10000 + threadIdx.z * 100000;
    if (i == 0) {
        dim3 grid = gridDim, block = blockDim;
        sizes[0] = grid.x;
        sizes[1] = grid.y;
        sizes[2] = grid.z;
        sizes[3] = block.x;
        sizes[4] = block.y;
        sizes[5] = block.z;
        sizes[6] = warpSize;
    }
}

// One dimension: the others are 1.
__global__ void flat(int *sizes) {
    uint3 thread = threadIdx;
    if (blockIdx.x == 11 && thread.x == 15 && thread.y == 0 && blockIdx.z == 0) {
        sizes[7] = gridDim.y;
        sizes[8] = gridDim.x;
        sizes[9] = gridDim.z;
        sizes[10] = thread.x == blockDim.x - 1;
        sizes[11] = blockDim.x;
        sizes[12] = blockDim.y;
        sizes[13] = blockDim.z;
    }
}
