// The driver's memory of all kinds: its copies and fills, of bytes, rows and boxes, in a stream and
// not, against the same on the host.
// options: -lcuda -w
#include <cuda.h>
#include <cstring>
#include <vector>

#include "check.h"

__global__ void increment(unsigned char *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i]++;
}

const size_t pitch = 24, rows = 6, planes = 3, bytes = pitch * rows * planes;
typedef std::vector<unsigned char> memory;

static CUstream stream;
static CUdeviceptr a, b;

// What is where before each case: other numbers in every byte that one could take for another.
static memory numbers(unsigned first) {
    memory m(bytes);
    for (size_t i = 0; i < bytes; i++)
        m[i] = (unsigned char)(first + i * 7 + i / 64);
    return m;
}
static void put(CUdeviceptr to, const memory &m) { DRIVER(cuMemcpyHtoD_v2(to, m.data(), bytes)); }
static bool holds(CUdeviceptr from, const memory &wanted) {
    memory got(bytes);
    DRIVER(cuMemcpyDtoH_v2(got.data(), from, bytes));
    return got == wanted;
}

static void bytes_in_a_row() {
    memory host = numbers(1), got(bytes), other = numbers(99);
    // Each way to copy starts 3 bytes behind the start and leaves the rest alone.
    for (int way = 0; way < 9; way++) {
        put(a, host);
        put(b, other);
        memory wanted = other;
        std::memcpy(&wanted[5], &host[3], 50);
        CUcontext context;
        DRIVER(cuCtxGetCurrent(&context));
        switch (way) {
        case 0: DRIVER(cuMemcpy(b + 5, a + 3, 50)); break;
        case 1: DRIVER(cuMemcpyAsync(b + 5, a + 3, 50, stream)); break;
        case 2: DRIVER(cuMemcpyDtoD_v2(b + 5, a + 3, 50)); break;
        case 3: DRIVER(cuMemcpyDtoDAsync_v2(b + 5, a + 3, 50, stream)); break;
        case 4: DRIVER(cuMemcpyHtoD_v2(b + 5, &host[3], 50)); break;
        case 5: DRIVER(cuMemcpyHtoDAsync_v2(b + 5, &host[3], 50, stream)); break;
        case 6: DRIVER(cuMemcpyPeer(b + 5, context, a + 3, context, 50)); break;
        case 7: DRIVER(cuMemcpyPeerAsync(b + 5, context, a + 3, context, 50, stream)); break;
        case 8: DRIVER(cuMemcpy(b + 5, (CUdeviceptr)&host[3], 50)); break; // one address space
        }
        DRIVER(cuStreamSynchronize(stream));
        CHECK(holds(b, wanted));
    }
    put(a, host);
    DRIVER(cuMemcpyDtoHAsync_v2(got.data(), a, bytes, stream));
    DRIVER(cuStreamSynchronize(stream));
    CHECK(got == host);
    // Behind the end, not there, of the other side, without a context.
    CHECK(cuMemcpyDtoD_v2(b, a + bytes - 4, 5) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuMemcpyDtoDAsync_v2(b, a, bytes + 1, stream) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuMemcpyHtoDAsync_v2(b, nullptr, 4, stream) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuMemcpyDtoHAsync_v2(got.data(), 0, 4, stream) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuMemcpyHtoDAsync_v2(b, host.data(), 4, (CUstream)&stream) == CUDA_ERROR_INVALID_HANDLE);
    CHECK(cuMemcpyAsync(b, a, 4, (CUstream)&stream) == CUDA_ERROR_INVALID_HANDLE);
    CHECK(cuMemcpyPeer(b, nullptr, a, nullptr, 4) == CUDA_ERROR_INVALID_CONTEXT);
    CHECK(cuMemcpyPeerAsync(b, (CUcontext)&b, a, (CUcontext)&b, 4, stream) ==
          CUDA_ERROR_INVALID_CONTEXT);
    DRIVER(cuMemcpy(b, a, 0));
}

// 10 bytes of 4 rows at (3, 1) of device memory to (2, 2) of host memory, and back.
static void copy_of_rows() {
    const size_t wide = 10, high = 4;
    memory host = numbers(3), device = numbers(120);
    CUDA_MEMCPY2D out = {}, in = {};
    out.srcXInBytes = 3, out.srcY = 1, out.srcMemoryType = CU_MEMORYTYPE_DEVICE, out.srcDevice = a;
    out.srcPitch = pitch;
    out.dstXInBytes = 2, out.dstY = 2, out.dstMemoryType = CU_MEMORYTYPE_HOST;
    out.dstPitch = 16, out.WidthInBytes = wide, out.Height = high;
    in.srcMemoryType = CU_MEMORYTYPE_HOST, in.srcHost = host.data(), in.srcPitch = 20;
    in.dstXInBytes = 14, in.dstMemoryType = CU_MEMORYTYPE_UNIFIED, in.dstDevice = b;
    in.dstPitch = pitch, in.WidthInBytes = wide, in.Height = high;
    for (int way = 0; way < 3; way++) {
        auto copy = [&](const CUDA_MEMCPY2D *c) {
            return way == 0   ? cuMemcpy2D_v2(c)
                   : way == 1 ? cuMemcpy2DUnaligned_v2(c)
                              : cuMemcpy2DAsync_v2(c, stream);
        };
        memory got = numbers(60), wanted = got, wanted_in = device;
        put(a, device);
        put(b, device);
        out.dstHost = got.data();
        DRIVER(copy(&out));
        DRIVER(copy(&in));
        DRIVER(cuStreamSynchronize(stream));
        for (size_t y = 0; y < high; y++)
            for (size_t x = 0; x < wide; x++) {
                wanted[(y + 2) * 16 + x + 2] = device[(y + 1) * pitch + x + 3];
                wanted_in[y * pitch + x + 14] = host[y * 20 + x];
            }
        CHECK(got == wanted && holds(b, wanted_in));
        CHECK(copy(nullptr) == CUDA_ERROR_INVALID_VALUE);
        for (int wrong = 0; wrong < 4; wrong++) {
            CUDA_MEMCPY2D bad = out;
            (wrong == 0   ? bad.srcPitch = wide + 2 // less than the row with its position
             : wrong == 1 ? bad.dstPitch = wide + 1
             : wrong == 2 ? bad.srcY = planes *rows - high + 1 // behind the end
                          : bad.srcDevice = 0);
            CHECK(copy(&bad) == CUDA_ERROR_INVALID_VALUE);
        }
        CUDA_MEMCPY2D bad = out;
        bad.srcMemoryType = (CUmemorytype)0;
        CHECK(copy(&bad) == CUDA_ERROR_INVALID_VALUE);
        bad = out, bad.WidthInBytes = 0;
        DRIVER(copy(&bad));
    }
    CHECK(cuMemcpy2DAsync_v2(&out, (CUstream)&stream) == CUDA_ERROR_INVALID_HANDLE);
}

// 7 x 3 x 2 bytes between boxes on the device.
static void copy_of_boxes() {
    const size_t size[] = {7, 3, 2}, from[] = {4, 2, 1}, to[] = {9, 1, 0};
    CUDA_MEMCPY3D box = {};
    box.srcXInBytes = from[0], box.srcY = from[1], box.srcZ = from[2];
    box.srcMemoryType = box.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    box.srcDevice = a, box.dstDevice = b;
    box.srcPitch = box.dstPitch = pitch, box.srcHeight = box.dstHeight = rows;
    box.dstXInBytes = to[0], box.dstY = to[1], box.dstZ = to[2];
    box.WidthInBytes = size[0], box.Height = size[1], box.Depth = size[2];
    for (int way = 0; way < 2; way++) {
        auto copy = [&](const CUDA_MEMCPY3D *c) {
            return way ? cuMemcpy3DAsync_v2(c, stream) : cuMemcpy3D_v2(c);
        };
        memory source = numbers(10), wanted = numbers(77);
        put(a, source);
        put(b, wanted);
        DRIVER(copy(&box));
        DRIVER(cuStreamSynchronize(stream));
        for (size_t z = 0; z < size[2]; z++)
            for (size_t y = 0; y < size[1]; y++)
                for (size_t x = 0; x < size[0]; x++)
                    wanted[((z + to[2]) * rows + y + to[1]) * pitch + x + to[0]] =
                        source[((z + from[2]) * rows + y + from[1]) * pitch + x + from[0]];
        CHECK(holds(b, wanted));
        CHECK(copy(nullptr) == CUDA_ERROR_INVALID_VALUE);
        CUDA_MEMCPY3D bad = box;
        bad.srcZ = 2; // its last plane is behind the end
        CHECK(copy(&bad) == CUDA_ERROR_INVALID_VALUE);
        bad = box, bad.dstHeight = 3; // less than the rows with their position
        CHECK(copy(&bad) == CUDA_ERROR_INVALID_VALUE);
        bad = box, bad.srcLOD = 1;
        CHECK(copy(&bad) == CUDA_ERROR_INVALID_VALUE);
    }
    CHECK(cuMemcpy3DAsync_v2(&box, (CUstream)&stream) == CUDA_ERROR_INVALID_HANDLE);
}

// Fills of each width, of a row from `at` on and of 3 rows, in both forms.
template <class T, class Fill, class FillAsync, class Rows, class RowsAsync>
static void fills(T value, Fill fill, FillAsync fill_async, Rows fill_rows, RowsAsync rows_async) {
    const size_t at = 8, count = 5, high = 3;
    for (int way = 0; way < 4; way++) {
        memory wanted = numbers(31);
        put(a, wanted);
        switch (way) {
        case 0: DRIVER(fill(a + at, value, count)); break;
        case 1: DRIVER(fill_async(a + at, value, count, stream)); break;
        case 2: DRIVER(fill_rows(a + at, pitch, value, count - 1, high)); break;
        case 3: DRIVER(rows_async(a + at, pitch, value, count - 1, high, stream)); break;
        }
        DRIVER(cuStreamSynchronize(stream));
        for (size_t y = 0; y < (way < 2 ? 1 : high); y++)
            for (size_t x = 0; x < (way < 2 ? count : count - 1); x++)
                std::memcpy(&wanted[at + y * pitch + x * sizeof(T)], &value, sizeof(T));
        CHECK(holds(a, wanted));
    }
    const size_t all = bytes / sizeof(T);
    CHECK(fill(a, value, all + 1) == CUDA_ERROR_INVALID_VALUE);
    CHECK(fill_async(0, value, 1, stream) == CUDA_ERROR_INVALID_VALUE);
    CHECK(fill_async(a, value, 1, (CUstream)&stream) == CUDA_ERROR_INVALID_HANDLE);
    CHECK(fill_rows(a, 2 * sizeof(T), value, 3, 2) == CUDA_ERROR_INVALID_VALUE); // the rows overlap
    CHECK(rows_async(a, pitch, value, 1, rows * planes + 1, stream) == CUDA_ERROR_INVALID_VALUE);
    CHECK(rows_async(a, pitch, value, 1, 1, (CUstream)&stream) == CUDA_ERROR_INVALID_HANDLE);
    if (sizeof(T) > 1) { // neither the address nor the pitch may lie between two values
        CHECK(fill(a + 1, value, 1) == CUDA_ERROR_INVALID_VALUE);
        CHECK(fill_rows(a, pitch + 1, value, 1, 2) == CUDA_ERROR_INVALID_VALUE);
    }
}

static void host_memory() {
    void *pinned, *mapped, *registered = std::calloc(1, bytes);
    CUdeviceptr device;
    unsigned flags;
    DRIVER(cuMemAllocHost_v2(&pinned, bytes));
    DRIVER(cuMemHostAlloc(&mapped, bytes, CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_PORTABLE));
    CHECK(cuMemAllocHost_v2(nullptr, bytes) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuMemAllocHost_v2(&pinned, 0) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuMemHostAlloc(&mapped, bytes, 0x80) == CUDA_ERROR_INVALID_VALUE);
    DRIVER(cuMemHostGetFlags(&flags, mapped));
    CHECK(flags == (CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_PORTABLE));
    CHECK(cuMemHostGetFlags(&flags, registered) == CUDA_ERROR_INVALID_VALUE);
    DRIVER(cuMemHostRegister_v2(registered, bytes, CU_MEMHOSTREGISTER_DEVICEMAP));
    CHECK(cuMemHostRegister_v2(registered, bytes, 0) == CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
    CHECK(cuMemHostRegister_v2(nullptr, bytes, 0) == CUDA_ERROR_INVALID_VALUE);
    // A kernel works on each where the host has it.
    for (void *host : {pinned, mapped, registered}) {
        memory wanted = numbers(5);
        std::memcpy(host, wanted.data(), bytes);
        DRIVER(cuMemHostGetDevicePointer_v2(&device, host, 0));
        increment<<<(bytes + 63) / 64, 64>>>((unsigned char *)device, bytes);
        DRIVER(cuCtxSynchronize());
        for (unsigned char &x : wanted)
            x++;
        CHECK(!std::memcmp(host, wanted.data(), bytes));
    }
    CHECK(cuMemHostGetDevicePointer_v2(&device, pinned, 1) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuMemHostGetDevicePointer_v2(&device, &flags, 0) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuMemHostUnregister(pinned) == CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
    DRIVER(cuMemHostUnregister(registered));
    CHECK(cuMemHostUnregister(registered) == CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
    DRIVER(cuMemFreeHost(pinned));
    DRIVER(cuMemFreeHost(mapped));
    CHECK(cuMemFreeHost(mapped) == CUDA_ERROR_INVALID_VALUE);
    std::free(registered);
}

static void device_memory() {
    CUdeviceptr pitched, managed;
    size_t width, before, total, after;
    DRIVER(cuMemGetInfo_v2(&before, &total));
    CHECK(before <= total && cuMemGetInfo_v2(nullptr, &total) == CUDA_ERROR_INVALID_VALUE);
    DRIVER(cuMemAllocPitch_v2(&pitched, &width, 1000, 7, 16));
    CHECK(width >= 1000 && width % 16 == 0);
    DRIVER(cuMemsetD2D8_v2(pitched, width, 1, 1000, 7));
    CHECK(cuMemsetD8_v2(pitched, 1, 7 * width + 1) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuMemAllocPitch_v2(&pitched, &width, 1000, 7, 5) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuMemAllocPitch_v2(&pitched, nullptr, 1000, 7, 4) == CUDA_ERROR_INVALID_VALUE);
    DRIVER(cuMemFree(pitched));
    DRIVER(cuMemAllocManaged(&managed, bytes, CU_MEM_ATTACH_GLOBAL));
    CHECK(cuMemAllocManaged(&managed, bytes, 0) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuMemAllocManaged(&managed, 0, CU_MEM_ATTACH_GLOBAL) == CUDA_ERROR_INVALID_VALUE);
    // Its bytes are the host's too, wherever they are said to be.
    CUmemLocation device = {CU_MEM_LOCATION_TYPE_DEVICE, 0}, host = {CU_MEM_LOCATION_TYPE_HOST, 0};
    CUmemLocation other = {CU_MEM_LOCATION_TYPE_DEVICE, 1}, none = {};
    DRIVER(cuMemAdvise_v2(managed, bytes, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, device));
    DRIVER(cuMemAdvise_v2(managed, bytes, CU_MEM_ADVISE_SET_READ_MOSTLY, none)); // it is for all
    CHECK(cuMemAdvise_v2(managed, bytes, CU_MEM_ADVISE_SET_ACCESSED_BY, other) ==
          CUDA_ERROR_INVALID_DEVICE);
    CHECK(cuMemAdvise_v2(managed, bytes, CU_MEM_ADVISE_SET_ACCESSED_BY, none) ==
          CUDA_ERROR_INVALID_VALUE);
    CHECK(cuMemAdvise_v2(managed, bytes, (CUmem_advise)99, device) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuMemAdvise_v2(a, bytes, CU_MEM_ADVISE_SET_READ_MOSTLY, device) ==
          CUDA_ERROR_INVALID_VALUE);
    std::memset((void *)managed, 4, bytes);
    DRIVER(cuMemPrefetchAsync_v2(managed, bytes, device, 0, stream));
    increment<<<(bytes + 63) / 64, 64, 0, stream>>>((unsigned char *)managed, bytes);
    DRIVER(cuMemPrefetchAsync_v2(managed, bytes, host, 0, stream));
    DRIVER(cuStreamSynchronize(stream));
    CHECK(memory((unsigned char *)managed, (unsigned char *)managed + bytes) == memory(bytes, 5));
    CHECK(cuMemPrefetchAsync_v2(managed, bytes + 1, device, 0, stream) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuMemPrefetchAsync_v2(managed, bytes, device, 1, stream) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuMemPrefetchAsync_v2(managed, bytes, other, 0, stream) == CUDA_ERROR_INVALID_DEVICE);
    CHECK(cuMemPrefetchAsync_v2(managed, bytes, none, 0, stream) == CUDA_ERROR_INVALID_VALUE);
    // As CUDA 12 calls it, which has the host as device -1.
    typedef CUresult prefetch(CUdeviceptr, size_t, CUdevice, CUstream);
    void *first;
    DRIVER(cuGetProcAddress("cuMemPrefetchAsync", &first, 12000, 0, nullptr));
    DRIVER(((prefetch *)first)(managed, bytes, CU_DEVICE_CPU, stream));
    CHECK(((prefetch *)first)(managed, bytes, 1, stream) == CUDA_ERROR_INVALID_DEVICE);
    CHECK(((prefetch *)first)(managed, bytes, -2, stream) == CUDA_ERROR_INVALID_DEVICE);
    // Attached as a whole, and alone to no stream that is every stream's.
    DRIVER(cuStreamAttachMemAsync(stream, managed, 0, CU_MEM_ATTACH_SINGLE));
    DRIVER(cuStreamAttachMemAsync(nullptr, managed, bytes, CU_MEM_ATTACH_GLOBAL));
    CHECK(cuStreamAttachMemAsync(nullptr, managed, 0, CU_MEM_ATTACH_SINGLE) ==
          CUDA_ERROR_INVALID_VALUE);
    CHECK(cuStreamAttachMemAsync(stream, managed, bytes / 2, CU_MEM_ATTACH_SINGLE) ==
          CUDA_ERROR_INVALID_VALUE);
    CHECK(cuStreamAttachMemAsync(stream, managed, 0, 3) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuStreamAttachMemAsync(stream, a, 0, CU_MEM_ATTACH_HOST) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuStreamAttachMemAsync((CUstream)&a, managed, 0, CU_MEM_ATTACH_HOST) ==
          CUDA_ERROR_INVALID_HANDLE);
    // What a pointer points to.
    CUpointer_attribute asked[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                   CU_POINTER_ATTRIBUTE_IS_MANAGED, CU_POINTER_ATTRIBUTE_RANGE_SIZE,
                                   CU_POINTER_ATTRIBUTE_RANGE_START_ADDR};
    unsigned type, is_managed;
    size_t size;
    CUdeviceptr start;
    void *answers[] = {&type, &is_managed, &size, &start};
    DRIVER(cuPointerGetAttributes(4, asked, answers, managed + 9));
    CHECK(type == CU_MEMORYTYPE_DEVICE && is_managed && size == bytes && start == managed);
    DRIVER(cuPointerGetAttributes(4, asked, answers, (CUdeviceptr)&type)); // of no interest to CUDA
    CHECK(!type && !size && !start);
    CHECK(cuPointerGetAttributes(4, nullptr, answers, managed) == CUDA_ERROR_INVALID_VALUE);
    DRIVER(cuMemFree(managed));
    DRIVER(cuMemGetInfo_v2(&after, &total));
    CHECK(after <= total);
}

int main() {
    CUcontext context;
    DRIVER(cuInit(0));
    DRIVER(cuDevicePrimaryCtxRetain(&context, 0));
    DRIVER(cuCtxSetCurrent(context));
    DRIVER(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    DRIVER(cuMemAlloc(&a, bytes));
    DRIVER(cuMemAlloc(&b, bytes));
    bytes_in_a_row();
    copy_of_rows();
    copy_of_boxes();
    fills<unsigned char>(0xa5, cuMemsetD8_v2, cuMemsetD8Async, cuMemsetD2D8_v2, cuMemsetD2D8Async);
    fills<unsigned short>(0xa55b, cuMemsetD16_v2, cuMemsetD16Async, cuMemsetD2D16_v2,
                          cuMemsetD2D16Async);
    fills<unsigned>(0xa55bc33d, cuMemsetD32_v2, cuMemsetD32Async, cuMemsetD2D32_v2,
                    cuMemsetD2D32Async);
    host_memory();
    device_memory();
    DRIVER(cuMemFree(a));
    DRIVER(cuMemFree(b));
    return DONE;
}
