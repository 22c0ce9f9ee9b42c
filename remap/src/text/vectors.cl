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
