/*
 * A job in a layout: what the rewritten kernels are run on.
 *
 * A rewritten kernel takes the allocations of a layout instead of an array of records
 * (rewrite.h). Here the rest of the job follows: each buffer of the record becomes a
 * buffer of bytes for each allocation, and each argument that was such a buffer becomes
 * those buffers in order and the number of elements. Whoever runs jobs, the machine or
 * an OpenCL device, runs this one like any other.
 *
 *     hd_job_in_layout(arena, diag, job, layouts, layout_count, NULL, module, &placed);
 *     hd_placed_scatter(arena, placed, contents, inputs);
 *     run placed->job from `inputs` to `outputs`
 *     hd_placed_gather(arena, placed, outputs, results);
 */
#ifndef HD_REWRITE_PLACED_H
#define HD_REWRITE_PLACED_H

#include "job/job.h"
#include "layout/layout.h"
#include "order/orders.h"

/* Where a buffer of the original job is now. */
typedef struct hd_placed_buffer {
    const hd_map *map; /* NULL: as it was, in C's layout */
    uint32_t first;    /* number in the new job of the first of its buffers */
    uint32_t count;    /* of them: the map's allocations, or 1 */
    /* Of a record of arrays, whose fields' buffers share the allocations: which of its
     * fields the buffer is; else NULL. */
    const hd_job_arrays *arrays;
    uint32_t field;
} hd_placed_buffer;

typedef struct hd_placed_job {
    const hd_job *original;
    hd_job *job;               /* resolved; has no record to lay out */
    hd_placed_buffer *buffers; /* [original->buffer_count] */
} hd_placed_job;

/* The resolved job `original` with the buffers of these records in these layouts. `module` holds
 * the rewritten kernels; NULL where only somebody else compiles them: then the new
 * launches have no `kernel`. Arguments stand in the order of the kernels' parameters.
 * With no layouts all stays as it is. Fails as hd_map_make() does, and when the
 * module's kernels do not take what this layout gives.
 * With `orders` (NULL: none) threads are mapped (thread_map.h): the last buffer, `heddle_map`, holds all
 * orders, and each launch of a mapped kernel has two arguments more; launches without an order get
 * HD_MAP_NONE. HD_EUNSUPPORTED: the orders are more than 2^32 - 2 numbers together. */
hd_status hd_job_in_layout(hd_arena *arena, const hd_diag *diag, const hd_job *original,
                           const hd_record_layout *layouts, uint32_t layout_count,
                           const hd_order_file *orders, const kir_module *module,
                           hd_placed_job **placed);

/* What byte `byte` of buffer `buffer` of the new job was: *original is the original's buffer, *field
 * the field of its record as declared, -1 for a buffer that stayed as it was and for one that is
 * itself a field of a record of arrays. False: it is padding. */
bool hd_placed_find(const hd_placed_job *placed, uint32_t buffer, uint64_t byte, uint32_t *original,
                    int32_t *field);

/* From the bytes of the original's buffers, in C's layout, those of the new job's, and
 * back. Buffers that stayed as they were are borrowed from `from`; what is made has
 * zeros for padding. `to` has an entry for each buffer of the job that it is for. */
void hd_placed_scatter(hd_arena *arena, const hd_placed_job *placed, void *const *from, void **to);
void hd_placed_gather(hd_arena *arena, const hd_placed_job *placed, void *const *from, void **to);

#endif
