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

/* ---- the functions ----------------------------------------------------------------------------- */

static const char engine[] =
    "namespace heddle {\n"
    "/* A field in its tile: where C's struct has it, and where its values begin. */\n"
    "struct run {\n"
    "    size_t in_struct, size, step, at;\n"
    "};\n"
    "/* Tiles one after another; of the last one `end` bytes are there. */\n"
    "struct stream {\n"
    "    size_t tile, tile_bytes, end;\n"
    "    const run *runs;\n"
    "    int run_count;\n"
    "};\n"
    "template <class Ref> using memory_of = decltype(heddle_memory((const Ref *)0));\n"
    "\n"
    "/* Calls use(stream, offset, bytes) for all memory that holds these elements and no others. "
    "*/\n"
    "template <class M, class Use> cudaError_t each_piece(size_t first, size_t count, Use use) {\n"
    "    for (int s = 0; s < M::streams; s++) {\n"
    "        const stream &t = M::stream(s);\n"
    "        for (size_t e = first, last = first + count; e < last;) {\n"
    "            size_t lane = e % t.tile, at = e / t.tile * t.tile_bytes;\n"
    "            size_t lanes = last - e < t.tile - lane ? last - e : t.tile - lane;\n"
    "            cudaError_t error = cudaSuccess;\n"
    "            if (lanes == t.tile) {\n"
    "                size_t tiles = (last - e) / t.tile;\n"
    "                error = use(s, at, (tiles - 1) * t.tile_bytes + t.end);\n"
    "                lanes = tiles * t.tile;\n"
    "            }\n"
    "            for (int r = 0; lanes < t.tile && r < t.run_count && !error; r++)\n"
    "                error = use(s, at + t.runs[r].at + lane * t.runs[r].step,\n"
    "                            (lanes - 1) * t.runs[r].step + t.runs[r].size);\n"
    "            if (error)\n"
    "                return error;\n"
    "            e += lanes;\n"
    "        }\n"
    "    }\n"
    "    return cudaSuccess;\n"
    "}\n"
    "\n"
    "/* Elements between C structs and the device, by way of a copy of the tiles that hold them. "
    "*/\n"
    "template <class Ref>\n"
    "cudaError_t convert(const Ref &ref, void *structs, size_t bytes, bool to_layout,\n"
    "                    cudaStream_t stream_) {\n"
    "    typedef memory_of<Ref> M;\n"
    "    size_t first = (size_t)ref.index, count = bytes / M::record_bytes;\n"
    "    unsigned char *copy[M::streams];\n"
    "    size_t begin[M::streams];\n"
    "    if (bytes % M::record_bytes)\n"
    "        return cudaErrorInvalidValue;\n"
    "    for (int s = 0; s < M::streams; s++) {\n"
    "        const stream &t = M::stream(s);\n"
    "        begin[s] = first / t.tile * t.tile_bytes;\n"
    "        copy[s] = (unsigned char *)malloc(((first + count) / t.tile + 1) * t.tile_bytes - "
    "begin[s]);\n"
    "    }\n"
    "    auto elements = [&] {\n"
    "        for (int s = 0; s < M::streams; s++) {\n"
    "            const stream &t = M::stream(s);\n"
    "            for (int r = 0; r < t.run_count; r++)\n"
    "                for (size_t e = first % t.tile, i = 0; i < count; e++, i++) {\n"
    "                    unsigned char *in_struct = (unsigned char *)structs + i * M::record_bytes "
    "+\n"
    "                                               t.runs[r].in_struct;\n"
    "                    unsigned char *here = copy[s] + e / t.tile * t.tile_bytes + t.runs[r].at "
    "+\n"
    "                                          e % t.tile * t.runs[r].step;\n"
    "                    memcpy(to_layout ? here : in_struct, to_layout ? in_struct : here,\n"
    "                           t.runs[r].size);\n"
    "                }\n"
    "        }\n"
    "    };\n"
    "    if (to_layout)\n"
    "        elements();\n"
    "    cudaError_t error = each_piece<M>(first, count, [&](int s, size_t at, size_t length) {\n"
    "        void *there = M::base(ref, s) + at, *here = copy[s] + (at - begin[s]);\n"
    "        return ::cudaMemcpyAsync(to_layout ? there : here, to_layout ? here : there, length,\n"
    "                                 cudaMemcpyDefault, stream_);\n"
    "    });\n"
    "    cudaError_t done = ::cudaStreamSynchronize(stream_);\n"
    "    if (!to_layout && !error && !done)\n"
    "        elements();\n"
    "    for (int s = 0; s < M::streams; s++)\n"
    "        free(copy[s]);\n"
    "    return error ? error : done;\n"
    "}\n"
    "\n"
    "/* The same where the structs may lie on the device. */\n"
    "template <class Ref>\n"
    "cudaError_t exchange(const Ref &ref, void *structs, size_t bytes, bool to_layout,\n"
    "                     cudaMemcpyKind kind, cudaStream_t stream) {\n"
    "    if (kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToHost)\n"
    "        return convert(ref, structs, bytes, to_layout, stream);\n"
    "    void *copy = malloc(bytes);\n"
    "    cudaError_t error = cudaSuccess;\n"
    "    if (to_layout)\n"
    "        error = ::cudaMemcpyAsync(copy, structs, bytes, cudaMemcpyDefault, stream);\n"
    "    if (!error && to_layout)\n"
    "        error = ::cudaStreamSynchronize(stream);\n"
    "    if (!error)\n"
    "        error = convert(ref, copy, bytes, to_layout, stream);\n"
    "    if (!error && !to_layout)\n"
    "        error = ::cudaMemcpyAsync(structs, copy, bytes, cudaMemcpyDefault, stream);\n"
    "    if (!error && !to_layout)\n"
    "        error = ::cudaStreamSynchronize(stream);\n"
    "    free(copy);\n"
    "    return error;\n"
    "}\n"
    "\n"
    "/* From one array in the layout to another one. */\n"
    "template <class Ref>\n"
    "cudaError_t copy(const Ref &to, const Ref &from, size_t bytes, cudaStream_t stream_) {\n"
    "    typedef memory_of<Ref> M;\n"
    "    size_t count = bytes / M::record_bytes;\n"
    "    bool alike = bytes % M::record_bytes == 0;\n"
    "    for (int s = 0; s < M::streams; s++)\n"
    "        alike = alike && (to.index - from.index) % (long long)M::stream(s).tile == 0;\n"
    "    if (alike)\n"
    "        return each_piece<M>((size_t)to.index, count, [&](int s, size_t at, size_t length) {\n"
    "            const stream &t = M::stream(s);\n"
    "            long long tiles = (from.index - to.index) / (long long)t.tile;\n"
    "            return ::cudaMemcpyAsync(\n"
    "                M::base(to, s) + at,\n"
    "                M::base(from, s) + ((long long)at + tiles * (long long)t.tile_bytes), "
    "length,\n"
    "                cudaMemcpyDefault, stream_);\n"
    "        });\n"
    "    void *structs = malloc(bytes);\n"
    "    cudaError_t error = convert(from, structs, bytes, false, stream_);\n"
    "    if (!error)\n"
    "        error = convert(to, structs, bytes, true, stream_);\n"
    "    free(structs);\n"
    "    return error;\n"
    "}\n"
    "\n"
    "/* `get` allocates; one call for each allocation of the layout. */\n"
    "template <class Ref, class Get> cudaError_t allocate(Ref *ref, size_t bytes, Get get) {\n"
    "    typedef memory_of<Ref> M;\n"
    "    void *memory[M::allocations];\n"
    "    if (bytes % M::record_bytes)\n"
    "        return cudaErrorInvalidValue;\n"
    "    for (int a = 0; a < M::allocations; a++)\n"
    "        if (cudaError_t error = get(&memory[a], M::bytes((size_t)a, bytes / "
    "M::record_bytes)))\n"
    "            return error;\n"
    "    *ref = M::make(memory, bytes / M::record_bytes);\n"
    "    return cudaSuccess;\n"
    "}\n"
    "\n"
    "template <class Ref, class Free> cudaError_t each_allocation(const Ref &ref, Free release) {\n"
    "    typedef memory_of<Ref> M;\n"
    "    for (int a = 0; a < M::allocations; a++)\n"
    "        if (cudaError_t error = release(M::start(ref, a)))\n"
    "            return error;\n"
    "    return cudaSuccess;\n"
    "}\n"
    "\n";

/* The functions that take the place of CUDA's. What takes plain pointers is for templates. */
static const struct {
    const char *name, *text;
} functions[] = {
    {"cudaMalloc",
     "template <class Ref> cudaError_t cudaMalloc(Ref *ref, size_t bytes) {\n"
     "    return allocate(ref, bytes, [](void **p, size_t n) { return ::cudaMalloc(p, n); });\n"
     "}\n"
     "template <class T> cudaError_t cudaMalloc(T **p, size_t bytes) {\n"
     "    return ::cudaMalloc((void **)p, bytes);\n"
     "}\n"},
    {"cudaMallocManaged",
     "template <class Ref>\n"
     "cudaError_t cudaMallocManaged(Ref *ref, size_t bytes, unsigned flags = cudaMemAttachGlobal) "
     "{\n"
     "    return allocate(ref, bytes,\n"
     "                    [=](void **p, size_t n) { return ::cudaMallocManaged(p, n, flags); });\n"
     "}\n"
     "template <class T>\n"
     "cudaError_t cudaMallocManaged(T **p, size_t bytes, unsigned flags = cudaMemAttachGlobal) {\n"
     "    return ::cudaMallocManaged((void **)p, bytes, flags);\n"
     "}\n"},
    {"cudaMallocAsync",
     "template <class Ref> cudaError_t cudaMallocAsync(Ref *ref, size_t bytes, cudaStream_t s) {\n"
     "    return allocate(ref, bytes,\n"
     "                    [=](void **p, size_t n) { return ::cudaMallocAsync(p, n, s); });\n"
     "}\n"
     "template <class T> cudaError_t cudaMallocAsync(T **p, size_t bytes, cudaStream_t s) {\n"
     "    return ::cudaMallocAsync((void **)p, bytes, s);\n"
     "}\n"},
    {"cudaMallocHost",
     "template <class Ref> cudaError_t cudaMallocHost(Ref *ref, size_t bytes, unsigned flags = 0) "
     "{\n"
     "    return allocate(ref, bytes,\n"
     "                    [=](void **p, size_t n) { return ::cudaHostAlloc(p, n, flags); });\n"
     "}\n"
     "template <class T> cudaError_t cudaMallocHost(T **p, size_t bytes, unsigned flags = 0) {\n"
     "    return ::cudaHostAlloc((void **)p, bytes, flags);\n"
     "}\n"},
    {"cudaHostAlloc",
     "template <class Ref> cudaError_t cudaHostAlloc(Ref *ref, size_t bytes, unsigned flags) {\n"
     "    return allocate(ref, bytes,\n"
     "                    [=](void **p, size_t n) { return ::cudaHostAlloc(p, n, flags); });\n"
     "}\n"
     "template <class T> cudaError_t cudaHostAlloc(T **p, size_t bytes, unsigned flags) {\n"
     "    return ::cudaHostAlloc((void **)p, bytes, flags);\n"
     "}\n"},
    {"cudaFree",
     "template <class Ref> cudaError_t cudaFree(Ref ref) {\n"
     "    return each_allocation(ref, [](void *p) { return ::cudaFree(p); });\n"
     "}\n"
     "template <class T> cudaError_t cudaFree(T *p) { return ::cudaFree((void *)p); }\n"},
    {"cudaFreeAsync",
     "template <class Ref> cudaError_t cudaFreeAsync(Ref ref, cudaStream_t s) {\n"
     "    return each_allocation(ref, [=](void *p) { return ::cudaFreeAsync(p, s); });\n"
     "}\n"
     "template <class T> cudaError_t cudaFreeAsync(T *p, cudaStream_t s) {\n"
     "    return ::cudaFreeAsync((void *)p, s);\n"
     "}\n"},
    {"cudaFreeHost",
     "template <class Ref> cudaError_t cudaFreeHost(Ref ref) {\n"
     "    return each_allocation(ref, [](void *p) { return ::cudaFreeHost(p); });\n"
     "}\n"
     "template <class T> cudaError_t cudaFreeHost(T *p) { return ::cudaFreeHost((void *)p); }\n"},
    {"cudaMemcpyAsync",
     "template <class Ref, class T>\n"
     "cudaError_t cudaMemcpyAsync(Ref to, const T *from, size_t bytes, cudaMemcpyKind kind,\n"
     "                            cudaStream_t s = 0) {\n"
     "    return exchange(to, (void *)from, bytes, true, kind, s);\n"
     "}\n"
     "template <class Ref, class T>\n"
     "cudaError_t cudaMemcpyAsync(T *to, Ref from, size_t bytes, cudaMemcpyKind kind,\n"
     "                            cudaStream_t s = 0) {\n"
     "    return exchange(from, (void *)to, bytes, false, kind, s);\n"
     "}\n"
     "template <class Ref>\n"
     "cudaError_t cudaMemcpyAsync(Ref to, Ref from, size_t bytes, cudaMemcpyKind,\n"
     "                            cudaStream_t s = 0) {\n"
     "    return copy(to, from, bytes, s);\n"
     "}\n"
     "template <class T>\n"
     "cudaError_t cudaMemcpyAsync(T *to, const T *from, size_t bytes, cudaMemcpyKind kind,\n"
     "                            cudaStream_t s = 0) {\n"
     "    return ::cudaMemcpyAsync((void *)to, (const void *)from, bytes, kind, s);\n"
     "}\n"
     "template <class T>\n"
     "cudaError_t cudaMemcpyAsync(T *to, T *from, size_t bytes, cudaMemcpyKind kind,\n"
     "                            cudaStream_t s = 0) {\n"
     "    return ::cudaMemcpyAsync((void *)to, (const void *)from, bytes, kind, s);\n"
     "}\n"},
    {"cudaMemcpy", "template <class To, class From>\n"
                   "cudaError_t cudaMemcpy(To to, From from, size_t bytes, cudaMemcpyKind kind) {\n"
                   "    cudaError_t error = cudaMemcpyAsync(to, from, bytes, kind, 0);\n"
                   "    return error ? error : ::cudaStreamSynchronize(0);\n"
                   "}\n"},
    {"cudaMemsetAsync",
     "template <class Ref>\n"
     "cudaError_t cudaMemsetAsync(Ref ref, int value, size_t bytes, cudaStream_t stream = 0) {\n"
     "    typedef memory_of<Ref> M;\n"
     "    if (bytes % M::record_bytes)\n"
     "        return cudaErrorInvalidValue;\n"
     "    return each_piece<M>((size_t)ref.index, bytes / M::record_bytes,\n"
     "                         [&](int s, size_t at, size_t length) {\n"
     "                             return ::cudaMemsetAsync(M::base(ref, s) + at, value, length,\n"
     "                                                      stream);\n"
     "                         });\n"
     "}\n"
     "template <class T>\n"
     "cudaError_t cudaMemsetAsync(T *p, int value, size_t bytes, cudaStream_t stream = 0) {\n"
     "    return ::cudaMemsetAsync((void *)p, value, bytes, stream);\n"
     "}\n"},
    {"cudaMemset", "template <class To> cudaError_t cudaMemset(To to, int value, size_t bytes) {\n"
                   "    return cudaMemsetAsync(to, value, bytes, 0);\n"
                   "}\n"},
    {"cudaMemPrefetchAsync",
     "template <class Ref, class... More>\n"
     "cudaError_t cudaMemPrefetchAsync(Ref ref, size_t bytes, More... more) {\n"
     "    typedef memory_of<Ref> M;\n"
     "    return each_piece<M>((size_t)ref.index, bytes / M::record_bytes,\n"
     "                         [&](int s, size_t at, size_t length) {\n"
     "                             return ::cudaMemPrefetchAsync(M::base(ref, s) + at, length,\n"
     "                                                           more...);\n"
     "                         });\n"
     "}\n"},
    {"cudaMemAdvise",
     "template <class Ref, class... More>\n"
     "cudaError_t cudaMemAdvise(Ref ref, size_t bytes, More... more) {\n"
     "    typedef memory_of<Ref> M;\n"
     "    return each_piece<M>((size_t)ref.index, bytes / M::record_bytes,\n"
     "                         [&](int s, size_t at, size_t length) {\n"
     "                             return ::cudaMemAdvise(M::base(ref, s) + at, length, more...);\n"
     "                         });\n"
     "}\n"},
};

/* Which functions the program calls; the forms without a stream call those with one. */
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

static void add_functions(hd_str *out, const rewriter *rw) {
    hd_str_add(out, engine);
    if (rw->has_templates)
        hd_str_add(out, "/* How an array is pointed to; in a layout by a reference. */\n"
                        "template <class T> struct pointer_of {\n    typedef T *type;\n};\n"
                        "template <class T> using pointer = typename pointer_of<T>::type;\n"
                        "template <class T> bool is_set(T *p) { return p != nullptr; }\n"
                        "template <class Ref> bool is_set(const Ref &ref) {\n"
                        "    return memory_of<Ref>::base(ref, 0) != nullptr;\n}\n\n");
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (is_called(rw, functions[i].name))
            hd_str_add(out, functions[i].text);
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
    hd_str_add(out, "    static const heddle::stream &stream(int s) {\n");
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
    hd_str_add(out, "};\n        return all[s];\n    }\n");
}

static void add_choice(hd_str *out, const char *head, const char *type, const char *name,
                       const char *const *values, size_t count) {
    hd_str_printf(out, "    static %s {\n        %s const all[] = {", head, type);
    for (size_t i = 0; i < count; i++)
        hd_str_printf(out, "%sref.%s", i ? ", " : "", values[i]);
    hd_str_printf(out, "};\n        return all[%s];\n    }\n", name);
}

static void add_bytes(hd_str *out, rewriter *rw, const laid_record *l) {
    const rw_dialect *dialect = rw_dialect_of(rw, SPACE_GLOBAL);
    uint32_t count = l->text->map->allocation_count;
    hd_str_printf(out,
                  "inline size_t %s_bytes(size_t allocation, size_t count) {\n    size_t at = 0;\n"
                  "    if (!count)\n        return 0;\n",
                  l->accessors[SPACE_GLOBAL].memory);
    if (count == 1)
        hd_str_add(out, "    (void)allocation;\n");
    for (uint32_t a = 0; a < count; a++) {
        if (count > 1)
            hd_str_printf(out, "    if (allocation == %u) {\n", a);
        rw_map_text_bytes(out, l->text, dialect, a);
        hd_str_add(out, count > 1 ? "    }\n" : "");
    }
    hd_str_add(out, "    return at;\n}\n");
}

static void add_memory(hd_str *out, rewriter *rw, const laid_record *l) {
    const accessors *f = &l->accessors[SPACE_GLOBAL];
    uint32_t allocations = l->text->map->allocation_count;
    streams all = streams_of(rw, l);
    const char **bases = hd_new_array(rw->arena, const char *, all.count);
    const char **starts = hd_new_array(rw->arena, const char *, allocations);
    for (size_t s = all.count; s-- > 0;) { /* an allocation starts with the first of its streams */
        bases[s] = all.data[s].name;
        starts[l->text->map->clusters[all.data[s].cluster].allocation] = all.data[s].name;
    }
    add_bytes(out, rw, l);
    hd_str_printf(out,
                  "struct %s {\n    enum { record_bytes = %u, streams = %zu, allocations = %u };\n",
                  f->memory, hd_record_declared(l->record)->size, all.count, allocations);
    add_stream_table(out, l, &all);
    add_choice(out, hd_format(rw->arena, "unsigned char *base(const %s &ref, int s)", f->ref),
               "unsigned char *", "s", bases, all.count);
    add_choice(out, hd_format(rw->arena, "void *start(const %s &ref, int a)", f->ref), "void *",
               "a", starts, allocations);
    hd_str_printf(out,
                  "    static size_t bytes(size_t allocation, size_t count) {\n"
                  "        return %s_bytes(allocation, count);\n    }\n",
                  f->memory);
    hd_str_printf(out,
                  "    static %s make(void *const *memory, size_t count) {\n        return %s(",
                  f->ref, f->make);
    for (uint32_t a = 0; a < allocations; a++)
        hd_str_printf(out, "(unsigned char *)memory[%u], ", a);
    hd_str_printf(out, "count);\n    }\n};\n%s heddle_memory(const %s *);\n", f->memory, f->ref);
    if (rw->has_templates)
        hd_str_printf(out,
                      "namespace heddle {\n"
                      "template <> struct pointer_of<%s> {\n    typedef %s type;\n};\n"
                      "template <> struct pointer_of<const %s> {\n    typedef %s type;\n};\n"
                      "} // namespace heddle\n",
                      l->spelling, f->ref, l->spelling, f->ref);
}

/* The first record of its namespace brings the functions. */
static bool brings_functions(const rewriter *rw, const laid_record *l) {
    for (uint32_t i = 0; i < rw->record_count; i++) {
        const laid_record *other = &rw->records[i];
        if (other != l && other->has_host_memory && !strcmp(other->scope, l->scope) &&
            other->declared < l->declared)
            return false;
    }
    return true;
}

const char *rw_memory_text(rewriter *rw, const laid_record *l) {
    hd_str out = {.arena = rw->arena};
    if (!l->has_host_memory)
        return "";
    if (brings_functions(rw, l)) {
        hd_str_add(&out,
                   "/* Memory of arrays in these layouts: what CUDA's functions do for C's. */\n");
        add_functions(&out, rw);
    }
    add_memory(&out, rw, l);
    return hd_str_text(&out);
}
