// Every lane of a warp reads the same element of p, by an index that only a run tells.
typedef struct { float a, b, c; int next; } part;
typedef struct { int n, m; float w; } dims;

// A struct that is given by value is the same for all.
__kernel void by_value(__global const part *p, __global const int *idx, __global float *out, dims d) {
    int block = get_group_id(0), at = 3;
    if (block < d.n)
        at = idx[block];
    out[get_global_id(0)] = p[at].b + p[idx[d.m & 7] & 63].c;
}

// A branch on the local id directly before a loop; the counter and what follows from it.
__kernel void before_loop(__global const part *p, __global const int *idx, __global float *out,
                          int n) {
    __local float first[8];
    int lane = get_local_id(0);
    float sum = 0;
    if (lane < 8)
        first[lane] = p[lane].a;
    for (int k = 0, at = 1; k < n; k++) {
        sum += p[at].b;
        at = idx[at] & 63;
    }
    out[get_global_id(0)] = sum + first[lane & 7];
}

// Lanes that return early take no part in the loop; lanes that continue are back in step.
__kernel void in_step(__global const part *p, __global const int *idx, __global float *out, int n) {
    int lane = get_local_id(0), at = get_group_id(0);
    float sum = 0;
    if (lane == 5)
        return;
    for (int k = 0; k < n; k++) {
        at = idx[at] & 63;
        if ((lane ^ k) & 1)
            continue;
        sum += p[at].b;
    }
    out[get_global_id(0)] = sum;
}

// A row of a block that is 32 wide is a warp.
__kernel void rows(__global const part *p, __global const int *idx, __global float *out) {
    int x = get_global_id(0), y = get_global_id(1), at = y;
    float sum = p[idx[get_local_id(1)]].a;
    for (int k = 0; k < y; k++) {
        sum += p[at].b;
        at = idx[at] & 63;
    }
    out[y * get_global_size(0) + x] = sum + p[idx[y]].c;
}

__kernel void groups(__global const part *p, __global const int *idx, __global float *out) {
    int lane = get_local_id(0);
    int any = sub_group_any(idx[lane] > 10), sum = work_group_reduce_add(idx[lane]);
    out[get_global_id(0)] = p[any].a + p[sum & 63].b + p[sub_group_broadcast(idx[lane], 3)].c +
                            p[idx[get_sub_group_id()]].a;
}
