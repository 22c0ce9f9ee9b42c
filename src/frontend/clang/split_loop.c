/*
 * A loop that asks each time where its counter stands (`if (j != i)`, `if (j > i)`) becomes a loop
 * before that place and one behind it, which need not ask, as nvcc makes it (LLVM had a pass for it,
 * loop-index-split, until 2.8). Where i is another in each lane, lanes then go through the second loop
 * in different iterations, and p[j] is one transaction no longer but one of each lane.
 *
 *     for (j = 0; j < n; j++)                  m = min(i, n)
 *         if (j != i) f(j)                     for (j = 0; j < m; j++) f(j)
 *                                              if (j < n) { if (j != i) f(j); j++ }
 *                                              for (; j < n; j++) f(j)
 *
 * When nvcc 13 does so was found by asking it: the kernel has this loop alone; it is reached by a
 * condition, and not from where paths meet; j begins at 0, goes up by 1, and ends below a bound that is
 * no constant; the question, the only one of its kind, is the first condition of the body; the loop has
 * no barrier and no other way out.
 */
#include <llvm-c/DebugInfo.h>

#include "frontend/clang/internal.h"

typedef hd_vec(LLVMBasicBlockRef) blocks;

/* What takes the place of values and blocks of the loop in a copy of it. */
typedef struct copies {
    hd_arena *arena;
    front_pointer_map index; /* in `to` */
    hd_vec(void *) to;
} copies;

typedef struct loop {
    front_state *front;
    LLVMBuilderRef builder;
    LLVMBasicBlockRef before, header, latch;
    blocks all;
    front_pointer_map inside;
    LLVMValueRef counter, test, bound;
    LLVMIntPredicate below; /* signed or unsigned */
    LLVMValueRef question, place;
    LLVMIntPredicate asks; /* of the counter against the place */
} loop;

/* ---- the graph of blocks ------------------------------------------------------------------- */

static unsigned successor_count(LLVMBasicBlockRef block) {
    return LLVMGetNumSuccessors(LLVMGetBasicBlockTerminator(block));
}

static LLVMBasicBlockRef successor(LLVMBasicBlockRef block, unsigned s) {
    return LLVMGetSuccessor(LLVMGetBasicBlockTerminator(block), s);
}

static bool is_inside(const loop *l, LLVMBasicBlockRef block) {
    return front_pointer_map_get(&l->inside, block) != KIR_NONE;
}

static bool is_outside(const loop *l, LLVMValueRef value) {
    return LLVMIsAArgument(value) ||
           (LLVMIsAInstruction(value) && !is_inside(l, LLVMGetInstructionParent(value)));
}

/* Blocks that lead to this one, each once for every edge. */
static blocks predecessors(front_state *front, LLVMValueRef function, LLVMBasicBlockRef of) {
    blocks found = {0};
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        for (unsigned s = 0; s < successor_count(b); s++)
            if (successor(b, s) == of)
                hd_push(front->arena, &found, b);
    return found;
}

/* Finds the edge that goes back, where there is one alone. */
static bool find_only_loop(loop *l, LLVMValueRef function) {
    enum { ON_PATH, DONE };
    typedef struct at {
        LLVMBasicBlockRef block;
        unsigned next;
    } at;
    hd_arena *arena = l->front->arena;
    front_pointer_map state = {0};
    hd_vec(at) path = {0};
    uint32_t back = 0;
    hd_push(arena, &path, (at){LLVMGetEntryBasicBlock(function), 0});
    front_pointer_map_set(arena, &state, path.data[0].block, ON_PATH);
    while (path.count) {
        at *top = &path.data[path.count - 1];
        if (top->next == successor_count(top->block)) {
            front_pointer_map_set(arena, &state, top->block, DONE);
            path.count--;
            continue;
        }
        LLVMBasicBlockRef from = top->block, to = successor(from, top->next++);
        uint32_t known = front_pointer_map_get(&state, to);
        if (known == ON_PATH) {
            l->header = to;
            l->latch = from;
            back++;
        } else if (known == KIR_NONE) {
            front_pointer_map_set(arena, &state, to, ON_PATH);
            hd_push(arena, &path, (at){to, 0});
        }
    }
    return back == 1;
}

static void add_block(loop *l, LLVMBasicBlockRef block) {
    if (is_inside(l, block))
        return;
    front_pointer_map_set(l->front->arena, &l->inside, block, (uint32_t)l->all.count);
    hd_push(l->front->arena, &l->all, block);
}

/* The blocks of the loop: what leads to its end, from its header, which alone leaves it. */
static bool find_blocks(loop *l, LLVMValueRef function) {
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(function);
    add_block(l, l->header);
    add_block(l, l->latch);
    for (size_t i = 1; i < l->all.count; i++) {
        const blocks before = predecessors(l->front, function, l->all.data[i]);
        for (size_t b = 0; b < before.count; b++)
            add_block(l, before.data[b]);
        if (l->all.data[i] == entry)
            return false;
    }
    for (size_t i = 1; i < l->all.count; i++) {
        for (unsigned s = 0; s < successor_count(l->all.data[i]); s++)
            if (!is_inside(l, successor(l->all.data[i], s)))
                return false;
        if (!successor_count(l->all.data[i]))
            return false;
    }
    return true;
}

/* ---- its counter and its question --------------------------------------------------------------- */

/* `value` as a comparison of the counter with something from outside that is no constant; the
 * predicate has the counter on its left. */
static bool compares(const loop *l, LLVMValueRef value, LLVMIntPredicate *how, LLVMValueRef *with) {
    static const LLVMIntPredicate swapped[] = {
        [LLVMIntEQ] = LLVMIntEQ,   [LLVMIntNE] = LLVMIntNE,   [LLVMIntUGT] = LLVMIntULT,
        [LLVMIntUGE] = LLVMIntULE, [LLVMIntULT] = LLVMIntUGT, [LLVMIntULE] = LLVMIntUGE,
        [LLVMIntSGT] = LLVMIntSLT, [LLVMIntSGE] = LLVMIntSLE, [LLVMIntSLT] = LLVMIntSGT,
        [LLVMIntSLE] = LLVMIntSGE};
    if (!LLVMIsAICmpInst(value))
        return false;
    LLVMValueRef left = LLVMGetOperand(value, 0), right = LLVMGetOperand(value, 1);
    *how = LLVMGetICmpPredicate(value);
    if (right == l->counter) {
        *how = swapped[*how];
        right = left;
        left = l->counter;
    }
    *with = right;
    return left == l->counter && is_outside(l, right);
}

static bool is_number(LLVMValueRef value, uint64_t number) {
    return LLVMIsAConstantInt(value) && LLVMGetIntTypeWidth(LLVMTypeOf(value)) <= 64 &&
           LLVMConstIntGetZExtValue(value) == number;
}

/* Of a phi of the header what it begins with, and what it goes on with. */
static LLVMValueRef incoming(LLVMValueRef phi, LLVMBasicBlockRef from) {
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++)
        if (LLVMGetIncomingBlock(phi, i) == from)
            return LLVMGetIncomingValue(phi, i);
    return NULL;
}

static bool counts_up(const loop *l, LLVMValueRef phi) {
    LLVMValueRef next = incoming(phi, l->latch);
    return LLVMGetTypeKind(LLVMTypeOf(phi)) == LLVMIntegerTypeKind &&
           is_number(incoming(phi, l->before), 0) && LLVMIsABinaryOperator(next) &&
           LLVMGetInstructionOpcode(next) == LLVMAdd && LLVMGetOperand(next, 0) == phi &&
           is_number(LLVMGetOperand(next, 1), 1);
}

/* The header goes on while a counter is below a bound. */
static bool find_counter(loop *l) {
    LLVMValueRef end = LLVMGetBasicBlockTerminator(l->header);
    if (!LLVMIsABranchInst(end) || !LLVMIsConditional(end) ||
        !is_inside(l, LLVMGetSuccessor(end, 0)) || is_inside(l, LLVMGetSuccessor(end, 1)))
        return false;
    l->test = LLVMGetCondition(end);
    for (LLVMValueRef phi = LLVMGetFirstInstruction(l->header); LLVMIsAPHINode(phi);
         phi = LLVMGetNextInstruction(phi)) {
        l->counter = phi;
        if (counts_up(l, phi) && compares(l, l->test, &l->below, &l->bound))
            return l->below == LLVMIntSLT || l->below == LLVMIntULT;
    }
    return false;
}

static bool is_of_order(const loop *l, LLVMIntPredicate how) {
    bool is_signed = how >= LLVMIntSGT;
    return how == LLVMIntEQ || how == LLVMIntNE || is_signed == (l->below == LLVMIntSLT);
}

/* The first condition of the body, and no other asks so. */
static bool find_question(loop *l) {
    LLVMBasicBlockRef block = successor(l->header, 0);
    uint32_t questions = 0;
    while (successor_count(block) == 1 && block != l->latch)
        block = successor(block, 0);
    LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
    if (!LLVMIsABranchInst(end) || !LLVMIsConditional(end) || block == l->header)
        return false;
    l->question = LLVMGetCondition(end);
    if (!compares(l, l->question, &l->asks, &l->place) || !is_of_order(l, l->asks))
        return false;
    for (LLVMUseRef use = LLVMGetFirstUse(l->counter); use; use = LLVMGetNextUse(use)) {
        LLVMIntPredicate how;
        LLVMValueRef with;
        questions += compares(l, LLVMGetUser(use), &how, &with);
    }
    for (LLVMUseRef use = LLVMGetFirstUse(l->question); use; use = LLVMGetNextUse(use))
        if (!is_inside(l, LLVMGetInstructionParent(LLVMGetUser(use))))
            return false;
    return questions == 2 && is_inside(l, LLVMGetInstructionParent(l->question));
}

static bool is_convergent(LLVMValueRef inst) {
    unsigned kind = LLVMGetEnumAttributeKindForName("convergent", strlen("convergent"));
    LLVMValueRef callee = LLVMIsACallInst(inst) ? LLVMGetCalledValue(inst) : NULL;
    return callee && (LLVMGetCallSiteEnumAttribute(inst, LLVMAttributeFunctionIndex, kind) ||
                      (LLVMIsAFunction(callee) &&
                       LLVMGetEnumAttributeAtIndex(callee, LLVMAttributeFunctionIndex, kind)));
}

static bool has_barrier(const loop *l) {
    for (size_t b = 0; b < l->all.count; b++)
        for (LLVMValueRef inst = LLVMGetFirstInstruction(l->all.data[b]); inst;
             inst = LLVMGetNextInstruction(inst))
            if (is_convergent(inst))
                return true;
    return false;
}

/* One way leads to the loop, and that by a condition. */
static bool find_before(loop *l, LLVMValueRef function) {
    const blocks to_header = predecessors(l->front, function, l->header);
    if (to_header.count != 2)
        return false;
    l->before = to_header.data[to_header.data[0] == l->latch];
    const blocks before = predecessors(l->front, function, l->before);
    return successor_count(l->before) == 1 && before.count == 1 &&
           successor_count(before.data[0]) > 1;
}

/* ---- copies ---------------------------------------------------------------------------------------- */

static void copy_is(copies *c, const void *of, void *is) {
    front_pointer_map_set(c->arena, &c->index, of, (uint32_t)c->to.count);
    hd_push(c->arena, &c->to, is);
}

static void *copy_of(const copies *c, void *of) {
    uint32_t i = front_pointer_map_get(&c->index, of);
    return i == KIR_NONE ? of : c->to.data[i];
}

static void copy_block(const loop *l, copies *c, LLVMBasicBlockRef block) {
    LLVMPositionBuilderAtEnd(l->builder, copy_of(c, block));
    for (LLVMValueRef inst = LLVMGetFirstInstruction(block); inst;
         inst = LLVMGetNextInstruction(inst)) {
        if (front_pointer_map_get(&c->index, inst) != KIR_NONE)
            continue; /* it is something else there */
        LLVMSetCurrentDebugLocation2(l->builder, NULL);
        LLVMValueRef made;
        if (LLVMIsAPHINode(inst)) {
            made = LLVMBuildPhi(l->builder, LLVMTypeOf(inst), "");
        } else {
            made = LLVMInstructionClone(inst);
            LLVMInsertIntoBuilder(l->builder, made);
        }
        copy_is(c, inst, made);
    }
}

static void link_copy(const copies *c, LLVMValueRef inst) {
    LLVMValueRef made = copy_of(c, inst);
    if (!LLVMIsAInstruction(made) ||
        LLVMGetInstructionParent(made) != copy_of(c, LLVMGetInstructionParent(inst)))
        return; /* it was known */
    if (LLVMIsAPHINode(inst)) {
        for (unsigned i = 0; i < LLVMCountIncoming(inst); i++) {
            LLVMValueRef value = copy_of(c, LLVMGetIncomingValue(inst, i));
            LLVMBasicBlockRef from = copy_of(c, LLVMGetIncomingBlock(inst, i));
            LLVMAddIncoming(made, &value, &from, 1);
        }
        return;
    }
    for (int i = 0; i < LLVMGetNumOperands(inst); i++) {
        LLVMValueRef operand = LLVMGetOperand(inst, (unsigned)i);
        if (!LLVMValueIsBasicBlock(operand))
            LLVMSetOperand(made, (unsigned)i, copy_of(c, operand));
    }
    for (unsigned s = 0; LLVMIsATerminatorInst(inst) && s < LLVMGetNumSuccessors(inst); s++)
        LLVMSetSuccessor(made, s, copy_of(c, LLVMGetSuccessor(inst, s)));
}

/* A copy of the loop, in which some of it is known already: it ends in `next` where the loop ends. */
static void copy_loop(const loop *l, copies *c, LLVMBasicBlockRef next) {
    copy_is(c, successor(l->header, 1), next);
    for (size_t b = 0; b < l->all.count; b++)
        copy_is(c, l->all.data[b], LLVMInsertBasicBlockInContext(l->front->context, next, ""));
    for (size_t b = 0; b < l->all.count; b++)
        copy_block(l, c, l->all.data[b]);
    for (size_t b = 0; b < l->all.count; b++)
        for (LLVMValueRef inst = LLVMGetFirstInstruction(l->all.data[b]); inst;
             inst = LLVMGetNextInstruction(inst))
            link_copy(c, inst);
}

/* ---- three loops -------------------------------------------------------------------------------------- */

/* The number at which the answer changes, or the bound where that is less. */
static LLVMValueRef first_bound(const loop *l) {
    LLVMTypeRef type = LLVMTypeOf(l->counter);
    LLVMValueRef place = l->place;
    bool is_signed = l->below == LLVMIntSLT;
    LLVMPositionBuilderBefore(l->builder, LLVMGetBasicBlockTerminator(l->before));
    LLVMSetCurrentDebugLocation2(l->builder, NULL);
    if (l->asks == LLVMIntSGT || l->asks == LLVMIntUGT || l->asks == LLVMIntSLE ||
        l->asks == LLVMIntULE) {
        LLVMValueRef one = LLVMConstInt(type, 1, false), ones = LLVMConstAllOnes(type),
                     most = is_signed ? LLVMBuildLShr(l->builder, ones, one, "") : ones;
        place = LLVMBuildSelect(l->builder, LLVMBuildICmp(l->builder, LLVMIntEQ, place, most, ""),
                                place, LLVMBuildAdd(l->builder, place, one, ""), "");
    }
    return LLVMBuildSelect(l->builder, LLVMBuildICmp(l->builder, l->below, place, l->bound, ""),
                           place, l->bound, "");
}

/* What the question is answered below the place. */
static LLVMValueRef first_answer(const loop *l) {
    bool is_true = l->asks == LLVMIntNE || l->asks == LLVMIntSLT || l->asks == LLVMIntULT ||
                   l->asks == LLVMIntSLE || l->asks == LLVMIntULE;
    return LLVMConstInt(LLVMTypeOf(l->question), is_true, false);
}

/* Phis of the header as the loop itself has them now: from `from` they begin with what `begins` says. */
static void begin_with(const loop *l, LLVMBasicBlockRef from, const copies *begins) {
    for (LLVMValueRef phi = LLVMGetFirstInstruction(l->header), next; LLVMIsAPHINode(phi);
         phi = next) {
        LLVMValueRef values[] = {copy_of(begins, phi), incoming(phi, l->latch)};
        LLVMBasicBlockRef parents[] = {from, l->latch};
        next = LLVMGetNextInstruction(phi);
        LLVMPositionBuilderBefore(l->builder, phi);
        LLVMValueRef made = LLVMBuildPhi(l->builder, LLVMTypeOf(phi), "");
        if (values[1] == phi)
            values[1] = made;
        LLVMAddIncoming(made, values, parents, 2);
        LLVMReplaceAllUsesWith(phi, made);
        LLVMInstructionEraseFromParent(phi);
    }
}

/* The one iteration in the middle, between the first loop and `join`; *values: what phis of the header
 * are behind it. */
static LLVMBasicBlockRef add_middle(const loop *l, const copies *first, LLVMBasicBlockRef join,
                                    copies *values) {
    copies middle = {.arena = l->front->arena};
    for (LLVMValueRef phi = LLVMGetFirstInstruction(l->header); LLVMIsAPHINode(phi);
         phi = LLVMGetNextInstruction(phi))
        copy_is(&middle, phi, copy_of(first, phi));
    copy_loop(l, &middle, join);
    LLVMBasicBlockRef header = copy_of(&middle, l->header), latch = copy_of(&middle, l->latch);
    LLVMSetSuccessor(LLVMGetBasicBlockTerminator(latch), 0, join);
    LLVMPositionBuilderAtEnd(l->builder, join);
    for (LLVMValueRef phi = LLVMGetFirstInstruction(l->header); LLVMIsAPHINode(phi);
         phi = LLVMGetNextInstruction(phi)) {
        LLVMValueRef from[] = {copy_of(first, phi), copy_of(&middle, incoming(phi, l->latch))};
        LLVMBasicBlockRef parents[] = {header, latch};
        LLVMValueRef made = LLVMBuildPhi(l->builder, LLVMTypeOf(phi), "");
        LLVMAddIncoming(made, from, parents, 2);
        copy_is(values, phi, made);
    }
    return header;
}

/* What the source says of a loop begins so. */
static bool is_said(front_state *front, LLVMValueRef of_loop, const char *what) {
    unsigned count = of_loop ? LLVMGetMDNodeNumOperands(of_loop) : 0, length;
    LLVMValueRef *parts = hd_new_array(front->arena, LLVMValueRef, count + 1);
    if (count)
        LLVMGetMDNodeOperands(of_loop, parts);
    for (unsigned p = 1; p < count; p++) { /* the first is the node itself */
        LLVMValueRef words[8];
        if (LLVMGetMDNodeNumOperands(parts[p]) - 1 >= 8)
            continue;
        LLVMGetMDNodeOperands(parts[p], words);
        const char *text = LLVMGetMDString(words[0], &length);
        if (text && starts_with(text, what))
            return true;
    }
    return false;
}

/* nvcc unrolls both loops four times, whatever is in them, unless the source says how often. */
static void unroll(const loop *l, LLVMBasicBlockRef latch) {
    static const char kind_name[] = "llvm.loop", count[] = "llvm.loop.unroll.count";
    LLVMContextRef context = l->front->context;
    LLVMValueRef end = LLVMGetBasicBlockTerminator(latch);
    unsigned kind = LLVMGetMDKindIDInContext(context, kind_name, strlen(kind_name));
    if (is_said(l->front, LLVMGetMetadata(end, kind), "llvm.loop.unroll."))
        return;
    LLVMMetadataRef words[] = {
        LLVMMDStringInContext2(context, count, strlen(count)),
        LLVMValueAsMetadata(LLVMConstInt(LLVMInt32TypeInContext(context), 4, false))};
    LLVMMetadataRef self = LLVMTemporaryMDNode(context, NULL, 0);
    LLVMMetadataRef parts[] = {self, LLVMMDNodeInContext2(context, words, 2)};
    LLVMMetadataRef node = LLVMMDNodeInContext2(context, parts, 2);
    LLVMMetadataReplaceAllUsesWith(self, node);
    LLVMSetMetadata(end, kind, LLVMMetadataAsValue(context, node));
}

static void split(const loop *l) {
    hd_arena *arena = l->front->arena;
    bool is_at_one = l->asks == LLVMIntEQ || l->asks == LLVMIntNE;
    LLVMValueRef answer = first_answer(l), bound = first_bound(l);
    copies first = {.arena = arena}, values = {.arena = arena};
    LLVMBasicBlockRef join = LLVMInsertBasicBlockInContext(l->front->context, l->header, "");
    copy_is(&first, l->question, answer);
    copy_loop(l, &first, join);
    LLVMBasicBlockRef header = copy_of(&first, l->header);
    LLVMValueRef test = copy_of(&first, l->test);
    for (unsigned i = 0; i < 2; i++)
        if (LLVMGetOperand(test, i) == l->bound)
            LLVMSetOperand(test, i, bound);
    LLVMSetSuccessor(LLVMGetBasicBlockTerminator(l->before), 0, header);
    if (is_at_one)
        LLVMSetSuccessor(LLVMGetBasicBlockTerminator(header), 1,
                         add_middle(l, &first, join, &values));
    LLVMPositionBuilderAtEnd(l->builder, join);
    LLVMBuildBr(l->builder, l->header);
    LLVMReplaceAllUsesWith(l->question, is_at_one ? answer : LLVMConstNot(answer));
    begin_with(l, join, is_at_one ? &values : &first);
    unroll(l, copy_of(&first, l->latch));
    unroll(l, l->latch);
}

/* Lanes of a warp may have other values of it. Those of blocks, and arguments, are the same in all. */
static bool varies(LLVMValueRef value) {
    static const char *const of_thread[] = {"read.ptx.sreg.tid.", "get_global_id", "get_local_id"};
    size_t length;
    bool is_of_thread = false;
    if (!LLVMIsAInstruction(value))
        return false;
    if (LLVMIsALoadInst(value) || LLVMIsAPHINode(value))
        return true;
    LLVMValueRef callee = LLVMIsACallInst(value) ? LLVMGetCalledValue(value) : NULL;
    for (size_t i = 0; callee && i < sizeof of_thread / sizeof *of_thread; i++)
        is_of_thread |= !LLVMIsAFunction(callee) ||
                        strstr(LLVMGetValueName2(callee, &length), of_thread[i]) != NULL;
    if (is_of_thread)
        return true;
    for (int i = 0; i < LLVMGetNumOperands(value); i++)
        if (varies(LLVMGetOperand(value, (unsigned)i)))
            return true;
    return false;
}

static void note(const loop *l, LLVMValueRef function) {
    front_state *front = l->front;
    uint32_t file, other;
    front_split found = {.function = function,
                         .split.question = front_place_of(front, l->question, &file)};
    const hd_place head = front_place_of(front, l->test, &other);
    if (!varies(l->place) || !found.split.question.line || other != file)
        return;
    found.split.loop = head.line;
    for (size_t b = 0; b < l->all.count; b++)
        for (LLVMValueRef inst = LLVMGetFirstInstruction(l->all.data[b]); inst;
             inst = LLVMGetNextInstruction(inst)) {
            const hd_place place = front_place_of(front, inst, &other);
            if (other == file && place.line > found.split.last)
                found.split.last = place.line;
        }
    hd_push(front->arena, &front->splits, found);
}

static bool split_loop(front_state *front, LLVMBuilderRef builder, LLVMValueRef function) {
    loop l = {.front = front, .builder = builder};
    if (LLVMIsDeclaration(function) || !find_only_loop(&l, function) ||
        !find_blocks(&l, function) || successor_count(l.latch) != 1 || !find_before(&l, function) ||
        !find_counter(&l) || !find_question(&l) || has_barrier(&l))
        return false;
    note(&l, function);
    split(&l);
    return true;
}

hd_status front_split_loops(front_state *front, LLVMBuilderRef builder) {
    bool any = false;
    for (LLVMValueRef function = LLVMGetFirstFunction(front->llvm); function;
         function = LLVMGetNextFunction(function))
        any |= split_loop(front, builder, function);
    return any ? front_run_passes(front, NULL, "function(simplifycfg)") : HD_OK;
}
