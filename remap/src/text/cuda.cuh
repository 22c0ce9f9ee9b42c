/* The words of remapping kernels in CUDA C (kernels_text.h). */
typedef unsigned char hd_w1;
typedef unsigned short hd_w2;
typedef unsigned int hd_w4;
typedef unsigned long long hd_w8;
typedef uint4 hd_w16;
#define HD_WORDS(x, y, z, w) make_uint4(x, y, z, w)
#define HD_GLOBAL
#define HD_LOCAL
#define HD_SHARED __shared__
#define HD_INLINE static __device__ __forceinline__ __attribute__((unused))
#define HD_KERNEL extern "C" __global__ void __launch_bounds__(HD_ITEMS)
#define HD_BARRIER() __syncthreads()
#define HD_ITEM ((hd_w4)threadIdx.x)
#define HD_GROUP ((hd_w8)blockIdx.x)
