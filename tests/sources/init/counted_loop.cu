// A loop with a count is a group, and what it counts a round.
//: init # counted_loop.cu:17: a loop
//: init - repeat: 10
//: init - kernel: add
//: init - {name: by, round: 0}
//: init - repeat: 4
//: init - {name: by, round: 7, step: 6}
__global__ void add(int *a, int by, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        a[i] += by;
}
int main() {
    const int n = 1000;
    int *a;
    cudaMalloc(&a, n * sizeof *a);
    for (int i = 0; i < 10; i++)
        add<<<4, 256>>>(a, i, n);
    for (int i = 3; i < 15; i += 3)
        add<<<4, 256>>>(a, 2 * i + 1, n);
}
