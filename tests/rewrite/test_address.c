/* The generated code places every field where hd_map_address() does: random
 * records in random layouts, the rewritten kernel and the host's header both
 * compiled as C and run here. */
#include <dlfcn.h>

#include "kit.h"
#include "layout/random_record.h"

enum { COUNT = 75 };

static const char opencl_as_c[] =
    "#include <stddef.h>\n"
    "#define __kernel\n#define __global\n#define __local\n#define __constant const\n"
    "typedef unsigned char uchar;\ntypedef unsigned long ulong;\n"
    "typedef int int4 __attribute__((vector_size(16)));\n";

static const char *declaration_of(kit *k, const hd_record *record) {
    hd_str text = {.arena = k->arena};
    hd_str_add(&text, "typedef int4 quad;\nstruct thing {\n");
    for (uint32_t f = 0; f < record->field_count; f++) {
        const hd_field *field = &record->fields[f];
        hd_str_printf(&text, "    %s %s", field->type, field->name);
        if (field->count > 1)
            hd_str_printf(&text, "[%u]", field->count);
        hd_str_add(&text, ";\n");
    }
    hd_str_add(&text, "};\n");
    return hd_str_text(&text);
}

/* Kernels that move all elements from an array that is not laid out, whole and
 * field by field, and back. */
static const char *kernels_of(kit *k, const hd_record *record) {
    hd_str text = {.arena = k->arena};
    hd_str_add(&text, declaration_of(k, record));
    hd_str_add(
        &text,
        "__kernel void put(__global struct thing *p, __local struct thing *aos, int n) {\n"
        "    for (int e = 0; e < n; e++) p[e] = aos[e];\n}\n"
        "__kernel void get(__global const struct thing *p, __local struct thing *aos, int n) "
        "{\n    for (int e = 0; e < n; e++) aos[e] = p[e];\n}\n"
        "__kernel void each(__global struct thing *p, __local struct thing *aos, int n) {\n"
        "    __global struct thing *last = p + (n - 1);\n"
        "    for (int e = 0; e < n; e++) {\n");
    for (uint32_t f = 0; f < record->field_count; f++) {
        const char *name = record->fields[f].name;
        if (record->fields[f].count > 1)
            hd_str_printf(&text,
                          "        for (int k = 0; k < %u; k++) last[-e].%s[k] = "
                          "aos[n - 1 - e].%s[k];\n",
                          record->fields[f].count, name, name);
        else
            hd_str_printf(&text, "        last[-e].%s = aos[n - 1 - e].%s;\n", name, name);
    }
    hd_str_add(&text, "    }\n}\n");
    return hd_str_text(&text);
}

/* C functions that this program calls: the kernels with their allocations in an
 * array, and the host header's functions. */
static const char *calls_of(kit *k, const hd_map *map) {
    static const char *const kernels[] = {"put", "get", "each"};
    hd_str text = {.arena = k->arena};
    for (int i = 0; i < 3; i++) {
        hd_str_printf(&text, "void call_%s(void **at, size_t count, void *aos) { %s(", kernels[i],
                      kernels[i]);
        for (uint32_t a = 0; a < map->allocation_count; a++)
            hd_str_printf(&text, "at[%u], ", a);
        hd_str_add(&text, "count, aos, (int)count); }\n");
    }
    return hd_str_text(&text);
}

static const char host_calls[] =
    "size_t host_bytes(size_t a, size_t count) { return thing_bytes(a, count); }\n"
    "void host_to(const void *aos, void **at, size_t n) { thing_to_layout(aos, at, n); }\n"
    "void host_from(void **at, void *aos, size_t n) { thing_from_layout(at, aos, n); }\n"
    "int host_allocations(void) { return thing_allocations; }\n"
    "size_t host_elem(void) { return sizeof(thing_elem); }\n";

static void compile(kit *k, const char *command) {
    if (system(command))
        fail_msg("%s", command);
    (void)k;
}

static void *build(kit *k, const hd_record *record, const hd_map *map) {
    const char *path = kit_write(k, "k.cl", kernels_of(k, record));
    hd_rewritten *r = kit_rewrite(k, path, "", record, map->layout);
    hd_str host = {.arena = k->arena};
    hd_str_printf(&host, "%s%s", r->host_header, host_calls);
    kit_write(k, "host.c", hd_str_text(&host));
    kit_write(k, "kernel.c",
              hd_format(k->arena, "%s%s%s", opencl_as_c, r->files[0].text, calls_of(k, map)));
    static int number;
    const char *library = hd_format(k->arena, "%s/lib%d.so", k->folder, number++);
    compile(k, hd_format(k->arena,
                         "cd %s && cc -std=c99 -Wall -Wextra -Werror -fPIC -c host.c && "
                         "cc -x c++ -Wall -Wextra -Werror -fsyntax-only host.c && "
                         "cc -fPIC -w -c kernel.c && "
                         "cc -shared -o %s host.o kernel.o",
                         k->folder, library));
    void *loaded = dlopen(library, RTLD_NOW);
    if (!loaded)
        fail_msg("%s", dlerror());
    return loaded;
}

typedef struct memory {
    void *at[HD_MAX_FIELDS];
} memory;

static memory cleared(const hd_map *map) {
    memory m;
    for (uint32_t a = 0; a < map->allocation_count; a++) {
        m.at[a] = aligned_alloc(256, hd_align_up(map->allocation_bytes[a] + 1, 256));
        assert_non_null(m.at[a]);
        memset(m.at[a], 0, map->allocation_bytes[a]);
    }
    return m;
}

static void release(memory *m, const hd_map *map) {
    for (uint32_t a = 0; a < map->allocation_count; a++)
        free(m->at[a]);
}

static void *symbol(void *library, const char *name) {
    void *found = dlsym(library, name);
    assert_non_null(found);
    return found;
}

typedef void to_layout(const void *aos, void **at, size_t count);
typedef void from_layout(void **at, void *aos, size_t count);
typedef void kernel(void **at, size_t count, void *aos);

/* All bytes of the layout, as hd_map_scatter() makes them. */
static void same_memory(const hd_map *map, const memory *expected, const memory *got,
                        const char *who, const char *layout) {
    for (uint32_t a = 0; a < map->allocation_count; a++)
        if (memcmp(expected->at[a], got->at[a], map->allocation_bytes[a]))
            fail_msg("%s places something elsewhere than the map in %s", who, layout);
}

static void check(kit *k, const hd_record *record, const hd_layout *layout, dice *d) {
    hd_map *map;
    assert_int_equal(hd_map_make(k->arena, &k->diag, record, layout, COUNT, &map), HD_OK);
    const char *text = hd_layout_print(k->arena, record, layout);
    void *library = build(k, record, map);
    size_t size = (size_t)COUNT * record->size;
    unsigned char *aos = aligned_alloc(16, hd_align_up(size, 16));
    unsigned char *back = aligned_alloc(16, hd_align_up(size, 16));
    assert_true(aos && back);
    memset(aos, 0, size);
    memset(back, 0, size);
    for (size_t i = 0; i < size; i++) /* small exponents: no signalling NaN on the way */
        if (hd_record_field_at(record, (uint32_t)(i % record->size)) >= 0)
            aos[i] = (unsigned char)(1 + roll(d, 60));
    memory expected = cleared(map);
    hd_map_scatter(map, aos, expected.at);
    for (int i = 0; i < 3; i++) {
        static const char *const names[] = {"host_to", "call_put", "call_each"};
        memory m = cleared(map);
        if (i == 0)
            ((to_layout *)symbol(library, names[i]))(aos, m.at, COUNT);
        else
            ((kernel *)symbol(library, names[i]))(m.at, COUNT, aos);
        same_memory(map, &expected, &m, names[i], text);
        release(&m, map);
    }
    ((from_layout *)symbol(library, "host_from"))(expected.at, back, COUNT);
    assert_memory_equal(aos, back, size);
    memset(back, 0, size);
    ((kernel *)symbol(library, "call_get"))(expected.at, COUNT, back);
    for (size_t i = 0; i < size; i++)
        if (hd_record_field_at(record, (uint32_t)(i % record->size)) >= 0)
            assert_int_equal(aos[i], back[i]);
    size_t (*bytes)(size_t, size_t) = (size_t (*)(size_t, size_t))symbol(library, "host_bytes");
    for (uint64_t count = 0; count < 300; count += 23) {
        hd_map *other;
        assert_int_equal(hd_map_make(k->arena, &k->diag, record, layout, count, &other), HD_OK);
        for (uint32_t a = 0; a < map->allocation_count; a++)
            assert_int_equal(bytes(a, count), other->allocation_bytes[a]);
    }
    assert_int_equal(((int (*)(void))symbol(library, "host_allocations"))(), map->allocation_count);
    assert_int_equal(((size_t (*)(void))symbol(library, "host_elem"))(), record->size);
    release(&expected, map);
    free(aos);
    free(back);
    dlclose(library);
}

static void random_records_in_random_layouts(void **state) {
    kit *k = *state;
    dice d = {2024};
    for (int i = 0; i < 16; i++) {
        hd_record *record = random_record(k->arena, &d, 7, 0);
        check(k, record, random_layout(k->arena, &d, record), &d);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(random_records_in_random_layouts, kit_setup, kit_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
