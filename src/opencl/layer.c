#include "opencl/layer.h"

#include <string.h>

/* A process has one layer, as loaders have it; hence the only global state of this code. */
static layer the_layer = {.lock = PTHREAD_MUTEX_INITIALIZER};
static cl_icd_dispatch table;

layer *layer_enter(void) {
    pthread_mutex_lock(&the_layer.lock);
    return &the_layer;
}

void layer_leave(layer *l) { pthread_mutex_unlock(&l->lock); }

static void begin(layer *l, const cl_icd_dispatch *target) {
    l->target = target;
    l->arena = hd_arena_new();
    l->programs.arena = l->kernels.arena = l->buffers.arena = l->samplers.arena = l->arena;
    l->recorder = layer_recorder_new(l);
}

__attribute__((destructor)) static void end_layer(void) {
    if (the_layer.arena)
        layer_recorder_end(&the_layer);
}

/* ---- what loaders ask for ----------------------------------------------------------------------- */

/* Loaders differ in how many calls they know: no more than those are looked at or given. */
CL_API_ENTRY cl_int CL_API_CALL clInitLayer(cl_uint entries, const cl_icd_dispatch *target,
                                            cl_uint *given, const cl_icd_dispatch **dispatch) {
    const cl_uint own = sizeof table / sizeof(void *);
    /* All that a loader must know stands before the calls of OpenCL 3.0. */
    if (!target || !given || !dispatch ||
        entries < offsetof(cl_icd_dispatch, clCreateBufferWithProperties) / sizeof(void *))
        return CL_INVALID_VALUE;
    memcpy(&table, target, (entries < own ? entries : own) * sizeof(void *));
    begin(&the_layer, target);
    if (the_layer.recorder) {
        layer_follow(&table);
        layer_images(&table);
        layer_launches(&table);
    }
    *given = entries < own ? entries : own;
    *dispatch = &table;
    return CL_SUCCESS;
}

static cl_int give(const void *value, size_t bytes, size_t room, void *to, size_t *needs) {
    if (to && room < bytes)
        return CL_INVALID_VALUE;
    if (to)
        memcpy(to, value, bytes);
    if (needs)
        *needs = bytes;
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clGetLayerInfo(cl_layer_info what, size_t room, void *to,
                                               size_t *needs) {
    static const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
    static const char name[] = "Heddle";
    if (what == CL_LAYER_API_VERSION)
        return give(&version, sizeof version, room, to, needs);
    return what == CL_LAYER_NAME ? give(name, sizeof name, room, to, needs) : CL_INVALID_VALUE;
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
