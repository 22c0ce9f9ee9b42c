// Functions of the host that are constexpr, and the standard library's, on the device.
//: headers both
//: options --expt-relaxed-constexpr -std=c++17
//: run k 4: 5 17 3 127
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <utility>
constexpr int square(int x) { return x * x; }
constexpr std::array<int, 3> odd = {1, 3, 5};
template <class T> constexpr T most = std::numeric_limits<T>::max();
__global__ void k(int *o) {
    int i = threadIdx.x, a = 3, b = i;
    std::array<int, 2> own = {i, square(4) + 1};
    std::pair<int, int> both = std::minmax({a, b}), copy = both;
    a = copy.second;
    o[i] = i == 0 ? std::max(odd[2], i) : i == 1 ? own[1] : i == 2 ? std::max(a, b) + both.first - b : most<int8_t>;
}
