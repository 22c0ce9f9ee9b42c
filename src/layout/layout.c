/*
 * Layouts and their notation.
 *
 *     layout   := shorthand | cluster { cluster } [ "/da" ]
 *     cluster  := "{" field { "," field } [ "," "_" ] "}" [ ":" tile ]
 *     tile     := power of two from 1 | "aos" | "soa"          (default aos)
 *     shorthand:= "aos" | "soa" | "da" | "aosoa:" tile
 *
 * `{x,y,z}{vx,vy,vz}:32` keeps x, y and z of an element together and stores the
 * velocities in tiles of 32 elements; `{x,y,z,_}` pads each element to four floats. The parser is one function for each rule
 * above; blanks may stand between any two tokens. Printing and parsing are
 * inverse: a layout printed in either form parses back to the same layout.
 *
 * Many layouts differ only in what no cost depends on (which cluster comes
 * first, which field stands first in a cluster). hd_layout_of_masks picks one of each such
 * family.
 */
#include "base/scan.h"
#include "layout/layout.h"

/* ---- making layouts ------------------------------------------------------ */

static hd_layout *layout_new(hd_arena *arena, uint32_t clusters, bool discrete) {
    hd_layout *layout = hd_new(arena, hd_layout);
    layout->clusters = hd_new_array(arena, hd_cluster, clusters);
    layout->count = clusters;
    layout->discrete = discrete;
    return layout;
}

hd_layout *hd_layout_of_masks(hd_arena *arena, const uint64_t *masks, const uint64_t *tiles,
                              uint32_t count, bool discrete) {
    uint64_t all = 0;
    bool each_alone = true;
    for (uint32_t c = 0; c < count; c++) {
        all |= masks[c];
        each_alone =
            each_alone && (hd_is_power_of_two(masks[c]) || (tiles && tiles[c] == HD_TILE_SOA));
    }
    if (each_alone && !discrete && count > 1) {
        hd_layout *soa = layout_new(arena, 1, false);
        soa->clusters[0] = hd_cluster_of_mask(all, HD_TILE_SOA);
        return soa;
    }
    hd_layout *layout = layout_new(arena, count, discrete && count > 1);
    for (uint32_t c = 0; c < count; c++) { /* sorted in by their first fields */
        bool alone = hd_is_power_of_two(masks[c]);
        hd_cluster next = hd_cluster_of_mask(masks[c], alone || !tiles ? HD_TILE_AOS : tiles[c]);
        uint32_t at = c;
        for (; at > 0 && layout->clusters[at - 1].order[0] > next.order[0]; at--)
            layout->clusters[at] = layout->clusters[at - 1];
        layout->clusters[at] = next;
    }
    return layout;
}

/* One cluster of all fields, in record order. */
static hd_layout *one_cluster(hd_arena *arena, const hd_record *record, uint64_t tile) {
    hd_layout *layout = layout_new(arena, 1, false);
    layout->clusters[0] = hd_cluster_of_mask(hd_all_fields(record), tile);
    return layout;
}

/* Every field alone, in an allocation of its own. */
static hd_layout *discrete_arrays(hd_arena *arena, const hd_record *record) {
    hd_layout *layout = layout_new(arena, record->field_count, true);
    for (uint32_t f = 0; f < record->field_count; f++)
        layout->clusters[f] = hd_cluster_of_mask((uint64_t)1 << f, HD_TILE_AOS);
    return layout;
}

hd_layout *hd_layout_aos(hd_arena *arena, const hd_record *record) {
    return one_cluster(arena, record, HD_TILE_AOS);
}

hd_layout *hd_layout_soa(hd_arena *arena, const hd_record *record) {
    return one_cluster(arena, record, HD_TILE_SOA);
}

hd_layout *hd_layout_original(hd_arena *arena, const hd_record *record) {
    return record->of_arrays    ? discrete_arrays(arena, record)
           : record->in_columns ? hd_layout_soa(arena, record)
                                : hd_layout_aos(arena, record);
}

bool hd_layout_equal(const hd_layout *a, const hd_layout *b) {
    if (a->count != b->count || a->discrete != b->discrete)
        return false;
    for (uint32_t c = 0; c < a->count; c++) {
        const hd_cluster *x = &a->clusters[c], *y = &b->clusters[c];
        if (x->count != y->count || x->tile != y->tile || x->padded != y->padded ||
            memcmp(x->order, y->order, x->count * sizeof *x->order) != 0)
            return false;
    }
    return true;
}

/* ---- checking ------------------------------------------------------------ */

/* Is there something to pad, up to the longest load? */
static hd_status check_padding(const hd_diag *diag, const hd_place *place, const hd_record *record,
                               const hd_cluster *cluster) {
    hd_cluster fields = *cluster;
    uint64_t run[HD_MAX_FIELDS];
    const char *first = record->fields[cluster->order[0]].name;
    if (!cluster->padded)
        return HD_OK;
    if (cluster->tile != HD_TILE_AOS)
        return hd_fail(diag, HD_EINPUT, place,
                       "'_' pads the elements of a cluster of tile 1; drop it, or the tile of the "
                       "cluster that starts with '%s'",
                       first);
    fields.padded = false;
    uint64_t bytes = hd_cluster_tile(record, &fields, run);
    if (bytes > HD_VECTOR)
        return hd_fail(diag, HD_EINPUT, place,
                       "'_' pads elements to at most %d bytes, and the fields of the cluster that "
                       "starts with '%s' take %llu; drop it, or split the cluster",
                       HD_VECTOR, first, (unsigned long long)bytes);
    if (hd_is_power_of_two(bytes))
        return hd_fail(diag, HD_EINPUT, place,
                       "'_' has nothing to pad: the fields of the cluster that starts with '%s' "
                       "take %llu bytes, a power of two; drop it",
                       first, (unsigned long long)bytes);
    return HD_OK;
}

static hd_status check_cluster(const hd_diag *diag, const hd_place *place, const hd_record *record,
                               const hd_cluster *cluster, uint64_t *seen) {
    uint64_t mask = 0;
    if (!cluster->count || cluster->count > HD_MAX_FIELDS)
        return hd_fail(diag, HD_EINPUT, place, "a cluster has %u fields; it needs 1 to %d",
                       cluster->count, HD_MAX_FIELDS);
    for (uint32_t i = 0; i < cluster->count; i++) {
        uint32_t f = cluster->order[i];
        if (f >= record->field_count)
            return hd_fail(diag, HD_EINPUT, place,
                           "a cluster names field number %u, but '%s' has only %u fields", f,
                           record->name, record->field_count);
        if ((mask | *seen) >> f & 1)
            return hd_fail(diag, HD_EINPUT, place,
                           "field '%s' of '%s' stands in the layout twice; name it once",
                           record->fields[f].name, record->name);
        mask |= (uint64_t)1 << f;
    }
    if (mask != cluster->mask)
        return hd_fail(diag, HD_EINPUT, place,
                       "the mask of the cluster that starts with '%s' is not the set of its fields",
                       record->fields[cluster->order[0]].name);
    if (cluster->tile != HD_TILE_SOA && !hd_is_power_of_two(cluster->tile))
        return hd_fail(diag, HD_EINPUT, place,
                       "the cluster that starts with '%s' has tile %llu; a tile is a power of two, "
                       "'aos' or 'soa'",
                       record->fields[cluster->order[0]].name, (unsigned long long)cluster->tile);
    *seen |= mask;
    return check_padding(diag, place, record, cluster);
}

static hd_status check_complete(const hd_diag *diag, const hd_place *place, const hd_record *record,
                                uint64_t seen) {
    uint64_t missing = hd_all_fields(record) & ~seen;
    if (!missing)
        return HD_OK;
    const char *name = record->fields[__builtin_ctzll(missing)].name;
    return hd_fail(diag, HD_EINPUT, place,
                   "field '%s' of '%s' stands in no cluster; add it to one, or add {%s}", name,
                   record->name, name);
}

hd_status hd_layout_check(const hd_diag *diag, const hd_record *record, const hd_layout *layout) {
    hd_place place = {.file = "<layout>"};
    if (!layout->count || layout->count > HD_MAX_FIELDS)
        return hd_fail(diag, HD_EINPUT, &place, "a layout has %u clusters; it needs 1 to %d",
                       layout->count, HD_MAX_FIELDS);
    uint64_t seen = 0;
    for (uint32_t c = 0; c < layout->count; c++) {
        hd_status status = check_cluster(diag, &place, record, &layout->clusters[c], &seen);
        if (status != HD_OK)
            return status;
    }
    return check_complete(diag, &place, record, seen);
}

/* ---- printing ------------------------------------------------------------ */

static void print_tile(hd_str *s, uint64_t tile) {
    if (tile == HD_TILE_SOA)
        hd_str_add(s, "soa");
    else
        hd_str_printf(s, "%llu", (unsigned long long)tile);
}

/* The fields that are parts of the field `name` of the record as declared: "d[0]", "d[1]" of "d". */
static uint64_t parts_of(const hd_record *record, const char *name, size_t length) {
    uint64_t parts = 0;
    for (uint32_t f = 0; f < record->field_count; f++) {
        const char *of = record->fields[f].name;
        if (!strncmp(of, name, length) && (of[length] == '.' || of[length] == '['))
            parts |= (uint64_t)1 << f;
    }
    return parts;
}

/* Prints field number *at of a cluster, or, by one name, it and those behind it where they are all
 * parts of one field of the record as declared; *at becomes the last that was printed. */
static void print_field(hd_str *s, const hd_record *record, const hd_cluster *cluster,
                        uint32_t *at) {
    const char *name = record->fields[cluster->order[*at]].name;
    size_t length = strcspn(name, ".[");
    uint64_t parts = name[length] ? parts_of(record, name, length) : 0, seen = 0;
    uint32_t end = *at;
    while (end < cluster->count && parts >> cluster->order[end] & 1 &&
           (end == *at || cluster->order[end] > cluster->order[end - 1]))
        seen |= (uint64_t)1 << cluster->order[end++];
    if (!parts || seen != parts || end == *at + 1) {
        hd_str_add(s, name);
        return;
    }
    hd_str_addn(s, name, length);
    *at = end - 1;
}

const char *hd_layout_print_long(hd_arena *arena, const hd_record *record,
                                 const hd_layout *layout) {
    hd_str s = {.arena = arena};
    for (uint32_t c = 0; c < layout->count; c++) {
        const hd_cluster *cluster = &layout->clusters[c];
        for (uint32_t i = 0; i < cluster->count; i++) {
            hd_str_add(&s, i ? "," : "{");
            print_field(&s, record, cluster, &i);
        }
        hd_str_add(&s, cluster->padded ? ",_}" : "}");
        if (cluster->tile != HD_TILE_AOS) {
            hd_str_add(&s, ":");
            print_tile(&s, cluster->tile);
        }
    }
    if (layout->discrete)
        hd_str_add(&s, "/da");
    return hd_str_text(&s);
}

const char *hd_layout_print(hd_arena *arena, const hd_record *record, const hd_layout *layout) {
    uint64_t tile = layout->clusters[0].tile;
    if (layout->discrete && hd_layout_equal(layout, discrete_arrays(arena, record)))
        return "da";
    if (!hd_layout_equal(layout, one_cluster(arena, record, tile)))
        return hd_layout_print_long(arena, record, layout);
    if (tile == HD_TILE_AOS)
        return "aos";
    hd_str s = {.arena = arena};
    if (tile != HD_TILE_SOA)
        hd_str_add(&s, "aosoa:");
    print_tile(&s, tile);
    const char *shorthand = hd_str_text(&s);
    const char *written_out = hd_layout_print_long(arena, record, layout);
    return strlen(written_out) < strlen(shorthand) ? written_out : shorthand;
}

/* ---- parsing ------------------------------------------------------------- */

typedef struct parser {
    hd_scan scan;
    const hd_record *record;
} parser;

static hd_status parse_tile(parser *p, uint64_t *tile) {
    const char *found = hd_scan_found(&p->scan), *at = p->scan.at;
    bool is_aos = hd_scan_take(&p->scan, "aos");
    if (is_aos || hd_scan_take(&p->scan, "soa")) {
        *tile = is_aos ? HD_TILE_AOS : HD_TILE_SOA;
        return HD_OK;
    }
    if (!hd_span_number(hd_scan_word(&p->scan), 10, UINT64_MAX, tile) || !hd_is_power_of_two(*tile))
        return hd_scan_fail(&p->scan, at,
                            "%s is no tile; write a power of two (1, 2, 4, …), 'aos' or 'soa'",
                            found);
    return HD_OK;
}

/* The name of a field, or that of a part, such as "pos.x" or "d[1]", when the record has it. */
static hd_span take_field_name(parser *p) {
    hd_scan *s = &p->scan;
    hd_span name = hd_scan_word(s);
    const char *end = s->at;
    for (char mark; name.length && ((mark = hd_scan_peek(s)) == '.' || mark == '[');) {
        s->at++;
        if (hd_scan_is_apart(s) || !hd_scan_word(s).length ||
            (mark == '[' && hd_scan_peek(s) != ']'))
            break;
        s->at += mark == '[';
        size_t length = (size_t)(s->at - name.at);
        if (hd_record_find(p->record, hd_strndup(s->arena, name.at, length)) >= 0) {
            name.length = length;
            end = s->at;
        }
    }
    s->at = end;
    return name;
}

/* A field, or all parts of one that is taken apart, as bits. */
static hd_status parse_field(parser *p, uint64_t seen, uint64_t *fields) {
    hd_scan *s = &p->scan;
    hd_span span = take_field_name(p);
    if (!span.length)
        return hd_scan_expected(s, "the name of a field");
    const char *name = hd_span_text(s->arena, span);
    int index = hd_record_find(p->record, name);
    *fields = index >= 0 ? (uint64_t)1 << index : parts_of(p->record, name, span.length);
    if (!*fields)
        return hd_scan_fail(s, span.at, "'%s' has no field '%.40s'; its fields are %s",
                            p->record->name, name, hd_record_field_names(s->arena, p->record));
    if (seen & *fields)
        return hd_scan_fail(s, span.at, "field '%s' stands in the layout twice; name it once",
                            name);
    if (hd_scan_peek(s) == '.' || hd_scan_peek(s) == '[')
        return hd_scan_fail(s, s->at,
                            "field '%s' moves whole; write '%s' without naming a part of it, or "
                            "take it apart with 'split: [%s]' in the job",
                            name, name, name);
    return HD_OK;
}

/* "_", unless a field has that name. */
static bool take_padding(parser *p) {
    return hd_record_find(p->record, "_") < 0 && !parts_of(p->record, "_", 1) &&
           hd_scan_take(&p->scan, "_");
}

static hd_status parse_cluster(parser *p, uint64_t *seen, hd_cluster *cluster) {
    hd_status status = HD_OK;
    const char *last;
    *cluster = (hd_cluster){.tile = HD_TILE_AOS};
    if (!hd_scan_take(&p->scan, "{"))
        return hd_scan_expected(&p->scan, *seen ? "'{', '/da' or the end"
                                                : "a layout: 'aos', 'soa', 'da', 'aosoa:' and a "
                                                  "tile, or clusters like {x,y}{z}:32");
    do {
        uint64_t fields = 0;
        hd_scan_blanks(&p->scan);
        last = p->scan.at;
        cluster->padded = cluster->count && take_padding(p);
        if (!cluster->padded)
            status = parse_field(p, *seen, &fields);
        if (status != HD_OK)
            return status;
        cluster->mask |= fields;
        *seen |= fields;
        for (; fields; fields &= fields - 1)
            cluster->order[cluster->count++] = (uint8_t)__builtin_ctzll(fields);
    } while (!cluster->padded && hd_scan_take(&p->scan, ","));
    if (!hd_scan_take(&p->scan, "}"))
        return hd_scan_expected(&p->scan, cluster->padded ? "'}' after '_'" : "',' or '}'");
    if (hd_scan_take(&p->scan, ":"))
        status = parse_tile(p, &cluster->tile);
    hd_place place = hd_scan_place(&p->scan, last);
    return status == HD_OK ? check_padding(p->scan.diag, &place, p->record, cluster) : status;
}

static hd_status parse_clusters(parser *p, hd_layout **layout) {
    hd_vec(hd_cluster) clusters = {0};
    uint64_t seen = 0;
    do {
        hd_cluster cluster;
        hd_status status = parse_cluster(p, &seen, &cluster);
        if (status != HD_OK)
            return status;
        hd_push(p->scan.arena, &clusters, cluster);
    } while (!hd_scan_ends(&p->scan) && hd_scan_peek(&p->scan) != '/');
    hd_place place = hd_scan_place(&p->scan, p->scan.at);
    bool discrete = hd_scan_take(&p->scan, "/");
    if (discrete && !hd_scan_take(&p->scan, "da"))
        return hd_scan_expected(&p->scan, "'da' after '/'");
    if (!hd_scan_ends(&p->scan))
        return hd_scan_expected(&p->scan, "the end of the layout");
    hd_status status = check_complete(p->scan.diag, &place, p->record, seen);
    if (status != HD_OK)
        return status;
    *layout = hd_new(p->scan.arena, hd_layout);
    **layout = (hd_layout){clusters.data, (uint32_t)clusters.count, discrete};
    return HD_OK;
}

static hd_status parse_shorthand(parser *p, hd_layout **layout, bool *is_shorthand) {
    uint64_t tile = HD_TILE_AOS;
    *is_shorthand = true;
    if (hd_scan_take(&p->scan, "aos"))
        *layout = hd_layout_aos(p->scan.arena, p->record);
    else if (hd_scan_take(&p->scan, "soa"))
        *layout = hd_layout_soa(p->scan.arena, p->record);
    else if (hd_scan_take(&p->scan, "da"))
        *layout = discrete_arrays(p->scan.arena, p->record);
    else if (hd_scan_take(&p->scan, "aosoa")) {
        if (!hd_scan_take(&p->scan, ":"))
            return hd_scan_expected(&p->scan, "':' and a tile after 'aosoa'");
        hd_status status = parse_tile(p, &tile);
        if (status != HD_OK)
            return status;
        *layout = one_cluster(p->scan.arena, p->record, tile);
    } else {
        *is_shorthand = false;
        return HD_OK;
    }
    return hd_scan_ends(&p->scan) ? HD_OK : hd_scan_expected(&p->scan, "the end of the layout");
}

hd_status hd_layout_parse(hd_arena *arena, const hd_diag *diag, const hd_record *record,
                          const char *text, hd_layout **layout) {
    parser p = {hd_scan_text(arena, diag, "<layout>", text), record};
    p.scan.word_marks = "$";
    hd_layout *parsed = NULL;
    bool is_shorthand;
    hd_status status = parse_shorthand(&p, &parsed, &is_shorthand);
    if (status == HD_OK && !is_shorthand)
        status = parse_clusters(&p, &parsed);
    if (status == HD_OK)
        *layout = parsed;
    return status;
}
