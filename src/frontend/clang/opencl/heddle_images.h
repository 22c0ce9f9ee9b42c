/*
 * Images as arrays, for analysis: row after row of elements of 16 bytes, of depth images 4.
 * All have the size that the option --images-as-arrays gives. A read or write is one access of
 * the element that the coordinates are in, wherever that is; nothing is filtered, and formats
 * convert nothing.
 *
 * Each kind of image is a pointer to another vector type, so that functions can be overloaded.
 */
#ifndef HEDDLE_IMAGES_H
#define HEDDLE_IMAGES_H

typedef __global uint4 *heddle_image1d_t;
typedef __global ushort8 *heddle_image1d_buffer_t;
typedef __global short8 *heddle_image1d_array_t;
typedef __global float4 *heddle_image2d_t;
typedef __global int4 *heddle_image2d_array_t;
typedef __global float *heddle_image2d_depth_t;
typedef __global uint *heddle_image2d_array_depth_t;
typedef __global uchar16 *heddle_image3d_t;
typedef uint heddle_sampler_t;

#define HEDDLE_IMAGE static inline __attribute__((overloadable, always_inline))

/* ---- coordinates --------------------------------------------------------------------- */

#define HEDDLE_COORDINATES(N, SIZE)                                                     \
    HEDDLE_IMAGE int##N heddle_texel(heddle_sampler_t s, int##N at) { return at; }      \
    HEDDLE_IMAGE int##N heddle_texel(heddle_sampler_t s, float##N at) {                 \
        return convert_int##N##_rtn(s & CLK_NORMALIZED_COORDS_TRUE ? at * (SIZE) : at); \
    }
HEDDLE_COORDINATES(, (float)HEDDLE_IMAGE_WIDTH)
HEDDLE_COORDINATES(2, (float2)(HEDDLE_IMAGE_WIDTH, HEDDLE_IMAGE_HEIGHT))
HEDDLE_COORDINATES(4, (float4)(HEDDLE_IMAGE_WIDTH, HEDDLE_IMAGE_HEIGHT, HEDDLE_IMAGE_DEPTH, 1))

HEDDLE_IMAGE long heddle_element(int at) { return at; }
HEDDLE_IMAGE long heddle_element(int2 at) { return (long)at.y * HEDDLE_IMAGE_WIDTH + at.x; }
HEDDLE_IMAGE long heddle_element(int4 at) {
    return ((long)at.z * HEDDLE_IMAGE_HEIGHT + at.y) * HEDDLE_IMAGE_WIDTH + at.x;
}

/* ---- reads and writes ---------------------------------------------------------------- */

/* Of the numbers that `ending` says: as type T in the program, of type M in memory. */
#define HEDDLE_ACCESS(I, N, ending, T, M, from_memory, to_memory)                                 \
    HEDDLE_IMAGE T heddle_read_image##ending(heddle_##I image, int##N at) {                       \
        return from_memory(*(const __global M *)(image + heddle_element(at)));                    \
    }                                                                                             \
    HEDDLE_IMAGE T heddle_read_image##ending(heddle_##I image, heddle_sampler_t s, int##N at) {   \
        return heddle_read_image##ending(image, at);                                              \
    }                                                                                             \
    HEDDLE_IMAGE T heddle_read_image##ending(heddle_##I image, heddle_sampler_t s, float##N at) { \
        return heddle_read_image##ending(image, heddle_texel(s, at));                             \
    }                                                                                             \
    HEDDLE_IMAGE void heddle_write_image##ending(heddle_##I image, int##N at, T color) {          \
        *(__global M *)(image + heddle_element(at)) = to_memory(color);                           \
    }
#ifdef cl_khr_fp16
#define HEDDLE_HALVES(I, N) HEDDLE_ACCESS(I, N, h, half4, float4, convert_half4, convert_float4)
#else
#define HEDDLE_HALVES(I, N)
#endif
#define HEDDLE_SIZES(I)                                                                         \
    HEDDLE_IMAGE int heddle_get_image_width(heddle_##I image) { return HEDDLE_IMAGE_WIDTH; }    \
    HEDDLE_IMAGE int heddle_get_image_channel_data_type(heddle_##I image) { return CLK_FLOAT; } \
    HEDDLE_IMAGE int heddle_get_image_channel_order(heddle_##I image) { return CLK_RGBA; }
#define HEDDLE_SIZES_2D(I, T, ...)                                                             \
    HEDDLE_SIZES(I)                                                                            \
    HEDDLE_IMAGE int heddle_get_image_height(heddle_##I image) { return HEDDLE_IMAGE_HEIGHT; } \
    HEDDLE_IMAGE T heddle_get_image_dim(heddle_##I image) { return (T)(__VA_ARGS__); }
#define HEDDLE_ARRAY_SIZE(I) \
    HEDDLE_IMAGE size_t heddle_get_image_array_size(heddle_##I image) { return HEDDLE_IMAGE_DEPTH; }
#define HEDDLE_COLORS(I, N)                    \
    HEDDLE_ACCESS(I, N, f, float4, float4, , ) \
    HEDDLE_ACCESS(I, N, i, int4, int4, , )     \
    HEDDLE_ACCESS(I, N, ui, uint4, uint4, , )  \
    HEDDLE_HALVES(I, N)

#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#endif
#define HEDDLE_PLANE HEDDLE_IMAGE_WIDTH, HEDDLE_IMAGE_HEIGHT
HEDDLE_COLORS(image1d_t, )
HEDDLE_SIZES(image1d_t)
HEDDLE_COLORS(image1d_buffer_t, )
HEDDLE_SIZES(image1d_buffer_t)
HEDDLE_COLORS(image1d_array_t, 2)
HEDDLE_SIZES(image1d_array_t)
HEDDLE_ARRAY_SIZE(image1d_array_t)
HEDDLE_COLORS(image2d_t, 2)
HEDDLE_SIZES_2D(image2d_t, int2, HEDDLE_PLANE)
HEDDLE_COLORS(image2d_array_t, 4)
HEDDLE_SIZES_2D(image2d_array_t, int2, HEDDLE_PLANE)
HEDDLE_ARRAY_SIZE(image2d_array_t)
HEDDLE_ACCESS(image2d_depth_t, 2, f, float, float, , )
HEDDLE_SIZES_2D(image2d_depth_t, int2, HEDDLE_PLANE)
HEDDLE_ACCESS(image2d_array_depth_t, 4, f, float, float, , )
HEDDLE_SIZES_2D(image2d_array_depth_t, int2, HEDDLE_PLANE)
HEDDLE_ARRAY_SIZE(image2d_array_depth_t)
HEDDLE_COLORS(image3d_t, 4)
HEDDLE_SIZES_2D(image3d_t, int4, HEDDLE_PLANE, HEDDLE_IMAGE_DEPTH, 0)
HEDDLE_IMAGE int heddle_get_image_depth(heddle_image3d_t image) { return HEDDLE_IMAGE_DEPTH; }

#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : disable
#endif

/* ---- blocks of cl_intel_subgroups: x counts bytes, a component is a row ----------------- */

HEDDLE_IMAGE __global uint *heddle_block(heddle_image2d_t image, int2 at, int row) {
    long first = ((long)at.y + row) * HEDDLE_IMAGE_WIDTH * 4 + at.x / 4;
    return (__global uint *)image + first + get_sub_group_local_id();
}
#define HEDDLE_ROW(row) *heddle_block(image, at, row)
#define HEDDLE_BLOCK(N, ...)                                                              \
    HEDDLE_IMAGE uint##N intel_sub_group_block_read##N(heddle_image2d_t image, int2 at) { \
        return (uint##N)(__VA_ARGS__);                                                    \
    }
HEDDLE_BLOCK(, HEDDLE_ROW(0))
HEDDLE_BLOCK(2, HEDDLE_ROW(0), HEDDLE_ROW(1))
HEDDLE_BLOCK(4, HEDDLE_ROW(0), HEDDLE_ROW(1), HEDDLE_ROW(2), HEDDLE_ROW(3))
HEDDLE_BLOCK(8, HEDDLE_ROW(0), HEDDLE_ROW(1), HEDDLE_ROW(2), HEDDLE_ROW(3), HEDDLE_ROW(4),
             HEDDLE_ROW(5), HEDDLE_ROW(6), HEDDLE_ROW(7))
HEDDLE_IMAGE void intel_sub_group_block_write(heddle_image2d_t image, int2 at, uint value) {
    HEDDLE_ROW(0) = value;
}

/* ---- their names in programs --------------------------------------------------------- */

#define image1d_t heddle_image1d_t
#define image1d_buffer_t heddle_image1d_buffer_t
#define image1d_array_t heddle_image1d_array_t
#define image2d_t heddle_image2d_t
#define image2d_array_t heddle_image2d_array_t
#define image2d_depth_t heddle_image2d_depth_t
#define image2d_array_depth_t heddle_image2d_array_depth_t
#define image3d_t heddle_image3d_t
#define sampler_t heddle_sampler_t
#define read_only
#define __read_only
#define write_only
#define __write_only
#define read_write
#define __read_write
#define read_imagef heddle_read_imagef
#define read_imagei heddle_read_imagei
#define read_imageui heddle_read_imageui
#define read_imageh heddle_read_imageh
#define write_imagef heddle_write_imagef
#define write_imagei heddle_write_imagei
#define write_imageui heddle_write_imageui
#define write_imageh heddle_write_imageh
#define get_image_width heddle_get_image_width
#define get_image_height heddle_get_image_height
#define get_image_depth heddle_get_image_depth
#define get_image_dim heddle_get_image_dim
#define get_image_array_size heddle_get_image_array_size
#define get_image_channel_data_type heddle_get_image_channel_data_type
#define get_image_channel_order heddle_get_image_channel_order

#endif
