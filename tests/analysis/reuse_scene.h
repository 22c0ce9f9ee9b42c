/*
 * A trace in a file, and the same events as the oracle of tests/oracle/reuse.h takes them:
 * streams of MIs, built as docs/reuse.md has the scenarios, of which all pairs are compared.
 *
 *     scene s;
 *     scene_open(&s, 4, 1u << KIR_GLOBAL);
 *     hd_sink sink = scene_sink(&s);          for a producer with one block at a time
 *     scene_written(&s);
 *     scene_compare(&s, &options);            fails the test where a degree differs
 *     scene_close(&s);
 */
#ifndef HD_TESTS_REUSE_SCENE_H
#define HD_TESTS_REUSE_SCENE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#include "analysis/reuse.h"
#include "oracle/reuse.h"

typedef struct scene {
    hd_arena *arena;
    hd_diag diag;
    char path[64];
    hd_trace_writer *writer;
    hd_trace *trace;
    uint32_t element_bytes, wanted; /* spaces */
    const hd_event_launch *launch;  /* that is heard */
    hd_vec(slow_block) blocks;
} scene;

static inline void scene_message(const hd_message *m, void *user) {
    (void)user;
    print_message("%s\n", m->text);
}

/* ---- hearing ------------------------------------------------------------------------------ */

static inline hd_status scene_launch(void *self, const hd_event_launch *launch) {
    ((scene *)self)->launch = launch;
    return HD_OK;
}

static inline void *scene_block(void *self, uint64_t block) {
    (void)block;
    scene *s = self;
    uint64_t warps = (s->launch->block_threads + 31) / 32;
    hd_push(s->arena, &s->blocks, (slow_block){s->launch->number, warps, {0}});
    return s;
}

static inline void scene_event(void *stream, const hd_event *e) {
    scene *s = stream;
    const hd_event_access *access = &s->launch->accesses[e->access];
    if (!(s->wanted >> hd_event_space(s->launch, e) & 1))
        return;
    slow_mi mi = {0};
    for (uint32_t l = 0; l < e->threads; l++) {
        if (!hd_event_active(e, l))
            continue;
        uint64_t at = hd_event_address(e, l);
        for (uint64_t x = at / s->element_bytes; x <= (at + access->width - 1) / s->element_bytes;
             x++)
            slow_add_lane(s->arena, &mi, (slow_lane){0, l, x});
    }
    slow_add_mi(s->arena, &s->blocks.data[s->blocks.count - 1].mis, mi);
}

/* Elements of `element_bytes` in the spaces `wanted` are what the oracle takes. */
static inline void scene_open(scene *s, uint32_t element_bytes, uint32_t wanted) {
    *s = (scene){.arena = hd_arena_new(),
                 .diag = {scene_message, NULL},
                 .element_bytes = element_bytes,
                 .wanted = wanted};
    const hd_trace_header header = {.source = "scene", .spaces = ~0u};
    snprintf(s->path, sizeof s->path, "/tmp/heddle-reuse-%ld.hdt", (long)getpid());
    assert_int_equal(hd_trace_create(s->arena, &s->diag, s->path, &header, &s->writer), HD_OK);
}

static inline hd_sink scene_sink(scene *s) {
    const hd_sink heard = {
        .self = s, .launch = scene_launch, .open_block = scene_block, .event = scene_event};
    return hd_sink_tee(s->arena, (const hd_sink[]){hd_trace_sink(s->writer), heard}, 2);
}

static inline void scene_written(scene *s) {
    assert_int_equal(hd_trace_finish(s->writer, true), HD_OK);
    assert_int_equal(hd_trace_open(s->arena, &s->diag, s->path, &s->trace), HD_OK);
}

static inline void scene_close(scene *s) {
    hd_trace_close(s->trace);
    unlink(s->path);
    hd_arena_free(s->arena);
}

/* ---- the scenarios, as docs/reuse.md has them ----------------------------------------------- */

/* Blocks [first, end) of one launch. */
static inline size_t scene_launch_end(const scene *s, size_t first) {
    size_t end = first;
    while (end < s->blocks.count && s->blocks.data[end].launch == s->blocks.data[first].launch)
        end++;
    return end;
}

/* Appends each launch's aggregates of `size` blocks. */
static inline void scene_append_groups(hd_arena *arena, scene *s, size_t size, uint64_t units,
                                       bool greedy, slow_stream *to) {
    for (size_t first = 0, end; first < s->blocks.count; first = end) {
        end = scene_launch_end(s, first);
        slow_block **group = hd_new_array(arena, slow_block *, end - first);
        for (size_t b = first; b < end; b += size) {
            size_t n = 0;
            for (size_t i = b; i < end && n < size; i++)
                group[n++] = &s->blocks.data[i];
            slow_append(arena, group, n, units, greedy, to);
        }
    }
}

/* Appends what one cluster runs. */
static inline void scene_append_cluster(hd_arena *arena, scene *s, const hd_reuse_options *o,
                                        size_t cluster, bool greedy, slow_stream *to) {
    for (size_t first = 0, end; first < s->blocks.count; first = end) {
        end = scene_launch_end(s, first);
        for (size_t b = first + cluster; b < end; b += o->clusters) {
            slow_block *one = &s->blocks.data[b];
            slow_append(arena, &one, 1, o->units, greedy, to);
        }
    }
}

static inline size_t scene_stream_count(const scene *s, const hd_reuse_options *o) {
    return o->scenario == 2 ? s->blocks.count : o->scenario == 5 ? o->clusters : 1;
}

/* Stream number `number` of a scenario. */
static inline slow_stream scene_stream(hd_arena *arena, scene *s, const hd_reuse_options *o,
                                       size_t number) {
    bool greedy = o->warp_order && !strcmp(o->warp_order, "greedy");
    slow_stream stream = {0};
    slow_block *one = &s->blocks.data[number];
    uint64_t all_units = (uint64_t)o->clusters * o->units;
    switch (o->scenario) {
    case 1: scene_append_groups(arena, s, 1, 0, false, &stream); break;
    case 2: slow_append(arena, &one, 1, 0, false, &stream); break;
    case 3: scene_append_groups(arena, s, s->blocks.count, 0, false, &stream); break;
    case 4: scene_append_groups(arena, s, o->k, 0, false, &stream); break;
    case 5: scene_append_cluster(arena, s, o, number, greedy, &stream); break;
    default: scene_append_groups(arena, s, o->clusters, all_units, greedy, &stream);
    }
    return stream;
}

/* ---- comparing ------------------------------------------------------------------------------ */

static inline void scene_compare_stream(hd_arena *arena, scene *s, const hd_reuse_options *o,
                                        size_t number, const hd_reuse_stream *got) {
    slow_stream stream = scene_stream(arena, s, o, number);
    const uint64_t *want = slow_characteristic(arena, &stream);
    uint64_t accesses = 0;
    for (size_t i = 0; i < stream.count; i++)
        accesses += stream.data[i].count;
    assert_int_equal(got->mis, stream.count);
    assert_int_equal(got->accesses, accesses);
    assert_true(got->domain ? got->domain < stream.count && got->degree[got->domain] : true);
    for (size_t d = 1; d < stream.count; d++) {
        uint64_t degree = d <= got->domain ? got->degree[d] : 0;
        if (want[d] != degree)
            fail_msg("scenario %u, k %u, clusters %u, units %u, stream %zu: at distance %zu the "
                     "degree is %llu, not %llu",
                     o->scenario, (unsigned)o->k, o->clusters, o->units, number, d,
                     (unsigned long long)degree, (unsigned long long)want[d]);
    }
}

/* The sum of all degrees, which the oracle has found, too. */
static inline uint64_t scene_compare(scene *s, const hd_reuse_options *o) {
    hd_arena *arena = hd_arena_new();
    hd_reuse *reuse;
    uint64_t total = 0;
    assert_int_equal(hd_reuse_analyse(arena, &s->diag, s->trace, o, &reuse), HD_OK);
    assert_int_equal(reuse->stream_count, scene_stream_count(s, o));
    for (size_t i = 0; i < reuse->stream_count; i++) {
        scene_compare_stream(arena, s, o, i, &reuse->streams[i]);
        for (uint64_t d = 1; d <= reuse->streams[i].domain; d++)
            total += reuse->streams[i].degree[d];
    }
    hd_arena_free(arena);
    return total;
}

#endif
