/* Sizes and arguments that are read from buffers while a job runs. */
#include "job/job.h"

uint64_t hd_spot_byte(const hd_job *job, const hd_spot *spot) {
    return hd_buffer_byte(&job->buffers[spot->buffer], spot->element, spot->offset);
}

static hd_status read_items(hd_arena *arena, const hd_diag *diag, const hd_launch *launch,
                            const hd_spot_reader *reader, hd_launch *now) {
    const hd_spot *spot = launch->items_from;
    uint8_t bytes[8] = {0};
    uint64_t items = 0;
    hd_status status = reader->read(reader->self, spot, bytes);
    if (status != HD_OK)
        return status;
    memcpy(&items, bytes, spot->type.bits / 8u);
    const char *text = hd_type_print(arena, spot->type, spot->is_signed, bytes);
    if (*text == '-' || items > launch->global[0] / launch->items_each)
        return hd_fail(
            diag, HD_EINPUT, &spot->place,
            "element %llu of buffer '%s' holds %s, so that the launch of '%s' would have "
            "%s%s work-items; the job gives it up to %llu",
            (unsigned long long)spot->element, spot->buffer_name, text, launch->kernel_name, text,
            launch->items_each == 1
                ? ""
                : hd_format(arena, " times %llu", (unsigned long long)launch->items_each),
            (unsigned long long)launch->global[0]);
    now->global[0] = hd_align_up(items * launch->items_each, launch->local[0]);
    now->items_from = NULL;
    return HD_OK;
}

static hd_status read_value(hd_arena *arena, const hd_diag *diag, const hd_spot_reader *reader,
                            hd_arg *arg) {
    const hd_spot *spot = arg->from;
    uint8_t bytes[8] = {0};
    hd_status status = reader->read(reader->self, spot, bytes);
    if (status != HD_OK)
        return status;
    const char *text = hd_type_print(arena, spot->type, spot->is_signed, bytes);
    arg->value = hd_new_array(arena, uint8_t, 16);
    if (!hd_type_parse_value(arg->type, true, text, arg->value) &&
        !hd_type_parse_value(arg->type, false, text, arg->value))
        return hd_fail(diag, HD_EINPUT, &spot->place,
                       "element %llu of buffer '%s' holds %s, which does not fit argument '%s'",
                       (unsigned long long)spot->element, spot->buffer_name, text, arg->name);
    arg->value_text = text;
    arg->from = NULL;
    return HD_OK;
}

hd_status hd_launch_now(hd_arena *arena, const hd_diag *diag, const hd_launch *launch,
                        const hd_spot_reader *reader, hd_launch *now) {
    hd_status status = HD_OK;
    *now = *launch;
    if (launch->items_from)
        status = read_items(arena, diag, launch, reader, now);
    now->args = hd_new_array(arena, hd_arg, launch->arg_count);
    for (uint32_t a = 0; a < launch->arg_count && status == HD_OK; a++) {
        now->args[a] = launch->args[a];
        if (now->args[a].from)
            status = read_value(arena, diag, reader, &now->args[a]);
    }
    return status;
}

hd_status hd_launch_is_over(const hd_launch *launch, const hd_spot_reader *reader, bool *over,
                            bool *is_over) {
    const hd_until *until = launch->until;
    uint8_t value[sizeof until->value];
    hd_status status = HD_OK;
    *is_over = false;
    if (!until)
        return HD_OK;
    if (launch->begins_round && !over[until->number]) {
        status = reader->read(reader->self, &until->spot, value);
        over[until->number] = !status && !memcmp(value, until->value, until->spot.type.bits / 8u);
    }
    *is_over = over[until->number];
    return status;
}
