/*
 * Orders of threads, of what a program knows of its launch: lists become the data sharing graph
 * (order/sharing.h), whose stages then run.
 *
 * Each touch is one access, or two where the kernel reads its list, too; a thread's k-th execution
 * of it happens in the warp's k-th step. Arrays are taken to begin with a segment.
 *
 *     lists of touches ──requests: by access, step and segment──┐
 *                      ──lines: by array and line──────────────┴─► hd_sharing ──► hd_order_threads()
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "order/orders.h"
#include "remap/remap_order.h"

enum {
    USUAL_WARP = 32,
    USUAL_SEGMENT = 32,
    LARGEST_ELEMENT = 65536,
    WIDEST_LINE = 1024, /* a line that more threads touch tells nothing */
    BYTES_OF_PIN = 64,  /* with what the stages have beside the graph */
    BYTES_OF_THREAD = 128
};

#define MOST_BYTES (UINT64_C(1) << 48) /* of an array */

/* One instruction of the kernel: thread t touches, in its step k, an element of `bytes`. */
typedef struct access {
    const hd_remap_touch *touch;
    bool reads_list; /* of the list itself */
    uint32_t bytes, times;
    uint64_t segments, first_line; /* of its array; of the lines of all arrays */
    uint32_t issue;                /* of hd_sharing.issues */
} access;

typedef struct building {
    const hd_diag *diag;
    const hd_remap_launch *launch;
    hd_sharing sharing;
    access *accesses;
    uint32_t access_count;
    uint64_t lines; /* of all arrays */
    uint64_t pins;  /* threads of all nets, at most */
} building;

/* ---- what a thread touches ------------------------------------------------------------------ */

static uint64_t steps_of(const access *a, uint64_t thread) {
    const hd_remap_lists *lists = a->touch->lists;
    if (!lists)
        return thread < a->touch->elements;
    return thread < lists->count
               ? hd_remap_list_begin(lists, thread + 1) - hd_remap_list_begin(lists, thread)
               : 0;
}

/* The segments [*first, *last] of step `step`; false: it touches nothing. */
static bool touched(const building *b, const access *a, uint64_t thread, uint64_t step,
                    uint64_t *first, uint64_t *last) {
    const hd_remap_lists *lists = a->touch->lists;
    uint64_t element = lists ? hd_remap_list_begin(lists, thread) + step : thread;
    if (lists && !a->reads_list)
        element = hd_remap_list_number(lists, element);
    if (element == HD_REMAP_NONE)
        return false;
    *first = element * a->bytes / b->sharing.segment;
    *last = ((element + 1) * a->bytes - 1) / b->sharing.segment;
    return true;
}

/* ---- checks ---------------------------------------------------------------------------------- */

static hd_status check_launch(const hd_diag *diag, const hd_remap_launch *launch,
                              const uint32_t *order) {
    hd_status status = hd_remap_needs(diag, {launch, "launch to order the threads of"},
                                      {order, "place for the order"});
    if (status == HD_OK)
        status = hd_remap_check_count(diag, launch->threads, "threads");
    if (status != HD_OK)
        return status;
    if (!launch->block || launch->threads % launch->block)
        return hd_fail(diag, HD_EINPUT, NULL,
                       "%" PRIu64 " threads are no whole blocks of %" PRIu32
                       "; a launch has whole blocks",
                       launch->threads, launch->block);
    if (launch->segment_bytes && !hd_is_power_of_two(launch->segment_bytes))
        return hd_fail(diag, HD_EINPUT, NULL,
                       "transactions of %" PRIu32 " bytes: only powers of two are such",
                       launch->segment_bytes);
    if (!launch->touches || !launch->touch_count)
        return hd_fail(diag, HD_EINPUT, NULL, "the launch touches nothing (%" PRIu32 " touches%s)",
                       launch->touch_count, launch->touches ? "" : ", NULL");
    return HD_OK;
}

static hd_status check_touch(building *b, const hd_remap_touch *touch, uint32_t number) {
    char what[32];
    uint64_t numbers = 0;
    if (!touch->element_bytes || touch->element_bytes > LARGEST_ELEMENT)
        return hd_fail(b->diag, HD_EINPUT, NULL,
                       "touch %" PRIu32 " is of %" PRIu32 " bytes at once; 1 to %d can be counted",
                       number, touch->element_bytes, LARGEST_ELEMENT);
    if (touch->elements > MOST_BYTES / touch->element_bytes)
        return hd_fail(b->diag, HD_EINPUT, NULL,
                       "touch %" PRIu32 " is of an array of %" PRIu64 " elements of %" PRIu32
                       " bytes; there is none of more than 2^48 bytes",
                       number, touch->elements, touch->element_bytes);
    if (touch->reads_lists && !touch->lists)
        return hd_fail(b->diag, HD_EINPUT, NULL,
                       "touch %" PRIu32 " has no lists that the kernel could read", number);
    if (touch->lists) {
        snprintf(what, sizeof what, "lists of touch %" PRIu32, number);
        hd_status status =
            hd_remap_check_lists(b->diag, touch->lists, what, touch->elements, &numbers);
        if (status != HD_OK)
            return status;
        if (hd_remap_list_begin(touch->lists, touch->lists->count) > MOST_BYTES / 8)
            return hd_fail(b->diag, HD_EINPUT, NULL, "%s: they end after 2^48 bytes", what);
        if (touch->lists->count > b->launch->threads)
            return hd_fail(b->diag, HD_EINPUT, NULL,
                           "%s: there are %" PRIu64 " of them, and %" PRIu64 " threads", what,
                           touch->lists->count, b->launch->threads);
    } else
        numbers = touch->elements < b->launch->threads ? touch->elements : b->launch->threads;
    uint32_t segment = b->sharing.segment;
    b->pins += numbers * (1 + (touch->element_bytes + segment - 2) / segment) +
               (touch->reads_lists ? numbers : 0);
    return HD_OK;
}

/* ---- accesses ---------------------------------------------------------------------------------- */

static void add_access(building *b, const hd_remap_touch *touch, bool reads_list) {
    uint64_t segment = b->sharing.segment, elements = touch->elements;
    access a = {.touch = touch,
                .reads_list = reads_list,
                .bytes = reads_list ? touch->lists->index_bytes : touch->element_bytes,
                .times = touch->arrays && !reads_list ? touch->arrays : 1,
                .first_line = b->lines};
    if (reads_list)
        elements = hd_remap_list_begin(touch->lists, touch->lists->count);
    a.segments = (elements * a.bytes + segment - 1) / segment;
    const void *array = reads_list ? touch->lists->number : touch->array;
    b->lines += a.segments;
    for (uint32_t i = 0; i < b->access_count; i++) {
        const access *other = &b->accesses[i];
        const void *its = other->reads_list ? other->touch->lists->number : other->touch->array;
        if (array && its == array && other->segments == a.segments) {
            a.first_line = other->first_line;
            b->lines -= a.segments;
            break;
        }
    }
    /* Those of the same lists are issued as often, by every warp. */
    uint32_t k = 0;
    while (k < b->access_count && b->accesses[k].touch->lists != touch->lists)
        k++;
    a.issue = k < b->access_count ? b->accesses[k].issue : b->sharing.accesses++;
    b->accesses[b->access_count++] = a;
}

/* ---- requests ---------------------------------------------------------------------------------- */

/* What place[segment] holds in a step: how many threads touch it, and then, with this bit, where in
 * hd_nets.thread the next of them goes. */
#define IS_PLACE (UINT64_C(1) << 63)

/* Nets of one step of an access, which `active` threads take. */
static void add_step(building *b, const access *a, uint64_t step, const uint32_t *active,
                     uint32_t active_count, uint64_t *place) {
    hd_nets *nets = &b->sharing.requests;
    uint64_t s, last;
    for (uint32_t i = 0; i < active_count; i++)
        if (touched(b, a, active[i], step, &s, &last))
            for (; s <= last; s++)
                place[s]++;
    for (uint32_t i = 0; i < active_count; i++) {
        if (!touched(b, a, active[i], step, &s, &last))
            continue;
        for (; s <= last; s++) {
            if (place[s] == 1) {
                b->sharing.alone += a->times;
                continue;
            }
            if (!(place[s] & IS_PLACE)) {
                uint64_t begin = nets->first[nets->count];
                nets->weight[nets->count++] = a->times;
                nets->first[nets->count] = begin + place[s];
                place[s] = IS_PLACE | begin;
            }
            nets->thread[place[s]++ & ~IS_PLACE] = active[i];
        }
    }
    for (uint32_t i = 0; i < active_count; i++)
        if (touched(b, a, active[i], step, &s, &last))
            for (; s <= last; s++)
                place[s] = 0;
}

static void add_requests(building *b, uint32_t *active, uint64_t *place) {
    for (uint32_t n = 0; n < b->access_count; n++) {
        const access *a = &b->accesses[n];
        uint32_t count = 0;
        for (uint32_t t = 0; t < b->sharing.threads; t++)
            if (steps_of(a, t))
                active[count++] = t;
        for (uint64_t step = 0; count; step++) {
            add_step(b, a, step, active, count, place);
            uint32_t kept = 0;
            for (uint32_t i = 0; i < count; i++)
                if (steps_of(a, active[i]) > step + 1)
                    active[kept++] = active[i];
            count = kept;
        }
    }
}

/* ---- lines -------------------------------------------------------------------------------------- */

typedef struct line {
    uint64_t place; /* first how many threads touch it, then where the next of them goes */
    uint32_t last;  /* thread that was counted, plus 1 */
} line;

typedef void line_fn(building *b, const access *a, line *l, uint32_t thread);

/* Calls `hear` once for each thread and line, threads ascending. */
static void walk_lines(building *b, line *lines, line_fn *hear) {
    for (uint64_t l = 0; l < b->lines; l++)
        lines[l].last = 0;
    for (uint32_t t = 0; t < b->sharing.threads; t++)
        for (uint32_t n = 0; n < b->access_count; n++) {
            const access *a = &b->accesses[n];
            uint64_t steps = steps_of(a, t), s, last;
            for (uint64_t step = 0; step < steps; step++)
                for (bool any = touched(b, a, t, step, &s, &last); any && s <= last; s++) {
                    line *l = &lines[a->first_line + s];
                    if (l->last == t + 1)
                        continue;
                    l->last = t + 1;
                    hear(b, a, l, t);
                }
        }
}

static void count_line(building *b, const access *a, line *l, uint32_t thread) {
    (void)b, (void)a, (void)thread;
    l->place++;
}

static void add_to_line(building *b, const access *a, line *l, uint32_t thread) {
    hd_nets *nets = &b->sharing.lines;
    uint32_t bytes = b->sharing.line * a->times;
    if (l->place == 1)
        b->sharing.private_bytes[thread] += bytes;
    else if (!(l->place & IS_PLACE) && l->place > WIDEST_LINE) {
        b->sharing.dropped_lines++;
        l->place = UINT64_MAX;
    } else if (l->place != UINT64_MAX) {
        if (!(l->place & IS_PLACE)) {
            uint64_t begin = nets->first[nets->count];
            nets->weight[nets->count++] = bytes;
            nets->first[nets->count] = begin + l->place;
            l->place = IS_PLACE | begin;
        }
        nets->thread[l->place++ & ~IS_PLACE] = thread;
    }
}

/* ---- the graph ------------------------------------------------------------------------------------ */

static bool new_nets(hd_nets *nets, uint64_t pins) {
    uint64_t most = pins / 2 + 1; /* a net has two threads at least */
    nets->first = malloc((most + 1) * sizeof *nets->first);
    nets->thread = malloc((pins + 1) * sizeof *nets->thread);
    nets->weight = malloc(most * sizeof *nets->weight);
    if (!nets->first || !nets->thread || !nets->weight)
        return false;
    nets->first[0] = 0;
    return true;
}

static void free_building(building *b) {
    free(b->sharing.requests.first);
    free(b->sharing.requests.thread);
    free(b->sharing.requests.weight);
    free(b->sharing.lines.first);
    free(b->sharing.lines.thread);
    free(b->sharing.lines.weight);
    free(b->sharing.private_bytes);
    free(b->sharing.steps);
    free(b->sharing.issues);
    free(b->sharing.start);
    free(b->accesses);
}

static void add_steps(building *b) {
    hd_sharing *s = &b->sharing;
    for (uint32_t n = 0; n < b->access_count; n++) {
        const access *a = &b->accesses[n];
        if (!s->issues[a->issue])
            for (uint32_t t = 0; t < s->threads; t++)
                s->steps[(size_t)t * s->accesses + a->issue] = (uint32_t)steps_of(a, t);
        s->issues[a->issue] += a->times;
    }
}

/* Two columns of starts for each touch with lists: the first number of a thread's, and the least. */
static void add_starts(building *b) {
    hd_sharing *s = &b->sharing;
    for (uint32_t n = 0; n < b->access_count; n++) {
        const access *a = &b->accesses[n];
        const hd_remap_lists *lists = a->touch->lists;
        if (!lists || a->reads_list)
            continue;
        uint64_t *first = &s->start[(size_t)s->starts * s->threads], *least = first + s->threads;
        for (uint32_t t = 0; t < s->threads; t++) {
            uint64_t begin = t < lists->count ? hd_remap_list_begin(lists, t) : 0;
            first[t] = least[t] = HD_REMAP_NONE;
            for (uint64_t at = begin; at < begin + steps_of(a, t); at++) {
                uint64_t number = hd_remap_list_number(lists, at);
                first[t] = first[t] == HD_REMAP_NONE ? number : first[t];
                least[t] = number < least[t] ? number : least[t];
            }
        }
        s->starts += 2;
    }
}

static hd_status build(building *b) {
    hd_sharing *s = &b->sharing;
    const hd_remap_launch *launch = b->launch;
    b->accesses = calloc(2 * (size_t)launch->touch_count, sizeof *b->accesses);
    hd_status status = HD_OK;
    for (uint32_t i = 0; b->accesses && i < launch->touch_count && status == HD_OK; i++) {
        status = check_touch(b, &launch->touches[i], i);
        if (status == HD_OK)
            add_access(b, &launch->touches[i], false);
        if (status == HD_OK && launch->touches[i].reads_lists)
            add_access(b, &launch->touches[i], true);
    }
    if (status == HD_OK)
        status =
            hd_remap_check_room(b->diag,
                                b->pins * BYTES_OF_PIN + b->lines * (sizeof(line) + 8) +
                                    s->threads * (BYTES_OF_THREAD + 24 * (uint64_t)b->access_count),
                                s->threads, "threads");
    if (status != HD_OK)
        return status;
    uint32_t *active = malloc(s->threads * sizeof *active);
    uint64_t *place = calloc(b->lines + 1, sizeof *place);
    line *lines = calloc(b->lines + 1, sizeof *lines);
    s->private_bytes = calloc(s->threads, sizeof *s->private_bytes);
    s->steps = calloc((size_t)s->threads * s->accesses, sizeof *s->steps);
    s->issues = calloc(s->accesses, sizeof *s->issues);
    s->start = malloc(2 * (size_t)b->access_count * s->threads * sizeof *s->start);
    bool room = b->accesses && new_nets(&s->requests, b->pins) && new_nets(&s->lines, b->pins) &&
                active && place && lines && s->private_bytes && s->steps && s->issues && s->start;
    if (room) {
        add_steps(b);
        add_starts(b);
        add_requests(b, active, place);
        walk_lines(b, lines, count_line);
        walk_lines(b, lines, add_to_line);
    } else
        status = hd_fail(b->diag, HD_ESYSTEM, NULL,
                         "no memory to order %" PRIu32 " threads by %" PRIu64 " numbers",
                         s->threads, b->pins);
    free(active);
    free(place);
    free(lines);
    return status;
}

/* ---- the order ------------------------------------------------------------------------------------- */

static hd_remap_traffic traffic_of(const hd_sharing *sharing, const uint32_t *order) {
    hd_sharing_cost cost = hd_sharing_count(sharing, order);
    return (hd_remap_traffic){cost.transactions, cost.issues};
}

hd_status hd_remap_order_threads(const hd_diag *diag, const hd_remap_launch *launch,
                                 uint32_t *order, hd_remap_expected *expected) {
    double start = hd_clock();
    building b = {.diag = diag, .launch = launch};
    hd_remap_expected made = {0};
    hd_status status = check_launch(diag, launch, order);
    if (status != HD_OK)
        return status;
    b.sharing.threads = (uint32_t)launch->threads;
    b.sharing.block_threads = launch->block;
    b.sharing.warp = launch->warp ? launch->warp : USUAL_WARP;
    b.sharing.segment = launch->segment_bytes ? launch->segment_bytes : USUAL_SEGMENT;
    b.sharing.line = b.sharing.segment;
    status = build(&b);
    if (status == HD_OK) {
        hd_stages stages = {.threads = true,
                            .warps = true,
                            .blocks = true,
                            .partitioner = HD_PART_GREEDY,
                            .refine = true,
                            .whole_blocks = launch->whole_blocks,
                            .workers = launch->workers};
        hd_arena *arena = hd_arena_new();
        for (uint32_t t = 0; t < b.sharing.threads; t++)
            order[t] = t;
        made.before = traffic_of(&b.sharing, NULL);
        status = hd_order_threads(diag, &b.sharing, &stages, order);
        hd_arena_free(arena);
    }
    if (status == HD_OK)
        made.after = traffic_of(&b.sharing, order);
    /* Of whole blocks the counts stay, and caches gain. */
    bool is_worse = !launch->whole_blocks && made.after.transactions + made.after.requests >=
                                                 made.before.transactions + made.before.requests;
    for (uint32_t t = 0; status == HD_OK && is_worse && t < b.sharing.threads; t++)
        order[t] = t;
    if (is_worse)
        made.after = made.before;
    free_building(&b);
    made.seconds = hd_clock() - start;
    if (status == HD_OK && expected)
        *expected = made;
    return status;
}
