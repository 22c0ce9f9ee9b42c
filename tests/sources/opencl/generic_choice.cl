// A pointer that leads into global or local memory, as the program decides.
//: run chosen 4: 100 1 102 3
kernel void chosen(global int *y) {
    local int tile[64];
    int i = get_local_id(0);
    tile[i] = 100 + i;
    barrier(CLK_LOCAL_MEM_FENCE);
    int *p = i % 2 ? (int *)&y[i] : (int *)&tile[i];
    y[i] = *p;
}
