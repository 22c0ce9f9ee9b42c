/* The handlers of lanes that this processor runs fastest. */
#include "machine/lanes/lanes.h"

extern const vm_lanes vm_lanes_base;
#if defined __x86_64__
extern const vm_lanes vm_lanes_avx2, vm_lanes_avx512;
#endif

const vm_lanes *vm_lanes_choose(void) {
#if defined __x86_64__
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512cd"))
        return &vm_lanes_avx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
        __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("f16c"))
        return &vm_lanes_avx2;
#endif
    return &vm_lanes_base;
}
