/*
 * Atomics: lane by lane in ascending order, each one truly atomic, since blocks
 * may run side by side. Every operation is a loop around compare-and-swap.
 */
#include <math.h>

#include "machine/lane_flow.h"
#include "machine/format.h"

/* Of f16, f32 or f64. A sum of two floats is exact enough in a double that rounding it again is rounding once. */
static uint64_t real_result(const vm_memory *m, uint64_t old, uint64_t operand) {
    double a = vm_real_of(m->elem, old), b = vm_real_of(m->elem, operand);
    switch (m->rmw) {
    case KIR_RMW_FADD:
    case KIR_RMW_ADD: return vm_bits_of(m->elem, a + b);
    case KIR_RMW_SUB: return vm_bits_of(m->elem, a - b);
    case KIR_RMW_MIN: return vm_bits_of(m->elem, fmin(a, b));
    default: return vm_bits_of(m->elem, fmax(a, b));
    }
}

/* Of the low 16 bits; bf16 is the upper half of a float. */
static uint64_t add_few(uint64_t a, uint64_t b, bool is_bf16) {
    vm_elem elem = is_bf16 ? VM_F32 : VM_F16;
    uint32_t shift = is_bf16 ? 16 : 0;
    double sum = vm_real_of(elem, (a & 0xffff) << shift) + vm_real_of(elem, (b & 0xffff) << shift);
    return vm_format_real(is_bf16 ? &vm_bf16 : &vm_f16, sum, FE_TONEAREST);
}

/* ---- barriers in memory ------------------------------------------------------------ */

static uint64_t field(uint64_t word, uint32_t bit, uint32_t width) {
    return word >> bit & ((UINT64_C(1) << width) - 1);
}

static uint64_t arrivals_of(uint64_t barrier) { return field(barrier, 0, KIR_MBARRIER_ARRIVALS); }

static uint64_t mbarrier_result(uint64_t old, uint64_t change) {
    enum { WIDTH = KIR_MBARRIER_ARRIVALS };
    uint64_t lacking = field(old - arrivals_of(change), 0, WIDTH);
    uint64_t each = field(field(old, WIDTH, WIDTH) - field(change, WIDTH, WIDTH), 0, WIDTH);
    uint64_t bytes = field((old >> KIR_MBARRIER_BYTES) + (change >> KIR_MBARRIER_BYTES), 0,
                           KIR_MBARRIER_BYTES_WIDTH);
    uint64_t phase = (old >> KIR_MBARRIER_PHASE) + (!lacking && !bytes);
    return (lacking || bytes ? lacking : each) | each << WIDTH | bytes << KIR_MBARRIER_BYTES |
           phase << KIR_MBARRIER_PHASE;
}

static void see_arrival(vm_run *r, const vm_op *op, uint32_t lane, uint64_t old, uint64_t change) {
    if (arrivals_of(old) < arrivals_of(change))
        vm_fault(r, op->inst, lane,
                 "the thread arrives %u times at an mbarrier whose phase lacks %u of %u arrivals; "
                 "it is initialised (mbarrier.init) with as many as come",
                 (uint32_t)arrivals_of(change), (uint32_t)arrivals_of(old),
                 (uint32_t)arrivals_of(old >> KIR_MBARRIER_ARRIVALS));
    r->flow->vain_rounds = 0;
    for (uint32_t b = 0; r->cluster && b < r->cluster->count; b++)
        r->cluster->blocks[b]->flow->vain_rounds = 0;
}

/* ---- all of them -------------------------------------------------------------------- */

/* What the memory holds afterwards. `bytes` of each number count. */
static uint64_t result_of(const vm_memory *m, uint64_t old, uint64_t operand, uint64_t compare) {
    int64_t s_old = kir_sign_extend(old, 8 * m->width);
    int64_t s_operand = kir_sign_extend(operand, 8 * m->width);
    bool arithmetic = m->rmw == KIR_RMW_FADD || m->rmw == KIR_RMW_ADD || m->rmw == KIR_RMW_SUB ||
                      m->rmw == KIR_RMW_MIN || m->rmw == KIR_RMW_MAX;
    if (arithmetic && m->elem >= VM_F16)
        return real_result(m, old, operand);
    switch (m->rmw) {
    case KIR_RMW_ADD: return old + operand;
    case KIR_RMW_SUB: return old - operand;
    case KIR_RMW_AND: return old & operand;
    case KIR_RMW_OR: return old | operand;
    case KIR_RMW_XOR: return old ^ operand;
    case KIR_RMW_MIN: return s_old < s_operand ? old : operand;
    case KIR_RMW_MAX: return s_old > s_operand ? old : operand;
    case KIR_RMW_UMIN: return old < operand ? old : operand;
    case KIR_RMW_UMAX: return old > operand ? old : operand;
    case KIR_RMW_INC: return old >= operand ? 0 : old + 1;
    case KIR_RMW_DEC: return !old || old > operand ? operand : old - 1;
    case KIR_RMW_CMPXCHG: return old == compare ? operand : old;
    case KIR_RMW_LOAD: return old;
    case KIR_RMW_MBARRIER: return mbarrier_result(old, operand);
    case KIR_RMW_BF16_ADD: return add_few(old, operand, true);
    case KIR_RMW_BF16X2_ADD:
    case KIR_RMW_F16X2_ADD: {
        bool is_bf16 = m->rmw == KIR_RMW_BF16X2_ADD;
        return add_few(old, operand, is_bf16) | add_few(old >> 16, operand >> 16, is_bf16) << 16;
    }
    default: return operand; /* XCHG, STORE */
    }
}

#define DEFINE_EXCHANGE(T)                                                                       \
    static uint64_t exchange_##T(const vm_memory *m, void *at, uint64_t operand,                 \
                                 uint64_t compare) {                                             \
        T old = __atomic_load_n((T *)at, __ATOMIC_SEQ_CST);                                      \
        while (!__atomic_compare_exchange_n((T *)at, &old,                                       \
                                            (T)result_of(m, old, (T)operand, (T)compare), false, \
                                            __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))                 \
            ;                                                                                    \
        return old;                                                                              \
    }
DEFINE_EXCHANGE(uint8_t)
DEFINE_EXCHANGE(uint16_t)
DEFINE_EXCHANGE(uint32_t)
DEFINE_EXCHANGE(uint64_t)

static uint64_t exchange(const vm_memory *m, void *at, uint64_t operand, uint64_t compare) {
    switch (m->width) {
    case 1: return exchange_uint8_t(m, at, operand, compare);
    case 2: return exchange_uint16_t(m, at, operand, compare);
    case 4: return exchange_uint32_t(m, at, operand, compare);
    default: return exchange_uint64_t(m, at, operand, compare);
    }
}

/* ---- those that need not be looked at lane by lane ------------------------------------------------ */

static uint32_t sum_uint32_t(uint32_t a, uint32_t b) {
    float x, y;
    memcpy(&x, &a, sizeof x);
    memcpy(&y, &b, sizeof y);
    x += y;
    memcpy(&a, &x, sizeof a);
    return a;
}

static uint64_t sum_uint64_t(uint64_t a, uint64_t b) {
    double x, y;
    memcpy(&x, &a, sizeof x);
    memcpy(&y, &b, sizeof y);
    x += y;
    memcpy(&a, &x, sizeof a);
    return a;
}

/* Lanes that ask again and again wait in vain only where nothing changes. */
static inline void note_change(vm_run *r, bool changes) {
    r->vain = changes ? 0 : r->vain;
    r->has_moved |= changes;
}

typedef enum updating { SUM, FLOAT_SUM, OTHER } updating;

/* Of lanes that are all in one region. In local memory, which is the block's own, nobody else is there
 * meanwhile; elsewhere sums of integers are one instruction. */
#define DEFINE_UPDATE(T)                                                                          \
    VM_ALWAYS T updated_##T(const vm_memory *m, updating what, T old, T operand) {                \
        return what == SUM         ? (T)(old + operand)                                           \
               : what == FLOAT_SUM ? sum_##T(old, operand)                                        \
                                   : (T)result_of(m, old, operand, 0);                            \
    }                                                                                             \
    VM_ALWAYS void update_lanes_##T(vm_run *r, const vm_memory *m, const vm_places *p, bool own,  \
                                    updating what) {                                              \
        const T *x = VM_CELL(r, m->second.at, T);                                                 \
        T *d = m->has_result ? VM_CELL(r, m->value[0].at, T) : NULL;                              \
        uint32_t lanes = m->second.varying ? UINT32_MAX : 0;                                      \
        T changed = 0; /* bits, of any lane */                                                    \
        VM_EACH_ACTIVE(r, l) {                                                                    \
            T *at = (T *)(void *)vm_place(p, p->address != NULL, l), operand = x[l & lanes], old; \
            if (own) {                                                                            \
                old = *at;                                                                        \
                const T now = updated_##T(m, what, old, operand);                                 \
                *at = now;                                                                        \
                changed |= what == SUM ? operand : now ^ old;                                     \
            } else if (what == SUM) {                                                             \
                old = __atomic_fetch_add(at, operand, __ATOMIC_SEQ_CST);                          \
                changed |= operand;                                                               \
            } else {                                                                              \
                old = __atomic_load_n(at, __ATOMIC_SEQ_CST);                                      \
                while (!__atomic_compare_exchange_n(at, &old, updated_##T(m, what, old, operand), \
                                                    false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))   \
                    ;                                                                             \
                changed |= updated_##T(m, what, old, operand) ^ old;                              \
            }                                                                                     \
            if (d)                                                                                \
                d[l] = old;                                                                       \
        }                                                                                         \
        note_change(r, changed != 0);                                                             \
    }                                                                                             \
    static void update_##T(vm_run *r, const vm_memory *m, const vm_places *p, bool own) {         \
        bool is_float = m->elem >= VM_F16;                                                        \
        updating what = is_float ? FLOAT_SUM : m->rmw == KIR_RMW_ADD ? SUM : OTHER;               \
        if (own && what == SUM)                                                                   \
            update_lanes_##T(r, m, p, true, SUM);                                                 \
        else if (own && what == FLOAT_SUM)                                                        \
            update_lanes_##T(r, m, p, true, FLOAT_SUM);                                           \
        else if (what == FLOAT_SUM)                                                               \
            update_lanes_##T(r, m, p, false, FLOAT_SUM);                                          \
        else                                                                                      \
            update_lanes_##T(r, m, p, own, what);                                                 \
    }
DEFINE_UPDATE(uint32_t)
DEFINE_UPDATE(uint64_t)

static bool is_plain_update(const vm_run *r, const vm_memory *m, const vm_target *t) {
    if (!t->region || r->checked || !m->second.at)
        return false;
    switch (m->rmw) {
    case KIR_RMW_FADD:
    case KIR_RMW_ADD:
        return m->elem == VM_I32 || m->elem == VM_I64 || m->elem == VM_F32 || m->elem == VM_F64;
    case KIR_RMW_SUB:
    case KIR_RMW_AND:
    case KIR_RMW_OR:
    case KIR_RMW_XOR:
    case KIR_RMW_MIN:
    case KIR_RMW_MAX:
    case KIR_RMW_UMIN:
    case KIR_RMW_UMAX: return m->elem == VM_I32 || m->elem == VM_I64;
    default: return false;
    }
}

void vm_op_atomic(vm_run *r, const vm_op *op) {
    const vm_memory *m = op->more;
    bool writes = m->rmw != KIR_RMW_LOAD;
    vm_target t = vm_resolve(r, op, m, m->slot, m->address, m->width, m->align, writes);
    vm_way way = !writes                   ? VM_ATOMIC_READS
                 : m->rmw == KIR_RMW_STORE ? VM_ATOMIC_WRITES
                                           : VM_UPDATES;
    vm_announce(r, &t, m->space, m->announced, m->announced_count);
    if (r->workspace && t.region == r->workspace)
        r->asked = op->inst;
    if (is_plain_update(r, m, &t)) {
        const vm_places places = vm_places_of(r, &t);
        (m->width == 4 ? update_uint32_t : update_uint64_t)(r, m, &places,
                                                            t.region->space == KIR_LOCAL);
        return;
    }
    bool has_second = m->second.at != 0; /* scratch cells stand there */
    VM_EACH_ACTIVE(r, l) {
        uint64_t address = vm_lane_address(&t, l);
        uint64_t operand = has_second ? vm_element(r, m->second, l) : UINT64_MAX;
        uint64_t compare = m->rmw == KIR_RMW_CMPXCHG ? vm_element(r, m->third, l) : 0;
        uint64_t old = exchange(m, vm_host(r, &t, l, address), operand, compare);
        const uint64_t mask = UINT64_MAX >> (64 - 8 * m->width);
        note_change(r, ((result_of(m, old, operand, compare) ^ old) & mask) != 0);
        if (r->checked) {
            bool fails = m->rmw == KIR_RMW_CMPXCHG && (old & mask) != (compare & mask);
            vm_check_atomic(r, op, &t, l, m->width, way, writes && !fails);
        }
        if (m->rmw == KIR_RMW_MBARRIER)
            see_arrival(r, op, l, old, operand);
        if (m->has_result)
            memcpy(r->frame + m->value[0].at + (size_t)l * m->width, &old, m->width);
    }
}
