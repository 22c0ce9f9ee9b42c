// Nested structs and enums without a tag.
//: laid out k 64: soa {in,kind}{n}:2
//: laid out k 64 with in: soa
struct cell {
    struct {
        float u, w;
    } in;
    enum { X, Y } kind;
    int n;
};
__global__ void k(cell *p) {
    int i = threadIdx.x;
    p[i].in.u += p[i].in.w;
    p[i].kind = cell::Y;
    cell c = p[i];
    c.n = c.kind;
    p[i] = c;
}
