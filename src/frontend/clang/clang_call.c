/*
 * Calls. What is still called after inlining has no body: an intrinsic of LLVM
 * (llvm.memcpy) or a built-in function of OpenCL C, whose name is mangled by
 * the rules of the Itanium C++ ABI: _Z10atomic_addPU3AS1Vii is atomic_add of a
 * pointer to volatile int in space 1, and an int. Only the name and the first
 * type are of interest here. Those of CUDA C have plain names: intrinsics for
 * NVPTX (nvptx.c), libdevice (../libdevice.c), and a few functions of CUDA's run time.
 */
#include <ctype.h>
#include <stdlib.h>

#include "frontend/clang/internal.h"

char front_first_type_code(const char *types) {
    for (;;) {
        if (*types == 'P' || *types == 'K' || *types == 'V' || *types == 'r') {
            types++;
        } else if (*types == 'U') {
            char *end;
            unsigned long length = strtoul(types + 1, &end, 10);
            if (strlen(end) < length)
                return '\0';
            types = end + length;
        } else if (types[0] == 'D' && types[1] == 'v') {
            types = strchr(types, '_');
            if (!types)
                return '\0';
            types++;
        } else if (types[0] == 'D' && types[1] == 'h') {
            return 'H';
        } else {
            return *types;
        }
    }
}

/* Splits a mangled name; false for a plain one. */
static bool demangle(front_lowering *l, const char *mangled, const char **name,
                     const char **types) {
    if (strncmp(mangled, "_Z", 2) || !isdigit((unsigned char)mangled[2]))
        return false;
    char *start;
    unsigned long length = strtoul(mangled + 2, &start, 10);
    if (strlen(start) < length)
        return false;
    *name = hd_strndup(l->arena, start, length);
    *types = start + length;
    return true;
}

kir_value front_same(front_lowering *l, const front_call *call, const char *name) {
    return front_emit_call(&l->out, name, call->type, call->arg_count, call->args);
}

/* ---- intrinsics of LLVM ---------------------------------------------- */

/* Facts for an optimiser, which no longer matter. */
static bool says_nothing(const char *name) {
    static const char *const names[] = {"lifetime.", "dbg.",
                                        "assume",    "invariant.",
                                        "donothing", "experimental.noalias.scope.decl"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (starts_with(name, names[i]))
            return true;
    return false;
}

/* Intrinsics that are functions of OpenCL C, or arithmetic of kir; NULL: it is none of them. */
static const char *recipe_of_intrinsic(front_lowering *l, const char *intrinsic) {
    static const front_named_recipe recipes[] = {
        {"nearbyint.", "rint(a)"},
        {"roundeven.", "rint(a)"},
        {"minnum.", "fmin(a, b)"},
        {"maxnum.", "fmax(a, b)"},
        {"ctpop.", "popcount(a)"},
        {"bitreverse.", "bit_reverse(a)"},
        {"powi.", "pown(a, b)"},
        {"smin.", "smin(a, b)"},
        {"smax.", "smax(a, b)"},
        {"umin.", "umin(a, b)"},
        {"umax.", "umax(a, b)"},
        {"ctlz.", "clz(a)"},
        {"cttz.", "ctz(a)"},
        {"expect.", "a"},
        {"fmuladd.", "fmuladd(a, b, c)"},
        {"abs.", "smax(a, sub(0, a))"},
        {"uadd.sat.", "s = add(a, b); select(ult(s, a), -1, s)"},
        {"usub.sat.", "select(ult(a, b), 0, sub(a, b))"},
        {"sadd.sat.", "add_sat(a, b)"},
        {"ssub.sat.", "sub_sat(a, b)"},
        {"ucmp.", "sub(zext:result(ugt(a, b)), zext:result(ult(a, b)))"},
        {"scmp.", "sub(zext:result(sgt(a, b)), zext:result(slt(a, b)))"}};
    static const char same[] =
        "fabs sqrt sin cos tan exp exp2 exp10 log log2 log10 floor ceil trunc "
        "rint round",
                      same_of_two[] = "pow copysign ldexp";
    const char *name = hd_strndup(l->arena, intrinsic, strcspn(intrinsic, "."));
    if (hd_has_word(same, name))
        return hd_format(l->arena, "%s(a)", name);
    if (hd_has_word(same_of_two, name))
        return hd_format(l->arena, "%s(a, b)", name);
    return !strcmp(name, "fma")    ? "fma(a, b, c)"
           : !strcmp(name, "trap") ? "trap:void()"
                                   : FRONT_FIND(recipes, intrinsic);
}

kir_value front_cook(front_lowering *l, const front_call *call, const char *recipe) {
    kir_value letters[26] = {0};
    for (uint32_t i = 0; i < call->arg_count && i < 8; i++)
        letters[i] = call->args[i];
    kir_value value = front_recipe(&l->out, recipe, letters, true, call->type);
    return front_type_of_value(&l->out, value).kind == KIR_VOID ? KIR_NONE : value;
}

/* A copy of less than the struct at an address is one of members. */
static void name_copied_member(front_lowering *l, const front_call *call, unsigned operand) {
    LLVMValueRef pointer = LLVMGetOperand(call->inst, operand);
    const kir_inst *bytes = &l->out.insts.data[call->args[2]];
    if (bytes->op == KIR_CONST && bytes->imm[0] < front_pointee_bytes(l, pointer))
        call->args[operand] = front_member_address(l, pointer);
}

static void lower_copy(front_lowering *l, const front_call *call, kir_op op) {
    name_copied_member(l, call, 0);
    if (op == KIR_COPY)
        name_copied_member(l, call, 1);
    kir_value value = front_emit(&l->out, op, (kir_type){0}, 3, call->args);
    int64_t is_volatile = 0;
    const kir_inst *flag = &l->out.insts.data[call->args[3]];
    if (flag->op == KIR_CONST)
        is_volatile = (int64_t)flag->imm[0];
    l->out.insts.data[value].is_volatile = is_volatile != 0;
}

/* Whether a float is of one of some classes: of its bits without the sign, which are ordered as
 * the classes are. */
static kir_value class_test(front_lowering *l, const front_call *call) {
    enum { SIGNALLING = 1, QUIET = 2 };
    kir_type real = front_type_of_value(&l->out, call->args[0]);
    kir_type type = front_int_type(real.bits, real.lanes), bit = {KIR_INT, 1, real.lanes, 0};
    uint32_t mantissa = real.bits == 16 ? 10 : real.bits == 32 ? 23 : 52;
    uint64_t wanted = l->out.insts.data[call->args[1]].imm[0];
    int64_t sign = (int64_t)((uint64_t)1 << (real.bits - 1)), normal = (int64_t)1 << mantissa;
    int64_t infinity = (int64_t)((((uint64_t)1 << (real.bits - 1 - mantissa)) - 1) << mantissa);
    /* s: the size, n: whether it is negative, r: whether it is of a class so far */
    kir_value letters[26] = {front_emit1(&l->out, KIR_BITCAST, type, call->args[0])};
    letters['b' - 'a'] = front_const_int(&l->out, type, sign - 1);
    front_recipe(&l->out, "s = and(a, b); n = slt(a, 0); s", letters, true, bit);
    kir_value no = front_const_int(&l->out, bit, 0), yes = front_const_int(&l->out, bit, 1);
    letters['r' - 'a'] = no;
    /* The least numbers of zeros, subnormal and normal numbers, infinities, and NaN of both kinds;
     * and the classes' bits for the negative and the positive ones. */
    const struct {
        int64_t first, end;
        uint32_t negative, positive;
    } classes[] = {{0, 1, 0x20, 0x40},
                   {1, normal, 0x10, 0x80},
                   {normal, infinity, 0x8, 0x100},
                   {infinity, infinity + 1, 0x4, 0x200},
                   {infinity + 1, infinity + normal / 2, SIGNALLING, SIGNALLING},
                   {infinity + normal / 2, 0, QUIET, QUIET}};
    for (size_t c = 0; c < sizeof classes / sizeof *classes; c++) {
        if (!(wanted & (classes[c].negative | classes[c].positive)))
            continue;
        letters['f' - 'a'] = front_const_int(&l->out, type, classes[c].first);
        letters['e' - 'a'] = front_const_int(&l->out, type, classes[c].end);
        letters['x' - 'a'] = wanted & classes[c].negative ? yes : no;
        letters['y' - 'a'] = wanted & classes[c].positive ? yes : no;
        front_recipe(&l->out,
                     classes[c].end
                         ? "h = and(uge(s, f), ult(s, e)); r = or(r, and(h, select(n, x, y))); r"
                         : "h = uge(s, f); r = or(r, and(h, select(n, x, y))); r",
                     letters, true, bit);
    }
    return letters['r' - 'a'];
}

/* Two numbers as one of twice the bits, shifted by c, of which one half is kept: rotations, too. And the
 * bytes of a number in the other order. NULL: it is neither. */
static const char *recipe_of_bits(front_lowering *l, const front_call *call, const char *name) {
    static const uint64_t bytes = 0xffffffffffffffff;
    const bool is_left = starts_with(name, "fshl.");
    hd_str swap = {.arena = l->arena};
    if (!is_left && !starts_with(name, "fshr.") && !starts_with(name, "bswap."))
        return NULL;
    const uint32_t bits = front_type_of_value(&l->out, call->args[0]).bits;
    if (!starts_with(name, "bswap."))
        return hd_format(l->arena,
                         is_left ? "s = and(c, %u); or(shl(a, s), lshr(lshr(b, 1), xor(s, %u)))"
                                 : "s = and(c, %u); or(lshr(b, s), shl(shl(a, 1), xor(s, %u)))",
                         bits - 1, bits - 1);
    for (uint32_t half = 8; half < bits;
         half *= 2) { /* of each pair of parts, which change places */
        const uint64_t low = bytes >> (64 - half);
        uint64_t mask = 0;
        for (uint32_t at = 0; at < bits; at += 2 * half)
            mask |= low << at;
        hd_str_printf(&swap, "a = or(shl(and(a, 0x%llx), %u), and(lshr(a, %u), 0x%llx)); ",
                      (unsigned long long)mask, half, half, (unsigned long long)mask);
    }
    hd_str_add(&swap, "a");
    return hd_str_text(&swap);
}

/* A sum or a difference, and whether it does not fit; false: it is another one. */
static bool lower_overflow(front_lowering *l, front_call *call, const char *name) {
    static const struct {
        const char *name, *value, *overflow;
    } all[] = {
        {"uadd.with.overflow.", "add(a, b)", "ult(add(a, b), a)"},
        {"usub.with.overflow.", "sub(a, b)", "ult(a, b)"},
        {"sadd.with.overflow.", "add(a, b)", "s = add(a, b); slt(and(xor(s, a), xor(s, b)), 0)"},
        {"ssub.with.overflow.", "sub(a, b)", "s = sub(a, b); slt(and(xor(a, b), xor(a, s)), 0)"},
        /* the product has bits beyond */
        {"umul.with.overflow.", "mul(a, b)", "ne(u_mul_hi(a, b), 0)"}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (!starts_with(name, all[i].name))
            continue;
        const kir_value results[] = {front_cook(l, call, all[i].value),
                                     front_cook(l, call, all[i].overflow)};
        front_set_results(l, call->inst, 2, results);
        return true;
    }
    return false;
}

static void lower_intrinsic(front_lowering *l, front_call *call) {
    const char *name = call->name + strlen("llvm."), *recipe = recipe_of_intrinsic(l, name);
    recipe = recipe ? recipe : recipe_of_bits(l, call, name);
    if (starts_with(name, "memcpy.") || starts_with(name, "memmove.")) {
        lower_copy(l, call, KIR_COPY);
    } else if (starts_with(name, "memset.")) {
        lower_copy(l, call, KIR_FILL);
    } else if (starts_with(name, "nvvm.")) {
        front_lower_nvvm(l, call, name + strlen("nvvm."));
    } else if (lower_overflow(l, call, name)) {
        ; /* done */
    } else if (starts_with(name, "is.fpclass.")) {
        call->result = class_test(l, call);
    } else if (recipe) {
        call->result = front_cook(l, call, recipe);
    } else {
        front_cannot(l, "%s is not supported; use a built-in function of %s", call->name,
                     l->front->is_cuda ? "CUDA C" : "OpenCL C");
    }
}

/* ---- calls ----------------------------------------------------------- */

static bool lower_args(front_lowering *l, front_call *call) {
    call->arg_count = LLVMGetNumArgOperands(call->inst);
    call->args = hd_new_array(l->arena, kir_value, call->arg_count);
    for (unsigned i = 0; i < call->arg_count; i++) {
        LLVMValueRef arg = LLVMGetOperand(call->inst, i);
        LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(arg));
        if (kind == LLVMMetadataTypeKind)
            return false;
        call->args[i] = front_value_of(l, arg);
    }
    /* A pair of results is taken apart by whoever lowers the call. */
    if (LLVMGetTypeKind(LLVMTypeOf(call->inst)) != LLVMStructTypeKind)
        call->type = front_lower_type(l, LLVMTypeOf(call->inst));
    return !l->out.status;
}

/* A built-in that touches memory must be one whose accesses are known. */
static bool memory_is_known(front_lowering *l, const front_call *call) {
    if (hd_has_word("printf prefetch async_work_group_copy async_work_group_strided_copy "
                    "wait_group_events",
                    call->name))
        return true;
    for (uint32_t i = 0; i < call->arg_count; i++) {
        kir_type type = front_type_of_value(&l->out, call->args[i]);
        if (type.kind == KIR_PTR && type.space != KIR_PRIVATE)
            return false;
    }
    return true;
}

static void lower_builtin_call(front_lowering *l, front_call *call) {
    if (!front_lower_image(l, call) && !front_lower_atomic_call(l, call) &&
        !front_lower_builtin(l, call) && !front_lower_convert(l, call)) {
        if (!memory_is_known(l, call)) {
            front_cannot(l,
                         "built-in function %s accesses memory in a way that Heddle cannot see; "
                         "load and store the values yourself",
                         call->name);
            return;
        }
        call->result = front_same(l, call, call->name);
    }
}

/* ---- CUDA's run time ------------------------------------------------- */

/* The functions of heddle_functions.h that stand for calls of kir. */
static const char own_prefix[] = "__heddle_";

/* Why a function without a body cannot be called, for those that are known. */
static const char *reason_of_missing(const char *name) {
    static const struct {
        const char *prefix, *reason;
    } reasons[] = {
        {"cudaCG", "grids of several devices are not supported; synchronise one"},
        {"cudaGetParameterBuffer", "a kernel cannot launch kernels; launch them from the job"},
        {"cudaLaunchDevice", "a kernel cannot launch kernels; launch them from the job"},
        {"heddle_unknown_texture",
         "of textures tex1Dfetch, tex1D, tex2D and tex3D are supported, of "
         "one level and layer; read a buffer"},
        {"heddle_surface", "surfaces are not supported; read and write a buffer"},
        {"vprintf", "printf takes its arguments one by one; write them out"},
    };
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (starts_with(name, reasons[i].prefix))
            return reasons[i].reason;
    return NULL;
}

/* It may have a body, but one that does not compile. */
static void refuse_missing(front_lowering *l, const char *symbol) {
    const char *name = front_function_of_symbol(l->arena, symbol);
    for (size_t i = 0; i < l->front->left_out.count; i++) {
        const front_left_out *left = &l->front->left_out.data[i];
        const hd_place *place = &left->message.place;
        if (left->function && !strcmp(left->function, name)) {
            front_cannot(l, "it calls %s, which does not compile: %s:%u: %s", name, place->file,
                         place->line, left->message.text);
            return;
        }
    }
    front_cannot(l, "function %s has no body in this file; define or include it", name);
}

bool front_allocates(const char *function) {
    return !strcmp(function, "malloc") || starts_with(function, "_Znwm") ||
           starts_with(function, "_Znam");
}

static bool frees(const char *function) {
    return !strcmp(function, "free") || starts_with(function, "_ZdlPv") ||
           starts_with(function, "_ZdaPv");
}

/* Memory of the device's heap: malloc, new. */
static kir_value lower_allocation(front_lowering *l, const front_call *call) {
    kir_type wide = front_int_type(64, 1);
    kir_value address = front_emit_call(&l->out, "device_malloc", wide, 1, call->args);
    return front_emit1(&l->out, KIR_INTTOPTR, front_pointer_type(KIR_GLOBAL), address);
}

static void lower_free(front_lowering *l, const front_call *call) {
    kir_value address = front_emit1(&l->out, KIR_PTRTOINT, front_int_type(64, 1), call->args[0]);
    front_emit_call(&l->out, "device_free", (kir_type){0}, 1, &address);
}

static void lower_own(front_lowering *l, front_call *call) {
    call->name += strlen(own_prefix);
    if (!front_lower_sub_group(l, call)) /* of HIP's waves */
        call->result = front_same(l, call, call->name);
}

static bool lower_math(front_lowering *l, front_call *call) {
    front_math math = {call->name, call->arg_count, call->args, call->type, call->result};
    if (!starts_with(call->name, FRONT_LIBDEVICE) || !front_libdevice(&l->out, &math))
        return false;
    call->result = math.result;
    return true;
}

static void lower_cuda_call(front_lowering *l, front_call *call) {
    if (!strcmp(call->name, "printf"))
        call->result = front_same(l, call, "printf");
    else if (front_allocates(call->name))
        call->result = lower_allocation(l, call);
    else if (frees(call->name))
        lower_free(l, call);
    else if (!strcmp(call->name, "__assertfail"))
        front_emit_call(&l->out, "assert_fail", (kir_type){0}, 4,
                        call->args); /* no size of a char */
    else if (front_lower_texture(l, call))
        ;
    else if (starts_with(call->name, own_prefix))
        lower_own(l, call);
    else if (!lower_math(l, call))
        refuse_missing(l, call->name);
}

/* ---- any call ---------------------------------------------------------- */

/* OpenCL's names are taken apart; false for a function that nobody has defined. */
static bool read_name(front_lowering *l, front_call *call, bool intrinsic) {
    bool is_cuda = l->front->is_cuda;
    const char *name, *why = is_cuda ? reason_of_missing(call->name) : NULL;
    if (why) {
        front_cannot(l, "%s", why);
        return false;
    }
    if (is_cuda || intrinsic ||
        hd_has_word("printf __to_global __to_local __to_private", call->name))
        return true;
    if (demangle(l, call->name, &name, &call->types)) {
        call->name = name;
        return true;
    }
    refuse_missing(l, call->name);
    return false;
}

void front_lower_call(front_lowering *l, LLVMValueRef instruction) {
    LLVMValueRef callee = LLVMGetCalledValue(instruction);
    front_call call = {.inst = instruction, .types = "", .result = KIR_NONE};
    bool is_cuda = l->front->is_cuda;
    if (LLVMIsAInlineAsm(callee)) {
        if (is_cuda)
            front_lower_assembly(l, instruction);
        else
            front_cannot(l, "inline assembly is not supported; write it in OpenCL C");
        return;
    }
    if (!LLVMIsAFunction(callee)) {
        front_cannot(l, "%s not supported, and this is a call of one; call a function by its name",
                     is_cuda ? "function pointers and virtual functions are"
                             : "function pointers are");
        return;
    }
    size_t length;
    call.name = LLVMGetValueName2(callee, &length);
    bool intrinsic = starts_with(call.name, "llvm.");
    if ((intrinsic && says_nothing(call.name + strlen("llvm."))) || !read_name(l, &call, intrinsic))
        return;
    if (!lower_args(l, &call)) {
        front_cannot(l, "a call of %s that kir cannot express", call.name);
        return;
    }
    if (intrinsic)
        lower_intrinsic(l, &call);
    else if (is_cuda)
        lower_cuda_call(l, &call);
    else
        lower_builtin_call(l, &call);
    if (call.result != KIR_NONE && !l->out.status)
        front_set_value(l, instruction, call.result);
}
