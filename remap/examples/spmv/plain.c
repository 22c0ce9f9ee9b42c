/*
 * Sparse matrix (in compressed rows) times vector on an OpenCL device, from main() in reference.c.
 *
 *     plain [ELEMENTS]
 *
 * Each product looks up the element of the vector in its column. In remapped.c these are gathered
 * on the way to the device.
 */
#include "reference.h"

void multiply(host *h, const matrix *m, const float *vector, float *products) {
    cl_kernel kernel = host_kernel(h, "multiply");
    cl_int number = (cl_int)m->count;
    cl_mem data = host_buffer(h, m->data, m->count * sizeof *m->data);
    cl_mem vector_buffer = host_buffer(h, vector, m->rows * sizeof *vector);
    cl_mem column = host_buffer(h, m->column, m->count * sizeof *m->column);
    cl_mem product_buffer = host_buffer(h, products, m->count * sizeof *products);

    host_set(kernel, 0, data);
    host_set(kernel, 1, vector_buffer);
    host_set(kernel, 2, column);
    host_set(kernel, 3, product_buffer);
    host_set(kernel, 4, number);
    host_run(h, kernel, m->count, 256);

    host_take(h, product_buffer, products, m->count * sizeof *products);
    clReleaseMemObject(column);
    clReleaseMemObject(vector_buffer);
    clReleaseMemObject(data);
    clReleaseKernel(kernel);
}
