/*
 * A bucket's touches are dealt out to their elements by counting, put in the order of
 * positions (they nearly are: each worker brings them in runs that ascend), and those at
 * the same position become one with the sum of their weights. Then an element touched at
 * positions p0 < p1 < ... with multiplicities m0, m1, ... adds
 *
 *     for every i < j of one stream      m[j]  at distance  p[j] - p[i]
 *
 * which is what Algorithm 1 (chapter V) finds by comparing all pairs of MIs. Elements one
 * after another that have the same positions, as lanes side by side do, are taken together:
 * only their multiplicities differ, and those add up.
 */
#include <stdlib.h>

#include "locality/correlate.h"
#include "locality/lists.h"

typedef struct position_list {
    uint32_t *position;
    uint64_t *weight;
    uint64_t count, room;
} position_list;

static void *grown(void *memory, size_t size) {
    return hd_checked(realloc(memory, size ? size : 1));
}

/* ---- an element's touches, sorted: position << 32 | weight ---------------------------------- */

static void merge(const uint64_t *a, uint64_t a_count, const uint64_t *b, uint64_t b_count,
                  uint64_t *to) {
    while (a_count && b_count)
        if (*b < *a) {
            *to++ = *b++;
            b_count--;
        } else {
            *to++ = *a++;
            a_count--;
        }
    memcpy(to, a, a_count * sizeof *a);
    memcpy(to + a_count, b, b_count * sizeof *b);
}

static uint64_t run_length(const uint64_t *entries, uint64_t count) {
    uint64_t n = count ? 1 : 0;
    while (n < count && entries[n - 1] <= entries[n])
        n++;
    return n;
}

/* Merges neighbouring ascending runs until there is one; the result is in *entries. */
static void sort_runs(uint64_t **entries, uint64_t **spare, uint64_t count) {
    while (run_length(*entries, count) < count) {
        for (uint64_t at = 0, next; at < count; at = next) {
            uint64_t a = run_length(*entries + at, count - at);
            uint64_t b = run_length(*entries + at + a, count - at - a);
            merge(*entries + at, a, *entries + at + a, b, *spare + at);
            next = at + a + b;
        }
        uint64_t *sorted = *spare;
        *spare = *entries;
        *entries = sorted;
    }
}

/* Entries in order become a list. */
static void make_list(const uint64_t *entries, uint64_t count, position_list *list) {
    if (list->room < count) {
        list->room = count;
        list->position = grown(list->position, count * sizeof *list->position);
        list->weight = grown(list->weight, count * sizeof *list->weight);
    }
    list->count = 0;
    for (uint64_t i = 0; i < count; i++) {
        uint32_t position = (uint32_t)(entries[i] >> 32);
        if (!list->count || list->position[list->count - 1] != position) {
            list->position[list->count] = position;
            list->weight[list->count++] = 0;
        }
        list->weight[list->count - 1] += (uint32_t)entries[i];
    }
}

/* ---- what a list adds ------------------------------------------------------------------------ */

static void add_pairs(const uint32_t *position, const uint64_t *weight, uint64_t count,
                      uint64_t *degree) {
    for (uint64_t j = 1; j < count; j++)
        for (uint64_t i = 0; i < j; i++)
            degree[position[j] - position[i]] += weight[j];
}

/* The part of a list that lies in one stream. */
static void add_stream(const uint32_t *position, const uint64_t *weight, uint64_t count,
                       uint64_t *degree, lists_sum *sum) {
    for (uint64_t j = 1; j < count; j++)
        sum->total += (unsigned __int128)weight[j] * j;
    uint64_t span = position[count - 1] - position[0];
    if (count > 1 && correlate_cost(span) < 0.5 * (double)count * (double)count)
        correlate(position, weight, count, degree);
    else
        add_pairs(position, weight, count, degree);
}

static uint64_t stream_at(const reuse_plan *plan, uint64_t position) {
    uint64_t low = 0, high = plan->stream_count;
    while (high - low > 1) {
        uint64_t middle = (low + high) / 2;
        *(plan->stream_start[middle] <= position ? &low : &high) = middle;
    }
    while (plan->stream_start[low + 1] <= position) /* streams without MIs */
        low++;
    return low;
}

static void add_list(const reuse_plan *plan, const position_list *list, lists_sum *sum) {
    for (uint64_t first = 0, end; first < list->count; first = end) {
        uint64_t stream = stream_at(plan, list->position[first]);
        for (end = first; end < list->count && list->position[end] < plan->stream_start[stream + 1];
             end++)
            sum->accesses[stream] += list->weight[end];
        add_stream(list->position + first, list->weight + first, end - first,
                   sum->degree + plan->stream_start[stream], sum);
    }
}

/* Lists with the same positions are held back and added as one. */
static void hold_list(const reuse_plan *plan, lists_sum *sum) {
    position_list *held = sum->held, *next = sum->next;
    if (held->count == next->count &&
        !memcmp(held->position, next->position, held->count * sizeof *held->position)) {
        for (uint64_t i = 0; i < held->count; i++)
            held->weight[i] += next->weight[i];
        return;
    }
    add_list(plan, held, sum);
    sum->held = next;
    sum->next = held;
}

/* ---- a bucket -------------------------------------------------------------------------------- */

/* For each touch `t` of a bucket, worker by worker. */
#define EACH_TOUCH(all, number, t)                                                                 \
    for (uint32_t w_ = 0; w_ < (all)->workers; w_++)                                               \
        for (const touch_chunk *c_ = (all)->buckets[w_ * TOUCH_BUCKETS + (number)].chunks; c_;     \
             c_ = c_->next)                                                                        \
            for (const touch *t = c_->touches, *end_ = t + c_->count; t < end_; t++)

/* Deals touches out: entries of element e then end at counts[e]. */
static void deal(const touches *all, uint32_t number, uint64_t elements, lists_sum *sum) {
    uint64_t count = 0;
    if (sum->count_room < elements + 1) {
        sum->count_room = elements + 1;
        sum->counts = grown(sum->counts, sum->count_room * sizeof *sum->counts);
    }
    memset(sum->counts, 0, (elements + 1) * sizeof *sum->counts);
    EACH_TOUCH(all, number, t) {
        sum->counts[t->element + 1]++;
        count++;
    }
    if (sum->entry_room < count) {
        sum->entry_room = count;
        sum->entries = grown(sum->entries, count * sizeof *sum->entries);
        sum->spare = grown(sum->spare, count * sizeof *sum->spare);
    }
    for (uint64_t e = 1; e <= elements; e++)
        sum->counts[e] += sum->counts[e - 1];
    EACH_TOUCH(all, number, t)
    sum->entries[sum->counts[t->element]++] = (uint64_t)t->position << 32 | t->weight;
}

void lists_add(const reuse_plan *plan, const touches *all, uint32_t number, lists_sum *sum) {
    uint64_t elements = (all->page_count / TOUCH_BUCKETS + 1) * TOUCH_PAGE;
    deal(all, number, elements, sum);
    for (uint64_t e = 0, from = 0; e < elements; from = sum->counts[e++]) {
        uint64_t own = sum->counts[e] - from;
        if (!own)
            continue;
        uint64_t *sorted = sum->entries + from, *spare = sum->spare + from;
        sort_runs(&sorted, &spare, own);
        make_list(sorted, own, sum->next);
        sum->elements++;
        hold_list(plan, sum);
    }
    add_list(plan, sum->held, sum);
    sum->held->count = 0;
}

void lists_begin(const reuse_plan *plan, lists_sum *sum) {
    *sum = (lists_sum){0};
    uint64_t positions = plan->stream_start[plan->stream_count];
    sum->degree = hd_checked(calloc(positions + 1, sizeof *sum->degree));
    sum->accesses = hd_checked(calloc(plan->stream_count + 1, sizeof *sum->accesses));
    sum->held = hd_checked(calloc(1, sizeof *sum->held));
    sum->next = hd_checked(calloc(1, sizeof *sum->next));
}

static void free_list(position_list *list) {
    if (!list)
        return;
    free(list->position);
    free(list->weight);
    free(list);
}

void lists_free(lists_sum *sum) {
    free(sum->degree);
    free(sum->accesses);
    free(sum->counts);
    free(sum->entries);
    free(sum->spare);
    free_list(sum->held);
    free_list(sum->next);
    *sum = (lists_sum){0};
}
