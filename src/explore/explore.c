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
#include "explore/explore.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include "energy/energy.h"
#include "locality/cache.h"
#include "measure/counters.h"
#include "measure/probe.h"
#include "measure/session.h"

/* A kernel is launched so often that one timing takes at least so long: shorter ones say more
 * about starting a kernel than about running it. */
static const double least_seconds = 2e-3;
/* Of metering one variant. */
static const double most_metering = 2;
/* Times closer than that are no change along a line. */
static const double noticeable = 0.03;
enum { DEFAULT_REPEATS = 7, MOST_BATCHED = 256 };
/* Of a problem in the host's memory: what runs start from, the same in a layout, what is expected,
 * what a run leaves, and a processor's own. */
enum { COPIES = 5 };
#define MOST_BYTES ((uint64_t)1 << 30) /* of variants that run in turns */

typedef hd_vec(hd_placement) placement_list;

typedef struct explorer {
    hd_arena *arena;
    const hd_diag *diag;
    hd_database *database;
    hd_plan bounded;
    const hd_plan *plan; /* that */
    const hd_explore_options *options;
    hd_exploration *result;
    hd_session session;
    hd_micro_folder folder;
    hd_meter *meter;
    hd_perf perf;
    bool counts;               /* the processor's counters are the device's */
    placement_list placements; /* of all points, */
    placement_list all;        /* and of the one that all lines share */
    hd_vec(hd_explored) known;
    hd_vec(hd_unexplored) refused;
    double start;
} explorer;

/* A point while it is measured. */
typedef struct point_run {
    hd_arena *arena;
    hd_micro micro;
    const hd_layout **layouts; /* [plan->layout_count] */
    hd_variant_counts *counts; /* the same */
    void **contents, **expected;
    void *of_host;  /* the objects that the host computes, again and again */
    uint64_t bytes; /* of the objects */
} point_run;

/* A variant while it is measured. */
typedef struct variant_run {
    uint32_t layout;
    hd_placement placement;
    hd_version version;
    uint64_t batch; /* launches of a timing */
    double *kernels, *whole;
    hd_perf_counts counted; /* of the launches that are timed, */
    uint64_t launches;      /* and how many these are */
} variant_run;

/* ---- what is known -------------------------------------------------------------------------------- */

static const hd_explored *find(const explorer *e, const hd_micro_point *point, const char *layout,
                               hd_placement placement) {
    for (size_t i = e->known.count; i-- > 0;)
        if (hd_micro_equal(&e->known.data[i].point, point) &&
            !strcmp(e->known.data[i].layout, layout) &&
            !strcmp(e->known.data[i].placement, hd_placement_name(placement)))
            return &e->known.data[i];
    return NULL;
}

static bool is_refused(const explorer *e, const char *point, const char *layout,
                       hd_placement placement) {
    for (size_t i = 0; i < e->refused.count; i++)
        if (!strcmp(e->refused.data[i].point, point) &&
            !strcmp(e->refused.data[i].layout, layout) &&
            !strcmp(e->refused.data[i].placement, hd_placement_name(placement)))
            return true;
    return false;
}

/* ---- the host's share ------------------------------------------------------------------------------ */

typedef struct host_work {
    const hd_micro *micro;
    void *objects;
    double seconds;
} host_work;

static void *compute_on_host(void *self) {
    host_work *work = self;
    double start = hd_clock();
    hd_micro_compute(work->micro, work->objects, 0, work->micro->shape.on_host);
    work->seconds = hd_clock() - start;
    return NULL;
}

/* A run from the host's data and back, while the host computes its share: the longer of the two.
 * again: from what the last one left in place, so that the host writes nothing. */
static hd_status run_whole(explorer *e, const point_run *p, variant_run *v, bool again,
                           double *seconds) {
    pthread_t thread;
    host_work work = {&p->micro, p->of_host, 0};
    hd_run_seconds parts;
    bool shares = p->micro.shape.on_host && !pthread_create(&thread, NULL, compute_on_host, &work);
    hd_status status =
        (again ? hd_version_run_again : hd_version_run_whole)(&e->session, &v->version, &parts);
    if (shares)
        pthread_join(thread, NULL);
    *seconds = fmax(hd_run_whole(&parts), work.seconds);
    return status;
}

/* ---- variants ---------------------------------------------------------------------------------------- */

/* Its result must be that of plain C. */
static hd_status check_result(explorer *e, const point_run *p, variant_run *v) {
    hd_arena *arena = hd_arena_new();
    const hd_job *job = p->micro.job;
    void **outputs = hd_new_array(arena, void *, job->buffer_count);
    bool equal, bit_equal;
    double unused;
    hd_status status = hd_version_outputs(&e->session, arena, &v->version, outputs, &unused);
    if (status == HD_OK)
        status = hd_contents_compare(arena, e->diag, job, &(hd_contents){"in plain C", p->expected},
                                     &(hd_contents){e->session.device.name, outputs}, &equal,
                                     &bit_equal);
    hd_arena_free(arena);
    return status;
}

static hd_status make_version(explorer *e, const point_run *p, variant_run *v) {
    const hd_placing placing = {.placement = v->placement, .all = true};
    const hd_layout *layout = p->layouts[v->layout];
    const hd_record *record = p->micro.job->record;
    hd_rewritten *rewritten;
    if (!strcmp(hd_layout_print(p->arena, record, layout), "aos"))
        return hd_version_make(&e->session, NULL, NULL, 0, &placing, p->contents, &v->version);
    const hd_record_layout chosen = {record, layout};
    hd_status status =
        hd_rewrite_job(p->arena, e->session.diag, p->micro.job, &chosen, 1, &rewritten);
    return status ? status
                  : hd_version_make(&e->session, rewritten, &chosen, 1, &placing, p->contents,
                                    &v->version);
}

/* A variant that the device does not run is left out, and the exploration goes on; *made says
 * whether it is there. */
static hd_status prepare(explorer *e, const point_run *p, variant_run *v, bool *made) {
    hd_reason reason = {e->arena, NULL};
    const hd_diag keeper = {hd_keep_reason, &reason};
    e->session.diag = &keeper;
    hd_status status = make_version(e, p, v);
    e->session.diag = e->diag;
    *made = status == HD_OK;
    if (*made)
        return check_result(e, p, v);
    hd_version_free(&e->session, &v->version);
    hd_push(e->arena, &e->refused,
            (hd_unexplored){.point = hd_micro_print(e->arena, &p->micro.point),
                            .layout = e->plan->layouts[v->layout],
                            .placement = hd_placement_name(v->placement),
                            .why = reason.text});
    return HD_OK;
}

/* ---- timing ---------------------------------------------------------------------------------------- */

static bool is_over(explorer *e) {
    if (e->options->stop && *e->options->stop)
        e->result->stopped = true;
    if (e->options->budget > 0 && hd_clock() - e->start > e->options->budget)
        e->result->out_of_time = true;
    return e->result->stopped || e->result->out_of_time;
}

static void show(const explorer *e, const char *what) {
    const hd_exploration *r = e->result;
    uint64_t done = r->kept + r->measured + r->skipped + e->refused.count;
    if (e->options->progress)
        e->options->progress(e->options->user, what,
                             r->planned ? (double)done / (double)r->planned : 0);
}

static hd_status time_turn(explorer *e, const point_run *p, variant_run *v, uint32_t turn) {
    double seconds = 0;
    uint64_t batch = turn ? v->batch : 1;
    hd_perf_counts before, after;
    if (e->counts)
        hd_perf_read(&e->perf, &before);
    hd_status status = hd_version_launch(&e->session, &v->version, &batch, &seconds);
    if (e->counts && turn) {
        hd_perf_read(&e->perf, &after);
        hd_perf_add(&v->counted, &before, &after);
        v->launches += batch;
    }
    seconds /= (double)batch;
    if (turn)
        v->kernels[turn - 1] = seconds;
    else
        v->batch = seconds * MOST_BATCHED <= least_seconds
                       ? MOST_BATCHED
                       : (uint64_t)ceil(least_seconds / seconds);
    if (status == HD_OK)
        status = run_whole(e, p, v, false, &seconds);
    if (turn)
        v->whole[turn - 1] = seconds;
    return status;
}

/* ---- energy ------------------------------------------------------------------------------------------ */

typedef struct metered {
    explorer *e;
    const point_run *p;
    variant_run *v;
    bool is_whole;
} metered;

static hd_status run_metered(void *self, uint64_t times) {
    metered *m = self;
    double seconds = 0;
    hd_status status = HD_OK;
    if (!m->is_whole)
        return hd_version_launch(&m->e->session, &m->v->version, &times, &seconds);
    for (uint64_t i = 0; i < times && status == HD_OK; i++)
        status = run_whole(m->e, m->p, m->v, true, &seconds);
    return status;
}

/* Bytes between the host's memory and a device that has its own. */
static double link_bytes(const metered *m, const hd_variant_counts *counts) {
    const hd_compute *gpu = m->e->session.gpu;
    if (gpu->is_unified || gpu->device.is_processor)
        return 0;
    return m->v->placement != HD_PLACEMENT_DEVICE ? (double)counts->dram_bytes
           : m->is_whole                          ? 2 * (double)m->p->bytes
                                                  : 0;
}

/* What a variant's counts stand for; with no seconds and nothing over the link. */
static hd_energy_counts energy_counts(const hd_variant_counts *c) {
    return (hd_energy_counts){.fp32 = (double)c->operations[HD_OPERATION_FP32],
                              .fp64 = (double)c->operations[HD_OPERATION_FP64],
                              .integer = (double)c->operations[HD_OPERATION_INTEGER],
                              .l1_bytes = (double)c->l1_bytes,
                              .l2_bytes = (double)c->l2_bytes,
                              .dram_bytes = (double)c->dram_bytes};
}

static hd_energy_of model_energy(const metered *m, const hd_timing *seconds) {
    const hd_device *profile = m->e->result->profile;
    const hd_variant_counts *c = &m->p->counts[m->v->layout];
    hd_energy_counts counts = energy_counts(c);
    counts.link_bytes = link_bytes(m, c);
    double at[3] = {seconds->median, seconds->low, seconds->high}, joules[3];
    hd_energy_of energy = {.meter = "model", .modelled = true};
    for (int i = 0; i < 3; i++) {
        hd_energy_counts timed = counts;
        timed.seconds = at[i];
        if (!c->requests || !hd_energy_modelled(profile, &timed, &joules[i])) {
            energy.why = hd_energy_unknown(m->e->arena, profile);
            return energy;
        }
    }
    energy.joules = (hd_timing){joules[0], joules[1], joules[2], seconds->repeats};
    return energy;
}

static hd_status find_energy(metered *m, const hd_timing *seconds, hd_energy_of *found) {
    explorer *e = m->e;
    if (!e->meter) {
        *found = model_energy(m, seconds);
        return HD_OK;
    }
    const hd_energy_work work = {.run = run_metered, .self = m};
    const hd_energy_options options = {.most_seconds = most_metering, .idle_seconds = 1e-3};
    hd_energy energy;
    hd_status status = hd_energy_repeat(e->meter, &work, &options, &energy);
    *found = (hd_energy_of){.meter = hd_strdup(e->arena, energy.source)};
    if (energy.missing)
        found->why = hd_strdup(e->arena, energy.missing);
    else
        found->joules =
            (hd_timing){energy.joules, energy.joules * (1 - energy.resolution),
                        energy.joules * (1 + energy.resolution), (uint32_t)energy.repeats};
    return status;
}

/* ---- a point ------------------------------------------------------------------------------------- */

static hd_status load_point(explorer *e, const hd_micro_point *point, point_run *p) {
    hd_arena *arena = p->arena = hd_arena_new();
    uint32_t count = e->plan->layout_count;
    hd_status status = hd_micro_load(arena, &e->folder, point, &p->micro);
    if (status != HD_OK)
        return status;
    const hd_job *job = e->session.job = p->micro.job;
    p->bytes = job->buffers[0].count * job->buffers[0].element_bytes;
    p->layouts = hd_new_array(arena, const hd_layout *, count);
    p->counts = hd_new_array(arena, hd_variant_counts, count);
    p->contents = hd_new_array(arena, void *, job->buffer_count);
    p->expected = hd_new_array(arena, void *, job->buffer_count);
    for (uint32_t l = 0; l < count && status == HD_OK; l++) {
        hd_layout *layout;
        status = hd_layout_parse(arena, e->diag, job->record, e->plan->layouts[l], &layout);
        p->layouts[l] = layout;
    }
    if (status == HD_OK)
        status = hd_job_all_contents(arena, e->diag, job, p->contents);
    if (status != HD_OK)
        return status;
    memcpy(p->expected, p->contents, job->buffer_count * sizeof *p->expected);
    p->expected[0] = memcpy(hd_alloc(arena, p->bytes), p->contents[0], p->bytes);
    const hd_micro_shape *shape = &p->micro.shape;
    hd_micro_compute(&p->micro, p->expected[0], 0, shape->objects - shape->on_host);
    uint64_t host_bytes = shape->on_host * job->buffers[0].element_bytes;
    p->of_host = memcpy(hd_alloc(arena, host_bytes + 1),
                        (char *)p->contents[0] + (p->bytes - host_bytes), host_bytes);
    const hd_diag silent = {0};
    if (hd_caches_check(&silent, e->result->profile) == HD_OK)
        status = explore_count(arena, e->diag, &p->micro, e->result->profile, p->layouts, count,
                               p->counts);
    return status;
}

static void add_known(explorer *e, const hd_explored *variants, size_t count) {
    explore_keep(e->database, &e->result->device, hd_device_print(e->arena, e->result->profile),
                 variants, count);
    e->result->measured += count;
    for (size_t i = 0; i < count; i++)
        hd_push(e->arena, &e->known, variants[i]);
}

/* Measures variants that run in turns. */
static hd_status measure_together(explorer *e, const point_run *p, variant_run *runs,
                                  uint32_t count) {
    uint32_t repeats = e->options->repeats ? e->options->repeats : DEFAULT_REPEATS;
    const char *name = hd_micro_print(p->arena, &p->micro.point);
    hd_vec(hd_explored) done = {0};
    hd_status status = HD_OK;
    uint32_t made = 0;
    for (uint32_t i = 0; i < count && status == HD_OK && !is_over(e); i++) {
        bool is_made;
        show(e, hd_format(p->arena, "building %s", name));
        runs[made] = runs[i];
        runs[made].kernels = hd_new_array(p->arena, double, repeats);
        runs[made].whole = hd_new_array(p->arena, double, repeats);
        status = prepare(e, p, &runs[made], &is_made);
        made += is_made;
    }
    show(e, hd_format(p->arena, "measuring %s", name));
    for (uint32_t turn = 0; turn <= repeats; turn++)
        for (uint32_t i = 0; i < made && status == HD_OK && !is_over(e); i++)
            status = time_turn(e, p, &runs[i], turn);
    for (uint32_t i = 0; i < made && status == HD_OK && !is_over(e); i++) {
        hd_explored v = {.point = p->micro.point,
                         .layout = e->plan->layouts[runs[i].layout],
                         .placement = hd_placement_name(runs[i].placement),
                         .kernels = hd_timing_of(p->arena, runs[i].kernels, repeats),
                         .whole = hd_timing_of(p->arena, runs[i].whole, repeats),
                         .counts = p->counts[runs[i].layout],
                         .counters =
                             hd_perf_print(e->arena, &runs[i].counted, (double)runs[i].launches),
                         .date = hd_date_now(e->arena)};
        metered m = {.e = e, .p = p, .v = &runs[i]};
        status = find_energy(&m, &v.kernels, &v.energy);
        m.is_whole = true;
        if (status == HD_OK)
            status = find_energy(&m, &v.whole, &v.whole_energy);
        hd_push(p->arena, &done, v);
    }
    for (uint32_t i = 0; i < made; i++)
        hd_version_free(&e->session, &runs[i].version);
    if (status != HD_OK || is_over(e))
        return status;
    add_known(e, done.data, done.count);
    return HD_OK;
}

/* ---- which variants a point has ---------------------------------------------------------------- */

static bool is_base(const explorer *e, const hd_micro_point *point) {
    return hd_micro_equal(point, &e->plan->base);
}

static const placement_list *placements_of(const explorer *e, const hd_micro_point *point) {
    return is_base(e, point) ? &e->all : &e->placements;
}

/* Those that are neither known nor refused; runs NULL: only their number. */
static uint64_t find_missing(const explorer *e, const hd_micro_point *point, variant_run *runs) {
    hd_arena *arena = hd_arena_new();
    const char *name = hd_micro_print(arena, point);
    const placement_list *placements = placements_of(e, point);
    uint64_t count = 0;
    for (uint32_t l = 0; l < e->plan->layout_count; l++)
        for (size_t k = 0; k < placements->count; k++) {
            hd_placement placement = placements->data[k];
            if (find(e, point, e->plan->layouts[l], placement) ||
                is_refused(e, name, e->plan->layouts[l], placement))
                continue;
            if (runs)
                runs[count] = (variant_run){.layout = l, .placement = placement};
            count++;
        }
    hd_arena_free(arena);
    return count;
}

/* The variants of a point that are not known yet. */
static hd_status measure_point(explorer *e, const hd_micro_point *point) {
    point_run p = {0};
    uint64_t count = find_missing(e, point, NULL);
    if (!count)
        return HD_OK;
    variant_run *runs = hd_new_array(e->arena, variant_run, count);
    find_missing(e, point, runs);
    show(e, hd_format(e->arena, "counting %s", hd_micro_print(e->arena, point)));
    hd_status status = load_point(e, point, &p);
    /* On the device and as what runs start from. */
    uint64_t together = 1 + MOST_BYTES / (2 * p.bytes + 1);
    for (uint64_t at = 0; at < count && status == HD_OK && !is_over(e); at += together) {
        uint64_t left = count - at;
        status = measure_together(e, &p, runs + at, (uint32_t)(left < together ? left : together));
    }
    hd_arena_free(p.arena);
    return status;
}

/* ---- a point of a profile alone ------------------------------------------------------------------- */

/* Joules of a kernel, and with what goes over the link in a whole run. */
static hd_status model_variant(const explorer *e, const point_run *p, const variant_run *run,
                               hd_explored *v) {
    const hd_device *profile = e->result->profile;
    const hd_variant_counts *c = &p->counts[run->layout];
    const bool is_host = run->placement == HD_PLACEMENT_HOST;
    hd_energy_counts kernel = energy_counts(c), whole = kernel;
    double joules[2];
    kernel.link_bytes = is_host ? kernel.dram_bytes : 0;
    whole.link_bytes = is_host ? kernel.dram_bytes : 2 * (double)p->bytes;
    if (!c->requests || !hd_energy_modelled(profile, &kernel, &joules[0]) ||
        !hd_energy_modelled(profile, &whole, &joules[1]))
        return hd_fail(e->diag, HD_EINPUT, &(hd_place){.file = profile->source_file}, "%s",
                       hd_energy_unknown(e->arena, profile));
    *v = (hd_explored){.point = p->micro.point,
                       .layout = e->plan->layouts[run->layout],
                       .placement = hd_placement_name(run->placement),
                       .energy = {.meter = "model", .modelled = true},
                       .whole_energy = {.meter = "model", .modelled = true},
                       .counts = *c,
                       .counters = "",
                       .date = hd_date_now(e->arena)};
    v->energy.joules = (hd_timing){joules[0], joules[0], joules[0], 1};
    v->whole_energy.joules = (hd_timing){joules[1], joules[1], joules[1], 1};
    return HD_OK;
}

/* The variants of a point that are not known yet. */
static hd_status model_point(explorer *e, const hd_micro_point *point) {
    point_run p = {0};
    uint64_t count = find_missing(e, point, NULL);
    if (!count)
        return HD_OK;
    variant_run *runs = hd_new_array(e->arena, variant_run, count);
    hd_explored *done = hd_new_array(e->arena, hd_explored, count);
    find_missing(e, point, runs);
    show(e, hd_format(e->arena, "counting %s", hd_micro_print(e->arena, point)));
    hd_status status = load_point(e, point, &p);
    for (uint64_t i = 0; i < count && status == HD_OK; i++)
        status = model_variant(e, &p, &runs[i], &done[i]);
    hd_arena_free(p.arena);
    if (status == HD_OK)
        add_known(e, done, count);
    return status;
}

/* ---- a line ----------------------------------------------------------------------------------------- */

/* Whether the first times, `of` times as long, and the second differ by more than they spread. */
static bool are_apart(const hd_timing *a, const hd_timing *b, double of) {
    return a->low * of > b->high * (1 + noticeable) || b->low > a->high * of * (1 + noticeable);
}

/* That there are, which may be more than were asked for. */
static double objects_of(const explorer *e, const hd_micro_point *point) {
    hd_micro_shape shape;
    return hd_micro_check(e->arena, point, &shape) ? 1 : (double)shape.objects;
}

/* Whether times or joules of an object at two points of a line differ by more than they spread, in
 * any layout or placement. */
static bool differ(const explorer *e, const hd_micro_point *a, const hd_micro_point *b) {
    double of = objects_of(e, b) / objects_of(e, a);
    for (uint32_t l = 0; l < e->plan->layout_count; l++)
        for (size_t k = 0; k < e->placements.count; k++) {
            const hd_explored *x = find(e, a, e->plan->layouts[l], e->placements.data[k]);
            const hd_explored *y = find(e, b, e->plan->layouts[l], e->placements.data[k]);
            if (!x || !y)
                return true;
            if (are_apart(&x->kernels, &y->kernels, of) || are_apart(&x->whole, &y->whole, of) ||
                are_apart(&x->energy.joules, &y->energy.joules, of) ||
                are_apart(&x->whole_energy.joules, &y->whole_energy.joules, of))
                return true;
        }
    return false;
}

static hd_status measure_value(explorer *e, const hd_plan_line *line, uint32_t value) {
    hd_micro_point point = hd_plan_point(line, value);
    return e->options->model ? model_point(e, &point) : measure_point(e, &point);
}

/* What is between two values of the line that are measured. */
static hd_status refine(explorer *e, const hd_plan_line *line, uint32_t low, uint32_t high) {
    hd_micro_point a = hd_plan_point(line, low), b = hd_plan_point(line, high);
    if (high - low < 2 || is_over(e))
        return HD_OK;
    if (!differ(e, &a, &b)) {
        for (uint32_t v = low + 1; v < high; v++) {
            hd_micro_point between = hd_plan_point(line, v);
            e->result->skipped += find_missing(e, &between, NULL);
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
static hd_status measure_line(explorer *e, const hd_plan_line *line) {
    uint32_t last = line->count - 1, step = hd_dimensions[line->dimension].names ? 1 : 0;
    const uint32_t first[] = {0, last, last / 2};
    hd_status status = HD_OK;
    for (uint32_t v = 0; step && v <= last && status == HD_OK && !is_over(e); v++)
        status = measure_value(e, line, v);
    for (int i = 0; !step && i < 3 && status == HD_OK && !is_over(e); i++)
        status = measure_value(e, line, first[i]);
    if (status == HD_OK && !step)
        status = refine(e, line, 0, last / 2);
    return status || step ? status : refine(e, line, last / 2, last);
}

/* ---- the device --------------------------------------------------------------------------------------- */

/* Those of the plan, or device and host; what the device lacks is refused once. */
static hd_status find_placements(explorer *e) {
    hd_compute *gpu = e->session.gpu;
    for (hd_placement p = 0; p < HD_PLACEMENTS && !e->plan->placement_count; p++)
        if (!gpu->api->lacks(gpu, p)) {
            hd_push(e->arena, &e->all, p);
            if (p == HD_PLACEMENT_DEVICE || p == HD_PLACEMENT_HOST)
                hd_push(e->arena, &e->placements, p);
        }
    for (uint32_t i = 0; i < e->plan->placement_count; i++) {
        hd_placement p;
        const char *name = e->plan->placements[i];
        if (!hd_placement_parse(name, &p))
            return hd_fail(e->diag, HD_EINPUT, NULL, "no placement is called '%s'; there are %s",
                           name, hd_placement_names(e->arena));
        const char *why = gpu->api->lacks(gpu, p);
        if (why)
            return hd_fail(e->diag, HD_EINPUT, NULL, "%s has no placement '%s': %s",
                           gpu->device.name, name, why);
        hd_push(e->arena, &e->placements, p);
        hd_push(e->arena, &e->all, p);
    }
    return HD_OK;
}

/* Before the session: a probe opens the device by itself. `job` is for messages. */
static hd_status find_profile(explorer *e, const hd_job *job) {
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
    status = hd_probe_device(e->arena, e->diag, device.id, &probe);
    r->profile = probe.device;
    return status;
}

static void find_range(explorer *e) {
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
static void find_bandwidth(explorer *e) {
    hd_explore_range *range = &e->result->range;
    for (size_t i = 0; i < e->known.count; i++) {
        const hd_explored *v = &e->known.data[i];
        hd_micro_point usual = hd_micro_usual();
        hd_micro_shape shape;
        usual.value[HD_DIM_OBJECTS] = v->point.value[HD_DIM_OBJECTS];
        if (!v->kernels.repeats || strcmp(v->layout, "soa") || !hd_micro_equal(&v->point, &usual) ||
            strcmp(v->placement, hd_placement_name(HD_PLACEMENT_DEVICE)) ||
            hd_micro_check(e->arena, &v->point, &shape) || shape.objects < range->bandwidth_objects)
            continue;
        range->bandwidth = (double)shape.objects *
                           (double)(shape.field_bytes + shape.result_bytes) / v->kernels.median;
        range->bandwidth_objects = shape.objects;
    }
}

/* Those of this process are the device's where that is this processor. */
static void find_counters(explorer *e) {
    hd_exploration *r = e->result;
    if (!e->session.device.is_processor)
        r->no_counters = "they are not the processor's, and for a profiler to read";
    else if (e->perf.why)
        r->no_counters = e->perf.why;
    else
        r->counters = e->perf.names;
    e->counts = r->counters;
}

static hd_status find_meter(explorer *e) {
    const hd_meter_request request = {
        .name = e->options->meter, .what = e->session.device.is_processor ? "package" : "device"};
    if (e->options->meter && !strcmp(e->options->meter, "model"))
        return HD_OK;
    return hd_meter_open(e->arena, e->diag, &request, &e->meter);
}

/* A plan that cannot be done in the budget, whatever the device. */
static hd_status check_budget(const explorer *e) {
    uint32_t repeats = e->options->repeats ? e->options->repeats : DEFAULT_REPEATS;
    uint64_t left = e->result->planned - e->result->kept;
    double least = (double)left * (repeats + 1) * least_seconds / 2;
    if (e->options->budget <= 0 || least <= e->options->budget)
        return HD_OK;
    return hd_fail(e->diag, HD_EINPUT, NULL,
                   "the plan has %llu variants left, which take at least %.3g s, and the budget is "
                   "%.3g s; vary less, or give it more",
                   (unsigned long long)left, least, e->options->budget);
}

/* ---- the exploration ---------------------------------------------------------------------------------- */

/* What is known of the plan's points. */
static void gather(explorer *e) {
    hd_exploration *r = e->result;
    r->variants = hd_new_array(e->arena, hd_explored, e->known.count + 1);
    for (size_t i = 0; i < e->known.count; i++) {
        bool is_planned = false;
        for (uint32_t l = 0; l < e->plan->line_count; l++)
            for (uint32_t v = 0; v < e->plan->lines[l].count && !is_planned; v++) {
                hd_micro_point point = hd_plan_point(&e->plan->lines[l], v);
                is_planned = hd_micro_equal(&point, &e->known.data[i].point);
            }
        if (is_planned)
            r->variants[r->count++] = e->known.data[i];
    }
}

/* Adds up what is planned and what of that is known. */
static void count_plan(explorer *e) {
    hd_exploration *r = e->result;
    bool counted_base = false;
    for (uint32_t l = 0; l < e->plan->line_count; l++)
        for (uint32_t v = 0; v < e->plan->lines[l].count; v++) {
            hd_micro_point point = hd_plan_point(&e->plan->lines[l], v);
            if (is_base(e, &point) && counted_base)
                continue;
            counted_base |= is_base(e, &point);
            uint64_t all = (uint64_t)e->plan->layout_count * placements_of(e, &point)->count;
            r->planned += all;
            r->kept += all - find_missing(e, &point, NULL);
        }
}

/* What is known of the device, and then what is not. */
static hd_status explore_plan(explorer *e) {
    hd_exploration *r = e->result;
    if (e->options->again)
        hd_explored_forget(e->database, &r->device);
    size_t count;
    const hd_explored *known = hd_explored_known(e->database, e->arena, &r->device,
                                                 hd_device_print(e->arena, r->profile), &count);
    for (size_t i = 0; i < count; i++)
        if (!e->options->meter || !known[i].energy.meter ||
            !strcmp(e->options->meter, known[i].energy.meter))
            hd_push(e->arena, &e->known, known[i]);
    count_plan(e);
    hd_status status = e->options->model ? HD_OK : check_budget(e);
    for (uint32_t l = 0; l < e->plan->line_count && status == HD_OK && !is_over(e); l++)
        status = measure_line(e, &e->plan->lines[l]);
    return status;
}

static hd_status explore_device(explorer *e) {
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
static hd_status explore_model(explorer *e) {
    const hd_device *model = e->options->model;
    hd_status status = hd_caches_check(e->diag, model);
    e->result->profile = model;
    e->result->device = (hd_profiled_device){"model", "device profile", model->name,
                                             hd_device_print(e->arena, model)};
    hd_push(e->arena, &e->placements, HD_PLACEMENT_DEVICE);
    if (model->energy.link > 0)
        hd_push(e->arena, &e->placements, HD_PLACEMENT_HOST);
    e->all = e->placements;
    return status ? status : explore_plan(e);
}

hd_status hd_explore(hd_arena *arena, const hd_diag *diag, hd_database *database,
                     const hd_plan *plan, const hd_explore_options *options,
                     hd_exploration *result) {
    /* For the messages of a session that has no kernel yet. */
    const kir_module module = {.device = options->backend};
    const hd_job nothing = {.path = "exploration", .module = &module, .kernel_path = "micro.cl"};
    explorer e = {.arena = arena,
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
    e.folder = (hd_micro_folder){.arena = arena,
                                 .diag = diag,
                                 .path = options->folder ? options->folder : scratch,
                                 .backend = options->backend};
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
