/* Placements that are advised without a device, as text and as JSON (advise/placements.h). */
#include "cli/show_advice.h"

#include "advise/timing.h"

/* ---- rows ------------------------------------------------------------------------------ */

/* What placements are compared by, in the columns of a row; 0: not priced. */
typedef struct by_placement {
    double in[HD_PLACEMENTS], best;
} by_placement;

/* A run with all buffers, or one, in a placement. */
typedef struct placed_run {
    const char *placement;
    const hd_whole_run *run;
} placed_run;

typedef struct layout_row {
    by_placement values;
    const hd_layout *layout;
} layout_row;

typedef struct buffer_row {
    by_placement values; /* of the whole run with the buffer there */
    const char *name, *lives, *chosen, *used_by;
    uint64_t bytes;
    double moved; /* by kernels, past L1 */
    const char **kernels;
    uint32_t kernel_count;
    bool copied_in, copied_back; /* where it is in device memory */
    placed_run *runs;
    uint32_t run_count;
} buffer_row;

/* `of`: [HD_PLACEMENTS] */
static placed_run *runs_in(hd_arena *arena, const hd_placements_advice *p, const hd_whole_run *of) {
    placed_run *runs = hd_new_array(arena, placed_run, p->priced_count);
    for (uint32_t k = 0; k < p->priced_count; k++)
        runs[k] = (placed_run){hd_placement_name(p->priced[k]), &of[p->priced[k]]};
    return runs;
}

static by_placement values_of(const hd_whole_run *all, const hd_whole_run *best,
                              hd_objective objective) {
    by_placement values = {.best = hd_whole_run_value(best, objective)};
    for (int k = 0; k < HD_PLACEMENTS; k++)
        values.in[k] = hd_whole_run_value(&all[k], objective);
    return values;
}

static void find_kernels(hd_arena *arena, const hd_placements_advice *p, uint32_t b,
                         buffer_row *row) {
    const hd_run_counts *counts = &p->layouts[p->best].counts;
    hd_str text = {.arena = arena};
    row->kernels = hd_new_array(arena, const char *, counts->work_count);
    for (uint32_t l = 0; l < counts->work_count; l++) {
        const hd_buffer_traffic *t = &counts->traffic[l * counts->buffer_count + b];
        const char *name = p->job->launches[l].kernel_name;
        bool is_known = !(t->read + t->written > 0);
        row->moved += t->read + t->written;
        for (uint32_t k = 0; k < row->kernel_count && !is_known; k++)
            is_known = !strcmp(row->kernels[k], name);
        if (is_known)
            continue;
        row->kernels[row->kernel_count++] = name;
        hd_str_printf(&text, "%s%s", text.length ? ", " : "", name);
    }
    row->used_by = row->kernel_count ? hd_str_text(&text) : "no kernel";
}

static buffer_row *buffer_rows(hd_arena *arena, const hd_placements_advice *p) {
    const hd_layout_placing *best = &p->layouts[p->best];
    buffer_row *rows = hd_new_array(arena, buffer_row, p->job->buffer_count);
    for (uint32_t b = 0; b < p->job->buffer_count; b++) {
        const hd_buffer *buffer = &p->job->buffers[b];
        const hd_whole_run *elsewhere = &best->elsewhere[b * HD_PLACEMENTS];
        const hd_placement chosen = p->leave ? buffer->placement : best->chosen[b];
        rows[b] = (buffer_row){.values = values_of(elsewhere, &best->run, p->objective),
                               .name = buffer->name,
                               .lives = hd_placement_name(buffer->placement),
                               .chosen = hd_placement_name(chosen),
                               .bytes = best->counts.bytes[b],
                               .copied_in = p->read[b],
                               .copied_back = p->written[b],
                               .runs = runs_in(arena, p, elsewhere),
                               .run_count = p->priced_count};
        find_kernels(arena, p, b, &rows[b]);
    }
    return rows;
}

/* ---- the verdict ----------------------------------------------------------------------------- */

static hd_unit unit_of(hd_objective objective) {
    return objective == HD_QUANTITY_TIME     ? HD_SECONDS
           : objective == HD_QUANTITY_ENERGY ? HD_JOULES
                                             : HD_DIGITS;
}

/* "objects and indices in pinned host memory, out in device memory". */
static const char *moves_print(hd_arena *arena, const hd_placements_advice *p) {
    hd_str text = {.arena = arena};
    for (int k = 0; k < HD_PLACEMENTS; k++) {
        hd_vec(const char *) names = {0};
        for (uint32_t b = 0; b < p->job->buffer_count; b++)
            if (p->layouts[p->best].chosen[b] == (hd_placement)k &&
                p->job->buffers[b].placement != (hd_placement)k)
                hd_push(arena, &names, p->job->buffers[b].name);
        if (!names.count)
            continue;
        hd_str_add(&text, text.length ? ", " : "");
        for (size_t n = 0; n < names.count; n++)
            hd_str_printf(&text, "%s%s",
                          !n                    ? ""
                          : n + 1 < names.count ? ", "
                                                : " and ",
                          names.data[n]);
        hd_str_printf(&text, " %s", hd_placement_phrase((hd_placement)k));
    }
    return hd_str_text(&text);
}

static const char *value_print(hd_arena *arena, const hd_placements_advice *p,
                               const hd_whole_run *run) {
    return hd_show_value(arena, unit_of(p->objective),
                         hd_real(hd_whole_run_value(run, p->objective)));
}

/* Without its full stop. */
static const char *verdict_of(hd_arena *arena, const hd_placements_advice *p) {
    const hd_record *record = p->job->record;
    const hd_layout_placing *best = &p->layouts[p->best], *before = &p->layouts[p->before];
    const char *layout = hd_layout_print(arena, record, best->layout);
    const char *takes = value_print(arena, p, &best->run);
    const char *took = value_print(arena, p, &before->as_is);
    if (p->leave)
        return hd_format(arena,
                         "leave the buffers where they are: as far as can be told no placement "
                         "gains (in %s a whole run takes %s, and at best %s)",
                         layout, took, takes);
    const char *of =
        p->best == p->before
            ? ""
            : hd_format(arena, " (in %s)", hd_layout_print(arena, record, before->layout));
    const char *gain = p->objective == HD_QUANTITY_TIME
                           ? hd_gain_print(arena, p->gain)
                           : hd_format(arena, "%.2g to %.2g times less", p->gain.low, p->gain.high);
    return hd_format(arena, "put %s: in %s a whole run takes %s and not %s%s, %s",
                     moves_print(arena, p), layout, takes, took, of, gain);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

HD_GETTER(watts_of, hd_whole_run,
          row->joules > 0 ? hd_real(row->joules / row->time.seconds) : hd_null())
HD_GETTER(bound_of, hd_whole_run, hd_text(hd_time_bound_title(row->time.bound)))

static const hd_member run_members[] = {
    {"seconds", HD_AT(hd_whole_run, time.seconds)},
    HD_SAME(hd_whole_run, kernels, copies, link_bytes),
    {"joules", HD_AT(hd_whole_run, joules), HD_IF(hd_whole_run, joules)},
    {"watts", .get = watts_of},
    {"bound", .get = bound_of},
    {0}};
static const hd_member placed_members[] = {{"placement", HD_AT(placed_run, placement)},
                                           {HD_BEHIND(placed_run, run), .of = run_members},
                                           {0}};
static const hd_member buffer_members[] = {
    {"buffer", HD_AT(buffer_row, name)},
    HD_SAME(buffer_row, bytes, moved),
    {"kernels", HD_NUMBERS(buffer_row, kernels, kernel_count)},
    HD_SAME(buffer_row, copied_in, copied_back),
    {"placement", HD_AT(buffer_row, lives)},
    {"chosen", HD_AT(buffer_row, chosen)},
    {"runs", HD_MANY(buffer_row, runs, run_count), .of = placed_members},
    {0}};

/* `parent` is the advice. */
HD_GETTER(all_of, hd_layout_placing,
          hd_rows(runs_in(view->arena, view->parent, row->all),
                  ((const hd_placements_advice *)view->parent)->priced_count))
static const hd_member placing_members[] = {
    {"layout", HD_BEHIND(hd_layout_placing, layout), .of = hd_layout_members},
    {"as_is", HD_IN(hd_layout_placing, as_is), .of = run_members},
    {"all", .get = all_of, .of = placed_members},
    {"chosen", HD_IN(hd_layout_placing, run), .of = run_members},
    {0}};

typedef struct unpriced_row {
    const char *placement, *why;
} unpriced_row;
static const hd_member unpriced_members[] = {HD_SAME(unpriced_row, placement, why), {0}};

static hd_value unpriced_of(const hd_view *view, const void *at) {
    const hd_placements_advice *p = at;
    unpriced_row *rows = hd_new_array(view->arena, unpriced_row, HD_PLACEMENTS);
    size_t count = 0;
    for (int k = 0; k < HD_PLACEMENTS; k++) {
        const char *why = hd_placement_unpriced(p->device, (hd_placement)k);
        if (why)
            rows[count++] = (unpriced_row){hd_placement_name((hd_placement)k), why};
    }
    return hd_rows(rows, count);
}

HD_GETTER(verdict_text, hd_placements_advice, hd_text(verdict_of(view->arena, row)))
HD_GETTER(objective_of, hd_placements_advice, hd_text(hd_quantities[row->objective].name))
HD_GETTER(layout_of, hd_placements_advice, hd_row(row->layouts[row->best].layout))
HD_GETTER(before_of, hd_placements_advice, hd_row(row->layouts[row->before].layout))
HD_GETTER(buffers_of, hd_placements_advice,
          hd_rows(buffer_rows(view->arena, row), row->job->buffer_count))

static const hd_member gain_members[] = {HD_SAME(hd_time_gain, times, low, high), {0}};
const hd_member cli_placements_members[] = {
    {"verdict", .get = verdict_text},
    {"leave", HD_AT(hd_placements_advice, leave)},
    {"objective", .get = objective_of},
    {"layout", .get = layout_of, .of = hd_layout_members},
    {"before", .get = before_of, .of = hd_layout_members},
    {"gain", HD_IN(hd_placements_advice, gain), .of = gain_members},
    {"layouts", HD_MANY(hd_placements_advice, layouts, count), .of = placing_members},
    {"buffers", .get = buffers_of, .of = buffer_members},
    {"unpriced", .get = unpriced_of, .of = unpriced_members},
    {0}};

/* ---- text ------------------------------------------------------------------------------------ */

/* A column for each placement, of rows that begin with a by_placement. */
static const hd_member *columns_of(hd_arena *arena, const hd_placements_advice *p,
                                   hd_objective objective, const hd_member *before,
                                   const hd_member *after) {
    hd_member *columns = hd_new_array(arena, hd_member, HD_PLACEMENTS + 3);
    uint32_t count = 0;
    columns[count++] = (hd_member){HD_SELF, .of = before};
    for (uint32_t k = 0; k < p->priced_count; k++)
        columns[count++] = (hd_member){
            NULL, hd_placement_name(p->priced[k]), unit_of(objective),
            .offset = (uint32_t)(offsetof(by_placement, in) + p->priced[k] * sizeof(double)),
            .kind = HD_REAL};
    columns[count] = (hd_member){HD_SELF, .of = after};
    return columns;
}

static void show_layouts(cli *c, const hd_placements_advice *p, hd_objective objective,
                         hd_str *out) {
    static const hd_member before[] = {
        {NULL, "layout", HD_PLAIN, HD_BEHIND(layout_row, layout), .of = hd_layout_members}, {0}};
    const hd_member after[] = {
        {NULL, "each at its best", unit_of(objective), HD_AT(layout_row, values.best)}, {0}};
    layout_row *rows = hd_new_array(c->arena, layout_row, p->count);
    for (uint32_t i = 0; i < p->count; i++) {
        const hd_layout_placing *of = &p->layouts[i];
        rows[i] = (layout_row){values_of(of->all, &of->run, objective), of->layout};
    }
    const char *title = hd_format(c->arena, "\n%s of a whole run, by where all buffers are",
                                  objective == HD_QUANTITY_TIME     ? "Time"
                                  : objective == HD_QUANTITY_ENERGY ? "Energy"
                                                                    : "Energy times time");
    cli_show_rows(c, title, columns_of(c->arena, p, objective, before, after),
                  hd_with(hd_rows(rows, p->count), p->job->record), out);
}

HD_GETTER(moved_of, buffer_row, row->bytes ? hd_real(row->moved / (double)row->bytes) : hd_null())

static void show_buffers(cli *c, const hd_placements_advice *p, hd_str *out) {
    static const hd_member before[] = {{NULL, "buffer", HD_AT(buffer_row, name)},
                                       {NULL, "bytes", HD_BYTES, HD_AT(buffer_row, bytes)},
                                       {NULL, "used by", HD_AT(buffer_row, used_by)},
                                       {NULL, "moved", HD_RATIO, .get = moved_of},
                                       {0}};
    static const hd_member after[] = {{NULL, "best", HD_AT(buffer_row, chosen)}, {0}};
    const char *title =
        hd_format(c->arena, "\nThe same in %s, by where that buffer is",
                  hd_layout_print(c->arena, p->job->record, p->layouts[p->best].layout));
    cli_show_rows(c, title, columns_of(c->arena, p, p->objective, before, after),
                  hd_rows(buffer_rows(c->arena, p), p->job->buffer_count), out);
}

/* How a program gets memory of the placements that are advised. */
static void show_calls(const hd_placements_advice *p, hd_str *out) {
    for (int k = 0; k < HD_PLACEMENTS; k++) {
        bool is_new = false;
        for (uint32_t b = 0; b < p->job->buffer_count && !p->leave; b++)
            is_new |= p->layouts[p->best].chosen[b] == (hd_placement)k &&
                      p->job->buffers[b].placement != (hd_placement)k;
        const char *calls = is_new && p->job->module->device
                                ? hd_placement_calls((hd_placement)k, p->job->module->device)
                                : NULL;
        if (calls)
            hd_say(out, "  memory of the placement '%s': %s", hd_placement_name((hd_placement)k),
                   calls);
    }
}

void cli_show_placements(cli *c, const hd_placements_advice *p, hd_str *out) {
    hd_str unpriced = {.arena = c->arena};
    hd_str_printf(out, "\nPlacements on %s: %s.\n", p->device->name, verdict_of(c->arena, p));
    show_layouts(c, p, p->objective, out);
    if (p->objective == HD_QUANTITY_TIME && hd_device_has_energy(p->device))
        show_layouts(c, p, HD_QUANTITY_ENERGY, out);
    show_buffers(c, p, out);
    show_calls(p, out);
    for (int k = 0; k < HD_PLACEMENTS; k++)
        if (hd_placement_unpriced(p->device, (hd_placement)k))
            hd_str_printf(&unpriced, "%s%s", unpriced.length ? ", " : "",
                          hd_placement_name((hd_placement)k));
    hd_say(out,
           "  by the model of time, with copies before the first launch and after the last one; "
           "moved: by kernels, past L1, to its bytes%s%s",
           unpriced.length ? "; not priced here: " : "", hd_str_text(&unpriced));
}
