// Rows of an image, each as long as whole segments.
//: init - name: pixels
//: init count: 6400
//: init blocks: [7, 4]
//: init threads: [16, 16]
//: init - {name: pitch, value: 512}
__global__ void shade(float *pixels, size_t pitch, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        ((float *)((char *)pixels + y * pitch))[x] = 1;
}
int main() {
    const int width = 100, height = 50;
    float *pixels;
    size_t pitch;
    cudaMallocPitch(&pixels, &pitch, width * sizeof(float), height);
    shade<<<dim3(7, 4), dim3(16, 16)>>>(pixels, pitch, width, height);
}
