// Templates over scalars and functors, instances that are asked for, methods, namespaces.
namespace model {
struct cell {
    float v[3];
    int kind;
    double weight;
    __device__ float sum() const { return v[0] + v[1] + v[2]; }
};

struct Twice {
    float by;
    __device__ float operator()(float a) const { return by * a; }
};

template <class T> __device__ T scaled(const cell *c, T by) { return (T)(c->weight * by); }
} // namespace model
using namespace model;

template <class T, class F>
__global__ void apply(cell *__restrict__ cells, T *out, F f, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    T at = 1;
    out[i] = f(cells[i].v[at > 0 ? 1 : 0]) + cells[i].sum() + scaled(cells + i, out[i]);
    cells[i].v[2] = f(cells[n - 1 - i].weight);
    auto add = [=](int k) { return cells[i].v[k] + k; };
    cells[i].kind = (int)add(0);
}

template <int STEP> __global__ void thin(const cell *cells, cell *kept, int n) {
    int i = threadIdx.x;
    if (i * STEP < n)
        kept[i] = cells[i * STEP];
    else
        kept[i] = cell{{1, 2, 3}, i, 4};
    cell other = kept[i], more(cells[0]);
    other.kind += more.kind;
    kept[i] = other;
}

template __global__ void apply<float, Twice>(cell *__restrict__, float *, Twice, int);
template __global__ void apply<int, Twice>(model::cell *, int *out, Twice, int n);
template __global__ void thin<2>(const cell *, cell *kept, int);
