/*
 * Source files by name, and places in them. Debug information names a file by
 * folder and name in clang's own way; the user knows it by the name given on
 * the command line. Files are told apart by their real path.
 */
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include <llvm-c/DebugInfo.h>

#include "frontend/internal.h"

static const char *real_path(hd_arena *arena, const char *folder, const char *name) {
    char resolved[PATH_MAX];
    const char *full =
        folder && *folder && *name != '/' ? hd_format(arena, "%s/%s", folder, name) : name;
    return hd_strdup(arena, realpath(full, resolved) ? resolved : full);
}

/* The path as a user in the current folder would write it. */
static const char *shown_path(hd_arena *arena, const char *path) {
    char here[PATH_MAX];
    if (!getcwd(here, sizeof here))
        return path;
    size_t length = strlen(here);
    if (strncmp(path, here, length) || path[length] != '/')
        return path;
    return hd_strdup(arena, path + length + 1);
}

uint32_t hd_front_file(hd_front *front, const char *folder, const char *name) {
    const char *path = real_path(front->arena, folder, name);
    for (size_t i = 0; i < front->known_files.count; i++)
        if (!strcmp(front->known_files.data[i].path, path))
            return front->known_files.data[i].index;
    char *text = NULL;
    size_t length;
    if (hd_read_file(front->arena, NULL, path, &text, &length))
        text = NULL;
    bool is_main = front->files.count == 0; /* the user's own name stays as it is */
    kir_file file = {is_main ? hd_strdup(front->arena, name) : shown_path(front->arena, path),
                     text};
    hd_known_file known = {path, (uint32_t)front->files.count};
    hd_push(front->arena, &front->files, file);
    hd_push(front->arena, &front->known_files, known);
    return known.index;
}

hd_place hd_front_place(hd_front *front, const char *name, unsigned line, unsigned column) {
    const kir_file *file = &front->files.data[hd_front_file(front, NULL, name)];
    hd_place place = {file->name, line, column, NULL};
    if (file->text && line)
        place.text = hd_line_of(front->arena, file->text, line);
    return place;
}

static uint32_t file_of_scope(hd_front *front, LLVMMetadataRef scope) {
    LLVMMetadataRef source = LLVMDIScopeGetFile(scope);
    if (!source)
        return 0;
    uint32_t index = hd_pointer_map_get(&front->debug_files, source);
    if (index != KIR_NONE)
        return index;
    unsigned length = 0;
    const char *text = LLVMDIFileGetDirectory(source, &length);
    const char *folder = hd_strndup(front->arena, text ? text : "", length);
    text = LLVMDIFileGetFilename(source, &length);
    index = hd_front_file(front, folder, hd_strndup(front->arena, text ? text : "", length));
    hd_pointer_map_set(front->arena, &front->debug_files, source, index);
    return index;
}

hd_place hd_front_place_of(hd_front *front, LLVMValueRef instruction, uint32_t *file) {
    LLVMMetadataRef location = LLVMInstructionGetDebugLoc(instruction);
    hd_place place = {.file = front->path};
    *file = 0;
    if (!location || !LLVMDILocationGetLine(location))
        return place;
    *file = file_of_scope(front, LLVMDILocationGetScope(location));
    const kir_file *known = &front->files.data[*file];
    place.file = known->name;
    place.line = LLVMDILocationGetLine(location);
    place.column = LLVMDILocationGetColumn(location);
    return place;
}
