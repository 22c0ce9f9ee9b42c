#include "base/elf.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- files and sections ----------------------------------------------------------------------- */

/* `bytes` at a place of the file, or NULL. */
static const void *part(const hd_elf *elf, uint64_t at, uint64_t bytes) {
    return at <= elf->size && bytes <= elf->size - at ? elf->data + at : NULL;
}

bool hd_elf_is(const hd_elf *elf) {
    const Elf64_Ehdr *head = part(elf, 0, sizeof *head);
    return head && !memcmp(head->e_ident, ELFMAG, SELFMAG) &&
           head->e_ident[EI_CLASS] == ELFCLASS64 && head->e_shentsize == sizeof(Elf64_Shdr);
}

bool hd_elf_open(const char *path, hd_elf *elf) {
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat status;
    *elf = (hd_elf){0};
    if (fd < 0)
        return false;
    if (!fstat(fd, &status) && S_ISREG(status.st_mode) && status.st_size > 0) {
        void *data = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (data != MAP_FAILED)
            *elf = (hd_elf){.data = data, .size = (size_t)status.st_size};
    }
    close(fd);
    if (elf->data && !hd_elf_is(elf))
        hd_elf_close(elf);
    if (elf->data)
        elf->is_absolute = ((const Elf64_Ehdr *)elf->data)->e_type == ET_EXEC;
    return elf->data != NULL;
}

void hd_elf_close(hd_elf *elf) {
    if (elf->data)
        munmap((void *)(uintptr_t)elf->data, elf->size);
    *elf = (hd_elf){0};
}

static const Elf64_Shdr *header_at(const hd_elf *elf, uint32_t index) {
    const Elf64_Ehdr *head = (const Elf64_Ehdr *)elf->data;
    uint64_t at;
    if (index >= head->e_shnum ||
        __builtin_add_overflow(head->e_shoff, (uint64_t)index * sizeof(Elf64_Shdr), &at))
        return NULL;
    return at % _Alignof(Elf64_Shdr) ? NULL : part(elf, at, sizeof(Elf64_Shdr));
}

const char *hd_elf_text(const hd_elf_section *texts, uint64_t at) {
    bool ends = at < texts->size && memchr(texts->data + at, '\0', texts->size - at);
    return ends ? texts->data + at : "";
}

static bool take_section(const hd_elf *elf, const Elf64_Shdr *h, hd_elf_section *section) {
    bool is_there = h->sh_type != SHT_NOBITS && h->sh_type != SHT_NULL;
    *section = (hd_elf_section){.name = "",
                                .type = h->sh_type,
                                .link = h->sh_link,
                                .address = h->sh_addr,
                                .data = is_there ? part(elf, h->sh_offset, h->sh_size) : NULL};
    section->size = section->data ? h->sh_size : 0;
    return section->data || !is_there;
}

bool hd_elf_section_at(const hd_elf *elf, uint32_t index, hd_elf_section *section) {
    const Elf64_Ehdr *head = (const Elf64_Ehdr *)elf->data;
    const Elf64_Shdr *h = header_at(elf, index), *names = header_at(elf, head->e_shstrndx);
    hd_elf_section texts;
    if (!h || !names || !take_section(elf, names, &texts) || !take_section(elf, h, section))
        return false;
    section->name = hd_elf_text(&texts, h->sh_name);
    return true;
}

/* ---- functions ----------------------------------------------------------------------------------- */

bool hd_elf_functions_of(const hd_elf *elf, hd_elf_functions *functions) {
    hd_elf_section section;
    *functions = (hd_elf_functions){0};
    for (uint32_t i = 0; hd_elf_section_at(elf, i, &section); i++)
        if ((section.type == SHT_SYMTAB || (section.type == SHT_DYNSYM && !functions->symbols)) &&
            (uintptr_t)section.data % _Alignof(Elf64_Sym) == 0 &&
            hd_elf_section_at(elf, section.link, &functions->names)) {
            functions->symbols = section.data;
            functions->count = section.size / sizeof(Elf64_Sym);
        }
    return functions->symbols;
}

const char *hd_elf_function_at(const hd_elf_functions *functions, size_t index, uint64_t *address) {
    const Elf64_Sym *symbol = (const Elf64_Sym *)functions->symbols + index;
    *address = symbol->st_value;
    return ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && symbol->st_shndx && symbol->st_size
               ? hd_elf_text(&functions->names, symbol->st_name)
               : NULL;
}

uint64_t hd_elf_find_function(const hd_elf_functions *functions, const char *name) {
    for (size_t i = 0; i < functions->count; i++) {
        uint64_t address;
        const char *is = hd_elf_function_at(functions, i, &address);
        if (is && !strcmp(is, name))
            return address;
    }
    return 0;
}

const char *hd_elf_function(const hd_elf *elf, uint64_t address) {
    hd_elf_functions functions;
    if (!hd_elf_functions_of(elf, &functions))
        return NULL;
    for (size_t i = 0; i < functions.count; i++) {
        uint64_t begin;
        const char *name = hd_elf_function_at(&functions, i, &begin);
        if (name && address - begin < ((const Elf64_Sym *)functions.symbols)[i].st_size)
            return name;
    }
    return NULL;
}

const char *hd_plain_symbol(const char *symbol) {
    static const char prefix[] = "__nv_static_";
    char *at;
    if (strncmp(symbol, prefix, sizeof prefix - 1))
        return symbol;
    unsigned long length = strtoul(symbol + sizeof prefix - 1, &at, 10);
    return *at == '_' && strlen(at) > length + 2 && at[length + 1] == '_' ? at + length + 2
                                                                          : symbol;
}

const char *hd_readable_symbol(hd_arena *arena, const char *symbol) {
    char *(*demangle)(const char *, char *, size_t *, int *);
    *(void **)&demangle = dlsym(RTLD_DEFAULT, "__cxa_demangle");
    symbol = hd_plain_symbol(symbol);
    if (!demangle || strncmp(symbol, "_Z", 2) != 0)
        return symbol;
    int status;
    char *text = demangle(symbol, NULL, NULL, &status);
    const char *kept = text && !status ? hd_strdup(arena, text) : symbol;
    free(text);
    return kept;
}
