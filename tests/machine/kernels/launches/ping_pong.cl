// Two buffers change roles from launch to launch.
// buffer: a int 8 = i * i
// buffer: b int 8
// run: smooth 8/8 from=a to=b
// run: smooth 8/8 from=b to=a
// run: smooth 8/8 from=a to=b
// expect: a = a[i] + 2 * a[(i + 1) % 8] + a[(i + 2) % 8]
// expect: b = a[i] + 3 * a[(i + 1) % 8] + 3 * a[(i + 2) % 8] + a[(i + 3) % 8]
__kernel void smooth(__global const int *from, __global int *to) {
    int i = get_global_id(0);
    to[i] = from[i] + from[(i + 1) % 8];
}
