/* The table of front ends, the one for text of kir, and the door to that for PTX. */
#include "frontend/frontend.h"

#include "frontend/clang/clang.h"
#include "frontend/ptx/ast.h"

/* Reads a file that a compiler has made, which takes no options. */
static hd_status read_made(hd_arena *arena, const hd_diag *diag, const char *path,
                           const char *options, const char *maker, char **text, size_t *length) {
    if (options && options[strspn(options, " \t\n")])
        return hd_fail(diag, HD_EINPUT, &(hd_place){.file = path},
                       "a %s file is compiled already, so it takes no compiler options; give them "
                       "to %s that makes it",
                       strrchr(path, '.'), maker);
    return hd_read_file(arena, diag, path, text, length);
}

/* Text of kir, such as `heddle show --ir` prints. */
static hd_status read_kir(hd_arena *arena, const hd_diag *diag, const char *path,
                          const char *options, const char *device, kir_form form,
                          const char *const *wanted, kir_module **module) {
    (void)device, (void)form, (void)wanted;
    const hd_place place = {.file = path};
    char *text;
    size_t length;
    hd_status status =
        read_made(arena, diag, path, options, "the 'heddle show --ir'", &text, &length);
    if (!status && strlen(text) != length)
        return hd_fail(diag, HD_EINPUT, &place,
                       "this file holds a zero byte; it is no text of kir");
    if (!status)
        status = kir_parse(arena, diag, path, text, module);
    if (!status && !(*module)->kernel_count)
        status = hd_fail(diag, HD_EINPUT, &place, "there is no kernel in this file");
    return status;
}

/* Text of PTX, as nvcc, clang and others write it. */
static hd_status read_ptx(hd_arena *arena, const hd_diag *diag, const char *path,
                          const char *options, const char *device, kir_form form,
                          const char *const *wanted, kir_module **module) {
    (void)device, (void)form, (void)wanted;
    ptx_module *ptx;
    char *text;
    size_t length;
    hd_status status = read_made(arena, diag, path, options, "the compiler", &text, &length);
    if (!status)
        status = ptx_parse(arena, diag, path, text, length, &ptx);
    return status ? status : ptx_lower(arena, diag, ptx, module);
}

typedef hd_status compile_fn(hd_arena *arena, const hd_diag *diag, const char *path,
                             const char *options, const char *device, kir_form form,
                             const char *const *wanted, kir_module **module);
typedef hd_status parse_fn(hd_arena *arena, const hd_diag *diag, const char *path,
                           const char *options, const char *device, hd_parse_command *command);

typedef hd_status host_fn(hd_arena *arena, const hd_diag *diag, const char *path,
                          const char *options, const char *device, hd_host *host);

enum { ENDINGS = 3 };
static const struct front_end {
    const char *endings[ENDINGS]; /* of its files */
    const char *device;           /* as in kir_module */
    compile_fn *compile;
    parse_fn *parse; /* NULL: libclang cannot read its files */
    host_fn *host;   /* NULL: its files have no host code */
} front_ends[] = {
    {{".cl"},
     "opencl",
     front_clang_compile,
     front_clang_parse,
     NULL}, /* and with no known ending */
    {{".cu", ".cuh", ".hip"}, "cuda", front_clang_compile, front_clang_parse, front_clang_host},
    {{".ptx"}, NULL, read_ptx, NULL, NULL},
    {{".kir"}, NULL, read_kir, NULL, NULL},
};
enum { FRONT_ENDS = sizeof front_ends / sizeof *front_ends };

static const struct front_end *front_end_for(const char *path) {
    for (size_t f = 0; f < FRONT_ENDS; f++)
        for (size_t e = 0; e < ENDINGS; e++)
            if (front_ends[f].endings[e] && hd_ends_in(path, front_ends[f].endings[e]))
                return &front_ends[f];
    return NULL;
}

bool hd_is_hip(const char *path) {
    hd_arena *arena = hd_arena_new();
    char *text;
    size_t length;
    bool is = hd_ends_in(path, ".hip");
    if (!is && !hd_read_file(arena, &hd_silent, path, &text, &length))
        is = strstr(text, "hip/hip_") || strstr(text, "hipMalloc") || strstr(text, "hipLaunch");
    hd_arena_free(arena);
    return is;
}

/* hipcc takes files that are named for C++, too. */
static const struct front_end *known_front_end(const char *path) {
    const bool is_cpp =
        hd_ends_in(path, ".cpp") || hd_ends_in(path, ".cc") || hd_ends_in(path, ".cxx");
    return front_end_for(is_cpp && hd_is_hip(path) ? "kernels.hip" : path);
}

static const struct front_end *front_end_of(const char *path) {
    const struct front_end *known = known_front_end(path);
    return known ? known : front_ends;
}

bool hd_is_kernel_file(const char *path) { return known_front_end(path) != NULL; }

const char *hd_kernel_endings(hd_arena *arena) {
    hd_str text = {.arena = arena};
    for (size_t f = 0; f < FRONT_ENDS; f++)
        for (size_t e = 0; e < ENDINGS; e++)
            if (front_ends[f].endings[e])
                hd_str_printf(&text, "%s%s",
                              !text.length          ? ""
                              : f + 1 == FRONT_ENDS ? " or "
                                                    : ", ",
                              front_ends[f].endings[e]);
    return hd_str_text(&text);
}

hd_status hd_frontend_of(hd_arena *arena, const hd_diag *diag, const char *path,
                         const char *options, kir_form form, const char *const *wanted,
                         kir_module **module) {
    const struct front_end *front = front_end_of(path);
    *module = NULL;
    return front->compile(arena, diag, path, options, front->device, form, wanted, module);
}

hd_status hd_frontend(hd_arena *arena, const hd_diag *diag, const char *path, const char *options,
                      kir_module **module) {
    return hd_frontend_of(arena, diag, path, options, KIR_AS_WRITTEN, NULL, module);
}

hd_status hd_parse_command_make(hd_arena *arena, const hd_diag *diag, const char *path,
                                const char *options, hd_parse_command *command) {
    const struct front_end *front = front_end_of(path);
    *command = (hd_parse_command){.macros = -1};
    if (!front->parse)
        return hd_fail(diag, HD_EUNSUPPORTED, &(hd_place){.file = path},
                       "only source text in OpenCL C or CUDA C can be rewritten for a layout, and "
                       "this file is none; give the file that it was made from");
    return front->parse(arena, diag, path, options, front->device, command);
}

hd_status hd_host_read(hd_arena *arena, const hd_diag *diag, const char *path, const char *options,
                       hd_host *host) {
    const struct front_end *front = front_end_of(path);
    *host = (hd_host){0};
    return front->host ? front->host(arena, diag, path, options, front->device, host) : HD_OK;
}

hd_status hd_frontend_ptx(hd_arena *arena, const hd_diag *diag, const char *path,
                          const char *options, const char **text) {
    if (!hd_ends_in(path, ".cu"))
        return hd_fail(diag, HD_EINPUT, &(hd_place){.file = path},
                       "PTX is made of CUDA C, in a file whose name ends in .cu");
    return front_clang_ptx(arena, diag, path, options, text);
}
