// device_vectors of an instance of a template, and of what is made of it; names that macros make.
// in: Edge<float>={weight,kept}{to}
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/pair.h>

#include <cstdio>

#define VECTOR(T) thrust::device_vector<T>
#define RAW(v) thrust::raw_pointer_cast(&(v)[0])
#define DECLARE(name, n) thrust::device_vector<edge> name(n)

template <class T> struct Edge {
    T weight, kept;
    int to;
};
typedef Edge<float> edge;

template <class T> __global__ void relax(Edge<T> *edges, int n) {
    int i = threadIdx.x;
    if (i < n) {
        edges[i].weight += i;
        edges[i].to++;
    }
}

__global__ void count(thrust::pair<edge, int> *pairs, int n) {
    int i = threadIdx.x;
    if (i < n) {
        pairs[i].first.weight += i;
        pairs[i].second++;
    }
}

template <class T> struct Graph {
    thrust::device_vector<Edge<T>> edges;
    explicit Graph(size_t n) : edges(n) {}
    void run() { relax<T><<<1, 32>>>(thrust::raw_pointer_cast(edges.data()), (int)edges.size()); }
};

static void print(const thrust::host_vector<edge> &all) {
    for (size_t i = 0; i < all.size(); i++)
        printf("%g %g %d ", all[i].weight, all[i].kept, all[i].to);
    printf("\n");
}

int main() {
    thrust::device_vector<Edge<float>> first(10);
    VECTOR(edge) second(10, edge{1, 2, 3});
    VECTOR(int) numbers(10);
    DECLARE(third, 7);
    thrust::device_vector<thrust::pair<edge, int>> pairs(4);
    Graph<float> graph(5);
    graph.run();
    relax<<<1, 32>>>(RAW(first), RAW(numbers) ? (int)numbers.size() : 0);
    relax<float><<<1, 32>>>(RAW(second), 10);
    relax<<<1, 32>>>(RAW(third), 7);
    count<<<1, 32>>>(RAW(pairs), 4);
    print(first);
    print(second);
    print(third);
    print(graph.edges);
    thrust::host_vector<thrust::pair<edge, int>> counted = pairs;
    for (int i = 0; i < 4; i++)
        printf("%g %d\n", counted[i].first.weight, counted[i].second);
    return 0;
}
