// Kernels that launch kernels, virtual functions and pointers to functions are refused, each by itself.
//: kernels leaf
//: left out calls: function pointers and virtual functions are not supported
//: left out shapes: function pointers and virtual functions are not supported
__global__ void leaf(int *o) { o[threadIdx.x] = 1; }
struct shape {
    __device__ virtual int area() const { return 1; }
};
__global__ void shapes(int *o, shape **s) { o[0] = s[0]->area(); }
typedef int (*binary)(int, int);
__global__ void calls(int *o, binary f) { o[0] = f(o[0], o[1]); }
