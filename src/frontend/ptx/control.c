/*
 * Control flow: labels and branches, predicates, calls.
 *
 *     @%p ld.global.f32 %f1, [%rd1];    branched around, since lanes that are off must not load
 *     @%p add.s32 %r1, %r2, 1;          computed by all lanes; a select keeps the old value
 *
 * Every call is inlined: the function's body is lowered anew with registers of its own. A
 * parameter that is no array is a variable of SSA; an array has memory, and caller and callee use
 * the same. A call through a register goes to each function that it may be, by a switch; the
 * address of a function is a number.
 */
#include "frontend/ptx/internal.h"
#include "heddle/ptx.h"

enum { MOST_INSTRUCTIONS = 200000 }; /* of a kernel with all that it calls */

int64_t ptx_function_number(uint32_t function) {
    return HD_PTX_FIRST_FUNCTION + (int64_t)function * HD_PTX_FUNCTION_STEP;
}

/* ---- instances ------------------------------------------------------------------- */

static bool has_memory(const ptx_variable *v) {
    return v->space == PTX_LOCAL || (v->space == PTX_PARAM && (v->is_array || v->vector > 1));
}

static uint32_t element_bytes(const ptx_variable *v) {
    return (ptx_type_bits(v->type) + 7) / 8 * (v->vector ? v->vector : 1);
}

uint64_t ptx_bytes_of(const ptx_variable *v) {
    return (uint64_t)element_bytes(v) * (v->count ? v->count : 1);
}

uint32_t ptx_align_of(const ptx_variable *v) {
    return v->align ? v->align : element_bytes(v) ? element_bytes(v) : 1;
}

static kir_value memory_for(ptx_lowering *l, const ptx_variable *v) {
    return front_emit_alloca(&l->out, ptx_bytes_of(v), ptx_align_of(v));
}

static void put_in_frame(ptx_instance *made, ptx_storage *storage, const ptx_variable *v) {
    storage->is_in_frame = true;
    storage->offset = hd_align_up(made->frame_bytes, ptx_align_of(v));
    made->frame_bytes = storage->offset + ptx_bytes_of(v);
}

/* Memory of parameters and results is the caller's to give. */
ptx_instance *ptx_instance_new(ptx_lowering *l, const ptx_names *names, bool is_recursive) {
    ptx_instance *made = hd_new(l->arena, ptx_instance);
    uint32_t params = names->function->result_count + names->function->param_count;
    made->names = names;
    made->caller = l->at;
    made->frame_bytes = l->at ? l->at->frame_bytes : 0;
    made->labels = (hd_hash_table){.arena = l->arena, .key_bytes = HD_TEXT_KEYS};
    made->storage = hd_new_array(l->arena, ptx_storage, names->count);
    made->end = KIR_NONE;
    made->carry = ptx_variable_new(l, ptx_int(1));
    for (uint32_t i = 0; i < names->count; i++) {
        const ptx_variable *v = names->variables[i];
        made->storage[i].memory = KIR_NONE;
        if (v->space == PTX_SHARED)
            continue;
        if (has_memory(v)) {
            if (i >= params && is_recursive)
                put_in_frame(made, &made->storage[i], v);
            else if (i >= params)
                made->storage[i].memory = memory_for(l, v);
            continue;
        }
        made->storage[i].first = (uint32_t)l->variables.count;
        for (uint32_t n = 0; n < (v->range ? v->range : 1); n++)
            ptx_variable_new(l, ptx_kir_type(v->type));
    }
    return made;
}

static uint32_t block_of_label(ptx_lowering *l, const char *label) {
    uint64_t known = hd_hash_get_key(&l->at->labels, label);
    if (known != HD_NO_VALUE)
        return (uint32_t)known;
    uint32_t block = ptx_block_new(l);
    hd_hash_add_key(&l->at->labels, label, block);
    return block;
}

/* ---- branches ----------------------------------------------------------------------- */

static bool has_label(ptx_lowering *l, const char *label) {
    const ptx_function *f = l->at->names->function;
    for (uint32_t i = 0; i < f->inst_count; i++)
        if (f->insts[i].label && !strcmp(f->insts[i].label, label))
            return true;
    return false;
}

static uint32_t target(ptx_lowering *l, const char *label) {
    if (!label) {
        ptx_wrong(l, "%s needs a label to go to", ptx_opcode(l->arena, l->inst));
        return 0;
    }
    if (hd_hash_get_key(&l->at->labels, label) == HD_NO_VALUE && !has_label(l, label)) {
        ptx_wrong(l, "there is no label %s in this function", label);
        return 0;
    }
    return block_of_label(l, label);
}

static const struct ptx_targets *targets_of(ptx_lowering *l, const char *label) {
    const ptx_function *f = l->at->names->function;
    for (uint32_t i = 0; i < f->targets_count; i++)
        if (!strcmp(f->targets[i].label, label))
            return &f->targets[i];
    return NULL;
}

/* A switch by numbers from 0 on; the last one is also the default. */
static void lower_indexed_branch(ptx_lowering *l) {
    const ptx_operand *list = ptx_operand_at(l, 1);
    kir_value index = ptx_get(l, 0, PTX_U32);
    const struct ptx_targets *targets = list->name ? targets_of(l, list->name) : NULL;
    if (!targets || !targets->count) {
        ptx_wrong(l, "there is no list of .branchtargets for this branch");
        return;
    }
    uint32_t count = targets->count, *to = hd_new_array(l->arena, uint32_t, count);
    to[0] = target(l, targets->names[count - 1]);
    for (uint32_t i = 0; i + 1 < count; i++)
        to[i + 1] = target(l, targets->names[i]);
    uint64_t *numbers = hd_new_array(l->arena, uint64_t, count);
    for (uint32_t i = 0; i + 1 < count; i++)
        numbers[i] = i;
    ptx_switch(l, index, count - 1, numbers, to);
}

static void leave(ptx_lowering *l, bool is_return) {
    if (is_return && l->at->end != KIR_NONE)
        ptx_branch(l, l->at->end);
    else
        ptx_end_block(l, KIR_RET, 0, NULL, 0, NULL);
}

/* ---- functions that the machine has ------------------------------------------------------ */

const ptx_machine_function ptx_machine_functions[] = {
    {"vprintf", "vprintf", "pp", 32},
    {"malloc", "device_malloc", "l", 64},
    {"free", "device_free", "l", 0},
    /* message, file, line, function, and a char's size */
    {"__assertfail", "assert_fail", "ppup", 0},
    {NULL}};

static bool lower_known_call(ptx_lowering *l, const char *name) {
    const ptx_machine_function *f = ptx_machine_functions;
    const ptx_operand *list = ptx_operand_at(l, 2), *results = ptx_operand_at(l, 0);
    while (f->name && strcmp(f->name, name) != 0)
        f++;
    if (!f->name)
        return false;
    kir_value args[4] = {0};
    uint32_t arg_count = (uint32_t)strlen(f->types);
    if (list->count < arg_count)
        ptx_wrong(l, "this call has too few arguments");
    for (uint32_t i = 0; i < arg_count && !l->out.status; i++) {
        args[i] = ptx_value(l, &list->list[i], f->types[i] == 'u' ? PTX_U32 : PTX_U64);
        if (f->types[i] == 'p')
            args[i] = ptx_pointer(l, args[i]);
    }
    kir_type type = f->result ? ptx_int(f->result) : (kir_type){0};
    kir_value made = front_emit_call(&l->out, f->call, type, arg_count, args);
    if (f->result && results->count)
        ptx_put_to(l, &results->list[0], made, false);
    return true;
}

/* A function of CUDA's mathematics, which nvcc puts in and clang leaves to others. */
static bool lower_math(ptx_lowering *l, const char *name) {
    const ptx_operand *list = ptx_operand_at(l, 2), *results = ptx_operand_at(l, 0);
    const char *types = strncmp(name, FRONT_LIBDEVICE, strlen(FRONT_LIBDEVICE))
                            ? NULL
                            : front_libdevice_types(l->arena, name);
    if (!types || strlen(types) - 2 != list->count || (*types != 'v') != results->count)
        return false;
    kir_value *args = hd_new_array(l->arena, kir_value, list->count + 1);
    for (uint32_t i = 0; i < list->count; i++) {
        char type = types[2 + i];
        args[i] = ptx_value(l, &list->list[i],
                            type == 'f'   ? PTX_F32
                            : type == 'd' ? PTX_F64
                            : type == 'h' ? PTX_U16
                            : type == 'i' ? PTX_U32
                                          : PTX_U64);
        if (type == 'p')
            args[i] = ptx_pointer(l, args[i]);
    }
    kir_type result = *types == 'f'   ? ptx_real(32)
                      : *types == 'd' ? ptx_real(64)
                                      : ptx_int(*types == 'h'   ? 16
                                                : *types == 'i' ? 32
                                                                : 64);
    front_math math = {name, list->count, args, result, KIR_NONE};
    if (!front_libdevice(&l->out, &math))
        return false;
    if (results->count)
        ptx_put_to(l, &results->list[0], math.result, false);
    return true;
}

/* ---- calls -------------------------------------------------------------------------------- */

/* Gives the parameter what the caller has for it: a value, or its memory. */
static void bind(ptx_lowering *l, ptx_instance *callee, uint32_t index, const ptx_operand *given,
                 bool is_result) {
    const ptx_variable *v = callee->names->variables[index];
    ptx_symbol symbol = {0};
    if (given->kind == PTX_NAME)
        symbol = ptx_find(l, given->name);
    if (has_memory(v)) {
        if (symbol.kind == PTX_IS_MEMORY)
            callee->storage[index].memory = symbol.memory;
        else if (given->kind == PTX_SINK)
            callee->storage[index].memory = memory_for(l, v);
        else
            ptx_wrong(l, "parameter %s has %llu bytes in memory, and the call gives it a value",
                      v->name, (unsigned long long)ptx_bytes_of(v));
        return;
    }
    if (is_result)
        return;
    ptx_write(l, callee->storage[index].first, ptx_value(l, given, v->type));
}

/* Functions by which kernels launch kernels, of the library cudadevrt, whose bodies ask the GPU. Their
 * names behind the beginning; NULL: it is none. */
static const char *of_device_runtime(const ptx_function *f) {
    static const char *const begins[] = {"__cudaCDP2", "__cuda_syscall", "cuda"};
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (!strncmp(f->name, begins[i], strlen(begins[i])) &&
            (begins[i][0] == '_' || !f->has_body))
            return f->name + strlen(begins[i]);
    return NULL;
}

/* What a program's host has linked in place of one, with a name of its own. */
static uint32_t replacement_of(ptx_lowering *l, uint32_t index) {
    const char *name = of_device_runtime(&l->ptx->functions[index]);
    if (!name)
        return index;
    const ptx_symbol own =
        ptx_find_in_module(l->shared, hd_format(l->arena, "$heddle_%s", name), 0);
    return own.kind == PTX_IS_FUNCTION ? own.number : index;
}

static void refuse_without_body(ptx_lowering *l, const ptx_function *f) {
    const char *name = front_function_of_symbol(l->arena, f->name);
    if (of_device_runtime(f))
        ptx_cannot(l,
                   "%s is of the device's own runtime (cudadevrt); of that there is what launches "
                   "kernels, copies and fills, and in CUDA programs alone (heddle run -- PROGRAM)",
                   name);
    else
        ptx_cannot(
            l, "function %s is declared in line %u and has a body nowhere; link what defines it",
            name, f->place.line);
}

/* The innermost copy of the function that is at work; NULL: none is. */
static ptx_instance *at_work(const ptx_lowering *l, const ptx_function *function) {
    ptx_instance *i = l->at;
    while (i && i->names->function != function)
        i = i->caller;
    return i;
}

/* "f -> g -> f": the calls at work from the function on, and back to it. */
static const char *cycle_of(const ptx_lowering *l, const ptx_instance *again) {
    const char *name = front_function_of_symbol(l->arena, again->names->function->name);
    const char *cycle = name;
    for (const ptx_instance *i = l->at; i != again; i = i->caller)
        cycle = hd_format(l->arena, "%s -> %s",
                          front_function_of_symbol(l->arena, i->names->function->name), cycle);
    return hd_format(l->arena, "%s -> %s", name, cycle);
}

/* A call of a function that is at work. Structs would have to be on the stack, too. */
static void call_again(ptx_lowering *l, ptx_instance *again) {
    const ptx_function *f = again->names->function;
    const ptx_operand *results = ptx_operand_at(l, 0), *list = ptx_operand_at(l, 2);
    kir_value *args = hd_new_array(l->arena, kir_value, f->param_count + f->result_count);
    for (uint32_t i = 0; i < f->result_count + f->param_count; i++)
        if (has_memory(again->names->variables[i]))
            ptx_cannot(l, "recursion with structs by value is not supported: %s",
                       cycle_of(l, again));
    for (uint32_t i = 0; i < f->param_count; i++)
        args[i] = ptx_value(l, &list->list[i], f->params[i].type);
    ptx_call_again(l, again, args, args + f->param_count);
    for (uint32_t i = 0; i < f->result_count; i++)
        ptx_put_to(l, &results->list[i], args[f->param_count + i], false);
}

/* A copy of a function, for the instruction at work. */
static ptx_instance *copy_of(ptx_lowering *l, uint32_t function, bool is_recursive) {
    ptx_instance *callee = ptx_instance_new(l, ptx_names_of(l->shared, function), is_recursive);
    callee->place = l->out.place;
    callee->file = l->out.file;
    callee->end = ptx_block_new(l);
    return callee;
}

/* Its body, when its parameters have what they are called with. */
static void lower_copy(ptx_lowering *l, ptx_instance *callee, bool is_recursive) {
    const ptx_inst *call = l->inst;
    ptx_instance *caller = l->at;
    kir_value predicate = l->predicate;
    l->at = callee;
    l->predicate = KIR_NONE;
    if (is_recursive)
        ptx_begin_recursion(l, callee);
    ptx_lower_body(l);
    ptx_block_start(l, callee->end);
    if (is_recursive)
        ptx_end_recursion(l, callee);
    l->at = caller;
    l->inst = call;
    l->predicate = predicate;
}

static void inline_call(ptx_lowering *l, uint32_t called) {
    uint32_t index = replacement_of(l, called);
    const ptx_function *function = &l->ptx->functions[index];
    const ptx_operand *results = ptx_operand_at(l, 0), *args = ptx_operand_at(l, 2);
    if (!function->has_body || of_device_runtime(function)) {
        if (!lower_known_call(l, function->name) && !lower_math(l, function->name))
            refuse_without_body(l, function);
        return;
    }
    if (results->count != function->result_count || args->count != function->param_count) {
        ptx_wrong(l, "%s has %u results and %u parameters, and this call %u and %u", function->name,
                  function->result_count, function->param_count, results->count, args->count);
        return;
    }
    ptx_instance *again = at_work(l, function);
    if (again) {
        call_again(l, again);
        return;
    }
    bool is_recursive = ptx_is_recursive(l->shared, index);
    ptx_instance *callee = copy_of(l, index, is_recursive);
    callee->is_from_source = l->inst->source || l->at->is_from_source;
    for (uint32_t i = 0; i < results->count + args->count; i++) {
        bool is_result = i < results->count;
        bind(l, callee, i, is_result ? &results->list[i] : &args->list[i - results->count],
             is_result);
    }
    lower_copy(l, callee, is_recursive);
    for (uint32_t i = 0; i < results->count; i++)
        if (!has_memory(callee->names->variables[i]))
            ptx_put_to(l, &results->list[i], ptx_read(l, callee->storage[i].first), false);
}

/* What it does stands at the instruction, not in the text of the library. */
kir_value ptx_call_library(ptx_lowering *l, const char *name, uint32_t count,
                           const kir_value *args) {
    ptx_symbol symbol = ptx_find_in_module(l->shared, name, 0);
    if (symbol.kind != PTX_IS_FUNCTION) {
        ptx_cannot(l, "%s is not supported here", ptx_opcode(l->arena, l->inst));
        return 0;
    }
    ptx_instance *callee = copy_of(l, symbol.number, false);
    const ptx_variable *result = callee->names->variables[0];
    callee->is_from_source = true;
    if (has_memory(result))
        callee->storage[0].memory = memory_for(l, result);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t variable = callee->storage[1 + i].first;
        ptx_write(l, variable, ptx_bits_as(l, args[i], l->variables.data[variable]));
    }
    lower_copy(l, callee, false);
    return has_memory(result)
               ? front_emit_load(&l->out, front_int_type(32, 4), callee->storage[0].memory, 16)
               : ptx_read(l, callee->storage[0].first);
}

/* The parameter that the caller gives has as many bytes. */
static bool fits(ptx_lowering *l, const ptx_operand *given, const ptx_variable *wanted) {
    ptx_symbol symbol = given->kind == PTX_NAME ? ptx_find(l, given->name) : (ptx_symbol){0};
    return !symbol.variable || (ptx_bytes_of(symbol.variable) == ptx_bytes_of(wanted) &&
                                has_memory(symbol.variable) == has_memory(wanted));
}

static bool could_be_called(ptx_lowering *l, const ptx_function *f) {
    const ptx_operand *results = ptx_operand_at(l, 0), *args = ptx_operand_at(l, 2);
    bool all = f->has_body && !f->is_entry && f->result_count == results->count &&
               f->param_count == args->count;
    for (uint32_t i = 0; all && i < results->count; i++)
        all = fits(l, &results->list[i], &f->results[i]);
    for (uint32_t i = 0; all && i < args->count; i++)
        all = fits(l, &args->list[i], &f->params[i]);
    return all;
}

/* The functions that a call through a register may be of: those that .calltargets names; with a
 * mere prototype, those whose address is taken somewhere and that fit. */
static front_values callees(ptx_lowering *l) {
    const ptx_operand *list = l->inst->operand_count > 3 ? ptx_operand_at(l, 3) : NULL;
    const struct ptx_targets *targets = list && list->name ? targets_of(l, list->name) : NULL;
    front_values found = {0};
    for (uint32_t i = 0; targets && i < targets->count; i++) {
        ptx_symbol symbol = ptx_find(l, targets->names[i]);
        if (symbol.kind == PTX_IS_FUNCTION)
            hd_push(l->arena, &found, symbol.number);
        else
            ptx_wrong(l, "there is no function %s", targets->names[i]);
    }
    for (uint32_t f = 0; !targets && f < l->ptx->function_count; f++)
        if (l->shared->is_taken[f] && could_be_called(l, &l->ptx->functions[f]))
            hd_push(l->arena, &found, f);
    return found;
}

/* Each function that it may be, by the number of its address. */
static void lower_indirect_call(ptx_lowering *l, const ptx_operand *callee) {
    kir_value address = ptx_value(l, callee, PTX_U64);
    front_values functions = callees(l);
    if (!functions.count) {
        ptx_cannot(l, "this calls a function through a pointer, and no function of this file whose "
                      "address is taken has such parameters; call it by its name");
        return;
    }
    uint32_t count = (uint32_t)functions.count, end = ptx_block_new(l), none = ptx_block_new(l);
    uint32_t *to = hd_new_array(l->arena, uint32_t, count + 1);
    uint64_t *numbers = hd_new_array(l->arena, uint64_t, count);
    to[0] = none;
    for (uint32_t i = 0; i < count; i++) {
        numbers[i] = (uint64_t)ptx_function_number(functions.data[i]);
        to[i + 1] = ptx_block_new(l);
    }
    ptx_switch(l, address, count, numbers, to);
    ptx_block_start(l, none);
    front_emit_call(&l->out, "trap", (kir_type){0}, 0, NULL);
    ptx_end_block(l, KIR_UNREACHABLE, 0, NULL, 0, NULL);
    for (uint32_t i = 0; i < count && !l->out.status; i++) {
        ptx_block_start(l, to[i + 1]);
        inline_call(l, functions.data[i]);
        if (l->is_open)
            ptx_branch(l, end);
    }
    ptx_block_start(l, end);
}

static void lower_call(ptx_lowering *l) {
    const ptx_operand *callee = ptx_operand_at(l, 1);
    ptx_symbol symbol = callee->name ? ptx_find(l, callee->name) : (ptx_symbol){0};
    if (symbol.kind == PTX_IS_FUNCTION)
        inline_call(l, symbol.number);
    else if (symbol.kind == PTX_IS_REGISTER)
        lower_indirect_call(l, callee);
    else
        ptx_cannot(l, "function %s has no body in this file", callee->name ? callee->name : "?");
}

/* ---- one instruction ------------------------------------------------------------------------ */

static void lower_branch(ptx_lowering *l) { ptx_branch(l, target(l, ptx_operand_at(l, 0)->name)); }

static void lower_return(ptx_lowering *l) { leave(l, true); }
static void lower_exit(ptx_lowering *l) { leave(l, false); }

const ptx_rule ptx_jump_rules[] = {
    {"bra", lower_branch, NULL, true}, {"brx", lower_indexed_branch, NULL, true},
    {"call", lower_call, NULL, true},  {"ret", lower_return, NULL, true},
    {"exit", lower_exit, NULL, true},  {NULL},
};

/* Numbers of 128 bits are only moved; integers and bits are no floats. */
static bool has_its_type(ptx_lowering *l, const ptx_rule *rule) {
    static const char moves[] = "mov ld ldu st atom", of_bits[] = "and or xor not cnot shl shr";
    const char *name = l->inst->words[0];
    ptx_type type = ptx_type_of(l->inst, 0);
    if (rule->lower == ptx_lower_refused) /* which says more */
        return true;
    bool is_integer =
        ptx_find_rule(ptx_integer_rules, l->inst) == rule || hd_has_word(of_bits, name);
    if (!(type == PTX_B128 && !hd_has_word(moves, name)) && !(is_integer && ptx_is_float(type)))
        return true;
    ptx_wrong(l, "%s: there is no %s of this type", ptx_opcode(l->arena, l->inst), name);
    return false;
}

/* The predicate of the instruction at work. */
static kir_value predicate_of(ptx_lowering *l) {
    const ptx_operand name = {.kind = PTX_NAME, .name = l->inst->predicate};
    kir_value value = ptx_value(l, &name, PTX_PRED);
    return l->inst->unless ? ptx_not(l, value) : value;
}

/* Arithmetic, comparisons and conversions whose words name too few types, or unknown ones. */
static bool lacks_type(const ptx_inst *inst) {
    static const ptx_rule *const typed[] = {ptx_integer_rules, ptx_logic_rules, ptx_convert_rules,
                                            ptx_float_rules};
    const char *name = inst->words[0];
    const bool has_two = hd_has_word("cvt set slct dp4a dp2a", name);
    if (ptx_type_of(inst, has_two) != PTX_NO_TYPE || ptx_has(inst, "u16x2") ||
        ptx_has(inst, "s16x2") || ptx_has(inst, "f32x2"))
        return false;
    for (size_t t = 0; t < sizeof typed / sizeof *typed; t++)
        if (ptx_find_rule(typed[t], inst))
            return true;
    return false;
}

static void lower_one(ptx_lowering *l, const ptx_rule *rule) {
    l->what = rule->what;
    if (lacks_type(l->inst))
        ptx_cannot(l, "%s: a type is missing, or is none that Heddle knows",
                   ptx_opcode(l->arena, l->inst));
    else if (rule->lower)
        rule->lower(l);
    else
        ptx_lower_recipe(l, rule->what);
}

/* A branch to a label needs no block of its own. */
static void lower_conditional(ptx_lowering *l, const ptx_rule *rule) {
    kir_value predicate = predicate_of(l);
    const char *label = l->inst->operand_count ? l->inst->operands[0].name : NULL;
    uint32_t end = ptx_block_new(l);
    if (rule->lower == lower_branch && label) {
        ptx_branch_if(l, predicate, target(l, label), end);
    } else {
        uint32_t then = ptx_block_new(l);
        ptx_branch_if(l, predicate, then, end);
        ptx_block_start(l, then);
        lower_one(l, rule);
    }
    ptx_block_start(l, end);
}

static void lower_instruction(ptx_lowering *l) {
    const ptx_inst *inst = l->inst;
    const char *name = inst->words[0];
    const ptx_rule *rule = ptx_rule_of(inst);
    ptx_set_place(l);
    if (++l->length > MOST_INSTRUCTIONS)
        ptx_cannot(l,
                   "functions are inlined, and with those that it calls this kernel has more "
                   "than %d instructions; call functions that call others fewer times",
                   MOST_INSTRUCTIONS);
    else if (!rule)
        ptx_cannot(l, "there is no instruction %s that Heddle knows", ptx_opcode(l->arena, inst));
    else if (l->is_inline && hd_has_word("brx call ret exit", name))
        ptx_cannot(l, "calls and returns are not supported in inline assembly; write them in C");
    if (l->out.status || !has_its_type(l, rule))
        return;
    if (!l->is_open) /* behind a jump and before a label: nothing comes here */
        ptx_block_start(l, ptx_block_new(l));
    if (inst->predicate && (rule->has_effect || ptx_has(inst, "cc"))) {
        lower_conditional(l, rule);
        return;
    }
    if (inst->predicate)
        l->predicate = predicate_of(l);
    lower_one(l, rule);
    l->predicate = KIR_NONE;
}

void ptx_lower_body(ptx_lowering *l) {
    const ptx_function *f = l->at->names->function;
    for (uint32_t i = 0; i < f->inst_count && !l->out.status; i++) {
        l->inst = &f->insts[i];
        if (l->inst->label)
            ptx_block_start(l, block_of_label(l, l->inst->label));
        else
            lower_instruction(l);
    }
    if (l->is_open && !l->out.status && !l->is_inline)
        leave(l, true);
}
