/* The structures of records, layouts, devices, accesses and times as JSON. */
#include "report/json.h"

/* Sets a member, taking the value. */
static void set(json_t *object, const char *key, json_t *value) {
    json_object_set_new(object, key, value);
}

json_t *hd_json_place(const hd_place *place) {
    json_t *object = json_object();
    set(object, "file", hd_json_text(place->file));
    set(object, "line", hd_json_integer(place->line));
    set(object, "column", hd_json_integer(place->column));
    return object;
}

static json_t *field(const hd_field *f) {
    json_t *object = json_object();
    set(object, "name", hd_json_text(f->name));
    set(object, "type", hd_json_text(f->type));
    set(object, "offset", hd_json_integer(f->offset));
    set(object, "size", hd_json_integer(f->size));
    set(object, "align", hd_json_integer(f->align));
    set(object, "count", hd_json_integer(f->count));
    if (f->record)
        set(object, "record", hd_json_record(f->record));
    return object;
}

json_t *hd_json_record(const hd_record *record) {
    json_t *object = json_object(), *fields = json_array();
    set(object, "name", hd_json_text(record->name));
    set(object, "spelling", hd_json_text(record->spelling));
    set(object, "size", hd_json_integer(record->size));
    set(object, "align", hd_json_integer(record->align));
    for (uint32_t i = 0; i < record->field_count; i++)
        json_array_append_new(fields, field(&record->fields[i]));
    set(object, "fields", fields);
    return object;
}

json_t *hd_json_layout(hd_arena *arena, const hd_record *record, const hd_layout *layout) {
    json_t *object = json_object(), *clusters = json_array();
    set(object, "notation", hd_json_text(hd_layout_print(arena, record, layout)));
    for (uint32_t c = 0; c < layout->count; c++) {
        const hd_cluster *from = &layout->clusters[c];
        json_t *cluster = json_object(), *fields = json_array();
        for (uint32_t i = 0; i < from->count; i++)
            json_array_append_new(fields, hd_json_text(record->fields[from->order[i]].name));
        set(cluster, "fields", fields);
        set(cluster, "tile",
            from->tile == HD_TILE_SOA ? json_string("soa") : hd_json_integer(from->tile));
        json_array_append_new(clusters, cluster);
    }
    set(object, "clusters", clusters);
    set(object, "discrete", json_boolean(layout->discrete));
    return object;
}

static json_t *cache(hd_cache c) {
    return c.size ? json_pack("{s:o, s:o}", "size", hd_json_integer(c.size), "line",
                              hd_json_integer(c.line))
                  : json_null();
}

json_t *hd_json_device(hd_arena *arena, const hd_device *device) {
    json_t *object = json_object();
    set(object, "name", hd_json_text(device->name));
    set(object, "title", hd_json_text(device->title));
    set(object, "warp", hd_json_integer(device->warp));
    set(object, "segment", hd_json_integer(device->segment));
    set(object, "coalescing", json_string(hd_coalescing_name(device->coalescing)));
    set(object, "l1", cache(device->l1));
    set(object, "l2", cache(device->l2));
    set(object, "weights",
        json_pack("{s:o, s:o, s:o}", "l1", hd_json_number(device->w_l1), "l2",
                  hd_json_number(device->w_l2), "dram", hd_json_number(device->w_dram)));
    set(object, "sms", hd_json_integer(device->sms));
    set(object, "max_blocks", hd_json_integer(device->max_blocks));
    set(object, "max_threads", hd_json_integer(device->max_threads));
    set(object, "registers", hd_json_integer(device->registers));
    set(object, "max_registers", hd_json_integer(device->max_registers));
    set(object, "synthetic", hd_json_text(hd_device_print(arena, device)));
    set(object, "file", hd_json_text(device->source_file));
    return object;
}

json_t *hd_json_compute_device(const hd_compute_device *device) {
    json_t *object = json_object();
    set(object, "backend", hd_json_text(device->backend));
    set(object, "id", hd_json_text(device->id));
    set(object, "platform", hd_json_text(device->platform));
    set(object, "name", hd_json_text(device->name));
    set(object, "driver", hd_json_text(device->driver));
    return object;
}

/* ---- kernels ----------------------------------------------------------------------- */

static const char *const symbol_names[] = {
    [HD_SYM_GROUP] = "group", [HD_SYM_LOCAL] = "local", [HD_SYM_GLOBAL] = "global",
    [HD_SYM_SIZE] = "size",   [HD_SYM_PARAM] = "param", [HD_SYM_LOOP] = "loop",
    [HD_SYM_VALUE] = "value"};
static const char *const pred_names[] = {
#define X(name, text) text,
    KIR_PREDS(X)
#undef X
};
static const char *const trip_names[] = {[HD_TRIP_CONSTANT] = "constant",
                                         [HD_TRIP_BOUND] = "bound",
                                         [HD_TRIP_VARYING] = "varying",
                                         [HD_TRIP_UNKNOWN] = "unknown"};

json_t *hd_json_affine(hd_arena *arena, const kir_kernel *kernel, hd_affine form) {
    json_t *object = json_object(), *terms = json_array();
    set(object, "text", hd_json_text(hd_affine_print(arena, kernel, form)));
    set(object, "constant", json_integer(form.constant));
    for (uint32_t i = 0; i < form.term_count; i++)
        json_array_append_new(terms, json_pack("{s:s, s:o, s:I}", "symbol",
                                               symbol_names[form.terms[i].kind], "index",
                                               hd_json_integer(form.terms[i].index), "factor",
                                               (json_int_t)form.terms[i].factor));
    set(object, "terms", terms);
    return object;
}

/* What an access touches: a parameter or a static variable, and a field of it. */
static void set_target(json_t *object, const kir_kernel *kernel, const hd_access *a) {
    const char *buffer = a->param >= 0          ? kernel->params[a->param].name
                         : a->static_index >= 0 ? kernel->statics[a->static_index].name
                                                : NULL;
    bool named = a->record && a->field >= 0;
    set(object, "buffer", hd_json_text(buffer));
    set(object, "record", hd_json_text(a->record ? a->record->name : NULL));
    set(object, "field", hd_json_text(named ? a->record->fields[a->field].name : NULL));
    set(object, "field_byte", hd_json_integer(a->field_byte));
    set(object, "width", hd_json_integer(a->width));
}

/* Of each loop around the access, the outermost first. */
static json_t *runs_in_loops(const hd_kernel_info *info, const hd_access *a) {
    json_t *list = json_array();
    uint64_t runs;
    for (int32_t l = a->loop; l >= 0; l = info->flow->loops[l].parent)
        json_array_insert_new(
            list, 0, hd_runs_in_loop(info, a, l, &runs) ? hd_json_integer(runs) : json_null());
    return list;
}

json_t *hd_json_access(hd_arena *arena, const hd_kernel_info *info, const hd_access *a) {
    json_t *object = json_object(), *guards = json_array();
    const kir_kernel *kernel = info->kernel;
    hd_place place = kir_place(arena, info->module, &kernel->insts[a->inst]);
    set(object, "id", hd_json_integer(a->id));
    set(object, "kind", json_string(hd_access_kind_name(a->kind)));
    set(object, "space", json_string(kir_space_name(a->space)));
    set(object, "place", hd_json_place(&place));
    set_target(object, kernel, a);
    set(object, "affine", json_boolean(a->affine));
    set(object, "address", hd_json_affine(arena, kernel, a->address));
    if (a->record && a->field >= 0) {
        set(object, "index", hd_json_affine(arena, kernel, a->index));
        set(object, "inner", hd_json_affine(arena, kernel, a->inner));
    }
    set(object, "reason", hd_json_text(a->affine ? NULL : a->reason));
    set(object, "loop", a->loop >= 0 ? json_integer(a->loop) : json_null());
    set(object, "runs", runs_in_loops(info, a));
    for (uint32_t i = 0; i < a->guard_count; i++)
        json_array_append_new(guards, json_pack("{s:o, s:s}", "expr",
                                                hd_json_affine(arena, kernel, a->guards[i].expr),
                                                "pred", pred_names[a->guards[i].pred]));
    set(object, "guards", guards);
    set(object, "conditional", json_boolean(a->conditional));
    return object;
}

static json_t *loop(const hd_loop *l, const hd_trip *trip) {
    json_t *object = json_object();
    set(object, "line", hd_json_integer(l->line));
    set(object, "parent", l->parent >= 0 ? json_integer(l->parent) : json_null());
    set(object, "depth", hd_json_integer(l->depth));
    set(object, "trips", json_string(trip_names[trip->kind]));
    bool is_known = trip->kind == HD_TRIP_CONSTANT || trip->kind == HD_TRIP_BOUND;
    set(object, "count", trip->count || is_known ? hd_json_integer(trip->count) : json_null());
    set(object, "early_exit", json_boolean(trip->early_exit));
    set(object, "reason", hd_json_text(trip->reason));
    return object;
}

json_t *hd_json_kernel(hd_arena *arena, const hd_kernel_info *info) {
    json_t *object = json_object(), *loops = json_array(), *accesses = json_array();
    const hd_binding *binding = &info->binding;
    set(object, "name", hd_json_text(info->kernel->name));
    set(object, "place", hd_json_place(&info->kernel->place));
    set(object, "global", hd_json_sizes(binding->dims, binding->global));
    set(object, "local", hd_json_sizes(binding->dims, binding->local));
    set(object, "registers", hd_json_integer(info->registers));
    for (uint32_t i = 0; i < info->flow->loop_count; i++)
        json_array_append_new(loops, loop(&info->flow->loops[i], &info->trips[i]));
    set(object, "loops", loops);
    for (uint32_t i = 0; i < info->access_count; i++)
        json_array_append_new(accesses, hd_json_access(arena, info, &info->accesses[i]));
    set(object, "accesses", accesses);
    return object;
}

/* ---- times -------------------------------------------------------------------------- */

json_t *hd_json_timing(const hd_timing *timing) {
    json_t *object = json_object();
    set(object, "median", hd_json_number(timing->median));
    set(object, "low", hd_json_number(timing->low));
    set(object, "high", hd_json_number(timing->high));
    set(object, "repeats", hd_json_integer(timing->repeats));
    return object;
}

json_t *hd_json_measurement(const hd_measurement *m) {
    json_t *object = json_object();
    set(object, "device", hd_json_text(m->device_name));
    set(object, "driver", hd_json_text(m->driver));
    set(object, "original", hd_json_timing(&m->original));
    set(object, "rewritten", hd_json_timing(&m->rewritten));
    set(object, "speedup", hd_json_number(m->speedup));
    set(object, "speedup_low", hd_json_number(m->speedup_low));
    set(object, "speedup_high", hd_json_number(m->speedup_high));
    set(object, "equal", json_boolean(m->equal));
    set(object, "bit_equal", json_boolean(m->bit_equal));
    return object;
}
