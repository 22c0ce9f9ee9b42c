// Atomics with a scope, and those that name an order, too.
//: headers both
//: run k 4: 4 8 7 3
__global__ void k(int *o) {
    if (threadIdx.x == 0) {
        o[0] = 0;
        o[1] = 0;
        o[2] = 2;
    }
    __syncthreads();
    atomicAdd_block(o, 1);
    __nv_atomic_fetch_add(o + 1, 2, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_BLOCK);
    int expected = 2;
    __nv_atomic_compare_exchange_n(o + 2, &expected, 7, false, __NV_ATOMIC_ACQ_REL,
                                   __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
    __nv_atomic_thread_fence(__NV_ATOMIC_SEQ_CST, __NV_THREAD_SCOPE_DEVICE);
    atomicMax_system(o + 3, __nv_atomic_load_n(o + 3, __NV_ATOMIC_ACQUIRE));
}
