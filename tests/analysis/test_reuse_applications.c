/*
 * The data reuse characteristic of the eight applications of the document against Algorithm 1
 * itself, degree by degree. Their small jobs run on the machine; compared is the trace of all
 * launches, of each the first five blocks. Of the circuits' levels that is everything; of a
 * whole mesh the pairs of MIs would be too many for the oracle. Five blocks make up no whole
 * number of groups, so that the rest of a launch is there, too.
 */
#include "analysis/reuse_scene.h"

#include "frontend/frontend.h"
#include "machine/vm.h"

enum { BLOCKS = 5 };

typedef struct application {
    const char *name;
    bool reuses; /* otherwise every element is touched once */
} application;

static application applications[] = {{"vectoradd", false}, {"sta", true},  {"gsim", true},
                                     {"bfs", true},        {"nbf", true},  {"moldyn", true},
                                     {"irreg", true},      {"euler", true}};

static const hd_reuse_options settings[] = {
    {.scenario = 1},
    {.scenario = 2},
    {.scenario = 3},
    {.scenario = 4, .k = 2},
    {.scenario = 4, .k = 3},
    {.scenario = 5, .clusters = 3, .units = 16},
    {.scenario = 5, .clusters = 3, .units = 32},
    {.scenario = 5, .clusters = 3, .units = 64},
    {.scenario = 5, .clusters = 3, .units = 32, .warp_order = "greedy"},
    {.scenario = 6, .clusters = 4, .units = 16},
    {.scenario = 6, .clusters = 3, .units = 32},
    {.scenario = 6, .clusters = 3, .units = 32, .warp_order = "greedy"}};

static void trace_job(scene *s, const char *name) {
    const char *root = getenv("HEDDLE_SOURCE");
    char *path = hd_format(s->arena, "%s/examples/%s/%s-small.yaml", root ? root : ".", name, name);
    const hd_vm_options options = {.workers = 1};
    const hd_sink sink =
        hd_sink_blocks(s->arena, scene_sink(s), (hd_block_choice){0, BLOCKS - 1, 0, 1});
    hd_job *job;
    kir_module *module;
    hd_vm *vm;
    assert_int_equal(hd_job_read(s->arena, &s->diag, path, &job), HD_OK);
    assert_int_equal(hd_frontend(s->arena, &s->diag, job->kernel_path, job->options, &module),
                     HD_OK);
    assert_int_equal(hd_job_resolve(s->arena, &s->diag, job, module), HD_OK);
    assert_int_equal(hd_vm_open(s->arena, &s->diag, job, NULL, &options, &vm), HD_OK);
    for (uint32_t l = 0; l < job->launch_count; l++)
        for (uint64_t r = 0; r < job->launches[l].repeat; r++)
            assert_int_equal(hd_vm_run(vm, l, &sink, NULL), HD_OK);
    hd_vm_close(vm);
}

static void equals_algorithm_1(void **state) {
    const application *a = *state;
    scene s;
    scene_open(&s, 4, 1u << KIR_GLOBAL);
    trace_job(&s, a->name);
    scene_written(&s);
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        uint64_t total = scene_compare(&s, &settings[i]);
        if (settings[i].scenario == 1)
            assert_int_equal(total > 0, a->reuses);
    }
    scene_close(&s);
}

int main(void) {
    enum { COUNT = sizeof applications / sizeof *applications };
    struct CMUnitTest tests[COUNT];
    for (int a = 0; a < COUNT; a++)
        tests[a] = (struct CMUnitTest){.name = applications[a].name,
                                       .test_func = equals_algorithm_1,
                                       .initial_state = &applications[a]};
    return _cmocka_run_group_tests("reuse of applications", tests, COUNT, NULL, NULL);
}
