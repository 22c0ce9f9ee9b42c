/*
 * An exploration: the variants of a plan on a device.
 *
 *     for each line of the plan:
 *         its ends and its middle; then, between neighbours that differ, the middle again
 *             load the point's kernel, count it on the machine in all layouts
 *             rewrite and build it in each layout and placement; compare results with plain C
 *             run all of them in turns, `repeats` times     what slows the device for a while
 *             meter each of them, or model its energy       slows all variants
 *             keep the point
 *
 * What is kept is a point in all of its layouts and placements, at once.
 */
#include <math.h>
#include <stdlib.h>

#include "advise/explore/internal.h"
#include "analysis/cache.h"
#include "frontend/frontend.h"
#include "advise/measure/probe.h"

/* Times closer than that are no change along a line. */
static const double noticeable = 0.03;
/* Of a problem in the host's memory: what runs start from, the same in a layout, what is expected,
 * what a run leaves, and a processor's own. */
enum { COPIES = 5 };

/* ---- a line ----------------------------------------------------------------------------------------- */

/* Whether the first times, `of` times as long, and the second differ by more than they spread. */
static bool are_apart(const hd_timing *a, const hd_timing *b, double of) {
    return a->low * of > b->high * (1 + noticeable) || b->low > a->high * of * (1 + noticeable);
}

/* That there are, which may be more than were asked for. */
static double objects_of(const explore_state *e, const hd_micro_point *point) {
    hd_micro_shape shape;
    return hd_micro_check(e->arena, point, &shape) ? 1 : (double)shape.objects;
}

/* Whether times or joules of an object at two points of a line differ by more than they spread, in
 * any layout or placement. */
static bool differ(const explore_state *e, const hd_micro_point *a, const hd_micro_point *b) {
    double of = objects_of(e, b) / objects_of(e, a);
    for (uint32_t l = 0; l < e->plan->layout_count; l++)
        for (size_t k = 0; k < e->placements.count; k++) {
            const hd_explored *x = explore_find(e, a, e->plan->layouts[l], e->placements.data[k]);
            const hd_explored *y = explore_find(e, b, e->plan->layouts[l], e->placements.data[k]);
            if (!x || !y)
                return true;
            if (are_apart(&x->kernels, &y->kernels, of) || are_apart(&x->whole, &y->whole, of) ||
                are_apart(&x->energy.joules, &y->energy.joules, of) ||
                are_apart(&x->whole_energy.joules, &y->whole_energy.joules, of))
                return true;
        }
    return false;
}

/* The variants of a point that are not known yet. */
static hd_status measure_value(explore_state *e, const hd_plan_line *line, uint32_t value) {
    hd_micro_point point = hd_plan_point(line, value);
    explore_point p = {0};
    size_t most = e->plan->layout_count * explore_placements(e, &point)->count;
    explore_variant *runs = hd_new_array(e->arena, explore_variant, most);
    uint64_t count = explore_missing(e, &point, runs);
    if (!count)
        return HD_OK;
    explore_show(e, hd_format(e->arena, "counting %s", hd_micro_print(e->arena, &point)));
    hd_status status = explore_load_point(e, &point, &p);
    if (status == HD_OK)
        status = e->options->model ? explore_model_variants(e, &p, runs, count)
                                   : explore_measure_variants(e, &p, runs, count);
    explore_free_counts(e, &p);
    hd_arena_free(p.arena);
    return status;
}

/* What is between two values of the line that are measured. */
static hd_status refine(explore_state *e, const hd_plan_line *line, uint32_t low, uint32_t high) {
    hd_micro_point a = hd_plan_point(line, low), b = hd_plan_point(line, high);
    if (high - low < 2 || explore_is_over(e))
        return HD_OK;
    if (!differ(e, &a, &b)) {
        for (uint32_t v = low + 1; v < high; v++) {
            hd_micro_point between = hd_plan_point(line, v);
            e->result->skipped += explore_missing(e, &between, NULL);
        }
        return HD_OK;
    }
    uint32_t middle = (low + high) / 2;
    hd_status status = measure_value(e, line, middle);
    if (status == HD_OK)
        status = refine(e, line, low, middle);
    return status ? status : refine(e, line, middle, high);
}

/* Its ends and its middle are measured in any case; values without an order all. */
static hd_status measure_line(explore_state *e, const hd_plan_line *line) {
    const uint32_t last = line->count - 1, first[] = {0, last, last / 2};
    const bool is_named = hd_dimensions[line->dimension].names;
    hd_status status = HD_OK;
    for (uint32_t i = 0; i < (is_named ? line->count : 3) && status == HD_OK; i++)
        if (!explore_is_over(e))
            status = measure_value(e, line, is_named ? i : first[i]);
    if (status == HD_OK && !is_named)
        status = refine(e, line, 0, last / 2);
    return status || is_named ? status : refine(e, line, last / 2, last);
}

/* ---- the device --------------------------------------------------------------------------------------- */

/* NULL, or why the device, or a profile alone, has no such placement. */
static const char *lacks(const explore_state *e, hd_placement p) {
    return e->options->model ? explore_model_lacks(e->options->model, p)
                             : e->session.gpu->api->lacks(e->session.gpu, p);
}

/* Those of the plan, or device and host; what the device lacks is refused once. */
static hd_status find_placements(explore_state *e) {
    const uint32_t asked = e->plan->placements;
    for (hd_placement p = 0; p < HD_PLACEMENTS; p++) {
        const char *why = lacks(e, p);
        bool is_asked = asked >> p & 1;
        if (why && is_asked)
            return hd_fail(e->diag, HD_EINPUT, NULL, "%s has no placement '%s': %s",
                           e->result->device.name, hd_placement_name(p), why);
        if (why || (asked && !is_asked))
            continue;
        hd_push(e->arena, &e->all, p);
        if (is_asked || p == HD_PLACEMENT_DEVICE || p == HD_PLACEMENT_HOST)
            hd_push(e->arena, &e->placements, p);
    }
    return HD_OK;
}

/* Before the session: a probe opens the device by itself. `job` is for messages. */
static hd_status find_profile(explore_state *e, const hd_job *job) {
    hd_exploration *r = e->result;
    hd_compute_device device;
    hd_probe probe;
    r->profile = e->options->profile;
    if (r->profile)
        return HD_OK;
    hd_status status = hd_measure_device(e->arena, e->diag, job, e->options->device, &device);
    if (status != HD_OK)
        return status;
    if (device.is_processor)
        return hd_device_host(e->arena, e->diag, &r->profile);
    explore_show(e, "probing the device");
    status = hd_probe_device(e->arena, e->diag, device.id, &probe);
    r->profile = probe.device;
    return status;
}

static void find_range(explore_state *e) {
    const hd_diag silent = {0};
    hd_compute *gpu = e->session.gpu;
    hd_explore_range *range = &e->result->range;
    const hd_device *host;
    const char *query;
    uint64_t unused;
    gpu->api->memory_info(gpu, &unused, &range->memory);
    range->problem = hd_memory_free() / COPIES;
    if (range->memory && range->memory < range->problem)
        range->problem = range->memory;
    range->allocation = gpu->most_bytes;
    range->most_threads = gpu->api->ask(gpu, NULL, HD_COMPUTE_GROUP, &query);
    range->cache = gpu->api->ask(gpu, NULL, HD_COMPUTE_L2, &query);
    range->units = gpu->units;
    if (!range->cache && gpu->device.is_processor &&
        hd_device_host(e->arena, &silent, &host) == HD_OK)
        range->cache = host->l2.size;
}

/* What the largest problem in SoA that is known, as usual otherwise, moves in a second. */
static void find_bandwidth(explore_state *e) {
    hd_explore_range *range = &e->result->range;
    for (size_t i = 0; i < e->known.count; i++) {
        const hd_explored *v = &e->known.data[i];
        hd_micro_point usual = hd_micro_usual();
        hd_micro_shape shape;
        usual.value[HD_DIM_OBJECTS] = v->point.value[HD_DIM_OBJECTS];
        if (v->predicted || !v->kernels.repeats || strcmp(v->layout, "soa") ||
            !hd_micro_equal(&v->point, &usual) ||
            strcmp(v->placement, hd_placement_name(HD_PLACEMENT_DEVICE)) ||
            hd_micro_check(e->arena, &v->point, &shape) || shape.objects < range->bandwidth_objects)
            continue;
        range->bandwidth = (double)shape.objects *
                           (double)(shape.field_bytes + shape.result_bytes) / v->kernels.median;
        range->bandwidth_objects = shape.objects;
    }
}

/* Those of this process are the device's where that is this processor. */
static void find_counters(explore_state *e) {
    hd_exploration *r = e->result;
    if (!e->session.device.is_processor)
        r->no_counters = "they are not the processor's, and for a profiler to read";
    else if (e->perf.why)
        r->no_counters = e->perf.why;
    else
        r->counters = e->perf.names;
    e->counts = r->counters;
}

static hd_status find_meter(explore_state *e) {
    const hd_meter_request request = {
        .name = e->options->meter, .what = e->session.device.is_processor ? "package" : "device"};
    if (e->options->meter && !strcmp(e->options->meter, "model"))
        return HD_OK;
    return hd_meter_open(e->arena, e->diag, &request, &e->meter);
}

/* A plan that cannot be done in the budget, whatever the device. */
static hd_status check_budget(const explore_state *e) {
    uint32_t repeats = e->options->repeats ? e->options->repeats : EXPLORE_REPEATS;
    uint64_t left = e->result->planned - e->result->kept;
    double least = (double)left * (repeats + 1) * EXPLORE_LEAST_SECONDS / 2;
    if (e->options->budget <= 0 || least <= e->options->budget)
        return HD_OK;
    return hd_fail(e->diag, HD_EINPUT, NULL,
                   "the plan has %llu variants left, which take at least %.3g s, and the budget is "
                   "%.3g s; vary less, or give it more",
                   (unsigned long long)left, least, e->options->budget);
}

/* ---- the exploration ---------------------------------------------------------------------------------- */

static bool is_planned(const explore_state *e, const hd_explored *variant) {
    const hd_plan *plan = e->plan;
    const explore_placement_list *placements = explore_placements(e, &variant->point);
    bool of_points = false, of_variants = false;
    for (uint32_t l = 0; l < plan->line_count; l++)
        for (uint32_t v = 0; v < plan->lines[l].count && !of_points; v++) {
            hd_micro_point point = hd_plan_point(&plan->lines[l], v);
            of_points = hd_micro_equal(&point, &variant->point);
        }
    for (uint32_t l = 0; l < plan->layout_count && of_points; l++)
        for (size_t k = 0; k < placements->count && !of_variants; k++)
            of_variants =
                hd_explored_is(variant, plan->layouts[l], hd_placement_name(placements->data[k]));
    return of_variants;
}

/* What is known of the plan's variants. */
static void gather(explore_state *e) {
    hd_exploration *r = e->result;
    r->variants = hd_new_array(e->arena, hd_explored, e->known.count + 1);
    for (size_t i = 0; i < e->known.count; i++)
        if (is_planned(e, &e->known.data[i]))
            r->variants[r->count++] = e->known.data[i];
}

/* Adds up what is planned and what of that is known. */
static void count_plan(explore_state *e) {
    hd_exploration *r = e->result;
    bool counted_base = false;
    for (uint32_t l = 0; l < e->plan->line_count; l++)
        for (uint32_t v = 0; v < e->plan->lines[l].count; v++) {
            hd_micro_point point = hd_plan_point(&e->plan->lines[l], v);
            if (explore_is_base(e, &point) && counted_base)
                continue;
            counted_base |= explore_is_base(e, &point);
            uint64_t all = (uint64_t)e->plan->layout_count * explore_placements(e, &point)->count;
            r->planned += all;
            r->kept += all - explore_missing(e, &point, NULL);
        }
}

/* All of the plan's, also of what is known or will be skipped. */
static hd_status keep_jobs(explore_state *e) {
    hd_status status = HD_OK;
    for (uint32_t l = 0; l < e->plan->line_count; l++) {
        hd_arena *arena = hd_arena_new();
        for (uint32_t v = 0; v < e->plan->lines[l].count && status == HD_OK; v++) {
            hd_micro_point point = hd_plan_point(&e->plan->lines[l], v);
            hd_micro_kernel *kernel;
            status = hd_micro_write(arena, &e->folder, &point, &kernel);
        }
        hd_arena_free(arena);
    }
    return status;
}

/* What is known of the device, and then what is not. */
static hd_status explore_plan(explore_state *e) {
    hd_exploration *r = e->result;
    if (e->options->again)
        hd_explored_forget(e->database, &r->device);
    size_t count;
    const char *meter = e->meter ? hd_meter_source_of(e->meter)->name : "model";
    const hd_explored *known = hd_explored_known(e->database, e->arena, &r->device,
                                                 hd_device_print(e->arena, r->profile), &count);
    for (size_t i = 0; i < count; i++)
        if (!e->options->meter || !known[i].energy.meter || !strcmp(meter, known[i].energy.meter))
            hd_push(e->arena, &e->known, known[i]);
    count_plan(e);
    hd_status status = e->options->model ? HD_OK : check_budget(e);
    if (status == HD_OK && e->options->folder)
        status = keep_jobs(e);
    for (uint32_t l = 0; l < e->plan->line_count && status == HD_OK && !explore_is_over(e); l++)
        status = measure_line(e, &e->plan->lines[l]);
    return status;
}

static hd_status explore_device(explore_state *e) {
    const hd_compute_device *device = &e->session.device;
    e->result->device =
        (hd_profiled_device){device->backend, device->platform, device->name, device->driver};
    find_counters(e);
    find_range(e);
    hd_status status =
        hd_plan_bound(e->arena, e->diag, device->name, &e->result->range, &e->bounded);
    if (status == HD_OK)
        status = find_placements(e);
    if (status == HD_OK)
        status = find_meter(e);
    return status ? status : explore_plan(e);
}

/* A profile's figures are what its driver is: with others it is another device. */
static hd_status explore_model(explore_state *e) {
    const hd_device *model = e->options->model;
    hd_status status = hd_caches_check(e->diag, model);
    e->result->profile = model;
    e->result->device = (hd_profiled_device){"model", "device profile", model->name,
                                             hd_device_print(e->arena, model)};
    if (status == HD_OK)
        status = find_placements(e);
    return status ? status : explore_plan(e);
}

hd_status hd_explore(hd_arena *arena, const hd_diag *diag, hd_database *database,
                     const hd_plan *plan, const hd_explore_options *options,
                     hd_exploration *result) {
    /* For the messages of a session that has no kernel yet. */
    const kir_module module = {.device = options->backend};
    const hd_job nothing = {.path = "exploration", .module = &module, .kernel_path = "micro.cl"};
    explore_state e = {.arena = arena,
                       .diag = diag,
                       .database = database,
                       .bounded = *plan,
                       .options = options,
                       .result = result,
                       .start = hd_clock()};
    char *scratch = NULL;
    e.plan = &e.bounded;
    *result = (hd_exploration){0};
    hd_perf_open(arena, options->open_event, &e.perf); /* before a device has threads */
    hd_status status = options->model ? HD_OK : find_profile(&e, &nothing);
    if (status == HD_OK && !options->model)
        status = hd_session_open(arena, diag, &nothing, options->device, &e.session);
    if (status == HD_OK && !options->folder)
        status = hd_scratch_make(arena, diag, &scratch);
    e.folder =
        (hd_micro_folder){.arena = arena,
                          .diag = diag,
                          .path = options->folder ? options->folder : scratch,
                          .backend = options->backend,
                          .form = options->model ? hd_form_for(options->model) : KIR_AS_WRITTEN};
    if (status == HD_OK)
        status = options->model ? explore_model(&e) : explore_device(&e);
    hd_scratch_remove(scratch);
    if (e.meter)
        hd_meter_close(e.meter);
    hd_session_close(&e.session);
    hd_perf_close(&e.perf);
    gather(&e);
    find_bandwidth(&e);
    result->refused = e.refused.data;
    result->refused_count = e.refused.count;
    result->seconds = hd_clock() - e.start;
    return status;
}
