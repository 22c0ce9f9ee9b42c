// An array of structs in private memory, sorted by insertion.
// buffer: in int 40 = (i * 37 + 11) % 101
// buffer: out int 40
// run: sort 8/4
// expect: out = sum(q, 0, 5, sum(r, 0, 5, in[5 * (i / 5) + r] < in[5 * (i / 5) + q]) == i % 5 ? in[5 * (i / 5) + q] * 10 + q : 0)
typedef struct entry {
    int key;
    char place;
} entry;
__kernel void sort(__global const int *in, __global int *out) {
    int i = get_global_id(0);
    entry list[5];
    for (int k = 0; k < 5; k++) {
        entry e = {in[5 * i + k], k};
        int at = k;
        for (; at > 0 && list[at - 1].key > e.key; at--)
            list[at] = list[at - 1];
        list[at] = e;
    }
    for (int k = 0; k < 5; k++)
        out[5 * i + k] = list[k].key * 10 + list[k].place;
}
