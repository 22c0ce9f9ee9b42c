/*
 * Files that are written. The bytes go into a file without a name, which the system takes back
 * when the process ends, however it ends; only when all are on the disk does it get its name. So
 * a full disk, a signal or a crash leaves the old file, or none, but never half of a new one.
 *
 * A name that is taken is given by way of a second one, for a moment: the system can link a file
 * only to a name that is free, and replace one only by another name. Where it has no files
 * without names (some network and FAT file systems), the second name is there from the start.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"

/* ---- where to ------------------------------------------------------------------------------ */

static bool is_same(const struct stat *a, const struct stat *b) {
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

hd_status hd_output_target(hd_arena *arena, const hd_diag *diag, const char *path,
                           const char **target) {
    enum { MOST_LINKS = 40 };
    char link[4096];
    struct stat at, found;
    const hd_place place = {.file = path};
    bool is_there = stat(path, &at) == 0;
    if (is_there && S_ISDIR(at.st_mode))
        return hd_fail(diag, HD_EINPUT, &place, "this is a folder; name a file in it");
    if (is_there && !S_ISREG(at.st_mode))
        return hd_fail(diag, HD_EINPUT, &place, "this is no regular file; name a file");
    for (int fd = STDOUT_FILENO; is_there && fd <= STDERR_FILENO; fd++)
        if (fstat(fd, &found) == 0 && is_same(&at, &found))
            return hd_fail(
                diag, HD_EINPUT, &place,
                "standard output goes there, and this would replace it; name another file");
    *target = path;
    ssize_t length;
    for (int links = 0; (length = readlink(*target, link, sizeof link - 1)) >= 0; links++) {
        if (links == MOST_LINKS)
            return hd_fail(diag, HD_EINPUT, &place,
                           "symbolic links lead in a circle here; name a file");
        link[length] = '\0';
        *target = hd_path_beside(arena, *target, link);
    }
    if (is_there && !(lstat(*target, &found) == 0 && is_same(&at, &found)))
        return hd_fail(diag, HD_EINPUT, &place, "this leads to a file without a name; name a file");
    return HD_OK;
}

bool hd_output_keep_rights(int fd, const char *path) {
    struct stat old, new;
    if (stat(path, &old))
        return errno == ENOENT;
    if (fstat(fd, &new))
        return false;
    mode_t mode = old.st_mode & 07777;
    bool owned = (old.st_uid == new.st_uid &&old.st_gid == new.st_gid) ||
                 fchown(fd, old.st_uid, old.st_gid) == 0;
    if (!owned) { /* rights meant for another owner are not for this one */
        mode &= 0777;
        (void)!fchown(fd, (uid_t)-1, old.st_gid);
    }
    return fchmod(fd, mode) == 0;
}

/* ---- temporaries ---------------------------------------------------------------------------- */

typedef struct temporary {
    hd_arena *arena;
    const char *path, *target; /* as named, and what that leads to */
    char *name;                /* NULL: none */
    int fd;                    /* -1: closed */
} temporary;

static const char *self_name(hd_arena *arena, int fd) {
    return hd_format(arena, "/proc/self/fd/%d", fd);
}

/* A name beside the target's that is most likely free. */
static char *second_name(hd_arena *arena, const char *target, uint64_t *random) {
    return hd_format(arena, "%s.%06llx", target,
                     (unsigned long long)(hd_next_random(random) & 0xffffff));
}

static uint64_t random_start(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000007u + (uint64_t)now.tv_nsec + (uint64_t)getpid();
}

static hd_status open_temporary(hd_arena *arena, const hd_diag *diag, const char *path, bool named,
                                temporary *t) {
    *t = (temporary){.arena = arena, .path = hd_strdup(arena, path), .fd = -1};
    hd_status status = hd_output_target(arena, diag, t->path, &t->target);
    if (status != HD_OK)
        return status;
    if (!named)
        t->fd = open(hd_path_folder(arena, t->target), O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
    if (t->fd >= 0 && access(self_name(arena, t->fd), F_OK) == 0)
        return HD_OK;
    if (t->fd >= 0) /* it could not be given a name: /proc is not there */
        close(t->fd);
    /* The file of a name may be seen before it is whole, so it has its mode from the start. */
    uint64_t random = random_start();
    struct stat old;
    mode_t mode = stat(t->target, &old) ? 0666 : 0600;
    t->fd = -1;
    for (int tries = 0; tries < 100 && t->fd < 0 && (!tries || errno == EEXIST); tries++) {
        t->name = second_name(arena, t->target, &random);
        t->fd = open(t->name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    }
    if (t->fd < 0)
        t->name = NULL;
    return t->fd >= 0 ? HD_OK : hd_fail_errno(diag, HD_ESYSTEM, path, "write");
}

bool hd_write_all(int fd, const void *bytes, size_t length) {
    const char *data = bytes;
    while (length) {
        ssize_t wrote = write(fd, data, length);
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote <= 0)
            return false;
        data += wrote;
        length -= (size_t)wrote;
    }
    return true;
}

static void drop_temporary(temporary *t) {
    if (t->fd >= 0)
        close(t->fd);
    if (t->name)
        unlink(t->name);
    t->fd = -1;
    t->name = NULL;
}

/* All of it is written: puts it on the disk. */
static bool settle_temporary(temporary *t) {
    bool settled = hd_output_keep_rights(t->fd, t->target) && fsync(t->fd) == 0;
    if (settled && t->name) {
        int fd = t->fd;
        t->fd = -1;
        settled = close(fd) == 0;
    }
    return settled;
}

/* No signal may end the process while the second name is there. */
static bool publish_temporary(temporary *t) {
    sigset_t all, before;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    bool done = t->name && rename(t->name, t->target) == 0;
    if (!t->name) { /* it is linked to the target, or, where that is taken, to a second name */
        uint64_t random = random_start();
        const char *self = self_name(t->arena, t->fd);
        done = linkat(AT_FDCWD, self, AT_FDCWD, t->target, AT_SYMLINK_FOLLOW) == 0;
        for (int tries = 1; tries < 100 && !done && !t->name && errno == EEXIST; tries++) {
            char *name = second_name(t->arena, t->target, &random);
            if (linkat(AT_FDCWD, self, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0)
                t->name = name;
        }
        done = done || (t->name && rename(t->name, t->target) == 0);
    }
    int error = errno;
    if (done)
        t->name = NULL;
    drop_temporary(t);
    sigprocmask(SIG_SETMASK, &before, NULL);
    errno = error;
    return done;
}

/* ---- whole files ---------------------------------------------------------------------------- */

hd_status hd_write_files(const hd_diag *diag, const hd_output *files, size_t count) {
    enum { MOST_OPEN = 256 }; /* files without a name stay open until they have one */
    hd_arena *arena = hd_arena_new();
    temporary *temporaries = hd_new_array(arena, temporary, count);
    hd_status status = HD_OK;
    size_t opened = 0;
    for (; opened < count && status == HD_OK; opened++) {
        temporary *t = &temporaries[opened];
        status = open_temporary(arena, diag, files[opened].path, opened >= MOST_OPEN, t);
        if (status == HD_OK &&
            !(hd_write_all(t->fd, files[opened].data, files[opened].length) && settle_temporary(t)))
            status = hd_fail_errno(diag, HD_ESYSTEM, files[opened].path, "write");
    }
    for (size_t i = 0; i < count && status == HD_OK; i++)
        if (!publish_temporary(&temporaries[i]))
            status = hd_fail_errno(diag, HD_ESYSTEM, files[i].path, "write");
    for (size_t i = 0; i < opened; i++)
        drop_temporary(&temporaries[i]);
    hd_arena_free(arena);
    return status;
}

hd_status hd_write_file(const hd_diag *diag, const char *path, const void *data, size_t length) {
    return hd_write_files(diag, &(hd_output){path, data, length}, 1);
}

/* ---- piece by piece ------------------------------------------------------------------------- */

enum { PIECE = 1 << 16 };

struct hd_file {
    const hd_diag *diag;
    temporary temporary;
    size_t filled; /* of piece */
    char piece[PIECE];
};

hd_status hd_file_begin(hd_arena *arena, const hd_diag *diag, const char *path, hd_file **file) {
    hd_file *f = hd_new(arena, hd_file);
    f->diag = diag;
    hd_status status = open_temporary(arena, diag, path, false, &f->temporary);
    *file = status == HD_OK ? f : NULL;
    return status;
}

static hd_status flush_piece(hd_file *file) {
    size_t filled = file->filled;
    file->filled = 0;
    return hd_write_all(file->temporary.fd, file->piece, filled)
               ? HD_OK
               : hd_fail_errno(file->diag, HD_ESYSTEM, file->temporary.path, "write");
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
    if (status == HD_OK &&
        !(settle_temporary(&file->temporary) && publish_temporary(&file->temporary)))
        status = hd_fail_errno(file->diag, HD_ESYSTEM, file->temporary.path, "write");
    drop_temporary(&file->temporary);
    return status;
}

void hd_file_drop(hd_file *file) { drop_temporary(&file->temporary); }

/* ---- folders -------------------------------------------------------------------------------- */

hd_status hd_folders_make(hd_arena *arena, const hd_diag *diag, const char *path,
                          hd_folders *made) {
    const hd_place place = {.file = path};
    if (!*path)
        return hd_fail(diag, HD_EINPUT, NULL, "the name is empty; name a folder");
    for (size_t end = 1; path[end - 1]; end++) {
        if (path[end] && path[end] != '/')
            continue;
        const char *part = hd_strndup(arena, path, end);
        int error = mkdir(part, 0777) ? errno : 0;
        if (!error)
            hd_push(arena, made, part);
        else if (access(part, F_OK))
            return hd_fail(diag, HD_ESYSTEM, &place, "cannot make this folder: %s",
                           strerror(error));
        if (!path[end])
            break;
    }
    struct stat at;
    if (stat(path, &at) || !S_ISDIR(at.st_mode))
        return hd_fail(diag, HD_EINPUT, &place, "this is no folder; name another one");
    return access(path, W_OK) ? hd_fail_errno(diag, HD_ESYSTEM, path, "write into this folder")
                              : HD_OK;
}

void hd_folders_remove(const hd_folders *made) {
    for (size_t i = made->count; i-- > 0;)
        rmdir(made->data[i]);
}
