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
                     bool is_cuda) {
    front_state front = {
        .arena = arena, .diag = diag, .path = path, .is_cuda = is_cuda, .macros = -1};
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

/* Clang gives itself the name without the folder as a word, and obeys the words that a file @NAME
 * holds: they could load code. */
static hd_status check_name(const hd_diag *diag, const char *path) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    if (*name != '@')
        return HD_OK;
    return hd_fail(diag, HD_EINPUT, &(hd_place){.file = path},
                   "to clang a name that begins with '@' is a list of options; rename the file");
}

static hd_status compile(hd_arena *arena, const hd_diag *diag, const char *path,
                         const char *options, bool is_cuda, kir_module **module) {
    char *text;
    size_t length;
    hd_status status;
    if ((status = check_name(diag, path)) ||
        (status = hd_read_file(arena, diag, path, &text, &length)))
        return status;
    front_state front = front_of(arena, diag, path, options, is_cuda);
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
    *module = front.module;
    return HD_OK;
}

hd_status front_clang_opencl(hd_arena *arena, const hd_diag *diag, const char *path,
                             const char *options, kir_module **module) {
    hd_status status = compile(arena, diag, path, options, false, module);
    if (status == HD_OK)
        (*module)->device = "opencl";
    return status;
}

hd_status front_clang_cuda(hd_arena *arena, const hd_diag *diag, const char *path,
                           const char *options, kir_module **module) {
    hd_status status = compile(arena, diag, path, options, true, module);
    if (status == HD_OK) {
        (*module)->device = "cuda";
        (*module)->rules = KIR_RULE(BLOCKS) | KIR_RULE(RETURNED_ARRIVE) | KIR_RULE(PRINTF_COUNTS) |
                           KIR_RULE(VECTOR_STRUCTS) | KIR_RULE(NAMED_VARIABLES);
    }
    return status;
}
