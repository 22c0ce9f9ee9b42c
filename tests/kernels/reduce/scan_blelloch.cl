// flags: -g 512 --local 128 -n 512
// accesses: 13
// rewrites: soa
typedef struct item { uint key; uint count; ulong prefix; } item;
#define B 128
__kernel __attribute__((reqd_work_group_size(B, 1, 1)))
void scan(__global item *items) {
    __local uint t[2 * B];
    const size_t gid = get_global_id(0), lid = get_local_id(0);
    t[lid] = items[gid].count & 255u;
    int offset = 1;
    for (int d = B >> 1; d > 0; d >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if ((int)lid < d) {
            int ai = offset * (2 * (int)lid + 1) - 1, bi = offset * (2 * (int)lid + 2) - 1;
            t[bi] += t[ai];
        }
        offset *= 2;
    }
    if (lid == 0) t[B - 1] = 0;
    for (int d = 1; d < B; d *= 2) {
        offset >>= 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        if ((int)lid < d) {
            int ai = offset * (2 * (int)lid + 1) - 1, bi = offset * (2 * (int)lid + 2) - 1;
            uint x = t[ai]; t[ai] = t[bi]; t[bi] += x;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    items[gid].prefix = t[lid];
}
