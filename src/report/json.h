/*
 * JSON values, and their text; report/result.h makes larger ones from descriptions of results.
 * Every function returns a new reference that the caller puts into a larger value or hands to
 * hd_json_dump(), as jansson's "o" format and json_*_new() functions do.
 */
#ifndef HD_REPORT_JSON_H
#define HD_REPORT_JSON_H

#include <jansson.h>

#include "base/base.h"
#include "device/device.h"
#include "locality/reuse_shape.h"
#include "measure/measure.h"
#include "trace/trace.h"

/* A string; null for NULL. Bytes that are not UTF-8 become U+FFFD. */
json_t *hd_json_text(const char *text);
/* A real; null when it is not finite, for which JSON has no word. */
json_t *hd_json_number(double value);
json_t *hd_json_integer(uint64_t value);
/* The text, indented by two blanks, with a newline at its end. Takes `value`. */
const char *hd_json_dump(hd_arena *arena, json_t *value);

json_t *hd_json_timing(const hd_timing *timing);

/* ---- rows of report/members.h, one by one ------------------------------------------- */

json_t *hd_json_integer_if(bool there, uint64_t value);
json_t *hd_json_spaces(uint32_t spaces);
json_t *hd_json_sizes(uint32_t dims, const uint64_t *sizes);
json_t *hd_json_place(const hd_place *place);
json_t *hd_json_record(const hd_record *record);
json_t *hd_json_layout(hd_arena *arena, const hd_record *record, const hd_layout *layout);
json_t *hd_json_device(hd_arena *arena, const hd_device *device);
json_t *hd_json_compute_device(const hd_compute_device *device);
json_t *hd_json_kernel(hd_arena *arena, const hd_kernel_info *info);
json_t *hd_json_measurement(const hd_measurement *measurement);
json_t *hd_json_trace_launch(hd_arena *arena, const hd_trace_launch *launch);
void hd_json_characteristic(json_t *object, const hd_reuse_stream *stream, uint64_t first,
                            uint64_t last);
void hd_json_shape(json_t *object, const hd_reuse_shape *shape);

#endif
