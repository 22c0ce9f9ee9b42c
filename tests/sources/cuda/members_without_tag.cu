// Nested structs and enums without a tag, which several members share, whole and taken apart.
//: laid out k 64: soa {in,out,kind}{n}:2
//: laid out k 64 with in: soa
//: laid out k 64 with in in.at: soa
//: laid out k 64 with in out: soa
struct cell {
    struct {
        float u, w;
        struct {
            int x, y;
        } at;
    } in, out;
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
    c.out.at = p[i].in.at;
    p[i].in = p[i].out;
    p[i].in.at = c.out.at;
    p[i].out = c.in;
}
