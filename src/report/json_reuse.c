/* Reuse characteristics as JSON. */
#include "report/json.h"

static void set(json_t *object, const char *key, json_t *value) {
    json_object_set_new(object, key, value);
}

void hd_json_shape(json_t *object, const hd_reuse_shape *shape) {
    json_t *peaks = json_array();
    for (uint32_t p = 0; p < shape->peak_count; p++)
        json_array_append_new(peaks, json_pack("{s:o, s:o}", "distance",
                                               hd_json_integer(shape->peaks[p].distance), "degree",
                                               hd_json_integer(shape->peaks[p].degree)));
    set(object, "domain", hd_json_integer(shape->domain));
    set(object, "total", hd_json_integer(shape->total));
    set(object, "mean", hd_json_number(shape->mean));
    set(object, "class", json_string(hd_reuse_class_name(shape->kind)));
    set(object, "peaks", peaks);
}

void hd_json_characteristic(json_t *object, const hd_reuse_stream *stream, uint64_t first,
                            uint64_t last) {
    const hd_reuse_shape shape = hd_reuse_shape_of(stream->degree, stream->domain);
    json_t *distances = json_array(), *degrees = json_array();
    set(object, "mis", hd_json_integer(stream->mis));
    set(object, "accesses", hd_json_integer(stream->accesses));
    hd_json_shape(object, &shape);
    for (uint64_t d = first ? first : 1; d <= stream->domain && d <= last; d++)
        if (stream->degree[d]) {
            json_array_append_new(distances, hd_json_integer(d));
            json_array_append_new(degrees, hd_json_integer(stream->degree[d]));
        }
    set(object, "distance", distances);
    set(object, "degree", degrees);
}
