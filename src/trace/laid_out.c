/*
 * A trace in another layout: the same accesses of the same threads, where the fields that they touch
 * lie in that layout. Each buffer that holds the record gets an array behind all that is there.
 * What an access has of one field, or of several that lie side by side in the layout, too, stays one
 * access; what lies apart there becomes several, one after the other, and padding is left out.
 */
#include <stdlib.h>

#include "part.h"
#include "trace/trace.h"
#include "trace_table.h"

enum { PIECES_MOST = 128, ARRAY_ALIGN = 4096 };

/* So many bytes at an address of the layout. */
typedef struct piece {
    uint64_t address;
    uint32_t width;
} piece;

/* A buffer with the record: where it was, and its map. */
typedef struct array {
    uint64_t begin, end;
    const hd_map *map;
    uint64_t *base; /* of its allocations */
} array;

typedef struct laying_out {
    hd_vec(array) arrays;
    hd_arena *arena; /* of the launch in hand, and all below */
    const hd_event_launch *launch;
    hd_hash_table rows; /* an access and its bytes, for which there is a row */
    hd_vec(uint64_t) keys;
    const hd_sink *sink; /* NULL the first time through: to find the rows */
    void *stream;
    uint64_t position;
    uint64_t *mask, *address; /* of an event to send */
    piece (*pieces)[PIECES_MOST];
    uint32_t *counts; /* of them, for each thread */
    bool too_long;
} laying_out;

/* ---- the pieces of a lane ---------------------------------------------------------------------- */

static const array *array_at(const laying_out *l, uint64_t address) {
    for (size_t a = 0; a < l->arrays.count; a++)
        if (address >= l->arrays.data[a].begin && address < l->arrays.data[a].end)
            return &l->arrays.data[a];
    return NULL;
}

/* The pieces of `width` bytes from `address` on; how many there are. */
static uint32_t cut(laying_out *l, uint64_t address, uint32_t width, bool is_global,
                    piece pieces[PIECES_MOST]) {
    const array *in = is_global ? array_at(l, address) : NULL;
    uint32_t count = 0;
    if (!in) {
        pieces[0] = (piece){address, width};
        return 1;
    }
    const hd_record *record = in->map->record;
    uint64_t end = address + width < in->end ? address + width : in->end;
    l->too_long |= width > PIECES_MOST;
    while (address < end && !l->too_long) {
        uint64_t element = (address - in->begin) / record->size;
        uint32_t byte = (uint32_t)((address - in->begin) % record->size);
        int f = hd_record_field_at(record, byte);
        if (f < 0) {
            address++;
            continue;
        }
        uint64_t field_end = record->fields[f].offset + (uint64_t)record->fields[f].size;
        uint64_t part = field_end - byte < end - address ? field_end - byte : end - address;
        uint32_t cluster = in->map->fields[f].cluster;
        uint64_t at = in->base[in->map->clusters[cluster].allocation] +
                      hd_map_address(in->map, (uint32_t)f, element) +
                      (byte - record->fields[f].offset);
        piece *last = count ? &pieces[count - 1] : NULL;
        if (last && last->address + last->width == at)
            last->width += (uint32_t)part;
        else
            pieces[count++] = (piece){at, (uint32_t)part};
        address += part;
    }
    return count;
}

/* ---- events ------------------------------------------------------------------------------------- */

static uint64_t key_of(uint32_t access, uint32_t width) { return (uint64_t)access << 32 | width; }

/* Lanes whose piece number `p` has `width` bytes, as one event. */
static void send(laying_out *l, const hd_event *e, uint32_t p, uint32_t width) {
    const uint64_t key = key_of(e->access, width);
    if (!l->sink) {
        if (hd_hash_add(&l->rows, key, l->keys.count) == l->keys.count)
            hd_push(l->arena, &l->keys, key);
        return;
    }
    hd_event event = {.access = (uint32_t)hd_hash_get(&l->rows, key),
                      .threads = e->threads,
                      .position = l->position++,
                      .mask = l->mask,
                      .address = l->address};
    memset(l->mask, 0, (e->threads + 63) / 64 * sizeof *l->mask);
    for (uint32_t t = 0; t < e->threads; t++)
        if (p < l->counts[t] && l->pieces[t][p].width == width) {
            l->mask[t / 64] |= (uint64_t)1 << t % 64;
            l->address[t] = l->pieces[t][p].address;
            event.active++;
        }
    if (l->sink->event)
        l->sink->event(l->stream, &event);
}

/* The least number of bytes above `width` that a lane's piece number `p` has; 0: there is none. */
static uint32_t next_width(const laying_out *l, uint32_t threads, uint32_t p, uint32_t width) {
    uint32_t next = 0;
    for (uint32_t t = 0; t < threads; t++)
        if (p < l->counts[t] && l->pieces[t][p].width > width &&
            (!next || l->pieces[t][p].width < next))
            next = l->pieces[t][p].width;
    return next;
}

static void hear(void *stream, const hd_event *e) {
    laying_out *l = stream;
    const hd_event_access *access = &l->launch->accesses[e->access];
    bool is_global = access->space == KIR_GLOBAL || access->space == KIR_GENERIC;
    uint32_t most = 0, width = access->width;
    for (uint32_t t = 0; t < e->threads; t++) {
        l->counts[t] = hd_event_active(e, t)
                           ? cut(l, hd_event_address(e, t), width, is_global, l->pieces[t])
                           : 0;
        most = l->counts[t] > most ? l->counts[t] : most;
    }
    for (uint32_t p = 0; p < most; p++)
        for (width = 0; (width = next_width(l, e->threads, p, width));)
            send(l, e, p, width);
}

static void *open_block(void *self, uint64_t block) {
    laying_out *l = self;
    l->position = 0;
    if (l->sink && l->sink->open_block)
        l->stream = l->sink->open_block(l->sink->self, block);
    return l;
}

static hd_status close_block(void *self, void *stream, uint64_t block, bool complete) {
    laying_out *l = self;
    (void)stream;
    return l->sink && l->sink->close_block
               ? l->sink->close_block(l->sink->self, l->stream, block, complete)
               : HD_OK;
}

static hd_status end_launch(void *self, bool complete) {
    laying_out *l = self;
    return l->sink && l->sink->end_launch ? l->sink->end_launch(l->sink->self, complete) : HD_OK;
}

/* ---- launches -------------------------------------------------------------------------------------- */

static bool holds(const hd_event_buffer *buffer, const hd_record *record) {
    return buffer->space == KIR_GLOBAL && buffer->record && buffer->bytes &&
           buffer->record->size == record->size && !strcmp(buffer->record->name, record->name);
}

/* An array for each buffer of any launch that holds the record. */
static hd_status make_arrays(laying_out *l, hd_arena *arena, const hd_diag *diag,
                             const hd_trace_contents *contents, const hd_record_layout *of) {
    uint64_t next = 0;
    hd_status status = HD_OK;
    for (uint32_t n = 0; n < contents->launch_count; n++)
        for (uint32_t b = 0; b < contents->launches[n].launch.buffer_count; b++) {
            const hd_event_buffer *buffer = &contents->launches[n].launch.buffers[b];
            uint64_t end = buffer->base + buffer->bytes;
            next = buffer->space == KIR_GLOBAL && end > next ? end : next;
        }
    for (uint32_t n = 0; n < contents->launch_count; n++)
        for (uint32_t b = 0; b < contents->launches[n].launch.buffer_count && !status; b++) {
            const hd_event_buffer *buffer = &contents->launches[n].launch.buffers[b];
            hd_map *map;
            uint64_t count = buffer->bytes / of->record->size;
            if (!holds(buffer, of->record) || !count || array_at(l, buffer->base))
                continue;
            status = hd_map_make(arena, diag, of->record, of->layout, count, &map);
            if (status != HD_OK)
                return status;
            array made = {buffer->base, buffer->base + count * of->record->size, map,
                          hd_new_array(arena, uint64_t, map->allocation_count)};
            for (uint32_t a = 0; a < map->allocation_count; a++) {
                made.base[a] = hd_align_up(next, ARRAY_ALIGN);
                next = made.base[a] + map->allocation_bytes[a];
            }
            hd_push(arena, &l->arrays, made);
        }
    return status;
}

static int by_number(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static uint64_t pc_of(const hd_event_launch *launch, uint32_t access) {
    uint64_t pc = launch->accesses[access].pc;
    return pc ? pc : access;
}

/* The first row of an access keeps its pc, others get new ones. */
static void set_pcs(const laying_out *l, const hd_event_launch *from, hd_event_access *table) {
    uint64_t next = 0, last = HD_NO_VALUE;
    for (uint32_t a = 0; a < from->access_count; a++)
        next = pc_of(from, a) >= next ? pc_of(from, a) + 1 : next;
    for (size_t r = 0; r < l->keys.count; r++) {
        uint64_t access = l->keys.data[r] >> 32;
        uint64_t pc = access == last ? next++ : pc_of(from, (uint32_t)access);
        table[r].pc = pc == r ? 0 : pc;
        last = access;
    }
}

/* The launch with the rows that were found, and its arrays at their new places. */
static hd_event_launch *new_launch(laying_out *l, const hd_event_launch *from) {
    hd_event_launch *launch = hd_new(l->arena, hd_event_launch);
    hd_event_access *table = hd_new_array(l->arena, hd_event_access, l->keys.count + 1);
    hd_event_buffer *buffers = hd_new_array(l->arena, hd_event_buffer, from->buffer_count + 1);
    if (l->keys.count)
        qsort(l->keys.data, l->keys.count, sizeof *l->keys.data, by_number);
    for (size_t r = 0; r < l->keys.count; r++) {
        hd_hash_set(&l->rows, l->keys.data[r], r);
        table[r] = from->accesses[l->keys.data[r] >> 32];
        table[r].width = (uint32_t)l->keys.data[r];
    }
    set_pcs(l, from, table);
    for (uint32_t b = 0; b < from->buffer_count; b++) {
        const array *in =
            from->buffers[b].space == KIR_GLOBAL ? array_at(l, from->buffers[b].base) : NULL;
        buffers[b] = from->buffers[b];
        if (!in || in->begin != buffers[b].base)
            continue;
        uint32_t last = in->map->allocation_count - 1;
        buffers[b].base = in->base[0];
        buffers[b].bytes = in->base[last] + in->map->allocation_bytes[last] - in->base[0];
        buffers[b].element_bytes = 0;
        buffers[b].record = NULL;
    }
    *launch = *from;
    launch->accesses = table;
    launch->access_count = (uint32_t)l->keys.count;
    launch->buffers = buffers;
    return launch;
}

static hd_status lay_out_launch(laying_out *l, const hd_diag *diag, hd_trace *trace,
                                const hd_event_launch *launch, const hd_trace_watch *watch,
                                const hd_sink *sink) {
    const hd_trace_choice choice = {launch->number, 0, UINT64_MAX, 0, watch};
    const hd_sink self = {.self = l,
                          .open_block = open_block,
                          .event = hear,
                          .close_block = close_block,
                          .end_launch = end_launch};
    const uint32_t threads = launch->block_threads;
    l->launch = launch;
    l->rows = (hd_hash_table){.arena = l->arena};
    l->mask = hd_new_array(l->arena, uint64_t, (threads + 63) / 64);
    l->address = hd_new_array(l->arena, uint64_t, threads);
    l->pieces = hd_alloc(l->arena, threads * sizeof *l->pieces);
    l->counts = hd_new_array(l->arena, uint32_t, threads);
    l->sink = NULL;
    hd_status status = hd_trace_replay(trace, diag, &choice, &self);
    if (status == HD_OK && l->too_long)
        status = hd_fail(diag, HD_EUNSUPPORTED, NULL,
                         "a thread accesses more than %d bytes of records at once", PIECES_MOST);
    if (status == HD_OK && l->keys.count > TABLE_ROWS_MAX)
        status = hd_fail(diag, HD_EUNSUPPORTED, NULL, "a launch has more than %d accesses",
                         TABLE_ROWS_MAX);
    if (status == HD_OK && sink->launch)
        status = sink->launch(sink->self, new_launch(l, launch));
    if (status != HD_OK)
        return status;
    l->sink = sink;
    return hd_trace_replay(trace, diag, &choice, &self);
}

hd_status hd_trace_lay_out(const hd_diag *diag, hd_trace *trace, const hd_record_layout *of,
                           const hd_trace_watch *watch, const hd_sink *sink) {
    const hd_trace_contents *contents = hd_trace_get(trace);
    hd_arena *arena = hd_arena_new();
    laying_out l = {0};
    hd_status status = make_arrays(&l, arena, diag, contents, of);
    for (uint32_t n = 0; n < contents->launch_count && !status; n++) {
        if (watch && watch->stop && *watch->stop)
            break;
        l.arena = hd_arena_new();
        l.keys.data = NULL;
        l.keys.count = l.keys.capacity = 0;
        status = lay_out_launch(&l, diag, trace, &contents->launches[n].launch, watch, sink);
        hd_arena_free(l.arena);
    }
    hd_arena_free(arena);
    return status;
}
