/*
 * Four floats of each element, turned round in place: after test_arrays.cu of M. Werner's cuda_benchmarks
 * (docs/reproduce-time.md). -DALIGNED: a record like float4.
 */
typedef struct quad {
    float a, b, c, d;
}
#ifdef ALIGNED
__attribute__((aligned(16)))
#endif
quad;

__kernel void reverse(__global quad *values, int n) {
    for (int i = get_global_id(0); i < n; i += get_global_size(0)) {
        float a = values[i].a, b = values[i].b, c = values[i].c, d = values[i].d;
        values[i].a = d;
        values[i].b = c;
        values[i].c = b;
        values[i].d = a;
    }
}
