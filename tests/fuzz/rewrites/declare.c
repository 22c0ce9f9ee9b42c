/* Declarations of pointers and references to records, and what moves them. */
#include "fuzz/rewrites/rewrites.h"

const char *qualifiers(gen *g, bool writable, bool constant) {
    static const char *const spaces[] = {"__global", "global"};
    const char *space = g->cuda ? "" : constant ? "__constant" : spaces[draw(g, 2)];
    if (writable || constant)
        return *space ? hd_format(g->arena, "%s ", space) : "";
    return hd_format(g->arena, chance(g, 70) || !*space ? "%s const " : "const %s ", space);
}

/* A reference of C++. */
node *reference_declaration(gen *g) {
    pointer p;
    if (!g->cuda || !find_pointer(g, (wish){.least = 1}, &p))
        return NULL;
    const char *name = new_name(g, "r");
    bool fixed = !p.writable || chance(g, 50);
    node *n = fuzz_node(g->arena, "", "$$ &$ = @;\n", fixed ? "const " : "", p.record->spelling,
                        name, whole_element(g, &p));
    hd_push(g->arena, &g->copies, (copy){name, p.record, fixed});
    return n;
}

node *pointer_declaration(gen *g) {
    pointer p;
    uint32_t array;
    if (!find_pointer(g, (wish){.least = 1}, &p))
        return NULL;
    bool writable = p.writable && chance(g, 75), fixed = chance(g, 30);
    uint32_t length = 1 + draw(g, p.length < 5 ? p.length : 5);
    node *to = address(g, (wish){p.record, writable, length, 0, memory_of(&p)}, &array);
    if (!to)
        return NULL;
    const char *name = awkward_name(g, "q");
    hd_push(
        g->arena, &g->pointers,
        (pointer){name, p.record, NULL, length, writable, p.constant, array, !fixed, g->level, 0});
    return fuzz_node(g->arena, "", "$$ *$$ = @;\n", qualifiers(g, writable, p.constant),
                     p.record->spelling, fixed ? "const " : "", name, to);
}

/* Two in one declaration. */
node *pointer_declarations(gen *g) {
    pointer p;
    uint32_t array[2];
    if (!find_pointer(g, (wish){.least = 1}, &p))
        return NULL;
    const wish wanted = {p.record, p.writable, 1, 0, memory_of(&p)};
    node *one = address(g, wanted, &array[0]);
    node *two = address(g, wanted, &array[1]);
    const char *names[] = {awkward_name(g, "q"), new_name(g, "q")};
    if (!one || !two)
        return NULL;
    for (int i = 0; i < 2; i++)
        hd_push(g->arena, &g->pointers,
                (pointer){names[i], p.record, NULL, 1, p.writable, p.constant, array[i], true,
                          g->level, 0});
    return fuzz_node(g->arena, "", "$$ *$ = @, *$ = @;\n", qualifiers(g, p.writable, p.constant),
                     p.record->spelling, names[0], one, names[1], two);
}

node *pointer_array_declaration(gen *g) {
    pointer p;
    uint32_t array, count = 1 + draw(g, 3);
    if (!find_pointer(g, (wish){.least = 1}, &p))
        return NULL;
    const wish wanted = {p.record, p.writable, 1, 0, memory_of(&p)};
    const char *name = new_name(g, "qs");
    node *all = fuzz_node(g->arena, NULL, "");
    for (uint32_t i = 0; i < count; i++) {
        node *each = address(g, wanted, &array);
        if (!each)
            return NULL;
        fuzz_add(g->arena, all, i ? ", @" : "@", each);
    }
    const pointer each = {name, p.record, NULL, 1, p.writable, p.constant, 0, false, g->level, 0};
    hd_push(g->arena, &g->pointer_arrays, (pointer_array){name, count, each});
    return fuzz_node(g->arena, "", "$$ *$[#] = {@};\n", qualifiers(g, p.writable, p.constant),
                     p.record->spelling, name, count, all);
}

/* On to later elements or back, where that is done once for each declaration. */
static node *pointer_step(gen *g, pointer *p) {
    static const char *const one_on[] = {"$++;\n", "++$;\n", "$ += 1;\n", "$ = $ + 1;\n"};
    if (p->level != g->level)
        return NULL;
    if (p->behind && chance(g, 40)) {
        p->behind--;
        p->length++;
        return fuzz_node(g->arena, NULL, chance(g, 50) ? "$--;\n" : "$ -= 1;\n", p->name);
    }
    if (p->length < 2)
        return NULL;
    p->behind++;
    p->length--;
    return fuzz_node(g->arena, NULL, one_on[draw(g, 4)], p->name, p->name);
}

/* The value there, and on. */
static node *pointer_read_and_step(gen *g, pointer *p) {
    const field *f = &p->record->fields[draw(g, p->record->field_count)];
    if (p->level != g->level || p->length < 2 || !g->locals.count || f->base != UINT ||
        f->lanes > 1 || f->nested || f->sizes[0])
        return NULL;
    p->behind++;
    p->length--;
    return fuzz_node(g->arena, NULL, chance(g, 50) ? "$ += $++->$;\n" : "$ += (*$++).$;\n",
                     g->locals.data[draw(g, (uint32_t)g->locals.count)], p->name, f->name);
}

/* Somewhere else; inside of a loop in the same array, since what was before comes again. */
static node *pointer_store(gen *g, pointer *p) {
    uint32_t array, same = p->level == g->level ? 0 : p->array;
    const wish wanted = {p->record, p->writable, p->length, same, memory_of(p)};
    node *to = address(g, wanted, &array);
    if (!to)
        return NULL;
    p->array = array;
    p->behind = 0;
    return fuzz_node(g->arena, NULL, "$ = @;\n", p->name, to);
}

node *pointer_change(gen *g) {
    for (size_t i = g->pointers.count; i-- > 0;) {
        pointer *p = &g->pointers.data[i];
        if (p->is_variable && chance(g, 50))
            return chance(g, 40)   ? pointer_step(g, p)
                   : chance(g, 30) ? pointer_read_and_step(g, p)
                                   : pointer_store(g, p);
    }
    return NULL;
}
