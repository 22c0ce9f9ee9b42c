// Functions of the host between kernels, in the order of their stream.
#include "check.h"

__global__ void accumulate(int *x, int value) { atomicAdd(x, value); }

struct steps {
    int *pinned, seen[3], count;
};

static void look(void *user) {
    steps *s = (steps *)user;
    s->seen[s->count++] = *s->pinned;
}
static void look_after(cudaStream_t, cudaError_t status, void *user) {
    CHECK(status == cudaSuccess);
    look(user);
}

int main() {
    int *x;
    steps s = {};
    cudaStream_t stream;
    CUDA(cudaStreamCreate(&stream));
    CUDA(cudaHostAlloc(&s.pinned, sizeof(int), cudaHostAllocMapped));
    *s.pinned = 10;
    CUDA(cudaHostGetDevicePointer(&x, s.pinned, 0));
    CUDA(cudaLaunchHostFunc(stream, look, &s));
    accumulate<<<1, 32, 0, stream>>>(x, 1);
    CUDA(cudaLaunchHostFunc(stream, look, &s));
    accumulate<<<2, 32, 0, stream>>>(x, 2);
    CUDA(cudaStreamAddCallback(stream, look_after, &s, 0));
    CUDA(cudaStreamSynchronize(stream));
    CHECK(s.count == 3 && s.seen[0] == 10 && s.seen[1] == 42 && s.seen[2] == 170);
    return DONE;
}
