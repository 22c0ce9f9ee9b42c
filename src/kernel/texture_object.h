/*
 * What a texture or surface object is: its handle is the address of such a description, in memory that
 * kernels read. Programs make them (src/cuda); the functions that read and write what they describe are
 * in frontend/ptx/sampling, which is compiled for kernels and so takes no other header of the host.
 * Recordings hold such descriptions, so that a change of it makes those of before worthless.
 */
#ifndef HD_TEXTURE_OBJECT_H
#define HD_TEXTURE_OBJECT_H

#include <stdint.h>

enum { KIR_TEXTURE_LEVELS = 16 };

/* Numbers of channels. */
enum { KIR_TEXTURE_SIGNED, KIR_TEXTURE_UNSIGNED, KIR_TEXTURE_FLOAT };

enum {
    KIR_TEXTURE_NORMALIZED = 1, /* coordinates from 0 to 1 */
    KIR_TEXTURE_LINEAR = 2,     /* else the nearest texel */
    KIR_TEXTURE_BETWEEN_LEVELS = 4,
    KIR_TEXTURE_AS_FLOAT = 8, /* integers are read as numbers from 0 or -1 to 1 */
    KIR_TEXTURE_SRGB = 16
};

/* Texels of one level: bytes from row to row, and from plane or layer to the next. */
typedef struct kir_texture_level {
    uint64_t texels, row, plane;
    uint32_t width, height, depth, unused;
    float scale[4]; /* what coordinates are multiplied by: sizes, or 1 */
} kir_texture_level;

/* With what can be known beforehand, since every texel is read by it. */
typedef struct kir_texture {
    uint32_t bytes, bits, channels, kind; /* of a texel; bits of a channel */
    uint32_t flags;
    uint32_t address[3]; /* by CUDA's numbers: 0 wrap, 1 clamp, 2 mirror, 3 border; those alone that
                            coordinates have */
    uint32_t levels;
    uint32_t layers;     /* faces of cubes among them; 0: it has none */
    uint32_t mask, sign; /* of a channel: its bits, and that of them which is its sign, or 0 */
    float most;          /* what a channel is divided by that is read as a float */
    float half;          /* what is taken off coordinates: 0.5 with the linear filter */
    uint32_t base;       /* the level of who asks for none */
    uint32_t unused;
    float border[4];
    float bias, least_level, most_level;
    kir_texture_level level[KIR_TEXTURE_LEVELS];
} kir_texture;

#endif
