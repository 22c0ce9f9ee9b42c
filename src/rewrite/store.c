/* Rewritten files on disk, for those who compile them from there. */
#include "rewrite/rewrite.h"

hd_status hd_rewritten_outputs(hd_arena *arena, const hd_diag *diag, const hd_rewritten *rewritten,
                               const char *folder, hd_output *outputs, hd_folders *made) {
    for (uint32_t f = 0; f < rewritten->file_count; f++) {
        const hd_rewritten_file *file = &rewritten->files[f];
        const char *path = hd_format(arena, "%s/%s", folder, file->name);
        hd_status status = hd_folders_make(arena, diag, hd_path_folder(arena, path), made);
        if (status != HD_OK)
            return status;
        outputs[f] = (hd_output){path, file->text, strlen(file->text)};
    }
    return HD_OK;
}

hd_status hd_rewritten_store(hd_arena *arena, const hd_diag *diag, const hd_rewritten *rewritten,
                             const char *folder, const char **kernel_path) {
    hd_folders made = {0};
    hd_output *outputs = hd_new_array(arena, hd_output, rewritten->file_count);
    hd_status status = hd_rewritten_outputs(arena, diag, rewritten, folder, outputs, &made);
    if (status == HD_OK)
        status = hd_write_files(diag, outputs, rewritten->file_count);
    if (status != HD_OK)
        hd_folders_remove(&made);
    *kernel_path = outputs[0].path;
    return status;
}

/* ---- messages --------------------------------------------------------------------------- */

/* The name below the folder that `path` begins with, or NULL. */
static const char *name_in(const char *folder, const char *path) {
    size_t length = strlen(folder);
    return !strncmp(path, folder, length) && path[length] == '/' ? path + length + 1 : NULL;
}

/* The file of this name that was stored, or NULL. */
static const hd_rewritten_file *stored_file(const hd_rewritten_view *view, const char *path) {
    const char *name = path && view->folder ? name_in(view->folder, path) : NULL;
    for (uint32_t f = 0; name && f < view->rewritten->file_count; f++)
        if (!strcmp(view->rewritten->files[f].name, name))
            return &view->rewritten->files[f];
    return NULL;
}

hd_place hd_rewritten_origin(const hd_rewritten_view *view, const hd_place *place) {
    const hd_rewritten_file *file = stored_file(view, place->file);
    const char *name = place->file && view->folder ? name_in(view->folder, place->file) : NULL;
    if (!file && name) /* of a #line directive */
        return (hd_place){.file = name, .line = place->line, .column = place->column};
    if (!file || !place->line)
        return file ? (hd_place){.file = file->path} : *place;
    const char *line = file->text, *end;
    for (uint32_t l = place->line; l > 1 && (end = strchr(line, '\n')) != NULL; l--)
        line = end + 1;
    size_t length = strcspn(line, "\n"), right = place->column ? place->column - 1 : 0, from = 0;
    size_t at = (size_t)(line - file->text) + (right < length ? right : length);
    for (size_t k = 0; k < file->kept_count && file->kept[k].at <= at; k++) {
        const hd_kept_text *kept = &file->kept[k];
        from = kept->from + (at - kept->at < kept->length ? at - kept->at : kept->length);
    }
    return hd_place_in(view->arena, file->path, file->original, from);
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
        const hd_rewritten_file *file = stored_file(view, told.place.file);
        const char *name = told.place.file ? name_in(view->folder, told.place.file) : NULL;
        if (name)
            told.place.file = hd_format(view->arena, "%s (rewritten)", file ? file->path : name);
        told.text = without_folder(view, told.text);
    }
    view->diag->fn(&told, view->diag->user);
}
