/*
 * What results say of structs that other folders define: tables of members, for
 * cli/report/report_result.h. docs/json.md has their keys. A table is for the struct that its comment names.
 */
#ifndef HD_REPORT_MEMBERS_H
#define HD_REPORT_MEMBERS_H

#include "advise/mapping.h"
#include "advise/timing.h"
#include "base/result.h"
#include "device/device.h"
#include "advise/explore/study.h"
#include "kernel/kernel.h"
#include "layout/layout.h"
#include "model/time.h"
#include "analysis/cache.h"
#include "analysis/reuse_shape.h"

/* The names of spaces, bits 1 << kir_space, as a list. */
hd_value hd_space_names(hd_arena *arena, uint32_t spaces);
/* "64,64". */
const char *hd_show_sizes(hd_arena *arena, uint32_t dims, const uint64_t *sizes);

/* ---- members_kernel.c --------------------------------------------------------------------- */

extern const hd_member hd_place_members[];    /* hd_place */
extern const hd_member hd_left_out_members[]; /* kir_left_out */
extern const hd_member hd_field_members[];    /* hd_field; with its columns */
extern const hd_member hd_record_members[];   /* hd_record */
extern const hd_member hd_layout_members[];   /* hd_layout; context: its hd_record. As a column, its
                                             * notation */
extern const hd_member hd_access_members[];   /* hd_access; context: its hd_kernel_info */
extern const hd_member hd_kernel_members[];   /* hd_kernel_info: loops and accesses of a launch */
/* What an access reaches: the parameter or variable that its address starts from, and the scalar or
 * field of its record; "bodies.pos.x", "bins", "(unknown)". */
const char *hd_access_target(hd_arena *arena, const kir_kernel *kernel, const hd_access *access);
/* Elements, or "soa". */
hd_value hd_tile_value(uint64_t tile);

/* ---- members_device.c --------------------------------------------------------------------- */

extern const hd_member hd_device_members[];         /* hd_device; with its columns */
extern const hd_member hd_energy_members[];         /* hd_energy; with its columns */
extern const hd_member hd_meter_source_members[];   /* hd_meter_source; the same */
extern const hd_member hd_device_lines[];           /* hd_device, as lines of its own */
extern const hd_member hd_compute_device_members[]; /* hd_compute_device; with its columns */
extern const hd_member hd_timing_members[];         /* hd_timing; with its columns */
extern const hd_member hd_measurement_members[];    /* hd_measurement */

/* ---- members_run.c ------------------------------------------------------------------------ */

extern const hd_member hd_counts_members[];       /* hd_vm_counts; with its columns */
extern const hd_member hd_trace_launch_members[]; /* hd_trace_launch, its accesses and buffers */
extern const hd_member hd_event_access_members[]; /* hd_event_access; context: its hd_event_launch.
                                                   * With its columns */
extern const hd_member
    hd_event_access_columns[]; /* hd_event_access, the same: line, kind, target */
extern const hd_member hd_event_buffer_members[]; /* hd_event_buffer; with its columns */
extern const hd_member hd_shape_members[];        /* hd_reuse_shape: `domain` to `peaks` */
extern const hd_member hd_peak_members[]; /* hd_reuse_peak; context: its hd_reuse_shape. With
                                                   * its columns */

/* A characteristic at distances from `first` to `last`. */
typedef struct hd_reuse_of {
    const hd_reuse_stream *stream;
    uint64_t first, last;
} hd_reuse_of;
extern const hd_member hd_characteristic_members[]; /* hd_reuse_of: `mis` to `degree` */

/* ---- members_cache.c ---------------------------------------------------------------------- */

/* An access of a simulated launch. */
typedef struct hd_cache_access {
    const hd_event_access *access;
    const hd_cache_sum *sum;
} hd_cache_access;
extern const hd_member hd_cache_access_members[]; /* hd_cache_access; context: its hd_event_launch.
                                                   * With its columns */
extern const hd_member hd_cache_access_columns[]; /* hd_cache_access, the same: the columns */
extern const hd_member hd_cache_launch_members[]; /* hd_cache_launch and its accesses */
extern const hd_member hd_cache_place_members[];  /* hd_cache_place; with its columns */
extern const hd_member hd_caches_members[];       /* hd_caches */

/* ---- members_time.c ----------------------------------------------------------------------- */

extern const hd_member hd_time_members[];        /* hd_time */
extern const hd_member hd_time_gain_members[];   /* hd_time_gain */
extern const hd_member hd_time_advice_members[]; /* hd_time_advice */

/* ---- members_map.c ------------------------------------------------------------------------ */

extern const hd_member hd_map_step_members[];   /* hd_map_step, for JSON */
extern const hd_member hd_map_step_columns[];   /* hd_map_step that was run */
extern const hd_member hd_map_graph_columns[];  /* hd_map_step of a trace */
extern const hd_member hd_map_time_columns[];   /* hd_map_step that was timed */
extern const hd_member hd_map_launch_members[]; /* hd_map_launch, for JSON */

/* ---- members_explore.c -------------------------------------------------------------------- */

/* A point of a line, and a handover of one; context of all: the hd_study. */
typedef struct hd_line_stop {
    int dimension;
    const hd_study_point *point;
} hd_line_stop;
typedef struct hd_line_handover {
    const hd_line *line;
    const hd_handover *handover;
} hd_line_handover;
hd_value hd_line_stops(hd_arena *arena, const hd_study *study, const hd_line *line);
hd_value hd_study_handovers(hd_arena *arena, const hd_study *study); /* of all lines */
/* "Sparsity (objects apart)", with what is not usual of the other dimensions. */
const char *hd_line_title(hd_arena *arena, const hd_line *line);
extern const hd_member hd_line_stop_members[];     /* hd_line_stop; with its columns */
extern const hd_member hd_line_handover_members[]; /* hd_line_handover; with its columns */
extern const char hd_findings_from[];              /* the paper that has the findings */
extern const hd_member hd_finding_members[];       /* hd_finding; with its columns */
extern const hd_member hd_study_members[]; /* hd_study, as lines of its own; in JSON with all
                                                * that it shows */

#endif
