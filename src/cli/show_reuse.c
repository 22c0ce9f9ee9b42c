/* How a reuse characteristic is shown. */
#include <math.h>

#include "cli/reuse.h"
#include "report/json.h"
#include "report/plot.h"

enum { MOST_ROWS = 32 };

static const char *mean_text(hd_arena *arena, double mean) {
    return isfinite(mean) ? hd_format(arena, "%.1f", mean) : "-";
}

/* ---- pictures ---------------------------------------------------------------------------- */

/* The distances that are shown: those with a value, and of the range. */
static hd_stems stems_of(const cli_reuse_options *o, const char *title, const double *value,
                         uint64_t domain) {
    uint64_t first = o->first ? o->first : 1;
    uint64_t last = o->last < domain ? o->last : domain;
    return (hd_stems){.title = title,
                      .x = "distance",
                      .y = "reuse degree",
                      .first = first,
                      .count = first <= last ? last - first + 1 : 0,
                      .value = value + first};
}

hd_status cli_reuse_svg(cli *c, const cli_reuse_options *o, const char *title, const double *value,
                        uint64_t domain) {
    static const double nothing[] = {0};
    hd_stems stems = stems_of(o, title, value, domain);
    hd_str out = {.arena = c->arena};
    if (!o->svg)
        return HD_OK;
    if (!stems.count) {
        hd_warn(&c->diag, &(hd_place){.file = o->svg}, "there is no reuse%s: an empty picture",
                o->range ? " at these distances" : "");
        stems.count = 1;
        stems.value = nothing;
    }
    hd_plot_svg(c->arena, &stems, &out);
    return hd_write_file(&c->diag, o->svg, hd_str_text(&out), out.length);
}

void cli_reuse_plot(cli *c, const cli_reuse_options *o, const char *title, const double *value,
                    uint64_t domain, hd_str *out) {
    const hd_stems stems = stems_of(o, title, value, domain);
    if (stems.count)
        hd_plot_text(c->arena, &stems, out);
}

static const double *degrees_of(hd_arena *arena, const hd_reuse_stream *stream) {
    double *value = hd_new_array(arena, double, stream->domain + 1);
    for (uint64_t d = 1; d <= stream->domain; d++)
        value[d] = (double)stream->degree[d];
    return value;
}

/* ---- text ---------------------------------------------------------------------------------- */

static void show_head(cli *c, const cli_reuse *r, hd_str *out) {
    const hd_reuse *reuse = r->reuse;
    hd_arena *arena = c->arena;
    hd_str text = {.arena = arena};
    hd_str_printf(&text, "%s: %s, %s, %s of %s of %s", hd_plain_text(arena, r->file, false),
                  hd_show_counted(arena, r->launches, "launch", "es"),
                  hd_show_counted(arena, reuse->blocks, "block", "s"),
                  hd_show_counted(arena, reuse->accesses, "access", "es"),
                  hd_show_counted(arena, reuse->elements, "element", "s"),
                  hd_show_bytes(arena, r->element));
    hd_wrap(out, hd_str_text(&text), 2, HD_TABLE_WIDTH);
    text = (hd_str){.arena = arena};
    hd_str_printf(&text, "%s; %s", r->what, hd_show_counted(arena, r->stream.mis, "MI", "s"));
    if (reuse->aggregates < reuse->blocks)
        hd_str_printf(&text, " of %s", hd_show_counted(arena, reuse->aggregates, "aggregate", "s"));
    if (reuse->shares > 1)
        hd_str_printf(&text, "; elements in %u shares", reuse->shares);
    hd_wrap(out, hd_str_text(&text), 2, HD_TABLE_WIDTH);
}

static void show_shape(cli *c, const cli_reuse *r, hd_str *out) {
    static const char *const meaning[] = {"no data is reused", "monotonically decreasing (MB)",
                                          "approximately monotonically decreasing (AMB)",
                                          "not monotonic (NMB)"};
    const hd_reuse_shape *s = &r->shape;
    hd_arena *arena = c->arena;
    hd_str_printf(out, "  %s\n", meaning[s->kind]);
    if (s->kind == HD_REUSE_NONE)
        return;
    const char *text = hd_format(
        arena, "domain 1 to %llu, %s with reuse; total degree %s; mean distance %s",
        (unsigned long long)s->domain, hd_show_counted(arena, s->distances, "distance", "s"),
        hd_show_count(arena, (double)s->total), mean_text(arena, s->mean));
    hd_str_add(out, "  ");
    hd_wrap(out, text, 4, HD_TABLE_WIDTH - 2);
}

static void show_peaks(cli *c, const cli_reuse *r, hd_str *out) {
    static const hd_column columns[] = {
        {"distance", HD_RIGHT, false}, {"degree", HD_RIGHT, false}, {"of all", HD_RIGHT, false}};
    const hd_reuse_shape *s = &r->shape;
    hd_table *table = hd_table_new(c->arena, columns, sizeof columns / sizeof *columns);
    for (uint32_t p = 0; p < s->peak_count; p++)
        hd_table_row(table, (const char *[]){hd_show_exact(c->arena, s->peaks[p].distance),
                                             hd_show_exact(c->arena, s->peaks[p].degree),
                                             hd_show_share(c->arena, (double)s->peaks[p].degree /
                                                                         (double)s->total)});
    if (!s->peak_count)
        return;
    hd_str_add(out, "\nPeaks\n");
    hd_table_print(table, out, c->style.bold);
}

static const char *block_text(hd_arena *arena, const cli_reuse *r, const hd_reuse_stream *s) {
    return r->launches == 1
               ? hd_show_exact(arena, s->number)
               : hd_format(arena, "%llu of launch %u", (unsigned long long)s->number, s->launch);
}

static const char *classes_text(hd_arena *arena, const hd_reuse_spread *spread) {
    hd_str text = {.arena = arena};
    for (int k = HD_REUSE_NONE; k <= HD_REUSE_NMB; k++)
        if (spread->classes[k])
            hd_str_printf(&text, "%s%s %llu", text.length ? ", " : "",
                          hd_reuse_class_name((hd_reuse_class)k),
                          (unsigned long long)spread->classes[k]);
    return hd_str_text(&text);
}

/* Which blocks are outliers: as many as find room. */
static void show_outliers(cli *c, const cli_reuse *r, const hd_reuse_kernel *kernel, hd_str *out) {
    enum { SOME = 6 };
    const hd_reuse_spread *spread = kernel->spread;
    hd_str text = {.arena = c->arena};
    if (!spread->outlier_count)
        return;
    hd_str_printf(&text,
                  "%s: outliers, farther than %.3f:", hd_plain_text(c->arena, kernel->name, false),
                  spread->limit);
    for (uint64_t i = 0; i < spread->outlier_count && i < SOME; i++)
        hd_str_printf(&text, "%s %s (%.3f)", i ? "," : "",
                      block_text(c->arena, r, kernel->streams[spread->outliers[i]]),
                      spread->deviation[spread->outliers[i]]);
    if (spread->outlier_count > SOME)
        hd_str_printf(&text, " and %llu more", (unsigned long long)spread->outlier_count - SOME);
    hd_str_add(out, "  ");
    hd_wrap(out, hd_str_text(&text), 4, HD_TABLE_WIDTH - 2);
}

static double farthest(const hd_reuse_spread *spread) {
    double most = 0;
    for (uint64_t s = 0; s < spread->count; s++)
        most = fmax(most, spread->deviation[s]);
    return most;
}

static void show_kernels(cli *c, const cli_reuse *r, hd_str *out) {
    static const hd_column columns[] = {{"kernel", HD_LEFT, true},    {"blocks", HD_RIGHT, false},
                                        {"classes", HD_LEFT, true},   {"typical", HD_RIGHT, true},
                                        {"median", HD_RIGHT, false},  {"farthest", HD_RIGHT, false},
                                        {"outliers", HD_RIGHT, false}};
    hd_table *table = hd_table_new(c->arena, columns, sizeof columns / sizeof *columns);
    if (!r->kernel_count)
        return;
    for (uint32_t k = 0; k < r->kernel_count; k++) {
        const hd_reuse_kernel *kernel = &r->kernels[k];
        const hd_reuse_spread *spread = kernel->spread;
        hd_table_row(table,
                     (const char *[]){kernel->name, hd_show_exact(c->arena, spread->count),
                                      classes_text(c->arena, spread),
                                      block_text(c->arena, r, kernel->streams[spread->typical]),
                                      hd_format(c->arena, "%.3f", spread->median),
                                      hd_format(c->arena, "%.3f", farthest(spread)),
                                      hd_show_exact(c->arena, spread->outlier_count)});
    }
    hd_str_add(out, "\nVariability: how far blocks are from the typical one, 0 equal to 1\n");
    hd_table_print(table, out, c->style.bold);
    for (uint32_t k = 0; k < r->kernel_count; k++)
        show_outliers(c, r, &r->kernels[k], out);
}

/* The clusters of scenario 5. */
static void show_clusters(cli *c, const cli_reuse *r, hd_str *out) {
    static const hd_column columns[] = {{"cluster", HD_RIGHT, false}, {"blocks", HD_RIGHT, false},
                                        {"issues", HD_RIGHT, false},  {"domain", HD_RIGHT, false},
                                        {"total", HD_RIGHT, false},   {"mean", HD_RIGHT, false},
                                        {"class", HD_LEFT, false}};
    hd_table *table = hd_table_new(c->arena, columns, sizeof columns / sizeof *columns);
    const hd_reuse *reuse = r->reuse;
    for (uint64_t s = 0; s < reuse->stream_count && s < MOST_ROWS; s++) {
        const hd_reuse_stream *stream = &reuse->streams[s];
        const hd_reuse_shape shape = hd_reuse_shape_of(stream->degree, stream->domain);
        hd_table_row(table, (const char *[]){hd_show_exact(c->arena, stream->number),
                                             hd_show_exact(c->arena, stream->blocks),
                                             hd_show_exact(c->arena, stream->mis),
                                             hd_show_exact(c->arena, shape.domain),
                                             hd_show_count(c->arena, (double)shape.total),
                                             mean_text(c->arena, shape.mean),
                                             hd_reuse_class_name(shape.kind)});
    }
    hd_str_add(out, "\nCore clusters\n");
    hd_table_print(table, out, c->style.bold);
    if (reuse->stream_count > MOST_ROWS)
        hd_str_printf(out, "  and %llu more; --json has all\n",
                      (unsigned long long)reuse->stream_count - MOST_ROWS);
}

static int show_text(cli *c, const cli_reuse_options *o, const cli_reuse *r) {
    hd_str out = {.arena = c->arena};
    show_head(c, r, &out);
    show_shape(c, r, &out);
    show_peaks(c, r, &out);
    show_kernels(c, r, &out);
    if (r->is_all && o->scenario == 5)
        show_clusters(c, r, &out);
    cli_reuse_plot(c, o, "Reuse degree by distance", degrees_of(c->arena, &r->stream),
                   r->stream.domain, &out);
    return cli_print(c, &out);
}

/* ---- CSV ------------------------------------------------------------------------------------ */

static int show_csv(cli *c, const cli_reuse_options *o, const hd_reuse_stream *stream) {
    hd_str out = {.arena = c->arena};
    hd_str_add(&out, "distance,degree\n");
    for (uint64_t d = 1; d <= stream->domain; d++)
        if (stream->degree[d] && d >= o->first && d <= o->last)
            hd_str_printf(&out, "%llu,%llu\n", (unsigned long long)d,
                          (unsigned long long)stream->degree[d]);
    return cli_print(c, &out);
}

/* ---- JSON ----------------------------------------------------------------------------------- */

static json_t *outliers_json(const hd_reuse_kernel *kernel) {
    json_t *array = json_array();
    const hd_reuse_spread *spread = kernel->spread;
    for (uint64_t i = 0; i < spread->outlier_count; i++) {
        const hd_reuse_stream *stream = kernel->streams[spread->outliers[i]];
        json_array_append_new(array, json_pack("{s:o, s:o, s:f}", "launch",
                                               hd_json_integer(stream->launch), "block",
                                               hd_json_integer(stream->number), "deviation",
                                               spread->deviation[spread->outliers[i]]));
    }
    return array;
}

static json_t *kernels_json(const cli_reuse *r) {
    json_t *array = json_array();
    for (uint32_t k = 0; k < r->kernel_count; k++) {
        const hd_reuse_kernel *kernel = &r->kernels[k];
        const hd_reuse_spread *spread = kernel->spread;
        const hd_reuse_stream *typical = kernel->streams[spread->typical];
        json_t *classes = json_object();
        for (int i = HD_REUSE_NONE; i <= HD_REUSE_NMB; i++)
            json_object_set_new(classes, hd_reuse_class_name((hd_reuse_class)i),
                                hd_json_integer(spread->classes[i]));
        json_array_append_new(array,
                              json_pack("{s:o, s:o, s:o, s:{s:o, s:o}, s:f, s:f, s:f, s:o}",
                                        "kernel", hd_json_text(kernel->name), "blocks",
                                        hd_json_integer(spread->count), "classes", classes,
                                        "typical", "launch", hd_json_integer(typical->launch),
                                        "block", hd_json_integer(typical->number), "median",
                                        spread->median, "farthest", farthest(spread), "limit",
                                        spread->limit, "outliers", outliers_json(kernel)));
    }
    return array;
}

/* The streams that were added up, without their degrees. */
static json_t *each_json(const cli_reuse_options *o, const cli_reuse *r) {
    json_t *array = json_array();
    for (uint64_t s = 0; r->is_all && s < r->reuse->stream_count; s++) {
        const hd_reuse_stream *stream = &r->reuse->streams[s];
        const hd_reuse_shape shape = hd_reuse_shape_of(stream->degree, stream->domain);
        json_t *object = json_object();
        json_object_set_new(object, "launch", hd_json_integer_if(o->scenario == 2, stream->launch));
        json_object_set_new(object, o->scenario == 2 ? "block" : "cluster",
                            hd_json_integer(stream->number));
        json_object_set_new(object, "mis", hd_json_integer(stream->mis));
        json_object_set_new(object, "accesses", hd_json_integer(stream->accesses));
        hd_json_shape(object, &shape);
        json_array_append_new(array, object);
    }
    return array;
}

static json_t *result_json(const cli_reuse_options *o, const cli_reuse *r) {
    json_t *object = json_object();
    const hd_reuse *reuse = r->reuse;
    const hd_reuse_options *p = &o->options;
    bool limited = p->scenario >= 5;
    const struct {
        const char *name;
        json_t *value;
    } members[] = {
        {"file", hd_json_text(r->file)},
        {"scenario", hd_json_integer(p->scenario)},
        {"k", hd_json_integer_if(p->scenario == 4, reuse->k)},
        {"clusters", hd_json_integer_if(limited, p->clusters)},
        {"units", hd_json_integer_if(limited, p->units)},
        {"launch", hd_json_integer_if(o->block, r->stream.launch)},
        {"block", hd_json_integer_if(o->block, r->stream.number)},
        {"cluster", hd_json_integer_if(o->cluster, r->stream.number)},
        {"block_order", json_string(p->block_order ? p->block_order : "sequential")},
        {"warp_order",
         limited ? json_string(p->warp_order ? p->warp_order : "round-robin") : json_null()},
        {"element", hd_json_integer(r->element)},
        {"spaces", hd_json_spaces(p->spaces)},
        {"runs", hd_json_integer(r->launches)},
        {"streams", hd_json_integer(r->is_all ? reuse->stream_count : 1)},
        {"blocks", hd_json_integer(r->stream.blocks)},
        {"aggregates", hd_json_integer(reuse->aggregates)},
        {"elements", hd_json_integer(reuse->elements)},
    };
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        json_object_set_new(object, members[i].name, members[i].value);
    hd_json_characteristic(object, &r->stream, o->first, o->last);
    json_object_set_new(object, "each", each_json(o, r));
    json_object_set_new(object, "kernels", kernels_json(r));
    json_object_set_new(object, "shares", hd_json_integer(reuse->shares));
    json_object_set_new(object, "complete", json_boolean(r->complete));
    json_object_set_new(object, "stopped", json_boolean(r->run.total.counts.stopped));
    json_object_set_new(object, "printed", hd_json_text(hd_str_text(&r->run.printed)));
    return object;
}

int cli_reuse_show(cli *c, const cli_reuse_options *o, const cli_reuse *r) {
    const char *title = hd_format(c->arena, "%s, %s", r->file, r->what);
    if (cli_reuse_svg(c, o, title, degrees_of(c->arena, &r->stream), r->stream.domain))
        return CLI_WRONG;
    return c->json  ? cli_print_json(c, result_json(o, r))
           : o->csv ? show_csv(c, o, &r->stream)
                    : show_text(c, o, r);
}
