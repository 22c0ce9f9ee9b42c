/*
 * The job in one layout, ready to run.
 *
 * The original takes its buffers as the C arrays they are. In a rewritten
 * version the job is the one that goes with the rewritten kernels
 * (rewrite/placed.h): allocations for arrays of records, and the number of
 * elements behind them.
 *
 *     kernel void move(global body *b, float dt)
 *     kernel void move(global uchar *b_0, global uchar *b_1, ulong b_count, float dt)
 */
#include "advise/measure/session.h"
#include "rewrite/thread_map.h"

static uint64_t bytes_of(const hd_buffer *buffer) { return buffer->count * buffer->element_bytes; }

/* ---- making -------------------------------------------------------------- */

/* Headers may be rewritten, too, so the compiler gets a folder of them. A text that includes
 * nothing gets none: drivers that keep what they compiled know it again by text and options. */
static hd_status build(hd_session *session, const hd_rewritten *rewritten, hd_version *version) {
    const char *path = session->job->kernel_path;
    char *folder, *source;
    size_t length;
    hd_status status;
    if (!rewritten) {
        status = hd_read_file(session->arena, session->diag, path, &source, &length);
        return status ? status
                      : hd_version_build(session, &(hd_program_text){path, source, path, NULL},
                                         version);
    }
    const char *file = hd_format(session->arena, "%s (rewritten)", rewritten->files[0].path);
    const char *text = rewritten->files[0].text;
    if (rewritten->file_count == 1 && hd_text_is_alone(text))
        return hd_version_build(session, &(hd_program_text){file, text, NULL, NULL}, version);
    status = hd_scratch_make(session->arena, session->diag, &folder);
    if (status == HD_OK)
        status = hd_rewritten_store(session->arena, session->diag, rewritten, folder, &path);
    if (status == HD_OK)
        status = hd_version_build(session, &(hd_program_text){file, text, path, folder}, version);
    hd_scratch_remove(folder);
    return status;
}

static hd_status check_buffer(const hd_session *session, const hd_buffer *buffer,
                              const char *error) {
    return error ? hd_session_fail(session, &buffer->place,
                                   hd_format(session->arena, "%s for buffer '%s'",
                                             session->gpu->doing, buffer->name),
                                   error)
                 : HD_OK;
}

static hd_status allocate(hd_session *session, const hd_buffer *buffer, hd_compute_memory *memory) {
    hd_compute *gpu = session->gpu;
    uint64_t bytes = bytes_of(buffer);
    const char *lacking = gpu->api->lacks(gpu, buffer->placement);
    if (lacking)
        return hd_fail(session->diag, HD_EUNSUPPORTED, &buffer->place,
                       "buffer '%s' cannot lie %s on %s: %s; take another placement", buffer->name,
                       hd_placement_phrase(buffer->placement), gpu->device.name, lacking);
    if (gpu->most_bytes && bytes > gpu->most_bytes)
        return hd_fail(session->diag, HD_EINPUT, &buffer->place,
                       "buffer '%s' takes %llu bytes, but %s allocates at most %llu; give it fewer "
                       "elements, or smaller tiles",
                       buffer->name, (unsigned long long)bytes, gpu->device.name,
                       (unsigned long long)gpu->most_bytes);
    return check_buffer(session, buffer, gpu->api->allocate(gpu, buffer->placement, bytes, memory));
}

/* Some kernel takes it as an image of a buffer. */
static bool is_of_buffer(const hd_job *job, const hd_image *image) {
    for (uint32_t l = 0; l < job->launch_count; l++)
        for (uint32_t a = 0; a < job->launches[l].arg_count; a++) {
            const hd_arg *arg = &job->launches[l].args[a];
            if (arg->kind == HD_ARG_BUFFER && job->buffers[arg->buffer].image == image &&
                strstr(job->launches[l].kernel->params[arg->param].type_name, "image1d_buffer"))
                return true;
        }
    return false;
}

static hd_status make_image(hd_session *session, const hd_buffer *buffer,
                            hd_compute_memory *memory) {
    const hd_image *i = buffer->image;
    const hd_compute_image image = {i->width,
                                    i->height,
                                    i->depth,
                                    i->layers,
                                    i->format.order,
                                    i->format.type,
                                    is_of_buffer(session->job, i)};
    if (buffer->placement != HD_PLACEMENT_DEVICE)
        return hd_fail(session->diag, HD_EUNSUPPORTED, &buffer->place,
                       "image '%s' lies in the device's memory; leave 'placement' out",
                       buffer->name);
    return check_buffer(session, buffer,
                        session->gpu->api->make_image(session->gpu, &image, memory));
}

static bool is_in_place(const hd_version *version, uint32_t b) {
    return version->placed->job->buffers[b].placement != HD_PLACEMENT_DEVICE;
}

static void place_buffers(const hd_placed_job *placed, const hd_placing *placing) {
    for (uint32_t b = 0; b < placed->original->buffer_count; b++) {
        const hd_placed_buffer *at = &placed->buffers[b];
        if (placing->all || hd_job_is_of_record(placed->original, b))
            for (uint32_t m = at->first; m < at->first + at->count; m++)
                placed->job->buffers[m].placement = placing->placement;
    }
}

static void find_written(hd_version *version) {
    const hd_placed_job *placed = version->placed;
    const bool *written = hd_job_written(version->arena, placed->original);
    version->written = hd_new_array(version->arena, bool, placed->job->buffer_count);
    for (uint32_t b = 0; b < placed->original->buffer_count; b++)
        for (uint32_t m = 0; m < placed->buffers[b].count; m++)
            version->written[placed->buffers[b].first + m] |= written[b];
}

hd_status hd_version_make(hd_session *session, const hd_rewritten *rewritten,
                          const hd_record_layout *layouts, uint32_t layout_count,
                          const hd_placing *placing, void *const *contents, hd_version *version) {
    hd_placed_job *placed;
    hd_arena *arena = hd_arena_new();
    *version = (hd_version){.arena = arena};
    hd_status status = hd_job_in_layout(arena, session->diag, session->job, layouts, layout_count,
                                        rewritten ? rewritten->orders : NULL, NULL, &placed);
    if (status != HD_OK)
        return status;
    const hd_job *job = placed->job;
    version->placed = placed;
    version->memories = hd_new_array(arena, hd_compute_memory, job->buffer_count);
    version->views = hd_new_array(arena, void *, job->buffer_count);
    if (placing)
        place_buffers(placed, placing);
    for (uint32_t b = 0; b < job->buffer_count && !version->written; b++)
        if (is_in_place(version, b))
            find_written(version);
    version->initial = hd_new_array(arena, void *, job->buffer_count);
    version->seconds = hd_new_array(arena, double, job->launch_count);
    status = build(session, rewritten, version);
    for (uint32_t b = 0; b < job->buffer_count && status == HD_OK; b++)
        status = (job->buffers[b].image ? make_image : allocate)(session, &job->buffers[b],
                                                                 &version->memories[b]);
    if (status == HD_OK)
        status = hd_version_ready(session, version);
    if (status == HD_OK)
        hd_placed_scatter(arena, placed, contents, version->initial);
    if (status == HD_OK && rewritten && rewritten->orders)
        version->initial[job->buffer_count - 1] = hd_job_map(job);
    return status;
}

/* ---- data -------------------------------------------------------------- */

static hd_status finish(hd_session *session) {
    const char *error = session->gpu->api->finish(session->gpu, &session->queue);
    return error ? hd_session_fail(session, NULL, session->gpu->doing, error) : HD_OK;
}

/* Memory in place becomes the host's, once the queue is finished. */
static hd_status take(hd_session *session, const hd_version *version, uint32_t b) {
    hd_compute *gpu = session->gpu;
    return check_buffer(
        session, &version->placed->job->buffers[b],
        gpu->api->to_host(gpu, &session->queue, version->memories[b], &version->views[b]));
}

/* The kernels get what the host has in place. */
static hd_status hand_over(hd_session *session, const hd_version *version) {
    hd_compute *gpu = session->gpu;
    hd_status status = HD_OK;
    for (uint32_t b = 0; b < version->placed->job->buffer_count && status == HD_OK; b++) {
        if (!version->views[b])
            continue;
        version->views[b] = NULL;
        status = check_buffer(
            session, &version->placed->job->buffers[b],
            gpu->api->to_device(gpu, &session->queue, version->memories[b], version->written[b]));
    }
    return status;
}

/* What a run starts from, in memory in place: the host writes it there. */
static hd_status write_in_place(hd_session *session, const hd_version *version) {
    const hd_job *job = version->placed->job;
    hd_status status = HD_OK;
    for (uint32_t b = 0; b < job->buffer_count && status == HD_OK; b++)
        if (is_in_place(version, b) && !version->views[b])
            status = take(session, version, b);
    if (status == HD_OK)
        status = finish(session);
    for (uint32_t b = 0; b < job->buffer_count && status == HD_OK; b++)
        if (version->views[b])
            memcpy(version->views[b], version->initial[b], bytes_of(&job->buffers[b]));
    return status;
}

/* The rest of it, to the device's own memory, and the kernels get all. */
static hd_status bring(hd_session *session, const hd_version *version) {
    const hd_job *job = version->placed->job;
    hd_compute *gpu = session->gpu;
    hd_status status = HD_OK;
    for (uint32_t b = 0; b < job->buffer_count && status == HD_OK; b++)
        if (!is_in_place(version, b))
            status = check_buffer(session, &job->buffers[b],
                                  gpu->api->write(gpu, &session->queue, version->memories[b], 0,
                                                  version->initial[b], bytes_of(&job->buffers[b])));
    if (status == HD_OK)
        status = hand_over(session, version);
    return status ? status : finish(session);
}

/* What kernels may have written, to the host. */
static hd_status bring_back(hd_session *session, const hd_version *version) {
    const hd_job *job = version->placed->job;
    hd_compute *gpu = session->gpu;
    hd_status status = HD_OK;
    for (uint32_t b = 0; b < job->buffer_count && status == HD_OK; b++) {
        if (!version->written[b])
            continue;
        status =
            is_in_place(version, b)
                ? take(session, version, b)
                : check_buffer(session, &job->buffers[b],
                               gpu->api->read(gpu, &session->queue, version->copies[b],
                                              version->memories[b], 0, bytes_of(&job->buffers[b])));
    }
    return status ? status : finish(session);
}

void hd_version_free(hd_session *session, hd_version *version) {
    hd_compute *gpu = session->gpu;
    const hd_diag silent = {0}, *diag = session->diag;
    session->diag = &silent;
    if (version->views) /* what is mapped is not to be released */
        hand_over(session, version);
    session->diag = diag;
    if (gpu)
        gpu->api->settle(gpu, &session->queue);
    for (uint32_t b = 0; version->memories && b < version->placed->job->buffer_count; b++)
        if (version->memories[b])
            gpu->api->release(gpu, version->memories[b]);
    for (size_t s = 0; s < version->samplers.count; s++)
        gpu->api->release_sampler(gpu, version->samplers.data[s]);
    if (version->program)
        gpu->api->release_program(gpu, version->program);
    if (version->arena)
        hd_arena_free(version->arena);
    *version = (hd_version){0};
}

/* ---- a run -------------------------------------------------------------- */

hd_status hd_version_fill(hd_session *session, const hd_version *version) {
    hd_status status = write_in_place(session, version);
    return status ? status : bring(session, version);
}

static hd_status run_kernels(hd_session *session, hd_version *version, double *seconds) {
    hd_status status = hd_version_launch(session, version, NULL, version->seconds);
    *seconds = 0;
    for (uint32_t l = 0; l < version->placed->job->launch_count && status == HD_OK; l++)
        *seconds += version->seconds[l];
    return status;
}

hd_status hd_version_run(hd_session *session, hd_version *version, double *seconds) {
    hd_status status = hd_version_fill(session, version);
    *seconds = 0;
    return status ? status : run_kernels(session, version, seconds);
}

static void make_copies(hd_version *version) {
    const hd_job *job = version->placed->job;
    version->copies = hd_new_array(version->arena, void *, job->buffer_count);
    if (!version->written)
        find_written(version);
    for (uint32_t b = 0; b < job->buffer_count; b++)
        if (version->written[b] && !is_in_place(version, b))
            version->copies[b] = hd_alloc(version->arena, bytes_of(&job->buffers[b]));
}

hd_status hd_version_run_again(hd_session *session, hd_version *version, hd_run_seconds *seconds) {
    *seconds = (hd_run_seconds){0};
    if (!version->copies)
        make_copies(version);
    double start = hd_clock();
    hd_status status = bring(session, version);
    seconds->to_device = hd_clock() - start;
    if (status == HD_OK)
        status = run_kernels(session, version, &seconds->kernels);
    start = hd_clock();
    if (status == HD_OK)
        status = bring_back(session, version);
    seconds->from_device = hd_clock() - start;
    return status;
}

hd_status hd_version_run_whole(hd_session *session, hd_version *version, hd_run_seconds *seconds) {
    hd_status status = write_in_place(session, version);
    *seconds = (hd_run_seconds){0};
    return status ? status : hd_version_run_again(session, version, seconds);
}

hd_status hd_version_read(hd_session *session, hd_arena *arena, const hd_version *version,
                          void **contents) {
    const hd_job *job = version->placed->job;
    hd_compute *gpu = session->gpu;
    void **parts = hd_new_array(arena, void *, job->buffer_count);
    hd_status status = hand_over(session, version); /* what a whole run has brought back */
    for (uint32_t b = 0; b < job->buffer_count && status == HD_OK; b++) {
        uint64_t bytes = bytes_of(&job->buffers[b]);
        parts[b] = hd_alloc(arena, bytes);
        const char *error =
            gpu->api->read(gpu, &session->queue, parts[b], version->memories[b], 0, bytes);
        if (!error)
            error = gpu->api->finish(gpu, &session->queue);
        status = check_buffer(session, &job->buffers[b], error);
    }
    if (status == HD_OK)
        hd_placed_gather(arena, version->placed, parts, contents);
    return status;
}

/* ---- does it always leave the same? --------------------------------------- */

typedef struct difference {
    hd_arena *arena;
    const char *text; /* "'a[3]' is 1 in one and 2 in another; ..." */
} difference;

static void keep_difference(const hd_message *message, void *user) {
    static const char head[] = "the outputs differ: ";
    difference *d = user;
    bool headed = !strncmp(message->text, head, sizeof head - 1);
    d->text = hd_strdup(d->arena, message->text + (headed ? sizeof head - 1 : 0));
}

hd_status hd_version_outputs(hd_session *session, hd_arena *arena, hd_version *version,
                             void **contents, double *seconds) {
    hd_status status = hd_version_run(session, version, seconds);
    return status ? status : hd_version_read(session, arena, version, contents);
}

hd_status hd_version_repeats(hd_session *session, hd_version *original, void *const *expected,
                             uint32_t times) {
    const hd_job *job = session->job;
    const hd_place place = {.file = job->path ? job->path : job->kernel_path};
    hd_status status = HD_OK;
    for (uint32_t i = 0; i < times && status == HD_OK; i++) {
        hd_arena *arena = hd_arena_new();
        void **contents = hd_new_array(arena, void *, job->buffer_count);
        difference d = {arena, NULL};
        const hd_diag keeper = {keep_difference, &d};
        double unused;
        bool equal, bit_equal;
        status = hd_version_outputs(session, arena, original, contents, &unused);
        if (status == HD_OK)
            status =
                hd_contents_compare(arena, &keeper, job, &(hd_contents){"in one", expected},
                                    &(hd_contents){"in another", contents}, &equal, &bit_equal);
        if (status == HD_EDIFFER)
            status = hd_fail(session->diag, HD_EINPUT, &place,
                             "runs of the original leave different values, so no layout can be "
                             "checked against it: %s. 'heddle run --races %s' finds threads that "
                             "race",
                             d.text, place.file);
        hd_arena_free(arena);
    }
    return status;
}
