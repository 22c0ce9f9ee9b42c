/* Ids in all the forms that OpenCL C has for them. */
#include "forms.h"

#define GID get_global_id(0)
#define ITEM get_global_id
#define PASS(a, i) a[i] + item_of(3)
#define CALLED(n) item_of(n)

uint item_of(uint n);

static uint behind(uint a) { return a + CALLED(1); }

uint item_of(uint n) {
    /* get_global_id(0) in a comment stays */
    return (uint)ITEM(0) % 97 + n;
}

uint unrelated(uint n) { return n * 3; }

static uint nothing(void) { return get_group_id(0) * 2 + get_local_id(0); }

kernel void one(global uint *out, global const uint *in, uint n) {
    size_t i = GID;
    if (i >= n)
        return;
    uint sum = PASS(in, i) + behind(in[i]) + unrelated((uint)i) + nothing();
    for (uint d = 0; d < 4; d++)
        sum = sum * 7 + (uint)get_local_id(d) + (uint)get_group_id(d) * 5 + (uint)ITEM(d);
    sum += get_local_size(0) + get_num_groups(0) * 3 + get_global_offset(0);
    out[i] = sum + column();
}

kernel void several(global uint *out) {
    uint x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    uint place = (x - get_global_offset(0)) +
                 get_global_size(0) * ((y - get_global_offset(1)) + get_global_size(1) * z);
    out[place] += x * 10007 + y * 101 + z + get_local_id(1) * 3 + get_local_id(2) * 11 +
                  get_group_id(0) * 13 + get_group_id(1) * 17 + get_group_id(2) * 19 +
                  column() * 23;
}

kernel void linear(global uint *out) {
    out[get_global_linear_id()] += get_local_linear_id() * 1000 + get_global_id(1);
}

kernel void plain(global uint *out) { out[get_global_id(0)] += item_of(2) + get_local_id(0); }

kernel __attribute__((reqd_work_group_size(16, 1, 1))) void
together(global uint *out, local uint *shared, uint n) {
    uint l = get_local_id(0);
    shared[l] = get_global_id(0) * 3 + n;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] += shared[15 - l] + item_of(l) + get_group_id(0);
}
