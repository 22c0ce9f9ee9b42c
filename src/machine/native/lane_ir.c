/*
 * The operations of lanes.h as LLVM IR, on the 16 lanes of a chunk or once for all lanes: what
 * lanes.c computes, bit for bit, in registers.
 */
#include "machine/lanes/lanes.h"
#include "machine/native/native.h"

/* ---- what an operation is ---------------------------------------------------------------------- */

typedef enum kind {
    K_NONE,
#define K(op) K_##op,
    VM_INT_BINARY(K) VM_FLOAT_BINARY(K) VM_INT_COMPARE(K) VM_FLOAT_COMPARE(K) K(SELECT) K(MOVE)
        K(FNEG) K(FMULADD) K(FABS) K(SQRT) K(FMIN) K(FMAX) K(FMIN_NAN) K(FMAX_NAN) K(FLUSH)
            K(SATURATE) K(RSQRT) K(FLOOR) K(CEIL) K(FTRUNC) K(RINT) K(FMA) K(BIT) K(SIGN) K(TRUNC)
                K(ZEXT) K(SEXT) K(FCONVERT) K(SITOFP) K(UITOFP) K(FPTOSI) K(FPTOUI) K(ADDRESS)
#undef K
} kind;

typedef struct operation {
    uint8_t kind, type, from; /* from: the operand's, of a conversion or the index of an address */
} operation;

static const operation operations[FN_COUNT] = {
#define INT(op)                                                                             \
    [FN_##op##_I8] = {K_##op, VM_I8, VM_I8}, [FN_##op##_I16] = {K_##op, VM_I16, VM_I16},    \
    [FN_##op##_I32] = {K_##op, VM_I32, VM_I32}, [FN_##op##_I64] = {K_##op, VM_I64, VM_I64},
#define FLOAT(op)                                                                           \
    [FN_##op##_F16] = {K_##op, VM_F16, VM_F16}, [FN_##op##_F32] = {K_##op, VM_F32, VM_F32}, \
    [FN_##op##_F64] = {K_##op, VM_F64, VM_F64},
#define ONE(name)
    VM_HANDLERS(INT, FLOAT, ONE)
#undef INT
#undef FLOAT
#undef ONE
        [FN_BIT_I8] = {K_BIT, VM_I8, VM_I8},
    [FN_SIGN_I8] = {K_SIGN, VM_I8, VM_I8}, [FN_ADDR_I32] = {K_ADDRESS, VM_I64, VM_I32},
    [FN_ADDR_I64] = {K_ADDRESS, VM_I64, VM_I64},
#define X(M, small, big)                                          \
    [FN_TRUNC_##big##_##small] = {K_TRUNC, VM_##small, VM_##big}, \
    [FN_ZEXT_##small##_##big] = {K_ZEXT, VM_##big, VM_##small},   \
    [FN_SEXT_##small##_##big] = {K_SEXT, VM_##big, VM_##small},
    VM_CONVERT_PAIRS(X, )
#undef X
#define X(M, a, b) [FN_##a##_##b] = {K_FCONVERT, VM_##b, VM_##a},
        VM_FLOAT_PAIRS(X, )
#undef X
#define X(M, i, f)                                                                              \
    [FN_S##i##_##f] = {K_SITOFP, VM_##f, VM_##i}, [FN_U##i##_##f] = {K_UITOFP, VM_##f, VM_##i}, \
    [FN_##f##_S##i] = {K_FPTOSI, VM_##i, VM_##f}, [FN_##f##_U##i] = {K_FPTOUI, VM_##i, VM_##f},
            VM_INT_FLOAT_PAIRS(X, )
#undef X
};

/* Those that are one instruction of LLVM, by its name. */
static const char *const plain[] = {[K_ADD] = "add",
                                    [K_SUB] = "sub",
                                    [K_MUL] = "mul",
                                    [K_AND] = "and",
                                    [K_OR] = "or",
                                    [K_XOR] = "xor",
                                    [K_SHL] = "shl",
                                    [K_LSHR] = "lshr",
                                    [K_ASHR] = "ashr",
                                    [K_FADD] = "fadd",
                                    [K_FSUB] = "fsub",
                                    [K_FMUL] = "fmul",
                                    [K_FDIV] = "fdiv",
                                    [K_EQ] = "icmp eq",
                                    [K_NE] = "icmp ne",
                                    [K_SLT] = "icmp slt",
                                    [K_SLE] = "icmp sle",
                                    [K_SGT] = "icmp sgt",
                                    [K_SGE] = "icmp sge",
                                    [K_ULT] = "icmp ult",
                                    [K_ULE] = "icmp ule",
                                    [K_UGT] = "icmp ugt",
                                    [K_UGE] = "icmp uge",
                                    [K_OEQ] = "fcmp oeq",
                                    [K_ONE] = "fcmp one",
                                    [K_OLT] = "fcmp olt",
                                    [K_OLE] = "fcmp ole",
                                    [K_OGT] = "fcmp ogt",
                                    [K_OGE] = "fcmp oge",
                                    [K_UEQ] = "fcmp ueq",
                                    [K_UNE] = "fcmp une",
                                    [K_UFLT] = "fcmp ult",
                                    [K_UFLE] = "fcmp ule",
                                    [K_UFGT] = "fcmp ugt",
                                    [K_UFGE] = "fcmp uge",
                                    [K_ORD] = "fcmp ord",
                                    [K_UNO] = "fcmp uno",
                                    [K_TRUNC] = "trunc",
                                    [K_ZEXT] = "zext",
                                    [K_SEXT] = "sext",
                                    [K_SITOFP] = "sitofp",
                                    [K_UITOFP] = "uitofp",
                                    [K_FPTOSI] = "fptosi.sat",
                                    [K_FPTOUI] = "fptoui.sat",
                                    [K_SQRT] = "sqrt",
                                    [K_FLOOR] = "floor",
                                    [K_CEIL] = "ceil",
                                    [K_FTRUNC] = "trunc",
                                    [K_RINT] = "rint"};

bool vm_native_knows(uint16_t code, vm_signature *s) {
    if (code >= FN_COUNT)
        return false;
    const operation o = operations[code];
    *s = (vm_signature){1, {o.from, o.from, o.from}, o.type};
    switch (o.kind) {
    case K_NONE:
    case K_FREM: return false;
    case K_FCONVERT: return !(o.from == VM_F64 && o.type == VM_F16); /* a call of a library */
    case K_FMA: s->operands = 3; return o.type != VM_F16;
    case K_FMULADD: s->operands = 3; return true;
    case K_SELECT: *s = (vm_signature){3, {VM_BIT, o.type, o.type}, o.type}; return true;
    case K_ADDRESS: *s = (vm_signature){2, {VM_I64, o.from}, VM_I64}; return true;
    case K_FMIN:
    case K_FMAX:
    case K_FMIN_NAN:
    case K_FMAX_NAN: s->operands = 2; return true;
    default: break;
    }
    if (o.kind <= K_FDIV || (o.kind >= K_EQ && o.kind <= K_UNO))
        s->operands = 2;
    if (o.kind >= K_EQ && o.kind <= K_UNO)
        s->result = VM_BIT;
    return true;
}

/* ---- values -------------------------------------------------------------------------------------- */

const char *vm_ir_type(uint8_t type, bool varying) {
    static const char *const one[] = {"i8", "i16", "i32", "i64", "half", "float", "double", "i1"};
    static const char *const all[] = {"<16 x i8>",   "<16 x i16>",   "<16 x i32>",    "<16 x i64>",
                                      "<16 x half>", "<16 x float>", "<16 x double>", "<16 x i1>"};
    return varying ? all[type] : one[type];
}

const char *vm_ir_suffix(uint8_t type) {
    static const char *const suffix[] = {"i8", "i16", "i32", "i64", "f16", "f32", "f64"};
    return suffix[type];
}

static uint8_t integer_as_wide(uint8_t type) {
    return type >= VM_F16 && type <= VM_F64 ? (uint8_t)(type - VM_F16 + VM_I16) : type;
}
static uint32_t bits_of_type(uint8_t type) {
    return type == VM_BIT ? 1 : 8 * vm_elem_bytes((vm_elem)type);
}

vm_ir_value vm_ir_constant(uint8_t type, uint64_t bits) {
    return (vm_ir_value){.type = type, .bits = bits & UINT64_MAX >> (64 - bits_of_type(type))};
}

/* A float is spelt by its bits. */
const char *vm_ir_ref(vm_ir *ir, vm_ir_value v, bool varying) {
    if (v.name)
        return hd_format(ir->arena, "%%v%u", v.name);
    uint8_t integer = integer_as_wide(v.type);
    hd_str s = {.arena = ir->arena};
    for (uint32_t j = 0; j < VM_CHUNK && varying; j++)
        hd_str_printf(&s, "%s%s %llu", j ? ", " : "<", vm_ir_type(integer, false),
                      (unsigned long long)v.bits);
    if (varying)
        hd_str_add(&s, ">");
    else
        hd_str_printf(&s, "%llu", (unsigned long long)v.bits);
    if (integer == v.type)
        return hd_str_text(&s);
    return hd_format(ir->arena, "bitcast (%s %s to %s)", vm_ir_type(integer, varying),
                     hd_str_text(&s), vm_ir_type(v.type, varying));
}

vm_ir_value vm_ir_emit(vm_ir *ir, uint8_t type, bool varying, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vm_ir_value v = {.name = ++ir->names, .type = type, .varying = varying};
    hd_str_printf(varying ? &ir->body : &ir->before, "  %%v%u = %s\n", v.name,
                  hd_vformat(ir->arena, format, args));
    va_end(args);
    return v;
}

/* "OP TYPE a, b" */
static vm_ir_value two(vm_ir *ir, const char *op, uint8_t result, bool varying, vm_ir_value a,
                       vm_ir_value b) {
    return vm_ir_emit(ir, result, varying, "%s %s %s, %s", op, vm_ir_type(a.type, varying),
                      vm_ir_ref(ir, a, varying), vm_ir_ref(ir, b, varying));
}

/* "OP TYPE x to RESULT" */
static vm_ir_value emit_cast(vm_ir *ir, const char *op, uint8_t result, bool varying,
                             vm_ir_value x) {
    return vm_ir_emit(ir, result, varying, "%s %s %s to %s", op, vm_ir_type(x.type, varying),
                      vm_ir_ref(ir, x, varying), vm_ir_type(result, varying));
}

vm_ir_value vm_ir_as(vm_ir *ir, vm_ir_value v, uint8_t type) {
    if (v.type == type)
        return v;
    if (!v.name)
        return vm_ir_constant(type, v.bits);
    if (v.type == VM_BIT)
        return emit_cast(ir, "zext", type, v.varying, v);
    if (type == VM_BIT)
        return emit_cast(ir, "trunc", type, v.varying, v);
    return emit_cast(ir, "bitcast", type, v.varying, v);
}

/* Once, before the loop over the chunks. */
vm_ir_value vm_ir_splat(vm_ir *ir, vm_ir_value v) {
    if (v.varying || !v.name)
        return v;
    while (ir->splats.count <= v.name - ir->first)
        hd_push(ir->arena, &ir->splats, 0);
    uint32_t *known = &ir->splats.data[v.name - ir->first];
    vm_ir_value all = {.name = *known, .type = v.type, .varying = true};
    if (*known)
        return all;
    all.name = *known = ++ir->names;
    const char *one = vm_ir_type(v.type, false), *type = vm_ir_type(v.type, true);
    hd_str_printf(&ir->before,
                  "  %%v%u.one = insertelement %s poison, %s %%v%u, i32 0\n"
                  "  %%v%u = shufflevector %s %%v%u.one, %s poison, <16 x i32> zeroinitializer\n",
                  all.name, type, one, v.name, all.name, type, all.name, type);
    return all;
}

void vm_ir_begin(vm_ir *ir) {
    ir->before = (hd_str){.arena = ir->arena};
    ir->body = (hd_str){.arena = ir->arena};
    ir->first = ir->names;
    ir->places.count = ir->splats.count = ir->steps.count = 0;
}

vm_ir_place vm_ir_place_of(const vm_ir *ir, vm_ir_value v) {
    uint32_t at = v.name - ir->first;
    return v.name && at < ir->places.count ? ir->places.data[at] : (vm_ir_place){0};
}

static void note_place(vm_ir *ir, vm_ir_value v, vm_ir_place place) {
    while (ir->places.count <= v.name - ir->first)
        hd_push(ir->arena, &ir->places, (vm_ir_place){0});
    ir->places.data[v.name - ir->first] = place;
}

/* ---- operations ------------------------------------------------------------------------------------ */

static vm_ir_value choose(vm_ir *ir, bool varying, vm_ir_value c, vm_ir_value x, vm_ir_value y) {
    const char *type = vm_ir_type(x.type, varying);
    return vm_ir_emit(ir, x.type, varying, "select %s %s, %s %s, %s %s",
                      vm_ir_type(VM_BIT, varying), vm_ir_ref(ir, c, varying), type,
                      vm_ir_ref(ir, x, varying), type, vm_ir_ref(ir, y, varying));
}

/* A function of LLVM, as "sqrt", of operands of one type. */
static vm_ir_value intrinsic(vm_ir *ir, const char *name, bool varying, const vm_ir_value *x,
                             uint32_t count) {
    hd_str s = {.arena = ir->arena};
    const char *type = vm_ir_type(x->type, varying);
    hd_str_printf(&s, "call %s @llvm.%s.%s%s(", type, name, varying ? "v16" : "",
                  vm_ir_suffix(x->type));
    for (uint32_t i = 0; i < count; i++)
        hd_str_printf(&s, "%s%s %s", i ? ", " : "", type, vm_ir_ref(ir, x[i], varying));
    return vm_ir_emit(ir, x->type, varying, "%s)", hd_str_text(&s));
}

/* Total, as in lanes.c: by 0 it gives 0, and the remainder is the dividend; -1 negates. Of 32 bits it is
 * done in doubles, in which the quotient of two such integers never rounds up to the next one. */
static vm_ir_value divide(vm_ir *ir, const operation *o, bool v, vm_ir_value a, vm_ir_value b) {
    bool is_signed = o->kind == K_SDIV || o->kind == K_SREM;
    bool is_rest = o->kind == K_SREM || o->kind == K_UREM;
    vm_ir_value zero = vm_ir_constant(o->type, 0), one = vm_ir_constant(o->type, 1);
    vm_ir_value is_zero = two(ir, "icmp eq", VM_BIT, v, b, zero), is_minus = is_zero, odd = is_zero;
    if (is_signed) {
        is_minus = two(ir, "icmp eq", VM_BIT, v, b, vm_ir_constant(o->type, UINT64_MAX));
        odd = two(ir, "or", VM_BIT, v, is_zero, is_minus);
    }
    vm_ir_value safe = choose(ir, v, odd, one, b), q;
    if (v && o->type == VM_I32 && b.name) {
        vm_ir_value x = emit_cast(ir, is_signed ? "sitofp" : "uitofp", VM_F64, v, a);
        vm_ir_value y = emit_cast(ir, is_signed ? "sitofp" : "uitofp", VM_F64, v, safe);
        q = emit_cast(ir, is_signed ? "fptosi" : "fptoui", o->type, v,
                      two(ir, "fdiv", VM_F64, v, x, y));
    } else {
        q = two(ir, is_signed ? "sdiv" : "udiv", o->type, v, a, safe);
    }
    if (is_rest) {
        vm_ir_value rest = two(ir, "sub", o->type, v, a, two(ir, "mul", o->type, v, q, safe));
        return choose(ir, v, is_zero, a, rest); /* by -1: safe is 1, and nothing is left */
    }
    if (is_signed)
        q = choose(ir, v, is_minus, two(ir, "sub", o->type, v, zero, a), q);
    return choose(ir, v, is_zero, zero, q);
}

/* The lesser or greater: see PICK in lanes.c. */
static vm_ir_value extreme(vm_ir *ir, const operation *o, bool v, vm_ir_value a, vm_ir_value b) {
    static const uint64_t nan[] = {
        [VM_F16] = 0x7fff, [VM_F32] = 0x7fffffff, [VM_F64] = 0x7fffffffffffffff};
    bool greatest = o->kind == K_FMAX || o->kind == K_FMAX_NAN;
    uint8_t bits = integer_as_wide(o->type);
    vm_ir_value first = two(ir, greatest ? "fcmp ogt" : "fcmp olt", VM_BIT, v, a, b);
    vm_ir_value is_nan = two(ir, "fcmp uno", VM_BIT, v, b, b);
    vm_ir_value picked = choose(ir, v, two(ir, "or", VM_BIT, v, first, is_nan), a, b);
    vm_ir_value signs =
        two(ir, greatest ? "and" : "or", bits, v, vm_ir_as(ir, a, bits), vm_ir_as(ir, b, bits));
    picked =
        choose(ir, v, two(ir, "fcmp oeq", VM_BIT, v, a, b), vm_ir_as(ir, signs, o->type), picked);
    if (o->kind == K_FMIN || o->kind == K_FMAX)
        return picked;
    return choose(ir, v, two(ir, "fcmp uno", VM_BIT, v, a, b),
                  vm_ir_constant(o->type, nan[o->type]), picked);
}

static vm_ir_value flush(vm_ir *ir, uint8_t type, bool v, vm_ir_value a) {
    static const uint64_t exponent[] = {
        [VM_F16] = 0x7c00, [VM_F32] = 0x7f800000, [VM_F64] = 0x7ff0000000000000};
    static const uint64_t sign[] = {
        [VM_F16] = 0x8000, [VM_F32] = 0x80000000, [VM_F64] = 0x8000000000000000};
    uint8_t bits = integer_as_wide(type);
    vm_ir_value x = vm_ir_as(ir, a, bits);
    vm_ir_value high = two(ir, "and", bits, v, x, vm_ir_constant(bits, exponent[type]));
    vm_ir_value tiny = two(ir, "icmp eq", VM_BIT, v, high, vm_ir_constant(bits, 0));
    vm_ir_value kept = two(ir, "and", bits, v, x, vm_ir_constant(bits, sign[type]));
    return vm_ir_as(ir, choose(ir, v, tiny, kept, x), type);
}

/* With a bit set, cleared or turned: so NaNs keep theirs. */
static vm_ir_value change_sign(vm_ir *ir, uint8_t type, bool v, vm_ir_value a, bool turns) {
    uint8_t bits = integer_as_wide(type);
    uint64_t sign = (uint64_t)1 << (bits_of_type(type) - 1);
    vm_ir_value mask = vm_ir_constant(bits, turns ? sign : ~sign);
    return vm_ir_as(ir, two(ir, turns ? "xor" : "and", bits, v, vm_ir_as(ir, a, bits), mask), type);
}

static vm_ir_value one_of(uint8_t type) {
    return vm_ir_constant(type, type == VM_F16   ? 0x3c00
                                : type == VM_F32 ? 0x3f800000
                                                 : 0x3ff0000000000000);
}

static vm_ir_value saturate(vm_ir *ir, uint8_t type, bool v, vm_ir_value a) {
    vm_ir_value one = one_of(type), zero = vm_ir_constant(type, 0);
    vm_ir_value below = choose(ir, v, two(ir, "fcmp olt", VM_BIT, v, a, one), a, one);
    return choose(ir, v, two(ir, "fcmp ogt", VM_BIT, v, a, zero), below, zero);
}

static vm_ir_value to_integer(vm_ir *ir, const operation *o, bool v, vm_ir_value a) {
    if (a.type == VM_F16)
        a = emit_cast(ir, "fpext", VM_F32, v, a);
    const char *lanes = v ? "v16" : "";
    return vm_ir_emit(ir, o->type, v, "call %s @llvm.%s.%s%s.%s%s(%s %s)", vm_ir_type(o->type, v),
                      plain[o->kind], lanes, vm_ir_suffix(o->type), lanes, vm_ir_suffix(a.type),
                      vm_ir_type(a.type, v), vm_ir_ref(ir, a, v));
}

static vm_ir_value of_floats(vm_ir *ir, kind k, uint8_t type, bool v, const vm_ir_value *x) {
    switch (k) {
    case K_SQRT:
    case K_FLOOR:
    case K_CEIL:
    case K_FTRUNC:
    case K_RINT: return intrinsic(ir, plain[k], v, x, 1);
    case K_RSQRT: return two(ir, "fdiv", type, v, one_of(type), intrinsic(ir, "sqrt", v, x, 1));
    case K_FMA: return intrinsic(ir, "fma", v, x, 3);
    default: return two(ir, plain[k], type, v, x[0], x[1]);
    }
}

/* A half is computed as a float, and rounded at the end. */
static vm_ir_value of_halves(vm_ir *ir, kind k, bool v, const vm_ir_value *x, uint32_t count) {
    vm_ir_value wide[3];
    for (uint32_t i = 0; i < count; i++)
        wide[i] = emit_cast(ir, "fpext", VM_F32, v, x[i]);
    return emit_cast(ir, "fptrunc", VM_F16, v, of_floats(ir, k, VM_F32, v, wide));
}

/* base + index * scale + offset. Addresses that differ by a constant are computed from one value, so that
 * it is seen that they do. */
static vm_ir_value address(vm_ir *ir, const vm_op *op, bool v, vm_ir_value base,
                           vm_ir_value index) {
    vm_ir_place p = vm_ir_place_of(ir, base);
    int64_t offset = op->imm2;
    if (!base.name) /* a variable of a thread's own, null, or a fixed address */
        p.offset = (int64_t)base.bits;
    else if (!p.base)
        p.base = base.name;
    vm_ir_value from = {p.base, VM_I64, v, 0};
    if (!index.name) {
        int64_t number = (int64_t)index.bits;
        number = index.type == VM_I32 ? (int32_t)number : number;
        offset += number * op->imm;
        if (!base.name)
            return vm_ir_constant(VM_I64, (uint64_t)(p.offset + offset));
    } else {
        const vm_ir_step *known = NULL;
        for (size_t i = 0; i < ir->steps.count && !known; i++)
            if (ir->steps.data[i].base == p.base && ir->steps.data[i].index == index.name &&
                ir->steps.data[i].scale == op->imm)
                known = &ir->steps.data[i];
        if (known) {
            from.name = known->result;
        } else {
            vm_ir_step step = {.base = p.base, .index = index.name, .scale = op->imm};
            if (index.type == VM_I32)
                index = emit_cast(ir, "sext", VM_I64, v, index);
            index = two(ir, "mul", VM_I64, v, index, vm_ir_constant(VM_I64, (uint64_t)op->imm));
            from = p.base ? two(ir, "add", VM_I64, v, from, index) : index;
            step.result = from.name;
            hd_push(ir->arena, &ir->steps, step);
        }
    }
    p = (vm_ir_place){from.name, p.offset + offset};
    if (!p.offset) {
        note_place(ir, from, p);
        return from;
    }
    vm_ir_value sum = two(ir, "add", VM_I64, v, from, vm_ir_constant(VM_I64, (uint64_t)p.offset));
    note_place(ir, sum, p);
    return sum;
}

vm_ir_value vm_ir_operation(vm_ir *ir, const vm_op *op, const vm_ir_value *x) {
    const operation o = operations[op->code];
    bool v = !op->uniform;
    uint8_t t = o.type;
    switch (o.kind) {
    case K_SDIV:
    case K_UDIV:
    case K_SREM:
    case K_UREM: return divide(ir, &o, v, x[0], x[1]);
    case K_SHL:
    case K_LSHR:
    case K_ASHR: {
        vm_ir_value most = vm_ir_constant(t, bits_of_type(t) - 1);
        return two(ir, plain[o.kind], t, v, x[0], two(ir, "and", t, v, x[1], most));
    }
    case K_SELECT: return choose(ir, v, x[0], x[1], x[2]);
    case K_MOVE: return x[0];
    case K_BIT: return emit_cast(ir, "trunc", VM_BIT, v, x[0]);
    case K_SIGN: return two(ir, "sub", t, v, vm_ir_constant(t, 0), x[0]);
    case K_FNEG: return change_sign(ir, t, v, x[0], true);
    case K_FABS: return change_sign(ir, t, v, x[0], false);
    case K_FMULADD: {
        if (t == VM_F16) {
            vm_ir_value product[] = {of_halves(ir, K_FMUL, v, x, 2), x[2]};
            return of_halves(ir, K_FADD, v, product, 2);
        }
        return two(ir, "fadd", t, v, two(ir, "fmul", t, v, x[0], x[1]), x[2]);
    }
    case K_FMIN:
    case K_FMAX:
    case K_FMIN_NAN:
    case K_FMAX_NAN: return extreme(ir, &o, v, x[0], x[1]);
    case K_FLUSH: return flush(ir, t, v, x[0]);
    case K_SATURATE: return saturate(ir, t, v, x[0]);
    case K_TRUNC:
    case K_ZEXT:
    case K_SEXT: return emit_cast(ir, plain[o.kind], t, v, x[0]);
    case K_FCONVERT: return emit_cast(ir, t > o.from ? "fpext" : "fptrunc", t, v, x[0]);
    case K_SITOFP:
    case K_UITOFP:
        if (t == VM_F16)
            return emit_cast(ir, "fptrunc", t, v, emit_cast(ir, plain[o.kind], VM_F32, v, x[0]));
        return emit_cast(ir, plain[o.kind], t, v, x[0]);
    case K_FPTOSI:
    case K_FPTOUI: return to_integer(ir, &o, v, x[0]);
    case K_ADDRESS: return address(ir, op, v, x[0], x[1]);
    default: break;
    }
    if (o.kind >= K_EQ && o.kind <= K_UNO)
        return two(ir, plain[o.kind], VM_BIT, v, x[0], x[1]);
    if (t == VM_F16)
        return of_halves(ir, (kind)o.kind, v, x, o.kind <= K_FDIV ? 2 : 1);
    if (t > VM_I64)
        return of_floats(ir, (kind)o.kind, t, v, x);
    return two(ir, plain[o.kind], t, v, x[0], x[1]);
}
