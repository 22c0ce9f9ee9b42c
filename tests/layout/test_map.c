/* The address map: worked examples, and properties over random records. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "folder.h"
#include "oracle/layout_map.h"
#include "random_record.h"

static void hear(const hd_message *message, void *user) {
    snprintf(user, 512, "%s", message->text);
}

static hd_map *make(hd_arena *arena, const hd_record *record, const hd_layout *layout,
                    uint64_t count) {
    char heard[512] = "";
    hd_diag diag = {hear, heard};
    hd_map *map = NULL;
    if (hd_map_make(arena, &diag, record, layout, count, &map) != HD_OK ||
        map_check(&diag, map) != HD_OK)
        fail_msg("%s", heard);
    return map;
}

static hd_map *make_text(hd_arena *arena, const hd_record *record, const char *text,
                         uint64_t count) {
    hd_layout *layout = NULL;
    assert_int_equal(hd_layout_parse(arena, NULL, record, text, &layout), HD_OK);
    return make(arena, record, layout, count);
}

static hd_record *record_of(hd_arena *arena, const char *const *names, const uint32_t *sizes,
                            const uint32_t *aligns, uint32_t count) {
    hd_record *record = hd_new(arena, hd_record);
    record->name = "thing";
    record->field_count = count;
    record->fields = hd_new_array(arena, hd_field, count);
    for (uint32_t f = 0; f < count; f++)
        record->fields[f] =
            (hd_field){.name = names[f], .size = sizes[f], .align = aligns[f], .count = 1};
    hd_record_lay_out(record);
    return record;
}

/* struct { float x; char c; double d; } in every kind of layout, by hand. */
static void worked_examples(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    hd_record *r = record_of(arena, (const char *[]){"x", "c", "d"}, (uint32_t[]){4, 1, 8},
                             (uint32_t[]){4, 1, 8}, 3);
    assert_int_equal(r->size, 16);
    hd_map *map = make_text(arena, r, "aos", 100);
    assert_int_equal(hd_map_address(map, 1, 7), 7 * 16 + 4);
    assert_int_equal(map->allocation_bytes[0], 1600);

    map = make_text(arena, r, "{x,c}:4{d}", 6);
    assert_int_equal(map->clusters[0].tile_bytes, 20);
    assert_int_equal(hd_map_address(map, 0, 5), 24);
    assert_int_equal(hd_map_address(map, 1, 5), 37);
    assert_int_equal(hd_map_address(map, 2, 5), 256 + 40);
    assert_int_equal(map->allocation_bytes[0], 256 + 48);

    map = make_text(arena, r, "{x,c}:4{d}/da", 6);
    assert_int_equal(map->allocation_count, 2);
    assert_int_equal(hd_map_address(map, 2, 5), 40);
    assert_int_equal(map->allocation_bytes[0], 40);
    assert_int_equal(map->allocation_bytes[1], 48);

    map = make_text(arena, r, "soa", 100);
    assert_int_equal(hd_map_address(map, 0, 99), 396);
    assert_int_equal(hd_map_address(map, 1, 99), 512 + 99);
    assert_int_equal(hd_map_address(map, 2, 99), 768 + 99 * 8);
    assert_int_equal(map->allocation_bytes[0], 768 + 800);

    map = make_text(arena, r, "aosoa:2", 3);
    assert_int_equal(map->clusters[0].tile_bytes, 32);
    assert_int_equal(hd_map_address(map, 2, 2), 32 + 16);

    map = make_text(arena, r, "{x}{c}{d}", 0);
    assert_int_equal(map->allocation_bytes[0], 0);
    assert_true(owner_of(map, 0, 0).padding);
    hd_arena_free(arena);
}

static void assert_element(const hd_map *map, uint64_t element, const uint64_t addresses[5]) {
    for (uint32_t f = 0; f < 5; f++)
        assert_int_equal(hd_map_address(map, f, element), addresses[f]);
}

/* The tables of docs/layout.md. */
static void example_of_the_documentation(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    hd_record *body = record_of(arena, (const char *[]){"x", "y", "z", "kind", "mass"},
                                (uint32_t[]){4, 4, 4, 1, 8}, (uint32_t[]){4, 4, 4, 1, 8}, 5);
    assert_int_equal(body->size, 24);
    hd_map *map = make_text(arena, body, "{x,y,z}{kind,mass}:4", 10);
    assert_element(map, 6, (uint64_t[]){72, 76, 80, 298, 320});
    assert_int_equal(map->clusters[1].tile_bytes, 40);
    assert_int_equal(map->allocation_bytes[0], 376);
    map = make_text(arena, body, "aos", 10);
    assert_element(map, 6, (uint64_t[]){144, 148, 152, 156, 160});
    assert_int_equal(map->allocation_bytes[0], 240);
    map = make_text(arena, body, "aosoa:4", 10);
    assert_element(map, 6, (uint64_t[]){96, 112, 128, 138, 160});
    assert_int_equal(map->allocation_bytes[0], 264);
    map = make_text(arena, body, "soa", 10);
    assert_element(map, 6, (uint64_t[]){24, 280, 536, 774, 1072});
    assert_int_equal(map->allocation_bytes[0], 1104);
    map = make_text(arena, body, "{x,y,z,_}{kind,mass}", 10);
    assert_element(map, 6, (uint64_t[]){96, 100, 104, 352, 360});
    assert_int_equal(map->allocation_bytes[0], 416);
    map = make_text(arena, body, "da", 10);
    assert_element(map, 6, (uint64_t[]){24, 24, 24, 6, 48});
    assert_int_equal(map->allocation_bytes[3], 10);
    assert_int_equal(map->allocation_bytes[4], 80);
    hd_arena_free(arena);
}

/* Every byte of every value owns itself, no byte is owned twice, and a byte that
 * belongs to no value is padding. */
static void check_bijection(hd_arena *arena, const hd_map *map) {
    bool *owned[HD_MAX_FIELDS];
    for (uint32_t a = 0; a < map->allocation_count; a++)
        owned[a] = hd_new_array(arena, bool, map->allocation_bytes[a] + 1);
    for (uint32_t f = 0; f < map->record->field_count; f++) {
        const hd_field *field = &map->record->fields[f];
        uint32_t cluster = map->fields[f].cluster;
        uint32_t allocation = map->clusters[cluster].allocation;
        for (uint64_t i = 0; i < map->count; i++) {
            uint64_t address = hd_map_address(map, f, i);
            assert_int_equal(address % field->align, 0);
            assert_true(address + field->size <= map->allocation_bytes[allocation]);
            for (uint32_t byte = 0; byte < field->size; byte++) {
                assert_false(owned[allocation][address + byte]);
                owned[allocation][address + byte] = true;
                byte_owner owner = owner_of(map, allocation, address + byte);
                assert_false(owner.padding);
                assert_int_equal(owner.cluster, cluster);
                assert_int_equal(owner.field, f);
                assert_int_equal(owner.element, i);
                assert_int_equal(owner.byte, byte);
            }
        }
    }
    for (uint32_t a = 0; a < map->allocation_count; a++) {
        for (uint64_t at = 0; at < map->allocation_bytes[a]; at++) {
            byte_owner owner = owner_of(map, a, at);
            assert_int_equal(owner.padding, !owned[a][at]);
            assert_int_equal(hd_map_field_at(map, a, at), owner.padding ? -1 : (int)owner.field);
        }
        assert_true(owner_of(map, a, map->allocation_bytes[a]).padding);
    }
}

static void check_boundaries(const hd_map *map) {
    for (uint32_t c = 0; c < map->layout->count; c++)
        assert_int_equal(map->clusters[c].base % HD_RUN_ALIGN, 0);
    for (uint32_t f = 0; f < map->record->field_count; f++)
        if (map->layout->clusters[map->fields[f].cluster].tile == HD_TILE_SOA)
            assert_int_equal(hd_map_address(map, f, 0) % HD_RUN_ALIGN, 0);
}

/* Moves a struct array out and back; every value must survive, and nothing
 * outside the allocations may be touched (the sanitizers watch). */
static void check_moving(hd_arena *arena, const hd_map *map, dice *d) {
    const hd_record *record = map->record;
    size_t bytes = (size_t)record->size * map->count;
    unsigned char *aos = malloc(bytes + 1), *back = malloc(bytes + 1);
    void **allocations = hd_new_array(arena, void *, map->allocation_count);
    for (uint32_t a = 0; a < map->allocation_count; a++)
        allocations[a] = calloc(1, map->allocation_bytes[a] + 1);
    for (size_t i = 0; i < bytes; i++)
        aos[i] = (unsigned char)roll(d, 256);
    hd_map_scatter(map, aos, allocations);
    hd_map_gather(map, allocations, back);
    for (uint64_t i = 0; i < map->count; i++)
        for (uint32_t f = 0; f < record->field_count; f++) {
            size_t at = i * record->size + record->fields[f].offset;
            uint32_t cluster = map->fields[f].cluster;
            char *moved = allocations[map->clusters[cluster].allocation];
            assert_memory_equal(back + at, aos + at, record->fields[f].size);
            assert_memory_equal(moved + hd_map_address(map, f, i), aos + at,
                                record->fields[f].size);
        }
    for (uint32_t a = 0; a < map->allocation_count; a++)
        free(allocations[a]);
    free(aos);
    free(back);
}

static void random_maps_are_bijections(void **state) {
    (void)state;
    dice d = {4711};
    for (int round = 0; round < 250; round++) {
        hd_arena *arena = hd_arena_new();
        hd_record *record = random_record(arena, &d, round % 25 ? 8 : HD_MAX_FIELDS, 1);
        if (!roll(&d, 4)) { /* as attributes of the struct and of a field would */
            hd_field *field = &record->fields[roll(&d, record->field_count)];
            if (!field->record)
                field->align *= 4;
            hd_record_lay_out(record);
            record->align *= 2;
            record->size = (uint32_t)hd_align_up(record->size, record->align);
        }
        pad_at_random(&d, record);
        hd_map *map = make(arena, record, random_layout(arena, &d, record), roll(&d, 70));
        check_bijection(arena, map);
        check_boundaries(map);
        check_moving(arena, map, &d);
        hd_arena_free(arena);
    }
}

/* Tile 1 of all fields is the struct itself, also when attributes raise its
 * alignment. */
static void aos_is_the_struct(void **state) {
    (void)state;
    dice d = {99};
    for (int round = 0; round < 100; round++) {
        hd_arena *arena = hd_arena_new();
        hd_record *record = random_record(arena, &d, 10, 1);
        record->align *= 1 + roll(&d, 2);
        record->size = (uint32_t)hd_align_up(record->size, record->align);
        hd_map *map = make(arena, record, hd_layout_aos(arena, record), 9);
        assert_int_equal(map->allocation_bytes[0], 9 * (uint64_t)record->size);
        for (uint32_t f = 0; f < record->field_count; f++)
            for (uint64_t i = 0; i < 9; i++)
                assert_int_equal(hd_map_address(map, f, i),
                                 i * record->size + record->fields[f].offset);
        hd_arena_free(arena);
    }
}

static hd_layout *every_field_alone(hd_arena *arena, const hd_record *record, uint64_t tile) {
    hd_layout *layout = hd_new(arena, hd_layout);
    layout->count = record->field_count;
    layout->clusters = hd_new_array(arena, hd_cluster, layout->count);
    for (uint32_t f = 0; f < layout->count; f++)
        layout->clusters[f] =
            (hd_cluster){.mask = (uint64_t)1 << f, .order = {(uint8_t)f}, .count = 1, .tile = tile};
    return layout;
}

/* All fields alone in a shared allocation and `soa` are the same addresses,
 * which is why normal form knows only one of them; and a lone field lies alike
 * in its cluster under every tile. */
static void normal_form_keeps_addresses(void **state) {
    (void)state;
    dice d = {5};
    for (int round = 0; round < 100; round++) {
        hd_arena *arena = hd_arena_new();
        hd_record *record = random_record(arena, &d, 6, 1);
        uint64_t count = 1 + roll(&d, 50), tile = (uint64_t)2 << roll(&d, 5);
        hd_map *soa = make(arena, record, hd_layout_soa(arena, record), count);
        hd_map *alone = make(arena, record, every_field_alone(arena, record, 1), count);
        hd_map *tiled = make(arena, record, every_field_alone(arena, record, tile), count);
        for (uint32_t f = 0; f < record->field_count; f++)
            for (uint64_t i = 0; i < count; i++) {
                uint64_t address = hd_map_address(alone, f, i);
                assert_int_equal(address, hd_map_address(soa, f, i));
                assert_int_equal(address - alone->clusters[f].base,
                                 hd_map_address(tiled, f, i) - tiled->clusters[f].base);
            }
        hd_arena_free(arena);
    }
}

/* ---- against the C compiler ---------------------------------------------- */

/* `layout` with one field, and that one, in another cluster or in one of its own. */
static hd_layout *with_field_moved(hd_arena *arena, dice *d, const hd_record *record,
                                   const hd_layout *layout) {
    hd_layout *moved = hd_new(arena, hd_layout);
    uint64_t field = roll(d, record->field_count);
    uint32_t to = roll(d, layout->count + 1);
    moved->discrete = layout->discrete;
    moved->clusters = hd_new_array(arena, hd_cluster, layout->count + 1);
    for (uint32_t c = 0; c <= layout->count; c++) {
        const hd_cluster none = {.tile = (uint64_t)1 << roll(d, 3)};
        hd_cluster all = c < layout->count ? layout->clusters[c] : none, left = all;
        left.count = 0;
        for (uint32_t i = 0; i < all.count; i++)
            if (all.order[i] != field)
                left.order[left.count++] = all.order[i];
        if (c == to)
            left.order[left.count++] = (uint8_t)field;
        left.padded = false;
        left.mask = (all.mask & ~((uint64_t)1 << field)) | (uint64_t)(c == to) << field;
        if (left.count)
            moved->clusters[moved->count++] = left;
    }
    return moved;
}

static bool has_run_of_its_own(const hd_map *map, uint32_t field) {
    const hd_cluster *cluster = &map->layout->clusters[map->fields[field].cluster];
    return (cluster->count == 1 && !cluster->padded) || cluster->tile == HD_TILE_SOA;
}

/* Whether both place the fields of `used` at the same distances, by looking at each element. */
static bool places_are_alike(const hd_map *a, const hd_map *b, uint64_t used) {
    uint32_t n = a->record->field_count;
    bool alike = a->layout->discrete == b->layout->discrete;
    for (uint32_t f = 0; f < n; f++) {
        if (!(used >> f & 1))
            continue;
        uint64_t start_a = hd_map_address(a, f, 0), start_b = hd_map_address(b, f, 0);
        for (uint64_t e = 0; e < a->count; e++)
            alike = alike && hd_map_address(a, f, e) - start_a == hd_map_address(b, f, e) - start_b;
        bool own = has_run_of_its_own(a, f);
        alike = alike && own == has_run_of_its_own(b, f);
        alike = alike && (own || start_a - a->clusters[a->fields[f].cluster].base ==
                                     start_b - b->clusters[b->fields[f].cluster].base);
        for (uint32_t g = 0; g < n && !own; g++)
            alike =
                alike && (!(used >> g & 1) || (a->fields[f].cluster == a->fields[g].cluster) ==
                                                  (b->fields[f].cluster == b->fields[g].cluster));
    }
    return alike;
}

static void places_are_those_of_the_fields_that_are_used(void **state) {
    (void)state;
    uint32_t alike = 0, other = 0;
    for (uint64_t seed = 1; seed <= 3000; seed++) {
        hd_arena *arena = hd_arena_new();
        dice d = {seed};
        const hd_record *record = random_record(arena, &d, 6, 0);
        const hd_layout *one = random_layout(arena, &d, record);
        const hd_layout *two = with_field_moved(arena, &d, record, one);
        uint64_t used = roll(&d, 64) & (((uint64_t)1 << record->field_count) - 1);
        hd_map *a, *b;
        assert_int_equal(hd_map_make(arena, NULL, record, one, 300, &a), HD_OK);
        assert_int_equal(hd_map_make(arena, NULL, record, two, 300, &b), HD_OK);
        bool same = places_are_alike(a, b, used);
        if (same != (hd_layout_places(record, one, used) == hd_layout_places(record, two, used)))
            fail_msg("seed %llu: %s and %s, used %llx: %s", (unsigned long long)seed,
                     hd_layout_print(arena, record, one), hd_layout_print(arena, record, two),
                     (unsigned long long)used, same ? "alike" : "not alike");
        alike += same && !hd_layout_equal(one, two);
        other += !same;
        hd_arena_free(arena);
    }
    assert_true(alike > 100 && other > 100);
}

static void write_struct(FILE *out, const hd_record *record, const hd_layout *layout, uint32_t c);

static void write_field(FILE *out, const hd_field *field) {
    if (field->record) {
        fprintf(out, "struct ");
        write_struct(out, field->record, NULL, 0);
    } else {
        fprintf(out, "%s", field->type);
    }
    fprintf(out, " %s", field->name);
    if (field->count > 1)
        fprintf(out, "[%u]", field->count);
    fprintf(out, "; ");
}

/* The fields of a cluster in its order, or of the record. */
static void write_struct(FILE *out, const hd_record *record, const hd_layout *layout, uint32_t c) {
    fprintf(out, "{ ");
    uint32_t count = layout ? layout->clusters[c].count : record->field_count;
    for (uint32_t i = 0; i < count; i++)
        write_field(out, &record->fields[layout ? layout->clusters[c].order[i] : i]);
    fprintf(out, "}");
}

static uint64_t group_of(hd_arena *arena, const hd_record *record, const char *notation,
                         uint64_t used, uint32_t unit) {
    hd_layout *layout;
    assert_int_equal(hd_layout_parse(arena, NULL, record, notation, &layout), HD_OK);
    return hd_layout_group(record, layout, used, unit);
}

static void groups_are_those_of_the_fields_that_are_used(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    hd_field fields[] = {{"a", "float", 0, 4, 4, 1, NULL},
                         {"b", "float", 0, 4, 4, 1, NULL},
                         {"c", "double", 0, 8, 8, 1, NULL},
                         {"u", "char", 0, 1, 1, 1, NULL}};
    hd_record record = {.name = "r", .spelling = "r", .field_count = 4, .fields = fields};
    hd_record_lay_out(&record);
    static const struct {
        const char *one, *two;
        uint64_t used;
        uint32_t unit;
        bool alike;
    } cases[] = {
        {"{a,b}{c,u}", "{a,b,u}{c}", 7, 0, true}, /* u is nobody's */
        {"{a,b}{c,u}", "{a,b,u}{c}", 15, 0, false},
        {"{a,b}{c,u}", "{a,b}:2{c,u}", 7, 0, false},
        {"{a,b}:8{c,u}", "soa", 7, 32, true}, /* 8 floats fill 32 bytes */
        {"{a,b}:8{c,u}", "soa", 7, 64, false},
        {"{a,b}:8{c,u}", "soa", 7, 0, false},
        {"{a,c}:8{b,u}", "{a,c}:16{b,u}", 7, 32, true},
        {"aosoa:32", "soa", 15, 32, true}, /* 32 chars, too */
        {"aosoa:16", "soa", 15, 32, false},
        {"aosoa:16", "soa", 7, 32, false}, /* u shifts the next tile */
        {"aos", "{a,b,c}{u}", 7, 32, false},
        {"da", "soa", 15, 0, false},
        {"{b,a,u,_}{c}", "{b,a,u}{c}", 3, 32, false},
        {"{b,a,u,_}{c}", "soa", 1, 32, false},
        {"{b,a,u,_}{c}", "{b,a,u}{c}", 4, 32, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool alike = group_of(arena, &record, cases[i].one, cases[i].used, cases[i].unit) ==
                     group_of(arena, &record, cases[i].two, cases[i].used, cases[i].unit);
        if (alike != cases[i].alike)
            fail_msg("%s and %s, used %llx, unit %u", cases[i].one, cases[i].two,
                     (unsigned long long)cases[i].used, cases[i].unit);
    }
    hd_arena_free(arena);
}

enum { STRUCTS = 60 };

/* What a padded cluster is aligned to: of its fields' bytes, one after another as the compiler has
 * them. */
static int next_power_of_two(const hd_record *record, const hd_layout *layout, uint32_t c) {
    uint64_t end = 0;
    for (uint32_t i = 0; i < layout->clusters[c].count; i++) {
        const hd_field *field = &record->fields[layout->clusters[c].order[i]];
        end = hd_align_up(end, field->align) + field->size;
    }
    int power = 1;
    while ((uint64_t)power < end)
        power *= 2;
    return power;
}

static void write_program(FILE *out, hd_record *const *records, hd_layout *const *layouts) {
    fprintf(out, "#include <stddef.h>\n#include <stdio.h>\n" QUAD);
    for (int s = 0; s < STRUCTS; s++)
        for (uint32_t c = 0; c < layouts[s]->count; c++) {
            fprintf(out, "struct s%d_%u ", s, c);
            write_struct(out, records[s], layouts[s], c);
            if (layouts[s]->clusters[c].padded)
                fprintf(out, " __attribute__((aligned(%d)))",
                        next_power_of_two(records[s], layouts[s], c));
            fprintf(out, ";\n");
        }
    fprintf(out, "int main(void) {\n");
    for (int s = 0; s < STRUCTS; s++)
        for (uint32_t c = 0; c < layouts[s]->count; c++) {
            fprintf(out, "printf(\"%%zu\\n\", sizeof(struct s%d_%u));\n", s, c);
            for (uint32_t i = 0; i < layouts[s]->clusters[c].count; i++)
                fprintf(out, "printf(\"%%zu\\n\", offsetof(struct s%d_%u, %s));\n", s, c,
                        records[s]->fields[layouts[s]->clusters[c].order[i]].name);
        }
    fprintf(out, "return 0; }\n");
}

static unsigned long next_number(FILE *in) {
    unsigned long number;
    assert_int_equal(fscanf(in, "%lu", &number), 1);
    return number;
}

/* Even structs: the whole record in its own order. Odd ones: a random partition
 * with random orders, all tiles 1, so that each cluster is a struct. */
static hd_layout *layout_for_compiler(hd_arena *arena, dice *d, const hd_record *record, int s) {
    if (s % 2 == 0)
        return hd_layout_aos(arena, record);
    hd_layout *layout = random_layout(arena, d, record);
    for (uint32_t c = 0; c < layout->count; c++)
        layout->clusters[c].tile = HD_TILE_AOS;
    pad_clusters(d, record, layout);
    return layout;
}

static void tile_one_is_the_compilers_struct(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    dice d = {31337};
    hd_record *records[STRUCTS];
    hd_layout *layouts[STRUCTS];
    for (int s = 0; s < STRUCTS; s++) {
        records[s] = random_record(arena, &d, 10, 2);
        layouts[s] = layout_for_compiler(arena, &d, records[s], s);
    }
    char *folder = folder_make(arena);
    char *source = hd_format(arena, "%s/structs.c", folder);
    char *program = hd_format(arena, "%s/structs", folder);
    FILE *out = fopen(source, "w");
    assert_non_null(out);
    write_program(out, records, layouts);
    assert_int_equal(fclose(out), 0);
    assert_int_equal(system(hd_format(arena, "cc -std=gnu11 -w -o %s %s", program, source)), 0);
    FILE *in = popen(program, "r");
    assert_non_null(in);
    for (int s = 0; s < STRUCTS; s++) {
        hd_map *map = make(arena, records[s], layouts[s], 10);
        for (uint32_t c = 0; c < layouts[s]->count; c++) {
            assert_int_equal(map->clusters[c].tile_bytes, next_number(in));
            for (uint32_t i = 0; i < layouts[s]->clusters[c].count; i++)
                assert_int_equal(map->fields[layouts[s]->clusters[c].order[i]].run,
                                 next_number(in));
        }
    }
    assert_int_equal(pclose(in), 0);
    folder_remove(folder);
    hd_arena_free(arena);
}

/* ---- what is refused ----------------------------------------------------- */

static void check_refused(hd_arena *arena, const hd_record *record, const char *text,
                          uint64_t count, hd_status status, const char *says) {
    char heard[512] = "";
    hd_diag diag = {hear, heard};
    hd_layout *layout = NULL;
    hd_map *map = NULL;
    assert_int_equal(hd_layout_parse(arena, NULL, record, text, &layout), HD_OK);
    assert_int_equal(hd_map_make(arena, &diag, record, layout, count, &map), status);
    assert_null(map);
    if (!strstr(heard, says))
        fail_msg("%s", heard);
}

static void sizes_beyond_63_bits_are_refused(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    hd_record *r =
        record_of(arena, (const char *[]){"x", "y"}, (uint32_t[]){4, 4}, (uint32_t[]){4, 4}, 2);
    const char *says = "do not fit 63 bits of address";
    const uint64_t large = (uint64_t)1 << 60;
    check_refused(arena, r, "aos", large, HD_EINPUT, says);
    check_refused(arena, r, "soa", large, HD_EINPUT, says);
    check_refused(arena, r, "{x}{y}", large, HD_EINPUT, says);
    check_refused(arena, r, "aosoa:9223372036854775808", 1, HD_EINPUT, says);
    check_refused(arena, r, "aosoa:1152921504606846976", 1, HD_EINPUT, says);
    check_refused(arena, r, "{x}{y}:4", UINT64_MAX, HD_EINPUT, says);
    check_refused(arena, r, "soa", UINT64_MAX, HD_EINPUT, says);
    make_text(arena, r, "{x}{y}/da", large);
    make_text(arena, r, "aos", large - 1);
    hd_arena_free(arena);
}

static void records_that_are_no_plain_structs_are_refused(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    hd_record *r =
        record_of(arena, (const char *[]){"c", "x"}, (uint32_t[]){1, 4}, (uint32_t[]){1, 4}, 2);
    hd_record packed = *r;
    packed.fields[1].offset = 1;
    check_refused(arena, &packed, "aos", 4, HD_EUNSUPPORTED, "'x' of 'thing' lies at byte 1");
    packed.fields[1].offset = 4;
    packed.size = 5;
    check_refused(arena, &packed, "aos", 4, HD_EUNSUPPORTED, "'thing' has 5 bytes");
    packed.size = 8;
    packed.fields[0].align = 3;
    check_refused(arena, &packed, "aos", 4, HD_EUNSUPPORTED, "not a power of two");
    packed.fields[0].align = 1;
    packed.fields[0].size = 0;
    check_refused(arena, &packed, "aos", 4, HD_EUNSUPPORTED, "field 'c' of 'thing' has no size");
    hd_arena_free(arena);
}

static void check_finds_a_broken_map(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    hd_record *r = record_of(arena, (const char *[]){"x", "y", "c"}, (uint32_t[]){4, 4, 1},
                             (uint32_t[]){4, 4, 1}, 3);
    hd_map *map = make_text(arena, r, "{x,y}:8{c}", 100);
    char heard[512] = "";
    hd_diag diag = {hear, heard};
    map->fields[1].run = 28; /* where the last x lies */
    assert_int_equal(map_check(&diag, map), HD_EINPUT);
    assert_non_null(strstr(heard, "cluster 0 of the map has runs that overlap"));
    map->fields[1].run = 36;
    assert_int_equal(map_check(&diag, map), HD_EINPUT);
    assert_non_null(strstr(heard, "leaves its tile"));
    map->fields[1].run = 32;
    map->clusters[1].base = 768;
    assert_int_equal(map_check(&diag, map), HD_EINPUT);
    assert_non_null(strstr(heard, "overlaps the one before it"));
    map->clusters[1].base = 1024;
    map->allocation_bytes[0]--;
    assert_int_equal(map_check(&diag, map), HD_EINPUT);
    assert_non_null(strstr(heard, "ends beyond its allocation"));
    hd_arena_free(arena);
}

static void records_answer_questions(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    hd_record *r =
        record_of(arena, (const char *[]){"c", "x"}, (uint32_t[]){1, 4}, (uint32_t[]){1, 4}, 2);
    assert_int_equal(hd_record_find(r, "x"), 1);
    assert_int_equal(hd_record_find(r, "X"), -1);
    assert_int_equal(hd_record_field_at(r, 0), 0);
    assert_int_equal(hd_record_field_at(r, 1), -1);
    assert_int_equal(hd_record_field_at(r, 7), 1);
    assert_int_equal(hd_record_field_at(r, 8), -1);
    hd_arena_free(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worked_examples),
        cmocka_unit_test(example_of_the_documentation),
        cmocka_unit_test(random_maps_are_bijections),
        cmocka_unit_test(aos_is_the_struct),
        cmocka_unit_test(normal_form_keeps_addresses),
        cmocka_unit_test(places_are_those_of_the_fields_that_are_used),
        cmocka_unit_test(groups_are_those_of_the_fields_that_are_used),
        cmocka_unit_test(tile_one_is_the_compilers_struct),
        cmocka_unit_test(sizes_beyond_63_bits_are_refused),
        cmocka_unit_test(records_that_are_no_plain_structs_are_refused),
        cmocka_unit_test(check_finds_a_broken_map),
        cmocka_unit_test(records_answer_questions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
