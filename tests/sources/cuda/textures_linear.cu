// Linear filtering: weights of 8 bits, beside the formula that CUDA documents; what lies outside of the
// texture by mirroring coordinates from 0 to 1.
//: headers both
//: values tex.width=4 tex.height=2 tex.linear=1 tex.normalized=1 tex.address=2
//: run row 8: 0.5 0 0 0.75 1.5 2.25 3 3
//: run area 8: 0 0 0 0 0 0 0 0
__global__ void row(float *o, cudaTextureObject_t tex) {
    float x = ((int)threadIdx.x - 2) * 0.75f / 4 + 0.125f;
    o[threadIdx.x] = tex2D<float>(tex, x, 0.25f);
}
__device__ int mirrored(int i, int n) { return i < 0 ? -1 - i : i >= n ? 2 * n - 1 - i : i; }
__device__ float at(int i, int j) { return mirrored(j, 2) * 4 + mirrored(i, 4); }
__global__ void area(float *o, cudaTextureObject_t tex) {
    int t = threadIdx.x, wrong = 0;
    for (int n = 0; n < 20; n++) {
        float x = (t * 37 + n * 11) % 97 / 97.0f * 1.25f, y = (t * 53 + n * 5) % 89 / 89.0f - 0.125f;
        float xb = x * 4 - 0.5f, yb = y * 2 - 0.5f;
        int i = floorf(xb), j = floorf(yb);
        float a = rintf((xb - i) * 256) / 256, b = rintf((yb - j) * 256) / 256;
        float v = (1 - a) * (1 - b) * at(i, j) + a * (1 - b) * at(i + 1, j) +
                  (1 - a) * b * at(i, j + 1) + a * b * at(i + 1, j + 1);
        wrong += fabsf(tex2D<float>(tex, x, y) - v) > 1e-5f;
    }
    o[t] = wrong;
}
