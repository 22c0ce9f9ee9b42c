/*
 * Sparse matrix (in compressed rows) times vector on an OpenCL device, from main() in reference.c.
 *
 *     remapped [ELEMENTS]
 *
 * The element of the vector that each product needs is gathered on the way to the device.
 */
#include "../host_remap.h"
#include "reference.h"

void multiply(host *h, const matrix *m, const float *vector, float *products) {
    cl_kernel kernel = host_kernel(h, "multiply");
    cl_int number = (cl_int)m->count;
    cl_mem data = host_buffer(h, m->data, m->count * sizeof *m->data);
    hd_remap *map;
    host_ok(hd_remap_gather(&host_diag, m->column, sizeof *m->column, m->count, m->rows,
                            sizeof *vector, &map));
    hd_remap_device *device = host_remap_open(h);
    hd_remap_memory vector_memory = host_remap_memory(h, map);
    host_ok(hd_remap_to_device(&host_diag, device, map, &vector_memory, vector, NULL));
    cl_mem product_buffer = host_buffer(h, products, m->count * sizeof *products);

    host_set(kernel, 0, data);
    host_set(kernel, 1, vector_memory.opencl);
    host_set(kernel, 2, product_buffer);
    host_set(kernel, 3, number);
    host_run(h, kernel, m->count, 256);

    host_take(h, product_buffer, products, m->count * sizeof *products);
    clReleaseMemObject(vector_memory.opencl);
    hd_remap_close(device);
    hd_remap_free(map);
    clReleaseMemObject(data);
    clReleaseKernel(kernel);
}
