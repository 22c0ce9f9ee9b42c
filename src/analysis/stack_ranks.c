/*
 * One stack that several ranks hold.
 *
 * PARDA (Niu, Dinan, Lu and Sadayappan, "PARDA: a fast parallel reuse distance analysis algorithm",
 * IPDPS 2012) divides the accesses by time: each rank finds the distances inside its stretch, and
 * passes on its first accesses of lines, its local infinities, to the rank before it, which finds
 * those that it knows and passes on the rest. What is known of all that was before is one rank's in
 * the end, and stretches of a GPU's trace may touch all that the whole touches, so that no rank
 * needs less memory than one alone. To divide lines by a hash instead divides memory, but every
 * rank has to be asked about every access.
 *
 * Here accesses are divided by time first, and only local infinities, which are few, go further.
 * The trace is read in rounds. In each, every rank takes a slice: blocks one after another.
 *
 *     round       0                 1                 2
 *     slice       0   1   2   3     4   5   6   7     8  ...
 *     of rank     0   1   2   3     0   1   2   3     0
 *
 * With an LRU stack of its slice alone (stack_distance.c) it finds the distances of accesses to
 * lines that the slice has touched before; the counts of these stay with it. Then it has the lines
 * of the slice by their first accesses, and by their last ones. The time of a last access is a
 * number: slice, and place in this order. For the first accesses of all slices of the round:
 *
 *     1  The rank of a line's hash knows its last time before (stack_shared.h, line_times). It is
 *        told lines and places, slice after slice, answers with the times before, notes the new.
 *     2  The rank of a slice holds its stretch of time: a mark for each line that was touched last
 *        there (stretch). For first access number k of a slice, with a time before in stretch s, it
 *        is asked how many marks are there from that place on, and takes this mark away, since the
 *        line now is touched last later. Slices in order, first accesses in order.
 *     3  Between are now: the k lines that the slice has touched before, those marks, and all marks
 *        of later stretches up to this slice. How many each stretch has, all ranks know: each tells
 *        the others how many marks it took from which. So
 *
 *            distance = k + marks of s from the place on + marks of stretches behind s
 *
 *     4  A distance is counted by the rank whose it is: pages of distances, by turns. Short ones
 *        stay where they are.
 *
 * The sum in 3 is exact: each line between lies either in the slice, and is one of the k, or was
 * touched last before the slice and after the place: it is a mark there, unless the slice has
 * touched it, when its mark is gone and it is one of the k.
 *
 * An access inside of a slice costs what it costs one rank alone, and less, as the stack is small.
 * A first access costs 36 bytes of messages, some hundred nanoseconds. Of N accesses with M lines
 * and F first accesses, each of R ranks has N / R, F / R and M / R. All have the table of blocks,
 * and a number for each slice. Rounds are as large as slices; these are whole blocks.
 *
 * Clusters follow one another, each by all ranks. Where each block has a stack of its own, blocks
 * are divided and counts added up.
 */
#include <stdlib.h>

#include "analysis/stack_distance.h"
#include "analysis/stack_ranks.h"
#include "analysis/stack_shared.h"

enum {
    SLICE = 1 << 18,
    MANY_RANKS = 64, /* the more ranks, the fewer rounds: all hear from all */
    PAGE = 4096,     /* distances that one rank counts */
    FEW = PAGE,      /* distances below stay with who finds them */
    SENT_PAGES = 64  /* pages of counts that are collected at once, from each rank */
};

typedef struct chosen_block {
    const hd_trace_launch *launch;
    const hd_trace_block *index;
} chosen_block;

/* One analysis on one rank. */
typedef struct run {
    const hd_diag *diag;
    hd_trace *trace;
    const hd_stack_part *part;
    const hd_stack_options *options;
    const hd_ranks *ranks;
    uint32_t rank, count; /* of the ranks */
    hd_piece *out, *in;   /* [count] */
    hd_arena *own;
    chosen_block *blocks; /* stack by stack */
    uint64_t block_count, lane_accesses, done;
    /* the slice that is read */
    const hd_event_launch *launch;
    stack_room room;
    line_stack *slice;
    line_batch batch;
    line_front front;
    /* the stack */
    line_times times;
    hd_vec(stretch) stretches; /* of this rank */
    sum_tree marks;     /* of each stretch of all ranks, but for those of this round: [slices] */
    uint64_t footprint; /* of all ranks */
    /* counts */
    hd_stack_result sums;
    uint64_t *few; /* [few_count] distances that were counted here */
    uint64_t few_count;
    uint64_t **pages; /* [page_count] or NULL; of all pages number p is the rank's p mod count */
    uint64_t page_count, used_pages;
    uint64_t repeats;
} run;

static hd_status exchange(run *x) {
    return x->ranks->exchange(x->ranks->self, x->diag, x->out, x->in);
}

static void begin_pieces(run *x) {
    for (uint32_t r = 0; r < x->count; r++)
        x->out[r] = (hd_piece){0};
}

/* ---- counting -------------------------------------------------------------------------------- */

static void add_few(run *x, const uint64_t *counts, uint64_t most) {
    if (most >= x->few_count) {
        x->few = hd_checked(realloc(x->few, (most + 1) * sizeof *x->few));
        memset(x->few + x->few_count, 0, (most + 1 - x->few_count) * sizeof *x->few);
        x->few_count = most + 1;
    }
    for (uint64_t d = 1; d <= most; d++)
        x->few[d] += counts[d];
}

static void count_distance(run *x, uint64_t distance) {
    uint64_t page = distance / PAGE / x->count;
    if (page >= x->page_count) {
        uint64_t wanted = page * 2 + 16;
        x->pages = hd_checked(realloc(x->pages, wanted * sizeof *x->pages));
        memset(x->pages + x->page_count, 0, (wanted - x->page_count) * sizeof *x->pages);
        x->page_count = wanted;
    }
    if (!x->pages[page]) {
        x->pages[page] = hd_zeroed(PAGE, sizeof **x->pages);
        x->used_pages++;
    }
    x->pages[page][distance % PAGE]++;
}

/* ---- reading a slice ------------------------------------------------------------------------- */

static void serve_batch(void *user) {
    run *x = user;
    line_stack_serve(x->slice, &x->batch);
    x->batch.count = 0;
}

static void *open_block(void *self, uint64_t block) {
    run *x = self;
    (void)block;
    x->front = (line_front){.shift = (uint32_t)__builtin_ctzll(x->options->line),
                            .warp = x->options->warp,
                            .batch = &x->batch,
                            .full = serve_batch,
                            .user = x};
    return x;
}

static void take_event(void *stream, const hd_event *event) {
    run *x = stream;
    if (x->options->spaces && !(x->options->spaces >> hd_event_space(x->launch, event) & 1))
        return;
    x->sums.mis++;
    x->sums.lane_accesses += event->active;
    line_front_event(&x->front, event, x->launch->accesses[event->access].width);
}

static hd_status close_block(void *self, void *stream, uint64_t block, bool complete) {
    run *x = self;
    (void)stream;
    (void)block;
    x->sums.blocks += complete;
    x->repeats += x->front.repeats;
    return HD_OK;
}

static hd_status say_no_room(const run *x) {
    return hd_fail(x->diag, HD_EUNSUPPORTED, NULL,
                   "the lines that are touched take more than the %llu MiB that each rank is "
                   "allowed: allow more with --memory, take more ranks, or choose longer lines, or "
                   "fewer launches or blocks",
                   (unsigned long long)(x->room.most >> 20));
}

static hd_status read_blocks(run *x, uint64_t first, uint64_t end) {
    const hd_sink sink = {
        .self = x, .open_block = open_block, .event = take_event, .close_block = close_block};
    hd_status status = HD_OK;
    for (uint64_t b = first; b < end && !status; b++) {
        const chosen_block *block = &x->blocks[b];
        x->launch = &block->launch->launch;
        status =
            hd_trace_replay_block(x->trace, x->diag, x->launch->number, block->index->block, &sink);
    }
    if (!status && x->batch.count)
        serve_batch(x);
    return !status && line_stack_overflowed(x->slice) ? say_no_room(x) : status;
}

/* ---- a round --------------------------------------------------------------------------------- */

/* The first accesses of the slice. */
typedef struct firsts {
    const uint64_t *line;
    uint32_t *place;  /* of their last accesses */
    uint64_t *before; /* the time before, 0: none */
    uint64_t count;
} firsts;

/* The number of a stretch, counted from 1, and a place. */
static uint64_t time_at(uint64_t stretch_number, uint64_t place) {
    return (stretch_number + 1) << 32 | place;
}
static uint64_t stretch_at(uint64_t time) { return (time >> 32) - 1; }

static uint32_t rank_of_line(const run *x, uint64_t line) {
    return (uint32_t)((line_group(line) * 0xd6e8feb86659fd93u >> 32) % x->count);
}

/* Room for pieces of so many bytes. */
static void new_pieces(run *x, const uint64_t *bytes) {
    for (uint32_t r = 0; r < x->count; r++)
        x->out[r] = (hd_piece){bytes[r] ? hd_checked(malloc(bytes[r])) : NULL, bytes[r]};
}

/* Sends and frees the pieces. */
static hd_status send_pieces(run *x) {
    hd_status status = exchange(x);
    for (uint32_t r = 0; r < x->count; r++)
        free(x->out[r].bytes);
    begin_pieces(x);
    return status;
}

/* 1: the times before. Pieces are lines, then as many places; answers are times. */
static hd_status find_times(run *x, uint64_t first_stretch, firsts *f) {
    uint64_t *at = hd_zeroed(x->count, sizeof *at);
    for (uint64_t k = 0; k < f->count; k++)
        at[rank_of_line(x, f->line[k])] += sizeof(uint64_t) + sizeof(uint32_t);
    new_pieces(x, at);
    memset(at, 0, x->count * sizeof *at);
    for (uint64_t k = 0; k < f->count; k++) {
        uint32_t r = rank_of_line(x, f->line[k]);
        uint64_t count = x->out[r].count / (sizeof(uint64_t) + sizeof(uint32_t));
        uint64_t *lines = x->out[r].bytes;
        uint32_t *places = (uint32_t *)(lines + count);
        lines[at[r]] = f->line[k];
        places[at[r]++] = f->place[k];
    }
    hd_status status = send_pieces(x);
    for (uint32_t r = 0; r < x->count && !status; r++) {
        uint64_t count = x->in[r].count / (sizeof(uint64_t) + sizeof(uint32_t));
        uint64_t *lines = x->in[r].bytes;
        const uint32_t *places = (const uint32_t *)(lines + count);
        for (uint64_t i = 0; i < count; i++)
            lines[i] = line_times_move(&x->times, lines[i], time_at(first_stretch + r, places[i]));
        x->out[r] = (hd_piece){lines, count * sizeof *lines};
    }
    if (!status)
        status = send_pieces(x);
    memset(at, 0, x->count * sizeof *at);
    for (uint64_t k = 0; k < f->count && !status; k++) {
        uint32_t r = rank_of_line(x, f->line[k]);
        f->before[k] = ((const uint64_t *)x->in[r].bytes)[at[r]++];
    }
    if (!status)
        hd_free_pieces(x->ranks, x->in);
    free(at);
    return status;
}

/* How many marks a slice takes from a stretch. */
typedef struct taken {
    uint64_t stretch, marks;
} taken;

/* What is sent to the rank of a stretch. */
typedef struct question {
    uint32_t round, place; /* the stretch is this rank's of that round */
} question;

/* Of each stretch from which the slice takes marks. */
static uint64_t list_taken(const firsts *f, uint64_t stretches, taken **list) {
    uint32_t *marks = hd_zeroed(stretches + 1, sizeof *marks);
    uint64_t count = 0, at = 0;
    for (uint64_t k = 0; k < f->count; k++)
        if (f->before[k])
            count += !marks[stretch_at(f->before[k])]++;
    *list = hd_checked(malloc((count + 1) * sizeof **list));
    for (uint64_t s = 0; s < stretches; s++)
        if (marks[s])
            (*list)[at++] = (taken){s, marks[s]};
    free(marks);
    return count;
}

/* The marks that other slices of the round took and made. */
static void apply_slice(run *x, const taken *list, uint64_t count, uint64_t made) {
    for (uint64_t i = 0; i < count; i++)
        sum_tree_change(&x->marks, list[i].stretch, -(int64_t)list[i].marks);
    sum_tree_append(&x->marks, made);
}

/* 2: numbers of marks in the stretches of the times before: answer[k]. Lists of what is taken are
 * all ranks', in `lists`, to be freed. */
static hd_status ask_stretches(run *x, uint64_t first_stretch, const firsts *f, uint32_t *answer,
                               hd_piece *lists) {
    taken *list;
    uint64_t *at = hd_zeroed(x->count, sizeof *at);
    uint64_t count = list_taken(f, first_stretch + x->count, &list);
    for (uint32_t r = 0; r < x->count; r++)
        x->out[r] = (hd_piece){list, count * sizeof *list};
    hd_status status = exchange(x);
    begin_pieces(x);
    free(list);
    for (uint32_t r = 0; r < x->count && !status; r++)
        lists[r] = x->in[r];
    for (uint64_t k = 0; k < f->count; k++)
        if (f->before[k])
            at[stretch_at(f->before[k]) % x->count] += sizeof(question);
    if (!status)
        new_pieces(x, at);
    memset(at, 0, x->count * sizeof *at);
    for (uint64_t k = 0; k < f->count && !status; k++) {
        uint64_t s = stretch_at(f->before[k]);
        if (f->before[k])
            ((question *)x->out[s % x->count].bytes)[at[s % x->count]++] =
                (question){(uint32_t)(s / x->count), (uint32_t)f->before[k]};
    }
    if (!status)
        status = send_pieces(x);
    for (uint32_t r = 0; r < x->count && !status; r++) {
        uint64_t questions = x->in[r].count / sizeof(question);
        const question *q = x->in[r].bytes;
        uint32_t *answers = x->in[r].bytes; /* in the places of questions that were read */
        for (uint64_t i = 0; i < questions; i++)
            answers[i] = (uint32_t)stretch_take(&x->stretches.data[q[i].round], q[i].place);
        x->out[r] = (hd_piece){answers, questions * sizeof *answers};
    }
    if (!status)
        status = send_pieces(x);
    memset(at, 0, x->count * sizeof *at);
    for (uint64_t k = 0; k < f->count && !status; k++) {
        uint32_t r = (uint32_t)(stretch_at(f->before[k]) % x->count);
        if (f->before[k])
            answer[k] = ((const uint32_t *)x->in[r].bytes)[at[r]++];
    }
    if (!status)
        hd_free_pieces(x->ranks, x->in);
    free(at);
    return status;
}

/* 3: distances, in place of the answers. Of its own slice the rank takes marks one by one. */
static void find_distances(run *x, const hd_piece *lists, const uint64_t *made, const firsts *f,
                           uint32_t *answer) {
    for (uint32_t r = 0; r < x->count; r++) {
        if (r != x->rank) {
            apply_slice(x, lists[r].bytes, lists[r].count / sizeof(taken), made[r]);
            continue;
        }
        uint64_t all = sum_tree_of(&x->marks, x->marks.count);
        for (uint64_t k = 0; k < f->count; k++) {
            if (!f->before[k])
                continue;
            uint64_t s = stretch_at(f->before[k]);
            answer[k] += (uint32_t)(k + all - sum_tree_of(&x->marks, s + 1));
            sum_tree_change(&x->marks, s, -1);
            all--;
        }
        sum_tree_append(&x->marks, made[r]);
    }
}

/* 4: distances to the ranks that count them. */
static hd_status count_distances(run *x, const firsts *f, const uint32_t *distance) {
    uint64_t *at = hd_zeroed(x->count, sizeof *at);
    for (uint64_t k = 0; k < f->count; k++)
        if (f->before[k] && distance[k] >= FEW)
            at[distance[k] / PAGE % x->count] += sizeof *distance;
    new_pieces(x, at);
    memset(at, 0, x->count * sizeof *at);
    for (uint64_t k = 0; k < f->count; k++) {
        uint32_t r = distance[k] / PAGE % x->count;
        if (!f->before[k])
            continue;
        if (distance[k] < FEW)
            x->few[distance[k]]++;
        else
            ((uint32_t *)x->out[r].bytes)[at[r]++] = distance[k];
    }
    hd_status status = send_pieces(x);
    for (uint32_t r = 0; r < x->count && !status; r++)
        for (uint64_t i = 0; i < x->in[r].count / sizeof *distance; i++)
            count_distance(x, ((const uint32_t *)x->in[r].bytes)[i]);
    if (!status)
        hd_free_pieces(x->ranks, x->in);
    free(at);
    return status;
}

static uint64_t bytes_of(const run *x) {
    uint64_t bytes = x->room.taken + x->times.bytes + x->used_pages * PAGE * sizeof **x->pages +
                     x->marks.capacity * sizeof *x->marks.sums;
    for (size_t s = 0; s < x->stretches.count; s++)
        bytes += stretch_bytes(&x->stretches.data[s]);
    return bytes;
}

static hd_status serve_firsts(run *x, uint64_t first_stretch, firsts *f) {
    uint64_t *made = hd_zeroed(x->count, sizeof *made);
    uint32_t *answer = hd_checked(malloc((f->count + 1) * sizeof *answer));
    hd_piece *lists = hd_zeroed(x->count, sizeof *lists);
    stretch own;
    uint64_t all = 0;
    stretch_begin(&own, f->count);
    hd_push(x->own, &x->stretches, own);
    hd_status status = hd_ranks_gather(x->ranks, x->diag, &f->count, sizeof f->count, made);
    for (uint32_t r = 0; r < x->count; r++)
        all += made[r];
    if (!status)
        status = find_times(x, first_stretch, f);
    for (uint64_t k = 0; k < f->count && !status; k++)
        x->sums.cold += !f->before[k];
    if (!status)
        status = ask_stretches(x, first_stretch, f, answer, lists);
    if (!status) {
        find_distances(x, lists, made, f, answer);
        x->footprint = sum_tree_of(&x->marks, x->marks.count);
        status = x->footprint < UINT32_MAX
                     ? count_distances(x, f, answer)
                     : hd_fail(x->diag, HD_EUNSUPPORTED, NULL,
                               "the accesses touch more than 2^32 different lines of %llu bytes; "
                               "choose longer lines, or fewer launches or blocks",
                               (unsigned long long)x->options->line);
    }
    hd_free_pieces(x->ranks, lists);
    free(made);
    free(answer);
    free(lists);
    return !status && bytes_of(x) > x->room.most ? say_no_room(x) : status;
}

/* Blocks first .. end - 1 are the rank's in this round. */
static hd_status serve_slice(run *x, uint64_t first_stretch, uint64_t first, uint64_t end) {
    line_stack_reset(x->slice);
    hd_status status = read_blocks(x, first, end);
    if (status)
        return status;
    firsts f = {.count = line_stack_footprint(x->slice), .line = line_stack_lines(x->slice)};
    f.place = hd_checked(malloc((f.count + 1) * sizeof *f.place));
    f.before = hd_checked(malloc((f.count + 1) * sizeof *f.before));
    line_stack_order(x->slice, f.place);
    add_few(x, line_stack_counts(x->slice), f.count);
    status = serve_firsts(x, first_stretch, &f);
    free(f.place);
    free(f.before);
    return status;
}

/* ---- a stack --------------------------------------------------------------------------------- */

static void end_stack(run *x) {
    x->sums.stacks += x->footprint > 0;
    x->sums.footprint = x->footprint > x->sums.footprint ? x->footprint : x->sums.footprint;
    x->footprint = 0;
    line_times_free(&x->times);
    for (size_t s = 0; s < x->stretches.count; s++)
        stretch_free(&x->stretches.data[s]);
    x->stretches.count = 0;
    sum_tree_free(&x->marks);
}

/* The blocks first .. end - 1 go through one stack. */
static hd_status serve_stack(run *x, uint64_t first, uint64_t end) {
    uint64_t all = 1, stretches = 0;
    uint64_t wanted = x->part->slice ? x->part->slice : (1 + x->count / MANY_RANKS) * SLICE;
    hd_status status = HD_OK;
    for (uint64_t b = first; b < end; b++)
        all += x->blocks[b].index->lane_accesses;
    wanted = all / x->count < wanted ? all / x->count + 1 : wanted;
    while (first < end && !status) {
        uint64_t own = end, own_end = end;
        for (uint32_t r = 0; r < x->count; r++) {
            uint64_t lanes = 0, begin = first;
            while (first < end && lanes < wanted)
                lanes += x->blocks[first++].index->lane_accesses + 1;
            own = r == x->rank ? begin : own;
            own_end = r == x->rank ? first : own_end;
            x->done += lanes;
        }
        status = serve_slice(x, stretches, own, own_end);
        stretches += x->count;
        if (x->part->progress)
            x->part->progress(x->part->user, "reading", (double)x->done / (double)x->lane_accesses);
    }
    end_stack(x);
    return status;
}

/* Every block has a stack of its own, and ranks have some of the blocks. */
static hd_status serve_blocks(run *x) {
    const uint64_t share = x->lane_accesses / x->count + 1;
    uint64_t before = 0;
    hd_status status = HD_OK;
    for (uint64_t b = 0; b < x->block_count && !status; b++) {
        bool own = before / share == x->rank;
        before += x->blocks[b].index->lane_accesses + 1;
        if (!own)
            continue;
        line_stack_reset(x->slice);
        status = read_blocks(x, b, b + 1);
        uint64_t footprint = line_stack_footprint(x->slice);
        x->sums.stacks += footprint > 0;
        x->sums.cold += footprint;
        x->sums.footprint = footprint > x->sums.footprint ? footprint : x->sums.footprint;
        add_few(x, line_stack_counts(x->slice), footprint);
    }
    return status;
}

/* ---- results --------------------------------------------------------------------------------- */

static hd_status add_sums(run *x) {
    hd_stack_result *s = &x->sums;
    bool by_block = x->options->scope == HD_STACK_BLOCK; /* else all ranks know the footprints */
    uint64_t few[] = {s->blocks, s->mis, s->lane_accesses, s->cold, x->repeats, s->stacks};
    uint64_t *footprints = hd_zeroed(x->count, sizeof *footprints);
    hd_status status = hd_ranks_sum(x->ranks, x->diag, few, sizeof few / sizeof *few);
    if (!status)
        status = hd_ranks_gather(x->ranks, x->diag, &s->footprint, sizeof s->footprint, footprints);
    for (uint32_t r = 0; r < x->count && !status; r++)
        s->footprint = footprints[r] > s->footprint ? footprints[r] : s->footprint;
    free(footprints);
    s->blocks = few[0];
    s->mis = few[1];
    s->lane_accesses = few[2];
    s->cold = few[3];
    x->repeats = few[4];
    s->stacks = by_block ? few[5] : s->stacks;
    return status;
}

/* Adds counts of distances first .. first + count - 1 to the hits of the lowest points that have
 * them, from number `p` on. */
static void add_to_points(hd_stack_point *points, uint64_t p, uint64_t first,
                          const uint64_t *counts, uint64_t count) {
    for (uint64_t i = 0; i < count; i++) {
        while (points[p].lines < first + i)
            p++;
        points[p].hits += counts[i];
    }
}

/* Powers of two, one that was asked for, and the footprint. */
static hd_status find_points(hd_arena *arena, run *x) {
    enum { MOST_POINTS = 66 };
    hd_stack_point *points = hd_new_array(arena, hd_stack_point, MOST_POINTS);
    uint64_t hits[MOST_POINTS], count = 0, footprint = x->sums.footprint, asked = x->part->point;
    for (uint64_t lines = 1; lines < footprint; lines *= 2) {
        if (asked && asked < lines && asked < footprint &&
            (!count || asked > points[count - 1].lines))
            points[count++].lines = asked;
        points[count++].lines = lines;
    }
    if (asked < footprint && count && asked > points[count - 1].lines)
        points[count++].lines = asked;
    points[count++].lines = footprint;
    uint64_t few = x->few_count < footprint + 1 ? x->few_count : footprint + 1;
    add_to_points(points, 0, 0, x->few, few);
    for (uint64_t p = 0; p < x->page_count; p++) {
        uint64_t first = (p * x->count + x->rank) * PAGE, left = footprint + 1 - first;
        if (x->pages[p])
            add_to_points(points, 0, first, x->pages[p], left < PAGE ? left : PAGE);
    }
    for (uint64_t p = 0; p < count; p++)
        hits[p] = points[p].hits;
    hd_status status = hd_ranks_sum(x->ranks, x->diag, hits, count);
    uint64_t all = footprint ? x->repeats : 0; /* of distance 1 */
    for (uint64_t p = 0; p < count; p++)
        points[p].hits = all += hits[p];
    x->sums.points = points;
    x->sums.point_count = count;
    x->sums.line_accesses = x->sums.cold + all;
    return status;
}

/* Counts go to the first rank. */
static hd_status collect(run *x, const uint64_t *own, uint64_t count) {
    begin_pieces(x);
    x->out[0] = (hd_piece){(void *)own, count * sizeof *own};
    hd_status status = exchange(x);
    begin_pieces(x);
    return status;
}

static hd_status collect_few(run *x, uint64_t *counts) {
    const uint64_t at_once = SENT_PAGES * PAGE;
    uint64_t most = x->few_count, *all = hd_zeroed(x->count, sizeof *all);
    hd_status status = hd_ranks_gather(x->ranks, x->diag, &most, sizeof most, all);
    for (uint32_t r = 0; r < x->count && !status; r++)
        most = all[r] > most ? all[r] : most;
    free(all);
    for (uint64_t at = 0; at < most && !status; at += at_once) {
        uint64_t left = x->few_count > at ? x->few_count - at : 0;
        status = collect(x, x->few + (left ? at : 0), left < at_once ? left : at_once);
        for (uint32_t r = 0; r < x->count && !status && counts; r++)
            for (uint64_t i = 0; i < x->in[r].count / sizeof *counts; i++)
                if (at + i <= x->sums.footprint) /* beyond nothing was counted */
                    counts[at + i] += ((const uint64_t *)x->in[r].bytes)[i];
        if (!status)
            hd_free_pieces(x->ranks, x->in);
    }
    return status;
}

static hd_status collect_pages(run *x, uint64_t *counts) {
    const uint64_t pages = x->sums.footprint / PAGE / x->count + 1; /* of a rank */
    uint64_t *sent = hd_checked(malloc((size_t)SENT_PAGES * PAGE * sizeof *sent));
    hd_status status = HD_OK;
    for (uint64_t page = 0; page < pages && !status; page += SENT_PAGES) {
        memset(sent, 0, (size_t)SENT_PAGES * PAGE * sizeof *sent);
        uint64_t end = page + SENT_PAGES < pages ? page + SENT_PAGES : pages;
        for (uint64_t p = page; p < end && p < x->page_count; p++)
            if (x->pages[p])
                memcpy(sent + (p - page) * PAGE, x->pages[p], PAGE * sizeof *sent);
        status = collect(x, sent, (end - page) * PAGE);
        for (uint32_t r = 0; r < x->count && !status && counts; r++)
            for (uint64_t i = 0; i < (end - page) * PAGE; i++) {
                uint64_t distance = ((page + i / PAGE) * x->count + r) * PAGE + i % PAGE;
                if (distance <= x->sums.footprint)
                    counts[distance] += ((const uint64_t *)x->in[r].bytes)[i];
            }
        if (!status)
            hd_free_pieces(x->ranks, x->in);
    }
    free(sent);
    return status;
}

static hd_status collect_counts(hd_arena *arena, run *x) {
    uint64_t *counts = x->rank ? NULL : hd_new_array(arena, uint64_t, x->sums.footprint + 1);
    hd_status status = collect_few(x, counts);
    if (!status)
        status = collect_pages(x, counts);
    if (counts && x->sums.footprint)
        counts[1] += x->repeats;
    x->sums.counts = counts;
    return status;
}

static hd_status take_result(hd_arena *arena, run *x, hd_stack_result *result) {
    hd_status status;
    if ((status = add_sums(x)) || (status = find_points(arena, x)) ||
        (x->part->with_counts && (status = collect_counts(arena, x))))
        return status;
    *result = x->sums;
    return HD_OK;
}

/* ---- from beginning to end ------------------------------------------------------------------- */

static uint64_t stack_of(const run *x, const hd_trace_block *block) {
    return x->options->scope == HD_STACK_CLUSTER ? block->block % x->options->clusters : 0;
}

static bool is_chosen(const run *x, const hd_trace_block *b) {
    return b->block >= x->part->first_block && b->block <= x->part->last_block;
}

/* Blocks in the order in which they go through their stacks, stack by stack; ends of the stacks. */
static void choose_blocks(run *x, uint64_t *ends, uint64_t stacks) {
    const hd_trace_contents *contents = hd_trace_get(x->trace);
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t l = 0; l < contents->launch_count; l++) {
            const hd_trace_launch *launch = &contents->launches[l];
            uint32_t number = launch->launch.number;
            if (number < x->part->first_launch || number > x->part->last_launch)
                continue;
            x->sums.launches += !pass;
            for (uint64_t b = 0; b < launch->block_count; b++) {
                const hd_trace_block *block = &launch->blocks[b];
                if (!is_chosen(x, block))
                    continue;
                if (pass)
                    x->blocks[ends[stack_of(x, block)]++] = (chosen_block){launch, block};
                else
                    ends[stack_of(x, block)]++;
                x->block_count += !pass;
                x->lane_accesses += pass ? 0 : block->lane_accesses + 1;
            }
        }
        uint64_t before = 0; /* counts become beginnings, which then become ends */
        for (uint64_t s = 0; s < stacks && !pass; s++) {
            uint64_t count = ends[s];
            ends[s] = before;
            before += count;
        }
        if (!pass)
            x->blocks = hd_new_array(x->own, chosen_block, x->block_count);
    }
}

static void free_run(run *x) {
    end_stack(x);
    line_stack_free(x->slice);
    for (uint64_t p = 0; p < x->page_count; p++)
        free(x->pages[p]);
    free(x->pages);
    free(x->few);
    free(x->out);
    free(x->in);
    hd_arena_free(x->own);
    free(x);
}

hd_status hd_stack_over_ranks(hd_arena *arena, const hd_diag *diag, hd_trace *trace,
                              const hd_stack_part *part, const hd_stack_options *options,
                              const hd_ranks *ranks, const hd_stack_result **result) {
    hd_stack_result *found = hd_new(arena, hd_stack_result);
    run *x = hd_zeroed(1, sizeof *x);
    const bool by_block = options->scope == HD_STACK_BLOCK;
    const uint64_t stacks = options->scope == HD_STACK_CLUSTER ? options->clusters : 1;
    *x = (run){.diag = diag,
               .trace = trace,
               .part = part,
               .options = options,
               .ranks = ranks,
               .rank = ranks->rank,
               .count = ranks->count,
               .own = hd_arena_new(),
               .few = hd_zeroed(FEW, sizeof *x->few),
               .few_count = FEW,
               .lane_accesses = 1};
    x->out = hd_zeroed(ranks->count, sizeof *x->out);
    x->in = hd_zeroed(ranks->count, sizeof *x->in);
    x->room.most = options->memory ? options->memory : (uint64_t)1 << 30;
    x->slice = line_stack_new(&x->room);
    if (!by_block)
        line_stack_keep_lines(x->slice);
    uint64_t *ends = hd_new_array(x->own, uint64_t, stacks);
    choose_blocks(x, ends, stacks);
    hd_status status = by_block ? serve_blocks(x) : HD_OK;
    for (uint64_t s = 0, first = 0; s < stacks && !status && !by_block; first = ends[s++])
        status = serve_stack(x, first, ends[s]);
    if (!status)
        status = take_result(arena, x, found);
    free_run(x);
    *result = status ? NULL : found;
    return status;
}
