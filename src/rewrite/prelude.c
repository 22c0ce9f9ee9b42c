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
 *     __global float *R_x(ref, i)      &ref[i].x
 *     R R_load(ref, i)                 ref[i]
 *     void R_store(ref, i, value)      ref[i] = value
 *
 * Everything that depends on the number of elements is computed in R_make, once
 * for each work-item and equal for all, so compilers keep it in uniform
 * registers. An accessor gives a typed pointer, so what was an lvalue stays one.
 * Indices are signed: a reference into the middle of an array can be indexed
 * backwards, as the pointer could.
 */
#include <inttypes.h>

#include "internal.h"

static const hd_dialect dialects[SPACE_COUNT] = {{"__global uchar *", "ulong"},
                                                 {"__constant uchar *", "ulong"}};

/* ---- names -------------------------------------------------------------------- */

static void name_all(rewriter *rw, family *f, const char *stem) {
    f->ref = hd_format(rw->arena, "%s_ref", stem);
    f->make = hd_format(rw->arena, "%s_make", stem);
    f->at = hd_format(rw->arena, "%s_at", stem);
    f->load = hd_format(rw->arena, "%s_load", stem);
    f->store = hd_format(rw->arena, "%s_store", stem);
    for (uint32_t i = 0; i < rw->record->field_count; i++)
        f->fields[i] = hd_format(rw->arena, "%s_%s", stem, rw->record->fields[i].name);
}

static bool name_is_taken(const rewriter *rw, const char *name) {
    if (hd_source_has_name(&rw->src, name))
        return true;
    for (int s = 0; s < SPACE_COUNT; s++)
        for (uint32_t i = 0; rw->families[s].ref && i < rw->record->field_count; i++)
            if (!strcmp(rw->families[s].fields[i], name))
                return true;
    return false;
}

static bool stem_is_free(const rewriter *rw, const family *f) {
    const char *const special[] = {f->ref, f->make, f->at, f->load, f->store};
    for (size_t s = 0; s < 5; s++)
        if (name_is_taken(rw, special[s]))
            return false;
    for (uint32_t i = 0; i < rw->record->field_count; i++)
        if (hd_source_has_name(&rw->src, f->fields[i]))
            return false;
    return true;
}

/* A field named `at` or a function that exists already moves all names to
 * another stem; fields that collide with the functions get one of their own. */
void hd_family_names(rewriter *rw, space in) {
    family *f = &rw->families[in];
    f->qualifier = in == SPACE_GLOBAL ? "__global" : "__constant";
    f->fields = hd_new_array(rw->arena, const char *, rw->record->field_count);
    const char *stem = in == SPACE_GLOBAL ? rw->record->name
                                          : hd_format(rw->arena, "%s_constant", rw->record->name);
    name_all(rw, f, stem);
    for (int n = 1; n < 100 && !stem_is_free(rw, f); n++) {
        const char *other = hd_format(rw->arena, "%s%d", stem, n);
        name_all(rw, f, other);
        for (uint32_t i = 0; i < rw->record->field_count; i++)
            f->fields[i] = hd_format(rw->arena, "%s_field_%s", other, rw->record->fields[i].name);
    }
}

const char *hd_free_name(rewriter *rw, const char *name) {
    while (name_is_taken(rw, name))
        name = hd_format(rw->arena, "%s_", name);
    return name;
}

/* ---- text ------------------------------------------------------------------------ */

static const char *dims_text(rewriter *rw, const field_type *type) {
    hd_str text = {.arena = rw->arena};
    for (uint32_t d = 0; d < type->dim_count; d++)
        hd_str_printf(&text, "[%" PRIu64 "]", type->dims[d]);
    return hd_str_text(&text);
}

/* Declarator of a pointer to the field in address space `q`, around `inner`. */
static const char *pointer_to(rewriter *rw, const field_type *type, const char *q,
                              const char *inner) {
    const char *element = type->is_pointer ? hd_format(rw->arena, "%s %s", type->element, q)
                                           : hd_format(rw->arena, "%s %s", q, type->element);
    if (!type->dim_count)
        return hd_format(rw->arena, "%s *%s", element, inner);
    return hd_format(rw->arena, "%s (*%s)%s", element, inner, dims_text(rw, type));
}

static void add_reference(hd_str *out, const rewriter *rw, const family *f, space in) {
    const hd_plan *plan = rw->plan;
    uint32_t allocations = plan->map->allocation_count;
    const char **bases = hd_new_array(rw->arena, const char *, allocations);
    hd_str parameters = {.arena = rw->arena};
    for (uint32_t a = 0; a < allocations; a++) {
        bases[a] = allocations > 1 ? hd_format(rw->arena, "base%u", a) : "base";
        hd_str_printf(&parameters, "%s%s, ", dialects[in].bytes, bases[a]);
    }
    hd_str_printf(out, "typedef struct %s {\n", f->ref);
    hd_plan_members(out, plan, &dialects[in]);
    hd_str_printf(out, "    long index;\n} %s;\n", f->ref);
    hd_str_printf(out, "static inline %s %s(%sulong count) {\n    %s ref;\n", f->ref, f->make,
                  hd_str_text(&parameters), f->ref);
    hd_plan_bases(out, plan, &dialects[in], bases);
    hd_str_add(out, "    ref.index = 0;\n    return ref;\n}\n");
    hd_str_printf(out,
                  "static inline %s %s(%s ref, long i) {\n    ref.index += i;\n"
                  "    return ref;\n}\n",
                  f->ref, f->at, f->ref);
}

static void add_accessor(hd_str *out, rewriter *rw, const family *f, uint32_t field) {
    const field_type *type = &rw->types[field];
    bool tiled = hd_plan_is_tiled(rw->plan, field);
    const char *head = hd_format(rw->arena, "%s(%s ref, long i)", f->fields[field], f->ref);
    hd_str_printf(out, "static inline %s {\n", pointer_to(rw, type, f->qualifier, head));
    if (tiled)
        hd_str_add(out, "    ulong e = (ulong)(ref.index + i);\n");
    hd_str_printf(out, "    return (%s)(%s);\n}\n", pointer_to(rw, type, f->qualifier, ""),
                  hd_plan_address(rw->plan, field, tiled ? "e" : "(ref.index + i)"));
}

/* Copies one field between a record `value` and its place; arrays element by element. */
static void add_copy(hd_str *out, rewriter *rw, const family *f, uint32_t field, bool store) {
    const field_type *type = &rw->types[field];
    const char *name = rw->record->fields[field].name;
    hd_str index = {.arena = rw->arena};
    for (uint32_t d = 0; d < type->dim_count; d++) {
        hd_str_printf(out, "%*sfor (int k%u = 0; k%u < %" PRIu64 "; k%u++)\n", 4 * (int)(d + 1), "",
                      d, d, type->dims[d], d);
        hd_str_printf(&index, "[k%u]", d);
    }
    const char *value = hd_format(rw->arena, "value.%s%s", name, hd_str_text(&index));
    const char *place = hd_format(rw->arena, type->dim_count ? "(*%s(ref, i))%s" : "*%s(ref, i)%s",
                                  f->fields[field], hd_str_text(&index));
    hd_str_printf(out, "%*s%s = %s;\n", 4 * (int)(type->dim_count + 1), "", store ? place : value,
                  store ? value : place);
}

static void add_load_and_store(hd_str *out, rewriter *rw, const family *f) {
    if (f->loads) {
        hd_str_printf(out, "static inline %s %s(%s ref, long i) {\n    %s value;\n", rw->spelling,
                      f->load, f->ref, rw->spelling);
        for (uint32_t i = 0; i < rw->record->field_count; i++)
            add_copy(out, rw, f, i, false);
        hd_str_add(out, "    return value;\n}\n");
    }
    if (f->stores) {
        hd_str_printf(out, "static inline void %s(%s ref, long i, %s value) {\n", f->store, f->ref,
                      rw->spelling);
        for (uint32_t i = 0; i < rw->record->field_count; i++)
            add_copy(out, rw, f, i, true);
        hd_str_add(out, "}\n");
    }
}

const char *hd_prelude(rewriter *rw) {
    hd_str out = {.arena = rw->arena};
    hd_str_printf(&out, "\n/* Generated by heddle: '%s' in the layout %s. */\n", rw->record->name,
                  hd_layout_print(rw->arena, rw->record, rw->plan->layout));
    for (int s = 0; s < SPACE_COUNT; s++) {
        const family *f = &rw->families[s];
        if (!f->is_used)
            continue;
        add_reference(&out, rw, f, (space)s);
        for (uint32_t i = 0; i < rw->record->field_count; i++)
            add_accessor(&out, rw, f, i);
        add_load_and_store(&out, rw, f);
    }
    hd_str_printf(&out, "/* End of what heddle generated for '%s'. */", rw->record->name);
    return hd_str_text(&out);
}
