/*
 * PTX's shfl.sync for one lane, step by step as PTX ISA describes it.
 */
#ifndef HD_TESTS_ORACLE_SHUFFLE_H
#define HD_TESTS_ORACLE_SHUFFLE_H

#include <stdbool.h>
#include <stdint.h>

typedef enum oracle_way { ORACLE_IDX, ORACLE_UP, ORACLE_DOWN, ORACLE_BFLY } oracle_way;

typedef struct oracle_shuffled {
    uint32_t value;
    bool in_range;
} oracle_shuffled;

/* A lane that takes no part has nothing to give: 0. */
static inline oracle_shuffled oracle_shuffle(oracle_way way, const uint32_t values[32],
                                             const bool takes_part[32], uint32_t lane, uint32_t b,
                                             uint32_t c) {
    int32_t source = 0, own = (int32_t)lane, by = b % 32, end = 0;
    bool in_range = false;
    for (int bit = 0; bit < 5; bit++) { /* fixed ones of the lane, the others of the clamp */
        bool fixed = c >> (8 + bit) & 1;
        end |= (int32_t)((fixed ? lane : c) & 1u << bit);
        source |= (int32_t)((fixed ? lane : b) & 1u << bit);
    }
    switch (way) {
    case ORACLE_IDX: in_range = source <= end; break;
    case ORACLE_UP:
        source = own - by;
        in_range = source >= end;
        break;
    case ORACLE_DOWN:
        source = own + by;
        in_range = source <= end;
        break;
    default: source = own ^ by; in_range = source <= end;
    }
    int32_t from = in_range ? source : own;
    return (oracle_shuffled){takes_part[from] ? values[from] : 0, in_range};
}

#endif
