// Arithmetic of half is rounded after each operation, to 11 bits.
//: kernels third, sum, product
//: run third 4: 0 0.333251953 0.666503906 1
//: run sum 4: 2048 2048 2050 2052
//: run product 4: 0 1.00097656 2.00195312 3.00390625
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void third(global half *y) { y[get_global_id(0)] /= (half)3; }
kernel void sum(global half *y) { y[get_global_id(0)] += 2048.0h; }
kernel void product(global half *y) { y[get_global_id(0)] *= 1.001h; }
