/*
 * The functions that the rewritten kernel calls. For `struct R { float x; int n; }`
 * in soa:
 *
 *     typedef struct R_ref {
 *         __global uchar *run_x;
 *         __global uchar *run_n;
 *         long index;                  the element that it points to
 *     } R_ref;
 *     R_ref R_make(p, count)           from a kernel's parameters, at element 0
 *     R_ref R_at(ref, i)               &ref[i]
 *     bool R_same(a, b)                a == b, where that is used
 *     __global float *R_x(ref, i)      &ref[i].x
 *     R R_load(ref, i)                 ref[i]
 *     void R_store(ref, i, value)      ref[i] = value; gives the value where that is used
 *
 * and of a record that is taken apart, as far as the kernels need them,
 *
 *     struct vec R_pos_load(ref, i)    ref[i].pos, R_pos_store(ref, i, value)
 *     float4 R_v_add(ref, i, value)    ref[i].v += value
 *     __global float *R_d(ref, i, k)   &ref[i].d[k]
 *
 * Everything that depends on the number of elements is computed in R_make, once
 * for each work-item and equal for all, so compilers keep it in uniform
 * registers. An accessor gives a typed pointer, so what was an lvalue stays one.
 * Indices are signed: a reference into the middle of an array can be indexed
 * backwards, as the pointer could.
 *
 * Clusters and runs begin at multiples of HD_RUN_ALIGN in allocations, which no compiler can see:
 * each accessor says that its base is aligned as the longest load wants it, so that neighbours are
 * loaded together, {x,y,z,m} as a float4. A reference always has the bases of its array, also one
 * into the middle.
 */
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>

#include "internal.h"

/* Of OpenCL C by space, CUDA C, and CUDA C where host code is rewritten, too. */
static const rw_dialect dialects[SPACE_COUNT + 2] = {
    {"__global uchar *", "ulong", "uchar ", "long", "static inline ", "restrict "},
    {"__constant uchar *", "ulong", "uchar ", "long", "static inline ", "restrict "},
    {"unsigned char *", "unsigned long long", "unsigned char ", "long long",
     "static __device__ __forceinline__ ", "__restrict__ "},
    {"unsigned char *", "unsigned long long", "unsigned char ", "long long",
     "static __attribute__((unused)) __host__ __device__ __forceinline__ ", "__restrict__ "}};

const rw_dialect *rw_dialect_of(const rewriter *rw, space in) {
    return &dialects[rw->is_cuda ? SPACE_COUNT + (rw->with_host ? 1u : 0u) : (unsigned)in];
}

/* ---- names -------------------------------------------------------------------- */

/* The functions that every family has, by the endings of their names. */
static const struct {
    size_t at;
    const char *ending;
} families[] = {
    {offsetof(accessors, ref), "ref"},       {offsetof(accessors, make), "make"},
    {offsetof(accessors, at), "at"},         {offsetof(accessors, same), "same"},
    {offsetof(accessors, load), "load"},     {offsetof(accessors, store), "store"},
    {offsetof(accessors, is_set), "is_set"}, {offsetof(accessors, memory), "memory"},
    {offsetof(accessors, swap), "swap"},     {offsetof(accessors, array), "array"},
};
enum { FAMILY = sizeof families / sizeof *families };

static const char **name_of(const accessors *f, size_t number) {
    return (const char **)((char *)f + families[number].at);
}

static void name_all(rewriter *rw, const laid_record *l, accessors *f, const char *stem,
                     const char *infix) {
    for (size_t n = 0; n < FAMILY; n++)
        *name_of(f, n) = hd_format(rw->arena, "%s_%s", stem, families[n].ending);
    for (uint32_t i = 0; i < l->record->field_count; i++)
        f->fields[i] = hd_format(rw->arena, "%s_%s%s", stem, infix, l->text->names[i]);
}

static bool is_name_of(const laid_record *l, const accessors *f, const char *name) {
    if (!f->ref)
        return false;
    for (size_t n = 0; n < FAMILY; n++)
        if (!strcmp(*name_of(f, n), name))
            return true;
    for (uint32_t i = 0; i < l->record->field_count; i++)
        if (!strcmp(f->fields[i], name))
            return true;
    return (f->choose && !strcmp(f->choose, name)) || (f->number && !strcmp(f->number, name));
}

/* `but`: a family whose own names do not count. */
static bool name_is_taken(const rewriter *rw, const char *name, const accessors *but) {
    if (rw_source_has_name(&rw->src, name))
        return true;
    for (uint32_t i = 0; i < rw->record_count; i++) {
        const laid_record *l = &rw->records[i];
        for (int s = 0; s < SPACE_COUNT; s++)
            if (&l->accessors[s] != but && is_name_of(l, &l->accessors[s], name))
                return true;
        for (size_t m = 0; m < l->methods.count; m++)
            if (!strcmp(l->methods.data[m].name, name))
                return true;
        for (size_t g = 0; g < l->part_functions.count; g++)
            if (!strcmp(l->part_functions.data[g].name, name))
                return true;
        for (uint32_t f = 0; l->types && f < l->record->field_count; f++)
            if (l->types[f].members && !strcmp(l->types[f].element, name))
                return true;
    }
    return false;
}

static bool names_are_free(const rewriter *rw, const laid_record *l, const accessors *f) {
    for (size_t n = 0; n < FAMILY; n++) {
        if (name_is_taken(rw, *name_of(f, n), f))
            return false;
        for (uint32_t i = 0; i < l->record->field_count; i++)
            if (!strcmp(f->fields[i], *name_of(f, n)))
                return false;
    }
    for (uint32_t i = 0; i < l->record->field_count; i++)
        if (name_is_taken(rw, f->fields[i], f))
            return false;
    return true;
}

/* A field named `at` or a function that exists already moves all names to
 * another stem; fields that collide with the functions get one of their own. */
void rw_name_accessors(rewriter *rw, laid_record *l, space in) {
    accessors *f = &l->accessors[in];
    const char *name = rw_identifier(rw->arena, rw_unscoped(l->record->name));
    const char *stem = in == SPACE_GLOBAL ? name : hd_format(rw->arena, "%s_constant", name);
    f->qualifier = rw->is_cuda ? "" : in == SPACE_GLOBAL ? "__global " : "__constant ";
    f->fields = hd_new_array(rw->arena, const char *, l->record->field_count);
    name_all(rw, l, f, stem, "");
    for (int n = 1; n < 100 && !names_are_free(rw, l, f); n++)
        name_all(rw, l, f, hd_format(rw->arena, "%s%d", stem, n), "field_");
}

const char *rw_free_name(rewriter *rw, const char *name) {
    while (name_is_taken(rw, name, NULL))
        name = hd_format(rw->arena, "%s_", name);
    return name;
}

/* ---- text ------------------------------------------------------------------------ */

/* Declarator of a pointer to a field in address space `in`, around `inner`. */
static const char *pointer_to(const rewriter *rw, const laid_record *l, const field_type *type,
                              space in, const char *inner) {
    const char *q = l->accessors[in].qualifier;
    const char *element =
        type->is_pointer ? hd_format(rw->arena, "%s %s", type->element, rw_trimmed(rw->arena, q))
                         : hd_format(rw->arena, "%s%s", q, type->element);
    if (!type->dim_count)
        return hd_format(rw->arena, "%s *%s", element, inner);
    hd_str dims = {.arena = rw->arena};
    for (uint32_t d = 0; d < type->dim_count; d++)
        hd_str_printf(&dims, "[%" PRIu64 "]", type->dims[d]);
    return hd_format(rw->arena, "%s (*%s)%s", element, inner, hd_str_text(&dims));
}

static void add_reference_type(hd_str *out, const rewriter *rw, const laid_record *l, space in) {
    const rw_dialect *dialect = rw_dialect_of(rw, in);
    hd_str_printf(out, "typedef struct %s {\n", l->accessors[in].ref);
    rw_map_text_members(out, l->text, dialect);
    hd_str_printf(out, "    %s index;\n", dialect->index);
    if (l->record->by_job)
        hd_str_printf(out, "    %s field;\n    %s count;\n", dialect->index, dialect->size);
    hd_str_printf(out, "} %s;\n", l->accessors[in].ref);
}

static void add_reference(hd_str *out, const rewriter *rw, const laid_record *l, space in) {
    const rw_dialect *dialect = rw_dialect_of(rw, in);
    const accessors *f = &l->accessors[in];
    uint32_t allocations = l->text->map->allocation_count;
    const char **bases = hd_new_array(rw->arena, const char *, allocations);
    hd_str parameters = {.arena = rw->arena};
    for (uint32_t a = 0; a < allocations; a++) {
        bases[a] = allocations > 1 ? hd_format(rw->arena, "base%u", a) : "base";
        hd_str_printf(&parameters, "%s%s, ", dialect->bytes, bases[a]);
    }
    add_reference_type(out, rw, l, in);
    hd_str_printf(out, "%s%s %s(%s%s count) {\n    %s ref;\n", dialect->function, f->ref, f->make,
                  hd_str_text(&parameters), dialect->size, f->ref);
    rw_map_text_bases(out, l->text, dialect, bases);
    bool numbers = l->record->by_job;
    hd_str_printf(out, "    ref.index = %s;\n%s    return ref;\n}\n",
                  rw->of_program ? "count >> 63" : "0",
                  numbers ? "    ref.field = 0;\n    ref.count = count;\n" : "");
    hd_str_printf(out, "%s%s %s(%s ref, %s i%s) {\n    ref.index += i;\n%s    return ref;\n}\n",
                  dialect->function, f->ref, f->at, f->ref, dialect->index,
                  numbers ? hd_format(rw->arena, ", %s k", dialect->index) : "",
                  numbers ? "    ref.field += k;\n" : "");
    if (f->compares) /* one base tells arrays apart */
        hd_str_printf(out,
                      "%sbool %s(%s a, %s b) {\n"
                      "    return a.index == b.index && a.%s == b.%s%s;\n}\n",
                      dialect->function, f->same, f->ref, f->ref, l->text->streams[0],
                      l->text->streams[0], numbers ? " && a.field == b.field" : "");
    if (f->tests)
        hd_str_printf(out, "%sbool %s(%s ref) { return ref.%s != 0; }\n", dialect->function,
                      f->is_set, f->ref, l->text->streams[0]);
}

/* A header may serve files, too, that other compilers read: these hand references on. */
static const char knows_cuda[] =
    "#if defined(__CUDACC__) || defined(__HIPCC__) || defined(__CUDA_RUNTIME_API_H__) || \\\n"
    "    defined(HIP_INCLUDE_HIP_HIP_RUNTIME_API_H)\n";

/* To be said in OpenCL C of a pointer, where the compiler listens. */
static const char opencl_alignment[] =
    "#ifndef HEDDLE_ALIGNED\n"
    "#ifdef __clang__\n"
    "#define HEDDLE_ALIGNED(p, bytes) __builtin_assume(!((size_t)(p) & ((bytes)-1)))\n"
    "#else\n"
    "#define HEDDLE_ALIGNED(p, bytes)\n"
    "#endif\n"
    "#endif\n";

static void add_alignment(hd_str *out, const rewriter *rw, const laid_record *l, uint32_t field) {
    const char *stream = l->text->streams[field];
    if (l->record->fields[field].align >= HD_VECTOR)
        return;
    if (rw->is_cuda)
        hd_str_printf(out, "    ref.%s = (unsigned char *)__builtin_assume_aligned(ref.%s, %d);\n",
                      stream, stream, HD_VECTOR);
    else
        hd_str_printf(out, "    HEDDLE_ALIGNED(ref.%s, %d);\n", stream, HD_VECTOR);
}

static void add_accessor(hd_str *out, const rewriter *rw, const laid_record *l, space in,
                         uint32_t field) {
    const rw_dialect *dialect = rw_dialect_of(rw, in);
    const accessors *f = &l->accessors[in];
    const field_type *type = &l->types[field];
    bool tiled = !rw_map_text_stride(l->text, field);
    const char *head =
        hd_format(rw->arena, "%s(%s ref, %s i)", f->fields[field], f->ref, dialect->index);
    hd_str_printf(out, "%s%s {\n", dialect->function, pointer_to(rw, l, type, in, head));
    add_alignment(out, rw, l, field);
    if (tiled)
        hd_str_printf(out, "    %s e = (%s)(ref.index + i);\n", dialect->size, dialect->size);
    hd_str_printf(out, "    return (%s)(%s);\n}\n", pointer_to(rw, l, type, in, ""),
                  rw_map_text_address(l->text, field, tiled ? "e" : "(ref.index + i)"));
}

/* ---- copies of whole elements ------------------------------------------------------- */

/* Copies one field between `value` and its place; arrays element by element. `path`: the field
 * in the value, as C writes it. Without an extension OpenCL C has half only in memory. */
void rw_add_copy(hd_str *out, const rewriter *rw, const laid_record *l, space in, uint32_t field,
                 const char *path, bool store) {
    const field_type *type = &l->types[field];
    const char *accessor = l->accessors[in].fields[field], *member = "";
    if (type->members && !type->as) { /* the same bytes under another name */
        const char *value =
            hd_format(rw->arena, "*(%s *)((%s*)&value + %u)", type->element,
                      rw->is_cuda ? "unsigned char " : "uchar ", l->record->fields[field].offset);
        const char *place = hd_format(rw->arena, "*%s(ref, i)", accessor);
        hd_str_printf(out, "    %s = %s;\n", store ? place : value, store ? value : place);
        return;
    }
    if (type->members) {
        path = member = hd_format(rw->arena, ".%s", type->copied);
        type = type->as;
    }
    hd_str index = {.arena = rw->arena};
    for (uint32_t d = 0; d < type->dim_count; d++) {
        hd_str_printf(out, "%*sfor (int k%u = 0; k%u < %" PRIu64 "; k%u++)\n", 4 * (int)(d + 1), "",
                      d, d, type->dims[d], d);
        hd_str_printf(&index, "[k%u]", d);
    }
    const char *value = hd_format(rw->arena, "value%s%s", path, hd_str_text(&index));
    const char *place =
        hd_format(rw->arena, type->dim_count || *member ? "(*%s(ref, i))%s%s" : "*%s(ref, i)%s%s",
                  accessor, member, hd_str_text(&index));
    if (!rw->is_cuda && !strcmp(rw_plain_type(rw->arena, type->element), "half")) {
        value = hd_format(rw->arena, "*(ushort *)&%s", value);
        place = hd_format(rw->arena, "*(%sushort *)&%s", l->accessors[in].qualifier, place);
    }
    hd_str_printf(out, "%*s%s = %s;\n", 4 * (int)(type->dim_count + 1), "", store ? place : value,
                  store ? value : place);
}

/* A record with constructors of which none makes an empty one: its copy is made in bytes. */
static bool needs_bytes(const rewriter *rw, const laid_record *l) {
    hd_cursors inside = {0};
    bool any = false;
    if (rw->is_cuda && !clang_Cursor_isNull(l->declaration))
        inside = hd_cursor_children(rw->arena, l->declaration);
    for (size_t i = 0; i < inside.count; i++) {
        if (clang_CXXConstructor_isDefaultConstructor(inside.data[i]))
            return false;
        any |= clang_getCursorKind(inside.data[i]) == CXCursor_Constructor;
    }
    return any;
}

typedef enum copier { LOADS, STORES, STORES_AND_GIVES } copier;

/* What copies the fields whose path begins with `prefix`, of a value of type `type`. */
static void add_copier(hd_str *out, const rewriter *rw, const laid_record *l, space in,
                       const char *name, const char *type, const char *prefix, copier does) {
    const rw_dialect *dialect = rw_dialect_of(rw, in);
    const accessors *f = &l->accessors[in];
    size_t skip = strlen(prefix);
    hd_str_printf(out, "%s%s %s(%s ref, %s i", dialect->function, does == STORES ? "void" : type,
                  name, f->ref, dialect->index);
    if (does == LOADS && !skip && needs_bytes(rw, l))
        hd_str_printf(out,
                      ") {\n    alignas(%s) unsigned char bytes[sizeof(%s)];\n"
                      "    %s &value = *(%s *)bytes;\n",
                      type, type, type, type);
    else if (does == LOADS)
        hd_str_printf(out, ") {\n    %s value;\n", type);
    else
        hd_str_printf(out, ", %s value) {\n", type);
    for (uint32_t i = 0; i < l->record->field_count; i++) {
        const char *path = l->paths ? l->paths[i] : l->record->fields[i].name;
        if (!skip)
            path = hd_format(rw->arena, ".%s", path);
        else if (strncmp(path, prefix, skip) == 0 && strchr(".[", path[skip]))
            path += skip;
        else
            continue;
        uint32_t lanes = rw_lanes_together(l, i);
        if (!lanes) {
            rw_add_copy(out, rw, l, in, i, path, does != LOADS);
            continue;
        }
        /* a vector that is taken apart, whose lanes lie together, in one piece */
        const char *value =
            hd_format(rw->arena, "value%.*s", (int)(strrchr(path, '.') - path), path);
        const char *place =
            hd_format(rw->arena, "*(%s%s *)%s(ref, i)", f->qualifier, l->vectors[i], f->fields[i]);
        hd_str_printf(out, "    %s = %s;\n", does != LOADS ? place : value,
                      does != LOADS ? value : place);
        i += lanes - 1;
    }
    hd_str_add(out, does == STORES ? "}\n" : "    return value;\n}\n");
}

/* ---- parts of records taken apart --------------------------------------------------------- */

/* d[k] with any k: the elements' places, chosen one by one. */
static void add_selector(hd_str *out, const rewriter *rw, const laid_record *l,
                         const part_function *g) {
    const rw_dialect *dialect = rw_dialect_of(rw, g->in);
    const accessors *f = &l->accessors[g->in];
    const field_type *type = &l->types[g->field];
    uint64_t numbers[MOST_STARS];
    uint32_t stars = 0;
    hd_str head = {.arena = rw->arena};
    hd_str_printf(&head, "%s(%s ref, %s i", g->name, f->ref, dialect->index);
    for (const char *at = g->path; (at = strchr(at, '*')) != NULL; at++)
        hd_str_printf(&head, ", int k%u", stars++);
    hd_str_add(&head, ")");
    hd_str_printf(out, "%s%s {\n    return ", dialect->function,
                  pointer_to(rw, l, type, g->in, hd_str_text(&head)));
    const char *last = NULL;
    for (uint32_t i = 0; i < l->record->field_count; i++) {
        if (!rw_path_matches(l->record->fields[i].name, g->path, numbers))
            continue;
        if (last)
            hd_str_printf(out, "%s\n           : ", last);
        hd_str condition = {.arena = rw->arena};
        for (uint32_t s = 0; s < stars; s++)
            hd_str_printf(&condition, "%sk%u == %" PRIu64, s ? " && " : "", s, numbers[s]);
        hd_str_printf(out, "%s ? ", hd_str_text(&condition));
        last = hd_format(rw->arena, "%s(ref, i)", f->fields[i]);
    }
    hd_str_printf(out, "%s : %s;\n}\n", last, last);
}

const char *rw_prelude(rewriter *rw, const laid_record *l, bool is_shared, bool is_c) {
    hd_str out = {.arena = rw->arena};
    hd_str_printf(&out, "\n\n" HD_GENERATED_START "%s' in the layout %s. */\n%s", l->record->name,
                  hd_layout_print(rw->arena, l->record, l->text->layout),
                  is_shared ? knows_cuda : "");
    if (!rw->is_cuda)
        hd_str_add(&out, opencl_alignment);
    if (is_c)
        hd_str_add(&out, "extern \"C++\" {\n");
    for (uint32_t i = 0; i < l->record->field_count; i++)
        if (l->types[i].members)
            hd_str_printf(&out, "typedef %s %s;\n", l->types[i].members, l->types[i].element);
    for (int s = 0; s < SPACE_COUNT; s++) {
        const accessors *f = &l->accessors[s];
        if (!f->is_used)
            continue;
        add_reference(&out, rw, l, (space)s);
        for (uint32_t i = 0; i < l->record->field_count; i++)
            add_accessor(&out, rw, l, (space)s, i);
        if (l->record->by_job)
            rw_draft_numbers(&out, rw, l, (space)s,
                             hd_format(rw->arena, "%s%s", f->qualifier, l->types[0].element));
        if (f->loads)
            add_copier(&out, rw, l, (space)s, f->load, l->spelling, "", LOADS);
        if (f->stores)
            add_copier(&out, rw, l, (space)s, f->store, l->spelling, "",
                       f->store_is_value ? STORES_AND_GIVES : STORES);
        if (f->swaps)
            hd_str_printf(&out,
                          "%svoid %s(%s a, %s b) {\n    %s value = %s(a, 0);\n"
                          "    %s(a, 0, %s(b, 0));\n    %s(b, 0, value);\n}\n",
                          rw_dialect_of(rw, (space)s)->function, f->swap, f->ref, f->ref,
                          l->spelling, f->load, f->store, f->load, f->store);
        for (size_t i = 0; i < l->part_functions.count; i++) {
            const part_function *g = &l->part_functions.data[i];
            if (g->in == (space)s && g->kind == PART_SELECT)
                add_selector(&out, rw, l, g);
            else if (g->in == (space)s && g->kind == PART_LOAD && g->swizzle)
                rw_add_lanes(&out, rw, l, g);
            else if (g->in == (space)s && g->kind == PART_CHANGE)
                rw_add_change(&out, rw, l, g);
            else if (g->in == (space)s)
                add_copier(&out, rw, l, g->in, g->name, g->type, g->path,
                           g->kind == PART_STORE ? STORES_AND_GIVES : LOADS);
        }
    }
    for (size_t i = 0; i < l->method_texts.count; i++)
        hd_str_add(&out, l->method_texts.data[i]);
    hd_str_add(&out, rw_memory_text(rw, l));
    if (is_c)
        hd_str_add(&out, "}\n");
    if (is_shared) {
        hd_str_add(&out, "#else\n");
        add_reference_type(&out, rw, l, SPACE_GLOBAL);
        hd_str_add(&out, "#endif\n");
    }
    hd_str_printf(&out, HD_GENERATED_END "%s'. */", l->record->name);
    return hd_str_text(&out);
}
