/*
 * A version's kernels: compiled, with their arguments, and launched.
 *
 * Launches are queued in batches without waiting for each other, so that only a batch's first one
 * waits for the processor; each has a time of its own, by the device's clock.
 *
 * A `__device__` variable of CUDA C keeps what kernels write to it, from run to run, too. So where
 * there are some each run starts with the program loaded anew. A variable that a launch has a
 * buffer for is copied from it before the launch, and back to it afterwards.
 */
#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "advise/measure/session.h"

typedef hd_vec(const char *) word_list;

/* ---- options --------------------------------------------------------------------------- */

/* The job's options are clang's; NVRTC takes those that define macros, name folders or choose
 * the standard. */
static void add_nvrtc_options(hd_arena *arena, const hd_job *job, const hd_program_text *text,
                              word_list *words) {
    static const char *const known[] = {"-D", "-U", "-I", "-std="};
    const char *toolkit = hd_cuda_toolkit();
    uint32_t count;
    char **given = hd_split_words(arena, job->options, &count);
    if (text->folder)
        hd_push(arena, words, hd_format(arena, "-I%s", text->folder));
    hd_push(arena, words, hd_format(arena, "-I%s", hd_path_folder(arena, job->kernel_path)));
    for (uint32_t w = 0; w < count; w++)
        for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
            size_t length = strlen(known[k]);
            if (strncmp(given[w], known[k], length))
                continue;
            const char *rest = given[w][length] || w + 1 == count ? NULL : given[w + 1];
            hd_push(arena, words, rest ? hd_format(arena, "%s%s", given[w], rest) : given[w]);
            w += rest != NULL;
            break;
        }
    if (toolkit)
        hd_push(arena, words, hd_format(arena, "-I%s/include", toolkit));
}

/* The job's options, and for a text with headers their folders. Others are named none: drivers that
 * keep what they compiled know it again by text and options, and folders may be temporary. */
static void add_opencl_options(hd_arena *arena, const hd_job *job, const hd_program_text *text,
                               word_list *words) {
    const char *options = job->options ? job->options : "";
    const char *const folders[] = {text->folder, hd_path_folder(arena, job->kernel_path)};
    bool alone = hd_text_is_alone(text->text) && hd_text_is_alone(options);
    for (int f = 0; f < 2 && !alone; f++) {
        /* OpenCL's drivers have no way to quote a '"' in a name; such a folder is not searched. */
        if (!folders[f] || strchr(folders[f], '"'))
            continue;
        const char *quote = strchr(folders[f], ' ') ? "\"" : "";
        hd_push(arena, words, hd_format(arena, "-I %s%s%s", quote, folders[f], quote));
    }
    hd_push(arena, words, options);
}

/* ---- names ----------------------------------------------------------------------------- */

static void add_name(hd_arena *arena, word_list *names, const char *name) {
    for (size_t n = 0; n < names->count; n++)
        if (!strcmp(names->data[n], name))
            return;
    hd_push(arena, names, name);
}

static bool has_buffer(const hd_launch *launch, uint32_t variable) {
    for (uint32_t a = 0; a < launch->arg_count; a++)
        if (launch->args[a].param == KIR_NONE && launch->args[a].variable == variable)
            return true;
    return false;
}

/* The variable that the argument is a buffer for, as it is asked for: "&table". */
static const char *variable_name(hd_arena *arena, const hd_launch *launch, uint32_t variable) {
    return hd_format(arena, "&%s", launch->kernel->statics[variable].name);
}

hd_compute_source hd_program_source(hd_arena *arena, const hd_job *job,
                                    const hd_program_text *text) {
    bool is_cuda = hd_compute_named(job->module->device) == &hd_compute_cuda;
    word_list options = {0}, names = {0};
    char path[PATH_MAX];
    const char *given = text->text;
    (is_cuda ? add_nvrtc_options : add_opencl_options)(arena, job, text, &options);
    for (uint32_t l = 0; l < job->launch_count; l++)
        add_name(arena, &names, job->launches[l].kernel_name);
    for (uint32_t l = 0; l < job->launch_count; l++)
        for (uint32_t s = 0; s < job->launches[l].kernel->static_count; s++)
            if (has_buffer(&job->launches[l], s))
                add_name(arena, &names, variable_name(arena, &job->launches[l], s));
    /* OpenCL's compilers look for "header.h" in the process's folder first where they are given a
     * text, so one that includes anything comes from its file. */
    if (!is_cuda && text->path && !hd_text_is_alone(given) && realpath(text->path, path) &&
        !strpbrk(path, "\"\\"))
        given = hd_format(arena, "#include \"%s\"\n", path);
    return (hd_compute_source){.file = text->file,
                               .text = given,
                               .options = options.data,
                               .option_count = (uint32_t)options.count,
                               .names = names.data,
                               .name_count = (uint32_t)names.count};
}

/* ---- kernels --------------------------------------------------------------------------- */

/* A variable that a buffer stands for in a launch. */
typedef struct stand_in {
    const char *name;
    hd_compute_memory variable, buffer;
    uint64_t bytes;
    bool kept; /* kernels may write it */
} stand_in;

/* What is written into a buffer between launches. */
typedef struct ready_write {
    hd_compute_memory to, from; /* from: 0 where it comes from the host */
    uint64_t first, bytes;
    const hd_held
        *held; /* of one that keeps bytes of the buffer, which are read first; else NULL */
    const hd_buffer *buffer;
    void *host;
} ready_write;

/* One launch, ready. */
struct hd_ready_launch {
    void *kernel;
    ready_write *writes; /* before it */
    uint32_t write_count;
    hd_compute_launch shape;
    hd_compute_argument *arguments;
    uint32_t argument_count;
    stand_in *stand_ins;
    uint32_t stand_in_count;
};

/* Only the scalars of a record are written; what lies between them stays. */
static bool keeps_bytes(const hd_held *held, const hd_buffer *buffer) {
    return held->field || buffer->record || buffer->scalar.lanes == 3;
}

static ready_write *describe_writes(hd_version *version, const hd_held *held, uint32_t count) {
    const hd_job *job = version->placed->job;
    ready_write *writes = hd_new_array(version->arena, ready_write, count);
    for (uint32_t i = 0; i < count; i++) {
        const hd_buffer *buffer = &job->buffers[held[i].buffer];
        ready_write *w = &writes[i];
        *w = (ready_write){.to = version->memories[held[i].buffer], .buffer = buffer};
        w->bytes = hd_held_bytes(job, &held[i], &w->first);
        if (held[i].kind == HD_HELD_COPY) {
            w->from = version->memories[held[i].from];
            continue;
        }
        w->host = hd_alloc(version->arena, w->bytes);
        if (keeps_bytes(&held[i], buffer))
            w->held = &held[i];
        else
            hd_job_apply_held(job, &held[i], w->host, NULL);
    }
    return writes;
}

/* A sampler by the number that OpenCL C has for it. */
static hd_status describe_sampler(hd_session *session, hd_version *version, const hd_arg *arg,
                                  hd_compute_argument *argument) {
    uint32_t bits;
    void **handle = hd_new(version->arena, void *);
    memcpy(&bits, arg->value, sizeof bits);
    const hd_compute_sampler sampler = {bits & KIR_SAMPLER_NORMALIZED,
                                        (bits & KIR_SAMPLER_LINEAR) != 0, (bits & 0xe) / 2};
    const char *error = session->gpu->api->make_sampler(session->gpu, &sampler, handle);
    if (error)
        return hd_session_fail(session, &arg->place, session->gpu->doing, error);
    hd_push(version->arena, &version->samplers, *handle);
    *argument = (hd_compute_argument){handle, sizeof *handle, false};
    return HD_OK;
}

/* The arguments live in the version's arena. */
static hd_status describe_launch(hd_session *session, hd_version *version, uint32_t l) {
    hd_status status = HD_OK;
    hd_ready_launch *ready = &version->launches[l];
    const hd_launch *launch = &version->placed->job->launches[l];
    ready->writes = describe_writes(version, launch->before, launch->before_count);
    ready->write_count = launch->before_count;
    const hd_launch *original = &session->job->launches[l];
    ready->shape = (hd_compute_launch){.dims = launch->dims, .shared = (uint32_t)launch->shared};
    for (uint32_t d = 0; d < 3; d++) {
        ready->shape.offset[d] = launch->offset[d];
        ready->shape.global[d] = launch->global[d];
        ready->shape.local[d] = launch->local[d];
    }
    ready->arguments = hd_new_array(version->arena, hd_compute_argument, launch->arg_count);
    ready->stand_ins = hd_new_array(version->arena, stand_in, launch->arg_count);
    for (uint32_t a = 0; a < launch->arg_count && status == HD_OK; a++) {
        const hd_arg *arg = &launch->args[a];
        hd_compute_memory *memory = &version->memories[arg->buffer];
        if (arg->is_derived) /* the image has it */
            continue;
        if (arg->param == KIR_NONE) {
            ready->stand_ins[ready->stand_in_count++] =
                (stand_in){.name = variable_name(version->arena, original, arg->variable),
                           .buffer = *memory,
                           .kept = original->kernel->statics[arg->variable].space == KIR_GLOBAL};
            continue;
        }
        if (arg->param >= ready->argument_count)
            ready->argument_count = arg->param + 1;
        ready->arguments[arg->param] =
            arg->kind == HD_ARG_LOCAL ? (hd_compute_argument){NULL, arg->local_bytes, false}
            : arg->kind == HD_ARG_BUFFER
                ? (hd_compute_argument){memory, sizeof *memory, true}
                : (hd_compute_argument){arg->value, arg->value_bytes, false};
        if (arg->is_sampler)
            status = describe_sampler(session, version, arg, &ready->arguments[arg->param]);
    }
    return status;
}

/* Kernels and variables of the program, which is loaded. */
static hd_status find_symbols(hd_session *session, hd_version *version, uint32_t l) {
    hd_compute *gpu = session->gpu;
    bool is_cuda = gpu->api == &hd_compute_cuda;
    const hd_launch *launch = &version->placed->job->launches[l];
    hd_ready_launch *ready = &version->launches[l];
    const char *error = gpu->api->get_kernel(gpu, version->program, launch->kernel_name,
                                             ready->shape.shared, &ready->kernel);
    for (uint32_t s = 0; s < ready->stand_in_count && !error; s++)
        error = gpu->api->get_variable(gpu, version->program, ready->stand_ins[s].name,
                                       &ready->stand_ins[s].variable, &ready->stand_ins[s].bytes);
    if (error)
        return hd_session_fail(
            session, &launch->place,
            hd_format(session->arena, "make ready '%s': %s", launch->kernel_name, gpu->doing),
            error);
    uint64_t items = launch->local[0] * launch->local[1] * launch->local[2];
    uint64_t most = gpu->api->most_items(gpu, ready->kernel);
    if (!most || items <= most)
        return HD_OK;
    return hd_fail(session->diag, HD_EINPUT, &launch->place,
                   "a %s of the launch of '%s' has %llu %s, but %s runs this kernel with at most "
                   "%llu; make '%s' smaller",
                   is_cuda ? "block" : "group", launch->kernel_name, (unsigned long long)items,
                   is_cuda ? "threads" : "work-items", gpu->device.name, (unsigned long long)most,
                   is_cuda ? "threads" : "local");
}

static hd_status load(hd_session *session, hd_version *version) {
    hd_compute *gpu = session->gpu;
    hd_status status = HD_OK;
    const char *error = gpu->api->load(gpu, version->program);
    if (error)
        return hd_session_fail(session, NULL, gpu->doing, error);
    for (uint32_t l = 0; l < version->placed->job->launch_count && status == HD_OK; l++)
        status = find_symbols(session, version, l);
    return status;
}

/* The place of the log's first error in the program itself, which is no header. All drivers that
 * are made of clang write "NAME:LINE:COLUMN: ...", and NVIDIA's "NAME(LINE): ...". */
static hd_place place_in_log(hd_arena *arena, const hd_program_text *text, const char *log) {
    for (const char *line = log; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        size_t length = strcspn(line, "\n");
        hd_place place = {.file = text->file};
        const char *at = line; /* ends behind the name */
        while (at < line + length &&
               !((*at == ':' && sscanf(at, ":%u:%u", &place.line, &place.column) == 2) ||
                 (*at == '(' && sscanf(at, "(%u)", &place.line) == 1)))
            at++;
        bool in_header = at - line > 2 && !strncmp(at - 2, ".h", 2);
        if (!memmem(line, length, "error", 5) || at == line + length || in_header)
            continue;
        place.text = hd_line_of(arena, text->text, place.line);
        return place;
    }
    return (hd_place){.file = text->file};
}

hd_status hd_version_build(hd_session *session, const hd_program_text *text, hd_version *version) {
    hd_compute *gpu = session->gpu;
    const hd_job *job = session->job;
    const hd_compute_source source = hd_program_source(version->arena, job, text);
    const char *error = gpu->api->build(gpu, &source, &version->program);
    for (uint32_t l = 0; l < job->launch_count; l++)
        for (uint32_t s = 0; s < job->launches[l].kernel->static_count; s++)
            version->keeps_state |= job->launches[l].kernel->statics[s].space == KIR_GLOBAL &&
                                    !has_buffer(&job->launches[l], s);
    if (!error)
        return HD_OK;
    const char *log = gpu->log ? gpu->log : "";
    const hd_place place = place_in_log(session->arena, text, log);
    size_t length = strlen(log);
    while (length && isspace((unsigned char)log[length - 1]))
        length--;
    return hd_fail(session->diag, HD_EINPUT, &place, "%s does not compile it (%s)%s%.*s",
                   session->device.name, error, length ? ":\n" : "", (int)length, log);
}

hd_status hd_version_ready(hd_session *session, hd_version *version) {
    const hd_job *job = version->placed->job;
    version->launches = hd_new_array(version->arena, hd_ready_launch, job->launch_count);
    hd_status status = HD_OK;
    for (uint32_t l = 0; l < job->launch_count && status == HD_OK; l++)
        status = describe_launch(session, version, l);
    version->last = describe_writes(version, job->last, job->last_count);
    return status ? status : load(session, version);
}

/* ---- a run ----------------------------------------------------------------------------- */

enum { BATCH = 256 };
typedef struct batch {
    hd_session *session;
    double *seconds; /* of the launches */
    hd_compute_timer timers[BATCH];
    uint32_t launches[BATCH];
    uint32_t count;
} batch;

/* Queues the launch with its copies; NULL, or the error. */
static const char *queue_launch(batch *b, uint32_t l, const hd_ready_launch *ready) {
    hd_compute *gpu = b->session->gpu;
    hd_compute_queue *queue = &b->session->queue;
    const char *error = NULL;
    for (uint32_t s = 0; s < ready->stand_in_count && !error; s++) {
        const stand_in *in = &ready->stand_ins[s];
        error = gpu->api->copy(gpu, queue, in->variable, in->buffer, in->bytes);
    }
    b->launches[b->count] = l;
    if (!error)
        error = gpu->api->launch(gpu, queue, ready->kernel, &ready->shape, ready->arguments,
                                 ready->argument_count, &b->timers[b->count++]);
    for (uint32_t s = 0; s < ready->stand_in_count && !error; s++) {
        const stand_in *in = &ready->stand_ins[s];
        if (in->kept)
            error = gpu->api->copy(gpu, queue, in->buffer, in->variable, in->bytes);
    }
    return error;
}

/* Waits for all that is queued and adds up the times; `error` is that of queueing. The first error
 * is returned: after one the timers tell nothing. */
static const char *end_batch(batch *b, const char *error) {
    hd_compute *gpu = b->session->gpu;
    if (error)
        gpu->api->settle(gpu, &b->session->queue);
    else
        error = gpu->api->finish(gpu, &b->session->queue);
    for (uint32_t i = 0; i < b->count; i++) {
        double seconds;
        if (!error && !(error = gpu->api->elapsed(gpu, &b->timers[i], &seconds)))
            b->seconds[b->launches[i]] += seconds;
        gpu->api->release_timer(gpu, &b->timers[i]);
    }
    b->count = 0;
    return error;
}

/* Queues what is written between launches; NULL, or the error. */
static const char *queue_writes(batch *b, const hd_job *job, const ready_write *writes,
                                uint32_t count) {
    hd_compute *gpu = b->session->gpu;
    hd_compute_queue *queue = &b->session->queue;
    const char *error = NULL;
    for (uint32_t i = 0; i < count && !error; i++) {
        const ready_write *w = &writes[i];
        if (w->from) {
            error = w->to == w->from ? NULL : gpu->api->copy(gpu, queue, w->to, w->from, w->bytes);
            continue;
        }
        if (w->held) {
            error = gpu->api->read(gpu, queue, w->host, w->to, w->first, w->bytes);
            error = end_batch(b, error);
            if (!error)
                hd_job_apply_held(job, w->held, w->host, NULL);
        }
        if (!error)
            error = gpu->api->write(gpu, queue, w->to, w->first, w->host, w->bytes);
    }
    return error;
}

static hd_status tell(const batch *b, const hd_launch *launch, const char *error) {
    const hd_session *session = b->session;
    return error
               ? hd_session_fail(session, &launch->place,
                                 hd_format(session->arena, "run kernel '%s'", launch->kernel_name),
                                 hd_format(session->arena, "%s (%s)", error, session->gpu->doing))
               : HD_OK;
}

/* Reads scalars of buffers between launches. */
typedef struct device_reader {
    batch *batch;
    const hd_version *version;
    const hd_launch *launch;
} device_reader;

static hd_status read_spot(void *self, const hd_spot *spot, void *bytes) {
    const device_reader *r = self;
    batch *b = r->batch;
    hd_compute *gpu = b->session->gpu;
    const char *error =
        gpu->api->read(gpu, &b->session->queue, bytes, r->version->memories[spot->buffer],
                       hd_spot_byte(r->version->placed->job, spot), spot->type.bits / 8u);
    return tell(b, r->launch, end_batch(b, error));
}

/* Queues a launch whose size or arguments are read first. */
static hd_status queue_read_launch(device_reader *r, uint32_t l) {
    const hd_ready_launch *ready = &r->version->launches[l];
    const hd_spot_reader reader = {read_spot, r};
    hd_arena *arena = hd_arena_new();
    hd_ready_launch with = *ready;
    hd_launch now;
    hd_status status = hd_launch_now(arena, r->batch->session->diag, r->launch, &reader, &now);
    if (status == HD_OK && now.global[0]) {
        with.shape.global[0] = now.global[0];
        with.arguments = hd_new_array(arena, hd_compute_argument, ready->argument_count);
        for (uint32_t a = 0; a < ready->argument_count; a++)
            with.arguments[a] = ready->arguments[a];
        for (uint32_t a = 0; a < now.arg_count; a++)
            if (r->launch->args[a].from)
                with.arguments[now.args[a].param].value = now.args[a].value;
        status = tell(r->batch, r->launch, queue_launch(r->batch, l, &with));
    }
    hd_arena_free(arena);
    return status;
}

/* Queues the launch so many times, with what comes before it. */
static hd_status queue_launches(batch *b, const hd_version *version, uint32_t l, uint64_t times,
                                bool *over) {
    const hd_job *job = version->placed->job;
    const hd_launch *launch = &job->launches[l];
    const hd_ready_launch *ready = &version->launches[l];
    device_reader reader = {b, version, launch};
    bool is_over;
    hd_status status =
        hd_launch_is_over(launch, &(hd_spot_reader){read_spot, &reader}, over, &is_over);
    if (status != HD_OK || is_over)
        return status;
    status = tell(b, launch, queue_writes(b, job, ready->writes, ready->write_count));
    for (uint64_t t = 0; t < times && status == HD_OK; t++) {
        status = hd_launch_reads(launch) ? queue_read_launch(&reader, l)
                                         : tell(b, launch, queue_launch(b, l, ready));
        if (b->count == BATCH && status == HD_OK)
            status = tell(b, launch, end_batch(b, NULL));
    }
    return status;
}

hd_status hd_version_launch(hd_session *session, hd_version *version, const uint64_t *repeats,
                            double *seconds) {
    const hd_job *job = version->placed->job;
    const hd_launch *launch = job->launches; /* the last one that was started */
    batch b = {.session = session, .seconds = seconds};
    hd_status status = version->keeps_state ? load(session, version) : HD_OK;
    memset(seconds, 0, job->launch_count * sizeof *seconds);
    if (status != HD_OK)
        return status;
    bool *over = hd_zeroed(job->until_count + 1, sizeof *over); /* of the groups with `until` */
    for (uint32_t l = 0; l < job->launch_count && status == HD_OK; l++) {
        uint64_t times = repeats ? repeats[l] : job->launches[l].repeat;
        launch = times ? &job->launches[l] : launch;
        status = queue_launches(&b, version, l, times, over);
    }
    free(over);
    if (status != HD_OK) {
        end_batch(&b, "");
        return status;
    }
    return tell(&b, launch, end_batch(&b, queue_writes(&b, job, version->last, job->last_count)));
}
