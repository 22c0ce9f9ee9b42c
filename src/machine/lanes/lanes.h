/*
 * Handlers of scalar arithmetic over lanes. lanes.c is compiled once for each
 * instruction set that is worth it; vm_lanes_choose() takes the best that this
 * processor has.
 */
#ifndef HD_VM_LANES_H
#define HD_VM_LANES_H

#include "machine/internal.h"

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

/* X(from, to): conversions; the first argument is handed on. */
#define VM_CONVERT_PAIRS(X, M)                                                             \
    X(M, I8, I16) X(M, I8, I32) X(M, I8, I64) X(M, I16, I32) X(M, I16, I64) X(M, I32, I64)
#define VM_FLOAT_PAIRS(X, M)                                                                  \
    X(M, F16, F32) X(M, F16, F64) X(M, F32, F16) X(M, F32, F64) X(M, F64, F16) X(M, F64, F32)
/* clang-format off */
#define VM_INT_FLOAT_PAIRS(X, M)                                                           \
    X(M, I8, F16) X(M, I8, F32) X(M, I8, F64) X(M, I16, F16) X(M, I16, F32) X(M, I16, F64) \
    X(M, I32, F16) X(M, I32, F32) X(M, I32, F64) X(M, I64, F16) X(M, I64, F32) X(M, I64, F64)

#define VM_CONVERSIONS(M, from, to) M(TRUNC_##to##_##from) M(ZEXT_##from##_##to) M(SEXT_##from##_##to)
#define VM_FLOAT_CONVERSION(M, from, to) M(from##_##to)
/* S: the integer is signed; U: it is not. */
#define VM_INT_FLOAT_CONVERSIONS(M, i, f) M(S##i##_##f) M(U##i##_##f) M(f##_S##i) M(f##_U##i)

/* All handlers: INT and FLOAT have one for each element type of their class, ONE is one. SELECT
 * goes by width: floats use the integer of theirs. FMULADD is rounded twice, FMA once. BIT_I8 is
 * the low bit: trunc to i1 from any width's first byte is TRUNC, then this; SIGN_I8 makes 0 or -1
 * of an i1. ADDR is d = a + b * imm + imm2; b is a signed i32 or an i64, a an i64. */
#define VM_HANDLERS(INT, FLOAT, ONE)                                                       \
    VM_INT_BINARY(INT) VM_FLOAT_BINARY(FLOAT) VM_INT_COMPARE(INT) VM_FLOAT_COMPARE(FLOAT)  \
    INT(SELECT) INT(MOVE) FLOAT(FNEG) FLOAT(FMULADD) FLOAT(FABS) FLOAT(SQRT) FLOAT(FMIN)   \
    FLOAT(FMAX) FLOAT(FMIN_NAN) FLOAT(FMAX_NAN) FLOAT(FLUSH) FLOAT(SATURATE) FLOAT(RSQRT) FLOAT(FLOOR) FLOAT(CEIL) FLOAT(FTRUNC) FLOAT(RINT) FLOAT(FMA) \
    ONE(BIT_I8) ONE(SIGN_I8) VM_CONVERT_PAIRS(VM_CONVERSIONS, ONE)                         \
    VM_FLOAT_PAIRS(VM_FLOAT_CONVERSION, ONE)                                               \
    VM_INT_FLOAT_PAIRS(VM_INT_FLOAT_CONVERSIONS, ONE) ONE(ADDR_I32) ONE(ADDR_I64)
/* clang-format on */

typedef enum vm_fn {
#define INT(op) FN_##op##_I8, FN_##op##_I16, FN_##op##_I32, FN_##op##_I64,
#define FLOAT(op) FN_##op##_F16, FN_##op##_F32, FN_##op##_F64,
#define ONE(name) FN_##name,
    VM_HANDLERS(INT, FLOAT, ONE)
#undef INT
#undef FLOAT
#undef ONE
        FN_COUNT
} vm_fn;

/* Least and greatest address, the bitwise or of all, and whether they are strided. */
typedef struct vm_survey {
    uint64_t least, greatest, all_bits;
    bool strided;
    int64_t stride;
} vm_survey;

typedef struct vm_lanes {
    const char *name; /* of the instruction set */
    vm_op_fn *fn[FN_COUNT];
    /* The masks of lane_flow.c: yes = active & condition, no = active & !condition; the number of
     * lanes in `yes`. `condition` holds an i1 for each lane. */
    uint32_t (*split)(const uint64_t *active, const uint8_t *condition, uint32_t padded,
                      uint64_t *yes, uint64_t *no);
    /* A mask's bits as bytes of 0 or 1. */
    void (*unpack)(const uint64_t *bits, uint32_t padded, uint8_t *lane);
    /* Of the addresses of a block whose lanes are all active. */
    void (*survey)(const uint64_t *address, uint32_t lanes, vm_survey *survey);
    /* Whether the address of each lane l of `bits` is base + l * stride. */
    bool (*strided)(const uint64_t *address, const uint64_t *bits, uint32_t padded, uint64_t base,
                    uint64_t stride);
    /* Of a warp: result[l] = value[from[l]]; the result may be the value. */
    void (*permute)(const uint32_t *value, const uint32_t *from, uint32_t *result);
} vm_lanes;

/* Of this processor. */
const vm_lanes *vm_lanes_choose(void);

#endif
