/*
 * The energy of variants: by a meter, or by the model from what the machine counts; and points of a
 * device profile alone.
 */
#include "explore/explore_own.h"

/* Of metering one variant. */
static const double most_metering = 2;

/* ---- of a variant --------------------------------------------------------------------------- */

static hd_status run_metered(void *self, uint64_t times) {
    explore_metered *m = self;
    double seconds = 0;
    hd_status status = HD_OK;
    if (!m->is_whole)
        return hd_version_launch(&m->e->session, &m->v->version, &times, &seconds);
    for (uint64_t i = 0; i < times && status == HD_OK; i++)
        status = explore_run_whole(m->e, m->p, m->v, true, &seconds);
    return status;
}

/* Bytes between the host's memory and a device that has its own. */
static double link_bytes(const explore_metered *m, const hd_variant_counts *counts) {
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

static hd_energy_of model_energy(const explore_metered *m, const hd_timing *seconds) {
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

hd_status explore_energy(explore_metered *m, const hd_timing *seconds, hd_energy_of *found) {
    explore_state *e = m->e;
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

/* ---- a point of a profile alone ------------------------------------------------------------------- */

/* Joules of a kernel, and with what goes over the link in a whole run. */
static hd_status model_variant(const explore_state *e, const explore_point *p,
                               const explore_variant *run, hd_explored *v) {
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

hd_status explore_model_point(explore_state *e, const hd_micro_point *point) {
    explore_point p = {0};
    uint64_t count = explore_missing(e, point, NULL);
    if (!count)
        return HD_OK;
    explore_variant *runs = hd_new_array(e->arena, explore_variant, count);
    hd_explored *done = hd_new_array(e->arena, hd_explored, count);
    explore_missing(e, point, runs);
    explore_show(e, hd_format(e->arena, "counting %s", hd_micro_print(e->arena, point)));
    hd_status status = explore_load_point(e, point, &p);
    for (uint64_t i = 0; i < count && status == HD_OK; i++)
        status = model_variant(e, &p, &runs[i], &done[i]);
    hd_arena_free(p.arena);
    if (status == HD_OK)
        explore_add(e, done, count);
    return status;
}
