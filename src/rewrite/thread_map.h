/*
 * Kernels that take their work from a map: which thread's work is done where (order/orders.h).
 *
 *     kernel void k(global float *a) {
 *         size_t i = get_global_id(0);
 *
 *     kernel void k(global float *a, __global const uint *heddle_map, uint heddle_map_first) {
 *         const heddle_ids_t heddle_ids = heddle_ids_of_threads(heddle_map, heddle_map_first);
 *         size_t i = heddle_get_global_id(0);
 *
 * A kernel that is mapped gets two parameters behind its own: the numbers of all orders, and where
 * in them that of this launch begins; HD_MAP_NONE: threads do their own work. Ids are then those of
 * thread heddle_map[heddle_map_first + p], p being the number of the thread that runs: as
 * get_global_id(), get_local_id(), get_group_id() and the linear ones, in CUDA C as threadIdx and
 * blockIdx; in whatever expression, macro or device function they stand. Sizes and offsets stay.
 * Kernels that are not mapped keep their parameters, and do what they did.
 *
 * Of kernels whose threads belong together (hd_threads_stay_together()) only blocks are mapped:
 * local ids stay, and the number is read once for a block, at the place of its first thread.
 *
 * In CUDA C the new parameters have defaults, nullptr and HD_MAP_NONE, so that host code that
 * launches the kernels goes on as before until it gives them a map.
 */
#ifndef HD_REWRITE_THREAD_MAP_H
#define HD_REWRITE_THREAD_MAP_H

#include "order/orders.h"
#include "rewrite/placed.h"
#include "rewrite/rewrite.h"

#define HD_MAP_NONE UINT32_MAX

/* A kernel that is mapped. */
typedef struct hd_mapped_kernel {
    const char *name; /* in the module, "reduce<float, 256>" */
    bool whole_blocks;
} hd_mapped_kernel;

typedef struct hd_thread_map_request {
    const char *path;    /* the kernel file: .cu is CUDA C, all others OpenCL C */
    const char *options; /* the compiler's; may be NULL */
    const hd_mapped_kernel *kernels;
    uint32_t kernel_count;
} hd_thread_map_request;

/* thread_map.c: the file, and what it includes, with these kernels mapped. What cannot be rewritten
 * safely is a located HD_EUNSUPPORTED, one for every such place, and *result stays NULL. The
 * result's host_header is "". */
hd_status hd_rewrite_thread_map(hd_arena *arena, const hd_diag *diag,
                                const hd_thread_map_request *request, hd_rewritten **result);

/* ---- job_map.c: the job that goes with it ---------------------------------------------------- */

/* HD_EINPUT where an order does not fit the resolved job: there is no such launch, it is of another
 * kernel, or of other sizes, or these are read while the job runs; or threads leave their blocks in
 * a kernel where they belong together. */
hd_status hd_map_check(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                       const hd_order_file *file);

/* Whether threads of both do the same: same kernel, sizes and arguments. */
bool hd_launches_alike(const hd_launch *a, const hd_launch *b);

/* Which order launch `launch` runs in: its own, else that of the first launch that is alike: same
 * kernel, sizes and arguments. NULL: none. *first: where it begins in the map, or HD_MAP_NONE. */
const hd_launch_order *hd_map_order_of(const hd_job *job, const hd_order_file *file,
                                       uint32_t launch, uint64_t *first);
/* The map: all orders, one behind the other. Returns how many numbers these are; `numbers` may be
 * NULL. */
uint64_t hd_map_numbers(const hd_order_file *file, uint32_t *numbers);

/* The kernels of a resolved job that these orders are for. `path` and `options` are those of its
 * kernels in a layout; NULL: the job's. Checks as hd_map_check(). The result refers to `file`. */
hd_status hd_rewrite_job_map(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                             const hd_order_file *file, const char *path, const char *options,
                             hd_rewritten **result);

/* What the last buffer of a job with a map (hd_job_in_layout()), the map, holds. */
void *hd_job_map(const hd_job *mapped);

/* The C header for the host of these kernels: how many numbers there are, where the
 * order of each launch begins, and functions that read the numbers and find that. */
const char *hd_map_host_header(hd_arena *arena, const hd_job *job, const hd_order_file *file);

#endif
