// flags: -g 256 --local 64 -n 256
// accesses: 6
// rewrites: soa
typedef struct { int left, right; float key; int payload[2]; } tnode;
__kernel void find(__global const tnode *t, __global const float *q, __global int *found) {
    int i = get_global_id(0), at = 0, depth = 0;
    int stack[16], top = 0;
    stack[top++] = 0;
    int best = -1;
    do {
        at = stack[--top];
        if (t[at].key <= q[i]) best = t[at].payload[depth & 1];
        if (depth < 8) {
            if (t[at].left > 0) stack[top++] = t[at].left;
            if (t[at].right > 0 && top < 15) stack[top++] = t[at].right;
        }
        depth++;
    } while (top > 0);
    found[i] = best;
}
