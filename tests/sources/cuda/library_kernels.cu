// Kernels that come out of headers of a library are nobody's that asked.
//: headers toolkit
//: kernels own
#include <cub/device/device_radix_sort.cuh>
__global__ void own(int *p) { p[threadIdx.x] = 1; }
void sort(int *a, int *b, int n) {
    size_t bytes = 0;
    cub::DeviceRadixSort::SortKeys(nullptr, bytes, a, b, n);
}
