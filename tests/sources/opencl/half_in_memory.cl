// Halves that are read and written as floats, without arithmetic of their own.
//: accesses scale: load x 2, store y 2
//: accesses vectors: load x 8, load x 2, load x 2, load x 2, store y 8
//: run scale 4: 0 15360 16384 16896
kernel void scale(global ushort *y, global const half *x) {
    size_t i = get_global_id(0);
    vstore_half_rtz(vload_half(i, x), i, (global half *)y);
}
kernel void vectors(global half *y, global const half *x) {
    size_t i = get_global_id(0);
    float4 a = vloada_half4(i, x);
    float3 b = vload_half3(i, x);
    vstorea_half4_rtp(a + b.xyzz, i, y);
}
