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
