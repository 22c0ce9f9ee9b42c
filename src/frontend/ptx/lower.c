/*
 * PTX to kir: every entry with a body becomes a kernel.
 *
 *     text ──parse──► instructions ──lower──► SSA on registers ──pointers──► kir ──tidy──► kir
 *
 * PTX is a language for an ideal machine with as many registers as one likes, and with addresses
 * that are integers of 64 bits. So two things are found again that a compiler had and gave up:
 * values (ssa.c) and pointers (pointers.c). For
 *
 *     mul.wide.s32 %rd3, %r6, 28;       %9 = sext i64 %8
 *     add.s64 %rd4, %rd2, %rd3;         %10 = addr ptr.global %0 + %9*28 + 12
 *     ld.global.f32 %f2, [%rd4+12];     %11 = load f32 %10
 *
 * comes out on the right, as it does from the source. What PTX does not know is left open: buffers
 * have no records, and parameters the names that the text gives them.
 *
 * Words: an *instance* is the copy of a function that is inlined at one call; a *static* is a
 * variable that lives outside of functions' frames; a *rule* says how an opcode is lowered.
 */
#include "frontend/frontend.h"
#include "frontend/ptx/internal.h"

#include <stdlib.h>

/* ---- names ------------------------------------------------------------------ */

const ptx_names *ptx_names_of(ptx_shared *s, uint32_t function) {
    if (s->names[function])
        return s->names[function];
    const ptx_function *f = &s->ptx->functions[function];
    ptx_names *names = s->names[function] = hd_new(s->arena, ptx_names);
    names->function = f;
    names->count = f->result_count + f->param_count + f->variable_count;
    names->variables = hd_new_array(s->arena, const ptx_variable *, names->count);
    names->index = (hd_hash_table){.arena = s->arena, .key_bytes = HD_TEXT_KEYS};
    for (uint32_t i = 0; i < names->count; i++) {
        uint32_t of_params = i - f->result_count, of_body = of_params - f->param_count;
        names->variables[i] = i < f->result_count                    ? &f->results[i]
                              : i < f->result_count + f->param_count ? &f->params[of_params]
                                                                     : &f->variables[of_body];
        hd_hash_add_key(&names->index, names->variables[i]->name, i);
    }
    return names;
}

/* ---- variables of the module --------------------------------------------------- */

/* The name in the source, but for variables of a file that would then share it. */
static const char *name_of(ptx_lowering *l, const ptx_variable *v) {
    const char *name = front_symbol_name(l->arena, v->name);
    for (uint32_t i = 0; i < l->ptx->variable_count && name != v->name; i++) {
        const ptx_variable *other = &l->ptx->variables[i];
        if (other != v && !strcmp(front_symbol_name(l->arena, other->name), name))
            return v->symbol;
    }
    return name;
}

/* All unsized arrays are the same memory. */
static uint32_t add_static(ptx_lowering *l, const ptx_variable *v) {
    bool is_dynamic = v->space == PTX_SHARED && v->is_unsized;
    kir_static made = {.name = name_of(l, v),
                       .symbol = v->symbol ? v->symbol : v->name,
                       .space = ptx_kir_space(v->space),
                       .is_dynamic = is_dynamic,
                       .bytes = v->is_unsized ? 0 : ptx_bytes_of(v),
                       .align = ptx_align_of(v),
                       .init = v->init};
    if (is_dynamic && l->dynamic != KIR_NONE) {
        kir_static *known = &l->statics.data[l->dynamic];
        known->align = known->align > made.align ? known->align : made.align;
        return l->dynamic;
    }
    if (v->linkage == PTX_EXTERN && !is_dynamic)
        ptx_cannot(l,
                   "variable %s is declared in line %u and defined nowhere; link what defines it",
                   made.name, v->place.line);
    if (!made.init && made.space != KIR_LOCAL)
        made.init = hd_new_array(l->arena, uint8_t, made.bytes + 1); /* zero */
    hd_push(l->arena, &l->statics, made);
    if (is_dynamic)
        l->dynamic = (uint32_t)l->statics.count - 1;
    return (uint32_t)l->statics.count - 1;
}

static uint32_t static_index(ptx_lowering *l, const ptx_variable *v);

/* Addresses in the initial value: of variables, which the kernel then has, too; of functions,
 * which are numbers. */
static void add_pointers(ptx_lowering *l, const ptx_variable *v, uint32_t index) {
    hd_vec(kir_pointer) pointers = {0};
    uint8_t *init = hd_new_array(l->arena, uint8_t, ptx_bytes_of(v) + 8);
    memcpy(init, l->statics.data[index].init, ptx_bytes_of(v));
    for (uint32_t i = 0; i < v->relocation_count; i++) {
        const struct ptx_relocation *at = &v->relocations[i];
        ptx_symbol symbol = ptx_find_in_module(l->shared, at->name, v->part);
        bool is_whole = at->bytes == 8 && !at->shift;
        if (symbol.kind == PTX_IS_FUNCTION && is_whole) {
            int64_t number = ptx_function_number(symbol.number);
            memcpy(init + at->offset, &number, sizeof number);
        } else if (symbol.kind == PTX_IS_VARIABLE && is_whole &&
                   symbol.variable->space != PTX_SHARED) {
            kir_pointer pointer = {at->offset, static_index(l, symbol.variable), at->addend};
            hd_push(l->arena, &pointers, pointer);
        } else {
            ptx_cannot(l, "variable %s holds a part of the address of %s, which is not supported",
                       v->name, at->name);
        }
    }
    kir_static *made = &l->statics.data[index];
    made->init = init;
    hd_keep(&pointers, made->pointers, made->pointer_count);
}

static uint32_t static_index(ptx_lowering *l, const ptx_variable *v) {
    uint64_t known = hd_hash_get(&l->static_of, (uintptr_t)v);
    if (known != HD_NO_VALUE)
        return (uint32_t)known;
    uint32_t index = add_static(l, v);
    hd_hash_set(&l->static_of, (uintptr_t)v, index); /* it may point to itself */
    if (v->relocation_count && !l->out.status)
        add_pointers(l, v, index);
    return index;
}

kir_value ptx_static(ptx_lowering *l, const ptx_variable *v) {
    uint32_t index = static_index(l, v);
    return front_leaf(&l->out, KIR_STATIC, front_pointer_type(l->statics.data[index].space), NULL,
                      index);
}

/* ---- parameters -------------------------------------------------------------------- */

/* "param_0" of "_Z5scalePf_param_0". */
static const char *short_name(const ptx_function *entry, const ptx_variable *v) {
    size_t length = strlen(entry->name);
    bool begins = !strncmp(v->name, entry->name, length) && v->name[length] == '_';
    return begins && v->name[length + 1] ? v->name + length + 1 : v->name;
}

/* Compilers write .u32 for an int, too: the text does not tell a sign. */
static const char *scalar_name(ptx_lowering *l, ptx_type type) {
    switch (type) {
    case PTX_F16: return "half";
    case PTX_F32: return "float";
    case PTX_F64: return "double";
    default: return hd_format(l->arena, ".%s", ptx_type_name(type));
    }
}

/* Arrays are structs by value: the launch gives their bytes. Whether a number is a pointer shows
 * when it is used (pointers.c). */
static void lower_params(ptx_lowering *l) {
    kir_kernel *kernel = l->kernel;
    const ptx_names *names = l->at->names;
    kernel->param_count = l->entry->param_count;
    kernel->params = hd_new_array(l->arena, kir_param, kernel->param_count);
    for (uint32_t i = 0; i < kernel->param_count; i++) {
        const ptx_variable *v = names->variables[i];
        ptx_storage *storage = &l->at->storage[i];
        kir_param *param = &kernel->params[i];
        *param = (kir_param){.name = short_name(l->entry, v), .bytes = (uint32_t)ptx_bytes_of(v)};
        param->by_value_struct = v->is_array || v->vector > 1;
        param->type =
            param->by_value_struct ? front_pointer_type(KIR_PRIVATE) : ptx_kir_type(v->type);
        param->type_name = param->by_value_struct ? hd_format(l->arena, "char[%u]", param->bytes)
                                                  : scalar_name(l, v->type);
        kir_value value = front_leaf(&l->out, KIR_PARAM, param->type, NULL, i);
        if (param->by_value_struct)
            storage->memory = value;
        else
            ptx_write(l, storage->first, value);
    }
}

/* ---- a kernel ------------------------------------------------------------------------ */

/* Calls whose results nobody wants are dropped where they do nothing else. */
static bool is_droppable(const kir_inst *inst) {
    static const char *const effects[] = {"barrier", "warp_sync", "vprintf", "device_",
                                          "trap",    "assert",    "atomic"};
    if (inst->op != KIR_CALL || inst->type.kind == KIR_VOID)
        return false;
    for (size_t i = 0; i < sizeof effects / sizeof *effects; i++)
        if (!strncmp(inst->name, effects[i], strlen(effects[i])))
            return false;
    return true;
}

/* Keeps what has an effect, and what that needs. */
static void drop_unused(ptx_lowering *l) {
    bool *needed = hd_new_array(l->arena, bool, l->out.insts.count);
    front_values work = {0}, *lists = l->out.lists;
    for (uint32_t b = 0; b < l->out.block_count; b++)
        for (size_t i = 0; i < lists[b].count; i++) {
            const kir_inst *inst = &l->out.insts.data[lists[b].data[i]];
            needed[lists[b].data[i]] =
                !is_droppable(inst) &&
                (inst->op == KIR_CALL || kir_is_memory(inst->op) || kir_is_terminator(inst->op));
            if (needed[lists[b].data[i]])
                hd_push(l->arena, &work, lists[b].data[i]);
        }
    front_mark_needed(l->arena, l->out.insts.data, work, needed);
    for (uint32_t b = 0; b < l->out.block_count; b++) {
        size_t kept = 0;
        for (size_t i = 0; i < lists[b].count; i++) {
            kir_value v = lists[b].data[i];
            kir_op op = l->out.insts.data[v].op;
            if (needed[v] || op == KIR_BARRIER || op == KIR_FENCE)
                lists[b].data[kept++] = v;
            else
                ptx_drop(l, v);
        }
        lists[b].count = kept;
    }
}

static hd_status finish_kernel(ptx_lowering *l) {
    ptx_finish_ssa(l, &l->pointers);
    drop_unused(l);
    ptx_promote(l);
    /* What a function gives back as one vector may be wanted in part. */
    front_forward_parts(l->arena, l->out.insts.data, (uint32_t)l->out.insts.count);
    drop_unused(l);
    ptx_find_pointers(l);
    if (l->out.status)
        return l->out.status;
    ptx_find_types(l);
    front_join_entry(&l->out);
    hd_keep(&l->statics, l->kernel->statics, l->kernel->static_count);
    front_tidy(l->arena, l->kernel, l->out.insts.data, (uint32_t)l->out.insts.count, l->out.lists,
               l->out.block_count);
    return kir_finish(l->arena, l->diag, l->kernel);
}

ptx_lowering ptx_lowering_of(ptx_shared *s, uint32_t function) {
    ptx_lowering l = {.arena = s->arena,
                      .diag = s->diag,
                      .ptx = s->ptx,
                      .shared = s,
                      .entry = &s->ptx->functions[function],
                      .kernel = hd_new(s->arena, kir_kernel),
                      .dynamic = KIR_NONE,
                      .stack = KIR_NONE,
                      .next_block = 1,
                      .predicate = KIR_NONE};
    l.out.arena = l.static_of.arena = l.definitions.arena = s->arena;
    l.known_pointers = (hd_hash_table){.arena = s->arena, .key_bytes = sizeof(ptx_pointed)};
    return l;
}

static hd_status lower_kernel(ptx_shared *s, uint32_t index, kir_kernel **kernel) {
    const ptx_function *entry = &s->ptx->functions[index];
    ptx_lowering l = ptx_lowering_of(s, index);
    ptx_inst here = {.place = entry->place}; /* for failures before the first instruction */
    l.inst = &here;
    front_leaf(&l.out, KIR_UNDEF, ptx_int(32), NULL, 0); /* what failed lowerings return: %0 */
    ptx_block_start(&l, ptx_block_new(&l));
    l.top = ptx_variable_new(&l, ptx_int(64));
    ptx_write(&l, l.top, ptx_number(&l, ptx_int(64), 0));
    l.at = ptx_instance_new(&l, ptx_names_of(s, index), false);
    for (int d = 0; d < 3; d++)
        l.kernel->required_local[d] = entry->required_threads[d];
    memcpy(l.kernel->required_cluster, entry->required_cluster, sizeof entry->required_cluster);
    if (entry->counts_clusters)
        ptx_cannot(&l,
                   "%s is launched by numbers of clusters (.blocksareclusters), which is not "
                   "supported; numbers of blocks are",
                   entry->name);
    l.kernel->name = entry->name; /* that of the source when all are known */
    const ptx_source *source = NULL;
    for (uint32_t i = 0; i < l.entry->inst_count && !source; i++)
        source = ptx_user_source(l.shared, l.entry->insts[i].source);
    l.kernel->place = (hd_place){
        .file = l.ptx->path, .line = l.entry->place.line, .column = l.entry->place.column};
    if (source)
        l.kernel->place = (hd_place){
            .file = l.ptx->files[source->file], .line = source->line, .column = source->column};
    lower_params(&l);
    ptx_lower_body(&l);
    if (l.out.status)
        return l.out.status;
    *kernel = l.kernel;
    return finish_kernel(&l);
}

/* ---- the module ------------------------------------------------------------------------ */

/* Kernels go by the names of the source; those that share one by their symbols. */
static void name_kernels(ptx_shared *s) {
    uint32_t count = (uint32_t)s->entries.count;
    hd_hash_table first = {.arena = s->arena, .key_bytes = HD_TEXT_KEYS};
    bool *is_shared = hd_new_array(s->arena, bool, count);
    s->titles = hd_new_array(s->arena, const char *, count);
    for (uint32_t k = 0; k < count; k++) {
        s->titles[k] = hd_kernel_of_symbol(s->arena, s->ptx->functions[s->entries.data[k]].name);
        uint64_t other = hd_hash_add_key(&first, s->titles[k], k);
        is_shared[k] = is_shared[other] |= other != k;
    }
    for (uint32_t k = 0; k < count; k++)
        if (is_shared[k])
            s->titles[k] = s->ptx->functions[s->entries.data[k]].name;
}

static void take(ptx_shared *s, const char *name, uint32_t part) {
    const ptx_symbol symbol = ptx_find_in_module(s, name, part);
    if (symbol.kind == PTX_IS_FUNCTION)
        s->is_taken[symbol.number] = true;
}

/* Functions whose addresses stand in variables, or are moved to registers. */
static void find_taken(ptx_shared *s) {
    s->is_taken = hd_new_array(s->arena, bool, s->ptx->function_count);
    for (uint32_t v = 0; v < s->ptx->variable_count; v++)
        for (uint32_t i = 0; i < s->ptx->variables[v].relocation_count; i++)
            take(s, s->ptx->variables[v].relocations[i].name, s->ptx->variables[v].part);
    for (uint32_t f = 0; f < s->ptx->function_count; f++)
        for (uint32_t i = 0; i < s->ptx->functions[f].inst_count; i++) {
            const ptx_inst *inst = &s->ptx->functions[f].insts[i];
            if (inst->operand_count == 2 && inst->operands[1].kind == PTX_NAME &&
                inst->word_count && !strcmp(inst->words[0], "mov"))
                take(s, inst->operands[1].name, s->ptx->functions[f].part);
        }
}

/* Gives item i its name, behind those that have it. */
static void index_name(hd_hash_table *table, uint32_t *next, const char *name, uint32_t i) {
    next[i] = KIR_NONE;
    uint32_t last = (uint32_t)hd_hash_add_key(table, name, i);
    while (next[last] != KIR_NONE)
        last = next[last];
    if (last != i)
        next[last] = i;
}

void ptx_index_names(ptx_shared *s) {
    s->functions = s->variables = (hd_hash_table){.arena = s->arena, .key_bytes = HD_TEXT_KEYS};
    s->next_function = hd_new_array(s->arena, uint32_t, s->ptx->function_count);
    s->next_variable = hd_new_array(s->arena, uint32_t, s->ptx->variable_count);
    for (uint32_t i = 0; i < s->ptx->function_count; i++)
        index_name(&s->functions, s->next_function, s->ptx->functions[i].name, i);
    for (uint32_t i = 0; i < s->ptx->variable_count; i++)
        index_name(&s->variables, s->next_variable, s->ptx->variables[i].name, i);
    s->recursive.arena = s->arena;
    s->names = hd_new_array(s->arena, ptx_names *, s->ptx->function_count);
    s->file_of = hd_new_array(s->arena, uint32_t, s->ptx->file_count + 1);
    memset(s->file_of, 0xff, (s->ptx->file_count + 1) * sizeof *s->file_of);
    find_taken(s);
    s->is_header = hd_new_array(s->arena, bool, s->ptx->file_count + 1);
    ptx_file(s, 0);
}

ptx_shared *ptx_lower_begin(hd_arena *arena, const hd_diag *diag, const ptx_module *ptx,
                            kir_module **result) {
    ptx_shared *s = hd_new(arena, ptx_shared);
    *s = (ptx_shared){.arena = arena, .diag = diag, .ptx = ptx};
    kir_module *module = hd_new(arena, kir_module);
    ptx_index_names(s);
    for (uint32_t i = 0; i < ptx->function_count; i++)
        if (ptx->functions[i].is_entry && ptx->functions[i].has_body)
            hd_push(arena, &s->entries, i);
    name_kernels(s);
    module->kernel_count = (uint32_t)s->entries.count;
    module->kernels = hd_new_array(arena, kir_kernel *, module->kernel_count);
    module->rules = KIR_RULE(BLOCKS) | KIR_RULE(RETURNED_ARRIVE) | KIR_RULE(PRINTF_COUNTS) |
                    KIR_RULE(VECTOR_STRUCTS) | KIR_RULE(NAMED_VARIABLES) |
                    KIR_RULE(UNTYPED_POINTERS);
    *result = module;
    return s;
}

hd_status ptx_lower_entry(ptx_shared *s, kir_module *module, uint32_t k) {
    kir_kernel *kernel;
    hd_status status = lower_kernel(s, s->entries.data[k], &kernel);
    hd_keep(&s->files, module->files, module->file_count);
    if (status)
        return status;
    kernel->name = s->titles[k];
    module->kernels[k] = kernel;
    return HD_OK;
}

hd_status ptx_lower(hd_arena *arena, const hd_diag *diag, const ptx_module *ptx,
                    kir_module **result) {
    kir_module *module;
    ptx_shared *s = ptx_lower_begin(arena, diag, ptx, &module);
    if (!module->kernel_count)
        return hd_fail(diag, HD_EINPUT, &(hd_place){.file = ptx->path},
                       "there is no kernel in this file: no .entry with a body");
    hd_status status = HD_OK;
    for (uint32_t k = 0; k < module->kernel_count && !status; k++)
        status = ptx_lower_entry(s, module, k);
    if (!status)
        *result = module;
    return status;
}
