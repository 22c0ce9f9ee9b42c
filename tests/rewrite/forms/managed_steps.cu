// Managed memory that host helpers fill and read between launches, with a device synchronised in between.
// in: Drop=soa; Drop={x,y}{mass,age}:32
#include <cuda_runtime.h>
#include <cstdio>

struct Drop {
    float x, y;
    float mass;
    int age;
};

static void rain(Drop *drops, int count) {
    for (int i = 0; i < count; ++i) {
        drops[i].x = (float)(i % 17);
        drops[i].y = (float)(i % 5);
        drops[i].mass = 1.0f;
        drops[i].age = i & 3;
    }
}

static float weight(const Drop *drops, int count) {
    float sum = 0;
    for (int i = 0; i < count; ++i)
        if (drops[i].age > 3)
            sum += drops[i].mass;
    return sum;
}

__global__ void fall(Drop *drops, int count) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        drops[i].y -= 1.0f;
        drops[i].age++;
    }
}

__global__ void merge(Drop *drops, int count) {
    int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i + 1 < count && drops[i].y == drops[i + 1].y + 4.0f)
        drops[i].mass += drops[i + 1].mass;
}

int main() {
    const int count = 1000;
    Drop *drops;
    cudaMallocManaged(&drops, count * sizeof(Drop));
    rain(drops, count);
    for (int step = 0; step < 3; ++step) {
        fall<<<4, 128>>>(drops, count);
        cudaDeviceSynchronize();
        std::printf("%g\n", weight(drops, count));
    }
    merge<<<4, 128>>>(drops, count);
    cudaDeviceSynchronize();
    std::printf("%g\n", weight(drops, count));
    cudaFree(drops);
    return 0;
}
