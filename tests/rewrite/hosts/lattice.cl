typedef struct Site {
    float rho;
    float ux, uy;
    float f[5];
    int solid;
} Site;

kernel void collide(global const Site *restrict in, global Site *restrict out, float omega, int nx,
                    int ny) {
    int x = get_global_id(0), y = get_global_id(1);
    if (x >= nx || y >= ny)
        return;
    int i = y * nx + x;
    int left = y * nx + (x + nx - 1) % nx, right = y * nx + (x + 1) % nx;
    int down = (y + ny - 1) % ny * nx + x, up = (y + 1) % ny * nx + x;
    Site s = in[i];
    if (!s.solid) {
        s.f[1] = in[left].f[1];
        s.f[2] = in[right].f[2];
        s.f[3] = in[down].f[3];
        s.f[4] = in[up].f[4];
        s.rho = s.f[0] + s.f[1] + s.f[2] + s.f[3] + s.f[4];
        s.ux = (s.f[1] - s.f[2]) / s.rho;
        s.uy = (s.f[3] - s.f[4]) / s.rho;
        for (int k = 0; k < 5; k++) {
            float e = (k == 1) * s.ux - (k == 2) * s.ux + (k == 3) * s.uy - (k == 4) * s.uy;
            float w = k ? 1.0f / 6 : 1.0f / 3;
            s.f[k] += omega * (w * s.rho * (1 + 3 * e) - s.f[k]);
        }
    }
    out[i] = s;
}

kernel void speed(global const Site *sites, global float *speeds, int n) {
    int i = get_global_id(0);
    if (i < n)
        speeds[i] = sqrt(sites[i].ux * sites[i].ux + sites[i].uy * sites[i].uy);
}
