/*
 * When a kernel gets native code.
 *
 * The interpreter starts at once and counts what it does. When a kernel has cost more than its code
 * will, a thread writes its IR and compiles it, and from then on every node that begins takes the
 * code. Nobody waits for it, unless asked to.
 */
#include "machine/native/native.h"
#include "machine/native/llvm/llvm.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct vm_native {
    _Atomic(vm_native_code *) code[2]; /* by `traced` */
    atomic_int state[2];
    hd_arena *arena;
};

typedef struct library {
    hd_native_compile_fn *compile;
    hd_native_load_fn *load;
} library;

static bool open_library(library *l) {
    void *h = dlopen(getenv("HEDDLE_NATIVE_LIBRARY"), RTLD_NOW | RTLD_LOCAL);
    if (!h) {
        fprintf(stderr, "%s\n", dlerror());
        return false;
    }
    *(void **)&l->compile = dlsym(h, "hd_native_compile");
    *(void **)&l->load = dlsym(h, "hd_native_load");
    return l->compile && l->load;
}

static vm_native_code *make(const vm_program *p, bool traced) {
    library l;
    hd_arena *arena = hd_arena_new();
    if (!open_library(&l))
        return NULL;
    vm_native_text t = vm_native_write(arena, p, traced);
    if (getenv("HEDDLE_NATIVE_DUMP")) {
        FILE *f = fopen(
            hd_format(arena, "%s-%s-%d.ll", getenv("HEDDLE_NATIVE_DUMP"), p->kernel->name, traced),
            "w");
        fwrite(t.ir, 1, t.length, f);
        fclose(f);
    }
    size_t bytes;
    char *message = NULL;
    void *object = l.compile(t.ir, t.length, &bytes, &message);
    if (!object) {
        fprintf(stderr, "native: %s\n", message);
        return NULL;
    }
    vm_native_code *c = hd_new(arena, vm_native_code);
    c->fn = hd_new_array(arena, vm_native_fn *, t.range_count);
    c->groups = t.groups;
    c->rows = t.rows;
    c->traced = traced;
    c->handle = l.load(object, bytes, t.range_count, t.has, (void **)c->fn, &message);
    if (!c->handle) {
        fprintf(stderr, "native: %s\n", message);
        return NULL;
    }
    if (getenv("HEDDLE_PERF")) {
        FILE *f = fopen(hd_format(arena, "/tmp/perf-%d.map", (int)getpid()), "a");
        for (uint32_t i = 0; i < t.range_count; i++) {
            uintptr_t from = (uintptr_t)c->fn[i], to = from + 4096;
            for (uint32_t k = 0; k < t.range_count; k++)
                if ((uintptr_t)c->fn[k] > from && (uintptr_t)c->fn[k] < to)
                    to = (uintptr_t)c->fn[k];
            if (from)
                fprintf(f, "%lx %lx %s_%u_%d\n", from, to - from, p->kernel->name, i, traced);
        }
        fclose(f);
    }
    free(object);
    return c;
}

static bool take_rows(vm_run *r, uint32_t rows) {
    if (rows <= r->saved_rows)
        return true;
    free(r->saved);
    r->saved = aligned_alloc(128, hd_align_up((uint64_t)rows * r->padded * 8, 128));
    r->saved_rows = r->saved ? rows : 0;
    return r->saved != NULL;
}

static void prepare(const vm_program *p, bool traced) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    struct vm_native *n = p->native;
    pthread_mutex_lock(&lock);
    if (!atomic_load(&n->code[traced]) && !atomic_load(&n->state[traced])) {
        atomic_store(&n->state[traced], 1);
        atomic_store(&n->code[traced], make(p, traced));
    }
    pthread_mutex_unlock(&lock);
}

void vm_native_prepare(const vm_program *p) {
    for (uint32_t traced = 0; p->native && traced < 2; traced++)
        prepare(p, traced);
}

const vm_native_code *vm_native_enter(vm_run *r) {
    struct vm_native *n = r->program->native;
    if (r->checked || r->workspace || !n)
        return NULL;
    vm_native_code *c = atomic_load(&n->code[r->sink && r->sink->event]);
    return c && take_rows(r, c->rows) ? c : NULL;
}

struct vm_native *vm_native_new(hd_arena *arena) {
    return getenv("HEDDLE_NATIVE_LIBRARY") ? hd_new(arena, struct vm_native) : NULL;
}
