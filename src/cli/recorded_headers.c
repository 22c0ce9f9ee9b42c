/* Headers of a recorded OpenCL program go along with its kernels, so that the folder can be moved. */
#include <stdlib.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/whole_program.h"

typedef struct copies {
    cli *c;
    const char *to;            /* folder of the recording */
    hd_vec(const char *) from; /* folders of -I, whole */
    hd_vec(hd_output) files;
} copies;

static const char *read_text(const copies *k, const char *path) {
    char *text;
    size_t length;
    return hd_read_file(k->c->arena, &hd_silent, path, &text, &length) ? NULL : text;
}

static void copy_headers_of(copies *k, const char *text, size_t folder, const char *below);

/* A header that a folder of -I has, with those that it includes; "../x.h" stays where it is. */
static void copy_header(copies *k, size_t folder, const char *name) {
    hd_arena *arena = k->c->arena;
    const char *path = hd_format(arena, "%s/%s", k->from.data[folder], name);
    const char *copy = hd_format(arena, "%s/include-%zu/%s", k->to, folder + 1, name);
    for (size_t f = 0; f < k->files.count; f++)
        if (!strcmp(k->files.data[f].path, copy))
            return;
    const char *text = strstr(name, "..") ? NULL : read_text(k, path);
    if (!text)
        return;
    hd_push(arena, &k->files, (hd_output){copy, text, strlen(text)});
    const char *slash = strrchr(name, '/');
    copy_headers_of(k, text, folder,
                    slash ? hd_strndup(arena, name, (size_t)(slash - name + 1)) : "");
}

/* Whether conditions leave an include out is not looked at. */
static void copy_headers_of(copies *k, const char *text, size_t folder, const char *below) {
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += strspn(line, "\n \t");
        if (*line != '#')
            continue;
        const char *at = line + 1 + strspn(line + 1, " \t");
        if (strncmp(at, "include", 7) != 0)
            continue;
        at += 7 + strspn(at + 7, " \t");
        const char *end = *at == '"'   ? strchr(at + 1, '"')
                          : *at == '<' ? strchr(at + 1, '>')
                                       : NULL;
        if (!end)
            continue;
        const char *name = hd_strndup(k->c->arena, at + 1, (size_t)(end - at - 1));
        if (folder < k->from.count) /* beside the header that includes it */
            copy_header(k, folder, hd_format(k->c->arena, "%s%s", below, name));
        for (size_t f = 0; f < k->from.count; f++)
            copy_header(k, f, name);
    }
}

static hd_status make_folders(copies *k) {
    hd_folders made = {0};
    hd_status status = HD_OK;
    for (size_t f = 0; f < k->files.count && !status; f++)
        status = hd_folders_make(k->c->arena, &k->c->diag,
                                 hd_path_folder(k->c->arena, k->files.data[f].path), &made);
    return status;
}

hd_status cli_copy_headers(cli *c, const char *folder, const char *kernels, const char *options,
                           const char **placed) {
    copies k = {.c = c, .to = folder};
    uint32_t count;
    char **words = hd_split_words(c->arena, options, &count);
    hd_vec(char *) all = {0};
    for (uint32_t w = 0; w < count; w++) {
        const char *from = strncmp(words[w], "-I", 2) ? NULL
                           : words[w][2]              ? words[w] + 2
                           : w + 1 < count            ? words[w + 1]
                                                      : NULL;
        if (from && *from == '/')
            hd_push(c->arena, &k.from, from);
    }
    *placed = options;
    const char *text = k.from.count ? read_text(&k, kernels) : NULL;
    if (text)
        copy_headers_of(&k, text, k.from.count, "");
    hd_status status = k.files.count ? make_folders(&k) : HD_OK;
    if (status || !k.files.count)
        return status;
    status = hd_write_files(&c->diag, k.files.data, k.files.count);
    for (size_t f = 0; f < k.from.count; f++) {
        hd_push(c->arena, &all, "-I");
        hd_push(c->arena, &all, hd_format(c->arena, "include-%zu", f + 1));
    }
    for (uint32_t w = 0; w < count; w++)
        hd_push(c->arena, &all, words[w]);
    *placed = hd_join_words(c->arena, all.data, (uint32_t)all.count);
    return status;
}
