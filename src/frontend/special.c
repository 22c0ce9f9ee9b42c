/*
 * Special registers of PTX, which CUDA C reads through functions and inline assembly:
 *
 *     %tid.x       query local_id 0          %laneid       of the local linear id, the lower bits
 *     %ctaid.x     query group_id 0          %lanemask_lt  of that
 *
 * The warps of a block are its threads in order, 32 at a time. Time is the number of instructions
 * that the block has run so far.
 */
#include "frontend/build.h"

static kir_type i32(void) { return front_int_type(32, 1); }

static kir_value number(front_builder *b, int64_t value) {
    return front_const_int(b, i32(), value);
}

static kir_value query(front_builder *b, kir_query which, int dimension) {
    kir_value argument = dimension < 0 ? 0 : number(b, dimension);
    kir_value value =
        front_emit(b, KIR_QUERY, front_int_type(64, 1), dimension < 0 ? 0 : 1, &argument);
    b->insts.data[value].index = which;
    return front_emit1(b, KIR_TRUNC, i32(), value);
}

static kir_value lane_id(front_builder *b) {
    return front_emit2(b, KIR_AND, i32(), query(b, KIR_Q_LOCAL_LINEAR_ID, -1), number(b, 31));
}

/* The lanes below, at, or above this one. */
static bool lane_mask(front_builder *b, const char *which, kir_value *result) {
    static const char *const names[] = {"eq", "lt", "le", "gt", "ge"};
    size_t n = 0;
    while (n < 5 && strcmp(which, names[n]))
        n++;
    if (n == 5)
        return false;
    kir_value own = front_emit2(b, KIR_SHL, i32(), number(b, 1), lane_id(b));
    kir_value below = front_emit2(b, KIR_SUB, i32(), own, number(b, 1));
    kir_value up_to = front_emit2(b, KIR_OR, i32(), own, below);
    *result = n == 0 ? own : n == 1 || n == 4 ? below : up_to;
    if (n >= 3) /* gt is not le, ge is not lt */
        *result = front_emit2(b, KIR_XOR, i32(), *result, number(b, -1));
    return true;
}

/* 64 bits; the lower ones are %clock. */
static kir_value time_passed(front_builder *b, bool is_high) {
    kir_type wide = front_int_type(64, 1);
    kir_value value = front_emit_call(b, "clock", wide, 0, NULL);
    return is_high ? front_emit2(b, KIR_LSHR, wide, value, front_const_int(b, wide, 32)) : value;
}

static bool indexed_register(front_builder *b, const char *name, kir_value *result) {
    static const struct {
        const char *prefix;
        kir_query query;
    } indexed[] = {{"tid.", KIR_Q_LOCAL_ID},
                   {"ntid.", KIR_Q_LOCAL_SIZE},
                   {"ctaid.", KIR_Q_GROUP_ID},
                   {"nctaid.", KIR_Q_NUM_GROUPS}};
    for (size_t i = 0; i < sizeof indexed / sizeof *indexed; i++) {
        size_t length = strlen(indexed[i].prefix);
        const char *letter = name + length;
        if (!strncmp(name, indexed[i].prefix, length) && *letter >= 'x' && *letter <= 'z') {
            *result = query(b, indexed[i].query, *letter - 'x');
            return true;
        }
    }
    return false;
}

bool front_special_register(front_builder *b, const char *name, kir_value *result) {
    static const char mask[] = "lanemask";
    bool is_mask = !strncmp(name, mask, sizeof mask - 1) && strchr("._", name[sizeof mask - 1]);
    if (indexed_register(b, name, result))
        return true;
    bool is_time = !strcmp(name, "clock") || !strcmp(name, "clock64") ||
                   !strcmp(name, "clock_hi") || !strncmp(name, "globaltimer", 11);
    if (is_time)
        *result = time_passed(b, strstr(name, "hi") != NULL);
    else if (!strcmp(name, "laneid"))
        *result = lane_id(b);
    else if (!strcmp(name, "warpid"))
        *result =
            front_emit2(b, KIR_LSHR, i32(), query(b, KIR_Q_LOCAL_LINEAR_ID, -1), number(b, 5));
    else if (!strcmp(name, "warpsize"))
        *result = number(b, 32);
    else if (!strcmp(name, "nwarpid")) {
        kir_value threads = query(b, KIR_Q_LOCAL_SIZE, 0);
        for (int d = 1; d < 3; d++)
            threads = front_emit2(b, KIR_MUL, i32(), threads, query(b, KIR_Q_LOCAL_SIZE, d));
        threads = front_emit2(b, KIR_ADD, i32(), threads, number(b, 31));
        *result = front_emit2(b, KIR_LSHR, i32(), threads, number(b, 5));
    } else
        return is_mask && name[sizeof mask - 1] && lane_mask(b, name + sizeof mask, result);
    return true;
}
