/*
 * What holds for every map: the host engine does what is done element by element, in any number
 * of threads, with any instruction set, at any alignment; the way back undoes it; no byte outside
 * of the buffers is read or written, and none of the source.
 */
#include <dlfcn.h>

#include "remap/host.h"
#include "maps.h"
#include "random_maps.h"
#include "sides.h"

/* ---- there and back ----------------------------------------------------------------------- */

/* As the host engine is told; past the caches, where it would do so for larger data. */
typedef struct way {
    const hd_remap_host_options *options;
    bool streaming;
} way;

static hd_status apply(const way *w, const sides *s) {
    hd_diag diag = {0};
    hd_remap_engine engine;
    if (!w->streaming)
        return hd_remap_apply(&diag, s->map, s->parts, s->source.data, w->options);
    hd_status status = hd_remap_engine_of(&diag, w->options, s->source.bytes, &engine);
    engine.streaming = true;
    return status == HD_OK ? hd_remap_apply_by(&engine, s->map, s->parts, s->source.data) : status;
}

static hd_status revert(const way *w, const sides *s) {
    hd_diag diag = {0};
    hd_remap_engine engine;
    const void *const *parts = (const void *const *)s->parts;
    if (!w->streaming)
        return hd_remap_revert(&diag, s->map, s->source.data, parts, w->options);
    hd_status status = hd_remap_engine_of(&diag, w->options, s->source.bytes, &engine);
    engine.streaming = true;
    return status == HD_OK ? hd_remap_revert_by(&engine, s->map, s->source.data, parts) : status;
}

static hd_status there_and_back(dice *d, const hd_remap *map, const expectation *e, const way *w) {
    sides fast = new_sides(d, map, HOLE_A);
    memcpy(fast.source.data, e->slow.source.data, fast.source.bytes);
    guarded_protect(&fast.source, 1);
    hd_status status = apply(w, &fast);
    guarded_protect(&fast.source, 0);
    for (uint32_t p = 0; status == HD_OK && p < hd_remap_parts(map); p++) {
        assert_same(map, &fast.part[p], &e->slow.part[p], &e->holes.part[p]);
        guarded_protect(&fast.part[p], 1);
    }
    memset(fast.source.data, HOLE_A, fast.source.bytes);
    if (status == HD_OK) {
        assert_int_equal(revert(w, &fast), HD_OK);
        assert_memory_equal(fast.source.data, e->back.data, fast.source.bytes);
    }
    assert_whole(&fast);
    free_sides(&fast);
    return status;
}

/* Threads part the work alike with every instruction set: theirs is looked at with two. */
#ifdef __SANITIZE_THREAD__
static const hd_remap_simd last_set = HD_REMAP_SIMD_NONE;
#else
static const hd_remap_simd last_set = HD_REMAP_SIMD_NEON;
#endif

/* With every instruction set, in some number of threads. */
static void check_map(dice *d, const hd_remap *map) {
    expectation e = expect(d, map);
    assert_int_equal(there_and_back(d, map, &e, &(way){NULL, false}), HD_OK);
    for (hd_remap_simd simd = HD_REMAP_SIMD_BEST; simd <= last_set; simd++)
        for (int streaming = 0; streaming < 2; streaming++) {
            hd_remap_host_options options = {1 + roll(d, 4), simd};
            hd_status status = there_and_back(d, map, &e, &(way){&options, streaming});
            if (simd <= HD_REMAP_SIMD_NONE)
                assert_int_equal(status, HD_OK);
            else
                assert_true(status == HD_OK || status == HD_EINPUT); /* not in this processor */
        }
    free_expectation(&e);
}

/* `count` maps of each kind whose sources have from `least` bytes to about `most`. */
static void check_random_maps(uint64_t seed, unsigned count, uint64_t least, uint64_t most) {
    heard last = {0};
    hd_diag diag = {hear, &last};
    for (hd_remap_kind kind = 0; kind < MAP_KINDS; kind++)
        for (unsigned checked = 0; checked < count;) {
            dice d = {seed++ * HD_RANDOM_STEP};
            hd_remap *map;
            if (random_map(&diag, &d, kind, most, &map) != HD_OK)
                fail_msg("kind %d, seed %llu: %s", kind, (unsigned long long)seed, last.text);
            if (hd_remap_source_bytes(map) >= least) {
                check_map(&d, map);
                checked++;
            }
            hd_remap_free(map);
        }
}

/* Of each kind; sanitizers are slow, that of threads most, and small maps have one thread. */
#ifdef __SANITIZE_THREAD__
enum {
    SMALL_MAPS = 5,
    NUMBER_TURNS = 1,
    MIDDLE_MAPS = 2,
    LARGE_MAPS = 1,
    FEW_ROWS = 1,
    LARGE_BYTES = 3 << 20
};
#elif defined __SANITIZE_ADDRESS__
enum {
    SMALL_MAPS = 50,
    NUMBER_TURNS = 2,
    MIDDLE_MAPS = 7,
    LARGE_MAPS = 1,
    FEW_ROWS = 3,
    LARGE_BYTES = 6 << 20
};
#else
enum {
    SMALL_MAPS = 150,
    NUMBER_TURNS = 6,
    MIDDLE_MAPS = 20,
    LARGE_MAPS = 2,
    FEW_ROWS = 3,
    LARGE_BYTES = 12 << 20
};
#endif

static void test_small_maps(void **state) {
    (void)state;
    check_random_maps(20261121, SMALL_MAPS, 1, 1 << 13);
}

/* Of several blocks of the engine's. */
static void test_middle_maps(void **state) {
    (void)state;
    check_random_maps(20261122, MIDDLE_MAPS, 1 << 16, 1 << 18);
}

/* "{f0,...}:tile" of fields `begin` to `end` - 1. */
static size_t print_cluster(dice *d, char *to, uint32_t begin, uint32_t end) {
    static const char *const tiles[] = {"soa", "8", "16", "32", "256", "1024"};
    size_t at = 0;
    for (uint32_t f = begin; f < end; f++)
        at += (size_t)sprintf(to + at, "%cf%u", f == begin ? '{' : ',', f);
    return at + (size_t)sprintf(to + at, "}:%s", tiles[roll(d, 6)]);
}

/* Words, whose lines vector functions take whole, in one cluster or two. */
static hd_status equal_words(const hd_diag *diag, dice *d, hd_remap **map) {
    equal_record e;
    char layout[160];
    uint32_t count = 2 + roll(d, 16), bytes = 1u << roll(d, 5);
    uint32_t first = roll(d, 2) ? count : 1 + roll(d, count - 1);
    make_equal(&e, count, bytes);
    size_t at = print_cluster(d, layout, 0, first);
    if (first < count)
        print_cluster(d, layout + at, first, count);
    return hd_remap_layout(diag, &e.record, layout, 1 + roll(d, roll(d, 2) ? 1500 : 5000), map);
}

static void test_equal_words(void **state) {
    heard last = {0};
    hd_diag diag = {hear, &last};
    (void)state;
    for (uint64_t seed = 1; seed <= SMALL_MAPS * 3; seed++) {
        dice d = {seed * HD_RANDOM_STEP};
        hd_remap *map;
        if (equal_words(&diag, &d, &map) != HD_OK)
            fail_msg("seed %llu: %s", (unsigned long long)seed, last.text);
        check_map(&d, map);
        hd_remap_free(map);
    }
}

/* Records of each number of words of each size, since some numbers have functions of their own.
 * Some times each, since what is taken depends on where the records begin. */
static void test_each_number_of_words(void **state) {
    (void)state;
    for (uint32_t turn = 0; turn < NUMBER_TURNS; turn++)
        for (uint32_t bytes = 1; bytes <= 16; bytes *= 2)
            for (uint32_t count = 2; count <= 16; count++) {
                dice d = {(turn * 512 + bytes * 17 + count) * HD_RANDOM_STEP};
                equal_record e;
                hd_remap *map;
                make_equal(&e, count, bytes);
                assert_int_equal(hd_remap_layout(NULL, &e.record, turn % 2 ? "soa" : "aosoa:64",
                                                 200 + roll(&d, 300), &map),
                                 HD_OK);
                check_map(&d, map);
                hd_remap_free(map);
            }
}

/* Matrices of words, whose runs and panels are short or long, and begin with lines or anywhere. */
static void test_matrices_of_words(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= SMALL_MAPS; seed++) {
        dice d = {seed * HD_RANDOM_STEP};
        uint32_t bytes = 1u << roll(&d, 5), group = 64 / bytes * (1 + roll(&d, 3));
        uint64_t rows = 1 + roll(&d, 400), columns = 1 + roll(&d, 700);
        hd_remap *map;
        if (roll(&d, 3) == 0)
            rows = (rows + group - 1) / group * group;
        assert_int_equal(hd_remap_transpose(NULL, rows, columns, bytes, &map), HD_OK);
        check_map(&d, map);
        hd_remap_free(map);
    }
}

/* For several threads. */
static void test_large_maps(void **state) {
    (void)state;
    static const uint64_t few_rows[3][3] = {{250, 3001, 4}, {137, 2053, 8}, {100, 8009, 4}};
    for (size_t s = 0; s < FEW_ROWS; s++) {
        dice d = {(s + 1) * HD_RANDOM_STEP};
        hd_remap *map;
        assert_int_equal(hd_remap_transpose(NULL, few_rows[s][0], few_rows[s][1],
                                            (uint32_t)few_rows[s][2], &map),
                         HD_OK);
        check_map(&d, map);
        hd_remap_free(map);
    }
    check_random_maps(20261123, LARGE_MAPS, LARGE_BYTES / 3, LARGE_BYTES);
}

/* ---- in place ------------------------------------------------------------------------------- */

/* Structs of one to twelve fields of one size, as `soa`. */
static hd_status equal_fields(const hd_diag *diag, dice *d, uint64_t most_bytes, hd_remap **map) {
    equal_record e;
    uint32_t count = 1 + roll(d, 12);
    make_equal(&e, count, roll_bytes(d));
    return hd_remap_layout(diag, &e.record, "soa", roll_size(d, most_bytes / e.record.size), map);
}

/* Places that no element has hold anything. */
typedef struct in_place {
    const unsigned char *data;
    const expectation *expected;
} in_place;

static void tell_there(hd_remap_place place, uint64_t from, size_t bytes, void *user) {
    (void)from;
    const in_place *there = user;
    assert_memory_equal(there->data + place.offset, there->expected->slow.part->data + place.offset,
                        bytes);
}

static void check_in_place(dice *d, const hd_remap *map, const hd_remap_host_options *options) {
    heard last = {0};
    hd_diag diag = {hear, &last};
    expectation e = expect(d, map);
    guarded data = new_guarded(d, hd_remap_in_place_bytes(map), HOLE_A);
    assert_true(data.bytes >= e.slow.source.bytes && data.bytes >= e.slow.part->bytes);
    memcpy(data.data, e.slow.source.data, e.slow.source.bytes);
    if (hd_remap_apply_in_place(&diag, map, data.data, options) != HD_OK)
        fail_msg("%s", last.text);
    slow_walk(map, tell_there, &(in_place){data.data, &e});
    assert_int_equal(hd_remap_revert_in_place(&diag, map, data.data, options), HD_OK);
    assert_memory_equal(data.data, e.back.data, e.back.bytes);
    assert_true(guarded_is_whole(&data));
    guarded_free(&data);
    free_expectation(&e);
}

static void check_random_in_place(uint64_t seed, unsigned count, uint64_t most_bytes) {
    for (unsigned i = 0; i < 2 * count; i++) {
        hd_diag diag = {0};
        dice d = {(seed + i) * HD_RANDOM_STEP};
        hd_remap *map;
        assert_int_equal(i % 2 ? equal_fields(&diag, &d, most_bytes, &map)
                               : random_matrix(&diag, &d, HD_REMAP_TRANSPOSE, most_bytes, &map),
                         HD_OK);
        hd_remap_host_options options = {1 + roll(&d, 4), roll(&d, 2)};
        check_in_place(&d, map, roll(&d, 4) ? &options : NULL);
        hd_remap_free(map);
    }
}

static void test_in_place(void **state) {
    (void)state;
    check_random_in_place(20261124, 2 * SMALL_MAPS, 1 << 13);
    check_random_in_place(20271124, MIDDLE_MAPS, 1 << 18);
    check_random_in_place(20281124, 4 * LARGE_MAPS, LARGE_BYTES);
}

/* ---- index transforms ----------------------------------------------------------------------- */

enum { TRANSFORMED = 40 };

/* Maps with their index transforms as one C program, which has `find_MAP_FIELD` for each field. */
typedef struct transforms {
    hd_remap *map[TRANSFORMED];
    hd_str text;
    void *library;
} transforms;

typedef unsigned find_fn(unsigned element);

static uint32_t fields_of(const hd_remap *map) {
    return map->kind == HD_REMAP_RECORDS ? map->layout->record->field_count : 1;
}

static void add_map(transforms *t, unsigned m, dice *d) {
    static const hd_remap_kind kinds[] = {HD_REMAP_RECORDS, HD_REMAP_TRANSPOSE, HD_REMAP_DIAGONAL,
                                          HD_REMAP_MORTON};
    hd_diag diag = {0};
    hd_arena *arena = t->text.arena;
    char *text;
    assert_int_equal(random_map(&diag, d, kinds[m % 4], 1 << 13, &t->map[m]), HD_OK);
    assert_int_equal(hd_remap_source(&diag, t->map[m], hd_format(arena, "map_%u", m), &text),
                     HD_OK);
    hd_str_add(&t->text, text);
    free(text);
    for (uint32_t f = 0; f < fields_of(t->map[m]); f++)
        hd_str_printf(&t->text,
                      "HD_INDEX find_%u_%u(HD_INDEX element) { return map_%u%s%s(element); }\n", m,
                      f, m, t->map[m]->layout ? "_" : "",
                      t->map[m]->layout ? t->map[m]->layout->record->fields[f].name : "");
}

static void compile(transforms *t) {
    hd_diag diag = {0};
    hd_arena *arena = t->text.arena;
    char *folder;
    assert_int_equal(hd_scratch_make(arena, &diag, &folder), HD_OK);
    const char *source = hd_format(arena, "%s/find.c", folder);
    const char *library = hd_format(arena, "%s/find.so", folder);
    assert_int_equal(hd_write_file(&diag, source, t->text.data, t->text.length), HD_OK);
    assert_int_equal(system(hd_format(arena, "cc -shared -fPIC -o %s %s", library, source)), 0);
    t->library = dlopen(library, RTLD_NOW);
    assert_non_null(t->library);
    hd_scratch_remove(folder);
}

/* Each value lies where the transform of its element says. */
static void check_field(const hd_remap *map, uint32_t f, find_fn *find, const sides *moved) {
    bool records = map->kind == HD_REMAP_RECORDS;
    const hd_field *field = records ? &map->layout->record->fields[f] : NULL;
    size_t bytes = field ? field->size : (size_t)map->element_bytes;
    const unsigned char *part = moved->parts[hd_remap_find(map, 0, f).part];
    const unsigned char *value = moved->source.data + (field ? field->offset : 0);
    for (uint64_t i = 0; i < map->elements; i++, value += map->element_bytes)
        assert_memory_equal(part + find((unsigned)i) * (records ? 1 : bytes), value, bytes);
}

static void test_index_of_moved_data(void **state) {
    (void)state;
    transforms t = {.text = {.arena = hd_arena_new()}};
    dice d = {20261124 * HD_RANDOM_STEP};
    hd_diag diag = {0};
    hd_str_add(&t.text, hd_remap_index_text());
    for (unsigned m = 0; m < TRANSFORMED; m++)
        add_map(&t, m, &d);
    compile(&t);
    for (unsigned m = 0; m < TRANSFORMED; m++) {
        sides moved = new_sides(&d, t.map[m], HOLE_A);
        fill_randomly(&d, &moved.source);
        assert_int_equal(hd_remap_apply(&diag, t.map[m], moved.parts, moved.source.data, NULL),
                         HD_OK);
        for (uint32_t f = 0; f < fields_of(t.map[m]); f++) {
            find_fn *find;
            *(void **)&find = dlsym(t.library, hd_format(t.text.arena, "find_%u_%u", m, f));
            assert_non_null(find);
            check_field(t.map[m], f, find, &moved);
        }
        free_sides(&moved);
        hd_remap_free(t.map[m]);
    }
    dlclose(t.library);
    hd_arena_free(t.text.arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small_maps),
        cmocka_unit_test(test_middle_maps),
        cmocka_unit_test(test_equal_words),
        cmocka_unit_test(test_matrices_of_words),
        cmocka_unit_test(test_each_number_of_words),
        cmocka_unit_test(test_large_maps),
        cmocka_unit_test(test_in_place),
        cmocka_unit_test(test_index_of_moved_data),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
