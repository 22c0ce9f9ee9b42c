/*
 * Measuring a device: moves of made-up data, by the functions that move a program's.
 *
 * What is measured is little, because a first use waits for it: moves of some megabytes, which no
 * cache holds, and a kind of map is measured when one is first planned.
 *
 * Other programs' work must not decide what is the fastest. It only ever makes a move longer. So
 * moves that are compared are timed in rounds, each in another order: what lasts for a while hits
 * all of them. Of each the least time counts, and rounds go on until a second one is near it, so that
 * it was not there by chance; or until MOST_ROUNDS, or MOST_SECONDS. What was measured in a bad
 * moment all the same does not stay: the next process measures the kind of map again, until two agree
 * on the fastest strategy (`settled`); and moves tell more (lessons.c).
 */
#include <math.h>
#include <stdlib.h>

#include "remap/remap_device.h"

enum {
    LARGE_CHUNKS = 8, /* of a sample */
    SMALL_CHUNKS = 16,
    FEWEST_ROUNDS = 3,
    MOST_ROUNDS = 12
};
static const double MOST_SECONDS = 0.5, NEAR = 1.1;

/* ---- samples ------------------------------------------------------------------------- */

/* A map with memory for both sides. */
typedef struct sample {
    hd_remap_device *device;
    const hd_diag *diag;
    hd_remap *map;
    hd_remap_direction direction;
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
static uint64_t spread(uint64_t element, const void *elements) {
    return element * UINT32_C(2654435761) % *(const uint32_t *)elements;
}

static hd_status make_indexed(const hd_diag *diag, hd_remap_kind kind, uint32_t elements,
                              hd_remap **map) {
    uint32_t *index = malloc(elements * sizeof *index);
    if (!index)
        return hd_fail(diag, HD_ESYSTEM, NULL, "no memory for a calibration");
    for (uint32_t i = 0; i < elements; i++)
        index[i] = (uint32_t)spread(i, &elements);
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
    case HD_REMAP_USER:
        return hd_remap_user_map(
            diag, &(hd_remap_user){elements, elements, 4, spread, &elements, NULL}, map);
    default: return make_indexed(diag, kind, elements, map);
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

/* ---- rounds --------------------------------------------------------------------------- */

/* A move that is timed. */
typedef struct trial {
    const sample *sample;
    hd_remap_options options;
    unsigned extent;
    const hd_remap_tuning *tuning; /* NULL: what is known */
    bool is_optional;              /* what the device cannot do is no error */
    bool failed;
    double least, second; /* seconds of the two shortest runs; 0: not yet */
} trial;

static hd_status run_trial(trial *t, double *seconds) {
    const hd_diag quiet = {0};
    const sample *s = t->sample;
    hd_remap_device *device = s->device;
    if (t->tuning)
        device->figures->kinds[s->map->kind][s->direction].tuning = *t->tuning;
    double start = device->clock();
    hd_status status = hd_remap_move(t->is_optional ? &quiet : s->diag, device, s->map,
                                     s->direction, &s->part, s->host, &t->options, t->extent);
    *seconds = fmax(device->clock() - start, 1e-9);
    t->failed = status != HD_OK;
    return t->is_optional ? HD_OK : status;
}

static void note_time(trial *t, double seconds) {
    if (t->least == 0 || seconds < t->least) {
        t->second = t->least;
        t->least = seconds;
    } else if (t->second == 0 || seconds < t->second) {
        t->second = seconds;
    }
}

/* The first round, in which kernels are compiled, does not count. */
static hd_status time_trials(trial *trials, size_t count) {
    double (*clock)(void) = trials->sample->device->clock, begin = 0;
    bool enough = false;
    for (size_t round = 0; round <= MOST_ROUNDS && !enough; round++) {
        enough = true;
        for (size_t i = 0; i < count; i++) {
            trial *t = &trials[((round % 2 ? count - 1 - i : i) + round / 2) % count];
            double seconds;
            hd_status status = t->failed ? HD_OK : run_trial(t, &seconds);
            if (status != HD_OK)
                return status;
            if (round && !t->failed)
                note_time(t, seconds);
            enough &= t->failed || (t->second > 0 && t->second <= NEAR * t->least);
        }
        begin = round ? begin : clock();
        enough = round >= FEWEST_ROUNDS && (enough || clock() - begin > MOST_SECONDS);
    }
    return HD_OK;
}

/* ---- transfers -------------------------------------------------------------------------- */

/* All that is timed; the names are those of the trials. */
enum {
    WHOLE,     /* a large transfer */
    STAGED,    /* the same in chunks, */
    REMAPS,    /* their kernels, */
    BOTH,      /* and both */
    ONE_CHUNK, /* of less */
    MANY_CHUNKS,
    NOTHING, /* but one record */
    TRANSFER_TRIALS
};

/* The overlap is how much of the shorter of transfers and kernels is hidden when both run. */
static hd_remap_transfer_figures transfer_figures(const trial *t) {
    double transfers = t[STAGED].least, remaps = t[REMAPS].least, both = t[BOTH].least;
    double bytes = (double)t->sample->map->source_bytes;
    double hidden = (transfers + remaps - both) / fmin(transfers, remaps);
    double chunks = fmax(t[MANY_CHUNKS].least - t[ONE_CHUNK].least, 0);
    return (hd_remap_transfer_figures){.latency = t[NOTHING].least,
                                       .chunk = chunks / (SMALL_CHUNKS - 1),
                                       .transfer = bytes / t[WHOLE].least,
                                       .staged = bytes / transfers,
                                       .overlap = fmin(fmax(hidden, 0), 1)};
}

static hd_status measure_transfers(const hd_diag *diag, hd_remap_device *device,
                                   hd_remap_direction direction) {
    enum { LARGE, SMALL, LEAST, SAMPLES };
    const uint64_t records[SAMPLES] = {device->sample_elements / 4, device->sample_elements / 32,
                                       1};
    sample samples[SAMPLES] = {{0}};
    hd_status status = HD_OK;
    for (int i = 0; i < SAMPLES && status == HD_OK; i++) {
        samples[i] = (sample){.device = device, .diag = diag, .direction = direction};
        status = sample_finish(make_records(diag, records[i], &samples[i].map), HD_REMAP_IN_DEVICE,
                               &samples[i]);
    }
    if (status == HD_OK) {
        const sample *large = &samples[LARGE], *small = &samples[SMALL];
        const hd_remap_options bulk = {.strategy = HD_REMAP_BULK};
        const hd_remap_options chunked = {.strategy = HD_REMAP_CHUNKED,
                                          .chunk_bytes = large->map->source_bytes / LARGE_CHUNKS};
        const hd_remap_options one = {.strategy = HD_REMAP_CHUNKED,
                                      .chunk_bytes = small->map->source_bytes};
        const hd_remap_options many = {.strategy = HD_REMAP_CHUNKED,
                                       .chunk_bytes = small->map->source_bytes / SMALL_CHUNKS};
        trial trials[TRANSFER_TRIALS] = {
            [WHOLE] = {.sample = large, .options = bulk, .extent = HD_REMAP_ONLY_TRANSFERS},
            [STAGED] = {.sample = large, .options = chunked, .extent = HD_REMAP_ONLY_TRANSFERS},
            [REMAPS] = {.sample = large, .options = chunked, .extent = HD_REMAP_ONLY_REMAPS},
            [BOTH] = {.sample = large, .options = chunked},
            [ONE_CHUNK] = {.sample = small, .options = one},
            [MANY_CHUNKS] = {.sample = small, .options = many},
            [NOTHING] = {.sample = &samples[LEAST], .options = bulk}};
        status = time_trials(trials, TRANSFER_TRIALS);
        if (status == HD_OK)
            device->figures->transfers[direction] = transfer_figures(trials);
    }
    for (int i = 0; i < SAMPLES; i++)
        sample_free(&samples[i]);
    return status;
}

/* ---- kinds of maps ----------------------------------------------------------------------- */

/* Sizes of groups, and values that each of its items moves at a time, that suit some GPUs. */
static const hd_remap_tuning tunings[] = {
    {.group = 256, .per_item = 8}, {.group = 256, .per_item = 4}, {.group = 128, .per_item = 8},
    {.group = 64, .per_item = 8},  {.group = 512, .per_item = 4},
};
enum { TUNINGS = sizeof tunings / sizeof *tunings };

/* The fastest kernels; a kernel that the device cannot run is no candidate. */
static hd_status tune(const sample *s, hd_remap_tuning *tuning) {
    trial trials[TUNINGS];
    const trial *best = NULL;
    *tuning = (hd_remap_tuning){.direct = s->device->gpu->device.is_processor};
    if (tuning->direct) /* there is but one way */
        return HD_OK;
    for (int t = 0; t < TUNINGS; t++)
        trials[t] = (trial){.sample = s,
                            .options.strategy = HD_REMAP_BULK,
                            .extent = HD_REMAP_ONLY_REMAPS,
                            .tuning = &tunings[t],
                            .is_optional = true};
    hd_status status = time_trials(trials, TUNINGS);
    for (const trial *t = trials; t < trials + TUNINGS; t++)
        if (!t->failed && (!best || t->least < best->least))
            best = t;
    *tuning = best ? *best->tuning : tunings[0]; /* which says why none can be run */
    return status;
}

/* Seconds in which kernels alone are timed, but an index, and a gather's source, are transferred. */
static double seconds_of_index(const sample *s, double transfer_rate) {
    hd_remap_units units = hd_remap_units_of(s->map, s->direction);
    bool whole = s->map->kind == HD_REMAP_GATHER && s->direction == HD_REMAP_TO_DEVICE;
    return ((double)units.count * units.number_bytes + (whole ? (double)s->map->source_bytes : 0)) /
           transfer_rate;
}

/* The strategies, by turns, with the fastest kernels. A device that does not get at the host's memory
 * is none for zero-copy. */
static hd_status measure_strategies(const sample *s, hd_remap_kind_figures *figures) {
    enum { TRANSFER, REMAP, HOST, ZERO_COPY, TRIALS };
    static const hd_remap_options bulk = {.strategy = HD_REMAP_BULK};
    trial t[TRIALS] = {
        [TRANSFER] = {.sample = s, .options = bulk, .extent = HD_REMAP_ONLY_TRANSFERS},
        [REMAP] = {.sample = s, .options = bulk, .extent = HD_REMAP_ONLY_REMAPS},
        [HOST] = {.sample = s, .options.strategy = HD_REMAP_HOST},
        [ZERO_COPY] = {.sample = s, .options.strategy = HD_REMAP_ZERO_COPY, .is_optional = true}};
    for (int i = 0; i < TRIALS; i++)
        t[i].tuning = &figures->tuning;
    hd_status status = time_trials(t, TRIALS);
    if (status != HD_OK)
        return status;
    hd_remap_units units = hd_remap_units_of(s->map, s->direction);
    double bytes = (double)s->map->source_bytes;
    figures->transfer = (bytes + (double)units.count * units.number_bytes) / t[TRANSFER].least;
    double remap = t[REMAP].least - seconds_of_index(s, figures->transfer);
    figures->remap = bytes / fmax(remap, t[REMAP].least / 4);
    figures->host = bytes / t[HOST].least;
    figures->zero_copy = t[ZERO_COPY].failed ? 0 : bytes / t[ZERO_COPY].least;
    return HD_OK;
}

/* The device's figures choose the same strategy for the sample as those before, or one as good. */
static bool agree(const sample *s, const hd_remap_figures *before) {
    hd_remap_choice then = {0}, chosen = {0};
    if (before->kinds[s->map->kind][s->direction].remap == 0)
        return false;
    hd_remap_expect(s->device, before, s->map, s->direction, &then);
    hd_remap_expect(s->device, s->device->figures, s->map, s->direction, &chosen);
    double best = chosen.seconds[hd_remap_least(&chosen, HD_REMAP_PLANNED)];
    double other = chosen.seconds[hd_remap_least(&then, HD_REMAP_PLANNED)];
    return other > 0 && other <= NEAR * best;
}

/* `before` is what was known. */
static hd_status measure_kind(const hd_diag *diag, hd_remap_device *device, hd_remap_kind kind,
                              hd_remap_direction direction, const hd_remap_figures *before) {
    sample s = {.device = device, .diag = diag, .direction = direction};
    hd_status status = sample_finish(make_map(diag, kind, device->sample_elements, &s.map),
                                     HD_REMAP_IN_DEVICE, &s);
    if (status != HD_OK)
        return status;
    hd_remap_kind_figures measured = device->figures->kinds[kind][direction];
    status = tune(&s, &measured.tuning);
    if (status == HD_OK)
        status = measure_strategies(&s, &measured);
    if (status == HD_OK) {
        device->figures->kinds[kind][direction] = measured;
        device->figures->kinds[kind][direction].settled = agree(&s, before);
    }
    sample_free(&s);
    return status;
}

/* Of the host in memory in place. */
static hd_status measure_in_place(const hd_diag *diag, hd_remap_device *device, hd_remap_kind kind,
                                  hd_remap_direction direction, hd_remap_placement placement) {
    sample s = {.device = device, .diag = diag, .direction = direction};
    trial host = {.sample = &s, .options.strategy = HD_REMAP_HOST};
    hd_status status =
        sample_finish(make_map(diag, kind, device->sample_elements, &s.map), placement, &s);
    if (status != HD_OK)
        return status;
    status = time_trials(&host, 1);
    if (status == HD_OK)
        device->figures->kinds[kind][direction].in_place[placement] =
            (double)s.map->source_bytes / host.least;
    sample_free(&s);
    return status;
}

/* ---- what is known ------------------------------------------------------------------------- */

static void look_up(hd_remap_device *device) {
    if (device->figures)
        return;
    device->figures = hd_new(device->arena, hd_remap_figures);
    hd_remap_figures_read(device->gpu, device->figures);
}

hd_remap_tuning hd_remap_tuning_of(hd_remap_device *device, const hd_remap *map,
                                   hd_remap_direction direction) {
    look_up(device);
    hd_remap_tuning tuning = device->figures->kinds[map->kind][direction].tuning;
    tuning.direct |= device->gpu->device.is_processor;
    return tuning;
}

/* The kind, and transfers where they are not known, or both `again`. */
static hd_status measure(const hd_diag *diag, hd_remap_device *device, hd_remap_kind kind,
                         hd_remap_direction direction, bool again) {
    hd_remap_figures before = *device->figures;
    hd_status status = HD_OK;
    device->diag = diag;
    device->changed = 0;
    if (again || before.transfers[direction].transfer == 0)
        status = measure_transfers(diag, device, direction);
    if (status == HD_OK)
        status = measure_kind(diag, device, kind, direction, &before);
    if (status == HD_OK)
        hd_remap_figures_write(device->gpu, device->figures);
    else
        *device->figures = before;
    return status;
}

hd_status hd_remap_calibrate(const hd_diag *diag, hd_remap_device *device, hd_remap_kind kind,
                             hd_remap_direction direction) {
    const hd_diag quiet = {0};
    look_up(device);
    const hd_remap_kind_figures *figures = &device->figures->kinds[kind][direction];
    bool *measured = &device->measured[kind][direction];
    if (figures->remap > 0 && (figures->settled || *measured))
        return HD_OK;
    *measured = true;
    if (figures->remap == 0)
        return measure(diag, device, kind, direction, false);
    measure(&quiet, device, kind, direction, true);
    return HD_OK;
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
        hd_remap_figures_write(device->gpu, device->figures);
    return status;
}
