/*
 * The advice on a job for the report page: what it says, what moves before and after, and how the
 * fields of the record are used.
 *
 * Everything is priced by shapes that were measured of the whole run (docs/cost.md, "Measured
 * shapes"). Where caches were simulated, too, what moves is what these simulations counted: exact,
 * also where only a sample of scattered accesses was kept, and where lanes of one request reach
 * several parts of an array that is taken apart.
 *
 * Two fields are *used together* where accesses of one loop body reach both in the same element:
 * the same kernel, innermost loop, buffer and index. The share is that of the executions of such
 * bodies which use both, among those which use either:
 *
 *     for (j ...) { s += p[j].x * p[j].y; }     x and y: 1
 *     for (j ...) { t += p[j].x; }              x and y, with both loops of equal length: 1/2
 */
#include <math.h>
#include <stdlib.h>

#include "cli/report/members.h"
#include "cli/report/page.h"
#include "cli/report/report_result.h"

enum { MOST_LAYOUTS = 8, MOST_REASONS = 3 };

/* ---- what moves ----------------------------------------------------------------------------- */

typedef struct moved {
    double transactions;
    uint32_t segment; /* bytes of one */
} moved;

static uint64_t whole(double value) { return (uint64_t)llround(value); }

HD_GETTER(transactions_of, moved, hd_whole(whole(row->transactions)))
HD_GETTER(bytes_of, moved, hd_whole(whole(row->transactions) * row->segment))
static const hd_member moved_members[] = {
    {"transactions", .get = transactions_of}, {"bytes_moved", .get = bytes_of}, {0}};

/* A field of the record, or all other buffers. */
typedef struct use {
    const hd_field *field;
    double asked;         /* bytes, by lanes */
    moved before, *after; /* NULL: nothing changes */
} use;

typedef struct lines {
    hd_cost_line *data;
    size_t count;
} lines;

static lines price(hd_arena *arena, hd_cost_model *model, const hd_layout *layout) {
    lines l;
    hd_cost_of_layout(arena, model, layout, &l.data, &l.count);
    return l;
}

static bool has_field(const hd_record *record, const hd_access *a) {
    return a->record == record && a->field >= 0;
}

static double moved_by(const hd_cost_line *line) { return line->executions * line->transactions; }

static moved sum_of(lines l, uint32_t segment) {
    return (moved){hd_cost_transactions(l.data, l.count), segment};
}

/* uses[field_count + 1]: the last is all other buffers, and what is not known to be of a field. */
static use *collect_uses(hd_arena *arena, const hd_record *record, uint32_t segment, lines before,
                         const lines *after) {
    uint32_t count = record->field_count + 1;
    use *uses = hd_new_array(arena, use, count);
    for (uint32_t f = 0; f < count; f++) {
        uses[f] = (use){.field = f < record->field_count ? &record->fields[f] : NULL,
                        .before = {.segment = segment},
                        .after = after ? hd_new(arena, moved) : NULL};
        if (after)
            uses[f].after->segment = segment;
    }
    for (size_t i = 0; i < before.count; i++) {
        const hd_cost_line *line = &before.data[i];
        use *of = &uses[has_field(record, line->access) ? (uint32_t)line->access->field
                                                        : record->field_count];
        of->asked += line->executions * line->lanes * line->access->width;
        of->before.transactions += moved_by(line);
    }
    for (size_t i = 0; after && i < after->count; i++) {
        const hd_access *a = after->data[i].access;
        uses[has_field(record, a) ? (uint32_t)a->field : record->field_count].after->transactions +=
            moved_by(&after->data[i]);
    }
    return uses;
}

/* What a simulation counted of each field and of the rest, in the place of what was priced. */
static void take_counted(const hd_record *record, const hd_caches *caches, use *uses, bool after) {
    for (uint32_t f = 0; f <= record->field_count; f++)
        *(after ? &uses[f].after->transactions : &uses[f].before.transactions) = 0;
    for (uint32_t p = 0; p < caches->place_count; p++) {
        const hd_cache_place *place = &caches->places[p];
        use *of = &uses[place->field >= 0 ? (uint32_t)place->field : record->field_count];
        moved *sum = after ? of->after : &of->before;
        sum->transactions += (double)place->sum.counts.transactions;
    }
}

HD_GETTER(asked_of, use, hd_whole(whole(row->asked)))
static const hd_member use_members[] = {{"asked", .get = asked_of},
                                        {"before", HD_IN(use, before), .of = moved_members},
                                        {"after", HD_BEHIND(use, after), .of = moved_members},
                                        {0}};
static const hd_member field_members[] = {
    {HD_BEHIND(use, field), .of = hd_field_members}, {HD_SELF, .of = use_members}, {0}};

/* ---- what is used together ------------------------------------------------------------------- */

typedef struct pair {
    uint32_t a, b;
    double share, executions;
} pair;

/* executions[body * field_count + field] by warps; the number of bodies. */
static size_t collect_bodies(const hd_record *record, lines l, double *executions) {
    const hd_cost_line **first = hd_zeroed(l.count, sizeof(hd_cost_line *));
    size_t count = 0;
    for (size_t i = 0; i < l.count; i++) {
        const hd_cost_line *line = &l.data[i];
        size_t body = 0;
        if (!has_field(record, line->access))
            continue;
        for (; body < count; body++) { /* the same element in the same run of a loop body */
            const hd_access *a = first[body]->access, *b = line->access;
            if (first[body]->info->kernel == line->info->kernel && a->loop == b->loop &&
                a->param == b->param && a->static_index == b->static_index &&
                hd_affine_equal(a->index, b->index))
                break;
        }
        if (body == count)
            first[count++] = line;
        double *of = &executions[body * record->field_count + (uint32_t)line->access->field];
        *of = fmax(*of, line->executions);
    }
    free(first);
    return count;
}

static hd_value collect_pairs(hd_arena *arena, const hd_record *record, lines l) {
    uint32_t fields = record->field_count;
    double *executions = hd_zeroed(l.count * fields + 1, sizeof *executions);
    size_t bodies = collect_bodies(record, l, executions);
    hd_vec(pair) pairs = {0};
    for (uint32_t a = 0; a < fields; a++)
        for (uint32_t b = a + 1; b < fields; b++) {
            double both = 0, either = 0;
            for (size_t body = 0; body < bodies; body++) {
                double of_a = executions[body * fields + a], of_b = executions[body * fields + b];
                both += fmin(of_a, of_b);
                either += fmax(of_a, of_b);
            }
            if (both > 0)
                hd_push(arena, &pairs, (pair){a, b, both / either, both});
        }
    free(executions);
    return hd_rows(pairs.data, pairs.count);
}

HD_GETTER(pair_executions, pair, hd_whole(whole(row->executions)))
static const hd_member pair_members[] = {
    HD_SAME(pair, a, b, share), {"executions", .get = pair_executions}, {0}};

/* ---- the record -------------------------------------------------------------------------------- */

typedef struct page_record {
    const hd_record *record;
    hd_place place;
    use *uses;
    hd_value together;
} page_record;

HD_GETTER(fields_of, page_record, hd_rows(row->uses, row->record->field_count))
HD_GETTER(others_of, page_record, hd_row(&row->uses[row->record->field_count]))

static const hd_member shape_members[] = {
    HD_SAME(hd_record, name, spelling, size, align), {"arrays", HD_AT(hd_record, of_arrays)}, {0}};
static const hd_member record_members[] = {
    {HD_BEHIND(page_record, record), .of = shape_members},
    {"place", HD_IN(page_record, place), .of = hd_place_members},
    {"fields", .get = fields_of, .of = field_members},
    {"others", .get = others_of, .of = use_members},
    {"together", HD_AT(page_record, together), .of = pair_members},
    {0}};

/* ---- the verdict -------------------------------------------------------------------------------- */

typedef struct reason {
    const hd_cost_line *line;
    const char *why;
} reason;

typedef struct verdict {
    const hd_page_subject *subject;
    const hd_device_advice *of; /* on the page's device */
    const hd_layout *original, *best;
    moved before, *after;
    bool sampled;
    double error;
    hd_value reasons;
} verdict;

HD_GETTER(reason_name, reason,
          hd_text(hd_format(view->arena, "%s %s", hd_access_kind_name(row->line->access->kind),
                            hd_access_target(view->arena, row->line->info->kernel,
                                             row->line->access))))
HD_GETTER(reason_kernel, reason, hd_text(row->line->info->kernel->name))
HD_GETTER(reason_line, reason, hd_whole(row->line->access->line))
static const hd_member reason_members[] = {{"access", .get = reason_name},
                                           {"kernel", .get = reason_kernel},
                                           {"line", .get = reason_line},
                                           {"why", HD_AT(reason, why)},
                                           {0}};

/* A layout that was ranked: as its compiled kernels were counted, or else by evidence, where there is
 * any. */
typedef struct ranked {
    const hd_layout *layout;
    double ratio;
} ranked;

static const hd_member ranked_members[] = {
    {"layout", HD_BEHIND(ranked, layout), .of = hd_layout_members},
    {"ratio", HD_AT(ranked, ratio)},
    {0}};

static ranked ranked_at(const verdict *v, uint32_t i) {
    const hd_recount *r = &v->subject->advice->recount;
    const hd_judgement *judged = v->of->judged;
    if (r->tried && !r->why)
        return i < r->count && r->layouts[i].counted
                   ? (ranked){r->layouts[i].layout, r->layouts[i].ratio}
                   : (ranked){0};
    if (judged)
        return i < judged->count ? (ranked){judged->layouts[i].layout, judged->layouts[i].ratio}
                                 : (ranked){0};
    const hd_search_result *search = &v->of->search;
    return i < search->ranked_count ? (ranked){search->ranked[i].layout, search->ranked[i].ratio}
                                    : (ranked){0};
}

static hd_value layouts_of(const hd_view *view, const void *at) {
    ranked *rows = hd_new_array(view->arena, ranked, MOST_LAYOUTS);
    uint32_t count = 0;
    while (count < MOST_LAYOUTS && (rows[count] = ranked_at(at, count)).layout)
        count++;
    return hd_rows(rows, count);
}

/* A kernel file alone says nothing of contents, and the advice may rest on random ones. */
HD_GETTER(note_of, verdict,
          hd_text(row->subject->advice->job->path
                      ? NULL
                      : "what moves is counted of a run in which all buffers held zeros"))
HD_GETTER(leave_of, verdict, hd_bool(!row->after))

static const hd_member verdict_members[] = {
    {"text", HD_VIA(verdict, subject, HD_AT, verdict)},
    {"basis", HD_VIA(verdict, subject, HD_AT, basis)},
    {"note", .get = note_of},
    {"leave", .get = leave_of},
    {"ratio", HD_VIA(verdict, of, HD_AT, ratio)},
    {"original", HD_BEHIND(verdict, original), .of = hd_layout_members},
    {"layout", HD_BEHIND(verdict, best), .of = hd_layout_members},
    {"command", HD_VIA(verdict, subject, HD_AT, command)},
    {"before", HD_IN(verdict, before), .of = moved_members},
    {"after", HD_BEHIND(verdict, after), .of = moved_members},
    HD_SAME(verdict, sampled, error),
    {"reasons", HD_AT(verdict, reasons), .of = reason_members},
    {"layouts", .get = layouts_of, .of = ranked_members},
    {0}};

/* Whether simulations tell what moves, also where only a sample of scattered accesses was kept. */
static bool is_simulated(const hd_page_caches *caches, const moved *after) {
    return caches->original && (!after || caches->layout);
}

/* ---- both ----------------------------------------------------------------------------------------- */

hd_status hd_page_advice(hd_arena *arena, const hd_diag *diag, const hd_page_subject *subject,
                         const hd_page_options *o, const hd_measured *measured,
                         const hd_page_caches *caches, json_t *run) {
    const hd_record *record = subject->advice->job->record;
    const hd_device *device = measured->device;
    const hd_cost_options options = {.measured = measured};
    hd_cost_model *model;
    hd_status status =
        hd_cost_model_make(arena, diag, subject->advice->job, device, &options, &model);
    if (status != HD_OK)
        return status;
    verdict v = {.subject = subject,
                 .of = &subject->advice->devices[0],
                 .original = hd_layout_original(arena, record),
                 .best = subject->advice->best,
                 .sampled = measured->sampled,
                 .error = measured->error};
    const lines before = price(arena, model, v.original);
    lines after = {0};
    v.before = sum_of(before, device->segment);
    hd_vec(reason) reasons = {0};
    for (size_t i = 0; i < before.count && reasons.count < MOST_REASONS; i++) {
        hd_cost_line line = before.data[i];
        if (caches->original)
            hd_caches_serve(caches->original, &line, 1);
        if (moved_by(&line) > 0)
            hd_push(arena, &reasons,
                    (reason){&before.data[i], hd_cost_explain(arena, device, &line)});
    }
    v.reasons = hd_rows(reasons.data, reasons.count);
    if (!subject->advice->leave) {
        after = price(arena, model, v.best);
        v.after = hd_new(arena, moved);
        *v.after = sum_of(after, device->segment);
    }
    page_record shown = {
        record, record->place,
        collect_uses(arena, record, device->segment, before, v.after ? &after : NULL),
        collect_pairs(arena, record, before)};
    if (o->shown)
        shown.place.file = o->shown(o->user, record->place.file);
    if (is_simulated(caches, v.after)) {
        v.sampled = false;
        v.error = 0;
        v.before.transactions = (double)caches->original->total.counts.transactions;
        take_counted(record, caches->original, shown.uses, false);
    }
    if (is_simulated(caches, v.after) && v.after) {
        v.after->transactions = (double)caches->layout->total.counts.transactions;
        take_counted(record, caches->layout, shown.uses, true);
    }
    const hd_view view = {arena, record};
    json_object_set_new(run, "verdict", hd_json_row(&view, verdict_members, &v));
    json_object_set_new(run, "record", hd_json_row(&view, record_members, &shown));
    return HD_OK;
}
