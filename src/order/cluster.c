/*
 * Thread clustering, greedily: one warp after the other, which begins with the thread that is
 * nearest to the warp before it and takes the thread that shares most with those that it has.
 *
 * A thread's gain is what it shares with the warp in hand: transactions that it would not add, and,
 * for what less counts, lines that the warp touches at another time. It is kept up to date: when a
 * net is first touched by the warp, it is added for all threads of the net.
 */
#include "order/groups.h"
#include "order/orders.h"

enum {
    WIDEST = 256,     /* nets of more threads say little of who belongs together */
    TRANSACTION = 16, /* in the gain, against a line that is shared at another time */
};

typedef struct growth {
    const hd_sharing *sharing;
    incidence requests, lines;
    uint32_t *gain;  /* [threads] */
    uint32_t *heard; /* [threads]: candidates, those whose gain is not 0, and after it how many */
    uint32_t heard_count;
    uint32_t *request_met, *line_met; /* [nets]: the last warp, plus 1, that touched it */
    bool *taken;
} growth;

static void meet(growth *g, const hd_nets *nets, const incidence *of, uint32_t *met,
                 uint32_t thread, uint32_t warp, uint32_t unit) {
    for (uint64_t i = of->first[thread]; i < of->first[thread + 1]; i++) {
        uint32_t n = of->net[i];
        if (met[n] == warp + 1 || nets->first[n + 1] - nets->first[n] > WIDEST)
            continue;
        met[n] = warp + 1;
        uint32_t weight = unit == TRANSACTION ? unit * nets->weight[n] : unit;
        for (uint64_t k = nets->first[n]; k < nets->first[n + 1]; k++) {
            uint32_t other = nets->thread[k];
            if (g->taken[other])
                continue;
            if (!g->gain[other])
                g->heard[g->heard_count++] = other;
            g->gain[other] += weight;
        }
    }
}

/* The candidate that shares most, of equal ones the lowest; UINT32_MAX: there is none. */
static uint32_t best_candidate(growth *g) {
    uint32_t best = UINT32_MAX, most = 0, kept = 0;
    for (uint32_t i = 0; i < g->heard_count; i++) {
        uint32_t t = g->heard[i];
        if (g->taken[t]) {
            g->gain[t] = 0;
            continue;
        }
        g->heard[kept++] = t;
        if (g->gain[t] > most || (g->gain[t] == most && t < best)) {
            best = t;
            most = g->gain[t];
        }
    }
    g->heard_count = kept;
    return best;
}

void hd_cluster_threads(const hd_sharing *sharing, uint32_t *order) {
    uint32_t threads = sharing->threads;
    hd_arena *arena = hd_arena_new();
    growth g = {
        .sharing = sharing,
        .requests = incidence_of(arena, &sharing->requests, threads),
        .lines = incidence_of(arena, &sharing->lines, threads),
        .gain = hd_alloc_items(arena, (size_t)threads + 1, sizeof *g.gain),
        .heard = hd_alloc_items(arena, (size_t)threads + 1, sizeof *g.heard),
        .request_met = hd_alloc_items(arena, sharing->requests.count + 1, sizeof *g.request_met),
        .line_met = hd_alloc_items(arena, sharing->lines.count + 1, sizeof *g.line_met),
        .taken = hd_alloc_items(arena, (size_t)threads + 1, sizeof *g.taken),
    };
    uint32_t *left = hd_alloc_items(arena, ((size_t)threads + 1), sizeof *left);
    memcpy(left, order, threads * sizeof *left);
    uint32_t next = 0; /* of `left`: all before it are taken */
    for (uint32_t p = 0; p < threads; p++) {
        uint32_t warp = hd_sharing_warp_of(sharing, p);
        uint32_t thread = best_candidate(&g);
        if (p && warp != hd_sharing_warp_of(sharing, p - 1)) { /* a new warp: gains of its own */
            for (uint32_t i = 0; i < g.heard_count; i++)
                g.gain[g.heard[i]] = 0;
            g.heard_count = 0;
        }
        while (next < threads && g.taken[left[next]])
            next++;
        order[p] = thread == UINT32_MAX ? left[next] : thread;
        g.taken[order[p]] = true;
        meet(&g, &sharing->requests, &g.requests, g.request_met, order[p], warp, TRANSACTION);
        meet(&g, &sharing->lines, &g.lines, g.line_met, order[p], warp, 1);
    }
    hd_arena_free(arena);
}
