/*
 * Moves of a map between the host and a device, against the host engine. The device may be one of
 * OpenCL or of CUDA.
 */
#ifndef HD_TESTS_REMAP_MOVES_H
#define HD_TESTS_REMAP_MOVES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "remap/remap_device.h"
#include "maps.h"

enum { HOLE_HOST = 0x5a, HOLE_DEVICE = 0xa5, BEYOND = 64 /* bytes after each allocation */ };

/* A map with what both sides hold. */
typedef struct moves {
    const hd_remap *map;
    unsigned char *source; /* of the host */
    unsigned char **parts; /* `source` remapped into holes */
    unsigned char **holds; /* 0xff in the bytes that hold an element */
    unsigned char *back;   /* what comes back into holes */
} moves;

static inline unsigned char *filled(uint64_t bytes, unsigned char with) {
    unsigned char *data = malloc((size_t)bytes + 1);
    if (!data)
        abort();
    memset(data, with, (size_t)bytes);
    return data;
}

static inline unsigned char **filled_parts(const hd_remap *map, unsigned char with) {
    unsigned char **parts = calloc(map->parts, sizeof *parts);
    for (uint32_t p = 0; p < map->parts; p++)
        parts[p] = filled(map->bytes[p], with);
    return parts;
}

static inline moves moves_new(const hd_remap *map) {
    hd_diag quiet = {0};
    moves m = {map, filled(map->source_bytes, 0), filled_parts(map, HOLE_DEVICE),
               filled_parts(map, 0), filled(map->source_bytes, HOLE_HOST)};
    unsigned char *all = filled(map->source_bytes, 0xff);
    uint64_t state = 7;
    for (uint64_t i = 0; i < map->source_bytes; i++)
        m.source[i] = (unsigned char)hd_next_random(&state);
    assert_int_equal(hd_remap_apply(&quiet, map, (void *const *)m.holds, all, NULL), HD_OK);
    unsigned char **remapped = filled_parts(map, HOLE_DEVICE);
    assert_int_equal(hd_remap_apply(&quiet, map, (void *const *)remapped, m.source, NULL), HD_OK);
    for (uint32_t p = 0; p < map->parts; p++) {
        for (uint64_t i = 0; i < map->bytes[p]; i++)
            m.parts[p][i] = m.holds[p][i] ? remapped[p][i] : HOLE_DEVICE;
        free(remapped[p]);
    }
    free(remapped);
    assert_int_equal(hd_remap_revert(&quiet, map, m.back, (const void *const *)m.parts, NULL),
                     HD_OK);
    free(all);
    return m;
}

static inline void moves_free(moves *m) {
    for (uint32_t p = 0; p < m->map->parts; p++) {
        free(m->parts[p]);
        free(m->holds[p]);
    }
    free(m->parts);
    free(m->holds);
    free(m->source);
    free(m->back);
}

/* ---- memory of the device -------------------------------------------------------------- */

/* Where it lives. */
static hd_placement device_placement = HD_PLACEMENT_DEVICE;

/* For `bytes` bytes and some beyond, which hold HOLE_DEVICE; the first ones `data`, or NULL. */
static inline hd_remap_memory device_memory(hd_remap_device *device, const void *data,
                                            uint64_t bytes) {
    hd_compute_queue *queue = &device->slots[0].queue;
    hd_remap_memory memory;
    unsigned char *image = filled(bytes + BEYOND, HOLE_DEVICE);
    if (data)
        memcpy(image, data, (size_t)bytes);
    assert_null(
        device->gpu->api->allocate(device->gpu, device_placement, bytes + BEYOND, &memory.cuda));
    assert_null(device->gpu->api->write(device->gpu, queue, memory.cuda, 0, image, bytes + BEYOND));
    assert_null(device->gpu->api->finish(device->gpu, queue));
    free(image);
    return memory;
}

static inline unsigned char *device_image(hd_remap_device *device, hd_remap_memory memory,
                                          uint64_t bytes) {
    hd_compute_queue *queue = &device->slots[0].queue;
    unsigned char *image = filled(bytes + BEYOND, 0);
    assert_null(device->gpu->api->read(device->gpu, queue, image, memory.cuda, 0, bytes + BEYOND));
    assert_null(device->gpu->api->finish(device->gpu, queue));
    for (uint64_t i = 0; i < BEYOND; i++)
        if (image[bytes + i] != HOLE_DEVICE)
            fail_msg("byte %llu after the end is written", (unsigned long long)i);
    return image;
}

static inline hd_remap_memory *device_parts(hd_remap_device *device, const hd_remap *map,
                                            unsigned char *const *data) {
    hd_remap_memory *memory = calloc(map->parts, sizeof *memory);
    for (uint32_t p = 0; p < map->parts; p++)
        memory[p] = device_memory(device, data ? data[p] : NULL, map->bytes[p]);
    return memory;
}

static inline void release_parts(hd_remap_device *device, const hd_remap *map,
                                 hd_remap_memory *memory) {
    for (uint32_t p = 0; p < map->parts; p++)
        device->gpu->api->release(device->gpu, memory[p].cuda);
    free(memory);
}

/* The device's side has the elements; bytes that hold none are left, or, except of a scatter,
 * zero. */
static inline void expect_parts(hd_remap_device *device, const moves *m,
                                const hd_remap_memory *memory) {
    bool may_be_zero = m->map->kind != HD_REMAP_SCATTER;
    for (uint32_t p = 0; p < m->map->parts; p++) {
        unsigned char *image = device_image(device, memory[p], m->map->bytes[p]);
        for (uint64_t i = 0; i < m->map->bytes[p]; i++)
            if (image[i] != m->parts[p][i] && (m->holds[p][i] || image[i] || !may_be_zero))
                fail_msg("byte %llu of part %u is %02x, not %02x", (unsigned long long)i, p,
                         image[i], m->parts[p][i]);
        free(image);
    }
}

static inline void expect_host(const moves *m, const unsigned char *host) {
    for (uint64_t i = 0; i < m->map->source_bytes; i++)
        if (host[i] != m->back[i])
            fail_msg("byte %llu of the source is %02x, not %02x", (unsigned long long)i, host[i],
                     m->back[i]);
}

/* How many bytes at the front of the host's memory may have changed, as a message says. */
static inline uint64_t named_bytes(const heard *said) {
    unsigned long long last;
    const char *changed = strstr(said->text, "; bytes 0 to ");
    if (!changed)
        return 0;
    assert_int_equal(sscanf(changed, "; bytes 0 to %llu of the host's memory may", &last), 1);
    return last + 1;
}

/* The host's bytes after a failure are those of before; of those that the message names, some may
 * have come back. */
static inline void expect_untouched(const moves *m, bool back, const unsigned char *host,
                                    const heard *said) {
    uint64_t named = named_bytes(said);
    assert_true(named <= (back ? m->map->source_bytes : 0));
    for (uint64_t i = 0; i < m->map->source_bytes; i++) {
        unsigned char before = back ? HOLE_HOST : m->source[i];
        if (host[i] != before && !(i < named && host[i] == m->back[i]))
            fail_msg("byte %llu of the host is %02x, was %02x: %s", (unsigned long long)i, host[i],
                     before, said->text);
    }
}

/* ---- moves ------------------------------------------------------------------------------ */

static inline void expect_to_device(hd_remap_device *device, const moves *m,
                                    const hd_remap_options *options) {
    heard last = {0};
    hd_diag diag = {hear, &last};
    hd_remap_memory *memory = device_parts(device, m->map, NULL);
    if (hd_remap_to_device(&diag, device, m->map, memory, m->source, options) != HD_OK)
        fail_msg("to the device: %s", last.text);
    expect_parts(device, m, memory);
    release_parts(device, m->map, memory);
}

static inline void expect_from_device(hd_remap_device *device, const moves *m,
                                      const hd_remap_options *options) {
    heard last = {0};
    hd_diag diag = {hear, &last};
    hd_remap_memory *memory = device_parts(device, m->map, m->parts);
    unsigned char *host = filled(m->map->source_bytes + BEYOND, HOLE_HOST);
    if (hd_remap_from_device(&diag, device, m->map, host, memory, options) != HD_OK)
        fail_msg("from the device: %s", last.text);
    expect_host(m, host);
    for (uint64_t i = 0; i < BEYOND; i++)
        assert_int_equal(host[m->map->source_bytes + i], HOLE_HOST);
    expect_parts(device, m, memory); /* they are only read */
    free(host);
    release_parts(device, m->map, memory);
}

static inline void expect_within_device(hd_remap_device *device, const moves *m) {
    heard last = {0};
    hd_diag diag = {hear, &last};
    hd_remap_memory *memory = device_parts(device, m->map, NULL);
    hd_remap_memory source = device_memory(device, m->source, m->map->source_bytes);
    unsigned char *holes = filled(m->map->source_bytes, HOLE_HOST);
    hd_remap_memory back = device_memory(device, holes, m->map->source_bytes);
    if (hd_remap_on_device(&diag, device, m->map, memory, source) != HD_OK)
        fail_msg("on the device: %s", last.text);
    expect_parts(device, m, memory);
    if (hd_remap_back_on_device(&diag, device, m->map, back, memory) != HD_OK)
        fail_msg("back on the device: %s", last.text);
    unsigned char *image = device_image(device, back, m->map->source_bytes);
    expect_host(m, image);
    free(image);
    free(holes);
    device->gpu->api->release(device->gpu, source.cuda);
    device->gpu->api->release(device->gpu, back.cuda);
    release_parts(device, m->map, memory);
}

/* All strategies, both ways; chunks of one unit at least, of some, and of all. */
static inline void expect_all_moves(hd_remap_device *device, const hd_remap *map) {
    static const uint64_t chunk_bytes[] = {1, 50000, 1 << 30};
    moves m = moves_new(map);
    for (int s = HD_REMAP_PLANNED; s < HD_REMAP_STRATEGIES; s++)
        for (int c = 0; c < (s == HD_REMAP_CHUNKED ? 3 : 1); c++) {
            hd_remap_options options = {.strategy = s, .chunk_bytes = chunk_bytes[c]};
            expect_to_device(device, &m, &options);
            expect_from_device(device, &m, &options);
        }
    expect_within_device(device, &m);
    moves_free(&m);
}

/* The same of a map that was made so; frees it. */
static inline void expect_map(hd_remap_device *device, const heard *last, hd_status made,
                              hd_remap *const *map) {
    if (made != HD_OK)
        fail_msg("%s", last->text);
    expect_all_moves(device, *map);
    hd_remap_free(*map);
}

/* The same wherever the device may have its side, which the library allocates, too. */
static inline void expect_all_placements(hd_remap_device *device, const hd_diag *diag,
                                         const hd_remap *map) {
    const hd_diag quiet = {0};
    hd_remap_memory *parts = calloc(map->parts, sizeof *parts);
    for (int p = 0; p < HD_REMAP_PLACEMENTS; p++) {
        bool lacks = device->gpu->api->lacks(device->gpu, (hd_placement)p);
        assert_int_equal(
            hd_remap_allocate(lacks ? &quiet : diag, device, map, (hd_remap_placement)p, parts),
            lacks ? HD_EUNSUPPORTED : HD_OK);
        if (lacks)
            continue;
        assert_int_equal(hd_remap_placement_of(device, map, parts), p);
        for (uint32_t part = 0; part < map->parts; part++)
            assert_true(device->gpu->api->size_of(device->gpu, parts[part].cuda) ==
                        map->bytes[part]);
        hd_remap_release(device, map, parts);
        device_placement = (hd_placement)p;
        expect_all_moves(device, map);
    }
    device_placement = HD_PLACEMENT_DEVICE;
    free(parts);
}

#endif
