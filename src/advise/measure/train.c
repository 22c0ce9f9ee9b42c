/*
 * A training: generated kernels in every tile, on a device.
 *
 *     for each shape with a length that is not known:
 *         rewrite and build its kernel in each tile     the length is an argument: one build
 *         for each such length:                         serves all lengths
 *             run all tiles once, unmeasured
 *             run all tiles in turns, `repeats` times   what slows the device for a while
 *             keep the medians                          slows all tiles
 *
 * What is kept is a kernel in all of its tiles, at once: a training that ends early goes on with
 * the first kernel that is not whole.
 */
#include <math.h>
#include <stdlib.h>

#include "advise/measure/session.h"
#include "advise/measure/train.h"

/* A launch is repeated so often that one timing takes at least so long: shorter ones say more
 * about starting a kernel than about running it. */
static const double least_seconds = 2e-3;
enum {
    DEFAULT_REPEATS = 7,
    MOST_BATCHED = 256,
    CPU_GROUPS = 1,
    GPU_GROUPS = 32,
    MOST_LENGTHS = 16
};

typedef struct trainer {
    hd_arena *arena;
    const hd_diag *diag;
    hd_database *database;
    const hd_train_options *options;
    hd_training *training;
    hd_session session;
    uint32_t groups;
    uint32_t steps, done; /* builds and kernels in a tile, for progress */
    hd_vec(hd_training_run) runs;
} trainer;

/* A shape while it is measured. */
typedef struct shape_run {
    const hd_training_shape *shape;
    hd_arena *arena;
    hd_job *job;
    uint32_t lengths[MOST_LENGTHS], length_count; /* those that are not known */
    hd_version versions[HD_TILE_CLASSES];
} shape_run;

/* ---- what is known ------------------------------------------------------------- */

/* Whether this version makes the kernel of the run as it was then. */
static bool is_current(hd_arena *arena, const hd_training_run *run, const char *backend) {
    const hd_training_shape *shape = hd_training_shapes;
    while (shape->type && (shape->fields != run->fields || shape->bytes != run->bytes))
        shape++;
    return shape->type && hd_tile_class(run->tile) < HD_TILE_CLASSES &&
           !strcmp(hd_training_hash(arena, shape, backend, run->length), run->profile.kernel);
}

hd_training_run *hd_training_known(hd_database *database, hd_arena *arena,
                                   const hd_profiled_device *device, size_t *count) {
    size_t all, kept = 0;
    hd_arena *scratch = hd_arena_new();
    hd_training_run *runs = hd_database_training(database, arena, device, &all);
    for (size_t i = 0; i < all; i++)
        if (is_current(scratch, &runs[i], device->backend))
            runs[kept++] = runs[i];
    hd_arena_free(scratch);
    *count = kept;
    return runs;
}

static int by_kernel(const void *a, const void *b) {
    const hd_training_run *x = a, *y = b;
    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? -1 : 1;
    if (x->fields != y->fields)
        return x->fields < y->fields ? -1 : 1;
    return (x->length > y->length) - (x->length < y->length);
}

hd_tile_kernel *hd_training_kernels(hd_arena *arena, const hd_training_run *runs, size_t count,
                                    size_t *kernel_count) {
    hd_vec(hd_tile_kernel) kernels = {0};
    hd_training_run *sorted = hd_new_array(arena, hd_training_run, count + 1);
    if (count)
        memcpy(sorted, runs, count * sizeof *runs);
    qsort(sorted, count, sizeof *sorted, by_kernel);
    for (size_t i = 0; i < count; i++) {
        if (!i || by_kernel(&sorted[i - 1], &sorted[i]))
            hd_push(arena, &kernels, (hd_tile_kernel){.bytes = sorted[i].bytes});
        kernels.data[kernels.count - 1].seconds[hd_tile_class(sorted[i].tile)] =
            sorted[i].profile.timing.median;
    }
    *kernel_count = kernels.count;
    return kernels.data;
}

/* ---- the plan -------------------------------------------------------------------- */

static bool is_among(const uint32_t *wanted, uint32_t count, uint32_t value) {
    bool found = !wanted;
    for (uint32_t i = 0; wanted && i < count; i++)
        found = found || wanted[i] == value;
    return found;
}

/* The lengths of a shape that are wanted and not known. */
static void plan_shape(trainer *t, const hd_training_shape *shape, shape_run *run) {
    *run = (shape_run){.shape = shape};
    if (!is_among(t->options->bytes, t->options->byte_count, shape->bytes))
        return;
    for (const uint32_t *length = hd_training_lengths; *length; length++) {
        if (!is_among(t->options->lengths, t->options->length_count, *length))
            continue;
        t->training->planned++;
        const char *kernel = hd_training_hash(t->arena, shape, t->options->backend, *length);
        uint32_t tiles = 0; /* that are known */
        for (size_t i = 0; i < t->runs.count; i++)
            tiles += !strcmp(t->runs.data[i].profile.kernel, kernel);
        if (tiles == HD_TILE_CLASSES)
            t->training->kept++;
        else
            run->lengths[run->length_count++] = *length;
    }
    if (run->length_count)
        t->steps += (1 + run->length_count) * HD_TILE_CLASSES;
}

static void show(const trainer *t, const hd_training_shape *shape, const char *doing) {
    hd_arena *arena = hd_arena_new();
    if (t->options->progress)
        t->options->progress(
            t->options->user,
            hd_format(arena, "%s, %u fields of %s", doing, shape->fields, shape->type),
            (double)t->done / t->steps);
    hd_arena_free(arena);
}

static bool is_stopped(trainer *t) {
    if (t->options->stop && *t->options->stop)
        t->training->stopped = true;
    return t->training->stopped;
}

/* All fields of a shape in one cluster. */
static hd_layout *layout_of(hd_arena *arena, const hd_training_shape *shape, uint32_t class) {
    uint64_t mask = UINT64_MAX >> (64 - shape->fields), tile = hd_tile_of_class(class);
    return hd_layout_of_masks(arena, &mask, &tile, 1, false);
}

/* ---- versions --------------------------------------------------------------------- */

static hd_status make_versions(trainer *t, shape_run *run, const char *folder) {
    void *contents[2];
    hd_status status =
        hd_training_load(run->arena, t->diag, folder, run->shape, t->options->backend, run->lengths,
                         run->length_count, t->groups, &run->job);
    t->session.job = run->job;
    if (status == HD_OK)
        status = hd_job_all_contents(run->arena, t->diag, run->job, contents);
    for (uint32_t k = 0; k < HD_TILE_CLASSES && status == HD_OK && !is_stopped(t); k++) {
        hd_version *version = &run->versions[k];
        const hd_record_layout layout = {run->job->record, layout_of(run->arena, run->shape, k)};
        hd_rewritten *rewritten;
        show(t, run->shape, "building");
        status = hd_rewrite_job(run->arena, t->diag, run->job, &layout, 1, &rewritten);
        if (status == HD_OK)
            status = hd_version_make(&t->session, rewritten, &layout, 1, NULL, contents, version);
        if (status == HD_OK) /* kernels only read what is written here */
            status = hd_version_fill(&t->session, version);
        t->done++;
    }
    return status;
}

/* ---- timing ------------------------------------------------------------------------ */

/* times[tile][turn] of one launch. */
static hd_status time_tiles(trainer *t, shape_run *run, uint32_t launch, uint32_t repeats,
                            double *const *times) {
    uint64_t repeat[HD_TILE_CLASSES] = {0};
    hd_status status = HD_OK;
    for (uint32_t turn = 0; turn <= repeats && status == HD_OK && !is_stopped(t); turn++) {
        show(t, run->shape, "measuring");
        for (uint32_t k = 0; k < HD_TILE_CLASSES && status == HD_OK && !is_stopped(t); k++) {
            hd_version *version = &run->versions[k];
            uint64_t each[MOST_LENGTHS] = {0}; /* of the launches */
            each[launch] = turn ? repeat[k] : 1;
            status = hd_version_launch(&t->session, version, each, version->seconds);
            double seconds = version->seconds[launch] / (double)each[launch];
            if (turn)
                times[k][turn - 1] = seconds;
            else
                repeat[k] = seconds * MOST_BATCHED <= least_seconds
                                ? MOST_BATCHED
                                : (uint64_t)ceil(least_seconds / seconds);
        }
    }
    return status;
}

static void keep(trainer *t, const shape_run *run, uint32_t launch, uint32_t repeats,
                 double *const *times) {
    uint32_t length = run->lengths[launch];
    hd_training_run kept[HD_TILE_CLASSES];
    const char *date = hd_date_now(t->arena);
    for (uint32_t k = 0; k < HD_TILE_CLASSES; k++) {
        const hd_layout *layout = layout_of(t->arena, run->shape, k);
        kept[k] = (hd_training_run){
            .length = length,
            .fields = run->shape->fields,
            .bytes = run->shape->bytes,
            .tile = hd_tile_of_class(k),
            .profile = {.kernel =
                            hd_training_hash(t->arena, run->shape, t->options->backend, length),
                        .layout = hd_layout_print(t->arena, run->job->record, layout),
                        .date = date,
                        .timing = hd_timing_of(t->arena, times[k], repeats)}};
        hd_push(t->arena, &t->runs, kept[k]);
    }
    hd_database_put_training(t->database, &t->training->device, kept, HD_TILE_CLASSES);
    t->training->measured++;
}

static hd_status measure_shape(trainer *t, shape_run *run, const char *folder) {
    uint32_t repeats = t->options->repeats ? t->options->repeats : DEFAULT_REPEATS;
    double *times[HD_TILE_CLASSES];
    run->arena = hd_arena_new();
    for (uint32_t k = 0; k < HD_TILE_CLASSES; k++)
        times[k] = hd_new_array(run->arena, double, repeats);
    hd_status status = make_versions(t, run, folder);
    for (uint32_t l = 0; l < run->length_count && status == HD_OK && !is_stopped(t); l++) {
        status = time_tiles(t, run, l, repeats, times);
        t->done += HD_TILE_CLASSES;
        if (status == HD_OK && !is_stopped(t))
            keep(t, run, l, repeats, times);
    }
    for (uint32_t k = 0; k < HD_TILE_CLASSES; k++)
        hd_version_free(&t->session, &run->versions[k]);
    hd_arena_free(run->arena);
    return status;
}

/* ---- the training ----------------------------------------------------------------------- */

hd_status hd_train(hd_arena *arena, const hd_diag *diag, hd_database *database,
                   const hd_train_options *options, hd_training *training) {
    /* For the messages of a session that has no kernel yet. */
    const kir_module module = {.device = options->backend};
    const hd_job nothing = {.path = "training", .module = &module, .kernel_path = "train"};
    trainer t = {.arena = arena,
                 .diag = diag,
                 .database = database,
                 .options = options,
                 .training = training};
    *training = (hd_training){0};
    hd_status status = hd_session_open(arena, diag, &nothing, options->device, &t.session);
    const hd_compute_device *device = &t.session.device;
    training->device =
        (hd_profiled_device){device->backend, device->platform, device->name, device->driver};
    if (status == HD_OK) {
        /* A processor gets a group for each core. A GPU gets as many as its multiprocessors hold
         * at once, 2048 work-items each. */
        t.groups = t.session.gpu->units * (device->is_processor ? CPU_GROUPS : GPU_GROUPS);
        if (options->again)
            hd_database_forget_training(database, &training->device);
        size_t count;
        const hd_training_run *known =
            hd_training_known(database, arena, &training->device, &count);
        for (size_t i = 0; i < count; i++)
            hd_push(arena, &t.runs, known[i]);
        enum { MOST_SHAPES = 64 };
        shape_run plan[MOST_SHAPES];
        uint32_t shapes = 0;
        char *folder;
        for (; hd_training_shapes[shapes].type; shapes++)
            plan_shape(&t, &hd_training_shapes[shapes], &plan[shapes]);
        status = hd_scratch_make(arena, diag, &folder);
        for (uint32_t s = 0; s < shapes && status == HD_OK && !is_stopped(&t); s++)
            if (plan[s].length_count)
                status = measure_shape(&t, &plan[s], folder);
        hd_scratch_remove(folder);
    }
    hd_session_close(&t.session);
    training->runs = t.runs.data;
    training->run_count = t.runs.count;
    return status;
}
