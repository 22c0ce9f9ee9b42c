/*
 * Whole files. Writing goes through a temporary in the same folder that is
 * flushed and then renamed, so a full disk or a crash leaves the old file, or
 * none, but never half of a new one.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"

static hd_status system_error(const hd_diag *diag, hd_status status, const char *path,
                              const char *doing) {
    hd_place place = {.file = path};
    return hd_fail(diag, status, &place, "cannot %s: %s", doing, strerror(errno));
}

hd_status hd_read_file(hd_arena *arena, const hd_diag *diag, const char *path, char **text,
                       size_t *length) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return system_error(diag, errno == ENOENT ? HD_EINPUT : HD_ESYSTEM, path, "open");
    struct stat info;
    if (fstat(fd, &info) == 0 && S_ISDIR(info.st_mode)) {
        close(fd);
        errno = EISDIR;
        return system_error(diag, HD_EINPUT, path, "read");
    }
    hd_str s = {.arena = arena};
    char part[1 << 16];
    ssize_t got;
    while ((got = read(fd, part, sizeof part)) > 0)
        hd_str_addn(&s, part, (size_t)got);
    hd_status status = got < 0 ? system_error(diag, HD_ESYSTEM, path, "read") : HD_OK;
    close(fd);
    *text = s.data ? s.data : hd_strdup(arena, "");
    *length = s.length;
    return status;
}

static bool write_all(int fd, const char *data, size_t length) {
    while (length) {
        ssize_t wrote = write(fd, data, length);
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote < 0)
            return false;
        data += wrote;
        length -= (size_t)wrote;
    }
    return true;
}

/* Makes a temporary beside `path`; *name is malloc'ed, NULL on failure. */
static hd_status open_temporary(const hd_diag *diag, const char *path, char **name, int *fd) {
    if (asprintf(name, "%s.XXXXXX", path) < 0)
        abort();
    *fd = mkostemp(*name, O_CLOEXEC);
    if (*fd >= 0)
        return HD_OK;
    int error = errno;
    free(*name);
    *name = NULL;
    errno = error;
    return system_error(diag, HD_ESYSTEM, path, "write");
}

/* Gives a temporary the rights of a new file and puts it on the disk; errno tells. */
static bool close_temporary(int fd, bool written) {
    mode_t mask = umask(0);
    umask(mask);
    bool ok = written && fchmod(fd, 0666 & ~mask) == 0 && fsync(fd) == 0;
    int error = errno;
    bool closed = close(fd) == 0;
    if (!ok)
        errno = error;
    return ok && closed;
}

static hd_status write_temporary(const hd_diag *diag, const hd_output *file, char **temporary) {
    int fd;
    hd_status status = open_temporary(diag, file->path, temporary, &fd);
    if (status != HD_OK || close_temporary(fd, write_all(fd, file->data, file->length)))
        return status;
    status = system_error(diag, HD_ESYSTEM, file->path, "write");
    unlink(*temporary);
    free(*temporary);
    *temporary = NULL;
    return status;
}

hd_status hd_write_files(const hd_diag *diag, const hd_output *files, size_t count) {
    char **temporaries = calloc(count + 1, sizeof *temporaries);
    if (!temporaries)
        abort();
    hd_status status = HD_OK;
    for (size_t i = 0; i < count && status == HD_OK; i++)
        status = write_temporary(diag, &files[i], &temporaries[i]);
    for (size_t i = 0; i < count && status == HD_OK; i++) {
        if (rename(temporaries[i], files[i].path) != 0) {
            status = system_error(diag, HD_ESYSTEM, files[i].path, "write");
            break;
        }
        free(temporaries[i]);
        temporaries[i] = NULL;
    }
    for (size_t i = 0; i < count; i++) {
        if (temporaries[i])
            unlink(temporaries[i]);
        free(temporaries[i]);
    }
    free(temporaries);
    return status;
}

hd_status hd_write_file(const hd_diag *diag, const char *path, const void *data, size_t length) {
    return hd_write_files(diag, &(hd_output){path, data, length}, 1);
}

/* ---- piece by piece ------------------------------------------------------ */

enum { PIECE = 1 << 16 };

struct hd_file {
    const hd_diag *diag;
    const char *path;
    char *temporary;
    int fd;
    size_t filled; /* of piece */
    char piece[PIECE];
};

hd_status hd_file_begin(hd_arena *arena, const hd_diag *diag, const char *path, hd_file **file) {
    hd_file *f = hd_new(arena, hd_file);
    f->diag = diag;
    f->path = hd_strdup(arena, path);
    hd_status status = open_temporary(diag, path, &f->temporary, &f->fd);
    *file = status == HD_OK ? f : NULL;
    return status;
}

static hd_status flush_piece(hd_file *file) {
    size_t filled = file->filled;
    file->filled = 0;
    return write_all(file->fd, file->piece, filled)
               ? HD_OK
               : system_error(file->diag, HD_ESYSTEM, file->path, "write");
}

hd_status hd_file_add(hd_file *file, const void *data, size_t length) {
    const char *at = data;
    while (length) {
        size_t part = length < PIECE - file->filled ? length : PIECE - file->filled;
        memcpy(file->piece + file->filled, at, part);
        file->filled += part;
        at += part;
        length -= part;
        if (file->filled == PIECE && flush_piece(file) != HD_OK)
            return HD_ESYSTEM;
    }
    return HD_OK;
}

hd_status hd_file_keep(hd_file *file) {
    hd_status status = flush_piece(file);
    bool closed = close_temporary(file->fd, status == HD_OK);
    if (status == HD_OK && !(closed && rename(file->temporary, file->path) == 0))
        status = system_error(file->diag, HD_ESYSTEM, file->path, "write");
    if (status != HD_OK)
        unlink(file->temporary);
    free(file->temporary);
    return status;
}

void hd_file_drop(hd_file *file) {
    close(file->fd);
    unlink(file->temporary);
    free(file->temporary);
}

char *hd_path_beside(hd_arena *arena, const char *file, const char *name) {
    const char *slash = strrchr(file, '/');
    if (name[0] == '/' || !slash)
        return hd_strdup(arena, name);
    return hd_format(arena, "%.*s/%s", (int)(slash - file), file, name);
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
