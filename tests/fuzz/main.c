/*
 * fuzz_kernels --count N --seed S: N random kernels, on the machine and on PoCL.
 *
 * Kernels are run in batches, for a program costs PoCL half a second before its
 * first kernel; each batch in a process of its own, one for each core at a time.
 * A kernel on which the two disagree is made small and left, with its job, in the
 * folder fuzz-S-I, where I is its number.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fuzz.h"

enum { BATCH = 20, MOST_PROCESSES = 64 };

typedef struct task {
    uint64_t seed;
    uint32_t first, count;
} task;

static uint64_t seed_of(const task *t, uint32_t index) {
    return t->seed * 0x9e3779b97f4a7c15u + index * 0xd1342543de82ef95u;
}

/* ---- in a process of its own ------------------------------------------------- */

static const char *words(verdict v) {
    return v == DIFFERENT ? "different" : "not run";
}

/* One kernel alone, in a folder that stays. True when nothing is wrong with it. */
static bool investigate(const task *t, uint32_t index) {
    hd_arena *arena = hd_arena_new();
    const char *folder = hd_format(arena, "fuzz-%lu-%u", (unsigned long)t->seed, index);
    kernel *k = fuzz_kernel(arena, seed_of(t, index), 0);
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
    char folder[] = "/tmp/heddle-fuzz-XXXXXX";
    kernel *kernels[BATCH];
    verdict verdicts[BATCH];
    hd_str told = {.arena = arena};
    uint32_t wrong = 0;
    if (!mkdtemp(folder))
        abort();
    for (uint32_t k = 0; k < t->count; k++)
        kernels[k] = fuzz_kernel(arena, seed_of(t, t->first + k), k);
    if (fuzz_write(arena, NULL, folder, kernels, t->count))
        abort();
    fuzz_compare(folder, kernels, t->count, verdicts, &told);
    unlink(hd_format(arena, "%s/kernels.cl", folder));
    unlink(hd_format(arena, "%s/job.yaml", folder));
    rmdir(folder);
    for (uint32_t k = 0; k < t->count; k++)
        wrong += verdicts[k] != SAME && !investigate(t, t->first + k);
    hd_arena_free(arena);
    return wrong;
}

/* ---- processes side by side -------------------------------------------------- */

typedef struct pool {
    pid_t pids[MOST_PROCESSES];
    task tasks[MOST_PROCESSES];
    uint32_t room, running;
    hd_arena *arena;
    hd_vec(task) waiting; /* the last one is next */
    uint32_t done, wrong;
} pool;

static void start(pool *p, task t) {
    uint32_t slot = 0;
    while (p->pids[slot])
        slot++;
    fflush(stdout);
    p->tasks[slot] = t;
    p->pids[slot] = fork();
    if (p->pids[slot] == 0)
        _exit((int)run_batch(&t));
    if (p->pids[slot] < 0)
        abort();
    p->running++;
}

/* A batch whose process died is run again, one kernel after the other. */
static void note_crash(pool *p, task t) {
    if (t.count == 1) {
        printf("kernel %u: the process died\n", t.first);
        p->wrong++;
        p->done++;
        return;
    }
    for (uint32_t k = 0; k < t.count; k++)
        hd_push(p->arena, &p->waiting, (task){t.seed, t.first + k, 1});
}

static void finish_one(pool *p) {
    int status;
    pid_t pid = wait(&status);
    uint32_t slot = 0;
    while (p->pids[slot] != pid)
        slot++;
    p->pids[slot] = 0;
    p->running--;
    if (!WIFEXITED(status)) {
        note_crash(p, p->tasks[slot]);
        return;
    }
    p->wrong += (uint32_t)WEXITSTATUS(status);
    p->done += p->tasks[slot].count;
}

static void run_pool(pool *p, uint64_t seed, uint32_t count) {
    uint32_t shown = 0;
    for (uint32_t last = count; last > 0; last -= last % BATCH ? last % BATCH : BATCH) {
        uint32_t size = last % BATCH ? last % BATCH : BATCH;
        hd_push(p->arena, &p->waiting, (task){seed, last - size, size});
    }
    while (p->running || p->waiting.count) {
        if (p->waiting.count && p->running < p->room)
            start(p, p->waiting.data[--p->waiting.count]);
        else
            finish_one(p);
        if (p->done / 200 > shown / 200)
            printf("%u kernels, %u wrong\n", shown = p->done, p->wrong);
    }
}

static uint64_t number(int argc, char **argv, int at) {
    char *end = NULL;
    uint64_t value = at < argc ? strtoull(argv[at], &end, 0) : 0;
    if (!end || *end || end == argv[at]) {
        fprintf(stderr, "usage: fuzz_kernels [--count N] [--seed S]\n");
        exit(2);
    }
    return value;
}

int main(int argc, char **argv) {
    uint64_t count = 100, seed = 1;
    for (int i = 1; i < argc; i += 2)
        if (!strcmp(argv[i], "--count"))
            count = number(argc, argv, i + 1);
        else if (!strcmp(argv[i], "--seed"))
            seed = number(argc, argv, i + 1);
        else
            number(argc, argv, argc);
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    pool p = {.arena = hd_arena_new(),
              .room = cores < 1 ? 1 : cores > MOST_PROCESSES ? MOST_PROCESSES : (uint32_t)cores};
    time_t begin = time(NULL);
    setenv("POCL_KERNEL_CACHE", "0", 0); /* no kernel is met twice */
    run_pool(&p, seed, (uint32_t)count);
    printf("%u kernels from seed %lu, %u wrong, %ld s\n", p.done, (unsigned long)seed, p.wrong,
           (long)(time(NULL) - begin));
    hd_arena_free(p.arena);
    return p.wrong > 0;
}
