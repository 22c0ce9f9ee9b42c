/*
 * Signals that end a program: what it has found out until then is written first.
 *
 *     handler ──► a byte through a pipe ──► a thread: the launch that runs stops, results are written,
 *                                           and the process ends by that signal
 *
 * A handler may do next to nothing, hence the thread. A thread that has crashed waits for it. What the
 * program handles itself, or ignores, stays the program's.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

#include "watch/signals.h"

static const int ending[] = {SIGINT, SIGTERM, SIGHUP};
static const int crashing[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
enum { ENDING = sizeof ending / sizeof *ending, CRASHING = sizeof crashing / sizeof *crashing };

/* What a handler can reach. */
static int told[2] = {-1, -1};
static pid_t owner;

/* False: a process that was forked off, which the signal ends as if nobody had caught it. */
static bool tell(int number) {
    unsigned char byte = (unsigned char)number;
    int before = errno;
    if (getpid() != owner) {
        signal(number, SIG_DFL);
        kill(getpid(), number);
        return false;
    }
    (void)!write(told[1], &byte, 1);
    errno = before;
    return true;
}

static void hear_end(int number) { (void)tell(number); }

static void hear_crash(int number) {
    while (tell(number))
        pause();
}

/* The lock of the process, which a thread that has crashed may hold for ever. */
static bool lock_within(pthread_mutex_t *lock, double seconds) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += (time_t)seconds;
    return !pthread_mutex_timedlock(lock, &until);
}

static void end_by(int number) {
    sigset_t one;
    signal(number, SIG_DFL);
    sigemptyset(&one);
    sigaddset(&one, number);
    pthread_sigmask(SIG_UNBLOCK, &one, NULL);
    kill(getpid(), number);
}

static void *listen_to_signals(void *self) {
    const hd_signals_host *host = self;
    unsigned char byte;
    while (read(told[0], &byte, 1) != 1)
        if (errno != EINTR)
            return NULL;
    *host->stop = 1;
    if (lock_within(host->lock, 5)) /* and keeps it: nothing more happens */
        host->write(host->user);
    end_by(byte);
    return NULL;
}

static void handle(int number, void (*handler)(int)) {
    struct sigaction before,
        own = {.sa_handler = handler, .sa_flags = (int)SA_RESTART | SA_ONSTACK};
    sigemptyset(&own.sa_mask);
    if (!sigaction(number, NULL, &before) && before.sa_handler == SIG_DFL)
        sigaction(number, &own, NULL);
}

void hd_signals_begin(const hd_signals_host *host) {
    sigset_t all, before;
    pthread_t thread;
    if (pipe(told))
        return;
    owner = getpid();
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* the thread is no place for handlers */
    int failed = pthread_create(&thread, NULL, listen_to_signals, (void *)host);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failed)
        return;
    pthread_detach(thread);
    for (uint32_t i = 0; i < ENDING; i++)
        handle(ending[i], hear_end);
    for (uint32_t i = 0; i < CRASHING; i++)
        handle(crashing[i], hear_crash);
}
