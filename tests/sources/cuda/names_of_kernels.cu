// Kernels in namespaces, in classes, with a C name, overloaded, and instances of templates.
//: headers both
//: kernels _Z4overPf, _Z4overPi, plain, math::scale<float, 2>, math::scale<double, 4>
namespace math {
template <class T, int N = 2> __global__ void scale(T *p) { p[threadIdx.x] *= N; }
}
__global__ void over(float *p) { p[0] = 1; }
__global__ void over(int *p) { p[0] = 1; }
extern "C" __global__ void plain(int *p) { p[0] = 1; }
template __global__ void math::scale<float>(float *);
void run(double *p) { math::scale<double, 4><<<1, 32>>>(p); }
