// A call that fits none of the functions for images is an error without a list of them all.
//: refused no matching function for call to 'read_imagef'
kernel void k(read_only image2d_t in, global float4 *out) { out[0] = read_imagef(in, out); }
