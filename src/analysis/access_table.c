/* Counts of static accesses (access_table.h). */
#include "analysis/access_table.h"

static bool same_text(const char *a, const char *b) { return a && b ? !strcmp(a, b) : a == b; }

static bool same_access(const hd_access_row *a, const hd_access_row *b) {
    return a->kind == b->kind && a->space == b->space && a->width == b->width &&
           a->line == b->line && a->column == b->column && a->pc == b->pc &&
           same_text(a->record, b->record) && same_text(a->field, b->field) &&
           same_text(a->file, b->file) && same_text(a->buffer, b->buffer) &&
           !strcmp(a->kernel, b->kernel);
}

/* Its texts are the launch's. */
static hd_access_row row_of(const hd_event_launch *launch, const hd_event_access *a) {
    return (hd_access_row){.kernel = launch->kernel,
                           .kind = a->kind,
                           .space = a->space,
                           .width = a->width,
                           .file = a->line && a->file < launch->file_count ? launch->files[a->file]
                                                                           : NULL,
                           .line = a->line,
                           .column = a->column,
                           .pc = a->pc,
                           .buffer = a->buffer >= 0 ? launch->buffers[a->buffer].name : NULL,
                           .record = a->record,
                           .field = a->field};
}

static const char *kept(hd_arena *arena, const char *text) {
    return text ? hd_strdup(arena, text) : NULL;
}

/* Launches of a kernel mostly have one table, so that rows follow each other as they did. */
static size_t find_row(hd_access_table *table, const hd_access_row *wanted) {
    for (size_t tried = 0; tried < table->count; tried++) {
        size_t at = (table->next + tried) % table->count;
        if (same_access(&table->data[at], wanted))
            return at;
    }
    hd_access_row own = *wanted;
    own.kernel = kept(table->arena, own.kernel);
    own.file = kept(table->arena, own.file);
    own.buffer = kept(table->arena, own.buffer);
    own.record = kept(table->arena, own.record);
    own.field = kept(table->arena, own.field);
    hd_push(table->arena, table, own);
    return table->count - 1;
}

void hd_access_table_add(hd_access_table *table, const hd_event_launch *launch,
                         const hd_tally *counters, const hd_cache_sum *cached) {
    for (uint32_t a = 0; a < launch->access_count; a++) {
        const hd_access_row wanted = row_of(launch, &launch->accesses[a]);
        hd_launch_counts more = {0};
        hd_counters_add_access(counters, launch->number, a, &more);
        if (wanted.space == KIR_PRIVATE && !more.moved.mis)
            continue; /* mostly nobody announces these */
        size_t at = find_row(table, &wanted);
        table->next = at + 1;
        hd_launch_counts_add(&table->data[at].counts, &more);
        if (cached)
            hd_cache_sum_add(&table->data[at].cached, &cached[a]);
    }
}

hd_launch_counts hd_access_row_moved(const hd_access_row *row) {
    hd_launch_counts moved = row->counts;
    if (row->space == KIR_CONSTANT || row->space == KIR_PRIVATE)
        moved.moved = (hd_coalesce_counts){0};
    else
        moved.moved.requests = moved.moved.moving;
    return moved;
}

const char *hd_access_row_target(hd_arena *arena, const hd_access_row *row) {
    if (!row->buffer && !row->field)
        return row->pc ? hd_format(arena, "%#llx", (unsigned long long)row->pc) : "?";
    return hd_format(arena, "%s%s%s", row->buffer ? row->buffer : "?", row->field ? "." : "",
                     row->field ? row->field : "");
}

/* ---- what a reader sees of them ------------------------------------------------------------ */

HD_GETTER(kind_of, hd_access_row, hd_text(hd_access_kind_name(row->kind)))
HD_GETTER(space_of, hd_access_row, hd_text(kir_space_name(row->space)))
HD_GETTER(target_of, hd_access_row, hd_text(hd_access_row_target(view->arena, row)))
HD_GETTER(same_row, hd_access_row, hd_row(row))

static hd_value moved_of(const hd_view *view, const void *at) {
    hd_launch_counts *moved = hd_new(view->arena, hd_launch_counts);
    *moved = hd_access_row_moved(at);
    return hd_row(moved);
}
static hd_value line_of(const hd_view *view, const void *at) {
    const hd_access_row *row = at, *first = view->context;
    if (!row->line || !row->file || !first || !first->file || !strcmp(row->file, first->file))
        return hd_text(row->line ? hd_format(view->arena, "%u", row->line) : "");
    return hd_text(hd_format(view->arena, "%s:%u", hd_path_name(row->file), row->line));
}

static const hd_member place_members[] = {HD_SAME(hd_access_row, file, line, column), {0}};
static const hd_member access_members[] = {{"kernel", HD_AT(hd_access_row, kernel)},
                                           {"place", .get = same_row, .of = place_members},
                                           {NULL, "line", HD_PLAIN_WORD, .get = line_of},
                                           {"kind", "access", .get = kind_of},
                                           {NULL, "target", .get = target_of},
                                           {"space", .get = space_of},
                                           HD_SAME(hd_access_row, buffer, record, field, width),
                                           {0}};
const hd_member hd_access_row_members[] = {
    {HD_SELF, .of = access_members}, {.get = moved_of, .of = hd_launch_count_members}, {0}};

const hd_member *hd_access_row_columns(hd_arena *arena, const hd_launch_counts *sum) {
    hd_member *columns = hd_new_array(arena, hd_member, 3);
    columns[0] = (hd_member){HD_SELF, .of = access_members};
    columns[1] = (hd_member){.get = moved_of, .of = hd_launch_count_columns(arena, HD_IN_ALL, sum)};
    return columns;
}
