/*
 * The kernel of structs and their layout on a processor: an item moves records that follow one
 * another, a block after the other, so that what a block touches stays in the first cache.
 *
 * Fields of 1, 2, 4, 8 or 16 bytes whose values lie in runs are moved in vectors: a window is as
 * many neighbouring words of a record as 16 bytes hold. Of a bundle of records, whose values of a
 * field are 64 bytes, the windows are read one below the other and turned:
 *
 *     a0 b0 c0 d0        a0 a1 a2 a3     of records 0 to 3, and so on to record 15; the four
 *     a1 b1 c1 d1  --->  b0 b1 b2 b3     quarters of a field are stored at once, past the caches
 *     a2 b2 c2 d2        c0 c1 c2 c3     where the compiler knows how. The way back turns them
 *     a3 b3 c3 d3        d0 d1 d2 d3     again, into a block of records that is then stored.
 *
 * A window may reach into the next record where records are shorter than 16 bytes: what it finds
 * there is not used. Records of two words need no turning: their vectors are taken apart into even
 * and odd words, and put together by alternating. Other fields, and what is left of a block, are
 * moved value by value.
 */
#include <inttypes.h>

#include "remap/kernels_text.h"

enum { BLOCK_BYTES = 8192, VECTOR = 16, LINE = 64, MOST_WINDOWS = HD_MAX_FIELDS };

/* Words of `unit` bytes that are moved together, from `first` of the record on. */
typedef struct window {
    uint32_t unit, first;
    int field[16]; /* of each word; -1: none that is moved here */
} window;

typedef struct direct {
    remap_kernel_writer *w;
    const hd_map *layout;
    uint32_t record_bytes, block; /* block: records */
    window windows[MOST_WINDOWS];
    uint32_t window_count;
    uint32_t unit[HD_MAX_FIELDS]; /* of fields that are in a window; else 0 */
    bool reaches_on;              /* a window ends after its record */
} direct;

/* ---- windows ---- */

static uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

static bool is_linear(const hd_map *layout, uint32_t f) {
    const hd_cluster_place *cluster = &layout->clusters[layout->fields[f].cluster];
    return cluster->tile >= layout->count || cluster->tile_bytes == layout->fields[f].size;
}

/* Whether a bundle of the field's values, words of `unit` bytes, is one piece on the device. */
static bool is_bundled(const direct *d, uint32_t f, uint32_t unit) {
    const hd_field *field = &d->layout->record->fields[f];
    const hd_field_place *at = &d->layout->fields[f];
    const hd_cluster_place *cluster = &d->layout->clusters[at->cluster];
    if (field->size != unit || at->size != unit || field->offset % unit || d->record_bytes % unit)
        return false;
    return is_linear(d->layout, f) || cluster->tile % (LINE / unit) == 0;
}

/* The bundled field at word `word` of the record, or -1. */
static int field_at(const direct *d, uint32_t unit, uint32_t word) {
    for (uint32_t f = 0; f < d->layout->record->field_count; f++)
        if (d->layout->record->fields[f].offset == word * unit && is_bundled(d, f, unit))
            return (int)f;
    return -1;
}

/* The window for the words from `word` on, further left where the record ends before it does. */
static window window_at(const direct *d, uint32_t unit, uint32_t word) {
    uint32_t words = d->record_bytes / unit, lanes = VECTOR / unit;
    window made = {unit, words < lanes ? 0 : least(word, words - lanes), {0}};
    for (uint32_t l = 0; l < lanes; l++)
        made.field[l] = made.first + l < words ? field_at(d, unit, made.first + l) : -1;
    return made;
}

/* On the way back a window stores all its words, so all must be fields. */
static bool is_usable(const direct *d, const window *w) {
    for (uint32_t l = 0; d->w->back && l < VECTOR / w->unit; l++)
        if (w->field[l] < 0 && w->first + l < d->record_bytes / w->unit)
            return false;
    return true;
}

/* Records of two words: a quarter of two bundles of fields is two vectors of records. */
static bool is_pair(const direct *d, const window *w) {
    return d->record_bytes == 2 * w->unit && w->unit < VECTOR / 2 && w->field[0] >= 0 &&
           w->field[1] >= 0;
}

static void find_windows(direct *d, uint32_t unit) {
    if (d->record_bytes % unit || d->w->dialect != HD_REMAP_OPENCL_C)
        return;
    for (uint32_t f = 0; f < d->layout->record->field_count; f++) {
        if (d->unit[f] || !is_bundled(d, f, unit))
            continue;
        window made = window_at(d, unit, d->layout->record->fields[f].offset / unit);
        if (!is_usable(d, &made))
            continue;
        for (uint32_t l = 0; l < VECTOR / unit; l++)
            if (made.field[l] >= 0)
                d->unit[made.field[l]] = unit;
        d->reaches_on |=
            !is_pair(d, &made) && (made.first + VECTOR / unit) * unit > d->record_bytes;
        d->windows[d->window_count++] = made;
    }
}

/* ---- text: vectors ---- */

/* Where element `r` of a block's lies in its part, as an expression. */
static const char *place_text(const direct *d, uint32_t f) {
    const hd_field_place *at = &d->layout->fields[f];
    const hd_cluster_place *cluster = &d->layout->clusters[at->cluster];
    hd_arena *arena = d->w->out.arena;
    if (is_linear(d->layout, f))
        return hd_format(arena, "%" PRIu64 " + (element + r) * %u", cluster->base + at->run,
                         at->size);
    return hd_format(arena,
                     "%" PRIu64 " + (element + r) / %" PRIu64 " * %" PRIu64
                     " + (element + r) %% %" PRIu64 " * %u",
                     cluster->base + at->run, cluster->tile, cluster->tile_bytes, cluster->tile,
                     at->size);
}

/* Whether bundles begin at multiples of 64 bytes where the part does. */
static bool is_on_line(const direct *d, uint32_t f) {
    const hd_field_place *at = &d->layout->fields[f];
    const hd_cluster_place *cluster = &d->layout->clusters[at->cluster];
    return (cluster->base + at->run) % LINE == 0 &&
           (is_linear(d->layout, f) || cluster->tile_bytes % LINE == 0);
}

static const char *vector_type(uint32_t unit) {
    return unit == 1 ? "uchar16" : unit == 2 ? "ushort8" : "uint4";
}

static const char *part_text(const direct *d, int f) {
    return hd_format(d->w->out.arena, "part%u + (%s)",
                     d->layout->clusters[d->layout->fields[f].cluster].allocation,
                     place_text(d, (uint32_t)f));
}

/* Vectors qQ[L]: before they are turned, record L of quarter Q; then field L of its records. */
static void put_window_to(const direct *d, const window *w) {
    const char *type = vector_type(w->unit);
    const uint32_t lanes = VECTOR / w->unit;
    hd_str *out = &d->w->out;
    for (uint32_t quarter = 0; quarter < 4; quarter++) {
        hd_str_printf(out, "                uint4 q%u[%u];\n", quarter, lanes);
        for (uint32_t half = 0; is_pair(d, w) && half < 2; half++)
            hd_str_printf(
                out, "                const %s %c%u = as_%s(HD_LOAD(host + r * %uu + %u));\n", type,
                "ab"[half], quarter, type, d -> record_bytes, (2 * quarter + half) * VECTOR);
        for (uint32_t l = 0; is_pair(d, w) && l < 2; l++)
            hd_str_printf(out, "                q%u[%u] = as_uint4((%s)(a%u.%s, b%u.%s));\n",
                          quarter, l, type, quarter, l ? "odd" : "even", quarter,
                          l ? "odd" : "even");
        for (uint32_t l = 0; !is_pair(d, w) && l < lanes; l++)
            hd_str_printf(out, "                q%u[%u] = HD_LOAD(host + r * %uu + %u);\n", quarter,
                          l, d->record_bytes,
                          (quarter * lanes + l) * d->record_bytes + w->first * w->unit);
        if (!is_pair(d, w))
            hd_str_printf(out, "                hd_turn_%u(q%u);\n", w->unit, quarter);
    }
    for (uint32_t l = 0; l < lanes; l++)
        if (w->field[l] >= 0)
            hd_str_printf(
                out,
                "                HD_STORE(%s, (uint16)(q0[%u], q1[%u], q2[%u], q3[%u]), %s);\n",
                part_text(d, w->field[l]), l, l, l, l,
                is_on_line(d, (uint32_t)w->field[l]) ? "streams" : "false");
}

static void put_window_back(const direct *d, const window *w) {
    const char *type = vector_type(w->unit);
    const uint32_t lanes = VECTOR / w->unit;
    hd_str *out = &d->w->out;
    for (uint32_t quarter = 0; quarter < 4; quarter++) {
        hd_str_printf(out, "                {\n                    uint4 v[%u];\n", lanes);
        for (uint32_t l = 0; l < lanes; l++)
            hd_str_printf(out, "                    v[%u] = %s;\n", l,
                          w->field[l] < 0 ? "(uint4)(0)"
                                          : hd_format(out->arena, "HD_LOAD(%s + %u)",
                                                      part_text(d, w->field[l]), quarter * VECTOR));
        for (uint32_t half = 0; is_pair(d, w) && half < 2; half++)
            hd_str_printf(out,
                          "                    HD_KEEP(bytes + r * %uu + %u, hd_%s_%u(as_%s(v[0]), "
                          "as_%s(v[1])));\n",
                          d->record_bytes, (2 * quarter + half) * VECTOR, half ? "high" : "low",
                          w->unit, type, type);
        if (!is_pair(d, w))
            hd_str_printf(out, "                    hd_turn_%u(v);\n", w->unit);
        for (uint32_t l = 0; !is_pair(d, w) && l < lanes; l++)
            hd_str_printf(out, "                    HD_KEEP(bytes + r * %uu + %u, v[%u]);\n",
                          d->record_bytes,
                          (quarter * lanes + l) * d->record_bytes + w->first * w->unit, l);
        hd_str_add(out, "                }\n");
    }
}

/* All windows of words of `unit` bytes. */
static void put_windows(const direct *d, uint32_t unit) {
    hd_str *out = &d->w->out;
    uint32_t count = 0, bundle = LINE / unit;
    for (uint32_t i = 0; i < d->window_count; i++)
        if (d->windows[i].unit == unit) {
            hd_str_printf(out,
                          count++ ? "            {\n"
                                  : "        for (hd_w4 r = 0; r + %u <= whole; r += %u) {\n"
                                    "            {\n",
                          bundle, bundle);
            (d->w->back ? put_window_back : put_window_to)(d, &d->windows[i]);
            hd_str_add(out, "            }\n");
        }
    if (count)
        hd_str_add(out, "        }\n");
}

/* ---- text: values ---- */

/* A field's values that no window has. */
static void put_field(const direct *d, uint32_t f) {
    const hd_map *layout = d->layout;
    const hd_field *field = &layout->record->fields[f];
    const hd_field_place *at = &layout->fields[f];
    const hd_cluster_place *cluster = &layout->clusters[at->cluster];
    const bool back = d->w->back;
    uint32_t word = remap_common_word(field->offset | field->size, layout->record->size, 16);
    word = remap_common_word(word | at->size, cluster->base | at->run | cluster->tile_bytes, word);
    hd_arena *arena = d->w->out.arena;
    const char *device =
        hd_format(arena, "((HD_GLOBAL %shd_w%u *)(part%u + (%s)))[k]", back ? "const " : "", word,
                  cluster->allocation, place_text(d, f));
    const char *host =
        hd_format(arena, "((%shd_w%u *)(%s + r * %uu + %uu))[k]", back ? "" : "HD_GLOBAL const ",
                  word, back ? "bytes" : "host", layout->record->size, field->offset);
    const char *first =
        d->unit[f] ? hd_format(arena, "whole / %u * %u", LINE / d->unit[f], LINE / d->unit[f])
                   : "0";
    hd_str_printf(&d->w->out,
                  "        for (hd_w4 r = %s; r < n; r++) /* %s */\n"
                  "            for (hd_w4 k = 0; k < %u; k++)\n"
                  "                %s =\n                    %s;\n",
                  first, field->name, field->size / word, back ? host : device,
                  back ? device : host);
}

/* Bytes of a record that are no field's become 0. */
static void put_padding(const direct *d) {
    const hd_record *record = d->layout->record;
    uint32_t end = 0;
    for (uint32_t f = 0; f <= record->field_count; f++) {
        uint32_t next = f < record->field_count ? record->fields[f].offset : record->size;
        if (next > end)
            hd_str_printf(&d->w->out,
                          "        for (hd_w4 r = 0; r < n; r++)\n"
                          "            for (hd_w4 k = %u; k < %u; k++)\n"
                          "                bytes[r * %uu + k] = 0;\n",
                          end, next, record->size);
        end = f < record->field_count ? next + record->fields[f].size : end;
    }
}

/* ---- text: the kernel ---- */

static const char store_block[] = "        const hd_w4 lines = n * %uu / 64;\n"
                                  "        for (hd_w4 i = 0; i < lines; i++)\n"
                                  "            HD_STORE(host + 64 * i, block[i], streams);\n"
                                  "        for (hd_w4 i = lines * 64; i < n * %uu; i++)\n"
                                  "            host[i] = bytes[i];\n";

static void put_moves(const direct *d) {
    hd_str *out = &d->w->out;
    hd_str_printf(out, "        const hd_w4 whole = %s;\n",
                  d->reaches_on && !d->w->back ? "at + n < count ? n : n - 1" : "n");
    for (uint32_t unit = 1; unit <= VECTOR; unit *= 2)
        put_windows(d, unit);
    for (uint32_t f = 0; f < d->layout->record->field_count; f++)
        put_field(d, f);
    if (d->w->back) {
        put_padding(d);
        hd_str_printf(out, store_block, d->record_bytes, d->record_bytes);
    }
}

/* The function that moves the records from `begin` to `end`, and the kernel that calls it with
 * what it knows about the memory: 64 bytes are stored past the caches only where they are a line.
 */
static void put_kernel(const direct *d) {
    hd_str *out = &d->w->out;
    const char *device = d->w->back ? "const " : "", *staging = d->w->back ? "" : "const ";
    uint32_t records = remap_records_of_group(d->w->map, &d->w->tuning);
    hd_str given = {.arena = out->arena}, joined = {.arena = out->arena};
    hd_str_add(out, "\nHD_INLINE void hd_move(");
    for (uint32_t p = 0; p < d->w->map->parts; p++) {
        hd_str_printf(out, "HD_GLOBAL %shd_w1 *part%u, ", device, p);
        hd_str_printf(&given, "part%u, ", p);
        if (!d->w->back)
            hd_str_printf(&joined, " | (size_t)part%u", p);
    }
    hd_str_printf(out,
                  "HD_GLOBAL %shd_w1 *staging,\n    hd_w8 first, hd_w8 begin, hd_w8 end, "
                  "hd_w8 count, const bool streams) {\n",
                  staging);
    if (d->w->back)
        hd_str_printf(out, "    uint16 block[%u];\n    hd_w1 *const bytes = (hd_w1 *)block;\n",
                      d->block * d->record_bytes / LINE + 1);
    hd_str_printf(out,
                  "    for (hd_w8 at = begin; at < end; at += %u) {\n"
                  "        const hd_w4 n = end - at < %u ? (hd_w4)(end - at) : %u;\n"
                  "        const hd_w8 element = first + at;\n"
                  "        HD_GLOBAL %shd_w1 *host = staging + at * %u;\n",
                  d->block, d->block, d->block, staging, d->record_bytes);
    put_moves(d);
    hd_str_add(out, "    }\n}\n");
    remap_kernel_head(d->w);
    hd_str_printf(out,
                  "    const hd_w8 begin = HD_GROUP * %u;\n"
                  "    const hd_w8 end = begin + %u < count ? begin + %u : count;\n"
                  "    if (((%s%s) & 63) == 0)\n"
                  "        hd_move(%sstaging, first, begin, end, count, true);\n"
                  "    else\n"
                  "        hd_move(%sstaging, first, begin, end, count, false);\n"
                  "}\n",
                  records, records, records, d->w->back ? "(size_t)staging" : "0",
                  hd_str_text(&joined), hd_str_text(&given), hd_str_text(&given));
}

void remap_kernel_of_records_direct(remap_kernel_writer *writer) {
    direct *d = hd_new(writer->out.arena, direct);
    const hd_map *layout = writer->map->layout;
    uint32_t block = BLOCK_BYTES / layout->record->size / LINE * LINE;
    *d = (direct){.w = writer,
                  .layout = layout,
                  .record_bytes = layout->record->size,
                  .block = block ? block : LINE};
    for (uint32_t unit = 1; unit <= VECTOR; unit *= 2)
        find_windows(d, unit);
    remap_kernel_vectors(writer);
    put_kernel(d);
}
