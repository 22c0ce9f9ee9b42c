// Dynamic shared memory of a template's type, through the class that samples have for it.
//: headers both
//: run sum<float> 4: 6 1 2 3
//: accesses sum<double>: load o 8, store memory_of_doubles 8, load memory_of_doubles 8, load memory_of_doubles 8, store memory_of_doubles 8, load memory_of_doubles 8, store o 8
template <class T> struct shared_memory;
template <> struct shared_memory<float> {
    __device__ float *get() {
        extern __shared__ float memory_of_floats[];
        return memory_of_floats;
    }
};
template <> struct shared_memory<double> {
    __device__ double *get() {
        extern __shared__ double memory_of_doubles[];
        return memory_of_doubles;
    }
};
template <class T> __global__ void sum(T *o) {
    shared_memory<T> memory;
    T *room = memory.get();
    int i = threadIdx.x;
    room[i] = o[i];
    __syncthreads();
    for (int step = blockDim.x / 2; step > 0; step >>= 1) {
        if (i < step)
            room[i] += room[i + step];
        __syncthreads();
    }
    if (i == 0)
        o[0] = room[0];
}
template __global__ void sum<float>(float *);
template __global__ void sum<double>(double *);
