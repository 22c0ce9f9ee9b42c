// Loops that double and that go down.
//: init - repeat: 6
//: init - {name: by, round: 2, factor: 2}
//: init - repeat: 5
//: init - {name: by, round: 5, step: -1}
__global__ void add(int *a, int by, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        a[i] += by;
}
int main() {
    int *a;
    cudaMalloc(&a, 512 * sizeof(int));
    for (int k = 2; k <= 64; k <<= 1)
        add<<<2, 256>>>(a, k, 512);
    for (int k = 5; k > 0; k--)
        add<<<2, 256>>>(a, k, 512);
}
