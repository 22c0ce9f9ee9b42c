/* What the machine has run, and what a trace file holds, as JSON. */
#include "report/json.h"

static void set(json_t *object, const char *key, json_t *value) {
    json_object_set_new(object, key, value);
}

json_t *hd_json_counts(const hd_vm_counts *counts) {
    json_t *object = json_object();
    set(object, "blocks", hd_json_integer(counts->blocks));
    set(object, "instructions", hd_json_integer(counts->instructions));
    set(object, "thread_instructions", hd_json_integer(counts->thread_instructions));
    set(object, "mis", hd_json_integer(counts->mis));
    set(object, "lane_accesses", hd_json_integer(counts->lane_accesses));
    set(object, "seconds", hd_json_number(counts->seconds));
    return object;
}

json_t *hd_json_moved(const char *device, const hd_coalesce_counts *moved) {
    json_t *object = json_object();
    set(object, "device", hd_json_text(device));
    set(object, "requests", hd_json_integer(moved->requests));
    set(object, "transactions", hd_json_integer(moved->transactions));
    set(object, "bytes_moved", hd_json_integer(moved->bytes_moved));
    set(object, "bytes_used", hd_json_integer(moved->bytes_used));
    return object;
}

/* ---- traces -------------------------------------------------------------------------- */

static json_t *event_access(const hd_event_launch *launch, const hd_event_access *a) {
    json_t *object = json_object();
    const hd_place place = {.file = a->file < launch->file_count ? launch->files[a->file] : NULL,
                            .line = a->line,
                            .column = a->column};
    set(object, "kind", json_string(hd_access_kind_name(a->kind)));
    set(object, "space", json_string(kir_space_name(a->space)));
    set(object, "place", hd_json_place(&place));
    set(object, "buffer", hd_json_text(a->buffer >= 0 ? launch->buffers[a->buffer].name : NULL));
    set(object, "record", hd_json_text(a->record));
    set(object, "field", hd_json_text(a->field));
    set(object, "width", hd_json_integer(a->width));
    return object;
}

static json_t *event_buffer(const hd_event_buffer *b) {
    json_t *object = json_object();
    set(object, "name", hd_json_text(b->name));
    set(object, "type", hd_json_text(b->type));
    set(object, "space", json_string(kir_space_name(b->space)));
    set(object, "base", hd_json_integer(b->base));
    set(object, "bytes", hd_json_integer(b->bytes));
    set(object, "element_bytes", hd_json_integer(b->element_bytes));
    set(object, "record", b->record ? hd_json_record(b->record) : json_null());
    return object;
}

json_t *hd_json_trace_launch(const hd_trace_launch *traced) {
    json_t *object = json_object(), *accesses = json_array(), *buffers = json_array();
    const hd_event_launch *launch = &traced->launch;
    set(object, "number", hd_json_integer(launch->number));
    set(object, "kernel", hd_json_text(launch->kernel));
    set(object, "groups", hd_json_sizes(launch->dims, launch->groups));
    set(object, "local", hd_json_sizes(launch->dims, launch->local));
    set(object, "offset", hd_json_sizes(launch->dims, launch->offset));
    set(object, "blocks", hd_json_integer(traced->block_count));
    set(object, "mis", hd_json_integer(traced->mis));
    set(object, "lane_accesses", hd_json_integer(traced->lane_accesses));
    set(object, "bytes", hd_json_integer(traced->bytes));
    set(object, "complete", json_boolean(traced->complete));
    for (uint32_t a = 0; a < launch->access_count; a++)
        json_array_append_new(accesses, event_access(launch, &launch->accesses[a]));
    set(object, "accesses", accesses);
    for (uint32_t b = 0; b < launch->buffer_count; b++)
        json_array_append_new(buffers, event_buffer(&launch->buffers[b]));
    set(object, "buffers", buffers);
    return object;
}
