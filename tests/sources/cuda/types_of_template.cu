// A record of a template has the types of its instance.
//: fields cell<float>: x float 0 4, n unsigned int 4 4
//: header cell<float>: uint32_t n;
template <class T> struct cell {
    T x;
    unsigned n;
};
using cells = cell<float>;
__global__ void k(cells *c) {
    int i = threadIdx.x;
    c[i].x += c[i].n;
}
