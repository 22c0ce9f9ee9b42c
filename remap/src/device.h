/*
 * A device from the inside: what the strategies ask of OpenCL and of CUDA. Private.
 *
 * A back end knows queues, in which commands run in order, memory of the device and of the host,
 * and kernels. Commands of different queues may run at once; that is all that overlapping needs:
 * a chunk has a queue, in which its transfer and its kernel follow each other, and the next chunk
 * has another one.
 */
#ifndef HD_REMAP_DEVICE_H
#define HD_REMAP_DEVICE_H

#include "remap/calibrate.h"
#include "remap/kernels.h"

/* A command queue or a stream. */
typedef struct hd_remap_queue {
    void *handle;
    void *last; /* OpenCL: the event of the last command, or NULL */
} hd_remap_queue;

/* Memory of the host that transfers need no copy of. */
typedef struct hd_remap_pinned {
    void *data;
    uint64_t bytes;
    void *handle; /* OpenCL: its buffer */
} hd_remap_pinned;

/* Memory of the host, seen from the device. */
typedef struct hd_remap_shared {
    hd_remap_memory memory;
    void *host;
    uint64_t bytes;
    bool written;    /* by kernels */
    bool registered; /* CUDA: by the library, which is to undo it */
} hd_remap_shared;

/* The arguments of a remapping kernel (kernels.h). */
typedef struct hd_remap_arguments {
    const hd_remap_memory *parts;
    uint32_t part_count;
    hd_remap_memory staging;
    const hd_remap_memory *numbers; /* NULL: the kernel takes none */
    uint64_t first, count;
} hd_remap_arguments;

/* Commands return when they are queued, and are done after finish(). A function that fails has
 * told it to the device's `diag`. */
typedef struct hd_remap_backend {
    hd_remap_dialect dialect;

    hd_status (*make_queue)(hd_remap_device *device, hd_remap_queue *queue);
    void (*release_queue)(hd_remap_device *device, hd_remap_queue *queue);
    /* Lets the device begin with what is queued. */
    hd_status (*flush)(hd_remap_device *device, hd_remap_queue *queue);
    /* Waits; an error of any of the commands since the last time is reported here. */
    hd_status (*finish)(hd_remap_device *device, hd_remap_queue *queue);
    /* Waits after a failure, whatever became of the commands. */
    void (*settle)(hd_remap_device *device, hd_remap_queue *queue);
    /* Later commands of `queue` wait for what `other` has now. */
    hd_status (*follow)(hd_remap_device *device, hd_remap_queue *queue,
                        const hd_remap_queue *other);

    hd_status (*allocate)(hd_remap_device *device, uint64_t bytes, hd_remap_memory *memory);
    void (*release)(hd_remap_device *device, hd_remap_memory memory);
    /* Bytes from there to the end of the allocation; 0: it is no memory of the device's. */
    uint64_t (*size_of)(hd_remap_device *device, hd_remap_memory memory);
    hd_status (*pin)(hd_remap_device *device, uint64_t bytes, hd_remap_pinned *pinned);
    void (*unpin)(hd_remap_device *device, hd_remap_pinned *pinned);
    bool (*is_pinned)(hd_remap_device *device, const void *host);
    hd_status (*share)(hd_remap_device *device, void *host, uint64_t bytes, bool written,
                       hd_remap_shared *shared);
    /* What kernels have written there is seen by the host afterwards, unless they failed. */
    hd_status (*unshare)(hd_remap_device *device, hd_remap_queue *queue, bool failed,
                         hd_remap_shared *shared);

    hd_status (*write)(hd_remap_device *device, hd_remap_queue *queue, hd_remap_memory to,
                       const void *from, uint64_t bytes);
    hd_status (*read)(hd_remap_device *device, hd_remap_queue *queue, void *to,
                      hd_remap_memory from, uint64_t bytes);
    hd_status (*copy)(hd_remap_device *device, hd_remap_queue *queue, hd_remap_memory to,
                      hd_remap_memory from, uint64_t bytes);

    hd_status (*build)(hd_remap_device *device, const char *text, void **kernel);
    void (*release_kernel)(hd_remap_device *device, void *kernel);
    hd_status (*launch)(hd_remap_device *device, hd_remap_queue *queue, void *kernel,
                        const hd_remap_launch *launch, const hd_remap_arguments *arguments);
} hd_remap_backend;

/* Chunks that are under way at once. */
enum { HD_REMAP_SLOTS = 3, HD_REMAP_KEPT = 64 << 20, HD_REMAP_SAMPLE = 1 << 22 };

/* What a chunk needs while it is under way. Its memory is kept from call to call, as long as there
 * are at most `kept_bytes` of a kind. */
typedef struct hd_remap_slot {
    hd_remap_queue queue;
    hd_remap_memory staging, numbers;
    uint64_t staging_bytes, numbers_bytes; /* 0: not there */
    hd_remap_pinned pinned;
} hd_remap_slot;

/* A compiled kernel, found again by its text. */
typedef struct hd_remap_built {
    char *text;
    void *kernel;
    uint64_t used; /* when, in calls of hd_remap_kernel_of() */
} hd_remap_built;
enum { HD_REMAP_BUILT = 64 };

struct hd_remap_device {
    hd_arena *arena;
    const hd_remap_backend *backend;
    void *state; /* the back end's */
    const char *name, *driver;
    bool is_processor;   /* runs on the host's cores */
    uint64_t most_bytes; /* of an allocation; 0: not known */
    bool is_unified;     /* its memory is the host's, so nothing is gained by pinning */
    const hd_diag *diag; /* of the call */
    uint64_t changed; /* bytes at the front of the host's memory that the call may have changed */
    hd_remap_slot slots[HD_REMAP_SLOTS];
    void *host_parts; /* where the host remaps */
    uint64_t host_bytes;
    hd_remap_built built[HD_REMAP_BUILT];
    uint64_t kernels_asked;
    uint64_t kept_bytes;       /* what a slot keeps of a kind of memory from call to call */
    hd_remap_figures *figures; /* as far as they are known */
    uint32_t sample_elements;  /* that they are measured on */
};

/* ---- device.c -------------------------------------------------------------------- */

/* A device with nothing but its arena and back end. */
hd_remap_device *hd_remap_device_new(const hd_diag *diag, const hd_remap_backend *backend);
/* Makes its queues, or closes it. */
hd_status hd_remap_device_finish(hd_remap_device *device, hd_status status,
                                 hd_remap_device **result);

/* Reports that `doing` failed with the driver's `error`, and which bytes of the host's memory may
 * have changed. */
hd_status hd_remap_device_fail(const hd_remap_device *device, const char *error, const char *doing,
                               ...) __attribute__((format(printf, 3, 4)));

/* The kernel of a program's text; it lives as long as the call. Where the text has code that is
 * the program's own, it is HD_EINPUT when it does not compile. */
hd_status hd_remap_build(hd_remap_device *device, const char *text, bool is_own, void **kernel);
/* The map's kernel; it lives as long as the call. */
hd_status hd_remap_kernel_of(hd_remap_device *device, const hd_remap *map,
                             hd_remap_direction direction, const hd_remap_tuning *tuning,
                             void **kernel);

/* Makes the staging memory of a slot at least so large. */
hd_status hd_remap_slot_staging(hd_remap_device *device, hd_remap_slot *slot, uint64_t bytes);
hd_status hd_remap_slot_numbers(hd_remap_device *device, hd_remap_slot *slot, uint64_t bytes);
hd_status hd_remap_slot_pinned(hd_remap_device *device, hd_remap_slot *slot, uint64_t bytes);
/* Lets go of what is too large to be kept. */
void hd_remap_slots_trim(hd_remap_device *device);
/* Waits for all queues, whatever became of them. */
void hd_remap_device_settle(hd_remap_device *device);

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

/* ---- plan.c ------------------------------------------------------------------------ */

/* The strategy that is expected to take the least time, `but` left out. */
hd_remap_strategy hd_remap_least(const hd_remap_choice *choice, hd_remap_strategy but);

#endif
