// Components are written one by one; the others stay.
// buffer: v int4 4 = 100 * i + k
// run: poke 4/2
// expect: v = k == 1 ? -1 : k == 3 ? 100 * i : 100 * i + k
__kernel void poke(__global int4 *v) {
    int i = get_global_id(0);
    v[i].y = -1;
    v[i].w = v[i].x;
}
