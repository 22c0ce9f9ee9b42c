// Variables at file scope: given a value, written, and with the address of another.
//: accesses count: atomic counter 4, load table 4, store y 4
//: run count 4: 50 61 72 83
//: run through 4: 20 21 22 23
global int counter = 5;
global int table[4] = {0, 1, 2, 3};
constant int tens[] = {10, 20, 30};
static global int sum;
global int *global middle = &table[2];
kernel void count(global int *y) {
    int i = get_global_id(0);
    int before = atomic_add(&counter, 1);
    y[i] = before * 10 + table[i];
}
kernel void through(global int *y) {
    int i = get_global_id(0);
    *middle = tens[1];
    if (i == 0)
        sum = middle[0];
    barrier(CLK_GLOBAL_MEM_FENCE);
    y[i] = sum + i;
}
