// Functions of the bits of words, each beside what it documents, bit by bit; the number of those that
// differ.
//: headers both
//: run k 4: 0 0 0 0
typedef unsigned long long wide;
__device__ unsigned reversed(unsigned w) {
    unsigned r = 0;
    for (int i = 0; i < 32; i++)
        r |= (w >> i & 1) << (31 - i);
    return r;
}
__device__ unsigned permuted(unsigned a, unsigned b, unsigned s) {
    wide both = (wide)b << 32 | a;
    unsigned r = 0;
    for (int i = 0; i < 4; i++)
        r |= (unsigned)(both >> 8 * (s >> 4 * i & 7) & 255) << 8 * i;
    return r;
}
__device__ unsigned nth_set(unsigned mask, unsigned base, int n) {
    int step = n < 0 ? -1 : 1, left = n < 0 ? -n : n;
    if (!n)
        return mask >> base & 1 ? base : ~0u;
    for (int at = base; at >= 0 && at < 32; at += step)
        if (mask >> at & 1 && !--left)
            return at;
    return ~0u;
}
__device__ int dot(int a, int b, int c, bool is_signed) {
    for (int i = 0; i < 4; i++) {
        int x = a >> 8 * i & 255, y = b >> 8 * i & 255;
        c += is_signed ? (x - (x & 128) * 2) * (y - (y & 128) * 2) : x * y;
    }
    return c;
}
__device__ int dot2(int a, int b, int c, bool is_signed, int high) {
    for (int i = 0; i < 2; i++) {
        int x = a >> 16 * i & 65535, y = b >> 8 * (i + 2 * high) & 255;
        c += is_signed ? (x - (x & 32768) * 2) * (y - (y & 128) * 2) : x * y;
    }
    return c;
}
__global__ void k(int *o) {
    unsigned seed = threadIdx.x, wrong = 0;
    for (int n = 0; n < 50; n++) {
        unsigned w[4];
        for (int i = 0; i < 4; i++) {
            seed = seed * 1664525u + 1013904223u;
            w[i] = seed ^ seed >> 13;
        }
        unsigned a = w[0], b = w[1], c = w[2], shift = n % 3 ? w[3] & 31 : w[3] & 63;
        unsigned at = w[3] >> 8 & 31, full = shift < 32 ? shift : 32;
        int s = a, t = b, count = 0, zeros = 0, nth = (int)(w[3] >> 16 & 15) - 8;
        wide both = (wide)b << 32 | a;
        for (int i = 0; i < 32; i++)
            count += a >> i & 1;
        while (zeros < 32 && !(a >> (31 - zeros) & 1))
            zeros++;
        wrong += __brev(a) != reversed(a);
        wrong += __brevll(both) != ((wide)reversed(a) << 32 | reversed(b));
        wrong += __byte_perm(a, b, c) != permuted(a, b, c);
        wrong += __fns(a, at, nth) != nth_set(a, at, nth);
        wrong += __funnelshift_l(a, b, shift) != (unsigned)((both << (shift & 31)) >> 32);
        wrong += __funnelshift_r(a, b, shift) != (unsigned)(both >> (shift & 31));
        wrong += __funnelshift_lc(a, b, shift) != (full < 32 ? (unsigned)((both << full) >> 32) : a);
        wrong += __funnelshift_rc(a, b, shift) != (unsigned)(both >> full);
        wrong += __dp4a(a, b, c) != (unsigned)dot(a, b, c, false);
        wrong += __dp4a(s, t, 5) != dot(a, b, 5, true);
        wrong += __dp2a_lo(a, b, c) != (unsigned)dot2(a, b, c, false, 0);
        wrong += __dp2a_hi(s, t, 5) != dot2(a, b, 5, true, 1);
        wrong += __popc(a) != count || __popcll(both & ~0u) != count || __clz(a) != zeros;
        wrong += __ffs(reversed(a)) != zeros + 1 || __clzll(a) != 32 + zeros;
        wrong += __sad(s, t, c) != (unsigned)(s < t ? (long long)t - s : (long long)s - t) + c;
        wrong += __usad(a, b, c) != (a < b ? b - a : a - b) + c;
        wrong += __umul24(a, b) != (a & 0xffffff) * (b & 0xffffff);
        wrong += __mul24(s, t) != (s << 8 >> 8) * (t << 8 >> 8);
        wrong += __mulhi(s, t) != (int)((long long)s * t >> 32);
        wrong += __umulhi(a, b) != (unsigned)((wide)a * b >> 32);
        wrong += __hadd(s, t) != (int)(((long long)s + t) >> 1);
        wrong += __urhadd(a, b) != (unsigned)(((wide)a + b + 1) >> 1);
        float x = (float)(s >> 8) / 4096;
        wrong += __saturatef(x) != (x > 0 ? x < 1 ? x : 1 : 0);
    }
    wrong += __saturatef(nanf("")) != 0 || __fns(0x11, 0, 2) != 4 || __ffs(0) != 0;
    o[threadIdx.x] = wrong;
}
