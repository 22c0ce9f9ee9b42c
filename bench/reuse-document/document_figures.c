#include "cli/report/plot.h"
#include "reuse-document/document_figures.h"

typedef struct figure {
    const char *file, *title;
    application a;
    hd_reuse_options options;
    uint64_t stream; /* which of them is drawn */
    uint64_t last;   /* distance that is drawn; 0: all */
} figure;

/* The blocks are the typical ones of their kernels. */
static const figure figures[] = {
    {"figure-4", "the stream of figure 4", FIGURE_4, {.scenario = 1}, 0, 0},
    {"vectoradd-sequence",
     "vectoradd with parameters, blocks in sequence",
     VECTORADD_PARAMETERS,
     {.scenario = 1},
     0,
     100},
    {"sta-block",
     "sta, block 2 of level 22",
     STA,
     {.scenario = 2, .first_launch = 22, .end_launch = 23},
     2,
     0},
    {"bfs-block",
     "bfs, block 2 of level 22",
     BFS,
     {.scenario = 2, .first_launch = 22, .end_launch = 23},
     2,
     0},
    {"gsim-block",
     "gsim, block 2 of level 22",
     GSIM,
     {.scenario = 2, .first_launch = 22, .end_launch = 23},
     2,
     0},
    {"nbf-block",
     "nbf, a block of the first launch",
     NBF,
     {.scenario = 2, .end_launch = 1},
     317,
     0},
    {"moldyn-block",
     "moldyn, a block of the first launch",
     MOLDYN,
     {.scenario = 2, .end_launch = 1},
     406,
     0},
    {"sta-all", "sta in one launch, all blocks at once", STA_ONCE, {.scenario = 3}, 0, 0},
    {"sta-k2", "sta in one launch, 2 blocks at once", STA_ONCE, {.scenario = 4, .k = 2}, 0, 60},
    {"sta-k16", "sta in one launch, 16 blocks at once", STA_ONCE, {.scenario = 4, .k = 16}, 0, 60},
    {"sta-units",
     "sta in one launch, 16 clusters of 16 units together",
     STA_ONCE,
     {.scenario = 6, .clusters = 16, .units = 16},
     0,
     100},
    {"euler-all", "euler, all blocks at once", EULER, {.scenario = 3}, 0, 0},
    {"euler-cluster",
     "euler, cluster 0 of 16 with 16 units",
     EULER,
     {.scenario = 5, .clusters = 16, .units = 16},
     0,
     0},
};

static hd_status draw(const document *d, hd_arena *arena, const figure *f, const char *folder) {
    const hd_reuse *reuse = analyse(d, arena, f->a, f->options);
    const hd_reuse_stream *s = &reuse->streams[f->stream];
    uint64_t last = f->last && f->last < s->domain ? f->last : s->domain;
    double *value = hd_new_array(arena, double, last + 1);
    for (uint64_t i = 1; i <= last; i++)
        value[i] = (double)s->degree[i];
    const hd_stems stems = {.title = f->title,
                            .x = "distance",
                            .y = "reuse degree",
                            .first = 1,
                            .count = last,
                            .value = value + 1};
    hd_str svg = {.arena = arena};
    hd_plot_svg(arena, &stems, &svg);
    return hd_write_file(d->diag, hd_format(arena, "%s/%s.svg", folder, f->file), hd_str_text(&svg),
                         svg.length);
}

hd_status write_figures(const document *d, const char *folder) {
    hd_status status = HD_OK;
    for (size_t f = 0; f < sizeof figures / sizeof *figures && status == HD_OK; f++) {
        if (is_left_out(d, figures[f].a))
            continue;
        hd_arena *arena = hd_arena_new();
        status = draw(d, arena, &figures[f], folder);
        hd_arena_free(arena);
    }
    return status;
}
