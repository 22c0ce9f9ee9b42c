/* Stems as text: bars of '#', downwards for values below zero. */
#include <math.h>
#include <stdlib.h>

#include "cli/report/plot.h"
#include "cli/report/report.h"

enum { LABEL = 9, COLUMNS = HD_TABLE_WIDTH - LABEL - 4, ROWS = 10, HALF_ROWS = 6 };

typedef struct scale {
    double most; /* size of the largest value; 0: there are only zeros */
    bool is_log;
} scale;

void hd_stems_extent(const hd_stems *stems, uint64_t columns, uint64_t column, double *most,
                     double *least) {
    uint64_t begin = (uint64_t)((unsigned __int128)stems->count * column / columns);
    uint64_t end = (uint64_t)((unsigned __int128)stems->count * (column + 1) / columns);
    *most = *least = 0;
    for (uint64_t i = begin; i < end; i++) {
        *most = fmax(*most, stems->value[i]);
        *least = fmin(*least, stems->value[i]);
    }
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Height of a value as a share of the axis. */
static double height(scale s, double value) {
    return s.is_log ? log10(1 + fabs(value)) / log10(1 + s.most) : fabs(value) / s.most;
}

/* The value at that share of the axis. */
static double value_at(scale s, double share) {
    return s.is_log ? pow(10, share * log10(1 + s.most)) - 1 : share * s.most;
}

/* Row `row` of `rows`, counted from zero outwards. */
static void draw_row(hd_arena *arena, const hd_stems *stems, scale s, int row, int rows, bool down,
                     uint64_t columns, hd_str *out) {
    bool labelled = row == rows || row == (rows + 1) / 2;
    double value = value_at(s, (double)row / rows) * (down ? -1 : 1);
    const char *label = labelled ? hd_show_count(arena, s.most < 10 ? value : round(value)) : "";
    char line[COLUMNS + 1];
    uint64_t length = 0;
    for (uint64_t c = 0; c < columns; c++) {
        double most, least;
        hd_stems_extent(stems, columns, c, &most, &least);
        bool reaches = height(s, down ? least : most) * rows > row - 1 && (down ? least : most);
        line[c] = reaches ? '#' : ' ';
        length = reaches ? c + 1 : length;
    }
    line[length] = 0;
    hd_str_printf(out, "  %*s |%s\n", LABEL, label, line);
}

void hd_plot_text(hd_arena *arena, const hd_stems *stems, hd_str *out) {
    double *sizes = hd_new_array(arena, double, stems->count);
    uint64_t sized = 0;
    for (uint64_t i = 0; i < stems->count; i++)
        if (stems->value[i] != 0)
            sizes[sized++] = fabs(stems->value[i]);
    qsort(sizes, sized, sizeof *sizes, by_size);
    scale s = {.most = sized ? sizes[sized - 1] : 0};
    s.is_log =
        sized && s.most > 100 * sizes[sized / 2]; /* most stems would be too low to be seen */
    if (s.most == 0) {
        hd_str_printf(out, "\n%s\n  nothing to show\n", stems->title);
        return;
    }
    uint64_t room = COLUMNS - strlen(stems->x) - 2;
    uint64_t columns = stems->count < room ? stems->count : room;
    bool below = false;
    for (uint64_t i = 0; i < stems->count; i++)
        below = below || stems->value[i] < 0;
    int rows = below ? HALF_ROWS : ROWS;
    hd_str_printf(out, "\n%s%s", stems->title, s.is_log ? ", logarithmic" : "");
    if (columns < stems->count)
        hd_str_printf(out, "; a column shows the largest of %llu",
                      (unsigned long long)((stems->count + columns - 1) / columns));
    hd_str_add(out, "\n");
    for (int row = rows; row >= 1; row--)
        draw_row(arena, stems, s, row, rows, false, columns, out);
    char axis[COLUMNS + 1], last[32];
    memset(axis, '-', columns);
    axis[columns] = 0;
    int length =
        snprintf(last, sizeof last, "%llu", (unsigned long long)(stems->first + stems->count - 1));
    int left = (int)columns - length; /* for the first number and blanks */
    hd_str_printf(out, "  %*s +%s\n", LABEL, "0", axis);
    hd_str_printf(out, "  %*s  %-*llu %s  %s\n", LABEL, "", left > 1 ? left - 1 : 1,
                  (unsigned long long)stems->first, stems->count > 1 ? last : "", stems->x);
    for (int row = 1; below && row <= rows; row++)
        draw_row(arena, stems, s, row, rows, true, columns, out);
}
