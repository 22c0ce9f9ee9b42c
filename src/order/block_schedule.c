/*
 * The order of blocks: those that share lines follow each other, so that L2 still has the lines.
 *
 * The *sum of reuse distances* (Memory-trace analysis of the data sharing degree in SIMT
 * architectures, section 8.1) adds up, for each line and each two successive blocks that touch it,
 * the line's bytes times how many places one comes after the other. For one line the distances add
 * up to that from its first block to its last; so the sum is also, over all gaps between successive
 * blocks, the bytes of the lines that are *open* there: touched before, and to be touched again.
 *
 *     blocks 0 1 2 3, a line of 0 and 2, a line of 1 and 3      0 1 2 3: 2 + 2    0 2 1 3: 1 + 1
 *
 * That is minimum linear arrangement of a hypergraph, which is NP-hard. An order is grown block by
 * block, each time the one that closes most and opens least; then single blocks are moved through
 * their neighbours and stay where the sum is least (sifting: Rudell, "Dynamic variable ordering for
 * ordered binary decision diagrams", ICCAD 1993). The order that was there is a candidate, too.
 */
#include "order/groups.h"
#include "order/orders.h"

enum {
    STARTS = 8,
    GROW_PINS = 40 * 1000 * 1000, /* that all starts look at, about, or one alone */
    FAR = 128,                    /* nets of more blocks do not tell which comes next */
    SHARE = 5040,  /* that bytes are divided in, among the blocks that can still close a line */
    SIFT_FAR = 32, /* places that a block is moved, at most */
    SWEEPS = 8,
    SIFT_PINS = 20 * 1000 * 1000 /* that all sweeps look at, about */
};

/* place[] of what nets join. */
static uint64_t sum_of(const hd_nets *nets, const uint32_t *place) {
    uint64_t sum = 0;
    for (uint64_t n = 0; n < nets->count; n++) {
        uint32_t first = UINT32_MAX, last = 0;
        for (uint64_t i = nets->first[n]; i < nets->first[n + 1]; i++) {
            uint32_t p = place[nets->thread[i]];
            first = p < first ? p : first;
            last = p > last ? p : last;
        }
        sum += (uint64_t)nets->weight[n] * (last - first);
    }
    return sum;
}

uint64_t hd_reuse_distances(const hd_sharing *sharing, const uint32_t *order) {
    hd_arena *arena = hd_arena_new();
    uint32_t *block_of = group_blocks(arena, sharing, order);
    uint64_t sum = sum_of(&sharing->lines, block_of);
    hd_arena_free(arena);
    return sum;
}

/* ---- block after block -------------------------------------------------------------------------- */

typedef struct growing {
    const group_nets *g;
    uint32_t *left;    /* [nets]: blocks that are to come */
    int64_t *score;    /* [blocks]: what it closes, less what it opens */
    uint32_t *near;    /* blocks to come that share an open line */
    uint32_t *near_at; /* [blocks]: in `near`, plus 1 */
    uint32_t near_count;
    bool *placed;
} growing;

static bool tells(const growing *g, uint32_t n) {
    return g->g->nets.first[n + 1] - g->g->nets.first[n] <= FAR;
}

static void place_block(growing *g, uint32_t block) {
    const hd_nets *nets = &g->g->nets;
    g->placed[block] = true;
    if (g->near_at[block]) {
        uint32_t last = g->near[--g->near_count];
        g->near[g->near_at[block] - 1] = last;
        g->near_at[last] = g->near_at[block];
    }
    for (uint64_t i = g->g->of.first[block]; i < g->g->of.first[block + 1]; i++) {
        uint32_t n = g->g->of.net[i];
        if (!tells(g, n))
            continue;
        int64_t bytes = nets->weight[n], blocks = (int64_t)(nets->first[n + 1] - nets->first[n]);
        int64_t before = g->left[n] == blocks ? -bytes * SHARE : bytes * SHARE / g->left[n];
        if (!--g->left[n])
            continue;
        int64_t more = bytes * SHARE / g->left[n] - before;
        for (uint64_t p = nets->first[n]; p < nets->first[n + 1]; p++) {
            uint32_t other = nets->thread[p];
            g->score[other] += more;
            if (!g->placed[other] && !g->near_at[other]) {
                g->near[g->near_count++] = other;
                g->near_at[other] = g->near_count;
            }
        }
    }
}

static uint32_t next_block(const growing *g, uint32_t *lowest) {
    uint32_t best = UINT32_MAX;
    for (uint32_t i = 0; i < g->near_count; i++) {
        uint32_t b = g->near[i];
        if (best == UINT32_MAX || g->score[b] > g->score[best] ||
            (g->score[b] == g->score[best] && b < best))
            best = b;
    }
    if (best == UINT32_MAX) {
        while (g->placed[*lowest])
            ++*lowest;
        best = *lowest;
    }
    return best;
}

/* An order that begins with `first`; returns its last block. */
static uint32_t grow_order(const group_nets *nets, uint32_t first, uint32_t *place) {
    hd_arena *arena = hd_arena_new();
    growing g = {.g = nets,
                 .left = hd_alloc_items(arena, nets->nets.count + 1, sizeof *g.left),
                 .score = hd_alloc_items(arena, nets->groups, sizeof *g.score),
                 .near = hd_alloc_items(arena, nets->groups, sizeof *g.near),
                 .near_at = hd_alloc_items(arena, nets->groups, sizeof *g.near_at),
                 .placed = hd_alloc_items(arena, nets->groups, sizeof *g.placed)};
    for (uint32_t n = 0; n < nets->nets.count; n++) {
        g.left[n] = (uint32_t)(nets->nets.first[n + 1] - nets->nets.first[n]);
        for (uint64_t i = nets->nets.first[n]; tells(&g, n) && i < nets->nets.first[n + 1]; i++)
            g.score[nets->nets.thread[i]] -= (int64_t)nets->nets.weight[n] * SHARE;
    }
    uint32_t block = first, lowest = 0;
    for (uint32_t p = 0; p < nets->groups; p++) {
        block = p ? next_block(&g, &lowest) : first;
        place[block] = p;
        place_block(&g, block);
    }
    hd_arena_free(arena);
    return block;
}

/* How many beginnings are tried: fewer where there are large nets or many blocks. */
static uint32_t starts_for(const group_nets *g) {
    uint64_t pins = (uint64_t)g->groups * g->groups / 16 + 1; /* blocks near the last one */
    for (uint64_t n = 0; n < g->nets.count; n++) {
        uint64_t blocks = g->nets.first[n + 1] - g->nets.first[n];
        pins += blocks <= FAR ? blocks * blocks : 0;
    }
    uint64_t starts = GROW_PINS / pins + 1;
    return starts < STARTS ? (uint32_t)starts : STARTS;
}

/* ---- sifting -------------------------------------------------------------------------------------- */

typedef struct sifting {
    const group_nets *g;
    uint32_t *place, *at;   /* [blocks]: of a block, and the block there */
    uint32_t *first, *last; /* [nets]: places */
    uint64_t *own;          /* [nets]: the last time that the block that moves had it */
    uint64_t *common;       /* [nets]: the last step of two blocks that both have it */
    uint64_t turn, step;
    int64_t left; /* pins to look at */
} sifting;

/* The blocks at `p` and after it change places; returns how much the sum grows. A line of one of
 * them has its first or last block moved by one place; a line of both stays where it is. The one
 * that moves has marked its nets. */
static int64_t change_places(sifting *s, uint32_t p, bool first_moves) {
    uint32_t a = s->at[p], b = s->at[p + 1], moves = first_moves ? a : b, other = a ^ b ^ moves;
    int64_t more = 0;
    s->step++;
    for (uint64_t i = s->g->of.first[other]; i < s->g->of.first[other + 1]; i++)
        if (s->own[s->g->of.net[i]] == s->turn)
            s->common[s->g->of.net[i]] = s->step;
    for (uint64_t i = s->g->of.first[a]; i < s->g->of.first[a + 1]; i++) {
        uint32_t n = s->g->of.net[i];
        if (s->common[n] == s->step)
            continue;
        if (s->first[n] == p) {
            s->first[n]++;
            more -= s->g->nets.weight[n];
        }
        if (s->last[n] == p) {
            s->last[n]++;
            more += s->g->nets.weight[n];
        }
    }
    for (uint64_t i = s->g->of.first[b]; i < s->g->of.first[b + 1]; i++) {
        uint32_t n = s->g->of.net[i];
        if (s->common[n] == s->step)
            continue;
        if (s->first[n] == p + 1) {
            s->first[n]--;
            more += s->g->nets.weight[n];
        }
        if (s->last[n] == p + 1) {
            s->last[n]--;
            more -= s->g->nets.weight[n];
        }
    }
    s->at[p] = b;
    s->at[p + 1] = a;
    s->place[a] = p + 1;
    s->place[b] = p;
    s->left -= (int64_t)(s->g->of.first[a + 1] - s->g->of.first[a] + s->g->of.first[b + 1] -
                         s->g->of.first[b]);
    return more;
}

/* Moves a block to `to`, step by step, and notes where the sum was least. */
static void move_block(sifting *s, uint32_t block, uint32_t to, int64_t *more, int64_t *least,
                       uint32_t *best) {
    while (s->place[block] != to) {
        bool right = s->place[block] < to;
        *more += change_places(s, s->place[block] - !right, right);
        if (*more < *least) {
            *least = *more;
            *best = s->place[block];
        }
    }
}

static int64_t sift(sifting *s, uint32_t block) {
    uint32_t from = s->place[block], best = from;
    uint32_t low = from < SIFT_FAR ? 0 : from - SIFT_FAR;
    uint32_t high = s->g->groups - 1 - from < SIFT_FAR ? s->g->groups - 1 : from + SIFT_FAR;
    int64_t more = 0, least = 0;
    s->turn++;
    for (uint64_t i = s->g->of.first[block]; i < s->g->of.first[block + 1]; i++)
        s->own[s->g->of.net[i]] = s->turn;
    move_block(s, block, low, &more, &least, &best);
    move_block(s, block, high, &more, &least, &best);
    move_block(s, block, best, &more, &least, &best);
    return least;
}

static void sift_all(const group_nets *g, uint32_t *place) {
    hd_arena *arena = hd_arena_new();
    sifting s = {.g = g,
                 .place = place,
                 .at = hd_alloc_items(arena, g->groups, sizeof *s.at),
                 .first = hd_alloc_items(arena, g->nets.count + 1, sizeof *s.first),
                 .last = hd_alloc_items(arena, g->nets.count + 1, sizeof *s.last),
                 .own = hd_alloc_items(arena, g->nets.count + 1, sizeof *s.own),
                 .common = hd_alloc_items(arena, g->nets.count + 1, sizeof *s.common),
                 .left = SIFT_PINS};
    for (uint32_t b = 0; b < g->groups; b++)
        s.at[place[b]] = b;
    for (uint32_t n = 0; n < g->nets.count; n++) {
        s.first[n] = UINT32_MAX;
        for (uint64_t i = g->nets.first[n]; i < g->nets.first[n + 1]; i++) {
            uint32_t p = place[g->nets.thread[i]];
            s.first[n] = p < s.first[n] ? p : s.first[n];
            s.last[n] = p > s.last[n] ? p : s.last[n];
        }
    }
    for (uint32_t sweep = 0; sweep < SWEEPS; sweep++) {
        int64_t more = 0;
        for (uint32_t b = 0; b < g->groups && s.left > 0; b++)
            more += sift(&s, b);
        if (!more)
            break;
    }
    hd_arena_free(arena);
}

/* ---- from beginning to end ------------------------------------------------------------------------ */

static void take_better(const group_nets *g, uint32_t *place, const uint32_t *other) {
    if (sum_of(&g->nets, other) < sum_of(&g->nets, place))
        memcpy(place, other, g->groups * sizeof *place);
}

void hd_schedule_blocks(const hd_sharing *sharing, uint32_t *order) {
    uint32_t blocks = sharing->threads / sharing->block_threads;
    if (blocks < 3) /* two are as far from each other either way */
        return;
    hd_arena *arena = hd_arena_new();
    const group_nets g =
        group_nets_make(arena, &sharing->lines, group_blocks(arena, sharing, order), blocks);
    uint32_t *place = hd_alloc_items(arena, blocks, sizeof *place),
             *other = hd_alloc_items(arena, blocks, sizeof *other);
    for (uint32_t b = 0; b < blocks; b++)
        place[b] = b;
    uint32_t starts = starts_for(&g);
    for (uint32_t i = 0; i < starts; i++) {
        /* Where one ends is far from everything, and a better beginning (George and Liu). */
        uint32_t last = grow_order(&g, (uint32_t)((uint64_t)i * blocks / starts), other);
        take_better(&g, place, other);
        grow_order(&g, last, other);
        take_better(&g, place, other);
    }
    sift_all(&g, place);
    uint32_t *old = hd_new_array(arena, uint32_t, sharing->threads), each = sharing->block_threads;
    memcpy(old, order, sharing->threads * sizeof *old);
    for (uint32_t b = 0; b < blocks; b++)
        memcpy(order + (size_t)place[b] * each, old + (size_t)b * each, each * sizeof *order);
    hd_arena_free(arena);
}
