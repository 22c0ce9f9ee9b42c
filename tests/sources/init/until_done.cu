// A flag that ends a loop when it is set, and one that is compared.
//: init until: {buffer: done, element: 0, value: 1}
//: init until: {buffer: left, element: 0, value: 3}
__global__ void look(int *done) { *done = 1; }
__global__ void count(int *left) { --*left; }
int main() {
    int *done, *left, stop = 0, remaining = 10;
    cudaMalloc(&done, sizeof(int));
    cudaMalloc(&left, sizeof(int));
    cudaMemcpy(left, &remaining, sizeof(int), cudaMemcpyHostToDevice);
    while (!stop) {
        look<<<1, 1>>>(done);
        cudaMemcpy(&stop, done, sizeof(int), cudaMemcpyDeviceToHost);
    }
    while (remaining != 3) {
        count<<<1, 1>>>(left);
        cudaMemcpy(&remaining, left, sizeof(int), cudaMemcpyDeviceToHost);
    }
}
