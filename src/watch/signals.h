/* Signals that end a program: what it has found out until then is written first. */
#ifndef HD_SIGNALS_H
#define HD_SIGNALS_H

#include <pthread.h>
#include <signal.h>

/* What a signal is to end. It stays. */
typedef struct hd_signals_host {
    volatile sig_atomic_t *stop; /* is set: the launch that runs is to stop */
    pthread_mutex_t *lock;       /* which `write` needs, and nobody gets after it */
    void (*write)(void *user);
    void *user;
} hd_signals_host;

/* Signals that the program does not handle itself are caught from here on. */
void hd_signals_begin(const hd_signals_host *host);

#endif
