/*
 * Tensor maps: what a kernel's copies of boxes know of a tensor in global memory. A program makes one
 * (cuTensorMapEncodeTiled) and gives it to kernels as 128 bytes, which nobody but the machine reads.
 */
#ifndef HD_TENSOR_MAP_H
#define HD_TENSOR_MAP_H

#include <stdbool.h>
#include <stdint.h>

enum { HD_TENSOR_RANK = 5, HD_TENSOR_MAP_MARK = 0x6d74 };

/* Dimension 0 is the innermost one, whose elements follow each other. */
/* What its numbers are. */
typedef enum hd_tensor_kind {
    HD_TENSOR_UNSIGNED,
    HD_TENSOR_SIGNED,
    HD_TENSOR_REAL,
    HD_TENSOR_BRAIN /* bf16 */
} hd_tensor_kind;

typedef struct hd_tensor_map {
    uint64_t address;
    uint16_t mark;
    uint8_t rank, element_bytes, kind;
    uint8_t swizzle;                      /* 0; or of 1: 32, 2: 64, 3: 128 bytes */
    uint8_t steps[HD_TENSOR_RANK];        /* of a box, which has one element of so many */
    uint16_t box[HD_TENSOR_RANK];         /* elements of the tensor that it spans */
    uint64_t sizes[HD_TENSOR_RANK];       /* elements */
    uint64_t strides[HD_TENSOR_RANK - 1]; /* bytes, of the dimensions from 1 on */
} hd_tensor_map;
_Static_assert(sizeof(hd_tensor_map) <= 128, "a program has 128 bytes for it");

#endif
