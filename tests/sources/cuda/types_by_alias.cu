// Names of the file's own, by typedef or using, through several steps.
//: fields cell: mass float 0 4, energy double 8 8, rank unsigned int 16 4, rate float 20 4
//: header cell: double energy;
//: laid out k 64: soa da
//: run twice 4: 0 2 4 6
typedef float real;
using wide = double;
typedef unsigned int word;
typedef word rank_t;
template <class T> using same = T;
struct cell {
    real mass;
    wide energy;
    rank_t rank;
    same<real> rate;
};
__global__ void k(cell *c, real dt) {
    int i = threadIdx.x;
    c[i].energy += c[i].mass * dt;
    c[i].rank++;
    c[i].rate *= dt;
}
__global__ void twice(real *v) { v[threadIdx.x] *= 2; }
