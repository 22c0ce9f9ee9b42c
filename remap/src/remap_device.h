/*
 * A device from the inside: what is kept of it from call to call. Private.
 *
 * The device itself is driver/compute.h's. Commands of different queues may run at once; that is
 * all that overlapping needs: a chunk has a queue, in which its transfer and its kernel follow each
 * other, and the next chunk has another one.
 */
#ifndef HD_REMAP_DEVICE_H
#define HD_REMAP_DEVICE_H

#include "driver/compute.h"
#include "remap/calibrate.h"
#include "remap/remap_kernels.h"

_Static_assert(sizeof(hd_remap_memory) == sizeof(hd_compute_memory), "both are 64 bits");

/* Chunks that are under way at once. */
enum { HD_REMAP_SLOTS = 3, HD_REMAP_KEPT = 64 << 20, HD_REMAP_SAMPLE = 1 << 22 };

/* What a chunk needs while it is under way. Its memory is kept from call to call, as long as there
 * are at most `kept_bytes` of a kind. */
typedef struct hd_remap_slot {
    hd_compute_queue queue;
    hd_compute_memory staging, numbers;
    uint64_t staging_bytes, numbers_bytes; /* 0: not there */
    hd_compute_pinned pinned;
} hd_remap_slot;

/* A compiled kernel, found again by its text. */
typedef struct hd_remap_built {
    char *text;
    hd_compute_program *program;
    void *kernel;
    uint64_t used; /* when, in calls of hd_remap_kernel_of() */
} hd_remap_built;
enum { HD_REMAP_BUILT = 64 };

struct hd_remap_device {
    hd_arena *arena;
    hd_compute *gpu;
    const hd_diag *diag; /* of the call */
    uint64_t changed; /* bytes at the front of the host's memory that the call may have changed */
    hd_remap_slot slots[HD_REMAP_SLOTS];
    void *host_parts; /* where the host remaps */
    uint64_t host_bytes;
    hd_remap_built built[HD_REMAP_BUILT];
    uint64_t kernels_asked, kernels_built;
    uint64_t kept_bytes;              /* what a slot keeps of a kind of memory from call to call */
    hd_remap_figures *figures;        /* as far as they are known */
    uint32_t sample_elements;         /* that they are measured on */
    bool measured[HD_REMAP_KINDS][2]; /* kinds and directions, since it was opened */
    bool is_shared;        /* the host works beside it, so that times of moves tell nothing */
    double (*clock)(void); /* seconds */
};

/* ---- remap_device.c -------------------------------------------------------------------- */

/* HD_OK for NULL; otherwise reports that what device->gpu->doing says failed with this error, and
 * which bytes of the host's memory may have changed. */
hd_status hd_remap_check(const hd_remap_device *device, const char *error);

/* In the first `count` slots: the staging memory, the numbers and the pinned memory at least so
 * large. */
hd_status hd_remap_make_slots(hd_remap_device *device, uint64_t count, uint64_t staging,
                              uint64_t numbers, uint64_t pinned);
/* HD_EUNSUPPORTED with the reason where the device lacks it. */
hd_status hd_remap_check_placement(const hd_diag *diag, hd_remap_device *device,
                                   hd_remap_placement placement);
/* That of all parts; HD_REMAP_IN_DEVICE where they lie in several. */
hd_remap_placement hd_remap_placement_of(const hd_remap_device *device, const hd_remap *map,
                                         const hd_remap_memory memory[]);
/* Lets go of what is too large to be kept. */
void hd_remap_slots_trim(hd_remap_device *device);
/* Waits for all queues, whatever became of them. */
void hd_remap_device_settle(hd_remap_device *device);

/* The kernel of a program's text; it lives as long as the call. Where the text has code that is
 * the program's own, it is HD_EINPUT when it does not compile. */
hd_status hd_remap_build(hd_remap_device *device, const char *text, bool is_own, void **kernel);
static inline hd_remap_dialect hd_remap_dialect_of(const hd_remap_device *device) {
    return device->gpu->api == &hd_compute_cuda ? HD_REMAP_CUDA_C : HD_REMAP_OPENCL_C;
}
/* The map's kernel; it lives as long as the call. */
hd_status hd_remap_kernel_of(hd_remap_device *device, const hd_remap *map,
                             hd_remap_direction direction, const hd_remap_tuning *tuning,
                             void **kernel);

/* Queues a kernel for `count` units from `first` on; `numbers` is 0 for one that takes none. */
hd_status hd_remap_launch_kernel(hd_remap_device *device, hd_compute_queue *queue, void *kernel,
                                 const hd_compute_launch *shape, const hd_remap_memory *parts,
                                 uint32_t part_count, hd_compute_memory staging,
                                 hd_compute_memory numbers, uint64_t first, uint64_t count);

/* As hd_remap_open_opencl(), for a layer between a program and its driver, whose calls these are. */
struct _cl_icd_dispatch;
hd_status hd_remap_open_in_layer(const hd_diag *diag, const struct _cl_icd_dispatch *calls,
                                 struct _cl_context *context, struct _cl_device_id *id,
                                 hd_remap_device **device);

/* ---- compare.c ------------------------------------------------------------------- */

/* That the device code of a program's own map gives the places that its function gave; looks only
 * the first time. */
hd_status hd_remap_compare(hd_remap_device *device, const hd_remap *map);

/* ---- pipeline.c ------------------------------------------------------------------ */

/* Parts of a move, for measuring them; they may be combined. */
enum {
    HD_REMAP_WHOLE = 0,
    HD_REMAP_ONLY_TRANSFERS = 1, /* chunks, but no kernels */
    HD_REMAP_ONLY_REMAPS = 2,    /* kernels on what the staging memory holds; an index still goes */
    HD_REMAP_FROM_PINNED = 4     /* the host's memory is pinned, although the driver cannot tell */
};

/* One way or the other, by a strategy that is named, with nothing checked. */
hd_status hd_remap_move(const hd_diag *diag, hd_remap_device *device, const hd_remap *map,
                        hd_remap_direction direction, const hd_remap_memory memory[], void *host,
                        const hd_remap_options *options, unsigned extent);

/* The first `count` elements of a map of a layout that has room for more, within the device. */
hd_status hd_remap_some_on_device(const hd_diag *diag, hd_remap_device *device, const hd_remap *map,
                                  hd_remap_direction direction, uint64_t count,
                                  const hd_remap_memory parts[], hd_remap_memory source);

/* ---- remap_plan.c ------------------------------------------------------------------------ */

/* What each strategy is expected to take by these figures, and chunks and parts. */
void hd_remap_expect(const hd_remap_device *device, const hd_remap_figures *figures,
                     const hd_remap *map, hd_remap_direction direction, hd_remap_choice *choice);
/* The strategy that is expected to take the least time, `but` left out. */
hd_remap_strategy hd_remap_least(const hd_remap_choice *choice, hd_remap_strategy but);

#endif
