/*
 * How results look: messages, numbers, tables. Nothing here prints by itself:
 * text goes into an hd_str, and only messages go straight to a FILE that the
 * command line chose. JSON is in cli/report/report_result.h.
 */
#ifndef HD_REPORT_H
#define HD_REPORT_H

#include <stdio.h>

#include "base/base.h"
#include "base/number.h"

/* ---- message.c: file:line:col: error: text, the line, a caret --------------- */

typedef struct hd_printer {
    FILE *out;
    bool colour;
    bool quiet;    /* errors only */
    bool progress; /* a line of progress stands on the terminal and must go first */
} hd_printer;

/* An hd_message_fn; its user is an hd_printer. */
void hd_print_message(const hd_message *message, void *printer);

/* The text as a terminal may see it: control characters, which it would obey, are '?'. Tabs
 * stay, with `lines` ends of lines, too. The text itself when nothing changes. */
const char *hd_plain_text(hd_arena *arena, const char *text, bool lines);

/* ---- report_table.c: columns that fit the terminal ------------------------------------- */

/* Where there is no terminal. */
enum { HD_TABLE_WIDTH = 80 };

typedef enum report_align { REPORT_LEFT, REPORT_RIGHT } report_align;

typedef struct report_column {
    const char *title;
    report_align align;
    bool wraps; /* gives way, by breaking cells into lines, when the table is too wide */
} report_column;

typedef struct report_table report_table;

/* report_table *t = report_table_new(arena, columns, 3);
 * report_table_row(t, (const char *[]){"0", "load", "bodies.x"});
 * report_table_print(t, &out, false);
 * Strings are borrowed and must live in the arena; a NULL cell is empty. Control characters are
 * shown as '?'. */
report_table *report_table_new(hd_arena *arena, const report_column *columns, uint32_t count);
/* Columns of the terminal; 0: HD_TABLE_WIDTH, as without this. */
void report_table_set_width(report_table *table, uint32_t width);
void report_table_row(report_table *table, const char *const *cells);
/* Indents every line by two blanks and keeps to the width, unless columns that don't wrap, names
 * or words need more. `bold` sets the titles in bold for a terminal. */
void report_table_print(const report_table *table, hd_str *out, bool bold);

/* Breaks `text` at blanks, in lists or between the parts of a name, so that lines end before column
 * `width`, but no word. Every line but the first starts with `indent` blanks; the first is taken to
 * start there. */
void hd_wrap(hd_str *out, const char *text, uint32_t indent, uint32_t width);
/* A paragraph of a result: wrapped, with four blanks before each line but the first. */
void hd_say(hd_str *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Columns that UTF-8 text takes on a terminal (one for each code point). */
uint32_t report_text_width(const char *text);

#endif
