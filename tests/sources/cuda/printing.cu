// printf of all kinds, in the order of threads; assertions that hold.
//: headers both
//: run k 2: 0 1
//: prints 0: a 1.50 7\n1: a  2.50 007 100% ffffffff\n
#include <cassert>
#include <cstdio>
__global__ void k(int *o) {
    assert(o != nullptr && "a buffer");
    if (threadIdx.x == 0)
        printf("%d: %s %.2f %c\n", threadIdx.x, "a", 1.5f, '7');
    else
        printf("%u: %c %5.2lf %03d %d%% %llx\n", threadIdx.x, 'a', 2.5, 7, 100, 0xffffffffull);
}
