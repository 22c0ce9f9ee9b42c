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

#include "frontend/clang/clang.h"
#include "frontend/clang/internal.h"

enum {
    MAX_WARNINGS = 20, /* that are shown */
    MAX_ERRORS = 20,
    MAX_ROUNDS = 10 /* of leaving something out */
};

extern char **environ;

/* ---- the process ----------------------------------------------------- */

/* -O1 with no passes: code as written, but marked for optimisation, with loops that may be unrolled.
 * Without lifetime markers a `break` is a plain branch; 3-vectors stay 3-vectors. */
static const char fixed_options[] =
    "-g -O1 -funroll-loops -Xclang -disable-llvm-passes -Xclang -disable-lifetime-markers "
    "-Xclang -fpreserve-vec3-type -fno-color-diagnostics -fno-caret-diagnostics "
    "-fdiagnostics-format=clang -fmessage-length=0 -ferror-limit=1000 -emit-llvm -c -o - --";

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

hd_status front_run(front_state *front, const front_words *command, hd_str *output,
                    hd_str *messages, int *exit_status) {
    int out[2], err[2];
    char **words = hd_new_array(front->arena, char *, command->count + 1);
    for (size_t i = 0; i < command->count; i++)
        words[i] = hd_strdup(front->arena, command->data[i]);
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

/* "In file included from FILE:LINE:" or ":LINE,"; what it leads to stands in that line. */
static bool take_include(front_state *front, char *line, hd_place *from) {
    static const char *const starts[] = {"In file included from ", "                 from "};
    for (size_t i = 0; i < 2; i++)
        if (starts_with(line, starts[i])) {
            char *prefix = line + strlen(starts[i]);
            prefix[strcspn(prefix, ",")] = '\0';
            if (hd_ends_in(prefix, ":"))
                prefix[strlen(prefix) - 1] = '\0';
            hd_place place = place_of_prefix(front, prefix);
            if (!front_is_system_file(front, place.file))
                *from = place;
            return true;
        }
    return false;
}

/* The last error leads back to what its notes name first of the user's. */
static void trace_back(front_state *front, front_messages *messages, const hd_place *note) {
    front_message *error = NULL;
    for (size_t i = messages->count; i && !error; i--)
        if (messages->data[i - 1].severity != HD_NOTE)
            error = &messages->data[i - 1];
    if (!error || error->severity != HD_ERROR || error->masked.line || !note->line ||
        front_is_system_file(front, note->file))
        return;
    /* A declaration without the attributes that the definition has is what nvcc passes over. */
    if (front_is_system_file(front, error->place.file) || strstr(error->text, " cannot overload "))
        error->masked = *note;
}

static void take_message(front_state *front, char *line, hd_place *included,
                         front_messages *messages) {
    const char *at;
    if (take_include(front, line, included))
        return;
    const struct severity_word *found = find_severity(line, &at);
    if (!found)
        return; /* "1 error generated." */
    char *prefix = hd_strndup(front->arena, line, at - line >= 2 ? (size_t)(at - line) - 2 : 0);
    front_message made = {.severity = found->severity,
                          .status = HD_EINPUT,
                          .place = place_of_prefix(front, prefix),
                          .text = at + strlen(found->word)};
    if (found->severity == HD_NOTE)
        trace_back(front, messages, &made.place);
    else if (included->line && front_is_system_file(front, made.place.file))
        made.masked = *included;
    *included = (hd_place){0};
    hd_push(front->arena, messages, made);
}

/* All the functions for images that a wrong call might have meant. */
static bool is_of_own_header(const front_message *note) {
    return note->place.file && starts_with(hd_path_name(note->place.file), "heddle_");
}

hd_status front_tell(front_state *front, const front_messages *messages) {
    unsigned warnings = 0, errors = 0;
    bool last_shown = false; /* notes belong to the message before them */
    hd_status status = HD_OK;
    for (size_t i = 0; i < messages->count; i++) {
        const front_message *m = &messages->data[i];
        if (m->severity == HD_ERROR) {
            last_shown = errors++ < MAX_ERRORS;
            status = status ? status : m->status;
            if (last_shown)
                hd_fail(front->diag, m->status, &m->place, "%s", m->text);
        } else if (m->severity == HD_WARNING) {
            last_shown = warnings++ < MAX_WARNINGS;
            if (last_shown)
                hd_warn(front->diag, &m->place, "%s", m->text);
        } else if (last_shown && !is_of_own_header(m)) {
            hd_note(front->diag, &m->place, "%s", m->text);
        }
    }
    const hd_place file = {.file = front->path};
    if (errors > MAX_ERRORS)
        hd_note(front->diag, &file, "%u more errors are not shown", errors - MAX_ERRORS);
    if (warnings > MAX_WARNINGS)
        hd_note(front->diag, &file, "%u more warnings are not shown", warnings - MAX_WARNINGS);
    return status;
}

/* ---- compiling what compiles ------------------------------------------------- */

static uint32_t count_errors(const front_messages *messages) {
    uint32_t count = 0;
    for (size_t i = 0; i < messages->count; i++)
        count += messages->data[i].severity == HD_ERROR;
    return count;
}

/* Runs clang over the file, with these words behind those of the language. */
static hd_status run_clang(front_state *front, const char *last_words, hd_str *output,
                           hd_str *messages, int *exit_status) {
    front_words words = {0};
    hd_push(front->arena, &words, front_clang(front));
    front_add_list(front, &words, &front->language);
    hd_status status = front_mask_words(front, &words);
    if (status)
        return status;
    if (front->masks.count) /* a body that lacks a statement */
        hd_push(front->arena, &words, "-Wno-return-type");
    front_add_words(front, &words, last_words);
    hd_push(front->arena, &words, front->path);
    return front_run(front, &words, output, messages, exit_status);
}

/* An error only where clang did not run as it should. */
static hd_status make_once(front_state *front, const char *options, hd_str *output,
                           front_messages *found) {
    hd_str messages = {.arena = front->arena};
    int exit_status = 0;
    hd_status status = run_clang(front, options, output, &messages, &exit_status);
    if (status)
        return status;
    hd_place included = {0};
    char *copy = hd_strdup(front->arena, hd_str_text(&messages)), *rest = NULL;
    for (char *line = strtok_r(copy, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        take_message(front, line, &included, found);
    hd_place place = {.file = front->path};
    if (exit_status && !count_errors(found))
        return hd_fail(front->diag, HD_ESYSTEM, &place, "%s failed (wait status %d): %.200s",
                       front_clang(front), exit_status, hd_str_text(&messages));
    return HD_OK;
}

static hd_status compile_once(front_state *front, hd_str *bitcode, front_messages *found) {
    hd_status status = make_once(front, fixed_options, bitcode, found);
    const hd_place place = {.file = front->path};
    if (!status && !count_errors(found) &&
        (bitcode->length < 4 || memcmp(bitcode->data, "BC\xc0\xde", 4)))
        return hd_fail(front->diag, HD_EINPUT, &place,
                       "clang made no code; leave options like -E, -S or -fsyntax-only out");
    return status;
}

/* ---- PTX ------------------------------------------------------------------------------- */

static const char ptx_options[] =
    "-O3 -fno-color-diagnostics -fno-caret-diagnostics -fdiagnostics-format=clang "
    "-fmessage-length=0 -ferror-limit=1000 -S -o - --";

hd_status front_clang_ptx(hd_arena *arena, const hd_diag *diag, const char *path,
                          const char *options, const char **text) {
    front_state front = front_of(arena, diag, path, options, "cuda");
    hd_str ptx = {.arena = arena};
    front_messages found = {0};
    hd_status status = front_language(&front);
    if (!status)
        status = make_once(&front, ptx_options, &ptx, &found);
    if (!status)
        status = front_tell(&front, &found);
    if (front.macros >= 0)
        close(front.macros);
    *text = hd_str_text(&ptx);
    return status;
}

/* ---- headers that are missing ------------------------------------------------------ */

static const char missing[] = "' file not found";

/* In a list of what the file includes, missing headers go by the names that it has for them:
 * "a.o: a.cu /usr/include/x.h helper.h \". They are empty from now on. */
static void find_missing_headers(front_state *front) {
    hd_str list = {.arena = front->arena}, messages = {.arena = front->arena};
    int exit_status = 0;
    uint32_t count;
    if (run_clang(front, "-w -M -MG --", &list, &messages, &exit_status))
        return;
    const char *names = strstr(hd_str_text(&list), ": ");
    char **name = hd_split_words(front->arena, names ? names + 2 : "", &count);
    for (uint32_t i = 0; i < count; i++)
        if (*name[i] != '/' && *name[i] != '.' && *name[i] != '\\' && access(name[i], R_OK))
            front_mask_header(front, name[i]);
}

/* The one that an error names. */
static const char *missing_header(front_state *front, const front_messages *messages) {
    for (size_t i = 0; i < messages->count; i++) {
        const char *text = messages->data[i].text;
        if (*text == '\'' && hd_ends_in(text, missing))
            return hd_strndup(front->arena, text + 1, strcspn(text + 1, "'"));
    }
    return NULL;
}

/* Leaves out what has an error; false where that is nothing more. */
static bool mask_errors(front_state *front, const front_messages *messages) {
    size_t headers = front->missing.count;
    const char *header = missing_header(front, messages);
    bool found = false;
    if (header)
        find_missing_headers(front);
    if (header && front->missing.count == headers)
        front_mask_header(front, header); /* the list ends at the first #error */
    if (header)
        return true;
    for (size_t i = 0; i < messages->count; i++)
        if (messages->data[i].severity == HD_ERROR)
            found |= front_mask_error(front, &messages->data[i]);
    return found;
}

hd_status front_compile(front_state *front, hd_str *bitcode) {
    bool lacks_headers = true; /* and nothing else was found so far */
    for (int round = 0;; round++) {
        front_messages messages = {0};
        bitcode->length = 0;
        hd_status status = compile_once(front, bitcode, &messages);
        if (status)
            return status;
        uint32_t errors = count_errors(&messages);
        for (size_t i = 0; i < messages.count && errors && lacks_headers; i++)
            hd_push(front->arena, &front->errors, messages.data[i]);
        lacks_headers &= missing_header(front, &messages) != NULL;
        if (!errors)
            return front_tell(front, &messages);
        if (round == MAX_ROUNDS || !mask_errors(front, &messages))
            return front_tell(front, &front->errors);
    }
}
