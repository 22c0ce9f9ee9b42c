/*
 * Ranks that are threads of this process, for tests of what is divided among ranks.
 *
 *     run_as_ranks(4, work, &user);      calls work(ranks, &user) in four threads
 */
#ifndef HD_TESTS_THREADS_AS_RANKS_H
#define HD_TESTS_THREADS_AS_RANKS_H

#include <pthread.h>
#include <stdlib.h>

#include "base/ranks.h"

typedef void ranks_work(const hd_ranks *ranks, void *user);

typedef struct ranks_world {
    pthread_barrier_t barrier;
    const hd_piece **out; /* [count] */
    ranks_work *work;
    void *user;
} ranks_world;

typedef struct ranks_thread {
    hd_ranks ranks;
    ranks_world *world;
} ranks_thread;

static hd_status exchange_among_threads(void *self, const hd_diag *diag, const hd_piece *out,
                                        hd_piece *in) {
    const ranks_thread *t = self;
    ranks_world *w = t->world;
    (void)diag;
    w->out[t->ranks.rank] = out;
    pthread_barrier_wait(&w->barrier);
    for (uint32_t r = 0; r < t->ranks.count; r++) {
        const hd_piece *piece = &w->out[r][t->ranks.rank];
        in[r] = (hd_piece){piece->count ? malloc(piece->count) : NULL, piece->count};
        if (piece->count)
            memcpy(in[r].bytes, piece->bytes, piece->count);
    }
    pthread_barrier_wait(&w->barrier);
    return HD_OK;
}

static void *run_rank(void *argument) {
    const ranks_thread *t = argument;
    t->world->work(&t->ranks, t->world->user);
    return NULL;
}

static void run_as_ranks(uint32_t count, ranks_work *work, void *user) {
    ranks_world world = {.work = work, .user = user};
    pthread_barrier_init(&world.barrier, NULL, count);
    world.out = calloc(count, sizeof *world.out);
    ranks_thread *threads = calloc(count, sizeof *threads);
    pthread_t *ids = calloc(count, sizeof *ids);
    for (uint32_t r = 0; r < count; r++) {
        threads[r] = (ranks_thread){{r, count, &threads[r], exchange_among_threads}, &world};
        pthread_create(&ids[r], NULL, run_rank, &threads[r]);
    }
    for (uint32_t r = 0; r < count; r++)
        pthread_join(ids[r], NULL);
    pthread_barrier_destroy(&world.barrier);
    free(world.out);
    free(threads);
    free(ids);
}

#endif
