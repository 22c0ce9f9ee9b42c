#include "compiled/two_ways.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "frontend/frontend.h"
#include "machine/vm.h"

typedef struct way {
    hd_job *job;
    hd_vm *vm;
    hd_tally *counters;
    hd_sink sink;
    uint32_t runs; /* of launches, which the events number */
} way;

/* ---- nvcc ----------------------------------------------------------------------------------- */

static const char *nvcc_of(hd_arena *arena, const char *variable) {
    const char *root = getenv(variable);
    const char *path = root ? hd_format(arena, "%s/bin/nvcc", root) : NULL;
    return path && access(path, X_OK) == 0 ? path : NULL;
}

const char *find_nvcc(hd_arena *arena) {
    static const char usual[] = "/usr/local/cuda/bin/nvcc";
    const char *path = nvcc_of(arena, "CUDA_PATH");
    if (!path)
        path = nvcc_of(arena, "CUDA_HOME");
    if (path)
        return path;
    if (!system("command -v nvcc >/dev/null"))
        return "nvcc";
    return access(usual, X_OK) == 0 ? usual : NULL;
}

/* Products and sums stay apart, as the source's language has them. */
static hd_status make_ptx(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                          const char *source, const char *ptx) {
    const char *nvcc = find_nvcc(arena);
    if (!nvcc)
        return hd_fail(diag, HD_EUNSUPPORTED, NULL, "there is no nvcc; put it into PATH");
    const char *command =
        hd_format(arena, "'%s' -w -ptx -O3 -arch=compute_80 -lineinfo -fmad=false %s '%s' -o '%s'",
                  nvcc, job->options ? job->options : "", source, ptx);
    return system(command) ? hd_fail(diag, HD_EINPUT, NULL, "nvcc does not compile %s", source)
                           : HD_OK;
}

/* ---- the job with nvcc's kernels -------------------------------------------------------------- */

static const kir_kernel *same_kernel(const kir_module *module, const char *name) {
    const kir_kernel *found = kir_find_kernel(module, name);
    const size_t length = strcspn(name, "<");
    for (uint32_t k = 0; k < module->kernel_count && !found; k++)
        if (!strncmp(module->kernels[k]->name, name, length) && !module->kernels[k]->name[length])
            found = module->kernels[k];
    return found;
}

static uint32_t same_variable(const kir_kernel *kernel, const kir_kernel *other, uint32_t v) {
    for (uint32_t i = 0; i < kernel->static_count; i++)
        if (!strcmp(kernel->statics[i].name, other->statics[v].name))
            return i;
    return KIR_NONE;
}

static void take_args(hd_arena *arena, hd_launch *launch, const hd_launch *from) {
    uint32_t kept = 0;
    launch->args = hd_new_array(arena, hd_arg, from->arg_count);
    for (uint32_t a = 0; a < from->arg_count; a++) {
        hd_arg arg = from->args[a];
        if (arg.param == KIR_NONE)
            arg.variable = same_variable(launch->kernel, from->kernel, arg.variable);
        if (arg.param != KIR_NONE || arg.variable != KIR_NONE)
            launch->args[kept++] = arg;
    }
    launch->arg_count = kept;
}

static hd_status with_module(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                             const kir_module *module, hd_job **other) {
    *other = hd_new(arena, hd_job);
    **other = *job;
    (*other)->module = module;
    (*other)->launches = hd_new_array(arena, hd_launch, job->launch_count);
    for (uint32_t l = 0; l < job->launch_count; l++) {
        hd_launch *launch = &(*other)->launches[l];
        *launch = job->launches[l];
        launch->kernel = same_kernel(module, launch->kernel->name);
        if (!launch->kernel)
            return hd_fail(diag, HD_EINPUT, NULL, "the PTX has no kernel %s",
                           job->launches[l].kernel->name);
        take_args(arena, launch, &job->launches[l]);
    }
    return HD_OK;
}

/* ---- what both leave ------------------------------------------------------------------------ */

static bool is_close(double a, double b, const hd_job *job) {
    return a == b || (isnan(a) && isnan(b)) ||
           fabs(a - b) <= job->absolute + job->relative * fabs(a);
}

/* The word of `size` bytes that byte `at` is in, of both. */
static bool words_are_close(const uint8_t *x, const uint8_t *y, uint64_t at, uint64_t bytes,
                            size_t size, const hd_job *job) {
    const uint64_t word = at / size * size;
    if (word + size > bytes)
        return false;
    if (size == sizeof(float)) {
        float p, q;
        memcpy(&p, x + word, sizeof p);
        memcpy(&q, y + word, sizeof q);
        return is_close((double)p, (double)q, job);
    }
    double p, q;
    memcpy(&p, x + word, sizeof p);
    memcpy(&q, y + word, sizeof q);
    return is_close(p, q, job);
}

/* Bit for bit, or as numbers within the job's tolerance. NULL: no difference. */
static const char *find_difference(hd_arena *arena, const way ways[WAYS]) {
    const hd_job *job = ways[WAY_SOURCE].job;
    for (uint32_t i = 0; i < job->buffer_count; i++) {
        const hd_buffer *buffer = &job->buffers[i];
        const uint64_t bytes = buffer->count * buffer->element_bytes;
        const uint8_t *x = hd_vm_contents(ways[WAY_SOURCE].vm, i);
        const uint8_t *y = hd_vm_contents(ways[WAY_NVCC].vm, i);
        for (uint64_t at = 0; at < bytes; at++)
            if (x[at] != y[at] && !words_are_close(x, y, at, bytes, sizeof(float), job) &&
                !words_are_close(x, y, at, bytes, sizeof(double), job))
                return hd_format(arena, "byte %llu of %s is %02x, nvcc's %02x",
                                 (unsigned long long)at, buffer->name, x[at], y[at]);
    }
    return NULL;
}

/* ---- running ----------------------------------------------------------------------------------- */

static hd_status open_way(hd_arena *arena, const hd_diag *diag, const hd_device *device, way *w) {
    const hd_vm_options options = {.workers = 1};
    w->counters = hd_counters_new(arena, device);
    w->sink = hd_tally_sink(w->counters);
    return hd_vm_open(arena, diag, w->job, NULL, &options, &w->vm);
}

static hd_status run_way(way *w, uint32_t launch, hd_coalesce_counts *sum) {
    hd_launch_counts counts = {0};
    hd_status status = hd_vm_run(w->vm, launch, &w->sink, NULL);
    hd_counters_add(w->counters, w->runs++, &counts);
    hd_coalesce_add(sum, &counts.moved);
    return status;
}

static two_ways_kernel *kernel_of(hd_arena *arena, const char *file, const char *name,
                                  two_ways_kernels *kernels) {
    for (size_t k = 0; k < kernels->count; k++)
        if (!strcmp(kernels->data[k].file, file) && !strcmp(kernels->data[k].kernel, name))
            return &kernels->data[k];
    hd_push(arena, kernels, (two_ways_kernel){.file = file, .kernel = name});
    return &kernels->data[kernels->count - 1];
}

static hd_status run_both(hd_arena *arena, const char *name, way ways[WAYS],
                          two_ways_kernels *kernels) {
    const hd_job *job = ways[WAY_SOURCE].job;
    hd_status status = HD_OK;
    for (uint32_t l = 0; l < job->launch_count && !status; l++) {
        two_ways_kernel *k = kernel_of(arena, name, job->launches[l].kernel->name, kernels);
        for (uint64_t r = 0; r < job->launches[l].repeat && !status; r++) {
            for (int w = 0; w < WAYS && !status; w++)
                status = run_way(&ways[w], l, &k->counts[w]);
            if (!status && !k->difference)
                k->difference = find_difference(arena, ways);
        }
    }
    return status;
}

hd_status two_ways(hd_arena *arena, const hd_diag *diag, const char *name, const char *job,
                   const char *source, const char *ptx, const hd_device *device,
                   two_ways_kernels *kernels) {
    way ways[WAYS] = {0};
    kir_module *modules[WAYS];
    hd_job *read;
    hd_status status = hd_job_read(arena, diag, job, &read);
    if (status)
        return status;
    read->kernel_path = source;
    if ((status = hd_frontend_of(arena, diag, source, read->options, KIR_FOR_NVIDIA, NULL,
                                 &modules[WAY_SOURCE])))
        return status;
    if (!read->launches[0].in_blocks) /* jobs of the examples are in work-items */
        modules[WAY_SOURCE]->rules &= ~KIR_RULE(BLOCKS);
    if ((status = hd_job_resolve(arena, diag, read, modules[WAY_SOURCE])) ||
        (status = make_ptx(arena, diag, read, source, ptx)) ||
        (status = hd_frontend(arena, diag, ptx, NULL, &modules[WAY_NVCC])) ||
        (status = with_module(arena, diag, read, modules[WAY_NVCC], &ways[WAY_NVCC].job)))
        return status;
    ways[WAY_SOURCE].job = read;
    for (int w = 0; w < WAYS && !status; w++)
        status = open_way(arena, diag, device, &ways[w]);
    if (!status)
        status = run_both(arena, name, ways, kernels);
    for (int w = 0; w < WAYS; w++) {
        hd_vm_close(ways[w].vm);
        if (ways[w].counters)
            hd_tally_free(ways[w].counters);
    }
    return status;
}
