//: found blur 64: 
//: suggests blur 64: nothing
// A picture in rows of nx numbers: neighbours above and below are no fields.
__kernel void blur(__global const float *in, const int nx, const int ny) {
    int x = get_global_id(0) % nx, y = get_global_id(0) / nx;
    if (x > 0 && y > 0 && x < nx - 1 && y < ny - 1)
        ((__global float *)in)[y * nx + x] =
            in[(y - 1) * nx + x] + in[(y + 1) * nx + x] + in[y * nx + x - 1];
}
