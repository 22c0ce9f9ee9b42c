// A kernel that launches kernels is refused, and the other ones go on.
//: kernels plain
//: left out parent: a kernel cannot launch kernels; launch them from the job
//: run plain 2: 1 2
kernel void parent(global int *y) {
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(4),
                   ^{ y[get_global_id(0)] = 1; });
}
kernel void plain(global int *y) { y[get_global_id(0)] += 1; }
