/* What the files of heddle/ptx.h share. Nobody else includes this. */
#ifndef HD_PTX_INTERNAL_H
#define HD_PTX_INTERNAL_H

#include "base/table.h"
#include "heddle/ptx.h"
#include "machine/vm.h"

struct hd_ptx {
    hd_arena *arena;
    hd_diag diag;
    hd_ptx_options options;
    hd_vm *vm;
    hd_sink sink;
    bool has_sink;
    uint64_t allocations; /* so far */
    hd_ptx_module *modules;
};

/* Of a launch's packed buffer. */
typedef struct api_param {
    uint32_t offset, bytes;
} api_param;

struct hd_ptx_kernel {
    hd_ptx_module *module;
    const char *entry;                   /* its name in the text, which messages may shorten */
    const struct ptx_function *function; /* NULL: the text is kir's */
    const kir_kernel *kernel;            /* NULL, and so on: not asked for yet, or it has failed */
    hd_status status;
    api_param *params;
    uint64_t *variables; /* [kernel->static_count] addresses */
    hd_ptx_kernel_facts facts;
};

typedef struct api_variable {
    const char *name;
    void *address;
    uint64_t bytes;
} api_variable;

struct hd_ptx_module {
    hd_ptx *machine;
    hd_ptx_module *next, **link; /* in machine->modules, and what points to this one there */
    hd_arena *arena;
    kir_module *kir;
    const struct ptx_module *ptx; /* NULL: the text is kir's */
    struct ptx_shared *lowering;
    hd_ptx_kernel *kernels; /* [kir->kernel_count] */
    hd_vec(api_variable) variables;
    hd_hash_table rows; /* of variables by their names */
};

/* New memory of the machine's, or NULL. */
void *api_allocate(hd_ptx *machine, const void *owner, const char *name, uint64_t bytes,
                   uint64_t align, bool is_constant, bool is_written);

#endif
