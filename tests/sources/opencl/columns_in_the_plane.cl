//: values nx=8 ny=8
//: found stream 64: float from[9], stride nx*ny
//: layouts stream 64: aos soa {from[0],from[1]}{from[2],from[3],from[4],from[5],from[6],from[7],from[8]}:4
// D2Q9 with nine columns of nx * ny numbers: a product of two arguments is the stride.
__constant int dx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, dy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
__kernel void stream(__global const float *from, __global float *to, const int nx, const int ny) {
    int at = get_global_id(0), x = at % nx, y = at / nx;
    float sum = 0;
    for (int q = 0; q < 9; q++) {
        int px = (x - dx[q] + nx) % nx, py = (y - dy[q] + ny) % ny;
        sum += from[(q * ny + py) * nx + px];
    }
    for (int q = 0; q < 9; q++)
        to[q * nx * ny + y * nx + x] = 0.5f * from[q * (nx * ny) + at] + sum / 18;
}
