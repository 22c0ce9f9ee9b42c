/* Copies and fills. */
#include "cuda/runtime/runtime.h"

cudaError_t rt_submit(void *stream, const cuda_work *work) { RUN(cuda_submit(p, stream, work)); }

/* ---- bytes --------------------------------------------------------------------------------------- */

static cudaError_t copy(void *to, const void *from, size_t bytes, int kind, void *stream) {
    const cuda_work work = cuda_copy_bytes(to, from, bytes, (cuda_direction)kind);
    return rt_submit(stream, &work);
}

API cudaMemcpy(void *to, const void *from, size_t bytes, int kind) {
    return copy(to, from, bytes, kind, NULL);
}
API cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind, rt_handle stream) {
    return copy(to, from, bytes, kind, stream);
}

/* There is one device, so that a peer is the device itself. */
static cudaError_t copy_peer(void *to, int to_device, const void *from, int from_device,
                             size_t bytes, void *stream) {
    if (to_device || from_device)
        return rt_last(CUDA_INVALID_DEVICE);
    return copy(to, from, bytes, CUDA_DEVICE_TO_DEVICE, stream);
}
API cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t bytes) {
    return copy_peer(to, to_device, from, from_device, bytes, NULL);
}
API cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t bytes,
                        rt_handle stream) {
    return copy_peer(to, to_device, from, from_device, bytes, stream);
}

/* ---- symbols --------------------------------------------------------------------------------------- */

static cudaError_t copy_symbol(const void *symbol, void *host, size_t bytes, size_t offset,
                               int kind, bool to_symbol, void *stream) {
    cuda_process *p;
    void *address;
    bool fits = kind == CUDA_DEVICE_TO_DEVICE || kind == CUDA_BY_ADDRESS ||
                kind == (to_symbol ? CUDA_HOST_TO_DEVICE : CUDA_DEVICE_TO_HOST);
    cuda_error error = rt_begin(&p);
    if (!error && !fits)
        error = CUDA_INVALID_MEMCPY_DIRECTION;
    if (!error)
        error = rt_symbol(p, symbol, offset, bytes, &address);
    if (!error) {
        const cuda_work work = to_symbol
                                   ? cuda_copy_bytes(address, host, bytes, (cuda_direction)kind)
                                   : cuda_copy_bytes(host, address, bytes, (cuda_direction)kind);
        error = cuda_submit(p, stream, &work);
    }
    return rt_end(p, error);
}

API cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t offset,
                       int kind) {
    return copy_symbol(symbol, (void *)(uintptr_t)from, bytes, offset, kind, true, NULL);
}
API cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t bytes, size_t offset,
                            int kind, rt_handle stream) {
    return copy_symbol(symbol, (void *)(uintptr_t)from, bytes, offset, kind, true, stream);
}
API cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset, int kind) {
    return copy_symbol(symbol, to, bytes, offset, kind, false, NULL);
}
API cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t bytes, size_t offset, int kind,
                              rt_handle stream) {
    return copy_symbol(symbol, to, bytes, offset, kind, false, stream);
}

/* ---- rows and planes -------------------------------------------------------------------------------- */

static cudaError_t copy_rows(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                             size_t width, size_t height, int kind, void *stream) {
    const cuda_work work = {.kind = CUDA_WORK_COPY,
                            .copy = {{to, to_pitch, 0},
                                     {(void *)(uintptr_t)from, from_pitch, 0},
                                     {width, height, 1},
                                     (cuda_direction)kind}};
    if (width > to_pitch || width > from_pitch)
        return rt_last(CUDA_INVALID_PITCH_VALUE);
    return rt_submit(stream, &work);
}

API cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                 size_t height, int kind) {
    return copy_rows(to, to_pitch, from, from_pitch, width, height, kind, NULL);
}
API cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                      size_t height, int kind, rt_handle stream) {
    return copy_rows(to, to_pitch, from, from_pitch, width, height, kind, stream);
}

static cuda_place place_of(cudaPitchedPtr pointer, cudaPos position) {
    size_t plane = pointer.pitch * pointer.ysize;
    char *at = (char *)pointer.ptr + position.z * plane + position.y * pointer.pitch + position.x;
    return (cuda_place){pointer.ptr ? at : NULL, pointer.pitch, plane};
}

cuda_error rt_copy_of(const cudaMemcpy3DParms *c, cuda_work *work) {
    if (!c)
        return CUDA_INVALID_VALUE;
    if (c->srcArray || c->dstArray) /* arrays are for textures */
        return CUDA_NOT_SUPPORTED;
    *work = (cuda_work){.kind = CUDA_WORK_COPY,
                        .copy = {place_of(c->dstPtr, c->dstPos),
                                 place_of(c->srcPtr, c->srcPos),
                                 {c->extent.width, c->extent.height, c->extent.depth},
                                 (cuda_direction)c->kind}};
    return CUDA_SUCCESS;
}

static cudaError_t copy_planes(const cudaMemcpy3DParms *params, void *stream) {
    cuda_work work;
    cuda_error error = rt_copy_of(params, &work);
    return error ? rt_last(error) : rt_submit(stream, &work);
}

API cudaMemcpy3D(const cudaMemcpy3DParms *params) { return copy_planes(params, NULL); }
API cudaMemcpy3DAsync(const cudaMemcpy3DParms *params, rt_handle stream) {
    return copy_planes(params, stream);
}

/* What a texture's elements would be; programs that have headers with textures in them ask. */
typedef struct channel_description {
    int x, y, z, w, kind;
} channel_description;
__attribute__((visibility("default"))) channel_description cudaCreateChannelDesc(int x, int y,
                                                                                 int z, int w,
                                                                                 int kind) {
    return (channel_description){x, y, z, w, kind};
}

/* ---- fills --------------------------------------------------------------------------------------------- */

static cudaError_t fill(cuda_place to, cuda_box box, int value, void *stream) {
    const cuda_work work = {.kind = CUDA_WORK_FILL, .fill = {to, box, (uint8_t)value, 1}};
    return rt_submit(stream, &work);
}

API cudaMemset(void *to, int value, size_t bytes) {
    return fill((cuda_place){to, 0, 0}, (cuda_box){bytes, 1, 1}, value, NULL);
}
API cudaMemsetAsync(void *to, int value, size_t bytes, rt_handle stream) {
    return fill((cuda_place){to, 0, 0}, (cuda_box){bytes, 1, 1}, value, stream);
}
API cudaMemset2D(void *to, size_t pitch, int value, size_t width, size_t height) {
    return fill((cuda_place){to, pitch, 0}, (cuda_box){width, height, 1}, value, NULL);
}
API cudaMemset2DAsync(void *to, size_t pitch, int value, size_t width, size_t height,
                      rt_handle stream) {
    return fill((cuda_place){to, pitch, 0}, (cuda_box){width, height, 1}, value, stream);
}

static cudaError_t fill_planes(cudaPitchedPtr to, int value, cudaExtent e, void *stream) {
    return fill((cuda_place){to.ptr, to.pitch, to.pitch * to.ysize},
                (cuda_box){e.width, e.height, e.depth}, value, stream);
}

API cudaMemset3D(cudaPitchedPtr to, int value, cudaExtent extent) {
    return fill_planes(to, value, extent, NULL);
}
API cudaMemset3DAsync(cudaPitchedPtr to, int value, cudaExtent extent, rt_handle stream) {
    return fill_planes(to, value, extent, stream);
}
