// Between two loads of one element lanes exchange values, and memory stays as it was; with a
// barrier it may not.
//: accesses once: load x 4, store y 4
//: accesses twice: load x 4, load x 4, store y 4
kernel void once(global float *y, global const float *x) {
    size_t i = get_global_id(0);
    float sum = sub_group_reduce_add(x[i]) + sub_group_shuffle_xor(x[i], 1);
    y[i] = sum * x[i] + work_group_reduce_max(x[i]);
}
kernel void twice(global float *y, global float *x) {
    size_t i = get_global_id(0);
    float before = x[i];
    sub_group_barrier(CLK_GLOBAL_MEM_FENCE);
    y[i] = before + x[i];
}
