/*
 * Affine forms: a constant and a sorted list of symbols with factors, e.g.
 *
 *     28*local(0) + 7168*group(0) + 4*k1 + 8
 *
 * for body[get_global_id(0)].d[k] with work-groups of 256. Arithmetic wraps at
 * 64 bits as addresses do.
 */
#include <inttypes.h>

#include "kernel/kernel_analysis.h"

static int64_t wrap_add(int64_t a, int64_t b) { return (int64_t)((uint64_t)a + (uint64_t)b); }
static int64_t wrap_mul(int64_t a, int64_t b) { return (int64_t)((uint64_t)a * (uint64_t)b); }

int64_t kernel_common_divisor(int64_t a, int64_t b) {
    while (b) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a < 0 ? -a : a;
}

hd_affine kernel_affine_constant(int64_t constant) { return (hd_affine){.constant = constant}; }

hd_affine kernel_affine_symbol(hd_arena *arena, hd_symbol_kind kind, uint32_t index) {
    hd_term *term = hd_new(arena, hd_term);
    *term = (hd_term){kind, index, 1};
    return (hd_affine){0, 1, term};
}

static int compare_symbols(const hd_term *a, const hd_term *b) {
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    return a->index == b->index ? 0 : a->index < b->index ? -1 : 1;
}

hd_affine hd_affine_add(hd_arena *arena, hd_affine a, hd_affine b, int64_t factor_b) {
    hd_affine sum = {wrap_add(a.constant, wrap_mul(b.constant, factor_b)), 0, NULL};
    if (!b.term_count || !factor_b) {
        sum.term_count = a.term_count;
        sum.terms = a.terms;
        return sum;
    }
    hd_term *terms = hd_new_array(arena, hd_term, a.term_count + b.term_count);
    uint32_t i = 0, k = 0;
    while (i < a.term_count || k < b.term_count) {
        int order = i == a.term_count   ? 1
                    : k == b.term_count ? -1
                                        : compare_symbols(&a.terms[i], &b.terms[k]);
        hd_term term = order <= 0 ? a.terms[i++] : b.terms[k];
        if (order > 0)
            term.factor = 0;
        if (order >= 0)
            term.factor = wrap_add(term.factor, wrap_mul(b.terms[k++].factor, factor_b));
        if (term.factor)
            terms[sum.term_count++] = term;
    }
    sum.terms = terms;
    return sum;
}

hd_affine hd_affine_scale(hd_arena *arena, hd_affine a, int64_t factor) {
    return hd_affine_add(arena, kernel_affine_constant(0), a, factor);
}

hd_affine kernel_affine_without(hd_arena *arena, hd_affine a, hd_symbol_kind kind, uint32_t index) {
    hd_affine symbol = kernel_affine_symbol(arena, kind, index);
    return hd_affine_add(arena, a, symbol, -hd_affine_factor(a, kind, index));
}

bool hd_affine_equal(hd_affine a, hd_affine b) {
    if (a.constant != b.constant || a.term_count != b.term_count)
        return false;
    for (uint32_t i = 0; i < a.term_count; i++)
        if (compare_symbols(&a.terms[i], &b.terms[i]) || a.terms[i].factor != b.terms[i].factor)
            return false;
    return true;
}

int64_t hd_affine_factor(hd_affine a, hd_symbol_kind kind, uint32_t index) {
    for (uint32_t i = 0; i < a.term_count; i++)
        if (a.terms[i].kind == kind && a.terms[i].index == index)
            return a.terms[i].factor;
    return 0;
}

bool hd_affine_has(hd_affine a, hd_symbol_kind kind) {
    for (uint32_t i = 0; i < a.term_count; i++)
        if (a.terms[i].kind == kind)
            return true;
    return false;
}

bool hd_affine_is_opaque(hd_affine a) {
    return hd_affine_has(a, HD_SYM_VALUE) || hd_affine_has(a, HD_SYM_PARAM) ||
           hd_affine_has(a, HD_SYM_SIZE);
}

uint64_t kernel_launch_size(const hd_binding *launch, kir_query query, uint32_t dimension) {
    if (dimension >= 3 || (launch->dims && dimension >= launch->dims))
        return 1;
    uint64_t global = launch->global[dimension], local = launch->local[dimension];
    switch (query) {
    case KIR_Q_GLOBAL_SIZE: return global;
    case KIR_Q_LOCAL_SIZE:
    case KIR_Q_ENQUEUED_LOCAL_SIZE: return local;
    case KIR_Q_NUM_GROUPS: return local ? (global + local - 1) / local : 0;
    default: return 0;
    }
}

/* Number of values of an id symbol, from *low on; 0: not known. */
static uint64_t symbol_range(const hd_binding *launch, const hd_term *term, int64_t *low) {
    *low = 0;
    switch (term->kind) {
    case HD_SYM_LOCAL: return kernel_launch_size(launch, KIR_Q_LOCAL_SIZE, term->index);
    case HD_SYM_GROUP: return kernel_launch_size(launch, KIR_Q_NUM_GROUPS, term->index);
    case HD_SYM_GLOBAL:
        *low = term->index < 3 ? (int64_t)launch->offset[term->index] : 0;
        return kernel_launch_size(launch, KIR_Q_GLOBAL_SIZE, term->index);
    default: return 0;
    }
}

bool kernel_affine_range(const hd_binding *launch, hd_affine a, int64_t *low, int64_t *high) {
    *low = *high = a.constant;
    for (uint32_t i = 0; i < a.term_count; i++) {
        int64_t first, factor = a.terms[i].factor;
        uint64_t count = symbol_range(launch, &a.terms[i], &first);
        int64_t end_a, end_b;
        if (!count || __builtin_mul_overflow(first, factor, &end_a) ||
            __builtin_mul_overflow(wrap_add(first, (int64_t)count - 1), factor, &end_b))
            return false;
        int64_t least = end_a < end_b ? end_a : end_b, most = end_a < end_b ? end_b : end_a;
        if (__builtin_add_overflow(*low, least, low) || __builtin_add_overflow(*high, most, high))
            return false;
    }
    return true;
}

void kernel_affine_split(hd_arena *arena, hd_affine a, int64_t modulus, hd_affine *quotient,
                         hd_affine *rest) {
    hd_term *whole = hd_new_array(arena, hd_term, a.term_count);
    hd_term *left = hd_new_array(arena, hd_term, a.term_count);
    *rest = (hd_affine){hd_mod(a.constant, modulus), 0, left};
    *quotient = (hd_affine){a.constant / modulus - (a.constant % modulus < 0), 0, whole};
    for (uint32_t i = 0; i < a.term_count; i++) {
        hd_term term = a.terms[i];
        if (term.factor % modulus) {
            left[rest->term_count++] = term;
        } else {
            term.factor /= modulus;
            whole[quotient->term_count++] = term;
        }
    }
}

bool kernel_fold(kir_op op, uint32_t bits, int64_t a, int64_t b, int64_t *result) {
    uint64_t mask = bits >= 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
    uint64_t ua = (uint64_t)a & mask, ub = (uint64_t)b & mask;
    bool shifts = op == KIR_SHL || op == KIR_LSHR || op == KIR_ASHR;
    bool divides = op == KIR_SDIV || op == KIR_UDIV || op == KIR_SREM || op == KIR_UREM;
    if ((shifts && (b < 0 || (uint64_t)b >= bits)) || (divides && !ub))
        return false;
    switch (op) {
    case KIR_ADD: *result = wrap_add(a, b); break;
    case KIR_SUB: *result = (int64_t)((uint64_t)a - (uint64_t)b); break;
    case KIR_MUL: *result = wrap_mul(a, b); break;
    case KIR_AND: *result = a & b; break;
    case KIR_OR: *result = a | b; break;
    case KIR_XOR: *result = a ^ b; break;
    case KIR_SHL: *result = (int64_t)((uint64_t)a << b); break;
    case KIR_LSHR: *result = (int64_t)(ua >> b); break;
    case KIR_ASHR: *result = a >> b; break;
    case KIR_UDIV: *result = (int64_t)(ua / ub); break;
    case KIR_UREM: *result = (int64_t)(ua % ub); break;
    case KIR_SDIV: *result = b == -1 ? (int64_t)-(uint64_t)a : a / b; break;
    case KIR_SREM: *result = b == -1 ? 0 : a % b; break;
    default: return false;
    }
    *result = kir_sign_extend((uint64_t)*result, bits);
    return true;
}

static void print_symbol(hd_str *out, const kir_kernel *kernel, const hd_term *term) {
    switch (term->kind) {
    case HD_SYM_GROUP: hd_str_printf(out, "group(%u)", term->index); return;
    case HD_SYM_LOCAL: hd_str_printf(out, "local(%u)", term->index); return;
    case HD_SYM_GLOBAL: hd_str_printf(out, "global(%u)", term->index); return;
    case HD_SYM_SIZE:
        hd_str_printf(out, "%s(%u)",
                      term->index / 4 < KIR_QUERY_COUNT ? kir_query_names[term->index / 4] : "?",
                      term->index % 4);
        return;
    case HD_SYM_PARAM:
        hd_str_add(out, term->index < kernel->param_count ? kernel->params[term->index].name : "?");
        return;
    case HD_SYM_LOOP: hd_str_printf(out, "k%u", term->index); return;
    case HD_SYM_VALUE: hd_str_printf(out, "%%%u", term->index); return;
    }
}

const char *hd_affine_print(hd_arena *arena, const kir_kernel *kernel, hd_affine a) {
    hd_str out = {.arena = arena};
    for (uint32_t i = 0; i < a.term_count; i++) {
        int64_t factor = a.terms[i].factor;
        uint64_t size = factor < 0 ? 0 - (uint64_t)factor : (uint64_t)factor;
        hd_str_add(&out, i ? (factor < 0 ? " - " : " + ") : (factor < 0 ? "-" : ""));
        if (size != 1)
            hd_str_printf(&out, "%" PRIu64 "*", size);
        print_symbol(&out, kernel, &a.terms[i]);
    }
    uint64_t size = a.constant < 0 ? 0 - (uint64_t)a.constant : (uint64_t)a.constant;
    if (!a.term_count)
        hd_str_printf(&out, "%" PRId64, a.constant);
    else if (size)
        hd_str_printf(&out, " %c %" PRIu64, a.constant < 0 ? '-' : '+', size);
    return hd_str_text(&out);
}
