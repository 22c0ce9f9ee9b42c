#include <dlfcn.h>
#include <execinfo.h>
#include <string.h>

#include "base/elf.h"
#include "watch/watch.h"

static const void *library_of(const void *address) {
    Dl_info info;
    return dladdr(address, &info) ? info.dli_fbase : NULL;
}

/* Of the libraries that stand between the program and the machine. */
static bool is_own(const void *address, const char *const *others) {
    Dl_info info;
    if (!dladdr(address, &info) || !info.dli_fname)
        return false;
    const char *name = hd_path_name(info.dli_fname);
    while (*others && strncmp(name, *others, strlen(*others)) != 0)
        others++;
    return *others || info.dli_fbase == library_of((const void *)(uintptr_t)is_own);
}

void hd_stack_take(hd_stack *stack, const char *const *others) {
    void *frames[HD_STACK_MOST + 12];
    int count = backtrace(frames, HD_STACK_MOST + 12), first = 0;
    while (first < count && is_own(frames[first], others))
        first++;
    stack->count = 0;
    for (int i = first; i < count && stack->count < HD_STACK_MOST; i++)
        stack->frames[stack->count++] = frames[i];
}

/* "main (app+0x1234)", or without the name where nobody knows it. */
static void add_frame(hd_str *text, const Dl_info *info, const char *call) {
    const char *file = hd_path_name(info->dli_fname), *name = info->dli_sname;
    size_t offset = (size_t)(call - (const char *)info->dli_fbase);
    hd_elf elf = {0};
    if (!name && hd_elf_open(info->dli_fname, &elf))
        name = hd_elf_function(&elf, elf.is_absolute ? (uint64_t)(uintptr_t)call : offset);
    if (name)
        hd_str_printf(text, "%s (%s+0x%zx)\n", hd_readable_symbol(text->arena, name), file, offset);
    else
        hd_str_printf(text, "%s+0x%zx\n", file, offset);
    hd_elf_close(&elf);
}

const char *hd_stack_text(hd_arena *arena, const hd_stack *stack, const char *indent) {
    hd_str text = {.arena = arena};
    for (uint32_t i = 0; i < stack->count; i++) {
        const char *call = (const char *)stack->frames[i] - 1; /* it returns behind the call */
        Dl_info info;
        bool known = dladdr(call, &info) && info.dli_fname;
        if (known && !strncmp(hd_path_name(info.dli_fname), "libc.so", 7))
            break; /* what starts a program tells nothing */
        hd_str_add(&text, indent);
        if (known)
            add_frame(&text, &info, call);
        else
            hd_str_printf(&text, "%p\n", (const void *)call);
    }
    return hd_str_text(&text);
}
