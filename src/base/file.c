/* Files that are read, and their names. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"

/* Without O_NONBLOCK the opening of a pipe would wait for somebody to write to it. */
hd_status hd_open_file(const hd_diag *diag, const char *path, int *fd, uint64_t *size) {
    const hd_place place = {.file = path};
    struct stat info;
    *fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (*fd < 0)
        return hd_fail_errno(diag, errno == ENOENT || errno == ENXIO ? HD_EINPUT : HD_ESYSTEM, path,
                             "open");
    hd_status status = HD_OK;
    if (fstat(*fd, &info))
        status = hd_fail_errno(diag, HD_ESYSTEM, path, "read");
    else if (S_ISDIR(info.st_mode))
        status = hd_fail(diag, HD_EINPUT, &place, "cannot read: Is a directory");
    else if (!S_ISREG(info.st_mode))
        status = hd_fail(diag, HD_EINPUT, &place,
                         "cannot read: this is a pipe or a device, no regular file; save what it "
                         "gives in a file first");
    if (status != HD_OK)
        close(*fd);
    else if (size)
        *size = (uint64_t)info.st_size;
    return status;
}

static hd_status too_long(const hd_diag *diag, const char *path, uint64_t most) {
    return hd_fail(diag, HD_EINPUT, &(hd_place){.file = path},
                   "cannot read: this is longer than %llu MiB", (unsigned long long)(most >> 20));
}

/* Reads what is there, also where the file grows or, as those of /proc, says that it is empty. */
static hd_status read_all(const hd_diag *diag, const char *path, int fd, uint64_t most, hd_str *s) {
    for (;;) {
        char beyond[4096];
        bool fits = s->length + 1 < s->capacity;
        ssize_t got = fits ? read(fd, s->data + s->length, s->capacity - s->length - 1)
                           : read(fd, beyond, sizeof beyond);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return hd_fail_errno(diag, HD_ESYSTEM, path, "read");
        if (got == 0)
            return HD_OK;
        if (fits)
            s->length += (size_t)got;
        else
            hd_str_addn(s, beyond, (size_t)got);
        if (s->length > most)
            return too_long(diag, path, most);
    }
}

hd_status hd_read_long_file(hd_arena *arena, const hd_diag *diag, const char *path, uint64_t most,
                            char **text, size_t *length) {
    int fd;
    uint64_t size = 0;
    hd_status status = hd_open_file(diag, path, &fd, &size);
    if (status != HD_OK)
        return status;
    hd_str s = {.arena = arena, .capacity = (size < most ? size : 0) + 2};
    s.data = hd_alloc(arena, s.capacity);
    status = size > most ? too_long(diag, path, most) : read_all(diag, path, fd, most, &s);
    close(fd);
    s.data[s.length] = '\0';
    *text = s.data;
    *length = s.length;
    return status;
}

hd_status hd_read_file(hd_arena *arena, const hd_diag *diag, const char *path, char **text,
                       size_t *length) {
    return hd_read_long_file(arena, diag, path, HD_TEXT_MOST, text, length);
}

bool hd_same_file(const char *a, const char *b) {
    struct stat first, second;
    return !stat(a, &first) && !stat(b, &second) && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}

char *hd_path_beside(hd_arena *arena, const char *file, const char *name) {
    const char *slash = strrchr(file, '/');
    if (name[0] == '/' || !slash)
        return hd_strdup(arena, name);
    return hd_format(arena, "%.*s/%s", (int)(slash - file), file, name);
}

char *hd_path_folder(hd_arena *arena, const char *path) {
    const char *slash = strrchr(path, '/');
    return !slash          ? hd_strdup(arena, ".")
           : slash == path ? hd_strdup(arena, "/")
                           : hd_strndup(arena, path, (size_t)(slash - path));
}

const char *hd_path_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool hd_path_ends_in(const char *path, const char *end) {
    while (!strncmp(end, "./", 2))
        end += 2;
    const size_t length = strlen(end), whole = strlen(path);
    return length <= whole && !strcmp(path + whole - length, end) &&
           (length == whole || path[whole - length - 1] == '/');
}

const char *hd_path_below(const char *folder, const char *file) {
    size_t length = strcmp(folder, "/") ? strlen(folder) : 0;
    return !strncmp(file, folder, length) && file[length] == '/' ? file + length + 1 : NULL;
}

hd_place hd_place_in(hd_arena *arena, const char *path, const char *text, size_t at) {
    hd_place place = {.file = path, .line = 1, .column = 1};
    for (size_t i = 0; i < at; i++) {
        place.column = text[i] == '\n' ? 1 : place.column + 1;
        place.line += text[i] == '\n';
    }
    place.text = hd_line_of(arena, text, place.line);
    return place;
}

char *hd_line_of(hd_arena *arena, const char *text, unsigned line) {
    for (unsigned at = 1; text && *text && line; at++) {
        size_t length = strcspn(text, "\n");
        if (at == line)
            return hd_strndup(arena, text, length);
        text += length + (text[length] == '\n');
    }
    return NULL;
}
