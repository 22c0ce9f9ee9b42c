/*
 * The initial bytes of a buffer.
 *
 * A generator fills the scalars that its `field` names, element by element: of
 * a buffer with k such scalars in each element (an array field d[3] has three,
 * a float4 four) the j-th of element e is number i = e*k + j. Each number is a
 * function of i alone, but for the permutation, so that contents never depend
 * on how they are made.
 *
 * Random numbers are those of SplitMix64 (Steele, Lea and Flood, "Fast
 * splittable pseudorandom number generators", OOPSLA 2014, figure 17): output i
 * is a mixing function of seed + (i+1) * 0x9e3779b97f4a7c15, so any one of them
 * is had without the ones before it. For a uniform value v in [low, high) its
 * top 53 bits are a fraction u of 1, and v = low + u * (high - low).
 */
#include <math.h>

#include "job/job.h"

static uint64_t random_bits(uint64_t seed, uint64_t i) {
    uint64_t state = seed + i * HD_RANDOM_STEP;
    return hd_next_random(&state);
}

/* A whole number of [ceil(low), floor(high)]. */
static uint64_t random_integer(const hd_init *init, uint64_t i) {
    int64_t low = (int64_t)ceil(init->low);
    bool large = init->high >= 0x1p63;
    uint64_t high = large ? (uint64_t)floor(init->high) : (uint64_t)(int64_t)floor(init->high);
    if (init->low >= 0x1p63)
        low = (int64_t)(uint64_t)ceil(init->low);
    uint64_t values = high - (uint64_t)low + 1; /* 0 stands for 2^64 */
    uint64_t bits = random_bits(init->seed, i);
    return (uint64_t)low + (values ? bits % values : bits);
}

static double random_real(const hd_init *init, const hd_leaf *leaf, uint64_t i) {
    double u = (double)(random_bits(init->seed, i) >> 11) * 0x1p-53;
    double value = init->low + u * (init->high - init->low);
    /* Rounding must not reach the bound that is excluded. */
    if (leaf->type.bits == 32 && (float)value >= (float)init->high && init->low < init->high)
        value = nextafterf((float)init->high, -INFINITY);
    return value;
}

static bool is_stopped(const volatile sig_atomic_t *stop) { return stop && *stop; }

/* Whether there is memory for `size` bytes in the making of a buffer. */
static hd_status check_room(const hd_diag *diag, const hd_buffer *buffer, uint64_t size) {
    static const uint64_t large = 1 << 20;
    uint64_t room = size < large ? UINT64_MAX : hd_memory_free();
    if (room >= size)
        return HD_OK;
    return hd_fail(diag, HD_ESYSTEM, &buffer->place,
                   "to fill buffer '%s' takes %llu MiB of memory, and %llu MiB are free; give it "
                   "fewer elements",
                   buffer->name, (unsigned long long)(size >> 20),
                   (unsigned long long)(room >> 20));
}

static void put_integer(const hd_leaf *leaf, uint64_t value, void *bytes) {
    if (leaf->type.kind == KIR_FLOAT)
        hd_type_put(leaf->type, (double)value, bytes);
    else
        memcpy(bytes, &value, leaf->type.bits / 8);
}

/* What is made before the first number is: a permutation, a part of a graph. */
typedef struct numbers {
    const uint64_t *permutation;
    const uint32_t *part;
} numbers;

static void put_number(const hd_init *init, const hd_leaf *leaf, const numbers *made, uint64_t i,
                       void *bytes) {
    switch (init->generator) {
    case HD_GEN_ZERO: hd_type_put(leaf->type, 0, bytes); break;
    case HD_GEN_CONSTANT: hd_type_put(leaf->type, init->low, bytes); break;
    case HD_GEN_IOTA: hd_type_put(leaf->type, init->low + init->step * (double)i, bytes); break;
    case HD_GEN_MODULO:
        hd_type_put(leaf->type, (double)(i % (uint64_t)init->high) + init->low, bytes);
        break;
    case HD_GEN_PERMUTATION: put_integer(leaf, made->permutation[i], bytes); break;
    case HD_GEN_GRAPH: put_integer(leaf, made->part[i], bytes); break;
    case HD_GEN_UNIFORM:
        if (leaf->type.kind == KIR_INT)
            put_integer(leaf, random_integer(init, i), bytes);
        else
            hd_type_put(leaf->type, random_real(init, leaf, i), bytes);
        break;
    }
}

static hd_status fill(hd_arena *arena, const hd_diag *diag, const hd_buffer *buffer,
                      const hd_init *init, const volatile sig_atomic_t *stop, uint8_t *bytes) {
    uint32_t count, scalars = 0;
    const hd_leaf *leaves = hd_leaves_of_buffer(arena, buffer, init->field, &count);
    uint64_t i = 0;
    for (uint32_t l = 0; l < count; l++)
        scalars += leaves[l].type.lanes;
    numbers made = {NULL, NULL};
    if (init->generator == HD_GEN_PERMUTATION) {
        uint64_t total = buffer->count * scalars;
        hd_status status = check_room(diag, buffer, total * sizeof *made.permutation);
        if (status != HD_OK)
            return status;
        uint64_t *order = hd_new_array(arena, uint64_t, total);
        for (uint64_t k = 0; k < total; k++)
            order[k] = k;
        /* Fisher-Yates; one random number for each exchange. */
        for (uint64_t k = total - 1; k > 0 && !is_stopped(stop); k--) {
            uint64_t j = random_bits(init->seed, total - 1 - k) % (k + 1), swapped = order[k];
            order[k] = order[j];
            order[j] = swapped;
        }
        made.permutation = order;
    }
    if (init->generator == HD_GEN_GRAPH)
        made.part = hd_graph_part_values(arena, init->graph->graph, init->part);
    for (uint64_t e = 0; e < buffer->count && !is_stopped(stop); e++)
        for (uint32_t l = 0; l < count; l++)
            for (uint32_t lane = 0; lane < leaves[l].type.lanes; lane++, i++)
                if (!leaves[l].opaque || !init->skips_opaque)
                    put_number(init, &leaves[l], &made, i,
                               bytes + hd_buffer_byte(buffer, e, leaves[l].offset) +
                                   lane * (leaves[l].type.bits / 8u));
    return HD_OK;
}

uint64_t hd_held_bytes(const hd_job *job, const hd_held *held, uint64_t *first) {
    const hd_buffer *buffer = &job->buffers[held->buffer];
    bool is_one = held->kind == HD_HELD_SET && !(buffer->record && buffer->record->in_columns);
    *first = is_one ? held->element * buffer->element_bytes : 0;
    return (is_one ? 1 : buffer->count) * buffer->element_bytes;
}

void hd_job_apply_held(const hd_job *job, const hd_held *held, void *to, const void *from) {
    const hd_buffer *buffer = &job->buffers[held->buffer];
    if (held->kind == HD_HELD_COPY) {
        memmove(to, from, buffer->count * buffer->element_bytes);
        return;
    }
    hd_arena *scratch = hd_arena_new();
    uint32_t count;
    const hd_leaf *leaves = hd_leaves_of_buffer(scratch, buffer, held->field, &count);
    bool is_fill = held->kind == HD_HELD_FILL;
    uint64_t first, begin = is_fill ? 0 : held->element, end = is_fill ? buffer->count : begin + 1;
    hd_held_bytes(job, held, &first);
    for (uint64_t e = begin; e < end; e++)
        for (uint32_t l = 0; l < count; l++)
            for (uint32_t lane = 0; lane < leaves[l].type.lanes && !leaves[l].opaque; lane++) {
                kir_type type = leaves[l].type;
                type.lanes = 1;
                hd_type_parse_value(type, leaves[l].is_signed, held->value_text,
                                    (unsigned char *)to +
                                        (hd_buffer_byte(buffer, e, leaves[l].offset) - first) +
                                        (size_t)lane * (type.bits / 8));
            }
    hd_arena_free(scratch);
}

hd_status hd_job_contents_until(hd_arena *arena, const hd_diag *diag, const hd_buffer *buffer,
                                const volatile sig_atomic_t *stop, void **bytes) {
    uint64_t size = buffer->count * buffer->element_bytes;
    *bytes = NULL;
    if (is_stopped(stop))
        return HD_OK;
    hd_status status = check_room(diag, buffer, 2 * size); /* who takes them copies them next */
    if (status != HD_OK)
        return status;
    uint8_t *contents = hd_alloc(arena, size);
    *bytes = contents;
    if (buffer->bytes)
        memcpy(contents, buffer->bytes, size);
    else if (buffer->file)
        status = hd_job_read_held(diag, buffer, buffer->file, &buffer->place, contents);
    for (uint32_t i = 0; i < buffer->init_count && status == HD_OK && !is_stopped(stop); i++) {
        hd_arena *scratch = hd_arena_new();
        status = fill(scratch, diag, buffer, &buffer->inits[i], stop, contents);
        hd_arena_free(scratch);
    }
    return status;
}

hd_status hd_job_contents(hd_arena *arena, const hd_diag *diag, const hd_buffer *buffer,
                          void **bytes) {
    return hd_job_contents_until(arena, diag, buffer, NULL, bytes);
}

hd_status hd_job_all_contents(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                              void **contents) {
    hd_status status = HD_OK;
    for (uint32_t b = 0; b < job->buffer_count && status == HD_OK; b++)
        status = hd_job_contents(arena, diag, &job->buffers[b], &contents[b]);
    return status;
}
