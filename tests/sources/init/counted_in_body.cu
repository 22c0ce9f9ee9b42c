// Numbers that the body of a loop counts, and a loop that ends by data or by them.
//: init - repeat: 20
//: init until: {buffer: changed, element: 0, value: 0}
//: init - {name: round, round: 1}
//: init - repeat: 5
//: init - {name: round, round: 0, step: 2}
//: init - {name: round, round: 2, step: 2}
__global__ void relax(int *level, int *changed, int round, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && level[i] > round) {
        level[i] = round;
        *changed = 1;
    }
}
int main() {
    const int n = 512;
    int *level, *changed, again = 1, round = 1, count = 0;
    cudaMalloc(&level, n * sizeof(int));
    cudaMalloc(&changed, sizeof(int));
    while (again && round <= 20) {
        cudaMemset(changed, 0, sizeof(int));
        relax<<<2, 256>>>(level, changed, round, n);
        cudaMemcpy(&again, changed, sizeof(int), cudaMemcpyDeviceToHost);
        round++;
    }
    while (count < 10) {
        relax<<<2, 256>>>(level, changed, count, n);
        count += 2;
        relax<<<2, 256>>>(level, changed, count, n);
    }
}
