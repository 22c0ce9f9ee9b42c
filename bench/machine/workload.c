/*
 * The four programs, each made as a job in memory.
 *
 *     n-body    1,024 bodies as an array of structs, one step (examples/nbody)
 *     bfs       breadth-first search over the netlist b17, one launch a level
 *     bitonic   2^15 elements with a payload, 120 launches (examples/bitonic)
 *     matmul    256 x 256 floats through tiles of 16 x 16 in local memory
 */
#include "machine/workload.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "frontend/frontend.h"
#include "job/graph.h"

const char *const workload_names[WORKLOADS] = {"nbody", "bfs", "bitonic", "matmul"};

enum { BODIES = 1024, SORT_BITS = 15, MATRIX = 256, TILE = 16, GROUP = 256 };

/* ---- a job, piece by piece ------------------------------------------------------ */

typedef struct builder {
    hd_arena *arena;
    hd_vec(hd_buffer) buffers;
    hd_vec(hd_launch) launches;
} builder;

static hd_init *uniform(hd_arena *arena, const char *field, double low, double high,
                        uint64_t seed) {
    hd_init *init = hd_new(arena, hd_init);
    *init = (hd_init){.field = field,
                      .generator = HD_GEN_UNIFORM,
                      .low = low,
                      .high = high,
                      .step = 1,
                      .seed = seed};
    return init;
}

static void add_buffer(builder *b, const char *name, const char *type, uint64_t count,
                       hd_init *inits, uint32_t init_count) {
    hd_push(
        b->arena, &b->buffers,
        (hd_buffer){
            .name = name, .type = type, .count = count, .inits = inits, .init_count = init_count});
}

/* A launch of one dimension. `args` are pairs of a name and a value; a value that is the
 * name of a buffer stands for it. The list ends with NULL. */
static hd_launch *add_launch(builder *b, const char *kernel, uint64_t global, uint64_t local,
                             const char *const *args) {
    hd_vec(hd_arg) list = {0};
    for (; args[0]; args += 2) {
        hd_arg arg = {.name = args[0], .kind = HD_ARG_VALUE, .value_text = args[1]};
        for (size_t i = 0; i < b->buffers.count; i++)
            if (!strcmp(b->buffers.data[i].name, args[1])) {
                arg.kind = HD_ARG_BUFFER;
                arg.buffer_name = args[1];
            }
        hd_push(b->arena, &list, arg);
    }
    hd_push(b->arena, &b->launches,
            (hd_launch){.kernel_name = kernel,
                        .dims = 1,
                        .global = {global, 1, 1},
                        .local = {local, 1, 1},
                        .repeat = 1,
                        .args = list.data,
                        .arg_count = (uint32_t)list.count,
                        .local_given = true});
    return &b->launches.data[b->launches.count - 1];
}

static const char *number(hd_arena *arena, long value) { return hd_format(arena, "%ld", value); }

/* All launches once more, `times` - 1 times. */
static void repeat_launches(builder *b, uint32_t times) {
    size_t once = b->launches.count;
    for (size_t l = once; l < once * times; l++)
        hd_push(b->arena, &b->launches, b->launches.data[l % once]);
}

static hd_status finish(builder *b, const hd_diag *diag, const char *kernel, const char *options,
                        workload *made) {
    hd_job *job = hd_new(b->arena, hd_job);
    kir_module *module;
    *job = (hd_job){.kernel_path = kernel,
                    .options = options,
                    .buffers = b->buffers.data,
                    .buffer_count = (uint32_t)b->buffers.count,
                    .launches = b->launches.data,
                    .launch_count = (uint32_t)b->launches.count,
                    .relative = 1e-4,
                    .absolute = 1e-5,
                    .record_place = {.file = kernel},
                    .kernel_place = {.file = kernel}};
    made->job = job;
    made->contents = hd_new_array(b->arena, void *, job->buffer_count);
    hd_status status =
        hd_frontend_of(b->arena, diag, kernel, options, KIR_FOR_NVIDIA, NULL, &module);
    if (status == HD_OK)
        status = hd_job_resolve(b->arena, diag, job, module);
    for (uint32_t i = 0; i < job->buffer_count && status == HD_OK; i++)
        status = hd_job_contents(b->arena, diag, &job->buffers[i], &made->contents[i]);
    return status;
}

static bool near(const hd_job *job, double got, double want) {
    return fabs(got - want) <= job->absolute + job->relative * fmax(fabs(got), fabs(want));
}

/* ---- n-body ------------------------------------------------------------------------ */

typedef struct body {
    float x, y, z, mass, vx, vy, vz;
} body;

/* The step in double, after examples/nbody. */
static body *nbody_step(hd_arena *arena, const body *bodies, int count, double dt) {
    body *after = hd_new_array(arena, body, count);
    for (int i = 0; i < count; i++) {
        double ax = 0, ay = 0, az = 0;
        for (int j = 0; j < count; j++) {
            double dx = bodies[j].x - bodies[i].x, dy = bodies[j].y - bodies[i].y;
            double dz = bodies[j].z - bodies[i].z;
            double inverse = 1 / sqrt(dx * dx + dy * dy + dz * dz + 0.01);
            double pull = bodies[j].mass * inverse * inverse * inverse;
            ax += pull * dx;
            ay += pull * dy;
            az += pull * dz;
        }
        double vx = bodies[i].vx + ax * dt, vy = bodies[i].vy + ay * dt;
        double vz = bodies[i].vz + az * dt;
        after[i] = (body){(float)(bodies[i].x + vx * dt),
                          (float)(bodies[i].y + vy * dt),
                          (float)(bodies[i].z + vz * dt),
                          bodies[i].mass,
                          (float)vx,
                          (float)vy,
                          (float)vz};
    }
    return after;
}

static bool nbody_correct(const workload *w, void *const *result) {
    const float *got = result[0], *want = w->expected;
    for (size_t i = 0; i < BODIES * sizeof(body) / sizeof(float); i++)
        if (!near(w->job, got[i], want[i]))
            return false;
    return true;
}

static hd_status make_nbody(builder *b, const hd_diag *diag, const char *source, uint32_t times,
                            workload *made) {
    static const char *const fields[] = {"x", "y", "z", "mass", "vx", "vy", "vz"};
    static const double low[] = {-1, -1, -1, 0.5, -0.1, -0.1, -0.1};
    static const double high[] = {1, 1, 1, 1.5, 0.1, 0.1, 0.1};
    enum { FIELDS = sizeof fields / sizeof *fields };
    hd_init *inits = hd_new_array(b->arena, hd_init, FIELDS);
    for (int f = 0; f < FIELDS; f++)
        inits[f] = *uniform(b->arena, fields[f], low[f], high[f], (uint64_t)f + 1);
    add_buffer(b, "bodies", "body", BODIES, inits, FIELDS);
    const char *const args[] = {"bodies", "bodies", "count", number(b->arena, BODIES),
                                "dt",     "0.0001", NULL};
    add_launch(b, "attract", BODIES, GROUP, args);
    add_launch(b, "move", BODIES, GROUP, args);
    repeat_launches(b, times);
    made->title = "one step of 1,024 bodies, an array of structs (examples/nbody)";
    made->correct = nbody_correct;
    hd_status status =
        finish(b, diag, hd_format(b->arena, "%s/examples/nbody/nbody.cl", source), NULL, made);
    if (status == HD_OK)
        made->expected = nbody_step(b->arena, made->contents[0], BODIES, 0.0001);
    return status;
}

/* ---- breadth-first search ------------------------------------------------------------ */

static hd_status read_netlist(hd_arena *arena, const hd_diag *diag, const char *source,
                              workload *made, hd_graph **graph) {
    const char *path = hd_format(arena, "%s/../shared/data/b17.bench", source);
    if (access(path, R_OK) == 0)
        return hd_graph_read(arena, diag, path, graph);
    made->note = "../shared/data/b17.bench is not there, so a netlist of its size was made up";
    return hd_netlist_generate(arena, diag, &(const hd_graph_size){.seed = 1}, graph);
}

static bool bfs_correct(const workload *w, void *const *result) {
    return !memcmp(result[2], w->expected, w->job->buffers[2].count * sizeof(int32_t));
}

/* Steps from the nearest input along the edges, HD_NO_LEVEL where no path leads; returns how many
 * levels there are. Inputs are of level 0. */
static uint32_t breadth_first(hd_arena *arena, const hd_graph *graph, int32_t *level) {
    uint32_t *queue = hd_new_array(arena, uint32_t, graph->nodes), tail = 0, count = 0;
    memset(level, 0, graph->nodes * sizeof *level);
    for (uint32_t e = 0; e < graph->edges; e++)
        level[graph->to[e]] = HD_NO_LEVEL;
    for (uint32_t v = 0; v < graph->nodes; v++)
        if (!level[v])
            queue[tail++] = v;
    for (uint32_t head = 0; head < tail; head++) {
        uint32_t v = queue[head];
        count = (uint32_t)level[v] + 1;
        for (uint32_t e = graph->first[v]; e < graph->first[v + 1]; e++)
            if (level[graph->to[e]] == HD_NO_LEVEL) {
                level[graph->to[e]] = level[v] + 1;
                queue[tail++] = graph->to[e];
            }
    }
    return count;
}

static hd_status make_bfs(builder *b, const hd_diag *diag, const char *source, uint32_t times,
                          workload *made) {
    hd_graph *graph = NULL;
    hd_status status = read_netlist(b->arena, diag, source, made, &graph);
    if (status != HD_OK)
        return status;
    int32_t *expected = hd_new_array(b->arena, int32_t, graph->nodes);
    uint32_t levels = breadth_first(b->arena, graph, expected);
    made->expected = expected;
    add_buffer(b, "first", "int", (uint64_t)graph->nodes + 1, NULL, 0);
    add_buffer(b, "to", "int", graph->edges, NULL, 0);
    add_buffer(b, "level", "int", graph->nodes, NULL, 0);
    for (uint32_t level = 0; level < levels; level++) {
        const char *const args[] = {"first", "first",
                                    "to",    "to",
                                    "level", "level",
                                    "nodes", number(b->arena, graph->nodes),
                                    "now",   number(b->arena, level),
                                    NULL};
        add_launch(b, "visit", hd_align_up(graph->nodes, GROUP), GROUP, args);
    }
    repeat_launches(b, times);
    made->title = hd_format(b->arena, "breadth-first search, %u nodes, %u edges, %u levels",
                            graph->nodes, graph->edges, levels);
    made->correct = bfs_correct;
    status = finish(b, diag, hd_format(b->arena, "%s/bench/machine/bfs.cl", source), NULL, made);
    if (status != HD_OK)
        return status;
    int32_t *level = made->contents[2];
    for (uint32_t v = 0; v < graph->nodes; v++)
        level[v] = expected[v] ? HD_NO_LEVEL : 0;
    made->contents[0] = graph->first;
    made->contents[1] = graph->to;
    return HD_OK;
}

/* ---- bitonic sort ------------------------------------------------------------------------ */

/* Keys are a permutation, so the element with key k ends at place k. */
static bool bitonic_correct(const workload *w, void *const *result) {
    const uint32_t(*before)[4] = w->contents[0], (*after)[4] = result[0];
    for (size_t i = 0; i < w->job->buffers[0].count; i++)
        if (memcmp(before[i], after[before[i][0]], sizeof *before) != 0)
            return false;
    return true;
}

static hd_status make_bitonic(builder *b, const hd_diag *diag, const char *source, uint32_t times,
                              workload *made) {
    long count = 1 << SORT_BITS;
    hd_init *inits = hd_new_array(b->arena, hd_init, 2);
    inits[0] = (hd_init){.field = "key", .generator = HD_GEN_PERMUTATION, .seed = 1};
    inits[1] = (hd_init){.field = "third", .generator = HD_GEN_IOTA, .step = 1};
    add_buffer(b, "elements", "element", (uint64_t)count, inits, 2);
    for (long block = 2; block <= count; block *= 2)
        for (long distance = block / 2; distance >= 1; distance /= 2) {
            const char *const args[] = {"elements", "elements",
                                        "block",    number(b->arena, block),
                                        "distance", number(b->arena, distance),
                                        NULL};
            add_launch(b, "stage", (uint64_t)count / 2, GROUP, args);
        }
    repeat_launches(b, times);
    made->title = "bitonic sort of 2^15 elements with a payload (examples/bitonic)";
    made->correct = bitonic_correct;
    return finish(b, diag, hd_format(b->arena, "%s/examples/bitonic/bitonic.cl", source), NULL,
                  made);
}

/* ---- matrix multiply --------------------------------------------------------------------- */

static float *product(hd_arena *arena, const float *a, const float *b) {
    float *c = hd_new_array(arena, float, MATRIX *MATRIX);
    for (int row = 0; row < MATRIX; row++)
        for (int column = 0; column < MATRIX; column++) {
            double sum = 0;
            for (int k = 0; k < MATRIX; k++)
                sum += (double)a[row * MATRIX + k] * b[k * MATRIX + column];
            c[row * MATRIX + column] = (float)sum;
        }
    return c;
}

static bool matmul_correct(const workload *w, void *const *result) {
    const float *got = result[2], *want = w->expected;
    for (int i = 0; i < MATRIX * MATRIX; i++)
        if (!near(w->job, got[i], want[i]))
            return false;
    return true;
}

static hd_status make_matmul(builder *b, const hd_diag *diag, const char *source, uint32_t times,
                             workload *made) {
    const uint64_t count = (uint64_t)MATRIX * MATRIX;
    add_buffer(b, "a", "float", count, uniform(b->arena, NULL, 0, 1, 1), 1);
    add_buffer(b, "b", "float", count, uniform(b->arena, NULL, 0, 1, 2), 1);
    add_buffer(b, "c", "float", count, NULL, 0);
    const char *const args[] = {"a", "a", "b", "b", "c", "c", "n", number(b->arena, MATRIX), NULL};
    hd_launch *launch = add_launch(b, "multiply", MATRIX, TILE, args);
    launch->dims = 2;
    launch->global[1] = MATRIX;
    launch->local[1] = TILE;
    repeat_launches(b, times);
    made->title = "product of 256 x 256 floats through tiles in local memory";
    made->correct = matmul_correct;
    hd_status status = finish(b, diag, hd_format(b->arena, "%s/bench/machine/matmul.cl", source),
                              hd_format(b->arena, "-DTILE=%d", TILE), made);
    if (status == HD_OK)
        made->expected = product(b->arena, made->contents[0], made->contents[1]);
    return status;
}

hd_status workload_make(hd_arena *arena, const hd_diag *diag, const char *source, workload_id id,
                        uint32_t times, workload *made) {
    static hd_status (*const makers[WORKLOADS])(builder *, const hd_diag *, const char *, uint32_t,
                                                workload *) = {make_nbody, make_bfs, make_bitonic,
                                                               make_matmul};
    builder b = {.arena = arena};
    *made = (workload){.name = workload_names[id]};
    return makers[id](&b, diag, source, times, made);
}
