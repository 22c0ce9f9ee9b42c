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

typedef struct annotator {
    hd_arena *arena;
    hd_annotated *result;
    hd_hash_table lines;            /* places in their files, by file and number */
    hd_hash_table kernels, targets; /* places in their lists, by name */
    hd_source_files sources;
} annotator;

static size_t file_of(annotator *n, const char *path) {
    const hd_annotated *a = n->result;
    for (size_t i = 0; i < a->files.count; i++) {
        const char *other = a->files.data[i].path;
        if (path && other ? !strcmp(path, other) || hd_same_file(path, other) : path == other)
            return i;
    }
    const char *text = path ? hd_source_text(n->arena, &n->sources, path) : NULL;
    hd_push(n->arena, &n->result->files, (hd_annotated_file){.path = path, .text = text});
    return a->files.count - 1;
}

static int by_number(const void *a, const void *b) {
    const hd_annotated_line *x = a, *y = b;
    return x->number < y->number ? -1 : x->number > y->number;
}

static hd_annotated_line *line_of(annotator *n, size_t file_number, uint32_t number) {
    hd_annotated_file *file = &n->result->files.data[file_number];
    uint64_t key = (uint64_t)file_number << 32 | number;
    uint64_t at = hd_hash_add(&n->lines, key, file->lines.count);
    if (at == file->lines.count) {
        char *text = file->text && number ? hd_line_of(n->arena, file->text, number) : NULL;
        if (text) /* without the carriage return that some systems end lines with */
            text[strcspn(text, "\r")] = '\0';
        hd_push(n->arena, &file->lines, (hd_annotated_line){.number = number, .text = text});
    }
    return &file->lines.data[at];
}

static hd_annotated_sum *sum_of(annotator *n, hd_hash_table *numbers, hd_annotated_sums *sums,
                                const char *name) {
    uint64_t at = hd_hash_add_key(numbers, name, sums->count);
    if (at == sums->count)
        hd_push(n->arena, sums, (hd_annotated_sum){.name = name});
    return &sums->data[at];
}

static bool is_counted(const hd_launch_counts *counts) {
    bool any = false;
    for (uint32_t i = 0; i < HD_ANALYSIS_COUNT; i++)
        any |= hd_analysis_counted(i, counts);
    return any;
}

hd_annotated *hd_annotate(hd_arena *arena, const hd_device *device, const hd_access_table *table,
                          bool has_caches) {
    hd_annotated *a = hd_new(arena, hd_annotated);
    *a = (hd_annotated){.device = device, .has_caches = has_caches, .total.name = "in all"};
    annotator n = {.arena = arena,
                   .result = a,
                   .lines = {.arena = arena},
                   .kernels = {.arena = arena, .key_bytes = HD_TEXT_KEYS},
                   .targets = {.arena = arena, .key_bytes = HD_TEXT_KEYS}};
    for (size_t i = 0; i < table->count; i++) {
        const hd_access_row *row = &table->data[i];
        const hd_launch_counts moved = hd_access_row_moved(row);
        if (row->space == KIR_PRIVATE || (row->space == KIR_CONSTANT && !is_counted(&moved)))
            continue;
        size_t number = file_of(&n, row->file);
        hd_annotated_line *line = line_of(&n, number, row->line);
        hd_push(arena, &line->accesses, row);
        /* "body.x" for a field, whichever buffer it is in; else the buffer. */
        const char *target = row->record && row->field
                                 ? hd_format(arena, "%s.%s", row->record, row->field)
                                 : hd_access_row_target(arena, row);
        hd_annotated_sum *const sums[] = {
            &line->sum, &a->files.data[number].sum, &a->total,
            sum_of(&n, &n.kernels, &a->kernels, row->kernel),
            is_counted(&moved) ? sum_of(&n, &n.targets, &a->targets, target) : NULL};
        for (size_t s = 0; s < sizeof sums / sizeof *sums && sums[s]; s++) {
            hd_launch_counts_add(&sums[s]->counts, &moved);
            hd_cache_sum_add(&sums[s]->cached, &row->cached);
        }
    }
    for (size_t f = 0; f < a->files.count; f++)
        qsort(a->files.data[f].lines.data, a->files.data[f].lines.count, sizeof(hd_annotated_line),
              by_number);
    return a;
}

double hd_annotated_weight(const hd_annotated *annotated, const hd_annotated_sum *sum) {
    return annotated->has_caches
               ? sum->cached.cost + annotated->device->w_l1 * (double)hd_weight(&sum->counts, 1)
               : (double)hd_weight(&sum->counts, 0);
}

/* ---- what a reader sees of them ------------------------------------------------------------- */

HD_GETTER(accesses_of, hd_annotated_line, hd_pointed_rows(row->accesses.data, row->accesses.count))
HD_GETTER(efficiency_of, hd_launch_counts, hd_real(hd_efficiency(row)))
/* null where no caches were simulated. */
HD_GETTER(caches_of, hd_annotated_sum,
          hd_row(((const hd_annotated *)view->context)->has_caches ? &row->cached : NULL))

const hd_member hd_cache_count_members[] = {HD_SAME(hd_cache_counts, sectors, l1_hits, l2_sectors,
                                                    l2_hits, l2_bytes, dram_read, dram_written),
                                            {0}};
const hd_member hd_annotated_cache_members[] = {
    {HD_IN(hd_cache_sum, counts), .of = hd_cache_count_members},
    {"cost", HD_AT(hd_cache_sum, cost)},
    {0}};
static const hd_member counts_members[] = {
    {HD_SELF, .of = hd_launch_count_members}, {"efficiency", .get = efficiency_of}, {0}};
static const hd_member counted_members[] = {
    {HD_IN(hd_annotated_sum, counts), .of = counts_members},
    {"caches", .get = caches_of, .of = hd_annotated_cache_members},
    {0}};
static const hd_member line_members[] = {
    {"line", HD_AT(hd_annotated_line, number)},
    {"source", HD_AT(hd_annotated_line, text)},
    {HD_IN(hd_annotated_line, sum), .of = counted_members},
    {"accesses", .get = accesses_of, .of = hd_access_row_members},
    {0}};
const hd_member hd_annotated_file_members[] = {
    {"file", HD_AT(hd_annotated_file, path)},
    {HD_IN(hd_annotated_file, sum), .of = counted_members},
    {"lines", HD_MANY(hd_annotated_file, lines.data, lines.count), .of = line_members},
    {0}};
static const hd_member sum_members[] = {
    {"name", HD_AT(hd_annotated_sum, name)}, {HD_SELF, .of = counted_members}, {0}};

const hd_member hd_annotated_members[] = {
    {"files", HD_MANY(hd_annotated, files.data, files.count), .of = hd_annotated_file_members},
    {"kernels", HD_MANY(hd_annotated, kernels.data, kernels.count), .of = sum_members},
    {"targets", HD_MANY(hd_annotated, targets.data, targets.count), .of = sum_members},
    {"total", HD_IN(hd_annotated, total), .of = counted_members},
    {0}};
