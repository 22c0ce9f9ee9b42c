/*
 * Loops as a program has them: C text that knows the struct's fields and where their runs begin,
 * compiled by `cc -O3 -march=native` and loaded. Runs are separate pointers, not said to be apart.
 */
#include <dlfcn.h>
#include <spawn.h>
#include <sys/wait.h>

#include "remap/remap.h"

extern char **environ;

static const char begun[] =
    "#include <stdint.h>\n"
    "typedef struct { float of[4]; } float4;\n"
    "void run(char *to, const char *from, uint64_t rows, uint64_t columns,\n"
    "         const uint32_t *index, uint64_t begin, uint64_t end) {\n";

static const char *type_of(unsigned bytes) {
    return bytes == 1   ? "uint8_t"
           : bytes == 2 ? "uint16_t"
           : bytes == 4 ? "uint32_t"
           : bytes == 8 ? "uint64_t"
                        : "float4";
}

const char *loop_records(hd_arena *arena, const any_record *r, const hd_remap *map, unsigned tile,
                         bool back) {
    hd_str text = {.arena = arena};
    hd_str_printf(&text, "%s    typedef struct {", begun);
    for (unsigned f = 0; f < r->count; f++)
        hd_str_printf(&text, " %s f%u;", type_of(r->size[f]), f);
    hd_str_printf(&text, " } record;\n    %srecord *s = (%srecord *)%s;\n", back ? "" : "const ",
                  back ? "" : "const ", back ? "to" : "from");
    for (unsigned f = 0; f < r->count; f++)
        hd_str_printf(&text, "    %s%s *a%u = (%s%s *)(%s + %lluu);\n", back ? "const " : "",
                      type_of(r->size[f]), f, back ? "const " : "", type_of(r->size[f]),
                      back ? "from" : "to", (unsigned long long)hd_remap_find(map, 0, f).offset);
    hd_str_add(&text, "    for (uint64_t i = begin; i < end; i++) {\n");
    for (unsigned f = 0; f < r->count; f++) {
        const char *at = "i";
        if (tile)
            at = hd_format(arena, "i / %u * %zu + i %% %u", tile,
                           (size_t)tile * r->bytes / r->size[f], tile);
        hd_str_printf(
            &text, back ? "        s[i].f%u = a%u[%s];\n" : "        a%2$u[%3$s] = s[i].f%1$u;\n",
            f, f, at);
    }
    hd_str_add(&text, "    }\n}\n");
    return hd_str_text(&text);
}

const char *loop_transpose(hd_arena *arena, unsigned bytes) {
    return hd_format(arena,
                     "%s    for (uint64_t r = begin; r < end; r++)\n"
                     "        for (uint64_t c = 0; c < columns; c++)\n"
                     "            ((%s *)to)[c * rows + r] = ((const %s *)from)[r * columns + c];\n"
                     "}\n",
                     begun, type_of(bytes), type_of(bytes));
}

const char *loop_gather(hd_arena *arena, unsigned bytes) {
    return hd_format(arena,
                     "%s    for (uint64_t i = begin; i < end; i++)\n"
                     "        ((%s *)to)[i] = ((const %s *)from)[index[i]];\n"
                     "}\n",
                     begun, type_of(bytes), type_of(bytes));
}

static bool compile(const char *source, const char *library) {
    const char *const words[] = {"cc", "-O3",   "-march=native", "-shared", "-fPIC",
                                 "-o", library, source,          NULL};
    pid_t child;
    int ended;
    return posix_spawnp(&child, "cc", NULL, NULL, (char *const *)(uintptr_t)words, environ) == 0 &&
           waitpid(child, &ended, 0) == child && ended == 0;
}

hd_status loop_open(hd_arena *arena, const hd_diag *diag, const char *text, loop *l) {
    char *folder = NULL;
    hd_status status = hd_scratch_make(arena, diag, &folder);
    if (status != HD_OK)
        return status;
    const char *source = hd_format(arena, "%s/loop.c", folder);
    const char *library = hd_format(arena, "%s/loop.so", folder);
    status = hd_write_file(diag, source, text, strlen(text));
    if (status == HD_OK && !compile(source, library))
        status =
            hd_fail(diag, HD_ESYSTEM, NULL,
                    "cc does not compile the loop to compare with; install a C compiler as cc");
    if (status == HD_OK && !(l->library = dlopen(library, RTLD_NOW | RTLD_LOCAL)))
        status = hd_fail(diag, HD_ESYSTEM, NULL, "cannot load the compiled loop: %s", dlerror());
    if (status == HD_OK)
        l->run = (loop_fn *)(uintptr_t)dlsym(l->library, "run");
    hd_scratch_remove(folder);
    return status;
}

void loop_close(loop *l) {
    if (l->library)
        dlclose(l->library);
}

void loop_part(const void *job, uint64_t begin, uint64_t end) {
    const loop *l = job;
    l->run(l->to, l->from, l->rows, l->columns, l->index, begin, end);
}
