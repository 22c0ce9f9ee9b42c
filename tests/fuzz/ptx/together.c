/* What a block or a cluster does together with instructions that have a twin in C (twins.cuh). */
#include "fuzz/ptx/ptx.h"

/* ---- numbers of a warp ---------------------------------------------------------------------- */

static const char *const kinds[] = {"of_s8",   "of_u8",   "of_f16",  "of_bf16",
                                    "of_tf32", "of_e4m3", "of_e5m2", "of_minus"};

static node *warp_number(gen *g) {
    static const char *const functions[] = {
        "i_redux_add",       "i_redux_min",      "i_redux_max",      "i_redux_and",
        "i_redux_or",        "i_redux_xor",      "i_elect",          "i_ldmatrix<true>",
        "i_ldmatrix<false>", "i_stmatrix<true>", "i_stmatrix<false>"};
    const char *name = name_of(g, "w");
    const uint32_t f = draw(g, 16);
    node *n;
    if (f < 7)
        n = fuzz_node(g->arena, NULL, "unsigned $ = $((unsigned)(@));\n", name, functions[f],
                      expression(g, U32, 3));
    else if (f < 11)
        n = fuzz_node(g->arena, NULL, "unsigned $ = $(@, @);\n", name, functions[f],
                      expression(g, U32, 3), expression(g, U32, 2));
    else
        n = fuzz_node(g->arena, NULL, "unsigned $ = (unsigned)i_mma<$>(@, @);\n", name,
                      kinds[draw(g, 7)], expression(g, U32, 3), expression(g, U32, 2));
    declare(g, name, U32, 0, false);
    return n;
}

/* ---- copies of a block ------------------------------------------------------------------------- */

/* A part of an input in a tile that has its own numbers around it. */
static node *tile_of_input(gen *g) {
    const input *from = &inputs[draw(g, INPUTS)];
    const uint32_t units = INPUT_LENGTH * bytes_of(from->type) / 16; /* of 16 bytes */
    const uint32_t at = draw(g, units), to = draw(g, units), later = at > to ? at : to;
    const uint32_t count = 1 + draw(g, units - later), way = draw(g, g->cluster ? 4 : 3);
    const uint32_t pieces = chance(g, 50) ? 1 : count, a_unit = 16 / bytes_of(from->type);
    const char *name = name_of(g, "t"), *i = name_of(g, "i"), *of = type_name(from->type);
    node *n = fuzz_node(g->arena, NULL,
                        "__shared__ __align__(16) $ $[#];\nfor (int $ = threadIdx.x; $ < #; $ += "
                        "blockDim.x) $[$] = ($)$;\n",
                        of, name, (uint32_t)INPUT_LENGTH, i, i, (uint32_t)INPUT_LENGTH, i, name, i,
                        of, i);
    const char *where =
        hd_format(g->arena, "%s + %u, %s + %u", name, to * a_unit, from->name, at * a_unit);
    if (way == 3)
        fuzz_add(g->arena, n, "bulk_in_all($, #, #);\n", where, 16 * count, g->cluster);
    else if (way == 2 && count <= 2 * g->threads)
        fuzz_add(g->arena, n, "bulk_in_by_all($, #);\n", where, count);
    else
        fuzz_add(g->arena, n, "bulk_in($, #, #, $);\n", where, 16 * count / pieces, pieces,
                 chance(g, 50) ? "true" : "false");
    declare(g, name, from->type, INPUT_LENGTH, false);
    return n;
}

/* Words of all threads go to `out` in bulk, or into what is there. */
static node *to_memory(gen *g) {
    static const struct {
        const char *function;
        type of;
    } reductions[] = {{"bulk_add", U64}, {"bulk_min", U64}, {"bulk_max", S64},
                      {"bulk_and", U64}, {"bulk_or", U64},  {"bulk_xor", U64},
                      {"bulk_inc", U32}, {"bulk_dec", U32}, {"bulk_add_s", S32}};
    const uint32_t r = draw(g, 18);
    const char *name = name_of(g, "t"), *word = name_of(g, "w");
    node *n = fuzz_node(g->arena, NULL,
                        "__shared__ __align__(16) unsigned long long $[#];\n$[threadIdx.x] = @;\n",
                        name, g->threads, name, expression(g, U64, 3));
    if (r < 9)
        fuzz_add(g->arena, n, "$(($ *)(out + blockIdx.x * blockDim.x), ($ *)$, #);\n",
                 reductions[r].function, type_name(reductions[r].of), type_name(reductions[r].of),
                 name, g->threads * 8 / bytes_of(reductions[r].of));
    else
        fuzz_add(g->arena, n, "bulk_out(out + blockIdx.x * blockDim.x, $, #, $);\n", name,
                 g->threads * 8, chance(g, 50) ? "true" : "false");
    fuzz_add(g->arena, n,
             "unsigned long long $ = out[blockIdx.x * blockDim.x + (unsigned)(@) % #u];\n"
             "__syncthreads();\n",
             word, expression(g, U32, 1), g->threads);
    declare(g, word, U64, 0, false);
    return n;
}

static node *copies_of_threads(gen *g) {
    const char *name = name_of(g, "t");
    node *n = fuzz_node(g->arena, NULL,
                        "__shared__ __align__(16) unsigned $[#];\n"
                        "copy_async($, a + (unsigned)(@) % 16u * 4, @);\n",
                        name, 4 * g->threads, name, expression(g, U32, 1), expression(g, U32, 1));
    declare(g, name, U32, 4 * g->threads, false);
    return n;
}

/* By a warpgroup: 64 rows. */
static node *large_product(gen *g) {
    const char *name = name_of(g, "m");
    const bool is_wide = chance(g, 50);
    const uint32_t columns = is_wide ? 32 : 8;
    node *n = fuzz_node(
        g->arena, NULL,
        "__shared__ int $[#];\nwarpgroup_product<$, #>($, (blockIdx.x + n) * #u, #, $, $);\n", name,
        64 * columns, kinds[draw(g, 8)], columns, name, draw(g, 1u << 31), 1u << draw(g, 4),
        chance(g, 50) ? "true" : "false", !is_wide && chance(g, 50) ? "true" : "false");
    declare(g, name, S32, 64 * columns, false);
    g->has_product = true;
    return n;
}

/* ---- clusters ------------------------------------------------------------------------------------ */

static const char all_inputs[] = "a, b, c, d, e, f";

/* A function of the thread's number: what another block's thread has, without asking it. */
static const char *pure_function(gen *g, type t) {
    const char *name = name_of(g, "put");
    const gen kept = *g;
    memset(&g->places, 0, sizeof g->places); /* those of the kernel stay where they are */
    for (uint32_t i = 0; i < INPUTS; i++)
        declare(g, inputs[i].name, inputs[i].type, INPUT_LENGTH, false);
    declare(g, "gi", U32, 0, false);
    fuzz_add(g->arena, g->before,
             "__device__ $ $(unsigned gi, const int *a, const float *b, const double *c, const "
             "unsigned char *d, const long long *e, const short *f) {\nreturn ($)(@);\n}\n",
             type_name(t), name, type_name(t), expression(g, t, 3));
    g->places = kept.places;
    return name;
}

/* In this the number of the thread of block RANK of this cluster: "(blockIdx.x / C * C + RANK) * T + THREAD". */
static const char *number_in(gen *g, const char *rank, const char *thread) {
    return hd_format(g->arena, "(blockIdx.x / %u * %u + %s) * %u + %s", g->cluster, g->cluster,
                     rank, g->threads, thread);
}

static node *tile_of_threads(gen *g, type t, const char *name) {
    return fuzz_node(g->arena, NULL, "__shared__ __align__(16) $ $[#];\n", type_name(t), name,
                     g->threads);
}

static node *read_of_block(gen *g) {
    const type t = (type)draw(g, TYPES);
    const char *name = name_of(g, "t"), *v = name_of(g, "v"), *put = pure_function(g, t);
    const char *rank = hd_format(g->arena, "rank_%s", v), *of = hd_format(g->arena, "of_%s", v);
    node *n = tile_of_threads(g, t, name);
    fuzz_add(g->arena, n,
             "$[threadIdx.x] = $(gi, $);\ncluster_barrier();\n"
             "unsigned $ = (unsigned)(@) % #u, $ = (unsigned)(@) % #u;\n"
             "$ $ = TWIN(from_block($, $, $, $), $($, $));\ncluster_barrier();\n",
             name, put, all_inputs, rank, expression(g, U32, 2), g->cluster, of,
             expression(g, U32, 2), g->threads, type_name(t), v, name, rank, of,
             chance(g, 50) ? "true" : "false", put, number_in(g, rank, of), all_inputs);
    declare(g, v, t, 0, false);
    return n;
}

static node *passed_on(gen *g) {
    static const char *const ways[] = {"STORES", "GENERIC_STORES", "IN_BULK", "STORES_ASYNC",
                                       "EXCHANGES"};
    const type t = (type)draw(g, TYPES);
    const uint32_t by = draw(g, g->cluster), way = draw(g, bytes_of(t) < 4 ? 3 : 5);
    const char *name = name_of(g, "t"), *put = pure_function(g, t);
    const char *rank = hd_format(g->arena, "(blockIdx.x + %u) %% %u", g->cluster - by, g->cluster);
    node *n = tile_of_threads(g, t, name);
    fuzz_add(g->arena, n, "pass_on<$>($, $(gi, $), TWIN(0, $($, $)), #, #, $);\n", type_name(t),
             name, put, all_inputs, put, number_in(g, rank, "threadIdx.x"), all_inputs, by,
             g->cluster, ways[way]);
    declare(g, name, t, g->threads, false);
    return n;
}

static node *counted_there(gen *g) {
    const char *name = name_of(g, "t"), *put = pure_function(g, U32), *got = name_of(g, "got");
    const uint32_t all = g->cluster * g->threads;
    node *n = tile_of_threads(g, U32, name);
    fuzz_add(g->arena, n,
             "unsigned $ = 0;\nTWIN(, for (unsigned j = 0; j < #; j++) $ += $($, $) % #u == "
             "blockIdx.x % # * # + threadIdx.x;)\ncount_there($, $(gi, $), $, #);\n",
             got, all, got, put, number_in(g, "0", "j"), all_inputs, all, g->cluster, g->threads,
             name, put, all_inputs, got, g->cluster);
    declare(g, name, U32, g->threads, false);
    return n;
}

node *together(gen *g) {
    const uint32_t kind = draw(g, 16);
    if (g->cluster && kind < 8)
        return kind < 3 ? read_of_block(g) : kind < 6 ? passed_on(g) : counted_there(g);
    if (g->threads == 128 && !g->has_product && kind < 12)
        return large_product(g);
    switch (kind % 4) {
    case 0: return warp_number(g);
    case 1: return tile_of_input(g);
    case 2: return to_memory(g);
    default: return chance(g, 50) ? copies_of_threads(g) : warp_number(g);
    }
}
