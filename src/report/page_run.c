/* A run for the report page. */
#include "report/page_run.h"
#include "report/json.h"

hd_status hd_page_run(hd_arena *arena, const hd_diag *diag, hd_trace *trace, const char *name,
                      const hd_page_options *o, json_t **run) {
    const hd_trace_contents *contents = hd_trace_get(trace);
    json_t *object =
        json_pack("{s:o, s:o, s:b, s:{s:s, s:i, s:i}, s:i}", "name", hd_json_text(name), "source",
                  hd_json_text(contents->source), "complete", contents->complete, "device", "name",
                  o->device->name, "warp", (int)o->device->warp, "segment", (int)o->device->segment,
                  "element", (int)(o->reuse.element_bytes ? o->reuse.element_bytes : 4));
    hd_status status = hd_page_locality(arena, diag, trace, o, object);
    if (status == HD_OK)
        status = hd_page_reuse(diag, trace, o, object);
    if (status != HD_OK) {
        json_decref(object);
        object = NULL;
    }
    *run = object;
    return status;
}
