// The clock is the instructions that the machine has run.
//: options -cl-std=CL3.0
//: run passed 4: 1 1 1 1
kernel void passed(global int *y) {
    size_t i = get_global_id(0);
    ulong before = clock_read_device();
    y[i] += 1;
    uint2 after = clock_read_hilo_sub_group();
    y[i] = as_ulong(after) > before && clock_read_work_group() > before;
}
