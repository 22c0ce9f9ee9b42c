/* Signals that ask a command to end with what it has. */
#ifndef HD_CLI_STOP_H
#define HD_CLI_STOP_H

#include <signal.h>

enum { CLI_STOP_SIGNALS = 2 };

typedef struct cli_stop {
    struct sigaction before[CLI_STOP_SIGNALS];
} cli_stop;

/* From here to cli_release_stop() SIGINT and SIGTERM only set what is returned; the second of a
 * kind kills. */
const volatile sig_atomic_t *cli_catch_stop(cli_stop *stop);
void cli_release_stop(const cli_stop *stop);

#endif
