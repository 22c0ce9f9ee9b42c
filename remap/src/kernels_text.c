/* The language of the remapping kernels, in OpenCL C and in CUDA C. */
#include "remap/kernels_text.h"

/* Made from the files of text/. */
static const char opencl_words[] =
#include <opencl.inc>
    ;
static const char cuda_words[] =
#include <cuda.inc>
    ;

void remap_kernel_words(remap_kernel_writer *writer) {
    hd_str_printf(&writer->out, "#define HD_ITEMS %uu\n", writer->tuning.group);
    hd_str_add(&writer->out, writer->dialect == HD_REMAP_CUDA_C ? cuda_words : opencl_words);
}

void remap_kernel_head(remap_kernel_writer *writer) {
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

uint32_t remap_common_word(uint64_t a, uint64_t b, uint32_t most) {
    uint64_t both = a | b | most;
    return (uint32_t)(both & -both);
}

const char *remap_kernel_number(uint64_t limit) { return limit <= UINT32_MAX ? "hd_w4" : "hd_w8"; }
