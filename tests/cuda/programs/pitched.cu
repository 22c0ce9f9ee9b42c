// Rows and planes that are longer than their contents.
#include "check.h"

__global__ void fill(char *base, size_t pitch, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x < width && y < height)
        ((float *)(base + y * pitch))[x] = 100 * y + x;
}

int main() {
    const int width = 50, height = 20, depth = 3;
    static float host[depth][height][width];
    char *plane;
    size_t pitch;
    CUDA(cudaMallocPitch(&plane, &pitch, width * sizeof(float), height));
    CHECK(pitch >= width * sizeof(float));
    fill<<<dim3(2, height), 32>>>(plane, pitch, width, height);
    CUDA(cudaMemcpy2D(host[0], width * sizeof(float), plane, pitch, width * sizeof(float), height,
                      cudaMemcpyDeviceToHost));
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            CHECK(host[0][y][x] == 100 * y + x);
    cudaPitchedPtr box;
    cudaExtent extent = make_cudaExtent(width * sizeof(float), height, depth);
    CUDA(cudaMalloc3D(&box, extent));
    for (int z = 0; z < depth; z++)
        fill<<<dim3(2, height), 32>>>((char *)box.ptr + z * height * box.pitch, box.pitch, width,
                                      height - z);
    CUDA(cudaMemset3D(make_cudaPitchedPtr((char *)box.ptr + 5 * box.pitch, box.pitch, box.xsize,
                                          box.ysize),
                      0, make_cudaExtent(8, 1, 2)));
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = box;
    copy.dstPtr = make_cudaPitchedPtr(host, width * sizeof(float), width, height);
    copy.extent = extent;
    copy.kind = cudaMemcpyDeviceToHost;
    CUDA(cudaMemcpy3D(&copy));
    for (int z = 0; z < depth; z++)
        for (int y = 0; y < height - z; y++)
            for (int x = 0; x < width; x++)
                CHECK(host[z][y][x] == (z < 2 && y == 5 && x < 2 ? 0 : 100 * y + x));
    return DONE;
}
