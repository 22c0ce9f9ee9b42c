/* Random kernels of CUDA C. */
#include "fuzz/ptx/ptx.h"

/* What all kernels of a file may use. */
const char *name_of(gen *g, const char *stem) {
    return hd_format(g->arena, "%s%u_%u", stem, g->number, g->names++);
}

static node *statements(gen *g, uint32_t count);

void declare(gen *g, const char *name, type t, uint32_t length, bool writable) {
    hd_push(g->arena, &g->places,
            (place){.name = name, .suffix = "", .type = t, .length = length, .writable = writable});
}

/* ---- statements ----------------------------------------------------------------------------- */

static node *declaration(gen *g) {
    type t = (type)draw(g, TYPES);
    const char *name = name_of(g, "v");
    node *n;
    if (chance(g, 15)) { /* a private array */
        uint32_t length = 2 + draw(g, 7);
        const char *i = name_of(g, "i");
        n = fuzz_node(g->arena, NULL, "$ $[#];\nfor (int $ = 0; $ < #; $++) $[$] = ($)(@);\n",
                      type_name(t), name, length, i, i, length, i, name, i, type_name(t),
                      expression(g, t, 2));
        declare(g, name, t, length, true);
        return n;
    }
    n = fuzz_node(g->arena, NULL, "$ $ = ($)(@);\n", type_name(t), name, type_name(t),
                  expression(g, t, 3));
    declare(g, name, t, 0, true);
    return n;
}

static node *assignment(gen *g) {
    place p = {0};
    if (!find_place(g, TYPES, true, &p))
        return declaration(g);
    return fuzz_node(g->arena, "", "@ = ($)(@);\n", place_node(g, &p), type_name(p.type),
                     expression(g, p.type, 4));
}

/* `count` statements whose declarations end with them. */
static node *block(gen *g, uint32_t count) {
    size_t places = g->places.count;
    node *n = fuzz_node(g->arena, "{}", "{\n@}", statements(g, count));
    g->places.count = places;
    return n;
}

static node *branch(gen *g) {
    node *n = fuzz_node(g->arena, "", "if (@) @", condition(g, 3), block(g, 1 + draw(g, 3)));
    if (chance(g, 50))
        fuzz_add(g->arena, n, " else @", block(g, 1 + draw(g, 3)));
    fuzz_add(g->arena, n, "\n");
    return n;
}

static node *loop(gen *g) {
    const char *i = name_of(g, "i");
    size_t places = g->places.count;
    bool is_known = chance(g, 50);
    node *limit = is_known ? fuzz_node(g->arena, NULL, "#", 1 + draw(g, 16))
                           : fuzz_node(g->arena, "2", "(int)((unsigned)(@) % #u)",
                                       expression(g, U32, 2), 1 + draw(g, 8));
    g->loops++;
    declare(g, i, S32, 0, false);
    node *n = fuzz_node(g->arena, "", "$for (int $ = 0, to_$ = @; $ < to_$; $++) {\n",
                        is_known && chance(g, 70) ? "#pragma unroll\n" : "", i, i, limit, i, i, i);
    if (chance(g, 30))
        fuzz_add(g->arena, n, "@",
                 fuzz_node(g->arena, "", "if (@) $;\n", condition(g, 2),
                           chance(g, 50) ? "break" : "continue"));
    fuzz_add(g->arena, n, "@}\n", statements(g, 1 + draw(g, 3)));
    g->places.count = places;
    g->loops--;
    return n;
}

static node *choice(gen *g) {
    node *n = fuzz_node(g->arena, "", "switch ((unsigned)(@) % 6u) {\n", expression(g, U32, 3));
    for (uint32_t c = 0; c < 6; c++)
        if (chance(g, 70))
            fuzz_add(g->arena, n, "case #: @$\n", c, block(g, 1 + draw(g, 2)),
                     chance(g, 60) ? " break;" : "");
    fuzz_add(g->arena, n, "default: @\n}\n", block(g, 1));
    return n;
}

/* An atomic whose result nobody looks at; each word of `acc` has one operation. */
static node *counting(gen *g) {
    static const char *const functions[] = {"Add", "Min", "Max", "And", "Or", "Xor"};
    uint32_t f = draw(g, 6);
    return fuzz_node(g->arena, "", "atomic$(&acc[#], @);\n", functions[f], g->number * 8 + f,
                     expression(g, U32, 3));
}

/* A sum that all threads add to under one lock, in a loop: the order does not matter. Some ask in a loop
 * of their own, some do it all in the loop that asks, and some sleep. */
static node *locked(gen *g) {
    static const char lock[] = "atomicCAS(&acc[#], 7u, 8u) $ 7u";
    const uint32_t at = g->number * 8 + 6, sum = g->number * 8 + 7;
    const char *i = name_of(g, "i");
    node *section =
        fuzz_node(g->arena, NULL,
                  "__threadfence();\nfor (int $ = 0; $ < (int)((unsigned)(@) % 4u); $++) "
                  "((volatile unsigned *)acc)[#] = ((volatile unsigned *)acc)[#] + (unsigned)(@);\n"
                  "__threadfence();\natomicExch(&acc[#], 7u);\n",
                  i, i, expression(g, U32, 1), i, sum, sum, expression(g, U32, 2), at);
    if (chance(g, 40)) {
        const char *done = name_of(g, "done");
        node *n = fuzz_node(g->arena, "", "for (bool $ = false; !$;)\nif (", done, done);
        fuzz_add(g->arena, n, lock, at, "==");
        fuzz_add(g->arena, n, ") {\n@$ = true;\n}\n", section, done);
        return n;
    }
    node *n = fuzz_node(g->arena, "", "while (");
    fuzz_add(g->arena, n, lock, at, "!=");
    fuzz_add(g->arena, n, ") $;\n@", chance(g, 30) ? "__nanosleep(20)" : "{ }", section);
    return n;
}

static node *statements(gen *g, uint32_t count) {
    node *n = fuzz_node(g->arena, NULL, "");
    for (; count > 0; count--) {
        uint32_t kind = draw(g, 25);
        bool nests = g->loops < 3 && g->budget > 0;
        fuzz_add(g->arena, n, "@",
                 kind < 5                  ? declaration(g)
                 : kind < 11 || !nests     ? assignment(g)
                 : kind < 14               ? branch(g)
                 : kind < 16               ? loop(g)
                 : kind == 16              ? choice(g)
                 : kind == 17              ? counting(g)
                 : kind < 22               ? record_statement(g)
                 : kind == 24 && !g->loops ? locked(g)
                                           : assignment(g));
    }
    return n;
}

/* ---- what all threads do together ------------------------------------------------------------ */

static node *exchange(gen *g) {
    type t = (type)draw(g, TYPES);
    const char *name = name_of(g, "s");
    node *n = fuzz_node(g->arena, NULL,
                        "__shared__ $ $[#];\n__syncthreads();\n$[threadIdx.x] = ($)(@);\n"
                        "__syncthreads();\n",
                        type_name(t), name, g->threads, name, type_name(t), expression(g, t, 3));
    declare(g, name, t, g->threads, false);
    return n;
}

/* Of one warp, all of whose threads are here. */
static node *warp_wide(gen *g) {
    static const char *const shuffles[] = {"__shfl_sync", "__shfl_up_sync", "__shfl_down_sync",
                                           "__shfl_xor_sync"};
    static const char *const votes[] = {"__ballot_sync", "__any_sync", "__all_sync"};
    static const type shuffled[] = {S32, U32, S64, U64, F32, F64};
    const char *name = name_of(g, "w");
    if (chance(g, 30)) {
        node *n = fuzz_node(g->arena, NULL, "unsigned $ = $(0xffffffffu, @);\n", name,
                            votes[draw(g, 3)], condition(g, 3));
        declare(g, name, U32, 0, true);
        return n;
    }
    if (chance(g, 20)) {
        node *n =
            fuzz_node(g->arena, NULL, "unsigned $ = __match_any_sync(0xffffffffu, (@) & 3u);\n",
                      name, expression(g, U32, 3));
        declare(g, name, U32, 0, true);
        return n;
    }
    type t = shuffled[draw(g, 6)];
    node *n = fuzz_node(g->arena, NULL, "$ $ = $(0xffffffffu, ($)(@), (int)((@) & 31u), #);\n",
                        type_name(t), name, shuffles[draw(g, 4)], type_name(t), expression(g, t, 3),
                        expression(g, U32, 2), 4u << draw(g, 4));
    declare(g, name, t, 0, true);
    return n;
}

/* ---- functions, and the kernel --------------------------------------------------------------- */

static node *helper(gen *g) {
    function f = {.name = name_of(g, "f"), .result = (type)draw(g, TYPES)};
    g->places.count = 0;
    node *n = fuzz_node(g->arena, NULL, "__device__ $$ $(", chance(g, 50) ? "__noinline__ " : "",
                        type_name(f.result), f.name);
    for (f.param_count = 0; f.param_count < 1 + draw(g, 3) && f.param_count < 3; f.param_count++) {
        const char *name = name_of(g, "p");
        f.params[f.param_count] = (type)draw(g, TYPES);
        fuzz_add(g->arena, n, "$$ $", f.param_count ? ", " : "", type_name(f.params[f.param_count]),
                 name);
        declare(g, name, f.params[f.param_count], 0, true);
    }
    /* No atomics in it: they count what is not of the function. */
    fuzz_add(g->arena, n, ") {\n@@", declaration(g), assignment(g));
    if (chance(g, 50))
        fuzz_add(g->arena, n, "@",
                 fuzz_node(g->arena, "", "if (@) return ($)(@);\n", condition(g, 2),
                           type_name(f.result), expression(g, f.result, 2)));
    fuzz_add(g->arena, n, "return ($)(@);\n}\n", type_name(f.result), expression(g, f.result, 3));
    hd_push(g->arena, &g->functions, f);
    return n;
}

const input inputs[INPUTS] = {{"a", S32}, {"b", F32}, {"c", F64},
                              {"d", U8},  {"e", S64}, {"f", S16}};

kernel *make_kernel(hd_arena *arena, uint64_t seed, uint32_t number) {
    gen *g = hd_new(arena, gen);
    kernel *k = hd_new(arena, kernel);
    *g = (gen){.arena = arena, .random = seed, .number = number, .budget = 60};
    g->threads = 32 * (1 + draw(g, 4));
    g->blocks = 1 + draw(g, 4);
    if (g->blocks > 1 && chance(g, 50))
        g->cluster = g->blocks == 4 && chance(g, 50) ? 2 : g->blocks;
    node *functions = g->before = fuzz_node(arena, NULL, "");
    for (uint32_t f = draw(g, 3); f > 0; f--)
        fuzz_add(arena, functions, "@", helper(g));
    g->record = make_record(g);
    fuzz_add(arena, functions, "@@", g->record->declaration, record_getter(g));
    g->places.count = 0;
    hd_push(arena, &g->places, g->getter);
    declare_element(g, "q", RECORDS, false);
    declare_element(g, "r[gi]", 0, true);
    for (uint32_t i = 0; i < INPUTS; i++)
        declare(g, inputs[i].name, inputs[i].type, INPUT_LENGTH, false);
    declare(g, "n", S32, 0, false);
    declare(g, "x", F32, 0, false);
    declare(g, "threadIdx.x", U32, 0, false);
    declare(g, "gi", U32, 0, false);
    g->budget = 60 + (int32_t)draw(g, 200);
    node *body = fuzz_node(arena, NULL, "");
    for (uint32_t v = 2 + draw(g, 4); v > 0; v--)
        fuzz_add(arena, body, "@", declaration(g));
    for (uint32_t p = 2 + draw(g, 5); p > 0; p--)
        fuzz_add(arena, body, "@",
                 chance(g, 15)   ? record_tile(g)
                 : chance(g, 25) ? exchange(g)
                 : chance(g, 25) ? warp_wide(g)
                 : chance(g, 40) ? together(g)
                                 : statements(g, 1 + draw(g, 3)));
    for (uint32_t v = 0; v < 24 && v < g->places.count; v++) {
        const place *p = &g->places.data[draw(g, (uint32_t)g->places.count)];
        fuzz_add(arena, body, "@",
                 fuzz_node(arena, "", "h = (h ^ @) * 0x100000001b3ull;\n",
                           bits_node(g, p->type, place_node(g, p))));
    }
    const char *restricted = chance(g, 40) ? "__restrict__ " : "";
    k->seed = seed;
    k->threads = g->threads;
    k->blocks = g->blocks;
    k->source = fuzz_node(
        arena, NULL,
        "@extern \"C\" __global__ void $ k_#(unsigned long long *out, unsigned *acc, const int *a, "
        "const float *b, const double *c, const unsigned char *d, const long long *e, "
        "const short *f, int n, float x, const $ *$q, $ *$r) {\n"
        "unsigned gi = blockIdx.x * blockDim.x + threadIdx.x;\nunsigned long long h = 1;\n"
        "@out[gi] = h;\n}\n@",
        functions, g->cluster ? hd_format(arena, "CLUSTER(%u)", g->cluster) : "", number,
        g->record->name, restricted, g->record->name, restricted, body, record_kernels(g));
    return k;
}
