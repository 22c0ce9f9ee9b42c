/*
 * Memory and launches that come one by one: kernels from a text, memory that is allocated, placed
 * and freed between launches, and what is a fault then. Which launches may run their blocks side
 * by side is compared with what every block reads and writes, byte by byte.
 */
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "folder.h"
#include "frontend/frontend.h"
#include "machine/vm.h"

#define ARRAY(...) ((const char *const[]){__VA_ARGS__})

typedef struct live {
    hd_arena *arena;
    hd_diag diag;
    hd_str messages;
    hd_vm *vm;
} live;

static void note(const hd_message *m, void *user) {
    hd_str_printf(user, "%u: %s\n", m->place.line, m->text);
}

static const char kernels[] =
    "extern \"C\" {\n"
    "__global__ void empty() {}\n"
    "__global__ void add(float *x, const float *y, int n) {\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (i < n) x[i] += y[i];\n"
    "}\n"
    "__global__ void move(int *to, const int *from, int scale, int shift) {\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    to[i * scale + shift] = from[i] + 1;\n"
    "}\n"
    "__global__ void gather(int *to, const int *from, const int *index) {\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    to[i] = from[index[i]];\n"
    "}\n"
    "__global__ void follow(int **list, int *to) { *to = **list; }\n"
    "__global__ void shuffle(int *x) {\n"
    "    extern __shared__ int s[];\n"
    "    s[threadIdx.x] = x[threadIdx.x];\n"
    "    __syncthreads();\n"
    "    x[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];\n"
    "}\n"
    /* A tile of a matrix, and the whole row or column of tiles before it. */
    "__global__ void tiles(int *m, int pitch, int width, int height, int from, int sx, int sy) {\n"
    "    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + "
    "threadIdx.y;\n"
    "    if (x < width && y < height) m[y * pitch + x] += m[from + sy * y * pitch + sx * x];\n"
    "}\n"
    /* As an LU decomposition: half of the threads have a tile in the first row, half one in the
     * first column. */
    "__global__ void halves(int *m, int pitch, int shift) {\n"
    "    int t = threadIdx.x % 4, tile = 4 * (blockIdx.x + 1);\n"
    "    bool is_beside = threadIdx.x < 4;\n"
    "    for (int y = is_beside ? 0 : 1; y < 4; y += 2)\n"
    "        m[2048 + threadIdx.x + 8 * blockIdx.x] += m[y * pitch + t];\n"
    "    int row = tile, column = 0;\n"
    "    if (is_beside) { row = shift; column = tile; }\n"
    "    for (int y = 0; y < 4; y++) m[(row + y) * pitch + column + t] += 1;\n"
    "}\n"
    /* As an alignment: tiles along a diagonal, and the edges of those before. */
    "__global__ void diagonal(int *m, int pitch, int tile, int from) {\n"
    "    int t = threadIdx.x;\n"
    "    int *corner = m + (gridDim.x - 1 - blockIdx.x) * tile * pitch + blockIdx.x * tile;\n"
    "    int edge = corner[from + t + 1] + corner[from + (t + 1) * pitch] + corner[0];\n"
    "    for (int y = 1; y <= tile; y++) corner[y * pitch + t + 1] = edge;\n"
    "}\n"
    "}\n";

/* Kernels "random0" and so on, in which the indices into `m` are random sums, at most 4095. */
enum { RANDOM_KERNELS = 60 };

static const char *one_of(uint64_t *seed, const char *const *texts, uint32_t count) {
    return texts[hd_next_random(seed) % count];
}

/* 0 to 7; `k` is the loop's counter. */
static const char *random_term(hd_arena *arena, uint64_t *seed) {
    static const char *const simple[] = {"threadIdx.x",
                                         "threadIdx.y",
                                         "blockIdx.x",
                                         "blockIdx.y",
                                         "(threadIdx.x & 3)",
                                         "threadIdx.x / 4",
                                         "threadIdx.x % 3",
                                         "a",
                                         "b",
                                         "k",
                                         "1"};
    enum { SIMPLE = sizeof simple / sizeof *simple };
    if (hd_next_random(seed) % 5)
        return one_of(seed, simple, SIMPLE);
    return hd_format(arena, "(threadIdx.x %s ? %s : %s)", one_of(seed, ARRAY("< 4", "& 1"), 2),
                     one_of(seed, simple, SIMPLE), one_of(seed, simple, SIMPLE));
}

static const char *random_index(hd_arena *arena, uint64_t *seed) {
    static const char *const factors[] = {"1", "1", "2", "4", "8", "8", "16", "32", "32", "64"};
    hd_str text = {.arena = arena};
    for (uint64_t terms = 2 + hd_next_random(seed) % 4; terms; terms--)
        hd_str_printf(&text, "%s%s * %s", text.length ? " + " : "", one_of(seed, factors, 10),
                      random_term(arena, seed));
    return hd_str_text(&text);
}

static void add_random_kernel(hd_str *text, uint32_t number, uint64_t *seed) {
    hd_str_printf(text,
                  "__global__ void random%u(int *m, int a, int b) {\n"
                  "    int k = 0;\n",
                  number);
    for (uint64_t statements = 1 + hd_next_random(seed) % 2; statements; statements--) {
        if (hd_next_random(seed) % 2)
            hd_str_printf(text, "    if (%s < %u)\n", random_index(text->arena, seed),
                          (unsigned)(hd_next_random(seed) % 64));
        if (hd_next_random(seed) % 3 == 0)
            hd_str_printf(text, "    for (k = %s; k < %s; k++)\n",
                          one_of(seed, ARRAY("0", "threadIdx.x & 1", "threadIdx.y"), 3),
                          one_of(seed, ARRAY("2", "4", "threadIdx.y", "a"), 4));
        const char *to = random_index(text->arena, seed);
        hd_str_printf(text, "    m[%s] = m[%s] + 1;\n", to,
                      hd_next_random(seed) % 3 ? to : random_index(text->arena, seed));
        hd_str_add(text, "    k = 0;\n");
    }
    hd_str_add(text, "}\n");
}

/* Compiled once, for all tests. */
static hd_arena *arena_of_module;
static const kir_module *module;

static int compile(void **state) {
    (void)state;
    hd_arena *arena = arena_of_module = hd_arena_new();
    hd_str messages = {.arena = arena};
    const hd_diag diag = {note, &messages};
    char *folder = folder_make(arena);
    const char *path = hd_format(arena, "%s/k.cu", folder);
    hd_str text = {.arena = arena};
    uint64_t seed = 22;
    hd_str_addn(&text, kernels, strlen(kernels) - strlen("}\n"));
    for (uint32_t i = 0; i < RANDOM_KERNELS; i++)
        add_random_kernel(&text, i, &seed);
    hd_str_add(&text, "}\n");
    assert_int_equal(hd_write_file(&diag, path, text.data, text.length), HD_OK);
    kir_module *made;
    if (hd_frontend(arena, &diag, path, NULL, &made))
        fail_msg("%s", hd_str_text(&messages));
    module = made;
    folder_remove(folder);
    return 0;
}

static int forget(void **state) {
    (void)state;
    hd_arena_free(arena_of_module);
    return 0;
}

static void live_open(live *l, hd_vm_options options) {
    *l = (live){.arena = hd_arena_new()};
    l->messages.arena = l->arena;
    l->diag = (hd_diag){note, &l->messages};
    l->vm = hd_vm_open_empty(l->arena, &l->diag, &options);
}

static void live_close(live *l) {
    hd_vm_close(l->vm);
    hd_arena_free(l->arena);
}

static void *allocate(live *l, const char *name, uint64_t bytes) {
    hd_vm_memory m = {.name = name, .bytes = bytes};
    assert_int_equal(hd_vm_allocate(l->vm, 256, &m), HD_OK);
    return m.address;
}

/* Messages of this launch alone stand in l->messages after it. */
static hd_status launch_grid(live *l, const char *kernel, const uint32_t grid[2],
                             const uint32_t block[2], const void *const *args, const hd_sink *sink,
                             hd_vm_counts *counts) {
    uint64_t variables[4] = {0};
    hd_vm_launch_of of = {.module = module,
                          .kernel = kir_find_kernel(module, kernel),
                          .grid = {grid[0], grid[1], 1},
                          .block = {block[0], block[1], 1},
                          .shared = 1024,
                          .args = args,
                          .variables = variables};
    l->messages.length = 0;
    return hd_vm_launch(l->vm, &of, sink, counts);
}

static hd_status launch(live *l, const char *kernel, uint32_t blocks, uint32_t threads,
                        const void *const *args, const hd_sink *sink, hd_vm_counts *counts) {
    return launch_grid(l, kernel, (uint32_t[]){blocks, 1}, (uint32_t[]){threads, 1}, args, sink,
                       counts);
}

#define ARGS(...) ((const void *const[]){__VA_ARGS__})

static void assert_told(const live *l, const char *part) {
    if (!strstr(hd_str_text(&l->messages), part))
        fail_msg("'%s' says nothing of '%s'", hd_str_text(&l->messages), part);
}

/* ---- launches ------------------------------------------------------------------------------- */

static void test_launches(void **state) {
    (void)state;
    live l;
    live_open(&l, (hd_vm_options){.workers = 2});
    float *x = allocate(&l, "x", 1000 * sizeof *x), *y = allocate(&l, "y", 1000 * sizeof *y);
    for (int i = 0; i < 1000; i++) {
        assert_true(x[i] == 0);
        x[i] = (float)i;
        y[i] = 0.5F;
    }
    float *middle = x + 100;
    int n = 500;
    hd_vm_counts counts;
    assert_int_equal(launch(&l, "add", 4, 128, ARGS(&middle, &y, &n), NULL, &counts), HD_OK);
    for (int i = 0; i < 1000; i++)
        assert_true(x[i] == (float)i + (i >= 100 && i < 600 ? 0.5F : 0));
    assert_int_equal(counts.blocks, 4);
    assert_int_equal(counts.workers, 2);
    /* Blocks of another size, and dynamic shared memory. */
    int *z = allocate(&l, "z", 64 * sizeof *z);
    for (int i = 0; i < 64; i++)
        z[i] = i;
    assert_int_equal(launch(&l, "shuffle", 1, 64, ARGS(&z), NULL, NULL), HD_OK);
    for (int i = 0; i < 64; i++)
        assert_int_equal(z[i], 63 - i);
    assert_int_equal(launch(&l, "shuffle", 1, 16, ARGS(&z), NULL, NULL), HD_OK);
    for (int i = 0; i < 16; i++)
        assert_int_equal(z[i], 48 + i);
    assert_int_equal(launch(&l, "empty", 0, 16, NULL, NULL, NULL), HD_EINPUT);
    assert_told(&l, "no blocks");
    hd_vm_forget(l.vm, module);
    assert_int_equal(launch(&l, "shuffle", 1, 16, ARGS(&z), NULL, NULL), HD_OK);
    live_close(&l);
}

/* The addresses of two programs that ask for the same are the same. */
static void test_addresses(void **state) {
    (void)state;
    uint64_t first[5];
    for (int round = 0; round < 2; round++) {
        live l;
        live_open(&l, (hd_vm_options){0});
        for (int i = 0; i < 5; i++) {
            char *at = allocate(&l, "a", (uint64_t)(100 + 5000 * i));
            assert_int_equal((uintptr_t)at % 4096, 0);
            if (round)
                assert_true(first[i] == (uint64_t)(uintptr_t)at);
            first[i] = (uint64_t)(uintptr_t)at;
            if (i == 2)
                assert_true(hd_vm_remove_memory(l.vm, NULL, at));
        }
        live_close(&l);
    }
    for (int i = 1; i < 5; i++) /* none is used again, and a page is left between */
        assert_true(first[i] >= first[i - 1] + 4096 + 100);
}

/* What is allocated and freed for ever does not run out of addresses. */
static void test_many(void **state) {
    (void)state;
    live l;
    live_open(&l, (hd_vm_options){0});
    char *kept = allocate(&l, "kept", 10);
    *kept = 7;
    for (int i = 0; i < 300; i++) {
        hd_vm_memory m = {.name = "large", .bytes = (uint64_t)1 << 38};
        if (hd_vm_allocate(l.vm, 1, &m) != HD_OK) { /* more than the machine has */
            m.bytes = (uint64_t)1 << 25;
            assert_int_equal(hd_vm_allocate(l.vm, (uint64_t)1 << 38, &m), HD_OK);
        }
        assert_true(hd_vm_remove_memory(l.vm, NULL, m.address));
    }
    assert_int_equal(*kept, 7);
    live_close(&l);
}

/* Launches leave nothing behind. */
static void test_memory_of_launches(void **state) {
    (void)state;
    live l;
    live_open(&l, (hd_vm_options){.workers = 2});
    int *x = allocate(&l, "x", 4096), *y = allocate(&l, "y", 4096);
    int scale = 1, shift = 0;
    size_t before = 0;
    for (int i = 0; i < 30000; i++) {
        if (i == 5000)
            before = mallinfo2().uordblks;
        shift = i % 16;
        assert_int_equal(launch(&l, "move", 8, 32, ARGS(&x, &y, &scale, &shift), NULL, NULL),
                         HD_OK);
        assert_int_equal(launch(&l, "empty", 8, 32, NULL, NULL, NULL), HD_OK);
    }
    /* A helper that comes late makes itself ready then. */
    assert_true(mallinfo2().uordblks < before + (1 << 19));
    live_close(&l);
}

/* A process that forks keeps its machine; the threads that helped it are the parent's. */
static void test_fork(void **state) {
    (void)state;
    live l;
    live_open(&l, (hd_vm_options){.workers = 4});
    int *x = allocate(&l, "x", 4096), *y = allocate(&l, "y", 4096), scale = 1, shift = 0;
    const void *const args[] = {&x, &y, &scale, &shift};
    for (int i = 0; i < 1024; i++)
        y[i] = i;
    assert_int_equal(launch(&l, "move", 32, 32, args, NULL, NULL), HD_OK);
    pid_t child = fork();
    if (!child) {
        y[1023] = 10;
        bool right = launch(&l, "move", 32, 32, args, NULL, NULL) == HD_OK && x[1023] == 11;
        hd_vm_close(l.vm);
        _exit(right ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_int_equal(x[1023], 1024);
    live_close(&l);
}

/* ---- faults ---------------------------------------------------------------------------------- */

static void test_faults(void **state) {
    (void)state;
    live l;
    live_open(&l, (hd_vm_options){.workers = 1});
    float *x = allocate(&l, "x", 1000), *y = allocate(&l, "y", 1000);
    int n = 256;
    const void *const args[] = {&x, &y, &n};
    assert_int_equal(launch(&l, "add", 2, 128, args, NULL, NULL), HD_EINPUT);
    assert_told(&l, "5: load of 4 bytes at byte 1000 of buffer 'y'");
    assert_told(&l, "thread 122 of block 1");
    hd_vm_fault f = hd_vm_last_fault(l.vm);
    assert_true(f.is_access && !f.is_freed);
    assert_true(f.address == (uint64_t)(uintptr_t)y + 1000 && f.bytes == 4);
    assert_true(f.base == (uint64_t)(uintptr_t)y && f.size == 1000);
    n = 250;
    assert_int_equal(launch(&l, "add", 2, 128, args, NULL, NULL), HD_OK);
    assert_false(hd_vm_last_fault(l.vm).is_access);
    assert_true(hd_vm_remove_memory(l.vm, NULL, y));
    assert_false(hd_vm_remove_memory(l.vm, NULL, y));
    assert_false(hd_vm_remove_memory(l.vm, NULL, x + 1));
    assert_false(hd_vm_remove_memory(l.vm, &l, x));
    assert_int_equal(launch(&l, "add", 2, 128, args, NULL, NULL), HD_EINPUT);
    assert_told(&l, "load of 4 bytes at byte 0 of 'y', which was freed; it had 1000 bytes");
    f = hd_vm_last_fault(l.vm);
    assert_true(f.is_freed && f.base == (uint64_t)(uintptr_t)y);
    /* The process has it, but the machine was not given it. */
    float own[256] = {0};
    y = own;
    assert_int_equal(launch(&l, "add", 2, 128, args, NULL, NULL), HD_EINPUT);
    assert_told(&l, "which is in no buffer");
    y = NULL;
    assert_int_equal(launch(&l, "add", 2, 128, args, NULL, NULL), HD_EINPUT);
    assert_told(&l, "null pointer");
    live_close(&l);
}

static void test_placed(void **state) {
    (void)state;
    live l;
    live_open(&l, (hd_vm_options){.workers = 1});
    static float own[600];
    float *x = own + 100, *y = own + 300;
    int n = 200;
    const void *const args[] = {&x, &y, &n};
    hd_vm_memory m = {.name = "own", .address = own + 100, .bytes = 400 * sizeof *own};
    assert_int_equal(hd_vm_add_memory(l.vm, &m), HD_OK);
    assert_int_equal(launch(&l, "add", 1, 256, args, NULL, NULL), HD_OK);
    n = 201;
    assert_int_equal(launch(&l, "add", 1, 256, args, NULL, NULL), HD_EINPUT);
    assert_told(&l, "load of 4 bytes at byte 1600 of buffer 'own'");
    hd_vm_memory other = {.name = "other", .address = own + 499, .bytes = 8};
    assert_int_equal(hd_vm_add_memory(l.vm, &other), HD_EINPUT);
    assert_told(&l, "overlaps 'own'");
    other.address = own + 500;
    other.read_only = true;
    assert_int_equal(hd_vm_add_memory(l.vm, &other), HD_OK);
    n = 1;
    x = own + 500;
    assert_int_equal(launch(&l, "add", 1, 1, args, NULL, NULL), HD_EINPUT);
    assert_told(&l, "store to constant memory: byte 0 of 'other' can only be read");
    l.messages.length = 0;
    other = (hd_vm_memory){.name = "at null", .address = (void *)16, .bytes = 8};
    assert_int_equal(hd_vm_add_memory(l.vm, &other), HD_EINPUT);
    assert_told(&l, "at null");
    other = (hd_vm_memory){.name = "none", .address = own, .bytes = 0};
    assert_int_equal(hd_vm_add_memory(l.vm, &other), HD_EINPUT);
    live_close(&l);
}

/* Everything that the process has, and nothing else. */
static void test_any_memory(void **state) {
    (void)state;
    live l;
    live_open(&l, (hd_vm_options){.workers = 2, .any_memory = true});
    enum { N = 100000 };
    float *x = calloc(N, sizeof *x), *y = calloc(N, sizeof *y);
    for (int i = 0; i < N; i++)
        y[i] = (float)i;
    int n = N, on_stack = 41, *list = &on_stack, **head = &list, *to = allocate(&l, "to", 4);
    const void *const args[] = {&x, &y, &n};
    assert_int_equal(launch(&l, "add", (N + 255) / 256, 256, args, NULL, NULL), HD_OK);
    for (int i = 0; i < N; i++)
        assert_true(x[i] == y[i]);
    assert_int_equal(launch(&l, "follow", 1, 1, ARGS(&head, &to), NULL, NULL), HD_OK);
    assert_int_equal(*to, 41);
    /* Behind an allocation the page goes on, but the memory does not. */
    to++;
    assert_int_equal(launch(&l, "follow", 1, 1, ARGS(&head, &to), NULL, NULL), HD_EINPUT);
    assert_told(&l, "store of 4 bytes at byte 4 of buffer 'to'");
    to--;
    /* Mapped, then not: what was read of the process before must not be believed. */
    int *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(page != MAP_FAILED);
    page[2] = 43;
    list = page + 2;
    assert_int_equal(launch(&l, "follow", 1, 1, ARGS(&head, &to), NULL, NULL), HD_OK);
    assert_int_equal(*to, 43);
    assert_int_equal(mprotect(page, 8192, PROT_READ), 0);
    assert_int_equal(launch(&l, "follow", 1, 1, ARGS(&head, &to), NULL, NULL), HD_OK);
    assert_int_equal(launch(&l, "follow", 1, 1, ARGS(&head, &page), NULL, NULL), HD_EINPUT);
    assert_told(&l, "can only be read");
    assert_int_equal(munmap(page, 8192), 0);
    assert_int_equal(launch(&l, "follow", 1, 1, ARGS(&head, &to), NULL, NULL), HD_EINPUT);
    assert_told(&l, "which is in no memory of the process");
    const void *wild = (void *)(uintptr_t)0xdeadbeef12345678;
    list = (int *)(uintptr_t)wild;
    assert_int_equal(launch(&l, "follow", 1, 1, ARGS(&head, &to), NULL, NULL), HD_EINPUT);
    free(x);
    free(y);
    live_close(&l);
}

static void test_uninitialised(void **state) {
    (void)state;
    live l;
    live_open(&l, (hd_vm_options){.check_uninitialised = true});
    float *x = allocate(&l, "x", 64 * sizeof *x), *y = allocate(&l, "y", 64 * sizeof *y);
    int n = 64;
    const void *const args[] = {&x, &y, &n};
    hd_vm_mark_written(l.vm, x, 64 * sizeof *x);
    for (uint64_t from = 1; from < 64 * sizeof *y; from += 13) /* all but byte 0 */
        hd_vm_mark_written(l.vm, (char *)y + from, 13);
    assert_int_equal(launch(&l, "add", 1, 64, args, NULL, NULL), HD_EINPUT);
    assert_told(&l, "load of byte 0 of 'y', which nothing has written");
    hd_vm_mark_written(l.vm, y, 1);
    assert_int_equal(launch(&l, "add", 1, 64, args, NULL, NULL), HD_OK);
    live_close(&l);
}

/* Each launch tells of what it shows first, and is not blamed for those before it. */
static void test_races(void **state) {
    (void)state;
    live l;
    live_open(&l, (hd_vm_options){.check_races = true});
    int *x = allocate(&l, "x", 4096), *y = allocate(&l, "y", 4096), scale = 0, shift = 0;
    const void *const args[] = {&x, &y, &scale, &shift};
    y[1] = 1;
    assert_int_equal(launch(&l, "move", 1, 32, args, NULL, NULL), HD_EINPUT);
    assert_told(&l, "race: this writes byte 0 of 'x'");
    assert_int_equal(launch(&l, "move", 1, 32, args, NULL, NULL), HD_OK);
    assert_int_equal(l.messages.length, 0);
    live_close(&l);
}

/* ---- blocks side by side ------------------------------------------------------------------------ */

/* What blocks do to a range of bytes: 1 + the block that alone reads or writes a byte so far;
 * MANY: several do. */
enum { RANGE = 1 << 14, MANY = UINT16_MAX };
typedef struct touched {
    uint64_t base;
    uint16_t reads[RANGE], writes[RANGE];
    const hd_event_launch *launch;
    uint64_t block;
} touched;

static hd_status touched_launch(void *self, const hd_event_launch *launch) {
    ((touched *)self)->launch = launch;
    return HD_OK;
}

static void *touched_block(void *self, uint64_t block) {
    ((touched *)self)->block = block;
    return self;
}

static void touched_event(void *stream, const hd_event *e) {
    touched *t = stream;
    const hd_event_access *a = &t->launch->accesses[e->access];
    for (uint32_t lane = 0; lane < e->threads; lane++) {
        if (!hd_event_active(e, lane))
            continue;
        uint64_t at = hd_event_address(e, lane) - t->base;
        for (uint32_t b = 0; b < a->width; b++) {
            uint16_t *who = a->kind == HD_LOAD ? &t->reads[at + b] : &t->writes[at + b];
            *who = !*who || *who == t->block + 1 ? (uint16_t)(t->block + 1) : MANY;
        }
    }
}

/* No block reads a byte that another one writes. */
static bool are_apart(const touched *t) {
    for (int i = 0; i < RANGE; i++)
        if (t->reads[i] && t->writes[i] && (t->reads[i] == MANY || t->reads[i] != t->writes[i]))
            return false;
    return true;
}

/* Launches of one machine with two workers, and of one that listens, with one. */
typedef struct twins {
    live one, two;
    int *x;
    touched touched;
    unsigned apart, together; /* launches whose blocks are apart, and those with two workers */
} twins;

static twins *twins_open(void) {
    twins *t = hd_zeroed(1, sizeof *t);
    live_open(&t->one, (hd_vm_options){.workers = 1});
    live_open(&t->two, (hd_vm_options){.workers = 2});
    t->x = allocate(&t->two, "x", RANGE);
    return t;
}

static void twins_close(twins *t) {
    live_close(&t->one);
    live_close(&t->two);
    free(t);
}

/* Of two blocks that write one byte any may be the last, where nobody reads it. */
static void take_common_writes(const touched *t, void *to, const void *from) {
    for (int i = 0; i < RANGE; i++)
        if (t->writes[i] == MANY)
            ((unsigned char *)to)[i] = ((const unsigned char *)from)[i];
}

/* Blocks run side by side only where no byte says otherwise. */
static void twins_launch(twins *t, const char *kernel, const uint32_t grid[2],
                         const uint32_t block[2], const void *const *args) {
    hd_vm_counts counts;
    int before[RANGE / 4], after[RANGE / 4];
    memcpy(before, t->x, RANGE);
    hd_vm_forget(t->two.vm, module); /* with how long it took, which may be too short for two */
    assert_int_equal(launch_grid(&t->two, kernel, grid, block, args, NULL, &counts), HD_OK);
    /* The same once more, block by block, and listened to. */
    memcpy(after, t->x, RANGE);
    memcpy(t->x, before, RANGE);
    memset(&t->touched, 0, sizeof t->touched);
    t->touched.base = (uint64_t)(uintptr_t)t->x;
    hd_sink sink = {.self = &t->touched,
                    .launch = touched_launch,
                    .open_block = touched_block,
                    .event = touched_event};
    hd_vm_memory m = {.name = "x", .address = t->x, .bytes = RANGE};
    assert_int_equal(hd_vm_add_memory(t->one.vm, &m), HD_OK);
    assert_int_equal(launch_grid(&t->one, kernel, grid, block, args, &sink, NULL), HD_OK);
    assert_true(hd_vm_remove_memory(t->one.vm, NULL, t->x));
    if (counts.workers > 1)
        take_common_writes(&t->touched, after, t->x);
    assert_memory_equal(t->x, after, RANGE);
    bool is_apart = are_apart(&t->touched);
    assert_true(is_apart || counts.workers == 1);
    t->apart += is_apart;
    t->together += counts.workers > 1;
}

/* Random arguments into one region, mostly apart where the bytes are. */
static void test_side_by_side(void **state) {
    (void)state;
    twins *t = twins_open();
    uint64_t seed = 20;
    for (int round = 0; round < 400; round++) {
        uint32_t threads = 16U << hd_next_random(&seed) % 2, blocks = 2 + hd_next_random(&seed) % 7;
        int scale = (int)(hd_next_random(&seed) % 4), shift = (int)(hd_next_random(&seed) % 3) * 16;
        bool gathers = hd_next_random(&seed) % 8 == 0;
        int *to = t->x + hd_next_random(&seed) % 64 * 16,
            *from = t->x + hd_next_random(&seed) % 64 * 16;
        for (int i = 0; i < RANGE / 4; i++)
            t->x[i] = i % 512;
        int *index = t->x + 3000;
        unsigned apart = t->apart;
        twins_launch(t, gathers ? "gather" : "move", (uint32_t[]){blocks, 1},
                     (uint32_t[]){threads, 1},
                     gathers ? ARGS(&to, &from, &index) : ARGS(&to, &from, &scale, &shift));
        t->apart = gathers ? apart : t->apart;
    }
    assert_true(t->apart > 100 && t->together > t->apart / 2);
    twins_close(t);
}

/* Tiles of a matrix in place. */
static void test_tiles(void **state) {
    (void)state;
    twins *t = twins_open();
    uint64_t seed = 21;
    for (int round = 0; round < 400; round++) {
        uint32_t grid[2] = {1 + hd_next_random(&seed) % 4, 1 + hd_next_random(&seed) % 4};
        int width = 8 * (int)grid[0] - (int)(hd_next_random(&seed) % 8),
            height = 4 * (int)grid[1] - (int)(hd_next_random(&seed) % 4),
            pitch = width + (int)(hd_next_random(&seed) % 4) - 1;
        int sx = (int)(hd_next_random(&seed) % 2), sy = (int)(hd_next_random(&seed) % 2),
            from = sx && sy ? 0 : 3 * (int)(hd_next_random(&seed) % 200);
        for (int i = 0; i < RANGE / 4; i++)
            t->x[i] = i;
        twins_launch(t, "tiles", grid, (uint32_t[]){8, 4},
                     ARGS(&t->x, &pitch, &width, &height, &from, &sx, &sy));
    }
    assert_true(t->apart > 100 && t->together > t->apart * 8 / 10);
    t->apart = t->together = 0;
    for (int round = 0; round < 100; round++) {
        uint32_t blocks = 2 + hd_next_random(&seed) % 6;
        int pitch = 4 * (int)blocks + (int)(hd_next_random(&seed) % 8),
            shift = (int)(hd_next_random(&seed) % 4 == 0) * 5;
        twins_launch(t, "halves", (uint32_t[]){blocks, 1}, (uint32_t[]){8, 1},
                     ARGS(&t->x, &pitch, &shift));
    }
    assert_true(t->apart > 30 && t->together > t->apart * 8 / 10);
    t->apart = t->together = 0;
    for (int round = 0; round < 100; round++) {
        uint32_t blocks = 2 + hd_next_random(&seed) % 6;
        int tile = 1 + (int)(hd_next_random(&seed) % 8),
            pitch = tile * (int)blocks + (int)(hd_next_random(&seed) % 3),
            from = (int)(hd_next_random(&seed) % 4 == 0);
        twins_launch(t, "diagonal", (uint32_t[]){blocks, 1}, (uint32_t[]){(uint32_t)tile, 1},
                     ARGS(&t->x, &pitch, &tile, &from));
    }
    assert_true(t->apart > 30 && t->together > t->apart * 8 / 10);
    twins_close(t);
}

/* Kernels that do anything: most are too wild to be known as apart. */
static void test_random_kernels(void **state) {
    (void)state;
    twins *t = twins_open();
    uint64_t seed = 23;
    for (uint32_t round = 0; round < RANDOM_KERNELS * 4; round++) {
        uint32_t grid[2] = {2 + hd_next_random(&seed) % 3, 1 + hd_next_random(&seed) % 3};
        int a = (int)(hd_next_random(&seed) % 8), b = (int)(hd_next_random(&seed) % 8);
        for (int i = 0; i < RANGE / 4; i++)
            t->x[i] = i;
        twins_launch(t, hd_format(t->two.arena, "random%u", round / 4), grid, (uint32_t[]){8, 4},
                     ARGS(&t->x, &a, &b));
    }
    assert_true(t->apart > 40 && t->together > 10);
    twins_close(t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_launches),       cmocka_unit_test(test_addresses),
        cmocka_unit_test(test_many),           cmocka_unit_test(test_memory_of_launches),
        cmocka_unit_test(test_fork),           cmocka_unit_test(test_faults),
        cmocka_unit_test(test_placed),         cmocka_unit_test(test_any_memory),
        cmocka_unit_test(test_uninitialised),  cmocka_unit_test(test_side_by_side),
        cmocka_unit_test(test_races),          cmocka_unit_test(test_tiles),
        cmocka_unit_test(test_random_kernels),
    };
    return cmocka_run_group_tests(tests, compile, forget);
}
