/*
 * What CUDA C becomes in LLVM IR for NVPTX: special registers, barriers, the
 * functions of a warp, and what has no business here (clocks, textures).
 *
 *     threadIdx.x            llvm.nvvm.read.ptx.sreg.tid.x     query local_id 0
 *     __syncthreads()        llvm.nvvm.barrier0                barrier
 *     __ballot_sync(m, p)    llvm.nvvm.vote.ballot.sync        call warp_ballot
 *     __ldg(p)               llvm.nvvm.ldg.global.f            load
 *
 * Special registers also come as inline assembly, mov.u32 $0, %laneid. The warps
 * of a block are its threads in order, 32 at a time. docs/kir.md has the calls.
 */
#include <stdlib.h>

#include "frontend/clang/internal.h"
#include "frontend/ptx/inline.h"

/* `rest` is what follows the prefix. */
static bool skip(const char *text, const char *prefix, const char **rest) {
    if (!starts_with(text, prefix))
        return false;
    *rest = text + strlen(prefix);
    return true;
}

static kir_type i32(void) { return front_int_type(32, 1); }

static kir_value number(front_lowering *l, int64_t value) {
    return front_const_int(&l->out, i32(), value);
}

/* ---- special registers ------------------------------------------------- */

/* `name` as in PTX, without its percent sign. */
static kir_value special_register(front_lowering *l, const char *name) {
    kir_value result;
    if (front_special_register(&l->out, name, &result))
        return result;
    front_cannot(l, "the special register %%%s has no meaning on Heddle's machine; leave it out",
                 name);
    return 0;
}

/* ---- barriers and warps --------------------------------------------------- */

/* The width of the segments, 32 - (control >> 8), from what clang's headers make of it:
 * (32 - width) << 8, and the last lane of a segment below. */
static kir_value segment_width(front_lowering *l, kir_value control) {
    const kir_inst *inst = &l->out.insts.data[control];
    if (inst->op == KIR_CONST)
        return number(l, 32 - (int64_t)(inst->imm[0] >> 8 & 31));
    kir_value letters[26] = {control};
    return front_recipe(&l->out, "sub(32, lshr(a, 8))", letters, false, i32());
}

#define BARRIER "barrier:void(3:i32)"
#define FENCE "fence:void(3:i32)"
/* With a mask, or, of CUDA before 9, of all threads. */
#define VOTE(mode, begin, end)                                               \
    {"vote." mode ".sync", begin "warp_" mode ":i32(a, zext:i32(b))" end}, { \
        "vote." mode, begin "warp_" mode ":i32(-1:i32, zext:i32(a))" end     \
    }
#define SHUFFLE(mode, name)                                             \
    {"shfl.sync." mode ".i32", "warp_" name ":result(a, b, c, w)"},     \
        {"shfl.sync." mode ".f32", "warp_" name ":result(a, b, c, w)"}, \
        {"shfl." mode ".i32", "warp_" name ":result(-1:i32, a, b, w)"}, \
        {"shfl." mode ".f32", "warp_" name ":result(-1:i32, a, b, w)"}
static const front_named_recipe recipes[] = {
    {"barrier0", BARRIER},
    {"barrier0.popc", "barrier_count:i32(a)"},
    {"barrier0.and", "barrier_and:i32(a)"},
    {"barrier0.or", "barrier_or:i32(a)"},
    {"membar.", FENCE},
    {"fence.", FENCE},
    {"bar.warp.sync", "warp_sync:void(a)"},
    {"activemask", "active_mask:i32()"},
    {"fns", "find_nth_set(a, b, c)"},
    VOTE("all", "ne(", ", 0)"),
    VOTE("any", "ne(", ", 0)"),
    VOTE("uni", "ne(", ", 0)"),
    VOTE("ballot", "", ""),
    SHUFFLE("idx", "shuffle"),
    SHUFFLE("up", "shuffle_up"),
    SHUFFLE("down", "shuffle_down"),
    SHUFFLE("bfly", "shuffle_xor"),
    {"match.any.sync.", "warp_match_any:i32(a, b)"},
};

static bool lower_by_recipe(front_lowering *l, front_call *call, const char *name) {
    const char *recipe = FRONT_FIND(recipes, name);
    kir_value letters[26] = {0};
    if (!recipe)
        return false;
    for (uint32_t i = 0; i < call->arg_count; i++)
        letters[i] = call->args[i];
    if (starts_with(name, "shfl."))
        letters['w' - 'a'] = segment_width(l, call->args[call->arg_count - 1]);
    call->result = front_recipe(&l->out, recipe, letters, true, call->type);
    if (hd_has_word("membar.cta fence.acq_rel.cta fence.sc.cta", name))
        l->out.insts.data[l->out.insts.count - 1].is_block_scope = true;
    return true;
}

/* Barrier 0, in one of its spellings. */
static bool lower_barrier(front_lowering *l, const front_call *call, const char *name) {
    static const char numbered[] = "barrier.sync barrier.n bar.sync barrier.cta.sync.all "
                                   "barrier.cta.sync.aligned.all";
    if (hd_has_word(numbered, name) && call->arg_count == 1) {
        const kir_inst *id = &l->out.insts.data[call->args[0]];
        if (id->op == KIR_CONST && !id->imm[0]) {
            front_cook(l, call, BARRIER);
            return true;
        }
    }
    if (starts_with(name, "bar"))
        front_cannot(l, "a barrier of some of a block's threads, or one with a number, is not "
                        "supported; use __syncthreads()");
    return l->out.status != HD_OK;
}

static bool lower_warp(front_lowering *l, front_call *call, const char *name) {
    const char *rest;
    if (skip(name, "redux.sync.", &rest)) { /* value, mask */
        call->result = front_cook(l, call, hd_format(l->arena, "warp_reduce_%s:i32(b, a)", rest));
        return true;
    }
    if (!starts_with(name, "match.all.sync."))
        return false;
    /* A pair, each part of which is a call of its own. */
    kir_value parts[] = {front_cook(l, call, "warp_match_all:i32(a, b)"),
                         front_cook(l, call, "ne(warp_match_all_pred:i32(a, b), 0)")};
    front_set_results(l, call->inst, 2, parts);
    return true;
}

/* ---- memory ------------------------------------------------------------------ */

/* isspacep.shared(p) and its like, where it is known what p points into. */
static bool lower_space_test(front_lowering *l, front_call *call, const char *name) {
    static const struct {
        const char *name;
        kir_space space;
    } spaces[] = {{"global", KIR_GLOBAL},
                  {"shared", KIR_LOCAL},
                  {"const", KIR_CONSTANT},
                  {"local", KIR_PRIVATE}};
    kir_type type = front_type_of_value(&l->out, call->args[0]);
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces && type.space != KIR_GENERIC; i++)
        if (!strcmp(name, spaces[i].name)) {
            call->result = front_const_int(&l->out, call->type, type.space == spaces[i].space);
            return true;
        }
    return false;
}

static bool lower_access(front_lowering *l, front_call *call, const char *name) {
    const char *rest;
    if (starts_with(name, "ldg.global.") || starts_with(name, "ldu.global.")) {
        int64_t align = 1;
        const kir_inst *given = &l->out.insts.data[call->args[1]];
        if (given->op == KIR_CONST)
            align = (int64_t)given->imm[0];
        kir_value address = front_member_address(l, LLVMGetOperand(call->inst, 0));
        call->result = front_emit_load(&l->out, call->type, address, (uint32_t)align);
        return true;
    }
    bool is_increment = starts_with(name, "atomic.load.inc.");
    if (is_increment || starts_with(name, "atomic.load.dec.")) {
        kir_value args[] = {front_member_address(l, LLVMGetOperand(call->inst, 0)), call->args[1]};
        call->result = front_emit_atomic(&l->out, is_increment ? KIR_RMW_INC : KIR_RMW_DEC,
                                         call->type, 2, args);
        return true;
    }
    return skip(name, "isspacep.", &rest) && lower_space_test(l, call, rest);
}

/* ---- intrinsics and inline assembly -------------------------------------------- */

/* An instruction of PTX, or an intrinsic, for textures and surfaces. */
static bool refuse_texture(front_lowering *l, const char *name) {
    static const char *const textures[] = {"tex.", "tld4.", "suld.", "sust.", "suq.", "txq."};
    bool found = false;
    for (size_t i = 0; i < sizeof textures / sizeof *textures; i++)
        found |= starts_with(name, textures[i]);
    if (found)
        front_cannot(l, "textures and surfaces are not supported; read and write a buffer");
    return found;
}

void front_lower_nvvm(front_lowering *l, front_call *call, const char *name) {
    const char *rest;
    if (starts_with(name, "nanosleep"))
        return;
    if (skip(name, "read.ptx.sreg.", &rest)) {
        call->result = special_register(l, rest);
        if (front_type_of_value(&l->out, call->result).bits > call->type.bits)
            call->result = front_emit1(&l->out, KIR_TRUNC, call->type, call->result);
    } else if (skip(name, "wmma.", &rest)) {
        front_lower_wmma(l, call, rest);
    } else if (!lower_by_recipe(l, call, name) && !lower_warp(l, call, name) &&
               !lower_barrier(l, call, name) && !lower_access(l, call, name) &&
               !refuse_texture(l, name))
        front_cannot(l, "%s is not supported; use a function of CUDA C that docs/frontend.md lists",
                     call->name);
}

/* ---- inline assembly ------------------------------------------------------------ */

/* LLVM's spelling of what the source has: %0 for $0 and ${0:x}, $ for $$. */
static const char *source_of_assembly(front_lowering *l, LLVMValueRef callee) {
    size_t length;
    const char *text = LLVMGetInlineAsmAsmString(callee, &length);
    hd_str source = {.arena = l->arena};
    for (size_t i = 0; i < length; i++) {
        bool is_operand = text[i] == '$' && i + 1 < length && text[i + 1] != '$';
        if (text[i] != '$') {
            hd_str_addn(&source, text + i, 1);
        } else if (!is_operand) {
            hd_str_add(&source, "$");
            i++;
        } else if (text[i + 1] != '{') {
            hd_str_add(&source, "%");
        } else if (text[i + 2] == ':') { /* ${:uid}, a number of its own */
            hd_str_printf(&source, "%zu", l->out.insts.count);
            i += strcspn(text + i, "}");
        } else {
            size_t digits = strspn(text + i + 2, "0123456789");
            hd_str_printf(&source, "%%%.*s", (int)digits, text + i + 2);
            i += strcspn(text + i, "}");
        }
    }
    return hd_str_text(&source);
}

typedef hd_vec(ptx_inline_operand) inline_operands;

/* The types of results: of the call, or of the members of the struct that it makes. */
static kir_type result_of_assembly(front_lowering *l, LLVMValueRef call, uint32_t index) {
    LLVMTypeRef type = LLVMTypeOf(call);
    if (LLVMGetTypeKind(type) == LLVMStructTypeKind)
        type = LLVMStructGetTypeAtIndex(type, index);
    return front_lower_type(l, type);
}

static void add_input(front_lowering *l, LLVMValueRef arg, const char *constraint,
                      inline_operands *operands) {
    bool is_pointer = LLVMGetTypeKind(LLVMTypeOf(arg)) == LLVMPointerTypeKind;
    kir_value value = is_pointer ? front_member_address(l, arg) : front_value_of(l, arg);
    if (*constraint >= '0' && *constraint <= '9') { /* the same register as a result */
        size_t tied = (size_t)strtoul(constraint, NULL, 10);
        if (tied < operands->count)
            operands->data[tied].value = value;
        return;
    }
    ptx_inline_operand input = {.constraint = *constraint == 'i' ? 'n' : *constraint,
                                .value = value};
    const kir_inst *inst = &l->out.insts.data[value];
    if (input.constraint == 'n' && inst->op == KIR_CONST)
        input.number = kir_sign_extend(inst->imm[0], inst->type.bits);
    hd_push(l->arena, operands, input);
}

/* "=r,=&f,l,0,~{memory}": results, then what the call gives. */
static inline_operands operands_of(front_lowering *l, LLVMValueRef call) {
    size_t length;
    const char *list = LLVMGetInlineAsmConstraintString(LLVMGetCalledValue(call), &length);
    inline_operands operands = {0};
    unsigned arg = 0;
    for (const char *at = list, *end; at < list + length; at = end + 1) {
        end = memchr(at, ',', (size_t)(list + length - at));
        end = end ? end : list + length;
        const char *constraint = at + strspn(at, "=&+");
        if (*at == '=') {
            ptx_inline_operand result = {.constraint = *constraint, .value = KIR_NONE};
            result.is_result = true;
            result.type = result_of_assembly(l, call, (uint32_t)operands.count);
            hd_push(l->arena, &operands, result);
        } else if (*at != '~' && arg < LLVMGetNumArgOperands(call)) {
            add_input(l, LLVMGetOperand(call, arg++), constraint, &operands);
        }
    }
    return operands;
}

void front_lower_assembly(front_lowering *l, LLVMValueRef call) {
    const char *text = source_of_assembly(l, LLVMGetCalledValue(call));
    text += strspn(text, " \t\n");
    inline_operands operands = operands_of(l, call);
    if (l->out.status || refuse_texture(l, text))
        return;
    const char *why = ptx_lower_inline(&l->out, text, operands.data, (uint32_t)operands.count);
    if (why) {
        const char *function = front_function_of(l->front, call);
        const char *shown = hd_strndup(l->arena, text, strcspn(text, "\n"));
        if (function)
            front_cannot(l, "%s is made of inline assembly (%s): %s", function, shown, why);
        else
            front_cannot(l, "inline assembly (%s): %s", shown, why);
        return;
    }
    kir_value *results = hd_new_array(l->arena, kir_value, operands.count);
    uint32_t count = 0;
    for (size_t i = 0; i < operands.count; i++)
        if (operands.data[i].is_result)
            results[count++] = operands.data[i].value;
    front_set_results(l, call, count, results);
}
