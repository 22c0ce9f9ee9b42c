/*
 * heddle advise --by rules: what the decision rules say (advise/explore/decision_rules.h), and what they read of the
 * job to say it.
 */
#include "advise/explore/decision_rules.h"
#include "cli/advise_rules.h"
#include "cli/report/members.h"
#include "cli/show_advice.h"

typedef struct result {
    const hd_job *job;
    const hd_rules_answer *answer;
    const char *verdict, *command;
} result;

/* ---- JSON, and its columns ---------------------------------------------------------------------- */

typedef struct feature_row {
    const char *name;
    double value;
} feature_row;
static const hd_member feature_members[] = {
    {"name", "feature", HD_AT(feature_row, name)},
    {"value", "value", HD_DIGITS, HD_AT(feature_row, value)},
    {0}};

static hd_value features_of(const hd_view *view, const void *at) {
    const hd_rules_answer *a = ((const result *)at)->answer;
    feature_row *rows = hd_new_array(view->arena, feature_row, HD_FEATURES);
    for (int f = 0; f < HD_FEATURES; f++)
        rows[f] = (feature_row){hd_features_all[f].name, a->features.value[f]};
    return hd_rows(rows, a->is_counted ? (size_t)HD_FEATURES : 0);
}

/* `parent` is the result's. */
HD_GETTER(rule_of, hd_rule_answer,
          hd_text(hd_decision_rule_name(
              (hd_decision_rule)(row - ((const result *)view->context)->answer->rules))))
static const hd_member rule_members[] = {
    {"rule", "rule", HD_PLAIN, .get = rule_of},
    {"layout", "layout", HD_AT(hd_rule_answer, says.layout)},
    {"placement", "placement", HD_AT(hd_rule_answer, says.placement)},
    {"why", "since", HD_AT(hd_rule_answer, why)},
    {0}};
HD_GETTER(rules_of, result, hd_with(hd_rows(row->answer->rules, (size_t)HD_RULES), row))

HD_GETTER(point_of, hd_neighbour, hd_text(hd_micro_print(view->arena, &row->point->of->point)))
static const hd_member neighbour_members[] = {
    {"point", "micro-kernel", HD_PLAIN, .get = point_of},
    {"distance", "distance", HD_DIGITS, HD_AT(hd_neighbour, distance)},
    {"weight", "weight", HD_SHARE, HD_AT(hd_neighbour, weight)},
    {0}};

HD_GETTER(by_of, result, hd_text(hd_decision_rule_name(row->answer->by)))
HD_GETTER(layout_of, result, hd_with(hd_row(row->answer->layout), row->job->record))
HD_GETTER(objective_of, result, hd_text(hd_quantities[row->answer->objective].name))
HD_GETTER(neighbours_of, result,
          hd_rows(row->answer->nearest.all, (size_t)row->answer->nearest.count))
HD_GETTER(device_of, result, hd_text(row->answer->device->name))

static const hd_member result_members[] = {
    HD_SAME(result, verdict, command),
    {"by", .get = by_of},
    {"device", .get = device_of},
    {"objective", .get = objective_of},
    {"layout", .get = layout_of, .of = hd_layout_members},
    {"placement", HD_VIA(result, answer, HD_AT, chosen.placement)},
    {"integrated", HD_VIA(result, answer, HD_AT, integrated)},
    {"rules", .get = rules_of, .of = rule_members},
    {"features", .get = features_of, .of = feature_members},
    {"neighbours", .get = neighbours_of, .of = neighbour_members},
    {0}};

/* ---- the command ---------------------------------------------------------------------------------- */

static int show(cli *c, const result *r) {
    const hd_rules_answer *a = r->answer;
    hd_str out = {.arena = c->arena};
    if (c->json)
        return cli_print_row(c, result_members, hd_row(r));
    hd_str_printf(&out, "By rules for %s: %s.\n", a->device->name, r->verdict);
    if (r->command)
        hd_str_printf(&out, "  %s\n", r->command);
    cli_show_rows(c, "\nRules", rule_members, rules_of(&(hd_view){c->arena}, r), &out);
    if (a->is_counted)
        cli_show_rows(c, "\nWhat the job is like, by one run of it", feature_members,
                      features_of(&(hd_view){c->arena}, r), &out);
    if (a->nearest.count)
        cli_show_rows(c, "\nThe micro-kernels that are nearest", neighbour_members,
                      hd_rows(a->nearest.all, (size_t)a->nearest.count), &out);
    return cli_print(c, &out);
}

static const char *verdict_of(hd_arena *arena, const hd_job *job, const hd_rules_answer *a) {
    hd_placement placement = HD_PLACEMENT_DEVICE;
    hd_placement_parse(a->chosen.placement, &placement);
    const char *layout =
        hd_layout_equal(a->layout, hd_layout_original(arena, job->record))
            ? "leave the layout as it is"
            : hd_format(arena, "take %s", hd_layout_print(arena, job->record, a->layout));
    return hd_format(arena, "%s, %s (%s)", layout, hd_placement_phrase(placement),
                     hd_decision_rule_name(a->by));
}

int cli_advise_by_rules(cli *c, hd_objective objective) {
    const cli_options *o = c->given;
    const hd_device *device;
    hd_rules_answer answer;
    hd_job *job;
    cli_source as_written = o->input.source; /* as micro-kernels are */
    as_written.as_written = true;
    if (cli_load(c, o->input.path, &as_written, &job) || hd_job_require_record(&c->diag, job) ||
        cli_find_device(c, &device))
        return CLI_WRONG;
    cli_progress(c, "asking the rules");
    hd_database *database = hd_database_open_user(c->arena, &c->diag);
    hd_status status = hd_rules_ask(c->arena, &c->diag, job, device, database, objective, &answer);
    hd_database_close(database);
    if (status != HD_OK)
        return cli_status(status);
    const bool stays = hd_layout_equal(answer.layout, hd_layout_original(c->arena, job->record));
    const char *more =
        hd_format(c->arena, " --layout %s --out DIR", cli_quoted(c->arena, answer.chosen.layout));
    const result r = {.job = job,
                      .answer = &answer,
                      .verdict = verdict_of(c->arena, job, &answer),
                      .command =
                          stays || !job->module->device
                              ? NULL
                              : cli_command_on(c, "apply", o->input.path, &o->input.source, more)};
    return show(c, &r);
}
