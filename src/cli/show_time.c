/* Advice in time, as text. */
#include "cli/show_advice.h"

HD_GETTER(bound_before, hd_kernel_time, hd_text(hd_bound_print(view->arena, &row->before)))
HD_GETTER(bound_after, hd_kernel_time,
          row->after.seconds > 0 ? hd_text(hd_bound_print(view->arena, &row->after)) : hd_null())
HD_GETTER(seconds_after, hd_kernel_time,
          row->after.seconds > 0 ? hd_real(row->after.seconds) : hd_null())
static const hd_member before_columns[] = {
    {NULL, "kernel", HD_PLAIN, HD_AT(hd_kernel_time, kernel)},
    {NULL, "runs", HD_COUNT, HD_AT(hd_kernel_time, runs)},
    {NULL, "now", HD_SECONDS, HD_AT(hd_kernel_time, before.seconds)},
    {NULL, "bound by", HD_PLAIN, .get = bound_before},
    {0}};
static const hd_member both_columns[] = {
    {NULL, "kernel", HD_PLAIN, HD_AT(hd_kernel_time, kernel)},
    {NULL, "runs", HD_COUNT, HD_AT(hd_kernel_time, runs)},
    {NULL, "now", HD_SECONDS, HD_AT(hd_kernel_time, before.seconds)},
    {NULL, "bound by", HD_PLAIN, .get = bound_before},
    {NULL, "then", HD_SECONDS, .get = seconds_after},
    {NULL, "bound by", HD_PLAIN, .get = bound_after},
    {0}};

/* What a program has to do besides, for the layout to come to. */
static const char *program_text(hd_arena *arena, const hd_time_advice *t) {
    const char *besides =
        t->copies > 0
            ? hd_format(arena, "%s of copies over the link and %s of conversions",
                        hd_show_seconds(arena, t->copies), hd_show_seconds(arena, t->conversions))
            : hd_format(arena, "%s of conversions", hd_show_seconds(arena, t->conversions));
    return hd_format(arena, "; with %s, run once, %s", besides, hd_gain_print(arena, t->program));
}

void cli_show_time(cli *c, const hd_advice *advice, hd_str *out) {
    const hd_time_advice *t = advice->time;
    if (!t)
        return;
    const bool changes = t->after.seconds > 0;
    if (changes)
        hd_say(out, "  predicted on %s: %s (%s before; %s after)%s", t->device->name,
               hd_gain_print(c->arena, t->gain), hd_bound_print(c->arena, &t->before),
               hd_bound_print(c->arena, &t->after), program_text(c->arena, t));
    else
        hd_say(out, "  predicted on %s: %s, between %s and %s (%s)", t->device->name,
               hd_show_seconds(c->arena, t->before.seconds),
               hd_show_seconds(c->arena, t->before.low), hd_show_seconds(c->arena, t->before.high),
               hd_bound_print(c->arena, &t->before));
}

void cli_show_kernel_times(cli *c, const hd_advice *advice, hd_str *out) {
    const hd_time_advice *t = advice->time;
    const bool changes = t && t->after.seconds > 0;
    if (t && (changes || t->count > 1))
        cli_show_rows(c, hd_format(c->arena, "\nPredicted time on %s", t->device->name),
                      changes ? both_columns : before_columns, hd_rows(t->kernels, t->count), out);
}
