/*
 * CUDA's mathematics: calls of libdevice, __nv_sinf and its like, become the
 * built-in functions of OpenCL C where there is one that means the same, plain
 * instructions where those will do, and calls by a name of their own else
 * (docs/kir.md). A name ends in f when it is the float's: __nv_sinf is "sin".
 */
#include "frontend/clang/internal.h"

/* ---- functions with a direction of rounding -------------------------------- */

/* fadd_rz, dsqrt_rn, fmaf_ieee_ru, frcp_rd: the operation without its type and direction. To nearest
 * they are plain instructions, of which nobody fuses two. */
static bool lower_rounding(front_lowering *l, front_call *call, const char *name) {
    static const struct {
        const char *name, *nearest, *call, *args;
    } operations[] = {
        {"add", "fadd(a, b)", "add", "(a, b)"}, {"sub", "fsub(a, b)", "sub", "(a, b)"},
        {"mul", "fmul(a, b)", "mul", "(a, b)"}, {"div", "fdiv(a, b)", "div", "(a, b)"},
        {"rcp", "fdiv(1, a)", "div", "(1, a)"}, {"sqrt", "sqrt(a)", "sqrt", "(a)"},
        {"rsqrt", "rsqrt(a)", "rsqrt", "(a)"},  {"fma", "fma(a, b, c)", "fma", "(a, b, c)"}};
    const char *mode = strrchr(name, '_');
    if (!mode || mode[1] != 'r' || strlen(mode) != 3 || !strchr("nzud", mode[2]))
        return false;
    const char *operation = hd_strndup(l->arena, name, (size_t)(mode - name));
    bool fused = !strncmp(operation, "fma", 3);
    if (!fused && *operation != 'f' && *operation != 'd')
        return false;
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        if (!strcmp(fused ? "fma" : operation + 1, operations[i].name)) {
            const char *recipe = mode[2] == 'n' ? operations[i].nearest
                                                : hd_format(l->arena, "%s%s%s", operations[i].call,
                                                            mode, operations[i].args);
            call->result = front_cook(l, call, recipe);
            return true;
        }
    return false;
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

static bool lower_conversion(front_lowering *l, front_call *call, const char *name) {
    const char *two = strchr(name, '2'), *mode = strrchr(name, '_');
    if (!two || !mode || mode < two || mode[1] != 'r' || !mode[2])
        return false;
    const converted *from = converted_type(name, (size_t)(two - name));
    const converted *to = converted_type(two + 1, (size_t)(mode - two) - 1);
    if (!from || !to)
        return false;
    call->result = convert(l, call, from, to, mode[2]);
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
static const front_named_recipe real_functions[] = {
    {"llrint", "fptosi:result(rint(a))"},
    {"llround", "fptosi:result(round(a))"},
    {"lrint", "fptosi:result(rint(a))"},
    {"lround", "fptosi:result(round(a))"},
    {"nearbyint", "rint(a)"},
    {"powi", "pown(a, b)"},
    {"scalbn", "ldexp(a, b)"},
};

/* Functions with one name each. */
#define SIGNED24(x) "ashr(shl(" x ", 8), 8)"
#define UNSIGNED24(x) "lshr(shl(" x ", 8), 8)"
#define FIRST_BIT "select(eq(a, 0), 0:result, add(trunc:result(ctz(a)), 1))"
static const front_named_recipe other_functions[] = {
    {"abs", "smax(a, sub(0, a))"},
    {"brev", "bit_reverse(a)"},
    {"brevll", "bit_reverse(a)"},
    {"byte_perm", "byte_perm(a, b, c)"},
    {"clz", "trunc:result(clz(a))"},
    {"clzll", "trunc:result(clz(a))"},
    {"double2hiint", "trunc:result(lshr(bits:i64(a), 32))"},
    {"double2loint", "trunc:result(bits:i64(a))"},
    {"double_as_longlong", "bits:result(a)"},
    {"fast_cosf", "native_cos(a)"},
    {"fast_exp10f", "native_exp10(a)"},
    {"fast_expf", "native_exp(a)"},
    {"fast_fdividef", FRONT_FAST_DIVIDE("native_divide")},
    {"fast_log10f", "native_log10(a)"},
    {"fast_log2f", "native_log2(a)"},
    {"fast_logf", "native_log(a)"},
    {"fast_powf", "native_powr(a, b)"},
    {"fast_sinf", "native_sin(a)"},
    {"fast_tanf", "native_tan(a)"},
    {"fast_tanhf", "tanh(a)"},
    {"ffs", FIRST_BIT},
    {"ffsll", FIRST_BIT},
    {"finitef", "isfinite:result(a)"},
    {"float2half_rn", "bits:result(fptrunc:f16(a))"},
    {"float_as_int", "bits:result(a)"},
    {"float_as_uint", "bits:result(a)"},
    {"hadd", "hadd(a, b)"},
    {"half2float", "fpext:result(bits:f16(a))"},
    {"hiloint2double", "bits:result(or(shl(zext:i64(a), 32), zext:i64(b)))"},
    {"int_as_float", "bits:result(a)"},
    {"isfinited", "isfinite:result(a)"},
    {"isinfd", "isinf:result(a)"},
    {"isinff", "isinf:result(a)"},
    {"isnand", "isnan:result(a)"},
    {"isnanf", "isnan:result(a)"},
    {"llabs", "smax(a, sub(0, a))"},
    {"llmax", "smax(a, b)"},
    {"llmin", "smin(a, b)"},
    {"longlong_as_double", "bits:result(a)"},
    {"max", "smax(a, b)"},
    {"min", "smin(a, b)"},
    {"mul24", "mul(" SIGNED24("a") ", " SIGNED24("b") ")"},
    {"mul64hi", "mul_hi(a, b)"},
    {"mulhi", "mul_hi(a, b)"},
    {"popc", "trunc:result(popcount(a))"},
    {"popcll", "trunc:result(popcount(a))"},
    {"rhadd", "rhadd(a, b)"},
    {"sad", "add(abs_diff(a, b), c)"},
    {"saturatef", "fmin(fmax(a, 0), 1)"}, /* not a number becomes 0 */
    {"signbitd", "signbit:result(a)"},
    {"signbitf", "signbit:result(a)"},
    {"uhadd", "u_hadd(a, b)"},
    {"uint_as_float", "bits:result(a)"},
    {"ullmax", "umax(a, b)"},
    {"ullmin", "umin(a, b)"},
    {"umax", "umax(a, b)"},
    {"umin", "umin(a, b)"},
    {"umul24", "mul(" UNSIGNED24("a") ", " UNSIGNED24("b") ")"},
    {"umul64hi", "u_mul_hi(a, b)"},
    {"umulhi", "u_mul_hi(a, b)"},
    {"urhadd", "u_rhadd(a, b)"},
    {"usad", "add(u_abs_diff(a, b), c)"},
};

/* One of float or double, by its name without a final f. */
static bool lower_real(front_lowering *l, front_call *call, const char *name) {
    const char *recipe = FRONT_FIND(real_functions, name);
    if (recipe)
        call->result = front_cook(l, call, recipe);
    else if (hd_has_word("frexp modf remquo", name))
        call->result =
            front_emit_written(l, call, name, *name == 'm' ? call->type : front_int_type(32, 1));
    else if (hd_has_word(same_functions, name))
        call->result = front_same(l, call, name);
    else
        return false;
    return true;
}

bool front_lower_libdevice(front_lowering *l, front_call *call) {
    static const char prefix[] = "__nv_";
    if (!starts_with(call->name, prefix))
        return false;
    const char *name = call->name + strlen(prefix), *recipe = FRONT_FIND(other_functions, name);
    size_t length = strlen(name);
    if (recipe)
        call->result = front_cook(l, call, recipe);
    return recipe || lower_real(l, call, name) ||
           (length > 1 && name[length - 1] == 'f' &&
            lower_real(l, call, hd_strndup(l->arena, name, length - 1))) ||
           lower_conversion(l, call, name) || lower_rounding(l, call, name);
}
