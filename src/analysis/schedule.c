/*
 * The orders of blocks and warps. Most of this file finds what blocks share, for the order
 * `sharing`: the one of least sum of reuse distances that order/block_schedule.c finds.
 *
 * Elements that the same blocks touch are counted together: as one *set* of blocks, with their
 * number as its weight. Sets are found while blocks are read, in ascending order: an element begins
 * in the empty set, and each block that touches it moves it to the set that has this block, too.
 * With the elements A of blocks 0, 1 and 2, B and C of 0 and 2, D of 1:
 *
 *     read block 0    {0}: A B C
 *     read block 1    {0}: B C        {0,1}: A      {1}: D
 *     read block 2    {0,2}: B C    {0,1,2}: A      {1}: D
 *
 * Here only {0,2} matters: a set of one block or of all makes no order better than another.
 */
#include <stdlib.h>

#include "base/table.h"
#include "analysis/schedule.h"
#include "order/orders.h"

enum { PAGE = 8 };

/* By their numbers, as in the document (section 7.2.2). */
static hd_status fill_sequential(const hd_schedule_input *input, uint64_t *order) {
    for (uint64_t b = 0; b < input->launch->block_count; b++)
        order[b] = b;
    return HD_OK;
}

/* Shuffled (Fisher and Yates), the same for the same seed. */
static hd_status fill_random(const hd_schedule_input *input, uint64_t *order) {
    uint64_t state = input->seed;
    for (uint64_t b = 0; b < input->launch->block_count; b++) {
        uint64_t at = hd_next_random(&state) % (b + 1);
        order[b] = order[at];
        order[at] = b;
    }
    return HD_OK;
}

/* ---- sharing: sets of blocks --------------------------------------------------------------- */

/* Another set with one more block, behind all of the other one's. */
typedef struct block_set {
    uint64_t without, last; /* the other set, and the block */
    uint64_t grown;         /* the set last made of this one */
    uint64_t elements;      /* known when all blocks are read */
} block_set;

/* Neighbouring elements have their sets side by side. */
typedef struct page {
    uint64_t set[PAGE];
} page;

/* What is known of the blocks read so far. Its arrays are from malloc, since they grow large. */
typedef struct reading {
    const hd_schedule_input *input;
    uint64_t block;  /* that is read */
    block_set *sets; /* 0: the empty one */
    uint64_t set_count, set_room;
    hd_hash_table numbers; /* element / PAGE -> row of `pages` */
    page *pages;
    uint64_t page_count, page_room;
    uint64_t latest, latest_row; /* page that was touched last */
    bool full;                   /* more memory than is allowed: nothing more is noted */
} reading;

static bool is_allowed(const hd_schedule_input *input, uint64_t bytes) {
    return !input->memory || bytes <= input->memory;
}

/* Before something grows to so many bytes beside the old ones. */
static bool may_grow(reading *r, uint64_t bytes) {
    r->full = r->full || !is_allowed(r->input, r->set_room * sizeof *r->sets +
                                                   r->page_room * sizeof *r->pages +
                                                   hd_hash_memory(&r->numbers) + bytes);
    return !r->full;
}

/* Makes room for one more; false: it is full. */
static bool grow(reading *r, void **rows, uint64_t count, uint64_t *room, size_t row_bytes) {
    uint64_t grown = *room ? 2 * *room : 1024;
    if (count < *room)
        return true;
    if (!may_grow(r, grown * row_bytes))
        return false;
    *rows = hd_checked(realloc(*rows, grown * row_bytes));
    *room = grown;
    return true;
}

/* NULL when it is full. */
static page *page_of(reading *r, uint64_t number) {
    if (r->page_count && r->latest == number)
        return &r->pages[r->latest_row];
    uint64_t row = hd_hash_get(&r->numbers, number);
    if (row == HD_NO_VALUE) {
        if (!grow(r, (void **)&r->pages, r->page_count, &r->page_room, sizeof *r->pages) ||
            (hd_hash_is_full(&r->numbers) && !may_grow(r, 2 * hd_hash_memory(&r->numbers))))
            return NULL;
        row = hd_hash_add(&r->numbers, number, r->page_count);
        r->pages[r->page_count++] = (page){0};
    }
    r->latest = number;
    r->latest_row = row;
    return &r->pages[row];
}

/* Moves an element to the set that has the block that is read, too. */
static void add_element(reading *r, uint64_t element) {
    page *own = page_of(r, element / PAGE);
    uint64_t *set = own ? &own->set[element % PAGE] : NULL;
    if (!set || (*set && r->sets[*set].last == r->block))
        return;
    uint64_t grown = r->sets[*set].grown;
    if (!grown || r->sets[grown].last != r->block) {
        if (!grow(r, (void **)&r->sets, r->set_count, &r->set_room, sizeof *r->sets))
            return;
        grown = r->set_count++;
        r->sets[grown] = (block_set){.without = *set, .last = r->block};
        r->sets[*set].grown = grown;
    }
    *set = grown;
}

static void *open_block(void *self, uint64_t block) {
    (void)block;
    return self;
}

/* Bytes beyond the end of the address space are no bytes. */
static void add_event(void *stream, const hd_event *e) {
    reading *r = stream;
    const hd_event_launch *launch = &r->input->launch->launch;
    if (r->full || !(r->input->spaces >> hd_event_space(launch, e) & 1))
        return;
    for (uint32_t lane = 0; lane < e->threads; lane++) {
        if (!hd_event_active(e, lane))
            continue;
        uint64_t at = hd_event_address(e, lane), end = at + (launch->accesses[e->access].width - 1);
        uint64_t first = at / r->input->element_bytes;
        uint64_t further = (end < at ? UINT64_MAX : end) / r->input->element_bytes - first;
        for (uint64_t i = 0; i <= further; i++)
            add_element(r, first + i);
    }
}

/* ---- sharing: nets of blocks --------------------------------------------------------------- */

static uint64_t set_size(const reading *r, uint64_t set) {
    uint64_t size = 0;
    for (uint64_t s = r->sets[set].elements ? set : 0; s; s = r->sets[s].without)
        size++;
    return size;
}

/* The sets that matter; false: they are more than are allowed. */
static bool list_sets(hd_arena *arena, const reading *r, hd_nets *nets) {
    uint64_t blocks = r->input->launch->block_count, pins = 0;
    for (uint64_t set = 1; set < r->set_count; set++) {
        uint64_t size = set_size(r, set);
        bool matters = size > 1 && size < blocks;
        nets->count += matters;
        pins += matters ? size : 0;
    }
    if (!is_allowed(r->input, r->set_room * sizeof *r->sets + 2 * pins * sizeof(uint32_t) +
                                  nets->count * (sizeof *nets->first + sizeof *nets->weight)))
        return false;
    nets->first = hd_new_array(arena, uint64_t, nets->count + 1);
    nets->weight = hd_new_array(arena, uint32_t, nets->count + 1);
    nets->thread = hd_new_array(arena, uint32_t, pins + 1);
    for (uint64_t set = 1, n = 0; set < r->set_count; set++) {
        uint64_t size = set_size(r, set), at = n < nets->count ? nets->first[n] + size : 0;
        if (size < 2 || size == blocks)
            continue;
        uint64_t elements = r->sets[set].elements;
        nets->weight[n] = elements < UINT32_MAX ? (uint32_t)elements : UINT32_MAX;
        nets->first[++n] = at;
        for (uint64_t s = set; s; s = r->sets[s].without)
            nets->thread[--at] = (uint32_t)r->sets[s].last;
    }
    return true;
}

static hd_status fill_sharing(const hd_schedule_input *input, uint64_t *order) {
    hd_arena *arena = hd_arena_new();
    reading r = {.input = input};
    uint64_t blocks = input->launch->block_count;
    const hd_sink sink = {.self = &r, .open_block = open_block, .event = add_event};
    hd_status status = HD_OK;
    if (grow(&r, (void **)&r.sets, 0, &r.set_room, sizeof *r.sets))
        r.sets[r.set_count++] = (block_set){0};
    for (; r.block < blocks && !status && !r.full; r.block++)
        status = hd_trace_replay_block(input->trace, input->diag, input->launch->launch.number,
                                       input->launch->blocks[r.block].block, &sink);
    for (uint64_t i = 0; i < r.page_count * PAGE && !r.full; i++)
        r.sets[r.pages[i / PAGE].set[i % PAGE]].elements++;
    hd_hash_free(&r.numbers);
    free(r.pages);
    /* To the schedule a block is a thread, which is a block of its own. */
    hd_sharing sharing = {.threads = (uint32_t)blocks, .block_threads = 1};
    if (!status && (r.full || !list_sets(arena, &r, &sharing.lines)))
        status = hd_fail(input->diag, HD_EUNSUPPORTED, NULL,
                         "the order sharing needs more than the %llu MiB that are allowed for the "
                         "elements of launch %u: allow more with --memory, or choose another order",
                         (unsigned long long)(input->memory >> 20), input->launch->launch.number);
    if (!status) {
        uint32_t *places = hd_new_array(arena, uint32_t, blocks);
        for (uint32_t b = 0; b < blocks; b++)
            places[b] = b;
        hd_schedule_blocks(&sharing, places);
        for (uint64_t b = 0; b < blocks; b++)
            order[b] = places[b];
    }
    free(r.sets);
    hd_arena_free(arena);
    return status;
}

/* ---- the tables ---------------------------------------------------------------------------- */

const hd_order hd_block_orders[] = {{.name = "sequential", .fill = fill_sequential},
                                    {.name = "random", .fill = fill_random},
                                    {.name = "sharing", .fill = fill_sharing},
                                    {0}};

/* Round-robin is the document's. */
const hd_order hd_warp_orders[] = {
    {.name = "round-robin"}, {.name = "greedy", .by_warp = true}, {0}};

static hd_status find(hd_arena *arena, const hd_diag *diag, const hd_order *orders,
                      const char *what, const char *name, const hd_order **order) {
    hd_str names = {.arena = arena};
    for (*order = orders; (*order)->name; ++*order) {
        if (!name || !strcmp(name, (*order)->name))
            return HD_OK;
        hd_str_printf(&names, "%s%s", names.length ? ", " : "", (*order)->name);
    }
    return hd_fail(diag, HD_EINPUT, NULL, "there is no order of %s '%s'; there are: %s", what, name,
                   hd_str_text(&names));
}

hd_status hd_find_block_order(hd_arena *arena, const hd_diag *diag, const char *name,
                              const hd_order **order) {
    return find(arena, diag, hd_block_orders, "blocks", name, order);
}

hd_status hd_find_warp_order(hd_arena *arena, const hd_diag *diag, const char *name,
                             const hd_order **order) {
    return find(arena, diag, hd_warp_orders, "warps", name, order);
}
