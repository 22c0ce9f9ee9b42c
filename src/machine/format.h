/*
 * Floating-point formats as few bits, and exact rounding into them: one function for
 * all formats, sources and directions. A number comes as a sign, a whole number and
 * a power of two, so nothing is lost on the way.
 */
#ifndef HD_VM_FORMAT_H
#define HD_VM_FORMAT_H

#include <fenv.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef struct vm_format {
    int precision;         /* bits, with the leading one */
    int least;             /* exponent of the least normal number */
    int sign;              /* place of its bit */
    uint32_t largest;      /* bits of the greatest finite number */
    uint32_t beyond, none; /* of what is greater, where it is not cut to that, and of NaN */
} vm_format;

/* bf16 is the upper half of an f32. e4m3 and e5m2 are made of what is too large, and of infinity, as
 * their greatest numbers. */
extern const vm_format vm_f16, vm_bf16, vm_e4m3, vm_e5m2;

/* The bits of a number in a format, rounded as one of fenv.h says. */
uint32_t vm_format_real(const vm_format *format, double x, int rounding);
uint32_t vm_format_integer(const vm_format *format, bool negative, uint64_t size, int rounding);
/* a * b + c as a double whose lowest bit is set where it is not exact, so that rounding it to
 * a shorter format is rounding once. The product must be exact in a double. */
double vm_fma_to_odd(double a, double b, double c);

/* A float of fewer bits, `low` of them behind the point: its digits go where a float has them, and a
 * factor makes good the other bias, also of subnormal numbers. Faster than what the compiler calls
 * where the processor has no halves. */
static inline double vm_real_of_few(uint32_t bits, uint32_t width, uint32_t low, float bias) {
    uint32_t size = (bits & ((1u << (width - 1)) - 1)) << (23 - low);
    float value;
    memcpy(&value, &size, sizeof value);
    value *= bias;
    return bits >> (width - 1) & 1 ? -(double)value : (double)value;
}
static inline double vm_real_of_f16(uint16_t bits) {
    if ((bits & 0x7c00) == 0x7c00)
        return bits & 0x3ff ? NAN : bits & 0x8000 ? -INFINITY : INFINITY;
    return vm_real_of_few(bits, 16, 10, 0x1p112f);
}
static inline double vm_real_of_e4m3(uint8_t bits) {
    return (bits & 0x7f) == 0x7f ? NAN : vm_real_of_few(bits, 8, 3, 0x1p120f);
}
static inline double vm_real_of_e5m2(uint8_t bits) {
    return vm_real_of_f16((uint16_t)(bits << 8)); /* the upper half of one */
}

#endif
