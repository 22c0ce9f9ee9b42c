/* The language of the remapping kernels, in OpenCL C and in CUDA C. */
#include "remap/kernels_text.h"

/* PoCL 3.1 takes a wrong item's number in functions that it does not inline. */
static const char opencl_words[] =
    "typedef uchar hd_w1;\n"
    "typedef ushort hd_w2;\n"
    "typedef uint hd_w4;\n"
    "typedef ulong hd_w8;\n"
    "typedef uint4 hd_w16;\n"
    "#define HD_WORDS(x, y, z, w) ((uint4)(x, y, z, w))\n"
    "#define HD_GLOBAL __global\n"
    "#define HD_LOCAL __local\n"
    "#define HD_SHARED __local\n"
    "#define HD_INLINE static inline __attribute__((always_inline))\n"
    "#define HD_KERNEL __kernel __attribute__((reqd_work_group_size(HD_ITEMS, 1, 1))) void\n"
    "#define HD_BARRIER() barrier(CLK_LOCAL_MEM_FENCE)\n"
    "#define HD_ITEM ((hd_w4)get_local_id(0))\n"
    "#define HD_GROUP ((hd_w8)get_group_id(0))\n";

static const char cuda_words[] =
    "typedef unsigned char hd_w1;\n"
    "typedef unsigned short hd_w2;\n"
    "typedef unsigned int hd_w4;\n"
    "typedef unsigned long long hd_w8;\n"
    "typedef uint4 hd_w16;\n"
    "#define HD_WORDS(x, y, z, w) make_uint4(x, y, z, w)\n"
    "#define HD_GLOBAL\n"
    "#define HD_LOCAL\n"
    "#define HD_SHARED __shared__\n"
    "#define HD_INLINE static __device__ __forceinline__ __attribute__((unused))\n"
    "#define HD_KERNEL extern \"C\" __global__ void __launch_bounds__(HD_ITEMS)\n"
    "#define HD_BARRIER() __syncthreads()\n"
    "#define HD_ITEM ((hd_w4)threadIdx.x)\n"
    "#define HD_GROUP ((hd_w8)blockIdx.x)\n";

void hd_kernel_words(hd_kernel_writer *writer) {
    hd_str_printf(&writer->out, "#define HD_ITEMS %uu\n", writer->tuning.group);
    hd_str_add(&writer->out, writer->dialect == HD_REMAP_CUDA_C ? cuda_words : opencl_words);
}

void hd_kernel_head(hd_kernel_writer *writer) {
    const char *device = writer->back ? "const " : "", *staging = writer->back ? "" : "const ";
    const uint32_t number_bytes =
        hd_remap_units_of(writer->map, writer->back ? HD_REMAP_FROM_DEVICE : HD_REMAP_TO_DEVICE)
            .number_bytes;
    hd_str *out = &writer->out;
    hd_str_add(out, "\nHD_KERNEL " HD_REMAP_KERNEL "(");
    for (uint32_t p = 0; p < writer->map->parts; p++)
        hd_str_printf(out, "HD_GLOBAL %shd_w1 *part%u, ", device, p);
    hd_str_printf(out, "HD_GLOBAL %shd_w1 *staging,\n    ", staging);
    if (number_bytes)
        hd_str_printf(out, "HD_GLOBAL const hd_w%u *numbers, ", number_bytes);
    hd_str_add(out, "hd_w8 first, hd_w8 count) {\n");
}

uint32_t hd_common_word(uint64_t a, uint64_t b, uint32_t most) {
    uint64_t both = a | b | most;
    return (uint32_t)(both & -both);
}

const char *hd_kernel_number(uint64_t limit) { return limit <= UINT32_MAX ? "hd_w4" : "hd_w8"; }
