/*
 * Built-in functions of OpenCL C that clang does not know: more reductions and scans of
 * work-groups, and sub-groups as Intel has them. Read before every file in OpenCL C.
 */
#ifndef HEDDLE_OPENCL_H
#define HEDDLE_OPENCL_H

#define HEDDLE_BUILTIN __attribute__((overloadable, convergent))

/* ---- cl_khr_work_group_uniform_arithmetic --------------------------------------------- */

#define HEDDLE_COLLECTIVES(T, suffix)                             \
    HEDDLE_BUILTIN T work_group_reduce_##suffix(T value);         \
    HEDDLE_BUILTIN T work_group_scan_inclusive_##suffix(T value); \
    HEDDLE_BUILTIN T work_group_scan_exclusive_##suffix(T value);
#define HEDDLE_COLLECTIVES_OF_INTEGERS(T) \
    HEDDLE_COLLECTIVES(T, mul)            \
    HEDDLE_COLLECTIVES(T, and)            \
    HEDDLE_COLLECTIVES(T, or)             \
    HEDDLE_COLLECTIVES(T, xor)
HEDDLE_COLLECTIVES_OF_INTEGERS(int)
HEDDLE_COLLECTIVES_OF_INTEGERS(uint)
HEDDLE_COLLECTIVES_OF_INTEGERS(long)
HEDDLE_COLLECTIVES_OF_INTEGERS(ulong)
HEDDLE_COLLECTIVES(int, logical_and)
HEDDLE_COLLECTIVES(int, logical_or)
HEDDLE_COLLECTIVES(int, logical_xor)
HEDDLE_COLLECTIVES(float, mul)
#ifdef cl_khr_fp64
HEDDLE_COLLECTIVES(double, mul)
#endif
#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
HEDDLE_COLLECTIVES(half, mul)
#pragma OPENCL EXTENSION cl_khr_fp16 : disable
#endif

/* ---- cl_intel_subgroups, with _char, _short and _long --------------------------------- */

#define HEDDLE_SHUFFLES(T)                                                     \
    HEDDLE_BUILTIN T intel_sub_group_shuffle(T value, uint lane);              \
    HEDDLE_BUILTIN T intel_sub_group_shuffle_xor(T value, uint bits);          \
    HEDDLE_BUILTIN T intel_sub_group_shuffle_up(T previous, T value, uint by); \
    HEDDLE_BUILTIN T intel_sub_group_shuffle_down(T value, T next, uint by);
#define HEDDLE_SHUFFLES_OF_ALL(T) \
    HEDDLE_SHUFFLES(T)            \
    HEDDLE_SHUFFLES(T##2)         \
    HEDDLE_SHUFFLES(T##3)         \
    HEDDLE_SHUFFLES(T##4)         \
    HEDDLE_SHUFFLES(T##8)         \
    HEDDLE_SHUFFLES(T##16)

#define HEDDLE_SHUFFLES_OF_ALL_NAMES(X) X(char) X(uchar) X(short) X(ushort) X(int) X(uint) X(float)
HEDDLE_SHUFFLES_OF_ALL_NAMES(HEDDLE_SHUFFLES_OF_ALL)
#undef HEDDLE_SHUFFLES_OF_ALL_NAMES
HEDDLE_SHUFFLES(long)
HEDDLE_SHUFFLES(ulong)
#ifdef cl_khr_fp64
HEDDLE_SHUFFLES(double)
#endif
#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
HEDDLE_SHUFFLES(half)
#pragma OPENCL EXTENSION cl_khr_fp16 : disable
#endif

#define HEDDLE_BLOCKS_OF(space, T, N, ending)                                         \
    HEDDLE_BUILTIN T##N intel_sub_group_block_read##ending(const space T *from);      \
    HEDDLE_BUILTIN void intel_sub_group_block_write##ending(space T *to, T##N value);
#define HEDDLE_BLOCKS(T, N, ending)          \
    HEDDLE_BLOCKS_OF(__global, T, N, ending) \
    HEDDLE_BLOCKS_OF(__local, T, N, ending)
#define HEDDLE_BLOCKS_OF_ALL(T, suffix) \
    HEDDLE_BLOCKS(T, , suffix)          \
    HEDDLE_BLOCKS(T, 2, suffix##2)      \
    HEDDLE_BLOCKS(T, 4, suffix##4)      \
    HEDDLE_BLOCKS(T, 8, suffix##8)

HEDDLE_BLOCKS_OF_ALL(uint, )
HEDDLE_BLOCKS_OF_ALL(uchar, _uc)
HEDDLE_BLOCKS_OF_ALL(ushort, _us)
HEDDLE_BLOCKS_OF_ALL(uint, _ui)
HEDDLE_BLOCKS_OF_ALL(ulong, _ul)
HEDDLE_BLOCKS(uchar, 16, _uc16)
HEDDLE_BLOCKS(ushort, 16, _us16)

#endif
