/*
 * heddle apply --layout L -- PROGRAM: an OpenCL program, as it is, with its kernels and buffers in
 * another layout (docs/layer.md). The layer does it in the program's process, which leaves what came of
 * it.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "advise/measure/database.h"
#include "cli/commands.h"
#include "cli/whole_program.h"
#include "cli/show_advice.h"

typedef struct layout_row {
    const char *record, *layout;
    uint64_t to, back, bytes;
    double seconds;
} layout_row;

typedef struct left_row {
    const char *kernel, *why;
    uint64_t launches;
} left_row;

typedef struct kernel_row {
    const char *kernel;
    uint64_t launches, exchanged, timed, compared;
    double before, after; /* seconds of a launch, of those that were timed */
    double difference;
    bool differs;
    hd_vec(left_row) left_out;
} kernel_row;

/* How the layout of a program (of kernels) was found. */
typedef struct race_row {
    const char *key, *kernel;  /* kernel: the first that it launched */
    const char *layouts, *why; /* layouts: NULL: it is left as it is, because of `why` */
    double gain;               /* share of the kernels' time */
    bool known;                /* from a run before */
    json_t *whole;
} race_row;

typedef struct applied {
    const char *program;
    int32_t status; /* that the program ended with; -1: a signal ended it */
    bool was_stopped, verifies;
    uint32_t processes;
    const char *off; /* why nothing was exchanged any more; NULL: nothing came up */
    hd_vec(layout_row) layouts;
    hd_vec(kernel_row) kernels;
    hd_vec(left_row) left_out;
    hd_vec(const char *) refused;
    hd_vec(race_row) races;
    uint64_t launches, exchanged, compared;
    double saved, converting; /* seconds: of kernels as far as they were timed, and conversions */
    bool differs;
} applied;

/* ---- results ------------------------------------------------------------------------------------ */

static double real_of(const json_t *o, const char *key) {
    return json_real_value(json_object_get(o, key));
}

static void take_kernel(hd_arena *arena, const json_t *o, applied *r) {
    kernel_row k = {.kernel = cli_text_of(arena, o, "kernel"),
                    .launches = cli_number_of(o, "launches"),
                    .exchanged = cli_number_of(o, "exchanged"),
                    .timed = cli_number_of(o, "timed"),
                    .compared = cli_number_of(o, "compared"),
                    .before = real_of(o, "before"),
                    .after = real_of(o, "after"),
                    .difference = real_of(o, "difference"),
                    .differs = json_is_true(json_object_get(o, "differs"))};
    size_t i;
    const json_t *left;
    json_array_foreach(json_object_get(o, "left_out"), i, left) {
        const left_row row = {k.kernel, cli_text_of(arena, left, "why"),
                              cli_number_of(left, "launches")};
        hd_push(arena, &k.left_out, row);
        hd_push(arena, &r->left_out, row);
    }
    r->launches += k.launches;
    r->exchanged += k.exchanged;
    r->compared += k.compared;
    r->saved += k.timed ? (k.before - k.after) * (double)k.exchanged : 0;
    r->differs |= k.differs;
    hd_push(arena, &r->kernels, k);
}

static void take_results(hd_arena *arena, const json_t *all, void *user) {
    applied *r = user;
    size_t i;
    const json_t *o;
    r->processes++;
    r->off = r->off ? r->off : cli_text_of(arena, all, "off");
    json_array_foreach(json_object_get(all, "layouts"), i, o) {
        const layout_row row = {cli_text_of(arena, o, "record"), cli_text_of(arena, o, "layout"),
                                cli_number_of(o, "to"),          cli_number_of(o, "back"),
                                cli_number_of(o, "bytes"),       real_of(o, "seconds")};
        r->converting += row.seconds;
        hd_push(arena, &r->layouts, row);
    }
    json_array_foreach(json_object_get(all, "kernels"), i, o)
        take_kernel(arena, o, r);
    json_array_foreach(json_object_get(all, "races"), i, o) {
        const race_row row = {.key = cli_text_of(arena, o, "key"),
                              .kernel = cli_text_of(arena, o, "kernel"),
                              .layouts = cli_text_of(arena, o, "layouts"),
                              .why = cli_text_of(arena, o, "why"),
                              .gain = real_of(o, "gain"),
                              .known = json_is_true(json_object_get(o, "known")),
                              .whole = json_deep_copy(o)};
        hd_push(arena, &r->races, row);
    }
    json_array_foreach(json_object_get(all, "refused"), i, o)
        hd_push(arena, &r->refused, hd_strdup(arena, json_string_value(o)));
}

/* ---- showing -------------------------------------------------------------------------------------- */

HD_GETTER(gain_of, kernel_row,
          row->timed && row->after > 0 ? hd_real(row->before / row->after) : hd_null())
HD_GETTER(before_of, kernel_row, row->timed ? hd_real(row->before) : hd_null())
HD_GETTER(after_of, kernel_row, row->timed ? hd_real(row->after) : hd_null())

static const hd_member layout_members[] = {
    {"record", "record", HD_PLAIN, HD_AT(layout_row, record)},
    {"layout", "layout", HD_PLAIN, HD_AT(layout_row, layout)},
    {"to", "converted", HD_COUNT, HD_AT(layout_row, to)},
    {"back", "back", HD_COUNT, HD_AT(layout_row, back)},
    {"bytes", "bytes", HD_BYTES, HD_AT(layout_row, bytes)},
    {"seconds", "time", HD_SECONDS, HD_AT(layout_row, seconds)},
    {0}};
static const hd_member reason_members[] = {HD_SAME(left_row, why, launches), {0}};
static const hd_member kernel_members[] = {
    {"kernel", "kernel", HD_PLAIN, HD_AT(kernel_row, kernel)},
    {"launches", "launches", HD_COUNT, HD_AT(kernel_row, launches)},
    {"exchanged", "exchanged", HD_COUNT, HD_AT(kernel_row, exchanged)},
    {"timed", HD_AT(kernel_row, timed)},
    {"before", "before", HD_SECONDS, .get = before_of},
    {"after", "after", HD_SECONDS, .get = after_of},
    {NULL, "gain", HD_RATIO, .get = gain_of},
    {"compared_bytes", HD_AT(kernel_row, compared)},
    {"differs", HD_AT(kernel_row, differs)},
    {"difference", HD_AT(kernel_row, difference)},
    {"left_out", HD_MANY(kernel_row, left_out.data, left_out.count), .of = reason_members},
    {0}};
static const hd_member left_members[] = {{NULL, "as before", HD_PLAIN, HD_AT(left_row, kernel)},
                                         {NULL, "launches", HD_COUNT, HD_AT(left_row, launches)},
                                         {NULL, "because of", HD_PLAIN, HD_AT(left_row, why)},
                                         {0}};
static const hd_member race_members[] = {HD_SAME(race_row, kernel, layouts, why, gain, known), {0}};
static const hd_member result_members[] = {
    HD_SAME(applied, program, status, launches, exchanged, saved, converting, off),
    {"layouts", HD_MANY(applied, layouts.data, layouts.count), .of = layout_members},
    {"kernels", HD_MANY(applied, kernels.data, kernels.count), .of = kernel_members},
    {"refused", HD_NUMBERS(applied, refused.data, refused.count)},
    {"races", HD_MANY(applied, races.data, races.count), .of = race_members},
    {0}};

/* "equal", or what differs most. */
static void show_compared(cli *c, const applied *r, hd_str *out) {
    double largest = 0;
    for (size_t k = 0; k < r->kernels.count; k++) {
        const kernel_row *row = &r->kernels.data[k];
        largest = fmax(largest, row->difference);
        if (row->differs)
            hd_str_printf(out, "%s leaves something else in the new layout; it runs as before\n",
                          row->kernel);
    }
    if (!r->verifies || r->differs)
        return;
    if (!r->compared)
        hd_str_add(out, "Nothing was compared\n");
    else if (largest > 0)
        hd_str_printf(out, "Both forms left the same in %s, numbers to within %.2g\n",
                      hd_show_bytes(c->arena, r->compared), largest);
    else
        hd_str_printf(out, "Both forms left the same bytes: %s\n",
                      hd_show_bytes(c->arena, r->compared));
}

static void show_gain(cli *c, const applied *r, hd_str *out) {
    uint64_t timed = 0;
    for (size_t k = 0; k < r->kernels.count; k++)
        timed += r->kernels.data[k].timed;
    const double gain = r->saved - r->converting;
    if (!r->exchanged || (!timed && c->given->automatic))
        return;
    if (!timed)
        hd_str_printf(out,
                      "Conversions took %s; no kernel was launched often enough to time both "
                      "forms of it\n",
                      hd_show_seconds(c->arena, r->converting));
    else
        hd_str_printf(out, "Kernels took %s %s, conversions %s: a %s of %s\n",
                      hd_show_seconds(c->arena, fabs(r->saved)), r->saved < 0 ? "more" : "less",
                      hd_show_seconds(c->arena, r->converting), gain < 0 ? "loss" : "gain",
                      hd_show_seconds(c->arena, fabs(gain)));
}

/* Programs without records say nothing. */
static void show_races(cli *c, const applied *r, hd_str *out) {
    for (size_t i = 0; i < r->races.count; i++) {
        const race_row *race = &r->races.data[i];
        if (race->layouts)
            hd_str_printf(out, "%s: kernels take %s less%s\n", race->layouts,
                          hd_show_share(c->arena, race->gain),
                          race->known ? ", as an earlier run found" : ", conversions counted");
        else if (race->why)
            hd_str_printf(out, "Left as it is%s: %s (%s)\n",
                          race->known ? ", as an earlier run found" : "", race->why, race->kernel);
    }
}

static void show(cli *c, const applied *r, hd_str *out) {
    show_races(c, r, out);
    if (r->layouts.count)
        cli_show_rows(c, NULL, layout_members, hd_rows(r->layouts.data, r->layouts.count), out);
    if (r->kernels.count)
        cli_show_rows(c, r->layouts.count ? "\nKernels" : "Kernels", kernel_members,
                      hd_rows(r->kernels.data, r->kernels.count), out);
    if (r->left_out.count)
        cli_show_rows(c, "", left_members, hd_rows(r->left_out.data, r->left_out.count), out);
    if (r->kernels.count)
        hd_str_add(out, "\n");
    for (size_t i = 0; i < r->refused.count; i++)
        hd_str_printf(out, "A program's kernels run as before: %s\n", r->refused.data[i]);
    if (r->off)
        hd_str_printf(out, "From some launch on all ran as before: %s\n", r->off);
    show_compared(c, r, out);
    show_gain(c, r, out);
}

/* ---- the command ------------------------------------------------------------------------------------ */

static const char *layer_words(cli *c) {
    const cli_options *o = c->given;
    hd_str words = {.arena = c->arena};
    hd_str_printf(&words, "apply%s", o->verify ? " verify" : "");
    for (size_t l = 0; l < o->layouts.count; l++)
        hd_str_printf(&words, " %s", o->layouts.data[l]);
    return hd_str_text(&words);
}

/* ---- what earlier runs found ---------------------------------------------------------------------------- */

/* Under the file that runs, since programs (of kernels) are not known before. */
static const char *answer_key(cli *c, const char *program) {
    const char *file = cli_program_file(c->arena, program);
    char *whole = file ? realpath(file, NULL) : NULL;
    const char *key = hd_format(c->arena, "layouts of %s", whole ? whole : program);
    free(whole);
    return key;
}

/* A file of them for the layer. */
static const char *write_known(cli *c, const char *folder) {
    const char *path = hd_format(c->arena, "%s/known", folder), *value = "{}";
    hd_database *database = hd_database_open_user(c->arena, &c->diag);
    if (!c->given->again)
        hd_database_get_answer(database, c->arena, answer_key(c, c->program[0]), &value);
    hd_database_close(database);
    return hd_write_file(&c->diag, path, value, strlen(value)) ? "" : path;
}

/* What this run found, with what others did. Where a chosen layout has lost in the end, it is left. */
static void keep_races(cli *c, const applied *r) {
    const char *key = answer_key(c, c->program[0]), *value = "{}";
    bool any = false;
    for (size_t i = 0; i < r->races.count; i++)
        any |= !r->races.data[i].known;
    if (!any)
        return;
    hd_database *database = hd_database_open_user(c->arena, &c->diag);
    hd_database_get_answer(database, c->arena, key, &value);
    json_t *all = json_loads(value, 0, NULL);
    all = json_is_object(all) ? all : json_object();
    for (size_t i = 0; i < r->races.count; i++)
        json_object_set(all, r->races.data[i].key, r->races.data[i].whole);
    char *text = json_dumps(all, JSON_COMPACT);
    if (text)
        hd_database_put_answer(database, key, text);
    free(text);
    json_decref(all);
    hd_database_close(database);
}

static hd_status run_program(cli *c, const char *folder, applied *r) {
    int how;
    const cli_options *o = c->given;
    const char *recording = hd_format(c->arena, "%s/recording", folder);
    const char *profile = o->devices.count ? o->devices.data[0] : "";
    hd_folders made = {0};
    double seconds = 0;
    if (o->automatic &&
        ((o->budget && cli_read_budget(c, o->budget, &seconds)) ||
         hd_folders_make(c->arena, &c->diag, hd_format(c->arena, "%s/contents", recording), &made)))
        return HD_EINPUT;
    const cli_setting live[] = {
        {"HEDDLE_LAYER", layer_words(c)}, {"HEDDLE_LAYER_RESULTS", folder}, {0}};
    const cli_setting automatic[] = {
        {"HEDDLE_LAYER", "auto"},
        {"HEDDLE_LAYER_RESULTS", folder},
        {"HEDDLE_LAYER_DEVICE", profile},
        {"HEDDLE_LAYER_BUDGET", seconds > 0 ? hd_format(c->arena, "%g", seconds) : ""},
        {"HEDDLE_LAYER_KNOWN", o->automatic ? write_known(c, recording) : ""},
        {"HEDDLE_RECORD", recording},
        {0}};
    const cli_setting *settings = o->automatic ? automatic : live;
    const cli_program_run run = {
        .words = c->program, .settings = settings, .is_opencl = true, .quiet_output = c->json};
    hd_status status = cli_run_program(c, &run, &how);
    if (status)
        return status;
    r->status = cli_ended(c, c->program[0], how);
    r->was_stopped = cli_was_stopped(how);
    status = cli_read_results(c, folder, take_results, r);
    if (!status && !r->processes && WIFEXITED(how))
        hd_warn(&c->diag, NULL,
                "%s has made no OpenCL call, its loader takes no layers, or it ended in a way that "
                "left no results (_exit); a CUDA program's sources are rewritten with --out DIR",
                c->program[0]);
    return status;
}

int cmd_apply_program(cli *c) {
    char *folder;
    if (!c->given->layouts.count && !c->given->automatic) {
        cli_no_layout(c);
        return CLI_WRONG;
    }
    if (cli_check_program(c, c->program[0]) || hd_scratch_make(c->arena, &c->diag, &folder))
        return CLI_WRONG;
    applied r = {.program = c->program[0], .verifies = c->given->verify};
    hd_status status = run_program(c, folder, &r);
    hd_scratch_remove(folder);
    if (status)
        return cli_status(status);
    keep_races(c, &r);
    if (r.processes && !c->given->automatic && !r.exchanged && !r.refused.count && !r.kernels.count)
        hd_warn(&c->diag, NULL, "no kernel of %s has a record that --layout names", c->program[0]);
    hd_str out = {.arena = c->arena};
    show(c, &r, &out);
    int printed = c->json      ? cli_print_row(c, result_members, hd_row(&r))
                  : out.length ? cli_print(c, &out)
                               : CLI_FINE;
    const bool did_nothing = !c->given->automatic && (!r.exchanged || (r.verifies && !r.compared));
    return printed                                   ? printed
           : r.was_stopped                           ? CLI_STOPPED
           : r.differs                               ? CLI_DIFFER
           : r.status || !r.processes || did_nothing ? CLI_WRONG
                                                     : CLI_FINE;
}
