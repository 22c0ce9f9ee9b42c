/*
 * CUDA's mathematics, in LLVM IR and in PTX that clang has made: calls of libdevice, __nv_sinf and its like, become the
 * built-in functions of OpenCL C where there is one that means the same, plain
 * instructions where those will do, and calls by a name of their own else
 * (docs/kir.md). A name ends in f when it is the float's: __nv_sinf is "sin".
 */
#include "frontend/build.h"

static kir_value cook(front_builder *b, const front_math *call, const char *recipe) {
    kir_value letters[26] = {0};
    for (uint32_t i = 0; i < call->arg_count && i < 8; i++)
        letters[i] = call->args[i];
    return front_recipe(b, recipe, letters, true, call->type);
}

static kir_value same(front_builder *b, const front_math *call, const char *name) {
    return front_emit_call(b, name, call->type, call->arg_count, call->args);
}

/* ---- functions with a direction of rounding -------------------------------- */

/* fadd_rz, dsqrt_rn, fmaf_ieee_ru, frcp_rd: the operation without its type and direction. To nearest
 * they are plain instructions, of which nobody fuses two. */
static bool lower_rounding(front_builder *b, front_math *call, const char *name) {
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
    const char *operation = hd_strndup(b->arena, name, (size_t)(mode - name));
    bool fused = !strncmp(operation, "fma", 3);
    if (!fused && *operation != 'f' && *operation != 'd')
        return false;
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        if (!strcmp(fused ? "fma" : operation + 1, operations[i].name)) {
            const char *recipe = mode[2] == 'n' ? operations[i].nearest
                                                : hd_format(b->arena, "%s%s%s", operations[i].call,
                                                            mode, operations[i].args);
            call->result = cook(b, call, recipe);
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
static kir_value convert(front_builder *b, const front_math *call, const converted *from,
                         const converted *to, char mode) {
    const char *direction = mode == 'n' ? "rte" : mode == 'z' ? "rtz" : mode == 'u' ? "rtp" : "rtn";
    if (!to->is_float)
        return same(b, call, hd_format(b->arena, "convert_%s_sat_%s", to->opencl, direction));
    if (mode != 'n')
        return same(b, call,
                    hd_format(b->arena, "%sconvert_%s_%s", from->is_unsigned ? "u_" : "",
                              to->opencl, direction));
    kir_op op = from->is_float ? KIR_FPTRUNC : from->is_unsigned ? KIR_UITOFP : KIR_SITOFP;
    return front_emit1(b, op, call->type, call->args[0]);
}

static bool lower_conversion(front_builder *b, front_math *call, const char *name) {
    const char *two = strchr(name, '2'), *mode = strrchr(name, '_');
    if (!two || !mode || mode < two || mode[1] != 'r' || !mode[2])
        return false;
    const converted *from = converted_type(name, (size_t)(two - name));
    const converted *to = converted_type(two + 1, (size_t)(mode - two) - 1);
    if (!from || !to)
        return false;
    call->result = convert(b, call, from, to, mode[2]);
    return true;
}

/* ---- two results: sincos(x, &s, &c) ------------------------------------------- */

static bool lower_pair(front_builder *b, const front_math *call, const char *name) {
    static const struct {
        const char *name, *sine, *cosine;
    } pairs[] = {{"sincos", "sin", "cos"},
                 {"sincospi", "sinpi", "cospi"},
                 {"fast_sincos", "native_sin", "native_cos"}};
    const size_t length = strlen(name);
    const bool is_float = length && name[length - 1] == 'f';
    const kir_type type = {KIR_FLOAT, is_float ? 32 : 64, 1, 0};
    name = is_float ? hd_strndup(b->arena, name, length - 1) : name;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        if (strcmp(pairs[i].name, name) != 0)
            continue;
        front_emit_store(b, front_emit_call(b, pairs[i].sine, type, 1, call->args), call->args[1],
                         type.bits / 8);
        front_emit_store(b, front_emit_call(b, pairs[i].cosine, type, 1, call->args), call->args[2],
                         type.bits / 8);
        return true;
    }
    return false;
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
static bool lower_real(front_builder *b, front_math *call, const char *name) {
    const char *recipe = FRONT_FIND(real_functions, name);
    if (recipe)
        call->result = cook(b, call, recipe);
    else if (hd_has_word("frexp modf remquo", name))
        call->result = front_emit_written(b, name, call->type, call->arg_count, call->args,
                                          *name == 'm' ? call->type : front_int_type(32, 1));
    else if (hd_has_word(same_functions, name))
        call->result = same(b, call, name);
    else
        return false;
    return true;
}

bool front_libdevice(front_builder *b, front_math *call) {
    const char *name = call->name + strlen(FRONT_LIBDEVICE),
               *recipe = FRONT_FIND(other_functions, name);
    size_t length = strlen(name);
    if (recipe)
        call->result = cook(b, call, recipe);
    return recipe || lower_real(b, call, name) ||
           (length > 1 && name[length - 1] == 'f' &&
            lower_real(b, call, hd_strndup(b->arena, name, length - 1))) ||
           lower_conversion(b, call, name) || lower_rounding(b, call, name) ||
           lower_pair(b, call, name);
}

/* ---- types ------------------------------------------------------------------------- */

/* Of functions of float and double, r, that are not of one and give the same; i is an int, l has 64 bits, and
 * p is a pointer, v nothing. */
static const struct {
    const char *types, *names;
} real_types[] = {
    {"r:rr", "atan2 copysign fdim fmax fmin fmod hypot nextafter pow remainder rhypot"},
    {"r:rrr", "fma norm3d rnorm3d"},
    {"r:rrrr", "norm4d rnorm4d"},
    {"r:ri", "ldexp powi scalbn"},
    {"r:ir", "jn yn"},
    {"i:r", "ilogb"},
    {"l:r", "lrint llrint lround llround"},
    {"r:rp", "frexp modf"},
    {"r:rrp", "remquo"},
    {"v:rpp", "sincos sincospi fast_sincos"},
};
/* Of functions with one name each; f and d are float and double, h has 16 bits. */
static const struct {
    const char *types, *names;
} other_types[] = {
    {"i:i", "abs brev clz ffs popc"},
    {"l:l", "brevll llabs"},
    {"i:l", "clzll ffsll popcll"},
    {"i:iii", "byte_perm sad usad"},
    {"i:d", "double2hiint double2loint isfinited isinfd isnand signbitd"},
    {"l:d", "double_as_longlong"},
    {"f:f", "fast_cosf fast_exp10f fast_expf fast_log10f fast_log2f fast_logf fast_sinf fast_tanf "
            "fast_tanhf saturatef"},
    {"f:ff", "fast_fdividef fast_powf"},
    {"i:f", "finitef float_as_int float_as_uint isinff isnanf signbitf"},
    {"h:f", "float2half_rn"},
    {"f:h", "half2float"},
    {"d:ii", "hiloint2double"},
    {"f:i", "int_as_float uint_as_float"},
    {"d:l", "longlong_as_double"},
    {"i:ii", "hadd max min mul24 mulhi rhadd uhadd umax umin umul24 umulhi urhadd"},
    {"l:ll", "llmax llmin mul64hi ullmax ullmin umul64hi"},
};

/* "f" for r in what a float's function has. */
static const char *with_real(hd_arena *arena, const char *text, char real) {
    char *made = hd_strdup(arena, text);
    for (char *c = made; *c; c++)
        *c = *c == 'r' ? real : *c;
    return made;
}

static const char *types_of_real(hd_arena *arena, const char *name, char real) {
    for (size_t i = 0; i < sizeof real_types / sizeof *real_types; i++)
        if (hd_has_word(real_types[i].names, name))
            return with_real(arena, real_types[i].types, real);
    return hd_has_word(same_functions, name) || FRONT_FIND(real_functions, name)
               ? with_real(arena, "r:r", real)
               : NULL;
}

static const char *types_of_conversion(hd_arena *arena, const char *name) {
    const char *two = strchr(name, '2'), *mode = strrchr(name, '_');
    if (!two || !mode || mode < two)
        return NULL;
    const converted *from = converted_type(name, (size_t)(two - name));
    const converted *to = converted_type(two + 1, (size_t)(mode - two) - 1);
    if (!from || !to)
        return NULL;
    return hd_format(arena, "%c:%c", to->opencl[0] == 'u' ? to->opencl[1] : to->opencl[0],
                     from->opencl[0] == 'u' ? from->opencl[1] : from->opencl[0]);
}

/* "fadd_rz", "drcp_rn", "fmaf_ieee_ru", "fma_rn" */
static const char *types_of_rounding(hd_arena *arena, const char *name) {
    const char *mode = strrchr(name, '_');
    if (!mode || mode[1] != 'r')
        return NULL;
    bool is_fma = !strncmp(name, "fma", 3);
    char real = is_fma ? (name[3] == 'f' ? 'f' : 'd') : *name;
    bool is_one = strstr(name, "rcp") || strstr(name, "sqrt");
    return with_real(arena, is_fma ? "r:rrr" : is_one ? "r:r" : "r:rr", real);
}

const char *front_libdevice_types(hd_arena *arena, const char *symbol) {
    const char *name = symbol + strlen(FRONT_LIBDEVICE), *found;
    size_t length = strlen(name);
    for (size_t i = 0; i < sizeof other_types / sizeof *other_types; i++)
        if (hd_has_word(other_types[i].names, name))
            return other_types[i].types;
    if ((found = types_of_real(arena, name, 'd')))
        return found;
    if (length > 1 && name[length - 1] == 'f' &&
        (found = types_of_real(arena, hd_strndup(arena, name, length - 1), 'f')))
        return found;
    return (found = types_of_conversion(arena, name)) ? found : types_of_rounding(arena, name);
}
