/* Statements: stores of scalars, vectors and records, copies, branches, loops. */
#include "fuzz/rewrites/rewrites.h"

/* What is declared inside braces ends there. */
typedef struct scope {
    size_t pointers, arrays, copies, numbers, locals;
} scope;

static scope enter(const gen *g) {
    return (scope){g->pointers.count, g->pointer_arrays.count, g->copies.count, g->numbers.count,
                   g->locals.count};
}

static void leave(gen *g, scope s) {
    g->pointers.count = s.pointers;
    g->pointer_arrays.count = s.arrays;
    g->copies.count = s.copies;
    g->numbers.count = s.numbers;
    g->locals.count = s.locals;
}

static node *block(gen *g, uint32_t count) {
    scope s = enter(g);
    g->level++;
    node *n = fuzz_node(g->arena, NULL, "{\n@}\n", statements(g, count));
    g->level--;
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
    static const char *const functions[2][6] = {
        {"atomic_add", "atomic_sub", "atomic_xor", "atomic_max", "atomic_xchg", "atomic_or"},
        {"atomicAdd", "atomicSub", "atomicXor", "atomicMax", "atomicExch", "atomicOr"}};
    place p;
    if (!find_place(g, true, &p) || !p.is_bare || !p.is_global || (p.base != INT && p.base != UINT))
        return NULL;
    const char *name = functions[g->cuda][draw(g, 6)];
    node *operand = fuzz_node(g->arena, NULL, p.base == INT ? "(int)@" : "@", value(g));
    if (g->locals.count && chance(g, 50))
        return fuzz_node(g->arena, "", "$ = $(&@, @);\n",
                         g->locals.data[draw(g, (uint32_t)g->locals.count)], name, p.text, operand);
    return fuzz_node(g->arena, "", "$(&@, @);\n", name, p.text, operand);
}

/* The address of one value is passed on. */
static node *bump(gen *g) {
    place p;
    if (!find_place(g, true, &p) || !p.is_bare || !p.is_global || p.base != UINT)
        return NULL;
    const char *helper = chance(g, 50)              ? "bump(&"
                         : g->cuda && chance(g, 50) ? "bump_there("
                                                    : "bump_again(&";
    return fuzz_node(g->arena, "", "$@, @);\n", helper, p.text, value(g));
}

/* The value of an assignment. */
static node *store_chain(gen *g) {
    place p;
    if (!g->locals.count || !find_place(g, true, &p) || p.base != UINT)
        return NULL;
    return fuzz_node(g->arena, "", "$ = @ = @;\n",
                     g->locals.data[draw(g, (uint32_t)g->locals.count)], p.text, value(g));
}

/* A vector or a nested struct as a whole, from one element to another. */
static node *field_store(gen *g) {
    pointer to, from;
    bool to_arrow, from_arrow;
    if (!find_pointer(g, (wish){.to_write = true, .least = 1}, &to) ||
        !find_pointer(g, (wish){.record = to.record, .least = 1}, &from))
        return NULL;
    const field *f = &to.record->fields[draw(g, to.record->field_count)];
    if (f->sizes[0] || (f->lanes == 1 && !f->nested))
        return NULL;
    node *left = element(g, &to, &to_arrow), *right = element(g, &from, &from_arrow);
    const char *lanes_to = "", *lanes_from = "";
    if (f->lanes >= 2 && f->lanes <= 4 && !g->cuda && chance(g, 40)) {
        lanes_to = ".xy";
        lanes_from = chance(g, 50) ? ".yx" : ".xx";
    }
    return fuzz_node(g->arena, "", "@$$$ = @$$$;\n", left, to_arrow ? "->" : ".", f->name, lanes_to,
                     right, from_arrow ? "->" : ".", f->name, lanes_from);
}

static node *record_store(gen *g) {
    pointer p;
    if (!find_pointer(g, (wish){.to_write = true, .least = 1}, &p))
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
    node *from = c->is_fixed ? NULL : whole_value(g, c->record);
    return from ? fuzz_node(g->arena, "", "$ = @;\n", c->name, from) : NULL;
}

/* A call that may write; it stands alone. */
static node *call_statement(gen *g) {
    if (!g->functions.count || g->level > 1)
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
    if (!find_pointer(g, (wish){.least = 1}, &p))
        return NULL;
    node *from = whole_value(g, p.record);
    const char *name = awkward_name(g, "c"), *type = p.record->spelling;
    if (!from)
        return NULL;
    if (chance(g, 25)) {
        node *n = fuzz_node(g->arena, "", "$ $[2];\n$[0] = @;\n$[1] = $[0];\n", type, name, name,
                            from, name, name);
        hd_push(g->arena, &g->copies, (copy){hd_format(g->arena, "%s[0]", name), p.record, false});
        hd_push(g->arena, &g->copies, (copy){hd_format(g->arena, "%s[1]", name), p.record, false});
        return n;
    }
    node *n = fuzz_node(g->arena, "", "$ $ = @;\n", type, name, from);
    hd_push(g->arena, &g->copies, (copy){name, p.record, false});
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
    if (g->level > 1)
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

/* A pointer that walks over elements. */
static node *pointer_loop(gen *g) {
    static const char *const tests[] = {"$ != $", "$ < $", "$ - $ < 0"};
    pointer p;
    uint32_t array;
    if (g->level > 1 || !find_pointer(g, (wish){.least = 2}, &p))
        return NULL;
    uint32_t length = 2 + draw(g, p.length < 4 ? p.length - 1 : 3);
    node *from = address(g, (wish){p.record, p.writable, length, 0, memory_of(&p)}, &array);
    if (!from)
        return NULL;
    const char *first = new_name(g, "q"), *end = new_name(g, "q"), *at = new_name(g, "q");
    const char *type =
        hd_format(g->arena, "%s%s", qualifiers(g, p.writable, p.constant), p.record->spelling);
    scope s = enter(g);
    hd_push(g->arena, &g->pointers,
            (pointer){at, p.record, NULL, 1, p.writable, p.constant, array, false, 0, 0});
    node *body = block(g, 1 + draw(g, 3));
    leave(g, s);
    node *test = fuzz_node(g->arena, NULL, tests[draw(g, 3)], at, end);
    return fuzz_node(g->arena, "", "{\n$ *$ = @;\n$ *$ = $ + #;\nfor ($ *$ = $; @; $++) @}\n", type,
                     first, from, type, end, first, length, type, at, first, test, at, body);
}

static node *choice_of_blocks(gen *g) {
    node *selector = index_below(g, 4), *one = block(g, 1), *other = block(g, 1);
    return fuzz_node(g->arena, "", "switch (@) {\ncase 0: @break;\ncase 2:\ndefault: @}\n",
                     selector, one, other);
}

static node *statement(gen *g) {
    typedef node *statement_fn(gen *);
    static statement_fn *const all[] = {number_declaration,
                                        copy_declaration,
                                        copy_declaration,
                                        pointer_declaration,
                                        pointer_declaration,
                                        pointer_declarations,
                                        pointer_array_declaration,
                                        pointer_change,
                                        pointer_change,
                                        pointer_change,
                                        branch,
                                        loop,
                                        record_store,
                                        record_store,
                                        field_store,
                                        atomic,
                                        call_statement,
                                        call_statement,
                                        copy_store,
                                        local_store,
                                        reference_declaration,
                                        bump,
                                        store_chain,
                                        pointer_loop,
                                        choice_of_blocks};
    const uint32_t count = sizeof all / sizeof *all, kind = draw(g, count + 11);
    return kind < count ? all[kind](g) : store(g);
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
