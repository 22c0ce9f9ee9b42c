/*
 * The lines of a request.
 *
 *     lanes      0    1    2    3        4 bytes each, lines of 128
 *     address   120  128  124  384
 *     lines      0    1    (0)  3        accesses of lines 0, 1, 3
 *
 * A lane touches every line that it overlaps, lower ones first, and a line that the
 * request has touched already is not touched again. To know that exactly takes a set
 * for each request, but nearly all lanes are either at the line of the lane before or
 * beyond all lines so far, and so need none. The others are passed on without being
 * known: the stack has to look them up anyway, and sees there that the line's last
 * access is younger than the request.
 *
 * The lanes of most events are a line or less apart and all active: their lines are a
 * range. And many requests touch just the line that the request before them touched
 * last, as all warps do that read one value: these are counted here.
 */
#include "analysis/stack_distance.h"
#include "analysis/warp_lanes.h"

/* A request that is being written. */
typedef struct request {
    bool any;
    bool sure;                      /* no line is there twice, as far as it goes */
    uint64_t lowest, highest, last; /* lines so far, if any */
} request;

static void push(line_front *f, uint64_t line, bool begins) {
    if (f->batch->count == STACK_BATCH)
        f->full(f->user);
    line_batch *b = f->batch;
    b->line[b->count] = line;
    b->begins[b->count++] = begins;
}

static inline void touch(line_front *f, request *r, uint64_t line) {
    if (!r->any) {
        *r = (request){true, true, line, line, line};
        push(f, line, true);
        return;
    }
    if (line == r->last)
        return;
    if (line > r->highest)
        r->highest = line;
    else if (line < r->lowest)
        r->lowest = line;
    else
        r->sure = false;
    r->last = line;
    push(f, line, false);
}

/* The end of the range in which `width` bytes at `address` lie; memory does not wrap around. */
static inline uint64_t end_of(uint64_t address, uint32_t width) {
    uint64_t end = address + (width ? width - 1 : 0);
    return end < address ? UINT64_MAX : end;
}

/* A request of lines side by side. */
static inline void touch_range(line_front *f, uint64_t line, uint64_t last) {
    if (line == last && f->has_top && line == f->top) {
        f->repeats++;
        return;
    }
    push(f, line, true);
    while (line++ < last)
        push(f, line, false);
    f->has_top = true;
    f->top = last;
}

/* ---- one warp ----------------------------------------------------------------------- */

/* Lane by lane. */
static void request_lanes(line_front *f, const hd_event *e, uint32_t first, uint32_t end,
                          uint32_t width) {
    request r = {0};
    for (uint32_t w = first / 64; w * 64 < end; w++)
        for (uint64_t bits = warp_lanes_in_word(e, w, first, end); bits; bits &= bits - 1) {
            uint64_t address = hd_event_address(e, w * 64 + (uint32_t)__builtin_ctzll(bits));
            uint64_t line = address >> f->shift, last = end_of(address, width) >> f->shift;
            touch(f, &r, line);
            while (line++ < last)
                touch(f, &r, line);
        }
    if (r.any) {
        f->has_top = r.sure;
        f->top = r.last;
    }
}

/* Lanes that follow each other at most a line apart, upwards, leave out no line. */
static bool request_range(line_front *f, const hd_event *e, uint32_t first, uint32_t end,
                          uint32_t width) {
    uint64_t from = hd_event_address(e, first), span, to;
    if (e->stride < 0 || (uint64_t)e->stride > (uint64_t)1 << f->shift ||
        __builtin_mul_overflow((uint64_t)e->stride, end - 1 - first, &span) ||
        __builtin_add_overflow(from, span, &to))
        return false;
    touch_range(f, from >> f->shift, end_of(to, width) >> f->shift);
    return true;
}

/* Listed addresses that are all in one line. */
static bool request_one_line(line_front *f, const hd_event *e, uint32_t first, uint32_t end,
                             uint32_t width) {
    uint64_t line = hd_event_address(e, first) >> f->shift, different = 0;
    if (hd_event_address(e, end - 1) >> f->shift != line)
        return false;
    for (uint32_t lane = first; lane < end; lane++) {
        uint64_t address = e->base + e->address[lane];
        different |= (address >> f->shift) ^ line;
        different |= (end_of(address, width) >> f->shift) ^ line;
    }
    if (!different)
        touch_range(f, line, line);
    return !different;
}

/* Narrows first .. end - 1 to its active lanes. False: there are none. Sets *all when no lane
 * between them is inactive. */
static bool narrow(const hd_event *e, uint32_t *first, uint32_t *end, bool *all) {
    uint32_t word = *first / 64;
    *all = e->active == e->threads;
    if (*all || word != (*end - 1) / 64)
        return true;
    uint64_t bits = warp_lanes_in_word(e, word, *first, *end);
    if (!bits)
        return false;
    *first = word * 64 + (uint32_t)__builtin_ctzll(bits);
    *end = word * 64 + 64 - (uint32_t)__builtin_clzll(bits);
    uint64_t run = bits >> *first % 64;
    *all = !(run & (run + 1));
    return true;
}

/* ---- one event ---------------------------------------------------------------------- */

void line_front_event(line_front *f, const hd_event *e, uint32_t width) {
    uint32_t threads = e->threads, warp = f->warp;
    for (uint32_t begin = 0; begin < threads; begin += warp) {
        uint32_t first = begin, end = threads - begin < warp ? threads : begin + warp;
        bool all, served;
        if (!narrow(e, &first, &end, &all))
            continue;
        served = all && (e->address ? request_one_line(f, e, first, end, width)
                                    : request_range(f, e, first, end, width));
        if (!served)
            request_lanes(f, e, first, end, width);
    }
}
