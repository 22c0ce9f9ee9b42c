/*
 * Sparse matrix (in compressed rows) times vector on an OpenCL device, compared with reference.c.
 *
 *     remapped [ELEMENTS]
 *
 * The element of the vector that each product needs is gathered on the way to the device.
 */
#include "../host_remap.h"
#include "reference.h"

/* `count` numbers in `rows` rows of as many columns. */
typedef struct matrix {
    float *data;
    uint32_t *column, *first;
    size_t count, rows;
} matrix;

static matrix new_matrix(size_t count) {
    matrix m = {.count = count, .rows = (count + SPMV_ROW - 1) / SPMV_ROW};
    m.data = host_new(count * sizeof *m.data);
    m.column = host_new(count * sizeof *m.column);
    m.first = host_new((m.rows + 1) * sizeof *m.first);
    for (size_t i = 0; i < count; i++) {
        m.data[i] = host_uniform(1, i, -1, 1);
        m.column[i] = host_whole(2, i, 0, (uint32_t)m.rows - 1);
    }
    for (size_t row = 0; row <= m.rows; row++)
        m.first[row] = (uint32_t)(row < m.rows ? row * SPMV_ROW : count);
    return m;
}

static void free_matrix(matrix *m) {
    free(m->data);
    free(m->column);
    free(m->first);
}

static void multiply(host *h, const matrix *m, const float *vector, float *products) {
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

int main(int argc, char **argv) {
    matrix m = new_matrix(host_size(argc, argv, 65536));
    float *vector = host_new(m.rows * sizeof *vector);
    float *products = host_new(m.count * sizeof *products);
    float *result = host_new(m.rows * sizeof *result),
          *expected = host_new(m.rows * sizeof *expected);
    host h = host_open(KERNEL_FILE, KERNEL_OPTIONS);

    for (size_t i = 0; i < m.rows; i++)
        vector[i] = host_uniform(3, i, -1, 1);
    multiply(&h, &m, vector, products);
    spmv_reduce(products, m.first, result, m.rows);
    spmv_multiply(m.data, m.column, m.first, vector, expected, m.rows);
    for (size_t row = 0; row < m.rows; row++)
        host_expect("sum", row, result[row], expected[row], 1e-5, 1e-6);
    host_report(&h, "elements", m.count);
    host_close(&h);
    free(expected);
    free(result);
    free(products);
    free(vector);
    free_matrix(&m);
    return 0;
}
