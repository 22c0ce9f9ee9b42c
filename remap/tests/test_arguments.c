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
    heard *last;
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

static hd_remap_memory memory_of(fixture *f) {
    cl_int error;
    hd_remap_memory memory = {clCreateBuffer(f->opencl.context, CL_MEM_READ_WRITE,
                                             sizeof(float) * ELEMENTS, NULL, &error)};
    assert_int_equal(error, CL_SUCCESS);
    return memory;
}

static arguments usual(fixture *f) {
    arguments a = {.diag = &f->diag, .last = &f->last, .device = f->device, .index = {3, 1, 0, 2}};
    assert_int_equal(hd_remap_transpose(&f->diag, ROWS, COLUMNS, sizeof(float), &a.transpose),
                     HD_OK);
    assert_int_equal(hd_remap_gather(&f->diag, a.index, 4, 4, 4, 4, &a.gather), HD_OK);
    assert_int_equal(hd_remap_layout(&f->diag, &body_record, "soa", RECORDS, &a.body), HD_OK);
    a.memory[0] = memory_of(f);
    a.more = memory_of(f);
    return a;
}

static void free_all(arguments *a) {
    hd_remap_free(a->transpose);
    hd_remap_free(a->gather);
    hd_remap_free(a->body);
    clReleaseMemObject(a->memory[0].opencl);
    clReleaseMemObject(a->more.opencl);
}

static void begin(arguments *a) {
    *a->last = (heard){0};
    a->made = (hd_remap *)a;
    a->opened = (hd_remap_device *)a;
    a->options = (hd_remap_options){0};
    a->work = (hd_remap_work){
        .map = a->transpose, .data = a->source, .on_host = no_host, .on_device = no_device};
}

static void check(const arguments *a, const char *call, hd_status expected, const char *says,
                  hd_status status) {
    static const float untouched[ELEMENTS];
    if (status != expected || a->last->count != 1 || !strstr(a->last->text, says))
        fail_msg("%s: status %d and %u messages, the last '%s', where '%s' was expected", call,
                 status, a->last->count, a->last->text, says);
    if (a->made != NULL && a->made != (const hd_remap *)a)
        fail_msg("%s hands a map over", call);
    if (a->opened != NULL && a->opened != (const hd_remap_device *)a)
        fail_msg("%s hands a device over", call);
    assert_memory_equal(a->source, untouched, sizeof untouched);
    assert_memory_equal(a->there, untouched, sizeof untouched);
}

/* One message that has this in it, and nothing else. */
#define REFUSED_AS(status, says, call) check(a, #call, status, says, (begin(a), (call)))
#define REFUSED(says, call) REFUSED_AS(HD_EINPUT, says, call)

/* ---- maps ------------------------------------------------------------------------------ */

static hd_status pair(arguments *a, const char *second) {
    const hd_remap_field fields[] = {{"a", 0, 4, 4}, {second, 4, 4, 4}};
    const hd_remap_record record = {"pair", 8, 4, fields, 2};
    return hd_remap_layout(a->diag, &record, "soa", RECORDS, &a->made);
}

static void what_layouts_are_not_made_of(void **state) {
    arguments all = usual(*state), *a = &all;
    REFUSED("no record", hd_remap_layout(a->diag, NULL, "soa", 6, &a->made));
    REFUSED("no text of a layout", hd_remap_layout(a->diag, &body_record, NULL, 6, &a->made));
    REFUSED("number of records is 0", hd_remap_layout(a->diag, &body_record, "soa", 0, &a->made));
    REFUSED("more than 2^63 - 1",
            hd_remap_layout(a->diag, &body_record, "soa", UINT64_MAX, &a->made));
    REFUSED("more than 2^63 - 1",
            hd_remap_layout(a->diag, &body_record, "soa", (uint64_t)1 << 59, &a->made));
    REFUSED("no place for the new map", hd_remap_layout(a->diag, &body_record, "soa", 6, NULL));
    REFUSED("is no member of a struct", pair(a, "a */ }; evil(); /*"));
    REFUSED("is no member of a struct", pair(a, "b\n#include \"/etc/passwd\""));
    REFUSED("is no member of a struct", pair(a, "b\""));
    REFUSED("is no member of a struct", pair(a, "b\\"));
    REFUSED("is no member of a struct", pair(a, ""));
    REFUSED("is no member of a struct", pair(a, "1b"));
    REFUSED("is no member of a struct", pair(a, "b\?\?/"));
    free_all(a);
}

static void what_matrices_are_not_made_of(void **state) {
    arguments all = usual(*state), *a = &all;
    REFUSED("number of rows is 0", hd_remap_transpose(a->diag, 0, 7, 4, &a->made));
    REFUSED("number of columns is 0", hd_remap_transpose(a->diag, 7, 0, 4, &a->made));
    REFUSED("size of an element is 0", hd_remap_transpose(a->diag, 7, 7, 0, &a->made));
    REFUSED("more than 2^63 - 1", hd_remap_transpose(a->diag, UINT64_MAX, UINT64_MAX, 4, &a->made));
    REFUSED("more than 2^63 - 1",
            hd_remap_transpose(a->diag, 1 << 30, 1 << 30, UINT32_MAX, &a->made));
    REFUSED("no place for the new map", hd_remap_transpose(a->diag, 7, 7, 4, NULL));
    REFUSED("number of rows is 0", hd_remap_diagonal(a->diag, 0, 7, 4, &a->made));
    REFUSED("number of columns is 0", hd_remap_diagonal(a->diag, 7, 0, 4, &a->made));
    REFUSED("size of an element is 0", hd_remap_diagonal(a->diag, 7, 7, 0, &a->made));
    REFUSED("more than 2^63 - 1", hd_remap_diagonal(a->diag, INT64_MAX, 1, 1, &a->made));
    REFUSED("no place for the new map", hd_remap_diagonal(a->diag, 7, 7, 4, NULL));
    REFUSED("number of rows is 0", hd_remap_morton(a->diag, 0, 7, 4, &a->made));
    REFUSED("number of columns is 0", hd_remap_morton(a->diag, 7, 0, 4, &a->made));
    REFUSED("size of an element is 0", hd_remap_morton(a->diag, 7, 7, 0, &a->made));
    REFUSED("more than 2^63 - 1", hd_remap_morton(a->diag, 1, INT64_MAX, 1, &a->made));
    REFUSED("no place for the new map", hd_remap_morton(a->diag, 7, 7, 4, NULL));
    free_all(a);
}

static hd_status user_map(arguments *a, uint64_t source_count, uint64_t count, uint32_t bytes,
                          uint64_t (*place)(uint64_t, const void *), hd_remap **result) {
    const hd_remap_user user = {source_count, count, bytes, place, NULL, NULL};
    return hd_remap_user_map(a->diag, &user, result);
}

static void what_maps_of_indices_are_not_made_of(void **state) {
    arguments all = usual(*state), *a = &all;
    REFUSED("this one is NULL", hd_remap_gather(a->diag, NULL, 4, 4, 4, 4, &a->made));
    REFUSED("of 4 or of 8 bytes", hd_remap_gather(a->diag, a->index, 3, 4, 4, 4, &a->made));
    REFUSED("number of places is 0", hd_remap_gather(a->diag, a->index, 4, 0, 4, 4, &a->made));
    REFUSED("number of elements is 0", hd_remap_gather(a->diag, a->index, 4, 4, 0, 4, &a->made));
    REFUSED("it must be from 0 to 2", hd_remap_gather(a->diag, a->index, 4, 4, 3, 4, &a->made));
    REFUSED("size of an element is 0", hd_remap_gather(a->diag, a->index, 4, 4, 4, 0, &a->made));
    REFUSED("more than 2^63 - 1",
            hd_remap_gather(a->diag, a->index, 4, UINT64_MAX, 4, 4, &a->made));
    REFUSED("no place for the new map", hd_remap_gather(a->diag, a->index, 4, 4, 4, 4, NULL));
    REFUSED("this one is NULL", hd_remap_scatter(a->diag, NULL, 4, 4, 4, 4, &a->made));
    REFUSED("of 4 or of 8 bytes", hd_remap_scatter(a->diag, a->index, 0, 4, 4, 4, &a->made));
    REFUSED("number of elements is 0", hd_remap_scatter(a->diag, a->index, 4, 0, 4, 4, &a->made));
    REFUSED("number of places is 0", hd_remap_scatter(a->diag, a->index, 4, 4, 0, 4, &a->made));
    REFUSED("it must be from 0 to 2", hd_remap_scatter(a->diag, a->index, 4, 4, 3, 4, &a->made));
    REFUSED("size of an element is 0", hd_remap_scatter(a->diag, a->index, 4, 4, 4, 0, &a->made));
    REFUSED("more than 2^63 - 1",
            hd_remap_scatter(a->diag, a->index, 4, 4, UINT64_MAX, 4, &a->made));
    REFUSED("no place for the new map", hd_remap_scatter(a->diag, a->index, 4, 4, 4, 4, NULL));
    REFUSED("needs its function", hd_remap_user_map(a->diag, NULL, &a->made));
    REFUSED("needs its function", user_map(a, 4, 4, 4, NULL, &a->made));
    REFUSED("number of elements is 0", user_map(a, 0, 4, 4, same_place, &a->made));
    REFUSED("number of places is 0", user_map(a, 4, 0, 4, same_place, &a->made));
    REFUSED("places are from 0 to 2", user_map(a, 4, 3, 4, same_place, &a->made));
    REFUSED("size of an element is 0", user_map(a, 4, 4, 0, same_place, &a->made));
    REFUSED("more than 2^63 - 1", user_map(a, UINT64_MAX, UINT64_MAX, 4, same_place, &a->made));
    REFUSED("no place for the new map", user_map(a, 4, 4, 4, same_place, NULL));
    free_all(a);
}

static hd_status write_source(arguments *a, const hd_remap *map, const char *name, bool keep) {
    char *text = (char *)a;
    hd_status status = hd_remap_source(a->diag, map, name, keep ? &text : NULL);
    if (keep)
        assert_null(text);
    return status;
}
/* Two members whose functions would have one name. */
static hd_status source_of_same_names(arguments *a) {
    const hd_remap_field fields[] = {{"pos.x", 0, 4, 4}, {"pos_x", 4, 4, 4}};
    const hd_remap_record record = {"pair", 8, 4, fields, 2};
    hd_remap *map;
    assert_int_equal(hd_remap_layout(a->diag, &record, "soa", 3, &map), HD_OK);
    hd_status status = write_source(a, map, "pair", true);
    hd_remap_free(map);
    return status;
}

static void what_maps_do_not_give(void **state) {
    arguments all = usual(*state), *a = &all;
    REFUSED("no map to take a slice of", hd_remap_slice(a->diag, NULL, 0, 1, &a->made));
    REFUSED("is not within", hd_remap_slice(a->diag, a->transpose, ROWS + 1, 1, &a->made));
    REFUSED("is not within", hd_remap_slice(a->diag, a->transpose, 0, 0, &a->made));
    REFUSED("is not within", hd_remap_slice(a->diag, a->transpose, 1, UINT64_MAX, &a->made));
    REFUSED("no place for the new map", hd_remap_slice(a->diag, a->transpose, 0, 1, NULL));
    REFUSED("no map to write", write_source(a, NULL, "f", true));
    REFUSED("no name for the functions", write_source(a, a->transpose, NULL, true));
    REFUSED("is no name of a function", write_source(a, a->transpose, "", true));
    REFUSED("is no name of a function", write_source(a, a->transpose, "f(HD_INDEX e) {} f", true));
    REFUSED("is no name of a function", write_source(a, a->body, "f\n#define x", true));
    REFUSED("is no name of a function", write_source(a, a->body, "1f", true));
    REFUSED("is no name of a function", write_source(a, a->body, "f\xc3\xa4", true));
    REFUSED_AS(HD_EUNSUPPORTED, "no index transform", write_source(a, a->gather, "place", true));
    REFUSED("no place for the text", write_source(a, a->transpose, "f", false));
    REFUSED("'pos.x' and 'pos_x' of 'pair' would both have", source_of_same_names(a));
    free_all(a);
}

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

static void what_the_host_does_not_take(void **state) {
    arguments all = usual(*state), *a = &all;
    REFUSED("no map to remap by", apply(a, NULL, true, a->there, a->source, 0));
    REFUSED("no array of the remapped data's parts",
            apply(a, a->transpose, false, a->there, a->source, 0));
    REFUSED("no memory (NULL) for the remapped data",
            apply(a, a->transpose, true, NULL, a->source, 0));
    REFUSED("no memory (NULL) for the source", apply(a, a->transpose, true, a->there, NULL, 0));
    REFUSED("overlap", apply(a, a->transpose, true, a->source + 1, a->source, 0));
    REFUSED("99 is none of hd_remap_simd", apply(a, a->transpose, true, a->there, a->source, 99));
    REFUSED("-1 is none of hd_remap_simd", apply(a, a->transpose, true, a->there, a->source, -1));
    REFUSED("no map to remap by", revert(a, NULL, true, a->there, a->source, 0));
    REFUSED("no array of the remapped data's parts",
            revert(a, a->transpose, false, a->there, a->source, 0));
    REFUSED("no memory (NULL) for the remapped data",
            revert(a, a->transpose, true, NULL, a->source, 0));
    REFUSED("no memory (NULL) for the source", revert(a, a->transpose, true, a->there, NULL, 0));
    REFUSED("overlap", revert(a, a->transpose, true, a->source, a->source + 3, 0));
    REFUSED("99 is none of hd_remap_simd", revert(a, a->transpose, true, a->there, a->source, 99));
    REFUSED("no map to remap by", in_place(a, NULL, a->there, 0, false));
    REFUSED("no memory (NULL)", in_place(a, a->transpose, NULL, 0, false));
    REFUSED("99 is none of hd_remap_simd", in_place(a, a->transpose, a->there, 99, false));
    REFUSED_AS(HD_EUNSUPPORTED, "only transposes", in_place(a, a->gather, a->there, 0, false));
    REFUSED("no map to remap by", in_place(a, NULL, a->there, 0, true));
    REFUSED("no memory (NULL)", in_place(a, a->transpose, NULL, 0, true));
    REFUSED("99 is none of hd_remap_simd", in_place(a, a->transpose, a->there, 99, true));
    free_all(a);
}

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

static void what_moves_do_not_take(void **state) {
    arguments all = usual(*state), *a = &all;
    REFUSED("does not have the device",
            hd_remap_open_opencl(a->diag, NULL, (struct _cl_device_id *)a, &a->opened));
    REFUSED("does not have the device",
            hd_remap_open_opencl(a->diag, (struct _cl_context *)a, NULL, &a->opened));
    REFUSED("no place for the device", hd_remap_open_opencl(a->diag, NULL, NULL, NULL));
    REFUSED("no place for the device", hd_remap_open_cuda(a->diag, NULL));
    REFUSED("no device",
            hd_remap_to_device(a->diag, NULL, a->transpose, a->memory, a->source, NULL));
    REFUSED("no map to remap by",
            hd_remap_to_device(a->diag, a->device, NULL, a->memory, a->source, NULL));
    REFUSED("no array of the device's memory",
            hd_remap_to_device(a->diag, a->device, a->transpose, NULL, a->source, NULL));
    REFUSED("part 0 of the device's memory has 0 bytes",
            hd_remap_to_device(a->diag, a->device, a->transpose, none, a->source, NULL));
    REFUSED("no memory (NULL) for the host's data",
            hd_remap_to_device(a->diag, a->device, a->transpose, a->memory, NULL, NULL));
    REFUSED("77 is none of hd_remap_strategy", there(a, 77, 0));
    REFUSED("5 is none of hd_remap_strategy", there(a, HD_REMAP_STRATEGIES, 0));
    REFUSED("-1 is none of hd_remap_strategy", there(a, -1, 0));
    REFUSED("99 is none of hd_remap_simd", there(a, HD_REMAP_BULK, 99));
    REFUSED("no device",
            hd_remap_from_device(a->diag, NULL, a->transpose, a->source, a->memory, NULL));
    REFUSED("no map to remap by",
            hd_remap_from_device(a->diag, a->device, NULL, a->source, a->memory, NULL));
    REFUSED("no memory (NULL) for the host's data",
            hd_remap_from_device(a->diag, a->device, a->transpose, NULL, a->memory, NULL));
    REFUSED("no array of the device's memory",
            hd_remap_from_device(a->diag, a->device, a->transpose, a->source, NULL, NULL));
    REFUSED("has 0 bytes",
            hd_remap_from_device(a->diag, a->device, a->transpose, a->source, none, NULL));
    REFUSED("77 is none of hd_remap_strategy", back(a, 77, 0));
    REFUSED("is none of hd_remap_strategy", back(a, INT32_MIN, 0));
    REFUSED("99 is none of hd_remap_simd", back(a, HD_REMAP_BULK, 99));
    REFUSED("no device", hd_remap_on_device(a->diag, NULL, a->transpose, a->memory, a->more));
    REFUSED("no map to remap by", hd_remap_on_device(a->diag, a->device, NULL, a->memory, a->more));
    REFUSED("no array of the device's memory",
            hd_remap_on_device(a->diag, a->device, a->transpose, NULL, a->more));
    REFUSED("has 0 bytes", hd_remap_on_device(a->diag, a->device, a->transpose, none, a->more));
    REFUSED("for the source has 0 bytes",
            hd_remap_on_device(a->diag, a->device, a->transpose, a->memory, none[0]));
    REFUSED("the same memory",
            hd_remap_on_device(a->diag, a->device, a->transpose, a->memory, a->memory[0]));
    REFUSED("no device", hd_remap_back_on_device(a->diag, NULL, a->transpose, a->more, a->memory));
    REFUSED("no map to remap by",
            hd_remap_back_on_device(a->diag, a->device, NULL, a->more, a->memory));
    REFUSED("for the source has 0 bytes",
            hd_remap_back_on_device(a->diag, a->device, a->transpose, none[0], a->memory));
    REFUSED("no array of the device's memory",
            hd_remap_back_on_device(a->diag, a->device, a->transpose, a->more, NULL));
    REFUSED("has 0 bytes",
            hd_remap_back_on_device(a->diag, a->device, a->transpose, a->more, none));
    free_all(a);
}

static void what_plans_do_not_take(void **state) {
    arguments all = usual(*state), *a = &all;
    REFUSED("no device", hd_remap_plan(a->diag, NULL, a->transpose, HD_REMAP_TO_DEVICE,
                                       HD_REMAP_IN_DEVICE, &a->choice));
    REFUSED("no map to remap by", hd_remap_plan(a->diag, a->device, NULL, HD_REMAP_TO_DEVICE,
                                                HD_REMAP_IN_DEVICE, &a->choice));
    REFUSED("2 is none of hd_remap_direction",
            hd_remap_plan(a->diag, a->device, a->transpose, (hd_remap_direction)2,
                          HD_REMAP_IN_DEVICE, &a->choice));
    REFUSED("-7 is none of hd_remap_direction",
            hd_remap_plan(a->diag, a->device, a->transpose, (hd_remap_direction)-7,
                          HD_REMAP_IN_DEVICE, &a->choice));
    REFUSED("6 is none of hd_remap_placement",
            hd_remap_plan(a->diag, a->device, a->transpose, HD_REMAP_TO_DEVICE,
                          (hd_remap_placement)6, &a->choice));
    REFUSED("no device",
            hd_remap_allocate(a->diag, NULL, a->transpose, HD_REMAP_IN_HOST, a->memory));
    REFUSED("no map to allocate for",
            hd_remap_allocate(a->diag, a->device, NULL, HD_REMAP_IN_HOST, a->memory));
    REFUSED("no array for the device's memory",
            hd_remap_allocate(a->diag, a->device, a->transpose, HD_REMAP_IN_HOST, NULL));
    REFUSED("-1 is none of hd_remap_placement",
            hd_remap_allocate(a->diag, a->device, a->transpose, (hd_remap_placement)-1, a->memory));
    REFUSED("no place for the choice", hd_remap_plan(a->diag, a->device, a->transpose,
                                                     HD_REMAP_TO_DEVICE, HD_REMAP_IN_DEVICE, NULL));
    REFUSED("no device", hd_remap_share(a->diag, NULL, &a->work, 1, NULL));
    REFUSED("no work to share", hd_remap_share(a->diag, a->device, NULL, 1, NULL));
    REFUSED("needs a map",
            (a->work.map = NULL, hd_remap_share(a->diag, a->device, &a->work, 1, NULL)));
    REFUSED("needs a map, data",
            (a->work.data = NULL, hd_remap_share(a->diag, a->device, &a->work, 1, NULL)));
    REFUSED("a function for each side",
            (a->work.on_host = NULL, hd_remap_share(a->diag, a->device, &a->work, 1, NULL)));
    REFUSED("a function for each side",
            (a->work.on_device = NULL, hd_remap_share(a->diag, a->device, &a->work, 1, NULL)));
    REFUSED_AS(HD_EUNSUPPORTED, "only maps of layouts",
               (a->work.map = a->gather, hd_remap_share(a->diag, a->device, &a->work, 1, NULL)));
    free_all(a);
}

/* ---- functions that cannot fail --------------------------------------------------------------*/

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
        cmocka_unit_test(what_layouts_are_not_made_of),
        cmocka_unit_test(what_matrices_are_not_made_of),
        cmocka_unit_test(what_maps_of_indices_are_not_made_of),
        cmocka_unit_test(what_maps_do_not_give),
        cmocka_unit_test(what_the_host_does_not_take),
        cmocka_unit_test(what_moves_do_not_take),
        cmocka_unit_test(what_plans_do_not_take),
        cmocka_unit_test(what_is_not_there_is_nowhere),
        cmocka_unit_test(nothing_has_nothing),
        cmocka_unit_test(memory_may_begin_anywhere),
        cmocka_unit_test(sizes_and_threads_have_no_bounds),
        cmocka_unit_test(members_of_members_have_functions),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
