/*
 * The text of micro-kernels and of their jobs.
 */
#include "advise/explore/micro.h"

#include <string.h>

#include "frontend/frontend.h"

static bool is(const hd_micro_point *point, int dimension, double value) {
    return point->value[dimension] == value;
}

/* ---- types -------------------------------------------------------------------------------------- */

static hd_micro_type type_of(const hd_micro_point *point) {
    return (hd_micro_type)point->value[HD_DIM_TYPE];
}

static hd_micro_type type_of_field(const hd_micro_point *point, uint32_t field) {
    hd_micro_type type = type_of(point);
    return type == HD_MICRO_MIXED ? field % HD_MICRO_MIXED : type;
}

static hd_micro_type type_of_result(const hd_micro_point *point) {
    return type_of(point) == HD_MICRO_MIXED ? HD_MICRO_DOUBLE : type_of(point);
}

/* What is computed in. */
static hd_micro_type type_of_sum(const hd_micro_point *point) {
    return type_of(point) == HD_MICRO_USHORT ? HD_MICRO_UINT : type_of_result(point);
}

static const char *spelling(hd_micro_type type, bool is_cuda) {
    static const char *const opencl[] = {"float", "double", "uint", "ushort"};
    static const char *const cuda[] = {"float", "double", "unsigned int", "unsigned short"};
    return (is_cuda ? cuda : opencl)[type];
}

static uint32_t bytes_of(hd_micro_type type) {
    static const uint8_t bytes[] = {4, 8, 4, 2};
    return bytes[type];
}

/* ---- the record ---------------------------------------------------------------------------------- */

static hd_field field_of(const char *name, hd_micro_type type) {
    uint32_t bytes = bytes_of(type);
    return (hd_field){
        .name = name, .type = spelling(type, false), .size = bytes, .align = bytes, .count = 1};
}

hd_record *hd_micro_record(hd_arena *arena, const hd_micro_point *point,
                           const hd_micro_shape *shape) {
    hd_record *record = hd_new(arena, hd_record);
    *record = (hd_record){.name = "object",
                          .spelling = "object",
                          .fields = hd_new_array(arena, hd_field, shape->fields + 2)};
    hd_field *next = record->fields;
    for (uint32_t f = 0; f < shape->fields; f++)
        *next++ = field_of(hd_format(arena, "f%u", f), type_of_field(point, f));
    *next++ = field_of("result", type_of_result(point));
    if (shape->unused_bytes)
        *next++ = (hd_field){.name = "unused",
                             .type = "unsigned char",
                             .size = shape->unused_bytes,
                             .align = 1,
                             .count = shape->unused_bytes};
    record->field_count = (uint32_t)(next - record->fields);
    hd_record_lay_out(record);
    return record;
}

uint64_t hd_micro_indices(const hd_micro_shape *shape) {
    return shape->run ? (shape->objects - shape->on_host) / shape->global[2] / shape->run : 0;
}

/* ---- the kernel ---------------------------------------------------------------------------------- */

const char *hd_micro_name(hd_arena *arena, const hd_micro_point *point) {
    hd_str out = {.arena = arena};
    hd_str_printf(&out, "micro-%s-%g", hd_dimension_print(arena, HD_DIM_TYPE, type_of(point)),
                  point->value[HD_DIM_FIELDS]);
    if (!is(point, HD_DIM_AGGREGATE, 1))
        hd_str_printf(&out, "-of-%g", point->value[HD_DIM_AGGREGATE]);
    if (!is(point, HD_DIM_INDIRECT, 0))
        hd_str_add(&out, "-indirect");
    if (!is(point, HD_DIM_BRANCHES, 1))
        hd_str_add(&out, "-branches");
    return hd_str_text(&out);
}

typedef struct writer {
    const hd_micro_point *point;
    hd_str *out;
    uint32_t fields;
    bool is_cuda, is_real;
    const char *sum; /* the type that is computed in */
} writer;

static void write_record(const writer *w, const hd_micro_shape *shape) {
    hd_str_add(w->out, "typedef struct object {\n");
    for (uint32_t f = 0; f < w->fields; f++)
        hd_str_printf(w->out, "    %s f%u;\n", spelling(type_of_field(w->point, f), w->is_cuda), f);
    hd_str_printf(w->out, "    %s result;\n", spelling(type_of_result(w->point), w->is_cuda));
    if (shape->unused_bytes)
        hd_str_printf(w->out, "    unsigned char unused[%u];\n", shape->unused_bytes);
    hd_str_add(w->out, "} object;\n\n");
}

/* Integers are xored and added by turns: a compiler would add up what is added in a row, also to a
 * product, before the loop. */
static void write_addition(const writer *w, uint32_t number, const char *indent) {
    bool is_xor = !w->is_real && number % 2 == 0;
    hd_str_printf(w->out, "%ssum %s= f%u;\n", indent, is_xor ? "^" : "+", number % w->fields);
}

/* The factors keep real sums small. */
static void write_fused(const writer *w, uint32_t number, const char *indent) {
    bool first = number % 2;
    if (!w->is_real)
        hd_str_printf(w->out, "%ssum = sum * %su + f%u;\n", indent, first ? "3" : "5",
                      number % w->fields);
    else
        hd_str_printf(w->out, "%ssum = fma%s(sum, %s%s, f%u);\n", indent,
                      w->is_cuda && !strcmp(w->sum, "float") ? "f" : "", first ? "0.5" : "0.25",
                      strcmp(w->sum, "float") ? "" : "f", number % w->fields);
}

static void write_operations(const writer *w, const char *indent, const char *inner) {
    for (uint32_t f = 1; f < w->fields; f++)
        hd_str_printf(w->out, "%ssum += f%u;\n", indent, f);
    hd_str_printf(w->out, "%sfor (int r = 0; r < rounds; r++) {\n", indent);
    for (uint32_t n = 0; n < 3; n++)
        write_addition(w, n, inner);
    write_fused(w, 3, inner);
    write_fused(w, 4, inner);
    hd_str_printf(w->out, "%s}\n%sfor (int r = 0; r < fused; r++)\n", indent, indent);
    write_fused(w, w->fields > 1 ? 1 : 0, inner);
    hd_str_printf(w->out, "%sfor (int r = 0; r < adds; r++)\n", indent);
    write_addition(w, 0, inner);
}

static void write_object(const writer *w) {
    for (uint32_t f = 0; f < w->fields; f++)
        hd_str_printf(w->out, "        %s f%u = objects[at].f%u;\n", w->sum, f, f);
    hd_str_printf(w->out, "        %s sum = f0;\n", w->sum);
    if (is(w->point, HD_DIM_BRANCHES, 1)) {
        write_operations(w, "        ", "            ");
    } else {
        hd_str_add(w->out, "        for (int b = 0; b < branches; b++)\n"
                           "            if (lane % branches == b) {\n");
        write_operations(w, "                ", "                    ");
        hd_str_add(w->out, "            }\n");
    }
    const char *result = spelling(type_of_result(w->point), w->is_cuda);
    hd_str_printf(w->out, "        objects[at].result = (%s)sum;\n", result);
}

const char *hd_micro_source(hd_arena *arena, const hd_micro_point *point, const char *backend) {
    hd_str out = {.arena = arena};
    hd_micro_shape shape;
    bool is_cuda = !strcmp(backend, "cuda");
    writer w = {.point = point, .out = &out, .is_cuda = is_cuda};
    hd_micro_check(arena, point, &shape);
    w.fields = shape.fields;
    w.sum = spelling(type_of_sum(point), is_cuda);
    w.is_real = type_of_sum(point) != HD_MICRO_UINT;
    bool indirect = shape.run, branches = !is(point, HD_DIM_BRANCHES, 1);
    write_record(&w, &shape);
    hd_str_printf(&out,
                  "%s void micro(%sobject *objects, %s%sint pitch, int stride, int sparsity,\n"
                  "    int granularity, int rounds, int fused, int adds%s) {\n",
                  is_cuda ? "extern \"C\" __global__" : "__kernel", is_cuda ? "" : "__global ",
                  indirect ? is_cuda ? "const int *indices, " : "__global const int *indices, "
                           : "",
                  indirect ? "int run, " : "", branches ? ", int branches" : "");
    static const char *const ids[2][3] = {
        {"(int)get_global_id(0)", "(int)get_global_id(1)", "(int)get_global_id(2)"},
        {"(int)(blockIdx.x * blockDim.x + threadIdx.x)",
         "(int)(blockIdx.y * blockDim.y + threadIdx.y)", "(int)blockIdx.z"}};
    hd_str_printf(&out, "    int start = %s * pitch + %s;\n", ids[is_cuda][1], ids[is_cuda][0]);
    if (branches)
        hd_str_add(&out, is_cuda ? "    int lane = (int)(threadIdx.y * blockDim.x + threadIdx.x);\n"
                                 : "    int lane = (int)(get_local_id(1) * get_local_size(0) + "
                                   "get_local_id(0));\n");
    hd_str_add(&out, "    for (int i = 0; i < granularity; i++) {\n"
                     "        int at = start + i * stride;\n");
    if (indirect) /* of threads, so that what indices do does not depend on the sparsity */
        hd_str_add(&out, "        at = indices[at / run] * run + at % run;\n");
    hd_str_printf(&out, "        at = at * sparsity + %s;\n", ids[is_cuda][2]);
    write_object(&w);
    hd_str_add(&out, "    }\n}\n");
    return hd_str_text(&out);
}

/* ---- the job ----------------------------------------------------------------------------------- */

static void write_buffers(const hd_micro_point *point, const hd_micro_shape *s, hd_str *out) {
    hd_str_printf(out,
                  "record: object\nbuffers:\n  - name: objects\n    type: object\n"
                  "    count: %llu\n    init:\n",
                  (unsigned long long)s->objects);
    for (uint32_t f = 0; f < s->fields; f++) {
        hd_micro_type type = type_of_field(point, f);
        bool is_real = type == HD_MICRO_FLOAT || type == HD_MICRO_DOUBLE;
        hd_str_printf(out, "      - {field: f%u, generator: uniform, low: 0, high: %s, seed: %u}\n",
                      f, is_real ? "1" : "1000", f + 1);
    }
    if (s->run)
        hd_str_printf(out,
                      "  - name: indices\n    type: int\n    count: %llu\n"
                      "    init: [{generator: permutation, seed: 1}]\n",
                      (unsigned long long)hd_micro_indices(s));
}

static void write_value(hd_str *out, const char *name, uint64_t value) {
    hd_str_printf(out, "      - {name: %s, value: %llu}\n", name, (unsigned long long)value);
}

static void write_sizes(hd_str *out, const char *key, const uint64_t *sizes) {
    hd_str_printf(out, "    %s: [%llu, %llu, %llu]\n", key, (unsigned long long)sizes[0],
                  (unsigned long long)sizes[1], (unsigned long long)sizes[2]);
}

const char *hd_micro_job(hd_arena *arena, const hd_micro_point *point, const char *kernel_file) {
    hd_str out = {.arena = arena};
    hd_micro_shape s;
    hd_micro_check(arena, point, &s);
    bool is_cuda = hd_ends_in(kernel_file, ".cu");
    hd_str_printf(&out, "# %s\nkernel: %s\n", hd_micro_print(arena, point), kernel_file);
    if (is_cuda) /* Heddle's own headers are read faster than a toolkit's. */
        hd_str_add(&out, "options: --cuda-path=\n");
    write_buffers(point, &s, &out);
    uint64_t first[3];
    for (int d = 0; d < 3; d++) /* CUDA's sizes count blocks */
        first[d] = is_cuda ? s.global[d] / s.local[d] : s.global[d];
    hd_str_add(&out, "launches:\n  - kernel: micro\n");
    write_sizes(&out, is_cuda ? "blocks" : "global", first);
    write_sizes(&out, is_cuda ? "threads" : "local", s.local);
    hd_str_add(&out, "    args:\n      - {name: objects, buffer: objects}\n");
    if (s.run) {
        hd_str_add(&out, "      - {name: indices, buffer: indices}\n");
        write_value(&out, "run", s.run);
    }
    write_value(&out, "pitch", s.pitch);
    write_value(&out, "stride", s.stride);
    write_value(&out, "sparsity", s.global[2]);
    write_value(&out, "granularity", (uint64_t)point->value[HD_DIM_GRANULARITY]);
    write_value(&out, "rounds", s.rounds);
    write_value(&out, "fused", s.fused);
    write_value(&out, "adds", s.adds);
    if (!is(point, HD_DIM_BRANCHES, 1))
        write_value(&out, "branches", (uint64_t)point->value[HD_DIM_BRANCHES]);
    return hd_str_text(&out);
}

/* ---- as files ------------------------------------------------------------------------------------ */

/* The kernel of the point in the folder, which is written when it is first asked for. */
static hd_status kernel_of(hd_micro_folder *folder, const hd_micro_point *point,
                           hd_micro_kernel **kernel) {
    const char *name = hd_micro_name(folder->arena, point);
    for (size_t k = 0; k < folder->kernels.count; k++)
        if (!strcmp(folder->kernels.data[k]->name, name)) {
            *kernel = folder->kernels.data[k];
            return HD_OK;
        }
    hd_micro_kernel *made = *kernel = hd_new(folder->arena, hd_micro_kernel);
    const char *source = hd_micro_source(folder->arena, point, folder->backend);
    made->name = name;
    made->file =
        hd_format(folder->arena, "%s.%s", name, !strcmp(folder->backend, "cuda") ? "cu" : "cl");
    hd_push(folder->arena, &folder->kernels, made);
    return hd_write_file(folder->diag, hd_format(folder->arena, "%s/%s", folder->path, made->file),
                         source, strlen(source));
}

/* "sparsity=4,intensity=8.yaml" */
static const char *job_path(hd_arena *arena, const hd_micro_folder *folder,
                            const hd_micro_point *point) {
    return hd_format(arena, "%s/%s.yaml", folder->path, hd_micro_file(arena, point));
}

hd_status hd_micro_write(hd_arena *arena, hd_micro_folder *folder, const hd_micro_point *point,
                         hd_micro_kernel **kernel) {
    hd_status status = kernel_of(folder, point, kernel);
    if (status != HD_OK)
        return status;
    const char *text = hd_micro_job(arena, point, (*kernel)->file);
    return hd_write_file(folder->diag, job_path(arena, folder, point), text, strlen(text));
}

hd_status hd_micro_load(hd_arena *arena, hd_micro_folder *folder, const hd_micro_point *point,
                        hd_micro *micro) {
    *micro = (hd_micro){.point = *point};
    const char *why = hd_micro_check(arena, point, &micro->shape);
    if (why)
        return hd_fail(folder->diag, HD_EINPUT, NULL, "%s", why);
    hd_micro_kernel *kernel;
    hd_status status = hd_micro_write(arena, folder, point, &kernel);
    if (status == HD_OK)
        status = hd_job_read(arena, folder->diag, job_path(arena, folder, point), &micro->job);
    if (status == HD_OK && !kernel->module)
        status = hd_frontend_of(folder->arena, folder->diag, micro->job->kernel_path,
                                micro->job->options, folder->form, NULL, &kernel->module);
    return status ? status : hd_job_resolve(arena, folder->diag, micro->job, kernel->module);
}
