/*
 * heddle cache --compare: two characteristics side by side, as figures 71 to 84 of the document
 * do. Each side is a trace, a job, or a result that `heddle cache --reuse --json` wrote.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "cli/cache_reuse.h"
#include "cli/report/members.h"

/* ---- a result that was kept ----------------------------------------------------------------- */

enum { MOST_ELEMENT = 1 << 20, MOST_MIS = 1 << 27 };
static const json_int_t MOST_TOTAL = INT64_MAX / 2;

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

/* A few words can name a far distance, and what is compared has a number for each up to that: of
 * both sides, their difference, and its picture. */
static hd_status check_memory(cli *c, const char *path, const json_t *object, uint64_t memory) {
    const json_t *distance = json_object_get(object, "distance");
    size_t count = json_array_size(distance);
    json_int_t last = count ? json_integer_value(json_array_get(distance, count - 1)) : 0;
    const uint64_t most = memory ? memory : (uint64_t)1 << 30, each = 4 * sizeof(uint64_t);
    if (last <= 0 || last > MOST_MIS || (uint64_t)last <= most / each)
        return HD_OK;
    return cli_fail_at(
        c, path,
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
    *r = (cli_reuse){.file = path,
                     .element = (uint32_t)number_of(object, "element", MOST_ELEMENT),
                     .stream.mis = number_of(object, "mis", MOST_MIS)};
    status = check_memory(c, path, object, memory);
    if (status == HD_OK && r->element && r->stream.mis && number_of(object, "scenario", 6) &&
        read_degrees(c->arena, object, &r->stream)) {
        static const char *const parameters[] = {"scenario", "k",     "clusters", "units",
                                                 "launch",   "block", "cluster"};
        hd_str what = {.arena = c->arena};
        for (size_t i = 0; i < sizeof parameters / sizeof *parameters; i++) {
            const json_t *value = json_object_get(object, parameters[i]);
            if (json_is_integer(value))
                hd_str_printf(&what, "%s%s %lld", i ? ", " : "", parameters[i],
                              (long long)json_integer_value(value));
        }
        r->what = hd_str_text(&what);
        r->shape = hd_reuse_shape_of(r->stream.degree, r->stream.domain);
    }
    json_decref(object);
    return status || r->what
               ? status
               : cli_fail_at(
                     c, path,
                     "this is no result of 'heddle cache --reuse --json', or one of too many "
                     "MIs: it "
                     "needs scenario, element, mis (to %d), and distance and degree, of equal "
                     "length",
                     MOST_MIS);
}

/* ---- both sides ------------------------------------------------------------------------------ */

static bool is_result(const char *path) { return hd_ends_in(path, ".json"); }

static hd_status read_side(cli *c, cli_reuse_options *o, const char *path, cli_reuse *r) {
    o->input.path = path;
    return is_result(path) ? read_result(c, path, o->given->memory, r) : cli_reuse_analyse(c, o, r);
}

static hd_status read_sides(cli *c, cli_reuse_options *o, char *const *paths, cli_reuse *a,
                            cli_reuse *b) {
    bool first = is_result(paths[0]), second = is_result(paths[1]);
    hd_status status = cli_reuse_read_outputs(c, o, paths, 2);
    if (status != HD_OK)
        return status;
    /* Options of the analysis would be ignored beside two results, so they are refused. */
    bool given = o->given->scenario || o->given->k || o->given->clusters || o->given->units ||
                 o->given->element || o->given->seed || o->given->schedule || o->given->block ||
                 o->given->cluster || o->given->all || o->input.launch_text ||
                 o->input.space_text || cli_job_options_given(&o->input);
    if (first && second && given)
        return cli_refuse(c,
                          "both are results of an analysis: its options go with a trace or a job");
    if (!first || !second)
        status = cli_reuse_read(c, o, paths + first, first || second ? 1 : 2);
    if (status == HD_OK)
        status = read_side(c, o, paths[0], a);
    if (status == HD_OK && !a->run.total.counts.stopped)
        status = read_side(c, o, paths[1], b);
    if (status != HD_OK || a->run.total.counts.stopped || a->element == b->element)
        return status;
    return cli_fail_at(c, b->file,
                       "elements of %u bytes here and of %u bytes in %s: their degrees cannot be "
                       "compared; analyse both with the same --element",
                       b->element, a->element, a->file);
}

/* ---- text ----------------------------------------------------------------------------------- */

static const char *signed_text(hd_arena *arena, int64_t value) {
    return value ? hd_format(arena, "%+" PRId64, value) : "0";
}

/* A figure of both sides, and how much greater the second one is. */
typedef struct figure {
    const char *name;
    hd_unit unit;
    hd_value a, b;
} figure;

HD_GETTER(figure_a, figure, hd_text(hd_show_value(view->arena, row->unit, row->a)))
HD_GETTER(figure_b, figure, hd_text(hd_show_value(view->arena, row->unit, row->b)))
static hd_value figure_change(const hd_view *view, const void *at) {
    const figure *f = at;
    double before = f->a.kind == HD_REAL ? f->a.real : (double)f->a.whole;
    double after = f->b.kind == HD_REAL ? f->b.real : (double)f->b.whole;
    if (f->a.kind == HD_TEXT || !(before > 0))
        return hd_text("");
    return hd_text(isfinite(after) ? hd_format(view->arena, "%+.1f%%", 100 * (after / before - 1))
                                   : "-");
}

static const hd_member figure_columns[] = {{NULL, "", HD_AT(figure, name)},
                                           {NULL, "A", HD_PLAIN_WORD, .get = figure_a},
                                           {NULL, "B", HD_PLAIN_WORD, .get = figure_b},
                                           {NULL, "change", HD_PLAIN_WORD, .get = figure_change},
                                           {0}};

static hd_value peak_value(hd_arena *arena, const hd_reuse_shape *s) {
    return hd_text(s->peak_count ? hd_show_exact(arena, s->peaks[0].distance) : "-");
}

static const double *changes_of(hd_arena *arena, const hd_reuse_difference *difference) {
    double *value = hd_new_array(arena, double, difference->domain + 1);
    for (uint64_t d = 1; d <= difference->domain; d++)
        value[d] = (double)difference->change[d];
    return value;
}

static void show_text(cli *c, const cli_reuse_options *o, const cli_reuse *a, const cli_reuse *b,
                      const hd_reuse_difference *difference, hd_str *out) {
    const hd_reuse_shape *x = &a->shape, *y = &b->shape;
    const figure figures[] = {
        {"MIs", HD_PLAIN, hd_whole(a->stream.mis), hd_whole(b->stream.mis)},
        {"domain", HD_PLAIN, hd_whole(x->domain), hd_whole(y->domain)},
        {"total degree", HD_PLAIN, hd_whole(x->total), hd_whole(y->total)},
        {"mean distance", HD_DECIMAL, hd_real(x->mean), hd_real(y->mean)},
        {"highest peak at", HD_PLAIN, peak_value(c->arena, x), peak_value(c->arena, y)},
        {"class", HD_PLAIN, hd_text(hd_reuse_class_name(x->kind)),
         hd_text(hd_reuse_class_name(y->kind))}};
    hd_str_printf(out, "A  %s, %s\nB  %s, %s\n", hd_plain_text(c->arena, a->file, false), a->what,
                  hd_plain_text(c->arena, b->file, false), b->what);
    cli_show_rows(c, NULL, figure_columns, hd_rows(figures, sizeof figures / sizeof *figures), out);
    hd_str_printf(out,
                  "\nDifference B - A: sum %s, sizes added up %llu; how far apart, 0 to 1: %.3f\n",
                  signed_text(c->arena, difference->sum), (unsigned long long)difference->absolute,
                  difference->apart);
    cli_reuse_plot(c, o, "Difference of reuse degrees by distance",
                   changes_of(c->arena, difference), difference->domain, out);
}

/* ---- CSV and JSON --------------------------------------------------------------------------- */

static uint64_t degree_at(const cli_reuse *r, uint64_t d) {
    return d <= r->stream.domain ? r->stream.degree[d] : 0;
}

static bool is_shown(const cli_reuse_options *o, const cli_reuse *a, const cli_reuse *b,
                     uint64_t d) {
    return (degree_at(a, d) || degree_at(b, d)) && d >= o->first && d <= o->last;
}

/* The result; the context is what was asked for. */
typedef struct comparison {
    const cli_reuse *a, *b;
    const hd_reuse_difference *difference;
} comparison;

/* The distances at which they differ, or by how much. */
static hd_value changes(const cli_reuse_options *o, const comparison *r, bool distances) {
    json_t *list = json_array();
    for (uint64_t d = 1; d <= r->difference->domain; d++)
        if (is_shown(o, r->a, r->b, d) && r->difference->change[d])
            json_array_append_new(
                list, json_integer(distances ? (json_int_t)d : r->difference->change[d]));
    return hd_document(list);
}

HD_GETTER(domain_change, comparison,
          hd_integer((int64_t)row->b->shape.domain - (int64_t)row->a->shape.domain))
HD_GETTER(distances_of, comparison, changes(view->context, row, true))
HD_GETTER(changes_at, comparison, changes(view->context, row, false))

static const hd_member side_members[] = {HD_SAME(cli_reuse, file, what),
                                         {"mis", HD_AT(cli_reuse, stream.mis)},
                                         {HD_IN(cli_reuse, shape), .of = hd_shape_members},
                                         {0}};
static const hd_member difference_members[] = {HD_SAME(hd_reuse_difference, sum, absolute, apart),
                                               {0}};
static const hd_member comparison_members[] = {
    {"element", HD_VIA(comparison, a, HD_AT, element)},
    {"a", HD_BEHIND(comparison, a), .of = side_members},
    {"b", HD_BEHIND(comparison, b), .of = side_members},
    {HD_BEHIND(comparison, difference), .of = difference_members},
    {"domain_change", .get = domain_change},
    {"distance", .get = distances_of},
    {"change", .get = changes_at},
    {0}};

/* ---- the command --------------------------------------------------------------------------- */

int cmd_cache_compare(cli *c) {
    cli_reuse_options asked = {.input = c->given->input, .given = c->given}, *o = &asked;
    cli_reuse a, b;
    if (read_sides(c, o, c->words, &a, &b))
        return CLI_WRONG;
    if (a.run.total.counts.stopped || b.run.total.counts.stopped)
        return CLI_STOPPED;
    const hd_reuse_difference *difference = hd_reuse_compare(c->arena, &a.stream, &b.stream);
    const char *title = hd_format(c->arena, "%s less %s: sum %s", b.file, a.file,
                                  signed_text(c->arena, difference->sum));
    if (cli_reuse_svg(c, o, title, changes_of(c->arena, difference), difference->domain))
        return CLI_WRONG;
    if (c->json)
        return cli_print_row(c, comparison_members,
                             hd_with(hd_row(&(comparison){&a, &b, difference}), o));
    hd_str out = {.arena = c->arena};
    hd_str_add(&out, o->given->csv ? "distance,a,b,difference\n" : "");
    for (uint64_t d = 1; o->given->csv && d <= difference->domain; d++)
        if (is_shown(o, &a, &b, d))
            hd_str_printf(&out, "%llu,%llu,%llu,%" PRId64 "\n", (unsigned long long)d,
                          (unsigned long long)degree_at(&a, d),
                          (unsigned long long)degree_at(&b, d), difference->change[d]);
    if (!o->given->csv)
        show_text(c, o, &a, &b, difference, &out);
    return cli_print(c, &out);
}
