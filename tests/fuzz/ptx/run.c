/* A folder of kernels: source, PTX and jobs; and what the machine leaves of each. */
#include <stdlib.h>
#include <unistd.h>

#include "frontend/frontend.h"
#include "fuzz/ptx/ptx.h"
#include "advise/measure/measure.h"
#include "machine/vm.h"

static const char prelude[] =
    "#include <cuda_fp16.h>\n"
#include "twins.inc"
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
enum {
    BUFFERS = sizeof buffers / sizeof *buffers,
    LENGTH = 64,
    COUNTERS = 8,
    ELEMENT = 256 /* bytes of a record, at most */
};

/* The ways that a kernel comes, the first of which the others are compared with. */
static const struct way {
    const char *file;
    kir_form form;
    const char *nvcc; /* what makes it, of PTX, whose parameters have no names; NULL: the source */
} ways[] = {
#if FUZZ_COMPILED
    {"kernels.cu", KIR_FOR_NVIDIA, NULL},
#endif
    {"kernels.cu", KIR_AS_WRITTEN, NULL},
    {"optimised.ptx", KIR_AS_WRITTEN, "-O3"},
#if !FUZZ_COMPILED
    {"plain.ptx", KIR_AS_WRITTEN, "-Xcicc -O0"},
#endif
};
enum { WAYS = sizeof ways / sizeof *ways };

static const char *param(hd_arena *arena, uint32_t way, uint32_t p, const char *name) {
    return ways[way].nvcc ? hd_format(arena, "param_%u", p) : name;
}

/* Kernel k of the file between the two that fill q and sum r up. */
static void add_launches(hd_str *job, uint32_t way, const kernel *one, uint32_t k) {
    hd_arena *arena = job->arena;
    hd_str_printf(job,
                  "  - {kernel: fill_%u, blocks: [1], threads: [%u], args: [{name: %s, buffer: "
                  "q_%u}]}\n"
                  "  - kernel: k_%u\n    blocks: [%u]\n    threads: [%u]\n    args:\n"
                  "      - {name: %s, buffer: out_%u}\n",
                  k, (uint32_t)RECORDS, param(arena, way, 0, "q"), k, k, one->blocks, one->threads,
                  param(arena, way, 0, "out"), k);
    for (uint32_t b = 0; b < BUFFERS; b++)
        hd_str_printf(job, "      - {name: %s, buffer: %s}\n",
                      param(arena, way, b + 1, buffers[b].name), buffers[b].name);
    hd_str_printf(job,
                  "      - {name: %s, value: 64}\n      - {name: %s, value: 1.5}\n"
                  "      - {name: %s, buffer: q_%u}\n      - {name: %s, buffer: r_%u}\n",
                  param(arena, way, BUFFERS + 1, "n"), param(arena, way, BUFFERS + 2, "x"),
                  param(arena, way, BUFFERS + 3, "q"), k, param(arena, way, BUFFERS + 4, "r"), k);
    hd_str_printf(job,
                  "  - {kernel: sum_%u, blocks: [%u], threads: [%u], args: [{name: %s, buffer: "
                  "r_%u}, {name: %s, buffer: out_%u}]}\n",
                  k, one->blocks, one->threads, param(arena, way, 0, "r"), k,
                  param(arena, way, 1, "out"), k);
}

/* Of PTX, which knows no records, words with room for as many. */
static void add_records(hd_str *job, uint32_t way, const char *name, uint32_t k, uint32_t count) {
    if (ways[way].nvcc)
        hd_str_printf(job, "  - {name: %s_%u, type: ulong, count: %u}\n", name, k,
                      count * ELEMENT / 8);
    else
        hd_str_printf(job, "  - {name: %s_%u, type: R%u, count: %u}\n", name, k, k, count);
}

static const char *job_text(hd_arena *arena, uint32_t way, kernel *const *kernels, uint32_t count) {
    hd_str job = {.arena = arena};
    hd_str_printf(&job, "kernel: %s\n%sbuffers:\n", ways[way].file,
                  ways[way].nvcc ? "" : "options: -w -ffp-contract=off -DPLAIN\n");
    for (uint32_t k = 0; k < count; k++)
        hd_str_printf(&job, "  - {name: out_%u, type: ulong, count: %u}\n", k,
                      kernels[k]->threads * kernels[k]->blocks);
    for (uint32_t b = 0; b < BUFFERS; b++)
        hd_str_printf(&job, "  - {name: %s, type: %s, count: %u, init: [%s]}\n", buffers[b].name,
                      buffers[b].type, b ? LENGTH : COUNTERS * count, buffers[b].init);
    for (uint32_t k = 0; k < count; k++) {
        add_records(&job, way, "q", k, RECORDS);
        add_records(&job, way, "r", k, kernels[k]->threads * kernels[k]->blocks);
    }
    hd_str_add(&job, "launches:\n");
    for (uint32_t k = 0; k < count; k++)
        add_launches(&job, way, kernels[k], k);
    return hd_str_text(&job);
}

static bool has_nvcc(void) { return !FUZZ_COMPILED || !system("command -v nvcc >/dev/null"); }

bool write_kernels(hd_arena *arena, const char *folder, kernel *const *kernels, uint32_t count,
                   hd_str *told) {
    hd_str source = {.arena = arena};
    hd_str_add(&source, prelude);
    for (uint32_t k = 0; k < count; k++) {
        hd_str_printf(&source, "\n/* seed %lu */\n", (unsigned long)kernels[k]->seed);
        fuzz_print(&source, kernels[k]->source);
    }
    hd_output outputs[1 + WAYS] = {
        {hd_format(arena, "%s/kernels.cu", folder), source.data, source.length}};
    for (uint32_t f = 0; f < WAYS; f++) {
        const char *text = job_text(arena, f, kernels, count);
        outputs[1 + f] =
            (hd_output){hd_format(arena, "%s/job%u.yaml", folder, f), text, strlen(text)};
    }
    if (hd_write_files(NULL, outputs, 1 + WAYS))
        abort();
    hd_str command = {.arena = arena};
    hd_str_printf(&command, "cd '%s'", folder);
    for (uint32_t f = 0; f < WAYS && has_nvcc(); f++)
        if (ways[f].nvcc)
            hd_str_printf(&command,
                          " && nvcc -w -arch=sm_90a -fmad=false %s -ptx -o %s kernels.cu >log 2>&1",
                          ways[f].nvcc, ways[f].file);
    if (!system(hd_str_text(&command)))
        return true;
    char *log;
    size_t length;
    if (!hd_read_file(arena, NULL, hd_format(arena, "%s/log", folder), &log, &length))
        hd_str_printf(told, "  %.600s\n", log);
    return false;
}

/* ---- on the machine ------------------------------------------------------------------------- */

static void tell(const hd_message *m, void *user) {
    if (m->severity <= HD_WARNING) /* also what makes a kernel be left out */
        hd_str_printf(user, "  %s:%u: %s\n", m->place.file ? m->place.file : "-", m->place.line,
                      m->text);
}

typedef struct outcome {
    hd_job *job;
    void **buffers;
} outcome;

static hd_status run_job(hd_arena *arena, const hd_diag *diag, const char *path, kir_form form,
                         outcome *out) {
    kir_module *module;
    hd_vm *vm;
    hd_vm_options options = {.workers = 1, .max_instructions = 100000000};
    hd_status status = hd_job_read(arena, diag, path, &out->job);
    if (!status)
        status = hd_frontend_of(arena, diag, out->job->kernel_path, out->job->options, form, NULL,
                                &module);
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

/* Of nvcc's code there is none without nvcc. */
static bool is_there(hd_arena *arena, const char *folder, const char *file) {
    return access(hd_format(arena, "%s/%s", folder, file), R_OK) == 0;
}

void compare_kernels(const char *folder, uint32_t count, verdict *verdicts, hd_str *told) {
    hd_arena *arena = hd_arena_new();
    outcome outcomes[WAYS] = {0};
    const hd_diag diag = {tell, told};
    hd_status status = HD_OK;
    for (uint32_t w = 0; w < WAYS && !status; w++)
        if (is_there(arena, folder, ways[w].file))
            status = run_job(arena, &diag, hd_format(arena, "%s/job%u.yaml", folder, w),
                             ways[w].form, &outcomes[w]);
    for (uint32_t k = 0; k < count; k++) {
        verdicts[k] = status ? NOT_RUN : SAME;
        for (uint32_t w = 1; w < WAYS && !status; w++)
            if (outcomes[w].job &&
                !same(&outcomes[0], &outcomes[w], k, count, told, hd_format(arena, "job%u", w)))
                verdicts[k] = DIFFERENT;
    }
    hd_arena_free(arena);
}
