/* Helper functions. */
#include "fuzz/rewrites/rewrites.h"

void forget_scope(gen *g, uint32_t budget) {
    g->accessors.count = g->pointers.count = g->pointer_arrays.count = g->copies.count =
        g->numbers.count = g->locals.count = 0;
    g->depth = g->level = 0;
    g->budget = budget;
}

const record *any_record(gen *g) {
    const record *r;
    do
        r = g->records.data[draw(g, (uint32_t)g->records.count)];
    while (!r->laid_out);
    return r;
}

static param any_param(gen *g) {
    uint32_t kind = draw(g, 10);
    if (kind < 6)
        return (param){BY_POINTER, any_record(g), 1 + draw(g, 3), chance(g, 50)};
    if (kind < 8)
        return (param){g->cuda && chance(g, 50) ? BY_REFERENCE : BY_VALUE, any_record(g), 0, false};
    return (param){NUMBER, NULL, 0, false};
}

/* Prints a parameter and puts it into the scope. */
static void add_param(gen *g, node *head, const param *p) {
    const char *name = new_name(g, "a");
    switch (p->kind) {
    case BY_POINTER:
        fuzz_add(g->arena, head, "$$ *$", qualifiers(g, p->writable, false), p->record->spelling,
                 name);
        hd_push(g->arena, &g->pointers,
                (pointer){name, p->record, NULL, p->length, p->writable, false, ++g->next_array,
                          true, 0, 0});
        return;
    case BY_VALUE:
    case BY_REFERENCE:
        fuzz_add(g->arena, head, p->kind == BY_VALUE ? "$ $" : "const $ &$", p->record->spelling,
                 name);
        hd_push(g->arena, &g->copies, (copy){name, p->record, p->kind == BY_REFERENCE});
        return;
    case NUMBER:
        fuzz_add(g->arena, head, "uint $", name);
        hd_push(g->arena, &g->numbers, name);
        hd_push(g->arena, &g->locals, name);
    }
}

static node *result_of(gen *g, const function *f) {
    uint32_t array;
    const wish wanted = {f->result, f->result_writable, f->points_to, 0, GLOBAL};
    node *result = f->points_to ? address(g, wanted, &array)
                   : f->result  ? whole_value(g, f->result)
                                : value(g);
    return fuzz_node(g->arena, NULL, "return @;\n", result);
}

/* A record or a pointer that a parameter brings, or a number. What gives a pointer only does
 * that, so that it can stand in an expression. */
static void choose_result(gen *g, function *f) {
    for (uint32_t i = 0; i < f->param_count && chance(g, 50) && !f->result; i++) {
        const param *p = &f->params[i];
        f->result = p->record;
        if (p->kind != BY_POINTER || chance(g, 60))
            continue;
        f->points_to = 1 + draw(g, p->length);
        f->result_writable = p->writable && chance(g, 70);
        f->writes = false;
    }
}

void add_function(gen *g, node *out) {
    function f = {.name = awkward_name(g, "h"), .param_count = 1 + draw(g, 4)};
    forget_scope(g, 90);
    for (uint32_t i = 0; i < f.param_count; i++) {
        f.params[i] = any_param(g);
        f.writes |= f.params[i].kind == BY_POINTER && f.params[i].writable;
    }
    choose_result(g, &f);
    const char *before = f.points_to ? qualifiers(g, f.result_writable, false) : "";
    node *head = fuzz_node(g->arena, NULL, "$$$$ $$(", g->cuda ? "__device__ " : "",
                           chance(g, 50) ? "static " : "", before,
                           f.result ? f.result->spelling : "uint", f.points_to ? "*" : "", f.name);
    for (uint32_t i = 0; i < f.param_count; i++) {
        fuzz_add(g->arena, head, i ? ", " : "");
        add_param(g, head, &f.params[i]);
    }
    if (chance(g, 15)) /* declared first */
        fuzz_add(g->arena, out, "@", fuzz_node(g->arena, "", "@);\n", head));
    node *inside = statements(g, f.points_to ? 0 : 1 + draw(g, 6));
    fuzz_add(g->arena, out, "@",
             fuzz_node(g->arena, "", "@) {\n@@}\n\n", head, inside, result_of(g, &f)));
    hd_push(g->arena, &g->functions, f);
}
