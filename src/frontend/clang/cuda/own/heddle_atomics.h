/* Atomic functions of CUDA C, on clang's built-ins. */
#ifndef HEDDLE_ATOMICS_H
#define HEDDLE_ATOMICS_H

#define __HEDDLE_ATOMIC(name, T, builtin, P)                                                   \
    __HEDDLE_INLINE T name(T *address, T value) { return (T)builtin((P *)address, (P)value); }
#define __HEDDLE_CAS(T, builtin, P)                               \
    __HEDDLE_INLINE T atomicCAS(T *address, T compare, T value) { \
        return (T)builtin((P *)address, (P)compare, (P)value);    \
    }
typedef unsigned long long __heddle_ull;

#define __HEDDLE_ATOMICS(name, op)                                            \
    __HEDDLE_ATOMIC(name, int, __nvvm_atom_##op##_gen_i, int)                 \
    __HEDDLE_ATOMIC(name, unsigned, __nvvm_atom_##op##_gen_i, int)            \
    __HEDDLE_ATOMIC(name, __heddle_ull, __nvvm_atom_##op##_gen_ll, long long)
#define __HEDDLE_EXTREMES(name, op)                                               \
    __HEDDLE_ATOMIC(name, int, __nvvm_atom_##op##_gen_i, int)                     \
    __HEDDLE_ATOMIC(name, unsigned, __nvvm_atom_##op##_gen_ui, unsigned)          \
    __HEDDLE_ATOMIC(name, long long, __nvvm_atom_##op##_gen_ll, long long)        \
    __HEDDLE_ATOMIC(name, __heddle_ull, __nvvm_atom_##op##_gen_ull, __heddle_ull)

__HEDDLE_ATOMICS(atomicAdd, add)
__HEDDLE_ATOMIC(atomicAdd, float, __nvvm_atom_add_gen_f, float)
__HEDDLE_ATOMIC(atomicAdd, double, __nvvm_atom_add_gen_d, double)
__HEDDLE_ATOMICS(atomicExch, xchg)
__HEDDLE_EXTREMES(atomicMin, min)
__HEDDLE_EXTREMES(atomicMax, max)
__HEDDLE_ATOMICS(atomicAnd, and)
__HEDDLE_ATOMICS(atomicOr, or)
__HEDDLE_ATOMICS(atomicXor, xor)
__HEDDLE_ATOMIC(atomicInc, unsigned, __nvvm_atom_inc_gen_ui, unsigned)
__HEDDLE_ATOMIC(atomicDec, unsigned, __nvvm_atom_dec_gen_ui, unsigned)
__HEDDLE_CAS(int, __nvvm_atom_cas_gen_i, int)
__HEDDLE_CAS(unsigned, __nvvm_atom_cas_gen_i, int)
__HEDDLE_CAS(__heddle_ull, __nvvm_atom_cas_gen_ll, long long)

__HEDDLE_INLINE int atomicSub(int *address, int value) { return atomicAdd(address, -value); }
__HEDDLE_INLINE unsigned atomicSub(unsigned *address, unsigned value) {
    return atomicAdd(address, 0u - value);
}
__HEDDLE_INLINE float atomicExch(float *address, float value) {
    return __int_as_float(atomicExch((int *)address, __float_as_int(value)));
}
extern "C" __device__ unsigned short __usAtomicCAS(unsigned short *address, unsigned short compare,
                                                   unsigned short value);
__HEDDLE_INLINE unsigned short atomicCAS(unsigned short *address, unsigned short compare,
                                         unsigned short value) {
    return __usAtomicCAS(address, compare, value);
}
#undef __HEDDLE_ATOMIC
#undef __HEDDLE_ATOMICS
#undef __HEDDLE_EXTREMES
#undef __HEDDLE_CAS

#endif
