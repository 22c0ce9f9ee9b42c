/*
 * Inline assembly of CUDA C: instructions of PTX between those of another front end. They are read
 * and lowered as those of a file are, but for calls and returns. Jumps, and what is done under a
 * predicate and has an effect, make blocks: these are behind all others, in reverse post-order, and
 * `out` goes on in the one that all ways lead to.
 */
#ifndef HD_FRONT_PTX_INLINE_H
#define HD_FRONT_PTX_INLINE_H

#include "frontend/build.h"

/* An operand, number i of which the text calls %i. */
typedef struct ptx_inline_operand {
    char constraint; /* of CUDA C: h, r, l, f, d; n is a number */
    kir_value value; /* KIR_NONE: it has none before */
    bool is_result;  /* `value` is then what it has afterwards, of `type` */
    kir_type type;
    int64_t number; /* n */
} ptx_inline_operand;

/* NULL, or why not. */
const char *ptx_lower_inline(front_builder *out, const char *text, ptx_inline_operand *operands,
                             uint32_t count);

#endif
