#include "cuda/process.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cuda/cuda_memory.h"
#include "cuda/module.h"
#include "cuda/cuda_record.h"
#include "cuda/cuda_stream.h"
#include "cuda/progress.h"
#include "cuda/signals.h"
#include "cuda/watch.h"

#define DEVICE_BY_DEFAULT "h200" /* as for every command */
/* The same figures, where its profile is not at hand. */
#define DEVICE_WITHOUT_PROFILES                                                               \
    "warp:32 l1:256k/32 l2:60m/32 w:1,6.5,11.8 blocks:32 threads:2048 regs:65536 segment:32 " \
    "maxregs:255 sms:132"

/* A process has one device, as its interfaces have it; hence the only global state of this code. */
static cuda_process the_process;
static pthread_once_t made_once = PTHREAD_ONCE_INIT;

/* ---- messages -------------------------------------------------------------------------------- */

static void take_message(const hd_message *m, void *user) {
    cuda_process *p = user;
    cuda_progress_erase(p->progress);
    const char *severity = m->severity == HD_ERROR     ? "error: "
                           : m->severity == HD_WARNING ? "warning: "
                                                       : "";
    if (m->place.file && m->place.line)
        p->message =
            hd_format(p->arena, "%s:%u: %s%s", m->place.file, m->place.line, severity, m->text);
    else
        p->message = hd_format(p->arena, "%s%s", severity, m->text);
    fprintf(stderr, "heddle: %s\n", p->message);
}

void cuda_say(cuda_process *p, const char *format, ...) {
    va_list args;
    va_start(args, format);
    cuda_progress_erase(p->progress);
    fprintf(stderr, "heddle: %s\n", hd_vformat(p->arena, format, args));
    va_end(args);
}

/* ---- the process ------------------------------------------------------------------------------ */

/* A profile that was installed with this library, by its name; else the name itself. */
static const char *installed_profile(hd_arena *arena, const char *name) {
    Dl_info info;
    if (strchr(name, '/') || !dladdr((const void *)(uintptr_t)installed_profile, &info))
        return name;
    const char *path = hd_format(arena, "%s/../../../share/heddle/devices/%s.yaml",
                                 hd_path_folder(arena, info.dli_fname), name);
    return access(path, R_OK) ? name : path;
}

static void choose_device(cuda_process *p) {
    static const hd_diag silent = {NULL, NULL};
    const char *name = getenv("HEDDLE_DEVICE");
    if (name && *name &&
        !cuda_device_find(p->arena, &p->diag, installed_profile(p->arena, name), &p->device))
        return;
    if (cuda_device_find(p->arena, &silent, installed_profile(p->arena, DEVICE_BY_DEFAULT),
                         &p->device) &&
        cuda_device_find(p->arena, &p->diag, DEVICE_WITHOUT_PROFILES, &p->device))
        exit(EXIT_FAILURE); /* it was said why; without a device no call means anything */
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
    choose_device(p);
    p->memory = cuda_memory_new(p);
    p->modules = cuda_modules_new(p);
    p->streams = cuda_streams_new(p);
    p->watch = cuda_watch_new(p);
    p->record = cuda_record_new(p);
    p->progress = cuda_progress_new(p);
    cuda_signals_begin(p);
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
    cuda_watch_options(p->watch, &options);
    cuda_progress_options(p->progress, &options);
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
    cuda_watch_end(p->watch, p);
    cuda_record_end(p->record);
}
