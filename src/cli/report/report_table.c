/*
 * Tables that fit a terminal.
 *
 * Every column is as wide as its widest cell. When that is too much, columns
 * that may wrap give way, always the widest first, and their cells break into
 * several lines:
 *
 *       id  line  kind   what        index
 *        0    12  load   bodies.x    group(0)*256 + local(0)
 *        1    14  store  out         not affine: indirect through
 *                                    idx at line 13
 *
 * Words, names and numbers stay whole: a column is never narrower than the longest of them.
 */
#include <ctype.h>

#include "cli/report/report.h"

enum { INDENT = 2, GAP = 2, NARROWEST = 10 };

typedef hd_vec(const char *) cell_list;

struct report_table {
    hd_arena *arena;
    const report_column *columns;
    uint32_t count, width;
    cell_list cells; /* row after row */
};

static bool continues(char c) { return ((unsigned char)c & 0xc0) == 0x80; }

uint32_t report_text_width(const char *text) {
    uint32_t width = 0;
    for (; *text; text++)
        width += !continues(*text);
    return width;
}

report_table *report_table_new(hd_arena *arena, const report_column *columns, uint32_t count) {
    report_table *table = hd_new(arena, report_table);
    report_column *own = hd_new_array(arena, report_column, count);
    memcpy(own, columns, count * sizeof *columns);
    *table =
        (report_table){.arena = arena, .columns = own, .count = count, .width = HD_TABLE_WIDTH};
    return table;
}

void report_table_set_width(report_table *table, uint32_t width) {
    table->width = width ? width : HD_TABLE_WIDTH;
}

void report_table_row(report_table *table, const char *const *cells) {
    for (uint32_t c = 0; c < table->count; c++)
        hd_push(table->arena, &table->cells,
                hd_plain_text(table->arena, cells[c] ? cells[c] : "", true));
}

/* ---- breaking text into lines ------------------------------------------------- */

/* Where a line may end, the better the greater. */
typedef enum joint {
    NOWHERE,
    IN_NAME,  /* after a part of a name: "tesla-", "src/", "max_" */
    IN_LIST,  /* after a comma or before a brace, as layouts have them */
    AT_BLANK, /* which goes */
    AT_END    /* of the text, or of a line of it */
} joint;

/* Before byte `i`. */
static joint joint_at(const char *text, size_t i) {
    if (!text[i] || text[i] == '\n')
        return AT_END;
    if (text[i] == ' ')
        return AT_BLANK;
    if (i == 0)
        return NOWHERE;
    if (text[i - 1] == ',' || (text[i] == '{' && text[i - 1] != ' '))
        return IN_LIST;
    bool parts = strchr("_./:-", text[i - 1]) && (isalpha((unsigned char)text[i]));
    return parts && i > 1 && isalnum((unsigned char)text[i - 2]) ? IN_NAME : NOWHERE;
}

/* Bytes of the longest head of `text` that fits `width` columns and ends at the best kind of joint
 * that there is; where there is none, of the first piece, which is wider. */
static size_t line_length(const char *text, uint32_t width) {
    size_t ends[AT_END] = {0}, i = 0;
    joint best = NOWHERE;
    for (uint32_t column = 0;; i++) {
        joint here = joint_at(text, i);
        if (here == AT_END && (column <= width || !best))
            return i;
        if (here && here < AT_END && i > 0 && (column <= width || !best)) {
            ends[here] = i;
            best = here > best ? here : best;
        }
        if (best && column > width)
            return ends[best];
        column += !continues(text[i]);
    }
}

/* Where the line after this one starts. */
static const char *next_line(const char *text, size_t length) {
    text += length;
    while (*text == ' ')
        text++;
    return *text == '\n' ? text + 1 : text;
}

/* Columns of the longest piece between two joints of at least this kind. */
static uint32_t longest_piece(const char *text, joint least) {
    uint32_t longest = 0, width = 0;
    for (size_t i = 0;; i++) {
        if (joint_at(text, i) >= least) {
            longest = width > longest ? width : longest;
            width = 0;
        }
        if (!text[i])
            return longest;
        width += !continues(text[i]) && text[i] != ' ' && text[i] != '\n';
    }
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

void hd_say(hd_str *out, const char *format, ...) {
    va_list args;
    va_start(args, format);
    hd_wrap(out, hd_vformat(out->arena, format, args), 4, HD_TABLE_WIDTH);
    va_end(args);
}

/* ---- printing ------------------------------------------------------------------- */

/* How much columns give way: each of these only when the one before was not enough. */
typedef enum yielding {
    NOT,
    TEXTS,  /* cells that may wrap break at blanks and in lists */
    TITLES, /* and titles at blanks */
    NAMES   /* and names between their parts */
} yielding;

static uint32_t wider(uint32_t a, uint32_t b) { return a > b ? a : b; }

/* The least that a column may have. */
static uint32_t least_width(const report_table *table, uint32_t column, yielding how) {
    const report_column *c = &table->columns[column];
    bool wraps = c->wraps && how > NOT;
    uint32_t title = report_text_width(c->title), width = 0;
    uint32_t least = wraps || how > TEXTS ? longest_piece(c->title, AT_BLANK) : title;
    for (size_t i = column; i < table->cells.count; i += table->count) {
        const char *cell = table->cells.data[i];
        width = wider(width, report_text_width(cell));
        least = wider(least, !wraps ? report_text_width(cell)
                                    : longest_piece(cell, how == NAMES ? IN_NAME : IN_LIST));
    }
    width = wider(width, title);
    return wraps && how == TEXTS ? wider(least, width < NARROWEST ? width : NARROWEST) : least;
}

/* As long as the table is too wide, a column goes from the widest of those that have more than
 * their least, if there is one. */
static uint32_t *choose_widths(const report_table *table) {
    uint32_t *widths = hd_new_array(table->arena, uint32_t, table->count);
    uint32_t *least = hd_new_array(table->arena, uint32_t, table->count);
    uint32_t total = INDENT + (table->count ? (table->count - 1) * GAP : 0);
    for (uint32_t c = 0; c < table->count; c++)
        total += widths[c] = least_width(table, c, NOT);
    for (yielding how = TEXTS; how <= NAMES; how++) {
        for (uint32_t c = 0; c < table->count; c++)
            least[c] = least_width(table, c, how);
        for (int widest = 0; total > table->width && widest >= 0; total -= widest >= 0) {
            widest = -1;
            for (uint32_t c = 0; c < table->count; c++)
                if (widths[c] > least[c] && (widest < 0 || widths[c] > widths[widest]))
                    widest = (int)c;
            if (widest >= 0)
                widths[widest]--;
        }
    }
    return widths;
}

/* One line of a row: the head of every cell. Moves the cells on; true while text is left. */
static bool print_line(const report_table *table, const uint32_t *widths, const char **cells,
                       hd_str *out) {
    bool more = false;
    uint32_t pending = INDENT; /* blanks owed: none are written at the end of a line */
    for (uint32_t c = 0; c < table->count; c++) {
        size_t length = line_length(cells[c], widths[c]);
        char *text = hd_strndup(table->arena, cells[c], length);
        uint32_t wide = report_text_width(text), fill = widths[c] > wide ? widths[c] - wide : 0;
        bool right = table->columns[c].align == REPORT_RIGHT;
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

void report_table_print(const report_table *table, hd_str *out, bool bold) {
    const uint32_t *widths = choose_widths(table);
    const char **cells = hd_new_array(table->arena, const char *, table->count);
    for (uint32_t c = 0; c < table->count; c++)
        cells[c] = table->columns[c].title;
    hd_str_add(out, bold ? "\033[1m" : "");
    while (print_line(table, widths, cells, out))
        continue;
    hd_str_add(out, bold ? "\033[0m" : "");
    for (size_t i = 0; i < table->cells.count; i += table->count) {
        memcpy(cells, table->cells.data + i, table->count * sizeof *cells);
        while (print_line(table, widths, cells, out))
            continue;
    }
}
