/* Predicted times. */
#include "cli/report/members.h"

HD_GETTER(bound_of, hd_time,
          row->seconds > 0 ? hd_text(hd_time_bound_title(row->bound)) : hd_null())
const hd_member hd_time_members[] = {{"seconds", "seconds", HD_SECONDS, HD_AT(hd_time, seconds)},
                                     {"low", HD_AT(hd_time, low)},
                                     {"high", HD_AT(hd_time, high)},
                                     {"bound", .get = bound_of},
                                     {"share", HD_AT(hd_time, share)},
                                     {0}};
const hd_member hd_time_gain_members[] = {HD_SAME(hd_time_gain, times, low, high), {0}};

/* What no kernel can exceed, in bytes and in operations per second; 0: not known. */
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

static const hd_member kernel_members[] = {
    HD_SAME(hd_kernel_time, kernel, runs, flops, fp64, dram_bytes),
    {"flops_after", HD_AT(hd_kernel_time, flops_after), HD_IF(hd_kernel_time, after)},
    {"dram_bytes_after", HD_AT(hd_kernel_time, dram_bytes_after), HD_IF(hd_kernel_time, after)},
    {"before", HD_IN(hd_kernel_time, before), .of = hd_time_members},
    {"after", HD_IN(hd_kernel_time, after), HD_IF(hd_kernel_time, after), .of = hd_time_members},
    {0}};

const hd_member hd_time_advice_members[] = {
    {"before", HD_IN(hd_time_advice, before), .of = hd_time_members},
    {"after", HD_IN(hd_time_advice, after), HD_IF(hd_time_advice, after), .of = hd_time_members},
    {"gain", HD_IN(hd_time_advice, gain), .of = hd_time_gain_members},
    {"copies", HD_AT(hd_time_advice, copies)},
    {"conversions", HD_AT(hd_time_advice, conversions)},
    {"program", HD_IN(hd_time_advice, program), .of = hd_time_gain_members},
    {"roofs", .get = roofs_of, .of = roof_members},
    {"kernels", HD_MANY(hd_time_advice, kernels, count), .of = kernel_members},
    {0}};
