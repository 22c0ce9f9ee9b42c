// Inline assembly is PTX, and read as that is.
//: headers both
//: run bits 4: 11 261 4 3
//: run registers 4: 0 9 10 11
//: run memory 4: 5 6 7 8
//: run predicates 4: 7 6 7 8
//: run carries 2: 0 1
//: accesses memory: load o 4, store tile 4, load tile 4, store o 4
__device__ unsigned field(unsigned v) {
    unsigned r;
    asm("bfe.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(v), "n"(4), "r"(4));
    return r;
}
__global__ void bits(unsigned *o) {
    unsigned i = threadIdx.x, r = 0;
    if (i == 0)
        r = field(0x12b4) ;
    else if (i == 1)
        asm("bfi.b32 %0, %1, %2, 8, 8;" : "=r"(r) : "r"(1), "r"(5));
    else if (i == 2)
        asm("shr.u32 %0, %1, 3;" : "=r"(r) : "r"(32));
    else
        asm("mad.lo.u32 %0, %1, %2, %0;" : "+r"(r) : "r"(3), "r"(1));
    o[i] = r;
}
__global__ void registers(int *o) {
    int lane, other;
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
    asm volatile("shfl.sync.bfly.b32 %0, %1, 1, 0x1f, 0xf;" : "=r"(other) : "r"(lane));
    unsigned below;
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
    o[lane] = lane ? 8 + lane + ((other ^ lane) != 1) + (below >> lane) : 0;
}
__global__ void memory(int *o) {
    __shared__ int tile[4];
    int i = threadIdx.x, v, w;
    unsigned at = (unsigned)__cvta_generic_to_shared(&tile[i]);
    asm volatile("ld.global.nc.s32 %0, [%1];" : "=r"(v) : "l"(o + i));
    asm volatile("prefetch.global.L2 [%0];" ::"l"(o + i));
    asm volatile("st.shared.s32 [%0], %1;" ::"r"(at), "r"(v + 5) : "memory");
    asm volatile("bar.sync 0;");
    asm volatile("ld.shared.s32 %0, [%1];" : "=r"(w) : "r"(at));
    asm volatile("st.global.cs.s32 [%0], %1;" ::"l"(o + i), "r"(w) : "memory");
}
__global__ void predicates(int *o) {
    int i = threadIdx.x, r;
    asm("{\n\t.reg .pred p;\n\tsetp.ne.s32 p, %1, 0;\n\t@p add.s32 %0, %1, 5;\n\t@!p mov.u32 %0, 7;\n}"
        : "=r"(r) : "r"(i));
    o[i] = r;
}
__global__ void carries(unsigned *o) {
    unsigned low, high;
    asm("add.cc.u32 %0, %2, %3; addc.u32 %1, 0, 0;" : "=r"(low), "=r"(high) : "r"(~0u), "r"(1));
    o[threadIdx.x] = threadIdx.x ? high : low;
}
