// Arrays that are a library's, or are given to one.
// in: Point=soa
#include <thrust/device_ptr.h>
#include <thrust/device_vector.h>
#include <thrust/iterator/transform_iterator.h>

struct Point {
    float x, y;
};

struct get_x {
    __host__ __device__ float operator()(const Point &p) const { return p.x; }
};

__global__ void k(Point *p) { p[threadIdx.x].x += 1; }

int main() {
    thrust::device_vector<Point> points(64);
    k<<<1, 64>>>(thrust::raw_pointer_cast(points.data())); //! what 'raw_pointer_cast' returns.*cudaMalloc
    Point *first = points.data().get(); //! what 'get' returns.*cudaMalloc
    k<<<1, 64>>>(first);
    Point *own;
    cudaMalloc(&own, 64 * sizeof(Point));
    k<<<1, 64>>>(own);
    auto xs = thrust::make_transform_iterator(own, get_x()); //! goes to 'make_transform_iterator'
    thrust::device_ptr<Point> wrapped(own); //! goes to 'device_ptr'
    return xs[0] > 0 && wrapped.get();
}
