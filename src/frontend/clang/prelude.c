/*
 * The headers that stand before every CUDA C file, which are most of what clang and libclang read
 * of one, precompiled: made when first asked for, and kept for later runs.
 *
 *     ~/.cache/heddle/cuda-KEY.pch     what clang made of them
 *     ~/.cache/heddle/cuda-KEY.files   its bytes, and of each file that was read bytes, time of
 *                                      the last change and path
 *
 * The key is of the words that clang is called with, of clang itself, and of what in the
 * environment leads to headers. When one of the files is another one now, all is made again. The
 * user's own folders are not searched for these headers, and the user's macros come behind them.
 * Where nothing can be kept, or an option is given of which it is not known what it does to
 * headers, they are included as they are.
 */
#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "frontend/clang/internal.h"

enum { MOST_KEPT = 16 }; /* 6 MiB each */

/* ---- the user's options ------------------------------------------------ */

static bool starts_with_one_of(hd_arena *arena, const char *option, const char *list) {
    uint32_t count;
    char **starts = hd_split_words(arena, list, &count);
    for (uint32_t i = 0; i < count; i++)
        if (starts_with(option, starts[i]))
            return true;
    return false;
}

/* Adds those that the precompiled headers depend on; false where one is not known. */
static bool add_language(front_state *front, const front_words *user, front_words *words) {
    static const char dependent[] = "-std= -O -f -m -pthread --cuda-gpu-arch= --offload-arch=",
                      independent[] = "-I -W -w -g",
                      before_a_folder[] = "-isystem -iquote -idirafter "
                                          "-include";
    for (size_t i = 0; i < user->count; i++) {
        const char *option = user->data[i];
        if (starts_with_one_of(front->arena, option, dependent))
            hd_push(front->arena, words, option);
        else if (starts_with_one_of(front->arena, option, before_a_folder) || !strcmp(option, "-I"))
            i++;
        else if (!starts_with_one_of(front->arena, option, independent))
            return false;
    }
    return true;
}

/* ---- what was read ------------------------------------------------------ */

/* "bytes seconds nanoseconds path", or NULL where there is no such file. */
static const char *line_of_file(hd_arena *arena, const char *path) {
    struct stat found;
    return stat(path, &found)
               ? NULL
               : hd_format(arena, "%lld %lld %ld %s\n", (long long)found.st_size,
                           (long long)found.st_mtim.tv_sec, found.st_mtim.tv_nsec, path);
}

/* The next of the names in a rule of make: "headers: /usr/include/math.h \", blanks in them behind
 * a backslash. NULL at the end. */
static const char *next_name(hd_arena *arena, const char **at) {
    hd_str name = {.arena = arena};
    const char *c = *at;
    while (*c && (strchr(" \n", *c) || (*c == '\\' && c[1] == '\n')))
        c++;
    for (; *c && !strchr(" \n", *c); c++) {
        c += (*c == '\\' && c[1] && strchr(" #\\", c[1])) || (*c == '$' && c[1] == '$');
        hd_str_addn(&name, c, 1);
    }
    *at = c;
    return name.length ? hd_str_text(&name) : NULL;
}

static bool list_headers(hd_arena *arena, const char *rule, hd_str *list) {
    const char *name;
    while ((name = next_name(arena, &rule)) != NULL) {
        bool is_header = *name == '/' && strcmp(name, "/dev/null") != 0;
        const char *line = is_header ? line_of_file(arena, name) : "";
        if (!line)
            return false;
        hd_str_add(list, line);
    }
    return true;
}

static bool is_fresh(hd_arena *arena, const char *pch, const char *files) {
    char *list, *rest = NULL;
    size_t length;
    struct stat found;
    if (stat(pch, &found) || hd_read_file(arena, NULL, files, &list, &length))
        return false;
    const char *bytes = strtok_r(list, "\n", &rest), *line;
    if (!bytes || strtoll(bytes, NULL, 10) != found.st_size)
        return false;
    while ((line = strtok_r(NULL, "\n", &rest)) != NULL) {
        const char *path = strchr(line, '/');
        const char *now = path ? line_of_file(arena, path) : NULL;
        if (!now || strncmp(now, line, strlen(line)) != 0)
            return false;
    }
    return true;
}

/* ---- what is kept --------------------------------------------------------- */

static uint64_t key_of(front_state *front, const front_words *words) {
    static const char *const variables[] = {"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH"};
    char program[PATH_MAX];
    hd_str text = {.arena = front->arena};
    for (size_t i = 0; i < words->count; i++)
        hd_str_printf(&text, "%s\n", words->data[i]);
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *value = getenv(variables[i]);
        hd_str_printf(&text, "%s\n", value ? value : "");
    }
    const char *known =
        realpath(front_clang(front), program) ? line_of_file(front->arena, program) : NULL;
    hd_str_add(&text, known ? known : "");
    return hd_hash_bytes(HD_HASH_START, text.data, text.length);
}

static int is_kept(const struct dirent *entry) {
    return starts_with(entry->d_name, "cuda-") && hd_ends_in(entry->d_name, ".pch");
}

/* Of more than MOST_KEPT the oldest goes. */
static void drop_oldest(hd_arena *arena, const char *folder) {
    const char *oldest = hd_oldest_file(arena, folder, is_kept, MOST_KEPT);
    if (!oldest)
        return;
    unlink(oldest);
    unlink(hd_format(arena, "%.*s.files", (int)(strlen(oldest) - strlen(".pch")), oldest));
}

static bool make(front_state *front, const front_words *words, const char *pch, const char *files) {
    hd_str made = {.arena = front->arena}, messages = made, list = made;
    front_words all = {0};
    int exit_status = 0;
    hd_push(front->arena, &all, front_clang(front));
    front_add_list(front, &all, words);
    front_add_words(front, &all,
                    "-w -emit-llvm -c -Xclang -emit-pch -Xclang -sys-header-deps -Xclang -MT "
                    "-Xclang headers -Xclang -dependency-file -Xclang /dev/stderr -o - -- "
                    "/dev/null");
    const hd_diag *diag = front->diag;
    front->diag = NULL; /* what is wrong is told of the file itself */
    hd_status status = front_run(front, &all, &made, &messages, &exit_status);
    front->diag = diag;
    hd_str_printf(&list, "%zu\n", made.length);
    if (status || exit_status || !made.length ||
        !list_headers(front->arena, hd_str_text(&messages), &list))
        return false;
    const char *folder = hd_path_folder(front->arena, pch);
    hd_folders folders = {0};
    const hd_output outputs[] = {{pch, made.data, made.length},
                                 {files, hd_str_text(&list), list.length}};
    if (hd_folders_make(front->arena, NULL, folder, &folders) || hd_write_files(NULL, outputs, 2))
        return false;
    drop_oldest(front->arena, folder);
    return true;
}

const char *front_prelude(front_state *front, const front_words *language, const front_words *user,
                          const front_words *folders, const char *headers) {
    hd_arena *arena = front->arena;
    front_words words = {0};
    front_add_list(front, &words, language);
    if (!add_language(front, user, &words))
        return NULL;
    front_add_list(front, &words, folders);
    front_add_words(front, &words, hd_format(arena, "-O1 %s", headers));
    const char *name =
        hd_format(arena, "heddle/cuda-%016llx", (unsigned long long)key_of(front, &words));
    const char *path = hd_user_file(arena, "XDG_CACHE_HOME", ".cache", name);
    if (!path)
        return NULL;
    const char *pch = hd_format(arena, "%s.pch", path), *files = hd_format(arena, "%s.files", path);
    return is_fresh(arena, pch, files) || make(front, &words, pch, files) ? pch : NULL;
}
