// Greatest and least of three and of sums, also in halves of words, beside what they document; the number
// of those that differ.
//: headers both
//: run k 4: 0 0 0 0
//: run spaces 2: 1 1
__device__ int most(int a, int b) { return a > b ? a : b; }
__device__ int least(int a, int b) { return a < b ? a : b; }
__device__ int half(unsigned w, int i) { return (short)(w >> 16 * i); }
template <class F> __device__ unsigned each(unsigned a, unsigned b, unsigned c, F f) {
    unsigned low = f(half(a, 0), half(b, 0), half(c, 0)), high = f(half(a, 1), half(b, 1), half(c, 1));
    return high << 16 | (low & 0xffff);
}
__global__ void k(int *o) {
    unsigned seed = threadIdx.x + 1, wrong = 0;
    for (int n = 0; n < 40; n++) {
        int v[3];
        for (int i = 0; i < 3; i++) {
            seed = seed * 1664525u + 1013904223u;
            v[i] = (int)(seed ^ seed >> 11) >> n % 5;
        }
        int a = v[0], b = v[1], c = v[2], sum = (int)((unsigned)a + (unsigned)b);
        unsigned x = a, y = b, z = c;
        bool is_first, is_other;
        wrong += __vimax3_s32(a, b, c) != most(most(a, b), c);
        wrong += __vimin3_s32(a, b, c) != least(least(a, b), c);
        wrong += __vimax3_u32(x, y, z) != (x > y ? x > z ? x : z : y > z ? y : z);
        wrong += __vimin3_u32(x, y, z) != (x < y ? x < z ? x : z : y < z ? y : z);
        wrong += __viaddmax_s32(a, b, c) != most(sum, c);
        wrong += __viaddmin_s32(a, b, c) != least(sum, c);
        wrong += __viaddmax_u32(x, y, z) != (x + y > z ? x + y : z);
        wrong += __vimax_s32_relu(a, b) != most(most(a, b), 0);
        wrong += __vimin_s32_relu(a, b) != most(least(a, b), 0);
        wrong += __vimax3_s32_relu(a, b, c) != most(most(most(a, b), c), 0);
        wrong += __viaddmin_s32_relu(a, b, c) != most(least(sum, c), 0);
        wrong += __vibmax_s32(a, b, &is_first) != most(a, b) || is_first != (a >= b);
        wrong += __vibmin_s32(a, b, &is_other) != least(a, b) || is_other != (a <= b);
        wrong += __vibmax_u32(x, y, &is_first) != (x > y ? x : y) || is_first != (x >= y);
        wrong += __viaddmin_u32(x, y, z) != (x + y < z ? x + y : z);
        wrong += __vimax3_s16x2(x, y, z) !=
                 each(x, y, z, [](int p, int q, int r) { return most(most(p, q), r); });
        wrong += __viaddmax_s16x2(x, y, z) !=
                 each(x, y, z, [](int p, int q, int r) { return most((short)(p + q), r); });
        wrong += __viaddmin_s16x2_relu(x, y, z) != each(x, y, z, [](int p, int q, int r) {
                     return most(least((short)(p + q), r), 0);
                 });
    }
    o[threadIdx.x] = wrong;
}
__global__ void spaces(int *o) {
    __shared__ int room[2];
    o[threadIdx.x] = __isGlobal(o) && __isShared(room) && !__isShared(o);
}
