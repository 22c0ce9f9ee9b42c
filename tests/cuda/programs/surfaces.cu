// Surfaces that kernels read, write and add to; textures of memory without an array; copies of arrays.
// alone
#include "check.h"
#include "parts/host_texture.h"
#include <vector>

using namespace host_texture;

static cudaSurfaceObject_t surface_of(cudaArray_t array) {
    cudaResourceDesc what = {};
    cudaSurfaceObject_t surface;
    what.resType = cudaResourceTypeArray;
    what.res.array.array = array;
    CUDA(cudaCreateSurfaceObject(&surface, &what));
    return surface;
}

template <typename T>
static cudaArray_t array_for_surface(size_t width, size_t height, size_t depth, unsigned flags) {
    cudaArray_t array;
    cudaChannelFormatDesc channels = cudaCreateChannelDesc<T>();
    CUDA(cudaMalloc3DArray(&array, &channels, make_cudaExtent(width, height, depth),
                           flags | cudaArraySurfaceLoadStore));
    return array;
}

// ---- two dimensions: each row turned round

__global__ void turn_rows(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= width)
        return;
    uchar4 c = surf2Dread<uchar4>(from, x * 4, y);
    surf2Dwrite(make_uchar4(c.w, c.z, c.y, y), to, (width - 1 - x) * 4, y);
}

static void check_rows() {
    const int width = 50, height = 20;
    numbers n = {11};
    std::vector<uchar4> texels(width * height), got(width * height);
    for (uchar4 &t : texels)
        t = make_uchar4(n.next(), n.next(), n.next(), n.next());
    cudaArray_t a = array_for_surface<uchar4>(width, height, 0, 0),
                b = array_for_surface<uchar4>(width, height, 0, 0);
    CUDA(cudaMemcpyToArray(a, 0, 0, texels.data(), texels.size() * 4, cudaMemcpyHostToDevice));
    cudaSurfaceObject_t from = surface_of(a), to = surface_of(b);
    turn_rows<<<dim3(2, height), 32>>>(from, to, width, height);
    CUDA(cudaMemcpy2DFromArray(got.data(), width * 4, b, 0, 0, width * 4, height,
                               cudaMemcpyDeviceToHost));
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            const uchar4 is = got[y * width + width - 1 - x], was = texels[y * width + x];
            CHECK(is.x == was.w && is.y == was.z && is.z == was.y && is.w == y);
        }
    cudaResourceDesc what;
    CUDA(cudaGetSurfaceObjectResourceDesc(&what, to));
    CHECK(what.resType == cudaResourceTypeArray && what.res.array.array == b);
    CUDA(cudaDestroySurfaceObject(from));
    CUDA(cudaDestroySurfaceObject(to));
    CHECK(cudaDestroySurfaceObject(to) == cudaErrorInvalidValue);
    cudaGetLastError();
    CUDA(cudaFreeArray(a));
    CUDA(cudaFreeArray(b));
}

// ---- all geometries

enum shape { LINE, BOX, LAYERS_OF_LINES, LAYERS_OF_PLANES, FACES };

__global__ void add_places(int shape, cudaSurfaceObject_t s) {
    int x = threadIdx.x, y = blockIdx.x, z = blockIdx.y;
    float2 v;
    switch (shape) {
    case LINE:
        v = surf1Dread<float2>(s, x * 8);
        surf1Dwrite(make_float2(v.x + x, v.y), s, x * 8);
        break;
    case BOX:
        v = surf3Dread<float2>(s, x * 8, y, z);
        surf3Dwrite(make_float2(v.x + x, v.y + y + 100 * z), s, x * 8, y, z);
        break;
    case LAYERS_OF_LINES:
        v = surf1DLayeredread<float2>(s, x * 8, z);
        surf1DLayeredwrite(make_float2(v.x + x, v.y + 100 * z), s, x * 8, z);
        break;
    case LAYERS_OF_PLANES:
        v = surf2DLayeredread<float2>(s, x * 8, y, z);
        surf2DLayeredwrite(make_float2(v.x + x, v.y + y + 100 * z), s, x * 8, y, z);
        break;
    case FACES:
        v = surfCubemapread<float2>(s, x * 8, y, z);
        surfCubemapwrite(make_float2(v.x + x, v.y + y + 100 * z), s, x * 8, y, z);
        break;
    }
}

static void check_shape(int shape, int width, int height, int depth, unsigned flags) {
    const int rows = height ? height : 1, planes = depth ? depth : 1;
    std::vector<float2> texels(width * rows * planes), got(texels.size());
    for (size_t i = 0; i < texels.size(); i++)
        texels[i] = make_float2(i, -(float)i);
    cudaArray_t array = array_for_surface<float2>(width, height, depth, flags);
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(texels.data(), width * 8, width, rows);
    copy.dstArray = array;
    copy.extent = make_cudaExtent(width, rows, planes);
    copy.kind = cudaMemcpyHostToDevice;
    CUDA(cudaMemcpy3D(&copy));
    cudaSurfaceObject_t s = surface_of(array);
    add_places<<<dim3(rows, planes), width>>>(shape, s);
    copy = {};
    copy.srcArray = array;
    copy.dstPtr = make_cudaPitchedPtr(got.data(), width * 8, width, rows);
    copy.extent = make_cudaExtent(width, rows, planes);
    copy.kind = cudaMemcpyDeviceToHost;
    CUDA(cudaMemcpy3D(&copy));
    for (int z = 0; z < planes; z++)
        for (int y = 0; y < rows; y++)
            for (int x = 0; x < width; x++) {
                const int i = (z * rows + y) * width + x;
                CHECK(got[i].x == i + x && got[i].y == -i + y + 100 * z);
            }
    CUDA(cudaDestroySurfaceObject(s));
    CUDA(cudaFreeArray(array));
}

// ---- what lies outside

__global__ void look_around(cudaSurfaceObject_t s, int *zeros, int *nearest, int width,
                            int height) {
    int x = (int)threadIdx.x - 4, y = (int)blockIdx.x - 4,
        i = blockIdx.x * blockDim.x + threadIdx.x;
    zeros[i] = surf2Dread<int>(s, x * 4, y, cudaBoundaryModeZero);
    nearest[i] = surf2Dread<int>(s, x * 4, y, cudaBoundaryModeClamp);
}
__global__ void write_around(cudaSurfaceObject_t s) {
    int x = (int)threadIdx.x - 4, y = (int)blockIdx.x - 4;
    surf2Dwrite(1000 * y + x, s, x * 4, y, cudaBoundaryModeZero);
}

static void check_outside() {
    const int width = 8, height = 6, wide = width + 8, high = height + 8;
    int *zeros, *nearest;
    CUDA(cudaMallocManaged(&zeros, wide * high * sizeof(int)));
    CUDA(cudaMallocManaged(&nearest, wide * high * sizeof(int)));
    cudaArray_t array = array_for_surface<int>(width, height, 0, 0);
    cudaSurfaceObject_t s = surface_of(array);
    write_around<<<high, wide>>>(s);
    look_around<<<high, wide>>>(s, zeros, nearest, width, height);
    CUDA(cudaDeviceSynchronize());
    for (int y = -4; y < height + 4; y++)
        for (int x = -4; x < width + 4; x++) {
            const int i = (y + 4) * wide + x + 4;
            const bool inside = x >= 0 && x < width && y >= 0 && y < height;
            const int at_x = x < 0 ? 0 : x < width ? x : width - 1;
            const int at_y = y < 0 ? 0 : y < height ? y : height - 1;
            CHECK(zeros[i] == (inside ? 1000 * y + x : 0));
            CHECK(nearest[i] == 1000 * at_y + at_x);
        }
    CUDA(cudaDestroySurfaceObject(s));
    CUDA(cudaFreeArray(array));
    CUDA(cudaFree(zeros));
    CUDA(cudaFree(nearest));
}

// ---- what PTX has and CUDA C++ has not: additions, and sizes

__global__ void count_places(cudaSurfaceObject_t s, unsigned *sizes) {
    int x = threadIdx.x % 8, y = threadIdx.x / 8 % 4;
    asm volatile("sured.b.add.2d.u32.trap [%0, {%1, %2}], %3;" ::"l"(s), "r"(x * 4), "r"(y),
                 "r"(threadIdx.x)
                 : "memory");
    if (threadIdx.x == 0) {
        asm("suq.width.b32 %0, [%1];" : "=r"(sizes[0]) : "l"(s));
        asm("suq.height.b32 %0, [%1];" : "=r"(sizes[1]) : "l"(s));
    }
}

static void check_sums() {
    cudaArray_t array = array_for_surface<unsigned>(8, 4, 0, 0);
    cudaSurfaceObject_t s = surface_of(array);
    unsigned *sizes, zeros[32] = {}, sums[32];
    CUDA(cudaMallocManaged(&sizes, 8));
    CUDA(cudaMemcpyToArray(array, 0, 0, zeros, sizeof zeros, cudaMemcpyHostToDevice));
    count_places<<<1, 256>>>(s, sizes);
    CUDA(cudaMemcpyFromArray(sums, array, 0, 0, sizeof sums, cudaMemcpyDeviceToHost));
    for (unsigned i = 0; i < 32; i++)
        CHECK(sums[i] == 8 * i + 32 * 28);
    CHECK(sizes[0] == 8 && sizes[1] == 4);
    CUDA(cudaFree(sizes));
    CUDA(cudaDestroySurfaceObject(s));
    CUDA(cudaFreeArray(array));
}

// ---- textures of memory

__global__ void fetch_memory(cudaTextureObject_t texture, float2 *to, int first) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = tex1Dfetch<float2>(texture, i + first);
}
__global__ void sample_pitched(cudaTextureObject_t texture, const float2 *at, float *to) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = tex2D<float>(texture, at[i].x, at[i].y);
}

// What lies outside of linear memory is 0.
static void check_memory() {
    const int count = 100;
    float2 *memory, *results, host[count];
    CUDA(cudaMalloc(&memory, sizeof host + 512));
    CUDA(cudaMallocManaged(&results, 128 * sizeof(float2)));
    for (int i = 0; i < count; i++)
        host[i] = make_float2(i + 1, -i - 1);
    float2 *behind = memory + 64;
    CUDA(cudaMemcpy(behind, host, sizeof host, cudaMemcpyHostToDevice));
    cudaResourceDesc what = {}, same;
    cudaTextureDesc how = {}, same_how;
    cudaTextureObject_t texture;
    what.resType = cudaResourceTypeLinear;
    what.res.linear.devPtr = behind;
    what.res.linear.desc = cudaCreateChannelDesc<float2>();
    what.res.linear.sizeInBytes = sizeof host;
    how.filterMode = cudaFilterModePoint;
    CUDA(cudaCreateTextureObject(&texture, &what, &how, nullptr));
    CUDA(cudaGetTextureObjectResourceDesc(&same, texture));
    CUDA(cudaGetTextureObjectTextureDesc(&same_how, texture));
    CHECK(same.res.linear.devPtr == behind && same.res.linear.sizeInBytes == sizeof host);
    CHECK(same_how.filterMode == cudaFilterModePoint);
    fetch_memory<<<4, 32>>>(texture, results, -10);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 128; i++) {
        const bool inside = i >= 10 && i < count + 10;
        CHECK(results[i].x == (inside ? i - 9 : 0) && results[i].y == (inside ? 9 - i : 0));
    }
    CUDA(cudaDestroyTextureObject(texture));
    what.res.linear.sizeInBytes = sizeof host + 4096;
    CHECK(cudaCreateTextureObject(&texture, &what, &how, nullptr) == cudaErrorInvalidValue);
    cudaGetLastError();
    CUDA(cudaFree(memory));
    CUDA(cudaFree(results));
}

static void check_pitched() {
    const int width = 21, height = 13, count = 512;
    numbers n = {15};
    std::vector<float> texels(width * height);
    for (float &t : texels)
        t = n.next() % 1000;
    char *memory;
    float2 *at;
    float *results;
    size_t pitch;
    CUDA(cudaMallocPitch(&memory, &pitch, width * 4, height));
    CUDA(cudaMallocManaged(&at, count * sizeof *at));
    CUDA(cudaMallocManaged(&results, count * sizeof *results));
    CUDA(cudaMemcpy2D(memory, pitch, texels.data(), width * 4, width * 4, height,
                      cudaMemcpyHostToDevice));
    for (int i = 0; i < count; i++)
        at[i] = make_float2((int)(n.next() % 4096 - 1024) / 64.0f,
                            (int)(n.next() % 4096 - 1024) / 64.0f);
    cudaResourceDesc what = {};
    cudaTextureDesc how = {};
    cudaTextureObject_t texture;
    what.resType = cudaResourceTypePitch2D;
    what.res.pitch2D.devPtr = memory;
    what.res.pitch2D.desc = cudaCreateChannelDesc<float>();
    what.res.pitch2D.width = width;
    what.res.pitch2D.height = height;
    what.res.pitch2D.pitchInBytes = pitch;
    how.filterMode = cudaFilterModeLinear;
    how.addressMode[0] = cudaAddressModeBorder;
    how.addressMode[1] = cudaAddressModeClamp;
    CUDA(cudaCreateTextureObject(&texture, &what, &how, nullptr));
    sample_pitched<<<count / 64, 64>>>(texture, at, results);
    CUDA(cudaDeviceSynchronize());
    const sampler s = {{width, height, 0}, {BORDER, CLAMP, 0}, false, true, 0};
    for (int i = 0; i < count; i++) {
        const double x[] = {at[i].x, at[i].y, 0};
        CHECK(is_near(results[i],
                      sample(s, x, [&](int x, int y, int) { return texels[y * width + x]; })));
    }
    CUDA(cudaDestroyTextureObject(texture));
    CUDA(cudaFree(memory));
    CUDA(cudaFree(at));
    CUDA(cudaFree(results));
}

// ---- copies between arrays, parts of them, and what goes beyond

static void check_copies() {
    const int width = 10, height = 6;
    int texels[height][width], got[height][width], part[3][4];
    for (int i = 0; i < width * height; i++)
        texels[i / width][i % width] = i;
    cudaArray_t a = array_for_surface<int>(width, height, 0, 0),
                b = array_for_surface<int>(width, height, 0, 0);
    cudaStream_t stream;
    CUDA(cudaStreamCreate(&stream));
    CUDA(cudaMemcpy2DToArrayAsync(a, 0, 0, texels, sizeof texels[0], sizeof texels[0], height,
                                  cudaMemcpyHostToDevice, stream));
    CUDA(cudaMemcpy2DArrayToArray(b, 0, 0, a, 0, 0, width * 4, height, cudaMemcpyDeviceToDevice));
    CUDA(cudaMemcpy2DArrayToArray(b, 8, 1, a, 0, 0, 16, 3, cudaMemcpyDeviceToDevice));
    CUDA(cudaMemcpy2DFromArrayAsync(part, sizeof part[0], b, 8, 1, sizeof part[0], 3,
                                    cudaMemcpyDeviceToHost, stream));
    CUDA(cudaMemcpyFromArray(got, b, 0, 0, sizeof got, cudaMemcpyDeviceToHost));
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            const bool inside = x >= 2 && x < 6 && y >= 1 && y < 4;
            CHECK(got[y][x] == (inside ? texels[y - 1][x - 2] : texels[y][x]));
            if (inside)
                CHECK(part[y - 1][x - 2] == texels[y - 1][x - 2]);
        }
    // From array to array, texel by texel, with a place in each.
    cudaMemcpy3DParms copy = {};
    copy.srcArray = a;
    copy.srcPos = make_cudaPos(5, 2, 0);
    copy.dstArray = b;
    copy.dstPos = make_cudaPos(1, 0, 0);
    copy.extent = make_cudaExtent(5, 4, 1);
    copy.kind = cudaMemcpyDeviceToDevice;
    CUDA(cudaMemcpy3D(&copy));
    CUDA(cudaMemcpyFromArray(got, b, 0, 0, sizeof got, cudaMemcpyDeviceToHost));
    for (int y = 0; y < 4; y++)
        for (int x = 0; x < 5; x++)
            CHECK(got[y][x + 1] == texels[y + 2][x + 5]);
    copy.extent.width = 6;
    CHECK(cudaMemcpy3D(&copy) == cudaErrorInvalidValue);
    CHECK(cudaMemcpy2DToArray(a, 4, 0, texels, sizeof texels[0], sizeof texels[0], height,
                              cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
    cudaGetLastError();
    CUDA(cudaStreamDestroy(stream));
    CUDA(cudaFreeArray(a));
    CUDA(cudaFreeArray(b));
}

int main() {
    check_rows();
    check_shape(LINE, 64, 0, 0, 0);
    check_shape(BOX, 16, 5, 7, 0);
    check_shape(LAYERS_OF_LINES, 32, 0, 3, cudaArrayLayered);
    check_shape(LAYERS_OF_PLANES, 32, 4, 3, cudaArrayLayered);
    check_shape(FACES, 8, 8, 6, cudaArrayCubemap);
    check_outside();
    check_sums();
    check_memory();
    check_pitched();
    check_copies();
    return DONE;
}
