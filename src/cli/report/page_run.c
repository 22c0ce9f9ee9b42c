/* A run for the report page. */
#include "cli/report/page.h"
#include "analysis/shapes.h"
#include "cli/report/report_result.h"
#include "cli/report/members.h"

/* What is known before the trace is read. */
typedef struct head {
    const char *name;
    const hd_trace_contents *contents;
    const hd_device *device;
    uint32_t element;
} head;

static const hd_member device_members[] = {HD_SAME(hd_device, name, warp, segment), {0}};
static const hd_member head_members[] = {{"name", HD_AT(head, name)},
                                         {"source", HD_VIA(head, contents, HD_AT, source)},
                                         {"complete", HD_VIA(head, contents, HD_AT, complete)},
                                         {"device", HD_BEHIND(head, device), .of = device_members},
                                         {"element", HD_AT(head, element)},
                                         {0}};

static void leave_out(json_t *list, const char *section, const char *why) {
    json_array_append_new(list,
                          json_pack("{s:s, s:o}", "section", section, "why", hd_json_text(why)));
}

/* With one reading for what was counted and for what the advice is shown by. */
static hd_status add_counts(hd_arena *arena, const hd_diag *diag, hd_trace *trace,
                            const hd_page_subject *subject, const hd_page_options *o,
                            const hd_page_caches *caches, json_t *left_out, json_t *run) {
    const char *why = !subject->advice                 ? subject->why
                      : !hd_trace_get(trace)->complete ? "the run was stopped before its end"
                                                       : NULL;
    hd_shapes *shapes = why ? NULL : hd_shapes_new(arena, diag, subject->advice->job, o->device, 0);
    const hd_sink sink = shapes ? hd_shapes_sink(shapes) : (hd_sink){0};
    hd_status status =
        hd_page_locality(arena, diag, trace, o, caches->original, shapes ? &sink : NULL, run);
    if (why) {
        leave_out(left_out, "verdict", why);
        json_object_set_new(run, "verdict", json_null());
        json_object_set_new(run, "record", json_null());
    } else {
        if (status == HD_OK)
            status = hd_page_advice(arena, diag, subject, o, hd_shapes_result(shapes), caches, run);
        hd_shapes_free(shapes);
    }
    return status;
}

/* What the advice predicts for the device. */
static void add_time(hd_arena *arena, const hd_page_subject *subject, const hd_device *device,
                     json_t *left_out, json_t *run) {
    const hd_advice *advice = subject->advice;
    const hd_time_advice *time = advice ? advice->time : NULL;
    const char *why = !advice                     ? subject->why
                      : !hd_time_is_known(device) ? hd_time_unknown(arena, device)
                      : advice->recount.why       ? advice->recount.why
                                                  : "the compiled kernels were not counted";
    json_object_set_new(run, "time",
                        time ? hd_json_row(&(hd_view){arena}, hd_time_advice_members, time)
                             : json_null());
    if (!time)
        leave_out(left_out, "time", why);
}

hd_status hd_page_run(hd_arena *arena, const hd_diag *diag, hd_trace *trace,
                      const hd_page_subject *subject, const hd_page_options *o, json_t **run) {
    const head begun = {subject->name, hd_trace_get(trace), o->device,
                        o->reuse.element_bytes ? o->reuse.element_bytes : 4};
    if (!begun.contents->launch_count)
        return hd_fail(diag, HD_EINPUT, NULL, "the trace has no launches");
    json_t *object = hd_json_row(&(hd_view){arena}, head_members, &begun);
    json_t *left_out = json_array();
    hd_arena *arenas[] = {hd_arena_new(), hd_arena_new()};
    hd_page_caches caches;
    hd_page_simulate(arenas, trace, subject, o, &caches);
    hd_status status = add_counts(arena, diag, trace, subject, o, &caches, left_out, object);
    const hd_view view = {arena};
    add_time(arena, subject, o->device, left_out, object);
    if (!caches.original)
        leave_out(left_out, "caches", caches.why);
    json_object_set_new(object, "caches",
                        caches.original ? hd_json_row(&view, hd_page_cache_members, &caches)
                                        : json_null());
    hd_arena_free(arenas[0]);
    hd_arena_free(arenas[1]);
    if (status == HD_OK && o->all)
        status = hd_page_reuse(diag, trace, o, object);
    if (!o->all) {
        leave_out(left_out, "reuse", "it takes longer than the run itself: ask for it with --all");
        json_object_set_new(object, "characteristics", json_array());
        json_object_set_new(object, "blocks", json_array());
    }
    json_object_set_new(object, "left_out", left_out);
    if (status != HD_OK) {
        json_decref(object);
        object = NULL;
    }
    *run = object;
    return status;
}
