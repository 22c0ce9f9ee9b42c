/* The handlers of lanes that this processor runs fastest. */
#include "vm/lanes.h"

extern const hd_lanes hd_lanes_base;
#if defined __x86_64__
extern const hd_lanes hd_lanes_avx2, hd_lanes_avx512;
#endif

const hd_lanes *hd_lanes_choose(void) {
#if defined __x86_64__
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512cd"))
        return &hd_lanes_avx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
        __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("f16c"))
        return &hd_lanes_avx2;
#endif
    return &hd_lanes_base;
}
