/*
 * Images of OpenCL C: what their texels are, by the standard's numbers and by the names that jobs and the
 * text form of kir have for them.
 */
#ifndef HD_IMAGE_H
#define HD_IMAGE_H

#include "base/base.h"

/* Zeros: not known. */
typedef struct kir_image_format {
    uint32_t order, type; /* CL_RGBA, CL_UNORM_INT8 */
} kir_image_format;

/* What is taken where nothing is known: RGBA of floats. */
static const kir_image_format kir_image_usual = {0x10b5, 0x10de};

/* "rgba", "unorm8"; NULL: a number that is none of them. And back; 0: no such name. */
const char *kir_image_order_name(uint32_t order);
const char *kir_image_type_name(uint32_t type);
uint32_t kir_image_order_named(const char *name);
uint32_t kir_image_type_named(const char *name);
/* All names, for messages. */
const char *kir_image_order_names(hd_arena *arena);
const char *kir_image_type_names(hd_arena *arena);

/* The type of a texel in memory, "uchar4"; NULL: the standard has no such format. */
const char *kir_image_texel(hd_arena *arena, kir_image_format format);
/* Its bytes, of a format that there is. */
uint32_t kir_image_texel_bytes(kir_image_format format);

/* What a channel of a normalised type holds where it means 1: 255 for unorm8; 0: another type. */
double kir_image_one(uint32_t type);

/* An image; sizes that it has not are 0. */
typedef struct kir_image {
    uint64_t width, height, depth, layers;
    kir_image_format format;
} kir_image;
uint64_t kir_image_texels(const kir_image *image);
/* Texels in a row, rows in a sheet, and sheets, as hosts count them: layers are the last of what there is. */
void kir_image_box(const kir_image *image, size_t box[3]);
/* The bytes in memory of a colour, red first: four floats, or, of integers, their bits. To nearest even,
 * as write_image does it (OpenCL C 8.3). Of a format that there is. */
void kir_image_pack(kir_image_format format, const uint32_t color[4], void *texel);
/* What kernels ask of it: "width", "height", "depth", which are layers, too, "order", "type". */
uint32_t kir_image_number(const kir_image *image, const char *what);
/* As a job file has it, between braces. */
const char *kir_image_text(hd_arena *arena, const kir_image *image);

/* The word of compiler options that tells the front end what a kernel is given, so that only the code
 * for that stays: --heddle-known=KERNEL.PARAMETER=ORDER,TYPE or =SAMPLER, in numbers; of all that
 * nothing else is said of: --heddle-known=images=ORDER,TYPE and =samplers=SAMPLER, of which the last
 * ones count; with nothing behind them nothing is told. What is not told is a parameter more of the kernel: "photo.order". */
#define KIR_KNOWN_OPTION "--heddle-known="

/* Samplers, as OpenCL C has them: one of the modes, and the two flags. */
enum {
    KIR_SAMPLER_NORMALIZED = 1,
    KIR_SAMPLER_NONE = 0,
    KIR_SAMPLER_CLAMP_TO_EDGE = 2,
    KIR_SAMPLER_CLAMP = 4,
    KIR_SAMPLER_REPEAT = 6,
    KIR_SAMPLER_MIRRORED_REPEAT = 8,
    KIR_SAMPLER_NEAREST = 0x10,
    KIR_SAMPLER_LINEAR = 0x20,
    KIR_SAMPLER_USUAL = KIR_SAMPLER_CLAMP_TO_EDGE | KIR_SAMPLER_NEAREST
};
/* Of what hosts make samplers of: CL_ADDRESS_REPEAT, CL_FILTER_LINEAR. */
uint32_t kir_sampler_of(bool normalized, uint32_t address, uint32_t filter);

/* What a kernel is given as something else than the source says: a texture and an image as their array,
 * with what more is known of them as numbers; a sampler as a number. */
typedef enum kir_object { KIR_NO_OBJECT, KIR_TEXTURE, KIR_IMAGE, KIR_SAMPLER } kir_object;

/* Which dimensions an image type has, of its name in source ("__read_only image2d_array_t"). */
typedef struct kir_image_shape {
    uint32_t dims; /* 1 to 3, layers not counted */
    bool has_layers;
} kir_image_shape;
kir_image_shape kir_image_shape_of(const char *type_name);

#endif
