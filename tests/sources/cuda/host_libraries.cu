// Libraries of C++ and OpenMP in code of the host.
//: headers both
//: kernels k
#include <omp.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>
__global__ void k(int *o) { o[threadIdx.x] = 1; }
int main() {
    std::vector<int> v(3);
    std::sort(v.begin(), v.end());
    auto start = std::chrono::steady_clock::now();
    std::mt19937 random(3);
#pragma omp parallel for
    for (int i = 0; i < 3; i++)
        k<<<1, 1>>>(0);
    std::cout << omp_get_num_threads() << v[0] << random() << std::endl;
}
