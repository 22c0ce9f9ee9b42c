/* Kernels, and the job that runs them. */
#include "fuzz/rewrites/rewrites.h"

/* A buffer of records. */
typedef struct buffer {
    const char *name;
    record *record;
    uint32_t each; /* elements that belong to each work-item */
    bool is_used;  /* by some kernel */
} buffer;

typedef struct builder {
    gen g;
    program *program;
    node *body; /* functions and kernels */
    hd_vec(buffer) buffers;
    hd_str launches;
    uint32_t global, local;
} builder;

static const char macros[] = "#define WRAP(x, n) ((uint)(x) % (n))\n"
                             "#define TWICE(x) ((x) + (x))\n"
                             "#define SAME(x) (x)\n"
                             "#define PICK(x, y) ((x) > (y) ? (x) : (y))\n";

static const char opencl_prelude[] = "#define ITEM(d) get_global_id(d)\n"
                                     "uint item(void) { return get_global_id(0); }\n"
                                     "uint item_again(uint d) { return item() + d; }\n"
                                     "uint bits(float x) { return as_uint(x); }\n"
                                     "uint bits_of_double(double x) { return (uint)as_ulong(x); }\n"
                                     "uint bump(__global uint *x, uint by) { return *x += by; }\n"
                                     "uint bump_again(__global uint *x, uint by) "
                                     "{ (&*x)[0] += by; return bump(&x[0], *&*x & 1u); }\n";

static const char cuda_prelude[] =
    "typedef unsigned char uchar;\ntypedef unsigned short ushort;\ntypedef unsigned int uint;\n"
    "typedef unsigned long ulong;\n"
    "#define ITEM(d) (blockDim.d * blockIdx.d + threadIdx.d)\n"
    "__device__ uint item() { return threadIdx.x + blockIdx.x * blockDim.x; }\n"
    "__device__ uint item_again(uint d) { return item() + d; }\n"
    "__device__ uint bits(float x) { return __float_as_uint(x); }\n"
    "__device__ uint bits_of_double(double x) { return (uint)__double_as_longlong(x); }\n"
    "__device__ uint bump(uint *x, uint by) { return *x += by; }\n"
    "__device__ uint bump_there(uint &x, uint by) { uint &y = x; return bump(&y, by); }\n"
    "__device__ uint bump_again(uint *x, uint by) { return bump_there(*&x[0], by) + (&*x)[0]; }\n";

/* ---- kernels ------------------------------------------------------------------------------- */

typedef struct kernel_parts {
    node *head, *start;
    bool used[8]; /* buffers of which this kernel has a parameter */
    bool written[8];
} kernel_parts;

static void add_record_param(builder *b, kernel_parts *parts, uint32_t number) {
    gen *g = &b->g;
    buffer *from = &b->buffers.data[number];
    bool writable = chance(g, 60), constant = !writable && !g->cuda && chance(g, 25);
    if (parts->used[number] && (parts->written[number] || writable))
        return; /* what one writes nobody else reads */
    const char *name = new_name(g, "p"), *own = NULL;
    if (writable) {
        own = hd_format(g->arena, "own_%s", name);
        fuzz_add(g->arena, parts->start, "const uint $ = i * #u;\n", own, from->each);
        hd_push(g->arena, &g->numbers, own);
    }
    fuzz_add(g->arena, parts->head, "$$ *$$, ", qualifiers(g, writable || chance(g, 20), constant),
             from->record->spelling,
             chance(g, 80) ? ""
             : g->cuda     ? "__restrict__ "
                           : "restrict ",
             name);
    for (int i = 0; i < 3; i++)
        hd_push(g->arena, &g->awkward,
                hd_format(g->arena, "%s_%s", name, (const char *[]){"ref", "count", "0"}[i]));
    hd_push(g->arena, &g->pointers,
            (pointer){name, from->record, own, writable ? from->each : b->global * from->each,
                      writable, constant, ++g->next_array, false, 0, 0});
    hd_str_printf(&b->launches, "      - {name: %s, buffer: %s}\n", name, from->name);
    parts->used[number] = from->is_used = from->record->in_kernels = true;
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

/* Macros that reach a field of a parameter. */
static void add_accessors(builder *b) {
    gen *g = &b->g;
    for (size_t i = 0; i < g->pointers.count; i++) {
        const pointer *p = &g->pointers.data[i];
        const field *f = &p->record->fields[draw(g, p->record->field_count)];
        if (f->lanes > 1 || f->nested || f->sizes[0] || chance(g, 75))
            continue;
        const char *name = new_name(g, "GET");
        fuzz_add(g->arena, b->body, "@",
                 fuzz_node(g->arena, "", "$ $(n) $[n].$\n", "#define", name, p->name, f->name));
        hd_push(g->arena, &g->accessors, (accessor){name, *p, f});
    }
}

/* The number of the work-item. */
static const char *item_text(gen *g) {
    static const char *const opencl[] = {"get_global_id(0)", "ITEM(0)", "item()", "item_again(0)",
                                         "get_group_id(0) * get_local_size(0) + get_local_id(0)"};
    static const char *const cuda[] = {"blockIdx.x * blockDim.x + threadIdx.x", "ITEM(x)", "item()",
                                       "item_again(0)",
                                       "dim3(blockIdx).x * blockDim.x + "
                                       "uint3(threadIdx).x"};
    return (g->cuda ? cuda : opencl)[draw(g, 5)];
}

/* What the items of a group have, they give to each other. */
static void add_sharing(builder *b, node *start, node *last) {
    gen *g = &b->g;
    fuzz_add(g->arena, start,
             g->cuda ? "__shared__ uint shared[#];\n" : "__local uint shared[#];\n", b->local);
    fuzz_add(g->arena, last, "@",
             fuzz_node(g->arena, "", "shared[$] = out[i];\n$;\nout[i] += shared[($ + 1) % #];\n",
                       g->cuda ? "threadIdx.x" : "get_local_id(0)",
                       g->cuda ? "__syncthreads()" : "barrier(CLK_LOCAL_MEM_FENCE)",
                       g->cuda ? "threadIdx.x" : "get_local_id(0)", b->local));
}

static void add_kernel(builder *b, uint32_t number) {
    gen *g = &b->g;
    forget_scope(g, 250);
    g->in_kernel = true;
    const char *kind = g->cuda ? "extern \"C\" __global__" : "__kernel";
    kernel_parts parts = {.head = fuzz_node(g->arena, NULL, "$ void k#(", kind, number),
                          .start = fuzz_node(g->arena, NULL, "")};
    hd_str_printf(&b->launches,
                  "  - kernel: k%u\n    %s: [%u]\n    %s: [%u]\n    repeat: %u\n    args:\n",
                  number, g->cuda ? "blocks" : "global", g->cuda ? b->global / b->local : b->global,
                  g->cuda ? "threads" : "local", b->local, 1 + draw(g, 2));
    if (chance(g, 30))
        fuzz_add(g->arena, parts.head, "uint unused, "),
            hd_str_add(&b->launches, "      - {name: unused, value: 3}\n");
    for (uint32_t n = 1 + draw(g, 4); n > 0; n--)
        add_record_param(b, &parts, draw(g, (uint32_t)b->buffers.count));
    fuzz_add(g->arena, parts.head,
             g->cuda ? "const uint *list, uint *out, uint n"
                     : "__global const uint *list, __global uint *out, uint n");
    hd_str_add(&b->launches, "      - {name: list, buffer: list}\n"
                             "      - {name: out, buffer: out}\n      - {name: n, value: 5}\n");
    hd_push(g->arena, &g->numbers, "i");
    hd_push(g->arena, &g->numbers, "n");
    add_accessors(b);
    node *inside = statements(g, 5 + draw(g, 12));
    node *last = last_words(g);
    if (chance(g, 20))
        add_sharing(b, parts.start, last);
    fuzz_add(g->arena, b->body, "@) {\nuint i = $;\n@@@}\n\n", parts.head, item_text(g),
             parts.start, inside, last);
    g->in_kernel = false;
}

/* ---- job and layouts ------------------------------------------------------------------------ */

static void add_buffers(builder *b) {
    gen *g = &b->g;
    for (size_t r = 0; r < g->records.count; r++)
        for (uint32_t n = g->records.data[r]->laid_out ? 1 + draw(g, 2) : 0; n > 0; n--)
            hd_push(g->arena, &b->buffers,
                    (buffer){new_name(g, "b"), g->records.data[r], 1 + draw(g, 3)});
}

/* Fields that the job takes apart. */
static const char *split_text(gen *g, const record *r) {
    hd_str text = {.arena = g->arena};
    for (uint32_t i = 0; i < r->field_count; i++)
        if (r->fields[i].is_split)
            hd_str_printf(&text, "%s%s", text.length ? ", " : "split: [", r->fields[i].name);
    hd_str_add(&text, text.length ? "]\n" : "");
    return hd_str_text(&text);
}

static const record *first_record(const builder *b) {
    const buffer *each = b->buffers.data;
    while (!each->is_used)
        each++;
    return each->record;
}

static const char *job_text(builder *b) {
    hd_str text = {.arena = b->g.arena};
    const record *first = first_record(b);
    hd_str_printf(&text, "kernel: %s\noptions: %s\nrecord: %s\n%sbuffers:\n",
                  b->g.cuda ? "kernels.cu" : "kernels.cl",
                  b->g.cuda ? "-w --cuda-path=" : "-cl-std=CL1.2 -w", first->name,
                  split_text(&b->g, first));
    for (size_t i = 0; i < b->buffers.count; i++) {
        const buffer *each = &b->buffers.data[i];
        if (each->is_used)
            hd_str_printf(&text, "  - {name: %s, type: %s, count: %u}\n", each->name,
                          each->record->name, b->global * each->each);
    }
    hd_str_printf(&text,
                  "  - {name: list, type: uint, count: 64}\n"
                  "  - {name: out, type: uint, count: %u}\nlaunches:\n%s",
                  b->global, hd_str_text(&b->launches));
    return hd_str_text(&text);
}

/* A header has the records, and perhaps the functions. */
static void put_together(builder *b, node *types, node *functions) {
    gen *g = &b->g;
    node *none = fuzz_node(g->arena, NULL, "");
    program *p = b->program;
    uint32_t kind = draw(g, 10);
    if (kind < 3)
        p->header = kind == 0 ? fuzz_node(g->arena, NULL, "@\n@", types, functions) : types;
    p->source =
        fuzz_node(g->arena, NULL, "$$$@\n@@", macros, g->cuda ? cuda_prelude : opencl_prelude,
                  p->header ? "#include \"records.h\"\n" : "", p->header ? none : types,
                  kind == 0 ? none : functions, b->body);
}

program *make_program(hd_arena *arena, uint64_t seed) {
    program *p = hd_new(arena, program);
    builder b = {.g = {.arena = arena, .random = seed}, .program = p};
    gen *g = &b.g;
    b.launches.arena = arena;
    p->cuda = g->cuda = chance(g, 20);
    b.local = 1 + draw(g, 8);
    b.global = b.local * (1 + draw(g, 6));
    b.body = fuzz_node(arena, NULL, "");
    node *types = fuzz_node(arena, NULL, ""), *functions = fuzz_node(arena, NULL, "");
    for (uint32_t n = draw(g, 3); n > 0; n--)
        make_record(g, false, types);
    for (uint32_t n = 1 + draw(g, 3); n > 0; n--)
        make_record(g, true, types);
    add_buffers(&b);
    for (uint32_t n = draw(g, 5); n > 0; n--)
        add_function(g, functions);
    for (uint32_t n = 1 + draw(g, 3), i = 0; i < n; i++)
        add_kernel(&b, i);
    put_together(&b, types, functions);
    p->job = job_text(&b);
    p->random = hd_next_random(&g->random);
    for (size_t r = 0; r < g->records.count; r++)
        if (g->records.data[r]->in_kernels)
            hd_push(arena, &p->records, g->records.data[r]->name);
    return p;
}
