/*
 * A point on the device: its variants are rewritten, built, compared with plain C, and timed in
 * turns.
 */
#include <math.h>
#include <pthread.h>

#include "advise/explore/internal.h"
#include "analysis/cache.h"

enum { MOST_BATCHED = 256 };
#define MOST_BYTES ((uint64_t)1 << 30) /* of variants that run in turns */

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

hd_status explore_run_whole(explore_state *e, const explore_point *p, explore_variant *v,
                            bool again, double *seconds) {
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
static hd_status check_result(explore_state *e, const explore_point *p, explore_variant *v) {
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

static hd_status make_version(explore_state *e, const explore_point *p, explore_variant *v) {
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
static hd_status prepare(explore_state *e, const explore_point *p, explore_variant *v, bool *made) {
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

static hd_status time_turn(explore_state *e, const explore_point *p, explore_variant *v,
                           uint32_t turn) {
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
        v->batch = seconds * MOST_BATCHED <= EXPLORE_LEAST_SECONDS
                       ? MOST_BATCHED
                       : (uint64_t)ceil(EXPLORE_LEAST_SECONDS / seconds);
    if (status == HD_OK)
        status = explore_run_whole(e, p, v, false, &seconds);
    if (turn)
        v->whole[turn - 1] = seconds;
    return status;
}

/* ---- a point ------------------------------------------------------------------------------------- */

hd_status explore_load_point(explore_state *e, const hd_micro_point *point, explore_point *p) {
    hd_arena *arena = p->arena = hd_arena_new();
    uint32_t count = e->plan->layout_count;
    hd_status status = hd_micro_load(arena, &e->folder, point, &p->micro);
    if (status != HD_OK)
        return status;
    const hd_job *job = e->session.job = p->micro.job;
    p->bytes = job->buffers[0].count * job->buffers[0].element_bytes;
    p->layouts = hd_new_array(arena, const hd_layout *, count);
    p->counts = hd_new_array(arena, hd_variant_counts, count);
    for (uint32_t l = 0; l < count && status == HD_OK; l++) {
        hd_layout *layout;
        status = hd_layout_parse(arena, e->diag, job->record, e->plan->layouts[l], &layout);
        p->layouts[l] = layout;
    }
    const hd_diag silent = {0};
    if (status == HD_OK && e->options->model)
        return explore_count_compiled(e, p);
    if (status == HD_OK && hd_caches_check(&silent, e->result->profile) == HD_OK)
        status = explore_count(arena, e->diag, &p->micro, e->result->profile, p->layouts, count,
                               p->counts);
    return status;
}

/* What runs start from, what they are to leave, and the host's own share. */
static hd_status make_contents(explore_state *e, explore_point *p) {
    const hd_job *job = p->micro.job;
    const hd_micro_shape *shape = &p->micro.shape;
    p->contents = hd_new_array(p->arena, void *, job->buffer_count);
    p->expected = hd_new_array(p->arena, void *, job->buffer_count);
    hd_status status = hd_job_all_contents(p->arena, e->diag, job, p->contents);
    if (status != HD_OK)
        return status;
    memcpy(p->expected, p->contents, job->buffer_count * sizeof *p->expected);
    p->expected[0] = memcpy(hd_alloc(p->arena, p->bytes), p->contents[0], p->bytes);
    hd_micro_compute(&p->micro, p->expected[0], 0, shape->objects - shape->on_host);
    uint64_t host_bytes = shape->on_host * job->buffers[0].element_bytes;
    p->of_host = memcpy(hd_alloc(p->arena, host_bytes + 1),
                        (char *)p->contents[0] + (p->bytes - host_bytes), host_bytes);
    return HD_OK;
}

/* Measures variants that run in turns. */
static hd_status measure_together(explore_state *e, const explore_point *p, explore_variant *runs,
                                  uint32_t count) {
    uint32_t repeats = e->options->repeats ? e->options->repeats : EXPLORE_REPEATS;
    const char *name = hd_micro_print(p->arena, &p->micro.point);
    hd_vec(hd_explored) done = {0};
    hd_status status = HD_OK;
    uint32_t made = 0;
    for (uint32_t i = 0; i < count && status == HD_OK && !explore_is_over(e); i++) {
        bool is_made;
        explore_show(e, hd_format(p->arena, "building %s", name));
        runs[made] = runs[i];
        runs[made].kernels = hd_new_array(p->arena, double, repeats);
        runs[made].whole = hd_new_array(p->arena, double, repeats);
        status = prepare(e, p, &runs[made], &is_made);
        made += is_made;
    }
    const char *measuring = hd_format(p->arena, "measuring %s", name);
    for (uint32_t turn = 0; turn <= repeats; turn++)
        for (uint32_t i = 0; i < made && status == HD_OK && !explore_is_over(e); i++) {
            explore_show(e, measuring);
            status = time_turn(e, p, &runs[i], turn);
        }
    for (uint32_t i = 0; i < made && status == HD_OK && !explore_is_over(e); i++) {
        hd_explored v = {.point = p->micro.point,
                         .layout = e->plan->layouts[runs[i].layout],
                         .placement = hd_placement_name(runs[i].placement),
                         .kernels = hd_timing_of(p->arena, runs[i].kernels, repeats),
                         .whole = hd_timing_of(p->arena, runs[i].whole, repeats),
                         .counts = p->counts[runs[i].layout],
                         .counters =
                             hd_perf_print(e->arena, &runs[i].counted, (double)runs[i].launches),
                         .date = hd_date_now(e->arena)};
        explore_metered m = {.e = e, .p = p, .v = &runs[i]};
        explore_show(e, measuring);
        status = explore_energy(&m, &v.kernels, &v.energy);
        m.is_whole = true;
        if (status == HD_OK)
            status = explore_energy(&m, &v.whole, &v.whole_energy);
        hd_push(p->arena, &done, v);
    }
    for (uint32_t i = 0; i < made; i++)
        hd_version_free(&e->session, &runs[i].version);
    if (status != HD_OK || explore_is_over(e))
        return status;
    explore_add(e, done.data, done.count);
    return HD_OK;
}

hd_status explore_measure_variants(explore_state *e, explore_point *p, explore_variant *runs,
                                   uint64_t count) {
    hd_status status = make_contents(e, p);
    /* On the device and as what runs start from. */
    uint64_t together = 1 + MOST_BYTES / (2 * p->bytes + 1);
    for (uint64_t at = 0; at < count && status == HD_OK && !explore_is_over(e); at += together) {
        uint64_t left = count - at;
        status = measure_together(e, p, runs + at, (uint32_t)(left < together ? left : together));
    }
    return status;
}
