/*
 * Files that change together, in place: an undo journal.
 *
 *     1. The journal is written beside the files and flushed to disk: what is in each, and what
 *        will be. Until its last line is there, nothing has changed.
 *     2. Each file is written over, so that it stays the file that it is, and flushed.
 *     3. The journal goes. Until then the change can be taken back.
 *
 * Whoever finds a journal takes back: the command that wrote it never said that it was done, and
 * the user can give it again. A file that holds neither its old nor its new bytes, nor a mixture
 * of both, was changed by somebody else since, and is left alone.
 *
 * A journal names files to write, so only one that was written here is believed: it holds the
 * number and birth time of its own file, which a copy, or one out of an archive, doesn't have, and
 * belongs to the user, so that nobody else has one obeyed in a folder that all write to, like /tmp.
 * Who changes files holds a lock on the journal, which ends with the process.
 *
 *     heddle journal 1
 *     written as 7340123 1763816400 123456789       inode, birth time
 *     files 2
 *     file 7 310 428 1763816300 0                   lengths of name, old, new; time of change
 *     body.cl...old...new...                        the name from the journal's folder
 *     file 6 -1 512 0 0                             there was none
 *     body.h...new...
 *     end 5a17...                                   checksum of all before
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"

static const char magic[] = "heddle journal 1\n";

typedef struct content {
    const char *data;
    size_t length;
} content;

typedef struct change {
    const char *path; /* as the messages name it */
    const char *target;
    content old, new;
    bool is_new;              /* there was no such file */
    struct timespec modified; /* of the old one */
    int fd;                   /* -1: not open */
    bool touched;
} change;

typedef struct changes {
    hd_arena *arena;
    const hd_diag *diag;
    const char *journal;
    int fd; /* of the journal, locked */
    change *data;
    size_t count;
} changes;

/* ---- one file ----------------------------------------------------------------------------- */

static bool write_over(int fd, content text) {
    for (size_t done = 0; done < text.length;) {
        ssize_t wrote = pwrite(fd, text.data + done, text.length - done, (off_t)done);
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote < 0)
            return false;
        done += (size_t)wrote;
    }
    return ftruncate(fd, (off_t)text.length) == 0 && fsync(fd) == 0;
}

/* A name is on the disk when its folder is. Some file systems cannot, and need not, flush one. */
static void flush_folder(hd_arena *arena, const char *path) {
    int fd = open(hd_path_folder(arena, path), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return;
    fsync(fd);
    close(fd);
}

static bool make_new(changes *all, change *c) {
    c->touched = true;
    if (c->fd < 0 && c->is_new)
        c->fd = open(c->target, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (c->fd < 0) {
        c->touched = false;
        return false;
    }
    bool done = write_over(c->fd, c->new);
    if (done && c->is_new)
        flush_folder(all->arena, c->target);
    return done;
}

static bool make_old(changes *all, change *c) {
    if (!c->touched)
        return true;
    if (!c->is_new)
        return write_over(c->fd, c->old);
    bool gone = unlink(c->target) == 0 || errno == ENOENT;
    flush_folder(all->arena, c->target);
    return gone;
}

static void close_files(changes *all) {
    for (size_t i = 0; i < all->count; i++)
        if (all->data[i].fd >= 0)
            close(all->data[i].fd);
}

/* The first file that could not get its old contents back, or NULL. What is as it was need not be
 * built again, so it gets its time, too. */
static const change *restore(changes *all) {
    const change *failed = NULL;
    for (size_t i = 0; i < all->count; i++) {
        change *c = &all->data[i];
        const struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, c->modified};
        bool restored = make_old(all, c);
        if (restored && !c->is_new)
            utimensat(AT_FDCWD, c->target, times, AT_SYMLINK_NOFOLLOW);
        if (!restored && !failed)
            failed = c;
    }
    return failed;
}

/* ---- the journal's text --------------------------------------------------------------------- */

/* "written as ..." of an open journal; NULL: nobody knows. */
static const char *identity(hd_arena *arena, int fd) {
    struct statx about;
    if (statx(fd, "", AT_EMPTY_PATH, STATX_INO | STATX_BTIME, &about))
        return NULL;
    bool dated = about.stx_mask & STATX_BTIME;
    return hd_format(arena, "written as %llu %lld %u", (unsigned long long)about.stx_ino,
                     dated ? (long long)about.stx_btime.tv_sec : 0,
                     dated ? about.stx_btime.tv_nsec : 0);
}

/* A file below the journal's folder is named from there, so that a project can be moved. */
static void print_journal(const changes *all, const char *written_as, hd_str *out) {
    char *folder = realpath(hd_path_folder(all->arena, all->journal), NULL);
    size_t length = folder ? strlen(folder) : 0;
    hd_str_printf(out, "%s%s\nfiles %zu\n", magic, written_as, all->count);
    for (size_t i = 0; i < all->count; i++) {
        const change *c = &all->data[i];
        const char *name = c->target, *last = hd_path_name(name);
        char *within = realpath(hd_path_folder(all->arena, name), NULL);
        if (folder && within && !strncmp(folder, within, length) &&
            (!within[length] || within[length] == '/'))
            name =
                within[length] ? hd_format(all->arena, "%s/%s", within + length + 1, last) : last;
        else if (within)
            name = hd_format(all->arena, "%s/%s", within, last);
        free(within);
        hd_str_printf(out, "file %zu %lld %zu %lld %ld\n", strlen(name),
                      c->is_new ? -1LL : (long long)c->old.length, c->new.length,
                      (long long)c->modified.tv_sec, c->modified.tv_nsec);
        hd_str_add(out, name);
        hd_str_addn(out, c->old.data, c->old.length);
        hd_str_addn(out, c->new.data, c->new.length);
        hd_str_add(out, "\n");
    }
    free(folder);
    hd_str_printf(out, "end %016llx\n",
                  (unsigned long long)hd_hash_bytes(HD_HASH_START, out->data, out->length));
}

/* What of the text has not been read. */
typedef struct rest {
    const char *at;
    size_t length;
} rest;

static bool take(rest *r, size_t length, content *text) {
    if (length > r->length)
        return false;
    *text = (content){r->at, length};
    r->at += length;
    r->length -= length;
    return true;
}

static bool take_line(rest *r, hd_arena *arena, const char **line) {
    content text;
    const char *end = memchr(r->at, '\n', r->length);
    if (!end || !take(r, (size_t)(end - r->at) + 1, &text))
        return false;
    *line = hd_strndup(arena, text.data, text.length - 1);
    return true;
}

/* False: it is not whole. */
static bool read_changes(changes *all, content text, const char **written_as) {
    enum { LAST_LINE = 21 };
    rest r = {text.data + sizeof magic - 1, text.length - (sizeof magic - 1)};
    const char *line;
    uint64_t sum;
    if (text.length < sizeof magic - 1 + LAST_LINE ||
        sscanf(text.data + text.length - LAST_LINE, "end %16llx\n", (unsigned long long *)&sum) !=
            1 ||
        sum != hd_hash_bytes(HD_HASH_START, text.data, text.length - LAST_LINE) ||
        !take_line(&r, all->arena, written_as) || !take_line(&r, all->arena, &line) ||
        sscanf(line, "files %zu", &all->count) != 1 || all->count > text.length)
        return false;
    all->data = hd_new_array(all->arena, change, all->count);
    for (size_t i = 0; i < all->count; i++) {
        change *c = &all->data[i];
        size_t name_length, new_length;
        long long old_length, seconds;
        long nanoseconds;
        content name, newline;
        if (!take_line(&r, all->arena, &line) ||
            sscanf(line, "file %zu %lld %zu %lld %ld", &name_length, &old_length, &new_length,
                   &seconds, &nanoseconds) != 5)
            return false;
        *c = (change){.fd = -1,
                      .is_new = old_length < 0,
                      .modified = {.tv_sec = (time_t)seconds, .tv_nsec = nanoseconds}};
        if (!take(&r, name_length, &name) ||
            !take(&r, c->is_new ? 0 : (size_t)old_length, &c->old) ||
            !take(&r, new_length, &c->new) || !take(&r, 1, &newline))
            return false;
        const char *text_of_name = hd_strndup(all->arena, name.data, name.length);
        c->path = c->target = hd_path_beside(all->arena, all->journal, text_of_name);
    }
    return true;
}

/* ---- changing ------------------------------------------------------------------------------- */

static bool is_equal(content a, content b) {
    return a.length == b.length && !memcmp(a.data, b.data, a.length);
}

/* Adds a file unless it stays as it is. */
static hd_status add_change(changes *all, const hd_output *file, const char *before) {
    change *c = &all->data[all->count];
    *c = (change){.path = file->path, .old = {"", 0}, .new = {file->data, file->length}, .fd = -1};
    hd_status status = hd_output_target(all->arena, all->diag, c->path, &c->target);
    if (status != HD_OK)
        return status;
    c->is_new = access(c->target, F_OK) != 0;
    struct stat at;
    char *text;
    if (c->is_new && access(hd_path_folder(all->arena, c->target), W_OK))
        status = hd_fail_errno(all->diag, HD_ESYSTEM, c->path, "write");
    if (!c->is_new)
        status = hd_read_file(all->arena, all->diag, c->target, &text, &c->old.length);
    if (status == HD_OK && !c->is_new) {
        c->old.data = text;
        c->fd = open(c->target, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
        if (c->fd < 0 || fstat(c->fd, &at))
            status = hd_fail_errno(all->diag, HD_ESYSTEM, c->path, "write");
        else
            c->modified = at.st_mtim;
    }
    /* What was read to make the new contents must still be there. */
    if (status == HD_OK && before && !c->is_new &&
        !is_equal(c->old, (content){before, strlen(before)}))
        status = hd_fail(all->diag, HD_EINPUT, &(hd_place){.file = c->path},
                         "this has changed since it was read, and writing would lose that; give "
                         "the command again");
    /* Two names of one file are one change. */
    const change *same = NULL;
    struct stat other;
    for (size_t i = 0; i < all->count && !same; i++)
        if (c->fd >= 0 && all->data[i].fd >= 0 && !fstat(c->fd, &at) &&
            !fstat(all->data[i].fd, &other) && at.st_dev == other.st_dev &&
            at.st_ino == other.st_ino)
            same = &all->data[i];
    if (status == HD_OK && same && !is_equal(same->new, c->new))
        status = hd_fail(all->diag, HD_EINPUT, &(hd_place){.file = c->path},
                         "this is one file with %s, and they would change differently; make two "
                         "files of it",
                         same->path);
    if (status == HD_OK && !same && (c->is_new || !is_equal(c->old, c->new)))
        all->count++;
    else if (c->fd >= 0)
        close(c->fd);
    return status;
}

static hd_status busy(const changes *all) {
    return hd_fail(all->diag, HD_EINPUT, &(hd_place){.file = all->journal},
                   "another heddle is changing these files now; wait until it is done");
}

/* The journal is there, whole and on the disk, or not at all. */
static hd_status write_journal(changes *all) {
    const hd_place place = {.file = all->journal};
    all->fd = open(all->journal, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (all->fd < 0 && errno == EEXIST)
        return hd_fail(all->diag, HD_EINPUT, &place,
                       "this journal is of a change that was interrupted; take that back first");
    if (all->fd < 0)
        return hd_fail_errno(all->diag, HD_ESYSTEM, all->journal, "write");
    struct stat at;
    if (flock(all->fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
        return close(all->fd), busy(all);
    if (fstat(all->fd, &at) || !at.st_nlink) /* taken for an interrupted one, before the lock */
        return close(all->fd), busy(all);
    hd_str text = {.arena = all->arena};
    const char *written_as = identity(all->arena, all->fd);
    if (written_as)
        print_journal(all, written_as, &text);
    if (written_as && write_over(all->fd, (content){text.data, text.length})) {
        flush_folder(all->arena, all->journal);
        return HD_OK;
    }
    hd_status status = hd_fail_errno(all->diag, HD_ESYSTEM, all->journal, "write");
    unlink(all->journal);
    close(all->fd);
    return status;
}

static hd_status remove_journal(changes *all) {
    hd_status status =
        unlink(all->journal) ? hd_fail_errno(all->diag, HD_ESYSTEM, all->journal, "remove") : HD_OK;
    flush_folder(all->arena, all->journal);
    return status;
}

/* One message, of what went wrong first and of what did then. */
static hd_status give_up(changes *all, const change *c, int error) {
    const hd_place place = {.file = c->path};
    const change *stuck = restore(all);
    if (stuck)
        return hd_fail(all->diag, HD_ESYSTEM, &place,
                       "cannot write: %s; and %s cannot get its old contents back, which %s keeps",
                       strerror(error), stuck->path, all->journal);
    unlink(all->journal);
    flush_folder(all->arena, all->journal);
    return hd_fail(all->diag, HD_ESYSTEM, &place, "cannot write: %s; no file was changed",
                   strerror(error));
}

hd_status hd_change_files(hd_arena *arena, const hd_diag *diag, const char *journal,
                          const hd_output *files, const char *const *before, size_t count) {
    changes all = {arena, diag, journal, -1, hd_new_array(arena, change, count), 0};
    hd_status status = HD_OK;
    for (size_t i = 0; i < count && status == HD_OK; i++)
        status = add_change(&all, &files[i], before[i]);
    sigset_t everything, mask;
    sigfillset(&everything);
    sigprocmask(SIG_SETMASK, &everything, &mask);
    if (status == HD_OK && all.count && (status = write_journal(&all)) == HD_OK) {
        size_t made = 0;
        while (made < all.count && make_new(&all, &all.data[made]))
            made++;
        status = made < all.count ? give_up(&all, &all.data[made], errno) : remove_journal(&all);
        close(all.fd);
    }
    sigprocmask(SIG_SETMASK, &mask, NULL);
    close_files(&all);
    return status;
}

/* ---- taking back ---------------------------------------------------------------------------- */

/* Bytes that a write which was cut off may have left: each old or new, or none yet (zero). */
static bool is_between(content now, content old, content new) {
    if (now.length > old.length && now.length > new.length)
        return false;
    for (size_t i = 0; i < now.length; i++) {
        char byte = now.data[i];
        if (byte && !(i < old.length && byte == old.data[i]) &&
            !(i < new.length &&byte == new.data[i]))
            return false;
    }
    return true;
}

static hd_status changed_since(const changes *all, const change *c, const char *how) {
    return hd_fail(all->diag, HD_EINPUT, &(hd_place){.file = c->path},
                   "%s since a rewrite of it was interrupted; to leave all files as they are, "
                   "remove the journal %s, which has the old contents",
                   how, all->journal);
}

/* Opens a file of the journal that has to be written. */
static hd_status open_changed(const changes *all, change *c) {
    char *text;
    content now = {0};
    struct stat at;
    bool is_gone = lstat(c->target, &at) && errno == ENOENT;
    if (is_gone && c->is_new)
        return HD_OK;
    if (is_gone)
        return changed_since(all, c, "this is gone");
    hd_status status = hd_read_file(all->arena, all->diag, c->target, &text, &now.length);
    if (status != HD_OK)
        return status;
    now.data = text;
    if (!c->is_new && is_equal(now, c->old))
        return HD_OK;
    if (!is_between(now, c->old, c->new))
        return changed_since(all, c, "this has changed");
    c->fd = open(c->target, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    c->touched = true;
    return c->fd >= 0 ? HD_OK : hd_fail_errno(all->diag, HD_ESYSTEM, c->path, "write");
}

/* The changes of a journal that is open, ours to obey, and nobody's at the moment; none when it was
 * never finished. */
static hd_status read_journal(changes *all) {
    const hd_place place = {.file = all->journal};
    const char *written_as;
    struct stat at;
    char *text;
    size_t length;
    if (fstat(all->fd, &at))
        return hd_fail_errno(all->diag, HD_ESYSTEM, all->journal, "read");
    if (at.st_uid != geteuid())
        return hd_fail(all->diag, HD_EINPUT, &place,
                       "another user began a rewrite in this folder, and it was interrupted; that "
                       "user has to take it back: heddle apply --recover");
    if (flock(all->fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
        return busy(all);
    if (fstat(all->fd, &at) || !at.st_nlink) /* it ended before the lock */
        return busy(all);
    hd_status status =
        hd_read_long_file(all->arena, all->diag, all->journal, UINT64_MAX, &text, &length);
    if (status != HD_OK)
        return status;
    if (strncmp(text, magic, length < sizeof magic - 1 ? length : sizeof magic - 1))
        return hd_fail(all->diag, HD_EINPUT, &place, "this is no journal of heddle's; rename it");
    if (!read_changes(all, (content){text, length}, &written_as)) {
        all->count = 0;
        return HD_OK;
    }
    const char *here = identity(all->arena, all->fd);
    if (!here || strcmp(written_as, here) != 0)
        return hd_fail(all->diag, HD_EINPUT, &place,
                       "this journal was not written here but copied, so it is not obeyed; it "
                       "holds the old and new contents of files: remove it when you need none");
    return HD_OK;
}

hd_status hd_take_back(hd_arena *arena, const hd_diag *diag, const char *journal,
                       hd_taken_back *result) {
    changes all = {.arena = arena, .diag = diag, .journal = journal};
    *result = (hd_taken_back){0};
    hd_status status = hd_open_file(diag, journal, &all.fd, NULL);
    if (status != HD_OK)
        return status;
    sigset_t everything, before;
    sigfillset(&everything);
    sigprocmask(SIG_SETMASK, &everything, &before);
    status = read_journal(&all);
    for (size_t i = 0; i < all.count && status == HD_OK; i++)
        status = open_changed(&all, &all.data[i]);
    const change *stuck = status == HD_OK ? restore(&all) : NULL;
    if (stuck)
        status = hd_fail_errno(diag, HD_ESYSTEM, stuck->path, "write");
    if (status == HD_OK) {
        result->files = hd_new_array(arena, const char *, all.count);
        for (size_t i = 0; i < all.count; i++)
            if (all.data[i].touched)
                result->files[result->count++] = all.data[i].path;
        status = remove_journal(&all);
    }
    close_files(&all);
    close(all.fd);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return status;
}
