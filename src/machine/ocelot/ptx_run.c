/*
 * libgpuocelot.so: PTX for programs that load GPU Ocelot for it and call its ptx_run() alone.
 * Docs: docs/ptx-library.md.
 *
 * Such a call has no handle, so the process has one machine, which is made when first needed and
 * runs one launch at a time. The machine may touch all memory of the process, as on a GPU that
 * shares it. A text is parsed once; the texts that were used last are kept.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/table.h"
#include "heddle/ptx.h"

/* Runs the one entry of a text. args[i] is the value of parameter i itself, in its low bytes. 0: it
 * has run; else the text of the fault stands in ptx_run_error(), and has gone to stderr, since
 * callers that know Ocelot alone ask for no result. */
int ptx_run(const char *source, int arg_count, void **args, int block_x, int block_y, int block_z,
            int grid_x, int grid_y, int grid_z, int shared_bytes);
/* What the last ptx_run() of any thread said; "" when all was well. Valid until the next one. */
const char *ptx_run_error(void);

/* Texts that are kept. */
enum { MOST_TEXTS = 1024 };

typedef struct text {
    uint64_t hash;
    size_t length;
    char *source;
    hd_ptx_module *module;
    uint64_t used; /* number of the call that last did */
} text;

static struct {
    pthread_mutex_t lock; /* of all below */
    hd_ptx *machine;
    text texts[MOST_TEXTS];
    uint32_t text_count;
    hd_hash_table rows; /* texts by hash */
    uint64_t calls;
    char error[2048];
} process = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- messages ------------------------------------------------------------------------------- */

/* The first one of a call is kept. */
static void note(const hd_message *m, void *user) {
    (void)user;
    char line[1024];
    if (m->place.line)
        snprintf(line, sizeof line, "%s:%u: %s", m->place.file ? m->place.file : "ptx",
                 m->place.line, m->text);
    else
        snprintf(line, sizeof line, "%s", m->text);
    fprintf(stderr, "ptx_run: %s\n", line);
    if (m->place.text)
        fprintf(stderr, "    %s\n", m->place.text);
    if (!*process.error && m->severity == HD_ERROR)
        snprintf(process.error, sizeof process.error, "%s", line);
}

static const hd_diag diag = {note, NULL};

/* ---- texts ---------------------------------------------------------------------------------- */

/* The row that a new text may have: a free one, or that of the text unused for longest. */
static text *free_row(void) {
    if (process.text_count < MOST_TEXTS)
        return &process.texts[process.text_count++];
    text *oldest = process.texts;
    for (uint32_t i = 1; i < MOST_TEXTS; i++)
        if (process.texts[i].used < oldest->used)
            oldest = &process.texts[i];
    hd_ptx_unload(oldest->module);
    free(oldest->source);
    return oldest;
}

/* The table has no way to take out one key, and rows are reused, so what it says is looked at. */
static text *known_text(const char *source, uint64_t hash, size_t length) {
    uint64_t row = hd_hash_get(&process.rows, hash);
    if (row == HD_NO_VALUE)
        return NULL;
    text *t = &process.texts[row];
    bool is_it = t->hash == hash && t->length == length && !memcmp(t->source, source, length);
    return is_it ? t : NULL;
}

/* NULL: it is no PTX that can be run; there has been a message. */
static hd_ptx_kernel *kernel_of(const char *source) {
    size_t length = strlen(source);
    uint64_t hash = hd_hash_bytes(HD_HASH_START, source, length);
    text *t = known_text(source, hash, length);
    if (!t) {
        hd_ptx_module *module;
        if (hd_ptx_load(process.machine, "ptx", source, length, &module))
            return NULL;
        t = free_row();
        *t = (text){.hash = hash, .length = length, .module = module};
        t->source = hd_checked(strndup(source, length));
        hd_hash_set(&process.rows, hash, (uint64_t)(t - process.texts));
    }
    t->used = process.calls;
    if (hd_ptx_kernel_count(t->module) == 1)
        return hd_ptx_kernel_at(t->module, 0);
    hd_fail(&diag, HD_EINPUT, NULL, "the text has %u entries, and ptx_run() runs a text of one",
            hd_ptx_kernel_count(t->module));
    return NULL;
}

/* ---- the call ------------------------------------------------------------------------------- */

static hd_status check_args(const hd_ptx_kernel *kernel, int count) {
    const char *name = hd_ptx_kernel_name(kernel);
    uint32_t params = hd_ptx_facts(kernel).param_count;
    if (count < 0 || (uint32_t)count != params)
        return hd_fail(&diag, HD_EINPUT, NULL,
                       "entry '%s' has %u parameters, and gets %d arguments", name, params, count);
    for (uint32_t i = 0; i < params; i++) {
        uint32_t offset, bytes;
        hd_ptx_param(kernel, i, &offset, &bytes);
        if (bytes > sizeof(void *))
            return hd_fail(&diag, HD_EUNSUPPORTED, NULL,
                           "parameter %u of entry '%s' has %u bytes; arguments of ptx_run() are "
                           "values of at most %zu",
                           i, name, bytes, sizeof(void *));
    }
    return HD_OK;
}

static hd_status run(const char *source, int arg_count, void **args, const int block[3],
                     const int grid[3], int shared_bytes) {
    if (!process.machine &&
        hd_ptx_open(&(hd_ptx_options){.any_memory = true}, &diag, &process.machine))
        return HD_ESYSTEM;
    if (!source)
        return hd_fail(&diag, HD_EINPUT, NULL, "no text: the source is a null pointer");
    hd_ptx_kernel *kernel = kernel_of(source);
    if (!kernel)
        return HD_EINPUT;
    hd_status status = check_args(kernel, arg_count);
    if (status)
        return status;
    hd_ptx_launch_size size = {.shared = shared_bytes < 0 ? 0 : (uint64_t)shared_bytes};
    for (int d = 0; d < 3; d++) {
        size.block[d] = block[d] < 0 ? 0 : (uint32_t)block[d];
        size.grid[d] = grid[d] < 0 ? 0 : (uint32_t)grid[d];
    }
    void **bytes = hd_zeroed((size_t)arg_count, sizeof *bytes); /* where the values are */
    for (int i = 0; i < arg_count; i++)
        bytes[i] = &args[i];
    status = hd_ptx_launch(kernel, &size, bytes, NULL);
    free(bytes);
    return status;
}

__attribute__((visibility("default"))) int ptx_run(const char *source, int arg_count, void **args,
                                                   int block_x, int block_y, int block_z,
                                                   int grid_x, int grid_y, int grid_z,
                                                   int shared_bytes) {
    const int block[] = {block_x, block_y, block_z}, grid[] = {grid_x, grid_y, grid_z};
    pthread_mutex_lock(&process.lock);
    *process.error = '\0';
    process.calls++;
    hd_status status = run(source, arg_count, args, block, grid, shared_bytes);
    fflush(stdout); /* what the kernel printed, in its place among what the caller prints */
    pthread_mutex_unlock(&process.lock);
    return (int)status;
}

__attribute__((visibility("default"))) const char *ptx_run_error(void) { return process.error; }
