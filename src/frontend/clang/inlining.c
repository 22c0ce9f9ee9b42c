/*
 * How long kernels get when their functions are inlined, known before it is done: twenty
 * functions that each call the next one twice are a million copies of the last.
 *
 * Without recursion, which is refused before, a function's length is that of its own
 * instructions and of those that it calls, each time that it calls them.
 */
#include <llvm-c/DebugInfo.h>

#include "frontend/clang/internal.h"

/* Of a function. What LLVM takes grows faster than this, to some seconds here. */
enum { MOST_INSTRUCTIONS = 200000 };

typedef struct measurer {
    front_state *front;
    front_pointer_map lengths; /* of functions, inlined */
    hd_status status;
} measurer;

static const char *name_of(front_state *front, LLVMValueRef function) {
    size_t length;
    LLVMMetadataRef subprogram = LLVMGetSubprogram(function);
    const char *name = subprogram ? front_debug_name(front, subprogram) : NULL;
    return name ? name : LLVMGetValueName2(function, &length);
}

static void refuse(measurer *m, LLVMValueRef function, LLVMValueRef call, LLVMValueRef callee) {
    uint32_t file;
    hd_place place = front_place_of(m->front, call, &file);
    const char *text = m->front->files.data[file].text;
    place.text = text && place.line ? hd_line_of(m->front->arena, text, place.line) : NULL;
    m->status = hd_fail(m->front->diag, HD_EUNSUPPORTED, &place,
                        "functions are inlined, and with its call of '%s' here '%s' has more than "
                        "%d instructions; call functions that call others fewer times, in a loop "
                        "for example",
                        name_of(m->front, callee), name_of(m->front, function), MOST_INSTRUCTIONS);
}

static LLVMValueRef called(LLVMValueRef instruction) {
    LLVMValueRef callee = LLVMIsACallInst(instruction) ? LLVMGetCalledValue(instruction) : NULL;
    return callee && LLVMIsAFunction(callee) && !LLVMIsDeclaration(callee) ? callee : NULL;
}

static uint32_t length_of(measurer *m, LLVMValueRef function) {
    uint32_t length = front_pointer_map_get(&m->lengths, function);
    if (length != KIR_NONE)
        return length;
    length = 0; /* also for a function that no kernel calls, and that calls itself */
    front_pointer_map_set(m->front->arena, &m->lengths, function, length);
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
         block = LLVMGetNextBasicBlock(block))
        for (LLVMValueRef inst = LLVMGetFirstInstruction(block); inst && !m->status;
             inst = LLVMGetNextInstruction(inst)) {
            LLVMValueRef callee = called(inst);
            length += callee ? length_of(m, callee) : 1;
            if (length > MOST_INSTRUCTIONS && callee && !m->status)
                refuse(m, function, inst, callee);
        }
    front_pointer_map_set(m->front->arena, &m->lengths, function, length);
    return length;
}

hd_status front_check_inlining(front_state *front) {
    measurer m = {.front = front};
    for (LLVMValueRef function = LLVMGetFirstFunction(front->llvm); function && !m.status;
         function = LLVMGetNextFunction(function))
        if (!LLVMIsDeclaration(function))
            length_of(&m, function);
    return m.status;
}
