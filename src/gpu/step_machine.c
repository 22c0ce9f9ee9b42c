/*
 * The device next to Heddle's machine: what the small jobs leave, and which sectors their kernels
 * touch, counted by Nsight Compute, by the machine and by the cost model.
 */
#include <math.h>
#include <unistd.h>

#include "advise/verify.h"
#include "gpu/gpu.h"
#include "locality/coalesce.h"
#include "measure/session.h"
#include "report/json.h"
#include "vm/vm.h"

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
    hd_status status = hd_gpu_load(arena, diag, subject, &l->job);
    if (status == HD_OK)
        status = hd_layout_parse(arena, diag, l->job->record, notation, &layout);
    if (status != HD_OK || hd_layout_equal(layout, hd_layout_original(arena, l->job->record)))
        return status;
    l->layout = (hd_record_layout){l->job->record, layout};
    return hd_rewrite_job(arena, diag, l->job, &l->layout, 1, &l->rewritten);
}

static hd_status make_contents(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                               void ***contents) {
    *contents = hd_new_array(arena, void *, job->buffer_count);
    return hd_job_all_contents(arena, diag, job, *contents);
}

/* Once on the device; *after, unless that is NULL, gets what the buffers hold then. */
static hd_status run_on_device(hd_arena *arena, const hd_diag *diag, const laid_out *l,
                               void **after) {
    hd_session session;
    hd_version version = {0};
    void **contents;
    double seconds;
    hd_status status = make_contents(arena, diag, l->job, &contents);
    if (status != HD_OK)
        return status;
    status = hd_session_open(arena, diag, l->job, "cuda:0", &session);
    if (status == HD_OK)
        status = hd_version_make(&session, l->rewritten, &l->layout, l->rewritten != NULL, contents,
                                 &version);
    if (status == HD_OK)
        status = hd_version_run(&session, &version, &seconds);
    if (status == HD_OK && after)
        status = hd_version_read(&session, arena, &version, after);
    hd_version_free(&session, &version);
    hd_session_close(&session);
    return status;
}

hd_status hd_gpu_run_once(hd_arena *arena, const hd_diag *diag, const char *subject,
                          const char *layout) {
    laid_out l;
    hd_status status = lay_out(arena, diag, subject, layout, &l);
    return status == HD_OK ? run_on_device(arena, diag, &l, NULL) : status;
}

/* ---- the machine -------------------------------------------------------------------------------
 */

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

static hd_gpu_sectors *row_of(hd_gpu_sectors *rows, uint32_t *count, const char *kernel) {
    for (uint32_t r = 0; r < *count; r++)
        if (!strcmp(rows[r].kernel, kernel))
            return &rows[r];
    rows[*count] = (hd_gpu_sectors){.kernel = kernel};
    return &rows[(*count)++];
}

static void add_access(hd_gpu_sectors *row, hd_access_kind kind, double transactions) {
    *(kind == HD_LOAD    ? &row->loads
      : kind == HD_STORE ? &row->stores
                         : &row->atomics) += transactions;
}

typedef struct counting {
    hd_vm *vm;
    hd_coalesce *counter;
    kinds heard;
    hd_sink sink;
    uint32_t number;
    hd_gpu_sectors *rows;
    uint32_t row_count;
} counting;

static hd_status count_launch(counting *c, const hd_job *job, uint32_t launch) {
    hd_status status = hd_vm_run(c->vm, launch, &c->sink, NULL);
    hd_gpu_sectors *row = row_of(c->rows, &c->row_count, job->launches[launch].kernel_name);
    row->launches++;
    for (uint32_t a = 0; a < c->heard.count && status == HD_OK; a++) {
        const hd_coalesce_counts *counts = hd_coalesce_of(c->counter, c->number, a);
        if (counts && c->heard.accesses[a].space != KIR_CONSTANT)
            add_access(row, c->heard.accesses[a].kind, (double)counts->transactions);
    }
    c->number++;
    return status;
}

static hd_status count_job(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                           void *const *contents, const hd_device *device, counting *c) {
    const hd_vm_options options = {.spaces = 1u << KIR_GLOBAL | 1u << KIR_CONSTANT};
    *c = (counting){.heard = {.arena = arena},
                    .rows = hd_new_array(arena, hd_gpu_sectors, job->launch_count)};
    hd_status status = hd_vm_open(arena, diag, job, contents, &options, &c->vm);
    if (status != HD_OK)
        return status;
    c->counter = hd_coalesce_new(arena, device);
    const hd_sink sinks[] = {hd_coalesce_sink(c->counter),
                             {.self = &c->heard, .launch = hear_launch}};
    c->sink = hd_sink_tee(arena, sinks, 2);
    for (uint32_t l = 0; l < job->launch_count && status == HD_OK; l++)
        for (uint64_t r = 0; r < job->launches[l].repeat && status == HD_OK; r++)
            status = count_launch(c, job, l);
    hd_coalesce_free(c->counter);
    return status;
}

/* The job of the rewritten kernels, compiled for the machine, with its contents. */
static hd_status place_job(hd_arena *arena, const hd_diag *diag, const laid_out *l,
                           void *const *contents, const hd_job **job, void ***placed_contents) {
    hd_placed_job *placed;
    hd_rewritten_view view = {arena, diag, l->rewritten, NULL};
    hd_status status = hd_place_rewritten(&view, l->job, &l->layout, 1, &placed);
    if (status != HD_OK)
        return status;
    *job = placed->job;
    *placed_contents = hd_new_array(arena, void *, placed->job->buffer_count);
    hd_placed_scatter(arena, placed, contents, *placed_contents);
    return HD_OK;
}

static hd_status count_on_machine(hd_arena *arena, const hd_diag *diag, const laid_out *l,
                                  const hd_device *device, counting *c) {
    const hd_job *job = l->job;
    void **contents;
    hd_status status = make_contents(arena, diag, l->job, &contents);
    if (status == HD_OK && l->rewritten)
        status = place_job(arena, diag, l, contents, &job, &contents);
    if (status == HD_OK)
        status = count_job(arena, diag, job, contents, device, c);
    if (c->vm)
        hd_vm_close(c->vm);
    return status;
}

/* ---- outputs ---------------------------------------------------------------------- */

static hd_status compare_outputs(hd_gpu_step_run *run, const char *program) {
    hd_arena *arena = run->arena;
    laid_out l;
    void **before;
    const hd_vm_options options = {0};
    hd_vm *vm;
    bool equal = false, bit_equal = false;
    hd_status status = lay_out(arena, run->diag, subject_of(arena, program), "aos", &l);
    if (status == HD_OK)
        status = make_contents(arena, run->diag, l.job, &before);
    if (status != HD_OK)
        return status;
    void **after = hd_new_array(arena, void *, l.job->buffer_count);
    void **machine = hd_new_array(arena, void *, l.job->buffer_count);
    status = run_on_device(arena, run->diag, &l, after);
    if (status == HD_OK)
        status = hd_vm_open(arena, run->diag, l.job, before, &options, &vm);
    if (status != HD_OK)
        return status;
    for (uint32_t i = 0; i < l.job->launch_count && status == HD_OK; i++)
        for (uint64_t r = 0; r < l.job->launches[i].repeat && status == HD_OK; r++)
            status = hd_vm_run(vm, i, NULL, NULL);
    for (uint32_t b = 0; b < l.job->buffer_count; b++)
        machine[b] = hd_vm_contents(vm, b);
    if (status == HD_OK)
        status =
            hd_contents_compare(arena, run->diag, l.job, &(hd_contents){"on the machine", machine},
                                &(hd_contents){"on the device", after}, &equal, &bit_equal);
    hd_vm_close(vm);
    if (status != HD_OK && status != HD_EDIFFER)
        return status;
    json_t *row = hd_gpu_add_row(run, "programs");
    json_object_set_new(row, "name", hd_json_text(program));
    json_object_set_new(row, "equal", json_boolean(equal));
    json_object_set_new(row, "bit_equal", json_boolean(bit_equal));
    if (equal)
        return HD_OK;
    json_object_set(row, "why", json_object_get(run->result, "error"));
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

static hd_status find_device(counters *c) {
    const hd_diag *diag = c->run->diag;
    uint32_t count;
    const char *missing;
    const hd_device *profile = NULL;
    const hd_compute_device *device = hd_measure_devices(c->run->arena, "cuda", &count, &missing);
    hd_status status =
        count ? hd_gpu_find_profile(c->run->arena, diag, device->name, &profile)
              : hd_fail(diag, HD_ESYSTEM, NULL, "there is no CUDA device any more: %s", missing);
    if (status == HD_OK && !profile)
        status = hd_device_find(c->run->arena, diag, "h200", &profile);
    if (status != HD_OK)
        return status;
    c->device = *profile;
    c->device.segment = 32;
    c->device.coalescing = HD_COALESCE_WARP;
    return HD_OK;
}

/* This program under ncu. *late: it was past the time, and the device may be busy still. */
static hd_status profile(const counters *c, hd_arena *arena, const char *subject,
                         const char *layout, hd_gpu_sectors **kernels, uint32_t *count,
                         bool *late) {
    const hd_gpu_step_run *run = c->run;
    const char *counts = hd_format(arena, "%s/ncu.csv", run->folder);
    const char *log = hd_format(arena, "%s/ncu.log", run->folder);
    const char *const own[] = {run->program, "gpu-check", "--run-once", subject, layout, NULL};
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
    const hd_diag quiet = {0};
    if (hd_read_file(arena, &quiet, counts, &text, &length) != HD_OK)
        text = "";
    if (hd_read_file(arena, &quiet, log, &said, &length) != HD_OK)
        said = "";
    return hd_gpu_parse_profile(arena, run->diag, hd_format(arena, "%s\n%s", text, said), kernels,
                                count);
}

/* The cost model's counts, which need no run. */
static hd_status model_counts(const counters *c, hd_arena *arena, const laid_out *l,
                              hd_gpu_sectors *rows, uint32_t *count) {
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
    hd_cost_of_layout(arena, model, layout, &lines, &line_count);
    for (size_t i = 0; i < line_count; i++)
        add_access(row_of(rows, count, lines[i].info->kernel->name), lines[i].access->kind,
                   lines[i].executions * lines[i].transactions);
    return HD_OK;
}

static json_t *counts_json(const hd_gpu_sectors *s) {
    return json_pack("{s:o, s:o, s:o}", "loads", hd_json_number(s->loads), "stores",
                     hd_json_number(s->stores), "atomics", hd_json_number(s->atomics));
}

static const hd_gpu_sectors *find_row(const hd_gpu_sectors *rows, uint32_t count,
                                      const char *kernel) {
    for (uint32_t r = 0; r < count; r++)
        if (!strcmp(rows[r].kernel, kernel))
            return &rows[r];
    return NULL;
}

static void add_kernel(hd_gpu_step_run *run, const char *program, const char *layout,
                       const hd_gpu_sectors *measured, const hd_gpu_sectors *machine,
                       const hd_gpu_sectors *model) {
    json_t *row = hd_gpu_add_row(run, "kernels");
    json_object_set_new(row, "program", hd_json_text(program));
    json_object_set_new(row, "layout", hd_json_text(layout));
    json_object_set_new(row, "kernel", hd_json_text(measured->kernel));
    json_object_set_new(row, "launches", hd_json_integer(measured->launches));
    json_object_set_new(row, "l1_hits", hd_json_number(measured->l1_hits));
    json_object_set_new(row, "l2_hits", hd_json_number(measured->l2_hits));
    json_object_set_new(row, "counted", counts_json(measured));
    json_object_set_new(row, "machine", machine ? counts_json(machine) : json_null());
    json_object_set_new(row, "model", model ? counts_json(model) : json_null());
}

static hd_status count_layout(const counters *c, const char *program, const char *layout,
                              bool *late) {
    hd_gpu_step_run *run = c->run;
    hd_arena *arena = hd_arena_new();
    const char *subject = subject_of(arena, program);
    laid_out l;
    counting machine = {0};
    hd_gpu_sectors *measured = NULL, *model = NULL;
    uint32_t measured_count = 0, model_count = 0;
    hd_status status = lay_out(arena, run->diag, subject, layout, &l);
    if (status == HD_OK)
        status = count_on_machine(arena, run->diag, &l, &c->device, &machine);
    if (status == HD_OK) {
        model = hd_new_array(arena, hd_gpu_sectors, l.job->module->kernel_count);
        status = model_counts(c, arena, &l, model, &model_count);
    }
    if (status == HD_OK)
        status = profile(c, arena, subject, layout, &measured, &measured_count, late);
    for (uint32_t k = 0; k < measured_count && status == HD_OK; k++)
        add_kernel(run, program, layout, &measured[k],
                   find_row(machine.rows, machine.row_count, measured[k].kernel),
                   find_row(model, model_count, measured[k].kernel));
    hd_arena_free(arena);
    return status;
}

hd_status hd_gpu_run_counters(hd_gpu_step_run *run) {
    static const char *const layouts[] = {"aos", "soa", "aosoa:32"};
    counters c = {.run = run, .profiler = hd_gpu_find_profiler(run->arena)};
    if (!c.profiler)
        return hd_gpu_not_done(run,
                               "there is no Nsight Compute: no ncu in PATH, in the CUDA toolkit "
                               "or in /opt/nvidia/nsight-compute");
    json_object_set_new(run->result, "profiler", hd_json_text(c.profiler));
    hd_status status = find_device(&c);
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
    return status == HD_EUNSUPPORTED ? hd_gpu_not_done(run, hd_gpu_text(run->result, "error"))
                                     : status;
}

static void show_counts(hd_str *page, const json_t *row, const char *name) {
    static const char *const columns[] = {"counted", "machine", "model"};
    for (int c = 0; c < 3; c++) {
        const json_t *count = json_object_get(json_object_get(row, columns[c]), name);
        if (json_is_number(count))
            hd_str_printf(page, " %.0f |", json_number_value(count));
        else
            hd_str_add(page, " |");
    }
}

static void show_share(hd_str *page, const json_t *row, const char *name) {
    const json_t *share = json_object_get(row, name);
    if (json_is_number(share))
        hd_str_printf(page, " %.0f%% |", 100 * json_number_value(share));
    else
        hd_str_add(page, " |");
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
        show_share(page, row, "l1_hits");
        show_share(page, row, "l2_hits");
        hd_str_add(page, "\n");
    }
}
