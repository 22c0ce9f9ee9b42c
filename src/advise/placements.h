/*
 * Where each buffer of a job should live, without a device: in which of the placements (driver/placement.h), by
 * what a run on the machine counts of each buffer, and by the link and the memory of a device profile.
 *
 *     hd_placements_advice placed;
 *     hd_advise_placements(arena, diag, &advice, &options, wanted, wanted_count, &placed);
 *     const hd_layout_placing *best = &placed.layouts[placed.best];
 *     best->chosen[b], best->run.time.seconds       where buffer b should live; seconds of the whole run then
 *
 * A whole run goes from the host's data to the host's data. Its seconds are those of the launches
 * (model/time.h) and of the copies, which come before the first launch and after the last one:
 *
 *              the device has a link                       it shares the host's memory
 *     device   buffers that kernels read are copied        the same copies, but inside the memory:
 *              over it first, those that they write         each byte is read and written there
 *              back in the end
 *     host,    no copies; what L1 does not have is asked    host: no copies, and L2 keeps it
 *     fine     for over the link, and what is stored goes   fine: no copies, and L2 does not keep it,
 *              over it: L2 keeps none of it                  so that memory serves what it would have
 *     coarse   no copies; what L2 does not have goes        no copies, and L2 keeps it
 *              over the link, in each launch anew
 *
 * What goes over the link is whole sectors, as the caches ask for them, in each launch anew, and both
 * directions at once; it is one more bound of the launch (HD_BOUND_LINK). A copy is a launch that does
 * nothing else. Sources: NVIDIA, "CUDA C++ Best Practices Guide", Zero Copy: mapped memory is not cached on
 * the GPU; Min et al., "EMOGI", VLDB 2020: it is asked for by sectors of 32 bytes; AMD, "HIP
 * documentation", Coherence control: fine-grained memory is left uncached by the GPU, coarse-grained memory
 * is up to date only after a synchronisation; Qasem and Teich, sections II.A and IV.B, of which the
 * placements are. What calls take, and the latency of the link, is left out. docs/measure.md has an example.
 */
#ifndef HD_ADVISE_PLACEMENTS_H
#define HD_ADVISE_PLACEMENTS_H

#include "advise/advise.h"

/* From the host's data to the host's data. */
typedef struct hd_whole_run {
    hd_time time;           /* of launches and copies */
    double kernels, copies; /* seconds of them: the two parts of time.seconds */
    double link_bytes;      /* over the link, both ways; 0: there is none */
    double joules;          /* modelled, idle power included; 0: the profile has no figures */
} hd_whole_run;

/* A layout of the record, and where the buffers should live in it. Buffers are numbered as in the job. */
typedef struct hd_layout_placing {
    const hd_layout *layout;
    hd_run_counts counts;            /* with what each launch moves of each buffer */
    hd_whole_run as_is;              /* where the job has its buffers */
    hd_whole_run all[HD_PLACEMENTS]; /* all of them in one placement; zeros: it is not priced */
    hd_placement *chosen;            /* [buffer_count] */
    hd_whole_run run;                /* with these, all together */
    /* [buffer_count][HD_PLACEMENTS]: with that buffer in that placement, and the others as chosen. */
    hd_whole_run *elsewhere;
} hd_layout_placing;

typedef struct hd_placements_advice {
    const hd_job *job;
    const hd_device *device;
    hd_objective objective; /* what is least: time, energy or their product */
    hd_placement *priced;   /* in which any buffer may be put, besides where the job has it */
    uint32_t priced_count;
    /* The job's own first, then the advised one, SoA and DA, as far as kernels run in them. */
    hd_layout_placing *layouts;
    uint32_t count;
    uint32_t advised; /* which of them the advice about layouts is */
    uint32_t before;  /* which takes least where the job has its buffers */
    uint32_t best; /* which takes least with its buffers as chosen; where nothing gains `before` */
    bool *read;    /* [buffer_count]: by kernels, so that a copy brings it first */
    bool *written; /* the same: so that a copy takes it back */
    hd_time_gain gain; /* of the best one over `before` where the job has its buffers */
    bool leave;        /* that may be none, or no buffer moves */
} hd_placements_advice;

/* Why buffers in a placement cannot be priced by the profile; NULL: they can. */
const char *hd_placement_unpriced(const hd_device *device, hd_placement placement);

/* For the first device of `advice`, which was given for these options. The job is run on the machine as it is and in
 * up to three layouts, those that the advice counted excepted. Placements that cannot be priced are left out of
 * `wanted`. All of the result is the arena's. HD_EINPUT, HD_EUNSUPPORTED: the profile has no figures of time or caches,
 * the job does not run or is more than the limit of work, or a buffer of it lies in managed memory; with messages. */
hd_status hd_advise_placements(hd_arena *arena, const hd_diag *diag, const hd_advice *advice,
                               const hd_advise_options *options, const hd_placement *wanted,
                               uint32_t wanted_count, hd_placements_advice *result);

/* A run of the job, as it was counted in a layout, with its buffers so: [buffer_count]. */
hd_whole_run hd_whole_run_with(const hd_placements_advice *advice, const hd_run_counts *counts,
                               const hd_placement *placements);

/* What is least of a run: seconds, joules or their product. */
double hd_whole_run_value(const hd_whole_run *run, hd_objective objective);

#endif
