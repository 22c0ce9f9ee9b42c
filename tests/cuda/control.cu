// expect: steps int = 0 0 1 7 2 5 8 16 3 19 6 14 9 9 17 17 4 12 20 20 7 7 15 15 10 23 10 111 18 18 18 106
// expect: kinds int 32 = (i % 5 == 0 ? 100 : i % 5 == 1 ? 11 : i % 5 == 2 ? 1 : i % 5 == 3 ? -i : 7)
// expect: found int 32 = (i < 20 ? i : -1)
//
// Loops that lanes leave at different trips, switches that fall through, early returns from
// functions and from the kernel.
__device__ int collatz(unsigned n) {
    int steps = 0;
    while (n > 1) {
        n = n % 2 ? 3 * n + 1 : n / 2;
        steps++;
    }
    return steps;
}

__device__ int find(const int *list, int n, int wanted) {
    for (int i = 0; i < n; i++) {
        if (list[i] != wanted)
            continue;
        return i;
    }
    return -1;
}

__global__ void run(int *steps, int *kinds, int *found, const int *list) {
    int t = threadIdx.x, kind = 0;
    steps[t] = collatz(t);
    switch (t % 5) {
    case 0: kind = 100; break;
    case 1: kind = 10; // fall through
    case 2: kind += 1; break;
    case 3: kinds[t] = -t; found[t] = find(list, 20, t); return;
    default: kind = 7;
    }
    kinds[t] = kind;
    found[t] = find(list, 20, t);
}
