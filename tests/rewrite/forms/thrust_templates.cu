// Templates of device_vectors, which serve records and numbers. The record stands before thrust's headers.
// in: Point=soa
struct Point {
    float x;
    int n;
};

#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>

#include <cstdio>
#include <vector>

__global__ void move(Point *points, int n) {
    int i = threadIdx.x;
    if (i < n) {
        points[i].x += i;
        points[i].n++;
    }
}

__global__ void add(float *all, int n) {
    int i = threadIdx.x;
    if (i < n)
        all[i] += i;
}

template <class T> T *raw(thrust::device_vector<T> &v) {
    return thrust::raw_pointer_cast(v.data());
}

template <typename T> const T *raw(const thrust::device_vector<T> &v) { return v.data().get(); }

template <class T> T *raw_at(thrust::device_vector<T> &v, size_t i) {
    return thrust::raw_pointer_cast(&v[0]) + i;
}

template <class T> struct Buffer {
    thrust::device_vector<T> device;
    thrust::host_vector<T> host;
    explicit Buffer(size_t n) : device(n), host(n) {}
    T *raw() { return thrust::raw_pointer_cast(device.data()); }
    void upload() { device = host; }
    void download() { host = device; }
};

template <class T, class U>
void exchange(thrust::device_vector<T> &a, thrust::device_vector<T> &b,
              const thrust::device_vector<U> &grow) {
    thrust::device_vector<T> kept = a;
    kept.resize(kept.size() + grow.size());
    a = b;
    b = kept;
}

template <class T> thrust::device_vector<T> upload(const std::vector<T> &h) {
    return thrust::device_vector<T>(h.begin(), h.end());
}

template <class V> void print(const char *what, const V &v) { printf("%s %zu\n", what, v.size()); }

int main() {
    thrust::device_vector<Point> d(10), e(20, Point{1, 1});
    thrust::device_vector<float> f(10, 1.0f);
    move<<<1, 32>>>(raw(d), 10);
    add<<<1, 32>>>(raw(f), 10);
    move<<<1, 32>>>(raw_at(d, 2), 5);
    exchange(d, e, f);
    Buffer<Point> points(12);
    Buffer<float> numbers(12);
    for (int i = 0; i < 12; i++) {
        points.host[i] = Point{i * 1.f, i};
        numbers.host[i] = i;
    }
    points.upload();
    numbers.upload();
    move<<<1, 32>>>(points.raw(), 12);
    add<<<1, 32>>>(numbers.raw(), 12);
    points.download();
    numbers.download();
    thrust::device_vector<Point> u = upload(std::vector<Point>(4, Point{3, 3}));
    thrust::device_vector<float> uf = upload(std::vector<float>(4, 3));
    move<<<1, 32>>>(raw<Point>(u), 4);
    print("points", d);
    print("numbers", f);
    thrust::host_vector<Point> of_e = e, of_u = u;
    for (int i = 0; i < 12; i++)
        printf("%g %d %g\n", points.host[i].x, points.host[i].n, numbers.host[i]);
    for (const Point &p : of_e)
        printf("%g %d ", p.x, p.n);
    for (const Point &p : of_u)
        printf("%g %d ", p.x, p.n);
    printf("%g %g\n", (float)f[3], (float)uf[1]);
    return 0;
}
