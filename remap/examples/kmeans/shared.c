/*
 * The assignment step of k-means on two devices at once, from main() in reference.c.
 *
 *     shared [POINTS]
 *
 * A processor takes pieces of the points as they lie, in rows, and a GPU takes pieces in columns:
 * each has the layout that it is good at (Dymaxion, chapter 6), and the kernel of plain.cl or of
 * remapped.cl. hd_remap_share() measures how fast both are and splits the points so that they end
 * together. Where there are not both, the first device is cut into halves, of which one works in
 * columns.
 */
#include "../host_remap.h"
#include "reference.h"

typedef struct side {
    host h; /* its device and kernel */
    cl_mem centroids;
} side;

typedef struct sides {
    side rows, columns;
    cl_mem features; /* all of them, where they are */
    int *membership; /* of all points */
} sides;

static side open_side(cl_device_id device, const char *kernel_file, const float *centroids) {
    side s = {.h = host_open_on(device, "", kernel_file, KERNEL_OPTIONS)};
    s.centroids = host_buffer(&s.h, centroids, CLUSTERS * FEATURES * sizeof *centroids);
    return s;
}

static void close_side(side *s) {
    clReleaseMemObject(s->centroids);
    host_close(&s->h);
    clReleaseDevice(s->h.device);
}

/* Points [begin, begin + count) of `features`. Several threads of the host may do so at once, so
 * each call has a kernel and results of its own. */
static void assign_points(side *s, cl_mem features, size_t begin, size_t count, int *membership) {
    const size_t group = 256, items = (count + group - 1) / group * group;
    size_t bytes = (begin + count) * sizeof *membership;
    cl_int error, end = (cl_int)(begin + count);
    cl_kernel kernel = host_kernel(&s->h, "assign");
    cl_mem results = clCreateBuffer(s->h.context, CL_MEM_WRITE_ONLY, bytes, NULL, &error);
    host_check(error, "buffer");
    host_set(kernel, 0, features);
    host_set(kernel, 1, s->centroids);
    host_set(kernel, 2, results);
    host_set(kernel, 3, end);
    host_check(clEnqueueNDRangeKernel(s->h.queue, kernel, 1, &begin, &items, &group, 0, NULL, NULL),
               "starting a kernel");
    host_check(clEnqueueReadBuffer(s->h.queue, results, CL_TRUE, begin * sizeof *membership,
                                   count * sizeof *membership, membership, 0, NULL, NULL),
               "reading a buffer");
    clReleaseMemObject(results);
    clReleaseKernel(kernel);
}

static hd_status assign_rows(uint64_t first, uint64_t count, void *user) {
    sides *both = user;
    assign_points(&both->rows, both->features, first, count, both->membership + first);
    return HD_OK;
}

static hd_status assign_columns(const hd_remap *piece, const hd_remap_memory memory[],
                                uint64_t first, uint64_t count, void *user) {
    sides *both = user;
    (void)piece;
    assign_points(&both->columns, memory[0].opencl, 0, count, both->membership + first);
    return HD_OK;
}

void assign(host *h, const float *features, const float *centroids, int *membership,
            size_t points) {
    cl_device_id devices[2];
    cl_int error;
    hd_remap *map;
    hd_remap_shares shares;
    host_two_devices(devices);
    sides both = {open_side(devices[0], KERNEL_FOLDER "/plain.cl", centroids),
                  open_side(devices[1], KERNEL_FOLDER "/remapped.cl", centroids), NULL, membership};
    both.features = clCreateBuffer(both.rows.h.context, CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR,
                                   points * FEATURES * sizeof *features, (void *)features, &error);
    host_check(error, "buffer");
    host_ok(hd_remap_transpose(&host_diag, points, FEATURES, sizeof *features, &map));
    hd_remap_device *device = host_remap_open(&both.columns.h);

    hd_remap_work work = {.map = map,
                          .data = (void *)features,
                          .on_host = assign_rows,
                          .on_device = assign_columns,
                          .user = &both};
    host_ok(hd_remap_share(&host_diag, device, &work, 1, &shares));
    h->seconds += fmax(shares.host_seconds, shares.device_seconds);
    printf("in rows: %.0f%% of the points, in columns: %.0f%%\n",
           100.0 * (double)shares.host / (double)points,
           100.0 * (double)shares.device / (double)points);

    hd_remap_close(device);
    hd_remap_free(map);
    clReleaseMemObject(both.features);
    close_side(&both.rows);
    close_side(&both.columns);
}
