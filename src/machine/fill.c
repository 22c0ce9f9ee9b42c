/*
 * What stands in a frame before a block's first instruction: constants, the
 * launch's arguments and sizes, and the ids of the block and its threads.
 */
#include "machine/launch.h"

/* ---- ids of threads -------------------------------------------------------------------- */

/* Ids from `first` on, which change every `step` lanes and begin anew after `size` of them. A loop
 * for each width, since this is done for every block. */
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

static void write_ids(vm_run *r, const vm_query *q, uint64_t first, uint64_t size) {
    uint64_t step = r->grid.step[q->dimension];
    if (q->cell.elem == VM_I32)
        write_ids_uint32_t(VM_CELL(r, q->cell.at, uint32_t), r->padded, first, step, size);
    else
        write_ids_uint64_t(VM_CELL(r, q->cell.at, uint64_t), r->padded, first, step, size);
}

/* ---- once for each launch ----------------------------------------------------------------- */

/* What is the same for the whole launch; false: the query is none of these. */
static bool size_of(const hd_event_launch *l, const vm_query *q, uint64_t *size) {
    uint32_t d = q->dimension;
    switch (q->query) {
    case KIR_Q_GLOBAL_SIZE: *size = l->groups[d] * l->local[d]; return true;
    case KIR_Q_LOCAL_SIZE:
    case KIR_Q_ENQUEUED_LOCAL_SIZE: *size = l->local[d]; return true;
    case KIR_Q_NUM_GROUPS: *size = l->groups[d]; return true;
    case KIR_Q_GLOBAL_OFFSET: *size = l->offset[d]; return true;
    case KIR_Q_WORK_DIM: *size = l->dims; return true;
    default: return false;
    }
}

void vm_fill_launch(vm_run *r, const vm_bound_place *args) {
    const vm_program *p = r->program;
    for (size_t i = 0; i < p->constants.count; i++)
        vm_put_bits(r, p->constants.data[i].cell, 0, p->constants.data[i].bits);
    for (uint32_t i = 0; i < p->kernel->param_count; i++) {
        const kir_param *param = &p->kernel->params[i];
        if (param->by_value_struct) {
            vm_put_bits(r, p->param[i][0], 0, VM_PRIVATE_BASE + p->by_value[i]);
        } else if (param->type.kind == KIR_PTR) {
            vm_put_bits(r, p->param[i][0], 0, args[i].address);
        } else {
            uint32_t bytes = param->type.bits == 1 ? 1 : param->type.bits / 8u;
            for (uint32_t k = 0; k < param->type.lanes; k++) {
                uint64_t bits = 0;
                memcpy(&bits, args[i].bytes + k * bytes, bytes);
                vm_put_bits(r, p->param[i][k], 0, bits);
            }
        }
    }
    for (size_t i = 0; i < p->queries.count; i++) {
        const vm_query *q = &p->queries.data[i];
        uint64_t size;
        if (size_of(r->launch, q, &size))
            vm_put_bits(r, q->cell, 0, size);
        else if (q->query == KIR_Q_LOCAL_LINEAR_ID)
            for (uint32_t l = 0; l < r->padded; l++)
                vm_put_bits(r, q->cell, l, l);
        else if (q->query == KIR_Q_LOCAL_ID) /* also of lanes beyond the last, as if they were */
            write_ids(r, q, 0, r->grid.local[q->dimension]);
    }
}

/* ---- for each block -------------------------------------------------------------------------- */

void vm_fill_block(vm_run *r, const vm_bound_place *args) {
    const vm_program *p = r->program;
    for (size_t i = 0; i < p->queries.count; i++) {
        const vm_query *q = &p->queries.data[i];
        uint32_t d = q->dimension;
        if (q->query == KIR_Q_GROUP_ID)
            vm_put_bits(r, q->cell, 0, r->group[d]);
        if (q->query == KIR_Q_GLOBAL_ID) {
            uint64_t first = r->launch->offset[d] + r->group[d] * r->grid.local[d];
            uint64_t size = r->grid.local[d];
            if (d + 1 >= r->launch->dims && size > 1)
                size = r->padded; /* lanes beyond the last may have ids beyond the last */
            write_ids(r, q, first, size);
        }
        for (uint32_t l = 0; l < r->padded && q->query == KIR_Q_GLOBAL_LINEAR_ID; l++) {
            uint64_t id = 0, own[3];
            hd_grid_ids(r->grid.local, l % r->grid.block_threads, own);
            for (uint32_t n = 3; n-- > 0;)
                id = (id * r->grid.groups[n] + r->group[n]) * r->grid.local[n] + own[n];
            vm_put_bits(r, q->cell, l, id);
        }
    }
    uint64_t local = r->local_base;
    for (uint32_t i = 0; i < p->kernel->static_count; i++)
        vm_put_bits(r, p->statics[i], 0,
                    r->statics[i].is_local ? local + r->statics[i].address : r->statics[i].address);
    for (uint32_t i = 0; i < p->kernel->param_count; i++)
        if (args[i].is_local)
            vm_put_bits(r, p->param[i][0], 0, local + args[i].address);
}

void vm_fill_structs(vm_run *r, const vm_bound_place *args) {
    const vm_program *p = r->program;
    for (uint32_t i = 0; i < p->kernel->param_count && p->private_bytes; i++)
        for (uint32_t l = 0; l < r->lanes && p->kernel->params[i].by_value_struct; l++)
            memcpy(r->private_memory + l * r->private_stride + p->by_value[i], args[i].bytes,
                   p->kernel->params[i].bytes);
}
