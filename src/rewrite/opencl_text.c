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

static void add_windows(const writer *w) {
    hd_arena *arena = w->out->arena;
    rw_add_text(w->out, "buffers.window", "stem", w->stem, NULL);
    for (uint32_t g = 0; g < w->group_count; g++) {
        const group *at = &w->groups[g];
        rw_add_text(w->out, at->tile == 1 ? "buffers.window_of_run" : "buffers.window_of_tiles",
                    "window", hd_format(arena, "%u", g), "field",
                    rw_header_accessor(w->text, w->stem, at->first), "tile",
                    hd_format(arena, "%" PRIu64, at->tile), "bytes",
                    hd_format(arena, "%" PRIu64, at->tile_bytes), NULL);
    }
}

static void add_move(const writer *w) {
    rw_add_text(w->out, "buffers.move", "stem", w->stem, NULL);
    for (uint32_t g = 0; g < w->group_count; g++) {
        hd_str_printf(w->out,
                      "    case %u:\n        for (e = first; e <= last; e++, record += %u) {\n", g,
                      hd_record_declared(w->text->record)->size);
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
}

static void add_set_arg(hd_str *out, const hd_host_request *request, const char *const *stems) {
    const hd_rewritten *kernels = request->kernels;
    size_t longest = 0;
    hd_str rows = {.arena = out->arena}, counts = rows;
    for (uint32_t i = 0; i < kernels->laid_param_count; i++) {
        const hd_laid_param *p = &kernels->laid_params[i];
        size_t length = strlen(p->kernel);
        longest = length > longest ? length : longest;
        hd_str_printf(&rows, "        {\"%s\", %u, %u},\n", p->kernel, p->param, p->layout);
    }
    for (uint32_t l = 0; l < request->layout_count; l++)
        hd_str_printf(&counts,
                      "    case %u:\n        count = heddle_%s_count(buffer);\n        break;\n", l,
                      stems[l]);
    rw_add_text(out, "buffers.arguments", "rows", hd_str_text(&rows), "longest",
                hd_format(out->arena, "%zu", longest + 1), "counts", hd_str_text(&counts), NULL);
}

const char *rw_opencl_header(hd_arena *arena, const hd_host_request *request,
                             const char *const *stems, bool with_bindings) {
    hd_str out = {.arena = arena};
    const hd_diag quiet = {NULL, NULL};
    for (uint32_t l = 0; l < request->layout_count; l++) {
        const hd_record_layout *chosen = &request->layouts[l];
        hd_str_printf(&out, "%s%s", l ? "\n" : "",
                      hd_rewrite_host_header(arena, chosen->record, chosen->layout, stems[l]));
    }
    rw_add_text(&out, "buffers.start", "stem", stems[0], NULL);
    for (uint32_t l = 0; l < request->layout_count; l++) {
        const hd_record_layout *chosen = &request->layouts[l];
        writer w = {.out = &out, .stem = stems[l]};
        if (rw_map_text_make(arena, &quiet, chosen->record, chosen->layout,
                             (rw_map_text **)&w.text) != HD_OK)
            return NULL;
        find_groups(&w);
        rw_add_text(&out, "buffers.room", "stem", w.stem, NULL);
        add_windows(&w);
        add_move(&w);
        rw_add_text(&out, "buffers.functions", "stem", w.stem, "bytes",
                    hd_format(arena, "%u", hd_record_declared(chosen->record)->size), "windows",
                    hd_format(arena, "%u", w.group_count), NULL);
    }
    add_set_arg(&out, request, stems);
    if (with_bindings)
        rw_add_text(&out, "bindings.start", NULL);
    for (uint32_t l = 0; l < request->layout_count && with_bindings; l++)
        rw_add_text(&out, "bindings.functions", "stem", stems[l], NULL);
    rw_add_text(&out, with_bindings ? "bindings.end" : "buffers.end", NULL);
    return hd_str_text(&out);
}
