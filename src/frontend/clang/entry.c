/*
 * The kernels of a module, and the names that a user knows them by.
 *
 * A CUDA kernel is named by its symbol in LLVM IR, mangled by the rules of the
 * Itanium C++ ABI. A user writes `scale<float>` or `math::scale<float>`: debug
 * information has the function's own name with its template arguments, the symbol
 * has the namespaces, as numbers and names behind _ZN. Where two kernels are
 * overloads, and so share such a name, both go by their symbols.
 */
#include <llvm-c/DebugInfo.h>

#include "frontend/clang/internal.h"

/* ---- names of functions ------------------------------------------------ */

LLVMValueRef front_operand(front_state *front, LLVMValueRef node, unsigned index) {
    unsigned count = LLVMGetMDNodeNumOperands(node);
    LLVMValueRef *operands = hd_new_array(front->arena, LLVMValueRef, count);
    LLVMGetMDNodeOperands(node, operands);
    return index < count ? operands[index] : NULL;
}

LLVMMetadataRef front_operand_of(front_state *front, LLVMMetadataRef node, unsigned index) {
    LLVMValueRef operand = front_operand(front, LLVMMetadataAsValue(front->context, node), index);
    return operand ? LLVMValueAsMetadata(operand) : NULL;
}

/* Operand 2 of a DISubprogram is its name. */
const char *front_debug_name(front_state *front, LLVMMetadataRef subprogram) {
    unsigned length = 0;
    LLVMValueRef name = front_operand(front, LLVMMetadataAsValue(front->context, subprogram), 2);
    const char *text = name ? LLVMGetMDString(name, &length) : NULL;
    return text ? hd_strndup(front->arena, text, length) : NULL;
}

const char *front_function_name(front_state *front, LLVMValueRef function) {
    size_t length;
    const char *symbol = hd_strdup(front->arena, LLVMGetValueName2(function, &length));
    LLVMMetadataRef subprogram = LLVMGetSubprogram(function);
    const char *name =
        strncmp(symbol, "_Z", 2) || !subprogram ? NULL : front_debug_name(front, subprogram);
    if (!name)
        return symbol;
    return hd_format(front->arena, "%s%s", front_scope_of_symbol(front->arena, symbol), name);
}

/* ---- kernels ----------------------------------------------------------- */

static bool is_wanted(const front_state *front, const front_entry *entry) {
    for (const char *const *name = front->wanted; *name; name++)
        if (kir_names_kernel(entry->name, *name))
            return true;
    return false;
}

/* Of the kernels that are asked for, or else of the user's own; headers of libraries may bring
 * a hundred. What is asked for and not there makes all of them stay, for a message that lists
 * them. */
static hd_status choose_entries(front_state *front) {
    hd_vec(front_entry) chosen = {0};
    uint32_t wanted = 0;
    bool is_system = false;
    unsigned line;
    while (front->wanted && front->wanted[wanted])
        wanted++;
    for (size_t i = 0; i < front->entries.count && wanted; i++)
        if (is_wanted(front, &front->entries.data[i]))
            hd_push(front->arena, &chosen, front->entries.data[i]);
    if (chosen.count < wanted || !wanted) {
        chosen.count = 0;
        for (size_t i = 0; i < front->entries.count; i++) {
            front_function_file(front, front->entries.data[i].function, &line, &is_system);
            if (!is_system)
                hd_push(front->arena, &chosen, front->entries.data[i]);
        }
    }
    if (!chosen.count && front->entries.count)
        return hd_fail(front->diag, HD_EINPUT, &(hd_place){.file = front->path},
                       "no kernel in this file but %zu of libraries' headers; name one of them, "
                       "such as %s",
                       front->entries.count, front->entries.data[0].name);
    hd_keep(&chosen, front->entries.data, front->entries.count);
    front->entries.capacity = chosen.capacity;
    return HD_OK;
}

hd_status front_entries(front_state *front) {
    bool is_cuda = front->is_cuda;
    front_pointer_map annotated = {0};
    if (is_cuda || front->form == KIR_FOR_NVIDIA) {
        /* LLVM before 21 marks kernels by !nvvm.annotations = !{!{ptr @f, !"kernel", i32 1}, …}. */
        static const char list[] = "nvvm.annotations";
        unsigned count = LLVMGetNamedMetadataNumOperands(front->llvm, list);
        LLVMValueRef *nodes = hd_new_array(front->arena, LLVMValueRef, count);
        LLVMGetNamedMetadataOperands(front->llvm, list, nodes);
        for (unsigned i = 0; i < count; i++) {
            LLVMValueRef function = front_operand(front, nodes[i], 0), part;
            unsigned length = 0;
            for (unsigned p = 1; (part = front_operand(front, nodes[i], p)) != NULL; p += 2) {
                const char *key = LLVMGetMDString(part, &length);
                if (function && key && length == 6 && !memcmp(key, "kernel", 6))
                    front_pointer_map_set(front->arena, &annotated, function, 1);
            }
        }
    }
    for (LLVMValueRef function = LLVMGetFirstFunction(front->llvm); function;
         function = LLVMGetNextFunction(function)) {
        unsigned convention = LLVMGetFunctionCallConv(function);
        bool is_kernel = convention == LLVMSPIRKERNELCallConv ||
                         convention == LLVMPTXKernelCallConv ||
                         convention == LLVMAMDGPUKERNELCallConv ||
                         front_pointer_map_get(&annotated, function) != KIR_NONE;
        size_t length;
        const char *symbol = LLVMGetValueName2(function, &length);
        /* A block of OpenCL C that a kernel launches: clang makes a kernel of it. */
        bool is_block = !is_cuda && starts_with(symbol, "__") && strstr(symbol, "_block_invoke");
        if (LLVMIsDeclaration(function) || !is_kernel || is_block)
            continue;
        front_entry entry = {.function = function, .symbol = hd_strdup(front->arena, symbol)};
        entry.source = is_cuda ? front_function_name(front, function) : entry.symbol;
        entry.name = entry.source;
        hd_push(front->arena, &front->entries, entry);
    }
    for (size_t i = 0; i < front->entries.count; i++)
        for (size_t k = 0; k < front->entries.count; k++)
            if (k != i && !strcmp(front->entries.data[k].source, front->entries.data[i].source))
                front->entries.data[i].name = front->entries.data[i].symbol;
    if (!front->entries.count && !front->left_out.count)
        return hd_fail(front->diag, HD_EINPUT, &(hd_place){.file = front->path},
                       is_cuda ? "no kernel in this file; mark a function with __global__, and "
                                 "instantiate a template"
                               : "no kernel in this file; mark a function with __kernel");
    return choose_entries(front);
}

bool front_is_entry(const front_state *front, LLVMValueRef function) {
    for (size_t i = 0; i < front->entries.count; i++)
        if (front->entries.data[i].function == function)
            return !front->entries.data[i].is_left_out;
    return false;
}
