// flags: -g 256 --local 64 -n 256
// accesses: 8
// layouts: aosoa:4
typedef struct rng { uint s0, s1; ulong draws; } rng;
typedef struct walker { rng state; float x, y; uint inside; } walker;
static uint next(rng *r) {
    uint a = r->s0, b = r->s1;
    b ^= a;
    r->s0 = rotate(a, 26u) ^ b ^ (b << 9);
    r->s1 = rotate(b, 13u);
    r->draws++;
    return rotate(r->s0 * 0x9E3779BBu, 5u) * 5u;
}
static float uniform01(rng *r) { return (next(r) >> 8) * (1.0f / 16777216.0f); }
__kernel void pi(__global walker *w) {
    uint i = get_global_id(0);
    rng r = w[i].state;
    r.s0 = r.s0 + i * 747796405u + 1u;
    uint in = 0;
    for (int k = 0; k < 50; k++) {
        float x = uniform01(&r), y = uniform01(&r);
        in += x * x + y * y < 1.0f;
    }
    w[i].inside = in;
    w[i].state = r;
    w[i].x = uniform01(&r);
}
