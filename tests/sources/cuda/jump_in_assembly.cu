// Jumps in inline assembly are refused, and other kernels go on.
//: kernels plain
//: left out jumps: jumps and calls are not supported in inline assembly
__global__ void jumps(int *o) {
    asm volatile("{ bra done; done: }");
    o[0] = 1;
}
__global__ void plain(int *o) { o[0] = 1; }
