// flags: -g 32,32 --local 8,8 -n 1024 -a nx=32 -a ny=32
// accesses: 12
// access: 15 load ex (constant) 4 9 k0
// access: 15 load ey (constant) 4 9 k0
// layouts: aosoa:4
typedef struct { float f[9]; int solid; float rho; float2 u; } site;
__constant int ex[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
__constant int ey[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
__constant float wt[9] = {4.f/9, 1.f/9, 1.f/9, 1.f/9, 1.f/9, 1.f/36, 1.f/36, 1.f/36, 1.f/36};
__kernel void lbm(__global const site *src, __global site *dst, int nx, int ny, float omega) {
    int x = get_global_id(0), y = get_global_id(1), at = y * nx + x;
    float f[9], rho = 0;
    float2 u = (float2)(0);
    for (int q = 0; q < 9; q++) {
        int px = (x - ex[q] + nx) % nx, py = (y - ey[q] + ny) % ny;
        f[q] = src[py * nx + px].f[q];
        rho += f[q];
        u += f[q] * (float2)(ex[q], ey[q]);
    }
    rho = fmax(rho, 1e-3f);
    u /= rho;
    dst[at].rho = rho;
    dst[at].u = u;
    dst[at].solid = src[at].solid;
    for (int q = 0; q < 9; q++) {
        float eu = ex[q] * u.x + ey[q] * u.y;
        float feq = wt[q] * rho * (1 + 3 * eu + 4.5f * eu * eu - 1.5f * dot(u, u));
        dst[at].f[q] = src[at].solid ? f[(q + 4) % 9] : f[q] + omega * (feq - f[q]);
    }
}
