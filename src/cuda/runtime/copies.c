/* Copies, fills and launches, variables and pointers, as the runtime has them. */
#include "cuda/interfaces/call.h"

/* ---- bytes ------------------------------------------------------------------------------------- */

WORK_CALLS(cudaMemcpy, cudaMemcpyAsync, (void *to, const void *from, size_t bytes, int kind),
           cuda_copy_bytes(to, from, bytes, (cuda_direction)kind))

/* There is one device, so that a peer is the device itself. */
WORK_CALLS(cudaMemcpyPeer, cudaMemcpyPeerAsync,
           (void *to, int to_device, const void *from, int from_device, size_t bytes),
           to_device || from_device ? cuda_work_failed(CUDA_INVALID_DEVICE)
                                    : cuda_copy_bytes(to, from, bytes, CUDA_DEVICE_TO_DEVICE))

/* ---- variables --------------------------------------------------------------------------------- */

cuda_error call_symbol(cuda_process *p, const void *symbol, size_t offset, size_t count,
                       void **address) {
    size_t bytes;
    cuda_error error = cuda_variable_of_host(p, symbol, address, &bytes);
    if (!error && (offset > bytes || count > bytes - offset))
        error = CUDA_INVALID_VALUE;
    if (!error)
        *address = (char *)*address + offset;
    return error;
}

CALL(cudaGetSymbolAddress, (void **address, const void *symbol), address, symbol) {
    size_t bytes;
    return address ? cuda_variable_of_host(p, symbol, address, &bytes) : CUDA_INVALID_VALUE;
}
CALL(cudaGetSymbolSize, (size_t *bytes, const void *symbol), bytes, symbol) {
    void *address;
    return bytes ? cuda_variable_of_host(p, symbol, &address, bytes) : CUDA_INVALID_VALUE;
}

cuda_work call_symbol_copy(cuda_process *p, const void *symbol, const void *other, size_t bytes,
                           size_t offset, int kind, bool to_symbol) {
    void *address;
    cuda_error error = call_symbol(p, symbol, offset, bytes, &address);
    if (error)
        return cuda_work_failed(error);
    return to_symbol
               ? cuda_copy_bytes(address, other, bytes, (cuda_direction)kind)
               : cuda_copy_bytes((void *)(uintptr_t)other, address, bytes, (cuda_direction)kind);
}

static cuda_error copy_symbol(cuda_process *p, const void *symbol, const void *other, size_t bytes,
                              size_t offset, int kind, bool to_symbol, cuda_handle stream) {
    if (kind != CUDA_DEVICE_TO_DEVICE && kind != CUDA_BY_ADDRESS &&
        kind != (int)(to_symbol ? CUDA_HOST_TO_DEVICE : CUDA_DEVICE_TO_HOST))
        return CUDA_INVALID_MEMCPY_DIRECTION;
    const cuda_work work = call_symbol_copy(p, symbol, other, bytes, offset, kind, to_symbol);
    return cuda_submit(p, stream, &work);
}

CALL(cudaMemcpyToSymbol,
     (const void *symbol, const void *from, size_t bytes, size_t offset, int kind), symbol, from,
     bytes, offset, kind) {
    return copy_symbol(p, symbol, from, bytes, offset, kind, true, NULL);
}
CALL(cudaMemcpyToSymbolAsync,
     (const void *symbol, const void *from, size_t bytes, size_t offset, int kind,
      cuda_handle stream),
     symbol, from, bytes, offset, kind, stream) {
    return copy_symbol(p, symbol, from, bytes, offset, kind, true, stream);
}
CALL(cudaMemcpyFromSymbol, (void *to, const void *symbol, size_t bytes, size_t offset, int kind),
     to, symbol, bytes, offset, kind) {
    return copy_symbol(p, symbol, to, bytes, offset, kind, false, NULL);
}
CALL(cudaMemcpyFromSymbolAsync,
     (void *to, const void *symbol, size_t bytes, size_t offset, int kind, cuda_handle stream), to,
     symbol, bytes, offset, kind, stream) {
    return copy_symbol(p, symbol, to, bytes, offset, kind, false, stream);
}

/* ---- rows and planes --------------------------------------------------------------------------- */

static cuda_work rows_work(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                           size_t width, size_t height, int kind) {
    if (width > to_pitch || width > from_pitch)
        return cuda_work_failed(CUDA_INVALID_PITCH_VALUE);
    return (cuda_work){.kind = CUDA_WORK_COPY,
                       .copy = {{to, to_pitch, 0},
                                {(void *)(uintptr_t)from, from_pitch, 0},
                                {width, height, 1},
                                (cuda_direction)kind}};
}
WORK_CALLS(cudaMemcpy2D, cudaMemcpy2DAsync,
           (void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
            size_t height, int kind),
           rows_work(to, to_pitch, from, from_pitch, width, height, kind))

static cudaPitchedPtr pointer_of(const cuda_place *place, const cuda_box *box) {
    size_t pitch = place->row ? place->row : box->width;
    return (cudaPitchedPtr){place->at, pitch, box->width,
                            place->row && place->plane ? place->plane / pitch : box->height};
}
call_box_params call_box_of(const cuda_copy *c) {
    return (cudaMemcpy3DParms){.srcPtr = pointer_of(&c->from, &c->box),
                               .dstPtr = pointer_of(&c->to, &c->box),
                               .extent = {c->box.width, c->box.height, c->box.depth},
                               .kind = (int)c->direction};
}

/* ---- fills ------------------------------------------------------------------------------------- */

static cuda_work fill_work(cuda_place to, cuda_box box, int value) {
    return (cuda_work){.kind = CUDA_WORK_FILL, .fill = {to, box, (uint8_t)value, 1}};
}
WORK_CALLS(cudaMemset, cudaMemsetAsync, (void *to, int value, size_t bytes),
           fill_work((cuda_place){to, 0, 0}, (cuda_box){bytes, 1, 1}, value))
WORK_CALLS(cudaMemset2D, cudaMemset2DAsync,
           (void *to, size_t pitch, int value, size_t width, size_t height),
           fill_work((cuda_place){to, pitch, 0}, (cuda_box){width, height, 1}, value))
WORK_CALLS(cudaMemset3D, cudaMemset3DAsync, (cudaPitchedPtr to, int value, cudaExtent e),
           fill_work((cuda_place){to.ptr, to.pitch, to.pitch *to.ysize},
                     (cuda_box){e.width, e.height, e.depth}, value))

/* ---- launches ---------------------------------------------------------------------------------- */

static cuda_error launch(cuda_process *p, const void *host, const hd_ptx_launch_size *size,
                         void **args, cuda_handle stream) {
    const cuda_work work = call_launch(p, host, size, args);
    return cuda_submit(p, stream, &work);
}

static hd_ptx_launch_size size_of(dim3 grid, dim3 block, size_t shared) {
    return (hd_ptx_launch_size){
        {grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, .shared = shared};
}

CALL(cudaLaunchKernel,
     (const void *host, dim3 grid, dim3 block, void **args, size_t shared, cuda_handle stream),
     host, grid, block, args, shared, stream) {
    const hd_ptx_launch_size size = size_of(grid, block, shared);
    return launch(p, host, &size, args, stream);
}
CALL(cudaLaunchCooperativeKernel,
     (const void *host, dim3 grid, dim3 block, void **args, size_t shared, cuda_handle stream),
     host, grid, block, args, shared, stream) {
    hd_ptx_launch_size size = size_of(grid, block, shared);
    size.cooperative = true;
    return launch(p, host, &size, args, stream);
}

cuda_error call_launch_size(const cudaLaunchConfig_t *c, hd_ptx_launch_size *size) {
    if (c->numAttrs && !c->attrs)
        return CUDA_INVALID_VALUE;
    *size = size_of(c->gridDim, c->blockDim, c->dynamicSmemBytes);
    return call_launch_attributes(c->attrs, c->numAttrs, size);
}

CALL(cudaLaunchKernelExC, (const cudaLaunchConfig_t *c, const void *host, void **args), c, host,
     args) {
    hd_ptx_launch_size size;
    cuda_error error = c ? call_launch_size(c, &size) : CUDA_INVALID_VALUE;
    return error ? error : launch(p, host, &size, args, c->stream);
}

CALL_EARLY(cudaGetKernel, (cuda_handle * kernel, const void *host), kernel, host) {
    cuda_kernel *found = NULL;
    cuda_error error = kernel ? cuda_kernel_of_host(p, host, &found) : CUDA_INVALID_VALUE;
    if (kernel)
        *kernel = found;
    return error;
}

/* ---- pointers ---------------------------------------------------------------------------------- */

CALL(cudaPointerGetAttributes, (cudaPointerAttributes * result, const void *pointer), result,
     pointer) {
    enum { HOST = 1, DEVICE = 2, MANAGED = 3, INVALID_DEVICE = -2 }; /* cudaMemoryType */
    static const int types[] = {[CUDA_MEMORY_DEVICE] = DEVICE,   [CUDA_MEMORY_MANAGED] = MANAGED,
                                [CUDA_MEMORY_PINNED] = HOST,     [CUDA_MEMORY_REGISTERED] = HOST,
                                [CUDA_MEMORY_VARIABLE] = DEVICE, [CUDA_MEMORY_ARRAY] = DEVICE,
                                [CUDA_MEMORY_OBJECT] = DEVICE,   [CUDA_MEMORY_MAPPED] = DEVICE};
    void *address = (void *)(uintptr_t)pointer;
    if (!result || !pointer)
        return CUDA_INVALID_VALUE;
    const cuda_allocation *a = cuda_memory_at(p, pointer);
    *result = (cudaPointerAttributes){.device = a ? 0 : INVALID_DEVICE, .hostPointer = address};
    if (!a)
        return CUDA_SUCCESS;
    result->type = types[a->kind];
    result->devicePointer = address;
    if (result->type == DEVICE)
        result->hostPointer = NULL;
    return CUDA_SUCCESS;
}
