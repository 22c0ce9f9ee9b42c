/*
 * The model of time (time.h).
 *
 *     seconds that each bound alone needs
 *       DRAM              (bytes + 64 for each row of a bank that is opened) / bandwidth
 *       L2                (bytes + half of those of sectors written in part) / bandwidth
 *       link              bytes of the busier direction / bandwidth
 *       L1                bytes of transactions and of passes / bytes for a clock / clock, on the SM that
 *                         has most blocks; at least a word of each lane for a request, and a clock for
 *                         each line
 *       units, issue      instructions of warps / rate / clock, there, too
 *       latency           rounds of blocks, each as long as a warp takes that has an SM to itself
 *     seconds = (sum of their p-th powers)^(1/p) + runs x launching
 *
 * The bounds of throughput are those of a roofline with all levels (Williams, Waterman, Patterson, CACM
 * 2009; Yang, Kurth, Williams, "Hierarchical Roofline Analysis for GPUs", 2020). The one of latency is
 * Little's law the other way round: with W warps on an SM that each wait w times for L clocks, w x L / W
 * clocks are the least for a warp's share (Volkov, "Understanding Latency Hiding on GPUs", 2016; Hong and
 * Kim, ISCA 2009, whose MWP and CWP are the two ends of it). A norm joins them, since what is nearly
 * as busy as the busiest delays it; p and the few other constants were chosen once, from the
 * half of the published measurements that docs/reproduce-time.md names, and are printed there.
 */
#include "model/time.h"

#include <math.h>

/* Which of memory's peak a stream reaches. */
static const double DRAM_REACHED = 0.85;
/* Opening a row of memory takes as long as so many bytes; a sector of L2 that is written in part has to be
 * read there, too, for its ECC, which takes so much of its bytes' time. */
static const double ROW_BYTES = 64, PARTIAL = 0.5;
static const double NORM = 2;
/* A dependent instruction follows after this share of the latency of L1, and a few of a warp are
 * independent. */
static const double DEPENDENT = 0.2, INDEPENDENT = 2;
static const double BARRIER_CLOCKS = 30;
/* Of a memory that others use, too. */
static const double LOADED = 1.3;
/* Seconds from the end of a launch to the beginning of the next that is queued. */
static const double LAUNCHING = 2.5e-6;
/* Of the logarithms: how far off a time is, and a gain, four times of five. */
static const double TIME_OFF = 0.7, GAIN_OFF = 0.13, GAIN_OFF_SHARE = 0.25;
/* Times as much on AMD's GPUs: of the measurements that constants were chosen with one alone is of one of
 * them, and it is off by 1.6 times that. */
static const double OFF_ON_AMD = 2;

static const struct {
    const char *title, *rate;
} bounds[HD_BOUNDS] = {
#define BOUND(name, title, rate) [HD_BOUND_##name] = {title, rate},
    HD_TIME_BOUNDS(BOUND)
#undef BOUND
};

const char *hd_time_bound_title(hd_time_bound bound) { return bounds[bound].title; }
const char *hd_time_bound_rate(hd_time_bound bound) { return bounds[bound].rate; }

bool hd_time_is_known(const hd_device *device) {
    return hd_device_has_speed(device) && device->sms;
}

const char *hd_time_unknown(hd_arena *arena, const hd_device *device) {
    return hd_format(arena,
                     "time is not known for %s: add clock:, bandwidth:, rates: and latency: to its "
                     "profile",
                     device->name);
}

uint32_t hd_time_blocks_per_sm(const hd_device *device, const hd_time_work *w) {
    uint64_t blocks = hd_blocks_per_sm(device, w->block_threads, w->registers);
    if (w->shared && device->shared && device->shared / w->shared < blocks)
        blocks = device->shared / w->shared;
    return blocks ? (uint32_t)blocks : 1;
}

static double most(double a, double b) { return a > b ? a : b; }
static double ceil_div(double a, double b) { return ceil(a / b); }

/* A work of one run, in the units that the formulas are about. */
typedef struct shares {
    double busiest;           /* the SM with most blocks has this share of all */
    double warps, warp_lanes; /* of all blocks; lanes of a warp that are active */
} shares;

static shares shares_of(const hd_device *d, const hd_time_work *w) {
    const double blocks = (double)w->blocks;
    return (shares){.busiest = ceil_div(blocks, d->sms) / blocks,
                    .warps = blocks * ceil_div(w->block_threads, d->warp),
                    .warp_lanes = d->warp * (w->active > 0 ? w->active : 1)};
}

/* Clocks from the issue of a load to its use, on the average. */
static double latency_of(const hd_device_speed *v, const hd_time_work *w) {
    return w->l1_hits * v->l1_latency + w->l2_hits * v->l2_latency +
           (1 - w->l1_hits - w->l2_hits) * v->dram_latency;
}

/* Instructions of warps. */
static double issued(const hd_time_work *w, const shares *s) {
    return (w->fp32 + w->fp64 + w->integer + w->special + w->barriers) / s->warp_lanes +
           w->requests + w->passes;
}

/* Clocks that one warp takes for its work where it is alone. */
static double clocks_alone(const hd_device_speed *v, const hd_time_work *w, const shares *s) {
    const double per_warp = 1 / (s->warps * w->runs);
    const double waits = w->waits / s->warp_lanes * per_warp;
    const double barriers = w->barriers / s->warp_lanes * per_warp;
    return waits * LOADED * latency_of(v, w) + barriers * BARRIER_CLOCKS +
           issued(w, s) * per_warp * v->l1_latency * DEPENDENT / INDEPENDENT;
}

hd_time hd_time_of(const hd_device *device, const hd_time_work *w) {
    const hd_device_speed *v = &device->speed;
    const shares s = shares_of(device, w);
    const double hertz = v->clock * 1e6, on_sm = s.busiest / hertz;
    const double lanes = device->warp / s.warp_lanes; /* of a unit, for one that is active */
    const double at_once = hd_time_blocks_per_sm(device, w);
    const double rounds = most(ceil_div((double)w->blocks, device->sms) / at_once, 1);
    const double word = 4.0 * device->warp;
    hd_time t = {0};
    t.of[HD_BOUND_DRAM] =
        (w->dram_bytes + w->dram_rows * ROW_BYTES) / (v->dram * 1e9 * DRAM_REACHED);
    t.of[HD_BOUND_L2] = (w->l2_bytes + w->l2_partial * PARTIAL) / (v->l2 * 1e9);
    t.of[HD_BOUND_L1] = on_sm * (most(most(w->l1_bytes, w->requests * word) / v->l1, w->lines) +
                                 w->passes * word / v->l1);
    t.of[HD_BOUND_ISSUE] = on_sm * issued(w, &s) / v->issue;
    t.of[HD_BOUND_FP32] = on_sm * w->fp32 * lanes / v->fp32;
    t.of[HD_BOUND_FP64] = on_sm * w->fp64 * lanes / v->fp64;
    t.of[HD_BOUND_INTEGER] = on_sm * w->integer * lanes / v->integer;
    t.of[HD_BOUND_SPECIAL] = on_sm * w->special * lanes / v->special;
    t.of[HD_BOUND_LINK] = v->link > 0 ? w->link_bytes / (v->link * 1e9) : 0;
    t.of[HD_BOUND_LATENCY] = w->runs * rounds * clocks_alone(v, w, &s) / hertz;
    t.of[HD_BOUND_ATOMICS] = w->hottest / hertz;
    double sum = 0;
    for (int b = 0; b < HD_BOUND_LAUNCH; b++) {
        sum += pow(t.of[b], NORM);
        t.bound = t.of[b] > t.of[t.bound] ? (hd_time_bound)b : t.bound;
    }
    t.of[HD_BOUND_LAUNCH] = w->runs * LAUNCHING;
    t.seconds = pow(sum, 1 / NORM) + t.of[HD_BOUND_LAUNCH];
    if (t.of[HD_BOUND_LAUNCH] > t.of[t.bound])
        t.bound = HD_BOUND_LAUNCH;
    t.share = t.of[t.bound] / t.seconds;
    t.doubt = device->compiler == HD_COMPILER_AMDGCN ? OFF_ON_AMD : 1;
    t.low = t.seconds * exp(-TIME_OFF * t.doubt);
    t.high = t.seconds * exp(TIME_OFF * t.doubt);
    return t;
}

void hd_time_add(hd_time *sum, const hd_time *more) {
    sum->seconds += more->seconds;
    sum->low += more->low;
    sum->high += more->high;
    for (int b = 0; b < HD_BOUNDS; b++) {
        sum->of[b] += more->of[b];
        if (sum->of[b] > sum->of[sum->bound])
            sum->bound = (hd_time_bound)b;
    }
    sum->share = sum->of[sum->bound] / sum->seconds;
    sum->doubt = most(sum->doubt, more->doubt);
}

hd_time hd_time_of_all(const hd_device *device, const hd_time_work *works, uint32_t count) {
    hd_time sum = {0};
    for (uint32_t i = 0; i < count; i++) {
        if (!(works[i].runs > 0))
            continue;
        const hd_time t = hd_time_of(device, &works[i]);
        hd_time_add(&sum, &t);
    }
    return sum;
}

hd_time_gain hd_time_gain_of(const hd_time *before, const hd_time *after) {
    const double times = before->seconds / after->seconds;
    const double doubt = most(most(before->doubt, after->doubt), 1);
    const double off = doubt * (GAIN_OFF_SHARE * fabs(log(times)) + (times == 1 ? 0 : GAIN_OFF));
    return (hd_time_gain){times, times * exp(-off), times * exp(off)};
}

bool hd_time_joules(const hd_device *device, const hd_time_work *works, uint32_t count,
                    const hd_time *time, double *joules) {
    *joules = 0;
    for (uint32_t i = 0; i < count; i++) {
        double more;
        hd_energy_modelled(device, &works[i].energy, &more);
        *joules += more;
    }
    *joules += time->seconds * device->energy.idle;
    return hd_device_has_energy(device);
}
