// flags: -g 512 --local 64 -n 512 -a n=512 -a h=2
// accesses: 6
// access: 12 load s.pos 16 if 64*group(0) + local(0)
// access: 25 store s.rho 4 if 64*group(0) + local(0)
// layouts: aosoa:4
#define PI_F 3.14159265f
typedef struct { float4 pos, vel; float rho, press; } sph;
static float w(float r2, float h) { float d = h * h - r2; return d > 0 ? d * d * d : 0.0f; }
__kernel void density(__global sph *s, __global const int *cell_start, __global const int *cell_end, int n, float h) {
    int i = get_global_id(0);
    if (i >= n) return;
    const float4 xi = s[i].pos;
    float rho = 0;
    for (int dz = -1; dz <= 1; dz++)
        for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++) {
                int c = (int)(xi.x) + dx + 4 * ((int)xi.y + dy) + 16 * ((int)xi.z + dz);
                if (c < 0 || c >= 64) continue;
                for (int j = cell_start[c]; j < cell_end[c]; j++) {
                    if (j == i) continue;
                    float4 d = xi - s[j].pos;
                    rho += w(dot(d.xyz, d.xyz), h);
                }
            }
    s[i].rho = rho * 315.0f / (64.0f * PI_F);
    s[i].press = fmax(0.0f, 3.0f * (s[i].rho - 1.0f));
}
