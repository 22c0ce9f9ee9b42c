/*
 * Runs clang's driver as a process of its own: source in, bitcode out through
 * a pipe, messages through another. A crash of the compiler cannot hurt us,
 * and there is no temporary file to forget.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "frontend/clang/internal.h"

enum { MAX_WARNINGS = 20 };

extern char **environ;

/* ---- the process ----------------------------------------------------- */

/* -O1 with no passes: code as written, but marked for optimisation. Without
 * lifetime markers a `break` is a plain branch; 3-vectors stay 3-vectors. */
static const char fixed_options[] =
    "-g -O1 -Xclang -disable-llvm-passes -Xclang -disable-lifetime-markers "
    "-Xclang -fpreserve-vec3-type -fno-color-diagnostics -fno-caret-diagnostics "
    "-fdiagnostics-format=clang -fmessage-length=0 -ferror-limit=20 -emit-llvm -c -o - --";

static int start(char **words, int output, int messages, pid_t *child) {
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);
    if (error)
        return error;
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", 0, 0);
    posix_spawn_file_actions_adddup2(&actions, output, 1);
    posix_spawn_file_actions_adddup2(&actions, messages, 2);
    error = posix_spawn(child, words[0], &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

/* Reads both pipes to their end, whichever has something first. */
static void drain(int fds[2], hd_str *texts[2]) {
    struct pollfd waiting[2] = {{fds[0], POLLIN, 0}, {fds[1], POLLIN, 0}};
    static const size_t part_size = 1 << 16;
    char *part = hd_alloc(texts[0]->arena, part_size);
    for (int open_count = 2; open_count;) {
        if (poll(waiting, 2, -1) < 0 && errno != EINTR)
            return;
        for (int i = 0; i < 2; i++) {
            if (waiting[i].fd < 0 || !waiting[i].revents)
                continue;
            ssize_t got = read(fds[i], part, part_size);
            if (got > 0)
                hd_str_addn(texts[i], part, (size_t)got);
            else if (got == 0 || errno != EINTR) {
                waiting[i].fd = -1;
                open_count--;
            }
        }
    }
}

/* Runs the command; *exit_status as waitpid gives it. */
static hd_status run(front_state *front, char **words, hd_str *output, hd_str *messages,
                     int *exit_status) {
    int out[2], err[2];
    if (pipe2(out, O_CLOEXEC))
        return hd_fail(front->diag, HD_ESYSTEM, NULL, "cannot make a pipe: %s", strerror(errno));
    if (pipe2(err, O_CLOEXEC)) {
        close(out[0]);
        close(out[1]);
        return hd_fail(front->diag, HD_ESYSTEM, NULL, "cannot make a pipe: %s", strerror(errno));
    }
    pid_t child;
    int error = start(words, out[1], err[1], &child);
    close(out[1]);
    close(err[1]);
    if (!error) {
        drain((int[]){out[0], err[0]}, (hd_str *[]){output, messages});
        while (waitpid(child, exit_status, 0) < 0 && errno == EINTR)
            ;
    }
    close(out[0]);
    close(err[0]);
    if (error)
        return hd_fail(front->diag, HD_ESYSTEM, NULL, "cannot run %s: %s; install clang", words[0],
                       strerror(error));
    return HD_OK;
}

/* ---- its messages ---------------------------------------------------- */

static const struct severity_word {
    const char *word;
    hd_severity severity;
} severity_words[] = {
    {"fatal error: ", HD_ERROR},
    {"error: ", HD_ERROR},
    {"warning: ", HD_WARNING},
    {"note: ", HD_NOTE},
};

/* Cuts ":number" from the end of `text`; false when there is none. */
static bool cut_number(char *text, unsigned *number) {
    char *colon = strrchr(text, ':');
    if (!colon || !isdigit((unsigned char)colon[1]))
        return false;
    char *end;
    unsigned long value = strtoul(colon + 1, &end, 10);
    if (*end)
        return false;
    *number = (unsigned)value;
    *colon = '\0';
    return true;
}

/* "file:line:column" before a message; anything else (a program's name) has no place. */
static hd_place place_of_prefix(front_state *front, char *prefix) {
    unsigned line = 0, column = 0;
    if (!cut_number(prefix, &column))
        return (hd_place){.file = front->path};
    if (!cut_number(prefix, &line)) {
        line = column;
        column = 0;
    }
    return front_place(front, prefix, line, column);
}

/* Finds "severity: " at the start of a line or after ": ". */
static const struct severity_word *find_severity(const char *line, const char **at) {
    for (const char *here = line; here; here = strstr(here, ": ")) {
        here += here == line ? 0 : 2;
        for (size_t i = 0; i < sizeof severity_words / sizeof *severity_words; i++)
            if (!strncmp(here, severity_words[i].word, strlen(severity_words[i].word))) {
                *at = here;
                return &severity_words[i];
            }
    }
    return NULL;
}

typedef struct message_counts {
    unsigned errors, warnings;
    bool last_shown; /* notes belong to the message before them */
} message_counts;

static void pass_on(front_state *front, char *line, message_counts *counts) {
    const char *at;
    const struct severity_word *found = find_severity(line, &at);
    if (!found)
        return; /* "In file included from", "1 error generated." */
    const char *text = at + strlen(found->word);
    char *prefix = hd_strndup(front->arena, line, at - line >= 2 ? (size_t)(at - line) - 2 : 0);
    hd_place place = place_of_prefix(front, prefix);
    if (found->severity == HD_ERROR) {
        counts->errors++;
        counts->last_shown = true;
        hd_fail(front->diag, HD_EINPUT, &place, "%s", text);
    } else if (found->severity == HD_WARNING) {
        counts->last_shown = counts->warnings++ < MAX_WARNINGS;
        if (counts->last_shown)
            hd_warn(front->diag, &place, "%s", text);
    } else if (counts->last_shown) {
        hd_note(front->diag, &place, "%s", text);
    }
}

hd_status front_compile(front_state *front, hd_str *bitcode) {
    uint32_t fixed_count;
    char **fixed = hd_split_words(front->arena, fixed_options, &fixed_count);
    char **words = hd_new_array(front->arena, char *, front->language.count + fixed_count + 3);
    size_t n = 0;
    words[n++] = hd_strdup(front->arena, front_clang(front));
    for (size_t i = 0; i < front->language.count; i++)
        words[n++] = hd_strdup(front->arena, front->language.data[i]);
    for (size_t i = 0; i < fixed_count; i++)
        words[n++] = fixed[i];
    words[n] = hd_strdup(front->arena, front->path);
    hd_str messages = {.arena = front->arena};
    int exit_status = 0;
    hd_status status = run(front, words, bitcode, &messages, &exit_status);
    if (status)
        return status;
    message_counts counts = {0};
    char *copy = hd_strdup(front->arena, hd_str_text(&messages)), *rest = NULL;
    for (char *line = strtok_r(copy, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        pass_on(front, line, &counts);
    if (counts.warnings > MAX_WARNINGS)
        hd_note(front->diag, &(hd_place){.file = front->path}, "%u more warnings are not shown",
                counts.warnings - MAX_WARNINGS);
    hd_place place = {.file = front->path};
    if (exit_status && counts.errors)
        return HD_EINPUT;
    if (exit_status)
        return hd_fail(front->diag, HD_ESYSTEM, &place, "%s failed (wait status %d): %.200s",
                       words[0], exit_status, hd_str_text(&messages));
    if (bitcode->length < 4 || memcmp(bitcode->data, "BC\xc0\xde", 4))
        return hd_fail(front->diag, HD_EINPUT, &place,
                       "clang made no code; leave options like -E, -S or -fsyntax-only out");
    return HD_OK;
}
