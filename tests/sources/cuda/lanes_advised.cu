// Only what gains is taken apart: of vel one lane is read, pos moves whole.
//: advised k 65536: soa with vel
//: laid out k 64 with vel: soa
struct body {
    float4 pos, vel;
    int n;
};
__global__ void k(body *p) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 v = p[i].pos;
    v.x += p[i].vel.x;
    p[i].pos = v;
}
