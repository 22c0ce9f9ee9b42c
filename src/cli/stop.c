/* SIGINT and SIGTERM. */
#include "cli/stop.h"

/* The one thing that a signal handler can reach. */
static volatile sig_atomic_t stop_wanted;

static const int signals[CLI_STOP_SIGNALS] = {SIGINT, SIGTERM};

static void want_stop(int number) {
    (void)number;
    stop_wanted = 1;
}

/* The second signal of a kind finds the handler gone, and kills. One that the parent has
 * chosen to ignore, as nohup does, stays ignored. */
const volatile sig_atomic_t *cli_catch_stop(cli_stop *stop) {
    struct sigaction action = {.sa_handler = want_stop, .sa_flags = SA_RESETHAND | SA_RESTART};
    sigemptyset(&action.sa_mask);
    stop_wanted = 0;
    for (int i = 0; i < CLI_STOP_SIGNALS; i++) {
        sigaction(signals[i], NULL, &stop->before[i]);
        if (stop->before[i].sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
    }
    return &stop_wanted;
}

void cli_release_stop(const cli_stop *stop) {
    for (int i = 0; i < CLI_STOP_SIGNALS; i++)
        sigaction(signals[i], &stop->before[i], NULL);
}
