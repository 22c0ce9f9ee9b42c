/*
 * Random kernels, and the job that runs them.
 *
 *     program scope     structs, tables, helper functions
 *     kernel            variables and statements
 *                       phases with local memory: write, barrier, read
 *                       statements with early returns
 *                       a hash of what the variables hold, stored for each work-item
 */
#include "fuzz.h"

static const char *name_of(gen *g, type t) { return fuzz_type_name(g->arena, t); }

/* What a kernel is put together from. */
typedef struct parts {
    hd_str params, buffers, args; /* of the kernel; of the job */
    uint32_t buffer_count;
    const char *record; /* that a buffer holds */
    node *body;
} parts;

/* ---- program scope ----------------------------------------------------------- */

static type random_type(gen *g) {
    static const uint32_t sizes[] = {1, 1, 1, 1, 1, 2, 3, 4, 4, 8, 16, 2};
    return (type){(base)fuzz_draw(g, 10), sizes[fuzz_draw(g, 12)]};
}

static void make_palette(gen *g) {
    g->palette[0] = (type){INT, 1};
    g->palette[1] = (type){fuzz_chance(g, 80) ? FLOAT : UINT, 1};
    for (int i = 2; i < 6; i++)
        g->palette[i] = random_type(g);
}

static void make_record(gen *g, node *source) {
    static const char letters[] = "abcdef";
    record r = {.name = hd_format(g->arena, "%s_%u", fuzz_name(g, "rec"), g->number),
                .field_count = 2 + fuzz_draw(g, 5)};
    node *n = fuzz_node(g->arena, "", "struct $ {", r.name);
    r.fields = hd_new_array(g->arena, field, r.field_count);
    for (uint32_t i = 0; i < r.field_count; i++) {
        field f = {hd_format(g->arena, "%c", letters[i]), fuzz_any_type(g), 0};
        if (f.type.lanes > 4)
            f.type.lanes = 4;
        if (f.type.lanes == 1 && fuzz_chance(g, 25))
            f.length = 2 + fuzz_draw(g, 3);
        fuzz_add(g->arena, n, " $ $", name_of(g, f.type), f.name);
        if (f.length)
            fuzz_add(g->arena, n, "[#]", f.length);
        fuzz_add(g->arena, n, ";");
        r.fields[i] = f;
    }
    fuzz_add(g->arena, n, " };\n");
    fuzz_add(g->arena, source, "@", n);
    hd_push(g->arena, &g->records, r);
}

static void make_table(gen *g, node *source) {
    type t = fuzz_any_type(g);
    uint32_t length = 2 + fuzz_draw(g, 9);
    const char *name = hd_format(g->arena, "%s_%u", fuzz_name(g, "table"), g->number);
    node *n = fuzz_node(g->arena, "", "__constant $ $[#] = {", name_of(g, t), name, length);
    for (uint32_t i = 0; i < length; i++)
        fuzz_add(g->arena, n, "$@", i ? ", " : "", fuzz_literal(g, t));
    fuzz_add(g->arena, source, "@", fuzz_node(g->arena, "", "@};\n", n));
    fuzz_declare(g, (place){.before = name, .length = length, .type = t, .space = "__constant"});
}

static node *function_head(gen *g, function *f) {
    node *n = fuzz_node(g->arena, NULL, "$ $(", name_of(g, f->result), f->name);
    for (uint32_t i = 0; i < f->param_count; i++) {
        const char *name = fuzz_name(g, "x");
        f->params[i] = fuzz_any_type(g);
        fuzz_add(g->arena, n, "$$ $", i ? ", " : "", name_of(g, f->params[i]), name);
        fuzz_declare(g, (place){.before = name, .type = f->params[i], .writable = true});
    }
    if (f->has_pointer) {
        const char *name = fuzz_name(g, "q");
        fuzz_add(g->arena, n, ", $ *$", name_of(g, f->result), name);
        fuzz_declare(g, (place){.before = hd_format(g->arena, "(*%s)", name),
                                .type = f->result,
                                .writable = true});
    }
    fuzz_add(g->arena, n, ") ");
    return n;
}

static void make_function(gen *g, node *source) {
    function f = {.name = hd_format(g->arena, "%s_%u", fuzz_name(g, "f"), g->number),
                  .result = fuzz_any_type(g),
                  .param_count = 1 + fuzz_draw(g, 3),
                  .has_pointer = fuzz_chance(g, 30)};
    size_t places = g->places.count, wholes = g->wholes.count;
    node *prelude = g->prelude;
    g->prelude = fuzz_node(g->arena, NULL, "");
    node *head = function_head(g, &f);
    g->weight = 1;
    g->cost = 2;
    g->may_return = true;
    g->result = f.result;
    node *body = fuzz_statements(g, 1 + fuzz_draw(g, 4), false);
    node *n =
        fuzz_node(g->arena, "", "@{\n@return @;\n}\n", head, body, fuzz_expression(g, f.result, 3));
    fuzz_add(g->arena, source, "@@", g->prelude, n);
    g->prelude = prelude;
    g->places.count = places;
    g->wholes.count = wholes;
    f.weight = g->cost;
    hd_push(g->arena, &g->functions, f);
}

/* ---- parameters -------------------------------------------------------------- */

static void add_param(gen *g, parts *p, const char *declaration, const char *name,
                      const char *argument) {
    hd_str_printf(&p->params, "%s%s%s", p->params.length ? ", " : "", declaration, name);
    hd_str_printf(&p->args, "      - {name: %s, %s}\n", name, argument);
    (void)g;
}

static const char *add_buffer(gen *g, parts *p, const char *qualifier, const char *type_name,
                              uint32_t count, const char *init) {
    const char *name = hd_format(g->arena, "%s_%u", fuzz_name(g, "b"), g->number);
    const char *spelled = type_name;
    if (!strncmp(type_name, "struct ", 7))
        p->record = spelled = type_name + 7;
    hd_str_printf(&p->buffers, "  - {name: %s, type: %s, count: %u%s}\n", name, spelled, count,
                  init);
    add_param(g, p, hd_format(g->arena, "%s %s *", qualifier, type_name), name,
              hd_format(g->arena, "buffer: %s", name));
    p->buffer_count++;
    return name;
}

static const char *random_init(gen *g, type t) {
    int64_t low = 0, high = 60;
    if (is_real(t) || (is_signed(t) && fuzz_chance(g, 50)))
        low = -8, high = 8;
    else if (t.base < LONG && fuzz_chance(g, 40))
        high = ((int64_t)1 << (base_bits(t.base) - is_signed(t))) - 1;
    return hd_format(g->arena, ", init: [{generator: uniform, low: %ld, high: %ld, seed: %u}]",
                     (long)low, (long)high, fuzz_draw(g, 1000000));
}

static void add_inputs(gen *g, parts *p) {
    for (uint32_t n = 1 + fuzz_draw(g, 3); n > 0; n--) {
        type t = element_of(fuzz_any_type(g));
        uint32_t length = 16 + fuzz_draw(g, 20);
        bool constant = fuzz_chance(g, 25);
        const char *name = add_buffer(g, p, constant ? "__constant" : "__global const",
                                      name_of(g, t), length, random_init(g, t));
        fuzz_declare(g, (place){.before = name,
                                .length = length,
                                .type = t,
                                .space = constant ? "__constant" : "__global const"});
    }
}

static const char *record_init(gen *g) {
    return hd_format(g->arena, ", init: [{generator: uniform, low: 0, high: 100, seed: %u}]",
                     fuzz_draw(g, 1000000));
}

/* Bytes of a record, or some more. */
static uint32_t most_bytes(const record *r) {
    uint32_t bytes = 32;
    for (uint32_t i = 0; i < r->field_count; i++) {
        const field *f = &r->fields[i];
        uint32_t lanes = f->type.lanes == 3 ? 4 : f->type.lanes;
        uint32_t each = base_bits(f->type.base) / 8 * lanes;
        bytes = (uint32_t)hd_align_up(bytes, each) + each * (f->length ? f->length : 1);
    }
    return bytes;
}

static void add_records(gen *g, parts *p) {
    for (size_t i = 0; i < g->records.count; i++) {
        const record *r = &g->records.data[i];
        const char *type_name = hd_format(g->arena, "struct %s", r->name);
        if (fuzz_chance(g, 60)) {
            uint32_t length = 5 + fuzz_draw(g, 12);
            const char *name =
                add_buffer(g, p, "__global const", type_name, length, record_init(g));
            fuzz_declare_fields(g, r, name, length, false, "__global const");
        }
        if (fuzz_chance(g, 60)) {
            const char *name =
                add_buffer(g, p, "__global", type_name, g->lanes * g->groups, record_init(g));
            fuzz_declare_fields(g, r, hd_format(g->arena, "%s[gi]", name), 0, true, "__global");
        }
        if (fuzz_chance(g, 30) && most_bytes(r) <= sizeof(((hd_arg *)0)->value)) {
            const char *name = fuzz_name(g, "s");
            add_param(g, p, hd_format(g->arena, "%s ", type_name), name, "value: 3");
            /* Only read: PoCL 3.1 has one for all work-items of a group. */
            fuzz_declare_fields(g, r, name, 0, false, NULL);
        }
    }
}

/* Each work-item's own run of elements, read and written. */
static void add_own(gen *g, parts *p) {
    type t = element_of(fuzz_any_type(g));
    uint32_t length = 2 + fuzz_draw(g, 7);
    const char *name = add_buffer(g, p, "__global", name_of(g, t), g->lanes * g->groups * length,
                                  random_init(g, t));
    fuzz_declare(g, (place){.before = hd_format(g->arena, "(%s + gi * %uu)", name, length),
                            .length = length,
                            .type = t,
                            .writable = true,
                            .space = "__global"});
}

/* Every operation has its own part of the array, for they do not go together. */
static void add_counters(gen *g, parts *p) {
    static const char *const functions[] = {"add", "sub", "min", "max", "and", "or", "xor"};
    static const base bases[] = {INT, UINT, INT, UINT, LONG, ULONG};
    type t = {bases[fuzz_draw(g, 6)], 1};
    const char *name =
        add_buffer(g, p, "volatile __global", name_of(g, t), 7 * 8, random_init(g, t));
    for (uint32_t i = 0; i < 7; i++) {
        counter c = {hd_format(g->arena, "%s + %u", name, i * 8), 8,
                     hd_format(g->arena, "%s_%s", t.base >= LONG ? "atom" : "atomic", functions[i]),
                     t};
        hd_push(g->arena, &g->counters, c);
    }
}

static void add_scalars(gen *g, parts *p) {
    for (uint32_t n = fuzz_draw(g, 3); n > 0; n--) {
        type t = fuzz_any_type(g);
        const char *name = fuzz_name(g, "n");
        add_param(g, p, hd_format(g->arena, "%s ", name_of(g, t)), name,
                  hd_format(g->arena, "value: %u", fuzz_draw(g, 100)));
        fuzz_declare(g, (place){.before = name, .type = t, .writable = true});
    }
}

/* ---- local memory ------------------------------------------------------------ */

#define BARRIER "barrier(CLK_LOCAL_MEM_FENCE);\n"

/* A local array, declared in the kernel or given to it. */
static const char *local_array(gen *g, parts *p, type t, uint32_t length, node *n) {
    const char *name = fuzz_name(g, "loc");
    if (fuzz_chance(g, 25))
        add_param(g, p, hd_format(g->arena, "__local %s *", name_of(g, t)), name,
                  hd_format(g->arena, "local: %u",
                            length * base_bits(t.base) / 8 * (t.lanes == 3 ? 4 : t.lanes)));
    else
        fuzz_add(g->arena, n, "__local $ $[#];\n", name_of(g, t), name, length);
    return name;
}

static void declare_local(gen *g, const char *name, type t, uint32_t length) {
    fuzz_declare(g, (place){.before = name, .length = length, .type = t, .space = "__local"});
}

/* Everyone writes one, then reads any. */
static void exchange(gen *g, parts *p, node *n) {
    type t = fuzz_any_type(g);
    const char *name = local_array(g, p, t, g->lanes, n);
    fuzz_add(g->arena, n, "$[li] = @;\n" BARRIER, name, fuzz_expression(g, t, 3));
    declare_local(g, name, t, g->lanes);
    fuzz_add(g->arena, n, "@", fuzz_statements(g, 1 + fuzz_draw(g, 3), false));
}

/* The same, in a loop that all run as often. */
static void repeated_exchange(gen *g, parts *p, node *n) {
    /* At least once: PoCL 3.1 loses values when a group skips a barrier. */
    static const char *const limits[] = {"3", "(int)(get_group_id(0) % 3u) + 1",
                                         "(int)(get_num_groups(0) % 4u) + 1"};
    type t = fuzz_any_type(g);
    size_t places = g->places.count;
    const char *name = local_array(g, p, t, g->lanes, n), *i = fuzz_name(g, "u");
    fuzz_declare(g, (place){.before = i, .type = {INT, 1}});
    g->weight *= 4;
    fuzz_add(g->arena, n, "for (int $ = 0; $ < $; $++) {\n$[li] = @;\n" BARRIER, i, i,
             limits[fuzz_draw(g, 3)], i, name, fuzz_expression(g, t, 3));
    declare_local(g, name, t, g->lanes);
    fuzz_add(g->arena, n, "@" BARRIER "}\n", fuzz_statements(g, 1 + fuzz_draw(g, 3), true));
    g->weight /= 4;
    g->places.count = places;
}

/* Atomics on local memory, whose outcome all see. */
static void counting(gen *g, parts *p, node *n) {
    static const char *const functions[] = {"add", "sub", "min", "max", "and", "or", "xor"};
    type t = {fuzz_chance(g, 50) ? INT : UINT, 1};
    const char *name = local_array(g, p, t, 8, n);
    counter c = {name, 8, hd_format(g->arena, "atomic_%s", functions[fuzz_draw(g, 7)]), t};
    fuzz_add(g->arena, n, "for (uint i = li; i < 8; i += #u) $[i] = ($)(i * 77u);\n" BARRIER,
             g->lanes, name, name_of(g, t));
    size_t counters = g->counters.count;
    hd_push(g->arena, &g->counters, c);
    for (uint32_t k = 1 + fuzz_draw(g, 3); k > 0; k--)
        fuzz_add(g->arena, n, "@",
                 fuzz_node(g->arena, "", "$($ + (@), @);\n", c.function, name, fuzz_index(g, 8, 2),
                           fuzz_expression(g, t, 3)));
    fuzz_add(g->arena, n, "@" BARRIER, fuzz_statements(g, 1 + fuzz_draw(g, 3), true));
    g->counters.count = counters;
    declare_local(g, name, t, 8);
}

/* Sums an array as a tree. */
static void reduction(gen *g, parts *p, node *n) {
    type t = {fuzz_chance(g, 50) ? UINT : ULONG, fuzz_chance(g, 70) ? 1 : 4};
    const char *name = local_array(g, p, t, g->lanes, n), *s = fuzz_name(g, "s");
    uint32_t half = 1;
    while (half * 2 < g->lanes)
        half *= 2;
    fuzz_add(g->arena, n,
             "$[li] = @;\n" BARRIER "for (uint $ = #; $ > 0; $ >>= 1) {\n"
             "if (li < $ && li + $ < #u) $[li] $ $[li + $];\n" BARRIER "}\n",
             name, fuzz_expression(g, t, 3), s, half, s, s, s, s, g->lanes, name,
             fuzz_chance(g, 50) ? "+=" : "^=", name, s);
    declare_local(g, name, t, g->lanes);
}

/* Through global memory, of which every group has its part. */
static void global_exchange(gen *g, parts *p, node *n) {
    type t = element_of(fuzz_any_type(g));
    const char *name = add_buffer(g, p, "__global", name_of(g, t), g->lanes * g->groups, "");
    const char *part = hd_format(g->arena, "(%s + gr * %uu)", name, g->lanes);
    fuzz_add(g->arena, n, "$[li] = @;\nbarrier(CLK_GLOBAL_MEM_FENCE);\n", part,
             fuzz_expression(g, t, 3));
    fuzz_declare(g, (place){.before = part, .length = g->lanes, .type = t, .space = "__global"});
    fuzz_add(g->arena, n, "@", fuzz_statements(g, 1 + fuzz_draw(g, 2), false));
}

/* A group brings a part of a buffer to local memory. */
static void group_copy(gen *g, parts *p, node *n) {
    place from;
    for (int tries = 0; tries < 10; tries++) {
        if (!fuzz_find(g, (type){0}, false, &from) || *from.after || from.length < 4 ||
            strcmp(from.space, "__global const") || *from.before != 'b')
            continue; /* it must be a buffer: pointers differ between work-items */
        uint32_t length = from.length / 2;
        const char *name = local_array(g, p, from.type, length, n), *e = fuzz_name(g, "e");
        fuzz_add(g->arena, n,
                 "event_t $ = async_work_group_copy($, $ + (#), #, 0);\n"
                 "wait_group_events(1, &$);\n",
                 e, name, from.before, fuzz_draw(g, length), length, e);
        declare_local(g, name, from.type, length);
        return;
    }
    exchange(g, p, n);
}

static void phase(gen *g, parts *p) {
    typedef void make_phase(gen *, parts *, node *);
    static make_phase *const all[] = {exchange,  exchange,        repeated_exchange, counting,
                                      reduction, global_exchange, group_copy};
    node *n = fuzz_node(g->arena, "", "");
    all[fuzz_draw(g, 7)](g, p, n);
    fuzz_add(g->arena, p->body, "@", n);
}

/* ---- what is stored at the end ----------------------------------------------- */

/* ulong hash_T(ulong h, T v) */
static const char *hash_function(gen *g, type t) {
    const char *type_name = name_of(g, t);
    const char *name = hd_format(g->arena, "hash_%s_%u", type_name, g->number);
    hd_str text = {.arena = g->arena};
    hd_str_printf(&text, "ulong %s(ulong h, %s v) {\n", name, type_name);
    for (uint32_t i = 0; i < t.lanes; i++) {
        const char *lane = t.lanes == 1 ? "v" : hd_format(g->arena, "v.s%x", i);
        if (is_real(t))
            lane = hd_format(g->arena, "as_%s(isnan(%s) ? (%s)7 : %s)",
                             t.base == FLOAT ? "uint" : "ulong", lane, name_of(g, element_of(t)),
                             lane);
        hd_str_printf(&text, "h = (h ^ (ulong)%s) * 0x100000001b3ul;\n", lane);
    }
    hd_str_add(&text, "return h ^ h >> 29;\n}");
    fuzz_helper(g, name, hd_str_text(&text));
    return name;
}

static void add_hash(gen *g, parts *p, const char *out) {
    uint32_t count = (uint32_t)g->places.count, first = fuzz_draw(g, count);
    for (uint32_t i = 0; i < count && i < 20; i++) {
        place of = g->places.data[(first + i) % count];
        fuzz_add(g->arena, p->body, "@",
                 fuzz_node(g->arena, "", "h = $(h, @);\n", hash_function(g, of.type),
                           fuzz_place(g, of)));
    }
    fuzz_add(g->arena, p->body, "@", fuzz_node(g->arena, "", "$[gi] = h;\n", out));
}

/* ---- kernels ----------------------------------------------------------------- */

static void choose_range(gen *g) {
    static const uint32_t sizes[3][10] = {{1, 3, 4, 5, 8, 13, 16, 31, 33, 64},
                                          {1, 2, 3, 3, 4, 5, 6, 7, 8, 8},
                                          {1, 1, 2, 2, 2, 3, 3, 3, 4, 4}};
    g->dims = 1 + fuzz_draw(g, 3);
    g->lanes = g->groups = 1;
    for (uint32_t d = 0; d < 3; d++) {
        bool used = d < g->dims;
        uint32_t groups = used ? 1 + fuzz_draw(g, g->dims == 1 ? 4 : 2) : 1;
        g->local[d] = used ? sizes[g->dims - 1][fuzz_draw(g, 10)] : 1;
        g->global[d] = g->local[d] * groups;
        g->offset[d] = used && fuzz_chance(g, 20) ? fuzz_draw(g, 10) : 0;
        g->lanes *= g->local[d];
        g->groups *= groups;
    }
}

#define LOCAL_PLACE                                                                     \
    "const uint li = (uint)((get_local_id(2) * get_local_size(1) + get_local_id(1)) * " \
    "get_local_size(0) + get_local_id(0));\n"
#define GROUP_PLACE                                                                     \
    "const uint gr = (uint)((get_group_id(2) * get_num_groups(1) + get_group_id(1)) * " \
    "get_num_groups(0) + get_group_id(0));\n"
#define GLOBAL_PLACE                                                                            \
    "const uint gi = (uint)(((get_global_id(2) - get_global_offset(2)) * get_global_size(1) + " \
    "get_global_id(1) - get_global_offset(1)) * get_global_size(0) + get_global_id(0) - "       \
    "get_global_offset(0));\n"

static void fill_body(gen *g, parts *p, const char *out) {
    g->weight = 1;
    g->result = (type){0};
    g->may_return = false;
    fuzz_declare(g, (place){.before = "gi", .type = {UINT, 1}});
    fuzz_declare(g, (place){.before = "li", .type = {UINT, 1}});
    fuzz_add(g->arena, p->body, "{\n" GLOBAL_PLACE LOCAL_PLACE GROUP_PLACE "ulong h = 1;\n");
    for (uint32_t n = 2 + fuzz_draw(g, 4); n > 0; n--)
        fuzz_add(g->arena, p->body, "@", fuzz_declaration(g));
    fuzz_add(g->arena, p->body, "@", fuzz_statements(g, fuzz_draw(g, 4), false));
    for (uint32_t n = fuzz_draw(g, 4); n > 0 && !g->goto_loops; n--)
        phase(g, p);
    g->may_return = true;
    g->budget += 30;
    fuzz_add(g->arena, p->body, "@", fuzz_statements(g, 2 + fuzz_draw(g, 5), false));
    add_hash(g, p, out);
    fuzz_add(g->arena, p->body, "}\n");
}

static const char *three(gen *g, const uint32_t *sizes) {
    hd_str text = {.arena = g->arena};
    for (uint32_t d = 0; d < g->dims; d++)
        hd_str_printf(&text, "%s%u", d ? ", " : "", sizes[d]);
    return hd_str_text(&text);
}

kernel *fuzz_kernel(hd_arena *arena, uint64_t seed, uint32_t number) {
    gen *g = hd_new(arena, gen);
    kernel *k = hd_new(arena, kernel);
    parts p = {.params = {.arena = arena}, .buffers = {.arena = arena}, .args = {.arena = arena}};
    *g = (gen){.arena = arena, .random = seed, .number = number, .weight = 1};
    g->prelude = fuzz_node(arena, NULL, "");
    p.body = fuzz_node(arena, NULL, "");
    node *scope = fuzz_node(arena, NULL, "");
    make_palette(g);
    choose_range(g);
    /* PoCL 3.1 gets barriers wrong in a kernel that has a loop of gotos: it cannot compile those
     * with two entries, and of others all lanes run as often as the first one. */
    g->goto_loops = fuzz_chance(g, 30);
    int32_t budget = 20 + (int32_t)fuzz_draw(g, 90);
    for (uint32_t n = fuzz_draw(g, 3); n > 0; n--)
        make_record(g, scope);
    for (uint32_t n = fuzz_draw(g, 2); n > 0; n--)
        make_table(g, scope);
    for (uint32_t n = fuzz_draw(g, 4); n > 0; n--) {
        g->budget = budget / 5;
        make_function(g, scope);
    }
    const char *out = add_buffer(g, &p, "__global", "ulong", g->lanes * g->groups, "");
    add_inputs(g, &p);
    add_records(g, &p);
    add_own(g, &p);
    if (fuzz_chance(g, 60))
        add_counters(g, &p);
    add_scalars(g, &p);
    g->budget = budget;
    fill_body(g, &p, out);
    *k = (kernel){.seed = seed,
                  .buffers = hd_str_text(&p.buffers),
                  .buffer_count = p.buffer_count,
                  .record = p.record};
    k->source = fuzz_node(arena, NULL, "@@__kernel void k_#($) @", scope, g->prelude, number,
                          hd_str_text(&p.params), p.body);
    k->launch = hd_format(arena,
                          "  - kernel: k_%u\n    global: [%s]\n    local: [%s]\n"
                          "    offset: [%s]\n    args:\n%s",
                          number, three(g, g->global), three(g, g->local), three(g, g->offset),
                          hd_str_text(&p.args));
    return k;
}

hd_status fuzz_write(hd_arena *arena, const hd_diag *diag, const char *folder,
                     kernel *const *kernels, uint32_t count) {
    hd_str source = {.arena = arena}, job = {.arena = arena};
    hd_str_add(&source, "#pragma OPENCL FP_CONTRACT OFF\n"
                        "#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n"
                        "#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable\n");
    const char *laid_out = NULL;
    for (uint32_t k = 0; k < count && !laid_out; k++)
        laid_out = kernels[k]->record;
    hd_str_add(&job, "kernel: kernels.cl\noptions: -cl-std=CL1.2 -w\n");
    if (laid_out) /* jobs with several records name one */
        hd_str_printf(&job, "record: %s\n", laid_out);
    hd_str_add(&job, "buffers:\n");
    for (uint32_t k = 0; k < count; k++) {
        hd_str_printf(&source, "\n/* seed %lu */\n", (unsigned long)kernels[k]->seed);
        fuzz_print(&source, kernels[k]->source);
        hd_str_add(&job, kernels[k]->buffers);
    }
    hd_str_add(&job, "launches:\n");
    for (uint32_t k = 0; k < count; k++)
        hd_str_add(&job, kernels[k]->launch);
    const hd_output files[] = {
        {hd_format(arena, "%s/kernels.cl", folder), source.data, source.length},
        {hd_format(arena, "%s/job.yaml", folder), job.data, job.length}};
    return hd_write_files(diag, files, 2);
}
