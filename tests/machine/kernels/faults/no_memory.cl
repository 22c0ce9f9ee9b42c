// A kernel that has no memory at all, and writes somewhere.
// run: wild 16/16 n=100000
// fault: 6:45 store of 4 bytes at address 0x186a0, which is in no buffer
__kernel void wild(int n) {
    if (n > 3)
        *(volatile __global int *)(size_t)n = 1;
}
