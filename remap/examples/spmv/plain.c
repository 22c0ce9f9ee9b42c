/*
 * Sparse matrix (in compressed rows) times vector on an OpenCL device, compared with reference.c.
 *
 *     plain [ELEMENTS]
 *
 * Each product looks up the element of the vector in its column. In remapped.c these are gathered
 * on the way to the device.
 */
#include "../../../examples/host.h"
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
