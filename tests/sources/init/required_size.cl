// The local size that a kernel requires.
//: init local: [32]
__kernel __attribute__((reqd_work_group_size(32, 1, 1))) void a(__global int *x) {
    x[get_global_id(0)] = 1;
}
