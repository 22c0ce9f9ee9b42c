/*
 * Devices that run kernels, through OpenCL or through CUDA, by one table of functions. Both are
 * opened at run time, so nothing is linked with either.
 *
 *     hd_compute_opencl.open(arena, "0:1", &gpu);          a context of our own, or
 *     hd_compute_join_opencl(arena, NULL, context, ...);   that of the program that we are part of
 *     gpu->api->make_queue(gpu, false, &queue);
 *     gpu->api->build(gpu, &source, &program);
 *     gpu->api->load(gpu, program);
 *     gpu->api->get_kernel(gpu, program, "scale", 0, &kernel);
 *     gpu->api->launch(gpu, &queue, kernel, &(hd_compute_launch){...}, arguments, 2, NULL);
 *     gpu->api->finish(gpu, &queue);
 *
 * Functions that can fail return NULL, or the name that the driver gives the error
 * ("CL_OUT_OF_RESOURCES"); then gpu->doing says what was tried ("allocate 64 bytes"), as the end
 * of "cannot ...". Commands return when they are queued, and are done after finish(). Commands of a
 * queue run in order, those of different queues may run at once. One thread at a time uses a
 * device.
 */
#ifndef HD_DRIVER_COMPUTE_H
#define HD_DRIVER_COMPUTE_H

#include "driver/placement.h"

typedef struct hd_compute_api hd_compute_api;
typedef struct hd_compute_program hd_compute_program;

/* A device of a list. */
typedef struct hd_compute_device {
    const char *backend; /* "opencl", "cuda" */
    const char *id;      /* "0:1" is device 1 of OpenCL's platform 0, "cuda:0" CUDA's first; "" of
                            a context that was joined */
    const char *platform, *name, *driver;
    bool is_processor; /* it runs kernels on this machine's processor */
} hd_compute_device;

/* A device that is open. */
typedef struct hd_compute {
    const hd_compute_api *api;
    hd_compute_device device;
    const char *architecture; /* CUDA: "90" for compute capability 9.0 */
    const char *no_compiler;  /* why it compiles nothing and how to mend that, or NULL */
    uint32_t units;           /* compute units, multiprocessors; at least 1 */
    uint64_t most_bytes;      /* of an allocation; 0: not known */
    bool is_unified;          /* its memory is the host's, so nothing is gained by pinning */
    char doing[128];          /* what failed last */
    char *log;                /* what the compiler said of the last build if that failed, or NULL */
    struct driver_in_place *in_place; /* memory that is not the device's own, or NULL */
} hd_compute;

/* Memory that kernels use: a cl_mem, or an address (CUdeviceptr, shared virtual memory). 0: none. */
typedef uint64_t hd_compute_memory;

typedef struct hd_compute_queue {
    void *handle;
    void *last; /* OpenCL: the event of the last command, or NULL */
} hd_compute_queue;

/* Memory of the host that transfers need no copy of. */
typedef struct hd_compute_pinned {
    void *data;
    uint64_t bytes;
    void *handle; /* OpenCL: its buffer */
} hd_compute_pinned;

/* Memory of the host, seen from the device. */
typedef struct hd_compute_shared {
    hd_compute_memory memory;
    void *host;
    uint64_t bytes;
    bool written;    /* by kernels */
    bool registered; /* CUDA: by share(), so unshare() undoes it */
} hd_compute_shared;

/* A program's text. */
typedef struct hd_compute_source {
    const char *file, *text;
    const char *const *options; /* the compiler's; of OpenCL words with blanks are quoted already */
    uint32_t option_count;
    /* CUDA: the kernels, templates with their arguments, and variables as "&name" that are asked
     * for later. A name that begins with _Z is a symbol itself. */
    const char *const *names;
    uint32_t name_count;
} hd_compute_source;

typedef struct hd_compute_launch {
    uint32_t dims;
    uint64_t offset[3], global[3], local[3]; /* work-items; of a CUDA launch no offset */
    uint32_t shared;                         /* CUDA: bytes of dynamic shared memory */
} hd_compute_launch;

/* An image of OpenCL; sizes that it has not are 0, `order` and `type` are its numbers. */
typedef struct hd_compute_image {
    uint64_t width, height, depth, layers;
    uint32_t order, type;
    bool is_of_buffer;
} hd_compute_image;

/* A sampler of OpenCL, by the modes of its kernels' language. */
typedef struct hd_compute_sampler {
    bool is_normalized, is_linear;
    uint32_t mode; /* 0: none, 1: clamp to edge, 2: clamp, 3: repeat, 4: mirrored repeat */
} hd_compute_sampler;

typedef struct hd_compute_argument {
    const void *value; /* an hd_compute_memory, or a scalar or struct; NULL: local memory */
    size_t bytes;
    bool is_memory; /* the former; to be said of memory in place, which OpenCL sets differently */
} hd_compute_argument;

/* What a driver may tell of its device. */
typedef enum hd_compute_figure {
    HD_COMPUTE_WARP,      /* work-items that execute an instruction together */
    HD_COMPUTE_GROUP,     /* work-items of a group, at most */
    HD_COMPUTE_LOCAL,     /* bytes of local (shared) memory of a group */
    HD_COMPUTE_ITEMS,     /* work-items that a compute unit (SM) holds at once */
    HD_COMPUTE_GROUPS,    /* groups that it holds at once */
    HD_COMPUTE_REGISTERS, /* its 32-bit registers */
    HD_COMPUTE_L2,        /* bytes of the cache that the device shares */
    HD_COMPUTE_FIGURES
} hd_compute_figure;

/* The time of a launch. */
typedef struct hd_compute_timer {
    void *events[2];
} hd_compute_timer;

struct hd_compute_api {
    const char *name, *title; /* "opencl", "OpenCL" */

    /* The devices there are; where there are none, *missing says what is missing and how to mend
     * it. */
    hd_compute_device *(*list)(hd_arena *arena, uint32_t *count, const char **missing);
    /* The device of this id, with a context of its own, which in CUDA is the primary one and
     * becomes the thread's current one. NULL in *gpu after a failure. */
    const char *(*open)(hd_arena *arena, const char *id, hd_compute **gpu);
    /* All else is to be released before. The memory is the arena's. */
    void (*close)(hd_compute *gpu);
    /* A figure, of which *query is the driver's name ("CL_DEVICE_MAX_WORK_GROUP_SIZE"); 0: the
     * driver does not tell. Some are told of a kernel alone, which may be NULL. */
    uint64_t (*ask)(hd_compute *gpu, void *kernel, hd_compute_figure figure, const char **query);

    /* A timed queue is one whose launches may have timers. */
    const char *(*make_queue)(hd_compute *gpu, bool timed, hd_compute_queue *queue);
    void (*release_queue)(hd_compute *gpu, hd_compute_queue *queue);
    /* Lets the device begin with what is queued. */
    const char *(*flush)(hd_compute *gpu, hd_compute_queue *queue);
    /* Waits; an error of any of the commands since the last time is reported here. */
    const char *(*finish)(hd_compute *gpu, hd_compute_queue *queue);
    /* Waits after a failure, whatever became of the commands. */
    void (*settle)(hd_compute *gpu, hd_compute_queue *queue);
    /* Later commands of `queue` wait for what `other` has now. */
    const char *(*follow)(hd_compute *gpu, hd_compute_queue *queue, const hd_compute_queue *other);

    /* Why the device has no memory in this placement, as the end of "it has none: "; NULL: it
     * has. */
    const char *(*lacks)(hd_compute *gpu, hd_placement placement);
    /* In a placement that is not lacking. What is in place is the device's first. */
    const char *(*allocate)(hd_compute *gpu, hd_placement placement, uint64_t bytes,
                            hd_compute_memory *memory);
    /* Texels lie row by row for write(), read() and copy(). CUDA has none. */
    const char *(*make_image)(hd_compute *gpu, const hd_compute_image *image,
                              hd_compute_memory *memory);
    /* *handle is the value of an argument. */
    const char *(*make_sampler)(hd_compute *gpu, const hd_compute_sampler *sampler, void **handle);
    void (*release_sampler)(hd_compute *gpu, void *handle);
    void (*release)(hd_compute *gpu, hd_compute_memory memory);
    /* Memory in place changes hands. After finish() the host may use it at *host, and no command
     * may. */
    const char *(*to_host)(hd_compute *gpu, hd_compute_queue *queue, hd_compute_memory memory,
                           void **host);
    /* Later commands of the queue may use it, and the host may not; `written`: they may write. */
    const char *(*to_device)(hd_compute *gpu, hd_compute_queue *queue, hd_compute_memory memory,
                             bool written);
    /* Bytes from there to the end of the allocation; 0: it is no memory of the context's. */
    uint64_t (*size_of)(hd_compute *gpu, hd_compute_memory memory);
    /* Of the device's memory; what is free is not known to OpenCL, which says all. */
    const char *(*memory_info)(hd_compute *gpu, uint64_t *free_bytes, uint64_t *all);
    const char *(*pin)(hd_compute *gpu, hd_compute_queue *queue, uint64_t bytes,
                       hd_compute_pinned *pinned);
    void (*unpin)(hd_compute *gpu, hd_compute_queue *queue, hd_compute_pinned *pinned);
    bool (*is_pinned)(hd_compute *gpu, const void *host);
    const char *(*share)(hd_compute *gpu, void *host, uint64_t bytes, bool written,
                         hd_compute_shared *shared);
    /* What kernels have written there is seen by the host afterwards, unless they failed. */
    const char *(*unshare)(hd_compute *gpu, hd_compute_queue *queue, bool failed,
                           hd_compute_shared *shared);

    /* Of memory that the device has, in any placement, from byte `first` on. */
    const char *(*write)(hd_compute *gpu, hd_compute_queue *queue, hd_compute_memory to,
                         uint64_t first, const void *from, uint64_t bytes);
    const char *(*read)(hd_compute *gpu, hd_compute_queue *queue, void *to, hd_compute_memory from,
                        uint64_t first, uint64_t bytes);
    const char *(*copy)(hd_compute *gpu, hd_compute_queue *queue, hd_compute_memory to,
                        hd_compute_memory from, uint64_t bytes);

    /* Compiles for the device. After a failure *program is NULL, and gpu->log may say more. */
    const char *(*build)(hd_compute *gpu, const hd_compute_source *source,
                         hd_compute_program **program);
    /* What was built becomes ready. Once more: kernels and variables are to be asked for again, and
     * in CUDA variables have their first values again. */
    const char *(*load)(hd_compute *gpu, hd_compute_program *program);
    /* Kernels live as long as their program is loaded. `shared` is as in hd_compute_launch. */
    const char *(*get_kernel)(hd_compute *gpu, hd_compute_program *program, const char *name,
                              uint32_t shared, void **kernel);
    /* CUDA: a variable "&name" of the source's. */
    const char *(*get_variable)(hd_compute *gpu, hd_compute_program *program, const char *name,
                                hd_compute_memory *memory, uint64_t *bytes);
    void (*release_program)(hd_compute *gpu, hd_compute_program *program);
    /* Work-items that a group of the kernel may have; 0: not known. */
    uint64_t (*most_items)(hd_compute *gpu, void *kernel);
    /* `timer` may be NULL; otherwise release it, also after a failure. */
    const char *(*launch)(hd_compute *gpu, hd_compute_queue *queue, void *kernel,
                          const hd_compute_launch *launch, const hd_compute_argument *arguments,
                          uint32_t argument_count, hd_compute_timer *timer);
    /* After finish(): seconds by the device's clock. */
    const char *(*elapsed)(hd_compute *gpu, const hd_compute_timer *timer, double *seconds);
    void (*release_timer)(hd_compute *gpu, hd_compute_timer *timer);
};

/* The table of a driver's file, whose functions have these names. */
#define HD_COMPUTE_API(name_text, title_text) \
    {.name = name_text,                       \
     .title = title_text,                     \
     .list = list_devices,                    \
     .open = open_device,                     \
     .close = close_device,                   \
     .ask = ask,                              \
     .make_queue = make_queue,                \
     .release_queue = release_queue,          \
     .flush = flush,                          \
     .finish = finish,                        \
     .settle = settle,                        \
     .follow = follow,                        \
     .lacks = lacks,                          \
     .allocate = allocate,                    \
     .make_image = make_image,                \
     .make_sampler = make_sampler,            \
     .release_sampler = release_sampler,      \
     .release = release,                      \
     .to_host = to_host,                      \
     .to_device = to_device,                  \
     .size_of = size_of,                      \
     .memory_info = memory_info,              \
     .pin = pin,                              \
     .unpin = unpin,                          \
     .is_pinned = is_pinned,                  \
     .share = share,                          \
     .unshare = unshare,                      \
     .write = write_memory,                   \
     .read = read_memory,                     \
     .copy = copy,                            \
     .build = build,                          \
     .load = load,                            \
     .get_kernel = get_kernel,                \
     .get_variable = get_variable,            \
     .release_program = release_program,      \
     .most_items = most_items,                \
     .launch = launch,                        \
     .elapsed = elapsed,                      \
     .release_timer = release_timer}

extern const hd_compute_api hd_compute_opencl, hd_compute_cuda;

/* That of this name; any name but "cuda" is OpenCL's. */
static inline const hd_compute_api *hd_compute_named(const char *name) {
    return strcmp(name, hd_compute_cuda.name) ? &hd_compute_opencl : &hd_compute_cuda;
}

/* Where memory lives that allocate() gave; of other memory HD_PLACEMENT_DEVICE. */
hd_placement hd_compute_placement(const hd_compute *gpu, hd_compute_memory memory);

/* A device in a context that is not ours, which must outlive it. HD_ESYSTEM: *why is what is
 * missing, or the driver's name of the error; HD_EINPUT: the context does not have the device, or
 * no CUDA context is current in this thread. */
struct _cl_context;
struct _cl_device_id;
struct _cl_icd_dispatch;
/* `calls` are those of a layer, between program and driver; NULL: the loader's. */
hd_status hd_compute_join_opencl(hd_arena *arena, const struct _cl_icd_dispatch *calls,
                                 struct _cl_context *context, struct _cl_device_id *id,
                                 hd_compute **gpu, const char **why);
hd_status hd_compute_join_cuda(hd_arena *arena, hd_compute **gpu, const char **why);

/* Of a device of OpenCL's: what those need who call OpenCL beside this. */
void hd_compute_opencl_context(const hd_compute *gpu, struct _cl_context **context,
                               struct _cl_device_id **id);

#endif
