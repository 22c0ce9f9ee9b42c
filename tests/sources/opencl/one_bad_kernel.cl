// In OpenCL C, too, a kernel that does not compile leaves the others.
//: kernels good
//: left out bad: use of undeclared identifier 'undefined_thing'
//: left out piped: pipes are not supported
//: run good 4: 1 2 3 4
kernel void bad(global int *p) { p[0] = undefined_thing; }
kernel void good(global int *p) { p[get_global_id(0)] += 1; }
kernel void piped(global int *p, read_only pipe int q) { p[0] = get_pipe_num_packets(q); }
