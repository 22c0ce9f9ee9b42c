/*
 * Warps into blocks: those that share lines come into one, which brings a line to its SM once.
 *
 * What it costs is the sum over the lines of their bytes times the blocks that touch them
 * (hd_block_bytes()): hypergraph partitioning by connectivity, with parts of exact sizes. Blocks
 * are grown one after the other: the first warp is one that shares with the block before, and each
 * further one shares the most bytes with what is there. A partitioner's parts may stand in their
 * place. Then warps of different blocks change places as long as that costs less.
 *
 *     lines ab, bc, cd, da of four warps    blocks {a c}{b d}: 8 lines    {a b}{c d}: 6
 *
 * When warp x leaves block X for Y, a line that X has from nobody else is one less, and a line that
 * Y has from nobody is one more. For x and y that change places both count; but lines that both
 * touch stay where they are. All of it follows from how many warps of a block touch a line.
 */
#include <stdlib.h>

#include "order/groups.h"
#include "order/orders.h"

enum {
    FAR = 512,         /* nets of more warps say nothing about who belongs together */
    BLOCKS_TRIED = 12, /* of those that share with a warp, for it to change to */
    PASSES = 12,
    PINS = 100 * 1000 * 1000 /* that all passes look at, about: less than a second */
};

typedef struct clustering {
    hd_arena *arena; /* of all */
    const hd_sharing *sharing;
    group_nets warps;
    uint32_t blocks, each; /* warps of a block */
    bool tail;             /* the last warp of each is not full, and changes only with its kind */
    uint32_t *members;     /* [blocks * each]: warps */
    uint32_t *block_of;    /* [warps] */
    /* Of net n, where its warps stand in `warps`: the blocks that have it, and with how many. */
    uint32_t *net_blocks, *net_counts, *net_block_count;
    int64_t *stays; /* [warps]: bytes that the others of its block touch, too */
    int64_t *pulls; /* [warps]: bytes that one block touches of a warp's */
} clustering;

static bool is_tail(const clustering *c, uint32_t warp) {
    return c->tail && warp % c->each == c->each - 1;
}

static uint64_t cost_of(const hd_nets *nets, const uint32_t *block_of, uint32_t blocks) {
    hd_arena *arena = hd_arena_new();
    uint64_t *met = hd_alloc_items(arena, (size_t)blocks + 1, sizeof *met), cost = 0;
    for (uint64_t n = 0; n < nets->count; n++)
        for (uint64_t i = nets->first[n]; i < nets->first[n + 1]; i++) {
            uint32_t b = block_of[nets->thread[i]];
            cost += met[b] == n + 1 ? 0 : nets->weight[n];
            met[b] = n + 1;
        }
    hd_arena_free(arena);
    return cost;
}

uint64_t hd_block_bytes(const hd_sharing *sharing, const uint32_t *order) {
    hd_arena *arena = hd_arena_new();
    uint32_t *block_of = group_blocks(arena, sharing, order);
    uint64_t bytes = cost_of(&sharing->lines, block_of, sharing->threads / sharing->block_threads);
    hd_arena_free(arena);
    return bytes;
}

/* ---- one block after the other ---------------------------------------------------------------- */

typedef struct growing {
    const clustering *c;
    bool *placed;      /* [warps] */
    uint64_t *net_met; /* [nets]: the last block that has it, plus 1 */
    int64_t *shared;   /* [warps]: bytes with the block that grows */
    uint32_t *near;    /* warps with `shared` */
    uint32_t near_count;
    uint32_t lowest[2]; /* no warp before is left, full ones and others */
} growing;

static void add_warp(growing *g, uint32_t block, uint32_t warp) {
    const group_nets *w = &g->c->warps;
    g->placed[warp] = true;
    for (uint64_t i = w->of.first[warp]; i < w->of.first[warp + 1]; i++) {
        uint32_t n = w->of.net[i];
        if (g->net_met[n] == block + 1ull || w->nets.first[n + 1] - w->nets.first[n] > FAR)
            continue;
        g->net_met[n] = block + 1ull;
        for (uint64_t p = w->nets.first[n]; p < w->nets.first[n + 1]; p++) {
            uint32_t other = w->nets.thread[p];
            if (!g->shared[other])
                g->near[g->near_count++] = other;
            g->shared[other] += w->nets.weight[n];
        }
    }
}

static uint32_t next_warp(growing *g, bool tail) {
    uint32_t best = UINT32_MAX;
    for (uint32_t i = 0; i < g->near_count; i++) {
        uint32_t w = g->near[i];
        if (g->placed[w] || is_tail(g->c, w) != tail)
            continue;
        if (best == UINT32_MAX || g->shared[w] > g->shared[best] ||
            (g->shared[w] == g->shared[best] && w < best))
            best = w;
    }
    if (best != UINT32_MAX)
        return best;
    uint32_t *lowest = &g->lowest[tail];
    while (g->placed[*lowest] || is_tail(g->c, *lowest) != tail)
        ++*lowest;
    return *lowest;
}

static void grow_blocks(clustering *c) {
    uint32_t warps = c->blocks * c->each;
    growing g = {.c = c,
                 .placed = hd_alloc_items(c->arena, warps, sizeof *g.placed),
                 .net_met = hd_alloc_items(c->arena, c->warps.nets.count + 1, sizeof *g.net_met),
                 .shared = hd_alloc_items(c->arena, warps, sizeof *g.shared),
                 .near = hd_alloc_items(c->arena, warps, sizeof *g.near)};
    for (uint32_t b = 0; b < c->blocks; b++)
        for (uint32_t slot = 0; slot < c->each; slot++) {
            uint32_t warp = next_warp(&g, c->tail && slot == c->each - 1);
            if (!slot) { /* what the block before shares has told the first one, no more */
                for (uint32_t i = 0; i < g.near_count; i++)
                    g.shared[g.near[i]] = 0;
                g.near_count = 0;
            }
            add_warp(&g, b, warp);
            c->block_of[warp] = b;
        }
}

/* ---- parts of a partitioner -------------------------------------------------------------------- */

/* Warps that are not full are one in each block: a block that has two of them changes one for the
 * last full warp of one that has none. */
static void spread_tails(clustering *c) {
    uint32_t *tails = hd_alloc_items(c->arena, (size_t)c->blocks + 1, sizeof *tails), empty = 0,
             full = 0;
    uint32_t warps = c->blocks * c->each;
    for (uint32_t w = 0; w < warps; w++)
        tails[c->block_of[w]] += is_tail(c, w);
    for (uint32_t w = 0; w < warps; w++) {
        uint32_t b = c->block_of[w];
        if (!is_tail(c, w) || tails[b] == 1)
            continue;
        while (tails[empty])
            empty++;
        for (full = 0; c->block_of[full] != empty;)
            full++;
        c->block_of[full] = b;
        c->block_of[w] = empty;
        tails[b]--;
        tails[empty]++;
    }
}

static void list_members(clustering *c) {
    uint32_t *held = hd_alloc_items(c->arena, (size_t)c->blocks + 1, sizeof *held);
    for (uint32_t w = 0; w < c->blocks * c->each; w++) {
        uint32_t b = c->block_of[w], slot = is_tail(c, w) ? c->each - 1 : held[b]++;
        c->members[(size_t)b * c->each + slot] = w;
    }
}

static hd_status take_parts(clustering *c, const hd_diag *diag, const hd_stages *stages) {
    uint32_t *sizes = hd_alloc_items(c->arena, (size_t)c->blocks + 1, sizeof *sizes);
    for (uint32_t b = 0; b < c->blocks; b++)
        sizes[b] = c->each;
    hd_status status = stages->partition(diag, stages->partitioner, c->blocks * c->each,
                                         &c->warps.nets, c->blocks, sizes, c->block_of);
    if (!status && c->tail)
        spread_tails(c);
    return status;
}

/* ---- warps change places ----------------------------------------------------------------------- */

static uint32_t *count_in(const clustering *c, uint32_t n, uint32_t block) {
    const uint32_t *blocks = c->net_blocks + c->warps.nets.first[n];
    for (uint32_t i = 0; i < c->net_block_count[n]; i++)
        if (blocks[i] == block)
            return &c->net_counts[c->warps.nets.first[n] + i];
    return NULL;
}

static void put_in(clustering *c, uint32_t n, uint32_t block) {
    uint32_t *count = count_in(c, n, block);
    if (count) {
        ++*count;
        return;
    }
    uint64_t at = c->warps.nets.first[n] + c->net_block_count[n]++;
    c->net_blocks[at] = block;
    c->net_counts[at] = 1;
}

static void take_out(clustering *c, uint32_t n, uint32_t block) {
    uint32_t *count = count_in(c, n, block);
    if (--*count)
        return;
    uint64_t at = (uint64_t)(count - c->net_counts);
    uint64_t last = c->warps.nets.first[n] + --c->net_block_count[n];
    c->net_blocks[at] = c->net_blocks[last];
    c->net_counts[at] = c->net_counts[last];
}

static void find_stays(clustering *c, uint32_t block) {
    for (uint32_t slot = 0; slot < c->each; slot++) {
        uint32_t warp = c->members[(size_t)block * c->each + slot];
        c->stays[warp] = 0;
        for (uint64_t i = c->warps.of.first[warp]; i < c->warps.of.first[warp + 1]; i++) {
            uint32_t n = c->warps.of.net[i];
            c->stays[warp] += *count_in(c, n, block) > 1 ? c->warps.nets.weight[n] : 0;
        }
    }
}

typedef struct candidate {
    uint32_t block;
    int64_t bytes; /* that it touches of a warp's */
} candidate;

/* What warps share with one block, and one warp with blocks. */
typedef struct outlook {
    uint32_t *near; /* warps with `pulls` */
    uint32_t near_count;
    uint64_t *net_met; /* [nets]: the last turn */
    uint64_t turn;
    int64_t *into;   /* [blocks] */
    uint32_t *found; /* blocks with `into` */
    candidate tried[BLOCKS_TRIED + 1];
    uint32_t tried_count;
    int64_t left; /* pins to look at */
} outlook;

static void look_at(clustering *c, outlook *o, uint32_t block) {
    const group_nets *w = &c->warps;
    for (uint32_t i = 0; i < o->near_count; i++)
        c->pulls[o->near[i]] = 0;
    o->near_count = 0;
    o->turn++;
    for (uint32_t slot = 0; slot < c->each; slot++) {
        uint32_t warp = c->members[(size_t)block * c->each + slot];
        for (uint64_t i = w->of.first[warp]; i < w->of.first[warp + 1]; i++) {
            uint32_t n = w->of.net[i];
            if (o->net_met[n] == o->turn)
                continue;
            o->net_met[n] = o->turn;
            o->left -= (int64_t)(w->nets.first[n + 1] - w->nets.first[n]);
            for (uint64_t p = w->nets.first[n]; p < w->nets.first[n + 1]; p++) {
                if (!c->pulls[w->nets.thread[p]])
                    o->near[o->near_count++] = w->nets.thread[p];
                c->pulls[w->nets.thread[p]] += w->nets.weight[n];
            }
        }
    }
}

/* The blocks that share most with a warp, best first. */
static void find_blocks(const clustering *c, outlook *o, uint32_t warp) {
    uint32_t found = 0;
    for (uint64_t i = c->warps.of.first[warp]; i < c->warps.of.first[warp + 1]; i++) {
        uint32_t n = c->warps.of.net[i];
        const uint32_t *blocks = c->net_blocks + c->warps.nets.first[n];
        o->left -= c->net_block_count[n];
        for (uint32_t k = 0; k < c->net_block_count[n]; k++) {
            if (!o->into[blocks[k]])
                o->found[found++] = blocks[k];
            o->into[blocks[k]] += c->warps.nets.weight[n];
        }
    }
    o->tried_count = 0;
    for (uint32_t i = 0; i < found; i++) {
        const candidate new = {o->found[i], o->into[o->found[i]]};
        o->into[new.block] = 0;
        if (new.block == c->block_of[warp])
            continue;
        uint32_t at = o->tried_count;
        for (; at; at--) {
            const candidate *before = &o->tried[at - 1];
            if (before->bytes > new.bytes ||
                (before->bytes == new.bytes && before->block < new.block))
                break;
            o->tried[at] = *before;
        }
        o->tried[at] = new;
        o->tried_count += o->tried_count < BLOCKS_TRIED;
    }
}

/* Of lines that both touch: what the two moves seem to bring, and do not, as they stay. */
static int64_t in_common(const clustering *c, uint32_t x, uint32_t y) {
    const group_nets *w = &c->warps;
    uint64_t i = w->of.first[x], k = w->of.first[y];
    int64_t bytes = 0;
    while (i < w->of.first[x + 1] && k < w->of.first[y + 1]) {
        uint32_t n = w->of.net[i], m = w->of.net[k];
        if (n == m)
            bytes += (int64_t)w->nets.weight[n] * ((*count_in(c, n, c->block_of[x]) == 1) +
                                                   (*count_in(c, n, c->block_of[y]) == 1));
        i += n <= m;
        k += m <= n;
    }
    return bytes;
}

/* The best of the changes of a block's warps with others. */
typedef struct change {
    int64_t bytes; /* less */
    uint32_t block, slot, other_block, other_slot;
} change;

static void try_block_for(const clustering *c, const candidate *other, uint32_t block,
                          uint32_t slot, change *best) {
    uint32_t x = c->members[(size_t)block * c->each + slot];
    bool tail = is_tail(c, x);
    uint32_t first = tail ? c->each - 1 : 0, end = c->tail && !tail ? c->each - 1 : c->each;
    for (uint32_t s = first; s < end; s++) {
        uint32_t y = c->members[(size_t)other->block * c->each + s];
        int64_t bytes = other->bytes - c->stays[x] + c->pulls[y] - c->stays[y];
        if (bytes <= best->bytes || (bytes -= in_common(c, x, y)) <= best->bytes)
            continue;
        *best = (change){bytes, block, slot, other->block, s};
    }
}

static void move(clustering *c, uint32_t warp, uint32_t to) {
    uint32_t from = c->block_of[warp];
    for (uint64_t i = c->warps.of.first[warp]; i < c->warps.of.first[warp + 1]; i++) {
        take_out(c, c->warps.of.net[i], from);
        put_in(c, c->warps.of.net[i], to);
    }
    c->block_of[warp] = to;
}

static void make_change(clustering *c, const change *new) {
    uint32_t *x = &c->members[(size_t)new->block * c->each + new->slot];
    uint32_t *y = &c->members[(size_t)new->other_block * c->each + new->other_slot];
    uint32_t warp = *x;
    move(c, *x, new->other_block);
    move(c, *y, new->block);
    *x = *y;
    *y = warp;
    find_stays(c, new->block);
    find_stays(c, new->other_block);
}

/* Changes warps of a block with others as long as that brings something; returns how much. */
static int64_t improve_block(clustering *c, outlook *o, uint32_t block) {
    int64_t brought = 0;
    for (uint32_t i = 0; i < c->each && o->left > 0; i++) {
        change best = {0};
        look_at(c, o, block);
        for (uint32_t slot = 0; slot < c->each; slot++) {
            find_blocks(c, o, c->members[(size_t)block * c->each + slot]);
            for (uint32_t t = 0; t < o->tried_count; t++)
                try_block_for(c, &o->tried[t], block, slot, &best);
        }
        if (!best.bytes)
            break;
        make_change(c, &best);
        brought += best.bytes;
    }
    return brought;
}

static void begin_counts(clustering *c) {
    const hd_nets *nets = &c->warps.nets;
    uint64_t pins = nets->first[nets->count] + 1;
    c->net_blocks = hd_alloc_items(c->arena, pins, sizeof *c->net_blocks);
    c->net_counts = hd_alloc_items(c->arena, pins, sizeof *c->net_counts);
    c->net_block_count = hd_alloc_items(c->arena, nets->count + 1, sizeof *c->net_block_count);
    c->stays = hd_alloc_items(c->arena, (size_t)c->blocks * c->each, sizeof *c->stays);
    c->pulls = hd_alloc_items(c->arena, (size_t)c->blocks * c->each, sizeof *c->pulls);
    for (uint32_t n = 0; n < nets->count; n++)
        for (uint64_t i = nets->first[n]; i < nets->first[n + 1]; i++)
            put_in(c, n, c->block_of[nets->thread[i]]);
    for (uint32_t b = 0; b < c->blocks; b++)
        find_stays(c, b);
}

static void refine_blocks(clustering *c) {
    outlook o = {.near = hd_alloc_items(c->arena, (size_t)c->blocks * c->each, sizeof *o.near),
                 .net_met = hd_alloc_items(c->arena, c->warps.nets.count + 1, sizeof *o.net_met),
                 .into = hd_alloc_items(c->arena, c->blocks, sizeof *o.into),
                 .found = hd_alloc_items(c->arena, c->blocks, sizeof *o.found),
                 .left = PINS};
    begin_counts(c);
    for (uint32_t pass = 0; pass < PASSES; pass++) {
        int64_t brought = 0;
        for (uint32_t b = 0; b < c->blocks; b++)
            brought += improve_block(c, &o, b);
        if (!brought)
            break;
    }
}

/* ---- from beginning to end --------------------------------------------------------------------- */

/* Full warps of a block ascend, so that what stays together stays in its order. */
static int ascending(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void write_order(clustering *c, uint32_t *order) {
    const hd_sharing *s = c->sharing;
    uint32_t *old = hd_alloc_items(c->arena, s->threads, sizeof *old), at = 0;
    memcpy(old, order, s->threads * sizeof *old);
    for (uint32_t b = 0; b < c->blocks; b++) {
        uint32_t *members = c->members + (size_t)b * c->each;
        qsort(members, c->each - c->tail, sizeof *members, ascending);
        for (uint32_t slot = 0; slot < c->each; slot++) {
            uint32_t lane = members[slot] % c->each * s->warp, left = s->block_threads - lane;
            uint32_t lanes = left < s->warp ? left : s->warp;
            memcpy(order + at, old + (size_t)members[slot] / c->each * s->block_threads + lane,
                   lanes * sizeof *order);
            at += lanes;
        }
    }
}

/* The blocks as they are, where new ones are not better. */
static void take_better(clustering *c) {
    uint32_t warps = c->blocks * c->each;
    uint32_t *as_is = hd_alloc_items(c->arena, warps, sizeof *as_is);
    for (uint32_t w = 0; w < warps; w++)
        as_is[w] = w / c->each;
    if (cost_of(&c->warps.nets, as_is, c->blocks) <=
        cost_of(&c->warps.nets, c->block_of, c->blocks))
        memcpy(c->block_of, as_is, warps * sizeof *as_is);
}

hd_status hd_cluster_warps(const hd_diag *diag, const hd_sharing *sharing, const hd_stages *stages,
                           uint32_t *order) {
    uint32_t blocks = sharing->threads / sharing->block_threads;
    uint32_t warps = hd_sharing_warps(sharing), each = warps / (blocks ? blocks : 1);
    if (blocks < 2 || each < 2)
        return HD_OK;
    hd_arena *arena = hd_arena_new();
    clustering c = {.arena = arena,
                    .sharing = sharing,
                    .blocks = blocks,
                    .each = each,
                    .tail = sharing->block_threads % sharing->warp != 0,
                    .members = hd_alloc_items(arena, warps, sizeof *c.members),
                    .block_of = hd_alloc_items(arena, warps, sizeof *c.block_of)};
    c.warps = group_nets_make(arena, &sharing->lines, group_warps(arena, sharing, order), warps);
    hd_status status = HD_OK;
    if (stages->partitioner == HD_PART_GREEDY)
        grow_blocks(&c);
    else
        status = take_parts(&c, diag, stages);
    if (!status) {
        take_better(&c);
        list_members(&c);
        if (stages->refine)
            refine_blocks(&c);
        write_order(&c, order);
    }
    hd_arena_free(arena);
    return status;
}
