#include <stdio.h>
#include <string.h>

#include "inputs.h"

typedef struct particle {
    float x, y, z, density;
    float vx, vy, vz, pressure;
    float ax, ay, az;
    int cell;
} particle;

static struct {
    float side, radius, mass, stiffness, rest, viscosity, step;
    int cells; /* along each side */
} world;

static int most(int a, int b) { return a > b ? a : b; }
static int least(int a, int b) { return a < b ? a : b; }
static int cell_along(float at) {
    return least(most((int)(at / world.radius), 0), world.cells - 1);
}

static void sort(particle *particles, particle *sorted, int count, int *starts, int *places,
                 int cells) {
    memset(places, 0, (size_t)cells * sizeof *places);
#pragma omp parallel for
    for (int i = 0; i < count; i++) {
        particle *p = &particles[i];
        p->cell =
            (cell_along(p->z) * world.cells + cell_along(p->y)) * world.cells + cell_along(p->x);
#pragma omp atomic
        places[p->cell]++;
    }
    int before = 0;
    for (int c = 0; c < cells; c++) {
        int own = places[c];
        starts[c] = places[c] = before;
        before += own;
    }
    starts[cells] = before;
#pragma omp parallel for
    for (int i = 0; i < count; i++) {
        int place;
#pragma omp atomic capture
        place = places[particles[i].cell]++;
        sorted[place] = particles[i];
    }
}

/* The rows of cells around a particle: at most nine stretches of particles. */
static int near_of(const particle *p, const int *starts, int from[9], int to[9]) {
    int cx = p->cell % world.cells, cy = p->cell / world.cells % world.cells;
    int cz = p->cell / world.cells / world.cells, stretches = 0;
    for (int z = most(cz - 1, 0); z <= least(cz + 1, world.cells - 1); z++)
        for (int y = most(cy - 1, 0); y <= least(cy + 1, world.cells - 1); y++) {
            int row = (z * world.cells + y) * world.cells;
            from[stretches] = starts[row + most(cx - 1, 0)];
            to[stretches++] = starts[row + least(cx + 1, world.cells - 1) + 1];
        }
    return stretches;
}

static void find_density(particle *particles, int count, const int *starts) {
    float h2 = world.radius * world.radius;
#pragma omp parallel for schedule(dynamic, 64)
    for (int i = 0; i < count; i++) {
        particle own = particles[i];
        int from[9], to[9], stretches = near_of(&own, starts, from, to);
        float density = 0;
        for (int s = 0; s < stretches; s++) {
#pragma omp simd reduction(+ : density)
            for (int j = from[s]; j < to[s]; j++) {
                float dx = own.x - particles[j].x, dy = own.y - particles[j].y;
                float dz = own.z - particles[j].z, left = h2 - (dx * dx + dy * dy + dz * dz);
                if (left > 0)
                    density += left * left * left;
            }
        }
        density *= world.mass * 1.5666815f / (h2 * h2 * h2 * h2 * world.radius);
        particles[i].density = density;
        particles[i].pressure = world.stiffness * fmaxf(density - world.rest, 0);
    }
}

static void find_force(particle *particles, int count, const int *starts) {
    float h = world.radius;
#pragma omp parallel for schedule(dynamic, 64)
    for (int i = 0; i < count; i++) {
        particle own = particles[i];
        int from[9], to[9], stretches = near_of(&own, starts, from, to);
        float ax = 0, ay = 0, az = 0;
        for (int s = 0; s < stretches; s++)
            for (int j = from[s]; j < to[s]; j++) {
                const particle *other = &particles[j];
                float dx = own.x - other->x, dy = own.y - other->y, dz = own.z - other->z;
                float r2 = dx * dx + dy * dy + dz * dz;
                if (j == i || r2 >= h * h || r2 == 0)
                    continue;
                float r = sqrtf(r2), left = h - r;
                float push =
                    (own.pressure + other->pressure) * 0.5f * left * left / (other->density * r);
                float drag = world.viscosity * left / other->density;
                ax += push * dx + drag * (other->vx - own.vx);
                ay += push * dy + drag * (other->vy - own.vy);
                az += push * dz + drag * (other->vz - own.vz);
            }
        float scale = world.mass * 14.323945f / (h * h * h * h * h * h * own.density);
        particles[i].ax = scale * ax;
        particles[i].ay = scale * ay - 9.81f;
        particles[i].az = scale * az;
    }
}

static void bounce(float *at, float *speed) {
    if (*at < 0 || *at > world.side) {
        *at = *at < 0 ? 0 : world.side;
        *speed *= -0.5f;
    }
}

static void move(particle *particles, int count) {
#pragma omp parallel for
    for (int i = 0; i < count; i++) {
        particle *p = &particles[i];
        p->vx += world.step * p->ax;
        p->vy += world.step * p->ay;
        p->vz += world.step * p->az;
        p->x += world.step * p->vx;
        p->y += world.step * p->vy;
        p->z += world.step * p->vz;
        bounce(&p->x, &p->vx);
        bounce(&p->y, &p->vy);
        bounce(&p->z, &p->vz);
    }
}

int main(int argc, char **argv) {
    int along = input_argument(argc, argv, 1, 32), count = along * along * along;
    int steps = input_argument(argc, argv, 2, 90);
    world.side = (float)along * 0.02f * 1.3f;
    world.radius = 0.04f, world.mass = 0.008f, world.stiffness = 2, world.rest = 1000;
    world.viscosity = 0.4f, world.step = 0.0005f;
    world.cells = (int)(world.side / world.radius) + 1;
    int cells = world.cells * world.cells * world.cells;
    particle *particles = calloc((size_t)count, sizeof *particles);
    particle *sorted = malloc((size_t)count * sizeof *sorted);
    for (int i = 0; i < count; i++) {
        uint32_t u = (uint32_t)i;
        particles[i].x = 0.02f * ((float)(i % along) + input_unit(130, u) * 0.3f + 0.3f);
        particles[i].y = 0.02f * ((float)(i / along % along) + input_unit(131, u) * 0.3f + 0.3f);
        particles[i].z = 0.02f * ((float)(i / along / along) + input_unit(132, u) * 0.3f + 0.3f);
    }
    int *starts = malloc((size_t)(cells + 1) * sizeof(int));
    int *places = malloc((size_t)cells * sizeof(int));
    for (int s = 0; s < steps; s++) {
        sort(particles, sorted, count, starts, places, cells);
        particle *swap = particles;
        particles = sorted;
        sorted = swap;
        find_density(particles, count, starts);
        find_force(particles, count, starts);
        move(particles, count);
    }
    double density = 0, height = 0, energy = 0;
    for (int i = 0; i < count; i++) {
        const particle *p = &particles[i];
        density += p->density;
        height += p->y;
        energy += p->vx * p->vx + p->vy * p->vy + p->vz * p->vz;
    }
    printf("density %.5e, height %.5e, energy %.5e\n", density, height, energy);
    free(particles);
    free(sorted);
    free(starts);
    free(places);
    return 0;
}
