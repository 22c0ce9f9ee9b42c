/*
 * fuzz_files --program HEDDLE [--minutes N] [--seed S] [--first I] [--count N] [--kind KIND]
 *            [--seconds N]
 *
 * The whole corpus, then damaged inputs of all kinds in turn, on all cores until N minutes are over
 * or the count is reached. Input I of a seed is the same in every run. What is found is left here
 * as files-S-I.ENDING, with the call that showed it on standard output. Exit status 1: something
 * was found.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "files.h"
#include "folder.h"
#include "tools.h"

/* All calls of a kind are for the corpus. */
enum { CALLS_OF_DAMAGED = 2 };

typedef struct request {
    char program[PATH_MAX];
    const char *kind;
    double minutes, seconds;
    uint64_t seed, first, count;
} request;

typedef struct tally {
    _Atomic uint64_t next_of_corpus, next, tried, found; /* shared by all workers */
} tally;

typedef struct worker {
    const request *request;
    tally *tally;
    limits limits;
    hd_arena *arena;
    bytes_list *seeds, *corpus; /* [kind_count] */
} worker;

/* ---- one input ------------------------------------------------------------------------ */

static void keep(hd_arena *arena, const kind *k, const char *name, const char *const *call,
                 const char *wrong, const bytes *input) {
    const hd_diag silent = {NULL, NULL};
    const char *path = hd_format(arena, "%s%s", name, k->ending);
    hd_str words = {.arena = arena};
    for (; *call; call++)
        hd_str_printf(&words, " %s", *call);
    bool kept = !hd_write_file(&silent, path, input->data, input->length);
    printf("%s%s: heddle%s\n  %s\n", path, kept ? "" : " (it could not be written)",
           hd_str_text(&words), wrong);
    fflush(stdout);
}

static size_t call_count(const kind *k) {
    size_t count = 0;
    while (count < MOST_CALLS && k->calls[count][0])
        count++;
    return count;
}

/* `count` calls of a kind on one input, from the `first` on; what is found is kept under `name`. */
static void try_input(worker *w, const kind *k, const char *name, const bytes *input, size_t first,
                      size_t count) {
    hd_arena *arena = hd_arena_new();
    const char *path = hd_format(arena, "%s/input%s", w->limits.folder, k->ending);
    for (size_t i = 0; i < count; i++) {
        const char *const *call = k->calls[(first + i) % call_count(k)];
        const char *wrong = try_call(arena, &w->limits, k, call, path, input);
        if (!wrong)
            continue;
        keep(arena, k, name, call, wrong, input);
        w->tally->found++;
        break;
    }
    w->tally->tried++;
    unlink(path);
    hd_arena_free(arena);
}

static bool wanted(const request *r, const kind *k) {
    return !r->kind || !strcmp(r->kind, k->name);
}

static void try_damaged(worker *w, uint64_t number) {
    const request *r = w->request;
    const task t = {r->seed, 0, 0};
    uint64_t random = fuzz_seed(&t, (uint32_t)number);
    size_t which = number % kind_count;
    while (!wanted(r, &kinds[which]))
        which = (which + 1) % kind_count;
    const bytes_list *seeds = &w->seeds[which];
    const bytes *seed = &seeds->data[hd_next_random(&random) % seeds->count];
    bytes input = {0};
    bytes_set(&input, seed->data, seed->length);
    kinds[which].damage(&random, seeds, &input);
    char name[64];
    snprintf(name, sizeof name, "files-%lu-%lu", (unsigned long)r->seed, (unsigned long)number);
    size_t calls = call_count(&kinds[which]);
    try_input(w, &kinds[which], name, &input, hd_next_random(&random) % calls,
              calls < CALLS_OF_DAMAGED ? calls : CALLS_OF_DAMAGED);
    free(input.data);
}

/* ---- workers -------------------------------------------------------------------------- */

/* The folder that all workers copy, and what they start from. */
static bool begin(worker *w) {
    w->arena = hd_arena_new();
    w->limits.folder = folder_make(w->arena);
    w->seeds = hd_new_array(w->arena, bytes_list, kind_count);
    w->corpus = hd_new_array(w->arena, bytes_list, kind_count);
    bool ready = begin_folder(w->arena, &w->limits);
    for (size_t k = 0; ready && k < kind_count; k++)
        ready = !wanted(w->request, &kinds[k]) ||
                read_seeds(w->arena, &w->limits, &kinds[k], &w->seeds[k], &w->corpus[k]);
    return ready;
}

/* Each input of the corpus is the next worker's. */
static void try_corpus(worker *w) {
    uint64_t number = 0, mine = w->tally->next_of_corpus++;
    for (size_t k = 0; k < kind_count; k++)
        for (size_t s = 0; s < w->corpus[k].count; s++)
            if (number++ == mine) {
                const char *name = hd_format(w->arena, "corpus-%s-%zu", kinds[k].name, s);
                try_input(w, &kinds[k], name, &w->corpus[k].data[s], 0, call_count(&kinds[k]));
                mine = w->tally->next_of_corpus++;
            }
}

static int work(worker *w) {
    const char *whole = w->limits.folder;
    w->limits.folder = folder_make(w->arena);
    const char *copy = hd_format(w->arena, "cp -R '%s/.' '%s'", whole, w->limits.folder);
    bool ready = !system(copy);
    if (ready && !w->request->first)
        try_corpus(w);
    double end = hd_clock() + 60 * w->request->minutes;
    for (uint64_t i; ready && (i = w->tally->next++) < w->request->count && hd_clock() < end;)
        try_damaged(w, w->request->first + i);
    folder_remove(w->limits.folder);
    return ready ? 0 : 2;
}

/* ---- the command line ------------------------------------------------------------------ */

static void usage(void) {
    fprintf(stderr, "usage: fuzz_files --program HEDDLE [--minutes N] [--seed S] [--first I] "
                    "[--count N] [--seconds N] [--kind");
    for (size_t k = 0; k < kind_count; k++)
        fprintf(stderr, "%c%s", k ? '|' : ' ', kinds[k].name);
    fprintf(stderr, "]\n");
    exit(2);
}

static bool read_number(const char *text, double *value) {
    char *end;
    *value = strtod(text, &end);
    return end != text && !*end && *value >= 0 && *value <= UINT32_MAX;
}

static request read_request(int argc, char **argv) {
    request r = {.minutes = 1, .seconds = 30, .seed = 1, .count = UINT32_MAX};
    for (int i = 1; i < argc; i += 2) {
        double value = 0;
        const char *text = i + 1 < argc ? argv[i + 1] : "";
        bool number = read_number(text, &value), known = false;
        if (!strcmp(argv[i], "--program") && realpath(text, r.program))
            continue;
        else if (!strcmp(argv[i], "--minutes") && number)
            r.minutes = value;
        else if (!strcmp(argv[i], "--seconds") && number)
            r.seconds = value;
        else if (!strcmp(argv[i], "--seed") && number)
            r.seed = (uint64_t)value;
        else if (!strcmp(argv[i], "--first") && number)
            r.first = (uint64_t)value;
        else if (!strcmp(argv[i], "--count") && number)
            r.count = (uint64_t)value;
        else if (!strcmp(argv[i], "--kind"))
            r.kind = text;
        else
            usage();
        for (size_t k = 0; r.kind && k < kind_count; k++)
            known = known || !strcmp(r.kind, kinds[k].name);
        if (r.kind && !known)
            usage();
    }
    if (!*r.program || !getenv("HEDDLE_SOURCE"))
        usage();
    return r;
}

int main(int argc, char **argv) {
    const request r = read_request(argc, argv);
    uint32_t workers = hd_core_count();
    tally *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        abort();
    *shared = (tally){0};
    worker w = {.request = &r,
                .tally = shared,
                .limits = {.program = r.program, .seconds = r.seconds, .megabytes = 1024}};
    int status, failed = !begin(&w);
    for (uint32_t i = 0; i < workers && !failed; i++)
        if (fork() == 0)
            _exit(work(&w));
    while (wait(&status) > 0)
        failed |= !WIFEXITED(status) || WEXITSTATUS(status);
    folder_remove(w.limits.folder);
    printf("%lu inputs from seed %lu, %lu found\n", (unsigned long)shared->tried,
           (unsigned long)r.seed, (unsigned long)shared->found);
    return failed ? 2 : shared->found > 0;
}
