/*
 * Next comes the block that shares most elements with the four placed last (the idea of thread
 * block scheduling in section 8.1), from block 0 on. Of blocks that share as many the first
 * one is taken, so that a kernel without sharing keeps its order.
 *
 * A block's score is the sum, over its elements, of how many of the four touch them. Scores
 * are kept, not computed anew: when a block is placed, they change by the elements that either
 * it or the block which is then no longer among the four touches, and not both.
 *
 * Elements are counted together when the same blocks touch them: as one *set* of blocks, with
 * their number as its weight. Sets are found while blocks are read, in ascending order: an
 * element begins in the empty set, and each block that touches it moves it to the set that has
 * this block, too. With the elements A of blocks 0, 1 and 2, B and C of 0 and 2, D of 1:
 *
 *     read block 0    {0}: A B C
 *     read block 1    {0}: B C        {0,1}: A      {1}: D
 *     read block 2    {0,2}: B C    {0,1,2}: A      {1}: D
 *
 * Here only {0,2} matters: a set of one block or of all makes no block better than another.
 * After 0 comes 2, of score 2 by {0,2}, then 1.
 *
 * What very many blocks touch would change very many scores. A set of more than half of the
 * blocks therefore adds its weight to all, which makes no difference and is not done, and takes
 * it from the blocks outside. Where still many scores are left to change (half of the blocks,
 * by chance, count something up), blocks are divided into *groups* such that the set consists
 * of whole groups; then it changes only scores of groups, and a block's score is its own and
 * its group's. There are few groups: a set that would make too many changes blocks after all.
 *
 * T lane accesses cost T steps to read. A set of k of n blocks makes at most 2 m times changes
 * to m scores, m = min(k, n - k), or to those of groups, and a changed score costs at most
 * log n steps. For a mesh, whose elements are shared by neighbours, that is less than the
 * reading. It is still the square of n where nearly all blocks share something, and each pair
 * of them something else, as when all look up random places of a table. Memory is in proportion
 * to the elements that blocks touch, each counted once for each block that touches it; where
 * many elements make up a set it is far less.
 */
#include <stdlib.h>

#include "locality/schedule.h"

enum { JUST_PLACED = 4, MOST_GROUPS = 256, PAGE = 8 };

static const int64_t PLACED = INT64_MIN; /* the score of a block that has its place */

/* ---- sets of blocks ----------------------------------------------------------------------- */

/* Another set with one more block, behind all of the other one's. */
typedef struct block_set {
    uint64_t without, last; /* the other set, and the block */
    uint64_t grown;         /* the set last made of this one */
    uint64_t elements;      /* known when all blocks are read */
} block_set;

/* Neighbouring elements and their sets. */
typedef struct page {
    uint64_t number_plus_1; /* 0: a free slot */
    uint64_t set[PAGE];
} page;

/* What is known of the blocks read so far. Its arrays are from malloc, since they grow large. */
typedef struct reading {
    const hd_schedule_input *input;
    uint64_t block;  /* that is read */
    block_set *sets; /* 0: the empty one */
    uint64_t set_count, set_room;
    page *pages;                    /* slots */
    uint64_t page_count, page_room; /* slots taken; all, a power of two */
    page *latest;
    uint64_t bytes; /* of sets and pages */
    bool full;      /* these would be more than are allowed: nothing more is noted */
} reading;

static page *find_slot(const reading *r, uint64_t number) {
    uint64_t at = number * 0x9e3779b97f4a7c15u >> 20 & (r->page_room - 1);
    while (r->pages[at].number_plus_1 && r->pages[at].number_plus_1 != number + 1)
        at = (at + 1) & (r->page_room - 1);
    return &r->pages[at];
}

static uint64_t allowed(const hd_schedule_input *input) {
    return input->memory ? input->memory : UINT64_MAX;
}

/* Before so many bytes are asked for; while an array is moved it is there twice. */
static bool may_grow(reading *r, uint64_t before, uint64_t after) {
    r->full = r->full || r->bytes + after > allowed(r->input);
    r->bytes += r->full ? 0 : after - before;
    return !r->full;
}

static void grow_pages(reading *r) {
    page *old = r->pages;
    uint64_t room = r->page_room, grown = room ? 2 * room : 1024;
    if (!may_grow(r, room * sizeof *old, grown * sizeof *old))
        return;
    r->page_room = grown;
    r->pages = hd_zeroed(r->page_room, sizeof *r->pages);
    for (uint64_t i = 0; i < room; i++)
        if (old[i].number_plus_1)
            *find_slot(r, old[i].number_plus_1 - 1) = old[i];
    free(old);
}

/* NULL when it is full. */
static page *page_of(reading *r, uint64_t number) {
    if (r->latest && r->latest->number_plus_1 == number + 1)
        return r->latest;
    if (2 * r->page_count >= r->page_room)
        grow_pages(r);
    if (r->full)
        return NULL;
    r->latest = find_slot(r, number);
    r->page_count += !r->latest->number_plus_1;
    r->latest->number_plus_1 = number + 1;
    return r->latest;
}

/* The empty one when it is full. */
static uint64_t add_set(reading *r, block_set set) {
    if (r->set_count == r->set_room) {
        uint64_t grown = r->set_room ? 2 * r->set_room : 1024;
        if (!may_grow(r, r->set_room * sizeof *r->sets, grown * sizeof *r->sets))
            return 0;
        r->set_room = grown;
        r->sets = hd_checked(realloc(r->sets, r->set_room * sizeof *r->sets));
    }
    r->sets[r->set_count] = set;
    return r->set_count++;
}

/* A set and the block that is read. */
static uint64_t grown_set(reading *r, uint64_t from) {
    uint64_t grown = r->sets[from].grown;
    if (!grown || r->sets[grown].last != r->block) {
        grown = add_set(r, (block_set){.without = from, .last = r->block});
        r->sets[from].grown = grown;
    }
    return grown;
}

static void add_element(reading *r, uint64_t element) {
    page *own = page_of(r, element / PAGE);
    uint64_t *set = own ? &own->set[element % PAGE] : NULL;
    if (set && (!*set || r->sets[*set].last != r->block))
        *set = grown_set(r, *set);
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

static hd_status no_room(const reading *r) {
    return hd_fail(r->input->diag, HD_EUNSUPPORTED, NULL,
                   "the order sharing needs more than the %llu MiB that are allowed for the "
                   "elements of launch %u: allow more with --memory, or choose another order",
                   (unsigned long long)(r->input->memory >> 20), r->input->launch->launch.number);
}

static hd_status read_blocks(reading *r) {
    const hd_schedule_input *input = r->input;
    const hd_sink sink = {.self = r, .open_block = open_block, .event = add_event};
    hd_status status = HD_OK;
    add_set(r, (block_set){0});
    for (r->block = 0; r->block < input->launch->block_count && !status && !r->full; r->block++)
        status = hd_trace_replay_block(input->trace, input->diag, input->launch->launch.number,
                                       input->launch->blocks[r->block].block, &sink);
    for (uint64_t i = 0; i < r->page_room * PAGE && !r->full; i++)
        r->sets[r->pages[i / PAGE].set[i % PAGE]].elements++;
    free(r->pages);
    return status || !r->full ? status : no_room(r);
}

/* ---- groups of blocks --------------------------------------------------------------------- */

/* A set that matters, and the scores that it changes. */
typedef struct change {
    uint64_t set;
    uint64_t size, others; /* blocks in the set, and not */
    bool by_groups;
    int64_t weight;      /* below 0: for the blocks that are not in the set */
    uint64_t first, end; /* of targets */
} change;

typedef struct set_index {
    hd_arena *arena;
    const block_set *sets;
    uint64_t blocks, groups;
    uint64_t *group; /* of each block */
    uint64_t group_size[MOST_GROUPS];
    hd_vec(change) changes;
    uint64_t *targets;                 /* blocks, or `blocks` + a group */
    uint64_t *changes_of, *changes_at; /* block b has changes_of[changes_at[b] ..] */
} set_index;

/* Returns the bytes that targets and lists of changes will take. */
static uint64_t find_changes(set_index *x, uint64_t set_count) {
    uint64_t bytes = 0;
    for (uint64_t set = 1; set < set_count; set++) {
        uint64_t size = 0;
        for (uint64_t s = set; x->sets[set].elements && s; s = x->sets[s].without)
            size++;
        if (size < 2 || size >= x->blocks)
            continue;
        hd_push(x->arena, &x->changes,
                (change){.set = set, .size = size, .others = x->blocks - size});
        bytes += 2 * sizeof(change) + 2 * size * sizeof(uint64_t);
    }
    return bytes;
}

/* How many scores of blocks it changes. */
static uint64_t scores_of(const change *c) { return c->size < c->others ? c->size : c->others; }

/* Makes the set consist of whole groups, unless they become too many. */
static bool divide_groups(set_index *x, uint64_t set) {
    uint64_t inside[MOST_GROUPS] = {0}, to[MOST_GROUPS], groups = x->groups;
    for (uint64_t s = set; s; s = x->sets[s].without)
        inside[x->group[x->sets[s].last]]++;
    for (uint64_t g = 0; g < x->groups; g++)
        to[g] = inside[g] && inside[g] < x->group_size[g] ? groups++ : g;
    if (groups > MOST_GROUPS)
        return false;
    x->groups = groups;
    for (uint64_t s = set; s; s = x->sets[s].without) {
        uint64_t *group = &x->group[x->sets[s].last];
        x->group_size[*group]--;
        *group = to[*group];
        x->group_size[*group]++;
    }
    return true;
}

static int most_scores_first(const void *a, const void *b) {
    const change *x = a, *y = b;
    if (scores_of(x) != scores_of(y))
        return scores_of(x) < scores_of(y) ? 1 : -1;
    return (x->set > y->set) - (x->set < y->set);
}

static void make_groups(set_index *x) {
    x->group = hd_new_array(x->arena, uint64_t, x->blocks);
    x->group_size[0] = x->blocks;
    x->groups = 1;
    if (x->changes.count)
        qsort(x->changes.data, x->changes.count, sizeof(change), most_scores_first);
    for (size_t i = 0; i < x->changes.count; i++) {
        change *c = &x->changes.data[i];
        c->by_groups = scores_of(c) > MOST_GROUPS && divide_groups(x, c->set);
    }
}

/* ---- from blocks to scores ---------------------------------------------------------------- */

/* Returns the end of the targets. met[t]: the change that came to block or group t last, plus 1. */
static uint64_t add_targets(set_index *x, uint64_t number, uint64_t end, uint64_t *met) {
    change *c = &x->changes.data[number];
    bool outside = !c->by_groups && c->size > c->others;
    c->weight = (int64_t)x->sets[c->set].elements * (outside ? -1 : 1);
    c->first = end;
    for (uint64_t s = c->set; s; s = x->sets[s].without) {
        uint64_t block = x->sets[s].last, t = c->by_groups ? x->blocks + x->group[block] : block;
        if (met[t] != number + 1 && !outside)
            x->targets[end++] = t;
        met[t] = number + 1;
    }
    for (uint64_t b = 0; outside && b < x->blocks; b++)
        if (met[b] != number + 1)
            x->targets[end++] = b;
    return c->end = end;
}

static void find_targets(set_index *x) {
    uint64_t most = 0, end = 0;
    uint64_t *met = hd_new_array(x->arena, uint64_t, x->blocks + x->groups);
    for (size_t c = 0; c < x->changes.count; c++)
        most += scores_of(&x->changes.data[c]);
    x->targets = hd_new_array(x->arena, uint64_t, most);
    for (size_t c = 0; c < x->changes.count; c++)
        end = add_targets(x, c, end, met);
}

static void list_changes(set_index *x) {
    uint64_t *at = hd_new_array(x->arena, uint64_t, x->blocks + 2);
    for (size_t c = 0; c < x->changes.count; c++)
        for (uint64_t s = x->changes.data[c].set; s; s = x->sets[s].without)
            at[x->sets[s].last + 2]++;
    for (uint64_t b = 0; b < x->blocks; b++)
        at[b + 2] += at[b + 1];
    x->changes_of = hd_new_array(x->arena, uint64_t, at[x->blocks + 1]);
    for (size_t c = 0; c < x->changes.count; c++)
        for (uint64_t s = x->changes.data[c].set; s; s = x->sets[s].without)
            x->changes_of[at[x->sets[s].last + 1]++] = c;
    x->changes_at = at;
}

static hd_status make_index(hd_arena *arena, const reading *r, set_index *x) {
    *x = (set_index){.arena = arena, .sets = r->sets, .blocks = r->input->launch->block_count};
    if (r->set_room * sizeof *r->sets + find_changes(x, r->set_count) > allowed(r->input))
        return no_room(r);
    make_groups(x);
    find_targets(x);
    list_changes(x);
    return HD_OK;
}

/* ---- placing ------------------------------------------------------------------------------ */

/* In each group blocks play a tournament: node k of its `node` has the better one of nodes 2 k
 * and 2 k + 1, node 1 the best of all. */
typedef struct placing {
    const set_index *index;
    int64_t *score; /* of blocks, then of groups */
    uint64_t *node[MOST_GROUPS];
    uint64_t *leaf;    /* of each block */
    int64_t *times;    /* how often each change is to be made */
    uint64_t *changed; /* blocks with a new score */
    uint64_t changed_count;
    bool *is_changed;
} placing;

static uint64_t better(const placing *p, uint64_t a, uint64_t b) {
    if (p->score[a] != p->score[b])
        return p->score[a] > p->score[b] ? a : b;
    return a < b ? a : b;
}

static void begin_placing(const set_index *x, placing *p) {
    uint64_t filled[MOST_GROUPS] = {0};
    *p = (placing){.index = x,
                   .score = hd_new_array(x->arena, int64_t, x->blocks + x->groups),
                   .leaf = hd_new_array(x->arena, uint64_t, x->blocks),
                   .times = hd_new_array(x->arena, int64_t, x->changes.count),
                   .changed = hd_new_array(x->arena, uint64_t, x->blocks),
                   .is_changed = hd_new_array(x->arena, bool, x->blocks)};
    for (uint64_t g = 0; g < x->groups; g++)
        p->node[g] = hd_new_array(x->arena, uint64_t, 2 * x->group_size[g]);
    for (uint64_t b = 0; b < x->blocks; b++) {
        uint64_t g = x->group[b];
        p->leaf[b] = x->group_size[g] + filled[g]++;
        p->node[g][p->leaf[b]] = b;
    }
    for (uint64_t g = 0; g < x->groups; g++)
        for (uint64_t k = x->group_size[g]; k-- > 1;)
            p->node[g][k] = better(p, p->node[g][2 * k], p->node[g][2 * k + 1]);
}

static void note_changed(placing *p, uint64_t block) {
    if (!p->is_changed[block])
        p->changed[p->changed_count++] = block;
    p->is_changed[block] = true;
}

/* Plays a block's games again, up to the first that is as before without it. */
static void play(placing *p, uint64_t block) {
    uint64_t *node = p->node[p->index->group[block]];
    for (uint64_t k = p->leaf[block] / 2; k >= 1; k /= 2) {
        uint64_t best = better(p, node[2 * k], node[2 * k + 1]);
        if (best == node[k] && best != block)
            return;
        node[k] = best;
    }
}

/* Of all groups' best ones. */
static uint64_t best_block(const placing *p) {
    const set_index *x = p->index;
    uint64_t best = UINT64_MAX;
    int64_t most = 0;
    for (uint64_t g = 0; g < x->groups; g++) {
        uint64_t block = p->node[g][1];
        if (p->score[block] == PLACED)
            continue;
        int64_t score = p->score[x->blocks + g] + p->score[block];
        if (best == UINT64_MAX || score > most || (score == most && block < best)) {
            best = block;
            most = score;
        }
    }
    return best;
}

static void count_changes(placing *p, uint64_t block, int64_t times) {
    const set_index *x = p->index;
    for (uint64_t i = x->changes_at[block]; i < x->changes_at[block + 1]; i++)
        p->times[x->changes_of[i]] += times;
}

static void change_scores(placing *p, const change *c, int64_t times) {
    const set_index *x = p->index;
    for (uint64_t i = c->first; i < c->end; i++) {
        uint64_t t = x->targets[i];
        if (p->score[t] == PLACED)
            continue;
        p->score[t] += times * c->weight;
        if (t < x->blocks)
            note_changed(p, t);
    }
}

static void make_changes(placing *p, uint64_t block) {
    const set_index *x = p->index;
    for (uint64_t i = x->changes_at[block]; i < x->changes_at[block + 1]; i++) {
        uint64_t c = x->changes_of[i];
        if (p->times[c])
            change_scores(p, &x->changes.data[c], p->times[c]);
        p->times[c] = 0;
    }
}

static void place_all(placing *p, uint64_t *order) {
    for (uint64_t n = 0; n < p->index->blocks; n++) {
        uint64_t block = order[n] = best_block(p);
        p->score[block] = PLACED;
        note_changed(p, block);
        count_changes(p, block, 1);
        if (n >= JUST_PLACED) {
            count_changes(p, order[n - JUST_PLACED], -1);
            make_changes(p, order[n - JUST_PLACED]);
        }
        make_changes(p, block);
        for (uint64_t i = 0; i < p->changed_count; i++) {
            play(p, p->changed[i]);
            p->is_changed[p->changed[i]] = false;
        }
        p->changed_count = 0;
    }
}

static hd_status order_blocks(const reading *r, uint64_t *order) {
    hd_arena *arena = hd_arena_new();
    set_index index;
    placing p;
    hd_status status = make_index(arena, r, &index);
    if (status == HD_OK) {
        begin_placing(&index, &p);
        place_all(&p, order);
    }
    hd_arena_free(arena);
    return status;
}

static hd_status fill(hd_arena *arena, const hd_schedule_input *input, uint64_t *order) {
    (void)arena;
    reading r = {.input = input};
    hd_status status = read_blocks(&r);
    if (status == HD_OK)
        status = order_blocks(&r, order);
    free(r.sets);
    return status;
}

const hd_block_order hd_order_sharing = {
    "sharing", "next comes the block that shares most elements with the last four", fill};
