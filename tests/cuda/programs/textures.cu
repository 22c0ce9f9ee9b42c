// Textures of one and two dimensions: filters, modes of addresses, coordinates, and what channels hold.
// alone
#include "check.h"
#include "parts/host_texture.h"
#include <cuda_fp16.h>
#include <cstring>
#include <vector>

using namespace host_texture;

template <typename T>
__global__ void sample_plane(cudaTextureObject_t texture, const float2 *at, T *to, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        to[i] = tex2D<T>(texture, at[i].x, at[i].y);
}
__global__ void sample_line(cudaTextureObject_t texture, const float2 *at, float *to, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        to[i] = tex1D<float>(texture, at[i].x);
}

static const int WIDTH = 37, HEIGHT = 21, POINTS = 1000;

// Steps of 1/1024 from below the texture to above it, so that both sides compute exactly.
static std::vector<float2> points(bool normalized) {
    numbers n = {7};
    std::vector<float2> all;
    for (int i = 0; i < POINTS; i++) {
        float x = (int)(n.next() % 6144) - 2048, y = (int)(n.next() % 6144) - 2048;
        float scale = normalized ? 1 : WIDTH / 2.0f;
        all.push_back(make_float2(x / 1024 * scale, y / 1024 * scale));
    }
    return all;
}

template <typename T>
static std::vector<T> run(void (*kernel)(cudaTextureObject_t, const float2 *, T *, int),
                          cudaTextureObject_t texture, const std::vector<float2> &at) {
    float2 *points;
    T *results;
    std::vector<T> host(at.size());
    CUDA(cudaMalloc(&points, at.size() * sizeof(float2)));
    CUDA(cudaMalloc(&results, at.size() * sizeof(T)));
    CUDA(cudaMemcpy(points, at.data(), at.size() * sizeof(float2), cudaMemcpyHostToDevice));
    kernel<<<(unsigned)(at.size() + 63) / 64, 64>>>(texture, points, results, (int)at.size());
    CUDA(cudaGetLastError());
    CUDA(cudaMemcpy(host.data(), results, at.size() * sizeof(T), cudaMemcpyDeviceToHost));
    CUDA(cudaFree(points));
    CUDA(cudaFree(results));
    return host;
}

template <typename T> static cudaArray_t plane_of(const std::vector<T> &texels) {
    cudaArray_t array;
    cudaChannelFormatDesc channels = cudaCreateChannelDesc<T>();
    CUDA(cudaMallocArray(&array, &channels, WIDTH, HEIGHT));
    CUDA(cudaMemcpy2DToArray(array, 0, 0, texels.data(), WIDTH * sizeof(T), WIDTH * sizeof(T),
                             HEIGHT, cudaMemcpyHostToDevice));
    return array;
}

static cudaTextureObject_t texture_of(cudaArray_t array, const cudaTextureDesc &how) {
    cudaResourceDesc what = {};
    cudaTextureObject_t texture;
    what.resType = cudaResourceTypeArray;
    what.res.array.array = array;
    CUDA(cudaCreateTextureObject(&texture, &what, &how, nullptr));
    return texture;
}

static void check_modes() {
    numbers n = {1};
    std::vector<float> texels(WIDTH * HEIGHT);
    for (float &t : texels)
        t = (float)(n.next() % 2001) / 8 - 125;
    cudaArray_t array = plane_of(texels), line;
    cudaChannelFormatDesc channels = cudaCreateChannelDesc<float>();
    CUDA(cudaMallocArray(&line, &channels, WIDTH));
    CUDA(cudaMemcpy2DToArray(line, 0, 0, texels.data(), WIDTH * 4, WIDTH * 4, 1,
                             cudaMemcpyHostToDevice));
    static const cudaTextureAddressMode modes[] = {cudaAddressModeWrap, cudaAddressModeClamp,
                                                   cudaAddressModeMirror, cudaAddressModeBorder};
    for (int kind = 0; kind < 16; kind++)
        for (int normalized = 0; normalized < 2; normalized++)
            for (int linear = 0; linear < 2; linear++) {
                cudaTextureDesc how = {};
                how.addressMode[0] = modes[kind % 4];
                how.addressMode[1] = modes[kind / 4];
                how.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
                how.normalizedCoords = normalized;
                how.borderColor[0] = 3.5f;
                const sampler s = {{WIDTH, HEIGHT, 0},
                                   {kind % 4, kind / 4, 0},
                                   (bool)normalized,
                                   (bool)linear,
                                   3.5};
                const std::vector<float2> at = points(normalized);
                cudaTextureObject_t texture = texture_of(array, how);
                std::vector<float> got = run(sample_plane<float>, texture, at);
                for (int i = 0; i < POINTS; i++) {
                    const double x[] = {at[i].x, at[i].y, 0};
                    CHECK(is_near(got[i], sample(s, x, [&](int x, int y, int) {
                                      return texels[y * WIDTH + x];
                                  })));
                }
                CUDA(cudaDestroyTextureObject(texture));
                if (kind / 4)
                    continue;
                texture = texture_of(line, how);
                got = run(sample_line, texture, at);
                const sampler of_line = {
                    {WIDTH, 0, 0}, {kind % 4, 0, 0}, (bool)normalized, (bool)linear, 3.5};
                for (int i = 0; i < POINTS; i++) {
                    const double x[] = {at[i].x, 0, 0};
                    CHECK(is_near(got[i],
                                  sample(of_line, x, [&](int x, int, int) { return texels[x]; })));
                }
                CUDA(cudaDestroyTextureObject(texture));
            }
    CUDA(cudaFreeArray(array));
    CUDA(cudaFreeArray(line));
}

// Colours of bytes, read as numbers from 0 to 1 with linear filtering, and as they are; signed words;
// halves; two channels.
static cudaTextureDesc clamped(bool linear, bool as_float) {
    cudaTextureDesc how = {};
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
    how.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
    how.readMode = as_float ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
    return how;
}

template <typename T, typename R>
static void check_channels(int channels, bool linear, bool as_float, double most,
                           double (*channel_of)(const T &, int),
                           double (*result_of)(const R &, int), const std::vector<T> &texels) {
    const std::vector<float2> at = points(false);
    cudaArray_t array = plane_of(texels);
    cudaTextureObject_t texture = texture_of(array, clamped(linear, as_float));
    const std::vector<R> got = run(sample_plane<R>, texture, at);
    const sampler s = {{WIDTH, HEIGHT, 0}, {CLAMP, CLAMP, 0}, false, linear, 0};
    for (int i = 0; i < POINTS; i++)
        for (int k = 0; k < channels; k++) {
            const double x[] = {at[i].x, at[i].y, 0};
            const double wanted = sample(s, x, [&](int x, int y, int) {
                const double c = channel_of(texels[y * WIDTH + x], k) / most;
                return as_float && c < -1 ? -1 : c;
            });
            CHECK(is_near(result_of(got[i], k), wanted));
        }
    CUDA(cudaDestroyTextureObject(texture));
    CUDA(cudaFreeArray(array));
}

template <typename T> static double member(const T &t, int k) {
    return k == 0 ? t.x : k == 1 ? t.y : k == 2 ? t.z : t.w;
}
template <typename T> static double member_of_two(const T &t, int k) { return k ? t.y : t.x; }
template <typename T> static double itself(const T &t, int) { return t; }
static double of_half(const ushort1 &t, int) {
    __half_raw raw;
    raw.x = t.x;
    return __half2float(__half(raw));
}

static void check_formats() {
    numbers n = {5};
    std::vector<uchar4> bytes(WIDTH * HEIGHT);
    std::vector<short2> words(WIDTH * HEIGHT);
    std::vector<int> numbers_of_32(WIDTH * HEIGHT);
    std::vector<float4> floats(WIDTH * HEIGHT);
    std::vector<signed char> small(WIDTH * HEIGHT);
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        bytes[i] = make_uchar4(n.next(), n.next(), n.next(), n.next());
        words[i] = make_short2((short)n.next(), (short)n.next());
        numbers_of_32[i] = (int)(n.next() << 8);
        floats[i] = make_float4(n.next() % 1000, n.next() % 1000, i, -i);
        small[i] = i ? (signed char)n.next() : -128;
    }
    words[3] = make_short2(-32768, 32767);
    for (int linear = 0; linear < 2; linear++) {
        check_channels<uchar4, float4>(4, linear, true, 255, member, member, bytes);
        check_channels<short2, float2>(2, linear, true, 32767, member_of_two, member_of_two, words);
        check_channels<signed char, float>(1, linear, true, 127, itself, itself, small);
        check_channels<float4, float4>(4, linear, false, 1, member, member, floats);
    }
    check_channels<uchar4, uchar4>(4, false, false, 1, member, member, bytes);
    check_channels<short2, short2>(2, false, false, 1, member_of_two, member_of_two, words);
    check_channels<int, int>(1, false, false, 1, itself, itself, numbers_of_32);
    check_channels<signed char, signed char>(1, false, false, 1, itself, itself, small);
}

// A half has no function of its own: it is read as a float.
static void check_halves() {
    numbers n = {9};
    const std::vector<float2> at = points(false);
    std::vector<ushort1> texels(WIDTH * HEIGHT);
    for (ushort1 &t : texels)
        t.x = __half_raw(__float2half((float)(n.next() % 4000) / 16 - 125)).x;
    cudaArray_t array;
    cudaChannelFormatDesc channels = cudaCreateChannelDescHalf();
    CUDA(cudaMallocArray(&array, &channels, WIDTH, HEIGHT));
    CUDA(cudaMemcpy2DToArray(array, 0, 0, texels.data(), WIDTH * 2, WIDTH * 2, HEIGHT,
                             cudaMemcpyHostToDevice));
    for (int linear = 0; linear < 2; linear++) {
        cudaTextureObject_t texture = texture_of(array, clamped(linear, false));
        const std::vector<float> got = run(sample_plane<float>, texture, at);
        const sampler s = {{WIDTH, HEIGHT, 0}, {CLAMP, CLAMP, 0}, false, (bool)linear, 0};
        for (int i = 0; i < POINTS; i++) {
            const double x[] = {at[i].x, at[i].y, 0};
            CHECK(is_near(got[i], sample(s, x, [&](int x, int y, int) {
                              return of_half(texels[y * WIDTH + x], 0);
                          })));
        }
        CUDA(cudaDestroyTextureObject(texture));
    }
    CUDA(cudaFreeArray(array));
}

// Channels that a texel does not have are 0, the last one 1; sRGB is made linear, but for the last one.
static void check_colours() {
    std::vector<float> one(WIDTH * HEIGHT, 0.25f);
    cudaArray_t array = plane_of(one);
    cudaTextureObject_t texture = texture_of(array, clamped(false, false));
    const std::vector<float4> got = run(sample_plane<float4>, texture, points(false));
    CHECK(got[0].x == 0.25f && got[0].y == 0 && got[0].z == 0 && got[0].w == 1);
    CUDA(cudaDestroyTextureObject(texture));
    CUDA(cudaFreeArray(array));
    std::vector<uchar4> bytes(WIDTH * HEIGHT);
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        bytes[i] = make_uchar4(i, 255 - i, i / 3, i);
    array = plane_of(bytes);
    cudaTextureDesc how = clamped(false, true);
    how.sRGB = 1;
    texture = texture_of(array, how);
    std::vector<float2> at;
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        at.push_back(make_float2(i % WIDTH + 0.5f, i / WIDTH + 0.5f));
    const std::vector<float4> linear = run(sample_plane<float4>, texture, at);
    const auto made_linear = [](double c) {
        return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
    };
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        CHECK(is_near(linear[i].x, made_linear(bytes[i].x / 255.0)));
        CHECK(is_near(linear[i].y, made_linear(bytes[i].y / 255.0)));
        CHECK(is_near(linear[i].z, made_linear(bytes[i].z / 255.0)));
        CHECK(is_near(linear[i].w, bytes[i].w / 255.0));
    }
    CUDA(cudaDestroyTextureObject(texture));
    CUDA(cudaFreeArray(array));
}

// Bytes that go on from row to row, to an array, from array to array, and from one; what arrays and objects
// say of themselves.
static void check_copies() {
    const size_t row = WIDTH * sizeof(short), bytes = row * HEIGHT;
    std::vector<short> texels(WIDTH * HEIGHT), wanted(WIDTH * HEIGHT, -1), got(WIDTH * HEIGHT);
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        texels[i] = 5 * i - 900;
    cudaArray_t first = plane_of(wanted), second = plane_of(wanted);
    cudaStream_t stream;
    CUDA(cudaStreamCreate(&stream));
    // From the third texel of the second row on, over the ends of four rows.
    const int from = WIDTH + 2, count = 4 * WIDTH;
    CUDA(cudaMemcpyToArrayAsync(first, 4, 1, texels.data(), count * 2, cudaMemcpyHostToDevice,
                                stream));
    CUDA(cudaMemcpyFromArrayAsync(got.data(), first, 0, 0, bytes, cudaMemcpyDeviceToHost, stream));
    CUDA(cudaStreamSynchronize(stream));
    for (int i = 0; i < count; i++)
        wanted[from + i] = texels[i];
    CHECK(got == wanted);
    // Of these from the second row on, to the fifth texel of the fourth row.
    CUDA(cudaMemcpyArrayToArray(second, 8, 3, first, 0, 1, count * 2, cudaMemcpyDeviceToDevice));
    CUDA(cudaMemcpyFromArrayAsync(got.data(), second, 0, 0, bytes, cudaMemcpyDeviceToHost, stream));
    CUDA(cudaStreamSynchronize(stream));
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        const int k = i - (3 * WIDTH + 4);
        CHECK(got[i] == (k >= 0 && k < count ? wanted[WIDTH + k] : -1));
    }
    // One texel more than there is.
    FAILS(cudaErrorInvalidValue, cudaMemcpyToArrayAsync(first, 2, HEIGHT - 1, texels.data(), row,
                                                        cudaMemcpyHostToDevice, stream));
    FAILS(cudaErrorInvalidValue,
          cudaMemcpyFromArrayAsync(got.data(), first, 2, 0, bytes, cudaMemcpyDeviceToHost, stream));
    FAILS(cudaErrorInvalidValue,
          cudaMemcpyArrayToArray(second, 0, 1, first, 0, 0, bytes, cudaMemcpyDeviceToDevice));
    cudaChannelFormatDesc channels, colours = cudaCreateChannelDesc<uchar4>();
    CUDA(cudaGetChannelDesc(&channels, first));
    CHECK(channels.x == 16 && channels.y == 0 && channels.z == 0 && channels.w == 0 &&
          channels.f == cudaChannelFormatKindSigned);
    FAILS(cudaErrorInvalidValue, cudaGetChannelDesc(nullptr, first));
    size_t width;
    int most;
    CUDA(cudaDeviceGetTexture1DLinearMaxWidth(&width, &colours, 0));
    CUDA(cudaDeviceGetAttribute(&most, cudaDevAttrMaxTexture1DLinearWidth, 0));
    CHECK(width == (size_t)most);
    FAILS(cudaErrorInvalidValue, cudaDeviceGetTexture1DLinearMaxWidth(&width, nullptr, 0));
    // The same bytes by a view as numbers without a sign, and by none.
    cudaResourceDesc what = {};
    cudaResourceViewDesc view = {}, same;
    cudaTextureObject_t texture, viewed;
    what.resType = cudaResourceTypeArray;
    what.res.array.array = first;
    view.format = cudaResViewFormatUnsignedShort1;
    view.width = WIDTH;
    view.height = HEIGHT;
    const cudaTextureDesc how = clamped(false, true);
    CUDA(cudaCreateTextureObject(&texture, &what, &how, nullptr));
    CUDA(cudaCreateTextureObject(&viewed, &what, &how, &view));
    FAILS(cudaErrorInvalidValue, cudaGetTextureObjectResourceViewDesc(&same, texture));
    CUDA(cudaGetTextureObjectResourceViewDesc(&same, viewed));
    CHECK(!std::memcmp(&same, &view, sizeof view));
    const std::vector<float2> at = points(false);
    const std::vector<float> with = run(sample_plane<float>, viewed, at),
                             without = run(sample_plane<float>, texture, at);
    const sampler s = {{WIDTH, HEIGHT, 0}, {CLAMP, CLAMP, 0}, false, false, 0};
    for (int i = 0; i < POINTS; i++) {
        const double x[] = {at[i].x, at[i].y, 0};
        CHECK(is_near(without[i], sample(s, x, [&](int x, int y, int) {
                          return wanted[y * WIDTH + x] / 32767.0;
                      })));
        CHECK(is_near(with[i], sample(s, x, [&](int x, int y, int) {
                          return (unsigned short)wanted[y * WIDTH + x] / 65535.0;
                      })));
    }
    CUDA(cudaDestroyTextureObject(viewed));
    view.height = HEIGHT / 2;
    FAILS(cudaErrorInvalidValue, cudaCreateTextureObject(&viewed, &what, &how, &view));
    CUDA(cudaDestroyTextureObject(texture));
    CUDA(cudaFreeArray(first));
    CUDA(cudaFreeArray(second));
    CUDA(cudaStreamDestroy(stream));
}

int main() {
    check_modes();
    check_formats();
    check_halves();
    check_colours();
    check_copies();
    return DONE;
}
