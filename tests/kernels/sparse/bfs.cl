// flags: -r State -g 512 --local 64 -n 2048 -a n=512
// accesses: 8
// rewrites: da
typedef struct { int start, degree; } Node;
typedef struct { uchar mask, updating, visited; int cost; } State;
__kernel void bfs(__global const Node *nodes, __global const int *edges, __global State *st, int n) {
    int tid = get_global_id(0);
    if (tid < n && st[tid].mask) {
        st[tid].mask = 0;
        for (int i = nodes[tid].start; i < nodes[tid].start + nodes[tid].degree; i++) {
            int id = edges[i];
            if (!st[id].visited) {
                st[id].cost = 1;
                st[id].updating = 1;
            }
        }
    }
}
