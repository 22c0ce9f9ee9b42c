// Atomics of libcu++.
//: headers toolkit
//: run k 4: 12 1 2 3
#include <cuda/atomic>
__global__ void k(int *o) {
    cuda::atomic_ref<int, cuda::thread_scope_device> total(o[0]);
    total.fetch_add(3, cuda::memory_order_relaxed);
}
