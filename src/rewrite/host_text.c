/*
 * What rewritten host code calls: functions with the names of CUDA's that take references, and for
 * each record what they have to know of its layout.
 *
 *     namespace heddle { cudaMalloc cudaMemcpy ... }    the same text for every record and layout
 *     struct R_memory                                    streams and sizes of R
 *
 * A stream is what one base pointer of a reference leads to: tiles of runs, a run for each field.
 * All functions go through the stretches of memory that hold nothing but the elements that are meant
 * (heddle::each_piece), so a part of an array, in the middle of a tile, is as good as a whole one.
 */
#include <inttypes.h>

#include "internal.h"
#include "kernel/cuda_calls.h"

/* ---- the functions ----------------------------------------------------------------------------- */

/* CUDA's functions that know memory. Their first arguments are: A the address of a pointer, P a
 * pointer, S an array with a name, - anything else. The text of what takes their place, where this
 * is the same for several with what it takes and hands on. */
static const struct memory_call {
    const char *name, *roles, *text, *call, *parameters, *arguments;
} calls[] = {
    {"cudaMalloc", "A", "cuda.allocates", "cudaMalloc", "", ""},
    {"cudaMallocManaged", "A", "cuda.allocates", "cudaMallocManaged",
     ", unsigned flags = cudaMemAttachGlobal", ", flags"},
    {"cudaMallocAsync", "A", "cuda.allocates", "cudaMallocAsync", ", cudaStream_t s", ", s"},
    {"cudaMallocHost", "A", "cuda.allocates", "cudaHostAlloc", ", unsigned flags = 0", ", flags"},
    {"cudaHostAlloc", "A", "cuda.allocates", "cudaHostAlloc", ", unsigned flags", ", flags"},
    {"cudaFree", "P", "cuda.frees", "cudaFree", "", ""},
    {"cudaFreeAsync", "P", "cuda.frees", "cudaFreeAsync", ", cudaStream_t s", ", s"},
    {"cudaFreeHost", "P", "cuda.frees", "cudaFreeHost", "", ""},
    {"cudaMemcpyAsync", "PP", "cuda.copies", "", "", ""},
    {"cudaMemcpy", "PP", "cuda.copies_and_waits", "", "", ""},
    {"cudaMemsetAsync", "P", "cuda.fills", "", "", ""},
    {"cudaMemset", "P", "cuda.fills_and_waits", "", "", ""},
    {"cudaMemPrefetchAsync", "P", "cuda.hints", "cudaMemPrefetchAsync", "", ""},
    {"cudaMemAdvise", "P", "cuda.hints", "cudaMemAdvise", "", ""},
    {"cudaMemcpyToSymbol", "S", "cuda.copies_to_symbols", "", "", ", 0"},
    {"cudaMemcpyToSymbolAsync", "S", "cuda.copies_to_symbols", "", ", cudaStream_t s = 0", ", s"},
    {"cudaMemcpyFromSymbol", "-S", "cuda.copies_from_symbols", "", "", ", 0"},
    {"cudaMemcpyFromSymbolAsync", "-S", "cuda.copies_from_symbols", "", ", cudaStream_t s = 0",
     ", s"},
    {"cudaGetSymbolAddress", "AS", "cuda.symbol_addresses", "", "", ""},
};

const char *rw_memory_roles(const char *name) {
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (!strcmp(calls[i].name, name))
            return calls[i].roles;
    return NULL;
}

const char *rw_host_words(const rewriter *rw, const char *text) {
    return rw->command->is_hip ? hd_hip_of_cuda(rw->arena, text) : text;
}

/* The forms without a stream call those with one. */
static bool is_called(const rewriter *rw, const char *name) {
    for (size_t i = 0; i < rw->memory_calls.count; i++) {
        const char *called = rw->memory_calls.data[i];
        if (!strcmp(called, name) ||
            (!strcmp(hd_format(rw->arena, "%sAsync", called), name) &&
             (!strcmp(called, "cudaMemcpy") || !strcmp(called, "cudaMemset"))))
            return true;
    }
    return false;
}

static void add_functions(hd_str *out, const rewriter *rw, const laid_record *l) {
    if (rw->has_vectors && !*l->scope) /* thrust's headers may stand behind */
        rw_add_text(out, "cuda.vector_headers", NULL);
    rw_add_text(out, "cuda.start", NULL);
    if (rw->has_templates)
        rw_add_text(out, "cuda.templates", NULL);
    if (rw->has_vectors)
        rw_add_text(out, "cuda.vectors", NULL);
    if (rw->copies_symbols)
        rw_add_text(out, "cuda.symbols", NULL);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (is_called(rw, calls[i].name))
            rw_add_text(out, calls[i].text, "name", calls[i].name, "call", calls[i].call,
                        "parameters", calls[i].parameters, "arguments", calls[i].arguments, NULL);
    hd_str_add(out, "} // namespace heddle\n");
}

/* ---- a record's memory -------------------------------------------------------------------------- */

/* A base pointer of a reference, and the fields that are reached from it. */
typedef struct stream {
    const char *name;
    uint32_t cluster, first, count; /* fields: a part of the cluster's order */
} stream;

typedef hd_vec(stream) streams;

static streams streams_of(rewriter *rw, const laid_record *l) {
    streams all = {0};
    for (uint32_t c = 0; c < l->text->layout->count; c++) {
        const hd_cluster *cluster = &l->text->layout->clusters[c];
        bool is_soa = cluster->tile == HD_TILE_SOA;
        for (uint32_t i = 0; i < (is_soa ? cluster->count : 1); i++)
            hd_push(
                rw->arena, &all,
                (stream){l->text->streams[cluster->order[i]], c, i, is_soa ? 1 : cluster->count});
    }
    return all;
}

static void add_stream_table(hd_str *out, const laid_record *l, const streams *all) {
    for (size_t s = 0; s < all->count; s++) {
        const stream *at = &all->data[s];
        const hd_cluster *cluster = &l->text->layout->clusters[at->cluster];
        bool is_soa = cluster->tile == HD_TILE_SOA;
        hd_str_printf(out, "        static const heddle::run runs%zu[] = {", s);
        for (uint32_t i = 0; i < at->count; i++) {
            uint32_t f = cluster->order[at->first + i];
            const hd_field_place *place = &l->text->map->fields[f];
            const hd_field *field = &l->record->fields[f];
            hd_str_printf(out, "%s{%u, %u, %u, %" PRIu64 "}", i ? ", " : "", field->offset,
                          field->size, place->size, is_soa ? 0 : (uint64_t)place->run);
        }
        hd_str_add(out, "};\n");
    }
    hd_str_add(out, "        static const heddle::stream all[] = {");
    for (size_t s = 0; s < all->count; s++) {
        const stream *at = &all->data[s];
        const hd_cluster *cluster = &l->text->layout->clusters[at->cluster];
        const hd_field_place *place = &l->text->map->fields[cluster->order[at->first]];
        bool is_soa = cluster->tile == HD_TILE_SOA;
        uint64_t tile_bytes = is_soa ? place->size : l->text->map->clusters[at->cluster].tile_bytes;
        uint64_t end = is_soa ? l->record->fields[cluster->order[at->first]].size : tile_bytes;
        hd_str_printf(out, "%s{%" PRIu64 ", %" PRIu64 ", %" PRIu64 ", runs%zu, %u}",
                      s ? ",\n                                             " : "",
                      is_soa ? 1 : (uint64_t)cluster->tile, tile_bytes, end, s, at->count);
    }
    hd_str_add(out, "};\n");
}

/* "ref.cluster0, ref.run_x" */
static const char *members_text(rewriter *rw, const char *const *names, size_t count) {
    hd_str out = {.arena = rw->arena};
    for (size_t i = 0; i < count; i++)
        hd_str_printf(&out, "%sref.%s", i ? ", " : "", names[i]);
    return hd_str_text(&out);
}

/* Arrays with names: the bytes of the layout, which a reference leads to where one is wanted. */
static void add_array(hd_str *out, rewriter *rw, const laid_record *l) {
    const accessors *f = &l->accessors[SPACE_GLOBAL];
    hd_str memory = {.arena = rw->arena}, bases = memory;
    for (uint32_t a = 0; a < l->text->map->allocation_count; a++) {
        hd_str_printf(&memory, "    alignas(256) unsigned char memory%u[%s_bytes(%u, elements)];\n",
                      a, f->memory, a);
        hd_str_printf(&bases, "(unsigned char *)memory%u, ", a);
    }
    rw_add_text(out, "cuda.array", "array", f->array, "ref", f->ref, "make", f->make, "memory",
                hd_str_text(&memory), "bases", hd_str_text(&bases), NULL);
}

static void add_memory(hd_str *out, rewriter *rw, const laid_record *l) {
    const accessors *f = &l->accessors[SPACE_GLOBAL];
    uint32_t allocations = l->text->map->allocation_count;
    streams all = streams_of(rw, l);
    const char **bases = hd_new_array(rw->arena, const char *, all.count);
    const char **starts = hd_new_array(rw->arena, const char *, allocations);
    hd_str body = {.arena = rw->arena}, table = body, given = body;
    for (size_t s = all.count; s-- > 0;) { /* an allocation starts with the first of its streams */
        bases[s] = all.data[s].name;
        starts[l->text->map->clusters[all.data[s].cluster].allocation] = all.data[s].name;
    }
    rw_map_text_bytes(&body, l->text, &(rw_dialect){.size = "size_t"});
    add_stream_table(&table, l, &all);
    for (uint32_t a = 0; a < allocations; a++)
        hd_str_printf(&given, "(unsigned char *)memory[%u], ", a);
    rw_add_text(out, "cuda.memory", "kind", l->has_arrays ? "constexpr" : "inline", "memory",
                f->memory, "body", hd_str_text(&body), "record_bytes",
                hd_format(rw->arena, "%u", hd_record_declared(l->record)->size), "streams",
                hd_format(rw->arena, "%zu", all.count), "allocations",
                hd_format(rw->arena, "%u", allocations), "table", hd_str_text(&table), "ref",
                f->ref, "bases", members_text(rw, bases, all.count), "starts",
                members_text(rw, starts, allocations), "make", f->make, "given",
                hd_str_text(&given), NULL);
    if (l->has_arrays)
        add_array(out, rw, l);
    if (rw->has_templates)
        rw_add_text(out, "cuda.pointer", "record", l->spelling, "ref", f->ref, NULL);
}

const char *rw_memory_text(rewriter *rw, const laid_record *l) {
    hd_str out = {.arena = rw->arena};
    if (!l->has_host_memory)
        return "";
    bool is_first = true; /* of its namespace: it brings the functions */
    for (uint32_t i = 0; i < rw->record_count; i++) {
        const laid_record *other = &rw->records[i];
        is_first &= other == l || !other->has_host_memory || strcmp(other->scope, l->scope) != 0 ||
                    other->declared >= l->declared;
    }
    if (is_first)
        add_functions(&out, rw, l);
    add_memory(&out, rw, l);
    return rw_host_words(rw, hd_str_text(&out));
}
