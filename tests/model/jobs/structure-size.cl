typedef struct {
    char w;
    int x;
    char y;
    short z;
} MyType;
__kernel void k(__global MyType *p) { p[get_global_id(0)].x = 1; }
