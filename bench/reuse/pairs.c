/* Algorithm 1: a trace becomes a stream of sorted MIs, and all pairs of them are compared. */
#include <stdlib.h>

#include "reuse/pairs.h"

enum { ELEMENT_BYTES = 4 };

/* What the lanes of one MI touch, lane by lane. */
typedef hd_vec(uint64_t) lane_list;

typedef struct reading {
    hd_arena *arena;
    pairs_stream *stream;
    const hd_event_launch *launch;
    uint64_t k;
    uint64_t blocks;         /* in the group that is read */
    uint64_t mi;             /* of the block that is read, which comes next */
    hd_vec(lane_list) group; /* its MIs */
    uint64_t length;         /* how many the group has; further lists are spare */
} reading;

/* ---- the stream ----------------------------------------------------------------------------- */

static int by_size(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void add_mi(reading *r, lane_list *lanes) {
    pairs_stream *s = r->stream;
    pairs_mi mi = {.first = s->elements.count};
    if (lanes->count)
        qsort(lanes->data, lanes->count, sizeof *lanes->data, by_size);
    for (size_t l = 0; l < lanes->count; l++)
        if (l && lanes->data[l] == lanes->data[l - 1]) {
            s->multiplicities.data[s->multiplicities.count - 1]++;
        } else {
            hd_push(r->arena, &s->elements, lanes->data[l]);
            hd_push(r->arena, &s->multiplicities, 1);
        }
    mi.count = s->elements.count - mi.first;
    hd_push(r->arena, &s->mis, mi);
    lanes->count = 0;
}

static void end_group(reading *r) {
    for (uint64_t m = 0; m < r->length; m++)
        add_mi(r, &r->group.data[m]);
    r->blocks = r->length = 0;
}

static hd_status hear_launch(void *self, const hd_event_launch *launch) {
    ((reading *)self)->launch = launch;
    return HD_OK;
}

static void *hear_block(void *self, uint64_t block) {
    (void)block;
    ((reading *)self)->mi = 0;
    return self;
}

static void hear_event(void *stream, const hd_event *e) {
    reading *r = stream;
    const hd_event_access *access = &r->launch->accesses[e->access];
    if (access->space != KIR_GLOBAL)
        return;
    if (r->mi == r->group.count)
        hd_push(r->arena, &r->group, (lane_list){0});
    lane_list *lanes = &r->group.data[r->mi++];
    r->length = r->mi > r->length ? r->mi : r->length;
    for (uint32_t l = 0; l < e->threads; l++) {
        if (!hd_event_active(e, l))
            continue;
        uint64_t at = hd_event_address(e, l);
        for (uint64_t x = at / ELEMENT_BYTES; x <= (at + access->width - 1) / ELEMENT_BYTES; x++)
            hd_push(r->arena, lanes, x);
    }
}

static hd_status end_block(void *self, void *stream, uint64_t block, bool complete) {
    (void)stream;
    (void)block;
    (void)complete;
    reading *r = self;
    if (++r->blocks == r->k)
        end_group(r);
    return HD_OK;
}

static hd_status end_launch(void *self, bool complete) {
    (void)complete;
    end_group(self);
    return HD_OK;
}

hd_status pairs_read(hd_arena *arena, const hd_diag *diag, const char *path, uint64_t k,
                     pairs_stream *stream) {
    *stream = (pairs_stream){0};
    reading r = {.arena = arena, .stream = stream, .k = k};
    const hd_sink sink = {&r, hear_launch, hear_block, hear_event, end_block, end_launch};
    hd_trace *trace;
    hd_status status = hd_trace_open(arena, diag, path, &trace);
    if (status != HD_OK)
        return status;
    status = hd_trace_replay(trace, diag, &(hd_trace_choice){-1, 0, UINT64_MAX, 0}, &sink);
    hd_trace_close(trace);
    return status;
}

/* ---- pairs ---------------------------------------------------------------------------------- */

/* Multiplicities in j of the elements that i touches, too. */
static uint64_t degree_of(const pairs_stream *s, const pairs_mi *i, const pairs_mi *j) {
    const uint64_t *a = s->elements.data + i->first, *a_end = a + i->count;
    const uint64_t *b = s->elements.data + j->first, *b_end = b + j->count;
    const uint32_t *multiplicity = s->multiplicities.data + j->first;
    uint64_t degree = 0;
    while (a < a_end && b < b_end) {
        if (*a < *b) {
            a++;
        } else if (*b < *a) {
            b++, multiplicity++;
        } else {
            degree += *multiplicity;
            a++, b++, multiplicity++;
        }
    }
    return degree;
}

static bool overlap(const pairs_stream *s, const pairs_mi *i, const pairs_mi *j) {
    const uint64_t *element = s->elements.data;
    return element[i->first] <= element[j->first + j->count - 1] &&
           element[j->first] <= element[i->first + i->count - 1];
}

uint64_t *pairs_characteristic(hd_arena *arena, const pairs_stream *s, bool overlapping) {
    uint64_t *degree = hd_new_array(arena, uint64_t, s->mis.count + 1);
    for (size_t i = 0; i < s->mis.count; i++) {
        const pairs_mi *mi = &s->mis.data[i];
        for (size_t j = i + 1; j < s->mis.count && mi->count; j++) {
            const pairs_mi *later = &s->mis.data[j];
            if (later->count && (!overlapping || overlap(s, mi, later)))
                degree[j - i] += degree_of(s, mi, later);
        }
    }
    return degree;
}

double pairs_work(const pairs_stream *s) {
    uint64_t filled = 0;
    for (size_t m = 0; m < s->mis.count; m++)
        filled += s->mis.data[m].count > 0;
    return filled ? (double)(filled - 1) * (double)s->elements.count : 0;
}
