/*
 * The kernels of structs and their layout: how each field is moved. The kernels are in text/:
 *
 *     records.cl         through local memory
 *     records_long.cl    records too long for it, value by value
 *     records_direct.cl  on processors, in blocks of records and in vectors
 */
#include <inttypes.h>

#include "remap/kernels_text.h"

enum {
    LOCAL_BYTES = 24576, /* that a group uses, at most; OpenCL 1.2 promises 32 KB */
    PLAIN_BYTES = 64,
    LEAST_RECORDS = 32,
    MOST_RECORDS = 1024,
    MOST_DIRECT_BYTES = 512, /* of a longer struct the fields are long themselves */
    BLOCK_BYTES = 8192,
    VECTOR = 16,
    LINE = 64
};

static const char local_text[] =
#include <records.inc> /* made from the files of text/ */
    ;
static const char long_text[] =
#include <records_long.inc>
    ;
static const char direct_text[] =
#include <records_direct.inc>
    ;
static const char values_text[] =
#include <values.inc>
    ;

/* A field, as the kernel sees it. Field by field is the same for a cluster's `tile` elements;
 * 0: there are no tiles, element i is at base + i * step. */
typedef struct moved_field {
    uint32_t part;
    uint32_t offset, size, step; /* bytes: in the record, of a value, of one and the gap after */
    uint64_t base, tile, tile_bytes;
    uint32_t word; /* bytes that it is moved by between image and device */
    bool plain;
    uint32_t unit; /* of the window that moves it, on processors; 0: none */
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
    bool is_direct;
    bool is_long; /* too much for local memory; pieces are not planned then */
} plan;

/* ---- the plan ------------------------------------------------------------------------ */

uint32_t remap_records_of_group(const hd_remap *map, const hd_remap_tuning *tuning) {
    uint64_t bytes = (uint64_t)tuning->group * tuning->per_item * 4, records = LEAST_RECORDS;
    if (tuning->direct)
        bytes = (uint64_t)tuning->per_item * 16;
    else if (bytes > LOCAL_BYTES / 3)
        bytes = LOCAL_BYTES / 3;
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

static void make_plan(plan *p, const hd_remap *map, const hd_remap_tuning *tuning) {
    const hd_record *record = map->layout->record;
    *p = (plan){.map = map, .field_count = record->field_count};
    p->records = remap_records_of_group(map, tuning);
    for (uint32_t f = 0; f < record->field_count; f++)
        p->fields[f] = field_of(map, f, p->records);
    p->is_direct = tuning->direct && map->element_bytes <= MOST_DIRECT_BYTES;
    p->is_long = tuning->direct || map->element_bytes * p->records > LOCAL_BYTES;
    if (p->is_long)
        return;
    /* Tiles of which one field is moved as a piece are moved so as a whole. */
    for (uint32_t f = 0; f < p->field_count; f++)
        for (uint32_t g = 0; g < p->field_count && p->fields[f].plain; g++)
            if (!p->fields[g].plain && p->fields[f].tile && p->fields[f].tile < p->records &&
                map->layout->fields[g].cluster == map->layout->fields[f].cluster)
                p->fields[f].plain = false;
    for (uint32_t f = 0; f < record->field_count; f++) {
        moved_field *field = &p->fields[f];
        if (field->plain)
            continue;
        /* What it is moved by: its place within a piece counts, too. */
        uint64_t tile_bytes = field->tile && field->tile < p->records ? field->tile_bytes : 0;
        uint64_t run = tile_bytes ? map->layout->fields[f].run : 0;
        field->word = remap_common_word(field->step, run | tile_bytes, field->word);
        p->piece_of[f] = piece_of(p, f);
    }
    p->is_long = p->records * record->size + p->device_bytes > LOCAL_BYTES;
}

/* ---- lists for the texts ------------------------------------------------------------- */

static void begin_list(hd_str *out, const char *name) { hd_str_printf(out, "\n#define %s", name); }

/* The first values of most entries: where values lie on the device. */
static const char *place_text(hd_arena *arena, uint32_t part, uint64_t base, uint64_t tile,
                              uint64_t tile_bytes, uint32_t step) {
    return hd_format(arena, "part%u, %" PRIu64 "u, %" PRIu64 "u, %" PRIu64 "u, %uu", part, base,
                     tile, tile_bytes, step);
}

static const char *place_of(hd_arena *arena, const moved_field *f) {
    return place_text(arena, f->part, f->base, f->tile, f->tile_bytes, f->step);
}

/* Bytes of a record that are no field's; are there any? */
static bool list_gaps(hd_str *out, const plan *p) {
    uint32_t end = 0;
    bool any = false;
    begin_list(out, "HD_GAPS(M)");
    for (uint32_t f = 0; f <= p->field_count; f++) {
        uint32_t next = f < p->field_count ? p->fields[f].offset : p->map->layout->record->size;
        if (next > end)
            hd_str_printf(out, " \\\n    M(%uu, %uu)", end, next);
        any |= next > end;
        end = f < p->field_count ? next + p->fields[f].size : end;
    }
    return any;
}

/* Values that are moved one by one: all, or those that no window has and that are left of a
 * block. */
static void list_values(hd_str *out, const plan *p) {
    uint64_t most = 0;
    begin_list(out, "HD_VALUES(M)");
    for (uint32_t i = 0; i < p->field_count; i++) {
        const moved_field *f = &p->fields[i];
        uint32_t word =
            remap_common_word(f->offset | f->size | f->step, p->map->element_bytes, VECTOR);
        word = remap_common_word(f->base, f->tile ? f->tile_bytes : 0, word);
        hd_str_printf(out, " \\\n    M(%s, %u, %uu, %uu, ", place_of(out->arena, f), word,
                      f->size / word, f->offset);
        hd_str_printf(out, f->unit ? "whole / %uu * %uu)" : "0)", f->unit ? LINE / f->unit : 0,
                      f->unit ? LINE / f->unit : 0);
        most = f->size / word > most ? f->size / word : most;
    }
    hd_str_printf(out, "\n#define HD_COUNTER %s\n", remap_kernel_number((MOST_RECORDS + 1) * most));
}

/* ---- through local memory -------------------------------------------------------------- */

static void put_local(hd_str *out, const plan *p) {
    hd_arena *arena = out->arena;
    const uint32_t record = p->map->layout->record->size;
    begin_list(out, "HD_PLAIN_FIELDS(M)");
    for (uint32_t i = 0; i < p->field_count; i++) {
        const moved_field *f = &p->fields[i];
        bool in_runs = f->tile && f->tile < p->records;
        if (f->plain)
            hd_str_printf(out, " \\\n    M(%s, %u, %u, %u, %u, %" PRIu64 ")", place_of(arena, f),
                          f->word, f->size / f->word, record / f->word, f->offset / f->word,
                          in_runs ? f->tile * f->size : 0);
    }
    begin_list(out, "HD_PIECES(M)");
    for (uint32_t i = 0; i < p->piece_count; i++) {
        const piece *m = &p->pieces[i];
        hd_str_printf(out, " \\\n    M(%s, %u, %u)",
                      place_text(arena, m->part, m->base, m->tile, m->tile_bytes, m->step), m->at,
                      m->width);
    }
    begin_list(out, "HD_FIELDS_IN_PIECES(M)");
    for (uint32_t i = 0; i < p->field_count; i++) {
        const moved_field *f = &p->fields[i];
        const piece *in = &p->pieces[p->piece_of[i]];
        uint64_t run = in->step ? 0 : p->map->layout->fields[i].run;
        if (!f->plain)
            hd_str_printf(out,
                          " \\\n    M(%u, %u, %u, %u, %" PRIu64 ", %u, %" PRIu64 ", %" PRIu64 ")",
                          f->word, f->size / f->word, record / f->word, f->offset / f->word,
                          (in->at + run) / f->word, f->step / f->word, in->step ? 0 : in->tile,
                          in->tile_bytes / f->word);
    }
    hd_str_printf(out, "\n#define HD_DEVICE_BYTES %u\n", p->device_bytes);
}

/* ---- windows of processors --------------------------------------------------------------- */

/* Is a bundle of the field's values, words of `unit` bytes, one piece on the device? */
static bool is_bundled(const plan *p, const moved_field *f, uint32_t unit) {
    return f->size == unit && f->step == unit && f->offset % unit == 0 &&
           p->map->element_bytes % unit == 0 && f->tile % (LINE / unit) == 0;
}

/* The bundled field at word `word` of the record, or NULL. */
static moved_field *field_at(plan *p, uint32_t unit, uint64_t word) {
    for (uint32_t f = 0; f < p->field_count; f++)
        if (p->fields[f].offset == word * unit && is_bundled(p, &p->fields[f], unit))
            return &p->fields[f];
    return NULL;
}

/* Lists the window that has the bundled field `f`, further left where the record ends before it
 * does. On the way back it stores all its words, so all must be fields. */
static bool list_window(hd_str *out, plan *p, bool back, const moved_field *f, uint32_t unit) {
    const uint32_t words = (uint32_t)(p->map->element_bytes / unit), lanes = VECTOR / unit;
    uint32_t first = f->offset / unit, last = words < lanes ? 0 : words - lanes;
    first = first < last ? first : last;
    for (uint32_t w = first; back && w < first + lanes && w < words; w++)
        if (!field_at(p, unit, w))
            return false;
    hd_str_printf(out, " \\\n    BEGIN(%u, %uu)", unit, first * unit);
    for (uint32_t l = 0; l < lanes && first + l < words; l++) {
        moved_field *moved = field_at(p, unit, first + l);
        if (!moved)
            continue;
        bool on_line = moved->base % LINE == 0 && (!moved->tile || moved->tile_bytes % LINE == 0);
        moved->unit = unit;
        hd_str_printf(out, " LANE(%u, %s, %d)", l, place_of(out->arena, moved), on_line);
    }
    hd_str_printf(out, " END(%u, %uu)", unit, first * unit);
    return true;
}

static void put_direct(hd_str *out, plan *p, const remap_kernel_writer *w) {
    const uint32_t record = (uint32_t)p->map->element_bytes;
    const uint32_t block = BLOCK_BYTES / record / LINE * LINE;
    bool reaches_on = false;
    for (uint32_t unit = 1; unit <= VECTOR; unit *= 2) {
        begin_list(out, hd_format(out->arena, "HD_WINDOWS_%u(BEGIN, LANE, END)", unit));
        for (uint32_t f = 0; f < p->field_count; f++)
            if (!p->fields[f].unit && is_bundled(p, &p->fields[f], unit) &&
                list_window(out, p, w->back, &p->fields[f], unit))
                reaches_on |= record < VECTOR && !w->back;
    }
    hd_str_printf(out, "\n#define HD_BLOCK %uu\n#define HD_REACHES_ON %d\n#define HD_WRITTEN (",
                  block ? block : LINE, reaches_on);
    for (uint32_t part = 0; part < p->map->parts && !w->back; part++)
        hd_str_printf(out, "(size_t)part%u | ", part);
    hd_str_add(out, w->back ? "(size_t)staging)" : "0)");
}

/* ---- the kernel ---------------------------------------------------------------------------- */

void remap_kernel_of_records(remap_kernel_writer *w) {
    hd_str *out = &w->out;
    plan *p = hd_new(out->arena, plan);
    make_plan(p, w->map, &w->tuning);
    hd_str_printf(out, "#define HD_RECORD %" PRIu64 "u\n#define HD_RECORDS %uu",
                  w->map->element_bytes, p->records);
    if (p->is_direct)
        put_direct(out, p, w);
    else if (!p->is_long)
        put_local(out, p);
    hd_str_printf(out, "\n#define HD_HAS_GAPS %d", list_gaps(out, p));
    list_values(out, p);
    hd_str_add(out, values_text);
    if (p->is_direct)
        hd_str_add(out, remap_kernel_vectors);
    hd_str_add(out, p->is_direct ? direct_text : p->is_long ? long_text : local_text);
}
