#include <stdio.h>
#include <string.h>

#include "inputs.h"

enum { CELL_ROOM = 48, LIST_ROOM = 128, REBUILD = 10 };

typedef struct atom {
    float x, y, z, mass;
    float vx, vy, vz, energy;
    float fx, fy, fz;
    int neighbours;
} atom;

typedef struct box {
    float side, cutoff, reach; /* reach: cutoff and what atoms move between two builds */
    int cells;                 /* along each side */
} box;

static float wrap(float distance, float side) { return distance - side * rintf(distance / side); }

static int cell_along(float at, box b) {
    int cell = (int)(at * (float)b.cells / b.side);
    return cell < 0 ? 0 : cell < b.cells ? cell : b.cells - 1;
}

static void fill_cells(const atom *atoms, int count, box b, int *cell_counts, int *cell_atoms) {
#pragma omp parallel for
    for (int i = 0; i < count; i++) {
        int cx = cell_along(atoms[i].x, b), cy = cell_along(atoms[i].y, b);
        int cell = (cell_along(atoms[i].z, b) * b.cells + cy) * b.cells + cx, slot;
#pragma omp atomic capture
        slot = cell_counts[cell]++;
        if (slot < CELL_ROOM)
            cell_atoms[cell * CELL_ROOM + slot] = i;
    }
}

static void list_neighbours(atom *atoms, int count, box b, const int *cell_counts,
                            const int *cell_atoms, int *lists) {
#pragma omp parallel for
    for (int i = 0; i < count; i++) {
        float x = atoms[i].x, y = atoms[i].y, z = atoms[i].z, reach = b.reach * b.reach;
        int cx = cell_along(x, b), cy = cell_along(y, b), cz = cell_along(z, b), found = 0;
        int *list = lists + (size_t)i * LIST_ROOM;
        for (int n = 0; n < 27; n++) {
            int nx = (cx + n % 3 - 1 + b.cells) % b.cells;
            int ny = (cy + n / 3 % 3 - 1 + b.cells) % b.cells;
            int nz = (cz + n / 9 - 1 + b.cells) % b.cells;
            int cell = (nz * b.cells + ny) * b.cells + nx;
            int inside = cell_counts[cell] < CELL_ROOM ? cell_counts[cell] : CELL_ROOM;
            for (int k = 0; k < inside; k++) {
                int j = cell_atoms[cell * CELL_ROOM + k];
                float dx = wrap(x - atoms[j].x, b.side), dy = wrap(y - atoms[j].y, b.side);
                float dz = wrap(z - atoms[j].z, b.side);
                if (j != i && dx * dx + dy * dy + dz * dz < reach && found < LIST_ROOM)
                    list[found++] = j;
            }
        }
        atoms[i].neighbours = found;
    }
}

static void attract(atom *atoms, int count, box b, const int *lists) {
    float cutoff = b.cutoff * b.cutoff;
#pragma omp parallel for
    for (int i = 0; i < count; i++) {
        float x = atoms[i].x, y = atoms[i].y, z = atoms[i].z;
        float fx = 0, fy = 0, fz = 0, energy = 0;
        const int *list = lists + (size_t)i * LIST_ROOM;
#pragma omp simd reduction(+ : fx, fy, fz, energy)
        for (int n = 0; n < atoms[i].neighbours; n++) {
            int j = list[n];
            float dx = wrap(x - atoms[j].x, b.side), dy = wrap(y - atoms[j].y, b.side);
            float dz = wrap(z - atoms[j].z, b.side);
            float r2 = dx * dx + dy * dy + dz * dz;
            if (r2 < cutoff) {
                float inverse = 1 / r2, sixth = inverse * inverse * inverse;
                float force = 48 * inverse * sixth * (sixth - 0.5f);
                fx += force * dx;
                fy += force * dy;
                fz += force * dz;
                energy += 2 * sixth * (sixth - 1);
            }
        }
        atoms[i].fx = fx;
        atoms[i].fy = fy;
        atoms[i].fz = fz;
        atoms[i].energy = energy;
    }
}

static void move(atom *atoms, int count, box b, float step) {
#pragma omp parallel for
    for (int i = 0; i < count; i++) {
        atom *a = &atoms[i];
        a->vx += step * a->fx / a->mass;
        a->vy += step * a->fy / a->mass;
        a->vz += step * a->fz / a->mass;
        a->x += step * a->vx;
        a->y += step * a->vy;
        a->z += step * a->vz;
        a->x -= b.side * floorf(a->x / b.side);
        a->y -= b.side * floorf(a->y / b.side);
        a->z -= b.side * floorf(a->z / b.side);
    }
}

int main(int argc, char **argv) {
    int side = input_argument(argc, argv, 1, 32), count = side * side * side;
    int steps = input_argument(argc, argv, 2, 230);
    box b = {(float)side * 1.2f, 2.5f, 2.8f, (int)((float)side * 1.2f / 2.8f)};
    int cells = b.cells * b.cells * b.cells;
    atom *atoms = calloc((size_t)count, sizeof *atoms);
    for (int i = 0; i < count; i++) {
        uint32_t u = (uint32_t)i;
        atoms[i].x = ((float)(i % side) + 0.5f) * 1.2f + input_between(90, u, -0.05f, 0.05f);
        atoms[i].y = ((float)(i / side % side) + 0.5f) * 1.2f + input_between(91, u, -0.05f, 0.05f);
        atoms[i].z = ((float)(i / side / side) + 0.5f) * 1.2f + input_between(92, u, -0.05f, 0.05f);
        atoms[i].mass = (float)(1 + i % 2);
    }
    int *cell_counts = malloc((size_t)cells * sizeof(int));
    int *cell_atoms = malloc((size_t)cells * CELL_ROOM * sizeof(int));
    int *lists = malloc((size_t)count * LIST_ROOM * sizeof(int));
    for (int s = 0; s < steps; s++) {
        if (s % REBUILD == 0) {
            memset(cell_counts, 0, (size_t)cells * sizeof(int));
            fill_cells(atoms, count, b, cell_counts, cell_atoms);
            list_neighbours(atoms, count, b, cell_counts, cell_atoms, lists);
        }
        attract(atoms, count, b, lists);
        move(atoms, count, b, 0.002f);
    }
    double potential = 0, kinetic = 0, neighbours = 0;
    for (int i = 0; i < count; i++) {
        const atom *a = &atoms[i];
        potential += a->energy;
        kinetic += 0.5 * a->mass * (a->vx * a->vx + a->vy * a->vy + a->vz * a->vz);
        neighbours += a->neighbours;
    }
    printf("neighbours %.3e, potential %.5e, kinetic %.5e\n", neighbours, potential, kinetic);
    free(atoms);
    free(cell_counts);
    free(cell_atoms);
    free(lists);
    return 0;
}
