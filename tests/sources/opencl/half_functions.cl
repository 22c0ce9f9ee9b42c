// Functions of half.
//: run exact 4: 1.4140625 7 2.5 4
//: run compared 4: 1 0 1 1
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void exact(global half *y) {
    y[0] = sqrt(2.0h);
    y[1] = fma(2.0h, 3.0h, 1.0h);
    y[2] = fmin(clamp(9.0h, 0.0h, 2.5h), fabs(-3.0h));
    y[3] = floor(4.75h);
}
kernel void compared(global int *y) {
    y[0] = isnan(nan((ushort)0));
    y[1] = isinf(65504.0h);
    y[2] = any(isless((half2)(1, 2), (half2)(2, 1)));
    y[3] = signbit(-0.0h);
}
