/*
 * ELF files of 64 bits: their sections, their functions, and which one an address is in.
 *
 *     hd_elf elf;
 *     if (hd_elf_open("/usr/bin/true", &elf)) {
 *         hd_elf_section s;
 *         for (uint32_t i = 0; hd_elf_section_at(&elf, i, &s); i++)
 *             puts(s.name);
 *         hd_elf_close(&elf);
 *     }
 */
#ifndef HD_BASE_ELF_H
#define HD_BASE_ELF_H

#include "base/base.h"

typedef struct hd_elf {
    const char *data; /* the whole file */
    size_t size;
    bool is_absolute; /* its addresses are those that it runs at */
} hd_elf;

typedef struct hd_elf_section {
    const char *name; /* ends in '\0' within the file */
    uint32_t type, link;
    const char *data;
    size_t size;
    uint64_t address; /* where it runs, in the file */
} hd_elf_section;

/* False: there is no such file, or it is none of ELF. */
bool hd_elf_open(const char *path, hd_elf *elf);
void hd_elf_close(hd_elf *elf);
/* Whether bytes in memory, which are given as a file's, begin as one of ELF. */
bool hd_elf_is(const hd_elf *elf);
/* False: there are no more, or the file is damaged there. */
bool hd_elf_section_at(const hd_elf *elf, uint32_t index, hd_elf_section *section);
/* The text at a place of a section of texts; "" where there is none. */
const char *hd_elf_text(const hd_elf_section *texts, uint64_t at);
/* The functions that a file has, by its symbols, or, where it was stripped of them, by those that others
 * link. */
typedef struct hd_elf_functions {
    const void *symbols;
    size_t count; /* of symbols, of which some are no functions */
    hd_elf_section names;
} hd_elf_functions;
/* False: the file has no symbols. */
bool hd_elf_functions_of(const hd_elf *elf, hd_elf_functions *functions);
/* The name of one, and its address in the file; NULL: this symbol is none. */
const char *hd_elf_function_at(const hd_elf_functions *functions, size_t index, uint64_t *address);
/* The address of the function of this name; 0: there is none. */
uint64_t hd_elf_find_function(const hd_elf_functions *functions, const char *name);
/* The function that an address of the file is in, as its symbols say; NULL: they don't. */
const char *hd_elf_function(const hd_elf *elf, uint64_t address);

/* "add<float>(float*)" for C++'s symbol of it, where the C++ library is in the process; else the
 * symbol itself. */
/* The symbol that stands behind what nvcc puts before those that are a file's own, where it compiles files
 * to be linked: "_Z3addPi" of "__nv_static_16__94676758_4_a_cu__Z3addPi". */
const char *hd_plain_symbol(const char *symbol);
const char *hd_readable_symbol(hd_arena *arena, const char *symbol);

#endif
