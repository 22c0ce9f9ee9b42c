/* Launches, accesses, stack distances and addresses over time for the report page. */
#include <math.h>
#include <sys/stat.h>

#include "frontend/frontend.h"
#include "locality/analysis.h"
#include "locality/picture.h"
#include "locality/stack.h"
#include "report/json.h"
#include "report/page_run.h"
#include "report/result.h"

enum { COLUMNS = 512, ROWS = 256, SIZES_PER_OCTAVE = 16, MOST_SOURCE = 16 << 20 };

static void set(json_t *object, const char *key, json_t *value) {
    json_object_set_new(object, key, value);
}

/* ---- sums ---------------------------------------------------------------------------------- */

typedef struct sums {
    uint64_t launches, blocks, mis, lane_accesses;
    hd_launch_counts counted;
} sums;

static void add_launch(sums *sum, const hd_trace_launch *launch, const hd_counters *counters) {
    sum->launches++;
    sum->blocks += launch->block_count;
    sum->mis += launch->mis;
    sum->lane_accesses += launch->lane_accesses;
    hd_counters_add(counters, launch->launch.number, &sum->counted);
}

static const hd_member sums_members[] = {{"launches", HD_AT(sums, launches)},
                                         {"blocks", HD_AT(sums, blocks)},
                                         {"mis", HD_AT(sums, mis)},
                                         {"lane_accesses", HD_AT(sums, lane_accesses)},
                                         {HD_IN(sums, counted), .of = hd_launch_count_members},
                                         {0}};

/* What analyses count, for whoever shows it: the keys and titles of these members. */
static json_t *counted_json(void) {
    json_t *list = json_array();
    for (const hd_member *group = hd_launch_count_members; group->of; group++)
        for (const hd_member *m = group->of; m->key || m->title; m++)
            if (m->key && m->title)
                json_array_append_new(list,
                                      json_pack("{s:s, s:s}", "key", m->key, "title", m->title));
    return list;
}

/* ---- launches ------------------------------------------------------------------------------ */

static bool same_sizes(const hd_event_launch *a, const hd_event_launch *b) {
    return a->dims == b->dims && !strcmp(a->kernel, b->kernel) &&
           !memcmp(a->groups, b->groups, sizeof a->groups) &&
           !memcmp(a->local, b->local, sizeof a->local);
}

/* Launches in a row of the same kernel and sizes. */
typedef struct launch_row {
    const hd_event_launch *first;
    sums sum;
} launch_row;

HD_GETTER(number_of, launch_row, hd_whole(row->first->number))

static const hd_member first_members[] = {{"kernel", HD_AT(hd_event_launch, kernel)},
                                          {"groups", HD_NUMBERS_IN(hd_event_launch, groups, dims)},
                                          {"local", HD_NUMBERS_IN(hd_event_launch, local, dims)},
                                          {0}};
static const hd_member row_members[] = {{"first", .get = number_of},
                                        {"count", HD_AT(launch_row, sum.launches)},
                                        {HD_BEHIND(launch_row, first), .of = first_members},
                                        {HD_IN(launch_row, sum), .of = sums_members},
                                        {0}};

static void add_launches(hd_arena *arena, const hd_trace_contents *contents,
                         const hd_counters *counters, json_t *run) {
    hd_vec(launch_row) rows = {0};
    sums total = {0};
    for (uint32_t l = 0; l < contents->launch_count; l++) {
        const hd_event_launch *launch = &contents->launches[l].launch;
        if (!rows.count || !same_sizes(rows.data[rows.count - 1].first, launch))
            hd_push(arena, &rows, (launch_row){launch});
        add_launch(&rows.data[rows.count - 1].sum, &contents->launches[l], counters);
        add_launch(&total, &contents->launches[l], counters);
    }
    const hd_view view = {.arena = arena};
    set(run, "totals", hd_json_row(&view, sums_members, &total));
    set(run, "launches", hd_json_rows(&view, row_members, hd_rows(rows.data, rows.count)));
    set(run, "counted", counted_json());
}

/* ---- accesses ------------------------------------------------------------------------------- */

/* A static access, in all launches of its kernel. */
typedef struct access_row {
    const hd_event_launch *launch; /* the first that had it */
    const hd_event_access *access;
    hd_coalesce_counts moved;
} access_row;

static const char *file_of(const access_row *row) {
    return row->access->file < row->launch->file_count ? row->launch->files[row->access->file]
                                                       : NULL;
}

static const char *buffer_of(const access_row *row) {
    return row->access->buffer >= 0 ? row->launch->buffers[row->access->buffer].name : NULL;
}

static bool same_text(const char *a, const char *b) { return a && b ? !strcmp(a, b) : a == b; }

static bool same_access(const access_row *x, const access_row *y) {
    const hd_event_access *a = x->access, *b = y->access;
    return a->kind == b->kind && a->space == b->space && a->width == b->width &&
           a->line == b->line && a->column == b->column && a->pc == b->pc &&
           same_text(a->record, b->record) && same_text(a->field, b->field) &&
           same_text(file_of(x), file_of(y)) && same_text(buffer_of(x), buffer_of(y)) &&
           !strcmp(x->launch->kernel, y->launch->kernel);
}

typedef hd_vec(access_row) access_rows;

/* Launches of a kernel mostly have one table, so that rows follow each other as they did. */
static access_row *find_row(hd_arena *arena, access_rows *rows, const access_row *wanted,
                            size_t *next) {
    for (size_t i = 0; i < rows->count; i++) {
        size_t at = (*next + i) % rows->count;
        if (same_access(&rows->data[at], wanted)) {
            *next = at + 1;
            return &rows->data[at];
        }
    }
    hd_push(arena, rows, *wanted);
    *next = rows->count;
    return &rows->data[rows->count - 1];
}

static access_rows collect_accesses(hd_arena *arena, const hd_trace_contents *contents,
                                    const hd_coalesce *counter) {
    access_rows rows = {0};
    size_t next = 0;
    for (uint32_t l = 0; l < contents->launch_count; l++) {
        const hd_event_launch *launch = &contents->launches[l].launch;
        for (uint32_t a = 0; a < launch->access_count; a++) {
            const access_row wanted = {.launch = launch, .access = &launch->accesses[a]};
            const hd_coalesce_counts *moved = hd_coalesce_of(counter, launch->number, a);
            hd_coalesce_add(&find_row(arena, &rows, &wanted, &next)->moved, moved);
        }
    }
    return rows;
}

/* "load bodies.x"; without names, what the tool that made the trace calls it. */
static const char *name_of(hd_arena *arena, const access_row *row) {
    const hd_event_access *a = row->access;
    const char *kind = hd_access_kind_name(a->kind), *buffer = buffer_of(row);
    if (!buffer && !a->field)
        return hd_format(arena, "%s %#llx", kind, (unsigned long long)a->pc);
    return hd_format(arena, "%s %s%s%s", kind, buffer ? buffer : "?", a->field ? "." : "",
                     a->field ? a->field : "");
}

/* Source files, each read once. */
typedef struct source_file {
    const char *path;
    const char *text; /* NULL: not there, or nothing to be shown */
} source_file;
typedef hd_vec(source_file) source_files;

/* A trace may name any file. Only what looks like source, and is a plain file, is read. */
static bool is_source(const char *path) {
    static const char *const endings[] = {".h", ".hpp", ".inl", ".inc"};
    bool known = hd_is_kernel_file(path);
    struct stat at;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        known = known || hd_ends_in(path, endings[i]);
    return known && !stat(path, &at) && S_ISREG(at.st_mode) && at.st_size <= MOST_SOURCE;
}

static const char *text_of(hd_arena *arena, source_files *files, const char *path) {
    const hd_diag silent = {0};
    char *text = NULL;
    size_t length;
    for (size_t i = 0; i < files->count; i++)
        if (!strcmp(files->data[i].path, path))
            return files->data[i].text;
    if (is_source(path) && hd_read_file(arena, &silent, path, &text, &length))
        text = NULL;
    hd_push(arena, files, (source_file){path, text});
    return text;
}

/* The text of its line, when the source is still there. */
static const char *source_of(hd_arena *arena, source_files *files, const access_row *row) {
    const char *file = file_of(row);
    const char *text = file && row->access->line ? text_of(arena, files, file) : NULL;
    const char *line = text ? hd_line_of(arena, text, row->access->line) : NULL;
    while (line && (*line == ' ' || *line == '\t'))
        line++;
    return line;
}

static json_t *access_json(hd_arena *arena, source_files *files, const access_row *row) {
    const hd_event_access *a = row->access;
    json_t *object = json_object();
    set(object, "kernel", hd_json_text(row->launch->kernel));
    set(object, "kind", json_string(hd_access_kind_name(a->kind)));
    set(object, "space", json_string(kir_space_name(a->space)));
    set(object, "name", hd_json_text(name_of(arena, row)));
    set(object, "buffer", hd_json_text(buffer_of(row)));
    set(object, "width", hd_json_integer(a->width));
    set(object, "file", hd_json_text(file_of(row)));
    set(object, "line", hd_json_integer(a->line));
    set(object, "column", hd_json_integer(a->column));
    set(object, "source", hd_json_text(source_of(arena, files, row)));
    set(object, "mis", hd_json_integer(row->moved.mis));
    set(object, "lane_accesses", hd_json_integer(row->moved.lane_accesses));
    hd_json_add_row(object, &(hd_view){arena}, hd_coalesce_members, &row->moved);
    return object;
}

static void add_accesses(hd_arena *arena, const hd_trace_contents *contents,
                         const hd_coalesce *counter, json_t *run) {
    const access_rows rows = collect_accesses(arena, contents, counter);
    source_files files = {0};
    json_t *array = json_array();
    for (size_t i = 0; i < rows.count; i++)
        json_array_append_new(array, access_json(arena, &files, &rows.data[i]));
    set(run, "accesses", array);
}

/* ---- stack distances ------------------------------------------------------------------------ */

/* The cache that a stack stands for: that of one SM, or the device's. */
static const hd_cache *cache_of(const hd_device *device, hd_stack_scope scope) {
    const hd_cache *cache = scope == HD_STACK_DEVICE ? &device->l2 : &device->l1;
    return cache->size ? cache : NULL;
}

static hd_stack_options stack_options(const hd_page_options *o, hd_stack_scope scope) {
    const hd_cache *cache = cache_of(o->device, scope);
    return (hd_stack_options){.line = cache ? cache->line : o->device->segment,
                              .warp = o->device->warp,
                              .scope = scope,
                              .clusters = scope == HD_STACK_CLUSTER ? o->clusters : 0,
                              .spaces = o->reuse.spaces,
                              .memory = o->reuse.memory / 2}; /* of two */
}

static json_t *cache_json(const hd_cache *cache, hd_stack_scope scope,
                          const hd_stack_result *result) {
    if (!cache)
        return json_null();
    uint64_t lines = cache->size / cache->line;
    return json_pack("{s:s, s:o, s:o, s:o}", "name", scope == HD_STACK_DEVICE ? "L2" : "L1",
                     "bytes", hd_json_integer(cache->size), "lines", hd_json_integer(lines),
                     "misses", hd_json_integer(hd_stack_misses(result, lines)));
}

/* Some sizes to an octave, and the footprint. */
static void set_curve(json_t *object, const hd_stack_result *result) {
    json_t *sizes = json_array(), *misses = json_array();
    uint64_t before = 0;
    for (int i = 0; before < result->footprint; i++) {
        uint64_t lines = (uint64_t)llround(exp2((double)i / SIZES_PER_OCTAVE));
        lines = lines < result->footprint ? lines : result->footprint;
        if (lines == before)
            continue;
        json_array_append_new(sizes, hd_json_integer(lines));
        json_array_append_new(misses, hd_json_integer(hd_stack_misses(result, lines)));
        before = lines;
    }
    set(object, "lines", sizes);
    set(object, "misses", misses);
}

static json_t *stack_json(const hd_page_options *o, hd_stack_scope scope, hd_stack *stack) {
    const hd_stack_options options = stack_options(o, scope);
    const hd_stack_result *result = hd_stack_result_of(stack);
    bool clusters = scope == HD_STACK_CLUSTER;
    json_t *object = json_object();
    set(object, "per", json_string(clusters ? "cluster" : "device"));
    set(object, "clusters", clusters ? hd_json_integer(o->clusters) : json_null());
    set(object, "line", hd_json_integer(options.line));
    set(object, "stacks", hd_json_integer(result->stacks));
    set(object, "accesses", hd_json_integer(result->line_accesses));
    set(object, "cold", hd_json_integer(result->cold));
    set(object, "footprint", hd_json_integer(result->footprint));
    set_curve(object, result);
    set(object, "cache", cache_json(cache_of(o->device, scope), scope, result));
    return object;
}

/* ---- buffers -------------------------------------------------------------------------------- */

static json_t *buffer_json(const hd_picture *p) {
    json_t *object = json_object();
    json_t *columns = json_array(), *rows = json_array(), *counts = json_array();
    set(object, "name", hd_json_text(p->name));
    set(object, "space", json_string(kir_space_name(p->space)));
    set(object, "base", hd_json_integer(p->base));
    set(object, "bytes", hd_json_integer(p->bytes));
    set(object, "lane_accesses", hd_json_integer(p->lane_accesses));
    set(object, "columns", hd_json_integer(p->columns));
    set(object, "rows", hd_json_integer(p->rows));
    set(object, "mis_per_column", hd_json_integer(p->mis_per_column));
    set(object, "bytes_per_row", hd_json_integer(p->bytes_per_row));
    for (uint32_t c = 0; c < p->columns; c++)
        for (uint32_t r = 0; r < p->rows; r++) {
            uint64_t count = p->counts[(uint64_t)r * p->columns + c];
            if (!count)
                continue;
            json_array_append_new(columns, hd_json_integer(c));
            json_array_append_new(rows, hd_json_integer(r));
            json_array_append_new(counts, hd_json_integer(count));
        }
    set(object, "column", columns);
    set(object, "row", rows);
    set(object, "count", counts);
    return object;
}

static void add_buffers(const hd_picture_set *set_of, json_t *run) {
    size_t count;
    const hd_picture *pictures = hd_pictures_of(set_of, &count);
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++)
        if (pictures[i].lane_accesses)
            json_array_append_new(array, buffer_json(&pictures[i]));
    set(run, "buffers", array);
}

/* ---- all of them, in one reading ------------------------------------------------------------ */

/* Counts stand for each access of each launch, and launches may share a large table. */
static hd_status check_counts(const hd_diag *diag, const hd_trace_contents *contents,
                              const hd_page_options *o) {
    uint64_t bytes = 0, most = o->reuse.memory ? o->reuse.memory : (uint64_t)1 << 30;
    for (uint32_t l = 0; l < contents->launch_count; l++)
        bytes += contents->launches[l].launch.access_count * sizeof(hd_coalesce_counts);
    return bytes <= most ? HD_OK
                         : hd_fail(diag, HD_EUNSUPPORTED, NULL,
                                   "the accesses of %u launches take %llu MiB, and %llu MiB are "
                                   "allowed: allow more with --memory, or trace fewer launches",
                                   contents->launch_count, (unsigned long long)(bytes >> 20) + 1,
                                   (unsigned long long)(most >> 20));
}

hd_status hd_page_locality(hd_arena *arena, const hd_diag *diag, hd_trace *trace,
                           const hd_page_options *o, json_t *run) {
    const hd_trace_contents *contents = hd_trace_get(trace);
    hd_status status = check_counts(diag, contents, o);
    if (status != HD_OK)
        return status;
    const hd_stack_options device = stack_options(o, HD_STACK_DEVICE);
    const hd_stack_options cluster = stack_options(o, HD_STACK_CLUSTER);
    hd_counters *counters = hd_counters_new(arena, o->device);
    hd_stack *stacks[] = {hd_stack_new(arena, diag, &device), hd_stack_new(arena, diag, &cluster)};
    hd_picture_set *pictures = hd_picture_new(arena, hd_trace_sum(contents).mis, COLUMNS, ROWS);
    const hd_sink sinks[] = {hd_counters_sink(counters), hd_stack_sink(stacks[0]),
                             hd_stack_sink(stacks[1]), hd_picture_sink(pictures)};
    const hd_sink all = hd_sink_tee(arena, sinks, 4);
    if (o->progress)
        o->progress(o->user, "launches and accesses");
    const hd_trace_watch watch = {.progress = o->reuse.progress, .user = o->reuse.user};
    const hd_trace_choice choice = {-1, 0, UINT64_MAX, 0, &watch};
    status = hd_trace_replay(trace, diag, &choice, &all);
    if (status == HD_OK) {
        add_launches(arena, contents, counters, run);
        add_accesses(arena, contents, hd_counters_coalesce(counters), run);
        set(run, "stacks",
            json_pack("[o, o]", stack_json(o, HD_STACK_DEVICE, stacks[0]),
                      stack_json(o, HD_STACK_CLUSTER, stacks[1])));
        add_buffers(pictures, run);
    }
    hd_stack_free(stacks[0]);
    hd_stack_free(stacks[1]);
    hd_counters_free(counters);
    return status;
}
