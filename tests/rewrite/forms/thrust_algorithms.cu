// Algorithms of thrust over an array of records, which read their bytes.
// in: Point=soa
#include <thrust/device_vector.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/sort.h>
#include <thrust/transform_reduce.h>

struct Point {
    float x, y;
};

struct get_x {
    __host__ __device__ float operator()(const Point &p) const { return p.x; }
};
struct less_x {
    __host__ __device__ bool operator()(const Point &a, const Point &b) const { return a.x < b.x; }
};

__global__ void k(Point *p) { p[threadIdx.x].x += 1; }

int main() {
    thrust::device_vector<Point> points(64);
    k<<<1, 64>>>(thrust::raw_pointer_cast(points.data()));
    float sum = thrust::transform_reduce(points.begin(), points.end(), get_x(), 0.0f, //! x
                                         thrust::plus<float>());
    thrust::sort(points.begin(), points.end(), less_x()); //! x
    points[3] = Point{1, 2}; //! x
    points.push_back(Point{1, 2}); //! x
    return sum > 0;
}
