/*
 * OpenCL C or CUDA C in, kir and records out.
 *
 *     kernel.cl ──clang──► bitcode ──passes──► LLVM IR ──lower──► kir
 *         └─────libclang─► records, parameters ───────────┘
 *
 * Words: a *signature* is what the source says of a kernel's parameters; to
 * *lower* is to write an LLVM value as kir; a *built-in* is a function of
 * OpenCL C that has no body. `p[i].x = 0` for `struct body { float x, y; }`
 * goes through as
 *
 *     getelementptr %struct.body, ptr addrspace(1) %p, i64 %i       (LLVM IR)
 *     store float 0.0, …
 *     %a = addr %p + %i * 8, record body, field offset 0            (kir)
 *     store 0.0, %a
 *
 * docs/frontend.md lists the passes and how every construct of both languages
 * comes out. What differs between them stands apart: the options of the compiler
 * (command.c), what is done before the passes (prepare.c), and the calls that are
 * left after them (builtin.c, atomic.c and convert.c for OpenCL C, nvptx.c and
 * libdevice.c for CUDA C). Types of structs come from libclang, not from LLVM,
 * because LLVM does not keep the names of fields.
 */
#include "frontend/clang/clang.h"

#include <unistd.h>

#include <llvm-c/BitReader.h>

#include "frontend/clang/internal.h"

front_state front_of(hd_arena *arena, const hd_diag *diag, const char *path, const char *options,
                     const char *device) {
    front_state front = {.arena = arena, .diag = diag, .path = path, .macros = -1};
    front.is_cuda = !strcmp(device, "cuda");
    front.options = hd_split_words(arena, options, &front.option_count);
    front.module = hd_new(arena, kir_module);
    return front;
}

/* ---- stages ---------------------------------------------------------- */

static void drop_message(LLVMDiagnosticInfoRef info, void *user) {
    (void)info;
    (void)user;
}

static hd_status read_bitcode(front_state *front, const hd_str *bitcode) {
    LLVMContextSetDiagnosticHandler(front->context, drop_message, NULL);
    LLVMMemoryBufferRef buffer =
        LLVMCreateMemoryBufferWithMemoryRange(bitcode->data, bitcode->length, front->path, 0);
    LLVMBool failed = LLVMParseBitcodeInContext2(front->context, buffer, &front->llvm);
    LLVMDisposeMemoryBuffer(buffer);
    if (!failed)
        return HD_OK;
    front->llvm = NULL;
    return hd_fail(front->diag, HD_ESYSTEM, &(hd_place){.file = front->path},
                   "LLVM cannot read the bitcode of %s; build Heddle with the LLVM of that clang",
                   front_clang(front));
}

static hd_status lower_kernels(front_state *front) {
    uint32_t count = (uint32_t)front->entries.count;
    front->module->kernels = hd_new_array(front->arena, kir_kernel *, count);
    for (uint32_t k = 0; k < count; k++) {
        hd_status status =
            front_lower_kernel(front, &front->entries.data[k], &front->module->kernels[k]);
        if (status)
            return status;
    }
    front->module->kernel_count = count;
    return HD_OK;
}

static hd_status run(front_state *front) {
    hd_str bitcode = {.arena = front->arena};
    hd_status status = front_language(front);
    if (!status)
        status = front_compile(front, &bitcode);
    if (!status)
        status = read_bitcode(front, &bitcode);
    if (!status)
        status = front_entries(front);
    if (!status)
        status = front_declarations(front);
    if (!status)
        status = front_simplify(front);
    return status ? status : lower_kernels(front);
}

hd_status front_clang_compile(hd_arena *arena, const hd_diag *diag, const char *path,
                              const char *options, const char *device, kir_module **module) {
    char *text;
    size_t length;
    /* Clang gives itself the name without the folder as a word, and obeys the words that a file
     * @NAME holds: they could load code. */
    if (*hd_path_name(path) == '@')
        return hd_fail(
            diag, HD_EINPUT, &(hd_place){.file = path},
            "to clang a name that begins with '@' is a list of options; rename the file");
    hd_status status = hd_read_file(arena, diag, path, &text, &length);
    if (status)
        return status;
    front_state front = front_of(arena, diag, path, options, device);
    front.context = LLVMContextCreate();
    front_file(&front, NULL, path);
    status = run(&front);
    if (front.llvm)
        LLVMDisposeModule(front.llvm);
    LLVMContextDispose(front.context);
    if (front.macros >= 0)
        close(front.macros);
    if (status)
        return status;
    front.module->files = front.files.data;
    front.module->file_count = (uint32_t)front.files.count;
    front.module->headers = front.headers.data;
    front.module->header_count = (uint32_t)front.headers.count;
    front.module->records = front.records.data;
    front.module->record_count = (uint32_t)front.records.count;
    front.module->device = device;
    if (front.is_cuda)
        front.module->rules = KIR_RULE(BLOCKS) | KIR_RULE(RETURNED_ARRIVE) |
                              KIR_RULE(PRINTF_COUNTS) | KIR_RULE(VECTOR_STRUCTS) |
                              KIR_RULE(NAMED_VARIABLES);
    *module = front.module;
    return HD_OK;
}
