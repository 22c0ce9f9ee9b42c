/*
 * What an index transform costs in a kernel, next to an index that is written by hand for the
 * same place. Each item adds up the elements of a row of a matrix, or the fields of a struct,
 * that lies in another layout. How it finds them:
 *
 *     by hand    the place computed from row and column, as someone would who knows the layout
 *     constant   the transform of the row-major index, with sizes that are constants: what
 *                hd_remap_source() gives
 *     divisor    the same with sizes of run time, and an hd_divisor32 for the division
 *     division   the same with a division
 *
 * Printed are nanoseconds of each access on the first OpenCL device, the shortest of several runs
 * in turns, and instructions that a block executes for it on Heddle's machine, whose code is
 * neither unrolled nor made of vectors.
 */
#include <stdio.h>
#include <stdlib.h>

#include "frontend/frontend.h"
#include "heddle/index.h"
#include "heddle/remap.h"
#include "shared/bench_devices.h"
#include "machine/vm.h"

enum { ROWS = 4096, GROUP = 64, RUNS = 40, WAYS = 4 };
static const char *const way_names[WAYS] = {"by hand", "constant", "divisor", "division"};

/* A map, and the place of row r and column c of it in each way; NULL: there is none. */
typedef struct subject {
    const char *name;
    uint32_t columns;
    const char *place[WAYS];
} subject;

static const subject subjects[] = {
    {"transpose, 64 columns",
     64,
     {"c * ROWS + r", "map(r * 64 + c)", "hd_transpose_by(r * columns + c, rows, by)",
      "hd_transpose(r * columns + c, rows, columns)"}},
    {"transpose, 60 columns",
     60,
     {"c * ROWS + r", "map(r * 60 + c)", "hd_transpose_by(r * columns + c, rows, by)",
      "hd_transpose(r * columns + c, rows, columns)"}},
    {"diagonal, 60 columns",
     60,
     {"(r + c) * ROWS + r", "map(r * 60 + c)", "hd_diagonal_by(r * columns + c, rows, by)",
      "hd_diagonal(r * columns + c, rows, columns)"}},
    {"morton, 64 columns",
     64,
     {"hd_spread(c) | hd_spread(r & 63) << 1 | (r & ~63u) << 6", "map(r * 64 + c)", NULL,
      "hd_morton(r * columns + c, rows, columns)"}},
    {"struct, aosoa:32", 4, {"(r / 32 * 4 + c) * 32 + r % 32", "map(r, c)", NULL, NULL}},
};
enum { SUBJECTS = sizeof subjects / sizeof *subjects };

static void tell(const hd_message *message, void *user) {
    (void)user;
    fprintf(stderr, "bench: %s:%u: %s\n", message->place.file ? message->place.file : "-",
            message->place.line, message->text);
}
static const hd_diag diag = {tell, NULL};

static void must(bool is_so, const char *what) {
    if (is_so)
        return;
    fprintf(stderr, "bench: %s failed\n", what);
    exit(1);
}

/* ---- kernels ------------------------------------------------------------------------------ */

/* Has no case but one for every column; the loop's c is a constant once it is unrolled. */
static const char fields_text[] =
    "HD_FUNCTION HD_INDEX map(HD_INDEX r, HD_INDEX c) {\n"
    "    return (c == 0 ? map_x(r) : c == 1 ? map_y(r) : c == 2 ? map_z(r) : map_w(r)) / 4;\n"
    "}\n";

static hd_remap *map_of(const subject *s) {
    static const hd_remap_field fields[] = {
        {"x", 0, 4, 4}, {"y", 4, 4, 4}, {"z", 8, 4, 4}, {"w", 12, 4, 4}};
    static const hd_remap_record record = {"body", 16, 4, fields, 4};
    hd_remap *map;
    hd_status status = s->name[0] == 't'   ? hd_remap_transpose(&diag, ROWS, s->columns, 4, &map)
                       : s->name[0] == 'd' ? hd_remap_diagonal(&diag, ROWS, s->columns, 4, &map)
                       : s->name[0] == 'm'
                           ? hd_remap_morton(&diag, ROWS, s->columns, 4, &map)
                           : hd_remap_layout(&diag, &record, "aosoa:32", ROWS, &map);
    must(status == HD_OK, s->name);
    return map;
}

static const char *kernel_text(hd_arena *arena, const subject *s, int way, const hd_remap *map) {
    char *source;
    must(hd_remap_source(&diag, map, "map", &source) == HD_OK, "the map's text");
    const char *text = hd_format(
        arena,
        "%s%s%s#define ROWS %uu\n"
        "kernel void add(global const float *data, global float *sums, uint rows, uint columns,\n"
        "                uint divisor, uint multiplier, uint first_shift, uint shift) {\n"
        "    const uint r = get_global_id(0);\n"
        "    const hd_divisor32 by = {divisor, multiplier, first_shift, shift};\n"
        "    float sum = 0;\n"
        "    for (uint c = 0; c < %u; c++)\n"
        "        sum += data[%s];\n"
        "    sums[r] = sum + (by.divisor == 0);\n"
        "}\n",
        hd_remap_index_text(), source, s->name[0] == 's' ? fields_text : "", ROWS, s->columns,
        s->place[way]);
    free(source);
    return text;
}

/* ---- on Heddle's machine -------------------------------------------------------------------- */

static hd_job *job_of(hd_arena *arena, const char *text, const hd_remap *map, uint32_t columns) {
    char *folder;
    hd_job *job;
    kir_module *module;
    hd_divisor32 by = hd_make_divisor32(columns);
    must(hd_scratch_make(arena, &diag, &folder) == HD_OK, "a folder");
    const char *kernel = hd_format(arena, "%s/add.cl", folder);
    const char *path = hd_format(arena, "%s/add.yaml", folder);
    const char *yaml = hd_format(
        arena,
        "kernel: add.cl\n"
        "buffers:\n"
        "  - {name: data, type: float, count: %llu}\n"
        "  - {name: sums, type: float, count: %d}\n"
        "launches:\n"
        "  - {kernel: add, global: [%d], local: [%d], args: [{name: data, buffer: data},\n"
        "     {name: sums, buffer: sums}, {name: rows, value: %d}, {name: columns, value: %u},\n"
        "     {name: divisor, value: %u}, {name: multiplier, value: %u},\n"
        "     {name: first_shift, value: %u}, {name: shift, value: %u}]}\n",
        (unsigned long long)hd_remap_bytes(map, 0) / 4, ROWS, ROWS, GROUP, ROWS, columns,
        by.divisor, by.multiplier, by.first_shift, by.shift);
    must(hd_write_file(&diag, kernel, text, strlen(text)) == HD_OK &&
             hd_write_file(&diag, path, yaml, strlen(yaml)) == HD_OK &&
             hd_job_read(arena, &diag, path, &job) == HD_OK &&
             hd_frontend(arena, &diag, job->kernel_path, job->options, &module) == HD_OK &&
             hd_job_resolve(arena, &diag, job, module) == HD_OK,
         "the job");
    hd_scratch_remove(folder);
    return job;
}

/* Instructions for each access. */
static double count_instructions(const char *text, const hd_remap *map, uint32_t columns) {
    hd_arena *arena = hd_arena_new();
    hd_vm *vm;
    hd_vm_counts counts;
    hd_vm_options options = {0};
    hd_job *job = job_of(arena, text, map, columns);
    must(hd_vm_open(arena, &diag, job, NULL, &options, &vm) == HD_OK &&
             hd_vm_run(vm, 0, NULL, &counts) == HD_OK,
         "the machine");
    hd_vm_close(vm);
    hd_arena_free(arena);
    return (double)counts.instructions / ((double)counts.blocks * columns);
}

/* ---- on the OpenCL device ------------------------------------------------------------------- */

typedef struct scene {
    hd_compute *gpu;
    hd_compute_queue queue;
    hd_compute_memory data, sums;
} scene;

static bool open_scene(hd_arena *arena, scene *s) {
    size_t bytes = (size_t)ROWS * (ROWS + 64) * 4; /* as much as diagonals take */
    void *zeros = hd_alloc(arena, bytes);
    s->gpu = open_device(arena, 0);
    if (!s->gpu || s->gpu->api != &hd_compute_opencl)
        return false;
    const hd_compute_api *api = s->gpu->api;
    must(!api->make_queue(s->gpu, false, &s->queue) &&
             !api->allocate(s->gpu, HD_PLACEMENT_DEVICE, bytes, &s->data) &&
             !api->allocate(s->gpu, HD_PLACEMENT_DEVICE, ROWS * 4, &s->sums) &&
             !api->write(s->gpu, &s->queue, s->data, 0, zeros, bytes) &&
             !api->finish(s->gpu, &s->queue),
         "memory of the device");
    return true;
}

typedef struct ready {
    hd_compute_program *program; /* NULL: there is none */
    void *kernel;
} ready;

static ready make_kernel(const scene *s, const char *text) {
    static const char *const options[] = {"-cl-std=CL1.2"};
    const hd_compute_source source = {
        .file = "add.cl", .text = text, .options = options, .option_count = 1};
    ready made;
    must(!s->gpu->api->build(s->gpu, &source, &made.program) &&
             !s->gpu->api->load(s->gpu, made.program) &&
             !s->gpu->api->get_kernel(s->gpu, made.program, "add", 0, &made.kernel),
         "compiling a kernel");
    return made;
}

static bool launch(scene *s, void *kernel, uint32_t columns) {
    static const hd_compute_launch shape = {1, {0}, {ROWS, 1, 1}, {GROUP, 1, 1}, 0};
    hd_divisor32 by = hd_make_divisor32(columns);
    const uint32_t values[] = {ROWS, columns, by.divisor, by.multiplier, by.first_shift, by.shift};
    enum { VALUES = sizeof values / sizeof *values };
    hd_compute_argument arguments[2 + VALUES] = {{&s->data, sizeof s->data, true},
                                                 {&s->sums, sizeof s->sums, true}};
    for (int v = 0; v < VALUES; v++)
        arguments[2 + v] = (hd_compute_argument){&values[v], sizeof values[v], false};
    return !s->gpu->api->launch(s->gpu, &s->queue, kernel, &shape, arguments, 2 + VALUES, NULL) &&
           !s->gpu->api->finish(s->gpu, &s->queue);
}

/* Nanoseconds for each access in each way, which take turns. */
static void time_kernels(scene *cl, const ready kernels[WAYS], uint32_t columns,
                         double best[WAYS]) {
    for (int way = 0; way < WAYS; way++)
        best[way] = 1e9;
    for (int run = 0; run < RUNS; run++)
        for (int way = 0; way < WAYS; way++) {
            if (!kernels[way].program)
                continue;
            double start = hd_clock();
            must(launch(cl, kernels[way].kernel, columns), "a launch");
            double each = (hd_clock() - start) * 1e9 / ((double)ROWS * columns);
            best[way] = each < best[way] ? each : best[way];
        }
}

/* ---- the table
 * ------------------------------------------------------------------------------------ */

static void report(scene *cl, const subject *s) {
    hd_arena *arena = hd_arena_new();
    hd_remap *map = map_of(s);
    ready kernels[WAYS] = {{NULL}};
    double instructions[WAYS], best[WAYS];
    for (int way = 0; way < WAYS; way++) {
        if (!s->place[way])
            continue;
        const char *text = kernel_text(arena, s, way, map);
        instructions[way] = count_instructions(text, map, s->columns);
        if (cl)
            kernels[way] = make_kernel(cl, text);
    }
    if (cl)
        time_kernels(cl, kernels, s->columns, best);
    printf("%-24s", s->name);
    for (int way = 0; way < WAYS; way++)
        if (!s->place[way])
            printf("  %15s", "");
        else if (cl)
            printf("  %7.3f %7.1f", best[way], instructions[way]);
        else
            printf("  %7s %7.1f", "", instructions[way]);
    printf("\n");
    for (int way = 0; way < WAYS; way++)
        if (kernels[way].program)
            cl->gpu->api->release_program(cl->gpu, kernels[way].program);
    hd_remap_free(map);
    hd_arena_free(arena);
}

int main(void) {
    hd_arena *arena = hd_arena_new();
    scene cl = {0};
    bool has_device = open_scene(arena, &cl);
    const char *name = has_device ? cl.gpu->device.name : "no OpenCL device";
    printf("%s; for each access nanoseconds, and instructions on Heddle's machine\n\n%-24s", name,
           "");
    for (int way = 0; way < WAYS; way++)
        printf("  %15s", way_names[way]);
    printf("\n");
    for (int s = 0; s < SUBJECTS; s++)
        report(has_device ? &cl : NULL, &subjects[s]);
    if (has_device) {
        cl.gpu->api->release(cl.gpu, cl.data);
        cl.gpu->api->release(cl.gpu, cl.sums);
        cl.gpu->api->release_queue(cl.gpu, &cl.queue);
        cl.gpu->api->close(cl.gpu);
    }
    hd_arena_free(arena);
    return 0;
}
