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
 * Words of local memory are skewed by one after each 32, so that steps of a power of two meet all
 * banks. Records too long for local memory are moved value by value: these are long enough.
 */
#include <inttypes.h>

#include "remap/kernels_text.h"

enum { PLAIN_BYTES = 64, LEAST_RECORDS = 32, MOST_RECORDS = 1024 };

/* A field, as the kernel sees it. Field by field is the same for a cluster's `tile` elements;
 * 0: there are no tiles, element i is at base + i * step. */
typedef struct moved_field {
    const char *name;
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

uint32_t hd_records_of_group(const hd_remap *map, const hd_remap_tuning *tuning) {
    uint64_t bytes = (uint64_t)tuning->group * tuning->per_item * 4, records = LEAST_RECORDS;
    if (tuning->direct)
        bytes = (uint64_t)tuning->per_item * 16;
    else if (bytes > HD_KERNEL_LOCAL_BYTES / 3)
        bytes = HD_KERNEL_LOCAL_BYTES / 3;
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
    moved_field moved = {.name = field->name,
                         .part = cluster->allocation,
                         .offset = field->offset,
                         .size = field->size,
                         .step = at->size,
                         .base = cluster->base + at->run,
                         .tile = cluster->tile,
                         .tile_bytes = cluster->tile_bytes};
    if (cluster->tile_bytes == at->size || cluster->tile >= layout->count)
        moved.tile = 0;
    moved.word = hd_common_word(moved.offset | moved.size, map->element_bytes, 4);
    moved.plain = is_plain(&moved, records);
    return moved;
}

/* What a field that is not plain is moved by: its place within a piece counts, too. */
static uint32_t word_in_piece(const plan *p, uint32_t f) {
    const moved_field *field = &p->fields[f];
    uint64_t tile_bytes = field->tile && field->tile < p->records ? field->tile_bytes : 0;
    uint64_t run = tile_bytes ? p->map->layout->fields[f].run : 0;
    return hd_common_word(field->step, run | tile_bytes, field->word);
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
        hd_common_word(new.base | new.bytes, tiles || !field->tile ? 0 : field->tile_bytes, 16);
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
    p->records = hd_records_of_group(map, tuning);
    uint32_t bytes = 0;
    for (uint32_t f = 0; f < record->field_count; f++) {
        bytes += record->fields[f].size;
        p->fields[f] = field_of(map, f, p->records);
    }
    p->padded = bytes < record->size;
    p->is_long = tuning->direct || map->element_bytes * p->records > HD_KERNEL_LOCAL_BYTES;
    if (p->is_long)
        return;
    share_tiles(p);
    for (uint32_t f = 0; f < record->field_count; f++)
        if (!p->fields[f].plain) {
            p->fields[f].word = word_in_piece(p, f);
            p->piece_of[f] = piece_of(p, f);
        }
    p->is_long = p->records * record->size + p->device_bytes > HD_KERNEL_LOCAL_BYTES;
}

static uint32_t image_bytes(const plan *p) { return p->records * p->map->layout->record->size; }

/* ---- text: local memory -------------------------------------------------------------- */

/* Places of words of 4, 2 and 1 bytes in skewed local memory. */
static const char skew[] = "#define HD_AT4(w) ((w) + ((w) >> 5))\n"
                           "#define HD_AT2(h) ((h) + ((h) >> 6 << 1))\n"
                           "#define HD_AT1(b) ((b) + ((b) >> 7 << 2))\n"
                           "#define HD_4(memory) (memory)\n"
                           "#define HD_2(memory) ((HD_LOCAL hd_w2 *)(memory))\n"
                           "#define HD_1(memory) ((HD_LOCAL hd_w1 *)(memory))\n";

/* Pieces between global and local memory, at byte `at` there; %1$s is their width. */
static const char move_16[] =
    "HD_INLINE void hd_take_16(HD_LOCAL hd_w4 *memory, hd_w4 at, HD_GLOBAL const hd_w1 *from,\n"
    "                          hd_w4 bytes) {\n"
    "    for (hd_w4 i = HD_ITEM; i < bytes / 16; i += HD_ITEMS) {\n"
    "        const hd_w16 value = ((HD_GLOBAL const hd_w16 *)from)[i];\n"
    "        const hd_w4 w = at / 4 + 4 * i;\n"
    "        memory[HD_AT4(w)] = value.x;\n"
    "        memory[HD_AT4(w + 1)] = value.y;\n"
    "        memory[HD_AT4(w + 2)] = value.z;\n"
    "        memory[HD_AT4(w + 3)] = value.w;\n"
    "    }\n"
    "    for (hd_w4 b = bytes / 16 * 16 + HD_ITEM; b < bytes; b += HD_ITEMS)\n"
    "        HD_1(memory)[HD_AT1(at + b)] = from[b];\n"
    "}\n"
    "HD_INLINE void hd_give_16(HD_GLOBAL hd_w1 *to, HD_LOCAL const hd_w4 *memory, hd_w4 at,\n"
    "                          hd_w4 bytes) {\n"
    "    for (hd_w4 i = HD_ITEM; i < bytes / 16; i += HD_ITEMS) {\n"
    "        const hd_w4 w = at / 4 + 4 * i;\n"
    "        ((HD_GLOBAL hd_w16 *)to)[i] =\n"
    "            HD_WORDS(memory[HD_AT4(w)], memory[HD_AT4(w + 1)], memory[HD_AT4(w + 2)],\n"
    "                     memory[HD_AT4(w + 3)]);\n"
    "    }\n"
    "    for (hd_w4 b = bytes / 16 * 16 + HD_ITEM; b < bytes; b += HD_ITEMS)\n"
    "        to[b] = ((HD_LOCAL const hd_w1 *)memory)[HD_AT1(at + b)];\n"
    "}\n";

static const char move_narrow[] =
    "HD_INLINE void hd_take_%1$u(HD_LOCAL hd_w4 *memory, hd_w4 at, HD_GLOBAL const hd_w1 *from,\n"
    "                         hd_w4 bytes) {\n"
    "    for (hd_w4 i = HD_ITEM; i < bytes / %1$u; i += HD_ITEMS)\n"
    "        HD_%1$u(memory)[HD_AT%1$u(at / %1$u + i)] = ((HD_GLOBAL const hd_w%1$u *)from)[i];\n"
    "    for (hd_w4 b = bytes / %1$u * %1$u + HD_ITEM; b < bytes; b += HD_ITEMS)\n"
    "        HD_1(memory)[HD_AT1(at + b)] = from[b];\n"
    "}\n"
    "HD_INLINE void hd_give_%1$u(HD_GLOBAL hd_w1 *to, HD_LOCAL hd_w4 *memory, hd_w4 at,\n"
    "                         hd_w4 bytes) {\n"
    "    for (hd_w4 i = HD_ITEM; i < bytes / %1$u; i += HD_ITEMS)\n"
    "        ((HD_GLOBAL hd_w%1$u *)to)[i] = HD_%1$u(memory)[HD_AT%1$u(at / %1$u + i)];\n"
    "    for (hd_w4 b = bytes / %1$u * %1$u + HD_ITEM; b < bytes; b += HD_ITEMS)\n"
    "        to[b] = HD_1(memory)[HD_AT1(at + b)];\n"
    "}\n";

static const char clear[] =
    "HD_INLINE void hd_clear(HD_LOCAL hd_w4 *memory, hd_w4 bytes) {\n"
    "    for (hd_w4 w = HD_ITEM; w < HD_AT4((bytes + 3) / 4); w += HD_ITEMS)\n"
    "        memory[w] = 0;\n"
    "}\n";

static void put_helpers(hd_kernel_writer *w, const plan *p) {
    hd_str_add(&w->out, skew);
    hd_str_add(&w->out, move_16);
    for (uint32_t width = 1; width <= 4; width += 3)
        for (uint32_t i = 0; i < p->piece_count; i++)
            if (p->pieces[i].width == width) {
                hd_str_printf(&w->out, move_narrow, width);
                break;
            }
    if (p->padded || p->piece_count)
        hd_str_add(&w->out, clear);
}

/* ---- text: fields -------------------------------------------------------------------- */

/* Where the group's first element lies in the device's memory, as a byte offset. */
static const char *place_text(hd_arena *arena, uint64_t base, uint64_t tile, uint64_t tile_bytes,
                              uint32_t step) {
    if (!tile)
        return hd_format(arena, "%" PRIu64 " + element * %u", base, step);
    return hd_format(
        arena, "%" PRIu64 " + element / %" PRIu64 " * %" PRIu64 " + element %% %" PRIu64 " * %u",
        base, tile, tile_bytes, tile, step);
}

/* The place in the image of word number `i` (an expression) of a field's values. */
static const char *image_text(hd_arena *arena, const plan *p, const moved_field *f, const char *i) {
    uint32_t words = f->size / f->word, step = p->map->layout->record->size / f->word;
    uint32_t from = f->offset / f->word;
    if (words == 1)
        return hd_format(arena, "HD_AT%u((%s) * %uu + %uu)", f->word, i, step, from);
    return hd_format(arena, "HD_AT%u((%s) / %uu * %uu + %uu + (%s) %% %uu)", f->word, i, words,
                     step, from, i, words);
}

/* Byte `b` (an expression) of a plain field, from the group's first element on. */
static const char *plain_text(hd_arena *arena, const plan *p, const moved_field *f, const char *b) {
    if (!f->tile || f->tile >= p->records)
        return b;
    uint64_t run = f->tile * f->size;
    return hd_format(arena, "(%s) / %" PRIu64 "u * %" PRIu64 "u + (%s) %% %" PRIu64 "u", b, run,
                     f->tile_bytes, b, run);
}

/* Four bytes from the image, beginning with number `number` of 16. */
static void put_assembled(hd_kernel_writer *w, const plan *p, const moved_field *f,
                          uint32_t number) {
    hd_arena *arena = w->out.arena;
    const uint32_t each = 4 / f->word;
    for (uint32_t k = 0; k < each; k++) {
        const char *i = hd_format(arena, "%u * i + %u", 4 * each, number * each + k);
        hd_str_printf(&w->out, "%s(hd_w4)HD_%u(image)[%s]", k ? " | " : "", f->word,
                      image_text(arena, p, f, i));
        if (k)
            hd_str_printf(&w->out, " << %u", 8 * k * f->word);
    }
}

static void put_taken_apart(hd_kernel_writer *w, const plan *p, const moved_field *f,
                            uint32_t number) {
    hd_arena *arena = w->out.arena;
    const uint32_t each = 4 / f->word;
    for (uint32_t k = 0; k < each; k++) {
        const char *i = hd_format(arena, "%u * i + %u", 4 * each, number * each + k);
        hd_str_printf(&w->out, "            HD_%u(image)[%s] = (hd_w%u)(value.%c >> %u);\n",
                      f->word, image_text(arena, p, f, i), f->word, "xyzw"[number],
                      8 * k * f -> word);
    }
}

static void put_plain_words(hd_kernel_writer *w, const plan *p, const moved_field *f) {
    const char *at = plain_text(w->out.arena, p, f, "16 * i");
    hd_str_add(&w->out, "        for (hd_w4 i = HD_ITEM; i < bytes / 16; i += HD_ITEMS) {\n");
    if (w->back) {
        hd_str_printf(&w->out,
                      "            const hd_w16 value = *(HD_GLOBAL const hd_w16 *)(at + (%s));\n",
                      at);
        for (uint32_t number = 0; number < 4; number++)
            put_taken_apart(w, p, f, number);
    } else {
        hd_str_printf(&w->out, "            *(HD_GLOBAL hd_w16 *)(at + (%s)) = HD_WORDS(", at);
        for (uint32_t number = 0; number < 4; number++) {
            hd_str_add(&w->out, number ? ",\n                " : "\n                ");
            put_assembled(w, p, f, number);
        }
        hd_str_add(&w->out, ");\n");
    }
    hd_str_add(&w->out, "        }\n");
}

/* The last bytes, fewer than 16. */
static void put_plain_rest(hd_kernel_writer *w, const plan *p, const moved_field *f) {
    hd_arena *arena = w->out.arena;
    moved_field bytes = *f;
    bytes.word = 1;
    const char *device = hd_format(arena, "at[%s]", plain_text(arena, p, f, "b"));
    const char *image = hd_format(arena, "HD_1(image)[%s]", image_text(arena, p, &bytes, "b"));
    hd_str_printf(&w->out,
                  "        for (hd_w4 b = bytes / 16 * 16 + HD_ITEM; b < bytes; b += HD_ITEMS)\n"
                  "            %s = %s;\n",
                  w->back ? image : device, w->back ? device : image);
}

static void put_plain(hd_kernel_writer *w, const plan *p, const moved_field *f) {
    hd_str_printf(&w->out,
                  "    { /* %s */\n"
                  "        HD_GLOBAL %shd_w1 *at = part%u + (%s);\n"
                  "        const hd_w4 bytes = n * %uu;\n",
                  f->name, w->back ? "const " : "", f->part,
                  place_text(w->out.arena, f->base, f->tile, f->tile_bytes, f->step), f->size);
    put_plain_words(w, p, f);
    put_plain_rest(w, p, f);
    hd_str_add(&w->out, "    }\n");
}

/* ---- text: pieces --------------------------------------------------------------------------- */

/* Between image and `device`. */
static void put_in_piece(hd_kernel_writer *w, const plan *p, uint32_t f) {
    const moved_field *field = &p->fields[f];
    const piece *in = &p->pieces[p->piece_of[f]];
    hd_arena *arena = w->out.arena;
    uint32_t word = field->word, words = field->size / word;
    uint64_t run = in->step ? 0 : p->map->layout->fields[f].run;
    const char *place = hd_format(arena, "r * %uu", field->step / word);
    if (!in->step)
        place = hd_format(arena, "r / %" PRIu64 "u * %" PRIu64 "u + r %% %" PRIu64 "u * %uu",
                          in->tile, in->tile_bytes / word, in->tile, field->step / word);
    const char *device = hd_format(arena, "HD_%u(device)[HD_AT%u(%" PRIu64 "u + %s + k)]", word,
                                   word, (in->at + run) / word, place);
    const char *image = hd_format(arena, "HD_%u(image)[HD_AT%u(r * %uu + %uu + k)]", word, word,
                                  p->map->layout->record->size / word, field->offset / word);
    hd_str_printf(&w->out,
                  "    for (hd_w4 i = HD_ITEM; i < n * %uu; i += HD_ITEMS) { /* %s */\n"
                  "        const hd_w4 r = i / %uu, k = i %% %uu;\n"
                  "        %s =\n            %s;\n"
                  "    }\n",
                  words, field->name, words, words, w->back ? image : device,
                  w->back ? device : image);
}

/* Between `device` and the device's memory. */
static void put_piece(hd_kernel_writer *w, const piece *moved) {
    hd_arena *arena = w->out.arena;
    const char *bytes = hd_format(arena, "n * %uu", moved->step);
    if (!moved->step)
        bytes = hd_format(arena, "(n + %" PRIu64 "u) / %" PRIu64 "u * %" PRIu64 "u",
                          moved->tile - 1, moved->tile, moved->tile_bytes);
    const char *place = place_text(arena, moved->base, moved->tile, moved->tile_bytes, moved->step);
    if (w->back)
        hd_str_printf(&w->out, "    hd_take_%u(device, %u, part%u + (%s), %s);\n", moved->width,
                      moved->at, moved->part, place, bytes);
    else
        hd_str_printf(&w->out, "    hd_give_%u(part%u + (%s), device, %u, %s);\n", moved->width,
                      moved->part, place, moved->at, bytes);
}

static void put_plain_fields(hd_kernel_writer *w, const plan *p) {
    for (uint32_t f = 0; f < p->field_count; f++)
        if (p->fields[f].plain)
            put_plain(w, p, &p->fields[f]);
}

static void put_pieces(hd_kernel_writer *w, const plan *p) {
    for (uint32_t i = 0; i < p->piece_count; i++)
        put_piece(w, &p->pieces[i]);
}

static void put_in_pieces(hd_kernel_writer *w, const plan *p) {
    for (uint32_t f = 0; f < p->field_count; f++)
        if (!p->fields[f].plain)
            put_in_piece(w, p, f);
}

/* ---- text: the kernel ---------------------------------------------------------------- */

/* The parameters of a step, and what the kernel gives for them but for `n`. */
static const char *parameters(const hd_kernel_writer *w, const plan *p) {
    hd_str text = {.arena = w->out.arena};
    for (uint32_t part = 0; part < p->map->parts; part++)
        hd_str_printf(&text, "HD_GLOBAL %shd_w1 *part%u, ", w->back ? "const " : "", part);
    hd_str_printf(&text, "HD_GLOBAL %shd_w1 *host,\n    HD_LOCAL hd_w4 *image, ",
                  w->back ? "" : "const ");
    hd_str_printf(&text, "%shd_w8 element", p->piece_count ? "HD_LOCAL hd_w4 *device, " : "");
    return hd_str_text(&text);
}

static const char *arguments(const hd_kernel_writer *w, const plan *p) {
    hd_str text = {.arena = w->out.arena};
    for (uint32_t part = 0; part < p->map->parts; part++)
        hd_str_printf(&text, "part%u, ", part);
    hd_str_printf(&text, "host, image, %selement", p->piece_count ? "device, " : "");
    return hd_str_text(&text);
}

/* A group's work is a few steps with barriers between them; each is a function of the number of
 * records, which is a constant for a whole group. */
enum { TAKE, MOVE, GIVE, STEPS };
static const char *const step_names[] = {"take", "move", "give"};

static bool has_step(const plan *p, int step) { return step != MOVE || p->piece_count; }

static void put_step_to_device(hd_kernel_writer *w, const plan *p, int step) {
    switch (step) {
    case TAKE:
        hd_str_printf(&w->out, "    hd_take_16(image, 0, host, n * %uu);\n",
                      p->map->layout->record->size);
        break;
    case MOVE: put_in_pieces(w, p); break;
    default: put_plain_fields(w, p); put_pieces(w, p);
    }
}

static void put_step_from_device(hd_kernel_writer *w, const plan *p, int step) {
    switch (step) {
    case TAKE:
        put_pieces(w, p);
        put_plain_fields(w, p);
        break;
    case MOVE: put_in_pieces(w, p); break;
    default:
        hd_str_printf(&w->out, "    hd_give_16(host, image, 0, n * %uu);\n",
                      p->map->layout->record->size);
    }
}

static void put_steps(hd_kernel_writer *w, const plan *p) {
    for (int step = 0; step < STEPS; step++) {
        if (!has_step(p, step))
            continue;
        hd_str_printf(&w->out, "\nHD_INLINE void hd_%s(%s, hd_w4 n) {\n", step_names[step],
                      parameters(w, p));
        (w->back ? put_step_from_device : put_step_to_device)(w, p, step);
        hd_str_add(&w->out, "}\n");
    }
}

/* Local memory of `bytes` bytes, skewed. */
static void put_local(hd_kernel_writer *w, const char *name, uint32_t bytes) {
    uint32_t words = bytes / 4 + 1;
    hd_str_printf(&w->out, "    HD_SHARED hd_w4 %s[%u];\n", name, words + words / 32);
}

/* What no value is written to becomes 0 in local memory, before the first step. */
static void put_clearing(hd_kernel_writer *w, const plan *p) {
    if (w->back && p->padded)
        hd_str_printf(&w->out, "    hd_clear(image, %u);\n    HD_BARRIER();\n", image_bytes(p));
    if (!w->back && p->piece_count)
        hd_str_printf(&w->out, "    hd_clear(device, %u);\n", p->device_bytes);
}

static void put_kernel(hd_kernel_writer *w, const plan *p) {
    hd_str *out = &w->out;
    const char *given = arguments(w, p);
    put_helpers(w, p);
    put_steps(w, p);
    hd_kernel_head(w);
    put_local(w, "image", image_bytes(p));
    if (p->piece_count)
        put_local(w, "device", p->device_bytes);
    hd_str_printf(out,
                  "    const hd_w8 begin = HD_GROUP * %u, element = first + begin;\n"
                  "    const hd_w4 n = count - begin < %u ? (hd_w4)(count - begin) : %u;\n"
                  "    HD_GLOBAL %shd_w1 *host = staging + begin * %u;\n",
                  p->records, p->records, p->records, w->back ? "" : "const ",
                  p->map->layout->record->size);
    put_clearing(w, p);
    for (int step = 0; step < STEPS; step++)
        if (has_step(p, step))
            hd_str_printf(out,
                          "%s    if (n == %u)\n        hd_%s(%s, %u);\n"
                          "    else\n        hd_%s(%s, n);\n",
                          step ? "    HD_BARRIER();\n" : "", p->records, step_names[step], given,
                          p->records, step_names[step], given);
    hd_str_add(out, "}\n");
}

/* ---- long records -------------------------------------------------------------------- */

/* Where element `element` of a field lies, as an expression. */
static void put_long_field(hd_kernel_writer *w, const moved_field *f, uint64_t record_bytes) {
    uint32_t word =
        hd_common_word(f->word | f->step, f->base | (f->tile ? f->tile_bytes : 0), f->word);
    uint32_t words = f->size / word;
    const char *number = hd_kernel_number((uint64_t)MOST_RECORDS * words);
    hd_arena *arena = w->out.arena;
    const char *place = place_text(arena, f->base, f->tile, f->tile_bytes, f->step);
    const char *device = hd_format(arena, "((HD_GLOBAL %shd_w%u *)(part%u + (%s)))[i %% %uu]",
                                   w->back ? "const " : "", word, f->part, place, words);
    const char *host = hd_format(
        arena, "((HD_GLOBAL %shd_w%u *)(staging + (element - first) * %" PRIu64 " + %u))[i %% %uu]",
        w->back ? "" : "const ", word, record_bytes, f->offset, words);
    hd_str_printf(&w->out,
                  "    for (%s i = HD_ITEM; i < (%s)n * %uu; i += HD_ITEMS) { /* %s */\n"
                  "        const hd_w8 element = first + begin + i / %uu;\n"
                  "        %s =\n            %s;\n"
                  "    }\n",
                  number, number, words, f->name, words, w->back ? host : device,
                  w->back ? device : host);
}

/* Bytes of a record that are no field's become 0. */
static void put_long_padding(hd_kernel_writer *w, const plan *p) {
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

static void put_long(hd_kernel_writer *w, const plan *p) {
    hd_kernel_head(w);
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

void hd_kernel_of_records(hd_kernel_writer *writer) {
    plan *p = hd_new(writer->out.arena, plan);
    make_plan(p, writer->map, &writer->tuning);
    (p->is_long ? put_long : put_kernel)(writer, p);
}
