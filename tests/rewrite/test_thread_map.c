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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(all_forms_leave_the_same, kit_setup, kit_teardown),
        cmocka_unit_test_setup_teardown(all_examples_leave_the_same, kit_setup, kit_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
