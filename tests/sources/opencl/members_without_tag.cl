// Nested structs, unions and enums without a tag, which several members share, whole and taken apart.
//: laid out k 64: aos soa {s,n}{t,word}:2
//: laid out k 64 with s: soa
//: laid out k 64 with s s.in: soa
//: laid out k 64 with s t s.in t.in: {s.x,s.in.v}{s.in.u,s.kind,t.kind,t.x,n}:4{t.in.u,t.in.v,word}
typedef struct {
    struct {
        int x;
        struct { float u, v; } in;
        enum { X, Y } kind;
    } s, t;
    union { int whole; uchar bytes[4]; } word;
    int n;
} cell;
kernel void k(global cell *p) {
    int i = get_global_id(0);
    p[i].s.in.u += p[i].n;
    p[i].s.in = p[i].t.in;
    cell c = p[i];
    c.n = c.s.kind + c.word.bytes[1];
    p[i] = c;
    p[i].t.kind = Y;
    p[i].s.kind = p[i].t.kind;
    p[i].t.in = c.s.in;
    c.t.in = p[i].s.in;
    c.word = p[i].word;
    p[i].word.whole += 3;
    p[i].s = c.t;
}
