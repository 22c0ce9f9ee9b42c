// bfloat16, rounded once for each operation.
//: headers both
//: run k 4: 256 1.0078125 2.5 0.333984375
#include <cuda_bf16.h>
__global__ void k(float *o) {
    __nv_bfloat16 x = __float2bfloat16(256.0f), one = __float2bfloat16(1.0f);
    __nv_bfloat162 pair = __floats2bfloat162_rn(1.5f, 2.5f);
    float values[] = {__bfloat162float(x + one),                        /* a tie, to even */
                      __bfloat162float(__float2bfloat16(1.0f + 0.006f)), /* 7 bits */
                      __bfloat162float(__hmax(pair.x, pair.y)),
                      __bfloat162float(one / __nv_bfloat16(3.0f))};
    o[threadIdx.x] = values[threadIdx.x];
}
