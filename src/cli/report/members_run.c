/* What the machine has run, what a trace file holds, and reuse characteristics. */
#include "cli/report/report_result.h"
#include "cli/report/members.h"
#include "trace/trace.h"
#include "machine/vm.h"

const hd_member hd_counts_members[] = {
    {"blocks", HD_AT(hd_vm_counts, blocks)},
    {"instructions", "instructions", HD_COUNT, HD_AT(hd_vm_counts, instructions)},
    {"thread_instructions", HD_AT(hd_vm_counts, thread_instructions)},
    {"mis", "MIs", HD_COUNT, HD_AT(hd_vm_counts, mis)},
    {"lane_accesses", "lane accesses", HD_COUNT, HD_AT(hd_vm_counts, lane_accesses)},
    {"seconds", "time", HD_SECONDS, HD_AT(hd_vm_counts, seconds)},
    {0}};

/* ---- traces: the context is a launch -------------------------------------------------------- */

static hd_value event_place(const hd_view *view, const void *at) {
    const hd_event_launch *launch = view->context;
    const hd_event_access *a = at;
    hd_place *place = hd_new(view->arena, hd_place);
    *place = (hd_place){.file = a->file < launch->file_count ? launch->files[a->file] : NULL,
                        .line = a->line,
                        .column = a->column};
    return hd_row(place);
}

static const char *event_buffer(const hd_view *view, const hd_event_access *a) {
    const hd_event_launch *launch = view->context;
    return a->buffer >= 0 ? launch->buffers[a->buffer].name : NULL;
}

HD_GETTER(number_of, hd_event_access,
          hd_whole((uint64_t)(row - ((const hd_event_launch *)view->context)->accesses)))
/* With the file's name where there are several. */
static hd_value line_of(const hd_view *view, const void *at) {
    const hd_event_launch *launch = view->context;
    const hd_event_access *a = at;
    if (!a->line)
        return hd_text("");
    if (launch->file_count < 2 || a->file >= launch->file_count)
        return hd_text(hd_format(view->arena, "%u", a->line));
    const char *file = hd_path_name(launch->files[a->file]);
    return hd_text(hd_format(view->arena, "%s:%u", file, a->line));
}
HD_GETTER(kind_of, hd_event_access, hd_text(hd_access_kind_name(row->kind)))
/* "bodies.x"; "?" where the trace does not say which buffer. */
static hd_value target_of(const hd_view *view, const void *at) {
    const hd_event_access *a = at;
    const char *buffer = event_buffer(view, a);
    return hd_text(hd_format(view->arena, "%s%s%s", buffer ? buffer : "?", a->field ? "." : "",
                             a->field ? a->field : ""));
}
HD_GETTER(space_of, hd_event_access, hd_text(kir_space_name(row->space)))
HD_GETTER(buffer_of, hd_event_access, hd_text(event_buffer(view, row)))
HD_GETTER(buffer_space, hd_event_buffer, hd_text(kir_space_name(row->space)))

const hd_member hd_event_access_columns[] = {{NULL, "line", HD_PLAIN_WORD, .get = line_of},
                                             {"kind", "access", .get = kind_of},
                                             {NULL, "target", .get = target_of},
                                             {0}};
const hd_member hd_event_access_members[] = {{NULL, "", .get = number_of},
                                             {HD_SELF, .of = hd_event_access_columns},
                                             {"space", "space", .get = space_of},
                                             {"place", .get = event_place, .of = hd_place_members},
                                             {"buffer", .get = buffer_of},
                                             HD_SAME(hd_event_access, record, field),
                                             {"width", "bytes", HD_AT(hd_event_access, width)},
                                             {0}};
const hd_member hd_event_buffer_members[] = {
    {"name", "name", HD_AT(hd_event_buffer, name)},
    {"type", "type", HD_AT(hd_event_buffer, type)},
    {"space", "space", .get = buffer_space},
    {"base", "address", HD_ADDRESS, HD_AT(hd_event_buffer, base)},
    {"bytes", "bytes", HD_AT(hd_event_buffer, bytes)},
    {"element_bytes", HD_AT(hd_event_buffer, element_bytes)},
    {"record", HD_BEHIND(hd_event_buffer, record), .of = hd_record_members},
    {0}};

HD_GETTER(accesses_of, hd_trace_launch,
          hd_with(hd_rows(row->launch.accesses, row->launch.access_count), &row->launch))

const hd_member hd_trace_launch_members[] = {
    {"number", HD_AT(hd_trace_launch, launch.number)},
    {"kernel", HD_AT(hd_trace_launch, launch.kernel)},
    {"groups", HD_NUMBERS(hd_trace_launch, launch.groups, launch.dims)},
    {"local", HD_NUMBERS(hd_trace_launch, launch.local, launch.dims)},
    {"offset", HD_NUMBERS(hd_trace_launch, launch.offset, launch.dims)},
    {"blocks", HD_AT(hd_trace_launch, block_count)},
    HD_SAME(hd_trace_launch, mis, lane_accesses, bytes, complete),
    {"accesses", .get = accesses_of, .of = hd_event_access_members},
    {"buffers", HD_MANY(hd_trace_launch, launch.buffers, launch.buffer_count),
     .of = hd_event_buffer_members},
    {0}};

/* ---- reuse ---------------------------------------------------------------------------------- */

HD_GETTER(share_of_peak, hd_reuse_peak,
          hd_real((double)row->degree / (double)((const hd_reuse_shape *)view->context)->total))
HD_GETTER(class_of, hd_reuse_shape, hd_text(hd_reuse_class_name(row->kind)))

const hd_member hd_peak_members[] = {{"distance", "distance", HD_AT(hd_reuse_peak, distance)},
                                     {"degree", "degree", HD_AT(hd_reuse_peak, degree)},
                                     {NULL, "of all", HD_SHARE, .get = share_of_peak},
                                     {0}};
const hd_member hd_shape_members[] = {
    {"domain", "domain", HD_AT(hd_reuse_shape, domain)},
    {"total", "total", HD_COUNT, HD_AT(hd_reuse_shape, total)},
    {"mean", "mean", HD_DECIMAL, HD_AT(hd_reuse_shape, mean)},
    {"class", "class", .get = class_of},
    {"peaks", HD_MANY(hd_reuse_shape, peaks, peak_count), .of = hd_peak_members},
    {0}};

static hd_value shape_of(const hd_view *view, const void *at) {
    const hd_reuse_stream *stream = ((const hd_reuse_of *)at)->stream;
    hd_reuse_shape *shape = hd_new(view->arena, hd_reuse_shape);
    *shape = hd_reuse_shape_of(stream->degree, stream->domain);
    return hd_row(shape);
}

/* The distances that have a degree, or their degrees. */
static hd_value degrees_of(const hd_reuse_of *r, bool distances) {
    json_t *list = json_array();
    for (uint64_t d = r->first ? r->first : 1; d <= r->stream->domain && d <= r->last; d++)
        if (r->stream->degree[d])
            json_array_append_new(list, hd_json_integer(distances ? d : r->stream->degree[d]));
    return hd_document(list);
}

HD_GETTER(distance_list, hd_reuse_of, degrees_of(row, true))
HD_GETTER(degree_list, hd_reuse_of, degrees_of(row, false))

const hd_member hd_characteristic_members[] = {
    {"mis", HD_VIA(hd_reuse_of, stream, HD_AT, mis)},
    {"accesses", HD_VIA(hd_reuse_of, stream, HD_AT, accesses)},
    {.get = shape_of, .of = hd_shape_members},
    {"distance", .get = distance_list},
    {"degree", .get = degree_list},
    {0}};
