// Classes that hold pointers, by value: members, operators, iterators, inheritance without virtual functions.
//: headers both
//: accesses k: load (unknown) 4, store (unknown) 4
template <class T> class span {
    T *data_;
    int size_;

  public:
    __host__ __device__ span(T *data, int size) : data_(data), size_(size) {}
    __host__ __device__ T &operator[](int i) const { return data_[i]; }
    __host__ __device__ int size() const { return size_; }
    __host__ __device__ T *begin() const { return data_; }
    __host__ __device__ T *end() const { return data_ + size_; }
};
struct scaled : span<float> {
    float factor;
    __host__ __device__ scaled(float *p, int n, float f) : span<float>(p, n), factor(f) {}
    __device__ float at(int i) const { return (*this)[i] * factor; }
};
__global__ void k(scaled in, span<float> out) {
    int i = threadIdx.x;
    if (i < out.size())
        out[i] = in.at(i);
}
__global__ void each(span<float> all) {
    for (float &v : all)
        v = 0;
}
