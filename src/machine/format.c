#include "machine/format.h"

#include <math.h>
#include <string.h>

const vm_format vm_f16 = {11, -14, 15, 0x7bff, 0x7c00, 0x7fff};
const vm_format vm_bf16 = {8, -126, 15, 0x7f7f, 0x7f80, 0x7fff};
const vm_format vm_e4m3 = {4, -6, 7, 0x7e, 0x7e, 0x7f};
const vm_format vm_e5m2 = {3, -14, 7, 0x7b, 0x7b, 0x7f};

/* Does rounding go away from zero? `rest` is below, equal to or above half of the last place. */
static bool goes_up(int rounding, bool negative, bool odd, bool inexact, int rest) {
    switch (rounding) {
    case FE_TONEAREST: return rest > 0 || (rest == 0 && odd);
    case FE_UPWARD: return inexact && !negative;
    case FE_DOWNWARD: return inexact && negative;
    default: return false;
    }
}

/* size * 2^power, not 0. */
static uint32_t round_number(const vm_format *f, bool negative, uint64_t size, int power,
                             int rounding) {
    int leading = power + 63 - __builtin_clzll(size);
    int scale =
        leading > f->least ? leading : f->least;   /* exponent of the place before the point */
    int drop = scale - (f->precision - 1) - power; /* bits that are cut off */
    uint64_t kept, rest = 0;
    int middle = -1; /* rest below half a place, 0: equal, 1: above */
    if (drop <= 0) {
        kept = size << -drop;
    } else if (drop > 64) {
        kept = 0;
        rest = size;
    } else {
        uint64_t half = UINT64_C(1) << (drop - 1);
        kept = drop < 64 ? size >> drop : 0;
        rest = drop < 64 ? size & (half * 2 - 1) : size;
        middle = rest > half ? 1 : rest == half ? 0 : -1;
    }
    kept += goes_up(rounding, negative, kept & 1, rest != 0, middle);
    /* The leading bit, where there is one, adds 1 to the exponent. */
    uint64_t bits = ((uint64_t)(scale - f->least) << (f->precision - 1)) + kept;
    /* What is greater than all is the greatest where rounding comes back. */
    bool back = rounding == FE_TOWARDZERO || rounding == (negative ? FE_UPWARD : FE_DOWNWARD);
    uint32_t result = bits <= f->largest ? (uint32_t)bits : back ? f->largest : f->beyond;
    return result | (uint32_t)negative << f->sign;
}

uint32_t vm_format_integer(const vm_format *f, bool negative, uint64_t size, int rounding) {
    return size ? round_number(f, negative, size, 0, rounding) : 0;
}

uint32_t vm_format_real(const vm_format *f, double x, int rounding) {
    bool negative = signbit(x);
    if (isnan(x))
        return f->none;
    if (isinf(x))
        return f->beyond | (uint32_t)negative << f->sign;
    if (x == 0)
        return (uint32_t)negative << f->sign;
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    int exponent = (int)(bits >> 52 & 0x7ff);
    uint64_t size = bits & 0xfffffffffffffu;
    if (exponent)
        size |= UINT64_C(1) << 52;
    return round_number(f, negative, size, (exponent ? exponent : 1) - 1075, rounding);
}

double vm_fma_to_odd(double a, double b, double c) {
    double product = a * b, sum = product + c;
    if (!isfinite(sum))
        return sum;
    double of_c = sum - product, error = (product - (sum - of_c)) + (c - of_c);
    uint64_t bits;
    memcpy(&bits, &sum, sizeof bits);
    if (error == 0 || bits & 1)
        return sum;
    bits += (error > 0) == (sum > 0) ? 1 : UINT64_MAX; /* towards the exact sum */
    memcpy(&sum, &bits, sizeof sum);
    return sum;
}
