/*
 * Threads that help with launches. They are started when a launch first needs them and wait for
 * the next one, since a launch may take less time than to start a thread.
 *
 * The calling thread begins at once and does not wait for helpers that are late: a launch that is
 * over when one comes has nothing left for it.
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "vm/launch.h"

struct vm_crew {
    pthread_mutex_t lock; /* of all below */
    pthread_cond_t wanted, idle;
    vm_crew_work *work; /* NULL: there is none */
    void *self;
    uint32_t next, count; /* numbers to hand out */
    uint32_t busy;        /* helpers at work */
    bool ends;
    pid_t process; /* that the threads live in: they do not come along when it forks */
    pthread_t *threads;
    uint32_t thread_count;
};

static void *help(void *argument) {
    struct vm_crew *c = argument;
    pthread_mutex_lock(&c->lock);
    for (;;) {
        while (!c->ends && !(c->work && c->next < c->count))
            pthread_cond_wait(&c->wanted, &c->lock);
        if (c->ends)
            break;
        uint32_t number = c->next++;
        vm_crew_work *work = c->work; /* it is taken back while this thread is at it */
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
static void start_threads(struct vm_crew *c, uint32_t count) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    while (c->thread_count < count && !pthread_create(&c->threads[c->thread_count], NULL, help, c))
        c->thread_count++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static struct vm_crew *crew_new(uint32_t most) {
    struct vm_crew *c = hd_zeroed(1, sizeof *c);
    c->threads = hd_zeroed(most, sizeof *c->threads);
    c->process = getpid();
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->wanted, NULL);
    pthread_cond_init(&c->idle, NULL);
    return c;
}

void vm_crew_run(hd_vm *vm, uint32_t count, vm_crew_work *work, void *self) {
    if (count < 2) {
        work(self, 0);
        return;
    }
    if (vm->crew && vm->crew->process != getpid())
        vm->crew = NULL; /* its locks may be held by threads that are not here */
    if (!vm->crew)
        vm->crew = crew_new(vm->worker_count);
    struct vm_crew *c = vm->crew;
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

void vm_crew_free(struct vm_crew *c) {
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
