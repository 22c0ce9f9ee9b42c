// flags: -g 128 --local 32 -n 128
// accesses: 28
// layouts: soa
typedef struct { int v, w; } R;
__kernel void k(__global R *p, __local R *t) {
    int l = get_local_id(0), n = get_local_size(0);
    t[l] = p[get_global_id(0)];
    for (int pass = 0; pass < n; pass++) {
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        int j = l ^ 1;
        if ((pass & 1) == 0 && l < n - 1 && (l & 1) == 0 && t[l].v > t[l + 1].v) { R x = t[l]; t[l] = t[l + 1]; t[l + 1] = x; }
        barrier(CLK_LOCAL_MEM_FENCE);
        if ((pass & 1) && l < n - 1 && (l & 1) && t[l].v > t[l + 1].v) { R x = t[l]; t[l] = t[l + 1]; t[l + 1] = x; }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    p[get_global_id(0)] = t[l];
}
