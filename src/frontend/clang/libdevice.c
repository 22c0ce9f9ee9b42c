/*
 * CUDA's mathematics: calls of libdevice, __nv_sinf and its like, become the
 * built-in functions of OpenCL C where there is one that means the same, plain
 * instructions where those will do, and calls by a name of their own else
 * (docs/kir.md). A name ends in f when it is the float's: __nv_sinf is "sin".
 */
#include "frontend/clang/internal.h"

/* Lowers a call; `detail` is that of its row. */
typedef kir_value lower_fn(front_lowering *l, const front_call *call, const char *detail);

typedef struct function {
    const char *name; /* without __nv_ */
    lower_fn *lower;
    const char *detail;
} function;

static const function *find(const function *table, size_t count, const char *name) {
    for (size_t i = 0; i < count; i++)
        if (!strcmp(table[i].name, name))
            return &table[i];
    return NULL;
}

static kir_value number(front_lowering *l, kir_type type, int64_t value) {
    return front_const_int(&l->out, type, value);
}

static kir_value real(front_lowering *l, kir_type type, double value) {
    uint64_t bits = 0;
    float single = (float)value;
    memcpy(&bits, type.bits == 32 ? (const void *)&single : (const void *)&value, type.bits / 8u);
    return front_leaf(&l->out, KIR_CONST, type, &bits, 0);
}

/* ---- built-in functions ------------------------------------------------ */

/* The result has the operand's width in OpenCL, 32 bits in CUDA. */
static kir_value counted(front_lowering *l, const front_call *call, const char *name) {
    kir_type type = front_type_of_value(&l->out, call->args[0]);
    kir_value count = front_emit_call(&l->out, name, type, 1, call->args);
    return type.bits == call->type.bits ? count
                                        : front_emit1(&l->out, KIR_TRUNC, call->type, count);
}

/* Rounds, then converts: lrint, llround. */
static kir_value rounded(front_lowering *l, const front_call *call, const char *name) {
    kir_type type = front_type_of_value(&l->out, call->args[0]);
    return front_emit1(&l->out, KIR_FPTOSI, call->type,
                       front_emit_call(&l->out, name, type, 1, call->args));
}

/* frexp, modf, remquo */
static kir_value through_pointer(front_lowering *l, const front_call *call, const char *name) {
    return front_emit_written(l, call, name,
                              !strcmp(name, "modf") ? call->type : front_int_type(32, 1));
}

/* ---- plain instructions -------------------------------------------------- */

static kir_value as_bits(front_lowering *l, const front_call *call, const char *detail) {
    (void)detail;
    return front_emit1(&l->out, KIR_BITCAST, call->type, call->args[0]);
}

/* `detail` names the comparison. */
static kir_value extreme(front_lowering *l, const front_call *call, const char *detail) {
    uint32_t pred = 0;
    while (strcmp(kir_pred_names[pred], detail) != 0)
        pred++;
    return front_emit_either(&l->out, (kir_pred)pred, call->args[0], call->args[1]);
}

static kir_value absolute(front_lowering *l, const front_call *call, const char *detail) {
    (void)detail;
    kir_value negative =
        front_emit2(&l->out, KIR_SUB, call->type, number(l, call->type, 0), call->args[0]);
    return front_emit_either(&l->out, KIR_P_SGT, call->args[0], negative);
}

/* The place of the lowest bit from 1 on, or 0. */
static kir_value first_bit(front_lowering *l, const front_call *call, const char *detail) {
    (void)detail;
    kir_value zeros = counted(l, call, "ctz");
    kir_value place = front_emit2(&l->out, KIR_ADD, call->type, zeros, number(l, call->type, 1));
    kir_value x = call->args[0], none = number(l, front_type_of_value(&l->out, x), 0);
    return front_emit_select(&l->out, front_emit_compare(&l->out, KIR_P_EQ, x, none),
                             number(l, call->type, 0), place);
}

/* The low 24 bits of both, with their sign or without. */
static kir_value product24(front_lowering *l, const front_call *call, const char *detail) {
    kir_value args[2], eight = number(l, call->type, 8);
    for (uint32_t i = 0; i < 2; i++) {
        args[i] = front_emit2(&l->out, KIR_SHL, call->type, call->args[i], eight);
        args[i] =
            front_emit2(&l->out, *detail == 'u' ? KIR_LSHR : KIR_ASHR, call->type, args[i], eight);
    }
    return front_emit2(&l->out, KIR_MUL, call->type, args[0], args[1]);
}

/* |a - b| + c */
static kir_value difference_sum(front_lowering *l, const front_call *call, const char *name) {
    kir_value difference = front_emit_call(&l->out, name, call->type, 2, call->args);
    return front_emit2(&l->out, KIR_ADD, call->type, difference, call->args[2]);
}

/* In 0 .. 1; not a number becomes 0. */
static kir_value saturated(front_lowering *l, const front_call *call, const char *detail) {
    (void)detail;
    kir_value low[] = {call->args[0], real(l, call->type, 0)};
    kir_value high[] = {front_emit_call(&l->out, "fmax", call->type, 2, low),
                        real(l, call->type, 1)};
    return front_emit_call(&l->out, "fmin", call->type, 2, high);
}

static kir_value half_of_double(front_lowering *l, const front_call *call, const char *detail) {
    kir_type wide = front_int_type(64, 1);
    kir_value bits = front_emit1(&l->out, KIR_BITCAST, wide, call->args[0]);
    if (*detail == 'h')
        bits = front_emit2(&l->out, KIR_LSHR, wide, bits, number(l, wide, 32));
    return front_emit1(&l->out, KIR_TRUNC, call->type, bits);
}

static kir_value double_of_halves(front_lowering *l, const front_call *call, const char *detail) {
    (void)detail;
    kir_type wide = front_int_type(64, 1);
    kir_value high = front_emit1(&l->out, KIR_ZEXT, wide, call->args[0]);
    kir_value low = front_emit1(&l->out, KIR_ZEXT, wide, call->args[1]);
    high = front_emit2(&l->out, KIR_SHL, wide, high, number(l, wide, 32));
    return front_emit1(&l->out, KIR_BITCAST, call->type,
                       front_emit2(&l->out, KIR_OR, wide, high, low));
}

static kir_value half_to_float(front_lowering *l, const front_call *call, const char *detail) {
    (void)detail;
    kir_value half =
        front_emit1(&l->out, KIR_BITCAST, (kir_type){KIR_FLOAT, 16, 1, 0}, call->args[0]);
    return front_emit1(&l->out, KIR_FPEXT, call->type, half);
}

static kir_value float_to_half(front_lowering *l, const front_call *call, const char *detail) {
    (void)detail;
    kir_type half = {KIR_FLOAT, 16, 1, 0};
    kir_value value = front_emit1(&l->out, KIR_FPTRUNC, half, call->args[0]);
    return front_emit1(&l->out, KIR_BITCAST, call->type, value);
}

/* ---- functions with a direction of rounding -------------------------------- */

/* To nearest: plain instructions, of which nobody fuses two. */
static kir_value to_nearest(front_lowering *l, const front_call *call, const char *name) {
    static const struct {
        const char *name;
        kir_op op;
    } ops[] = {{"add", KIR_FADD}, {"sub", KIR_FSUB}, {"mul", KIR_FMUL}, {"div", KIR_FDIV}};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        if (!strcmp(ops[i].name, name))
            return front_emit2(&l->out, ops[i].op, call->type, call->args[0], call->args[1]);
    return front_same(l, call, name);
}

/* fadd_rz, dsqrt_rn, fmaf_ieee_ru, frcp_rd: the operation without its type and direction. */
static bool lower_rounding(front_lowering *l, const front_call *call, const char *name,
                           kir_value *result) {
    static const char *const operations[] = {"add", "sub", "mul", "div", "rcp", "sqrt", "rsqrt"};
    const char *mode = strrchr(name, '_');
    if (!mode || mode[1] != 'r' || strlen(mode) != 3 || !strchr("nzud", mode[2]))
        return false;
    const char *operation = hd_strndup(l->arena, name, (size_t)(mode - name));
    bool fused = !strncmp(operation, "fma", 3);
    size_t i = 0, count = sizeof operations / sizeof *operations;
    while (i < count && strcmp(operation + 1, operations[i]))
        i++;
    if (!fused && (i == count || (*operation != 'f' && *operation != 'd')))
        return false;
    operation = fused ? "fma" : operations[i];
    front_call inverse = *call;
    kir_value args[] = {real(l, call->type, 1), call->args[0]};
    if (!strcmp(operation, "rcp")) { /* 1 / x */
        operation = "div";
        inverse.args = args;
        inverse.arg_count = 2;
    }
    *result = mode[2] == 'n'
                  ? to_nearest(l, &inverse, operation)
                  : front_same(l, &inverse, hd_format(l->arena, "%s%s", operation, mode));
    return true;
}

/* ---- conversions: float2int_rz, ull2double_rn -------------------------------- */

typedef struct converted {
    const char *name, *opencl;
    bool is_float, is_unsigned;
} converted;

static const converted types[] = {
    {"float", "float", true, false}, {"double", "double", true, false},
    {"int", "int", false, false},    {"uint", "uint", false, true},
    {"ll", "long", false, false},    {"ull", "ulong", false, true},
};

static const converted *converted_type(const char *text, size_t length) {
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strlen(types[i].name) == length && !strncmp(types[i].name, text, length))
            return &types[i];
    return NULL;
}

/* Conversions to integers clamp, as OpenCL's with _sat do; to nearest, from double to float
 * and from integers are plain. */
static kir_value convert(front_lowering *l, const front_call *call, const converted *from,
                         const converted *to, char mode) {
    const char *direction = mode == 'n' ? "rte" : mode == 'z' ? "rtz" : mode == 'u' ? "rtp" : "rtn";
    if (!to->is_float)
        return front_same(l, call, hd_format(l->arena, "convert_%s_sat_%s", to->opencl, direction));
    if (mode != 'n')
        return front_same(l, call,
                          hd_format(l->arena, "%sconvert_%s_%s", from->is_unsigned ? "u_" : "",
                                    to->opencl, direction));
    kir_op op = from->is_float ? KIR_FPTRUNC : from->is_unsigned ? KIR_UITOFP : KIR_SITOFP;
    return front_emit1(&l->out, op, call->type, call->args[0]);
}

static bool lower_conversion(front_lowering *l, const front_call *call, const char *name,
                             kir_value *result) {
    const char *two = strchr(name, '2'), *mode = strrchr(name, '_');
    if (!two || !mode || mode < two || mode[1] != 'r' || !mode[2])
        return false;
    const converted *from = converted_type(name, (size_t)(two - name));
    const converted *to = converted_type(two + 1, (size_t)(mode - two) - 1);
    if (!from || !to)
        return false;
    *result = convert(l, call, from, to, mode[2]);
    return true;
}

/* ---- tables -------------------------------------------------------------------- */

/* Functions of float and double, without the final f of the former: those that have the same name
 * in OpenCL C or in kir, */
static const char same_functions[] =
    "acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh cospi "
    "cyl_bessel_i0 cyl_bessel_i1 erf erfc erfcinv erfcx erfinv exp exp10 exp2 expm1 fabs "
    "fdim floor fma fmax fmin fmod hypot ilogb j0 j1 jn ldexp lgamma log log10 log1p log2 "
    "logb nextafter norm3d norm4d normcdf normcdfinv pow rcbrt remainder rhypot rint "
    "rnorm3d rnorm4d round rsqrt sin sinh sinpi sqrt tan tanh tgamma trunc y0 y1 yn";

/* and others. */
static const function real_functions[] = {
    {"frexp", through_pointer, "frexp"},   {"llrint", rounded, "rint"},
    {"llround", rounded, "round"},         {"lrint", rounded, "rint"},
    {"lround", rounded, "round"},          {"modf", through_pointer, "modf"},
    {"nearbyint", front_same, "rint"},     {"powi", front_same, "pown"},
    {"remquo", through_pointer, "remquo"}, {"scalbn", front_same, "ldexp"},
};

/* Functions with one name each. */
static const function other_functions[] = {
    {"abs", absolute, ""},
    {"brev", front_same, "bit_reverse"},
    {"brevll", front_same, "bit_reverse"},
    {"byte_perm", front_same, "byte_perm"},
    {"clz", counted, "clz"},
    {"clzll", counted, "clz"},
    {"double2hiint", half_of_double, "high"},
    {"double2loint", half_of_double, "low"},
    {"double_as_longlong", as_bits, ""},
    {"fast_cosf", front_same, "native_cos"},
    {"fast_exp10f", front_same, "native_exp10"},
    {"fast_expf", front_same, "native_exp"},
    {"fast_fdividef", front_same, "native_divide"},
    {"fast_log10f", front_same, "native_log10"},
    {"fast_log2f", front_same, "native_log2"},
    {"fast_logf", front_same, "native_log"},
    {"fast_powf", front_same, "native_powr"},
    {"fast_sinf", front_same, "native_sin"},
    {"fast_tanf", front_same, "native_tan"},
    {"fast_tanhf", front_same, "tanh"},
    {"ffs", first_bit, ""},
    {"ffsll", first_bit, ""},
    {"finitef", front_same, "isfinite"},
    {"float2half_rn", float_to_half, ""},
    {"float_as_int", as_bits, ""},
    {"float_as_uint", as_bits, ""},
    {"hadd", front_same, "hadd"},
    {"half2float", half_to_float, ""},
    {"hiloint2double", double_of_halves, ""},
    {"int_as_float", as_bits, ""},
    {"isfinited", front_same, "isfinite"},
    {"isinfd", front_same, "isinf"},
    {"isinff", front_same, "isinf"},
    {"isnand", front_same, "isnan"},
    {"isnanf", front_same, "isnan"},
    {"llabs", absolute, ""},
    {"llmax", extreme, "sgt"},
    {"llmin", extreme, "slt"},
    {"longlong_as_double", as_bits, ""},
    {"max", extreme, "sgt"},
    {"min", extreme, "slt"},
    {"mul24", product24, "signed"},
    {"mul64hi", front_same, "mul_hi"},
    {"mulhi", front_same, "mul_hi"},
    {"popc", counted, "popcount"},
    {"popcll", counted, "popcount"},
    {"rhadd", front_same, "rhadd"},
    {"sad", difference_sum, "abs_diff"},
    {"saturatef", saturated, ""},
    {"signbitd", front_same, "signbit"},
    {"signbitf", front_same, "signbit"},
    {"uhadd", front_same, "u_hadd"},
    {"uint_as_float", as_bits, ""},
    {"ullmax", extreme, "ugt"},
    {"ullmin", extreme, "ult"},
    {"umax", extreme, "ugt"},
    {"umin", extreme, "ult"},
    {"umul24", product24, "unsigned"},
    {"umul64hi", front_same, "u_mul_hi"},
    {"umulhi", front_same, "u_mul_hi"},
    {"urhadd", front_same, "u_rhadd"},
    {"usad", difference_sum, "u_abs_diff"},
};
#define FIND(table, name) find(table, sizeof table / sizeof *table, name)

/* One of float or double, by its name without a final f. */
static bool lower_real(front_lowering *l, const front_call *call, const char *name,
                       kir_value *result) {
    const function *found = FIND(real_functions, name);
    bool is_same = hd_has_word(same_functions, name);
    if (found)
        *result = found->lower(l, call, found->detail);
    else if (is_same)
        *result = front_same(l, call, name);
    return found || is_same;
}

bool front_lower_libdevice(front_lowering *l, const front_call *call, kir_value *result) {
    static const char prefix[] = "__nv_";
    if (strncmp(call->name, prefix, strlen(prefix)))
        return false;
    const char *name = call->name + strlen(prefix);
    size_t length = strlen(name);
    const function *found = FIND(other_functions, name);
    if (found)
        *result = found->lower(l, call, found->detail);
    return found || lower_real(l, call, name, result) ||
           (length > 1 && name[length - 1] == 'f' &&
            lower_real(l, call, hd_strndup(l->arena, name, length - 1), result)) ||
           lower_conversion(l, call, name, result) || lower_rounding(l, call, name, result);
}
