// Vectors in a nested struct, and an array of vectors.
//: laid out k 64 with in in.p: soa {in.p.x,in.n}{in.p.y,v}:4
//: laid out k 64 with v v[0]: soa {v[0].x,v[0].y}{v[0].z,v[0].w,v[1],in}
struct inner {
    float2 p;
    int n;
};
struct body {
    inner in;
    float4 v[2];
};
__global__ void k(body *b) {
    int i = threadIdx.x;
    b[i].in.p.x += b[i].in.n;
    b[i].in.p.y = b[i].v[0].x;
    b[i].v[1] = b[i].v[0];
    b[i].v[0].z++;
}
