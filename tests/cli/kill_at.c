/*
 * Put before the C library with LD_PRELOAD: the process dies at one of the calls that change files
 * in place.
 *
 *     KILL_AT=5    by SIGKILL, at the fifth of them; half of what a write has to write is written
 */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static long calls;

static int dies_now(void) {
    const char *at = getenv("KILL_AT");
    return ++calls == (at ? atol(at) : 0);
}

static void die(void) { kill(getpid(), SIGKILL); }

ssize_t pwrite(int fd, const void *data, size_t size, off_t at) {
    if (dies_now()) {
        syscall(SYS_pwrite64, fd, data, size / 2, at);
        die();
    }
    return syscall(SYS_pwrite64, fd, data, size, at);
}

int ftruncate(int fd, off_t size) {
    if (dies_now())
        die();
    return (int)syscall(SYS_ftruncate, fd, size);
}

int unlink(const char *path) {
    if (dies_now())
        die();
    return (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}
