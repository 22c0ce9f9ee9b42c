/*
 * Table 2 of Kofler, Cosenza and Fahringer, "Automatic Data Layout Optimizations for GPUs"
 * (Euro-Par 2015), on the OpenCL devices of this machine: five programs, each as AoS, as SoA, in
 * the clusters of its layout graph, in one tile, in both (what the document's method selects, without
 * a race), and in the layout that wins the race of `heddle advise --budget`. docs/reproduce-selection.md is what this prints,
 * with comments.
 *
 *     bench_table2            all of it
 *     bench_table2 --list     what needs no device: programs and clusters; the document's table 1;
 *                             what its method selects by that
 *     bench_table2 --small    the same as all of it, on the examples' small jobs and in haste
 *
 * All versions of a program run in turns. Our choice must not be slower than AoS, nor than the
 * best of the others: the interval of the ratio of their times must reach down to 1 + MARGIN. The
 * exit status is 1 if it is slower.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "frontend/frontend.h"
#include "cli/gpu/gpu.h"
#include "cli/report/report.h"
#include "table2/programs.h"
#include "table2/selection.h"

/* heddle advise leaves differences up to this to the layout nearest to the source's. */
static const double MARGIN = 0.01;

typedef struct bench {
    hd_arena *arena; /* of a device */
    const hd_diag *diag;
    table_effort effort;
    bool small; /* the examples' small jobs */
} bench;

/* One program on a device. */
typedef struct outcome {
    const hd_layout *layouts[VERSIONS];
    uint32_t racer[VERSIONS]; /* equal layouts are one */
    uint32_t racers;
    hd_turns turns;
    version best; /* of the others */
    hd_interval to_best, to_aos;
    bool met;
} outcome;

static hd_status load(const bench *b, const program *p, hd_job **job) {
    const char *path =
        b->small
            ? hd_format(b->arena, "%s/examples/%s/%s-small.yaml", HEDDLE_SOURCE, p->name, p->name)
            : hd_format(b->arena, "%s/bench/table2/%s.yaml", HEDDLE_SOURCE, p->name);
    kir_module *module;
    hd_status status;
    if ((status = hd_job_read(b->arena, b->diag, path, job)) ||
        (status = hd_frontend(b->arena, b->diag, (*job)->kernel_path, (*job)->options, &module)) ||
        (status = hd_job_resolve(b->arena, b->diag, *job, module)))
        return status;
    return HD_OK;
}

/* ---- what needs no device ----------------------------------------------------------- */

/* The L1 lines of the document's table 1, which are those of the processors and GPUs of today. */
static const uint64_t epsilons[] = {64, 128};
enum { EPSILONS = sizeof epsilons / sizeof *epsilons };

static uint32_t kernels_with_record(const hd_job *job) {
    uint32_t count = 0;
    for (uint32_t k = 0; k < job->module->kernel_count; k++) {
        const kir_kernel *kernel = job->module->kernels[k];
        bool takes = false;
        for (uint32_t p = 0; p < kernel->param_count; p++)
            takes = takes || kernel->params[p].record == job->record;
        count += takes;
    }
    return count;
}

static hd_status list_program(const bench *b, const program *p) {
    hd_job *job;
    const hd_layout *layouts[VERSIONS];
    hd_status status = load(b, p, &job);
    if (status != HD_OK)
        return status;
    printf("| %s | %u | %u | %u |", p->title, job->record->size, job->record->field_count,
           kernels_with_record(job));
    for (int e = 0; e < EPSILONS && status == HD_OK; e++) {
        status = select_layouts(b->arena, b->diag, job, epsilons[e], NULL, layouts);
        if (status == HD_OK)
            printf(" `%s` |", hd_layout_print(b->arena, job->record, layouts[VERSION_CLUSTERS]));
    }
    printf("\n");
    return status;
}

/* The document's table 1, and what LAYOUTOPTIMIZE makes of it for each program. */
static hd_status list_selections(const bench *b) {
    const hd_device *devices[DOCUMENT_DEVICES];
    hd_status status = HD_OK;
    printf("| device | epsilon | tree |\n|---|---|---|\n");
    for (int d = 0; d < DOCUMENT_DEVICES && status == HD_OK; d++) {
        status = hd_device_find(b->arena, b->diag, document_devices[d].profile, &devices[d]);
        if (status == HD_OK)
            printf("| %s | %u | `%s` |\n", devices[d]->title, hd_device_epsilon(devices[d], NULL),
                   hd_tile_steps_print(b->arena, devices[d]->tiles));
    }
    printf("\n| program |");
    for (int d = 0; d < DOCUMENT_DEVICES; d++)
        printf(" %s |", document_devices[d].profile);
    printf(" the paper says |\n|---|---|---|---|---|\n");
    for (int p = 0; p < PROGRAMS && status == HD_OK; p++) {
        hd_job *job;
        status = load(b, &programs[p], &job);
        printf("| %s |", programs[p].title);
        for (int d = 0; d < DOCUMENT_DEVICES && status == HD_OK; d++) {
            const hd_layout *layouts[VERSIONS];
            status = select_layouts(b->arena, b->diag, job, hd_device_epsilon(devices[d], NULL),
                                    devices[d]->tiles, layouts);
            if (status == HD_OK)
                printf(" `%s` |", hd_layout_print(b->arena, job->record, layouts[VERSION_BOTH]));
        }
        printf(" %s |\n", programs[p].selected);
    }
    printf("\n");
    return status;
}

static hd_status list_programs(const bench *b) {
    hd_status status = HD_OK;
    printf("| program | bytes | fields | kernels | clusters, epsilon 64 | clusters, epsilon 128 |\n"
           "|---|---|---|---|---|---|\n");
    for (int p = 0; p < PROGRAMS && status == HD_OK; p++)
        status = list_program(b, &programs[p]);
    printf("\n");
    return status;
}

/* ---- one program ---------------------------------------------------------------------- */

/* Gives every layout a racer, equal ones the same; AoS is racer 0. */
static void number_layouts(outcome *o, const hd_layout *racers[VERSIONS]) {
    for (int v = 0; v < VERSIONS; v++) {
        uint32_t r = 0;
        while (r < o->racers && !hd_layout_equal(racers[r], o->layouts[v]))
            r++;
        if (r == o->racers)
            racers[o->racers++] = o->layouts[v];
        o->racer[v] = r;
    }
}

static hd_interval ratio(const bench *b, const outcome *o, version v, version to) {
    return hd_turns_ratio(b->arena, &o->turns, o->racer[v], o->racer[to]);
}

static void judge(const bench *b, outcome *o) {
    double least = INFINITY;
    for (int v = 0; v < VERSION_OURS; v++) {
        double time = ratio(b, o, v, VERSION_AOS).median;
        if (time >= least)
            continue;
        least = time;
        o->best = v;
    }
    o->to_best = ratio(b, o, VERSION_OURS, o->best);
    o->to_aos = ratio(b, o, VERSION_OURS, VERSION_AOS);
    o->met = o->to_best.low <= 1 + MARGIN && o->to_aos.low <= 1 + MARGIN;
}

static hd_status run_program(const bench *b, const table_selection *s, const program *p,
                             hd_job **job, outcome *o) {
    const hd_layout *racers[VERSIONS];
    *o = (outcome){0};
    hd_status status = load(b, p, job);
    if (status == HD_OK)
        status = select_layouts(b->arena, b->diag, *job, hd_device_epsilon(s->profile, NULL),
                                s->tree, o->layouts);
    if (status == HD_OK)
        status =
            select_ours(b->arena, b->diag, *job, s, b->effort.budget, &o->layouts[VERSION_OURS]);
    if (status != HD_OK)
        return status;
    number_layouts(o, racers);
    const hd_turns_options options = {
        .device = s->device.id, .rounds = b->effort.rounds, .seconds = b->effort.seconds};
    status = hd_take_turns(b->arena, b->diag, *job, racers, o->racers, &options, &o->turns);
    for (uint32_t r = 0; r < o->racers && status == HD_OK; r++)
        if (o->turns.why[r])
            status = hd_fail(b->diag, HD_EINPUT, NULL, "%s in the layout %s: %s", (*job)->path,
                             hd_layout_print(b->arena, (*job)->record, racers[r]), o->turns.why[r]);
    if (status == HD_OK)
        judge(b, o);
    return status;
}

/* Speedups are ratios the other way round. */
static void print_program(const bench *b, const program *p, const hd_job *job, const outcome *o) {
    for (int v = 0; v < VERSIONS; v++) {
        hd_interval time = ratio(b, o, v, VERSION_AOS);
        printf("| %s | %s | `%s` | %.2f | %.2f to %.2f |\n", p->title, version_names[v],
               hd_layout_print(b->arena, job->record, o->layouts[v]), 1 / time.median,
               1 / time.high, 1 / time.low);
    }
    fflush(stdout);
}

/* ---- one device --------------------------------------------------------------------------- */

static void print_head(const bench *b, const table_selection *s) {
    printf("### %s (%s)\n\n| device | epsilon | tree |\n|---|---|---|\n| %s | %u | `%s`, learned "
           "on %.10s |\n\n",
           s->device.name, s->device.platform, s->device.name, hd_device_epsilon(s->profile, NULL),
           hd_tile_steps_print(b->arena, s->tree), s->date);
    printf("| program | version | layout | speedup over AoS | 95%% |\n|---|---|---|---|---|\n");
    fflush(stdout);
}

static void print_table(const bench *b, const outcome outcomes[PROGRAMS]) {
    printf("\n| program |");
    for (int d = 0; d < DOCUMENT_DEVICES; d++)
        printf(" %s there |", document_devices[d].name);
    for (int v = 1; v < VERSIONS; v++)
        printf(" %s |", version_names[v]);
    printf("\n|---|");
    for (int c = 0; c < DOCUMENT_DEVICES + VERSIONS - 1; c++)
        printf("---|");
    printf("\n");
    for (int p = 0; p < PROGRAMS; p++) {
        printf("| %s |", programs[p].title);
        for (int d = 0; d < DOCUMENT_DEVICES; d++)
            printf(" %.2f |", programs[p].speedup[d]);
        for (int v = 1; v < VERSIONS; v++)
            printf(" %.2f |", 1 / ratio(b, &outcomes[p], v, VERSION_AOS).median);
        printf("\n");
    }
    printf("\n");
}

static bool print_verdicts(const outcome outcomes[PROGRAMS]) {
    bool all_met = true;
    for (int p = 0; p < PROGRAMS; p++) {
        const outcome *o = &outcomes[p];
        printf("- %s: %s. Our choice takes %.3f of AoS's time (%.3f to %.3f), and %.3f (%.3f to "
               "%.3f) of that of the best of the others, %s; %u rounds.\n",
               programs[p].title, o->met ? "met" : "missed", o->to_aos.median, o->to_aos.low,
               o->to_aos.high, o->to_best.median, o->to_best.low, o->to_best.high,
               version_names[o->best], o->turns.rounds);
        all_met = all_met && o->met;
    }
    printf("\n");
    return all_met;
}

static hd_status run_device(const bench *b, const hd_compute_device *device, hd_database *database,
                            bool *all_met) {
    table_selection s;
    outcome outcomes[PROGRAMS];
    hd_status status = select_for_device(b->arena, b->diag, device, database, &b->effort, &s);
    if (status != HD_OK)
        return status;
    print_head(b, &s);
    for (int p = 0; p < PROGRAMS && status == HD_OK; p++) {
        hd_job *job;
        status = run_program(b, &s, &programs[p], &job, &outcomes[p]);
        if (status == HD_OK)
            print_program(b, &programs[p], job, &outcomes[p]);
    }
    if (status != HD_OK)
        return status;
    print_table(b, outcomes);
    *all_met = print_verdicts(outcomes) && *all_met;
    return HD_OK;
}

static hd_status run_devices(bench *b, bool *all_met) {
    hd_arena *arena = hd_arena_new();
    uint32_t count;
    const char *missing;
    hd_status status = HD_OK;
    hd_compute_device *devices = hd_compute_named("opencl")->list(arena, &count, &missing);
    hd_database *database = hd_database_open_user(arena, b->diag);
    if (!count)
        status = hd_fail(b->diag, HD_EINPUT, NULL, "%s", missing);
    for (uint32_t d = 0; d < count; d++) {
        b->arena = hd_arena_new();
        hd_status failure = run_device(b, &devices[d], database, all_met);
        hd_arena_free(b->arena);
        status = status == HD_OK ? failure : status;
    }
    hd_database_close(database);
    hd_arena_free(arena);
    return status;
}

int main(int argc, char **argv) {
    hd_printer printer = {.out = stderr};
    const hd_diag diag = {hd_print_message, &printer};
    bool list = argc == 2 && !strcmp(argv[1], "--list");
    bool small = argc == 2 && !strcmp(argv[1], "--small");
    bench b = {.arena = hd_arena_new(),
               .diag = &diag,
               .effort = small ? (table_effort){.budget = 1, .rounds = 6, .train_a_part = true}
                               : (table_effort){.budget = 30, .rounds = 25, .seconds = 10},
               .small = small};
    bool all_met = true;
    if (argc > 2 || (argc == 2 && !list && !small)) {
        fprintf(stderr, "usage: bench_table2 [--list | --small]\n");
        return 2;
    }
    hd_status status = list_programs(&b);
    if (status == HD_OK)
        status = list_selections(&b);
    hd_arena_free(b.arena);
    if (status == HD_OK && !list)
        status = run_devices(&b, &all_met);
    return status != HD_OK ? 2 : !all_met;
}
