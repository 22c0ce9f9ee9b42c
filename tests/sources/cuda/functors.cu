// Function objects and lambdas of the device as template arguments, generic ones, too.
//: headers both
//: options -std=c++17
//: run k 4: 1 3 5 7
//: run generic 4: 3 4 5 6
struct doubled {
    __device__ int operator()(int x) const { return 2 * x; }
};
template <class F, class G> struct composed {
    F f;
    G g;
    __device__ auto operator()(int x) const { return f(g(x)); }
};
struct next {
    int by = 1;
    __device__ int operator()(int x) const { return x + by; }
};
template <class F> __device__ void apply(int *p, F f) { *p = f(*p); }
__global__ void k(int *o) { apply(o + threadIdx.x, composed<next, doubled>()); }
__global__ void generic(float *o) {
    auto add = [](auto a, auto b) { return a + b; };
    float three = 3;
    auto more = [&](float x) { return add(x, three); };
    o[threadIdx.x] = more(o[threadIdx.x]);
}
