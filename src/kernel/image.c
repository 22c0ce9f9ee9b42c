/* Formats of images: names, numbers, and what the standard lets go together (OpenCL C 5.3.1.1). */
#include "kernel/image.h"

#include <math.h>

/* What types an order may have. */
typedef enum order_class { ANY, EIGHT_BITS, NO_INTEGERS, PACKED, DEPTHS, UNORM_BYTES } order_class;

static const struct order_row {
    const char *name;
    uint32_t number, channels;
    order_class takes;
} orders[] = {{"r", 0x10b0, 1, ANY},
              {"a", 0x10b1, 1, ANY},
              {"rg", 0x10b2, 2, ANY},
              {"ra", 0x10b3, 2, ANY},
              {"rgb", 0x10b4, 1, PACKED},
              {"rgba", 0x10b5, 4, ANY},
              {"bgra", 0x10b6, 4, EIGHT_BITS},
              {"argb", 0x10b7, 4, EIGHT_BITS},
              {"abgr", 0x10c3, 4, EIGHT_BITS},
              {"intensity", 0x10b8, 1, NO_INTEGERS},
              {"luminance", 0x10b9, 1, NO_INTEGERS},
              {"depth", 0x10bd, 1, DEPTHS},
              {"srgba", 0x10c1, 4, UNORM_BYTES}};

static const struct type_row {
    const char *name;
    uint32_t number, bytes;
    const char *memory;
    bool is_integer, is_packed;
} types[] = {
    {"snorm8", 0x10d0, 1, "char", false, false},     {"snorm16", 0x10d1, 2, "short", false, false},
    {"unorm8", 0x10d2, 1, "uchar", false, false},    {"unorm16", 0x10d3, 2, "ushort", false, false},
    {"unorm565", 0x10d4, 2, "ushort", false, true},  {"unorm555", 0x10d5, 2, "ushort", false, true},
    {"unorm101010", 0x10d6, 4, "uint", false, true}, {"int8", 0x10d7, 1, "char", true, false},
    {"int16", 0x10d8, 2, "short", true, false},      {"int32", 0x10d9, 4, "int", true, false},
    {"uint8", 0x10da, 1, "uchar", true, false},      {"uint16", 0x10db, 2, "ushort", true, false},
    {"uint32", 0x10dc, 4, "uint", true, false},      {"half", 0x10dd, 2, "half", false, false},
    {"float", 0x10de, 4, "float", false, false}};

#define ROWS(table) (sizeof(table) / sizeof *(table))

static const struct order_row *order_of(uint32_t number) {
    for (size_t i = 0; i < ROWS(orders); i++)
        if (orders[i].number == number)
            return &orders[i];
    return NULL;
}

static const struct type_row *type_of(uint32_t number) {
    for (size_t i = 0; i < ROWS(types); i++)
        if (types[i].number == number)
            return &types[i];
    return NULL;
}

const char *kir_image_order_name(uint32_t order) {
    const struct order_row *row = order_of(order);
    return row ? row->name : NULL;
}

const char *kir_image_type_name(uint32_t type) {
    const struct type_row *row = type_of(type);
    return row ? row->name : NULL;
}

uint32_t kir_image_order_named(const char *name) {
    for (size_t i = 0; i < ROWS(orders); i++)
        if (!strcmp(orders[i].name, name))
            return orders[i].number;
    return 0;
}

uint32_t kir_image_type_named(const char *name) {
    for (size_t i = 0; i < ROWS(types); i++)
        if (!strcmp(types[i].name, name))
            return types[i].number;
    return 0;
}

const char *kir_image_order_names(hd_arena *arena) {
    hd_str names = {.arena = arena};
    for (size_t i = 0; i < ROWS(orders); i++)
        hd_str_printf(&names, "%s%s", i ? ", " : "", orders[i].name);
    return hd_str_text(&names);
}

const char *kir_image_type_names(hd_arena *arena) {
    hd_str names = {.arena = arena};
    for (size_t i = 0; i < ROWS(types); i++)
        hd_str_printf(&names, "%s%s", i ? ", " : "", types[i].name);
    return hd_str_text(&names);
}

static bool go_together(const struct order_row *order, const struct type_row *type) {
    switch (order->takes) {
    case ANY: return !type->is_packed;
    case EIGHT_BITS: return !type->is_packed && type->bytes == 1;
    case NO_INTEGERS: return !type->is_packed && !type->is_integer;
    case PACKED: return type->is_packed;
    case DEPTHS: return !strcmp(type->name, "unorm16") || !strcmp(type->name, "float");
    default: return !strcmp(type->name, "unorm8");
    }
}

const char *kir_image_texel(hd_arena *arena, kir_image_format format) {
    const struct order_row *order = order_of(format.order);
    const struct type_row *type = type_of(format.type);
    if (!order || !type || !go_together(order, type))
        return NULL;
    return order->channels == 1 ? type->memory
                                : hd_format(arena, "%s%u", type->memory, order->channels);
}

uint32_t kir_image_texel_bytes(kir_image_format format) {
    return order_of(format.order)->channels * type_of(format.type)->bytes;
}

double kir_image_one(uint32_t type) {
    static const struct {
        const char *name;
        double one;
    } ones[] = {{"snorm8", 127}, {"snorm16", 32767}, {"unorm8", 255}, {"unorm16", 65535}};
    const struct type_row *row = type_of(type);
    for (size_t i = 0; i < ROWS(ones); i++)
        if (row && !strcmp(row->name, ones[i].name))
            return ones[i].one;
    return 0;
}

kir_image_shape kir_image_shape_of(const char *type_name) {
    return (kir_image_shape){strstr(type_name, "image1d")   ? 1
                             : strstr(type_name, "image2d") ? 2
                                                            : 3,
                             strstr(type_name, "_array_") != NULL};
}

/* ---- images ----------------------------------------------------------------------------------- */

static uint64_t or_one(uint64_t size) { return size ? size : 1; }

uint64_t kir_image_texels(const kir_image *image) {
    return image->width * or_one(image->height) * or_one(image->depth) * or_one(image->layers);
}

void kir_image_box(const kir_image *image, size_t box[3]) {
    const bool rows = image->layers && !image->height;
    box[0] = image->width;
    box[1] = or_one(rows ? image->layers : image->height);
    box[2] = or_one(image->depth ? image->depth : rows ? 0 : image->layers);
}

/* ---- colours in memory ------------------------------------------------------------------------ */

static uint64_t rounded(float value, double least, double most) {
    if (isnan(value))
        return 0;
    const double scaled = value * (float)most; /* as kernels do it */
    return (uint64_t)(int64_t)rint(scaled < least ? least : scaled > most ? most : scaled);
}

static uint64_t whole(uint32_t bits, const struct type_row *type) {
    const int64_t most = INT64_C(1) << (8 * type->bytes - 1);
    const int64_t is = *type->memory == 'u' ? (int64_t)bits : (int64_t)(int32_t)bits;
    const int64_t high = *type->memory == 'u' ? 2 * most - 1 : most - 1,
                  low = *type->memory == 'u' ? 0 : -most;
    return (uint64_t)(is < low ? low : is > high ? high : is);
}

static uint64_t channel(uint32_t bits, const struct type_row *type) {
    float value;
    memcpy(&value, &bits, sizeof value);
    if (type->is_integer)
        return whole(bits, type);
    if (!strcmp(type->name, "float"))
        return bits;
    if (!strcmp(type->name, "half")) {
        const _Float16 half = (_Float16)value;
        uint16_t is;
        memcpy(&is, &half, sizeof is);
        return is;
    }
    const double most = kir_image_one(type->number);
    return rounded(value, *type->name == 's' ? -most - 1 : 0, most);
}

static uint32_t packed(const uint32_t color[4], const struct type_row *type) {
    const uint32_t outer = type->bytes == 4 ? 10 : 5,
                   inner = !strcmp(type->name, "unorm565") ? 6 : outer;
    uint32_t all = 0;
    for (int k = 0; k < 3; k++) {
        const uint32_t bits = k == 1 ? inner : outer;
        float value;
        memcpy(&value, &color[k], sizeof value);
        all = all << bits | (uint32_t)rounded(value, 0, (1u << bits) - 1);
    }
    return all;
}

static uint32_t srgb(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    const double c = isnan(value) ? 0 : value;
    value = (float)(c >= 1          ? 1
                    : c < 0         ? 0
                    : c < 0.0031308 ? 12.92 * c
                                    : 1.055 * pow(c, 1 / 2.4) - 0.055);
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

void kir_image_pack(kir_image_format format, const uint32_t color[4], void *texel) {
    const struct order_row *order = order_of(format.order);
    const struct type_row *type = type_of(format.type);
    const bool is_srgb = *order->name == 's';
    char *to = texel;
    if (type->is_packed) {
        const uint32_t all = packed(color, type);
        memcpy(to, &all, type->bytes); /* of little-endian hosts */
        return;
    }
    const char *letters = order->channels == 1 && *order->name != 'a' ? "r" : order->name + is_srgb;
    for (uint32_t k = 0; k < order->channels; k++) {
        const uint32_t of = (uint32_t)(strchr("rgba", letters[k]) - "rgba");
        const uint64_t bits = channel(is_srgb && of < 3 ? srgb(color[of]) : color[of], type);
        memcpy(to + k * type->bytes, &bits, type->bytes);
    }
}

uint32_t kir_image_number(const kir_image *image, const char *what) {
    return (uint32_t)(!strcmp(what, "width")    ? image->width
                      : !strcmp(what, "height") ? or_one(image->height)
                      : !strcmp(what, "depth") ? or_one(image->depth ? image->depth : image->layers)
                      : !strcmp(what, "order") ? image->format.order
                                               : image->format.type);
}

const char *kir_image_text(hd_arena *arena, const kir_image *image) {
    const uint64_t sizes[] = {image->width, image->height, image->depth, image->layers};
    static const char *const keys[] = {"width", "height", "depth", "layers"};
    hd_str text = {.arena = arena};
    for (int i = 0; i < 4; i++)
        if (sizes[i])
            hd_str_printf(&text, "%s: %llu, ", keys[i], (unsigned long long)sizes[i]);
    hd_str_printf(&text, "channels: %s, type: %s", kir_image_order_name(image->format.order),
                  kir_image_type_name(image->format.type));
    return hd_str_text(&text);
}

uint32_t kir_sampler_of(bool normalized, uint32_t address, uint32_t filter) {
    enum { ADDRESS_NONE = 0x1130, MODES = 5, FILTER_LINEAR = 0x1141 };
    const uint32_t mode = address - ADDRESS_NONE; /* in the order of OpenCL C's */
    return (mode < MODES ? 2 * mode : 0) |
           (filter == FILTER_LINEAR ? KIR_SAMPLER_LINEAR : KIR_SAMPLER_NEAREST) |
           (normalized ? KIR_SAMPLER_NORMALIZED : 0);
}
