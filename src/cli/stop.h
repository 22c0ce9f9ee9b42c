/* Signals that ask a command to end: with what it has, or at once. */
#ifndef HD_CLI_STOP_H
#define HD_CLI_STOP_H

#include <signal.h>
#include <sys/types.h>

enum { CLI_STOP_SIGNALS = 2 };

typedef struct cli_stop {
    struct sigaction before[CLI_STOP_SIGNALS];
} cli_stop;

/* From here on SIGINT and SIGTERM end the program with exit status 130 and a message. For commands
 * that leave nothing behind when they end anywhere. */
void cli_end_on_stop(void);

/* From here to cli_release_stop() SIGINT and SIGTERM only set what is returned; the second of a
 * kind kills. */
const volatile sig_atomic_t *cli_catch_stop(cli_stop *stop);
/* Until cli_release_stop() a program that was started gets the signals that a process sends to this
 * one, however many; those of a terminal it gets itself. */
void cli_hand_on_stop(pid_t child);
/* What cli_catch_stop() returns, at any time. */
const volatile sig_atomic_t *cli_stop_wanted(void);
void cli_release_stop(const cli_stop *stop);
/* The same for a signal that came just before cli_release_stop(): ends the program. */
_Noreturn void cli_end_stopped(void);

#endif
