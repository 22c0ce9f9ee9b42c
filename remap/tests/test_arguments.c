/*
 * Every function of heddle/remap.h with every argument that it cannot have: a status and one
 * message, what it would have handed over is NULL or untouched, and nothing is read or written.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "heddle/remap.h"
#include "opencl_fixture.h"

enum { ROWS = 5, COLUMNS = 7, ELEMENTS = ROWS * COLUMNS, RECORDS = 6 };

/* What a call is made with; a case spoils one part. */
typedef struct arguments {
    const hd_diag *diag;
    hd_remap_device *device;
    hd_remap *transpose, *gather, *body, *made, **result;
    hd_remap_device *opened;
    float source[ELEMENTS], there[ELEMENTS];
    hd_remap_memory memory[1], more; /* of the device, each for the transpose */
    hd_remap_options options;
    hd_remap_choice choice;
    hd_remap_work work;
    uint32_t index[4];
} arguments;

typedef struct wrong {
    const char *call; /* as it would be written */
    hd_status (*run)(arguments *a);
    const char *says;
    hd_status status; /* HD_OK here: HD_EINPUT is expected */
} wrong;

#define CASE(text, says, expression) {text, expression, says, HD_OK}

static uint64_t same_place(uint64_t element, const void *user) {
    (void)user;
    return element;
}

static hd_status no_host(uint64_t first, uint64_t count, void *user) {
    (void)first, (void)count, (void)user;
    fail_msg("the host was given work");
    return HD_OK;
}

static hd_status no_device(const hd_remap *piece, const hd_remap_memory memory[], uint64_t first,
                           uint64_t count, void *user) {
    (void)piece, (void)memory;
    return no_host(first, count, user);
}

/* One case: a function of `a` that returns what the call does. */
#define WRONG(name, expression)                                \
    static hd_status name(arguments *a) { return expression; }

/* ---- maps ------------------------------------------------------------------------------ */

static hd_status layout_of(arguments *a, const hd_remap_field *fields, const char *layout) {
    const hd_remap_record record = {"pair", 8, 4, fields, 2};
    return hd_remap_layout(a->diag, &record, layout, RECORDS, &a->made);
}

#define PAIR(name, second, layout)                                           \
    static hd_status name(arguments *a) {                                    \
        const hd_remap_field fields[] = {{"a", 0, 4, 4}, {second, 4, 4, 4}}; \
        return layout_of(a, fields, layout);                                 \
    }

WRONG(layout_record, hd_remap_layout(a->diag, NULL, "soa", 6, &a->made))
WRONG(layout_text, hd_remap_layout(a->diag, &body_record, NULL, 6, &a->made))
WRONG(layout_count, hd_remap_layout(a->diag, &body_record, "soa", 0, &a->made))
WRONG(layout_many, hd_remap_layout(a->diag, &body_record, "soa", UINT64_MAX, &a->made))
WRONG(layout_most, hd_remap_layout(a->diag, &body_record, "soa", (uint64_t)1 << 59, &a->made))
WRONG(layout_result, hd_remap_layout(a->diag, &body_record, "soa", 6, NULL))
PAIR(field_comment, "a */ }; evil(); /*", "soa")
PAIR(field_line, "b\n#include \"/etc/passwd\"", "soa")
PAIR(field_quote, "b\"", "soa")
PAIR(field_backslash, "b\\", "soa")
PAIR(field_empty, "", "soa")
PAIR(field_number, "1b", "soa")
PAIR(field_trigraph, "b\?\?/", "soa")
WRONG(transpose_rows, hd_remap_transpose(a->diag, 0, 7, 4, &a->made))
WRONG(transpose_columns, hd_remap_transpose(a->diag, 7, 0, 4, &a->made))
WRONG(transpose_bytes, hd_remap_transpose(a->diag, 7, 7, 0, &a->made))
WRONG(transpose_many, hd_remap_transpose(a->diag, UINT64_MAX, UINT64_MAX, 4, &a->made))
WRONG(transpose_large, hd_remap_transpose(a->diag, 1 << 30, 1 << 30, UINT32_MAX, &a->made))
WRONG(transpose_result, hd_remap_transpose(a->diag, 7, 7, 4, NULL))
WRONG(diagonal_rows, hd_remap_diagonal(a->diag, 0, 7, 4, &a->made))
WRONG(diagonal_columns, hd_remap_diagonal(a->diag, 7, 0, 4, &a->made))
WRONG(diagonal_bytes, hd_remap_diagonal(a->diag, 7, 7, 0, &a->made))
WRONG(diagonal_many, hd_remap_diagonal(a->diag, INT64_MAX, 1, 1, &a->made))
WRONG(diagonal_result, hd_remap_diagonal(a->diag, 7, 7, 4, NULL))
WRONG(morton_rows, hd_remap_morton(a->diag, 0, 7, 4, &a->made))
WRONG(morton_columns, hd_remap_morton(a->diag, 7, 0, 4, &a->made))
WRONG(morton_bytes, hd_remap_morton(a->diag, 7, 7, 0, &a->made))
WRONG(morton_many, hd_remap_morton(a->diag, 1, INT64_MAX, 1, &a->made))
WRONG(morton_result, hd_remap_morton(a->diag, 7, 7, 4, NULL))
WRONG(gather_index, hd_remap_gather(a->diag, NULL, 4, 4, 4, 4, &a->made))
WRONG(gather_number, hd_remap_gather(a->diag, a->index, 3, 4, 4, 4, &a->made))
WRONG(gather_count, hd_remap_gather(a->diag, a->index, 4, 0, 4, 4, &a->made))
WRONG(gather_source, hd_remap_gather(a->diag, a->index, 4, 4, 0, 4, &a->made))
WRONG(gather_range, hd_remap_gather(a->diag, a->index, 4, 4, 3, 4, &a->made))
WRONG(gather_bytes, hd_remap_gather(a->diag, a->index, 4, 4, 4, 0, &a->made))
WRONG(gather_many, hd_remap_gather(a->diag, a->index, 4, UINT64_MAX, 4, 4, &a->made))
WRONG(gather_result, hd_remap_gather(a->diag, a->index, 4, 4, 4, 4, NULL))
WRONG(scatter_index, hd_remap_scatter(a->diag, NULL, 4, 4, 4, 4, &a->made))
WRONG(scatter_number, hd_remap_scatter(a->diag, a->index, 0, 4, 4, 4, &a->made))
WRONG(scatter_source, hd_remap_scatter(a->diag, a->index, 4, 0, 4, 4, &a->made))
WRONG(scatter_count, hd_remap_scatter(a->diag, a->index, 4, 4, 0, 4, &a->made))
WRONG(scatter_range, hd_remap_scatter(a->diag, a->index, 4, 4, 3, 4, &a->made))
WRONG(scatter_bytes, hd_remap_scatter(a->diag, a->index, 4, 4, 4, 0, &a->made))
WRONG(scatter_many, hd_remap_scatter(a->diag, a->index, 4, 4, UINT64_MAX, 4, &a->made))
WRONG(scatter_result, hd_remap_scatter(a->diag, a->index, 4, 4, 4, 4, NULL))

#define USER(name, source_count, count, bytes, place, result)                       \
    static hd_status name(arguments *a) {                                           \
        const hd_remap_user user = {source_count, count, bytes, place, NULL, NULL}; \
        return hd_remap_user_map(a->diag, &user, result);                           \
    }
WRONG(user_user, hd_remap_user_map(a->diag, NULL, &a->made))
USER(user_place, 4, 4, 4, NULL, &a->made)
USER(user_source, 0, 4, 4, same_place, &a->made)
USER(user_count, 4, 0, 4, same_place, &a->made)
USER(user_range, 4, 3, 4, same_place, &a->made)
USER(user_bytes, 4, 4, 0, same_place, &a->made)
USER(user_many, UINT64_MAX, UINT64_MAX, 4, same_place, &a->made)
USER(user_result, 4, 4, 4, same_place, NULL)

WRONG(slice_map, hd_remap_slice(a->diag, NULL, 0, 1, &a->made))
WRONG(slice_first, hd_remap_slice(a->diag, a->transpose, ROWS + 1, 1, &a->made))
WRONG(slice_count, hd_remap_slice(a->diag, a->transpose, 0, 0, &a->made))
WRONG(slice_many, hd_remap_slice(a->diag, a->transpose, 1, UINT64_MAX, &a->made))
WRONG(slice_result, hd_remap_slice(a->diag, a->transpose, 0, 1, NULL))

static hd_status write_source(arguments *a, const hd_remap *map, const char *name, bool keep) {
    char *text = (char *)a;
    hd_status status = hd_remap_source(a->diag, map, name, keep ? &text : NULL);
    if (keep)
        assert_null(text);
    return status;
}
WRONG(source_map, write_source(a, NULL, "f", true))
WRONG(source_name, write_source(a, a->transpose, NULL, true))
WRONG(source_empty, write_source(a, a->transpose, "", true))
WRONG(source_words, write_source(a, a->transpose, "f(HD_INDEX e) {} f", true))
WRONG(source_line, write_source(a, a->body, "f\n#define x", true))
WRONG(source_number, write_source(a, a->body, "1f", true))
WRONG(source_letters, write_source(a, a->body, "f\xc3\xa4", true))
WRONG(source_text, write_source(a, a->transpose, "f", false))

/* Two members whose functions would have one name. */
static hd_status source_same(arguments *a) {
    const hd_remap_field fields[] = {{"pos.x", 0, 4, 4}, {"pos_x", 4, 4, 4}};
    const hd_remap_record record = {"pair", 8, 4, fields, 2};
    hd_remap *map;
    assert_int_equal(hd_remap_layout(a->diag, &record, "soa", 3, &map), HD_OK);
    hd_status status = write_source(a, map, "pair", true);
    hd_remap_free(map);
    return status;
}

static const wrong of_maps[] = {
    CASE("hd_remap_layout(NULL record)", "no record", layout_record),
    CASE("hd_remap_layout(NULL layout)", "no text of a layout", layout_text),
    CASE("hd_remap_layout(0)", "number of records is 0", layout_count),
    CASE("hd_remap_layout(UINT64_MAX)", "more than 2^63 - 1", layout_many),
    CASE("hd_remap_layout(1 << 59)", "more than 2^63 - 1", layout_most),
    CASE("hd_remap_layout(NULL map)", "no place for the new map", layout_result),
    CASE("a field that ends a comment", "is no member of a struct", field_comment),
    CASE("a field with a line's end", "is no member of a struct", field_line),
    CASE("a field with a quote", "is no member of a struct", field_quote),
    CASE("a field with a backslash", "is no member of a struct", field_backslash),
    CASE("a field without letters", "is no member of a struct", field_empty),
    CASE("a field that is a number", "is no member of a struct", field_number),
    CASE("a field with a trigraph", "is no member of a struct", field_trigraph),
    CASE("hd_remap_transpose(0 rows)", "number of rows is 0", transpose_rows),
    CASE("hd_remap_transpose(0 columns)", "number of columns is 0", transpose_columns),
    CASE("hd_remap_transpose(0 bytes)", "size of an element is 0", transpose_bytes),
    CASE("hd_remap_transpose(UINT64_MAX)", "more than 2^63 - 1", transpose_many),
    CASE("hd_remap_transpose(large elements)", "more than 2^63 - 1", transpose_large),
    CASE("hd_remap_transpose(NULL map)", "no place for the new map", transpose_result),
    CASE("hd_remap_diagonal(0 rows)", "number of rows is 0", diagonal_rows),
    CASE("hd_remap_diagonal(0 columns)", "number of columns is 0", diagonal_columns),
    CASE("hd_remap_diagonal(0 bytes)", "size of an element is 0", diagonal_bytes),
    CASE("hd_remap_diagonal(INT64_MAX)", "more than 2^63 - 1", diagonal_many),
    CASE("hd_remap_diagonal(NULL map)", "no place for the new map", diagonal_result),
    CASE("hd_remap_morton(0 rows)", "number of rows is 0", morton_rows),
    CASE("hd_remap_morton(0 columns)", "number of columns is 0", morton_columns),
    CASE("hd_remap_morton(0 bytes)", "size of an element is 0", morton_bytes),
    CASE("hd_remap_morton(INT64_MAX)", "more than 2^63 - 1", morton_many),
    CASE("hd_remap_morton(NULL map)", "no place for the new map", morton_result),
    CASE("hd_remap_gather(NULL index)", "this one is NULL", gather_index),
    CASE("hd_remap_gather(3 bytes)", "of 4 or of 8 bytes", gather_number),
    CASE("hd_remap_gather(0 places)", "number of places is 0", gather_count),
    CASE("hd_remap_gather(0 elements)", "number of elements is 0", gather_source),
    CASE("hd_remap_gather(index out of range)", "it must be from 0 to 2", gather_range),
    CASE("hd_remap_gather(0 bytes)", "size of an element is 0", gather_bytes),
    CASE("hd_remap_gather(UINT64_MAX)", "more than 2^63 - 1", gather_many),
    CASE("hd_remap_gather(NULL map)", "no place for the new map", gather_result),
    CASE("hd_remap_scatter(NULL index)", "this one is NULL", scatter_index),
    CASE("hd_remap_scatter(0 bytes of a number)", "of 4 or of 8 bytes", scatter_number),
    CASE("hd_remap_scatter(0 elements)", "number of elements is 0", scatter_source),
    CASE("hd_remap_scatter(0 places)", "number of places is 0", scatter_count),
    CASE("hd_remap_scatter(index out of range)", "it must be from 0 to 2", scatter_range),
    CASE("hd_remap_scatter(0 bytes)", "size of an element is 0", scatter_bytes),
    CASE("hd_remap_scatter(UINT64_MAX)", "more than 2^63 - 1", scatter_many),
    CASE("hd_remap_scatter(NULL map)", "no place for the new map", scatter_result),
    CASE("hd_remap_user_map(NULL user)", "needs its function", user_user),
    CASE("hd_remap_user_map(NULL place)", "needs its function", user_place),
    CASE("hd_remap_user_map(0 elements)", "number of elements is 0", user_source),
    CASE("hd_remap_user_map(0 places)", "number of places is 0", user_count),
    CASE("hd_remap_user_map(place out of range)", "places are from 0 to 2", user_range),
    CASE("hd_remap_user_map(0 bytes)", "size of an element is 0", user_bytes),
    CASE("hd_remap_user_map(UINT64_MAX)", "more than 2^63 - 1", user_many),
    CASE("hd_remap_user_map(NULL map)", "no place for the new map", user_result),
    CASE("hd_remap_slice(NULL map)", "no map to take a slice of", slice_map),
    CASE("hd_remap_slice(first)", "is not within", slice_first),
    CASE("hd_remap_slice(0)", "is not within", slice_count),
    CASE("hd_remap_slice(UINT64_MAX)", "is not within", slice_many),
    CASE("hd_remap_slice(NULL slice)", "no place for the new map", slice_result),
    CASE("hd_remap_source(NULL map)", "no map to write", source_map),
    CASE("hd_remap_source(NULL name)", "no name for the functions", source_name),
    CASE("hd_remap_source(\"\")", "is no name of a function", source_empty),
    CASE("hd_remap_source(code)", "is no name of a function", source_words),
    CASE("hd_remap_source(a line's end)", "is no name of a function", source_line),
    CASE("hd_remap_source(a number)", "is no name of a function", source_number),
    CASE("hd_remap_source(letters of others)", "is no name of a function", source_letters),
    CASE("hd_remap_source(NULL text)", "no place for the text", source_text),
    CASE("hd_remap_source(two of one name)", "'pos.x' and 'pos_x' of 'pair' would both have",
         source_same),
};

/* ---- the host ------------------------------------------------------------------------------ */

static hd_status apply(arguments *a, const hd_remap *map, bool has_parts, void *part,
                       const void *from, int simd) {
    const hd_remap_host_options options = {.threads = UINT32_MAX, .simd = (hd_remap_simd)simd};
    void *parts[] = {part};
    return hd_remap_apply(a->diag, map, has_parts ? parts : NULL, from, &options);
}

static hd_status revert(arguments *a, const hd_remap *map, bool has_parts, const void *part,
                        void *to, int simd) {
    const hd_remap_host_options options = {.threads = UINT32_MAX, .simd = (hd_remap_simd)simd};
    const void *parts[] = {part};
    return hd_remap_revert(a->diag, map, to, has_parts ? parts : NULL, &options);
}

static hd_status in_place(arguments *a, const hd_remap *map, void *data, int simd, bool back) {
    const hd_remap_host_options options = {.simd = (hd_remap_simd)simd};
    return (back ? hd_remap_revert_in_place : hd_remap_apply_in_place)(a->diag, map, data,
                                                                       &options);
}

WRONG(apply_map, apply(a, NULL, true, a->there, a->source, 0))
WRONG(apply_parts, apply(a, a->transpose, false, a->there, a->source, 0))
WRONG(apply_part, apply(a, a->transpose, true, NULL, a->source, 0))
WRONG(apply_from, apply(a, a->transpose, true, a->there, NULL, 0))
WRONG(apply_overlap, apply(a, a->transpose, true, a->source + 1, a->source, 0))
WRONG(apply_simd, apply(a, a->transpose, true, a->there, a->source, 99))
WRONG(apply_negative, apply(a, a->transpose, true, a->there, a->source, -1))
WRONG(revert_map, revert(a, NULL, true, a->there, a->source, 0))
WRONG(revert_parts, revert(a, a->transpose, false, a->there, a->source, 0))
WRONG(revert_part, revert(a, a->transpose, true, NULL, a->source, 0))
WRONG(revert_to, revert(a, a->transpose, true, a->there, NULL, 0))
WRONG(revert_overlap, revert(a, a->transpose, true, a->source, a->source + 3, 0))
WRONG(revert_simd, revert(a, a->transpose, true, a->there, a->source, 99))
WRONG(place_map, in_place(a, NULL, a->there, 0, false))
WRONG(place_data, in_place(a, a->transpose, NULL, 0, false))
WRONG(place_simd, in_place(a, a->transpose, a->there, 99, false))
WRONG(place_kind, in_place(a, a->gather, a->there, 0, false))
WRONG(back_map, in_place(a, NULL, a->there, 0, true))
WRONG(back_data, in_place(a, a->transpose, NULL, 0, true))
WRONG(back_simd, in_place(a, a->transpose, a->there, 99, true))

static const wrong of_the_host[] = {
    CASE("hd_remap_apply(NULL map)", "no map to remap by", apply_map),
    CASE("hd_remap_apply(NULL to)", "no array of the remapped data's parts", apply_parts),
    CASE("hd_remap_apply(to NULL)", "no memory (NULL) for the remapped data", apply_part),
    CASE("hd_remap_apply(NULL from)", "no memory (NULL) for the source", apply_from),
    CASE("hd_remap_apply(overlap)", "overlap", apply_overlap),
    CASE("hd_remap_apply(simd 99)", "99 is none of hd_remap_simd", apply_simd),
    CASE("hd_remap_apply(simd -1)", "-1 is none of hd_remap_simd", apply_negative),
    CASE("hd_remap_revert(NULL map)", "no map to remap by", revert_map),
    CASE("hd_remap_revert(NULL from)", "no array of the remapped data's parts", revert_parts),
    CASE("hd_remap_revert(from NULL)", "no memory (NULL) for the remapped data", revert_part),
    CASE("hd_remap_revert(NULL to)", "no memory (NULL) for the source", revert_to),
    CASE("hd_remap_revert(overlap)", "overlap", revert_overlap),
    CASE("hd_remap_revert(simd 99)", "99 is none of hd_remap_simd", revert_simd),
    CASE("hd_remap_apply_in_place(NULL map)", "no map to remap by", place_map),
    CASE("hd_remap_apply_in_place(NULL data)", "no memory (NULL)", place_data),
    CASE("hd_remap_apply_in_place(simd 99)", "99 is none of hd_remap_simd", place_simd),
    {"hd_remap_apply_in_place(gather)", place_kind, "only transposes", HD_EUNSUPPORTED},
    CASE("hd_remap_revert_in_place(NULL map)", "no map to remap by", back_map),
    CASE("hd_remap_revert_in_place(NULL data)", "no memory (NULL)", back_data),
    CASE("hd_remap_revert_in_place(simd 99)", "99 is none of hd_remap_simd", back_simd),
};

/* ---- devices --------------------------------------------------------------------------------- */

static hd_status there(arguments *a, int strategy, int simd) {
    a->options.strategy = (hd_remap_strategy)strategy;
    a->options.host.simd = (hd_remap_simd)simd;
    return hd_remap_to_device(a->diag, a->device, a->transpose, a->memory, a->source, &a->options);
}

static hd_status back(arguments *a, int strategy, int simd) {
    a->options.strategy = (hd_remap_strategy)strategy;
    a->options.host.simd = (hd_remap_simd)simd;
    return hd_remap_from_device(a->diag, a->device, a->transpose, a->source, a->memory,
                                &a->options);
}

static const hd_remap_memory none[] = {{NULL}};

WRONG(opencl_context, hd_remap_open_opencl(a->diag, NULL, (struct _cl_device_id *)a, &a->opened))
WRONG(opencl_id, hd_remap_open_opencl(a->diag, (struct _cl_context *)a, NULL, &a->opened))
WRONG(opencl_result, hd_remap_open_opencl(a->diag, NULL, NULL, NULL))
WRONG(cuda_result, hd_remap_open_cuda(a->diag, NULL))
WRONG(to_device, hd_remap_to_device(a->diag, NULL, a->transpose, a->memory, a->source, NULL))
WRONG(to_map, hd_remap_to_device(a->diag, a->device, NULL, a->memory, a->source, NULL))
WRONG(to_parts, hd_remap_to_device(a->diag, a->device, a->transpose, NULL, a->source, NULL))
WRONG(to_part, hd_remap_to_device(a->diag, a->device, a->transpose, none, a->source, NULL))
WRONG(to_from, hd_remap_to_device(a->diag, a->device, a->transpose, a->memory, NULL, NULL))
WRONG(to_77, there(a, 77, 0))
WRONG(to_5, there(a, HD_REMAP_STRATEGIES, 0))
WRONG(to_negative, there(a, -1, 0))
WRONG(to_simd, there(a, HD_REMAP_BULK, 99))
WRONG(from_device, hd_remap_from_device(a->diag, NULL, a->transpose, a->source, a->memory, NULL))
WRONG(from_map, hd_remap_from_device(a->diag, a->device, NULL, a->source, a->memory, NULL))
WRONG(from_to, hd_remap_from_device(a->diag, a->device, a->transpose, NULL, a->memory, NULL))
WRONG(from_parts, hd_remap_from_device(a->diag, a->device, a->transpose, a->source, NULL, NULL))
WRONG(from_part, hd_remap_from_device(a->diag, a->device, a->transpose, a->source, none, NULL))
WRONG(from_77, back(a, 77, 0))
WRONG(from_negative, back(a, INT32_MIN, 0))
WRONG(from_simd, back(a, HD_REMAP_BULK, 99))
WRONG(on_device, hd_remap_on_device(a->diag, NULL, a->transpose, a->memory, a->more))
WRONG(on_map, hd_remap_on_device(a->diag, a->device, NULL, a->memory, a->more))
WRONG(on_parts, hd_remap_on_device(a->diag, a->device, a->transpose, NULL, a->more))
WRONG(on_part, hd_remap_on_device(a->diag, a->device, a->transpose, none, a->more))
WRONG(on_from, hd_remap_on_device(a->diag, a->device, a->transpose, a->memory, none[0]))
WRONG(on_same, hd_remap_on_device(a->diag, a->device, a->transpose, a->memory, a->memory[0]))
WRONG(back_device, hd_remap_back_on_device(a->diag, NULL, a->transpose, a->more, a->memory))
WRONG(back_on_map, hd_remap_back_on_device(a->diag, a->device, NULL, a->more, a->memory))
WRONG(back_to, hd_remap_back_on_device(a->diag, a->device, a->transpose, none[0], a->memory))
WRONG(back_parts, hd_remap_back_on_device(a->diag, a->device, a->transpose, a->more, NULL))
WRONG(back_part, hd_remap_back_on_device(a->diag, a->device, a->transpose, a->more, none))
WRONG(plan_device, hd_remap_plan(a->diag, NULL, a->transpose, HD_REMAP_TO_DEVICE,
                                 HD_REMAP_IN_DEVICE, &a->choice))
WRONG(plan_map,
      hd_remap_plan(a->diag, a->device, NULL, HD_REMAP_TO_DEVICE, HD_REMAP_IN_DEVICE, &a->choice))
WRONG(plan_direction, hd_remap_plan(a->diag, a->device, a->transpose, (hd_remap_direction)2,
                                    HD_REMAP_IN_DEVICE, &a->choice))
WRONG(plan_negative, hd_remap_plan(a->diag, a->device, a->transpose, (hd_remap_direction)-7,
                                   HD_REMAP_IN_DEVICE, &a->choice))
WRONG(plan_placement, hd_remap_plan(a->diag, a->device, a->transpose, HD_REMAP_TO_DEVICE,
                                    (hd_remap_placement)6, &a->choice))
WRONG(allocate_device, hd_remap_allocate(a->diag, NULL, a->transpose, HD_REMAP_IN_HOST, a->memory))
WRONG(allocate_map, hd_remap_allocate(a->diag, a->device, NULL, HD_REMAP_IN_HOST, a->memory))
WRONG(allocate_parts, hd_remap_allocate(a->diag, a->device, a->transpose, HD_REMAP_IN_HOST, NULL))
WRONG(allocate_placement,
      hd_remap_allocate(a->diag, a->device, a->transpose, (hd_remap_placement)-1, a->memory))
WRONG(plan_choice,
      hd_remap_plan(a->diag, a->device, a->transpose, HD_REMAP_TO_DEVICE, HD_REMAP_IN_DEVICE, NULL))

#define SHARE(name, spoil, device, work)                       \
    static hd_status name(arguments *a) {                      \
        spoil;                                                 \
        return hd_remap_share(a->diag, device, work, 1, NULL); \
    }
SHARE(share_device, (void)0, NULL, &a->work)
SHARE(share_work, (void)0, a->device, NULL)
SHARE(share_map, a->work.map = NULL, a->device, &a->work)
SHARE(share_data, a->work.data = NULL, a->device, &a->work)
SHARE(share_host, a->work.on_host = NULL, a->device, &a->work)
SHARE(share_on_device, a->work.on_device = NULL, a->device, &a->work)
SHARE(share_kind, a->work.map = a->gather, a->device, &a->work)

static const wrong of_devices[] = {
    CASE("hd_remap_open_opencl(NULL context)", "does not have the device", opencl_context),
    CASE("hd_remap_open_opencl(NULL id)", "does not have the device", opencl_id),
    CASE("hd_remap_open_opencl(NULL device)", "no place for the device", opencl_result),
    CASE("hd_remap_open_cuda(NULL device)", "no place for the device", cuda_result),
    CASE("hd_remap_to_device(NULL device)", "no device", to_device),
    CASE("hd_remap_to_device(NULL map)", "no map to remap by", to_map),
    CASE("hd_remap_to_device(NULL to)", "no array of the device's memory", to_parts),
    CASE("hd_remap_to_device(to NULL)", "part 0 of the device's memory has 0 bytes", to_part),
    CASE("hd_remap_to_device(NULL from)", "no memory (NULL) for the host's data", to_from),
    CASE("hd_remap_to_device(77)", "77 is none of hd_remap_strategy", to_77),
    CASE("hd_remap_to_device(5)", "5 is none of hd_remap_strategy", to_5),
    CASE("hd_remap_to_device(-1)", "-1 is none of hd_remap_strategy", to_negative),
    CASE("hd_remap_to_device(simd 99)", "99 is none of hd_remap_simd", to_simd),
    CASE("hd_remap_from_device(NULL device)", "no device", from_device),
    CASE("hd_remap_from_device(NULL map)", "no map to remap by", from_map),
    CASE("hd_remap_from_device(NULL to)", "no memory (NULL) for the host's data", from_to),
    CASE("hd_remap_from_device(NULL from)", "no array of the device's memory", from_parts),
    CASE("hd_remap_from_device(from NULL)", "has 0 bytes", from_part),
    CASE("hd_remap_from_device(77)", "77 is none of hd_remap_strategy", from_77),
    CASE("hd_remap_from_device(INT32_MIN)", "is none of hd_remap_strategy", from_negative),
    CASE("hd_remap_from_device(simd 99)", "99 is none of hd_remap_simd", from_simd),
    CASE("hd_remap_on_device(NULL device)", "no device", on_device),
    CASE("hd_remap_on_device(NULL map)", "no map to remap by", on_map),
    CASE("hd_remap_on_device(NULL to)", "no array of the device's memory", on_parts),
    CASE("hd_remap_on_device(to NULL)", "has 0 bytes", on_part),
    CASE("hd_remap_on_device(from NULL)", "for the source has 0 bytes", on_from),
    CASE("hd_remap_on_device(the same)", "the same memory", on_same),
    CASE("hd_remap_back_on_device(NULL device)", "no device", back_device),
    CASE("hd_remap_back_on_device(NULL map)", "no map to remap by", back_on_map),
    CASE("hd_remap_back_on_device(to NULL)", "for the source has 0 bytes", back_to),
    CASE("hd_remap_back_on_device(NULL from)", "no array of the device's memory", back_parts),
    CASE("hd_remap_back_on_device(from NULL)", "has 0 bytes", back_part),
    CASE("hd_remap_plan(NULL device)", "no device", plan_device),
    CASE("hd_remap_plan(NULL map)", "no map to remap by", plan_map),
    CASE("hd_remap_plan(2)", "2 is none of hd_remap_direction", plan_direction),
    CASE("hd_remap_plan(-7)", "-7 is none of hd_remap_direction", plan_negative),
    CASE("hd_remap_plan(placement 6)", "6 is none of hd_remap_placement", plan_placement),
    CASE("hd_remap_allocate(NULL device)", "no device", allocate_device),
    CASE("hd_remap_allocate(NULL map)", "no map to allocate for", allocate_map),
    CASE("hd_remap_allocate(NULL parts)", "no array for the device's memory", allocate_parts),
    CASE("hd_remap_allocate(-1)", "-1 is none of hd_remap_placement", allocate_placement),
    CASE("hd_remap_plan(NULL choice)", "no place for the choice", plan_choice),
    CASE("hd_remap_share(NULL device)", "no device", share_device),
    CASE("hd_remap_share(NULL work)", "no work to share", share_work),
    CASE("hd_remap_share(NULL map)", "needs a map", share_map),
    CASE("hd_remap_share(NULL data)", "needs a map, data", share_data),
    CASE("hd_remap_share(NULL on_host)", "a function for each side", share_host),
    CASE("hd_remap_share(NULL on_device)", "a function for each side", share_on_device),
    {"hd_remap_share(gather)", share_kind, "only maps of layouts", HD_EUNSUPPORTED},
};

/* ---- the tables ---------------------------------------------------------------------------------
 */

static hd_remap_memory memory_of(fixture *f) {
    cl_int error;
    hd_remap_memory memory = {clCreateBuffer(f->opencl.context, CL_MEM_READ_WRITE,
                                             sizeof(float) * ELEMENTS, NULL, &error)};
    assert_int_equal(error, CL_SUCCESS);
    return memory;
}

static arguments usual(fixture *f) {
    arguments a = {.diag = &f->diag, .device = f->device, .index = {3, 1, 0, 2}};
    assert_int_equal(hd_remap_transpose(&f->diag, ROWS, COLUMNS, sizeof(float), &a.transpose),
                     HD_OK);
    assert_int_equal(hd_remap_gather(&f->diag, a.index, 4, 4, 4, 4, &a.gather), HD_OK);
    assert_int_equal(hd_remap_layout(&f->diag, &body_record, "soa", RECORDS, &a.body), HD_OK);
    a.memory[0] = memory_of(f);
    a.more = memory_of(f);
    a.work = (hd_remap_work){.map = a.transpose, .on_host = no_host, .on_device = no_device};
    return a;
}

static void free_all(arguments *a) {
    hd_remap_free(a->transpose);
    hd_remap_free(a->gather);
    hd_remap_free(a->body);
    clReleaseMemObject(a->memory[0].opencl);
    clReleaseMemObject(a->more.opencl);
}

static void check(fixture *f, const arguments *usual_ones, const wrong *w) {
    arguments a = *usual_ones, before;
    f->last = (heard){0};
    a.made = (hd_remap *)&a;
    a.opened = (hd_remap_device *)&a;
    a.work.data = a.source;
    before = a;
    hd_status status = w->run(&a), expected = w->status ? w->status : HD_EINPUT;
    if (status != expected || f->last.count != 1 || !strstr(f->last.text, w->says))
        fail_msg("%s: status %d and %u messages, the last '%s', where '%s' was expected", w->call,
                 status, f->last.count, f->last.text, w->says);
    if (a.made != NULL && a.made != before.made)
        fail_msg("%s hands a map over", w->call);
    if (a.opened != NULL && a.opened != before.opened)
        fail_msg("%s hands a device over", w->call);
    assert_memory_equal(a.source, before.source, sizeof a.source);
    assert_memory_equal(a.there, before.there, sizeof a.there);
}

static void check_table(void **state, const wrong *table, size_t count) {
    fixture *f = *state;
    arguments a = usual(f);
    for (size_t i = 0; i < count; i++)
        check(f, &a, &table[i]);
    free_all(&a);
}

static void what_maps_are_not_made_of(void **state) {
    check_table(state, of_maps, sizeof of_maps / sizeof *of_maps);
}

static void what_the_host_does_not_take(void **state) {
    check_table(state, of_the_host, sizeof of_the_host / sizeof *of_the_host);
}

static void what_devices_do_not_take(void **state) {
    check_table(state, of_devices, sizeof of_devices / sizeof *of_devices);
}

/* ---- functions that cannot fail ---------------------------------------------------------------
 */

static void assert_nowhere(hd_remap_place place) {
    assert_int_equal(place.part, UINT32_MAX);
    assert_true(place.offset == UINT64_MAX);
}

static void what_is_not_there_is_nowhere(void **state) {
    arguments a = usual(*state);
    assert_nowhere(hd_remap_find(a.body, 0, 99));
    assert_nowhere(hd_remap_find(a.body, 0, 4));
    assert_nowhere(hd_remap_find(a.body, 0, UINT32_MAX));
    assert_nowhere(hd_remap_find(a.body, RECORDS, 0));
    assert_nowhere(hd_remap_find(a.body, UINT64_MAX, 0));
    assert_nowhere(hd_remap_find(a.transpose, 0, 1));
    assert_nowhere(hd_remap_find(a.transpose, ELEMENTS, 0));
    assert_nowhere(hd_remap_find(a.gather, 4, 0));
    assert_nowhere(hd_remap_find(NULL, 0, 0));
    assert_int_equal(hd_remap_find(a.gather, 3, 0).offset, 12);
    assert_int_equal(hd_remap_find(a.body, RECORDS - 1, 3).part, 0);
    assert_int_equal(hd_remap_bytes(a.body, 1), 0);
    assert_int_equal(hd_remap_bytes(a.body, UINT32_MAX), 0);
    free_all(&a);
}

static void nothing_has_nothing(void **state) {
    (void)state;
    assert_int_equal(hd_remap_source_bytes(NULL), 0);
    assert_int_equal(hd_remap_parts(NULL), 0);
    assert_int_equal(hd_remap_bytes(NULL, 0), 0);
    assert_int_equal(hd_remap_in_place_bytes(NULL), 0);
    assert_int_equal(hd_remap_in_place_scratch(NULL), 0);
    assert_string_equal(hd_remap_strategy_name((hd_remap_strategy)77), "unknown");
    assert_string_equal(hd_remap_strategy_name((hd_remap_strategy)-1), "unknown");
    assert_string_equal(hd_remap_strategy_name((hd_remap_strategy)HD_REMAP_STRATEGIES), "unknown");
    hd_remap_free(NULL);
    hd_remap_close(NULL);
}

/* ---- what looks wrong and is not
 * ------------------------------------------------------------------ */

/* Memory, and index arrays, that begin at any byte. */
static void memory_may_begin_anywhere(void **state) {
    fixture *f = *state;
    char indices[1 + 4 * 8], from[1 + 4 * 8], to[3 + 4 * 8];
    for (int bytes = 4; bytes <= 8; bytes += 4) {
        hd_remap *map;
        for (uint64_t i = 0; i < 4; i++) {
            uint64_t element = 3 - i;
            memcpy(indices + 1 + (size_t)i * (size_t)bytes, &element, (size_t)bytes);
            memcpy(from + 1 + i * 8, &element, 8);
        }
        assert_int_equal(hd_remap_gather(&f->diag, indices + 1, (uint32_t)bytes, 4, 4, 8, &map),
                         HD_OK);
        assert_int_equal(hd_remap_apply(&f->diag, map, (void *[]){to + 3}, from + 1, NULL), HD_OK);
        for (uint64_t i = 0; i < 4; i++)
            assert_memory_equal(to + 3 + i * 8, &i, 8);
        hd_remap_free(map);
    }
}

/* Chunks of any size, and more threads than anybody has. */
static void sizes_and_threads_have_no_bounds(void **state) {
    static const uint64_t sizes[] = {1, 3, INT64_MAX, UINT64_MAX};
    fixture *f = *state;
    arguments a = usual(f);
    for (int i = 0; i < ELEMENTS; i++)
        a.source[i] = (float)i;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        float got[ELEMENTS] = {0};
        const hd_remap_options options = {
            .strategy = HD_REMAP_CHUNKED, .chunk_bytes = sizes[s], .host = {.threads = UINT32_MAX}};
        assert_int_equal(
            hd_remap_to_device(&f->diag, f->device, a.transpose, a.memory, a.source, &options),
            HD_OK);
        assert_int_equal(
            hd_remap_from_device(&f->diag, f->device, a.transpose, got, a.memory, &options), HD_OK);
        assert_memory_equal(got, a.source, sizeof got);
    }
    free_all(&a);
}

/* Members of members are no strange names. */
static void members_of_members_have_functions(void **state) {
    fixture *f = *state;
    struct nested {
        struct {
            float x, y[2];
        } pos;
    };
    const hd_remap_field fields[] = {HD_REMAP_FIELD(struct nested, pos.x),
                                     HD_REMAP_FIELD(struct nested, pos.y[0]),
                                     HD_REMAP_FIELD(struct nested, pos.y[2 - 1])};
    const hd_remap_record record = HD_REMAP_RECORD(struct nested, fields);
    hd_remap *map;
    char *text;
    assert_int_equal(hd_remap_layout(&f->diag, &record, "soa", 3, &map), HD_OK);
    assert_int_equal(hd_remap_source(&f->diag, map, "nested", &text), HD_OK);
    assert_non_null(strstr(text, "HD_INDEX nested_pos_x(HD_INDEX element)"));
    assert_non_null(strstr(text, "HD_INDEX nested_pos_y_0_(HD_INDEX element)"));
    free(text);
    hd_remap_free(map);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_maps_are_not_made_of),
        cmocka_unit_test(what_the_host_does_not_take),
        cmocka_unit_test(what_devices_do_not_take),
        cmocka_unit_test(what_is_not_there_is_nowhere),
        cmocka_unit_test(nothing_has_nothing),
        cmocka_unit_test(memory_may_begin_anywhere),
        cmocka_unit_test(sizes_and_threads_have_no_bounds),
        cmocka_unit_test(members_of_members_have_functions),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
