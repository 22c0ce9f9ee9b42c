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
 * Reading has two steps. base/yaml.c reads the YAML and checks its keys by the tables below:
 * all scalars are text, because a reader that takes `count: 1e6` for 1 is worse than none.
 * Then each entry is turned into its form in job.h and checked, the launches in launches.c;
 * what it takes the compiled kernels to know is left to resolve.c.
 */
#include <math.h>

#include "job/internal.h"

/* ---- keys --------------------------------------------------------------- */

#define TEXT(key, ...) {.name = #key, __VA_ARGS__}
#define LIST(key, entry_keys, word, ...)                                                 \
    {.name = #key, .kind = HD_YAML_LIST, .keys = entry_keys, .entry = word, __VA_ARGS__}
#define NEEDED .needed = true
#define LIKE(text) .example = text

static const hd_yaml_key graph_keys[] = {
    TEXT(name, NEEDED), TEXT(file), TEXT(generator), TEXT(nodes), TEXT(edges), TEXT(seed), {0}};

static const hd_yaml_key init_keys[] = {TEXT(field), TEXT(generator), TEXT(low),
                                        TEXT(high),  TEXT(step),      TEXT(seed),
                                        TEXT(graph), TEXT(part),      {0}};

static const hd_yaml_key buffer_keys[] = {
    TEXT(name, NEEDED),
    TEXT(type, NEEDED),
    TEXT(count),
    LIST(init, init_keys, "init", LIKE("init: [{generator: uniform, low: 0, high: 1, seed: 1}]")),
    TEXT(file),
    TEXT(at, LIKE("at: 0x100000000")),
    TEXT(placement, LIKE("placement: host")),
    {0}};

static const hd_yaml_key spot_keys[] = {TEXT(buffer, NEEDED), TEXT(element), TEXT(field), {0}};
static const hd_yaml_key items_keys[] = {
    TEXT(buffer, NEEDED), TEXT(element), TEXT(field), TEXT(each), {0}};
#define MAP(key, its_keys, ...) {.name = #key, .kind = HD_YAML_MAP, .keys = its_keys, __VA_ARGS__}

static const hd_yaml_key arg_keys[] = {
    TEXT(name, NEEDED),
    TEXT(buffer),
    TEXT(value, LIKE("value: 3, or value: \"1, 2, 3, 4\" for a vector")),
    TEXT(local, LIKE("local: [64] in a launch, local: 1024 (bytes) in an argument")),
    TEXT(bytes, LIKE("bytes: \"0000803f\", two digits for each byte")),
    TEXT(level),
    TEXT(round, LIKE("round: 0, the value in the first round of a group")),
    TEXT(step),
    TEXT(factor),
    MAP(from, spot_keys, LIKE("from: {buffer: count, element: 0}, beside a value")),
    TEXT(offset, LIKE("offset: [0] in a launch, offset: 256 (bytes) in an argument")),
    {0}};

static const hd_yaml_key held_keys[] = {TEXT(buffer, NEEDED), TEXT(file, NEEDED), {0}};

static const hd_yaml_key copy_keys[] = {TEXT(from, NEEDED), TEXT(to, NEEDED), {0}};
static const hd_yaml_key fill_keys[] = {TEXT(buffer, NEEDED), TEXT(value, NEEDED), {0}};
static const hd_yaml_key element_keys[] = {
    TEXT(buffer, NEEDED), TEXT(element), TEXT(field), TEXT(value, NEEDED), {0}};

enum { LAUNCH_KEYS = 21 };
static const hd_yaml_key launch_keys[LAUNCH_KEYS]; /* has a list of itself */
static const hd_yaml_key launch_keys[LAUNCH_KEYS] = {
    TEXT(kernel),
    LIST(launches, launch_keys, "launch",
         LIKE("launches: [{kernel: k, global: [64]}] of a group that is repeated")),
    MAP(until, element_keys, LIKE("until: {buffer: flag, element: 0, value: 0}")),
    MAP(copy, copy_keys, LIKE("copy: {from: a, to: b}")),
    MAP(fill, fill_keys, LIKE("fill: {buffer: a, value: 0}")),
    MAP(set, element_keys, LIKE("set: {buffer: a, element: 0, value: 1}")),
    LIST(global, NULL, NULL, LIKE("global: [1024]")),
    LIST(local, NULL, NULL, LIKE("local: [64] in a launch, local: 1024 (bytes) in an argument")),
    LIST(offset, NULL, NULL, LIKE("offset: [0] in a launch, offset: 256 (bytes) in an argument")),
    LIST(blocks, NULL, NULL, LIKE("blocks: [64]")),
    LIST(threads, NULL, NULL, LIKE("threads: [256]")),
    MAP(items_from, items_keys, LIKE("items_from: {buffer: count, element: 0}")),
    TEXT(shared),
    TEXT(repeat),
    TEXT(for_levels),
    TEXT(first_level),
    TEXT(last_level),
    LIST(args, arg_keys, "argument", LIKE("args: [{name: a, buffer: a}, {name: n, value: 64}]")),
    LIST(before, held_keys, "content", LIKE("before: [{buffer: a, file: a.bin}]")),
    LIST(after, held_keys, "content", LIKE("after: [{buffer: a, file: a.bin}]")),
    {0}};

static const hd_yaml_key arrays_keys[] = {
    TEXT(record, NEEDED), LIST(fields, NULL, NULL, NEEDED), {0}};

static const hd_yaml_key declared_keys[] = {
    TEXT(name, NEEDED), TEXT(fields, NEEDED), TEXT(stride), {0}};

#define TEXTS(key, ...) {.name = #key, .kind = HD_YAML_LIST, .or_text = true, __VA_ARGS__}
static const hd_yaml_key indices_keys[] = {
    TEXT(from),  TEXT(argument, LIKE("argument: KERNEL.NAME")),
    TEXTS(to),   TEXT(rows),
    TEXT(end),   TEXT(length),
    TEXTS(none), TEXTS(points, LIKE("points: [atoms.x, atoms.y, atoms.z]")),
    {0}};

static const hd_yaml_key tolerance_keys[] = {TEXT(relative), TEXT(absolute), {0}};

static const hd_yaml_key job_keys[] = {
    TEXT(kernel, NEEDED, LIKE("kernel: nbody.cl")),
    TEXT(options, LIKE("options: -DN=4 -DM=8")),
    TEXT(record),
    LIST(split, NULL, NULL),
    LIST(arrays, arrays_keys, "record"),
    LIST(records, declared_keys, "record",
         LIKE("records: [{name: body, fields: \"float x, y, z; int id\"}]")),
    LIST(graphs, graph_keys, "graph", LIKE("graphs: [{name: g, file: b17.bench}]")),
    LIST(indices, indices_keys, "index", LIKE("indices: [{from: neighbours, to: nodes}]")),
    LIST(buffers, buffer_keys, "buffer", LIKE("buffers: [{name: a, type: float, count: 64}]")),
    LIST(launches, launch_keys, "launch", NEEDED,
         LIKE("launches: [{kernel: k, global: [64], args: [{name: a, buffer: a}]}]")),
    {.name = "tolerance",
     .kind = HD_YAML_MAP,
     .keys = tolerance_keys,
     LIKE("tolerance: {relative: 1e-5, absolute: 1e-7}")},
    {0}};

static const hd_yaml_form job_form = {"a job file", "kernel: k.cl", job_keys};

/* ---- values ------------------------------------------------------------- */

hd_status job_reader_fail(const reader *r, const hd_yaml *at, const char *text) {
    hd_place place = hd_yaml_place(r->file, at);
    return hd_fail(r->diag, HD_EINPUT, &place, "%s", text);
}

/* The value of a key, or the map itself where the key is not there: for messages. */
static const hd_yaml *reader_at(const hd_yaml *map, const char *key) {
    const hd_yaml *value = hd_yaml_get(map, key);
    return value ? value : map;
}

hd_status job_reader_whole(const reader *r, const char *key, const hd_yaml *value, uint64_t least,
                           uint64_t *number) {
    kir_type ulong_type = {.kind = KIR_INT, .bits = 64, .lanes = 1};
    if (!hd_type_parse_value(ulong_type, false, value->text, number) || *number < least)
        return FAIL(r, value, "'%s: %s' is not a whole number from %llu on, such as 1024 or 1e6",
                    key, value->text, (unsigned long long)least);
    return HD_OK;
}

hd_status job_reader_count(const reader *r, const hd_yaml *map, const char *key, uint64_t least,
                           uint64_t *number) {
    const hd_yaml *value = hd_yaml_get(map, key);
    return value ? job_reader_whole(r, key, value, least, number) : HD_OK;
}

static hd_status read_number(const reader *r, const hd_yaml *map, const char *key, double *number) {
    kir_type double_type = {.kind = KIR_FLOAT, .bits = 64, .lanes = 1};
    kir_type long_type = {.kind = KIR_INT, .bits = 64, .lanes = 1};
    const hd_yaml *value = hd_yaml_get(map, key);
    int64_t whole;
    if (!value)
        return HD_OK;
    if (hd_type_parse_value(long_type, true, value->text, &whole))
        *number = (double)whole;
    else if (!hd_type_parse_value(double_type, true, value->text, number))
        return FAIL(r, value, "'%s: %s' is not a number, such as 3, -0.5 or 1e-5", key,
                    value->text);
    return HD_OK;
}

static hd_status check_name(const reader *r, const hd_yaml *value, const char *key) {
    return *value->text ? HD_OK : FAIL(r, value, "'%s' is empty; write a name", key);
}

hd_status job_reader_name(const reader *r, const hd_yaml *map, const char *key, const char **name) {
    const hd_yaml *value = hd_yaml_get(map, key);
    *name = value->text;
    return check_name(r, value, key);
}

/* The same of a key that may be missing; then *name is NULL. */
static hd_status read_optional_name(const reader *r, const hd_yaml *map, const char *key,
                                    const char **name) {
    *name = NULL;
    return hd_yaml_get(map, key) ? job_reader_name(r, map, key, name) : HD_OK;
}

/* The texts of a list. */
static const char **reader_texts(const reader *r, const hd_yaml *list) {
    const char **texts = hd_new_array(r->arena, const char *, list->count);
    for (uint32_t i = 0; i < list->count; i++)
        texts[i] = list->items[i].text;
    return texts;
}

/* ---- graphs ------------------------------------------------------------- */

static hd_status read_graph(const reader *r, const hd_yaml *map, hd_job_graph *graph) {
    *graph = (hd_job_graph){.place = hd_yaml_place(r->file, map)};
    const char *file = hd_yaml_text(map, "file"), *generator = hd_yaml_text(map, "generator");
    hd_graph_size size = {.place = &graph->place};
    hd_status status = job_reader_name(r, map, "name", &graph->name);
    if (status != HD_OK)
        return status;
    if (!file == !generator)
        return FAIL(r, map,
                    "graph '%s' needs either 'file', a .bench or .graph file, or 'generator', "
                    "mesh or netlist",
                    graph->name);
    if (file &&
        (hd_yaml_get(map, "nodes") || hd_yaml_get(map, "edges") || hd_yaml_get(map, "seed")))
        return FAIL(r, map,
                    "'nodes', 'edges' and 'seed' are for generators; the file of graph "
                    "'%s' has its own",
                    graph->name);
    if (file) {
        status = job_reader_name(r, map, "file", &file);
        return status ? status
                      : hd_graph_read(r->arena, r->diag,
                                      hd_path_beside(r->arena, r->job->path, file), &graph->graph);
    }
    bool mesh = !strcmp(generator, "mesh");
    if (!mesh && strcmp(generator, "netlist") != 0)
        return FAIL(r, hd_yaml_get(map, "generator"),
                    "unknown generator '%s' of a graph; there are: mesh, netlist", generator);
    if ((status = job_reader_count(r, map, "nodes", 1, &size.nodes)) ||
        (status = job_reader_count(r, map, "edges", 1, &size.edges)) ||
        (status = job_reader_count(r, map, "seed", 0, &size.seed)))
        return status;
    return (mesh ? hd_mesh_generate : hd_netlist_generate)(r->arena, r->diag, &size, &graph->graph);
}

/* Two of a kind with one name are an error. */
static hd_status add_name(const reader *r, hd_hash_table *names, const hd_yaml *map,
                          const char *name, uint32_t number, const char *kind) {
    if (hd_hash_add_key(names, name, number) == number)
        return HD_OK;
    return FAIL(r, reader_at(map, "name"), "there are two %s named '%s'; rename one", kind, name);
}

static hd_status read_graphs(const reader *r, const hd_yaml *list) {
    hd_job *job = r->job;
    hd_status status = HD_OK;
    job->graphs = hd_new_array(r->arena, hd_job_graph, list ? list->count : 0);
    for (uint32_t g = 0; list && g < list->count && status == HD_OK; g++) {
        const hd_yaml *map = &list->items[g];
        status = read_graph(r, map, &job->graphs[g]);
        if (status == HD_OK)
            status = add_name(r, r->graphs, map, job->graphs[g].name, g, "graphs");
        job->graph_count += status == HD_OK;
    }
    return status;
}

hd_status job_reader_graph(const reader *r, const hd_yaml *map, const char *key,
                           hd_job_graph **graph) {
    const hd_yaml *value = hd_yaml_get(map, key);
    uint64_t number = hd_hash_get_key(r->graphs, value->text);
    if (number != HD_NO_VALUE) {
        *graph = &r->job->graphs[number];
        return HD_OK;
    }
    hd_str names = {.arena = r->arena};
    for (uint32_t g = 0; g < r->job->graph_count; g++)
        hd_str_printf(&names, "%s%s", g ? ", " : "", r->job->graphs[g].name);
    return FAIL(r, value, "there is no graph '%s'; the job's graphs are: %s", value->text,
                names.length ? hd_str_text(&names) : "none");
}

/* ---- buffers ------------------------------------------------------------ */

static const struct {
    const char *name;
    hd_generator generator;
} generators[] = {{"zero", HD_GEN_ZERO},       {"constant", HD_GEN_CONSTANT},
                  {"uniform", HD_GEN_UNIFORM}, {"iota", HD_GEN_IOTA},
                  {"modulo", HD_GEN_MODULO},   {"permutation", HD_GEN_PERMUTATION}};

static hd_status read_generator(const reader *r, const hd_yaml *value, hd_generator *generator) {
    hd_str names = {.arena = r->arena};
    for (size_t i = 0; i < sizeof generators / sizeof *generators; i++) {
        *generator = generators[i].generator;
        if (!strcmp(generators[i].name, value->text))
            return HD_OK;
        hd_str_printf(&names, "%s%s", i ? ", " : "", generators[i].name);
    }
    return FAIL(r, value, "unknown generator '%s'; there are: %s", value->text,
                hd_str_text(&names));
}

static hd_status check_numbers(const reader *r, const hd_yaml *map, const hd_init *init) {
    if (init->generator == HD_GEN_CONSTANT && !hd_yaml_get(map, "low"))
        return FAIL(r, map, "the generator 'constant' needs its value: add 'low'");
    if (init->generator == HD_GEN_MODULO && (!hd_yaml_get(map, "high") || init->high < 1))
        return FAIL(r, reader_at(map, "high"),
                    "the generator 'modulo' needs 'high', a whole number from 1 on");
    if (init->generator == HD_GEN_UNIFORM && !(init->low <= init->high))
        return FAIL(r, map, "'low: %g' is greater than 'high: %g'; exchange them", init->low,
                    init->high);
    if (!isfinite(init->low) || !isfinite(init->high) || !isfinite(init->step))
        return FAIL(r, map, "'low', 'high' and 'step' must be finite");
    return HD_OK;
}

static hd_status read_part(const reader *r, const hd_yaml *map, hd_init *init) {
    hd_job_graph *graph;
    const hd_yaml *part = hd_yaml_get(map, "part");
    init->generator = HD_GEN_GRAPH;
    if (!hd_yaml_get(map, "graph") || !part)
        return FAIL(r, map, "'graph' and 'part' go together: {graph: g, part: to}");
    static const char *const others[] = {"generator", "low", "high", "step", "seed"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (hd_yaml_get(map, others[i]))
            return FAIL(r, map,
                        "a part of a graph is no generator; beside 'graph' and 'part' there "
                        "is only 'field'");
    hd_status status = job_reader_graph(r, map, "graph", &graph);
    if (status != HD_OK)
        return status;
    init->graph = graph;
    if (!hd_graph_part_parse(part->text, &init->part))
        return FAIL(r, part, "a graph has no part '%s'; its parts are: %s", part->text,
                    hd_graph_part_names(r->arena));
    if (!hd_graph_has_part(graph->graph, init->part))
        return FAIL(r, part, "graph '%s' has no part '%s'; only circuits have", graph->name,
                    part->text);
    return read_optional_name(r, map, "field", &init->field);
}

static hd_status read_init(const reader *r, const hd_yaml *map, hd_init *init) {
    *init = (hd_init){.low = 0, .high = 1, .step = 1};
    init->place = hd_yaml_place(r->file, map);
    if (hd_yaml_get(map, "graph") || hd_yaml_get(map, "part"))
        return read_part(r, map, init);
    const hd_yaml *generator = hd_yaml_get(map, "generator");
    if (!generator)
        return FAIL(r, map, "an entry of 'init' needs a 'generator', or a 'graph' and its 'part'");
    hd_status status;
    if ((status = read_generator(r, generator, &init->generator)) ||
        (status = read_number(r, map, "low", &init->low)) ||
        (status = read_number(r, map, "high", &init->high)) ||
        (status = read_number(r, map, "step", &init->step)) ||
        (status = job_reader_count(r, map, "seed", 0, &init->seed)) ||
        (status = read_optional_name(r, map, "field", &init->field)))
        return status;
    return check_numbers(r, map, init);
}

/* A buffer without `count` has an element for each number of the first part that fills it. */
static hd_status take_count(const reader *r, const hd_yaml *map, uint32_t number,
                            hd_buffer *buffer) {
    for (uint32_t i = 0; i < buffer->init_count; i++) {
        const hd_init *init = &buffer->inits[i];
        bool may_drop_last;
        if (init->generator != HD_GEN_GRAPH)
            continue;
        buffer->count = hd_graph_part_count(init->graph->graph, init->part, &may_drop_last);
        buffer->count -= may_drop_last && init->field;
        if (buffer->count)
            return HD_OK;
        return FAIL(r, map, "graph '%s' has no edge to fill buffer '%s' with; give it a 'count'",
                    init->graph->name, buffer->name);
    }
    return FAIL(r, map,
                "the key 'count' of buffer %u is missing; add it, or fill the buffer from a graph",
                number + 1);
}

static hd_status read_placement(const reader *r, const hd_yaml *map, hd_placement *placement) {
    const hd_yaml *value = hd_yaml_get(map, "placement");
    if (!value || hd_placement_parse(value->text, placement))
        return HD_OK;
    return FAIL(r, value, "unknown placement '%s'; there are: %s", value->text,
                hd_placement_names(r->arena));
}

static hd_status read_buffer(const reader *r, uint32_t number, const hd_yaml *map,
                             hd_buffer *buffer) {
    const hd_yaml *inits = hd_yaml_get(map, "init");
    const char *file;
    *buffer = (hd_buffer){.place = hd_yaml_place(r->file, map)};
    hd_status status;
    if ((status = job_reader_name(r, map, "name", &buffer->name)) ||
        (status = job_reader_name(r, map, "type", &buffer->type)) ||
        (status = job_reader_count(r, map, "count", 1, &buffer->count)) ||
        (status = job_reader_count(r, map, "at", 4096, &buffer->at)) ||
        (status = read_placement(r, map, &buffer->placement)) ||
        (status = read_optional_name(r, map, "file", &file)))
        return status;
    buffer->init_count = inits ? inits->count : 0;
    buffer->inits = hd_new_array(r->arena, hd_init, buffer->init_count);
    if (file && buffer->init_count)
        return FAIL(r, hd_yaml_get(map, "file"), "buffer '%s' has both 'file' and 'init'; keep one",
                    buffer->name);
    if (file)
        buffer->file = hd_path_beside(r->arena, r->job->path, file);
    for (uint32_t i = 0; i < buffer->init_count && status == HD_OK; i++)
        status = read_init(r, &inits->items[i], &buffer->inits[i]);
    if (status == HD_OK && !hd_yaml_get(map, "count"))
        status = take_count(r, map, number, buffer);
    return status;
}

static hd_status read_buffers(const reader *r, const hd_yaml *list) {
    hd_job *job = r->job;
    hd_hash_table names = {.arena = r->arena, .key_bytes = HD_TEXT_KEYS};
    hd_status status = HD_OK;
    job->buffer_count = list ? list->count : 0;
    job->buffers = hd_new_array(r->arena, hd_buffer, job->buffer_count);
    for (uint32_t b = 0; b < job->buffer_count && status == HD_OK; b++) {
        status = read_buffer(r, b, &list->items[b], &job->buffers[b]);
        if (status == HD_OK)
            status = add_name(r, &names, &list->items[b], job->buffers[b].name, b, "buffers");
    }
    return status;
}

/* ---- the job ------------------------------------------------------------ */

static hd_status read_tolerance(const reader *r, const hd_yaml *map) {
    const struct {
        const char *key;
        double *number;
    } parts[] = {{"relative", &r->job->relative}, {"absolute", &r->job->absolute}};
    for (size_t i = 0; map && i < 2; i++) {
        hd_status status = read_number(r, map, parts[i].key, parts[i].number);
        if (status != HD_OK)
            return status;
        if (!(*parts[i].number >= 0) || isinf(*parts[i].number))
            return FAIL(r, hd_yaml_get(map, parts[i].key),
                        "'%s: %s' is no tolerance; write a number from 0 on", parts[i].key,
                        hd_yaml_text(map, parts[i].key));
    }
    return HD_OK;
}

static hd_status check_names(const reader *r, const hd_yaml *list, const char *key) {
    hd_status status = HD_OK;
    for (uint32_t i = 0; i < list->count && status == HD_OK; i++)
        status = check_name(r, &list->items[i], key);
    return status;
}

static hd_status read_arrays(const reader *r, const hd_yaml *list) {
    hd_job *job = r->job;
    job->arrays = hd_new_array(r->arena, hd_job_arrays, list ? list->count : 0);
    for (uint32_t a = 0; list && a < list->count; a++) {
        const hd_yaml *map = &list->items[a], *fields = hd_yaml_get(map, "fields");
        hd_job_arrays *arrays = &job->arrays[job->arrays_count++];
        *arrays = (hd_job_arrays){.fields = reader_texts(r, fields),
                                  .field_count = fields->count,
                                  .place = hd_yaml_place(r->file, map)};
        hd_status status;
        if ((status = job_reader_name(r, map, "record", &arrays->name)) ||
            (status = check_names(r, fields, "fields")))
            return status;
        if (!fields->count || fields->count > HD_MAX_FIELDS)
            return FAIL(r, fields, "'fields' names %u buffers; a record is made of 1 to %d",
                        fields->count, HD_MAX_FIELDS);
    }
    return HD_OK;
}

static hd_status read_declared(const reader *r, const hd_yaml *list) {
    hd_job *job = r->job;
    job->declared = hd_new_array(r->arena, hd_job_declared, list ? list->count : 0);
    for (uint32_t d = 0; list && d < list->count; d++) {
        const hd_yaml *map = &list->items[d];
        hd_job_declared *declared = &job->declared[job->declared_count++];
        declared->place = hd_yaml_place(r->file, hd_yaml_get(map, "fields"));
        hd_status status;
        if ((status = job_reader_name(r, map, "name", &declared->name)) ||
            (status = job_reader_name(r, map, "fields", &declared->fields)) ||
            (hd_yaml_get(map, "stride") &&
             (status = job_reader_name(r, map, "stride", &declared->stride))))
            return status;
    }
    return HD_OK;
}

static hd_status read_job(const reader *r) {
    hd_job *job = r->job;
    const hd_yaml *root = &r->file->root, *split = hd_yaml_get(root, "split");
    const char *kernel, *record = hd_yaml_text(root, "record");
    const char *options = hd_yaml_text(root, "options");
    hd_status status = job_reader_name(r, root, "kernel", &kernel);
    if (status != HD_OK)
        return status;
    job->kernel_path = hd_path_beside(r->arena, job->path, kernel);
    /* A compiler takes a path that begins so for an option, or for a file of words. */
    if (*job->kernel_path == '-' || *job->kernel_path == '@')
        job->kernel_path = hd_format(r->arena, "./%s", job->kernel_path);
    job->kernel_place = hd_yaml_place(r->file, hd_yaml_get(root, "kernel"));
    job->options = options ? options : "";
    job->options_place = hd_yaml_place(r->file, reader_at(root, "options"));
    hd_job_place_options(r->arena, job);
    job->record_name = record && *record ? record : NULL;
    job->record_place = hd_yaml_place(r->file, reader_at(root, "record"));
    job->split_place = hd_yaml_place(r->file, split && split->count ? split : root);
    if (split) {
        job->split = reader_texts(r, split);
        job->split_count = split->count;
    }
    if ((split && (status = check_names(r, split, "split"))) ||
        (status = read_arrays(r, hd_yaml_get(root, "arrays"))) ||
        (status = read_declared(r, hd_yaml_get(root, "records"))) ||
        (status = read_graphs(r, hd_yaml_get(root, "graphs"))) ||
        (status = read_buffers(r, hd_yaml_get(root, "buffers"))) ||
        (status = job_reader_indices(r, hd_yaml_get(root, "indices"))) ||
        (status = job_reader_launches(r, hd_yaml_get(root, "launches"))))
        return status;
    return read_tolerance(r, hd_yaml_get(root, "tolerance"));
}

hd_status hd_job_read(hd_arena *arena, const hd_diag *diag, const char *path, hd_job **result) {
    hd_yaml_file *file;
    hd_hash_table graphs = {.arena = arena, .key_bytes = HD_TEXT_KEYS};
    hd_status status = hd_yaml_read(arena, diag, path, &job_form, &file);
    if (status != HD_OK)
        return status;
    hd_job *job = hd_new(arena, hd_job);
    job->path = hd_strdup(arena, path);
    status = read_job(&(reader){arena, diag, file, job, &graphs});
    if (status == HD_OK)
        *result = job;
    return status;
}
