/* Records, layouts, and what kernels do. */
#include "job/job.h"
#include "cli/report/report_result.h"
#include "cli/report/members.h"

hd_value hd_space_names(hd_arena *arena, uint32_t spaces) {
    hd_vec(const char *) names = {0};
    for (int s = KIR_PRIVATE; s <= KIR_GENERIC; s++)
        if (spaces >> s & 1)
            hd_push(arena, &names, kir_space_name((kir_space)s));
    return hd_list(names.data, names.count);
}

const char *hd_show_sizes(hd_arena *arena, uint32_t dims, const uint64_t *sizes) {
    hd_str text = {.arena = arena};
    for (uint32_t d = 0; d < dims; d++)
        hd_str_printf(&text, "%s%llu", d ? "," : "", (unsigned long long)sizes[d]);
    return hd_str_text(&text);
}

const hd_member hd_place_members[] = {HD_SAME(hd_place, file, line, column), {0}};
const hd_member hd_left_out_members[] = {
    HD_SAME(kir_left_out, name, reason),
    {"place", HD_IN(kir_left_out, place), .of = hd_place_members},
    {0}};

/* ---- records and layouts ------------------------------------------------------------------ */

HD_GETTER(type_of, hd_field,
          hd_text(row->count > 1 ? hd_format(view->arena, "%s[%u]", row->type, row->count)
                                 : row->type))

const hd_member hd_field_members[] = {
    {"name", "field", HD_AT(hd_field, name)},
    {"type", HD_AT(hd_field, type)},
    {NULL, "type", .get = type_of},
    {"offset", "offset", HD_AT(hd_field, offset)},
    {"size", "bytes", HD_AT(hd_field, size)},
    HD_SAME(hd_field, align, count),
    {"record", HD_BEHIND(hd_field, record), .of = hd_record_members, .optional = true},
    {0}};
const hd_member hd_record_members[] = {
    HD_SAME(hd_record, name, spelling, size, align),
    {"fields", HD_MANY(hd_record, fields, field_count), .of = hd_field_members},
    {0}};

static hd_value fields_of(const hd_view *view, const void *at) {
    const hd_cluster *cluster = at;
    const hd_record *record = view->context;
    const char **names = hd_new_array(view->arena, const char *, cluster->count);
    for (uint32_t i = 0; i < cluster->count; i++)
        names[i] = record->fields[cluster->order[i]].name;
    return hd_list(names, cluster->count);
}

hd_value hd_tile_value(uint64_t tile) {
    return tile == HD_TILE_SOA ? hd_text("soa") : hd_whole(tile);
}

HD_GETTER(tile_of, hd_cluster, hd_tile_value(row->tile))
HD_GETTER(notation_of, hd_layout, hd_text(hd_layout_print(view->arena, view->context, row)))

static const hd_member cluster_members[] = {
    {"fields", .get = fields_of},
    {"tile", .get = tile_of},
    {"padded", HD_AT(hd_cluster, padded), HD_IF(hd_cluster, padded), .optional = true},
    {0}};
const hd_member hd_layout_members[] = {
    {"notation", "layout", .get = notation_of},
    {"clusters", HD_MANY(hd_layout, clusters, count), .of = cluster_members},
    {"discrete", HD_AT(hd_layout, discrete)},
    {0}};

/* ---- accesses: of the hd_kernel_info that is the context ----------------------------------- */

static const char *const symbol_names[] = {
    [HD_SYM_GROUP] = "group", [HD_SYM_LOCAL] = "local", [HD_SYM_GLOBAL] = "global",
    [HD_SYM_SIZE] = "size",   [HD_SYM_PARAM] = "param", [HD_SYM_LOOP] = "loop",
    [HD_SYM_VALUE] = "value"};
static const char *const pred_names[] = {
#define X(name, text) text,
    KIR_PREDS(X)
#undef X
};

static const hd_kernel_info *info_of(const hd_view *view) { return view->context; }

HD_GETTER(symbol_of, hd_term, hd_text(symbol_names[row->kind]))
HD_GETTER(form_text, hd_affine, hd_text(hd_affine_print(view->arena, info_of(view)->kernel, *row)))

static const hd_member term_members[] = {
    {"symbol", .get = symbol_of}, HD_SAME(hd_term, index, factor), {0}};
static const hd_member affine_members[] = {
    {"text", .get = form_text},
    {"constant", HD_AT(hd_affine, constant)},
    {"terms", HD_MANY(hd_affine, terms, term_count), .of = term_members},
    {0}};

static hd_value place_of(const hd_view *view, const void *at) {
    const hd_kernel_info *info = view->context;
    hd_place *place = hd_new(view->arena, hd_place);
    *place =
        kir_place(view->arena, info->module, &info->kernel->insts[((const hd_access *)at)->inst]);
    return hd_row(place);
}

static const char *buffer_name(const kir_kernel *kernel, const hd_access *a) {
    return a->param >= 0          ? kernel->params[a->param].name
           : a->static_index >= 0 ? kernel->statics[a->static_index].name
                                  : NULL;
}

/* "pos.x" for the scalar at a constant place of the record, else the field's name. */
static const char *field_text(hd_arena *arena, const hd_access *a) {
    const hd_field *field = &a->record->fields[a->field];
    if (hd_access_is_wide(a))
        return hd_access_fields(arena, a);
    uint32_t count, offset = field->offset + (uint32_t)a->inner.constant;
    if (a->inner.term_count)
        return field->name;
    const hd_leaf *leaves = hd_leaves_of_record(arena, a->record, field->name, &count);
    for (uint32_t i = 0; i < count; i++)
        if (leaves[i].offset == offset)
            return hd_leaf_path(arena, a->record, &leaves[i]);
    return field->name;
}

const char *hd_access_target(hd_arena *arena, const kir_kernel *kernel, const hd_access *a) {
    const char *name = buffer_name(kernel, a);
    if (!name)
        name = a->space == KIR_PRIVATE ? "(private)" : "(unknown)";
    if (!a->record || a->field < 0)
        return name;
    if (a->record->of_arrays)
        name = a->record->name;
    return hd_format(arena, "%s.%s", name, field_text(arena, a));
}

/* Of each loop around the access, the outermost first. */
static hd_value runs_of(const hd_view *view, const void *at) {
    const hd_kernel_info *info = view->context;
    const hd_access *a = at;
    json_t *list = json_array();
    uint64_t runs;
    for (int32_t l = a->loop; l >= 0; l = info->flow->loops[l].parent)
        json_array_insert_new(
            list, 0, hd_runs_in_loop(info, a, l, &runs) ? hd_json_integer(runs) : json_null());
    return hd_document(list);
}

static bool has_field(const hd_access *a) { return a->record && a->field >= 0; }

HD_GETTER(kind_of, hd_access, hd_text(hd_access_kind_name(row->kind)))
HD_GETTER(space_of, hd_access, hd_text(kir_space_name(row->space)))
HD_GETTER(buffer_of, hd_access, hd_text(buffer_name(info_of(view)->kernel, row)))
HD_GETTER(field_of, hd_access, hd_text(hd_access_fields(view->arena, row)))
HD_GETTER(index_of, hd_access, has_field(row) ? hd_row(&row->index) : hd_absent())
HD_GETTER(inner_of, hd_access, has_field(row) ? hd_row(&row->inner) : hd_absent())
HD_GETTER(loop_of, hd_access, hd_whole_if(row->loop >= 0, (uint64_t)row->loop))
HD_GETTER(kept_of, hd_access, hd_whole_if(row->kept >= 0, (uint64_t)row->kept))
HD_GETTER(pred_of, hd_guard, hd_text(pred_names[row->pred]))

static const hd_member guard_members[] = {
    {"expr", HD_IN(hd_guard, expr), .of = affine_members}, {"pred", .get = pred_of}, {0}};
const hd_member hd_access_members[] = {
    {"id", HD_AT(hd_access, id)},
    {"kind", .get = kind_of},
    {"space", .get = space_of},
    {"place", .get = place_of, .of = hd_place_members},
    {"buffer", .get = buffer_of},
    {"record", HD_VIA(hd_access, record, HD_AT, name)},
    {"field", .get = field_of},
    HD_SAME(hd_access, field_byte, width, affine, uniform),
    {"address", HD_IN(hd_access, address), .of = affine_members},
    {"index", .get = index_of, .of = affine_members},
    {"inner", .get = inner_of, .of = affine_members},
    {"reason", HD_AT(hd_access, reason), HD_UNLESS(hd_access, affine)},
    {"loop", .get = loop_of},
    {"kept", .get = kept_of},
    {"runs", .get = runs_of},
    {"guards", HD_MANY(hd_access, guards, guard_count), .of = guard_members},
    {"conditional", HD_AT(hd_access, conditional)},
    {0}};

/* ---- kernels under a launch ------------------------------------------------------------------ */

static const char *const trip_names[] = {[HD_TRIP_CONSTANT] = "constant",
                                         [HD_TRIP_BOUND] = "bound",
                                         [HD_TRIP_VARYING] = "varying",
                                         [HD_TRIP_UNKNOWN] = "unknown"};

/* A loop of flow->loops; its trips have its number. */
static const hd_trip *trip_of(const hd_view *view, const hd_loop *loop) {
    const hd_kernel_info *info = view->context;
    return &info->trips[loop - info->flow->loops];
}

HD_GETTER(parent_of, hd_loop, hd_whole_if(row->parent >= 0, (uint64_t)row->parent))
HD_GETTER(trips_of, hd_loop, hd_text(trip_names[trip_of(view, row)->kind]))
static hd_value count_of(const hd_view *view, const void *at) {
    const hd_trip *trip = trip_of(view, at);
    bool known = trip->count || trip->kind == HD_TRIP_CONSTANT || trip->kind == HD_TRIP_BOUND;
    return hd_whole_if(known, trip->count);
}
HD_GETTER(exits_early, hd_loop, hd_bool(trip_of(view, row)->early_exit))
HD_GETTER(why_of, hd_loop, hd_text(trip_of(view, row)->reason))

static const hd_member loop_members[] = {
    {"line", HD_AT(hd_loop, line)},   {"parent", .get = parent_of},
    {"depth", HD_AT(hd_loop, depth)}, {"trips", .get = trips_of},
    {"count", .get = count_of},       {"early_exit", .get = exits_early},
    {"reason", .get = why_of},        {0}};

HD_GETTER(registers_of, hd_kernel_info, hd_whole(hd_kernel_registers(row->kernel, row->flow, NULL)))
HD_GETTER(loops_of, hd_kernel_info, hd_with(hd_rows(row->flow->loops, row->flow->loop_count), row))
HD_GETTER(accesses_of, hd_kernel_info, hd_with(hd_rows(row->accesses, row->access_count), row))

const hd_member hd_kernel_members[] = {
    {"name", HD_VIA(hd_kernel_info, kernel, HD_AT, name)},
    {"place", HD_VIA(hd_kernel_info, kernel, HD_IN, place), .of = hd_place_members},
    {"global", HD_NUMBERS(hd_kernel_info, binding.global, binding.dims)},
    {"local", HD_NUMBERS(hd_kernel_info, binding.local, binding.dims)},
    {"registers", .get = registers_of},
    {"loops", .get = loops_of, .of = loop_members},
    {"accesses", .get = accesses_of, .of = hd_access_members},
    {0}};
