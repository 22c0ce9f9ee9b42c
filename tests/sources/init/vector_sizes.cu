// Sizes of vectors.
//: init - name: d
//: init type: cell
//: init count: 2000
//: init blocks: [8]
//: init - {name: n, value: 2000}
#include <vector>
struct cell {
    float a, b;
    int id;
};
__global__ void move(cell *cells, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        cells[i].a += cells[i].b;
}
int main() {
    std::vector<cell> cells(2000);
    cell *d;
    cudaMalloc(&d, cells.size() * sizeof(cell));
    cudaMemcpy(d, cells.data(), cells.size() * sizeof(cell), cudaMemcpyHostToDevice);
    move<<<(cells.size() + 255) / 256, 256>>>(d, cells.size());
}
