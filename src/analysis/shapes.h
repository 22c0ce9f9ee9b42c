/*
 * Shapes, measured: for every access of every launch of a job where the lanes of its requests
 * point, counted on events, so that the cost model prices any layout without a second run
 * (model/measured.h).
 *
 *     hd_shapes *shapes = hd_shapes_new(arena, diag, job, device, 0);
 *     hd_sink sink = hd_shapes_sink(shapes);           give it to any producer
 *     hd_cost_options options = {.measured = hd_shapes_result(shapes)};
 *     hd_cost_model_make(arena, diag, job, device, &options, &model);
 *     hd_shapes_free(shapes);
 */
#ifndef HD_SHAPES_H
#define HD_SHAPES_H

#include "model/measured.h"
#include "machine/event.h"

typedef struct hd_shapes hd_shapes;

/* The job must be resolved and have a record; its buffers lie as it declares them. `most_patterns`:
 * how many clumps may be kept of all launches together, if need be all of one access's (0: 131,072,
 * and of an access at most half of them; some more where launches or accesses are very many). Where
 * there are more, those of a sample of the requests are kept, which is the same whatever the order
 * of blocks and the number of threads. */
hd_shapes *hd_shapes_new(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                         const hd_device *device, uint64_t most_patterns);

/* Hears runs of the job's launches in their order: every launch once, all of its repeats, or only
 * some blocks of them. A run that is neither another repeat of the launch before nor the next
 * launch, as its name, sizes and accesses tell, is an HD_EINPUT. The first run, and one that some
 * are left out before, is told by its number, which counts all repeats. */
hd_sink hd_shapes_sink(hd_shapes *shapes);

/* Says that the next run is of this launch: where launches of one kernel and size follow each
 * other, nothing else tells whether one is repeated or the next one begins. */
void hd_shapes_next(hd_shapes *shapes, uint32_t launch);

/* What was heard so far; between launches. Lives until it is asked for again, or
 * hd_shapes_free(); models that were made of it need it no more. */
const hd_measured *hd_shapes_result(hd_shapes *shapes);
void hd_shapes_free(hd_shapes *shapes);

#endif
