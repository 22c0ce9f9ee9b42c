/* Pointers to records, and the forms in which docs/rewrite.md lets them appear. */
#include "fuzz/rewrites/rewrites.h"

enum { MOST_DEPTH = 4 };

static bool fits(const pointer *p, wish wanted) {
    return (!wanted.record || p->record == wanted.record) && (!wanted.to_write || p->writable) &&
           p->length >= wanted.least && (!wanted.array || p->array == wanted.array) &&
           (!wanted.in || wanted.in == memory_of(p));
}

bool find_pointer(gen *g, wish wanted, pointer *found) {
    uint32_t seen = 0;
    for (size_t i = 0; i < g->pointers.count; i++)
        if (fits(&g->pointers.data[i], wanted) && draw(g, ++seen) == 0)
            *found = g->pointers.data[i];
    for (size_t i = 0; i < g->pointer_arrays.count; i++) {
        const pointer_array *a = &g->pointer_arrays.data[i];
        if (!fits(&a->each, wanted) || draw(g, ++seen) > 0)
            continue;
        *found = a->each;
        found->name = hd_format(g->arena, "%s[%u]", a->name, draw(g, a->count));
    }
    return seen > 0;
}

/* The index of one of `room` places among what the pointer has. */
static node *any_index(gen *g, const pointer *p, uint32_t room) {
    node *inside = room > 1 ? index_below(g, room) : NULL;
    if (!p->first)
        return inside ? inside : fuzz_node(g->arena, NULL, "0");
    if (!inside)
        return fuzz_node(g->arena, NULL, "$", p->first);
    return fuzz_node(g->arena, NULL, "$ + @", p->first, inside);
}

node *element(gen *g, const pointer *p, bool *is_arrow) {
    node *index = any_index(g, p, p->length);
    uint32_t form = draw(g, 12);
    *is_arrow = form >= 8;
    if (form == 11 && !p->first)
        return fuzz_node(g->arena, NULL, "$", p->name);
    if (form >= 10)
        return fuzz_node(g->arena, NULL, "(&$[@])", p->name, index);
    if (form >= 8)
        return fuzz_node(g->arena, NULL, "($ + @)", p->name, index);
    if (form == 7)
        return fuzz_node(g->arena, NULL, "(*($ + @))", p->name, index);
    if (form == 6 && !p->first)
        return fuzz_node(g->arena, NULL, "(*$)", p->name);
    return fuzz_node(g->arena, NULL, "$[@]", p->name, index);
}

node *whole_element(gen *g, const pointer *p) {
    node *index = any_index(g, p, p->length);
    uint32_t form = draw(g, 6);
    if (form == 0)
        return fuzz_node(g->arena, NULL, "*($ + @)", p->name, index);
    if (form == 1 && !p->first)
        return fuzz_node(g->arena, NULL, "*$", p->name);
    return fuzz_node(g->arena, NULL, "$[@]", p->name, index);
}

/* ---- pointers as values ------------------------------------------------------------ */

/* A function that returns one. */
static node *pointer_call(gen *g, wish wanted) {
    for (size_t i = 0; i < g->functions.count; i++) {
        const function *f = &g->functions.data[i];
        if (f->points_to && f->points_to >= wanted.least && f->result == wanted.record &&
            (f->result_writable || !wanted.to_write) && !f->writes && chance(g, 50))
            return call(g, f);
    }
    return NULL;
}

static node *choice(gen *g, wish wanted, uint32_t *array) {
    uint32_t one, other;
    node *condition = value(g);
    node *yes = address(g, wanted, &one), *no = address(g, wanted, &other);
    *array = one == other ? one : 0;
    return fuzz_node(g->arena, NULL, "(@ ? @ : @)", condition, yes, no);
}

static node *plain_address(gen *g, const pointer *p, uint32_t length) {
    if (!p->first && chance(g, 40))
        return fuzz_node(g->arena, NULL, "$", p->name);
    node *index = any_index(g, p, p->length - length + 1);
    return fuzz_node(g->arena, NULL, chance(g, 50) ? "&$[@]" : "$ + @", p->name, index);
}

node *address(gen *g, wish wanted, uint32_t *array) {
    pointer p;
    node *n = NULL;
    if (!find_pointer(g, wanted, &p))
        return NULL;
    *array = 0;
    g->depth++;
    if (g->depth < MOST_DEPTH && chance(g, 12))
        n = choice(g, wanted, array);
    else if (g->depth < MOST_DEPTH && wanted.in == GLOBAL && !wanted.array && g->level < 2 &&
             chance(g, 25))
        n = pointer_call(g, wanted);
    g->depth--;
    if (n)
        return n;
    *array = p.array;
    return plain_address(g, &p, wanted.least);
}

/* ---- places ---------------------------------------------------------------------------- */

/* What a macro reaches. */
static place macro_place(gen *g) {
    const accessor *a = &g->accessors.data[draw(g, (uint32_t)g->accessors.count)];
    node *index = any_index(g, &a->of, a->of.length);
    return (place){fuzz_node(g->arena, NULL, "$(@)", a->name, index), a->field->base, false,
                   !a->of.constant};
}

bool find_place(gen *g, bool to_write, place *found) {
    pointer p;
    bool is_arrow;
    const copy *c = NULL;
    if (g->copies.count && chance(g, 30))
        c = &g->copies.data[draw(g, (uint32_t)g->copies.count)];
    if (g->accessors.count && !to_write && chance(g, 15)) {
        *found = macro_place(g);
        return true;
    }
    if (c && !(to_write && c->is_fixed)) {
        *found = scalar_in(g, c->record, fuzz_node(g->arena, NULL, "$", c->name), false, false);
        return true;
    }
    if (!find_pointer(g, (wish){.to_write = to_write, .least = 1}, &p))
        return false;
    node *whole = element(g, &p, &is_arrow);
    *found = scalar_in(g, p.record, whole, is_arrow, !p.constant);
    return true;
}
