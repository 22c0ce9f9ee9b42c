/*
 * Micro-kernels in plain C: what results are checked with, and the host's share of the work.
 */
#include <math.h>

#include "advise/explore/micro.h"

enum { MOST_FIELDS = 32 };

#if defined(__x86_64__)
#define WITH_FMA __attribute__((target_clones("fma", "default")))
#else
#define WITH_FMA
#endif

/* A field as the type that is computed in. */
#define LOAD(T, from, leaf)                                                                    \
    (leaf.type.kind == KIR_FLOAT                                                               \
         ? (leaf.type.bits == 64 ? (T) * (const double *)(from) : (T) * (const float *)(from)) \
         : (leaf.type.bits == 32 ? (T) * (const uint32_t *)(from)                              \
                                 : (T) * (const uint16_t *)(from)))

/* The function for sums of a type, in which STORE keeps a sum as a result. */
#define DEFINE_COMPUTE(NAME, T, ADD, FUSED1, FUSED2, STORE)                                     \
    WITH_FMA static void NAME(const hd_micro_shape *s, const hd_leaf *leaves, uint32_t size,    \
                              uint8_t *object, uint64_t count) {                                \
        for (uint64_t i = 0; i < count; i++, object += size) {                                  \
            T f[MOST_FIELDS];                                                                   \
            for (uint32_t k = 0; k < s->fields; k++)                                            \
                f[k] = LOAD(T, object + leaves[k].offset, leaves[k]);                           \
            const T a = f[0], b = f[1 % s->fields], c = f[2 % s->fields], d = f[3 % s->fields], \
                    e = f[4 % s->fields];                                                       \
            T sum = a;                                                                          \
            for (uint32_t k = 1; k < s->fields; k++)                                            \
                sum += f[k];                                                                    \
            for (uint32_t r = 0; r < s->rounds; r++) {                                          \
                ADD(sum, a);                                                                    \
                sum += b;                                                                       \
                ADD(sum, c);                                                                    \
                sum = FUSED1(sum, d);                                                           \
                sum = FUSED2(sum, e);                                                           \
            }                                                                                   \
            for (uint32_t r = 0; r < s->fused; r++)                                             \
                sum = s->fields > 1 ? FUSED1(sum, b) : FUSED2(sum, a);                          \
            for (uint32_t r = 0; r < s->adds; r++)                                              \
                ADD(sum, a);                                                                    \
            STORE(object + leaves[s->fields].offset, sum);                                      \
        }                                                                                       \
    }

#define PLUS(sum, value) ((sum) += (value))
#define XOR(sum, value) ((sum) ^= (value))
#define HALF(sum, value) fmaf(sum, 0.5f, value)
#define QUARTER(sum, value) fmaf(sum, 0.25f, value)
#define HALF_DOUBLE(sum, value) fma(sum, 0.5, value)
#define QUARTER_DOUBLE(sum, value) fma(sum, 0.25, value)
#define TIMES3(sum, value) ((sum) * 3u + (value))
#define TIMES5(sum, value) ((sum) * 5u + (value))
#define STORE_FLOAT(to, sum) (*(float *)(to) = (sum))
#define STORE_DOUBLE(to, sum) (*(double *)(to) = (sum))
#define STORE_UINT(to, sum) (*(uint32_t *)(to) = (sum))
#define STORE_USHORT(to, sum) (*(uint16_t *)(to) = (uint16_t)(sum))

DEFINE_COMPUTE(compute_float, float, PLUS, HALF, QUARTER, STORE_FLOAT)
DEFINE_COMPUTE(compute_double, double, PLUS, HALF_DOUBLE, QUARTER_DOUBLE, STORE_DOUBLE)
DEFINE_COMPUTE(compute_uint, uint32_t, XOR, TIMES3, TIMES5, STORE_UINT)
DEFINE_COMPUTE(compute_ushort, uint32_t, XOR, TIMES3, TIMES5, STORE_USHORT)

void hd_micro_compute(const hd_micro *micro, void *objects, uint64_t first, uint64_t count) {
    static void (*const functions[])(const hd_micro_shape *, const hd_leaf *, uint32_t, uint8_t *,
                                     uint64_t) = {[HD_MICRO_FLOAT] = compute_float,
                                                  [HD_MICRO_DOUBLE] = compute_double,
                                                  [HD_MICRO_UINT] = compute_uint,
                                                  [HD_MICRO_USHORT] = compute_ushort,
                                                  [HD_MICRO_MIXED] = compute_double};
    hd_arena *arena = hd_arena_new();
    const hd_buffer *buffer = &micro->job->buffers[0];
    uint32_t leaf_count;
    const hd_leaf *leaves = hd_leaves_of_buffer(arena, buffer, NULL, &leaf_count);
    uint8_t *from = (uint8_t *)objects + first * buffer->element_bytes;
    functions[(int)micro->point.value[HD_DIM_TYPE]](&micro->shape, leaves, buffer->element_bytes,
                                                    from, count);
    hd_arena_free(arena);
}
