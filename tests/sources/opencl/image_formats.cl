// Of a kernel for images of any format each read has a load of each width, and each write a store.
//: kernels k
//: accesses k: load in 1, load in 2, load in 4, load in 2, load in 4, load in 8, load in 4, load in 8, load in 16, store out 1, store out 2, store out 4, store out 2, store out 4, store out 8, store out 4, store out 8, store out 16
kernel void k(read_only image2d_t in, write_only image2d_t out, sampler_t s) {
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    write_imagef(out, at, read_imagef(in, s, at));
}
