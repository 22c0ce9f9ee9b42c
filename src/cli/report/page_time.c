/* Predicted times for the report page, and the roofs that its picture of them has. */
#include "cli/report/page.h"
#include "cli/report/members.h"
#include "cli/report/report_result.h"

/* In bytes, and in operations, per second; 0: not known. */
typedef struct roofs {
    double dram, l2, fp32, fp64;
} roofs;

static hd_value roofs_of(const hd_view *view, const void *at) {
    enum { OF_A_MULTIPLY_ADD = 2 };
    const hd_device *d = ((const hd_time_advice *)at)->device;
    const hd_device_speed *v = &d->speed;
    const double clocks = v->clock * 1e6 * d->sms * OF_A_MULTIPLY_ADD;
    roofs *r = hd_new(view->arena, roofs);
    *r = (roofs){v->dram * 1e9, v->l2 * 1e9, clocks * v->fp32, clocks * v->fp64};
    return hd_row(r);
}

static const hd_member roof_members[] = {{"dram", HD_AT(roofs, dram)},
                                         {"l2", HD_AT(roofs, l2), HD_IF(roofs, l2)},
                                         {"fp32", HD_AT(roofs, fp32)},
                                         {"fp64", HD_AT(roofs, fp64), HD_IF(roofs, fp64)},
                                         {0}};
static const hd_member page_members[] = {
    {HD_SELF, .of = hd_time_advice_members}, {"roofs", .get = roofs_of, .of = roof_members}, {0}};

const char *hd_page_time(hd_arena *arena, const hd_page_subject *subject, const hd_device *device,
                         json_t *run) {
    const hd_advice *advice = subject->advice;
    const hd_time_advice *time = advice ? advice->time : NULL;
    const hd_view view = {arena};
    json_object_set_new(run, "time", time ? hd_json_row(&view, page_members, time) : json_null());
    return time                        ? NULL
           : !advice                   ? subject->why
           : !hd_time_is_known(device) ? hd_time_unknown(arena, device)
           : advice->recount.why       ? advice->recount.why
                                       : "the compiled kernels were not counted";
}
