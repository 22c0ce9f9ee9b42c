// A loop that goes on while the device says so.
//: init - fill: {buffer: level, value: -1}
//: init - repeat: 100
//: init until: {buffer: changed, element: 0, value: 0}
//: init - set: {buffer: changed, value: 0}
//: init - kernel: relax
__global__ void relax(int *level, int *changed, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n && level[i] < level[i - 1] - 1) {
        level[i] = level[i - 1] - 1;
        *changed = 1;
    }
}
int main() {
    const int n = 1024;
    int *level, *changed, again;
    cudaMalloc(&level, n * sizeof(int));
    cudaMalloc(&changed, sizeof(int));
    cudaMemset(level, 0xff, n * sizeof(int));
    do {
        again = 0;
        cudaMemcpy(changed, &again, sizeof(int), cudaMemcpyHostToDevice);
        relax<<<4, 256>>>(level, changed, n);
        cudaMemcpy(&again, changed, sizeof(int), cudaMemcpyDeviceToHost);
    } while (again);
}
