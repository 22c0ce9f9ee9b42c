// flags: -g 128 --local 32 -n 1024 -a n=128
// accesses: 4
// rewrites: aosoa:4
typedef struct node { int next; int value; float pad[3]; int sum; } node;
__kernel void walk(__global node *nodes, __global const int *heads, int n) {
    int i = get_global_id(0);
    if (i >= n) return;
    int sum = 0, guard = 0;
    int p = heads[i] - 1;
    while (p != -1) {
        sum += nodes[p].value;
        p = nodes[p].next - 2;
        if (p < 0) break;
        if (++guard > 100) break;
    }
    nodes[i].sum = sum;
}
