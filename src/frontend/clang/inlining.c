/*
 * How long kernels get when their functions are inlined, known before it is done: twenty
 * functions that each call the next one twice are a million copies of the last.
 *
 * A function's length is that of its own instructions and of those that it calls, each time that
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
    bool of_kernels;           /* and what they call; else what no kernel calls */
    hd_status status;
} measurer;

static const char *name_of(front_state *front, LLVMValueRef function) {
    size_t length;
    LLVMMetadataRef subprogram = LLVMGetSubprogram(function);
    const char *name = subprogram ? front_debug_name(front, subprogram) : NULL;
    return name ? name : LLVMGetValueName2(function, &length);
}

static void refuse(measurer *m, LLVMValueRef function, LLVMValueRef call, LLVMValueRef callee,
                   bool is_recursion) {
    front_state *front = m->front;
    uint32_t file;
    hd_place place = front_place_of(front, call, &file);
    const char *text = front->files.data[file].text;
    place.text = text && place.line ? hd_line_of(front->arena, text, place.line) : NULL;
    if (is_recursion)
        m->status = hd_fail(front->diag, HD_EUNSUPPORTED, &place,
                            "recursion is not supported: %s calls %s%s here; write it as a loop",
                            front_function_name(front, function),
                            callee == function ? "itself" : front_function_name(front, callee),
                            callee == function ? "" : ", which has called it,");
    else
        m->status =
            hd_fail(front->diag, HD_EUNSUPPORTED, &place,
                    "functions are inlined, and with its call of '%s' here '%s' has more than "
                    "%d instructions; call functions that call others fewer times, in a loop "
                    "for example",
                    name_of(front, callee), name_of(front, function), MOST_INSTRUCTIONS);
}

static uint32_t length_of(measurer *m, LLVMValueRef function) {
    uint32_t length = front_pointer_map_get(&m->lengths, function);
    if (length != KIR_NONE)
        return length == MEASURING ? 0 : length;
    length = 0;
    front_pointer_map_set(m->front->arena, &m->lengths, function, MEASURING);
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
         block = LLVMGetNextBasicBlock(block))
        for (LLVMValueRef inst = LLVMGetFirstInstruction(block); inst && !m->status;
             inst = LLVMGetNextInstruction(inst)) {
            LLVMValueRef callee = LLVMIsACallInst(inst) ? LLVMGetCalledValue(inst) : NULL;
            bool is_called = callee && LLVMIsAFunction(callee) && !LLVMIsDeclaration(callee);
            bool is_recursion = is_called && m->of_kernels &&
                                front_pointer_map_get(&m->lengths, callee) == MEASURING;
            length += is_called ? length_of(m, callee) : 1;
            if (is_called && !m->status && (is_recursion || length > MOST_INSTRUCTIONS))
                refuse(m, function, inst, callee, is_recursion);
        }
    front_pointer_map_set(m->front->arena, &m->lengths, function, length);
    return length;
}

hd_status front_check_inlining(front_state *front) {
    measurer m = {.front = front, .of_kernels = true};
    for (size_t i = 0; i < front->entries.count && !m.status; i++)
        length_of(&m, front->entries.data[i].function);
    m.of_kernels = false;
    for (LLVMValueRef function = LLVMGetFirstFunction(front->llvm); function && !m.status;
         function = LLVMGetNextFunction(function))
        if (!LLVMIsDeclaration(function))
            length_of(&m, function);
    return m.status;
}
