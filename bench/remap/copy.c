/*
 * The yardstick: the same bytes copied by streaming stores in several ways, of which the bench
 * takes the one that is fastest on the machine. They differ in the width of the vectors, in what is
 * prefetched, and in how many places a thread copies at once, since memory has several banks.
 */
#include "remap/remap.h"

#include <string.h>
#if defined __x86_64__
#include <immintrin.h>
#endif

enum { LINE = 64, PAGE_LINES = 64 };

#if defined __x86_64__
#define INLINE static inline __attribute__((always_inline))

__attribute__((target("avx512f"))) INLINE void line_512(char *to, const char *from) {
    _mm512_stream_si512((__m512i *)to, _mm512_loadu_si512(from));
}
__attribute__((target("avx2"))) INLINE void line_256(char *to, const char *from) {
    _mm256_stream_si256((__m256i *)to, _mm256_loadu_si256((const __m256i *)from));
    _mm256_stream_si256((__m256i *)(to + 32), _mm256_loadu_si256((const __m256i *)(from + 32)));
}
INLINE void line_128(char *to, const char *from) {
    for (int i = 0; i < LINE; i += 16)
        _mm_stream_si128((__m128i *)(to + i), _mm_loadu_si128((const __m128i *)(from + i)));
}

/* One line after another. */
#define DEFINE_PLAIN(width, isa)                                                \
    isa static void plain_##width(char *to, const char *from, uint64_t lines) { \
        for (uint64_t i = 0; i < lines; i++)                                    \
            line_##width(to + i * LINE, from + i * LINE);                       \
        _mm_sfence();                                                           \
    }
/* Asking for what comes 16 lines later. */
#define DEFINE_AHEAD(width, isa)                                                \
    isa static void ahead_##width(char *to, const char *from, uint64_t lines) { \
        for (uint64_t i = 0; i < lines; i++) {                                  \
            _mm_prefetch(from + (i + 16) * LINE, _MM_HINT_T0);                  \
            line_##width(to + i * LINE, from + i * LINE);                       \
        }                                                                       \
        _mm_sfence();                                                           \
    }
/* A page is prefetched, then the one before is copied. */
#define DEFINE_PAGES(width, isa)                                                  \
    isa static void pages_##width(char *to, const char *from, uint64_t lines) {   \
        for (uint64_t page = 0; page < lines; page += PAGE_LINES) {               \
            uint64_t end = page + PAGE_LINES < lines ? page + PAGE_LINES : lines; \
            for (uint64_t i = page; i < end; i++)                                 \
                _mm_prefetch(from + (i + PAGE_LINES) * LINE, _MM_HINT_T0);        \
            for (uint64_t i = page; i < end; i++)                                 \
                line_##width(to + i * LINE, from + i * LINE);                     \
        }                                                                         \
        _mm_sfence();                                                             \
    }
/* In two places at once. */
#define DEFINE_HALVES(width, isa)                                                \
    isa static void halves_##width(char *to, const char *from, uint64_t lines) { \
        uint64_t half = lines / 2;                                               \
        for (uint64_t i = 0; i < half; i++) {                                    \
            line_##width(to + i * LINE, from + i * LINE);                        \
            line_##width(to + (half + i) * LINE, from + (half + i) * LINE);      \
        }                                                                        \
        if (lines % 2)                                                           \
            line_##width(to + (lines - 1) * LINE, from + (lines - 1) * LINE);    \
        _mm_sfence();                                                            \
    }
#define DEFINE(width, isa)    \
    DEFINE_PLAIN(width, isa)  \
    DEFINE_AHEAD(width, isa)  \
    DEFINE_PAGES(width, isa)  \
    DEFINE_HALVES(width, isa)
DEFINE(128, )
DEFINE(256, __attribute__((target("avx2"))))
DEFINE(512, __attribute__((target("avx512f"))))

#define WAYS(width)                                                               \
    {#width " bits", plain_##width}, {#width " bits, prefetched", ahead_##width}, \
        {#width " bits, page by page", pages_##width}, {                          \
        #width " bits, two places at once", halves_##width                        \
    }

const copy_way *copy_ways(void) {
    static const copy_way all[] = {WAYS(128), WAYS(256), WAYS(512), {0}};
    static const copy_way to_256[] = {WAYS(128), WAYS(256), {0}};
    static const copy_way to_128[] = {WAYS(128), {0}};
    return __builtin_cpu_supports("avx512f") ? all
           : __builtin_cpu_supports("avx2")  ? to_256
                                             : to_128;
}
#else
static void by_memcpy(char *to, const char *from, uint64_t lines) {
    memcpy(to, from, (size_t)lines * LINE);
}
const copy_way *copy_ways(void) {
    static const copy_way all[] = {{"memcpy", by_memcpy}, {0}};
    return all;
}
#endif

typedef struct work {
    work_fn *does;
    const void *job;
    uint64_t units, parts;
} work;

static hd_status do_part(void *self, uint32_t worker, uint64_t part) {
    const work *w = self;
    (void)worker;
    w->does(w->job, w->units * part / w->parts, w->units * (part + 1) / w->parts);
    return HD_OK;
}

void work_on(unsigned threads, uint64_t units, work_fn *does, const void *job) {
    uint64_t none;
    hd_in_parallel(threads, threads, do_part, &(work){does, job, units, threads}, &none);
}

typedef struct copying {
    const copy_way *way;
    char *to;
    const char *from;
    uint64_t bytes;
} copying;

/* The units are lines. */
static void copy_part(const void *job, uint64_t begin, uint64_t end) {
    const copying *c = job;
    c->way->lines(c->to + begin * LINE, c->from + begin * LINE, end - begin);
}

void copy_streaming(const copy_way *way, unsigned threads, char *to, const char *from,
                    uint64_t bytes) {
    copying c = {way, to, from, bytes};
    work_on(threads, bytes / LINE, copy_part, &c);
}

static void memcpy_part(const void *job, uint64_t begin, uint64_t end) {
    const copying *c = job;
    memcpy(c->to + begin * LINE, c->from + begin * LINE, (size_t)(end - begin) * LINE);
}

void copy_plainly(unsigned threads, char *to, const char *from, uint64_t bytes) {
    copying c = {NULL, to, from, bytes};
    work_on(threads, bytes / LINE, memcpy_part, &c);
}
