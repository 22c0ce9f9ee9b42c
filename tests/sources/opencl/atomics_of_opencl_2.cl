// Atomic types and functions of OpenCL C 2.0, with orders and scopes.
//: accesses add: atomic sum 4, atomic most 4
//: run add 4: 6 1 2 3
//: run exchanged 4: 7 1 2 3
kernel void add(volatile global atomic_int *sum, volatile global atomic_uint *most) {
    int i = get_global_id(0);
    atomic_fetch_add_explicit(sum, i, memory_order_relaxed, memory_scope_device);
    atomic_fetch_max(most, (uint)i);
}
kernel void exchanged(volatile global atomic_int *y) {
    int expected = 0;
    atomic_compare_exchange_strong(y, &expected, 7);
}
