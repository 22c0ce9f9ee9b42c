/* What kernels of processors share, in OpenCL C alone. HD_LOAD: a uint4 from anywhere. HD_KEEP: one
 * to anywhere in private memory. HD_STORE: a uint16, past the caches where `streams`, which asks for
 * a multiple of 64 bytes. */
#ifdef __has_builtin
#if __has_builtin(__builtin_nontemporal_store)
#define HD_STREAM(to, value) __builtin_nontemporal_store(value, (HD_GLOBAL uint16 *)(to))
#endif
#endif
#ifndef HD_STREAM
#define HD_STREAM(to, value) hd_store(to, value)
#endif
typedef struct __attribute__((packed)) hd_any_vector { uint4 words; } hd_any_vector;
typedef struct __attribute__((packed)) hd_any_line { uint16 words; } hd_any_line;
#define HD_LOAD(from) (((HD_GLOBAL const hd_any_vector *)(from))->words)
#define HD_KEEP(to, value) (((hd_any_vector *)(to))->words = (value))
HD_INLINE void hd_store(HD_GLOBAL hd_w1 *to, uint16 value) {
    ((HD_GLOBAL hd_any_line *)to)->words = value;
}
#define HD_STORE(to, value, streams)                                                              \
    do {                                                                                          \
        if (streams)                                                                              \
            HD_STREAM(to, value);                                                                 \
        else                                                                                      \
            hd_store(to, value);                                                                  \
    } while (0)

/*
 * A square matrix of words of U bytes is turned by as many rounds as its side has bits: each puts
 * the words of vector i and of that half a matrix further on alternately into vectors 2i and 2i + 1.
 */
#define HD_UNROLL _Pragma("unroll")
#define HD_TURNS(U, type)                                                                         \
    HD_INLINE uint4 hd_low_##U(uint4 a, uint4 b) {                                                \
        type mixed;                                                                               \
        mixed.even = as_##type(a).lo;                                                             \
        mixed.odd = as_##type(b).lo;                                                              \
        return as_uint4(mixed);                                                                   \
    }                                                                                             \
    HD_INLINE uint4 hd_high_##U(uint4 a, uint4 b) {                                               \
        type mixed;                                                                               \
        mixed.even = as_##type(a).hi;                                                             \
        mixed.odd = as_##type(b).hi;                                                              \
        return as_uint4(mixed);                                                                   \
    }                                                                                             \
    HD_INLINE void hd_turn_##U(uint4 *v) {                                                        \
        uint4 mixed[16 / U];                                                                      \
        HD_UNROLL for (hd_w4 round = 1; round < 16 / U; round *= 2) {                             \
            HD_UNROLL for (hd_w4 i = 0; i < 16 / U; i++) mixed[i] =                               \
                i % 2 ? hd_high_##U(v[i / 2], v[i / 2 + 8 / U])                                   \
                      : hd_low_##U(v[i / 2], v[i / 2 + 8 / U]);                                   \
            HD_UNROLL for (hd_w4 i = 0; i < 16 / U; i++) v[i] = mixed[i];                         \
        }                                                                                         \
    }
HD_TURNS(1, uchar16)
HD_TURNS(2, ushort8)
HD_TURNS(4, uint4)
HD_TURNS(8, ulong2)
HD_TURNS(16, uint4)
