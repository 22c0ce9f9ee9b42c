// fails: 11 p[threadIdx.x] < limit
//
// An assertion that does not hold in thread 5 ends the run.
#include <cassert>

struct bounds { int limit; };

__global__ void check(int *p, bounds b) {
    int limit = b.limit;
    p[threadIdx.x] = threadIdx.x;
    assert(p[threadIdx.x] < limit);
    p[threadIdx.x] = 100;
}
