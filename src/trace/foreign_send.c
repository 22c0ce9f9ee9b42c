/*
 * From the warps of a foreign trace to events of blocks. The warps of a block are taken as going in
 * step: again and again, those whose next instruction has the lowest address execute it together,
 * as one event. So each warp keeps its order, and what threads of different warps do at one place
 * of the kernel is one memory instruction, as it is on Heddle's machine; transactions are those of
 * single warps, and do not depend on it.
 */
#include <stdlib.h>

#include "foreign_entry.h"

enum { BLOCKS_MOST = 1 << 26 }; /* of a grid, which a damaged line may make of any size */

/* ---- launches --------------------------------------------------------------------------------- */

static int by_block(const void *a, const void *b) {
    const foreign_entry *x = a, *y = b;
    return x->launch != y->launch   ? (x->launch > y->launch) - (x->launch < y->launch)
           : x->block != y->block   ? (x->block > y->block) - (x->block < y->block)
           : x->warp != y->warp     ? (x->warp > y->warp) - (x->warp < y->warp)
           : x->offset != y->offset ? (x->offset > y->offset) - (x->offset < y->offset)
                                    : 0;
}

/* Behind the entries of the same block, or with `warp` of the same warp. */
static size_t end_of(const foreign *f, size_t first, bool warp) {
    const foreign_entry *e = f->entries.data, *one = &e[first];
    size_t end = first;
    while (end < f->entries.count && e[end].launch == one->launch && e[end].block == one->block &&
           (!warp || e[end].warp == one->warp))
        end++;
    return end;
}

/* The warps of a block without a size: the highest number, or how many there are of it. */
static void count_warps(foreign *f) {
    for (size_t first = 0, end; first < f->entries.count; first = end) {
        foreign_launch *launch = &f->launches.data[f->entries.data[first].launch];
        uint64_t warps = 0;
        end = end_of(f, first, false);
        for (size_t w = first; w < end; w = end_of(f, w, true))
            warps = f->format->has_slots ? warps + 1 : (uint64_t)f->entries.data[w].warp + 1;
        launch->warps = warps > launch->warps ? warps : launch->warps;
    }
}

static int by_key(const void *a, const void *b) {
    const foreign_row *x = *(foreign_row *const *)a, *y = *(foreign_row *const *)b;
    return x->key != y->key ? (x->key > y->key) - (x->key < y->key) : (x > y) - (x < y);
}

/* The rows as a table in the order of their addresses. Of several with one address (of functions
 * that it is counted anew in) the later ones get others. */
static void make_table(foreign *f, foreign_launch *l) {
    size_t count = l->rows.count;
    foreign_row **rows = hd_new_array(f->arena, foreign_row *, count);
    hd_event_access *table = hd_new_array(f->arena, hd_event_access, count);
    uint64_t next = 0;
    for (size_t r = 0; r < count; r++)
        rows[r] = &l->rows.data[r];
    qsort(rows, count, sizeof *rows, by_key);
    for (size_t r = 0; r < count; r++) {
        const foreign_row *row = rows[r];
        bool has_field = row->buffer >= 0 && row->field >= 0;
        uint64_t pc = row->key < next ? next : row->key;
        next = pc + 1;
        rows[r]->at = (uint32_t)r;
        table[r] = (hd_event_access){.kind = row->kind,
                                     .space = row->space,
                                     .width = row->width,
                                     .buffer = row->buffer < 0 ? -1 : row->buffer,
                                     .pc = pc == r || f->format->has_names ? 0 : pc};
        if (has_field) {
            table[r].record = f->record->record->name;
            table[r].field = f->record->record->fields[row->field].name;
        }
    }
    l->launch.accesses = table;
    l->launch.access_count = (uint32_t)count;
}

static void make_launch(foreign *f, foreign_launch *l, uint32_t number) {
    hd_event_launch *launch = &l->launch;
    const uint32_t lanes = f->format->lanes;
    uint64_t threads = l->local[0] * l->local[1] * l->local[2];
    l->warps = threads ? (threads + lanes - 1) / lanes : l->warps;
    *launch = (hd_event_launch){.number = number, .kernel = l->kernel ? l->kernel : ""};
    for (int d = 0; d < 3; d++) {
        launch->groups[d] = l->groups[d] ? l->groups[d] : l->extent[d];
        launch->local[d] = threads ? l->local[d] : d ? 1 : l->warps * lanes;
        launch->dims =
            launch->groups[d] > 1 || launch->local[d] > 1 || !d ? (uint32_t)d + 1 : launch->dims;
    }
    launch->block_count = launch->groups[0] * launch->groups[1] * launch->groups[2];
    launch->block_threads = (uint32_t)(launch->local[0] * launch->local[1] * launch->local[2]);
    launch->buffers = f->buffers.data;
    launch->buffer_count = (uint32_t)f->buffers.count;
    make_table(f, l);
    const char *fault = launch_fault(launch);
    if (fault)
        hd_scan_fail(&f->in, l->at, "%s", fault);
    else if (launch->block_count > BLOCKS_MOST)
        hd_scan_fail(&f->in, l->at, "the grid has %llu blocks, and %d are read at most",
                     (ull)launch->block_count, BLOCKS_MOST);
}

/* ---- the second time through --------------------------------------------------------------------- */

/* f->access of an entry, which was read without fault before. */
static void read_again(foreign *f, const foreign_entry *entry) {
    f->in.at = f->line = f->in.text + entry->offset;
    f->format->read_access(f);
    hd_scan_next_line(&f->in);
    reading_goes_on(&f->reading, (uint64_t)(f->in.at - f->line));
}

/* The same of what an access was before, or -1: it is not always the same. */
static int32_t same(int32_t before, int32_t now) {
    return before == ROW_NOT_SEEN || before == now ? now : -1;
}

/* The field that an access is in, or -1. */
static int32_t field_of(const hd_record *record, uint32_t byte, uint32_t width) {
    int field = hd_record_field_at(record, byte);
    const hd_field *of = field < 0 ? NULL : &record->fields[field];
    return of && byte + (uint64_t)width <= of->offset + (uint64_t)of->size ? field : -1;
}

/* The buffer and the field that all lanes of f->access are in. */
static void find_place(const foreign *f, int32_t *buffer, int32_t *field) {
    *buffer = ROW_NOT_SEEN;
    *field = FIELD_NOT_SEEN;
    for (uint64_t left = f->access.mask; left; left &= left - 1) {
        uint64_t address = f->access.address[__builtin_ctzll(left)];
        int32_t at = foreign_buffer_at(f, address);
        const hd_event_buffer *in = at < 0 ? NULL : &f->buffers.data[at];
        *buffer = same(*buffer, at);
        if (in && in->record) {
            uint32_t byte = (uint32_t)((address - in->base) % in->record->size);
            *field = same(*field, field_of(in->record, byte, f->access.width));
        }
    }
}

/* Which buffer and field each row goes to. Instructions of one name are told apart by those. */
static void find_places(foreign *f) {
    for (size_t l = 0; l < f->launches.count && f->format->has_names; l++) {
        f->launches.data[l].rows.count = 0;
        hd_hash_clear(&f->launches.data[l].row_of);
    }
    for (size_t e = 0; e < f->entries.count && !f->reading.stopped && !f->in.status; e++) {
        foreign_entry *entry = &f->entries.data[e];
        foreign_launch *launch = &f->launches.data[entry->launch];
        int32_t buffer = -1, field = -1;
        read_again(f, entry);
        if (f->access.space == KIR_GLOBAL || f->access.space == KIR_GENERIC)
            find_place(f, &buffer, &field);
        if (f->format->has_names) {
            f->access.key += (uint64_t)(buffer + 1) << 32 | (uint64_t)(field + 3) << 16;
            entry->row = foreign_row_of(f, launch);
        }
        foreign_row *row = &launch->rows.data[entry->row];
        row->buffer = same(row->buffer, buffer);
        row->field = same(row->field, field);
    }
}

static int by_id(const void *a, const void *b) {
    const foreign_launch *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

/* Launches in the order of their numbers, entries in that of launches. */
static void order_launches(foreign *f) {
    size_t count = f->launches.count;
    uint32_t *number = hd_new_array(f->arena, uint32_t, count);
    uint64_t *ids = hd_new_array(f->arena, uint64_t, count);
    for (size_t l = 0; l < count; l++)
        ids[l] = f->launches.data[l].id;
    qsort(f->launches.data, count, sizeof *f->launches.data, by_id);
    for (size_t l = 0; l < count; l++)
        hd_hash_set(&f->launch_of, f->launches.data[l].id, l);
    for (size_t l = 0; l < count; l++)
        number[l] = (uint32_t)hd_hash_get(&f->launch_of, ids[l]);
    for (size_t e = 0; e < f->entries.count; e++)
        f->entries.data[e].launch = number[f->entries.data[e].launch];
}

void foreign_settle(foreign *f) {
    order_launches(f);
    qsort(f->entries.data, f->entries.count, sizeof *f->entries.data, by_block);
    count_warps(f);
    foreign_buffers_make(f);
    if (!f->in.status)
        find_places(f);
    uint32_t number = 0;
    for (size_t l = 0; l < f->launches.count && !f->in.status; l++)
        if (f->launches.data[l].rows.count) /* else it touched nothing, or wasn't traced */
            make_launch(f, &f->launches.data[l], number++);
}

uint32_t hd_foreign_spaces(const hd_foreign *f) {
    uint32_t spaces = 1u << KIR_GLOBAL;
    for (size_t l = 0; l < f->launches.count; l++)
        for (size_t r = 0; r < f->launches.data[l].rows.count; r++)
            spaces |= 1u << f->launches.data[l].rows.data[r].space;
    return spaces;
}

/* ---- blocks ---------------------------------------------------------------------------------------- */

/* A warp of the block in hand. */
typedef struct warp_cursor {
    size_t next, end; /* of the entries */
    uint32_t thread;  /* its first one */
} warp_cursor;

typedef struct sending {
    foreign *f;
    const hd_sink *sink;
    const foreign_launch *launch;
    void *stream;
    warp_cursor *warps;
    uint32_t warp_count;
    uint64_t *mask, *address;
} sending;

/* The warps of the block; which threads they are. Where numbers are beyond the block they only
 * tell the warps apart, which are then numbered in their order. */
static void begin_warps(sending *s, size_t first, size_t end) {
    foreign *f = s->f;
    const foreign_entry *e = f->entries.data;
    bool numbered = e[end - 1].warp < s->launch->warps;
    s->warp_count = 0;
    for (size_t w = first, next; w < end; w = next) {
        next = end_of(f, w, true);
        uint64_t number = numbered ? e[w].warp : s->warp_count;
        if (number >= s->launch->warps || (!numbered && !f->format->has_slots)) {
            hd_scan_fail(&f->in, f->in.text + e[end - 1].offset,
                         "warp %u is beyond its block, which has %u threads", e[end - 1].warp,
                         s->launch->launch.block_threads);
            return;
        }
        s->warps[s->warp_count++] = (warp_cursor){w, next, (uint32_t)number * f->format->lanes};
    }
}

static uint32_t row_at(const sending *s, const warp_cursor *warp) {
    return s->launch->rows.data[s->f->entries.data[warp->next].row].at;
}

/* The lanes of the warp's next instruction. */
static uint32_t add_lanes(sending *s, warp_cursor *warp) {
    foreign *f = s->f;
    const foreign_entry *entry = &f->entries.data[warp->next++];
    uint32_t active = 0, threads = s->launch->launch.block_threads;
    read_again(f, entry);
    for (uint64_t left = f->access.mask; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctzll(left), thread = warp->thread + lane;
        if (thread >= threads && f->format->has_masks) {
            hd_scan_fail(&f->in, f->line,
                         "lane %u of warp %u is beyond its block, which has %u threads", lane,
                         entry->warp, threads);
            return 0;
        }
        if (thread >= threads)
            break;
        s->mask[thread / 64] |= (uint64_t)1 << thread % 64;
        s->address[thread] = f->access.address[lane];
        active++;
    }
    return active;
}

/* One event; false: the block has ended. */
static bool step(sending *s, uint64_t *position) {
    uint32_t row = UINT32_MAX, threads = s->launch->launch.block_threads;
    hd_event event = {.threads = threads, .mask = s->mask, .address = s->address};
    for (uint32_t w = 0; w < s->warp_count; w++)
        if (s->warps[w].next < s->warps[w].end && row_at(s, &s->warps[w]) < row)
            row = row_at(s, &s->warps[w]);
    if (row == UINT32_MAX || s->f->in.status || s->f->reading.stopped)
        return false;
    memset(s->mask, 0, (threads + 63) / 64 * sizeof *s->mask);
    for (uint32_t w = 0; w < s->warp_count; w++)
        if (s->warps[w].next < s->warps[w].end && row_at(s, &s->warps[w]) == row)
            event.active += add_lanes(s, &s->warps[w]);
    event.access = row;
    event.position = *position;
    if (event.active && !s->f->in.status) {
        ++*position;
        if (s->sink->event)
            s->sink->event(s->stream, &event);
    }
    return true;
}

static void send_block(sending *s, uint64_t block, size_t first, size_t end) {
    foreign *f = s->f;
    uint64_t position = 0;
    s->stream = s->sink->open_block ? s->sink->open_block(s->sink->self, block) : NULL;
    if (first < end)
        begin_warps(s, first, end);
    else
        s->warp_count = 0;
    while (!f->in.status && step(s, &position))
        ;
    if (s->sink->close_block) {
        bool complete = !f->in.status && !f->reading.stopped;
        hd_status status = s->sink->close_block(s->sink->self, s->stream, block, complete);
        f->in.status = f->in.status ? f->in.status : status;
    }
}

/* From entry `first` on; behind those of the launch. */
static size_t send_launch(sending *s, size_t first, uint32_t launch) {
    foreign *f = s->f;
    const hd_event_launch *l = &s->launch->launch;
    const hd_trace_watch *watch = f->reading.watch;
    f->in.status = s->sink->launch ? s->sink->launch(s->sink->self, l) : HD_OK;
    if (f->in.status)
        return first;
    s->warps = hd_new_array(f->arena, warp_cursor, s->launch->warps);
    for (uint64_t b = 0; b < l->block_count && !f->in.status && !f->reading.stopped; b++) {
        const foreign_entry *e = first < f->entries.count ? &f->entries.data[first] : NULL;
        uint64_t x = b % l->groups[0], y = b / l->groups[0] % l->groups[1];
        uint64_t z = b / l->groups[0] / l->groups[1];
        bool is_there = e && e->launch == launch && e->block == (z << 48 | y << 32 | x);
        size_t end = is_there ? end_of(f, first, false) : first;
        send_block(s, b, first, end);
        f->reading.stopped |= watch && watch->stop && *watch->stop; /* also of empty blocks */
        first = end;
    }
    if (s->sink->end_launch) {
        bool complete = !f->in.status && !f->reading.stopped;
        hd_status status = s->sink->end_launch(s->sink->self, complete);
        f->in.status = f->in.status ? f->in.status : status;
    }
    return first;
}

hd_status hd_foreign_send(hd_foreign *f, const hd_sink *sink) {
    sending s = {.f = f,
                 .sink = sink,
                 .mask = hd_new_array(f->arena, uint64_t, LANES_MAX / 64),
                 .address = hd_new_array(f->arena, uint64_t, LANES_MAX)};
    size_t first = 0;
    f->reading.done = f->reading.told = 2 * (uint64_t)(f->in.end - f->in.text);
    for (size_t l = 0; l < f->launches.count && !f->in.status && !f->reading.stopped; l++) {
        s.launch = &f->launches.data[l];
        if (s.launch->rows.count)
            first = send_launch(&s, first, (uint32_t)l);
    }
    hd_status status = f->in.status;
    f->in.status = HD_OK;
    return status;
}
