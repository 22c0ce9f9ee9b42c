/*
 * Programs whose kernels and buffers are in other layouts (docs/layer.md).
 *
 * A buffer of the program stays what the program sees. Beside it there may be *views*: a part of it, as
 * elements of a record, in a layout. A kernel in that layout gets the view. Of the two forms at least one
 * is right at any time: a view is *valid* where it has what the program wrote, and *dirty* where it has what
 * the buffer lacks. Only kernels make views dirty; everything else that touches a buffer settles it first.
 */
#ifndef OPENCL_APPLY_H
#define OPENCL_APPLY_H

#include "heddle/remap.h"
#include "opencl/layer.h"

typedef struct layer_gap {
    size_t offset, bytes;
} layer_gap;

/* A record in a layout; kernels that have it alike share it, and views. */
typedef struct layer_layout {
    const char *key; /* all of it, as text */
    const char *record, *notation;
    hd_remap_record fields;
    const char **types;       /* of the fields */
    hd_vec(layer_gap) gaps;   /* bytes of the record that are no field's */
    uint64_t to, back, bytes; /* conversions so far */
    double seconds;
} layer_layout;

typedef struct layer_exchange layer_exchange;
typedef struct layer_race layer_race;

typedef struct layer_reason {
    const char *why;
    uint64_t launches;
} layer_reason;

/* A kernel of the program in its other form. */
typedef struct layer_exchanged {
    cl_kernel kernel;
    const char *name;
    const layer_exchange *of;
    uint32_t param_count;
    layer_layout **laid;          /* [param_count]; NULL: the parameter stays */
    bool prints;                  /* so that it may not run twice */
    const char *why;              /* it is not taken any more; NULL: it is */
    uint64_t launches, exchanged; /* of the program; those in the other form */
    uint32_t trials;              /* launches that ran both ways, */
    double seconds[2];            /* what both forms took in those that were timed, */
    uint32_t timed;               /* so many */
    bool differs;
    double difference;            /* the largest relative one of numbers that were compared */
    uint64_t compared;            /* bytes */
    hd_vec(layer_reason) reasons; /* for launches as before */
} layer_exchanged;

/* A device in a context, with a queue of the layer's own. */
typedef struct layer_device {
    cl_context context;
    cl_device_id id;
    cl_command_queue queue;
    hd_remap_device *remap;
    bool is_processor; /* which the host converts for: no kernels are to be compiled */
} layer_device;

typedef struct layer_apply {
    hd_arena *arena;
    const char *layouts;             /* as they are given, in words; NULL: races decide */
    struct layer_recorder *recorder; /* for races */
    struct json_t *known;            /* answers of runs before */
    hd_vec(layer_program *) racing;
    const char *results; /* a folder; NULL: what came of it is said */
    int pid;
    bool verifies;
    double converting; /* seconds of all conversions so far, those of trials, too */
    bool in_trial;     /* conversions of trials are not the program's */
    const char *off;   /* why nothing is exchanged any more */
    hd_diag diag;
    const char *message; /* the last one */
    hd_vec(layer_layout *) all;
    hd_vec(layer_exchanged *) kernels;
    hd_vec(const char *) refused; /* programs whose kernels were not rewritten: why */
    hd_vec(layer_whole *) viewed;
    hd_vec(struct layer_device *) devices;
} layer_apply;

/* exchanged.c: the program in these layouts from now on. `made`: what that came to in a run before;
 * NULL: it is made now, which takes some tenths of a second. */
struct json_t;
layer_exchange *layer_exchange_new(layer *l, layer_program *program, const char *layouts,
                                   struct json_t *made);
/* Kernels of a program stay as they are: said once for each reason. */
void layer_refuse(layer_apply *apply, const char *why);
/* Seconds that the driver takes to build it once more, when it knows the text. */
double layer_exchange_again(layer *l, const layer_program *program, const layer_exchange *exchange);
const char *layer_exchange_layouts(const layer_exchange *exchange);
/* What it came to; NULL: to nothing. Stays the layer's. */
struct json_t *layer_exchange_made(const layer_exchange *exchange);
/* NULL, or the kernel in its other form. */
layer_exchanged *layer_exchanged_of(layer *l, cl_kernel handle, layer_kernel *kernel);

/* views.c */
typedef struct layer_view {
    layer_layout *layout;
    size_t offset, bytes; /* the part of the buffer */
    uint64_t count, room; /* elements; those that the map has room for */
    hd_remap *map;
    hd_remap_memory *parts;
    layer_device *device;
    bool is_valid, is_dirty;
    struct layer_view *next;
} layer_view;
/* The part as such a view, made if there is none; NULL: there is no memory for it. */
layer_view *layer_view_of(layer *l, cl_command_queue queue, const layer_buffer *buffer,
                          layer_layout *layout);
/* The view gets what the buffer has. */
cl_int layer_view_fill(layer *l, layer_whole *whole, layer_view *view);
/* A kernel writes the view: it alone is right. */
void layer_view_written(layer_whole *whole, layer_view *view);
/* What kernels have written into views of the buffer is given up. */
void layer_views_forget(layer_whole *whole);
/* Seconds that conversions have taken so far, without those of trials. */
double layer_converting(const layer_apply *apply);

/* exchanged.c: the launch in the other form. *done is false where it cannot be, and has not begun. */
cl_int layer_launch_exchanged(layer *l, const layer_launch *launch, layer_exchanged *x, bool *done);
/* trials.c: the same, and in the program's form first, to compare what both leave and take. */
cl_int layer_launch_in_layout(layer *l, layer_launch *launch, bool tries);
cl_int layer_launch_tried(layer *l, const layer_launch *launch, layer_exchanged *x, bool *done);

/* races.c: a launch of a program whose layout is being found. */
cl_int layer_launch_racing(layer *l, layer_launch *launch);
void layer_races_open(layer *l);
/* What they have come to, for the next run. */
struct json_t *layer_races_value(const layer_apply *apply);

#endif
