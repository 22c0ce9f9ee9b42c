/*
 * Making maps: sizes are multiplied with care, records are checked as everywhere in Heddle, index
 * arrays are copied and checked, so that an engine need not look again.
 *
 * Index transforms of matrices (Che, Sheaffer, Skadron, sections 5.1 and 5.2), for row r and
 * column c:
 *
 *     transpose  rows * c + r
 *     diagonal   rows * (r + c) + r
 *     morton     bits of r and c interleaved, c's lowest first
 */
#include <inttypes.h>
#include <stdlib.h>

#include "remap/remap_map.h"

hd_status hd_remap_check_needs(const hd_diag *diag, const hd_remap_need needs[], size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!needs[i].given)
            return hd_fail(diag, HD_EINPUT, NULL, "there is no %s (NULL)", needs[i].what);
    return HD_OK;
}

/* ---- sizes --------------------------------------------------------------------- */

/* a * b, or HD_EINPUT when that passes 63 bits; `what` says what it is. */
static hd_status multiply(const hd_diag *diag, uint64_t a, uint64_t b, const char *what,
                          uint64_t *product) {
    if (!__builtin_mul_overflow(a, b, product) && *product <= INT64_MAX)
        return HD_OK;
    return hd_fail(diag, HD_EINPUT, NULL,
                   "%" PRIu64 " times %" PRIu64 " for %s is more than 2^63 - 1; remap the data in "
                   "pieces",
                   a, b, what);
}

static hd_status check_count(const hd_diag *diag, uint64_t count, const char *what) {
    return count ? HD_OK
                 : hd_fail(diag, HD_EINPUT, NULL, "%s is 0: there is nothing to remap", what);
}

/* NULL, with a message: there is no place to hand it over. */
static hd_remap *new_map(const hd_diag *diag, hd_remap_kind kind, hd_remap **result) {
    if (hd_remap_needs(diag, {result, "place for the new map"}) != HD_OK)
        return NULL;
    hd_arena *arena = hd_arena_new();
    hd_remap *map = hd_new(arena, hd_remap);
    map->arena = arena;
    map->kind = kind;
    map->place = hd_new(arena, hd_remap_places);
    pthread_mutex_init(&map->place->making, NULL);
    return map;
}

void hd_remap_free(hd_remap *map) {
    if (!map)
        return;
    pthread_mutex_destroy(&map->place->making);
    free(map->element.data);
    free(map->place->numbers.data);
    hd_arena_free(map->arena);
}

/* Hands `map` over, or frees it. */
static hd_status finish(hd_status status, hd_remap *map, hd_remap **result) {
    if (status != HD_OK) {
        hd_remap_free(map);
        map = NULL;
    }
    *result = map;
    return status;
}

/* The sizes of a map of single elements: `elements` and `places` are set. */
static hd_status set_sizes(const hd_diag *diag, hd_remap *map, uint32_t element_bytes) {
    map->element_bytes = element_bytes;
    map->parts = 1;
    map->bytes = hd_new(map->arena, uint64_t);
    hd_status status = check_count(diag, element_bytes, "the size of an element");
    if (status == HD_OK)
        status =
            multiply(diag, map->elements, element_bytes, "the source's bytes", &map->source_bytes);
    if (status == HD_OK)
        status = multiply(diag, map->places, element_bytes, "the device's bytes", map->bytes);
    return status;
}

/* ---- records ---------------------------------------------------------------------- */

/* What HD_REMAP_FIELD makes of a member: x, pos.x, d[N - 1]. Names stand in device code. */
static bool is_member(const char *name) {
    if (!hd_remap_is_word(*name) || (*name >= '0' && *name <= '9'))
        return false;
    for (; *name; name++)
        if (!hd_remap_is_word(*name) && !strchr(".[]()+-* ", *name))
            return false;
    return true;
}

static hd_status check_field(const hd_diag *diag, const hd_remap_record *given, uint32_t f,
                             const char *record) {
    const char *name = given->fields[f].name;
    const hd_remap_field *field = &given->fields[f];
    /* So its numbers fit 32 bits. */
    if (!name || field->size > given->size || field->align > given->size ||
        field->offset > given->size - field->size)
        return hd_fail(diag, HD_EINPUT, NULL,
                       "field %" PRIu32 " of '%s' (%s) does not lie within its %zu bytes; describe "
                       "it by HD_REMAP_FIELD",
                       f, record, name ? name : "without a name", given->size);
    if (!is_member(name))
        return hd_fail(diag, HD_EINPUT, NULL,
                       "field %" PRIu32 " of '%s' is called '%s', which is no member of a struct; "
                       "describe it by HD_REMAP_FIELD",
                       f, record, name);
    for (uint32_t other = 0; other < f; other++)
        if (!strcmp(name, given->fields[other].name))
            return hd_fail(diag, HD_EINPUT, NULL,
                           "fields %" PRIu32 " and %" PRIu32 " of '%s' are both called '%s'; a "
                           "layout could not tell them apart",
                           other, f, record, name);
    return HD_OK;
}

/* `record` as src/layout sees it. */
static hd_status take_record(hd_arena *arena, const hd_diag *diag, const hd_remap_record *given,
                             const hd_record **result) {
    const char *name = given->name ? given->name : "the record";
    if (given->size > UINT32_MAX || given->align > UINT32_MAX)
        return hd_fail(diag, HD_EINPUT, NULL,
                       "'%s' has %zu bytes aligned to %zu; a record may have %" PRIu32, name,
                       given->size, given->align, UINT32_MAX);
    if (!given->fields || given->field_count < 1 || given->field_count > HD_MAX_FIELDS)
        return hd_fail(diag, HD_EINPUT, NULL,
                       "'%s' has %" PRIu32 " fields%s; a record has an array of 1 to %d", name,
                       given->field_count, given->fields ? "" : ", but no array of them",
                       HD_MAX_FIELDS);
    hd_status status = HD_OK;
    for (uint32_t f = 0; f < given->field_count && status == HD_OK; f++)
        status = check_field(diag, given, f, name);
    if (status != HD_OK)
        return status;
    hd_record *record = hd_new(arena, hd_record);
    record->name = record->spelling = hd_strdup(arena, name);
    record->size = (uint32_t)given->size;
    record->align = (uint32_t)given->align;
    record->field_count = given->field_count;
    record->fields = hd_new_array(arena, hd_field, given->field_count);
    for (uint32_t f = 0; f < given->field_count; f++) {
        const hd_remap_field *field = &given->fields[f];
        record->fields[f] = (hd_field){hd_strdup(arena, field->name),
                                       "",
                                       (uint32_t)field->offset,
                                       (uint32_t)field->size,
                                       (uint32_t)field->align,
                                       1,
                                       NULL};
    }
    *result = record;
    return hd_record_check(diag, record);
}

hd_status hd_remap_layout(const hd_diag *diag, const hd_remap_record *given, const char *text,
                          uint64_t count, hd_remap **result) {
    const hd_record *record = NULL;
    hd_layout *layout;
    hd_map *laid;
    hd_remap *map = new_map(diag, HD_REMAP_RECORDS, result);
    if (!map)
        return HD_EINPUT;
    hd_status status =
        hd_remap_needs(diag, {given, "record to lay out"}, {text, "text of a layout"});
    if (status == HD_OK)
        status = check_count(diag, count, "the number of records");
    if (status == HD_OK)
        status = take_record(map->arena, diag, given, &record);
    if (status == HD_OK)
        status = multiply(diag, count, record->size, "the source's bytes", &map->source_bytes);
    if (status == HD_OK)
        status = hd_layout_parse(map->arena, diag, record, text, &layout);
    if (status == HD_OK)
        status = hd_map_make(map->arena, diag, record, layout, count, &laid);
    if (status == HD_OK) {
        map->layout = laid;
        map->elements = map->places = count;
        map->element_bytes = record->size;
        map->parts = laid->allocation_count;
        map->bytes = laid->allocation_bytes;
    }
    return finish(status, map, result);
}

/* ---- matrices ------------------------------------------------------------------------ */

static uint64_t spread(uint64_t bits, unsigned kept) {
    uint64_t result = 0;
    for (unsigned b = 0; b < kept; b++)
        result |= (bits >> b & 1) << 2 * b;
    return result | (kept < 64 ? bits >> kept << 2 * kept : 0);
}

uint64_t hd_remap_place_in_matrix(const hd_remap *map, uint64_t row, uint64_t column) {
    if (map->kind == HD_REMAP_TRANSPOSE)
        return map->rows * column + row;
    if (map->kind == HD_REMAP_DIAGONAL)
        return map->rows * (row + column) + row;
    unsigned of_rows = remap_morton_bits(map->rows), of_columns = remap_morton_bits(map->columns);
    unsigned both = of_rows < of_columns ? of_rows : of_columns;
    uint64_t low = ((uint64_t)1 << both) - 1;
    uint64_t above = of_rows < of_columns ? column >> both : row >> both;
    return spread(column & low, both) | spread(row & low, both) << 1 | above << 2 * both;
}

static hd_status make_matrix(const hd_diag *diag, hd_remap_kind kind, uint64_t rows,
                             uint64_t columns, uint32_t element_bytes, hd_remap **result) {
    hd_remap *map = new_map(diag, kind, result);
    if (!map)
        return HD_EINPUT;
    map->rows = rows;
    map->columns = columns;
    hd_status status = check_count(diag, rows, "the number of rows");
    if (status == HD_OK)
        status = check_count(diag, columns, "the number of columns");
    if (status == HD_OK)
        status = multiply(diag, rows, columns, "the matrix's elements", &map->elements);
    if (status == HD_OK && kind == HD_REMAP_DIAGONAL)
        status =
            multiply(diag, rows + columns - 1, rows, "the places of the diagonals", &map->places);
    else if (status == HD_OK && kind == HD_REMAP_MORTON)
        status = multiply(diag, (uint64_t)1 << remap_morton_bits(rows),
                          (uint64_t)1 << remap_morton_bits(columns), "the places on the device",
                          &map->places);
    else
        map->places = map->elements;
    if (status == HD_OK)
        status = set_sizes(diag, map, element_bytes);
    return finish(status, map, result);
}

hd_status hd_remap_transpose(const hd_diag *diag, uint64_t rows, uint64_t columns,
                             uint32_t element_bytes, hd_remap **map) {
    return make_matrix(diag, HD_REMAP_TRANSPOSE, rows, columns, element_bytes, map);
}

hd_status hd_remap_diagonal(const hd_diag *diag, uint64_t rows, uint64_t columns,
                            uint32_t element_bytes, hd_remap **map) {
    return make_matrix(diag, HD_REMAP_DIAGONAL, rows, columns, element_bytes, map);
}

hd_status hd_remap_morton(const hd_diag *diag, uint64_t rows, uint64_t columns,
                          uint32_t element_bytes, hd_remap **map) {
    return make_matrix(diag, HD_REMAP_MORTON, rows, columns, element_bytes, map);
}

/* ---- index arrays ---------------------------------------------------------------------- */

/* `count` numbers below `limit` or none; their values are not set. */
static hd_status new_numbers(const hd_diag *diag, uint64_t count, uint64_t limit,
                             hd_remap_numbers *numbers) {
    uint32_t bytes = limit < UINT32_MAX ? 4 : 8;
    void *data = count <= SIZE_MAX / bytes ? malloc((size_t)count * bytes) : NULL;
    if (!data)
        return hd_fail(diag, HD_ESYSTEM, NULL, "no memory for %" PRIu64 " numbers of %u bytes",
                       count, bytes);
    *numbers = (hd_remap_numbers){bytes, data, count};
    return HD_OK;
}

static void set_number(hd_remap_numbers *numbers, uint64_t i, uint64_t value) {
    if (numbers->bytes == 8)
        ((uint64_t *)numbers->data)[i] = value;
    else
        ((uint32_t *)numbers->data)[i] = (uint32_t)value; /* none becomes UINT32_MAX */
}

/* Copies an index array whose numbers must be below `limit`. */
static hd_status take_index(const hd_diag *diag, const void *index, uint32_t index_bytes,
                            uint64_t count, uint64_t limit, hd_remap_numbers *numbers) {
    if (!index || (index_bytes != 4 && index_bytes != 8))
        return hd_fail(diag, HD_EINPUT, NULL, "an index array has numbers of 4 or of 8 bytes%s",
                       index ? "" : "; this one is NULL");
    hd_status status = new_numbers(diag, count, limit, numbers);
    for (uint64_t i = 0; status == HD_OK && i < count; i++) {
        const char *at = (const char *)index + i * index_bytes; /* which may be any byte */
        uint64_t value;
        uint32_t narrow;
        if (index_bytes == 8)
            memcpy(&value, at, sizeof value);
        else
            value = (memcpy(&narrow, at, sizeof narrow), narrow);
        if (value >= limit)
            status = hd_fail(diag, HD_EINPUT, NULL,
                             "index[%" PRIu64 "] is %" PRId64 "; it must be from 0 to %" PRIu64, i,
                             index_bytes == 8 ? (int64_t)value : (int32_t)value, limit - 1);
        set_number(numbers, i, value);
    }
    return status;
}

static void set_to_none(hd_remap_numbers *numbers) {
    memset(numbers->data, 0xff, (size_t)numbers->count * numbers->bytes);
}

/* The element of each place, from the place of each element: no two may go to one. */
static hd_status set_elements(const hd_diag *diag, hd_remap *map) {
    hd_status status = new_numbers(diag, map->places, map->elements, &map->element);
    if (status == HD_OK)
        set_to_none(&map->element);
    for (uint64_t i = 0; status == HD_OK && i < map->elements; i++) {
        uint64_t place = hd_remap_number(&map->place->numbers, i);
        uint64_t other = hd_remap_number(&map->element, place);
        if (other != HD_REMAP_NONE)
            status = hd_fail(diag, HD_EINPUT, NULL,
                             "elements %" PRIu64 " and %" PRIu64 " both go to place %" PRIu64
                             "; each needs one of its own",
                             other, i, place);
        set_number(&map->element, place, i);
    }
    return status;
}

hd_status hd_remap_places_of(const hd_diag *diag, const hd_remap *map,
                             const hd_remap_numbers **places) {
    hd_remap_numbers *made = &map->place->numbers;
    hd_status status = HD_OK;
    pthread_mutex_lock(&map->place->making);
    if (!made->data) {
        status = new_numbers(diag, map->elements, map->places, made);
        if (status == HD_OK)
            set_to_none(made);
        for (uint64_t i = 0; status == HD_OK && i < map->places; i++)
            set_number(made, hd_remap_number(&map->element, i), i);
    }
    pthread_mutex_unlock(&map->place->making);
    *places = &map->place->numbers;
    return status;
}

static hd_status make_indexed(const hd_diag *diag, hd_remap *map, uint64_t elements,
                              uint64_t places, uint32_t element_bytes) {
    map->elements = elements;
    map->places = places;
    hd_status status = check_count(diag, elements, "the number of elements");
    if (status == HD_OK)
        status = check_count(diag, places, "the number of places");
    return status == HD_OK ? set_sizes(diag, map, element_bytes) : status;
}

hd_status hd_remap_gather(const hd_diag *diag, const void *index, uint32_t index_bytes,
                          uint64_t count, uint64_t source_count, uint32_t element_bytes,
                          hd_remap **result) {
    hd_remap *map = new_map(diag, HD_REMAP_GATHER, result);
    if (!map)
        return HD_EINPUT;
    hd_status status = make_indexed(diag, map, source_count, count, element_bytes);
    if (status == HD_OK)
        status = take_index(diag, index, index_bytes, count, source_count, &map->element);
    return finish(status, map, result);
}

hd_status hd_remap_scatter(const hd_diag *diag, const void *index, uint32_t index_bytes,
                           uint64_t source_count, uint64_t count, uint32_t element_bytes,
                           hd_remap **result) {
    hd_remap *map = new_map(diag, HD_REMAP_SCATTER, result);
    if (!map)
        return HD_EINPUT;
    hd_status status = make_indexed(diag, map, source_count, count, element_bytes);
    if (status == HD_OK)
        status = take_index(diag, index, index_bytes, source_count, count, &map->place->numbers);
    if (status == HD_OK)
        status = set_elements(diag, map);
    return finish(status, map, result);
}

hd_status hd_remap_user_map(const hd_diag *diag, const hd_remap_user *user, hd_remap **result) {
    hd_remap *map = new_map(diag, HD_REMAP_USER, result);
    if (!map)
        return HD_EINPUT;
    hd_status status = user && user->place
                           ? HD_OK
                           : hd_fail(diag, HD_EINPUT, NULL,
                                     "a map of the program's own needs its function "
                                     "`place`, also when it has device code");
    if (status == HD_OK && user->source)
        map->source = hd_strdup(map->arena, user->source);
    if (status == HD_OK)
        status = make_indexed(diag, map, user->source_count, user->count, user->element_bytes);
    if (status == HD_OK)
        status = new_numbers(diag, map->elements, map->places, &map->place->numbers);
    for (uint64_t i = 0; status == HD_OK && i < map->elements; i++) {
        uint64_t place = user->place(i, user->user);
        if (place >= map->places)
            status = hd_fail(diag, HD_EINPUT, NULL,
                             "the map's function gives element %" PRIu64 " the place %" PRIu64
                             "; places are from 0 to %" PRIu64,
                             i, place, map->places - 1);
        set_number(&map->place->numbers, i, place);
    }
    if (status == HD_OK)
        status = set_elements(diag, map);
    return finish(status, map, result);
}

/* ---- slices ----------------------------------------------------------------------------- */

static hd_status slice_records(const hd_diag *diag, const hd_remap *whole, uint64_t count,
                               hd_remap **slice) {
    const hd_record *record = whole->layout->record;
    hd_arena *arena = hd_arena_new();
    hd_remap_field *fields = hd_new_array(arena, hd_remap_field, record->field_count);
    for (uint32_t f = 0; f < record->field_count; f++)
        fields[f] = (hd_remap_field){record->fields[f].name, record->fields[f].offset,
                                     record->fields[f].size, record->fields[f].align};
    hd_remap_record given = {record->name, record->size, record->align, fields,
                             record->field_count};
    const char *layout = hd_layout_print(arena, record, whole->layout->layout);
    hd_status status = hd_remap_layout(diag, &given, layout, count, slice);
    hd_arena_free(arena);
    return status;
}

hd_status hd_remap_slice(const hd_diag *diag, const hd_remap *map, uint64_t first, uint64_t count,
                         hd_remap **slice) {
    if (hd_remap_needs(diag, {slice, "place for the new map"}) != HD_OK)
        return HD_EINPUT;
    *slice = NULL;
    if (hd_remap_needs(diag, {map, "map to take a slice of"}) != HD_OK)
        return HD_EINPUT;
    if (map->kind != HD_REMAP_RECORDS && map->kind != HD_REMAP_TRANSPOSE)
        return hd_fail(diag, HD_EUNSUPPORTED, NULL,
                       "only maps of layouts and of transposes have slices");
    uint64_t all = map->kind == HD_REMAP_RECORDS ? map->elements : map->rows;
    if (!count || first > all || count > all - first)
        return hd_fail(diag, HD_EINPUT, NULL,
                       "a slice of %" PRIu64 " from %" PRIu64 " on is not within the map's %" PRIu64
                       "",
                       count, first, all);
    if (map->kind == HD_REMAP_TRANSPOSE)
        return hd_remap_transpose(diag, count, map->columns, (uint32_t)map->element_bytes, slice);
    return slice_records(diag, map, count, slice);
}

/* ---- what a map has ------------------------------------------------------------------------ */

uint64_t hd_remap_source_bytes(const hd_remap *map) { return map ? map->source_bytes : 0; }
uint32_t hd_remap_parts(const hd_remap *map) { return map ? map->parts : 0; }
uint64_t hd_remap_bytes(const hd_remap *map, uint32_t part) {
    return part < hd_remap_parts(map) ? map->bytes[part] : 0;
}

hd_remap_place hd_remap_find(const hd_remap *map, uint64_t element, uint32_t field) {
    uint64_t elements = !map ? 0 : map->kind == HD_REMAP_GATHER ? map->places : map->elements;
    uint32_t fields = map && map->layout ? map->layout->record->field_count : 1;
    if (element >= elements || field >= fields)
        return (hd_remap_place){UINT32_MAX, UINT64_MAX};
    if (map->kind == HD_REMAP_RECORDS) {
        uint32_t cluster = map->layout->fields[field].cluster;
        return (hd_remap_place){map->layout->clusters[cluster].allocation,
                                hd_map_address(map->layout, field, element)};
    }
    uint64_t place = element;
    if (map->kind == HD_REMAP_SCATTER || map->kind == HD_REMAP_USER)
        place = hd_remap_number(&map->place->numbers, element);
    else if (map->kind != HD_REMAP_GATHER)
        place = hd_remap_place_in_matrix(map, element / map->columns, element % map->columns);
    return (hd_remap_place){0, place * map->element_bytes};
}
