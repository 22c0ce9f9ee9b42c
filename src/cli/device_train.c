/* heddle device train: which tile is best for how many bytes, measured on a device. */
#include "cli/commands.h"
#include "cli/stop.h"
#include "advise/measure/train.h"
#include "cli/report/members.h"

/* Of the cross-validation. */
enum { FOLDS = 10, SEED = 1 };

typedef hd_vec(uint32_t) number_list;

typedef struct request {
    const char *device;
    number_list lengths, bytes;
} request;

/* What is printed. */
typedef struct result {
    const hd_profiled_device *device;
    const char *date;            /* of the tree */
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
            return cli_refuse(c, "--%s takes some of %s, with commas between them, not '%s'",
                              option, hd_str_text(&all), text);
        }
        hd_push(c->arena, list, (uint32_t)value);
    }
    return HD_OK;
}

/* ---- printing --------------------------------------------------------------------- */

HD_GETTER(step_end, hd_tile_step, hd_whole_if(row->up_to != UINT64_MAX, row->up_to))
HD_GETTER(step_tile, hd_tile_step, hd_tile_value(row->tile))

static const hd_member step_members[] = {
    {"up_to", .get = step_end}, {"tile", .get = step_tile}, {0}};

/* A score, for the table under a name. */
typedef struct score_row {
    const char *name;
    hd_tile_score score;
} score_row;

HD_GETTER(within_of, hd_tile_score,
          hd_text(hd_format(view->arena, "%u of %u", row->within, row->kernels)))
HD_GETTER(share_of, hd_tile_score, hd_real(row->kernels ? (double)row->within / row->kernels : 0))
HD_GETTER(mean_of, hd_tile_score, hd_text(hd_format(view->arena, "%.3fx", row->slowdown)))
HD_GETTER(worst_of, hd_tile_score, hd_text(hd_format(view->arena, "%.2fx", row->worst)))

static const hd_member score_members[] = {HD_SAME(hd_tile_score, kernels, folds, within),
                                          {NULL, "within 1%", HD_PLAIN_WORD, .get = within_of},
                                          {NULL, "share", HD_SHARE, .get = share_of},
                                          {"slowdown", HD_AT(hd_tile_score, slowdown)},
                                          {NULL, "mean", HD_PLAIN_WORD, .get = mean_of},
                                          {"worst", HD_AT(hd_tile_score, worst)},
                                          {NULL, "worst", HD_PLAIN_WORD, .get = worst_of},
                                          {0}};
static const hd_member score_columns[] = {
    {NULL, "kernels", HD_AT(score_row, name)}, {HD_IN(score_row, score), .of = score_members}, {0}};

HD_GETTER(run_tile, hd_training_run, hd_tile_value(row->tile))
HD_GETTER(measured_of, result, hd_whole(row->training ? row->training->measured : 0))
HD_GETTER(steps_text, result, hd_text(hd_tile_steps_print(view->arena, row->tree)))

static const hd_member profiled_members[] = {
    HD_SAME(hd_profiled_device, backend, platform, name, driver), {0}};
static const hd_member run_members[] = {
    HD_SAME(hd_training_run, length, fields, bytes),
    {"tile", .get = run_tile},
    {"kernel", HD_AT(hd_training_run, profile.kernel)},
    {"date", HD_AT(hd_training_run, profile.date)},
    {"timing", HD_IN(hd_training_run, profile.timing), .of = hd_timing_members},
    {0}};
static const hd_member result_members[] = {
    {"device", HD_BEHIND(result, device), .of = profiled_members},
    {"measured", .get = measured_of},
    HD_SAME(result, kernels, patterns, date),
    {"steps", HD_VIA(result, tree, HD_MANY, data, count), .of = step_members},
    {"text", .get = steps_text},
    {"learned_from", HD_IN(result, own), .of = score_members},
    {"cross_validation", HD_IN(result, folds), .of = score_members},
    {"size_left_out", HD_IN(result, sizes), .of = score_members},
    {"runs", HD_MANY(result, runs, run_count), .of = run_members},
    {0}};

static int show(cli *c, const result *r) {
    if (c->json)
        return cli_print_row(c, result_members, hd_row(r));
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
    hd_say(&out, "  in a profile: tiles: {value: \"%s\", source: \"heddle device train, %.10s\"}",
           hd_tile_steps_print(c->arena, r->tree), r->date);
    hd_say(&out, "  for a program a tile is a proposal: 'heddle advise --budget TIME' races it");
    const score_row scores[] = {
        {"that it was learned from", r->own},
        {hd_format(c->arena, "left out, in %u folds", r->folds.folds), r->folds},
        {"of a size left out", r->sizes}};
    if (r->kernels)
        cli_show_rows(c, "\nTime in its tile against the best tile's", score_columns,
                      hd_rows(scores, 3), &out);
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

/* ---- the tree that is there ----------------------------------------------------------- */

/* The newest tree of a device of this name. */
static int show_stored(cli *c, hd_database *database, const char *wanted) {
    size_t count;
    const char *name = cli_device_name(c, wanted);
    const hd_profiled_tree *trees = hd_database_trees(database, c->arena, &count), *stored = NULL;
    hd_str names = {.arena = c->arena};
    for (size_t i = 0; i < count && !stored; i++) {
        const hd_profiled_device *device = &trees[i].device;
        hd_str_printf(&names, "%s%s", i ? ", " : "", device->name);
        if (!name || strcasestr(device->name, name) || strcasestr(device->platform, name))
            stored = &trees[i];
    }
    if (!stored && count)
        return cli_wrong(c, "there is no tree of a device called '%s'; there are those of %s",
                         wanted, hd_str_text(&names));
    if (!stored)
        return cli_wrong(
            c, "no tree was learned yet; 'heddle device train%s%s' measures and learns one",
            wanted ? " " : "", wanted ? wanted : "");
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

static int train(cli *c, hd_database *database, const request *r) {
    hd_training training;
    cli_meter meter = {.c = c, .start = hd_clock()};
    cli_stop stop;
    const hd_train_options options = {.device = r->device,
                                      .backend = cli_backend_of(r->device),
                                      .lengths = r->lengths.data,
                                      .length_count = (uint32_t)r->lengths.count,
                                      .bytes = r->bytes.data,
                                      .byte_count = (uint32_t)r->bytes.count,
                                      .repeats = (uint32_t)c->given->repeats,
                                      .again = c->given->again,
                                      .stop = cli_catch_stop(&stop),
                                      .progress = cli_show_meter,
                                      .user = &meter};
    hd_status status = hd_train(c->arena, &c->diag, database, &options, &training);
    cli_release_stop(&stop);
    cli_progress(c, NULL);
    uint32_t known = training.kept + training.measured;
    if (training.stopped)
        hd_warn(&c->diag, NULL, "stopped by a signal with %u of %u kernels measured%s", known,
                training.planned,
                database && known ? "; they are kept, and the same command goes on with the others"
                                  : "");
    else if (status != HD_OK && training.planned)
        hd_note(&c->diag, NULL, "%u of %u kernels are measured%s", known, training.planned,
                database ? " and kept; the same command goes on with the others" : "");
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

int cmd_device_train(cli *c) {
    const cli_options *o = c->given;
    request r = {.device = o->input.path};
    number_list lengths = {0}, bytes = {0}; /* that there are */
    for (const uint32_t *length = hd_training_lengths; *length; length++)
        hd_push(c->arena, &lengths, *length);
    for (const hd_training_shape *shape = hd_training_shapes; shape->type; shape++)
        if (!in_list(&bytes, shape->bytes))
            hd_push(c->arena, &bytes, shape->bytes);
    if ((o->lengths && read_list(c, "lengths", o->lengths, &lengths, &r.lengths)) ||
        (o->bytes && read_list(c, "bytes", o->bytes, &bytes, &r.bytes)))
        return CLI_WRONG;
    hd_database *database = hd_database_open_user(c->arena, &c->diag);
    int status = c->given->show ? show_stored(c, database, r.device) : train(c, database, &r);
    hd_database_close(database);
    return status;
}
