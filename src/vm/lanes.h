/*
 * Handlers of scalar arithmetic over lanes. lanes.c is compiled once for each
 * instruction set that is worth it; vm_lanes_choose() takes the best that this
 * processor has.
 */
#ifndef HD_VM_LANES_H
#define HD_VM_LANES_H

#include "vm/internal.h"

/* X(operation): one handler for each element type of its class, in the order of vm_elem. */
#define VM_INT_BINARY(X) \
    X(ADD) X(SUB) X(MUL) X(SDIV) X(UDIV) X(SREM) X(UREM) X(AND) X(OR) X(XOR) X(SHL) X(LSHR) X(ASHR)
#define VM_FLOAT_BINARY(X) X(FADD) X(FSUB) X(FMUL) X(FDIV) X(FREM)
#define VM_INT_COMPARE(X) X(EQ) X(NE) X(SLT) X(SLE) X(SGT) X(SGE) X(ULT) X(ULE) X(UGT) X(UGE)
/* clang-format off */
#define VM_FLOAT_COMPARE(X) \
    X(OEQ) X(ONE) X(OLT) X(OLE) X(OGT) X(OGE) X(UEQ) X(UNE) X(UFLT) X(UFLE) X(UFGT) X(UFGE) \
    X(ORD) X(UNO)
/* clang-format on */

#define VM_INT_ENUM(op) FN_##op##_I8, FN_##op##_I16, FN_##op##_I32, FN_##op##_I64,
#define VM_FLOAT_ENUM(op) FN_##op##_F16, FN_##op##_F32, FN_##op##_F64,

/* X(from, to): conversions; TO_S reads the integer as signed, TO_U as unsigned. */
#define VM_CONVERT_PAIRS(X) X(I8, I16) X(I8, I32) X(I8, I64) X(I16, I32) X(I16, I64) X(I32, I64)
#define VM_FLOAT_PAIRS(X) X(F16, F32) X(F16, F64) X(F32, F16) X(F32, F64) X(F64, F16) X(F64, F32)
/* clang-format off */
#define VM_INT_FLOAT_PAIRS(X)                                                              \
    X(I8, F16) X(I8, F32) X(I8, F64) X(I16, F16) X(I16, F32) X(I16, F64)                   \
    X(I32, F16) X(I32, F32) X(I32, F64) X(I64, F16) X(I64, F32) X(I64, F64)

typedef enum vm_fn {
    VM_INT_BINARY(VM_INT_ENUM) VM_FLOAT_BINARY(VM_FLOAT_ENUM)
    VM_INT_COMPARE(VM_INT_ENUM) VM_FLOAT_COMPARE(VM_FLOAT_ENUM)
    VM_INT_ENUM(SELECT) /* by width; floats use the integer of their width */
    VM_INT_ENUM(MOVE)
    VM_FLOAT_ENUM(FNEG) VM_FLOAT_ENUM(FMULADD)
    VM_FLOAT_ENUM(FABS) VM_FLOAT_ENUM(SQRT) VM_FLOAT_ENUM(FMIN) VM_FLOAT_ENUM(FMAX)
    VM_FLOAT_ENUM(RSQRT) VM_FLOAT_ENUM(FLOOR) VM_FLOAT_ENUM(CEIL) VM_FLOAT_ENUM(FTRUNC)
    VM_FLOAT_ENUM(RINT) VM_FLOAT_ENUM(FMA) /* fused */
    FN_BIT_I8, /* the low bit: trunc to i1 from any width's first byte is TRUNC then this */
    FN_SIGN_I8, /* i1 to 0 or -1 */
#define X(from, to) FN_TRUNC_##to##_##from, FN_ZEXT_##from##_##to, FN_SEXT_##from##_##to,
    VM_CONVERT_PAIRS(X)
#undef X
#define X(from, to) FN_##from##_##to,
    VM_FLOAT_PAIRS(X)
#undef X
#define X(i, f) FN_S##i##_##f, FN_U##i##_##f, FN_##f##_S##i, FN_##f##_U##i,
    VM_INT_FLOAT_PAIRS(X)
#undef X
    /* d = a + b * imm + imm2: addresses; b is a signed i32 or an i64, a an i64 */
    FN_ADDR_I32, FN_ADDR_I64,
    FN_COUNT
} vm_fn;
/* clang-format on */

/* Least and greatest address, the bitwise or of all, and whether they are strided. */
typedef struct vm_survey {
    uint64_t least, greatest, all_bits;
    bool strided;
    int64_t stride;
} vm_survey;

typedef struct vm_lanes {
    const char *name; /* of the instruction set */
    vm_op_fn *fn[FN_COUNT];
    /* The masks of flow.c: yes = active & condition, no = active & !condition; the number of
     * lanes in `yes`. `condition` holds an i1 for each lane. */
    uint32_t (*split)(const uint64_t *active, const uint8_t *condition, uint32_t padded,
                      uint64_t *yes, uint64_t *no);
    /* A mask's bits as bytes of 0 or 1. */
    void (*unpack)(const uint64_t *bits, uint32_t padded, uint8_t *lane);
    /* Of the addresses of a block whose lanes are all active. */
    void (*survey)(const uint64_t *address, uint32_t lanes, vm_survey *survey);
} vm_lanes;

/* Of this processor. */
const vm_lanes *vm_lanes_choose(void);

#endif
