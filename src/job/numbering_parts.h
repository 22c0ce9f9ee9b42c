/* What numbering.c and numbering_order.c share: numbers in buffers, and rows. */
#ifndef HD_JOB_NUMBERING_PARTS_H
#define HD_JOB_NUMBERING_PARTS_H

#include "job/numbering.h"

/* Of a negative number its bits, which are no element's number. */
static inline uint64_t number_get(const hd_buffer *buffer, const hd_leaf *leaf, const void *bytes,
                                  uint64_t element) {
    uint64_t value = 0;
    const uint8_t *at = (const uint8_t *)bytes + hd_buffer_byte(buffer, element, leaf->offset);
    switch (leaf->type.bits) {
    case 32: memcpy(&value, at, 4); break;
    case 64: memcpy(&value, at, 8); break;
    case 16: memcpy(&value, at, 2); break;
    default: value = *at;
    }
    return value;
}

/* `none` values are compared in as many bits as the number has. */
static inline bool number_is_none(const hd_index *index, uint64_t value, uint32_t bits) {
    uint64_t mask = bits < 64 ? ((uint64_t)1 << bits) - 1 : UINT64_MAX;
    for (uint32_t i = 0; i < index->none_count; i++)
        if ((((uint64_t)index->none[i] ^ value) & mask) == 0)
            return true;
    return false;
}

/* The message for a value of an index, in the original's element, that is no element's number. */
hd_status number_fail(const hd_diag *diag, const hd_job *job, const hd_index *index,
                      uint64_t element, const hd_leaf *leaf, uint64_t value);

typedef struct number_row {
    uint64_t begin, end;
} number_row;
/* Where a row lies, by the contents of the job's buffers; an error where it lies nowhere. */
hd_status number_find_row(const hd_diag *diag, const hd_job *job, const hd_index_rows *rows,
                          void *const *contents, uint64_t number, number_row *row);

#endif
