// Vectors in printf, with their lengths, widths and separators.
//: prints 0.00,1.00,2.00,3.00|1,2|-1 x\n   7,  -8|0x1,0x2,0x3,0x4,0x5,0x6,0x7,0x8\n0.500000,1.500000\n
//: run show 1: 0 1 2 3
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void show(global float4 *p) {
    printf("%.2v4hlf|%v2hd|%hhd %s\n", p[0], (short2)(1, 2), (char)-1, "x");
    printf("%4v2hld|%#v8hhx\n", (int2)(7, -8), (uchar8)(1, 2, 3, 4, 5, 6, 7, 8));
    printf("%v2lf\n", (double2)(0.5, 1.5));
}
