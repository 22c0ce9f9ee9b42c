// A struct copied from one of several private ones: only the stores go to global memory.
// buffer: out s 4
// run: choose 4/4
// expect: out.v = j + (i % 2) * 10
struct s {
    int v[3];
};
__kernel void choose(__global struct s *out) {
    int i = get_global_id(0);
    struct s a[2], b[2];
    for (int j = 0; j < 3; j++) {
        a[0].v[j] = a[1].v[j] = j;
        b[0].v[j] = b[1].v[j] = j + 10;
    }
    struct s *p = i % 2 ? &b[i / 2 % 2] : &a[i / 2 % 2];
    out[i] = *p;
}
