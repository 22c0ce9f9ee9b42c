/*
 * Programs that stand ready. Most of what a short `heddle` or `clang` takes is the loading of LLVM;
 * here one that has loaded it stops before its main, and each call goes on in a fork of it. ready.sh
 * makes two of this file:
 *
 *     ready.so (-DSTANDS_READY)  with LD_PRELOAD: the program waits at the socket $STANDS_READY. A
 *                                fork that starts clang starts the `clang` beside its socket. One
 *                                whose LD_LIBRARY_PATH or LD_PRELOAD is another is loaded anew.
 *     ask                        by the name NAME asks the program at NAME.socket beside it, which
 *                                gets its arguments, environment, folder, limits, ignored signals
 *                                and standard files, and whose end is its own. SIGINT and SIGTERM
 *                                are passed on; with its own death the other dies. In another
 *                                namespace of mounts, or without one of the standard files, it is
 *                                NAME.plain itself.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 60, FILES = 4 }; /* standard input, output, error, and the folder */

extern char **environ;

typedef struct request {
    size_t bytes; /* of the words that follow */
    int arguments, variables;
    mode_t mask;
    uint64_t ignored; /* signals, by bits */
    struct rlimit limits[RLIM_NLIMITS];
} request;

static int socket_at(const char *path, struct sockaddr_un *address) {
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    strncpy(address->sun_path, path, sizeof address->sun_path - 1);
    return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
}

static int read_all(int fd, void *data, size_t size) {
    ssize_t n = 0;
    for (char *at = data; size; at += n, size -= (size_t)n)
        if ((n = read(fd, at, size)) <= 0)
            return -1;
    return 0;
}

static int write_all(int fd, const void *data, size_t size) {
    ssize_t n = 0;
    for (const char *at = data; size; at += n, size -= (size_t)n)
        if ((n = write(fd, at, size)) <= 0)
            return -1;
    return 0;
}

/* The request and its files are received, or sent. */
static int move_request(int fd, request *r, int files[FILES], int receive) {
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(FILES * sizeof(int))];
    } control = {0};
    struct iovec data = {r, sizeof *r};
    struct msghdr m = {.msg_iov = &data,
                       .msg_iovlen = 1,
                       .msg_control = &control,
                       .msg_controllen = sizeof control};
    if (receive) {
        if (recvmsg(fd, &m, MSG_WAITALL | MSG_CMSG_CLOEXEC) != sizeof *r || !CMSG_FIRSTHDR(&m))
            return -1;
        memcpy(files, CMSG_DATA(CMSG_FIRSTHDR(&m)), FILES * sizeof(int));
        return 0;
    }
    struct cmsghdr *c = CMSG_FIRSTHDR(&m);
    *c = (struct cmsghdr){CMSG_LEN(FILES * sizeof(int)), SOL_SOCKET, SCM_RIGHTS};
    memcpy(CMSG_DATA(c), files, FILES * sizeof(int));
    return sendmsg(fd, &m, 0) == sizeof *r ? 0 : -1;
}

#ifdef STANDS_READY

typedef int main_function(int, char **, char **);
typedef int start_function(main_function *, int, char **, void (*)(void), void (*)(void),
                           void (*)(void), void *);

static char asks_for_clang[PATH_MAX], clang[PATH_MAX]; /* what is beside the socket */

/* Whether it opens libraries after its start, and how it was loaded itself. */
static int loads_later;
static const char *own_path, *own_preload;

static int is_other(const char *variable, const char *own) {
    const char *value = getenv(variable);
    return strcmp(value ? value : "", own ? own : "") != 0;
}

/* In the fork: the words of `r` are its arguments and environment. */
static char **take(int fd, const request *r, const int files[FILES]) {
    char *words = malloc(r->bytes),
         **list = calloc((size_t)(r->arguments + r->variables) + 2, sizeof *list), **at = list;
    if (!words || !list || read_all(fd, words, r->bytes) || fchdir(files[3]))
        _exit(125);
    for (int i = 0; i < r->arguments + r->variables; i++) {
        at += i == r->arguments;
        *at++ = words;
        words += strlen(words) + 1;
    }
    environ = list + r->arguments + 1;
    umask(r->mask);
    for (int i = 0; i < 3; i++)
        dup2(files[i], i);
    for (int i = 0; i < FILES; i++)
        close(files[i]);
    for (int i = 0; i < RLIM_NLIMITS; i++)
        setrlimit(i, &r->limits[i]);
    for (int i = 1; i < 64; i++)
        signal(i, r->ignored >> i & 1 ? SIG_IGN : SIG_DFL);
    if (loads_later &&
        (is_other("LD_LIBRARY_PATH", own_path) || is_other("LD_PRELOAD", own_preload)))
        execv("/proc/self/exe", list);
    return list;
}

/* What runs for whom. */
static struct running {
    int fd;
    pid_t child;
} running[MOST];

static size_t running_count;

/* Returns in the fork only, with its arguments. */
static char **serve(int listener, int *argc) {
    sigset_t ends, before;
    sigemptyset(&ends);
    sigaddset(&ends, SIGCHLD);
    sigprocmask(SIG_BLOCK, &ends, &before);
    int ended = signalfd(-1, &ends, SFD_CLOEXEC | SFD_NONBLOCK);
    for (;;) {
        struct pollfd waits[2 + MOST] = {{.fd = listener, .events = POLLIN},
                                         {.fd = ended, .events = POLLIN}};
        struct signalfd_siginfo info;
        for (size_t i = 0; i < running_count; i++)
            waits[2 + i] = (struct pollfd){.fd = running[i].fd};
        poll(waits, 2 + running_count, -1);
        while (read(ended, &info, sizeof info) > 0)
            continue;
        for (size_t i = running_count; i-- > 0;) {
            int status;
            if (waits[2 + i].revents & POLLHUP)
                kill(running[i].child, SIGKILL);
            if (waitpid(running[i].child, &status, WNOHANG) != running[i].child)
                continue;
            write_all(running[i].fd, &status, sizeof status);
            close(running[i].fd);
            running[i] = running[--running_count];
        }
        if (!(waits[0].revents & POLLIN) || running_count == MOST)
            continue;
        request r;
        int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC), files[FILES];
        if (move_request(fd, &r, files, 1)) {
            close(fd);
            continue;
        }
        pid_t child = fork();
        if (!child) {
            sigprocmask(SIG_SETMASK, &before, NULL);
            char **argv = take(fd, &r, files);
            close(fd);
            close(ended);
            close(listener);
            for (size_t i = 0; i < running_count; i++)
                close(running[i].fd);
            *argc = r.arguments;
            return argv;
        }
        for (int i = 0; i < FILES; i++)
            close(files[i]);
        write_all(fd, &child, sizeof child);
        running[running_count++] = (struct running){fd, child};
    }
}

static main_function *program_main;

/* Destructors of libraries would copy the pages of a fork one by one. */
static int run_and_end(int argc, char **argv, char **variables) {
    int status = program_main(argc, argv, variables);
    fflush(NULL);
    _exit(status);
}

int __libc_start_main(main_function *program, int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*linker_fini)(void), void *stack_end) {
    start_function *start = (start_function *)dlsym(RTLD_NEXT, "__libc_start_main");
    const char *path = getenv("STANDS_READY");
    struct sockaddr_un address;
    int listener = path ? socket_at(path, &address) : -1;
    if (listener >= 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        signal(SIGPIPE, SIG_IGN);
        own_path = getenv("LD_LIBRARY_PATH");
        own_preload = strchr(getenv("LD_PRELOAD"), ' ');
        own_preload += own_preload != NULL;
        strcpy(asks_for_clang, path);
        char *name = strrchr(asks_for_clang, '/') + 1;
        loads_later = strcmp(name, "clang.socket") != 0;
        strcpy(name, "clang.plain");
        if (readlink(asks_for_clang, clang, sizeof clang - 1) < 0)
            _exit(125);
        strcpy(name, "clang");
        if (bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 100))
            _exit(125);
        argv = serve(listener, &argc);
        program_main = program;
        program = run_and_end;
    }
    return start(program, argc, argv, init, fini, linker_fini, stack_end);
}

typedef int spawn_function(pid_t *, const char *, const posix_spawn_file_actions_t *,
                           const posix_spawnattr_t *, char *const *, char *const *);

int posix_spawn(pid_t *child, const char *path, const posix_spawn_file_actions_t *actions,
                const posix_spawnattr_t *attributes, char *const argv[], char *const envp[]) {
    spawn_function *spawn = (spawn_function *)dlsym(RTLD_NEXT, "posix_spawn");
    if (*clang && !strcmp(path, clang))
        path = asks_for_clang;
    return spawn(child, path, actions, attributes, argv, envp);
}

#else

static pid_t child;

static void pass_on(int signal_number) { kill(child, signal_number); }

/* Waits until the program is ready. */
static int connected(const char *name) {
    char path[PATH_MAX + 8];
    struct sockaddr_un address;
    snprintf(path, sizeof path, "%s.socket", name);
    int fd = socket_at(path, &address);
    for (int tries = 0; connect(fd, (struct sockaddr *)&address, sizeof address); tries++) {
        if (tries > 10000)
            exit(125);
        usleep(5000);
    }
    return fd;
}

/* Whether the one at the other end sees the same files, and all of `files` are there. */
static int can_ask(int fd, const int files[FILES]) {
    struct ucred server;
    struct stat own, other;
    char path[64];
    socklen_t size = sizeof server;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &server, &size))
        return 0;
    snprintf(path, sizeof path, "/proc/%d/ns/mnt", (int)server.pid);
    for (int i = 0; i < FILES; i++)
        if (fcntl(files[i], F_GETFD) < 0)
            return 0;
    return !stat(path, &other) && !stat("/proc/self/ns/mnt", &own) && own.st_ino == other.st_ino;
}

int main(int argc, char **argv) {
    char name[PATH_MAX] = "";
    if (readlink("/proc/self/exe", name, sizeof name - 10) < 0)
        return 125;
    request r = {.arguments = argc, .mask = umask(0)};
    int files[FILES] = {0, 1, 2, open(".", O_PATH | O_CLOEXEC)}, status;
    for (int i = 0; i < RLIM_NLIMITS; i++)
        getrlimit(i, &r.limits[i]);
    for (int i = 1; i < 64; i++) {
        struct sigaction action;
        if (!sigaction(i, NULL, &action) && action.sa_handler == SIG_IGN)
            r.ignored |= UINT64_C(1) << i;
    }
    for (char **v = environ; *v; v++)
        r.variables++;
    char **lists[] = {argv, environ}, *words = NULL;
    for (int i = 0; i < 2; i++)
        for (char **word = lists[i]; *word; word++) {
            size_t size = strlen(*word) + 1;
            words = realloc(words, r.bytes + size);
            memcpy(words + r.bytes, *word, size);
            r.bytes += size;
        }
    int fd = connected(name);
    if (!can_ask(fd, files)) {
        umask(r.mask);
        close(fd);
        execv(strcat(name, ".plain"), argv);
        return 125;
    }
    if (move_request(fd, &r, files, 0) || write_all(fd, words, r.bytes) ||
        read_all(fd, &child, sizeof child))
        return 125;
    if (!(r.ignored >> SIGINT & 1))
        signal(SIGINT, pass_on);
    signal(SIGTERM, pass_on);
    if (read_all(fd, &status, sizeof status))
        return 125;
    if (WIFSIGNALED(status)) {
        signal(WTERMSIG(status), SIG_DFL);
        raise(WTERMSIG(status));
    }
    return WEXITSTATUS(status);
}

#endif
