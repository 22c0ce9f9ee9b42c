/*
 * Elements of a bucket that no touch tells apart are an interval:
 *
 *     touches      [----------]      [-]
 *                  [---]             [-]
 *     intervals    [0 ][1     ][2   ][3][4 ...
 *
 * The touches are distributed over the intervals by counting, put in the order of positions (they
 * nearly are: each worker brings them in runs that ascend), and those at the same position become
 * one with the sum of their weights. Then an element touched at
 * positions p0 < p1 < ... with multiplicities m0, m1, ... adds
 *
 *     for every i < j of one stream      m[j]  at distance  p[j] - p[i]
 *
 * which is what Algorithm 1 (chapter V) finds by comparing all pairs of MIs. Those of an interval
 * add as much each. Intervals one after another that have the same positions, as lanes side by
 * side do, are taken together: only their multiplicities differ, and those add up.
 */
#include <stdlib.h>

#include "analysis/reuse_parts.h"

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
        const uint32_t *position = list->position + first;
        const uint64_t *weight = list->weight + first, count = end - first;
        uint64_t *degree = sum->degree + plan->stream_start[stream];
        for (uint64_t j = 1; j < count; j++)
            sum->total += (unsigned __int128)weight[j] * j;
        uint64_t span = position[count - 1] - position[0];
        if (count > 1 && correlate_cost(span) < 0.5 * (double)count * (double)count)
            correlate(position, weight, count, degree);
        else
            for (uint64_t j = 1; j < count; j++)
                for (uint64_t i = 0; i < j; i++)
                    degree[position[j] - position[i]] += weight[j];
    }
}

/* Lists with the same positions are held back and added as one. */
static void hold_list(const reuse_plan *plan, lists_sum *sum) {
    position_list *held = &sum->held, *next = &sum->next;
    if (held->count == next->count &&
        !memcmp(held->position, next->position, held->count * sizeof *held->position)) {
        for (uint64_t i = 0; i < held->count; i++)
            held->weight[i] += next->weight[i];
        return;
    }
    add_list(plan, held, sum);
    const position_list added = *held;
    *held = *next;
    *next = added;
}

/* ---- a bucket -------------------------------------------------------------------------------- */

/* For each touch `t` of a bucket, source by source. */
#define EACH_TOUCH(all, number, t)                                                      \
    for (uint32_t s_ = 0; s_ < (all)->sources; s_++)                                    \
        for (const touch_chunk *c_ = (all)->buckets[s_ * TOUCH_BUCKETS + (number)]; c_; \
             c_ = c_->next)                                                             \
            for (const touch *t = c_->touches, *end_ = t + c_->count; t < end_; t++)

/* Finds the intervals and the number of touches of each, in `ends`. Returns how many intervals
 * there are. */
static uint32_t find_intervals(const touches *all, uint32_t number, uint64_t elements,
                               lists_sum *sum) {
    uint32_t *interval = sum->interval, last = 0;
    memset(interval, 0, (elements + 1) * sizeof *interval);
    EACH_TOUCH(all, number, t)
        interval[t->element] = interval[t->element + t->further + 1] = 1; /* one begins here */
    memset(sum->length, 0, (elements + 1) * sizeof *sum->length);
    memset(sum->ends, 0, (elements + 1) * sizeof *sum->ends);
    for (uint64_t e = 0; e <= elements; e++) {
        last += e && interval[e];
        interval[e] = last;
        sum->length[last]++;
    }
    EACH_TOUCH(all, number, t) {
        sum->ends[interval[t->element]]++;
        sum->ends[interval[t->element + t->further + 1]]--;
    }
    for (uint32_t i = 1; i <= last; i++)
        sum->ends[i] += sum->ends[i - 1];
    return last + 1;
}

/* Distributes touches over intervals first .. end - 1; the entries of each then end at its end. */
static void distribute(const touches *all, uint32_t number, uint32_t first, uint32_t end,
                       lists_sum *sum) {
    uint64_t at = 0;
    for (uint32_t i = first; i < end; i++) {
        uint64_t count = sum->ends[i];
        sum->ends[i] = at;
        at += count;
    }
    EACH_TOUCH(all, number, t) {
        uint32_t from = sum->interval[t->element];
        uint32_t to = sum->interval[t->element + t->further + 1];
        for (uint32_t i = from < first ? first : from; i < to && i < end; i++)
            sum->entries[sum->ends[i]++] =
                (uint64_t)t->position << 32 | (uint64_t)t->weight * sum->length[i];
    }
}

static void add_intervals(const reuse_plan *plan, uint32_t first, uint32_t end, lists_sum *sum) {
    uint64_t from = 0;
    for (uint32_t i = first; i < end; from = sum->ends[i++]) {
        uint64_t own = sum->ends[i] - from;
        if (!own)
            continue;
        uint64_t *sorted = sum->entries + from, *spare = sum->spare + from;
        sort_runs(&sorted, &spare, own);
        make_list(sorted, own, &sum->next);
        sum->elements += sum->length[i];
        hold_list(plan, sum);
    }
}

/* A touch of many intervals becomes many entries; there is room for as many as there are touches,
 * and so at least for one interval at a time. */
void lists_add(const reuse_plan *plan, const touches *all, uint32_t number, lists_sum *sum) {
    uint64_t elements = (all->pages.count / TOUCH_BUCKETS + 1) * TOUCH_PAGE, count = 0;
    for (uint32_t s = 0; s < all->sources; s++)
        for (const touch_chunk *c = all->buckets[s * TOUCH_BUCKETS + number]; c; c = c->next)
            count += c->count;
    if (!count)
        return;
    if (sum->element_room < elements + 1) {
        sum->element_room = elements + 1;
        sum->interval = grown(sum->interval, sum->element_room * sizeof *sum->interval);
        sum->length = grown(sum->length, sum->element_room * sizeof *sum->length);
        sum->ends = grown(sum->ends, sum->element_room * sizeof *sum->ends);
    }
    if (sum->entry_room < count) {
        sum->entry_room = count;
        sum->entries = grown(sum->entries, count * sizeof *sum->entries);
        sum->spare = grown(sum->spare, count * sizeof *sum->spare);
    }
    uint32_t intervals = find_intervals(all, number, elements, sum);
    for (uint32_t first = 0, end; first < intervals; first = end) {
        uint64_t entries = sum->ends[first];
        for (end = first + 1; end < intervals && entries + sum->ends[end] <= count; end++)
            entries += sum->ends[end];
        distribute(all, number, first, end, sum);
        add_intervals(plan, first, end, sum);
    }
    add_list(plan, &sum->held, sum);
    sum->held.count = 0;
}

/* ---- memory ---------------------------------------------------------------------------------- */

uint64_t lists_bytes_of_worker(const reuse_plan *plan, uint64_t longest) {
    uint64_t positions = plan->stream_start[plan->stream_count];
    bool correlates = correlate_cost(longest) < 0.5 * (double)longest * (double)longest;
    return (positions + plan->stream_count + 2) * sizeof(uint64_t) +
           (correlates ? correlate_bytes(longest) : 0);
}

static int most_first(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x < y) - (x > y);
}

/* Each worker keeps room for the largest bucket that it had: entries twice, and two lists. */
uint64_t lists_bytes(const touches *all) {
    const uint64_t each = 2 * sizeof(uint64_t) + 2 * (sizeof(uint32_t) + sizeof(uint64_t));
    const uint64_t of_element = 2 * sizeof(uint32_t) + sizeof(uint64_t);
    uint64_t counts[TOUCH_BUCKETS] = {0}, bytes = all->bytes;
    for (size_t b = 0; b < (size_t)all->sources * TOUCH_BUCKETS; b++)
        for (const touch_chunk *c = all->buckets[b]; c; c = c->next)
            counts[b % TOUCH_BUCKETS] += c->count;
    qsort(counts, TOUCH_BUCKETS, sizeof *counts, most_first);
    for (uint32_t w = 0; w < all->workers && w < TOUCH_BUCKETS; w++)
        bytes += counts[w] * each + all->pages.count / TOUCH_BUCKETS * TOUCH_PAGE * of_element;
    return bytes;
}

void lists_begin(const reuse_plan *plan, lists_sum *sum) {
    *sum = (lists_sum){0};
    uint64_t positions = plan->stream_start[plan->stream_count];
    sum->degree = hd_zeroed(positions + 1, sizeof *sum->degree);
    sum->accesses = hd_zeroed(plan->stream_count + 1, sizeof *sum->accesses);
}

void lists_free(lists_sum *sum) {
    free(sum->degree);
    free(sum->accesses);
    free(sum->interval);
    free(sum->length);
    free(sum->ends);
    free(sum->entries);
    free(sum->spare);
    free(sum->held.position);
    free(sum->held.weight);
    free(sum->next.position);
    free(sum->next.weight);
    *sum = (lists_sum){0};
}
