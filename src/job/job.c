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
 * structs of text (`raw_...` in reader.h): all scalars are text, because a reader that takes
 * `count: 1e6` for 1 is worse than none. Then each entry is turned into its form
 * in job.h and checked, the launches in launches.c; what it takes the compiled
 * kernels to know is left to resolve.c.
 */
#include <math.h>

#include "job/reader.h"

/* ---- the schema --------------------------------------------------------- */

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

static const cyaml_schema_field_t arrays_fields[] = {
    NEEDED(record, raw_arrays), LIST(fields, 0, raw_arrays, &text_value), CYAML_FIELD_END};
static const cyaml_schema_value_t arrays_value = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, raw_arrays, arrays_fields)};

static const cyaml_schema_field_t tolerance_fields[] = {
    OPTIONAL(relative, raw_tolerance), OPTIONAL(absolute, raw_tolerance), CYAML_FIELD_END};

static const cyaml_schema_field_t job_fields[] = {
    NEEDED(kernel, raw_job),
    OPTIONAL(options, raw_job),
    OPTIONAL(record, raw_job),
    LIST(split, CYAML_FLAG_OPTIONAL, raw_job, &text_value),
    LIST(arrays, CYAML_FLAG_OPTIONAL, raw_job, &arrays_value),
    LIST(graphs, CYAML_FLAG_OPTIONAL, raw_job, &graph_value),
    LIST(buffers, CYAML_FLAG_OPTIONAL, raw_job, &buffer_value),
    LIST(launches, 0, raw_job, &launch_value),
    CYAML_FIELD_MAPPING_PTR("tolerance", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, raw_job,
                            tolerance, tolerance_fields),
    CYAML_FIELD_END};
static const cyaml_schema_value_t job_value = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, raw_job, job_fields)};

/* ---- values ------------------------------------------------------------- */

hd_status hd_reader_fail(const reader *r, const char *path, const char *text) {
    hd_place place = hd_yaml_place(r->file, "%s", path);
    return hd_fail(r->diag, HD_EINPUT, &place, "%s", text);
}

const char *hd_reader_key(const reader *r, const char *path, const char *key) {
    return hd_format(r->arena, "%s%s%s", path, *path ? "." : "", key);
}

hd_status hd_reader_count(const reader *r, const char *path, const char *name, const char *text,
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

hd_status hd_reader_name(const reader *r, const char *path, const char *key, const char *text) {
    if (text && *text)
        return HD_OK;
    return FAIL(r, hd_reader_key(r, path, key), "'%s' is empty; write a name", key);
}

/* ---- graphs ------------------------------------------------------------- */

static hd_status make_graph(const reader *r, const char *path, const raw_graph *raw,
                            hd_job_graph *graph) {
    hd_graph_size size = {.place = &graph->place};
    bool mesh = !strcmp(raw->generator, "mesh");
    if (!mesh && strcmp(raw->generator, "netlist") != 0)
        return FAIL(r, hd_reader_key(r, path, "generator"),
                    "unknown generator '%s' of a graph; there are: mesh, netlist", raw->generator);
    hd_status status =
        hd_reader_count(r, hd_reader_key(r, path, "nodes"), "nodes", raw->nodes, 1, &size.nodes);
    if (status == HD_OK)
        status = hd_reader_count(r, hd_reader_key(r, path, "edges"), "edges", raw->edges, 1,
                                 &size.edges);
    if (status == HD_OK)
        status =
            hd_reader_count(r, hd_reader_key(r, path, "seed"), "seed", raw->seed, 0, &size.seed);
    if (status != HD_OK)
        return status;
    return (mesh ? hd_mesh_generate : hd_netlist_generate)(r->arena, r->diag, &size, &graph->graph);
}

static hd_status read_graph(const reader *r, const char *path, const raw_graph *raw,
                            hd_job_graph *graph) {
    *graph = (hd_job_graph){.name = raw->name, .place = hd_yaml_place(r->file, "%s", path)};
    hd_status status = hd_reader_name(r, path, "name", raw->name);
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
    status = hd_reader_name(r, path, "file", raw->file);
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
                return FAIL(r, hd_reader_key(r, path, "name"),
                            "there are two graphs named '%s'; rename one", job->graphs[g].name);
        job->graph_count++;
    }
    return HD_OK;
}

hd_status hd_reader_graph(const reader *r, const char *path, const char *name,
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
    return FAIL(r, hd_reader_key(r, path, "generator"), "unknown generator '%s'; there are: %s",
                text, hd_str_text(&names));
}

static hd_status check_generator(const reader *r, const char *path, const raw_init *raw,
                                 const hd_init *init) {
    if (init->generator == HD_GEN_CONSTANT && !raw->low)
        return FAIL(r, path, "the generator 'constant' needs its value: add 'low'");
    if (init->generator == HD_GEN_MODULO && (!raw->high || init->high < 1))
        return FAIL(r, raw->high ? hd_reader_key(r, path, "high") : path,
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
    hd_status status = hd_reader_graph(r, hd_reader_key(r, path, "graph"), raw->graph, &graph);
    if (status != HD_OK)
        return status;
    init->graph = graph;
    if (!hd_graph_part_parse(raw->part, &init->part))
        return FAIL(r, hd_reader_key(r, path, "part"),
                    "a graph has no part '%s'; its parts are: %s", raw->part,
                    hd_graph_part_names(r->arena));
    if (!hd_graph_has_part(graph->graph, init->part))
        return FAIL(r, hd_reader_key(r, path, "part"),
                    "graph '%s' has no part '%s'; only circuits have", graph->name, raw->part);
    return raw->field ? hd_reader_name(r, path, "field", raw->field) : HD_OK;
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
        status = read_number(r, hd_reader_key(r, path, "low"), "low", raw->low, &init->low);
    if (status == HD_OK)
        status = read_number(r, hd_reader_key(r, path, "high"), "high", raw->high, &init->high);
    if (status == HD_OK)
        status = read_number(r, hd_reader_key(r, path, "step"), "step", raw->step, &init->step);
    if (status == HD_OK)
        status =
            hd_reader_count(r, hd_reader_key(r, path, "seed"), "seed", raw->seed, 0, &init->seed);
    if (status == HD_OK && raw->field)
        status = hd_reader_name(r, path, "field", raw->field);
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
    hd_status status = hd_reader_name(r, path, "name", raw->name);
    if (status == HD_OK)
        status = hd_reader_name(r, path, "type", raw->type);
    if (status == HD_OK)
        status = hd_reader_count(r, hd_reader_key(r, path, "count"), "count", raw->count, 1,
                                 &buffer->count);
    if (status != HD_OK)
        return status;
    if (raw->file && raw->init_count)
        return FAIL(r, hd_reader_key(r, path, "file"),
                    "buffer '%s' has both 'file' and 'init'; keep one", raw->name);
    if (raw->file && (status = hd_reader_name(r, path, "file", raw->file)) != HD_OK)
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
                return FAIL(r, hd_reader_key(r, path, "name"),
                            "there are two buffers named '%s'; rename one", job->buffers[b].name);
    }
    return HD_OK;
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
        const char *path = hd_reader_key(r, "tolerance", parts[i].key);
        hd_status status = read_number(r, path, parts[i].key, parts[i].text, parts[i].number);
        if (status != HD_OK)
            return status;
        if (!(*parts[i].number >= 0) || isinf(*parts[i].number))
            return FAIL(r, path, "'%s: %s' is no tolerance; write a number from 0 on", parts[i].key,
                        parts[i].text);
    }
    return HD_OK;
}

static hd_status read_split(const reader *r, const raw_job *raw) {
    hd_job *job = r->job;
    hd_status status = HD_OK;
    for (uint32_t s = 0; s < raw->split_count && status == HD_OK; s++)
        status = hd_reader_name(r, "", hd_format(r->arena, "split[%u]", s), raw->split[s]);
    job->split = (const char *const *)raw->split;
    job->split_count = raw->split_count;
    job->split_place = hd_yaml_place(r->file, "%s", raw->split_count ? "split" : "");
    return status;
}

static hd_status read_arrays(const reader *r, const raw_job *raw) {
    hd_job *job = r->job;
    job->arrays = hd_new_array(r->arena, hd_job_arrays, raw->arrays_count);
    for (uint32_t a = 0; a < raw->arrays_count; a++) {
        const raw_arrays *from = &raw->arrays[a];
        const char *path = hd_format(r->arena, "arrays[%u]", a);
        hd_status status = hd_reader_name(r, path, "record", from->record);
        for (uint32_t f = 0; f < from->fields_count && status == HD_OK; f++)
            status = hd_reader_name(r, path, hd_format(r->arena, "fields[%u]", f), from->fields[f]);
        if (status != HD_OK)
            return status;
        if (!from->fields_count || from->fields_count > HD_MAX_FIELDS)
            return FAIL(r, hd_reader_key(r, path, "fields"),
                        "'fields' names %u buffers; a record is made of 1 to %d",
                        from->fields_count, HD_MAX_FIELDS);
        job->arrays[job->arrays_count++] =
            (hd_job_arrays){.name = from->record,
                            .fields = (const char *const *)from->fields,
                            .field_count = from->fields_count,
                            .place = hd_yaml_place(r->file, "%s", path)};
    }
    return HD_OK;
}

static hd_status read_job(const reader *r, const raw_job *raw) {
    hd_job *job = r->job;
    hd_status status = hd_reader_name(r, "", "kernel", raw->kernel);
    if (status != HD_OK)
        return status;
    job->kernel_path = hd_path_beside(r->arena, job->path, raw->kernel);
    job->kernel_place = hd_yaml_place(r->file, "kernel");
    job->options = raw->options ? raw->options : "";
    job->record_name = raw->record && *raw->record ? raw->record : NULL;
    job->record_place = hd_yaml_place(r->file, "%s", raw->record ? "record" : "");
    status = read_split(r, raw);
    if (status == HD_OK)
        status = read_arrays(r, raw);
    if (status == HD_OK)
        status = read_graphs(r, raw);
    if (status == HD_OK)
        status = read_buffers(r, raw);
    if (status == HD_OK)
        status = hd_reader_launches(r, raw);
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
