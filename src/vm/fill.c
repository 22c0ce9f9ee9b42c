/*
 * What stands in a frame before a block's first instruction: constants, the
 * launch's arguments and sizes, and the ids of the block and its threads.
 */
#include "vm/launch.h"

void hd_fill_uniform(hd_run *r, hd_operand o, uint64_t bits) {
    uint32_t bytes = hd_elem_bytes(o.elem);
    for (uint32_t l = 0; l < HD_CHUNK; l++)
        memcpy(r->frame + o.at + l * bytes, &bits, bytes);
}

/* ---- once for each launch ----------------------------------------------------------------- */

/* A scalar, vector, pointer or struct argument from the bytes that it has. */
static void fill_param(hd_run *r, uint32_t index, const hd_bound_arg *arg) {
    const hd_program *p = r->program;
    const kir_param *param = &p->kernel->params[index];
    if (param->by_value_struct) {
        hd_fill_uniform(r, p->param[index][0], HD_PRIVATE_BASE + p->by_value[index]);
        return;
    }
    if (param->type.kind == KIR_PTR) {
        hd_fill_uniform(r, p->param[index][0], arg->address);
        return;
    }
    uint32_t bytes = param->type.bits == 1 ? 1 : param->type.bits / 8u;
    for (uint32_t k = 0; k < param->type.lanes; k++) {
        uint64_t bits = 0;
        memcpy(&bits, arg->bytes + k * bytes, bytes);
        hd_fill_uniform(r, p->param[index][k], bits);
    }
}

static uint64_t size_of(const hd_launch *l, uint32_t query, uint32_t d) {
    bool there = d < l->dims;
    switch (query) {
    case KIR_Q_GLOBAL_SIZE: return there ? l->global[d] : 1;
    case KIR_Q_LOCAL_SIZE:
    case KIR_Q_ENQUEUED_LOCAL_SIZE: return there ? l->local[d] : 1;
    case KIR_Q_NUM_GROUPS: return there ? l->global[d] / l->local[d] : 1;
    case KIR_Q_GLOBAL_OFFSET: return there ? l->offset[d] : 0;
    default: return l->dims; /* WORK_DIM */
    }
}

static bool is_of_launch(uint32_t query) {
    return query == KIR_Q_GLOBAL_SIZE || query == KIR_Q_LOCAL_SIZE ||
           query == KIR_Q_ENQUEUED_LOCAL_SIZE || query == KIR_Q_NUM_GROUPS ||
           query == KIR_Q_GLOBAL_OFFSET || query == KIR_Q_WORK_DIM;
}

/* Calls body for every query cell that the kernel uses. */
#define EACH_QUERY(p, q, d, cell)                                          \
    for (uint32_t q = 0; q < KIR_QUERY_COUNT; q++)                         \
        for (uint32_t d = 0; d < 3; d++)                                   \
            for (uint32_t i_ = 0; i_ < 2; i_++)                            \
                for (hd_operand cell = (p)->query[q][d][i_], *once_ = &cell; \
                     once_ && cell.at != UINT32_MAX; once_ = NULL)

static void put(hd_run *r, hd_operand o, uint32_t lane, uint64_t bits) {
    uint32_t bytes = hd_elem_bytes(o.elem);
    memcpy(r->frame + o.at + (size_t)lane * bytes, &bits, bytes);
}

/* Lanes beyond the block's last get the ids that they would have. */
static void fill_local_ids(hd_run *r, const hd_launch *launch) {
    EACH_QUERY(r->program, q, d, cell) {
        if (q != KIR_Q_LOCAL_ID && q != KIR_Q_LOCAL_LINEAR_ID)
            continue;
        uint64_t step = 1, size = d < launch->dims ? launch->local[d] : 1;
        for (uint32_t i = 0; i < d && i < launch->dims; i++)
            step *= launch->local[i];
        for (uint32_t l = 0; l < r->padded; l++)
            put(r, cell, l, q == KIR_Q_LOCAL_LINEAR_ID ? l : l / step % size);
    }
}

void hd_fill_launch(hd_run *r, const hd_launch *launch, const hd_bound_arg *args) {
    const hd_program *p = r->program;
    for (uint32_t i = 0; i < p->constant_count; i++)
        hd_fill_uniform(r, (hd_operand){p->constants[i].at, p->constants[i].elem, false},
                        p->constants[i].bits);
    for (uint32_t i = 0; i < p->kernel->param_count; i++)
        fill_param(r, i, &args[i]);
    EACH_QUERY(p, q, d, cell)
        if (is_of_launch(q))
            hd_fill_uniform(r, cell, size_of(launch, q, d));
    fill_local_ids(r, launch);
}

/* ---- for each block --------------------------------------------------------------------------- */

/* Global ids: the block's first one plus local ids, which change every `step` lanes. A loop for
 * each width, since this is done for every block. */
#define DEFINE_IDS(T)                                                                  \
    static void write_ids_##T(T *to, uint32_t lanes, uint64_t first, uint64_t step,    \
                              uint64_t size) {                                         \
        if (step == 1 && size >= lanes) {                                              \
            for (uint32_t l = 0; l < lanes; l++)                                       \
                to[l] = (T)(first + l);                                                \
            return;                                                                    \
        }                                                                              \
        for (uint64_t l = 0, id = 0; l < lanes; id = id + 1 < size ? id + 1 : 0)       \
            for (uint64_t k = 0; k < step && l < lanes; k++)                           \
                to[l++] = (T)(first + id);                                             \
    }
DEFINE_IDS(uint32_t)
DEFINE_IDS(uint64_t)

static void fill_global_ids(hd_run *r, const hd_launch *launch) {
    EACH_QUERY(r->program, q, d, cell) {
        if (q != KIR_Q_GLOBAL_ID)
            continue;
        bool there = d < launch->dims;
        uint64_t first = there ? launch->offset[d] + r->group[d] * launch->local[d] : 0;
        uint64_t size = there ? launch->local[d] : 1, step = 1;
        for (uint32_t i = 0; i < d && i < launch->dims; i++)
            step *= launch->local[i];
        if (d + 1 >= launch->dims && size > 1)
            size = r->padded; /* lanes beyond the last may have ids beyond the last */
        if (cell.elem == HD_I32)
            write_ids_uint32_t(HD_CELL(r, cell.at, uint32_t), r->padded, first, step, size);
        else
            write_ids_uint64_t(HD_CELL(r, cell.at, uint64_t), r->padded, first, step, size);
    }
}

static void fill_global_linear(hd_run *r, const hd_launch *launch) {
    EACH_QUERY(r->program, q, d0, cell) {
        if (q != KIR_Q_GLOBAL_LINEAR_ID)
            continue;
        for (uint32_t l = 0; l < r->padded; l++) {
            uint64_t id = 0, rest = l, local[3] = {0};
            for (uint32_t d = 0; d < launch->dims; d++) {
                local[d] = rest % launch->local[d];
                rest /= launch->local[d];
            }
            for (uint32_t d = launch->dims; d-- > 0;)
                id = id * launch->global[d] + r->group[d] * launch->local[d] + local[d];
            put(r, cell, l, id);
        }
    }
}

void hd_fill_block(hd_run *r, const hd_launch *launch, const hd_bound_arg *args) {
    const hd_program *p = r->program;
    EACH_QUERY(p, q, d, cell)
        if (q == KIR_Q_GROUP_ID)
            hd_fill_uniform(r, cell, r->group[d]);
    fill_global_ids(r, launch);
    fill_global_linear(r, launch);
    uint64_t local = hd_local_base(r->block);
    for (uint32_t i = 0; i < p->kernel->static_count; i++)
        hd_fill_uniform(r, p->statics[i],
                        r->statics[i].is_local ? local + r->statics[i].address
                                               : r->statics[i].address);
    for (uint32_t i = 0; i < p->kernel->param_count; i++)
        if (args[i].is_local)
            hd_fill_uniform(r, p->param[i][0], local + args[i].address);
    for (uint32_t i = 0; i < p->kernel->param_count; i++)
        for (uint32_t l = 0; l < r->lanes && p->kernel->params[i].by_value_struct; l++)
            memcpy(r->private_memory + l * r->private_stride + p->by_value[i], args[i].bytes,
                   p->kernel->params[i].bytes);
}
