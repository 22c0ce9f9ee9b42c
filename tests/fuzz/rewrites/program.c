/* Helper functions, kernels, and the job that runs them. */
#include "fuzz/rewrites/rewrites.h"

/* A buffer of records. */
typedef struct buffer {
    const char *name;
    record *record;
    uint32_t each; /* elements that belong to each work-item */
} buffer;

typedef struct builder {
    gen g;
    program *program;
    node *body; /* functions and kernels */
    hd_vec(buffer) buffers;
    hd_str launches;
    uint32_t global;
} builder;

static const char prelude[] = "#define WRAP(x, n) ((uint)(x) % (n))\n"
                              "#define TWICE(x) ((x) + (x))\n"
                              "#define SAME(x) (x)\n"
                              "#define PICK(x, y) ((x) > (y) ? (x) : (y))\n"
                              "uint bits(float x) { return as_uint(x); }\n"
                              "uint bits_of_double(double x) { return (uint)as_ulong(x); }\n";

static void forget_scope(gen *g) {
    g->pointers.count = g->copies.count = g->numbers.count = g->locals.count = 0;
    g->depth = g->loops = 0;
    g->budget = 90;
}

static const record *any_record(gen *g) {
    const record *r;
    do
        r = g->records.data[draw(g, (uint32_t)g->records.count)];
    while (!r->laid_out);
    return r;
}

/* ---- helper functions ---------------------------------------------------------------- */

static param any_param(gen *g) {
    uint32_t kind = draw(g, 10);
    if (kind < 6)
        return (param){BY_POINTER, any_record(g), 1 + draw(g, 3), chance(g, 50)};
    return kind < 8 ? (param){BY_VALUE, any_record(g), 0, false} : (param){NUMBER, NULL, 0, false};
}

/* Prints a parameter and puts it into the scope. */
static void add_param(gen *g, node *head, const param *p) {
    const char *name = new_name(g, "a");
    switch (p->kind) {
    case BY_POINTER:
        fuzz_add(g->arena, head, chance(g, 50) ? "__global $$ *$" : "$__global $ *$",
                 p->writable ? "" : "const ", p->record->spelling, name);
        hd_push(g->arena, &g->pointers,
                (pointer){name, p->record, NULL, p->length, p->writable, false});
        return;
    case BY_VALUE:
        fuzz_add(g->arena, head, "$ $", p->record->spelling, name);
        hd_push(g->arena, &g->copies, (copy){name, p->record});
        return;
    case NUMBER:
        fuzz_add(g->arena, head, "uint $", name);
        hd_push(g->arena, &g->numbers, name);
        hd_push(g->arena, &g->locals, name);
    }
}

static node *result_of(gen *g, const function *f) {
    node *result = f->result ? whole_value(g, f->result) : value(g);
    return fuzz_node(g->arena, NULL, "return @;\n", result);
}

static void add_function(builder *b) {
    gen *g = &b->g;
    function f = {.name = awkward_name(g, "h"), .param_count = 1 + draw(g, 4)};
    forget_scope(g);
    for (uint32_t i = 0; i < f.param_count; i++) {
        f.params[i] = any_param(g);
        f.writes |= f.params[i].kind == BY_POINTER && f.params[i].writable;
    }
    for (uint32_t i = 0; i < f.param_count && chance(g, 50) && !f.result; i++)
        f.result = f.params[i].record; /* there is one to be returned */
    node *head = fuzz_node(g->arena, NULL, "$$ $(", chance(g, 50) ? "static " : "",
                           f.result ? f.result->spelling : "uint", f.name);
    for (uint32_t i = 0; i < f.param_count; i++) {
        fuzz_add(g->arena, head, i ? ", " : "");
        add_param(g, head, &f.params[i]);
    }
    if (chance(g, 15)) /* declared first */
        fuzz_add(g->arena, b->body, "@", fuzz_node(g->arena, "", "@);\n", head));
    node *inside = statements(g, 1 + draw(g, 6));
    fuzz_add(g->arena, b->body, "@",
             fuzz_node(g->arena, "", "@) {\n@@}\n\n", head, inside, result_of(g, &f)));
    hd_push(g->arena, &g->functions, f);
}

/* ---- kernels ------------------------------------------------------------------------------- */

typedef struct kernel_parts {
    node *head, *start;
    bool used[8]; /* buffers of which this kernel has a parameter */
    bool written[8];
} kernel_parts;

static void add_record_param(builder *b, kernel_parts *parts, uint32_t number) {
    static const char *const spaces[] = {"__global", "global", "__constant"};
    gen *g = &b->g;
    const buffer *from = &b->buffers.data[number];
    bool writable = chance(g, 60), constant = !writable && chance(g, 25);
    if (parts->used[number] && (parts->written[number] || writable))
        return; /* what one writes nobody else reads */
    const char *name = new_name(g, "p"), *own = NULL;
    if (writable) {
        own = hd_format(g->arena, "own_%s", name);
        fuzz_add(g->arena, parts->start, "const uint $ = i * #u;\n", own, from->each);
        hd_push(g->arena, &g->numbers, own);
    }
    fuzz_add(g->arena, parts->head, "$ $$ *$$, ", constant ? spaces[2] : spaces[draw(g, 2)],
             writable || constant || chance(g, 20) ? "" : "const ", from->record->spelling,
             chance(g, 20) ? "restrict " : "", name);
    for (int i = 0; i < 3; i++)
        hd_push(g->arena, &g->awkward,
                hd_format(g->arena, "%s_%s", name, (const char *[]){"ref", "count", "0"}[i]));
    hd_push(g->arena, &g->pointers,
            (pointer){name, from->record, own, writable ? from->each : b->global * from->each,
                      writable, constant});
    hd_str_printf(&b->launches, "      - {name: %s, buffer: %s}\n", name, from->name);
    parts->used[number] = from->record->in_kernels = true;
    parts->written[number] |= writable;
}

/* What variables hold, and what pointers point to, goes where it is compared. */
static node *last_words(gen *g) {
    node *n = fuzz_node(g->arena, NULL, "");
    for (size_t i = 0; i < g->locals.count; i++)
        fuzz_add(g->arena, n, "@",
                 fuzz_node(g->arena, "", "out[i] = out[i] * 3u + $;\n", g->locals.data[i]));
    for (size_t i = 0; i < g->copies.count; i++) {
        const copy *c = &g->copies.data[i];
        place p = scalar_in(g, c->record, fuzz_node(g->arena, NULL, "$", c->name), false, false);
        fuzz_add(g->arena, n, "@",
                 fuzz_node(g->arena, "", "out[i] = out[i] * 3u + @;\n", read_place(g, &p)));
    }
    for (size_t i = 0; i < g->pointers.count; i++) {
        place p;
        bool is_arrow;
        node *whole = element(g, &g->pointers.data[i], &is_arrow);
        p = scalar_in(g, g->pointers.data[i].record, whole, is_arrow, true);
        fuzz_add(g->arena, n, "@",
                 fuzz_node(g->arena, "", "out[i] = out[i] * 3u + @;\n", read_place(g, &p)));
    }
    return n;
}

static void add_kernel(builder *b, uint32_t number) {
    gen *g = &b->g;
    forget_scope(g);
    g->in_kernel = true;
    g->budget = 250;
    kernel_parts parts = {.head = fuzz_node(g->arena, NULL, "__kernel void k#(", number),
                          .start = fuzz_node(g->arena, NULL, "")};
    hd_str_printf(&b->launches, "  - kernel: k%u\n    global: [%u]\n    repeat: %u\n    args:\n",
                  number, b->global, 1 + draw(g, 2));
    if (chance(g, 30))
        fuzz_add(g->arena, parts.head, "uint unused, "),
            hd_str_add(&b->launches, "      - {name: unused, value: 3}\n");
    for (uint32_t n = 1 + draw(g, 4); n > 0; n--)
        add_record_param(b, &parts, draw(g, (uint32_t)b->buffers.count));
    fuzz_add(g->arena, parts.head, "__global const uint *list, __global uint *out, uint n");
    hd_str_add(&b->launches, "      - {name: list, buffer: list}\n"
                             "      - {name: out, buffer: out}\n      - {name: n, value: 5}\n");
    hd_push(g->arena, &g->numbers, "i");
    hd_push(g->arena, &g->numbers, "n");
    node *inside = statements(g, 5 + draw(g, 12));
    node *last = last_words(g);
    fuzz_add(g->arena, b->body, "@) {\nuint i = get_global_id(0);\n@@@}\n\n", parts.head,
             parts.start, inside, last);
    g->in_kernel = false;
}

/* ---- job and layouts --------------------------------------------------------------------------
 */

static void add_buffers(builder *b) {
    gen *g = &b->g;
    for (size_t r = 0; r < g->records.count; r++)
        for (uint32_t n = g->records.data[r]->laid_out ? 1 + draw(g, 2) : 0; n > 0; n--)
            hd_push(g->arena, &b->buffers,
                    (buffer){new_name(g, "b"), g->records.data[r], 1 + draw(g, 3)});
}

static const char *job_text(const builder *b) {
    hd_str text = {.arena = b->g.arena};
    hd_str_printf(&text, "kernel: kernels.cl\noptions: -cl-std=CL1.2 -w\nrecord: %s\nbuffers:\n",
                  b->buffers.data[0].record->name);
    for (size_t i = 0; i < b->buffers.count; i++) {
        const buffer *each = &b->buffers.data[i];
        hd_str_printf(&text, "  - {name: %s, type: %s, count: %u}\n", each->name,
                      each->record->name, b->global * each->each);
    }
    hd_str_printf(&text,
                  "  - {name: list, type: uint, count: 64}\n"
                  "  - {name: out, type: uint, count: %u}\nlaunches:\n%s",
                  b->global, hd_str_text(&b->launches));
    return hd_str_text(&text);
}

program *make_program(hd_arena *arena, uint64_t seed) {
    program *p = hd_new(arena, program);
    builder b = {.g = {.arena = arena, .random = seed}, .program = p};
    gen *g = &b.g;
    b.launches.arena = arena;
    b.global = 1 + draw(g, 40);
    b.body = fuzz_node(arena, NULL, "");
    node *types = fuzz_node(arena, NULL, "");
    for (uint32_t n = draw(g, 3); n > 0; n--)
        make_record(g, false, types);
    for (uint32_t n = 1 + draw(g, 3); n > 0; n--)
        make_record(g, true, types);
    add_buffers(&b);
    for (uint32_t n = draw(g, 5); n > 0; n--)
        add_function(&b);
    for (uint32_t n = 1 + draw(g, 3), i = 0; i < n; i++)
        add_kernel(&b, i);
    p->header = chance(g, 30) ? types : NULL;
    p->source =
        fuzz_node(arena, NULL, "$$@\n@", prelude, p->header ? "#include \"records.h\"\n" : "",
                  p->header ? fuzz_node(arena, NULL, "") : types, b.body);
    p->job = job_text(&b);
    p->random = hd_next_random(&g->random);
    for (size_t r = 0; r < g->records.count; r++)
        if (g->records.data[r]->in_kernels)
            hd_push(arena, &p->records, g->records.data[r]->name);
    return p;
}
