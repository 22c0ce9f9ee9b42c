// Elements of one tile at distances known before: rows, one element for all lanes, scattered ones, and
// some for a part of the lanes.
// buffer: out int 64
// run: rows 64/64
// expect: out = 9 * i + 144 + 180 + 9 * (i * 7 % 64) + 492 + (i % 3 + 1) / 2 * (9 * (i % 4 * 16) + 213)
__kernel void rows(__global int *out) {
    __local int tile[192];
    int l = get_local_id(0), none = l / 64, g = l * 7 % 64, c = l % 4 * 16;
    tile[l] = 3 * l;
    tile[l + 64] = 3 * (l + 64);
    tile[l + 128] = 3 * (l + 128);
    barrier(CLK_LOCAL_MEM_FENCE);
    int sum = tile[l] + tile[l + 16] + tile[l + 32];
    sum += tile[none] + tile[none + 20] + tile[none + 40];
    sum += tile[g] + tile[g + 64] + tile[g + 100];
    if (l % 3)
        sum += tile[c] + tile[c + 1] + tile[c + 70];
    out[l] = sum;
}
