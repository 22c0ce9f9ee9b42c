/*
 * The source with a margin:
 *
 *     nbody.cl
 *      share  requests  transactions    moved   used  line  source
 *                                                       35      }
 *       2.2%        64         1.79k   56 KiB  14.3%    36      bodies[i].vx += ax * dt;
 *
 * Columns are as wide as their widest cell, and none is cut. Where the terminal leaves too little
 * for the source, the columns that say least go, one after the other.
 */
#include "cli/counted.h"

#include <stdlib.h>

#include "cli/report/report_result.h"

enum { TAB = 8, GAP = 2, LEAST_SOURCE = 24, LAST_TO_LEAVE = 8 };

/* The columns, from the left: the share, those of the first analysis, the caches', those of the
 * others, and the line's number. */
enum { MOST_COLUMNS = 5 + HD_ANALYSIS_COUNT * HD_MOST_COUNTS };

typedef struct margin_column {
    const char *title;
    uint32_t leaves;         /* where the terminal is narrow the smaller first; 0: stays */
    const hd_member *member; /* of an analysis; NULL: it is none's */
    uint32_t analysis;
} margin_column;

/* Of caches, behind what the first analysis shows. */
enum { L1, L2, DRAM, CACHE_COLUMNS };
static const margin_column cache_columns[CACHE_COLUMNS] = {{"L1", 4}, {"L2", 6}, {"DRAM", 8}};

/* A line to be shown. */
typedef struct shown_line {
    const hd_annotated_file *file;
    const hd_annotated_line *line; /* NULL: it has no accesses */
    uint32_t number;
    const char *text;
    const char *cells[MOST_COLUMNS];
    double weight;
} shown_line;

typedef struct margin {
    hd_arena *arena;
    const hd_annotated *annotated;
    const cli_margin_options *options;
    margin_column columns[MOST_COLUMNS];
    uint32_t count, first_cache;
    uint32_t terminal, width[MOST_COLUMNS]; /* 0: a column that is not shown */
    hd_vec(shown_line) lines;
} margin;

/* ---- what is shown -------------------------------------------------------------------------- */

static void choose_columns(margin *m) {
    m->columns[m->count++] = (margin_column){"share", 5};
    for (uint32_t i = 0; i < HD_ANALYSIS_COUNT; i++) {
        for (const hd_member *member = hd_analyses[i]->members; member->key || member->title;
             member++) {
            const hd_analysis_column c = hd_analysis_column_of(hd_analyses[i], member);
            if (c.seen & HD_IN_SHOW)
                m->columns[m->count++] = (margin_column){c.title, c.leaves, member, i};
        }
        if (i)
            continue;
        m->first_cache = m->count;
        memcpy(&m->columns[m->count], cache_columns, sizeof cache_columns);
        m->count += CACHE_COLUMNS;
    }
    m->columns[m->count++] = (margin_column){"line", 0};
}

static double share_of(const margin *m, const hd_annotated_line *line) {
    const hd_annotated_sum *total = &m->annotated->total;
    double all = hd_annotated_weight(m->annotated, total);
    return all > 0 ? hd_annotated_weight(m->annotated, &line->sum) / all : 0;
}

static void fill_cells(const margin *m, shown_line *line) {
    const hd_view view = {.arena = m->arena};
    /* "36"; with the file's name among those of others. */
    bool alone = !m->options->by_cost || m->annotated->files.count == 1 || !line->file->path;
    line->cells[m->count - 1] =
        !line->number ? "?"
        : alone       ? hd_format(m->arena, "%u", line->number)
                      : hd_format(m->arena, "%s:%u", hd_path_name(line->file->path), line->number);
    if (!line->line)
        return;
    const hd_launch_counts *counts = &line->line->sum.counts;
    line->weight = hd_annotated_weight(m->annotated, &line->line->sum);
    line->cells[0] = hd_show_share(m->arena, share_of(m, line->line));
    for (uint32_t k = 0; k < m->count; k++) {
        const margin_column *c = &m->columns[k];
        if (c->member && hd_analysis_counted(c->analysis, counts))
            line->cells[k] =
                hd_show_value(m->arena, c->member->unit,
                              hd_member_value(c->member, &view, counts->of[c->analysis]));
    }
    const hd_cache_counts *cached = &line->line->sum.cached.counts;
    const char **cells = &line->cells[m->first_cache];
    if (cached->sectors) {
        cells[L1] = hd_show_share(m->arena, (double)cached->l1_hits / (double)cached->sectors);
        cells[L2] =
            cached->l2_sectors
                ? hd_show_share(m->arena, (double)cached->l2_hits / (double)cached->l2_sectors)
                : "-";
        cells[DRAM] = hd_show_bytes(m->arena, cached->dram_read + cached->dram_written);
    }
}

static void add_line(margin *m, const hd_annotated_file *file, const hd_annotated_line *line,
                     uint32_t number, const char *text) {
    shown_line shown = {.file = file, .line = line, .number = number, .text = text ? text : ""};
    fill_cells(m, &shown);
    hd_push(m->arena, &m->lines, shown);
}

/* All lines of a file, or those that have accesses where there is no source. */
static void add_file(margin *m, const hd_annotated_file *file) {
    size_t next = 0;
    while (next < file->lines.count && (!file->text || !file->lines.data[next].number)) {
        const hd_annotated_line *line = &file->lines.data[next++];
        add_line(m, file, line, line->number, NULL);
    }
    uint32_t number = 1;
    for (const char *at = file->text ? file->text : ""; *at; number++) {
        size_t length = strcspn(at, "\n");
        const hd_annotated_line *line =
            next < file->lines.count && file->lines.data[next].number == number
                ? &file->lines.data[next++]
                : NULL;
        add_line(m, file, line, number, hd_strndup(m->arena, at, length));
        at += length + (at[length] == '\n');
    }
    for (; next < file->lines.count; next++) /* of a source that has changed since */
        add_line(m, file, &file->lines.data[next], file->lines.data[next].number, NULL);
}

static int by_weight(const void *left, const void *right) {
    const shown_line *a = left, *b = right;
    if (a->weight != b->weight)
        return a->weight > b->weight ? -1 : 1;
    if (a->file != b->file)
        return a->file < b->file ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

static void add_heaviest(margin *m) {
    const hd_annotated *a = m->annotated;
    for (size_t f = 0; f < a->files.count; f++)
        for (size_t l = 0; l < a->files.data[f].lines.count; l++) {
            const hd_annotated_line *line = &a->files.data[f].lines.data[l];
            const char *text = line->text ? line->text : "";
            add_line(m, &a->files.data[f], line, line->number, text + strspn(text, " \t"));
        }
    if (m->lines.count)
        qsort(m->lines.data, m->lines.count, sizeof *m->lines.data, by_weight);
    if (m->options->top && m->lines.count > m->options->top)
        m->lines.count = m->options->top;
}

/* ---- printing -------------------------------------------------------------------------------- */

static uint32_t margin_width(const margin *m) {
    uint32_t width = 0;
    for (uint32_t k = 0; k < m->count; k++)
        width += m->width[k] ? GAP + m->width[k] : 0;
    return width + GAP;
}

static void choose_widths(margin *m) {
    for (uint32_t k = 0; k < m->count; k++) {
        uint32_t width = 0;
        for (size_t l = 0; l < m->lines.count; l++) {
            const char *cell = m->lines.data[l].cells[k];
            uint32_t own = cell ? report_text_width(cell) : 0;
            width = own > width ? own : width;
        }
        uint32_t title = report_text_width(m->columns[k].title);
        m->width[k] = width && width < title ? title : width;
    }
    for (uint32_t turn = 1; turn <= LAST_TO_LEAVE; turn++)
        for (uint32_t k = 0; k < m->count; k++)
            if (m->columns[k].leaves == turn && m->options->cut &&
                margin_width(m) + LEAST_SOURCE > m->terminal)
                m->width[k] = 0;
}

/* Bytes of the character at `at`. */
static size_t character(const char *at) {
    size_t length = 1;
    while (((unsigned char)at[length] & 0xc0) == 0x80)
        length++;
    return length;
}

/* The line with blanks for tabs, so that what stands below each other does so behind the margin,
 * and nothing that a terminal would obey. */
static const char *plain_source(hd_arena *arena, const char *text, uint32_t room) {
    hd_str out = {.arena = arena};
    uint32_t right = 0;
    size_t kept = 0; /* bytes that leave one column free */
    const char *source = hd_plain_text(arena, text, false);
    size_t length = strlen(text);
    if (length && text[length - 1] == '\r')
        length--;
    for (size_t at = 0, bytes; at < length; at += bytes) {
        bytes = character(source + at);
        uint32_t width = source[at] == '\t' ? TAB - right % TAB : 1;
        if (right + width > room) {
            out.data[kept] = '\0';
            out.length = kept;
            hd_str_add(&out, "…");
            break;
        }
        if (source[at] == '\t')
            hd_str_printf(&out, "%*s", (int)width, "");
        else
            hd_str_addn(&out, source + at, bytes);
        right += width;
        kept = right < room ? out.length : kept;
    }
    while (out.length && out.data[out.length - 1] == ' ')
        out.data[--out.length] = '\0';
    return hd_str_text(&out);
}

static void print_cells(const margin *m, const char *const *cells, hd_str *out) {
    for (uint32_t k = 0; k < m->count; k++) {
        if (!m->width[k])
            continue;
        const char *cell = cells[k] ? cells[k] : "";
        uint32_t fill = m->width[k] - report_text_width(cell);
        hd_str_printf(out, "%*s%s", (int)(GAP + fill), "", cell);
    }
}

static void print_lines(margin *m, hd_str *out) {
    choose_widths(m);
    uint32_t before = margin_width(m);
    uint32_t room = !m->options->cut           ? UINT32_MAX
                    : m->terminal > before + 1 ? m->terminal - before
                                               : 1;
    hd_str_add(out, m->options->coloured ? "\033[1m" : "");
    const char *titles[MOST_COLUMNS];
    for (uint32_t k = 0; k < m->count; k++)
        titles[k] = m->columns[k].title;
    print_cells(m, titles, out);
    hd_str_printf(out, "%*ssource%s\n", GAP, "", m->options->coloured ? "\033[0m" : "");
    for (size_t l = 0; l < m->lines.count; l++) {
        const shown_line *line = &m->lines.data[l];
        double share = line->line ? share_of(m, line->line) : 0;
        const char *colour = !m->options->coloured ? ""
                             : share >= 0.1        ? "\033[31m"
                             : share >= 0.01       ? "\033[33m"
                                                   : "";
        const char *source = plain_source(m->arena, line->text, room);
        hd_str_add(out, colour);
        print_cells(m, line->cells, out);
        hd_str_printf(out, "%s%s%s\n", *colour ? "\033[0m" : "", *source ? "  " : "", source);
    }
}

void cli_show_margin(cli *c, const hd_annotated *annotated, const cli_margin_options *options,
                     hd_str *out) {
    margin m = {.arena = c->arena,
                .annotated = annotated,
                .options = options,
                .terminal = c->style.width ? c->style.width : HD_TABLE_WIDTH};
    choose_columns(&m);
    if (options->by_cost && annotated->files.count) {
        add_heaviest(&m);
        hd_str_add(out, "\n");
        print_lines(&m, out);
        return;
    }
    for (size_t f = 0; f < annotated->files.count; f++) {
        const hd_annotated_file *file = &annotated->files.data[f];
        m.lines.count = 0;
        add_file(&m, file);
        hd_str_printf(out, "\n%s%s\n",
                      file->path ? hd_plain_text(c->arena, file->path, false)
                                 : "accesses whose place is not known",
                      file->text || !file->path ? "" : " (cannot be shown)");
        print_lines(&m, out);
    }
}
