/*
 * One launch on the machine, from source in OpenCL C or from kir as text: buffers of
 * ints in, ints, messages and what was printed out.
 */
#ifndef HD_TESTS_VM_MACHINE_H
#define HD_TESTS_VM_MACHINE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "folder.h"
#include "support.h"
#include "machine/vm.h"

typedef struct machine {
    hd_arena *arena;
    hd_diag diag;
    hd_str messages, printed;
    hd_job *job;
    hd_vm *vm;
    hd_status status; /* of reading, compiling and running */
} machine;

static void machine_message(const hd_message *m, void *user) {
    machine *k = user;
    hd_str_printf(&k->messages, "%u:%u: %s\n", m->place.line, m->place.column, m->text);
}

static void machine_print(void *user, const char *text, size_t length) {
    hd_str_addn(&((machine *)user)->printed, text, length);
}

/* A buffer of `count` ints, filled with data unless that is NULL. */
typedef struct machine_buffer {
    const char *name;
    uint32_t count;
    const void *data;
} machine_buffer;

static void machine_write_job(machine *k, const char *folder, const machine_buffer *buffers,
                              uint32_t count, uint32_t global, uint32_t local) {
    hd_str job = {.arena = k->arena}, args = {.arena = k->arena};
    hd_str_add(&job, "kernel: kernel.cl\noptions: -cl-std=CL2.0\n");
    for (uint32_t b = 0; b < count; b++) {
        hd_str_printf(&job, "%s  - {name: %s, type: int, count: %u", b ? "" : "buffers:\n",
                      buffers[b].name, buffers[b].count);
        if (buffers[b].data) {
            const char *file = hd_format(k->arena, "%s/%s", folder, buffers[b].name);
            assert_int_equal(hd_write_file(&k->diag, file, buffers[b].data, 4 * buffers[b].count),
                             HD_OK);
            hd_str_printf(&job, ", file: %s", buffers[b].name);
        }
        hd_str_add(&job, "}\n");
        hd_str_printf(&args, "      - {name: %s, buffer: %s}\n", buffers[b].name, buffers[b].name);
    }
    hd_str_printf(&job, "launches:\n  - kernel: k\n    global: [%u]\n    local: [%u]\n%s%s", global,
                  local, count ? "    args:\n" : "", hd_str_text(&args));
    const char *path = hd_format(k->arena, "%s/job.yaml", folder);
    assert_int_equal(hd_write_file(&k->diag, path, hd_str_text(&job), job.length), HD_OK);
    assert_int_equal(hd_job_read(k->arena, &k->diag, path, &k->job), HD_OK);
}

/* Runs kernel `k` of the text; one that begins with a ';' is kir. */
static inline void machine_run(machine *k, const char *text, const machine_buffer *buffers,
                               uint32_t count, uint32_t global, uint32_t local) {
    *k = (machine){.arena = hd_arena_new()};
    k->diag = (hd_diag){machine_message, k};
    k->messages.arena = k->printed.arena = k->arena;
    char *folder = folder_make(k->arena);
    const char *source = hd_format(k->arena, "%s/kernel.cl", folder);
    assert_int_equal(hd_write_file(&k->diag, source, text, strlen(text)), HD_OK);
    machine_write_job(k, folder, buffers, count, global, local);
    kir_module *module;
    hd_status status = *text == ';'
                           ? kir_parse(k->arena, &k->diag, "kernel.kir", text, &module)
                           : hd_frontend(k->arena, &k->diag, source, k->job->options, &module);
    if (!status)
        status = hd_job_resolve(k->arena, &k->diag, k->job, module);
    hd_vm_options options = {.workers = 1, .print = machine_print, .user = k};
    if (!status)
        status = hd_vm_open(k->arena, &k->diag, k->job, NULL, &options, &k->vm);
    k->status = status ? status : hd_vm_run(k->vm, 0, NULL, NULL);
    folder_remove(folder);
}

/* Runs a text of one kernel in kir on buffers of `count` elements each, of the types that its
 * parameters say, with these contents. No file is written. */
static inline void machine_run_kir_with(machine *k, const char *text, void *const *contents,
                                        uint64_t count, uint64_t global, uint64_t local,
                                        hd_vm_options options) {
    *k = (machine){.arena = hd_arena_new()};
    k->diag = (hd_diag){machine_message, k};
    k->messages.arena = k->printed.arena = k->arena;
    kir_module *module;
    hd_job_flags flags = {.kernel_path = "kernel.kir",
                          .dims = 1,
                          .global = {global, 1, 1},
                          .local = {local, 1, 1},
                          .count = count};
    hd_status status = kir_parse(k->arena, &k->diag, flags.kernel_path, text, &module);
    if (!status)
        status = hd_job_from_flags(k->arena, &k->diag, &flags, module, &k->job);
    options.workers = 1;
    options.print = machine_print;
    options.user = k;
    if (!status)
        status = hd_vm_open(k->arena, &k->diag, k->job, contents, &options, &k->vm);
    k->status = status ? status : hd_vm_run(k->vm, 0, NULL, NULL);
}

static inline void machine_run_kir(machine *k, const char *text, void *const *contents,
                                   uint64_t count, uint64_t global, uint64_t local) {
    machine_run_kir_with(k, text, contents, count, global, local, (hd_vm_options){0});
}

static inline const int32_t *machine_ints(const machine *k, uint32_t buffer) {
    return hd_vm_contents(k->vm, buffer);
}

static inline void machine_close(machine *k) {
    if (k->vm)
        hd_vm_close(k->vm);
    hd_arena_free(k->arena);
}

#endif
