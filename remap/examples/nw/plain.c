/*
 * Needleman-Wunsch on an OpenCL device: all scores of two made-up sequences, from main() in
 * reference.c.
 *
 *     plain [LENGTH]
 *
 * The matrices lie in rows. In remapped.c their diagonals are rows on the device, and are turned
 * back for the host, which would trace the best alignment from the last score.
 */
#include "reference.h"

void align(host *h, int *scores, const int *similarity, size_t side) {
    cl_kernel kernel = host_kernel(h, "align");
    cl_int number = (cl_int)side, penalty = PENALTY;
    size_t bytes = side * side * sizeof *scores;
    cl_mem score_buffer = host_buffer(h, scores, bytes);
    cl_mem similarity_buffer = host_buffer(h, similarity, bytes);

    host_set(kernel, 0, score_buffer);
    host_set(kernel, 1, similarity_buffer);
    host_set(kernel, 2, number);
    host_set(kernel, 3, penalty);
    run_diagonals(h, kernel, (int)(side / TILE));

    host_take(h, score_buffer, scores, bytes);
    clReleaseMemObject(similarity_buffer);
    clReleaseKernel(kernel);
}
