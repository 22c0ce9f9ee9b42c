/* Numbered work for several threads. */
#include <pthread.h>
#include <stdlib.h>

#include "locality/reuse_plan.h"

typedef struct pool {
    reuse_work *work;
    void *self;
    uint64_t next, count;
    uint64_t failed; /* the lowest number with an error */
    hd_status status;
    pthread_mutex_t lock;
} pool;

typedef struct member {
    pool *pool;
    uint32_t worker;
} member;

static bool next_number(pool *p, uint64_t *number) {
    pthread_mutex_lock(&p->lock);
    *number = p->next;
    bool more = !p->status && p->next < p->count;
    p->next += more;
    pthread_mutex_unlock(&p->lock);
    return more;
}

static void note_failure(pool *p, uint64_t number, hd_status status) {
    pthread_mutex_lock(&p->lock);
    if (!p->status || number < p->failed) {
        p->status = status;
        p->failed = number;
    }
    pthread_mutex_unlock(&p->lock);
}

static void *run_member(void *self) {
    const member *m = self;
    uint64_t number;
    while (next_number(m->pool, &number)) {
        hd_status status = m->pool->work(m->pool->self, m->worker, number);
        if (status)
            note_failure(m->pool, number, status);
    }
    return NULL;
}

hd_status reuse_in_parallel(uint32_t workers, uint64_t count, reuse_work *work, void *self,
                            uint64_t *failed) {
    pool p = {.work = work, .self = self, .count = count};
    pthread_t *threads = hd_zeroed(workers, sizeof *threads);
    member *members = hd_zeroed(workers, sizeof *members);
    bool *started = hd_zeroed(workers, sizeof *started);
    pthread_mutex_init(&p.lock, NULL);
    for (uint32_t w = 0; w < workers; w++)
        members[w] = (member){&p, w};
    for (uint32_t w = 1; w < workers && w < count; w++)
        started[w] = !pthread_create(&threads[w], NULL, run_member, &members[w]);
    run_member(&members[0]); /* what could not be started is done here */
    for (uint32_t w = 1; w < workers; w++)
        if (started[w])
            pthread_join(threads[w], NULL);
    pthread_mutex_destroy(&p.lock);
    free(threads);
    free(members);
    free(started);
    *failed = p.failed;
    return p.status;
}

uint32_t reuse_worker_count(uint32_t wanted) { return wanted ? wanted : hd_core_count(); }
