/*
 * A point of a device profile alone: its kernel is rewritten in each layout, compiled and run on the
 * machine, and the models of time and energy price what is counted, in each placement.
 *
 *                 a link to the host                        memory that both share
 *     device      copied over the link, there and back      copied in memory, there and back
 *     host        in place, over the link, past caches      in place
 *     fine        the same                                  in place, past caches
 *     coarse      in place, over the link                   in place
 *
 * Copies are waited for, so their time adds to the kernel's. What a kernel does over the link goes on
 * beside the rest of it: the link is one of the bounds of its time, in the place of the device's memory.
 * docs/explore.md has the sources.
 */
#include "advise/explore/internal.h"
#include "advise/recount.h"

/* ---- counts --------------------------------------------------------------------------------- */

typedef struct counter {
    const explore_state *e;
    explore_point *p;
} counter;

/* Of a kernel that is launched once. */
static hd_variant_counts counts_of(const hd_run_counts *run) {
    const hd_energy_counts *of = &run->works->energy;
    return (hd_variant_counts){.requests = run->requests,
                               .transactions = run->transactions,
                               .l1_bytes = (uint64_t)of->l1_bytes,
                               .l2_bytes = (uint64_t)of->l2_bytes,
                               .dram_bytes = (uint64_t)of->dram_bytes,
                               .operations = {[HD_OPERATION_INTEGER] = (uint64_t)of->integer,
                                              [HD_OPERATION_FP32] = (uint64_t)of->fp32,
                                              [HD_OPERATION_FP64] = (uint64_t)of->fp64}};
}

/* Layout number `number`, in a thread. */
static hd_status count_layout(void *self, uint32_t worker, uint64_t number) {
    (void)worker;
    const counter *c = self;
    const hd_micro *micro = &c->p->micro;
    const hd_micro_shape *shape = &micro->shape;
    const hd_layout *layout = c->p->layouts[number];
    const double accesses = (double)(shape->objects - shape->on_host) *
                            (shape->fields + 1 + (shape->run > 0)); /* of lanes */
    const hd_evidence_options all = {0};
    hd_arena *arena = hd_arena_new();
    hd_run_counts run;
    if (hd_layout_equal(layout, hd_layout_original(arena, micro->job->record)))
        layout = NULL;
    hd_status status = hd_count_in_layout(arena, c->e->diag, micro->job, layout,
                                          c->e->options->model, accesses, &all, &run);
    if (status == HD_OK) {
        c->p->counts[number] = counts_of(&run);
        c->p->works[number] = run.works[0];
    }
    hd_arena_free(arena);
    return status;
}

hd_status explore_count_compiled(const explore_state *e, explore_point *p) {
    const uint32_t count = e->plan->layout_count;
    counter c = {e, p};
    uint64_t failed;
    p->works = hd_new_array(p->arena, hd_time_work, count);
    return hd_in_parallel(hd_core_count(), count, count_layout, &c, &failed);
}

/* ---- placements ------------------------------------------------------------------------------- */

/* Of the profile alone: with speeds, but without that of a link. */
static bool is_shared(const hd_device *device) {
    return hd_time_is_known(device) ? !(device->speed.link > 0) : !(device->energy.link > 0);
}

/* The kernel, where its data lie. The host's memory is taken to be as the device's. */
static hd_time_work in_place(const hd_device *device, hd_time_work w, hd_placement placement) {
    const bool shared = is_shared(device);
    if (placement == HD_PLACEMENT_DEVICE)
        return w;
    if (placement == HD_PLACEMENT_FINE || (placement == HD_PLACEMENT_HOST && !shared)) {
        w.l2_bytes = w.dram_bytes = w.energy.l2_bytes = w.energy.dram_bytes = w.energy.l1_bytes;
        w.l1_hits = w.l2_hits = w.l2_partial = 0;
    }
    if (!shared) {
        w.link_bytes = w.energy.link_bytes = w.energy.dram_bytes;
        w.dram_bytes = w.dram_rows = 0;
    }
    return w;
}

/* Of all objects to the device and back: each byte is read on one side and written on the other. */
static hd_time_work copies(const hd_device *device, double bytes) {
    const bool shared = is_shared(device);
    return (hd_time_work){
        .runs = 2,
        .blocks = 1,
        .block_threads = 1,
        .dram_bytes = bytes * (shared ? 4 : 2),
        .link_bytes = shared ? 0 : bytes * 2,
        .energy = {.dram_bytes = bytes * 4, .link_bytes = shared ? 0 : bytes * 2}};
}

/* One after another. Where the profile has no speeds there are no times, and no idle power. */
static bool price(const hd_device *device, const hd_time_work *works, uint32_t count,
                  hd_timing *seconds, hd_energy_of *energy) {
    const bool is_timed = hd_time_is_known(device);
    const hd_time time = is_timed ? hd_time_of_all(device, works, count) : (hd_time){0};
    double joules;
    *seconds = (hd_timing){time.seconds, time.seconds, time.seconds, is_timed};
    *energy = (hd_energy_of){.meter = "model", .modelled = true};
    const bool is_known = hd_time_joules(device, works, count, &time, &joules);
    energy->joules = (hd_timing){joules, joules, joules, 1};
    return is_known;
}

/* ---- a point ---------------------------------------------------------------------------------- */

const char *explore_model_lacks(const hd_device *model, hd_placement placement) {
    return placement == HD_PLACEMENT_DEVICE  ? NULL
           : placement > HD_PLACEMENT_COARSE ? "of a profile alone device, host, fine and coarse "
                                               "memory are known"
           : hd_time_is_known(model) || model->energy.link > 0
               ? NULL
               : "the profile has no speeds, and no energy of its link to the host";
}

hd_status explore_model_variants(explore_state *e, const explore_point *p,
                                 const explore_variant *runs, uint64_t count) {
    const hd_device *device = e->options->model;
    hd_explored *done = hd_new_array(p->arena, hd_explored, count);
    for (uint64_t i = 0; i < count; i++) {
        const hd_placement placement = runs[i].placement;
        const uint32_t layout = runs[i].layout;
        const hd_time_work works[] = {in_place(device, p->works[layout], placement),
                                      copies(device, (double)p->bytes)};
        hd_explored *v = &done[i];
        *v = (hd_explored){.point = p->micro.point,
                           .layout = e->plan->layouts[layout],
                           .placement = hd_placement_name(placement),
                           .predicted = true,
                           .counts = p->counts[layout],
                           .counters = "",
                           .date = hd_date_now(e->arena)};
        const uint32_t whole = placement == HD_PLACEMENT_DEVICE ? 2 : 1;
        if (!price(device, works, 1, &v->kernels, &v->energy) ||
            !price(device, works, whole, &v->whole, &v->whole_energy))
            return hd_fail(e->diag, HD_EINPUT, &(hd_place){.file = device->source_file}, "%s",
                           hd_energy_unknown(e->arena, device));
    }
    explore_add(e, done, count);
    return HD_OK;
}
