/*
 * Tables for a terminal of 80 columns.
 *
 * Every column is as wide as its widest cell. When that is too much, columns
 * that may wrap give way, always the widest first, and their cells break into
 * several lines:
 *
 *       id  line  kind   what        index
 *        0    12  load   bodies.x    group(0)*256 + local(0)
 *        1    14  store  out         not affine: indirect through
 *                                    idx at line 13
 */
#include "report/report.h"

enum { INDENT = 2, GAP = 2, NARROWEST = 10 };

typedef struct row {
    const char *cells[HD_TABLE_COLUMNS];
} row;

struct hd_table {
    hd_arena *arena;
    hd_column columns[HD_TABLE_COLUMNS];
    uint32_t count;
    hd_vec(row) rows;
};

static bool continues(char c) { return ((unsigned char)c & 0xc0) == 0x80; }

uint32_t hd_text_width(const char *text) {
    uint32_t width = 0;
    for (; *text; text++)
        width += !continues(*text);
    return width;
}

hd_table *hd_table_new(hd_arena *arena, const hd_column *columns, uint32_t count) {
    hd_table *table = hd_new(arena, hd_table);
    table->arena = arena;
    table->count = count < HD_TABLE_COLUMNS ? count : HD_TABLE_COLUMNS;
    memcpy(table->columns, columns, table->count * sizeof *columns);
    return table;
}

void hd_table_row(hd_table *table, const char *const *cells) {
    row r = {{NULL}};
    for (uint32_t c = 0; c < table->count; c++)
        r.cells[c] = hd_plain_text(table->arena, cells[c] ? cells[c] : "", true);
    hd_push(table->arena, &table->rows, r);
}

/* ---- breaking text into lines ------------------------------------------------- */

/* Bytes of the longest head of `text` that fits `width` columns: up to a blank if
 * there is one, else after a comma or before a brace, as layouts have them, else in
 * the middle of a word. */
static size_t line_length(const char *text, uint32_t width) {
    size_t blank = 0, joint = 0, i = 0;
    uint32_t column = 0;
    for (; text[i] && text[i] != '\n'; i++) {
        if (text[i] == ' ' && column <= width)
            blank = i;
        if (i > 0 && column <= width && (text[i - 1] == ',' || text[i] == '{'))
            joint = i;
        if (!continues(text[i]) && ++column > width)
            return blank ? blank : joint ? joint : i;
    }
    return i;
}

/* Where the line after this one starts. */
static const char *next_line(const char *text, size_t length) {
    text += length;
    while (*text == ' ')
        text++;
    return *text == '\n' ? text + 1 : text;
}

static void add_blanks(hd_str *out, uint32_t count) { hd_str_printf(out, "%*s", (int)count, ""); }

void hd_wrap(hd_str *out, const char *text, uint32_t indent, uint32_t width) {
    uint32_t room = width > indent + NARROWEST ? width - indent : NARROWEST;
    while (true) {
        size_t length = line_length(text, room);
        hd_str_addn(out, text, length);
        hd_str_add(out, "\n");
        text = next_line(text, length);
        if (!*text)
            return;
        if (*text != '\n')
            add_blanks(out, indent);
    }
}

/* ---- printing ------------------------------------------------------------------- */

static uint32_t total_width(const hd_table *table, const uint32_t *widths) {
    uint32_t sum = INDENT + (table->count ? (table->count - 1) * GAP : 0);
    for (uint32_t c = 0; c < table->count; c++)
        sum += widths[c];
    return sum;
}

static void choose_widths(const hd_table *table, uint32_t *widths) {
    for (uint32_t c = 0; c < table->count; c++) {
        widths[c] = hd_text_width(table->columns[c].title);
        for (size_t r = 0; r < table->rows.count; r++) {
            uint32_t width = hd_text_width(table->rows.data[r].cells[c]);
            if (width > widths[c])
                widths[c] = width;
        }
    }
    while (total_width(table, widths) > HD_TABLE_WIDTH) {
        int widest = -1;
        for (uint32_t c = 0; c < table->count; c++)
            if (table->columns[c].wraps && widths[c] > NARROWEST &&
                (widest < 0 || widths[c] > widths[widest]))
                widest = (int)c;
        if (widest < 0)
            return;
        widths[widest]--;
    }
}

/* One line of a row: the head of every cell. Moves the cells on; true while text is left. */
static bool print_line(const hd_table *table, const uint32_t *widths, const char **cells,
                       hd_str *out) {
    bool more = false;
    uint32_t pending = INDENT; /* blanks owed: none are written at the end of a line */
    for (uint32_t c = 0; c < table->count; c++) {
        size_t length = line_length(cells[c], widths[c]);
        char *text = hd_strndup(table->arena, cells[c], length);
        uint32_t fill = widths[c] - hd_text_width(text);
        bool right = table->columns[c].align == HD_RIGHT;
        if (length) {
            add_blanks(out, pending + (right ? fill : 0));
            hd_str_add(out, text);
            pending = GAP + (right ? 0 : fill);
        } else {
            pending += widths[c] + GAP;
        }
        cells[c] = next_line(cells[c], length);
        more |= *cells[c] != '\0';
    }
    hd_str_add(out, "\n");
    return more;
}

void hd_table_print(const hd_table *table, hd_str *out, bool bold) {
    uint32_t widths[HD_TABLE_COLUMNS] = {0};
    choose_widths(table, widths);
    const char *cells[HD_TABLE_COLUMNS];
    for (uint32_t c = 0; c < table->count; c++)
        cells[c] = table->columns[c].title;
    hd_str_add(out, bold ? "\033[1m" : "");
    while (print_line(table, widths, cells, out))
        continue;
    hd_str_add(out, bold ? "\033[0m" : "");
    for (size_t r = 0; r < table->rows.count; r++) {
        memcpy(cells, table->rows.data[r].cells, sizeof cells);
        while (print_line(table, widths, cells, out))
            continue;
    }
}
