/*
 * What stands in a frame before a block's first instruction: constants, the
 * launch's arguments and sizes, and the ids of the block and its threads.
 */
#include "vm/launch.h"

#define FILL(T)                             \
    for (uint32_t l = 0; l < VM_CHUNK; l++) \
        VM_CELL(r, o.at, T)[l] = (T)bits;   \
    return

static void fill_uniform(vm_run *r, vm_operand o, uint64_t bits) {
    switch (vm_elem_bytes(o.elem)) {
    case 1: FILL(uint8_t);
    case 2: FILL(uint16_t);
    case 4: FILL(uint32_t);
    default: FILL(uint64_t);
    }
}

/* ---- once for each launch ----------------------------------------------------------------- */

/* A scalar, vector, pointer or struct argument from the bytes that it has. */
static void fill_param(vm_run *r, uint32_t index, const vm_bound_arg *arg) {
    const vm_program *p = r->program;
    const kir_param *param = &p->kernel->params[index];
    if (param->by_value_struct) {
        fill_uniform(r, p->param[index][0], VM_PRIVATE_BASE + p->by_value[index]);
        return;
    }
    if (param->type.kind == KIR_PTR) {
        fill_uniform(r, p->param[index][0], arg->address);
        return;
    }
    uint32_t bytes = param->type.bits == 1 ? 1 : param->type.bits / 8u;
    for (uint32_t k = 0; k < param->type.lanes; k++) {
        uint64_t bits = 0;
        memcpy(&bits, arg->bytes + k * bytes, bytes);
        fill_uniform(r, p->param[index][k], bits);
    }
}

static uint64_t size_of(const hd_event_launch *l, uint32_t query, uint32_t d) {
    switch (query) {
    case KIR_Q_GLOBAL_SIZE: return l->groups[d] * l->local[d];
    case KIR_Q_LOCAL_SIZE:
    case KIR_Q_ENQUEUED_LOCAL_SIZE: return l->local[d];
    case KIR_Q_NUM_GROUPS: return l->groups[d];
    case KIR_Q_GLOBAL_OFFSET: return l->offset[d];
    default: return l->dims; /* WORK_DIM */
    }
}

static bool is_of_launch(uint32_t query) {
    return query == KIR_Q_GLOBAL_SIZE || query == KIR_Q_LOCAL_SIZE ||
           query == KIR_Q_ENQUEUED_LOCAL_SIZE || query == KIR_Q_NUM_GROUPS ||
           query == KIR_Q_GLOBAL_OFFSET || query == KIR_Q_WORK_DIM;
}

static void put(vm_run *r, vm_operand o, uint32_t lane, uint64_t bits) {
    uint32_t bytes = vm_elem_bytes(o.elem);
    memcpy(r->frame + o.at + (size_t)lane * bytes, &bits, bytes);
}

/* Lanes beyond the block's last get the ids that they would have. */
static void fill_local_ids(vm_run *r, const vm_query *q) {
    uint64_t step = r->grid.step[q->dimension], size = r->grid.local[q->dimension];
    for (uint32_t l = 0; l < r->padded; l++)
        put(r, q->cell, l, q->query == KIR_Q_LOCAL_LINEAR_ID ? l : l / step % size);
}

void vm_fill_launch(vm_run *r, const vm_bound_arg *args) {
    const vm_program *p = r->program;
    for (uint32_t i = 0; i < p->constant_count; i++)
        fill_uniform(r, (vm_operand){p->constants[i].at, p->constants[i].elem, false},
                     p->constants[i].bits);
    for (uint32_t i = 0; i < p->kernel->param_count; i++)
        fill_param(r, i, &args[i]);
    for (size_t i = 0; i < p->queries.count; i++) {
        const vm_query *q = &p->queries.data[i];
        if (is_of_launch(q->query))
            fill_uniform(r, q->cell, size_of(r->launch, q->query, q->dimension));
        else if (q->query == KIR_Q_LOCAL_ID || q->query == KIR_Q_LOCAL_LINEAR_ID)
            fill_local_ids(r, q);
    }
}

/* ---- for each block --------------------------------------------------------------------------- */

/* Global ids: the block's first one plus local ids, which change every `step` lanes. A loop for
 * each width, since this is done for every block. */
#define DEFINE_IDS(T)                                                               \
    static void write_ids_##T(T *to, uint32_t lanes, uint64_t first, uint64_t step, \
                              uint64_t size) {                                      \
        if (step == 1 && size >= lanes) {                                           \
            for (uint32_t l = 0; l < lanes; l++)                                    \
                to[l] = (T)(first + l);                                             \
            return;                                                                 \
        }                                                                           \
        for (uint64_t l = 0, id = 0; l < lanes; id = id + 1 < size ? id + 1 : 0)    \
            for (uint64_t k = 0; k < step && l < lanes; k++)                        \
                to[l++] = (T)(first + id);                                          \
    }
DEFINE_IDS(uint32_t)
DEFINE_IDS(uint64_t)

static void fill_global_ids(vm_run *r, const vm_query *q) {
    uint32_t d = q->dimension;
    uint64_t first = r->launch->offset[d] + r->group[d] * r->grid.local[d];
    uint64_t size = r->grid.local[d], step = r->grid.step[d];
    if (d + 1 >= r->launch->dims && size > 1)
        size = r->padded; /* lanes beyond the last may have ids beyond the last */
    if (q->cell.elem == VM_I32)
        write_ids_uint32_t(VM_CELL(r, q->cell.at, uint32_t), r->padded, first, step, size);
    else
        write_ids_uint64_t(VM_CELL(r, q->cell.at, uint64_t), r->padded, first, step, size);
}

static void fill_global_linear(vm_run *r, const vm_query *q) {
    const hd_grid *g = &r->grid;
    for (uint32_t l = 0; l < r->padded; l++) {
        uint64_t id = 0, local[3];
        hd_grid_ids(g->local, l % g->block_threads, local);
        for (uint32_t d = 3; d-- > 0;)
            id = id * g->groups[d] * g->local[d] + r->group[d] * g->local[d] + local[d];
        put(r, q->cell, l, id);
    }
}

static void fill_ids(vm_run *r, const vm_query *q) {
    switch (q->query) {
    case KIR_Q_GROUP_ID: fill_uniform(r, q->cell, r->group[q->dimension]); return;
    case KIR_Q_GLOBAL_ID: fill_global_ids(r, q); return;
    case KIR_Q_GLOBAL_LINEAR_ID: fill_global_linear(r, q); return;
    default: return;
    }
}

void vm_fill_block(vm_run *r, const vm_bound_arg *args) {
    const vm_program *p = r->program;
    for (size_t i = 0; i < p->queries.count; i++)
        fill_ids(r, &p->queries.data[i]);
    uint64_t local = vm_local_base(r->block);
    for (uint32_t i = 0; i < p->kernel->static_count; i++)
        fill_uniform(r, p->statics[i],
                     r->statics[i].is_local ? local + r->statics[i].address
                                            : r->statics[i].address);
    for (uint32_t i = 0; i < p->kernel->param_count; i++)
        if (args[i].is_local)
            fill_uniform(r, p->param[i][0], local + args[i].address);
    for (uint32_t i = 0; i < p->kernel->param_count && p->private_bytes; i++)
        for (uint32_t l = 0; l < r->lanes && p->kernel->params[i].by_value_struct; l++)
            memcpy(r->private_memory + l * r->private_stride + p->by_value[i], args[i].bytes,
                   p->kernel->params[i].bytes);
}
