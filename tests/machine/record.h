/*
 * A sink that writes down the events of a launch, a line each, and checks on the way that
 * the producer keeps the rules of event.h. A line says
 *
 *     BLOCK.POSITION L|S|A BYTES BUFFER[.FIELD]+OFFSET stride N lanes 0-7 @LINE
 *     BLOCK.POSITION L|S|A BYTES BUFFER[.FIELD]: OFFSET OFFSET ... lanes 0-3,5 @LINE
 *
 * Offsets are in bytes from the buffer's start, those of the active lanes in order; where
 * they grow by the same amount from lane to lane the first and that amount are enough, and
 * with one lane the first is.
 */
#ifndef HD_TESTS_RECORD_H
#define HD_TESTS_RECORD_H

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>

#include "machine/event.h"

typedef struct record_block {
    hd_arena *arena; /* NULL: not opened */
    hd_str text;
    hd_vec(size_t) lines; /* where each begins in the text */
    uint64_t mis, lane_accesses;
    bool closed;
    struct record *record;
    uint64_t number;
} record_block;

typedef struct record {
    const hd_event_launch *launch;
    record_block *blocks;
    uint64_t block_count;
    uint64_t opened; /* blocks, so far */
    uint64_t mis, lane_accesses;
    hd_str all; /* the text of all launches */
    hd_arena *arena;
    record_block *first; /* the blocks of the first launch, kept */
    uint64_t first_count;
    const char *broken; /* the rule that was not kept; NULL: none */
    pthread_mutex_t lock;
} record;

static inline void record_broken(record *r, const char *rule) {
    pthread_mutex_lock(&r->lock);
    if (!r->broken)
        r->broken = rule;
    pthread_mutex_unlock(&r->lock);
}

/* Where a buffer begins for a block: local memory stands elsewhere in each. */
static inline uint64_t record_base(const hd_event_buffer *buffer, uint64_t block) {
    return buffer->base + (buffer->space == KIR_LOCAL ? block % 4096 << 24 : 0);
}

/* ---- one event as text ---------------------------------------------------------------- */

static inline const hd_event_buffer *record_buffer(const record_block *block, const hd_event *e,
                                                   uint64_t address) {
    const hd_event_launch *launch = block->record->launch;
    const hd_event_access *access = &launch->accesses[e->access];
    for (uint32_t b = 0; b < launch->buffer_count; b++) {
        const hd_event_buffer *buffer = &launch->buffers[b];
        bool meant = access->buffer < 0 || access->buffer == (int32_t)b;
        uint64_t base = record_base(buffer, block->number);
        if (meant && address >= base && address + access->width <= base + buffer->bytes)
            return buffer;
    }
    return NULL;
}

static inline uint32_t record_next_lane(const hd_event *e, uint32_t lane) {
    while (lane < e->threads && !hd_event_active(e, lane))
        lane++;
    return lane;
}

/* Do the active lanes' addresses lie on a line? */
static inline bool record_stride(const hd_event *e, int64_t *stride) {
    uint32_t first = record_next_lane(e, 0), second = record_next_lane(e, first + 1);
    *stride = 0;
    if (second >= e->threads)
        return true;
    int64_t apart = (int64_t)(hd_event_address(e, second) - hd_event_address(e, first));
    if (apart % (second - first))
        return false;
    *stride = apart / (second - first);
    for (uint32_t l = second; l < e->threads; l = record_next_lane(e, l + 1))
        if ((int64_t)(hd_event_address(e, l) - hd_event_address(e, first)) !=
            *stride * (int64_t)(l - first))
            return false;
    return true;
}

static inline void record_lanes(hd_str *out, const hd_event *e) {
    const char *comma = " lanes ";
    for (uint32_t from = record_next_lane(e, 0), to; from < e->threads;
         from = record_next_lane(e, to), comma = ",") {
        for (to = from; to < e->threads && hd_event_active(e, to);)
            to++;
        if (to - from > 1)
            hd_str_printf(out, "%s%u-%u", comma, from, to - 1);
        else
            hd_str_printf(out, "%s%u", comma, from);
    }
}

static inline void record_addresses(const record_block *block, const hd_event *e, hd_str *out) {
    uint32_t first = record_next_lane(e, 0);
    const hd_event_buffer *buffer = record_buffer(block, e, hd_event_address(e, first));
    const hd_event_access *access = &block->record->launch->accesses[e->access];
    uint64_t base = buffer ? record_base(buffer, block->number) : 0;
    int64_t stride;
    hd_str_printf(out, " %s%s%s", buffer ? buffer->name : "?", access->field ? "." : "",
                  access->field ? access->field : "");
    if (record_stride(e, &stride)) {
        hd_str_printf(out, "+%" PRIu64, hd_event_address(e, first) - base);
        if (e->active > 1)
            hd_str_printf(out, " stride %" PRId64, stride);
    } else {
        hd_str_addn(out, ":", 1);
        for (uint32_t l = first; l < e->threads; l = record_next_lane(e, l + 1))
            hd_str_printf(out, " %" PRIu64, hd_event_address(e, l) - base);
    }
}

/* ---- the rules ------------------------------------------------------------------------- */

static inline uint32_t record_active(const hd_event *e) {
    uint32_t active = 0;
    for (uint32_t word = 0; word < (e->threads + 63) / 64; word++)
        active += (uint32_t)__builtin_popcountll(e->mask[word]);
    return active;
}

static inline const char *record_rule_broken(const record_block *block, const hd_event *e) {
    const hd_event_launch *launch = block->record->launch;
    if (e->position != block->mis)
        return "positions of a block count from 0";
    if (e->access >= launch->access_count)
        return "an access is a row of the table";
    if (e->threads != launch->block_threads)
        return "an event has the block's threads";
    if (e->active == 0 || record_active(e) != e->active)
        return "the mask has `active` bits, at least one";
    if (e->threads % 64 && e->mask[e->threads / 64] >> e->threads % 64)
        return "the mask has no bits beyond the block";
    if (launch->accesses[e->access].space == KIR_PRIVATE)
        return NULL;
    for (uint32_t l = record_next_lane(e, 0); l < e->threads; l = record_next_lane(e, l + 1))
        if (!record_buffer(block, e, hd_event_address(e, l)))
            return "every address lies in its buffer";
    return NULL;
}

/* ---- the sink ------------------------------------------------------------------------------ */

static inline void record_event(void *stream, const hd_event *e) {
    record_block *block = stream;
    const char *rule = record_rule_broken(block, e);
    if (rule) {
        record_broken(block->record, rule);
        return;
    }
    const hd_event_launch *launch = block->record->launch;
    const hd_event_access *access = &launch->accesses[e->access];
    static const char kinds[] = {[HD_LOAD] = 'L', [HD_STORE] = 'S', [HD_ATOMIC] = 'A'};
    hd_push(block->arena, &block->lines, block->text.length);
    hd_str_printf(&block->text, "%" PRIu64 ".%" PRIu64 " %c %u", block->number, e->position,
                  kinds[access->kind], access->width);
    record_addresses(block, e, &block->text);
    record_lanes(&block->text, e);
    hd_str_printf(&block->text, " @%u\n", access->line);
    block->mis++;
    block->lane_accesses += e->active;
}

static inline hd_status record_launch(void *self, const hd_event_launch *launch) {
    record *r = self;
    r->launch = launch;
    r->block_count = launch->block_count;
    r->opened = 0;
    r->blocks = calloc(launch->block_count, sizeof *r->blocks);
    return HD_OK;
}

static inline void *record_open_block(void *self, uint64_t number) {
    record *r = self;
    record_block *block = &r->blocks[number];
    pthread_mutex_lock(&r->lock);
    if (number != r->opened++ && !r->broken)
        r->broken = "blocks are opened in ascending order";
    pthread_mutex_unlock(&r->lock);
    *block = (record_block){.arena = hd_arena_new(), .record = r, .number = number};
    block->text.arena = block->arena;
    return block;
}

static inline hd_status record_close_block(void *self, void *stream, uint64_t number,
                                           bool complete) {
    record_block *block = stream;
    if (block->number != number || block->closed)
        record_broken(self, "a block is closed once");
    block->closed = complete;
    return HD_OK;
}

static inline void record_free_blocks(record_block *blocks, uint64_t count) {
    for (uint64_t b = 0; b < count; b++)
        if (blocks[b].arena)
            hd_arena_free(blocks[b].arena);
    free(blocks);
}

static inline hd_status record_end_launch(void *self, bool complete) {
    record *r = self;
    for (uint64_t b = 0; b < r->block_count; b++) {
        if (complete && !r->blocks[b].closed)
            record_broken(r, "a complete launch has closed all blocks");
        r->mis += r->blocks[b].mis;
        r->lane_accesses += r->blocks[b].lane_accesses;
        hd_str_add(&r->all, hd_str_text(&r->blocks[b].text));
    }
    if (!r->first) {
        r->first = r->blocks;
        r->first_count = r->block_count;
    } else {
        record_free_blocks(r->blocks, r->block_count);
    }
    r->blocks = NULL;
    return HD_OK;
}

static inline hd_sink record_sink(record *r) {
    return (hd_sink){.self = r,
                     .launch = record_launch,
                     .open_block = record_open_block,
                     .event = record_event,
                     .close_block = record_close_block,
                     .end_launch = record_end_launch};
}

static inline void record_start(record *r, hd_arena *arena) {
    *r = (record){.arena = arena, .all = {.arena = arena}, .lock = PTHREAD_MUTEX_INITIALIZER};
}

static inline void record_end(record *r) {
    if (r->first)
        record_free_blocks(r->first, r->first_count);
    if (r->blocks)
        record_free_blocks(r->blocks, r->block_count);
    pthread_mutex_destroy(&r->lock);
}

#endif
