#include "reference.h"

/* result[r]: sum over row r. Row r has the elements from first[r] up to first[r + 1]. */
static void spmv_multiply(const float *data, const uint32_t *column, const uint32_t *first,
                          const float *vector, float *result, size_t rows) {
    for (size_t row = 0; row < rows; row++) {
        double sum = 0;
        for (uint32_t i = first[row]; i < first[row + 1]; i++)
            sum += (double)data[i] * vector[column[i]];
        result[row] = (float)sum;
    }
}

/* The stage after the device's: product i is data[i] * vector[column[i]]. */
static void spmv_reduce(const float *products, const uint32_t *first, float *result, size_t rows) {
    for (size_t row = 0; row < rows; row++) {
        double sum = 0;
        for (uint32_t i = first[row]; i < first[row + 1]; i++)
            sum += products[i];
        result[row] = (float)sum;
    }
}

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
