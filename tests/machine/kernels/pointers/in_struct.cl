// A struct in private memory that holds pointers.
// buffer: a int 6 = i
// buffer: b int 6 = i * i
// buffer: out int 6
// run: views 6/3
// expect: out = i % 2 ? a[(i + 1) % 6] : b[(i + 1) % 6]
typedef struct view {
    __global const int *data;
    int first;
} view;
int at(view v, int k) { return v.data[(v.first + k) % 6]; }
__kernel void views(__global const int *a, __global const int *b, __global int *out) {
    int i = get_global_id(0);
    view list[2] = {{b, 1}, {a, 1}};
    out[i] = at(list[i % 2], i);
}
