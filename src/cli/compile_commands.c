/*
 * The options that a build compiles a file with, from the compile_commands.json that CMake, Bear
 * and others write: a list of
 *
 *     {"directory": "/home/me/build", "file": "../src/kernel.cu",
 *      "command": "nvcc -I../include -DN=3 -c ../src/kernel.cu -o kernel.o"}
 *
 * or with "arguments", the words one by one. The words keep their meaning when they are read from
 * another folder: names of folders and headers become whole. What is left of a compiler's command
 * is for the front end to understand.
 */
#include <stdlib.h>
#include <unistd.h>

#include "base/yaml.h"
#include "cli/cli.h"

static const hd_yaml_key entry_keys[] = {
    {.name = "directory", .needed = true, .example = "\"directory\": \"/home/me/build\""},
    {.name = "file", .needed = true, .example = "\"file\": \"kernel.cu\""},
    {.name = "command"},
    {.name = "arguments", .kind = HD_YAML_LIST, .entry = "argument"},
    {.name = "output"},
    {0}};
static const hd_yaml_form commands_form = {
    .what = "a compile_commands.json",
    .example = "[{\"directory\": \"/home/me/build\", \"file\": \"kernel.cu\", \"command\": \"nvcc "
               "-c kernel.cu\"}]",
    .keys = entry_keys,
    .is_list = true};

typedef struct words {
    cli *c;
    const char *folder; /* of the command */
    const char *file;   /* as the command may name it */
    hd_vec(char *) kept;
} words;

static const char *seen_from(const words *w, const char *path) {
    return *path == '/' ? path : hd_format(w->c->arena, "%s/%s", w->folder, path);
}

/* A word that names a folder or header, in it or behind it; the number of words that it took. */
static uint32_t keep_path(words *w, char *const *word, uint32_t left) {
    static const char *const joined[] = {"-I", "--include-path=", "--system-include="};
    static const char apart[] =
        "-I -isystem -iquote -idirafter -include --include-path --system-include --pre-include";
    if (left > 1 && hd_has_word(apart, word[0])) {
        bool is_header = !strcmp(word[0], "-include") || !strcmp(word[0], "--pre-include");
        const char *whole = seen_from(w, word[1]);
        hd_push(w->c->arena, &w->kept, word[0]);
        hd_push(w->c->arena, &w->kept,
                hd_strdup(w->c->arena, is_header && access(whole, R_OK) ? word[1] : whole));
        return 2;
    }
    for (size_t i = 0; i < sizeof joined / sizeof *joined; i++) {
        size_t length = strlen(joined[i]);
        if (!strncmp(word[0], joined[i], length) && word[0][length]) {
            hd_push(w->c->arena, &w->kept,
                    hd_format(w->c->arena, "%s%s", joined[i], seen_from(w, word[0] + length)));
            return 1;
        }
    }
    return 0;
}

/* All but the compiler's name, the file, and where the code goes. */
static const char *options_of(cli *c, const char *folder, const char *file, char *const *word,
                              uint32_t count) {
    words w = {.c = c, .folder = folder, .file = file};
    for (uint32_t i = 1; i < count;) {
        uint32_t taken = keep_path(&w, word + i, count - i);
        bool is_output = !strcmp(word[i], "-o") || !strcmp(word[i], "-MF") ||
                         !strcmp(word[i], "-MT") || !strcmp(word[i], "-MQ");
        if (!taken && is_output)
            taken = 2;
        if (!taken && hd_has_word("-c -MD -MMD -MP --", word[i]))
            taken = 1;
        bool is_file = !taken && *word[i] != '-' && hd_same_file(seen_from(&w, word[i]), file);
        if (!taken && !is_file)
            hd_push(c->arena, &w.kept, word[i]);
        i += taken ? taken : 1;
    }
    return hd_join_words(c->arena, w.kept.data, (uint32_t)w.kept.count);
}

hd_status cli_build_options(cli *c, const char *build, const char *file, const char **options) {
    const char *path =
        hd_ends_in(build, ".json") ? build : hd_format(c->arena, "%s/compile_commands.json", build);
    hd_yaml_file *commands;
    hd_status status = hd_yaml_read(c->arena, &c->diag, path, &commands_form, &commands);
    if (status)
        return status;
    for (uint32_t i = 0; i < commands->root.count; i++) {
        const hd_yaml *entry = &commands->root.items[i];
        const char *folder = hd_yaml_text(entry, "directory");
        const char *own = hd_yaml_text(entry, "file");
        const char *whole = *own == '/' ? own : hd_format(c->arena, "%s/%s", folder, own);
        if (!hd_same_file(whole, file))
            continue;
        const hd_yaml *list = hd_yaml_get(entry, "arguments");
        const char *command = hd_yaml_text(entry, "command");
        uint32_t count = 0;
        char **word = hd_split_words(c->arena, command ? command : "", &count);
        if (list) {
            count = list->count;
            word = hd_new_array(c->arena, char *, count);
            for (uint32_t w = 0; w < count; w++)
                word[w] = hd_strdup(c->arena, list->items[w].text);
        }
        const char *of_build = options_of(c, folder, file, word, count);
        *options = hd_format(c->arena, "%s %s", of_build, *options ? *options : "");
        return HD_OK;
    }
    return cli_fail_at(
        c, path,
        "%s is none of the files that this build compiles; name one that is, or give "
        "the options for the compiler with --options",
        file);
}
