// Images of several samples are refused.
//: refused images of several samples (msaa) are not supported; read and write a __global buffer instead
kernel void k(read_only image2d_msaa_t in, global float4 *out) { out[0] = 0; }
