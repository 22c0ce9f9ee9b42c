/*
 * How a graph is made of a trace: every access becomes tuples (key, thread), one for each net that
 * it puts the thread into, where the key is a hash of what the net is of (a segment in a step of an
 * access, or a line). Tuples are sorted by key; a run of equal keys is a net; nets with the same
 * threads are one net of their summed weight.
 *
 *     blocks, in parallel ──tuples──► 256 buckets for each worker, by the key's top bits
 *     buckets, in parallel ──sorted, runs──► nets ──in the buckets' order──► merged
 *
 * Where memory does not hold all tuples the trace is read several times, for a share of the keys
 * each. Keys have 64 bits: of n nets two are taken for one with probability n^2 / 2^65.
 */
#include "analysis/sharing_graph.h"

#include <stdlib.h>

#include "base/table.h"

enum {
    BUCKETS = 256,
    TUPLE_BYTES = 16,
    RECENT = 16, /* lines that a lane is not asked about again; a power of two */
};

typedef struct tuple {
    uint64_t key;
    uint32_t thread;
    uint32_t is_line;
} tuple;

typedef struct bucket {
    tuple *tuples;
    size_t count, capacity;
} bucket;

/* What a bucket's tuples become. */
typedef struct run {
    uint64_t hash;  /* of its threads */
    uint32_t count; /* of them; they follow those of the run before */
    bool is_line;
} run;
typedef struct runs {
    run *run;
    uint32_t *thread;
    size_t count, threads;
    uint64_t alone, dropped;
    /* Lines that one thread touches: its number for each. */
    uint32_t *private_thread;
    size_t private_count;
} runs;

typedef struct worker {
    bucket buckets[BUCKETS];
    uint32_t *steps; /* [lanes * accesses]: of the block in hand */
    uint64_t *lines; /* [lanes * RECENT]: that each lane of the block touched last, plus 1 */
    struct reading *reading;
    uint64_t block;
} worker;

typedef struct reading {
    hd_trace *trace;
    const hd_diag *diag;
    const hd_trace_launch *launch;
    uint32_t row, number; /* of the launch in the trace, and among those of the group */
    const hd_sharing_options *options;
    hd_sharing *sharing;
    uint32_t *steps; /* [threads * accesses of the launches]: sums */
    uint64_t *start; /* [accesses * threads]: of the first launch; UINT64_MAX: none */
    uint32_t line_shift;
    uint64_t share, shares;
    worker *workers;
    runs runs[BUCKETS];
    const hd_event_launch *event_launch;
} reading;

static void put(worker *w, uint64_t key, uint32_t thread, bool is_line) {
    bucket *b = &w->buckets[key >> 56];
    if (b->count == b->capacity) {
        b->capacity = b->capacity ? b->capacity * 3 / 2 : 1024;
        b->tuples = hd_checked(realloc(b->tuples, b->capacity * sizeof *b->tuples));
    }
    b->tuples[b->count++] = (tuple){key, thread, is_line};
}

/* ---- a block --------------------------------------------------------------------------------- */

static void *open_block(void *self, uint64_t block) {
    worker *w = self;
    w->block = block;
    memset(w->lines, 0, (size_t)w->reading->sharing->block_threads * RECENT * sizeof *w->lines);
    memset(w->steps, 0,
           (size_t)w->reading->sharing->block_threads * w->reading->launch->launch.access_count *
               sizeof *w->steps);
    return w;
}

/* A loop over a row touches the same few lines again and again. */
static bool is_recent(worker *w, uint64_t line, uint32_t lane) {
    uint64_t *at = &w->lines[(size_t)lane * RECENT + line % RECENT];
    bool recent = *at == line + 1;
    *at = line + 1;
    return recent;
}

static void hear(void *stream, const hd_event *e) {
    worker *w = stream;
    const reading *r = w->reading;
    const hd_event_launch *launch = &r->launch->launch;
    const hd_event_access *access = &launch->accesses[e->access];
    bool counts = hd_event_space(launch, e) == KIR_GLOBAL;
    uint64_t segment = hd_device_segment_for(r->options->device, access->width);
    uint64_t first_thread = w->block * r->sharing->block_threads;
    for (uint32_t lane = 0; lane < e->threads; lane++) {
        if (!hd_event_active(e, lane))
            continue;
        uint32_t step = w->steps[(size_t)lane * launch->access_count + e->access]++;
        if (!counts)
            continue;
        uint64_t address = hd_event_address(e, lane), last = address + access->width - 1;
        uint64_t *start = &r->start[(uint64_t)e->access * r->sharing->threads + first_thread];
        if (address < start[lane] && !step && !r->number)
            start[lane] = address;
        uint64_t what = hd_hash_mix(hd_hash_mix(hd_hash_mix(1, r->number), e->access), step);
        for (uint64_t s = address / segment; s <= last / segment; s++) {
            uint64_t key = hd_hash_mix(what, s);
            if (key % r->shares == r->share)
                put(w, key, (uint32_t)(first_thread + lane), false);
        }
        for (uint64_t l = address >> r->line_shift; l <= last >> r->line_shift; l++)
            if (!is_recent(w, l, lane) && hd_hash_mix(0, l) % r->shares == r->share)
                put(w, hd_hash_mix(0, l), (uint32_t)(first_thread + lane), true);
    }
}

static hd_status close_block(void *self, void *stream, uint64_t block, bool complete) {
    (void)self, (void)block, (void)complete;
    worker *w = stream;
    reading *r = w->reading;
    uint64_t first_thread = w->block * r->sharing->block_threads;
    if (r->share == 0) {
        uint32_t each = r->launch->launch.access_count;
        uint32_t *to = &r->steps[first_thread * each];
        for (size_t i = 0; i < (size_t)r->sharing->block_threads * each; i++)
            to[i] += w->steps[i];
    }
    return HD_OK;
}

static bool is_stopped(const hd_trace_watch *watch) { return watch && watch->stop && *watch->stop; }

static hd_status read_block(void *self, uint32_t number, uint64_t block) {
    reading *r = self;
    if (is_stopped(r->options->watch))
        return HD_OK;
    worker *w = &r->workers[number];
    hd_sink sink = {.self = w, .open_block = open_block, .event = hear, .close_block = close_block};
    return hd_trace_replay_block(r->trace, r->diag, r->row, r->launch->blocks[block].block, &sink);
}

/* ---- a bucket ---------------------------------------------------------------------------------- */

/* By key: in passes of 11 bits by 33 of them; the few that are equal there and not elsewhere, by
 * insertion. The result is in `other`. */
static void sort_tuples(tuple *tuples, tuple *other, size_t count) {
    enum { BITS = 11, PASSES = 3 };
    tuple *from = tuples, *to = other;
    for (uint32_t shift = 0; shift < BITS * PASSES; shift += BITS) {
        size_t at[(1 << BITS) + 1] = {0};
        for (size_t i = 0; i < count; i++)
            at[(from[i].key >> shift & ((1 << BITS) - 1)) + 1]++;
        for (uint32_t d = 0; d < 1 << BITS; d++)
            at[d + 1] += at[d];
        for (size_t i = 0; i < count; i++)
            to[at[from[i].key >> shift & ((1 << BITS) - 1)]++] = from[i];
        tuple *swap = from;
        from = to;
        to = swap;
    }
    const uint64_t mask = (UINT64_C(1) << BITS * PASSES) - 1;
    for (size_t i = 1; i < count; i++) {
        tuple t = other[i];
        size_t k = i;
        for (; k > 0 && (other[k - 1].key & mask) == (t.key & mask) && other[k - 1].key > t.key;
             k--)
            other[k] = other[k - 1];
        other[k] = t;
    }
}

static int by_thread(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* Ascending; most nets are of few threads. */
static void sort_threads(uint32_t *threads, uint32_t count) {
    enum { FEW = 24 };
    if (count > FEW) {
        qsort(threads, count, sizeof *threads, by_thread);
        return;
    }
    for (uint32_t i = 1; i < count; i++) {
        uint32_t t = threads[i], k = i;
        for (; k > 0 && threads[k - 1] > t; k--)
            threads[k] = threads[k - 1];
        threads[k] = t;
    }
}

static hd_status make_runs(void *self, uint32_t number, uint64_t b) {
    (void)number;
    reading *r = self;
    runs *out = &r->runs[b];
    uint32_t workers = r->options->workers;
    size_t count = 0;
    for (uint32_t w = 0; w < workers; w++)
        count += r->workers[w].buckets[b].count;
    *out = (runs){0};
    if (!count)
        return HD_OK;
    tuple *all = hd_checked(malloc(count * sizeof *all));
    tuple *sorted = hd_checked(malloc(count * sizeof *sorted));
    size_t at = 0;
    for (uint32_t w = 0; w < workers; w++) {
        bucket *from = &r->workers[w].buckets[b];
        if (from->count)
            memcpy(all + at, from->tuples, from->count * sizeof *all);
        at += from->count;
        from->count = 0;
    }
    sort_tuples(all, sorted, count);
    free(all);

    out->run = hd_checked(malloc(count * sizeof *out->run));
    out->thread = hd_checked(malloc(count * sizeof *out->thread));
    out->private_thread = hd_checked(malloc(count * sizeof *out->private_thread));
    for (size_t i = 0, end; i < count; i = end) {
        uint32_t *threads = out->thread + out->threads, n = 0, different = 0;
        for (end = i; end < count && sorted[end].key == sorted[i].key; end++)
            threads[n++] = sorted[end].thread;
        bool is_line = sorted[i].is_line;
        sort_threads(threads, n);
        for (uint32_t t = 0; t < n; t++)
            if (!t || threads[t] != threads[different - 1])
                threads[different++] = threads[t];
        if (different == 1 && is_line)
            out->private_thread[out->private_count++] = threads[0];
        else if (different == 1)
            out->alone++;
        else if (is_line && different > HD_SHARING_WIDEST)
            out->dropped++;
        else {
            uint64_t hash = is_line;
            for (uint32_t t = 0; t < different; t++)
                hash = hd_hash_mix(hash, threads[t]);
            out->run[out->count++] = (run){hash, different, is_line};
            out->threads += different;
        }
    }
    free(sorted);
    return HD_OK;
}

/* ---- nets -------------------------------------------------------------------------------------- */

typedef struct growing {
    hd_nets *nets;
    size_t net_capacity, thread_capacity;
    hd_hash_table by_hash; /* of sets of threads: the first net of the hash */
} growing;

static void add_net(growing *g, const run *of, const uint32_t *threads, uint32_t weight) {
    hd_nets *nets = g->nets;
    uint64_t hash = of->hash;
    for (;; hash++) { /* another set with the same hash has the next one */
        uint64_t n = hd_hash_add(&g->by_hash, hash, nets->count);
        if (n == nets->count)
            break;
        if (nets->first[n + 1] - nets->first[n] == of->count &&
            !memcmp(nets->thread + nets->first[n], threads, of->count * sizeof *threads)) {
            nets->weight[n] += weight;
            return;
        }
    }
    if (nets->count + 2 > g->net_capacity) {
        g->net_capacity = g->net_capacity ? g->net_capacity * 3 / 2 : 4096;
        nets->first = hd_checked(realloc(nets->first, (g->net_capacity + 1) * sizeof *nets->first));
        nets->weight = hd_checked(realloc(nets->weight, g->net_capacity * sizeof *nets->weight));
        if (!nets->count)
            nets->first[0] = 0;
    }
    uint64_t at = nets->first[nets->count];
    if (at + of->count > g->thread_capacity) {
        g->thread_capacity = (at + of->count) * 3 / 2 + 4096;
        nets->thread = hd_checked(realloc(nets->thread, g->thread_capacity * sizeof *nets->thread));
    }
    memcpy(nets->thread + at, threads, of->count * sizeof *threads);
    nets->weight[nets->count++] = weight;
    nets->first[nets->count] = at + of->count;
}

static void collect(reading *r, growing *requests, growing *lines) {
    hd_sharing *s = r->sharing;
    for (uint32_t b = 0; b < BUCKETS; b++) {
        runs *from = &r->runs[b];
        const uint32_t *threads = from->thread;
        for (size_t i = 0; i < from->count; i++) {
            add_net(from->run[i].is_line ? lines : requests, &from->run[i], threads,
                    from->run[i].is_line ? s->line : 1);
            threads += from->run[i].count;
        }
        for (size_t i = 0; i < from->private_count; i++)
            s->private_bytes[from->private_thread[i]] += s->line;
        s->alone += from->alone;
        s->dropped_lines += from->dropped;
        free(from->run);
        free(from->thread);
        free(from->private_thread);
        *from = (runs){0};
    }
}

/* From malloc's memory into the arena's. */
static void settle(hd_arena *arena, growing *g) {
    hd_nets *nets = g->nets;
    hd_nets kept = {.count = nets->count};
    uint64_t threads = nets->count ? nets->first[nets->count] : 0;
    kept.first = hd_new_array(arena, uint64_t, nets->count + 1);
    kept.thread = hd_new_array(arena, uint32_t, threads + 1);
    kept.weight = hd_new_array(arena, uint32_t, nets->count + 1);
    if (nets->count) {
        memcpy(kept.first, nets->first, (nets->count + 1) * sizeof *kept.first);
        memcpy(kept.thread, nets->thread, threads * sizeof *kept.thread);
        memcpy(kept.weight, nets->weight, nets->count * sizeof *kept.weight);
    }
    free(nets->first);
    free(nets->thread);
    free(nets->weight);
    *nets = kept;
    hd_hash_free(&g->by_hash);
}

/* Accesses that all threads execute equally often become one. */
static void merge_steps(hd_arena *arena, const reading *r, uint32_t accesses) {
    hd_sharing *s = r->sharing;
    uint64_t *hash = hd_zeroed(accesses + 1, sizeof *hash);
    for (uint32_t t = 0; t < s->threads; t++)
        for (uint32_t a = 0; a < accesses; a++)
            hash[a] = hd_hash_mix(hash[a], r->steps[(size_t)t * accesses + a]);
    uint32_t *first = hd_zeroed(accesses + 1, sizeof *first);
    s->issues = hd_new_array(arena, uint32_t, accesses + 1);
    for (uint32_t a = 0; a < accesses; a++) {
        uint32_t k = 0;
        while (k < s->accesses && hash[first[k]] != hash[a])
            k++;
        if (k == s->accesses)
            first[s->accesses++] = a;
        s->issues[k]++;
    }
    s->steps = hd_new_array(arena, uint32_t, (size_t)s->threads * s->accesses + 1);
    for (uint32_t t = 0; t < s->threads; t++)
        for (uint32_t k = 0; k < s->accesses; k++)
            s->steps[(size_t)t * s->accesses + k] = r->steps[(size_t)t * accesses + first[k]];
    free(hash);
    free(first);
}

/* Accesses that lead threads to different places. */
static void keep_starts(hd_arena *arena, const reading *r, uint32_t accesses) {
    hd_sharing *s = r->sharing;
    size_t threads = s->threads;
    s->start = hd_new_array(arena, uint64_t, threads *accesses + 1);
    for (uint32_t a = 0; a < accesses; a++) {
        const uint64_t *from = &r->start[a * threads];
        uint64_t least = UINT64_MAX, most = 0;
        for (size_t t = 0; t < threads; t++) {
            least = from[t] < least ? from[t] : least;
            most = from[t] != UINT64_MAX && from[t] > most ? from[t] : most;
        }
        if (most > least)
            memcpy(&s->start[s->starts++ * threads], from, threads * sizeof *from);
    }
}

/* A map of the threads of such a launch can be made. */
static hd_status check_launch(const hd_diag *diag, const hd_trace_contents *contents,
                              const hd_event_launch *launch) {
    hd_place place = {.file = contents->source};
    if (launch->block_threads <= 2048 && launch->block_count * launch->block_threads < UINT32_MAX)
        return HD_OK;
    return hd_fail(diag, HD_EUNSUPPORTED, contents->source ? &place : NULL,
                   "kernel '%s' has %llu blocks of %u threads; a map is made for less than 2^32 "
                   "threads, in blocks of at most 2048",
                   launch->kernel, (unsigned long long)launch->block_count, launch->block_threads);
}

static void open_reading(reading *r, const hd_event_launch *launch) {
    uint32_t lanes = launch->block_threads, workers = r->options->workers;
    size_t steps = (size_t)r->sharing->threads * launch->access_count;
    while (((uint64_t)1 << r->line_shift) < r->options->line)
        r->line_shift++;
    r->steps = hd_zeroed(steps + 1, sizeof *r->steps);
    r->start = hd_checked(malloc((steps + 1) * sizeof *r->start));
    memset(r->start, 0xff, steps * sizeof *r->start);
    r->workers = hd_zeroed(workers, sizeof *r->workers);
    for (uint32_t w = 0; w < workers; w++)
        r->workers[w] =
            (worker){.reading = r,
                     .steps = hd_zeroed((size_t)lanes * launch->access_count + 1, sizeof(uint32_t)),
                     .lines = hd_zeroed((size_t)lanes * RECENT, sizeof(uint64_t))};
}

static void close_reading(reading *r) {
    for (uint32_t w = 0; w < r->options->workers; w++) {
        for (uint32_t b = 0; b < BUCKETS; b++)
            free(r->workers[w].buckets[b].tuples);
        free(r->workers[w].lines);
        free(r->workers[w].steps);
    }
    free(r->workers);
    free(r->start);
    free(r->steps);
}

/* The nets of the share of the keys that is in hand. */
static hd_status read_share(reading *r, const uint32_t *launches, uint32_t launch_count,
                            growing *requests, growing *lines) {
    const hd_sharing_options *options = r->options;
    const hd_trace_watch *watch = options->watch;
    uint64_t failed;
    for (uint32_t l = 0; l < launch_count; l++) {
        r->row = launches[l];
        r->number = l;
        r->launch = &hd_trace_get(r->trace)->launches[r->row];
        hd_status status =
            hd_in_parallel(options->workers, r->launch->block_count, read_block, r, &failed);
        if (watch && watch->progress)
            watch->progress(watch->user, "collecting what threads share",
                            ((double)r->share * launch_count + l + 1) /
                                ((double)r->shares * launch_count));
        if (status != HD_OK)
            return status;
    }
    if (!is_stopped(watch)) {
        hd_in_parallel(options->workers, BUCKETS, make_runs, r, &failed);
        collect(r, requests, lines);
    }
    return HD_OK;
}

hd_status hd_sharing_read(hd_arena *arena, const hd_diag *diag, hd_trace *trace,
                          const uint32_t *launches, uint32_t launch_count,
                          const hd_sharing_options *asked, hd_sharing **result) {
    const hd_trace_contents *contents = hd_trace_get(trace);
    const hd_event_launch *launch = &contents->launches[launches[0]].launch;
    hd_sharing_options options = *asked;
    options.memory = options.memory ? options.memory : UINT64_C(1) << 30;
    options.workers = options.workers ? options.workers : hd_core_count();
    options.line = options.line ? options.line : options.device->segment;
    hd_status status = check_launch(diag, contents, launch);
    if (status != HD_OK)
        return status;

    hd_sharing *s = hd_new(arena, hd_sharing);
    s->block_threads = launch->block_threads;
    s->threads = (uint32_t)(launch->block_count * launch->block_threads);
    s->warp = hd_device_request_lanes(options.device);
    s->segment = options.device->segment;
    s->line = options.line;
    s->private_bytes = hd_new_array(arena, uint32_t, s->threads + 1);

    reading r = {.trace = trace, .diag = diag, .options = &options, .sharing = s};
    uint64_t accesses = 0;
    for (uint32_t l = 0; l < launch_count; l++)
        accesses += contents->launches[launches[l]].lane_accesses;
    /* Each is a tuple and a line, and both stand twice while they are sorted. */
    r.shares = 1 + accesses * 2 * TUPLE_BYTES / options.memory;
    open_reading(&r, launch);
    growing requests = {.nets = &s->requests}, lines = {.nets = &s->lines};
    for (; r.share < r.shares && status == HD_OK; r.share++)
        status = read_share(&r, launches, launch_count, &requests, &lines);
    settle(arena, &requests);
    settle(arena, &lines);
    merge_steps(arena, &r, launch->access_count);
    keep_starts(arena, &r, launch->access_count);
    close_reading(&r);
    *result = s;
    return status;
}
