/*
 * What a program in C or C++ calls in place of OpenCL's functions, for buffers of a laid-out record;
 * a part of the header for the host.
 *
 *     heddle_create_body_buffer(...)   clCreateBuffer(...)
 *     heddle_read_body(...)            clEnqueueReadBuffer(...), and write, copy, fill, map, unmap
 *     heddle_set_kernel_arg(...)       clSetKernelArg(...)
 *
 * Arguments are those of OpenCL's functions, sizes and offsets bytes of the original array. So the
 * number of elements is written nowhere, and a buffer's own size tells it: it is the most that a
 * buffer of this size has room for, at least what the program asked for, and everywhere the same.
 * Where runs and clusters start follows from that number alone.
 *
 * An array moves by windows, parts of the buffer that are mapped: of a cluster in tiles the tiles
 * that hold the elements, of one in `soa` a window for each field.
 */
#include <inttypes.h>

#include "map_text.h"
#include "opencl_host.h"

/* A window: fields that lie together. */
typedef struct group {
    uint64_t fields; /* a set, as bits */
    uint32_t first;  /* the field that lies first */
    uint64_t tile;   /* elements; 1: any run of elements has bytes of its own */
    uint64_t tile_bytes;
} group;

typedef struct writer {
    hd_str *out;
    const rw_map_text *text;
    const char *stem;
    group groups[HD_MAX_FIELDS];
    uint32_t group_count;
} writer;

static void find_groups(writer *w) {
    const hd_layout *layout = w->text->layout;
    for (uint32_t c = 0; c < layout->count; c++) {
        const hd_cluster *cluster = &layout->clusters[c];
        bool is_soa = cluster->tile == HD_TILE_SOA;
        for (uint32_t f = 0; f < (is_soa ? cluster->count : 1); f++) {
            uint32_t first = cluster->order[f];
            w->groups[w->group_count++] = (group){
                .fields = is_soa ? (uint64_t)1 << first : cluster->mask,
                .first = first,
                .tile = is_soa ? 1 : cluster->tile,
                .tile_bytes = is_soa ? w->text->map->fields[first].size
                                     : w->text->map->clusters[c].tile_bytes,
            };
        }
    }
}

/* ---- windows ------------------------------------------------------------------------------ */

static void add_room(const writer *w) {
    hd_str_printf(w->out,
                  "/* The elements that a buffer of `bytes` has room for. */\n"
                  "static inline size_t heddle_%s_room(size_t bytes) {\n"
                  "    size_t low = 0, high = bytes + 1;\n"
                  "    while (high - low > 1) {\n"
                  "        size_t middle = low + (high - low) / 2;\n"
                  "        if (%s_bytes(0, middle) <= bytes)\n"
                  "            low = middle;\n        else\n            high = middle;\n    }\n"
                  "    return low;\n}\n\n"
                  "static inline cl_ulong heddle_%s_count(cl_mem buffer) {\n"
                  "    size_t bytes = 0;\n"
                  "    if (!buffer || clGetMemObjectInfo(buffer, CL_MEM_SIZE, sizeof bytes, &bytes,"
                  " NULL))\n        return 0;\n"
                  "    return heddle_%s_room(bytes);\n}\n\n",
                  w->stem, w->stem, w->stem, w->stem);
}

static void add_window(const writer *w) {
    hd_str_printf(
        w->out,
        "/* The bytes of window `group` for elements from `first` to `last`; true: nothing "
        "else lies in\n * them. */\n"
        "static inline int heddle_%s_window(unsigned group, size_t room, size_t first, "
        "size_t last,\n    size_t *begin, size_t *end) {\n    switch (group) {\n",
        w->stem);
    for (uint32_t g = 0; g < w->group_count; g++) {
        const group *at = &w->groups[g];
        const char *name = rw_header_accessor(w->text, w->stem, at->first);
        hd_str_printf(w->out, "    case %u:\n", g);
        if (at->tile == 1)
            hd_str_printf(w->out,
                          "        *begin = %s_offset(room, first);\n"
                          "        *end = %s_offset(room, last) + %" PRIu64 ";\n"
                          "        return 1;\n",
                          name, name, at->tile_bytes);
        else
            hd_str_printf(
                w->out,
                "        *begin = %s_offset(room, first - first %% %" PRIu64 ");\n"
                "        *end = %s_offset(room, last - last %% %" PRIu64 ") + %" PRIu64 ";\n"
                "        return first %% %" PRIu64 " == 0 && ((last + 1) %% %" PRIu64 " == 0 || "
                "last + 1 == room);\n",
                name, at->tile, name, at->tile, at->tile_bytes, at->tile, at->tile);
    }
    hd_str_add(w->out, "    }\n    *begin = *end = 0;\n    return 0;\n}\n\n");
}

static void add_move(const writer *w) {
    uint32_t bytes = hd_record_declared(w->text->record)->size;
    hd_str_printf(
        w->out,
        "/* Elements from `first` to `last` between a window, whose first byte is `begin`, "
        "and an array. */\n"
        "static inline void heddle_%s_move(unsigned group, unsigned char *window, size_t "
        "begin,\n    unsigned char *record, size_t room, size_t first, size_t last, int "
        "back) {\n    size_t e;\n    switch (group) {\n",
        w->stem);
    for (uint32_t g = 0; g < w->group_count; g++) {
        hd_str_printf(w->out,
                      "    case %u:\n        for (e = first; e <= last; e++, record += %u) {\n", g,
                      bytes);
        for (uint32_t f = 0; f < w->text->record->field_count; f++) {
            const hd_field *field = &w->text->record->fields[f];
            if (!(w->groups[g].fields >> f & 1))
                continue;
            hd_str_printf(
                w->out,
                "            heddle_bytes(window + (%s_offset(room, e) - begin), record + "
                "%u, %u, back);\n",
                rw_header_accessor(w->text, w->stem, f), field->offset, field->size);
        }
        hd_str_add(w->out, "        }\n        break;\n");
    }
    hd_str_add(w->out, "    }\n}\n\n");
}

/* ---- what does not depend on the layout -------------------------------------------------------
 * In these texts @S is the record's name in the header, @Z its bytes, @G the number of windows. */

static const char create[] =
    "static inline cl_mem heddle_create_@S_buffer(cl_context context, cl_mem_flags flags, size_t "
    "size,"
    "\n    void *host, cl_int *error) {\n"
    "    size_t bytes = @S_bytes(0, size / @Z), room = heddle_@S_room(bytes), begin, end;\n"
    "    unsigned char *laid = NULL;\n"
    "    unsigned g;\n"
    "    cl_mem buffer;\n"
    "    flags &= ~(cl_mem_flags)(CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | "
    "CL_MEM_HOST_NO_ACCESS);\n"
    "    if (!size || size % @Z || flags & CL_MEM_USE_HOST_PTR) {\n"
    "        if (error)\n            *error = CL_INVALID_VALUE;\n        return NULL;\n    }\n"
    "    if (flags & CL_MEM_COPY_HOST_PTR && host) {\n"
    "        laid = (unsigned char *)calloc(bytes, 1);\n"
    "        if (!laid) {\n"
    "            if (error)\n                *error = CL_OUT_OF_HOST_MEMORY;\n"
    "            return NULL;\n        }\n"
    "        for (g = 0; g < @G; g++) {\n"
    "            heddle_@S_window(g, room, 0, size / @Z - 1, &begin, &end);\n"
    "            heddle_@S_move(g, laid + begin, begin, (unsigned char *)host, room, 0, size / @Z "
    "- 1, "
    "0);\n"
    "        }\n    }\n"
    "    buffer = clCreateBuffer(context, flags, bytes, laid ? laid : host, error);\n"
    "    free(laid);\n    return buffer;\n}\n\n";

static const char transfer[] =
    "/* Done when it returns, also where the program need not wait. */\n"
    "static inline cl_int heddle_transfer_@S(cl_command_queue queue, cl_mem buffer, size_t offset, "
    "size_t size,\n    unsigned char *records, int back, cl_uint waits, const cl_event *wait, "
    "cl_event *event) {\n"
    "    size_t room = heddle_@S_count(buffer), first = offset / @Z, last = first + size / @Z - "
    "1;\n"
    "    size_t begin = 0, end = 0;\n"
    "    cl_event done[@G];\n"
    "    cl_uint g, made = 0;\n"
    "    cl_int error = CL_SUCCESS;\n"
    "    if (!size || size % @Z || offset % @Z || last >= room || !records)\n"
    "        return CL_INVALID_VALUE;\n"
    "    for (g = 0; g < @G && !error; g++) {\n"
    "        int whole = heddle_@S_window(g, room, first, last, &begin, &end);\n"
    "        cl_map_flags flags = back ? CL_MAP_READ : whole ? CL_MAP_WRITE_INVALIDATE_REGION\n"
    "                                                        : CL_MAP_READ | CL_MAP_WRITE;\n"
    "        void *window = clEnqueueMapBuffer(queue, buffer, CL_TRUE, flags, begin, end - begin,\n"
    "                                          g ? 0 : waits, g ? NULL : wait, NULL, &error);\n"
    "        if (error)\n            break;\n"
    "        heddle_@S_move(g, (unsigned char *)window, begin, records, room, first, last, back);\n"
    "        error = clEnqueueUnmapMemObject(queue, buffer, window, 0, NULL, &done[made]);\n"
    "        made += !error;\n    }\n"
    "    if (made && !error)\n        error = clWaitForEvents(made, done);\n"
    "    if (event && !error)\n"
    "        error = clEnqueueMarkerWithWaitList(queue, made, done, event);\n"
    "    while (made)\n        clReleaseEvent(done[--made]);\n"
    "    return error;\n}\n\n"
    "static inline cl_int heddle_read_@S(cl_command_queue queue, cl_mem buffer, cl_bool blocking, "
    "size_t offset,\n    size_t size, void *to, cl_uint waits, const cl_event *wait, cl_event "
    "*event) {\n"
    "    (void)blocking;\n"
    "    return heddle_transfer_@S(queue, buffer, offset, size, (unsigned char *)to, 1, waits, "
    "wait, "
    "event);\n}\n\n"
    "static inline cl_int heddle_write_@S(cl_command_queue queue, cl_mem buffer, cl_bool blocking, "
    "size_t offset,\n    size_t size, const void *from, cl_uint waits, const cl_event *wait, "
    "cl_event "
    "*event) {\n"
    "    (void)blocking;\n"
    "    return heddle_transfer_@S(queue, buffer, offset, size, (unsigned char *)from, 0, waits, "
    "wait,"
    "\n                             event);\n}\n\n";

static const char copy_and_fill[] =
    "static inline cl_int heddle_copy_@S(cl_command_queue queue, cl_mem from, cl_mem to, size_t "
    "from_offset,\n    size_t to_offset, size_t size, cl_uint waits, const cl_event *wait, "
    "cl_event "
    "*event) {\n"
    "    unsigned char *records;\n"
    "    cl_int error;\n"
    "    if (!from_offset && !to_offset && size / @Z == heddle_@S_count(from) &&\n"
    "        size / @Z == heddle_@S_count(to))\n"
    "        return clEnqueueCopyBuffer(queue, from, to, 0, 0, @S_bytes(0, size / @Z), waits, "
    "wait, "
    "event);\n"
    "    records = (unsigned char *)malloc(size + 1);\n"
    "    if (!records)\n        return CL_OUT_OF_HOST_MEMORY;\n"
    "    error = heddle_transfer_@S(queue, from, from_offset, size, records, 1, waits, wait, "
    "NULL);\n"
    "    if (!error)\n"
    "        error = heddle_transfer_@S(queue, to, to_offset, size, records, 0, 0, NULL, event);\n"
    "    free(records);\n    return error;\n}\n\n"
    "static inline cl_int heddle_fill_@S(cl_command_queue queue, cl_mem buffer, const void "
    "*pattern,\n"
    "    size_t pattern_size, size_t offset, size_t size, cl_uint waits, const cl_event *wait, "
    "cl_event *event) {\n"
    "    const unsigned char *bytes = (const unsigned char *)pattern;\n"
    "    unsigned char *records;\n"
    "    size_t i;\n"
    "    cl_int error;\n"
    "    if (!pattern || !pattern_size || size % pattern_size)\n        return CL_INVALID_VALUE;\n"
    "    records = (unsigned char *)malloc(size + 1);\n"
    "    if (!records)\n        return CL_OUT_OF_HOST_MEMORY;\n"
    "    for (i = 0; i < size; i++)\n        records[i] = bytes[i % pattern_size];\n"
    "    error = heddle_transfer_@S(queue, buffer, offset, size, records, 0, waits, wait, event);\n"
    "    free(records);\n    return error;\n}\n\n";

/* What is mapped is an array of the host, with what unmapping must know before it. */
static const char map[] =
    "static inline void *heddle_map_@S(cl_command_queue queue, cl_mem buffer, cl_bool blocking, "
    "cl_map_flags flags,\n    size_t offset, size_t size, cl_uint waits, const cl_event *wait, "
    "cl_event *event, cl_int *error) {\n"
    "    heddle_mapped *mapped = (heddle_mapped *)calloc(1, sizeof *mapped + size);\n"
    "    cl_int status = mapped ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;\n"
    "    (void)blocking;\n"
    "    if (mapped) {\n"
    "        mapped->of.flags = flags;\n"
    "        mapped->of.offset = offset;\n"
    "        mapped->of.size = size;\n"
    "        status = heddle_transfer_@S(queue, buffer, offset, size, (unsigned char *)(mapped + "
    "1), "
    "1, waits, wait,\n                                    event);\n    }\n"
    "    if (error)\n        *error = status;\n"
    "    if (!status)\n        return mapped + 1;\n"
    "    free(mapped);\n    return NULL;\n}\n\n"
    "static inline cl_int heddle_unmap_@S(cl_command_queue queue, cl_mem buffer, void *pointer, "
    "cl_uint waits,\n    const cl_event *wait, cl_event *event) {\n"
    "    heddle_mapped *mapped = (heddle_mapped *)pointer - 1;\n"
    "    cl_int error;\n"
    "    if (!pointer)\n        return CL_INVALID_VALUE;\n"
    "    if (mapped->of.flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION))\n"
    "        error = heddle_transfer_@S(queue, buffer, mapped->of.offset, mapped->of.size,\n"
    "                                   (unsigned char *)pointer, 0, waits, wait, event);\n"
    "    else\n        error = event ? clEnqueueMarkerWithWaitList(queue, waits, wait, event) : "
    "CL_SUCCESS;\n"
    "    free(mapped);\n    return error;\n}\n\n";

static const char common[] =
    "typedef union heddle_mapped {\n"
    "    struct {\n        cl_map_flags flags;\n        size_t offset, size;\n    } of;\n"
    "    unsigned char aligned[128];\n} heddle_mapped;\n\n"
    "static inline void heddle_bytes(void *laid, void *original, size_t size, int back) {\n"
    "    if (back)\n        memcpy(original, laid, size);\n"
    "    else\n        memcpy(laid, original, size);\n}\n\n";

static void add_template(const writer *w, const char *template) {
    for (const char *at = template, *next; *at; at = *next ? next + 2 : next) {
        next = strchrnul(at, '@');
        hd_str_addn(w->out, at, (size_t)(next - at));
        if (!*next)
            break;
        if (next[1] == 'S')
            hd_str_add(w->out, w->stem);
        else
            hd_str_printf(w->out, "%u",
                          next[1] == 'Z' ? hd_record_declared(w->text->record)->size
                                         : w->group_count);
    }
}

/* ---- arguments of kernels --------------------------------------------------------------------- */

static void add_set_arg(hd_str *out, const hd_host_request *request, const char *const *stems) {
    const hd_rewritten *kernels = request->kernels;
    size_t longest = 0;
    for (uint32_t i = 0; i < kernels->laid_param_count; i++) {
        size_t length = strlen(kernels->laid_params[i].kernel);
        longest = length > longest ? length : longest;
    }
    hd_str_printf(
        out, "/* clSetKernelArg() by the indices of the original kernels: each buffer of "
             "laid-out records takes\n * an argument more, its number of elements. */\n"
             "static inline cl_int heddle_set_kernel_arg(cl_kernel kernel, cl_uint index, size_t "
             "size,\n    const void *value) {\n"
             "    static const struct {\n        const char *kernel;\n        cl_uint index, "
             "layout;\n    } laid[] = {\n");
    for (uint32_t i = 0; i < kernels->laid_param_count; i++) {
        const hd_laid_param *p = &kernels->laid_params[i];
        hd_str_printf(out, "        {\"%s\", %u, %u},\n", p->kernel, p->param, p->layout);
    }
    hd_str_printf(out,
                  "    };\n    char name[%zu] = \"\";\n"
                  "    cl_uint i, before = 0, layout = ~(cl_uint)0;\n"
                  "    cl_ulong count = 0;\n"
                  "    cl_mem buffer = NULL;\n"
                  "    cl_int error;\n"
                  "    if (clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name, name, "
                  "NULL))\n"
                  "        name[0] = '\\0'; /* longer than those that changed, or no kernel */\n"
                  "    for (i = 0; i < sizeof laid / sizeof *laid; i++)\n"
                  "        if (!strcmp(laid[i].kernel, name)) {\n"
                  "            before += laid[i].index < index;\n"
                  "            layout = laid[i].index == index ? laid[i].layout : layout;\n"
                  "        }\n"
                  "    error = clSetKernelArg(kernel, index + before, size, value);\n"
                  "    if (error || layout == ~(cl_uint)0)\n        return error;\n"
                  "    if (value)\n        buffer = *(const cl_mem *)value;\n"
                  "    switch (layout) {\n",
                  longest + 1);
    for (uint32_t l = 0; l < request->layout_count; l++)
        hd_str_printf(out,
                      "    case %u:\n        count = heddle_%s_count(buffer);\n        break;\n", l,
                      stems[l]);
    hd_str_add(out, "    }\n    return clSetKernelArg(kernel, index + before + 1, sizeof count, "
                    "&count);\n}\n");
}

const char *rw_opencl_header(hd_arena *arena, const hd_host_request *request,
                             const char *const *stems) {
    hd_str out = {.arena = arena};
    const hd_diag quiet = {NULL, NULL};
    for (uint32_t l = 0; l < request->layout_count; l++) {
        const hd_record_layout *chosen = &request->layouts[l];
        hd_str_printf(&out, "%s%s", l ? "\n" : "",
                      hd_rewrite_host_header(arena, chosen->record, chosen->layout, stems[l]));
    }
    hd_str_printf(
        &out,
        "\n/* In place of OpenCL's functions, for buffers in these layouts. */\n"
        "#if !defined(HEDDLE_KERNELS_ONLY) && !defined(HEDDLE_OPENCL_%s_H)\n"
        "#define HEDDLE_OPENCL_%s_H\n"
        "#ifdef __APPLE__\n#include <OpenCL/opencl.h>\n#else\n#include <CL/cl.h>\n#endif\n"
        "#include <stdlib.h>\n#include <string.h>\n\n%s",
        stems[0], stems[0], common);
    for (uint32_t l = 0; l < request->layout_count; l++) {
        const hd_record_layout *chosen = &request->layouts[l];
        writer w = {.out = &out, .stem = stems[l]};
        if (rw_map_text_make(arena, &quiet, chosen->record, chosen->layout,
                             (rw_map_text **)&w.text) != HD_OK)
            return NULL;
        find_groups(&w);
        add_room(&w);
        add_window(&w);
        add_move(&w);
        add_template(&w, create);
        add_template(&w, transfer);
        add_template(&w, copy_and_fill);
        add_template(&w, map);
    }
    add_set_arg(&out, request, stems);
    hd_str_add(&out, "#endif\n");
    return hd_str_text(&out);
}
