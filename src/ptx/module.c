/*
 * Modules: a text becomes kernels, and its variables get memory of the machine's. Addresses in
 * initial values are written when all variables have one.
 */
#include <stdlib.h>

#include "frontend/ptx/ast.h"
#include "ptx/internal.h"

enum { MOST_THREADS = 1024 };

/* ---- variables ------------------------------------------------------------------------------ */

static const api_variable *find_variable(const hd_ptx_module *m, const char *name) {
    uint64_t row = hd_hash_get_key(&m->rows, name);
    return row == HD_NO_VALUE ? NULL : &m->variables.data[row];
}

static hd_status place_variable(hd_ptx_module *m, const char *name, uint64_t bytes, uint64_t align,
                                bool read_only, const void *init) {
    void *address = api_allocate(m->machine, m, name, bytes, align, read_only, true);
    if (!address)
        return hd_fail(&m->machine->diag, HD_ESYSTEM, NULL,
                       "the system has no memory for variable '%s' (%llu bytes)", name,
                       (unsigned long long)bytes);
    if (init)
        memcpy(address, init, bytes);
    hd_hash_add_key(&m->rows, name, m->variables.count);
    hd_push(m->arena, &m->variables, (api_variable){name, address, bytes});
    return HD_OK;
}

static uint32_t element_bytes(const ptx_variable *v) {
    return (ptx_type_bits(v->type) + 7) / 8 * (v->vector ? v->vector : 1);
}

static uint64_t bytes_of(const ptx_variable *v) {
    return element_bytes(v) * (v->is_array ? v->count : 1);
}

static uint32_t align_of(const ptx_variable *v) { return v->align ? v->align : element_bytes(v); }

static hd_status place_ptx_variables(hd_ptx_module *m, const ptx_module *ptx) {
    hd_status status = HD_OK;
    for (uint32_t i = 0; i < ptx->variable_count && !status; i++) {
        const ptx_variable *v = &ptx->variables[i];
        bool is_constant = v->space == PTX_CONST;
        if (v->linkage != PTX_EXTERN && (is_constant || v->space == PTX_GLOBAL))
            status = place_variable(m, v->symbol, bytes_of(v), align_of(v), is_constant, v->init);
    }
    return status;
}

/* Variables as kernels know them: with those that the text has not at its own level, such as those
 * of a function's body, and with numbers for functions in their initial values. */
static hd_status place_statics(hd_ptx_module *m) {
    hd_status status = HD_OK;
    for (uint32_t k = 0; k < m->kir->kernel_count; k++)
        for (uint32_t i = 0; i < m->kir->kernels[k]->static_count && !status; i++) {
            const kir_static *s = &m->kir->kernels[k]->statics[i];
            const api_variable *known = find_variable(m, kir_symbol(s));
            if (s->space != KIR_LOCAL && !known)
                status = place_variable(m, kir_symbol(s), s->bytes, s->align,
                                        s->space == KIR_CONSTANT, s->init);
            else if (s->space != KIR_LOCAL && s->init)
                memcpy(known->address, s->init, s->bytes);
        }
    return status;
}

/* Addresses that the variables of a kernel hold. */
static void write_pointers(const hd_ptx_module *m, const kir_kernel *k) {
    for (uint32_t i = 0; i < k->static_count; i++)
        for (uint32_t p = 0; p < k->statics[i].pointer_count; p++) {
            const kir_pointer *pointer = &k->statics[i].pointers[p];
            uint8_t *in = find_variable(m, kir_symbol(&k->statics[i]))->address;
            const uint8_t *to = find_variable(m, kir_symbol(&k->statics[pointer->to]))->address;
            uint64_t address = (uint64_t)(uintptr_t)to + (uint64_t)pointer->addend;
            memcpy(in + pointer->offset, &address, sizeof address);
        }
}

/* ---- kernels -------------------------------------------------------------------------------- */

static void add_param(hd_ptx_kernel *k, uint32_t index, uint64_t bytes, uint64_t align) {
    hd_ptx_kernel_facts *f = &k->facts;
    uint32_t at = (uint32_t)hd_align_up(f->params_bytes, align ? align : 1);
    k->params[index] = (api_param){at, (uint32_t)bytes};
    f->params_bytes = at + (uint32_t)bytes;
}

/* Every parameter where its own alignment puts it. */
static void lay_out_params(hd_ptx_kernel *k, const ptx_function *f) {
    for (uint32_t i = 0; i < k->kernel->param_count; i++) {
        const kir_param *p = &k->kernel->params[i];
        uint32_t bytes = p->type.kind == KIR_PTR && !p->by_value_struct ? 8 : p->bytes;
        if (f)
            add_param(k, i, bytes_of(&f->params[i]), align_of(&f->params[i]));
        else
            add_param(k, i, bytes, p->by_value_struct ? 16 : bytes);
    }
}

static void find_facts(hd_arena *arena, hd_ptx_kernel *k, const ptx_function *f) {
    const kir_kernel *kernel = k->kernel;
    hd_ptx_kernel_facts *facts = &k->facts;
    facts->param_count = kernel->param_count;
    facts->most_threads = MOST_THREADS;
    lay_out_params(k, f);
    for (uint32_t i = 0; i < kernel->static_count; i++) {
        const kir_static *s = &kernel->statics[i];
        if (s->space == KIR_LOCAL && !s->is_dynamic)
            facts->static_shared =
                (uint32_t)(hd_align_up(facts->static_shared, s->align ? s->align : 1) + s->bytes);
        facts->constant_bytes += s->space == KIR_CONSTANT ? (uint32_t)s->bytes : 0;
    }
    for (uint32_t i = 0; i < kernel->inst_count; i++)
        facts->local_bytes +=
            kernel->insts[i].op == KIR_ALLOCA ? (uint32_t)kernel->insts[i].imm[0] : 0;
    facts->registers = hd_kernel_registers(arena, kernel, hd_flow_analyse(arena, kernel));
    memcpy(facts->required_threads, kernel->required_local, sizeof facts->required_threads);
    if (f && f->target)
        facts->architecture = (uint32_t)strtoul(f->target + strlen("sm_"), NULL, 10);
    if (f && f->most_threads[0]) {
        uint64_t most = f->most_threads[0];
        for (uint32_t d = 1; d < 3; d++)
            most *= f->most_threads[d] ? f->most_threads[d] : 1;
        facts->most_threads = most < MOST_THREADS ? (uint32_t)most : MOST_THREADS;
    }
}

/* Kernel k is the k-th entry with a body; NULL for kir's. */
static const ptx_function *function_of(const ptx_module *ptx, uint32_t k) {
    for (uint32_t i = 0; ptx && i < ptx->function_count; i++) {
        const ptx_function *f = &ptx->functions[i];
        if (f->is_entry && f->has_body && k-- == 0)
            return f;
    }
    return NULL;
}

static void make_kernels(hd_ptx_module *m, const ptx_module *ptx) {
    m->kernels = hd_new_array(m->arena, hd_ptx_kernel, m->kir->kernel_count);
    hd_arena *arena = hd_arena_new(); /* of what analyses leave behind */
    for (uint32_t i = 0; i < m->kir->kernel_count; i++) {
        hd_ptx_kernel *k = &m->kernels[i];
        k->module = m;
        k->kernel = m->kir->kernels[i];
        k->params = hd_new_array(m->arena, api_param, k->kernel->param_count);
        k->variables = hd_new_array(m->arena, uint64_t, k->kernel->static_count);
        for (uint32_t s = 0; s < k->kernel->static_count; s++)
            if (k->kernel->statics[s].space != KIR_LOCAL)
                k->variables[s] =
                    (uint64_t)(uintptr_t)find_variable(m, kir_symbol(&k->kernel->statics[s]))
                        ->address;
        const ptx_function *f = function_of(ptx, i);
        k->entry = f ? f->name : k->kernel->name;
        find_facts(arena, k, f);
    }
    hd_arena_free(arena);
}

/* ---- loading -------------------------------------------------------------------------------- */

/* `ptx` is NULL for a text of kir. */
static hd_status read_text(hd_ptx_module *m, const char *name, const char *text, size_t length,
                           ptx_module **ptx) {
    const hd_diag *diag = &m->machine->diag;
    *ptx = NULL;
    if (length && *text == ';')
        return kir_parse(m->arena, diag, name, text, &m->kir);
    hd_status status = ptx_parse(m->arena, diag, name, text, length, ptx);
    return status ? status : ptx_lower(m->arena, diag, *ptx, &m->kir);
}

hd_status hd_ptx_load(hd_ptx *machine, const char *name, const char *text, size_t length,
                      hd_ptx_module **result) {
    hd_arena *arena = hd_arena_new();
    hd_ptx_module *m = hd_new(arena, hd_ptx_module);
    *m = (hd_ptx_module){.machine = machine, .arena = arena};
    m->rows = (hd_hash_table){.arena = arena, .key_bytes = HD_TEXT_KEYS};
    m->next = machine->modules;
    m->link = &machine->modules;
    if (m->next)
        m->next->link = &m->next;
    machine->modules = m;
    ptx_module *ptx;
    hd_status status =
        read_text(m, hd_strdup(arena, name), hd_strndup(arena, text, length), length, &ptx);
    if (!status && ptx)
        status = place_ptx_variables(m, ptx);
    if (!status)
        status = place_statics(m);
    for (uint32_t i = 0; !status && i < m->kir->kernel_count; i++)
        write_pointers(m, m->kir->kernels[i]);
    if (!status)
        make_kernels(m, ptx);
    *result = status ? NULL : m;
    if (status)
        hd_ptx_unload(m);
    return status;
}

void hd_ptx_unload(hd_ptx_module *m) {
    if (!m)
        return;
    hd_vm *vm = m->machine->vm;
    for (size_t i = 0; i < m->variables.count; i++)
        hd_vm_remove_memory(vm, m, m->variables.data[i].address);
    if (m->kir)
        hd_vm_forget(vm, m->kir);
    *m->link = m->next;
    if (m->next)
        m->next->link = m->link;
    hd_arena_free(m->arena);
}

/* ---- what is in it -------------------------------------------------------------------------- */

hd_ptx_kernel *hd_ptx_find(hd_ptx_module *m, const char *entry) {
    for (uint32_t i = 0; i < m->kir->kernel_count; i++)
        if (!strcmp(m->kernels[i].entry, entry))
            return &m->kernels[i];
    return NULL;
}

uint32_t hd_ptx_kernel_count(const hd_ptx_module *m) { return m->kir->kernel_count; }

hd_ptx_kernel *hd_ptx_kernel_at(hd_ptx_module *m, uint32_t index) { return &m->kernels[index]; }

const char *hd_ptx_kernel_name(const hd_ptx_kernel *kernel) { return kernel->entry; }

hd_ptx_kernel_facts hd_ptx_facts(const hd_ptx_kernel *kernel) { return kernel->facts; }

void hd_ptx_param(const hd_ptx_kernel *kernel, uint32_t index, uint32_t *offset, uint32_t *bytes) {
    *offset = kernel->params[index].offset;
    *bytes = kernel->params[index].bytes;
}

bool hd_ptx_variable(hd_ptx_module *m, const char *name, void **address, size_t *bytes) {
    const api_variable *v = find_variable(m, name);
    if (!v)
        return false;
    *address = v->address;
    *bytes = v->bytes;
    return true;
}

/* ---- as jobs name it ------------------------------------------------------------------------ */

const char *hd_ptx_kernel_title(const hd_ptx_kernel *kernel) { return kernel->kernel->name; }

const char *hd_ptx_param_title(const hd_ptx_kernel *kernel, uint32_t index, bool *is_pointer) {
    const kir_param *param = &kernel->kernel->params[index];
    *is_pointer = param->type.kind == KIR_PTR && !param->by_value_struct;
    return param->name;
}

bool hd_ptx_kernel_variable(const hd_ptx_kernel *kernel, uint32_t index, const char **title,
                            void **address, size_t *bytes) {
    const kir_kernel *k = kernel->kernel;
    for (uint32_t s = 0; s < k->static_count; s++) {
        if (k->statics[s].space == KIR_LOCAL || index--)
            continue;
        *title = k->statics[s].name;
        *address = (void *)(uintptr_t)kernel->variables[s]; /* NOLINT: addresses are numbers here */
        *bytes = k->statics[s].bytes;
        return true;
    }
    return false;
}
