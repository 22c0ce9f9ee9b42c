/*
 * Results as JSON; docs/json.md is the schema. Every function returns a new
 * reference that the caller puts into a larger value or hands to
 * hd_json_dump(), as jansson's "o" format and json_*_new() functions do.
 */
#ifndef HD_REPORT_JSON_H
#define HD_REPORT_JSON_H

#include <jansson.h>

#include "device/device.h"
#include "kernel/kernel.h"
#include "layout/layout.h"
#include "locality/coalesce.h"
#include "locality/reuse_shape.h"
#include "measure/measure.h"
#include "trace/trace.h"
#include "vm/vm.h"

/* ---- json.c: values -------------------------------------------------------------- */

/* A string; null for NULL. Bytes that are not UTF-8 become U+FFFD. */
json_t *hd_json_text(const char *text);
/* A real; null when it is not finite, for which JSON has no word. */
json_t *hd_json_number(double value);
json_t *hd_json_integer(uint64_t value);
/* null unless `there`. */
json_t *hd_json_integer_if(bool there, uint64_t value);
/* An array of the names of spaces, bits 1 << kir_space. */
json_t *hd_json_spaces(uint32_t spaces);
/* An array with an integer for each dimension. */
json_t *hd_json_sizes(uint32_t dims, const uint64_t *sizes);
/* The text, indented by two blanks, with a newline at its end. Takes `value`. */
const char *hd_json_dump(hd_arena *arena, json_t *value);

/* ---- json_model.c: what the headers of the other folders define ------------------- */

json_t *hd_json_place(const hd_place *place);
json_t *hd_json_record(const hd_record *record);
json_t *hd_json_layout(hd_arena *arena, const hd_record *record, const hd_layout *layout);
json_t *hd_json_device(hd_arena *arena, const hd_device *device);
json_t *hd_json_compute_device(const hd_compute_device *device);
json_t *hd_json_affine(hd_arena *arena, const kir_kernel *kernel, hd_affine form);
json_t *hd_json_access(hd_arena *arena, const hd_kernel_info *info, const hd_access *access);
/* A kernel under a launch: its loops and its accesses. */
json_t *hd_json_kernel(hd_arena *arena, const hd_kernel_info *info);
json_t *hd_json_timing(const hd_timing *timing);
json_t *hd_json_measurement(const hd_measurement *measurement);

/* ---- json_run.c: runs of the machine, and traces ------------------------------------ */

json_t *hd_json_counts(const hd_vm_counts *counts);
json_t *hd_json_moved(const char *device, const hd_coalesce_counts *moved);
/* A launch of a trace file, with its tables of accesses and buffers. */
json_t *hd_json_trace_launch(const hd_trace_launch *launch);

/* ---- json_reuse.c: characteristics (docs/report.md has their members) ----------------- */

/* Sets the members from `mis` to `degree`; distances from `first` to `last`. */
void hd_json_characteristic(json_t *object, const hd_reuse_stream *stream, uint64_t first,
                            uint64_t last);
/* Sets the members from `domain` to `peaks`. */
void hd_json_shape(json_t *object, const hd_reuse_shape *shape);

#endif
