/* Pointers to records, and the forms in which docs/rewrite.md lets them appear. */
#include "fuzz/rewrites/rewrites.h"

bool find_pointer(gen *g, const record *r, bool to_write, uint32_t least, pointer *found) {
    uint32_t seen = 0;
    for (size_t i = 0; i < g->pointers.count; i++) {
        const pointer *p = &g->pointers.data[i];
        if ((r && p->record != r) || (to_write && !p->writable) || p->length < least)
            continue;
        if (draw(g, ++seen) == 0)
            *found = *p;
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

node *address(gen *g, const pointer *p, uint32_t length) {
    if (!p->first && chance(g, 40))
        return fuzz_node(g->arena, NULL, "$", p->name);
    node *index = any_index(g, p, p->length - length + 1);
    return fuzz_node(g->arena, NULL, chance(g, 50) ? "&$[@]" : "$ + @", p->name, index);
}

bool find_place(gen *g, bool to_write, place *found) {
    pointer p;
    bool is_arrow;
    if (g->copies.count && chance(g, 30)) {
        const copy *c = &g->copies.data[draw(g, (uint32_t)g->copies.count)];
        *found = scalar_in(g, c->record, fuzz_node(g->arena, NULL, "$", c->name), false, false);
        return true;
    }
    if (!find_pointer(g, NULL, to_write, 1, &p))
        return false;
    node *whole = element(g, &p, &is_arrow);
    *found = scalar_in(g, p.record, whole, is_arrow, !p.constant);
    return true;
}
