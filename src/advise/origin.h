/*
 * Where the accesses of rewritten kernels come from: the lines of the original, its buffers and
 * the fields of its record, so that counts of several layouts can stand side by side.
 *
 * The line is told by the text that the rewriter kept (hd_rewritten_origin()), buffer and field by
 * the first address that an access reaches: one access of a rewritten kernel is one of a field.
 */
#ifndef HD_ADVISE_ORIGIN_H
#define HD_ADVISE_ORIGIN_H

#include "machine/event.h"
#include "rewrite/placed.h"
#include "rewrite/rewrite.h"

typedef struct hd_origin hd_origin;

/* For the events of placed->job, the rewritten kernels of `view`. In the view's arena. */
hd_origin *hd_origin_new(const hd_rewritten_view *view, const hd_placed_job *placed);
/* Hears every event that matters; before hd_origin_launch() of the same launch. */
hd_sink hd_origin_sink(hd_origin *origin);
/* The launch that was heard last, as one of the original's: row by row its accesses, with places,
 * buffers and fields of the original. An access that was never executed has none of the last two.
 * Valid until the next launch. */
const hd_event_launch *hd_origin_launch(const hd_origin *origin);
void hd_origin_free(hd_origin *origin);

#endif
