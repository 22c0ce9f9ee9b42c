// A file of which no kernel stays is an error, and the reason is the kernel's.
//: refused 6: use of undeclared identifier 'nothing'
#include "missing_header.h"

__global__ void only(int *p) {
    p[0] = nothing;
}
