/*
 * fuzz_kernels --count N --seed S: N random kernels, on the machine and on PoCL.
 *
 * Kernels are run in batches, for a program costs PoCL half a second before its
 * first kernel; each batch in a process of its own.
 * A kernel on which the two disagree is made small and left, with its job, in the
 * folder fuzz-S-I, where I is its number.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "folder.h"
#include "fuzz.h"

enum { BATCH = 20 };

/* ---- in a process of its own ------------------------------------------------- */

static const char *words(verdict v) { return v == DIFFERENT ? "different" : "not run"; }

/* One kernel alone, in a folder that stays. True when nothing is wrong with it. */
static bool investigate(const task *t, uint32_t index) {
    hd_arena *arena = hd_arena_new();
    const char *folder = hd_format(arena, "fuzz-%lu-%u", (unsigned long)t->seed, index);
    kernel *k = fuzz_kernel(arena, fuzz_seed(t, index), 0);
    hd_str told = {.arena = arena};
    verdict found = NOT_RUN;
    mkdir(folder, 0777);
    if (!fuzz_write(arena, NULL, folder, &k, 1))
        fuzz_compare(folder, &k, 1, &found, &told);
    if (found != SAME) {
        printf("kernel %u: %s\n%s", index, words(found), hd_str_text(&told));
        fflush(stdout);
        fuzz_reduce(folder, k, found, hd_str_text(&told));
        printf("kernel %u: made small, in %s/\n", index, folder);
    } else {
        unlink(hd_format(arena, "%s/kernels.cl", folder));
        unlink(hd_format(arena, "%s/job.yaml", folder));
        rmdir(folder);
    }
    fflush(stdout);
    hd_arena_free(arena);
    return found == SAME;
}

/* The number of kernels of which something is wrong. */
static uint32_t run_batch(const task *t) {
    hd_arena *arena = hd_arena_new();
    char *folder = folder_make(arena);
    kernel *kernels[BATCH];
    verdict verdicts[BATCH];
    hd_str told = {.arena = arena};
    uint32_t wrong = 0;
    for (uint32_t k = 0; k < t->count; k++)
        kernels[k] = fuzz_kernel(arena, fuzz_seed(t, t->first + k), k);
    if (fuzz_write(arena, NULL, folder, kernels, t->count))
        abort();
    fuzz_compare(folder, kernels, t->count, verdicts, &told);
    folder_remove(folder);
    for (uint32_t k = 0; k < t->count; k++)
        wrong += verdicts[k] != SAME
    &&!investigate(t, t->first + k);
    hd_arena_free(arena);
    return wrong;
}

int main(int argc, char **argv) {
    setenv("POCL_KERNEL_CACHE", "0", 0); /* no kernel is met twice */
    /* LLVM gets some of the vectors wrong that PoCL has it make of work-items. */
    setenv("POCL_WORK_GROUP_METHOD", "loops", 0);
    return fuzz_main("kernels", BATCH, run_batch, argc, argv);
}
