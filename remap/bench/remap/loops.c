/* Loops as a program would have them. The number of words is a constant, as it is for a struct. */
#include "remap/remap.h"

#include "heddle/remap.h"

#define RECORDS(T, words)                                                                       \
    static void to_soa_##T##_##words(const void *job, uint64_t begin, uint64_t end) {           \
        const loop *l = job;                                                                    \
        const T *from = (const T *)l->from;                                                     \
        for (uint64_t i = begin; i < end; i++)                                                  \
            for (int k = 0; k < words; k++)                                                     \
                ((T *)(l->to + (uint64_t)k * l->run))[i] = from[i * words + (uint64_t)k];       \
    }                                                                                           \
    static void to_aos_##T##_##words(const void *job, uint64_t begin, uint64_t end) {           \
        const loop *l = job;                                                                    \
        T *to = (T *)l->to;                                                                     \
        for (uint64_t i = begin; i < end; i++)                                                  \
            for (int k = 0; k < words; k++)                                                     \
                to[i * words + (uint64_t)k] = ((const T *)(l->from + (uint64_t)k * l->run))[i]; \
    }

#define TILES(words, tile)                                                                   \
    static void to_tiles_##words##_##tile(const void *job, uint64_t begin, uint64_t end) {   \
        const loop *l = job;                                                                 \
        const uint32_t *from = (const uint32_t *)l->from;                                    \
        uint32_t *to = (uint32_t *)l->to;                                                    \
        for (uint64_t i = begin; i < end; i++)                                               \
            for (uint64_t k = 0; k < words; k++)                                             \
                to[i / tile * tile * words + k * tile + i % tile] = from[i * words + k];     \
    }                                                                                        \
    static void from_tiles_##words##_##tile(const void *job, uint64_t begin, uint64_t end) { \
        const loop *l = job;                                                                 \
        const uint32_t *from = (const uint32_t *)l->from;                                    \
        uint32_t *to = (uint32_t *)l->to;                                                    \
        for (uint64_t i = begin; i < end; i++)                                               \
            for (uint64_t k = 0; k < words; k++)                                             \
                to[i * words + k] = from[i / tile * tile * words + k * tile + i % tile];     \
    }

/* X(type, its bytes, words) and Y(words): what there is. */
#define ALL_RECORDS(X) \
    X(uint32_t, 4, 2)  \
    X(uint32_t, 4, 3)  \
    X(uint32_t, 4, 4)  \
    X(uint32_t, 4, 7)  \
    X(uint32_t, 4, 8)  \
    X(uint32_t, 4, 12) \
    X(uint32_t, 4, 16) \
    X(uint8_t, 1, 4)   \
    X(uint16_t, 2, 8)  \
    X(uint64_t, 8, 4)
#define ALL_TILES(Y) Y(3) Y(4) Y(8)

#define DEFINE_RECORDS(T, bytes, words) RECORDS(T, words)
#define DEFINE_TILES(words) TILES(words, 16) TILES(words, 32) TILES(words, 64)
ALL_RECORDS(DEFINE_RECORDS)
ALL_TILES(DEFINE_TILES)

work_fn *loop_to_soa(unsigned word, unsigned words) {
#define FIND(T, bytes, n)            \
    if (word == bytes && words == n) \
        return to_soa_##T##_##n;
    ALL_RECORDS(FIND)
#undef FIND
    return NULL;
}

work_fn *loop_to_aos(unsigned word, unsigned words) {
#define FIND(T, bytes, n)            \
    if (word == bytes && words == n) \
        return to_aos_##T##_##n;
    ALL_RECORDS(FIND)
#undef FIND
    return NULL;
}

work_fn *loop_to_tiles(unsigned words, unsigned tile) {
#define FIND(n)     \
    if (words == n) \
        return tile == 16 ? to_tiles_##n##_16 : tile == 32 ? to_tiles_##n##_32 : to_tiles_##n##_64;
    ALL_TILES(FIND)
#undef FIND
    return NULL;
}

work_fn *loop_from_tiles(unsigned words, unsigned tile) {
#define FIND(n)                                    \
    if (words == n)                                \
        return tile == 16   ? from_tiles_##n##_16  \
               : tile == 32 ? from_tiles_##n##_32  \
                            : from_tiles_##n##_64;
    ALL_TILES(FIND)
#undef FIND
    return NULL;
}

typedef struct float4 {
    float of[4];
} float4;

#define MATRIX(T)                                                              \
    static void transpose_##T(const void *job, uint64_t begin, uint64_t end) { \
        const loop *l = job;                                                   \
        const T *from = (const T *)l->from;                                    \
        T *to = (T *)l->to;                                                    \
        for (uint64_t r = begin; r < end; r++)                                 \
            for (uint64_t c = 0; c < l->columns; c++)                          \
                to[c * l->rows + r] = from[r * l->columns + c];                \
    }                                                                          \
    static void gather_##T(const void *job, uint64_t begin, uint64_t end) {    \
        const loop *l = job;                                                   \
        const T *from = (const T *)l->from;                                    \
        T *to = (T *)l->to;                                                    \
        for (uint64_t i = begin; i < end; i++)                                 \
            to[i] = from[l->index[i]];                                         \
    }
MATRIX(uint8_t)
MATRIX(uint32_t)
MATRIX(uint64_t)
MATRIX(float4)

work_fn *loop_transpose(unsigned bytes) {
    return bytes == 1   ? transpose_uint8_t
           : bytes == 4 ? transpose_uint32_t
           : bytes == 8 ? transpose_uint64_t
                        : transpose_float4;
}

work_fn *loop_gather(unsigned bytes) {
    return bytes == 1   ? gather_uint8_t
           : bytes == 4 ? gather_uint32_t
           : bytes == 8 ? gather_uint64_t
                        : gather_float4;
}

/* ---- a struct of fields of several sizes --------------------------------------------------- */

/* X(field): where its run begins follows from the runs before. */
#define MIXED_FIELDS(X) X(a) X(b) X(c) X(d) X(e) X(f) X(g) X(h) X(i)

typedef struct mixed_runs {
    double *a;
    float *b, *c;
    short *d, *e;
    char *f, *g, *h, *i;
} mixed_runs;

static mixed_runs runs_of(char *at, uint64_t count) {
    mixed_runs runs;
#define RUN(field)                                        \
    runs.field = (void *)at;                              \
    at += (count * sizeof *runs.field + 255) / 256 * 256;
    MIXED_FIELDS(RUN)
#undef RUN
    return runs;
}

void loop_mixed_to_soa(const void *job, uint64_t begin, uint64_t end) {
    const loop *l = job;
    const mixed *from = (const mixed *)l->from;
    mixed_runs to = runs_of(l->to, l->rows);
    for (uint64_t i = begin; i < end; i++) {
#define MOVE(field) to.field[i] = from[i].field;
        MIXED_FIELDS(MOVE)
#undef MOVE
    }
}

void loop_mixed_to_aos(const void *job, uint64_t begin, uint64_t end) {
    const loop *l = job;
    mixed *to = (mixed *)l->to;
    mixed_runs from = runs_of((char *)(uintptr_t)l->from, l->rows);
    for (uint64_t i = begin; i < end; i++) {
#define MOVE(field) to[i].field = from.field[i];
        MIXED_FIELDS(MOVE)
#undef MOVE
    }
}

/* ---- a struct of any fields ---------------------------------------------------------------- */

/* Field by field, since sizes are no constants here; so few records at once that they stay in the
 * first-level cache. */
enum { AT_ONCE = 128 };

#define ANY(T)                                                                                \
    static void any_to_run_##T(char *to, const char *from, size_t record, uint64_t count) {   \
        for (uint64_t i = 0; i < count; i++)                                                  \
            ((T *)to)[i] = *(const T *)(from + i * record);                                   \
    }                                                                                         \
    static void any_from_run_##T(char *to, const char *from, size_t record, uint64_t count) { \
        for (uint64_t i = 0; i < count; i++)                                                  \
            *(T *)(to + i * record) = ((const T *)from)[i];                                   \
    }
ANY(uint8_t)
ANY(uint16_t)
ANY(uint32_t)
ANY(uint64_t)

#define OF_SIZE(name, size)           \
    ((size) == 1   ? name##_uint8_t   \
     : (size) == 2 ? name##_uint16_t  \
     : (size) == 4 ? name##_uint32_t  \
                   : name##_uint64_t)

void loop_any_to_soa(const void *job, uint64_t begin, uint64_t end) {
    const loop *l = job;
    const any_record *r = l->record;
    for (uint64_t i = begin; i < end; i += AT_ONCE)
        for (unsigned f = 0; f < r->count; f++)
            OF_SIZE(any_to_run, r->size[f])
    (l->to + r->run[f] + i * r->size[f], l->from + i * r->bytes + r->offset[f], r->bytes,
     i + AT_ONCE < end ? AT_ONCE : end - i);
}

void loop_any_to_aos(const void *job, uint64_t begin, uint64_t end) {
    const loop *l = job;
    const any_record *r = l->record;
    for (uint64_t i = begin; i < end; i += AT_ONCE)
        for (unsigned f = 0; f < r->count; f++)
            OF_SIZE(any_from_run, r->size[f])
    (l->to + i * r->bytes + r->offset[f], l->from + r->run[f] + i * r->size[f], r->bytes,
     i + AT_ONCE < end ? AT_ONCE : end - i);
}
