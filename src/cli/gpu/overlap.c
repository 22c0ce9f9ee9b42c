#include <stdlib.h>

#include "cli/gpu/gpu.h"
#include "remap/remap_device.h"

enum { RUNS = 15, SMALL_RUNS = 1 };
static const double over_larger = 1.15, over_bulk = 1.05;

/* One map in one direction. */
typedef struct course {
    hd_remap_device *device;
    hd_remap *map;
    hd_remap_direction direction;
    hd_compute_pinned host;
    hd_remap_memory part;
    hd_remap_choice choice;
    hd_gpu_overlap_row row;
} course;

typedef struct overlap {
    const hd_diag *diag;
    const hd_gpu_overlap_options *options;
    bool enough;
} overlap;

/* ---- timing ----------------------------------------------------------------------- */

static uint64_t chunk_bytes_of(const course *c, hd_gpu_contender which) {
    return which == HD_GPU_PLANNED
               ? c->choice.chunk_bytes
               : (uint64_t)1 << (18 + 2 * (which - HD_GPU_FIRST_CHUNKED)); /* from 256 KiB */
}

static hd_status time_all(const overlap *o, course *c) {
    static const hd_remap_strategy strategies[] = {HD_REMAP_BULK, HD_REMAP_BULK, HD_REMAP_BULK,
                                                   HD_REMAP_HOST, HD_REMAP_ZERO_COPY};
    for (int run = -1; run < (o->options->small ? SMALL_RUNS : RUNS); run++)
        for (hd_gpu_contender which = 0; which < HD_GPU_CONTENDERS; which++) {
            bool optional = which == HD_GPU_ZERO_COPY;
            if (run >= 0 && c->row.seconds[which] == 0)
                continue;
            hd_remap_options options = {.strategy = HD_REMAP_CHUNKED};
            if (which < HD_GPU_FIRST_CHUNKED)
                options.strategy = strategies[which];
            else
                options.chunk_bytes = chunk_bytes_of(c, which);
            unsigned extent = which == HD_GPU_TRANSFER ? HD_REMAP_ONLY_TRANSFERS
                              : which == HD_GPU_REMAP  ? HD_REMAP_ONLY_REMAPS
                                                       : HD_REMAP_WHOLE;
            double start = hd_clock();
            hd_status status =
                hd_remap_move(optional ? &hd_silent : o->diag, c->device, c->map, c->direction,
                              &c->part, c->host.data, &options, extent | HD_REMAP_FROM_PINNED);
            double seconds = hd_clock() - start;
            if (status != HD_OK && !optional)
                return status;
            if (status == HD_OK && (run <= 0 || seconds < c->row.seconds[which]))
                c->row.seconds[which] = seconds;
        }
    return HD_OK;
}

/* ---- results ---------------------------------------------------------------------- */

double hd_gpu_overlap_larger(const hd_gpu_overlap_row *row) {
    const double *seconds = row->seconds;
    return seconds[HD_GPU_TRANSFER] > seconds[HD_GPU_REMAP] ? seconds[HD_GPU_TRANSFER]
                                                            : seconds[HD_GPU_REMAP];
}

const char *hd_gpu_contender_name(hd_arena *arena, const hd_gpu_overlap_row *row,
                                  hd_gpu_contender which) {
    static const char *const names[] = {"transfer alone", "remap alone", "bulk", "host",
                                        "zero-copy"};
    if (which < HD_GPU_FIRST_CHUNKED)
        return names[which];
    return hd_format(arena, "chunks of %.2f MiB%s", (double)row->chunk_bytes[which] / (1 << 20),
                     which == HD_GPU_PLANNED ? ", as planned" : "");
}

/* ---- maps ------------------------------------------------------------------------- */

static hd_status run_course(overlap *o, hd_remap_device *device, hd_remap *map, const char *what) {
    hd_compute *gpu = device->gpu;
    hd_compute_queue *queue = &device->slots[0].queue;
    hd_status status = HD_OK;
    for (int d = 0; d < 2 && status == HD_OK && !o->enough; d++) {
        course c = {.device = device, .map = map, .direction = (hd_remap_direction)d};
        status = hd_remap_plan(o->diag, device, map, c.direction, HD_REMAP_IN_DEVICE, &c.choice);
        device->diag = o->diag;
        if (status == HD_OK)
            status =
                hd_remap_check(device, gpu->api->allocate(gpu, HD_PLACEMENT_DEVICE,
                                                          hd_remap_bytes(map, 0), &c.part.cuda));
        if (status == HD_OK && gpu->is_unified)
            c.host.data =
                hd_checked(aligned_alloc(4096, (size_t)hd_align_up(o->options->bytes, 4096)));
        else if (status == HD_OK)
            status = hd_remap_check(device, gpu->api->pin(gpu, queue, o->options->bytes, &c.host));
        if (status == HD_OK) {
            memset(c.host.data, 1, (size_t)o->options->bytes);
            status = time_all(o, &c);
        }
        if (status == HD_OK) {
            hd_gpu_overlap_row *row = &c.row;
            row->device = gpu->device.name;
            row->what = what;
            row->to_device = c.direction == HD_REMAP_TO_DEVICE;
            row->bytes = o->options->bytes;
            row->why = c.choice.why;
            row->hides = !gpu->device.is_processor;
            for (int way = HD_GPU_FIRST_CHUNKED; way < HD_GPU_CONTENDERS; way++)
                row->chunk_bytes[way] = chunk_bytes_of(&c, (hd_gpu_contender)way);
            row->over = row->seconds[HD_GPU_PLANNED] /
                        (row->hides ? hd_gpu_overlap_larger(row) : row->seconds[HD_GPU_BULK]);
            row->most = row->hides ? over_larger : over_bulk;
            o->enough = !o->options->row(o->options->user, row);
        }
        if (gpu->is_unified)
            free(c.host.data);
        else if (c.host.data)
            gpu->api->unpin(gpu, queue, &c.host);
        if (c.part.cuda)
            gpu->api->release(gpu, c.part.cuda);
    }
    return status;
}

hd_status hd_gpu_overlap(const hd_diag *diag, hd_remap_device *device,
                         const hd_gpu_overlap_options *options) {
    static const hd_remap_field fields[] = {
        {"x", 0, 4, 4}, {"y", 4, 4, 4}, {"z", 8, 4, 4}, {"w", 12, 4, 4}};
    static const hd_remap_record record = {"particle", 16, 4, fields, 4};
    overlap o = {diag, options, false};
    hd_remap *map;
    device->kept_bytes = UINT64_MAX;
    hd_status status = hd_remap_layout(diag, &record, "soa", options->bytes / 16, &map);
    if (status == HD_OK)
        status = run_course(&o, device, map, "structs of four floats to soa");
    hd_remap_free(map);
    if (status == HD_OK)
        status = hd_remap_transpose(diag, options->bytes / 4096, 1024, 4, &map);
    if (status == HD_OK) {
        status = run_course(&o, device, map, "a matrix of floats with 1024 columns transposed");
        hd_remap_free(map);
    }
    return status;
}
