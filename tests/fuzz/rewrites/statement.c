/* Statements: stores of scalars, vectors and records, copies, pointers, loops. */
#include "fuzz/rewrites/rewrites.h"

/* What is declared inside braces ends there. */
typedef struct scope {
    size_t pointers, copies, numbers, locals;
} scope;

static scope enter(const gen *g) {
    return (scope){g->pointers.count, g->copies.count, g->numbers.count, g->locals.count};
}

static void leave(gen *g, scope s) {
    g->pointers.count = s.pointers;
    g->copies.count = s.copies;
    g->numbers.count = s.numbers;
    g->locals.count = s.locals;
}

static node *block(gen *g, uint32_t count) {
    scope s = enter(g);
    g->loops++;
    node *n = fuzz_node(g->arena, NULL, "{\n@}\n", statements(g, count));
    g->loops--;
    leave(g, s);
    return n;
}

/* ---- stores ------------------------------------------------------------------------- */

static node *store(gen *g) {
    static const char *const operators[] = {"=", "=", "=", "+=", "^=", "|=", "-="};
    place p;
    if (!find_place(g, true, &p))
        return NULL;
    if (p.base >= FLOAT)
        return fuzz_node(g->arena, "", "@ $ ($)(@ & 0xffffu);\n", p.text,
                         chance(g, 70) ? "=" : "+=", base_name(p.base), value(g));
    if (p.base % 2 && chance(g, 10))
        return fuzz_node(g->arena, "", chance(g, 50) ? "@++;\n" : "--@;\n", p.text);
    const char *operator= operators[draw(g, 7)];
    return fuzz_node(g->arena, "", "@ $ ($)@;\n", p.text, operator, base_name(p.base), value(g));
}

static node *atomic(gen *g) {
    static const char *const functions[] = {"add", "sub", "xor", "max", "xchg", "or"};
    place p;
    if (!find_place(g, true, &p) || !p.is_bare || !p.is_global || (p.base != INT && p.base != UINT))
        return NULL;
    const char *name = functions[draw(g, 6)];
    node *operand = fuzz_node(g->arena, NULL, p.base == INT ? "(int)@" : "@", value(g));
    if (g->locals.count && chance(g, 50))
        return fuzz_node(g->arena, "", "$ = atomic_$(&@, @);\n",
                         g->locals.data[draw(g, (uint32_t)g->locals.count)], name, p.text, operand);
    return fuzz_node(g->arena, "", "atomic_$(&@, @);\n", name, p.text, operand);
}

/* A vector or a nested struct as a whole, from one element to another. */
static node *field_store(gen *g) {
    pointer to, from;
    bool to_arrow, from_arrow;
    if (!find_pointer(g, NULL, true, 1, &to) || !find_pointer(g, to.record, false, 1, &from))
        return NULL;
    const field *f = &to.record->fields[draw(g, to.record->field_count)];
    if (f->sizes[0] || (f->lanes == 1 && !f->nested))
        return NULL;
    node *left = element(g, &to, &to_arrow), *right = element(g, &from, &from_arrow);
    const char *lanes_to = "", *lanes_from = "";
    if (f->lanes >= 2 && f->lanes <= 4 && chance(g, 40)) {
        lanes_to = ".xy";
        lanes_from = chance(g, 50) ? ".yx" : ".xx";
    }
    return fuzz_node(g->arena, "", "@$$$ = @$$$;\n", left, to_arrow ? "->" : ".", f->name, lanes_to,
                     right, from_arrow ? "->" : ".", f->name, lanes_from);
}

static node *record_store(gen *g) {
    pointer p;
    if (!find_pointer(g, NULL, true, 1, &p))
        return NULL;
    node *left = whole_element(g, &p), *right = whole_value(g, p.record);
    return right ? fuzz_node(g->arena, "", "@ = @;\n", left, right) : NULL;
}

static node *local_store(gen *g) {
    if (!g->locals.count)
        return NULL;
    const char *name = g->locals.data[draw(g, (uint32_t)g->locals.count)];
    return fuzz_node(g->arena, "", chance(g, 50) ? "$ = @;\n" : "$ ^= @;\n", name, value(g));
}

static node *copy_store(gen *g) {
    if (!g->copies.count)
        return NULL;
    const copy *c = &g->copies.data[draw(g, (uint32_t)g->copies.count)];
    node *from = whole_value(g, c->record);
    return from ? fuzz_node(g->arena, "", "$ = @;\n", c->name, from) : NULL;
}

/* A call that may write; it stands alone. */
static node *call_statement(gen *g) {
    if (!g->functions.count || g->loops > 1)
        return NULL;
    const function *f = &g->functions.data[draw(g, (uint32_t)g->functions.count)];
    node *n = call(g, f);
    if (n && !f->result && g->locals.count && chance(g, 60))
        return fuzz_node(g->arena, "", "$ += @;\n",
                         g->locals.data[draw(g, (uint32_t)g->locals.count)], n);
    return n ? fuzz_node(g->arena, "", "@;\n", n) : NULL;
}

/* ---- declarations ---------------------------------------------------------------------- */

static node *number_declaration(gen *g) {
    const char *name = awkward_name(g, "v");
    node *n = fuzz_node(g->arena, "", "uint $ = @;\n", name, value(g));
    hd_push(g->arena, &g->numbers, name);
    hd_push(g->arena, &g->locals, name);
    return n;
}

static node *copy_declaration(gen *g) {
    pointer p;
    if (!find_pointer(g, NULL, false, 1, &p))
        return NULL;
    node *from = whole_value(g, p.record);
    const char *name = awkward_name(g, "c"), *type = p.record->spelling;
    if (!from)
        return NULL;
    if (chance(g, 25)) {
        node *n = fuzz_node(g->arena, "", "$ $[2];\n$[0] = @;\n$[1] = $[0];\n", type, name, name,
                            from, name, name);
        hd_push(g->arena, &g->copies, (copy){hd_format(g->arena, "%s[0]", name), p.record});
        hd_push(g->arena, &g->copies, (copy){hd_format(g->arena, "%s[1]", name), p.record});
        return n;
    }
    node *n = fuzz_node(g->arena, "", "$ $ = @;\n", type, name, from);
    hd_push(g->arena, &g->copies, (copy){name, p.record});
    return n;
}

static node *pointer_declaration(gen *g) {
    pointer p;
    if (!find_pointer(g, NULL, false, 1, &p))
        return NULL;
    bool writable = p.writable && chance(g, 75);
    uint32_t length = 1 + draw(g, p.length < 5 ? p.length : 5);
    const char *name = awkward_name(g, "q");
    node *n = fuzz_node(g->arena, "", "$ $$ *$$ = @;\n", p.constant ? "__constant" : "__global",
                        writable || p.constant ? "" : "const ", p.record->spelling,
                        chance(g, 30) ? "const " : "", name, address(g, &p, length));
    hd_push(g->arena, &g->pointers, (pointer){name, p.record, NULL, length, writable, p.constant});
    return n;
}

/* ---- control flow ------------------------------------------------------------------------- */

static node *branch(gen *g) {
    node *condition = value(g), *then = block(g, 1 + draw(g, 2));
    if (chance(g, 50))
        return fuzz_node(g->arena, "", "if (@) @", condition, then);
    node *other = block(g, 1 + draw(g, 2));
    return fuzz_node(g->arena, "", "if (@) @else @", condition, then, other);
}

static node *loop(gen *g) {
    if (g->loops > 1)
        return NULL;
    const char *name = new_name(g, "k");
    scope s = enter(g);
    hd_push(g->arena, &g->numbers, name);
    uint32_t trips = 1 + draw(g, 4);
    node *body = block(g, 1 + draw(g, 3));
    leave(g, s);
    return fuzz_node(g->arena, "", "for (uint $ = 0; $ < #u; $++) @", name, name, trips, name,
                     body);
}

static node *statement(gen *g) {
    switch (draw(g, 24)) {
    case 0:
        return number_declaration(g);
    case 1:
    case 2:
        return copy_declaration(g);
    case 3:
    case 4:
        return pointer_declaration(g);
    case 5:
        return branch(g);
    case 6:
        return loop(g);
    case 7:
    case 8:
        return record_store(g);
    case 9:
        return field_store(g);
    case 10:
        return atomic(g);
    case 11:
    case 12:
        return call_statement(g);
    case 13:
        return copy_store(g);
    case 14:
        return local_store(g);
    default:
        return store(g);
    }
}

node *statements(gen *g, uint32_t count) {
    node *all = fuzz_node(g->arena, NULL, "");
    for (; count; count--) {
        node *n = statement(g);
        if (n)
            fuzz_add(g->arena, all, "@", n);
    }
    return all;
}
