/*
 * Reading the launches of a job file.
 *
 * An entry of `launches` is one launch, or with `for_levels` one for each level of a graph:
 * the entry is then read once for each, with the level's numbers in the place of its `level`s.
 */
#include "job/internal.h"

/* ---- sizes ---------------------------------------------------------------- */

static const uint64_t most_size = (uint64_t)1 << 40;

/* As many as `dims`; 0: any number. */
static hd_status read_sizes(const reader *r, const hd_yaml *list, const char *key, uint64_t least,
                            uint32_t dims, uint64_t *sizes) {
    if (!list->count || list->count > 3)
        return FAIL(r, list, "'%s' has %u dimensions; a launch has 1 to 3", key, list->count);
    for (uint32_t d = 0; d < list->count; d++) {
        const hd_yaml *size = &list->items[d];
        hd_status status = job_reader_whole(r, key, size, least, &sizes[d]);
        if (status != HD_OK)
            return status;
        if (sizes[d] > most_size)
            return FAIL(r, size, "'%s: %s' is beyond any device; the largest size taken is 2^40",
                        key, size->text);
    }
    if (dims && list->count != dims)
        return FAIL(r, list, "'%s' has %u dimensions, 'global' has %u; they must agree", key,
                    list->count, dims);
    return HD_OK;
}

/* A list of sizes that is missing. */
static hd_status no_sizes(const reader *r, const hd_yaml *map, const char *key) {
    return FAIL(r, map,
                "'%s' of this launch is missing or has 0 dimensions; give it 1 to 3: "
                "'%s: [64]'",
                key, key);
}

static hd_status read_global_sizes(const reader *r, const hd_yaml *map, hd_launch *launch) {
    const hd_yaml *global = hd_yaml_get(map, "global"), *local = hd_yaml_get(map, "local");
    const hd_yaml *offset = hd_yaml_get(map, "offset");
    if (!global)
        return no_sizes(r, map, "global");
    launch->dims = global->count;
    hd_status status = read_sizes(r, global, "global", 1, 0, launch->global);
    if (status != HD_OK)
        return status;
    launch->local_given = local != NULL;
    if (!local)
        launch->local[0] = job_power_dividing(launch->global[0], 256);
    if ((local && (status = read_sizes(r, local, "local", 1, launch->dims, launch->local))) ||
        (offset && (status = read_sizes(r, offset, "offset", 0, launch->dims, launch->offset))))
        return status;
    for (uint32_t d = 0; d < launch->dims; d++)
        if (launch->global[d] % launch->local[d])
            return FAIL(r, &global->items[d],
                        "global size %llu is not a multiple of the local size %llu; the next one "
                        "is %llu",
                        (unsigned long long)launch->global[d], (unsigned long long)launch->local[d],
                        (unsigned long long)hd_align_up(launch->global[d], launch->local[d]));
    return HD_OK;
}

/* Blocks, and threads in each. */
static hd_status read_blocks(const reader *r, const hd_yaml *map, hd_launch *launch) {
    const hd_yaml *counts = hd_yaml_get(map, "blocks"), *threads = hd_yaml_get(map, "threads");
    uint64_t blocks[3] = {1, 1, 1};
    if (!counts || !threads)
        return no_sizes(r, map, counts ? "threads" : "blocks");
    hd_status status;
    if ((status = read_sizes(r, counts, "blocks", 1, 0, blocks)) ||
        (status = read_sizes(r, threads, "threads", 1, 0, launch->local)))
        return status;
    launch->local_given = true;
    launch->dims = counts->count > threads->count ? counts->count : threads->count;
    for (uint32_t d = 0; d < 3; d++) {
        if (blocks[d] > most_size / launch->local[d])
            return FAIL(r, d < counts->count ? &counts->items[d] : counts,
                        "%llu blocks of %llu threads are beyond any device; the largest size taken "
                        "is 2^40 threads",
                        (unsigned long long)blocks[d], (unsigned long long)launch->local[d]);
        launch->global[d] = blocks[d] * launch->local[d];
    }
    return HD_OK;
}

/* The level that a launch is for; `levels` NULL: for none. */
typedef struct at_level {
    const hd_levels *levels;
    uint32_t level;
} at_level;

static uint32_t nodes_of(at_level at) {
    return at.levels->first[at.level + 1] - at.levels->first[at.level];
}

/* Without a global size a level gets a work-item for each of its nodes, rounded up to whole
 * groups. */
static hd_status size_for_level(const reader *r, const hd_yaml *map, at_level at,
                                hd_launch *launch) {
    const char *key = launch->in_blocks ? "threads" : "local";
    const hd_yaml *group = hd_yaml_get(map, key), *offset = hd_yaml_get(map, "offset");
    launch->dims = 1;
    launch->local_given = true;
    launch->local[0] = 256;
    hd_status status = group ? read_sizes(r, group, key, 1, 0, launch->local) : HD_OK;
    if (status != HD_OK)
        return status;
    if (group && group->count != 1)
        return FAIL(r, group,
                    "a launch for levels has one dimension, unless it is given 'global' or "
                    "'blocks'");
    launch->global[0] = hd_align_up(nodes_of(at), launch->local[0]);
    return offset ? read_sizes(r, offset, "offset", 0, 1, launch->offset) : HD_OK;
}

/* The keys of the two ways to say the size of a launch, and what says the same in the other. */
static const struct hd_size_key {
    const char *name;
    bool in_blocks;
    const char *instead;
} size_keys[] = {{"global", false, "give 'blocks' and 'threads'"},
                 {"local", false, "give 'blocks' and 'threads'"},
                 {"offset", false, "add it to an index in the kernel"},
                 {"blocks", true, "give 'global' and 'local'"},
                 {"threads", true, "give 'global' and 'local'"},
                 {"shared", true, "give a parameter in local memory its bytes with 'local'"}};

static hd_status refuse_key(const hd_diag *diag, const hd_place *place,
                            const struct hd_size_key *key) {
    return hd_fail(diag, HD_EINPUT, place, "'%s' is not for kernels that are launched %s; %s",
                   key->name, key->in_blocks ? "with a global size" : "in blocks", key->instead);
}

/* Which of the two ways this launch has, and the first key that tells; 'global' and 'blocks' do
 * before all others. */
static hd_status find_way(const reader *r, const hd_yaml *map, hd_launch *launch) {
    enum { KEYS = sizeof size_keys / sizeof *size_keys };
    bool decided = hd_yaml_get(map, "global") || hd_yaml_get(map, "blocks");
    launch->in_blocks = !hd_yaml_get(map, "global") && hd_yaml_get(map, "blocks");
    for (size_t k = 0; k < KEYS; k++) {
        const hd_yaml *value = hd_yaml_get(map, size_keys[k].name);
        if (!value)
            continue;
        hd_place place = hd_yaml_place(r->file, value);
        if (!decided)
            launch->in_blocks = size_keys[k].in_blocks;
        decided = true;
        if (size_keys[k].in_blocks != launch->in_blocks)
            return refuse_key(r->diag, &place, &size_keys[k]);
        if (!launch->size_key) {
            launch->size_key = &size_keys[k];
            launch->size_place = place;
        }
    }
    return HD_OK;
}

hd_status job_launch_check_way(const resolver *r, const hd_launch *launch) {
    bool same = !launch->size_key || launch->in_blocks == KIR_HAS(r->module, BLOCKS);
    return same ? HD_OK : refuse_key(r->diag, &launch->size_place, launch->size_key);
}

static hd_status read_launch_sizes(const reader *r, const hd_yaml *map, at_level at,
                                   hd_launch *launch) {
    for (uint32_t d = 0; d < 3; d++)
        launch->global[d] = launch->local[d] = 1;
    hd_status status = find_way(r, map, launch);
    launch->shared_given = hd_yaml_get(map, "shared") != NULL;
    if (status == HD_OK)
        status = job_reader_count(r, map, "shared", 0, &launch->shared);
    if (status != HD_OK)
        return status;
    if (at.levels && !hd_yaml_get(map, "global") && !hd_yaml_get(map, "blocks"))
        return size_for_level(r, map, at, launch);
    return launch->in_blocks ? read_blocks(r, map, launch) : read_global_sizes(r, map, launch);
}

/* ---- arguments ------------------------------------------------------------ */

static hd_status read_arg(const reader *r, const hd_yaml *map, at_level at, hd_arg *arg) {
    const hd_yaml *local = hd_yaml_get(map, "local"), *level = hd_yaml_get(map, "level");
    *arg = (hd_arg){.buffer_name = hd_yaml_text(map, "buffer"),
                    .value_text = hd_yaml_text(map, "value"),
                    .bytes_text = hd_yaml_text(map, "bytes"),
                    .place = hd_yaml_place(r->file, map)};
    hd_status status = job_reader_name(r, map, "name", &arg->name);
    if (status != HD_OK)
        return status;
    if (!!arg->buffer_name + !!arg->value_text + !!arg->bytes_text + !!local + !!level != 1)
        return FAIL(r, map,
                    "argument '%s' needs exactly one of 'buffer', 'value', 'bytes' and 'local', or "
                    "in a launch for levels 'level'",
                    arg->name);
    arg->kind = arg->buffer_name ? HD_ARG_BUFFER : local ? HD_ARG_LOCAL : HD_ARG_VALUE;
    const hd_yaml *offset = hd_yaml_get(map, "offset");
    if (offset && !arg->buffer_name)
        return FAIL(
            r, offset,
            "argument '%s' is no buffer; 'offset' is the number of bytes of a buffer before "
            "the place that an argument points to",
            arg->name);
    status = job_reader_count(r, map, "offset", 0, &arg->offset);
    if (status != HD_OK)
        return status;
    if (level && !at.levels)
        return FAIL(r, level, "'level' is for launches with 'for_levels'; name the graph there");
    if (!level)
        return job_reader_count(r, map, "local", 1, &arg->local_bytes);
    bool number = !strcmp(level->text, "number"), first = !strcmp(level->text, "first");
    if (!number && !first && strcmp(level->text, "count") != 0)
        return FAIL(r, level, "'level: %s' is none of number, first and count, which a level has",
                    level->text);
    arg->value_text = hd_format(r->arena, "%u",
                                number  ? at.level
                                : first ? at.levels->first[at.level]
                                        : nodes_of(at));
    return HD_OK;
}

/* No kernel has more parameters; with them, twins are found by comparing all. */
enum { MOST_ARGS = 4096 };

static hd_status read_args(const reader *r, const hd_yaml *list, at_level at, hd_launch *launch) {
    hd_status status = HD_OK;
    launch->arg_count = list ? list->count : 0;
    if (launch->arg_count > MOST_ARGS)
        return FAIL(r, list, "a launch has at most %d arguments, not %u", MOST_ARGS,
                    launch->arg_count);
    launch->args = hd_new_array(r->arena, hd_arg, launch->arg_count);
    for (uint32_t a = 0; a < launch->arg_count && status == HD_OK; a++) {
        status = read_arg(r, &list->items[a], at, &launch->args[a]);
        for (uint32_t other = 0; other < a && status == HD_OK; other++)
            if (!strcmp(launch->args[other].name, launch->args[a].name))
                status = FAIL(r, &list->items[a], "argument '%s' is given twice; keep one",
                              launch->args[a].name);
    }
    return status;
}

/* What buffers hold before a launch, or after it. */
static hd_status read_held(const reader *r, const hd_yaml *list, hd_held **held, uint32_t *count) {
    hd_status status = HD_OK;
    *count = list ? list->count : 0;
    *held = hd_new_array(r->arena, hd_held, *count);
    for (uint32_t i = 0; i < *count && status == HD_OK; i++) {
        const hd_yaml *map = &list->items[i];
        hd_held *h = &(*held)[i];
        h->place = hd_yaml_place(r->file, map);
        if ((status = job_reader_name(r, map, "buffer", &h->buffer_name)) ||
            (status = job_reader_name(r, map, "file", &h->file)))
            return status;
        h->file = hd_path_beside(r->arena, r->job->path, h->file);
    }
    return status;
}

/* ---- launches for levels -------------------------------------------------- */

typedef hd_vec(hd_launch) launch_list;

/* A few entries for levels could ask for more launches than memory holds. */
enum { MOST_LAUNCHES = 1000000 };

static hd_status add_launch(const reader *r, const hd_yaml *map, at_level at, launch_list *list) {
    hd_launch launch = {.repeat = 1, .place = hd_yaml_place(r->file, map)};
    hd_status status;
    if (list->count == MOST_LAUNCHES)
        return FAIL(r, map,
                    "with this entry the job has more than %d launches; use 'repeat', or "
                    "make several jobs of it",
                    MOST_LAUNCHES);
    if ((status = job_reader_name(r, map, "kernel", &launch.kernel_name)) ||
        (status = read_launch_sizes(r, map, at, &launch)) ||
        (status = job_reader_count(r, map, "repeat", 1, &launch.repeat)) ||
        (status = read_args(r, hd_yaml_get(map, "args"), at, &launch)) ||
        (status = read_held(r, hd_yaml_get(map, "before"), &launch.before, &launch.before_count)) ||
        (status = read_held(r, hd_yaml_get(map, "after"), &launch.after, &launch.after_count)))
        return status;
    launch.after_given = hd_yaml_get(map, "after") != NULL;
    if (launch.repeat > 1 && (launch.before_count || launch.after_given))
        return FAIL(r, map,
                    "'before' and 'after' say what buffers hold around one run of a launch; leave "
                    "'repeat' out, and write the launch as often as it runs");
    hd_push(r->arena, list, launch);
    return HD_OK;
}

static hd_status read_level_launches(const reader *r, const hd_yaml *map, launch_list *list) {
    hd_job_graph *graph;
    hd_status status = job_reader_graph(r, map, "for_levels", &graph);
    if (status != HD_OK)
        return status;
    if (!graph->levels)
        graph->levels = hd_graph_levels(r->arena, graph->graph);
    uint64_t first = 0, last = graph->levels->count - 1, highest = last;
    if ((status = job_reader_count(r, map, "first_level", 0, &first)) ||
        (status = job_reader_count(r, map, "last_level", 0, &last)))
        return status;
    if (first > last || last > highest)
        return FAIL(r, map,
                    "levels %llu to %llu are not there; graph '%s' has the levels 0 to %llu",
                    (unsigned long long)first, (unsigned long long)last, graph->name,
                    (unsigned long long)highest);
    for (uint64_t level = first; level <= last && status == HD_OK; level++)
        status = add_launch(r, map, (at_level){graph->levels, (uint32_t)level}, list);
    return status;
}

static hd_status read_single_launch(const reader *r, const hd_yaml *map, launch_list *list) {
    static const char *const keys[] = {"first_level", "last_level"};
    for (size_t i = 0; i < 2; i++)
        if (hd_yaml_get(map, keys[i]))
            return FAIL(r, hd_yaml_get(map, keys[i]),
                        "'first_level' and 'last_level' are for launches with 'for_levels'; name "
                        "the graph there");
    return add_launch(r, map, (at_level){0}, list);
}

hd_status job_reader_launches(const reader *r, const hd_yaml *list) {
    launch_list launches = {0};
    hd_status status = HD_OK;
    if (!list->count)
        return FAIL(r, list, "'launches' is empty; a job runs at least one kernel");
    for (uint32_t l = 0; l < list->count && status == HD_OK; l++) {
        const hd_yaml *map = &list->items[l];
        status = (hd_yaml_get(map, "for_levels") ? read_level_launches
                                                 : read_single_launch)(r, map, &launches);
    }
    r->job->launch_count = (uint32_t)launches.count;
    r->job->launches = launches.data;
    return status;
}
