// Lists and trees whose records hold pointers to their like.
// in: Link=soa
#include <cuda_runtime.h>

struct Link {
    int value;
    Link *next; //! 'next' keeps a pointer to 'Link'
};

__global__ void k(Link *links, int *out) {
    int sum = 0;
    for (Link *l = links + threadIdx.x; l; l = l->next) //! the pointer 'l' to 'Link' is used in a way
        sum += l->value;
    out[threadIdx.x] = sum;
}

int main() {
    Link *links;
    int *out;
    cudaMalloc(&links, 64 * sizeof(Link));
    cudaMalloc(&out, 64 * sizeof(int));
    k<<<1, 64>>>(links, out);
    cudaFree(out);
    return cudaFree(links);
}
