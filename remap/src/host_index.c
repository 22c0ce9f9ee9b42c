/*
 * Maps with an index array: every value is fetched from anywhere. What can be done is to prefetch
 * it, and to write in whole lines.
 */
#include "remap/remap_host.h"

enum { BLOCK_BYTES = 16 << 10, AHEAD = 48 };

typedef struct job {
    const hd_remap_numbers *numbers;
    size_t bytes;
    char *to;
    const char *from;
    uint64_t block, blocks, tasks; /* a block of values */
} job;

/* Values `first` on, to `to`; false, and nothing more, when one of them has no number. */
static inline __attribute__((always_inline)) bool gather(const job *j, size_t bytes, bool wide,
                                                         char *to, uint64_t first, uint64_t count) {
    const uint32_t *narrow_numbers = j->numbers->data;
    const uint64_t *wide_numbers = j->numbers->data;
    uint64_t all = j->numbers->count;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t at = first + i, later = at + AHEAD < all ? at + AHEAD : all - 1;
        uint64_t number = wide ? wide_numbers[at] : narrow_numbers[at];
        uint64_t next = wide ? wide_numbers[later] : narrow_numbers[later];
        if (number == (wide ? HD_REMAP_NONE : UINT32_MAX))
            return false;
        __builtin_prefetch((const void *)((uintptr_t)j->from + next * bytes));
        memcpy(to + i * bytes, j->from + number * bytes, bytes);
    }
    return true;
}

static bool gather_values(const job *j, char *to, uint64_t first, uint64_t count) {
    bool wide = j->numbers->bytes == 8;
    if (!wide && j->bytes == 4)
        return gather(j, 4, false, to, first, count);
    if (!wide && j->bytes == 8)
        return gather(j, 8, false, to, first, count);
    if (!wide && j->bytes == 16)
        return gather(j, 16, false, to, first, count);
    return gather(j, j->bytes, wide, to, first, count);
}

static void gather_task(const hd_remap_engine *engine, void *user, uint64_t task, char *scratch) {
    const job *j = user;
    char *block = scratch + REMAP_LINE;
    uint64_t begin = j->blocks * task / j->tasks, end = j->blocks * (task + 1) / j->tasks;
    hd_remap_stream stream = {.to = j->to + begin * j->block * j->bytes};
    for (uint64_t b = begin; b < end; b++) {
        uint64_t first = b * j->block, left = j->numbers->count - first;
        uint64_t count = left < j->block ? left : j->block;
        if (gather_values(j, block, first, count)) {
            hd_remap_put(engine, &stream, block, (size_t)count * j->bytes);
            continue;
        }
        hd_remap_end(&stream);
        for (uint64_t i = first; i < first + count; i++) { /* some stay as they are */
            uint64_t number = hd_remap_number(j->numbers, i);
            if (number != HD_REMAP_NONE)
                memcpy(j->to + i * j->bytes, j->from + number * j->bytes, j->bytes);
        }
        stream.to += count * j->bytes;
    }
    hd_remap_end(&stream);
}

hd_status hd_remap_move_numbers(const hd_remap_engine *engine, const hd_remap_numbers *numbers,
                                size_t bytes, char *to, const char *from) {
    job j = {.numbers = numbers, .bytes = bytes, .to = to, .from = from};
    j.block = bytes < BLOCK_BYTES ? BLOCK_BYTES / bytes : 1;
    j.blocks = (numbers->count + j.block - 1) / j.block;
    j.tasks = hd_remap_tasks(engine, j.blocks, numbers->count * bytes);
    return hd_remap_run(engine, j.tasks, REMAP_LINE + (size_t)j.block * bytes, gather_task, &j);
}
