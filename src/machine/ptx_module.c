/*
 * Modules: a text is parsed, and its variables get memory of the machine's. Addresses in initial
 * values are written when all variables have one. An entry becomes a kernel when it is first asked
 * for: of the hundreds that a library of templates leaves in a program few are launched.
 */
#include <stdlib.h>

#include "frontend/ptx/ast.h"
#include "frontend/frontend.h"
#include "machine/ptx_module.h"

enum { MOST_THREADS = 1024 };

/* ---- variables ------------------------------------------------------------------------------ */

static const api_variable *find_variable(const hd_ptx_module *m, const char *name) {
    uint64_t row = hd_hash_get_key(&m->rows, name);
    return row == HD_NO_VALUE ? NULL : &m->variables.data[row];
}

static hd_status place_variable(hd_ptx_module *m, const char *name, uint64_t bytes, uint64_t align,
                                bool is_constant, const void *init) {
    void *address = api_allocate(m->machine, m, name, bytes, align, is_constant, true);
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

/* The address that a name in an initial value stands for; false: none that can be written. */
static bool address_of(const hd_ptx_module *m, const ptx_module *ptx, const char *name,
                       uint64_t *address) {
    const api_variable *v = find_variable(m, name);
    *address = v ? (uint64_t)(uintptr_t)v->address : 0;
    for (uint32_t i = 0; !v && i < ptx->function_count; i++)
        if (!strcmp(ptx->functions[i].name, name)) {
            *address = (uint64_t)ptx_function_number(i);
            return true;
        }
    return v != NULL;
}

/* Addresses in initial values. Of those that are not whole, the kernels that name the variable tell
 * when they are lowered. */
static void write_addresses(const hd_ptx_module *m, const ptx_module *ptx) {
    for (uint32_t i = 0; i < ptx->variable_count; i++)
        for (uint32_t r = 0; r < ptx->variables[i].relocation_count; r++) {
            const struct ptx_relocation *at = &ptx->variables[i].relocations[r];
            const api_variable *in = find_variable(m, ptx->variables[i].name);
            uint64_t address;
            if (!in || at->bytes != 8 || at->shift || !address_of(m, ptx, at->name, &address))
                continue;
            address += (uint64_t)at->addend;
            memcpy((uint8_t *)in->address + at->offset, &address, sizeof address);
        }
}

/* Variables that kir has and no text of PTX, and addresses in them. */
static hd_status place_statics(hd_ptx_module *m, const kir_kernel *k) {
    hd_status status = HD_OK;
    size_t known = m->variables.count;
    for (uint32_t i = 0; i < k->static_count && !status; i++) {
        const kir_static *s = &k->statics[i];
        if (s->space != KIR_LOCAL && !find_variable(m, kir_symbol(s)))
            status = place_variable(m, kir_symbol(s), s->bytes, s->align, s->space == KIR_CONSTANT,
                                    s->init);
    }
    for (uint32_t i = 0; i < k->static_count && !status; i++)
        for (uint32_t p = 0; p < k->statics[i].pointer_count; p++) {
            const kir_pointer *pointer = &k->statics[i].pointers[p];
            const api_variable *in = find_variable(m, kir_symbol(&k->statics[i]));
            const uint8_t *to = find_variable(m, kir_symbol(&k->statics[pointer->to]))->address;
            uint64_t address = (uint64_t)(uintptr_t)to + (uint64_t)pointer->addend;
            if (in >= m->variables.data + known)
                memcpy((uint8_t *)in->address + pointer->offset, &address, sizeof address);
        }
    return status;
}

/* ---- kernels -------------------------------------------------------------------------------- */

static void find_facts(hd_arena *arena, hd_ptx_kernel *k, const ptx_function *f) {
    const kir_kernel *kernel = k->kernel;
    hd_ptx_kernel_facts *facts = &k->facts;
    facts->param_count = kernel->param_count;
    const hd_ptx_options *options = &k->module->machine->options;
    facts->most_threads = options->most_threads ? options->most_threads : MOST_THREADS;
    for (uint32_t i = 0; i < kernel->param_count; i++) { /* where its own alignment puts it */
        const kir_param *p = &kernel->params[i];
        uint32_t bytes = p->type.kind == KIR_PTR && !p->by_value_struct ? 8 : p->bytes;
        uint64_t align = p->by_value_struct ? 16 : bytes;
        if (f) {
            bytes = (uint32_t)bytes_of(&f->params[i]);
            align = align_of(&f->params[i]);
        }
        k->params[i].offset = (uint32_t)hd_align_up(facts->params_bytes, align ? align : 1);
        k->params[i].bytes = bytes;
        facts->params_bytes = k->params[i].offset + bytes;
    }
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
    facts->registers = hd_kernel_registers(kernel, hd_flow_analyse(arena, kernel), NULL);
    memcpy(facts->required_threads, kernel->required_local, sizeof facts->required_threads);
    memcpy(facts->required_cluster, kernel->required_cluster, sizeof facts->required_cluster);
    if (f && f->target)
        facts->architecture = (uint32_t)strtoul(f->target + strlen("sm_"), NULL, 10);
    if (f && f->most_threads[0]) {
        uint64_t most = f->most_threads[0];
        for (uint32_t d = 1; d < 3; d++)
            most *= f->most_threads[d] ? f->most_threads[d] : 1;
        facts->most_threads = most < MOST_THREADS ? (uint32_t)most : MOST_THREADS;
    }
}

/* What cannot be lowered has been told, once. */
static hd_status need_kernel(hd_ptx_module *m, uint32_t index) {
    hd_ptx_kernel *k = &m->kernels[index];
    hd_status status = k->status;
    if (status || k->kernel)
        return status;
    if (m->lowering)
        status = ptx_lower_entry(m->lowering, m->kir, index);
    if (!status)
        status = place_statics(m, m->kir->kernels[index]);
    k->status = status;
    if (status)
        return status;
    const kir_kernel *kernel = k->kernel = m->kir->kernels[index];
    k->params = hd_new_array(m->arena, api_param, kernel->param_count);
    k->variables = hd_new_array(m->arena, uint64_t, kernel->static_count);
    for (uint32_t s = 0; s < kernel->static_count; s++)
        if (kernel->statics[s].space != KIR_LOCAL)
            k->variables[s] =
                (uint64_t)(uintptr_t)find_variable(m, kir_symbol(&kernel->statics[s]))->address;
    hd_arena *arena = hd_arena_new(); /* of what analyses leave behind */
    find_facts(arena, k, k->function);
    hd_arena_free(arena);
    return HD_OK;
}

/* ---- loading -------------------------------------------------------------------------------- */

/* The entries, by their names in the text. */
static void list_kernels(hd_ptx_module *m, const ptx_module *ptx) {
    uint32_t count = 0;
    m->kernels = hd_new_array(m->arena, hd_ptx_kernel, m->kir->kernel_count);
    for (uint32_t i = 0; ptx && i < ptx->function_count; i++) {
        const ptx_function *f = &ptx->functions[i];
        if (f->is_entry && f->has_body)
            m->kernels[count++] = (hd_ptx_kernel){.module = m, .entry = f->name, .function = f};
    }
    for (uint32_t k = count; k < m->kir->kernel_count; k++) /* those of kir */
        m->kernels[k] = (hd_ptx_kernel){.module = m, .entry = m->kir->kernels[k]->name};
}

static hd_status read_text(hd_ptx_module *m, const char *name, const char *text, size_t length) {
    const hd_diag *diag = &m->machine->diag;
    ptx_module *ptx = NULL;
    hd_status status = HD_OK;
    bool is_kir = length && *text == ';';
    if (is_kir)
        status = kir_parse(m->arena, diag, name, text, &m->kir);
    else
        status = ptx_parse(m->arena, diag, name, text, length, &ptx);
    m->ptx = ptx;
    if (!status && ptx) {
        m->lowering = ptx_lower_begin(m->arena, diag, ptx, &m->kir);
        for (uint32_t i = 0; i < ptx->variable_count && !status; i++) {
            const ptx_variable *v = &ptx->variables[i];
            bool is_constant = v->space == PTX_CONST;
            if (v->linkage != PTX_EXTERN && (is_constant || v->space == PTX_GLOBAL))
                status =
                    place_variable(m, v->symbol, bytes_of(v), align_of(v), is_constant, v->init);
        }
        write_addresses(m, ptx);
    }
    if (!status)
        list_kernels(m, ptx);
    /* One alone is wanted for certain. */
    bool at_once = is_kir || (!status && m->kir->kernel_count == 1);
    for (uint32_t i = 0; !status && at_once && i < m->kir->kernel_count; i++)
        status = need_kernel(m, i);
    return status;
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
    hd_status status =
        read_text(m, hd_strdup(arena, name), hd_strndup(arena, text, length), length);
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

static uint32_t index_of(const hd_ptx_module *m, const char *entry) {
    uint32_t i = 0;
    while (i < m->kir->kernel_count && strcmp(m->kernels[i].entry, entry) != 0)
        i++;
    if (i < m->kir->kernel_count || m->lowering)
        return i;
    /* Kernels of kir have the names of the source. */
    const char *name = hd_kernel_of_symbol(m->arena, entry);
    return strcmp(name, entry) ? index_of(m, name) : i;
}

bool hd_ptx_has(const hd_ptx_module *m, const char *entry) {
    return index_of(m, entry) < m->kir->kernel_count;
}

hd_ptx_kernel *hd_ptx_find(hd_ptx_module *m, const char *entry) {
    uint32_t index = index_of(m, entry);
    return index < m->kir->kernel_count ? hd_ptx_kernel_at(m, index) : NULL;
}

uint32_t hd_ptx_kernel_count(const hd_ptx_module *m) { return m->kir->kernel_count; }

hd_ptx_kernel *hd_ptx_kernel_at(hd_ptx_module *m, uint32_t index) {
    return need_kernel(m, index) ? NULL : &m->kernels[index];
}

const char *hd_ptx_kernel_name(const hd_ptx_kernel *kernel) { return kernel->entry; }

uint32_t hd_ptx_function_count(const hd_ptx_module *m) {
    return m->ptx ? m->ptx->function_count : 0;
}

const char *hd_ptx_entry_of(const hd_ptx_module *m, uint32_t function, uint32_t *params_bytes) {
    const ptx_function *f =
        function < hd_ptx_function_count(m) ? &m->ptx->functions[function] : NULL;
    if (!f || !f->is_entry || !f->has_body)
        return NULL;
    *params_bytes = 0;
    for (uint32_t i = 0; i < f->param_count; i++)
        *params_bytes = (uint32_t)(hd_align_up(*params_bytes, align_of(&f->params[i])) +
                                   bytes_of(&f->params[i]));
    return f->name;
}

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

const kir_kernel *hd_ptx_kernel_ir(const hd_ptx_kernel *kernel) { return kernel->kernel; }

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
