// Options of nvcc that say nothing to us are passed over; those that do are heard.
//: headers both
//: options -gencode arch=compute_86,code=sm_86 -rdc=true --expt-relaxed-constexpr -Xcompiler -Wall,-fopenmp -lineinfo -O3 --use_fast_math -maxrregcount=64 -lcublas -L/nowhere --define-macro N=3 -Xptxas -v -o a.out -c -std=c++17 -ccbin g++ -diag-suppress 177 --threads 4 -G
//: run k 1: 863
__global__ void k(int *o) {
#ifdef __CUDA_ARCH__
    o[0] = __CUDA_ARCH__ + N;
#endif
}
