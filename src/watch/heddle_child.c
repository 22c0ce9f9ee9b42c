#include "watch/heddle_child.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Libraries lie beside the program that was built, or in lib/heddle below the prefix; or two folders
 * farther down. */
static const char *find_program(hd_arena *arena) {
    Dl_info own;
    if (!dladdr((const void *)(uintptr_t)hd_child_run, &own) || !own.dli_fname)
        return NULL;
    const char *folder = hd_path_folder(arena, own.dli_fname);
    const char *const places[] = {"heddle", "../../bin/heddle", "../../heddle",
                                  "../../../../bin/heddle"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const char *file = hd_format(arena, "%s/%s", folder, places[i]);
        if (!access(file, X_OK))
            return file;
    }
    return NULL;
}

static bool is_named(const char *setting, const char *name) {
    const size_t length = strlen(name);
    return !strncmp(setting, name, length) && setting[length] == '=';
}

/* Without what is meant for the program: the layer, and Heddle's libraries in place of CUDA's. */
static char **own_environment(hd_arena *arena) {
    size_t count = 0, kept = 0;
    while (environ[count])
        count++;
    char **list = hd_new_array(arena, char *, count + 1);
    for (size_t i = 0; i < count; i++)
        if (!is_named(environ[i], "OPENCL_LAYERS") && !is_named(environ[i], "LD_LIBRARY_PATH") &&
            !is_named(environ[i], "LD_PRELOAD") && strncmp(environ[i], "HEDDLE_", 7) != 0)
            list[kept++] = environ[i];
    return list;
}

static const char *read_all(hd_arena *arena, const char *path) {
    char *text;
    size_t length;
    return hd_read_file(arena, &hd_silent, path, &text, &length) ? "" : text;
}

const char *hd_replaced(hd_arena *arena, const char *text, const char *from, const char *to) {
    const char *at;
    hd_str all = {.arena = arena};
    while ((at = strstr(text, from))) {
        hd_str_addn(&all, text, (size_t)(at - text));
        hd_str_add(&all, to);
        text = at + strlen(from);
    }
    hd_str_add(&all, text);
    return hd_str_text(&all);
}

const char *hd_child_error(hd_arena *arena, const hd_child_printed *printed, const char *folder) {
    static const char mark[] = "error: ";
    const char *at = strstr(printed->errors, mark);
    if (!at)
        return "heddle failed";
    at += strlen(mark);
    return hd_replaced(arena, hd_strndup(arena, at, strcspn(at, "\n")),
                       hd_format(arena, "%s/", folder), "");
}

const char *hd_child_run(hd_arena *arena, const char *const *words, const char *folder,
                         hd_child_printed *printed) {
    const char *file = find_program(arena), *out = hd_format(arena, "%s/printed", folder),
               *errors = hd_format(arena, "%s/said", folder);
    const int how = O_WRONLY | O_CREAT | O_TRUNC;
    size_t count = 0;
    while (words[count])
        count++;
    const char **all = hd_new_array(arena, const char *, count + 2);
    all[0] = file;
    memcpy(all + 1, words, count * sizeof *all);
    posix_spawn_file_actions_t actions;
    pid_t child;
    *printed = (hd_child_printed){"", ""};
    if (!file)
        return "there is no heddle program beside Heddle's libraries";
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out, how, 0600);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errors, how, 0600);
    const int error =
        posix_spawn(&child, file, &actions, NULL, (char *const *)all, own_environment(arena));
    posix_spawn_file_actions_destroy(&actions);
    if (error)
        return hd_format(arena, "cannot run %s: %s", file, strerror(error));
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
        ;
    *printed = (hd_child_printed){read_all(arena, out), read_all(arena, errors)};
    return NULL;
}
