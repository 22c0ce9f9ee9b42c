// Texture fetching on the host, by the formulas of the appendix of CUDA's guide, for what programs of this
// folder compare with.
#pragma once
#include <cmath>
#include <cstdint>
#include <functional>

namespace host_texture {

enum mode { WRAP, CLAMP, MIRROR, BORDER };

// T[i] of n texels: which one it is, or -1 for the border.
inline int element(int i, int n, int mode, bool normalized) {
    if (!normalized && (mode == WRAP || mode == MIRROR))
        mode = CLAMP;
    if (mode == BORDER)
        return i < 0 || i >= n ? -1 : i;
    if (mode == CLAMP)
        return i < 0 ? 0 : i >= n ? n - 1 : i;
    const int turn = (int)std::floor((double)i / n), in_turn = i - turn * n;
    return mode == MIRROR && turn % 2 != 0 ? n - 1 - in_turn : in_turn;
}

// One axis: the two texels of linear filtering, and the weight of the second, in 8 bits.
struct axis {
    int first, second;
    double weight;
};
inline axis on_axis(double x, int n, int mode, bool normalized, bool linear) {
    if (normalized && mode == WRAP)
        x -= std::floor(x);
    if (normalized && mode == MIRROR)
        x = std::fmod(std::floor(x), 2) == 0 ? x - std::floor(x) : 1 - (x - std::floor(x));
    const double at = (normalized ? x * n : x) - (linear ? 0.5 : 0);
    const int low = (int)std::floor(at);
    return {element(low, n, mode, normalized), element(low + 1, n, mode, normalized),
            linear ? std::nearbyint((at - low) * 256) / 256 : 0};
}

// How a texture is sampled: sizes of three axes, of which the last ones may be 0.
struct sampler {
    int sizes[3];
    int modes[3];
    bool normalized, linear;
    double border;
};
inline double sample(const sampler &s, const double *x,
                     const std::function<double(int, int, int)> &texel) {
    axis a[3];
    for (int d = 0; d < 3; d++)
        a[d] = s.sizes[d] ? on_axis(x[d], s.sizes[d], s.modes[d], s.normalized, s.linear)
                          : axis{0, 0, 0};
    double sum = 0;
    for (int corner = 0; corner < 8; corner++) {
        double weight = 1;
        int at[3];
        bool outside = false;
        for (int d = 0; d < 3; d++) {
            const bool second = corner >> d & 1;
            at[d] = second ? a[d].second : a[d].first;
            weight *= second ? a[d].weight : 1 - a[d].weight;
            outside |= at[d] < 0;
        }
        if (weight != 0)
            sum += weight * (outside ? s.border : texel(at[0], at[1], at[2]));
    }
    return sum;
}

inline bool is_near(double a, double b) {
    return std::fabs(a - b) <= 1e-5 * (1 + std::fabs(a) + std::fabs(b));
}

// Numbers that look random, always the same.
struct numbers {
    uint32_t state;
    uint32_t next() {
        state = state * 1664525u + 1013904223u;
        return state >> 8;
    }
};

} // namespace host_texture
