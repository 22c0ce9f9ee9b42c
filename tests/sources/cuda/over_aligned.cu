// Structs that are aligned to more than their fields are.
//: fields node: next int 0 4, key float 4 4, tag char 8 1, far double 64 8
//: laid out k 64: aos soa aosoa:4 {next,key}{tag,far}
//: laid out m 64: aos soa
struct alignas(128) node {
    int next;
    float key;
    char tag;
    alignas(64) double far;
};
struct __align__(16) six {
    float a[6];
};
__global__ void k(node *p) {
    int i = threadIdx.x;
    p[i].key += p[i ^ 1].far;
    p[i].tag = p[i].next;
}
__global__ void m(six *p) { p[threadIdx.x].a[2] += p[threadIdx.x].a[3]; }
