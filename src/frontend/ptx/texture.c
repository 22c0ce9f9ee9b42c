/*
 * Textures and surfaces: calls of the functions of sampling/, which are a part of each text that has
 * such instructions.
 *
 *     tex.level.2d.v4.f32.f32 {%f1, ...}, [%rd1, {%f5, %f6}], %f7;    __heddle_tex_2d
 *     tex.1d.v4.s32.s32 {%r1, ...}, [%rd1, {%r5}];                    __heddle_fetch_1d
 *     suld.b.2d.v2.b32.trap {%r1, %r2}, [%rd1, {%r3, %r4}];           __heddle_surface_2d, and a load
 *
 * The object is a register, or a variable of the module (.texref, .surfref) that holds one.
 */
#include "frontend/ptx/internal.h"

/* ---- operands ---------------------------------------------------------------------------------- */

static kir_value object_of(ptx_lowering *l, const ptx_operand *address) {
    const ptx_operand name = {.kind = PTX_NAME, .name = address->name, .integer = address->integer};
    if (address->kind != PTX_ADDRESS || !address->name) {
        ptx_wrong(l, "%s needs an object in brackets", ptx_opcode(l->arena, l->inst));
        return 0;
    }
    const ptx_symbol symbol = ptx_find(l, address->name);
    return symbol.kind == PTX_IS_VARIABLE
               ? front_emit_load(&l->out, ptx_int(64), ptx_static(l, symbol.variable), 8)
               : ptx_value(l, &name, PTX_U64);
}

/* The word that says the geometry; NULL, with an error, where there is none of these. */
static const char *geometry_of(ptx_lowering *l, const char *of) {
    for (uint32_t w = 1; w < l->inst->word_count; w++)
        if (hd_has_word(of, l->inst->words[w]))
            return l->inst->words[w];
    ptx_cannot(l, "%s is not supported; of these geometries are: %s", ptx_opcode(l->arena, l->inst),
               of);
    return "";
}

/* The object, layer, x, y and z, of which there are as many as the geometry has; all others are 0. */
static void coordinates_of(ptx_lowering *l, const ptx_operand *address, const char *geometry,
                           ptx_type type, kir_value args[5]) {
    const bool has_layers = geometry[0] == 'a';
    const uint32_t dims = strstr(geometry, "1d") ? 1 : strstr(geometry, "2d") ? 2 : 3;
    args[0] = object_of(l, address);
    args[1] = ptx_number(l, ptx_int(32), 0);
    for (uint32_t d = 0; d < 3; d++)
        args[2 + d] = ptx_number(l, ptx_int(32), 0);
    if (address->count != 1) {
        ptx_cannot(l,
                   "%s with a sampler of its own is not supported; the object tells how it is "
                   "sampled (.texmode_unified)",
                   ptx_opcode(l->arena, l->inst));
        return;
    }
    const ptx_operand *given = &address->list[0];
    const ptx_operand *list = given->kind == PTX_VECTOR ? given->list : given;
    const uint32_t count = given->kind == PTX_VECTOR ? given->count : 1;
    if (count < has_layers + dims) {
        ptx_wrong(l, "%s has too few coordinates", ptx_opcode(l->arena, l->inst));
        return;
    }
    if (has_layers)
        args[1] = ptx_value(l, &list[0], PTX_U32);
    for (uint32_t d = 0; d < dims; d++)
        args[2 + d] = ptx_value(l, &list[has_layers + d], type);
}

/* Steps, of which there are as many as dimensions. */
static void steps_of(ptx_lowering *l, uint32_t operand, uint32_t dims, kir_value steps[3]) {
    const ptx_operand *given = ptx_operand_at(l, operand);
    const ptx_operand *list = given->kind == PTX_VECTOR ? given->list : given;
    const uint32_t count = given->kind == PTX_VECTOR ? given->count : 1;
    for (uint32_t d = 0; d < 3; d++)
        steps[d] = d < dims && d < count ? ptx_value(l, &list[d], PTX_F32)
                                         : front_const_real(&l->out, ptx_real(32), 0);
}

/* What is read, to {a, b, c, d}, with a predicate that all of it was there in {a, b, c, d}|p. */
static void put_texel(ptx_lowering *l, kir_value words) {
    const ptx_operand *to = ptx_operand_at(l, 0);
    if (to->kind == PTX_PAIR) {
        ptx_put_to(l, &to->list[1], ptx_number(l, ptx_int(1), 1), false);
        to = &to->list[0];
    }
    if (to->kind != PTX_VECTOR || to->count != 4)
        ptx_cannot(l, "%s is not supported; its result is a vector of four",
                   ptx_opcode(l->arena, l->inst));
    else
        ptx_put_vector(l, to, words, false);
}

static bool has_words_of_32_bits(ptx_lowering *l) {
    const ptx_type type = ptx_type_of(l->inst, 1);
    const bool is_known = type == PTX_F32 || type == PTX_U32 || type == PTX_S32;
    if (!is_known)
        ptx_cannot(l, "%s is not supported; results of f32, u32 and s32 are",
                   ptx_opcode(l->arena, l->inst));
    return is_known;
}

/* ---- textures ----------------------------------------------------------------------------------- */

/* The level of tex.level, as the type of the coordinates, and of tex.grad. */
static kir_value level_of(ptx_lowering *l, const char *geometry, kir_value object, ptx_type type) {
    if (ptx_has(l->inst, "level"))
        return ptx_get(l, 2, type);
    const uint32_t dims = strstr(geometry, "1d") ? 1 : strstr(geometry, "2d") ? 2 : 3;
    kir_value args[7] = {object};
    steps_of(l, 2, dims, args + 1);
    steps_of(l, 3, dims, args + 4);
    return ptx_call_library(l, hd_format(l->arena, "__heddle_lod_%s", geometry), 7, args);
}

static void lower_tex(ptx_lowering *l) {
    const ptx_type type = ptx_type_of(l->inst, 0);
    const bool is_by_number = type == PTX_S32;
    const char *geometry =
        geometry_of(l, is_by_number ? "1d 2d 3d a1d a2d" : "1d 2d 3d a1d a2d cube acube");
    const uint32_t operands = ptx_has(l->inst, "level") ? 3 : ptx_has(l->inst, "grad") ? 4 : 2;
    const bool is_cube_by_steps = operands == 4 && strstr(geometry, "cube");
    if ((type != PTX_F32 && !is_by_number) || l->inst->operand_count > operands ||
        is_cube_by_steps) {
        ptx_cannot(l, "%s is not supported with %s", ptx_opcode(l->arena, l->inst),
                   is_cube_by_steps                    ? "steps; give a level"
                   : l->inst->operand_count > operands ? "an offset or a depth"
                                                       : "coordinates of this type");
        return;
    }
    if (l->out.status || !has_words_of_32_bits(l))
        return;
    kir_value args[6];
    coordinates_of(l, ptx_operand_at(l, 1), geometry, is_by_number ? PTX_S32 : PTX_F32, args);
    if (l->out.status)
        return;
    const bool has_level = operands > 2;
    const char *what = is_by_number ? "fetch" : has_level ? "level" : "tex";
    if (has_level)
        args[5] = level_of(l, geometry, args[0], is_by_number ? PTX_S32 : PTX_F32);
    else
        args[5] = ptx_number(l, ptx_int(32), 0);
    if (!l->out.status)
        put_texel(l, ptx_call_library(l, hd_format(l->arena, "__heddle_%s_%s", what, geometry),
                                      is_by_number || has_level ? 6 : 5, args));
}

/* tld4.r.2d.v4.f32.f32 */
static void lower_gather(ptx_lowering *l) {
    static const char channels[] = "rgba";
    const char *geometry = geometry_of(l, "2d a2d cube acube");
    const char *word = l->inst->word_count > 1 ? l->inst->words[1] : "";
    const char *channel = *word && !word[1] ? strchr(channels, *word) : NULL;
    if (!channel || ptx_type_of(l->inst, 0) != PTX_F32 || l->inst->operand_count > 2) {
        ptx_cannot(l, "%s is not supported so", ptx_opcode(l->arena, l->inst));
        return;
    }
    if (l->out.status || !has_words_of_32_bits(l))
        return;
    kir_value args[6];
    coordinates_of(l, ptx_operand_at(l, 1), geometry, PTX_F32, args);
    args[5] = ptx_number(l, ptx_int(32), channel - channels);
    if (!l->out.status)
        put_texel(
            l, ptx_call_library(l, hd_format(l->arena, "__heddle_gather_%s", geometry), 6, args));
}

/* txq.width.b32 %r1, [object]; */
static void lower_query(ptx_lowering *l) {
    static const char *const numbers[] = {
        "width", "height", "depth", "array_size", "num_mipmap_levels", "normalized_coords"};
    uint32_t what = 0;
    while (what < sizeof numbers / sizeof *numbers && !ptx_has(l->inst, numbers[what]))
        what++;
    if (what == sizeof numbers / sizeof *numbers) {
        ptx_cannot(l, "%s is not supported", ptx_opcode(l->arena, l->inst));
        return;
    }
    kir_value args[] = {object_of(l, ptx_operand_at(l, 1)), ptx_number(l, ptx_int(32), what),
                        ptx_has(l->inst, "level") ? ptx_get(l, 2, PTX_U32)
                                                  : ptx_number(l, ptx_int(32), 0)};
    if (!l->out.status)
        ptx_put(l, 0, ptx_call_library(l, "__heddle_texture_number", 3, args), false);
}

/* ---- surfaces ----------------------------------------------------------------------------------- */

/* What is accessed: where, whether it is there, and how it is in memory. */
typedef struct accessed {
    kir_value pointer, is_there;
    bool may_miss;
    kir_type memory;
} accessed;

static accessed access_of(ptx_lowering *l, uint32_t address, const ptx_operand *value) {
    static const char modes[][6] = {"trap", "clamp", "zero"};
    const ptx_type type = ptx_type_of(l->inst, 0);
    const char *geometry = geometry_of(l, "1d 2d 3d a1d a2d");
    accessed a = {.memory = ptx_moved_type(l, value, type)};
    uint32_t mode = 0;
    while (mode < 3 && !ptx_has(l->inst, modes[mode]))
        mode++;
    if (!ptx_has(l->inst, "b") || type == PTX_NO_TYPE)
        ptx_cannot(l, "%s is not supported; that of bytes (.b) is", ptx_opcode(l->arena, l->inst));
    kir_value args[7];
    if (!l->out.status)
        coordinates_of(l, ptx_operand_at(l, address), geometry, PTX_S32, args);
    if (l->out.status)
        return a;
    args[5] = ptx_number(l, ptx_int(32), kir_type_bytes(a.memory));
    args[6] = ptx_number(l, ptx_int(32), mode % 3);
    kir_value at =
        ptx_call_library(l, hd_format(l->arena, "__heddle_surface_%s", geometry), 7, args);
    if (l->out.status)
        return a;
    a.is_there = ptx_is(l, KIR_P_NE, at, ptx_number(l, ptx_int(64), 0));
    a.may_miss = mode != 1;
    if (mode % 3 == 0) { /* the usual one: what is outside ends the kernel */
        uint32_t outside = ptx_block_new(l), inside = ptx_block_new(l);
        ptx_branch_if(l, a.is_there, inside, outside);
        ptx_block_start(l, outside);
        front_emit_call(&l->out, "trap_surface", (kir_type){0}, 0, NULL);
        ptx_end_block(l, KIR_UNREACHABLE, 0, NULL, 0, NULL);
        ptx_block_start(l, inside);
        a.may_miss = false;
    }
    a.pointer = ptx_to(l, KIR_INTTOPTR, front_pointer_type(KIR_GLOBAL), at);
    return a;
}

/* Goes on where it is there, and behind it in `end`. */
static uint32_t begin_if_there(ptx_lowering *l, const accessed *a) {
    if (!a->may_miss || l->out.status)
        return KIR_NONE;
    uint32_t then = ptx_block_new(l), end = ptx_block_new(l);
    ptx_branch_if(l, a->is_there, then, end);
    ptx_block_start(l, then);
    return end;
}

static void end_if_there(ptx_lowering *l, uint32_t end) {
    if (end != KIR_NONE)
        ptx_block_start(l, end);
}

static void put_zeros(ptx_lowering *l, const ptx_operand *to) {
    const ptx_operand *list = to->kind == PTX_VECTOR ? to->list : to;
    const uint32_t count = to->kind == PTX_VECTOR ? to->count : 1;
    for (uint32_t i = 0; i < count; i++)
        ptx_put_to(l, &list[i], ptx_number(l, ptx_int(32), 0), false);
}

static void lower_suld(ptx_lowering *l) {
    const ptx_operand *to = ptx_operand_at(l, 0);
    const accessed a = access_of(l, 1, to);
    if (a.may_miss && !l->out.status)
        put_zeros(l, to);
    uint32_t end = begin_if_there(l, &a);
    if (!l->out.status)
        ptx_put_vector(
            l, to, front_emit_load(&l->out, a.memory, a.pointer, kir_type_bytes(a.memory)), false);
    end_if_there(l, end);
}

static void lower_sust(ptx_lowering *l) {
    const ptx_operand *from = ptx_operand_at(l, 1);
    const accessed a = access_of(l, 0, from);
    uint32_t end = begin_if_there(l, &a);
    if (!l->out.status)
        front_emit_store(&l->out, ptx_get_vector(l, from, ptx_type_of(l->inst, 0), a.memory),
                         a.pointer, kir_type_bytes(a.memory));
    end_if_there(l, end);
}

static void lower_sured(ptx_lowering *l) {
    const char *how = ptx_operation_of(l->inst);
    const accessed a = access_of(l, 0, ptx_operand_at(l, 1));
    uint32_t end = begin_if_there(l, &a);
    if (!how)
        ptx_cannot(l, "%s is not supported", ptx_opcode(l->arena, l->inst));
    if (!l->out.status)
        ptx_atomic(l, how, ptx_type_of(l->inst, 0), a.pointer,
                   ptx_get(l, 1, ptx_type_of(l->inst, 0)));
    end_if_there(l, end);
}

const ptx_rule ptx_texture_rules[] = {
    {"tex", lower_tex, NULL, true},     {"tld4", lower_gather, NULL, true},
    {"txq", lower_query, NULL, true},   {"suq", lower_query, NULL, true},
    {"suld", lower_suld, NULL, true},   {"sust", lower_sust, NULL, true},
    {"sured", lower_sured, NULL, true}, {NULL},
};
