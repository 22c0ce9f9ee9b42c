// A struct in a struct in a struct.
// buffer: in outer 4
// buffer: out outer 4
// init: in.a = i
// init: in.mid.b = 10 * i
// init: in.mid.in.x = 100 * i
// init: in.mid.in.y = 1000 * i + 1
// run: swap 4/4
// expect: out.a = in.mid.in.y[i]
// expect: out.mid.b = in.mid.in.x[i]
// expect: out.mid.in.x = in.a[i]
// expect: out.mid.in.y = in.mid.b[i]
typedef struct inner {
    int x, y;
} inner;
typedef struct middle {
    int b;
    inner in;
} middle;
typedef struct outer {
    int a;
    middle mid;
} outer;
__kernel void swap(__global const outer *in, __global outer *out) {
    int i = get_global_id(0);
    outer o;
    o.a = in[i].mid.in.y;
    o.mid.b = in[i].mid.in.x;
    o.mid.in.x = in[i].a;
    o.mid.in.y = in[i].mid.b;
    out[i] = o;
}
