/* From events to touches: which elements, at which positions of the streams. */
#include <pthread.h>
#include <stdlib.h>

#include "locality/touch.h"

enum { CACHED = 4096 };
static const uint32_t NOWHERE = UINT32_MAX; /* a page of another share */

/* ---- pages of elements ------------------------------------------------------------------ */

typedef struct page_slot {
    uint64_t page;
    uint32_t number_plus_1;
} page_slot;

struct touch_pages {
    pthread_mutex_t lock;
    page_slot *slots;
    uint64_t capacity; /* a power of two */
    uint32_t count;
};

static uint64_t mixed(uint64_t page) { return page * 0x9e3779b97f4a7c15u; }

static page_slot *find_slot(const touch_pages *p, uint64_t page) {
    uint64_t at = mixed(page) >> 20 & (p->capacity - 1);
    while (p->slots[at].number_plus_1 && p->slots[at].page != page)
        at = (at + 1) & (p->capacity - 1);
    return &p->slots[at];
}

static void grow_pages(touch_pages *p) {
    page_slot *old = p->slots;
    uint64_t capacity = p->capacity;
    p->capacity = capacity ? capacity * 2 : 1024;
    p->slots = hd_zeroed(p->capacity, sizeof *p->slots);
    for (uint64_t i = 0; i < capacity; i++)
        if (old[i].number_plus_1)
            *find_slot(p, old[i].page) = old[i];
    free(old);
}

static uint32_t number_of(touch_pages *p, uint64_t page) {
    pthread_mutex_lock(&p->lock);
    if (2 * (uint64_t)p->count >= p->capacity)
        grow_pages(p);
    page_slot *slot = find_slot(p, page);
    if (!slot->number_plus_1)
        *slot = (page_slot){page, ++p->count};
    uint32_t number = slot->number_plus_1 - 1;
    pthread_mutex_unlock(&p->lock);
    return number;
}

/* ---- one worker --------------------------------------------------------------------------- */

typedef struct cached_page {
    uint64_t page_plus_1;
    uint32_t number;
} cached_page;

/* What a worker has in hand. */
typedef struct toucher {
    const reuse_plan *plan;
    touches *all;
    touch_bucket *buckets; /* [TOUCH_BUCKETS] */
    uint32_t share, shares;
    uint32_t shift; /* elements of 2^shift bytes; 32: of another size */
    uint64_t accesses;
    const reuse_aggregate *aggregate;
    const reuse_block *block;
    uint64_t mi;      /* that comes next */
    uint64_t element; /* touched last, not yet in a bucket */
    uint32_t position, weight;
    cached_page cache[CACHED];
} toucher;

static uint32_t page_number(toucher *t, uint64_t page) {
    cached_page *c = &t->cache[page % CACHED];
    if (c->page_plus_1 == page + 1)
        return c->number;
    bool own = t->shares == 1 || (mixed(page) >> 32) % t->shares == t->share;
    *c = (cached_page){page + 1, own ? number_of(t->all->pages, page) : NOWHERE};
    return c->number;
}

static touch *new_touch(touch_bucket *bucket) {
    touch_chunk *chunk = bucket->chunks;
    if (!chunk || chunk->count == TOUCH_CHUNK) {
        chunk = hd_checked(malloc(sizeof *chunk));
        chunk->next = bucket->chunks;
        chunk->count = 0;
        bucket->chunks = chunk;
    }
    return &chunk->touches[chunk->count++];
}

static void put_touch(toucher *t) {
    uint32_t weight = t->weight;
    t->weight = 0;
    if (!weight)
        return;
    uint32_t number = page_number(t, t->element / TOUCH_PAGE);
    if (number == NOWHERE)
        return;
    t->accesses += weight;
    uint32_t element = number / TOUCH_BUCKETS * TOUCH_PAGE + (uint32_t)(t->element % TOUCH_PAGE);
    *new_touch(&t->buckets[number % TOUCH_BUCKETS]) = (touch){element, t->position, weight};
}

/* Neighbouring lanes often touch one element, and count as one touch. */
static inline void touch_element(toucher *t, uint64_t element, uint32_t position) {
    if (t->weight && t->element == element && t->position == position) {
        t->weight++;
        return;
    }
    put_touch(t);
    t->element = element;
    t->position = position;
    t->weight = 1;
}

static inline uint64_t element_at(const toucher *t, uint64_t address) {
    return t->shift < 32 ? address >> t->shift : address / t->plan->element_bytes;
}

static inline void touch_lane(toucher *t, uint64_t address, uint32_t width, uint32_t position) {
    uint64_t end = address + (width - 1), first = element_at(t, address);
    uint64_t further = element_at(t, end < address ? UINT64_MAX : end) - first;
    for (uint64_t i = 0; i <= further; i++)
        touch_element(t, first + i, position);
}

/* ---- events ---------------------------------------------------------------------------------- */

static void touch_word(toucher *t, const hd_event *e, uint32_t word, uint32_t width,
                       uint32_t position) {
    for (uint64_t left = e->mask[word]; left; left &= left - 1)
        touch_lane(t, hd_event_address(e, word * 64 + (uint32_t)__builtin_ctzll(left)), width,
                   position);
}

/* The lanes of a warp, of which at most `units` issue together. */
static void touch_warp(toucher *t, const hd_event *e, uint32_t warp, uint32_t width,
                       uint64_t issue) {
    uint64_t units = t->plan->units < REUSE_WARP ? t->plan->units : REUSE_WARP, rank = 0;
    uint64_t left = e->mask[warp / 2] >> warp % 2 * 32 & 0xffffffff;
    for (; left; left &= left - 1, rank++)
        touch_lane(t, hd_event_address(e, warp * 32 + (uint32_t)__builtin_ctzll(left)), width,
                   (uint32_t)(issue + rank / units));
}

static void touch_event(void *stream, const hd_event *e) {
    toucher *t = stream;
    const hd_event_access *access = &t->block->launch->launch.accesses[e->access];
    if (!reuse_is_analysed(t->plan, t->block, e))
        return;
    uint64_t mi = t->mi++, start = t->aggregate->start;
    if (!t->plan->units) {
        for (uint32_t w = 0; w * 64 < e->threads; w++)
            touch_word(t, e, w, access->width, (uint32_t)(start + mi));
        return;
    }
    uint32_t before = 0;
    for (uint32_t w = 0; w * REUSE_WARP < e->threads; w++) {
        uint32_t slots = issue_slots_of(t->plan, e, w);
        if (slots)
            touch_warp(t, e, w, access->width,
                       start + issue_of(t->plan, t->aggregate, t->block, mi, w, before));
        before += slots;
    }
}

static hd_status collect_block(void *self, uint32_t worker, uint64_t number) {
    toucher *t = &((toucher *)self)[worker];
    t->block = &t->plan->blocks[number];
    t->aggregate = &t->plan->aggregates[t->block->aggregate];
    t->mi = 0;
    hd_status status = reuse_read_block(t->plan, t->block, touch_event, t);
    put_touch(t);
    return status;
}

static uint32_t shift_of(uint32_t bytes) {
    return bytes & (bytes - 1) ? 32 : (uint32_t)__builtin_ctz(bytes);
}

/* A worker's touches in the order in which it met them. */
static void put_in_order(touch_bucket *bucket) {
    touch_chunk *ordered = NULL;
    for (touch_chunk *chunk = bucket->chunks, *next; chunk; chunk = next) {
        next = chunk->next;
        chunk->next = ordered;
        ordered = chunk;
    }
    bucket->chunks = ordered;
}

hd_status touches_collect(const reuse_plan *plan, uint32_t workers, uint32_t share, uint32_t shares,
                          touches *all) {
    *all = (touches){.workers = workers, .pages = hd_zeroed(1, sizeof *all->pages)};
    all->buckets = hd_zeroed((size_t)workers * TOUCH_BUCKETS, sizeof *all->buckets);
    pthread_mutex_init(&all->pages->lock, NULL);
    toucher *touchers = hd_zeroed(workers, sizeof *touchers);
    for (uint32_t w = 0; w < workers; w++) {
        touchers[w].plan = plan;
        touchers[w].all = all;
        touchers[w].buckets = all->buckets + (size_t)w * TOUCH_BUCKETS;
        touchers[w].share = share;
        touchers[w].shares = shares;
        touchers[w].shift = shift_of(plan->element_bytes);
    }
    hd_status status = reuse_in_parallel(workers, plan->block_count, collect_block, touchers);
    for (uint32_t w = 0; w < workers; w++)
        all->accesses += touchers[w].accesses;
    for (size_t b = 0; b < (size_t)workers * TOUCH_BUCKETS; b++)
        put_in_order(&all->buckets[b]);
    all->page_count = all->pages->count;
    free(touchers);
    return status;
}

void touches_free(touches *all) {
    for (size_t b = 0; b < (size_t)all->workers * TOUCH_BUCKETS; b++)
        for (touch_chunk *chunk = all->buckets[b].chunks, *next; chunk; chunk = next) {
            next = chunk->next;
            free(chunk);
        }
    free(all->buckets);
    pthread_mutex_destroy(&all->pages->lock);
    free(all->pages->slots);
    free(all->pages);
    *all = (touches){0};
}
