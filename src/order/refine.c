/*
 * Refinement of warps on exact counts. What a swap of two threads changes depends on the two warps
 * alone: a net costs its weight for each warp that has one of its threads. So warps are taken in
 * pairs that share most, pairs of a round have no warp in common and are refined side by side, and
 * rounds follow until nothing gets better.
 *
 * A pair is refined as Fiduccia and Mattheyses do ("A linear-time heuristic for improving network
 * partitions", DAC 1982), keeping both sides full: in turns the thread that gains most goes to the
 * other side, also where the gain is negative, and stays there; in the end the best moment of all
 * is taken. What counts is transactions and issues together.
 */
#include <stdlib.h>

#include "base/table.h"
#include "order/groups.h"
#include "order/orders.h"

enum {
    NEAREST = 16, /* warps that a warp is paired with */
    WIDEST = 64,  /* nets of more threads do not say which warps are near */
    NEAR_FOR = 4, /* rounds: which warps are near changes little */
    MOST_ROUNDS = 20,
    LITTLE = 2000, /* rounds that gain less than one part in so many are the last ones */
    PATIENCE = 8,  /* swaps without a better moment */
};

typedef struct near_warp {
    uint64_t shared;
    uint32_t a, b;
} near_warp;

/* One of a pair's threads, and a net that they have. */
typedef struct local_net {
    uint32_t weight, count[2];
    uint32_t first, end; /* of its threads */
} local_net;

typedef struct worker {
    uint32_t *local_of; /* [nets]: its number in the pair, plus 1 */
    local_net *nets;
    size_t net_capacity;
    uint32_t *pins, *own; /* of nets: threads; of threads: nets */
    size_t pin_capacity;
    uint64_t *shared; /* [warps] */
    uint32_t *met;    /* [warps]: warps whose `shared` is not 0 */
    uint64_t *most;   /* scratch for issues: [2 * accesses] */
    int64_t gained;   /* in this round */
} worker;

typedef struct refining {
    const hd_sharing *sharing;
    incidence requests;
    uint32_t *order, *warp_of; /* [threads] */
    uint32_t *first;           /* [warps + 1]: places */
    uint32_t warps;
    uint32_t *changed; /* [warps]: the round, from 1, in which it last did */
    uint32_t round;
    near_warp *near; /* [warps * NEAREST] */
    uint32_t *near_count;
    near_warp *pairs;
    uint32_t pair_count;
    worker *workers;
} refining;

/* ---- pairs ------------------------------------------------------------------------------------- */

static int by_shared(const void *a, const void *b) {
    const near_warp *x = a, *y = b;
    if (x->shared != y->shared)
        return x->shared < y->shared ? 1 : -1;
    if (x->a != y->a)
        return x->a < y->a ? -1 : 1;
    return x->b < y->b ? -1 : x->b > y->b;
}

static hd_status find_near(void *self, uint32_t number, uint64_t warp) {
    refining *r = self;
    worker *w = &r->workers[number];
    const hd_nets *nets = &r->sharing->requests;
    uint32_t met = 0;
    for (uint32_t p = r->first[warp]; p < r->first[warp + 1]; p++) {
        uint32_t t = r->order[p];
        for (uint64_t i = r->requests.first[t]; i < r->requests.first[t + 1]; i++) {
            uint32_t n = r->requests.net[i];
            if (nets->first[n + 1] - nets->first[n] > WIDEST)
                continue;
            for (uint64_t k = nets->first[n]; k < nets->first[n + 1]; k++) {
                uint32_t other = r->warp_of[nets->thread[k]];
                if (other == warp)
                    continue;
                if (!w->shared[other])
                    w->met[met++] = other;
                w->shared[other] += nets->weight[n];
            }
        }
    }
    near_warp *near = &r->near[warp * NEAREST];
    uint32_t count = 0;
    for (uint32_t m = 0; m < met; m++) {
        uint32_t other = w->met[m];
        near_warp one = {w->shared[other], (uint32_t)warp, other};
        w->shared[other] = 0;
        uint32_t at = count < NEAREST ? count++ : NEAREST;
        if (at == NEAREST && by_shared(&one, &near[--at]) > 0)
            continue;
        for (; at > 0 && by_shared(&near[at - 1], &one) > 0; at--)
            near[at] = near[at - 1];
        near[at] = one;
    }
    r->near_count[warp] = count;
    return HD_OK;
}

/* Pairs without a common warp, those that share most first; none that was tried since one of its
 * warps changed. `tried` has the round in which a pair was. */
static void choose_pairs(refining *r, hd_hash_table *tried, near_warp *all, bool *busy) {
    size_t count = 0;
    for (uint32_t warp = 0; warp < r->warps; warp++)
        for (uint32_t i = 0; i < r->near_count[warp]; i++) {
            near_warp one = r->near[(size_t)warp * NEAREST + i];
            if (one.a > one.b)
                one = (near_warp){one.shared, one.b, one.a};
            uint64_t last = hd_hash_get(tried, (uint64_t)one.a << 32 | one.b);
            if (last == HD_NO_VALUE || last <= r->changed[one.a] || last <= r->changed[one.b])
                all[count++] = one;
        }
    qsort(all, count, sizeof *all, by_shared);
    memset(busy, 0, r->warps * sizeof *busy);
    r->pair_count = 0;
    for (size_t i = 0; i < count; i++) {
        near_warp one = all[i];
        if (busy[one.a] || busy[one.b])
            continue;
        busy[one.a] = busy[one.b] = true;
        r->pairs[r->pair_count++] = one;
        hd_hash_set(tried, (uint64_t)one.a << 32 | one.b, r->round);
    }
}

/* ---- one pair ---------------------------------------------------------------------------------- */

typedef struct pair {
    uint32_t count;   /* threads of both */
    uint32_t *thread; /* [count] */
    uint8_t *side;    /* [count]: 0 or 1 */
    int64_t *gain;    /* [count] */
    bool *stays;      /* [count] */
    uint32_t *first;  /* [count + 1]: its nets in worker.own */
    uint32_t nets;
} pair;

static uint64_t issues_of(const refining *r, worker *w, const pair *p) {
    const hd_sharing *s = r->sharing;
    memset(w->most, 0, 2 * s->accesses * sizeof *w->most);
    uint64_t issues = 0;
    for (uint32_t i = 0; i < p->count; i++) {
        const uint32_t *steps = &s->steps[(size_t)p->thread[i] * s->accesses];
        uint64_t *most = &w->most[p->side[i] * s->accesses];
        for (uint32_t a = 0; a < s->accesses; a++)
            if (steps[a] > most[a]) {
                issues += (steps[a] - most[a]) * s->issues[a];
                most[a] = steps[a];
            }
    }
    return issues;
}

/* What it gains when a thread leaves its side. */
static int64_t gain_of(const local_net *net, uint32_t side) {
    return ((int64_t)(net->count[side] == 1) - (net->count[!side] == 0)) * net->weight;
}

static void gather_nets(const refining *r, worker *w, pair *p) {
    const hd_nets *nets = &r->sharing->requests;
    size_t pins = 0;
    for (uint32_t i = 0; i < p->count; i++)
        pins += r->requests.first[p->thread[i] + 1] - r->requests.first[p->thread[i]];
    if (pins > w->pin_capacity) {
        w->pin_capacity = pins * 3 / 2;
        w->pins = hd_checked(realloc(w->pins, w->pin_capacity * sizeof *w->pins));
        w->own = hd_checked(realloc(w->own, w->pin_capacity * sizeof *w->own));
        w->nets = hd_checked(realloc(w->nets, w->pin_capacity * sizeof *w->nets));
    }
    uint32_t at = 0;
    for (uint32_t i = 0; i < p->count; i++) {
        uint32_t t = p->thread[i];
        p->first[i] = at;
        for (uint64_t k = r->requests.first[t]; k < r->requests.first[t + 1]; k++) {
            uint32_t n = r->requests.net[k], *local = &w->local_of[n];
            if (!*local) {
                *local = ++p->nets;
                w->nets[*local - 1] = (local_net){.weight = nets->weight[n]};
            }
            w->nets[*local - 1].count[p->side[i]]++;
            w->own[at++] = *local - 1;
        }
    }
    p->first[p->count] = at;
    for (uint32_t i = 0; i < p->count; i++)
        for (uint64_t k = r->requests.first[p->thread[i]]; k < r->requests.first[p->thread[i] + 1];
             k++)
            w->local_of[r->requests.net[k]] = 0;
    at = 0;
    for (uint32_t n = 0; n < p->nets; n++) {
        w->nets[n].first = w->nets[n].end = at;
        at += w->nets[n].count[0] + w->nets[n].count[1];
    }
    for (uint32_t i = 0; i < p->count; i++)
        for (uint32_t k = p->first[i]; k < p->first[i + 1]; k++)
            w->pins[w->nets[w->own[k]].end++] = i;
}

/* Moves a thread to the other side, and returns what that gains. */
static int64_t move(worker *w, pair *p, uint32_t i) {
    uint32_t from = p->side[i];
    int64_t gained = p->gain[i];
    for (uint32_t k = p->first[i]; k < p->first[i + 1]; k++) {
        local_net *net = &w->nets[w->own[k]];
        bool matters = net->count[from] <= 2 || net->count[!from] <= 1;
        if (matters)
            for (uint32_t at = net->first; at < net->end; at++)
                p->gain[w->pins[at]] -= gain_of(net, p->side[w->pins[at]]);
        net->count[from]--;
        net->count[!from]++;
        p->side[i] = (uint8_t)!from;
        if (matters)
            for (uint32_t at = net->first; at < net->end; at++)
                p->gain[w->pins[at]] += gain_of(net, p->side[w->pins[at]]);
        p->side[i] = (uint8_t)from;
    }
    p->side[i] = (uint8_t)!from;
    return gained;
}

static uint32_t best_of(const pair *p, uint32_t side) {
    uint32_t best = UINT32_MAX;
    for (uint32_t i = 0; i < p->count; i++)
        if (!p->stays[i] && p->side[i] == side &&
            (best == UINT32_MAX || p->gain[i] > p->gain[best]))
            best = i;
    return best;
}

static hd_status refine_pair(void *self, uint32_t number, uint64_t which) {
    refining *r = self;
    worker *w = &r->workers[number];
    uint32_t warps[2] = {r->pairs[which].a, r->pairs[which].b}, size[2];
    for (int side = 0; side < 2; side++)
        size[side] = r->first[warps[side] + 1] - r->first[warps[side]];
    hd_arena *arena = hd_arena_new();
    uint32_t count = size[0] + size[1];
    pair p = {.count = count,
              .thread = hd_new_array(arena, uint32_t, count),
              .side = hd_new_array(arena, uint8_t, count),
              .gain = hd_new_array(arena, int64_t, count),
              .stays = hd_new_array(arena, bool, count),
              .first = hd_new_array(arena, uint32_t, count + 1)};
    for (uint32_t i = 0; i < count; i++) {
        p.side[i] = i >= size[0];
        p.thread[i] =
            r->order[p.side[i] ? r->first[warps[1]] + i - size[0] : r->first[warps[0]] + i];
    }
    gather_nets(r, w, &p);
    bool improved = false;
    for (bool again = true; again;) {
        again = false;
        memset(p.stays, 0, count * sizeof *p.stays);
        memset(p.gain, 0, count * sizeof *p.gain);
        for (uint32_t i = 0; i < count; i++)
            for (uint32_t k = p.first[i]; k < p.first[i + 1]; k++)
                p.gain[i] += gain_of(&w->nets[w->own[k]], p.side[i]);
        int64_t gained = 0, best = 0;
        uint64_t issues = issues_of(r, w, &p);
        uint32_t *moved = hd_new_array(arena, uint32_t, count);
        uint32_t moves = 0, best_moves = 0;
        for (uint32_t since = 0; since < PATIENCE; since++) {
            uint32_t a = best_of(&p, 0);
            if (a == UINT32_MAX)
                break;
            gained += move(w, &p, a);
            p.stays[a] = true;
            uint32_t b = best_of(&p, 1);
            if (b == UINT32_MAX) {
                moved[moves++] = a;
                break;
            }
            gained += move(w, &p, b);
            p.stays[b] = true;
            moved[moves++] = a;
            moved[moves++] = b;
            int64_t now = gained + (int64_t)issues - (int64_t)issues_of(r, w, &p);
            if (now > best) {
                best = now;
                best_moves = moves;
                since = 0;
            }
        }
        while (moves > best_moves)
            move(w, &p, moved[--moves]);
        improved = improved || best > 0;
        again = best > 0;
        w->gained += best;
    }
    if (improved) {
        uint32_t at[2] = {r->first[warps[0]], r->first[warps[1]]};
        for (uint32_t i = 0; i < count; i++) {
            r->order[at[p.side[i]]++] = p.thread[i];
            r->warp_of[p.thread[i]] = warps[p.side[i]];
        }
        r->changed[warps[0]] = r->changed[warps[1]] = r->round;
    }
    hd_arena_free(arena);
    return HD_OK;
}

/* ---- all ---------------------------------------------------------------------------------------- */

void hd_refine_threads(const hd_sharing *sharing, uint32_t workers, uint32_t *order) {
    hd_arena *arena = hd_arena_new();
    uint32_t threads = sharing->threads;
    refining r = {.sharing = sharing,
                  .requests = incidence_of(arena, &sharing->requests, threads),
                  .order = order,
                  .warps = hd_sharing_warps(sharing)};
    workers = workers ? workers : hd_core_count();
    r.warp_of = hd_alloc_items(arena, (size_t)threads + 1, sizeof *r.warp_of);
    r.first = hd_alloc_items(arena, (size_t)r.warps + 1, sizeof *r.first);
    r.changed = hd_alloc_items(arena, (size_t)r.warps + 1, sizeof *r.changed);
    r.near = hd_alloc_items(arena, (size_t)r.warps * NEAREST + 1, sizeof *r.near);
    r.near_count = hd_alloc_items(arena, (size_t)r.warps + 1, sizeof *r.near_count);
    r.pairs = hd_alloc_items(arena, (size_t)r.warps + 1, sizeof *r.pairs);
    r.workers = hd_alloc_items(arena, workers, sizeof *r.workers);
    for (uint32_t w = 0; w < workers; w++) {
        r.workers[w].local_of =
            hd_alloc_items(arena, sharing->requests.count + 1, sizeof(uint32_t));
        r.workers[w].shared = hd_alloc_items(arena, (size_t)r.warps + 1, sizeof(uint64_t));
        r.workers[w].met = hd_alloc_items(arena, (size_t)r.warps + 1, sizeof(uint32_t));
        r.workers[w].most =
            hd_alloc_items(arena, (size_t)2 * sharing->accesses + 1, sizeof(uint64_t));
    }
    for (uint32_t p = 0; p < threads; p++) {
        uint32_t warp = hd_sharing_warp_of(sharing, p);
        r.warp_of[order[p]] = warp;
        r.first[warp + 1] = p + 1;
    }
    near_warp *all = hd_alloc_items(arena, (size_t)r.warps * NEAREST + 1, sizeof *all);
    bool *busy = hd_alloc_items(arena, (size_t)r.warps + 1, sizeof *busy);
    hd_hash_table tried = {.arena = arena};
    uint64_t total = hd_sharing_count(sharing, order).transactions;
    uint32_t quiet = 0;
    uint64_t failed;
    for (r.round = 1; r.round <= MOST_ROUNDS && quiet < 2; r.round++) {
        if (r.round % NEAR_FOR == 1)
            hd_in_parallel(workers, r.warps, find_near, &r, &failed);
        choose_pairs(&r, &tried, all, busy);
        if (!r.pair_count)
            break;
        hd_in_parallel(workers, r.pair_count, refine_pair, &r, &failed);
        int64_t gained = 0;
        for (uint32_t w = 0; w < workers; w++) {
            gained += r.workers[w].gained;
            r.workers[w].gained = 0;
        }
        quiet = gained * LITTLE < (int64_t)total ? quiet + 1 : 0;
    }
    for (uint32_t w = 0; w < workers; w++) {
        free(r.workers[w].nets);
        free(r.workers[w].pins);
        free(r.workers[w].own);
    }
    hd_arena_free(arena);
}
