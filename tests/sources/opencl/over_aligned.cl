// Attributes that align a struct, or a member, to more than its type.
//: fields cell: c char 0 1, x int 128 4, y float 132 4
//: laid out k 64: aos soa aosoa:4 {c,y}{x}
typedef struct __attribute__((aligned(256))) {
    char c;
    int x __attribute__((aligned(128)));
    float y;
} cell;
kernel void k(global cell *p) {
    int i = get_global_id(0);
    p[i].x += p[i].c;
    cell v = p[i];
    v.y += v.x;
    p[i] = v;
}
