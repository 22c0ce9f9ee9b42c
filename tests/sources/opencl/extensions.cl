// Extensions that compilers know or do not, and what a program asks of them.
//: kernels k
//: run k 2: 1 2
#pragma OPENCL EXTENSION cl_khr_byte_addressable_store : enable
#pragma OPENCL EXTENSION cl_nv_pragma_unroll : enable
#pragma OPENCL EXTENSION cl_amd_printf : enable
#pragma OPENCL EXTENSION cl_khr_subgroup_shuffle : enable
__attribute__((work_group_size_hint(64, 1, 1), vec_type_hint(float4))) kernel void k(
    global uchar *restrict y) {
    __attribute__((opencl_unroll_hint(4))) for (int i = 0; i < 1; i++) y[get_global_id(0)]++;
}
