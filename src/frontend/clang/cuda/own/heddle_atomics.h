/* Atomic functions of CUDA C, on clang's built-ins. */
#ifndef HEDDLE_ATOMICS_H
#define HEDDLE_ATOMICS_H

#define __HEDDLE_ATOMIC(name, T, builtin, P)                   \
    static __device__ __inline__ T name(T *address, T value) { \
        return (T)builtin((P *)address, (P)value);             \
    }
#define __HEDDLE_CAS(T, builtin, P)                                            \
    static __device__ __inline__ T atomicCAS(T *address, T compare, T value) { \
        return (T)builtin((P *)address, (P)compare, (P)value);                 \
    }
typedef unsigned long long __heddle_ull;

__HEDDLE_ATOMIC(atomicAdd, int, __nvvm_atom_add_gen_i, int)
__HEDDLE_ATOMIC(atomicAdd, unsigned, __nvvm_atom_add_gen_i, int)
__HEDDLE_ATOMIC(atomicAdd, __heddle_ull, __nvvm_atom_add_gen_ll, long long)
__HEDDLE_ATOMIC(atomicAdd, float, __nvvm_atom_add_gen_f, float)
__HEDDLE_ATOMIC(atomicAdd, double, __nvvm_atom_add_gen_d, double)
__HEDDLE_ATOMIC(atomicExch, int, __nvvm_atom_xchg_gen_i, int)
__HEDDLE_ATOMIC(atomicExch, unsigned, __nvvm_atom_xchg_gen_i, int)
__HEDDLE_ATOMIC(atomicExch, __heddle_ull, __nvvm_atom_xchg_gen_ll, long long)
__HEDDLE_ATOMIC(atomicMin, int, __nvvm_atom_min_gen_i, int)
__HEDDLE_ATOMIC(atomicMin, unsigned, __nvvm_atom_min_gen_ui, unsigned)
__HEDDLE_ATOMIC(atomicMin, long long, __nvvm_atom_min_gen_ll, long long)
__HEDDLE_ATOMIC(atomicMin, __heddle_ull, __nvvm_atom_min_gen_ull, __heddle_ull)
__HEDDLE_ATOMIC(atomicMax, int, __nvvm_atom_max_gen_i, int)
__HEDDLE_ATOMIC(atomicMax, unsigned, __nvvm_atom_max_gen_ui, unsigned)
__HEDDLE_ATOMIC(atomicMax, long long, __nvvm_atom_max_gen_ll, long long)
__HEDDLE_ATOMIC(atomicMax, __heddle_ull, __nvvm_atom_max_gen_ull, __heddle_ull)
__HEDDLE_ATOMIC(atomicAnd, int, __nvvm_atom_and_gen_i, int)
__HEDDLE_ATOMIC(atomicAnd, unsigned, __nvvm_atom_and_gen_i, int)
__HEDDLE_ATOMIC(atomicAnd, __heddle_ull, __nvvm_atom_and_gen_ll, long long)
__HEDDLE_ATOMIC(atomicOr, int, __nvvm_atom_or_gen_i, int)
__HEDDLE_ATOMIC(atomicOr, unsigned, __nvvm_atom_or_gen_i, int)
__HEDDLE_ATOMIC(atomicOr, __heddle_ull, __nvvm_atom_or_gen_ll, long long)
__HEDDLE_ATOMIC(atomicXor, int, __nvvm_atom_xor_gen_i, int)
__HEDDLE_ATOMIC(atomicXor, unsigned, __nvvm_atom_xor_gen_i, int)
__HEDDLE_ATOMIC(atomicXor, __heddle_ull, __nvvm_atom_xor_gen_ll, long long)
__HEDDLE_ATOMIC(atomicInc, unsigned, __nvvm_atom_inc_gen_ui, unsigned)
__HEDDLE_ATOMIC(atomicDec, unsigned, __nvvm_atom_dec_gen_ui, unsigned)
__HEDDLE_CAS(int, __nvvm_atom_cas_gen_i, int)
__HEDDLE_CAS(unsigned, __nvvm_atom_cas_gen_i, int)
__HEDDLE_CAS(__heddle_ull, __nvvm_atom_cas_gen_ll, long long)

static __device__ __inline__ int atomicSub(int *address, int value) {
    return atomicAdd(address, -value);
}
static __device__ __inline__ unsigned atomicSub(unsigned *address, unsigned value) {
    return atomicAdd(address, 0u - value);
}
static __device__ __inline__ float atomicExch(float *address, float value) {
    return __int_as_float(atomicExch((int *)address, __float_as_int(value)));
}
extern "C" __device__ unsigned short __usAtomicCAS(unsigned short *address, unsigned short compare,
                                                   unsigned short value);
static __device__ __inline__ unsigned short
atomicCAS(unsigned short *address, unsigned short compare, unsigned short value) {
    return __usAtomicCAS(address, compare, value);
}
#undef __HEDDLE_ATOMIC
#undef __HEDDLE_CAS

#endif
