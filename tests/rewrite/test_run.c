/* Every kernel of forms.cl, as it stands and in every kind of layout, on the
 * OpenCL device; all buffers must agree bit for bit. */
#include "opencl.h"

enum { COUNT = 77, GLOBAL = 80, LOCAL = 16 };

static const char *const kernels[] = {"fields", "nested", "whole", "helpers", "constant_too"};

/* Contents of the buffers of one run, in C's layout. */
typedef struct contents {
    unsigned char *p, *q;
    int index[COUNT];
    float out[COUNT * 4];
} contents;

static uint32_t roll(uint32_t *seed, uint32_t sides) {
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 8) % sides;
}

static void fill_field(const hd_field *field, unsigned char *at, uint32_t *seed);

static void fill_record(const hd_record *record, unsigned char *at, uint32_t *seed) {
    for (uint32_t f = 0; f < record->field_count; f++)
        fill_field(&record->fields[f], at + record->fields[f].offset, seed);
}

static void fill_field(const hd_field *field, unsigned char *at, uint32_t *seed) {
    uint32_t size = field->size / field->count;
    for (uint32_t k = 0; k < field->count; k++, at += size) {
        if (field->record) {
            fill_record(field->record, at, seed);
        } else if (!strncmp(field->type, "float", 5)) {
            for (uint32_t byte = 0; byte < size; byte += 4) {
                float value = (float)roll(seed, 4000) / 16.0f;
                memcpy(at + byte, &value, 4);
            }
        } else { /* integers, little-endian: small enough to be an index */
            memset(at, 0, size);
            at[0] = (unsigned char)roll(seed, COUNT);
        }
    }
}

static contents make_contents(kit *k, const hd_record *record) {
    contents c;
    uint32_t seed = 7;
    c.p = hd_alloc(k->arena, (size_t)COUNT * record->size);
    c.q = hd_alloc(k->arena, (size_t)COUNT * record->size);
    for (int i = 0; i < COUNT; i++) {
        fill_record(record, c.p + (size_t)i * record->size, &seed);
        fill_record(record, c.q + (size_t)i * record->size, &seed);
        c.index[i] = (int)roll(&seed, COUNT);
        for (int j = 0; j < 4; j++)
            c.out[4 * i + j] = (float)i;
    }
    return c;
}

/* The buffers of one records parameter: one, or those of the layout. */
typedef struct records {
    uint32_t count;
    cl_mem buffers[HD_MAX_FIELDS];
    void *bytes[HD_MAX_FIELDS];
    size_t sizes[HD_MAX_FIELDS];
} records;

static records upload(opencl *cl, kit *k, const hd_record *record, const hd_map *map,
                      unsigned char *aos) {
    records r = {.count = map ? map->allocation_count : 1};
    for (uint32_t a = 0; a < r.count; a++) {
        r.sizes[a] = map ? map->allocation_bytes[a] : (size_t)COUNT * record->size;
        r.bytes[a] = map ? hd_alloc(k->arena, r.sizes[a]) : aos;
    }
    if (map)
        hd_map_scatter(map, aos, r.bytes);
    for (uint32_t a = 0; a < r.count; a++)
        r.buffers[a] = opencl_buffer(cl, r.bytes[a], r.sizes[a]);
    return r;
}

static void download(opencl *cl, records *r, const hd_map *map, unsigned char *aos) {
    for (uint32_t a = 0; a < r->count; a++)
        opencl_take(cl, r->buffers[a], r->bytes[a], r->sizes[a]);
    if (map)
        hd_map_gather(map, r->bytes, aos);
}

static void pass(opencl *cl, cl_kernel kernel, cl_uint *next, size_t size, const void *value) {
    assert_int_equal(cl->clSetKernelArg(kernel, (*next)++, size, value), CL_SUCCESS);
}

static void pass_records(opencl *cl, cl_kernel kernel, cl_uint *next, const records *r,
                         const hd_map *map) {
    cl_ulong count = COUNT;
    for (uint32_t a = 0; a < r->count; a++)
        pass(cl, kernel, next, sizeof(cl_mem), &r->buffers[a]);
    if (map)
        pass(cl, kernel, next, sizeof count, &count);
}

/* Runs one kernel on a copy of the contents; `map` NULL: the original. */
static contents run(opencl *cl, kit *k, cl_program program, const char *name,
                    const hd_record *record, const hd_map *map) {
    contents c = make_contents(k, record);
    cl_int status, n = COUNT;
    cl_uint next = 0;
    size_t global = GLOBAL, local = LOCAL;
    cl_kernel kernel = cl->clCreateKernel(program, name, &status);
    assert_int_equal(status, CL_SUCCESS);
    records p = upload(cl, k, record, map, c.p), q = upload(cl, k, record, map, c.q);
    cl_mem index = opencl_buffer(cl, c.index, sizeof c.index);
    cl_mem out = opencl_buffer(cl, c.out, sizeof c.out);
    pass_records(cl, kernel, &next, &p, map);
    pass_records(cl, kernel, &next, &q, map);
    pass(cl, kernel, &next, sizeof index, &index);
    pass(cl, kernel, &next, sizeof out, &out);
    pass(cl, kernel, &next, sizeof n, &n);
    assert_int_equal(
        cl->clEnqueueNDRangeKernel(cl->queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL),
        CL_SUCCESS);
    assert_int_equal(cl->clFinish(cl->queue), CL_SUCCESS);
    download(cl, &p, map, c.p);
    download(cl, &q, map, c.q);
    opencl_take(cl, index, c.index, sizeof c.index);
    opencl_take(cl, out, c.out, sizeof c.out);
    cl->clReleaseKernel(kernel);
    return c;
}

static void same_records(const hd_record *record, const unsigned char *a, const unsigned char *b,
                         const char *kernel, const char *layout) {
    for (int i = 0; i < COUNT; i++)
        for (uint32_t f = 0; f < record->field_count; f++) {
            size_t at = (size_t)i * record->size + record->fields[f].offset;
            if (memcmp(a + at, b + at, record->fields[f].size))
                fail_msg("%s in %s: field %s of element %d differs", kernel, layout,
                         record->fields[f].name, i);
        }
}

static void every_form_gives_the_same_in_every_layout(void **state) {
    static const char *const layouts[] = {"aos",
                                          "soa",
                                          "da",
                                          "aosoa:8",
                                          "aosoa:128",
                                          "{d,_}{x,n,c,_}{v}:32{w,m,big,pair}:soa",
                                          "{x,n}:4{v,d,c,big}:soa{w,pair}{m}:16/da",
                                          "{n,pair,d}:2{x}:soa{v,c,m,big,w}"};
    kit *k = *state;
    opencl cl = opencl_open();
    const char *path = hd_format(k->arena, "%s/tests/rewrite/forms.cl", getenv("HEDDLE_SOURCE"));
    const hd_record *record = kit_record(k, path, "", "R");
    enum { KERNELS = sizeof kernels / sizeof *kernels };
    contents expected[KERNELS];
    char *text;
    size_t length;
    assert_int_equal(hd_read_file(k->arena, &k->diag, path, &text, &length), HD_OK);
    cl_program original = opencl_build(&cl, text);
    contents untouched = make_contents(k, record);
    for (int i = 0; i < KERNELS; i++) {
        expected[i] = run(&cl, k, original, kernels[i], record, NULL);
        assert_memory_not_equal(expected[i].p, untouched.p, (size_t)COUNT * record->size);
    }
    for (size_t l = 0; l < sizeof layouts / sizeof *layouts; l++) {
        hd_layout *layout = kit_layout(k, record, layouts[l]);
        hd_rewritten *rewritten = kit_rewrite(k, path, "", record, layout);
        cl_program program = opencl_build(&cl, rewritten->files[0].text);
        hd_map *map;
        assert_int_equal(hd_map_make(k->arena, &k->diag, record, layout, COUNT, &map), HD_OK);
        for (int i = 0; i < KERNELS; i++) {
            contents got = run(&cl, k, program, kernels[i], record, map);
            same_records(record, got.p, expected[i].p, kernels[i], layouts[l]);
            same_records(record, got.q, expected[i].q, kernels[i], layouts[l]);
            assert_memory_equal(got.out, expected[i].out, sizeof got.out);
        }
        cl.clReleaseProgram(program);
    }
    cl.clReleaseProgram(original);
    opencl_close(&cl);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_form_gives_the_same_in_every_layout, kit_setup,
                                        kit_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
