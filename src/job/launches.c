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
                        (ull)launch->global[d], (ull)launch->local[d],
                        (ull)hd_align_up(launch->global[d], launch->local[d]));
    return HD_OK;
}

/* Blocks, and threads in each. */
/* Blocks of a cluster: a grid has whole ones. */
static hd_status read_cluster(const reader *r, const hd_yaml *map, const uint64_t blocks[3],
                              hd_launch *launch) {
    enum { MOST = 16 };
    const hd_yaml *given = hd_yaml_get(map, "cluster");
    uint64_t sizes[3] = {1, 1, 1};
    hd_status status = given ? read_sizes(r, given, "cluster", 1, 0, sizes) : HD_OK;
    if (status || !given)
        return status;
    for (uint32_t d = 0; d < 3; d++) {
        launch->cluster[d] = (uint32_t)sizes[d];
        if (sizes[d] > MOST || sizes[0] * sizes[1] * sizes[2] > MOST || blocks[d] % sizes[d])
            return FAIL(r, given,
                        "a cluster has at most %d blocks, and 'blocks' is a multiple of 'cluster' "
                        "in each dimension",
                        MOST);
    }
    return HD_OK;
}

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
                        (ull)blocks[d], (ull)launch->local[d]);
        launch->global[d] = blocks[d] * launch->local[d];
    }
    return read_cluster(r, map, blocks, launch);
}

typedef hd_vec(hd_held) held_list;

/* A scalar of a buffer: {buffer: count, element: 0, field: x}; NULL where there is none. */
static hd_status read_spot(const reader *r, const hd_yaml *map, const hd_spot **result) {
    if (!map)
        return HD_OK;
    hd_spot *spot = hd_new(r->arena, hd_spot);
    spot->place = hd_yaml_place(r->file, map);
    *result = spot;
    return job_reader_members(r, map, job_spot_keys, spot);
}

/* The level and the round that a launch is for; `levels` NULL: for none. */
typedef struct at_level {
    const hd_levels *levels;
    uint32_t level;
    bool in_group;         /* of launches that are repeated: there is a round */
    uint64_t round;        /* of the innermost group, from 0 */
    const hd_until *until; /* or NULL */
    bool *begins;          /* the next launch begins a round of `until` after the first */
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
                 {"cluster", true, "give each work-group memory of its own"},
                 {"cooperative", true, "end the kernel and launch another"},
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

static hd_status read_cooperative(const reader *r, const hd_yaml *map, hd_launch *launch) {
    const hd_yaml *value = hd_yaml_get(map, "cooperative");
    launch->cooperative = value && value->text && !strcmp(value->text, "true");
    if (value && !launch->cooperative && (!value->text || strcmp(value->text, "false")))
        return FAIL(r, value, "'cooperative' is true or false");
    return HD_OK;
}

static hd_status read_launch_sizes(const reader *r, const hd_yaml *map, at_level at,
                                   hd_launch *launch) {
    for (uint32_t d = 0; d < 3; d++)
        launch->global[d] = launch->local[d] = 1;
    const hd_yaml *items = hd_yaml_get(map, "items_from");
    launch->shared_given = hd_yaml_get(map, "shared") != NULL;
    launch->items_each = 1;
    hd_status status = read_cooperative(r, map, launch);
    if (status)
        return status;
    if ((status = find_way(r, map, launch)) ||
        (status = read_spot(r, items, &launch->items_from)) ||
        (items && (status = job_reader_count(r, items, "each", 1, &launch->items_each))))
        return status;
    if (at.levels && !hd_yaml_get(map, "global") && !hd_yaml_get(map, "blocks"))
        return size_for_level(r, map, at, launch);
    return launch->in_blocks ? read_blocks(r, map, launch) : read_global_sizes(r, map, launch);
}

/* ---- arguments ------------------------------------------------------------ */

/* A value that counts: `round` in the first round, and in each other one `step` more than before, or
 * `factor` times that. */
static hd_status read_round(const reader *r, const hd_yaml *map, at_level at, hd_arg *arg) {
    const kir_type whole = {.kind = KIR_INT, .bits = 64, .lanes = 1};
    const hd_yaml *round = hd_yaml_get(map, "round");
    const char *const keys[] = {"round", "step", "factor"};
    int64_t numbers[] = {0, hd_yaml_get(map, "factor") ? 0 : 1, 1};
    arg->kind = HD_ARG_VALUE;
    if (!at.in_group)
        return FAIL(
            r, round,
            "'round' is for launches of a group; write {repeat: 10, launches: [...]} around "
            "this one");
    for (int k = 0; k < 3; k++) {
        const hd_yaml *value = hd_yaml_get(map, keys[k]);
        if (value && !hd_type_parse_value(whole, true, value->text, &numbers[k]))
            return FAIL(r, value, "'%s: %s' is not a whole number", keys[k], value->text);
    }
    /* value * factor + step, for each round: by squaring. */
    uint64_t value = (uint64_t)numbers[0], step = (uint64_t)numbers[1],
             factor = (uint64_t)numbers[2];
    for (uint64_t rounds = at.round; rounds; rounds >>= 1) {
        if (rounds & 1)
            value = value * factor + step;
        step = step * factor + step;
        factor *= factor;
    }
    arg->value_text = hd_format(r->arena, "%lld", (long long)value);
    return HD_OK;
}

/* The value is a number of the level's. */
static hd_status read_level(const reader *r, const hd_yaml *level, at_level at, hd_arg *arg) {
    if (!at.levels)
        return FAIL(r, level, "'level' is for launches with 'for_levels'; name the graph there");
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

static hd_status read_arg(const reader *r, const hd_yaml *map, at_level at, hd_arg *arg) {
    const hd_yaml *local = hd_yaml_get(map, "local"), *level = hd_yaml_get(map, "level");
    const hd_yaml *round = hd_yaml_get(map, "round"), *from = hd_yaml_get(map, "from");
    const hd_yaml *sampler = hd_yaml_get(map, "sampler");
    arg->place = hd_yaml_place(r->file, map);
    hd_status status = job_reader_members(r, map, job_arg_keys, arg);
    if (status != HD_OK || (status = job_reader_check_guess(r, map, "value", NULL)))
        return status;
    if (!!arg->buffer_name + !!arg->value_text + !!arg->bytes_text + !!local + !!level + !!round +
            !!sampler !=
        1)
        return FAIL(r, map,
                    "argument '%s' needs exactly one of 'buffer', 'value', 'bytes', 'local' and "
                    "'sampler', or in a launch for levels 'level', in a group 'round'",
                    arg->name);
    if (round)
        return read_round(r, map, at, arg);
    if (from && !arg->value_text)
        return FAIL(
            r, from,
            "argument '%s' is read from a buffer; give a 'value', too, which it is taken for "
            "where nothing is run",
            arg->name);
    for (int k = 0; k < 2; k++) {
        const char *key = k ? "factor" : "step";
        if (hd_yaml_get(map, key))
            return FAIL(r, hd_yaml_get(map, key),
                        "'%s' goes with 'round', which this argument has not", key);
    }
    if (hd_yaml_get(map, "offset") && !arg->buffer_name)
        return FAIL(
            r, hd_yaml_get(map, "offset"),
            "argument '%s' is no buffer; 'offset' is the number of bytes of a buffer before "
            "the place that an argument points to",
            arg->name);
    if (sampler && (status = job_reader_sampler(r, sampler, arg)))
        return status;
    arg->kind = arg->buffer_name ? HD_ARG_BUFFER : local ? HD_ARG_LOCAL : HD_ARG_VALUE;
    return level ? read_level(r, level, at, arg) : read_spot(r, from, &arg->from);
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

/* What a buffer holds before a launch, or after it. */
static hd_status read_held(const reader *r, const hd_yaml *map, void *held, uint32_t number) {
    (void)number;
    ((hd_held *)held)->place = hd_yaml_place(r->file, map);
    return job_reader_members(r, map, job_held_keys, held);
}

/* ---- launches for levels, and groups of launches ---------------------------- */

/* What is read so far. */
typedef struct launch_list {
    hd_vec(hd_launch) launches;
    held_list held; /* what is written before the next launch */
} launch_list;

/* A few entries for levels could ask for more launches than memory holds. */
enum { MOST_LAUNCHES = 1000000, MOST_HELD = 4000000 };

static hd_status check_room(const reader *r, const hd_yaml *map, const launch_list *list) {
    if (list->launches.count < MOST_LAUNCHES && list->held.count < MOST_HELD)
        return HD_OK;
    return FAIL(r, map,
                "with this entry the job has more than %d launches; use 'repeat', or "
                "make several jobs of it",
                MOST_LAUNCHES);
}

/* What was to be written before the next launch: this one, whose own contents come last. */
static void take_held(const reader *r, launch_list *list, hd_launch *launch) {
    for (uint32_t i = 0; i < launch->before_count; i++)
        hd_push(r->arena, &list->held, launch->before[i]);
    launch->before = list->held.data;
    launch->before_count = (uint32_t)list->held.count;
    list->held = (held_list){0};
}

static hd_status add_launch(const reader *r, const hd_yaml *map, at_level at, launch_list *list) {
    hd_launch launch = {.repeat = 1, .place = hd_yaml_place(r->file, map), .until = at.until};
    hd_status status;
    if (!hd_yaml_get(map, "kernel"))
        return FAIL(r, map,
                    "the key 'kernel' of a launch is missing; an entry of 'launches' may also be a "
                    "group ('launches'), 'copy', 'fill' or 'set'");
    if ((status = check_room(r, map, list)) ||
        (status = job_reader_members(r, map, job_launch_keys, &launch)) ||
        (status = job_reader_check_guess(r, map, "sizes", NULL)) ||
        (status = read_launch_sizes(r, map, at, &launch)) ||
        (status = read_args(r, hd_yaml_get(map, "args"), at, &launch)) ||
        (status = job_reader_entries(r, hd_yaml_get(map, "before"), read_held, sizeof(hd_held),
                                     &launch.before, &launch.before_count)) ||
        (status = job_reader_entries(r, hd_yaml_get(map, "after"), read_held, sizeof(hd_held),
                                     &launch.after, &launch.after_count)))
        return status;
    launch.after_given = hd_yaml_get(map, "after") != NULL;
    if (launch.repeat > 1 && (launch.before_count || launch.after_given))
        return FAIL(r, map,
                    "'before' and 'after' say what buffers hold around one run of a launch; leave "
                    "'repeat' out, and write the launch as often as it runs");
    launch.begins_round = at.begins && *at.begins;
    if (at.begins)
        *at.begins = false;
    if (launch.repeat > 1 && (list->held.count || launch.begins_round)) { /* the first run alone */
        hd_launch first = launch;
        first.repeat = 1;
        take_held(r, list, &first);
        hd_push(r->arena, &list->launches, first);
        launch.repeat--;
        launch.begins_round = false;
    }
    take_held(r, list, &launch);
    hd_push(r->arena, &list->launches, launch);
    return HD_OK;
}

static hd_status read_level_launches(const reader *r, const hd_yaml *map, at_level at,
                                     launch_list *list) {
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
                    (ull)first, (ull)last, graph->name, (ull)highest);
    at.levels = graph->levels;
    for (uint64_t level = first; level <= last && status == HD_OK; level++) {
        at.level = (uint32_t)level;
        status = add_launch(r, map, at, list);
    }
    return status;
}

/* ---- what is written between launches ---------------------------------------- */

static const struct between {
    const char *key;
    hd_held_kind kind;
    const hd_yaml_key *keys;
} betweens[] = {{"copy", HD_HELD_COPY, job_copy_keys},
                {"fill", HD_HELD_FILL, job_fill_keys},
                {"set", HD_HELD_SET, job_set_keys}};

static hd_status read_between(const reader *r, const hd_yaml *map, const struct between *what,
                              launch_list *list) {
    hd_held held = {.place = hd_yaml_place(r->file, map), .kind = what->kind};
    if (map->count != 1)
        return FAIL(r, map, "'%s' is an entry of its own in 'launches', without other keys",
                    what->key);
    hd_status status = check_room(r, map, list);
    if (status == HD_OK)
        status = job_reader_members(r, hd_yaml_get(map, what->key), what->keys, &held);
    hd_push(r->arena, &list->held, held);
    return status;
}

/* ---- groups -------------------------------------------------------------------- */

static hd_status read_entries(const reader *r, const hd_yaml *entries, at_level at,
                              launch_list *list);

static hd_status read_until(const reader *r, const hd_yaml *map, at_level at,
                            const hd_until **result) {
    const hd_yaml *value = hd_yaml_get(map, "until");
    if (!value)
        return HD_OK;
    if (at.until)
        return FAIL(r, value,
                    "a group with 'until' holds no other one; give one of them a 'repeat' "
                    "alone");
    if (!hd_yaml_get(map, "repeat"))
        return FAIL(r, map,
                    "a group with 'until' needs 'repeat', the most rounds that it may have");
    hd_until *until = hd_new(r->arena, hd_until);
    *until = (hd_until){.value_text = hd_yaml_text(value, "value"),
                        .number = r->job->until_count++,
                        .spot.place = hd_yaml_place(r->file, value)};
    *result = until;
    return job_reader_members(r, value, job_spot_keys, &until->spot);
}

/* A group is written out, round by round. */
static hd_status read_group(const reader *r, const hd_yaml *map, at_level at, launch_list *list) {
    const hd_yaml *entries = hd_yaml_get(map, "launches");
    const hd_until *own = NULL;
    uint64_t rounds = 1;
    bool begins = false;
    for (uint32_t k = 0; k < map->count; k++)
        if (!hd_has_word("launches repeat until", map->items[2 * k].text))
            return FAIL(r, &map->items[2 * k],
                        "'%s' is not for a group of launches, which has 'launches', 'repeat' and "
                        "'until'; write it at a launch of the group",
                        map->items[2 * k].text);
    hd_status status = job_reader_count(r, map, "repeat", 1, &rounds);
    if (status == HD_OK)
        status = read_until(r, map, at, &own);
    if (status != HD_OK)
        return status;
    if (own) {
        at.until = own;
        at.begins = &begins;
    }
    at.in_group = true;
    size_t before = list->launches.count;
    for (at.round = 0; at.round < rounds && status == HD_OK; at.round++) {
        begins = own && at.round;
        status = read_entries(r, entries, at, list);
        if (status == HD_OK && list->launches.count == before)
            status = FAIL(r, map, "this group has no launch; a group repeats kernels");
        if (status == HD_OK && own && list->held.count)
            status = FAIL(r, map,
                          "a group with 'until' ends with a launch; write the copy, fill or set "
                          "behind it before the launches");
    }
    return status;
}

static hd_status read_entries(const reader *r, const hd_yaml *entries, at_level at,
                              launch_list *list) {
    hd_status status = HD_OK;
    if (!entries->count)
        return FAIL(r, entries, "'launches' is empty; a job runs at least one kernel");
    for (uint32_t l = 0; l < entries->count && status == HD_OK; l++) {
        const hd_yaml *map = &entries->items[l];
        const hd_yaml *first = hd_yaml_get(map, "first_level");
        const hd_yaml *last = hd_yaml_get(map, "last_level");
        const struct between *between = NULL;
        for (size_t i = 0; i < 3 && !between; i++)
            between = hd_yaml_get(map, betweens[i].key) ? &betweens[i] : NULL;
        if (between)
            status = read_between(r, map, between, list);
        else if (hd_yaml_get(map, "launches"))
            status = read_group(r, map, at, list);
        else if (hd_yaml_get(map, "until"))
            status = FAIL(r, hd_yaml_get(map, "until"),
                          "'until' is for a group: {until: ..., repeat: 100, launches: [...]}");
        else if (hd_yaml_get(map, "for_levels"))
            status = read_level_launches(r, map, at, list);
        else if (first || last)
            status = FAIL(r, first ? first : last,
                          "'first_level' and 'last_level' are for launches with 'for_levels'; name "
                          "the graph there");
        else
            status = add_launch(r, map, at, list);
    }
    return status;
}

hd_status job_reader_launches(const reader *r, const hd_yaml *list) {
    launch_list read = {0};
    hd_status status = read_entries(r, list, (at_level){0}, &read);
    if (status == HD_OK && !read.launches.count)
        return FAIL(r, list, "'launches' has no launch; a job runs at least one kernel");
    if (status == HD_OK && read.held.count) { /* the last run must be one of its own */
        hd_launch last = read.launches.data[read.launches.count - 1];
        if (last.repeat > 1) {
            read.launches.data[read.launches.count - 1].repeat--;
            last.repeat = 1;
            last.before_count = 0;
            last.begins_round = false;
            hd_push(r->arena, &read.launches, last);
        }
        r->job->last = read.held.data;
        r->job->last_count = (uint32_t)read.held.count;
    }
    r->job->launch_count = (uint32_t)read.launches.count;
    r->job->launches = read.launches.data;
    return status;
}
