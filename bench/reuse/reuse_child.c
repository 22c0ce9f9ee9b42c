/* Fork, pipe, wait. */
#include <errno.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "reuse/reuse_child.h"

static void run(child_work *work, const void *input, void *result, size_t size, int out) {
    bool done = work(input, result);
    fflush(NULL);
    _exit(done && write(out, result, size) == (ssize_t)size ? 0 : 1);
}

bool run_in_child(child_work *work, const void *input, void *result, size_t size, uint64_t *peak) {
    int ends[2], status;
    struct rusage usage;
    fflush(NULL);
    if (pipe(ends) != 0)
        return false;
    pid_t child = fork();
    if (child == 0)
        run(work, input, result, size, ends[1]);
    close(ends[1]);
    bool whole = child > 0 && read(ends[0], result, size) == (ssize_t)size;
    close(ends[0]);
    while (child > 0 && wait4(child, &status, 0, &usage) < 0)
        if (errno != EINTR)
            return false;
    if (peak && child > 0)
        *peak = (uint64_t)usage.ru_maxrss * 1024;
    return whole && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}
