/*
 * A clang that stands ready (cli/ready.c), for programs that have many kernels compiled: it has
 * loaded LLVM once, which takes longer than most kernels. The function that is defined here stands
 * before that of the C library; one file of a program includes this, and its main calls
 * stand_ready(). Sanitized, clang is started each time.
 */
#ifndef HD_TESTS_READY_H
#define HD_TESTS_READY_H

#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sanitized.h"

static char ready_clang[4096];

/* Until this process is at its end, and with it the pipe. */
static inline void stand_ready(void) {
    const char *build = getenv("HEDDLE_BUILD"), *source = getenv("HEDDLE_SOURCE");
    char text[8192];
    int end[2];
    if (SANITIZED || !build || !source)
        return;
    snprintf(text, sizeof text, "%s/heddle", build);
    if (access(text, X_OK) || pipe(end) || fcntl(end[1], F_SETFD, FD_CLOEXEC))
        return;
    snprintf(text, sizeof text,
             "bash '%s/tests/cli/with_ready.sh' '%s/heddle' "
             "bash -c 'echo \"${HEDDLE%%/*}/clang\"; read -r _' <&%d",
             source, build, end[0]);
    FILE *said = popen(text, "r");
    if (!said || fscanf(said, "%4095s", ready_clang) != 1)
        *ready_clang = '\0';
}

int posix_spawn(pid_t *child, const char *path, const posix_spawn_file_actions_t *actions,
                const posix_spawnattr_t *attributes, char *const argv[], char *const envp[]) {
    static __typeof__(&posix_spawn) next;
    const char *name = strrchr(path, '/');
    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "posix_spawn");
    return next(child, *ready_clang && name && !strcmp(name, "/clang") ? ready_clang : path,
                actions, attributes, argv, envp);
}

#endif
