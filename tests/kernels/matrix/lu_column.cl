// flags: -g 64 --local 32 -n 4096 -a n=64 -a k=3
// accesses: 7
// rewrites: aosoa:4
typedef struct { double v; int flag; } e;
__kernel void lu(__global e *A, int n, int k) {
    int i = get_global_id(0);
    if (i > k && i < n) {
        double f = A[i * n + k].v / (A[k * n + k].v + 1.0);
        A[i * n + k].v = f;
        for (int j = n - 1; j > k; j--) A[i * n + j].v -= f * A[k * n + j].v;
        A[i * n + k].flag = 1;
    }
}
