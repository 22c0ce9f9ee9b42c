// Images are refused, with the option that counts them as arrays.
//: refused images are not supported; read and write a __global buffer instead, or have images counted as arrays, for analysis only, with --options=--images-as-arrays=
kernel void k(read_only image2d_t in, global float4 *out) {
    const sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_FILTER_NEAREST;
    out[get_global_id(0)] = read_imagef(in, s, (int2)(get_global_id(0), 1));
}
