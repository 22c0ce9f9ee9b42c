// device_vector of records: filled from the host's, passed by raw pointer, copied back.
// in: Point=soa
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>

#include <cstdio>

struct Point {
    float x, y, mass;
    int group;
};

__global__ void attract(Point *points, int n, float by) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        points[i].x += by * points[i].mass;
        points[i].group++;
    }
}

__global__ void weights(const Point *points, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = points[i].mass * points[i].x + points[i].y;
}

int main() {
    const int n = 100;
    thrust::host_vector<Point> host(n);
    for (int i = 0; i < n; i++)
        host[i] = Point{1.0f * i, 2, 0.5f, i % 3};
    thrust::device_vector<Point> points = host;
    thrust::device_vector<float> out(n);
    attract<<<4, 32>>>(thrust::raw_pointer_cast(points.data()), (int)points.size(), 0.5f);
    Point *raw = thrust::raw_pointer_cast(&points[0]);
    attract<<<2, 32>>>(raw + 10, 40, 1.0f);
    weights<<<4, 32>>>(raw, thrust::raw_pointer_cast(out.data()), n);
    host = points;
    thrust::host_vector<float> outs = out;
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (host[i].x + host[i].group + outs[i]) * (i + 1);
    printf("%.3f\n", sum);
    return 0;
}
