// flags: -g 16,16,16 --local 4,4,4 -n 4096
// accesses: 14
// rewrites: aosoa:4
#define N 16
#define IDX(x, y, z) (((z) * N + (y)) * N + (x))
struct voxel { float p; float rhs; uchar mask; double err; float out; };
__kernel void jacobi(__global struct voxel *v) {
    __local float tile[6][6][6];
    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    int lx = get_local_id(0), ly = get_local_id(1), lz = get_local_id(2);
    for (int k = lz; k < 6; k += 4)
        for (int j = ly; j < 6; j += 4)
            for (int i = lx; i < 6; i += 4) {
                int gx = clamp((int)get_group_id(0) * 4 + i - 1, 0, N - 1);
                int gy = clamp((int)get_group_id(1) * 4 + j - 1, 0, N - 1);
                int gz = clamp((int)get_group_id(2) * 4 + k - 1, 0, N - 1);
                tile[k][j][i] = v[IDX(gx, gy, gz)].p;
            }
    barrier(CLK_LOCAL_MEM_FENCE);
    int c = IDX(x, y, z);
    lx++, ly++, lz++;
    float s = tile[lz][ly][lx - 1] + tile[lz][ly][lx + 1] + tile[lz][ly - 1][lx] +
              tile[lz][ly + 1][lx] + tile[lz - 1][ly][lx] + tile[lz + 1][ly][lx];
    v[c].out = v[c].mask ? (s - v[c].rhs) / 6.0f : tile[lz][ly][lx];
    v[c].err = v[c].out - tile[lz][ly][lx];
}
