/*
 * What a texture or surface object is: its handle is the address of such a description, in memory that
 * kernels read. Programs make them (src/cuda); the functions that read and write what they describe are
 * in frontend/ptx/sampling, which is compiled for kernels and so takes no other header of the host.
 */
#ifndef HD_TEXTURE_H
#define HD_TEXTURE_H

#include <stdint.h>

enum { KIR_TEXTURE_LEVELS = 16 };

/* Numbers of channels. */
enum { KIR_TEXTURE_SIGNED, KIR_TEXTURE_UNSIGNED, KIR_TEXTURE_FLOAT };

enum {
    KIR_TEXTURE_NORMALIZED = 1, /* coordinates from 0 to 1 */
    KIR_TEXTURE_LINEAR = 2,     /* else the nearest texel */
    KIR_TEXTURE_BETWEEN_LEVELS = 4,
    KIR_TEXTURE_AS_FLOAT = 8, /* integers are read as numbers from 0 or -1 to 1 */
    KIR_TEXTURE_SRGB = 16,
    KIR_TEXTURE_OF_MEMORY = 32 /* of one dimension, without an array: zeros outside */
};

/* Texels of one level: bytes from row to row, and from plane or layer to the next. */
typedef struct kir_texture_level {
    uint64_t texels, row, plane;
    uint32_t width, height, depth, unused;
} kir_texture_level;

typedef struct kir_texture {
    uint32_t bits, channels, kind; /* of a texel; bits of each channel */
    uint32_t flags;
    uint32_t address[3]; /* by CUDA's numbers: 0 wrap, 1 clamp, 2 mirror, 3 border */
    uint32_t levels;
    uint32_t layers; /* faces of cubes among them; 0: it has none */
    float border[4];
    float bias, least_level, most_level;
    kir_texture_level level[KIR_TEXTURE_LEVELS];
} kir_texture;

#endif
