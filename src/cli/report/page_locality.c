/* Launches, accesses, stack distances and addresses over time for the report page. */
#include <math.h>

#include "analysis/picture.h"
#include "analysis/stack.h"
#include "cli/report/annotated.h"
#include "cli/report/report_result.h"
#include "cli/report/members.h"
#include "cli/report/page.h"

enum { COLUMNS = 512, ROWS = 256, SIZES_PER_OCTAVE = 16 };

/* ---- sums ---------------------------------------------------------------------------------- */

typedef struct sums {
    uint64_t launches, blocks, mis, lane_accesses;
    hd_launch_counts counted;
} sums;

static void add_launch(sums *sum, const hd_trace_launch *launch, const hd_tally *counters) {
    sum->launches++;
    sum->blocks += launch->block_count;
    sum->mis += launch->mis;
    sum->lane_accesses += launch->lane_accesses;
    hd_counters_add(counters, launch->launch.number, &sum->counted);
}

static const hd_member sums_members[] = {HD_SAME(sums, launches, blocks, mis, lane_accesses),
                                         {HD_IN(sums, counted), .of = hd_launch_count_members},
                                         {0}};

/* ---- launches ------------------------------------------------------------------------------ */

/* Launches that follow each other with the same kernel and sizes. */
typedef struct launch_row {
    const hd_event_launch *first;
    sums sum;
} launch_row;

static const hd_member row_members[] = {
    {"first", HD_VIA(launch_row, first, HD_AT, number)},
    {"kernel", HD_VIA(launch_row, first, HD_AT, kernel)},
    {"groups", HD_VIA(launch_row, first, HD_NUMBERS, groups, dims)},
    {"local", HD_VIA(launch_row, first, HD_NUMBERS, local, dims)},
    {"count", HD_AT(launch_row, sum.launches)},
    {HD_IN(launch_row, sum), .of = sums_members},
    {0}};

/* ---- accesses ------------------------------------------------------------------------------- */

/* A static access, in all launches of its kernel. */
typedef struct access_row {
    const hd_access_row *counted;
    const char *source; /* the text of its line, or NULL */
} access_row;

static hd_value collect_accesses(hd_arena *arena, const hd_access_table *table) {
    hd_source_files files = {0};
    access_row *rows = hd_new_array(arena, access_row, table->count);
    for (size_t i = 0; i < table->count; i++) {
        const hd_access_row *row = &table->data[i];
        const char *text = row->file ? hd_source_text(arena, &files, row->file) : NULL;
        rows[i] = (access_row){row, text ? hd_line_of(arena, text, row->line) : NULL};
        if (rows[i].source)
            rows[i].source += strspn(rows[i].source, " \t");
    }
    return hd_rows(rows, table->count);
}

HD_GETTER(kind_of, hd_access_row, hd_text(hd_access_kind_name(row->kind)))
HD_GETTER(space_of, hd_access_row, hd_text(kir_space_name(row->space)))
/* "load bodies.x" */
HD_GETTER(access_name, hd_access_row,
          hd_text(hd_format(view->arena, "%s %s", hd_access_kind_name(row->kind),
                            hd_access_row_target(view->arena, row))))

static const hd_member counted_members[] = {
    HD_SAME(hd_access_row, kernel, width, buffer, file, line, column),
    {"kind", .get = kind_of},
    {"space", .get = space_of},
    {"name", .get = access_name},
    {"mis", HD_AT(hd_access_row, counts.moved.mis)},
    {"lane_accesses", HD_AT(hd_access_row, counts.moved.lane_accesses)},
    {HD_IN(hd_access_row, counts), .of = hd_launch_count_members},
    {0}};
static const hd_member access_members[] = {{HD_BEHIND(access_row, counted), .of = counted_members},
                                           {"source", HD_AT(access_row, source)},
                                           {0}};

/* ---- source: annotated, with the whole text of its files ------------------------------------- */

static const hd_member source_members[] = {
    {"text", HD_AT(hd_annotated_file, text)}, {HD_SELF, .of = hd_annotated_file_members}, {0}};

/* ---- stack distances ------------------------------------------------------------------------ */

static hd_stack_options stack_options(const hd_page_options *o, hd_stack_scope scope) {
    const hd_cache *cache = hd_stack_cache(o->device, scope);
    return (hd_stack_options){.line = cache ? cache->line : o->device->segment,
                              .warp = o->device->warp,
                              .scope = scope,
                              .clusters = scope == HD_STACK_CLUSTER ? o->clusters : 0,
                              .spaces = o->reuse.spaces,
                              .memory = o->reuse.memory / 2}; /* of two */
}

/* What a page says of a stack. */
typedef struct stack_row {
    const char *per;
    hd_stack_options options;
    const hd_cache *cache; /* or NULL */
    const hd_stack_result *result;
    uint64_t *lines, *misses; /* [count]: some sizes to an octave, and the footprint */
    size_t count;
} stack_row;

static stack_row stack_row_of(hd_arena *arena, const hd_page_options *o, hd_stack_scope scope,
                              hd_stack *stack) {
    stack_row row = {.per = scope == HD_STACK_CLUSTER ? "cluster" : "device",
                     .options = stack_options(o, scope),
                     .cache = hd_stack_cache(o->device, scope),
                     .result = hd_stack_result_of(stack)};
    uint64_t most = row.result->footprint, before = 0;
    hd_vec(uint64_t) sizes = {0};
    for (int i = 0; before < most; i++) {
        uint64_t lines = (uint64_t)llround(exp2((double)i / SIZES_PER_OCTAVE));
        lines = lines < most ? lines : most;
        if (lines != before)
            hd_push(arena, &sizes, lines);
        before = lines;
    }
    row.lines = sizes.data;
    row.count = sizes.count;
    row.misses = hd_new_array(arena, uint64_t, row.count);
    for (size_t i = 0; i < row.count; i++)
        row.misses[i] = hd_stack_misses(row.result, row.lines[i]);
    return row;
}

static uint64_t lines_of(const stack_row *row) { return row->cache->size / row->cache->line; }

HD_GETTER(cache_name, stack_row, hd_text(row->options.scope == HD_STACK_DEVICE ? "L2" : "L1"))
HD_GETTER(cache_lines, stack_row, hd_whole(lines_of(row)))
HD_GETTER(cache_misses, stack_row, hd_whole(hd_stack_misses(row->result, lines_of(row))))

static const hd_member cache_members[] = {{"name", .get = cache_name},
                                          {"bytes", HD_VIA(stack_row, cache, HD_AT, size)},
                                          {"lines", .get = cache_lines},
                                          {"misses", .get = cache_misses},
                                          {0}};
static const hd_member stack_members[] = {
    {"per", HD_AT(stack_row, per)},
    {"clusters", HD_AT(stack_row, options.clusters), HD_IF(stack_row, options.clusters)},
    {"line", HD_AT(stack_row, options.line)},
    {"stacks", HD_VIA(stack_row, result, HD_AT, stacks)},
    {"accesses", HD_VIA(stack_row, result, HD_AT, line_accesses)},
    {"cold", HD_VIA(stack_row, result, HD_AT, cold)},
    {"footprint", HD_VIA(stack_row, result, HD_AT, footprint)},
    {"lines", HD_NUMBERS(stack_row, lines, count)},
    {"misses", HD_NUMBERS(stack_row, misses, count)},
    {"cache", HD_SELF, HD_IF(stack_row, cache), .of = cache_members},
    {0}};

/* ---- buffers: what of a picture is not 0 ----------------------------------------------------- */

/* Of each count that is not 0: its column, its row, or itself. */
typedef enum part { COLUMN, ROW, COUNT } part;

static hd_value counts_of(const hd_picture *p, part which) {
    json_t *list = json_array();
    for (uint32_t c = 0; c < p->columns; c++)
        for (uint32_t r = 0; r < p->rows; r++) {
            uint64_t count = p->counts[(uint64_t)r * p->columns + c];
            if (count)
                json_array_append_new(list, hd_json_integer(which == COLUMN ? c
                                                            : which == ROW  ? r
                                                                            : count));
        }
    return hd_document(list);
}

HD_GETTER(picture_space, hd_picture, hd_text(kir_space_name(row->space)))
HD_GETTER(picture_columns, hd_picture, counts_of(row, COLUMN))
HD_GETTER(picture_rows, hd_picture, counts_of(row, ROW))
HD_GETTER(picture_counts, hd_picture, counts_of(row, COUNT))

static const hd_member buffer_members[] = {
    {"name", HD_AT(hd_picture, name)},
    {"space", .get = picture_space},
    HD_SAME(hd_picture, base, bytes, lane_accesses, columns, rows, mis_per_column, bytes_per_row),
    {"column", .get = picture_columns},
    {"row", .get = picture_rows},
    {"count", .get = picture_counts},
    {0}};

/* ---- the whole ------------------------------------------------------------------------------ */

typedef struct locality {
    sums totals;
    hd_value launches, accesses, buffers, stacks;
    const hd_annotated *source;
} locality;

/* What analyses count, for whoever shows it. */
typedef struct counted_row {
    const char *key, *title;
    bool beside; /* the source, with what it moved */
} counted_row;

static hd_value counted_of(const hd_view *view, const void *at) {
    const hd_launch_counts *totals = &((const locality *)at)->totals.counted;
    hd_vec(counted_row) list = {0};
    for (uint32_t i = 0; i < HD_ANALYSIS_COUNT; i++)
        for (const hd_member *m = hd_analyses[i]->members; m->key || m->title; m++) {
            uint32_t seen = hd_analysis_column_of(hd_analyses[i], m).seen;
            if (m->key && m->title && hd_analysis_counted(i, totals))
                hd_push(view->arena, &list,
                        (counted_row){m->key, m->title, i > 0 && seen & HD_IN_PROGRAM});
        }
    return hd_rows(list.data, list.count);
}
HD_GETTER(source_of, locality,
          hd_with(hd_rows(row->source->files.data, row->source->files.count), row->source))

static const hd_member counted_columns[] = {HD_SAME(counted_row, key, title, beside), {0}};
static const hd_member locality_members[] = {
    {"totals", HD_IN(locality, totals), .of = sums_members},
    {"launches", HD_AT(locality, launches), .of = row_members},
    {"counted", .get = counted_of, .of = counted_columns},
    {"accesses", HD_AT(locality, accesses), .of = access_members},
    {"files", .get = source_of, .of = source_members},
    {"stacks", HD_AT(locality, stacks), .of = stack_members},
    {"buffers", HD_AT(locality, buffers), .of = buffer_members},
    {0}};

/* ---- all of them, in one reading ------------------------------------------------------------ */

hd_status hd_page_locality(hd_arena *arena, const hd_diag *diag, hd_trace *trace,
                           const hd_page_options *o, const hd_caches *caches,
                           const hd_sink *besides, json_t *run) {
    static const hd_stack_scope scopes[] = {HD_STACK_DEVICE, HD_STACK_CLUSTER};
    const hd_trace_contents *contents = hd_trace_get(trace);
    /* Counts stand for each access of each launch, and launches may share a large table. */
    uint64_t bytes = 0, most = o->reuse.memory ? o->reuse.memory : (uint64_t)1 << 30;
    for (uint32_t l = 0; l < contents->launch_count; l++)
        bytes += contents->launches[l].launch.access_count * sizeof(hd_launch_counts);
    if (bytes > most)
        return hd_fail(diag, HD_EUNSUPPORTED, NULL,
                       "the accesses of %u launches take %llu MiB, and %llu MiB are allowed: allow "
                       "more with --memory, or trace fewer launches",
                       contents->launch_count, (unsigned long long)(bytes >> 20) + 1,
                       (unsigned long long)(most >> 20));
    hd_tally *counters = hd_counters_new(arena, o->device);
    hd_picture_set *pictures = hd_picture_new(arena, hd_trace_sum(contents).mis, COLUMNS, ROWS);
    hd_stack *stacks[2];
    uint32_t sink_count = 0, stack_count = o->all ? 2 : 0;
    hd_sink sinks[5];
    sinks[sink_count++] = hd_tally_sink(counters);
    sinks[sink_count++] = hd_picture_sink(pictures);
    if (besides)
        sinks[sink_count++] = *besides;
    for (uint32_t s = 0; s < stack_count; s++) {
        const hd_stack_options options = stack_options(o, scopes[s]);
        stacks[s] = hd_stack_new(arena, diag, &options);
        sinks[sink_count++] = hd_stack_sink(stacks[s]);
    }
    const hd_sink all = hd_sink_tee(arena, sinks, sink_count);
    if (o->progress)
        o->progress(o->user, "launches and accesses");
    const hd_trace_watch watch = {.progress = o->reuse.progress, .user = o->reuse.user};
    const hd_trace_choice choice = {-1, 0, UINT64_MAX, 0, &watch};
    hd_status status = hd_trace_replay(trace, diag, &choice, &all);
    if (status == HD_OK) {
        hd_access_table table = {.arena = arena};
        stack_row *rows = hd_new_array(arena, stack_row, stack_count);
        for (uint32_t s = 0; s < stack_count; s++)
            rows[s] = stack_row_of(arena, o, scopes[s], stacks[s]);
        for (uint32_t l = 0; l < contents->launch_count; l++)
            hd_access_table_add(&table, &contents->launches[l].launch, counters,
                                caches ? caches->launches[l].accesses : NULL);
        size_t count, touched = 0; /* buffers that something was accessed of */
        const hd_picture *every = hd_pictures_of(pictures, &count);
        const hd_picture **buffers = hd_new_array(arena, const hd_picture *, count);
        for (size_t i = 0; i < count; i++)
            if (every[i].lane_accesses)
                buffers[touched++] = &every[i];
        hd_annotated *source = hd_annotate(arena, o->device, &table, caches != NULL);
        locality result = {.accesses = collect_accesses(arena, &table),
                           .buffers = hd_pointed_rows(buffers, touched),
                           .stacks = hd_rows(rows, stack_count),
                           .source = source};
        for (size_t f = 0; o->shown && f < source->files.count; f++)
            source->files.data[f].path = o->shown(o->user, source->files.data[f].path);
        for (size_t i = 0; o->shown && i < table.count; i++)
            table.data[i].file = o->shown(o->user, table.data[i].file);
        hd_vec(launch_row) launches = {0};
        for (uint32_t l = 0; l < contents->launch_count; l++) {
            const hd_trace_launch *launch = &contents->launches[l];
            if (!launches.count ||
                !hd_event_same_launch(launches.data[launches.count - 1].first, &launch->launch))
                hd_push(arena, &launches, (launch_row){.first = &launch->launch});
            add_launch(&launches.data[launches.count - 1].sum, launch, counters);
            add_launch(&result.totals, launch, counters);
        }
        result.launches = hd_rows(launches.data, launches.count);
        hd_json_add_row(run, &(hd_view){arena}, locality_members, &result);
    }
    for (uint32_t s = 0; s < stack_count; s++)
        hd_stack_free(stacks[s]);
    hd_tally_free(counters);
    return status;
}
