// The runtime's work in streams: copies and fills of all shapes, variables, pools, attributes.
// options: -w
#include <cstring>
#include <vector>

#include "check.h"

const size_t pitch = 40, rows = 5, planes = 3, bytes = pitch * rows * planes;
typedef std::vector<unsigned char> memory;

__device__ unsigned char numbers_of_device[bytes];
__constant__ int table[8];

__global__ void look_up(int *x) { x[threadIdx.x] = 2 * table[threadIdx.x % 8]; }

static memory numbers(unsigned first) {
    memory m(bytes);
    for (size_t i = 0; i < bytes; i++)
        m[i] = (unsigned char)(first + i * 11 + i / 32);
    return m;
}
static memory held(const void *device) {
    memory m(bytes);
    CUDA(cudaMemcpy(m.data(), device, bytes, cudaMemcpyDeviceToHost));
    return m;
}

static void shapes(cudaStream_t stream) {
    unsigned char *a, *b;
    const cudaStream_t none = (cudaStream_t)&stream;
    CUDA(cudaMalloc(&a, bytes));
    CUDA(cudaMalloc(&b, bytes));
    const memory source = numbers(1), before = numbers(90);
    CUDA(cudaMemcpy(a, source.data(), bytes, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(b, before.data(), bytes, cudaMemcpyHostToDevice));
    // 9 bytes of 4 rows, between rows of other lengths.
    memory wanted = before;
    CUDA(cudaMemcpy2DAsync(b + 2, 16, a + 5, pitch, 9, 4, cudaMemcpyDeviceToDevice, stream));
    CUDA(cudaStreamSynchronize(stream));
    for (size_t y = 0; y < 4; y++)
        std::memcpy(&wanted[2 + 16 * y], &source[5 + pitch * y], 9);
    CHECK(held(b) == wanted);
    FAILS(cudaErrorInvalidPitchValue,
          cudaMemcpy2DAsync(b, 8, a, pitch, 9, 4, cudaMemcpyDeviceToDevice, stream));
    FAILS(cudaErrorInvalidValue,
          cudaMemcpy2DAsync(b, pitch, a, pitch, 9, rows * planes + 1, cudaMemcpyDefault, stream));
    FAILS(cudaErrorInvalidMemcpyDirection,
          cudaMemcpy2DAsync(b, pitch, a, pitch, 9, 4, (cudaMemcpyKind)9, stream));
    FAILS(cudaErrorInvalidResourceHandle,
          cudaMemcpy2DAsync(b, pitch, a, pitch, 9, 4, cudaMemcpyDefault, none));
    // A box of 6 x 2 x 2 bytes.
    cudaMemcpy3DParms box = {};
    box.srcPtr = make_cudaPitchedPtr(a, pitch, pitch, rows);
    box.dstPtr = make_cudaPitchedPtr(b, pitch, pitch, rows);
    box.srcPos = make_cudaPos(7, 1, 1);
    box.dstPos = make_cudaPos(30, 3, 0);
    box.extent = make_cudaExtent(6, 2, 2);
    box.kind = cudaMemcpyDeviceToDevice;
    CUDA(cudaMemcpy3DAsync(&box, stream));
    CUDA(cudaStreamSynchronize(stream));
    for (size_t z = 0; z < 2; z++)
        for (size_t y = 0; y < 2; y++)
            std::memcpy(&wanted[(z * rows + y + 3) * pitch + 30],
                        &source[((z + 1) * rows + y + 1) * pitch + 7], 6);
    CHECK(held(b) == wanted);
    FAILS(cudaErrorInvalidValue, cudaMemcpy3DAsync(nullptr, stream));
    FAILS(cudaErrorInvalidResourceHandle, cudaMemcpy3DAsync(&box, none));
    box.srcPos.z = planes;
    FAILS(cudaErrorInvalidValue, cudaMemcpy3DAsync(&box, stream));
    // Fills of rows and of boxes.
    CUDA(cudaMemset2DAsync(b + 4, pitch, 0x61, 10, 3, stream));
    CUDA(cudaMemset3DAsync(make_cudaPitchedPtr(b + 20, pitch, pitch, rows), 0x171,
                           make_cudaExtent(4, 2, 3), stream)); // of a value the lowest byte counts
    CUDA(cudaStreamSynchronize(stream));
    for (size_t y = 0; y < 3; y++)
        std::memset(&wanted[4 + y * pitch], 0x61, 10);
    for (size_t z = 0; z < 3; z++)
        for (size_t y = 0; y < 2; y++)
            std::memset(&wanted[20 + (z * rows + y) * pitch], 0x71, 4);
    CHECK(held(b) == wanted);
    FAILS(cudaErrorInvalidValue, cudaMemset2DAsync(b, pitch, 1, 10, rows * planes + 1, stream));
    FAILS(cudaErrorInvalidResourceHandle, cudaMemset2DAsync(b, pitch, 1, 10, 3, none));
    FAILS(cudaErrorInvalidResourceHandle,
          cudaMemset3DAsync(make_cudaPitchedPtr(b, pitch, pitch, rows), 1, make_cudaExtent(4, 2, 3),
                            none));
    // Between devices, of which there is one.
    CUDA(cudaMemcpyPeer(b, 0, a, 0, 100));
    CUDA(cudaMemcpyPeerAsync(b + 100, 0, a + 200, 0, 50, stream));
    CUDA(cudaStreamSynchronize(stream));
    std::memcpy(&wanted[0], &source[0], 100);
    std::memcpy(&wanted[100], &source[200], 50);
    CHECK(held(b) == wanted);
    FAILS(cudaErrorInvalidDevice, cudaMemcpyPeer(b, 1, a, 0, 4));
    FAILS(cudaErrorInvalidDevice, cudaMemcpyPeerAsync(b, 0, a, 1, 4, stream));
    FAILS(cudaErrorInvalidValue, cudaMemcpyPeer(b, 0, a, 0, bytes + 1));
    CUDA(cudaFree(a));
    CUDA(cudaFree(b));
}

static void variables(cudaStream_t stream) {
    const memory source = numbers(5);
    memory got(bytes), wanted(bytes);
    CUDA(cudaMemcpyToSymbolAsync(numbers_of_device, source.data(), 100, 30, cudaMemcpyHostToDevice,
                                 stream));
    CUDA(cudaMemcpyFromSymbolAsync(got.data(), numbers_of_device, bytes, 0, cudaMemcpyDeviceToHost,
                                   stream));
    CUDA(cudaStreamSynchronize(stream));
    std::memcpy(&wanted[30], &source[0], 100);
    CHECK(got == wanted);
    FAILS(cudaErrorInvalidValue, cudaMemcpyToSymbolAsync(numbers_of_device, source.data(), bytes, 1,
                                                         cudaMemcpyHostToDevice, stream));
    FAILS(cudaErrorInvalidMemcpyDirection,
          cudaMemcpyToSymbolAsync(numbers_of_device, source.data(), 4, 0, cudaMemcpyDeviceToHost,
                                  stream));
    FAILS(cudaErrorInvalidMemcpyDirection,
          cudaMemcpyFromSymbolAsync(got.data(), numbers_of_device, 4, 0, cudaMemcpyHostToDevice,
                                    stream));
    FAILS(cudaErrorInvalidSymbol, cudaMemcpyFromSymbolAsync(got.data(), (const void *)&got, 4, 0,
                                                            cudaMemcpyDeviceToHost, stream));
    FAILS(cudaErrorInvalidResourceHandle,
          cudaMemcpyFromSymbolAsync(got.data(), numbers_of_device, 4, 0, cudaMemcpyDeviceToHost,
                                    (cudaStream_t)&got));
    // What a kernel reads is what the stream has put there before it.
    int values[8], *x, out[16];
    CUDA(cudaMalloc(&x, sizeof out));
    for (int round = 1; round < 3; round++) {
        for (int i = 0; i < 8; i++)
            values[i] = round * 100 + i;
        CUDA(cudaMemcpyToSymbolAsync(table, values, sizeof values, 0, cudaMemcpyDefault, stream));
        look_up<<<1, 16, 0, stream>>>(x);
        CUDA(cudaMemcpyAsync(out, x, sizeof out, cudaMemcpyDeviceToHost, stream));
        CUDA(cudaStreamSynchronize(stream));
        for (int i = 0; i < 16; i++)
            CHECK(out[i] == 2 * (round * 100 + i % 8));
    }
    CUDA(cudaFree(x));
}

static void pools(cudaStream_t stream) {
    cudaMemPool_t standard, pool, current;
    cudaMemPoolProps properties = {};
    cudaMemLocation here = {cudaMemLocationTypeDevice, 0}, host = {cudaMemLocationTypeHost, 0};
    cudaMemAccessDesc access = {here, cudaMemAccessFlagsProtReadWrite};
    cudaMemAccessFlags flags;
    unsigned long long used;
    int *x, *y, on = 0;
    CUDA(cudaDeviceGetDefaultMemPool(&standard, 0));
    CUDA(cudaMemPoolGetAttribute(standard, cudaMemPoolReuseAllowOpportunistic, &on));
    CHECK(on == 1);
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location = here;
    properties.maxSize = 1000;
    CUDA(cudaMemPoolCreate(&pool, &properties));
    FAILS(cudaErrorInvalidValue, cudaMemPoolCreate(&pool, nullptr));
    properties.location.id = 1;
    FAILS(cudaErrorInvalidValue, cudaMemPoolCreate(&pool, &properties));
    CUDA(cudaMemPoolGetAccess(&flags, pool, &here));
    CHECK(flags == cudaMemAccessFlagsProtReadWrite);
    CUDA(cudaMemPoolGetAccess(&flags, pool, &host));
    CHECK(flags == cudaMemAccessFlagsProtNone);
    CUDA(cudaMemPoolSetAccess(pool, &access, 1));
    FAILS(cudaErrorInvalidValue, cudaMemPoolSetAccess(pool, nullptr, 1));
    CUDA(cudaMallocFromPoolAsync(&x, 600, pool, stream));
    FAILS(cudaErrorMemoryAllocation, cudaMallocFromPoolAsync(&y, 600, pool, stream));
    FAILS(cudaErrorInvalidValue, cudaMallocFromPoolAsync(&y, 600, (cudaMemPool_t)&x, stream));
    FAILS(cudaErrorInvalidResourceHandle, cudaMallocFromPoolAsync(&y, 600, pool, (cudaStream_t)&x));
    CUDA(cudaDeviceSetMemPool(0, pool));
    CUDA(cudaDeviceGetMemPool(&current, 0));
    CHECK(current == pool);
    FAILS(cudaErrorInvalidDevice, cudaDeviceSetMemPool(1, pool));
    FAILS(cudaErrorInvalidDevice, cudaDeviceGetMemPool(&current, 1));
    CUDA(cudaMallocAsync(&y, 400, stream));
    CUDA(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
    CHECK(used == 1000);
    CUDA(cudaFreeAsync(x, stream));
    CUDA(cudaMemPoolTrimTo(pool, 0));
    FAILS(cudaErrorInvalidValue, cudaMemPoolTrimTo((cudaMemPool_t)&x, 0));
    CUDA(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
    CHECK(used == 400);
    CUDA(cudaMemPoolDestroy(pool));
    FAILS(cudaErrorInvalidValue, cudaMemPoolDestroy(pool));
    FAILS(cudaErrorInvalidValue, cudaMemPoolDestroy(standard));
    CUDA(cudaDeviceGetMemPool(&current, 0));
    CHECK(current == standard);
    CUDA(cudaMemsetAsync(y, 0, 400, stream)); // which is still there
    CUDA(cudaFreeAsync(y, stream));
}

static void streams() {
    cudaStream_t plain, urgent;
    const cudaStream_t none = (cudaStream_t)&plain;
    cudaStreamAttrValue value = {};
    unsigned flags;
    int least, greatest, priority, device = -1;
    unsigned long long ids[2];
    CUDA(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    CUDA(cudaStreamCreate(&plain));
    CUDA(cudaStreamCreateWithPriority(&urgent, cudaStreamNonBlocking, greatest - 1));
    FAILS(cudaErrorInvalidValue, cudaStreamCreateWithPriority(nullptr, 0, 0));
    FAILS(cudaErrorInvalidValue, cudaStreamCreateWithPriority(&plain, 8, 0));
    CUDA(cudaStreamGetFlags(urgent, &flags));
    CHECK(flags == cudaStreamNonBlocking);
    CUDA(cudaStreamGetPriority(urgent, &priority));
    CHECK(priority == greatest);
    CUDA(cudaStreamGetPriority(plain, &priority));
    CHECK(priority == 0);
    CUDA(cudaStreamGetId(plain, &ids[0]));
    CUDA(cudaStreamGetId(urgent, &ids[1]));
    CHECK(ids[0] != ids[1]);
    CUDA(cudaStreamGetDevice(plain, &device));
    CHECK(device == 0);
    FAILS(cudaErrorInvalidResourceHandle, cudaStreamGetFlags(none, &flags));
    FAILS(cudaErrorInvalidResourceHandle, cudaStreamGetPriority(none, &priority));
    FAILS(cudaErrorInvalidResourceHandle, cudaStreamGetId(none, ids));
    FAILS(cudaErrorInvalidResourceHandle, cudaStreamGetDevice(none, &device));
    FAILS(cudaErrorInvalidValue, cudaStreamGetFlags(plain, nullptr));
    value.accessPolicyWindow.num_bytes = 4096;
    value.accessPolicyWindow.hitRatio = 0.5f;
    CUDA(cudaStreamSetAttribute(plain, cudaStreamAttributeAccessPolicyWindow, &value));
    CUDA(cudaStreamCopyAttributes(urgent, plain));
    std::memset(&value, 0, sizeof value);
    CUDA(cudaStreamGetAttribute(urgent, cudaStreamAttributeAccessPolicyWindow, &value));
    CHECK(value.accessPolicyWindow.num_bytes == 4096 && value.accessPolicyWindow.hitRatio == 0.5f);
    CUDA(cudaStreamGetAttribute(plain, cudaStreamAttributeSynchronizationPolicy, &value));
    CHECK(value.syncPolicy == cudaSyncPolicyAuto);
    FAILS(cudaErrorInvalidValue,
          cudaStreamGetAttribute(plain, cudaLaunchAttributeCooperative, &value));
    FAILS(cudaErrorInvalidResourceHandle, cudaStreamCopyAttributes(urgent, none));
    // Events of a capture: what a graph records when it runs.
    cudaEvent_t event, start;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    float took = -1;
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    void *memory;
    CUDA(cudaEventCreate(&event));
    CUDA(cudaEventCreate(&start));
    FAILS(cudaErrorInvalidValue, cudaEventRecordWithFlags(event, plain, cudaEventRecordExternal));
    CUDA(cudaEventRecordWithFlags(start, plain, cudaEventRecordDefault));
    CUDA(cudaStreamBeginCapture(plain, cudaStreamCaptureModeGlobal));
    CUDA(cudaEventRecordWithFlags(event, plain, cudaEventRecordExternal));
    CUDA(cudaThreadExchangeStreamCaptureMode(&mode)); // so that this does not end the capture
    CUDA(cudaMalloc(&memory, 4));
    CUDA(cudaThreadExchangeStreamCaptureMode(&mode));
    CHECK(mode == cudaStreamCaptureModeRelaxed);
    CUDA(cudaStreamEndCapture(plain, &graph));
    CUDA(cudaGraphInstantiate(&exec, graph, 0));
    FAILS(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&took, start, event));
    CUDA(cudaGraphLaunch(exec, plain));
    CUDA(cudaStreamSynchronize(plain));
    CUDA(cudaEventElapsedTime(&took, start, event));
    CHECK(took >= 0);
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaGraphDestroy(graph));
    CUDA(cudaFree(memory));
    // Managed memory of one stream, and pinned memory of the host.
    CUDA(cudaMallocManaged(&memory, 256));
    CUDA(cudaStreamAttachMemAsync(plain, memory, 0, cudaMemAttachSingle));
    CUDA(cudaStreamAttachMemAsync(plain, memory, 256, cudaMemAttachHost));
    FAILS(cudaErrorInvalidValue, cudaStreamAttachMemAsync(plain, memory, 128, cudaMemAttachSingle));
    FAILS(cudaErrorInvalidValue, cudaStreamAttachMemAsync(nullptr, memory, 0, cudaMemAttachSingle));
    FAILS(cudaErrorInvalidResourceHandle,
          cudaStreamAttachMemAsync(none, memory, 0, cudaMemAttachGlobal));
    CUDA(cudaFree(memory));
    CUDA(cudaHostAlloc(&memory, 64, cudaHostAllocMapped | cudaHostAllocWriteCombined));
    CUDA(cudaHostGetFlags(&flags, memory));
    CHECK(flags == (cudaHostAllocMapped | cudaHostAllocWriteCombined));
    FAILS(cudaErrorInvalidValue, cudaHostGetFlags(&flags, &flags));
    FAILS(cudaErrorInvalidValue, cudaHostGetFlags(nullptr, memory));
    CUDA(cudaFreeHost(memory));
    CUDA(cudaStreamDestroy(plain));
    CUDA(cudaStreamDestroy(urgent));
}

int main() {
    cudaStream_t stream;
    CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    shapes(stream);
    variables(stream);
    pools(stream);
    streams();
    return DONE;
}
