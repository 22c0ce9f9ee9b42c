// Fields without padding lie where they lie.
//: accesses scale: load p.weight 4, store p.weight 4
//: run size 2: 8 1
typedef struct __attribute__((packed)) { uchar kind; float weight; ushort id; uchar rest; } item;
kernel void scale(global item *p) { p[get_global_id(0)].weight *= 2; }
kernel void size(global int *y) { y[0] = sizeof(item); }
