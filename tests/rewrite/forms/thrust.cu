// What thrust does with device_vectors of records on the device, and arrays that are given to it.
// in: Point=soa
#include <thrust/device_malloc.h>
#include <thrust/device_ptr.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/fill.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/sort.h>
#include <thrust/transform.h>

#include <vector>

struct Point {
    float x, y;
};

struct get_x {
    __host__ __device__ float operator()(const Point &p) const { return p.x; }
};

struct left_of {
    __host__ __device__ bool operator()(const Point &a, const Point &b) const { return a.x < b.x; }
};

__global__ void k(Point *p) { p[threadIdx.x].x += 1; }

__global__ void k_of_thrust(thrust::device_ptr<Point> p) { //! 'p' brings places in a device_vector of 'Point' to the device.*'Point \*'
    p.get()[threadIdx.x].x += 1;
}

template <class T> void grow(thrust::device_vector<T> &all) {
    all.resize(2 * all.size());
    thrust::fill(all.begin(), all.end(), T()); //! 'fill' is called here for every type of a template.*'Point'
}

template <class T> struct Buffer {
    thrust::device_vector<T> data;
    void clear() { thrust::fill(data.begin(), data.end(), T()); } //! 'fill' is called here for every type of a template
};

int main() {
    thrust::device_vector<Point> points(64), more(64, Point{1, 2});
    thrust::device_vector<float> xs(64);
    k<<<1, 64>>>(thrust::raw_pointer_cast(points.data()));
    thrust::sort(points.begin(), points.end(), left_of()); //! device_vector of 'Point' goes to 'sort'.*kernel.*counting_iterator.*host_vector
    thrust::transform(points.begin(), points.end(), xs.begin(), get_x()); //! goes to 'transform'
    Point *most = thrust::raw_pointer_cast(&*thrust::max_element(points.begin(), points.end(), left_of())); //! goes to 'max_element'
    auto of_x = thrust::make_transform_iterator(points.begin(), get_x()); //! goes to 'make_transform_iterator'
    thrust::copy(of_x, of_x + 64, xs.begin()); //! goes to 'copy' here.*iterators of vectors
    thrust::copy(thrust::device, more.begin(), more.end(), points.begin()); //! goes to 'copy' here.*without a policy
    thrust::device_vector<Point> again(points, points.get_allocator()); //! 'device_vector' of thrust's, as it is called here
    points.insert(points.begin(), Point{1, 1}); //! 'insert' of thrust's.*laid-out records 'Point'
    thrust::host_vector<Point> host(points.begin(), points.end()); //! goes to 'host_vector'.*thrust::copy\(\)
    std::vector<Point> standard(points.begin(), points.end()); //! goes to 'vector'
    Point &first = thrust::raw_reference_cast(points[0]); //! goes to 'raw_reference_cast'
    auto memory = thrust::device_malloc<Point>(8); //! 'device_malloc' gives memory for 'Point' that is not laid out.*cudaMalloc
    grow(points);
    grow(xs);
    Buffer<Point> buffer;
    Buffer<float> numbers;
    k_of_thrust<<<1, 64>>>(points.data());

    Point *own;
    cudaMalloc(&own, 64 * sizeof(Point));
    k<<<1, 64>>>(own);
    auto own_xs = thrust::make_transform_iterator(own, get_x()); //! goes to 'make_transform_iterator'
    thrust::device_ptr<Point> wrapped(own); //! goes to 'device_ptr'
    return own_xs[0] > 0 && wrapped.get() && most && memory.get() && &first && host.size() && standard.size();
}
