// Arrays, textures and surfaces of the driver: objects, and references, which CUDA 11 had last, of PTX that
// is written by hand.
// alone
#include "check.h"
#include "parts/host_texture.h"
#include <cuda.h>
#include <cstring>
#include <vector>

using namespace host_texture;

static const char ptx_of_references[] = R"(
.version 6.0
.target sm_50
.address_size 64
.global .texref picture;
.global .surfref sheet;
.visible .entry by_reference(.param .u64 to, .param .f32 step) {
    .reg .b32 %r<6>;
    .reg .f32 %f<12>;
    .reg .b64 %rd<6>;
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %ctaid.x;
    cvt.rn.f32.u32 %f1, %r1;
    cvt.rn.f32.u32 %f2, %r2;
    ld.param.f32 %f3, [step];
    mul.f32 %f1, %f1, %f3;
    mul.f32 %f2, %f2, %f3;
    tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [picture, {%f1, %f2}];
    mov.u32 %r3, %ntid.x;
    mad.lo.s32 %r4, %r2, %r3, %r1;
    ld.param.u64 %rd1, [to];
    mul.wide.u32 %rd2, %r4, 16;
    add.s64 %rd3, %rd1, %rd2;
    st.global.v4.f32 [%rd3], {%f4, %f5, %f6, %f7};
    ret;
}
.visible .entry by_number(.param .u64 to) {
    .reg .b32 %r<8>;
    .reg .b64 %rd<4>;
    mov.u32 %r1, %tid.x;
    tex.1d.v4.s32.s32 {%r2, %r3, %r4, %r5}, [picture, {%r1}];
    ld.param.u64 %rd1, [to];
    mul.wide.u32 %rd2, %r1, 4;
    add.s64 %rd3, %rd1, %rd2;
    st.global.s32 [%rd3], %r2;
    ret;
}
.visible .entry to_surface() {
    .reg .b32 %r<6>;
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %ctaid.x;
    shl.b32 %r3, %r1, 2;
    mad.lo.s32 %r4, %r2, 100, %r1;
    sust.b.2d.b32.trap [sheet, {%r3, %r2}], {%r4};
    ret;
}
.visible .entry by_object(.param .u64 object, .param .u64 to) {
    .reg .b32 %r<6>;
    .reg .f32 %f<8>;
    .reg .b64 %rd<6>;
    mov.u32 %r1, %tid.x;
    cvt.rn.f32.u32 %f1, %r1;
    ld.param.u64 %rd1, [object];
    ld.param.u64 %rd2, [to];
    tex.1d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%rd1, {%f1}];
    txq.width.b32 %r2, [%rd1];
    cvt.rn.f32.u32 %f5, %r2;
    mul.wide.u32 %rd3, %r1, 8;
    add.s64 %rd4, %rd2, %rd3;
    st.global.v2.f32 [%rd4], {%f4, %f5};
    ret;
}
)";

template <class... P> static void call_driver(const char *name, P... arguments) {
    void *found = nullptr;
    cudaDriverEntryPointQueryResult result;
    CUDA(cudaGetDriverEntryPointByVersion(name, &found, 13000, cudaEnableDefault, &result));
    CHECK(result == cudaDriverEntryPointSuccess && found);
    const CUresult error = ((CUresult(*)(P...))found)(arguments...);
    if (error)
        std::printf("%s: error %d\n", name, error);
    CHECK(!error);
}

static void launch_of(CUmodule module, const char *name, unsigned blocks, unsigned threads,
                      void **params) {
    CUfunction kernel;
    call_driver("cuModuleGetFunction", &kernel, module, name);
    call_driver("cuLaunchKernel", kernel, blocks, 1u, 1u, threads, 1u, 1u, 0u, (CUstream) nullptr,
                params, (void **)nullptr);
    CUDA(cudaDeviceSynchronize());
}

// Bytes of colour as numbers from 0 to 1, linear, mirrored; then the same as they are.
static void check_picture(CUmodule module) {
    const int width = 12, height = 9, side = 32;
    numbers n = {31};
    std::vector<uchar4> texels(width * height), got(width * height);
    for (uchar4 &t : texels)
        t = make_uchar4(n.next(), n.next(), n.next(), n.next());
    CUarray array;
    CUDA_ARRAY_DESCRIPTOR described = {(size_t)width, (size_t)height, CU_AD_FORMAT_UNSIGNED_INT8,
                                       4},
                          same;
    call_driver("cuArrayCreate", &array, (const CUDA_ARRAY_DESCRIPTOR *)&described);
    call_driver("cuArrayGetDescriptor", &same, array);
    CHECK(same.Width == width && same.Height == height && same.NumChannels == 4 &&
          same.Format == CU_AD_FORMAT_UNSIGNED_INT8);
    CUDA_MEMCPY2D copy = {};
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = texels.data();
    copy.srcPitch = width * 4;
    copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.dstArray = array;
    copy.WidthInBytes = width * 4;
    copy.Height = height;
    call_driver("cuMemcpy2D", (const CUDA_MEMCPY2D *)&copy);
    CUtexref picture;
    call_driver("cuModuleGetTexRef", &picture, module, "picture");
    call_driver("cuTexRefSetArray", picture, array, CU_TRSA_OVERRIDE_FORMAT);
    call_driver("cuTexRefSetAddressMode", picture, 0, CU_TR_ADDRESS_MODE_MIRROR);
    call_driver("cuTexRefSetAddressMode", picture, 1, CU_TR_ADDRESS_MODE_MIRROR);
    call_driver("cuTexRefSetFilterMode", picture, CU_TR_FILTER_MODE_LINEAR);
    call_driver("cuTexRefSetFlags", picture, CU_TRSF_NORMALIZED_COORDINATES);
    unsigned flags;
    CUfilter_mode filter;
    call_driver("cuTexRefGetFlags", &flags, picture);
    call_driver("cuTexRefGetFilterMode", &filter, picture);
    CHECK(flags == CU_TRSF_NORMALIZED_COORDINATES && filter == CU_TR_FILTER_MODE_LINEAR);
    float4 *to;
    float step = 3.0f / 64;
    CUDA(cudaMallocManaged(&to, side * side * sizeof *to));
    void *params[] = {&to, &step};
    launch_of(module, "by_reference", side, side, params);
    const sampler s = {{width, height, 0}, {MIRROR, MIRROR, 0}, true, true, 0};
    for (int i = 0; i < side * side; i++) {
        const double x[] = {i % side * 3.0 / 64, i / side * 3.0 / 64, 0};
        CHECK(is_near(to[i].x, sample(s, x, [&](int x, int y, int) {
                          return texels[y * width + x].x / 255.0;
                      })));
        CHECK(is_near(to[i].w, sample(s, x, [&](int x, int y, int) {
                          return texels[y * width + x].w / 255.0;
                      })));
    }
    // Another step, another way.
    call_driver("cuTexRefSetFlags", picture, CU_TRSF_READ_AS_INTEGER);
    call_driver("cuTexRefSetFilterMode", picture, CU_TR_FILTER_MODE_POINT);
    step = 0.5f;
    launch_of(module, "by_reference", side, side, params);
    for (int i = 0; i < side * side; i++) {
        const int x = i % side / 2, y = i / side / 2;
        unsigned bits;
        std::memcpy(&bits, &to[i].y, sizeof bits);
        CHECK(bits ==
              texels[(y < height ? y : height - 1) * width + (x < width ? x : width - 1)].y);
    }
    copy = {};
    copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.srcArray = array;
    copy.srcXInBytes = 8;
    copy.srcY = 1;
    copy.dstMemoryType = CU_MEMORYTYPE_HOST;
    copy.dstHost = got.data();
    copy.dstPitch = width * 4;
    copy.WidthInBytes = 16;
    copy.Height = 3;
    call_driver("cuMemcpy2D", (const CUDA_MEMCPY2D *)&copy);
    for (int y = 0; y < 3; y++)
        CHECK(!std::memcmp(&got[y * width], &texels[(y + 1) * width + 2], 16));
    call_driver("cuTexRefSetArray", picture, (CUarray) nullptr, (unsigned)CU_TRSA_OVERRIDE_FORMAT);
    call_driver("cuArrayDestroy", array);
    CUDA(cudaFree(to));
}

// Memory that begins where no texture may is bound before it.
static void check_linear(CUmodule module) {
    const int count = 64;
    int *memory, *to, host[count];
    CUDA(cudaMalloc(&memory, 4096));
    CUDA(cudaMallocManaged(&to, 128 * sizeof(int)));
    for (int i = 0; i < count; i++)
        host[i] = 7 * i + 1;
    CUDA(cudaMemset(memory, 0, 4096));
    CUDA(cudaMemcpy(memory + 10, host, sizeof host, cudaMemcpyHostToDevice));
    CUtexref picture;
    size_t offset = 0;
    call_driver("cuModuleGetTexRef", &picture, module, "picture");
    call_driver("cuTexRefSetFormat", picture, CU_AD_FORMAT_SIGNED_INT32, 1);
    call_driver("cuTexRefSetAddress", &offset, picture, (CUdeviceptr)(memory + 10), sizeof host);
    CHECK(offset == 40);
    void *params[] = {&to};
    launch_of(module, "by_number", 1, 128, params);
    for (int i = 0; i < 128; i++)
        CHECK(to[i] == (i >= 10 && i < count + 10 ? 7 * (i - 10) + 1 : 0));
    CUDA(cudaFree(memory));
    CUDA(cudaFree(to));
}

static void check_sheet(CUmodule module) {
    CUarray array, same;
    CUDA_ARRAY3D_DESCRIPTOR described = {
        8, 4, 0, CU_AD_FORMAT_UNSIGNED_INT32, 1, CUDA_ARRAY3D_SURFACE_LDST};
    call_driver("cuArray3DCreate", &array, (const CUDA_ARRAY3D_DESCRIPTOR *)&described);
    CUsurfref sheet;
    call_driver("cuModuleGetSurfRef", &sheet, module, "sheet");
    call_driver("cuSurfRefSetArray", sheet, array, 0u);
    call_driver("cuSurfRefGetArray", &same, sheet);
    CHECK(same == array);
    launch_of(module, "to_surface", 4, 8, nullptr);
    unsigned got[4][8];
    CUDA_MEMCPY3D copy = {};
    copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.srcArray = array;
    copy.dstMemoryType = CU_MEMORYTYPE_HOST;
    copy.dstHost = got;
    copy.WidthInBytes = 32;
    copy.Height = 4;
    copy.Depth = 1;
    call_driver("cuMemcpy3D", (const CUDA_MEMCPY3D *)&copy);
    for (unsigned i = 0; i < 32; i++)
        CHECK(got[i / 8][i % 8] == 100 * (i / 8) + i % 8);
    call_driver("cuArrayDestroy", array);
}

static void check_object(CUmodule module) {
    const int width = 40;
    short texels[width], got[width];
    for (int i = 0; i < width; i++)
        texels[i] = 800 * i - 16000;
    CUarray array, other;
    CUDA_ARRAY_DESCRIPTOR described = {width, 0, CU_AD_FORMAT_SIGNED_INT16, 1};
    call_driver("cuArrayCreate", &array, (const CUDA_ARRAY_DESCRIPTOR *)&described);
    call_driver("cuArrayCreate", &other, (const CUDA_ARRAY_DESCRIPTOR *)&described);
    call_driver("cuMemcpyHtoA", other, (size_t)0, (const void *)texels, sizeof texels);
    call_driver("cuMemcpyAtoA", array, (size_t)0, other, (size_t)0, sizeof texels);
    call_driver("cuMemcpyAtoH", (void *)got, array, (size_t)4, sizeof got - 4);
    CHECK(!std::memcmp(got, texels + 2, sizeof got - 4));
    CUDA_RESOURCE_DESC what = {}, same;
    CUDA_TEXTURE_DESC how = {};
    CUtexObject object;
    what.resType = CU_RESOURCE_TYPE_ARRAY;
    what.res.array.hArray = array;
    how.addressMode[0] = CU_TR_ADDRESS_MODE_BORDER;
    how.filterMode = CU_TR_FILTER_MODE_LINEAR;
    call_driver("cuTexObjectCreate", &object, (const CUDA_RESOURCE_DESC *)&what,
                (const CUDA_TEXTURE_DESC *)&how, (const CUDA_RESOURCE_VIEW_DESC *)nullptr);
    call_driver("cuTexObjectGetResourceDesc", &same, object);
    CHECK(same.res.array.hArray == array);
    float2 *to;
    CUDA(cudaMallocManaged(&to, 64 * sizeof *to));
    void *params[] = {&object, &to};
    launch_of(module, "by_object", 1, 64, params);
    const sampler s = {{width, 0, 0}, {BORDER, 0, 0}, false, true, 0};
    for (int i = 0; i < 64; i++) {
        const double x[] = {(double)i, 0, 0};
        CHECK(is_near(to[i].x, sample(s, x, [&](int x, int, int) { return texels[x] / 32767.0; })));
        CHECK(to[i].y == width);
    }
    call_driver("cuTexObjectDestroy", object);
    call_driver("cuArrayDestroy", array);
    call_driver("cuArrayDestroy", other);
    CUDA(cudaFree(to));
}

int main() {
    CUmodule module;
    CUDA(cudaFree(nullptr)); // makes the context
    call_driver("cuModuleLoadData", &module, (const void *)ptx_of_references);
    check_picture(module);
    check_linear(module);
    check_sheet(module);
    check_object(module);
    call_driver("cuModuleUnload", module);
    return DONE;
}
