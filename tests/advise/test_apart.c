/* Layouts of a record taken apart that are layouts of the record as it is declared: the one that is
 * found places every byte alike, and where none is found none of all layouts does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "advise/apart.h"

static const hd_diag silent = {0};

typedef struct subject {
    hd_arena *arena;
    hd_record *whole;
    const hd_record *parts;
} subject;

/* struct { float d[3]; struct { float x; char c; } in; int kind; }, with d and in taken apart. */
static subject make_subject(void) {
    static const char *const names[] = {"d", "in"};
    subject s = {.arena = hd_arena_new()};
    hd_record *in = hd_new(s.arena, hd_record);
    *in = (hd_record){.name = "in", .spelling = "struct in", .field_count = 2};
    in->fields = hd_new_array(s.arena, hd_field, 2);
    in->fields[0] = (hd_field){"x", "float", 0, 4, 4, 1, NULL};
    in->fields[1] = (hd_field){"c", "char", 0, 1, 1, 1, NULL};
    hd_record_lay_out(in);
    s.whole = hd_new(s.arena, hd_record);
    *s.whole = (hd_record){.name = "r", .spelling = "struct r", .field_count = 3};
    s.whole->fields = hd_new_array(s.arena, hd_field, 3);
    s.whole->fields[0] = (hd_field){"d", "float", 0, 12, 4, 3, NULL};
    s.whole->fields[1] = (hd_field){"in", "struct in", 0, in->size, in->align, 1, in};
    s.whole->fields[2] = (hd_field){"kind", "int", 0, 4, 4, 1, NULL};
    hd_record_lay_out(s.whole);
    assert_int_equal(hd_record_split(s.arena, &silent, &(hd_place){0}, s.whole, names, 2, &s.parts),
                     HD_OK);
    return s;
}

static hd_layout *parse(const subject *s, const hd_record *record, const char *text) {
    hd_layout *layout;
    assert_int_equal(hd_layout_parse(s->arena, &silent, record, text, &layout), HD_OK);
    return layout;
}

static void expect(const subject *s, const char *parts, const char *whole) {
    const hd_layout *found =
        advise_put_together(s->arena, s->parts, parse(s, s->parts, parts), s->whole);
    if (!whole) {
        assert_null(found);
        return;
    }
    assert_non_null(found);
    assert_string_equal(hd_layout_print(s->arena, s->whole, found), whole);
}

static void parts_that_lie_as_in_their_field_are_it(void **state) {
    (void)state;
    subject s = make_subject();
    expect(&s, "aos", "aos");
    expect(&s, "{d[0],d[1],d[2]}{in.x,in.c}{kind}", "soa");
    expect(&s, "{d[0],d[1],d[2]}{in.x,in.c}{kind}/da", "da");
    expect(&s, "{d[0],d[1],d[2],kind}{in.x,in.c}", "{d,kind}{in}");
    expect(&s, "soa", NULL);
    expect(&s, "aosoa:4", NULL);
    expect(&s, "{d[0],d[1]}{d[2],in.x,in.c,kind}", NULL);
    expect(&s, "{d[0],d[1],d[2]}:2{in.x,in.c}{kind}", NULL);
    expect(&s, "{d[0],d[1],d[2]}{in.x,in.c,kind}", "{d}{in,kind}");
    expect(&s, "{d[0],d[1],d[2]}{in.x,in.c,kind}:2", NULL);
    hd_arena_free(s.arena);
}

/* ---- against all layouts of the whole record -------------------------------------------------- */

/* Where each byte of an element lies, and in which allocation; padding is nowhere. */
static bool place_alike(const subject *s, const hd_layout *parts, const hd_layout *whole) {
    enum { ELEMENTS = 300 };
    hd_map *a, *b;
    assert_int_equal(hd_map_make(s->arena, &silent, s->parts, parts, ELEMENTS, &a), HD_OK);
    assert_int_equal(hd_map_make(s->arena, &silent, s->whole, whole, ELEMENTS, &b), HD_OK);
    for (uint32_t byte = 0; byte < s->whole->size; byte++) {
        int f = hd_record_field_at(s->parts, byte), w = hd_record_field_at(s->whole, byte);
        if (f < 0)
            continue;
        if (a->clusters[a->fields[f].cluster].allocation !=
            b->clusters[b->fields[w].cluster].allocation)
            return false;
        for (uint64_t i = 0; i < ELEMENTS; i++)
            if (hd_map_address(a, (uint32_t)f, i) + byte - s->parts->fields[f].offset !=
                hd_map_address(b, (uint32_t)w, i) + byte - s->whole->fields[w].offset)
                return false;
    }
    return true;
}

/* Some layout of the three fields with some tiles does. */
static bool any_does(const subject *s, const hd_layout *parts) {
    static const uint64_t partitions[][3] = {{7}, {1, 6}, {2, 5}, {3, 4}, {1, 2, 4}};
    static const uint64_t tiles[] = {1, 2, 16, HD_TILE_SOA};
    for (size_t p = 0; p < 5; p++)
        for (uint32_t t = 0; t < 4 * 4 * 4 * 2; t++) {
            uint32_t count = partitions[p][2] ? 3 : partitions[p][1] ? 2 : 1;
            const uint64_t of[] = {tiles[t & 3], tiles[t >> 2 & 3], tiles[t >> 4 & 3]};
            if (place_alike(s, parts,
                            hd_layout_of_masks(s->arena, partitions[p], of, count, t >> 6 & 1)))
                return true;
        }
    return false;
}

static void random_layouts_are_found_where_there_is_one(void **state) {
    (void)state;
    static const uint64_t tiles[] = {1, 1, 2, HD_TILE_SOA};
    subject s = make_subject();
    uint64_t seed = 1;
    uint32_t found = 0;
    for (int n = 0; n < 300; n++) {
        uint64_t masks[6] = {0}, of[6], packed[6];
        uint32_t count = 0, clusters = 1 + (uint32_t)(hd_next_random(&seed) % 3);
        bool together = hd_next_random(&seed) & 1;
        for (uint32_t f = 0; f < s.parts->field_count; f++) {
            static const uint32_t field_of[] = {0, 0, 0, 1, 1, 2};
            uint64_t any = together ? field_of[f] * 7 + (uint64_t)n : hd_next_random(&seed);
            masks[any % clusters] |= (uint64_t)1 << f;
        }
        for (uint32_t c = 0; c < clusters; c++)
            if (masks[c]) {
                of[count] = tiles[hd_next_random(&seed) % 4];
                packed[count++] = masks[c];
            }
        const hd_layout *parts =
            hd_layout_of_masks(s.arena, packed, of, count, hd_next_random(&seed) & 1);
        const hd_layout *whole = advise_put_together(s.arena, s.parts, parts, s.whole);
        if (whole)
            assert_true(place_alike(&s, parts, whole));
        assert_int_equal(whole != NULL, any_does(&s, parts));
        found += whole != NULL;
    }
    assert_in_range(found, 20, 280);
    hd_arena_free(s.arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_that_lie_as_in_their_field_are_it),
        cmocka_unit_test(random_layouts_are_found_where_there_is_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
