/* Calls of heddle with a limit on their memory and their time, and what was wrong with them. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "files.h"

enum { MOST_MESSAGES = 1 << 20, SANITIZER_STATUS = 99, LONGEST_WORD = 100000 };
enum { WAITING = 6 }; /* times its processor time a call may take by the clock */

/* How a call ended. */
typedef struct ending {
    int status; /* of waitpid() */
    bool asked, killed;
} ending;

/* ---- the child ---------------------------------------------------------------------- */

static void become(const limits *l, const char *database, const char *messages, char **words) {
    char options[256];
    snprintf(options, sizeof options,
             "exitcode=%d:allocator_may_return_null=1:max_allocation_size_mb=%u:"
             "soft_rss_limit_mb=%u:hard_rss_limit_mb=%u",
             SANITIZER_STATUS, l->megabytes, l->megabytes, 2 * l->megabytes);
    setenv("ASAN_OPTIONS", options, 1);
    setenv("UBSAN_OPTIONS", "exitcode=99:print_stacktrace=1", 1);
    setenv("HEDDLE_DATABASE", database, 1);
    setpgid(0, 0);
    int in = open("/dev/null", O_RDONLY), out = open("/dev/null", O_WRONLY);
    int err = open(messages, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (chdir(l->folder) || in < 0 || out < 0 || err < 0)
        _exit(98);
    dup2(in, 0);
    dup2(out, 1);
    dup2(err, 2);
    execv(words[0], words);
    _exit(98);
}

/* The time that a call has had: by the clock, and of processors. */
typedef struct spent {
    double clock, processors;
} spent;

static spent spent_by(pid_t child) {
    clockid_t clock;
    struct timespec t = {0};
    if (!clock_getcpuclockid(child, &clock))
        clock_gettime(clock, &t);
    return (spent){hd_clock(), (double)t.tv_sec + 1e-9 * (double)t.tv_nsec};
}

/* On a loaded machine the clock runs on while a call waits for a processor; only one that waits
 * for something else gets to the longer limit. */
static bool is_over(spent since, spent now, double seconds) {
    double clock = now.clock - since.clock, processors = now.processors - since.processors;
    return (clock > seconds && processors > seconds) || clock > WAITING * seconds;
}

/* Waits for the call; asks it to end when its time is up, and kills it a second later. */
static ending wait_for(const limits *l, pid_t child) {
    ending e = {0};
    spent begin = {hd_clock(), 0}, asked = begin;
    while (waitpid(child, &e.status, WNOHANG) == 0) {
        spent now = spent_by(child);
        if (!e.asked && is_over(begin, now, l->seconds)) {
            kill(child, SIGTERM);
            e.asked = true;
            asked = now;
        }
        if (e.asked && !e.killed && is_over(asked, now, 1)) {
            kill(-child, SIGKILL);
            e.killed = true;
        }
        usleep(2000);
    }
    kill(-child, SIGKILL); /* what it has started */
    return e;
}

/* ---- the verdict ---------------------------------------------------------------------- */

/* The first file in the folder of outputs, or NULL. They are removed. */
static const char *take_outputs(hd_arena *arena, const char *folder) {
    const char *first = NULL;
    DIR *open = opendir(folder);
    for (struct dirent *e; open && (e = readdir(open));) {
        if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
            continue;
        if (!first)
            first = hd_strdup(arena, e->d_name);
        unlink(hd_format(arena, "%s/%s", folder, e->d_name));
    }
    if (open)
        closedir(open);
    return first;
}

/* The last messages of a call. */
static const char *read_messages(hd_arena *arena, const char *path) {
    int fd = open(path, O_RDONLY);
    char *text = hd_alloc(arena, MOST_MESSAGES + 1);
    ssize_t length = fd < 0 ? 0 : read(fd, text, MOST_MESSAGES);
    if (fd >= 0)
        close(fd);
    text[length > 0 ? length : 0] = '\0';
    return text;
}

static const char *judge(hd_arena *arena, const kind *k, const ending *e, const char *messages,
                         const char *written) {
    bool out_of_memory = strstr(messages, "out of memory") != NULL;
    int status = WIFEXITED(e->status) ? WEXITSTATUS(e->status) : -1;
    if (e->killed)
        return "it did not end when it was asked to";
    if (WIFSIGNALED(e->status) && e->asked && WTERMSIG(e->status) == SIGTERM)
        return "it took too long";
    if (WIFSIGNALED(e->status))
        return hd_format(arena, "signal %d: %s", WTERMSIG(e->status), messages);
    if (status == SANITIZER_STATUS)
        return hd_format(arena, "the sanitizer: %s", messages);
    if (status == 130 && e->asked)
        return NULL;
    if (status != 0 && status != 1 && status != 2)
        return hd_format(arena, "exit status %d: %s", status, messages);
    if (status == 2 && !strstr(messages, "error: "))
        return hd_format(arena, "exit status 2 without an error: %s", messages);
    if (status == 2 && out_of_memory && !k->may_want_memory)
        return hd_format(arena, "it asks for too much memory: %s", messages);
    if (status == 2 && written)
        return hd_format(arena, "exit status 2, but it wrote %s", written);
    return NULL;
}

static void put_input(const char *path, const bytes *input) {
    static const char *const of_sqlite[] = {"-wal", "-shm", "-journal"};
    const hd_diag silent = {NULL, NULL};
    for (size_t i = 0; i < sizeof of_sqlite / sizeof *of_sqlite; i++) {
        char beside[512];
        snprintf(beside, sizeof beside, "%s%s", path, of_sqlite[i]);
        unlink(beside);
    }
    if (hd_write_file(&silent, path, input->data, input->length))
        abort();
}

const char *try_call(hd_arena *arena, const limits *l, const kind *k, const char *const *call,
                     const char *path, const bytes *input) {
    char *words[MOST_WORDS + 2] = {(char *)l->program};
    const char *outputs = hd_format(arena, "%s/out", l->folder);
    const char *errors = hd_format(arena, "%s/errors", l->folder);
    size_t count = 1;
    for (; *call; call++)
        words[count++] =
            !strcmp(*call, "@") ? (char *)path
            : !strcmp(*call, "$")
                ? hd_strndup(arena, (char *)input->data, strnlen((char *)input->data, LONGEST_WORD))
            : !strcmp(*call, "+") ? hd_format(arena, "%s/result", outputs)
                                  : (char *)*call;
    put_input(path, input);
    folder_state before = k->begin ? k->begin(arena, l, path, input) : (folder_state){0};
    fflush(stdout);
    pid_t child = fork();
    if (child == 0)
        become(l, k->is_database ? path : "profiles.db", errors, words);
    if (child < 0)
        abort();
    ending e = wait_for(l, child);
    const char *written = take_outputs(arena, outputs);
    const char *wrong = judge(arena, k, &e, read_messages(arena, errors), written);
    bool refused = WIFEXITED(e.status) && WEXITSTATUS(e.status) == 2;
    const char *changed = k->check ? k->check(l, before, refused) : NULL;
    return wrong ? wrong : changed;
}
