/*
 * Jobs over ranks, threads here, against the same job run by one: memory after every launch, counts,
 * and the trace of all ranks as one. If the traces differ and the memory does not, it is the reader of
 * several files; if memory differs, the exchange of what blocks have written.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sanitized.h"
#include "support.h"
#include "threads_as_ranks.h"
#include "trace/trace.h"
#include "machine/vm.h"

static void silent(const hd_message *message, void *user) {
    (void)message;
    (void)user;
}
static const hd_diag no_diag = {silent, NULL};

static const uint64_t all_spaces = 1u << KIR_GLOBAL | 1u << KIR_LOCAL | 1u << KIR_CONSTANT;

/* What a job leaves after each of its launches, and its trace. */
typedef struct alone {
    const hd_job *job;
    const char *folder;
    uint32_t workers;
    void ***contents; /* [launch][buffer] */
    hd_vm_counts *counts;
} alone;

static size_t bytes_of(const hd_buffer *b) { return b->count * b->element_bytes; }

static const char *trace_path(hd_arena *arena, const alone *a, const char *name) {
    return hd_format(arena, "%s/%s", a->folder, name);
}

/* Threads cannot fail an assertion of cmocka's: it would jump to another one's stack. */
static void demand(bool is_so, const char *what) {
    if (is_so)
        return;
    fprintf(stderr, "ranks: %s\n", what);
    abort();
}

static hd_vm_counts without_time(hd_vm_counts counts) {
    counts.seconds = 0;
    counts.workers = 0;
    return counts;
}

/* Runs the job into a trace; without ranks keeps what is in memory, else compares it. */
static void run(alone *a, hd_arena *arena, const hd_ranks *ranks) {
    hd_vm *vm = NULL;
    hd_trace_writer *writer;
    const char *own = trace_path(arena, a, "one.hdt"), *folder = trace_path(arena, a, "ranks.hdt");
    const hd_vm_options options = {.workers = a->workers, .ranks = ranks};
    demand(hd_vm_open(arena, &no_diag, a->job, NULL, &options, &vm) == HD_OK, "open");
    if (ranks)
        demand(hd_trace_folder_begin(arena, &no_diag, folder, ranks, &own) == HD_OK, "begin");
    const hd_trace_header header = {"job", (uint32_t)all_spaces};
    demand(hd_trace_create(arena, &no_diag, own, &header, &writer) == HD_OK, "create");
    const hd_sink sink = hd_trace_sink(writer);
    for (uint32_t l = 0; l < a->job->launch_count; l++) {
        hd_vm_counts counts = {0};
        demand(hd_vm_run(vm, l, &sink, &counts) == HD_OK, "run");
        counts = without_time(counts);
        if (ranks)
            demand(!memcmp(&counts, &a->counts[l], sizeof counts), "other counts");
        else
            a->counts[l] = counts;
        for (uint32_t b = 0; b < a->job->buffer_count; b++) {
            size_t bytes = bytes_of(&a->job->buffers[b]);
            if (ranks)
                demand(!memcmp(hd_vm_contents(vm, b), a->contents[l][b], bytes), "other memory");
            else
                a->contents[l][b] = memcpy(hd_alloc(arena, bytes), hd_vm_contents(vm, b), bytes);
        }
    }
    hd_status status = hd_trace_end(writer, HD_OK, true);
    if (ranks)
        status = hd_trace_folder_end(arena, &no_diag, folder, ranks, status, true);
    demand(status == HD_OK, "end");
    hd_vm_close(vm);
}

static void run_share(const hd_ranks *ranks, void *user) {
    hd_arena *arena = hd_arena_new();
    run(user, arena, ranks);
    hd_arena_free(arena);
}

static hd_status add_text(void *user, const char *text, size_t length) {
    hd_str_addn(user, text, length);
    return HD_OK;
}

static const char *text_of(hd_arena *arena, const char *path, const char **missing) {
    hd_trace *trace;
    hd_str text = {.arena = arena};
    hd_trace_sums sums;
    const hd_trace_choice choice = {-1, 0, UINT64_MAX, 0, NULL};
    assert_int_equal(hd_trace_open(arena, &no_diag, path, &trace), HD_OK);
    assert_int_equal(hd_trace_text_write(trace, &no_diag, &choice, add_text, &text, &sums), HD_OK);
    *missing = hd_trace_get(trace)->missing;
    hd_trace_close(trace);
    return hd_str_text(&text);
}

static void begin(alone *a, const hd_sample *s, uint32_t workers) {
    *a = (alone){.job = s->job, .folder = folder_make(s->arena), .workers = workers};
    a->contents = hd_new_array(s->arena, void **, s->job->launch_count);
    a->counts = hd_new_array(s->arena, hd_vm_counts, s->job->launch_count);
    for (uint32_t l = 0; l < s->job->launch_count; l++)
        a->contents[l] = hd_new_array(s->arena, void *, s->job->buffer_count);
    run(a, s->arena, NULL);
}

static void check(alone *a, const hd_sample *s, uint32_t ranks) {
    hd_arena *arena = hd_arena_new();
    const char *missing, *one = text_of(arena, trace_path(arena, a, "one.hdt"), &missing);
    run_as_ranks(ranks, run_share, a);
    assert_string_equal(text_of(arena, trace_path(arena, a, "ranks.hdt"), &missing), one);
    assert_null(missing);
    hd_arena_free(arena);
    (void)s;
}

static void remove_trace(hd_arena *arena, const alone *a) {
    folder_remove(trace_path(arena, a, "ranks.hdt"));
    folder_remove(a->folder);
}

static const uint32_t counts[] = {1, 2, 3, 4, 8};
enum { COUNTS = sizeof counts / sizeof *counts };

static void check_example(void **state) {
    hd_sample s;
    alone a;
    hd_sample_read(&s, *state);
    begin(&a, &s, 2);
    for (uint32_t i = 0; i < COUNTS; i++)
        if (i % 2 == 0 && i && IS_TRIED(i, 4))
            check(&a, &s, counts[i]);
    remove_trace(s.arena, &a);
    hd_sample_close(&s);
}

/* Blocks that write single bytes beside each other, the same byte, less than all, and a variable;
 * atomics; blocks that see each other. */
static const char kernels[] =
    "__kernel void bytes(__global uchar *out, __global uint *one) {\n"
    "    size_t i = get_global_id(0);\n"
    "    if (i % 3) out[i] = (uchar)(i * 7 + 1);\n"
    "    one[get_local_id(0)] = (uint)get_group_id(0);\n"
    "}\n"
    "__kernel void count(__global const uchar *in, __global uint *bins) {\n"
    "    atomic_add(&bins[in[get_global_id(0)] % 5], 1u);\n"
    "}\n"
    "__kernel void chain(__global uint *values) {\n"
    "    size_t g = get_group_id(0);\n"
    "    values[g] = g ? values[g - 1] + 1 : 1;\n"
    "}\n";
static const char job[] = "kernel: kernel.cl\n"
                          "buffers:\n"
                          "  - {name: out, type: uchar, count: 77}\n"
                          "  - {name: one, type: uint, count: 16}\n"
                          "  - {name: bins, type: uint, count: 5}\n"
                          "  - {name: values, type: uint, count: 77}\n"
                          "launches:\n"
                          "  - {kernel: bytes, global: [77], local: [7], args: ["
                          "{name: out, buffer: out}, {name: one, buffer: one}]}\n"
                          "  - {kernel: count, global: [77], local: [7], args: ["
                          "{name: in, buffer: out}, {name: bins, buffer: bins}]}\n"
                          "  - {kernel: chain, global: [77], local: [7], args: ["
                          "{name: values, buffer: values}]}\n";

static void check_mixed(void **state) {
    hd_sample s;
    alone a;
    (void)state;
    hd_sample_open(&s, kernels, job);
    begin(&a, &s, 1); /* of blocks that write the same byte the last one counts */
    assert_int_equal(((uint32_t *)a.contents[2][3])[10], 11);
    for (uint32_t i = 0; i < COUNTS; i++)
        check(&a, &s, counts[i]);
    remove_trace(s.arena, &a);
    hd_sample_close(&s);
}

/* ---- folders that are not whole ------------------------------------------------------------- */

static void cut_file(const char *path, double share) {
    FILE *file = fopen(path, "r+");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    assert_int_equal(ftruncate(fileno(file), (off_t)((double)ftell(file) * share)), 0);
    fclose(file);
}

static void keep_text(const hd_message *message, void *user) {
    snprintf(user, 400, "%s", message->text);
}

static hd_status open_trace(hd_arena *arena, const char *path, char *said) {
    const hd_diag diag = {keep_text, said};
    hd_trace *trace;
    hd_status status = hd_trace_open(arena, &diag, path, &trace);
    if (status == HD_OK)
        hd_trace_close(trace);
    return status;
}

static void check_damage(void **state) {
    hd_sample s;
    alone a;
    (void)state;
    hd_sample_open(&s, kernels, job);
    begin(&a, &s, 1);
    check(&a, &s, 3);
    const char *folder = trace_path(s.arena, &a, "ranks.hdt"), *missing, *text;
    const char *second = hd_format(s.arena, "%s/rank-0001.hdt", folder);
    const char *part = hd_format(s.arena, "%s.part", second);
    char said[400] = "";
    /* As the death of a rank leaves it. */
    cut_file(second, 0.6);
    assert_int_equal(rename(second, part), 0);
    text = text_of(s.arena, folder, &missing);
    assert_non_null(strstr(missing, "rank 1: the run was killed before its end"));
    assert_non_null(strstr(missing, "of 11"));
    assert_true(strlen(text) > 100);
    assert_int_equal(unlink(part), 0);
    text_of(s.arena, folder, &missing);
    assert_non_null(strstr(missing, "rank 1: its file is not there"));
    /* Blocks of rank 0 twice. */
    assert_int_equal(link(hd_format(s.arena, "%s/rank-0000.hdt", folder), second), 0);
    assert_int_equal(open_trace(s.arena, folder, said), HD_EINPUT);
    assert_non_null(strstr(said, "in the files of two ranks"));
    /* The file of another run. */
    hd_sample other;
    hd_sample_open(&other, "__kernel void k(__global int *x) { x[0] = 1; }",
                   "kernel: kernel.cl\nbuffers: [{name: x, type: int, count: 1}]\nlaunches:\n"
                   "  - {kernel: k, global: [1], local: [1], args: [{name: x, buffer: x}]}\n");
    alone b;
    begin(&b, &other, 1);
    assert_int_equal(rename(trace_path(s.arena, &b, "one.hdt"), second), 0);
    assert_int_equal(open_trace(s.arena, folder, said), HD_EINPUT);
    assert_non_null(strstr(said, "of different runs"));
    folder_remove(b.folder);
    hd_sample_close(&other);
    const char *line = "heddle trace of 0 ranks\n";
    assert_int_equal(hd_write_file(&s.diag, hd_format(s.arena, "%s/ranks", folder), line, 24),
                     HD_OK);
    assert_int_equal(open_trace(s.arena, folder, said), HD_EINPUT);
    assert_non_null(strstr(said, "heddle trace of N ranks"));
    remove_trace(s.arena, &a);
    hd_sample_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(check_example, "examples/nbf/nbf-small.yaml"),
        cmocka_unit_test_prestate(check_example, "examples/bfs/bfs-small.yaml"),
        cmocka_unit_test(check_mixed),
        cmocka_unit_test(check_damage),
    };
    return cmocka_run_group_tests_name("ranks", tests, NULL, NULL);
}
