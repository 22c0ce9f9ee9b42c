/*
 * The energy of variants on a device: by a meter, or by the model from what the machine counts.
 */
#include "advise/explore/internal.h"

/* Of metering one variant. */
static const double most_metering = 2;

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

static hd_energy_of model_energy(const explore_metered *m, const hd_timing *seconds) {
    const hd_device *profile = m->e->result->profile;
    const hd_variant_counts *c = &m->p->counts[m->v->layout];
    hd_energy_counts counts = {.fp32 = (double)c->operations[HD_OPERATION_FP32],
                               .fp64 = (double)c->operations[HD_OPERATION_FP64],
                               .integer = (double)c->operations[HD_OPERATION_INTEGER],
                               .l1_bytes = (double)c->l1_bytes,
                               .l2_bytes = (double)c->l2_bytes,
                               .dram_bytes = (double)c->dram_bytes,
                               .link_bytes = link_bytes(m, c)};
    double at[3] = {seconds->median, seconds->low, seconds->high}, joules[3];
    hd_energy_of energy = {.meter = "model", .modelled = true};
    for (int i = 0; i < 3; i++) {
        counts.seconds = at[i];
        if (!c->requests || !hd_energy_modelled(profile, &counts, &joules[i])) {
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
