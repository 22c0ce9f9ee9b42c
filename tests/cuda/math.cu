// expect: f float = 0.5 -1 2.718281828 8 0.5 1000 3 2 -3 -2 -4 5 1.5 0.75 0.6321205588 2.5 0.7071067812 0.7071067812 0.25 2 0.8427007929 0.4769362762 0.9750021049 5 0.2 1 0 0.375 3 0.5 0 -1
// expect: d double = 0.70710678118654757 1.4142135623730951 0.33333333333333331 120 -0.5 1e-9 0.30102999566398120 3.1415926535897931 2 13 1.1102230246251565e-16
// expect: i int = 3 27 4 5 0 -2147483648 2143289344 305419896 -1 1 65537 1073741824 8 3 -7 2 -3 2 3 2147483647 0 1717986918 287454020 35 -2 70 0 1
//
// Mathematics whose results are known: exact ones, and constants to full precision.
__global__ void reals(float *f, double *d, float one, double two) {
    f[0] = sinf(one * 0.5235987756f);        // 30 degrees
    f[1] = cosf(one * 3.14159265f);
    f[2] = expf(one);
    f[3] = exp2f(3 * one);
    f[4] = __sinf(one * 0.5235987756f);
    f[5] = powf(10 * one, 3);
    f[6] = log2f(8 * one);
    f[7] = floorf(2.75f * one);
    f[8] = floorf(-2.25f * one);
    f[9] = truncf(-2.75f * one);
    f[10] = rintf(-3.5f * one);
    f[11] = hypotf(3 * one, 4);
    f[12] = fmaf(0.5f, one, 1);
    f[13] = fmodf(8.75f * one, 2);
    f[14] = -expm1f(-one);
    f[15] = fabsf(-2.5f * one);
    f[16] = rsqrtf(2 * one);
    float s, c;
    sincosf(one * 0.7853981634f, &s, &c);
    f[17] = s + (c - s);
    f[18] = __fdividef(one, 4);
    f[19] = cbrtf(8 * one);
    f[20] = erff(one);
    f[21] = erfinvf(0.5f * one);
    f[22] = normcdff(1.96f * one);
    f[23] = norm3df(3 * one, 0, 4);
    f[24] = rnorm3df(3 * one, 0, 4);
    f[25] = __saturatef(1.5f * one);
    f[26] = __saturatef(-one);
    f[27] = scalbnf(0.75f * one, -1);
    f[28] = fmaxf(3 * one, __int_as_float(0x7fc00000));
    int exponent;
    f[29] = frexpf(4 * one, &exponent) + (exponent - 3);
    f[30] = __fdividef(1e38f * one, 1.5e38f * one); // beyond 2^126
    f[31] = __fdividef(-8e37f * one, 8e37f * one);
    d[0] = sin(two * 0.39269908169872414);   // 45 degrees
    d[1] = sqrt(two);
    d[2] = __ddiv_rn(1, two + 1);
    d[3] = tgamma(two + 4);
    d[4] = copysign(0.5, -two);
    d[5] = pow(10.0, -9 * two / 2);
    d[6] = log10(two);
    d[7] = acos(1 - two);
    d[8] = rhypot(0.3, 0.4) + 0 * two;
    d[9] = fma(two, 5.0, 3.0);
    d[10] = __dadd_ru(1.0, two * 2.7755575615628914e-17) - 1 - (__dadd_rd(1.0, two * 2.7755575615628914e-17) - 1) -
            1.1102230246251565e-16;
}

__global__ void integers(int *i, int one, float half) {
    i[0] = __popc(7 * one);
    i[1] = __clz(31 * one);
    i[2] = __ffs(8 * one);
    i[3] = __ffsll(16ll * one);
    i[4] = __ffs(0 * one);
    i[5] = __brev(one);
    i[6] = __float_as_int(__int_as_float(0x7fc00000 * one));
    i[7] = __byte_perm(0x12345678 * one, 0, 0x3210);
    i[8] = __mulhi(-one, 2);
    i[9] = __umulhi(0x80000000u * one, 2);
    i[10] = (int)__umul64hi(0x1000100000000000ull * one, 0x100000ull);
    i[11] = __float2int_rn(1073741824.0f * one);
    i[12] = __sad(-3 * one, 4, 1u);
    i[13] = abs(-3 * one);
    i[14] = min(-7 * one, 3);
    i[15] = __float2int_ru(half + one);
    i[16] = __float2int_rd(-half - 2);
    i[17] = __float2int_rn(half + one);
    i[18] = lrintf(half + 2.5f * one);
    i[19] = __float2int_rz(1e20f * one);
    i[20] = __float2int_rz(__int_as_float(0x7fc00000 * one));
    i[21] = __funnelshift_l(0x66666666u * one, 0x66666666u, 0);
    i[22] = __byte_perm(0x44332211 * one, 0, 0x0123);
    i[23] = __dp4a(0x01020304 * one, 0x02030405, -5);
    i[24] = __hadd(-one - 2, one - 2);
    i[25] = __dp4a(0xff010203u * one, 0x00040506u, 38u);
    i[26] = isnan(half);
    i[27] = isinf(one / (half - half)) != 0;
}
