#include "vec.h"

template <class T> static __global__ void link(Node<T> *nodes, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        nodes[i].next = i + 1 < n && nodes[i].before(nodes[i + 1]) ? i + 1 : -1;
}

template <class T> void relink(Node<T> *nodes, int n) {
    link<<<(n + 31) / 32, 32>>>(nodes, n);
    cudaDeviceSynchronize();
}

template void relink<float>(Node<float> *, int);
