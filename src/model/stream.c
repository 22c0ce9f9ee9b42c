/*
 * Earlier accesses to the same data, and the bytes in between.
 *
 * An access may hit when an earlier one brought its line and fewer bytes than
 * the cache holds were touched since (Peng et al., sections IV-B and IV-F). The
 * document unrolls all loops; here the earlier access is found by shape instead:
 *
 *   - in the same iteration of the loops that both stand in, before it;
 *   - in the iteration before of one of these loops, anywhere in it;
 *   - before the loop that the later one stands in (its first iteration only).
 *
 * What a compiler keeps in a register over a loop (kernel/kept.c) is done outside of it, and
 * stands there for this.
 *
 * Both must have the same affine index but for the constant, which for the
 * iteration before is moved by the loop's stride. The interval of an earlier
 * access ends at the later one, so intervals are nested and the nearest come
 * first; of two that brought the same data the farther one is dropped.
 *
 * The instruction distance is the number of distinct bytes that all threads
 * sharing a cache touch in the interval, ends included. With every index
 * different in every thread this is the document's product of blocks, block
 * size and bytes of one thread. A location that threads share counts once: an
 * index without local id is one element for each block, without any id one
 * element for the whole device. Loops inside the interval count with all their
 * iterations if the index moves with them.
 *
 *     ... = Arr1[i].x; ... = Arr2[i].z; ... = Arr2[i].w; ... = Arr1[i].y;
 *
 * With two 4-byte fields in each struct, x to y is 16 bytes in each thread:
 * 8 blocks of 256 threads on an SM make an L1 distance of 32768 bytes.
 */
#include "model/cost_internal.h"

enum { MAX_BEFORE = 32, LINE = 128 };

static bool in_loop(const stream_context *c, const use *u, int32_t loop) {
    return hd_loop_holds(c->info->flow, loop, u->loop);
}

static int32_t common_loop(const stream_context *c, const use *a, const use *b) {
    return hd_common_loop(c->info->flow, a->loop, b->loop);
}

/* An opaque value of the form is made anew in every iteration of `loop`. */
static bool renewed_in(const stream_context *c, hd_affine form, int32_t loop) {
    for (uint32_t i = 0; i < form.term_count; i++)
        if (form.terms[i].kind == HD_SYM_VALUE &&
            hd_flow_in_loop(c->info->flow, loop, c->info->kernel->insts[form.terms[i].index].block))
            return true;
    return false;
}

/* The place in the field that tells which data an access reaches. Which of several parts it
 * reaches is told by its place in all of them. */
static hd_affine inner_of(const use *u) {
    return u->access->shares ? u->access->whole->inner : u->access->inner;
}

static bool same_terms(hd_affine a, hd_affine b) {
    b.constant = a.constant;
    return hd_affine_equal(a, b);
}

/* ---- bytes in between ----------------------------------------------------------------- */

typedef struct interval_builder {
    const stream_context *c;
    const use *x, *y;
    int32_t loop;  /* in whose iterations the interval lies, or -1 */
    bool previous; /* from the iteration before */
    hd_arena *scratch;
    hd_vec(touched) items;
    hd_vec(hd_affine) index; /* of the items */
    hd_vec(uint32_t) buffer;
} interval_builder;

/* Product of the sizes of the dimensions whose id stands in the index. */
static double distinct_ids(const stream_context *c, hd_affine index, hd_symbol_kind kind) {
    const uint64_t *sizes = kind == HD_SYM_LOCAL ? c->grid->local : c->grid->groups;
    double product = 1;
    for (uint32_t d = 0; d < 3; d++)
        if (hd_affine_factor(index, kind, d))
            product *= (double)sizes[d];
    return product;
}

static touched touched_by(const interval_builder *b, const use *u) {
    const stream_context *c = b->c;
    double iterations = 1; /* elements that the loops inside the interval walk over */
    for (int32_t at = u->loop; at >= 0 && at != b->loop; at = c->info->flow->loops[at].parent) {
        if (!b->previous && (in_loop(c, b->x, at) || in_loop(c, b->y, at)))
            continue;
        if (hd_affine_factor(u->access->index, HD_SYM_LOOP, (uint32_t)at) ||
            renewed_in(c, u->access->index, at))
            iterations *= (double)c->lengths[at];
    }
    double block_size = (double)c->grid->block_threads;
    bool opaque = hd_affine_has(u->access->index, HD_SYM_VALUE);
    double locals = u->irregular ? block_size : distinct_ids(b->c, u->access->index, HD_SYM_LOCAL);
    double groups =
        opaque ? (double)c->grid->block_count : distinct_ids(b->c, u->access->index, HD_SYM_GROUP);
    double resident = groups < (double)c->blocks_per_sm ? groups : (double)c->blocks_per_sm;
    /* Of a struct whose layout is given comes as much as a line holds. */
    uint32_t size = u->access->record ? u->access->record->size : u->width;
    return (touched){.laid_out = u->laid_out && u->field >= 0,
                     .fields = u->field >= 0 ? (uint64_t)1 << u->field : 0,
                     .bytes = u->access->record && size > LINE ? LINE : size,
                     .per_l1 = iterations * locals * resident,
                     .per_l2 = iterations * locals * groups};
}

/* Adds what `u` touches, `iterations` iterations ago of the interval's loop. */
static void touch(interval_builder *b, const use *u, bool before) {
    hd_affine index = u->access->index;
    if (before)
        index.constant -= hd_affine_factor(index, HD_SYM_LOOP, (uint32_t)b->loop);
    bool renewed = before && renewed_in(b->c, index, b->loop);
    for (size_t i = 0; i < b->items.count && !renewed; i++) {
        touched *item = &b->items.data[i];
        if (b->buffer.data[i] != u->buffer || item->laid_out != (u->laid_out && u->field >= 0) ||
            !hd_affine_equal(b->index.data[i], index))
            continue;
        touched more = touched_by(b, u);
        item->fields |= more.fields;
        item->bytes = more.bytes > item->bytes ? more.bytes : item->bytes;
        item->per_l1 = more.per_l1 > item->per_l1 ? more.per_l1 : item->per_l1;
        item->per_l2 = more.per_l2 > item->per_l2 ? more.per_l2 : item->per_l2;
        return;
    }
    hd_push(b->scratch, &b->items, touched_by(b, u));
    hd_push(b->scratch, &b->index, index);
    hd_push(b->scratch, &b->buffer, u->buffer);
}

/* The items by what they bring: one for each set of fields, and one for all that no
 * layout changes. An interval may hold thousands of elements, and all intervals of
 * a kernel are kept. */
static interval summed(const interval_builder *b) {
    interval sum = {hd_new_array(b->scratch, touched, b->items.count), 0};
    for (size_t i = 0; i < b->items.count; i++) {
        touched item = b->items.data[i];
        if (!item.laid_out)
            item = (touched){
                .bytes = 1, .per_l1 = item.bytes * item.per_l1, .per_l2 = item.bytes * item.per_l2};
        uint32_t at = 0;
        while (at < sum.count &&
               (sum.items[at].laid_out != item.laid_out || sum.items[at].fields != item.fields))
            at++;
        if (at == sum.count) {
            sum.items[sum.count++] = item;
        } else {
            sum.items[at].per_l1 += item.per_l1;
            sum.items[at].per_l2 += item.per_l2;
        }
    }
    touched *kept = hd_new_array(b->c->arena, touched, sum.count);
    memcpy(kept, sum.items, sum.count * sizeof *kept);
    return (interval){kept, sum.count};
}

/* What is touched from x to y, both included; x in the iteration before of
 * `loop` if `previous`. x and y are numbers of uses. */
static interval bytes_between(const stream_context *c, uint32_t x, uint32_t y, int32_t loop,
                              bool previous) {
    interval_builder b = {.c = c,
                          .x = &c->uses[x],
                          .y = &c->uses[y],
                          .loop = loop,
                          .previous = previous,
                          .scratch = hd_arena_new()};
    x -= c->uses[x].part_count;
    for (uint32_t i = 0; i < c->use_count; i++) {
        const use *u = &c->uses[i];
        if (u->parts || !in_loop(c, u, loop))
            continue; /* a whole's parts stand for it */
        if (!previous) {
            if (i >= x && i <= y)
                touch(&b, u, false);
            continue;
        }
        /* A loop inside that y stands in is walked once in between. */
        bool with_y = common_loop(c, u, b.y) != loop;
        if (i <= y || with_y)
            touch(&b, u, false);
        if (i >= x && !with_y)
            touch(&b, u, true);
    }
    interval sum = summed(&b);
    hd_arena_free(b.scratch);
    return sum;
}

/* ---- candidates --------------------------------------------------------------------------- */

typedef hd_vec(earlier) candidates;

/* A nearer one brought the same data at least as often. */
static bool is_superseded(const stream_context *c, const candidates *found, const earlier *e) {
    const use *x = &c->uses[e->use];
    for (size_t i = 0; i < found->count; i++) {
        const earlier *near = &found->data[i];
        const use *u = &c->uses[near->use];
        if (u->field == x->field && !u->parts == !x->parts && near->dindex == e->dindex &&
            near->dinner == e->dinner && u->width >= x->width && (u->reads || !x->reads) &&
            near->first_only == e->first_only && near->available >= e->available * 0.5)
            return true;
    }
    return false;
}

/* Both reach the same of an access' parts, or neither shares executions with other parts. */
static bool are_matching_parts(const stream_context *c, const use *x, const use *y,
                               int64_t *dinner) {
    if (!x->access->shares != !y->access->shares)
        return false;
    if (!x->access->shares) /* a part is not brought by the access that it is a part of */
        return !(x->parts || y->parts) || x->access->inst != y->access->inst ||
               x->parts == y->parts;
    int64_t apart =
        (int64_t)c->record->fields[x->field].offset - (int64_t)c->record->fields[y->field].offset;
    bool match = *dinner == apart;
    *dinner = 0;
    return match;
}

static void consider(const stream_context *c, candidates *found, uint32_t x, uint32_t y,
                     int32_t loop, bool previous, double available, bool first_only) {
    const hd_access *a = c->uses[x].access, *b = c->uses[y].access;
    hd_affine a_inner = inner_of(&c->uses[x]), b_inner = inner_of(&c->uses[y]);
    if (c->uses[x].buffer != c->uses[y].buffer || found->count >= MAX_BEFORE ||
        !same_terms(a->index, b->index) || !same_terms(a_inner, b_inner))
        return;
    if (previous && (renewed_in(c, b->index, loop) || renewed_in(c, b_inner, loop)))
        return;
    earlier e = {.use = x, .available = available, .first_only = first_only};
    e.dindex = a->index.constant - b->index.constant;
    e.dinner = a_inner.constant - b_inner.constant;
    if (previous) {
        e.dindex -= hd_affine_factor(b->index, HD_SYM_LOOP, (uint32_t)loop);
        e.dinner -= hd_affine_factor(b_inner, HD_SYM_LOOP, (uint32_t)loop);
    }
    int64_t far = 1 << 16;
    if (e.dindex > far || e.dindex < -far ||
        !are_matching_parts(c, &c->uses[x], &c->uses[y], &e.dinner) || is_superseded(c, found, &e))
        return;
    e.between = bytes_between(c, x, y, loop, previous);
    hd_push(c->arena, found, e);
}

static void link_use(const stream_context *c, uint32_t y) {
    const hd_loop *loops = c->info->flow->loops;
    candidates found = {0};
    use *u = &c->uses[y];
    for (uint32_t x = y; x-- > 0;) {
        int32_t common = common_loop(c, &c->uses[x], u);
        double share = 1; /* of its executions the first ones of its loops outside x's */
        for (int32_t at = u->loop; at >= 0 && at != common; at = loops[at].parent)
            share /= (double)(c->lengths[at] ? c->lengths[at] : 1);
        consider(c, &found, x, y, common, false, share, common != u->loop);
    }
    for (int32_t loop = u->loop; loop >= 0; loop = loops[loop].parent) {
        uint64_t length = c->lengths[loop];
        if (length < 2)
            continue;
        double share = (double)(length - 1) / (double)length;
        for (uint32_t x = c->use_count; x-- > 0;)
            if (in_loop(c, &c->uses[x], loop))
                consider(c, &found, x, y, loop, true, share, false);
    }
    u->before = found.data;
    u->before_count = (uint32_t)found.count;
}

void cost_stream_link(const stream_context *c) {
    for (uint32_t y = 0; y < c->use_count; y++)
        link_use(c, y);
    for (uint32_t y = 0; y < c->use_count; y++)
        for (uint32_t i = 0; i < c->uses[y].before_count; i++)
            c->uses[y].before[i].use += c->first;
}
