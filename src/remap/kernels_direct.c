/*
 * The kernel of structs and their layout on a processor: an item moves records that follow one
 * another, a block after the other, field by field, so that a block stays in the first cache
 * while its fields are moved, and compilers make vectors of the loops.
 */
#include <inttypes.h>

#include "remap/kernels_text.h"

enum { BLOCK_BYTES = 8192 };

/* Where element `element` of a field lies in its part. */
static const char *place_text(hd_arena *arena, const hd_map *layout, uint32_t f) {
    const hd_field_place *at = &layout->fields[f];
    const hd_cluster_place *cluster = &layout->clusters[at->cluster];
    if (cluster->tile >= layout->count || cluster->tile_bytes == at->size)
        return hd_format(arena, "%" PRIu64 " + (element + r) * %u", cluster->base + at->run,
                         at->size);
    return hd_format(arena,
                     "%" PRIu64 " + (element + r) / %" PRIu64 " * %" PRIu64
                     " + (element + r) %% %" PRIu64 " * %u",
                     cluster->base + at->run, cluster->tile, cluster->tile_bytes, cluster->tile,
                     at->size);
}

static void put_field(hd_kernel_writer *w, uint32_t f) {
    const hd_map *layout = w->map->layout;
    const hd_field *field = &layout->record->fields[f];
    const hd_field_place *at = &layout->fields[f];
    const hd_cluster_place *cluster = &layout->clusters[at->cluster];
    uint32_t word = hd_common_word(field->offset | field->size, layout->record->size, 16);
    word = hd_common_word(word | at->size, cluster->base | at->run | cluster->tile_bytes, word);
    hd_arena *arena = w->out.arena;
    const char *device =
        hd_format(arena, "((HD_GLOBAL %shd_w%u *)(part%u + (%s)))[k]", w->back ? "const " : "",
                  word, cluster->allocation, place_text(arena, layout, f));
    const char *host =
        hd_format(arena, "((HD_GLOBAL %shd_w%u *)(host + r * %uu + %uu))[k]",
                  w->back ? "" : "const ", word, layout->record->size, field->offset);
    hd_str_printf(&w->out,
                  "        for (hd_w4 r = 0; r < n; r++) /* %s */\n"
                  "            for (hd_w4 k = 0; k < %u; k++)\n"
                  "                %s =\n                    %s;\n",
                  field->name, field->size / word, w->back ? host : device,
                  w->back ? device : host);
}

/* Bytes of a record that are no field's become 0. */
static void put_padding(hd_kernel_writer *w) {
    const hd_record *record = w->map->layout->record;
    uint32_t end = 0;
    for (uint32_t f = 0; f <= record->field_count; f++) {
        uint32_t next = f < record->field_count ? record->fields[f].offset : record->size;
        for (uint32_t b = end; b < next; b++)
            hd_str_printf(&w->out,
                          "        for (hd_w4 r = 0; r < n; r++)\n"
                          "            host[r * %uu + %u] = 0;\n",
                          record->size, b);
        end = f < record->field_count ? next + record->fields[f].size : end;
    }
}

void hd_kernel_of_records_direct(hd_kernel_writer *w) {
    const hd_record *record = w->map->layout->record;
    uint32_t block = BLOCK_BYTES / record->size / 64 * 64;
    hd_kernel_head(w);
    hd_str_printf(&w->out,
                  "    const hd_w8 begin = HD_GROUP * %u, end = begin + %u < count ? begin + %u : "
                  "count;\n"
                  "    for (hd_w8 at = begin; at < end; at += %u) {\n"
                  "        const hd_w4 n = end - at < %u ? (hd_w4)(end - at) : %u;\n"
                  "        const hd_w8 element = first + at;\n"
                  "        HD_GLOBAL %shd_w1 *host = staging + at * %u;\n",
                  hd_records_of_group(w->map, &w->tuning), hd_records_of_group(w->map, &w->tuning),
                  hd_records_of_group(w->map, &w->tuning), block ? block : 64, block ? block : 64,
                  block ? block : 64, w->back ? "" : "const ", record->size);
    for (uint32_t f = 0; f < record->field_count; f++)
        put_field(w, f);
    if (w->back)
        put_padding(w);
    hd_str_add(&w->out, "    }\n}\n");
}
