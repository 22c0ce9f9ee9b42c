/* JSON values that jansson would refuse, made acceptable; and the final text. */
#include <math.h>
#include <stdlib.h>

#include "report/json.h"
#include "report/members.h"
#include "report/result.h"

/* Length of the well-formed UTF-8 sequence at `s`, 0 when there is none. */
static size_t sequence(const unsigned char *s) {
    if (s[0] < 0x80)
        return 1;
    size_t length = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
    if (s[0] < 0xc2 || s[0] > 0xf4)
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    bool overlong = (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xf0 && s[1] < 0x90);
    bool surrogate = s[0] == 0xed && s[1] >= 0xa0;
    bool beyond = s[0] == 0xf4 && s[1] >= 0x90;
    return overlong || surrogate || beyond ? 0 : length;
}

json_t *hd_json_text(const char *text) {
    if (!text)
        return json_null();
    json_t *plain = json_string(text);
    if (plain)
        return plain;
    hd_arena *arena = hd_arena_new();
    hd_str mended = {.arena = arena};
    for (const unsigned char *s = (const unsigned char *)text; *s;) {
        size_t length = sequence(s);
        if (length)
            hd_str_addn(&mended, (const char *)s, length);
        else
            hd_str_add(&mended, "\xef\xbf\xbd");
        s += length ? length : 1;
    }
    plain = json_string(hd_str_text(&mended));
    hd_arena_free(arena);
    return plain ? plain : json_null();
}

json_t *hd_json_number(double value) { return isfinite(value) ? json_real(value) : json_null(); }

json_t *hd_json_integer(uint64_t value) { return json_integer((json_int_t)value); }

json_t *hd_json_timing(const hd_timing *timing) {
    return hd_json_row(&(hd_view){0}, hd_timing_members, timing);
}

json_t *hd_json_integer_if(bool there, uint64_t value) {
    return there ? hd_json_integer(value) : json_null();
}
json_t *hd_json_sizes(uint32_t dims, const uint64_t *sizes) {
    return hd_json_value(&(hd_view){0}, NULL, hd_list(sizes, dims));
}
json_t *hd_json_spaces(uint32_t spaces) {
    hd_arena *arena = hd_arena_new();
    json_t *list = hd_json_value(&(hd_view){arena}, NULL, hd_space_names(arena, spaces));
    hd_arena_free(arena);
    return list;
}
json_t *hd_json_place(const hd_place *place) {
    return hd_json_row(&(hd_view){0}, hd_place_members, place);
}
json_t *hd_json_record(const hd_record *record) {
    return hd_json_row(&(hd_view){0}, hd_record_members, record);
}
json_t *hd_json_layout(hd_arena *arena, const hd_record *record, const hd_layout *layout) {
    return hd_json_row(&(hd_view){arena, record}, hd_layout_members, layout);
}
json_t *hd_json_device(hd_arena *arena, const hd_device *device) {
    return hd_json_row(&(hd_view){arena}, hd_device_members, device);
}
json_t *hd_json_compute_device(const hd_compute_device *device) {
    return hd_json_row(&(hd_view){0}, hd_compute_device_members, device);
}
json_t *hd_json_kernel(hd_arena *arena, const hd_kernel_info *info) {
    return hd_json_row(&(hd_view){arena}, hd_kernel_members, info);
}
json_t *hd_json_measurement(const hd_measurement *m) {
    return hd_json_row(&(hd_view){0}, hd_measurement_members, m);
}
json_t *hd_json_trace_launch(hd_arena *arena, const hd_trace_launch *launch) {
    return hd_json_row(&(hd_view){arena}, hd_trace_launch_members, launch);
}
void hd_json_characteristic(json_t *object, const hd_reuse_stream *stream, uint64_t first,
                            uint64_t last) {
    hd_arena *arena = hd_arena_new();
    hd_json_add_row(object, &(hd_view){arena}, hd_characteristic_members,
                    &(hd_reuse_of){stream, first, last});
    hd_arena_free(arena);
}
void hd_json_shape(json_t *object, const hd_reuse_shape *shape) {
    hd_json_add_row(object, &(hd_view){0}, hd_shape_members, shape);
}

const char *hd_json_dump(hd_arena *arena, json_t *value) {
    char *text = json_dumps(value, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
    json_decref(value);
    if (!text)
        hd_no_memory(0); /* every value we make can be written */
    const char *result = hd_format(arena, "%s\n", text);
    free(text);
    return result;
}
