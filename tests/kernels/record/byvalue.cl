// flags: -g 256 --local 64 -n 256
// accesses: 8
// layouts: {p}:16{v}/da
typedef struct { float dt; int n; float3 g; } params;
typedef struct { float3 p, v; } part;
part advance(part q, params s) { q.v += s.g * s.dt; q.p += q.v * s.dt; return q; }
__kernel void k(__global part *p, params s) {
    int i = get_global_id(0);
    if (i < 200) p[i] = advance(p[i], s);
}
