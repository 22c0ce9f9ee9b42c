/* SIGINT and SIGTERM. */
#include <unistd.h>

#include "cli/cli.h"
#include "cli/stop.h"

/* The one thing that a signal handler can reach. */
static volatile sig_atomic_t stop_wanted;

static const int signals[CLI_STOP_SIGNALS] = {SIGINT, SIGTERM};

static volatile sig_atomic_t stop_child;

static void want_stop(int number, siginfo_t *info, void *unused) {
    (void)unused;
    stop_wanted = 1;
    if (stop_child && info && info->si_code == SI_USER)
        kill((pid_t)stop_child, number);
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

static void handle(struct sigaction action, struct sigaction *before) {
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < CLI_STOP_SIGNALS; i++) {
        sigaction(signals[i], NULL, &before[i]);
        if (before[i].sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
    }
}

void cli_end_on_stop(void) {
    struct sigaction before[CLI_STOP_SIGNALS];
    handle((struct sigaction){.sa_handler = end_program}, before);
}

/* The second signal of a kind finds the handler gone, and kills. One that the parent has
 * chosen to ignore, as nohup does, stays ignored. */
const volatile sig_atomic_t *cli_catch_stop(cli_stop *stop) {
    stop_wanted = 0;
    handle((struct sigaction){.sa_sigaction = want_stop,
                              .sa_flags = (int)SA_RESETHAND | SA_RESTART | SA_SIGINFO},
           stop->before);
    return &stop_wanted;
}

/* `timeout` signals twice, the process and its group: neither may be the one that kills. */
void cli_hand_on_stop(pid_t child) {
    stop_child = child;
    for (int i = 0; i < CLI_STOP_SIGNALS; i++) {
        struct sigaction now;
        sigaction(signals[i], NULL, &now);
        now.sa_flags &= ~(int)SA_RESETHAND;
        if (now.sa_sigaction == want_stop)
            sigaction(signals[i], &now, NULL);
    }
}

const volatile sig_atomic_t *cli_stop_wanted(void) { return &stop_wanted; }

void cli_release_stop(const cli_stop *stop) {
    stop_child = 0;
    for (int i = 0; i < CLI_STOP_SIGNALS; i++)
        sigaction(signals[i], &stop->before[i], NULL);
}
