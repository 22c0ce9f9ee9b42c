/* Counts of accesses and launches (tally.h). */
#include <stdlib.h>

#include "locality/tally.h"

/* Of a launch: its own row, then those of its accesses. */
typedef struct launch_rows {
    uint32_t number, access_count;
    uint64_t *counts;
} launch_rows;

struct hd_tally {
    hd_arena *arena; /* of the launches' rows */
    hd_tally_work work;
    uint32_t words;                /* of a row */
    const hd_event_launch *launch; /* that is running */
    hd_vec(launch_rows) launches;
    hd_in_order *order;
};

void *hd_tally_self(const void *stream) {
    return ((const hd_tally *)((const hd_tally_stream *)stream)->base.self)->work.self;
}

const hd_event_launch *hd_tally_launch(const void *stream) {
    return ((const hd_tally *)((const hd_tally_stream *)stream)->base.self)->launch;
}

static void add_words(uint64_t *sum, const uint64_t *more, size_t words) {
    for (size_t i = 0; i < words; i++)
        sum[i] += more[i];
}

void hd_tally_add(void *sum, const void *more, size_t bytes) {
    add_words(sum, more, bytes / sizeof(uint64_t));
}

/* ---- launches and blocks --------------------------------------------------------------- */

static hd_status begin_launch(void *self, const hd_event_launch *launch) {
    hd_tally *t = self;
    size_t rows = (size_t)launch->access_count + 1;
    launch_rows own = {launch->number, launch->access_count,
                       hd_new_array(t->arena, uint64_t, rows * t->words)};
    t->launch = launch;
    hd_push(t->arena, &t->launches, own);
    return HD_OK;
}

static void open_block(void *state) {
    hd_tally_stream *s = state;
    const hd_tally *t = s->base.self;
    size_t rows = (size_t)t->launch->access_count + 1;
    s->words = t->words;
    if (!s->counts || s->capacity < t->launch->access_count) {
        free(s->counts);
        s->counts = hd_zeroed(rows * t->words, sizeof *s->counts);
        s->capacity = t->launch->access_count;
    } else {
        memset(s->counts, 0, rows * t->words * sizeof *s->counts);
    }
}

static void add_block(void *state, bool complete) {
    const hd_tally_stream *s = state;
    hd_tally *t = s->base.self;
    launch_rows *own = &t->launches.data[t->launches.count - 1];
    if (complete)
        add_words(own->counts, s->counts, ((size_t)own->access_count + 1) * t->words);
}

static void free_stream(void *state) { free(((hd_tally_stream *)state)->counts); }

hd_tally *hd_tally_new(hd_arena *arena, const hd_tally_work *work) {
    hd_tally *t = hd_new(arena, hd_tally);
    t->arena = hd_arena_new();
    t->work = *work;
    t->words = (uint32_t)(work->count_bytes / sizeof(uint64_t));
    t->order = hd_in_order_new(arena, &(hd_in_order_work){.self = t,
                                                          .stream_bytes = work->stream_bytes,
                                                          .launch = begin_launch,
                                                          .open_block = open_block,
                                                          .event = work->event,
                                                          .add_up = add_block,
                                                          .free_stream = free_stream});
    return t;
}

hd_sink hd_tally_sink(hd_tally *tally) { return hd_in_order_sink(tally->order); }

void hd_tally_free(hd_tally *tally) {
    hd_in_order_free(tally->order);
    hd_arena_free(tally->arena);
}

/* ---- results ------------------------------------------------------------------------------- */

static int by_number(const void *key, const void *launch) {
    uint32_t number = ((const launch_rows *)launch)->number;
    return *(const uint32_t *)key < number ? -1 : *(const uint32_t *)key > number;
}

static const launch_rows *find_launch(const hd_tally *t, uint32_t number) {
    return t->launches.count ? bsearch(&number, t->launches.data, t->launches.count,
                                       sizeof(launch_rows), by_number)
                             : NULL;
}

const void *hd_tally_of(const hd_tally *tally, uint32_t launch, uint32_t access) {
    const launch_rows *own = find_launch(tally, launch);
    return own && access < own->access_count ? own->counts + (size_t)(access + 1) * tally->words
                                             : NULL;
}

const void *hd_tally_of_launch(const hd_tally *tally, uint32_t launch) {
    const launch_rows *own = find_launch(tally, launch);
    return own ? own->counts : NULL;
}
