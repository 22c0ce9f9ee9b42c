/*
 * Built-in functions of OpenCL C that are more than a call: work-item queries,
 * barriers, fences, vector loads and stores, and the integer functions whose
 * meaning depends on signedness, which kir's types do not tell.
 */
#include <ctype.h>
#include <stdlib.h>

#include "frontend/clang/internal.h"

/* ---- work-items ------------------------------------------------------ */

static bool lower_query(front_lowering *l, front_call *call) {
    static const char *const queries[] = {
#define X(name, text) "get_" text,
        KIR_QUERIES(X)
#undef X
    };
    for (uint32_t q = 0; q < KIR_QUERY_COUNT; q++)
        if (!strcmp(call->name, queries[q])) {
            call->result = front_emit(&l->out, KIR_QUERY, call->type, call->arg_count, call->args);
            l->out.insts.data[call->result].index = q;
            return true;
        }
    return false;
}

static bool lower_synchronisation(front_lowering *l, const front_call *call) {
    bool barrier = hd_has_word("barrier work_group_barrier", call->name);
    if (!barrier &&
        !hd_has_word("mem_fence read_mem_fence write_mem_fence atomic_work_item_fence", call->name))
        return false;
    kir_value value =
        front_emit1(&l->out, barrier ? KIR_BARRIER : KIR_FENCE, (kir_type){0}, call->args[0]);
    if (!strcmp(call->name, "atomic_work_item_fence"))
        front_set_written_order(l, value, call, 1, 2);
    return true;
}

/* 1 where a pointer leads into a space, else 0. */
static kir_value is_in_space(front_lowering *l, kir_value pointer, kir_space space) {
    static const char *const names[] = {[KIR_PRIVATE] = "local",
                                        [KIR_GLOBAL] = "global",
                                        [KIR_LOCAL] = "shared",
                                        [KIR_CONSTANT] = "const"};
    kir_type type = front_type_of_value(&l->out, pointer);
    if (type.space != KIR_GENERIC)
        return front_const_int(&l->out, front_int_type(32, 1), type.space == space);
    const char *name = hd_format(l->arena, "is_in_space_%s", names[space]);
    return front_emit_call(&l->out, name, front_int_type(32, 1), 1, &pointer);
}

/* to_global(p), which clang calls __to_global: p where it leads there, else NULL. */
static kir_value in_space_or_null(front_lowering *l, kir_value pointer, kir_space space) {
    uint64_t zero = 0;
    kir_type known = front_type_of_value(&l->out, pointer);
    kir_value null = front_leaf(&l->out, KIR_CONST, front_pointer_type(space), &zero, 0);
    if (known.space != KIR_GENERIC)
        return known.space == space ? pointer : null;
    kir_value is_there = is_in_space(l, pointer, space);
    kir_value holds = front_emit_compare(&l->out, KIR_P_NE, is_there,
                                         front_const_int(&l->out, front_int_type(32, 1), 0));
    return front_emit_select(&l->out, holds, front_in_space(&l->out, pointer, space), null);
}

static bool lower_space(front_lowering *l, front_call *call) {
    static const struct {
        const char *name;
        kir_space space;
    } casts[] = {
        {"__to_global", KIR_GLOBAL}, {"__to_local", KIR_LOCAL}, {"__to_private", KIR_PRIVATE}};
    for (size_t i = 0; i < sizeof casts / sizeof *casts; i++)
        if (!strcmp(call->name, casts[i].name)) {
            call->result = in_space_or_null(l, call->args[0], casts[i].space);
            return true;
        }
    if (strcmp(call->name, "get_fence"))
        return false;
    /* CLK_LOCAL_MEM_FENCE is 1, CLK_GLOBAL_MEM_FENCE 2. */
    kir_value is_global = is_in_space(l, call->args[0], KIR_GLOBAL);
    call->result = front_emit2(&l->out, KIR_ADD, front_int_type(32, 1), is_global,
                               front_const_int(&l->out, front_int_type(32, 1), 1));
    return true;
}

/* clock_read_device() and clock_read_hilo_device(), the same number as a vector of two. */
static bool lower_clock(front_lowering *l, front_call *call) {
    if (!starts_with(call->name, "clock_read_"))
        return false;
    call->result = front_emit_call(&l->out, "clock", front_int_type(64, 1), 0, NULL);
    if (starts_with(call->name, "clock_read_hilo_"))
        call->result = front_emit1(&l->out, KIR_BITCAST, call->type, call->result);
    return true;
}

/* ---- vload and vstore ------------------------------------------------ */

/* vload3, vstore_half4_rte, vloada_half2, … */
typedef struct vector_access {
    bool store, half, aligned;
    uint32_t lanes;
    const char *rounding; /* "", "_rte", "_rtz", "_rtp", "_rtn" */
} vector_access;

static bool parse_vector_access(const char *name, vector_access *v) {
    *v = (vector_access){.lanes = 1};
    if (!strncmp(name, "vstore", 6))
        v->store = true;
    else if (strncmp(name, "vload", 5))
        return false;
    const char *p = name + (v->store ? 6 : 5);
    if (*p == 'a') {
        v->aligned = true;
        p++;
    }
    if (!strncmp(p, "_half", 5)) {
        v->half = true;
        p += 5;
    } else if (!isdigit((unsigned char)*p)) {
        return false;
    }
    if (isdigit((unsigned char)*p)) {
        char *end;
        v->lanes = (uint32_t)strtoul(p, &end, 10);
        p = end;
    }
    v->rounding = p;
    return true;
}

/* A 3-vector in memory is read element by element: as a value it takes the room
 * of 4, here only that of 3. */
static kir_value load_lanes(front_lowering *l, kir_type type, kir_value address, uint32_t align) {
    if (type.lanes != 3)
        return front_emit_load(&l->out, type, address, align);
    kir_value parts[3];
    uint32_t bytes = type.bits / 8u;
    for (uint32_t i = 0; i < 3; i++)
        parts[i] =
            front_emit_load(&l->out, front_element_type(type),
                            front_emit_addr(&l->out, address, KIR_NONE, 0, i * bytes), bytes);
    return front_join(&l->out, 3, parts);
}

static void store_lanes(front_lowering *l, kir_value value, kir_value address, uint32_t align) {
    kir_type type = front_type_of_value(&l->out, value);
    uint32_t bytes = type.bits / 8u;
    if (type.lanes != 3)
        front_emit_store(&l->out, value, address, align);
    for (uint32_t i = 0; i < 3 && type.lanes == 3; i++) {
        kir_value lane = front_part(&l->out, value, i);
        front_emit_store(&l->out, lane, front_emit_addr(&l->out, address, KIR_NONE, 0, i * bytes),
                         bytes);
    }
}

static kir_value half_of(front_lowering *l, const vector_access *v, kir_value value,
                         kir_type half) {
    if (front_type_of_value(&l->out, value).bits == half.bits)
        return value;
    if (!*v->rounding || !strcmp(v->rounding, "_rte"))
        return front_emit1(&l->out, KIR_FPTRUNC, half, value);
    const char *name = hd_format(l->arena, "convert_half%s", v->rounding);
    return front_emit_call(&l->out, name, half, 1, &value);
}

static bool lower_vector_access(front_lowering *l, front_call *call) {
    vector_access v;
    if (!parse_vector_access(call->name, &v))
        return false;
    kir_value index = call->args[v.store], pointer = call->args[v.store + 1];
    kir_type type = v.store ? front_type_of_value(&l->out, call->args[0]) : call->type,
             memory = type;
    if (v.half)
        memory.bits = 16;
    uint32_t element = memory.bits / 8u, step = v.lanes * element, align = element;
    if (v.aligned) {
        step = (v.lanes == 3 ? 4 : v.lanes) * element;
        align = step;
    }
    kir_value address = front_emit_addr(&l->out, pointer, index, step, 0);
    if (v.store) {
        kir_value value = call->args[0];
        if (v.half)
            value = half_of(l, &v, value, memory);
        store_lanes(l, value, address, align);
        return true;
    }
    call->result = load_lanes(l, memory, address, align);
    if (v.half && type.bits != memory.bits)
        call->result = front_emit1(&l->out, KIR_FPEXT, type, call->result);
    return true;
}

/* ---- results through a pointer --------------------------------------- */

/* sincos(x, &p[i].c) */
static bool lower_out_pointer(front_lowering *l, front_call *call) {
    bool is_integer = hd_has_word("frexp remquo lgamma_r", call->name);
    if (!is_integer && !hd_has_word("sincos fract modf", call->name))
        return false;
    if (front_type_of_value(&l->out, call->args[call->arg_count - 1]).space == KIR_PRIVATE)
        return false;
    kir_type type = is_integer ? front_int_type(32, call->type.lanes) : call->type;
    call->result =
        front_emit_written(&l->out, call->name, call->type, call->arg_count, call->args, type);
    return true;
}

/* ---- integers -------------------------------------------------------- */

/* A scalar operand of a vector function counts for every lane. */
static kir_value widened(front_lowering *l, kir_value value, kir_type type) {
    kir_type own = front_type_of_value(&l->out, value);
    if (own.lanes == type.lanes)
        return value;
    uint64_t zeros[16] = {0};
    kir_value args[] = {front_leaf(&l->out, KIR_UNDEF, type, NULL, 0), value,
                        front_leaf(&l->out, KIR_CONST, front_int_type(64, 1), zeros, 0)};
    kir_value first = front_emit(&l->out, KIR_INSERT, type, 3, args);
    kir_value all = front_emit2(&l->out, KIR_SHUFFLE, type, first, args[0]);
    l->out.insts.data[all].imm_count = type.lanes;
    l->out.insts.data[all].imm = hd_new_array(l->arena, uint64_t, type.lanes);
    return all;
}

static bool lower_integer(front_lowering *l, front_call *call, bool is_unsigned) {
    static const front_named_recipe recipes[] = {{"min", "min(a, b)"},
                                                 {"max", "max(a, b)"},
                                                 {"clamp", "min(max(a, b), c)"},
                                                 {"mul24", "mul(a, b)"},
                                                 {"mad24", "add(mul(a, b), c)"},
                                                 /* kir names what goes in first, as PTX does */
                                                 {"bitfield_insert", "bitfield_insert(b, a, c, d)"},
                                                 {"abs", "smax(a, sub(0, a))"}};
    const char *recipe = FRONT_FIND(recipes, call->name);
    if (!recipe)
        return false;
    if (is_unsigned && !strcmp(call->name, "abs"))
        recipe = "a";
    kir_value letters[26] = {0};
    bool is_field = call->arg_count == 4;
    for (uint32_t i = 0; i < call->arg_count; i++)
        letters[i] = is_field && i > 1 ? call->args[i] : widened(l, call->args[i], call->type);
    call->result = front_recipe(&l->out, recipe, letters, !is_unsigned, call->type);
    return true;
}

/* The other functions that differ for unsigned integers say so in their name; minima and maxima do
 * over work-groups and over sub-groups. */
static bool lower_unsigned(front_lowering *l, front_call *call) {
    static const char differ[] =
        "mul_hi mad_hi hadd rhadd add_sat sub_sat mad_sat abs_diff upsample";
    static const char extremes[] = "reduce_min reduce_max scan_inclusive_min scan_inclusive_max "
                                   "scan_exclusive_min scan_exclusive_max";
    const char *over = strstr(call->name, "_group_");
    over = over ? over + strlen("_group_") : "";
    over += starts_with(over, "non_uniform_") ? strlen("non_uniform_")
            : starts_with(over, "clustered_") ? strlen("clustered_")
                                              : 0;
    if (!hd_has_word(differ, call->name) && !hd_has_word(extremes, over))
        return false;
    const char *name = hd_format(l->arena, "u_%s", call->name);
    call->result = front_same(l, call, name);
    return true;
}

/* Bytes of what the first argument points to, from a mangled type such as PU3AS3Dv4_f. */
static uint32_t pointee_bytes(const char *types) {
    static const char *const codes[] = {"ach", "stH", "ijf", "lmd"};
    const char *vector = strstr(types, "Dv");
    uint32_t lanes = vector ? (uint32_t)strtoul(vector + 2, NULL, 10) : 1;
    char code = front_first_type_code(types);
    for (uint32_t i = 0; i < 4 && code; i++)
        if (strchr(codes[i], code))
            return (lanes == 3 ? 4 : lanes) << i;
    return 0;
}

/* A copy counts in elements, which kir's pointers do not know: their bytes become a last
 * argument. */
static bool lower_group_copy(front_lowering *l, front_call *call) {
    uint32_t bytes = pointee_bytes(call->types);
    if (!bytes || !hd_has_word("async_work_group_copy async_work_group_strided_copy", call->name))
        return false;
    kir_value *args = hd_new_array(l->arena, kir_value, call->arg_count + 1);
    memcpy(args, call->args, call->arg_count * sizeof *args);
    args[call->arg_count] = front_const_int(&l->out, front_int_type(64, 1), bytes);
    call->result = front_emit_call(&l->out, call->name, call->type, call->arg_count + 1, args);
    return true;
}

bool front_lower_builtin(front_lowering *l, front_call *call) {
    if (lower_query(l, call) || front_lower_sub_group(l, call) || lower_synchronisation(l, call) ||
        lower_clock(l, call) || lower_space(l, call) || lower_vector_access(l, call) ||
        lower_out_pointer(l, call) || lower_group_copy(l, call))
        return true;
    if (!strcmp(call->name, "select") && call->arg_count == 3) {
        /* select(no, yes, condition): a scalar condition counts when it is not zero, a
         * vector's lanes when their highest bit is set. */
        bool is_scalar = front_type_of_value(&l->out, call->args[2]).lanes == 1;
        call->result =
            front_cook(l, call, is_scalar ? "select(ne(c, 0), b, a)" : "select(slt(c, 0), b, a)");
        return true;
    }
    char code = front_first_type_code(call->types);
    bool is_unsigned = code && strchr("htjm", code);
    if (code && strchr("acsilhtjm", code) && lower_integer(l, call, is_unsigned))
        return true;
    return is_unsigned && lower_unsigned(l, call);
}
