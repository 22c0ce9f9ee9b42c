/*
 * Nsight Compute: how it is called, and what it writes.
 *
 * Its CSV has a line for each kernel with a column for each metric and a line of units below the
 * titles (`--page raw`), or a line for each metric of each kernel. Around it are lines that begin
 * with
 * "==". Numbers have commas between thousands. Clocks are left as they are.
 */
#include <glob.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "driver/cuda_library.h"
#include "cli/gpu/gpu.h"

typedef enum counter { LOADS, STORES, ATOMICS, REDUCTIONS, L1_HITS, L2_HITS, COUNTERS } counter;
static const char *const metrics[COUNTERS] = {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
                                              "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
                                              "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum",
                                              "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum",
                                              "l1tex__t_sector_hit_rate.pct",
                                              "lts__t_sector_hit_rate.pct"};

/* ---- finding and calling it ------------------------------------------------------- */

/* The last of those that the pattern finds: the newest version. */
static const char *last_of(hd_arena *arena, const char *pattern) {
    glob_t found;
    const char *path = NULL;
    if (glob(pattern, 0, NULL, &found) == 0) {
        path = hd_strdup(arena, found.gl_pathv[found.gl_pathc - 1]);
        globfree(&found);
    }
    return path && access(path, X_OK) == 0 ? path : NULL;
}

const char *hd_gpu_find_profiler(hd_arena *arena) {
    const char *found = NULL, *at = getenv("PATH");
    while (at && *at && !found) {
        size_t length = strcspn(at, ":");
        const char *path = hd_format(arena, "%.*s/ncu", (int)length, at);
        found = length && access(path, X_OK) == 0 ? path : NULL;
        at += length + (at[length] == ':');
    }
    const char *toolkit = hd_cuda_toolkit();
    if (!found && toolkit)
        found = last_of(arena, hd_format(arena, "%s/bin/ncu", toolkit));
    if (!found && toolkit)
        found = last_of(arena, hd_format(arena, "%s/nsight-compute-*/ncu", toolkit));
    return found ? found : last_of(arena, "/opt/nvidia/nsight-compute/*/ncu");
}

const char **hd_gpu_profiler_words(hd_arena *arena, const char *profiler, const char *log,
                                   size_t *count) {
    hd_str names = {.arena = arena};
    hd_vec(const char *) words = {0};
    for (int m = 0; m < COUNTERS; m++)
        hd_str_printf(&names, "%s%s", m ? "," : "", metrics[m]);
    uint32_t fixed;
    char **options = hd_split_words(arena,
                                    "--csv --page raw --print-units base --clock-control none "
                                    "--target-processes all --log-file",
                                    &fixed);
    hd_push(arena, &words, profiler);
    for (uint32_t w = 0; w < fixed; w++)
        hd_push(arena, &words, options[w]);
    hd_push(arena, &words, log);
    hd_push(arena, &words, "--metrics");
    hd_push(arena, &words, hd_str_text(&names));
    *count = words.count;
    return words.data;
}

/* ---- lines of CSV ----------------------------------------------------------------- */

typedef hd_vec(const char *) cell_list;

/* The cells of a line, and *at is behind it. Quotes keep commas and, doubled, themselves. */
static cell_list read_line(hd_arena *arena, const char **at) {
    cell_list cells = {0};
    while (**at && **at != '\n') {
        hd_str cell = {.arena = arena};
        bool quoted = false;
        for (; **at && **at != '\n' && (quoted || **at != ','); ++*at) {
            if (**at == '"' && quoted && (*at)[1] == '"')
                hd_str_addn(&cell, ++*at - 1, 1);
            else if (**at == '"')
                quoted = !quoted;
            else if (**at != '\r')
                hd_str_addn(&cell, *at, 1);
        }
        hd_push(arena, &cells, hd_str_text(&cell));
        *at += **at == ',';
    }
    *at += **at == '\n';
    return cells;
}

/* Which cell has this title; the number of cells when there is none. */
static size_t find_cell(const cell_list *titles, const char *title) {
    size_t c = 0;
    while (c < titles->count && strcmp(titles->data[c], title))
        c++;
    return c;
}

/* ---- kernels ---------------------------------------------------------------------- */

typedef struct sums {
    const char *kernel;
    uint32_t launches;
    double values[COUNTERS]; /* hit rates: the sum over launches */
} sums;

typedef struct profile {
    hd_arena *arena;
    cell_list titles;
    size_t id, name, metric, value; /* cells; `metric` is none where each metric has a column */
    const char *last_id;
    hd_vec(sums) kernels;
} profile;

/* NAN where there is no number, as in "n/a". */
static void add_value(profile *p, sums *kernel, const char *metric, const char *text) {
    hd_str digits = {.arena = p->arena};
    char *end;
    for (; *text; text++)
        if (*text != ',')
            hd_str_addn(&digits, text, 1);
    const char *plain = hd_str_text(&digits);
    double value = strtod(plain, &end);
    for (int m = 0; m < COUNTERS; m++)
        if (!strcmp(metrics[m], metric))
            kernel->values[m] += end == plain || *end ? NAN : value;
}

static void add_line(profile *p, const cell_list *cells) {
    if (cells->count <= p->id || cells->count <= p->name || !*cells->data[p->id])
        return; /* the line of units */
    /* "forces" of "forces(particle *, const int *, float)" */
    const char *name = cells->data[p->name];
    name = hd_strndup(p->arena, name, strcspn(name, "(<"));
    size_t k = 0;
    while (k < p->kernels.count && strcmp(p->kernels.data[k].kernel, name))
        k++;
    if (k == p->kernels.count)
        hd_push(p->arena, &p->kernels, (sums){.kernel = name});
    sums *kernel = &p->kernels.data[k];
    if (!p->last_id || strcmp(p->last_id, cells->data[p->id]))
        kernel->launches++;
    p->last_id = cells->data[p->id];
    if (p->metric < p->titles.count) {
        if (p->metric < cells->count && p->value < cells->count)
            add_value(p, kernel, cells->data[p->metric], cells->data[p->value]);
        return;
    }
    for (size_t c = 0; c < cells->count && c < p->titles.count; c++)
        add_value(p, kernel, p->titles.data[c], cells->data[c]);
}

/* ---- the whole -------------------------------------------------------------------- */

hd_status hd_gpu_parse_profile(hd_arena *arena, const hd_diag *diag, const char *text,
                               hd_gpu_sectors **kernels, uint32_t *count) {
    profile p = {.arena = arena};
    const char *at = text;
    *count = 0;
    while (*at) {
        bool is_message = !strncmp(at, "==", 2);
        cell_list cells = read_line(arena, &at);
        if (is_message || !cells.count)
            continue;
        if (p.titles.count) {
            add_line(&p, &cells);
        } else if (find_cell(&cells, "ID") < cells.count &&
                   find_cell(&cells, "Kernel Name") < cells.count) {
            p.titles = cells;
            p.id = find_cell(&cells, "ID");
            p.name = find_cell(&cells, "Kernel Name");
            p.metric = find_cell(&cells, "Metric Name");
            p.value = find_cell(&cells, "Metric Value");
        }
    }
    const char *error = strstr(text, "==ERROR==");
    if (!p.kernels.count && strstr(text, "ERR_NVGPUCTRPERM"))
        return hd_fail(diag, HD_EUNSUPPORTED, NULL,
                       "Nsight Compute may not read the counters (ERR_NVGPUCTRPERM); run it as "
                       "root, or let the driver's option NVreg_RestrictProfilingToAdminUsers be 0");
    if (!p.kernels.count && !error)
        return hd_fail(diag, HD_EUNSUPPORTED, NULL, "Nsight Compute wrote no counts: %s",
                       hd_gpu_last_line(arena, text));
    if (!p.kernels.count) {
        error += strlen("==ERROR==");
        error += strspn(error, " ");
        return hd_fail(diag, HD_EUNSUPPORTED, NULL, "Nsight Compute failed: %s",
                       hd_strndup(arena, error, strcspn(error, "\r\n")));
    }
    *kernels = hd_new_array(arena, hd_gpu_sectors, p.kernels.count);
    for (size_t k = 0; k < p.kernels.count; k++) {
        const sums *s = &p.kernels.data[k];
        const double *v = s->values;
        (*kernels)[(*count)++] =
            (hd_gpu_sectors){.kernel = s->kernel,
                             .launches = s->launches,
                             .loads = v[LOADS],
                             .stores = v[STORES],
                             /* Of two kinds, of which a device may count but one. */
                             .atomics = isnan(v[ATOMICS])      ? v[REDUCTIONS]
                                        : isnan(v[REDUCTIONS]) ? v[ATOMICS]
                                                               : v[ATOMICS] + v[REDUCTIONS],
                             .l1_hits = v[L1_HITS] / 100 / s->launches,
                             .l2_hits = v[L2_HITS] / 100 / s->launches};
    }
    return HD_OK;
}
