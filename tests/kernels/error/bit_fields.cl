// flags: -g 32,32 --local 16,4 -n 1024
// error: 3 bit-fields are not supported in OpenCL
typedef struct { unsigned alive : 1; unsigned age : 7; unsigned tag : 24; int n; } life;
__kernel void step(__global life *c) {
    int x = get_global_id(0), y = get_global_id(1), w = get_global_size(0);
    c[y * w + x].n = c[y * w + x].age + 1;
}
