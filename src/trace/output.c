/* The file that a trace is written to. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "output.h"

enum { BUFFER_BYTES = 1 << 18 };

bool output_open(output *o, const char *path) {
    *o = (output){.fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)};
    o->error = o->fd < 0 ? errno : 0;
    return !o->error;
}

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
