/* Work in a process of its own, so that its peak of memory can be told. */
#ifndef HD_BENCH_REUSE_CHILD_H
#define HD_BENCH_REUSE_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef bool child_work(const void *input, void *result);

/* Runs `work` in a fork of this process, and copies the result that it leaves: `size` bytes, at
 * most what a pipe takes at once. `peak`: bytes that were resident at most, those that were so
 * before the fork with them; may be NULL. False when the work returned false or was killed. */
bool run_in_child(child_work *work, const void *input, void *result, size_t size, uint64_t *peak);

#endif
