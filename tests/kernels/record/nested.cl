// flags: -g 256 --local 64 -n 256
// accesses: 17
// access: 17 load p.box.lo.x 4 64*group(0) + local(0)
// access: 17 load p.box.hi.z 4 64*group(0) + local(0)
// access: 18 store p.c[0].z 4 64*group(0) + local(0)
// access: 21 load p.meta.s.a 2 64*group(0) + local(0)
// access: 21 store p.meta.s.b 2 64*group(0) + local(0)
// layouts: soa
typedef struct { float x, y, z; } vec3;
typedef struct { vec3 lo, hi; } aabb;
typedef struct { aabb box; vec3 c[2]; struct meta { int id; struct ab { short a, b; } s; } meta; } prim;
vec3 mid(aabb b) { vec3 r = {(b.lo.x + b.hi.x) / 2, (b.lo.y + b.hi.y) / 2, (b.lo.z + b.hi.z) / 2}; return r; }
vec3 add(vec3 a, vec3 b) { return (vec3){a.x + b.x, a.y + b.y, a.z + b.z}; }
float area(const aabb *b) { float dx = b->hi.x - b->lo.x; return dx * dx; }
__kernel void boxes(__global prim *p) {
    int i = get_global_id(0);
    aabb b = p[i].box;
    p[i].c[0] = mid(b);
    p[i].c[1] = add(mid(p[i].box), p[i].box.lo);
    p[i].meta.id = i;
    p[i].meta.s.b = (short)(p[i].meta.s.a + 1);
    p[i].box.hi.y = area(&b) + p[i].c[i & 1].z;
}
