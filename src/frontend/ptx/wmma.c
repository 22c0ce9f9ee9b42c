/*
 * wmma: products of matrices whose fragments PTX lays out in no particular way. They are made of
 * mma's products, plain loads and plain stores.
 *
 * A fragment is made of pieces of `lanes` elements that are neighbours along `inner`, which is k
 * of A and B and the column of C and D. Thread 4g + t of a warp has of piece (s, q)
 *
 *     the elements (8s + g, lanes * (4q + t) + 0, 1 ...),
 *
 * as mma has them: 2 pieces along `outer` and those along k are its A, those along k its B, 2 or 1
 * its C. Where a thread has more registers than that, as for f16, the pieces stand there again.
 * m8n32 is m32n8 with all matrices transposed.
 */
#include "frontend/ptx/internal.h"

#include <stdio.h>

enum { MOST_PIECES = 16, MOST_REGISTERS = 16 };

typedef struct matrix {
    uint32_t outer, inner, lanes;
    kir_type element;
    bool is_packed; /* a piece is a register of 32 bits; else there is one for each element */
    bool is_along;  /* in memory neighbours along `inner` are neighbours */
} matrix;

typedef struct shape {
    const char *name;
    uint32_t m, n, k;
} shape;

/* ---- shapes -------------------------------------------------------------------- */

static void refuse(ptx_lowering *l) {
    ptx_cannot(l,
               "%s is not supported; m16n16k16, m32n8k16 and m8n32k16 of f16, bf16, s8 and u8, "
               "m16n16k8 of tf32 and m8n8k4 of f64 are",
               ptx_opcode(l->arena, l->inst));
}

static shape shape_of(const ptx_inst *inst) {
    shape s = {NULL, 0, 0, 0};
    for (uint32_t w = 1; w < inst->word_count && !s.name; w++)
        if (sscanf(inst->words[w], "m%un%uk%u", &s.m, &s.n, &s.k) == 3)
            s.name = inst->words[w];
    return s;
}

/* Whether matrices of this shape have such elements. */
static bool exists(shape s, char role, ptx_type type) {
    static const char words[] = "m16n16k16 m32n8k16 m8n32k16";
    if (!s.name)
        return false;
    bool is_16 = hd_has_word(words, s.name), is_8 = !strcmp(s.name, "m16n16k8");
    switch (type) {
    case PTX_F64: return !strcmp(s.name, "m8n8k4");
    case PTX_F32: return role == 'c' && (is_16 || is_8);
    case PTX_S32: return role == 'c' && is_16;
    case PTX_F16: return is_16;
    case PTX_TF32: return role != 'c' && is_8;
    case PTX_BF16:
    case PTX_S8:
    case PTX_U8: return role != 'c' && is_16;
    default: return false;
    }
}

/* `role`: a, b, or c, which is also D. */
static matrix matrix_of(shape s, char role, ptx_type type, bool is_row) {
    uint32_t bits = type == PTX_TF32 ? 32 : ptx_type_bits(type);
    bool is_float = type == PTX_F32 || type == PTX_TF32 || type == PTX_F64;
    matrix x = {.outer = role == 'b' ? s.n : s.m,
                .inner = role == 'c' ? s.n : s.k,
                .lanes = role == 'c'  ? 2
                         : bits == 64 ? 1
                                      : 32 / bits,
                .element = is_float ? ptx_real((uint8_t)bits) : ptx_int((uint8_t)bits),
                .is_along = role == 'b' ? !is_row : is_row};
    x.is_packed = x.lanes * bits == 32;
    if (role == 'c' && s.n == 32)
        x = (matrix){x.inner, x.outer, x.lanes, x.element, x.is_packed, !x.is_along};
    return x;
}

static uint32_t slabs_of(const matrix *x) { return x->outer / 8; }
static uint32_t columns_of(const matrix *x) { return x->inner / (4 * x->lanes); }
static uint32_t pieces_of(const matrix *x) { return slabs_of(x) * columns_of(x); }
static uint32_t index_of(const matrix *x, uint32_t s, uint32_t q) { return q * slabs_of(x) + s; }
static uint32_t registers_of(const matrix *x) { return x->is_packed ? 1 : x->lanes; }

/* ---- registers ------------------------------------------------------------------- */

/* The registers that operand i is: those of all pieces, maybe several times. */
static const ptx_operand *registers(ptx_lowering *l, uint32_t i, const matrix *x, uint32_t *count) {
    const ptx_operand *operand = ptx_operand_at(l, i);
    bool is_vector = operand->kind == PTX_VECTOR;
    uint32_t needed = pieces_of(x) * registers_of(x);
    *count = is_vector ? operand->count : 1;
    if (*count > MOST_REGISTERS || *count < needed || *count % needed)
        ptx_wrong(l, "%s: the fragment has %u registers, not %u", ptx_opcode(l->arena, l->inst),
                  needed, *count);
    return is_vector ? operand->list : operand;
}

/* pieces[]: vectors of elements as they are in memory. */
static void put_pieces(ptx_lowering *l, uint32_t i, const matrix *x, const kir_value *pieces) {
    uint32_t count, each = registers_of(x);
    const ptx_operand *to = registers(l, i, x, &count);
    for (uint32_t r = 0; r < count; r++) {
        kir_value piece = pieces[r / each % pieces_of(x)];
        kir_value value =
            x->is_packed ? ptx_bits_as(l, piece, ptx_int(32)) : ptx_part(l, piece, r % each);
        ptx_put_to(l, &to[r], value, false);
    }
}

static void get_pieces(ptx_lowering *l, uint32_t i, const matrix *x, kir_value *pieces) {
    uint32_t count, each = registers_of(x);
    const ptx_operand *from = registers(l, i, x, &count);
    kir_type type = x->element;
    type.lanes = (uint8_t)x->lanes;
    for (uint32_t p = 0; p < pieces_of(x) && !l->out.status; p++) {
        kir_value parts[2] = {0};
        for (uint32_t e = 0; e < each; e++)
            parts[e] = ptx_value(l, &from[p * each + e], x->element.bits == 64 ? PTX_B64 : PTX_B32);
        for (uint32_t e = 0; e < each && !x->is_packed; e++)
            parts[e] = ptx_bits_as(l, parts[e], x->element);
        pieces[p] = x->is_packed ? ptx_bits_as(l, parts[0], type) : ptx_join(l, each, parts);
    }
}

/* ---- memory ---------------------------------------------------------------------- */

/* A matrix in memory. */
typedef struct access {
    matrix matrix;
    uint32_t address; /* operand */
    ptx_space space;
    kir_value g, t, stride; /* i64; stride: elements from a row or column to the next one */
} access;

static kir_value plus(ptx_lowering *l, kir_value value, uint32_t number) {
    return number ? ptx_op(l, KIR_ADD, value, ptx_number(l, ptx_int(64), number)) : value;
}

static kir_value times(ptx_lowering *l, kir_value value, uint32_t number) {
    return number == 1 ? value : ptx_op(l, KIR_MUL, value, ptx_number(l, ptx_int(64), number));
}

/* wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {...}, [address]{, stride}, and
 * wmma.store.d... [address], {...}{, stride} */
static bool begin(ptx_lowering *l, access *a, bool stores) {
    const ptx_inst *inst = l->inst;
    char role = stores ? 'c' : ptx_has(inst, "a") ? 'a' : ptx_has(inst, "b") ? 'b' : 'c';
    shape s = shape_of(inst);
    ptx_type type = ptx_type_of(inst, 0);
    if (!exists(s, role, type)) {
        refuse(l);
        return false;
    }
    a->matrix = matrix_of(s, role, type, ptx_has(inst, "row"));
    a->address = stores ? 0 : 1;
    a->space = ptx_space_of(inst);
    kir_value lane;
    front_special_register(&l->out, "laneid", &lane);
    kir_type wide = ptx_int(64), word = ptx_int(32);
    a->g = ptx_resize(l, ptx_op(l, KIR_LSHR, lane, ptx_number(l, word, 2)), wide, false);
    a->t = ptx_resize(l, ptx_op(l, KIR_AND, lane, ptx_number(l, word, 3)), wide, false);
    a->stride = inst->operand_count > 2
                    ? ptx_resize(l, ptx_get(l, 2, PTX_U32), wide, false)
                    : ptx_number(l, wide, a->matrix.is_along ? a->matrix.inner : a->matrix.outer);
    return !l->out.status;
}

/* The address of element e of piece p. */
static kir_value place_of(ptx_lowering *l, const access *a, uint32_t p, uint32_t e) {
    const matrix *x = &a->matrix;
    uint32_t s = p % slabs_of(x), q = p / slabs_of(x);
    kir_value outer = plus(l, a->g, 8 * s);
    kir_value inner = plus(l, times(l, a->t, x->lanes), 4 * x->lanes * q + e);
    kir_value far = ptx_op(l, KIR_MUL, x->is_along ? outer : inner, a->stride);
    kir_value at = ptx_op(l, KIR_ADD, far, x->is_along ? inner : outer);
    return ptx_address_plus(l, a->address, a->space, at, x->element.bits / 8);
}

/* How many accesses a piece takes, and the type of each. */
static uint32_t accesses_of(const matrix *x, kir_type *type) {
    *type = x->element;
    type->lanes = (uint8_t)(x->is_along ? x->lanes : 1);
    return x->is_along ? 1 : x->lanes;
}

static void lower_load(ptx_lowering *l) {
    access a;
    kir_type type;
    kir_value pieces[MOST_PIECES] = {0}, parts[4] = {0};
    if (!begin(l, &a, false))
        return;
    uint32_t count = accesses_of(&a.matrix, &type);
    for (uint32_t p = 0; p < pieces_of(&a.matrix); p++) {
        for (uint32_t e = 0; e < count; e++)
            parts[e] = front_emit_load(&l->out, type, place_of(l, &a, p, e), kir_type_bytes(type));
        pieces[p] = ptx_join(l, count, parts);
    }
    put_pieces(l, 0, &a.matrix, pieces);
}

static void lower_store(ptx_lowering *l) {
    access a;
    kir_type type;
    kir_value pieces[MOST_PIECES] = {0};
    if (!begin(l, &a, true))
        return;
    get_pieces(l, 1, &a.matrix, pieces);
    uint32_t count = accesses_of(&a.matrix, &type);
    for (uint32_t p = 0; p < pieces_of(&a.matrix); p++)
        for (uint32_t e = 0; e < count; e++) {
            kir_value part = count > 1 ? ptx_part(l, pieces[p], e) : pieces[p];
            front_emit_store(&l->out, part, place_of(l, &a, p, e), kir_type_bytes(type));
        }
}

/* ---- products -------------------------------------------------------------------- */

typedef struct product {
    matrix left, right, sum; /* so that left has at least as many rows as right has columns */
    const char *name;        /* of mma */
    kir_value a[MOST_PIECES], b[MOST_PIECES], c[MOST_PIECES];
} product;

/* A register of mma, which are 32 bits or a double. */
static kir_value as_register(ptx_lowering *l, const matrix *x, kir_value piece) {
    return x->element.bits == 64 ? piece : ptx_bits_as(l, piece, ptx_int(32));
}

/* Rows of 8 `per` * h on by columns of 8 j on. */
static void multiply(ptx_lowering *l, product *p, uint32_t per, uint32_t h, uint32_t j) {
    kir_value a[MOST_REGISTERS], b[MOST_REGISTERS], c[MOST_REGISTERS];
    uint32_t a_count = 0, b_count = 0, c_count = 0, each = registers_of(&p->sum);
    for (uint32_t q = 0; q < columns_of(&p->left); q++) {
        for (uint32_t s = 0; s < per; s++)
            a[a_count++] = as_register(l, &p->left, p->a[index_of(&p->left, per * h + s, q)]);
        b[b_count++] = as_register(l, &p->right, p->b[index_of(&p->right, j, q)]);
    }
    for (uint32_t s = 0; s < per; s++) {
        kir_value piece = p->c[index_of(&p->sum, per * h + s, j)];
        for (uint32_t e = 0; e < each; e++)
            c[c_count++] =
                p->sum.is_packed ? as_register(l, &p->sum, piece) : ptx_part(l, piece, e);
    }
    kir_value args[] = {ptx_join(l, a_count, a), ptx_join(l, b_count, b), ptx_join(l, c_count, c)};
    kir_value d = front_emit_call(&l->out, p->name, ptx_type_of_value(l, args[2]), 3, args);
    kir_type type = p->sum.element;
    type.lanes = (uint8_t)p->sum.lanes;
    for (uint32_t s = 0; s < per; s++) {
        kir_value parts[2];
        for (uint32_t e = 0; e < each; e++)
            parts[e] = ptx_part(l, d, s * each + e);
        p->c[index_of(&p->sum, per * h + s, j)] =
            p->sum.is_packed ? ptx_bits_as(l, parts[0], type) : ptx_join(l, each, parts);
    }
}

/* Pieces of f16 as f32, and back. */
static void convert(ptx_lowering *l, const matrix *x, kir_value *pieces, bool is_back) {
    kir_type half = ptx_real(16), single = ptx_real(32);
    for (uint32_t p = 0; p < pieces_of(x); p++) {
        kir_value parts[2];
        for (uint32_t e = 0; e < 2; e++) {
            parts[e] = ptx_part(l, pieces[p], e);
            parts[e] = is_back ? ptx_bits_as(l, ptx_to(l, KIR_FPTRUNC, half, parts[e]), ptx_int(16))
                               : ptx_to(l, KIR_FPEXT, single, ptx_bits_as(l, parts[e], half));
        }
        pieces[p] = ptx_join(l, 2, parts);
    }
}

/* The types of D, A, B and C: of f16 PTX names only D and C. */
static bool find_types(const ptx_inst *inst, ptx_type types[4]) {
    for (uint32_t n = 0; n < 4; n++)
        types[3 - n] = ptx_type_of(inst, n);
    if (types[0] == PTX_NO_TYPE && types[1] == PTX_NO_TYPE) {
        types[0] = types[2];
        types[1] = types[2] = PTX_F16;
    }
    bool is_half = types[1] == PTX_F16;
    ptx_type sum = types[1] == PTX_F64                        ? PTX_F64
                   : types[1] == PTX_S8 || types[1] == PTX_U8 ? PTX_S32
                                                              : PTX_F32;
    for (uint32_t n = 0; n < 4; n += 3)
        if (types[n] != sum && !(is_half && types[n] == PTX_F16))
            return false;
    return types[1] == types[2];
}

/* wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 d, a, b, c. Where only one of C and D is of f16,
 * sums are of f32. */
static void lower_product(ptx_lowering *l) {
    const ptx_inst *inst = l->inst;
    ptx_type types[4];
    shape s = shape_of(inst);
    if (!find_types(inst, types) || !exists(s, 'a', types[1]) || !exists(s, 'c', types[0]) ||
        ptx_has(inst, "rz") || ptx_has(inst, "rm") || ptx_has(inst, "rp")) {
        refuse(l);
        return;
    }
    matrix a = matrix_of(s, 'a', types[1], true), b = matrix_of(s, 'b', types[1], true);
    matrix c = matrix_of(s, 'c', types[3], true), d = matrix_of(s, 'c', types[0], true);
    bool turned = s.n > s.m, is_mixed = types[0] != types[3];
    ptx_type sum = is_mixed ? PTX_F32 : types[0];
    product p = {.left = turned ? b : a, .right = turned ? a : b};
    p.sum = matrix_of(s, 'c', sum, true);
    get_pieces(l, turned ? 2 : 1, &p.left, p.a);
    get_pieces(l, turned ? 1 : 2, &p.right, p.b);
    get_pieces(l, 3, &c, p.c);
    if (is_mixed && types[3] == PTX_F16)
        convert(l, &c, p.c, false);
    uint32_t per = slabs_of(&p.left) > 1 ? 2 : 1;
    p.name = hd_format(l->arena, "mma_m%un8k%u_%s_%s%s", 8 * per, s.k, ptx_type_name(sum),
                       ptx_type_name(types[1]), ptx_has(inst, "satfinite") ? "_sat" : "");
    for (uint32_t h = 0; h < slabs_of(&p.left) / per; h++)
        for (uint32_t j = 0; j < slabs_of(&p.right); j++)
            multiply(l, &p, per, h, j);
    if (is_mixed && types[0] == PTX_F16)
        convert(l, &d, p.c, true);
    put_pieces(l, 0, &d, p.c);
}

static void lower_wmma(ptx_lowering *l) {
    if (ptx_has(l->inst, "mma"))
        lower_product(l);
    else if (ptx_has(l->inst, "load"))
        lower_load(l);
    else if (ptx_has(l->inst, "store"))
        lower_store(l);
    else
        refuse(l);
}

const ptx_rule ptx_wmma_rules[] = {
    {"wmma", lower_wmma, NULL, true},
    {NULL},
};
