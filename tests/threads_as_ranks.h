/*
 * Ranks that are threads of this process, for tests of what is divided among ranks.
 *
 *     run_as_ranks(4, work, &user);      calls work(ranks, &user) in four threads
 *
 * A rank whose function returns is gone: exchanges of the others then end with HD_ESYSTEM.
 */
#ifndef HD_TESTS_THREADS_AS_RANKS_H
#define HD_TESTS_THREADS_AS_RANKS_H

#include <pthread.h>
#include <stdlib.h>

#include "base/ranks.h"

typedef void ranks_work(const hd_ranks *ranks, void *user);

typedef struct rank_meeting {
    pthread_mutex_t lock;
    pthread_cond_t moved;
    uint32_t count, arrived, gone;
    uint64_t turn; /* how often all have met */
    const hd_piece *out[64];
} rank_meeting;

typedef struct rank_thread {
    rank_meeting *meeting;
    hd_ranks ranks;
    ranks_work *work;
    void *user;
    pthread_t thread;
} rank_thread;

/* Waits until all are here; false when one is gone. */
static inline bool ranks_meet(rank_meeting *m) {
    pthread_mutex_lock(&m->lock);
    uint64_t turn = m->turn;
    if (!m->gone && ++m->arrived == m->count) {
        m->arrived = 0;
        m->turn++;
        pthread_cond_broadcast(&m->moved);
    }
    while (m->turn == turn && !m->gone)
        pthread_cond_wait(&m->moved, &m->lock);
    bool all = m->turn != turn;
    pthread_mutex_unlock(&m->lock);
    return all;
}

static inline hd_status rank_exchange(void *self, const hd_diag *diag, const hd_piece *out,
                                      hd_piece *in) {
    rank_thread *t = self;
    rank_meeting *m = t->meeting;
    m->out[t->ranks.rank] = out;
    bool met = ranks_meet(m);
    for (uint32_t r = 0; r < m->count && met; r++) {
        in[r] = (hd_piece){.count = m->out[r][t->ranks.rank].count};
        if (in[r].count) {
            in[r].bytes = hd_checked(malloc(in[r].count));
            memcpy(in[r].bytes, m->out[r][t->ranks.rank].bytes, in[r].count);
        }
    }
    return met && ranks_meet(m) ? HD_OK : hd_fail(diag, HD_ESYSTEM, NULL, "a rank is gone");
}

static inline void *run_rank(void *self) {
    rank_thread *t = self;
    t->work(&t->ranks, t->user);
    pthread_mutex_lock(&t->meeting->lock);
    t->meeting->gone++;
    pthread_cond_broadcast(&t->meeting->moved);
    pthread_mutex_unlock(&t->meeting->lock);
    return NULL;
}

static inline void run_as_ranks(uint32_t count, ranks_work *work, void *user) {
    rank_meeting meeting = {
        .lock = PTHREAD_MUTEX_INITIALIZER, .moved = PTHREAD_COND_INITIALIZER, .count = count};
    rank_thread threads[64];
    for (uint32_t r = 0; r < count; r++) {
        threads[r] = (rank_thread){.meeting = &meeting, .work = work, .user = user};
        threads[r].ranks = (hd_ranks){r, count, &threads[r], rank_exchange};
        if (pthread_create(&threads[r].thread, NULL, run_rank, &threads[r]))
            abort();
    }
    for (uint32_t r = 0; r < count; r++)
        pthread_join(threads[r].thread, NULL);
}

#endif
