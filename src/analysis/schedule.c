/*
 * The orders of blocks and warps. Most of this file is the order `sharing` (the idea of thread
 * block scheduling, section 8.1 of the document): next comes the block that shares most elements
 * with the four placed last, from block 0 on. Of blocks that share as many the first one is taken,
 * so that a kernel without sharing keeps its order.
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
 * Here only {0,2} matters: a set of one block or of all makes no block better than another.
 * After 0 comes 2, of score 2 by {0,2}, then 1.
 *
 * A block's score is the sum of the weights of the sets that it shares with each of the four.
 * Scores are kept: when a block is placed they change by the sets that either it or the block which
 * is then no longer among the four is in, and not both. Only blocks whose score is not 0 are
 * compared.
 *
 * T lane accesses cost T steps to read, and a set of k blocks costs at most 2 k^2 changes of
 * scores. For a mesh, whose elements are shared by neighbours, that is less than the reading; it is
 * much where there are many sets of very many blocks.
 */
#include <stdlib.h>

#include "base/table.h"
#include "analysis/schedule.h"

enum { JUST_PLACED = 4, PAGE = 8 };

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

/* ---- sharing: placing ---------------------------------------------------------------------- */

/* A set that matters. */
typedef struct weighted_set {
    uint64_t weight; /* its elements */
    uint64_t end;    /* of its blocks, which begin where those of the set before end */
    int64_t times;   /* how often its weight is to be added to its blocks' scores */
} weighted_set;

typedef struct placing {
    hd_vec(weighted_set) sets;
    uint32_t *blocks_of; /* of sets */
    uint32_t *sets_of;   /* of blocks: block b is in sets_of[sets_at[b]] and those .. */
    uint64_t *sets_at;   /* .. before sets_of[sets_at[b + 1]] */
    uint64_t *score;
    bool *is_placed;
    uint64_t *scored; /* blocks whose score is perhaps not 0 */
    uint64_t scored_count;
    bool *is_scored;
    uint64_t next; /* no block before it is left */
} placing;

/* False: they are more than are allowed. */
static bool list_sets(hd_arena *arena, const reading *r, placing *p) {
    uint64_t blocks = r->input->launch->block_count, end = 0;
    uint64_t *at = p->sets_at = hd_new_array(arena, uint64_t, blocks + 2);
    for (uint64_t set = 1; set < r->set_count; set++) {
        uint64_t size = 0;
        for (uint64_t s = r->sets[set].elements ? set : 0; s; s = r->sets[s].without)
            size++;
        if (size < 2 || size == blocks)
            continue;
        end += size;
        hd_push(arena, &p->sets, (weighted_set){.weight = set, .end = end});
    }
    if (!is_allowed(r->input, r->set_room * sizeof *r->sets + 2 * end * sizeof(uint32_t) +
                                  2 * p->sets.count * sizeof(weighted_set)))
        return false;
    p->blocks_of = hd_new_array(arena, uint32_t, end);
    p->sets_of = hd_new_array(arena, uint32_t, end);
    end = 0;
    for (size_t i = 0; i < p->sets.count; i++) {
        weighted_set *own = &p->sets.data[i];
        for (uint64_t s = own->weight; s; s = r->sets[s].without) {
            p->blocks_of[end++] = (uint32_t)r->sets[s].last;
            at[r->sets[s].last + 2]++;
        }
        own->weight = r->sets[own->weight].elements;
    }
    for (uint64_t b = 0; b < blocks; b++)
        at[b + 2] += at[b + 1];
    for (size_t i = 0, b = 0; i < p->sets.count; i++)
        for (; b < p->sets.data[i].end; b++)
            p->sets_of[at[p->blocks_of[b] + 1]++] = (uint32_t)i;
    return true;
}

static void count_sets(placing *p, uint64_t block, int64_t times) {
    for (uint64_t i = p->sets_at[block]; i < p->sets_at[block + 1]; i++)
        p->sets.data[p->sets_of[i]].times += times;
}

/* Adds the weights of a block's sets to the scores of their blocks, as often as was counted. */
static void change_scores(placing *p, uint64_t block) {
    for (uint64_t i = p->sets_at[block]; i < p->sets_at[block + 1]; i++) {
        weighted_set *set = &p->sets.data[p->sets_of[i]];
        uint64_t change = (uint64_t)set->times * set->weight;
        uint64_t first = p->sets_of[i] ? set[-1].end : 0;
        for (uint64_t k = first; k < set->end && change; k++) {
            uint32_t b = p->blocks_of[k];
            p->score[b] += change;
            if (!p->is_scored[b])
                p->scored[p->scored_count++] = b;
            p->is_scored[b] = true;
        }
        set->times = 0;
    }
}

static uint64_t best_block(placing *p) {
    uint64_t best = UINT64_MAX, kept = 0;
    for (uint64_t i = 0; i < p->scored_count; i++) {
        uint64_t b = p->scored[i];
        p->is_scored[b] = p->score[b] && !p->is_placed[b];
        if (!p->is_scored[b])
            continue;
        p->scored[kept++] = b;
        if (best == UINT64_MAX || p->score[b] > p->score[best] ||
            (p->score[b] == p->score[best] && b < best))
            best = b;
    }
    p->scored_count = kept;
    while (best == UINT64_MAX && p->is_placed[p->next])
        p->next++;
    return best == UINT64_MAX ? p->next : best;
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
    placing p = {.score = hd_new_array(arena, uint64_t, blocks),
                 .is_placed = hd_new_array(arena, bool, blocks),
                 .scored = hd_new_array(arena, uint64_t, blocks),
                 .is_scored = hd_new_array(arena, bool, blocks)};
    if (!status && (r.full || !list_sets(arena, &r, &p)))
        status = hd_fail(input->diag, HD_EUNSUPPORTED, NULL,
                         "the order sharing needs more than the %llu MiB that are allowed for the "
                         "elements of launch %u: allow more with --memory, or choose another order",
                         (unsigned long long)(input->memory >> 20), input->launch->launch.number);
    for (uint64_t n = 0; n < blocks && !status; n++) {
        order[n] = best_block(&p);
        p.is_placed[order[n]] = true;
        count_sets(&p, order[n], 1);
        if (n >= JUST_PLACED) {
            count_sets(&p, order[n - JUST_PLACED], -1);
            change_scores(&p, order[n - JUST_PLACED]);
        }
        change_scores(&p, order[n]);
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
