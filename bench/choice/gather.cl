/* Neighbours through an index: three fields of a random element, used together. */
typedef struct site {
    float x, y, z;
    float charge, force;
} site;

__kernel void attract(__global site *sites, __global const int *neighbour) {
    size_t i = get_global_id(0);
    int j = neighbour[i];
    float dx = sites[j].x - sites[i].x, dy = sites[j].y - sites[i].y, dz = sites[j].z - sites[i].z;
    sites[i].force += sites[i].charge / (dx * dx + dy * dy + dz * dz + 1.0f);
}
