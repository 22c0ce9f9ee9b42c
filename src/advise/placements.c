/* Placements without a device (placements.h). */
#include "advise/placements.h"

typedef struct placer {
    hd_arena *arena;
    const hd_diag *diag;
    const hd_advice *advice;
    const hd_advise_options *options;
    double expected; /* accesses of lanes */
    hd_placements_advice *result;
} placer;

double hd_whole_run_value(const hd_whole_run *run, hd_objective objective) {
    return objective == HD_QUANTITY_TIME     ? run->time.seconds
           : objective == HD_QUANTITY_ENERGY ? run->joules
                                             : run->time.seconds * run->joules;
}

const char *hd_placement_unpriced(const hd_device *device, hd_placement placement) {
    if (placement == HD_PLACEMENT_MANAGED || placement == HD_PLACEMENT_HINTED)
        return "pages move when they are touched, which only a device tells: --budget TIME";
    if (placement != HD_PLACEMENT_DEVICE && placement != HD_PLACEMENT_HOST &&
        device->compiler == HD_COMPILER_NVPTX64)
        return "NVIDIA's devices share the host's memory as pinned memory alone";
    return NULL;
}

/* ---- one run ------------------------------------------------------------------------------ */

static double most(double a, double b) { return a > b ? a : b; }

/* Bytes over the link, to the device and from it. */
typedef struct link_bytes {
    double in, out;
} link_bytes;

/* Between L2 and a memory with which it has to agree when a launch begins and ends: all that was asked for goes anew
 * in each run but that which `begins`, though no byte twice. */
static double kept_bytes(double memory, double asked, double bytes, bool begins) {
    const double anew = asked < bytes ? asked : bytes;
    return begins || memory > anew ? memory : anew;
}

/* Takes a buffer's traffic in a launch to where the buffer lives, which has so many bytes. `hits`: bytes that L2 has
 * of all buffers; `begins`: this is the first run that uses it, and the launch's only one. */
static void place_traffic(const hd_device *device, const hd_buffer_traffic *t, double bytes,
                          double hits, bool begins, hd_placement placement, hd_time_work *w,
                          link_bytes *link) {
    const double memory = t->dram_read + t->dram_written, all = t->read + t->written;
    const bool has_link = device->speed.link > 0;
    const bool is_kept = placement == HD_PLACEMENT_DEVICE || placement == HD_PLACEMENT_COARSE ||
                         (!has_link && placement == HD_PLACEMENT_HOST);
    if (!is_kept && hits > 0)
        w->l2_hits *= most(1 - t->l2_hits / hits, 0);
    if (has_link && placement != HD_PLACEMENT_DEVICE) {
        w->dram_bytes = most(w->dram_bytes - memory, 0);
        w->dram_rows = most(w->dram_rows - t->dram_rows, 0);
        link->in += is_kept ? kept_bytes(t->dram_read, t->read, bytes * w->runs, begins) : t->read;
        link->out +=
            is_kept ? kept_bytes(t->dram_written, t->written, bytes * w->runs, begins) : t->written;
    } else if (!is_kept) {
        w->dram_bytes += all - memory;
        w->dram_rows += memory > 0 ? t->dram_rows * (all / memory - 1) : 0;
    }
}

static void add_work(const hd_device *device, const hd_time_work *work, const link_bytes *link,
                     double *seconds, hd_whole_run *run) {
    hd_time_work w = *work;
    w.link_bytes = most(link->in, link->out);
    w.energy.dram_bytes = w.dram_bytes;
    w.energy.link_bytes = link->in + link->out;
    const hd_time time = hd_time_of(device, &w);
    double joules = 0;
    hd_time_joules(device, &w, 1, &time, &joules);
    hd_time_add(&run->time, &time);
    *seconds += time.seconds;
    run->link_bytes += w.energy.link_bytes;
    run->joules += joules;
}

/* Of these bytes to the device or back. */
static void add_copy(const hd_device *device, double bytes, hd_whole_run *run) {
    const bool has_link = device->speed.link > 0;
    const hd_time_work copy = {.runs = 1,
                               .blocks = device->sms,
                               .block_threads = device->warp,
                               .dram_bytes = has_link ? bytes : 2 * bytes};
    add_work(device, &copy, &(link_bytes){.in = has_link ? bytes : 0}, &run->copies, run);
}

static bool begins_with(const hd_run_counts *counts, uint32_t launch, uint32_t buffer) {
    for (uint32_t l = 0; l < launch; l++) {
        const hd_buffer_traffic *t = &counts->traffic[l * counts->buffer_count + buffer];
        if (t->read + t->written > 0)
            return false;
    }
    return counts->works[launch].runs == 1;
}

hd_whole_run hd_whole_run_with(const hd_placements_advice *p, const hd_run_counts *counts,
                               const hd_placement *placements) {
    hd_whole_run run = {0};
    for (uint32_t l = 0; l < counts->work_count; l++) {
        const hd_buffer_traffic *traffic = &counts->traffic[l * counts->buffer_count];
        hd_time_work w = counts->works[l];
        link_bytes link = {0};
        double hits = 0;
        if (!(w.runs > 0))
            continue;
        for (uint32_t b = 0; b < counts->buffer_count; b++)
            hits += traffic[b].l2_hits;
        for (uint32_t b = 0; b < counts->buffer_count; b++)
            place_traffic(p->device, &traffic[b], (double)counts->bytes[b], hits,
                          begins_with(counts, l, b), placements[b], &w, &link);
        add_work(p->device, &w, &link, &run.kernels, &run);
    }
    for (uint32_t b = 0; b < counts->buffer_count; b++) {
        const bool is_copied = placements[b] == HD_PLACEMENT_DEVICE;
        if (is_copied && p->read[b])
            add_copy(p->device, (double)counts->bytes[b], &run);
        if (is_copied && p->written[b])
            add_copy(p->device, (double)counts->bytes[b], &run);
    }
    return run;
}

/* ---- the best one --------------------------------------------------------------------------- */

static hd_placement placement_of(const hd_placements_advice *p, uint32_t buffer) {
    return p->job->buffers[buffer].placement;
}

/* Buffers share the link, so where one should live depends on where others do: each in turn is moved
 * where the run takes least then, until none is. */
static double descend(const hd_placements_advice *p, const hd_run_counts *counts,
                      hd_placement *placements) {
    hd_whole_run run = hd_whole_run_with(p, counts, placements);
    double least = hd_whole_run_value(&run, p->objective);
    bool moves = true;
    while (moves) {
        moves = false;
        for (uint32_t b = 0; b < counts->buffer_count; b++) {
            hd_placement best = placements[b];
            for (uint32_t k = 0; k <= p->priced_count; k++) {
                placements[b] = k ? p->priced[k - 1] : placement_of(p, b);
                run = hd_whole_run_with(p, counts, placements);
                const double value = hd_whole_run_value(&run, p->objective);
                if (value < least * (1 - 1e-9)) {
                    least = value;
                    best = placements[b];
                    moves = true;
                }
            }
            placements[b] = best;
        }
    }
    return least;
}

/* What gains hardly anything elsewhere goes back. */
static void put_back(const hd_placements_advice *p, const hd_run_counts *counts, double least,
                     hd_placement *placements) {
    for (uint32_t b = 0; b < counts->buffer_count; b++) {
        const hd_placement chosen = placements[b];
        placements[b] = placement_of(p, b);
        const hd_whole_run run = hd_whole_run_with(p, counts, placements);
        if (hd_whole_run_value(&run, p->objective) > least * (1 + HD_NOTICEABLE))
            placements[b] = chosen;
    }
}

/* From where the job has its buffers, and from all of them in each placement. */
static void choose(hd_arena *arena, const hd_placements_advice *p, hd_layout_placing *of) {
    const hd_run_counts *counts = &of->counts;
    const uint32_t n = counts->buffer_count;
    hd_placement *tried = hd_new_array(arena, hd_placement, n);
    double least = 0;
    of->chosen = hd_new_array(arena, hd_placement, n);
    for (uint32_t k = 0; k <= p->priced_count; k++) {
        for (uint32_t b = 0; b < n; b++)
            tried[b] = k ? p->priced[k - 1] : placement_of(p, b);
        const hd_whole_run run = hd_whole_run_with(p, counts, tried);
        if (k)
            of->all[p->priced[k - 1]] = run;
        else
            of->as_is = run;
        const double value = descend(p, counts, tried);
        if (!k || value < least * (1 - 1e-9)) {
            least = value;
            memcpy(of->chosen, tried, n * sizeof *tried);
        }
    }
    put_back(p, counts, least, of->chosen);
    of->run = hd_whole_run_with(p, counts, of->chosen);
    of->elsewhere = hd_new_array(arena, hd_whole_run, (size_t)n * HD_PLACEMENTS);
    memcpy(tried, of->chosen, n * sizeof *tried);
    for (uint32_t b = 0; b < n; b++) {
        for (uint32_t k = 0; k <= p->priced_count; k++) {
            tried[b] = k ? p->priced[k - 1] : placement_of(p, b);
            of->elsewhere[b * HD_PLACEMENTS + tried[b]] = hd_whole_run_with(p, counts, tried);
        }
        tried[b] = of->chosen[b];
    }
}

static bool moves(const hd_placements_advice *p, const hd_layout_placing *of) {
    for (uint32_t b = 0; b < of->counts.buffer_count; b++)
        if (of->chosen[b] != placement_of(p, b))
            return true;
    return false;
}

static double value_of(const hd_placements_advice *p, uint32_t layout, bool as_is) {
    const hd_layout_placing *of = &p->layouts[layout];
    return hd_whole_run_value(as_is ? &of->as_is : &of->run, p->objective);
}

/* The advised layout, unless another one takes noticeably less. */
static uint32_t least_of(const hd_placements_advice *p, bool as_is) {
    uint32_t least = p->advised;
    for (uint32_t i = 0; i < p->count; i++)
        if (value_of(p, i, as_is) <
            value_of(p, least, as_is) * (least == p->advised ? 1 - HD_NOTICEABLE : 1))
            least = i;
    return least;
}

static void decide(hd_placements_advice *p) {
    p->before = least_of(p, true);
    p->best = least_of(p, false);
    const hd_time before = {.seconds = value_of(p, p->before, true)},
                  after = {.seconds = value_of(p, p->best, false)};
    p->gain = hd_time_gain_of(&before, &after);
    p->leave = !(p->gain.low > 1) || !moves(p, &p->layouts[p->best]);
    p->best = p->leave ? p->before : p->best;
}

/* ---- counts --------------------------------------------------------------------------------- */

/* Of the job's own layout (0) with messages, of another one without. */
static hd_status count(const placer *p, uint32_t number, hd_layout_placing *of) {
    static const hd_diag silent = {0};
    const hd_recount *r = &p->advice->recount;
    const hd_recounted *known = number ? hd_recount_of(r, of->layout) : &r->original;
    if (known && known->compiled.transactions) { /* LLVM's code of all: nvcc is asked about few */
        of->counts = known->compiled;
        return HD_OK;
    }
    return hd_count_in_layout(p->arena, number ? &silent : p->diag, p->advice->job,
                              number ? of->layout : NULL, p->result->device, p->expected,
                              &p->options->evidence, &of->counts);
}

/* The layouts of the study, and the advised one: each that kernels run in. */
static hd_status count_layouts(const placer *p) {
    static const hd_diag silent = {0};
    hd_placements_advice *r = p->result;
    const hd_record *record = p->advice->job->record;
    hd_layout *da;
    const hd_layout *const layouts[] = {
        hd_layout_original(p->arena, record), p->advice->best, hd_layout_soa(p->arena, record),
        hd_layout_parse(p->arena, &silent, record, "da", &da) == HD_OK ? da : NULL};
    enum { MOST = sizeof layouts / sizeof *layouts };
    r->layouts = hd_new_array(p->arena, hd_layout_placing, MOST);
    for (uint32_t i = 0; i < MOST; i++) {
        hd_layout_placing *of = &r->layouts[r->count];
        bool is_known = !layouts[i];
        for (uint32_t k = 0; k < r->count; k++)
            is_known |= layouts[i] && hd_layout_equal(layouts[i], r->layouts[k].layout);
        if (is_known)
            continue;
        *of = (hd_layout_placing){.layout = layouts[i]};
        hd_status status = count(p, i, of);
        if (status != HD_OK && (!i || status == HD_ESYSTEM))
            return status;
        if (status != HD_OK)
            continue;
        r->advised = i == 1 ? r->count : r->advised;
        r->count++;
    }
    return HD_OK;
}

/* A copy brings what kernels read, and takes back what they write. */
static void find_directions(const placer *p) {
    hd_placements_advice *r = p->result;
    const hd_run_counts *counts = &r->layouts[0].counts;
    r->written = hd_job_written(p->arena, r->job);
    r->read = hd_new_array(p->arena, bool, r->job->buffer_count);
    for (uint32_t b = 0; b < r->job->buffer_count; b++) {
        bool is_used = false;
        for (uint32_t l = 0; l < counts->work_count; l++) {
            const hd_buffer_traffic *t = &counts->traffic[l * counts->buffer_count + b];
            r->read[b] |= t->read > 0;
            is_used |= t->read + t->written > 0;
        }
        r->written[b] = r->written[b] && is_used;
    }
}

static hd_status check(const placer *p, const hd_placement *wanted, uint32_t wanted_count) {
    hd_placements_advice *r = p->result;
    const hd_place place = {.file = r->device->source_file};
    if (!hd_time_is_known(r->device))
        return hd_fail(p->diag, HD_EINPUT, &place, "%s", hd_time_unknown(p->arena, r->device));
    if (r->objective != HD_QUANTITY_TIME && !hd_device_has_energy(r->device))
        return hd_fail(p->diag, HD_EINPUT, &place, "%s", hd_energy_unknown(p->arena, r->device));
    for (uint32_t b = 0; b < r->job->buffer_count; b++) {
        const hd_buffer *buffer = &r->job->buffers[b];
        const char *why = hd_placement_unpriced(r->device, buffer->placement);
        if (why)
            return hd_fail(p->diag, HD_EUNSUPPORTED, &buffer->place,
                           "placements cannot be priced for %s: buffer '%s' lies %s, and %s",
                           r->device->name, buffer->name, hd_placement_phrase(buffer->placement),
                           why);
    }
    r->priced = hd_new_array(p->arena, hd_placement, wanted_count);
    for (uint32_t k = 0; k < wanted_count; k++)
        if (!hd_placement_unpriced(r->device, wanted[k]))
            r->priced[r->priced_count++] = wanted[k];
    return hd_caches_check(p->diag, r->device);
}

hd_status hd_advise_placements(hd_arena *arena, const hd_diag *diag, const hd_advice *advice,
                               const hd_advise_options *options, const hd_placement *wanted,
                               uint32_t wanted_count, hd_placements_advice *result) {
    const hd_device_advice *first = &advice->devices[0];
    const placer p = {.arena = arena,
                      .diag = diag,
                      .advice = advice,
                      .options = options,
                      .expected = hd_expected_accesses(first->accesses, first->access_count),
                      .result = result};
    *result = (hd_placements_advice){
        .job = advice->job, .device = first->device, .objective = options->objective};
    hd_status status = check(&p, wanted, wanted_count);
    if (status == HD_OK && p.expected > (double)hd_evidence_limit_again(&options->evidence) &&
        !hd_part_stands_for_all(arena, advice, &options->cost))
        status =
            hd_fail(diag, HD_EUNSUPPORTED, NULL,
                    "the job is more work than is counted for placements; raise it with --run");
    if (status == HD_OK)
        status = count_layouts(&p);
    if (status != HD_OK)
        return status;
    find_directions(&p);
    for (uint32_t i = 0; i < result->count; i++)
        choose(arena, result, &result->layouts[i]);
    decide(result);
    return HD_OK;
}
