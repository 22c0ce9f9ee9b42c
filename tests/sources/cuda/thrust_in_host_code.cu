// thrust in the host's code matters to no kernel.
//: headers toolkit
//: kernels own
#include <thrust/device_vector.h>
#include <thrust/sort.h>
__global__ void own(float *p) { p[threadIdx.x] = 1; }
int main() {
    thrust::device_vector<float> v(100);
    own<<<1, 100>>>(thrust::raw_pointer_cast(v.data()));
    thrust::sort(v.begin(), v.end());
    return v[0] > 1;
}
