// Vectors of half: one access each, components computed one by one.
//: accesses blend: load x 8, load y 8, store y 8
//: run blend 2: 0 2 4 6 8 10 12 14
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void blend(global half4 *y, global const half4 *x) {
    size_t i = get_global_id(0);
    half4 a = x[i], b = y[i];
    y[i] = (half4)(a.lo + b.lo, a.zw + b.zw);
}
