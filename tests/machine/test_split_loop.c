/* Loops that are split where their body asks for the counter (split_loop.c) compute what they compute as
 * written, whatever the question, the place and the bound; and which loops are split. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "machine/vm.h"
#include "support.h"

enum { KERNELS = 64 };

#define CHOOSE(state, texts) texts[hd_next_random(state) % (sizeof(texts) / sizeof *(texts))]

/* One loop in a kernel, after a guard. Numbers are whole: sums are the same in any form. */
static void add_kernel(hd_str *text, uint64_t *state, unsigned number) {
    static const char *const types[] = {"int", "unsigned", "long", "unsigned char"};
    static const char *const places[] = {"i",
                                         "i - 5",
                                         "3 * i - 40",
                                         "p[i % 64]",
                                         "2147483647 - (i & 3)",
                                         "-1 - i % 2",
                                         "4294967295u - i",
                                         "i > 7 ? 2147483647 : -i",
                                         "m"};
    static const char *const asks[] = {"j == k", "j != k", "j < k", "j <= k",
                                       "j > k",  "j >= k", "k > j", "k == j"};
    static const char *const bodies[] = {
        "a += p[j & 63] * 3 + j;", "a = a * 5 + p[j & 63];", "a ^= j; b += p[(j + i) & 63];",
        "if (p[j & 63] & 1) a += j; else b -= a;", "atomicAdd(&sums[j & 7], i + j);"};
    static const char *const before[] = {"if (", "if (", "a += 1; if (", "if (!("};
    static const char *const after[] = {") { ", ") { ", ") b += j; else { ", ")) continue; { "};
    const char *type = CHOOSE(state, types);
    unsigned form = hd_next_random(state) % 4;
    hd_str_printf(
        text,
        "extern \"C\" __global__ void k%u(const int *p, int *sums, int *out, int n, int m) {\n"
        "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i >= 50) return;\n"
        "    int a = 0, b = 7;\n    const %s k = (%s)(%s);\n    for (%s j = 0; j < (%s)n; j++) {\n"
        "        %s%s%s%s }\n    }\n    out[i] = a - 31 * b;\n}\n",
        number, type, type, CHOOSE(state, places), type, type, before[form], CHOOSE(state, asks),
        after[form], CHOOSE(state, bodies));
}

static void add_launch(hd_str *text, uint64_t *state, unsigned number) {
    static const int bounds[] = {0, 1, 5, 37, 50, 90};
    hd_str_printf(text,
                  "  - {kernel: k%u, blocks: [2], threads: [32], args: [{name: p, buffer: p}, "
                  "{name: sums, buffer: sums}, {name: out, buffer: out, offset: %u}, {name: n, "
                  "value: %d}, {name: m, value: %d}]}\n",
                  number, 64 * number, CHOOSE(state, bounds), CHOOSE(state, bounds));
}

/* The bytes of buffer 1 and 2 behind all launches; *split: how many kernels have a split loop. */
static const char *results(hd_sample *s, const char *path, kir_form form, size_t *length,
                           unsigned *split) {
    hd_str all = {.arena = s->arena};
    hd_vm_counts counts;
    hd_vm *vm;
    const hd_vm_options options = {.workers = 1};
    assert_int_equal(hd_job_read(s->arena, &s->diag, path, &s->job), HD_OK);
    assert_int_equal(
        hd_frontend_of(s->arena, &s->diag, s->job->kernel_path, NULL, form, NULL, &s->module),
        HD_OK);
    assert_int_equal(hd_job_resolve(s->arena, &s->diag, s->job, s->module), HD_OK);
    assert_int_equal(hd_vm_open(s->arena, &s->diag, s->job, NULL, &options, &vm), HD_OK);
    assert_int_equal(hd_vm_run_all(vm, NULL, NULL, UINT64_MAX, NULL, &counts), HD_OK);
    hd_str_addn(&all, hd_vm_contents(vm, 1), 8 * sizeof(int));
    hd_str_addn(&all, hd_vm_contents(vm, 2), 64 * KERNELS * sizeof(int));
    hd_vm_close(vm);
    *split = 0;
    for (uint32_t k = 0; k < s->module->kernel_count; k++)
        *split += s->module->kernels[k]->split.loop != 0;
    *length = all.length;
    return all.data;
}

static void split_loops_compute_the_same(void **unused) {
    (void)unused;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        hd_sample s = {.arena = hd_arena_new(), .diag = {hd_sample_message, NULL}};
        s.folder = folder_make(s.arena);
        hd_str kernels = {.arena = s.arena}, job = {.arena = s.arena};
        uint64_t state = seed;
        hd_str_printf(
            &job,
            "kernel: k.cu\nbuffers:\n  - {name: p, type: int, count: 64, init: "
            "[{generator: uniform, low: -20, high: 90, seed: 3}]}\n  - {name: sums, type: "
            "int, count: 8}\n  - {name: out, type: int, count: %d}\nlaunches:\n",
            64 * KERNELS);
        for (unsigned k = 0; k < KERNELS; k++) {
            add_kernel(&kernels, &state, k);
            add_launch(&job, &state, k);
        }
        const char *path = hd_format(s.arena, "%s/job.yaml", s.folder);
        hd_write_file(&s.diag, hd_format(s.arena, "%s/k.cu", s.folder), kernels.data,
                      kernels.length);
        hd_write_file(&s.diag, path, job.data, job.length);
        size_t lengths[2];
        unsigned none, split;
        const char *written = results(&s, path, KIR_AS_WRITTEN, &lengths[0], &none);
        const char *compiled = results(&s, path, KIR_FOR_NVIDIA, &lengths[1], &split);
        assert_int_equal(none, 0);
        assert_true(split >= KERNELS / 4);
        for (size_t i = 0; i < lengths[0]; i += sizeof(int))
            if (memcmp(written + i, compiled + i, sizeof(int)) != 0)
                fail_msg("seed %llu, byte %zu: of kernel %zu\n%s", (unsigned long long)seed, i,
                         i < 32 ? 0 : (i - 32) / 64 / sizeof(int), kernels.data);
        hd_sample_close(&s);
    }
}

/* As nvcc 13 does it: ./run bench compiled has the same kernels, counted. */
static void nvcc_s_loops_are_split(void **unused) {
    (void)unused;
    static const char *const split[] = {
        "all_but_one", "goes_on",     "nearest",     "upper",          "lower",       "two_sides",
        "asks_first",  "by_function", "from_shared", "chosen_by_data", "with_atomics"};
    hd_sample s;
    hd_sample_read(&s, "bench/compiled/split.yaml");
    assert_int_equal(
        hd_frontend_of(s.arena, &s.diag, s.job->kernel_path, NULL, KIR_FOR_NVIDIA, NULL, &s.module),
        HD_OK);
    uint32_t count = 0;
    for (uint32_t k = 0; k < s.module->kernel_count; k++)
        count += s.module->kernels[k]->split.loop != 0;
    assert_int_equal(count, sizeof split / sizeof *split);
    for (size_t i = 0; i < sizeof split / sizeof *split; i++) {
        const kir_kernel *kernel = kir_find_kernel(s.module, split[i]);
        assert_true(kernel && kernel->split.loop < kernel->split.question.line &&
                    kernel->split.question.line < kernel->split.last);
    }
    hd_sample_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(split_loops_compute_the_same),
        cmocka_unit_test(nvcc_s_loops_are_split),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
