// Groups in groups; a number of the outer one is that of its first round.
//: init - repeat: 3
//: init - repeat: 4
//: init - {name: by, round: 0}
//: init - fill: {buffer: a, value: 0}
__global__ void add(int *a, int by, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        a[i] += by;
}
int main() {
    int *a;
    cudaMalloc(&a, 512 * sizeof(int));
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j != 4; ++j)
            add<<<2, 256>>>(a, j, 512);
        cudaMemset(a, 0, 512 * sizeof(int));
    }
}
