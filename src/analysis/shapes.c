/*
 * Shapes, measured: events become clumps of elements (model/measured.h), counted for each access.
 *
 * Layouts move the fields of the record that is laid out, so each lane's address is turned into
 * the element and the byte inside the field that it reaches; where the field lies is the layout's
 * affair. A request's lanes are put in order, which they mostly are, and cut into clumps:
 *
 *     lanes' elements  7 5 5 6 900 901 33000         step 4 bytes, lines of 128
 *     clumps           {0,1,2} at residue 5, {0,1} at residue 900, {0} anywhere
 *
 * Other accesses cost the same in every layout, and their transactions are counted as they are
 * (request.h).
 *
 * Each thread has tables of its own (shape_rows.h), which are joined at the end of a run. Events
 * that say base and stride make the same few requests over and over; a small table in front keeps
 * the rows of the latest.
 */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include "machine/in_order.h"
#include "analysis/request.h"
#include "analysis/shape_rows.h"
#include "analysis/shapes.h"

enum {
    DEFAULT_PATTERNS = 1 << 17,
    LEAST_ROWS = 64,
    MOST_ROWS = 1 << 16,
    KEPT = 256,
    KEPT_ROWS = 6
};

/* ---- what an access is ---------------------------------------------------------------------- */

/* Where the lanes of an access of hd_job_analyse() are found in the events of a row. */
typedef struct target {
    uint32_t row;   /* of the events */
    bool is_heard;  /* it is of global memory; others cost nothing */
    bool moves;     /* layouts move it; else only transactions are counted */
    bool is_varied; /* data decide where its lanes are, or which: it has many clumps */
    bool is_second; /* a further part of a row whose transactions the first one has */
    uint32_t width, segment_shift;
    /* address = base + element * size + field + byte, but of a record in columns */
    const hd_record *columns; /* NULL: it is in none */
    uint64_t base, count;
    uint32_t size, shift; /* size is odd << shift */
    uint64_t inverse;     /* of that odd number, modulo 2^64 */
    int64_t field;
    /* An access whose byte is the same for all lanes; elsewhere each has its own. */
    bool is_known;
    int64_t byte;   /* of the access, counted from the field */
    int64_t ahead;  /* elements from the one that the access begins in */
    uint32_t inner; /* of the part of it that is this access, counted from the part */
    bool is_free;   /* it is known, and a lane alone needs no residue */
    /* The part of the field that this access reaches: all of it, but where it is taken apart. */
    bool is_part;
    int64_t part, part_end;
    uint32_t own_width;  /* of the whole access */
    uint32_t align;      /* of the part's values, in every layout */
    uint64_t reach, gap; /* hd_cost_gap() of `reach` bytes */
    const hd_field *of;
} target;

/* What was counted of it. */
typedef struct sums {
    uint64_t executions, lanes, requests, transactions;
    shape_rows rows;
} sums;

/* A launch of the job. */
typedef struct heard {
    target *targets; /* [target_count], those of a row one after another; NULL: it was not heard */
    uint32_t *first; /* [row_count + 1]: targets of each row of events */
    uint32_t target_count, row_count;
    sums *sums; /* [target_count] */
    uint64_t runs, blocks;
    bool is_broken;  /* a run or block did not come to its end */
    bool is_known;   /* `varied` is, from this launch or another one of its kernel */
    uint32_t varied; /* of the targets those that are */
} heard;

struct hd_shapes {
    hd_arena *arena;
    const hd_diag *diag;
    const hd_job *job;
    const hd_device *device;
    hd_cost_grain grain;
    uint32_t request;
    uint64_t most, most_of_access; /* rows */
    heard *launches;               /* [job->launch_count] */
    int64_t current;               /* launch that was heard last, or -1 */
    int64_t given;                 /* by hd_shapes_next(), or -1 */
    uint32_t number;               /* of the last run */
    bool is_running;
    struct stream *streams;
    hd_in_order *order;
    hd_arena *results; /* of the latest result; or NULL */
};

/* ---- launches ------------------------------------------------------------------------------- */

static uint64_t inverse_of(uint64_t odd) {
    uint64_t inverse = odd; /* right in 3 bits; each step doubles them (Newton) */
    for (int i = 0; i < 5; i++)
        inverse *= 2 - odd * inverse;
    return inverse;
}

/* The job's buffer that a parameter gets, or -1. */
static int64_t buffer_of(const hd_launch *launch, const hd_access *access) {
    for (uint32_t i = 0; i < launch->arg_count && access->param >= 0; i++)
        if (launch->args[i].kind == HD_ARG_BUFFER &&
            (int64_t)launch->args[i].param == access->param)
            return launch->args[i].buffer;
    return -1;
}

/* The address of a buffer of the job in these events; false when they have none of that name. */
static bool find_base(const hd_event_launch *events, uint32_t row, const char *name,
                      uint64_t *base) {
    int32_t buffer = events->accesses[row].buffer;
    for (uint32_t b = 0; b < events->buffer_count && buffer < 0; b++)
        if (events->buffers[b].space == KIR_GLOBAL && !strcmp(events->buffers[b].name, name))
            buffer = (int32_t)b;
    if (buffer < 0)
        return false;
    *base = events->buffers[buffer].base;
    return true;
}

/* A lane alone at this byte of the field touches the same number of segments wherever it is. */
static bool straddles_nothing(const target *t, uint32_t inner) {
    return inner / t->align == (inner + (t->width ? t->width - 1 : 0)) / t->align;
}

/* `whole` is the access as the kernel has it, `access` as it is laid out. */
static target make_target(const hd_shapes *s, const hd_launch *launch, const hd_access *whole,
                          const hd_access *access, const hd_event_launch *events) {
    target t = {.row = access->id, .width = access->width, .own_width = whole->width};
    t.segment_shift = (uint32_t)__builtin_ctz(hd_device_segment_for(s->device, access->width));
    int64_t buffer = buffer_of(launch, access);
    t.is_heard = access->space == KIR_GLOBAL;
    t.moves = t.is_heard && buffer >= 0 && access->record == s->job->record && access->field >= 0 &&
              find_base(events, t.row, s->job->buffers[buffer].name, &t.base);
    if (!t.moves)
        return t;
    t.is_varied = !access->affine || access->conditional;
    const hd_field *field = t.of = &access->record->fields[access->field];
    bool arrays = access->record->of_arrays;
    t.count = s->job->buffers[buffer].count;
    t.columns = access->record->in_columns ? hd_record_declared(access->record) : NULL;
    t.size = s->job->buffers[buffer].element_bytes;
    t.shift = (uint32_t)__builtin_ctz(t.size);
    t.inverse = inverse_of(t.size >> t.shift);
    bool is_any = whole->field < 0; /* one of all fields, by its number */
    t.field = arrays || is_any ? 0 : field->offset;
    t.align = field->align;
    t.is_known = !whole->inner.term_count;
    t.reach = field->size;
    t.ahead = access->index.constant - whole->index.constant;
    if (access->record->whole || is_any || hd_access_is_wide(whole)) {
        const hd_field *around = is_any ? NULL : &whole->record->fields[whole->field];
        t.field = is_any ? 0 : around->offset;
        t.is_part = is_any || field->size < around->size || hd_access_is_wide(whole);
        t.part = (int64_t)field->offset - t.field;
        t.part_end = t.part + field->size;
    }
    t.inner = (uint32_t)access->inner.constant;
    if (access->inner.constant < 0)
        t.reach += (uint64_t)-access->inner.constant + access->width;
    t.byte = t.is_part ? whole->inner.constant : access->inner.constant;
    if (t.is_known && access->inner.constant >= 0)
        t.reach = (uint64_t)access->inner.constant + access->width;
    t.is_free = t.is_known && straddles_nothing(&t, t.inner);
    t.gap = hd_cost_gap(field, t.reach, 1u << t.segment_shift);
    return t;
}

/* Whether the rows of events are the kernel's accesses. */
static bool are_rows(const hd_kernel_info *whole, const hd_event_launch *events) {
    bool same = whole->access_count == events->access_count;
    for (uint32_t a = 0; a < whole->access_count && same; a++) {
        const hd_access *own = &whole->accesses[a];
        const hd_event_access *row = &events->accesses[a];
        same = own->kind == row->kind && own->width == row->width && own->line == row->line;
    }
    return same;
}

/* How many rows an access of launch `l` may have: of what earlier launches left, its part of what
 * accesses with many clumps take. Launches of kernels that were not heard yet count like this. */
static uint64_t most_rows(hd_shapes *s, uint32_t l) {
    const hd_launch *launches = s->job->launches;
    uint32_t varied = 0;
    uint64_t used = 0, shares = 0;
    for (uint32_t t = 0; t < s->launches[l].target_count; t++)
        varied += s->launches[l].targets[t].moves && s->launches[l].targets[t].is_varied;
    for (uint32_t i = 0; i < s->job->launch_count; i++) {
        heard *h = &s->launches[i];
        if (launches[i].kernel == launches[l].kernel) {
            h->is_known = true;
            h->varied = varied;
        }
        if (i >= l)
            shares += h->is_known ? h->varied : varied;
        for (uint32_t t = 0; t < h->target_count; t++)
            used += h->sums[t].rows.count;
    }
    uint64_t left = used < s->most ? s->most - used : 0, most = left / (shares ? shares : 1);
    return most < LEAST_ROWS ? LEAST_ROWS : most > s->most_of_access ? s->most_of_access : most;
}

/* Fills in what launch `l` is, the first time that it is heard; false when the events are of
 * other accesses. */
static bool describe_launch(hd_shapes *s, uint32_t l, const hd_event_launch *events) {
    heard *h = &s->launches[l];
    const hd_launch *launch = &s->job->launches[l];
    hd_arena *arena = hd_arena_new();
    const hd_kernel_info *info = hd_job_analyse(arena, s->job, launch);
    hd_binding binding = hd_job_binding(arena, s->job, launch);
    const hd_kernel_info *whole =
        hd_kernel_analyse(arena, s->job->module, launch->kernel, &binding);
    bool same = are_rows(whole, events);
    if (same) {
        h->row_count = whole->access_count;
        h->target_count = info->access_count;
        h->targets = hd_new_array(s->arena, target, h->target_count + 1);
        h->sums = hd_new_array(s->arena, sums, h->target_count + 1);
        h->first = hd_new_array(s->arena, uint32_t, h->row_count + 1);
    }
    for (uint32_t t = 0; t < h->target_count; t++) {
        const hd_access *access = &info->accesses[t];
        h->targets[t] = make_target(s, launch, &whole->accesses[access->id], access, events);
        h->targets[t].is_second = t > 0 && h->targets[t - 1].row == access->id;
        h->first[access->id + 1] = t + 1;
    }
    for (uint32_t r = 0; r < h->row_count; r++) /* of some no part may be left */
        h->first[r + 1] = h->first[r + 1] < h->first[r] ? h->first[r] : h->first[r + 1];
    uint64_t most = same ? most_rows(s, l) : 0;
    for (uint32_t t = 0; t < h->target_count; t++)
        h->sums[t].rows.most = most;
    hd_arena_free(arena);
    return same;
}

/* Whether the events run this launch, by its kernel and sizes. */
static bool is_launch(const hd_shapes *s, int64_t l, const hd_event_launch *events) {
    const hd_launch *launch = &s->job->launches[l];
    hd_grid grid = hd_grid_of(launch->dims, launch->global, launch->local);
    return !strcmp(launch->kernel_name, events->kernel) && launch->dims == events->dims &&
           (launch->items_from || !memcmp(grid.groups, events->groups, sizeof grid.groups)) &&
           !memcmp(grid.local, events->local, sizeof grid.local) &&
           (!s->launches[l].targets || s->launches[l].row_count == events->access_count);
}

/* The launch that a run is of, -1 when there is none left. */
static int64_t launch_of_run(hd_shapes *s, const hd_event_launch *events) {
    const hd_job *job = s->job;
    int64_t given = s->given;
    s->given = -1;
    if (given >= 0)
        return given;
    if (s->current >= 0 && events->number == s->number + 1) {
        if (s->launches[s->current].runs < job->launches[s->current].repeat &&
            is_launch(s, s->current, events))
            return s->current;
        int64_t next = s->current + 1;
        while (next < job->launch_count && job->launches[next].until && !is_launch(s, next, events))
            next++; /* the rounds of a group have ended */
        return next < job->launch_count ? next : -1;
    }
    uint64_t runs = 0; /* a trace may begin with any run */
    for (uint32_t l = 0; l < job->launch_count; l++) {
        runs += job->launches[l].repeat;
        if (events->number < runs)
            return l;
    }
    return -1;
}

static hd_status begin_launch(void *self, const hd_event_launch *events) {
    hd_shapes *s = self;
    hd_place place = {.file = s->job->path ? s->job->path : s->job->kernel_path};
    if (s->device->warp > SHAPE_LANES)
        return hd_fail(s->diag, HD_EUNSUPPORTED, NULL,
                       "lanes are told apart in warps of up to %d, and 'warp' of %s is %u; lower "
                       "it",
                       SHAPE_LANES, s->device->name, s->device->warp);
    int64_t l = launch_of_run(s, events);
    if (l < 0)
        return hd_fail(s->diag, HD_EINPUT, &place,
                       "run %u, of '%s', is more than the job's launches; hear a run of this job",
                       events->number, events->kernel);
    heard *h = &s->launches[l];
    bool is_new = !h->targets;
    if (!is_launch(s, l, events) || (is_new && !describe_launch(s, (uint32_t)l, events)))
        return hd_fail(s->diag, HD_EINPUT, &place,
                       "run %u is of another kernel than launch %u of the job: '%s' there, '%s' "
                       "here, or other sizes, or another source; hear a run of this job",
                       events->number, (unsigned)l, events->kernel,
                       s->job->launches[l].kernel_name);
    for (uint32_t t = 0; t < h->target_count && !is_new; t++) {
        int32_t buffer = events->accesses[h->targets[t].row].buffer;
        if (h->targets[t].moves && buffer >= 0) /* it may lie elsewhere by now */
            h->targets[t].base = events->buffers[buffer].base;
    }
    s->current = l;
    s->number = events->number;
    s->is_running = true;
    h->runs++;
    return HD_OK;
}

/* ---- one thread ----------------------------------------------------------------------------- */

/* A request of a strided event, and the rows that its clumps have. */
typedef struct kept_request {
    uint64_t mask; /* 0: this place is free */
    int64_t stride;
    uint32_t target, residue, inner, generation;
    uint32_t transactions, count;
    struct {
        uint32_t row, times;
    } rows[KEPT_ROWS];
} kept_request;

typedef struct stream {
    hd_in_order_stream base;
    struct stream *next; /* of the analysis */
    bool is_listed;
    uint32_t capacity, row_capacity;
    sums *sums;       /* [target_count] of the launch that is running */
    uint64_t *counts; /* [row_count] events of the block */
    uint64_t seed;    /* of the block */
    request_memo memo;
    kept_request kept[KEPT];
    /* Lanes of a request: their elements, in order, and bytes inside the field. */
    uint32_t lanes;
    int64_t index[SHAPE_LANES];
    uint32_t inner[SHAPE_LANES];
} stream;

/* ---- lanes ---------------------------------------------------------------------------------- */

static int64_t floor_divide(int64_t a, int64_t b) {
    int64_t q = a / b;
    return a % b < 0 ? q - 1 : q;
}

/* The element and the byte, counted from the part that the access reaches, of an address; false
 * when it reaches another part. */
static inline bool place_of(const target *t, uint64_t address, int64_t *index, uint32_t *inner) {
    uint64_t byte_at = address - t->base;
    if (t->columns)
        byte_at = hd_record_struct_byte(t->columns, t->count, byte_at);
    int64_t from_field = (int64_t)byte_at - t->field;
    if (t->is_known) {
        int64_t whole = from_field - t->byte;
        int64_t at = (int64_t)((uint64_t)(whole >> t->shift) * t->inverse);
        if ((int64_t)((uint64_t)at * t->size) == whole) {
            *index = at + t->ahead;
            *inner = t->inner;
            return true;
        }
    }
    *index = floor_divide(from_field, t->size);
    int64_t byte = from_field - *index * t->size;
    if (t->is_part && (byte + t->own_width <= t->part || byte >= t->part_end))
        return false;
    *inner = (uint32_t)(byte > t->part ? byte - t->part : 0);
    return true;
}

/* Puts a lane where it belongs among those before it, unless it is one of them. */
static inline void add_lane(stream *s, int64_t index, uint32_t inner) {
    uint32_t at = s->lanes, to = at;
    while (at > 0 &&
           (s->index[at - 1] > index || (s->index[at - 1] == index && s->inner[at - 1] > inner)))
        at--;
    if (at > 0 && s->index[at - 1] == index && s->inner[at - 1] == inner)
        return;
    for (; to > at; to--) {
        s->index[to] = s->index[to - 1];
        s->inner[to] = s->inner[to - 1];
    }
    s->index[at] = index;
    s->inner[at] = inner;
    s->lanes++;
}

/* The lanes of `mask`, counted from lane `first`. */
static void collect_lanes(stream *s, const target *t, const hd_event *e, uint32_t first,
                          uint64_t mask) {
    s->lanes = 0;
    for (; mask; mask &= mask - 1) {
        int64_t index;
        uint32_t inner, lane = first + (uint32_t)__builtin_ctzll(mask);
        if (place_of(t, hd_event_address(e, lane), &index, &inner))
            add_lane(s, index, inner);
    }
}

/* Segments that the lanes touch in the layout that was run. */
static uint32_t count_segments(const stream *s, const target *t) {
    uint32_t count = 0;
    int64_t next = INT64_MIN; /* the first segment that is not counted yet */
    for (uint32_t i = 0; i < s->lanes; i++) {
        int64_t at = s->index[i] * t->size + t->field + t->part + s->inner[i];
        if (t->columns)
            at = (int64_t)hd_record_byte(t->columns, t->count, (uint64_t)s->index[i],
                                         (uint64_t)(t->field + t->part + s->inner[i]));
        int64_t from = at >> t->segment_shift;
        int64_t to = (at + (t->width ? t->width - 1 : 0)) >> t->segment_shift;
        from = from < next ? next : from;
        count += to >= from ? (uint32_t)(to - from + 1) : 0;
        next = to >= next ? to + 1 : next;
    }
    return count;
}

/* ---- clumps --------------------------------------------------------------------------------- */

/* What becomes of the rows of a request. */
typedef struct entry {
    sums *sums;
    uint32_t level;
    kept_request *kept; /* where they are kept, and not counted; NULL: nowhere */
} entry;

static void keep_row(kept_request *k, size_t row, uint32_t times) {
    for (uint32_t i = 0; i < k->count && i < KEPT_ROWS; i++)
        if (k->rows[i].row == row) {
            k->rows[i].times += times;
            return;
        }
    if (k->count < KEPT_ROWS) {
        k->rows[k->count].row = (uint32_t)row;
        k->rows[k->count].times = times;
    }
    k->count++;
}

/* The lanes from `from` up to `to` are a clump, of which there are so many. */
static void add_clump(const hd_shapes *s, const stream *lanes, const target *t, uint32_t from,
                      uint32_t to, uint32_t times, entry *e) {
    int32_t places[2 * SHAPE_LANES];
    shape_clump clump = {to - from, (uint32_t)lanes->index[from] & (s->grain.period - 1), places};
    for (uint32_t i = from; i < to; i++) {
        places[i - from] = (int32_t)(lanes->index[i] - lanes->index[from]);
        places[to - from + i - from] = (int32_t)lanes->inner[i];
    }
    if (clump.lanes == 1 && straddles_nothing(t, lanes->inner[from]))
        clump.residue = HD_ANY_RESIDUE;
    size_t row = shape_rows_find(&e->sums->rows, &clump);
    if (e->kept)
        keep_row(e->kept, row, times);
    else
        e->sums->rows.rows[row].count[e->level] += times;
}

static uint64_t gap_of(const stream *lanes, const target *t) {
    uint64_t reach = t->reach;
    for (uint32_t i = 0; i < lanes->lanes && !t->is_known; i++)
        if (lanes->inner[i] + t->width > reach)
            reach = lanes->inner[i] + t->width;
    return reach == t->reach ? t->gap : hd_cost_gap(t->of, reach, 1u << t->segment_shift);
}

/* Cuts the lanes into clumps. */
static void add_clumps(const hd_shapes *s, const stream *lanes, const target *t, entry *e) {
    uint64_t gap = gap_of(lanes, t);
    uint32_t from = 0, singles = 0, single = 0;
    for (uint32_t i = 1; i <= lanes->lanes; i++) {
        if (i < lanes->lanes && (uint64_t)(lanes->index[i] - lanes->index[i - 1]) < gap)
            continue;
        if (i == from + 1 && t->is_free && lanes->inner[from] == t->inner) {
            singles++; /* all of them are one clump */
            single = from;
        } else {
            add_clump(s, lanes, t, from, i, 1, e);
        }
        from = i;
    }
    if (singles)
        add_clump(s, lanes, t, single, single + 1, singles, e);
}

/* ---- events --------------------------------------------------------------------------------- */

/* A warp that executes an access: its level, which its requests have; and what they add up to. */
typedef struct warp {
    uint32_t level, transactions;
} warp;

/* The request of lanes that are `stride` bytes apart, whole elements, from the table or newly there;
 * NULL when it has too many clumps for it. `index` is that of lane `first`. */
static const kept_request *recall_request(stream *s, uint32_t number, const hd_event *e,
                                          uint32_t first, uint64_t mask, int64_t stride,
                                          int64_t index, uint32_t inner) {
    const hd_shapes *shapes = s->base.self;
    const target *t = &shapes->launches[shapes->current].targets[number];
    sums *sum = &s->sums[number];
    uint32_t residue = (uint32_t)index & (shapes->grain.period - 1);
    if (!stride && straddles_nothing(t, inner))
        residue = 0;
    uint64_t hash = hd_hash_mix(mask ^ hd_hash_spread((uint64_t)stride),
                                (uint64_t)number << 32 ^ (uint64_t)inner << 16 ^ residue);
    kept_request *k = &s->kept[hash >> 32 & (KEPT - 1)];
    if (k->mask != mask || k->stride != stride || k->target != number || k->residue != residue ||
        k->inner != inner || k->generation != sum->rows.generation) {
        *k = (kept_request){.mask = mask,
                            .stride = stride,
                            .target = number,
                            .residue = residue,
                            .inner = inner,
                            .generation = sum->rows.generation};
        entry into = {sum, 0, k};
        collect_lanes(s, t, e, first, mask);
        add_clumps(shapes, s, t, &into);
        k->transactions = count_segments(s, t);
    }
    return k->count <= KEPT_ROWS ? k : NULL;
}

static void count_kept(sums *sum, const kept_request *k, uint32_t times, warp *w) {
    for (uint32_t i = 0; i < k->count; i++)
        sum->rows.rows[k->rows[i].row].count[w->level] += (uint64_t)times * k->rows[i].times;
    w->transactions += times * k->transactions;
}

static void count_warp(sums *sum, const warp *w) {
    shape_level *level = &sum->rows.levels[w->level];
    level->requests++;
    level->transactions += w->transactions;
    level->squares += (uint64_t)w->transactions * w->transactions;
}

/* Those of the lanes of a warp that reach this part of a field. */
static uint64_t lanes_that_reach(const target *t, const hd_event *e, uint32_t first,
                                 uint64_t mask) {
    uint64_t reach = 0;
    for (uint64_t left = mask; left; left &= left - 1) {
        int64_t index;
        uint32_t inner, lane = (uint32_t)__builtin_ctzll(left);
        if (place_of(t, hd_event_address(e, first + lane), &index, &inner))
            reach |= (uint64_t)1 << lane;
    }
    return reach;
}

/* All warps are whole and at one element, as where a loop walks over an array: each of their
 * requests is the same. */
static bool add_broadcast(stream *s, uint32_t number, const hd_event *e, uint64_t hash,
                          int64_t index, uint32_t inner) {
    const hd_shapes *shapes = s->base.self;
    sums *sum = &s->sums[number];
    uint32_t size = shapes->device->warp, requests = size / shapes->request;
    uint32_t warps = e->threads / size;
    const kept_request *k = NULL;
    for (uint32_t i = 0; i < warps; i++, hash += HD_RANDOM_STEP) {
        warp w = {shape_level_of(hash), 0};
        if (w.level < sum->rows.level)
            continue;
        if (!k && !(k = recall_request(s, number, e, 0, 1, 0, index, inner)))
            return false;
        count_kept(sum, k, requests, &w);
        count_warp(sum, &w);
    }
    sum->executions += warps;
    sum->lanes += e->active;
    sum->requests += (uint64_t)warps * requests;
    shape_rows_fit(&sum->rows);
    return true;
}

/* One request of a warp: the lanes of `mask`, counted from lane `first`. */
static void add_request(stream *s, uint32_t number, const hd_event *e, uint32_t first,
                        uint64_t mask, warp *w) {
    const hd_shapes *shapes = s->base.self;
    const target *t = &shapes->launches[shapes->current].targets[number];
    uint32_t end = first + shapes->request;
    uint64_t all = shapes->request < 64 ? ((uint64_t)1 << shapes->request) - 1 : UINT64_MAX;
    int64_t stride = e->stride, index;
    uint32_t inner;
    bool strided = !e->address || (mask == all && request_is_strided(e, first, end, &stride));
    if (strided && !t->columns && stride % t->size == 0 &&
        place_of(t, hd_event_address(e, first), &index, &inner)) {
        const kept_request *k = recall_request(s, number, e, first, mask, stride, index, inner);
        if (k) {
            count_kept(&s->sums[number], k, 1, w);
            return;
        }
    }
    entry into = {&s->sums[number], w->level, NULL};
    collect_lanes(s, t, e, first, mask);
    add_clumps(shapes, s, t, &into);
    w->transactions += count_segments(s, t);
}

static void add_event(stream *s, uint32_t number, const hd_event *e, uint64_t hash) {
    const hd_shapes *shapes = s->base.self;
    const target *t = &shapes->launches[shapes->current].targets[number];
    sums *sum = &s->sums[number];
    uint32_t size = shapes->device->warp, inner;
    int64_t index;
    if (!e->address && !e->stride && e->active == e->threads && e->threads % size == 0 &&
        place_of(t, e->base, &index, &inner) && add_broadcast(s, number, e, hash, index, inner))
        return;
    bool is_shared = t->is_part && !t->is_known; /* by lanes that reach it and others */
    if (is_shared && !t->columns && !e->address && e->stride % t->size == 0) {
        if (!place_of(t, e->base, &index, &inner))
            return;
        is_shared = false;
    }
    for (uint32_t first = 0; first < e->threads; first += size, hash += HD_RANDOM_STEP) {
        uint32_t end = e->threads - first < size ? e->threads : first + size;
        uint64_t mask = warp_mask(e, first, end);
        if (is_shared)
            mask = lanes_that_reach(t, e, first, mask);
        if (!mask)
            continue;
        warp w = {shape_level_of(hash), 0};
        bool counts = w.level >= sum->rows.level;
        sum->executions++;
        sum->lanes += (uint64_t)__builtin_popcountll(mask);
        for (uint32_t from = 0; from < size; from += shapes->request) {
            uint64_t part = mask >> from;
            if (shapes->request < 64)
                part &= ((uint64_t)1 << shapes->request) - 1;
            sum->requests += part != 0;
            if (part && counts)
                add_request(s, number, e, first + from, part, &w);
        }
        if (!counts)
            continue;
        count_warp(sum, &w);
        shape_rows_fit(&sum->rows);
    }
}

/* An access that no layout moves. */
static void count_event(stream *s, uint32_t number, const hd_event *e) {
    const hd_shapes *shapes = s->base.self;
    sums *sum = &s->sums[number];
    const target *t = &shapes->launches[shapes->current].targets[number];
    hd_coalesce_counts counts =
        request_count(shapes->device, &s->memo, e, t->own_width, !t->is_second);
    sum->executions += counts.requests;
    sum->lanes += counts.lane_accesses;
    sum->transactions += counts.transactions;
    sum->requests += counts.requests;
    for (uint32_t at = 0; at < e->threads && shapes->request < shapes->device->warp;
         at += shapes->device->warp)
        sum->requests += warp_mask(e, at, at + shapes->request) &&
                         warp_mask(e, at + shapes->request, at + shapes->device->warp);
}

static void hear_event(void *state, const hd_event *e) {
    stream *s = state;
    const hd_shapes *shapes = s->base.self;
    const heard *h = &shapes->launches[shapes->current];
    if (e->access >= h->row_count || !h->targets[h->first[e->access]].is_heard)
        return;
    /* Accesses that the same lanes execute together are in the sample together. */
    uint64_t mixed = hd_hash_spread(s->seed ^ s->counts[e->access]++);
    uint64_t hash = (mixed ^ mixed >> 32) * 0xc4ceb9fe1a85ec53u;
    for (uint32_t t = h->first[e->access]; t < h->first[e->access + 1]; t++)
        if (h->targets[t].moves)
            add_event(s, t, e, hash);
        else
            count_event(s, t, e);
}

/* ---- blocks --------------------------------------------------------------------------------- */

static void open_block(void *state) {
    stream *s = state;
    const hd_shapes *shapes = s->base.self;
    const heard *h = &shapes->launches[shapes->current];
    if (s->row_capacity < h->row_count) {
        free(s->counts);
        s->counts = hd_zeroed(h->row_count, sizeof *s->counts);
        s->row_capacity = h->row_count;
    }
    if (s->capacity < h->target_count) {
        free(s->sums); /* they are empty between launches */
        s->sums = hd_zeroed(h->target_count, sizeof *s->sums);
        s->capacity = h->target_count;
    }
    uint64_t seed = ((uint64_t)shapes->current << 32 ^ h->runs) * HD_RANDOM_STEP ^ s->base.block;
    s->seed = hd_next_random(&seed);
    if (h->row_count)
        memset(s->counts, 0, h->row_count * sizeof *s->counts);
    for (uint32_t t = 0; t < h->target_count; t++)
        s->sums[t].rows.most = h->sums[t].rows.most;
}

static void add_block(void *state, bool complete) {
    stream *s = state;
    hd_shapes *shapes = s->base.self;
    heard *h = &shapes->launches[shapes->current];
    if (!s->is_listed) {
        s->is_listed = true;
        s->next = shapes->streams;
        shapes->streams = s;
    }
    h->blocks++;
    h->is_broken |= !complete;
}

static hd_status end_launch(void *self, bool complete) {
    hd_shapes *shapes = self;
    if (!shapes->is_running) /* it was refused */
        return HD_OK;
    shapes->is_running = false;
    heard *h = &shapes->launches[shapes->current];
    h->is_broken |= !complete;
    for (stream *s = shapes->streams; s; s = s->next) {
        for (uint32_t t = 0; t < h->target_count && t < s->capacity; t++) {
            sums *sum = &h->sums[t], *more = &s->sums[t];
            sum->executions += more->executions;
            sum->lanes += more->lanes;
            sum->requests += more->requests;
            sum->transactions += more->transactions;
            shape_rows_merge(&sum->rows, &more->rows);
            shape_rows_free(&more->rows);
            *more = (sums){0};
        }
        memset(s->kept, 0, sizeof s->kept);
    }
    return HD_OK;
}

static void free_stream(void *state) {
    stream *s = state;
    for (uint32_t t = 0; t < s->capacity; t++)
        shape_rows_free(&s->sums[t].rows);
    free(s->sums);
    free(s->counts);
}

/* ---- results -------------------------------------------------------------------------------- */

static int by_places(const void *a, const void *b) {
    const hd_measured_clump *x = a, *y = b;
    if (x->lanes != y->lanes)
        return x->lanes < y->lanes ? -1 : 1;
    bool free_x = x->residue == HD_ANY_RESIDUE, free_y = y->residue == HD_ANY_RESIDUE;
    if (free_x != free_y)
        return free_x ? -1 : 1;
    for (uint32_t i = 0; i < x->lanes; i++) {
        if (x->index[i] != y->index[i])
            return x->index[i] < y->index[i] ? -1 : 1;
        if (x->inner[i] != y->inner[i])
            return x->inner[i] < y->inner[i] ? -1 : 1;
    }
    return x->residue < y->residue ? -1 : x->residue > y->residue;
}

/* The clumps of a table as of all `executions`, in an order that does not depend on threads. */
static void take_clumps(hd_shapes *s, const shape_rows *rows, double scale,
                        hd_measured_access *access) {
    int32_t *places = hd_new_array(s->results, int32_t, rows->place_count + 1);
    hd_measured_clump *clumps = hd_new_array(s->results, hd_measured_clump, rows->count + 1);
    if (rows->place_count)
        memcpy(places, rows->places, rows->place_count * sizeof *places);
    for (size_t r = 0; r < rows->count; r++) {
        const shape_row *row = &rows->rows[r];
        clumps[r] = (hd_measured_clump){row->lanes, row->residue, places + row->places,
                                        places + row->places + row->lanes,
                                        scale * (double)shape_rows_seen(rows, r)};
    }
    qsort(clumps, rows->count, sizeof *clumps, by_places);
    access->clumps = clumps;
    access->clump_count = (uint32_t)rows->count;
}

/* Of the mean of a sample of `all` requests, as a share of it. */
static double error_of(const shape_level *sample, uint64_t all) {
    double n = (double)sample->requests, mean = (double)sample->transactions / n;
    if (n < 2 || mean <= 0)
        return 1;
    double variance = ((double)sample->squares - n * mean * mean) / (n - 1);
    return sqrt((variance > 0 ? variance : 0) / n * (1 - n / (double)all)) / mean;
}

/* The access as of all blocks and repeats, of which a 1/scale-th was heard. Adds the transactions
 * and the square of their error. */
static hd_measured_access take_access(hd_shapes *s, const target *t, const sums *sum, double scale,
                                      double *transactions, double *squares) {
    double executions = (double)sum->executions;
    hd_measured_access a = {.executions = executions * scale,
                            .moves = t->moves,
                            .transactions = (double)sum->transactions * scale};
    if (!sum->executions)
        return a;
    a.lanes = (double)sum->lanes / executions;
    a.requests = (double)sum->requests / executions;
    if (!t->moves)
        return a;
    shape_level sample = shape_rows_kept(&sum->rows);
    double requests = sample.requests ? (double)sample.requests : 1;
    take_clumps(s, &sum->rows, a.executions / requests, &a);
    if (sum->rows.level) {
        a.sampled = sample.requests;
        a.error = error_of(&sample, sum->executions);
    }
    double moved = (double)sample.transactions / requests * a.executions;
    *transactions += moved;
    *squares += moved * a.error * moved * a.error;
    return a;
}

const hd_measured *hd_shapes_result(hd_shapes *s) {
    if (s->results)
        hd_arena_free(s->results);
    s->results = hd_arena_new();
    hd_measured *m = hd_new(s->results, hd_measured);
    hd_measured_launch *launches =
        hd_new_array(s->results, hd_measured_launch, s->job->launch_count);
    double transactions = 0, squares = 0;
    *m = (hd_measured){.job = s->job, .device = s->device, .launches = launches};
    for (uint32_t l = 0; l < s->job->launch_count; l++) {
        const heard *h = &s->launches[l];
        const hd_launch *launch = &s->job->launches[l];
        hd_grid grid = hd_grid_of(launch->dims, launch->global, launch->local);
        uint64_t blocks = launch->items_from ? h->blocks : launch->repeat * grid.block_count;
        launches[l] = (hd_measured_launch){.runs = h->runs,
                                           .blocks = h->blocks,
                                           .block_count = blocks,
                                           .complete = !h->is_broken,
                                           .access_count = h->target_count};
        if (!h->blocks)
            continue;
        double scale = (double)launches[l].block_count / (double)h->blocks;
        hd_measured_access *accesses =
            hd_new_array(s->results, hd_measured_access, h->target_count + 1);
        for (uint32_t t = 0; t < h->target_count; t++) {
            accesses[t] =
                take_access(s, &h->targets[t], &h->sums[t], scale, &transactions, &squares);
            m->sampled |= accesses[t].sampled > 0;
        }
        launches[l].accesses = accesses;
    }
    m->error = transactions > 0 ? sqrt(squares) / transactions : 0;
    return m;
}

/* ---- from beginning to end ------------------------------------------------------------------ */

hd_shapes *hd_shapes_new(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                         const hd_device *device, uint64_t most_patterns) {
    hd_shapes *s = hd_new(arena, hd_shapes);
    *s = (hd_shapes){.arena = hd_arena_new(),
                     .diag = diag,
                     .job = job,
                     .device = device,
                     .most = most_patterns ? most_patterns : DEFAULT_PATTERNS,
                     .most_of_access = most_patterns ? UINT64_MAX : MOST_ROWS,
                     .current = -1,
                     .given = -1};
    s->grain = hd_cost_grain_of(job->record, device);
    s->request = hd_device_request_lanes(device);
    s->launches = hd_new_array(s->arena, heard, job->launch_count);
    s->order = hd_in_order_new(arena, &(hd_in_order_work){.self = s,
                                                          .stream_bytes = sizeof(stream),
                                                          .launch = begin_launch,
                                                          .end_launch = end_launch,
                                                          .open_block = open_block,
                                                          .event = hear_event,
                                                          .add_up = add_block,
                                                          .free_stream = free_stream});
    return s;
}

hd_sink hd_shapes_sink(hd_shapes *s) { return hd_in_order_sink(s->order); }

void hd_shapes_next(hd_shapes *s, uint32_t launch) { s->given = launch; }

void hd_shapes_free(hd_shapes *s) {
    hd_in_order_free(s->order);
    for (uint32_t l = 0; l < s->job->launch_count; l++)
        for (uint32_t t = 0; t < s->launches[l].target_count; t++)
            shape_rows_free(&s->launches[l].sums[t].rows);
    if (s->results)
        hd_arena_free(s->results);
    hd_arena_free(s->arena);
}
