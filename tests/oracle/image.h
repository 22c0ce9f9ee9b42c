/*
 * Images of OpenCL C, the slow and obvious way: one texel, one sample, one write at a time, after the
 * text of the standard (OpenCL C 8.2 and 8.3). Nothing here is shared with src/.
 */
#ifndef HD_TESTS_ORACLE_IMAGE_H
#define HD_TESTS_ORACLE_IMAGE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Sizes that it has not are 1; of an array the last size counts its images. */
typedef struct image_twin {
    uint32_t order, type;
    int dims; /* coordinates that name a texel, the layer among them */
    bool has_layers;
    int size[3];
    uint8_t *bytes;
} image_twin;

/* The numbers of the standard. */
enum {
    TWIN_R = 0x10b0,
    TWIN_A,
    TWIN_RG,
    TWIN_RA,
    TWIN_RGB,
    TWIN_RGBA,
    TWIN_BGRA,
    TWIN_ARGB,
    TWIN_INTENSITY,
    TWIN_LUMINANCE,
    TWIN_DEPTH = 0x10bd,
    TWIN_SRGBA = 0x10c1,
    TWIN_ABGR = 0x10c3
};
enum {
    TWIN_SNORM8 = 0x10d0,
    TWIN_SNORM16,
    TWIN_UNORM8,
    TWIN_UNORM16,
    TWIN_565,
    TWIN_555,
    TWIN_101010,
    TWIN_INT8,
    TWIN_INT16,
    TWIN_INT32,
    TWIN_UINT8,
    TWIN_UINT16,
    TWIN_UINT32,
    TWIN_HALF,
    TWIN_FLOAT
};
enum {
    TWIN_NORMALIZED = 1,
    TWIN_EDGE = 2,
    TWIN_CLAMP = 4,
    TWIN_REPEAT = 6,
    TWIN_MIRROR = 8,
    TWIN_LINEAR = 0x20
};

static inline bool twin_is_packed(uint32_t type) { return type >= TWIN_565 && type <= TWIN_101010; }
static inline bool twin_is_signed(uint32_t type) { return type >= TWIN_INT8 && type <= TWIN_INT32; }
static inline bool twin_is_unsigned(uint32_t type) {
    return type >= TWIN_UINT8 && type <= TWIN_UINT32;
}

/* The channels in memory, first to last, as letters; the packed ones are fields of one number. */
static inline const char *twin_channels(uint32_t order) {
    switch (order) {
    case TWIN_R: return "r";
    case TWIN_A: return "a";
    case TWIN_RG: return "rg";
    case TWIN_RA: return "ra";
    case TWIN_RGB: return "rgb";
    case TWIN_RGBA:
    case TWIN_SRGBA: return "rgba";
    case TWIN_BGRA: return "bgra";
    case TWIN_ARGB: return "argb";
    case TWIN_ABGR: return "abgr";
    case TWIN_INTENSITY: return "i";
    case TWIN_LUMINANCE: return "l";
    default: return "r"; /* depth */
    }
}

static inline int twin_channel_bytes(uint32_t type) {
    switch (type) {
    case TWIN_SNORM8:
    case TWIN_UNORM8:
    case TWIN_INT8:
    case TWIN_UINT8: return 1;
    case TWIN_INT32:
    case TWIN_UINT32:
    case TWIN_FLOAT:
    case TWIN_101010: return 4;
    default: return 2;
    }
}

static inline int twin_texel_bytes(const image_twin *t) {
    return twin_channel_bytes(t->type) *
           (twin_is_packed(t->type) ? 1 : (int)strlen(twin_channels(t->order)));
}
static inline size_t twin_bytes(const image_twin *t) {
    return (size_t)t->size[0] * (size_t)t->size[1] * (size_t)t->size[2] *
           (size_t)twin_texel_bytes(t);
}

/* A colour: as floats, or as the bits of integers. */
typedef struct twin_color {
    float f[4];
    uint32_t i[4];
} twin_color;

static inline uint8_t *twin_texel(const image_twin *t, const int at[3]) {
    size_t index =
        ((size_t)at[2] * (size_t)t->size[1] + (size_t)at[1]) * (size_t)t->size[0] + (size_t)at[0];
    return t->bytes + index * (size_t)twin_texel_bytes(t);
}

/* Bits of a channel in memory; of a packed format of the field that the letter names. */
static inline uint32_t twin_field(const image_twin *t, const uint8_t *texel, int channel) {
    uint32_t bits = 0;
    if (!twin_is_packed(t->type)) {
        memcpy(&bits, texel + channel * twin_channel_bytes(t->type),
               (size_t)twin_channel_bytes(t->type));
        return bits;
    }
    memcpy(&bits, texel, (size_t)twin_channel_bytes(t->type));
    if (t->type == TWIN_565)
        return channel == 0 ? bits >> 11 & 31 : channel == 1 ? bits >> 5 & 63 : bits & 31;
    if (t->type == TWIN_555)
        return bits >> (10 - 5 * channel) & 31;
    return bits >> (20 - 10 * channel) & 1023;
}

static inline double twin_most(uint32_t type, int channel) {
    switch (type) {
    case TWIN_SNORM8: return 127;
    case TWIN_SNORM16: return 32767;
    case TWIN_UNORM8: return 255;
    case TWIN_UNORM16: return 65535;
    case TWIN_565: return channel == 1 ? 63 : 31;
    case TWIN_555: return 31;
    case TWIN_101010: return 1023;
    default: return 1;
    }
}

static inline double twin_half(uint32_t bits) {
    int exponent = (int)(bits >> 10 & 31), fraction = (int)(bits & 1023);
    double sign = bits >> 15 ? -1 : 1;
    if (exponent == 31)
        return fraction ? NAN : sign * INFINITY;
    return sign * (exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24));
}

static inline float twin_as_float(uint32_t type, int channel, uint32_t bits) {
    float single;
    switch (type) {
    case TWIN_SNORM8: return fmaxf((float)((int8_t)bits / twin_most(type, 0)), -1);
    case TWIN_SNORM16: return fmaxf((float)((int16_t)bits / twin_most(type, 0)), -1);
    case TWIN_HALF: return (float)twin_half(bits);
    case TWIN_FLOAT: memcpy(&single, &bits, sizeof single); return single;
    default: return (float)(bits / twin_most(type, channel));
    }
}

static inline uint32_t twin_as_integer(uint32_t type, uint32_t bits) {
    return type == TWIN_INT8    ? (uint32_t)(int8_t)bits
           : type == TWIN_INT16 ? (uint32_t)(int16_t)bits
                                : bits;
}

static inline void twin_set(twin_color *c, char letter, float real, uint32_t whole) {
    static const char letters[] = "rgba";
    for (int k = 0; k < 4; k++)
        if (letter == letters[k] || letter == 'i' || (letter == 'l' && k < 3)) {
            c->f[k] = real;
            c->i[k] = whole;
        }
}

static inline twin_color twin_opaque(void) { return (twin_color){{0, 0, 0, 1}, {0, 0, 0, 1}}; }

static inline twin_color twin_read(const image_twin *t, const int at[3]) {
    const char *letters = twin_channels(t->order);
    twin_color c = t->order == TWIN_A ? (twin_color){{0}, {0}} : twin_opaque();
    for (int k = 0; letters[k]; k++) {
        uint32_t bits = twin_field(t, twin_texel(t, at), k);
        float real = twin_as_float(t->type, k, bits);
        if (t->order == TWIN_SRGBA && k < 3)
            real = (float)(real <= 0.04045 ? real / 12.92 : pow((real + 0.055) / 1.055, 2.4));
        twin_set(&c, letters[k], real, twin_as_integer(t->type, bits));
    }
    return c;
}

static inline twin_color twin_border(const image_twin *t) {
    bool opaque = t->order == TWIN_R || t->order == TWIN_RG || t->order == TWIN_RGB ||
                  t->order == TWIN_LUMINANCE;
    return opaque ? twin_opaque() : (twin_color){{0}, {0}};
}

/* One that is outside is the border's, where the sampler says so. */
static inline twin_color twin_fetch(const image_twin *t, uint32_t sampler, const int at[3]) {
    for (int d = 0; d < 3 && (sampler & 0xe) == TWIN_CLAMP; d++)
        if (at[d] < 0 || at[d] >= t->size[d])
            return twin_border(t);
    return twin_read(t, at);
}

static inline int twin_clamp(double at, int low, int high) {
    return isnan(at) ? (low > 0 ? low : 0) : at < low ? low : at > high ? high : (int)at;
}

/* Both texels of a coordinate, and the weight of the second one. */
static inline float twin_axis(float s, int n, uint32_t sampler, int at[2]) {
    bool linear = sampler & TWIN_LINEAR;
    uint32_t mode = sampler & 0xe;
    float u = s;
    if (mode == TWIN_REPEAT)
        u = (s - floorf(s)) * (float)n;
    else if (mode == TWIN_MIRROR)
        u = fabsf(s - 2.0f * rintf(0.5f * s)) * (float)n;
    else if (sampler & TWIN_NORMALIZED)
        u = s * (float)n;
    float from = linear ? u - 0.5f : u, low = floorf(from);
    for (int k = 0; k < 2; k++) {
        double i = isnan(low) ? 0 : (double)low + k;
        if (mode == TWIN_REPEAT)
            i += i < 0 ? n : i > n - 1 ? -n : 0;
        at[k] = mode == TWIN_EDGE || mode == TWIN_MIRROR ? twin_clamp(i, 0, n - 1)
                                                         : twin_clamp(i, -1, n);
    }
    return from - low;
}

/* read_image with coordinates of floats. */
static inline twin_color twin_sample(const image_twin *t, uint32_t sampler, const float where[3]) {
    int axes = t->has_layers ? t->dims - 1 : t->dims, near[3][2] = {{0}};
    float above[3] = {0};
    for (int d = 0; d < axes; d++)
        above[d] = twin_axis(where[d], t->size[d], sampler, near[d]);
    if (t->has_layers)
        near[axes][0] = near[axes][1] = twin_clamp(rintf(where[axes]), 0, t->size[axes] - 1);
    if (!(sampler & TWIN_LINEAR)) {
        const int at[3] = {near[0][0], near[1][0], near[2][0]};
        return twin_fetch(t, sampler, at);
    }
    double sum[4] = {0};
    for (int corner = 0; corner < 1 << axes; corner++) {
        double weight = 1;
        int at[3] = {0, t->dims > 1 ? near[1][0] : 0, t->dims > 2 ? near[2][0] : 0};
        for (int d = 0; d < axes; d++) {
            at[d] = near[d][corner >> d & 1];
            weight *= corner >> d & 1 ? above[d] : 1.0 - above[d];
        }
        twin_color c = twin_fetch(t, sampler, at);
        for (int k = 0; k < 4; k++)
            sum[k] += weight * c.f[k];
    }
    twin_color c = {{0}, {0}};
    for (int k = 0; k < 4; k++)
        c.f[k] = (float)sum[k];
    return c;
}

/* read_image with whole coordinates, and a sampler that does not filter. */
static inline twin_color twin_sample_whole(const image_twin *t, uint32_t sampler,
                                           const int where[3]) {
    int at[3] = {where[0], where[1], where[2]};
    for (int d = 0; d < t->dims; d++)
        if ((t->has_layers && d == t->dims - 1) || (sampler & 0xe) == TWIN_EDGE)
            at[d] = twin_clamp(at[d], 0, t->size[d] - 1);
    return twin_fetch(t, sampler, at);
}

/* ---- writing ------------------------------------------------------------------------------------ */

static inline uint32_t twin_to_half(float value) {
    _Float16 half = (_Float16)value;
    uint16_t bits;
    memcpy(&bits, &half, sizeof bits);
    return bits;
}

static inline uint32_t twin_bits_of_float(uint32_t type, int channel, float value) {
    uint32_t bits;
    double most = twin_most(type, channel), least = type <= TWIN_SNORM16 ? -most - 1 : 0;
    if (type == TWIN_HALF)
        return twin_to_half(value);
    if (type == TWIN_FLOAT) {
        memcpy(&bits, &value, sizeof bits);
        return bits;
    }
    float scaled = value * (float)most; /* as a float, and then to the nearest even */
    double whole = isnan(value) ? 0 : rint((double)scaled);
    whole = whole < least ? least : whole > most ? most : whole;
    return (uint32_t)(int32_t)whole;
}

static inline uint32_t twin_bits_of_integer(uint32_t type, uint32_t value) {
    int64_t least = 0, most = UINT32_MAX, number = value;
    switch (type) {
    case TWIN_INT8: least = INT8_MIN, most = INT8_MAX, number = (int32_t)value; break;
    case TWIN_INT16: least = INT16_MIN, most = INT16_MAX, number = (int32_t)value; break;
    case TWIN_UINT8: most = UINT8_MAX; break;
    case TWIN_UINT16: most = UINT16_MAX; break;
    default: break;
    }
    return (uint32_t)(number < least ? least : number > most ? most : number);
}

static inline void twin_write(const image_twin *t, const int at[3], const twin_color *c) {
    static const char letters[] = "rgba";
    const char *channels = twin_channels(t->order);
    uint8_t *texel = twin_texel(t, at);
    uint32_t packed = 0;
    for (int k = 0; channels[k]; k++) {
        const char *found = strchr(letters, channels[k]);
        int from = found ? (int)(found - letters) : 0;
        float real = c->f[from];
        if (t->order == TWIN_SRGBA && k < 3) {
            real = fminf(fmaxf(real, 0), 1);
            real = (float)(real < 0.0031308 ? 12.92 * real : 1.055 * pow(real, 1 / 2.4) - 0.055);
        }
        uint32_t bits = twin_is_signed(t->type) || twin_is_unsigned(t->type)
                            ? twin_bits_of_integer(t->type, c->i[from])
                            : twin_bits_of_float(t->type, k, real);
        int width = t->type == TWIN_565 ? (k == 1 ? 6 : 5) : t->type == TWIN_555 ? 5 : 10;
        if (twin_is_packed(t->type))
            packed = packed << width | bits;
        else
            memcpy(texel + k * twin_channel_bytes(t->type), &bits,
                   (size_t)twin_channel_bytes(t->type));
    }
    if (twin_is_packed(t->type))
        memcpy(texel, &packed, (size_t)twin_channel_bytes(t->type));
}

#endif
