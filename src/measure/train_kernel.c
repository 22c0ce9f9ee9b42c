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
#include "measure/train.h"

const hd_training_shape hd_training_shapes[] = {
    {"ushort", "uint", 2, 4},   {"uint", "uint", 2, 8},    {"uint", "uint", 3, 12},
    {"uint", "uint", 4, 16},    {"uint", "uint", 5, 20},   {"uint", "uint", 6, 24},
    {"uint", "uint", 7, 28},    {"uint", "uint", 8, 32},   {"uint4", "uint4", 2, 32},
    {"uint", "uint", 10, 40},   {"uint", "uint", 12, 48},  {"uint", "uint", 14, 56},
    {"uint", "uint", 16, 64},   {"uint4", "uint4", 4, 64}, {"uint", "uint", 20, 80},
    {"uint", "uint", 24, 96},   {"uint", "uint", 28, 112}, {"uint", "uint", 32, 128},
    {"uint4", "uint4", 8, 128}, {NULL, NULL, 0, 0}};

const uint32_t hd_training_lengths[] = {128, 256, 512, 1024, 2048, 4096, 8192, 16384, 0};

static const char *cuda_source(hd_arena *arena, const hd_training_shape *shape) {
    hd_str s = {.arena = arena};
    bool is_vector = !strcmp(shape->sum, "uint4");
    const char *type = !strcmp(shape->type, "ushort") ? "unsigned short"
                       : is_vector                    ? "uint4"
                                                      : "unsigned int";
    const char *sum = is_vector ? "uint4" : "unsigned int";
    hd_str_add(&s, "struct cell {\n");
    for (uint32_t f = 0; f < shape->fields; f++)
        hd_str_printf(&s, "    %s f%u;\n", type, f);
    hd_str_printf(&s,
                  "};\n\n"
                  "extern \"C\" __global__ void train(const cell *cells, int length, %s *sums) {\n"
                  "    int id = blockIdx.x * blockDim.x + threadIdx.x;\n"
                  "    %s sum = %s;\n"
                  "    for (int i = 0; i < length; i++) {\n"
                  "        %s value = cells[id + i].f0%s;\n",
                  sum, sum, is_vector ? "make_uint4(0, 0, 0, 0)" : "0", sum,
                  is_vector ? ", other" : "");
    for (uint32_t f = 1; f < shape->fields; f++)
        if (is_vector) { /* in CUDA C one has no operators */
            hd_str_printf(&s, "        other = cells[id + i].f%u;\n", f);
            for (const char *lane = "xyzw"; *lane; lane++)
                hd_str_printf(&s, "        value.%c %s= other.%c;\n", *lane, f % 2 ? "^" : "+",
                              *lane);
        } else {
            hd_str_printf(&s, "        value %s= cells[id + i].f%u;\n", f % 2 ? "^" : "+", f);
        }
    for (const char *lane = "xyzw"; is_vector && *lane; lane++)
        hd_str_printf(&s, "        sum.%c += value.%c;\n", *lane, *lane);
    hd_str_printf(&s, "%s    }\n    sums[id] = sum;\n}\n",
                  is_vector ? "" : "        sum += value;\n");
    return hd_str_text(&s);
}

static const char *opencl_source(hd_arena *arena, const hd_training_shape *shape) {
    hd_str s = {.arena = arena};
    hd_str_add(&s, "typedef struct cell {\n");
    for (uint32_t f = 0; f < shape->fields; f++)
        hd_str_printf(&s, "    %s f%u;\n", shape->type, f);
    hd_str_printf(&s,
                  "} cell;\n\n"
                  "__kernel void train(__global const cell *cells, int length,\n"
                  "                    __global %s *sums) {\n"
                  "    int id = get_global_id(0);\n"
                  "    %s sum = 0;\n"
                  "    for (int i = 0; i < length; i++) {\n"
                  "        %s value = cells[id + i].f0;\n",
                  shape->sum, shape->sum, shape->sum);
    for (uint32_t f = 1; f < shape->fields; f++)
        hd_str_printf(&s, "        value %s= cells[id + i].f%u;\n", f % 2 ? "^" : "+", f);
    hd_str_add(&s, "        sum += value;\n    }\n    sums[id] = sum;\n}\n");
    return hd_str_text(&s);
}

const char *hd_training_source(hd_arena *arena, const hd_training_shape *shape,
                               const char *backend) {
    return !strcmp(backend, "cuda") ? cuda_source(arena, shape) : opencl_source(arena, shape);
}

const char *hd_training_hash(hd_arena *arena, const hd_training_shape *shape, const char *backend,
                             uint32_t length) {
    const char *const texts[] = {"training", hd_training_source(arena, shape, backend),
                                 hd_format(arena, "%u", length)};
    return hd_hash_texts(arena, texts, 3);
}

/* ---- the job ------------------------------------------------------------------ */

static hd_launch make_launch(hd_arena *arena, uint32_t length, uint64_t items) {
    kir_kernel *kernel = hd_new(arena, kir_kernel); /* nothing asks for its body */
    *kernel = (kir_kernel){.name = "train", .param_count = 3};
    kernel->params = hd_new_array(arena, kir_param, 3);
    kernel->params[0].name = "cells";
    kernel->params[1].name = "length";
    kernel->params[2].name = "sums";
    hd_launch launch = {.kernel_name = kernel->name,
                        .kernel = kernel,
                        .dims = 1,
                        .global = {items, 1, 1},
                        .local = {HD_TRAINING_GROUP, 1, 1},
                        .repeat = 1,
                        .arg_count = 3,
                        .local_given = true};
    launch.args = hd_new_array(arena, hd_arg, 3);
    launch.args[0] = (hd_arg){.name = "cells", .kind = HD_ARG_BUFFER, .buffer_name = "cells"};
    launch.args[1] =
        (hd_arg){.name = "length", .kind = HD_ARG_VALUE, .param = 1, .value_bytes = sizeof length};
    launch.args[1].value = hd_alloc(arena, sizeof length);
    memcpy(launch.args[1].value, &length, sizeof length);
    launch.args[2] = (hd_arg){
        .name = "sums", .kind = HD_ARG_BUFFER, .buffer_name = "sums", .param = 2, .buffer = 1};
    return launch;
}

hd_job *hd_training_job(hd_arena *arena, const hd_training_shape *shape, const char *backend,
                        const char *path, const uint32_t *lengths, uint32_t length_count,
                        uint32_t groups) {
    kir_module *module = hd_new(arena, kir_module);
    hd_job *job = hd_new(arena, hd_job);
    uint64_t items = (uint64_t)groups * HD_TRAINING_GROUP, longest = 0;
    job->path =
        hd_format(arena, "training kernel with %u fields of %s", shape->fields, shape->type);
    job->kernel_path = path;
    module->device = backend;
    job->module = module;
    if (!strcmp(backend, "cuda"))
        job->options = "--cuda-path="; /* Heddle's own headers are read faster than a toolkit's */
    hd_record *record = hd_new(arena, hd_record);
    uint32_t size = shape->bytes / shape->fields;
    record->name = record->spelling = "cell";
    record->field_count = shape->fields;
    record->fields = hd_new_array(arena, hd_field, shape->fields);
    for (uint32_t f = 0; f < shape->fields; f++)
        record->fields[f] = (hd_field){.name = hd_format(arena, "f%u", f),
                                       .type = shape->type,
                                       .size = size,
                                       .align = size,
                                       .count = 1};
    hd_record_lay_out(record);
    job->record = record;
    job->launch_count = length_count;
    job->launches = hd_new_array(arena, hd_launch, length_count);
    for (uint32_t l = 0; l < length_count; l++) {
        job->launches[l] = make_launch(arena, lengths[l], items);
        if (lengths[l] > longest)
            longest = lengths[l];
    }
    /* `items` work-items read cells from their number on, the last ones `longest` behind it. */
    bool is_signed;
    hd_init *init = hd_new(arena, hd_init);
    *init = (hd_init){.generator = HD_GEN_MODULO, .high = 7, .low = 1};
    job->buffer_count = 2;
    job->buffers = hd_new_array(arena, hd_buffer, 2);
    job->buffers[0] = (hd_buffer){.name = "cells",
                                  .type = "cell",
                                  .count = items + longest,
                                  .inits = init,
                                  .init_count = 1,
                                  .record = record,
                                  .element_bytes = record->size};
    job->buffers[1] = (hd_buffer){.name = "sums", .type = shape->sum, .count = items};
    hd_type_parse(shape->sum, &job->buffers[1].scalar, &is_signed);
    job->buffers[1].element_bytes = hd_type_stride(job->buffers[1].scalar);
    return job;
}
