// A picture at half its size: every texel is the mean of four, looked up in a table. By a texture, a
// texture of memory, and a surface.
#include "check.h"

static const int WIDE = 64, HIGH = 48, GREYS = 256;

__global__ void shrink(cudaTextureObject_t picture, cudaTextureObject_t table,
                       cudaSurfaceObject_t small) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= WIDE / 2)
        return;
    float4 mean = tex2D<float4>(picture, 2 * x + 1, 2 * y + 1);
    unsigned char r = tex1Dfetch<unsigned char>(table, (int)(mean.x * 255 + 0.5f));
    unsigned char g = tex1Dfetch<unsigned char>(table, (int)(mean.y * 255 + 0.5f));
    surf2Dwrite(make_uchar4(r, g, (unsigned char)x, (unsigned char)y), small, x * 4, y);
}

static unsigned char channel(int x, int y, int k) {
    return (unsigned char)(x * 7 + y * y * 3 + k * 50);
}

int main() {
    static uchar4 picture[HIGH][WIDE], got[HIGH / 2][WIDE / 2];
    unsigned char table[GREYS], *table_there;
    for (int i = 0; i < GREYS; i++)
        table[i] = (unsigned char)(255 - i / 2);
    for (int y = 0; y < HIGH; y++)
        for (int x = 0; x < WIDE; x++)
            picture[y][x] =
                make_uchar4(channel(x, y, 0), channel(x, y, 1), channel(x, y, 2), channel(x, y, 3));
    cudaChannelFormatDesc colours =
        cudaCreateChannelDesc(8, 8, 8, 8, cudaChannelFormatKindUnsigned);
    cudaArray_t large, small;
    CUDA(cudaMallocArray(&large, &colours, WIDE, HIGH));
    CUDA(cudaMallocArray(&small, &colours, WIDE / 2, HIGH / 2, cudaArraySurfaceLoadStore));
    CUDA(cudaMemcpy2DToArray(large, 0, 0, picture, sizeof picture[0], sizeof picture[0], HIGH,
                             cudaMemcpyHostToDevice));
    CUDA(cudaMalloc(&table_there, sizeof table));
    CUDA(cudaMemcpy(table_there, table, sizeof table, cudaMemcpyHostToDevice));

    cudaResourceDesc what = {};
    cudaTextureDesc how = {};
    cudaTextureObject_t texture, of_table;
    cudaSurfaceObject_t surface;
    what.resType = cudaResourceTypeArray;
    what.res.array.array = large;
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
    how.filterMode = cudaFilterModeLinear;
    how.readMode = cudaReadModeNormalizedFloat;
    CUDA(cudaCreateTextureObject(&texture, &what, &how, nullptr));
    what.res.array.array = small;
    CUDA(cudaCreateSurfaceObject(&surface, &what));
    what = {};
    what.resType = cudaResourceTypeLinear;
    what.res.linear.devPtr = table_there;
    what.res.linear.desc = cudaCreateChannelDesc(8, 0, 0, 0, cudaChannelFormatKindUnsigned);
    what.res.linear.sizeInBytes = sizeof table;
    how = {};
    CUDA(cudaCreateTextureObject(&of_table, &what, &how, nullptr));

    shrink<<<dim3(1, HIGH / 2), WIDE / 2>>>(texture, of_table, surface);
    CUDA(cudaMemcpy2DFromArray(got, sizeof got[0], small, 0, 0, sizeof got[0], HIGH / 2,
                               cudaMemcpyDeviceToHost));
    for (int y = 0; y < HIGH / 2; y++)
        for (int x = 0; x < WIDE / 2; x++) {
            int sums[2] = {0, 0};
            for (int i = 0; i < 4; i++)
                for (int k = 0; k < 2; k++)
                    sums[k] += channel(2 * x + i % 2, 2 * y + i / 2, k);
            uchar4 is = got[y][x];
            // Halves may go either way, since the mean is a float.
            for (int k = 0; k < 2; k++) {
                unsigned char value = k ? is.y : is.x;
                CHECK(value == table[(sums[k] + 1) / 4] || value == table[(sums[k] + 2) / 4]);
            }
            CHECK(is.z == x && is.w == y);
        }
    CUDA(cudaDestroyTextureObject(texture));
    CUDA(cudaDestroyTextureObject(of_table));
    CUDA(cudaDestroySurfaceObject(surface));
    CUDA(cudaFreeArray(large));
    CUDA(cudaFreeArray(small));
    CUDA(cudaFree(table_there));
    return DONE;
}
