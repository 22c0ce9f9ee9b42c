/* SIGINT and SIGTERM. */
#include <unistd.h>

#include "cli/cli.h"
#include "cli/stop.h"

/* The one thing that a signal handler can reach. */
static volatile sig_atomic_t stop_wanted;

static const int signals[CLI_STOP_SIGNALS] = {SIGINT, SIGTERM};

static void want_stop(int number) {
    (void)number;
    stop_wanted = 1;
}

/* Takes progress off a terminal first. Only what a signal handler may call. */
void cli_end_stopped(void) {
    static const char message[] =
        "heddle: warning: stopped by a signal, before there was a result\n";
    static const char clear[] = "\r\033[K";
    if (isatty(STDERR_FILENO))
        (void)!write(STDERR_FILENO, clear, sizeof clear - 1);
    (void)!write(STDERR_FILENO, message, sizeof message - 1);
    _exit(CLI_STOPPED);
}

static void end_program(int number) {
    (void)number;
    cli_end_stopped();
}

static void handle(void (*handler)(int number), int flags, struct sigaction *before) {
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < CLI_STOP_SIGNALS; i++) {
        sigaction(signals[i], NULL, &before[i]);
        if (before[i].sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
    }
}

void cli_end_on_stop(void) {
    struct sigaction before[CLI_STOP_SIGNALS];
    handle(end_program, 0, before);
}

/* The second signal of a kind finds the handler gone, and kills. One that the parent has
 * chosen to ignore, as nohup does, stays ignored. */
const volatile sig_atomic_t *cli_catch_stop(cli_stop *stop) {
    stop_wanted = 0;
    handle(want_stop, (int)SA_RESETHAND | SA_RESTART, stop->before);
    return &stop_wanted;
}

const volatile sig_atomic_t *cli_stop_wanted(void) { return &stop_wanted; }

void cli_release_stop(const cli_stop *stop) {
    for (int i = 0; i < CLI_STOP_SIGNALS; i++)
        sigaction(signals[i], &stop->before[i], NULL);
}
