/*
 * What vendors.sh needs of LLVM, of the very version that PoCL has loaded:
 *
 *     slim_pocl LIBRARY            the path of PoCL's library
 *     slim_pocl LIBRARY FROM TO    of the functions in FROM, which are bitcode, TO has those that
 *                                  tests call
 */
#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <regex.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of mangled names: those with arguments of 8 or 16 numbers, and what mathematics calls; but stores
 * are cheap, and called by tests. */
static const char left_out[] = "Dv(8|16)_|^Sleef";
static const char kept[] = "vstore(8|16)";

/* ---- LLVM's C interface ----------------------------------------------------------------- */

typedef void *handle;

static int (*read_file)(const char *path, handle *buffer, char **error);
static handle (*new_context)(void);
static int (*parse)(handle context, handle buffer, handle *module);
static handle (*first_function)(handle module);
static handle (*next_function)(handle function);
static int (*is_declaration)(handle function);
static const char *(*name_of)(handle function, size_t *length);
static void (*set_linkage)(handle function, int linkage);
static handle (*find_function)(handle module, const char *name);
static void (*set_name)(handle function, const char *name, size_t length);
static handle (*new_options)(void);
static handle (*run_passes)(handle module, const char *passes, handle machine, handle options);
static int (*write_file)(handle module, const char *path);

enum { INTERNAL_LINKAGE = 8 };

static bool find_functions(handle pocl) {
    const struct {
        const char *name;
        void *function;
    } functions[] = {
        {"LLVMCreateMemoryBufferWithContentsOfFile", &read_file},
        {"LLVMContextCreate", &new_context},
        {"LLVMParseBitcodeInContext2", &parse},
        {"LLVMGetFirstFunction", &first_function},
        {"LLVMGetNextFunction", &next_function},
        {"LLVMIsDeclaration", &is_declaration},
        {"LLVMGetValueName2", &name_of},
        {"LLVMSetLinkage", &set_linkage},
        {"LLVMGetNamedFunction", &find_function},
        {"LLVMSetValueName2", &set_name},
        {"LLVMCreatePassBuilderOptions", &new_options},
        {"LLVMRunPasses", &run_passes},
        {"LLVMWriteBitcodeToFile", &write_file},
    };
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (!(*(void **)functions[i].function = dlsym(pocl, functions[i].name)))
            return false;
    return true;
}

/* PoCL's _Z7_cl_sinf becomes _Z3sinf, as clang names what it knows by itself; the function of that
 * name is the one for SPIR, which is called in another way. */
static void rename_function(handle module, handle function, const char *name) {
    static const char prefix[] = "_cl_";
    char plain[512], *end;
    long length = strncmp(name, "_Z", 2) ? 0 : strtol(name + 2, &end, 10) - (long)strlen(prefix);
    if (length <= 0 || strncmp(end, prefix, strlen(prefix)))
        return;
    int written = snprintf(plain, sizeof plain, "_Z%ld%s", length, end + strlen(prefix));
    handle of_spir = find_function(module, plain);
    if (of_spir) {
        set_linkage(of_spir, INTERNAL_LINKAGE);
        set_name(of_spir, "", 0);
    }
    set_name(function, plain, (size_t)written);
}

/* What is left out becomes internal, and goes where nothing that stays calls it. */
static bool write_slim(const char *from, const char *to) {
    regex_t out, stays;
    handle buffer, module;
    char *error;
    if (regcomp(&out, left_out, REG_EXTENDED | REG_NOSUB) ||
        regcomp(&stays, kept, REG_EXTENDED | REG_NOSUB) || read_file(from, &buffer, &error) ||
        parse(new_context(), buffer, &module))
        return false;
    for (handle f = first_function(module); f; f = next_function(f)) {
        size_t length;
        const char *name = name_of(f, &length);
        if (!is_declaration(f) && !regexec(&out, name, 0, NULL, 0) &&
            regexec(&stays, name, 0, NULL, 0))
            set_linkage(f, INTERNAL_LINKAGE);
        else
            rename_function(module, f, name);
    }
    return !run_passes(module, "globaldce", NULL, new_options()) && !write_file(module, to);
}

int main(int argc, char **argv) {
    struct link_map *map;
    char path[PATH_MAX];
    handle pocl = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
    if (!pocl || dlinfo(pocl, RTLD_DI_LINKMAP, &map) || !realpath(map->l_name, path))
        return 1;
    if (argc == 2)
        return puts(path) < 0;
    return argc != 4 || !find_functions(pocl) || !write_slim(argv[2], argv[3]);
}
