/*
 * Instructions of PTX, and beside each what it does in plain C: the source is compiled with PLAIN, the
 * PTX without. What all threads of a block, or a cluster, do together begins and ends with a barrier.
 */
#ifdef PLAIN
#define TWIN(instruction, ...) __VA_ARGS__
#define CLUSTER(blocks)
#else
#define TWIN(instruction, ...) instruction
#define CLUSTER(blocks) __cluster_dims__(blocks, 1, 1)
#endif
#define FUNCTION static __device__ __forceinline__

/* ---- of one thread -------------------------------------------------------------------------- */

FUNCTION int limited(long long x, long long least, long long most) {
    return (int)(x < least ? least : x > most ? most : x);
}
FUNCTION unsigned byte_of(unsigned a, unsigned b, unsigned n) { return (n < 4 ? a >> 8 * n : b >> 8 * (n - 4)) & 255; }
FUNCTION unsigned four_bytes(unsigned a, unsigned b, unsigned n0, unsigned n1, unsigned n2, unsigned n3) {
    return byte_of(a, b, n0) | byte_of(a, b, n1) << 8 | byte_of(a, b, n2) << 16 | byte_of(a, b, n3) << 24;
}
FUNCTION unsigned low_bits(unsigned n) { return n > 31 ? 0xffffffffu : (1u << n) - 1; }

#define ONE(name, text, plain)                                                                     \
    FUNCTION unsigned name(unsigned a) {                                                           \
        TWIN(unsigned d; asm(text " %0, %1;" : "=r"(d) : "r"(a)); return d, plain);                \
    }
#define TWO(name, text, plain)                                                                     \
    FUNCTION unsigned name(unsigned a, unsigned b) {                                               \
        TWIN(unsigned d; asm(text " %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b)); return d, plain);    \
    }
#define THREE(name, text, plain) THREE_AND(name, text, "", plain)
#define THREE_AND(name, text, rest, plain)                                                         \
    FUNCTION unsigned name(unsigned a, unsigned b, unsigned c) {                                   \
        TWIN(unsigned d; asm(text " %0, %1, %2, %3" rest ";"                                       \
                             : "=r"(d)                                                             \
                             : "r"(a), "r"(b), "r"(c));                                            \
             return d, plain);                                                                     \
    }
ONE(i_bfind_u, "bfind.u32", return a ? 31 - __clz(a) : ~0u)
ONE(i_bfind_s, "bfind.s32", a = (int)a < 0 ? ~a : a; return a ? 31 - __clz(a) : ~0u)
ONE(i_shiftamt, "bfind.shiftamt.u32", return a ? __clz(a) : ~0u)
ONE(i_cnot, "cnot.b32", return a == 0)
TWO(i_add_sat, "add.sat.s32", return limited((long long)(int)a + (int)b, -0x80000000ll, 0x7fffffff))
TWO(i_sub_sat, "sub.sat.s32", return limited((long long)(int)a - (int)b, -0x80000000ll, 0x7fffffff))
TWO(i_mul24_hi, "mul24.hi.u32", return (unsigned)((a & 0xffffffull) * (b & 0xffffffull) >> 16))
TWO(i_szext_u, "szext.clamp.u32", return a & low_bits(b))
TWO(i_szext_w, "szext.wrap.u32", return a & low_bits(b & 31))
TWO(i_szext_s, "szext.clamp.s32", return b == 0 ? 0 : b > 31 ? a : (unsigned)((int)(a << (32 - b)) >> (32 - b)))
TWO(i_bmsk, "bmsk.clamp.b32", return a > 31 ? 0 : low_bits(b) << a)
TWO(i_bmsk_w, "bmsk.wrap.b32", return low_bits(b & 31) << (a & 31))
TWO(i_set, "set.lt.u32.s32", return (int)a < (int)b ? ~0u : 0)
TWO(i_min_relu, "min.relu.s32", return max(min((int)a, (int)b), 0))
TWO(i_max_relu, "max.relu.s32", return max(max((int)a, (int)b), 0))
TWO(i_add_pairs, "add.u16x2", return (a & 0xffff0000u) + (b & 0xffff0000u) | (a + b & 0xffff))
TWO(i_min_pairs, "min.u16x2", return min(a >> 16, b >> 16) << 16 | min(a & 0xffff, b & 0xffff))
TWO(i_max_pairs, "max.s16x2",
    return (unsigned)max((int)a >> 16, (int)b >> 16) << 16 | ((unsigned)max((int)(a << 16), (int)(b << 16)) >> 16))
THREE(i_bfe_u, "bfe.u32",
      b &= 255; c &= 255; return b > 31 ? 0 : a >> b & low_bits(c))
THREE(i_bfe_s, "bfe.s32", b &= 255; c &= 255; unsigned top = c ? min(b + c - 1, 31u) : 0;
      unsigned sign = c && a >> top & 1 ? ~0u : 0; unsigned of_field = b > 31 ? 0 : low_bits(min(c, 32 - b));
      return c ? ((b > 31 ? 0 : a >> b) & of_field) | (sign & ~of_field) : 0)
THREE(i_f4e, "prmt.b32.f4e", c &= 3; return four_bytes(a, b, c, c + 1, c + 2, c + 3))
THREE(i_b4e, "prmt.b32.b4e", c &= 3; return four_bytes(a, b, c, c + 7 & 7, c + 6 & 7, c + 5 & 7))
THREE(i_rc8, "prmt.b32.rc8", c &= 3; return four_bytes(a, b, c, c, c, c))
THREE(i_ecl, "prmt.b32.ecl", c &= 3; return four_bytes(a, b, c, max(c, 1), max(c, 2), 3))
THREE(i_ecr, "prmt.b32.ecr", c &= 3; return four_bytes(a, b, 0, min(c, 1), min(c, 2), c))
THREE(i_rc16, "prmt.b32.rc16", c = c % 2 * 2; return four_bytes(a, b, c, c + 1, c, c + 1))
THREE(i_sad, "sad.s32", return c + (unsigned)((int)a < (int)b ? b - a : a - b))
THREE(i_mad24, "mad24.hi.u32", return (unsigned)((a & 0xffffffull) * (b & 0xffffffull) >> 16) + c)
THREE(i_dp2a_lo, "dp2a.lo.u32.u32", return c + (a & 0xffff) * (b & 255) + (a >> 16) * (b >> 8 & 255))
THREE(i_dp2a_hi, "dp2a.hi.s32.s32",
      return c + (unsigned)((short)a * (signed char)(b >> 16) + (short)(a >> 16) * (signed char)(b >> 24)))
THREE(i_slct, "slct.u32.s32", return (int)c >= 0 ? a : b)
THREE(i_absdiff4, "vabsdiff4.u32.u32.u32.add",
      for (unsigned i = 0; i < 32; i += 8) c += abs((int)(a >> i & 255) - (int)(b >> i & 255)); return c)
THREE(i_pack, "cvt.pack.sat.s8.s32.b32",
      return (unsigned)(limited((int)a, -128, 127) & 255) << 8 | (limited((int)b, -128, 127) & 255) | c << 16)
THREE_AND(i_majority, "lop3.b32", ", 0xe8", return (a & b) | (a & c) | (b & c))
THREE_AND(i_choose, "lop3.b32", ", 0xca", return (a & b) | (~a & c))
FUNCTION unsigned i_bfi(unsigned a, unsigned b, unsigned c) {
    const unsigned at = c & 63, bits = c >> 8 & 63;
    TWIN(unsigned d; asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(d) : "r"(a), "r"(b), "r"(at), "r"(bits)); return d,
         unsigned field = at > 31 ? 0 : low_bits(bits) << at; return (at > 31 ? 0 : a << at & field) | (b & ~field));
}
/* The upper word of {a, b} + {c, a}. */
FUNCTION unsigned i_addc(unsigned a, unsigned b, unsigned c) {
    TWIN(unsigned d; asm("{ .reg .u32 low; add.cc.u32 low, %2, %1; addc.u32 %0, %1, %3; }"
                         : "=r"(d) : "r"(a), "r"(b), "r"(c)); return d,
         return (unsigned)(((unsigned long long)a << 32 | b) + ((unsigned long long)c << 32 | a) >> 32));
}
/* The n-th bit of `a` that is set, from bit b on. */
FUNCTION unsigned i_fns(unsigned a, unsigned b, unsigned c) {
    const int n = (int)(c % 9) - 4;
    b &= 31;
    TWIN(unsigned d; asm("fns.b32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(n)); return d,
         if (n == 0) return a >> b & 1 ? b : ~0u; int left = n < 0 ? -n : n;
         for (int i = (int)b; i >= 0 && i < 32; i += n < 0 ? -1 : 1) if (a >> i & 1 && --left == 0) return (unsigned)i;
         return ~0u);
}

/* ---- of a warp -------------------------------------------------------------------------------- */

#define REDUX(name, text, T, plain)                                                                \
    FUNCTION T name(T v) {                                                                         \
        TWIN(T d; asm volatile("redux.sync." text " %0, %1, 0xffffffff;" : "=r"(d) : "r"(v)); return d,  \
             T sum = __shfl_sync(0xffffffffu, v, 0);                                               \
             for (int l = 1; l < 32; l++) { T other = __shfl_sync(0xffffffffu, v, l); sum = plain; } return sum);  \
    }
REDUX(i_redux_add, "add.u32", unsigned, sum + other)
REDUX(i_redux_min, "min.u32", unsigned, min(sum, other))
REDUX(i_redux_max, "max.s32", int, max(sum, other))
REDUX(i_redux_and, "and.b32", unsigned, sum & other)
REDUX(i_redux_or, "or.b32", unsigned, sum | other)
REDUX(i_redux_xor, "xor.b32", unsigned, sum ^ other)

/* How many lanes are elected. */
FUNCTION unsigned i_elect(unsigned) {
    TWIN(unsigned is; asm volatile("{ .reg .pred p; elect.sync _|p, 0xffffffff; selp.u32 %0, 1, 0, p; }" : "=r"(is));
         return __popc(__ballot_sync(0xffffffffu, is)), return 1);
}

FUNCTION unsigned in_shared(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

/* Four matrices of eight rows of 16 bytes, a row of each lane's. */
template <bool turned> FUNCTION unsigned i_ldmatrix(unsigned v, unsigned which) {
    __shared__ __align__(16) unsigned all[4][32][4];
    unsigned (*rows)[4] = all[threadIdx.x / 32];
    const unsigned lane = threadIdx.x % 32;
    __syncthreads();
    for (unsigned i = 0; i < 4; i++)
        rows[lane][i] = v * (i + 1);
    __syncthreads();
    unsigned d[4];
#ifdef PLAIN
    for (unsigned i = 0; i < 4; i++) {
        const unsigned short *halves = (const unsigned short *)rows[8 * i];
        d[i] = turned ? halves[lane % 4 * 16 + lane / 4] | (unsigned)halves[lane % 4 * 16 + 8 + lane / 4] << 16
                      : rows[8 * i + lane / 4][lane % 4];
    }
#else
    if (turned)
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]) : "r"(in_shared(rows[lane])) : "memory");
    else
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]) : "r"(in_shared(rows[lane])) : "memory");
#endif
    return d[0] + d[1] * 3 + d[2] * 5 + (which & 7) * d[3];
}
template <bool turned> FUNCTION unsigned i_stmatrix(unsigned v, unsigned which) {
    __shared__ __align__(16) unsigned all[4][32][4];
    unsigned (*rows)[4] = all[threadIdx.x / 32];
    const unsigned lane = threadIdx.x % 32, d[] = {v, v * 3, v * 5, v * 7};
    __syncthreads();
#ifdef PLAIN
    for (unsigned i = 0; i < 4; i++) {
        unsigned short *halves = (unsigned short *)rows[8 * i];
        if (turned) {
            halves[lane % 4 * 16 + lane / 4] = (unsigned short)d[i];
            halves[lane % 4 * 16 + 8 + lane / 4] = (unsigned short)(d[i] >> 16);
        } else {
            rows[8 * i + lane / 4][lane % 4] = d[i];
        }
    }
#else
    if (turned)
        asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(in_shared(rows[lane])),
                     "r"(d[0]), "r"(d[1]), "r"(d[2]), "r"(d[3]) : "memory");
    else
        asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(in_shared(rows[lane])),
                     "r"(d[0]), "r"(d[1]), "r"(d[2]), "r"(d[3]) : "memory");
#endif
    __syncthreads();
    return rows[lane][which & 3] + rows[lane ^ 9][which + 1 & 3];
}

/* ---- barriers of each thread's own ---------------------------------------------------------- */

FUNCTION bool has_passed(unsigned at, unsigned parity) {
#ifdef PLAIN
    return false;
#else
    unsigned d;
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                 : "=r"(d) : "r"(at), "r"(parity) : "memory");
    return d;
#endif
}

/* A barrier of `count` + 1 arrivals that gets `first` of them, then the others and `bytes`. */
FUNCTION unsigned i_mbarrier(unsigned count, unsigned first, unsigned bytes) {
    count = count % 20 + 1, first %= count, bytes %= 1000;
#ifdef PLAIN
    return (count + 1 - first) * 16 + (bytes ? 4 : 6);
#else
    __shared__ unsigned long long barriers[128];
    unsigned long long before;
    unsigned at = in_shared(&barriers[threadIdx.x]), pending, early, late;
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(at), "r"(count + 1) : "memory");
    for (unsigned i = 0; i < first; i++)
        asm volatile("{ .reg .b64 s; mbarrier.arrive.shared::cta.b64 s, [%0]; }" ::"r"(at) : "memory");
    asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1];" : "=l"(before) : "r"(at) : "memory");
    asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(pending) : "l"(before));
    asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(at), "r"(bytes) : "memory");
    if (count - first > 1)
        asm volatile("{ .reg .b64 s; mbarrier.arrive.noComplete.release.cta.shared::cta.b64 s, [%0], %1; }" ::"r"(at),
                     "r"(count - first - 1) : "memory");
    early = has_passed(at, 0);
    asm volatile("{ .reg .b64 s; mbarrier.arrive.shared::cta.b64 s, [%0]; }" ::"r"(at) : "memory");
    asm volatile("{ .reg .pred p; mbarrier.test_wait.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                 : "=r"(late) : "r"(at), "l"(before) : "memory");
    asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(at), "r"(bytes) : "memory");
    unsigned last = has_passed(at, 0);
    asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(at) : "memory");
    return pending * 16 + early + late * 2 + last * 4;
#endif
}

/* ---- copies in bulk --------------------------------------------------------------------------- */

#ifndef PLAIN
FUNCTION void start_barrier(unsigned at, unsigned arrivals) {
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], %1; fence.mbarrier_init.release.cluster; fence.proxy.async;"
                     ::"r"(at), "r"(arrivals) : "memory");
    __syncthreads();
}
FUNCTION void end_barrier(unsigned at, unsigned parity) {
    while (!has_passed(at, parity)) {
    }
    __syncthreads();
    if (threadIdx.x == 0)
        asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(at) : "memory");
}
FUNCTION void expect(unsigned at, unsigned bytes) {
    asm volatile("{ .reg .b64 s; mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 s, [%0], %1; }" ::"r"(at), "r"(bytes)
                 : "memory");
}
FUNCTION void bring(void *to, const void *from, unsigned bytes, unsigned at) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(in_shared(to)),
                 "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(at) : "memory");
}
#endif

/* `pieces` of `bytes` each, a multiple of 16. */
FUNCTION void bulk_in(void *to, const void *from, unsigned bytes, unsigned pieces, bool early) {
    __syncthreads();
#ifdef PLAIN
    for (unsigned i = threadIdx.x; i < bytes * pieces; i += blockDim.x)
        ((char *)to)[i] = ((const char *)from)[i];
#else
    __shared__ unsigned long long ready;
    const unsigned at = in_shared(&ready);
    start_barrier(at, 1);
    if (threadIdx.x == 0) {
        if (early)
            expect(at, bytes * pieces);
        for (unsigned p = 0; p < pieces; p++)
            bring((char *)to + p * bytes, (const char *)from + p * bytes, bytes, at);
        if (!early)
            expect(at, bytes * pieces);
    }
    end_barrier(at, 0);
#endif
    __syncthreads();
}

/* Each thread brings 16 bytes, and the barrier is there for two phases. */
FUNCTION void bulk_in_by_all(void *to, const void *from, unsigned pieces) {
    __syncthreads();
#ifdef PLAIN
    for (unsigned i = threadIdx.x; i < 16 * pieces; i += blockDim.x)
        ((char *)to)[i] = ((const char *)from)[i];
#else
    __shared__ unsigned long long ready;
    const unsigned at = in_shared(&ready);
    start_barrier(at, blockDim.x);
    for (unsigned phase = 0; phase < 2; phase++) {
        const unsigned p = 2 * threadIdx.x + phase;
        expect(at, p < pieces ? 16 : 0);
        if (p < pieces)
            bring((char *)to + 16 * p, (const char *)from + 16 * p, 16, at);
        while (!has_passed(at, phase)) {
        }
    }
    end_barrier(at, 1);
#endif
    __syncthreads();
}

/* `read`: the first wait is for the reading alone. */
FUNCTION void bulk_out(void *to, const void *from, unsigned bytes, bool read) {
    TWIN(asm volatile("fence.proxy.async;" ::: "memory"), );
    __syncthreads();
#ifdef PLAIN
    for (unsigned i = threadIdx.x; i < bytes; i += blockDim.x)
        ((char *)to)[i] = ((const char *)from)[i];
#else
    if (threadIdx.x == 0) {
        for (unsigned half = 0; half < 2; half++) {
            asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;"
                         "cp.async.bulk.commit_group;" ::"l"(__cvta_generic_to_global((char *)to + half * bytes / 2)),
                         "r"(in_shared((const char *)from + half * bytes / 2)), "r"(bytes / 2) : "memory");
            if (read)
                asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
        }
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
#endif
    __syncthreads();
}

#define BULK_REDUCE(name, text, T, plain)                                                          \
    FUNCTION void name(T *to, const T *from, unsigned count) {                                     \
        TWIN(asm volatile("fence.proxy.async;" ::: "memory"), );                                   \
        __syncthreads();                                                                           \
        TWIN(if (threadIdx.x == 0) asm volatile(                                                   \
                 "cp.reduce.async.bulk.global.shared::cta.bulk_group." text " [%0], [%1], %2;"     \
                 "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::"l"(__cvta_generic_to_global(to)),  \
                 "r"(in_shared(from)), "r"((unsigned)sizeof(T) * count) : "memory"),               \
             for (unsigned i = threadIdx.x; i < count; i += blockDim.x) { const T old = to[i], v = from[i]; to[i] = plain; });  \
        __syncthreads();                                                                           \
    }
BULK_REDUCE(bulk_add, "add.u64", unsigned long long, old + v)
BULK_REDUCE(bulk_min, "min.u64", unsigned long long, min(old, v))
BULK_REDUCE(bulk_max, "max.s64", long long, max(old, v))
BULK_REDUCE(bulk_and, "and.b64", unsigned long long, old & v)
BULK_REDUCE(bulk_or, "or.b64", unsigned long long, old | v)
BULK_REDUCE(bulk_xor, "xor.b64", unsigned long long, old ^ v)
BULK_REDUCE(bulk_inc, "inc.u32", unsigned, old >= v ? 0 : old + 1)
BULK_REDUCE(bulk_dec, "dec.u32", unsigned, old == 0 || old > v ? v : old - 1)
BULK_REDUCE(bulk_add_s, "add.s32", int, (int)((unsigned)old + (unsigned)v))

/* 16 bytes of each thread's, of which `own` (at most 16) come from memory and the others are zero. */
FUNCTION void copy_async(void *to, const void *from, unsigned own) {
    char *mine = (char *)to + 16 * threadIdx.x;
    own %= 17;
    __syncthreads();
    TWIN(asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2; cp.async.commit_group; cp.async.wait_group 0;" ::"r"(
                          in_shared(mine)), "l"(__cvta_generic_to_global(from)), "r"(own) : "memory"),
         for (unsigned i = 0; i < 16; i++) mine[i] = i < own ? ((const char *)from)[i] : 0);
    __syncthreads();
}

/* ---- clusters ----------------------------------------------------------------------------------- */

FUNCTION void cluster_barrier() {
    TWIN(asm volatile("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;" ::: "memory"),
         __syncthreads());
}

#ifndef PLAIN
FUNCTION unsigned in_block(const void *p, unsigned rank) {
    unsigned d;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(d) : "r"(in_shared(p)), "r"(rank));
    return d;
}
template <class T> FUNCTION T *generic_in_block(T *p, unsigned rank) {
    unsigned long long d;
    asm("mapa.u64 %0, %1, %2;" : "=l"(d) : "l"((unsigned long long)p), "r"(rank));
    return (T *)d;
}
FUNCTION unsigned long long load_there(unsigned at, unsigned bytes) {
    unsigned long long d = 0;
    if (bytes == 1)
        asm volatile("{ .reg .u16 t; ld.shared::cluster.u8 t, [%1]; cvt.u64.u16 %0, t; }" : "=l"(d) : "r"(at) : "memory");
    else if (bytes == 2)
        asm volatile("{ .reg .u16 t; ld.shared::cluster.u16 t, [%1]; cvt.u64.u16 %0, t; }" : "=l"(d) : "r"(at) : "memory");
    else if (bytes == 4)
        asm volatile("{ .reg .u32 t; ld.shared::cluster.u32 t, [%1]; cvt.u64.u32 %0, t; }" : "=l"(d) : "r"(at) : "memory");
    else
        asm volatile("ld.shared::cluster.u64 %0, [%1];" : "=l"(d) : "r"(at) : "memory");
    return d;
}
#endif

/* Element `i` of `tile` in block `rank` of the cluster. */
template <class T> FUNCTION T from_block(T *tile, unsigned rank, unsigned i, bool generic) {
#ifdef PLAIN
    return tile[i]; /* not called */
#else
    if (generic)
        return *(volatile T *)generic_in_block(&tile[i], rank);
    const unsigned long long bits = load_there(in_block(&tile[i], rank), sizeof(T));
    T v;
    memcpy(&v, &bits, sizeof v);
    return v;
#endif
}

/*
 * Each thread gives `v` to the thread of its number `by` blocks further; what it gets itself is in
 * `tile` then. PLAIN: it is `got`.
 */
enum { STORES, GENERIC_STORES, STORES_ASYNC, IN_BULK, EXCHANGES };
template <class T> FUNCTION void pass_on(T *tile, T v, T got, unsigned by, unsigned blocks, int way) {
    __syncthreads();
#ifdef PLAIN
    tile[threadIdx.x] = got;
#else
    __shared__ unsigned long long ready;
    __shared__ __align__(16) T own[128];
    const unsigned at = in_shared(&ready), to = (blockIdx.x + by) % blocks;
    T *mine = &tile[threadIdx.x];
    own[threadIdx.x] = v;
    asm volatile("fence.proxy.async;" ::: "memory");
    start_barrier(at, 1);
    if (threadIdx.x == 0 && (way == STORES_ASYNC || way == IN_BULK))
        expect(at, blockDim.x * (unsigned)sizeof(T));
    cluster_barrier();
    unsigned long long bits = 0;
    memcpy(&bits, &v, sizeof v);
    if (way == GENERIC_STORES)
        *(volatile T *)generic_in_block(mine, to) = v;
    else if (way == IN_BULK && threadIdx.x == 0)
        asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                         in_block(tile, to)), "r"(in_shared(own)), "r"(blockDim.x * (unsigned)sizeof(T)),
                     "r"(in_block(&ready, to)) : "memory");
    else if (way == STORES_ASYNC && sizeof(T) == 4)
        asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(in_block(mine, to)),
                     "r"((unsigned)bits), "r"(in_block(&ready, to)) : "memory");
    else if (way == STORES_ASYNC)
        asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b64 [%0], %1, [%2];" ::"r"(in_block(mine, to)),
                     "l"(bits), "r"(in_block(&ready, to)) : "memory");
    else if (way == EXCHANGES && sizeof(T) == 4)
        asm volatile("{ .reg .b32 t; atom.shared::cluster.exch.b32 t, [%0], %1; }" ::"r"(in_block(mine, to)),
                     "r"((unsigned)bits) : "memory");
    else if (way == EXCHANGES)
        asm volatile("{ .reg .b64 t; atom.shared::cluster.exch.b64 t, [%0], %1; }" ::"r"(in_block(mine, to)), "l"(bits)
                     : "memory");
    else if (way == STORES && sizeof(T) == 1)
        asm volatile("{ .reg .u16 t; cvt.u16.u32 t, %1; st.shared::cluster.u8 [%0], t; }" ::"r"(in_block(mine, to)), "r"((unsigned)bits) : "memory");
    else if (way == STORES && sizeof(T) == 2)
        asm volatile("{ .reg .u16 t; cvt.u16.u32 t, %1; st.shared::cluster.u16 [%0], t; }" ::"r"(in_block(mine, to)), "r"((unsigned)bits) : "memory");
    else if (way == STORES && sizeof(T) == 4)
        asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(in_block(mine, to)), "r"((unsigned)bits) : "memory");
    else if (way == STORES)
        asm volatile("st.shared::cluster.u64 [%0], %1;" ::"r"(in_block(mine, to)), "l"(bits) : "memory");
    if (way == STORES_ASYNC || way == IN_BULK)
        end_barrier(at, 0);
    cluster_barrier();
#endif
    __syncthreads();
}

/* All blocks of the cluster get what its first brings. */
FUNCTION void bulk_in_all(void *to, const void *from, unsigned bytes, unsigned blocks) {
    __syncthreads();
#ifdef PLAIN
    for (unsigned i = threadIdx.x; i < bytes; i += blockDim.x)
        ((char *)to)[i] = ((const char *)from)[i];
#else
    __shared__ unsigned long long ready;
    const unsigned at = in_shared(&ready);
    start_barrier(at, 1);
    if (threadIdx.x == 0)
        expect(at, bytes);
    cluster_barrier();
    if (threadIdx.x == 0 && blockIdx.x % blocks == 0)
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, "
                     "[%3], %4;" ::"r"(in_shared(to)), "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(at),
                     "h"((short)((1 << blocks) - 1)) : "memory");
    end_barrier(at, 0);
    cluster_barrier();
#endif
    __syncthreads();
}

/* How often `to` says each thread of the cluster: a sum of atomics on all blocks' shared memory. PLAIN: `got`. */
FUNCTION void count_there(unsigned *tile, unsigned to, unsigned got, unsigned blocks) {
    __syncthreads();
#ifdef PLAIN
    tile[threadIdx.x] = got;
#else
    tile[threadIdx.x] = 0;
    cluster_barrier();
    to %= blocks * blockDim.x;
    asm volatile("red.relaxed.cluster.shared::cluster.add.u32 [%0], 1;" ::"r"(in_block(&tile[to % blockDim.x], to / blockDim.x))
                 : "memory");
    cluster_barrier();
#endif
    __syncthreads();
}

/* ---- products of matrices ---------------------------------------------------------------------- */

/*
 * Rows of A and columns of B are 32 bytes, of numbers of each kind; a sum of products of such
 * small numbers has no rounding.
 */
template <class T, int of_products> struct numbers {
    typedef T type;
    enum { factor = of_products };
};
struct of_s8 : numbers<signed char, 1> {};
struct of_u8 : numbers<unsigned char, 1> {};
struct of_f16 : numbers<unsigned short, 1> {};
struct of_minus : numbers<unsigned short, -1> {}; /* f16, of a warpgroup */
struct of_bf16 : numbers<unsigned short, 1> {};
struct of_tf32 : numbers<unsigned, 1> {};
struct of_e4m3 : numbers<unsigned char, 1> {};
struct of_e5m2 : numbers<unsigned char, 1> {};

FUNCTION int small(of_s8, int x) { return (signed char)x; }
FUNCTION int small(of_u8, int x) { return (unsigned char)x; }
template <class M> FUNCTION int small(M, int x) { return (x & 15) - 8; }

#ifndef PLAIN
FUNCTION unsigned char encode(of_s8, int x) { return (unsigned char)x; }
FUNCTION unsigned char encode(of_u8, int x) { return (unsigned char)x; }
FUNCTION unsigned encode(of_tf32, int x) { return __float_as_uint((float)x); }
FUNCTION unsigned short encode(of_bf16, int x) { return (unsigned short)(__float_as_uint((float)x) >> 16); }
FUNCTION unsigned short encode(of_minus, int x) { return __half_as_ushort(__float2half((float)x)); }
FUNCTION unsigned short encode(of_f16, int x) { return __half_as_ushort(__float2half((float)x)); }
FUNCTION unsigned char encode(of_e4m3, int x) {
    unsigned short d;
    asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(d) : "f"(0.0f), "f"((float)x));
    return (unsigned char)d;
}
FUNCTION unsigned char encode(of_e5m2, int x) {
    unsigned short d;
    asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(d) : "f"(0.0f), "f"((float)x));
    return (unsigned char)d;
}
#endif

/* Numbers of A and B, and what is there before the product; all are made of a seed. */
template <class M> FUNCTION int of_a(unsigned seed, int row, int k) {
    return small(M(), (int)(seed * (unsigned)(row * 32 + k + 1) >> 7));
}
template <class M> FUNCTION int of_b(unsigned seed, int column, int k) {
    return small(M(), (int)(seed * (unsigned)(column * 32 + k + 77) >> 9));
}
FUNCTION int of_sum(unsigned seed, int row, int column) { return (int)(seed >> 5) + row * 7 + column & 127; }

template <class M> FUNCTION int product_at(unsigned seed, int row, int column) {
    int sum = 0;
    for (int k = 0; k < 32 / (int)sizeof(typename M::type); k++)
        sum += of_a<M>(seed, row, k) * of_b<M>(seed, column, k);
    return M::factor * sum;
}

#ifndef PLAIN
/* Four bytes of a row of A, or of a column of B. */
template <class M> FUNCTION unsigned word_of(unsigned seed, int row, int word, bool is_b) {
    const int size = (int)sizeof(typename M::type);
    unsigned w = 0;
    for (int i = 0; i < 4 / size; i++) {
        const int k = word * 4 / size + i;
        w |= (unsigned)encode(M(), is_b ? of_b<M>(seed, row, k) : of_a<M>(seed, row, k)) << 8 * size * i;
    }
    return w;
}

template <class M> struct multiply;
#define WORDS4 "{%0, %1, %2, %3}"
#define WORDS16 "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15}"
#define OUT4(c, d, i) "+" c(d[i]), "+" c(d[i + 1]), "+" c(d[i + 2]), "+" c(d[i + 3])
#define WIDE(columns, depth, S, I) "wgmma.mma_async.sync.aligned.m64n" columns "k" depth "." S "." I "." I " "
/* By a warp; by a warpgroup of 8 and of 32 columns, and of 8 with A in registers. */
#define MULTIPLY(M, T, c, depth, S, I, rest, of_registers)                                         \
    template <> struct multiply<M> {                                                               \
        typedef T sum;                                                                             \
        static __device__ void by_warp(T *d, const unsigned *a, const unsigned *b) {               \
            asm volatile("mma.sync.aligned.m16n8k" depth ".row.col." S "." I "." I "." S " " WORDS4 \
                         ", {%4, %5, %6, %7}, {%8, %9}, " WORDS4 ";"                               \
                         : OUT4(c, d, 0)                                                           \
                         : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));      \
        }                                                                                          \
        static __device__ void by_group(T (&d)[4], unsigned long long a, unsigned long long b,     \
                                        const unsigned *words, int adds) {                         \
            if (words)                                                                             \
                asm volatile("{ .reg .pred p; setp.ne.b32 p, %9, 0; " WIDE("8", depth, S, I) WORDS4 \
                             ", {%4, %5, %6, %7}, %8, p" of_registers "; }"                        \
                             : OUT4(c, d, 0)                                                       \
                             : "r"(words[0]), "r"(words[1]), "r"(words[2]), "r"(words[3]), "l"(b), "r"(adds)); \
            else                                                                                   \
                asm volatile("{ .reg .pred p; setp.ne.b32 p, %6, 0; " WIDE("8", depth, S, I) WORDS4 \
                             ", %4, %5, p" rest "; }"                                              \
                             : OUT4(c, d, 0) : "l"(a), "l"(b), "r"(adds));                         \
        }                                                                                          \
        static __device__ void by_group(T (&d)[16], unsigned long long a, unsigned long long b,    \
                                        const unsigned *, int adds) {                              \
            asm volatile("{ .reg .pred p; setp.ne.b32 p, %18, 0; " WIDE("32", depth, S, I) WORDS16 \
                         ", %16, %17, p" rest "; }"                                                \
                         : OUT4(c, d, 0), OUT4(c, d, 4), OUT4(c, d, 8), OUT4(c, d, 12)             \
                         : "l"(a), "l"(b), "r"(adds));                                             \
        }                                                                                          \
    };
MULTIPLY(of_s8, int, "r", "32", "s32", "s8", "", "")
MULTIPLY(of_u8, int, "r", "32", "s32", "u8", "", "")
MULTIPLY(of_f16, float, "f", "16", "f32", "f16", ", 1, 1, 0, 0", ", 1, 1, 0")
MULTIPLY(of_minus, float, "f", "16", "f32", "f16", ", 1, -1, 0, 0", ", -1, 1, 0")
MULTIPLY(of_bf16, float, "f", "16", "f32", "bf16", ", 1, 1, 0, 0", ", 1, 1, 0")
MULTIPLY(of_tf32, float, "f", "8", "f32", "tf32", ", 1, 1", ", 1, 1")
MULTIPLY(of_e4m3, float, "f", "32", "f32", "e4m3", ", 1, 1", ", 1, 1")
MULTIPLY(of_e5m2, float, "f", "32", "f32", "e5m2", ", 1, 1", ", 1, 1")

/* The words of A that a lane has of 16 rows. */
template <class M> FUNCTION void words_of_a(unsigned *a, unsigned seed, int row) {
    for (int i = 0; i < 4; i++)
        a[i] = word_of<M>(seed, row + threadIdx.x % 32 / 4 + i % 2 * 8, threadIdx.x % 4 + i / 2 * 4, false);
}

/* The byte where byte `along` of row `across` lies, of `wide` pieces of 16 bytes that follow each other, mixed. */
FUNCTION int mixed(int across, int along, int wide) {
    if (wide == 1)
        return across / 8 * 256 + along / 16 * 128 + across % 8 * 16 + along % 16;
    const int at = across * wide * 16 + along;
    return at ^ (at >> 7 & (wide - 1)) << 4;
}
FUNCTION unsigned long long describe(const void *matrix, int wide) {
    const unsigned long long at = in_shared(matrix) & 0x3ffff;
    const int code = wide == 8 ? 1 : wide == 4 ? 2 : wide == 2 ? 3 : 0;
    return at >> 4 | (unsigned long long)(wide == 1 ? 128 >> 4 : 0) << 16 |
           (unsigned long long)((wide == 1 ? 256 : wide * 128) >> 4) << 32 | (unsigned long long)code << 62;
}
#endif

/* A number of a warp's product, 16 x 8. The seed is the first lane's. */
template <class M> FUNCTION int i_mma(unsigned seed, unsigned which) {
    seed = __shfl_sync(0xffffffffu, seed, 0);
    const int i = which & 3, row = threadIdx.x % 32 / 4, column = threadIdx.x % 4 * 2;
#ifdef PLAIN
    return of_sum(seed, row + i / 2 * 8, column + i % 2) + product_at<M>(seed, row + i / 2 * 8, column + i % 2);
#else
    unsigned a[4], b[2];
    typename multiply<M>::sum d[4];
    words_of_a<M>(a, seed, 0);
    for (int j = 0; j < 2; j++)
        b[j] = word_of<M>(seed, row, threadIdx.x % 4 + j * 4, true);
    for (int j = 0; j < 4; j++)
        d[j] = of_sum(seed, row + j / 2 * 8, column + j % 2);
    multiply<M>::by_warp(d, a, b);
    return (int)d[i];
#endif
}

/*
 * d (64 x COLUMNS) of a block of 128. The matrices lie in pieces of `wide` in shared memory, B alone when
 * A is in registers (8 columns). `d` is all threads' then. The seed is the same for all of them.
 */
template <class M, int COLUMNS> FUNCTION void warpgroup_product(int *d, unsigned seed, int wide, bool adds, bool registers) {
    __syncthreads();
#ifdef PLAIN
    for (int o = threadIdx.x; o < 64 * COLUMNS; o += blockDim.x)
        d[o] = (adds ? of_sum(seed, o / COLUMNS, o % COLUMNS) : 0) + product_at<M>(seed, o / COLUMNS, o % COLUMNS);
#else
    __shared__ __align__(1024) char matrix_a[64 * 128], matrix_b[COLUMNS * 128];
    const int row = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4, column = threadIdx.x % 4 * 2;
    for (int w = threadIdx.x; w < (64 + COLUMNS) * 8; w += blockDim.x) {
        const int across = w / 8, word = w % 8;
        char *to = across < 64 ? matrix_a + mixed(across, word * 4, wide) : matrix_b + mixed(across - 64, word * 4, wide);
        *(unsigned *)to = word_of<M>(seed, across % 64, word, across >= 64);
    }
    typename multiply<M>::sum sums[COLUMNS / 2];
    for (int i = 0; i < COLUMNS / 2; i++)
        sums[i] = of_sum(seed, row + i / 2 % 2 * 8, column + i / 4 * 8 + i % 2);
    unsigned words[4];
    words_of_a<M>(words, seed, threadIdx.x / 32 * 16);
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    multiply<M>::by_group(sums, describe(matrix_a, wide), describe(matrix_b, wide), registers ? words : 0, adds);
    asm volatile("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;" ::: "memory");
    for (int i = 0; i < COLUMNS / 2; i++)
        d[(row + i / 2 % 2 * 8) * COLUMNS + column + i / 4 * 8 + i % 2] = (int)sums[i];
#endif
    __syncthreads();
}
