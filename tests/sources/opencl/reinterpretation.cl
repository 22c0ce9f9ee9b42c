// The same bits as another type.
//: accesses bits: load x 4, store y 4
//: run bits 4: 0 1065353216 1073741824 1077936128
//: run vectors 4: 1 2 3 4
kernel void bits(global int *y, global const float *x) {
    size_t i = get_global_id(0);
    y[i] = as_int(x[i]);
}
kernel void vectors(global int *y) {
    uchar4 bytes = (uchar4)(1, 2, 3, 4);
    uint all = as_uint(bytes);
    ushort2 halves = as_ushort2(all);
    if (get_global_id(0) == 0)
        y[0] = halves.x & 255, y[1] = halves.x >> 8, y[2] = as_uchar4(halves).z, y[3] = all >> 24;
}
