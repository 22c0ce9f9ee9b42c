// A work list that lanes fill by an atomic counter, and read in the next launch.
// buffer: in int 64 = (i * 29) % 64
// buffer: list int 64
// buffer: count int 1
// buffer: out int 64
// run: gather 64/8
// run: use 64/8
// expect: count = 32
// expect: out = in[i] % 2 ? in[i] * 10 : 0
// pocl: the order of the list is that of its threads
__kernel void gather(__global const int *in, __global int *list, __global int *count) {
    int i = get_global_id(0);
    if (in[i] % 2)
        list[atomic_inc(count)] = i;
}
__kernel void use(__global const int *in, __global const int *list, __global const int *count,
                  __global int *out) {
    int i = get_global_id(0);
    if (i < *count)
        out[list[i]] = in[list[i]] * 10;
}
