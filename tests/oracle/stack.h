/*
 * Stack distances, the slow and obvious way: byte by byte to lines, and a list of lines for
 * each stack, the latest first, that is searched from its top.
 */
#ifndef ORACLE_STACK_H
#define ORACLE_STACK_H

#include <stdlib.h>

#include "analysis/stack.h"

typedef struct oracle_list {
    uint64_t number; /* of the block, the cluster, or 0 */
    uint64_t *line;
    size_t count, capacity;
} oracle_list;

typedef struct oracle_stack {
    hd_stack_options options;
    const hd_event_launch *launch;
    oracle_list *lists;
    size_t list_count;
    uint64_t block_count; /* ever opened: each has a list of its own, with HD_STACK_BLOCK */
    size_t list;          /* of the block that is open */
    uint64_t accesses, cold, mis, lane_accesses;
    uint64_t *counts; /* [capacity], by distance */
    size_t capacity;
} oracle_stack;

static inline void *oracle_grow(void *old, size_t size) {
    void *memory = realloc(old, size);
    if (!memory)
        abort();
    return memory;
}

static inline void oracle_access(oracle_stack *o, uint64_t line) {
    oracle_list *list = &o->lists[o->list];
    size_t at = 0;
    while (at < list->count && list->line[at] != line)
        at++;
    o->accesses++;
    if (at < list->count) {
        if (at + 1 >= o->capacity) {
            size_t wanted = 2 * at + 16;
            o->counts = oracle_grow(o->counts, wanted * sizeof *o->counts);
            memset(o->counts + o->capacity, 0, (wanted - o->capacity) * sizeof *o->counts);
            o->capacity = wanted;
        }
        o->counts[at + 1]++;
    } else {
        o->cold++;
        if (list->count == list->capacity) {
            list->capacity = 2 * list->capacity + 16;
            list->line = oracle_grow(list->line, list->capacity * sizeof *list->line);
        }
        list->count++;
    }
    memmove(list->line + 1, list->line, at * sizeof *list->line);
    list->line[0] = line;
}

/* The lanes first .. end - 1 of an event. */
static inline void oracle_request(oracle_stack *o, const hd_event *e, uint32_t first,
                                  uint32_t end) {
    uint32_t width = o->launch->accesses[e->access].width;
    uint64_t *seen = oracle_grow(NULL, (size_t)(end - first) * width * sizeof *seen + 1);
    size_t count = 0;
    for (uint32_t lane = first; lane < end; lane++)
        for (uint32_t b = 0; b < width && hd_event_active(e, lane); b++) {
            uint64_t at = hd_event_address(e, lane);
            if (at + b < at)
                break;
            uint64_t line = (at + b) / o->options.line;
            bool known = false;
            for (size_t i = count; i-- > 0 && !known;)
                known = seen[i] == line;
            if (known)
                continue;
            seen[count++] = line;
            oracle_access(o, line);
        }
    free(seen);
}

/* ---- the sink: one block after another ----------------------------------------------- */

static inline hd_status oracle_launch(void *self, const hd_event_launch *launch) {
    ((oracle_stack *)self)->launch = launch;
    return HD_OK;
}

static inline void *oracle_open(void *self, uint64_t block) {
    oracle_stack *o = self;
    uint64_t number = o->options.scope == HD_STACK_DEVICE    ? 0
                      : o->options.scope == HD_STACK_CLUSTER ? block % o->options.clusters
                                                             : o->block_count;
    o->block_count++;
    for (o->list = 0; o->list < o->list_count; o->list++)
        if (o->lists[o->list].number == number)
            return o;
    o->lists = oracle_grow(o->lists, ++o->list_count * sizeof *o->lists);
    o->lists[o->list] = (oracle_list){.number = number};
    return o;
}

static inline void oracle_event(void *stream, const hd_event *e) {
    oracle_stack *o = stream;
    o->mis++;
    o->lane_accesses += e->active;
    for (uint32_t first = 0; first < e->threads; first += o->options.warp)
        oracle_request(o, e, first,
                       e->threads - first < o->options.warp ? e->threads : first + o->options.warp);
}

static inline hd_sink oracle_stack_sink(oracle_stack *o) {
    return (hd_sink){o, oracle_launch, oracle_open, oracle_event, NULL, NULL};
}

static inline uint64_t oracle_footprint(const oracle_stack *o) {
    size_t most = 0;
    for (size_t i = 0; i < o->list_count; i++)
        most = o->lists[i].count > most ? o->lists[i].count : most;
    return most;
}

static inline void oracle_stack_free(oracle_stack *o) {
    for (size_t i = 0; i < o->list_count; i++)
        free(o->lists[i].line);
    free(o->lists);
    free(o->counts);
}

#endif
