// Conditional expressions, nested, and with a side that only some lanes may evaluate.
// buffer: in int 10 = {3 -1 7 0 9 100 -50 5 2 1}
// buffer: table int 10 = i * i
// buffer: out int 10
// run: pick 10/10
// expect: out = in[i] >= 0 && in[i] < 10 ? table[max(0, min(9, in[i]))] : in[i] < 0 ? -1 : -2
__kernel void pick(__global const int *in, __global const int *table, __global int *out) {
    int i = get_global_id(0), v = in[i];
    out[i] = v < 0 ? -1 : v < 10 ? table[v] : -2;
}
