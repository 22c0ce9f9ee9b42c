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
 * left after them (clang_builtin.c, atomic.c and convert.c for OpenCL C, nvptx.c and
 * ../libdevice.c for CUDA C). Types of structs come from libclang, not from LLVM,
 * because LLVM does not keep the names of fields.
 */
#include "frontend/clang/clang.h"

#include <unistd.h>

#include <llvm-c/BitReader.h>

#include "frontend/clang/internal.h"

front_state front_of(hd_arena *arena, const hd_diag *diag, const char *path, const char *options,
                     const char *device) {
    front_state front = {.arena = arena, .diag = diag, .path = path, .macros = -1, .nothing = -1};
    front.is_cuda = !strcmp(device, "cuda");
    uint32_t count;
    char **words = hd_split_words(arena, options, &count);
    front.options = hd_new_array(arena, char *, count);
    for (uint32_t i = 0; i < count; i++)
        if (starts_with(words[i], KIR_KNOWN_OPTION))
            hd_push(arena, &front.known, words[i] + strlen(KIR_KNOWN_OPTION));
        else
            front.options[front.option_count++] = words[i];
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

/* Parts of functions were left out that there is code for: these go as a whole. */
static bool mask_device_functions(front_state *front) {
    bool found = false;
    for (LLVMValueRef function = LLVMGetFirstFunction(front->llvm);
         function && front->masked_lines.count; function = LLVMGetNextFunction(function)) {
        unsigned line;
        bool is_system;
        const char *file = LLVMIsDeclaration(function)
                               ? NULL
                               : front_function_file(front, function, &line, &is_system);
        if (file && front_mask_device_function(front, file, line))
            found = true;
    }
    return found;
}

static hd_status compile(front_state *front) {
    for (;;) {
        hd_str bitcode = {.arena = front->arena};
        hd_status status = front_compile(front, &bitcode);
        if (!status)
            status = read_bitcode(front, &bitcode);
        if (status || !mask_device_functions(front))
            return status;
        LLVMDisposeModule(front->llvm);
        front->llvm = NULL;
        front->debug_files = (front_pointer_map){0};
    }
}

/* ---- what is left out ------------------------------------------------- */

void front_leave_out(front_state *front, front_entry *entry, hd_status status,
                     const hd_place *place, const char *reason) {
    front_left_out made = {.kernel = entry->name,
                           .message = {.severity = HD_ERROR, .status = status, .place = *place}};
    made.message.text = hd_strdup(front->arena, reason);
    entry->is_left_out = true;
    hd_push(front->arena, &front->left_out, made);
}

/* Why a kernel is not lowered; warnings are told at once. */
typedef struct first_error {
    hd_arena *arena;
    const hd_diag *outer;
    bool found;
    hd_place place;
    const char *text;
} first_error;

static void keep_first_error(const hd_message *message, void *user) {
    first_error *first = user;
    if (message->severity == HD_WARNING && first->outer)
        first->outer->fn(message, first->outer->user);
    if (first->found || message->severity != HD_ERROR)
        return;
    first->found = true;
    first->place = message->place;
    first->text = hd_strdup(first->arena, message->text);
}

/* Messages of a kernel are told when it is known whether others stay. */
static hd_status lower_kernel(front_state *front, front_entry *entry, kir_kernel **kernel) {
    first_error first = {.arena = front->arena, .outer = front->diag};
    const hd_diag *diag = front->diag, keeper = {keep_first_error, &first};
    front->diag = &keeper;
    hd_status status = front_lower_kernel(front, entry, kernel);
    front->diag = diag;
    if (status != HD_EINPUT && status != HD_EUNSUPPORTED)
        return status;
    front_leave_out(front, entry, status, &first.place, first.text);
    return HD_OK;
}

static hd_status lower_kernels(front_state *front) {
    kir_module *module = front->module;
    module->kernels = hd_new_array(front->arena, kir_kernel *, front->entries.count);
    for (size_t k = 0; k < front->entries.count; k++) {
        front_entry *entry = &front->entries.data[k];
        hd_status status = entry->is_left_out
                               ? HD_OK
                               : lower_kernel(front, entry, &module->kernels[module->kernel_count]);
        if (status)
            return status;
        module->kernel_count += !entry->is_left_out;
    }
    return HD_OK;
}

/* "scale" of "math::scale<float>" */
static const char *plain_name(hd_arena *arena, const char *name) {
    const char *text = hd_strndup(arena, name, strcspn(name, "<"));
    const char *scope = strrchr(text, ':');
    return scope ? scope + 1 : text;
}

static bool is_asked_for(const front_state *front, const front_left_out *left) {
    for (const char *const *name = front->wanted; name && *name; name++) {
        if (left->kernel && kir_names_kernel(left->kernel, *name))
            return true;
        if (left->function && !strcmp(left->function, plain_name(front->arena, *name)))
            return true;
    }
    return false;
}

static bool fails(const front_state *front, const front_left_out *left) {
    return is_asked_for(front, left) || (!front->module->kernel_count && left->kernel);
}

/* What is left out as a warning. */
static front_message as_warning(front_state *front, const front_left_out *left) {
    const char *name = left->kernel ? left->kernel : left->function;
    front_message message = left->message;
    message.severity = HD_WARNING;
    message.text = name ? hd_format(front->arena, "%s is left out: %s", name, message.text)
                        : hd_format(front->arena, "left out: %s", message.text);
    return message;
}

/* The name that an error says nobody has declared, where it looks like a macro: a type, or in
 * capitals; else NULL. */
static const char *missing_macro(front_state *front, const char *error) {
    static const char type[] = "unknown type name '", value[] = "use of undeclared identifier '";
    bool is_type = starts_with(error, type);
    if (!is_type && !starts_with(error, value))
        return NULL;
    const char *name = error + (is_type ? strlen(type) : strlen(value));
    name = hd_strndup(front->arena, name, strcspn(name, "'"));
    return is_type || !name[strcspn(name, "abcdefghijklmnopqrstuvwxyz")] ? name : NULL;
}

/* The errors of a file as the compiler saw them. Hosts of OpenCL C write half of a program into
 * the options of the compiler. */
static void tell_errors(front_state *front, front_messages *told) {
    bool is_said = front->is_cuda;
    for (size_t i = 0; i < front->errors.count; i++) {
        front_message note = front->errors.data[i];
        hd_push(front->arena, told, note);
        const char *name = is_said ? NULL : missing_macro(front, note.text);
        if (!name)
            continue;
        note.severity = HD_NOTE;
        note.text =
            hd_format(front->arena,
                      "if the host defines %s when it builds the program, give the compiler "
                      "the same: --options=-D%s=...",
                      name, name);
        hd_push(front->arena, told, note);
        is_said = true;
    }
}

/* Errors of what is asked for by name, or of all that the file has; else warnings. Where there is
 * an error, and nothing stays, of others only missing headers are worth a word. */
static hd_status tell_left_out(front_state *front) {
    front_messages told = {0};
    size_t count = front->left_out.count;
    bool some_stay = front->module->kernel_count, some_fail = false;
    for (size_t i = 0; i < count; i++)
        some_fail |= fails(front, &front->left_out.data[i]);
    front->module->left_out = hd_new_array(front->arena, kir_left_out, count);
    front->module->left_out_count = (uint32_t)count;
    for (size_t i = 0; i < count; i++) {
        const front_left_out *left = &front->left_out.data[i];
        front->module->left_out[i] = (kir_left_out){left->kernel ? left->kernel : left->function,
                                                    left->message.place, left->message.text};
        if (fails(front, left))
            hd_push(front->arena, &told, left->message);
        else if (some_stay || (some_fail && left->is_header))
            hd_push(front->arena, &told, as_warning(front, left));
    }
    if (!some_stay && !some_fail)
        tell_errors(front, &told);
    return front_tell(front, &told);
}

static hd_status run(front_state *front) {
    hd_status status = front_language(front);
    if (!status)
        status = compile(front);
    if (!status)
        status = front_entries(front);
    if (!status && front->entries.count) {
        status = front_declarations(front);
        if (!status)
            status = front_simplify(front);
        if (!status)
            status = lower_kernels(front);
    }
    if (!status)
        status = tell_left_out(front);
    return status;
}

hd_status front_clang_compile(hd_arena *arena, const hd_diag *diag, const char *path,
                              const char *options, const char *device, kir_form form,
                              const char *const *wanted, kir_module **module) {
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
    front.form = form != KIR_AS_WRITTEN && front.is_cuda ? KIR_FOR_NVIDIA : form;
    front.wanted = wanted;
    front.context = LLVMContextCreate();
    front_file(&front, NULL, path);
    status = run(&front);
    if (front.llvm)
        LLVMDisposeModule(front.llvm);
    LLVMContextDispose(front.context);
    front_masks_end(&front);
    if (front.macros >= 0)
        close(front.macros);
    if (status)
        return status;
    hd_keep(&front.files, front.module->files, front.module->file_count);
    hd_keep(&front.headers, front.module->headers, front.module->header_count);
    hd_keep(&front.records, front.module->records, front.module->record_count);
    front.module->device = device;
    front.module->form = front.form;
    if (front.is_cuda)
        front.module->rules = KIR_RULE(BLOCKS) | KIR_RULE(RETURNED_ARRIVE) |
                              KIR_RULE(PRINTF_COUNTS) | KIR_RULE(VECTOR_STRUCTS) |
                              KIR_RULE(NAMED_VARIABLES);
    *module = front.module;
    return HD_OK;
}
