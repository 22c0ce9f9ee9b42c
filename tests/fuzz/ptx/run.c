/* A folder of kernels: source, PTX and jobs; and what the machine leaves of each. */
#include <stdlib.h>

#include "frontend/frontend.h"
#include "fuzz/ptx/ptx.h"
#include "advise/measure/measure.h"
#include "machine/vm.h"

static const char prelude[] =
    "static __device__ __forceinline__ float clean_f(float x) { return x != x ? 0.5f : x; }\n"
    "static __device__ __forceinline__ double clean_d(double x) { return x != x ? 0.5 : x; }\n"
    "static __device__ __forceinline__ int in_range_f(float x) {\n"
    "    return x > 100.0f ? 100 : x > 0.0f ? (int)x : 0;\n}\n"
    "static __device__ __forceinline__ int in_range_d(double x) {\n"
    "    return x > 100.0 ? 100 : x > 0.0 ? (int)x : 0;\n}\n";

/* Names of the parameters, and the buffers of all kernels of the file; out_K is kernel K's own. */
static const struct buffer {
    const char *name, *type, *init;
} buffers[] = {{"acc", "uint", "{generator: constant, low: 7}"},
               {"a", "int", "{generator: uniform, low: -1000, high: 1000, seed: 1}"},
               {"b", "float", "{generator: uniform, low: -8, high: 8, seed: 2}"},
               {"c", "double", "{generator: uniform, low: -8, high: 8, seed: 3}"},
               {"d", "uchar", "{generator: uniform, low: 0, high: 255, seed: 4}"},
               {"e", "long", "{generator: uniform, low: -1e15, high: 1e15, seed: 5}"},
               {"f", "short", "{generator: uniform, low: -30000, high: 30000, seed: 6}"}};
enum { BUFFERS = sizeof buffers / sizeof *buffers, LENGTH = 64, COUNTERS = 8 };

/* How a file is read: by which name, and what it calls a parameter. */
static const char *const files[] = {"kernels.cu", "optimised.ptx", "plain.ptx"};
enum { FILES = sizeof files / sizeof *files };

static const char *param(hd_arena *arena, uint32_t file, uint32_t p, const char *name) {
    return file ? hd_format(arena, "param_%u", p) : name;
}

static const char *job_text(hd_arena *arena, uint32_t file, kernel *const *kernels,
                            uint32_t count) {
    hd_str job = {.arena = arena};
    hd_str_printf(&job, "kernel: %s\n%sbuffers:\n", files[file],
                  file ? "" : "options: -w -ffp-contract=off\n");
    for (uint32_t k = 0; k < count; k++)
        hd_str_printf(&job, "  - {name: out_%u, type: ulong, count: %u}\n", k,
                      kernels[k]->threads * kernels[k]->blocks);
    for (uint32_t b = 0; b < BUFFERS; b++)
        hd_str_printf(&job, "  - {name: %s, type: %s, count: %u, init: [%s]}\n", buffers[b].name,
                      buffers[b].type, b ? LENGTH : COUNTERS * count, buffers[b].init);
    hd_str_add(&job, "launches:\n");
    for (uint32_t k = 0; k < count; k++) {
        hd_str_printf(&job,
                      "  - kernel: k_%u\n    blocks: [%u]\n    threads: [%u]\n    args:\n"
                      "      - {name: %s, buffer: out_%u}\n",
                      k, kernels[k]->blocks, kernels[k]->threads, param(arena, file, 0, "out"), k);
        for (uint32_t b = 0; b < BUFFERS; b++)
            hd_str_printf(&job, "      - {name: %s, buffer: %s}\n",
                          param(arena, file, b + 1, buffers[b].name), buffers[b].name);
        hd_str_printf(&job, "      - {name: %s, value: 64}\n      - {name: %s, value: 1.5}\n",
                      param(arena, file, BUFFERS + 1, "n"), param(arena, file, BUFFERS + 2, "x"));
    }
    return hd_str_text(&job);
}

bool write_kernels(hd_arena *arena, const char *folder, kernel *const *kernels, uint32_t count,
                   hd_str *told) {
    hd_str source = {.arena = arena};
    hd_str_add(&source, prelude);
    for (uint32_t k = 0; k < count; k++) {
        hd_str_printf(&source, "\n/* seed %lu */\n", (unsigned long)kernels[k]->seed);
        fuzz_print(&source, kernels[k]->source);
    }
    hd_output outputs[1 + FILES] = {
        {hd_format(arena, "%s/kernels.cu", folder), source.data, source.length}};
    for (uint32_t f = 0; f < FILES; f++) {
        const char *text = job_text(arena, f, kernels, count);
        outputs[1 + f] =
            (hd_output){hd_format(arena, "%s/job%u.yaml", folder, f), text, strlen(text)};
    }
    if (hd_write_files(NULL, outputs, 1 + FILES))
        abort();
    const char *command = hd_format(
        arena,
        "cd '%s' && nvcc -w -arch=sm_80 -fmad=false -ptx -o optimised.ptx kernels.cu >log 2>&1 && "
        "nvcc -w -arch=sm_80 -fmad=false -Xcicc -O0 -ptx -o plain.ptx kernels.cu >log 2>&1",
        folder);
    if (!system(command))
        return true;
    char *log;
    size_t length;
    if (!hd_read_file(arena, NULL, hd_format(arena, "%s/log", folder), &log, &length))
        hd_str_printf(told, "  %.600s\n", log);
    return false;
}

/* ---- on the machine ------------------------------------------------------------------------- */

static void tell(const hd_message *m, void *user) {
    if (m->severity == HD_ERROR)
        hd_str_printf(user, "  %s:%u: %s\n", m->place.file ? m->place.file : "-", m->place.line,
                      m->text);
}

typedef struct outcome {
    hd_job *job;
    void **buffers;
} outcome;

static hd_status run_job(hd_arena *arena, const hd_diag *diag, const char *path, outcome *out) {
    kir_module *module;
    hd_vm *vm;
    hd_vm_options options = {.workers = 1, .max_instructions = 100000000};
    hd_status status = hd_job_read(arena, diag, path, &out->job);
    if (!status)
        status = hd_frontend(arena, diag, out->job->kernel_path, out->job->options, &module);
    if (!status)
        status = hd_job_resolve(arena, diag, out->job, module);
    if (!status)
        status = hd_vm_open(arena, diag, out->job, NULL, &options, &vm);
    if (status)
        return status;
    out->buffers = hd_new_array(arena, void *, out->job->buffer_count);
    for (uint32_t l = 0; l < out->job->launch_count && !status; l++)
        status = hd_vm_run(vm, l, NULL, NULL);
    for (uint32_t b = 0; b < out->job->buffer_count; b++) {
        size_t bytes = out->job->buffers[b].count * out->job->buffers[b].element_bytes;
        out->buffers[b] = hd_alloc(arena, bytes);
        memcpy(out->buffers[b], hd_vm_contents(vm, b), bytes);
    }
    hd_vm_close(vm);
    return status;
}

/* What kernel `k` of `count` has left. */
static bool same(const outcome *a, const outcome *b, uint32_t k, uint32_t count, hd_str *told,
                 const char *file) {
    const hd_buffer *out = &a->job->buffers[k];
    const uint64_t *one = a->buffers[k], *other = b->buffers[k];
    for (uint64_t i = 0; i < out->count; i++)
        if (one[i] != other[i]) {
            hd_str_printf(told, "  thread %lu leaves %lx, from %s %lx\n", (unsigned long)i,
                          (unsigned long)one[i], file, (unsigned long)other[i]);
            return false;
        }
    const uint32_t *counted = a->buffers[count], *others = b->buffers[count];
    for (uint32_t i = k * COUNTERS; i < (k + 1) * COUNTERS; i++)
        if (counted[i] != others[i]) {
            hd_str_printf(told, "  acc[%u] is %x, from %s %x\n", i, counted[i], file, others[i]);
            return false;
        }
    return true;
}

void compare_kernels(const char *folder, uint32_t count, verdict *verdicts, hd_str *told) {
    hd_arena *arena = hd_arena_new();
    outcome outcomes[FILES];
    const hd_diag diag = {tell, told};
    hd_status status = HD_OK;
    for (uint32_t f = 0; f < FILES && !status; f++)
        status = run_job(arena, &diag, hd_format(arena, "%s/job%u.yaml", folder, f), &outcomes[f]);
    for (uint32_t k = 0; k < count; k++) {
        verdicts[k] = status ? NOT_RUN : SAME;
        for (uint32_t f = 1; f < FILES && !status; f++)
            if (!same(&outcomes[0], &outcomes[f], k, count, told, files[f]))
                verdicts[k] = DIFFERENT;
    }
    hd_arena_free(arena);
}
