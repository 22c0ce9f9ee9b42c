// A variable of a function that stays.
//: run numbered 4: 3 4 5 6
int next(void) {
    static global atomic_int number = 3;
    return atomic_fetch_add_explicit(&number, 1, memory_order_relaxed, memory_scope_device);
}
kernel void numbered(global int *y) { y[get_global_id(0)] = next(); }
