/*
 * When a kernel gets native code.
 *
 * The interpreter starts at once and counts what it does. When a kernel has cost about what its code
 * would, a thread writes the IR and compiles it, or finds it compiled (code_cache.c), and from then on
 * every node that begins takes the code. Nobody waits. Where LLVM is not there the interpreter goes on.
 *
 * HEDDLE_NATIVE in the environment says otherwise, for tests: "never"; "always", at once; "mixed", at
 * once for every other node.
 */
#include "machine/native/native.h"
#include "machine/native/llvm/llvm.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Nanoseconds of workers in the interpreter: about those in which a kernel's code is read from disk, and
 * in which a byte of its IR is compiled, by a thread that takes the workers' time. After so many
 * instructions of lanes the clock is read; those of shorter launches, of which there may be many, are
 * taken as so many to a nanosecond. */
enum {
    WORTH_LOADING = 20000000,
    TO_COMPILE_A_BYTE = 1500,
    LOOK_AFTER = 1000000,
    TO_A_NANOSECOND = 2
};

typedef enum mode { WHEN_IT_PAYS, NEVER, ALWAYS, MIXED } mode;

/* What a thread compiles; it needs nothing of the program any more. */
typedef struct compiling {
    hd_arena *arena; /* of all this, and of the code */
    vm_native_text text;
    bool traced;
    vm_native_code *code;
    char *message;         /* why there is none; may be NULL */
    struct making *asking; /* NULL: nobody wants it any more */
} compiling;

/* The code of launches that somebody hears of, or that nobody does. */
typedef struct making {
    const vm_program *program;
    bool traced;
    _Atomic(vm_native_code *) code;
    atomic_bool is_asked_for;
    _Atomic uint64_t worth; /* nanoseconds of its compilation; 0: it may be on disk */
    compiling *by_thread;   /* NULL: none is at it; busy_lock guards it, and its `asking` */
} making;

struct vm_native {
    mode mode;
    atomic_uint_fast64_t work; /* nanoseconds */
    pthread_mutex_t lock;
    making of[2]; /* by `traced` */
};

/* ---- LLVM ------------------------------------------------------------------------------------ */

static vm_native_library library;
static pthread_once_t library_once = PTHREAD_ONCE_INIT;

/* Threads that compile. LLVM's own data must not end before them. */
static pthread_mutex_t busy_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t all_done = PTHREAD_COND_INITIALIZER;
static uint32_t busy;

static void wait_for_all(void) {
    pthread_mutex_lock(&busy_lock);
    while (busy)
        pthread_cond_wait(&all_done, &busy_lock);
    pthread_mutex_unlock(&busy_lock);
}

static void count_busy(int more) {
    pthread_mutex_lock(&busy_lock);
    busy += (uint32_t)more;
    if (!busy)
        pthread_cond_broadcast(&all_done);
    pthread_mutex_unlock(&busy_lock);
}

void hd_vm_exit(int status) {
    pthread_mutex_lock(&busy_lock);
    bool waits = busy;
    pthread_mutex_unlock(&busy_lock);
    if (!waits)
        exit(status);
    fflush(NULL);
    _exit(status);
}

/* Beside the library or program that this code is in, or where that is installed. */
static void *open_beside(hd_arena *arena) {
    static const char *const places[] = {"", "../", "../lib/heddle/", "../heddle/", "heddle/"};
    Dl_info own;
    if (!dladdr((const void *)&library_once, &own) || !own.dli_fname)
        return NULL;
    const char *file = own.dli_fname, *program = realpath("/proc/self/exe", NULL);
    void *found = NULL;
    for (uint32_t tries = 0; tries < 2 && !found; tries++) {
        for (uint32_t i = 0; i < sizeof places / sizeof *places && file && !found; i++)
            found = dlopen(hd_format(arena, "%s/%slibheddle-native.so", hd_path_folder(arena, file),
                                     places[i]),
                           RTLD_NOW | RTLD_LOCAL);
        file = program;
    }
    free((void *)(uintptr_t)program);
    return found;
}

/* A bit of everything that kernels need of LLVM. What it keeps for good is made by it, and would end,
 * when the process does, before anything that was told atexit() earlier. */
static const char first_module[] =
    "declare <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr>, i32, <16 x i1>, <16 x "
    "float>)\n"
    "declare <16 x float> @llvm.fma.v16f32(<16 x float>, <16 x float>, <16 x float>)\n"
    "define void @f0(ptr %p, i64 %n, ptr %call) {\n"
    "entry:\n  br label %loop\n"
    "loop:\n"
    "  %i = phi i64 [ 0, %entry ], [ %next, %loop ]\n"
    "  %a = getelementptr float, ptr %p, i64 %i\n"
    "  %x = load <16 x float>, ptr %a, align 4\n"
    "  %c = fcmp olt <16 x float> %x, zeroinitializer\n"
    "  %q = getelementptr float, ptr %p, <16 x i64> zeroinitializer\n"
    "  %g = call <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr> %q, i32 4, <16 x i1> %c, "
    "<16 x "
    "float> %x)\n"
    "  %f = call <16 x float> @llvm.fma.v16f32(<16 x float> %g, <16 x float> %x, <16 x float> %x)\n"
    "  %s = select <16 x i1> %c, <16 x float> %f, <16 x float> %x\n"
    "  store <16 x float> %s, ptr %a, align 4\n"
    "  %next = add i64 %i, 16\n"
    "  %m = icmp ult i64 %next, %n\n"
    "  br i1 %m, label %loop, label %end\n"
    "end:\n"
    "  call void %call(ptr %p)\n"
    "  switch i64 %n, label %one [ i64 1, label %two i64 3, label %one ]\n"
    "one:\n  ret void\n"
    "two:\n  store i64 0, ptr %p\n  ret void\n}\n";

static void begin_library(void) {
    const bool has[] = {true};
    void *function, *handle = NULL;
    char *message = NULL;
    size_t bytes = 0;
    void *object = library.compile(first_module, sizeof first_module - 1, &bytes, &message);
    if (object)
        handle = library.load(object, bytes, 1, has, &function, &message);
    if (handle)
        library.unload(handle);
    free(object);
    free(message);
    atexit(wait_for_all);
}

static void open_library(void) {
    hd_arena *arena = hd_arena_new();
    void *handle = open_beside(arena);
    if (handle) {
        *(void **)&library.target = dlsym(handle, "hd_native_target");
        *(void **)&library.compile = dlsym(handle, "hd_native_compile");
        *(void **)&library.load = dlsym(handle, "hd_native_load");
        *(void **)&library.unload = dlsym(handle, "hd_native_unload");
    }
    hd_arena_free(arena);
    if (library.target && library.compile && library.load && library.unload)
        begin_library();
}

const vm_native_library *vm_native_open(void) {
    pthread_once(&library_once, open_library);
    return library.target && library.compile && library.load && library.unload ? &library : NULL;
}

/* ---- one kernel's code ------------------------------------------------------------------------ */

/* Who asks for native code is a test, which is not to pass without. */
_Noreturn static void refuse(const making *m, const char *message) {
    fprintf(stderr, "heddle: no native code of %s: %s\n", m->program->kernel->name, message);
    abort();
}

static compiling *begin_compiling(making *m) {
    hd_arena *arena = hd_arena_new();
    compiling *c = hd_new(arena, compiling);
    *c = (compiling){.arena = arena,
                     .text = vm_native_write(arena, m->program, m->traced),
                     .traced = m->traced,
                     .asking = m};
    return c;
}

static void compile(compiling *c) {
    vm_native_code *code = hd_new(c->arena, vm_native_code);
    *code = (vm_native_code){.fn = hd_new_array(c->arena, vm_native_fn *, c->text.range_count),
                             .groups = c->text.groups,
                             .rows = c->text.rows,
                             .traced = c->traced,
                             .arena = c->arena};
    hd_arena *scratch = hd_arena_new();
    size_t bytes = 0;
    void *object =
        vm_native_object(scratch, &library, c->text.ir, c->text.length, &bytes, &c->message);
    if (object)
        code->handle = library.load(object, bytes, c->text.range_count, c->text.has,
                                    (void **)code->fn, &c->message);
    free(object);
    hd_arena_free(scratch);
    c->code = code->handle ? code : NULL;
}

static void free_code(vm_native_code *code) {
    library.unload(code->handle);
    hd_arena_free(code->arena);
}

/* Gives who asked what there is, if it is still there. */
static void end_compiling(compiling *c) {
    free(c->message);
    if (c->asking && c->code)
        atomic_store(&c->asking->code, c->code);
    else if (c->code)
        free_code(c->code);
    else
        hd_arena_free(c->arena);
}

static void *compile_in_thread(void *self) {
    compiling *c = self;
    compile(c);
    atexit(wait_for_all); /* once more, should LLVM have made something new that it keeps */
    pthread_mutex_lock(&busy_lock);
    if (c->asking)
        c->asking->by_thread = NULL;
    end_compiling(c);
    pthread_mutex_unlock(&busy_lock);
    count_busy(-1);
    return NULL;
}

/* For who asks for native code, now. */
static void make(making *m) {
    if (!vm_native_open())
        refuse(m, "libheddle-native.so is not there, or cannot be loaded");
    compiling *c = begin_compiling(m);
    compile(c);
    if (!c->code)
        refuse(m, c->message);
    end_compiling(c);
}

/* False: there is nothing on disk, and it does not pay to compile it yet. */
static bool make_in_thread(making *m, bool may_compile) {
    pthread_t thread;
    compiling *c = begin_compiling(m);
    if (!may_compile && !vm_native_is_kept(c->arena, &library, c->text.ir, c->text.length)) {
        atomic_store(&m->worth, c->text.length * TO_COMPILE_A_BYTE);
        hd_arena_free(c->arena);
        return false;
    }
    count_busy(1);
    m->by_thread = c;
    if (!pthread_create(&thread, NULL, compile_in_thread, c)) {
        pthread_detach(thread);
        return true;
    }
    count_busy(-1);
    m->by_thread = NULL;
    hd_arena_free(c->arena);
    return true;
}

/* `work`: so far. */
static void ask_for(struct vm_native *n, making *m, uint64_t work) {
    pthread_mutex_lock(&n->lock);
    const bool may_compile = m->worth && work > m->worth;
    if (!m->is_asked_for && (may_compile || !m->worth || n->mode != WHEN_IT_PAYS)) {
        bool is_asked_for = true;
        if (n->mode != WHEN_IT_PAYS)
            make(m);
        else if (vm_native_open())
            is_asked_for = make_in_thread(m, may_compile);
        atomic_store(&m->is_asked_for, is_asked_for);
    }
    pthread_mutex_unlock(&n->lock);
}

/* ---- running ------------------------------------------------------------------------------------ */

/* More work, and whether it is time. */
static void add_work(struct vm_native *n, making *m, uint64_t more) {
    uint64_t work = atomic_fetch_add(&n->work, more) + more;
    if (n->mode != WHEN_IT_PAYS || work > (m->worth ? m->worth : WORTH_LOADING))
        ask_for(n, m, work);
}

static making *wanted_by(const vm_run *r) {
    return &r->program->native->of[r->sink && r->sink->event];
}

void vm_native_begin_launch(vm_run *r) {
    struct vm_native *n = r->program->native;
    uint64_t rest = r->counts.thread_instructions - r->noted;
    if (n && !atomic_load(&wanted_by(r)->is_asked_for)) {
        if (rest)
            add_work(n, wanted_by(r), rest / TO_A_NANOSECOND);
        r->noted_at = hd_clock();
    }
    r->noted = 0;
    r->mixes = n && n->mode == MIXED;
}

static bool reserve_rows(vm_run *r, uint32_t rows) {
    if (rows <= r->saved_rows)
        return true;
    free(r->saved);
    r->saved = aligned_alloc(128, hd_align_up((uint64_t)rows * r->padded * 8, 128));
    r->saved_rows = r->saved ? rows : 0;
    return r->saved != NULL;
}

const vm_native_code *vm_native_enter(vm_run *r) {
    struct vm_native *n = r->program->native;
    if (!n || r->checked || r->workspace || r->cluster)
        return NULL;
    making *m = wanted_by(r);
    uint64_t more = r->counts.thread_instructions - r->noted;
    if (!atomic_load_explicit(&m->is_asked_for, memory_order_relaxed) &&
        (more >= LOOK_AFTER || n->mode != WHEN_IT_PAYS)) {
        double now = hd_clock();
        add_work(n, m, (uint64_t)((now - r->noted_at) * 1e9));
        r->noted += more;
        r->noted_at = now;
    }
    const vm_native_code *code = atomic_load_explicit(&m->code, memory_order_acquire);
    if (!code || (n->mode == MIXED && (r->turns++ & 1)))
        return NULL;
    return reserve_rows(r, code->rows) ? code : NULL;
}

static mode mode_of(const char *word) {
    static const char *const words[] = {"", "never", "always", "mixed"};
    for (uint32_t i = 0; i < sizeof words / sizeof *words && word; i++)
        if (!strcmp(word, words[i]))
            return (mode)i;
    return WHEN_IT_PAYS;
}

struct vm_native *vm_native_new(hd_arena *arena, const vm_program *p) {
    mode m = mode_of(getenv("HEDDLE_NATIVE"));
    if (m == NEVER)
        return NULL;
    struct vm_native *n = hd_new(arena, struct vm_native);
    n->mode = m;
    pthread_mutex_init(&n->lock, NULL);
    for (uint32_t traced = 0; traced < 2; traced++) {
        n->of[traced].program = p;
        n->of[traced].traced = traced;
    }
    return n;
}

void vm_native_free(struct vm_native *n) {
    for (uint32_t traced = 0; n && traced < 2; traced++) {
        making *m = &n->of[traced];
        pthread_mutex_lock(&busy_lock);
        if (m->by_thread)
            m->by_thread->asking = NULL;
        pthread_mutex_unlock(&busy_lock);
        vm_native_code *code = atomic_load(&m->code);
        if (code)
            free_code(code);
    }
    if (n)
        pthread_mutex_destroy(&n->lock);
}
