/*
 * Faults: what a thread did that no device allows. A handler that meets one
 * leaves the block at once; the message is finished here, with the thread, the
 * block, and for an access the buffer and what would have been allowed.
 */
#include <stdio.h>
#include <stdlib.h>

#include "machine/launch.h"

/* "thread 5", "block (1,2)": as many ids as the launch has dimensions. */
static int print_ids(const vm_run *r, const char *what, const uint64_t ids[3], char *text,
                     size_t size) {
    uint32_t dims = r->launch->dims;
    int n = snprintf(text, size, "%s %s%llu", what, dims > 1 ? "(" : "", (unsigned long long)*ids);
    for (uint32_t d = 1; d < dims; d++)
        n += snprintf(text + n, size - (size_t)n, ",%llu%s", (unsigned long long)ids[d],
                      d + 1 == dims ? ")" : "");
    return n;
}

int vm_print_thread(const vm_run *r, uint32_t lane, char *text, size_t size) {
    uint64_t thread[3];
    hd_grid_ids(r->grid.local, lane, thread);
    int n = print_ids(r, "thread", thread, text, size);
    return n + print_ids(r, " of block", r->group, text + n, size - (size_t)n);
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
        print_ids(r, "block", r->group, text + n, (size_t)(MOST - n));
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

/* All regions that hold an address, or, where there is none, all private ones. */
static void consider_regions(const vm_run *r, uint64_t start, meant *m) {
    for (uint32_t i = 0; i < vm_row_count(r); i++) {
        const vm_region *g = vm_row(r, i);
        if (start ? vm_holds(g, start, 1) || g->base == start : g->space == KIR_PRIVATE)
            consider(m, g);
    }
}

/* What a parameter, a variable at file scope or a private one is. A number may be an address. */
static void consider_source(const vm_run *r, const kir_inst *source, meant *m) {
    if (source->op == KIR_STATIC) {
        const vm_bound_place *s = &r->statics[source->index];
        consider_regions(r, s->address + (s->is_local ? r->local_base : 0), m);
        return;
    }
    bool is_private =
        source->op == KIR_ALLOCA || r->program->kernel->params[source->index].by_value_struct;
    if (is_private) {
        consider_regions(r, 0, m);
    } else if (source->type.bits == 64 && source->type.lanes == 1) {
        uint64_t start = vm_element(r, r->program->param[source->index][0], 0);
        if (start)
            consider_regions(r, start, m);
    }
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
        bool adds = inst->op == KIR_ADD || inst->op == KIR_SUB; /* numbers that become pointers */
        bool passes = inst->op == KIR_ADDR || inst->op == KIR_SPACECAST || inst->op == KIR_FREEZE ||
                      inst->op == KIR_INTTOPTR || inst->op == KIR_PTRTOINT;
        joins |= adds;
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
    const kir_inst *inst = &r->program->kernel->insts[op->inst];
    bool is_second = /* operand, that is the address */
        inst->op == KIR_STORE || (!writes && (inst->op == KIR_COPY || inst->op == KIR_CALL));
    trace_back(r, inst->args[is_second && inst->arg_count > 1], &m);
    if (m.region)
        return m.region;
    m.least = NEAR;
    for (uint32_t i = 0; i < vm_row_count(r); i++)
        consider(&m, vm_row(r, i));
    return m.region;
}

static const char *space_word(kir_space space) {
    return space == KIR_LOCAL      ? "local memory"
           : space == KIR_PRIVATE  ? "private memory"
           : space == KIR_CONSTANT ? "constant buffer"
                                   : "buffer";
}

/* "buffer 'p' (index 17), which has 448 bytes (16 elements of 28)"; of a long name the beginning.
 * Where elements are not known, the number that is accessed is taken for one. */
static void describe(const vm_run *r, const vm_op *op, const vm_region *g, int64_t offset,
                     char text[256]) {
    const kir_kernel *k = r->program->kernel;
    const kir_inst *inst = &k->insts[op->inst];
    kir_type type = inst->op == KIR_STORE ? k->insts[inst->args[0]].type : inst->type;
    bool is_scalar = inst->op != KIR_COPY && inst->op != KIR_FILL && type.lanes == 1;
    int64_t unit = g->element_bytes ? g->element_bytes : is_scalar ? type.bits / 8 : 0;
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

void vm_fault_access(vm_run *r, const vm_op *op, uint32_t lane, uint64_t address, uint64_t width,
                     uint32_t align, bool writes) {
    r->fault_access = (hd_vm_fault){.is_access = true, .address = address, .bytes = width};
    bool is_atomic = r->program->kernel->insts[op->inst].op == KIR_ATOMIC;
    const char *kind = is_atomic ? "atomic access" : writes ? "store" : "load";
    const vm_region *inside = vm_find_region(r, address, width);
    const vm_region *g = inside ? inside : meant_region(r, op, address, writes);
    unsigned long long bytes = width, at = address;
    if (address < 4096)
        vm_fault(r, op->inst, lane, "%s of %llu bytes through a null pointer", kind, bytes);
    const vm_region *gone = inside ? NULL : vm_space_gone(r->space, address);
    if (gone || g) {
        r->fault_access.base = gone ? gone->base : g->base;
        r->fault_access.size = gone ? gone->bytes : g->bytes;
        r->fault_access.is_freed = gone != NULL;
    }
    if (gone)
        vm_fault(r, op->inst, lane,
                 "%s of %llu bytes at byte %llu of '%s', which was freed; it had %llu bytes", kind,
                 bytes, (unsigned long long)(address - gone->base), gone->name,
                 (unsigned long long)gone->bytes);
    if (g && address % align)
        vm_fault(r, op->inst, lane,
                 "misaligned %s of %llu bytes at byte %lld of '%s': its address must be a multiple "
                 "of %u",
                 kind, bytes, (long long)(address - g->base), g->name ? g->name : "memory", align);
    if (inside)
        vm_fault(r, op->inst, lane, "%s to constant memory: byte %lld of '%s' can only be read",
                 kind, (long long)(address - inside->base), inside->name);
    if (address >= VM_LOCAL_BASE && address < VM_LOCAL_BASE + VM_LOCAL_BLOCKS * VM_LOCAL_STEP &&
        address / VM_LOCAL_STEP != r->local_base / VM_LOCAL_STEP)
        vm_fault(r, op->inst, lane, "%s of %llu bytes in local memory of another block, %s", kind,
                 bytes,
                 !r->cluster ? "which is released when that block ends; keep no pointers to local "
                               "memory"
                             : "where a block of the cluster has none, or has ended; blocks of a "
                               "cluster wait for each other (cluster.sync()) before they end");
    if (!g)
        vm_fault(r, op->inst, lane, "%s of %llu bytes at address 0x%llx, which is in no %s", kind,
                 bytes, at, r->space->any_memory ? "memory of the process" : "buffer");
    char text[256];
    describe(r, op, g, (int64_t)(address - g->base), text);
    vm_fault(r, op->inst, lane, "%s of %llu bytes at byte %lld of %s", kind, bytes,
             (long long)(address - g->base), text);
}
