/* Expressions. All are uints or records. */
#include "fuzz/rewrites/rewrites.h"

enum { MOST_DEPTH = 4 };

static node *literal(gen *g) { return fuzz_node(g->arena, NULL, "#u", draw(g, 70)); }

static node *variable(gen *g) {
    if (!g->numbers.count)
        return literal(g);
    return fuzz_node(g->arena, NULL, "$", g->numbers.data[draw(g, (uint32_t)g->numbers.count)]);
}

node *read_place(gen *g, const place *p) {
    if (p->base == FLOAT)
        return fuzz_node(g->arena, "1u", "bits(@)", p->text);
    if (p->base == DOUBLE)
        return fuzz_node(g->arena, "1u", "bits_of_double(@)", p->text);
    return fuzz_node(g->arena, "1u", p->base == UINT ? "@" : "(uint)@", p->text);
}

/* A macro that gets the whole access. */
static node *through_macro(gen *g, node *n) {
    static const char *const macros[] = {"TWICE(@)", "SAME(@)", "PICK(@, @)"};
    uint32_t which = draw(g, 3);
    return which < 2 ? fuzz_node(g->arena, "1u", macros[which], n)
                     : fuzz_node(g->arena, "1u", macros[which], n, literal(g));
}

static node *load(gen *g) {
    place p;
    if (!find_place(g, false, &p))
        return variable(g);
    return chance(g, 12) ? through_macro(g, read_place(g, &p)) : read_place(g, &p);
}

static node *size(gen *g) {
    pointer p;
    if (!find_pointer(g, (wish){.least = 1}, &p))
        return literal(g);
    switch (draw(g, 3)) {
    case 0: return fuzz_node(g->arena, "1u", "(uint)sizeof(*$)", p.name);
    case 1: return fuzz_node(g->arena, "1u", "(uint)sizeof($[0])", p.name);
    default: return fuzz_node(g->arena, "1u", "(uint)sizeof($)", p.record->spelling);
    }
}

/* What a reference may be bound to: one function takes laid-out records, or private ones. */
static node *global_element(gen *g, const record *r) {
    pointer p;
    for (size_t i = g->copies.count; i-- > 0;)
        if (g->copies.data[i].record == r && g->copies.data[i].is_fixed && chance(g, 40))
            return fuzz_node(g->arena, NULL, "$", g->copies.data[i].name);
    return find_pointer(g, (wish){.record = r, .least = 1}, &p) ? whole_element(g, &p) : NULL;
}

static node *argument(gen *g, const param *wanted) {
    if (wanted->kind == NUMBER)
        return value(g);
    if (wanted->kind == BY_VALUE)
        return whole_value(g, wanted->record);
    if (wanted->kind == BY_REFERENCE)
        return global_element(g, wanted->record);
    uint32_t array;
    return address(g, (wish){wanted->record, wanted->writable, wanted->length, 0, GLOBAL}, &array);
}

node *call(gen *g, const function *f) {
    node *n = fuzz_node(g->arena, f->result ? NULL : "1u", "$(", f->name);
    for (uint32_t i = 0; i < f->param_count; i++) {
        node *a = argument(g, &f->params[i]);
        if (!a)
            return NULL;
        fuzz_add(g->arena, n, i ? ", @" : "@", a);
    }
    fuzz_add(g->arena, n, ")");
    return n;
}

/* In an expression nothing is written, because operands have no order. */
static const function *pure_function(gen *g, const record *result) {
    const function *found = NULL;
    uint32_t seen = 0;
    for (size_t i = 0; i < g->functions.count; i++) {
        const function *f = &g->functions.data[i];
        if (f->result == result && !f->points_to && !f->writes && draw(g, ++seen) == 0)
            found = f;
    }
    return found;
}

static node *whole_choice(gen *g, const record *r) {
    node *condition = value(g), *yes = whole_value(g, r), *no = whole_value(g, r);
    return yes && no ? fuzz_node(g->arena, NULL, "(@ ? @ : @)", condition, yes, no) : NULL;
}

node *whole_value(gen *g, const record *r) {
    pointer p;
    node *n = NULL;
    const function *f = g->depth < MOST_DEPTH && g->level < 2 ? pure_function(g, r) : NULL;
    g->depth++;
    if (f && chance(g, 35))
        n = call(g, f);
    else if (g->depth < MOST_DEPTH && chance(g, 10))
        n = whole_choice(g, r);
    if (!n && chance(g, 60) && find_pointer(g, (wish){.record = r, .least = 1}, &p))
        n = whole_element(g, &p);
    for (size_t i = g->copies.count; i-- > 0 && !n;)
        if (g->copies.data[i].record == r)
            n = fuzz_node(g->arena, NULL, "$", g->copies.data[i].name);
    if (!n && find_pointer(g, (wish){.record = r, .least = 1}, &p))
        n = whole_element(g, &p);
    g->depth--;
    return n;
}

static node *arithmetic(gen *g) {
    static const char *const patterns[] = {"(@ + @)", "(@ - @)", "(@ * @)", "(@ ^ @)",
                                           "(@ & @)", "(@ | @)", "(@ < @)", "(@ == @)"};
    node *left = value(g), *right = value(g);
    return fuzz_node(g->arena, "1u", patterns[draw(g, 8)], left, right);
}

/* Two pointers into one array: equal, before, how far. */
static node *pointer_pair(gen *g) {
    static const char *const patterns[] = {"(uint)($ == $)", "(uint)($ < $)", "(uint)($ != $)",
                                           "(uint)($ - $)", "(uint)($ >= $)"};
    pointer a, b;
    if (!find_pointer(g, (wish){0}, &a) || !a.array ||
        !find_pointer(g, (wish){.array = a.array}, &b))
        return NULL;
    return fuzz_node(g->arena, "1u", patterns[draw(g, 5)], a.name, b.name);
}

static node *choice(gen *g) {
    node *condition = value(g), *yes = value(g), *no = value(g);
    return fuzz_node(g->arena, "1u", "(@ ? @ : @)", condition, yes, no);
}

/* A vector from an array field. */
static node *vector_load(gen *g) {
    pointer p;
    bool is_arrow;
    if (g->cuda || !find_pointer(g, (wish){.least = 1}, &p))
        return NULL;
    const field *f = &p.record->fields[draw(g, p.record->field_count)];
    if (f->is_split || f->sizes[0] < 2 || f->sizes[1] || f->lanes > 1 || f->nested ||
        f->base >= FLOAT)
        return NULL;
    node *whole = element(g, &p, &is_arrow);
    uint32_t lanes = f->sizes[0] > 2 && chance(g, 50) ? f->sizes[0] : 2;
    return fuzz_node(g->arena, "1u",
                     is_arrow ? "(uint)vload#(0, @->$).s#" : "(uint)vload#(0, @.$).s#", lanes,
                     whole, f->name, draw(g, lanes));
}

node *value(gen *g) {
    node *n = NULL;
    uint32_t kind = draw(g, 20);
    if (g->depth >= MOST_DEPTH || g->budget == 0)
        return chance(g, 60) ? variable(g) : literal(g);
    g->budget--;
    g->depth++;
    if (kind < 8)
        n = load(g);
    else if (kind < 12)
        n = arithmetic(g);
    else if (kind == 12)
        n = choice(g);
    else if (kind == 13)
        n = size(g);
    else if (kind == 14)
        n = fuzz_node(g->arena, "1u", "(@ >> #)", value(g), 1 + draw(g, 9));
    else if (kind == 15 && g->level < 2 && pure_function(g, NULL))
        n = call(g, pure_function(g, NULL));
    else if (kind == 17)
        n = vector_load(g);
    else if (kind == 18)
        n = pointer_pair(g);
    else if (kind == 16 && g->in_kernel)
        n = fuzz_node(g->arena, "1u", "list[@]", index_below(g, 64));
    g->depth--;
    return n ? n : variable(g);
}

node *index_below(gen *g, uint32_t length) {
    if (chance(g, 30))
        return fuzz_node(g->arena, NULL, "#", draw(g, length));
    if (chance(g, 30))
        return fuzz_node(g->arena, "0", "WRAP(@, #u)", value(g), length);
    return fuzz_node(g->arena, "0", "@ % #u", value(g), length);
}
