/*
 * Programs and libraries with CUDA's runtime linked in, nvcc's default (-cudart static). They call its
 * functions directly, where no other library can stand between; but symbols say where these are. Each
 * function begins, before anything has called it, with a jump to that of Heddle's libcudart of the same
 * version.
 *
 * LD_PRELOAD brings this library, whose constructor runs before all others. For what comes later it takes
 * the place of the function by which the loader tells debuggers of a change, when an object is there and
 * none of its constructors has run. What was stripped of its symbols cannot be reached.
 */
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/elf.h"

/* The beginning of an executable function: to an address of 64 bits, by a register that no call uses. */
#if defined __aarch64__
typedef struct __attribute__((packed)) jump {
    uint32_t load, go; /* ldr x16, to; br x16 */
    uint64_t to;
} jump;
static jump jump_to(uint64_t to) { return (jump){0x58000050, 0xd61f0200, to}; }
#else
typedef struct __attribute__((packed)) jump {
    uint8_t move[2]; /* movabs rax */
    uint64_t to;
    uint8_t go[2]; /* jmp rax */
} jump;
static jump jump_to(uint64_t to) { return (jump){{0x48, 0xb8}, to, {0xff, 0xe0}}; }
#endif
enum { ALIGNED = 16 }; /* functions of the runtime are */
enum { FIRST = 11, VERSIONS = 3 };

static bool begins(const char *name, const char *with) {
    return !strncmp(name, with, strlen(with));
}

/* ---- Heddle's ---------------------------------------------------------------------------------------- */

/* libcudart of a version, from this library's folder. */
static void *runtime_of(int version) {
    static void *opened[VERSIONS];
    void **handle = &opened[version - FIRST];
    Dl_info own;
    if (*handle || !dladdr((void *)(uintptr_t)runtime_of, &own) || !own.dli_fname)
        return *handle;
    char *path = NULL;
    const char *slash = strrchr(own.dli_fname, '/');
    const int folder = slash ? (int)(slash - own.dli_fname) : 1;
    if (asprintf(&path, "%.*s/libcudart.so.%d%s", folder, slash ? own.dli_fname : ".", version,
                 version == FIRST ? ".0" : "") < 0)
        return NULL;
    *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!*handle)
        fprintf(stderr, "heddle: error: cannot load %s: %s\n", path, dlerror());
    free(path);
    return *handle;
}

static void begin_with_jump(char *function, void *to) {
    const jump j = jump_to((uint64_t)(uintptr_t)to);
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), at = (uintptr_t)function,
                    from = at / page * page,
                    bytes = (at + sizeof j - from + page - 1) / page * page;
    if (mprotect(function - (at - from), bytes, PROT_READ | PROT_WRITE | PROT_EXEC))
        return;
    memcpy(function, &j, sizeof j);
    mprotect(function - (at - from), bytes, PROT_READ | PROT_EXEC);
    __builtin___clear_cache(function, function + sizeof j);
}

static void replace(const hd_elf_functions *f, char *base, void *runtime) {
    for (size_t i = 0; i < f->count; i++) {
        uint64_t address;
        const char *name = hd_elf_function_at(f, i, &address);
        const bool is_runtime = name && (begins(name, "cuda") || begins(name, "__cuda"));
        void *to = is_runtime && address % ALIGNED == 0 ? dlsym(runtime, name) : NULL;
        if (to)
            begin_with_jump(base + address, to);
    }
}

/* ---- what is loaded ---------------------------------------------------------------------------------- */

typedef struct object {
    struct object *next;
    const struct link_map *map;
    const char *base;
    bool is_there;
} object;

static object *known; /* all that have been looked at; under the loader's lock */

static void look_at(const char *path, char *base) {
    hd_elf elf;
    hd_elf_functions f;
    uint64_t first;
    if (!hd_elf_open(path, &elf))
        return;
    if (hd_elf_functions_of(&elf, &f) &&
        (first = hd_elf_find_function(&f, "__cudaRegisterFatBinary"))) {
        /* A name that 12 alone has, and one that went after 11. */
        void *runtime = runtime_of(hd_elf_find_function(&f, "cudaGetDeviceProperties_v2") ? 12
                                   : hd_elf_find_function(&f, "cudaUnbindTexture")        ? 11
                                                                                          : 13);
        base = elf.is_absolute ? NULL : base;
        if (runtime && dlsym(runtime, "__cudaRegisterFatBinary") != base + first)
            replace(&f, base, runtime);
    }
    hd_elf_close(&elf);
}

/* Another object may come to stand where one was. */
static void forget_those_that_went(void) {
    for (object **at = &known; *at;) {
        object *o = *at;
        if (o->is_there) {
            o->is_there = false;
            at = &o->next;
        } else {
            *at = o->next;
            free(o);
        }
    }
}

static void look_at_new(void) {
    for (const struct link_map *m = _r_debug.r_map; m; m = m->l_next) {
        object *o = known;
        while (o && (o->map != m || o->base != (char *)m->l_addr)) /* NOLINT: an address */
            o = o->next;
        if (o) {
            o->is_there = true;
            continue;
        }
        if (!(o = malloc(sizeof *o)))
            return;
        *o = (object){known, m, (char *)m->l_addr, true}; /* NOLINT: an address */
        known = o;
        look_at(*m->l_name ? m->l_name : "/proc/self/exe", (char *)m->l_addr); /* NOLINT */
    }
    forget_those_that_went();
}

/* What the loader calls for debuggers when it has begun or ended a change. Heddle's own libraries come
 * while it is here. */
static void loaded(void) {
    static bool is_here;
    if (is_here || _r_debug.r_state != RT_CONSISTENT)
        return;
    is_here = true;
    look_at_new();
    is_here = false;
}

/* The loader's function does nothing: it returns, and behind that is nothing up to the next one. */
#if defined __aarch64__
static bool does_nothing(const unsigned char *function) {
    enum { MARK = (int)0xd503245f /* bti c */, RETURN = (int)0xd65f03c0, NOP = (int)0xd503201f };
    int32_t code[sizeof(jump) / 4];
    memcpy(code, function, sizeof code);
    size_t at = code[0] == MARK;
    bool nothing = (uintptr_t)function % ALIGNED == 0 && code[at++] == RETURN;
    for (; at < sizeof code / sizeof *code; at++)
        nothing &= code[at] == NOP || !code[at];
    return nothing;
}
#else
static bool does_nothing(const unsigned char *function) {
    static const unsigned char marked[] = {0xf3, 0x0f, 0x1e, 0xfa}; /* endbr64 */
    const bool is_marked = !memcmp(function, marked, sizeof marked);
    const unsigned char *at = function + (is_marked ? sizeof marked : 0);
    return (uintptr_t)function % ALIGNED == 0 && at[0] == 0xc3 &&
           strchr("\x66\x0f\x90\x2e\xcc", at[1]);
}
#endif

/* Before the C library's own constructor, which sets the environment. */
__attribute__((constructor)) static void begin(int argc, char **argv, char **variables) {
    (void)argc, (void)argv;
    environ = environ ? environ : variables;
    char *function = (char *)_r_debug.r_brk; /* NOLINT: an address */
    loaded();
    if (function && does_nothing((unsigned char *)function))
        begin_with_jump(function, (void *)(uintptr_t)loaded);
}
