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
 * Then each entry is turned into its form in job.h: the same tables say which member a text
 * becomes, and how; what goes with what is checked here, for launches in launches.c, and what it
 * takes the compiled kernels to know is left to resolve.c.
 */
#include <math.h>

#include "job/internal.h"

/* ---- keys --------------------------------------------------------------- */

#define MEMBER(T, member, key, how, ...)                                  \
    {.name = #key, .as = how, .offset = offsetof(T, member), __VA_ARGS__}
#define TEXT(key, ...) {.name = #key, __VA_ARGS__}
#define LIST(key, entry_keys, word, ...)                                                 \
    {.name = #key, .kind = HD_YAML_LIST, .keys = entry_keys, .entry = word, __VA_ARGS__}
#define MAP(key, its_keys, ...) {.name = #key, .kind = HD_YAML_MAP, .keys = its_keys, __VA_ARGS__}
#define NEEDED .needed = true
#define LIKE(text) .example = text
#define FROM(number) .least = number

/* What an entry of `graphs` says. */
typedef struct graph_entry {
    const char *name, *file, *generator;
    hd_graph_size size;
} graph_entry;

static const hd_yaml_key graph_keys[] = {MEMBER(graph_entry, name, name, JOB_NAME, NEEDED),
                                         MEMBER(graph_entry, file, file, JOB_PATH),
                                         MEMBER(graph_entry, generator, generator, JOB_TEXT),
                                         MEMBER(graph_entry, size.nodes, nodes, JOB_COUNT, FROM(1)),
                                         MEMBER(graph_entry, size.edges, edges, JOB_COUNT, FROM(1)),
                                         MEMBER(graph_entry, size.seed, seed, JOB_COUNT),
                                         {0}};

static const hd_yaml_key init_keys[] = {MEMBER(hd_init, field, field, JOB_NAME),
                                        TEXT(generator),
                                        MEMBER(hd_init, low, low, JOB_REAL),
                                        MEMBER(hd_init, high, high, JOB_REAL),
                                        MEMBER(hd_init, step, step, JOB_REAL),
                                        MEMBER(hd_init, seed, seed, JOB_COUNT),
                                        TEXT(graph),
                                        TEXT(part),
                                        {0}};

static const hd_yaml_key buffer_keys[] = {
    MEMBER(hd_buffer, name, name, JOB_NAME, NEEDED),
    MEMBER(hd_buffer, type, type, JOB_NAME),
    MAP(image, job_image_keys,
        LIKE("image: {width: 64, height: 32, channels: rgba, type: unorm8}")),
    MEMBER(hd_buffer, count, count, JOB_COUNT, FROM(1)),
    LIST(init, init_keys, "init", LIKE("init: [{generator: uniform, low: 0, high: 1, seed: 1}]")),
    MEMBER(hd_buffer, file, file, JOB_PATH),
    MEMBER(hd_buffer, at, at, JOB_COUNT, FROM(4096), LIKE("at: 0x100000000")),
    TEXT(placement, LIKE("placement: host")),
    MEMBER(hd_buffer, guess, guess, JOB_TEXT, LIKE("guess: contents")),
    {0}};

#define SPOT_KEYS                                                                             \
    MEMBER(hd_spot, buffer_name, buffer, JOB_NAME, NEEDED),                                   \
        MEMBER(hd_spot, element, element, JOB_COUNT), MEMBER(hd_spot, field, field, JOB_TEXT)
const hd_yaml_key job_spot_keys[] = {SPOT_KEYS, {0}};
static const hd_yaml_key items_keys[] = {SPOT_KEYS, TEXT(each), {0}};
static const hd_yaml_key until_keys[] = {SPOT_KEYS, TEXT(value, NEEDED), {0}};

const hd_yaml_key job_arg_keys[] = {
    MEMBER(hd_arg, name, name, JOB_NAME, NEEDED),
    MEMBER(hd_arg, buffer_name, buffer, JOB_TEXT),
    MEMBER(hd_arg, value_text, value, JOB_TEXT,
           LIKE("value: 3, or value: \"1, 2, 3, 4\" for a vector")),
    MEMBER(hd_arg, local_bytes, local, JOB_COUNT, FROM(1),
           LIKE("local: [64] in a launch, local: 1024 (bytes) in an argument")),
    MEMBER(hd_arg, bytes_text, bytes, JOB_TEXT,
           LIKE("bytes: \"0000803f\", two digits for each byte")),
    TEXT(level),
    TEXT(round, LIKE("round: 0, the value in the first round of a group")),
    TEXT(step),
    TEXT(factor),
    MAP(from, job_spot_keys, LIKE("from: {buffer: count, element: 0}, beside a value")),
    MAP(sampler, job_sampler_keys, LIKE("sampler: {address: clamp, filter: linear}")),
    MEMBER(hd_arg, guess, guess, JOB_TEXT, LIKE("guess: value")),
    MEMBER(hd_arg, offset, offset, JOB_COUNT,
           LIKE("offset: [0] in a launch, offset: 256 (bytes) in an argument")),
    {0}};

const hd_yaml_key job_held_keys[] = {MEMBER(hd_held, buffer_name, buffer, JOB_NAME, NEEDED),
                                     MEMBER(hd_held, file, file, JOB_PATH, NEEDED),
                                     {0}};
const hd_yaml_key job_copy_keys[] = {MEMBER(hd_held, from_name, from, JOB_NAME, NEEDED),
                                     MEMBER(hd_held, buffer_name, to, JOB_NAME, NEEDED),
                                     {0}};
const hd_yaml_key job_fill_keys[] = {MEMBER(hd_held, buffer_name, buffer, JOB_NAME, NEEDED),
                                     MEMBER(hd_held, value_text, value, JOB_TEXT, NEEDED),
                                     {0}};
const hd_yaml_key job_set_keys[] = {MEMBER(hd_held, buffer_name, buffer, JOB_NAME, NEEDED),
                                    MEMBER(hd_held, element, element, JOB_COUNT),
                                    MEMBER(hd_held, field, field, JOB_TEXT),
                                    MEMBER(hd_held, value_text, value, JOB_TEXT, NEEDED),
                                    {0}};

/* Has a list of itself. */
const hd_yaml_key job_launch_keys[JOB_LAUNCH_KEYS] = {
    MEMBER(hd_launch, kernel_name, kernel, JOB_NAME),
    LIST(launches, job_launch_keys, "launch",
         LIKE("launches: [{kernel: k, global: [64]}] of a group that is repeated")),
    MAP(until, until_keys, LIKE("until: {buffer: flag, element: 0, value: 0}")),
    MAP(copy, job_copy_keys, LIKE("copy: {from: a, to: b}")),
    MAP(fill, job_fill_keys, LIKE("fill: {buffer: a, value: 0}")),
    MAP(set, job_set_keys, LIKE("set: {buffer: a, element: 0, value: 1}")),
    LIST(global, NULL, NULL, LIKE("global: [1024]")),
    LIST(local, NULL, NULL, LIKE("local: [64] in a launch, local: 1024 (bytes) in an argument")),
    LIST(offset, NULL, NULL, LIKE("offset: [0] in a launch, offset: 256 (bytes) in an argument")),
    LIST(blocks, NULL, NULL, LIKE("blocks: [64]")),
    LIST(threads, NULL, NULL, LIKE("threads: [256]")),
    LIST(cluster, NULL, NULL, LIKE("cluster: [2]")),
    MAP(items_from, items_keys, LIKE("items_from: {buffer: count, element: 0}")),
    MEMBER(hd_launch, shared, shared, JOB_COUNT),
    TEXT(cooperative),
    MEMBER(hd_launch, repeat, repeat, JOB_COUNT, FROM(1)),
    MEMBER(hd_launch, guess, guess, JOB_TEXT, LIKE("guess: sizes")),
    TEXT(for_levels),
    TEXT(first_level),
    TEXT(last_level),
    LIST(args, job_arg_keys, "argument",
         LIKE("args: [{name: a, buffer: a}, {name: n, value: 64}]")),
    LIST(before, job_held_keys, "content", LIKE("before: [{buffer: a, file: a.bin}]")),
    LIST(after, job_held_keys, "content", LIKE("after: [{buffer: a, file: a.bin}]")),
    {0}};

static const hd_yaml_key arrays_keys[] = {
    MEMBER(hd_job_arrays, name, record, JOB_NAME, NEEDED), LIST(fields, NULL, NULL, NEEDED), {0}};

static const hd_yaml_key declared_keys[] = {
    MEMBER(hd_job_declared, name, name, JOB_NAME, NEEDED),
    MEMBER(hd_job_declared, fields, fields, JOB_NAME, NEEDED),
    MEMBER(hd_job_declared, stride, stride, JOB_NAME),
    {0}};

#define TEXTS(key, ...) {.name = #key, .kind = HD_YAML_LIST, .or_text = true, __VA_ARGS__}
const hd_yaml_key job_indices_keys[] = {
    MEMBER(hd_job_indices, from, from, JOB_PLACED),
    MEMBER(hd_job_indices, argument, argument, JOB_PLACED, LIKE("argument: KERNEL.NAME")),
    TEXTS(to),
    MEMBER(hd_job_indices, rows, rows, JOB_PLACED),
    MEMBER(hd_job_indices, end, end, JOB_PLACED),
    MEMBER(hd_job_indices, length, length, JOB_PLACED),
    TEXTS(none),
    TEXTS(points, LIKE("points: [atoms.x, atoms.y, atoms.z]")),
    {0}};

static const hd_yaml_key origin_keys[] = {MEMBER(hd_job_origin, copy, copy, JOB_PATH, NEEDED),
                                          MEMBER(hd_job_origin, from, from, JOB_PATH, NEEDED),
                                          {0}};

static const hd_yaml_key tolerance_keys[] = {MEMBER(hd_job, relative, relative, JOB_REAL),
                                             MEMBER(hd_job, absolute, absolute, JOB_REAL),
                                             {0}};

static const hd_yaml_key job_keys[] = {
    MEMBER(hd_job, kernel_path, kernel, JOB_PATH, NEEDED, LIKE("kernel: nbody.cl")),
    MEMBER(hd_job, options, options, JOB_TEXT, LIKE("options: -DN=4 -DM=8")),
    LIST(sources, NULL, NULL),
    MEMBER(hd_job, program, program, JOB_TEXT),
    MEMBER(hd_job, record_name, record, JOB_TEXT),
    LIST(origin, origin_keys, "file", LIKE("origin: [{copy: source/k.cu, from: ../k.cu}]")),
    LIST(split, NULL, NULL),
    LIST(arrays, arrays_keys, "record"),
    LIST(records, declared_keys, "record",
         LIKE("records: [{name: body, fields: \"float x, y, z; int id\"}]")),
    LIST(graphs, graph_keys, "graph", LIKE("graphs: [{name: g, file: b17.bench}]")),
    LIST(indices, job_indices_keys, "index", LIKE("indices: [{from: neighbours, to: nodes}]")),
    LIST(buffers, buffer_keys, "buffer", LIKE("buffers: [{name: a, type: float, count: 64}]")),
    LIST(launches, job_launch_keys, "launch", NEEDED,
         LIKE("launches: [{kernel: k, global: [64], args: [{name: a, buffer: a}]}]")),
    MAP(tolerance, tolerance_keys, LIKE("tolerance: {relative: 1e-5, absolute: 1e-7}")),
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
                    key, value->text, (ull)least);
    return HD_OK;
}

hd_status job_reader_count(const reader *r, const hd_yaml *map, const char *key, uint64_t least,
                           uint64_t *number) {
    const hd_yaml *value = hd_yaml_get(map, key);
    return value ? job_reader_whole(r, key, value, least, number) : HD_OK;
}

static hd_status read_real(const reader *r, const char *key, const hd_yaml *value, double *number) {
    kir_type double_type = {.kind = KIR_FLOAT, .bits = 64, .lanes = 1};
    kir_type long_type = {.kind = KIR_INT, .bits = 64, .lanes = 1};
    int64_t whole;
    if (hd_type_parse_value(long_type, true, value->text, &whole))
        *number = (double)whole;
    else if (!hd_type_parse_value(double_type, true, value->text, number))
        return FAIL(r, value, "'%s: %s' is not a number, such as 3, -0.5 or 1e-5", key,
                    value->text);
    return HD_OK;
}

static hd_status read_member(const reader *r, const hd_yaml_key *key, const hd_yaml *value,
                             void *member) {
    if (key->as != JOB_TEXT && !*value->text && key->as != JOB_COUNT && key->as != JOB_REAL)
        return FAIL(r, value, "'%s' is empty; write a name", key->name);
    switch ((job_as)key->as) {
    case JOB_COUNT: return job_reader_whole(r, key->name, value, key->least, member);
    case JOB_REAL: return read_real(r, key->name, value, member);
    case JOB_PATH:
        *(const char **)member = hd_path_beside(r->arena, r->job->path, value->text);
        return HD_OK;
    case JOB_PLACED:
        *(hd_job_text *)member = (hd_job_text){value->text, hd_yaml_place(r->file, value)};
        return HD_OK;
    default: *(const char **)member = value->text; return HD_OK;
    }
}

hd_status job_reader_members(const reader *r, const hd_yaml *map, const hd_yaml_key *keys,
                             void *entry) {
    hd_status status = HD_OK;
    for (; keys->name && status == HD_OK; keys++) {
        const hd_yaml *value = keys->as ? hd_yaml_get(map, keys->name) : NULL;
        if (value)
            status = read_member(r, keys, value, (char *)entry + keys->offset);
    }
    return status;
}

hd_status job_reader_entries(const reader *r, const hd_yaml *list, job_read_entry *read,
                             size_t size, void *entries, uint32_t *count) {
    hd_status status = HD_OK;
    char *all = *(void **)entries = hd_alloc_items(r->arena, list ? list->count : 0, size);
    for (uint32_t i = 0; list && i < list->count && status == HD_OK; i++) {
        status = read(r, &list->items[i], all + i * size, i);
        *count += status == HD_OK;
    }
    return status;
}

/* An entry says of what it has that it is a guess: of this, or also of `other`. */
hd_status job_reader_check_guess(const reader *r, const hd_yaml *map, const char *word,
                                 const char *other) {
    const hd_yaml *guess = hd_yaml_get(map, "guess");
    if (!guess || !strcmp(guess->text, word) ||
        (other && (!strcmp(guess->text, other) ||
                   !strcmp(guess->text, hd_format(r->arena, "%s, %s", other, word)))))
        return HD_OK;
    return FAIL(r, guess, "'guess: %s' is none of what may be a guess here: %s%s", guess->text,
                word, other ? hd_format(r->arena, ", %s, or \"%s, %s\"", other, other, word) : "");
}

/* The texts of a list, none of which is empty. */
static hd_status read_names(const reader *r, const hd_yaml *list, const char *key,
                            const char *const **names) {
    const char **texts = hd_new_array(r->arena, const char *, list->count);
    *names = texts;
    for (uint32_t i = 0; i < list->count; i++) {
        texts[i] = list->items[i].text;
        if (!*texts[i])
            return FAIL(r, &list->items[i], "'%s' is empty; write a name", key);
    }
    return HD_OK;
}

/* ---- graphs ------------------------------------------------------------- */

/* Two of a kind with one name are an error. */
static hd_status add_name(const reader *r, hd_hash_table *names, const hd_yaml *map,
                          const char *name, uint32_t number, const char *kind) {
    if (hd_hash_add_key(names, name, number) == number)
        return HD_OK;
    return FAIL(r, reader_at(map, "name"), "there are two %s named '%s'; rename one", kind, name);
}

static hd_status read_graph(const reader *r, const hd_yaml *map, void *at, uint32_t number) {
    hd_job_graph *graph = at;
    graph->place = hd_yaml_place(r->file, map);
    graph_entry entry = {.size.place = &graph->place};
    hd_status status = job_reader_members(r, map, graph_keys, &entry);
    if (status)
        return status;
    graph->name = entry.name;
    if (!entry.file == !entry.generator)
        return FAIL(r, map,
                    "graph '%s' needs either 'file', a .bench or .graph file, or 'generator', "
                    "mesh or netlist",
                    graph->name);
    bool is_mesh = entry.generator && !strcmp(entry.generator, "mesh");
    if (entry.file &&
        (hd_yaml_get(map, "nodes") || hd_yaml_get(map, "edges") || hd_yaml_get(map, "seed")))
        return FAIL(r, map,
                    "'nodes', 'edges' and 'seed' are for generators; the file of graph "
                    "'%s' has its own",
                    graph->name);
    if (entry.generator && !is_mesh && strcmp(entry.generator, "netlist") != 0)
        return FAIL(r, hd_yaml_get(map, "generator"),
                    "unknown generator '%s' of a graph; there are: mesh, netlist", entry.generator);
    status = entry.file ? hd_graph_read(r->arena, r->diag, entry.file, &graph->graph)
             : is_mesh  ? hd_mesh_generate(r->arena, r->diag, &entry.size, &graph->graph)
                        : hd_netlist_generate(r->arena, r->diag, &entry.size, &graph->graph);
    return status ? status : add_name(r, r->graphs, map, graph->name, number, "graphs");
}

hd_status job_reader_graph(const reader *r, const hd_yaml *map, const char *key,
                           hd_job_graph **graph) {
    const hd_yaml *value = hd_yaml_get(map, key);
    uint64_t number = hd_hash_get_key(r->graphs, value->text);
    if (number != HD_NO_VALUE) {
        *graph = &r->job->graphs[number];
        return HD_OK;
    }
    return FAIL(r, value, "there is no graph '%s'; the job's graphs are: %s", value->text,
                JOB_NAMES(r->arena, r->job->graphs, r->job->graph_count, name));
}

/* ---- buffers ------------------------------------------------------------ */

/* By hd_generator. */
static const char *const generators[] = {"zero", "constant", "uniform",
                                         "iota", "modulo",   "permutation"};

static hd_status read_generator(const reader *r, const hd_yaml *map, hd_init *init) {
    enum { GENERATORS = sizeof generators / sizeof *generators };
    const hd_yaml *value = hd_yaml_get(map, "generator");
    uint32_t g = 0;
    if (!value)
        return FAIL(r, map, "an entry of 'init' needs a 'generator', or a 'graph' and its 'part'");
    while (g < GENERATORS && strcmp(generators[g], value->text) != 0)
        g++;
    init->generator = (hd_generator)g;
    if (g == GENERATORS)
        return FAIL(r, value, "unknown generator '%s'; there are: %s", value->text,
                    job_names(r->arena, generators, GENERATORS, sizeof *generators));
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
    static const char *const others[] = {"generator", "low", "high", "step", "seed"};
    hd_job_graph *graph;
    const hd_yaml *part = hd_yaml_get(map, "part");
    init->generator = HD_GEN_GRAPH;
    if (!hd_yaml_get(map, "graph") || !part)
        return FAIL(r, map, "'graph' and 'part' go together: {graph: g, part: to}");
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (hd_yaml_get(map, others[i]))
            return FAIL(r, map,
                        "a part of a graph is no generator; beside 'graph' and 'part' there "
                        "is only 'field'");
    hd_status status = job_reader_graph(r, map, "graph", &graph);
    if (status)
        return status;
    init->graph = graph;
    if (!hd_graph_part_parse(part->text, &init->part))
        return FAIL(r, part, "a graph has no part '%s'; its parts are: %s", part->text,
                    hd_graph_part_names(r->arena));
    if (!hd_graph_has_part(graph->graph, init->part))
        return FAIL(r, part, "graph '%s' has no part '%s'; only circuits have", graph->name,
                    part->text);
    return HD_OK;
}

static hd_status read_init(const reader *r, const hd_yaml *map, void *at, uint32_t number) {
    (void)number;
    hd_init *init = at;
    *init = (hd_init){.low = 0, .high = 1, .step = 1, .place = hd_yaml_place(r->file, map)};
    bool is_part = hd_yaml_get(map, "graph") || hd_yaml_get(map, "part");
    hd_status status = job_reader_members(r, map, init_keys, init);
    return status ? status : (is_part ? read_part : read_generator)(r, map, init);
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

static hd_status read_buffer(const reader *r, const hd_yaml *map, void *at, uint32_t number) {
    hd_buffer *buffer = at;
    const hd_yaml *inits = hd_yaml_get(map, "init"), *placement = hd_yaml_get(map, "placement");
    buffer->place = hd_yaml_place(r->file, map);
    const hd_yaml *image = hd_yaml_get(map, "image");
    hd_status status = job_reader_members(r, map, buffer_keys, buffer);
    if (status || (status = job_reader_check_guess(r, map, "contents", "count")))
        return status;
    if (image && (hd_yaml_get(map, "type") || hd_yaml_get(map, "count")))
        return FAIL(r, image,
                    "buffer '%s' has 'image' beside 'type' or 'count', which an image has from its "
                    "channels and sizes; keep one",
                    buffer->name);
    if (image && (status = job_reader_image(r, image, buffer)))
        return status;
    if (!buffer->type)
        return FAIL(r, map, "the key 'type' of buffer %u is missing; add it, or make it an 'image'",
                    number + 1);
    if (placement && !hd_placement_parse(placement->text, &buffer->placement))
        return FAIL(r, placement, "unknown placement '%s'; there are: %s", placement->text,
                    hd_placement_names(r->arena));
    if (buffer->file && inits && inits->count)
        return FAIL(r, hd_yaml_get(map, "file"), "buffer '%s' has both 'file' and 'init'; keep one",
                    buffer->name);
    status = job_reader_entries(r, inits, read_init, sizeof(hd_init), &buffer->inits,
                                &buffer->init_count);
    if (status == HD_OK && !buffer->count)
        status = take_count(r, map, number, buffer);
    return status ? status : add_name(r, r->buffers, map, buffer->name, number, "buffers");
}

/* ---- the job ------------------------------------------------------------ */

static hd_status read_tolerance(const reader *r, const hd_yaml *map) {
    hd_status status = map ? job_reader_members(r, map, tolerance_keys, r->job) : HD_OK;
    for (int i = 0; map && i < 2 && status == HD_OK; i++) {
        double number = i ? r->job->absolute : r->job->relative;
        const char *key = tolerance_keys[i].name;
        if (!(number >= 0) || isinf(number))
            status =
                FAIL(r, hd_yaml_get(map, key), "'%s: %s' is no tolerance; write a number from 0 on",
                     key, hd_yaml_text(map, key));
    }
    return status;
}

static hd_status read_arrays(const reader *r, const hd_yaml *map, void *at, uint32_t number) {
    (void)number;
    hd_job_arrays *arrays = at;
    const hd_yaml *fields = hd_yaml_get(map, "fields");
    arrays->field_count = fields->count;
    arrays->place = hd_yaml_place(r->file, map);
    hd_status status;
    if ((status = job_reader_members(r, map, arrays_keys, arrays)) ||
        (status = read_names(r, fields, "fields", &arrays->fields)))
        return status;
    if (!fields->count || fields->count > HD_MAX_FIELDS)
        return FAIL(r, fields, "'fields' names %u buffers; a record is made of 1 to %d",
                    fields->count, HD_MAX_FIELDS);
    return HD_OK;
}

static hd_status read_origin(const reader *r, const hd_yaml *map, void *at, uint32_t number) {
    (void)number;
    return job_reader_members(r, map, origin_keys, at);
}

static hd_status read_declared(const reader *r, const hd_yaml *map, void *at, uint32_t number) {
    (void)number;
    hd_job_declared *declared = at;
    declared->place = hd_yaml_place(r->file, hd_yaml_get(map, "fields"));
    return job_reader_members(r, map, declared_keys, declared);
}

static hd_status read_job(const reader *r) {
    hd_job *job = r->job;
    const hd_yaml *root = &r->file->root, *split = hd_yaml_get(root, "split");
    const hd_yaml *sources = hd_yaml_get(root, "sources");
    hd_status status = job_reader_members(r, root, job_keys, job);
    if (status)
        return status;
    /* A compiler takes a path that begins so for an option, or for a file of words. */
    if (*job->kernel_path == '-' || *job->kernel_path == '@')
        job->kernel_path = hd_format(r->arena, "./%s", job->kernel_path);
    job->kernel_place = hd_yaml_place(r->file, hd_yaml_get(root, "kernel"));
    job->options = job->options ? job->options : "";
    job->options_place = hd_yaml_place(r->file, reader_at(root, "options"));
    hd_job_place_options(r->arena, job);
    job->record_name = job->record_name && *job->record_name ? job->record_name : NULL;
    job->record_place = hd_yaml_place(r->file, reader_at(root, "record"));
    job->split_place = hd_yaml_place(r->file, split && split->count ? split : root);
    job->split_count = split ? split->count : 0;
    if (split && (status = read_names(r, split, "split", &job->split)))
        return status;
    job->source_count = sources ? sources->count : 0;
    if (sources && (status = read_names(r, sources, "sources", &job->sources)))
        return status;
    const struct {
        const char *key;
        job_read_entry *read;
        size_t size;
        void *entries;
        uint32_t *count;
    } lists[] = {
        {"origin", read_origin, sizeof *job->origins, &job->origins, &job->origin_count},
        {"arrays", read_arrays, sizeof *job->arrays, &job->arrays, &job->arrays_count},
        {"records", read_declared, sizeof *job->declared, &job->declared, &job->declared_count},
        {"graphs", read_graph, sizeof *job->graphs, &job->graphs, &job->graph_count},
        {"buffers", read_buffer, sizeof *job->buffers, &job->buffers, &job->buffer_count},
        {"indices", job_reader_indices, sizeof *job->indices, &job->indices, &job->indices_count}};
    for (size_t i = 0; i < sizeof lists / sizeof *lists && status == HD_OK; i++)
        status = job_reader_entries(r, hd_yaml_get(root, lists[i].key), lists[i].read,
                                    lists[i].size, lists[i].entries, lists[i].count);
    if (status == HD_OK)
        status = job_reader_launches(r, hd_yaml_get(root, "launches"));
    return status ? status : read_tolerance(r, hd_yaml_get(root, "tolerance"));
}

hd_status hd_job_read(hd_arena *arena, const hd_diag *diag, const char *path, hd_job **result) {
    hd_yaml_file *file;
    hd_hash_table graphs = {.arena = arena, .key_bytes = HD_TEXT_KEYS}, buffers = graphs;
    hd_status status = hd_yaml_read(arena, diag, path, &job_form, &file);
    if (status != HD_OK)
        return status;
    hd_job *job = hd_new(arena, hd_job);
    job->path = hd_strdup(arena, path);
    status = read_job(&(reader){arena, diag, file, job, &graphs, &buffers});
    if (status == HD_OK)
        *result = job;
    return status;
}
