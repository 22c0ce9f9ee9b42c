// Predicated accesses and jumps within one statement of inline assembly; calls are refused.
//: headers both
//: kernels guarded, loops, both_ways
//: left out leaves: calls and returns are not supported in inline assembly
//: accesses guarded: load o 4, store o 4, store o 4
//: run guarded 4: 1 1 2 30
//: run loops 5: 0 1 3 6 10
//: run both_ways 4: 0 10 102 103
__global__ void guarded(int *o) {
    int i = threadIdx.x, v = i;
    asm volatile("{\n\t.reg .pred p;\n\tsetp.eq.s32 p, %1, 3;\n\t@p ld.global.s32 %0, [%2];\n\t"
                 "@p mul.lo.s32 %0, %0, 10;\n\t@!p max.s32 %0, %0, 1;\n\t"
                 "@p st.global.s32 [%2], %0;\n\t}"
                 : "+r"(v) : "r"(i), "l"(o + i) : "memory");
    if (v < 30)
        asm volatile("{ .reg .pred p; setp.lt.s32 p, %0, 3; @p st.global.s32 [%1], %2; }" ::"r"(i),
                     "l"(o + i), "r"(v));
}
__global__ void loops(int *o) {
    int sum = 0;
    for (int twice = 0; twice < 2; twice++)
        asm volatile("{\n\t.reg .pred p;\n\t.reg .s32 n;\n\tmov.s32 n, %1;\n\tmov.s32 %0, 0;\n"
                     "$again%=:\n\tsetp.le.s32 p, n, 0;\n\t@p bra $done%=;\n\t"
                     "add.s32 %0, %0, n;\n\tsub.s32 n, n, 1;\n\tbra $again%=;\n$done%=:\n\t}"
                     : "=r"(sum) : "r"(threadIdx.x));
    o[threadIdx.x] = sum;
}
__global__ void both_ways(int *o) {
    int i = threadIdx.x, r;
    asm("{ .reg .pred p; setp.gt.s32 p, %1, 1; @p bra more; mul.lo.s32 %0, %1, 10; bra done;\n"
        "more: add.s32 %0, %1, 100;\ndone: }" : "=r"(r) : "r"(i));
    o[i] = r;
}
__global__ void leaves(int *o) {
    asm volatile("ret;");
    o[0] = 1;
}
