/*
 * A layout as text.
 *
 * hd_map_address() places field f of element e at
 *
 *     base + e / tile * tile_bytes + run + e % tile * size
 *
 * of its allocation. All of this is known when the text is generated but for
 * the base of a cluster behind another one, and the runs of a `soa` cluster:
 * these depend on the number of elements. So a reference to a laid-out array
 * carries one pointer for each such base (a stream), computed once; and what is
 * left of an address is one of two forms:
 *
 *     ref.run_x + e * 4                              soa: one run
 *     ref.cluster0 + e * 12 + 8                      a tile of one element
 *     ref.cluster1 + (e >> 5) * 384 + 128 + (e & 31) * 4     tiles of 32
 */
#include <inttypes.h>

#include "map_text.h"

const char *rw_unscoped(const char *name) {
    const char *unscoped = name;
    for (const char *at = name; *at && *at != '<'; at++) /* not of a template's arguments */
        if (*at == ':')
            unscoped = at + 1;
    return unscoped;
}

const char *rw_identifier(hd_arena *arena, const char *name) {
    hd_str text = {.arena = arena};
    for (const char *at = name; *at; at++) {
        bool is_plain = (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') ||
                        (*at >= '0' && *at <= '9') || *at == '_';
        if (is_plain || (at[1] && at[1] != '[' && at[1] != '.' && at[1] != ':'))
            hd_str_addn(&text, is_plain ? at : "_", 1);
    }
    return hd_str_text(&text);
}

hd_status rw_map_text_make(hd_arena *arena, const hd_diag *diag, const hd_record *record,
                           const hd_layout *layout, rw_map_text **result) {
    hd_map *map;
    hd_status status = hd_map_make(arena, diag, record, layout, 1, &map);
    if (status != HD_OK)
        return status;
    rw_map_text *text = hd_new(arena, rw_map_text);
    *text = (rw_map_text){.arena = arena, .record = record, .layout = layout, .map = map};
    text->streams = hd_new_array(arena, const char *, record->field_count);
    text->names = hd_new_array(arena, const char *, record->field_count);
    for (uint32_t f = 0; f < record->field_count; f++) {
        const char *name = rw_identifier(arena, record->fields[f].name);
        /* A part's name may come out like that of a field: then its number is added. */
        while (strcmp(name, record->fields[f].name) != 0 && hd_record_find(record, name) >= 0)
            name = hd_format(arena, "%s_%u", name, f);
        text->names[f] = name;
        uint32_t c = map->fields[f].cluster;
        text->streams[f] = layout->clusters[c].tile == HD_TILE_SOA
                               ? hd_format(arena, "run_%s", text->names[f])
                               : hd_format(arena, "cluster%u", c);
    }
    *result = text;
    return HD_OK;
}

static bool is_soa(const rw_map_text *text, uint32_t c) {
    return text->layout->clusters[c].tile == HD_TILE_SOA;
}

void rw_map_text_members(hd_str *out, const rw_map_text *text, const rw_dialect *dialect) {
    for (uint32_t c = 0; c < text->layout->count; c++) {
        const hd_cluster *cluster = &text->layout->clusters[c];
        for (uint32_t i = 0; i < (is_soa(text, c) ? cluster->count : 1); i++)
            hd_str_printf(out, "    %s%s;\n", dialect->bytes, text->streams[cluster->order[i]]);
    }
}

/* ---- bases: the part that depends on the number of elements -------------- */

/* The walk over all clusters in memory order. The generated variable `at` is
 * the offset in the allocation; it is declared where it is first needed. */
typedef struct walk {
    hd_str *out;
    const rw_map_text *text;
    const rw_dialect *dialect;
    const char *const *bases; /* NULL: only sizes, or one place, are wanted */
    bool declared, moved;     /* `at` exists; it is not 0 */
    const char *wanted;       /* a stream whose place is all that is wanted, or NULL */
    bool done;                /* it was found */
} walk;

static void advance(walk *w, const char *bytes) {
    if (w->done)
        return;
    if (!w->declared)
        hd_str_printf(w->out, "    %s at = %s;\n", w->dialect->size, bytes);
    else
        hd_str_printf(w->out, "    at %s %s;\n", w->moved ? "+=" : "=", bytes);
    w->declared = w->moved = true;
}

static void round_up(walk *w, uint64_t align) {
    if (align > 1 && w->moved && !w->done)
        hd_str_printf(w->out, "    at = (at + %" PRIu64 ") / %" PRIu64 " * %" PRIu64 ";\n",
                      align - 1, align, align);
}

static void set_stream(walk *w, uint32_t field) {
    uint32_t allocation = w->text->map->clusters[w->text->map->fields[field].cluster].allocation;
    if (w->wanted && !strcmp(w->wanted, w->text->streams[field])) {
        if (w->moved && !w->done)
            hd_str_add(w->out, "    base = at;\n");
        w->done = true;
    }
    if (w->bases)
        hd_str_printf(w->out, "    ref.%s = %s%s;\n", w->text->streams[field], w->bases[allocation],
                      w->moved ? " + at" : "");
}

static void walk_soa(walk *w, const hd_cluster *cluster, bool size_wanted) {
    for (uint32_t i = 0; i < cluster->count; i++) {
        const hd_field *field = &w->text->record->fields[cluster->order[i]];
        uint32_t step = w->text->map->fields[cluster->order[i]].size;
        if (i)
            round_up(w, field->align > HD_RUN_ALIGN ? field->align : HD_RUN_ALIGN);
        set_stream(w, cluster->order[i]);
        if (i + 1 == cluster->count && !size_wanted)
            return;
        if (step == field->size)
            advance(w, hd_format(w->text->arena, "count * %u", step));
        else
            advance(w, hd_format(w->text->arena, "(count ? count - 1 : 0) * %u + %u", step,
                                 field->size));
    }
}

/* Sets the streams of cluster `c`; then, when something follows, adds its bytes. */
static void walk_cluster(walk *w, uint32_t c, bool size_wanted) {
    const hd_cluster *cluster = &w->text->layout->clusters[c];
    if (is_soa(w->text, c)) {
        walk_soa(w, cluster, size_wanted);
        if (size_wanted)
            round_up(w, hd_cluster_align(w->text->record, cluster));
        return;
    }
    set_stream(w, cluster->order[0]);
    uint64_t bytes = w->text->map->clusters[c].tile_bytes;
    if (!size_wanted)
        return;
    if (cluster->tile == 1)
        advance(w, hd_format(w->text->arena, "count * %" PRIu64, bytes));
    else
        advance(w, hd_format(w->text->arena, "(count + %" PRIu64 ") / %" PRIu64 " * %" PRIu64,
                             cluster->tile - 1, cluster->tile, bytes));
}

void rw_map_text_bases(hd_str *out, const rw_map_text *text, const rw_dialect *dialect,
                       const char *const *bases) {
    walk w = {out, text, dialect, bases, false, false, NULL, false};
    for (uint32_t c = 0; c < text->layout->count; c++) {
        if (text->layout->discrete)
            w.moved = false;
        else if (c)
            round_up(&w, HD_RUN_ALIGN);
        walk_cluster(&w, c, c + 1 < text->layout->count && !text->layout->discrete);
    }
}

void rw_map_text_base(hd_str *out, const rw_map_text *text, const rw_dialect *dialect,
                      uint32_t field) {
    walk w = {out, text, dialect, NULL, false, false, text->streams[field], false};
    hd_str_printf(out, "    %s base = 0;\n", dialect->size);
    for (uint32_t c = 0; c < text->layout->count; c++) {
        if (text->layout->discrete)
            w.moved = w.declared = false;
        else if (c)
            round_up(&w, HD_RUN_ALIGN);
        if (!text->layout->discrete || text->map->fields[field].cluster == c)
            walk_cluster(&w, c, c + 1 < text->layout->count && !text->layout->discrete);
    }
}

void rw_map_text_bytes(hd_str *out, const rw_map_text *text, const rw_dialect *dialect) {
    uint32_t allocations = text->map->allocation_count;
    hd_str_printf(out, "    %s at = 0;\n    if (!count)\n        return 0;\n%s", dialect->size,
                  allocations > 1 ? "" : "    (void)allocation;\n");
    for (uint32_t a = 0; a < allocations; a++) {
        walk w = {out, text, dialect, NULL, true, false, NULL, false};
        bool first = true;
        if (allocations > 1)
            hd_str_printf(out, "    if (allocation == %u) {\n", a);
        for (uint32_t c = 0; c < text->layout->count; c++) {
            if (text->map->clusters[c].allocation != a)
                continue;
            if (!first)
                round_up(&w, HD_RUN_ALIGN);
            walk_cluster(&w, c, true);
            first = false;
        }
        hd_str_add(out, allocations > 1 ? "    }\n" : "");
    }
    hd_str_add(out, "    return at;\n");
}

/* Bytes from one element to the next, when it is the same for all elements; 0
 * when tiles interrupt it. A cluster of one field is even in any tile. */
uint64_t rw_map_text_stride(const rw_map_text *text, uint32_t field) {
    const hd_field_place *place = &text->map->fields[field];
    const hd_cluster *cluster = &text->layout->clusters[place->cluster];
    uint64_t tile_bytes = text->map->clusters[place->cluster].tile_bytes;
    if (cluster->tile == HD_TILE_SOA)
        return place->size;
    if (cluster->tile == 1)
        return tile_bytes;
    return cluster->count == 1 && tile_bytes == cluster->tile * place->size ? place->size : 0;
}

const char *rw_map_text_step(const rw_map_text *text, uint32_t field, const char *element) {
    const hd_field_place *place = &text->map->fields[field];
    uint64_t stride = rw_map_text_stride(text, field),
             tile = text->layout->clusters[place->cluster].tile;
    uint64_t run = tile == HD_TILE_SOA ? 0 : place->run;
    hd_str out = {.arena = text->arena};
    if (stride) {
        hd_str_printf(&out, "%s * %" PRIu64, element, stride);
    } else {
        hd_str_printf(&out, "(%s >> %d) * %" PRIu64 " + (%s & %" PRIu64 ") * %u", element,
                      __builtin_ctzll(tile), text->map->clusters[place->cluster].tile_bytes,
                      element, tile - 1, place->size);
    }
    if (run)
        hd_str_printf(&out, " + %" PRIu64, run);
    return hd_str_text(&out);
}

const char *rw_map_text_address(const rw_map_text *text, uint32_t field, const char *element) {
    return hd_format(text->arena, "ref.%s + %s", text->streams[field],
                     rw_map_text_step(text, field, element));
}
