/* The file that a trace is written to: small writes gathered, and cut back where a block
 * turns out to be no use. The first error is kept and ends all writing. */
#ifndef HD_TRACE_OUTPUT_H
#define HD_TRACE_OUTPUT_H

#include "bytes.h"

typedef struct output {
    int fd;
    int error;        /* errno of what went wrong, or 0 */
    uint64_t flushed; /* bytes handed to the system */
    bytes buffer;     /* those after them */
} output;

/* Makes the file, with what was written before in it: who finds the name finds that. False: see
 * `error`, and there is no file. */
bool output_open(output *o, hd_arena *arena, const char *path);
/* Somebody is writing this file now. */
bool output_is_written(const char *path);
static inline uint64_t output_size(const output *o) { return o->flushed + o->buffer.count; }
void output_write(output *o, const uint8_t *data, size_t count);
/* Forgets what was written from byte `size` on. */
void output_truncate(output *o, uint64_t size);
void output_flush(output *o);
/* Flushes and closes; false when anything went wrong. */
bool output_close(output *o);

#endif
