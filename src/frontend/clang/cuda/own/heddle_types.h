/* The vector types of CUDA C, with the alignment that CUDA gives them, and dim3. */
#ifndef HEDDLE_TYPES_H
#define HEDDLE_TYPES_H

#define __HEDDLE_VECTORS(T, name, align2, align4)                                             \
    struct name##1 { T x; };                                                                  \
    struct __attribute__((aligned(align2))) name##2 { T x, y; };                              \
    struct name##3 { T x, y, z; };                                                            \
    struct __attribute__((aligned(align4))) name##4 { T x, y, z, w; };                        \
    static __inline__ __host__ __device__ name##1 make_##name##1(T x) { return name##1 {x}; } \
    static __inline__ __host__ __device__ name##2 make_##name##2(T x, T y) {                  \
        return name##2 {x, y};                                                                \
    }                                                                                         \
    static __inline__ __host__ __device__ name##3 make_##name##3(T x, T y, T z) {             \
        return name##3 {x, y, z};                                                             \
    }                                                                                         \
    static __inline__ __host__ __device__ name##4 make_##name##4(T x, T y, T z, T w) {        \
        return name##4 {x, y, z, w};                                                          \
    }
__HEDDLE_VECTORS(signed char, char, 2, 4)
__HEDDLE_VECTORS(unsigned char, uchar, 2, 4)
__HEDDLE_VECTORS(short, short, 4, 8)
__HEDDLE_VECTORS(unsigned short, ushort, 4, 8)
__HEDDLE_VECTORS(int, int, 8, 16)
__HEDDLE_VECTORS(unsigned, uint, 8, 16)
__HEDDLE_VECTORS(long, long, 16, 16)
__HEDDLE_VECTORS(unsigned long, ulong, 16, 16)
__HEDDLE_VECTORS(long long, longlong, 16, 16)
__HEDDLE_VECTORS(unsigned long long, ulonglong, 16, 16)
__HEDDLE_VECTORS(float, float, 8, 16)
__HEDDLE_VECTORS(double, double, 16, 16)
#undef __HEDDLE_VECTORS

struct dim3 {
    unsigned x, y, z;
    __host__ __device__ constexpr dim3(unsigned vx = 1, unsigned vy = 1, unsigned vz = 1)
        : x(vx), y(vy), z(vz) {}
    __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    __host__ __device__ constexpr operator uint3() const { return uint3{x, y, z}; }
};

#endif
