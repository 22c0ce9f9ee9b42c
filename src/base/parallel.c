/* Numbered work for several threads. */
#include <pthread.h>
#include <stdlib.h>

#include "base/base.h"

typedef struct pool {
    hd_work *work;
    void *self;
    _Atomic uint32_t threads; /* that have begun, beside the calling one */
    uint64_t next, count;
    uint64_t failed; /* the lowest number with an error */
    hd_status status;
    pthread_mutex_t lock; /* of what changes */
} pool;

static void run(pool *p, uint32_t worker) {
    pthread_mutex_lock(&p->lock);
    while (!p->status && p->next < p->count) {
        uint64_t number = p->next++;
        pthread_mutex_unlock(&p->lock);
        hd_status status = p->work(p->self, worker, number);
        pthread_mutex_lock(&p->lock);
        if (status && (!p->status || number < p->failed)) {
            p->status = status;
            p->failed = number;
        }
    }
    pthread_mutex_unlock(&p->lock);
}

static void *run_thread(void *self) {
    pool *p = self;
    run(p, ++p->threads);
    return NULL;
}

/* What threads that cannot be started would have done is done here. */
hd_status hd_in_parallel(uint32_t workers, uint64_t count, hd_work *work, void *self,
                         uint64_t *failed) {
    pool p = {.work = work, .self = self, .count = count};
    pthread_t *threads = hd_zeroed(workers, sizeof *threads);
    uint32_t started = 0;
    pthread_mutex_init(&p.lock, NULL);
    while (started + 1 < workers && started + 1 < count &&
           !pthread_create(&threads[started], NULL, run_thread, &p))
        started++;
    run(&p, 0);
    while (started)
        pthread_join(threads[--started], NULL);
    pthread_mutex_destroy(&p.lock);
    free(threads);
    *failed = p.failed;
    return p.status;
}
