// libcu++'s types on the device.
//: headers toolkit
//: options -std=c++17
//: run k 4: 6 2 5 3
#include <cuda/std/array>
#include <cuda/std/cstdint>
#include <cuda/std/tuple>
#include <cuda/std/utility>
__global__ void k(int *o) {
    cuda::std::array<int, 3> a = {1, 2, 3};
    auto t = cuda::std::make_tuple(2, 5.0f);
    int sum = 0;
    for (int v : a)
        sum += v;
    int parts[] = {sum, cuda::std::get<0>(t), (int)cuda::std::get<1>(t), (int)a.size()};
    o[threadIdx.x] = parts[threadIdx.x];
}
