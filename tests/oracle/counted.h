/*
 * The static cost's counts against those of events: which lines of the cost must be
 * exact, and whether they are.
 *
 *     counted c;
 *     counted_open_all(&c, arena, diag, job);
 *     send the events of every launch of the job to counted_sink(&c)
 *     counted_check(&c, "name", &sum);
 *
 * Include after cmocka.h.
 */
#ifndef ORACLE_COUNTED_H
#define ORACLE_COUNTED_H

#include <math.h>

#include "model/cost.h"
#include "analysis/coalesce.h"
#include "analysis/shapes.h"
#include "oracle/laid_out.h"

/* 128-byte lines, 32-byte sectors, half-warps. */
static const char *const counted_devices[] = {"tesla-m2050", "h200", "tesla-c1060"};
enum { COUNTED_DEVICES = 3, COUNTED_LAYOUTS = 6 };

/* ---- what must be exact -------------------------------------------------------------- */

static bool counted_shares_counter(hd_affine a, hd_affine b) {
    for (uint32_t i = 0; i < a.term_count; i++)
        if (a.terms[i].kind != HD_SYM_LOCAL &&
            hd_affine_factor(b, a.terms[i].kind, a.terms[i].index))
            return true;
    return false;
}

/* An index that is computed for every execution, not for a sample of them. */
static bool counted_is_computed(const hd_kernel_info *info, const hd_access *a) {
    uint64_t threads = 1, iterations = 1;
    for (uint32_t d = 0; d < info->binding.dims; d++)
        threads *= info->binding.global[d];
    for (int32_t l = a->loop; l >= 0; l = info->flow->loops[l].parent)
        iterations *= info->trips[l].count;
    return a->computable && threads <= 8192 && iterations <= 16;
}

/* NULL when the model says that it counts this access exactly (docs/cost.md); else what
 * it takes as given. */
static const char *counted_why_not(const hd_kernel_info *info, const hd_access *a) {
    if (!a->affine && !counted_is_computed(info, a))
        return "its address is not affine";
    if (a->conditional)
        return "data decide whether it runs";
    for (int32_t l = a->loop; l >= 0; l = info->flow->loops[l].parent) {
        const hd_trip *trip = &info->trips[l];
        if (trip->kind == HD_TRIP_UNKNOWN)
            return "a loop around it has no known length";
        if (trip->kind == HD_TRIP_VARYING && !trip->affine)
            return "the length of a loop around it differs by thread, and not affinely";
        if (trip->early_exit)
            return "a loop around it may end early";
    }
    if (info->flow->irreducible)
        return "control flow is irreducible";
    if (counted_shares_counter(a->index, a->inner))
        return "index and place in the field depend on the same counter";
    return NULL;
}

/* ---- comparing ------------------------------------------------------------------------- */

/* Requests and transactions of every access of every launch: rows[launch][access]. */
typedef struct counted_row {
    double executions, transactions;
} counted_row;

/* How much was compared: lines of derived costs, those that must be exact, and lines of costs
 * from measured shapes, which all must be. */
typedef struct counted_total {
    uint32_t jobs, lines, exact, measured;
} counted_total;

/* What is compared: one layout on one device. */
typedef struct counted_case {
    const char *name; /* of the job */
    const hd_job *job;
    hd_kernel_info **infos;
    const hd_layout *layout;
    const char *layout_text;
    hd_cost_model *model; /* of the device */
    counted_row **rows;
    bool all;      /* every line must be exact */
    bool measured; /* the model's shapes are */
} counted_case;

static bool counted_is_of_line(const hd_cost_line *line, const hd_access *a) {
    const hd_access *b = line->access;
    return a->inst == b->inst && a->kind == b->kind && a->field == b->field &&
           a->field_byte == b->field_byte;
}

static bool counted_equal(double a, double b) {
    return fabs(a - b) <= 1e-6 * fmax(1, fmax(fabs(a), fabs(b)));
}

/* A line stands for accesses of equal place in all launches of a kernel. */
static void counted_check_line(const counted_case *c, const hd_cost_line *line,
                               counted_total *sum) {
    double executions = 0, transactions = 0, moved = line->executions * line->transactions;
    const char *why_not = NULL;
    for (uint32_t l = 0; l < c->job->launch_count; l++)
        for (uint32_t k = 0; k < c->infos[l]->access_count; k++) {
            const hd_access *a = &c->infos[l]->accesses[k];
            double repeat = (double)c->job->launches[l].repeat;
            if (c->infos[l]->kernel != line->info->kernel || !counted_is_of_line(line, a))
                continue;
            executions += repeat * c->rows[l][k].executions;
            transactions += repeat * c->rows[l][k].transactions;
            why_not = why_not ? why_not : counted_why_not(c->infos[l], a);
        }
    /* What the cost says that it derived exactly must be so, too. */
    if (c->all || c->measured || line->origin == HD_ORIGIN_DERIVED)
        why_not = NULL;
    sum->lines += !c->measured;
    sum->exact += !c->measured && !why_not;
    sum->measured += c->measured;
    assert_int_equal(line->origin == HD_ORIGIN_COUNTED, c->measured);
    if (!why_not &&
        (!counted_equal(executions, line->executions) || !counted_equal(transactions, moved)))
        fail_msg("%s: access %u at line %u of '%s', in layout %s on %s: %g executions and %g "
                 "transactions are counted, but the cost %ssays %g and %g",
                 c->name, line->access->id, line->access->line, line->info->kernel->name,
                 c->layout_text, hd_cost_device(c->model)->name, executions, transactions,
                 c->measured ? "from measured shapes " : "", line->executions, moved);
}

static void counted_check_case(const counted_case *c, counted_total *sum) {
    hd_arena *arena = hd_arena_new();
    hd_cost_line *lines;
    size_t count;
    hd_cost_of_layout(arena, c->model, c->layout, &lines, &count);
    for (size_t i = 0; i < count; i++)
        counted_check_line(c, &lines[i], sum);
    hd_arena_free(arena);
}

/* ---- a job's own kernels, as if their records lay in several layouts ---------------------- */

typedef struct counted {
    hd_arena *arena;
    const hd_diag *diag;
    const hd_job *job;
    hd_kernel_info **infos; /* [launch_count] */
    uint32_t layout_count;
    const char *texts[COUNTED_LAYOUTS];
    hd_layout *layouts[COUNTED_LAYOUTS];
    laid_out placed[COUNTED_LAYOUTS];
    hd_cost_model *models[COUNTED_DEVICES];
    hd_tally *counters[COUNTED_LAYOUTS][COUNTED_DEVICES];
    hd_shapes *shapes[COUNTED_DEVICES];
    bool all; /* every line must be exact, also those of which the model does not claim it */
} counted;

static hd_kernel_info **counted_analyse(hd_arena *arena, const hd_job *job) {
    hd_kernel_info **infos = hd_new_array(arena, hd_kernel_info *, job->launch_count);
    for (uint32_t l = 0; l < job->launch_count; l++) {
        hd_binding binding = hd_job_binding(arena, job, &job->launches[l]);
        infos[l] = hd_kernel_analyse(arena, job->module, job->launches[l].kernel, &binding);
    }
    return infos;
}

static void counted_make_models(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                                hd_cost_model **models) {
    hd_cost_options options = {.loops = HD_LOOPS_PENG};
    for (int d = 0; d < COUNTED_DEVICES; d++) {
        const hd_device *device;
        assert_int_equal(hd_device_find(arena, diag, counted_devices[d], &device), HD_OK);
        assert_int_equal(hd_cost_model_make(arena, diag, job, device, &options, &models[d]), HD_OK);
    }
}

/* The same from what was heard of one run. */
static void counted_measured_models(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                                    hd_shapes *const *shapes, hd_cost_model **models) {
    for (int d = 0; d < COUNTED_DEVICES; d++) {
        hd_cost_options options = {.measured = hd_shapes_result(shapes[d])};
        assert_false(options.measured->sampled);
        assert_int_equal(
            hd_cost_model_make(arena, diag, job, options.measured->device, &options, &models[d]),
            HD_OK);
    }
}

/* Shapes for the devices of the models. */
static hd_sink counted_new_shapes(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                                  hd_cost_model *const *models, hd_shapes **shapes) {
    hd_sink sinks[COUNTED_DEVICES];
    for (int d = 0; d < COUNTED_DEVICES; d++) {
        shapes[d] = hd_shapes_new(arena, diag, job, hd_cost_device(models[d]), 1 << 24);
        sinks[d] = hd_shapes_sink(shapes[d]);
    }
    return hd_sink_tee(arena, sinks, COUNTED_DEVICES);
}

static hd_sink counted_new_counters(hd_arena *arena, hd_cost_model *const *models,
                                    hd_tally **counters) {
    hd_sink sinks[COUNTED_DEVICES];
    for (int d = 0; d < COUNTED_DEVICES; d++) {
        const hd_tally_work work = hd_coalesce_work(arena, hd_cost_device(models[d]));
        counters[d] = hd_tally_new(arena, &work, 1);
        sinks[d] = hd_tally_sink(counters[d]);
    }
    return hd_sink_tee(arena, sinks, COUNTED_DEVICES);
}

static void counted_add_layout(counted *c, const char *text) {
    uint32_t n = c->layout_count++;
    c->texts[n] = text;
    assert_int_equal(hd_layout_parse(c->arena, c->diag, c->job->record, text, &c->layouts[n]),
                     HD_OK);
    c->placed[n] = (laid_out){.job = c->job, .infos = c->infos};
    c->placed[n].to = counted_new_counters(c->arena, c->models, c->counters[n]);
    c->placed[n].maps = hd_new_array(c->arena, hd_map *, c->job->buffer_count + 1);
    for (uint32_t b = 0; b < c->job->buffer_count; b++)
        if (c->job->buffers[b].record == c->job->record)
            assert_int_equal(hd_map_make(c->arena, c->diag, c->job->record, c->layouts[n],
                                         c->job->buffers[b].count, &c->placed[n].maps[b]),
                             HD_OK);
}

/* The first two fields tiled by 4, the rest by 16. */
static const char *counted_mixed_layout(hd_arena *arena, const hd_record *record) {
    hd_str s = {.arena = arena};
    for (uint32_t f = 0; f < record->field_count; f++) {
        bool last = f + 1 == record->field_count;
        hd_str_printf(&s, "%s%s%s", f == 0 || f == 2 ? "{" : ",", record->fields[f].name,
                      f == 1 ? "}:4"
                      : last ? "}:16"
                             : "");
    }
    return hd_str_text(&s);
}

/* The layouts that are compared, in `texts`; returns how many: 1 where no buffer of the job
 * holds records. */
static uint32_t counted_list_layouts(hd_arena *arena, const hd_job *job,
                                     const char *texts[COUNTED_LAYOUTS]) {
    const char *const plain[] = {"aos", "soa", "aosoa:4", "aosoa:32", "da"};
    memcpy(texts, plain, sizeof plain);
    texts[5] = counted_mixed_layout(arena, job->record);
    for (uint32_t b = 0; b < job->buffer_count; b++)
        if (job->buffers[b].record == job->record)
            return 6;
    return 1;
}

/* In every layout, on every device. */
static inline void counted_open_all(counted *c, hd_arena *arena, const hd_diag *diag,
                                    const hd_job *job) {
    const char *texts[COUNTED_LAYOUTS];
    uint32_t count = counted_list_layouts(arena, job, texts);
    *c = (counted){.arena = arena, .diag = diag, .job = job};
    c->infos = counted_analyse(arena, job);
    counted_make_models(arena, diag, job, c->models);
    for (uint32_t n = 0; n < count; n++)
        counted_add_layout(c, texts[n]);
}

static inline hd_sink counted_sink(counted *c) {
    hd_sink sinks[COUNTED_LAYOUTS + 1];
    for (uint32_t n = 0; n < c->layout_count; n++)
        sinks[n] = laid_out_sink(&c->placed[n]);
    sinks[c->layout_count] = counted_new_shapes(c->arena, c->diag, c->job, c->models, c->shapes);
    return hd_sink_tee(c->arena, sinks, c->layout_count + 1);
}

static counted_row **counted_new_rows(hd_arena *arena, const hd_job *job,
                                      hd_kernel_info *const *infos) {
    counted_row **rows = hd_new_array(arena, counted_row *, job->launch_count);
    for (uint32_t l = 0; l < job->launch_count; l++)
        rows[l] = hd_new_array(arena, counted_row, infos[l]->access_count + 1);
    return rows;
}

static void counted_add_row(counted_row *row, const hd_coalesce_counts *counts) {
    assert_non_null(counts);
    row->executions += (double)counts->requests;
    row->transactions += (double)counts->transactions;
}

/* Fails where a line that must be exact is not. */
static inline void counted_check(counted *c, const char *name, counted_total *sum) {
    hd_cost_model *measured[COUNTED_DEVICES];
    counted_measured_models(c->arena, c->diag, c->job, c->shapes, measured);
    for (uint32_t n = 0; n < c->layout_count; n++)
        for (int d = 0; d < COUNTED_DEVICES; d++) {
            counted_case one = {name,
                                c->job,
                                c->infos,
                                c->layouts[n],
                                c->texts[n],
                                c->models[d],
                                counted_new_rows(c->arena, c->job, c->infos),
                                c->all};
            for (uint32_t l = 0; l < c->job->launch_count; l++)
                for (uint32_t k = 0; k < c->infos[l]->access_count; k++)
                    counted_add_row(&one.rows[l][k], hd_tally_of(c->counters[n][d], 0, l, k));
            counted_check_case(&one, sum);
            one.measured = true;
            one.model = measured[d];
            counted_check_case(&one, sum);
        }
    sum->jobs++;
}

static inline void counted_close(counted *c) {
    for (uint32_t n = 0; n < c->layout_count; n++)
        for (int d = 0; d < COUNTED_DEVICES; d++)
            hd_tally_free(c->counters[n][d]);
    for (int d = 0; d < COUNTED_DEVICES; d++)
        hd_shapes_free(c->shapes[d]);
}

#endif
