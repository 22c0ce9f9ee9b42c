/*
 * Flow through a porous bed by the lattice Boltzmann method: nine directions in the plane
 * (D2Q9), one relaxation time (BGK), a box that is periodic both ways. `push` adds momentum
 * in one column; `stream` pulls the nine populations of each cell from where they stream from,
 * turns them back in solid cells, and relaxes them in all others.
 *
 *     6 2 5
 *     3 0 1
 *     7 4 8
 */
#define Q 9

typedef struct {
    float f[Q];
    int solid; /* 0: yes. The beds are random numbers, one cell in ten is a grain. */
} cell;

typedef struct {
    int width, height;
    float omega; /* 1 / relaxation time */
    float push;
} lattice;

__constant int direction_x[Q] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
__constant int direction_y[Q] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
__constant int opposite[Q] = {0, 3, 4, 1, 2, 7, 8, 5, 6};
__constant float weight[Q] = {4.f / 9,  1.f / 9,  1.f / 9,  1.f / 9, 1.f / 9,
                              1.f / 36, 1.f / 36, 1.f / 36, 1.f / 36};

__kernel void rest(__global cell *cells, __global cell *others, const lattice l) {
    int x = get_global_id(0), y = get_global_id(1);
    if (x >= l.width || y >= l.height)
        return;
    int at = y * l.width + x;
    for (int q = 0; q < Q; q++)
        cells[at].f[q] = weight[q];
    others[at].solid = cells[at].solid;
}

/* One work-item per cell of column `x`. */
__kernel void push(__global cell *cells, const lattice l, const int x) {
    int y = get_global_id(0);
    if (y >= l.height)
        return;
    __global cell *c = &cells[y * l.width + x];
    float straight = l.push * weight[1], slanting = l.push * weight[5];
    float west = c->f[3], north_west = c->f[6], south_west = c->f[7];
    if (c->solid != 0 && west > straight && north_west > slanting && south_west > slanting) {
        c->f[1] += straight;
        c->f[5] += slanting;
        c->f[8] += slanting;
        c->f[3] = west - straight;
        c->f[6] = north_west - slanting;
        c->f[7] = south_west - slanting;
    }
}

static float equilibrium(int q, float density, float ux, float uy) {
    float along = direction_x[q] * ux + direction_y[q] * uy;
    return weight[q] * density *
           (1.f + 3.f * along + 4.5f * along * along - 1.5f * (ux * ux + uy * uy));
}

__kernel void stream(__global const cell *restrict from, __global cell *restrict to,
                     const lattice l) {
    int x = get_global_id(0), y = get_global_id(1);
    if (x >= l.width || y >= l.height)
        return;

    int east = x + 1 < l.width ? x + 1 : 0, west = x > 0 ? x - 1 : l.width - 1;
    int north = y + 1 < l.height ? y + 1 : 0, south = y > 0 ? y - 1 : l.height - 1;
    int at = y * l.width + x;

    float f[Q];
    f[0] = from[at].f[0];
    f[1] = from[y * l.width + west].f[1];
    f[2] = from[south * l.width + x].f[2];
    f[3] = from[y * l.width + east].f[3];
    f[4] = from[north * l.width + x].f[4];
    f[5] = from[south * l.width + west].f[5];
    f[6] = from[south * l.width + east].f[6];
    f[7] = from[north * l.width + east].f[7];
    f[8] = from[north * l.width + west].f[8];

    if (from[at].solid == 0) {
        for (int q = 0; q < Q; q++)
            to[at].f[q] = f[opposite[q]];
        return;
    }

    float density = 0.f, ux = 0.f, uy = 0.f;
    for (int q = 0; q < Q; q++)
        density += f[q];
    ux = (f[1] + f[5] + f[8] - f[3] - f[6] - f[7]) / density;
    uy = (f[2] + f[5] + f[6] - f[4] - f[7] - f[8]) / density;
    for (int q = 0; q < Q; q++)
        to[at].f[q] = f[q] + l.omega * (equilibrium(q, density, ux, uy) - f[q]);
}
