/*
 * JSON values, and their text; cli/report/report_result.h makes larger ones from descriptions of results.
 * Every function returns a new reference that the caller puts into a larger value or hands to
 * hd_json_dump(), as jansson's "o" format and json_*_new() functions do.
 */
#ifndef HD_REPORT_JSON_H
#define HD_REPORT_JSON_H

#include <jansson.h>

#include "base/base.h"

/* A string; null for NULL. Bytes that are not UTF-8 become U+FFFD. */
json_t *hd_json_text(const char *text);
/* A real; null when it is not finite, for which JSON has no word. */
json_t *hd_json_number(double value);
json_t *hd_json_integer(uint64_t value);
/* The text, indented by two blanks, with a newline at its end. Takes `value`. */
const char *hd_json_dump(hd_arena *arena, json_t *value);

#endif
