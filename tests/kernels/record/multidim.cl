// flags: -g 128 --local 64 -n 128
// accesses: 6
// layouts: {m,idx}:16{rows}/da
typedef struct { double m[3][4]; int idx[2][2][2]; float4 rows[3]; } mats;
__kernel void k(__global mats *m) {
    int i = get_global_id(0);
    for (int r = 0; r < 3; r++) {
        double s = 0;
        for (int c = 0; c < 4; c++) { m[i].m[r][c] += r * c; s += m[i].m[r][c]; }
        m[i].rows[r].w = (float)s;
        m[i].rows[r].xyz = (float3)((float)s);
    }
    m[i].idx[1][i & 1][0] = m[i].idx[0][1][1] + i;
}
