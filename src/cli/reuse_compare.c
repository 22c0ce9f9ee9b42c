/*
 * heddle reuse compare: two characteristics side by side, as figures 71 to 84 of the document
 * do. Each side is a trace, a job, or a result that `heddle reuse --json` wrote.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "cli/reuse.h"
#include "report/json.h"

/* ---- a result that was kept ----------------------------------------------------------------- */

enum { MOST_ELEMENT = 1 << 20, MOST_MIS = 1 << 27 };
static const json_int_t MOST_TOTAL = INT64_MAX / 2;

static hd_status wrong_result(cli *c, const char *path) {
    return hd_fail(&c->diag, HD_EINPUT, &(hd_place){.file = path},
                   "this is no result of 'heddle reuse --json', or one of too many MIs: it needs "
                   "scenario, element, mis (to %d), and distance and degree, of equal length",
                   MOST_MIS);
}

/* The arrays `distance`, ascending, and `degree`; the streams have `mis` MIs. */
static bool read_degrees(hd_arena *arena, const json_t *object, hd_reuse_stream *stream) {
    const json_t *distance = json_object_get(object, "distance");
    const json_t *degree = json_object_get(object, "degree");
    size_t count = json_array_size(distance);
    json_int_t before = 0, total = 0;
    if (!json_is_array(distance) || !json_is_array(degree) || json_array_size(degree) != count)
        return false;
    for (size_t i = 0; i < count; i++) {
        json_int_t d = json_integer_value(json_array_get(distance, i));
        json_int_t g = json_integer_value(json_array_get(degree, i));
        if (d <= before || d >= (json_int_t)stream->mis || g <= 0 || g > MOST_TOTAL - total)
            return false;
        total += g;
        before = d;
    }
    stream->domain = (uint64_t)before;
    stream->degree = hd_new_array(arena, uint64_t, stream->domain + 1);
    for (size_t i = 0; i < count; i++)
        stream->degree[json_integer_value(json_array_get(distance, i))] =
            (uint64_t)json_integer_value(json_array_get(degree, i));
    return true;
}

/* A member from 1 to `most`; 0 when it is none. */
static uint64_t number_of(const json_t *object, const char *name, json_int_t most) {
    json_int_t value = json_integer_value(json_object_get(object, name));
    return value > 0 && value <= most ? (uint64_t)value : 0;
}

static const char *what_of(hd_arena *arena, const json_t *object) {
    static const char *const parameters[] = {"k",      "clusters", "units",
                                             "launch", "block",    "cluster"};
    hd_str text = {.arena = arena};
    hd_str_printf(&text, "scenario %lld",
                  (long long)json_integer_value(json_object_get(object, "scenario")));
    for (size_t i = 0; i < sizeof parameters / sizeof *parameters; i++) {
        const json_t *value = json_object_get(object, parameters[i]);
        if (json_is_integer(value))
            hd_str_printf(&text, ", %s %lld", parameters[i], (long long)json_integer_value(value));
    }
    return hd_str_text(&text);
}

/* A few words can name a far distance, and what is compared has a number for each up to that: of
 * both sides, their difference, and its picture. */
static hd_status check_memory(cli *c, const char *path, const json_t *object, uint64_t memory) {
    const json_t *distance = json_object_get(object, "distance");
    size_t count = json_array_size(distance);
    json_int_t last = count ? json_integer_value(json_array_get(distance, count - 1)) : 0;
    const uint64_t most = memory ? memory : (uint64_t)1 << 30, each = 4 * sizeof(uint64_t);
    if (last <= 0 || last > MOST_MIS || (uint64_t)last <= most / each)
        return HD_OK;
    return hd_fail(&c->diag, HD_EINPUT, &(hd_place){.file = path},
                   "distances up to %lld take %llu MiB to compare, and --memory allows %llu; say "
                   "--memory %llu",
                   (long long)last, (unsigned long long)((uint64_t)last * each >> 20),
                   (unsigned long long)(most >> 20), (unsigned long long)((uint64_t)last * each));
}

static hd_status read_result(cli *c, const char *path, uint64_t memory, cli_reuse *r) {
    char *text;
    size_t length;
    json_error_t error;
    hd_status status = hd_read_file(c->arena, &c->diag, path, &text, &length);
    if (status != HD_OK)
        return status;
    json_t *object = json_loadb(text, length, 0, &error);
    if (!object)
        return hd_fail(&c->diag, HD_EINPUT,
                       &(hd_place){.file = path,
                                   .line = (unsigned)error.line,
                                   .column = (unsigned)error.column},
                       "this is no JSON: %s", error.text);
    *r = (cli_reuse){.file = path};
    status = check_memory(c, path, object, memory);
    if (status != HD_OK) {
        json_decref(object);
        return status;
    }
    r->element = (uint32_t)number_of(object, "element", MOST_ELEMENT);
    r->stream.mis = number_of(object, "mis", MOST_MIS);
    bool fine = r->element && r->stream.mis && number_of(object, "scenario", 6) &&
                read_degrees(c->arena, object, &r->stream);
    if (fine) {
        r->what = what_of(c->arena, object);
        r->shape = hd_reuse_shape_of(r->stream.degree, r->stream.domain);
    }
    json_decref(object);
    return fine ? HD_OK : wrong_result(c, path);
}

/* ---- both sides ------------------------------------------------------------------------------ */

static bool is_result(const char *path) {
    size_t length = strlen(path);
    return length > 5 && !strcmp(path + length - 5, ".json");
}

/* Options of the analysis would be ignored beside two results, so they are refused. */
static hd_status refuse_analysis(cli *c, const cli_reuse_options *o) {
    bool given = o->scenario || o->k || o->clusters || o->units || o->element || o->seed ||
                 o->schedule || o->block || o->cluster || o->all || o->input.launch_text ||
                 o->input.space_text || cli_job_options_given(&o->input);
    return given ? hd_fail(&c->diag, HD_EINPUT, NULL,
                           "both are results of an analysis: its options go with a trace or a job")
                 : HD_OK;
}

static hd_status read_options(cli *c, cli_reuse_options *o, char *const *paths) {
    bool first = is_result(paths[0]), second = is_result(paths[1]);
    hd_status status = cli_reuse_read_outputs(c, o, paths, 2);
    if (status != HD_OK)
        return status;
    return first && second ? refuse_analysis(c, o)
                           : cli_reuse_read(c, o, paths + first, first || second ? 1 : 2);
}

static hd_status read_side(cli *c, cli_reuse_options *o, const char *path, cli_reuse *r) {
    o->input.path = path;
    return is_result(path) ? read_result(c, path, o->memory, r) : cli_reuse_analyse(c, o, r);
}

static hd_status read_sides(cli *c, cli_reuse_options *o, char *const *paths, cli_reuse *a,
                            cli_reuse *b) {
    hd_status status = read_options(c, o, paths);
    if (status == HD_OK)
        status = read_side(c, o, paths[0], a);
    if (status == HD_OK && !a->run.total.counts.stopped)
        status = read_side(c, o, paths[1], b);
    if (status != HD_OK || a->run.total.counts.stopped || a->element == b->element)
        return status;
    return hd_fail(&c->diag, HD_EINPUT, &(hd_place){.file = b->file},
                   "elements of %u bytes here and of %u bytes in %s: their degrees cannot be "
                   "compared; analyse both with the same --element",
                   b->element, a->element, a->file);
}

/* ---- text ----------------------------------------------------------------------------------- */

static const char *signed_text(hd_arena *arena, int64_t value) {
    return value ? hd_format(arena, "%+" PRId64, value) : "0";
}

static const char *change_text(hd_arena *arena, double before, double after) {
    return before > 0 && isfinite(after) ? hd_format(arena, "%+.1f%%", 100 * (after / before - 1))
                                         : "-";
}

static const char *real_text(hd_arena *arena, double value) {
    return isfinite(value) ? hd_format(arena, "%.1f", value) : "-";
}

static const char *peak_text(hd_arena *arena, const hd_reuse_shape *s) {
    return s->peak_count ? hd_show_exact(arena, s->peaks[0].distance) : "-";
}

static void show_shapes(cli *c, const cli_reuse *a, const cli_reuse *b, hd_str *out) {
    static const hd_column columns[] = {{"", HD_LEFT, false},
                                        {"A", HD_RIGHT, false},
                                        {"B", HD_RIGHT, false},
                                        {"change", HD_RIGHT, false}};
    const hd_reuse_shape *x = &a->shape, *y = &b->shape;
    hd_arena *arena = c->arena;
    hd_table *table = hd_table_new(arena, columns, sizeof columns / sizeof *columns);
    const struct {
        const char *name;
        double before, after;
        const char *a, *b;
    } rows[] = {
        {"MIs", (double)a->stream.mis, (double)b->stream.mis, hd_show_exact(arena, a->stream.mis),
         hd_show_exact(arena, b->stream.mis)},
        {"domain", (double)x->domain, (double)y->domain, hd_show_exact(arena, x->domain),
         hd_show_exact(arena, y->domain)},
        {"total degree", (double)x->total, (double)y->total, hd_show_exact(arena, x->total),
         hd_show_exact(arena, y->total)},
        {"mean distance", x->mean, y->mean, real_text(arena, x->mean), real_text(arena, y->mean)},
        {"highest peak at", 0, 0, peak_text(arena, x), peak_text(arena, y)},
        {"class", 0, 0, hd_reuse_class_name(x->kind), hd_reuse_class_name(y->kind)},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        hd_table_row(table, (const char *[]){rows[i].name, rows[i].a, rows[i].b,
                                             rows[i].before > 0
                                                 ? change_text(arena, rows[i].before, rows[i].after)
                                                 : ""});
    hd_table_print(table, out, c->style.bold);
}

static const double *changes_of(hd_arena *arena, const hd_reuse_difference *difference) {
    double *value = hd_new_array(arena, double, difference->domain + 1);
    for (uint64_t d = 1; d <= difference->domain; d++)
        value[d] = (double)difference->change[d];
    return value;
}

static int show_text(cli *c, const cli_reuse_options *o, const cli_reuse *a, const cli_reuse *b,
                     const hd_reuse_difference *difference) {
    hd_str out = {.arena = c->arena};
    hd_str_printf(&out, "A  %s, %s\nB  %s, %s\n", hd_plain_text(c->arena, a->file, false), a->what,
                  hd_plain_text(c->arena, b->file, false), b->what);
    show_shapes(c, a, b, &out);
    hd_str_printf(&out,
                  "\nDifference B - A: sum %s, sizes added up %llu; how far apart, 0 to 1: %.3f\n",
                  signed_text(c->arena, difference->sum), (unsigned long long)difference->absolute,
                  difference->apart);
    cli_reuse_plot(c, o, "Difference of reuse degrees by distance",
                   changes_of(c->arena, difference), difference->domain, &out);
    return cli_print(c, &out);
}

/* ---- CSV and JSON --------------------------------------------------------------------------- */

static uint64_t degree_at(const cli_reuse *r, uint64_t d) {
    return d <= r->stream.domain ? r->stream.degree[d] : 0;
}

static bool is_shown(const cli_reuse_options *o, const cli_reuse *a, const cli_reuse *b,
                     uint64_t d) {
    return (degree_at(a, d) || degree_at(b, d)) && d >= o->first && d <= o->last;
}

static int show_csv(cli *c, const cli_reuse_options *o, const cli_reuse *a, const cli_reuse *b,
                    const hd_reuse_difference *difference) {
    hd_str out = {.arena = c->arena};
    hd_str_add(&out, "distance,a,b,difference\n");
    for (uint64_t d = 1; d <= difference->domain; d++)
        if (is_shown(o, a, b, d))
            hd_str_printf(&out, "%llu,%llu,%llu,%" PRId64 "\n", (unsigned long long)d,
                          (unsigned long long)degree_at(a, d), (unsigned long long)degree_at(b, d),
                          difference->change[d]);
    return cli_print(c, &out);
}

static json_t *side_json(const cli_reuse *r) {
    json_t *object = json_pack("{s:o, s:s, s:I}", "file", hd_json_text(r->file), "what", r->what,
                               "mis", (json_int_t)r->stream.mis);
    hd_json_shape(object, &r->shape);
    return object;
}

static int show_json(cli *c, const cli_reuse_options *o, const cli_reuse *a, const cli_reuse *b,
                     const hd_reuse_difference *difference) {
    json_t *distances = json_array(), *changes = json_array();
    for (uint64_t d = 1; d <= difference->domain; d++)
        if (is_shown(o, a, b, d) && difference->change[d]) {
            json_array_append_new(distances, json_integer((json_int_t)d));
            json_array_append_new(changes, json_integer(difference->change[d]));
        }
    json_int_t domain = (json_int_t)b->shape.domain - (json_int_t)a->shape.domain;
    return cli_print_json(c, json_pack("{s:I, s:o, s:o, s:I, s:I, s:I, s:f, s:o, s:o}", "element",
                                       (json_int_t)a->element, "a", side_json(a), "b", side_json(b),
                                       "sum", (json_int_t)difference->sum, "absolute",
                                       (json_int_t)difference->absolute, "domain_change", domain,
                                       "apart", difference->apart, "distance", distances, "change",
                                       changes));
}

/* ---- the command
 * ---------------------------------------------------------------------------------- */

static int compare(cli *c, cli_reuse_options *o, char *const *paths) {
    cli_reuse a, b;
    if (read_sides(c, o, paths, &a, &b))
        return CLI_WRONG;
    if (a.run.total.counts.stopped || b.run.total.counts.stopped)
        return CLI_STOPPED;
    const hd_reuse_difference *difference = hd_reuse_compare(c->arena, &a.stream, &b.stream);
    const char *title = hd_format(c->arena, "%s less %s: sum %s", b.file, a.file,
                                  signed_text(c->arena, difference->sum));
    if (cli_reuse_svg(c, o, title, changes_of(c->arena, difference), difference->domain))
        return CLI_WRONG;
    return c->json  ? show_json(c, o, &a, &b, difference)
           : o->csv ? show_csv(c, o, &a, &b, difference)
                    : show_text(c, o, &a, &b, difference);
}

int cmd_reuse_compare(cli *c, int argc, char **argv) {
    cli_reuse_options o = {0};
    cli_option job_options[CLI_JOB_OPTION_COUNT];
    const cli_option options[] = {CLI_REUSE_OPTIONS(o),
                                  {"csv", 0, NULL,
                                   "every distance that has a degree, as distance,a,b,difference",
                                   CLI_FLAG, &o.csv},
                                  CLI_MACHINE_OPTIONS(o.input.machine),
                                  {0}};
    const cli_page page = {
        "[OPTIONS] A B",
        "Sets two reuse characteristics side by side: the difference at each distance, its sum, "
        "and how the domain changes. A and B are traces, jobs or kernel files, which are analysed "
        "as the options say, or results that 'heddle reuse --json' wrote, by names in .json.",
        options,
        cli_job_options(&o.input.source, job_options),
        2,
        2};
    char **words;
    uint32_t word_count;
    int status;
    if (!cli_parse(c, &page, argc, argv, &words, &word_count, &status))
        return status;
    return compare(c, &o, words);
}
