// Conversions to half round as their names say; between 2048 and 4096 halves are 2 apart.
//: run nearest 4: 2048 2050 2052 2052
//: run zero 4: 2048 2050 2050 2052
//: run up 4: 2050 2050 2052 2052
//: run down 4: -2050 -2050 -2052 -2052
//: run of_integers 4: 2050 2052 -2052 65472
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void nearest(global half *y) {
    size_t i = get_global_id(0);
    y[i] = convert_half_rte(2049.0f + i);
}
kernel void zero(global half *y) {
    size_t i = get_global_id(0);
    y[i] = convert_half_rtz(2049.0f + i);
}
kernel void up(global half *y) {
    size_t i = get_global_id(0);
    y[i] = convert_half_rtp(2049.0 + i);
}
kernel void down(global half *y) {
    size_t i = get_global_id(0);
    y[i] = convert_half4_rtn((float4)(-2049.0f) - (float)i).z;
}
kernel void of_integers(global half *y) {
    y[0] = convert_half_rtp(2049);
    y[1] = convert_half_rtp(2051u);
    y[2] = convert_half_rtn((short)-2051);
    y[3] = convert_half_rtz((ulong)65503);
}
