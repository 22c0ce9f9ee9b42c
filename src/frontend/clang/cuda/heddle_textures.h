/*
 * Textures by object. The object that a kernel is given stands for the array behind it, and the kernel
 * has parameters more for what else there is to know of it, which a job gives (docs/job.md):
 *
 *     tex.width, tex.height, tex.depth   in elements, as many as the texture has dimensions
 *     tex.normalized                     1: coordinates from 0 to 1
 *     tex.linear                         1: linear filtering, else the nearest element
 *     tex.address                        what lies outside, by CUDA's numbers (0 wrap, 1 clamp,
 *                                        2 mirror, 3 border)
 *
 * Elements are as the function returns them. A linear one reads two, four or eight, whose weights have
 * 8 bits behind the point.
 */
#ifndef HEDDLE_TEXTURES_H
#define HEDDLE_TEXTURES_H

extern "C" {
/* The array, whose elements have so many lanes of so many bits, of a kind: 0 float, 1 signed, 2 not. */
__device__ const void *__heddle_texture_data(cudaTextureObject_t, unsigned kind, unsigned bits,
                                             unsigned lanes) __attribute__((const));
__device__ int __heddle_texture_width(cudaTextureObject_t) __attribute__((const));
__device__ int __heddle_texture_height(cudaTextureObject_t) __attribute__((const));
__device__ int __heddle_texture_depth(cudaTextureObject_t) __attribute__((const));
__device__ int __heddle_texture_normalized(cudaTextureObject_t) __attribute__((const));
__device__ int __heddle_texture_linear(cudaTextureObject_t) __attribute__((const));
__device__ int __heddle_texture_address(cudaTextureObject_t) __attribute__((const));
__device__ int heddle_unknown_texture(void);
}

#define __HEDDLE_TEXTURE static __device__ __inline__ __attribute__((always_inline, unused))
#define __HEDDLE_SAMPLING __HEDDLE_TEXTURE
#include "heddle_sampling.h"
#undef __HEDDLE_SAMPLING

namespace heddle_textures {

template <typename T> struct element;
#define __HEDDLE_ELEMENT(T, of, kind, lanes)                                         \
    template <> struct element<T> {                                                  \
        static const bool is_filtered = !(kind);                                     \
        static __device__ const T *of_object(cudaTextureObject_t t) {                \
            return (const T *)__heddle_texture_data(t, kind, 8 * sizeof(of), lanes); \
        }                                                                            \
    };
#define __HEDDLE_ELEMENTS(T, name, kind)  \
    __HEDDLE_ELEMENT(T, T, kind, 1)       \
    __HEDDLE_ELEMENT(name##1, T, kind, 1) \
    __HEDDLE_ELEMENT(name##2, T, kind, 2) \
    __HEDDLE_ELEMENT(name##4, T, kind, 4)
__HEDDLE_ELEMENTS(float, float, 0)
__HEDDLE_ELEMENTS(int, int, 1)
__HEDDLE_ELEMENTS(unsigned, uint, 2)
__HEDDLE_ELEMENTS(short, short, 1)
__HEDDLE_ELEMENTS(unsigned short, ushort, 2)
__HEDDLE_ELEMENTS(signed char, char, 1)
__HEDDLE_ELEMENTS(unsigned char, uchar, 2)
__HEDDLE_ELEMENT(char, char, 1, 1)

/* Only floats are filtered. */
template <typename T> __HEDDLE_TEXTURE void add(T &sum, const T &v, float weight) { sum = v; }
__HEDDLE_TEXTURE void add(float &sum, float v, float weight) { sum += v * weight; }
__HEDDLE_TEXTURE void add(float1 &sum, float1 v, float weight) { sum.x += v.x * weight; }
__HEDDLE_TEXTURE void add(float2 &sum, float2 v, float weight) {
    sum.x += v.x * weight;
    sum.y += v.y * weight;
}
__HEDDLE_TEXTURE void add(float4 &sum, float4 v, float weight) {
    sum.x += v.x * weight;
    sum.y += v.y * weight;
    sum.z += v.z * weight;
    sum.w += v.w * weight;
}
template <typename T, int D>
__HEDDLE_TEXTURE T sample(cudaTextureObject_t t, float x, float y, float z) {
    const T *data = element<T>::of_object(t);
    bool is_normalized = __heddle_texture_normalized(t);
    bool is_linear = element<T>::is_filtered ? __heddle_texture_linear(t) : 0;
    int asked = __heddle_texture_address(t), address = is_normalized || asked == 3 ? asked : 1;
    int width = __heddle_texture_width(t), height = D > 1 ? __heddle_texture_height(t) : 1;
    int depth = D > 2 ? __heddle_texture_depth(t) : 1;
    float half = is_linear ? 0.5f : 0.0f, above_x, above_y = 0, above_z = 0;
    int low_x = __heddle_lower(x, is_normalized ? width : 1, half, address, &above_x);
    int low_y = 0, low_z = 0;
    if (D > 1)
        low_y = __heddle_lower(y, is_normalized ? height : 1, half, address, &above_y);
    if (D > 2)
        low_z = __heddle_lower(z, is_normalized ? depth : 1, half, address, &above_z);
    T sum = T();
    for (int corner = 0; corner < (is_linear ? 1 << D : 1); corner++) {
        int x_high = corner & 1, y_high = corner >> 1 & 1, z_high = corner >> 2;
        int i = __heddle_place(low_x + x_high, width, address), j = 0, k = 0;
        float weight = x_high ? above_x : 1 - above_x;
        if (D > 1) {
            j = __heddle_place(low_y + y_high, height, address);
            weight *= y_high ? above_y : 1 - above_y;
        }
        if (D > 2) {
            k = __heddle_place(low_z + z_high, depth, address);
            weight *= z_high ? above_z : 1 - above_z;
        }
        if (i >= 0 && j >= 0 && k >= 0) {
            T v = data[((size_t)k * height + j) * width + i];
            add(sum, v, is_linear ? weight : 1.0f);
        }
    }
    return sum;
}

template <typename T> __HEDDLE_TEXTURE T refused() {
    heddle_unknown_texture();
    return T();
}

} // namespace heddle_textures

#define __HEDDLE_FETCH(name, value, ...)                                                          \
    template <typename T> __HEDDLE_TEXTURE T name(cudaTextureObject_t t, __VA_ARGS__) {           \
        return heddle_textures::value;                                                            \
    }                                                                                             \
    template <typename T> __HEDDLE_TEXTURE void name(T *to, cudaTextureObject_t t, __VA_ARGS__) { \
        *to = heddle_textures::value;                                                             \
    }
#define __HEDDLE_SAMPLE(D, x, y, z) sample<T, D>(t, x, y, z)
__HEDDLE_FETCH(tex1Dfetch, element<T>::of_object(t)[i], int i)
__HEDDLE_FETCH(tex1D, __HEDDLE_SAMPLE(1, x, 0, 0), float x)
__HEDDLE_FETCH(tex2D, __HEDDLE_SAMPLE(2, x, y, 0), float x, float y)
__HEDDLE_FETCH(tex3D, __HEDDLE_SAMPLE(3, x, y, z), float x, float y, float z)
#undef __HEDDLE_FETCH
#undef __HEDDLE_SAMPLE

#define __HEDDLE_REFUSED(name)                                           \
    template <typename T, typename... A> __HEDDLE_TEXTURE T name(A...) { \
        return heddle_textures::refused<T>();                            \
    }
#define __HEDDLE_REFUSED_NAMES(X) \
    X(tex1DLod)                   \
    X(tex1DGrad)                  \
    X(tex1DLayered)               \
    X(tex1DLayeredLod)            \
    X(tex1DLayeredGrad)           \
    X(tex2DLod)                   \
    X(tex2DGrad)                  \
    X(tex2DLayered)               \
    X(tex2DLayeredLod)            \
    X(tex2DLayeredGrad)           \
    X(tex2Dgather)                \
    X(tex3DLod)                   \
    X(tex3DGrad)                  \
    X(texCubemap)                 \
    X(texCubemapLod)              \
    X(texCubemapGrad)             \
    X(texCubemapLayered)          \
    X(texCubemapLayeredLod)       \
    X(texCubemapLayeredGrad)
__HEDDLE_REFUSED_NAMES(__HEDDLE_REFUSED)
#undef __HEDDLE_REFUSED_NAMES

/* ---- surfaces, which are refused ------------------------------------------------------------- */

extern "C" __device__ int heddle_surface(void);
#define __HEDDLE_SURFACE(name)                                                         \
    template <typename T, typename... A> static __device__ T name##read(A...) {        \
        heddle_surface();                                                              \
        return T();                                                                    \
    }                                                                                  \
    template <typename T, typename... A> static __device__ void name##write(T, A...) { \
        heddle_surface();                                                              \
    }
__HEDDLE_SURFACE(surf1D)
__HEDDLE_SURFACE(surf2D)
__HEDDLE_SURFACE(surf3D)
__HEDDLE_SURFACE(surf2DLayered)
__HEDDLE_SURFACE(surf1DLayered)
__HEDDLE_SURFACE(surfCubemap)
__HEDDLE_SURFACE(surfCubemapLayered)
#undef __HEDDLE_SURFACE

#undef __HEDDLE_REFUSED
#undef __HEDDLE_TEXTURE
#undef __HEDDLE_ELEMENT
#undef __HEDDLE_ELEMENTS

#endif
