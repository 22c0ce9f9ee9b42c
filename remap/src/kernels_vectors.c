/*
 * Vectors in the kernels of processors.
 *
 * A square matrix of words is turned by as many rounds as its side has bits: each puts the words
 * of vector i and of that half a matrix further on alternately into vectors 2i and 2i + 1.
 */
#include "remap/kernels_text.h"

static const char memory_text[] =
#include <vectors.inc> /* made from text/vectors.cl */
    ;

typedef struct lane_type {
    uint32_t bytes;
    const char *vector;
} lane_type;

/* The words of one half of two vectors, alternately. */
static void put_mix(hd_str *out, const lane_type *type, const char *name, uint32_t from) {
    uint32_t lanes = 16 / type->bytes;
    hd_str_printf(out, "HD_INLINE uint4 hd_%s_%u(%s a, %s b) {\n    return as_uint4((%s)(", name,
                  type->bytes, type->vector, type->vector, type->vector);
    for (uint32_t l = 0; l < lanes / 2; l++)
        hd_str_printf(out, "%sa.s%x, b.s%x", l ? ", " : "", from + l, from + l);
    hd_str_add(out, "));\n}\n");
}

static void put_turn(hd_str *out, const lane_type *type) {
    uint32_t lanes = 16 / type->bytes;
    put_mix(out, type, "low", 0);
    put_mix(out, type, "high", lanes / 2);
    hd_str_printf(out, "HD_INLINE void hd_turn_%u(uint4 *v) {\n    uint4 w[%u];\n", type->bytes,
                  lanes);
    const char *from = "v", *to = "w";
    for (uint32_t round = 1; round < lanes; round *= 2) {
        for (uint32_t i = 0; i < lanes; i++)
            hd_str_printf(out, "    %s[%u] = hd_%s_%u(as_%s(%s[%u]), as_%s(%s[%u]));\n", to, i,
                          i % 2 ? "high" : "low", type->bytes, type->vector, from, i / 2,
                          type->vector, from, i / 2 + lanes / 2);
        const char *swapped = from;
        from = to;
        to = swapped;
    }
    for (uint32_t i = 0; *from == 'w' && i < lanes; i++)
        hd_str_printf(out, "    v[%u] = w[%u];\n", i, i);
    hd_str_add(out, "}\n");
}

void remap_kernel_vectors(remap_kernel_writer *writer) {
    static const lane_type types[] = {{1, "uchar16"}, {2, "ushort8"}, {4, "uint4"}, {8, "ulong2"}};
    hd_str_add(&writer->out, memory_text);
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        put_turn(&writer->out, &types[t]);
    hd_str_add(&writer->out, "#define hd_turn_16(v)\n");
}
