/*
 * Images of OpenCL C. An image is the array of its texels, row behind row and slice behind slice, with
 * its sizes and its format beside it, which these functions ask for (images.c). Reads and writes are
 * loads and stores of texels; what the standard says of coordinates (8.2), filters and conversions (8.3)
 * stands around them. Numbers of orders and types are the standard's.
 *
 * A format that is known when a kernel is compiled leaves one load of each texel and its conversion.
 * What the standard leaves open is so here: a coordinate that is no number is 0, writes and reads
 * without a sampler go to the place that the coordinates are in row by row, and filters have weights
 * as precise as a float.
 */
#ifndef HEDDLE_IMAGES_H
#define HEDDLE_IMAGES_H

#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_depth_images : enable
#pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable

#define HEDDLE_IMAGE inline __attribute__((overloadable, always_inline))
#define HEDDLE_ASKED __attribute__((overloadable, const))

/* Of versions after 1.2. */
#define HEDDLE_DEPTH 0x10bd
#define HEDDLE_sRGBA 0x10c1
#define HEDDLE_ABGR 0x10c3

/* x, y and z of coordinates and of sizes, as far as there are that many; else 0 and 1. */
typedef struct heddle_image {
    __global uchar *texels;
    int4 size;
    int order, type;
} heddle_image;

/* ---- formats --------------------------------------------------------------------------- */

HEDDLE_IMAGE bool heddle_is_packed(int type) {
    return type == CLK_UNORM_SHORT_565 || type == CLK_UNORM_SHORT_555 ||
           type == CLK_UNORM_INT_101010;
}

HEDDLE_IMAGE int heddle_channels(int order, int type) {
    if (heddle_is_packed(type) || order == CLK_R || order == CLK_A || order == CLK_INTENSITY ||
        order == CLK_LUMINANCE || order == HEDDLE_DEPTH)
        return 1;
    return order == CLK_RG || order == CLK_RA ? 2 : 4;
}

/* Of a channel, or of all in a packed format. */
HEDDLE_IMAGE int heddle_bytes(int type) {
    switch (type) {
    case CLK_SNORM_INT8:
    case CLK_UNORM_INT8:
    case CLK_SIGNED_INT8:
    case CLK_UNSIGNED_INT8: return 1;
    case CLK_SIGNED_INT32:
    case CLK_UNSIGNED_INT32:
    case CLK_FLOAT:
    case CLK_UNORM_INT_101010: return 4;
    default: return 2;
    }
}

/* What reads and writes them; others leave open what they do, and are asked about (images.c). */
#define HEDDLE_float 0
#define HEDDLE_int 1
#define HEDDLE_uint 2
#define HEDDLE_ANY 3
HEDDLE_IMAGE int heddle_kind(int type) {
    return type >= CLK_SIGNED_INT8 && type <= CLK_SIGNED_INT32       ? HEDDLE_int
           : type >= CLK_UNSIGNED_INT8 && type <= CLK_UNSIGNED_INT32 ? HEDDLE_uint
                                                                     : HEDDLE_float;
}

/* Channels in the order of memory, of any type, as red, green, blue and alpha; `one` is full alpha. */
#define HEDDLE_ORDERS(T)                                                       \
    HEDDLE_IMAGE T##4 heddle_colors(T##4 m, int order, T one) {                \
        switch (order) {                                                       \
        case CLK_A: return (T##4)(0, 0, 0, m.x);                               \
        case CLK_INTENSITY: return m.xxxx;                                     \
        case CLK_LUMINANCE: return (T##4)(m.xxx, one);                         \
        case CLK_RG: return (T##4)(m.xy, 0, one);                              \
        case CLK_RA: return (T##4)(m.x, 0, 0, m.y);                            \
        case CLK_RGB: return (T##4)(m.xyz, one);                               \
        case CLK_RGBA:                                                         \
        case HEDDLE_sRGBA: return m;                                           \
        case CLK_BGRA: return m.zyxw;                                          \
        case CLK_ARGB: return m.yzwx;                                          \
        case HEDDLE_ABGR: return m.wzyx;                                       \
        default: return (T##4)(m.x, 0, 0, one);                                \
        }                                                                      \
    }                                                                          \
    HEDDLE_IMAGE T##4 heddle_border(int order, T one) {                        \
        return (T##4)(0, 0, 0,                                                 \
                      order == CLK_R || order == CLK_RG || order == CLK_RGB || \
                              order == CLK_LUMINANCE                           \
                          ? one                                                \
                          : (T)0);                                             \
    }                                                                          \
    HEDDLE_IMAGE T##4 heddle_in_memory(T##4 c, int order) {                    \
        switch (order) {                                                       \
        case CLK_A: return c.wwww;                                             \
        case CLK_RA: return c.xwww;                                            \
        case CLK_BGRA: return c.zyxw;                                          \
        case CLK_ARGB: return c.wxyz;                                          \
        case HEDDLE_ABGR: return c.wzyx;                                       \
        default: return c;                                                     \
        }                                                                      \
    }
HEDDLE_ORDERS(float)
HEDDLE_ORDERS(int)
HEDDLE_ORDERS(uint)

/* ---- channels in memory, as bits ---------------------------------------------------------- */

#define HEDDLE_EACH_WIDTH(X) X(1, uchar, uchar) X(2, ushort, ushort) X(4, uint, uint)

#define HEDDLE_LOAD(N, T, U)                                                         \
    if (bytes == N && channels == 1)                                                 \
        return (uint4)(((const __global T *)i->texels)[at], 0, 0, 0);                \
    if (bytes == N && channels == 2)                                                 \
        return (uint4)(convert_uint2(((const __global T##2 *)i->texels)[at]), 0, 0); \
    if (bytes == N)                                                                  \
        return convert_uint4(((const __global T##4 *)i->texels)[at]);
HEDDLE_IMAGE uint4 heddle_load(__private const heddle_image *i, long at) {
    int bytes = heddle_bytes(i->type), channels = heddle_channels(i->order, i->type);
    HEDDLE_EACH_WIDTH(HEDDLE_LOAD)
    return 0;
}

#define HEDDLE_STORE(N, T, U)                                       \
    if (bytes == N && channels == 1)                                \
        ((__global T *)i->texels)[at] = (T)bits.x;                  \
    else if (bytes == N && channels == 2)                           \
        ((__global T##2 *)i->texels)[at] = convert_##U##2(bits.xy); \
    else if (bytes == N)                                            \
        ((__global T##4 *)i->texels)[at] = convert_##U##4(bits);
HEDDLE_IMAGE void heddle_store(__private const heddle_image *i, long at, uint4 bits) {
    int bytes = heddle_bytes(i->type), channels = heddle_channels(i->order, i->type);
    HEDDLE_EACH_WIDTH(HEDDLE_STORE)
}

/* ---- what they mean ------------------------------------------------------------------------- */

HEDDLE_IMAGE int4 heddle_signed(uint4 bits, int type) {
    int unused = 32 - 8 * heddle_bytes(type);
    return as_int4(bits << unused) >> unused;
}

/* Of fields of a packed format, the first one highest, so many bits each. */
HEDDLE_IMAGE float4 heddle_unpacked(uint bits, uint red, uint green, uint blue) {
    uint4 fields = (uint4)(bits >> (green + blue) & ((1u << red) - 1),
                           bits >> blue & ((1u << green) - 1), bits & ((1u << blue) - 1), 0);
    return convert_float4(fields) /
           (float4)((1u << red) - 1, (1u << green) - 1, (1u << blue) - 1, 1);
}
HEDDLE_IMAGE uint4 heddle_packed(float4 c, uint red, uint green, uint blue) {
    float4 most = (float4)((1u << red) - 1, (1u << green) - 1, (1u << blue) - 1, 1);
    uint4 fields = convert_uint4_sat_rte(fmin(fmax(c, 0.0f) * most, most));
    return (uint4)(fields.x << (green + blue) | fields.y << blue | fields.z, 0, 0, 0);
}

HEDDLE_IMAGE float heddle_linear(float c) {
    return c <= 0.04045f ? c / 12.92f : powr((c + 0.055f) / 1.055f, 2.4f);
}
HEDDLE_IMAGE float heddle_srgb(float c) {
    c = fmin(fmax(c, 0.0f), 1.0f);
    return c < 0.0031308f ? 12.92f * c : 1.055f * powr(c, 1.0f / 2.4f) - 0.055f;
}

HEDDLE_IMAGE float4 heddle_texel(__private const heddle_image *i, long at, float4 kind) {
    uint4 bits = heddle_load(i, at);
    float4 m = 0;
    switch (i->type) {
    case CLK_SNORM_INT8:
        m = fmax(convert_float4(heddle_signed(bits, i->type)) / 127.0f, -1.0f);
        break;
    case CLK_SNORM_INT16:
        m = fmax(convert_float4(heddle_signed(bits, i->type)) / 32767.0f, -1.0f);
        break;
    case CLK_UNORM_INT8: m = convert_float4(bits) / 255.0f; break;
    case CLK_UNORM_INT16: m = convert_float4(bits) / 65535.0f; break;
    case CLK_UNORM_SHORT_565: m = heddle_unpacked(bits.x, 5, 6, 5); break;
    case CLK_UNORM_SHORT_555: m = heddle_unpacked(bits.x, 5, 5, 5); break;
    case CLK_UNORM_INT_101010: m = heddle_unpacked(bits.x, 10, 10, 10); break;
    case CLK_HALF_FLOAT: m = convert_float4(as_half4(convert_ushort4(bits))); break;
    case CLK_FLOAT: m = as_float4(bits); break;
    }
    m = heddle_colors(m, i->order, 1.0f);
    if (i->order == HEDDLE_sRGBA)
        m.xyz = (float3)(heddle_linear(m.x), heddle_linear(m.y), heddle_linear(m.z));
    return m;
}
HEDDLE_IMAGE int4 heddle_texel(__private const heddle_image *i, long at, int4 kind) {
    return heddle_colors(heddle_signed(heddle_load(i, at), i->type), i->order, 1);
}
HEDDLE_IMAGE uint4 heddle_texel(__private const heddle_image *i, long at, uint4 kind) {
    return heddle_colors(heddle_load(i, at), i->order, 1u);
}

HEDDLE_IMAGE uint4 heddle_bits(float4 m, int type) {
    switch (type) {
    case CLK_SNORM_INT8: return convert_uint4(convert_char4_sat_rte(m * 127.0f));
    case CLK_SNORM_INT16: return convert_uint4(convert_short4_sat_rte(m * 32767.0f));
    case CLK_UNORM_INT8: return convert_uint4(convert_uchar4_sat_rte(m * 255.0f));
    case CLK_UNORM_INT16: return convert_uint4(convert_ushort4_sat_rte(m * 65535.0f));
    case CLK_UNORM_SHORT_565: return heddle_packed(m, 5, 6, 5);
    case CLK_UNORM_SHORT_555: return heddle_packed(m, 5, 5, 5);
    case CLK_UNORM_INT_101010: return heddle_packed(m, 10, 10, 10);
    case CLK_HALF_FLOAT: return convert_uint4(as_ushort4(convert_half4_rte(m)));
    default: return as_uint4(m);
    }
}
HEDDLE_IMAGE uint4 heddle_bits(int4 m, int type) {
    int bytes = heddle_bytes(type);
    return bytes == 1   ? convert_uint4(convert_char4_sat(m))
           : bytes == 2 ? convert_uint4(convert_short4_sat(m))
                        : as_uint4(m);
}
HEDDLE_IMAGE uint4 heddle_bits(uint4 m, int type) {
    int bytes = heddle_bytes(type);
    return bytes == 1   ? convert_uint4(convert_uchar4_sat(m))
           : bytes == 2 ? convert_uint4(convert_ushort4_sat(m))
                        : m;
}

/* ---- places ---------------------------------------------------------------------------------- */

HEDDLE_IMAGE long heddle_place(__private const heddle_image *i, int4 at, int dims) {
    long row = dims > 2 ? (long)at.z * i->size.y + at.y : at.y;
    return dims > 1 ? row * i->size.x + at.x : at.x;
}
HEDDLE_IMAGE bool heddle_is_inside(__private const heddle_image *i, int4 at, int dims) {
    return at.x >= 0 && at.x < i->size.x && (dims < 2 || (at.y >= 0 && at.y < i->size.y)) &&
           (dims < 3 || (at.z >= 0 && at.z < i->size.z));
}
HEDDLE_IMAGE int heddle_mode(int sampler) { return sampler & 0xe; }

/* The texels that a coordinate along one axis lies between, and how near the upper one is; without a
 * linear filter the lower one is it. */
typedef struct heddle_axis {
    int low, high;
    float above;
} heddle_axis;

HEDDLE_IMAGE heddle_axis heddle_along(float at, int size, int sampler, bool is_linear) {
    int mode = heddle_mode(sampler), last = size - 1;
    heddle_axis axis;
    if (mode == CLK_ADDRESS_REPEAT)
        at = (at - floor(at)) * size;
    else if (mode == CLK_ADDRESS_MIRRORED_REPEAT)
        at = fabs(at - 2.0f * rint(0.5f * at)) * size;
    else if (sampler & CLK_NORMALIZED_COORDS_TRUE)
        at *= size;
    at -= is_linear ? 0.5f : 0.0f;
    float low = floor(at);
    axis.above = at - low;
    axis.low = convert_int_sat(low);
    axis.high = convert_int_sat(low + 1.0f);
    if (mode == CLK_ADDRESS_REPEAT) {
        axis.low += axis.low < 0 ? size : axis.low > last ? -size : 0;
        axis.high -= axis.high > last ? size : 0;
    } else if (mode == CLK_ADDRESS_MIRRORED_REPEAT || mode == CLK_ADDRESS_CLAMP_TO_EDGE) {
        axis.low = clamp(axis.low, 0, last);
        axis.high = clamp(axis.high, 0, last);
    }
    return axis;
}

/* The layer of an array of images. */
HEDDLE_IMAGE int heddle_layer(float at, int count) {
    return clamp(convert_int_sat_rte(at), 0, count - 1);
}
HEDDLE_IMAGE int heddle_layer(int at, int count) { return clamp(at, 0, count - 1); }

/* ---- reads and writes -------------------------------------------------------------------------- */

HEDDLE_IMAGE float4 heddle_weighted(float4 sum, float4 texel, float weight) {
    return sum + texel * weight;
}
HEDDLE_IMAGE int4 heddle_weighted(int4 sum, int4 texel, float weight) { return texel; }
HEDDLE_IMAGE uint4 heddle_weighted(uint4 sum, uint4 texel, float weight) { return texel; }

/* Where `layers` says so the last coordinate is the number of an image, which is not filtered. */
#define HEDDLE_READS(T, FILTERS)                                                                   \
    HEDDLE_IMAGE T##4 heddle_fetch(__private const heddle_image *i, int sampler, int4 at,          \
                                   int dims, T one) {                                              \
        if (heddle_mode(sampler) == CLK_ADDRESS_CLAMP && !heddle_is_inside(i, at, dims))           \
            return heddle_border(i->order, one);                                                   \
        return heddle_texel(i, heddle_place(i, at, dims), (T##4)(0));                              \
    }                                                                                              \
    HEDDLE_IMAGE T##4 heddle_read(__private const heddle_image *i, int4 at, int dims, bool layers, \
                                  T one) {                                                         \
        return heddle_texel(i, heddle_place(i, at, dims), (T##4)(0));                              \
    }                                                                                              \
    HEDDLE_IMAGE T##4 heddle_read(__private const heddle_image *i, int sampler, int4 at, int dims, \
                                  bool layers, T one) {                                            \
        int mode = heddle_mode(sampler);                                                           \
        if (layers && dims == 2)                                                                   \
            at.y = heddle_layer(at.y, i->size.y);                                                  \
        if (layers && dims == 3)                                                                   \
            at.z = heddle_layer(at.z, i->size.z);                                                  \
        if (mode != CLK_ADDRESS_NONE && mode != CLK_ADDRESS_CLAMP)                                 \
            at = clamp(at, (int4)(0), i->size - 1);                                                \
        return heddle_fetch(i, sampler, at, dims, one);                                            \
    }                                                                                              \
    HEDDLE_IMAGE T##4 heddle_read(__private const heddle_image *i, int sampler, float4 at,         \
                                  int dims, bool layers, T one) {                                  \
        bool is_linear = FILTERS && sampler & CLK_FILTER_LINEAR;                                   \
        int axes = layers ? dims - 1 : dims;                                                       \
        heddle_axis x = heddle_along(at.x, i->size.x, sampler, is_linear), y = {0}, z = {0};       \
        if (axes > 1)                                                                              \
            y = heddle_along(at.y, i->size.y, sampler, is_linear);                                 \
        else if (layers)                                                                           \
            y.low = y.high = heddle_layer(at.y, i->size.y);                                        \
        if (axes > 2)                                                                              \
            z = heddle_along(at.z, i->size.z, sampler, is_linear);                                 \
        else if (layers && dims == 3)                                                              \
            z.low = z.high = heddle_layer(at.z, i->size.z);                                        \
        if (!is_linear)                                                                            \
            return heddle_fetch(i, sampler, (int4)(x.low, y.low, z.low, 0), dims, one);            \
        T##4 sum = 0;                                                                              \
        for (int corner = 0; corner < 1 << axes; corner++) {                                       \
            bool right = corner & 1, below = corner & 2, behind = corner & 4;                      \
            int4 place = (int4)(right ? x.high : x.low, below ? y.high : y.low,                    \
                                behind ? z.high : z.low, 0);                                       \
            float weight = right ? x.above : 1.0f - x.above;                                       \
            if (axes > 1)                                                                          \
                weight *= below ? y.above : 1.0f - y.above;                                        \
            if (axes > 2)                                                                          \
                weight *= behind ? z.above : 1.0f - z.above;                                       \
            sum = heddle_weighted(sum, heddle_fetch(i, sampler, place, dims, one), weight);        \
        }                                                                                          \
        return sum;                                                                                \
    }
HEDDLE_READS(float, true)
HEDDLE_READS(int, false)
HEDDLE_READS(uint, false)

HEDDLE_IMAGE void heddle_write(__private const heddle_image *i, int4 at, int dims, float4 c) {
    if (i->order == HEDDLE_sRGBA)
        c.xyz = (float3)(heddle_srgb(c.x), heddle_srgb(c.y), heddle_srgb(c.z));
    heddle_store(i, heddle_place(i, at, dims), heddle_bits(heddle_in_memory(c, i->order), i->type));
}
HEDDLE_IMAGE void heddle_write(__private const heddle_image *i, int4 at, int dims, int4 c) {
    heddle_store(i, heddle_place(i, at, dims), heddle_bits(heddle_in_memory(c, i->order), i->type));
}
HEDDLE_IMAGE void heddle_write(__private const heddle_image *i, int4 at, int dims, uint4 c) {
    heddle_store(i, heddle_place(i, at, dims), heddle_bits(heddle_in_memory(c, i->order), i->type));
}

/* ---- the functions of the language ---------------------------------------------------------------- */

int __heddle_sampler(sampler_t) HEDDLE_ASKED;

/* Of a coordinate, as four. */
#define HEDDLE_OF_1D(T, at) ((T##4)((at), 0, 0, 0))
#define HEDDLE_OF_2D(T, at) ((T##4)((at), 0, 0))
#define HEDDLE_OF_4D(T, at) (at)
/* The sizes of an image, each asked for where it is needed. */
#define HEDDLE_SIZE_1D(I) ((int4)(__heddle_image_width(I), 1, 1, 1))
#define HEDDLE_SIZE_1D_ARRAY(I) ((int4)(__heddle_image_width(I), __heddle_image_depth(I), 1, 1))
#define HEDDLE_SIZE_2D(I) ((int4)(__heddle_image_width(I), __heddle_image_height(I), 1, 1))
#define HEDDLE_SIZE_3D(I)                                                                   \
    ((int4)(__heddle_image_width(I), __heddle_image_height(I), __heddle_image_depth(I), 1))

/* X(type, vector of coordinates, their number in place of axes, sizes, axes with layers, layers) */
#define HEDDLE_EACH_KIND(A, X)                     \
    X(A image1d_t, , 1D, 1D, 1, false)             \
    X(A image1d_buffer_t, , 1D, 1D, 1, false)      \
    X(A image1d_array_t, 2, 2D, 1D_ARRAY, 2, true) \
    X(A image2d_t, 2, 2D, 2D, 2, false)            \
    X(A image2d_array_t, 4, 4D, 3D, 3, true)       \
    X(A image3d_t, 4, 4D, 3D, 3, false)
#define HEDDLE_EACH_DEPTH(A, X)                    \
    X(A image2d_depth_t, 2, 2D, 2D, 2, false)      \
    X(A image2d_array_depth_t, 4, 4D, 3D, 3, true)

#define HEDDLE_ASK(I, N, OF, SIZE, DIMS, LAYERS)                                                 \
    __global void *__heddle_image_texels(I) HEDDLE_ASKED;                                        \
    int __heddle_image_width(I) HEDDLE_ASKED;                                                    \
    int __heddle_image_height(I) HEDDLE_ASKED;                                                   \
    int __heddle_image_depth(I) HEDDLE_ASKED;                                                    \
    int __heddle_image_order(I) HEDDLE_ASKED;                                                    \
    int __heddle_image_type(I) HEDDLE_ASKED;                                                     \
    void __heddle_image_other(I) __attribute__((overloadable));                                  \
    HEDDLE_IMAGE heddle_image heddle_of(I image, int kind) {                                     \
        heddle_image i;                                                                          \
        i.texels = (__global uchar *)__heddle_image_texels(image);                               \
        i.size = HEDDLE_SIZE_##SIZE(image);                                                      \
        i.order = __heddle_image_order(image);                                                   \
        i.type = __heddle_image_type(image);                                                     \
        if (kind != HEDDLE_ANY && heddle_kind(i.type) != kind)                                   \
            __heddle_image_other(image);                                                         \
        return i;                                                                                \
    }                                                                                            \
    HEDDLE_IMAGE int get_image_width(I image) { return __heddle_image_width(image); }            \
    HEDDLE_IMAGE int get_image_channel_order(I image) { return __heddle_image_order(image); }    \
    HEDDLE_IMAGE int get_image_channel_data_type(I image) { return __heddle_image_type(image); }

#define HEDDLE_READ_OF(I, N, OF, DIMS, LAYERS, name, R, T, part)                                   \
    HEDDLE_IMAGE R name(I image, int##N at) {                                                      \
        heddle_image i = heddle_of(image, HEDDLE_##T);                                             \
        T##4 c = heddle_read(&i, HEDDLE_OF_##OF(int, at), DIMS, LAYERS, (T)1);                     \
        return part;                                                                               \
    }                                                                                              \
    HEDDLE_IMAGE R name(I image, sampler_t sampler, int##N at) {                                   \
        heddle_image i = heddle_of(image, HEDDLE_##T);                                             \
        T##4 c = heddle_read(&i, __heddle_sampler(sampler), HEDDLE_OF_##OF(int, at), DIMS, LAYERS, \
                             (T)1);                                                                \
        return part;                                                                               \
    }                                                                                              \
    HEDDLE_IMAGE R name(I image, sampler_t sampler, float##N at) {                                 \
        heddle_image i = heddle_of(image, HEDDLE_##T);                                             \
        T##4 c = heddle_read(&i, __heddle_sampler(sampler), HEDDLE_OF_##OF(float, at), DIMS,       \
                             LAYERS, (T)1);                                                        \
        return part;                                                                               \
    }
#define HEDDLE_READ(I, N, OF, SIZE, DIMS, LAYERS)                                       \
    HEDDLE_READ_OF(I, N, OF, DIMS, LAYERS, read_imagef, float4, float, c)               \
    HEDDLE_READ_OF(I, N, OF, DIMS, LAYERS, read_imagei, int4, int, c)                   \
    HEDDLE_READ_OF(I, N, OF, DIMS, LAYERS, read_imageui, uint4, uint, c)                \
    HEDDLE_READ_OF(I, N, OF, DIMS, LAYERS, read_imageh, half4, float, convert_half4(c))
#define HEDDLE_READ_DEPTH(I, N, OF, SIZE, DIMS, LAYERS)                    \
    HEDDLE_READ_OF(I, N, OF, DIMS, LAYERS, read_imagef, float, float, c.x)

#define HEDDLE_WRITE_OF(I, N, OF, DIMS, name, T, K, c)      \
    HEDDLE_IMAGE void name(I image, int##N at, T color) {   \
        heddle_image i = heddle_of(image, HEDDLE_##K);      \
        heddle_write(&i, HEDDLE_OF_##OF(int, at), DIMS, c); \
    }
#define HEDDLE_WRITE(I, N, OF, SIZE, DIMS, LAYERS)                                     \
    HEDDLE_WRITE_OF(I, N, OF, DIMS, write_imagef, float4, float, color)                \
    HEDDLE_WRITE_OF(I, N, OF, DIMS, write_imagei, int4, int, color)                    \
    HEDDLE_WRITE_OF(I, N, OF, DIMS, write_imageui, uint4, uint, color)                 \
    HEDDLE_WRITE_OF(I, N, OF, DIMS, write_imageh, half4, float, convert_float4(color))
#define HEDDLE_WRITE_DEPTH(I, N, OF, SIZE, DIMS, LAYERS)                                  \
    HEDDLE_WRITE_OF(I, N, OF, DIMS, write_imagef, float, float, (float4)(color, 0, 0, 1))

#define HEDDLE_HEIGHT(I)                                                                \
    HEDDLE_IMAGE int get_image_height(I image) { return __heddle_image_height(image); }
#define HEDDLE_PLANE(I)                                                           \
    HEDDLE_HEIGHT(I)                                                              \
    HEDDLE_IMAGE int2 get_image_dim(I image) {                                    \
        return (int2)(__heddle_image_width(image), __heddle_image_height(image)); \
    }
#define HEDDLE_LAYERS(I)                                \
    HEDDLE_IMAGE size_t get_image_array_size(I image) { \
        return (size_t)__heddle_image_depth(image);     \
    }
#define HEDDLE_SIZES(A)                                                                         \
    HEDDLE_LAYERS(A image1d_array_t)                                                            \
    HEDDLE_PLANE(A image2d_t)                                                                   \
    HEDDLE_PLANE(A image2d_depth_t)                                                             \
    HEDDLE_PLANE(A image2d_array_t)                                                             \
    HEDDLE_LAYERS(A image2d_array_t)                                                            \
    HEDDLE_PLANE(A image2d_array_depth_t)                                                       \
    HEDDLE_LAYERS(A image2d_array_depth_t)                                                      \
    HEDDLE_HEIGHT(A image3d_t)                                                                  \
    HEDDLE_IMAGE int get_image_depth(A image3d_t image) { return __heddle_image_depth(image); } \
    HEDDLE_IMAGE int4 get_image_dim(A image3d_t image) {                                        \
        return (int4)(__heddle_image_width(image), __heddle_image_height(image),                \
                      __heddle_image_depth(image), 0);                                          \
    }

#define HEDDLE_FOR(A)                \
    HEDDLE_EACH_KIND(A, HEDDLE_ASK)  \
    HEDDLE_EACH_DEPTH(A, HEDDLE_ASK) \
    HEDDLE_SIZES(A)
#define HEDDLE_READS_OF(A)                  \
    HEDDLE_EACH_KIND(A, HEDDLE_READ)        \
    HEDDLE_EACH_DEPTH(A, HEDDLE_READ_DEPTH)
#define HEDDLE_WRITES_OF(A)                  \
    HEDDLE_EACH_KIND(A, HEDDLE_WRITE)        \
    HEDDLE_EACH_DEPTH(A, HEDDLE_WRITE_DEPTH)
HEDDLE_FOR(__read_only)
HEDDLE_READS_OF(__read_only)
HEDDLE_FOR(__write_only)
HEDDLE_WRITES_OF(__write_only)
#if __OPENCL_C_VERSION__ >= 200
HEDDLE_FOR(__read_write)
HEDDLE_READS_OF(__read_write)
HEDDLE_WRITES_OF(__read_write)
#endif

/* ---- blocks of cl_intel_subgroups: x counts bytes, a component is a row ----------------- */

#if __OPENCL_C_VERSION__ >= 200
HEDDLE_IMAGE __global uint *heddle_block(__private const heddle_image *i, int2 at, int row) {
    long bytes = (long)heddle_bytes(i->type) * heddle_channels(i->order, i->type) * i->size.x;
    return (__global uint *)(i->texels + ((long)at.y + row) * bytes) + at.x / 4 +
           get_sub_group_local_id();
}
#define HEDDLE_ROW(row) *heddle_block(&i, at, row)
#define HEDDLE_BLOCK(N, ...)                                                                   \
    HEDDLE_IMAGE uint##N intel_sub_group_block_read##N(__read_only image2d_t image, int2 at) { \
        heddle_image i = heddle_of(image, HEDDLE_ANY);                                         \
        return (uint##N)(__VA_ARGS__);                                                         \
    }
HEDDLE_BLOCK(, HEDDLE_ROW(0))
HEDDLE_BLOCK(2, HEDDLE_ROW(0), HEDDLE_ROW(1))
HEDDLE_BLOCK(4, HEDDLE_ROW(0), HEDDLE_ROW(1), HEDDLE_ROW(2), HEDDLE_ROW(3))
HEDDLE_BLOCK(8, HEDDLE_ROW(0), HEDDLE_ROW(1), HEDDLE_ROW(2), HEDDLE_ROW(3), HEDDLE_ROW(4),
             HEDDLE_ROW(5), HEDDLE_ROW(6), HEDDLE_ROW(7))
HEDDLE_IMAGE void intel_sub_group_block_write(__write_only image2d_t image, int2 at, uint value) {
    heddle_image i = heddle_of(image, HEDDLE_ANY);
    HEDDLE_ROW(0) = value;
}
#endif

#pragma OPENCL EXTENSION cl_khr_fp16 : disable
#pragma OPENCL EXTENSION cl_khr_depth_images : disable
#pragma OPENCL EXTENSION cl_khr_3d_image_writes : disable

#endif
