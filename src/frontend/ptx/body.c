/* Bodies: blocks, labels, declarations, instructions. */
#include "frontend/ptx/ptx_reader.h"

static void take_local(ptx_reader *r, const ptx_token *name, ptx_variable *v) {
    const bool is_static = v->space == PTX_GLOBAL || v->space == PTX_CONST;
    v->name = ptx_declare_variable(r, name, v, is_static);
    v->part = r->part;
    if (is_static) /* one for all threads: the module's, under a name of its own */
        hd_push(r->scratch, &r->variables, *v);
    else
        hd_push(r->scratch, &r->locals, *v);
}

/* .branchtargets a, b; */
static void read_targets(ptx_reader *r, const char *label) {
    hd_vec(const char *) names = {0};
    ptx_next(r);
    do {
        const ptx_token name = ptx_expect_name(r, "the name of a label or function");
        hd_push(r->scratch, &names, ptx_text(r, &name));
    } while (ptx_accept_mark(r, ','));
    ptx_expect_mark(r, ';');
    const char **kept;
    uint32_t count;
    PTX_KEEP(r, &names, kept, count);
    ptx_rename_labels(r, kept, count);
    hd_push(r->scratch, &r->targets, (struct ptx_targets){label, kept, count});
}

/* .callprototype (.param .b32 _) _ (.param .b64 _); the calls that name it say as much. */
static void read_prototype(ptx_reader *r) {
    ptx_variable *unused;
    uint32_t count;
    ptx_next(r);
    ptx_open_scope(r);
    if (ptx_is_mark(r, '('))
        ptx_read_params(r, &unused, &count);
    ptx_expect_name(r, "'_'");
    if (ptx_is_mark(r, '('))
        ptx_read_params(r, &unused, &count);
    while (ptx_accept_key(r, PTX_KEY_NORETURN) || ptx_accept_key(r, PTX_KEY_ABI_PRESERVE) ||
           ptx_accept_key(r, PTX_KEY_ABI_PRESERVE_CONTROL))
        if (r->now.kind == PTX_TOKEN_INTEGER)
            ptx_next(r);
    ptx_close_scope(r);
    ptx_expect_mark(r, ';');
}

/* `inst` has its predicate already. */
static void read_instruction(ptx_reader *r, ptx_inst inst) {
    const ptx_token opcode = r->now;
    if (opcode.kind != PTX_TOKEN_WORD) {
        ptx_misread(r, &opcode, "expected an instruction before %s", ptx_spell(r, &opcode));
        return;
    }
    ptx_next(r);
    if (ptx_is_mark(r, ':') && !inst.predicate) {
        ptx_next(r);
        const char *label = ptx_declare_label(r, &opcode);
        if (ptx_is_key(r, PTX_KEY_BRANCHTARGETS) || ptx_is_key(r, PTX_KEY_CALLTARGETS))
            read_targets(r, label);
        else if (ptx_is_key(r, PTX_KEY_CALLPROTOTYPE))
            read_prototype(r);
        else
            hd_push(r->scratch, &r->insts,
                    (ptx_inst){.place = opcode.place, .source = r->source, .label = label});
        return;
    }
    ptx_read_inst(r, &opcode, &inst);
    hd_push(r->scratch, &r->insts, inst);
}

/* @p or @!p, and its instruction. */
static void read_predicated(ptx_reader *r) {
    ptx_inst inst = {0};
    ptx_next(r);
    inst.unless = ptx_accept_mark(r, '!');
    const ptx_token predicate = ptx_expect_name(r, "a predicate behind '@'");
    inst.predicate = ptx_text(r, &predicate);
    read_instruction(r, inst);
}

static void read_directive(ptx_reader *r) {
    switch (r->now.name) {
    case PTX_KEY_REG:
    case PTX_KEY_CONST:
    case PTX_KEY_GLOBAL:
    case PTX_KEY_LOCAL:
    case PTX_KEY_PARAM:
    case PTX_KEY_SHARED:
    case PTX_KEY_ATTRIBUTE:
    case PTX_KEY_ALIGN: ptx_read_variables(r, PTX_INTERNAL, take_local); break;
    case PTX_KEY_EXTERN:
        ptx_next(r);
        ptx_read_variables(r, PTX_EXTERN, take_local);
        break;
    case PTX_KEY_LOC: ptx_read_loc(r); break;
    case PTX_KEY_FILE: ptx_read_file(r); break;
    case PTX_KEY_PRAGMA: ptx_read_pragma(r); break;
    case PTX_KEY_SECTION: ptx_read_section(r); break;
    default: ptx_not_taken(r, &r->now, "%s is not supported in a function", ptx_spell(r, &r->now));
    }
}

static void read_statement(ptx_reader *r) {
    if (ptx_is_mark(r, '@'))
        read_predicated(r);
    else if (r->now.kind == PTX_TOKEN_DOT)
        read_directive(r);
    else
        read_instruction(r, (ptx_inst){0});
}

void ptx_read_body(ptx_reader *r, ptx_function *function) {
    const ptx_token name = {
        .kind = PTX_TOKEN_WORD, .at = function->name, .length = (uint32_t)strlen(function->name)};
    const size_t outer = r->scopes.count;
    r->locals.count = r->insts.count = r->targets.count = 0;
    r->sources.count = 0;
    r->source = NULL;
    hd_hash_clear(&r->places);
    for (size_t open = outer; open >= outer && !r->status;) {
        if (r->now.kind == PTX_TOKEN_END)
            ptx_misread(r, &r->now, "the text ends within function %s; a '}' is missing",
                        ptx_spell(r, &name));
        else if (ptx_accept_mark(r, '{')) {
            ptx_open_scope(r);
            open++;
        } else if (ptx_accept_mark(r, '}')) {
            if (open > outer)
                ptx_close_scope(r);
            open--;
        } else
            read_statement(r);
    }
    function->has_body = true;
    PTX_KEEP(r, &r->locals, function->variables, function->variable_count);
    PTX_KEEP(r, &r->insts, function->insts, function->inst_count);
    PTX_KEEP(r, &r->targets, function->targets, function->targets_count);
}
