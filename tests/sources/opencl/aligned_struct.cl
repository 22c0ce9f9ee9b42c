// Structs and fields with an alignment of their own.
//: accesses scale: load p.x 4, store p.y 4
//: run sizes 4: 32 16 64 3
typedef struct { float x; float y __attribute__((aligned(16))); } spread;
typedef struct __attribute__((aligned(64))) { int n; } line;
kernel void scale(global spread *p) {
    size_t i = get_global_id(0);
    p[i].y = p[i].x;
}
kernel void sizes(global int *y) {
    spread s;
    if (get_global_id(0) == 0)
        y[0] = sizeof(spread), y[1] = (int)((private char *)&s.y - (private char *)&s), y[2] = sizeof(line);
}
