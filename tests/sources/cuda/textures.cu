// Textures are refused, and kernels without them stay.
//: headers toolkit
//: kernels plain
//: left out sampled: textures and surfaces are not supported
__global__ void sampled(cudaTextureObject_t t, float *o) { o[0] = tex2D<float>(t, 0.5f, 0.5f); }
__global__ void plain(float *o) { o[0] = 1; }
