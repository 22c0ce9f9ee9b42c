/*
 * Reads the text form of kir (docs/kir.md) into a module.
 *
 * The reader is a recursive descent over tokens; line ends mean nothing. A
 * value or block may be named before it is made, so operands are first kept as
 * numbers of names and turned into indices at the end of the kernel, in order
 * of appearance. After the first error the reader sees only the end of the
 * text, so every function falls through to its caller and one message results.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

#include "base/scan.h"
#include "base/table.h"
#include "kernel/kir.h"

typedef enum token_kind { END, WORD, VALUE, STRING, MARK } token_kind;

typedef struct token {
    token_kind kind;
    const char *text; /* without % and quotes */
    const char *at;
} token;

/* Names of values or of blocks, numbered in order of first mention. */
typedef struct name_entry {
    uint32_t index; /* of the instruction or block; KIR_NONE: not made yet */
    token first;    /* its text is the name */
} name_entry;
typedef struct name_table {
    hd_hash_table numbers;
    hd_vec(name_entry) entries;
} name_table;

typedef struct reader {
    hd_arena *arena;
    hd_scan s;
    token now;
    kir_module *module;
    name_table *values, *blocks;
    token kernel;         /* where the kernel at hand begins, */
    hd_vec(token) starts; /* and each of its instructions */
} reader;

/* ---- tokens -------------------------------------------------------------------- */

__attribute__((format(printf, 3, 4))) static void wrong(reader *r, const token *where,
                                                        const char *format, ...) {
    va_list args;
    va_start(args, format);
    hd_scan_vfail(&r->s, HD_EINPUT, where->at, format, args);
    va_end(args);
    r->now.kind = END;
}

static bool word_goes_on(const char *start, const char *at) {
    if (isalnum((unsigned char)*at) || *at == '_' || *at == '.' || *at == '$')
        return true;
    bool number = isdigit((unsigned char)*start) || *start == '-';
    bool exponent = at > start && (at[-1] == 'e' || at[-1] == 'E') && number && start[1] != 'x';
    return (*at == '-' || *at == '+') && exponent;
}

static int hex_digit(char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* A byte may be \\ and two digits. */
static void read_string(reader *r) {
    hd_str out = {.arena = r->arena};
    hd_span inside = {0};
    r->now.kind = STRING;
    if (!hd_scan_quoted(&r->s, &inside))
        wrong(r, &r->now, "the string has no end; add a \" to this line");
    for (const char *at = inside.at; !r->s.status && at < inside.at + inside.length; at++) {
        char c = *at;
        if (c == '\\' && hex_digit(at[1]) >= 0 && hex_digit(at[2]) >= 0) {
            c = (char)(hex_digit(at[1]) * 16 + hex_digit(at[2]));
            at += 2;
        } else if (c == '\\' && at[1])
            c = *++at;
        hd_str_addn(&out, &c, 1);
    }
    r->now.text = hd_str_text(&out);
}

static void next(reader *r) {
    hd_scan *s = &r->s;
    hd_scan_blanks(s);
    r->now = (token){END, "end of text", s->at};
    if (s->at == s->end)
        return;
    if (hd_scan_peek(s) == '"') {
        read_string(r);
        return;
    }
    bool value = hd_scan_peek(s) == '%';
    const char *start = s->at + value;
    s->at = start + (*start == '-' && !value);
    while (word_goes_on(start, s->at))
        s->at++;
    r->now.kind = value ? VALUE : WORD;
    if (s->at == start) {
        r->now.kind = MARK;
        s->at++;
    }
    r->now.text = hd_strndup(r->arena, start, (size_t)(s->at - start));
}

static bool is_mark(const reader *r, char mark) {
    return r->now.kind == MARK && r->now.text[0] == mark;
}

static bool accept_mark(reader *r, char mark) {
    bool found = is_mark(r, mark);
    if (found)
        next(r);
    return found;
}

static void expect_mark(reader *r, char mark) {
    if (!accept_mark(r, mark))
        wrong(r, &r->now, "expected '%c' before '%s'", mark, r->now.text);
}

static bool accept_word(reader *r, const char *word) {
    bool found = r->now.kind == WORD && !strcmp(r->now.text, word);
    if (found)
        next(r);
    return found;
}

static const char *expect(reader *r, token_kind kind, const char *what) {
    const char *text = r->now.text;
    if (r->now.kind != kind) {
        wrong(r, &r->now, "expected %s before '%s'", what, text);
        return "";
    }
    next(r);
    return text;
}

static int64_t expect_number(reader *r) {
    token here = r->now;
    const char *text = expect(r, WORD, "a number");
    char *end = NULL;
    errno = 0;
    int64_t number = *text == '-' ? strtoll(text, &end, 0) : (int64_t)strtoull(text, &end, 0);
    if (!r->s.status && (end == text || *end || errno))
        wrong(r, &here, "'%s' is not a number that fits 64 bits", text);
    return number;
}

static uint32_t expect_small(reader *r) {
    token here = r->now;
    int64_t number = expect_number(r);
    if (number < 0 || number >= KIR_NONE)
        wrong(r, &here, "'%s' is out of range", here.text);
    return (uint32_t)number;
}

static uint32_t expect_name(reader *r, const char *const *names, uint32_t count, const char *what) {
    token here = r->now;
    const char *text = expect(r, WORD, what);
    for (uint32_t i = 0; i < count; i++)
        if (!strcmp(names[i], text))
            return i;
    wrong(r, &here, "'%s' is not %s", text, what);
    return 0;
}

/* ---- names ------------------------------------------------------------------------ */

static name_table *new_names(hd_arena *arena) {
    name_table *table = hd_new(arena, name_table);
    table->numbers = (hd_hash_table){.arena = arena, .key_bytes = HD_TEXT_KEYS};
    return table;
}

static uint32_t intern(reader *r, name_table *table, const token *name) {
    uint64_t number = hd_hash_add_key(&table->numbers, name->text, table->entries.count);
    if (number == table->entries.count)
        hd_push(r->arena, &table->entries, (name_entry){KIR_NONE, *name});
    return (uint32_t)number;
}

static void define(reader *r, name_table *table, const token *name, uint32_t index) {
    uint32_t n = intern(r, table, name);
    if (table->entries.data[n].index != KIR_NONE)
        wrong(r, name, "'%s' is made twice; give one of them another name", name->text);
    else
        table->entries.data[n].index = index;
}

static uint32_t resolve(reader *r, const name_table *table, uint32_t n, const char *what) {
    const name_entry *entry = &table->entries.data[n];
    if (entry->index == KIR_NONE)
        wrong(r, &entry->first, "%s '%s' is used but never made", what, entry->first.text);
    return entry->index;
}

/* ---- types ------------------------------------------------------------------------ */

static bool type_of_word(const char *text, kir_type *type) {
    *type = (kir_type){.lanes = 1};
    if (!strncmp(text, "ptr.", 4)) {
        for (uint8_t s = 0; s <= KIR_GENERIC; s++)
            if (!strcmp(text + 4, kir_space_names[s])) {
                *type = (kir_type){KIR_PTR, 64, 1, s};
                return true;
            }
        return false;
    }
    if (text[0] != 'i' && text[0] != 'f')
        return false;
    char *end;
    type->kind = text[0] == 'i' ? KIR_INT : KIR_FLOAT;
    unsigned long bits = strtoul(text + 1, &end, 10);
    unsigned long lanes = *end == 'x' ? strtoul(end + 1, &end, 10) : 1;
    type->bits = (uint8_t)bits;
    type->lanes = (uint8_t)lanes;
    return !*end && bits >= 1 && bits <= 64 && lanes >= 1 && lanes <= 16;
}

static kir_type expect_type(reader *r) {
    token here = r->now;
    kir_type type;
    const char *text = expect(r, WORD, "a type");
    if (!type_of_word(text, &type))
        wrong(r, &here, "'%s' is no type; write i32, f32x4, ptr.global ...", text);
    return type;
}

/* ---- instructions -------------------------------------------------------------- */

typedef hd_vec(uint32_t) index_list;
typedef hd_vec(uint64_t) number_list;

static uint32_t expect_value(reader *r) {
    token here = r->now;
    expect(r, VALUE, "a value (%name)");
    return r->s.status ? 0 : intern(r, r->values, &here);
}

static uint32_t expect_block(reader *r) {
    token here = r->now;
    expect(r, WORD, "a block");
    return r->s.status ? 0 : intern(r, r->blocks, &here);
}

static uint64_t float_bits(reader *r, kir_type type) {
    token here = r->now;
    if (!strncmp(here.text, "0x", 2) || type.bits == 16)
        return (uint64_t)expect_number(r);
    const char *text = expect(r, WORD, "a number");
    char *end;
    double wide = strtod(text, &end);
    float narrow = strtof(text, NULL);
    uint64_t bits = 0;
    if (type.bits == 32)
        memcpy(&bits, &narrow, sizeof narrow);
    else
        memcpy(&bits, &wide, sizeof wide);
    if (!r->s.status && (end == text || *end))
        wrong(r, &here, "'%s' is not a number", text);
    return bits;
}

/* %base { + %index*scale } [ + offset ] [ in "record" + offset ] */
static void read_addr(reader *r, kir_inst *inst) {
    index_list args = {0};
    hd_vec(int64_t) scales = {0};
    hd_push(r->arena, &args, expect_value(r));
    while (accept_mark(r, '+')) {
        if (r->now.kind != VALUE) {
            inst->offset += expect_number(r);
            continue;
        }
        hd_push(r->arena, &args, expect_value(r));
        hd_push(r->arena, &scales, accept_mark(r, '*') ? expect_number(r) : 1);
    }
    if (accept_word(r, "in")) {
        inst->record = expect(r, STRING, "a record's name in quotes");
        if (accept_mark(r, '+'))
            inst->field_offset = expect_small(r);
    }
    hd_keep(&args, inst->args, inst->arg_count);
    inst->scale = scales.data;
}

static void read_phi(reader *r, kir_inst *inst) {
    index_list args = {0}, from = {0};
    while (accept_mark(r, '[')) {
        hd_push(r->arena, &args, expect_value(r));
        expect_mark(r, ',');
        hd_push(r->arena, &from, expect_block(r));
        expect_mark(r, ']');
        if (!accept_mark(r, ','))
            break;
    }
    inst->from = from.data;
    hd_keep(&args, inst->args, inst->arg_count);
}

static bool is_followed_by(const reader *r, char mark) {
    reader ahead = *r;
    ahead.s.diag = NULL; /* what is wrong there will be said when it is read */
    next(&ahead);
    return is_mark(&ahead, mark);
}

/* Values with commas between them; a comma before a block's name ends the list. */
static void read_args(reader *r, kir_inst *inst) {
    index_list args = {0};
    bool none = is_followed_by(r, '='); /* `%x =` is the next instruction */
    while (r->now.kind == VALUE && !none) {
        hd_push(r->arena, &args, expect_value(r));
        if (!accept_mark(r, ','))
            break;
    }
    hd_keep(&args, inst->args, inst->arg_count);
}

static void read_operands(reader *r, kir_inst *inst) {
    number_list numbers = {0};
    switch (inst->op) {
    case KIR_CONST:
        do
            hd_push(r->arena, &numbers,
                    inst->type.kind == KIR_FLOAT ? float_bits(r, inst->type)
                                                 : (uint64_t)expect_number(r));
        while (accept_mark(r, ','));
        break;
    case KIR_PARAM:
    case KIR_STATIC: inst->index = expect_small(r); break;
    case KIR_ADDR: read_addr(r, inst); break;
    case KIR_PHI: read_phi(r, inst); break;
    case KIR_ALLOCA:
        hd_push(r->arena, &numbers, (uint64_t)expect_number(r));
        hd_push(r->arena, &numbers, accept_word(r, "align") ? (uint64_t)expect_number(r) : 4);
        break;
    default: read_args(r, inst);
    }
    if (inst->op == KIR_SHUFFLE) {
        expect_mark(r, '[');
        do
            hd_push(r->arena, &numbers,
                    accept_word(r, "undef") ? UINT64_MAX : (uint64_t)expect_number(r));
        while (accept_mark(r, ','));
        expect_mark(r, ']');
    } else if (inst->op == KIR_BR || inst->op == KIR_CONDBR || inst->op == KIR_SWITCH) {
        index_list to = {0};
        hd_push(r->arena, &to, expect_block(r));
        if (inst->op == KIR_CONDBR) {
            expect_mark(r, ',');
            hd_push(r->arena, &to, expect_block(r));
        } else if (inst->op == KIR_SWITCH) {
            expect_mark(r, '[');
            while (r->now.kind == WORD) {
                hd_push(r->arena, &numbers, (uint64_t)expect_number(r));
                expect_mark(r, ':');
                hd_push(r->arena, &to, expect_block(r));
                if (!accept_mark(r, ','))
                    break;
            }
            expect_mark(r, ']');
        }
        hd_keep(&to, inst->to, inst->to_count);
    }
    hd_keep(&numbers, inst->imm, inst->imm_count);
}

static void read_inst(reader *r, kir_inst *inst) {
    bool has_value = r->now.kind == VALUE;
    if (has_value) {
        next(r);
        expect_mark(r, '=');
    }
    inst->op = (kir_op)expect_name(r, kir_op_names, KIR_OP_COUNT, "an opcode");
    if (inst->op == KIR_QUERY)
        inst->index = expect_name(r, kir_query_names, KIR_QUERY_COUNT, "a query");
    else if (inst->op == KIR_ATOMIC)
        inst->index = expect_name(r, kir_rmw_names, KIR_RMW_COUNT, "an atomic operation");
    else if (inst->op == KIR_ICMP || inst->op == KIR_FCMP)
        inst->pred = (kir_pred)expect_name(r, kir_pred_names, KIR_PRED_COUNT, "a predicate");
    else if (inst->op == KIR_CALL)
        inst->name = expect(r, STRING, "the name of a built-in function in quotes");
    if (has_value)
        inst->type = expect_type(r);
    read_operands(r, inst);
    if (accept_word(r, "align"))
        inst->align = expect_small(r);
    inst->is_volatile = accept_word(r, "volatile");
    for (uint32_t o = KIR_RELAXED; o < KIR_ORDER_COUNT && !inst->order; o++)
        if (accept_word(r, kir_order_names[o]))
            inst->order = (kir_order)o;
    inst->is_block_scope = accept_word(r, "block_scope");
    if (!accept_mark(r, '!'))
        return;
    uint32_t numbers[3] = {0}, count = 0;
    do
        numbers[count++] = expect_small(r);
    while (count < 3 && accept_mark(r, ':'));
    inst->file = count == 3 ? numbers[0] : 0;
    inst->line = numbers[count == 3];
    inst->column = numbers[(count == 3) + 1];
}

/* ---- kernels -------------------------------------------------------------------- */

typedef hd_vec(kir_inst) inst_list;
typedef hd_vec(kir_block) block_list;

static hd_place read_place(reader *r) {
    hd_place place = {0};
    if (!accept_word(r, "at"))
        return place;
    place.file = expect(r, STRING, "a file's name in quotes");
    expect_mark(r, ':');
    place.line = expect_small(r);
    expect_mark(r, ':');
    place.column = expect_small(r);
    return place;
}

static hd_record *read_record_name(reader *r) {
    if (!accept_word(r, "record"))
        return NULL;
    token here = r->now;
    const char *name = expect(r, STRING, "a record's name in quotes");
    for (uint32_t i = 0; i < r->module->record_count; i++)
        if (!strcmp(r->module->records[i]->name, name))
            return r->module->records[i];
    wrong(r, &here, "there is no record \"%s\" before this line", name);
    return NULL;
}

/* The object that a parameter is of, and the format of an image where it has one. */
static void read_object(reader *r, kir_param *param) {
    static const char *const words[] = {"texture", "image", "sampler"};
    for (int i = 0; i < 3 && !param->object; i++)
        if (accept_word(r, words[i]))
            param->object = (kir_object)(KIR_TEXTURE + i);
    if (param->object != KIR_IMAGE || r->now.kind != WORD || !kir_image_order_named(r->now.text))
        return;
    token here = r->now;
    param->format.order =
        kir_image_order_named(expect(r, WORD, "the order of an image's channels"));
    param->format.type = kir_image_type_named(expect(r, WORD, "the type of an image's channels"));
    if (!kir_image_texel(r->arena, param->format))
        wrong(r, &here, "no image has these channels");
}

static kir_param read_param(reader *r) {
    token here = r->now;
    kir_param param = {.name = expect(r, STRING, "the parameter's name in quotes")};
    param.type = expect_type(r);
    if (accept_word(r, "type"))
        param.type_name = expect(r, STRING, "a C type in quotes");
    if (param.type.kind != KIR_PTR)
        param.bytes = kir_type_bytes(param.type);
    if (accept_word(r, "bytes"))
        param.bytes = expect_small(r);
    param.record = read_record_name(r);
    param.element_bytes = param.record ? param.record->size : 0;
    if (accept_word(r, "element"))
        param.element_bytes = expect_small(r);
    if (accept_word(r, "of"))
        param.element_type = expect(r, STRING, "a C type in quotes");
    param.is_const = accept_word(r, "const");
    param.is_restrict = accept_word(r, "restrict");
    param.by_value_struct = accept_word(r, "value");
    read_object(r, &param);
    if (param.type.kind != KIR_PTR &&
        (param.by_value_struct || param.bytes != kir_type_bytes(param.type)))
        wrong(r, &here, "parameter \"%s\" cannot be a value of %u bytes of its type", param.name,
              param.bytes);
    else if (param.record && (param.element_bytes != param.record->size ||
                              (param.by_value_struct && param.bytes != param.record->size)))
        wrong(r, &here, "parameter \"%s\" is of records of %u bytes, not of %u", param.name,
              param.record->size, param.by_value_struct ? param.bytes : param.element_bytes);
    return param;
}

static const uint8_t *read_init(reader *r, uint64_t bytes) {
    token here = r->now;
    const char *text = expect(r, STRING, "bytes in hexadecimal in quotes");
    if (!r->s.status && strlen(text) != bytes * 2) {
        wrong(r, &here, "initialises %zu bytes, but the variable has %llu", strlen(text) / 2,
              (unsigned long long)bytes);
        return NULL;
    }
    uint8_t *init = hd_new_array(r->arena, uint8_t, bytes + 1);
    for (uint64_t i = 0; i < bytes && !r->s.status; i++) {
        int high = hex_digit(text[2 * i]), low = hex_digit(text[2 * i + 1]);
        if (high < 0 || low < 0)
            wrong(r, &here, "'%c%c' are not two digits of 0-9 and a-f", text[2 * i],
                  text[2 * i + 1]);
        init[i] = (uint8_t)(high * 16 + low);
    }
    return init;
}

static void read_pointers(reader *r, kir_static *variable) {
    hd_vec(kir_pointer) pointers = {0};
    while (accept_word(r, "pointer")) {
        kir_pointer pointer = {.offset = (uint64_t)expect_number(r)};
        if (!accept_word(r, "to"))
            wrong(r, &r->now, "a pointer in a variable needs 'to' and the number of a variable");
        pointer.to = expect_small(r);
        if (accept_mark(r, '+'))
            pointer.addend = expect_number(r);
        hd_push(r->arena, &pointers, pointer);
    }
    hd_keep(&pointers, variable->pointers, variable->pointer_count);
}

static kir_static read_static(reader *r) {
    kir_static variable = {.name = expect(r, STRING, "the variable's name in quotes")};
    variable.space = (kir_space)expect_name(r, kir_space_names, KIR_GENERIC + 1, "a memory space");
    variable.is_dynamic = accept_word(r, "dynamic");
    variable.bytes = accept_word(r, "bytes") ? (uint64_t)expect_number(r) : 0;
    variable.align = accept_word(r, "align") ? expect_small(r) : 1;
    variable.record = read_record_name(r);
    if (!hd_is_power_of_two(variable.align))
        wrong(r, &r->now, "the alignment of \"%s\" is no power of two", variable.name);
    token here = r->now;
    if (accept_word(r, "zero") && variable.bytes > (uint64_t)1 << 32)
        wrong(r, &here, "a variable of more than 2^32 bytes is beyond any device");
    else if (here.kind == WORD && !strcmp(here.text, "zero"))
        variable.init = hd_new_array(r->arena, uint8_t, variable.bytes + 1);
    else if (accept_word(r, "init"))
        variable.init = read_init(r, variable.bytes);
    read_pointers(r, &variable);
    return variable;
}

static void read_blocks(reader *r, kir_kernel *kernel) {
    inst_list insts = {0};
    block_list blocks = {0};
    while (!r->s.status && !is_mark(r, '}')) {
        token label = r->now;
        expect(r, WORD, "a block's label");
        expect_mark(r, ':');
        if (!r->s.status)
            define(r, r->blocks, &label, (uint32_t)blocks.count);
        index_list list = {0};
        while (!r->s.status && !is_mark(r, '}')) {
            token name = r->now;
            if (name.kind == WORD && is_followed_by(r, ':')) /* the label of the next block */
                break;
            kir_inst inst = {.block = (uint32_t)blocks.count};
            hd_push(r->arena, &r->starts, name);
            read_inst(r, &inst);
            if (!r->s.status && name.kind == VALUE)
                define(r, r->values, &name, (uint32_t)insts.count);
            hd_push(r->arena, &list, (uint32_t)insts.count);
            hd_push(r->arena, &insts, inst);
        }
        kir_block block = {.insts = list.data, .inst_count = (uint32_t)list.count};
        hd_push(r->arena, &blocks, block);
    }
    hd_keep(&insts, kernel->insts, kernel->inst_count);
    hd_keep(&blocks, kernel->blocks, kernel->block_count);
}

static hd_place place_of_value(const void *user, kir_value value) {
    const reader *r = user;
    hd_scan s = r->s;
    return hd_scan_place(&s, value < r->starts.count ? r->starts.data[value].at : r->kernel.at);
}

static kir_kernel *read_kernel(reader *r) {
    kir_kernel *kernel = hd_new(r->arena, kir_kernel);
    r->kernel = r->now;
    r->starts.count = 0;
    kernel->name = expect(r, STRING, "the kernel's name in quotes");
    if (accept_word(r, "local"))
        for (int d = 0; d < 3; d++) {
            token size = r->now;
            kernel->required_local[d] = expect_small(r);
            if (!kernel->required_local[d])
                wrong(r, &size, "a size of work-groups is from 1 on");
        }
    if (accept_word(r, "cluster"))
        for (int d = 0; d < 3; d++) {
            token size = r->now;
            kernel->required_cluster[d] = expect_small(r);
            if (!kernel->required_cluster[d])
                wrong(r, &size, "a size of clusters is from 1 on");
        }
    if (accept_word(r, "sub_group")) {
        token size = r->now;
        kernel->sub_group = expect_small(r);
        if (!hd_is_power_of_two(kernel->sub_group) || kernel->sub_group > 64)
            wrong(r, &size, "a sub-group has 1, 2, 4, 8, 16, 32 or 64 lanes");
    }
    kernel->place = read_place(r);
    expect_mark(r, '{');
    r->values = new_names(r->arena);
    r->blocks = new_names(r->arena);
    hd_vec(kir_param) params = {0};
    hd_vec(kir_static) statics = {0};
    while (!r->s.status) {
        if (accept_word(r, "param"))
            hd_push(r->arena, &params, read_param(r));
        else if (accept_word(r, "static"))
            hd_push(r->arena, &statics, read_static(r));
        else
            break;
    }
    hd_keep(&params, kernel->params, kernel->param_count);
    hd_keep(&statics, kernel->statics, kernel->static_count);
    read_blocks(r, kernel);
    expect_mark(r, '}');
    for (uint32_t i = 0; i < kernel->inst_count && !r->s.status; i++) {
        kir_inst *inst = &kernel->insts[i];
        for (uint32_t k = 0; k < inst->arg_count; k++)
            inst->args[k] = resolve(r, r->values, inst->args[k], "value");
        for (uint32_t k = 0; inst->from && k < inst->arg_count; k++)
            inst->from[k] = resolve(r, r->blocks, inst->from[k], "block");
        for (uint32_t k = 0; k < inst->to_count; k++)
            inst->to[k] = resolve(r, r->blocks, inst->to[k], "block");
    }
    if (!r->s.status)
        r->s.status = kir_finish_at(r->arena, r->s.diag, kernel, place_of_value, r);
    return kernel;
}

/* ---- records --------------------------------------------------------------------- */

static uint32_t expect_named(reader *r, const char *name) {
    if (!accept_word(r, name))
        wrong(r, &r->now, "expected '%s' before '%s'", name, r->now.text);
    return expect_small(r);
}

/* Fields stand in order; `end` is that of the one before. */
static void check_field(reader *r, const token *at, const hd_record *record, const hd_field *field,
                        uint64_t end) {
    const hd_record *nested = field->record;
    if (field->offset > record->size || field->size > record->size - field->offset ||
        field->offset < end)
        wrong(r, at, "field \"%s\" does not fit into record \"%s\" of %u bytes%s", field->name,
              record->name, record->size, end ? ", behind the field before it" : "");
    else if (!field->size || !field->count || field->size % field->count ||
             (nested && field->size / field->count != nested->size))
        wrong(r, at, "field \"%s\" of %u bytes cannot be %u elements of one size%s%s", field->name,
              field->size, field->count, nested ? ", that of record " : "",
              nested ? nested->name : "");
    else if (field->lanes && (field->lanes > 16 || field->lanes == 1 || nested ||
                              field->size / field->count % (field->lanes == 3 ? 4 : field->lanes)))
        wrong(r, at, "field \"%s\" of %u bytes cannot be vectors of %u lanes", field->name,
              field->size, field->lanes);
    else if (!hd_is_power_of_two(field->align) || field->align > record->align ||
             field->offset % field->align)
        wrong(r, at,
              "field \"%s\" at byte %u of a record that is aligned to %u cannot be aligned to %u",
              field->name, field->offset, record->align, field->align);
}

static hd_record *read_record(reader *r) {
    hd_record *record = hd_new(r->arena, hd_record);
    token here = r->now;
    record->name = expect(r, STRING, "the record's name in quotes");
    if (accept_word(r, "type"))
        record->spelling = expect(r, STRING, "its C type in quotes");
    record->size = expect_named(r, "size");
    record->align = expect_named(r, "align");
    if (!hd_is_power_of_two(record->align) || record->size % record->align)
        wrong(r, &here,
              "record \"%s\" needs an alignment that is a power of two, and a size that is a "
              "multiple of it",
              record->name);
    record->place = read_place(r);
    expect_mark(r, '{');
    hd_vec(hd_field) fields = {0};
    uint64_t end = 0; /* of the fields so far */
    while (!r->s.status && !is_mark(r, '}')) {
        token at = r->now;
        hd_field field = {.name = expect(r, STRING, "a field's name in quotes")};
        field.type = expect(r, STRING, "its C type in quotes");
        field.offset = expect_named(r, "offset");
        field.size = expect_named(r, "size");
        field.align = expect_named(r, "align");
        field.count = accept_word(r, "count") ? expect_small(r) : 1;
        field.lanes = accept_word(r, "lanes") ? expect_small(r) : 0;
        field.record = read_record_name(r);
        check_field(r, &at, record, &field, end);
        end = (uint64_t)field.offset + field.size;
        hd_push(r->arena, &fields, field);
    }
    expect_mark(r, '}');
    if (fields.count > HD_MAX_FIELDS || !record->size)
        wrong(r, &here, "record \"%s\" needs a size, and at most %d fields", record->name,
              HD_MAX_FIELDS);
    hd_keep(&fields, record->fields, record->field_count);
    return record;
}

hd_status kir_parse(hd_arena *arena, const hd_diag *diag, const char *file, const char *text,
                    kir_module **module) {
    reader r = {.arena = arena,
                .s = hd_scan_text(arena, diag, file, text),
                .module = hd_new(arena, kir_module)};
    hd_vec(kir_file) files = {0};
    hd_vec(hd_record *) records = {0};
    hd_vec(kir_kernel *) kernels = {0};
    r.s.comment = ";";
    next(&r);
    while (!r.s.status && r.now.kind != END) {
        if (accept_word(&r, "rule"))
            r.module->rules |= 1u << expect_name(&r, kir_rule_names, KIR_RULE_COUNT, "a rule");
        else if (accept_word(&r, "file"))
            hd_push(arena, &files, (kir_file){expect(&r, STRING, "a file's name in quotes"), NULL});
        else if (accept_word(&r, "record"))
            hd_push(arena, &records, read_record(&r));
        else if (accept_word(&r, "kernel"))
            hd_push(arena, &kernels, read_kernel(&r));
        else
            wrong(&r, &r.now, "expected rule, file, record or kernel before '%s'", r.now.text);
        hd_keep(&records, r.module->records, r.module->record_count);
    }
    hd_keep(&files, r.module->files, r.module->file_count);
    hd_keep(&kernels, r.module->kernels, r.module->kernel_count);
    *module = r.s.status ? NULL : r.module;
    return r.s.status;
}
