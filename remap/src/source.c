/*
 * Index transforms as text for device code, with all sizes as constants: of a layout a function
 * for each field, of another map one.
 *
 *     struct { float x; int id; } in {x,id}:32, as `body`:
 *
 *     HD_FUNCTION HD_INDEX body_x(HD_INDEX element) {
 *         return (element >> 5) * 256 + (element & 31) * 4;
 *     }
 *     HD_FUNCTION HD_INDEX body_id(HD_INDEX element) {
 *         return (element >> 5) * 256 + 128 + (element & 31) * 4;
 *     }
 */
#include <inttypes.h>
#include <stdlib.h>

#include "remap/remap_map.h"

static const char index_text[] =
#include <index.inc> /* made from heddle/index.h */
    ;

const char *hd_remap_index_text(void) { return index_text; }

/* A function `name` of an element's number. */
static void put_function(hd_str *out, const char *name, const char *value) {
    hd_str_printf(out, "HD_FUNCTION HD_INDEX %s(HD_INDEX element) {\n    return %s;\n}\n", name,
                  value);
}

/* ---- layouts ---- */

static const char *offset_text(hd_arena *arena, const hd_map *layout, uint32_t f) {
    const hd_field_place *at = &layout->fields[f];
    const hd_cluster_place *cluster = &layout->clusters[at->cluster];
    const uint64_t from = cluster->base + at->run;
    const char *start = from ? hd_format(arena, " + %" PRIu64, from) : "";
    if (cluster->tile >= layout->count || cluster->tile_bytes == at->size)
        return hd_format(arena, "element * %u%s", at->size, start);
    if (cluster->tile == 1)
        return hd_format(arena, "element * %" PRIu64 "%s", cluster->tile_bytes, start);
    return hd_format(arena, "(element >> %d) * %" PRIu64 "%s + (element & %" PRIu64 ") * %u",
                     __builtin_ctzll(cluster->tile), cluster->tile_bytes, start, cluster->tile - 1,
                     at->size);
}

/* What every language takes in a name. */
static bool is_plain(char c) { return hd_remap_is_word(c) && c != '$' && (unsigned char)c < 0x80; }

/* A field's name as part of a function's: of "pos[1].x" what a name may have. */
static const char *field_name(hd_arena *arena, const char *name, const char *field) {
    char *whole = hd_format(arena, "%s_%s", name, field);
    for (char *c = whole; *c; c++)
        if (!is_plain(*c))
            *c = '_';
    return whole;
}

/* No two fields have functions of one name. */
static hd_status check_fields(hd_arena *arena, const hd_diag *diag, const hd_record *record,
                              const char *name) {
    for (uint32_t f = 0; f < record->field_count; f++)
        for (uint32_t other = 0; other < f; other++) {
            const char *function = field_name(arena, name, record->fields[f].name);
            if (!strcmp(function, field_name(arena, name, record->fields[other].name)))
                return hd_fail(diag, HD_EINPUT, NULL,
                               "fields '%s' and '%s' of '%s' would both have the function %s(); "
                               "give one of them another name in its hd_remap_field",
                               record->fields[other].name, record->fields[f].name, record->name,
                               function);
        }
    return HD_OK;
}

/* ---- the text ---- */

static hd_status check(const hd_diag *diag, const hd_remap *map, const char *name) {
    hd_status status = hd_remap_needs(diag, {map, "map to write the index transform of"},
                                      {name, "name for the functions"});
    if (status != HD_OK)
        return status;
    size_t plain = 0;
    while (is_plain(name[plain]))
        plain++;
    if (!plain || name[plain] || (*name >= '0' && *name <= '9'))
        return hd_fail(diag, HD_EINPUT, NULL, "'%s' is no name of a function", name);
    if (map->kind == HD_REMAP_GATHER || map->kind == HD_REMAP_SCATTER)
        return hd_fail(diag, HD_EUNSUPPORTED, NULL,
                       "a map with an index array has no index transform; on the device element i "
                       "of what is gathered is at place i");
    if (map->kind == HD_REMAP_USER && !map->source)
        return hd_fail(diag, HD_EUNSUPPORTED, NULL,
                       "this map has no device code; give it as `source` of hd_remap_user");
    return HD_OK;
}

static void put_all(hd_str *out, const hd_remap *map, const char *name) {
    static const char *const transforms[] = {[HD_REMAP_TRANSPOSE] = "hd_transpose",
                                             [HD_REMAP_DIAGONAL] = "hd_diagonal",
                                             [HD_REMAP_MORTON] = "hd_morton"};
    /* The greatest number that the functions take, give or use on the way. */
    uint64_t most = map->elements > map->places ? map->elements : map->places;
    for (uint32_t p = 0; map->kind == HD_REMAP_RECORDS && p < map->parts; p++)
        if (map->bytes[p] > most)
            most = map->bytes[p];
    bool wide = most > UINT32_MAX;
    hd_str_printf(out,
                  "%s#ifndef HEDDLE_INDEX_H\n"
                  "#include \"heddle/index.h\"\n"
                  "#endif\n",
                  wide ? "#ifndef HD_INDEX\n#define HD_INDEX hd_wide\n#endif\n" : "");
    if (wide) /* another map's text may have come first */
        hd_str_printf(out,
                      "/* needs indices of 64 bits: #define HD_INDEX hd_wide before all else */\n"
                      "typedef char %s_needs_wide_indices[sizeof(HD_INDEX) >= 8 ? 1 : -1];\n",
                      name);
    const hd_record *record = map->kind == HD_REMAP_RECORDS ? map->layout->record : NULL;
    for (uint32_t f = 0; record && f < record->field_count; f++)
        put_function(out, field_name(out->arena, name, record->fields[f].name),
                     offset_text(out->arena, map->layout, f));
    if (map->kind == HD_REMAP_USER) /* its function is `place`; others may stand beside it */
        hd_str_printf(out, "#define place %s\n%s\n#undef place\n", name, map->source);
    else if (!record)
        put_function(out, name,
                     hd_format(out->arena, "%s(element, %" PRIu64 ", %" PRIu64 ")",
                               transforms[map->kind], map->rows, map->columns));
}

hd_status hd_remap_source(const hd_diag *diag, const hd_remap *map, const char *name, char **text) {
    if (hd_remap_needs(diag, {text, "place for the text"}) != HD_OK)
        return HD_EINPUT;
    *text = NULL;
    hd_status status = check(diag, map, name);
    if (status != HD_OK)
        return status;
    hd_arena *arena = hd_arena_new();
    hd_str out = {.arena = arena};
    if (map->kind == HD_REMAP_RECORDS)
        status = check_fields(arena, diag, map->layout->record, name);
    if (status == HD_OK) {
        put_all(&out, map, name);
        *text = strdup(hd_str_text(&out));
        if (!*text)
            status = hd_fail(diag, HD_ESYSTEM, NULL, "no memory for the text");
    }
    hd_arena_free(arena);
    return status;
}
