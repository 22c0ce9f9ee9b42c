/*
 * Caches, the slow and obvious way: every byte of every lane, lists of lines, blocks in arrays.
 *
 *     oracle_caches o;
 *     oracle_caches_run(&o, trace, device, job, layout, registers);
 *     o.rows[i]        a launch, an access, a place, and what they count
 *     oracle_caches_free(&o);
 */
#ifndef ORACLE_CACHES_H
#define ORACLE_CACHES_H

#include <stdlib.h>

#include "model/cost.h"
#include "analysis/cache.h"

/* ---- what is counted ------------------------------------------------------------------------ */

typedef struct oracle_row {
    uint32_t launch, access; /* launch: row of the trace's launches */
    const char *record, *name;
    hd_cache_counts counts;
} oracle_row;

/* One MI of a block, copied out of the trace. */
typedef struct oracle_mi {
    uint32_t access, threads;
    uint64_t *mask, *address; /* address: of each lane */
} oracle_mi;

/* What a warp has asked L1 for since its block's last store, unless a load came again. */
typedef struct oracle_pending {
    uint64_t line, bits;
} oracle_pending;

typedef struct oracle_block {
    hd_vec(oracle_mi) mis;
    size_t next;
    hd_vec(oracle_pending) pending[64]; /* of each warp */
    int64_t last;                       /* load; -1: none */
} oracle_block;

typedef struct oracle_line {
    uint64_t line, valid, dirty; /* valid, dirty: a bit for each sector */
    uint64_t beside;             /* that came with others, and nobody asked for */
    uint32_t stored[64];         /* bytes of each */
    size_t owner;
    uint32_t used; /* row of the launch that used it last, plus 1; of L2 */
} oracle_line;

/* Lines of each set, the last used first. */
typedef struct oracle_cache {
    uint64_t sets, ways, line, brings; /* line, brings: in sectors */
    oracle_line *lines;                /* [sets * ways] */
    size_t *counts;                    /* [sets] */
} oracle_cache;

typedef struct oracle_caches {
    hd_arena *arena;
    hd_trace *trace;
    const hd_device *device;
    const hd_job *job;
    const hd_layout *layout;
    uint64_t sector;
    oracle_cache l2, *l1;
    uint64_t open_rows[512]; /* plus 1 */
    hd_vec(oracle_row) rows;
    double kept, lines, whole_lines; /* of all launches: lines of L2 touched, and by all blocks */
    uint64_t dropped;                /* lines of earlier launches that were there no more */
    /* of the launch */
    uint32_t number;
    uint64_t new_lines;
    const hd_event_launch *launch;
    hd_map *map;                 /* of the one buffer that is laid out */
    const hd_event_buffer *laid; /* in this launch */
    uint64_t base;               /* of it in the layout */
    hd_vec(oracle_mi) heard;
    oracle_block *block; /* that issues */
    uint32_t warp;       /* of it */
} oracle_caches;

static hd_cache_counts *oracle_row_of(oracle_caches *o, uint32_t access, const char *record,
                                      const char *name, size_t *number) {
    for (*number = 0; *number < o->rows.count; ++*number) {
        const oracle_row *r = &o->rows.data[*number];
        if (r->launch == o->number && r->access == access && !r->record == !record &&
            !r->name == !name && (!record || !strcmp(r->record, record)) &&
            (!name || !strcmp(r->name, name)))
            return &o->rows.data[*number].counts;
    }
    hd_push(o->arena, &o->rows, (oracle_row){o->number, access, record, name, {0}});
    return &o->rows.data[*number].counts;
}

/* ---- where a byte is -------------------------------------------------------------------------- */

static const hd_event_buffer *oracle_buffer(const oracle_caches *o, uint64_t address) {
    for (uint32_t b = 0; b < o->launch->buffer_count; b++) {
        const hd_event_buffer *buffer = &o->launch->buffers[b];
        if (buffer->space == KIR_GLOBAL && address >= buffer->base &&
            address - buffer->base < buffer->bytes)
            return buffer;
    }
    return NULL;
}

static bool oracle_is_jobs(const oracle_caches *o, const hd_event_buffer *buffer) {
    return o->job && buffer->record &&
           !strcmp(buffer->record->name, hd_record_declared(o->job->record)->name);
}

/* Of a byte of a buffer in the layout; false: it is padding, and nowhere. */
static bool oracle_move(const oracle_caches *o, uint64_t *address) {
    if (!o->map || *address < o->laid->base || *address - o->laid->base >= o->laid->bytes)
        return true;
    uint64_t at = *address - o->laid->base, element = at / o->job->record->size;
    uint32_t byte = (uint32_t)(at % o->job->record->size);
    int field = hd_record_field_at(o->job->record, byte);
    if (field < 0)
        return false;
    uint64_t base = o->base;
    for (uint32_t a = 0; a < o->map->clusters[o->map->fields[field].cluster].allocation; a++)
        base += (o->map->allocation_bytes[a] + 511) / 512 * 512;
    *address = base + hd_map_address(o->map, (uint32_t)field, element) + byte -
               o->job->record->fields[field].offset;
    return true;
}

static void oracle_place(const oracle_caches *o, uint64_t address, const char **record,
                         const char **name) {
    const hd_event_buffer *buffer = oracle_buffer(o, address);
    *record = *name = NULL;
    if (!buffer)
        return;
    const hd_record *of = oracle_is_jobs(o, buffer) ? o->job->record : buffer->record;
    *name = buffer->name;
    if (!of)
        return;
    int field = hd_record_field_at(of, (uint32_t)((address - buffer->base) % of->size));
    *record = of->name;
    *name = of->fields[field < 0 ? 0 : field].name;
}

/* ---- caches ------------------------------------------------------------------------------------- */

static oracle_cache oracle_cache_of(hd_arena *arena, const hd_cache *cache, uint64_t sector) {
    oracle_cache c = {.sets = cache->size / cache->tag / cache->ways,
                      .ways = cache->ways,
                      .line = cache->tag / sector,
                      .brings = cache->line / sector};
    c.lines = hd_new_array(arena, oracle_line, c.sets * c.ways);
    c.counts = hd_new_array(arena, size_t, c.sets);
    return c;
}

/* Moves the line to the front of its set, where it is returned. *gone is what had to go. */
static oracle_line *oracle_use(oracle_cache *c, uint64_t line, oracle_line *gone) {
    uint64_t hash = line * UINT64_C(0x9e3779b97f4a7c15) >> 32;
    uint64_t set = hash * c->sets >> 32;
    oracle_line *lines = c->lines + set * c->ways, found = {.line = line};
    size_t at = 0;
    *gone = (oracle_line){0};
    while (at < c->counts[set] && lines[at].line != line)
        at++;
    if (at < c->counts[set])
        found = lines[at];
    else if (at < c->ways)
        c->counts[set]++;
    else
        *gone = lines[--at];
    memmove(lines + 1, lines, at * sizeof *lines);
    lines[0] = found;
    return lines;
}

/* All sectors that come with those of `bits`. */
static uint64_t oracle_widen(const oracle_cache *c, uint64_t bits) {
    uint64_t wide = 0;
    for (uint64_t s = 0; s < c->line; s++)
        for (uint64_t t = 0; t < c->line; t++)
            if (s / c->brings == t / c->brings && bits >> s & 1)
                wide |= (uint64_t)1 << t;
    return wide;
}

static uint64_t oracle_bits(uint64_t bits) { return (uint64_t)__builtin_popcountll(bits); }

static void oracle_open_row(oracle_caches *o, uint64_t line, hd_cache_counts *counts) {
    uint64_t row = line * o->l2.line * o->sector / 1024;
    uint64_t bank = (row * UINT64_C(0x9e3779b97f4a7c15) >> 32) % 512;
    counts->dram_rows += o->open_rows[bank] != row + 1;
    o->open_rows[bank] = row + 1;
}

static void oracle_write_back(oracle_caches *o, const oracle_line *line) {
    if (!line->dirty)
        return;
    hd_cache_counts *counts = &o->rows.data[line->owner].counts;
    counts->dram_written += oracle_bits(line->dirty) * o->sector;
    counts->dram_read += oracle_bits(line->dirty & ~line->valid) * o->sector;
}

static void oracle_let_go(oracle_caches *o, const oracle_line *gone) {
    oracle_write_back(o, gone);
    if (gone->dirty)
        oracle_open_row(o, gone->line, &o->rows.data[gone->owner].counts);
}

/* A line of an earlier launch is there only in the share of the ways that were used last that blocks
 * which were not heard leave to it. */
static void oracle_drop(oracle_caches *o, uint64_t line) {
    uint64_t hash = line * UINT64_C(0x9e3779b97f4a7c15), set = (hash >> 32) * o->l2.sets >> 32;
    oracle_line *lines = o->l2.lines + set * o->l2.ways;
    for (size_t at = 0; at < o->l2.counts[set]; at++) {
        const double age = o->l2.ways > 32 ? 0 : (double)at;
        if (lines[at].line != line || lines[at].used == o->number + 1 ||
            age + (double)(hash % (1 << 24)) / (1 << 24) < o->kept * (double)o->l2.ways)
            continue;
        oracle_let_go(o, &lines[at]);
        lines[at] = (oracle_line){.line = line};
        o->dropped++;
    }
}

static void oracle_end_launch(oracle_caches *o, uint64_t ran) {
    double bytes = 0, lines = (double)o->new_lines;
    for (uint32_t b = 0; b < o->launch->buffer_count; b++)
        if (o->launch->buffers[b].space == KIR_GLOBAL)
            bytes += (double)o->launch->buffers[b].bytes;
    double held = bytes / o->device->l2.tag,
           all = lines * (double)o->launch->block_count / (double)ran;
    held = held < lines ? lines : held;
    o->lines += lines;
    o->whole_lines += all < held ? all : held;
    o->new_lines = 0;
    o->kept = o->lines / o->whole_lines;
}

/* bytes: of each of the line's sectors, how many a store writes; NULL: it is none. */
static void oracle_l2(oracle_caches *o, uint64_t line, uint64_t bits, const uint64_t *bytes,
                      bool writes, size_t owner) {
    oracle_drop(o, line);
    oracle_line gone, *l = oracle_use(&o->l2, line, &gone);
    hd_cache_counts *counts = &o->rows.data[owner].counts;
    oracle_let_go(o, &gone);
    o->new_lines += l->used != o->number + 1 || !(l->valid | l->dirty);
    l->used = o->number + 1;
    counts->l2_sectors += oracle_bits(bits);
    for (uint64_t s = 0; s < o->l2.line; s++) {
        const uint64_t bit = (uint64_t)1 << s;
        if (!(bits & bit))
            continue;
        if (bytes)
            counts->l2_hits += (((l->valid & ~l->beside) | l->dirty) & bit) != 0;
        counts->l2_partial += bytes && bytes[s] < o->sector;
        if (bytes && !(l->valid & bit)) {
            l->stored[s] += (uint32_t)bytes[s];
            if (l->stored[s] >= o->sector)
                l->valid |= bit;
        }
        if (writes)
            l->dirty |= bit;
    }
    if (!bytes && bits & ~l->valid)
        oracle_open_row(o, line, counts);
    for (uint64_t s = 0; !bytes && s < o->l2.line; s += o->l2.brings) {
        const uint64_t all = (((uint64_t)1 << o->l2.brings) - 1) << s;
        counts->l2_hits += oracle_bits(bits & all) - ((bits & all & ~l->valid) != 0);
        if (bits & all & ~l->valid) {
            counts->dram_read += o->l2.brings * o->sector;
            l->beside |= all & ~l->valid;
            l->valid |= all;
        }
    }
    l->beside &= ~bits;
    if (writes)
        l->owner = owner;
}

/* ---- requests ------------------------------------------------------------------------------------- */

static int oracle_order(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Different values of bytes[i] / unit. */
static uint64_t oracle_units(const uint64_t *bytes, size_t count, uint64_t unit) {
    uint64_t units = 0;
    for (size_t i = 0; i < count; i++)
        units += i == 0 || bytes[i] / unit != bytes[i - 1] / unit;
    return units;
}

/* Of the sectors of a line, a bit for each that has at least `least` of the bytes. */
static uint64_t oracle_sectors(const oracle_caches *o, const uint64_t *bytes, size_t count,
                               uint64_t first_sector, uint64_t sectors, uint64_t least) {
    uint64_t bits = 0;
    for (uint64_t s = 0; s < sectors; s++) {
        uint64_t here = 0;
        for (size_t i = 0; i < count; i++)
            here += bytes[i] / o->sector == first_sector + s;
        bits |= (uint64_t)(here >= least) << s;
    }
    return bits;
}

/* `bytes` are those of one request, ascending and different; `asked` are bytes that L2 gets. */
static void oracle_l2_request(oracle_caches *o, const uint64_t *asked, size_t asked_count,
                              const uint64_t *bytes, size_t count, hd_access_kind kind,
                              size_t owner) {
    uint64_t line_bytes = o->l2.line * o->sector;
    for (size_t i = 0; i < asked_count; i++) {
        uint64_t line = asked[i] / line_bytes;
        if (i && asked[i - 1] / line_bytes == line)
            continue;
        uint64_t first = line * o->l2.line;
        uint64_t bits = oracle_sectors(o, asked, asked_count, first, o->l2.line, 1);
        uint64_t stored[64] = {0};
        for (size_t b = 0; b < count; b++)
            if (bytes[b] / line_bytes == line)
                stored[bytes[b] % line_bytes / o->sector]++;
        if (kind != HD_STORE)
            o->rows.data[owner].counts.l2_bytes += oracle_bits(bits) * o->sector;
        oracle_l2(o, line, bits, kind == HD_STORE ? stored : NULL, kind != HD_LOAD, owner);
    }
}

/* Sectors of the line that the warp asked for before, the last 64 times that it asked for any line; and
 * now for those of `bits`. */
static uint64_t oracle_asked(oracle_caches *o, uint64_t line, uint64_t bits) {
    const oracle_pending *data = o->block->pending[o->warp].data;
    const size_t count = o->block->pending[o->warp].count;
    uint64_t asked = 0;
    for (size_t i = count > 64 ? count - 64 : 0; i < count; i++)
        asked |= data[i].line == line ? data[i].bits : 0;
    hd_push(o->arena, &o->block->pending[o->warp], (oracle_pending){line, bits});
    return asked;
}

/* Bytes that stand for the sectors that L1 asks L2 for; returns how many. */
static size_t oracle_l1_request(oracle_caches *o, uint32_t sm, const uint64_t *bytes, size_t count,
                                hd_cache_counts *counts, uint64_t *asked) {
    size_t asked_count = 0;
    oracle_cache *l1 = &o->l1[sm];
    uint64_t line_bytes = l1->line * o->sector;
    for (size_t i = 0; i < count; i++) {
        uint64_t line = bytes[i] / line_bytes;
        if (i && bytes[i - 1] / line_bytes == line)
            continue;
        uint64_t bits = oracle_sectors(o, bytes, count, line * l1->line, l1->line, 1);
        oracle_line gone, *l = oracle_use(l1, line, &gone);
        const uint64_t there = l->valid | oracle_asked(o, line, bits);
        uint64_t wide = oracle_widen(l1, bits & ~there);
        counts->l1_hits += oracle_bits(bits & there);
        l->valid |= wide;
        for (uint64_t s = 0; s < l1->line; s++)
            if (wide >> s & 1)
                asked[asked_count++] = (line * l1->line + s) * o->sector;
    }
    return asked_count;
}

static void oracle_evict(oracle_caches *o, uint32_t sm, const uint64_t *bytes, size_t count) {
    oracle_cache *l1 = &o->l1[sm];
    for (uint64_t set = 0; set < l1->sets; set++)
        for (size_t w = 0; w < l1->counts[set]; w++)
            for (size_t i = 0; i < count; i++)
                if (l1->lines[set * l1->ways + w].line == bytes[i] / (l1->line * o->sector))
                    l1->lines[set * l1->ways + w].valid = 0;
}

/* Where byte `byte` of element 0 and what follows it lie in the layout; -1 for padding. */
static int64_t oracle_byte(const oracle_caches *o, uint64_t byte) {
    const hd_record *record = o->job->record;
    uint64_t element = byte / record->size;
    int field = hd_record_field_at(record, (uint32_t)(byte % record->size));
    return field < 0
               ? -1
               : (int64_t)(hd_map_address(o->map, (uint32_t)field, element) + byte % record->size -
                           record->fields[field].offset) +
                     ((int64_t)o->map->clusters[o->map->fields[field].cluster].allocation << 40);
}

/* Bytes from `from` on that are one request: as long as they lie as in the struct, by where the first
 * active lane begins. */
static uint32_t oracle_part(const oracle_caches *o, const oracle_mi *mi, uint32_t from) {
    uint32_t lane = 0, left = o->launch->accesses[mi->access].width - from, part = 1;
    while (!(mi->mask[lane / 64] >> lane % 64 & 1))
        lane++;
    uint64_t address = mi->address[lane] + from;
    const hd_event_buffer *in = oracle_buffer(o, address);
    if (!o->map || !in || in != o->laid)
        return left;
    uint64_t byte = (address - in->base) % o->job->record->size;
    int64_t first = oracle_byte(o, byte);
    for (; part < left; part++) {
        int64_t at = oracle_byte(o, byte + part);
        if (at >= 0 && (first < 0 || at - first != part))
            break;
    }
    return part < left ? part : left;
}

/* Lanes first .. end - 1, bytes from `from` to `from + width`; returns whether one is active. */
static bool oracle_request_of(oracle_caches *o, uint32_t sm, const oracle_mi *mi, uint32_t first,
                              uint32_t end, uint32_t from, uint32_t width, size_t *owner) {
    const hd_event_access *access = &o->launch->accesses[mi->access];
    size_t count = 0, different = 0;
    bool any = false;
    uint64_t *bytes = calloc((size_t)(end - first) * access->width + 1, sizeof *bytes);
    uint64_t *asked = calloc((size_t)(end - first) * access->width * 64 + 1, sizeof *asked);
    for (uint32_t lane = first; lane < end; lane++) {
        if (!(mi->mask[lane / 64] >> lane % 64 & 1))
            continue;
        if (!any) {
            const char *record, *name;
            oracle_place(o, mi->address[lane] + from, &record, &name);
            oracle_row_of(o, mi->access, record, name, owner);
        }
        any = true;
        const hd_event_buffer *in = oracle_buffer(o, mi->address[lane]);
        for (uint32_t b = from; b < from + width; b++) {
            uint64_t at = mi->address[lane] + b;
            if (at < mi->address[lane]) /* beyond the end of the address space */
                break;
            bool is_beyond = o->map && in == o->laid && at - in->base >= in->bytes;
            if (!is_beyond && (in != o->laid || oracle_move(o, &at)))
                bytes[count++] = at;
        }
    }
    qsort(bytes, count, sizeof *bytes, oracle_order);
    for (size_t i = 0; i < count; i++)
        if (!i || bytes[i] != bytes[different - 1])
            bytes[different++] = bytes[i];
    if (any) {
        hd_cache_counts *counts = &o->rows.data[*owner].counts;
        uint32_t segment = hd_device_segment_for(o->device, width);
        counts->sectors += oracle_units(bytes, different, o->sector);
        counts->lines += oracle_units(bytes, different, o->l1 ? o->l1->line * o->sector : segment);
        counts->transactions += oracle_units(bytes, different, segment);
        bool loads = access->kind == HD_LOAD;
        if (o->l1 && loads) {
            size_t n = oracle_l1_request(o, sm, bytes, different, counts, asked);
            oracle_l2_request(o, asked, n, bytes, different, access->kind, *owner);
        } else {
            if (o->l1 && o->device->l1_write == HD_L1_WRITE_EVICT)
                oracle_evict(o, sm, bytes, different);
            oracle_l2_request(o, bytes, different, bytes, different, access->kind, *owner);
        }
    }
    free(bytes);
    free(asked);
    return any;
}

/* Whether the block's next MI begins a turn, for which what its warps asked for is forgotten. */
static bool oracle_begins(const oracle_caches *o, oracle_block *b) {
    const oracle_mi *mi = &b->mis.data[b->next];
    const bool loads = o->launch->accesses[mi->access].kind == HD_LOAD;
    const bool begins = !b->next || !loads || mi->access <= b->last;
    return begins;
}

static void oracle_take(oracle_caches *o, oracle_block *b, bool begins) {
    const oracle_mi *mi = &b->mis.data[b->next];
    for (int w = 0; w < 64 && begins; w++)
        b->pending[w].count = 0;
    b->last = o->launch->accesses[mi->access].kind == HD_LOAD ? (int64_t)mi->access : -1;
    b->next++;
    o->block = b;
}

static void oracle_issue_part(oracle_caches *o, uint32_t sm, const oracle_mi *mi, uint32_t from,
                              uint32_t width) {
    uint32_t request = hd_device_request_lanes(o->device), warp = o->device->warp;
    for (uint32_t w = 0; w < mi->threads; w += warp) {
        size_t owner = 0;
        bool any = false;
        o->warp = w / warp;
        for (uint32_t first = w; first < w + warp && first < mi->threads; first += request) {
            uint32_t end = first + request < mi->threads ? first + request : mi->threads;
            any |= oracle_request_of(o, sm, mi, first, end, from, width, &owner);
        }
        if (any)
            o->rows.data[owner].counts.requests++;
    }
}

static void oracle_issue(oracle_caches *o, uint32_t sm, const oracle_mi *mi) {
    uint32_t all = mi->mask ? o->launch->accesses[mi->access].width : 0;
    for (uint32_t from = 0, width; from < all; from += width) {
        width = oracle_part(o, mi, from);
        oracle_issue_part(o, sm, mi, from, width);
    }
}

/* ---- blocks ------------------------------------------------------------------------------------------ */

static void oracle_hear(void *self, const hd_event *e) {
    oracle_caches *o = self;
    if (hd_event_space(o->launch, e) != KIR_GLOBAL) {
        hd_push(o->arena, &o->heard, (oracle_mi){.access = e->access});
        return;
    }
    oracle_mi mi = {e->access, e->threads, hd_new_array(o->arena, uint64_t, e->threads / 64 + 1),
                    hd_new_array(o->arena, uint64_t, e->threads)};
    memcpy(mi.mask, e->mask, (e->threads + 63) / 64 * sizeof *mi.mask);
    for (uint32_t l = 0; l < e->threads; l++)
        if (hd_event_active(e, l))
            mi.address[l] = hd_event_address(e, l);
    hd_push(o->arena, &o->heard, mi);
}

static void *oracle_self(void *self, uint64_t block) {
    (void)block;
    return self;
}

static void oracle_run_launch(oracle_caches *o, const hd_trace_launch *l, uint32_t registers) {
    uint32_t sms = o->device->sms;
    uint32_t most = hd_blocks_per_sm(o->device, l->launch.block_threads, registers);
    const hd_sink sink = {.self = o, .open_block = oracle_self, .event = oracle_hear};
    oracle_block *blocks = hd_new_array(o->arena, oracle_block, l->block_count);
    size_t *held = hd_new_array(o->arena, size_t, (size_t)sms *most); /* of each SM */
    size_t *count = hd_new_array(o->arena, size_t, sms), next = 0, ended = 0;
    for (size_t b = 0; b < l->block_count; b++) {
        o->heard.data = NULL;
        o->heard.count = o->heard.capacity = 0;
        hd_trace_replay_block(o->trace, NULL, l->launch.number, l->blocks[b].block, &sink);
        blocks[b].mis.data = o->heard.data;
        blocks[b].mis.count = o->heard.count;
    }
    for (uint32_t round = 0; round < most; round++)
        for (uint32_t sm = 0; sm < sms && next < l->block_count; sm++)
            held[(size_t)sm * most + count[sm]++] = next++;
    while (ended < l->block_count)
        for (uint32_t sm = 0; sm < sms; sm++)
            for (size_t p = 0; p < count[sm];) {
                size_t *mine = held + (size_t)sm * most;
                oracle_block *b = &blocks[mine[p]];
                if (b->next < b->mis.count) {
                    bool begins = true;
                    do {
                        const oracle_mi *mi = &b->mis.data[b->next];
                        oracle_take(o, b, begins);
                        if (mi->threads)
                            oracle_issue(o, sm, mi);
                        begins = false;
                    } while (b->next < b->mis.count && !oracle_begins(o, b));
                    p++;
                    continue;
                }
                ended++;
                if (next < l->block_count) {
                    mine[p] = next++;
                    continue;
                }
                count[sm]--;
                for (size_t q = p; q < count[sm]; q++)
                    mine[q] = mine[q + 1];
            }
}

/* ---- all ------------------------------------------------------------------------------------------------ */

static uint64_t oracle_end(const hd_trace_contents *contents) {
    uint64_t end = 0;
    for (uint32_t l = 0; l < contents->launch_count; l++)
        for (uint32_t b = 0; b < contents->launches[l].launch.buffer_count; b++) {
            const hd_event_buffer *buffer = &contents->launches[l].launch.buffers[b];
            if (buffer->space == KIR_GLOBAL && buffer->base + buffer->bytes > end)
                end = buffer->base + buffer->bytes;
        }
    return (end + 511) / 512 * 512;
}

/* The job has one buffer of its record, or none and no layout. */
static void oracle_caches_run(oracle_caches *o, hd_trace *trace, const hd_device *device,
                              const hd_job *job, const hd_layout *layout, uint32_t registers) {
    const hd_trace_contents *contents = hd_trace_get(trace);
    *o = (oracle_caches){.arena = hd_arena_new(),
                         .trace = trace,
                         .device = device,
                         .job = job,
                         .layout = layout,
                         .kept = 1,
                         .sector = hd_device_segment_for(device, 1)};
    if (device->l2.line < o->sector)
        o->sector = device->l2.line;
    if (device->l1.size && device->l1.line < o->sector)
        o->sector = device->l1.line;
    o->l2 = oracle_cache_of(o->arena, &device->l2, o->sector);
    o->base = oracle_end(contents);
    for (uint32_t l = 0; l < contents->launch_count; l++) {
        o->number = l;
        o->launch = &contents->launches[l].launch;
        o->laid = NULL;
        for (uint32_t b = 0; b < o->launch->buffer_count && layout; b++)
            if (oracle_is_jobs(o, &o->launch->buffers[b]))
                o->laid = &o->launch->buffers[b];
        if (o->laid && !o->map)
            hd_map_make(o->arena, NULL, job->record, layout, o->laid->bytes / job->record->size,
                        &o->map);
        o->l1 = device->l1.size ? hd_new_array(o->arena, oracle_cache, device->sms) : NULL;
        for (uint32_t sm = 0; o->l1 && sm < device->sms; sm++)
            o->l1[sm] = oracle_cache_of(o->arena, &device->l1, o->sector);
        oracle_run_launch(o, &contents->launches[l], registers);
        oracle_end_launch(o, contents->launches[l].block_count);
    }
    for (uint64_t s = 0; s < o->l2.sets; s++)
        for (size_t w = 0; w < o->l2.counts[s]; w++)
            oracle_write_back(o, &o->l2.lines[s * o->l2.ways + w]);
}

static void oracle_caches_free(oracle_caches *o) { hd_arena_free(o->arena); }

#endif
