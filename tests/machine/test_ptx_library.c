/*
 * heddle/ptx.h: what programs call. Kernels are PTX as a person writes it, and one of kir; results
 * are compared with what C computes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/base.h"
#include "machine/event.h"
#include "heddle/ptx.h"
#include "kernels.h"

typedef struct opened {
    hd_arena *arena;
    hd_str messages, printed;
    hd_ptx *machine;
} opened;

static void note(const hd_message *m, void *user) {
    hd_str_printf(user, "%s:%u: %s\n", m->place.file ? m->place.file : "-", m->place.line, m->text);
}

static void print(void *user, const char *text, size_t length) { hd_str_addn(user, text, length); }

static void open_machine(opened *o, hd_ptx_options options) {
    *o = (opened){.arena = hd_arena_new()};
    o->messages.arena = o->printed.arena = o->arena;
    options.print = print;
    options.user = &o->printed;
    const hd_diag diag = {note, &o->messages};
    assert_int_equal(hd_ptx_open(&options, &diag, &o->machine), HD_OK);
}

static void close_machine(opened *o) {
    hd_ptx_close(o->machine);
    hd_arena_free(o->arena);
}

static hd_ptx_module *load(opened *o, const char *text) {
    hd_ptx_module *module;
    if (hd_ptx_load(o->machine, "k.ptx", text, strlen(text), &module))
        fail_msg("%s", hd_str_text(&o->messages));
    return module;
}

static void assert_told(const opened *o, const char *part) {
    if (!strstr(hd_str_text(&o->messages), part))
        fail_msg("'%s' says nothing of '%s'", hd_str_text(&o->messages), part);
}

static const hd_ptx_launch_size one = {{1, 1, 1}, {1, 1, 1}, 0};

/* ---- launches --------------------------------------------------------------------------------- */

static void test_add(void **state) {
    (void)state;
    opened o;
    open_machine(&o, (hd_ptx_options){.workers = 2});
    hd_ptx_kernel *add = hd_ptx_find(load(&o, ptx_add), "add");
    assert_non_null(add);
    float *x = hd_ptx_alloc(o.machine, 400, 256), *y = hd_ptx_alloc(o.machine, 400, 256);
    for (int i = 0; i < 100; i++) {
        x[i] = (float)i;
        y[i] = (float)(1000 * i);
    }
    uint32_t n = 100;
    hd_ptx_counts counts;
    const hd_ptx_launch_size size = {{4, 1, 1}, {32, 1, 1}, 0};
    assert_int_equal(hd_ptx_launch(add, &size, (void *[]){&x, &y, &n}, &counts), HD_OK);
    for (int i = 0; i < 100; i++)
        assert_true(x[i] == (float)(1001 * i));
    assert_int_equal(counts.blocks, 4);
    assert_int_equal(counts.memory_instructions, 4 * 3);
    assert_int_equal(counts.lane_accesses, 3 * 100);
    assert_int_equal(hd_ptx_last_fault(o.machine).is_access, false);
    /* One too many: the next element is behind the allocation. */
    n = 101;
    assert_int_equal(hd_ptx_launch(add, &size, (void *[]){&x, &y, &n}, NULL), HD_EINPUT);
    assert_told(&o, "k.ptx:21: load of 4 bytes at byte 400 of buffer 'allocation 2'");
    assert_told(&o, "thread 4 of block 3");
    hd_ptx_fault f = hd_ptx_last_fault(o.machine);
    assert_true(f.is_access && !f.is_freed && f.bytes == 4 && f.size == 400);
    assert_true(f.base == (uint64_t)(uintptr_t)y && f.address == f.base + 400);
    assert_int_equal(hd_ptx_free(o.machine, y), HD_OK);
    n = 1;
    assert_int_equal(hd_ptx_launch(add, &size, (void *[]){&x, &y, &n}, NULL), HD_EINPUT);
    assert_told(&o, "byte 0 of 'allocation 2', which was freed");
    assert_true(hd_ptx_last_fault(o.machine).is_freed);
    assert_int_equal(hd_ptx_free(o.machine, y), HD_EINPUT);
    assert_told(&o, "nothing to free");
    close_machine(&o);
}

static void test_too_much(void **state) {
    (void)state;
    opened o;
    open_machine(&o, (hd_ptx_options){0});
    assert_null(hd_ptx_alloc(o.machine, SIZE_MAX, 1));
    assert_null(hd_ptx_alloc(o.machine, (size_t)1 << 60, 1));
    char *none = hd_ptx_alloc(o.machine, 0, 1), *next = hd_ptx_alloc(o.machine, 1, 1);
    assert_true(none && next && none != next);
    assert_int_equal(hd_ptx_free(o.machine, none), HD_OK);
    close_machine(&o);
}

static void test_placed(void **state) {
    (void)state;
    opened o;
    open_machine(&o, (hd_ptx_options){0});
    hd_ptx_kernel *add = hd_ptx_kernel_at(load(&o, ptx_add), 0);
    float own[8] = {1, 2, 3, 4, 5, 6, 7, 8}, *x = own, *y = own + 4;
    uint32_t n = 4;
    const hd_ptx_launch_size size = {{1, 1, 1}, {4, 1, 1}, 0};
    assert_int_equal(hd_ptx_launch(add, &size, (void *[]){&x, &y, &n}, NULL), HD_EINPUT);
    assert_int_equal(hd_ptx_place(o.machine, "own", own, sizeof own), HD_OK);
    assert_int_equal(hd_ptx_free(o.machine, own), HD_EINPUT);
    assert_int_equal(hd_ptx_launch(add, &size, (void *[]){&x, &y, &n}, NULL), HD_OK);
    assert_true(own[0] == 6 && own[3] == 12 && own[4] == 5);
    assert_int_equal(hd_ptx_remove(o.machine, own), HD_OK);
    assert_int_equal(hd_ptx_remove(o.machine, own), HD_EINPUT);
    assert_int_equal(hd_ptx_launch(add, &size, (void *[]){&x, &y, &n}, NULL), HD_EINPUT);
    assert_told(&o, "of 'own', which was freed");
    close_machine(&o);
}

static void test_any_memory(void **state) {
    (void)state;
    opened o;
    open_machine(&o, (hd_ptx_options){.any_memory = true});
    hd_ptx_kernel *add = hd_ptx_kernel_at(load(&o, ptx_add), 0);
    float own[2] = {1, 2}, *x = own, *y = own + 1;
    uint32_t n = 1;
    assert_int_equal(hd_ptx_launch(add, &one, (void *[]){&x, &y, &n}, NULL), HD_OK);
    assert_true(own[0] == 3);
    uint64_t wild = (uint64_t)1 << 63;
    assert_int_equal(hd_ptx_launch(add, &one, (void *[]){&x, &wild, &n}, NULL), HD_EINPUT);
    assert_told(&o, "in no memory of the process");
    close_machine(&o);
}

static void test_sizes(void **state) {
    (void)state;
    opened o;
    open_machine(&o, (hd_ptx_options){0});
    hd_ptx_module *m = load(&o, ptx_variables);
    uint32_t *x = hd_ptx_alloc(o.machine, 4096, 4);
    void *args[] = {&x, &x, &x, &x};
    uint8_t more[24] = {0};
    args[2] = more;
    hd_ptx_launch_size size = {{1, 1, 1}, {65, 1, 1}, 0};
    assert_int_equal(hd_ptx_launch(hd_ptx_find(m, "look"), &size, args, NULL), HD_EINPUT);
    assert_told(&o, "a block of 65 x 1 x 1 threads; kernel look takes at most 64");
    size.block[1] = size.block[2] = UINT32_MAX;
    assert_int_equal(hd_ptx_launch(hd_ptx_find(m, "turn"), &size, args, NULL), HD_EINPUT);
    assert_told(&o, "kernel turn takes at most 1024");
    size = (hd_ptx_launch_size){{1, 0, 1}, {1, 1, 1}, 0};
    assert_int_equal(hd_ptx_launch(hd_ptx_find(m, "turn"), &size, args, NULL), HD_EINPUT);
    assert_told(&o, "no blocks");
    size = (hd_ptx_launch_size){{1, 1, 1}, {1, 1, 1}, (uint64_t)1 << 40};
    assert_int_equal(hd_ptx_launch(hd_ptx_find(m, "turn"), &size, args, NULL), HD_EINPUT);
    assert_told(&o, "bytes of local memory");
    close_machine(&o);
}

/* ---- modules ------------------------------------------------------------------------------------ */

static void test_variables(void **state) {
    (void)state;
    opened o;
    open_machine(&o, (hd_ptx_options){0});
    hd_ptx_module *m = load(&o, ptx_variables), *again = load(&o, ptx_variables);
    void *address, *other;
    size_t bytes;
    assert_true(hd_ptx_variable(m, "total", &address, &bytes) && bytes == 4);
    assert_true(hd_ptx_variable(again, "total", &other, &bytes) && other != address);
    assert_int_equal(hd_ptx_free(o.machine, address), HD_EINPUT);
    uint32_t *to = hd_ptx_alloc(o.machine, 4, 4), *at = hd_ptx_alloc(o.machine, 4, 4);
    *at = 2;
    hd_ptx_kernel *look = hd_ptx_find(m, "look");
    assert_int_equal(hd_ptx_launch(look, &one, (void *[]){&to, &at}, NULL), HD_OK);
    assert_int_equal(*to, 30 + 8 + 5);
    assert_int_equal(*(uint32_t *)address, 6);
    assert_int_equal(*(uint32_t *)other, 5);
    /* The host writes what kernels only read. */
    assert_true(hd_ptx_variable(m, "table", &address, &bytes) && bytes == 16);
    ((uint32_t *)address)[2] = 100;
    assert_true(hd_ptx_variable(m, "unused", &address, &bytes) && bytes == 12);
    assert_false(hd_ptx_variable(m, "nothing", &address, &bytes));
    assert_int_equal(hd_ptx_launch(look, &one, (void *[]){&to, &at}, NULL), HD_OK);
    assert_int_equal(*to, 100 + 8 + 6);
    *at = 4;
    assert_int_equal(hd_ptx_launch(look, &one, (void *[]){&to, &at}, NULL), HD_EINPUT);
    assert_told(&o, "byte 16 of constant buffer 'table'");
    hd_ptx_unload(m);
    *at = 0;
    assert_int_equal(hd_ptx_launch(hd_ptx_find(again, "look"), &one, (void *[]){&to, &at}, NULL),
                     HD_OK);
    assert_int_equal(*to, 10 + 8 + 5);
    close_machine(&o);
}

static void test_facts(void **state) {
    (void)state;
    opened o;
    open_machine(&o, (hd_ptx_options){0});
    hd_ptx_module *m = load(&o, ptx_variables);
    assert_int_equal(hd_ptx_kernel_count(m), 2);
    assert_null(hd_ptx_find(m, "nothing"));
    hd_ptx_kernel *look = hd_ptx_find(m, "look"), *turn = hd_ptx_find(m, "turn");
    assert_string_equal(hd_ptx_kernel_name(turn), "turn");
    hd_ptx_kernel_facts f = hd_ptx_facts(look);
    assert_int_equal(f.param_count, 2);
    assert_int_equal(f.params_bytes, 16);
    assert_int_equal(f.constant_bytes, 16);
    assert_int_equal(f.most_threads, 64);
    assert_true(f.registers > 0 && f.registers < 64);
    f = hd_ptx_facts(turn);
    assert_int_equal(f.most_threads, 1024);
    assert_int_equal(f.static_shared, 96);
    const uint32_t offsets[] = {0, 8, 16, 40}, sizes[] = {8, 1, 24, 2};
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t offset, bytes;
        hd_ptx_param(turn, i, &offset, &bytes);
        assert_int_equal(offset, offsets[i]);
        assert_int_equal(bytes, sizes[i]);
    }
    assert_int_equal(f.params_bytes, 42);
    uint32_t *x = hd_ptx_alloc(o.machine, 256, 4);
    for (uint32_t i = 0; i < 64; i++)
        x[i] = i;
    uint8_t more[24] = {0};
    const hd_ptx_launch_size size = {{1, 1, 1}, {64, 1, 1}, 256};
    assert_int_equal(hd_ptx_launch(turn, &size, (void *[]){&x, more, more, more}, NULL), HD_OK);
    for (uint32_t i = 0; i < 64; i++)
        assert_int_equal(x[i], 63 - i);
    close_machine(&o);
}

static void test_bad_texts(void **state) {
    (void)state;
    opened o;
    open_machine(&o, (hd_ptx_options){0});
    hd_ptx_module *m;
    const char *const bad[] = {"",
                               ".version 99.0\n.target sm_80\n",
                               "int main() {}",
                               PTX_HEAD
                               ".visible .entry k() { tcgen05.wait::ld.sync.aligned; ret; }",
                               PTX_HEAD ".visible .entry k() { unknown.s32 %r1; ret; }",
                               "; kir\nx"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        o.messages.length = 0;
        assert_int_not_equal(hd_ptx_load(o.machine, "bad.ptx", bad[i], strlen(bad[i]), &m), HD_OK);
        assert_null(m);
        assert_told(&o, "bad.ptx:");
    }
    hd_ptx_unload(NULL);
    assert_non_null(hd_ptx_find(load(&o, ptx_add), "add")); /* the machine is as it was */
    close_machine(&o);
}

/* One entry that cannot be run refuses itself alone, when it is asked for; addresses in variables
 * are there before any kernel is, and stay as the host left them. */
static void test_part(void **state) {
    (void)state;
    opened o;
    open_machine(&o, (hd_ptx_options){0});
    hd_ptx_module *m =
        load(&o, PTX_HEAD ".global .align 8 .u64 at[2] = {generic(number), 5};\n"
                          ".global .align 4 .u32 number = 7;\n"
                          ".visible .entry bad() { tcgen05.wait::ld.sync.aligned; ret; }\n"
                          ".visible .entry good(.param .u64 to) { .reg .b64 %d<4>; .reg .b32 %r;\n"
                          "  ld.param.u64 %d0, [to]; ld.global.u64 %d1, [at];\n"
                          "  ld.global.u64 %d2, [at+8]; ld.u32 %r, [%d1];\n"
                          "  cvt.u64.u32 %d3, %r; add.u64 %d3, %d3, %d2;\n"
                          "  st.global.u64 [%d0], %d3; ret; }\n");
    void *at;
    size_t bytes;
    assert_true(hd_ptx_variable(m, "at", &at, &bytes));
    assert_int_not_equal(*(uint64_t *)at, 0);
    ((uint64_t *)at)[1] = 6;
    assert_true(hd_ptx_has(m, "bad"));
    assert_false(hd_ptx_has(m, "worse"));
    assert_null(hd_ptx_find(m, "bad"));
    assert_told(&o, "tcgen05");
    uint64_t *to = hd_ptx_alloc(o.machine, 8, 8);
    assert_int_equal(hd_ptx_launch(hd_ptx_find(m, "good"), &one, (void *[]){&to}, NULL), HD_OK);
    assert_int_equal(*to, 13);
    close_machine(&o);
}

/* Programs write constant variables by the addresses that they are given of them. */
static void test_written_constant(void **state) {
    (void)state;
    opened o;
    open_machine(&o, (hd_ptx_options){0});
    hd_ptx_module *m =
        load(&o, PTX_HEAD ".const .align 4 .u32 table[2] = {3, 4};\n"
                          ".visible .entry set(.param .u64 at) { .reg .b64 %d;\n"
                          "  ld.param.u64 %d, [at]; st.global.u32 [%d+4], 9; ret; }\n"
                          ".visible .entry get(.param .u64 to) { .reg .b64 %d; .reg .b32 %r<2>;\n"
                          "  ld.param.u64 %d, [to]; ld.const.u32 %r0, [table];\n"
                          "  ld.const.u32 %r1, [table+4]; add.u32 %r0, %r0, %r1;\n"
                          "  st.global.u32 [%d], %r0; ret; }\n");
    uint32_t *to = hd_ptx_alloc(o.machine, 4, 4);
    void *table;
    size_t bytes;
    assert_true(hd_ptx_variable(m, "table", &table, &bytes));
    assert_int_equal(hd_ptx_launch(hd_ptx_find(m, "set"), &one, (void *[]){&table}, NULL), HD_OK);
    assert_int_equal(hd_ptx_launch(hd_ptx_find(m, "get"), &one, (void *[]){&to}, NULL), HD_OK);
    assert_int_equal(*to, 12);
    close_machine(&o);
}

static void test_shared_sizes(void **state) {
    (void)state;
    opened o;
    open_machine(&o, (hd_ptx_options){0});
    hd_ptx_module *m =
        load(&o, PTX_HEAD ".extern .shared .align 4 .b8 more[];\n"
                          ".visible .entry k(.param .u64 to) { .reg .b64 %d; .reg .b32 %r<2>;\n"
                          "  .shared .align 4 .b8 own[40];\n"
                          "  ld.param.u64 %d, [to]; mov.u32 %r0, %dynamic_smem_size;\n"
                          "  mov.u32 %r1, %total_smem_size; st.shared.u32 [own], %r0;\n"
                          "  st.global.u32 [%d], %r0; st.global.u32 [%d+4], %r1; ret; }\n");
    uint32_t *to = hd_ptx_alloc(o.machine, 8, 8);
    const hd_ptx_launch_size size = {{1, 1, 1}, {1, 1, 1}, 512};
    assert_int_equal(hd_ptx_launch(hd_ptx_find(m, "k"), &size, (void *[]){&to}, NULL), HD_OK);
    assert_int_equal(to[0], 512);
    assert_int_equal(to[1], 552);
    close_machine(&o);
}

static void test_kir(void **state) {
    (void)state;
    opened o;
    open_machine(&o, (hd_ptx_options){0});
    hd_ptx_module *m = load(&o, "; kir\nrule blocks\nrule returned_arrive\nfile \"k.cu\"\n"
                                "kernel \"k\" {\n"
                                "    param \"x\" ptr.global type \"int *\" bytes 0 element 4\n"
                                "    param \"n\" i32 type \"int\" bytes 4\n"
                                "b0:\n"
                                "    %0 = param ptr.global 0\n"
                                "    %1 = param i32 1\n"
                                "    store %1, %0 align 4\n"
                                "    ret\n}\n");
    int *x = hd_ptx_alloc(o.machine, 8, 4), n = 17;
    x++; /* arguments may point inside */
    assert_int_equal(hd_ptx_launch(hd_ptx_find(m, "k"), &one, (void *[]){&x, &n}, NULL), HD_OK);
    assert_int_equal(*x, 17);
    assert_int_equal(x[-1], 0);
    uint32_t offset, bytes;
    hd_ptx_param(hd_ptx_find(m, "k"), 1, &offset, &bytes);
    assert_true(offset == 8 && bytes == 4);
    close_machine(&o);
}

/* What OpenCL has and CUDA has not: dimensions, an offset, local memory that the launch gives, larger
 * blocks; and names of allocations. */
static void test_opencl(void **state) {
    (void)state;
    opened o;
    open_machine(&o, (hd_ptx_options){.most_threads = 2048});
    hd_ptx_module *m =
        load(&o, "; kir\nfile \"k.cl\"\n"
                 "kernel \"k\" {\n"
                 "    param \"v\" ptr.global type \"__global int *\" bytes 0 element 4 of \"int\"\n"
                 "    param \"s\" ptr.local type \"__local int *\" bytes 0 element 4 of \"int\"\n"
                 "b0:\n"
                 "    %0 = param ptr.global 0\n"
                 "    %1 = param ptr.local 1\n"
                 "    %2 = const i32 0\n"
                 "    %3 = const i32 1\n"
                 "    %4 = const i64 10\n"
                 "    %5 = const i64 1\n"
                 "    %6 = query local_id i64 %2\n"
                 "    %7 = query global_id i64 %2\n"
                 "    %8 = query work_dim i32\n"
                 "    %9 = query global_offset i64 %2\n"
                 "    %10 = zext i64 %8\n"
                 "    %11 = mul i64 %7, %4\n"
                 "    %12 = add i64 %11, %10\n"
                 "    %13 = trunc i32 %12\n"
                 "    %14 = addr ptr.local %1 + %6*4\n"
                 "    store %13, %14 align 4\n"
                 "    barrier %3\n"
                 "    %17 = xor i64 %6, %5\n"
                 "    %18 = addr ptr.local %1 + %17*4\n"
                 "    %19 = load i32 %18 align 4\n"
                 "    %20 = sub i64 %7, %9\n"
                 "    %21 = addr ptr.global %0 + %20*4\n"
                 "    store %19, %21 align 4\n"
                 "    ret\n}\n");
    hd_ptx_kernel *k = hd_ptx_find(m, "k");
    int *v = hd_ptx_alloc_named(o.machine, "numbers", 4096 * sizeof *v, 4);
    uint64_t local = 2048 * sizeof(int);
    hd_ptx_launch_size size = {{2, 1, 1}, {2048, 1, 1}, .dims = 2, .offset = {100, 0, 0}};
    assert_int_equal(hd_ptx_launch(k, &size, (void *[]){&v, &local}, NULL), HD_OK);
    assert_int_equal(v[0], 1012);
    assert_int_equal(v[1], 1002);
    assert_int_equal(v[4095], 41942);
    local /= 2;
    assert_int_equal(hd_ptx_launch(k, &size, (void *[]){&v, &local}, NULL), HD_EINPUT);
    assert_told(&o, "'s'");
    local *= 2;
    v++;
    assert_int_equal(hd_ptx_launch(k, &size, (void *[]){&v, &local}, NULL), HD_EINPUT);
    assert_told(&o, "'numbers'");
    close_machine(&o);
}

/* ---- what is watched --------------------------------------------------------------------------- */

typedef struct heard {
    uint32_t launches, events;
    const hd_event_launch *launch;
    bool right;
} heard;

static hd_status hear_launch(void *self, const hd_event_launch *launch) {
    heard *h = self;
    h->launch = launch;
    h->launches++;
    return HD_OK;
}

static void *hear_block(void *self, uint64_t block) {
    (void)block;
    return self;
}

/* The row of an access names the allocation that its argument points into. */
static void hear_event(void *self, const hd_event *e) {
    heard *h = self;
    int32_t row = h->launch->accesses[e->access].buffer;
    const hd_event_buffer *b = row >= 0 ? &h->launch->buffers[row] : NULL;
    uint64_t address = hd_event_address(e, 0);
    h->right &= b && address >= b->base && address < b->base + b->bytes;
    h->events++;
}

static void test_sink(void **state) {
    (void)state;
    opened o;
    open_machine(&o, (hd_ptx_options){.workers = 1});
    hd_ptx_kernel *add = hd_ptx_kernel_at(load(&o, ptx_add), 0);
    float *x = hd_ptx_alloc(o.machine, 400, 256), *y = hd_ptx_alloc(o.machine, 400, 256);
    y += 10;
    uint32_t n = 32;
    const hd_ptx_launch_size size = {{1, 1, 1}, {32, 1, 1}, 0};
    heard h = {.right = true};
    const hd_sink sink = {
        .self = &h, .launch = hear_launch, .open_block = hear_block, .event = hear_event};
    hd_ptx_set_sink(o.machine, &sink);
    assert_int_equal(hd_ptx_launch(add, &size, (void *[]){&x, &y, &n}, NULL), HD_OK);
    hd_ptx_set_sink(o.machine, NULL);
    assert_int_equal(hd_ptx_launch(add, &size, (void *[]){&x, &y, &n}, NULL), HD_OK);
    assert_int_equal(h.launches, 1);
    assert_int_equal(h.events, 3);
    assert_true(h.right);
    close_machine(&o);
}

static void test_checks(void **state) {
    (void)state;
    opened o;
    open_machine(&o, (hd_ptx_options){.check_uninitialised = true, .check_races = true});
    hd_ptx_kernel *add = hd_ptx_kernel_at(load(&o, ptx_add), 0);
    float *x = hd_ptx_alloc(o.machine, 128, 256), *y = hd_ptx_alloc(o.machine, 128, 256);
    uint32_t n = 31;
    const hd_ptx_launch_size size = {{1, 1, 1}, {32, 1, 1}, 0};
    void *args[] = {&x, &y, &n};
    hd_ptx_wrote(o.machine, x, 128);
    assert_int_equal(hd_ptx_launch(add, &size, args, NULL), HD_EINPUT);
    assert_told(&o, "byte 0 of 'allocation 2', which nothing has written");
    hd_ptx_wrote(o.machine, y, 128);
    assert_int_equal(hd_ptx_launch(add, &size, args, NULL), HD_OK);
    y = x + 1; /* thread i reads what thread i + 1 writes */
    o.messages.length = 0;
    assert_int_equal(hd_ptx_launch(add, &size, args, NULL), HD_EINPUT);
    assert_told(&o, "race: ");
    close_machine(&o);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_add),          cmocka_unit_test(test_placed),
        cmocka_unit_test(test_any_memory),   cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_too_much),     cmocka_unit_test(test_variables),
        cmocka_unit_test(test_facts),        cmocka_unit_test(test_bad_texts),
        cmocka_unit_test(test_part),         cmocka_unit_test(test_written_constant),
        cmocka_unit_test(test_shared_sizes), cmocka_unit_test(test_kir),
        cmocka_unit_test(test_opencl),       cmocka_unit_test(test_sink),
        cmocka_unit_test(test_checks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
