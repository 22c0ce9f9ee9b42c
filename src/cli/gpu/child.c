/*
 * Processes with a limit.
 *
 * A child leads a process group, so that what it starts ends with it. A process that waits in the
 * driver may not die when it is killed; then it is left behind, and what comes next may find the
 * device lost.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/gpu/gpu.h"

/* How long a child that was killed may take to go. */
static const double grace = 5;

static void rest(void) {
    const struct timespec moment = {.tv_nsec = 10 * 1000 * 1000};
    nanosleep(&moment, NULL);
}

/* In the child, where only system calls are safe. It dies when the parent does. */
static void become(char *const *words, int log, bool same_group, pid_t parent) {
    int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent || nothing < 0 || (!same_group && setpgid(0, 0)))
        _exit(127);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    if (dup2(nothing, STDIN_FILENO) < 0 || dup2(log, STDOUT_FILENO) < 0 ||
        dup2(log, STDERR_FILENO) < 0)
        _exit(127);
    execvp(words[0], words);
    _exit(127);
}

/* Whether it has ended; it stays a zombie, so that the number is still its own. */
static bool has_ended(pid_t child) {
    siginfo_t info = {0};
    return waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid;
}

/* Also what a child that ended by itself has left running. False: it does not go. */
static bool kill_all(pid_t child, bool same_group) {
    double start = hd_clock();
    kill(same_group ? child : -child, SIGKILL);
    kill(child, SIGKILL); /* it may have had no time to lead a group */
    while (!has_ended(child)) {
        if (hd_clock() - start > grace)
            return false;
        rest();
    }
    return true;
}

hd_status hd_gpu_child(const hd_diag *diag, char *const *words, const hd_gpu_child_options *options,
                       hd_gpu_end *end, int *code) {
    int ended = 0, log = open(options->log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    pid_t parent = getpid(), child = log < 0 ? -1 : fork();
    if (child == 0)
        become(words, log, options->same_group, parent);
    int error = errno;
    if (log >= 0)
        close(log);
    if (child < 0)
        return hd_fail(diag, HD_ESYSTEM, NULL, "cannot start %s: %s", words[0], strerror(error));
    double start = hd_clock();
    *end = HD_GPU_EXITED;
    while (*end == HD_GPU_EXITED && !has_ended(child)) {
        if (options->stop && *options->stop)
            *end = HD_GPU_STOPPED;
        else if (hd_clock() - start > options->seconds)
            *end = HD_GPU_PAST_LIMIT;
        else
            rest();
    }
    if (!kill_all(child, options->same_group)) {
        *end = HD_GPU_STUCK;
        return HD_OK;
    }
    while (waitpid(child, &ended, 0) < 0 && errno == EINTR)
        ;
    if (*end != HD_GPU_EXITED)
        return HD_OK;
    *end = WIFEXITED(ended) ? HD_GPU_EXITED : HD_GPU_CRASHED;
    *code = WIFEXITED(ended) ? WEXITSTATUS(ended) : WTERMSIG(ended);
    return HD_OK;
}
