/*
 * Measuring a device: moves of made-up data, by the functions that move a program's.
 *
 * What is measured is little, because a first use waits for it: each figure is the best of a few
 * runs on some megabytes, which no cache holds, and a kind of map is measured when one is first
 * planned.
 */
#include <math.h>
#include <stdlib.h>

#include "remap/remap_device.h"

enum {
    LARGE_CHUNKS = 8, /* of a sample */
    SMALL_CHUNKS = 16,
    RUNS = 3
};

/* ---- samples ------------------------------------------------------------------------- */

/* A map with memory for both sides. */
typedef struct sample {
    hd_remap_device *device;
    const hd_diag *diag;
    hd_remap *map;
    void *host;
    hd_remap_memory part; /* it has one */
} sample;

static hd_status make_records(const hd_diag *diag, uint64_t count, hd_remap **map) {
    static const hd_remap_field fields[] = {
        {"x", 0, 4, 4}, {"y", 4, 4, 4}, {"z", 8, 4, 4}, {"w", 12, 4, 4}};
    static const hd_remap_record record = {"sample", 16, 4, fields, 4};
    return hd_remap_layout(diag, &record, "soa", count, map);
}

/* Far from each other, and each once. */
static hd_status make_indexed(const hd_diag *diag, hd_remap_kind kind, uint32_t elements,
                              hd_remap **map) {
    uint32_t *index = malloc(elements * sizeof *index);
    if (!index)
        return hd_fail(diag, HD_ESYSTEM, NULL, "no memory for a calibration");
    for (uint32_t i = 0; i < elements; i++)
        index[i] = i * UINT32_C(2654435761) % elements;
    hd_status status = (kind == HD_REMAP_GATHER ? hd_remap_gather : hd_remap_scatter)(
        diag, index, 4, elements, elements, 4, map);
    free(index);
    return status;
}

/* Of `elements` values of 4 bytes, a power of four. */
static hd_status make_map(const hd_diag *diag, hd_remap_kind kind, uint32_t elements,
                          hd_remap **map) {
    uint64_t side = (uint64_t)1 << (31 - __builtin_clz(elements)) / 2;
    switch (kind) {
    case HD_REMAP_RECORDS: return make_records(diag, elements / 4, map);
    case HD_REMAP_TRANSPOSE: return hd_remap_transpose(diag, side, side, 4, map);
    case HD_REMAP_DIAGONAL: return hd_remap_diagonal(diag, side, side, 4, map);
    case HD_REMAP_MORTON: return hd_remap_morton(diag, side, side, 4, map);
    default: /* a map of the program's own without device code is a scatter */
        return make_indexed(diag, kind, elements, map);
    }
}

static void sample_free(sample *s) {
    if (s->part.cuda)
        s->device->gpu->api->release(s->device->gpu, s->part.cuda);
    free(s->host);
    hd_remap_free(s->map);
}

/* `status` is that of making the map; the rest is added. */
static hd_status sample_finish(hd_status status, hd_remap_placement placement, sample *s) {
    size_t bytes = status == HD_OK ? (size_t)s->map->source_bytes : 0;
    if (status == HD_OK && posix_memalign(&s->host, 4096, bytes) != 0) {
        s->host = NULL;
        status = hd_fail(s->diag, HD_ESYSTEM, NULL, "no memory for a calibration");
    }
    if (status == HD_OK) {
        memset(s->host, 1, bytes);
        status = hd_remap_check(
            s->device, s->device->gpu->api->allocate(s->device->gpu, (hd_placement)placement,
                                                     s->map->bytes[0], &s->part.cuda));
    }
    if (status != HD_OK)
        sample_free(s);
    return status;
}

/* The best of some runs, after one that is not counted. */
static hd_status time_move(const sample *s, const hd_diag *diag, hd_remap_direction direction,
                           const hd_remap_options *options, unsigned extent, double *best) {
    hd_status status = HD_OK;
    *best = 0;
    for (int run = -1; run < RUNS && status == HD_OK; run++) {
        double start = hd_clock();
        status =
            hd_remap_move(diag, s->device, s->map, direction, &s->part, s->host, options, extent);
        double seconds = hd_clock() - start;
        if (run == 0 || (run > 0 && seconds < *best))
            *best = seconds > 1e-9 ? seconds : 1e-9;
    }
    return status;
}

/* ---- transfers -------------------------------------------------------------------------- */

/* The overlap is how much of the shorter of transfers and kernels is hidden when both run. */
static hd_status measure_large(const sample *s, hd_remap_direction direction,
                               hd_remap_transfer_figures *figures) {
    static const hd_remap_options bulk = {.strategy = HD_REMAP_BULK};
    const hd_remap_options chunked = {.strategy = HD_REMAP_CHUNKED,
                                      .chunk_bytes = s->map->source_bytes / LARGE_CHUNKS};
    double whole, transfers, remaps, both;
    hd_status status = time_move(s, s->diag, direction, &bulk, HD_REMAP_ONLY_TRANSFERS, &whole);
    if (status == HD_OK)
        status = time_move(s, s->diag, direction, &chunked, HD_REMAP_ONLY_TRANSFERS, &transfers);
    if (status == HD_OK)
        status = time_move(s, s->diag, direction, &chunked, HD_REMAP_ONLY_REMAPS, &remaps);
    if (status == HD_OK)
        status = time_move(s, s->diag, direction, &chunked, HD_REMAP_WHOLE, &both);
    if (status != HD_OK)
        return status;
    double hidden = (transfers + remaps - both) / fmin(transfers, remaps);
    figures->transfer = (double)s->map->source_bytes / whole;
    figures->staged = (double)s->map->source_bytes / transfers;
    figures->overlap = fmin(fmax(hidden, 0), 1);
    return HD_OK;
}

static hd_status measure_small(const sample *s, hd_remap_direction direction,
                               hd_remap_transfer_figures *figures) {
    double seconds[2];
    hd_status status = HD_OK;
    for (int many = 0; many < 2 && status == HD_OK; many++) {
        const hd_remap_options chunked = {.strategy = HD_REMAP_CHUNKED,
                                          .chunk_bytes =
                                              s->map->source_bytes / (many ? SMALL_CHUNKS : 1)};
        status = time_move(s, s->diag, direction, &chunked, HD_REMAP_WHOLE, &seconds[many]);
    }
    if (status == HD_OK)
        figures->chunk = fmax(seconds[1] - seconds[0], 0) / (SMALL_CHUNKS - 1);
    return status;
}

static hd_status measure_latency(const sample *s, hd_remap_direction direction,
                                 hd_remap_transfer_figures *figures) {
    static const hd_remap_options bulk = {.strategy = HD_REMAP_BULK};
    return time_move(s, s->diag, direction, &bulk, HD_REMAP_WHOLE, &figures->latency);
}

static hd_status measure_transfers(const hd_diag *diag, hd_remap_device *device,
                                   hd_remap_direction direction) {
    const struct {
        uint64_t records;
        hd_status (*measure)(const sample *s, hd_remap_direction direction,
                             hd_remap_transfer_figures *figures);
    } steps[] = {{device->sample_elements / 4, measure_large},
                 {device->sample_elements / 32, measure_small},
                 {1, measure_latency}};
    hd_remap_transfer_figures figures = {0};
    hd_status status = HD_OK;
    for (size_t i = 0; i < sizeof steps / sizeof *steps && status == HD_OK; i++) {
        sample s = {device, diag};
        status =
            sample_finish(make_records(diag, steps[i].records, &s.map), HD_REMAP_IN_DEVICE, &s);
        if (status != HD_OK)
            break;
        status = steps[i].measure(&s, direction, &figures);
        sample_free(&s);
    }
    if (status == HD_OK)
        device->figures->transfers[direction] = figures;
    return status;
}

/* ---- kinds of maps ----------------------------------------------------------------------- */

/* Sizes of groups, and values that each of its items moves at a time, that suit some GPUs. */
static const hd_remap_tuning tunings[] = {
    {.group = 256, .per_item = 8}, {.group = 256, .per_item = 4}, {.group = 128, .per_item = 8},
    {.group = 64, .per_item = 8},  {.group = 512, .per_item = 4},
};

/* The fastest kernels; a kernel that the device cannot run is no candidate. Their speed is without
 * the seconds in which the numbers of an index are transferred. */
static hd_status tune(const sample *s, hd_remap_direction direction,
                      hd_remap_kind_figures *figures) {
    static const hd_remap_options bulk = {.strategy = HD_REMAP_BULK};
    const hd_diag quiet = {0};
    const bool direct = s->device->gpu->device.is_processor;
    size_t count = direct ? 1 : sizeof tunings / sizeof *tunings;
    double best = 0;
    hd_status any = HD_ESYSTEM;
    for (size_t t = 0; t < count; t++) {
        double seconds;
        hd_remap_tuning tried = direct ? (hd_remap_tuning){.direct = true} : tunings[t];
        s->device->figures->kinds[s->map->kind][direction].tuning = tried;
        hd_status status = time_move(s, t + 1 == count && any != HD_OK ? s->diag : &quiet,
                                     direction, &bulk, HD_REMAP_ONLY_REMAPS, &seconds);
        if (status == HD_OK && (best == 0 || seconds < best)) {
            best = seconds;
            figures->tuning = tried;
            any = HD_OK;
        }
    }
    hd_remap_units units = hd_remap_units_of(s->map, direction);
    double of_numbers = (double)units.count * units.number_bytes /
                        s->device->figures->transfers[direction].transfer;
    if (any == HD_OK)
        figures->remap = (double)s->map->source_bytes / fmax(best - of_numbers, best / 4);
    return any;
}

/* A device that does not get at the host's memory is none for zero-copy. */
static hd_status measure_kind(const hd_diag *diag, hd_remap_device *device, hd_remap_kind kind,
                              hd_remap_direction direction) {
    static const hd_remap_options host = {.strategy = HD_REMAP_HOST},
                                  zero_copy = {.strategy = HD_REMAP_ZERO_COPY};
    const hd_diag quiet = {0};
    hd_remap_kind_figures figures = {0};
    sample s = {device, diag};
    double seconds;
    hd_status status = sample_finish(make_map(diag, kind, device->sample_elements, &s.map),
                                     HD_REMAP_IN_DEVICE, &s);
    if (status != HD_OK)
        return status;
    status = tune(&s, direction, &figures);
    device->figures->kinds[kind][direction].tuning = figures.tuning;
    if (status == HD_OK)
        status = time_move(&s, diag, direction, &host, HD_REMAP_WHOLE, &seconds);
    if (status == HD_OK) {
        figures.host = (double)s.map->source_bytes / seconds;
        if (time_move(&s, &quiet, direction, &zero_copy, HD_REMAP_WHOLE, &seconds) == HD_OK)
            figures.zero_copy = (double)s.map->source_bytes / seconds;
        memcpy(figures.in_place, device->figures->kinds[kind][direction].in_place,
               sizeof figures.in_place);
        device->figures->kinds[kind][direction] = figures;
    }
    sample_free(&s);
    return status;
}

/* Of the host in memory in place. */
static hd_status measure_in_place(const hd_diag *diag, hd_remap_device *device, hd_remap_kind kind,
                                  hd_remap_direction direction, hd_remap_placement placement) {
    static const hd_remap_options host = {.strategy = HD_REMAP_HOST};
    sample s = {device, diag};
    double seconds;
    hd_status status =
        sample_finish(make_map(diag, kind, device->sample_elements, &s.map), placement, &s);
    if (status != HD_OK)
        return status;
    status = time_move(&s, diag, direction, &host, HD_REMAP_WHOLE, &seconds);
    if (status == HD_OK)
        device->figures->kinds[kind][direction].in_place[placement] =
            (double)s.map->source_bytes / seconds;
    sample_free(&s);
    return status;
}

/* ---- what is known ------------------------------------------------------------------------- */

static void look_up(hd_remap_device *device) {
    if (device->figures)
        return;
    device->figures = hd_new(device->arena, hd_remap_figures);
    hd_remap_figures_read(device->gpu->device.name, device->gpu->device.driver, device->figures);
}

hd_remap_tuning hd_remap_tuning_of(hd_remap_device *device, const hd_remap *map,
                                   hd_remap_direction direction) {
    look_up(device);
    hd_remap_tuning tuning = device->figures->kinds[map->kind][direction].tuning;
    tuning.direct |= device->gpu->device.is_processor;
    return tuning;
}

hd_status hd_remap_calibrate(const hd_diag *diag, hd_remap_device *device, hd_remap_kind kind,
                             hd_remap_direction direction) {
    look_up(device);
    hd_remap_figures *figures = device->figures;
    bool knows_transfers = figures->transfers[direction].transfer > 0;
    bool knows_kind = figures->kinds[kind][direction].remap > 0;
    hd_status status = HD_OK;
    device->diag = diag;
    device->changed = 0;
    if (knows_transfers && knows_kind)
        return HD_OK;
    if (!knows_transfers)
        status = measure_transfers(diag, device, direction);
    if (status == HD_OK && !knows_kind)
        status = measure_kind(diag, device, kind, direction);
    if (status == HD_OK)
        hd_remap_figures_write(device->gpu->device.name, device->gpu->device.driver, figures);
    return status;
}

hd_status hd_remap_calibrate_in_place(const hd_diag *diag, hd_remap_device *device,
                                      hd_remap_kind kind, hd_remap_direction direction,
                                      hd_remap_placement placement) {
    look_up(device);
    if (device->figures->kinds[kind][direction].in_place[placement] > 0)
        return HD_OK;
    device->diag = diag;
    device->changed = 0;
    hd_status status = measure_in_place(diag, device, kind, direction, placement);
    if (status == HD_OK)
        hd_remap_figures_write(device->gpu->device.name, device->gpu->device.driver,
                               device->figures);
    return status;
}
