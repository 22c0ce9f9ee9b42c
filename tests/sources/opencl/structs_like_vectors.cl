// Structs that begin like a vector, taken apart: only where all members lie together in their order
// is a copy one of the whole.
//: laid out k 64 with s: {a,s.x,s.y,b} {a,s.y,b,s.x} {s.y,s.x}{a,b}
//: laid out m 64 with s: {s.x,s.n,a} {s.x,a,s.n} {s.x,s.n}:4{a}
//: laid out n 64 with s s.in: {s.x,s.in.u,a}{s.in.v} {s.x,a,s.in.u,s.in.v}
//: laid out v 64 with s: {s.x,s.y}{a} {a,s.x,s.y} soa
//: laid out w 64 with s: {s.x,s.y,a,b} {s.x,s.y}:4{a,b}
typedef struct { int a; struct turned { float y, x; } s; int b; } turned_cell;
typedef struct { struct mixed { float x; short n; } s; short a; } mixed_cell;
typedef struct { struct deep { int x; struct inner { float u, v; } in; } s; int a; } deep_cell;
typedef struct { struct pair { float x, y; } s; int a; } pair_cell;
typedef struct { struct wide { float x, y __attribute__((aligned(16))); } s; int a, b; } wide_cell;
kernel void k(global turned_cell *p) {
    int i = get_global_id(0);
    turned_cell c = p[i];
    c.s.x += c.a;
    c.s.y *= 2;
    p[i] = c;
}
kernel void m(global mixed_cell *p) {
    int i = get_global_id(0);
    mixed_cell c = p[i];
    c.a += c.s.n;
    c.s.x += 1;
    p[i] = c;
}
kernel void n(global deep_cell *p) {
    int i = get_global_id(0);
    deep_cell c = p[i];
    c.a += c.s.x;
    c.s.in.u += c.s.in.v;
    p[i] = c;
}
kernel void v(global pair_cell *p) {
    int i = get_global_id(0);
    pair_cell c = p[i];
    c.s.x += c.s.y * c.a;
    p[i] = c;
}
kernel void w(global wide_cell *p) {
    int i = get_global_id(0);
    wide_cell c = p[i];
    c.s.x += c.s.y * c.a;
    p[i] = c;
}
