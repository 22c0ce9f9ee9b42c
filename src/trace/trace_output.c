/* The file that a trace is written to. */
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "trace_output.h"

enum { BUFFER_BYTES = 1 << 18 };

static void write_all(output *o, const uint8_t *data, size_t count) {
    while (count && !o->error) {
        ssize_t wrote = pwrite(o->fd, data, count, (off_t)o->flushed);
        if (wrote < 0) {
            o->error = errno == EINTR ? 0 : errno;
            continue;
        }
        data += wrote;
        count -= (size_t)wrote;
        o->flushed += (uint64_t)wrote;
    }
}

void output_flush(output *o) {
    write_all(o, o->buffer.data, o->buffer.count);
    o->buffer.count = 0;
}

/* Who writes a file holds a lock on it, which ends with the process. (What cannot be locked, on
 * some network file systems, is not.) */
static void lock(const output *o) { (void)!flock(o->fd, LOCK_EX | LOCK_NB); }

bool output_is_written(const char *path) {
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool is_locked = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (fd >= 0)
        close(fd);
    return is_locked;
}

/* Gives the file its bytes first and its name then; false where the file system cannot. */
static bool open_nameless(output *o, hd_arena *arena, const char *path) {
    o->fd = open(hd_path_folder(arena, path), O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
    if (o->fd < 0)
        return false;
    lock(o);
    const char *self = hd_format(arena, "/proc/self/fd/%d", o->fd);
    write_all(o, o->buffer.data, o->buffer.count);
    unlink(path); /* of a killed run */
    if (!o->error && linkat(AT_FDCWD, self, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0)
        return true;
    close(o->fd);
    return false;
}

bool output_open(output *o, hd_arena *arena, const char *path) {
    if (!open_nameless(o, arena, path)) {
        o->error = 0;
        o->flushed = 0;
        o->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        o->error = o->fd < 0 ? errno : 0;
        lock(o);
        write_all(o, o->buffer.data, o->buffer.count);
    }
    o->buffer.count = 0;
    if (o->error && o->fd >= 0) {
        close(o->fd);
        unlink(path);
    }
    return !o->error;
}

void output_write(output *o, const uint8_t *data, size_t count) {
    if (o->buffer.count + count > BUFFER_BYTES)
        output_flush(o);
    if (count > BUFFER_BYTES)
        write_all(o, data, count);
    else if (!o->error)
        put_data(&o->buffer, data, count);
}

void output_truncate(output *o, uint64_t size) {
    if (o->error)
        return;
    if (size >= o->flushed) {
        o->buffer.count = (size_t)(size - o->flushed);
        return;
    }
    o->buffer.count = 0;
    o->flushed = size;
    if (ftruncate(o->fd, (off_t)size) != 0)
        o->error = errno;
}

/* The disk is not waited for: a trace can be made again, and its checksums tell when what a
 * power failure left is not whole. */
bool output_close(output *o) {
    output_flush(o);
    if (close(o->fd) != 0 && !o->error)
        o->error = errno;
    bytes_free(&o->buffer);
    return !o->error;
}
