/*
 * Sparse matrix times vector, the products: each element of the matrix that is not zero, times
 * the element of the vector in its column. One work-item for each. The sums over rows are taken
 * elsewhere.
 */
__kernel void multiply(__global const float *data, __global const float *vector,
                       __global const uint *column, __global float *products, int count) {
    int i = get_global_id(0);
    if (i >= count)
        return;
    products[i] = data[i] * vector[column[i]];
}
