/*
 * Matrices that a warp holds together: PTX's mma, ldmatrix, stmatrix and
 * movmatrix. Which lane has
 * which elements is PTX ISA's, and follows one rule for all shapes. A lane is in row
 * `group` = lane / 4 with `quarter` = lane % 4; e elements fit a register of A and B:
 *
 *     A    element e g + j of m x k:  row group + 8 (g mod 2), column e quarter + j + 4 e (g / 2)
 *     B    element e g + j of k x 8:  row e quarter + j + 4 e g, column group
 *     C    element i of m x 8:        row group + 8 (i / 2), column 2 quarter + i mod 2
 *
 * PTX's wgmma is the same for each of the four warps of a group, which has 16 rows of D, and for each 8
 * columns of it; B, and maybe A, are in shared memory, where a descriptor of 64 bits says.
 *
 * (Where m is 8, A has one register.) All elements are exact as doubles, and so are their
 * products; sums start with C, run along k, and are rounded once to the result's type.
 */
#include <math.h>
#include <stdio.h>

#include "machine/builtin.h"
#include "machine/lane_flow.h"
#include "machine/format.h"

enum { MOST_ROWS = 16, COLUMNS = 8, MOST_DEPTH = 32, MOST_REGISTERS = 8 };

/* A collective of 32 threads: all of the warp that begins at lane `first` must be here. */
static void want_whole_warp(vm_run *r, const vm_op *op, uint32_t first) {
    const char *name = r->program->kernel->insts[op->inst].name;
    uint32_t here = (uint32_t)(r->bits[first / 64] >> first % 64);
    if (here == UINT32_MAX)
        return;
    uint32_t missing = (uint32_t)__builtin_ctz(~here), some = (uint32_t)__builtin_ctz(here);
    vm_fault(r, op->inst, first + some,
             "%s is made by all 32 threads of a warp together, and lane %u of the warp is not "
             "here; %s",
             name, missing,
             first + missing < r->lanes ? "make the call outside of branches that lanes part at"
                                        : "launch blocks of whole warps");
}

/* The warps of the block with active lanes, each complete. */
static bool next_warp(vm_run *r, const vm_op *op, uint32_t *first) {
    while (*first < r->lanes && !(uint32_t)(r->bits[*first / 64] >> *first % 64))
        *first += VM_WARP;
    if (*first < r->lanes)
        want_whole_warp(r, op, *first);
    return *first < r->lanes;
}

/* ---- elements --------------------------------------------------------------------- */

/* The elements of one register. */
typedef void unpack_fn(uint64_t bits, double *to);
typedef struct element {
    const char *name;
    uint32_t bits;
    unpack_fn *unpack;
} element;

static inline float float_of(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

#define UNPACK(name, count, value)                              \
    static void name(uint64_t all, double *to) {                \
        for (uint32_t i = 0; i < (count); i++) {                \
            uint32_t x = (uint32_t)(all >> i * (32 / (count))); \
            to[i] = (value);                                    \
        }                                                       \
    }
UNPACK(unpack_f16, 2, vm_real_of_f16((uint16_t)x))
UNPACK(unpack_bf16, 2, float_of(x << 16))
UNPACK(unpack_f32, 1, float_of(x))
/* What stands below the ten bits does not count. */
UNPACK(unpack_tf32, 1, float_of(x & 0xffffe000))
UNPACK(unpack_e4m3, 4, vm_real_of_e4m3((uint8_t)x))
UNPACK(unpack_e5m2, 4, vm_real_of_e5m2((uint8_t)x))
UNPACK(unpack_s8, 4, (int8_t)x)
UNPACK(unpack_u8, 4, (uint8_t)x)
UNPACK(unpack_s32, 1, (int32_t)x)
static void unpack_f64(uint64_t all, double *to) { memcpy(to, &all, sizeof *to); }

static const element elements[] = {
    {"f16", 16, unpack_f16},  {"bf16", 16, unpack_bf16}, {"tf32", 32, unpack_tf32},
    {"e4m3", 8, unpack_e4m3}, {"e5m2", 8, unpack_e5m2},  {"s8", 8, unpack_s8},
    {"u8", 8, unpack_u8},     {"f32", 32, unpack_f32},   {"s32", 32, unpack_s32},
    {"f64", 64, unpack_f64},
};
enum { ELEMENTS = sizeof elements / sizeof *elements, MOST_IN_REGISTER = 4 };

/* What there is: shapes, types of C and D, types of A and B, separated by blanks. */
static const struct {
    const char *shapes, *sums, *factors;
} kinds[] = {
    {"m16n8k8 m16n8k16", "f16 f32", "f16"},
    {"m16n8k8 m16n8k16", "f32", "bf16"},
    {"m16n8k4 m16n8k8", "f32", "tf32"},
    {"m16n8k16 m16n8k32", "f16 f32", "e4m3 e5m2"},
    {"m8n8k16 m16n8k16 m16n8k32", "s32", "s8 u8"},
    {"m8n8k4 m16n8k4 m16n8k8 m16n8k16", "f64", "f64"},
};

/* ---- mma -------------------------------------------------------------------------- */

/* One matrix of a call: its registers, each with as many elements as fit. */
typedef struct fragment {
    const element *element;
    uint32_t registers, width; /* bits of a register */
    vm_operand in[MOST_REGISTERS];
} fragment;

typedef struct mma {
    uint32_t m, k;
    bool saturates;
    fragment a, b, c;
    vm_operand d[4];
} mma;

typedef struct matrices {
    double a[MOST_ROWS][MOST_DEPTH], b[MOST_DEPTH][COLUMNS], c[MOST_ROWS][COLUMNS];
} matrices;

static uint32_t per_register(const fragment *f) { return f->width / f->element->bits; }

/* What lane l has goes where the rule above says. */
static void gather(const vm_run *r, const mma *x, uint32_t first, matrices *to) {
    uint32_t e = per_register(&x->a);
    double part[MOST_IN_REGISTER];
    for (uint32_t l = 0; l < VM_WARP; l++) {
        uint32_t group = l / 4, quarter = l % 4;
        for (uint32_t g = 0; g < x->a.registers; g++) {
            x->a.element->unpack(vm_element(r, x->a.in[g], first + l), part);
            memcpy(&to->a[group + g % 2 * 8][e * quarter + 4 * e * (g / 2)], part,
                   e * sizeof *part);
        }
        for (uint32_t g = 0; g < x->b.registers; g++) {
            x->b.element->unpack(vm_element(r, x->b.in[g], first + l), part);
            for (uint32_t j = 0; j < e; j++)
                to->b[e * quarter + j + 4 * e * g][group] = part[j];
        }
        uint32_t each = per_register(&x->c);
        for (uint32_t g = 0; g < x->c.registers; g++) {
            x->c.element->unpack(vm_element(r, x->c.in[g], first + l), part);
            for (uint32_t j = 0, i = g * each; j < each; j++, i++)
                to->c[group + i / 2 * 8][2 * quarter + i % 2] = part[j];
        }
    }
}

static void multiply(const mma *x, matrices *y) {
    bool is_exact = x->a.element->bits < 64;
    for (uint32_t i = 0; i < x->m; i++)
        for (uint32_t k = 0; k < x->k; k++) {
            double a = y->a[i][k], *c = y->c[i];
            const double *b = y->b[k];
            if (is_exact)
                for (uint32_t j = 0; j < COLUMNS; j++)
                    c[j] += a * b[j];
            else
                for (uint32_t j = 0; j < COLUMNS; j++)
                    c[j] = fma(a, b[j], c[j]);
        }
}

/* An element of the result: whole numbers are exact in the sum. */
static uint64_t result_bits(const mma *x, double sum) {
    unpack_fn *type = x->c.element->unpack;
    if (type == unpack_f32)
        return isnan(sum) ? 0x7fffffff : vm_bits_of(VM_F32, sum);
    if (type == unpack_f16)
        return vm_format_real(&vm_f16, sum, FE_TONEAREST);
    if (type == unpack_f64)
        return vm_bits_of(VM_F64, sum);
    if (x->saturates)
        sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
    return (uint32_t)(int64_t)sum;
}

static void scatter(vm_run *r, const mma *x, uint32_t first, const matrices *from) {
    uint32_t each = per_register(&x->c);
    for (uint32_t l = 0; l < VM_WARP; l++)
        for (uint32_t n = 0; n < x->c.registers; n++) {
            uint64_t bits = 0;
            for (uint32_t i = n * each; i < (n + 1) * each; i++)
                bits |= result_bits(x, from->c[l / 4 + i / 2 * 8][2 * (l % 4) + i % 2])
                        << i % each * x->c.element->bits;
            vm_put_bits(r, x->d[n], first + l, bits);
        }
}

static void run_mma(vm_run *r, const vm_op *op) {
    matrices y;
    for (uint32_t first = 0; next_warp(r, op, &first); first += VM_WARP) {
        gather(r, op->more, first, &y);
        multiply(op->more, &y);
        scatter(r, op->more, first, &y);
    }
}

/* ---- mma by its name -------------------------------------------------------------- */

typedef struct mma_name {
    char shape[16], sum[8], a[8], b[8];
    uint32_t m, k;
    bool saturates;
} mma_name;

/* "mma_m16n8k32_s32_s8_u8_sat" taken apart; false: there is none such. */
static bool read_name(const char *name, mma_name *n) {
    char parts[5][16] = {""};
    uint32_t count = 0;
    for (const char *at = name + strlen("mma_"); count < 5; at++) {
        size_t length = strcspn(at, "_");
        if (!length || length >= sizeof parts[0])
            return false;
        memcpy(parts[count++], at, length);
        at += length;
        if (!*at)
            break;
    }
    n->saturates = count > 3 && !strcmp(parts[count - 1], "sat");
    count -= n->saturates;
    if (count < 3 || count > 4)
        return false;
    snprintf(n->shape, sizeof n->shape, "%.15s", parts[0]);
    snprintf(n->sum, sizeof n->sum, "%.7s", parts[1]);
    snprintf(n->a, sizeof n->a, "%.7s", parts[2]);
    snprintf(n->b, sizeof n->b, "%.7s", parts[count - 1]);
    if (sscanf(n->shape, "m%un8k%u", &n->m, &n->k) != 2 || (n->saturates && strcmp(n->sum, "s32")))
        return false;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (hd_has_word(kinds[i].shapes, n->shape) && hd_has_word(kinds[i].sums, n->sum) &&
            hd_has_word(kinds[i].factors, n->a) && hd_has_word(kinds[i].factors, n->b))
            return true;
    return false;
}

/* A fragment of `count` elements for the whole warp. */
static fragment fragment_of(const char *name, uint32_t count) {
    fragment f = {.element = elements};
    while (strcmp(f.element->name, name) != 0) /* which is one of `kinds` */
        f.element++;
    f.width = f.element->bits == 64 ? 64 : 32;
    f.registers = count * f.element->bits / f.width / VM_WARP;
    return f;
}

/* Does the type hold the fragment? C and D are of the sum's own type, unless they are packed. */
static bool holds(kir_type type, const fragment *f, bool is_sum) {
    bool is_float = f->width == 64 || (is_sum && f->element->unpack == unpack_f32);
    return type.kind == (is_float ? KIR_FLOAT : KIR_INT) && type.bits == f->width &&
           type.lanes == f->registers;
}

static void compile_mma(vm_compiler *c, const void *what) {
    (void)what;
    mma_name n = {0};
    if (!read_name(c->inst->name, &n)) {
        vm_cannot_run(c, "the machine has no %s; docs/kir.md lists shapes and types",
                      c->inst->name);
        return;
    }
    mma *x = hd_new(c->arena, mma);
    *x = (mma){.m = n.m,
               .k = n.k,
               .saturates = n.saturates,
               .a = fragment_of(n.a, n.m * n.k),
               .b = fragment_of(n.b, n.k * COLUMNS),
               .c = fragment_of(n.sum, n.m * COLUMNS)};
    fragment *const args[] = {&x->a, &x->b, &x->c};
    bool fits = c->inst->arg_count == 3 && holds(c->inst->type, &x->c, true);
    for (uint32_t i = 0; i < 3 && fits; i++)
        fits = holds(c->kernel->insts[c->inst->args[i]].type, args[i], i == 2);
    if (!fits) {
        vm_cannot_run(c, "%s has operands of %u, %u and %u registers, and a result as the last",
                      c->inst->name, x->a.registers, x->b.registers, x->c.registers);
        return;
    }
    for (uint32_t i = 0; i < 3; i++)
        for (uint32_t k = 0; k < args[i]->registers; k++)
            args[i]->in[k] = vm_call_arg(c, i, k);
    for (uint32_t k = 0; k < x->c.registers; k++)
        x->d[k] = vm_result(c, k);
    vm_emit_for_lanes(c, run_mma, x);
}

/* ---- wgmma ------------------------------------------------------------------------ */

/* The sum of 16 rows and 8 columns; `x` first, whose A is in registers, or has none. */
typedef struct wgmma {
    mma x;
    vm_operand a, b, scale; /* descriptors; whether C counts */
    uint32_t first_column;
    bool negates_a, negates_b, turns_a, turns_b;
} wgmma;

/* PTX ISA, matrix descriptor: where elements of a matrix of m or n by k are. It falls apart into rows of
 * 16 bytes, `wide` of which follow each other. */
typedef struct descriptor {
    uint64_t start, leading, stride;
    uint32_t wide, element;
    bool turned; /* m or n is the dimension whose elements follow each other */
} descriptor;

static descriptor read_descriptor(vm_run *r, const vm_op *op, uint32_t lane, uint64_t bits,
                                  uint32_t bytes, bool turned) {
    static const uint8_t wide[] = {1, 8, 4, 2}; /* no, 128, 64 and 32 bytes are mixed */
    if (bits >> 49 & 7)
        vm_fault(r, op->inst, lane,
                 "wgmma with a matrix descriptor that has a base offset, which is not supported; "
                 "let the matrix begin where its pattern of bytes does");
    return (descriptor){.start = r->local_base + (bits & 0x3fff) * 16,
                        .leading = (bits >> 16 & 0x3fff) * 16,
                        .stride = (bits >> 32 & 0x3fff) * 16,
                        .wide = wide[bits >> 62],
                        .element = bytes,
                        .turned = turned};
}

/* Of element k of row or column i. */
static uint64_t place_of(const descriptor *d, uint32_t i, uint32_t k) {
    const uint32_t wide = d->wide, along = d->element * (d->turned ? i : k), piece = along / 16;
    uint64_t at = d->start + along % 16 + (d->turned ? k % 8 : i % 8) * 16 * wide;
    if (!d->turned)
        at += i / 8 * d->stride + piece * (wide == 1 ? d->leading : 16);
    else if (wide == 1)
        at += piece * d->stride + k / 8 * d->leading;
    else
        at += piece % wide * 16 + piece / wide * d->leading + k / 8 * d->stride;
    return at ^ (at >> 7 & (wide - 1)) << 4;
}

static double element_at(vm_run *r, const vm_op *op, uint32_t lane, const descriptor *d,
                         const element *type, uint32_t i, uint32_t k, const vm_region **last) {
    const uint64_t at = place_of(d, i, k);
    double part[MOST_IN_REGISTER];
    if (!*last || !vm_holds(*last, at, d->element))
        *last = vm_find_region(r, at, d->element);
    if (!*last)
        vm_fault(r, op->inst, lane,
                 "a matrix descriptor of wgmma leads to byte %llu of shared memory, where the "
                 "block has none",
                 (unsigned long long)(at - r->local_base));
    type->unpack(vm_read_bits((*last)->host + (at - (*last)->base), d->element), part);
    return *part;
}

/* What is in shared memory, and what the modifiers say. */
static void gather_group(vm_run *r, const vm_op *op, uint32_t first, matrices *y) {
    const wgmma *w = op->more;
    const mma *x = &w->x;
    const uint32_t bytes = x->a.element->bits / 8, row = first % (4 * VM_WARP) / 2;
    const vm_region *last = NULL;
    descriptor d = read_descriptor(r, op, first, vm_element(r, w->b, first), bytes, w->turns_b);
    for (uint32_t k = 0; k < x->k; k++)
        for (uint32_t j = 0; j < COLUMNS; j++) {
            const double value =
                element_at(r, op, first, &d, x->b.element, w->first_column + j, k, &last);
            y->b[k][j] = w->negates_b ? -value : value;
        }
    if (!x->a.registers)
        d = read_descriptor(r, op, first, vm_element(r, w->a, first), bytes, w->turns_a);
    for (uint32_t i = 0; i < x->m; i++)
        for (uint32_t k = 0; k < x->k; k++) {
            if (!x->a.registers)
                y->a[i][k] = element_at(r, op, first, &d, x->a.element, row + i, k, &last);
            y->a[i][k] = w->negates_a ? -y->a[i][k] : y->a[i][k];
        }
    if (!vm_element(r, w->scale, first))
        memset(y->c, 0, sizeof y->c);
}

static void run_wgmma(vm_run *r, const vm_op *op) {
    const wgmma *w = op->more;
    matrices y;
    for (uint32_t first = 0; next_warp(r, op, &first); first += VM_WARP) {
        gather(r, &w->x, first, &y);
        gather_group(r, op, first, &y);
        multiply(&w->x, &y);
        scatter(r, &w->x, first, &y);
    }
}

/* "wgmma_k16_f32_f16_f16": A, in registers or by a descriptor, B, C, whether C counts, the first column,
 * and what is negated (1: A, 2: B) and turned (4, 8). */
static void compile_wgmma(vm_compiler *c, const void *what) {
    (void)what;
    wgmma *w = hd_new(c->arena, wgmma);
    mma_name n = {.m = MOST_ROWS};
    int64_t column = 0, flags = 0;
    bool is_known =
        sscanf(c->inst->name, "wgmma_k%u_%7[^_]_%7[^_]_%7[^_]", &n.k, n.sum, n.a, n.b) == 4 &&
        kir_const_int(c->kernel, c->inst->args[4], &column) &&
        kir_const_int(c->kernel, c->inst->args[5], &flags) && column >= 0 && n.k &&
        n.k <= MOST_DEPTH;
    n.saturates = strstr(c->inst->name, "_sat") != NULL;
    bool has_kind = false;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && is_known; i++)
        has_kind |= hd_has_word(kinds[i].sums, n.sum) && hd_has_word(kinds[i].factors, n.a) &&
                    hd_has_word(kinds[i].factors, n.b) && strcmp(n.a, "f64") != 0;
    if (!has_kind) {
        vm_cannot_run(c, "the machine has no %s; docs/kir.md lists shapes and types",
                      c->inst->name);
        return;
    }
    const bool in_memory = c->kernel->insts[c->inst->args[0]].type.lanes == 1;
    *w = (wgmma){.x = {.m = n.m,
                       .k = n.k,
                       .saturates = n.saturates,
                       .a = fragment_of(n.a, n.m * n.k),
                       .b = fragment_of(n.b, n.k * COLUMNS),
                       .c = fragment_of(n.sum, n.m * COLUMNS)},
                 .a = vm_call_arg(c, 0, 0),
                 .b = vm_call_arg(c, 1, 0),
                 .scale = vm_call_arg(c, 3, 0),
                 .first_column = (uint32_t)column,
                 .negates_a = flags & 1,
                 .negates_b = flags >> 1 & 1,
                 .turns_a = flags >> 2 & 1,
                 .turns_b = flags >> 3 & 1};
    const bool fits = n.k * w->x.a.element->bits == 256 && holds(c->inst->type, &w->x.c, true) &&
                      (in_memory || holds(c->kernel->insts[c->inst->args[0]].type, &w->x.a, false));
    if (!fits) {
        vm_cannot_run(c, "%s has operands of other types", c->inst->name);
        return;
    }
    for (uint32_t k = 0; k < w->x.a.registers && !in_memory; k++)
        w->x.a.in[k] = vm_call_arg(c, 0, k);
    for (uint32_t k = 0; k < w->x.c.registers; k++) {
        w->x.c.in[k] = vm_call_arg(c, 2, k);
        w->x.d[k] = vm_result(c, k);
    }
    w->x.a.registers = in_memory ? 0 : w->x.a.registers;
    w->x.b.registers = 0;
    vm_emit_for_lanes(c, run_wgmma, w);
}

/* ---- matrices of 8 x 8 halves ----------------------------------------------------- */

typedef struct tile {
    uint16_t row[8][8];
} tile;

/* What the lanes of a warp hold of one. */
static tile tile_of(const vm_run *r, vm_operand a, uint32_t first) {
    tile y;
    for (uint32_t l = 0; l < VM_WARP; l++) {
        uint32_t pair = (uint32_t)vm_element(r, a, first + l);
        memcpy(&y.row[l / 4][l % 4 * 2], &pair, sizeof pair);
    }
    return y;
}

/* The two elements that a lane has of a matrix, or of its transpose. */
static uint32_t pair_of(const tile *t, uint32_t lane, bool transposed) {
    uint32_t row = lane / 4, column = lane % 4 * 2;
    uint32_t low = transposed ? t->row[column][row] : t->row[row][column];
    uint32_t high = transposed ? t->row[column + 1][row] : t->row[row][column + 1];
    return low | high << 16;
}

/* Matrices in memory whose rows have addresses of their own, and the lanes' registers. */
typedef struct matrix_move {
    const vm_memory *memory;
    uint32_t count; /* matrices */
    bool transposed, stores;
    vm_operand registers[4];
} matrix_move;

enum { ROW_BYTES = 16 };

/* The lanes that give addresses: eight of each warp for each matrix. */
static uint32_t addressing_lanes(const vm_run *r, const matrix_move *x, uint64_t *mask) {
    uint32_t count = 0;
    uint64_t of_warp = (UINT64_C(1) << 8 * x->count) - 1;
    for (uint32_t w = 0; w < r->words; w++) {
        mask[w] = r->bits[w] & (of_warp | of_warp << VM_WARP);
        count += (uint32_t)vm_count_ones(mask[w]);
    }
    return count;
}

/* Checks and announces the rows: the accesses of the lanes that give their addresses. */
static vm_target touch_rows(vm_run *r, const vm_op *op) {
    const matrix_move *x = op->more;
    const vm_memory *m = x->memory;
    uint64_t *some = r->flow->taken[0], *all = r->flow->taken[1];
    uint32_t active = r->active.count;
    memcpy(all, r->bits, r->words * sizeof *all);
    vm_activate(r, some, addressing_lanes(r, x, some));
    vm_target t = vm_resolve(r, op, m, m->slot, m->address, ROW_BYTES, ROW_BYTES, x->stores);
    if (r->checked)
        vm_check_access(r, op, &t, ROW_BYTES, x->stores ? VM_WRITES : VM_READS);
    vm_announce(r, &t, m->space, m->announced, m->announced_count);
    vm_activate(r, all, active);
    return t;
}

static void load_matrix(vm_run *r, const matrix_move *x, uint8_t *const row[8], uint32_t first,
                        vm_operand d) {
    tile y;
    for (uint32_t i = 0; i < 8; i++)
        memcpy(y.row[i], row[i], ROW_BYTES);
    for (uint32_t l = 0; l < VM_WARP; l++)
        vm_put_bits(r, d, first + l, pair_of(&y, l, x->transposed));
}

static void store_matrix(vm_run *r, const matrix_move *x, uint8_t *const row[8], uint32_t first,
                         vm_operand a) {
    tile y = tile_of(r, a, first), turned = y;
    for (uint32_t l = 0; l < VM_WARP && x->transposed; l++) {
        uint32_t pair = pair_of(&y, l, true);
        memcpy(&turned.row[l / 4][l % 4 * 2], &pair, sizeof pair);
    }
    for (uint32_t i = 0; i < 8; i++)
        memcpy(row[i], turned.row[i], ROW_BYTES);
}

static void run_matrix_move(vm_run *r, const vm_op *op) {
    const matrix_move *x = op->more;
    for (uint32_t first = 0; next_warp(r, op, &first); first += VM_WARP)
        ; /* all are complete */
    vm_target t = touch_rows(r, op);
    for (uint32_t first = 0; next_warp(r, op, &first); first += VM_WARP)
        for (uint32_t n = 0; n < x->count; n++) {
            uint8_t *row[8];
            for (uint32_t i = 0; i < 8; i++) {
                uint32_t l = first + 8 * n + i;
                row[i] = vm_host(r, &t, l, vm_lane_address(&t, l));
            }
            (x->stores ? store_matrix : load_matrix)(r, x, row, first, x->registers[n]);
        }
}

static void compile_matrix_move(vm_compiler *c, const void *what) {
    matrix_move *x = hd_new(c->arena, matrix_move);
    x->count = *(const uint32_t *)what;
    x->transposed = strstr(c->inst->name, "_trans") != NULL;
    x->stores = c->inst->arg_count > 1;
    kir_type type = x->stores ? c->kernel->insts[c->inst->args[1]].type : c->inst->type;
    if (type.kind != KIR_INT || type.bits != 32 || type.lanes != x->count) {
        vm_cannot_run(c, "%s has %u i32 in each lane", c->inst->name, x->count);
        return;
    }
    vm_memory *m = vm_memory_new(c, c->inst->args[0]);
    m->announced = vm_announced_rows(c, x->stores ? HD_STORE : HD_LOAD, &m->announced_count);
    x->memory = m;
    for (uint32_t n = 0; n < x->count; n++)
        x->registers[n] = x->stores ? vm_call_arg(c, 1, n) : vm_result(c, n);
    vm_emit_for_lanes(c, run_matrix_move, x);
}

static void run_movmatrix(vm_run *r, const vm_op *op) {
    const vm_call *call = op->more;
    for (uint32_t first = 0; next_warp(r, op, &first); first += VM_WARP) {
        tile y = tile_of(r, call->x[0], first);
        for (uint32_t l = 0; l < VM_WARP; l++)
            vm_put_bits(r, call->d, first + l, pair_of(&y, l, true));
    }
}

/* Loads and stores of so many matrices, as they are and transposed. */
#define MOVES(count)                                                                          \
    {"ldmatrix_x" #count, "_P", compile_matrix_move, &(const uint32_t){count}},               \
        {"ldmatrix_x" #count "_trans", "_P", compile_matrix_move, &(const uint32_t){count}},  \
        {"stmatrix_x" #count, "vP_", compile_matrix_move, &(const uint32_t){count}}, {        \
        "stmatrix_x" #count "_trans", "vP_", compile_matrix_move, &(const uint32_t) { count } \
    }

const vm_builtin vm_matrix_builtins[] = {
    {"mma_*", "_*", compile_mma, NULL},
    {"wgmma_*", "__e_III", compile_wgmma, NULL},
    MOVES(1),
    MOVES(2),
    MOVES(4),
    {"movmatrix_trans", "II", VM_LANES(run_movmatrix)},
    {NULL},
};
