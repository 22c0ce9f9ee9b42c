#include "opencl/apply.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opencl/opencl_machine.h"
#include "opencl/platform.h"

/* A process has one layer, as loaders have it; hence the only global state of this code. */
static layer the_layer = {.lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP,
                          .calls = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER}};
static cl_icd_dispatch table;

layer *layer_enter(void) {
    pthread_mutex_lock(&the_layer.lock);
    return &the_layer;
}

void layer_leave(layer *l) { pthread_mutex_unlock(&l->lock); }

void layer_say(const char *line) { fprintf(stderr, "heddle: %s\n", line); }

/* A recording without `heddle record`: what reads the folder makes the jobs of what is left there. */
static void record_into(hd_arena *arena, const char *folder) {
    hd_folders made = {0};
    if (hd_folders_make(arena, &hd_silent, hd_format(arena, "%s/contents", folder), &made)) {
        layer_say(
            hd_format(arena, "error: cannot make the folder %s; nothing is recorded", folder));
        return;
    }
    char *whole = realpath(folder, NULL); /* the program may change its own */
    setenv("HEDDLE_RECORD", whole ? whole : folder, 1);
    free(whole);
}

/* HEDDLE_LAYER says what to do: "record FOLDER", "apply particle=soa", or "auto". */
static void begin(layer *l, const cl_icd_dispatch *target) {
    static const char apply[] = "apply ", automatic[] = "auto", record[] = "record ";
    const char *words = getenv("HEDDLE_LAYER");
    l->target = target;
    l->arena = hd_arena_new();
    if (words && !strncmp(words, record, strlen(record)))
        record_into(l->arena, words + strlen(record));
    l->programs.arena = l->kernels.arena = l->buffers.arena = l->samplers.arena = l->arena;
    l->by_address.arena = l->arena;
    l->recorder = layer_recorder_new(l);
    if (words && !strcmp(words, automatic))
        layer_races_open(l);
    else if (!l->recorder && words && !strncmp(words, apply, strlen(apply)))
        l->apply = layer_apply_new(l, words + strlen(apply));
}

__attribute__((destructor)) static void end_layer(void) {
    if (the_layer.recorder)
        layer_recorder_end(the_layer.recorder);
    if (the_layer.apply)
        layer_apply_end(&the_layer);
}

/* ---- what loaders ask for ----------------------------------------------------------------------- */

/* Loaders differ in how many calls they know: no more than those are looked at or given. */
CL_API_ENTRY cl_int CL_API_CALL clInitLayer(cl_uint entries, const cl_icd_dispatch *target,
                                            cl_uint *given, const cl_icd_dispatch **dispatch) {
    static cl_icd_dispatch below;
    const cl_uint own = sizeof table / sizeof(void *);
    const size_t known = (entries < own ? entries : own) * sizeof(void *);
    /* All that a loader must know stands before the calls of OpenCL 3.0. */
    if (!target || !given || !dispatch ||
        entries < offsetof(cl_icd_dispatch, clCreateBufferWithProperties) / sizeof(void *))
        return CL_INVALID_VALUE;
    memcpy(&below, target, known);
    memcpy(&table, target, known);
    begin(&the_layer, &below);
    const bool records = the_layer.recorder || the_layer.apply;
    const bool runs = !records && machine_is_asked_for();
    if (records || runs) {
        layer_follow(&table);
        layer_call_back(&table);
        layer_images(&table);
    }
    if (runs) {
        layer_runs(&table);
    } else if (records) {
        layer_uses(&table);
        layer_launches(&table);
    }
    *given = entries < own ? entries : own;
    *dispatch = &table;
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clGetLayerInfo(cl_layer_info what, size_t room, void *to,
                                               size_t *needs) {
    static const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
    static const char name[] = "Heddle";
    if (what == CL_LAYER_API_VERSION)
        return platform_give(&version, sizeof version, room, to, needs);
    return what == CL_LAYER_NAME ? platform_give(name, sizeof name, room, to, needs)
                                 : CL_INVALID_VALUE;
}

/* The same for the Khronos loader from 2024 on (cl_khr_icd 2.0's loader layers), which passes a list of
 * properties, of which there are none yet, and says when the layer goes. */
cl_int CL_API_CALL clInitLayerWithProperties(cl_uint entries, const cl_icd_dispatch *target,
                                             cl_uint *given, const cl_icd_dispatch **dispatch,
                                             const void *properties);
cl_int CL_API_CALL clDeinitLayer(void);

CL_API_ENTRY cl_int CL_API_CALL clInitLayerWithProperties(cl_uint entries,
                                                          const cl_icd_dispatch *target,
                                                          cl_uint *given,
                                                          const cl_icd_dispatch **dispatch,
                                                          const void *properties) {
    (void)properties;
    return clInitLayer(entries, target, given, dispatch);
}

/* The end of the process is what counts: handles may be used until then. */
CL_API_ENTRY cl_int CL_API_CALL clDeinitLayer(void) { return CL_SUCCESS; }
