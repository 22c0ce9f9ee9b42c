/* The words of remapping kernels in OpenCL C (kernels_text.h). PoCL 3.1 takes a wrong item's number
 * in functions that it does not inline. */
typedef uchar hd_w1;
typedef ushort hd_w2;
typedef uint hd_w4;
typedef ulong hd_w8;
typedef uint4 hd_w16;
#define HD_WORDS(x, y, z, w) ((uint4)(x, y, z, w))
#define HD_GLOBAL __global
#define HD_LOCAL __local
#define HD_SHARED __local
#define HD_INLINE static inline __attribute__((always_inline))
#define HD_KERNEL __kernel __attribute__((reqd_work_group_size(HD_ITEMS, 1, 1))) void
#define HD_BARRIER() barrier(CLK_LOCAL_MEM_FENCE)
#define HD_ITEM ((hd_w4)get_local_id(0))
#define HD_GROUP ((hd_w8)get_group_id(0))
