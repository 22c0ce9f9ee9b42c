// Images and samplers: a read or write is an access of a texel, where it is called.
//: options -cl-std=CL1.2 --heddle-known=images=0x10b5,0x10de --heddle-known=samplers=0x14
//: kernels blur, lookup, plain, sizes
//: accesses blur: load in 16, load in 16, load in 16, store out 16
//: accesses lookup: load table 16, load y 4, store y 4
//: run plain 2: 1 2
const sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
constant sampler_t whole = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_LINEAR;
kernel void blur(__read_only image2d_t in, write_only image2d_t out) {
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    float4 sum = read_imagef(in, nearest, at - (int2)(1, 0)) + read_imagef(in, nearest, at) +
                 read_imagef(in, nearest, convert_float2(at + (int2)(1, 0)) + 0.5f);
    write_imagef(out, at, sum / 3);
}
float at(read_only image3d_t table, sampler_t s, float4 where) { return read_imagef(table, s, where).x; }
kernel void lookup(read_only image3d_t table, global float *y) {
    size_t i = get_global_id(0);
    y[i] += at(table, whole, (float4)(0.5f, 0.25f, 0.75f, 0));
}
kernel void plain(global int *y) { y[get_global_id(0)] += 1; }
kernel void sizes(read_only image2d_array_t a, sampler_t s, global float4 *y) {
    if (get_image_array_size(a) > 2 && get_image_channel_data_type(a) == CLK_FLOAT)
        y[0] = read_imagef(a, s, (float4)(0, 0, 1, 0));
}
