/*
 * A point of a device profile alone: its kernel is rewritten in each layout, compiled and run on the
 * machine, and the models of time and energy price what is counted, in each placement, as
 * advise/placements.h has them.
 */
#include "advise/explore/internal.h"
#include "advise/placements.h"

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

/* Layout number `number`, in a thread and an arena of its own. */
static hd_status count_layout(void *self, uint32_t worker, uint64_t number) {
    (void)worker;
    const counter *c = self;
    const hd_micro *micro = &c->p->micro;
    const hd_micro_shape *shape = &micro->shape;
    const hd_layout *layout = c->p->layouts[number];
    const double accesses = (double)(shape->objects - shape->on_host) *
                            (shape->fields + 1 + (shape->run > 0)); /* of lanes */
    const hd_evidence_options all = {0};
    hd_arena *arena = c->p->arenas[number] = hd_arena_new();
    hd_run_counts *run = &c->p->runs[number];
    if (hd_layout_equal(layout, hd_layout_original(arena, micro->job->record)))
        layout = NULL;
    hd_status status = hd_count_in_layout(arena, c->e->diag, micro->job, layout,
                                          c->e->options->model, accesses, &all, run);
    if (status == HD_OK)
        c->p->counts[number] = counts_of(run);
    return status;
}

hd_status explore_count_compiled(const explore_state *e, explore_point *p) {
    const uint32_t count = e->plan->layout_count;
    counter c = {e, p};
    uint64_t failed;
    p->runs = hd_new_array(p->arena, hd_run_counts, count);
    p->arenas = hd_new_array(p->arena, hd_arena *, count);
    return hd_in_parallel(hd_core_count(), count, count_layout, &c, &failed);
}

/* ---- a point ---------------------------------------------------------------------------------- */

const char *explore_model_lacks(const hd_device *model, hd_placement placement) {
    if (placement > HD_PLACEMENT_COARSE)
        return "pages move when they are touched, which only a device tells";
    if (placement != HD_PLACEMENT_DEVICE && !hd_time_is_known(model))
        return "the profile has no speeds";
    return hd_placement_unpriced(model, placement);
}

static hd_timing surely(double value) { return (hd_timing){value, value, value, 1}; }

static hd_energy_of modelled(double joules) {
    return (hd_energy_of){.joules = surely(joules), .meter = "model", .modelled = true};
}

/* With all buffers in a placement: the kernel, and with the copies of what it reads and writes. */
static void price(const hd_device *device, const hd_run_counts *run, hd_placement placement,
                  hd_explored *v) {
    enum { MOST_BUFFERS = 2 }; /* objects, which are read and written, and indices */
    const hd_placement placements[MOST_BUFFERS] = {placement, placement};
    bool none[MOST_BUFFERS] = {false, false}, read[] = {true, true}, written[] = {true, false};
    const hd_placements_advice kernel = {.device = device, .read = none, .written = none};
    const hd_placements_advice all = {.device = device, .read = read, .written = written};
    const hd_whole_run alone = hd_whole_run_with(&kernel, run, placements);
    const hd_whole_run whole = hd_whole_run_with(&all, run, placements);
    v->kernels = surely(alone.time.seconds);
    v->energy = modelled(alone.joules);
    v->whole = surely(whole.time.seconds);
    v->whole_energy = modelled(whole.joules);
}

hd_status explore_model_variants(explore_state *e, const explore_point *p,
                                 const explore_variant *variants, uint64_t count) {
    const hd_device *device = e->options->model;
    hd_explored *done = hd_new_array(p->arena, hd_explored, count);
    if (!hd_device_has_energy(device))
        return hd_fail(e->diag, HD_EINPUT, &(hd_place){.file = device->source_file}, "%s",
                       hd_energy_unknown(e->arena, device));
    for (uint64_t i = 0; i < count; i++) {
        const uint32_t layout = variants[i].layout;
        const hd_run_counts *run = &p->runs[layout];
        hd_explored *v = &done[i];
        *v = (hd_explored){.point = p->micro.point,
                           .layout = e->plan->layouts[layout],
                           .placement = hd_placement_name(variants[i].placement),
                           .predicted = true,
                           .counts = p->counts[layout],
                           .counters = "",
                           .date = hd_date_now(e->arena)};
        if (hd_time_is_known(device))
            price(device, run, variants[i].placement, v);
        else
            v->energy = v->whole_energy = modelled(run->joules); /* without idle power */
    }
    explore_add(e, done, count);
    return HD_OK;
}

void explore_free_counts(const explore_state *e, const explore_point *p) {
    for (uint32_t l = 0; p->arenas && l < e->plan->layout_count; l++)
        hd_arena_free(p->arenas[l]);
}
