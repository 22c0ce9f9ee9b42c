#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/gpu/gpu.h"

enum { RUNS = 15, SMALL_RUNS = 2, MOST_FIELDS = 16, INDEXED = 16 << 20 };
static const double GOAL = 0.9; /* of the copy, for structs */

typedef struct speed {
    const hd_diag *diag;
    hd_gpu_memories *memories;
    const hd_gpu_remap_options *options;
    bool enough;
} speed;

bool hd_gpu_remap_met(const hd_gpu_remap_row *row) {
    bool met = true;
    for (int d = 0; d < 2; d++)
        met = met && row->way[d].measured && row->way[d].copy >= row->goal * row->way[d].seconds;
    return met;
}

static void measure(const speed *s, const hd_remap *map, hd_remap_direction direction,
                    hd_gpu_remap_row *row) {
    hd_gpu_memories *m = s->memories;
    hd_remap_choice choice; /* asked for so that the device's figures are there */
    double seconds = 1e9, copy = 1e9;
    bool done =
        hd_remap_plan(s->diag, m->remap, map, direction, HD_REMAP_IN_DEVICE, &choice) == HD_OK;
    for (int run = 0; done && run < (s->options->small ? SMALL_RUNS : RUNS); run++) {
        double start = hd_clock();
        done = !m->gpu->api->copy(m->gpu, &m->queue, m->device_side.cuda, m->host_side.cuda,
                                  row->bytes) &&
               !m->gpu->api->finish(m->gpu, &m->queue);
        double middle = hd_clock();
        if (done)
            done = (direction == HD_REMAP_TO_DEVICE
                        ? hd_remap_on_device(s->diag, m->remap, map, &m->device_side, m->host_side)
                        : hd_remap_back_on_device(s->diag, m->remap, map, m->host_side,
                                                  &m->device_side)) == HD_OK;
        double end = hd_clock();
        if (run == 0) /* kernels are compiled */
            continue;
        copy = fmin(copy, middle - start);
        seconds = fmin(seconds, end - middle);
    }
    row->way[direction] = (hd_gpu_remap_way){done, seconds, copy};
}

/* Both directions; takes the map, which is NULL where it could not be made. */
static void report(speed *s, const char *name, hd_remap *map, double goal) {
    hd_gpu_remap_row row = {.name = name, .goal = goal};
    row.bytes = map ? hd_remap_source_bytes(map) : 0;
    for (int d = 0; map && d < 2; d++)
        measure(s, map, (hd_remap_direction)d, &row);
    hd_remap_free(map);
    s->enough = !s->options->row(s->options->user, &row);
}

void hd_gpu_remap_speed(const hd_diag *diag, hd_gpu_memories *memories,
                        const hd_gpu_remap_options *options) {
    static const char *const layouts[] = {"soa", "aosoa:16", "aosoa:32"};
    static const uint32_t sizes[] = {8, 12, 16, 28, 32, 48, 64};
    speed s = {diag, memories, options, false};
    size_t size_count = options->small ? 2 : sizeof sizes / sizeof *sizes;
    uint32_t widest = options->small ? 1 : 16;
    hd_remap_field fields[MOST_FIELDS];
    char names[MOST_FIELDS][12], name[64];
    hd_remap *map;
    for (uint32_t f = 0; f < MOST_FIELDS; f++) {
        snprintf(names[f], sizeof names[f], "f%u", f);
        fields[f] = (hd_remap_field){names[f], (size_t)f * 4, 4, 4};
    }
    for (size_t l = 0; l < sizeof layouts / sizeof *layouts; l++)
        for (size_t i = 0; i < size_count && !s.enough; i++) {
            hd_remap_record record = {"floats", sizes[i], 4, fields, sizes[i] / 4};
            snprintf(name, sizeof name, "%u bytes, %s", sizes[i], layouts[l]);
            map = NULL;
            hd_remap_layout(diag, &record, layouts[l], memories->bytes / sizes[i], &map);
            report(&s, name, map, GOAL);
        }
    for (uint32_t bytes = 1; bytes <= widest; bytes *= bytes == 1 ? 4 : 2)
        for (uint64_t odd = 0; odd < 10 && !s.enough; odd += 7) {
            uint64_t rows = 64;
            while (4 * rows * rows * bytes <= memories->bytes)
                rows *= 2;
            uint64_t columns = memories->bytes / bytes / rows - odd;
            rows -= odd;
            snprintf(name, sizeof name, "%llu x %llu, %u bytes", (unsigned long long)rows,
                     (unsigned long long)columns, bytes);
            map = NULL;
            hd_remap_transpose(diag, rows, columns, bytes, &map);
            report(&s, name, map, 0);
        }
    if (s.enough)
        return;
    uint64_t most = memories->bytes / 4, count = most < INDEXED ? most : INDEXED, seed = 1;
    uint32_t *index = hd_checked(malloc((size_t)count * sizeof *index));
    map = NULL;
    for (uint64_t i = 0; i < count; i++)
        index[i] = (uint32_t)(hd_next_random(&seed) % count);
    hd_remap_gather(diag, index, 4, count, count, 4, &map);
    report(&s, "gather, 4 bytes", map, 0);
    free(index);
}
