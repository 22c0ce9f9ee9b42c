// Functions of two and four lanes in a word, each beside what it documents, lane by lane; the number
// of those that differ.
//: headers both
//: run halves 4: 0 0 0 0
//: run bytes 4: 0 0 0 0
template <int B, bool S> __device__ int lane(unsigned w, int i) {
    unsigned bits = w >> B * i & ((1u << B) - 1);
    return S && bits >> (B - 1) ? (int)bits - (1 << B) : (int)bits;
}
template <int B, bool S> __device__ int clamp(int x) {
    int low = S ? -(1 << (B - 1)) : 0, high = (1 << (B - S)) - 1;
    return x < low ? low : x > high ? high : x;
}
template <int B, bool S, class F> __device__ unsigned each(unsigned a, unsigned b, F f) {
    unsigned result = 0;
    for (int i = 0; i < 32 / B; i++)
        result |= ((unsigned)f(lane<B, S>(a, i), lane<B, S>(b, i)) & ((1u << B) - 1)) << B * i;
    return result;
}
template <int B, bool S> __device__ unsigned total(unsigned a, unsigned b) {
    unsigned sum = 0;
    for (int i = 0; i < 32 / B; i++)
        sum += abs(lane<B, S>(a, i) - lane<B, S>(b, i));
    return sum;
}
__device__ int half_up(int x) { return (x + (x >= 0)) >> 1; }
#define EACH(call, B, S, formula) \
    wrong += (call) != each<B, S>(a, b, [](int x, int y) { return formula; })
#define COMPARE(name, B, N, S, op)                         \
    EACH(__vcmp##name##N(a, b), B, S, x op y ? -1 : 0); \
    EACH(__vset##name##N(a, b), B, S, x op y)
#define FAMILY(B, N)                                                         \
    EACH(__vabs##N(a), B, true, (x + 0 * y) < 0 ? -x : x);                   \
    EACH(__vabsss##N(a), B, true, clamp<B BY true>((x + 0 * y) < 0 ? -x : x)); \
    EACH(__vneg##N(a), B, true, -x + 0 * y);                                 \
    EACH(__vnegss##N(a), B, true, clamp<B BY true>(-x + 0 * y));               \
    EACH(__vabsdiffs##N(a, b), B, true, abs(x - y));                         \
    EACH(__vabsdiffu##N(a, b), B, false, abs(x - y));                        \
    EACH(__vadd##N(a, b), B, true, x + y);                                   \
    EACH(__vaddss##N(a, b), B, true, clamp<B BY true>(x + y));                 \
    EACH(__vaddus##N(a, b), B, false, clamp<B BY false>(x + y));               \
    EACH(__vsub##N(a, b), B, true, x - y);                                   \
    EACH(__vsubss##N(a, b), B, true, clamp<B BY true>(x - y));                 \
    EACH(__vsubus##N(a, b), B, false, clamp<B BY false>(x - y));               \
    EACH(__vavgs##N(a, b), B, true, half_up(x + y));                         \
    EACH(__vavgu##N(a, b), B, false, (x + y + 1) >> 1);                      \
    EACH(__vhaddu##N(a, b), B, false, (x + y) >> 1);                         \
    EACH(__vmaxs##N(a, b), B, true, x > y ? x : y);                          \
    EACH(__vmaxu##N(a, b), B, false, x > y ? x : y);                         \
    EACH(__vmins##N(a, b), B, true, x < y ? x : y);                          \
    EACH(__vminu##N(a, b), B, false, x < y ? x : y);                         \
    COMPARE(eq, B, N, false, ==);                                            \
    COMPARE(ne, B, N, false, !=);                                            \
    COMPARE(ges, B, N, true, >=);                                            \
    COMPARE(geu, B, N, false, >=);                                           \
    COMPARE(gts, B, N, true, >);                                             \
    COMPARE(gtu, B, N, false, >);                                            \
    COMPARE(les, B, N, true, <=);                                            \
    COMPARE(leu, B, N, false, <=);                                           \
    COMPARE(lts, B, N, true, <);                                             \
    COMPARE(ltu, B, N, false, <);                                            \
    wrong += __vsads##N(a, b) != total<B, true>(a, b);                       \
    wrong += __vsadu##N(a, b) != total<B, false>(a, b)
#define BY ,
/* Every third word has lanes at the ends of their ranges. */
__device__ unsigned word(unsigned *seed, int n) {
    const unsigned ends[] = {0x80007fffu, 0x00ff8001u, 0xffff0000u, 0x7f80807fu, 0x01fe0000u};
    *seed = *seed * 1664525u + 1013904223u;
    return n % 3 ? *seed ^ *seed >> 15 : ends[*seed % 5];
}
#define KERNEL(name, B, N)                                  \
    __global__ void name(unsigned *o) {                     \
        unsigned seed = threadIdx.x, wrong = 0;             \
        for (int n = 0; n < 40; n++) {                      \
            unsigned a = word(&seed, n), b = word(&seed, n + n / 7); \
            FAMILY(B, N);                                   \
        }                                                   \
        o[threadIdx.x] = wrong;                             \
    }
KERNEL(halves, 16, 2)
KERNEL(bytes, 8, 4)
