/* Instructions and their operands. */
#include "frontend/ptx/ptx_reader.h"

static ptx_operand read_operand(ptx_reader *r);

/* ---- opcodes ----------------------------------------------------------------------------- */

/* "ld.global.f32" in words, once for each text. */
static void split_opcode(ptx_reader *r, ptx_name *opcode) {
    uint32_t count = 1;
    for (const char *at = opcode->text; *at; at++)
        count += *at == '.';
    const char **words = hd_new_array(r->arena, const char *, count);
    const char *at = opcode->text;
    for (uint32_t w = 0; w < count; w++) {
        size_t length = strcspn(at, ".");
        words[w] = hd_strndup(r->arena, at, length);
        at += length + 1;
    }
    r->samples |= hd_has_word("tex tld4 txq suld sust sured suq", words[0]);
    opcode->words = words;
    opcode->word_count = count;
}

/* Modifiers may stand by themselves: "ld .global .f32". */
static uint32_t join_opcode(ptx_reader *r, const ptx_token *opcode) {
    if (r->now.kind != PTX_TOKEN_DOT)
        return opcode->name;
    hd_str text = {.arena = r->scratch};
    hd_str_add(&text, ptx_text(r, opcode));
    for (; r->now.kind == PTX_TOKEN_DOT; ptx_next(r))
        hd_str_add(&text, ptx_text(r, &r->now));
    return ptx_intern(r, hd_str_text(&text), text.length);
}

static void read_opcode(ptx_reader *r, const ptx_token *opcode, ptx_inst *inst) {
    const uint32_t number = join_opcode(r, opcode);
    ptx_name *name = &r->names.data[number];
    const char first = *name->text;
    if (first < 'a' || first > 'z') {
        ptx_misread(r, opcode, "%s is no instruction; these are lower-case letters",
                    ptx_spell(r, opcode));
        return;
    }
    if (!name->words)
        split_opcode(r, name);
    inst->words = name->words;
    inst->word_count = name->word_count;
}

/* ---- operands ------------------------------------------------------------------------------ */

/* Operands with commas between them, up to `end`, which is read, too; maybe none. */
static void read_list(ptx_reader *r, uint32_t end, ptx_operand **list, uint32_t *count) {
    const size_t first = r->operands.count;
    if (!ptx_is_mark(r, end) && ptx_enter(r)) {
        do {
            const ptx_operand o = read_operand(r);
            hd_push(r->scratch, &r->operands, o);
        } while (ptx_accept_mark(r, ','));
        ptx_leave(r);
    }
    ptx_expect_mark(r, end);
    /* The operands above `first` as a list. */
    const size_t items = r->operands.count - first;
    *list = items ? ptx_keep(r, r->operands.data + first, items, sizeof(ptx_operand)) : NULL;
    *count = (uint32_t)items;
    r->operands.count = first;
}

static void read_number(ptx_reader *r, ptx_operand *o) {
    const ptx_constant c = ptx_read_constant(r);
    const bool is_float = c.type == PTX_F32 || c.type == PTX_F64;
    o->kind = is_float ? PTX_FLOAT : PTX_INTEGER;
    o->type = is_float ? c.type : PTX_NO_TYPE;
    o->integer = c.bits;
}

/* name, name + 4. Outside of brackets also name[4], the address of an element; ptxas takes
 * "ld.global.u32 %r, name[4]" as well. */
static void read_named(ptx_reader *r, ptx_operand *o) {
    const ptx_token name = r->now;
    o->name = ptx_text(r, &name);
    ptx_next(r);
    if (o->kind == PTX_NAME && ptx_accept_mark(r, '[')) {
        const uint32_t bytes = ptx_element_bytes(r, name.name);
        o->kind = PTX_ADDRESS;
        o->integer = (int64_t)((uint64_t)ptx_read_integer(r) * bytes);
        ptx_expect_mark(r, ']');
        if (!bytes)
            ptx_misread(r, &name,
                        "%s is no variable that was declared before, so it has no elements",
                        ptx_spell(r, &name));
    } else
        o->integer = ptx_read_addend(r);
}

/* [name + 4], [4], [name, {x, y}]; ".unified" behind it only says where the variable is. */
static void read_address(ptx_reader *r, ptx_operand *o) {
    o->kind = PTX_ADDRESS;
    ptx_next(r);
    if (r->now.kind == PTX_TOKEN_WORD && !ptx_is_key(r, PTX_KEY_WARP_SZ))
        read_named(r, o);
    else
        o->integer = ptx_read_integer(r);
    if (ptx_accept_mark(r, ','))
        read_list(r, ']', &o->list, &o->count);
    else
        ptx_expect_mark(r, ']');
    ptx_accept_key(r, PTX_KEY_UNIFIED);
}

static void read_negated(ptx_reader *r, ptx_operand *o) {
    ptx_next(r);
    const ptx_token name = ptx_expect_name(r, "a predicate behind '!'");
    o->negated = true;
    o->name = ptx_text(r, &name);
}

static ptx_operand read_single(ptx_reader *r) {
    ptx_operand o = {.place = r->now.place};
    if (ptx_is_mark(r, '{')) {
        ptx_next(r);
        o.kind = PTX_VECTOR;
        read_list(r, '}', &o.list, &o.count);
    } else if (ptx_is_mark(r, '['))
        read_address(r, &o);
    else if (ptx_is_mark(r, '!'))
        read_negated(r, &o);
    else if (ptx_accept_key(r, PTX_KEY_SINK))
        o.kind = PTX_SINK;
    else if (ptx_starts_constant(r))
        read_number(r, &o);
    else if (r->now.kind == PTX_TOKEN_WORD)
        read_named(r, &o);
    else
        ptx_misread(r, &r->now, "expected an operand before %s", ptx_spell(r, &r->now));
    return o;
}

static ptx_operand read_operand(ptx_reader *r) {
    const ptx_operand first = read_single(r);
    if (!ptx_accept_mark(r, '|'))
        return first;
    ptx_operand pair = {.kind = PTX_PAIR, .place = first.place, .count = 2};
    pair.list = hd_new_array(r->arena, ptx_operand, 2);
    pair.list[0] = first;
    pair.list[1] = read_single(r);
    return pair;
}

/* ---- instructions ---------------------------------------------------------------------------- */

static ptx_operand read_parenthesis(ptx_reader *r) {
    ptx_operand o = {.kind = PTX_VECTOR, .place = r->now.place};
    if (ptx_accept_mark(r, '('))
        read_list(r, ')', &o.list, &o.count);
    return o;
}

/* (results), function, (arguments), prototype; all but the function may be missing. */
static void read_call(ptx_reader *r, ptx_inst *inst) {
    ptx_operand parts[4] = {read_parenthesis(r)};
    uint32_t count = 3;
    if (parts[0].count || ptx_is_mark(r, ','))
        ptx_expect_mark(r, ',');
    const ptx_token function = ptx_expect_name(r, "the name of a function");
    parts[1] = (ptx_operand){.name = ptx_text(r, &function), .place = function.place};
    parts[2] = (ptx_operand){.kind = PTX_VECTOR, .place = r->now.place};
    bool more = ptx_accept_mark(r, ',');
    if (more && ptx_is_mark(r, '(')) {
        parts[2] = read_parenthesis(r);
        more = ptx_accept_mark(r, ',');
    }
    if (more) {
        const ptx_token prototype = ptx_expect_name(r, "the name of a prototype");
        parts[count++] = (ptx_operand){.name = ptx_text(r, &prototype), .place = prototype.place};
    }
    ptx_expect_mark(r, ';');
    inst->operands = ptx_keep(r, parts, count, sizeof *parts);
    inst->operand_count = count;
}

void ptx_read_inst(ptx_reader *r, const ptx_token *opcode, ptx_inst *inst) {
    inst->place = opcode->place;
    inst->source = r->source;
    read_opcode(r, opcode, inst);
    if (r->status)
        return;
    if (!strcmp(inst->words[0], "call"))
        read_call(r, inst);
    else
        read_list(r, ';', &inst->operands, &inst->operand_count);
    /* "mov %rd, name[4]" wants the address, not what is there */
    for (uint32_t i = 0; i < inst->operand_count && !strcmp(inst->words[0], "mov"); i++)
        if (inst->operands[i].kind == PTX_ADDRESS && inst->operands[i].name)
            inst->operands[i].kind = PTX_NAME;
    ptx_rename_inst(r, inst);
}
