// Bit-fields are one integer, which moves whole.
//: fields cell: kind uint 0 4, w float 4 4, open uchar 8 1, n int 12 4
//: header cell: uint32_t kind;
//: laid out k 64: soa aosoa:4 aos {kind,n}{w,open}
//: laid out copies 64: soa da
struct cell {
    unsigned kind : 4, level : 12;
    float w;
    unsigned char open : 1;
    int n;
};
__global__ void k(cell *c) {
    int i = threadIdx.x;
    c[i].level += c[i].kind;
    c[i].open = c[i].n & 1;
    c[i].w += 1;
    cell *q = c + i;
    q->kind++;
}
__global__ void copies(cell *c) {
    int i = threadIdx.x;
    cell v = c[i];
    v.level ^= 5;
    __syncthreads();
    c[i ^ 1] = v;
}
