/*
 * Reading the launches of a job file.
 *
 * An entry of `launches` is one launch, or with `for_levels` one for each level of a graph:
 * the entry is then read once for each, with the level's numbers in the place of its `level`s.
 */
#include "job/reader.h"

/* ---- sizes ---------------------------------------------------------------- */

static hd_status read_sizes(const reader *r, const char *path, const char *key, char *const *texts,
                            uint32_t count, uint64_t least, uint64_t *sizes) {
    const char *list = hd_reader_key(r, path, key);
    if (!count || count > 3)
        return FAIL(r, list, "'%s' has %u dimensions; a launch has 1 to 3", key, count);
    for (uint32_t d = 0; d < count; d++) {
        hd_status status = hd_reader_count(r, hd_format(r->arena, "%s[%u]", list, d), key, texts[d],
                                           least, &sizes[d]);
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
    return FAIL(r, hd_reader_key(r, path, key),
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
        return FAIL(r, hd_reader_key(r, path, "local"),
                    "'local' has %u dimensions, 'global' has %u; they must agree", raw->local_count,
                    launch->dims);
    if (raw->offset && raw->offset_count != launch->dims)
        return FAIL(r, hd_reader_key(r, path, "offset"),
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
    return FAIL(r, hd_reader_key(r, path, key), "'%s' is not for %s kernels; %s", key,
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
    status = hd_reader_count(r, hd_reader_key(r, path, "shared"), "shared", raw->shared, 0,
                             &launch->shared);
    if (status != HD_OK)
        return status;
    return is_cuda ? read_blocks(r, path, raw, launch) : read_global_sizes(r, path, raw, launch);
}

/* ---- arguments ------------------------------------------------------------ */

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
    hd_status status = hd_reader_name(r, path, "name", raw->name);
    if (status != HD_OK)
        return status;
    if (!!raw->buffer + !!raw->value + !!raw->local + !!raw->level != 1)
        return FAIL(r, path,
                    "argument '%s' needs exactly one of 'buffer', 'value' and 'local', or in a "
                    "launch for levels 'level'",
                    raw->name);
    arg->kind = raw->buffer ? HD_ARG_BUFFER : raw->local ? HD_ARG_LOCAL : HD_ARG_VALUE;
    if (raw->level && !at.levels)
        return FAIL(r, hd_reader_key(r, path, "level"),
                    "'level' is for launches with 'for_levels'; name the graph there");
    if (raw->level)
        arg->value_text = number_of_level(r, at.levels, at.level, raw->level);
    if (raw->level && !arg->value_text)
        return FAIL(r, hd_reader_key(r, path, "level"),
                    "'level: %s' is none of number, first and count, which a level has",
                    raw->level);
    return hd_reader_count(r, hd_reader_key(r, path, "local"), "local", raw->local, 1,
                           &arg->local_bytes);
}

static hd_status read_launch(const reader *r, const char *path, const raw_launch *raw, at_level at,
                             hd_launch *launch) {
    *launch = (hd_launch){.kernel_name = raw->kernel, .repeat = 1, .arg_count = raw->args_count};
    launch->place = hd_yaml_place(r->file, "%s", path);
    launch->args = hd_new_array(r->arena, hd_arg, raw->args_count);
    hd_status status = hd_reader_name(r, path, "kernel", raw->kernel);
    if (status == HD_OK)
        status = read_launch_sizes(r, path, raw, launch);
    if (status == HD_OK)
        status = hd_reader_count(r, hd_reader_key(r, path, "repeat"), "repeat", raw->repeat, 1,
                                 &launch->repeat);
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
    hd_status status = hd_reader_count(r, hd_reader_key(r, path, "first_level"), "first_level",
                                       raw->first_level, 0, first);
    if (status == HD_OK)
        status = hd_reader_count(r, hd_reader_key(r, path, "last_level"), "last_level",
                                 raw->last_level, 0, last);
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
        return FAIL(r, hd_reader_key(r, path, key),
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
    hd_status status =
        hd_reader_graph(r, hd_reader_key(r, path, "for_levels"), raw->for_levels, &graph);
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
        return FAIL(r, hd_reader_key(r, path, raw->first_level ? "first_level" : "last_level"),
                    "'first_level' and 'last_level' are for launches with 'for_levels'; name the "
                    "graph there");
    hd_status status = read_launch(r, path, raw, (at_level){0}, &launch);
    if (status == HD_OK)
        hd_push(r->arena, list, launch);
    return status;
}

hd_status hd_reader_launches(const reader *r, const raw_job *raw) {
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
