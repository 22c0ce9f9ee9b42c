// A struct of 97 fields by value, beside vectors by value: only read, so no record to lay out.
//: headers both
//: accesses k: store o 4
#define FIVE(name) float name##0, name##1, name##2, name##3, name##4;
#define TWENTY(name) FIVE(name##a) FIVE(name##b) FIVE(name##c) FIVE(name##d)
struct settings {
    TWENTY(a) TWENTY(b) TWENTY(c) TWENTY(d)
    FIVE(e) FIVE(f) FIVE(g)
    int n, m;
};
static_assert(sizeof(settings) == 97 * 4, "97 fields");
__global__ void k(float *o, settings s, float4 scale, double2 shift) {
    if (threadIdx.x < s.n)
        o[threadIdx.x] = s.aa0 * scale.w + s.g4 + shift.y;
}
