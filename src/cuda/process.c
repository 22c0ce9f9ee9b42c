#include "cuda/process.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cuda/cuda_memory.h"
#include "cuda/module.h"
#include "cuda/cuda_record.h"
#include "cuda/cuda_stream.h"

/* A process has one device, as its interfaces have it; hence the only global state of this code. */
static cuda_process the_process;
static pthread_once_t made_once = PTHREAD_ONCE_INIT;

/* ---- messages -------------------------------------------------------------------------------- */

static void take_message(const hd_message *m, void *user) {
    cuda_process *p = user;
    hd_progress_erase(p->progress);
    const char *severity = m->severity == HD_ERROR     ? "error: "
                           : m->severity == HD_WARNING ? "warning: "
                                                       : "";
    if (m->place.file && m->place.line)
        p->message =
            hd_format(p->arena, "%s:%u: %s%s", m->place.file, m->place.line, severity, m->text);
    else if (m->place.file) /* as a whole, which cannot be opened */
        p->message = hd_format(p->arena, "%s: %s%s", m->place.file, severity, m->text);
    else
        p->message = hd_format(p->arena, "%s%s", severity, m->text);
    fprintf(stderr, "heddle: %s\n", p->message);
}

void cuda_say(cuda_process *p, const char *format, ...) {
    va_list args;
    va_start(args, format);
    hd_progress_erase(p->progress);
    fprintf(stderr, "heddle: %s\n", hd_vformat(p->arena, format, args));
    va_end(args);
}

/* ---- the process ------------------------------------------------------------------------------ */

static void write_results(void *process) {
    cuda_process *p = process;
    hd_watch_end(p->watch);
    cuda_record_end(p->record);
}

static void make_process(void) {
    cuda_process *p = &the_process;
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&p->lock, &kind);
    p->arena = hd_arena_new();
    p->diag = (hd_diag){take_message, p};
    p->handles.arena = p->arena;
    const char *blocking = getenv("CUDA_LAUNCH_BLOCKING");
    p->blocking = blocking && !strcmp(blocking, "1");
    cuda_device_of(hd_watched_device(p->arena, &p->diag), &p->device);
    p->settings = (cuda_settings){.limits = {1024, 1 << 20, 8 << 20, 2, 2048, 128, 0}};
    p->memory = cuda_memory_new(p);
    p->modules = cuda_modules_new(p);
    p->streams = cuda_streams_new(p);
    p->watched = (hd_watch_host){.user = p,
                                 .interface = "cuda",
                                 .diag = &p->diag,
                                 .device = p->device.profile,
                                 .memory_name = "allocation",
                                 .made_name = "allocated",
                                 .memory = cuda_memory_list,
                                 .most_memory = cuda_memory_most};
    p->watch = hd_watch_new(p->arena, &p->watched);
    p->record = cuda_record_new(p);
    if (!hd_watch_is_on(p->watch) && !p->record)
        return;
    p->progress = hd_progress_new(p->arena);
    p->signals = (hd_signals_host){&p->stop, &p->lock, write_results, p};
    hd_signals_begin(&p->signals);
}

cuda_process *cuda_enter(void) {
    pthread_once(&made_once, make_process);
    pthread_mutex_lock(&the_process.lock);
    return &the_process;
}

void cuda_leave(cuda_process *p) { pthread_mutex_unlock(&p->lock); }

cuda_error cuda_need_machine(cuda_process *p) {
    if (p->machine)
        return CUDA_SUCCESS;
    hd_ptx_options options = {.stop = &p->stop};
    hd_watch_options(p->watch, &options);
    hd_progress_options(p->progress, &options);
    if (hd_ptx_open(&options, &p->diag, &p->machine))
        return CUDA_NOT_INITIALIZED;
    return CUDA_SUCCESS;
}

void cuda_reset(cuda_process *p) {
    if (p->machine) {
        cuda_modules_unload(p);
        cuda_memory_reset(p);
        cuda_streams_reset(p);
    }
    p->sticky = CUDA_SUCCESS;
}

/* ---- handles ----------------------------------------------------------------------------------- */

void *cuda_handle_new(cuda_process *p, cuda_handle_kind kind, size_t bytes) {
    void *handle = hd_zeroed(1, bytes);
    hd_hash_set(&p->handles, (uint64_t)(uintptr_t)handle, kind);
    return handle;
}

bool cuda_handle_is(const cuda_process *p, const void *handle, cuda_handle_kind kind) {
    return handle && hd_hash_get(&p->handles, (uint64_t)(uintptr_t)handle) == (uint64_t)kind;
}

void cuda_handle_free(cuda_process *p, void *handle) {
    hd_hash_set(&p->handles, (uint64_t)(uintptr_t)handle, CUDA_NO_HANDLE);
    free(handle);
}

/* The program's own exit handlers come first, so that what they free is no leak. */
__attribute__((destructor)) static void end_process(void) {
    cuda_process *p = &the_process;
    if (!p->arena)
        return;
    while (p->stop) /* a thread writes what is known, and ends the process (signals.c) */
        pause();
    write_results(p);
}
