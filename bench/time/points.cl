/* One of three numbers of the points of a plane, whose rows are threads: after a notebook of
 * G. Gruszczynski's gpu_colab. Lanes are rows apart in either layout; -DSOA: the numbers apart. */
enum { SIDE = 2048 };
#ifdef SOA
#define AT(x, y) ((long)2 * SIDE * SIDE + (long)(x) * SIDE + (y))
#else
#define AT(x, y) (((long)(x) * SIDE + (y)) * 3 + 2)
#endif

__kernel void add(__global const double *in, __global double *out) {
    int x = get_global_id(0), y = get_global_id(1);
    out[AT(x, y)] = in[AT(x, y)] + 1000;
}
