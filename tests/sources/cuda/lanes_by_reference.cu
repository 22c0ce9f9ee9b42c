// A reference that may change a vector keeps it whole.
//: laid out k 64: soa
//: not laid out k 64 with pos: 'pos' of 'body' is taken apart in this layout, so no reference can lead to it
struct body {
    float4 pos;
    int n;
};
__device__ void clear(float4 &v) { v.x = 0; }
__global__ void k(body *p) {
    clear(p[threadIdx.x].pos);
    p[threadIdx.x].n++;
}
