#include "compiled/two_ways.h"

#include <math.h>
#include <stdlib.h>

#include "advise/nvcc_job.h"
#include "frontend/frontend.h"
#include "machine/vm.h"

typedef struct way {
    hd_job *job;
    hd_vm *vm;
    hd_tally *counters;
    hd_sink sink;
    uint32_t runs; /* of launches, which the events number */
} way;

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
    kir_module *module;
    hd_job *read;
    hd_status status = hd_job_read(arena, diag, job, &read);
    if (status)
        return status;
    read->kernel_path = source;
    if ((status =
             hd_frontend_of(arena, diag, source, read->options, KIR_FOR_NVIDIA, NULL, &module)))
        return status;
    if (!read->launches[0].in_blocks) /* jobs of the examples are in work-items */
        module->rules &= ~KIR_RULE(BLOCKS);
    if ((status = hd_job_resolve(arena, diag, read, module)) ||
        (status = hd_nvcc_job(arena, diag, read, source, read->options, ptx, &ways[WAY_NVCC].job)))
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
