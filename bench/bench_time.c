/*
 * Predicted gains in time beside published ones (bench/time/sets.c). docs/reproduce-time.md is what this
 * prints, with comments.
 *
 *     bench_time            all sets; the exit status is 1 if what the model promises does not hold
 *     bench_time NAME ...   those sets alone, with what each form is bound by
 */
#include <stdio.h>

#include "advise/recount.h"
#include "cli/report/report.h"
#include "frontend/frontend.h"
#include "model/agreement.h"
#include "time/sets.h"

/* Accesses of lanes that are heard of each form. */
enum { LIMIT = 4 << 20 };

typedef struct prediction {
    const char *device;
    const form *of;
    hd_time time;
    char *text; /* what it is bound by */
} prediction;
typedef hd_vec(prediction) predictions;

/* ---- the jobs ------------------------------------------------------------------------------ */

static void set_argument(hd_arena *arena, hd_job *job, const char *name, uint64_t value) {
    for (uint32_t a = 0; a < job->launches[0].arg_count; a++)
        if (!strcmp(job->launches[0].args[a].name, name))
            job->launches[0].args[a].value_text =
                hd_format(arena, "%llu", (unsigned long long)value);
}

static void fit(hd_arena *arena, hd_job *job, const form *f) {
    hd_launch *launch = &job->launches[0];
    const uint64_t threads = f->records ? f->records : f->threads;
    for (uint32_t b = 0; b < job->buffer_count; b++) {
        hd_buffer *buffer = &job->buffers[b];
        if (f->records)
            buffer->count = f->records;
        if (f->scalar && strcmp(buffer->type, f->scalar) != 0) {
            buffer->type = f->scalar;
            buffer->count /= 2;
        }
    }
    if (threads) {
        set_argument(arena, job, "n", threads);
        launch->global[0] = hd_align_up(threads, launch->local[0]);
    }
    for (int d = 0; f->block[0] && d < 2; d++)
        launch->local[d] = f->block[d];
}

static hd_status load(hd_arena *arena, const hd_diag *diag, const form *f, const hd_device *device,
                      hd_job **job) {
    const char *path = hd_format(arena, "%s/%s", HEDDLE_SOURCE, f->job);
    kir_module *module;
    hd_status status = hd_job_read(arena, diag, path, job);
    if (status != HD_OK)
        return status;
    if (f->options)
        (*job)->options = hd_format(arena, "-I%s/remap/include %s", HEDDLE_SOURCE, f->options);
    else if ((*job)->options)
        (*job)->options = hd_format(arena, "-I%s/remap/include %s", HEDDLE_SOURCE, (*job)->options);
    fit(arena, *job, f);
    const kir_form known = hd_form_for(device); /* where none is known a compiler there was */
    status = hd_frontend_of(arena, diag, (*job)->kernel_path, (*job)->options,
                            known == KIR_AS_WRITTEN ? KIR_FOR_NVIDIA : known, NULL, &module);
    return status ? status : hd_job_resolve(arena, diag, *job, module);
}

/* Accesses of lanes of all of it, as static cost has them. */
static double lane_accesses(hd_arena *arena, const hd_job *job) {
    double sum = 0;
    for (uint32_t l = 0; l < job->launch_count; l++) {
        const hd_launch *launch = &job->launches[l];
        const hd_kernel_info *info = hd_job_analyse(arena, job, launch);
        const hd_grid grid = hd_grid_of(launch->dims, launch->global, launch->local);
        const double threads =
            (double)grid.block_count * (double)grid.block_threads * (double)launch->repeat;
        for (uint32_t a = 0; a < info->access_count; a++) {
            double runs = 1;
            for (int32_t loop = info->accesses[a].loop; loop >= 0;
                 loop = info->flow->loops[loop].parent)
                runs *= info->trips[loop].count > 0 ? (double)info->trips[loop].count : 1;
            sum += threads * runs;
        }
    }
    return sum;
}

static hd_status predict(void *self, uint32_t worker, uint64_t number) {
    prediction *p = &((predictions *)self)->data[number];
    hd_printer printer = {.out = stderr};
    const hd_diag diag = {hd_print_message, &printer};
    hd_arena *arena = hd_arena_new();
    const hd_evidence_options options = {.limit = LIMIT};
    const hd_device *device;
    hd_layout *layout = NULL;
    hd_run_counts counts;
    hd_job *job;
    (void)worker;
    hd_status status = hd_device_find(arena, &diag, p->device, &device);
    if (status == HD_OK)
        status = load(arena, &diag, p->of, device, &job);
    if (status == HD_OK && p->of->layout)
        status = hd_layout_parse(arena, &diag, job->record, p->of->layout, &layout);
    if (status == HD_OK)
        status = hd_count_in_layout(arena, &diag, job, layout, device, lane_accesses(arena, job),
                                    &options, &counts);
    if (status == HD_OK) {
        p->time = counts.time;
        hd_str s = {.arena = arena};
        for (int b = 0; b < HD_BOUNDS; b++)
            if (counts.time.of[b] > 0.05 * counts.time.seconds)
                hd_str_printf(&s, " %s %.0f%%", hd_time_bound_title((hd_time_bound)b),
                              100 * counts.time.of[b] / counts.time.seconds);
        p->text = strdup(hd_str_text(&s));
        if (p->of->share > 0)
            p->time.seconds *= p->of->share;
    }
    if (status != HD_OK)
        fprintf(stderr, "%s: %s of %s failed\n", p->device, p->of->name, p->of->job);
    hd_arena_free(arena);
    return status;
}

static size_t find(const predictions *all, const char *device, const form *of) {
    size_t i = 0;
    while (i < all->count && (all->data[i].of != of || strcmp(all->data[i].device, device)))
        i++;
    return i;
}

static void want(hd_arena *arena, predictions *all, const char *device, const form *of) {
    if (find(all, device, of) == all->count)
        hd_push(arena, all, (prediction){.device = device, .of = of});
}

/* ---- figures -------------------------------------------------------------------------------- */

typedef struct figures {
    hd_vec(hd_time_gain) predicted;
    hd_vec(double) published;
} figures;

/* What is promised of the half that judges. */
static const double MOST_ERROR = 0.2, LEAST_CORRELATION = 0.9;

/* Returns whether it is as promised. */
static bool print_figures(hd_arena *arena, const char *name, const figures *f) {
    const hd_agreement a =
        hd_agreement_of(arena, f->predicted.data, f->published.data, (uint32_t)f->published.count);
    printf("| %s | %u | %.1f%% | %.3f | %u | %u |\n", name, a.count, 100 * a.error, a.correlation,
           a.within, a.wrong);
    return a.error <= MOST_ERROR && a.correlation >= LEAST_CORRELATION && !a.wrong;
}

static void print_row(hd_arena *arena, const predictions *all, const measurement *m, bool verbose,
                      figures *f) {
    const prediction *before = &all->data[find(all, m->device, m->before)];
    const prediction *after = &all->data[find(all, m->device, m->after)];
    const hd_time_gain gain = hd_time_gain_of(&before->time, &after->time);
    printf("| %s | %s | %s | %.2f | %.2f | %.2f to %.2f | %+.0f%%%s |\n", m->device,
           m->before->name, m->after->name, m->gain, gain.times, gain.low, gain.high,
           100 * (gain.times / m->gain - 1), m->is_unknown ? ", not judged" : "");
    if (verbose)
        printf("  before %.3g ms:%s\n  after %.3g ms:%s\n", 1e3 * before->time.seconds,
               before->text, 1e3 * after->time.seconds, after->text);
    if (m->is_unknown)
        return;
    hd_push(arena, &f->published, m->gain);
    hd_push(arena, &f->predicted, gain);
}

static bool is_wanted(int argc, char **argv, const char *name) {
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], name))
            return true;
    return argc == 1;
}

int main(int argc, char **argv) {
    static const char *const halves[] = {"Chosen with", "Judges"};
    hd_arena *arena = hd_arena_new();
    predictions all = {0};
    figures of[2] = {0};
    uint64_t failed;
    for (unsigned s = 0; s < measured_set_count; s++)
        for (const measurement *m = measured_sets[s].rows;
             m->device && is_wanted(argc, argv, measured_sets[s].name); m++) {
            want(arena, &all, m->device, m->before);
            want(arena, &all, m->device, m->after);
        }
    if (hd_in_parallel(hd_core_count(), all.count, predict, &all, &failed) != HD_OK)
        return 2;
    for (unsigned s = 0; s < measured_set_count; s++) {
        const measured_set *set = &measured_sets[s];
        if (!is_wanted(argc, argv, set->name))
            continue;
        printf("### %s\n\n%s: %s.%s%s%s\n\n| device | from | to | published | predicted | interval "
               "| off |\n|---|---|---|---|---|---|---|\n",
               set->name, halves[s % 2], set->source,
               *set->differs ? " Not told, or other here: " : "", set->differs,
               *set->differs ? "." : "");
        for (const measurement *m = set->rows; m->device; m++)
            print_row(arena, &all, m, argc > 1, &of[s % 2]);
        printf("\n");
    }
    printf("| half | rows | median error | rank correlation | in the interval | advised although "
           "slower |\n|---|---|---|---|---|---|\n");
    bool is_kept = true;
    for (int h = 0; h < 2; h++)
        if (of[h].published.count)
            is_kept = print_figures(arena, halves[h], &of[h]) || !h;
    hd_arena_free(arena);
    return !is_kept;
}
