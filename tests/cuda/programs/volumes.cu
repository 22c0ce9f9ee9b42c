// Textures of three dimensions, of layers, of cubes and of levels, and the four texels around a point.
// alone
#include "check.h"
#include "parts/host_texture.h"
#include <vector>

using namespace host_texture;

enum volume_kind { VOLUME, LAYERED_LINE, LAYERED, CUBE, LAYERED_CUBE, LEVEL, STEPS, GATHER };

__global__ void sample_volume(int kind, cudaTextureObject_t texture, const float4 *at, float4 *to,
                              int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    float4 p = at[i];
    switch (kind) {
    case VOLUME: to[i] = tex3D<float4>(texture, p.x, p.y, p.z); break;
    case LAYERED_LINE: to[i] = tex1DLayered<float4>(texture, p.x, (int)p.z); break;
    case LAYERED: to[i] = tex2DLayered<float4>(texture, p.x, p.y, (int)p.z); break;
    case CUBE: to[i] = texCubemap<float4>(texture, p.x, p.y, p.z); break;
    case LAYERED_CUBE: to[i] = texCubemapLayered<float4>(texture, p.x, p.y, p.z, (int)p.w); break;
    case LEVEL: to[i] = tex2DLod<float4>(texture, p.x, p.y, p.w); break;
    case STEPS:
        to[i] = tex2DGrad<float4>(texture, p.x, p.y, make_float2(p.w, 0), make_float2(0, p.z));
        break;
    case GATHER: to[i] = tex2Dgather<float4>(texture, p.x, p.y, 2); break;
    }
}

static std::vector<float4> run_volume(int kind, cudaTextureObject_t texture,
                                      const std::vector<float4> &at) {
    float4 *points, *results;
    std::vector<float4> host(at.size());
    CUDA(cudaMalloc(&points, at.size() * sizeof(float4)));
    CUDA(cudaMalloc(&results, at.size() * sizeof(float4)));
    CUDA(cudaMemcpy(points, at.data(), at.size() * sizeof(float4), cudaMemcpyHostToDevice));
    sample_volume<<<(unsigned)(at.size() + 127) / 128, 128>>>(kind, texture, points, results,
                                                              (int)at.size());
    CUDA(cudaGetLastError());
    CUDA(cudaMemcpy(host.data(), results, at.size() * sizeof(float4), cudaMemcpyDeviceToHost));
    CUDA(cudaFree(points));
    CUDA(cudaFree(results));
    return host;
}

static std::vector<float4> texels_of(size_t count, unsigned seed) {
    numbers n = {seed};
    std::vector<float4> all(count);
    for (float4 &t : all)
        t = make_float4(n.next() % 512, n.next() % 512, n.next() % 512, n.next() % 512);
    return all;
}

static cudaArray_t box_of(const std::vector<float4> &texels, cudaExtent extent, unsigned flags) {
    cudaArray_t array;
    cudaChannelFormatDesc channels = cudaCreateChannelDesc<float4>();
    CUDA(cudaMalloc3DArray(&array, &channels, extent, flags));
    cudaMemcpy3DParms copy = {};
    const size_t height = extent.height ? extent.height : 1,
                 depth = extent.depth ? extent.depth : 1;
    copy.srcPtr = make_cudaPitchedPtr((void *)texels.data(), extent.width * sizeof(float4),
                                      extent.width, height);
    copy.dstArray = array;
    copy.extent = make_cudaExtent(extent.width, height, depth);
    copy.kind = cudaMemcpyHostToDevice;
    CUDA(cudaMemcpy3D(&copy));
    return array;
}

static cudaTextureObject_t texture_of_box(cudaArray_t array, bool normalized, bool linear,
                                          cudaTextureAddressMode mode) {
    cudaResourceDesc what = {};
    cudaTextureDesc how = {};
    cudaTextureObject_t texture;
    what.resType = cudaResourceTypeArray;
    what.res.array.array = array;
    how.addressMode[0] = how.addressMode[1] = how.addressMode[2] = mode;
    how.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
    how.normalizedCoords = normalized;
    CUDA(cudaCreateTextureObject(&texture, &what, &how, nullptr));
    return texture;
}

static float part_of(const float4 &v, int k) {
    return k == 0 ? v.x : k == 1 ? v.y : k == 2 ? v.z : v.w;
}

static std::vector<float4> points_around(size_t count, float x, float y, float z) {
    numbers n = {77};
    std::vector<float4> all(count);
    for (float4 &p : all)
        p = make_float4((int)(n.next() % 2048 - 512) / 1024.0f * x,
                        (int)(n.next() % 2048 - 512) / 1024.0f * y,
                        (int)(n.next() % 2048 - 512) / 1024.0f * z, 0);
    return all;
}

static void check_volume() {
    const int w = 8, h = 5, d = 16;
    const std::vector<float4> texels = texels_of(w * h * d, 3);
    cudaArray_t array = box_of(texels, make_cudaExtent(w, h, d), 0);
    for (int mode = 0; mode < 4; mode++)
        for (int normalized = 0; normalized < 2; normalized++)
            for (int linear = 0; linear < 2; linear++) {
                cudaTextureObject_t texture =
                    texture_of_box(array, normalized, linear, (cudaTextureAddressMode)mode);
                const std::vector<float4> at =
                    normalized ? points_around(500, 1, 1, 1) : points_around(500, w, h, d);
                const std::vector<float4> got = run_volume(VOLUME, texture, at);
                const sampler s = {
                    {w, h, d}, {mode, mode, mode}, (bool)normalized, (bool)linear, 0};
                for (size_t i = 0; i < at.size(); i++)
                    for (int k = 0; k < 4; k++) {
                        const double x[] = {at[i].x, at[i].y, at[i].z};
                        CHECK(is_near(part_of(got[i], k), sample(s, x, [&](int x, int y, int z) {
                                          return part_of(texels[(z * h + y) * w + x], k);
                                      })));
                    }
                CUDA(cudaDestroyTextureObject(texture));
            }
    CUDA(cudaFreeArray(array));
}

// A layer that there is not is the nearest one.
static void check_layers(bool is_line) {
    const int w = 16, h = is_line ? 1 : 8, layers = 5;
    const std::vector<float4> texels = texels_of(w * h * layers, 4);
    cudaArray_t array =
        box_of(texels, make_cudaExtent(w, is_line ? 0 : h, layers), cudaArrayLayered);
    cudaChannelFormatDesc channels;
    cudaExtent extent;
    unsigned flags;
    CUDA(cudaArrayGetInfo(&channels, &extent, &flags, array));
    CHECK(channels.x == 32 && channels.w == 32 && channels.f == cudaChannelFormatKindFloat);
    CHECK(extent.width == w && extent.height == (is_line ? 0 : h) && extent.depth == layers);
    CHECK(flags == cudaArrayLayered);
    cudaTextureObject_t texture = texture_of_box(array, true, true, cudaAddressModeMirror);
    std::vector<float4> at = points_around(600, 1, 1, 1);
    for (size_t i = 0; i < at.size(); i++)
        at[i].z = i % 7;
    const std::vector<float4> got = run_volume(is_line ? LAYERED_LINE : LAYERED, texture, at);
    const sampler s = {{w, is_line ? 0 : h, 0}, {MIRROR, MIRROR, 0}, true, true, 0};
    for (size_t i = 0; i < at.size(); i++)
        for (int k = 0; k < 4; k++) {
            const int layer = i % 7 < layers ? i % 7 : layers - 1;
            const double x[] = {at[i].x, at[i].y, 0};
            CHECK(is_near(part_of(got[i], k), sample(s, x, [&](int x, int y, int) {
                              return part_of(texels[(layer * h + y) * w + x], k);
                          })));
        }
    CUDA(cudaDestroyTextureObject(texture));
    CUDA(cudaFreeArray(array));
}

// The table of the guide: which face, and how far along it.
static int face_at(const float4 &p, double *s, double *t) {
    const double x = p.x, y = p.y, z = p.z;
    if (std::fabs(x) > std::fabs(y) && std::fabs(x) > std::fabs(z)) {
        *s = (x > 0 ? -z : z) / std::fabs(x), *t = -y / std::fabs(x);
        return x > 0 ? 0 : 1;
    }
    if (std::fabs(y) > std::fabs(z)) {
        *s = x / std::fabs(y), *t = (y > 0 ? z : -z) / std::fabs(y);
        return y > 0 ? 2 : 3;
    }
    *s = (z > 0 ? x : -x) / std::fabs(z), *t = -y / std::fabs(z);
    return z > 0 ? 4 : 5;
}

// Directions whose longest part is 1 or 2, so that all numbers are exact; none is on an edge.
static void check_cubes(bool layered, bool linear) {
    const int n = 16, cubes = layered ? 3 : 1;
    const std::vector<float4> texels = texels_of(n * n * 6 * cubes, 5);
    cudaArray_t array = box_of(texels, make_cudaExtent(n, n, 6 * cubes),
                               cudaArrayCubemap | (layered ? cudaArrayLayered : 0));
    // Directions have no coordinates that could be normalized or not.
    cudaTextureObject_t texture = texture_of_box(array, layered, linear, cudaAddressModeClamp);
    numbers random = {6};
    std::vector<float4> at(600);
    for (size_t i = 0; i < at.size(); i++) {
        const float a = (int)(random.next() % 255 - 127) / 128.0f,
                    b = (int)(random.next() % 255 - 127) / 128.0f;
        const float scale = 1 + i % 2, longest = i / 2 % 2 ? -1 : 1;
        const float parts[3] = {longest * scale, a * scale, b * scale};
        const int turn = i % 3;
        at[i] = make_float4(parts[turn], parts[(turn + 1) % 3], parts[(turn + 2) % 3], i % 5);
    }
    const std::vector<float4> got = run_volume(layered ? LAYERED_CUBE : CUBE, texture, at);
    const sampler s = {{n, n, 0}, {CLAMP, CLAMP, 0}, true, linear, 0};
    for (size_t i = 0; i < at.size(); i++) {
        double x[3] = {0, 0, 0};
        int face = face_at(at[i], &x[0], &x[1]);
        x[0] = (x[0] + 1) / 2, x[1] = (x[1] + 1) / 2;
        if (layered)
            face += 6 * (i % 5 < 3 ? i % 5 : 2);
        for (int k = 0; k < 4; k++)
            CHECK(is_near(part_of(got[i], k), sample(s, x, [&](int x, int y, int) {
                              return part_of(texels[(face * n + y) * n + x], k);
                          })));
    }
    CUDA(cudaDestroyTextureObject(texture));
    CUDA(cudaFreeArray(array));
}

// Levels of 16, 8, 4, 2 and 1 texels a side, each with numbers of its own.
static void check_levels(bool between) {
    const int n = 16, count = 5;
    cudaMipmappedArray_t mipmap;
    cudaChannelFormatDesc channels = cudaCreateChannelDesc<float4>();
    CUDA(cudaMallocMipmappedArray(&mipmap, &channels, make_cudaExtent(n, n, 0), count));
    std::vector<std::vector<float4>> levels;
    for (int l = 0; l < count; l++) {
        cudaArray_t level;
        cudaExtent extent;
        const size_t side = n >> l;
        levels.push_back(texels_of(side * side, 20 + l));
        CUDA(cudaGetMipmappedArrayLevel(&level, mipmap, l));
        CUDA(cudaArrayGetInfo(nullptr, &extent, nullptr, level));
        CHECK(extent.width == side && extent.height == side);
        CUDA(cudaMemcpy2DToArray(level, 0, 0, levels[l].data(), side * sizeof(float4),
                                 side * sizeof(float4), side, cudaMemcpyHostToDevice));
    }
    cudaArray_t none;
    CHECK(cudaGetMipmappedArrayLevel(&none, mipmap, count) == cudaErrorInvalidValue);
    cudaGetLastError();
    cudaResourceDesc what = {};
    cudaTextureDesc how = {};
    cudaTextureObject_t texture;
    what.resType = cudaResourceTypeMipmappedArray;
    what.res.mipmap.mipmap = mipmap;
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeWrap;
    how.filterMode = cudaFilterModeLinear;
    how.mipmapFilterMode = between ? cudaFilterModeLinear : cudaFilterModePoint;
    how.normalizedCoords = 1;
    how.maxMipmapLevelClamp = 3.5f;
    how.mipmapLevelBias = 0.25f;
    CUDA(cudaCreateTextureObject(&texture, &what, &how, nullptr));
    std::vector<float4> at = points_around(800, 1, 1, 0);
    for (size_t i = 0; i < at.size(); i++)
        at[i].w = (int)(i % 97 - 16) / 16.0f;
    const auto check = [&](const std::vector<float4> &got,
                           const std::function<double(int)> &level_at) {
        for (size_t i = 0; i < at.size(); i++) {
            double level = level_at((int)i) + 0.25;
            level = level < 0 ? 0 : level > 3.5 ? 3.5 : level;
            const int low = (int)std::floor(between ? level : level + 0.5);
            const double above = between ? level - low : 0;
            for (int k = 0; k < 4; k++) {
                double sum = 0;
                for (int l = low; l <= low + 1 && l < count; l++) {
                    const int side = n >> l;
                    const sampler s = {{side, side, 0}, {WRAP, WRAP, 0}, true, true, 0};
                    const double x[] = {at[i].x, at[i].y, 0};
                    sum += (l == low ? 1 - above : above) * sample(s, x, [&](int x, int y, int) {
                               return part_of(levels[l][y * side + x], k);
                           });
                }
                CHECK(is_near(part_of(got[i], k), sum));
            }
        }
    };
    check(run_volume(LEVEL, texture, at), [&](int i) { return at[i].w; });
    // Steps of 1/16, 1/8 and so on are whole levels.
    for (size_t i = 0; i < at.size(); i++) {
        at[i].w = 1.0f / (16 >> i % 5);
        at[i].z = at[i].w / 2;
    }
    check(run_volume(STEPS, texture, at), [&](int i) { return i % 5; });
    CUDA(cudaDestroyTextureObject(texture));
    CUDA(cudaFreeMipmappedArray(mipmap));
}

static void check_gather() {
    const int w = 16, h = 8;
    const std::vector<float4> texels = texels_of(w * h, 8);
    cudaArray_t array = box_of(texels, make_cudaExtent(w, h, 0), cudaArrayTextureGather);
    cudaTextureObject_t texture = texture_of_box(array, false, false, cudaAddressModeClamp);
    std::vector<float4> at = points_around(300, w, h, 0);
    const std::vector<float4> got = run_volume(GATHER, texture, at);
    for (size_t i = 0; i < at.size(); i++) {
        const axis x = on_axis(at[i].x, w, CLAMP, false, true),
                   y = on_axis(at[i].y, h, CLAMP, false, true);
        CHECK(got[i].x == texels[y.second * w + x.first].z);
        CHECK(got[i].y == texels[y.second * w + x.second].z);
        CHECK(got[i].z == texels[y.first * w + x.second].z);
        CHECK(got[i].w == texels[y.first * w + x.first].z);
    }
    CUDA(cudaDestroyTextureObject(texture));
    CUDA(cudaFreeArray(array));
}

int main() {
    check_volume();
    check_layers(false);
    check_layers(true);
    for (int i = 0; i < 4; i++)
        check_cubes(i % 2, i / 2);
    check_levels(false);
    check_levels(true);
    check_gather();
    return DONE;
}
