/*
 * Layouts and their notation.
 *
 *     layout   := shorthand | cluster { cluster } [ "/da" ]
 *     cluster  := "{" field { "," field } "}" [ ":" tile ]
 *     tile     := power of two from 1 | "aos" | "soa"          (default aos)
 *     shorthand:= "aos" | "soa" | "da" | "aosoa:" tile
 *
 * `{x,y,z}{vx,vy,vz}:32` keeps x, y and z of an element together and stores the
 * velocities in tiles of 32 elements. The parser is one function for each rule
 * above; blanks may stand between any two tokens. Printing and parsing are
 * inverse: a layout printed in either form parses back to the same layout.
 *
 * Many layouts differ only in what no cost depends on (which cluster comes
 * first, which field stands first in a cluster). hd_layout_of_masks picks one of each such
 * family.
 */
#include <ctype.h>

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
        if (x->count != y->count || x->tile != y->tile ||
            memcmp(x->order, y->order, x->count * sizeof *x->order) != 0)
            return false;
    }
    return true;
}

/* ---- checking ------------------------------------------------------------ */

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
    return HD_OK;
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
        hd_str_add(&s, "}");
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
    const hd_diag *diag;
    const hd_record *record;
    hd_arena *arena;
    const char *text, *at; /* `at` never stands on a blank */
} parser;

static hd_place place_of(const parser *p, const char *at) {
    return (hd_place){
        .file = "<layout>", .line = 1, .column = (unsigned)(at - p->text) + 1, .text = p->text};
}

static void skip_blanks(parser *p) {
    while (isspace((unsigned char)*p->at))
        p->at++;
}

/* Of one of C's identifiers, which may hold letters of any alphabet, and dollars. */
static size_t word_length(const char *at) {
    size_t length = 0;
    while (isalnum((unsigned char)at[length]) || at[length] == '_' || at[length] == '$' ||
           (unsigned char)at[length] >= 0x80)
        length++;
    return length;
}

static bool take(parser *p, const char *token) {
    size_t length = strlen(token);
    bool is_word = word_length(token) > 0;
    if (strncmp(p->at, token, length) != 0 || (is_word && word_length(p->at) != length))
        return false;
    p->at += length;
    skip_blanks(p);
    return true;
}

/* What stands at the parser's place, for a message. */
static const char *found(const parser *p) {
    size_t length = word_length(p->at);
    if (!*p->at)
        return "the end";
    if (!length)
        for (length = 1; ((unsigned char)p->at[length] & 0xc0) == 0x80;)
            length++; /* the rest of one UTF-8 character */
    return hd_format(p->arena, "'%.*s'", length > 40 ? 40 : (int)length, p->at);
}

static hd_status expected(const parser *p, const char *what) {
    hd_place place = place_of(p, p->at);
    return hd_fail(p->diag, HD_EINPUT, &place, "expected %s, found %s", what, found(p));
}

static hd_status parse_tile(parser *p, uint64_t *tile) {
    hd_place place = place_of(p, p->at);
    const char *token = found(p);
    bool is_aos = take(p, "aos");
    if (is_aos || take(p, "soa")) {
        *tile = is_aos ? HD_TILE_AOS : HD_TILE_SOA;
        return HD_OK;
    }
    size_t length = word_length(p->at);
    uint64_t value = 0;
    for (size_t i = 0; i < length; i++) {
        unsigned digit = (unsigned)((unsigned char)p->at[i] - '0');
        if (digit > 9 || __builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, digit, &value)) {
            value = 0;
            break;
        }
    }
    if (!hd_is_power_of_two(value))
        return hd_fail(p->diag, HD_EINPUT, &place,
                       "%s is no tile; write a power of two (1, 2, 4, …), 'aos' or 'soa'", token);
    p->at += length;
    skip_blanks(p);
    *tile = value;
    return HD_OK;
}

/* The length of a field's name; that of a part, such as "pos.x" or "d[1]", when the record
 * has it. */
static size_t field_length(const parser *p) {
    size_t longest = word_length(p->at), length = longest;
    while (length && (p->at[length] == '.' || p->at[length] == '[')) {
        bool index = p->at[length] == '[';
        size_t word = word_length(p->at + length + 1);
        if (!word || (index && p->at[length + 1 + word] != ']'))
            break;
        length += 1 + word + index;
        if (hd_record_find(p->record, hd_strndup(p->arena, p->at, length)) >= 0)
            longest = length;
    }
    return longest;
}

/* A field, or all parts of one that is taken apart, as bits. */
static hd_status parse_field(parser *p, uint64_t seen, uint64_t *fields) {
    hd_place place = place_of(p, p->at);
    size_t length = field_length(p);
    if (!length)
        return expected(p, "the name of a field");
    const char *name = hd_strndup(p->arena, p->at, length);
    int index = hd_record_find(p->record, name);
    *fields = index >= 0 ? (uint64_t)1 << index : parts_of(p->record, name, length);
    if (!*fields)
        return hd_fail(p->diag, HD_EINPUT, &place, "'%s' has no field '%.40s'; its fields are %s",
                       p->record->name, name, hd_record_field_names(p->arena, p->record));
    if (seen & *fields)
        return hd_fail(p->diag, HD_EINPUT, &place,
                       "field '%s' stands in the layout twice; name it once", name);
    p->at += length;
    if (*p->at == '.' || *p->at == '[') {
        place = place_of(p, p->at);
        return hd_fail(p->diag, HD_EINPUT, &place,
                       "field '%s' moves whole; write '%s' without naming a part of it, or take "
                       "it apart with 'split: [%s]' in the job",
                       name, name, name);
    }
    skip_blanks(p);
    return HD_OK;
}

static hd_status parse_cluster(parser *p, uint64_t *seen, hd_cluster *cluster) {
    *cluster = (hd_cluster){.tile = HD_TILE_AOS};
    if (!take(p, "{"))
        return expected(p, p->at == p->text ? "a layout: 'aos', 'soa', 'da', 'aosoa:' and a tile, "
                                              "or clusters like {x,y}{z}:32"
                                            : "'{', '/da' or the end");
    do {
        uint64_t fields = 0;
        hd_status status = parse_field(p, *seen, &fields);
        if (status != HD_OK)
            return status;
        cluster->mask |= fields;
        *seen |= fields;
        for (; fields; fields &= fields - 1)
            cluster->order[cluster->count++] = (uint8_t)__builtin_ctzll(fields);
    } while (take(p, ","));
    if (!take(p, "}"))
        return expected(p, "',' or '}'");
    return take(p, ":") ? parse_tile(p, &cluster->tile) : HD_OK;
}

static hd_status parse_clusters(parser *p, hd_layout **layout) {
    hd_vec(hd_cluster) clusters = {0};
    uint64_t seen = 0;
    do {
        hd_cluster cluster;
        hd_status status = parse_cluster(p, &seen, &cluster);
        if (status != HD_OK)
            return status;
        hd_push(p->arena, &clusters, cluster);
    } while (*p->at && *p->at != '/');
    hd_place place = place_of(p, p->at);
    bool discrete = take(p, "/");
    if (discrete && !take(p, "da"))
        return expected(p, "'da' after '/'");
    if (*p->at)
        return expected(p, "the end of the layout");
    hd_status status = check_complete(p->diag, &place, p->record, seen);
    if (status != HD_OK)
        return status;
    *layout = hd_new(p->arena, hd_layout);
    **layout = (hd_layout){clusters.data, (uint32_t)clusters.count, discrete};
    return HD_OK;
}

static hd_status parse_shorthand(parser *p, hd_layout **layout, bool *is_shorthand) {
    uint64_t tile = HD_TILE_AOS;
    *is_shorthand = true;
    if (take(p, "aos"))
        *layout = hd_layout_aos(p->arena, p->record);
    else if (take(p, "soa"))
        *layout = hd_layout_soa(p->arena, p->record);
    else if (take(p, "da"))
        *layout = discrete_arrays(p->arena, p->record);
    else if (take(p, "aosoa")) {
        if (!take(p, ":"))
            return expected(p, "':' and a tile after 'aosoa'");
        hd_status status = parse_tile(p, &tile);
        if (status != HD_OK)
            return status;
        *layout = one_cluster(p->arena, p->record, tile);
    } else {
        *is_shorthand = false;
        return HD_OK;
    }
    return *p->at ? expected(p, "the end of the layout") : HD_OK;
}

hd_status hd_layout_parse(hd_arena *arena, const hd_diag *diag, const hd_record *record,
                          const char *text, hd_layout **layout) {
    parser p = {.diag = diag, .record = record, .arena = arena, .text = text, .at = text};
    skip_blanks(&p);
    hd_layout *parsed = NULL;
    bool is_shorthand;
    hd_status status = parse_shorthand(&p, &parsed, &is_shorthand);
    if (status == HD_OK && !is_shorthand)
        status = parse_clusters(&p, &parsed);
    if (status == HD_OK)
        *layout = parsed;
    return status;
}
