/*
 * Integers as bits and bytes, as PTX has them: bit fields, the place of a bit,
 * products of packed bytes, bytes in another order.
 */
#include "machine/builtin.h"

/* ---- fields ----------------------------------------------------------------------- */

/* Positions and lengths count modulo 256, and may lie beyond the value. */
static uint64_t shifted_up(uint64_t x, uint32_t by) { return by < 64 ? x << by : 0; }
static uint64_t low_ones(uint32_t count) { return count < 64 ? (UINT64_C(1) << count) - 1 : ~0ull; }

static uint64_t extract(uint64_t x, int32_t at, int32_t count) {
    uint32_t from = (uint8_t)at, length = (uint8_t)count;
    return from < 64 ? x >> from & low_ones(length) : 0;
}

/* The field's highest bit is its sign; where the field lies beyond the value, the value's is. */
static int64_t extract_signed(int64_t x, uint32_t bits, int32_t at, int32_t count) {
    uint32_t from = (uint8_t)at, length = (uint8_t)count, top = from + length - 1;
    if (!length)
        return 0;
    top = top < bits ? top : bits - 1;
    uint32_t down = 63 - top + from;
    return (int64_t)((uint64_t)x << (63 - top)) >> (down < 63 ? down : 63);
}

#define FIELDS(I, T, U)                                                                     \
    VM_HANDLER(bitfield_extract_##I, T, T, int32_t, int32_t, ,                              \
               extract_signed(a[j], sizeof(T) * 8, b[j], c[j]))                             \
    VM_HANDLER(u_bitfield_extract_##I, U, U, int32_t, int32_t, , extract(a[j], b[j], c[j])) \
    VM_HANDLER(field_mask_##I, U, int32_t, int32_t, U, ,                                    \
               shifted_up(low_ones((uint8_t)b[j]), (uint8_t)a[j]))                          \
    VM_HANDLER(field_moved_##I, U, U, int32_t, U, , shifted_up(a[j], (uint8_t)b[j]))        \
    VM_HANDLER(find_msb_##I, int32_t, T, T, T, ,                                            \
               63 - (int32_t)count_leading((uint64_t)(int64_t)(a[j] < 0 ? ~a[j] : a[j])))   \
    VM_HANDLER(u_find_msb_##I, int32_t, U, U, U, , 63 - (int32_t)count_leading(a[j]))

/* 64 of 0. */
static uint32_t count_leading(uint64_t x) { return x ? (uint32_t)__builtin_clzll(x) : 64; }
FIELDS(I32, int32_t, uint32_t)
FIELDS(I64, int64_t, uint64_t)

/* The nth set bit of the mask from `base` on, upwards or downwards, itself counted. */
static int32_t nth_set(uint32_t mask, int32_t base, int32_t n) {
    int32_t step = n < 0 ? -1 : 1;
    uint32_t left = n ? (uint32_t)(n < 0 ? -(int64_t)n : n) : 1;
    for (int64_t at = base; at >= 0 && at < 32; at += step) {
        if (mask >> at & 1 && !--left)
            return (int32_t)at;
        if (!n)
            break;
    }
    return -1;
}
VM_HANDLER(find_nth_set, int32_t, uint32_t, int32_t, int32_t, , nth_set(a[j], b[j], c[j]))

/* ---- products of bytes ------------------------------------------------------------ */

/* Byte or half k, with its sign or without. */
#define BYTE_s(x, k) ((int32_t)(int8_t)((x) >> 8 * (k)))
#define BYTE_u(x, k) ((int32_t)(uint8_t)((x) >> 8 * (k)))
#define HALF_s(x, k) ((int32_t)(int16_t)((x) >> 16 * (k)))
#define HALF_u(x, k) ((int32_t)(uint16_t)((x) >> 16 * (k)))
#define DOT(name, sum) VM_HANDLER(name, uint32_t, uint32_t, uint32_t, uint32_t, , c[j] + (sum))
#define PRODUCT4(s, t, k) (uint32_t)(BYTE_##s(a[j], k) * BYTE_##t(b[j], k))
/* The product of a half and a byte fits 32 bits. */
#define PRODUCT2(s, t, k, from) (uint32_t)(HALF_##s(a[j], k) * BYTE_##t(b[j], (k) + (from)))
#define DOTS(s, t)                                                                     \
    DOT(dp4a_##s##t,                                                                   \
        PRODUCT4(s, t, 0) + PRODUCT4(s, t, 1) + PRODUCT4(s, t, 2) + PRODUCT4(s, t, 3)) \
    DOT(dp2a_lo_##s##t, PRODUCT2(s, t, 0, 0) + PRODUCT2(s, t, 1, 0))                   \
    DOT(dp2a_hi_##s##t, PRODUCT2(s, t, 0, 2) + PRODUCT2(s, t, 1, 2))
DOTS(s, s)
DOTS(s, u)
DOTS(u, s)
DOTS(u, u)

/* ---- bytes in another order ------------------------------------------------------- */

/* Of the bytes 0-3 of a and 4-7 of b that four digits of `order` name; with the digit's high bit
 * it is the byte's sign eight times. */
static uint32_t permuted(uint32_t a, uint32_t b, uint32_t order) {
    uint64_t bytes = (uint64_t)b << 32 | a;
    uint32_t result = 0;
    for (uint32_t k = 0; k < 4; k++) {
        uint32_t digit = order >> 4 * k & 15, byte = bytes >> (digit & 7) * 8 & 0xff;
        result |= (digit & 8 ? (byte >> 7) * 0xff : byte) << 8 * k;
    }
    return result;
}

#define PERMUTE(name, order)                                                                \
    VM_HANDLER(name, uint32_t, uint32_t, uint32_t, uint32_t, , permuted(a[j], b[j], order))
/* A mode, by the orders for 0 to 3. */
#define MODE(name, ...)                                    \
    static const uint16_t orders_##name[] = {__VA_ARGS__}; \
    PERMUTE(prmt_##name, orders_##name[c[j] & 3])
PERMUTE(prmt, c[j])
MODE(f4e, 0x3210, 0x4321, 0x5432, 0x6543)
MODE(b4e, 0x5670, 0x6701, 0x7012, 0x0123)
MODE(rc8, 0x0000, 0x1111, 0x2222, 0x3333)
MODE(ecl, 0x3210, 0x3211, 0x3222, 0x3333)
MODE(ecr, 0x0000, 0x1110, 0x2210, 0x3210)
MODE(rc16, 0x1010, 0x3232, 0x1010, 0x3232)

/* ---- compiling -------------------------------------------------------------------- */

/* b ^ ((b ^ (a << position)) & mask) */
static void compile_insert(vm_compiler *c, const void *what) {
    (void)what;
    bool wide = vm_call_elem(c, 0) == VM_I64;
    vm_operand d = vm_result(c, 0), mask = vm_scratch(c, d.elem, d.varying);
    vm_operand moved = vm_scratch(c, d.elem, d.varying);
    for (uint32_t k = 0; k < vm_call_lanes(c); k++) {
        vm_operand b = vm_call_arg(c, 1, k), position = vm_call_arg(c, 2, k);
        d = vm_result(c, k);
        vm_emit_op(c, wide ? field_mask_I64 : field_mask_I32, mask, position, vm_call_arg(c, 3, k),
                   vm_none);
        vm_emit_op(c, wide ? field_moved_I64 : field_moved_I32, moved, vm_call_arg(c, 0, k),
                   position, vm_none);
        vm_emit(c, KIR_XOR, moved, moved, b);
        vm_emit(c, KIR_AND, moved, moved, mask);
        vm_emit(c, KIR_XOR, d, b, moved);
    }
}

/* ---- the table -------------------------------------------------------------------- */

#define ROW(name, shape) {#name, shape, VM_BY_ELEM([VM_I32] = name##_I32, [VM_I64] = name##_I64)}
#define ROW32(name, shape) {#name, shape, VM_BY_ELEM([VM_I32] = name)}
#define ROWS_OF_DOT(s)                                                              \
    ROW32(dp4a_##s, "iiii"), ROW32(dp2a_lo_##s, "iiii"), ROW32(dp2a_hi_##s, "iiii")

const vm_builtin vm_bit_builtins[] = {
    ROW(bitfield_extract, "ggii"),
    ROW(u_bitfield_extract, "ggii"),
    {"bitfield_insert", "gggii", compile_insert, NULL},
    ROW(find_msb, "ig"),
    ROW(u_find_msb, "ig"),
    ROW32(find_nth_set, "iiii"),
    ROWS_OF_DOT(ss),
    ROWS_OF_DOT(su),
    ROWS_OF_DOT(us),
    ROWS_OF_DOT(uu),
    ROW32(prmt, "iiii"),
    ROW32(prmt_f4e, "iiii"),
    ROW32(prmt_b4e, "iiii"),
    ROW32(prmt_rc8, "iiii"),
    ROW32(prmt_ecl, "iiii"),
    ROW32(prmt_ecr, "iiii"),
    ROW32(prmt_rc16, "iiii"),
    {NULL},
};
