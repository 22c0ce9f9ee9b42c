//: found walk 64: float v[3], stride n
//: not rewritten walk 64: this pointer to numbers of 'v_element' is moved
__kernel void walk(__global const float *v, __global float *out, const int n) {
    int i = get_global_id(0);
    if (i >= n)
        return;
    float sum = v[i] + v[i + n] + v[i + 2 * n];
    __global const float *p = v;
    p += i;
    out[i] = sum + p[0];
}
