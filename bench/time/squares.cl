/* Squares of all components of a cell's state, to another array: after the field update of CFE
 * (github.com/drryjoh/CFE). COMPONENTS of type REAL; -DSOA: components apart. */
#ifdef SOA
#define AT(i, k) ((k) * n + (i))
#else
#define AT(i, k) ((i) * COMPONENTS + (k))
#endif

__kernel void update(__global const REAL *q, __global REAL *out, long n) {
    long i = get_global_id(0);
    if (i >= n)
        return;
    for (int k = 0; k < COMPONENTS; k++)
        out[AT(i, k)] = q[AT(i, k)] * q[AT(i, k)];
}
