/*
 * The bytes that blocks touch, and whether those of two blocks meet.
 *
 * An address is a sum of strides times numbers: ids of the block and the thread, iterations. A row of a
 * tile is bytes that follow each other, its rows are the pitch apart, and so are tiles one below the
 * other, while tiles side by side are a row's length apart. Two blocks meet where the difference of two
 * such sums, at different block ids, is less than the width of an access. The difference is a sum of
 * the same kind. It is searched from the greatest stride down: the smaller strides together reach only
 * so far, which leaves few numbers for the greatest one, mostly one or none; and a stride that is no
 * more than the bytes it moves makes one longer stretch of them. That is exact, and slow only where many
 * strides are of about one size; then the search gives up.
 *
 * Block ids differ where they differ in some dimension, up or down: each is a case of its own. There
 * an id that moves both touches alike counts by its distance alone. Of another one it is not searched
 * that it is the lower id plus the distance: it is taken once for any pair of a lower id and a distance,
 * once for any two ids of which one is not the last and the other one not the first. Blocks are apart
 * where they are by either.
 *
 * Conditions (`if (x < width)`) keep blocks at the end of a row from the next one. A sum of symbols that
 * a condition bounds stands in the address as a whole, times the size of an element: it is taken out
 * of the address, and of two such sums the difference is bounded as well.
 */
#include <stdlib.h>
#include <string.h>

#include "machine/footprint.h"

/* Affine forms know nothing of indices that wrap around, which could make blocks meet. */
static const int64_t far = (int64_t)1 << 31;

/* ---- what an access touches ------------------------------------------------------------------ */

/* Adds low .. high times `factor` to *sum_low .. *sum_high. */
static bool add_range(int64_t factor, int64_t low, int64_t high, int64_t *sum_low,
                      int64_t *sum_high) {
    int64_t first, last;
    return !__builtin_mul_overflow(factor, low, &first) &&
           !__builtin_mul_overflow(factor, high, &last) &&
           !__builtin_add_overflow(*sum_low, first < last ? first : last, sum_low) &&
           !__builtin_add_overflow(*sum_high, first < last ? last : first, sum_high);
}

/* factor * (low .. high), as an axis and what it begins at. False: there are too many. */
static bool add_axis(vm_axis *axes, uint32_t *count, uint32_t capacity, int64_t factor, int64_t low,
                     int64_t high, int64_t *start) {
    *start += factor * (factor < 0 ? high : low);
    if (!factor || low == high)
        return true;
    vm_axis axis = {factor < 0 ? -factor : factor, high - low};
    uint32_t at = 0;
    while (at < *count && axes[at].stride < axis.stride)
        at++;
    if (at < *count && axes[at].stride == axis.stride) {
        axes[at].most += axis.most;
        return true;
    }
    if (*count == capacity)
        return false;
    memmove(&axes[at + 1], &axes[at], (*count - at) * sizeof *axes);
    axes[at] = axis;
    ++*count;
    return true;
}

/* A term of an address or a condition, with the range of its symbol. */
typedef struct ranged {
    hd_term term;
    int64_t low, high;
} ranged;
enum { MOST_TERMS = 16 };

static bool find_ranges(const hd_kernel_info *info, const hd_access *a, ranged *terms) {
    int64_t low = a->address.constant, high = low;
    kir_op op = info->kernel->insts[a->inst].op;
    bool is_one =
        op == KIR_LOAD || op == KIR_STORE || op == KIR_ATOMIC; /* else maybe of any length */
    if (!(is_one || a->affine || a->computable) || a->address.term_count > MOST_TERMS)
        return false;
    for (uint32_t i = 0; i < a->address.term_count; i++) {
        ranged *r = &terms[i];
        r->term = a->address.terms[i];
        if (r->term.factor < -2 * far || r->term.factor > 2 * far ||
            !hd_symbol_range(info, a, &r->term, &r->low, &r->high) ||
            !add_range(r->term.factor, r->low, r->high, &low, &high))
            return false;
    }
    return low >= -far && high <= far - a->width;
}

static bool add_term(vm_sum *sum, const ranged *r, int64_t factor, int64_t *start) {
    if (r->term.kind != HD_SYM_GROUP)
        return add_axis(sum->axes, &sum->axis_count, VM_AXES, factor, r->low, r->high, start);
    sum->step[r->term.index] = factor;
    return true;
}

/* `a` is `b` times 1 or -1, but for the constants; else 0. */
static int64_t sign_between(hd_affine a, hd_affine b) {
    int64_t sign =
        a.term_count && a.term_count == b.term_count && a.terms->factor == b.terms->factor ? 1 : -1;
    for (uint32_t i = 0; i < a.term_count && a.term_count == b.term_count; i++)
        if (a.terms[i].kind != b.terms[i].kind || a.terms[i].index != b.terms[i].index ||
            a.terms[i].factor != sign * b.terms[i].factor)
            return 0;
    return a.term_count == b.term_count ? sign : 0;
}

/* What a condition, `sign * number + constant pred 0`, leaves of the numbers low .. high. */
static void clip(const hd_guard *guard, int64_t sign, int64_t *low, int64_t *high) {
    int64_t constant = guard->expr.constant;
    if (constant > INT64_MAX / 4 || constant < INT64_MIN / 4)
        return;
    kir_pred pred = guard->pred;
    bool above = pred == KIR_P_SGT || pred == KIR_P_SGE,
         below = pred == KIR_P_SLT || pred == KIR_P_SLE;
    int64_t least = -constant + (pred == KIR_P_SGT), most = -constant - (pred == KIR_P_SLT);
    int64_t first = sign < 0 ? -most : least, last = sign < 0 ? -least : most;
    bool has_first = pred == KIR_P_EQ || (sign < 0 ? below : above);
    bool has_last = pred == KIR_P_EQ || (sign < 0 ? above : below);
    if (has_first && first > *low)
        *low = first;
    if (has_last && last < *high)
        *high = last;
}

static int32_t find_term(const ranged *terms, uint32_t count, const hd_term *wanted) {
    for (uint32_t i = 0; i < count; i++)
        if (terms[i].term.kind == wanted->kind && terms[i].term.index == wanted->index)
            return (int32_t)i;
    return -1;
}

/* How often the condition's terms stand in the address, all of them as often; 0: they do not. */
static int64_t times_in(const ranged *terms, uint32_t count, hd_affine condition) {
    int64_t times = 0;
    for (uint32_t i = 0; i < condition.term_count; i++) {
        const hd_term *t = &condition.terms[i];
        int32_t at = find_term(terms, count, t);
        if (at < 0 || terms[at].term.factor % t->factor ||
            (times && terms[at].term.factor / t->factor != times))
            return 0;
        times = terms[at].term.factor / t->factor;
    }
    return times;
}

/* Takes the terms of a condition out of the address, if it bounds them and there is room. */
static void take_out(vm_touch *touch, ranged *terms, uint32_t *count, const hd_access *a,
                     hd_affine condition) {
    int64_t times = times_in(terms, *count, condition), low = 0, high = 0, start = 0;
    if (!times || touch->sum_count == VM_SUMS)
        return;
    for (uint32_t i = 0; i < condition.term_count; i++) {
        const ranged *r = &terms[find_term(terms, *count, &condition.terms[i])];
        add_range(condition.terms[i].factor, r->low, r->high, &low, &high); /* as the address's */
    }
    int64_t least = low, most = high;
    for (uint32_t g = 0; g < a->guard_count; g++) {
        int64_t sign = sign_between(a->guards[g].expr, condition);
        if (sign)
            clip(&a->guards[g], sign, &low, &high);
    }
    if (low > high || (low == least && high == most)) /* it never runs; it always does */
        return;
    vm_sum sum = {.times = times};
    for (uint32_t i = 0; i < condition.term_count; i++) {
        const ranged *r = &terms[find_term(terms, *count, &condition.terms[i])];
        if (!add_term(&sum, r, condition.terms[i].factor, &start))
            return;
    }
    for (uint32_t i = 0; i < condition.term_count; i++) {
        int32_t at = find_term(terms, *count, &condition.terms[i]);
        --*count;
        terms[at] = terms[*count];
    }
    sum.low = low - start;
    sum.high = high - start;
    touch->at += times * start;
    touch->sums[touch->sum_count++] = sum;
}

static bool touch_of(const hd_kernel_info *info, const hd_access *a, vm_touch *touch) {
    ranged terms[MOST_TERMS];
    uint32_t count = a->address.term_count;
    memset(touch, 0, sizeof *touch);
    if (!find_ranges(info, a, terms))
        return false;
    touch->width = a->width;
    touch->writes = a->kind != HD_LOAD;
    touch->at = a->address.constant;
    touch->sum_count = 1;
    touch->sums[0].times = 1;
    for (uint32_t g = 0; g < a->guard_count; g++)
        take_out(touch, terms, &count, a, a->guards[g].expr);
    for (uint32_t i = 0; i < count; i++)
        if (!add_term(&touch->sums[0], &terms[i], terms[i].term.factor, &touch->at))
            return false;
    return true;
}

uint32_t vm_touches_of(hd_arena *arena, const hd_kernel_info *info, const hd_access *access,
                       vm_touch touches[VM_CHOICES]) {
    hd_affine forms[VM_CHOICES];
    uint32_t count = hd_address_choices(arena, info, access, forms, VM_CHOICES);
    hd_access chosen = *access;
    for (uint32_t i = 0; i < count; i++) {
        chosen.address = forms[i];
        if (!touch_of(info, &chosen, &touches[i]))
            return 0;
    }
    return count;
}

/* ---- rows ---------------------------------------------------------------------------------------- */

static int compare_shapes(const vm_touch *a, const vm_touch *b) {
    int order = (a->width > b->width) - (a->width < b->width);
    for (uint32_t i = 0; i < VM_SUMS && !order; i++)
        order = memcmp(&a->sums[i], &b->sums[i], offsetof(vm_sum, axis_count));
    return order;
}

static int compare_places(const void *x, const void *y) {
    const vm_touch *a = x, *b = y;
    int order = compare_shapes(a, b);
    return order ? order : (a->at > b->at) - (a->at < b->at);
}

/* Those that write first. */
static int compare_kinds(const void *x, const void *y) {
    const vm_touch *a = x, *b = y;
    int order = compare_shapes(a, b);
    return order ? order : a->writes != b->writes ? b->writes - a->writes : compare_places(x, y);
}

/* Touches of the same bytes are one. */
static uint32_t drop_equal(vm_touch *t, uint32_t count) {
    uint32_t left = 0;
    qsort(t, count, sizeof *t, compare_places);
    for (uint32_t i = 0; i < count; i++)
        if (left && !compare_places(&t[left - 1], &t[i]))
            t[left - 1].writes |= t[i].writes;
        else
            t[left++] = t[i];
    return left;
}

uint32_t vm_fold_touches(vm_touch *t, uint32_t count) {
    uint32_t left = 0, end;
    count = drop_equal(t, count);
    qsort(t, count, sizeof *t, compare_kinds);
    for (uint32_t i = 0; i < count; i = end) {
        int64_t apart = 0;
        for (end = i + 1;
             end < count && t[end].writes == t[i].writes && !compare_shapes(&t[end], &t[i]);
             end++) {
            if (end > i + 1 && t[end].at - t[end - 1].at != apart)
                break;
            apart = t[end].at - t[end - 1].at;
        }
        vm_touch folded = t[i];
        if (!add_axis(folded.sums[0].axes, &folded.sums[0].axis_count, VM_AXES, apart, 0,
                      end - i - 1, &folded.at))
            end = i + 1; /* as it is */
        t[left++] = folded;
    }
    return left;
}

/* ---- two blocks ----------------------------------------------------------------------------------- */

/* Is `base` plus one number of each axis within low .. high? */
typedef struct difference {
    vm_axis axes[2 * VM_SUMS * VM_AXES + 8];
    uint32_t axis_count;
    int64_t base;
    bool is_cut; /* an axis found no room */
} difference;
enum { MOST_AXES = sizeof((difference *)0)->axes / sizeof(vm_axis) };

static void add(difference *d, int64_t factor, int64_t low, int64_t high) {
    d->is_cut |= !add_axis(d->axes, &d->axis_count, MOST_AXES, factor, low, high, &d->base);
}

/* All axes below `count` are left; the stride of the first one is more than high - low. */
static bool search(const vm_axis *axes, uint32_t count, int64_t low, int64_t high,
                   uint32_t *steps) {
    int64_t reach = 0;
    if (!count)
        return low <= 0 && high >= 0;
    const vm_axis *greatest = &axes[count - 1];
    for (uint32_t i = 0; i + 1 < count; i++)
        reach += axes[i].stride * axes[i].most;
    if (high < 0 || low - reach > greatest->stride * greatest->most)
        return false;
    int64_t first = low - reach > 0 ? (low - reach - 1) / greatest->stride + 1 : 0;
    int64_t last =
        high / greatest->stride < greatest->most ? high / greatest->stride : greatest->most;
    for (int64_t n = first; n <= last; n++) {
        if (!*steps ||
            search(axes, count - 1, low - n * greatest->stride, high - n * greatest->stride, steps))
            return true;
        --*steps;
    }
    return false;
}

static bool reaches(const difference *d, int64_t low, int64_t high, uint32_t *steps) {
    uint32_t first = 0;
    low -= d->base;
    high -= d->base;
    /* Strides that leave no gap between what they move. */
    for (; first < d->axis_count && d->axes[first].stride <= high - low + 1; first++)
        low -= d->axes[first].stride * d->axes[first].most;
    if (d->is_cut || !*steps)
        return true;
    --*steps;
    return search(d->axes + first, d->axis_count - first, low, high, steps);
}

/* Two different blocks, of which a's has the higher id in `dimension` (`up`), or b's. The last two are
 * ways to look at them, each of which finds all that meet. */
typedef struct two_blocks {
    const uint64_t *groups;
    uint32_t dimension;
    bool up;
    bool by_distance; /* where the id moves a and b differently: the lower one and the distance */
    bool keeps_ids;   /* clipped sums that only one of them has are as if they were not clipped */
} two_blocks;

/* Of a sum that has these steps in a, and in b. */
static void add_ids(difference *d, const two_blocks *t, const int64_t a[3], const int64_t b[3]) {
    for (uint32_t e = 0; e < 3; e++) {
        int64_t last = (int64_t)t->groups[e] - 1;
        bool differs = e == t->dimension;
        if (differs && (a[e] == b[e] || t->by_distance)) {
            add(d, a[e] - b[e], 0, last - 1);
            add(d, t->up ? a[e] : -b[e], 1, last);
        } else {
            add(d, a[e], differs && t->up, last - (differs && !t->up));
            add(d, -b[e], differs && !t->up, last - (differs && t->up));
        }
    }
}

static void add_axes(difference *d, const vm_sum *sum, int64_t times) {
    for (uint32_t i = 0; i < sum->axis_count; i++)
        add(d, times * sum->axes[i].stride, 0, sum->axes[i].most);
}

/* The difference of two clipped sums with the same steps; false: there is none. */
static bool add_clipped(difference *d, const two_blocks *t, const vm_sum *a, const vm_sum *b) {
    int64_t low = 0, high = 0;
    for (uint32_t e = 0; e < 3; e++) {
        int64_t last = (int64_t)t->groups[e] - 1;
        bool differs = e == t->dimension;
        add_range(a->step[e], differs && t->up ? 1 : -last, differs && !t->up ? -1 : last, &low,
                  &high);
    }
    for (uint32_t i = 0; i < a->axis_count; i++)
        high += a->axes[i].stride * a->axes[i].most;
    for (uint32_t i = 0; i < b->axis_count; i++)
        low -= b->axes[i].stride * b->axes[i].most;
    low = low > a->low - b->high ? low : a->low - b->high;
    high = high < a->high - b->low ? high : a->high - b->low;
    if (low > high)
        return false;
    add(d, a->times, low, high);
    return true;
}

static bool match(const vm_sum *a, const vm_sum *b) {
    return a->times == b->times && !memcmp(a->step, b->step, sizeof a->step);
}

/* What stands in one touch without a match in the other one. */
static void add_alone(difference *d, const two_blocks *t, const vm_touch *touch,
                      const bool *matched, int64_t sign, int64_t steps[3]) {
    for (uint32_t i = 0; i < touch->sum_count; i++) {
        const vm_sum *sum = &touch->sums[i];
        if (matched[i])
            continue;
        if (i && !t->keeps_ids) {
            add(d, sign * sum->times, sum->low, sum->high);
            continue;
        }
        for (uint32_t e = 0; e < 3; e++)
            steps[e] += sum->times * sum->step[e];
        add_axes(d, sum, sign * sum->times);
    }
}

static bool meet(const vm_touch *a, const vm_touch *b, int64_t offset, const two_blocks *t,
                 uint32_t *steps) {
    difference d;
    d.axis_count = 0;
    d.is_cut = false;
    d.base = a->at - b->at - offset;
    bool of_a[VM_SUMS] = {0}, of_b[VM_SUMS] = {0};
    int64_t step_a[3] = {0}, step_b[3] = {0};
    for (uint32_t i = 1; i < a->sum_count; i++)
        for (uint32_t k = 1; k < b->sum_count && !of_a[i]; k++)
            if (!of_b[k] && match(&a->sums[i], &b->sums[k])) {
                of_a[i] = of_b[k] = true;
                if (!add_clipped(&d, t, &a->sums[i], &b->sums[k]))
                    return false;
            }
    add_alone(&d, t, a, of_a, 1, step_a);
    add_alone(&d, t, b, of_b, -1, step_b);
    add_ids(&d, t, step_a, step_b);
    return reaches(&d, 1 - (int64_t)a->width, (int64_t)b->width - 1, steps);
}

bool vm_touches_meet(const vm_touch *a, const vm_touch *b, int64_t offset, const uint64_t groups[3],
                     uint32_t *steps) {
    bool is_same = !offset && a->at == b->at && !compare_shapes(a, b); /* then up is as down */
    for (uint32_t c = 0; c < 6; c++) {
        two_blocks t = {.groups = groups, .dimension = c / 2, .up = c % 2};
        bool met = groups[t.dimension] > 1 && !(is_same && t.up);
        for (uint32_t way = 0; way < 4 && met; way++) {
            t.keeps_ids = way % 2 == 0;
            t.by_distance = way / 2 == 0;
            met = meet(a, b, offset, &t, steps);
        }
        if (met)
            return true;
    }
    return false;
}
