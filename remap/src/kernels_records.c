/*
 * The kernel of structs and their layout, for devices with local memory. A group moves a number
 * of records that is a power of two. Their bytes on the host are one piece, which goes through
 * the `image` in local memory, 16 bytes at a time. On the device a field is either
 *
 *     plain     its values lie without gaps for at least 64 bytes: items assemble 16 bytes of the
 *               field from the image;
 *     in a run  or in tiles that are shorter: values are moved within local memory between the
 *               image and `device`, where a piece of the device's memory lies as it is there, and
 *               pieces go 16 bytes at a time where their places allow it.
 *
 * Records too long for local memory are moved value by value: these are long enough. The functions
 * that move are in text/records.cl; what is written here calls them.
 */
#include <inttypes.h>

#include "remap/kernels_text.h"

enum { PLAIN_BYTES = 64, LEAST_RECORDS = 32, MOST_RECORDS = 1024 };

/* A field, as the kernel sees it. Field by field is the same for a cluster's `tile` elements;
 * 0: there are no tiles, element i is at base + i * step. */
typedef struct moved_field {
    uint32_t part;
    uint32_t offset, size, step; /* bytes: in the record, of a value, of one and the gap after */
    uint64_t base, tile, tile_bytes;
    uint32_t word; /* bytes that it is moved by between image and device */
    bool plain;
} moved_field;

/* A piece of the device's side that a group's records fill: a run of one field, or the tiles of
 * a cluster. */
typedef struct piece {
    uint32_t part, width;            /* width: bytes that items move at a time */
    uint64_t base, tile, tile_bytes; /* as of a field */
    uint32_t at;                     /* where it begins in the local memory */
    uint32_t bytes;                  /* for all of a group's records */
    uint32_t step;                   /* of a run: bytes of an element; 0: tiles */
} piece;

typedef struct plan {
    const hd_remap *map;
    uint32_t records; /* of a group */
    uint32_t field_count, piece_count;
    moved_field fields[HD_MAX_FIELDS];
    uint32_t piece_of[HD_MAX_FIELDS]; /* of fields that are not plain */
    piece pieces[HD_MAX_FIELDS];
    uint32_t device_bytes; /* of all pieces */
    bool padded;           /* the record has bytes that are no field's */
    bool is_long;          /* too much for local memory; pieces are not planned then */
} plan;

/* ---- the plan ------------------------------------------------------------------------ */

uint32_t remap_records_of_group(const hd_remap *map, const hd_remap_tuning *tuning) {
    uint64_t bytes = (uint64_t)tuning->group * tuning->per_item * 4, records = LEAST_RECORDS;
    if (tuning->direct)
        bytes = (uint64_t)tuning->per_item * 16;
    else if (bytes > REMAP_KERNEL_LOCAL_BYTES / 3)
        bytes = REMAP_KERNEL_LOCAL_BYTES / 3;
    while (records < MOST_RECORDS && 2 * records * map->element_bytes <= bytes)
        records *= 2;
    return (uint32_t)records;
}

static bool is_plain(const moved_field *field, uint64_t records) {
    uint64_t run = field->tile * field->size;
    if (field->step != field->size || field->base % 16)
        return false;
    if (!field->tile)
        return true;
    return field->tile_bytes % 16 == 0 &&
           (field->tile >= records || (run >= PLAIN_BYTES && run % 16 == 0));
}

static moved_field field_of(const hd_remap *map, uint32_t f, uint64_t records) {
    const hd_map *layout = map->layout;
    const hd_field *field = &layout->record->fields[f];
    const hd_field_place *at = &layout->fields[f];
    const hd_cluster_place *cluster = &layout->clusters[at->cluster];
    moved_field moved = {.part = cluster->allocation,
                         .offset = field->offset,
                         .size = field->size,
                         .step = at->size,
                         .base = cluster->base + at->run,
                         .tile = cluster->tile,
                         .tile_bytes = cluster->tile_bytes};
    if (cluster->tile_bytes == at->size || cluster->tile >= layout->count)
        moved.tile = 0;
    moved.word = remap_common_word(moved.offset | moved.size, map->element_bytes, 4);
    moved.plain = is_plain(&moved, records);
    return moved;
}

/* What a field that is not plain is moved by: its place within a piece counts, too. */
static uint32_t word_in_piece(const plan *p, uint32_t f) {
    const moved_field *field = &p->fields[f];
    uint64_t tile_bytes = field->tile && field->tile < p->records ? field->tile_bytes : 0;
    uint64_t run = tile_bytes ? p->map->layout->fields[f].run : 0;
    return remap_common_word(field->step, run | tile_bytes, field->word);
}

/* The piece that field `f` lies in; its own, or that of the cluster's fields before it. */
static uint32_t piece_of(plan *p, uint32_t f) {
    const moved_field *field = &p->fields[f];
    const hd_map *layout = p->map->layout;
    uint32_t cluster = layout->fields[f].cluster;
    bool tiles = field->tile && field->tile < p->records;
    for (uint32_t g = 0; tiles && g < f; g++)
        if (layout->fields[g].cluster == cluster && !p->fields[g].plain)
            return p->piece_of[g];
    piece new = {.part = field->part,
                 .base = tiles ? layout->clusters[cluster].base : field->base,
                 .tile = field->tile,
                 .tile_bytes = field->tile_bytes,
                 .at = (uint32_t)hd_align_up(p->device_bytes, 128),
                 .step = tiles ? 0 : field->step};
    new.bytes =
        tiles ? (uint32_t)(p->records / field->tile * field->tile_bytes) : p->records * field->step;
    new.width =
        remap_common_word(new.base | new.bytes, tiles || !field->tile ? 0 : field->tile_bytes, 16);
    if (new.width == 8 || new.width == 2)
        new.width /= 2;
    p->device_bytes = new.at + new.bytes;
    p->pieces[p->piece_count] = new;
    return p->piece_count++;
}

/* Tiles of which one field is moved as a piece are moved so as a whole. */
static void share_tiles(plan *p) {
    for (uint32_t f = 0; f < p->field_count; f++)
        for (uint32_t g = 0; g < p->field_count && p->fields[f].plain; g++)
            if (!p->fields[g].plain && p->fields[f].tile && p->fields[f].tile < p->records &&
                p->map->layout->fields[g].cluster == p->map->layout->fields[f].cluster)
                p->fields[f].plain = false;
}

static void make_plan(plan *p, const hd_remap *map, const hd_remap_tuning *tuning) {
    const hd_record *record = map->layout->record;
    *p = (plan){.map = map, .field_count = record->field_count};
    p->records = remap_records_of_group(map, tuning);
    uint32_t bytes = 0;
    for (uint32_t f = 0; f < record->field_count; f++) {
        bytes += record->fields[f].size;
        p->fields[f] = field_of(map, f, p->records);
    }
    p->padded = bytes < record->size;
    p->is_long = tuning->direct || map->element_bytes * p->records > REMAP_KERNEL_LOCAL_BYTES;
    if (p->is_long)
        return;
    share_tiles(p);
    for (uint32_t f = 0; f < record->field_count; f++)
        if (!p->fields[f].plain) {
            p->fields[f].word = word_in_piece(p, f);
            p->piece_of[f] = piece_of(p, f);
        }
    p->is_long = p->records * record->size + p->device_bytes > REMAP_KERNEL_LOCAL_BYTES;
}

static const char functions[] =
#include <records.inc> /* made from text/records.cl */
    ;

/* ---- text ---------------------------------------------------------------------------- */

/* Where the group's first element lies in the device's memory, as a byte offset. */
static const char *place_text(hd_arena *arena, uint64_t base, uint64_t tile, uint64_t tile_bytes,
                              uint32_t step) {
    if (!tile)
        return hd_format(arena, "%" PRIu64 " + element * %u", base, step);
    return hd_format(
        arena, "%" PRIu64 " + element / %" PRIu64 " * %" PRIu64 " + element %% %" PRIu64 " * %u",
        base, tile, tile_bytes, tile, step);
}

/* Between the device's memory and local memory: a field by itself, or a piece. */
static void put_plain_fields(remap_kernel_writer *w, const plan *p) {
    for (uint32_t i = 0; i < p->field_count; i++) {
        const moved_field *f = &p->fields[i];
        bool in_runs = f->tile && f->tile < p->records;
        if (f->plain)
            hd_str_printf(&w->out,
                          "    hd_plain_%s(part%u + (%s), image, n * %uu, %u, %u, %u, %u, %" PRIu64
                          ", %" PRIu64 ");\n",
                          w->back ? "from" : "to", f->part,
                          place_text(w->out.arena, f->base, f->tile, f->tile_bytes, f->step),
                          f->size, f->word, f->size / f->word,
                          p->map->layout->record->size / f->word, f->offset / f->word,
                          in_runs ? f->tile * f->size : 0, f->tile_bytes);
    }
}

static void put_pieces(remap_kernel_writer *w, const plan *p) {
    hd_arena *arena = w->out.arena;
    for (uint32_t i = 0; i < p->piece_count; i++) {
        const piece *m = &p->pieces[i];
        const char *bytes = hd_format(arena, "n * %uu", m->step);
        const char *place = hd_format(arena, "part%u + (%s)", m->part,
                                      place_text(arena, m->base, m->tile, m->tile_bytes, m->step));
        if (!m->step)
            bytes = hd_format(arena, "(n + %" PRIu64 "u) / %" PRIu64 "u * %" PRIu64 "u",
                              m->tile - 1, m->tile, m->tile_bytes);
        if (w->back)
            hd_str_printf(&w->out, "    hd_take(device, %u, %s, %s, %u);\n", m->at, place, bytes,
                          m->width);
        else
            hd_str_printf(&w->out, "    hd_give(%s, device, %u, %s, %u);\n", place, m->at, bytes,
                          m->width);
    }
}

/* Between the image and the pieces in local memory. */
static void put_in_pieces(remap_kernel_writer *w, const plan *p) {
    for (uint32_t i = 0; i < p->field_count; i++) {
        const moved_field *f = &p->fields[i];
        const piece *in = &p->pieces[p->piece_of[i]];
        uint64_t run = in->step ? 0 : p->map->layout->fields[i].run;
        if (!f->plain)
            hd_str_printf(&w->out,
                          "    hd_in_piece(image, device, n, %d, %u, %u, %u, %u, %" PRIu64
                          ", %u, %" PRIu64 ", %" PRIu64 ");\n",
                          w->back, f->word, f->size / f->word,
                          p->map->layout->record->size / f->word, f->offset / f->word,
                          (in->at + run) / f->word, f->step / f->word, in->step ? 0 : in->tile,
                          in->tile_bytes / f->word);
    }
}

/* A group's work on `n` records, with barriers between its steps. */
static void put_move(remap_kernel_writer *w, const plan *p) {
    const uint32_t bytes = p->map->layout->record->size;
    hd_str *out = &w->out;
    hd_str_add(out, "\nHD_INLINE void hd_move(");
    for (uint32_t part = 0; part < p->map->parts; part++)
        hd_str_printf(out, "HD_GLOBAL %shd_w1 *part%u, ", w->back ? "const " : "", part);
    hd_str_printf(out,
                  "HD_GLOBAL %shd_w1 *host,\n    HD_LOCAL hd_w4 *image, HD_LOCAL hd_w4 *device, "
                  "hd_w8 element, hd_w4 n) {\n",
                  w->back ? "" : "const ");
    if (w->back) {
        put_pieces(w, p);
        put_plain_fields(w, p);
    } else {
        hd_str_printf(out, "    hd_take(image, 0, host, n * %uu, 16);\n", bytes);
    }
    hd_str_add(out, "    HD_BARRIER();\n");
    if (p->piece_count) {
        put_in_pieces(w, p);
        hd_str_add(out, "    HD_BARRIER();\n");
    }
    if (w->back) {
        hd_str_printf(out, "    hd_give(host, image, 0, n * %uu, 16);\n", bytes);
    } else {
        put_plain_fields(w, p);
        put_pieces(w, p);
    }
    hd_str_add(out, "}\n");
}

/* Local memory of `bytes` bytes, skewed. */
static void put_local(remap_kernel_writer *w, const char *name, uint32_t bytes) {
    uint32_t words = bytes / 4 + 1;
    hd_str_printf(&w->out, "    HD_SHARED hd_w4 %s[%u];\n", name, words + words / 32);
}

/* For a whole group the number of records is a constant. What no value is written to becomes 0 in
 * local memory. */
static void put_kernel(remap_kernel_writer *w, const plan *p) {
    const uint32_t bytes = p->map->layout->record->size;
    hd_str *out = &w->out;
    hd_str given = {.arena = out->arena};
    for (uint32_t part = 0; part < p->map->parts; part++)
        hd_str_printf(&given, "part%u, ", part);
    hd_str_add(out, functions);
    put_move(w, p);
    remap_kernel_head(w);
    put_local(w, "image", p->records * bytes);
    put_local(w, "device", p->device_bytes);
    hd_str_printf(out,
                  "    const hd_w8 begin = HD_GROUP * %u, element = first + begin;\n"
                  "    const hd_w4 n = count - begin < %u ? (hd_w4)(count - begin) : %u;\n"
                  "    HD_GLOBAL %shd_w1 *host = staging + begin * %u;\n",
                  p->records, p->records, p->records, w->back ? "" : "const ", bytes);
    if (w->back && p->padded)
        hd_str_printf(out, "    hd_clear(image, %u);\n    HD_BARRIER();\n", p->records * bytes);
    if (!w->back && p->piece_count)
        hd_str_printf(out, "    hd_clear(device, %u);\n", p->device_bytes);
    hd_str_printf(out,
                  "    if (n == %u)\n        hd_move(%shost, image, device, element, %u);\n"
                  "    else\n        hd_move(%shost, image, device, element, n);\n}\n",
                  p->records, hd_str_text(&given), p->records, hd_str_text(&given));
}

/* ---- long records -------------------------------------------------------------------- */

/* Where element `element` of a field lies, as an expression. */
static void put_long_field(remap_kernel_writer *w, const moved_field *f, uint64_t record_bytes) {
    uint32_t word =
        remap_common_word(f->word | f->step, f->base | (f->tile ? f->tile_bytes : 0), f->word);
    uint32_t words = f->size / word;
    const char *number = remap_kernel_number((uint64_t)MOST_RECORDS * words);
    hd_arena *arena = w->out.arena;
    const char *place = place_text(arena, f->base, f->tile, f->tile_bytes, f->step);
    const char *device = hd_format(arena, "((HD_GLOBAL %shd_w%u *)(part%u + (%s)))[i %% %uu]",
                                   w->back ? "const " : "", word, f->part, place, words);
    const char *host = hd_format(
        arena, "((HD_GLOBAL %shd_w%u *)(staging + (element - first) * %" PRIu64 " + %u))[i %% %uu]",
        w->back ? "" : "const ", word, record_bytes, f->offset, words);
    hd_str_printf(&w->out,
                  "    for (%s i = HD_ITEM; i < (%s)n * %uu; i += HD_ITEMS) {\n"
                  "        const hd_w8 element = first + begin + i / %uu;\n"
                  "        %s =\n            %s;\n"
                  "    }\n",
                  number, number, words, words, w->back ? host : device, w->back ? device : host);
}

/* Bytes of a record that are no field's become 0. */
static void put_long_padding(remap_kernel_writer *w, const plan *p) {
    uint32_t end = 0, bytes = p->map->layout->record->size;
    for (uint32_t f = 0; f <= p->field_count; f++) {
        uint32_t next = f < p->field_count ? p->fields[f].offset : bytes;
        if (next > end)
            hd_str_printf(&w->out,
                          "    for (hd_w8 i = HD_ITEM; i < (hd_w8)n * %uu; i += HD_ITEMS)\n"
                          "        staging[(begin + i / %uu) * %u + %u + i %% %uu] = 0;\n",
                          next - end, next - end, bytes, end, next - end);
        end = f < p->field_count ? next + p->fields[f].size : end;
    }
}

static void put_long(remap_kernel_writer *w, const plan *p) {
    remap_kernel_head(w);
    hd_str_printf(&w->out,
                  "    const hd_w8 begin = HD_GROUP * %u;\n"
                  "    const hd_w4 n = count - begin < %u ? (hd_w4)(count - begin) : %u;\n",
                  p->records, p->records, p->records);
    for (uint32_t f = 0; f < p->field_count; f++)
        put_long_field(w, &p->fields[f], p->map->element_bytes);
    if (w->back)
        put_long_padding(w, p);
    hd_str_add(&w->out, "}\n");
}

void remap_kernel_of_records(remap_kernel_writer *writer) {
    plan *p = hd_new(writer->out.arena, plan);
    make_plan(p, writer->map, &writer->tuning);
    (p->is_long ? put_long : put_kernel)(writer, p);
}
