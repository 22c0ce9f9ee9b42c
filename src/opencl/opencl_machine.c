#include "opencl/opencl_machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "watch/heddle_child.h"

/* A process has one machine; hence the only global state of this code. */
static machine the_machine = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- messages ------------------------------------------------------------------------------------ */

/* The line of a program's source, or NULL. */
static const char *source_line(const machine *m, const hd_place *place) {
    for (size_t i = 0; i < m->programs.count; i++) {
        const char *at = m->programs.data[i]->text;
        if (strcmp(m->programs.data[i]->file, place->file) != 0)
            continue;
        for (uint32_t line = 1; line < place->line && at; line++)
            at = (at = strchr(at, '\n')) ? at + 1 : NULL;
        return at ? hd_strndup(m->arena, at, strcspn(at, "\n")) : NULL;
    }
    return NULL;
}

static void take_message(const hd_message *message, void *user) {
    machine *m = user;
    hd_progress_erase(m->progress);
    const char *severity = message->severity == HD_ERROR     ? "error: "
                           : message->severity == HD_WARNING ? "warning: "
                                                             : "";
    m->message = hd_format(m->arena, "%s%s", severity, message->text);
    const char *line = NULL;
    if (message->place.file && message->place.line) {
        m->message =
            hd_format(m->arena, "%s:%u: %s", message->place.file, message->place.line, m->message);
        line = source_line(m, &message->place);
    }
    fprintf(stderr, "heddle: %s\n", m->message);
    if (m->kernel)
        fprintf(stderr, "  in kernel %s\n", m->kernel);
    if (line)
        fprintf(stderr, "    %s\n", line);
}

/* ---- the machine ----------------------------------------------------------------------------------- */

bool machine_is_asked_for(void) {
    const char *folder = getenv("HEDDLE_WATCH");
    return folder && *folder;
}

static bool list_memory(void *user, bool gone, size_t index, hd_watched_memory *memory) {
    const machine *m = user;
    if (index >= (gone ? m->gone.count : m->live.count))
        return false;
    *memory = gone ? m->gone.data[index] : m->live.data[index];
    return true;
}

static uint64_t most_memory(void *user) { return ((machine *)user)->most_used; }

static void write_results(void *user) { hd_watch_end(((machine *)user)->watch); }

static void open_machine(machine *m) {
    m->arena = hd_arena_new();
    m->diag = (hd_diag){take_message, m};
    m->by_source = (hd_hash_table){.arena = m->arena, .key_bytes = HD_TEXT_KEYS};
    m->device = hd_watched_device(m->arena, &m->diag);
    m->watched = (hd_watch_host){.user = m,
                                 .interface = "opencl",
                                 .diag = &m->diag,
                                 .device = m->device,
                                 .memory_name = "buffer",
                                 .made_name = "created",
                                 .memory = list_memory,
                                 .most_memory = most_memory};
    m->watch = hd_watch_new(m->arena, &m->watched);
    /* A driver may allow larger work-groups than any GPU. */
    hd_ptx_options options = {.stop = &m->stop, .most_threads = 65536};
    if (hd_watch_is_on(m->watch)) {
        m->progress = hd_progress_new(m->arena);
        m->signals = (hd_signals_host){&m->stop, &m->lock, write_results, m};
        hd_signals_begin(&m->signals);
    }
    hd_watch_options(m->watch, &options);
    m->as_written = options.check_races;
    hd_progress_options(m->progress, &options);
    if (hd_ptx_open(&options, &m->diag, &m->ptx))
        exit(EXIT_FAILURE); /* it was said why */
}

machine *machine_enter(void) {
    machine *m = &the_machine;
    pthread_mutex_lock(&m->lock);
    if (!m->arena)
        open_machine(m);
    return m;
}

void machine_leave(machine *m) { pthread_mutex_unlock(&m->lock); }

__attribute__((destructor)) static void end_machine(void) {
    machine *m = &the_machine;
    if (!m->arena)
        return;
    while (m->stop) /* a thread writes what is known, and ends the process (watch/signals.c) */
        pause();
    write_results(m);
}

/* ---- programs ---------------------------------------------------------------------------------------- */

/* Without those that are a vendor's alone, which change no result. */
static const char *portable(hd_arena *arena, const char *options) {
    static const char *const vendors[] = {"-cl-nv-", "-cl-intel-", "-cl-amd-", "-cl-no-subgroup-"};
    uint32_t count, kept = 0;
    char **words = hd_split_words(arena, options, &count);
    for (uint32_t i = 0; i < count; i++) {
        bool is_vendors = false;
        for (size_t v = 0; v < sizeof vendors / sizeof *vendors; v++)
            is_vendors |= !strncmp(words[i], vendors[v], strlen(vendors[v]));
        if (!is_vendors)
            words[kept++] = words[i];
    }
    return hd_join_words(arena, words, kept);
}

/* One kernel is for images of all formats, and all samplers. */
#define ANY_OBJECTS KIR_KNOWN_OPTION "images= " KIR_KNOWN_OPTION "samplers="

static hd_status run_front_end(hd_arena *arena, const machine *m, const char *folder,
                               const char *file, const char *options, hd_child_printed *printed) {
    const char *device = getenv("HEDDLE_DEVICE");
    /* As the compiler of the device makes kernels, but it may take a race away. */
    const char *form = m->as_written       ? "--as-written"
                       : device && *device ? hd_format(arena, "--device=%s", device)
                                           : NULL;
    const char *const words[] = {
        "show", "--ir", hd_format(arena, "--options=%s " ANY_OBJECTS, portable(arena, options)),
        file,   form,   NULL};
    const char *why = hd_child_run(arena, words, folder, printed);
    return why ? hd_fail(&m->diag, HD_ESYSTEM, NULL, "kernels cannot be compiled: %s", why) : HD_OK;
}

static void compile(machine *m, machine_program *p, const char *options) {
    hd_arena *arena = hd_arena_new();
    char *folder;
    hd_child_printed printed;
    p->log = "";
    if (!hd_scratch_make(arena, &m->diag, &folder)) {
        const char *file = hd_format(arena, "%s/%s", folder, hd_path_name(p->file));
        if (!hd_write_file(&m->diag, file, p->text, strlen(p->text)) &&
            !run_front_end(arena, m, folder, file, options, &printed)) {
            p->log = hd_strdup(m->arena, hd_replaced(arena, printed.errors, file, p->file));
            const char *text =
                hd_format(arena, ";\n%s", hd_replaced(arena, printed.out, file, p->file));
            if (*printed.out && hd_ptx_load(m->ptx, p->file, text, strlen(text), &p->module))
                p->module = NULL;
        }
        hd_scratch_remove(folder);
    }
    hd_arena_free(arena);
}

const machine_program *machine_compile(machine *m, const char *text, const char *options) {
    hd_arena *arena = hd_arena_new();
    const char *key = hd_format(arena, "%s\n%s", options, text);
    uint64_t row = hd_hash_get_key(&m->by_source, key);
    if (row == HD_NO_VALUE)
        hd_hash_add_key(&m->by_source, hd_strdup(m->arena, key), m->programs.count);
    hd_arena_free(arena);
    if (row != HD_NO_VALUE)
        return m->programs.data[row];
    row = m->programs.count;
    machine_program *p = hd_new(m->arena, machine_program);
    p->text = hd_strdup(m->arena, text);
    if (!(p->file = machine_source_file(m, text)))
        p->file = row ? hd_format(m->arena, "kernels%zu.cl", (size_t)row + 1) : "kernels.cl";
    hd_push(m->arena, &m->programs, p);
    compile(m, p, options);
    return p;
}

/* What the front end said of a kernel that it left out, or of the first error; NULL: nothing. */
static const char *said_of(machine *m, const machine_program *p, const char *name) {
    const char *mark = hd_format(m->arena, "warning: %s is left out: ", name);
    const char *at = strstr(p->log, mark);
    if (at)
        at += strlen(mark);
    else if ((at = strstr(p->log, "error: ")))
        at += strlen("error: ");
    return at ? hd_strndup(m->arena, at, strcspn(at, "\n;")) : NULL;
}

hd_ptx_kernel *machine_kernel(machine *m, const machine_program *p, const char *name,
                              const char **why) {
    if (!p->module || !hd_ptx_has(p->module, name)) {
        *why = said_of(m, p, name);
        return NULL;
    }
    return hd_ptx_find(p->module, name);
}

/* ---- buffers ----------------------------------------------------------------------------------------- */

static const char *const interfaces[] = {"libOpenCL.so", NULL};

void *machine_buffer(machine *m, size_t bytes, void *host) {
    hd_watched_memory memory = {.bytes = bytes,
                                .kind = host ? "the host's memory" : "device memory",
                                .is_of_device = !host,
                                .is_of_program = true};
    const char *name = hd_format(m->arena, "buffer %llu", (unsigned long long)m->made + 1);
    void *made = host && !hd_ptx_place(m->ptx, name, host, bytes) ? host
                 : host                                           ? NULL
                        : hd_ptx_alloc_named(m->ptx, name, bytes, 128);
    if (!made)
        return NULL;
    memory.address = (uintptr_t)made;
    memory.number = ++m->made;
    hd_stack_take(&memory.made, interfaces);
    hd_push(m->arena, &m->live, memory);
    m->used += bytes;
    m->most_used = m->used > m->most_used ? m->used : m->most_used;
    return made;
}

void machine_free(machine *m, void *buffer) {
    enum { GONE_MOST = 4096 };
    size_t i = 0;
    while (i < m->live.count && m->live.data[i].address != (uintptr_t)buffer)
        i++;
    if (i == m->live.count)
        return;
    hd_watched_memory *memory = &m->live.data[i];
    hd_watch_memory(m->watch, memory);
    if (memory->is_of_device)
        hd_ptx_free(m->ptx, buffer);
    else
        hd_ptx_remove(m->ptx, buffer);
    m->used -= memory->bytes;
    hd_stack_take(&memory->freed, interfaces);
    if (m->gone.count == GONE_MOST) { /* the older half is forgotten */
        m->gone.count /= 2;
        memmove(m->gone.data, m->gone.data + m->gone.count, m->gone.count * sizeof *m->gone.data);
    }
    hd_push(m->arena, &m->gone, *memory);
    m->live.count--;
    memmove(memory, memory + 1, (m->live.count - i) * sizeof *memory);
}

/* ---- sizes ------------------------------------------------------------------------------------------- */

/* What the driver would choose is not told; a size that divides the threads is as good. */
static size_t divisor_of(size_t global, size_t most) {
    size_t size = most < global ? most : global;
    while (size > 1 && global % size)
        size--;
    return size ? size : 1;
}

void machine_choose_local(cl_uint dims, const size_t *global, size_t most, size_t local[3]) {
    enum { USUAL = 256 };
    most = most < USUAL ? most : USUAL;
    for (cl_uint d = 0; d < dims; d++) {
        local[d] = divisor_of(global[d], most);
        most /= local[d];
    }
}

const char *machine_size(const hd_ptx_kernel *kernel, cl_uint dims, const size_t *offset,
                         const size_t *global, const size_t *local, hd_ptx_launch_size *size) {
    const hd_ptx_kernel_facts facts = hd_ptx_facts(kernel);
    size_t chosen[3] = {1, 1, 1};
    *size = (hd_ptx_launch_size){.grid = {1, 1, 1}, .block = {1, 1, 1}, .dims = dims};
    if (!local && facts.required_threads[0])
        for (cl_uint d = 0; d < dims; d++)
            chosen[d] = facts.required_threads[d];
    else if (!local)
        machine_choose_local(dims, global, facts.most_threads, chosen);
    local = local ? local : chosen;
    for (cl_uint d = 0; d < dims; d++) {
        if (!global[d] || !local[d] || global[d] % local[d])
            return "work-groups of different sizes";
        if (global[d] / local[d] > UINT32_MAX || local[d] > UINT32_MAX)
            return "more work-groups than 2^32 in a dimension";
        size->grid[d] = (uint32_t)(global[d] / local[d]);
        size->block[d] = (uint32_t)local[d];
        size->offset[d] = offset ? offset[d] : 0;
    }
    return NULL;
}

/* ---- launches ---------------------------------------------------------------------------------------- */

hd_status machine_launch(machine *m, hd_ptx_kernel *kernel, const hd_ptx_launch_size *size,
                         void *const *args, hd_ptx_counts *counts) {
    const hd_watched_launch launch = {m->ptx, hd_ptx_kernel_name(kernel), size};
    m->message = NULL;
    m->kernel = launch.kernel;
    hd_watch_launch(m->watch, &launch);
    hd_progress_launch(m->progress, launch.kernel);
    const hd_status status = hd_ptx_launch(kernel, size, args, counts);
    hd_progress_launched(m->progress);
    m->kernel = NULL;
    hd_watch_launched(m->watch, &launch, counts, status, m->message);
    return status;
}
