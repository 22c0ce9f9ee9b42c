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

#include "measure/session.h"
#include "measure/timing.h"
#include "measure/train.h"

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

static const hd_training_shape *shape_of(const hd_training_run *run) {
    const hd_training_shape *shape = hd_training_shapes;
    while (shape->type && (shape->fields != run->fields || shape->bytes != run->bytes))
        shape++;
    return shape->type ? shape : NULL;
}

/* Whether this version makes the kernel of the run as it was then. */
static bool is_current(hd_arena *arena, const hd_training_run *run, const char *backend) {
    const hd_training_shape *shape = shape_of(run);
    return shape && hd_tile_class(run->tile) < HD_TILE_CLASSES &&
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

static bool is_known(const trainer *t, const char *kernel) {
    uint32_t tiles = 0;
    for (size_t i = 0; i < t->runs.count; i++)
        tiles += !strcmp(t->runs.data[i].profile.kernel, kernel);
    return tiles == HD_TILE_CLASSES;
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
        if (is_known(t, hd_training_hash(t->arena, shape, t->options->backend, *length)))
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

static hd_status make_version(trainer *t, shape_run *run, void *const *contents, uint32_t class) {
    hd_version *version = &run->versions[class];
    const hd_record_layout layout = {run->job->record, layout_of(run->arena, run->shape, class)};
    hd_rewritten *rewritten;
    hd_status status = hd_rewrite_job(run->arena, t->diag, run->job, &layout, 1, &rewritten);
    if (status == HD_OK)
        status = hd_version_make(&t->session, rewritten, &layout, 1, contents, version);
    /* Kernels only read what is written here. */
    return status == HD_OK ? hd_version_fill(&t->session, version) : status;
}

static const char *file_name(const char *backend) {
    return strcmp(backend, "cuda") ? "train.cl" : "train.cu";
}

static hd_status make_versions(trainer *t, shape_run *run, const char *folder) {
    const char *path = hd_format(run->arena, "%s/%s", folder, file_name(t->options->backend));
    const char *source = hd_training_source(run->arena, run->shape, t->options->backend);
    run->job = hd_training_job(run->arena, run->shape, t->options->backend, path, run->lengths,
                               run->length_count, t->groups);
    t->session.job = run->job;
    void *contents[2];
    hd_status status = hd_write_file(t->diag, path, source, strlen(source));
    if (status == HD_OK)
        status = hd_job_all_contents(run->arena, t->diag, run->job, contents);
    for (uint32_t k = 0; k < HD_TILE_CLASSES && status == HD_OK && !is_stopped(t); k++) {
        show(t, run->shape, "building");
        status = make_version(t, run, contents, k);
        t->done++;
    }
    return status;
}

/* ---- timing ------------------------------------------------------------------------ */

/* One launch of a version, `repeat` times: seconds of one. */
static hd_status time_launch(trainer *t, hd_version *version, uint32_t launch, uint64_t repeat,
                             double *seconds) {
    uint64_t repeats[MOST_LENGTHS] = {0};
    repeats[launch] = repeat;
    hd_status status = hd_version_launch(&t->session, version, repeats, version->seconds);
    *seconds = version->seconds[launch] / (double)repeat;
    return status;
}

static uint64_t repeat_for(double seconds) {
    return seconds * MOST_BATCHED <= least_seconds ? MOST_BATCHED
                                                   : (uint64_t)ceil(least_seconds / seconds);
}

/* times[tile][turn] of one launch. */
static hd_status time_tiles(trainer *t, shape_run *run, uint32_t launch, uint32_t repeats,
                            double *const *times) {
    uint64_t repeat[HD_TILE_CLASSES] = {0};
    hd_status status = HD_OK;
    for (uint32_t turn = 0; turn <= repeats && status == HD_OK && !is_stopped(t); turn++) {
        show(t, run->shape, "measuring");
        for (uint32_t k = 0; k < HD_TILE_CLASSES && status == HD_OK && !is_stopped(t); k++) {
            double seconds;
            status = time_launch(t, &run->versions[k], launch, turn ? repeat[k] : 1, &seconds);
            if (turn)
                times[k][turn - 1] = seconds;
            else
                repeat[k] = repeat_for(seconds);
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

static hd_status measure_length(trainer *t, shape_run *run, uint32_t launch) {
    uint32_t repeats = t->options->repeats ? t->options->repeats : DEFAULT_REPEATS;
    double *times[HD_TILE_CLASSES];
    for (uint32_t k = 0; k < HD_TILE_CLASSES; k++)
        times[k] = hd_new_array(run->arena, double, repeats);
    hd_status status = time_tiles(t, run, launch, repeats, times);
    t->done += HD_TILE_CLASSES;
    if (status == HD_OK && !is_stopped(t))
        keep(t, run, launch, repeats, times);
    return status;
}

static hd_status measure_shape(trainer *t, shape_run *run, const char *folder) {
    run->arena = hd_arena_new();
    hd_status status = make_versions(t, run, folder);
    for (uint32_t l = 0; l < run->length_count && status == HD_OK && !is_stopped(t); l++)
        status = measure_length(t, run, l);
    for (uint32_t k = 0; k < HD_TILE_CLASSES; k++)
        hd_version_free(&t->session, &run->versions[k]);
    hd_arena_free(run->arena);
    return status;
}

/* ---- the training ----------------------------------------------------------------------- */

/* A processor gets a group for each core. A GPU gets as many as its multiprocessors hold at once,
 * 2048 work-items each. */
static uint32_t groups_of_device(const hd_session *session) {
    return session->gpu->units * (session->device.is_processor ? CPU_GROUPS : GPU_GROUPS);
}

static void load_known(trainer *t) {
    size_t count;
    const hd_profiled_device *device = &t->training->device;
    if (t->options->again)
        hd_database_forget_training(t->database, device);
    const hd_training_run *known = hd_training_known(t->database, t->arena, device, &count);
    for (size_t i = 0; i < count; i++)
        hd_push(t->arena, &t->runs, known[i]);
}

static hd_status measure_all(trainer *t) {
    enum { MOST_SHAPES = 64 };
    shape_run plan[MOST_SHAPES];
    uint32_t count = 0;
    char *folder;
    for (; hd_training_shapes[count].type; count++)
        plan_shape(t, &hd_training_shapes[count], &plan[count]);
    hd_status status = hd_scratch_make(t->arena, t->diag, &folder);
    for (uint32_t s = 0; s < count && status == HD_OK && !is_stopped(t); s++)
        if (plan[s].length_count)
            status = measure_shape(t, &plan[s], folder);
    hd_scratch_remove(folder);
    return status;
}

hd_status hd_train(hd_arena *arena, const hd_diag *diag, hd_database *database,
                   const hd_train_options *options, hd_training *training) {
    /* For the messages of a session that has no kernel yet. */
    const kir_module module = {.device = options->backend};
    const hd_job nothing = {
        .path = "training", .module = &module, .kernel_path = file_name(options->backend)};
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
        t.groups = groups_of_device(&t.session);
        load_known(&t);
        status = measure_all(&t);
    }
    hd_session_close(&t.session);
    training->runs = t.runs.data;
    training->run_count = t.runs.count;
    return status;
}
