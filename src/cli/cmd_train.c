/* heddle train: which tile is best for how many bytes, measured on a device. */
#include "cli/cli.h"
#include "cli/stop.h"
#include "measure/train.h"
#include "report/json.h"

/* Of the cross-validation. */
enum { FOLDS = 10, SEED = 1 };

typedef hd_vec(uint32_t) number_list;

typedef struct request {
    const char *device, *length_text, *byte_text;
    number_list lengths, bytes;
    uint64_t repeats;
    bool again, show;
} request;

/* What is printed. */
typedef struct result {
    const hd_profiled_device *device;
    const char *date;            /* of the tree; NULL: of now */
    const hd_training *training; /* NULL: nothing was measured */
    const hd_tile_steps *tree;
    const hd_training_run *runs;
    size_t run_count, kernels, patterns;
    hd_tile_score own, folds, sizes;
} result;

/* ---- options ------------------------------------------------------------------- */

static bool in_list(const number_list *list, uint64_t value) {
    bool found = false;
    for (size_t i = 0; i < list->count; i++)
        found = found || list->data[i] == value;
    return found;
}

/* Numbers of `known` between commas. */
static hd_status read_list(cli *c, const char *option, const char *text, const number_list *known,
                           number_list *list) {
    for (const char *at = text; at; at = *at ? at + 1 : NULL) {
        uint64_t value;
        bool good = cli_whole(at, &at, &value) && (!*at || *at == ',') && in_list(known, value);
        if (!good) {
            hd_str all = {.arena = c->arena};
            for (size_t i = 0; i < known->count; i++)
                hd_str_printf(&all, "%s%u", i ? ", " : "", known->data[i]);
            return hd_fail(&c->diag, HD_EINPUT, NULL,
                           "--%s takes some of %s, with commas between them, not '%s'", option,
                           hd_str_text(&all), text);
        }
        hd_push(c->arena, list, (uint32_t)value);
    }
    return HD_OK;
}

static hd_status read_lists(cli *c, request *r) {
    number_list lengths = {0}, bytes = {0};
    for (const uint32_t *length = hd_training_lengths; *length; length++)
        hd_push(c->arena, &lengths, *length);
    for (const hd_training_shape *shape = hd_training_shapes; shape->type; shape++)
        if (!in_list(&bytes, shape->bytes))
            hd_push(c->arena, &bytes, shape->bytes);
    hd_status status = HD_OK;
    if (r->length_text)
        status = read_list(c, "lengths", r->length_text, &lengths, &r->lengths);
    if (r->byte_text && status == HD_OK)
        status = read_list(c, "bytes", r->byte_text, &bytes, &r->bytes);
    if (r->show && (r->again || r->length_text || r->byte_text || r->repeats))
        status =
            hd_fail(&c->diag, HD_EINPUT, NULL, "--show measures nothing and takes no other option");
    if (r->repeats > 1000 && status == HD_OK)
        status = hd_fail(&c->diag, HD_EINPUT, NULL, "--repeats takes at most 1000");
    return status;
}

/* ---- printing --------------------------------------------------------------------- */

static json_t *tile_json(uint64_t tile) {
    return tile == HD_TILE_SOA ? json_string("soa") : hd_json_integer(tile);
}

static json_t *steps_json(const hd_tile_steps *steps) {
    json_t *array = json_array();
    for (size_t i = 0; i < steps->count; i++) {
        uint64_t up_to = steps->data[i].up_to;
        json_array_append_new(array,
                              json_pack("{s:o, s:o}", "up_to",
                                        up_to == UINT64_MAX ? json_null() : hd_json_integer(up_to),
                                        "tile", tile_json(steps->data[i].tile)));
    }
    return array;
}

static json_t *score_json(const hd_tile_score *score) {
    return json_pack("{s:o, s:o, s:o, s:o, s:o}", "kernels", hd_json_integer(score->kernels),
                     "folds", hd_json_integer(score->folds), "within",
                     hd_json_integer(score->within), "slowdown", hd_json_number(score->slowdown),
                     "worst", hd_json_number(score->worst));
}

static json_t *run_json(const hd_training_run *run) {
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "length", hd_json_integer(run->length),
                     "fields", hd_json_integer(run->fields), "bytes", hd_json_integer(run->bytes),
                     "tile", tile_json(run->tile), "kernel", hd_json_text(run->profile.kernel),
                     "date", hd_json_text(run->profile.date), "timing",
                     hd_json_timing(&run->profile.timing));
}

static json_t *result_json(cli *c, const result *r) {
    const hd_profiled_device *d = r->device;
    json_t *object = json_object();
    json_object_set_new(object, "device",
                        json_pack("{s:o, s:o, s:o, s:o}", "backend", hd_json_text(d->backend),
                                  "platform", hd_json_text(d->platform), "name",
                                  hd_json_text(d->name), "driver", hd_json_text(d->driver)));
    json_object_set_new(object, "measured",
                        hd_json_integer(r->training ? r->training->measured : 0));
    json_object_set_new(object, "kernels", hd_json_integer(r->kernels));
    json_object_set_new(object, "patterns", hd_json_integer(r->patterns));
    json_object_set_new(object, "date", hd_json_text(r->date));
    json_object_set_new(object, "steps", steps_json(r->tree));
    json_object_set_new(object, "text", hd_json_text(hd_tile_steps_print(c->arena, r->tree)));
    json_object_set_new(object, "learned_from", score_json(&r->own));
    json_object_set_new(object, "cross_validation", score_json(&r->folds));
    json_object_set_new(object, "size_left_out", score_json(&r->sizes));
    json_t *runs = json_array();
    for (size_t i = 0; i < r->run_count; i++)
        json_array_append_new(runs, run_json(&r->runs[i]));
    json_object_set_new(object, "runs", runs);
    return object;
}

static void add_score(cli *c, hd_table *table, const char *name, const hd_tile_score *score) {
    const char *cells[] = {
        name, hd_format(c->arena, "%u of %u", score->within, score->kernels),
        hd_show_share(c->arena, score->kernels ? (double)score->within / score->kernels : 0),
        hd_format(c->arena, "%.3fx", score->slowdown), hd_format(c->arena, "%.2fx", score->worst)};
    hd_table_row(table, cells);
}

static void show_scores(cli *c, const result *r, hd_str *out) {
    static const hd_column columns[] = {{"kernels", HD_LEFT, true},
                                        {"within 1%", HD_RIGHT, false},
                                        {"share", HD_RIGHT, false},
                                        {"mean", HD_RIGHT, false},
                                        {"worst", HD_RIGHT, false}};
    hd_table *table = hd_table_new(c->arena, columns, sizeof columns / sizeof *columns);
    add_score(c, table, "that it was learned from", &r->own);
    add_score(c, table, hd_format(c->arena, "left out, in %u folds", r->folds.folds), &r->folds);
    add_score(c, table, "of a size left out", &r->sizes);
    hd_str_add(out, "\nTime in its tile against the best tile's\n");
    hd_table_print(table, out, c->style.bold);
}

static int show(cli *c, const result *r) {
    if (c->json)
        return cli_print_json(c, result_json(c, r));
    hd_str out = {.arena = c->arena};
    hd_str_printf(&out, "Tile by bytes of a cluster on %s (%s)\n", r->device->name,
                  r->device->platform);
    hd_tile_steps_show(&out, r->tree);
    hd_str_printf(&out, "  from %s and %s, ", hd_show_counted(c->arena, r->kernels, "kernel", "s"),
                  hd_show_counted(c->arena, r->patterns, "pattern", "s"));
    if (r->training)
        hd_str_printf(&out, "measured now: %u\n", r->training->measured);
    else
        hd_str_printf(&out, "learned on %.10s\n", r->date);
    if (r->kernels)
        show_scores(c, r, &out);
    return cli_print(c, &out);
}

/* Adds what the runs say of the tree; learns it where there is none. */
static void judge(cli *c, result *r) {
    hd_tile_kernel *kernels = hd_training_kernels(c->arena, r->runs, r->run_count, &r->kernels);
    hd_tile_pattern *patterns = hd_tile_patterns(c->arena, kernels, r->kernels, &r->patterns);
    if (!r->tree)
        r->tree = hd_tile_learn(c->arena, patterns, r->patterns);
    r->own = hd_tile_score_steps(r->tree, kernels, r->kernels);
    r->folds = hd_tile_cross_validate(kernels, r->kernels, FOLDS, SEED);
    r->sizes = hd_tile_leave_size_out(kernels, r->kernels);
}

/* CUDA's devices are known by their ids alone: others of the name may be OpenCL's. */
static const char *backend_of(const char *device) {
    return device && !strncmp(device, "cuda:", 5) ? "cuda" : "opencl";
}

/* ---- the tree that is there ----------------------------------------------------------- */

static bool is_wanted(const hd_profiled_device *device, const char *wanted) {
    return !wanted || strcasestr(device->name, wanted) || strcasestr(device->platform, wanted);
}

/* The newest tree of a device of this name; a device as "P:D" is asked for its name. */
static const hd_profiled_tree *find_tree(cli *c, const char *wanted, const hd_profiled_tree *trees,
                                         size_t count) {
    uint32_t device_count = 0;
    const char *missing;
    const hd_compute_device *devices =
        hd_measure_devices(c->arena, backend_of(wanted), &device_count, &missing);
    const char *name = wanted;
    for (uint32_t d = 0; wanted && d < device_count; d++)
        if (!strcmp(devices[d].id, wanted))
            name = devices[d].name;
    for (size_t i = 0; i < count; i++)
        if (is_wanted(&trees[i].device, name))
            return &trees[i];
    return NULL;
}

static int no_tree(cli *c, const char *wanted, const hd_profiled_tree *trees, size_t count) {
    hd_str names = {.arena = c->arena};
    for (size_t i = 0; i < count; i++)
        hd_str_printf(&names, "%s%s", i ? ", " : "", trees[i].device.name);
    if (count)
        hd_fail(&c->diag, HD_EINPUT, NULL,
                "there is no tree of a device called '%s'; there are those of %s", wanted,
                hd_str_text(&names));
    else
        hd_fail(&c->diag, HD_EINPUT, NULL,
                "no tree was learned yet; 'heddle train%s%s' measures and learns one",
                wanted ? " " : "", wanted ? wanted : "");
    return CLI_WRONG;
}

static int show_stored(cli *c, hd_database *database, const char *wanted) {
    size_t count;
    hd_profiled_tree *trees = hd_database_trees(database, c->arena, &count);
    const hd_profiled_tree *stored = find_tree(c, wanted, trees, count);
    if (!stored)
        return no_tree(c, wanted, trees, count);
    result r = {.device = &stored->device, .date = stored->date};
    hd_tile_steps *tree;
    if (hd_tile_steps_parse(c->arena, &c->diag, stored->text, &tree))
        return CLI_WRONG;
    r.tree = tree;
    r.runs = hd_training_known(database, c->arena, &stored->device, &r.run_count);
    judge(c, &r);
    return show(c, &r);
}

/* ---- training --------------------------------------------------------------------------- */

typedef struct watch {
    cli *c;
    double start, shown; /* seconds */
} watch;

/* A few times a second: a terminal is slow. */
static void show_progress(void *user, const char *what, double share) {
    watch *w = user;
    double time = hd_clock(), spent = time - w->start;
    if (time - w->shown < 0.2)
        return;
    w->shown = time;
    hd_arena *arena = hd_arena_new();
    const char *left = share < 0.01 ? ""
                                    : hd_format(arena, ", about %s left",
                                                hd_show_seconds(arena, spent / share - spent));
    cli_progress(w->c, hd_format(arena, "%.0f%%: %s%s", 100 * share, what, left));
    hd_arena_free(arena);
}

static hd_status measure(cli *c, hd_database *database, const request *r, hd_training *training) {
    watch w = {.c = c, .start = hd_clock()};
    cli_stop stop;
    const hd_train_options options = {.device = r->device,
                                      .backend = backend_of(r->device),
                                      .lengths = r->lengths.data,
                                      .length_count = (uint32_t)r->lengths.count,
                                      .bytes = r->bytes.data,
                                      .byte_count = (uint32_t)r->bytes.count,
                                      .repeats = (uint32_t)r->repeats,
                                      .again = r->again,
                                      .stop = cli_catch_stop(&stop),
                                      .progress = show_progress,
                                      .user = &w};
    hd_status status = hd_train(c->arena, &c->diag, database, &options, training);
    cli_release_stop(&stop);
    cli_progress(c, NULL);
    return status;
}

static void say_how_far(cli *c, const hd_database *database, const hd_training *training) {
    uint32_t known = training->kept + training->measured;
    if (training->stopped)
        hd_warn(&c->diag, NULL, "stopped by a signal with %u of %u kernels measured%s", known,
                training->planned,
                database && known ? "; they are kept, and the same command goes on with the others"
                                  : "");
    else if (training->planned)
        hd_note(&c->diag, NULL, "%u of %u kernels are measured%s", known, training->planned,
                database ? " and kept; the same command goes on with the others" : "");
}

static int train(cli *c, hd_database *database, const request *r) {
    hd_training training;
    hd_status status = measure(c, database, r, &training);
    if (status != HD_OK || training.stopped)
        say_how_far(c, database, &training);
    if (status != HD_OK)
        return CLI_WRONG;
    if (training.stopped)
        return CLI_STOPPED;
    result res = {.device = &training.device,
                  .date = hd_date_now(c->arena),
                  .training = &training,
                  .runs = training.runs,
                  .run_count = training.run_count};
    judge(c, &res);
    const hd_profiled_tree tree = {.device = training.device,
                                   .date = res.date,
                                   .text = hd_tile_steps_print(c->arena, res.tree)};
    hd_database_put_tree(database, &tree);
    return show(c, &res);
}

int cmd_train(cli *c, int argc, char **argv) {
    request r = {0};
    const cli_option options[] = {
        {"show", 0, NULL, "print the tree that is kept, without measuring", CLI_FLAG, &r.show},
        {"again", 0, NULL, "forget all that was measured on this device first", CLI_FLAG, &r.again},
        {"lengths", 0, "N,...", "only loops of so many iterations", CLI_TEXT, &r.length_text},
        {"bytes", 0, "N,...", "only records of so many bytes", CLI_TEXT, &r.byte_text},
        {"repeats", 0, "N", "timed runs of each kernel and tile; default 7", CLI_NUMBER,
         &r.repeats},
        {0}};
    const cli_page page = {
        "[OPTIONS] [DEVICE]",
        "Measures generated kernels on a device, with their records in each tile, and learns which "
        "tile is best for a cluster of so many bytes. DEVICE is P:D or cuda:D as 'heddle devices' "
        "prints it, or a part of an OpenCL device's name; default: OpenCL's first. Measurements "
        "and tree are "
        "kept in the profile database, and what is measured is not measured again.",
        options,
        NULL,
        0,
        1};
    char **words;
    uint32_t word_count;
    int status;
    if (!cli_parse(c, &page, argc, argv, &words, &word_count, &status))
        return status;
    r.device = word_count ? words[0] : NULL;
    if (read_lists(c, &r))
        return CLI_WRONG;
    hd_database *database = hd_database_open_user(c->arena, &c->diag);
    status = r.show ? show_stored(c, database, r.device) : train(c, database, &r);
    hd_database_close(database);
    return status;
}
