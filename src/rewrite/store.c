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
