// Whole structs as values: copied, returned, chosen, in shared memory.
//: headers both
//: run k 4: 10 6 1 9
struct triple {
    int x, y, z;
};
struct pair {
    int a;
    float b;
};
__device__ triple operator+(triple a, triple b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
__device__ triple pick(const triple *a, int i, bool first) { return first ? a[i] : a[i + 1]; }
__device__ triple make(int s) {
    triple v;
    v.x = v.y = v.z = s;
    return v;
}
__device__ pair least(pair a, pair b) { return a.b < b.b ? a : b; }
__global__ void k(int *o) {
    __shared__ triple t[8];
    int i = threadIdx.x;
    t[i] = make(i);
    t[i + 4] = {i, 2 * i, 3};
    __syncthreads();
    triple sum = t[3 - i] + pick(t + 4, i, i == 3);
    pair p = {0, 5.0f};
    for (int n = 1; n < 4; n++)
        p = least(p, {n, (float)(n * (4 - n))});
    triple other = make(1), *chosen = i & 1 ? &sum : &other;
    o[i] = i == 0 ? sum.x + sum.z : i == 1 ? p.a + sum.x - 3 + 2 : i == 2 ? chosen->x : sum.y + sum.z;
}
