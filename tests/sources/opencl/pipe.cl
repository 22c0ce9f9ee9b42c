// Pipes are refused, and the other kernels go on.
//: kernels plain
//: left out give: pipes are not supported; read and write a __global buffer instead
//: run plain 2: 1 2
kernel void give(write_only pipe int p, global int *y) {
    int v = y[get_global_id(0)];
    write_pipe(p, &v);
}
kernel void plain(global int *y) { y[get_global_id(0)] += 1; }
