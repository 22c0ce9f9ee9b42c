/*
 * Where a coordinate of a texture falls, as the appendix on texture fetching of CUDA's guide has it: for
 * textures of sources (heddle_textures.h) and of PTX (frontend/ptx/sampling). Modes of addresses are
 * CUDA's numbers, 0 wrap, 1 clamp, 2 mirror, 3 border, of which coordinates that are not normalized have
 * the second and the last. __HEDDLE_SAMPLING is what functions are declared with. Without a branch, since
 * they are inlined wherever a kernel reads a texture.
 */
#ifndef HEDDLE_SAMPLING_H
#define HEDDLE_SAMPLING_H

/* Element i of n, which is at most one beyond them where the mode is wrap or mirror; -1: the border. */
__HEDDLE_SAMPLING int __heddle_place(int i, int n, int address) {
    int below = address == 0 ? n - 1 : address == 3 ? -1 : 0;
    int above = address == 0 ? 0 : address == 3 ? -1 : n - 1;
    int at = i < n ? i : above;
    return i < 0 ? below : at;
}

/* The lower element of a coordinate, and the weight of the one above it, which has 8 bits behind the
 * point. `scale` is the number of elements where coordinates are normalized, else 1; `half` a half where
 * the filter is linear, else 0. */
__HEDDLE_SAMPLING int __heddle_lower(float x, float scale, float half, int address, float *above) {
    float whole = __builtin_floorf(x), rest = x - whole, pairs = whole * 0.5f;
    float turned = pairs == __builtin_floorf(pairs) ? rest : 1.0f - rest;
    float in_turn = address == 0 ? rest : turned;
    float at = (address & 1 ? x : in_turn) * scale - half;
    float low = __builtin_floorf(__builtin_fminf(at, 1e9f)); /* so that there is one above it */
    *above = __builtin_rintf((at - low) * 256.0f) * 0.00390625f;
    return (int)low;
}

#endif
