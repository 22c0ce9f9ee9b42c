/* From events to touches: which elements, at which positions of the streams. */
#include <stdlib.h>

#include "analysis/reuse_parts.h"

enum {
    CACHED = 4096,
    EXCHANGED = 8 << 20 /* bytes that a rank sends at once, to all others together */
};

/* ---- among ranks ----------------------------------------------------------------------------- */

/* A touch on its way to the rank that has its element. */
typedef struct sent_touch {
    uint64_t element;
    uint32_t position;
    uint32_t weight : 24, further : 8;
} sent_touch;

/* What is sent at once. */
typedef struct parcel {
    uint32_t done, full; /* no more come; there are more than fit, here */
    uint64_t count;
    sent_touch touches[];
} parcel;

typedef struct post {
    const hd_ranks *ranks;
    parcel **parcels; /* [ranks] */
    uint64_t room;    /* touches of a parcel */
    hd_piece *out, *in;
    bool ended; /* nobody sends any more */
    hd_status status;
} post;

/* The elements of a page have one rank, so that runs stay whole. */
static uint32_t owner_of(const post *p, uint64_t page) {
    return (uint32_t)((page * 0xd6e8feb86659fd93u >> 32) % p->ranks->count);
}

static void new_post(const hd_ranks *ranks, post *p) {
    const uint32_t count = ranks->count;
    *p = (post){.ranks = ranks, .room = EXCHANGED / sizeof(sent_touch) / count + 1};
    p->parcels = hd_zeroed(count, sizeof *p->parcels);
    p->out = hd_zeroed(count, sizeof *p->out);
    p->in = hd_zeroed(count, sizeof *p->in);
    for (uint32_t r = 0; r < count; r++) {
        p->parcels[r] = hd_checked(malloc(sizeof(parcel) + p->room * sizeof(sent_touch)));
        p->parcels[r]->count = 0;
    }
}

static void free_post(post *p) {
    for (uint32_t r = 0; r < p->ranks->count; r++)
        free(p->parcels[r]);
    free(p->parcels);
    free(p->out);
    free(p->in);
}

/* ---- one worker --------------------------------------------------------------------------- */

typedef struct cached_page {
    uint64_t page_plus_1;
    uint32_t number;
} cached_page;

/* The state of a worker. */
typedef struct toucher {
    const reuse_plan *plan;
    touches *all;
    post *post;            /* or NULL: all elements are its own */
    touch_chunk **buckets; /* [TOUCH_BUCKETS] */
    uint32_t worker, share, shares;
    uint32_t shift; /* elements of 2^shift bytes; 32: of another size */
    uint64_t accesses;
    const reuse_aggregate *aggregate;
    const reuse_block *block;
    uint64_t mi;      /* that comes next */
    uint64_t read;    /* lane accesses, not yet in all->read */
    uint64_t element; /* touched last */
    uint32_t position, weight;
    uint64_t run; /* the first of `run_count` elements before it, not yet in a bucket */
    uint32_t run_count, run_position, run_weight;
    cached_page cache[CACHED];
} toucher;

static uint32_t page_number(toucher *t, uint64_t page) {
    cached_page *c = &t->cache[page % CACHED];
    touches *all = t->all;
    if (c->page_plus_1 == page + 1)
        return c->number;
    pthread_mutex_lock(&all->lock);
    size_t before = hd_hash_memory(&all->pages);
    *c = (cached_page){page + 1, (uint32_t)hd_hash_add(&all->pages, page, all->pages.count)};
    all->bytes += hd_hash_memory(&all->pages) - before;
    pthread_mutex_unlock(&all->lock);
    return c->number;
}

/* Whether elements of this unit are in the share. */
static inline bool is_own(const toucher *t, uint64_t unit) {
    return t->shares == 1 || (hd_hash_spread(unit) >> 32) % t->shares == t->share;
}

/* Into the buckets of one source. */
static void put_touch(toucher *t, touch_chunk **buckets, const sent_touch *touched) {
    uint32_t number = page_number(t, touched->element / TOUCH_PAGE);
    uint32_t element =
        number / TOUCH_BUCKETS * TOUCH_PAGE + (uint32_t)(touched->element % TOUCH_PAGE);
    touch_chunk **bucket = &buckets[number % TOUCH_BUCKETS], *chunk = *bucket;
    if (!chunk || chunk->count == chunk->capacity) {
        uint32_t most = t->post ? TOUCH_CHUNK_MOST / t->all->sources : TOUCH_CHUNK_MOST;
        uint32_t capacity = chunk && chunk->capacity < most ? chunk->capacity * 2
                            : chunk                         ? chunk->capacity
                                                            : TOUCH_CHUNK_LEAST;
        size_t size = sizeof *chunk + capacity * sizeof(touch);
        *bucket = hd_checked(malloc(size));
        **bucket = (touch_chunk){.next = chunk, .capacity = capacity};
        chunk = *bucket;
        t->all->bytes += size;
    }
    chunk->touches[chunk->count++] =
        (touch){element, touched->position, touched->weight, touched->further};
}

/* Sends what there is and takes what others send. `done`: no more comes from here. */
static void exchange_touches(toucher *t, bool done) {
    post *p = t->post;
    const hd_ranks *ranks = p->ranks;
    for (uint32_t r = 0; r < ranks->count; r++) {
        p->parcels[r]->done = done;
        p->parcels[r]->full = touches_full(t->all);
        p->out[r] =
            (hd_piece){p->parcels[r], sizeof(parcel) + p->parcels[r]->count * sizeof(sent_touch)};
    }
    p->status = ranks->exchange(ranks->self, t->plan->diag, p->out, p->in);
    p->ended = true;
    for (uint32_t r = 0; r < ranks->count && !p->status; r++) {
        const parcel *got = p->in[r].bytes;
        p->ended = p->ended && got->done;
        t->all->full_elsewhere = t->all->full_elsewhere || got->full;
        p->parcels[r]->count = 0;
    }
    p->ended = p->ended || t->all->full_elsewhere;
    for (uint32_t r = 0; r < ranks->count && !p->status; r++) {
        const parcel *got = p->in[r].bytes;
        for (uint64_t i = 0; i < got->count && !touches_full(t->all); i++)
            put_touch(t, t->all->buckets + (size_t)r * TOUCH_BUCKETS, &got->touches[i]);
    }
    if (!p->status)
        hd_free_pieces(ranks, p->in);
}

static void put_run(toucher *t) {
    if (!t->run_count)
        return;
    const sent_touch touched = {t->run, t->run_position, t->run_weight, t->run_count - 1};
    uint32_t owner = t->post ? owner_of(t->post, t->run / TOUCH_PAGE) : 0;
    t->run_count = 0;
    if (!t->post || owner == t->post->ranks->rank) {
        put_touch(t, t->buckets, &touched);
        return;
    }
    parcel *to = t->post->parcels[owner];
    if (t->post->ended)
        return;
    to->touches[to->count++] = touched;
    if (to->count == t->post->room)
        exchange_touches(t, false);
}

/* So many elements of one page, of the same weight, go to the run or begin one. */
static void add_to_run(toucher *t, uint64_t element, uint32_t count, uint32_t position,
                       uint32_t weight) {
    t->accesses += (uint64_t)count * weight;
    if (t->run_count && element == t->run + t->run_count && element % TOUCH_PAGE &&
        position == t->run_position && weight == t->run_weight) {
        t->run_count += count;
        return;
    }
    put_run(t);
    t->run = element;
    t->run_count = count;
    t->run_position = position;
    t->run_weight = weight;
}

/* No more lanes come to the element that was touched last. */
static void put_element(toucher *t) {
    if (t->weight && is_own(t, t->element / TOUCH_UNIT))
        add_to_run(t, t->element, 1, t->position, t->weight);
    t->weight = 0;
}

/* By so many lanes. Neighbouring lanes often touch one element, and count as one touch. */
static inline void touch_element(toucher *t, uint64_t element, uint32_t position, uint32_t lanes) {
    if (t->weight && t->element == element && t->position == position) {
        t->weight += lanes;
        return;
    }
    put_element(t);
    t->element = element;
    t->position = position;
    t->weight = lanes;
}

static inline uint64_t element_at(const toucher *t, uint64_t address) {
    return t->shift < 32 ? address >> t->shift : address / t->plan->element_bytes;
}

static inline void touch_lanes(toucher *t, uint64_t address, uint32_t width, uint32_t position,
                               uint32_t lanes) {
    uint64_t end = address + (width - 1), first = element_at(t, address);
    uint64_t further = element_at(t, end < address ? UINT64_MAX : end) - first;
    for (uint64_t i = 0; i <= further; i++)
        touch_element(t, first + i, position, lanes);
}

/* ---- events ---------------------------------------------------------------------------------- */

/* How many lanes from the one at `address` on are surely in the same unit, if that is one of
 * another share; 0 when this is to be seen lane by lane. */
static uint64_t lanes_elsewhere(const toucher *t, uint64_t address, uint64_t stride,
                                uint32_t width) {
    uint64_t unit = element_at(t, address) / TOUCH_UNIT;
    uint64_t size = (uint64_t)TOUCH_UNIT * t->plan->element_bytes, end;
    if (stride >= size || __builtin_mul_overflow(unit + 1, size, &end) || end - address < width ||
        is_own(t, unit))
        return 0;
    return (end - address - width) / stride + 1;
}

static void touch_neighbours(toucher *t, uint64_t element, uint32_t count, uint32_t position) {
    uint64_t size = t->shares > 1 ? TOUCH_UNIT : TOUCH_PAGE;
    put_element(t);
    while (count) {
        uint32_t left = (uint32_t)(size - element % size), part = count < left ? count : left;
        if (is_own(t, element / TOUCH_UNIT))
            add_to_run(t, element, part, position, 1);
        element += part;
        count -= part;
    }
}

/* Neighbouring active lanes of an event that has a stride, at one position. */
static void touch_run(toucher *t, const hd_event *e, uint32_t lane, uint32_t count, uint32_t width,
                      uint32_t position) {
    uint64_t stride = (uint64_t)e->stride, address = hd_event_address(e, lane);
    uint64_t bytes = t->plan->element_bytes, end;
    if (!stride) {
        touch_lanes(t, address, width, position, count);
        return;
    }
    if (stride == bytes && address % bytes + width <= bytes &&
        !__builtin_add_overflow(address, (uint64_t)count * stride, &end)) {
        touch_neighbours(t, element_at(t, address), count, position);
        return;
    }
    for (uint64_t i = 0; i < count;) {
        uint64_t at = address + i * stride;
        uint64_t skipped = t->shares > 1 ? lanes_elsewhere(t, at, stride, width) : 0;
        if (!skipped)
            touch_lanes(t, at, width, position, 1);
        i += skipped ? skipped : 1;
    }
}

/* Active lanes, a bit each, from lane `first` on. */
static void touch_bits(toucher *t, const hd_event *e, uint64_t bits, uint32_t first, uint32_t width,
                       uint32_t position) {
    while (bits) {
        uint32_t lane = (uint32_t)__builtin_ctzll(bits), count = 1;
        uint64_t rest = ~(bits >> lane);
        if (e->address) {
            touch_lanes(t, hd_event_address(e, first + lane), width, position, 1);
        } else {
            count = rest ? (uint32_t)__builtin_ctzll(rest) : 64;
            touch_run(t, e, first + lane, count, width, position);
        }
        bits &= lane + count < 64 ? UINT64_MAX << (lane + count) : 0;
    }
}

/* The lanes of a warp, of which at most `units` issue together. */
static void touch_warp(toucher *t, const hd_event *e, uint32_t warp, uint32_t width,
                       uint64_t issue) {
    uint64_t left = e->mask[warp / 2] >> warp % 2 * 32 & 0xffffffff, rank = 0;
    if (t->plan->units >= REUSE_WARP) {
        touch_bits(t, e, left, warp * REUSE_WARP, width, (uint32_t)issue);
        return;
    }
    for (; left; left &= left - 1, rank++)
        touch_lanes(t, hd_event_address(e, warp * 32 + (uint32_t)__builtin_ctzll(left)), width,
                    (uint32_t)(issue + rank / t->plan->units), 1);
}

static void touch_event(void *stream, const hd_event *e) {
    toucher *t = stream;
    uint32_t width = t->block->launch->launch.accesses[e->access].width, before = 0;
    uint64_t pending = t->read;
    reuse_meter_add(t->plan, t->worker, &t->read, e->active);
    if (t->read < pending)
        t->all->read += pending + e->active;
    if (touches_full(t->all) || !reuse_is_analysed(t->plan, t->block, e))
        return;
    uint64_t mi = t->mi++, start = t->aggregate->start;
    if (!t->plan->units) { /* all lanes at one position */
        uint32_t position = (uint32_t)(start + mi);
        if (!e->address && e->active == e->threads)
            touch_run(t, e, 0, e->threads, width, position);
        else
            for (uint32_t w = 0; w * 64 < e->threads; w++)
                touch_bits(t, e, e->mask[w], w * 64, width, position);
        return;
    }
    for (uint32_t w = 0; w * REUSE_WARP < e->threads; w++) {
        uint32_t slots = issue_slots_of(t->plan, e, w);
        if (slots)
            touch_warp(t, e, w, width,
                       start + issue_of(t->plan, t->aggregate, t->block, mi, w, before));
        before += slots;
    }
}

static hd_status collect_block(void *self, uint32_t worker, uint64_t number) {
    toucher *t = &((toucher *)self)[worker];
    t->block = &t->plan->blocks[number];
    t->aggregate = &t->plan->aggregates[t->block->aggregate];
    t->mi = 0;
    if (touches_full(t->all))
        return HD_OK;
    hd_status status = reuse_read_block(t->plan, t->block, touch_event, t);
    put_element(t);
    put_run(t);
    return status;
}

/* The rank's blocks, in the calling thread, which exchanges; until all ranks have read theirs. */
static hd_status collect_own(toucher *t) {
    for (uint64_t b = t->plan->first_own; b < t->plan->end_own && !t->post->ended; b++)
        if (collect_block(t, 0, b))
            return reuse_say_fault(t->plan, b, 1);
    while (!t->post->ended)
        exchange_touches(t, true);
    return t->post->status;
}

hd_status touches_collect(const reuse_plan *plan, uint32_t workers, uint32_t share, uint32_t shares,
                          uint64_t limit, touches *all) {
    uint32_t bytes = plan->element_bytes, readers = plan->ranks ? 1 : workers;
    post mail;
    *all = (touches){
        .sources = plan->ranks ? plan->ranks->count : workers, .workers = workers, .limit = limit};
    all->buckets = hd_zeroed((size_t)all->sources * TOUCH_BUCKETS, sizeof *all->buckets);
    pthread_mutex_init(&all->lock, NULL);
    if (plan->ranks)
        new_post(plan->ranks, &mail);
    toucher *touchers = hd_zeroed(readers, sizeof *touchers);
    for (uint32_t w = 0; w < readers; w++) {
        uint32_t source = plan->ranks ? plan->ranks->rank : w;
        touchers[w].plan = plan;
        touchers[w].all = all;
        touchers[w].post = plan->ranks ? &mail : NULL;
        touchers[w].buckets = all->buckets + (size_t)source * TOUCH_BUCKETS;
        touchers[w].worker = w;
        touchers[w].share = share;
        touchers[w].shares = shares;
        touchers[w].shift = hd_is_power_of_two(bytes) ? (uint32_t)__builtin_ctz(bytes) : 32;
    }
    uint64_t failed;
    hd_status status =
        plan->ranks ? collect_own(touchers)
                    : hd_in_parallel(workers, plan->block_count, collect_block, touchers, &failed);
    if (status && !plan->ranks)
        status = reuse_say_fault(plan, failed, 1);
    for (uint32_t w = 0; w < readers; w++) {
        all->accesses += touchers[w].accesses;
        all->read += touchers[w].read;
    }
    for (size_t b = 0; b < (size_t)all->sources * TOUCH_BUCKETS; b++) {
        touch_chunk *ordered = NULL; /* as the source met them */
        for (touch_chunk *chunk = all->buckets[b], *next; chunk; chunk = next) {
            next = chunk->next;
            chunk->next = ordered;
            ordered = chunk;
        }
        all->buckets[b] = ordered;
    }
    free(touchers);
    if (plan->ranks)
        free_post(&mail);
    return status;
}

void touches_free(touches *all) {
    for (size_t b = 0; b < (size_t)all->sources * TOUCH_BUCKETS; b++)
        for (touch_chunk *chunk = all->buckets[b], *next; chunk; chunk = next) {
            next = chunk->next;
            free(chunk);
        }
    free(all->buckets);
    pthread_mutex_destroy(&all->lock);
    hd_hash_free(&all->pages);
    *all = (touches){0};
}
