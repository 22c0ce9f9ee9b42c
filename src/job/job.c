/*
 * Reading a job file.
 *
 * A job says what to run: a kernel file, buffers with their initial contents,
 * and launches with sizes and arguments. docs/job.md is the reference. The
 * smallest one:
 *
 *     kernel: scale.cl
 *     buffers: [{name: a, type: float, count: 1024, init: [{generator: iota}]}]
 *     launches:
 *       - {kernel: scale, global: [1024], args: [{name: a, buffer: a}]}
 *
 * Reading has two steps. libcyaml loads the YAML by the schema below into
 * structs of text (`raw_...`): all scalars are text, because a reader that takes
 * `count: 1e6` for 1 is worse than none. Then each entry is turned into its form
 * in job.h and checked; what it takes the compiled kernels to know is left to
 * resolve.c.
 */
#include <math.h>

#include "job/job.h"
#include "job/yaml.h"

/* ---- the schema --------------------------------------------------------- */

typedef struct raw_graph {
    char *name, *file, *generator, *nodes, *edges, *seed;
} raw_graph;

typedef struct raw_init {
    char *field, *generator, *low, *high, *step, *seed, *graph, *part;
} raw_init;

typedef struct raw_buffer {
    char *name, *type, *count, *file;
    raw_init *init;
    uint32_t init_count;
} raw_buffer;

typedef struct raw_arg {
    char *name, *buffer, *value, *local, *level;
} raw_arg;

typedef struct raw_launch {
    char *kernel, *repeat, *shared, *for_levels, *first_level, *last_level;
    char **global, **local, **offset, **blocks, **threads;
    uint32_t global_count, local_count, offset_count, blocks_count, threads_count;
    raw_arg *args;
    uint32_t args_count;
} raw_launch;

typedef struct raw_tolerance {
    char *relative, *absolute;
} raw_tolerance;

typedef struct raw_job {
    char *kernel, *options, *record;
    raw_graph *graphs;
    raw_buffer *buffers;
    raw_launch *launches;
    uint32_t graphs_count, buffers_count, launches_count;
    raw_tolerance *tolerance;
} raw_job;

#define TEXT(key, flag, type)                                                                      \
    CYAML_FIELD_STRING_PTR(#key, CYAML_FLAG_POINTER | (flag), type, key, 0, CYAML_UNLIMITED)
#define NEEDED(key, type) TEXT(key, 0, type)
#define OPTIONAL(key, type) TEXT(key, CYAML_FLAG_OPTIONAL, type)
#define LIST(key, flag, type, entry)                                                               \
    CYAML_FIELD_SEQUENCE(#key, CYAML_FLAG_POINTER | (flag), type, key, entry, 0, CYAML_UNLIMITED)

static const cyaml_schema_value_t text_value = {
    CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char *, 0, CYAML_UNLIMITED)};

static const cyaml_schema_field_t graph_fields[] = {NEEDED(name, raw_graph),
                                                    OPTIONAL(file, raw_graph),
                                                    OPTIONAL(generator, raw_graph),
                                                    OPTIONAL(nodes, raw_graph),
                                                    OPTIONAL(edges, raw_graph),
                                                    OPTIONAL(seed, raw_graph),
                                                    CYAML_FIELD_END};
static const cyaml_schema_value_t graph_value = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, raw_graph, graph_fields)};

static const cyaml_schema_field_t init_fields[] = {
    OPTIONAL(field, raw_init), OPTIONAL(generator, raw_init), OPTIONAL(low, raw_init),
    OPTIONAL(high, raw_init),  OPTIONAL(step, raw_init),      OPTIONAL(seed, raw_init),
    OPTIONAL(graph, raw_init), OPTIONAL(part, raw_init),      CYAML_FIELD_END};
static const cyaml_schema_value_t init_value = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, raw_init, init_fields)};

static const cyaml_schema_field_t buffer_fields[] = {
    NEEDED(name, raw_buffer),    NEEDED(type, raw_buffer),
    OPTIONAL(count, raw_buffer), LIST(init, CYAML_FLAG_OPTIONAL, raw_buffer, &init_value),
    OPTIONAL(file, raw_buffer),  CYAML_FIELD_END};
static const cyaml_schema_value_t buffer_value = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, raw_buffer, buffer_fields)};

static const cyaml_schema_field_t arg_fields[] = {
    NEEDED(name, raw_arg),    OPTIONAL(buffer, raw_arg), OPTIONAL(value, raw_arg),
    OPTIONAL(local, raw_arg), OPTIONAL(level, raw_arg),  CYAML_FIELD_END};
static const cyaml_schema_value_t arg_value = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, raw_arg, arg_fields)};

static const cyaml_schema_field_t launch_fields[] = {
    NEEDED(kernel, raw_launch),
    LIST(global, CYAML_FLAG_OPTIONAL, raw_launch, &text_value),
    LIST(local, CYAML_FLAG_OPTIONAL, raw_launch, &text_value),
    LIST(offset, CYAML_FLAG_OPTIONAL, raw_launch, &text_value),
    LIST(blocks, CYAML_FLAG_OPTIONAL, raw_launch, &text_value),
    LIST(threads, CYAML_FLAG_OPTIONAL, raw_launch, &text_value),
    OPTIONAL(shared, raw_launch),
    OPTIONAL(repeat, raw_launch),
    OPTIONAL(for_levels, raw_launch),
    OPTIONAL(first_level, raw_launch),
    OPTIONAL(last_level, raw_launch),
    LIST(args, CYAML_FLAG_OPTIONAL, raw_launch, &arg_value),
    CYAML_FIELD_END};
static const cyaml_schema_value_t launch_value = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, raw_launch, launch_fields)};

static const cyaml_schema_field_t tolerance_fields[] = {
    OPTIONAL(relative, raw_tolerance), OPTIONAL(absolute, raw_tolerance), CYAML_FIELD_END};

static const cyaml_schema_field_t job_fields[] = {
    NEEDED(kernel, raw_job),
    OPTIONAL(options, raw_job),
    OPTIONAL(record, raw_job),
    LIST(graphs, CYAML_FLAG_OPTIONAL, raw_job, &graph_value),
    LIST(buffers, CYAML_FLAG_OPTIONAL, raw_job, &buffer_value),
    LIST(launches, 0, raw_job, &launch_value),
    CYAML_FIELD_MAPPING_PTR("tolerance", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, raw_job,
                            tolerance, tolerance_fields),
    CYAML_FIELD_END};
static const cyaml_schema_value_t job_value = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, raw_job, job_fields)};

/* ---- values ------------------------------------------------------------- */

/* What every step of reading needs. The path of the entry at hand ("launches[0]")
 * goes beside it. */
typedef struct reader {
    hd_arena *arena;
    const hd_diag *diag;
    const hd_yaml_file *file;
    hd_job *job;
} reader;

#define FAIL(r, at, ...) fail_at((r), (at), hd_format((r)->arena, __VA_ARGS__))
static hd_status fail_at(const reader *r, const char *path, const char *text) {
    hd_place place = hd_yaml_place(r->file, "%s", path);
    return hd_fail(r->diag, HD_EINPUT, &place, "%s", text);
}

static const char *key_of(const reader *r, const char *path, const char *key) {
    return hd_format(r->arena, "%s%s%s", path, *path ? "." : "", key);
}

/* A whole number from `least`; NULL leaves *number alone. */
static hd_status read_count(const reader *r, const char *path, const char *name, const char *text,
                            uint64_t least, uint64_t *number) {
    kir_type ulong_type = {.kind = KIR_INT, .bits = 64, .lanes = 1};
    if (!text)
        return HD_OK;
    if (!hd_type_parse_value(ulong_type, false, text, number) || *number < least)
        return FAIL(r, path, "'%s: %s' is not a whole number from %llu on, such as 1024 or 1e6",
                    name, text, (unsigned long long)least);
    return HD_OK;
}

static hd_status read_number(const reader *r, const char *path, const char *name, const char *text,
                             double *number) {
    kir_type double_type = {.kind = KIR_FLOAT, .bits = 64, .lanes = 1};
    kir_type long_type = {.kind = KIR_INT, .bits = 64, .lanes = 1};
    int64_t whole;
    if (!text)
        return HD_OK;
    if (hd_type_parse_value(long_type, true, text, &whole))
        *number = (double)whole;
    else if (!hd_type_parse_value(double_type, true, text, number))
        return FAIL(r, path, "'%s: %s' is not a number, such as 3, -0.5 or 1e-5", name, text);
    return HD_OK;
}

static hd_status read_name(const reader *r, const char *path, const char *key, const char *text) {
    if (text && *text)
        return HD_OK;
    return FAIL(r, key_of(r, path, key), "'%s' is empty; write a name", key);
}

/* ---- graphs ------------------------------------------------------------- */

static hd_status make_graph(const reader *r, const char *path, const raw_graph *raw,
                            hd_job_graph *graph) {
    hd_graph_size size = {.place = &graph->place};
    bool mesh = !strcmp(raw->generator, "mesh");
    if (!mesh && strcmp(raw->generator, "netlist") != 0)
        return FAIL(r, key_of(r, path, "generator"),
                    "unknown generator '%s' of a graph; there are: mesh, netlist", raw->generator);
    hd_status status = read_count(r, key_of(r, path, "nodes"), "nodes", raw->nodes, 1, &size.nodes);
    if (status == HD_OK)
        status = read_count(r, key_of(r, path, "edges"), "edges", raw->edges, 1, &size.edges);
    if (status == HD_OK)
        status = read_count(r, key_of(r, path, "seed"), "seed", raw->seed, 0, &size.seed);
    if (status != HD_OK)
        return status;
    return (mesh ? hd_mesh_generate : hd_netlist_generate)(r->arena, r->diag, &size, &graph->graph);
}

static hd_status read_graph(const reader *r, const char *path, const raw_graph *raw,
                            hd_job_graph *graph) {
    *graph = (hd_job_graph){.name = raw->name, .place = hd_yaml_place(r->file, "%s", path)};
    hd_status status = read_name(r, path, "name", raw->name);
    if (status != HD_OK)
        return status;
    if (!raw->file == !raw->generator)
        return FAIL(r, path,
                    "graph '%s' needs either 'file', a .bench or .graph file, or 'generator', "
                    "mesh or netlist",
                    raw->name);
    if (raw->generator)
        return make_graph(r, path, raw, graph);
    if (raw->nodes || raw->edges || raw->seed)
        return FAIL(r, path,
                    "'nodes', 'edges' and 'seed' are for generators; the file of graph "
                    "'%s' has its own",
                    raw->name);
    status = read_name(r, path, "file", raw->file);
    if (status != HD_OK)
        return status;
    return hd_graph_read(r->arena, r->diag, hd_path_beside(r->arena, r->job->path, raw->file),
                         &graph->graph);
}

static hd_status read_graphs(const reader *r, const raw_job *raw) {
    hd_job *job = r->job;
    job->graphs = hd_new_array(r->arena, hd_job_graph, raw->graphs_count);
    for (uint32_t g = 0; g < raw->graphs_count; g++) {
        const char *path = hd_format(r->arena, "graphs[%u]", g);
        hd_status status = read_graph(r, path, &raw->graphs[g], &job->graphs[g]);
        if (status != HD_OK)
            return status;
        for (uint32_t other = 0; other < g; other++)
            if (!strcmp(job->graphs[other].name, job->graphs[g].name))
                return FAIL(r, key_of(r, path, "name"),
                            "there are two graphs named '%s'; rename one", job->graphs[g].name);
        job->graph_count++;
    }
    return HD_OK;
}

static hd_status find_graph(const reader *r, const char *path, const char *name,
                            hd_job_graph **graph) {
    hd_str names = {.arena = r->arena};
    for (uint32_t g = 0; g < r->job->graph_count; g++) {
        *graph = &r->job->graphs[g];
        if (!strcmp((*graph)->name, name))
            return HD_OK;
        hd_str_printf(&names, "%s%s", g ? ", " : "", (*graph)->name);
    }
    return FAIL(r, path, "there is no graph '%s'; the job's graphs are: %s", name,
                names.length ? hd_str_text(&names) : "none");
}

/* ---- buffers ------------------------------------------------------------ */

static const struct {
    const char *name;
    hd_generator generator;
} generators[] = {{"zero", HD_GEN_ZERO},       {"constant", HD_GEN_CONSTANT},
                  {"uniform", HD_GEN_UNIFORM}, {"iota", HD_GEN_IOTA},
                  {"modulo", HD_GEN_MODULO},   {"permutation", HD_GEN_PERMUTATION}};

static hd_status read_generator(const reader *r, const char *path, const char *text,
                                hd_generator *generator) {
    hd_str names = {.arena = r->arena};
    for (size_t i = 0; i < sizeof generators / sizeof *generators; i++) {
        if (!strcmp(generators[i].name, text)) {
            *generator = generators[i].generator;
            return HD_OK;
        }
        hd_str_printf(&names, "%s%s", i ? ", " : "", generators[i].name);
    }
    return FAIL(r, key_of(r, path, "generator"), "unknown generator '%s'; there are: %s", text,
                hd_str_text(&names));
}

static hd_status check_generator(const reader *r, const char *path, const raw_init *raw,
                                 const hd_init *init) {
    if (init->generator == HD_GEN_CONSTANT && !raw->low)
        return FAIL(r, path, "the generator 'constant' needs its value: add 'low'");
    if (init->generator == HD_GEN_MODULO && (!raw->high || init->high < 1))
        return FAIL(r, raw->high ? key_of(r, path, "high") : path,
                    "the generator 'modulo' needs 'high', a whole number from 1 on");
    if (init->generator == HD_GEN_UNIFORM && !(init->low <= init->high))
        return FAIL(r, path, "'low: %g' is greater than 'high: %g'; exchange them", init->low,
                    init->high);
    if (!isfinite(init->low) || !isfinite(init->high) || !isfinite(init->step))
        return FAIL(r, path, "'low', 'high' and 'step' must be finite");
    return HD_OK;
}

static hd_status read_part(const reader *r, const char *path, const raw_init *raw, hd_init *init) {
    hd_job_graph *graph;
    init->generator = HD_GEN_GRAPH;
    if (!raw->graph || !raw->part)
        return FAIL(r, path, "'graph' and 'part' go together: {graph: g, part: to}");
    if (raw->generator || raw->low || raw->high || raw->step || raw->seed)
        return FAIL(r, path,
                    "a part of a graph is no generator; beside 'graph' and 'part' there "
                    "is only 'field'");
    hd_status status = find_graph(r, key_of(r, path, "graph"), raw->graph, &graph);
    if (status != HD_OK)
        return status;
    init->graph = graph;
    if (!hd_graph_part_parse(raw->part, &init->part))
        return FAIL(r, key_of(r, path, "part"), "a graph has no part '%s'; its parts are: %s",
                    raw->part, hd_graph_part_names(r->arena));
    if (!hd_graph_has_part(graph->graph, init->part))
        return FAIL(r, key_of(r, path, "part"), "graph '%s' has no part '%s'; only circuits have",
                    graph->name, raw->part);
    return raw->field ? read_name(r, path, "field", raw->field) : HD_OK;
}

static hd_status read_init(const reader *r, const char *path, const raw_init *raw, hd_init *init) {
    *init = (hd_init){.field = raw->field, .low = 0, .high = 1, .step = 1};
    init->place = hd_yaml_place(r->file, "%s", path);
    if (raw->graph || raw->part)
        return read_part(r, path, raw, init);
    if (!raw->generator)
        return FAIL(r, path, "an entry of 'init' needs a 'generator', or a 'graph' and its 'part'");
    hd_status status = read_generator(r, path, raw->generator, &init->generator);
    if (status == HD_OK)
        status = read_number(r, key_of(r, path, "low"), "low", raw->low, &init->low);
    if (status == HD_OK)
        status = read_number(r, key_of(r, path, "high"), "high", raw->high, &init->high);
    if (status == HD_OK)
        status = read_number(r, key_of(r, path, "step"), "step", raw->step, &init->step);
    if (status == HD_OK)
        status = read_count(r, key_of(r, path, "seed"), "seed", raw->seed, 0, &init->seed);
    if (status == HD_OK && raw->field)
        status = read_name(r, path, "field", raw->field);
    return status == HD_OK ? check_generator(r, path, raw, init) : status;
}

/* A buffer without `count` has an element for each number of the first part that fills it. */
static hd_status take_count(const reader *r, const char *path, uint32_t number, hd_buffer *buffer) {
    for (uint32_t i = 0; i < buffer->init_count; i++) {
        const hd_init *init = &buffer->inits[i];
        bool may_drop_last;
        if (init->generator != HD_GEN_GRAPH)
            continue;
        buffer->count = hd_graph_part_count(init->graph->graph, init->part, &may_drop_last);
        buffer->count -= may_drop_last && init->field;
        if (buffer->count)
            return HD_OK;
        return FAIL(r, path, "graph '%s' has no edge to fill buffer '%s' with; give it a 'count'",
                    init->graph->name, buffer->name);
    }
    return FAIL(r, path,
                "the key 'count' of buffer %u is missing; add it, or fill the buffer from a graph",
                number + 1);
}

static hd_status read_buffer(const reader *r, uint32_t number, const raw_buffer *raw,
                             hd_buffer *buffer) {
    const char *path = hd_format(r->arena, "buffers[%u]", number);
    *buffer = (hd_buffer){.name = raw->name, .type = raw->type, .init_count = raw->init_count};
    buffer->place = hd_yaml_place(r->file, "%s", path);
    buffer->inits = hd_new_array(r->arena, hd_init, raw->init_count);
    hd_status status = read_name(r, path, "name", raw->name);
    if (status == HD_OK)
        status = read_name(r, path, "type", raw->type);
    if (status == HD_OK)
        status = read_count(r, key_of(r, path, "count"), "count", raw->count, 1, &buffer->count);
    if (status != HD_OK)
        return status;
    if (raw->file && raw->init_count)
        return FAIL(r, key_of(r, path, "file"), "buffer '%s' has both 'file' and 'init'; keep one",
                    raw->name);
    if (raw->file && (status = read_name(r, path, "file", raw->file)) != HD_OK)
        return status;
    if (raw->file)
        buffer->file = hd_path_beside(r->arena, r->job->path, raw->file);
    for (uint32_t i = 0; i < raw->init_count && status == HD_OK; i++)
        status = read_init(r, hd_format(r->arena, "%s.init[%u]", path, i), &raw->init[i],
                           &buffer->inits[i]);
    if (status == HD_OK && !raw->count)
        status = take_count(r, path, number, buffer);
    return status;
}

static hd_status read_buffers(const reader *r, const raw_job *raw) {
    hd_job *job = r->job;
    job->buffer_count = raw->buffers_count;
    job->buffers = hd_new_array(r->arena, hd_buffer, raw->buffers_count);
    for (uint32_t b = 0; b < job->buffer_count; b++) {
        const char *path = hd_format(r->arena, "buffers[%u]", b);
        hd_status status = read_buffer(r, b, &raw->buffers[b], &job->buffers[b]);
        if (status != HD_OK)
            return status;
        for (uint32_t other = 0; other < b; other++)
            if (!strcmp(job->buffers[other].name, job->buffers[b].name))
                return FAIL(r, key_of(r, path, "name"),
                            "there are two buffers named '%s'; rename one", job->buffers[b].name);
    }
    return HD_OK;
}

/* ---- launches ----------------------------------------------------------- */

static hd_status read_sizes(const reader *r, const char *path, const char *key, char *const *texts,
                            uint32_t count, uint64_t least, uint64_t *sizes) {
    const char *list = key_of(r, path, key);
    if (!count || count > 3)
        return FAIL(r, list, "'%s' has %u dimensions; a launch has 1 to 3", key, count);
    for (uint32_t d = 0; d < count; d++) {
        hd_status status =
            read_count(r, hd_format(r->arena, "%s[%u]", list, d), key, texts[d], least, &sizes[d]);
        if (status != HD_OK)
            return status;
        if (sizes[d] > (uint64_t)1 << 40)
            return FAIL(r, hd_format(r->arena, "%s[%u]", list, d),
                        "'%s: %s' is beyond any device; the largest size taken is 2^40", key,
                        texts[d]);
    }
    return HD_OK;
}

/* A list of sizes that is missing or empty. */
static hd_status no_sizes(const reader *r, const char *path, const char *key) {
    return FAIL(r, key_of(r, path, key),
                "'%s' of this launch is missing or has 0 dimensions; give it 1 to 3: '%s: [64]'",
                key, key);
}

/* Without `local`: the largest power of two up to 256 that divides the first dimension. */
static void choose_local(hd_launch *launch) {
    for (uint32_t d = 0; d < 3; d++)
        launch->local[d] = 1;
    while (launch->local[0] < 256 && launch->global[0] % (launch->local[0] * 2) == 0)
        launch->local[0] *= 2;
}

static hd_status read_global_sizes(const reader *r, const char *path, const raw_launch *raw,
                                   hd_launch *launch) {
    if (!raw->global)
        return no_sizes(r, path, "global");
    launch->dims = raw->global_count;
    hd_status status =
        read_sizes(r, path, "global", raw->global, raw->global_count, 1, launch->global);
    if (status != HD_OK)
        return status;
    launch->local_given = raw->local != NULL;
    if (!raw->local)
        choose_local(launch);
    else
        status = read_sizes(r, path, "local", raw->local, raw->local_count, 1, launch->local);
    if (status == HD_OK && raw->offset)
        status = read_sizes(r, path, "offset", raw->offset, raw->offset_count, 0, launch->offset);
    if (status != HD_OK)
        return status;
    if (raw->local && raw->local_count != launch->dims)
        return FAIL(r, key_of(r, path, "local"),
                    "'local' has %u dimensions, 'global' has %u; they must agree", raw->local_count,
                    launch->dims);
    if (raw->offset && raw->offset_count != launch->dims)
        return FAIL(r, key_of(r, path, "offset"),
                    "'offset' has %u dimensions, 'global' has %u; they must agree",
                    raw->offset_count, launch->dims);
    for (uint32_t d = 0; d < launch->dims; d++)
        if (launch->global[d] % launch->local[d])
            return FAIL(r, hd_format(r->arena, "%s.global[%u]", path, d),
                        "global size %llu is not a multiple of the local size %llu; the next one "
                        "is %llu",
                        (unsigned long long)launch->global[d], (unsigned long long)launch->local[d],
                        (unsigned long long)hd_align_up(launch->global[d], launch->local[d]));
    return HD_OK;
}

/* CUDA's launches: blocks, and threads in each. */
static hd_status read_blocks(const reader *r, const char *path, const raw_launch *raw,
                             hd_launch *launch) {
    uint64_t blocks[3] = {1, 1, 1};
    if (!raw->blocks || !raw->threads)
        return no_sizes(r, path, raw->blocks ? "threads" : "blocks");
    hd_status status = read_sizes(r, path, "blocks", raw->blocks, raw->blocks_count, 1, blocks);
    if (status == HD_OK)
        status = read_sizes(r, path, "threads", raw->threads, raw->threads_count, 1, launch->local);
    if (status != HD_OK)
        return status;
    launch->local_given = true;
    launch->dims = raw->blocks_count > raw->threads_count ? raw->blocks_count : raw->threads_count;
    for (uint32_t d = 0; d < 3; d++) {
        if (blocks[d] > ((uint64_t)1 << 40) / launch->local[d])
            return FAIL(r, hd_format(r->arena, "%s.blocks[%u]", path, d),
                        "%llu blocks of %llu threads are beyond any device; the largest size taken "
                        "is 2^40 threads",
                        (unsigned long long)blocks[d], (unsigned long long)launch->local[d]);
        launch->global[d] = blocks[d] * launch->local[d];
    }
    return HD_OK;
}

/* Keys of the other language are refused by name. */
static hd_status refuse_key(const reader *r, const char *path, const char *key, bool given,
                            const char *instead) {
    if (!given)
        return HD_OK;
    return FAIL(r, key_of(r, path, key), "'%s' is not for %s kernels; %s", key,
                kir_language_of(r->job->kernel_path) == KIR_CUDA ? "CUDA" : "OpenCL", instead);
}

static hd_status read_launch_sizes(const reader *r, const char *path, const raw_launch *raw,
                                   hd_launch *launch) {
    static const char blocks[] = "give 'blocks' and 'threads'",
                      global[] = "give 'global' and 'local'",
                      local[] = "give a parameter in local memory its bytes with 'local'";
    bool is_cuda = kir_language_of(r->job->kernel_path) == KIR_CUDA;
    for (uint32_t d = 0; d < 3; d++)
        launch->global[d] = launch->local[d] = 1;
    const struct {
        const char *key;
        bool given, is_cuda;
        const char *instead;
    } keys[] = {{"global", raw->global != NULL, false, blocks},
                {"local", raw->local != NULL, false, blocks},
                {"offset", raw->offset != NULL, false, "add it to an index in the kernel"},
                {"blocks", raw->blocks != NULL, true, global},
                {"threads", raw->threads != NULL, true, global},
                {"shared", raw->shared != NULL, true, local}};
    hd_status status = HD_OK;
    for (size_t i = 0; i < sizeof keys / sizeof *keys && status == HD_OK; i++)
        status = refuse_key(r, path, keys[i].key, keys[i].given && keys[i].is_cuda != is_cuda,
                            keys[i].instead);
    if (status != HD_OK)
        return status;
    launch->shared_given = raw->shared != NULL;
    status = read_count(r, key_of(r, path, "shared"), "shared", raw->shared, 0, &launch->shared);
    if (status != HD_OK)
        return status;
    return is_cuda ? read_blocks(r, path, raw, launch) : read_global_sizes(r, path, raw, launch);
}

/* What `level` of an argument stands for in a launch for a level: text of the number. */
static const char *number_of_level(const reader *r, const hd_levels *levels, uint32_t level,
                                   const char *key) {
    uint32_t first = levels->first[level];
    if (!strcmp(key, "number"))
        return hd_format(r->arena, "%u", level);
    if (!strcmp(key, "first"))
        return hd_format(r->arena, "%u", first);
    if (!strcmp(key, "count"))
        return hd_format(r->arena, "%u", levels->first[level + 1] - first);
    return NULL;
}

/* The level that a launch is for; `levels` NULL: for none. */
typedef struct at_level {
    const hd_levels *levels;
    uint32_t level;
} at_level;

static hd_status read_arg(const reader *r, const char *path, const raw_arg *raw, at_level at,
                          hd_arg *arg) {
    *arg = (hd_arg){.name = raw->name, .buffer_name = raw->buffer, .value_text = raw->value};
    arg->place = hd_yaml_place(r->file, "%s", path);
    hd_status status = read_name(r, path, "name", raw->name);
    if (status != HD_OK)
        return status;
    if (!!raw->buffer + !!raw->value + !!raw->local + !!raw->level != 1)
        return FAIL(r, path,
                    "argument '%s' needs exactly one of 'buffer', 'value' and 'local', or in a "
                    "launch for levels 'level'",
                    raw->name);
    arg->kind = raw->buffer ? HD_ARG_BUFFER : raw->local ? HD_ARG_LOCAL : HD_ARG_VALUE;
    if (raw->level && !at.levels)
        return FAIL(r, key_of(r, path, "level"),
                    "'level' is for launches with 'for_levels'; name the graph there");
    if (raw->level)
        arg->value_text = number_of_level(r, at.levels, at.level, raw->level);
    if (raw->level && !arg->value_text)
        return FAIL(r, key_of(r, path, "level"),
                    "'level: %s' is none of number, first and count, which a level has",
                    raw->level);
    return read_count(r, key_of(r, path, "local"), "local", raw->local, 1, &arg->local_bytes);
}

static hd_status read_launch(const reader *r, const char *path, const raw_launch *raw, at_level at,
                             hd_launch *launch) {
    *launch = (hd_launch){.kernel_name = raw->kernel, .repeat = 1, .arg_count = raw->args_count};
    launch->place = hd_yaml_place(r->file, "%s", path);
    launch->args = hd_new_array(r->arena, hd_arg, raw->args_count);
    hd_status status = read_name(r, path, "kernel", raw->kernel);
    if (status == HD_OK)
        status = read_launch_sizes(r, path, raw, launch);
    if (status == HD_OK)
        status =
            read_count(r, key_of(r, path, "repeat"), "repeat", raw->repeat, 1, &launch->repeat);
    for (uint32_t a = 0; a < raw->args_count && status == HD_OK; a++) {
        const char *arg_path = hd_format(r->arena, "%s.args[%u]", path, a);
        status = read_arg(r, arg_path, &raw->args[a], at, &launch->args[a]);
        for (uint32_t other = 0; other < a && status == HD_OK; other++)
            if (!strcmp(launch->args[other].name, launch->args[a].name))
                status = FAIL(r, arg_path, "argument '%s' is given twice; keep one",
                              launch->args[a].name);
    }
    return status;
}

/* ---- launches for levels -------------------------------------------------- */

typedef hd_vec(hd_launch) launch_list;

static hd_status read_level_range(const reader *r, const char *path, const raw_launch *raw,
                                  const hd_job_graph *graph, uint64_t *first, uint64_t *last) {
    uint32_t count = graph->levels->count;
    *first = 0;
    *last = count - 1;
    hd_status status =
        read_count(r, key_of(r, path, "first_level"), "first_level", raw->first_level, 0, first);
    if (status == HD_OK)
        status =
            read_count(r, key_of(r, path, "last_level"), "last_level", raw->last_level, 0, last);
    if (status == HD_OK && (*first > *last || *last >= count))
        return FAIL(r, path, "levels %llu to %llu are not there; graph '%s' has the levels 0 to %u",
                    (unsigned long long)*first, (unsigned long long)*last, graph->name, count - 1);
    return status;
}

/* Without a global size a level gets a work-item for each of its nodes, rounded up to whole
 * groups: the sizes are put in as if they stood in the file. */
static hd_status size_for_level(const reader *r, const char *path, at_level at, raw_launch *raw) {
    bool is_cuda = kir_language_of(r->job->kernel_path) == KIR_CUDA;
    uint64_t nodes = at.levels->first[at.level + 1] - at.levels->first[at.level], group[3] = {256};
    const char *key = is_cuda ? "threads" : "local";
    char **sizes = is_cuda ? raw->threads : raw->local;
    uint32_t dims = is_cuda ? raw->threads_count : raw->local_count;
    if (raw->global || raw->blocks)
        return HD_OK;
    hd_status status = sizes ? read_sizes(r, path, key, sizes, dims, 1, group) : HD_OK;
    if (status != HD_OK)
        return status;
    if (sizes && dims != 1)
        return FAIL(r, key_of(r, path, key),
                    "a launch for levels has one dimension, unless it is given 'global' or "
                    "'blocks'");
    char **texts = hd_new_array(r->arena, char *, 2);
    uint64_t groups = (nodes + group[0] - 1) / group[0];
    texts[0] = hd_format(r->arena, "%llu", (unsigned long long)(groups * (is_cuda ? 1 : group[0])));
    texts[1] = hd_format(r->arena, "%llu", (unsigned long long)group[0]);
    *(is_cuda ? &raw->blocks : &raw->global) = texts;
    *(is_cuda ? &raw->threads : &raw->local) = texts + 1;
    if (is_cuda)
        raw->blocks_count = raw->threads_count = 1;
    else
        raw->global_count = raw->local_count = 1;
    return HD_OK;
}

static hd_status read_level_launches(const reader *r, const char *path, const raw_launch *raw,
                                     launch_list *list) {
    hd_job_graph *graph;
    uint64_t first, last;
    hd_status status = find_graph(r, key_of(r, path, "for_levels"), raw->for_levels, &graph);
    if (status == HD_OK && !graph->levels)
        graph->levels = hd_graph_levels(r->arena, graph->graph);
    if (status == HD_OK)
        status = read_level_range(r, path, raw, graph, &first, &last);
    if (status != HD_OK)
        return status;
    for (uint64_t level = first; level <= last && status == HD_OK; level++) {
        const at_level at = {graph->levels, (uint32_t)level};
        raw_launch sized = *raw;
        hd_launch launch;
        status = size_for_level(r, path, at, &sized);
        if (status == HD_OK)
            status = read_launch(r, path, &sized, at, &launch);
        if (status == HD_OK)
            hd_push(r->arena, list, launch);
    }
    return status;
}

static hd_status read_single_launch(const reader *r, const char *path, const raw_launch *raw,
                                    launch_list *list) {
    hd_launch launch;
    if (raw->first_level || raw->last_level)
        return FAIL(r, key_of(r, path, raw->first_level ? "first_level" : "last_level"),
                    "'first_level' and 'last_level' are for launches with 'for_levels'; name the "
                    "graph there");
    hd_status status = read_launch(r, path, raw, (at_level){0}, &launch);
    if (status == HD_OK)
        hd_push(r->arena, list, launch);
    return status;
}

static hd_status read_launches(const reader *r, const raw_job *raw) {
    launch_list list = {0};
    hd_status status = HD_OK;
    if (!raw->launches_count)
        return FAIL(r, "launches", "'launches' is empty; a job runs at least one kernel");
    for (uint32_t l = 0; l < raw->launches_count && status == HD_OK; l++)
        status = (raw->launches[l].for_levels ? read_level_launches : read_single_launch)(
            r, hd_format(r->arena, "launches[%u]", l), &raw->launches[l], &list);
    r->job->launch_count = (uint32_t)list.count;
    r->job->launches = list.data;
    return status;
}

/* ---- the job ------------------------------------------------------------ */

static hd_status read_tolerance(const reader *r, const raw_tolerance *raw) {
    if (!raw)
        return HD_OK;
    const struct {
        const char *key, *text;
        double *number;
    } parts[] = {{"relative", raw->relative, &r->job->relative},
                 {"absolute", raw->absolute, &r->job->absolute}};
    for (size_t i = 0; i < 2; i++) {
        const char *path = key_of(r, "tolerance", parts[i].key);
        hd_status status = read_number(r, path, parts[i].key, parts[i].text, parts[i].number);
        if (status != HD_OK)
            return status;
        if (!(*parts[i].number >= 0) || isinf(*parts[i].number))
            return FAIL(r, path, "'%s: %s' is no tolerance; write a number from 0 on", parts[i].key,
                        parts[i].text);
    }
    return HD_OK;
}

static hd_status read_job(const reader *r, const raw_job *raw) {
    hd_job *job = r->job;
    hd_status status = read_name(r, "", "kernel", raw->kernel);
    if (status != HD_OK)
        return status;
    job->kernel_path = hd_path_beside(r->arena, job->path, raw->kernel);
    job->kernel_place = hd_yaml_place(r->file, "kernel");
    job->options = raw->options ? raw->options : "";
    job->record_name = raw->record && *raw->record ? raw->record : NULL;
    job->record_place = hd_yaml_place(r->file, "%s", raw->record ? "record" : "");
    status = read_graphs(r, raw);
    if (status == HD_OK)
        status = read_buffers(r, raw);
    if (status == HD_OK)
        status = read_launches(r, raw);
    return status == HD_OK ? read_tolerance(r, raw->tolerance) : status;
}

hd_status hd_job_read(hd_arena *arena, const hd_diag *diag, const char *path, hd_job **result) {
    hd_yaml_file *file;
    void *raw;
    hd_status status = hd_yaml_open(arena, diag, path, &job_value, &file, &raw);
    if (status != HD_OK)
        return status;
    hd_job *job = hd_new(arena, hd_job);
    job->path = hd_strdup(arena, path);
    status = read_job(&(reader){arena, diag, file, job}, raw);
    hd_yaml_close(file);
    if (status == HD_OK)
        *result = job;
    return status;
}
