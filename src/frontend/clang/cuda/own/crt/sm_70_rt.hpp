/* Match functions of all types, on those of 32 and 64 bits that clang's header has. */
#ifndef HEDDLE_SM_70_RT_HPP
#define HEDDLE_SM_70_RT_HPP

#define __HEDDLE_MATCH(T, bits, value)                                                          \
    static __device__ __inline__ unsigned __match_any_sync(unsigned mask, T x) {                \
        return __match##bits##_any_sync(mask, value);                                           \
    }                                                                                           \
    static __device__ __inline__ unsigned __match_all_sync(unsigned mask, T x, int *pred) {     \
        return __match##bits##_all_sync(mask, value, pred);                                     \
    }
__HEDDLE_MATCH(unsigned, 32, x)
__HEDDLE_MATCH(int, 32, (unsigned)x)
__HEDDLE_MATCH(unsigned long, 64, x)
__HEDDLE_MATCH(long, 64, (unsigned long long)x)
__HEDDLE_MATCH(unsigned long long, 64, x)
__HEDDLE_MATCH(long long, 64, (unsigned long long)x)
__HEDDLE_MATCH(float, 32, __float_as_uint(x))
__HEDDLE_MATCH(double, 64, (unsigned long long)__double_as_longlong(x))
#undef __HEDDLE_MATCH

#endif
