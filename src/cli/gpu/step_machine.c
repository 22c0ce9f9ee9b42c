/*
 * The device next to Heddle's machine: what the small jobs leave, and which sectors their kernels
 * touch, counted by Nsight Compute, by the machine and by the cost model.
 */
#include <math.h>
#include <unistd.h>

#include "advise/verify.h"
#include "cli/gpu/gpu.h"
#include "analysis/coalesce.h"
#include "advise/measure/session.h"
#include "cli/report/report_result.h"
#include "machine/vm.h"

static const char *const programs[] = {"kmeans",       "nbody",   "nbody4", "lavamd",
                                       "blackscholes", "bitonic", "sampo"};
enum { PROGRAMS = sizeof programs / sizeof *programs };

static const char *subject_of(hd_arena *arena, const char *program) {
    return hd_format(arena, "examples/%s/%s-small", program, program);
}

/* ---- a job in a layout ------------------------------------------------------------ */

/* A layout that is not the original, with its kernels; `rewritten` is NULL for the original. */
typedef struct laid_out {
    hd_job *job;
    hd_record_layout layout;
    hd_rewritten *rewritten;
} laid_out;

static hd_status lay_out(hd_arena *arena, const hd_diag *diag, const char *subject,
                         const char *notation, laid_out *l) {
    hd_layout *layout;
    *l = (laid_out){0};
    hd_status status = hd_gpu_load(arena, diag, subject, KIR_AS_WRITTEN, &l->job);
    if (status == HD_OK)
        status = hd_layout_parse(arena, diag, l->job->record, notation, &layout);
    if (status != HD_OK || hd_layout_equal(layout, hd_layout_original(arena, l->job->record)))
        return status;
    l->layout = (hd_record_layout){l->job->record, layout};
    return hd_rewrite_job(arena, diag, l->job, &l->layout, 1, &l->rewritten);
}

hd_status hd_gpu_run_once(hd_arena *arena, const hd_diag *diag, const char *subject,
                          const char *layout) {
    laid_out l;
    hd_session session = {0};
    hd_version version = {0};
    double seconds;
    hd_status status = lay_out(arena, diag, subject, layout, &l);
    if (status != HD_OK)
        return status;
    void **contents = hd_new_array(arena, void *, l.job->buffer_count);
    if (!(status = hd_job_all_contents(arena, diag, l.job, contents)) &&
        !(status = hd_session_open(arena, diag, l.job, "cuda:0", &session)) &&
        !(status = hd_version_make(&session, l.rewritten, &l.layout, l.rewritten != NULL, NULL,
                                   contents, &version)))
        status = hd_version_run(&session, &version, &seconds);
    hd_version_free(&session, &version);
    hd_session_close(&session);
    return status;
}

/* ---- the machine ------------------------------------------------------------------ */

/* Hears which accesses load, store or are atomic. */
typedef struct kinds {
    hd_arena *arena;
    const hd_event_access *accesses;
    uint32_t count;
} kinds;

static hd_status hear_launch(void *self, const hd_event_launch *launch) {
    kinds *k = self;
    hd_event_access *copy = hd_new_array(k->arena, hd_event_access, launch->access_count);
    if (launch->access_count)
        memcpy(copy, launch->accesses, launch->access_count * sizeof *copy);
    k->accesses = copy;
    k->count = launch->access_count;
    return HD_OK;
}

/* Counts of the kernels of a job. */
typedef struct kernel_counts {
    hd_gpu_sectors *rows;
    uint32_t count;
} kernel_counts;

static hd_gpu_sectors *find_row(const kernel_counts *counts, const char *kernel) {
    for (uint32_t r = 0; r < counts->count; r++)
        if (!strcmp(counts->rows[r].kernel, kernel))
            return &counts->rows[r];
    return NULL;
}

static hd_gpu_sectors *row_of(kernel_counts *counts, const char *kernel) {
    hd_gpu_sectors *found = find_row(counts, kernel);
    if (!found) {
        found = &counts->rows[counts->count++];
        *found = (hd_gpu_sectors){.kernel = kernel};
    }
    return found;
}

static void add_access(hd_gpu_sectors *row, hd_access_kind kind, double transactions) {
    *(kind == HD_LOAD    ? &row->loads
      : kind == HD_STORE ? &row->stores
                         : &row->atomics) += transactions;
}

static hd_status count_on_machine(hd_arena *arena, const hd_diag *diag, const laid_out *l,
                                  const hd_device *device, kernel_counts *c) {
    const hd_job *job = l->job;
    const hd_vm_options options = {.spaces = 1u << KIR_GLOBAL | 1u << KIR_CONSTANT};
    void **contents = hd_new_array(arena, void *, job->buffer_count);
    hd_placed_job *placed;
    hd_vm *vm;
    c->rows = hd_new_array(arena, hd_gpu_sectors, job->launch_count);
    hd_status status = hd_job_all_contents(arena, diag, job, contents);
    if (status == HD_OK && l->rewritten) {
        /* That of the rewritten kernels, compiled for the machine, with its contents. */
        hd_rewritten_view view = {arena, diag, l->rewritten, NULL};
        status = hd_place_rewritten(&view, l->job, &l->layout, 1, &placed);
        if (status != HD_OK)
            return status;
        job = placed->job;
        void **placed_contents = hd_new_array(arena, void *, job->buffer_count);
        hd_placed_scatter(arena, placed, contents, placed_contents);
        contents = placed_contents;
    }
    if (status == HD_OK)
        status = hd_vm_open(arena, diag, job, contents, &options, &vm);
    if (status != HD_OK)
        return status;
    const hd_tally_work counter_work = hd_coalesce_work(arena, device);
    hd_tally *counter = hd_tally_new(arena, &counter_work, 1);
    kinds heard = {.arena = arena};
    const hd_sink sinks[] = {hd_tally_sink(counter), {.self = &heard, .launch = hear_launch}};
    const hd_sink sink = hd_sink_tee(arena, sinks, 2);
    uint32_t number = 0;
    for (uint32_t n = 0; n < job->launch_count && status == HD_OK; n++)
        for (uint64_t r = 0; r < job->launches[n].repeat && status == HD_OK; r++, number++) {
            hd_gpu_sectors *row = row_of(c, job->launches[n].kernel_name);
            status = hd_vm_run(vm, n, &sink, NULL);
            row->launches++;
            for (uint32_t a = 0; a < heard.count && status == HD_OK; a++) {
                const hd_coalesce_counts *counts = hd_tally_of(counter, 0, number, a);
                if (counts && heard.accesses[a].space != KIR_CONSTANT)
                    add_access(row, heard.accesses[a].kind, (double)counts->transactions);
            }
        }
    hd_tally_free(counter);
    hd_vm_close(vm);
    return status;
}

/* ---- outputs ---------------------------------------------------------------------- */

/* What a job leaves on the machine and on the device. */
typedef struct program_row {
    const char *name;
    bool equal, bit_equal;
} program_row;

static const hd_member program_members[] = {HD_SAME(program_row, name, equal, bit_equal), {0}};

static hd_status compare_outputs(hd_gpu_step_run *run, const char *program) {
    hd_arena *arena = run->arena;
    hd_job *job;
    const hd_vm_options options = {0};
    const hd_measure_options on = {.device = "cuda:0"};
    program_row row = {.name = program};
    hd_vm *vm;
    hd_status status =
        hd_gpu_load(arena, run->diag, subject_of(arena, program), KIR_AS_WRITTEN, &job);
    if (status != HD_OK)
        return status;
    void **before = hd_new_array(arena, void *, job->buffer_count);
    void **after = hd_new_array(arena, void *, job->buffer_count);
    void **machine = hd_new_array(arena, void *, job->buffer_count);
    if ((status = hd_job_all_contents(arena, run->diag, job, before)) ||
        (status = hd_measure_run(arena, run->diag, job, &on, after, NULL)) ||
        (status = hd_vm_open(arena, run->diag, job, before, &options, &vm)))
        return status;
    for (uint32_t i = 0; i < job->launch_count && status == HD_OK; i++)
        for (uint64_t r = 0; r < job->launches[i].repeat && status == HD_OK; r++)
            status = hd_vm_run(vm, i, NULL, NULL);
    for (uint32_t b = 0; b < job->buffer_count; b++)
        machine[b] = hd_vm_contents(vm, b);
    if (status == HD_OK)
        status =
            hd_contents_compare(arena, run->diag, job, &(hd_contents){"on the machine", machine},
                                &(hd_contents){"on the device", after}, &row.equal, &row.bit_equal);
    hd_vm_close(vm);
    if (status != HD_OK && status != HD_EDIFFER)
        return status;
    json_t *object = hd_gpu_add_row(run, "programs", program_members, &row);
    if (row.equal)
        return HD_OK;
    json_object_set(object, "why", json_object_get(run->result, "error"));
    json_object_del(run->result, "error");
    json_object_set_new(run->result, "differs", json_true());
    return HD_OK;
}

hd_status hd_gpu_run_machine(hd_gpu_step_run *run) {
    hd_status status = HD_OK;
    for (int p = 0; p < PROGRAMS && status == HD_OK && hd_gpu_has_time(run, 1); p++) {
        status = compare_outputs(run, programs[p]);
        hd_gpu_keep(run);
    }
    return status;
}

void hd_gpu_show_machine(hd_str *page, const json_t *result) {
    size_t i;
    const json_t *row;
    hd_str_add(page, "What the small jobs leave in their buffers, in AoS.\n\n"
                     "| program | equal | |\n|---|---|---|\n");
    json_array_foreach(json_object_get(result, "programs"), i, row) {
        hd_str_printf(page, "| %s | %s | %s |\n", hd_gpu_text(row, "name"),
                      json_is_true(json_object_get(row, "bit_equal")) ? "bit for bit"
                      : json_is_true(json_object_get(row, "equal"))   ? "within the job's tolerance"
                                                                      : "**no**",
                      hd_gpu_text(row, "why"));
    }
}

/* ---- counters --------------------------------------------------------------------- */

typedef struct counters {
    hd_gpu_step_run *run;
    const char *profiler;
    hd_device device; /* that of the profile, with sectors of 32 bytes */
} counters;

/* This program under ncu. *late: it was past the time, and the device may be busy still. */
static hd_status profile(const counters *c, hd_arena *arena, const char *subject,
                         const char *layout, hd_gpu_sectors **kernels, uint32_t *count,
                         bool *late) {
    const hd_gpu_step_run *run = c->run;
    const char *counts = hd_format(arena, "%s/ncu.csv", run->folder);
    const char *log = hd_format(arena, "%s/ncu.log", run->folder);
    const char *const own[] = {run->program, "device", "run-once", subject, layout, NULL};
    size_t used, length;
    const char **words = hd_gpu_profiler_words(arena, c->profiler, counts, &used);
    const char **all = hd_new_array(arena, const char *, used + sizeof own / sizeof *own);
    memcpy(all, words, used * sizeof *all);
    memcpy(all + used, own, sizeof own);
    const hd_gpu_child_options options = {
        .log = log, .seconds = run->start + run->seconds - hd_clock(), .same_group = true};
    hd_gpu_end end;
    int code;
    char *text = "", *said = "";
    unlink(counts);
    hd_status status = hd_gpu_child(run->diag, (char *const *)all, &options, &end, &code);
    *late = status == HD_OK && (end == HD_GPU_PAST_LIMIT || end == HD_GPU_STUCK);
    if (status != HD_OK || *late)
        return status;
    if (hd_read_file(arena, &hd_silent, counts, &text, &length) != HD_OK)
        text = "";
    if (hd_read_file(arena, &hd_silent, log, &said, &length) != HD_OK)
        said = "";
    return hd_gpu_parse_profile(arena, run->diag, hd_format(arena, "%s\n%s", text, said), kernels,
                                count);
}

/* The cost model's counts, which need no run. */
static hd_status model_counts(const counters *c, hd_arena *arena, const laid_out *l,
                              kernel_counts *counts) {
    const hd_cost_options options = {.loops = HD_LOOPS_PENG};
    const hd_layout *layout =
        l->rewritten ? l->layout.layout : hd_layout_original(arena, l->job->record);
    hd_cost_model *model;
    hd_cost_line *lines;
    size_t line_count;
    hd_status status =
        hd_cost_model_make(arena, c->run->diag, l->job, &c->device, &options, &model);
    if (status != HD_OK)
        return status;
    counts->rows = hd_new_array(arena, hd_gpu_sectors, l->job->module->kernel_count);
    hd_cost_of_layout(arena, model, layout, &lines, &line_count);
    for (size_t i = 0; i < line_count; i++)
        add_access(row_of(counts, lines[i].info->kernel->name), lines[i].access->kind,
                   lines[i].executions * lines[i].transactions);
    return HD_OK;
}

/* A kernel: what ncu, the machine and the model counted; NULL: not there. */
typedef struct kernel_row {
    const char *program, *layout;
    const hd_gpu_sectors *counted, *machine, *model;
} kernel_row;

static const hd_member sector_members[] = {HD_SAME(hd_gpu_sectors, loads, stores, atomics), {0}};
static const hd_member counted_members[] = {
    HD_SAME(hd_gpu_sectors, kernel, launches, l1_hits, l2_hits), {0}};
static const hd_member kernel_members[] = {
    HD_SAME(kernel_row, program, layout),
    {HD_BEHIND(kernel_row, counted), .of = counted_members},
    {"counted", HD_BEHIND(kernel_row, counted), .of = sector_members},
    {"machine", HD_BEHIND(kernel_row, machine), .of = sector_members},
    {"model", HD_BEHIND(kernel_row, model), .of = sector_members},
    {0}};

static hd_status count_layout(const counters *c, const char *program, const char *layout,
                              bool *late) {
    hd_gpu_step_run *run = c->run;
    hd_arena *arena = hd_arena_new();
    const char *subject = subject_of(arena, program);
    laid_out l;
    kernel_counts machine = {0}, model = {0}, measured = {0};
    hd_status status;
    if (!(status = lay_out(arena, run->diag, subject, layout, &l)) &&
        !(status = count_on_machine(arena, run->diag, &l, &c->device, &machine)) &&
        !(status = model_counts(c, arena, &l, &model)))
        status = profile(c, arena, subject, layout, &measured.rows, &measured.count, late);
    for (uint32_t k = 0; k < measured.count && status == HD_OK; k++) {
        const char *kernel = measured.rows[k].kernel;
        const kernel_row row = {program, layout, &measured.rows[k], find_row(&machine, kernel),
                                find_row(&model, kernel)};
        hd_gpu_add_row(run, "kernels", kernel_members, &row);
    }
    hd_arena_free(arena);
    return status;
}

hd_status hd_gpu_run_counters(hd_gpu_step_run *run) {
    static const char *const layouts[] = {"aos", "soa", "aosoa:32"};
    counters c = {.run = run, .profiler = hd_gpu_find_profiler(run->arena)};
    const hd_device *priced;
    const char *missing;
    uint32_t count;
    if (!c.profiler) {
        json_object_set_new(
            run->result, "not_done",
            hd_json_text("there is no Nsight Compute: no ncu in PATH, in the CUDA toolkit "
                         "or in /opt/nvidia/nsight-compute"));
        return HD_OK;
    }
    json_object_set_new(run->result, "profiler", hd_json_text(c.profiler));
    const hd_compute_device *device = hd_compute_named("cuda")->list(run->arena, &count, &missing);
    hd_status status = count ? hd_gpu_profile_to_price(run->arena, run->diag, device->name, &priced)
                             : hd_fail(run->diag, HD_ESYSTEM, NULL,
                                       "there is no CUDA device any more: %s", missing);
    if (status == HD_OK)
        c.device = *priced;
    c.device.segment = 32;
    c.device.coalescing = HD_COALESCE_WARP;
    bool late = false;
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
        for (int p = 0; p < (run->small ? 1 : PROGRAMS) && status == HD_OK && !late; p++) {
            if (!hd_gpu_has_time(run, 1))
                return HD_OK;
            status = count_layout(&c, programs[p], layouts[i], &late);
            hd_gpu_keep(run);
        }
    if (late)
        json_object_set_new(run->result, "cut", json_true());
    if (status != HD_EUNSUPPORTED)
        return status;
    json_object_set(run->result, "not_done", json_object_get(run->result, "error"));
    return HD_OK;
}

static void show_counts(hd_str *page, const json_t *row, const char *name) {
    static const char *const columns[] = {"counted", "machine", "model"};
    for (int c = 0; c < 3; c++) {
        const json_t *count = json_object_get(json_object_get(row, columns[c]), name);
        hd_str_add(page, json_is_number(count)
                             ? hd_format(page->arena, " %.0f |", json_number_value(count))
                             : " |");
    }
}

void hd_gpu_show_counters(hd_str *page, const json_t *result) {
    size_t i;
    const json_t *row;
    if (!json_object_get(result, "kernels"))
        return;
    hd_str_printf(page,
                  "Sectors of 32 bytes that a kernel's accesses to global memory touch, on the "
                  "small jobs: `%s`, Heddle's machine, and the cost model. All launches of a "
                  "kernel together; caches are empty before each.\n\n",
                  hd_gpu_text(result, "profiler"));
    hd_str_add(page,
               "| kernel | layout | loads: ncu | machine | model | stores: ncu | machine | model "
               "| atomics: ncu | machine | model | L1 hits | L2 hits |\n"
               "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n");
    json_array_foreach(json_object_get(result, "kernels"), i, row) {
        hd_str_printf(page, "| %s: %s | `%s` |", hd_gpu_text(row, "program"),
                      hd_gpu_text(row, "kernel"), hd_gpu_text(row, "layout"));
        show_counts(page, row, "loads");
        show_counts(page, row, "stores");
        show_counts(page, row, "atomics");
        for (int c = 1; c <= 2; c++) {
            const json_t *share = json_object_get(row, c == 1 ? "l1_hits" : "l2_hits");
            hd_str_add(page, json_is_number(share) ? hd_format(page->arena, " %.0f%% |",
                                                               100 * json_number_value(share))
                                                   : " |");
        }
        hd_str_add(page, "\n");
    }
}
