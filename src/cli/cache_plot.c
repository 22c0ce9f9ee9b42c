/* How a reuse characteristic is shown. */
#include <math.h>

#include "cli/cache_reuse.h"
#include "cli/report/members.h"
#include "cli/report/plot.h"

enum { MOST_ROWS = 32 };

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
    if (!o->given->svg || !c->is_first)
        return HD_OK;
    if (!stems.count) {
        hd_warn(&c->diag, &(hd_place){.file = o->given->svg},
                "there is no reuse%s: an empty picture",
                o->given->range ? " at these distances" : "");
        stems.count = 1;
        stems.value = nothing;
    }
    hd_plot_svg(c->arena, &stems, &out);
    return hd_write_file(&c->diag, o->given->svg, hd_str_text(&out), out.length);
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

static const char *block_text(hd_arena *arena, const cli_reuse *r, const hd_reuse_stream *s) {
    return r->launches == 1
               ? hd_show_exact(arena, s->number)
               : hd_format(arena, "%llu of launch %u", (unsigned long long)s->number, s->launch);
}

/* ---- the blocks of a kernel: the context is the cli_reuse ---------------------------------- */

/* A block that is far from the typical one. */
typedef struct outlier {
    uint64_t launch, block;
    double deviation;
} outlier;

static hd_value outliers_of(const hd_view *view, const void *at) {
    const hd_reuse_kernel *kernel = at;
    const hd_reuse_spread *spread = kernel->spread;
    outlier *rows = hd_new_array(view->arena, outlier, spread->outlier_count);
    for (uint64_t i = 0; i < spread->outlier_count; i++) {
        const hd_reuse_stream *stream = kernel->streams[spread->outliers[i]];
        rows[i] = (outlier){stream->launch, stream->number, spread->deviation[spread->outliers[i]]};
    }
    return hd_rows(rows, spread->outlier_count);
}

static const hd_reuse_stream *typical_of(const hd_reuse_kernel *kernel) {
    return kernel->streams[kernel->spread->typical];
}

HD_GETTER(typical_stream, hd_reuse_kernel, hd_row(typical_of(row)))
HD_GETTER(typical_text, hd_reuse_kernel,
          hd_text(block_text(view->arena, view->context, typical_of(row))))
static hd_value classes_as_text(const hd_view *view, const void *at) {
    const hd_reuse_spread *spread = at;
    hd_str text = {.arena = view->arena};
    for (int k = HD_REUSE_NONE; k <= HD_REUSE_NMB; k++)
        if (spread->classes[k])
            hd_str_printf(&text, "%s%s %llu", text.length ? ", " : "",
                          hd_reuse_class_name((hd_reuse_class)k),
                          (unsigned long long)spread->classes[k]);
    return hd_text(hd_str_text(&text));
}
static hd_value farthest_of(const hd_view *view, const void *at) {
    const hd_reuse_spread *spread = at;
    double most = 0;
    (void)view;
    for (uint64_t s = 0; s < spread->count; s++)
        most = fmax(most, spread->deviation[s]);
    return hd_real(most);
}

static const hd_member class_members[] = {{"none", HD_AT(hd_reuse_spread, classes[HD_REUSE_NONE])},
                                          {"MB", HD_AT(hd_reuse_spread, classes[HD_REUSE_MB])},
                                          {"AMB", HD_AT(hd_reuse_spread, classes[HD_REUSE_AMB])},
                                          {"NMB", HD_AT(hd_reuse_spread, classes[HD_REUSE_NMB])},
                                          {0}};
static const hd_member block_members[] = {
    {"launch", HD_AT(hd_reuse_stream, launch)}, {"block", HD_AT(hd_reuse_stream, number)}, {0}};
static const hd_member outlier_members[] = {HD_SAME(outlier, launch, block, deviation), {0}};
static const hd_member counted_members[] = {{"blocks", "blocks", HD_AT(hd_reuse_spread, count)},
                                            {"classes", HD_SELF, .of = class_members},
                                            {NULL, "classes", .get = classes_as_text},
                                            {0}};
static const hd_member spread_members[] = {
    {"median", "median", HD_DECIMALS, HD_AT(hd_reuse_spread, median)},
    {"farthest", "farthest", HD_DECIMALS, .get = farthest_of},
    {"limit", HD_AT(hd_reuse_spread, limit)},
    {NULL, "outliers", HD_AT(hd_reuse_spread, outlier_count)},
    {0}};
static const hd_member kernel_members[] = {
    {"kernel", "kernel", HD_AT(hd_reuse_kernel, name)},
    {HD_BEHIND(hd_reuse_kernel, spread), .of = counted_members},
    {"typical", .get = typical_stream, .of = block_members},
    {NULL, "typical", HD_PLAIN_WORD, .get = typical_text},
    {HD_BEHIND(hd_reuse_kernel, spread), .of = spread_members},
    {"outliers", .get = outliers_of, .of = outlier_members},
    {0}};

/* ---- the streams that were added up: the context is the cli_reuse --------------------------- */

static bool are_blocks(const hd_view *view) {
    return ((const cli_reuse *)view->context)->scenario == 2;
}

HD_GETTER(stream_launch, hd_reuse_stream, hd_whole_if(are_blocks(view), row->launch))
HD_GETTER(stream_block, hd_reuse_stream, are_blocks(view) ? hd_whole(row->number) : hd_absent())
HD_GETTER(stream_cluster, hd_reuse_stream, are_blocks(view) ? hd_absent() : hd_whole(row->number))

static hd_value stream_shape(const hd_view *view, const void *at) {
    const hd_reuse_stream *stream = at;
    hd_reuse_shape *shape = hd_new(view->arena, hd_reuse_shape);
    *shape = hd_reuse_shape_of(stream->degree, stream->domain);
    return hd_row(shape);
}

static const hd_member stream_members[] = {{"launch", .get = stream_launch},
                                           {"block", .get = stream_block},
                                           {"cluster", "cluster", .get = stream_cluster},
                                           {NULL, "blocks", HD_AT(hd_reuse_stream, blocks)},
                                           {"mis", "issues", HD_AT(hd_reuse_stream, mis)},
                                           {"accesses", HD_AT(hd_reuse_stream, accesses)},
                                           {.get = stream_shape, .of = hd_shape_members},
                                           {0}};

static int show_text(cli *c, const cli_reuse_options *o, const cli_reuse *r) {
    static const char *const meaning[] = {"no data is reused", "monotonically decreasing (MB)",
                                          "approximately monotonically decreasing (AMB)",
                                          "not monotonic (NMB)"};
    enum { SOME = 6 };
    const hd_reuse *reuse = r->reuse;
    const hd_reuse_shape *s = &r->shape;
    hd_arena *arena = c->arena;
    hd_str out = {.arena = arena}, head = {.arena = arena};
    hd_wrap(&out,
            hd_format(arena, "%s: %s, %s, %s of %s of %s", hd_plain_text(arena, r->file, false),
                      hd_show_counted(arena, r->launches, "launch", "es"),
                      hd_show_counted(arena, reuse->blocks, "block", "s"),
                      hd_show_counted(arena, reuse->accesses, "access", "es"),
                      hd_show_counted(arena, reuse->elements, "element", "s"),
                      hd_show_bytes(arena, r->element)),
            2, HD_TABLE_WIDTH);
    hd_str_printf(&head, "%s; %s", r->what, hd_show_counted(arena, r->stream.mis, "MI", "s"));
    if (reuse->aggregates < reuse->blocks)
        hd_str_printf(&head, " of %s", hd_show_counted(arena, reuse->aggregates, "aggregate", "s"));
    if (reuse->shares > 1)
        hd_str_printf(&head, "; elements in %u shares", reuse->shares);
    hd_wrap(&out, hd_str_text(&head), 2, HD_TABLE_WIDTH);
    hd_str_printf(&out, "  %s\n", meaning[s->kind]);
    if (s->kind != HD_REUSE_NONE) {
        hd_str_add(&out, "  ");
        hd_wrap(&out,
                hd_format(arena,
                          "domain 1 to %llu, %s with reuse; total degree %s; mean distance %s",
                          (unsigned long long)s->domain,
                          hd_show_counted(arena, s->distances, "distance", "s"),
                          hd_show_count(arena, (double)s->total),
                          isfinite(s->mean) ? hd_format(arena, "%.1f", s->mean) : "-"),
                4, HD_TABLE_WIDTH - 2);
    }
    if (r->shape.peak_count)
        cli_show_rows(c, "\nPeaks", hd_peak_members,
                      hd_with(hd_rows(r->shape.peaks, r->shape.peak_count), &r->shape), &out);
    if (r->kernel_count)
        cli_show_rows(c, "\nVariability: how far blocks are from the typical one, 0 equal to 1",
                      kernel_members, hd_with(hd_rows(r->kernels, r->kernel_count), r), &out);
    for (uint32_t k = 0; k < r->kernel_count; k++) { /* outliers: as many as find room */
        const hd_reuse_kernel *kernel = &r->kernels[k];
        const hd_reuse_spread *spread = kernel->spread;
        hd_str text = {.arena = arena};
        if (!spread->outlier_count)
            continue;
        hd_str_printf(&text,
                      "%s: outliers, farther than %.3f:", hd_plain_text(arena, kernel->name, false),
                      spread->limit);
        for (uint64_t i = 0; i < spread->outlier_count && i < SOME; i++)
            hd_str_printf(&text, "%s %s (%.3f)", i ? "," : "",
                          block_text(arena, r, kernel->streams[spread->outliers[i]]),
                          spread->deviation[spread->outliers[i]]);
        if (spread->outlier_count > SOME)
            hd_str_printf(&text, " and %llu more",
                          (unsigned long long)spread->outlier_count - SOME);
        hd_str_add(&out, "  ");
        hd_wrap(&out, hd_str_text(&text), 4, HD_TABLE_WIDTH - 2);
    }
    if (r->is_all && o->given->scenario == 5) {
        uint64_t count = r->reuse->stream_count, shown = count < MOST_ROWS ? count : MOST_ROWS;
        cli_show_rows(c, "\nCore clusters", stream_members,
                      hd_with(hd_rows(r->reuse->streams, shown), r), &out);
        if (count > shown)
            hd_str_printf(&out, "  and %llu more; --json has all\n",
                          (unsigned long long)(count - shown));
    }
    cli_reuse_plot(c, o, "Reuse degree by distance", degrees_of(c->arena, &r->stream),
                   r->stream.domain, &out);
    return cli_print(c, &out);
}

/* ---- JSON: the context is the cli_reuse ------------------------------------------------------ */

/* A result and what was asked for. */
typedef struct result {
    const cli_reuse_options *options;
    const cli_reuse *reuse;
} result;

static bool is_limited(const cli_reuse_options *o) { return o->options.scenario >= 5; }

static hd_value characteristic_of(const hd_view *view, const void *at) {
    const result *r = at;
    hd_reuse_of *shown = hd_new(view->arena, hd_reuse_of);
    *shown = (hd_reuse_of){&r->reuse->stream, r->options->first, r->options->last};
    return hd_row(shown);
}

static const char *or_default(const char *order, const char *usual) {
    return order ? order : usual;
}

HD_GETTER(k_of, result, hd_whole_if(row->options->given->scenario == 4, row->reuse->reuse->k))
HD_GETTER(clusters_of, result, hd_whole_if(is_limited(row->options), row->options->clusters))
HD_GETTER(units_of, result, hd_whole_if(is_limited(row->options), row->options->given->units))
HD_GETTER(launch_of, result, hd_whole_if(row->options->given->block, row->reuse->stream.launch))
HD_GETTER(block_of, result, hd_whole_if(row->options->given->block, row->reuse->stream.number))
HD_GETTER(cluster_of, result, hd_whole_if(row->options->given->cluster, row->reuse->stream.number))
HD_GETTER(spaces_of, cli_reuse_options, hd_space_names(view->arena, row->options.spaces))
HD_GETTER(block_order, cli_reuse_options,
          hd_text(or_default(row->options.block_order, "sequential")))
HD_GETTER(warp_order, cli_reuse_options,
          hd_text(is_limited(row) ? or_default(row->options.warp_order, "round-robin") : NULL))
HD_GETTER(streams_of, cli_reuse, hd_whole(row->is_all ? row->reuse->stream_count : 1))
HD_GETTER(each_of, cli_reuse,
          hd_rows(row->reuse->streams, row->is_all ? row->reuse->stream_count : 0))

static const hd_member option_members[] = {{"block_order", .get = block_order},
                                           {"warp_order", .get = warp_order},
                                           {"spaces", .get = spaces_of},
                                           {0}};
static const hd_member analysis_members[] = {HD_SAME(hd_reuse, aggregates, elements, shares), {0}};
static const hd_member reuse_members[] = {
    HD_SAME(cli_reuse, file, scenario, element),
    {"runs", HD_AT(cli_reuse, launches)},
    {"streams", .get = streams_of},
    {"blocks", HD_AT(cli_reuse, stream.blocks)},
    {HD_BEHIND(cli_reuse, reuse), .of = analysis_members},
    {"each", .get = each_of, .of = stream_members},
    {"kernels", HD_MANY(cli_reuse, kernels, kernel_count), .of = kernel_members},
    {"complete", HD_AT(cli_reuse, complete)},
    {HD_IN(cli_reuse, run), .of = cli_stopped_members},
    {0}};
static const hd_member result_members[] = {
    {HD_BEHIND(result, reuse), .of = reuse_members},
    {HD_BEHIND(result, options), .of = option_members},
    {"k", .get = k_of},
    {"clusters", .get = clusters_of},
    {"units", .get = units_of},
    {"launch", .get = launch_of},
    {"block", .get = block_of},
    {"cluster", .get = cluster_of},
    {.get = characteristic_of, .of = hd_characteristic_members},
    {0}};

int cli_reuse_show(cli *c, const cli_reuse_options *o, const cli_reuse *r) {
    const char *title = hd_format(c->arena, "%s, %s", r->file, r->what);
    if (cli_reuse_svg(c, o, title, degrees_of(c->arena, &r->stream), r->stream.domain))
        return CLI_WRONG;
    if (c->json)
        return cli_print_row(c, result_members, hd_with(hd_row(&(result){o, r}), r));
    if (!o->given->csv)
        return show_text(c, o, r);
    hd_str out = {.arena = c->arena};
    hd_str_add(&out, "distance,degree\n");
    for (uint64_t d = 1; d <= r->stream.domain; d++)
        if (r->stream.degree[d] && d >= o->first && d <= o->last)
            hd_str_printf(&out, "%llu,%llu\n", (unsigned long long)d,
                          (unsigned long long)r->stream.degree[d]);
    return cli_print(c, &out);
}
