// In OpenCL C, too, a kernel that does not compile leaves the others.
//: kernels good
//: left out bad: use of undeclared identifier 'undefined_thing'
//: left out image: images are not supported
//: run good 4: 1 2 3 4
kernel void bad(global int *p) { p[0] = undefined_thing; }
kernel void good(global int *p) { p[get_global_id(0)] += 1; }
kernel void image(read_only image2d_t i, global int *p) { p[0] = get_image_width(i); }
