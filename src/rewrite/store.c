/* Rewritten files on disk, for those who compile them from there. */
#include <errno.h>
#include <sys/stat.h>

#include "rewrite/rewrite.h"

/* Makes the folders of `name` below `folder`. */
static hd_status make_folders(hd_arena *arena, const hd_diag *diag, const char *folder,
                              const char *name) {
    for (const char *slash = strchr(name, '/'); slash; slash = strchr(slash + 1, '/')) {
        const char *path = hd_format(arena, "%s/%.*s", folder, (int)(slash - name), name);
        if (mkdir(path, 0777) != 0 && errno != EEXIST)
            return hd_fail(diag, HD_ESYSTEM, &(hd_place){.file = path},
                           "cannot make this folder: %s", strerror(errno));
    }
    return HD_OK;
}

hd_status hd_rewritten_outputs(hd_arena *arena, const hd_diag *diag, const hd_rewritten *rewritten,
                               const char *folder, hd_output *outputs) {
    for (uint32_t f = 0; f < rewritten->file_count; f++) {
        const hd_rewritten_file *file = &rewritten->files[f];
        hd_status status = make_folders(arena, diag, folder, file->name);
        if (status != HD_OK)
            return status;
        outputs[f] = (hd_output){hd_format(arena, "%s/%s", folder, file->name), file->text,
                                 strlen(file->text)};
    }
    return HD_OK;
}

hd_status hd_rewritten_store(hd_arena *arena, const hd_diag *diag, const hd_rewritten *rewritten,
                             const char *folder, const char **kernel_path) {
    hd_output *outputs = hd_new_array(arena, hd_output, rewritten->file_count);
    hd_status status = hd_rewritten_outputs(arena, diag, rewritten, folder, outputs);
    if (status != HD_OK)
        return status;
    *kernel_path = outputs[0].path;
    return hd_write_files(diag, outputs, rewritten->file_count);
}

/* ---- messages --------------------------------------------------------------------------- */

/* The name below the folder that `path` begins with, or NULL. */
static const char *name_in(const char *folder, const char *path) {
    size_t length = strlen(folder);
    return !strncmp(path, folder, length) && path[length] == '/' ? path + length + 1 : NULL;
}

static const char *original_of(const hd_rewritten_view *view, const char *name) {
    for (uint32_t f = 0; f < view->rewritten->file_count; f++)
        if (!strcmp(view->rewritten->files[f].name, name))
            return view->rewritten->files[f].path;
    return name;
}

/* A text without the folder, wherever it is mentioned. */
static const char *without_folder(const hd_rewritten_view *view, const char *text) {
    hd_str out = {.arena = view->arena};
    for (const char *found; (found = strstr(text, view->folder));) {
        const char *name = name_in(view->folder, found);
        hd_str_addn(&out, text, (size_t)(found - text));
        text = name ? name : found + strlen(view->folder);
    }
    hd_str_add(&out, text);
    return hd_str_text(&out);
}

void hd_rewritten_tell(const hd_message *message, void *user) {
    const hd_rewritten_view *view = user;
    hd_message told = *message;
    if (!view->diag->fn)
        return;
    if (view->folder) {
        const char *name = told.place.file ? name_in(view->folder, told.place.file) : NULL;
        if (name)
            told.place.file = hd_format(view->arena, "%s (rewritten)", original_of(view, name));
        told.text = without_folder(view, told.text);
    }
    view->diag->fn(&told, view->diag->user);
}
