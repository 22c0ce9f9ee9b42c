/*
 * Orders of data (mapping.h).
 *
 * Reverse Cuthill-McKee numbers a graph breadth first from an end of it, neighbours of the earlier
 * number first and those of lower degree before others, and turns that round. Elements that are
 * touched together get numbers that differ little. The end is pseudo-peripheral, found as George and
 * Liu do: from any element to one of least degree in the last level, as long as there are more levels
 * from there.
 *
 * The graph is never written down: an element's neighbours are the others of its nets. A net whose
 * elements have all been reached has no more to give, so each is walked once in a search, and a search
 * takes time in proportion to the nets, however many pairs they join.
 *
 * The Hilbert curve is Hamilton's (C. Hamilton, "Compact Hilbert Indices", Dalhousie University
 * CS-2006-07, section 2): of a cube's 2^n parts, in the order of the Gray code, each is entered at a
 * corner and left along an edge, which is a rotation and a reflection of what the whole is.
 */
#include <math.h>
#include <stdlib.h>

#include "order/orders.h"

/* ---- reverse Cuthill-McKee --------------------------------------------------------------- */

typedef struct searcher {
    hd_arena *arena;
    const hd_nets *nets;
    uint32_t count;
    uint64_t *first; /* [count + 1]: of the links of each element */
    uint64_t
        *link; /* the other element of a net of two, or IS_NET and the number of a larger one */
    uint32_t *degree;           /* other elements that it shares nets with */
    uint32_t *reached, *walked; /* the search, from 1, that reached an element, or walked a net */
    uint32_t search;
    uint64_t *keys; /* [count]: what is being sorted */
} searcher;

static const uint64_t IS_NET = (uint64_t)1 << 63;

static uint64_t net_size(const hd_nets *nets, uint64_t n) {
    uint64_t size = nets->first[n + 1] - nets->first[n];
    return size <= HD_RCM_MOST ? size : 0;
}

static void list_links(searcher *s) {
    const hd_nets *nets = s->nets;
    s->first = hd_alloc_items(s->arena, (size_t)s->count + 2, sizeof *s->first);
    for (uint64_t n = 0; n < nets->count; n++)
        for (uint64_t i = 0, size = net_size(nets, n); i < size; i++)
            s->first[nets->thread[nets->first[n] + i] + 2]++;
    for (uint32_t e = 0; e < s->count; e++)
        s->first[e + 2] += s->first[e + 1];
    s->link = hd_alloc_items(s->arena, s->first[s->count + 1] + 1, sizeof *s->link);
    for (uint64_t n = 0; n < nets->count; n++) {
        const uint32_t *elements = nets->thread + nets->first[n];
        for (uint64_t i = 0, size = net_size(nets, n); i < size; i++)
            s->link[s->first[elements[i] + 1]++] = size == 2 ? elements[!i] : IS_NET | n;
    }
}

/* Marks an element; whether it was not yet. */
static inline bool marks(uint32_t *marked, uint32_t element, uint32_t mark) {
    bool is_new = marked[element] != mark;
    marked[element] = mark;
    return is_new;
}

/* Also drops all but one of several nets of the same two. */
static void count_degrees(searcher *s) {
    uint32_t *met =
        hd_alloc_items(s->arena, (size_t)s->count + 1, sizeof *met); /* by which element, plus 1 */
    uint64_t begin = 0, kept = 0;
    for (uint32_t e = 0; e < s->count; e++) {
        uint64_t end = s->first[e + 1];
        met[e] = e + 1;
        s->first[e] = kept;
        for (uint64_t k = begin; k < end; k++) {
            uint64_t link = s->link[k], n = link & ~IS_NET;
            bool is_new = n == link && marks(met, (uint32_t)n, e + 1);
            s->degree[e] += is_new;
            if (n == link && !is_new)
                continue;
            s->link[kept++] = link;
            if (n == link)
                continue;
            for (uint64_t i = s->nets->first[n]; i < s->nets->first[n + 1]; i++)
                s->degree[e] += marks(met, s->nets->thread[i], e + 1);
        }
        begin = end;
    }
    s->first[s->count] = kept;
}

/* By degree, then by number. */
static bool comes_before(const searcher *s, uint32_t a, uint32_t b) {
    return s->degree[a] != s->degree[b] ? s->degree[a] < s->degree[b] : a < b;
}

static int compare_keys(const void *a, const void *b) {
    const uint64_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

static void sort_by_degree(searcher *s, uint32_t *elements, uint32_t count) {
    enum { FEW = 32 };
    for (uint32_t i = 1; i < count && count <= FEW; i++) {
        uint32_t element = elements[i], at = i;
        for (; at && comes_before(s, element, elements[at - 1]); at--)
            elements[at] = elements[at - 1];
        elements[at] = element;
    }
    if (count <= FEW)
        return;
    for (uint32_t i = 0; i < count; i++)
        s->keys[i] = (uint64_t)s->degree[elements[i]] << 32 | elements[i];
    qsort(s->keys, count, sizeof *s->keys, compare_keys);
    for (uint32_t i = 0; i < count; i++)
        elements[i] = (uint32_t)s->keys[i];
}

/* Breadth first from an element into the queue, in the order of Cuthill and McKee. *levels: how many;
 * *last: where the last of them begins in the queue. */
static uint32_t search_from(searcher *s, uint32_t start, uint32_t *queue, uint32_t *levels,
                            uint32_t *last) {
    uint32_t count = 1, level_end = 1;
    s->search++;
    s->reached[start] = s->search;
    queue[0] = start;
    *levels = 1;
    *last = 0;
    for (uint32_t at = 0; at < count; at++) {
        if (at == level_end) {
            *last = at;
            level_end = count;
            ++*levels;
        }
        uint32_t before = count, e = queue[at];
        for (uint64_t k = s->first[e]; k < s->first[e + 1]; k++) {
            uint64_t n = s->link[k] & ~IS_NET;
            if (n == s->link[k]) {
                if (marks(s->reached, (uint32_t)n, s->search))
                    queue[count++] = (uint32_t)n;
                continue;
            }
            if (s->walked[n] == s->search)
                continue;
            s->walked[n] = s->search;
            for (uint64_t i = s->nets->first[n]; i < s->nets->first[n + 1]; i++)
                if (marks(s->reached, s->nets->thread[i], s->search))
                    queue[count++] = s->nets->thread[i];
        }
        sort_by_degree(s, queue + before, count - before);
    }
    return count;
}

/* A pseudo-peripheral element of the part that `any` is in; the queue holds the search from it. */
static uint32_t search_from_end(searcher *s, uint32_t any, uint32_t *queue) {
    uint32_t levels, last, start = any;
    uint32_t count = search_from(s, start, queue, &levels, &last);
    for (;;) {
        uint32_t most = levels, next = queue[last];
        for (uint32_t i = last; i < count; i++)
            next = comes_before(s, queue[i], next) ? queue[i] : next;
        search_from(s, next, queue, &levels, &last);
        if (levels <= most)
            return count;
    }
}

void hd_order_rcm(const hd_nets *nets, uint32_t count, uint32_t *order) {
    hd_arena *arena = hd_arena_new();
    searcher s = {.arena = arena, .nets = nets, .count = count};
    s.degree = hd_alloc_items(arena, (size_t)count + 1, sizeof *s.degree);
    s.reached = hd_alloc_items(arena, (size_t)count + 1, sizeof *s.reached);
    s.keys = hd_alloc_items(arena, (size_t)count + 1, sizeof *s.keys);
    s.walked = hd_alloc_items(arena, nets->count + 1, sizeof *s.walked);
    list_links(&s);
    count_degrees(&s);
    for (uint32_t e = 0, done = 0; e < count; e++)
        if (!s.reached[e])
            done += search_from_end(&s, e, order + done);
    for (uint32_t i = 0; i < count / 2; i++) {
        uint32_t swapped = order[i];
        order[i] = order[count - 1 - i];
        order[count - 1 - i] = swapped;
    }
    hd_arena_free(arena);
}

/* ---- bisection --------------------------------------------------------------------------- */

/* What is left of nets in one half; half[e] is the number of element e there, or NOT_THERE. */
enum { NOT_THERE = UINT32_MAX };
static hd_nets nets_of_half(hd_arena *arena, const hd_nets *nets, const uint32_t *half) {
    hd_nets left = {.first = hd_alloc_items(arena, nets->count + 1, sizeof *left.first),
                    .thread =
                        hd_alloc_items(arena, nets->first[nets->count] + 1, sizeof *left.thread)};
    uint64_t at = 0;
    for (uint64_t n = 0; n < nets->count; n++) {
        for (uint64_t i = nets->first[n]; i < nets->first[n + 1]; i++)
            if (half[nets->thread[i]] != NOT_THERE)
                left.thread[at++] = half[nets->thread[i]];
        if (at - left.first[left.count] > 1)
            left.first[++left.count] = at;
        at = left.first[left.count];
    }
    return left;
}

/* Orders order[begin] .. order[end - 1], which is one half, anew. */
static void order_half(const hd_nets *nets, uint32_t count, uint32_t least, uint32_t begin,
                       uint32_t end, uint32_t *order) {
    hd_arena *arena = hd_arena_new();
    uint32_t *half = hd_alloc_items(arena, count, sizeof *half);
    uint32_t *inside = hd_alloc_items(arena, (end - begin), sizeof *inside);
    memset(half, 0xff, count * sizeof *half);
    for (uint32_t i = begin; i < end; i++)
        half[order[i]] = i - begin;
    hd_nets left = nets_of_half(arena, nets, half);
    hd_order_bisection(&left, end - begin, least, inside);
    for (uint32_t i = 0; i < end - begin; i++)
        half[i] = order[begin + inside[i]];
    memcpy(order + begin, half, (end - begin) * sizeof *half);
    hd_arena_free(arena);
}

void hd_order_bisection(const hd_nets *nets, uint32_t count, uint32_t least, uint32_t *order) {
    hd_order_rcm(nets, count, order);
    if (count <= least)
        return;
    uint32_t middle = (uint32_t)(((uint64_t)count + least) / 2 / least * least);
    order_half(nets, count, least, 0, middle, order);
    order_half(nets, count, least, middle, count, order);
}

/* ---- Hilbert's curve ------------------------------------------------------------------------ */

static uint32_t rotated_right(uint32_t bits, uint32_t by, uint32_t dims) {
    uint32_t all = (1u << dims) - 1;
    by %= dims;
    return (bits >> by | bits << (dims - by)) & all;
}

/* Where part w of a cube is entered (Hamilton's e). */
static uint32_t entry_of(uint32_t w) {
    uint32_t even = (w - 1) & ~1u;
    return w ? even ^ even >> 1 : 0;
}

/* Along which axis it is left (Hamilton's d): by the number of ones at the end of w - 1, or of w where
 * that is odd. */
static uint32_t axis_of(uint32_t w, uint32_t dims) {
    if (!w)
        return 0;
    uint32_t from = w & 1 ? w : w - 1;
    return (uint32_t)__builtin_ctz(~from) % dims;
}

/* The place of a cell on the curve. */
static uint64_t curve_place(const uint32_t *cell, uint32_t dims, uint32_t bits) {
    uint64_t place = 0;
    uint32_t entry = 0, axis = 0;
    for (uint32_t b = bits; b-- > 0;) {
        uint32_t corner = 0;
        for (uint32_t d = 0; d < dims; d++)
            corner |= (cell[d] >> b & 1) << d;
        uint32_t gray = rotated_right(corner ^ entry, axis + 1, dims), w = gray;
        for (uint32_t shift = 1; shift < dims; shift++)
            w ^= gray >> shift;
        place = place << dims | w;
        entry ^= rotated_right(entry_of(w), dims - (axis + 1) % dims, dims);
        axis = (axis + axis_of(w, dims) + 1) % dims;
    }
    return place;
}

typedef struct placed {
    uint64_t place;
    uint32_t element;
} placed;

static int compare_placed(const void *a, const void *b) {
    const placed *x = a, *y = b;
    if (x->place != y->place)
        return x->place < y->place ? -1 : 1;
    return x->element < y->element ? -1 : x->element > y->element;
}

void hd_order_curve(const float *points, uint32_t dims, uint32_t count, uint32_t *order) {
    static const uint32_t bits_of[] = {0, 32, 31, 21};
    uint32_t bits = bits_of[dims];
    double low[3], extent = 0;
    for (uint32_t d = 0; d < dims; d++) {
        double high = -INFINITY;
        low[d] = INFINITY;
        for (uint32_t e = 0; e < count; e++) {
            double x = points[(size_t)e * dims + d];
            low[d] = isfinite(x) && x < low[d] ? x : low[d];
            high = isfinite(x) && x > high ? x : high;
        }
        extent = high - low[d] > extent ? high - low[d] : extent;
    }
    double cells = ldexp(1, (int)bits), most = cells - 1;
    hd_arena *arena = hd_arena_new();
    placed *all = hd_alloc_items(arena, (size_t)count + 1, sizeof *all);
    for (uint32_t e = 0; e < count; e++) {
        uint32_t cell[3] = {0};
        bool is_finite = true;
        for (uint32_t d = 0; d < dims; d++) {
            double x = points[(size_t)e * dims + d];
            is_finite = is_finite && isfinite(x);
            double at = isfinite(x) && extent > 0 ? (x - low[d]) / extent * cells : 0;
            cell[d] = (uint32_t)(at < most ? at : most);
        }
        all[e] = (placed){is_finite ? curve_place(cell, dims, bits) : UINT64_MAX, e};
    }
    qsort(all, count, sizeof *all, compare_placed);
    for (uint32_t i = 0; i < count; i++)
        order[i] = all[i].element;
    hd_arena_free(arena);
}

/* ---- any ------------------------------------------------------------------------------------- */

void hd_order_random(uint64_t seed, uint32_t count, uint32_t *order) {
    uint64_t state = seed;
    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
    for (uint32_t i = count; i-- > 1;) {
        uint32_t j = (uint32_t)(hd_next_random(&state) % (i + 1)), swapped = order[i];
        order[i] = order[j];
        order[j] = swapped;
    }
}
