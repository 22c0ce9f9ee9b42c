/*
 * Where a coordinate of a texture falls, as the appendix on texture fetching of CUDA's guide has it: for
 * textures of sources (heddle_textures.h) and of PTX (frontend/ptx/sampling). Modes of addresses are
 * CUDA's numbers: 0 wrap, 1 clamp, 2 mirror, 3 border. __HEDDLE_SAMPLING is what functions are declared
 * with.
 */
#ifndef HEDDLE_SAMPLING_H
#define HEDDLE_SAMPLING_H

/* Element i of n; -1: the border. Coordinates that are not normalized have no wrap and no mirror. */
__HEDDLE_SAMPLING int __heddle_place(int i, int n, int address, int is_normalized) {
    if (i >= 0 && i < n)
        return i;
    if (address == 3)
        return -1;
    if (address == 1 || !is_normalized)
        return i < 0 ? 0 : n - 1;
    int period = address == 2 ? 2 * n : n, at = i % period;
    at += at < 0 ? period : 0;
    return at < n ? at : period - 1 - at;
}

/* The lower element of a coordinate, and the weight of the one above it, which has 8 bits behind the
 * point. */
__HEDDLE_SAMPLING int __heddle_lower(float x, int n, int address, int is_normalized, int is_linear,
                                     float *above) {
    if (is_normalized && (address == 0 || address == 2)) {
        float whole = __builtin_floorf(x), half = whole * 0.5f;
        x -= whole;
        if (address == 2 && half != __builtin_floorf(half))
            x = 1.0f - x;
    }
    x = (is_normalized ? x * (float)n : x) - (is_linear ? 0.5f : 0.0f);
    float low = __builtin_floorf(x);
    *above = __builtin_rintf((x - low) * 256.0f) * 0.00390625f;
    return (int)low;
}

#endif
