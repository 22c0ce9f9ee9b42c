/*
 * Threads that help the calling one. They are started when they are first needed and wait for the
 * next work, since it may take less time than to start a thread.
 *
 * The calling thread begins at once and does not wait for helpers that are late: when one comes
 * after all is done, nothing is left for it.
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/base.h"

struct hd_crew {
    pthread_mutex_t lock; /* of all below */
    pthread_cond_t wanted, idle;
    hd_crew_work *work; /* NULL: there is none */
    void *self;
    uint32_t next, count; /* numbers to hand out */
    uint32_t busy;        /* helpers at work */
    bool ends;
    pid_t process; /* that the threads live in: they do not come along when it forks */
    pthread_t *threads;
    uint32_t thread_count;
};

static void *help(void *argument) {
    hd_crew *c = argument;
    pthread_mutex_lock(&c->lock);
    for (;;) {
        while (!c->ends && !(c->work && c->next < c->count))
            pthread_cond_wait(&c->wanted, &c->lock);
        if (c->ends)
            break;
        uint32_t number = c->next++;
        hd_crew_work *work = c->work; /* it is taken back while this thread is at it */
        void *self = c->self;
        c->busy++;
        pthread_mutex_unlock(&c->lock);
        work(self, number);
        pthread_mutex_lock(&c->lock);
        if (--c->busy == 0)
            pthread_cond_signal(&c->idle);
    }
    pthread_mutex_unlock(&c->lock);
    return NULL;
}

/* Threads that cannot be started are done without. Signals are for the threads of the program. */
static void start_threads(hd_crew *c, uint32_t count) {
    sigset_t all, before;
    sigfillset(&all);
    c->threads = hd_checked(realloc(c->threads, count * sizeof *c->threads));
    pthread_sigmask(SIG_BLOCK, &all, &before);
    while (c->thread_count < count && !pthread_create(&c->threads[c->thread_count], NULL, help, c))
        c->thread_count++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void hd_crew_run(hd_crew **crew, uint32_t count, hd_crew_work *work, void *self) {
    if (count < 2) {
        work(self, 0);
        return;
    }
    hd_crew *c = *crew;
    if (!c || c->process != getpid()) { /* of another one, threads that are not here hold locks */
        c = *crew = hd_zeroed(1, sizeof *c);
        c->process = getpid();
        pthread_mutex_init(&c->lock, NULL);
        pthread_cond_init(&c->wanted, NULL);
        pthread_cond_init(&c->idle, NULL);
    }
    if (c->thread_count < count - 1)
        start_threads(c, count - 1);
    pthread_mutex_lock(&c->lock);
    c->work = work;
    c->self = self;
    c->next = 1;
    c->count = count;
    pthread_cond_broadcast(&c->wanted);
    pthread_mutex_unlock(&c->lock);
    work(self, 0);
    pthread_mutex_lock(&c->lock);
    c->work = NULL;
    while (c->busy)
        pthread_cond_wait(&c->idle, &c->lock);
    pthread_mutex_unlock(&c->lock);
}

void hd_crew_free(hd_crew *c) {
    if (!c || c->process != getpid())
        return;
    pthread_mutex_lock(&c->lock);
    c->ends = true;
    pthread_cond_broadcast(&c->wanted);
    pthread_mutex_unlock(&c->lock);
    for (uint32_t i = 0; i < c->thread_count; i++)
        pthread_join(c->threads[i], NULL);
    pthread_cond_destroy(&c->wanted);
    pthread_cond_destroy(&c->idle);
    pthread_mutex_destroy(&c->lock);
    free(c->threads);
    free(c);
}

/* ---- numbered work ---------------------------------------------------------------------------- */

typedef struct queue {
    hd_work *work;
    void *self;
    uint64_t next, count;
    uint64_t failed; /* the lowest number with an error */
    hd_status status;
    pthread_mutex_t lock; /* of what changes */
} queue;

static void empty_queue(void *self, uint32_t worker) {
    queue *q = self;
    pthread_mutex_lock(&q->lock);
    while (!q->status && q->next < q->count) {
        uint64_t number = q->next++;
        pthread_mutex_unlock(&q->lock);
        hd_status status = q->work(q->self, worker, number);
        pthread_mutex_lock(&q->lock);
        if (status && (!q->status || number < q->failed)) {
            q->status = status;
            q->failed = number;
        }
    }
    pthread_mutex_unlock(&q->lock);
}

hd_status hd_in_parallel(uint32_t workers, uint64_t count, hd_work *work, void *self,
                         uint64_t *failed) {
    queue q = {.work = work, .self = self, .count = count};
    hd_crew *crew = NULL;
    pthread_mutex_init(&q.lock, NULL);
    hd_crew_run(&crew, workers < count ? workers : (uint32_t)count, empty_queue, &q);
    hd_crew_free(crew);
    pthread_mutex_destroy(&q.lock);
    *failed = q.failed;
    return q.status;
}
