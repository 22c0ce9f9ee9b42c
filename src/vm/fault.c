/*
 * Faults: what a thread did that no device allows. A handler that meets one
 * leaves the block at once; the message is finished here, with the thread, the
 * block, and for an access the buffer and what would have been allowed.
 */
#include <stdio.h>
#include <stdlib.h>

#include "vm/flow.h"

static const char *kind_of(const vm_run *r, const vm_op *op, bool writes) {
    const kir_inst *inst = &r->program->kernel->insts[op->inst];
    return inst->op == KIR_ATOMIC ? "atomic access" : writes ? "store" : "load";
}

int vm_print_thread(const vm_run *r, uint32_t lane, char *text, size_t size) {
    const hd_event_launch *launch = r->launch;
    const char *shape = launch->dims == 1   ? "thread %llu of block %llu"
                        : launch->dims == 2 ? "thread (%llu,%llu) of block (%llu,%llu)"
                                            : "thread (%llu,%llu,%llu) of block (%llu,%llu,%llu)";
    unsigned long long n[6];
    uint32_t d = launch->dims, k = 0;
    uint64_t thread[3];
    hd_grid_ids(r->grid.local, lane, thread);
    for (uint32_t i = 0; i < d; i++)
        n[k++] = thread[i];
    for (uint32_t i = 0; i < d; i++)
        n[k++] = r->group[i];
    return d == 1   ? snprintf(text, size, shape, n[0], n[1])
           : d == 2 ? snprintf(text, size, shape, n[0], n[1], n[2], n[3])
                    : snprintf(text, size, shape, n[0], n[1], n[2], n[3], n[4], n[5]);
}

static int print_block(const vm_run *r, char *text, size_t size) {
    const uint64_t *g = r->group;
    if (r->launch->dims == 1)
        return snprintf(text, size, "block %llu", (unsigned long long)g[0]);
    if (r->launch->dims == 2)
        return snprintf(text, size, "block (%llu,%llu)", (unsigned long long)g[0],
                        (unsigned long long)g[1]);
    return snprintf(text, size, "block (%llu,%llu,%llu)", (unsigned long long)g[0],
                    (unsigned long long)g[1], (unsigned long long)g[2]);
}

void vm_fault(vm_run *r, uint32_t inst, uint32_t lane, const char *format, ...) {
    enum { MOST = 1024 };
    char *text = hd_checked(malloc(MOST));
    va_list args;
    va_start(args, format);
    int n = vsnprintf(text, MOST - 128, format, args);
    va_end(args);
    n = n < 0 ? 0 : n >= MOST - 128 ? MOST - 129 : n;
    n += snprintf(text + n, (size_t)(MOST - n), "; ");
    if (lane == UINT32_MAX)
        print_block(r, text + n, (size_t)(MOST - n));
    else
        vm_print_thread(r, lane, text + n, (size_t)(MOST - n));
    r->fault = text;
    r->fault_inst = inst;
    longjmp(r->escape, 1);
}

/* ---- accesses --------------------------------------------------------------------------- */

/* The region that an address beside all regions was meant for, as far as that is known. */
typedef struct meant {
    uint64_t address, least; /* bytes that the nearest region is away */
    const vm_region *region;
} meant;

static void consider(meant *m, const vm_region *g) {
    uint64_t at = m->address, end = g->base + g->bytes;
    uint64_t away = at < g->base ? g->base - at : at >= end ? at - end : 0;
    if (away >= m->least)
        return;
    m->region = g;
    m->least = away;
}

/* The address that a parameter or a variable at file scope is; 0 for private memory. */
static uint64_t start_of(const vm_run *r, const kir_inst *source) {
    if (source->op == KIR_STATIC) {
        const vm_bound_static *s = &r->statics[source->index];
        return s->address + (s->is_local ? vm_local_base(r->block) : 0);
    }
    bool is_given =
        source->op == KIR_PARAM && !r->program->kernel->params[source->index].by_value_struct;
    return is_given ? vm_element(r, r->program->param[source->index][0], 0) : 0;
}

static void consider_source(const vm_run *r, const kir_inst *source, meant *m) {
    uint64_t start = start_of(r, source);
    for (uint32_t i = 0; i < r->region_count; i++)
        if (start ? r->regions[i].base == start : r->regions[i].space == KIR_PRIVATE)
            consider(m, &r->regions[i]);
}

/* The operand that is the address of an access. */
static kir_value address_of(const kir_inst *inst, bool writes) {
    bool is_second =
        inst->op == KIR_STORE || (!writes && (inst->op == KIR_COPY || inst->op == KIR_CALL));
    return inst->args[is_second && inst->arg_count > 1];
}

/* Follows a pointer back to where it comes from. Of several parameters that it may come from,
 * the nearest is taken. */
static void trace_back(const vm_run *r, kir_value pointer, meant *m) {
    const kir_kernel *k = r->program->kernel;
    kir_value *stack = hd_checked(malloc(k->inst_count * sizeof *stack));
    bool *seen = hd_zeroed(k->inst_count, sizeof *seen);
    uint32_t depth = 0;
    stack[depth++] = pointer;
    seen[pointer] = true;
    while (depth) {
        const kir_inst *inst = &k->insts[stack[--depth]];
        bool joins = inst->op == KIR_PHI || inst->op == KIR_SELECT;
        bool passes = inst->op == KIR_ADDR || inst->op == KIR_SPACECAST || inst->op == KIR_FREEZE;
        if (inst->op == KIR_PARAM || inst->op == KIR_STATIC || inst->op == KIR_ALLOCA)
            consider_source(r, inst, m);
        for (uint32_t i = inst->op == KIR_SELECT; i < (joins ? inst->arg_count : passes); i++) {
            if (!seen[inst->args[i]])
                stack[depth++] = inst->args[i];
            seen[inst->args[i]] = true;
        }
    }
    free(stack);
    free(seen);
}

/* Where nothing is known of a pointer, how far it may be from a region. */
enum { NEAR = 1 << 20 };

static const vm_region *meant_region(const vm_run *r, const vm_op *op, uint64_t address,
                                     bool writes) {
    meant m = {.address = address, .least = UINT64_MAX};
    trace_back(r, address_of(&r->program->kernel->insts[op->inst], writes), &m);
    if (m.region)
        return m.region;
    m.least = NEAR;
    for (uint32_t i = 0; i < r->region_count; i++)
        consider(&m, &r->regions[i]);
    return m.region;
}

static const char *space_word(kir_space space) {
    return space == KIR_LOCAL      ? "local memory"
           : space == KIR_PRIVATE  ? "private memory"
           : space == KIR_CONSTANT ? "constant buffer"
                                   : "buffer";
}

/* Bytes of the number that is accessed; 0 for more than one. */
static uint32_t scalar_bytes(const vm_run *r, const vm_op *op) {
    const kir_kernel *k = r->program->kernel;
    const kir_inst *inst = &k->insts[op->inst];
    kir_type type = inst->op == KIR_STORE ? k->insts[inst->args[0]].type : inst->type;
    return inst->op == KIR_COPY || inst->op == KIR_FILL || type.lanes != 1 ? 0 : type.bits / 8;
}

/* "buffer 'p' (index 17), which has 448 bytes (16 elements of 28)"; of a long name the beginning.
 * Where elements are not known, the number that is accessed is taken for one. */
static void describe(const vm_run *r, const vm_op *op, const vm_region *g, int64_t offset,
                     char text[256]) {
    int64_t unit = g->element_bytes ? g->element_bytes : scalar_bytes(r, op);
    int n = g->space == KIR_PRIVATE
                ? snprintf(text, 256, "%s", space_word(g->space))
                : snprintf(text, 256, "%s '%.100s'", space_word(g->space), g->name);
    if (unit)
        n += snprintf(text + n, 256 - (size_t)n, " (index %lld)",
                      (long long)(offset / unit - (offset % unit < 0)));
    n +=
        snprintf(text + n, 256 - (size_t)n, ", which has %llu bytes", (unsigned long long)g->bytes);
    if (g->element_bytes > 1)
        n += snprintf(text + n, 256 - (size_t)n, " (%llu elements of %u)",
                      (unsigned long long)(g->bytes / g->element_bytes), g->element_bytes);
    if (g->is_argument)
        snprintf(text + n, 256 - (size_t)n, " by 'local' of the job, or by default");
}

static bool is_of_another_block(const vm_run *r, uint64_t address) {
    uint64_t own = vm_local_base(r->block);
    return address >= VM_LOCAL_BASE && address < VM_LOCAL_BASE + VM_LOCAL_BLOCKS * VM_LOCAL_STEP &&
           !(address >= own && address - own < VM_LOCAL_STEP);
}

void vm_fault_access(vm_run *r, const vm_op *op, uint32_t lane, uint64_t address, uint64_t width,
                     uint32_t align, bool writes) {
    const char *kind = kind_of(r, op, writes);
    const vm_region *inside = vm_find_region(r, address, width);
    const vm_region *g = inside ? inside : meant_region(r, op, address, writes);
    unsigned long long bytes = width, at = address;
    if (address < 4096)
        vm_fault(r, op->inst, lane, "%s of %llu bytes through a null pointer", kind, bytes);
    if (g && address % align)
        vm_fault(r, op->inst, lane,
                 "misaligned %s of %llu bytes at byte %lld of '%s': its address must be a multiple "
                 "of %u",
                 kind, bytes, (long long)(address - g->base), g->name ? g->name : "memory", align);
    if (inside)
        vm_fault(r, op->inst, lane, "%s to constant memory: byte %lld of '%s' can only be read",
                 kind, (long long)(address - inside->base), inside->name);
    if (is_of_another_block(r, address))
        vm_fault(r, op->inst, lane,
                 "%s of %llu bytes in local memory of another block, which is released when that "
                 "block ends; keep no pointers to local memory",
                 kind, bytes);
    if (!g)
        vm_fault(r, op->inst, lane, "%s of %llu bytes at address 0x%llx, which is in no buffer",
                 kind, bytes, at);
    char text[256];
    describe(r, op, g, (int64_t)(address - g->base), text);
    vm_fault(r, op->inst, lane, "%s of %llu bytes at byte %lld of %s", kind, bytes,
             (long long)(address - g->base), text);
}
