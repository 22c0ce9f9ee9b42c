/*
 * Programs of the platform. A program is its source: its binary is that, with the options
 * that it was built with in front, and programs that are compiled apart are linked as one source.
 */
#include <stdlib.h>
#include <string.h>

#include "opencl/platform.h"

#define BINARY "; Heddle's source of an OpenCL program\n"

/* ---- making ---------------------------------------------------------------------------------------- */

static cl_program new_program(cl_context context, char *text) {
    cl_program program = platform_new(PLATFORM_PROGRAM, sizeof *program);
    program->context = platform_hold(context);
    program->text = text;
    program->options = hd_checked(strdup(""));
    program->log = hd_checked(strdup(""));
    program->status = CL_BUILD_NONE;
    return program;
}

void platform_end_program(machine *m, cl_program program) {
    free(program->text);
    free(program->options);
    free(program->log);
    platform_drop(m, program->context);
}

static char *joined(cl_uint count, const char **texts, const size_t *lengths) {
    size_t bytes = 1, at = 0;
    for (cl_uint i = 0; i < count; i++)
        bytes += lengths && lengths[i] ? lengths[i] : strlen(texts[i]);
    char *all = hd_zeroed(1, bytes);
    for (cl_uint i = 0; i < count; i++) {
        const size_t length = lengths && lengths[i] ? lengths[i] : strlen(texts[i]);
        memcpy(all + at, texts[i], length);
        at += length;
    }
    return all;
}

static CL_API_ENTRY cl_program CL_API_CALL create_program(cl_context context, cl_uint count,
                                                          const char **texts, const size_t *lengths,
                                                          cl_int *error) {
    machine *m = machine_enter();
    cl_int wrong = !platform_is(context, PLATFORM_CONTEXT) ? CL_INVALID_CONTEXT
                   : !count || !texts                      ? CL_INVALID_VALUE
                                                           : CL_SUCCESS;
    for (cl_uint i = 0; i < count && !wrong; i++)
        wrong = texts[i] ? CL_SUCCESS : CL_INVALID_VALUE;
    cl_program program = wrong ? NULL : new_program(context, joined(count, texts, lengths));
    platform_fail(wrong, error);
    platform_leave(m);
    return program;
}

static char *binary_of(cl_program program, size_t *bytes) {
    hd_arena *arena = hd_arena_new();
    const char *text = hd_format(arena, "%s%s\n%s", BINARY, program->options, program->text);
    *bytes = strlen(text);
    char *binary = hd_checked(strdup(text));
    hd_arena_free(arena);
    return binary;
}

static CL_API_ENTRY cl_program CL_API_CALL create_of_binary(cl_context context, cl_uint count,
                                                            const cl_device_id *devices,
                                                            const size_t *lengths,
                                                            const unsigned char **binaries,
                                                            cl_int *statuses, cl_int *error) {
    machine *m = machine_enter();
    cl_program program = NULL;
    cl_int wrong = !platform_is(context, PLATFORM_CONTEXT)           ? CL_INVALID_CONTEXT
                   : count != 1 || !devices || !lengths || !binaries ? CL_INVALID_VALUE
                   : !platform_is(devices[0], PLATFORM_DEVICE)       ? CL_INVALID_DEVICE
                   : !binaries[0] || !lengths[0]                     ? CL_INVALID_VALUE
                                                                     : CL_SUCCESS;
    const size_t head = strlen(BINARY);
    if (!wrong && (lengths[0] < head || memcmp(binaries[0], BINARY, head) != 0))
        wrong = CL_INVALID_BINARY;
    if (!wrong) {
        const char *text = (const char *)binaries[0] + head, *end = text + lengths[0] - head,
                   *line = memchr(text, '\n', (size_t)(end - text));
        const size_t length = line ? (size_t)(line - text) : 0,
                     rest = line ? (size_t)(end - line - 1) : 0;
        program = new_program(context, hd_checked(strndup(line ? line + 1 : "", rest)));
        free(program->options);
        program->options = hd_checked(strndup(text, length));
        program->type = CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
    }
    if (statuses)
        *statuses = wrong == CL_INVALID_BINARY ? wrong : program ? CL_SUCCESS : CL_INVALID_VALUE;
    platform_fail(wrong, error);
    platform_leave(m);
    return program;
}

static CL_API_ENTRY cl_program CL_API_CALL create_built_in(cl_context context, cl_uint count,
                                                           const cl_device_id *devices,
                                                           const char *names, cl_int *error) {
    (void)count, (void)devices, (void)names;
    return platform_fail(
        platform_is(context, PLATFORM_CONTEXT) ? CL_INVALID_VALUE : CL_INVALID_CONTEXT, error);
}

static CL_API_ENTRY cl_program CL_API_CALL create_of_il(cl_context context, const void *il,
                                                        size_t length, cl_int *error) {
    (void)il, (void)length;
    return platform_fail(
        platform_is(context, PLATFORM_CONTEXT) ? CL_INVALID_OPERATION : CL_INVALID_CONTEXT, error);
}

PLATFORM_HELD(program, cl_program, PLATFORM_PROGRAM, CL_INVALID_PROGRAM)

/* ---- building ---------------------------------------------------------------------------------------- */

static void set_text(char **to, const char *text) {
    char *copy = hd_checked(strdup(text));
    free(*to);
    *to = copy;
}

static void notify(cl_program program, void(CL_CALLBACK *function)(cl_program, void *),
                   void *user) {
    if (!function)
        return;
    platform_callback *callback = hd_zeroed(1, sizeof *callback);
    *callback = (platform_callback){.object = program, .program = function, .user = user};
    platform_call_back(callback);
}

/* What another part defines, or kernels, may not be there before parts are linked. */
static bool is_a_part(const machine_program *built) {
    return strstr(built->log, "has no body in this file") ||
           strstr(built->log, "no kernel in this file");
}

static cl_int compile(machine *m, cl_program program, cl_program_binary_type type, cl_int failure) {
    program->built = machine_compile(m, program->text, program->options);
    set_text(&program->log, program->built->log);
    const bool fine = program->built->module ||
                      (type != CL_PROGRAM_BINARY_TYPE_EXECUTABLE && is_a_part(program->built));
    program->status = fine ? CL_BUILD_SUCCESS : CL_BUILD_ERROR;
    program->type = fine ? type : CL_PROGRAM_BINARY_TYPE_NONE;
    if (!program->built->module)
        program->built = NULL;
    return fine ? CL_SUCCESS : failure;
}

static cl_int check_build(cl_program program, cl_uint count, const cl_device_id *devices,
                          const void *function, const void *user) {
    if (!platform_is(program, PLATFORM_PROGRAM))
        return CL_INVALID_PROGRAM;
    if ((count != 0) != (devices != NULL) || (!function && user))
        return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < count; i++)
        if (!platform_is(devices[i], PLATFORM_DEVICE))
            return CL_INVALID_DEVICE;
    return program->kernels ? CL_INVALID_OPERATION : CL_SUCCESS;
}

static CL_API_ENTRY cl_int CL_API_CALL
build_program(cl_program program, cl_uint count, const cl_device_id *devices, const char *options,
              void(CL_CALLBACK *function)(cl_program, void *), void *user) {
    machine *m = machine_enter();
    cl_int error = check_build(program, count, devices, (const void *)(uintptr_t)function, user);
    if (!error) {
        if (program->type != CL_PROGRAM_BINARY_TYPE_EXECUTABLE || (options && *options))
            set_text(&program->options, options ? options : "");
        error = compile(m, program, CL_PROGRAM_BINARY_TYPE_EXECUTABLE, CL_BUILD_PROGRAM_FAILURE);
        notify(program, function, user);
    }
    return platform_left(m, error);
}

/* The header that a line of the source includes, or NULL. */
static cl_program header_of(const char *line, cl_uint count, const cl_program *headers,
                            const char **names) {
    line += strspn(line, " \t");
    if (*line++ != '#')
        return NULL;
    line += strspn(line, " \t");
    if (strncmp(line, "include", 7) != 0)
        return NULL;
    line += 7 + strspn(line + 7, " \t");
    const size_t length = *line == '"' || *line == '<' ? strcspn(line + 1, "\">\n") : 0;
    for (cl_uint i = 0; i < count && length; i++)
        if (strlen(names[i]) == length && !strncmp(names[i], line + 1, length))
            return headers[i];
    return NULL;
}

/* The source with headers that are programs in the place of the lines that include them. */
static void include_headers(hd_str *out, const char *text, const char *name, cl_uint count,
                            const cl_program *headers, const char **names, int depth) {
    enum { DEEPEST = 64 };
    unsigned line = 1;
    for (; *text; line++) {
        const size_t length = strcspn(text, "\n");
        const cl_program header = depth < DEEPEST ? header_of(text, count, headers, names) : NULL;
        if (header) {
            hd_str_add(out, "#line 1 \"header\"\n");
            include_headers(out, header->text, "header", count, headers, names, depth + 1);
            hd_str_printf(out, "\n#line %u \"%s\"\n", line + 1, name);
        } else {
            hd_str_printf(out, "%.*s\n", (int)length, text);
        }
        text += length + (text[length] == '\n');
    }
}

static CL_API_ENTRY cl_int CL_API_CALL
compile_program(cl_program program, cl_uint count, const cl_device_id *devices, const char *options,
                cl_uint header_count, const cl_program *headers, const char **names,
                void(CL_CALLBACK *function)(cl_program, void *), void *user) {
    machine *m = machine_enter();
    cl_int error = check_build(program, count, devices, (const void *)(uintptr_t)function, user);
    if (!error && (header_count != 0) != (headers && names))
        error = CL_INVALID_VALUE;
    for (cl_uint i = 0; i < header_count && !error; i++)
        error = platform_is(headers[i], PLATFORM_PROGRAM) ? CL_SUCCESS : CL_INVALID_PROGRAM;
    if (!error) {
        hd_str whole = {.arena = hd_arena_new()};
        if (header_count)
            include_headers(&whole, program->text, "kernels.cl", header_count, headers, names, 0);
        if (header_count)
            set_text(&program->text, hd_str_text(&whole));
        hd_arena_free(whole.arena);
        set_text(&program->options, options ? options : "");
        error =
            compile(m, program, CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT, CL_COMPILE_PROGRAM_FAILURE);
        notify(program, function, user);
    }
    return platform_left(m, error);
}

static CL_API_ENTRY cl_program CL_API_CALL
link_program(cl_context context, cl_uint count, const cl_device_id *devices, const char *options,
             cl_uint part_count, const cl_program *parts,
             void(CL_CALLBACK *function)(cl_program, void *), void *user, cl_int *error) {
    machine *m = machine_enter();
    const bool is_library = options && strstr(options, "-create-library");
    cl_int wrong =
        !platform_is(context, PLATFORM_CONTEXT) ? CL_INVALID_CONTEXT
        : !part_count || !parts || (count != 0) != (devices != NULL) || (!function && user)
            ? CL_INVALID_VALUE
            : CL_SUCCESS;
    for (cl_uint i = 0; i < part_count && !wrong; i++)
        wrong = !platform_is(parts[i], PLATFORM_PROGRAM)        ? CL_INVALID_PROGRAM
                : parts[i]->type == CL_PROGRAM_BINARY_TYPE_NONE ? CL_INVALID_OPERATION
                                                                : CL_SUCCESS;
    cl_program program = NULL;
    if (!wrong) {
        hd_str text = {.arena = hd_arena_new()}, all = {.arena = text.arena};
        for (cl_uint i = 0; i < part_count; i++) {
            hd_str_printf(&text, "%s%s", i ? "\n#line 1\n" : "", parts[i]->text);
            if (!i || strcmp(parts[i]->options, parts[i - 1]->options) != 0)
                hd_str_printf(&all, "%s%s", i ? " " : "", parts[i]->options);
        }
        program = new_program(context, hd_checked(strdup(hd_str_text(&text))));
        set_text(&program->options, hd_str_text(&all));
        hd_arena_free(text.arena);
        wrong =
            compile(m, program,
                    is_library ? CL_PROGRAM_BINARY_TYPE_LIBRARY : CL_PROGRAM_BINARY_TYPE_EXECUTABLE,
                    CL_LINK_PROGRAM_FAILURE);
        notify(program, function, user);
    }
    platform_fail(wrong, error);
    platform_leave(m);
    return program;
}

static CL_API_ENTRY cl_int CL_API_CALL unload_compiler(cl_platform_id platform) {
    return platform_is(platform, PLATFORM_ITSELF) ? CL_SUCCESS : CL_INVALID_PLATFORM;
}

static CL_API_ENTRY cl_int CL_API_CALL unload_compilers(void) { return CL_SUCCESS; }

/* ---- asking of programs ------------------------------------------------------------------------------ */

static cl_int give_binary(cl_program program, cl_program_info what, size_t room, void *to,
                          size_t *needs) {
    size_t bytes;
    cl_int error;
    char *binary = binary_of(program, &bytes);
    if (what == CL_PROGRAM_BINARY_SIZES) {
        error = platform_give(&bytes, sizeof bytes, room, to, needs);
    } else { /* a list of where they are to go */
        error = to && room < sizeof(char *) ? CL_INVALID_VALUE : CL_SUCCESS;
        if (!error && to && *(char **)to)
            memcpy(*(char **)to, binary, bytes);
        if (needs)
            *needs = sizeof(char *);
    }
    free(binary);
    return error;
}

static cl_int give_names(cl_program program, size_t room, void *to, size_t *needs) {
    hd_str names = {.arena = hd_arena_new()};
    const uint32_t count = hd_ptx_kernel_count(program->built->module);
    for (uint32_t i = 0; i < count; i++)
        hd_str_printf(&names, "%s%s", i ? ";" : "",
                      hd_ptx_kernel_name(hd_ptx_kernel_at(program->built->module, i)));
    const cl_int error = platform_give_text(hd_str_text(&names), room, to, needs);
    hd_arena_free(names.arena);
    return error;
}

static CL_API_ENTRY cl_int CL_API_CALL program_info(cl_program program, cl_program_info what,
                                                    size_t room, void *to, size_t *needs) {
    static const cl_uint one = 1;
    static const cl_bool no = CL_FALSE;
    const cl_device_id device = &platform_device;
    if (!platform_is(program, PLATFORM_PROGRAM))
        return CL_INVALID_PROGRAM;
    const size_t kernels = program->built ? hd_ptx_kernel_count(program->built->module) : 0;
    switch (what) {
    case CL_PROGRAM_REFERENCE_COUNT:
        return platform_give(&program->object.held, sizeof(cl_uint), room, to, needs);
    case CL_PROGRAM_CONTEXT:
        return platform_give(&program->context, sizeof(cl_context), room, to, needs);
    case CL_PROGRAM_NUM_DEVICES: return platform_give(&one, sizeof one, room, to, needs);
    case CL_PROGRAM_DEVICES: return platform_give(&device, sizeof device, room, to, needs);
    case CL_PROGRAM_SOURCE: return platform_give_text(program->text, room, to, needs);
    case CL_PROGRAM_IL: return platform_give(NULL, 0, room, to, needs);
    case CL_PROGRAM_BINARY_SIZES:
    case CL_PROGRAM_BINARIES: return give_binary(program, what, room, to, needs);
    case CL_PROGRAM_NUM_KERNELS:
        return program->built ? platform_give(&kernels, sizeof kernels, room, to, needs)
                              : CL_INVALID_PROGRAM_EXECUTABLE;
    case CL_PROGRAM_KERNEL_NAMES:
        return program->built ? give_names(program, room, to, needs)
                              : CL_INVALID_PROGRAM_EXECUTABLE;
    case CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT:
    case CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT:
        return platform_give(&no, sizeof no, room, to, needs);
    default: return CL_INVALID_VALUE;
    }
}

static CL_API_ENTRY cl_int CL_API_CALL build_info(cl_program program, cl_device_id device,
                                                  cl_program_build_info what, size_t room, void *to,
                                                  size_t *needs) {
    static const size_t none = 0;
    if (!platform_is(program, PLATFORM_PROGRAM))
        return CL_INVALID_PROGRAM;
    if (!platform_is(device, PLATFORM_DEVICE))
        return CL_INVALID_DEVICE;
    switch (what) {
    case CL_PROGRAM_BUILD_STATUS:
        return platform_give(&program->status, sizeof program->status, room, to, needs);
    case CL_PROGRAM_BUILD_OPTIONS: return platform_give_text(program->options, room, to, needs);
    case CL_PROGRAM_BUILD_LOG: return platform_give_text(program->log, room, to, needs);
    case CL_PROGRAM_BINARY_TYPE:
        return platform_give(&program->type, sizeof program->type, room, to, needs);
    case CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE:
        return platform_give(&none, sizeof none, room, to, needs);
    default: return CL_INVALID_VALUE;
    }
}

void platform_programs(cl_icd_dispatch *table) {
    table->clCreateProgramWithSource = create_program;
    table->clCreateProgramWithBinary = create_of_binary;
    table->clCreateProgramWithBuiltInKernels = create_built_in;
    table->clCreateProgramWithIL = create_of_il;
    table->clRetainProgram = hold_program;
    table->clReleaseProgram = release_program;
    table->clBuildProgram = build_program;
    table->clCompileProgram = compile_program;
    table->clLinkProgram = link_program;
    table->clUnloadPlatformCompiler = unload_compiler;
    table->clUnloadCompiler = unload_compilers;
    table->clGetProgramInfo = program_info;
    table->clGetProgramBuildInfo = build_info;
}
