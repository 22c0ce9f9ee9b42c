/*
 * hd_ptx_* without a machine, for tests of what stands on it (src/cuda): memory is the process's,
 * modules have the entries and variables that a small reader finds in the text, and a launch notes
 * its name and sizes and calls the function that a test has set (stand_in/ptx.h).
 */
#include "cuda/stand_in/ptx.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/base.h"

enum { MOST = 64, MOST_PARAMS = 32 };

struct hd_ptx_kernel {
    hd_ptx_module *module;
    char name[256];
    hd_ptx_kernel_facts facts;
    uint32_t offsets[MOST_PARAMS], bytes[MOST_PARAMS];
};

struct hd_ptx_module {
    hd_ptx *machine;
    struct hd_ptx_kernel kernels[MOST];
    uint32_t kernel_count;
    struct {
        char name[256];
        void *memory;
        size_t bytes;
    } variables[MOST];
    uint32_t variable_count;
};

struct hd_ptx {
    hd_diag diag;
};

stand_in_fn *stand_in_launched;
const char *stand_in_fault;

hd_status hd_ptx_open(const hd_ptx_options *options, const hd_diag *diag, hd_ptx **machine) {
    (void)options;
    *machine = hd_zeroed(1, sizeof **machine);
    (*machine)->diag = *diag;
    return HD_OK;
}
void hd_ptx_close(hd_ptx *machine) { free(machine); }

/* ---- texts -------------------------------------------------------------------------------------- */

static uint32_t type_bytes(const char *type) { /* "u32", "b8" */
    return (uint32_t)strtoul(type + 1 + (type[0] == 'b' && type[1] == 'f'), NULL, 10) / 8;
}

/* ".param .u64 name," and ".param .align 8 .b8 name[16]" up to ")". */
static void read_params(hd_ptx_kernel *k, const char *text, const char *end) {
    while ((text = strstr(text, ".param")) && text < end) {
        const char *stop = text + strcspn(text, ",)"), *align = strstr(text, ".align");
        uint32_t a = align && align < stop ? (uint32_t)strtoul(align + 6, NULL, 10) : 0;
        const char *type = stop;
        while (*type != '.')
            type--;
        const char *array = strchr(type, '[');
        uint32_t size = type_bytes(type + 1);
        uint32_t count = array && array < stop ? (uint32_t)strtoul(array + 1, NULL, 10) : 1;
        uint32_t at = (uint32_t)hd_align_up(k->facts.params_bytes, a ? a : size);
        k->offsets[k->facts.param_count] = at;
        k->bytes[k->facts.param_count++] = size * count;
        k->facts.params_bytes = at + size * count;
        text = stop;
    }
}

static void read_entries(hd_ptx_module *m, const char *text) {
    while ((text = strstr(text, ".entry "))) {
        text += 7;
        hd_ptx_kernel *k = &m->kernels[m->kernel_count++];
        size_t length = strcspn(text, "( \n");
        memcpy(k->name, text, length);
        k->module = m;
        k->facts.registers = 32;
        const char *open = text + strcspn(text, "("), *end = strchr(open, ')');
        read_params(k, open, end);
        const char *body = strchr(end, '{'), *limit = strstr(end, ".maxntid");
        if (limit && body && limit < body)
            k->facts.most_threads = (uint32_t)strtoul(limit + 8, NULL, 10);
    }
}

/* ".global .align 4 .u32 name;", ".const .align 4 .b8 name[16];" at the beginning of a line. */
static void read_variables(hd_ptx_module *m, const char *text) {
    for (; text; text = strchr(text, '\n'), text = text ? text + 1 : NULL) {
        size_t length = strcspn(text, "\n");
        char line[512], *at;
        snprintf(line, sizeof line, "%.*s", (int)length, text);
        if (!(at = strstr(line, ".global .align")) && !(at = strstr(line, ".const .align")) &&
            !(at = strstr(line, ".global .attribute")))
            continue;
        at[strcspn(at, ";=")] = '\0';
        char *type = strrchr(at, '.'), *name = type + strcspn(type, " ") + 1;
        char *array = strchr(name, '[');
        size_t count = array ? strtoul(array + 1, NULL, 10) : 1;
        name[strcspn(name, "[ ")] = '\0';
        snprintf(m->variables[m->variable_count].name, 256, "%s", name);
        m->variables[m->variable_count].bytes = type_bytes(type + 1) * count;
        m->variables[m->variable_count].memory =
            hd_zeroed(1, m->variables[m->variable_count].bytes);
        m->variable_count++;
    }
}

hd_status hd_ptx_load(hd_ptx *machine, const char *name, const char *text, size_t length,
                      hd_ptx_module **module) {
    (void)length;
    if (!strstr(text, ".version"))
        return hd_fail(&machine->diag, HD_EINPUT, &(hd_place){.file = name, .line = 1},
                       "this is no PTX: it has no .version");
    hd_ptx_module *m = hd_zeroed(1, sizeof *m);
    m->machine = machine;
    read_entries(m, text);
    read_variables(m, text);
    *module = m;
    return HD_OK;
}

void hd_ptx_unload(hd_ptx_module *module) {
    for (uint32_t i = 0; i < module->variable_count; i++)
        free(module->variables[i].memory);
    free(module);
}

hd_ptx_kernel *hd_ptx_find(hd_ptx_module *module, const char *entry) {
    for (uint32_t i = 0; i < module->kernel_count; i++)
        if (!strcmp(module->kernels[i].name, entry))
            return &module->kernels[i];
    return NULL;
}
bool hd_ptx_has(const hd_ptx_module *module, const char *entry) {
    return hd_ptx_find((hd_ptx_module *)(uintptr_t)module, entry) != NULL;
}
uint32_t hd_ptx_kernel_count(const hd_ptx_module *module) { return module->kernel_count; }
hd_ptx_kernel *hd_ptx_kernel_at(hd_ptx_module *module, uint32_t index) {
    return &module->kernels[index];
}
uint32_t hd_ptx_function_count(const hd_ptx_module *module) { return module->kernel_count; }
const char *hd_ptx_entry_of(const hd_ptx_module *module, uint32_t function,
                            uint32_t *params_bytes) {
    const hd_ptx_kernel *kernel = &module->kernels[function];
    *params_bytes = kernel->facts.params_bytes;
    return kernel->name;
}
const char *hd_ptx_kernel_name(const hd_ptx_kernel *kernel) { return kernel->name; }
hd_ptx_kernel_facts hd_ptx_facts(const hd_ptx_kernel *kernel) { return kernel->facts; }
void hd_ptx_param(const hd_ptx_kernel *kernel, uint32_t index, uint32_t *offset, uint32_t *bytes) {
    *offset = kernel->offsets[index];
    *bytes = kernel->bytes[index];
}

bool hd_ptx_variable(hd_ptx_module *module, const char *name, void **address, size_t *bytes) {
    for (uint32_t i = 0; i < module->variable_count; i++)
        if (!strcmp(module->variables[i].name, name)) {
            *address = module->variables[i].memory;
            *bytes = module->variables[i].bytes;
            return true;
        }
    return false;
}

/* ---- memory and launches -------------------------------------------------------------------------- */

void *hd_ptx_alloc(hd_ptx *machine, size_t bytes, size_t align) {
    (void)machine;
    return bytes > (size_t)1 << 40 ? NULL : aligned_alloc(align, hd_align_up(bytes, align));
}
void *hd_ptx_alloc_named(hd_ptx *machine, const char *name, size_t bytes, size_t align) {
    (void)name;
    return hd_ptx_alloc(machine, bytes, align);
}
hd_status hd_ptx_free(hd_ptx *machine, void *address) {
    (void)machine;
    free(address);
    return HD_OK;
}
hd_status hd_ptx_place(hd_ptx *machine, const char *name, void *address, size_t bytes) {
    (void)machine, (void)name, (void)address, (void)bytes;
    return HD_OK;
}
hd_status hd_ptx_remove(hd_ptx *machine, void *address) {
    (void)machine, (void)address;
    return HD_OK;
}

void hd_ptx_wrote(hd_ptx *machine, const void *address, size_t bytes) {
    (void)machine, (void)address, (void)bytes;
}

static bool access_failed;
hd_ptx_fault hd_ptx_last_fault(const hd_ptx *machine) {
    (void)machine;
    return (hd_ptx_fault){.is_access = access_failed};
}

hd_status hd_ptx_launch(hd_ptx_kernel *kernel, const hd_ptx_launch_size *size, void *const *args,
                        hd_ptx_counts *counts) {
    if (counts)
        *counts = (hd_ptx_counts){.blocks = size->grid[0]};
    if (stand_in_fault) {
        const char *fault = stand_in_fault;
        stand_in_fault = NULL;
        access_failed = strstr(fault, "address") != NULL;
        return hd_fail(&kernel->module->machine->diag, HD_EINPUT, NULL, "%s", fault);
    }
    if (stand_in_launched)
        stand_in_launched(kernel->name, size, args);
    return HD_OK;
}
void hd_ptx_set_sink(hd_ptx *machine, const struct hd_sink *sink) { (void)machine, (void)sink; }

const char *hd_ptx_kernel_title(const hd_ptx_kernel *kernel) { return kernel->name; }

const char *hd_ptx_param_title(const hd_ptx_kernel *kernel, uint32_t index, bool *is_pointer) {
    *is_pointer = kernel->bytes[index] == sizeof(void *);
    return "param";
}

bool hd_ptx_kernel_variable(const hd_ptx_kernel *kernel, uint32_t index, const char **title,
                            void **address, size_t *bytes) {
    if (index >= kernel->module->variable_count)
        return false;
    *title = kernel->module->variables[index].name;
    *address = kernel->module->variables[index].memory;
    *bytes = kernel->module->variables[index].bytes;
    return true;
}
