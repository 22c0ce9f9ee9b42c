/* Tensor maps: what kernels' copies of boxes know of a tensor (machine/tensor_map.h). */
#include "cuda/interfaces/call.h"
#include "machine/tensor_map.h"

/* A CUtensorMapDataType; of 0 bytes: there is none, or its elements are less than a byte. */
static const struct tensor_type {
    uint8_t bytes, kind;
} types[] = {
    {1, HD_TENSOR_UNSIGNED}, {2, HD_TENSOR_UNSIGNED}, {4, HD_TENSOR_UNSIGNED},
    {4, HD_TENSOR_SIGNED},   {8, HD_TENSOR_UNSIGNED}, {8, HD_TENSOR_SIGNED},
    {2, HD_TENSOR_REAL},     {4, HD_TENSOR_REAL},     {8, HD_TENSOR_REAL},
    {2, HD_TENSOR_BRAIN},    {4, HD_TENSOR_REAL},     {4, HD_TENSOR_REAL},
    {4, HD_TENSOR_REAL},
};
enum { TYPES = sizeof types / sizeof *types };

/* CUDA Driver API, cuTensorMapEncodeTiled: what each parameter may be. */
static bool is_valid(const hd_tensor_map *m, const uint32_t *box, const uint32_t *steps) {
    static const uint16_t rows[] = {0, 32, 64, 128}; /* of a swizzle */
    const uint64_t row = (uint64_t)box[0] * m->element_bytes;
    bool all = m->address && m->address % 16 == 0 && row % 16 == 0 &&
               (!m->swizzle || row <= rows[m->swizzle]);
    for (uint32_t d = 0; d < m->rank && all; d++) {
        all = m->sizes[d] && m->sizes[d] <= UINT64_C(1) << 32 && box[d] && box[d] <= 256 &&
              steps[d] && steps[d] <= 8;
        all &= d + 1 == m->rank || (m->strides[d] % 16 == 0 && m->strides[d] < UINT64_C(1) << 40);
    }
    return all;
}

CALL(cuTensorMapEncodeTiled,
     (void *map, int type, uint32_t rank, void *address, const uint64_t *sizes,
      const uint64_t *strides, const uint32_t *box, const uint32_t *steps, int interleave,
      int swizzle, int promotion, int fill),
     map, type, rank, address, sizes, strides, box, steps, interleave, swizzle, promotion, fill) {
    enum { MOST_SWIZZLE = 3, MOST_PROMOTION = 3 };
    (void)p;
    if (!map || (uintptr_t)map % 64 || !rank || rank > HD_TENSOR_RANK || !sizes || !box || !steps ||
        (rank > 1 && !strides) || promotion < 0 || promotion > MOST_PROMOTION || swizzle < 0)
        return CUDA_INVALID_VALUE;
    if (interleave || fill || swizzle > MOST_SWIZZLE || type < 0 || type >= TYPES)
        return CUDA_NOT_SUPPORTED;
    hd_tensor_map made = {.address = (uint64_t)(uintptr_t)address,
                          .mark = HD_TENSOR_MAP_MARK,
                          .rank = (uint8_t)rank,
                          .element_bytes = types[type].bytes,
                          .kind = types[type].kind,
                          .swizzle = (uint8_t)swizzle};
    memcpy(made.sizes, sizes, rank * sizeof *sizes);
    if (rank > 1)
        memcpy(made.strides, strides, (rank - 1) * sizeof *strides);
    if (!is_valid(&made, box, steps))
        return CUDA_INVALID_VALUE;
    for (uint32_t d = 0; d < rank; d++) {
        made.box[d] = (uint16_t)box[d];
        made.steps[d] = d ? (uint8_t)steps[d] : 1; /* of dimension 0 none counts */
    }
    memset(map, 0, 128);
    memcpy(map, &made, sizeof made);
    return CUDA_SUCCESS;
}
