#include "remap/remap.h"

#include <pthread.h>

enum { MOST_THREADS = 256 };

typedef struct part {
    work_fn *work;
    const void *job;
    uint64_t begin, end;
    pthread_t thread;
} part;

static void *do_part(void *user) {
    const part *p = user;
    p->work(p->job, p->begin, p->end);
    return NULL;
}

void work_on(unsigned threads, uint64_t units, work_fn *work, const void *job) {
    part parts[MOST_THREADS];
    threads = threads < MOST_THREADS ? threads : MOST_THREADS;
    for (unsigned t = 0; t < threads; t++) {
        parts[t] = (part){work, job, units * t / threads, units * (t + 1) / threads, 0};
        if (t && pthread_create(&parts[t].thread, NULL, do_part, &parts[t]) != 0) {
            do_part(&parts[t]);
            parts[t].work = NULL;
        }
    }
    do_part(&parts[0]);
    for (unsigned t = 1; t < threads; t++)
        if (parts[t].work)
            pthread_join(parts[t].thread, NULL);
}
