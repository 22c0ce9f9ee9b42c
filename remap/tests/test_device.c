/*
 * An OpenCL device: every strategy moves what the host engine would, there and back, in chunks of
 * all sizes; and what is refused.
 */
#include "moves.h"
#include "opencl_fixture.h"

/* ---- all strategies ----------------------------------------------------------------------- */

static void layouts(void **state) {
    static const char *const notations[] = {"soa", "aosoa:32", "{x,z}{y,kind}:16",
                                            "{kind}{x,y}{z}/da", "aos"};
    fixture *f = *state;
    hd_remap *map;
    for (size_t n = 0; n < sizeof notations / sizeof *notations; n++)
        expect_map(f->device, &f->last,
                   hd_remap_layout(&f->diag, &body_record, notations[n], 9001, &map), &map);
}

static void transposes(void **state) {
    static const uint32_t bytes[] = {1, 4, 12, 16};
    fixture *f = *state;
    hd_remap *map;
    for (size_t b = 0; b < sizeof bytes / sizeof *bytes; b++)
        expect_map(f->device, &f->last, hd_remap_transpose(&f->diag, 3001, 13, bytes[b], &map),
                   &map);
    expect_map(f->device, &f->last, hd_remap_transpose(&f->diag, 5, 3001, 4, &map), &map);
}

static void diagonals_and_morton_order(void **state) {
    fixture *f = *state;
    hd_remap *map;
    expect_map(f->device, &f->last, hd_remap_diagonal(&f->diag, 2100, 37, 4, &map), &map);
    expect_map(f->device, &f->last, hd_remap_morton(&f->diag, 2100, 37, 4, &map), &map);
}

enum { NUMBERS = 20011 };

/* A layout of two parts, a matrix, and a scatter with free places. */
static void placements(void **state) {
    fixture *f = *state;
    hd_remap *maps[3];
    uint32_t index[1000];
    for (uint32_t i = 0; i < 1000; i++)
        index[i] = i * 3;
    if (hd_remap_layout(&f->diag, &body_record, "{kind}{x,y}:4{z}/da", 3001, &maps[0]) ||
        hd_remap_transpose(&f->diag, 301, 13, 4, &maps[1]) ||
        hd_remap_scatter(&f->diag, index, 4, 1000, 3000, 8, &maps[2]))
        fail_msg("%s", f->last.text);
    for (int m = 0; m < 3; m++) {
        expect_all_placements(f->device, &f->diag, maps[m]);
        hd_remap_free(maps[m]);
    }
}

static void placements_that_are_lacking(void **state) {
    fixture *f = *state;
    hd_remap *map;
    hd_remap_memory part;
    assert_int_equal(hd_remap_transpose(&f->diag, 8, 8, 4, &map), HD_OK);
    assert_int_equal(hd_remap_allocate(&f->diag, f->device, map, HD_REMAP_IN_MANAGED, &part),
                     HD_EUNSUPPORTED);
    assert_says(f->last, "has no memory of the placement 'managed': managed memory is CUDA's");
    hd_remap_free(map);
}

static void gathers(void **state) {
    fixture *f = *state;
    hd_remap *map;
    static uint64_t index[NUMBERS];
    for (uint64_t i = 0; i < NUMBERS; i++) /* some elements often, some never */
        index[i] = i * i % 7001;
    expect_map(f->device, &f->last, hd_remap_gather(&f->diag, index, 8, NUMBERS, 9000, 4, &map),
               &map);
    expect_map(f->device, &f->last, hd_remap_gather(&f->diag, index, 8, 5000, 9000, 24, &map),
               &map);
}

static void scatters(void **state) {
    fixture *f = *state;
    hd_remap *map;
    static uint32_t index[NUMBERS];
    for (uint32_t i = 0; i < NUMBERS; i++) /* every third place is empty */
        index[i] = (uint32_t)(i * 7919ull % NUMBERS / 2 * 3 + i * 7919ull % NUMBERS % 2);
    expect_map(f->device, &f->last,
               hd_remap_scatter(&f->diag, index, 4, NUMBERS, 2 * NUMBERS, 8, &map), &map);
}

static uint64_t reversed(uint64_t element, const void *user) {
    return *(const uint64_t *)user - element;
}

static void maps_of_the_programs_own(void **state) {
    fixture *f = *state;
    hd_remap *map;
    uint64_t last = 5006;
    hd_remap_user user = {5000, 5007, 4, reversed, &last, NULL};
    expect_map(f->device, &f->last, hd_remap_user_map(&f->diag, &user, &map), &map);
    user.source = "HD_FUNCTION HD_INDEX place(HD_INDEX element) { return 5006 - element; }\n";
    expect_map(f->device, &f->last, hd_remap_user_map(&f->diag, &user, &map), &map);
}

/* ---- what is refused ------------------------------------------------------------------------ */

static void another_device(void **state) {
    fixture *f = *state;
    hd_remap_device *device;
    cl_platform_id platform;
    cl_device_id ids[2];
    cl_uint count = 0;
    clGetDeviceInfo(f->opencl.id, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 2, ids, &count);
    for (cl_uint d = 1; d < count; d++) { /* not with every driver are there two */
        assert_int_equal(hd_remap_open_opencl(&f->diag, f->opencl.context, ids[d], &device),
                         HD_EINPUT);
        assert_says(f->last, "does not have the device");
        assert_null(device);
    }
    assert_int_equal(hd_remap_open_opencl(&f->diag, f->opencl.context, NULL, &device), HD_EINPUT);
    assert_says(f->last, "does not have the device");
    assert_int_equal(hd_remap_open_opencl(&f->diag, NULL, f->opencl.id, &device), HD_EINPUT);
}

/* PoCL says of its context that it has the whole device. */
static void a_part_of_a_device(void **state) {
    const cl_device_partition_property one[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1,
                                                CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0};
    fixture *f = *state;
    hd_remap_device *device;
    cl_device_id part;
    hd_remap *map;
    if (clCreateSubDevices(f->opencl.id, one, 1, &part, NULL) != CL_SUCCESS)
        skip();
    cl_context context = clCreateContext(NULL, 1, &part, NULL, NULL, NULL);
    if (hd_remap_open_opencl(&f->diag, context, part, &device) != HD_OK)
        fail_msg("%s", f->last.text);
    assert_int_equal(device->gpu->units, 1);
    expect_map(device, &f->last, hd_remap_transpose(&f->diag, 2001, 13, 4, &map), &map);
    hd_remap_close(device);
    clReleaseContext(context);
    clReleaseDevice(part);
}

static void memory_that_is_too_small(void **state) {
    fixture *f = *state;
    hd_remap *map;
    cl_mem small = clCreateBuffer(f->opencl.context, CL_MEM_READ_WRITE, 399, NULL, NULL);
    cl_mem other = clCreateBuffer(f->opencl.context, CL_MEM_READ_WRITE, 400, NULL, NULL);
    unsigned char host[400];
    hd_remap_memory to = {small}, from = {other};
    assert_int_equal(hd_remap_transpose(&f->diag, 10, 10, 4, &map), HD_OK);
    assert_int_equal(hd_remap_to_device(&f->diag, f->device, map, &to, host, NULL), HD_EINPUT);
    assert_says(f->last, "has 399 bytes; the map needs 400");
    assert_int_equal(hd_remap_from_device(&f->diag, f->device, map, host, &to, NULL), HD_EINPUT);
    assert_int_equal(hd_remap_on_device(&f->diag, f->device, map, &from, to), HD_EINPUT);
    assert_says(f->last, "for the source has 399");
    assert_int_equal(hd_remap_on_device(&f->diag, f->device, map, &from, from), HD_EINPUT);
    assert_says(f->last, "the same memory");
    assert_int_equal(hd_remap_to_device(&f->diag, f->device, map, &from, NULL, NULL), HD_EINPUT);
    assert_says(f->last, "NULL");
    assert_int_equal(
        hd_remap_to_device(&f->diag, f->device, map, &(hd_remap_memory){NULL}, host, NULL),
        HD_EINPUT);
    assert_says(f->last, "of the device's own context");
    clReleaseMemObject(small);
    clReleaseMemObject(other);
    hd_remap_free(map);
}

static void parts_that_are_the_same(void **state) {
    fixture *f = *state;
    hd_remap *map;
    static body bodies[100];
    hd_remap_memory one = device_memory(f->device, NULL, sizeof bodies);
    assert_int_equal(hd_remap_layout(&f->diag, &body_record, "{x,y,z}{kind}/da", 100, &map), HD_OK);
    assert_int_equal(
        hd_remap_to_device(&f->diag, f->device, map, (hd_remap_memory[]){one, one}, bodies, NULL),
        HD_EINPUT);
    assert_says(f->last, "parts 0 and 1 are the same");
    f->device->gpu->api->release(f->device->gpu, one.cuda);
    hd_remap_free(map);
}

static void host_memory_in_the_middle_of_a_value(void **state) {
    fixture *f = *state;
    hd_remap *map;
    _Alignas(16) static unsigned char host[404];
    hd_remap_memory memory = device_memory(f->device, NULL, 400);
    assert_int_equal(hd_remap_transpose(&f->diag, 10, 10, 4, &map), HD_OK);
    assert_int_equal(hd_remap_to_device(&f->diag, f->device, map, &memory, host + 1,
                                        &(hd_remap_options){.strategy = HD_REMAP_ZERO_COPY}),
                     HD_EINPUT);
    assert_says(f->last, "a multiple of 16");
    assert_int_equal(hd_remap_to_device(&f->diag, f->device, map, &memory, host + 1,
                                        &(hd_remap_options){.strategy = HD_REMAP_BULK}),
                     HD_OK);
    f->device->gpu->api->release(f->device->gpu, memory.cuda);
    hd_remap_free(map);
}

static void code_that_does_not_compile(void **state) {
    fixture *f = *state;
    hd_remap *map;
    uint64_t last = 99;
    static float host[100];
    hd_remap_memory memory = device_memory(f->device, NULL, sizeof host);
    hd_remap_user user = {100,   100,
                          4,     reversed,
                          &last, "HD_FUNCTION HD_INDEX place(HD_INDEX element) { return el; }\n"};
    assert_int_equal(hd_remap_user_map(&f->diag, &user, &map), HD_OK);
    assert_int_equal(hd_remap_to_device(&f->diag, f->device, map, &memory, host,
                                        &(hd_remap_options){.strategy = HD_REMAP_BULK}),
                     HD_EINPUT);
    assert_says(f->last, "compile");
    f->device->gpu->api->release(f->device->gpu, memory.cuda);
    hd_remap_free(map);
}

static void code_that_says_something_else(void **state) {
    fixture *f = *state;
    hd_remap *map;
    uint64_t last = 99;
    static float host[100];
    hd_remap_memory memory = device_memory(f->device, NULL, sizeof host);
    hd_remap_user user = {100,
                          100,
                          4,
                          reversed,
                          &last,
                          "HD_FUNCTION HD_INDEX place(HD_INDEX element) { return element < 98 ? 99 "
                          "- element : 7; }\n"};
    assert_int_equal(hd_remap_user_map(&f->diag, &user, &map), HD_OK);
    for (int again = 0; again < 2; again++) {
        assert_int_equal(hd_remap_to_device(&f->diag, f->device, map, &memory, host,
                                            &(hd_remap_options){.strategy = HD_REMAP_BULK}),
                         HD_EINPUT);
        assert_says(f->last, "gives element 98 the place 7, its function the place 1");
    }
    f->device->gpu->api->release(f->device->gpu, memory.cuda);
    hd_remap_free(map);
}

int main(void) {
    setenv("POCL_DEVICES", "pthread pthread", 1); /* two of the same, where it is PoCL */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layouts),
        cmocka_unit_test(transposes),
        cmocka_unit_test(diagonals_and_morton_order),
        cmocka_unit_test(gathers),
        cmocka_unit_test(scatters),
        cmocka_unit_test(maps_of_the_programs_own),
        cmocka_unit_test(placements),
        cmocka_unit_test(placements_that_are_lacking),
        cmocka_unit_test(another_device),
        cmocka_unit_test(a_part_of_a_device),
        cmocka_unit_test(memory_that_is_too_small),
        cmocka_unit_test(parts_that_are_the_same),
        cmocka_unit_test(host_memory_in_the_middle_of_a_value),
        cmocka_unit_test(code_that_does_not_compile),
        cmocka_unit_test(code_that_says_something_else),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
