/*
 * The programs of bench/evidence at a small size, on the machine, against the plainest computation
 * of the same thing that there is: searches through queues and sorted arrays, neighbours by trying
 * all pairs, populations that are pushed where the kernel pulls.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "frontend/frontend.h"
#include "machine/vm.h"

static void tell(const hd_message *m, void *user) {
    (void)user;
    print_error("%s:%u: %s\n", m->place.file ? m->place.file : "-", m->place.line, m->text);
}
static const hd_diag diag = {tell, NULL};

/* A small job that has run. */
typedef struct program {
    hd_arena *arena;
    hd_job *job;
    void **before, **after;
} program;

static program run(const char *name) {
    program p = {.arena = hd_arena_new()};
    const char *path =
        hd_format(p.arena, "%s/bench/evidence/%s-small.yaml", getenv("HEDDLE_SOURCE"), name);
    kir_module *module;
    hd_vm *vm;
    assert_int_equal(hd_job_read(p.arena, &diag, path, &p.job), HD_OK);
    assert_int_equal(hd_frontend(p.arena, &diag, p.job->kernel_path, p.job->options, &module),
                     HD_OK);
    assert_int_equal(hd_job_resolve(p.arena, &diag, p.job, module), HD_OK);
    p.before = hd_new_array(p.arena, void *, p.job->buffer_count);
    p.after = hd_new_array(p.arena, void *, p.job->buffer_count);
    assert_int_equal(hd_job_all_contents(p.arena, &diag, p.job, p.before), HD_OK);
    const hd_vm_options options = {.workers = 2};
    assert_int_equal(hd_vm_open(p.arena, &diag, p.job, p.before, &options, &vm), HD_OK);
    for (uint32_t l = 0; l < p.job->launch_count; l++)
        assert_int_equal(hd_vm_run(vm, l, NULL, NULL), HD_OK);
    for (uint32_t b = 0; b < p.job->buffer_count; b++) {
        size_t bytes = p.job->buffers[b].count * p.job->buffers[b].element_bytes;
        p.after[b] = memcpy(hd_alloc(p.arena, bytes), hd_vm_contents(vm, b), bytes);
    }
    hd_vm_close(vm);
    return p;
}

/* Of elements of so many bytes each. */
static uint32_t find(const program *p, const char *name, size_t bytes) {
    for (uint32_t b = 0; b < p->job->buffer_count; b++)
        if (!strcmp(p->job->buffers[b].name, name)) {
            assert_int_equal(p->job->buffers[b].element_bytes, bytes);
            return b;
        }
    fail_msg("no buffer %s", name);
    return 0;
}
#define BEFORE(p, name, type) ((type *)(p).before[find(&(p), name, sizeof(type))])
#define AFTER(p, name, type) ((const type *)(p).after[find(&(p), name, sizeof(type))])
static int count_of(const program *p, const char *name, size_t bytes) {
    return (int)p->job->buffers[find(p, name, bytes)].count;
}

static void assert_near(double a, double b, const char *what, int i) {
    if (!(fabs(a - b) <= 1e-4 + 1e-3 * fmax(fabs(a), fabs(b))))
        fail_msg("%s of %d is %g, not %g", what, i, a, b);
}

/* ---- breadth-first search: with a queue ----------------------------------------------- */

typedef struct node {
    int32_t first, degree, distance;
    uint8_t frontier, next, visited;
} node;

static void bfs_finds_what_a_queue_finds(void **state) {
    (void)state;
    program p = run("bfs");
    const node *before = BEFORE(p, "nodes", node), *after = AFTER(p, "nodes", node);
    const int32_t *edges = BEFORE(p, "edges", int32_t);
    int count = count_of(&p, "nodes", sizeof(node)), begin = 0, end = 1, farthest = 0;
    int *distance = hd_new_array(p.arena, int, (size_t)count);
    int *queue = hd_new_array(p.arena, int, (size_t)count);
    for (int v = 1; v < count; v++)
        distance[v] = -1;
    while (begin < end) {
        int v = queue[begin++];
        for (int e = before[v].first; e < before[v].first + before[v].degree; e++)
            if (distance[edges[e]] < 0) {
                distance[edges[e]] = farthest = distance[v] + 1;
                queue[end++] = edges[e];
            }
    }
    assert_true(farthest >= 4 && end > count / 2);
    for (int v = 0; v < count; v++) {
        assert_int_equal(after[v].distance, distance[v]);
        assert_int_equal(after[v].visited, distance[v] >= 0);
        assert_int_equal(after[v].frontier + after[v].next, 0);
    }
    hd_arena_free(p.arena);
}

/* ---- B+ tree: a sorted array ---------------------------------------------------------- */

/* The value of a key; -1: it is not there. Keys are even, and slots at a leaf's end are empty. */
static int value_of(const int32_t *values, int slots, int key) {
    int slot = key / 2, leaf = slot / 16;
    bool there = key % 2 == 0 && slot < slots && slot % 16 < 16 - (leaf * 7 + 3) % 5;
    return there ? values[slot] : -1;
}

static void tree_finds_what_an_array_holds(void **state) {
    (void)state;
    program p = run("btree");
    const int32_t *values = BEFORE(p, "values", int32_t), *wanted = BEFORE(p, "wanted", int32_t);
    const int32_t *found = AFTER(p, "found", int32_t), *sums = AFTER(p, "sums", int32_t);
    int slots = count_of(&p, "values", 4), queries = count_of(&p, "found", 4), hits = 0;
    for (int i = 0; i < queries; i++) {
        assert_int_equal(found[i], value_of(values, slots, wanted[i]));
        hits += found[i] >= 0;
    }
    assert_true(hits > queries / 4 && hits < queries / 2);
    for (int i = 0; i < count_of(&p, "sums", 4); i++) {
        int sum = 0;
        for (int key = wanted[i]; key < wanted[i] + 100; key++)
            sum += value_of(values, slots, key) >= 0 ? value_of(values, slots, key) : 0;
        assert_int_equal(sums[i], sum);
    }
    hd_arena_free(p.arena);
}

/* ---- D2Q9: pushed, in doubles ---------------------------------------------------------- */

enum { WIDTH = 52, HEIGHT = 30, Q = 9, STEPS = 3 };
typedef struct cell {
    float f[Q];
    int32_t solid;
} cell;
typedef double populations[Q];

static const int dx[Q] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, dy[Q] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
static double weight(int q) { return q == 0 ? 4.0 / 9 : q < 5 ? 1.0 / 9 : 1.0 / 36; }

static void push_column(const cell *cells, populations *f, int x, double push) {
    for (int y = 0; y < HEIGHT; y++) {
        double *c = f[y * WIDTH + x];
        if (!cells[y * WIDTH + x].solid || c[3] <= push / 9 || c[6] <= push / 36 ||
            c[7] <= push / 36)
            continue;
        for (int q = 0; q < Q; q++)
            c[q] += dx[q] * push * weight(q);
    }
}

static void collide(const cell *at, double *f, double omega) {
    double density = 0, ux = 0, uy = 0, turned[Q] = {0};
    for (int q = 0; q < Q; q++) {
        density += f[q];
        ux += dx[q] * f[q];
        uy += dy[q] * f[q];
        for (int r = 0; r < Q; r++)
            if (dx[r] == -dx[q] && dy[r] == -dy[q])
                turned[r] = f[q];
    }
    ux /= density;
    uy /= density;
    for (int q = 0; q < Q; q++) {
        double along = dx[q] * ux + dy[q] * uy;
        double rest =
            weight(q) * density * (1 + 3 * along + 4.5 * along * along - 1.5 * (ux * ux + uy * uy));
        f[q] = at->solid ? f[q] + omega * (rest - f[q]) : turned[q];
    }
}

static void lattice_step(const cell *cells, populations *f, populations *to) {
    push_column(cells, f, 2, 0.005);
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            for (int q = 0; q < Q; q++) {
                int tx = (x + dx[q] + WIDTH) % WIDTH, ty = (y + dy[q] + HEIGHT) % HEIGHT;
                to[ty * WIDTH + tx][q] = f[y * WIDTH + x][q];
            }
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        collide(&cells[i], to[i], 1.7);
}

static void lattice_flows_as_if_pushed(void **state) {
    (void)state;
    program p = run("d2q9");
    const cell *cells = BEFORE(p, "even", cell), *after = AFTER(p, "odd", cell);
    populations *f = hd_new_array(p.arena, populations, (size_t)WIDTH * HEIGHT);
    populations *to = hd_new_array(p.arena, populations, (size_t)WIDTH * HEIGHT);
    double moved = 0;
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        for (int q = 0; q < Q; q++)
            f[i][q] = weight(q);
    for (int s = 0; s < STEPS; s++) {
        lattice_step(cells, f, to);
        populations *swapped = f;
        f = to;
        to = swapped;
    }
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        for (int q = 0; q < Q; q++) {
            if (fabs(after[i].f[q] - f[i][q]) > 1e-6)
                fail_msg("population %d of %d is %g, not %g", q, i, (double)after[i].f[q], f[i][q]);
            moved = fmax(moved, fabs(f[i][q] - weight(q)));
        }
    assert_true(moved > 1e-4);
    hd_arena_free(p.arena);
}

/* ---- SPH: all pairs ---------------------------------------------------------------------- */

enum { SIDE = 40, PARTICLES = SIDE * SIDE };
typedef struct particle {
    float x, y, vx, vy, fx, fy, density, pressure;
    int32_t neighbours;
} particle;
static const double reach = 2.2, mass = 0.0094, stiffness = 40, rest_density = 0.9,
                    viscosity = 0.05, dt = 0.01;

/* In cells of 4 x 4 places, row by row, in the kernel's order within a cell. */
static void put_particles(particle *p, const float (*jitter)[2]) {
    for (int i = 0; i < PARTICLES; i++) {
        int at = (i % 16 * 5 + i / 16) % 16;
        p[i].x = (float)(i / 16 % (SIDE / 4) * 4 + at % 4) + jitter[i][0];
        p[i].y = (float)(i / 16 / (SIDE / 4) * 4 + at / 4) + jitter[i][1];
    }
}

typedef struct pairs {
    bool *near; /* [i * PARTICLES + j] */
} pairs;

static double apart(const particle *a, const particle *b) {
    return hypot((double)b->x - (double)a->x, (double)b->y - (double)a->y);
}

static void find_densities(particle *p, const pairs *n) {
    for (int i = 0; i < PARTICLES; i++) {
        double sum = pow(reach * reach, 3);
        for (int j = 0; j < PARTICLES; j++) {
            double gap = reach * reach - pow(apart(&p[i], &p[j]), 2);
            if (n->near[i * PARTICLES + j] && gap > 0)
                sum += pow(gap, 3);
        }
        p[i].density = (float)(mass * sum);
        p[i].pressure = (float)fmax(0, stiffness * ((double)p[i].density - rest_density));
    }
}

static void add_force(particle *me, const particle *other) {
    double r = apart(me, other), gap = reach - r;
    if (gap <= 0)
        return;
    double push = mass * ((double)me->pressure + (double)other->pressure) /
                  (2 * (double)other->density) * gap * gap;
    double drag = viscosity * mass / (double)other->density * gap;
    me->fx += (float)(drag * ((double)other->vx - (double)me->vx) -
                      push * ((double)other->x - (double)me->x) / r);
    me->fy += (float)(drag * ((double)other->vy - (double)me->vy) -
                      push * ((double)other->y - (double)me->y) / r);
}

static void move_particles(particle *p) {
    for (int i = 0; i < PARTICLES; i++) {
        p[i].vx += (float)dt * p[i].fx / p[i].density;
        p[i].vy += (float)dt * p[i].fy / p[i].density;
        p[i].x += (float)dt * p[i].vx;
        p[i].y += (float)dt * p[i].vy;
        if (p[i].x < 0 || p[i].x > SIDE)
            p[i].vx = -p[i].vx;
        if (p[i].y < 0 || p[i].y > SIDE)
            p[i].vy = -p[i].vy;
    }
}

static void fluid_step(particle *p, const pairs *n) {
    find_densities(p, n);
    for (int i = 0; i < PARTICLES; i++) {
        p[i].fx = p[i].fy = 0;
        for (int j = 0; j < PARTICLES; j++)
            if (n->near[i * PARTICLES + j])
                add_force(&p[i], &p[j]);
    }
    move_particles(p);
}

static void particles_feel_all_that_are_near(void **state) {
    (void)state;
    program run_of = run("sph");
    particle *p = BEFORE(run_of, "particles", particle);
    const particle *after = AFTER(run_of, "particles", particle);
    pairs n = {hd_new_array(run_of.arena, bool, (size_t)PARTICLES *PARTICLES)};
    put_particles(p, (const float(*)[2])run_of.before[find(&run_of, "jitter", 8)]);
    for (int i = 0; i < PARTICLES; i++) {
        int near = 0;
        for (int j = 0; j < PARTICLES; j++)
            near += n.near[i * PARTICLES + j] = j != i && apart(&p[i], &p[j]) < reach;
        assert_int_equal(after[i].neighbours, near);
    }
    fluid_step(p, &n);
    fluid_step(p, &n);
    for (int i = 0; i < PARTICLES; i++) {
        assert_near((double)after[i].density, (double)p[i].density, "density", i);
        assert_near((double)after[i].vx, (double)p[i].vx, "velocity", i);
        assert_near((double)after[i].y, (double)p[i].y, "place", i);
    }
    hd_arena_free(run_of.arena);
}

/* ---- flux over a mesh -------------------------------------------------------------------- */

typedef struct gas_cell {
    float density, momentum[3], energy, step, r_density, r_momentum[3], r_energy;
    int32_t kind;
} gas_cell;
typedef struct face {
    float normal[3];
    int32_t neighbour;
} face;
/* density, momentum, energy: U, with the flux F through a face of it, and the fastest wave. */
typedef struct gas_state {
    double u[5], pressure, sound;
} gas_state;

static gas_state state_of(const double *u) {
    gas_state s;
    memcpy(s.u, u, sizeof s.u);
    s.pressure = 0.4 * (u[4] - 0.5 * (u[1] * u[1] + u[2] * u[2] + u[3] * u[3]) / u[0]);
    s.sound = sqrt(1.4 * fmax(s.pressure, 0) / u[0]);
    return s;
}

static double flux(const gas_state *s, const float *normal, double through, int k) {
    double pressure = k >= 1 && k <= 3 ? s->pressure * (double)normal[k - 1] : 0;
    return (s->u[k] + (k == 4 ? s->pressure : 0)) * through + pressure;
}

static double through_face(const gas_state *s, const float *n) {
    return (s->u[1] * (double)n[0] + s->u[2] * (double)n[1] + s->u[3] * (double)n[2]) / s->u[0];
}

static void add_face(const gas_state *own, const gas_state *other, const float *n, double *r) {
    double area = sqrt((double)n[0] * (double)n[0] + (double)n[1] * (double)n[1] +
                       (double)n[2] * (double)n[2]);
    double a = through_face(own, n), b = through_face(other, n);
    double fastest = fmax(fabs(a) + area * own->sound, fabs(b) + area * other->sound);
    for (int k = 0; k < 5; k++)
        r[k] += 0.5 * (flux(own, n, a, k) + flux(other, n, b, k)) -
                0.5 * fastest * (other->u[k] - own->u[k]);
}

static void residual(const program *p, const double (*u)[5], int i, double *r) {
    const int32_t *first = BEFORE(*p, "first", int32_t);
    const face *faces = BEFORE(*p, "faces", face);
    const gas_state own = state_of(u[i]);
    int kind = BEFORE(*p, "cells", gas_cell)[i].kind;
    memset(r, 0, 5 * sizeof *r);
    for (int f = first[i]; f < first[i + 1]; f++) {
        const gas_state other = state_of(u[faces[f].neighbour]);
        add_face(&own, &other, faces[f].normal, r);
    }
    if (kind == 0) {
        r[0] += 0.3 * (own.u[0] - 1.2);
        r[4] += 0.3 * (own.u[4] - 2.6);
    } else if (kind == 1) {
        r[3] += own.pressure;
    }
}

static void gas_flows_through_every_face(void **state) {
    (void)state;
    program p = run("flux");
    int count = count_of(&p, "cells", sizeof(gas_cell));
    const gas_cell *after = AFTER(p, "cells", gas_cell);
    const float *volumes = BEFORE(p, "volumes", float);
    double(*u)[5] = hd_alloc(p.arena, sizeof *u * (size_t)count);
    double(*r)[5] = hd_alloc(p.arena, sizeof *r * (size_t)count);
    double *step = hd_new_array(p.arena, double, (size_t)count), moved = 0;
    for (int i = 0; i < count; i++) {
        bool inside = i > count / 3 && i < count / 2;
        double start[5] = {inside ? 2 : 1.2, 0.36, 0, 0, inside ? 5 : 2.6};
        gas_state s = state_of(memcpy(u[i], start, sizeof start));
        step[i] = 0.4 / (cbrt((double)volumes[i]) * (0.36 / s.u[0] + s.sound));
    }
    for (int stage = 1; stage <= 2; stage++) {
        for (int i = 0; i < count; i++)
            residual(&p, u, i, r[i]);
        for (int i = 0; i < count; i++)
            for (int k = 0; k < 5; k++)
                u[i][k] -= stage / 2.0 * step[i] * r[i][k];
    }
    for (int i = 0; i < count; i++) {
        assert_near((double)after[i].step, step[i], "step", i);
        assert_near((double)after[i].r_density, r[i][0], "residual", i);
        assert_near((double)after[i].density, u[i][0], "density", i);
        assert_near((double)after[i].momentum[2], u[i][3], "momentum", i);
        assert_near((double)after[i].energy, u[i][4], "energy", i);
        moved = fmax(moved, fabs(u[i][3]));
    }
    assert_true(moved > 0.01);
    hd_arena_free(p.arena);
}

/* ---- stream clustering --------------------------------------------------------------------- */

enum { DIM = 24, APART = 100, CANDIDATES = 2 };
typedef struct point {
    float weight;
    int64_t assign;
    float cost;
    bool is_open;
} point;

static float squared(const float *coords, int count, int a, int b) {
    float sum = 0;
    for (int d = 0; d < DIM; d++) {
        float difference = coords[d * count + a] - coords[d * count + b];
        sum += difference * difference;
    }
    return sum;
}

static void points_move_where_they_gain(void **state) {
    (void)state;
    static const int candidates[CANDIDATES] = {77, 1234};
    program p = run("streamcluster");
    int count = count_of(&p, "points", sizeof(point)), last = candidates[CANDIDATES - 1], moves = 0;
    const point *before = BEFORE(p, "points", point), *after = AFTER(p, "points", point);
    const float *coords = BEFORE(p, "coords", float), *losses = AFTER(p, "losses", float);
    double *lost = hd_new_array(p.arena, double, (size_t)count);
    for (int i = 0; i < count; i++) {
        int centre = i - i % APART;
        float cost = squared(coords, count, i, centre) * before[i].weight;
        float moved = squared(coords, count, i, last) * before[i].weight;
        assert_int_equal(after[i].assign, moved < cost ? last : centre);
        assert_near((double)after[i].cost, (double)(moved < cost ? moved : cost), "cost", i);
        moves += moved < cost;
        for (int c = 0; c < CANDIDATES && i != centre; c++) {
            double to = (double)squared(coords, count, i, candidates[c]) * (double)before[i].weight;
            lost[centre] += fmax(0, to - (double)cost);
        }
    }
    for (int i = 0; i < count; i++)
        assert_near((double)losses[i], lost[i], "loss", i);
    assert_true(moves > count / 10 && moves < count);
    hd_arena_free(p.arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bfs_finds_what_a_queue_finds),
        cmocka_unit_test(tree_finds_what_an_array_holds),
        cmocka_unit_test(lattice_flows_as_if_pushed),
        cmocka_unit_test(particles_feel_all_that_are_near),
        cmocka_unit_test(gas_flows_through_every_face),
        cmocka_unit_test(points_move_where_they_gain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
