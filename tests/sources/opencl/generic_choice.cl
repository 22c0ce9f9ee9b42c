// A pointer that leads into global or local memory, as the program decides, and what it is asked.
//: run chosen 4: 100 1 102 3
//: run asked 4: 105 211 105 213
//: run known 2: 7 7
kernel void chosen(global int *y) {
    local int tile[64];
    int i = get_local_id(0);
    tile[i] = 100 + i;
    barrier(CLK_LOCAL_MEM_FENCE);
    int *p = i % 2 ? (int *)&y[i] : (int *)&tile[i];
    y[i] = *p;
}
kernel void asked(global int *y) {
    local int tile[64];
    int i = get_local_id(0);
    tile[i] = 5;
    barrier(CLK_LOCAL_MEM_FENCE);
    int *p = i % 2 ? (int *)&y[i] : (int *)&tile[i];
    global int *there = to_global(p);
    local int *here = to_local(p);
    if (there)
        *there += 10;
    if (here)
        y[i] = *here;
    y[i] += get_fence(p) == CLK_LOCAL_MEM_FENCE ? 100 : to_private(p) ? 1000 : 200;
}
kernel void known(global int *y) {
    int own = 7, *p = &own;
    size_t i = get_global_id(0);
    y[i] = to_private(p) && !to_global(p) ? *to_private(p) : 0;
}
