/* Kernels whose threads take their work from random orders leave what the original leaves. */
#include <glob.h>

#include "advise/verify.h"
#include "kit.h"
#include "rewrite/thread_map.h"
#include "sanitized.h"

static hd_job *read_job(kit *k, const char *path) {
    hd_job *job;
    kir_module *module;
    if (hd_job_read(k->arena, &k->diag, path, &job) ||
        hd_frontend(k->arena, &k->diag, job->kernel_path, job->options, &module) ||
        hd_job_resolve(k->arena, &k->diag, job, module))
        fail_msg("%s: %s", path, kit_said(k));
    return job;
}

static void shuffle(uint32_t *items, uint32_t count, uint64_t *seed) {
    for (uint32_t i = count; i > 1; i--) {
        uint32_t other = (uint32_t)(hd_next_random(seed) % i), kept = items[i - 1];
        items[i - 1] = items[other];
        items[other] = kept;
    }
}

static hd_launch_order random_order(kit *k, const hd_launch *launch, uint32_t number, bool blocks,
                                    uint64_t *seed) {
    hd_grid grid = hd_grid_of(launch->dims, launch->global, launch->local);
    uint32_t each = (uint32_t)grid.block_threads, count = (uint32_t)grid.block_count * each;
    uint32_t unit = blocks ? each : 1;
    uint32_t *units = hd_new_array(k->arena, uint32_t, count / unit);
    uint32_t *order = hd_new_array(k->arena, uint32_t, count);
    for (uint32_t u = 0; u < count / unit; u++)
        units[u] = u;
    shuffle(units, count / unit, seed);
    for (uint32_t p = 0; p < count; p++)
        order[p] = units[p / unit] * unit + p % unit;
    return (hd_launch_order){.kernel = launch->kernel->name,
                             .launch = number,
                             .threads = count,
                             .block_threads = each,
                             .whole_blocks = blocks,
                             .order = order};
}

/* Of all launches but every `left_out`-th. */
static hd_order_file *random_orders(kit *k, const hd_job *job, uint32_t left_out, uint64_t seed) {
    hd_order_file *file = hd_new(k->arena, hd_order_file);
    file->orders = hd_new_array(k->arena, hd_launch_order, job->launch_count);
    for (uint32_t l = 0; l < job->launch_count; l++) {
        const hd_launch *launch = &job->launches[l];
        bool blocks = hd_threads_stay_together(launch->kernel, NULL) != NULL;
        if (!launch->items_from && (!left_out || (l + 1) % left_out))
            file->orders[file->order_count++] = random_order(k, launch, l, blocks, &seed);
    }
    return file;
}

static void check(kit *k, const char *path, uint32_t left_out, uint64_t seed) {
    const hd_vm_options options = {.workers = 1};
    hd_job *job = read_job(k, path);
    hd_order_file *orders = random_orders(k, job, left_out, seed);
    hd_rewritten *rewritten;
    hd_verified verified;
    if (!orders->order_count)
        return;
    if (hd_rewrite_job_map(k->arena, &k->diag, job, orders, NULL, NULL, &rewritten))
        fail_msg("%s: %s", path, kit_said(k));
    if (hd_verify(k->arena, &k->diag, job, NULL, 0, rewritten, &options, &verified))
        fail_msg("%s: %s\n%s", path, kit_said(k), rewritten->files[0].text);
}

/* Every `step`-th, each with its own left-out launches. */
static void check_all(kit *k, const char *pattern, uint32_t step) {
    glob_t found;
    assert_int_equal(
        glob(hd_format(k->arena, "%s/%s", getenv("HEDDLE_SOURCE"), pattern), 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i += step)
        check(k, found.gl_pathv[i], i % 2 ? 3 : 0, i + 1);
    globfree(&found);
}

static void all_forms_leave_the_same(void **state) {
    check_all(*state, "tests/rewrite/maps/*.yaml", 1);
}

static void all_examples_leave_the_same(void **state) {
    check_all(*state, "examples/*/*-small.yaml", SANITIZED ? 5 : 1);
}

/* ---- what cannot be rewritten ------------------------------------------------------------ */

static void what_cannot_be_mapped_is_refused(void **state) {
    static const struct {
        const char *file, *text, *said;
    } cases[] = {
        {"a.cl",
         "#define ID(w) get_##w##_id(0)\nkernel void k(global int *a) { a[ID(global)] = ID(local); "
         "}",
         "here a macro makes 'get_global_id' of parts"},
        {"b.cl", "kernel void k(global int *a) { a[get_global_id(0)] = get_sub_group_local_id(); }",
         "1:54: this id is the hardware's"},
        {"c.cl",
         "kernel void k(global int *a, int heddle_map) { a[get_global_id(0)] = heddle_map; }",
         "are given a map already"},
        {"d.cl", "kernel void other(global int *a) { a[get_global_id(0)] = 1; }",
         "this file has no kernel 'k'"},
        {"e.cl",
         "kernel void k(global int *a) { a[get_global_id(0)] = 1; }\n"
         "kernel void j(global int *a) { k(a); }",
         "2:32: this calls a kernel that gets a map"},
        {"a.cu",
         "struct s { int i; __device__ s() { i = threadIdx.x; } };\n"
         "__global__ void k(int *a) { s x; a[x.i] = 1; }",
         "1:19: 's' reads ids, and cannot be given them, as a constructor"},
        {"b.cu",
         "__device__ int item() { return threadIdx.x; }\n"
         "__global__ void k(int *a) { int (*f)() = item; a[f()] = 1; }",
         "2:42: 'item' reads ids, and is named here without being called"},
        {"c.cu",
         "__global__ void k(int *a) { int b; asm(\"mov.u32 %0, %%ctaid.x;\" : \"=r\"(b)); a[b] = "
         "1; "
         "}",
         "1:40: inline assembly reads %ctaid"},
        {"d.cu",
         "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n"
         "__global__ void k(int *a) {\n    a[cg::this_grid().thread_rank()] = 1;\n}",
         "4:7: 'thread_rank' reads ids in a header of the system"},
        {"e.cu",
         "__global__ void k(int *a) { a[threadIdx.x] = 1; }\n"
         "void run(void **p) { cudaLaunchKernel((void *)k, 1, 1, p, 0, 0); }",
         "2:22: this gives a kernel its arguments in a list"},
        {"h.cu",
         "__global__ void k(int *a) { a[threadIdx.x] = 1; }\n"
         "void run(int *a) {\n    void (*f)(int *) = k;\n    f<<<1, 1>>>(a);\n}",
         "the rewritten file would not compile"},
        {"f.cu", "__global__ void k(int *a) { int threadIdx = 1; a[blockIdx.x] = threadIdx; }",
         "1:29: this has the name of an id"},
        {"g.cu",
         "struct s { __device__ int operator+(int b) const { return b + threadIdx.x; } };\n"
         "__global__ void k(int *a) { s x; a[x + 1] = 1; }",
         "1:12: 'operator+' reads ids, and cannot be given them, as an operator"},
    };
    static const hd_mapped_kernel mapped = {"k", false};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (!IS_TRIED(i, 4))
            continue;
        kit *k = kit_new();
        const char *path = kit_write(k, cases[i].file, cases[i].text);
        const hd_thread_map_request request = {path, "-cl-std=CL2.0", &mapped, 1};
        const hd_thread_map_request cuda = {path, "", &mapped, 1};
        hd_rewritten *result;
        hd_status status = hd_rewrite_thread_map(
            k->arena, &k->diag, hd_ends_in(path, ".cu") ? &cuda : &request, &result);
        if (status == HD_OK || !strstr(kit_said(k), cases[i].said))
            fail_msg("%s\nsaid:   %s\nwanted: %s", cases[i].text, kit_said(k), cases[i].said);
        assert_null(result);
        void *done = k;
        kit_teardown(&done);
    }
    (void)state;
}

/* Threads of a block with a barrier stay together. */
static void only_blocks_move_where_threads_belong_together(void **state) {
    kit *k = *state;
    hd_job *job = read_job(
        k, hd_format(k->arena, "%s/tests/rewrite/maps/forms.yaml", getenv("HEDDLE_SOURCE")));
    uint64_t seed = 3;
    uint32_t last = job->launch_count - 1;
    hd_launch_order order = random_order(k, &job->launches[last], last, true, &seed);
    hd_order_file file = {&order, 1};
    kir_value at;
    assert_string_equal(hd_threads_stay_together(job->launches[last].kernel, &at),
                        "it has a barrier");
    assert_null(hd_threads_stay_together(job->launches[0].kernel, NULL));
    assert_int_equal(hd_map_check(k->arena, &k->diag, job, &file), HD_OK);
    order = random_order(k, &job->launches[last], last, false, &seed);
    assert_int_equal(hd_map_check(k->arena, &k->diag, job, &file), HD_EINPUT);
    assert_non_null(strstr(kit_said(k), "the threads of a block of 'together' belong together: it "
                                        "has a barrier; only whole blocks may move"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(all_forms_leave_the_same, kit_setup, kit_teardown),
        cmocka_unit_test_setup_teardown(all_examples_leave_the_same, kit_setup, kit_teardown),
        cmocka_unit_test_setup_teardown(only_blocks_move_where_threads_belong_together, kit_setup,
                                        kit_teardown),
        cmocka_unit_test(what_cannot_be_mapped_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
