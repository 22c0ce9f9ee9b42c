/*
 * Finite differences of Euler's equations of gas dynamics over an unstructured mesh: how the
 * flux of mass, momentum and energy differs between each cell and its neighbours, along the
 * way from one to the other.
 *
 * One work-item per cell, which gathers the state of all neighbours and writes its own
 * residuals only.
 */
#define GAMMA_LESS_1 0.4f /* of a diatomic gas */

typedef struct cell {
    float x, y, z;
    float density, mx, my, mz, energy;      /* the state: momentum is density times velocity */
    float r_density, r_mx, r_my, r_mz, r_energy; /* the residuals of each */
} cell;

/* The neighbours of cell i are neighbours[first[i]] to neighbours[first[i + 1] - 1]. */
__kernel void fluxes(__global cell *cells, __global const uint *first,
                     __global const uint *neighbours, uint count) {
    uint i = get_global_id(0);
    if (i >= count)
        return;
    uint end = first[i + 1];
    float x = cells[i].x, y = cells[i].y, z = cells[i].z;
    float density = cells[i].density, energy = cells[i].energy;
    float mx = cells[i].mx, my = cells[i].my, mz = cells[i].mz;
    float pressure =
        GAMMA_LESS_1 * (energy - 0.5f * (mx * mx + my * my + mz * mz) / density);
    float r_density = 0.0f, r_mx = 0.0f, r_my = 0.0f, r_mz = 0.0f, r_energy = 0.0f;
    for (uint n = first[i]; n < end; n++) {
        uint j = neighbours[n];
        float nx = cells[j].x - x, ny = cells[j].y - y, nz = cells[j].z - z;
        float density_j = cells[j].density, energy_j = cells[j].energy;
        float mx_j = cells[j].mx, my_j = cells[j].my, mz_j = cells[j].mz;
        float pressure_j =
            GAMMA_LESS_1 * (energy_j - 0.5f * (mx_j * mx_j + my_j * my_j + mz_j * mz_j) / density_j);
        float speed = (mx * nx + my * ny + mz * nz) / density;
        float speed_j = (mx_j * nx + my_j * ny + mz_j * nz) / density_j;
        r_density += density_j * speed_j - density * speed;
        r_mx += mx_j * speed_j - mx * speed + (pressure_j - pressure) * nx;
        r_my += my_j * speed_j - my * speed + (pressure_j - pressure) * ny;
        r_mz += mz_j * speed_j - mz * speed + (pressure_j - pressure) * nz;
        r_energy += (energy_j + pressure_j) * speed_j - (energy + pressure) * speed;
    }
    cells[i].r_density = r_density;
    cells[i].r_mx = r_mx;
    cells[i].r_my = r_my;
    cells[i].r_mz = r_mz;
    cells[i].r_energy = r_energy;
}
