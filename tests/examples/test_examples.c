/*
 * Every example's small job is run on the first OpenCL device and its buffers
 * are compared with what the example's plain-C reference makes of the same
 * initial contents. If only one of these fails, look at that example; if all
 * do, look at src/job and src/advise/measure.
 *
 * References compute in double where kernels use float, hence the tolerances;
 * sampo, bitonic, vectoradd and the circuits (sta, gsim, bfs) must agree bit for bit.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "frontend/frontend.h"
#include "advise/measure/measure.h"
#include "one_context.h"

#include "../../examples/bfs/reference.c"
#include "../../examples/bitonic/reference.c"
#include "../../examples/blackscholes/reference.c"
#include "../../examples/euler/reference.c"
#include "../../examples/gsim/reference.c"
#include "../../examples/irreg/reference.c"
#include "../../examples/kmeans/reference.c"
#include "../../examples/lavamd/reference.c"
#include "../../examples/moldyn/reference.c"
#include "../../examples/nbf/reference.c"
#include "../../examples/nbody/reference.c"
#include "../../examples/nbody4/reference.c"
#include "../../examples/sampo/reference.c"
#include "../../examples/sta/reference.c"
#include "../../examples/vectoradd/reference.c"

static void report(const hd_message *message, void *user) {
    (void)user;
    print_error("%s:%u: %s\n", message->place.file ? message->place.file : "-", message->place.line,
                message->text);
}
static const hd_diag diag = {report, NULL};

/* ---- running a job ------------------------------------------------------ */

typedef struct example {
    hd_arena *arena;
    hd_job *job;
    void **before, **after; /* contents of each buffer of the job */
} example;

static hd_job *open_job(hd_arena *arena, const char *name) {
    const char *root = getenv("HEDDLE_SOURCE");
    assert_non_null(root);
    hd_job *job = NULL;
    kir_module *module = NULL;
    assert_int_equal(hd_job_read(arena, &diag, hd_format(arena, "%s/%s", root, name), &job), HD_OK);
    assert_int_equal(hd_frontend(arena, &diag, job->kernel_path, job->options, &module), HD_OK);
    assert_int_equal(hd_job_resolve(arena, &diag, job, module), HD_OK);
    return job;
}

static example run_example(const char *name) {
    example e = {.arena = hd_arena_new()};
    e.job = open_job(e.arena, name);
    e.before = hd_new_array(e.arena, void *, e.job->buffer_count);
    e.after = hd_new_array(e.arena, void *, e.job->buffer_count);
    for (uint32_t b = 0; b < e.job->buffer_count; b++)
        assert_int_equal(hd_job_contents(e.arena, &diag, &e.job->buffers[b], &e.before[b]), HD_OK);
    hd_measure_options options = {.repeats = 1};
    hd_timing timing;
    assert_int_equal(hd_measure_run(e.arena, &diag, e.job, &options, e.after, &timing), HD_OK);
    return e;
}

/* Index of a buffer whose elements must have this many bytes. */
static uint32_t find_buffer(const example *e, const char *name, size_t element_bytes) {
    for (uint32_t b = 0; b < e->job->buffer_count; b++)
        if (strcmp(e->job->buffers[b].name, name) == 0) {
            assert_int_equal(e->job->buffers[b].element_bytes, element_bytes);
            return b;
        }
    fail_msg("no buffer %s", name);
    return 0;
}

/* A float argument of the first launch that has one of this name. */
static double float_argument(const example *e, const char *name) {
    for (uint32_t l = 0; l < e->job->launch_count; l++)
        for (uint32_t a = 0; a < e->job->launches[l].arg_count; a++) {
            const hd_arg *arg = &e->job->launches[l].args[a];
            float value;
            if (strcmp(arg->name, name) != 0)
                continue;
            assert_int_equal(arg->value_bytes, sizeof value);
            memcpy(&value, arg->value, sizeof value);
            return value;
        }
    fail_msg("no argument %s", name);
    return 0;
}

/* An unsigned argument of the first launch. */
static uint32_t count_argument(const example *e, const char *name) {
    const hd_launch *launch = &e->job->launches[0];
    for (uint32_t a = 0; a < launch->arg_count; a++) {
        uint32_t value;
        if (strcmp(launch->args[a].name, name) != 0)
            continue;
        assert_int_equal(launch->args[a].value_bytes, sizeof value);
        memcpy(&value, launch->args[a].value, sizeof value);
        return value;
    }
    fail_msg("no argument %s", name);
    return 0;
}

static void assert_near(const char *what, size_t index, double got, double want, double relative,
                        double absolute) {
    if (!(fabs(got - want) <= absolute + relative * fabs(want)))
        fail_msg("%s of element %zu is %.9g, but the reference says %.9g", what, index, got, want);
}

/* The first differing element is named; memcmp alone would not tell which. */
static void assert_same_elements(const char *what, const void *got, const void *want, size_t count,
                                 size_t element_bytes) {
    for (size_t i = 0; i < count; i++)
        if (memcmp((const char *)got + i * element_bytes, (const char *)want + i * element_bytes,
                   element_bytes) != 0)
            fail_msg("%s: element %zu differs from the reference", what, i);
}

/* ---- one test for each example ------------------------------------------- */

static void kmeans_finds_the_nearest_centroid(void **state) {
    (void)state;
    example e = run_example("examples/kmeans/kmeans-small.yaml");
    uint32_t p = find_buffer(&e, "points", sizeof(kmeans_point));
    uint32_t c = find_buffer(&e, "centroids", sizeof(float));
    int count = (int)e.job->buffers[p].count;
    int clusters = (int)e.job->buffers[c].count / KMEANS_FEATURES;
    const float *centroids = e.before[c];
    kmeans_point *want = e.before[p], *got = e.after[p];

    kmeans_assign(want, count, centroids, clusters);
    for (int i = 0; i < count; i++) {
        assert_memory_equal(&got[i], &want[i], offsetof(kmeans_point, cluster));
        assert_near("distance", i, got[i].distance, want[i].distance, 1e-5, 1e-6);
        /* Of two centroids equally far, rounding may choose either. */
        assert_in_range(got[i].cluster, 0, clusters - 1);
        double distance = kmeans_distance(&want[i], centroids + got[i].cluster * KMEANS_FEATURES);
        assert_near("distance to the centroid", i, distance, want[i].distance, 1e-5, 1e-6);
    }
    hd_arena_free(e.arena);
}

static void nbody_moves_as_the_reference(void **state) {
    (void)state;
    example e = run_example("examples/nbody/nbody-small.yaml");
    uint32_t b = find_buffer(&e, "bodies", sizeof(nbody_body));
    int count = (int)e.job->buffers[b].count;
    nbody_body *want = e.before[b], *got = e.after[b];
    double dt = float_argument(&e, "dt");

    for (uint32_t step = 0; step < e.job->launch_count / 2; step++)
        nbody_step(want, count, 0.01, dt);
    for (int i = 0; i < count; i++) {
        assert_near("x", i, got[i].x, want[i].x, 1e-5, 1e-6);
        assert_near("y", i, got[i].y, want[i].y, 1e-5, 1e-6);
        assert_near("z", i, got[i].z, want[i].z, 1e-5, 1e-6);
        assert_near("mass", i, got[i].mass, want[i].mass, 0, 0);
        assert_near("vx", i, got[i].vx, want[i].vx, 1e-4, 1e-5);
        assert_near("vy", i, got[i].vy, want[i].vy, 1e-4, 1e-5);
        assert_near("vz", i, got[i].vz, want[i].vz, 1e-4, 1e-5);
    }
    hd_arena_free(e.arena);
}

static void nbody4_moves_as_the_reference(void **state) {
    (void)state;
    static const char *const names[] = {"position", "velocity"};
    example e = run_example("examples/nbody4/nbody4-small.yaml");
    uint32_t b = find_buffer(&e, "bodies", sizeof(nbody4_body));
    uint32_t o = find_buffer(&e, "others", sizeof(nbody4_body));
    int count = (int)e.job->buffers[b].count;
    double dt = float_argument(&e, "dt");

    nbody4_step(e.before[b], e.before[o], count, 0.01, dt);
    nbody4_step(e.before[o], e.before[b], count, 0.01, dt);
    for (uint32_t buffer = 0; buffer < 2; buffer++) {
        const float *got = e.after[buffer ? o : b], *want = e.before[buffer ? o : b];
        for (int i = 0; i < 8 * count; i++)
            assert_near(names[i / 4 % 2], i / 8, got[i], want[i], 1e-4, 1e-5);
    }
    hd_arena_free(e.arena);
}

static void lavamd_sums_the_same_forces(void **state) {
    (void)state;
    example e = run_example("examples/lavamd/lavamd-small.yaml");
    uint32_t p = find_buffer(&e, "particles", sizeof(lavamd_particle));
    uint32_t n = find_buffer(&e, "neighbours", sizeof(int));
    int boxes = (int)e.job->buffers[n].count / LAVAMD_NEIGHBOURS;
    int count = boxes * LAVAMD_PARTICLES, edge = (int)lround(cbrt(boxes));
    int *neighbours = e.before[n];
    lavamd_particle *want = e.before[p], *got = e.after[p];

    assert_int_equal(e.job->buffers[p].count, count);
    lavamd_find_neighbours(neighbours, edge);
    assert_same_elements("neighbours", e.after[n], neighbours, e.job->buffers[n].count,
                         sizeof(int));
    lavamd_forces(want, neighbours, boxes, float_argument(&e, "a2"));
    for (int i = 0; i < count; i++) {
        assert_memory_equal(&got[i], &want[i], offsetof(lavamd_particle, fv_v));
        assert_near("fv_v", i, got[i].fv_v, want[i].fv_v, 1e-4, 1e-3);
        assert_near("fv_x", i, got[i].fv_x, want[i].fv_x, 1e-4, 1e-3);
        assert_near("fv_y", i, got[i].fv_y, want[i].fv_y, 1e-4, 1e-3);
        assert_near("fv_z", i, got[i].fv_z, want[i].fv_z, 1e-4, 1e-3);
    }
    hd_arena_free(e.arena);
}

static void blackscholes_prices_agree(void **state) {
    (void)state;
    example e = run_example("examples/blackscholes/blackscholes-small.yaml");
    uint32_t o = find_buffer(&e, "options", sizeof(blackscholes_option));
    int count = (int)e.job->buffers[o].count;
    blackscholes_option *want = e.before[o], *got = e.after[o];

    blackscholes_price(want, count);
    for (int i = 0; i < count; i++) {
        assert_memory_equal(&got[i], &want[i], offsetof(blackscholes_option, call));
        assert_near("call", i, got[i].call, want[i].call, 1e-5, 5e-5);
        assert_near("put", i, got[i].put, want[i].put, 1e-5, 5e-5);
    }
    hd_arena_free(e.arena);
}

static void bitonic_sorts(void **state) {
    (void)state;
    example e = run_example("examples/bitonic/bitonic-small.yaml");
    uint32_t b = find_buffer(&e, "elements", sizeof(bitonic_element));
    size_t count = e.job->buffers[b].count;

    bitonic_sort(e.before[b], count);
    assert_same_elements("elements", e.after[b], e.before[b], count, sizeof(bitonic_element));
    hd_arena_free(e.arena);
}

static void sampo_is_equal_bit_for_bit(void **state) {
    (void)state;
    example e = run_example("examples/sampo/sampo-small.yaml");
    uint32_t a = find_buffer(&e, "agents", sizeof(sampo_agent));
    uint32_t laid = find_buffer(&e, "laid", sizeof(uint32_t));
    uint32_t summary = find_buffer(&e, "summary", sizeof(uint32_t));
    size_t count = e.job->buffers[a].count, days = e.job->buffers[laid].count / SAMPO_HABITATS;
    sampo_world world = {.temperature = e.before[find_buffer(&e, "temperature", sizeof(float))],
                         .prevalence = e.before[find_buffer(&e, "prevalence", sizeof(float))],
                         .capacity = 512,
                         .laid = e.before[laid],
                         .summary = e.before[summary]};

    for (size_t day = 0; day < days; day++)
        sampo_day(e.before[a], (int)count, &world, (int)day);
    assert_same_elements("laid", e.after[laid], world.laid, days * SAMPO_HABITATS,
                         sizeof(uint32_t));
    assert_same_elements("summary", e.after[summary], world.summary, days * (SAMPO_STATES + 1),
                         sizeof(uint32_t));
    assert_same_elements("agents", e.after[a], e.before[a], count, sizeof(sampo_agent));
    hd_arena_free(e.arena);
}

/* The model is worth running: something of everything happens in the small job. */
static void sampo_uses_all_of_its_rules(void **state) {
    (void)state;
    example e = run_example("examples/sampo/sampo-small.yaml");
    uint32_t a = find_buffer(&e, "agents", sizeof(sampo_agent));
    const sampo_agent *before = e.before[a], *after = e.after[a];
    size_t grown = 0, died = 0, mated = 0, fed = 0, laid = 0, infected = 0, born = 0;
    for (size_t i = 0; i < e.job->buffers[a].count; i++) {
        grown += before[i].state == SAMPO_EGG && after[i].state == SAMPO_LARVA;
        died += before[i].state != SAMPO_DEAD && after[i].state == SAMPO_DEAD;
        mated += !before[i].mated && after[i].mated;
        fed += after[i].digesting == 2;
        laid += after[i].offspring > 0;
        infected += before[i].infection < after[i].infection;
        born += before[i].state == SAMPO_DEAD && after[i].state != SAMPO_DEAD;
    }
    assert_true(grown && died && mated && fed && laid && infected && born);
    hd_arena_free(e.arena);
}

/* ---- circuits: level by level on the device, each in one go in the reference ---------------- */

static void sta_finds_the_same_arrivals(void **state) {
    (void)state;
    example e = run_example("examples/sta/sta-small.yaml");
    uint32_t g = find_buffer(&e, "gates", sizeof(sta_gate));
    size_t count = e.job->buffers[g].count;

    sta_arrive(e.before[g], count, e.before[find_buffer(&e, "operands", sizeof(uint32_t))],
               e.before[find_buffer(&e, "order", sizeof(uint32_t))], count_argument(&e, "count"));
    assert_same_elements("gates", e.after[g], e.before[g], count, sizeof(sta_gate));
    hd_arena_free(e.arena);
}

static void bfs_finds_the_shortest_paths(void **state) {
    (void)state;
    example e = run_example("examples/bfs/bfs-small.yaml");
    uint32_t n = find_buffer(&e, "nodes", sizeof(bfs_node));
    size_t count = e.job->buffers[n].count;
    uint32_t farthest = 0;

    bfs_search(e.before[n], count, e.before[find_buffer(&e, "operands", sizeof(uint32_t))],
               e.before[find_buffer(&e, "order", sizeof(uint32_t))], count_argument(&e, "count"));
    assert_same_elements("nodes", e.after[n], e.before[n], count, sizeof(bfs_node));
    for (size_t v = 0; v < count; v++) {
        uint32_t distance = ((bfs_node *)e.after[n])[v].distance;
        farthest = distance > farthest ? distance : farthest;
    }
    assert_in_range(farthest, 5, 100);
    hd_arena_free(e.arena);
}

static void gsim_computes_the_same_values(void **state) {
    (void)state;
    example e = run_example("examples/gsim/gsim-small.yaml");
    uint32_t g = find_buffer(&e, "gates", sizeof(gsim_gate));
    size_t count = e.job->buffers[g].count, cycles = 0, toggled = 0;
    gsim_gate *gates = e.before[g];

    for (uint32_t l = 0; l < e.job->launch_count; l++)
        cycles += !strcmp(e.job->launches[l].kernel_name, "clock");
    for (size_t cycle = 0; cycle < cycles; cycle++)
        gsim_cycle(gates, count, e.before[find_buffer(&e, "operands", sizeof(uint32_t))],
                   e.before[find_buffer(&e, "order", sizeof(uint32_t))]);
    assert_same_elements("gates", e.after[g], gates, count, sizeof(gsim_gate));
    for (size_t i = 0; i < count; i++)
        toggled += gates[i].value != 0 && gates[i].value != ~0u;
    assert_true(toggled > count / 2); /* patterns come through to most gates */
    hd_arena_free(e.arena);
}

static void vectoradd_adds(void **state) {
    (void)state;
    example e = run_example("examples/vectoradd/vectoradd-small.yaml");
    uint32_t c = find_buffer(&e, "c", sizeof(float));
    size_t count = e.job->buffers[c].count;

    vectoradd_add(e.before[find_buffer(&e, "a", sizeof(float))],
                  e.before[find_buffer(&e, "b", sizeof(float))], e.before[c], count);
    assert_same_elements("c", e.after[c], e.before[c], count, sizeof(float));
    hd_arena_free(e.arena);
}

/* ---- meshes --------------------------------------------------------------------------------- */

/* All fields of records of floats; the names tell which one differs. */
static void assert_near_fields(const example *e, uint32_t buffer, const char *const *names,
                               size_t fields, double relative, double absolute) {
    const float *got = e->after[buffer], *want = e->before[buffer];
    assert_int_equal(e->job->buffers[buffer].element_bytes, fields * sizeof(float));
    for (size_t i = 0; i < e->job->buffers[buffer].count; i++)
        for (size_t f = 0; f < fields; f++)
            assert_near(names[f], i, got[i * fields + f], want[i * fields + f], relative, absolute);
}

static void nbf_moves_as_the_reference(void **state) {
    (void)state;
    static const char *const fields[] = {"x", "y", "z", "charge", "fx", "fy", "fz"};
    example e = run_example("examples/nbf/nbf-small.yaml");
    uint32_t a = find_buffer(&e, "atoms", sizeof(nbf_atom));

    for (uint32_t step = 0; step < e.job->launch_count / 2; step++)
        nbf_step(e.before[a], e.job->buffers[a].count,
                 e.before[find_buffer(&e, "first", sizeof(uint32_t))],
                 e.before[find_buffer(&e, "partners", sizeof(uint32_t))],
                 float_argument(&e, "step"));
    assert_near_fields(&e, a, fields, 7, 1e-4, 1e-2);
    hd_arena_free(e.arena);
}

static void moldyn_moves_as_the_reference(void **state) {
    (void)state;
    static const char *const fields[] = {"x", "y", "z", "vx", "vy", "vz", "fx", "fy", "fz"};
    example e = run_example("examples/moldyn/moldyn-small.yaml");
    uint32_t m = find_buffer(&e, "molecules", sizeof(moldyn_molecule));

    for (uint32_t step = 0; step < e.job->launch_count / 2; step++)
        moldyn_step(e.before[m], e.job->buffers[m].count,
                    e.before[find_buffer(&e, "first", sizeof(uint32_t))],
                    e.before[find_buffer(&e, "neighbours", sizeof(uint32_t))],
                    float_argument(&e, "dt"));
    assert_near_fields(&e, m, fields, 9, 1e-4, 1e-4);
    hd_arena_free(e.arena);
}

static void irreg_settles_as_the_reference(void **state) {
    (void)state;
    example e = run_example("examples/irreg/irreg-small.yaml");
    uint32_t n = find_buffer(&e, "nodes", sizeof(irreg_node));
    irreg_node *want = e.before[n], *got = e.after[n];

    for (uint32_t sweep = 0; sweep < e.job->launch_count / 2; sweep++)
        irreg_sweep(want, e.job->buffers[n].count,
                    e.before[find_buffer(&e, "neighbours", sizeof(uint32_t))]);
    for (size_t i = 0; i < e.job->buffers[n].count; i++) {
        assert_true(got[i].first == want[i].first && got[i].end == want[i].end);
        assert_near("value", i, got[i].value, want[i].value, 1e-4, 1e-5);
        assert_near("change", i, got[i].change, want[i].change, 1e-4, 1e-5);
    }
    hd_arena_free(e.arena);
}

static void euler_has_the_same_fluxes(void **state) {
    (void)state;
    static const char *const fields[] = {"x",    "y",    "z",       "density",   "mx",
                                         "my",   "mz",   "energy",  "r_density", "r_mx",
                                         "r_my", "r_mz", "r_energy"};
    example e = run_example("examples/euler/euler-small.yaml");
    uint32_t c = find_buffer(&e, "cells", sizeof(euler_cell));

    euler_fluxes(e.before[c], e.job->buffers[c].count,
                 e.before[find_buffer(&e, "first", sizeof(uint32_t))],
                 e.before[find_buffer(&e, "neighbours", sizeof(uint32_t))]);
    assert_near_fields(&e, c, fields, 13, 1e-4, 1e-4);
    hd_arena_free(e.arena);
}

/* ---- all of them ----------------------------------------------------------------------------- */

/* The large jobs are too long to run here, but must at least fit their kernels. */
static void all_jobs_resolve(void **state) {
    (void)state;
    static const struct {
        const char *path, *record;
        size_t size;
        uint32_t launches;
    } jobs[] = {
        {"examples/kmeans/kmeans.yaml", "point", sizeof(kmeans_point), 1},
        {"examples/nbody/nbody.yaml", "body", sizeof(nbody_body), 2},
        {"examples/nbody4/nbody4.yaml", "body", sizeof(nbody4_body), 2},
        {"examples/lavamd/lavamd.yaml", "particle", sizeof(lavamd_particle), 2},
        {"examples/blackscholes/blackscholes.yaml", "option", sizeof(blackscholes_option), 1},
        {"examples/bitonic/bitonic.yaml", "element", sizeof(bitonic_element), 136},
        {"examples/sampo/sampo.yaml", "agent", sizeof(sampo_agent), 36},
        {"examples/sta/sta.yaml", "gate", sizeof(sta_gate), 49},
        {"examples/gsim/gsim.yaml", "gate", sizeof(gsim_gate), 100},
        {"examples/bfs/bfs.yaml", "node", sizeof(bfs_node), 49},
        {"examples/vectoradd/vectoradd.yaml", NULL, 0, 1},
        {"examples/nbf/nbf.yaml", "atom", sizeof(nbf_atom), 4},
        {"examples/moldyn/moldyn.yaml", "molecule", sizeof(moldyn_molecule), 4},
        {"examples/irreg/irreg.yaml", "node", sizeof(irreg_node), 4},
        {"examples/euler/euler.yaml", "cell", sizeof(euler_cell), 1},
        {"bench/static-cost/kmeans.yaml", "point", 12, 1},
        {"bench/static-cost/nbody.yaml", "body", 24, 1},
        {"bench/static-cost/lavamd.yaml", "particle", 64, 1},
    };
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) {
        hd_arena *arena = hd_arena_new();
        const hd_job *job = open_job(arena, jobs[i].path);
        assert_true(!jobs[i].record == !job->record);
        if (job->record) {
            assert_string_equal(job->record->name, jobs[i].record);
            assert_int_equal(job->record->size, jobs[i].size);
        }
        assert_int_equal(job->launch_count, jobs[i].launches);
        hd_arena_free(arena);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kmeans_finds_the_nearest_centroid),
        cmocka_unit_test(nbody_moves_as_the_reference),
        cmocka_unit_test(nbody4_moves_as_the_reference),
        cmocka_unit_test(lavamd_sums_the_same_forces),
        cmocka_unit_test(blackscholes_prices_agree),
        cmocka_unit_test(bitonic_sorts),
        cmocka_unit_test(sampo_is_equal_bit_for_bit),
        cmocka_unit_test(sampo_uses_all_of_its_rules),
        cmocka_unit_test(sta_finds_the_same_arrivals),
        cmocka_unit_test(bfs_finds_the_shortest_paths),
        cmocka_unit_test(gsim_computes_the_same_values),
        cmocka_unit_test(vectoradd_adds),
        cmocka_unit_test(nbf_moves_as_the_reference),
        cmocka_unit_test(moldyn_moves_as_the_reference),
        cmocka_unit_test(irreg_settles_as_the_reference),
        cmocka_unit_test(euler_has_the_same_fluxes),
        cmocka_unit_test(all_jobs_resolve),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
