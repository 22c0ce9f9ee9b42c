/* From jobs to traces to characteristics. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "reuse-document/runs.h"
#include "shared/run_job.h"

static const uint32_t spaces = 1u << KIR_GLOBAL | 1u << KIR_CONSTANT;

static const struct {
    const char *name, *input; /* a job or a trace in the text form */
    bool mesh;
    uint32_t element;       /* bytes; 0: the default */
    uint64_t pass_launches; /* that go over the data once; 0: all */
} applications[APPLICATIONS] = {
    [VECTORADD] = {"vectoradd", "examples/vectoradd/vectoradd.yaml", false, 0, 0},
    [STA] = {"sta", "examples/sta/sta.yaml", false, 0, 0},
    [GSIM] = {"gsim", "examples/gsim/gsim.yaml", false, 0, 49}, /* as many as levels */
    [BFS] = {"bfs", "examples/bfs/bfs.yaml", false, 0, 0},
    [NBF] = {"nbf", "examples/nbf/nbf.yaml", true, 0, 1},
    [MOLDYN] = {"moldyn", "examples/moldyn/moldyn.yaml", true, 0, 1},
    [IRREG] = {"irreg", "examples/irreg/irreg.yaml", true, 0, 1},
    [EULER] = {"euler", "examples/euler/euler.yaml", true, 0, 0},
    /* The parameters take 28 bytes, which are to be one element. */
    [VECTORADD_PARAMETERS] = {"vectoradd with parameters", "bench/reuse-document/vectoradd.yaml",
                              false, 32, 0},
    [STA_ONCE] = {"sta in one launch", "bench/reuse-document/sta.yaml", false, 0, 0},
    [GSIM_ONCE] = {"gsim in one launch", "bench/reuse-document/gsim.yaml", false, 0, 0},
    [BFS_ONCE] = {"bfs in one launch", "bench/reuse-document/bfs.yaml", false, 0, 0},
    [FIGURE_4] = {"figure 4", "bench/reuse-document/figure-4.txt", false, 0, 0},
};

const char *name_of(application a) { return applications[a].name; }
bool is_left_out(const document *d, application a) {
    return d->one_mesh && applications[a].mesh && a != IRREG;
}

static char *trace_path(const document *d, application a) {
    return hd_format(d->arena, "%s/%d.hdt", d->folder, (int)a);
}

static void stop_unless(const document *d, hd_status status) {
    if (status == HD_OK)
        return;
    close_document(d);
    exit(2);
}

/* ---- traces -------------------------------------------------------------------------------- */

static hd_status trace_text(const hd_diag *diag, const char *path, const char *trace) {
    static const hd_trace_header header = {.spaces = 1u << KIR_GLOBAL};
    hd_arena *arena = hd_arena_new();
    hd_trace_text *text;
    hd_trace_writer *writer;
    const char *file = hd_format(arena, "%s/%s", HEDDLE_SOURCE, path);
    hd_status status = hd_trace_text_open(arena, diag, file, NULL, &text);
    if (status == HD_OK)
        status = hd_trace_create(arena, diag, trace, &header, &writer);
    if (status == HD_OK) {
        const hd_sink sink = hd_trace_sink(writer);
        status = hd_trace_end(writer, hd_trace_text_send(text, &sink), true);
    }
    hd_arena_free(arena);
    return status;
}

static hd_status write_trace(const document *d, application a) {
    const char *input = applications[a].input, *path = trace_path(d, a);
    return a == FIGURE_4 ? trace_text(d->diag, input, path)
                         : trace_job(d->diag, input, spaces, path);
}

void open_document(document *d) {
    stop_unless(d, hd_scratch_make(d->arena, d->diag, &d->folder));
    for (int a = 0; a < APPLICATIONS; a++)
        if (!is_left_out(d, (application)a))
            stop_unless(d, write_trace(d, (application)a));
}

void close_document(const document *d) { hd_scratch_remove(d->folder); }

/* ---- analyses ------------------------------------------------------------------------------ */

static hd_reuse *analyse_trace(const document *d, hd_arena *arena, application a,
                               hd_reuse_options options, hd_trace **trace) {
    hd_reuse *reuse;
    options.spaces = spaces;
    if (!options.element_bytes)
        options.element_bytes = applications[a].element;
    stop_unless(d, hd_trace_open(arena, d->diag, trace_path(d, a), trace));
    stop_unless(d, hd_reuse_analyse(arena, d->diag, *trace, &options, &reuse));
    return reuse;
}

hd_reuse *analyse(const document *d, hd_arena *arena, application a, hd_reuse_options options) {
    hd_trace *trace;
    hd_reuse *reuse = analyse_trace(d, arena, a, options, &trace);
    hd_trace_close(trace);
    return reuse;
}

static bool same_options(const hd_reuse_options *a, const hd_reuse_options *b) {
    return a->scenario == b->scenario && a->k == b->k && a->clusters == b->clusters &&
           a->units == b->units && a->element_bytes == b->element_bytes &&
           a->first_launch == b->first_launch && a->end_launch == b->end_launch &&
           a->block_order == b->block_order && a->warp_order == b->warp_order;
}

hd_reuse_stream analyse_sum(document *d, application a, hd_reuse_options options) {
    for (size_t s = 0; s < d->sums.count; s++)
        if (d->sums.data[s].a == a && same_options(&d->sums.data[s].options, &options))
            return d->sums.data[s].stream;
    hd_arena *arena = hd_arena_new();
    hd_reuse_stream sum = hd_reuse_sum(d->arena, analyse(d, arena, a, options));
    hd_arena_free(arena);
    hd_push(d->arena, &d->sums, (sum_of){a, options, sum});
    return sum;
}

uint32_t analyse_kernels(const document *d, hd_arena *arena, application a,
                         hd_reuse_kernel **kernels) {
    hd_trace *trace;
    hd_reuse *reuse = analyse_trace(d, arena, a, (hd_reuse_options){.scenario = 2}, &trace);
    uint32_t count = hd_reuse_by_kernel(arena, hd_trace_get(trace), reuse, kernels);
    for (uint32_t k = 0; k < count; k++)
        (*kernels)[k].name = hd_strdup(arena, (*kernels)[k].name);
    hd_trace_close(trace);
    return count;
}

hd_reuse_options first_pass(application a, hd_reuse_options options) {
    options.end_launch = applications[a].pass_launches;
    return options;
}
