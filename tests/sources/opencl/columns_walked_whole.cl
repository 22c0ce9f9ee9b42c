//: kernels clear, both
//: found both 64: float v[4], stride n
//: layouts both 64: aos {v[0],v[3]}{v[1],v[2]}:4
// An index that walks all columns, and one that is kept in a variable and moved on.
__kernel void clear(__global float *v, const int n) {
    for (int i = get_global_id(0); i < 4 * n; i += get_global_size(0))
        v[i] = i;
}
__kernel void both(__global float *v, const int n) {
    int i = get_global_id(0), at = i + 3 * n;
    if (i >= n)
        return;
    const int third = 2 * n + i;
    v[i] += v[third];
    v[at] += v[i + n];
    for (int k = 0, e = i; k < 4; k++, e += n)
        v[e] *= 2;
    v[i + 1 * n] = v[third] + 1;
}
