/* Arrays, and texture and surface objects: what both interfaces have of them. */
#include "cuda/cuda_array.h"
#include "cuda/interfaces/call.h"

/* What has no handle is freed at once, and nothing is wrong with that in the runtime. */
CALL_ANYWHERE(NAMES(cudaFreeArray, cuArrayDestroy), (cuda_handle array), array) {
    return IS_RUNTIME && !array ? CUDA_SUCCESS : cuda_array_end(p, array);
}
CALL_ANYWHERE(NAMES(cudaFreeMipmappedArray, cuMipmappedArrayDestroy), (cuda_handle mipmap),
              mipmap) {
    return IS_RUNTIME && !mipmap ? CUDA_SUCCESS : cuda_mipmap_end(p, mipmap);
}
CALL(NAMES(cudaGetMipmappedArrayLevel, cuMipmappedArrayGetLevel),
     (cuda_handle * array, cuda_handle mipmap, unsigned level), array, mipmap, level) {
    const cuda_mipmap *m = mipmap;
    if (!cuda_handle_is(p, mipmap, CUDA_MIPMAP))
        return CUDA_INVALID_HANDLE;
    return GIVE(level < m->count ? array : NULL, m->levels[level]);
}

CALL_ANYWHERE(NAMES(cudaDestroyTextureObject, cuTexObjectDestroy), (unsigned long long object),
              object) {
    return IS_RUNTIME && !object ? CUDA_SUCCESS : cuda_object_end(p, object, false);
}
CALL_ANYWHERE(NAMES(cudaDestroySurfaceObject, cuSurfObjectDestroy), (unsigned long long object),
              object) {
    return IS_RUNTIME && !object ? CUDA_SUCCESS : cuda_object_end(p, object, true);
}

/* ---- what an object was made of ----------------------------------------------------------------- */

/* Each interface says it in its own way, so that it is for that which made the object. */
static const cuda_object *own_object(const cuda_process *p, unsigned long long object,
                                     bool is_surface) {
    const cuda_object *o = cuda_object_at(p, object, is_surface);
    return o && o->is_runtimes == IS_RUNTIME ? o : NULL;
}

static cuda_error give_bytes(void *to, const void *from, size_t bytes) {
    if (!to || !from)
        return CUDA_INVALID_VALUE;
    memcpy(to, from, bytes);
    return CUDA_SUCCESS;
}

enum { BYTES_OF_SAMPLING = NAMES(sizeof(cudaTextureDesc), CUDA_SAMPLING_BYTES) };

CALL(NAMES(cudaGetTextureObjectResourceDesc, cuTexObjectGetResourceDesc),
     (void *description, unsigned long long object), description, object) {
    const cuda_object *o = own_object(p, object, false);
    return give_bytes(description, o ? o->resource : NULL, CUDA_RESOURCE_BYTES);
}
CALL(NAMES(cudaGetTextureObjectTextureDesc, cuTexObjectGetTextureDesc),
     (void *description, unsigned long long object), description, object) {
    const cuda_object *o = own_object(p, object, false);
    return give_bytes(description, o ? o->sampling : NULL, BYTES_OF_SAMPLING);
}
CALL(NAMES(cudaGetTextureObjectResourceViewDesc, cuTexObjectGetResourceViewDesc),
     (void *description, unsigned long long object), description, object) {
    const cuda_object *o = own_object(p, object, false);
    return give_bytes(description, o && o->has_view ? &o->view : NULL, sizeof o->view);
}
CALL(NAMES(cudaGetSurfaceObjectResourceDesc, cuSurfObjectGetResourceDesc),
     (void *description, unsigned long long object), description, object) {
    const cuda_object *o = own_object(p, object, true);
    return give_bytes(description, o ? o->resource : NULL, CUDA_RESOURCE_BYTES);
}
