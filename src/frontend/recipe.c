/*
 * Recipes: arithmetic of kir as a text, so that what an instruction or a built-in function means is a
 * row of a table.
 *
 *     "select(slt(a, 0), sub(0, a), a)"                 the absolute value of a
 *     "x = add(a, b); add(x, zext:own(ult(x, a)))"      x is computed once
 *
 * A recipe is an expression, perhaps with some named values before it. Letters are values, those that
 * are given and those that it names. A number has the type of what it stands beside, or says it:
 * 1:i64. Types are i1 to i64 and f16 to f64, x4 behind one is a vector; `own` is that of the value a,
 * `wide` an integer of twice its bits, `result` what the caller wants, `void` none.
 *
 *     add(a, b), select(c, a, b) ..   operations of kir, by their names
 *     slt(a, b), oeq(a, b) ..         comparisons, by the names of predicates
 *     min max umin umax smin smax     the one or the other, as integers
 *     div rem shr lt le gt ge min max ext      as the signs are: sdiv or udiv
 *     zext:i64(a) sext trunc          the number in another width, also in its own
 *     bits:f32(a)                     the same bits
 *     local_id:i64(0:i32)             a query of the work-item
 *     %laneid                         a special register of PTX
 *     ~mul_hi(a, b)                   a call of mul_hi, or of u_mul_hi without signs
 *     popcount(a), clock:i64()        any other name is a call; its type is that of its first value
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "frontend/build.h"

enum { MOST_ARGS = 4 };

typedef struct cook {
    front_builder *b;
    const char *at;
    kir_value *letters;
    bool is_signed;
    kir_type result;
} cook;

static kir_value expression(cook *c);

static void blanks(cook *c) { c->at += strspn(c->at, " "); }

static bool accept(cook *c, char mark) {
    blanks(c);
    bool found = *c->at == mark;
    c->at += found;
    return found;
}

/* Behind a ':'. */
static kir_type type_at(cook *c) {
    size_t length = 0;
    while (isalnum((unsigned char)c->at[length]))
        length++;
    const char *at = c->at;
    c->at += length;
    if (!strncmp(at, "own", length))
        return front_type_of_value(c->b, c->letters[0]);
    if (!strncmp(at, "wide", length))
        return front_int_type((uint8_t)(2 * front_type_of_value(c->b, c->letters[0]).bits), 1);
    if (!strncmp(at, "result", length))
        return c->result;
    if (*at == 'v')
        return (kir_type){0};
    char *end;
    kir_type type = {*at == 'f' ? KIR_FLOAT : KIR_INT, (uint8_t)strtoul(at + 1, &end, 10), 1, 0};
    if (*end == 'x')
        type.lanes = (uint8_t)strtoul(end + 1, NULL, 10);
    return type;
}

/* One operation at work: its operands, of which numbers get their type when all are there. */
typedef struct operation {
    char name[40];
    bool has_type, is_number[MOST_ARGS];
    kir_type type;
    uint32_t count;
    kir_value args[MOST_ARGS];
    int64_t numbers[MOST_ARGS];
} operation;

static bool is(const operation *o, const char *words) { return hd_has_word(words, o->name); }

/* A number without a type, which its neighbours give. */
static bool plain_number(cook *c, int64_t *number) {
    char *end;
    blanks(c);
    if (!isdigit((unsigned char)*c->at) && *c->at != '-')
        return false;
    *number = (int64_t)strtoull(c->at, &end, 0);
    if (*end == ':')
        return false;
    c->at = end;
    return true;
}

static void read_operands(cook *c, operation *o) {
    if (!accept(c, '('))
        return;
    while (!accept(c, ')')) {
        uint32_t i = o->count++;
        o->is_number[i] = plain_number(c, &o->numbers[i]);
        if (!o->is_number[i])
            o->args[i] = expression(c);
        accept(c, ',');
    }
    /* What a select chooses by has a type of its own, and so have places in a vector. */
    uint32_t first = is(o, "select") ? 1 : 0, like = first;
    while (like < o->count && o->is_number[like])
        like++;
    kir_type type = like < o->count ? front_type_of_value(c->b, o->args[like]) : o->type;
    if (is(o, "extract insert"))
        type = front_int_type(64, 1);
    for (uint32_t i = 0; i < o->count; i++)
        if (o->is_number[i])
            o->args[i] = type.kind == KIR_FLOAT
                             ? front_const_real(c->b, type, (double)o->numbers[i])
                             : front_const_int(c->b, type, o->numbers[i]);
    if (!o->has_type && o->count)
        o->type = front_type_of_value(c->b, o->args[first]);
}

/* Those that go by signs get the name of the one that is meant. */
static void choose_sign(const cook *c, operation *o) {
    if (!is(o, "div rem lt le gt ge min max ext shr"))
        return;
    char old[sizeof o->name];
    memcpy(old, o->name, sizeof old);
    const char *prefix = c->is_signed ? "s" : "u";
    if (is(o, "shr"))
        prefix = c->is_signed ? "a" : "l";
    else if (is(o, "ext"))
        prefix = c->is_signed ? "s" : "z";
    strcpy(o->name, prefix);
    strcat(o->name, old);
}

static uint32_t find(const char *const *names, uint32_t count, const char *name) {
    uint32_t i = 0;
    while (i < count && strcmp(names[i], name) != 0)
        i++;
    return i;
}

static kir_value apply(cook *c, operation *o) {
    front_builder *b = c->b;
    if (is(o, "zext sext trunc"))
        return front_resize(b, o->args[0], o->type, o->name[0] == 's');
    if (is(o, "bits"))
        return front_bits_as(b, o->args[0], o->type);
    if (is(o, "umin umax smin smax")) {
        static const kir_pred preds[2][2] = {{KIR_P_ULT, KIR_P_UGT}, {KIR_P_SLT, KIR_P_SGT}};
        return front_emit_either(b, preds[o->name[0] == 's'][o->name[2] == 'a'], o->args[0],
                                 o->args[1]);
    }
    uint32_t query = find(kir_query_names, KIR_QUERY_COUNT, o->name);
    if (query < KIR_QUERY_COUNT) {
        kir_value value = front_emit(b, KIR_QUERY, o->type, o->count, o->args);
        b->insts.data[value].index = query;
        return value;
    }
    uint32_t pred = find(kir_pred_names, KIR_PRED_COUNT, o->name);
    if (pred < KIR_PRED_COUNT)
        return front_emit_compare(b, (kir_pred)pred, o->args[0], o->args[1]);
    if (is(o, "extract"))
        o->type = front_element_type(o->type);
    for (kir_op op = 0; op < KIR_OP_COUNT; op++)
        if (!strcmp(kir_op_name(op), o->name))
            return front_emit(b, op, o->type, o->count, o->args);
    return front_emit_call(b, o->name, o->type, o->count, o->args);
}

static kir_value expression(cook *c) {
    char *end;
    blanks(c);
    if (isdigit((unsigned char)*c->at) || *c->at == '-') {
        int64_t number = (int64_t)strtoull(c->at, &end, 0);
        bool has_type = *end == ':';
        c->at = end + has_type;
        return front_const_int(c->b, has_type ? type_at(c) : front_int_type(32, 1), number);
    }
    operation o = {.type = front_int_type(32, 1)};
    const char *start = c->at;
    bool by_sign = *start == '~', is_register = *start == '%';
    size_t length = by_sign || is_register;
    while (isalnum((unsigned char)start[length]) || start[length] == '_' ||
           (is_register && start[length] == '.'))
        length++;
    c->at += length;
    if (is_register) {
        kir_value value = 0;
        front_special_register(c->b, hd_strndup(c->b->arena, start + 1, length - 1), &value);
        return value;
    }
    if (length == 1)
        return c->letters[*start - 'a'];
    snprintf(o.name, sizeof o.name, "%s%.*s", by_sign && !c->is_signed ? "u_" : "",
             (int)(length - by_sign), start + by_sign);
    o.has_type = accept(c, ':');
    if (o.has_type)
        o.type = type_at(c);
    choose_sign(c, &o);
    read_operands(c, &o);
    return apply(c, &o);
}

const char *front_find_recipe(const front_named_recipe *rows, size_t count, const char *name) {
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(rows[i].name);
        bool is_beginning = rows[i].name[length - 1] == '.';
        if (is_beginning ? !strncmp(rows[i].name, name, length) : !strcmp(rows[i].name, name))
            return rows[i].recipe;
    }
    return NULL;
}

kir_value front_recipe(front_builder *b, const char *recipe, kir_value *letters, bool is_signed,
                       kir_type result) {
    cook c = {b, recipe, letters, is_signed, result};
    for (;;) {
        blanks(&c);
        char name = *c.at;
        const char *behind = name ? c.at + 1 + strspn(c.at + 1, " ") : c.at;
        if (*behind != '=')
            return expression(&c);
        c.at = behind + 1;
        kir_value value = expression(&c);
        letters[name - 'a'] = value;
        accept(&c, ';');
    }
}
