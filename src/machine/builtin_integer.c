/*
 * Integer functions. Each is one expression of its operands a, b and c, written
 * once; T is their type, U the unsigned one, and W one so wide that no sum and no
 * product is cut off. The functions that differ for unsigned integers have the two
 * forms that the front end calls: hadd and u_hadd.
 */
#include "machine/builtin.h"

__extension__ typedef __int128 signed_wide;
__extension__ typedef unsigned __int128 unsigned_wide;

#define TYPES(type, unsigned_type, wide, low, high)  \
    typedef type T __attribute__((unused));          \
    typedef unsigned_type U __attribute__((unused)); \
    typedef wide W __attribute__((unused));          \
    enum { BITS = sizeof(T) * 8 };                   \
    const W least __attribute__((unused)) = low;     \
    const W most __attribute__((unused)) = high
#define HANDLER(name, suffix, type, unsigned_type, wide, low, high, value) \
    VM_HANDLER(name##_##suffix, type, type, type, type,                    \
               TYPES(type, unsigned_type, wide, low, high), value)

#define SIGNED(name, value)                                                         \
    HANDLER(name, I8, int8_t, uint8_t, int32_t, INT8_MIN, INT8_MAX, value)          \
    HANDLER(name, I16, int16_t, uint16_t, int32_t, INT16_MIN, INT16_MAX, value)     \
    HANDLER(name, I32, int32_t, uint32_t, int64_t, INT32_MIN, INT32_MAX, value)     \
    HANDLER(name, I64, int64_t, uint64_t, signed_wide, INT64_MIN, INT64_MAX, value)
#define UNSIGNED(name, value)                                                   \
    HANDLER(name, I8, uint8_t, uint8_t, uint32_t, 0, UINT8_MAX, value)          \
    HANDLER(name, I16, uint16_t, uint16_t, uint32_t, 0, UINT16_MAX, value)      \
    HANDLER(name, I32, uint32_t, uint32_t, uint64_t, 0, UINT32_MAX, value)      \
    HANDLER(name, I64, uint64_t, uint64_t, unsigned_wide, 0, UINT64_MAX, value)
#define BOTH(name, value) SIGNED(name, value) UNSIGNED(u_##name, value)

#define CLAMPED(x) ((x) < least ? least : (x) > most ? most : (x))
/* Of sums in W: of unsigned ones only the upper bound can be passed. */
SIGNED(add_sat, CLAMPED((W)a[j] + b[j]))
UNSIGNED(u_add_sat, (W)a[j] + b[j] > most ? most : (W)a[j] + b[j])
SIGNED(sub_sat, CLAMPED((W)a[j] - b[j]))
UNSIGNED(u_sub_sat, a[j] > b[j] ? a[j] - b[j] : 0)
SIGNED(mad_sat, CLAMPED((W)a[j] * b[j] + c[j]))
UNSIGNED(u_mad_sat, (W)a[j] * b[j] + c[j] > most ? most : (W)a[j] * b[j] + c[j])
BOTH(abs_diff, a[j] > b[j] ? (U)a[j] - (U)b[j] : (U)b[j] - (U)a[j])
BOTH(hadd, ((W)a[j] + b[j]) >> 1)
BOTH(rhadd, ((W)a[j] + b[j] + 1) >> 1)
BOTH(mul_hi, (W)a[j] * b[j] >> BITS)
BOTH(mad_hi, (U)((W)a[j] * b[j] >> BITS) + (U)c[j])
UNSIGNED(rotate, a[j] << (b[j] & (BITS - 1)) | a[j] >> (-b[j] & (BITS - 1)))

/* Bits are counted in 64: what stands above a narrow integer is taken off or filled. */
UNSIGNED(clz, a[j] ? __builtin_clzll(a[j]) - (64 - BITS) : BITS)
UNSIGNED(ctz, a[j] ? __builtin_ctzll(a[j]) : BITS)

UNSIGNED(popcount, vm_count_ones(a[j]))

static uint64_t reverse_bits(uint64_t x) {
    x = (x >> 1 & 0x5555555555555555u) | (x & 0x5555555555555555u) << 1;
    x = (x >> 2 & 0x3333333333333333u) | (x & 0x3333333333333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0f0f0f0f0fu) | (x & 0x0f0f0f0f0f0f0f0fu) << 4;
    return __builtin_bswap64(x);
}
UNSIGNED(bit_reverse, reverse_bits(a[j]) >> (64 - BITS))

/* Four of the eight bytes of b and a, each chosen by three bits of c. */
#define BYTE(k) (((uint64_t)b[j] << 32 | a[j]) >> (c[j] >> 4 * (k) & 7) * 8 & 0xff)
HANDLER(byte_perm, I32, uint32_t, uint32_t, uint64_t, 0, 0,
        BYTE(0) | BYTE(1) << 8 | BYTE(2) << 16 | BYTE(3) << 24)

/* ---- compiling -------------------------------------------------------------------- */

/* upsample(high, low): the operands side by side in an integer twice as wide. */
static void compile_upsample(vm_compiler *c, const void *what) {
    (void)what;
    uint32_t bits = vm_elem_bytes(vm_call_elem(c, 0)) * 8;
    vm_operand d = vm_result(c, 0);
    vm_operand high = vm_scratch(c, d.elem, d.varying), low = vm_scratch(c, d.elem, d.varying);
    for (uint32_t k = 0; k < vm_call_lanes(c); k++) {
        d = vm_result(c, k);
        vm_emit(c, KIR_ZEXT, high, vm_call_arg(c, 0, k), vm_none);
        vm_emit(c, KIR_ZEXT, low, vm_call_arg(c, 1, k), vm_none);
        vm_emit(c, KIR_SHL, high, high, vm_constant(c, d.elem, bits));
        vm_emit(c, KIR_OR, d, high, low);
    }
}

/* ---- the table -------------------------------------------------------------------- */

#define ROW(name, shape) {#name, shape, VM_BY_ELEM(name##_I8, name##_I16, name##_I32, name##_I64)}
#define ROWS(name, shape) ROW(name, shape), ROW(u_##name, shape)

const vm_builtin vm_integer_builtins[] = {
    ROWS(add_sat, "nnn"),
    ROWS(sub_sat, "nnn"),
    ROWS(mad_sat, "nnnn"),
    ROWS(abs_diff, "nnn"),
    ROWS(hadd, "nnn"),
    ROWS(rhadd, "nnn"),
    ROWS(mul_hi, "nnn"),
    ROWS(mad_hi, "nnnn"),
    ROW(rotate, "nnn"),
    ROW(clz, "nn"),
    ROW(ctz, "nn"),
    ROW(popcount, "nn"),
    ROW(bit_reverse, "nn"),
    {"byte_perm", "iiii", VM_BY_ELEM([VM_I32] = byte_perm_I32)},
    {"upsample", "wnn", compile_upsample, NULL},
    {"u_upsample", "wnn", compile_upsample, NULL},
    {NULL},
};
