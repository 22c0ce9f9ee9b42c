/* Reuse characteristics as JSON. */
#include "report/json.h"

static void set(json_t *object, const char *key, json_t *value) {
    json_object_set_new(object, key, value);
}

static json_t *integer(uint64_t value) { return json_integer((json_int_t)value); }

void hd_json_shape(json_t *object, const hd_reuse_shape *shape) {
    json_t *peaks = json_array();
    for (uint32_t p = 0; p < shape->peak_count; p++)
        json_array_append_new(peaks,
                              json_pack("{s:o, s:o}", "distance", integer(shape->peaks[p].distance),
                                        "degree", integer(shape->peaks[p].degree)));
    set(object, "domain", integer(shape->domain));
    set(object, "total", integer(shape->total));
    set(object, "mean", hd_json_number(shape->mean));
    set(object, "class", json_string(hd_reuse_class_name(shape->kind)));
    set(object, "peaks", peaks);
}

void hd_json_characteristic(json_t *object, const hd_reuse_stream *stream, uint64_t first,
                            uint64_t last) {
    const hd_reuse_shape shape = hd_reuse_shape_of(stream->degree, stream->domain);
    json_t *distances = json_array(), *degrees = json_array();
    set(object, "mis", integer(stream->mis));
    set(object, "accesses", integer(stream->accesses));
    hd_json_shape(object, &shape);
    for (uint64_t d = first ? first : 1; d <= stream->domain && d <= last; d++)
        if (stream->degree[d]) {
            json_array_append_new(distances, integer(d));
            json_array_append_new(degrees, integer(stream->degree[d]));
        }
    set(object, "distance", distances);
    set(object, "degree", degrees);
}
