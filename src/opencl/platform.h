/*
 * The platform "Heddle machine", for programs that find no OpenCL device: an OpenCL 3.0 without its
 * optional parts, whose one device is the machine. This library is its driver, too: a loader finds it
 * by clIcdGetPlatformIDsKHR().
 *
 *     platform.c            the platform and its device, contexts, what objects have in common
 *     platform_info.c       what programs are told of the device
 *     platform_program.c    programs
 *     platform_kernel.c     kernels and their arguments
 *     platform_memory.c     buffers
 *     platform_image.c      images and samplers
 *     platform_queue.c      queues, events, and commands as they are run
 *     platform_enqueue.c    commands as they are asked for
 *
 * Commands are run within the call that asks for them, unless they wait for an event of the program's
 * that it has not set: those are kept until it does. Everything is under the machine's lock; what a
 * program wants to be called back is called when that is given back.
 */
#ifndef OPENCL_PLATFORM_H
#define OPENCL_PLATFORM_H

#undef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl_icd.h>

#include "opencl/opencl_machine.h"

/* ---- objects ------------------------------------------------------------------------------------- */

typedef enum platform_kind {
    PLATFORM_NONE, /* it is gone */
    PLATFORM_ITSELF,
    PLATFORM_DEVICE,
    PLATFORM_CONTEXT,
    PLATFORM_QUEUE,
    PLATFORM_MEMORY,
    PLATFORM_PROGRAM,
    PLATFORM_KERNEL,
    PLATFORM_SAMPLER,
    PLATFORM_EVENT
} platform_kind;

/* The beginning of what every handle points to. */
typedef struct platform_object {
    const cl_icd_dispatch *dispatch; /* where loaders look for it */
    platform_kind kind;
    cl_uint held; /* how often */
} platform_object;

struct _cl_platform_id {
    platform_object object;
};

struct _cl_device_id {
    platform_object object;
};

struct _cl_context {
    platform_object object;
    cl_context_properties *properties; /* as they were given, or NULL */
    size_t properties_bytes;
};

struct _cl_mem {
    platform_object object;
    cl_context context;
    cl_mem whole; /* of a part, or of an image over a buffer, which hold it; NULL: it is none */
    cl_mem_object_type type;
    kir_image image;   /* of an image; */
    size_t row, slice; /* bytes from row to row and from sheet to sheet, with nothing between */
    size_t host_row,
        host_slice; /* of `host`, where its rows stand apart; what is mapped is copied there */
    cl_uint mapped_to_write;
    cl_mem_flags flags;
    size_t bytes, offset; /* offset: of a part */
    char *memory;
    void *host; /* that it was made with */
    cl_uint mapped;
    struct platform_callback *gone; /* to be called then */
};

struct _cl_sampler {
    platform_object object;
    cl_context context;
    cl_bool normalized;
    cl_addressing_mode address;
    cl_filter_mode filter;
    cl_sampler_properties given[7]; /* as they were, */
    size_t given_bytes;             /* or 0 */
};

struct _cl_program {
    platform_object object;
    cl_context context;
    char *text, *options, *log;
    const machine_program *built; /* NULL: not yet, or it failed */
    cl_build_status status;
    cl_program_binary_type type;
    cl_uint kernels; /* that hold it */
};

typedef struct platform_arg {
    bool is_set;
    size_t bytes;
    void *value;   /* a copy of a value */
    cl_mem memory; /* of a pointer; NULL: it is one */
} platform_arg;

struct _cl_kernel {
    platform_object object;
    cl_program program;
    hd_ptx_kernel *found;
    const kir_kernel *ir;
    uint32_t arg_count;
    platform_arg *args;
};

struct _cl_command_queue {
    platform_object object;
    cl_context context;
    cl_command_queue_properties properties;
    cl_queue_properties *given; /* as they were, or NULL */
    size_t given_bytes;
    struct platform_command *first, **last; /* that have not run */
    cl_command_queue next;                  /* of all */
};

struct _cl_event {
    platform_object object;
    cl_context context;
    cl_command_queue queue; /* NULL: it is the program's own */
    cl_command_type type;
    cl_int status;
    cl_ulong times[5]; /* ns: queued, submitted, begun, ended, complete */
    struct platform_callback *callbacks;
};

bool platform_is(const void *object, platform_kind kind);
/* The object is the platform's own, and no driver's. */
bool platform_has(const void *object);
/* New and zeroed, held once. */
void *platform_new(platform_kind kind, size_t bytes);
void *platform_hold(void *object);
/* Ends it where nobody else holds it. NULL is none. */
void platform_drop(machine *m, void *object);
cl_int platform_hold_call(void *object, platform_kind kind, cl_int error);
cl_int platform_drop_call(void *object, platform_kind kind, cl_int error);
/* The two calls that a program holds and drops objects of a type with. */
#define PLATFORM_HELD(name, type, kind, error)                      \
    static CL_API_ENTRY cl_int CL_API_CALL hold_##name(type a) {    \
        return platform_hold_call(a, kind, error);                  \
    }                                                               \
    static CL_API_ENTRY cl_int CL_API_CALL release_##name(type a) { \
        return platform_drop_call(a, kind, error);                  \
    }

/* As all calls that are asked for something give it. */
cl_int platform_give(const void *value, size_t bytes, size_t room, void *to, size_t *needs);
cl_int platform_give_text(const char *text, size_t room, void *to, size_t *needs);
/* A result through a pointer that may be NULL. */
static inline void *platform_fail(cl_int error, cl_int *to) {
    if (to)
        *to = error;
    return NULL;
}

/* A call of the program's that is due when the lock is given back. */
typedef struct platform_callback {
    struct platform_callback *next;
    cl_int when; /* the status of the event that it is for */
    void *object;
    void(CL_CALLBACK *event)(cl_event, cl_int, void *);
    void(CL_CALLBACK *memory)(cl_mem, void *);
    void(CL_CALLBACK *program)(cl_program, void *);
    void *user;
} platform_callback;

void platform_call_back(platform_callback *callback);
/* Gives the lock of the machine back. */
void platform_leave(machine *m);
cl_int platform_left(machine *m, cl_int result);

extern struct _cl_device_id platform_device;
extern struct _cl_platform_id platform_itself;

/* ---- what other files add to the table ------------------------------------------------------------- */

void platform_infos(cl_icd_dispatch *table);
void platform_programs(cl_icd_dispatch *table);
void platform_kernels(cl_icd_dispatch *table);
void platform_memories(cl_icd_dispatch *table);
void platform_images(cl_icd_dispatch *table);
void platform_queues(cl_icd_dispatch *table);
void platform_enqueues(cl_icd_dispatch *table);

/* platform_info.c */
enum {
    PLATFORM_MOST_THREADS = 1024,
    PLATFORM_ALIGN = 128,
    PLATFORM_LONGEST_ROW = 1 << 27, /* texels of an image over a buffer, */
    PLATFORM_WIDEST = 16384,        /* of one of one or two dimensions, */
    PLATFORM_DEEPEST = 2048         /* and of three, in each; layers of an array */
};
uint64_t platform_memory_size(const machine *m);

/* platform_memory.c */
bool platform_are_flags(cl_mem_flags flags);
/* Memory of a context, over a buffer or of its own; NULL: there is none left. `host` is kept where the flags
 * say that it is the memory. */
cl_mem platform_memory_new(machine *m, cl_context context, cl_mem over, cl_mem_flags flags,
                           size_t bytes, void *host);

/* platform_image.c */
kir_image platform_image_of(const cl_image_format *format, const cl_image_desc *desc);
static inline bool platform_is_image(cl_mem memory) {
    return platform_is(memory, PLATFORM_MEMORY) && memory->type != CL_MEM_OBJECT_BUFFER;
}
/* It has several images, or sheets, one behind another. */
static inline bool platform_has_sheets(cl_mem image) {
    return image->image.depth || image->image.layers;
}
/* From one of them to the next, where rows and slices of the image are so far apart; 0: it has none. The
 * images of a 1-D array are rows. */
static inline size_t platform_sheet_pitch(cl_mem image, size_t row, size_t slice) {
    return !platform_has_sheets(image)                  ? 0
           : image->type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? row
                                                        : slice;
}
/* Bytes of the host's memory that an image was made with, where its rows stand apart; else 0. */
size_t platform_host_bytes(cl_mem image);

/* ---- what objects end with: what they hold, and memory of their own ---------------------------------- */

void platform_end_memory(machine *m, cl_mem memory);
void platform_end_program(machine *m, cl_program program);
void platform_end_kernel(machine *m, cl_kernel kernel);
void platform_end_queue(machine *m, cl_command_queue queue);
void platform_end_event(machine *m, cl_event event);

/* ---- commands (platform_queue.c) ------------------------------------------------------------------- */

/* Where rows of bytes stand: bytes from row to row and from slice to slice. */
typedef struct platform_place {
    char *at;
    size_t row, slice;
} platform_place;

/* A box: bytes of a row, rows of a slice, slices. */
void platform_copy_box(machine *m, const platform_place *to, const platform_place *from,
                       const size_t region[3]);

typedef struct platform_command {
    struct platform_command *next;
    cl_event event;
    cl_uint wait_count;
    cl_event *wait;
    bool is_barrier; /* it waits for all before it, and all after it wait for it */
    cl_mem held[2];  /* memory that it needs; of a launch those of its arguments are, too */
    cl_int (*run)(machine *m, struct platform_command *command);
    /* copies and fills */
    platform_place to, from;
    size_t region[3];
    uint8_t pattern[128];
    size_t pattern_bytes;
    cl_uint *ends; /* what is counted down when it has run, or NULL */
    /* launches */
    hd_ptx_kernel *kernel;
    hd_ptx_launch_size size;
    void **args;
    cl_mem *arg_memories;
    cl_uint arg_count;
} platform_command;

/* A command of this type, or an error of the queue or the events. */
cl_int platform_command_new(cl_command_queue queue, cl_command_type type, cl_uint wait_count,
                            const cl_event *wait, platform_command **command);
/* One that is not handed in; NULL is none. */
void platform_command_free(machine *m, platform_command *command);
/* Hands it in and frees it when it has run. With `blocking` it has run afterwards; `event` may be NULL.
 * A result below 0 is that of the command. */
cl_int platform_submit(machine *m, platform_command *command, bool blocking, cl_event *event);

#endif
