/*
 * Source files by name, and places in them. Debug information names a file by
 * folder and name in clang's own way; the user knows it by the name given on
 * the command line. Files are told apart by their real path.
 */
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include <llvm-c/DebugInfo.h>

#include "frontend/clang/internal.h"
#include "frontend/frontend.h"

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

static bool is_system(const front_state *front, const char *path) {
    for (size_t i = 0; i < front->system_folders.count; i++) {
        const char *folder = front->system_folders.data[i];
        size_t length = strlen(folder);
        if (!strncmp(path, folder, length) && path[length] == '/')
            return true;
    }
    return false;
}

/* Lines that are not the user's, though they stand in a file of the user's. */
static void find_generated(hd_arena *arena, const char *text, front_known_file *file) {
    front_lines lines = {1, 1};
    const char *done = text, *start;
    while ((start = strstr(done, HD_GENERATED_START)) != NULL) {
        const char *end = strstr(start, HD_GENERATED_END);
        end = end ? end : start + strlen(start);
        for (; done < start; done++)
            lines.last += *done == '\n';
        lines.first = lines.last;
        for (; done < end; done++)
            lines.last += *done == '\n';
        hd_push(arena, &file->generated, lines);
    }
}

static const front_known_file *known_file(front_state *front, const char *folder,
                                          const char *name) {
    char resolved[PATH_MAX];
    const char *full =
        folder && *folder && *name != '/' ? hd_format(front->arena, "%s/%s", folder, name) : name;
    const char *path = hd_strdup(front->arena, realpath(full, resolved) ? resolved : full);
    for (size_t i = 0; i < front->known_files.count; i++)
        if (!strcmp(front->known_files.data[i].path, path))
            return &front->known_files.data[i];
    bool is_main = front->files.count == 0; /* the user's own name stays as it is */
    front_known_file known = {path, (uint32_t)front->files.count,
                              !is_main && is_system(front, path)};
    if (known.is_system) { /* no place is in it */
        known.index = 0;
    } else {
        char *text = NULL;
        size_t length;
        if (hd_read_file(front->arena, NULL, path, &text, &length))
            text = NULL;
        const char *shown =
            is_main ? hd_strdup(front->arena, name) : shown_path(front->arena, path);
        hd_push(front->arena, &front->files, (kir_file){shown, text});
        if (text)
            find_generated(front->arena, text, &known);
    }
    hd_push(front->arena, &front->known_files, known);
    return &front->known_files.data[front->known_files.count - 1];
}

uint32_t front_file(front_state *front, const char *folder, const char *name) {
    return known_file(front, folder, name)->index;
}

hd_place front_place(front_state *front, const char *name, unsigned line, unsigned column) {
    const front_known_file *known = known_file(front, NULL, name);
    if (known->is_system)
        return (hd_place){known->path, line, column, NULL};
    const kir_file *file = &front->files.data[known->index];
    hd_place place = {file->name, line, column, NULL};
    if (file->text && line)
        place.text = hd_line_of(front->arena, file->text, line);
    return place;
}

bool front_is_system_file(front_state *front, const char *name) {
    return known_file(front, NULL, name)->is_system;
}

/* Index of a file in front->known_files; 0, the kernel file, when it is not known. */
static uint32_t file_of_scope(front_state *front, LLVMMetadataRef scope) {
    LLVMMetadataRef source = LLVMDIScopeGetFile(scope);
    if (!source)
        return 0;
    uint32_t index = front_pointer_map_get(&front->debug_files, source);
    if (index != KIR_NONE)
        return index;
    unsigned length = 0;
    const char *text = LLVMDIFileGetDirectory(source, &length);
    const char *folder = hd_strndup(front->arena, text ? text : "", length);
    text = LLVMDIFileGetFilename(source, &length);
    const front_known_file *file =
        known_file(front, folder, hd_strndup(front->arena, text ? text : "", length));
    index = (uint32_t)(file - front->known_files.data);
    front_pointer_map_set(front->arena, &front->debug_files, source, index);
    return index;
}

static const front_known_file *file_of_location(front_state *front, LLVMMetadataRef location) {
    uint32_t index = file_of_scope(front, LLVMDILocationGetScope(location));
    return &front->known_files.data[index];
}

const char *front_function_file(front_state *front, LLVMValueRef function, unsigned *line,
                                bool *system) {
    LLVMMetadataRef subprogram = LLVMGetSubprogram(function);
    if (!subprogram)
        return NULL;
    uint32_t index = file_of_scope(front, subprogram); /* which may move known_files */
    const front_known_file *file = &front->known_files.data[index];
    *line = LLVMDISubprogramGetLine(subprogram);
    *system = file->is_system;
    return file->path;
}

/* Code of somebody else's: of a header of the system, or of the rewriter. */
static bool is_foreign(front_state *front, LLVMMetadataRef location) {
    const front_known_file *file = file_of_location(front, location);
    unsigned line = LLVMDILocationGetLine(location);
    for (size_t i = 0; i < file->generated.count; i++)
        if (file->generated.data[i].first <= line && line <= file->generated.data[i].last)
            return true;
    return file->is_system;
}

hd_place front_place_of(front_state *front, LLVMValueRef instruction, uint32_t *file) {
    LLVMMetadataRef location = LLVMInstructionGetDebugLoc(instruction);
    hd_place place = {.file = front->path};
    *file = 0;
    /* Where code stands that is not the user's: where the user called it. */
    while (location && is_foreign(front, location))
        location = LLVMDILocationGetInlinedAt(location);
    if (!location || !LLVMDILocationGetLine(location))
        return place;
    *file = file_of_location(front, location)->index;
    const kir_file *known = &front->files.data[*file];
    place.file = known->name;
    place.line = LLVMDILocationGetLine(location);
    place.column = LLVMDILocationGetColumn(location);
    return place;
}

/* Lexical blocks have their scope as operand 1, up to the function. */
static LLVMMetadataRef function_of_scope(front_state *front, LLVMMetadataRef scope) {
    while (scope && LLVMGetMetadataKind(scope) != LLVMDISubprogramMetadataKind)
        scope = front_operand_of(front, scope, 1);
    return scope;
}

const char *front_function_of(front_state *front, LLVMValueRef instruction) {
    LLVMMetadataRef at = LLVMInstructionGetDebugLoc(instruction), outer;
    if (!at || !file_of_location(front, at)->is_system)
        return NULL;
    while ((outer = LLVMDILocationGetInlinedAt(at)) != NULL &&
           file_of_location(front, outer)->is_system)
        at = outer;
    LLVMMetadataRef function = function_of_scope(front, LLVMDILocationGetScope(at));
    return function ? front_debug_name(front, function) : NULL;
}

bool front_is_inside(front_state *front, LLVMValueRef instruction, const char *function) {
    LLVMMetadataRef at = LLVMInstructionGetDebugLoc(instruction);
    for (; at; at = LLVMDILocationGetInlinedAt(at)) {
        LLVMMetadataRef known = function_of_scope(front, LLVMDILocationGetScope(at));
        const char *name = known ? front_debug_name(front, known) : NULL;
        if (name && strstr(name, function))
            return true;
    }
    return false;
}
