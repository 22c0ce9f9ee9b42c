/* Sources with what a run moved (annotated.h). */
#include "cli/report/annotated.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "base/table.h"
#include "frontend/frontend.h"

enum { MOST_SOURCE = 16 << 20 };

/* ---- source files -------------------------------------------------------------------------- */

const char *hd_source_text(hd_arena *arena, hd_source_files *files, const char *path) {
    static const char *const endings[] = {".h", ".hpp", ".inl", ".inc"};
    bool known = hd_is_kernel_file(path);
    struct stat at;
    char *text = NULL;
    size_t length;
    for (size_t i = 0; i < files->count; i++)
        if (!strcmp(files->data[i].path, path))
            return files->data[i].text;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        known = known || hd_ends_in(path, endings[i]);
    if (!known || stat(path, &at) || !S_ISREG(at.st_mode) || at.st_size > MOST_SOURCE ||
        hd_read_file(arena, &hd_silent, path, &text, &length))
        text = NULL;
    hd_push(arena, files, (hd_source_file){path, text});
    return text;
}

/* ---- sums ---------------------------------------------------------------------------------- */

/* Sums by name. */
typedef struct sum_table {
    hd_vec(hd_annotated_sum) rows;
    hd_hash_table numbers;
} sum_table;

typedef struct annotator {
    hd_arena *arena;
    hd_vec(hd_annotated_file) files;
    hd_hash_table lines; /* places in their files, by file and number */
    sum_table kernels, targets;
    hd_source_files sources;
} annotator;

static bool same_path(const char *a, const char *b) {
    return a && b ? !strcmp(a, b) || hd_same_file(a, b) : a == b;
}

static size_t file_of(annotator *n, const char *path) {
    for (size_t i = 0; i < n->files.count; i++)
        if (same_path(n->files.data[i].path, path))
            return i;
    const char *text = path ? hd_source_text(n->arena, &n->sources, path) : NULL;
    hd_push(n->arena, &n->files, (hd_annotated_file){.path = path, .text = text});
    return n->files.count - 1;
}

static int by_number(const void *a, const void *b) {
    const hd_annotated_line *x = a, *y = b;
    return x->number < y->number ? -1 : x->number > y->number;
}

/* Without the carriage return that some systems end lines with. */
static const char *source_line(hd_arena *arena, const char *text, uint32_t number) {
    char *line = hd_line_of(arena, text, number);
    if (line)
        line[strcspn(line, "\r")] = '\0';
    return line;
}

static hd_annotated_line *line_of(annotator *n, size_t file_number, uint32_t number) {
    hd_annotated_file *file = &n->files.data[file_number];
    uint64_t key = (uint64_t)file_number << 32 | number;
    uint64_t at = hd_hash_add(&n->lines, key, file->line_count);
    if (at == file->line_count) {
        struct {
            hd_annotated_line *data;
            size_t count, capacity;
        } lines = {file->lines, file->line_count, file->line_capacity};
        hd_push(n->arena, &lines, (hd_annotated_line){.number = number});
        if (file->text && number)
            lines.data[at].text = source_line(n->arena, file->text, number);
        file->lines = lines.data;
        file->line_count = lines.count;
        file->line_capacity = lines.capacity;
    }
    return &file->lines[at];
}

static void add_access(hd_arena *arena, hd_annotated_line *line, const hd_access_row *row) {
    struct {
        const hd_access_row **data;
        size_t count, capacity;
    } accesses = {line->accesses, line->access_count, line->access_capacity};
    hd_push(arena, &accesses, row);
    line->accesses = accesses.data;
    line->access_count = accesses.count;
    line->access_capacity = accesses.capacity;
}

static void add_sum(hd_arena *arena, sum_table *sums, const char *name, const hd_access_row *row,
                    const hd_launch_counts *counts) {
    uint64_t at = hd_hash_add_key(&sums->numbers, name, sums->rows.count);
    if (at == sums->rows.count)
        hd_push(arena, &sums->rows, (hd_annotated_sum){.name = name});
    hd_launch_counts_add(&sums->rows.data[at].counts, counts);
    hd_cache_sum_add(&sums->rows.data[at].cached, &row->cached);
}

/* "body.x" for a field, whichever buffer it is in; else the buffer. */
static const char *target_of(hd_arena *arena, const hd_access_row *row) {
    return row->record && row->field ? hd_format(arena, "%s.%s", row->record, row->field)
                                     : hd_access_row_target(arena, row);
}

static bool is_counted(const hd_launch_counts *counts) {
    bool any = false;
    for (uint32_t i = 0; i < HD_ANALYSIS_COUNT; i++)
        any |= hd_analysis_counted(i, counts);
    return any;
}

const hd_annotated *hd_annotate(hd_arena *arena, const hd_device *device,
                                const hd_access_table *table, bool has_caches) {
    annotator n = {.arena = arena,
                   .lines = {.arena = arena},
                   .kernels.numbers = {.arena = arena, .key_bytes = HD_TEXT_KEYS},
                   .targets.numbers = {.arena = arena, .key_bytes = HD_TEXT_KEYS}};
    hd_annotated *a = hd_new(arena, hd_annotated);
    for (size_t i = 0; i < table->count; i++) {
        const hd_access_row *row = &table->data[i];
        const hd_launch_counts moved = hd_access_row_moved(row);
        if (row->space == KIR_PRIVATE || (row->space == KIR_CONSTANT && !is_counted(&moved)))
            continue;
        size_t number = file_of(&n, row->file);
        hd_annotated_line *line = line_of(&n, number, row->line);
        hd_annotated_file *file = &n.files.data[number];
        add_access(arena, line, row);
        hd_launch_counts_add(&line->counts, &moved);
        hd_launch_counts_add(&file->counts, &moved);
        hd_launch_counts_add(&a->total.counts, &moved);
        hd_cache_sum_add(&line->cached, &row->cached);
        hd_cache_sum_add(&file->cached, &row->cached);
        hd_cache_sum_add(&a->total.cached, &row->cached);
        add_sum(arena, &n.kernels, row->kernel, row, &moved);
        if (is_counted(&moved))
            add_sum(arena, &n.targets, target_of(arena, row), row, &moved);
    }
    for (size_t f = 0; f < n.files.count; f++)
        qsort(n.files.data[f].lines, n.files.data[f].line_count, sizeof(hd_annotated_line),
              by_number);
    *a = (hd_annotated){.device = device,
                        .has_caches = has_caches,
                        .files = n.files.data,
                        .file_count = n.files.count,
                        .kernels = n.kernels.rows.data,
                        .kernel_count = n.kernels.rows.count,
                        .targets = n.targets.rows.data,
                        .target_count = n.targets.rows.count,
                        .total = a->total};
    a->total.name = "in all";
    return a;
}

double hd_annotated_weight(const hd_annotated *annotated, const hd_launch_counts *counts,
                           const hd_cache_sum *cached) {
    return annotated->has_caches
               ? cached->cost + annotated->device->w_l1 * (double)hd_weight(counts, 1)
               : (double)hd_weight(counts, 0);
}

/* ---- what a reader sees of them ------------------------------------------------------------- */

HD_GETTER(accesses_of, hd_annotated_line, hd_pointed_rows(row->accesses, row->access_count))
HD_GETTER(efficiency_of, hd_launch_counts, hd_real(hd_efficiency(row)))

/* null where no caches were simulated. */
static hd_value cached_of(const hd_view *view, const hd_cache_sum *cached) {
    return hd_row(((const hd_annotated *)view->context)->has_caches ? cached : NULL);
}
HD_GETTER(line_caches, hd_annotated_line, cached_of(view, &row->cached))
HD_GETTER(file_caches, hd_annotated_file, cached_of(view, &row->cached))
HD_GETTER(sum_caches, hd_annotated_sum, cached_of(view, &row->cached))
HD_GETTER(files_of, hd_annotated, hd_with(hd_rows(row->files, row->file_count), row))
HD_GETTER(kernels_of, hd_annotated, hd_with(hd_rows(row->kernels, row->kernel_count), row))
HD_GETTER(targets_of, hd_annotated, hd_with(hd_rows(row->targets, row->target_count), row))
HD_GETTER(total_of, hd_annotated, hd_with(hd_row(&row->total), row))

static const hd_member cache_count_members[] = {HD_SAME(hd_cache_counts, sectors, l1_hits,
                                                        l2_sectors, l2_hits, l2_bytes, dram_read,
                                                        dram_written),
                                                {0}};
const hd_member hd_annotated_cache_members[] = {
    {HD_IN(hd_cache_sum, counts), .of = cache_count_members},
    {"cost", HD_AT(hd_cache_sum, cost)},
    {0}};
static const hd_member counts_members[] = {
    {HD_SELF, .of = hd_launch_count_members}, {"efficiency", .get = efficiency_of}, {0}};
static const hd_member line_members[] = {
    {"line", HD_AT(hd_annotated_line, number)},
    {"source", HD_AT(hd_annotated_line, text)},
    {HD_IN(hd_annotated_line, counts), .of = counts_members},
    {"caches", .get = line_caches, .of = hd_annotated_cache_members},
    {"accesses", .get = accesses_of, .of = hd_access_row_members},
    {0}};
const hd_member hd_annotated_file_members[] = {
    {"file", HD_AT(hd_annotated_file, path)},
    {HD_IN(hd_annotated_file, counts), .of = counts_members},
    {"caches", .get = file_caches, .of = hd_annotated_cache_members},
    {"lines", HD_MANY(hd_annotated_file, lines, line_count), .of = line_members},
    {0}};
static const hd_member total_members[] = {
    {HD_IN(hd_annotated_sum, counts), .of = counts_members},
    {"caches", .get = sum_caches, .of = hd_annotated_cache_members},
    {0}};
static const hd_member sum_members[] = {
    {"name", HD_AT(hd_annotated_sum, name)}, {HD_SELF, .of = total_members}, {0}};

const hd_member hd_annotated_members[] = {
    {"files", .get = files_of, .of = hd_annotated_file_members},
    {"kernels", .get = kernels_of, .of = sum_members},
    {"targets", .get = targets_of, .of = sum_members},
    {"total", .get = total_of, .of = total_members},
    {0}};
