/* C += A + B of square matrices, of which B may lie by columns: after E1_MatrixAdd of the artifact
 * SC26-Layout-AD (github.com/ThrudPrimrose). -DCOLUMNS: it does. */
enum { SIDE = 2048 };

__kernel void add(__global double *c, __global const double *a, __global const double *b) {
    int j = get_global_id(0), i = get_global_id(1);
#ifdef COLUMNS
    c[i * SIDE + j] += a[i * SIDE + j] + b[j * SIDE + i];
#else
    c[i * SIDE + j] += a[i * SIDE + j] + b[i * SIDE + j];
#endif
}
