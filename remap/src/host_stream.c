/*
 * Writing whole lines.
 *
 * Values are first put in order in a block of a few kilobytes, which stays in the first-level
 * cache, and then written in one go. A line that is written whole needs not be read before, and,
 * written by streaming stores, pushes nothing out of them; so the end of a block that does not fill
 * a line is kept back until the next one comes.
 */
#include "remap/remap_host.h"

void hd_remap_put(const hd_remap_engine *engine, hd_remap_stream *stream, char *block,
                  size_t bytes) {
    size_t head = -(uintptr_t)stream->to % REMAP_LINE; /* before the first whole line */
    if (head) {
        head = (size_t)hd_remap_least(head, bytes);
        memcpy(stream->to, block, head);
        stream->to += head;
    }
    engine->lanes->put(stream, block + head, bytes - head, engine->streaming);
}

void hd_remap_end(hd_remap_stream *stream) {
    memcpy(stream->to, stream->kept + REMAP_LINE - stream->carried, stream->carried);
    stream->to += stream->carried;
    stream->carried = 0;
}

/* ---- values of any size -------------------------------------------------------------------- */

static inline __attribute__((always_inline)) void copy_values(char *restrict to, size_t to_step,
                                                              const char *restrict from,
                                                              size_t from_step, size_t bytes,
                                                              size_t count) {
    for (size_t i = 0; i < count; i++)
        memcpy(to + i * to_step, from + i * from_step, bytes);
}

void hd_remap_copy_values(char *to, size_t to_step, const char *from, size_t from_step,
                          size_t bytes, size_t count) {
#define CASE(n)                                                         \
    case n: copy_values(to, to_step, from, from_step, n, count); break;
    switch (bytes) {
        CASE(1)
        CASE(2)
        CASE(3)
        CASE(4)
        CASE(6)
        CASE(8)
        CASE(12)
        CASE(16)
        CASE(20)
        CASE(24)
        CASE(28)
        CASE(32)
    default: copy_values(to, to_step, from, from_step, bytes, count);
    }
#undef CASE
}
