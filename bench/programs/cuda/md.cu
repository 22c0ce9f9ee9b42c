// Molecular dynamics of Lennard-Jones atoms in a periodic box: records of atoms, lists of neighbours
// that are built over cells now and then, and steps of leapfrog.
#include <cuda_runtime.h>

#include "cuda_check.h"
#include "inputs.h"

enum { THREADS = 128, CELL_ROOM = 48, LIST_ROOM = 128, REBUILD = 10 };

struct Atom {
    float x, y, z, mass;
    float vx, vy, vz, energy;
    float fx, fy, fz;
    int neighbours;
};

struct Box {
    float side, cutoff, reach; // reach: cutoff and what atoms move between two builds
    int cells;                 // along each side
};

__device__ float wrap(float distance, float side) {
    return distance - side * rintf(distance / side);
}

__device__ int cell_along(float at, Box box) {
    int cell = (int)(at * box.cells / box.side);
    return min(max(cell, 0), box.cells - 1);
}

__global__ void fill_cells(const Atom *atoms, int count, Box box, int *cell_counts,
                           int *cell_atoms) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    int cx = cell_along(atoms[i].x, box), cy = cell_along(atoms[i].y, box);
    int cell = (cell_along(atoms[i].z, box) * box.cells + cy) * box.cells + cx;
    int slot = atomicAdd(&cell_counts[cell], 1);
    if (slot < CELL_ROOM)
        cell_atoms[cell * CELL_ROOM + slot] = i;
}

__global__ void list_neighbours(Atom *atoms, int count, Box box, const int *cell_counts,
                                const int *cell_atoms, int *lists) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    float x = atoms[i].x, y = atoms[i].y, z = atoms[i].z, reach = box.reach * box.reach;
    int cx = cell_along(x, box), cy = cell_along(y, box), cz = cell_along(z, box), found = 0;
    for (int n = 0; n < 27; n++) {
        int nx = (cx + n % 3 - 1 + box.cells) % box.cells;
        int ny = (cy + n / 3 % 3 - 1 + box.cells) % box.cells;
        int nz = (cz + n / 9 - 1 + box.cells) % box.cells;
        int cell = (nz * box.cells + ny) * box.cells + nx;
        int inside = min(cell_counts[cell], CELL_ROOM);
        for (int k = 0; k < inside; k++) {
            int j = cell_atoms[cell * CELL_ROOM + k];
            float dx = wrap(x - atoms[j].x, box.side), dy = wrap(y - atoms[j].y, box.side);
            float dz = wrap(z - atoms[j].z, box.side);
            if (j != i && dx * dx + dy * dy + dz * dz < reach && found < LIST_ROOM)
                lists[found++ * count + i] = j;
        }
    }
    atoms[i].neighbours = found;
}

__global__ void attract(Atom *atoms, int count, Box box, const int *lists) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    float x = atoms[i].x, y = atoms[i].y, z = atoms[i].z, cutoff = box.cutoff * box.cutoff;
    float fx = 0, fy = 0, fz = 0, energy = 0;
    int neighbours = atoms[i].neighbours;
    for (int n = 0; n < neighbours; n++) {
        int j = lists[n * count + i];
        float dx = wrap(x - atoms[j].x, box.side), dy = wrap(y - atoms[j].y, box.side);
        float dz = wrap(z - atoms[j].z, box.side);
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

__global__ void move(Atom *atoms, int count, Box box, float step) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    Atom a = atoms[i];
    a.vx += step * a.fx / a.mass;
    a.vy += step * a.fy / a.mass;
    a.vz += step * a.fz / a.mass;
    a.x += step * a.vx;
    a.y += step * a.vy;
    a.z += step * a.vz;
    a.x -= box.side * floorf(a.x / box.side);
    a.y -= box.side * floorf(a.y / box.side);
    a.z -= box.side * floorf(a.z / box.side);
    atoms[i] = a;
}

int main(int argc, char **argv) {
    int side = input_argument(argc, argv, 1, 32), count = side * side * side;
    int steps = input_argument(argc, argv, 2, 230);
    Box box = {side * 1.2f, 2.5f, 2.8f, (int)(side * 1.2f / 2.8f)};
    int cells = box.cells * box.cells * box.cells, blocks = (count + THREADS - 1) / THREADS;
    Atom *atoms = (Atom *)calloc(count, sizeof(Atom)), *d_atoms;
    for (int i = 0; i < count; i++) {
        atoms[i].x = (i % side + 0.5f) * 1.2f + input_between(90, i, -0.05f, 0.05f);
        atoms[i].y = (i / side % side + 0.5f) * 1.2f + input_between(91, i, -0.05f, 0.05f);
        atoms[i].z = (i / side / side + 0.5f) * 1.2f + input_between(92, i, -0.05f, 0.05f);
        atoms[i].mass = 1 + i % 2;
    }
    int *d_counts, *d_cells, *d_lists;
    CHECK(cudaMalloc(&d_atoms, count * sizeof(Atom)));
    CHECK(cudaMalloc(&d_counts, cells * sizeof(int)));
    CHECK(cudaMalloc(&d_cells, (size_t)cells * CELL_ROOM * sizeof(int)));
    CHECK(cudaMalloc(&d_lists, (size_t)count * LIST_ROOM * sizeof(int)));
    CHECK(cudaMemcpy(d_atoms, atoms, count * sizeof(Atom), cudaMemcpyHostToDevice));
    for (int s = 0; s < steps; s++) {
        if (s % REBUILD == 0) {
            CHECK(cudaMemset(d_counts, 0, cells * sizeof(int)));
            fill_cells<<<blocks, THREADS>>>(d_atoms, count, box, d_counts, d_cells);
            list_neighbours<<<blocks, THREADS>>>(d_atoms, count, box, d_counts, d_cells, d_lists);
        }
        attract<<<blocks, THREADS>>>(d_atoms, count, box, d_lists);
        move<<<blocks, THREADS>>>(d_atoms, count, box, 0.002f);
    }
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(atoms, d_atoms, count * sizeof(Atom), cudaMemcpyDeviceToHost));
    double potential = 0, kinetic = 0, neighbours = 0;
    for (int i = 0; i < count; i++) {
        const Atom *a = &atoms[i];
        potential += a->energy;
        kinetic += 0.5 * a->mass * (a->vx * a->vx + a->vy * a->vy + a->vz * a->vz);
        neighbours += a->neighbours;
    }
    printf("neighbours %.3e, potential %.5e, kinetic %.5e\n", neighbours, potential, kinetic);
    CHECK(cudaFree(d_atoms));
    CHECK(cudaFree(d_counts));
    CHECK(cudaFree(d_cells));
    CHECK(cudaFree(d_lists));
    free(atoms);
    return 0;
}
