/* A position's first component to nine properties of a particle: after a kernel in kokkos issue 4751, with
 * the views' indices written out. -DLEFT: LayoutLeft, components apart. */
#ifdef LEFT
#define AT(i, k, of) ((k) * n + (i))
#else
#define AT(i, k, of) ((i) * (of) + (k))
#endif

__kernel void spread(__global double *position, __global double *scalar, __global double *vector,
                     __global double *tensor, int n) {
    int i = get_global_id(0);
    if (i >= n)
        return;
    double a = position[AT(i, 0, 3)];
    scalar[i] = a;
    vector[AT(i, 0, 2)] = a;
    vector[AT(i, 1, 2)] = a;
    tensor[AT(i, 0, 4)] = a;
    tensor[AT(i, 1, 4)] = a;
    tensor[AT(i, 2, 4)] = a;
    tensor[AT(i, 3, 4)] = a;
    position[AT(i, 1, 3)] = a;
}
