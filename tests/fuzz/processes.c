/* Inputs in batches, each in a process of its own: one that dies takes no other with it. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tools.h"

enum { MOST_PROCESSES = 64 };

uint64_t fuzz_seed(const task *t, uint32_t index) {
    return t->seed * 0x9e3779b97f4a7c15u + index * 0xd1342543de82ef95u;
}

typedef struct pool {
    const char *what;
    uint32_t batch;
    fuzz_batch_fn *run;
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
        _exit((int)p->run(&t));
    if (p->pids[slot] < 0)
        abort();
    p->running++;
}

/* A batch whose process died is run again, one input after the other. */
static void note_crash(pool *p, task t) {
    if (t.count == 1) {
        printf("%s: number %u: the process died\n", p->what, t.first);
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

static void run_pool(pool *p, uint64_t seed, uint32_t first, uint32_t count) {
    uint32_t shown = 0;
    for (uint32_t last = count; last > 0; last -= last % p->batch ? last % p->batch : p->batch) {
        uint32_t size = last % p->batch ? last % p->batch : p->batch;
        hd_push(p->arena, &p->waiting, (task){seed, first + last - size, size});
    }
    while (p->running || p->waiting.count) {
        if (p->waiting.count && p->running < p->room)
            start(p, p->waiting.data[--p->waiting.count]);
        else
            finish_one(p);
        if (p->done / 200 > shown / 200)
            printf("%u %s, %u wrong\n", shown = p->done, p->what, p->wrong);
    }
}

static uint64_t number(const char *what, int argc, char **argv, int at) {
    char *end = NULL;
    uint64_t value = at < argc ? strtoull(argv[at], &end, 0) : 0;
    if (!end || *end || end == argv[at]) {
        fprintf(stderr, "usage: fuzz_%s [--first I] [--count N] [--seed S]\n", what);
        exit(2);
    }
    return value;
}

int fuzz_main(const char *what, uint32_t batch, fuzz_batch_fn *run, int argc, char **argv) {
    uint64_t first = 0, count = 100, seed = 1;
    for (int i = 1; i < argc; i += 2)
        if (!strcmp(argv[i], "--count"))
            count = number(what, argc, argv, i + 1);
        else if (!strcmp(argv[i], "--first"))
            first = number(what, argc, argv, i + 1);
        else if (!strcmp(argv[i], "--seed"))
            seed = number(what, argc, argv, i + 1);
        else
            number(what, argc, argv, argc);
    uint32_t cores = hd_core_count();
    pool p = {.what = what,
              .batch = batch,
              .run = run,
              .arena = hd_arena_new(),
              .room = cores > MOST_PROCESSES ? MOST_PROCESSES : cores};
    time_t begin = time(NULL);
    run_pool(&p, seed, (uint32_t)first, (uint32_t)count);
    printf("%u %s from seed %lu, %u wrong, %ld s\n", p.done, what, (unsigned long)seed, p.wrong,
           (long)(time(NULL) - begin));
    hd_arena_free(p.arena);
    return p.wrong > 0;
}
