/*
 * fuzz_ptx --count N --seed S: N random kernels, from their source and from nvcc's PTX.
 * fuzz_compiled, likewise: from their source as compiled, as written, and from nvcc's PTX.
 *
 * A kernel of which something is wrong is made small and left, with its jobs, in the folder
 * fuzz-S-I, where I is its number; --first I --count 1 tries it again.
 *
 * fuzz_ptx --keep FOLDER makes a folder of some kernels, and --kept FOLDER tries one, without nvcc.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "folder.h"
#include "fuzz/ptx/ptx.h"

enum { BATCH = 20, KEPT = 30 };

typedef struct attempt {
    const char *folder;
    kernel *kernel;
    verdict wanted;
} attempt;

static verdict try_one(const char *folder, kernel *k, hd_str *told) {
    verdict found = NOT_RUN;
    if (write_kernels(told->arena, folder, &k, 1, told))
        compare_kernels(folder, 1, &found, told);
    return found;
}

static bool still(void *user) {
    const attempt *a = user;
    hd_str told = {.arena = hd_arena_new()};
    verdict found = try_one(a->folder, a->kernel, &told);
    hd_arena_free(told.arena);
    return found == a->wanted;
}

/* True when nothing is wrong with it. */
static bool investigate(const task *t, uint32_t index) {
    hd_arena *arena = hd_arena_new();
    const char *folder = hd_format(arena, "fuzz-%lu-%u", (unsigned long)t->seed, index);
    kernel *k = make_kernel(arena, fuzz_seed(t, index), 0);
    hd_str told = {.arena = arena};
    mkdir(folder, 0777);
    verdict found = try_one(folder, k, &told);
    if (found == SAME) {
        folder_remove(folder);
    } else {
        printf("kernel %u: %s\n%s", index, found == DIFFERENT ? "different" : "not run",
               hd_str_text(&told));
        fflush(stdout);
        fuzz_shrink(k->source, still, &(attempt){folder, k, found});
        try_one(folder, k, &told);
        printf("kernel %u: made small, in %s/\n", index, folder);
    }
    fflush(stdout);
    hd_arena_free(arena);
    return found == SAME;
}

static uint32_t run_batch(const task *t) {
    hd_arena *arena = hd_arena_new();
    char *folder = folder_make(arena);
    kernel *kernels[BATCH];
    verdict verdicts[BATCH] = { SAME };
    hd_str told = {.arena = arena};
    uint32_t wrong = 0;
    for (uint32_t k = 0; k < t->count; k++) {
        kernels[k] = make_kernel(arena, fuzz_seed(t, t->first + k), k);
        verdicts[k] = NOT_RUN;
    }
    if (write_kernels(arena, folder, kernels, t->count, &told))
        compare_kernels(folder, t->count, verdicts, &told);
    folder_remove(folder);
    for (uint32_t k = 0; k < t->count; k++)
        if (verdicts[k] != SAME)
            wrong += !investigate(t, t->first + k);
    hd_arena_free(arena);
    return wrong;
}

/* ---- a folder that is kept ------------------------------------------------------------------- */

static bool keep(const char *folder) {
    hd_arena *arena = hd_arena_new();
    kernel *kernels[KEPT];
    hd_str told = {.arena = arena};
    const task all = {.seed = 23, .count = KEPT};
    for (uint32_t k = 0; k < KEPT; k++)
        kernels[k] = make_kernel(arena, fuzz_seed(&all, k), k);
    mkdir(folder, 0777);
    bool made = write_kernels(arena, folder, kernels, KEPT, &told);
    printf("%s", hd_str_text(&told));
    hd_arena_free(arena);
    return made;
}

static bool try_kept(const char *folder) {
    hd_arena *arena = hd_arena_new();
    verdict verdicts[KEPT];
    hd_str told = {.arena = arena};
    uint32_t wrong = 0;
    compare_kernels(folder, KEPT, verdicts, &told);
    for (uint32_t k = 0; k < KEPT; k++)
        wrong += verdicts[k] != SAME;
    printf("%s%u kept kernels, %u wrong\n", hd_str_text(&told), KEPT, wrong);
    hd_arena_free(arena);
    return !wrong;
}

int main(int argc, char **argv) {
    if (argc == 3 && !strcmp(argv[1], "--keep"))
        return !keep(argv[2]);
    if (argc == 3 && !strcmp(argv[1], "--kept"))
        return !try_kept(argv[2]);
    return fuzz_main(FUZZ_COMPILED ? "compiled" : "ptx", BATCH, run_batch, argc, argv);
}
