// Macros and constants of the C library's headers.
//: headers both
//: run k 6: 1 1 1 1 1 1
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstdint>
#include <limits>
__global__ void k(int *o) {
    bool holds[] = {FLT_MAX > 3e38f && FLT_EPSILON < 1e-6f,
                    INT_MAX == 2147483647 && UINT64_MAX == ~0ull && SIZE_MAX == ~(size_t)0,
                    M_PI > 3.14 && M_PI < 3.15 && M_SQRT2 > 1.41f,
                    isinf(INFINITY) && isnan(NAN) && HUGE_VAL > 1e300,
                    std::numeric_limits<float>::infinity() == INFINITY &&
                        std::numeric_limits<double>::epsilon() == DBL_EPSILON,
                    sizeof(std::uint16_t) == 2 && sizeof(long) == 8 && CHAR_BIT == 8};
    o[threadIdx.x] = holds[threadIdx.x];
}
