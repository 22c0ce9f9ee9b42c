// Unions, with a name and without one, and members without a tag.
//: laid out k 64: soa aosoa:4 {col,pos}{in,kind}{i}
//: laid out k 64 with pos in: soa
typedef union {
    uint u;
    uchar c[4];
} word;
typedef struct {
    word col;
    float4 pos;
    struct {
        float u, w;
    } in;
    enum { X, Y } kind;
    union {
        int i;
        float g;
    };
} cell;
kernel void k(global cell *p) {
    int i = get_global_id(0);
    p[i].col.c[2] += 3;
    p[i].pos.x += p[i].in.u;
    p[i].in.w = 2;
    p[i].kind = Y;
    p[i].i &= 5;
    cell c = p[i];
    c.in.w += 3;
    p[i] = c;
}
