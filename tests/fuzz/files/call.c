/* Calls of heddle with a limit on their memory and their time, and what was wrong with them. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "files.h"

enum { MOST_MESSAGES = 1 << 20, SANITIZER_STATUS = 99, LONGEST_WORD = 100000 };

/* How a call ended. */
typedef struct ending {
    int status; /* of waitpid() */
    bool asked, killed;
} ending;

/* ---- the child ---------------------------------------------------------------------- */

static void become(const limits *l, const char *messages, char **words) {
    char options[256];
    snprintf(options, sizeof options,
             "exitcode=%d:allocator_may_return_null=1:max_allocation_size_mb=%u:"
             "soft_rss_limit_mb=%u:hard_rss_limit_mb=%u",
             SANITIZER_STATUS, l->megabytes, l->megabytes, 2 * l->megabytes);
    setenv("ASAN_OPTIONS", options, 1);
    setenv("UBSAN_OPTIONS", "exitcode=99:print_stacktrace=1", 1);
    setenv("HEDDLE_DATABASE", "profiles.db", 0);
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

static double ask_after(const limits *l) { return hd_clock() + l->seconds; }

/* Waits for the call; asks it to end when its time is up, and kills it a second later. */
static ending wait_for(const limits *l, pid_t child) {
    ending e = {0};
    double ask = ask_after(l);
    while (waitpid(child, &e.status, WNOHANG) == 0) {
        double now = hd_clock();
        if (now > ask && !e.asked) {
            kill(child, SIGTERM);
            e.asked = true;
        }
        if (now > ask + 1 && !e.killed) {
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
    if (status == SANITIZER_STATUS || strstr(messages, "Sanitizer"))
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
    fflush(stdout);
    pid_t child = fork();
    if (child == 0)
        become(l, errors, words);
    if (child < 0)
        abort();
    ending e = wait_for(l, child);
    const char *written = take_outputs(arena, outputs);
    return judge(arena, k, &e, read_messages(arena, errors), written);
}
