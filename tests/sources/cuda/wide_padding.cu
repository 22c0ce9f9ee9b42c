// A member that begins at a multiple of 256 bytes: the array of structs stays the source's.
//: fields cell: c char 0 1, x int 256 4, y float 260 4
//: laid out k 64: aos soa aosoa:16 {c,x}{y} {x,c}{y}
struct cell {
    char c;
    alignas(256) int x;
    float y;
};
__global__ void k(cell *p) {
    int i = threadIdx.x;
    p[i].x += p[i].c;
    cell v = p[i];
    v.y += 1;
    p[i] = v;
}
