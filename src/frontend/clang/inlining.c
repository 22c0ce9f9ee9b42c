/*
 * How long kernels get when their functions are inlined, known before it is done: twenty
 * functions that each call the next one twice are a million copies of the last.
 *
 * Functions that a kernel gets to are marked for inlining on the way. A function's length is that of its own instructions and of those that it calls, each time that
 * it calls them. Recursion is refused, where a kernel gets to it.
 */
#include <llvm-c/DebugInfo.h>

#include "frontend/clang/internal.h"

/* Of a function. What LLVM takes grows faster than this, to some seconds here. */
enum { MOST_INSTRUCTIONS = 200000 };

enum { MEASURING = INT32_MAX }; /* the length of a function at work */

typedef struct measurer {
    front_state *front;
    front_pointer_map lengths; /* of functions, inlined */
    front_entry *entry;        /* the kernel at work */
} measurer;

static const char *name_of(front_state *front, LLVMValueRef function) {
    size_t length;
    LLVMMetadataRef subprogram = LLVMGetSubprogram(function);
    const char *name = subprogram ? front_debug_name(front, subprogram) : NULL;
    return name ? name : LLVMGetValueName2(function, &length);
}

/* The place of a call, with its line. */
static hd_place place_of_call(front_state *front, LLVMValueRef call) {
    uint32_t file;
    hd_place place = front_place_of(front, call, &file);
    const char *text = front->files.data[file].text;
    place.text = text && place.line ? hd_line_of(front->arena, text, place.line) : NULL;
    return place;
}

static void refuse(measurer *m, LLVMValueRef function, LLVMValueRef call, LLVMValueRef callee,
                   bool is_recursion) {
    front_state *front = m->front;
    hd_place place = place_of_call(front, call);
    const char *what =
        is_recursion
            ? hd_format(front->arena,
                        "recursion is not supported: %s calls %s%s here; write it as a loop",
                        front_function_name(front, function),
                        callee == function ? "itself" : front_function_name(front, callee),
                        callee == function ? "" : ", which has called it,")
            : hd_format(front->arena,
                        "functions are inlined, and with its call of '%s' here '%s' has more than "
                        "%d instructions; call functions that call others fewer times, in a loop "
                        "for example",
                        name_of(front, callee), name_of(front, function), MOST_INSTRUCTIONS);
    front_leave_out(front, m->entry, HD_EUNSUPPORTED, &place, what);
}

static uint32_t length_of(measurer *m, LLVMValueRef function) {
    uint32_t length = front_pointer_map_get(&m->lengths, function);
    if (length != KIR_NONE)
        return length == MEASURING ? 0 : length;
    length = 0;
    /* Whatever the source says of it. */
    static const char *const obstacles[] = {"noinline", "optnone", "optsize", "minsize"};
    static const char always[] = "alwaysinline";
    for (size_t i = 0; i < sizeof obstacles / sizeof *obstacles; i++)
        LLVMRemoveEnumAttributeAtIndex(
            function, LLVMAttributeFunctionIndex,
            LLVMGetEnumAttributeKindForName(obstacles[i], strlen(obstacles[i])));
    unsigned kind = LLVMGetEnumAttributeKindForName(always, strlen(always));
    LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex,
                            LLVMCreateEnumAttribute(m->front->context, kind, 0));
    front_pointer_map_set(m->front->arena, &m->lengths, function, MEASURING);
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
         block = LLVMGetNextBasicBlock(block))
        for (LLVMValueRef inst = LLVMGetFirstInstruction(block); inst && !m->entry->is_left_out;
             inst = LLVMGetNextInstruction(inst)) {
            LLVMValueRef callee = LLVMIsACallInst(inst) ? LLVMGetCalledValue(inst) : NULL;
            bool is_called = callee && LLVMIsAFunction(callee) && !LLVMIsDeclaration(callee);
            bool is_recursion =
                is_called && front_pointer_map_get(&m->lengths, callee) == MEASURING;
            length += is_called ? length_of(m, callee) : 1;
            if (is_called && !m->entry->is_left_out && (is_recursion || length > MOST_INSTRUCTIONS))
                refuse(m, function, inst, callee, is_recursion);
        }
    front_pointer_map_set(m->front->arena, &m->lengths, function, length);
    return length;
}

void front_check_inlining(front_state *front) {
    for (size_t i = 0; i < front->entries.count; i++) {
        measurer m = {.front = front, .entry = &front->entries.data[i]};
        length_of(&m, m.entry->function);
    }
}
