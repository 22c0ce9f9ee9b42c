/* Counts of accesses and launches (tally.h). */
#include <stdlib.h>

#include "analysis/tally.h"
#include "analysis/warp_words.h"

/* Kept out of the way of what most events take. */
#define SEPARATE static __attribute__((noinline))

enum { KEPT = 256, PATTERNS = 16 };

/* An event of all lanes of the block, evenly spaced or in a pattern. */
typedef struct kept {
    uint64_t key;     /* key_of() */
    int64_t stride;   /* of a pattern: its number */
    uint64_t times;   /* that it came in this block */
    uint32_t threads; /* 0: this place is free */
    bool is_pattern;
    bool is_listed; /* among those that came */
} kept;

/* How far from the first lane's address each one's is, as where a block has two dimensions. */
typedef struct pattern {
    uint64_t seen;      /* hash of the last one that would be here */
    uint64_t number;    /* no two of a stream have the same; 0: none is here */
    uint64_t *distance; /* [threads] */
    uint32_t threads, capacity;
} pattern;

/* Of an open block; what it has is used for one block after the other. */
typedef struct stream {
    hd_in_order_stream base; /* its `self` is the tally */
    void *states[HD_TALLY_WORKS];
    uint64_t weight;   /* blocks that this one stands for */
    uint64_t *counts;  /* of the launch and then of its accesses */
    uint32_t capacity; /* accesses that there is room for */
    size_t launch;     /* that `kept` is of */
    uint32_t came_count;
    uint16_t came[KEPT]; /* in this block */
    kept kept[KEPT];
    uint64_t kept_counts[KEPT][HD_TALLY_WORDS]; /* what they count each time */
    pattern patterns[PATTERNS];
    uint64_t patterns_met; /* and numbered */
} stream;

/* What finds the place of an access's events. */
typedef struct way {
    kir_space space;       /* KIR_GENERIC: each event's own */
    uint32_t period;       /* 0: nobody counts it */
    uint32_t first, shift; /* of its places; of starts */
} way;

/* Of a launch: its own row, then those of its accesses. */
typedef struct launch_rows {
    uint32_t number, access_count;
    uint64_t *counts;
} launch_rows;

struct hd_tally {
    hd_arena *arena; /* of the launches' rows */
    hd_tally_work works[HD_TALLY_WORKS];
    uint32_t first[HD_TALLY_WORKS + 1]; /* word of a row where a work's begin; all words */
    uint32_t work_count;
    uint32_t period[KIR_GENERIC + 1]; /* of all works in the space; 0: none counts there */
    const hd_event_launch *launch;    /* that is running */
    way *ways;                        /* [access_count] of it */
    hd_vec(launch_rows) launches;
    uint64_t weight; /* of the next block */
    hd_in_order *order;
};

static uint32_t words_of(const hd_tally *t) { return t->first[t->work_count]; }

static void add_times(uint64_t *sum, const uint64_t *more, uint64_t times, size_t words) {
    for (size_t i = 0; i < words; i++)
        sum[i] += times * more[i];
}

void hd_tally_add(void *sum, const void *more, size_t bytes) {
    add_times(sum, more, 1, bytes / sizeof(uint64_t));
}

/* ---- patterns --------------------------------------------------------------------------- */

/* The number of the event's pattern, 0 if it has none: it gets one when it comes for the second time, so
 * that what comes once pushes out nothing. */
static uint64_t pattern_of(stream *s, const hd_event *e) {
    const uint64_t *address = e->address;
    uint32_t threads = e->threads;
    uint64_t hash = hd_hash_mix(hd_hash_spread(address[threads - 1] - address[0]) + threads,
                                address[threads / 2] - address[0]);
    pattern *p = &s->patterns[hash % PATTERNS];
    if (p->number && p->threads == threads && lanes_have_distances(address, p->distance, threads))
        return p->number;
    if (p->seen != hash) {
        p->seen = hash;
        return 0;
    }
    if (p->capacity < threads) {
        free(p->distance);
        p->distance = hd_zeroed(threads, sizeof *p->distance);
        p->capacity = threads;
    }
    p->threads = threads;
    for (uint32_t l = 0; l < threads; l++)
        p->distance[l] = address[l] - address[0];
    return p->number = ++s->patterns_met;
}

/* ---- events ---------------------------------------------------------------------------- */

static void count(const hd_tally *t, stream *s, const hd_event *e, kir_space space,
                  uint64_t *counts) {
    for (uint32_t i = 0; i < t->work_count; i++) {
        const hd_tally_work *w = &t->works[i];
        if (w->spaces >> space & 1)
            w->count(w->self, s->states[i], t->launch, e, space, counts + t->first[i]);
    }
}

/* Access, space and where lane 0 starts, modulo the period. */
static uint64_t key_of(uint32_t access, kir_space space, uint32_t start) {
    return (uint64_t)access << 32 | (uint64_t)space << 29 | start;
}

static void add(const hd_tally *t, stream *s, uint32_t access, kir_space space,
                const uint64_t *counts, uint64_t times) {
    add_times(s->counts + (size_t)(access + 1) * words_of(t), counts, times, words_of(t));
    for (uint32_t i = 0; i < t->work_count; i++)
        if (t->works[i].summed >> space & 1)
            add_times(s->counts + t->first[i], counts + t->first[i], times,
                      t->first[i + 1] - t->first[i]);
}

static void add_key(const hd_tally *t, stream *s, const kept *k, const uint64_t *counts) {
    add(t, s, (uint32_t)(k->key >> 32), (kir_space)(k->key >> 29 & 7), counts, k->times);
}

/* Where such an event is kept, unless another one is there. What a loop repeats, some accesses at
 * all their starts, gets places of its own. */
static kept *place_of(stream *s, const way *w, uint64_t stride, uint32_t start) {
    return &s->kept[(stride + (stride >> 8) + w->first + (start >> w->shift)) % KEPT];
}

static way way_of(const hd_tally *t, uint32_t access, kir_space space) {
    uint32_t period = t->period[space];
    uint32_t align = t->launch->accesses[access].width | period;
    return (way){space, period, access * (period / 4 + 5),
                 align ? (uint32_t)__builtin_ctz(align) : 0};
}

static bool is_same(const kept *a, const kept *b) {
    return a->key == b->key && a->stride == b->stride && a->threads == b->threads &&
           a->is_pattern == b->is_pattern;
}

/* Of an event that is not there, or came in no block but earlier ones; `is` says which it is. */
SEPARATE void keep(const hd_tally *t, stream *s, const hd_event *e, kir_space space, kept is,
                   kept *k) {
    uint64_t *counts = s->kept_counts[k - s->kept];
    if (!is_same(k, &is)) {
        add_key(t, s, k, counts);
        is.is_listed = k->is_listed;
        *k = is;
        memset(counts, 0, sizeof s->kept_counts[0]);
        count(t, s, e, space, counts);
    }
    if (!k->is_listed)
        s->came[s->came_count++] = (uint16_t)(k - s->kept);
    k->is_listed = true;
    k->times++;
}

/* Adds what came in the block, and forgets that it came. */
static void add_kept(const hd_tally *t, stream *s) {
    for (uint32_t i = 0; i < s->came_count; i++) {
        kept *k = &s->kept[s->came[i]];
        add_key(t, s, k, s->kept_counts[s->came[i]]);
        k->is_listed = false;
        k->times = 0;
    }
    s->came_count = 0;
}

SEPARATE void count_alone(const hd_tally *t, stream *s, const hd_event *e, kir_space space) {
    uint64_t counts[HD_TALLY_WORDS] = {0};
    count(t, s, e, space, counts);
    add(t, s, e->access, space, counts, 1);
}

static void hear_event(void *state, const hd_event *e) {
    stream *s = state;
    const hd_tally *t = s->base.self;
    const way *w = &t->ways[e->access];
    way met;
    if (w->space == KIR_GENERIC) {
        met = way_of(t, e->access, hd_event_space_met(t->launch, e));
        w = &met;
    }
    if (!w->period)
        return;
    bool is_pattern = e->address != NULL;
    uint64_t stride = (uint64_t)e->stride;
    if (e->active != e->threads || (is_pattern && !(stride = pattern_of(s, e)))) {
        count_alone(t, s, e, w->space);
        return;
    }
    uint32_t start = (uint32_t)hd_event_address(e, 0) & (w->period - 1);
    kept is = {.key = key_of(e->access, w->space, start),
               .stride = (int64_t)stride,
               .threads = e->threads,
               .is_pattern = is_pattern};
    kept *k = place_of(s, w, stride, start);
    if (k->is_listed && is_same(k, &is))
        k->times++;
    else
        keep(t, s, e, w->space, is, k);
}

/* ---- launches and blocks --------------------------------------------------------------- */

static hd_status begin_launch(void *self, const hd_event_launch *launch) {
    hd_tally *t = self;
    size_t rows = (size_t)launch->access_count + 1;
    launch_rows own = {launch->number, launch->access_count,
                       hd_new_array(t->arena, uint64_t, rows *words_of(t))};
    t->launch = launch;
    free(t->ways);
    t->ways = hd_zeroed((size_t)launch->access_count + 1, sizeof *t->ways);
    for (uint32_t a = 0; a < launch->access_count; a++)
        t->ways[a] = way_of(t, a, launch->accesses[a].space);
    hd_push(t->arena, &t->launches, own);
    return HD_OK;
}

static void open_block(void *state) {
    stream *s = state;
    const hd_tally *t = s->base.self;
    size_t words = ((size_t)t->launch->access_count + 1) * words_of(t);
    s->weight = t->weight;
    for (uint32_t i = 0; i < t->work_count; i++)
        if (!s->states[i])
            s->states[i] = hd_zeroed(1, t->works[i].state_bytes);
    if (s->launch != t->launches.count) {
        memset(s->kept, 0, sizeof s->kept);
        s->launch = t->launches.count;
    }
    if (!s->counts || s->capacity < t->launch->access_count) {
        free(s->counts);
        s->counts = hd_zeroed(words, sizeof *s->counts);
        s->capacity = t->launch->access_count;
    } else {
        memset(s->counts, 0, words * sizeof *s->counts);
    }
}

static void add_block(void *state, bool complete) {
    stream *s = state;
    hd_tally *t = s->base.self;
    launch_rows *own = &t->launches.data[t->launches.count - 1];
    add_kept(t, s);
    if (complete)
        add_times(own->counts, s->counts, s->weight, ((size_t)own->access_count + 1) * words_of(t));
}

static void free_stream(void *state) {
    stream *s = state;
    for (uint32_t i = 0; i < HD_TALLY_WORKS; i++)
        free(s->states[i]);
    for (uint32_t i = 0; i < PATTERNS; i++)
        free(s->patterns[i].distance);
    free(s->counts);
}

hd_tally *hd_tally_new(hd_arena *arena, const hd_tally_work *works, uint32_t count) {
    hd_tally *t = hd_new(arena, hd_tally);
    t->arena = hd_arena_new();
    t->work_count = count;
    t->weight = 1;
    for (uint32_t i = 0; i < count; i++) {
        t->works[i] = works[i];
        t->first[i + 1] = t->first[i] + (uint32_t)(works[i].count_bytes / sizeof(uint64_t));
        for (uint32_t space = 0; space <= KIR_GENERIC; space++)
            if (works[i].spaces >> space & 1 && works[i].period > t->period[space])
                t->period[space] = works[i].period;
    }
    t->order = hd_in_order_new(arena, &(hd_in_order_work){.self = t,
                                                          .stream_bytes = sizeof(stream),
                                                          .launch = begin_launch,
                                                          .open_block = open_block,
                                                          .event = hear_event,
                                                          .add_up = add_block,
                                                          .free_stream = free_stream});
    return t;
}

hd_sink hd_tally_sink(hd_tally *tally) { return hd_in_order_sink(tally->order); }

void hd_tally_weigh(hd_tally *tally, uint64_t weight) { tally->weight = weight; }

void hd_tally_free(hd_tally *tally) {
    hd_in_order_free(tally->order);
    free(tally->ways);
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

const void *hd_tally_of(const hd_tally *t, uint32_t work, uint32_t launch, uint32_t access) {
    const launch_rows *own = find_launch(t, launch);
    return own && access < own->access_count
               ? own->counts + (size_t)(access + 1) * words_of(t) + t->first[work]
               : NULL;
}

const void *hd_tally_of_launch(const hd_tally *t, uint32_t work, uint32_t launch) {
    const launch_rows *own = find_launch(t, launch);
    return own ? own->counts + t->first[work] : NULL;
}

size_t hd_tally_row_bytes(const hd_tally *tally, uint32_t work) {
    return tally->works[work].count_bytes;
}
