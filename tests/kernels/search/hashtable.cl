// flags: -e lookup -g 64 --local 64 -n 1024 -a cap=1024
// accesses: 3
// rewrites: aosoa:32
typedef struct { uint key; uint value; uint probes; } slot;
uint mix(uint k) { k ^= k >> 16; k *= 0x85ebca6bu; k ^= k >> 13; k *= 0xc2b2ae35u; return k ^ (k >> 16); }
__kernel void insert(__global slot *s, uint cap) { s[get_global_id(0)].key = cap; }
__kernel void lookup(__global slot *t, __global uint *out, uint cap) {
    uint k = get_global_id(0) + 1, at = mix(k) & (cap - 1), n = 0;
    for (;;) {
        uint prev = atomic_cmpxchg(&t[at].key, 0u, k);
        if (prev == 0u || prev == k) { atomic_add(&t[at].value, k * 10); break; }
        at = (at + 1) & (cap - 1);
        if (++n == cap) break;
    }
    out[k - 1] = n < cap;
}
