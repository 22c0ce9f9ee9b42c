/*
 * The kernels of maps with an index array, and of a program's own maps. Elements are moved word
 * by word, so that neighbouring items stay within an element as long as it lasts. The side that
 * follows the units is coalesced; what the other side is depends on the numbers.
 */
#include <inttypes.h>

#include "remap/kernels_text.h"

uint64_t remap_indexed_of_group(const hd_remap *map, const hd_remap_tuning *tuning) {
    uint64_t words = map->element_bytes / remap_common_word(map->element_bytes, 0, 16);
    uint64_t units = (uint64_t)tuning->group * tuning->per_item / words;
    return units ? units : 1;
}

void remap_kernel_own_function(remap_kernel_writer *w) {
    uint64_t most = w->map->places > w->map->elements ? w->map->places : w->map->elements;
    hd_str_printf(&w->out, "#define HD_INDEX %s\n%s\n%s\n", remap_kernel_number(most),
                  hd_remap_index_text(), w->map->source);
}

/* The number of unit `unit` of the chunk. */
static const char *number_of(const remap_kernel_writer *w) {
    return w->map->source ? "place((HD_INDEX)(first + unit))" : "numbers[unit]";
}

void remap_kernel_of_indexed(remap_kernel_writer *w) {
    const hd_remap *map = w->map;
    hd_remap_direction direction = w->back ? HD_REMAP_FROM_DEVICE : HD_REMAP_TO_DEVICE;
    hd_remap_units units = hd_remap_units_of(map, direction);
    uint32_t word = remap_common_word(map->element_bytes, 0, 16);
    uint64_t words = map->element_bytes / word;
    const char *device = "number", *host = "unit";
    bool some_have_none = w->back && map->kind == HD_REMAP_GATHER;
    if (map->source)
        remap_kernel_own_function(w);
    if (map->kind == HD_REMAP_GATHER && !w->back) {
        device = "first + unit";
        host = "number";
    }
    const uint64_t group = remap_indexed_of_group(map, &w->tuning);
    remap_kernel_head(w);
    hd_str_printf(
        &w->out,
        "    HD_GLOBAL %shd_w%u *device = (HD_GLOBAL %shd_w%u *)part0;\n"
        "    HD_GLOBAL %shd_w%u *host = (HD_GLOBAL %shd_w%u *)staging;\n"
        "    const hd_w8 begin = HD_GROUP * %" PRIu64 ";\n"
        "    const hd_w4 n = count - begin < %" PRIu64 " ? (hd_w4)(count - begin) : %" PRIu64 ";\n",
        w->back ? "const " : "", word, w->back ? "const " : "", word, w->back ? "" : "const ", word,
        w->back ? "" : "const ", word, group, group, group);
    hd_str_printf(&w->out,
                  "    for (%s i = HD_ITEM; i < n * %" PRIu64 "u; i += HD_ITEMS) {\n"
                  "        const hd_w8 unit = begin + i / %" PRIu64 "u;\n"
                  "        const hd_w4 k = (hd_w4)(i %% %" PRIu64 "u);\n"
                  "        const hd_w8 number = %s;\n",
                  remap_kernel_number(group * words + w->tuning.group), words, words, words,
                  number_of(w));
    if (some_have_none)
        hd_str_printf(&w->out, "        if (number != %s)\n    ",
                      units.number_bytes == 4 ? "0xffffffffu" : "~(hd_w8)0");
    const char *there = hd_format(w->out.arena, "device[(%s) * %" PRIu64 " + k]", device, words);
    const char *here = hd_format(w->out.arena, "host[(%s) * %" PRIu64 " + k]", host, words);
    hd_str_printf(&w->out, "        %s = %s;\n    }\n}\n", w->back ? here : there,
                  w->back ? there : here);
}
