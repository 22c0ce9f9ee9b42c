/* A run for the report page. */
#include "report/page_run.h"
#include "report/members.h"
#include "report/result.h"

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

hd_status hd_page_run(hd_arena *arena, const hd_diag *diag, hd_trace *trace, const char *name,
                      const hd_page_options *o, json_t **run) {
    const head begun = {name, hd_trace_get(trace), o->device,
                        o->reuse.element_bytes ? o->reuse.element_bytes : 4};
    json_t *object = hd_json_row(&(hd_view){arena}, head_members, &begun);
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
