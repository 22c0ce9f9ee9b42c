// Arrays of the driver: copies of bytes, levels, texture and surface objects and views of them, all that
// texture references are told and tell, and how many clusters a device holds.
// options: -lcuda -w
#include <cuda.h>
#include <cstring>
#include <dlfcn.h>
#include <vector>

#include "check.h"
#include "parts/host_texture.h"

using namespace host_texture;

static const char text[] = R"(
.version 7.8
.target sm_90
.address_size 64
.global .texref picture;
.global .surfref sheet;
.visible .entry fetch(.param .u64 at, .param .u64 to, .param .f32 level) {
    .reg .b32 %r<4>;
    .reg .f32 %f<8>;
    .reg .b64 %rd<6>;
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %ntid.x;
    mov.u32 %r3, %ctaid.x;
    mad.lo.u32 %r1, %r3, %r2, %r1;
    ld.param.u64 %rd1, [at];
    ld.param.u64 %rd2, [to];
    ld.param.f32 %f1, [level];
    mul.wide.u32 %rd3, %r1, 8;
    add.u64 %rd1, %rd1, %rd3;
    ld.global.v2.f32 {%f2, %f3}, [%rd1];
    tex.level.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [picture, {%f2, %f3}], %f1;
    mul.wide.u32 %rd3, %r1, 16;
    add.u64 %rd2, %rd2, %rd3;
    st.global.v4.f32 [%rd2], {%f4, %f5, %f6, %f7};
    ret;
}
.visible .entry free_clusters() { ret; }
.visible .entry set_clusters() .reqnctapercluster 2, 2 { ret; }
)";

__global__ void fetch_level(cudaTextureObject_t texture, const float2 *at, float4 *to,
                            float level) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = tex2DLod<float4>(texture, at[i].x, at[i].y, level);
}
__global__ void fetch_layer(cudaTextureObject_t texture, float *to, int layer) {
    const int x = threadIdx.x, y = blockIdx.x;
    to[y * blockDim.x + x] = tex2DLayered<float>(texture, x, y, layer);
}
__global__ void triple(cudaSurfaceObject_t surface) {
    const int x = threadIdx.x * 4, y = blockIdx.x;
    surf2Dwrite(3 * surf2Dread<int>(surface, x, y) + 1, surface, x, y);
}

static const int POINTS = 256;
static CUstream stream;
static std::vector<float2> at;
static float2 *device_at;
static float4 *to;

// From half a side before the texture to half a side behind it, in steps that both sides compute exactly.
static void choose_points() {
    numbers n = {5};
    for (int i = 0; i < POINTS; i++)
        at.push_back(make_float2(((int)(n.next() % 2048) - 512) / 1024.0f,
                                 ((int)(n.next() % 2048) - 512) / 1024.0f));
    CUDA(cudaMalloc(&device_at, POINTS * sizeof(float2)));
    CUDA(cudaMemcpy(device_at, at.data(), POINTS * sizeof(float2), cudaMemcpyHostToDevice));
    CUDA(cudaMallocManaged(&to, POINTS * sizeof(float4)));
}

static CUDA_ARRAY3D_DESCRIPTOR described(size_t width, size_t height, size_t depth,
                                         CUarray_format format, unsigned channels, unsigned flags) {
    return {width, height, depth, format, channels, flags};
}

static void descriptors() {
    CUDA_ARRAY3D_DESCRIPTOR got;
    for (const CUDA_ARRAY3D_DESCRIPTOR &d :
         {described(7, 0, 0, CU_AD_FORMAT_HALF, 2, 0),
          described(9, 5, 0, CU_AD_FORMAT_SIGNED_INT8, 4, CUDA_ARRAY3D_SURFACE_LDST),
          described(4, 3, 2, CU_AD_FORMAT_FLOAT, 1, 0),
          described(6, 6, 12, CU_AD_FORMAT_UNSIGNED_INT16, 1,
                    CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP)}) {
        CUarray array;
        DRIVER(cuArray3DCreate(&array, &d));
        DRIVER(cuArray3DGetDescriptor(&got, array));
        CHECK(got.Width == d.Width && got.Height == d.Height && got.Depth == d.Depth);
        CHECK(got.Format == d.Format && got.NumChannels == d.NumChannels && got.Flags == d.Flags);
        CHECK(cuArray3DGetDescriptor(nullptr, array) == CUDA_ERROR_INVALID_VALUE);
        DRIVER(cuArrayDestroy(array));
        CHECK(cuArray3DGetDescriptor(&got, array) == CUDA_ERROR_INVALID_HANDLE);
    }
    // A texture of memory may be as wide as the attribute says.
    size_t width = 0;
    int wanted;
    DRIVER(cuDeviceGetAttribute(&wanted, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH, 0));
    DRIVER(cuDeviceGetTexture1DLinearMaxWidth(&width, CU_AD_FORMAT_FLOAT, 4, 0));
    CHECK(width == (size_t)wanted);
    CHECK(cuDeviceGetTexture1DLinearMaxWidth(&width, CU_AD_FORMAT_FLOAT, 3, 0) ==
          CUDA_ERROR_INVALID_VALUE);
    CHECK(cuDeviceGetTexture1DLinearMaxWidth(nullptr, CU_AD_FORMAT_FLOAT, 4, 0) ==
          CUDA_ERROR_INVALID_VALUE);
    CHECK(cuDeviceGetTexture1DLinearMaxWidth(&width, CU_AD_FORMAT_FLOAT, 4, 1) ==
          CUDA_ERROR_INVALID_DEVICE);
}

// Each way moves bytes of the middle, and leaves the rest alone.
static void copies() {
    const size_t bytes = 60;
    const CUDA_ARRAY3D_DESCRIPTOR line =
        described(bytes / 4, 0, 0, CU_AD_FORMAT_UNSIGNED_INT32, 1, 0);
    unsigned char first[bytes], second[bytes], got[bytes];
    CUarray array;
    CUdeviceptr memory;
    for (size_t i = 0; i < bytes; i++) {
        first[i] = (unsigned char)(3 * i + 1);
        second[i] = (unsigned char)(200 - i);
    }
    DRIVER(cuArray3DCreate(&array, &line));
    DRIVER(cuMemAlloc(&memory, bytes));
    // To the array.
    for (int way = 0; way < 2; way++) {
        DRIVER(cuMemcpyHtoA(array, 0, first, bytes));
        DRIVER(cuMemcpyHtoD(memory, second, bytes));
        if (way == 0)
            DRIVER(cuMemcpyHtoAAsync(array, 8, second + 12, 20, stream));
        else
            DRIVER(cuMemcpyDtoA(array, 8, memory + 12, 20));
        DRIVER(cuStreamSynchronize(stream));
        DRIVER(cuMemcpyAtoH(got, array, 0, bytes));
        CHECK(!std::memcmp(got, first, 8) && !std::memcmp(got + 8, second + 12, 20) &&
              !std::memcmp(got + 28, first + 28, bytes - 28));
    }
    // From it.
    DRIVER(cuMemcpyHtoA(array, 0, first, bytes));
    for (int way = 0; way < 2; way++) {
        std::memcpy(got, second, bytes);
        if (way == 0) {
            DRIVER(cuMemcpyAtoHAsync(got + 8, array, 16, 40, stream));
            DRIVER(cuStreamSynchronize(stream));
        } else {
            DRIVER(cuMemcpyAtoD(memory + 8, array, 16, 40));
            DRIVER(cuMemcpyDtoH(got, memory, bytes));
        }
        CHECK(!std::memcmp(got, second, 8) && !std::memcmp(got + 8, first + 16, 40) &&
              !std::memcmp(got + 48, second + 48, bytes - 48));
    }
    // The last byte there is, and one behind it; no array; no stream.
    DRIVER(cuMemcpyDtoA(array, bytes - 4, memory, 4));
    CHECK(cuMemcpyHtoAAsync(array, bytes - 4, first, 8, stream) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuMemcpyAtoHAsync(got, array, 4, bytes, stream) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuMemcpyDtoA(array, bytes + 4, memory, 0) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuMemcpyAtoD(memory, array, 4, bytes) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuMemcpyAtoD(memory, nullptr, 0, 4) != CUDA_SUCCESS);
    CHECK(cuMemcpyDtoA((CUarray)&memory, 0, memory, 4) == CUDA_ERROR_INVALID_HANDLE);
    CHECK(cuMemcpyHtoAAsync(array, 0, first, 4, (CUstream)&memory) == CUDA_ERROR_INVALID_HANDLE);
    DRIVER(cuMemFree(memory));
    DRIVER(cuArrayDestroy(array));
}

// Levels of 16 by 8 texels, 8 by 4 and so on, each with numbers of its own.
struct levels {
    enum { WIDTH = 16, HEIGHT = 8, COUNT = 5 };
    CUmipmappedArray array;
    std::vector<float4> texels[COUNT];
};
static int side_of(int size, int level) { return size >> level ? size >> level : 1; }

static void copy_plane(CUarray array, void *host, size_t row, size_t height, bool to_array) {
    CUDA_MEMCPY2D copy = {};
    copy.srcMemoryType = to_array ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_ARRAY;
    copy.dstMemoryType = to_array ? CU_MEMORYTYPE_ARRAY : CU_MEMORYTYPE_HOST;
    (to_array ? copy.dstArray : copy.srcArray) = array;
    copy.srcHost = copy.dstHost = host;
    copy.srcPitch = copy.dstPitch = copy.WidthInBytes = row;
    copy.Height = height;
    DRIVER(cuMemcpy2D(&copy));
}

static levels make_levels() {
    levels l;
    numbers n = {9};
    CUarray level;
    CUDA_ARRAY3D_DESCRIPTOR got;
    const CUDA_ARRAY3D_DESCRIPTOR d =
        described(levels::WIDTH, levels::HEIGHT, 0, CU_AD_FORMAT_FLOAT, 4, 0);
    // More than there can be are as many as there can be.
    DRIVER(cuMipmappedArrayCreate(&l.array, &d, 99));
    for (int i = 0; i < levels::COUNT; i++) {
        const int width = side_of(levels::WIDTH, i), height = side_of(levels::HEIGHT, i);
        for (int k = 0; k < width * height; k++)
            l.texels[i].push_back(
                make_float4(n.next() % 1000, n.next() % 1000, n.next() % 1000, i));
        DRIVER(cuMipmappedArrayGetLevel(&level, l.array, i));
        DRIVER(cuArray3DGetDescriptor(&got, level));
        CHECK(got.Width == width && got.Height == height && got.Depth == 0);
        copy_plane(level, l.texels[i].data(), width * sizeof(float4), height, true);
        CHECK(cuArrayDestroy(level) != CUDA_SUCCESS); // it goes with all
    }
    CHECK(cuMipmappedArrayGetLevel(&level, l.array, levels::COUNT) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuMipmappedArrayGetLevel(nullptr, l.array, 0) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuMipmappedArrayGetLevel(&level, (CUmipmappedArray)level, 0) ==
          CUDA_ERROR_INVALID_HANDLE);
    return l;
}

// What was fetched, by normalised coordinates, at a level between the first and the last, of levels.
static void check_levels(const levels &l, double level, bool between, bool linear, int mode) {
    const int low = (int)std::floor(between ? level : level + 0.5);
    const double above = between ? std::nearbyint((level - low) * 256) / 256 : 0;
    for (int i = 0; i < POINTS; i++) {
        double x = 0, z = 0;
        for (int n = low; n <= low + (above > 0); n++) {
            const int width = side_of(levels::WIDTH, n), height = side_of(levels::HEIGHT, n);
            const sampler s = {{width, height, 0}, {mode, mode, 0}, true, linear, 0};
            const double p[] = {at[i].x, at[i].y, 0};
            const double weight = n == low ? 1 - above : above;
            x += weight *
                 sample(s, p, [&](int x, int y, int) { return l.texels[n][y * width + x].x; });
            z += weight *
                 sample(s, p, [&](int x, int y, int) { return l.texels[n][y * width + x].z; });
        }
        CHECK(is_near(to[i].x, x) && is_near(to[i].z, z));
    }
}

static void objects(const levels &l) {
    CUDA_RESOURCE_DESC what, same_what;
    CUDA_TEXTURE_DESC how, same_how;
    CUDA_RESOURCE_VIEW_DESC view = {}, same_view;
    CUtexObject object, viewed;
    std::memset(&what, 0, sizeof what);
    std::memset(&how, 0, sizeof how);
    what.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
    what.res.mipmap.hMipmappedArray = l.array;
    how.addressMode[0] = how.addressMode[1] = CU_TR_ADDRESS_MODE_MIRROR;
    how.filterMode = how.mipmapFilterMode = CU_TR_FILTER_MODE_LINEAR;
    how.flags = CU_TRSF_NORMALIZED_COORDINATES;
    how.maxAnisotropy = 1;
    how.mipmapLevelBias = 0.5f;
    how.minMipmapLevelClamp = 0.25f;
    how.maxMipmapLevelClamp = 3.75f;
    DRIVER(cuTexObjectCreate(&object, &what, &how, nullptr));
    DRIVER(cuTexObjectGetResourceDesc(&same_what, object));
    DRIVER(cuTexObjectGetTextureDesc(&same_how, object));
    CHECK(!std::memcmp(&what, &same_what, sizeof what));
    CHECK(!std::memcmp(&how, &same_how, sizeof how));
    CHECK(cuTexObjectGetResourceViewDesc(&same_view, object) == CUDA_ERROR_INVALID_VALUE); // none
    CHECK(cuTexObjectGetTextureDesc(nullptr, object) == CUDA_ERROR_INVALID_VALUE);
    for (float level : {-2.0f, 0.125f, 1.0f, 2.75f, 9.0f}) {
        fetch_level<<<POINTS / 64, 64>>>(object, device_at, to, level);
        CUDA(cudaDeviceSynchronize());
        const double biased = level + 0.5;
        check_levels(l, biased < 0.25 ? 0.25 : biased > 3.75 ? 3.75 : biased, true, true, MIRROR);
    }
    // Of the second level to the fourth, which are counted from 0 on.
    view.format = CU_RES_VIEW_FORMAT_NONE;
    view.width = levels::WIDTH;
    view.height = levels::HEIGHT;
    view.firstMipmapLevel = 1;
    view.lastMipmapLevel = 3;
    DRIVER(cuTexObjectCreate(&viewed, &what, &how, &view));
    DRIVER(cuTexObjectGetResourceViewDesc(&same_view, viewed));
    CHECK(!std::memcmp(&view, &same_view, sizeof view));
    CHECK(cuTexObjectGetResourceViewDesc(nullptr, viewed) == CUDA_ERROR_INVALID_VALUE);
    for (float level : {-2.0f, 0.0f, 1.25f, 9.0f}) {
        fetch_level<<<POINTS / 64, 64>>>(viewed, device_at, to, level);
        CUDA(cudaDeviceSynchronize());
        const double biased = level + 0.5;
        check_levels(l, 1 + (biased < 0.25 ? 0.25 : biased > 2 ? 2 : biased), true, true, MIRROR);
    }
    DRIVER(cuTexObjectDestroy(viewed));
    CHECK(cuTexObjectGetTextureDesc(&same_how, viewed) == CUDA_ERROR_INVALID_VALUE);
    // Levels, sizes and formats that there are not, and a resource with flags.
    view.lastMipmapLevel = levels::COUNT;
    CHECK(cuTexObjectCreate(&viewed, &what, &how, &view) == CUDA_ERROR_INVALID_VALUE);
    view.lastMipmapLevel = 3;
    view.width = levels::WIDTH / 2;
    CHECK(cuTexObjectCreate(&viewed, &what, &how, &view) == CUDA_ERROR_INVALID_VALUE);
    view.width = levels::WIDTH;
    view.format = CU_RES_VIEW_FORMAT_UINT_1X8;
    CHECK(cuTexObjectCreate(&viewed, &what, &how, &view) == CUDA_ERROR_INVALID_VALUE);
    what.flags = 1;
    CHECK(cuTexObjectCreate(&viewed, &what, &how, nullptr) == CUDA_ERROR_INVALID_VALUE);
    what.flags = 0;
    how.flags = 0; // levels have normalised coordinates alone
    CHECK(cuTexObjectCreate(&viewed, &what, &how, nullptr) == CUDA_ERROR_INVALID_VALUE);
    DRIVER(cuTexObjectDestroy(object));
}

// Words that are viewed as four bytes each, from 0 to 1; memory has no views, and no filter.
static void other_formats() {
    const int width = 8, height = 4;
    const CUDA_ARRAY3D_DESCRIPTOR d =
        described(width, height, 0, CU_AD_FORMAT_UNSIGNED_INT32, 1, 0);
    numbers n = {3};
    std::vector<uchar4> texels;
    CUarray array;
    CUtexObject object;
    CUDA_RESOURCE_DESC what = {};
    CUDA_TEXTURE_DESC how = {};
    CUDA_RESOURCE_VIEW_DESC view = {};
    for (int i = 0; i < width * height; i++)
        texels.push_back(make_uchar4(n.next(), n.next(), n.next(), n.next()));
    DRIVER(cuArray3DCreate(&array, &d));
    copy_plane(array, texels.data(), width * 4, height, true);
    what.resType = CU_RESOURCE_TYPE_ARRAY;
    what.res.array.hArray = array;
    how.addressMode[0] = how.addressMode[1] = CU_TR_ADDRESS_MODE_WRAP;
    how.filterMode = CU_TR_FILTER_MODE_LINEAR;
    how.flags = CU_TRSF_NORMALIZED_COORDINATES;
    view.format = CU_RES_VIEW_FORMAT_UINT_4X8;
    view.width = width;
    view.height = height;
    CHECK(cuTexObjectCreate(&object, &what, &how, nullptr) != CUDA_SUCCESS); // words are no floats
    DRIVER(cuTexObjectCreate(&object, &what, &how, &view));
    fetch_level<<<POINTS / 64, 64>>>(object, device_at, to, 0);
    CUDA(cudaDeviceSynchronize());
    const sampler s = {{width, height, 0}, {WRAP, WRAP, 0}, true, true, 0};
    for (int i = 0; i < POINTS; i++) {
        const double p[] = {at[i].x, at[i].y, 0};
        CHECK(is_near(to[i].x, sample(s, p, [&](int x, int y, int) {
                          return texels[y * width + x].x / 255.0;
                      })));
        CHECK(is_near(to[i].w, sample(s, p, [&](int x, int y, int) {
                          return texels[y * width + x].w / 255.0;
                      })));
    }
    DRIVER(cuTexObjectDestroy(object));
    DRIVER(cuArrayDestroy(array));
    CUdeviceptr memory;
    DRIVER(cuMemAlloc(&memory, 1024));
    what.resType = CU_RESOURCE_TYPE_LINEAR;
    what.res.linear.devPtr = memory;
    what.res.linear.format = CU_AD_FORMAT_UNSIGNED_INT32;
    what.res.linear.numChannels = 1;
    what.res.linear.sizeInBytes = 1024;
    view.width = 256;
    view.height = 0;
    view.format = CU_RES_VIEW_FORMAT_NONE;
    how.flags = CU_TRSF_READ_AS_INTEGER;
    CHECK(cuTexObjectCreate(&object, &what, &how, &view) == CUDA_ERROR_INVALID_VALUE);
    DRIVER(cuTexObjectCreate(&object, &what, &how, nullptr));
    DRIVER(cuTexObjectDestroy(object));
    DRIVER(cuMemFree(memory));
}

// The second layer and the third of four; one that there is not is the nearest.
static void layers() {
    const int width = 8, height = 4, count = 4;
    const CUDA_ARRAY3D_DESCRIPTOR d =
        described(width, height, count, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_LAYERED);
    float texels[count][height][width], *got;
    CUarray array;
    CUtexObject object;
    CUDA_MEMCPY3D copy = {};
    CUDA_RESOURCE_DESC what = {};
    CUDA_TEXTURE_DESC how = {};
    CUDA_RESOURCE_VIEW_DESC view = {};
    for (int i = 0; i < count * height * width; i++)
        (&texels[0][0][0])[i] = 2.5f * i + 1;
    DRIVER(cuArray3DCreate(&array, &d));
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = texels;
    copy.srcPitch = copy.WidthInBytes = sizeof **texels;
    copy.srcHeight = copy.Height = height;
    copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.dstArray = array;
    copy.Depth = count;
    DRIVER(cuMemcpy3D(&copy));
    CUDA(cudaMallocManaged(&got, width * height * sizeof *got));
    what.resType = CU_RESOURCE_TYPE_ARRAY;
    what.res.array.hArray = array;
    how.addressMode[0] = how.addressMode[1] = CU_TR_ADDRESS_MODE_CLAMP;
    view.width = width;
    view.height = height;
    view.depth = count;
    view.firstLayer = 1;
    view.lastLayer = 2;
    DRIVER(cuTexObjectCreate(&object, &what, &how, &view));
    for (int layer = 0; layer < 4; layer++) {
        fetch_layer<<<height, width>>>(object, got, layer);
        CUDA(cudaDeviceSynchronize());
        CHECK(!std::memcmp(got, texels[layer ? 2 : 1], sizeof *texels));
    }
    DRIVER(cuTexObjectDestroy(object));
    view.depth = 2;
    CHECK(cuTexObjectCreate(&object, &what, &how, &view) == CUDA_ERROR_INVALID_VALUE);
    view.depth = view.lastLayer = count;
    CHECK(cuTexObjectCreate(&object, &what, &how, &view) == CUDA_ERROR_INVALID_VALUE);
    DRIVER(cuArrayDestroy(array));
    CUDA(cudaFree(got));
}

// Of the second level of an array that surfaces may write.
static void surfaces() {
    const int width = 8, height = 4;
    CUDA_ARRAY3D_DESCRIPTOR d = described(2 * width, 2 * height, 0, CU_AD_FORMAT_SIGNED_INT32, 1,
                                          CUDA_ARRAY3D_SURFACE_LDST);
    CUmipmappedArray mipmap, plain;
    CUarray level, plain_level;
    CUsurfObject surface, none;
    CUDA_RESOURCE_DESC what, same;
    int texels[height][width], got[height][width];
    std::memset(&what, 0, sizeof what);
    for (int i = 0; i < width * height; i++)
        texels[i / width][i % width] = 17 * i - 100;
    DRIVER(cuMipmappedArrayCreate(&mipmap, &d, 2));
    DRIVER(cuMipmappedArrayGetLevel(&level, mipmap, 1));
    copy_plane(level, texels, sizeof *texels, height, true);
    what.resType = CU_RESOURCE_TYPE_ARRAY;
    what.res.array.hArray = level;
    DRIVER(cuSurfObjectCreate(&surface, &what));
    DRIVER(cuSurfObjectGetResourceDesc(&same, surface));
    CHECK(!std::memcmp(&what, &same, sizeof what));
    CHECK(cuSurfObjectGetResourceDesc(nullptr, surface) == CUDA_ERROR_INVALID_VALUE);
    triple<<<height, width>>>(surface);
    CUDA(cudaDeviceSynchronize());
    copy_plane(level, got, sizeof *got, height, false);
    for (int i = 0; i < width * height; i++)
        CHECK(got[i / width][i % width] == 3 * (17 * i - 100) + 1);
    // Neither a flag, nor all levels, nor an array that is not for surfaces.
    CHECK(cuSurfObjectCreate(nullptr, &what) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuSurfObjectCreate(&none, nullptr) == CUDA_ERROR_INVALID_VALUE);
    what.flags = 1;
    CHECK(cuSurfObjectCreate(&none, &what) == CUDA_ERROR_INVALID_VALUE);
    what.flags = 0;
    what.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
    what.res.mipmap.hMipmappedArray = mipmap;
    CHECK(cuSurfObjectCreate(&none, &what) == CUDA_ERROR_INVALID_VALUE);
    d.Flags = 0;
    DRIVER(cuMipmappedArrayCreate(&plain, &d, 2));
    DRIVER(cuMipmappedArrayGetLevel(&plain_level, plain, 1));
    what.resType = CU_RESOURCE_TYPE_ARRAY;
    what.res.array.hArray = plain_level;
    CHECK(cuSurfObjectCreate(&none, &what) == CUDA_ERROR_INVALID_VALUE);
    DRIVER(cuSurfObjectDestroy(surface));
    CHECK(cuSurfObjectDestroy(surface) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuSurfObjectGetResourceDesc(&same, surface) == CUDA_ERROR_INVALID_VALUE);
    DRIVER(cuMipmappedArrayDestroy(plain));
    DRIVER(cuMipmappedArrayDestroy(mipmap));
    CHECK(cuMipmappedArrayDestroy(mipmap) != CUDA_SUCCESS);
    CHECK(cuMipmappedArrayGetLevel(&level, mipmap, 0) != CUDA_SUCCESS);
    d.Width = 0;
    CHECK(cuMipmappedArrayCreate(&plain, &d, 1) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuMipmappedArrayCreate(nullptr, &d, 1) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuMipmappedArrayCreate(&plain, nullptr, 1) == CUDA_ERROR_INVALID_VALUE);
}

static void fetch(CUmodule module, float level) {
    CUfunction kernel;
    void *params[] = {&device_at, &to, &level};
    DRIVER(cuModuleGetFunction(&kernel, module, "fetch"));
    DRIVER(cuLaunchKernel(kernel, POINTS / 64, 1, 1, 64, 1, 1, 0, stream, params, nullptr));
    DRIVER(cuStreamSynchronize(stream));
}

static void reference_of_rows(CUmodule module, CUtexref picture) {
    typedef CUresult set_rows(CUtexref, const CUDA_ARRAY_DESCRIPTOR *, CUdeviceptr, size_t);
    const int width = 12, height = 6;
    const size_t pitch = 256;
    const CUDA_ARRAY_DESCRIPTOR d = {width, height, CU_AD_FORMAT_FLOAT, 2};
    set_rows *ways[] = {(set_rows *)dlsym(RTLD_DEFAULT, "cuTexRefSetAddress2D_v2"),
                        (set_rows *)dlsym(RTLD_DEFAULT, "cuTexRefSetAddress2D_v3")};
    std::vector<float2> rows(pitch / 8 * height);
    numbers n = {13};
    CUdeviceptr memory, got;
    CUarray no_array;
    CUarray_format format;
    CUaddress_mode mode;
    int channels, most;
    DRIVER(cuMemAlloc(&memory, 2 * pitch * height));
    for (float2 &v : rows)
        v = make_float2(n.next() % 4000, n.next() % 4000);
    DRIVER(cuTexRefSetFlags(picture, CU_TRSF_NORMALIZED_COORDINATES));
    DRIVER(cuTexRefSetFilterMode(picture, CU_TR_FILTER_MODE_LINEAR));
    DRIVER(cuTexRefSetAddressMode(picture, 0, CU_TR_ADDRESS_MODE_WRAP));
    DRIVER(cuTexRefSetAddressMode(picture, 1, CU_TR_ADDRESS_MODE_MIRROR));
    DRIVER(cuTexRefGetAddressMode(&mode, picture, 0));
    CHECK(mode == CU_TR_ADDRESS_MODE_WRAP);
    DRIVER(cuTexRefGetAddressMode(&mode, picture, 1));
    CHECK(mode == CU_TR_ADDRESS_MODE_MIRROR);
    CHECK(cuTexRefGetAddressMode(&mode, picture, 7) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuTexRefGetAddressMode(nullptr, picture, 0) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuTexRefSetAddressMode(picture, 0, (CUaddress_mode)4) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuTexRefSetFilterMode(picture, (CUfilter_mode)2) == CUDA_ERROR_INVALID_VALUE);
    for (int way = 0; way < 2; way++) {
        CHECK(ways[way]);
        CHECK(cuTexRefGetAddress(&got, picture) == CUDA_ERROR_INVALID_VALUE); // nothing is bound
        for (size_t i = 0; i < rows.size(); i++)
            rows[i].y += way;
        DRIVER(cuMemcpyHtoD(memory, rows.data(), pitch * height));
        DRIVER(ways[way](picture, &d, memory, pitch));
        DRIVER(cuTexRefGetAddress(&got, picture));
        CHECK(got == memory);
        CHECK(cuTexRefGetAddress(nullptr, picture) == CUDA_ERROR_INVALID_VALUE);
        CHECK(cuTexRefGetArray(&no_array, picture) == CUDA_ERROR_INVALID_VALUE);
        DRIVER(cuTexRefGetFormat(&format, &channels, picture));
        CHECK(format == CU_AD_FORMAT_FLOAT && channels == 2);
        fetch(module, 0);
        const sampler s = {{width, height, 0}, {WRAP, MIRROR, 0}, true, true, 0};
        for (int i = 0; i < POINTS; i++) {
            const double p[] = {at[i].x, at[i].y, 0};
            CHECK(is_near(to[i].y, sample(s, p, [&](int x, int y, int) {
                              return rows[y * pitch / 8 + x].y;
                          })));
        }
        // Neither where no texture may begin, nor with rows so near, nor of such texels.
        DRIVER(cuDeviceGetAttribute(&most, CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT, 0));
        CHECK(ways[way](picture, &d, memory + most / 2, pitch) == CUDA_ERROR_INVALID_VALUE);
        CHECK(ways[way](picture, &d, memory, pitch + 8) == CUDA_ERROR_INVALID_VALUE);
        CHECK(ways[way](picture, &d, memory, 64) == CUDA_ERROR_INVALID_VALUE);
        CUDA_ARRAY_DESCRIPTOR wrong = d;
        wrong.NumChannels = 3;
        CHECK(ways[way](picture, &wrong, memory, pitch) == CUDA_ERROR_INVALID_VALUE);
        CHECK(ways[way](picture, nullptr, memory, pitch) == CUDA_ERROR_INVALID_VALUE);
        DRIVER(cuTexRefGetAddress(&got, picture)); // what failed has changed nothing
        CHECK(got == memory);
        DRIVER(cuTexRefSetArray(picture, nullptr, CU_TRSA_OVERRIDE_FORMAT));
    }
    DRIVER(cuMemFree(memory));
}

static void reference_of_array(CUmodule module, CUtexref picture) {
    const int width = 10, height = 7;
    const CUDA_ARRAY3D_DESCRIPTOR d = described(width, height, 0, CU_AD_FORMAT_FLOAT, 1, 0);
    float border[] = {-7.5f, 1, 2, 3}, texels[height][width];
    CUarray array, got;
    CUdeviceptr no_address;
    CUarray_format format;
    int channels;
    for (int i = 0; i < width * height; i++)
        texels[i / width][i % width] = i * i % 97;
    DRIVER(cuArray3DCreate(&array, &d));
    copy_plane(array, texels, sizeof *texels, height, true);
    CHECK(cuTexRefGetArray(&got, picture) == CUDA_ERROR_INVALID_VALUE); // nothing is bound
    CHECK(cuTexRefSetArray(picture, array, 0) == CUDA_ERROR_INVALID_VALUE);
    DRIVER(cuTexRefSetFormat(picture, CU_AD_FORMAT_UNSIGNED_INT8, 2));
    DRIVER(cuTexRefGetFormat(&format, &channels, picture));
    CHECK(format == CU_AD_FORMAT_UNSIGNED_INT8 && channels == 2);
    CHECK(cuTexRefSetFormat(picture, CU_AD_FORMAT_FLOAT, 3) == CUDA_ERROR_INVALID_VALUE);
    // The array has its own, and each may be asked for without the other.
    DRIVER(cuTexRefSetArray(picture, array, CU_TRSA_OVERRIDE_FORMAT));
    DRIVER(cuTexRefGetFormat(&format, nullptr, picture));
    DRIVER(cuTexRefGetFormat(nullptr, &channels, picture));
    CHECK(format == CU_AD_FORMAT_FLOAT && channels == 1);
    DRIVER(cuTexRefGetArray(&got, picture));
    CHECK(got == array);
    CHECK(cuTexRefGetArray(nullptr, picture) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuTexRefGetAddress(&no_address, picture) == CUDA_ERROR_INVALID_VALUE);
    DRIVER(cuTexRefSetAddressMode(picture, 0, CU_TR_ADDRESS_MODE_BORDER));
    DRIVER(cuTexRefSetAddressMode(picture, 1, CU_TR_ADDRESS_MODE_BORDER));
    DRIVER(cuTexRefSetBorderColor(picture, border));
    CHECK(cuTexRefSetBorderColor(picture, nullptr) == CUDA_ERROR_INVALID_VALUE);
    DRIVER(cuTexRefSetMaxAnisotropy(picture, 4)); // which is for steps alone
    CHECK(cuTexRefSetMaxAnisotropy((CUtexref)array, 4) != CUDA_SUCCESS);
    fetch(module, 0);
    const sampler s = {{width, height, 0}, {BORDER, BORDER, 0}, true, true, border[0]};
    for (int i = 0; i < POINTS; i++) {
        const double p[] = {at[i].x, at[i].y, 0};
        CHECK(is_near(to[i].x, sample(s, p, [&](int x, int y, int) { return texels[y][x]; })));
    }
    DRIVER(cuTexRefSetArray(picture, nullptr, CU_TRSA_OVERRIDE_FORMAT));
    DRIVER(cuArrayDestroy(array));
    CHECK(cuTexRefSetArray(picture, array, CU_TRSA_OVERRIDE_FORMAT) != CUDA_SUCCESS);
}

static void reference_of_levels(CUmodule module, CUtexref picture, const levels &l) {
    float none[4] = {};
    CUarray no_array;
    CUdeviceptr no_address;
    CUarray_format format;
    int channels;
    DRIVER(cuTexRefSetBorderColor(picture, none));
    DRIVER(cuTexRefSetAddressMode(picture, 0, CU_TR_ADDRESS_MODE_CLAMP));
    DRIVER(cuTexRefSetAddressMode(picture, 1, CU_TR_ADDRESS_MODE_CLAMP));
    CHECK(cuTexRefSetMipmappedArray(picture, l.array, 0) == CUDA_ERROR_INVALID_VALUE);
    DRIVER(cuTexRefSetMipmappedArray(picture, l.array, CU_TRSA_OVERRIDE_FORMAT));
    CHECK(cuTexRefGetArray(&no_array, picture) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuTexRefGetAddress(&no_address, picture) == CUDA_ERROR_INVALID_VALUE);
    DRIVER(cuTexRefGetFormat(&format, &channels, picture));
    CHECK(format == CU_AD_FORMAT_FLOAT && channels == 4);
    DRIVER(cuTexRefSetMipmapLevelClamp(picture, 0.75f, 3.25f));
    CHECK(cuTexRefSetMipmapFilterMode(picture, (CUfilter_mode)2) == CUDA_ERROR_INVALID_VALUE);
    for (int way = 0; way < 4; way++) {
        const bool between = way % 2, linear = way / 2;
        const double bias = way - 1.25;
        DRIVER(cuTexRefSetMipmapFilterMode(picture, (CUfilter_mode)between));
        DRIVER(cuTexRefSetFilterMode(picture, (CUfilter_mode)linear));
        DRIVER(cuTexRefSetMipmapLevelBias(picture, (float)bias));
        for (float level : {-3.0f, 0.5f, 1.0f, 2.0f, 2.125f, 8.0f}) {
            fetch(module, level);
            const double biased = level + bias;
            check_levels(l,
                         biased < 0.75   ? 0.75
                         : biased > 3.25 ? 3.25
                                         : biased,
                         between, linear, CLAMP);
        }
    }
    DRIVER(cuTexRefSetMipmappedArray(picture, nullptr, CU_TRSA_OVERRIDE_FORMAT));
}

static void references(CUmodule module, const levels &l) {
    CUtexref picture, none;
    CUsurfref sheet;
    CUarray array, got;
    CUarray_format format;
    const CUDA_ARRAY3D_DESCRIPTOR d = described(4, 4, 0, CU_AD_FORMAT_FLOAT, 1, 0);
    DRIVER(cuModuleGetTexRef(&picture, module, "picture"));
    CHECK(cuModuleGetTexRef(&none, module, "pictures") == CUDA_ERROR_NOT_FOUND);
    reference_of_rows(module, picture);
    reference_of_array(module, picture);
    reference_of_levels(module, picture, l);
    // A surface has an array that was made for one.
    DRIVER(cuArray3DCreate(&array, &d));
    DRIVER(cuModuleGetSurfRef(&sheet, module, "sheet"));
    CHECK(cuSurfRefSetArray(sheet, array, 0) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuSurfRefGetArray(&got, sheet) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuTexRefGetFormat(&format, nullptr, (CUtexref)sheet) != CUDA_SUCCESS);
    DRIVER(cuArrayDestroy(array));
}

static void cluster_occupancy(CUmodule module) {
    CUfunction free, set;
    CUlaunchAttribute cluster = {};
    CUlaunchConfig config = {};
    int count, blocks, sms;
    DRIVER(cuModuleGetFunction(&free, module, "free_clusters"));
    DRIVER(cuModuleGetFunction(&set, module, "set_clusters"));
    DRIVER(cuDeviceGetAttribute(&sms, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0));
    cluster.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    config.gridDimX = config.gridDimY = 16;
    config.gridDimZ = config.blockDimY = config.blockDimZ = 1;
    config.hStream = stream;
    config.attrs = &cluster;
    for (unsigned threads : {64u, 512u, 1024u})
        for (unsigned size : {1u, 2u, 4u, 8u}) {
            config.blockDimX = threads;
            config.numAttrs = 1;
            cluster.value.clusterDim = {size, 1, 1};
            DRIVER(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, free, threads, 0));
            DRIVER(cuOccupancyMaxActiveClusters(&count, free, &config));
            CHECK(count > 0 && count <= blocks * sms / (int)size);
            DRIVER(cuOccupancyMaxPotentialClusterSize(&count, free, &config));
            CHECK(count == 8); // what all devices have
        }
    // Which size has to be said, and what is said to be one that there is.
    cluster.value.clusterDim = {16, 1, 1};
    CHECK(cuOccupancyMaxActiveClusters(&count, free, &config) == CUDA_ERROR_INVALID_CLUSTER_SIZE);
    DRIVER(cuFuncSetAttribute(free, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1));
    DRIVER(cuOccupancyMaxPotentialClusterSize(&count, free, &config));
    CHECK(count == 16);
    DRIVER(cuOccupancyMaxActiveClusters(&count, free, &config));
    CHECK(count > 0);
    config.numAttrs = 0;
    CHECK(cuOccupancyMaxActiveClusters(&count, free, &config) == CUDA_ERROR_INVALID_CLUSTER_SIZE);
    // The kernel's own is the only one, and need not be said.
    DRIVER(cuOccupancyMaxPotentialClusterSize(&count, set, &config));
    CHECK(count == 4);
    DRIVER(cuOccupancyMaxActiveClusters(&blocks, set, &config));
    config.numAttrs = 1;
    cluster.value.clusterDim = {2, 2, 1};
    DRIVER(cuOccupancyMaxActiveClusters(&count, set, &config));
    CHECK(count > 0 && count == blocks);
    cluster.value.clusterDim = {4, 1, 1};
    CHECK(cuOccupancyMaxActiveClusters(&count, set, &config) == CUDA_ERROR_INVALID_CLUSTER_SIZE);
    CHECK(cuOccupancyMaxActiveClusters(&count, set, nullptr) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuOccupancyMaxPotentialClusterSize(nullptr, set, &config) == CUDA_ERROR_INVALID_VALUE);
}

int main() {
    CUmodule module;
    CUDA(cudaFree(nullptr)); // makes the context
    DRIVER(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    DRIVER(cuModuleLoadData(&module, text));
    choose_points();
    descriptors();
    copies();
    levels l = make_levels();
    objects(l);
    other_formats();
    layers();
    surfaces();
    references(module, l);
    cluster_occupancy(module);
    DRIVER(cuMipmappedArrayDestroy(l.array));
    DRIVER(cuModuleUnload(module));
    DRIVER(cuStreamDestroy(stream));
    CUDA(cudaFree(device_at));
    CUDA(cudaFree(to));
    return DONE;
}
