// Textures by object: a kernel reads the array behind them, which a job gives with what else is known of
// it; surfaces, and textures out of structs, are refused.
//: headers both
//: kernels fetch, nearest, lines, pairs, either
//: left out surfaces: surfaces are not supported
//: left out inside: this texture is not a parameter of the kernel by itself
//: left out layered: of textures tex1Dfetch, tex1D, tex2D and tex3D are supported
//: accesses fetch: load tex 4, load o 4, store o 4
//: accesses nearest: load tex 4, store o 4
//: accesses lines: load tex 4, store o 1
//: accesses pairs: load tex 16, store o 16
//: accesses either: load tex 8, store o 4, load tex 4, store o 4
//: run fetch 4: 0 2 4 6
//: run nearest 4: 0 1 2 3
__global__ void fetch(float *o, cudaTextureObject_t tex) {
    int i = threadIdx.x;
    o[i] = tex1Dfetch<float>(tex, i) + o[i];
}
__global__ void nearest(float *o, cudaTextureObject_t tex) {
    int x = threadIdx.x, y = threadIdx.y;
    o[y * blockDim.x + x] = tex2D<float>(tex, x + 0.5f, y + 0.5f);
}
__global__ void lines(unsigned char *o, cudaTextureObject_t tex) {
    uchar4 v = tex1D<uchar4>(tex, threadIdx.x / 4.0f);
    o[threadIdx.x] = v.x + v.w;
}
__global__ void pairs(float4 *o, cudaTextureObject_t tex, float z) {
    if (tex)
        o[threadIdx.x] = tex3D<float4>(tex, threadIdx.x, threadIdx.y, z);
}
__global__ void either(float *o, cudaTextureObject_t tex, int pairs) {
    int i = threadIdx.x;
    if (pairs) {
        float2 pair = tex1Dfetch<float2>(tex, i);
        o[i] = pair.x + pair.y;
    } else {
        o[i] = tex1Dfetch<float>(tex, i);
    }
}
__global__ void layered(float *o, cudaTextureObject_t tex) {
    o[threadIdx.x] = tex2DLayered<float>(tex, 0.5f, 0.5f, 1);
}
struct images {
    cudaTextureObject_t first, second;
};
__global__ void inside(float *o, images all) {
    o[threadIdx.x] = tex1Dfetch<float>(all.second, threadIdx.x);
}
__global__ void surfaces(float *o, cudaSurfaceObject_t s) {
    surf2Dwrite(surf2Dread<float>(s, 0, 0) + o[0], s, 4, 0);
}
