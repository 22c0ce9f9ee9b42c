// A function with plain pointers, called with pointers to global, local and private memory.
//: accesses sums: load own 8, load y 4, store tile 4, load tile 4, load y 4, store y 4
//: run sums 4: 16 13 9 3
float sum(const float *p, int n) {
    float s = 0;
    for (int i = 0; i < n; i++)
        s += p[i];
    return s;
}
kernel void sums(global float *y) {
    local float tile[64];
    float own[2] = {1, 2};
    int i = get_local_id(0), n = get_local_size(0);
    tile[i] = y[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    float there = sum(tile + i, n - i), here = sum(own, 2), far = sum(y + i, 1);
    barrier(CLK_GLOBAL_MEM_FENCE);
    y[i] = there * 2 + here - far + (i == 0) - i;
}
