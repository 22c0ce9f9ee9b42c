/*
 * The levels of a device, and what each serves.
 *
 * A load asks L1 of its SM for sectors, by the lines that it keeps tags of; what is not there comes
 * from L2, as much as L1 brings in at a time, and L2 has it or brings it from memory. Stores and
 * atomics go to L2: L1 keeps a line that is stored to, or drops it, and never takes one in. L2
 * takes in what is stored and writes it to memory when the line has to go. It knows which bytes of
 * a sector were stored, and reads the sector from memory when a load asks for it that has others
 * ("lazy fetch on read", Khairy, Shen, Aamodt and Rogers, "Accel-Sim", ISCA 2020, section IV-B); a
 * sector is whole once as many bytes were stored as it has. One that has to go before is read, too,
 * since memory with ECC writes whole ones. Any sector of an atomic is read first.
 *
 * A warp goes on with loads that do not need each other, and what it has asked L1 for is on its way then:
 * sectors that an earlier one of these loads asked for are hits, though other warps' lines may have taken
 * their place (hits on a pending miss). Such loads are those since the block's last store or atomic, as long
 * as none comes again, as in a loop, and of them what a warp asked for the last PENDING times.
 *
 * Memory keeps one row of each of its banks open, and what is in another one waits for that: DRAM_BANKS
 * rows of DRAM_ROW bytes, each in the bank that its number leads to.
 *
 *     load of sectors 4 5 6 of a line      L1 has 4       hit
 *                                          L2 has 5       hit, 32 bytes to the SM
 *                                          6              32 bytes from memory, 32 to the SM
 *
 * All counts are in the smallest unit that any level or the transactions have, a *sector*. They are
 * kept for each access of a launch and each place that it leads to (a *cell*), and added up in the
 * end. What L2 writes to memory counts for the cell that wrote to the line last.
 *
 * The model of the caches is that of the static cost (Peng, Grossman and Sarkar, "Static Cost
 * Estimation for Data Layout Selection on GPUs", section III), with sets, sectors and an order of
 * blocks in the place of its assumptions (section IV-A).
 */
#include <math.h>
#include <stdlib.h>

#include "base/table.h"
#include "model/cost.h"
#include "analysis/tally.h"
#include "analysis/cache_parts.h"

/* What one access does at one place. */
typedef struct cell {
    uint32_t launch, access, place;
    hd_access_kind kind;
    hd_cache_counts counts;
} cell;

/* How a cache is cut up, in sectors. */
typedef struct geometry {
    uint32_t shift;    /* 2 to this are those of a tag's line */
    uint32_t brings;   /* at a time */
    uint32_t per_line; /* bits of all sectors of a line */
    uint32_t per_line_count;
} geometry;

/* What an SM asks L2 for: sectors of a line. A store has more behind it: of the sectors that it writes
 * whole, and, in the place of the line, how many bytes of each, eight sectors in each. */
typedef struct l2_request {
    uint64_t line;
    uint32_t sectors, cell;
} l2_request;

/* What is known of a line of L2 beside its sectors. */
typedef struct l2_line {
    uint32_t used;   /* row of the launch that used it last, plus 1 */
    uint32_t beside; /* sectors that came with others from memory, and nobody asked for so far */
} l2_line;

/* Those of some rounds: SM by SM as they are asked, and round by round as L2 serves them. */
typedef struct l2_queue {
    l2_request *requests; /* of large pages */
    size_t count, capacity;
    hd_vec(size_t) ends; /* of each SM's rounds, SM by SM */
} l2_queue;

/* HBM2 has 16 banks in each of 32 to 64 pseudo channels, and rows of 1 KiB. */
enum { DRAM_BANKS = 512, DRAM_ROW = 1024 };

enum { PENDING = 64 };
/* What a warp's last loads asked for. */
typedef struct warp_loads {
    uint64_t lines[PENDING];
    uint32_t masks[PENDING], count, group; /* count: also those that were forgotten */
} warp_loads;
typedef struct simulation {
    hd_arena *arena; /* of what is gone in the end */
    const hd_device *device;
    uint32_t sms; /* of the device, or of the slice of it that the trace's blocks fill */
    const hd_caches_options *options;
    cache_memory memory;
    uint32_t *registers; /* of the kernel of each launch of the job, plus 1; 0: not looked at */
    uint32_t sector, shift, request;
    geometry l1, l2;
    bool has_l1;
    bool fetches;      /* what is known of L2's lines, before it is used */
    cache_sets *l1s;   /* [sms] */
    bool *l1_is_used;  /* [sms]: by this launch */
    uint32_t *groups;  /* [slots]: which turn a block is at */
    warp_loads *loads; /* [slots * warps of a block] */
    uint32_t slots, block_warps;
    warp_loads *warp; /* whose request is served */
    l2_queue queue;
    cache_sets l2_sets;
    uint64_t open_rows[DRAM_BANKS]; /* plus 1 */
    uint8_t *written; /* of each sector of L2's lines that is not whole: bytes stored */
    l2_line *facts;   /* [L2's lines] */
    double kept;      /* share of L2 in which lines outlive their launch */
    uint64_t launch_lines;
    double lines, whole_lines; /* that launches touched, and that all of their blocks would */
    hd_vec(cell) cells;
    hd_hash_table cell_of;   /* access << 32 | place, of the launch */
    uint32_t *last_cell;     /* [access_count]: plus 1 */
    hd_hash_table atomic_of; /* sector, of the launch: number of its count */
    hd_vec(double) atomics;
    uint32_t launch_row;
    const hd_event_launch *launch;
    sector_list list;
    uint64_t all, done, told; /* lane accesses */
} simulation;

/* ---- what a profile must have ----------------------------------------------------------------- */

static uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

/* Bytes of the smallest unit. */
static uint32_t sector_of(const hd_device *d) {
    uint32_t sector = least(d->l2.line, hd_device_segment_for(d, 1));
    return d->l1.size ? least(sector, d->l1.line) : sector;
}

/* How a figure that is missing is written where the profile is. */
static const char *mend_of(const hd_device *d, const char *figure) {
    bool is_file = d->source_file != NULL;
    if (!strcmp(figure, "sms"))
        return is_file ? "sms: {value: 80, source: \"data sheet\"}" : "sms:80";
    return is_file ? "{line: 128, ways: 16, source: \"data sheet\"}" : "l1tags:128/4 l2tags:128/16";
}

hd_status hd_caches_check(const hd_diag *diag, const hd_device *d) {
    const hd_place place = {.file = d->source_file ? d->source_file : "<device>"};
    const char *lacks = d->l1.size && !d->l1.ways ? "l1tags"
                        : !d->l2.ways             ? "l2tags"
                        : !d->sms                 ? "sms"
                                                  : NULL;
    if (!d->l2.size)
        return hd_fail(diag, HD_EUNSUPPORTED, &place,
                       "there is no L2 for global memory in this profile, and so no caches to "
                       "simulate; choose another device");
    if (lacks)
        return hd_fail(diag, HD_EINPUT, &place,
                       "the profile lacks '%s', which a simulation of its caches needs; add it as "
                       "docs/devices.md says (%s), or choose another device",
                       lacks, mend_of(d, lacks));
    uint32_t sector = sector_of(d), most = HD_CACHE_SECTORS_MAX;
    if (d->l2.tag / sector > most || (d->l1.size && d->l1.tag / sector > most) ||
        d->segment / sector > most)
        return hd_fail(diag, HD_EUNSUPPORTED, &place,
                       "lines and segments of this profile differ by more than a factor of %u, "
                       "which the simulation of caches does not take",
                       most);
    if (d->l2.size / d->l2.tag >> 31 || (d->l1.size && d->l1.size / d->l1.tag >> 31))
        return hd_fail(diag, HD_EUNSUPPORTED, &place,
                       "a cache of this profile has more than 2^31 lines, which the simulation of "
                       "caches does not take");
    return HD_OK;
}

static geometry geometry_of(const hd_cache *cache, uint32_t sector) {
    uint32_t line = cache->tag / sector;
    return (geometry){(uint32_t)__builtin_ctz(line), cache->line / sector,
                      (uint32_t)(((uint64_t)1 << line) - 1), line};
}

/* ---- the levels ------------------------------------------------------------------------------------ */

/* The first sectors of what comes `brings` at a time, a power of two, and has some of `mask`. */
static inline uint32_t firsts(uint32_t mask, uint32_t brings) {
    for (uint32_t step = 1; step < brings; step *= 2)
        mask |= mask >> step;
    return mask & (uint32_t)(UINT32_MAX / (((uint64_t)1 << brings) - 1));
}

/* All sectors that come with those of `mask`. */
static inline uint32_t widen(uint32_t mask, uint32_t brings) {
    return brings == 1 ? mask : (uint32_t)(firsts(mask, brings) * (((uint64_t)1 << brings) - 1));
}

/* Processors that this is built for need not have an instruction for it (Warren, Hacker's Delight,
 * 5-1). */
static inline uint32_t count_bits(uint32_t x) {
    if (!(x & (x - 1)))
        return x != 0;
    x -= x >> 1 & 0x55555555;
    x = (x & 0x33333333) + (x >> 2 & 0x33333333);
    return ((x + (x >> 4)) & 0x0f0f0f0f) * 0x01010101 >> 24;
}

/* Bytes of a line of L2 pass between L2 and memory. */
static void open_row(simulation *s, uint64_t line, hd_cache_counts *counts) {
    const uint64_t row = ((line << s->l2.shift) << s->shift) / DRAM_ROW;
    uint64_t *open = &s->open_rows[(hd_hash_spread(row) >> 32) % DRAM_BANKS];
    counts->dram_rows += *open != row + 1;
    *open = row + 1;
}

static void write_back(void *user, const cache_gone *line) {
    simulation *s = user;
    if (!line->dirty)
        return;
    hd_cache_counts *counts = &s->cells.data[line->owner].counts;
    counts->dram_written += (uint64_t)count_bits(line->dirty) * s->sector;
    counts->dram_read += (uint64_t)count_bits(line->dirty & ~line->valid) * s->sector;
}

/* A line that had to go. What is left in the end goes in no order. */
static void evict(simulation *s, const cache_gone *line) {
    write_back(s, line);
    if (line->dirty)
        open_row(s, line->number, &s->cells.data[line->owner].counts);
}

enum { BYTES_IN_ONE = 8 };

/* Requests of a store. */
static inline uint32_t parts_of_store(const simulation *s) {
    return 1 + (1 + (s->l2.per_line_count - 1) / BYTES_IN_ONE);
}

/* Sectors that are whole by now: those that `full` has, and those that were stored bit by bit. */
static uint32_t store_bytes(const simulation *s, const l2_request *r, const cache_line *line,
                            uint32_t full) {
    const uint64_t at = (uint64_t)(line - s->l2_sets.lines) * s->l2.per_line_count;
    uint8_t *written = &s->written[at];
    uint32_t whole = full;
    for (uint32_t left = r->sectors & ~full & ~line->valid; left; left &= left - 1) {
        const uint32_t n = (uint32_t)__builtin_ctz(left);
        const uint8_t more = (uint8_t)(r[1 + n / BYTES_IN_ONE].line >> n % BYTES_IN_ONE * 8);
        const uint32_t sum = written[n] + more;
        written[n] = sum < UINT8_MAX ? (uint8_t)sum : UINT8_MAX;
        whole |= (uint32_t)(sum >= s->sector) << n;
    }
    return whole;
}

/* A number from 0 to below 1 that follows from the line, so that parts of a way are kept, too. */
static double part_of_one(uint64_t line) {
    return (double)(hd_hash_spread(line) & 0xffffff) / (1 << 24);
}

/* Where only some blocks were heard, the others would have taken the place of a line that an earlier
 * launch used. */
static void drop_outlived(simulation *s, uint64_t number) {
    cache_line *line = cache_find(&s->l2_sets, number);
    const ptrdiff_t at = line ? line - s->l2_sets.lines : 0;
    if (!line || s->facts[at].used == s->launch_row + 1 ||
        cache_age(&s->l2_sets, line) + part_of_one(number) < s->kept * s->l2_sets.ways)
        return;
    evict(s, &(cache_gone){number, line->valid, line->dirty, s->l2_sets.owners[at]});
    line->valid = line->dirty = 0;
}

static cache_line *use_l2(simulation *s, uint64_t number) {
    cache_gone gone;
    if (s->kept < 1)
        drop_outlived(s, number);
    cache_line *line = cache_use(&s->l2_sets, number, &gone);
    const ptrdiff_t at = line - s->l2_sets.lines;
    const bool is_new = !(line->valid | line->dirty);
    evict(s, &gone);
    if (is_new) {
        memset(&s->written[(uint64_t)at * s->l2.per_line_count], 0, s->l2.per_line_count);
        s->facts[at].beside = 0;
    }
    s->launch_lines += is_new || s->facts[at].used != s->launch_row + 1;
    s->facts[at].used = s->launch_row + 1;
    return line;
}

/* Returns how many requests it is. */
static size_t serve_l2(simulation *s, const l2_request *r) {
    cell *c = &s->cells.data[r->cell];
    const bool stores = c->kind == HD_STORE;
    cache_line *line = use_l2(s, r->line);
    const uint32_t asked = count_bits(r->sectors), missing = r->sectors & ~line->valid;
    uint32_t *beside = &s->facts[line - s->l2_sets.lines].beside;
    c->counts.l2_sectors += asked;
    /* Of what comes from memory at a time one sector is a miss; to a store it was of no use. */
    c->counts.l2_hits +=
        asked - count_bits(stores ? (missing | (r->sectors & *beside)) & ~line->dirty
                                  : firsts(missing, s->l2.brings));
    *beside &= ~r->sectors;
    c->counts.l2_bytes += stores ? 0 : (uint64_t)asked * s->sector;
    if (stores) {
        c->counts.l2_partial += count_bits(r->sectors & ~r[1].sectors);
        line->valid |= store_bytes(s, r, line, r[1].sectors);
    } else {
        const uint32_t wide = widen(missing, s->l2.brings);
        c->counts.dram_read += (uint64_t)count_bits(wide) * s->sector;
        if (wide)
            open_row(s, r->line, &c->counts);
        line->valid |= wide;
        *beside |= wide & ~r->sectors;
    }
    if (c->kind == HD_LOAD)
        return 1;
    line->dirty |= r->sectors;
    s->l2_sets.owners[line - s->l2_sets.lines] = r->cell;
    return stores ? parts_of_store(s) : 1;
}

/* Sectors of the line that the warp has asked for. */
static uint32_t pending_of(const warp_loads *w, uint64_t line) {
    const uint32_t known = w->count < PENDING ? w->count : PENDING;
    uint32_t asked = 0;
    for (uint32_t i = 0; i < known; i++)
        asked |= w->lines[i] == line ? w->masks[i] : 0;
    return asked;
}

/* Sectors of a line of L1; adds what L2 is asked for to *missed. */
static uint32_t ask_l1(simulation *s, cache_sets *l1, uint64_t line, uint32_t mask, cell *c) {
    cache_line *at = cache_use(l1, line, NULL);
    warp_loads *w = s->warp;
    uint32_t missed = mask & ~at->valid;
    if (missed && w->count)
        missed &= ~pending_of(w, line);
    w->lines[w->count % PENDING] = line;
    w->masks[w->count++ % PENDING] = mask;
    uint32_t wide = widen(missed, s->l1.brings);
    c->counts.l1_hits += count_bits(mask & ~missed);
    at->valid |= wide;
    return wide;
}

/* The part of a group that is in one line. */
typedef struct group_line {
    uint64_t line;
    uint32_t at, mask; /* at: the line's first sector in the group; mask: its sectors */
} group_line;

/* The first line that has any of the sectors that are left, which are then taken out of them. */
static inline group_line next_line(const geometry *of, uint64_t group, uint32_t *left) {
    uint32_t number = (uint32_t)__builtin_ctz(*left) >> of->shift, at = number << of->shift;
    uint32_t mask = *left >> at & of->per_line;
    *left &= ~(of->per_line << at);
    return (group_line){group * (GROUP_SECTORS >> of->shift) + number, at, mask};
}

/* What of a group of sectors is to be asked of L2: all, or what L1 does not have. */
static uint32_t past_l1(simulation *s, uint32_t sm, const sector_group *group, bool loads,
                        uint32_t number) {
    uint32_t asked = 0;
    if (!s->has_l1)
        return group->touched;
    s->l1_is_used[sm] = true;
    for (uint32_t left = group->touched; left;) {
        const group_line l = next_line(&s->l1, group->number, &left);
        if (loads)
            asked |= ask_l1(s, &s->l1s[sm], l.line, l.mask, &s->cells.data[number]) << l.at;
        else if (s->device->l1_write == HD_L1_WRITE_EVICT) {
            cache_line *at = cache_find(&s->l1s[sm], l.line);
            if (at)
                at->valid = 0;
        }
    }
    return loads ? asked : group->touched;
}

static inline void push_request(l2_queue *q, uint64_t line, uint32_t sectors, uint32_t number) {
    if (q->count == q->capacity) {
        q->capacity = q->capacity ? q->capacity * 2 : 1 << 16;
        l2_request *more = cache_pages(q->capacity * sizeof *more);
        if (q->count)
            memcpy(more, q->requests, q->count * sizeof *more);
        free(q->requests);
        q->requests = more;
    }
    q->requests[q->count++] = (l2_request){line, sectors, number};
}

static void serve_group(simulation *s, uint32_t sm, const sector_group *group,
                        const hd_event_access *access, uint32_t number) {
    bool loads = access->kind == HD_LOAD, stores = access->kind == HD_STORE;
    for (uint32_t left = past_l1(s, sm, group, loads, number); left;) {
        const group_line l = next_line(&s->l2, group->number, &left);
        push_request(&s->queue, l.line, l.mask, number);
        for (uint32_t n = 0; stores && n < s->l2.per_line_count; n += BYTES_IN_ONE) {
            uint64_t bytes = 0;
            for (uint32_t k = 0; k < BYTES_IN_ONE && n + k < s->l2.per_line_count; k++)
                bytes |= (uint64_t)group->bytes[l.at + n + k] << k * 8;
            push_request(&s->queue, bytes, group->full >> l.at & s->l2.per_line, number);
        }
    }
}

/* A request's lines in an L1 of many ways, of which there is one for each SM: they come from the
 * host's memory at the same time. A small one is in its caches anyway. */
static void fetch_l1(const simulation *s, const cache_sets *l1) {
    if (!l1->order)
        return;
    for (size_t g = 0; g < s->list.count; g++) {
        uint32_t left = s->list.groups[g].touched;
        cache_fetch_line(l1, next_line(&s->l1, s->list.groups[g].number, &left).line);
    }
}

/* ---- L2, round by round -------------------------------------------------------------------------- */

/* One SM's requests of a round. Where L2's lines are more than the host's own caches hold, what comes
 * after is fetched meanwhile. */
static void serve_round(simulation *s, const l2_request *r, const l2_request *end) {
    enum { ROWS_AHEAD = 24, LINES_AHEAD = 12 };
    while (r < end) {
        if (s->fetches && end - r > ROWS_AHEAD)
            cache_fetch_row(&s->l2_sets, r[ROWS_AHEAD].line);
        if (s->fetches && end - r > LINES_AHEAD)
            cache_fetch_line(&s->l2_sets, r[LINES_AHEAD].line);
        r += serve_l2(s, r);
    }
}

static void end_round(void *user) {
    simulation *s = user;
    hd_push(s->arena, &s->queue.ends, s->queue.count);
}

static size_t end_rounds(void *user) {
    simulation *s = user;
    l2_queue *q = &s->queue;
    size_t rounds = q->ends.count / s->sms, requests = q->count;
    for (size_t round = 0; round < rounds; round++)
        for (size_t i = round; i < q->ends.count; i += rounds)
            serve_round(s, q->requests + (i ? q->ends.data[i - 1] : 0),
                        q->requests + q->ends.data[i]);
    q->count = q->ends.count = 0;
    return requests;
}

/* ---- one MI ------------------------------------------------------------------------------------------ */

static uint32_t cell_at(simulation *s, uint32_t access, uint32_t place) {
    uint32_t last = s->last_cell[access];
    if (last && s->cells.data[last - 1].place == place)
        return last - 1;
    uint64_t key = (uint64_t)access << 32 | place;
    uint32_t number = (uint32_t)hd_hash_add(&s->cell_of, key, s->cells.count);
    if (number == s->cells.count)
        hd_push(s->arena, &s->cells,
                (cell){s->launch_row, access, place, s->launch->accesses[access].kind, {0}});
    s->last_cell[access] = number + 1;
    return number;
}

/* At most a group's sectors are a segment, as hd_caches_check() sees to. */
static void count_request(const simulation *s, uint32_t width, hd_cache_counts *counts) {
    uint32_t brings = hd_device_segment_for(s->device, width) >> s->shift;
    const uint32_t line = s->has_l1 ? s->l1.per_line_count : brings;
    for (size_t g = 0; g < s->list.count; g++) {
        uint32_t touched = s->list.groups[g].touched;
        counts->sectors += count_bits(touched);
        counts->transactions += count_bits(firsts(touched, brings));
        counts->lines += count_bits(firsts(touched, line));
    }
}

static bool has_active(const hd_event *e, uint32_t first, uint32_t end) {
    if (e->active == e->threads)
        return true;
    for (uint32_t w = first / 64; w * 64 < end; w++) {
        uint64_t bits = e->mask[w];
        if (first > w * 64)
            bits &= UINT64_MAX << (first - w * 64);
        if (end < w * 64 + 64)
            bits &= ((uint64_t)1 << (end - w * 64)) - 1;
        if (bits)
            return true;
    }
    return false;
}

/* Lanes' atomics at each sector: as many at each that the request touches. */
static void count_atomics(simulation *s, const hd_event *e, uint32_t first, uint32_t end) {
    double lanes = 0, sectors = 0;
    for (uint32_t l = first; l < end; l++)
        lanes += hd_event_active(e, l);
    for (size_t g = 0; g < s->list.count; g++)
        sectors += count_bits(s->list.groups[g].touched);
    for (size_t g = 0; g < s->list.count; g++)
        for (uint32_t left = s->list.groups[g].touched; left; left &= left - 1) {
            const uint64_t sector =
                s->list.groups[g].number * GROUP_SECTORS + (uint32_t)__builtin_ctz(left);
            const uint64_t n = hd_hash_add(&s->atomic_of, sector, s->atomics.count);
            if (n == s->atomics.count)
                hd_push(s->arena, &s->atomics, 0);
            s->atomics.data[n] += lanes / sectors;
        }
}

/* Lanes first .. end - 1 together; returns whether one is active. */
static bool serve_request(simulation *s, uint32_t sm, const event_view *view,
                          const hd_event_access *access, uint32_t first, uint32_t end,
                          uint32_t *number) {
    if (!has_active(view->event, first, end))
        return false;
    *number = cell_at(s, view->event->access, event_sectors(view, first, end, &s->list));
    count_request(s, access->width, &s->cells.data[*number].counts);
    if (s->has_l1 && access->kind == HD_LOAD)
        fetch_l1(s, &s->l1s[sm]);
    if (access->kind == HD_ATOMIC)
        count_atomics(s, view->event, first, end);
    for (size_t g = 0; g < s->list.count; g++)
        serve_group(s, sm, &s->list.groups[g], access, *number);
    return true;
}

/* What the warp's loads of this turn have asked for; another turn's is forgotten. */
static warp_loads *loads_of(simulation *s, uint32_t slot, uint32_t warp) {
    warp_loads *w = &s->loads[slot * s->block_warps + warp];
    if (w->group != s->groups[slot])
        w->count = 0;
    w->group = s->groups[slot];
    return w;
}

static void issue_part(simulation *s, uint32_t sm, uint32_t slot, const hd_event *e,
                       const hd_event_access *access) {
    event_view view;
    event_view_make(&view, &s->memory, e, access);
    for (uint32_t warp = 0; warp < e->threads; warp += s->device->warp) {
        uint32_t end = least(warp + s->device->warp, e->threads), number = 0;
        bool any = false;
        if (s->has_l1)
            s->warp = loads_of(s, slot, warp / s->device->warp);
        for (uint32_t first = warp; first < end; first += s->request)
            any |=
                serve_request(s, sm, &view, access, first, least(first + s->request, end), &number);
        if (any)
            s->cells.data[number].counts.requests++;
    }
}

static void begin_turn(simulation *s, uint32_t slot) {
    if (slot >= s->slots) {
        const uint32_t slots = slot + slot / 2 + 16;
        const size_t loads = (size_t)s->slots * s->block_warps;
        s->groups = hd_checked(realloc(s->groups, slots * sizeof *s->groups));
        s->loads = hd_checked(realloc(s->loads, (size_t)slots * s->block_warps * sizeof *s->loads));
        memset(s->groups + s->slots, 0, (slots - s->slots) * sizeof *s->groups);
        memset(s->loads + loads, 0, ((size_t)slots * s->block_warps - loads) * sizeof *s->loads);
        s->slots = slots;
    }
    s->groups[slot]++;
}

static void issue(void *user, uint32_t sm, uint32_t slot, bool begins, const hd_event *e) {
    simulation *s = user;
    hd_event_access access = s->launch->accesses[e->access];
    if (begins && s->has_l1)
        begin_turn(s, slot);
    if (hd_event_space(s->launch, e) != KIR_GLOBAL)
        return;
    const uint32_t width = access.width;
    hd_event part = *e;
    for (uint32_t done = 0; done < width || !done; done += access.width) {
        access.width = width;
        access.width = event_part_width(&s->memory, e, &access, done);
        part.base = e->base + done;
        issue_part(s, sm, slot, &part, &access);
        if (!width)
            return;
    }
}

static bool goes_on(void *user, uint64_t lane_accesses) {
    enum { BETWEEN = 1 << 18 };
    simulation *s = user;
    const hd_trace_watch *watch = s->options->watch;
    s->done += lane_accesses;
    if (!watch || s->done - s->told < BETWEEN)
        return true;
    s->told = s->done;
    if (watch->progress)
        watch->progress(watch->user, "simulating", (double)s->done / (double)s->all);
    return !watch->stop || !*watch->stop;
}

/* ---- launches ----------------------------------------------------------------------------------------- */

static bool is_chosen(const hd_caches_options *o, uint32_t launch) {
    return launch >= o->first_launch && (!o->end_launch || launch < o->end_launch);
}

/* 32-bit registers of a thread, 0 when they are not known. */
static uint32_t registers_of(simulation *s, const hd_event_launch *launch) {
    const hd_job *job = s->memory.job;
    uint32_t l = 0;
    if (s->options->registers || !job)
        return s->options->registers;
    while (l < job->launch_count && strcmp(job->launches[l].kernel_name, launch->kernel) != 0)
        l++;
    if (l == job->launch_count)
        return 0;
    const kir_kernel *kernel = job->launches[l].kernel;
    if (!s->registers[l])
        s->registers[l] =
            hd_kernel_registers(kernel, hd_flow_analyse(s->arena, kernel), s->device) + 1;
    return s->registers[l] - 1;
}

static uint32_t blocks_at_once(simulation *s, const hd_event_launch *launch) {
    const uint32_t fit =
        hd_blocks_per_sm(s->device, launch->block_threads, registers_of(s, launch));
    const uint32_t most = s->options->blocks_at_once;
    return most && most < fit ? most : fit;
}

/* Rows of a launch's blocks in the trace, of `count`, that are simulated. */
static hd_block_choice some_of(const simulation *s, uint64_t count) {
    const double share = s->options->share;
    return share > 0 && share < 1 ? hd_blocks_spread(count, share * (double)count) : hd_all_blocks;
}

/* SMs that the blocks of the trace fill as all blocks would fill the device's: where only some were heard,
 * a slice of the device runs them, with its share of L2, so that as many of them use a cache at a time as
 * in the whole ("scale models": SeyyedAghaei, Naderan-Tahan and Eeckhout, "GPU Scale-Model Simulation",
 * HPCA 2024). */
static uint32_t slice_of_device(simulation *s, const hd_trace_contents *contents) {
    enum { ROUNDS = 2 }; /* of blocks on an SM */
    double most = 0;
    for (uint32_t l = 0; l < contents->launch_count; l++) {
        const hd_event_launch *launch = &contents->launches[l].launch;
        const uint64_t rows = contents->launches[l].block_count;
        const hd_block_choice some = some_of(s, rows);
        const double full = (double)blocks_at_once(s, launch) * s->device->sms * ROUNDS;
        if (rows)
            most = fmax(most, (double)hd_blocks_chosen(&some, rows) /
                                  fmin((double)launch->block_count, full));
    }
    const double sms = ceil(most * s->device->sms);
    return most > 0 && sms < s->device->sms ? (uint32_t)sms : s->device->sms;
}

/* Those of them that were asked for. */
static hd_block_choice rows_of(const simulation *s, const hd_trace_launch *l) {
    const hd_caches_options *o = s->options;
    hd_block_choice rows = some_of(s, l->block_count);
    while (rows.first < l->block_count && l->blocks[rows.first].block < o->first_block)
        rows.first++;
    uint64_t end = rows.first;
    while (end < l->block_count && (!o->end_block || l->blocks[end].block < o->end_block))
        end++;
    if (end == rows.first) /* there is none */
        rows.first = l->block_count;
    else
        rows.last = end - 1;
    return rows;
}

/* In the slice, blocks of a launch find each other's lines as in the device. But less passes through
 * it than would with all blocks: what is to outlive the launch has less room, by how much less of all that
 * launches touch came. That is at most what their buffers hold. */
static void end_launch(simulation *s, const hd_cache_launch *ran) {
    const hd_event_launch *launch = ran->launch;
    const double lines = (double)s->launch_lines;
    double bytes = 0;
    for (uint32_t b = 0; b < launch->buffer_count; b++)
        bytes += launch->buffers[b].space == KIR_GLOBAL ? (double)launch->buffers[b].bytes : 0;
    const double held = fmax(lines, bytes / s->device->l2.tag);
    s->lines += lines;
    s->whole_lines +=
        ran->blocks ? fmin(lines * (double)launch->block_count / (double)ran->blocks, held) : 0;
    s->launch_lines = 0;
    if (s->whole_lines > 0)
        s->kept = s->lines / s->whole_lines * s->device->sms / s->sms;
}

static hd_status run_launch(simulation *s, hd_trace *trace, const hd_trace_launch *l,
                            hd_cache_launch *result, bool *complete) {
    const hd_event_launch *launch = &l->launch;
    cache_turns turns = {.trace = trace,
                         .diag = s->memory.diag,
                         .launch = l,
                         .rows = rows_of(s, l),
                         .sms = s->sms,
                         .issue = issue,
                         .end_round = end_round,
                         .end_rounds = end_rounds,
                         .user = s,
                         .goes_on = goes_on};
    hd_status status = cache_memory_launch(&s->memory, launch);
    if (status)
        return status;
    turns.blocks_per_sm = blocks_at_once(s, launch);
    s->launch = launch;
    free(s->groups);
    free(s->loads);
    s->groups = NULL;
    s->loads = NULL;
    s->slots = 0;
    s->block_warps = (launch->block_threads + s->device->warp - 1) / s->device->warp;
    s->last_cell = hd_new_array(s->arena, uint32_t, launch->access_count);
    hd_hash_clear(&s->cell_of);
    for (uint32_t sm = 0; s->has_l1 && sm < s->sms; sm++)
        if (s->l1_is_used[sm]) {
            cache_sets_clear(&s->l1s[sm]);
            s->l1_is_used[sm] = false;
        }
    *result = (hd_cache_launch){.launch = launch,
                                .blocks = hd_blocks_chosen(&turns.rows, l->block_count),
                                .registers = registers_of(s, launch),
                                .blocks_per_sm = turns.blocks_per_sm};
    hd_hash_clear(&s->atomic_of);
    s->atomics.count = 0;
    status = cache_take_turns(&turns, complete);
    for (size_t n = 0; n < s->atomics.count; n++)
        result->hottest = fmax(result->hottest, s->atomics.data[n]);
    end_launch(s, result);
    return status;
}

/* ---- adding up ------------------------------------------------------------------------------------------ */

static double share_of(uint64_t part, uint64_t all) { return all ? (double)part / (double)all : 0; }

double hd_cache_cost(const hd_device *d, const hd_cache_counts *c) {
    double l1 = share_of(c->l1_hits, c->sectors);
    double l2 = (1 - l1) * share_of(c->l2_hits, c->l2_sectors);
    return (double)c->transactions * (d->w_l1 * l1 + d->w_l2 * l2 + d->w_dram * (1 - l1 - l2));
}

/* Whether an access of a trace is that of a line; of an access that is several, any of them. */
static bool is_of(const hd_event_access *event, const hd_access *access) {
    return event->kind == access->kind && event->line == access->line &&
           event->column == access->column;
}

static hd_cache_counts counts_of_line(const hd_caches *caches, const hd_cost_line *line) {
    hd_cache_counts sum = {0};
    for (uint32_t l = 0; l < caches->launch_count; l++) {
        const hd_cache_launch *launch = &caches->launches[l];
        if (strcmp(launch->launch->kernel, line->info->kernel->name) != 0)
            continue;
        for (uint32_t a = 0; a < launch->launch->access_count; a++)
            if (is_of(&launch->launch->accesses[a], line->access))
                hd_tally_add(&sum, &launch->accesses[a].counts, sizeof sum);
    }
    return sum;
}

void hd_caches_serve(const hd_caches *caches, hd_cost_line *lines, size_t count) {
    const hd_device *d = caches->device;
    for (size_t i = 0; i < count; i++) {
        hd_cost_line *line = &lines[i];
        const hd_cache_counts c = counts_of_line(caches, line);
        if (!c.sectors)
            continue;
        line->l1 = share_of(c.l1_hits, c.sectors);
        line->l2 = (1 - line->l1) * share_of(c.l2_hits, c.l2_sectors);
        line->cost = (hd_cost_vector){
            {line->executions * line->transactions *
             (d->w_l1 * line->l1 + d->w_l2 * line->l2 + d->w_dram * (1 - line->l1 - line->l2))}};
    }
}

hd_energy_counts hd_caches_energy_counts(const hd_caches *caches) {
    const hd_cache_counts *total = &caches->total.counts;
    return (hd_energy_counts){.l1_bytes = (double)total->sectors * caches->sector,
                              .l2_bytes = (double)total->l2_bytes,
                              .dram_bytes = (double)total->dram_read + (double)total->dram_written};
}

void hd_cache_sum_add(hd_cache_sum *sum, const hd_cache_sum *more) {
    hd_tally_add(&sum->counts, &more->counts, sizeof sum->counts);
    sum->cost += more->cost;
}

static bool is_same_field(const hd_cache_place *a, const hd_cache_place *b) {
    return a->record && b->record && !strcmp(a->record, b->record) && !strcmp(a->name, b->name);
}

/* Those of a record in several buffers become one. */
static void join_buffers(memory_place *all, size_t count) {
    for (size_t i = 1; i < count; i++)
        for (size_t k = 0; k < i; k++)
            if (is_same_field(&all[k].is, &all[i].is)) {
                hd_cache_sum_add(&all[k].is.sum, &all[i].is.sum);
                all[i].is.sum = (hd_cache_sum){0};
                break;
            }
}

/* Fields first, in the order in which their records were met; the unknown last. */
static void keep_places(const simulation *s, hd_arena *arena, hd_caches *result) {
    memory_place *all = s->memory.places.data;
    size_t count = s->memory.places.count;
    join_buffers(all, count);
    result->places = hd_new_array(arena, hd_cache_place, count);
    for (int fields = 1; fields >= 0; fields--)
        for (size_t i = 1; i <= count; i++) {
            const hd_cache_place *p = &all[i % count].is;
            if ((p->record != NULL) == fields && p->sum.counts.requests)
                result->places[result->place_count++] = *p;
        }
}

/* Of the launch's table; NULL: memory that no buffer is known of. */
static hd_cache_counts *buffer_of(const simulation *s, const cell *c, hd_cache_launch *launch) {
    const char *name = s->memory.places.data[c->place].buffer;
    for (uint32_t b = 0; name && b < launch->launch->buffer_count; b++) {
        const hd_event_buffer *row = &launch->launch->buffers[b];
        if (row->space == KIR_GLOBAL && !strcmp(row->name ? row->name : "", name))
            return &launch->buffers[b];
    }
    return NULL;
}

static void add_up(simulation *s, hd_arena *arena, hd_caches *result) {
    cache_each(&s->l2_sets, write_back, s);
    for (uint32_t l = 0; l < result->launch_count; l++) {
        hd_cache_launch *launch = &result->launches[l];
        launch->accesses = hd_new_array(arena, hd_cache_sum, launch->launch->access_count);
        launch->buffers = hd_new_array(arena, hd_cache_counts, launch->launch->buffer_count);
    }
    for (size_t i = 0; i < s->cells.count; i++) {
        const cell *c = &s->cells.data[i];
        hd_cache_launch *launch = &result->launches[c->launch];
        const hd_cache_sum sum = {c->counts, hd_cache_cost(s->device, &c->counts)};
        hd_cache_sum_add(&launch->accesses[c->access], &sum);
        hd_cache_sum_add(&launch->sum, &sum);
        hd_cache_sum_add(&s->memory.places.data[c->place].is.sum, &sum);
        hd_cache_counts *buffer = buffer_of(s, c, launch);
        if (buffer)
            hd_tally_add(buffer, &c->counts, sizeof *buffer);
        hd_cache_sum_add(&result->total, &sum);
    }
    keep_places(s, arena, result);
}

/* ---- from beginning to end ------------------------------------------------------------------------------- */

static void make_levels(simulation *s) {
    enum { FEW_LINES = 1 << 16 };
    const hd_device *d = s->device;
    s->sector = sector_of(d);
    s->shift = (uint32_t)__builtin_ctz(s->sector);
    s->list.shift = s->shift;
    s->request = hd_device_request_lanes(d);
    s->has_l1 = d->l1.size > 0;
    s->l2 = geometry_of(&d->l2, s->sector);
    const uint64_t sets = d->l2.size / d->l2.tag / d->l2.ways, slice = sets * s->sms / d->sms;
    cache_sets_init(&s->l2_sets, 1, slice ? slice : 1, d->l2.ways);
    const uint64_t lines = s->l2_sets.row_count * s->l2_sets.used;
    s->written = cache_pages(lines * s->l2.per_line_count);
    s->facts = hd_checked(calloc(lines, sizeof *s->facts));
    s->kept = 1;
    s->fetches = d->l2.size / d->l2.tag > FEW_LINES;
    if (!s->has_l1)
        return;
    s->l1 = geometry_of(&d->l1, s->sector);
    s->l1s = hd_new_array(s->arena, cache_sets, s->sms);
    s->l1_is_used = hd_new_array(s->arena, bool, s->sms);
    cache_sets_init(s->l1s, s->sms, d->l1.size / d->l1.tag / d->l1.ways, d->l1.ways);
}

static void free_levels(simulation *s) {
    if (s->has_l1)
        cache_sets_free(s->l1s);
    cache_sets_free(&s->l2_sets);
    free(s->written);
    free(s->facts);
    free(s->groups);
    free(s->loads);
    free(s->queue.requests);
    sector_list_free(&s->list);
}

static hd_status run_launches(simulation *s, hd_trace *trace, hd_caches *result) {
    const hd_trace_contents *contents = hd_trace_get(trace);
    hd_status status = HD_OK;
    const double share = s->options->share > 0 ? s->options->share : 1;
    s->all = (uint64_t)((double)hd_trace_sum(contents).lane_accesses * share) + 1;
    for (uint32_t l = 0; l < contents->launch_count && !status && result->complete; l++) {
        const hd_trace_launch *launch = &contents->launches[l];
        if (!is_chosen(s->options, launch->launch.number))
            continue;
        s->launch_row = result->launch_count++;
        status = run_launch(s, trace, launch, &result->launches[s->launch_row], &result->complete);
    }
    if (!status && !result->launch_count)
        status = hd_fail(s->memory.diag, HD_EINPUT, NULL,
                         "the trace has none of the launches that are to be simulated");
    return status;
}

hd_status hd_caches_run(hd_arena *arena, const hd_diag *diag, hd_trace *trace,
                        const hd_device *device, const hd_job *job, const hd_layout *layout,
                        const hd_caches_options *options, const hd_caches **caches) {
    hd_status status = hd_caches_check(diag, device);
    if (status)
        return status;
    simulation s = {.arena = hd_arena_new(), .device = device, .options = options};
    s.memory = (cache_memory){.arena = s.arena, .diag = diag, .job = job, .layout = layout};
    s.cell_of.arena = s.arena;
    s.registers = hd_new_array(s.arena, uint32_t, job ? job->launch_count : 0);
    s.atomic_of.arena = s.arena;
    hd_caches *result = hd_new(arena, hd_caches);
    *result = (hd_caches){.device = device, .layout = layout, .complete = true};
    result->record = layout ? job->record : NULL;
    result->launches = hd_new_array(arena, hd_cache_launch, hd_trace_get(trace)->launch_count);
    status = cache_memory_make(&s.memory, hd_trace_get(trace));
    if (!status) {
        s.sms = slice_of_device(&s, hd_trace_get(trace));
        make_levels(&s);
        result->sector = s.sector;
        status = run_launches(&s, trace, result);
        if (!status)
            add_up(&s, arena, result);
        free_levels(&s);
    }
    hd_arena_free(s.arena);
    *caches = result;
    return status;
}

/* ---- what a reader sees ------------------------------------------------------------------------------------ */

/* Nothing, where nothing was asked for. */
static hd_value share_if(uint64_t part, uint64_t all) {
    return all ? hd_real(share_of(part, all)) : hd_null();
}
HD_GETTER(l1_share, hd_cache_sum, share_if(row->counts.l1_hits, row->counts.sectors))
HD_GETTER(l2_share, hd_cache_sum, share_if(row->counts.l2_hits, row->counts.l2_sectors))

const hd_member hd_cache_sum_members[] = {
    {"requests", HD_AT(hd_cache_sum, counts.requests)},
    {"transactions", HD_AT(hd_cache_sum, counts.transactions)},
    {"sectors", "sectors", HD_COUNT, HD_AT(hd_cache_sum, counts.sectors)},
    {"l1_hits", HD_AT(hd_cache_sum, counts.l1_hits)},
    {NULL, "L1", HD_SHARE, .get = l1_share},
    {"l2_sectors", HD_AT(hd_cache_sum, counts.l2_sectors)},
    {"l2_hits", HD_AT(hd_cache_sum, counts.l2_hits)},
    {NULL, "L2", HD_SHARE, .get = l2_share},
    {"l2_bytes", "from L2", HD_BYTES, HD_AT(hd_cache_sum, counts.l2_bytes)},
    {"dram_read", "from DRAM", HD_BYTES, HD_AT(hd_cache_sum, counts.dram_read)},
    {"dram_written", "to DRAM", HD_BYTES, HD_AT(hd_cache_sum, counts.dram_written)},
    {"cost", "cost", HD_COUNT, HD_AT(hd_cache_sum, cost)},
    {0}};
