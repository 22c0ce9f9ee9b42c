/*
 * Results as text and as JSON, from their descriptions (base/result.h). The tables of structs
 * that several commands print are in cli/report/members.h.
 */
#ifndef HD_REPORT_RESULT_H
#define HD_REPORT_RESULT_H

#include <jansson.h>

#include "base/result.h"
#include "cli/report/report.h"
#include "base/base.h"

/* ---- text, and tables of HTML ------------------------------------------------------------ */

/* What the text is for. */
typedef struct hd_style {
    uint32_t width; /* of the terminal, in columns; 0: HD_TABLE_WIDTH */
    bool bold;      /* titles, for a terminal */
} hd_style;

/* Rows as a table, with a column for each member that has a title. A member with a title and
 * rows of its own has a column for each of these rows and each titled member of theirs: where
 * that one's title has "%s", the text of its row's first member stands there. The first row
 * tells how many these are. */
void hd_show_rows(const hd_view *view, const hd_member *members, hd_value rows, hd_style style,
                  hd_str *out);
/* The same as a table of HTML, whose numbers are of class "right". */
void hd_html_rows(const hd_view *view, const hd_member *members, hd_value rows, hd_str *out);
/* One row as lines of a title and its value; a member that has no value has no line. */
void hd_show_row(const hd_view *view, const hd_member *members, const void *row, hd_str *out);
/* A value as it stands in a table. */
const char *hd_show_value(hd_arena *arena, hd_unit unit, hd_value value);

/* ---- JSON ---------------------------------------------------------------------------------- */

/* An object; and one value, where `of` has the members of its rows. */
json_t *hd_json_row(const hd_view *view, const hd_member *members, const void *row);
json_t *hd_json_value(const hd_view *view, const hd_member *of, hd_value value);
/* Adds the members of a row to an object. */
void hd_json_add_row(json_t *object, const hd_view *view, const hd_member *members,
                     const void *row);

/* ---- json.c: values, and their text -------------------------------------------------------------- */

/* A string; null for NULL. Bytes that are not UTF-8 become U+FFFD. */
json_t *hd_json_text(const char *text);
/* A real; null when it is not finite, for which JSON has no word. */
json_t *hd_json_number(double value);
json_t *hd_json_integer(uint64_t value);
/* The text, indented by two blanks, with a newline at its end. Takes `value`. */
const char *hd_json_dump(hd_arena *arena, json_t *value);

#endif
