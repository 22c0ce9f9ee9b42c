/*
 * Values that streams write, and wait for. What is handed in is done at once, so that a wait is over,
 * or nothing that comes later could end it.
 */
#include "cuda/interfaces/call.h"

/* CUstreamWaitValue_flags, CUstreamWriteValue_flags */
enum { AT_LEAST = 0, EQUAL = 1, AND = 2, NOR = 3, WAYS = 3, FLUSH = 1 << 30, NO_BARRIER = 1 };

static cuda_error check(cuda_process *p, cuda_handle which, const void *address, unsigned bytes) {
    const cuda_stream *stream = cuda_stream_find(p, which);
    if (!stream)
        return CUDA_INVALID_HANDLE;
    if (!cuda_memory_at(p, address) || (uintptr_t)address % bytes)
        return CUDA_INVALID_VALUE;
    if (!stream->capture)
        return CUDA_SUCCESS;
    cuda_say(p, "error: a stream that is captured writes no values, and waits for none");
    return CUDA_STREAM_CAPTURE_UNSUPPORTED;
}

static bool is_there(uint64_t held, uint64_t value, unsigned bytes, unsigned way) {
    uint64_t mask = bytes == 4 ? UINT32_MAX : UINT64_MAX;
    switch (way) {
    case AT_LEAST: /* in a circle */
        return bytes == 4 ? (int32_t)((uint32_t)held - (uint32_t)value) >= 0
                          : (int64_t)(held - value) >= 0;
    case EQUAL: return ((held ^ value) & mask) == 0;
    case AND: return (held & value & mask) != 0;
    default: return (~(held | value) & mask) != 0;
    }
}

static cuda_error wait(cuda_process *p, cuda_handle stream, const void *address, uint64_t value,
                       unsigned bytes, unsigned flags) {
    uint64_t held = 0;
    cuda_error error = check(p, stream, address, bytes);
    if (!error && (flags & ~(unsigned)FLUSH) > WAYS)
        error = CUDA_INVALID_VALUE;
    if (error)
        return error;
    memcpy(&held, address, bytes); /* little endian, as every machine with CUDA */
    if (is_there(held, value, bytes, flags & WAYS))
        return CUDA_SUCCESS;
    cuda_say(
        p,
        "error: a stream is to wait for the value %llu at %p, where %llu is: work is done where "
        "it is handed in, so that nothing that is handed in later could write it; hand in what "
        "writes it before the wait",
        (unsigned long long)value, address, (unsigned long long)held);
    return CUDA_NOT_SUPPORTED;
}

static cuda_error write_value(cuda_process *p, cuda_handle stream, void *address, uint64_t value,
                              unsigned bytes, unsigned flags) {
    cuda_error error = flags > NO_BARRIER ? CUDA_INVALID_VALUE : check(p, stream, address, bytes);
    const cuda_work work = cuda_copy_bytes(address, &value, bytes, CUDA_BY_ADDRESS);
    return error ? error : cuda_submit(p, stream, &work);
}

/* Of so many bits, and the first forms, which mean the same. */
#define VALUES(bits, form)                                                                        \
    CALL(cuStreamWaitValue##bits##form,                                                           \
         (cuda_handle stream, const void *address, uint##bits##_t value, unsigned flags), stream, \
         address, value, flags) {                                                                 \
        return wait(p, stream, address, value, (bits) / 8, flags);                                \
    }                                                                                             \
    CALL(cuStreamWriteValue##bits##form,                                                          \
         (cuda_handle stream, void *address, uint##bits##_t value, unsigned flags), stream,       \
         address, value, flags) {                                                                 \
        return write_value(p, stream, address, value, (bits) / 8, flags);                         \
    }
VALUES(32, _v2)
VALUES(64, _v2)

/* CUstreamBatchMemOpParams */
typedef union operation {
    int kind;
    struct {
        int kind;
        void *address;
        uint64_t value;
        unsigned flags;
        void *alias;
    } value;
    uint64_t room[6];
} operation;
enum { WAIT_32 = 1, WRITE_32 = 2, FLUSH_WRITES = 3, WAIT_64 = 4, WRITE_64 = 5, BARRIER = 6 };

CALL(cuStreamBatchMemOp_v2,
     (cuda_handle stream, unsigned count, const operation *operations, unsigned flags), stream,
     count, operations, flags) {
    cuda_error error = !operations || flags || count > 256 ? CUDA_INVALID_VALUE : CUDA_SUCCESS;
    for (unsigned i = 0; i < count && !error; i++) {
        const operation *o = &operations[i];
        unsigned bytes = o->kind == WAIT_64 || o->kind == WRITE_64 ? 8 : 4;
        switch (o->kind) {
        case WAIT_32:
        case WAIT_64:
            error = wait(p, stream, o->value.address, o->value.value, bytes, o->value.flags);
            break;
        case WRITE_32:
        case WRITE_64:
            error = write_value(p, stream, o->value.address, o->value.value, bytes, o->value.flags);
            break;
        case FLUSH_WRITES:
        case BARRIER: break;
        default: error = CUDA_INVALID_VALUE;
        }
    }
    return error;
}
