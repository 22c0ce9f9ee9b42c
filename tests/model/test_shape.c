/*
 * Transactions from residues against the obvious way: every block, warp,
 * iteration and lane one by one.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "model/cost_internal.h"

enum { MODULUS = 128, LEVELS = 6, MAX_LOOPS = 2 };

typedef struct sample {
    hd_arena *arena;
    hd_kernel_info info;
    kir_kernel kernel;
    hd_flow flow;
    hd_access access;
    uint64_t lengths[MAX_LOOPS];
    uint32_t warp, request;
} sample;

static uint32_t below(uint32_t n) { return (uint32_t)(random() % n); }

static hd_affine random_form(sample *s, bool inner) {
    hd_vec(hd_term) terms = {0};
    const hd_binding *b = &s->info.binding;
    for (uint32_t d = 0; d < b->dims; d++)
        if (below(4) && (!inner || !below(3)))
            hd_push(s->arena, &terms,
                    (hd_term){HD_SYM_GROUP, d,
                              inner ? 4 * (int64_t)below(50) : (int64_t)below(200) - 60});
    for (uint32_t d = 0; d < b->dims; d++)
        if (below(4) && (!inner || !below(4)))
            hd_push(s->arena, &terms,
                    (hd_term){HD_SYM_LOCAL, d, inner ? 4 : (int64_t)below(12) - 3});
    for (uint32_t k = 0; k < MAX_LOOPS; k++)
        if (below(2) && (!inner || !below(3)))
            hd_push(s->arena, &terms,
                    (hd_term){HD_SYM_LOOP, k, inner ? 4 : (int64_t)below(70) - 20});
    uint32_t kept = 0;
    for (uint32_t i = 0; i < terms.count; i++)
        if (terms.data[i].factor)
            terms.data[kept++] = terms.data[i];
    return (hd_affine){inner ? 0 : (int64_t)below(100) - 30, kept, terms.data};
}

/* Index and inner offset must not share a loop or block id: their residues are taken
 * as independent. */
static void drop_shared_symbols(sample *s) {
    hd_term *terms = hd_new_array(s->arena, hd_term, s->access.inner.term_count);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < s->access.inner.term_count; i++) {
        const hd_term *t = &s->access.inner.terms[i];
        if (t->kind == HD_SYM_LOCAL || !hd_affine_factor(s->access.index, t->kind, t->index))
            terms[kept++] = *t;
    }
    s->access.inner.terms = terms;
    s->access.inner.term_count = kept;
}

static void random_guard(sample *s) {
    if (below(2))
        return;
    static const kir_pred preds[] = {KIR_P_SLT, KIR_P_SGE, KIR_P_NE, KIR_P_EQ, KIR_P_SLE};
    hd_guard *guard = hd_new(s->arena, hd_guard);
    hd_term *terms = hd_new_array(s->arena, hd_term, 2);
    terms[0] = (hd_term){HD_SYM_GROUP, 0, (int64_t)s->info.binding.local[0]};
    terms[1] = (hd_term){HD_SYM_LOCAL, 0, 1};
    guard->expr = (hd_affine){-(int64_t)below((uint32_t)s->info.binding.global[0]), 2, terms};
    guard->pred = preds[below(5)];
    s->access.guards = guard;
    s->access.guard_count = 1;
}

static void make_sample(sample *s) {
    memset(s, 0, sizeof *s);
    s->arena = hd_arena_new();
    hd_binding *b = &s->info.binding;
    b->dims = 1 + below(3);
    s->warp = below(4) ? 32 : 64;
    s->request = below(2) ? s->warp : s->warp / 2;
    for (uint32_t d = 0; d < b->dims; d++) {
        b->local[d] = 1 + below(d == 0 ? 100 : 4);
        b->global[d] = b->local[d] * (1 + below(5));
    }
    for (int k = 0; k < MAX_LOOPS; k++)
        s->lengths[k] = 1 + below(9);
    s->info.kernel = &s->kernel;
    s->info.flow = &s->flow;
    s->access.index = random_form(s, false);
    s->access.inner = random_form(s, true);
    drop_shared_symbols(s);
    random_guard(s);
    s->access.width = 4;
    s->access.loop = -1; /* those in the index are not followed */
}

static int64_t evaluate(hd_affine form, const uint64_t group[3], const uint64_t local[3],
                        const uint64_t loop[MAX_LOOPS]) {
    int64_t value = form.constant;
    for (uint32_t i = 0; i < form.term_count; i++) {
        const hd_term *t = &form.terms[i];
        uint64_t symbol = t->kind == HD_SYM_GROUP   ? group[t->index]
                          : t->kind == HD_SYM_LOCAL ? local[t->index]
                                                    : loop[t->index];
        value += t->factor * (int64_t)symbol;
    }
    return value;
}

static bool guarded(const hd_access *a, const uint64_t group[3], const uint64_t local[3]) {
    uint64_t loop[MAX_LOOPS] = {0};
    if (!a->guard_count)
        return true;
    int64_t v = evaluate(a->guards[0].expr, group, local, loop);
    switch (a->guards[0].pred) {
    case KIR_P_SLT: return v < 0;
    case KIR_P_SLE: return v <= 0;
    case KIR_P_SGE: return v >= 0;
    case KIR_P_EQ: return v == 0;
    default: return v != 0;
    }
}

static int64_t floored(int64_t a, int64_t b) { return (a - hd_mod(a, b)) / b; }

static int64_t address(const geometry *g, int64_t index, int64_t inner) {
    int64_t tile = (int64_t)g->tile;
    return floored(index, tile) * (int64_t)g->bytes + (int64_t)g->run +
           hd_mod(index, tile) * (int64_t)g->step + inner;
}

static void add_unit(int64_t *units, uint32_t *count, int64_t unit) {
    for (uint32_t i = 0; i < *count; i++)
        if (units[i] == unit)
            return;
    units[(*count)++] = unit;
}

/* `units` counts each once for every request, `distinct` for every warp. */
typedef struct totals {
    double units, distinct, covered, executions, warps;
} totals;

/* One warp in one iteration; (other, dindex) is the earlier access. */
static void run_warp(const sample *s, const geometry *g, const geometry *other, int64_t dindex,
                     uint32_t unit, const uint64_t group[3], uint64_t first,
                     const uint64_t loop[MAX_LOOPS], totals *sum) {
    const hd_binding *b = &s->info.binding;
    uint64_t size[3] = {1, 1, 1};
    for (uint32_t d = 0; d < b->dims; d++)
        size[d] = b->local[d];
    int64_t mine[256], theirs[256], joined[2][256];
    uint32_t count = 0, other_count = 0, common = 0, joined_count[2] = {0, 0};
    for (uint64_t t = first; t < first + s->warp && t < size[0] * size[1] * size[2]; t++) {
        uint64_t local[3] = {t % size[0], t / size[0] % size[1], t / size[0] / size[1]};
        if (!guarded(&s->access, group, local))
            continue;
        int64_t index = evaluate(s->access.index, group, local, loop);
        int64_t inner = evaluate(s->access.inner, group, local, loop);
        for (int64_t byte = 0; byte < s->access.width; byte++) {
            int64_t at = floored(address(g, index, inner) + byte, unit);
            uint32_t half = t - first >= s->request;
            add_unit(mine, &count, at);
            add_unit(joined[half], &joined_count[half], at);
            add_unit(theirs, &other_count,
                     floored(address(other, index + dindex, inner) + byte, unit));
        }
    }
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < other_count; j++)
            common += mine[i] == theirs[j];
    sum->units += joined_count[0] + joined_count[1];
    sum->distinct += count;
    sum->covered += common;
    sum->executions += count > 0;
}

static totals run_all(const sample *s, const geometry *g, const geometry *other, int64_t dindex,
                      uint32_t unit) {
    const hd_binding *b = &s->info.binding;
    uint64_t groups[3] = {1, 1, 1}, block = 1;
    for (uint32_t d = 0; d < b->dims; d++) {
        groups[d] = b->global[d] / b->local[d];
        block *= b->local[d];
    }
    totals sum = {0};
    uint64_t loop[MAX_LOOPS];
    for (uint64_t n = 0; n < groups[0] * groups[1] * groups[2]; n++) {
        uint64_t group[3] = {n % groups[0], n / groups[0] % groups[1], n / groups[0] / groups[1]};
        for (uint64_t first = 0; first < block; first += s->warp)
            for (loop[0] = 0; loop[0] < s->lengths[0]; loop[0]++)
                for (loop[1] = 0; loop[1] < s->lengths[1]; loop[1]++)
                    run_warp(s, g, other, dindex, unit, group, first, loop, &sum);
    }
    sum.warps = sum.executions / (double)(s->lengths[0] * s->lengths[1]);
    return sum;
}

static geometry random_geometry(uint64_t *run_of_other) {
    uint64_t tile = (uint64_t)1 << below(LEVELS), fields = 1 + below(8),
             mine = below((uint32_t)fields);
    *run_of_other = 4 * tile * below((uint32_t)fields);
    return (geometry){tile, 4 * tile * fields, 4 * tile * mine, 4};
}

static shape_context context_of(const sample *s) {
    return (shape_context){.arena = s->arena,
                           .info = &s->info,
                           .lengths = s->lengths,
                           .warp = s->warp,
                           .request = s->request,
                           .modulus = MODULUS,
                           .level_count = LEVELS};
}

static void segments_equal_every_lane_one_by_one(void **state) {
    (void)state;
    srandom(7);
    static const uint32_t unit_sizes[] = {32, 64, 128};
    for (int round = 0; round < 250; round++) {
        sample s;
        make_sample(&s);
        uint64_t run;
        geometry g = random_geometry(&run), other = g;
        other.run = run;
        int64_t dindex = (int64_t)below(5) - 2;
        uint32_t unit = unit_sizes[below(3)];
        totals expected = run_all(&s, &g, &other, dindex, unit);
        shape_context context = context_of(&s);
        double warps;
        bool stepped;
        shape *made = cost_shape_make(&context, &s.access, &warps, &stepped);
        assert_true(fabs(warps - expected.warps) < 1e-6);
        if (expected.executions > 0) {
            double units = cost_shape_units(made, &g, s.access.width, unit);
            assert_true(fabs(units - expected.units / expected.executions) < 1e-6);
            double covered = cost_shape_covered(made, &g, s.access.width, &other, s.access.width,
                                                dindex, 0, unit);
            assert_true(fabs(covered - expected.covered / expected.distinct) < 1e-6);
        }
        hd_arena_free(s.arena);
    }
}

/* One dimension; the index is `factor` times the global id. */
static void make_simple(sample *s, uint32_t warp, uint64_t local, uint64_t global, int64_t factor) {
    memset(s, 0, sizeof *s);
    s->arena = hd_arena_new();
    s->warp = s->request = warp;
    s->info.kernel = &s->kernel;
    s->info.flow = &s->flow;
    s->info.binding = (hd_binding){.dims = 1, .global = {global}, .local = {local}};
    hd_term *terms = hd_new_array(s->arena, hd_term, 2);
    int64_t block = (int64_t)((uint64_t)factor * local);
    terms[0] = (hd_term){HD_SYM_GROUP, 0, block};
    terms[1] = (hd_term){HD_SYM_LOCAL, 0, factor};
    s->access.index = (hd_affine){0, 2, terms};
    s->access.width = 4;
    s->access.loop = -1; /* those in the index are not followed */
}

/* Elements of 1200 bytes side by side, read as a whole: every byte is needed. */
static void wide_accesses_are_counted_in_full(void **state) {
    (void)state;
    sample s;
    make_simple(&s, 64, 64, 640, 1);
    shape_context context = context_of(&s);
    double warps;
    bool stepped;
    shape *made = cost_shape_make(&context, &s.access, &warps, &stepped);
    geometry g = {1, 1200, 0, 1200};
    assert_true(cost_shape_units(made, &g, 1200, 32) == 64 * 1200 / 32);
    assert_true(cost_shape_covered(made, &g, 1200, &g, 1200, 0, 0, 32) == 1);
    assert_true(cost_shape_covered(made, &g, 1200, &g, 1200, 64, 0, 32) == 0);
    assert_true(fabs(cost_shape_covered(made, &g, 1200, &g, 1200, 16, 0, 32) - 0.75) < 1e-12);
    hd_arena_free(s.arena);
}

/* i < n over 2^20 blocks: only the last one with work is cut short. */
static void guards_over_many_blocks(void **state) {
    (void)state;
    sample s;
    const uint64_t local = 256, blocks = (uint64_t)1 << 20, active = local * (blocks - 7) - 100;
    make_simple(&s, 32, local, local * blocks, 1);
    hd_term *terms = hd_new_array(s.arena, hd_term, 2);
    terms[0] = (hd_term){HD_SYM_GROUP, 0, (int64_t)local};
    terms[1] = (hd_term){HD_SYM_LOCAL, 0, 1};
    hd_guard guard = {{-(int64_t)active, 2, terms}, KIR_P_SLT};
    s.access.guards = &guard;
    s.access.guard_count = 1;
    shape_context context = context_of(&s);
    double warps;
    bool stepped;
    shape *made = cost_shape_make(&context, &s.access, &warps, &stepped);
    assert_true(warps == (double)((active + 31) / 32));
    assert_true(fabs(made->lanes * warps - (double)active) < 1e-3);
    hd_arena_free(s.arena);
}

/* Addresses beyond 64 bits wrap around, as they would on the device. */
static void huge_factors_wrap_around(void **state) {
    (void)state;
    static const int64_t factors[] = {INT64_MAX, INT64_MIN, (int64_t)1 << 62, -((int64_t)1 << 60)};
    for (int i = 0; i < 4; i++) {
        sample s;
        make_simple(&s, 32, 64, 6400, factors[i]);
        s.access.index.constant = INT64_MAX - 3;
        hd_guard guard = {s.access.index, KIR_P_SGE};
        s.access.guards = &guard;
        s.access.guard_count = (uint32_t)i % 2;
        shape_context context = context_of(&s);
        double warps;
        bool stepped;
        shape *made = cost_shape_make(&context, &s.access, &warps, &stepped);
        geometry g = {2, 24, 8, 4};
        double units = cost_shape_units(made, &g, 4, 32);
        assert_true(warps > 0 && warps <= 200);
        assert_true(units >= 1 && units <= 64);
        assert_true(cost_shape_covered(made, &g, 4, &g, 4, 1, 0, 32) <= 1);
        hd_arena_free(s.arena);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(segments_equal_every_lane_one_by_one),
        cmocka_unit_test(wide_accesses_are_counted_in_full),
        cmocka_unit_test(guards_over_many_blocks),
        cmocka_unit_test(huge_factors_wrap_around),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
