/*
 * heddle run --dry: what of a CUDA program would be refused, told by the PTX and the symbols in its files,
 * without running it (docs/fidelity.md has what there is).
 */
#include <elf.h>
#include <stdlib.h>

#include "base/elf.h"
#include "cli/commands.h"
#include "cli/whole_program.h"
#include "cuda/cuda_device.h"
#include "cuda/fatbin.h"
#include "frontend/ptx/ast.h"
#include "kernel/cuda_calls.h"

typedef struct kernel_row {
    const char *name, *file; /* of the program, or the library */
    const char *why;         /* it is refused; NULL: it is not */
    const char *place;       /* "app.cu:17:5" */
} kernel_row;

typedef struct used_row {
    hd_feature feature;
    const char *name; /* of the feature, or of an instruction that there is not */
    uint64_t uses;
} used_row;

typedef struct dry_run {
    cli *c;
    const char *program, *device;
    uint32_t architecture;  /* 90 */
    uint32_t machine_codes; /* entries of fat binaries that have no PTX beside them */
    uint64_t exact;         /* instructions */
    uint32_t refused;       /* kernels */
    hd_vec(kernel_row) kernels;
    hd_vec(used_row) used; /* what is not exact */
    const char *why;       /* what the kernel at work is refused for */
    hd_place place;
} dry_run;

/* ---- the PTX ---------------------------------------------------------------------------------------- */

static void use(dry_run *d, hd_feature feature, const char *name) {
    if (feature.fidelity == HD_IS_EXACT) {
        d->exact++;
        return;
    }
    name = feature.name ? feature.name : name;
    for (size_t i = 0; i < d->used.count; i++)
        if (!strcmp(d->used.data[i].name, name) &&
            !strcmp(d->used.data[i].feature.group, feature.group)) {
            d->used.data[i].uses++;
            return;
        }
    hd_push(d->c->arena, &d->used, (used_row){feature, name, 1});
}

/* The first message about a kernel is why it is refused. */
static void take_message(const hd_message *message, void *user) {
    dry_run *d = user;
    if (d->why)
        return;
    d->why = hd_strdup(d->c->arena, message->text);
    d->place = message->place;
    d->place.file = message->place.file ? hd_strdup(d->c->arena, message->place.file) : NULL;
}

static void add_kernel(dry_run *d, const char *file, const char *symbol) {
    hd_arena *arena = d->c->arena;
    const char *name = hd_readable_symbol(arena, hd_plain_symbol(symbol));
    const char *place = d->why && d->place.file
                            ? hd_format(arena, "%s:%u", hd_path_name(d->place.file), d->place.line)
                            : NULL;
    name = strncmp(name, "void ", 5) ? name : name + 5;
    hd_push(arena, &d->kernels, (kernel_row){hd_strdup(arena, name), file, d->why, place});
    d->refused += d->why != NULL;
    d->why = NULL;
}

/* All kernels of a text, each by itself, as a program asks for them. */
static void read_text(dry_run *d, const char *file, const char *text, size_t length) {
    hd_arena *arena = hd_arena_new();
    const hd_diag diag = {take_message, d};
    ptx_module *ptx;
    kir_module *module;
    if (ptx_parse(arena, &diag, file, text, length, &ptx)) {
        add_kernel(d, file, "all kernels");
        hd_arena_free(arena);
        return;
    }
    for (uint32_t f = 0; f < ptx->function_count; f++)
        for (uint32_t i = 0; i < ptx->functions[f].inst_count; i++)
            if (ptx->functions[f].insts[i].word_count) {
                const ptx_inst *inst = &ptx->functions[f].insts[i];
                use(d, ptx_feature_of(inst), hd_strdup(d->c->arena, inst->words[0]));
            }
    struct ptx_shared *lowering = ptx_lower_begin(arena, &diag, ptx, &module);
    for (uint32_t f = 0, k = 0; f < ptx->function_count; f++)
        if (ptx->functions[f].is_entry && ptx->functions[f].has_body) {
            d->why = NULL;
            if (!ptx_lower_entry(lowering, module, k++))
                d->why = NULL; /* warnings */
            add_kernel(d, file, ptx->functions[f].name);
        }
    hd_arena_free(arena);
}

/* The fat binaries of a section, one behind the other. Of a program whose device code was linked the
 * parts' texts are one. */
static hd_status read_section(dry_run *d, const char *file, const hd_elf_section *section,
                              hd_str *linked) {
    cli *c = d->c;
    for (size_t at = 0; at + 16 <= section->size;) {
        const size_t size = cuda_fatbin_size(section->data + at), left = section->size - at;
        cuda_fatbin fatbin;
        if (!size) {
            at += 8; /* what it is filled up by */
            continue;
        }
        if (cuda_fatbin_read(c->arena, &c->diag, file, section->data + at,
                             size < left ? size : left, &fatbin))
            return HD_EINPUT;
        const cuda_ptx_text *text = cuda_fatbin_choose(&fatbin, d->architecture);
        if (text && linked)
            hd_str_printf(linked, "%s\n", text->text);
        else if (text)
            read_text(d, file, text->text, text->length);
        else
            d->machine_codes += fatbin.machine_codes;
        at += (size + 7) / 8 * 8;
    }
    return HD_OK;
}

/* ---- calls ------------------------------------------------------------------------------------------ */

typedef struct called {
    uint64_t address, end;
    const char *name; /* NULL: a function of the runtime's own */
} called;

static int by_address(const void *a, const void *b) {
    const called *x = a, *y = b;
    return (x->address > y->address) - (x->address < y->address);
}

/* Calls of a shared runtime are symbols of others. */
static void use_symbols(dry_run *d, const hd_elf *elf, const hd_elf_section *section) {
    const Elf64_Sym *symbols = (const Elf64_Sym *)section->data;
    hd_elf_section names;
    if ((uintptr_t)symbols % _Alignof(Elf64_Sym) || !hd_elf_section_at(elf, section->link, &names))
        return;
    for (size_t i = 0; i < section->size / sizeof *symbols; i++) {
        const char *name = hd_elf_text(&names, symbols[i].st_name);
        const hd_feature feature = hd_cuda_feature(name);
        if (!symbols[i].st_shndx && feature.name)
            use(d, feature, name);
    }
}

/* Those of a runtime that is linked in are found where the code calls them, outside of the runtime's own
 * (x86-64: e8, e9 and a distance). */
static void use_called(dry_run *d, const hd_elf *elf, const hd_elf_section *code) {
    hd_arena *arena = hd_arena_new();
    hd_elf_functions functions;
    hd_vec(called) calls = {0};
    if (!hd_elf_functions_of(elf, &functions))
        functions.count = 0;
    for (size_t i = 0; i < functions.count; i++) {
        uint64_t address;
        const char *name = hd_elf_function_at(&functions, i, &address);
        const uint64_t size = ((const Elf64_Sym *)functions.symbols)[i].st_size;
        const bool is_call = name && hd_cuda_feature(name).name;
        if (is_call || (name && !strncmp(name, "libcudart_static_", 17)))
            hd_push(arena, &calls, (called){address, address + size, is_call ? name : NULL});
    }
    if (calls.count)
        qsort(calls.data, calls.count, sizeof *calls.data, by_address);
    size_t own = 0; /* the first of the runtime's functions that does not end before this byte */
    for (size_t at = 0; calls.count && at + 5 <= code->size; at++) {
        const uint64_t here = code->address + at;
        while (own < calls.count && calls.data[own].end <= here)
            own++;
        if (own < calls.count && calls.data[own].address <= here) {
            at += calls.data[own].end - here - 1;
            continue;
        }
        const uint8_t first = (uint8_t)code->data[at];
        int32_t distance;
        memcpy(&distance, code->data + at + 1, sizeof distance);
        if (first != 0xe8 && first != 0xe9)
            continue;
        const called key = {.address = here + 5 + (uint64_t)(int64_t)distance};
        const called *found =
            bsearch(&key, calls.data, calls.count, sizeof *calls.data, by_address);
        if (found && found->name)
            use(d, hd_cuda_feature(found->name), hd_strdup(d->c->arena, found->name));
    }
    hd_arena_free(arena);
}

/* ---- files ------------------------------------------------------------------------------------------ */

static hd_status read_program(dry_run *d, const char *file, bool *has_kernels) {
    hd_elf elf;
    hd_elf_section section;
    hd_str linked = {.arena = d->c->arena};
    hd_status status = HD_OK;
    if (!hd_elf_open(file, &elf))
        return cli_refuse(d->c, "%s is no program of 64 bits (ELF)", file);
    for (uint32_t i = 0; !status && hd_elf_section_at(&elf, i, &section); i++) {
        const bool is_part = !strcmp(section.name, "__nv_relfatbin");
        if (is_part || !strcmp(section.name, ".nv_fatbin")) {
            *has_kernels = true;
            status = read_section(d, file, &section, is_part ? &linked : NULL);
        }
        if (section.type == SHT_DYNSYM)
            use_symbols(d, &elf, &section);
        else if (section.type == SHT_PROGBITS && !strcmp(section.name, ".text"))
            use_called(d, &elf, &section);
    }
    if (linked.length) {
        d->machine_codes = 0; /* what the parts were linked to */
        read_text(d, file, hd_str_text(&linked), linked.length);
    }
    hd_elf_close(&elf);
    return status;
}

/* ---- results ---------------------------------------------------------------------------------------- */

static hd_value fidelity_of(const hd_view *view, const void *at) {
    (void)view;
    return hd_text(hd_fidelity_name(((const used_row *)at)->feature.fidelity));
}
static const hd_member kernel_members[] = {
    {"kernel", "kernel", HD_PLAIN, HD_AT(kernel_row, name)},
    {"file", NULL, HD_PLAIN, HD_AT(kernel_row, file)},
    {"place", "place", HD_PLAIN, HD_AT(kernel_row, place)},
    {"refused", "refused for", HD_PLAIN, HD_AT(kernel_row, why)},
    {0}};
static const hd_member used_members[] = {{"name", "used", HD_PLAIN, HD_AT(used_row, name)},
                                         {"group", "of", HD_PLAIN, HD_AT(used_row, feature.group)},
                                         {"uses", "times", HD_COUNT, HD_AT(used_row, uses)},
                                         {"fidelity", "is", HD_PLAIN, .get = fidelity_of},
                                         {"how", "how", HD_PLAIN, HD_AT(used_row, feature.how)},
                                         {0}};
static const hd_member result_members[] = {
    HD_SAME(dry_run, program, device, exact, machine_codes),
    {"kernels", HD_MANY(dry_run, kernels.data, kernels.count), .of = kernel_members},
    {"used", HD_MANY(dry_run, used.data, used.count), .of = used_members},
    {0}};

/* What is refused first, then what is used most. */
static int by_fidelity(const void *a, const void *b) {
    const used_row *x = a, *y = b;
    if (x->feature.fidelity != y->feature.fidelity)
        return x->feature.fidelity < y->feature.fidelity ? 1 : -1;
    return x->uses != y->uses ? (x->uses < y->uses ? 1 : -1) : strcmp(x->name, y->name);
}

static void show(const dry_run *d, hd_str *out) {
    hd_arena *arena = d->c->arena;
    hd_vec(kernel_row) refused = {0};
    for (size_t i = 0; i < d->kernels.count; i++)
        if (d->kernels.data[i].why)
            hd_push(arena, &refused, d->kernels.data[i]);
    hd_str_printf(out, "%s on %s: %s in PTX, %u refused; %s and calls exact\n", d->program,
                  d->device, hd_show_counted(arena, d->kernels.count, "kernel", "s"), d->refused,
                  hd_show_counted(arena, d->exact, "instruction", "s"));
    if (d->machine_codes)
        hd_str_printf(out,
                      "%s for machine code alone, which only a GPU runs: nvcc -gencode "
                      "arch=compute_75,code=compute_75 adds PTX\n",
                      hd_show_counted(arena, d->machine_codes, "fat binary stands", "s"));
    if (refused.count)
        cli_show_rows(d->c, "\nRefused when they are launched", kernel_members,
                      hd_rows(refused.data, refused.count), out);
    if (d->used.count)
        cli_show_rows(d->c, "\nNot exact", used_members, hd_rows(d->used.data, d->used.count), out);
}

int cli_run_dry(cli *c, const hd_device *device) {
    cuda_device cuda;
    bool has_kernels = false;
    cuda_device_of(device, &cuda);
    dry_run d = {.c = c,
                 .program = c->words[0],
                 .device = device->name,
                 .architecture = 10 * cuda.major + cuda.minor};
    if (read_program(&d, cli_program_file(c->arena, c->words[0]), &has_kernels))
        return CLI_WRONG;
    if (!has_kernels)
        return cli_wrong(c,
                         "%s has no kernels of CUDA in it; --dry reads what nvcc has put into a "
                         "program or a library",
                         c->words[0]);
    if (d.used.count)
        qsort(d.used.data, d.used.count, sizeof *d.used.data, by_fidelity);
    bool is_refused = d.refused || d.machine_codes;
    for (size_t i = 0; i < d.used.count; i++)
        is_refused |= d.used.data[i].feature.fidelity == HD_IS_REFUSED &&
                      hd_cuda_feature(d.used.data[i].name).name;
    hd_str out = {.arena = c->arena};
    show(&d, &out);
    int printed = c->json ? cli_print_row(c, result_members, hd_row(&d)) : cli_print(c, &out);
    return printed ? printed : is_refused ? CLI_DIFFER : CLI_FINE;
}
