/*
 * As remap/examples/kmeans/shared.c has it, whose kernels these are, but that either device may be
 * left out, and the second one has its points in rows or in columns.
 */
#include "../../remap/examples/host_remap.h"

#include "remap-document/document.h"

enum { FEATURES = 16, CLUSTERS = 5, GROUP = 256, RUNS = 15 };

/* A device with its points in one layout. */
typedef struct side {
    host h;
    cl_mem centroids;
    hd_remap_device *device; /* of those who take pieces: what brings them there, */
    hd_remap *map;           /* all points, */
    hd_remap_memory memory;  /* and a place for them */
} side;

/* The sides that work: `rows` where the points lie, `pieces` after a transfer. */
typedef struct way {
    const char *first, *second; /* their layouts */
    side *rows, *pieces;
    double there; /* seconds over those of the GPU alone in rows; 0: the document does not say */
    const char *share_there;
    double seconds[RUNS], share[RUNS]; /* the second's */
} way;

typedef struct bench {
    const hd_diag *diag;
    size_t points;
    float *features, *centroids;
    int *membership;
    cl_mem in_place; /* the features, for the first device */
    const way *running;
} bench;

/* ---- the work ------------------------------------------------------------------------------- */

static void assign_points(const side *s, cl_mem features, size_t begin, size_t count, int *to) {
    const size_t group = GROUP, items = (count + group - 1) / group * group;
    cl_int error, end = (cl_int)(begin + count);
    cl_kernel kernel = host_kernel((host *)&s->h, "assign");
    cl_mem results =
        clCreateBuffer(s->h.context, CL_MEM_WRITE_ONLY, (begin + count) * sizeof *to, NULL, &error);
    host_check(error, "buffer");
    host_set(kernel, 0, features);
    host_set(kernel, 1, s->centroids);
    host_set(kernel, 2, results);
    host_set(kernel, 3, end);
    host_check(clEnqueueNDRangeKernel(s->h.queue, kernel, 1, &begin, &items, &group, 0, NULL, NULL),
               "starting a kernel");
    host_check(clEnqueueReadBuffer(s->h.queue, results, CL_TRUE, begin * sizeof *to,
                                   count * sizeof *to, to, 0, NULL, NULL),
               "reading a buffer");
    clReleaseMemObject(results);
    clReleaseKernel(kernel);
}

static hd_status assign_rows(uint64_t first, uint64_t count, void *user) {
    bench *b = user;
    assign_points(b->running->rows, b->in_place, first, count, b->membership + first);
    return HD_OK;
}

static hd_status assign_piece(const hd_remap *piece, const hd_remap_memory memory[], uint64_t first,
                              uint64_t count, void *user) {
    bench *b = user;
    (void)piece;
    assign_points(b->running->pieces, memory[0].opencl, 0, count, b->membership + first);
    return HD_OK;
}

/* With all transfers; the second's share of the points is *share. */
static hd_status run_way(bench *b, const way *w, double *share) {
    side *s = w->pieces;
    hd_remap_shares shares;
    b->running = w;
    *share = !w->rows;
    if (!s)
        return assign_rows(0, b->points, b);
    if (!w->rows) {
        hd_status status =
            hd_remap_to_device(b->diag, s->device, s->map, &s->memory, b->features, NULL);
        return status == HD_OK ? assign_piece(s->map, &s->memory, 0, b->points, b) : status;
    }
    const hd_remap_work work = {.map = s->map,
                                .data = b->features,
                                .on_host = assign_rows,
                                .on_device = assign_piece,
                                .user = b};
    hd_status status = hd_remap_share(b->diag, s->device, &work, 1, &shares);
    *share = (double)shares.device / (double)b->points;
    return status;
}

/* ---- the reference ---------------------------------------------------------------------------- */

static double distance(const bench *b, size_t point, int cluster) {
    double sum = 0;
    for (int f = 0; f < FEATURES; f++) {
        double difference = (double)b->features[point * FEATURES + (size_t)f] -
                            (double)b->centroids[cluster * FEATURES + f];
        sum += difference * difference;
    }
    return sum;
}

/* Of two centroids equally far, rounding may choose either. */
static void check(const bench *b) {
    for (size_t p = 0; p < b->points; p++) {
        int is = b->membership[p] >= 0 && b->membership[p] < CLUSTERS ? b->membership[p] : 0;
        double least = distance(b, p, 0);
        for (int c = 1; c < CLUSTERS; c++)
            least = fmin(least, distance(b, p, c));
        host_expect("centroid", p, is, b->membership[p], 0, 0);
        host_expect("distance to the centroid", p, distance(b, p, is), least, 1e-5, 0);
    }
}

/* ---- sides -------------------------------------------------------------------------------------- */

static side open_side(const bench *b, cl_device_id device, const char *kernel) {
    char path[512];
    snprintf(path, sizeof path, HEDDLE_SOURCE "/remap/examples/kmeans/%s", kernel);
    side s = {.h = host_open_on(device, "", path, "-I" HEDDLE_SOURCE "/remap/include")};
    s.centroids = host_buffer(&s.h, b->centroids, CLUSTERS * FEATURES * sizeof *b->centroids);
    return s;
}

/* For pieces; the map is made. */
static hd_status finish_side(const bench *b, hd_status made, side *s) {
    if (made == HD_OK)
        made = hd_remap_open_opencl(b->diag, s->h.context, s->h.device, &s->device);
    return made == HD_OK
               ? hd_remap_allocate(b->diag, s->device, s->map, HD_REMAP_IN_DEVICE, &s->memory)
               : made;
}

static void close_side(side *s) {
    hd_remap_release(s->device, s->map, &s->memory);
    hd_remap_close(s->device);
    hd_remap_free(s->map);
    clReleaseMemObject(s->centroids);
    host_close(&s->h);
}

/* ---- tables --------------------------------------------------------------------------------------- */

static void print_device(const char *which, cl_device_id device) {
    char name[256] = "";
    cl_uint units = 0;
    clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL);
    clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL);
    printf("| %s | %s | %u |\n", which, name, (unsigned)units);
}

static void print_ways(way *ways, size_t count, double base) {
    printf("| first | second | there | here | ms | shortest |\n|---|---|---|---|---|---|\n");
    for (size_t w = 0; w < count; w++) {
        double seconds = median(ways[w].seconds, RUNS); /* which sorts them */
        printf("| %s | %s |", ways[w].first, ways[w].second);
        printf(ways[w].there > 0 ? " %.2f |" : "  |", ways[w].there);
        printf(" %.2f | %.1f | %.1f |\n", seconds / base, seconds * 1e3, ways[w].seconds[0] * 1e3);
    }
    printf("\n| first | second | there | here |\n|---|---|---|---|\n");
    for (size_t w = 0; w < count; w++) {
        double share = 100 * median(ways[w].share, RUNS);
        if (ways[w].share_there)
            printf("| %s | %s | %s | %.0f%% + %.0f%% |\n", ways[w].first, ways[w].second,
                   ways[w].share_there, 100 - share, share);
    }
    printf("\n");
}

static hd_status run_ways(bench *b, way *ways, size_t count) {
    hd_status status = HD_OK;
    for (int run = -1; run < RUNS; run++) /* kernels are compiled before the first */
        for (size_t w = 0; w < count && status == HD_OK; w++) {
            double share, start = hd_clock();
            memset(b->membership, -1, b->points * sizeof *b->membership);
            status = run_way(b, &ways[w], &share);
            if (run >= 0) {
                ways[w].seconds[run] = hd_clock() - start;
                ways[w].share[run] = share;
            } else if (status == HD_OK) {
                check(b);
            }
        }
    return status;
}

static float *new_features(uint64_t seed, size_t count) {
    float *features = host_new(count * FEATURES * sizeof *features);
    for (size_t i = 0; i < count * FEATURES; i++)
        features[i] = host_uniform(seed, i, 0, 1);
    return features;
}

hd_status print_two_devices(const hd_diag *diag, size_t points) {
    static const hd_remap_field field = {"features", 0, FEATURES * sizeof(float), sizeof(float)};
    static const hd_remap_record point = {"point", FEATURES * sizeof(float), sizeof(float), &field,
                                          1};
    bench b = {.diag = diag,
               .points = points,
               .features = new_features(1, points),
               .centroids = new_features(2, CLUSTERS),
               .membership = host_new(points * sizeof *b.membership)};
    cl_device_id devices[2];
    cl_int error;
    host_two_devices(devices);
    side first = open_side(&b, devices[0], "plain.cl");
    side rows = open_side(&b, devices[1], "plain.cl");
    side columns = open_side(&b, devices[1], "remapped.cl");
    b.in_place = clCreateBuffer(first.h.context, CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR,
                                points * FEATURES * sizeof(float), b.features, &error);
    host_check(error, "buffer");
    hd_status status =
        finish_side(&b, hd_remap_layout(diag, &point, "soa", points, &rows.map), &rows);
    if (status == HD_OK)
        status = finish_side(
            &b, hd_remap_transpose(diag, points, FEATURES, sizeof(float), &columns.map), &columns);
    /* The document has these in words: 20%, 15% and 18% faster, one than the other. */
    way ways[] = {
        {"rows", "-", &first, NULL, 0, NULL},
        {"-", "rows", NULL, &rows, 1, NULL},
        {"-", "columns", NULL, &columns, 1 / 1.2 / 1.15, NULL},
        {"rows", "rows", &first, &rows, 1 / 1.2, "35% + 65%"},
        {"rows", "columns", &first, &columns, 1 / 1.2 / 1.15 / 1.18, "25% + 75%"},
    };
    enum { WAYS = sizeof ways / sizeof *ways, SECOND_IN_ROWS = 1 };
    if (status == HD_OK)
        status = run_ways(&b, ways, WAYS);
    if (status == HD_OK) {
        printf("| | device | units |\n|---|---|---|\n");
        print_device("first", devices[0]);
        print_device("second", devices[1]);
        printf("\n");
        print_ways(ways, WAYS, median(ways[SECOND_IN_ROWS].seconds, RUNS));
    }
    clReleaseMemObject(b.in_place);
    close_side(&first);
    close_side(&rows);
    close_side(&columns);
    for (int d = 0; d < 2; d++)
        clReleaseDevice(devices[d]);
    free(b.features);
    free(b.centroids);
    free(b.membership);
    return status;
}
