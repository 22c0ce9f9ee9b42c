/*
 * What holds for every map on a device whose memory is the host's (PoCL): each strategy, in chunks
 * of any size, does what is done element by element, and no byte outside of the buffers is read
 * or written. Buffers of the device lie in guarded memory, too.
 */
#include "maps.h"
#include "opencl_fixture.h"
#include "random_maps.h"
#include "sides.h"

enum { BASE_ALIGN = 128 }; /* where OpenCL's buffers begin */

/* ---- buffers in guarded memory ---------------------------------------------------------- */

static guarded new_aligned(dice *d, uint64_t bytes) {
    int at_end = (int)roll(d, 2);
    size_t beyond = (BASE_ALIGN - (size_t)bytes % BASE_ALIGN) % BASE_ALIGN;
    guarded g = guarded_new((size_t)bytes, at_end ? beyond : 0, at_end);
    memset(g.data, HOLE_A, g.bytes);
    return g;
}

/* The parts of a map as the device's memory. */
typedef struct device_parts {
    uint32_t count;
    guarded *part;
    hd_remap_memory *memory;
} device_parts;

static device_parts new_parts(fixture *f, dice *d, const hd_remap *map, const guarded *filled) {
    device_parts parts = {.count = hd_remap_parts(map)};
    parts.part = calloc(parts.count, sizeof *parts.part);
    parts.memory = calloc(parts.count, sizeof *parts.memory);
    for (uint32_t p = 0; p < parts.count; p++) {
        guarded *part = &parts.part[p];
        *part = new_aligned(d, hd_remap_bytes(map, p));
        if (filled)
            memcpy(part->data, filled[p].data, part->bytes);
        parts.memory[p].opencl =
            clCreateBuffer(f->opencl.context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, part->bytes,
                           part->data, NULL);
        assert_non_null(parts.memory[p].opencl);
    }
    return parts;
}

static void free_parts(device_parts *parts) {
    for (uint32_t p = 0; p < parts->count; p++) {
        clReleaseMemObject(parts->memory[p].opencl);
        assert_true(guarded_is_whole(&parts->part[p]));
        guarded_free(&parts->part[p]);
    }
    free(parts->part);
    free(parts->memory);
}

/* What the buffers hold goes to the memory that they were made of. */
static void look_at(fixture *f, const device_parts *parts) {
    cl_command_queue queue = clCreateCommandQueue(f->opencl.context, f->opencl.id, 0, NULL);
    for (uint32_t p = 0; p < parts->count; p++) {
        void *seen = clEnqueueMapBuffer(queue, parts->memory[p].opencl, CL_TRUE, CL_MAP_READ, 0,
                                        parts->part[p].bytes, 0, NULL, NULL, NULL);
        assert_ptr_equal(seen, parts->part[p].data);
        clEnqueueUnmapMemObject(queue, parts->memory[p].opencl, seen, 0, NULL, NULL);
    }
    clFinish(queue);
    clReleaseCommandQueue(queue);
}

/* ---- there and back --------------------------------------------------------------------- */

static void go_there(fixture *f, dice *d, const hd_remap *map, const expectation *e,
                     const hd_remap_options *options) {
    guarded source = new_aligned(d, e->slow.source.bytes);
    memcpy(source.data, e->slow.source.data, source.bytes);
    device_parts parts = new_parts(f, d, map, NULL);
    if (hd_remap_to_device(&f->diag, f->device, map, parts.memory, source.data, options) != HD_OK)
        fail_msg("%s", f->last.text);
    look_at(f, &parts);
    for (uint32_t p = 0; p < parts.count; p++)
        assert_same(map, &parts.part[p], &e->slow.part[p], &e->holes.part[p]);
    assert_memory_equal(source.data, e->slow.source.data, source.bytes);
    assert_true(guarded_is_whole(&source));
    free_parts(&parts);
    guarded_free(&source);
}

static void go_back(fixture *f, dice *d, const hd_remap *map, const expectation *e,
                    const hd_remap_options *options) {
    guarded back = new_aligned(d, e->back.bytes);
    device_parts parts = new_parts(f, d, map, e->slow.part);
    if (hd_remap_from_device(&f->diag, f->device, map, back.data, parts.memory, options) != HD_OK)
        fail_msg("%s", f->last.text);
    assert_memory_equal(back.data, e->back.data, back.bytes);
    assert_true(guarded_is_whole(&back));
    look_at(f, &parts);
    for (uint32_t p = 0; p < parts.count; p++)
        assert_memory_equal(parts.part[p].data, e->slow.part[p].data, parts.part[p].bytes);
    free_parts(&parts);
    guarded_free(&back);
}

static void check_strategies(fixture *f, dice *d, const hd_remap *map) {
    expectation e = expect(d, map);
    for (hd_remap_strategy s = HD_REMAP_PLANNED; s <= HD_REMAP_ZERO_COPY; s++) {
        hd_remap_options options = {.strategy = s, .host = {.threads = 1 + roll(d, 4)}};
        if (s == HD_REMAP_CHUNKED)
            options.chunk_bytes = 1 + roll(d, (uint32_t)hd_remap_source_bytes(map) + 100);
        go_there(f, d, map, &e, &options);
        go_back(f, d, map, &e, &options);
    }
    free_expectation(&e);
}

/* A kernel is compiled for each map and direction, so they are not many. */
enum { MAPS = 3 };

static void test_strategies(void **state) {
    fixture *f = *state;
    for (unsigned i = 0; i < MAPS * MAP_KINDS; i++) {
        dice d = {(20261123 + i) * HD_RANDOM_STEP};
        hd_remap *map;
        if (random_map(&f->diag, &d, i % MAP_KINDS, 1 << 14, &map) != HD_OK)
            fail_msg("map %u: %s", i, f->last.text);
        check_strategies(f, &d, map);
        hd_remap_free(map);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_strategies)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
