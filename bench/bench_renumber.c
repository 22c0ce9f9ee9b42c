/*
 * Data in other numbers: what making an order and renumbering take, in seconds of one core, for the
 * full jobs of examples/ whose elements were put into a random order first; and what each order does
 * to the transactions of the small ones on a Tesla K20c, by the machine: those of the random order that
 * are saved, as a share of what the random order added (above 100%: better than the example has it).
 *
 * The exit status is 1 when renumbering by reverse Cuthill-McKee takes more than is allowed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "job/numbering.h"
#include "analysis/coalesce.h"
#include "cli/report/report.h"
#include "shared/run_job.h"
#include "machine/vm.h"

static const double allowed = 1; /* seconds */

typedef struct bench {
    hd_arena *arena;
    const hd_diag *diag;
    const hd_device *device;
    hd_job *job;
    void **contents;
    uint32_t numbering;
} bench;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void check(hd_status status) {
    if (status != HD_OK)
        exit(2);
}

static void open_job(bench *b, const char *name, const char *size) {
    const char *path = hd_format(b->arena, "examples/%s/%s%s.yaml", name, name, size);
    check(load_job(b->arena, b->diag, path, &b->job));
    check(hd_numbering_find(b->arena, b->diag, b->job, NULL, &b->numbering));
    b->contents = hd_new_array(b->arena, void *, b->job->buffer_count);
    check(hd_job_all_contents(b->arena, b->diag, b->job, b->contents));
}

/* The job by an order; *ordering and *renumbering: seconds. */
static hd_job *renumber(const bench *b, hd_order_kind kind, double *ordering, double *renumbering) {
    uint32_t *order;
    hd_renumbered *made;
    double begun = now();
    check(hd_numbering_order(b->arena, b->diag, b->job, b->contents, b->numbering,
                             &(hd_order_by){kind, 1}, &order));
    *ordering = now() - begun;
    begun = now();
    check(hd_job_renumber(b->arena, b->diag, b->job, b->contents, b->numbering, order, &made));
    *renumbering = now() - begun;
    return made->job;
}

/* Goes on from a random order. */
static void shuffle(bench *b) {
    double ordering, renumbering;
    b->job = renumber(b, HD_ORDER_RANDOM, &ordering, &renumbering);
    check(hd_job_all_contents(b->arena, b->diag, b->job, b->contents));
}

static double transactions(const bench *b, const hd_job *job) {
    hd_arena *arena = hd_arena_new();
    const hd_tally_work work = hd_coalesce_work(arena, b->device);
    hd_tally *tally = hd_tally_new(arena, &work, 1);
    const hd_sink sink = hd_tally_sink(tally);
    hd_vm *vm;
    uint64_t sum = 0;
    check(hd_vm_open(arena, b->diag, job, NULL, &(hd_vm_options){0}, &vm));
    for (uint32_t l = 0; l < job->launch_count; l++) {
        check(hd_vm_run(vm, l, &sink, NULL));
        const hd_coalesce_counts *counts = hd_tally_of_launch(tally, 0, l);
        sum += counts ? counts->transactions : 0;
    }
    hd_vm_close(vm);
    hd_tally_free(tally);
    hd_arena_free(arena);
    return (double)sum;
}

static bool measure(const hd_diag *diag, const hd_device *device, const char *name) {
    hd_arena *arena = hd_arena_new();
    bench full = {.arena = arena, .diag = diag, .device = device}, small = full;
    bool fast = true;
    open_job(&full, name, "");
    open_job(&small, name, "-small");
    double natural = transactions(&small, small.job);
    shuffle(&full);
    shuffle(&small);
    double random = transactions(&small, small.job);
    uint32_t dims;
    bool has_points =
        hd_numbering_points(arena, full.job, full.contents, full.numbering, &dims) != NULL;
    for (hd_order_kind kind = HD_ORDER_RCM; kind < HD_ORDER_KINDS; kind++) {
        double ordering, renumbering, unused;
        if (kind == HD_ORDER_CURVE && !has_points)
            continue;
        renumber(&full, kind, &ordering, &renumbering);
        double better = random - transactions(&small, renumber(&small, kind, &unused, &unused));
        bool slow = kind == HD_ORDER_RCM && ordering + renumbering > allowed;
        printf("%-7s %-10s %9.3f %9.3f %11.0f%% %s\n", name, hd_order_kind_names[kind], ordering,
               renumbering, 100 * better / (random - natural), slow ? "TOO SLOW" : "");
        fast = fast && !slow;
    }
    hd_arena_free(arena);
    return fast;
}

int main(void) {
    static const char *const names[] = {"sta", "gsim", "bfs", "nbf", "moldyn", "irreg", "euler"};
    hd_printer printer = {.out = stderr};
    const hd_diag diag = {hd_print_message, &printer};
    hd_arena *arena = hd_arena_new();
    const hd_device *device;
    bool fast = true;
    check(hd_device_find(arena, &diag, "tesla-k20c", &device));
    setvbuf(stdout, NULL, _IOLBF, 0);
    printf("%-7s %-10s %9s %9s %12s\n", "job", "data by", "ordering", "renumber", "saved again");
    for (size_t n = 0; n < sizeof names / sizeof *names; n++)
        fast = measure(&diag, device, names[n]) && fast;
    printf("allowed for reverse Cuthill-McKee and renumbering: %.0f s: %s\n", allowed,
           fast ? "kept" : "NOT KEPT");
    hd_arena_free(arena);
    return !fast;
}
