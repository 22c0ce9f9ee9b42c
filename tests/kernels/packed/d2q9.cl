// flags: -g 256 --local 64 -n 256 -a nx=16 -a ny=16
// accesses: 4
// layouts: aos aosoa:8 {f[0],f[1]}{f[2],f[3],f[4]}{f[5],f[6],f[7],f[8]}
// The lattice Boltzmann step with the nine populations in columns of nx * ny numbers.
__constant int ex[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, ey[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
__kernel void stream(__global const float *f, __global float *after, const int nx, const int ny,
                   const float omega) {
    int at = get_global_id(0), x = at % nx, y = at / nx;
    float here[9], density = 1;
    for (int q = 0; q < 9; q++) {
        int px = (x - ex[q] + nx) % nx, py = (y - ey[q] + ny) % ny;
        here[q] = f[q * nx * ny + py * nx + px];
        density += here[q];
    }
    for (int q = 0; q < 9; q++)
        after[(q * ny + y) * nx + x] = here[q] + omega * (density / 9 - here[q]);
}
