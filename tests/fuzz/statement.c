/*
 * Random statements. Loops end: each has a counter that nothing else changes. A
 * jump leads forwards, or is counted.
 */
#include "fuzz.h"

enum { MOST_LOOPS = 3, MOST_RUNS = 500 };

static const char *name_of(gen *g, type t) { return fuzz_type_name(g->arena, t); }

static node *statement(gen *g);

/* ---- declarations ------------------------------------------------------------ */

static node *declared_array(gen *g) {
    static const uint32_t lengths[] = {2, 3, 4, 5, 8, 16};
    type t = fuzz_any_type(g);
    uint32_t length = lengths[fuzz_draw(g, t.lanes > 4 ? 3 : 6)];
    const char *name = fuzz_name(g, "a");
    node *n = fuzz_node(g->arena, "", "$ $[#] = {", name_of(g, t), name, length);
    for (uint32_t i = 0; i < length; i++)
        fuzz_add(g->arena, n, "$@", i ? ", " : "", fuzz_expression(g, t, fuzz_draw(g, 2)));
    fuzz_add(g->arena, n, "};\n");
    fuzz_declare(g, (place){.before = name, .length = length, .type = t, .writable = true});
    return n;
}

static node *declared_record(gen *g) {
    const record *r = &g->records.data[fuzz_draw(g, (uint32_t)g->records.count)];
    const char *name = fuzz_name(g, "r");
    node *n = fuzz_node(g->arena, "", "struct $ $ = {", r->name, name);
    for (uint32_t i = 0; i < r->field_count; i++) {
        const field *f = &r->fields[i];
        fuzz_add(g->arena, n, "$$", i ? ", " : "", f->length ? "{" : "");
        for (uint32_t k = 0; k < (f->length ? f->length : 1); k++)
            fuzz_add(g->arena, n, "$@", k ? ", " : "", fuzz_expression(g, f->type, 1));
        fuzz_add(g->arena, n, "$", f->length ? "}" : "");
    }
    fuzz_add(g->arena, n, "};\n");
    fuzz_declare_fields(g, r, name, 0, true, NULL);
    return n;
}

/* A pointer into an array, so far from its start that something is left. */
static node *declared_pointer(gen *g) {
    place p;
    for (int tries = 0; tries < 8; tries++) {
        if (!fuzz_find(g, (type){0}, false, &p) || *p.after || p.length < 4)
            continue;
        const char *name = fuzz_name(g, "p");
        node *index = fuzz_index(g, p.length / 2, 2);
        fuzz_declare(g, (place){.before = name,
                                .length = p.length / 2,
                                .type = p.type,
                                .writable = p.writable,
                                .space = p.space});
        return fuzz_node(g->arena, "", "$ $ *$ = $ + (@);\n", p.space, name_of(g, p.type), name,
                         p.before, index);
    }
    return declared_array(g);
}

node *fuzz_declaration(gen *g) {
    uint32_t kind = fuzz_draw(g, 10);
    if (kind == 0)
        return declared_array(g);
    if (kind == 1 && g->records.count)
        return declared_record(g);
    if (kind == 2)
        return declared_pointer(g);
    type t = fuzz_any_type(g);
    const char *name = fuzz_name(g, "v");
    node *n = fuzz_node(g->arena, "", "$ $ = @;\n", name_of(g, t), name, fuzz_expression(g, t, 3));
    fuzz_declare(g, (place){.before = name, .type = t, .writable = true});
    return n;
}

/* ---- assignments ------------------------------------------------------------- */

/* Some lanes of a vector. */
static node *assigned_lanes(gen *g, place p) {
    static const char *const pairs[] = {"lo", "hi", "even", "odd"};
    type half = {p.type.base, p.type.lanes / 2};
    if (p.type.lanes != 3 && half.lanes > 1 && fuzz_chance(g, 50))
        return fuzz_node(g->arena, "", "@.$ = @;\n", fuzz_place(g, p), pairs[fuzz_draw(g, 4)],
                         fuzz_expression(g, half, 3));
    return fuzz_node(g->arena, "", "@.s$ = @;\n", fuzz_place(g, p),
                     hd_format(g->arena, "%x", fuzz_draw(g, p.type.lanes)),
                     fuzz_expression(g, element_of(p.type), 3));
}

static node *assignment(gen *g) {
    static const char *const compound[] = {"&=", "|=", "^=", "+=", "-=", "*="};
    place p;
    if (!fuzz_find(g, (type){0}, true, &p))
        return fuzz_declaration(g);
    if (p.type.lanes > 1 && fuzz_chance(g, 40))
        return assigned_lanes(g, p);
    bool wraps =
        p.type.base == UINT || p.type.base == ULONG || (p.type.lanes > 1 && !is_signed(p.type));
    const char *op = "=";
    if (fuzz_chance(g, 30) && (wraps || !is_real(p.type)))
        op = compound[fuzz_draw(g, wraps && !is_real(p.type) ? 6 : 3)];
    else if (is_real(p.type) && fuzz_chance(g, 30))
        op = fuzz_chance(g, 50) ? "+=" : "*=";
    if (is_real(p.type) && strchr("&|^", *op))
        op = "-=";
    return fuzz_node(g->arena, "", "@ $ @;\n", fuzz_place(g, p), op, fuzz_expression(g, p.type, 4));
}

static node *whole_place(gen *g, whole w) {
    return w.length ? fuzz_node(g->arena, NULL, "$[@]", w.before, fuzz_index(g, w.length, 2))
                    : fuzz_node(g->arena, NULL, "$", w.before);
}

/* One record to another of its kind. */
static node *copied(gen *g) {
    for (int tries = 0; tries < 8 && g->wholes.count; tries++) {
        whole to = g->wholes.data[fuzz_draw(g, (uint32_t)g->wholes.count)];
        whole from = g->wholes.data[fuzz_draw(g, (uint32_t)g->wholes.count)];
        if (to.writable && to.record == from.record && to.before != from.before)
            return fuzz_node(g->arena, "", "@ = @;\n", whole_place(g, to), whole_place(g, from));
    }
    return assignment(g);
}

/* A private variable of this type, to be written through a pointer. */
static bool find_private(gen *g, type t, place *p) {
    return fuzz_find(g, t, true, p) && !strcmp(p->space, "__private");
}

/* A function that has two results, one of them through a pointer. */
static node *two_results(gen *g) {
    static const type reals[] = {{FLOAT, 1}, {DOUBLE, 1}, {FLOAT, 4}};
    static const char *const functions[] = {"fract", "modf"};
    const char *name = fuzz_name(g, "v");
    type t = reals[fuzz_draw(g, 3)];
    place p;
    node *n = NULL;
    for (size_t i = 0; i < g->functions.count && !n; i++) {
        function f = g->functions.data[i];
        if (!f.has_pointer || f.weight * g->weight > MOST_WEIGHT || !find_private(g, f.result, &p))
            continue;
        t = f.result;
        n = fuzz_node(g->arena, "", "$ $ = @, &@);\n", name_of(g, t), name, fuzz_call(g, &f, 2),
                      fuzz_place(g, p));
    }
    if (!n && find_private(g, t, &p))
        n = fuzz_node(g->arena, "", "$ $ = $(@, &@);\n", name_of(g, t), name,
                      functions[fuzz_draw(g, 2)], fuzz_clean(g, t, fuzz_expression(g, t, 2)),
                      fuzz_place(g, p));
    if (!n)
        return fuzz_declaration(g);
    fuzz_declare(g, (place){.before = name, .type = t, .writable = true});
    return n;
}

/* The bytes of a private array of integers. */
static node *byte_of(gen *g) {
    place p;
    for (int tries = 0; tries < 6; tries++)
        if (find_private(g, fuzz_integer_type(g), &p) && p.length && !*p.after &&
            p.type.lanes != 3) {
            uint32_t bytes = p.length * p.type.lanes * base_bits(p.type.base) / 8;
            return fuzz_node(g->arena, "", "((uchar *)$)[@] $= @;\n", p.before,
                             fuzz_index(g, bytes, 2), fuzz_chance(g, 50) ? "" : "^",
                             fuzz_expression(g, (type){UCHAR, 1}, 2));
        }
    return assignment(g);
}

/* Several neighbouring elements of an array at once. */
static node *stored_vector(gen *g) {
    static const uint32_t sizes[] = {2, 3, 4, 8};
    place p;
    uint32_t lanes = sizes[fuzz_draw(g, 4)];
    for (int tries = 0; tries < 6; tries++)
        if (fuzz_find(g, (type){0}, true, &p) && !*p.after && p.length >= lanes &&
            p.type.lanes == 1)
            return fuzz_node(g->arena, "", "vstore#(@, @, $);\n", lanes,
                             fuzz_expression(g, (type){p.type.base, lanes}, 2),
                             fuzz_index(g, p.length / lanes, 2), p.before);
    return assignment(g);
}

static node *counted(gen *g) {
    if (!g->counters.count)
        return assignment(g);
    counter c = g->counters.data[fuzz_draw(g, (uint32_t)g->counters.count)];
    return fuzz_node(g->arena, "", "$($ + (@), @);\n", c.function, c.before,
                     fuzz_index(g, c.length, 2), fuzz_expression(g, c.type, 3));
}

/* ---- branches ---------------------------------------------------------------- */

static node *branch(gen *g) {
    node *n = fuzz_node(g->arena, "", "if (@) @", fuzz_condition(g, 3),
                        fuzz_statements(g, 1 + fuzz_draw(g, 3), true));
    while (fuzz_chance(g, 15))
        fuzz_add(g->arena, n, "else if (@) @", fuzz_condition(g, 2),
                 fuzz_statements(g, 1 + fuzz_draw(g, 2), true));
    if (fuzz_chance(g, 45))
        fuzz_add(g->arena, n, "else @", fuzz_statements(g, 1 + fuzz_draw(g, 3), true));
    return n;
}

static node *one_case(gen *g, const char *label) {
    node *n = fuzz_node(g->arena, "", "$@", label, fuzz_statements(g, 1 + fuzz_draw(g, 2), true));
    if (fuzz_chance(g, 65))
        fuzz_add(g->arena, n, "@", fuzz_node(g->arena, "", "break;\n"));
    return n;
}

static node *selection(gen *g) {
    uint32_t cases = 2 + fuzz_draw(g, 4), otherwise = fuzz_draw(g, cases + 2), step = 1;
    bool outer = g->in_switch;
    node *n = fuzz_node(g->arena, "", "switch (@) {\n", fuzz_index(g, cases + 2, 3));
    g->in_switch = true;
    if (fuzz_chance(g, 20))
        step = 3;
    for (uint32_t i = 0; i < cases; i++) {
        if (i == otherwise)
            fuzz_add(g->arena, n, "@", one_case(g, "default: "));
        fuzz_add(g->arena, n, "@", one_case(g, hd_format(g->arena, "case %u: ", i * step)));
    }
    fuzz_add(g->arena, n, "}\n");
    g->in_switch = outer;
    return n;
}

/* ---- loops ------------------------------------------------------------------- */

typedef struct outside {
    uint32_t weight;
    bool in_loop, in_switch;
    size_t places, wholes;
} outside;

static outside enter_loop(gen *g, uint32_t runs) {
    outside o = {g->weight, g->in_loop, g->in_switch, g->places.count, g->wholes.count};
    g->weight *= runs;
    g->in_loop = true;
    g->in_switch = false;
    g->loop_depth++;
    return o;
}

static void leave_loop(gen *g, outside o) {
    g->weight = o.weight;
    g->in_loop = o.in_loop;
    g->in_switch = o.in_switch;
    g->places.count = o.places;
    g->wholes.count = o.wholes;
    g->loop_depth--;
}

static node *counting_loop(gen *g, uint32_t runs) {
    const char *i = fuzz_name(g, "i");
    node *limit = fuzz_chance(g, 30)
                      ? fuzz_node(g->arena, NULL, "#", runs)
                      : fuzz_node(g->arena, NULL, "(int)(@)", fuzz_index(g, runs + 1, 2));
    outside o = enter_loop(g, runs);
    fuzz_declare(g, (place){.before = i, .type = {INT, 1}});
    const char *form = fuzz_chance(g, 70) ? "for (int $ = 0; $ < @; $++) @"
                                          : "for (int $ = -2; $ + 2 < @; $ += 1) @";
    node *n = fuzz_node(g->arena, "", form, i, i, limit, i,
                        fuzz_statements(g, 1 + fuzz_draw(g, 3), true));
    leave_loop(g, o);
    return n;
}

/* while and do: the counter goes down first thing, so that continue cannot miss it. */
static node *conditional_loop(gen *g, uint32_t runs) {
    const char *i = fuzz_name(g, "w");
    bool test_first = fuzz_chance(g, 60);
    node *n = fuzz_node(g->arena, "", "{ int $ = (int)(@);\n", i, fuzz_index(g, runs + 1, 2));
    outside o = enter_loop(g, runs + 1);
    fuzz_declare(g, (place){.before = i, .type = {INT, 1}});
    if (test_first)
        fuzz_add(g->arena, n, "while ($ > 0 && @) {\n$--;\n@}\n}\n", i,
                 fuzz_chance(g, 40) ? fuzz_condition(g, 2) : fuzz_node(g->arena, NULL, "1"), i,
                 fuzz_statements(g, 1 + fuzz_draw(g, 3), true));
    else
        fuzz_add(g->arena, n, "do {\n$--;\n@} while ($ > 0 && @);\n}\n", i,
                 fuzz_statements(g, 1 + fuzz_draw(g, 3), true), i, fuzz_condition(g, 2));
    leave_loop(g, o);
    return n;
}

static node *loop(gen *g) {
    uint32_t runs = 1 + fuzz_draw(g, 6);
    if (g->loop_depth >= MOST_LOOPS || g->weight * runs > MOST_RUNS)
        return branch(g);
    return fuzz_chance(g, 55) ? counting_loop(g, runs) : conditional_loop(g, runs);
}

/* ---- jumps ------------------------------------------------------------------- */

static node *jump(gen *g) {
    const char *how = NULL;
    uint32_t kind = fuzz_draw(g, 6);
    if (kind >= 4 && g->may_return && g->result.lanes)
        return fuzz_node(g->arena, "", "if (@) return @;\n", fuzz_condition(g, 2),
                         fuzz_expression(g, g->result, 2));
    if (kind < 2 && g->in_loop)
        how = kind == 0 ? "continue;" : "break;";
    else if (kind == 2 && g->in_switch)
        how = "break;";
    else if (kind == 3 && g->labels.count)
        how = hd_format(g->arena, "goto %s;",
                        g->labels.data[fuzz_draw(g, (uint32_t)g->labels.count)]);
    else if (kind == 4 && g->may_return)
        how = "return;";
    if (!how)
        return branch(g);
    return fuzz_node(g->arena, "", "if (@) $\n", fuzz_condition(g, 2), how);
}

/* { A } label: { B }, where A may jump to the label. */
static node *with_label_behind(gen *g) {
    const char *label = fuzz_name(g, "behind");
    hd_push(g->arena, &g->labels, label);
    node *a = fuzz_statements(g, 1 + fuzz_draw(g, 3), true);
    g->labels.count--;
    return fuzz_node(g->arena, "", "{\n@$: ;\n@}\n", a, label,
                     fuzz_statements(g, 1 + fuzz_draw(g, 2), true));
}

/* A loop of gotos, which may be entered in the middle. */
static node *goto_loop(gen *g) {
    uint32_t runs = 1 + fuzz_draw(g, 3);
    if (g->loop_depth >= MOST_LOOPS || g->weight * runs > MOST_RUNS)
        return branch(g);
    const char *i = fuzz_name(g, "n"), *top = fuzz_name(g, "top"), *mid = fuzz_name(g, "mid");
    node *n = fuzz_node(g->arena, "", "{ int $ = 0;\n", i);
    if (fuzz_chance(g, 70))
        fuzz_add(g->arena, n, "@",
                 fuzz_node(g->arena, "", "if (@) goto $;\n", fuzz_condition(g, 2), mid));
    outside o = enter_loop(g, runs + 1);
    g->in_loop = o.in_loop;
    g->in_switch = o.in_switch;
    fuzz_declare(g, (place){.before = i, .type = {INT, 1}});
    node *a = fuzz_statements(g, 1 + fuzz_draw(g, 2), true);
    node *b = fuzz_statements(g, 1 + fuzz_draw(g, 2), true);
    fuzz_add(g->arena, n, "$: ;\n@$: ;\n@$++;\nif ($ <= (int)(@)) goto $;\n}\n", top, a, mid, b, i,
             i, fuzz_index(g, runs + 1, 2), top);
    leave_loop(g, o);
    return n;
}

/* ---- any --------------------------------------------------------------------- */

static node *statement(gen *g) {
    uint32_t kind = fuzz_draw(g, 40);
    g->cost += g->weight;
    if (kind < 10)
        return assignment(g);
    if (kind > 11 && kind < 17)
        return fuzz_declaration(g);
    if (kind == 10)
        return two_results(g);
    if (kind == 11)
        return copied(g);
    if (kind < 19)
        return kind == 17 ? byte_of(g) : stored_vector(g);
    if (kind < 22)
        return counted(g);
    if (kind < 27)
        return branch(g);
    if (kind < 32)
        return loop(g);
    if (kind < 35)
        return jump(g);
    if (kind < 37)
        return selection(g);
    return kind == 37 && g->goto_loops ? goto_loop(g) : with_label_behind(g);
}

node *fuzz_statements(gen *g, uint32_t count, bool braces) {
    size_t places = g->places.count, wholes = g->wholes.count;
    node *n = fuzz_node(g->arena, NULL, braces ? "{\n" : "");
    if (braces)
        g->nesting++;
    for (uint32_t i = 0; i < count; i++)
        fuzz_add(g->arena, n, "@", g->nesting > 4 || g->budget <= 0 ? assignment(g) : statement(g));
    if (braces) {
        g->nesting--;
        g->places.count = places;
        g->wholes.count = wholes;
        fuzz_add(g->arena, n, "}\n");
    }
    return n;
}
