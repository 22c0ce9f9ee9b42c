/*
 * Needleman-Wunsch on an OpenCL device: all scores of two made-up sequences, from main() in
 * reference.c.
 *
 *     remapped [LENGTH]
 *
 * The matrices lie in rows. On the device their diagonals are rows; the scores are turned back for
 * the host, which would trace the best alignment from the last one.
 */
#include "../host_remap.h"
#include "reference.h"

void align(host *h, int *scores, const int *similarity, size_t side) {
    cl_kernel kernel = host_kernel(h, "align");
    cl_int number = (cl_int)side, penalty = PENALTY;
    hd_remap *map;
    host_ok(hd_remap_diagonal(&host_diag, side, side, sizeof *scores, &map));
    hd_remap_device *device = host_remap_open(h);
    hd_remap_memory score_memory = host_remap_memory(h, map);
    hd_remap_memory similarity_memory = host_remap_memory(h, map);
    host_ok(hd_remap_to_device(&host_diag, device, map, &score_memory, scores, NULL));
    host_ok(hd_remap_to_device(&host_diag, device, map, &similarity_memory, similarity, NULL));

    host_set(kernel, 0, score_memory.opencl);
    host_set(kernel, 1, similarity_memory.opencl);
    host_set(kernel, 2, number);
    host_set(kernel, 3, penalty);
    run_diagonals(h, kernel, (int)(side / TILE));

    host_ok(hd_remap_from_device(&host_diag, device, map, scores, &score_memory, NULL));
    clReleaseMemObject(score_memory.opencl);
    clReleaseMemObject(similarity_memory.opencl);
    hd_remap_close(device);
    hd_remap_free(map);
    clReleaseKernel(kernel);
}
