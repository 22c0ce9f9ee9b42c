/*
 * Smoothed particle hydrodynamics in the plane, with lists of neighbours. Particles stand
 * near the places of a square lattice and are numbered by cells of 4 x 4 places, as a sort by
 * cells leaves them, in no order within a cell.
 *
 *     place      puts them there, each up to 0.3 away from its place
 *     link       notes for each all others within reach
 *     density    sums the kernel function over them, and finds the pressure
 *     forces     sums pressure and viscosity
 *     move       takes a step, and keeps particles in the box
 */
#define CELL 4
#define IN_CELL (CELL * CELL)
#define AROUND 2 /* places to either side that a neighbour may come from */
#define MOST_NEIGHBOURS 24

typedef struct {
    float x, y;
    float vx, vy;
    float fx, fy;
    float density, pressure;
    int neighbours; /* how many; their numbers stand in list[k * count + i] */
} particle;

typedef struct {
    int side; /* places in a row, a multiple of CELL */
    float reach;
    float mass;
    float stiffness;
    float rest_density;
    float viscosity;
    float dt;
} fluid;

/* The place of particle i, and the particle of a place: 5 has no divisor in common with 16. */
static int2 place_of(int i, int side) {
    int cell_number = i / IN_CELL, within = (i * 5 + cell_number) % IN_CELL;
    int cells = side / CELL;
    return (int2)(cell_number % cells * CELL + within % CELL,
                  cell_number / cells * CELL + within / CELL);
}

static int particle_at(int x, int y, int side) {
    int cell_number = y / CELL * (side / CELL) + x / CELL;
    int within = y % CELL * CELL + x % CELL;
    return cell_number * IN_CELL + (within + IN_CELL - cell_number % IN_CELL) * 13 % IN_CELL;
}

__kernel void place(__global particle *p, __global const float2 *restrict jitter, const fluid f) {
    int i = get_global_id(0);
    if (i >= f.side * f.side)
        return;
    int2 at = place_of(i, f.side);
    p[i].x = at.x + jitter[i].x;
    p[i].y = at.y + jitter[i].y;
}

__kernel void link(__global particle *p, __global int *restrict list, const fluid f) {
    int i = get_global_id(0), count = f.side * f.side;
    if (i >= count)
        return;
    int2 at = place_of(i, f.side);
    float x = p[i].x, y = p[i].y;
    int found = 0;
    for (int dy = -AROUND; dy <= AROUND; dy++)
        for (int dx = -AROUND; dx <= AROUND; dx++) {
            int nx = at.x + dx, ny = at.y + dy;
            if (nx < 0 || ny < 0 || nx >= f.side || ny >= f.side || (dx == 0 && dy == 0))
                continue;
            int j = particle_at(nx, ny, f.side);
            float ex = p[j].x - x, ey = p[j].y - y;
            if (ex * ex + ey * ey < f.reach * f.reach)
                list[found++ * count + i] = j;
        }
    p[i].neighbours = found;
}

/* Without what it would be multiplied by to have an integral of 1, which is in the mass. */
static float poly6(float r2, float reach) {
    float d = reach * reach - r2;
    return d > 0.0f ? d * d * d : 0.0f;
}

__kernel void density(__global particle *p, __global const int *restrict list, const fluid f) {
    int i = get_global_id(0), count = f.side * f.side;
    if (i >= count)
        return;
    float x = p[i].x, y = p[i].y;
    float sum = poly6(0.0f, f.reach);
    for (int k = 0; k < p[i].neighbours; k++) {
        int j = list[k * count + i];
        float dx = p[j].x - x, dy = p[j].y - y;
        sum += poly6(dx * dx + dy * dy, f.reach);
    }
    float density = f.mass * sum;
    p[i].density = density;
    p[i].pressure = fmax(0.0f, f.stiffness * (density - f.rest_density));
}

__kernel void forces(__global particle *p, __global const int *restrict list, const fluid f) {
    int i = get_global_id(0), count = f.side * f.side;
    if (i >= count)
        return;
    const __global particle *me = &p[i];
    float fx = 0.0f, fy = 0.0f;
    for (int k = 0; k < me->neighbours; k++) {
        const __global particle *other = &p[list[k * count + i]];
        float dx = other->x - me->x, dy = other->y - me->y;
        float r = sqrt(dx * dx + dy * dy);
        if (r >= f.reach || r == 0.0f)
            continue;
        float gap = f.reach - r;
        float push =
            f.mass * (me->pressure + other->pressure) / (2.0f * other->density) * gap * gap;
        float drag = f.viscosity * f.mass / other->density * gap;
        fx += drag * (other->vx - me->vx) - push * dx / r;
        fy += drag * (other->vy - me->vy) - push * dy / r;
    }
    p[i].fx = fx;
    p[i].fy = fy;
}

__kernel void move(__global particle *p, const fluid f) {
    int i = get_global_id(0);
    if (i >= f.side * f.side)
        return;
    float density = p[i].density;
    float vx = p[i].vx + f.dt * p[i].fx / density, vy = p[i].vy + f.dt * p[i].fy / density;
    float x = p[i].x + f.dt * vx, y = p[i].y + f.dt * vy;
    p[i].x = x;
    p[i].y = y;
    p[i].vx = x < 0.0f || x > f.side ? -vx : vx;
    p[i].vy = y < 0.0f || y > f.side ? -vy : vy;
}
