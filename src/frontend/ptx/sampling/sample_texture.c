/*
 * What PTX's instructions for textures and surfaces do, as functions of kernels. The build compiles this
 * to PTX, which becomes a part of each text that has such instructions (parse.c), and texture.c lowers
 * them to calls.
 *
 *     tex.2d.v4.f32.f32 {...}, [object, {x, y}]      __heddle_tex_2d(object, 0, x, y, 0)
 *
 * Results are four words: floats, or the bits of integers. Formulas are those of the appendix on texture
 * fetching of CUDA's guide. What an object says is read as constant memory, which is not counted with the
 * texels, that are in global memory. Each function has the code that reads a texel once, in a loop, since
 * it is inlined wherever it is called.
 */
#include "kernel/texture_object.h"

#define INSIDE static inline __attribute__((always_inline))
#define __HEDDLE_SAMPLING INSIDE
#include "frontend/clang/cuda/heddle_sampling.h"

typedef __attribute__((address_space(4))) const kir_texture texture;
typedef __attribute__((address_space(4))) const kir_texture_level level;
#define GLOBAL __attribute__((address_space(1)))
typedef uint32_t words __attribute__((ext_vector_type(4)));
typedef uint32_t pair __attribute__((ext_vector_type(2)));
typedef float colour __attribute__((ext_vector_type(4)));

enum { ONE = 0x3f800000 };

/* ---- a texel ---------------------------------------------------------------------------------- */

INSIDE words load(uint64_t at, uint32_t bytes) {
    words w = {0, 0, 0, 0};
    switch (bytes) {
    case 1: w.x = *(const GLOBAL uint8_t *)at; break;
    case 2: w.x = *(const GLOBAL uint16_t *)at; break;
    case 4: w.x = *(const GLOBAL uint32_t *)at; break;
    case 8: w.xy = *(const GLOBAL pair *)at; break;
    default: w = *(const GLOBAL words *)at;
    }
    return w;
}

INSIDE uint32_t bits_of(float number) {
    union {
        float number;
        uint32_t bits;
    } is = {number};
    return is.bits;
}

INSIDE float of_bits(uint32_t bits) {
    union {
        uint32_t bits;
        float number;
    } is = {bits};
    return is.number;
}

INSIDE float of_half(uint32_t bits) {
    union {
        uint16_t bits;
        _Float16 number;
    } is = {(uint16_t)bits};
    return (float)is.number;
}

INSIDE float linear_of_srgb(float c) {
    return c <= 0.04045f ? c / 12.92f
                         : __nvvm_ex2_approx_f(2.4f * __nvvm_lg2_approx_f((c + 0.055f) / 1.055f));
}

/* The channels of what was read; those that a texel has not are 0, and the last one is 1. */
INSIDE words channels_of(texture *t, words raw) {
    const uint32_t bits = t->bits, channels = t->channels, flags = t->flags, mask = t->mask;
    const int is_32 = bits == 32, is_16 = bits == 16;
    words w = {raw.x, is_32 ? raw.y : raw.x >> (bits & 31),
               is_32   ? raw.z
               : is_16 ? raw.y
                       : raw.x >> 16,
               is_32 ? raw.w : (is_16 ? raw.y >> 16 : raw.x >> 24)};
    uint32_t one = ONE;
    w &= mask;
    if (t->kind == KIR_TEXTURE_FLOAT) {
        if (is_16)
            for (int k = 0; k < 4; k++)
                w[k] = bits_of(of_half(w[k]));
    } else {
        w = (w ^ t->sign) - t->sign;
        one = 1;
        if (flags & KIR_TEXTURE_AS_FLOAT) {
            const float most = t->most;
            for (int k = 0; k < 4; k++) {
                const float number = (float)(int32_t)w[k] / most;
                w[k] = bits_of(__builtin_fmaxf(number, -1.0f));
            }
            if (flags & KIR_TEXTURE_SRGB)
                for (int k = 0; k < 3; k++)
                    w[k] = bits_of(linear_of_srgb(of_bits(w[k])));
            one = ONE;
        }
    }
    w.y = channels > 1 ? w.y : 0;
    w.z = channels > 2 ? w.z : 0;
    w.w = channels > 3 ? w.w : one;
    return w;
}

/* i, j, k of a level: columns, rows, planes or layers; one below 0: the border. */
INSIDE words texel(texture *t, level *l, int dims, int has_layers, int i, int j, int k) {
    if ((i | (dims > 1 ? j : 0) | (dims > 2 ? k : 0)) < 0) {
        const words border = {bits_of(t->border[0]), bits_of(t->border[1]), bits_of(t->border[2]),
                              bits_of(t->border[3])};
        return border;
    }
    const uint32_t bytes = t->bytes;
    uint64_t at = l->texels + (uint64_t)(uint32_t)i * bytes;
    if (dims > 1)
        at += (uint64_t)(uint32_t)j * l->row;
    if (dims > 2 || has_layers)
        at += (uint64_t)(uint32_t)k * l->plane;
    return channels_of(t, load(at, bytes));
}

/* ---- places ------------------------------------------------------------------------------------ */

/* A geometry: dimensions of a layer, whether there are layers, whether these are faces of cubes. */
typedef struct geometry {
    int dims, has_layers, is_cube;
} geometry;

typedef struct point {
    float x, y, z;
} point;

/* The face of a cube that a direction meets, and where, from 0 to 1. */
INSIDE int face_of(point *p) {
    const float x = p->x, y = p->y, z = p->z;
    const float along_x = __builtin_fabsf(x), along_y = __builtin_fabsf(y),
                along_z = __builtin_fabsf(z);
    int face;
    float most, s, t;
    if (along_z >= along_x && along_z >= along_y) {
        face = z < 0 ? 5 : 4;
        most = along_z, s = z < 0 ? -x : x, t = -y;
    } else if (along_y >= along_x) {
        face = y < 0 ? 3 : 2;
        most = along_y, s = x, t = y < 0 ? -z : z;
    } else {
        face = x < 0 ? 1 : 0;
        most = along_x, s = x < 0 ? z : -z, t = -y;
    }
    *p = (point){(s / most + 1.0f) * 0.5f, (t / most + 1.0f) * 0.5f, 0.0f};
    return face;
}

/* The layer as an index; one that there is not is the nearest. */
INSIDE int layer_of(texture *t, geometry g, uint32_t layer, point *p) {
    const uint32_t layers = t->layers;
    if (g.is_cube) {
        const uint32_t face = (uint32_t)face_of(p), cubes = layers / 6;
        layer = g.has_layers ? (layer < cubes ? layer : cubes - 1) * 6 + face : face;
    }
    return (int)(layer < layers ? layer : layers - 1);
}

/* ---- sampling ----------------------------------------------------------------------------------- */

INSIDE words sample_level(texture *t, level *l, geometry g, int layer, point p) {
    const int is_linear = (t->flags & KIR_TEXTURE_LINEAR) != 0;
    const int has_layers = g.has_layers || g.is_cube;
    const int mode_x = (int)t->address[0], mode_y = (int)t->address[1], mode_z = (int)t->address[2];
    const float half = t->half;
    float above_x, above_y = 0, above_z = 0;
    int low_x = __heddle_lower(p.x, l->scale[0], half, mode_x, &above_x), low_y = 0, low_z = 0;
    if (g.dims > 1)
        low_y = __heddle_lower(p.y, l->scale[1], half, mode_y, &above_y);
    if (g.dims > 2)
        low_z = __heddle_lower(p.z, l->scale[2], half, mode_z, &above_z);
    const int corners = is_linear ? 1 << g.dims : 1;
    colour sum = {0, 0, 0, 0};
    words nearest = {0, 0, 0, 0};
#pragma clang loop unroll(disable)
    for (int corner = 0; corner < corners; corner++) {
        const int x_high = corner & 1, y_high = corner >> 1 & 1, z_high = corner >> 2;
        float weight = x_high ? above_x : 1.0f - above_x;
        int i = __heddle_place(low_x + x_high, (int)l->width, mode_x), j = 0;
        int k = has_layers ? layer : 0;
        if (g.dims > 1) {
            j = __heddle_place(low_y + y_high, (int)l->height, mode_y);
            weight *= y_high ? above_y : 1.0f - above_y;
        }
        if (g.dims > 2) {
            k = __heddle_place(low_z + z_high, (int)l->depth, mode_z);
            weight *= z_high ? above_z : 1.0f - above_z;
        }
        nearest = texel(t, l, g.dims, has_layers, i, j, k);
        const colour c = {of_bits(nearest.x), of_bits(nearest.y), of_bits(nearest.z),
                          of_bits(nearest.w)};
        sum += c * weight;
    }
    if (!is_linear)
        return nearest;
    return (words){bits_of(sum.x), bits_of(sum.y), bits_of(sum.z), bits_of(sum.w)};
}

INSIDE float limited(float x, float least, float most) {
    x = x > least ? x : least; /* a NaN is the least */
    return x < most ? x : most;
}

INSIDE words sample_base(uint64_t object, geometry g, uint32_t layer, point p) {
    texture *t = (texture *)object;
    const int index = g.has_layers || g.is_cube ? layer_of(t, g, layer, &p) : 0;
    return sample_level(t, &t->level[t->base], g, index, p);
}

INSIDE words sample(uint64_t object, geometry g, uint32_t layer, point p, float lod) {
    texture *t = (texture *)object;
    const int index = g.has_layers || g.is_cube ? layer_of(t, g, layer, &p) : 0;
    const int last = (int)t->levels - 1;
    int low = 0, count = 1;
    float above = 0.0f;
    if (last > 0) {
        lod = limited(lod + t->bias, t->least_level, t->most_level);
        lod = limited(lod, 0.0f, (float)last);
        low = (int)__builtin_floorf(lod + 0.5f);
        if (t->flags & KIR_TEXTURE_BETWEEN_LEVELS) {
            low = (int)lod;
            above = __builtin_rintf((lod - (float)low) * 256.0f) * 0.00390625f;
            count = above > 0.0f ? 2 : 1;
        }
    }
    words lower = {0, 0, 0, 0}, result = lower;
#pragma clang loop unroll(disable)
    for (int n = 0; n < count; n++) {
        lower = result;
        result = sample_level(t, &t->level[low + n], g, index, p);
    }
    if (count < 2)
        return result;
    for (int k = 0; k < 4; k++)
        result[k] = bits_of(of_bits(lower[k]) * (1.0f - above) + of_bits(result[k]) * above);
    return result;
}

/* By whole numbers: the texel itself. */
INSIDE words fetch(uint64_t object, geometry g, uint32_t layer, int x, int y, int z, int which) {
    texture *t = (texture *)object;
    const int last = (int)t->levels - 1;
    level *l = &t->level[which < 0 ? 0 : which < last ? which : last];
    int i = __heddle_place(x, (int)l->width, (int)t->address[0]), j = 0, k = 0;
    if (g.dims > 1)
        j = __heddle_place(y, (int)l->height, (int)t->address[1]);
    if (g.dims > 2)
        k = __heddle_place(z, (int)l->depth, (int)t->address[2]);
    if (g.has_layers)
        k = (int)(layer < t->layers ? layer : t->layers - 1);
    return texel(t, l, g.dims, g.has_layers, i, j, k);
}

/* One channel of the four texels that a linear one would be of: the one of the lower x and
 * the higher y, then around by the higher x. */
INSIDE words gather(uint64_t object, geometry g, uint32_t layer, point p, int channel) {
    texture *t = (texture *)object;
    level *l = &t->level[0];
    const int index = g.has_layers || g.is_cube ? layer_of(t, g, layer, &p) : 0;
    const int mode_x = (int)t->address[0], mode_y = (int)t->address[1];
    float above;
    const int low_x = __heddle_lower(p.x, l->scale[0], 0.5f, mode_x, &above);
    const int low_y = __heddle_lower(p.y, l->scale[1], 0.5f, mode_y, &above);
    words result = {0, 0, 0, 0};
#pragma clang loop unroll(disable)
    for (int corner = 0; corner < 4; corner++) {
        const int x_high = corner == 1 || corner == 2, y_high = corner < 2;
        const int i = __heddle_place(low_x + x_high, (int)l->width, mode_x);
        const int j = __heddle_place(low_y + y_high, (int)l->height, mode_y);
        const words w = texel(t, l, 2, g.has_layers || g.is_cube, i, j, index);
        const uint32_t is = channel == 0 ? w.x : channel == 1 ? w.y : channel == 2 ? w.z : w.w;
        result = (words){result.y, result.z, result.w, is};
    }
    return result;
}

/* The level at which the longer of two steps is one texel. */
INSIDE float level_of_steps(uint64_t object, geometry g, point x, point y) {
    level *l = &((texture *)object)->level[0];
    const float width = (float)l->width, height = (float)l->height, depth = (float)l->depth;
    float of_x = x.x * width * (x.x * width), of_y = y.x * width * (y.x * width);
    if (g.dims > 1) {
        of_x += x.y * height * (x.y * height);
        of_y += y.y * height * (y.y * height);
    }
    if (g.dims > 2) {
        of_x += x.z * depth * (x.z * depth);
        of_y += y.z * depth * (y.z * depth);
    }
    return 0.5f * __nvvm_lg2_approx_f(of_x > of_y ? of_x : of_y);
}

/* ---- surfaces ----------------------------------------------------------------------------------- */

enum { OUTSIDE_FAULTS, OUTSIDE_IS_NEAREST, OUTSIDE_IS_NOTHING };

/* The address of so many bytes, where x is one of bytes; 0: they are not there. */
INSIDE uint64_t place_of(uint64_t object, geometry g, uint32_t layer, int x, int y, int z,
                         uint32_t bytes, int outside) {
    texture *t = (texture *)object;
    level *l = &t->level[0];
    const int most_x = (int)(l->width * t->bytes - bytes);
    const int most_y = g.dims > 1 ? (int)l->height - 1 : 0;
    const int most_z = g.dims > 2 ? (int)l->depth - 1 : g.has_layers ? (int)t->layers - 1 : 0;
    y = g.dims > 1 ? y : 0;
    z = g.dims > 2 ? z : g.has_layers ? (int)layer : 0;
    const int is_inside = x >= 0 && x <= most_x && y >= 0 && y <= most_y && z >= 0 && z <= most_z;
    if (!is_inside && outside != OUTSIDE_IS_NEAREST)
        return 0;
    x = x < 0 ? 0 : x < most_x ? x : most_x;
    y = y < 0 ? 0 : y < most_y ? y : most_y;
    z = z < 0 ? 0 : z < most_z ? z : most_z;
    return l->texels + (uint64_t)(uint32_t)x + (uint64_t)(uint32_t)y * l->row +
           (uint64_t)(uint32_t)z * l->plane;
}

/* ---- what is asked ------------------------------------------------------------------------------ */

/* In the order of texture.c. */
enum { WIDTH, HEIGHT, DEPTH, LAYERS, LEVELS, IS_NORMALIZED };

uint32_t __heddle_texture_number(uint64_t object, int what, int which) {
    texture *t = (texture *)object;
    const int last = (int)t->levels - 1;
    level *l = &t->level[which < 0 ? 0 : which < last ? which : last];
    return what == WIDTH    ? l->width
           : what == HEIGHT ? l->height
           : what == DEPTH  ? l->depth
           : what == LAYERS ? t->layers
           : what == LEVELS ? t->levels
                            : t->flags & KIR_TEXTURE_NORMALIZED;
}

/* ---- for each geometry -------------------------------------------------------------------------- */

#define SAMPLED(name, ...)                                                                       \
    words __heddle_tex_##name(uint64_t object, uint32_t layer, float x, float y, float z) {      \
        return sample_base(object, (geometry){__VA_ARGS__}, layer, (point){x, y, z});            \
    }                                                                                            \
    words __heddle_level_##name(uint64_t object, uint32_t layer, float x, float y, float z,      \
                                float lod) {                                                     \
        return sample(object, (geometry){__VA_ARGS__}, layer, (point){x, y, z}, lod);            \
    }                                                                                            \
    float __heddle_lod_##name(uint64_t object, float xx, float xy, float xz, float yx, float yy, \
                              float yz) {                                                        \
        return level_of_steps(object, (geometry){__VA_ARGS__}, (point){xx, xy, xz},              \
                              (point){yx, yy, yz});                                              \
    }
#define FETCHED(name, ...)                                                                         \
    words __heddle_fetch_##name(uint64_t object, uint32_t layer, int x, int y, int z, int which) { \
        return fetch(object, (geometry){__VA_ARGS__}, layer, x, y, z, which);                      \
    }                                                                                              \
    uint64_t __heddle_surface_##name(uint64_t object, uint32_t layer, int x, int y, int z,         \
                                     uint32_t bytes, int outside) {                                \
        return place_of(object, (geometry){__VA_ARGS__}, layer, x, y, z, bytes, outside);          \
    }
#define GATHERED(name, ...)                                                                  \
    words __heddle_gather_##name(uint64_t object, uint32_t layer, float x, float y, float z, \
                                 int channel) {                                              \
        return gather(object, (geometry){__VA_ARGS__}, layer, (point){x, y, z}, channel);    \
    }
#define FLAT(name, ...)        \
    SAMPLED(name, __VA_ARGS__) \
    FETCHED(name, __VA_ARGS__)

FLAT(1d, 1, 0, 0)
FLAT(2d, 2, 0, 0)
FLAT(3d, 3, 0, 0)
FLAT(a1d, 1, 1, 0)
FLAT(a2d, 2, 1, 0)
SAMPLED(cube, 2, 0, 1)
SAMPLED(acube, 2, 1, 1)
GATHERED(2d, 2, 0, 0)
GATHERED(a2d, 2, 1, 0)
GATHERED(cube, 2, 0, 1)
GATHERED(acube, 2, 1, 1)
