/*
 * The kernels of a training.
 *
 *     typedef struct cell { uint f0; uint f1; uint f2; } cell;
 *
 *     __kernel void train(__global const cell *cells, int length, __global uint *sums) {
 *         int id = get_global_id(0);
 *         uint sum = 0;
 *         for (int i = 0; i < length; i++) {
 *             uint value = cells[id + i].f0;
 *             value ^= cells[id + i].f1;
 *             value += cells[id + i].f2;
 *             sum += value;
 *         }
 *         sums[id] = sum;
 *     }
 *
 * It is the loop of the paper's figure 2. All fields of a cell are read in each iteration, so
 * between the uses of any two there is at most one iteration's worth of bytes: one cluster.
 * Neighbouring work-items read neighbouring cells at the same time, and each cell is read by
 * many, at different times.
 *
 * Integers, since on a processor a chain of floating-point additions takes longer than the loads
 * that are to be timed. By turns xor and add, since a compiler may sum integers in any order, and
 * would sum those of AoS like one array.
 */
#include "advise/measure/train.h"

#include "frontend/frontend.h"

const hd_training_shape hd_training_shapes[] = {
    {"ushort", "uint", 2, 4},   {"uint", "uint", 2, 8},    {"uint", "uint", 3, 12},
    {"uint", "uint", 4, 16},    {"uint", "uint", 5, 20},   {"uint", "uint", 6, 24},
    {"uint", "uint", 7, 28},    {"uint", "uint", 8, 32},   {"uint4", "uint4", 2, 32},
    {"uint", "uint", 10, 40},   {"uint", "uint", 12, 48},  {"uint", "uint", 14, 56},
    {"uint", "uint", 16, 64},   {"uint4", "uint4", 4, 64}, {"uint", "uint", 20, 80},
    {"uint", "uint", 24, 96},   {"uint", "uint", 28, 112}, {"uint", "uint", 32, 128},
    {"uint4", "uint4", 8, 128}, {NULL, NULL, 0, 0}};

const uint32_t hd_training_lengths[] = {128, 256, 512, 1024, 2048, 4096, 8192, 16384, 0};

const char *hd_training_source(hd_arena *arena, const hd_training_shape *shape,
                               const char *backend) {
    hd_str s = {.arena = arena};
    bool is_cuda = !strcmp(backend, "cuda");
    bool by_lanes = is_cuda && !strcmp(shape->sum, "uint4"); /* CUDA C has no operators of them */
    const char *type = !is_cuda || by_lanes             ? shape->type
                       : !strcmp(shape->type, "ushort") ? "unsigned short"
                                                        : "unsigned int";
    const char *sum = !is_cuda || by_lanes ? shape->sum : "unsigned int";
    hd_str_add(&s, is_cuda ? "struct cell {\n" : "typedef struct cell {\n");
    for (uint32_t f = 0; f < shape->fields; f++)
        hd_str_printf(&s, "    %s f%u;\n", type, f);
    if (is_cuda)
        hd_str_printf(
            &s,
            "};\n\n"
            "extern \"C\" __global__ void train(const cell *cells, int length, %s *sums) {\n"
            "    int id = blockIdx.x * blockDim.x + threadIdx.x;\n",
            sum);
    else
        hd_str_printf(&s,
                      "} cell;\n\n"
                      "__kernel void train(__global const cell *cells, int length,\n"
                      "                    __global %s *sums) {\n"
                      "    int id = get_global_id(0);\n",
                      sum);
    hd_str_printf(&s,
                  "    %s sum = %s;\n"
                  "    for (int i = 0; i < length; i++) {\n"
                  "        %s value = cells[id + i].f0%s;\n",
                  sum, by_lanes ? "make_uint4(0, 0, 0, 0)" : "0", sum, by_lanes ? ", other" : "");
    for (uint32_t f = 1; f < shape->fields; f++) {
        const char *operation = f % 2 ? "^" : "+";
        if (by_lanes)
            hd_str_printf(&s, "        other = cells[id + i].f%u;\n", f);
        else
            hd_str_printf(&s, "        value %s= cells[id + i].f%u;\n", operation, f);
        for (const char *lane = "xyzw"; by_lanes && *lane; lane++)
            hd_str_printf(&s, "        value.%c %s= other.%c;\n", *lane, operation, *lane);
    }
    for (const char *lane = "xyzw"; by_lanes && *lane; lane++)
        hd_str_printf(&s, "        sum.%c += value.%c;\n", *lane, *lane);
    hd_str_printf(&s, "%s    }\n    sums[id] = sum;\n}\n",
                  by_lanes ? "" : "        sum += value;\n");
    return hd_str_text(&s);
}

const char *hd_training_hash(hd_arena *arena, const hd_training_shape *shape, const char *backend,
                             uint32_t length) {
    const char *const texts[] = {"training", hd_training_source(arena, shape, backend),
                                 hd_format(arena, "%u", length)};
    return hd_hash_texts(arena, texts, 3);
}

/* ---- the job ------------------------------------------------------------------ */

/* Work-items read cells from their number on, the last ones `longest` behind it. */
static const char *job_text(hd_arena *arena, const hd_training_shape *shape, bool is_cuda,
                            const uint32_t *lengths, uint32_t length_count, uint32_t groups) {
    uint64_t items = (uint64_t)groups * HD_TRAINING_GROUP, longest = 0;
    hd_str s = {.arena = arena};
    for (uint32_t l = 0; l < length_count; l++)
        longest = lengths[l] > longest ? lengths[l] : longest;
    /* Heddle's own headers are read faster than a toolkit's */
    hd_str_printf(&s,
                  "kernel: train.%s\nrecord: cell\nbuffers:\n"
                  "  - name: cells\n    type: cell\n    count: %llu\n"
                  "    init: [{generator: modulo, high: 7, low: 1}]\n"
                  "  - {name: sums, type: %s, count: %llu}\nlaunches:\n",
                  is_cuda ? "cu\noptions: --cuda-path=" : "cl",
                  (unsigned long long)(items + longest), shape->sum, (unsigned long long)items);
    for (uint32_t l = 0; l < length_count; l++)
        hd_str_printf(&s,
                      "  - kernel: train\n    %s: [%llu]\n    %s: [%d]\n"
                      "    args:\n"
                      "      - {name: cells, buffer: cells}\n"
                      "      - {name: length, value: %u}\n"
                      "      - {name: sums, buffer: sums}\n",
                      is_cuda ? "blocks" : "global", (unsigned long long)(is_cuda ? groups : items),
                      is_cuda ? "threads" : "local", HD_TRAINING_GROUP, lengths[l]);
    return hd_str_text(&s);
}

hd_status hd_training_load(hd_arena *arena, const hd_diag *diag, const char *folder,
                           const hd_training_shape *shape, const char *backend,
                           const uint32_t *lengths, uint32_t length_count, uint32_t groups,
                           hd_job **job) {
    bool is_cuda = !strcmp(backend, "cuda");
    const char *path = hd_format(arena, "%s/train.%s", folder, is_cuda ? "cu" : "cl");
    const char *job_path = hd_format(arena, "%s/train.yaml", folder);
    const char *source = hd_training_source(arena, shape, backend);
    const char *text = job_text(arena, shape, is_cuda, lengths, length_count, groups);
    kir_module *module;
    hd_status status = hd_write_file(diag, path, source, strlen(source));
    if (status == HD_OK)
        status = hd_write_file(diag, job_path, text, strlen(text));
    if (status == HD_OK)
        status = hd_job_read(arena, diag, job_path, job);
    if (status == HD_OK)
        status = hd_frontend_of(arena, diag, path, (*job)->options, KIR_AS_WRITTEN, NULL, &module);
    if (status == HD_OK)
        status = hd_job_resolve(arena, diag, *job, module);
    if (status == HD_OK) /* for messages: the file is gone by then */
        (*job)->path =
            hd_format(arena, "training kernel with %u fields of %s", shape->fields, shape->type);
    return status;
}
