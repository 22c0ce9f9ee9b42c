// A heat solve on an unstructured mesh: nodes, edges and elements, three records that kernels use.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#define CUDA_SAFE_CALL(x)                                                                          \
    do {                                                                                           \
        cudaError_t status_ = (x);                                                                 \
        if (status_ != cudaSuccess) {                                                              \
            fprintf(stderr, "%s failed in %s:%d: %s\n", #x, __FILE__, __LINE__,                    \
                    cudaGetErrorName(status_));                                                    \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

struct Node {
    double temperature;
    double flux;
    float x, y;
    float capacity;
    int boundary;
};

struct Edge {
    int a, b;
    float length;
    float conductivity;
};

struct Element {
    int nodes[4];
    float area;
    double heat;
};

constexpr int THREADS = 64;

__global__ void edgeFluxes(const Edge *__restrict__ edges, int edgeCount,
                           const Node *__restrict__ nodes, double *fluxes) {
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= edgeCount)
        return;
    const Edge edge = edges[e];
    double drop = nodes[edge.b].temperature - nodes[edge.a].temperature;
    fluxes[e] = edge.conductivity * drop / edge.length;
}

__global__ void gather(Node *nodes, int nodeCount, const Edge *edges, const double *fluxes,
                       const int *first, const int *list) {
    int n = blockIdx.x * blockDim.x + threadIdx.x;
    if (n >= nodeCount)
        return;
    double sum = 0;
    for (int k = first[n]; k < first[n + 1]; k++)
        sum += edges[list[k]].a == n ? fluxes[list[k]] : -fluxes[list[k]];
    nodes[n].flux = sum;
}

__global__ void update(Node *nodes, int nodeCount, double dt) {
    int n = blockIdx.x * blockDim.x + threadIdx.x;
    if (n < nodeCount && !nodes[n].boundary)
        nodes[n].temperature += dt * nodes[n].flux / nodes[n].capacity;
}

__global__ void elementHeat(Element *elements, int elementCount, const Node *nodes) {
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= elementCount)
        return;
    double mean = 0;
    for (int k = 0; k < 4; k++)
        mean += nodes[elements[e].nodes[k]].temperature;
    elements[e].heat = 0.25 * mean * elements[e].area;
}

int main(int argc, char **argv) {
    const int w = argc > 1 ? atoi(argv[1]) : 18, h = argc > 2 ? atoi(argv[2]) : 15;
    const int nodeCount = w * h, elementCount = (w - 1) * (h - 1);
    const int edgeCount = (w - 1) * h + w * (h - 1);
    Node *nodes = new Node[nodeCount];
    Edge *edges = new Edge[edgeCount];
    Element *elements = new Element[elementCount];
    int *first = new int[nodeCount + 1], *list = new int[2 * edgeCount];

    for (int i = 0; i < nodeCount; i++) {
        int x = i % w, y = i / w;
        bool boundary = x == 0 || x == w - 1;
        nodes[i] = {x == 0 ? 100.0 : 20.0, 0.0, x * 0.1f, y * 0.1f, 1.0f + (i % 3), boundary};
    }
    int count = 0;
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            int i = y * w + x;
            if (x + 1 < w)
                edges[count++] = {i, i + 1, 0.1f, 1.0f + (y % 2)};
            if (y + 1 < h)
                edges[count++] = {i, i + w, 0.1f, 0.5f};
        }
    for (int e = 0; e < elementCount; e++) {
        int i = e / (w - 1) * w + e % (w - 1);
        Element element = {{i, i + 1, i + w + 1, i + w}, 0.01f, 0.0};
        memcpy(&elements[e], &element, sizeof element);
    }
    first[0] = 0;
    for (int n = 0, at = 0; n < nodeCount; n++) {
        for (int e = 0; e < edgeCount; e++)
            if (edges[e].a == n || edges[e].b == n)
                list[at++] = e;
        first[n + 1] = at;
    }

    Node *d_nodes;
    Edge *d_edges;
    Element *d_elements;
    double *d_fluxes;
    int *d_first, *d_list;
    CUDA_SAFE_CALL(cudaMalloc((void **)&d_nodes, nodeCount * sizeof(Node)));
    CUDA_SAFE_CALL(cudaMalloc((void **)&d_edges, edgeCount * sizeof(Edge)));
    CUDA_SAFE_CALL(cudaMalloc((void **)&d_elements, elementCount * sizeof(Element)));
    CUDA_SAFE_CALL(cudaMalloc((void **)&d_fluxes, edgeCount * sizeof(double)));
    CUDA_SAFE_CALL(cudaMalloc((void **)&d_first, (nodeCount + 1) * sizeof(int)));
    CUDA_SAFE_CALL(cudaMalloc((void **)&d_list, 2 * edgeCount * sizeof(int)));
    CUDA_SAFE_CALL(cudaMemcpy(d_nodes, nodes, nodeCount * sizeof(Node), cudaMemcpyHostToDevice));
    CUDA_SAFE_CALL(cudaMemcpy(d_edges, edges, edgeCount * sizeof(Edge), cudaMemcpyHostToDevice));
    CUDA_SAFE_CALL(
        cudaMemcpy(d_elements, elements, elementCount * sizeof(Element), cudaMemcpyHostToDevice));
    CUDA_SAFE_CALL(
        cudaMemcpy(d_first, first, (nodeCount + 1) * sizeof(int), cudaMemcpyHostToDevice));
    CUDA_SAFE_CALL(cudaMemcpy(d_list, list, 2 * edgeCount * sizeof(int), cudaMemcpyHostToDevice));

    const int nodeBlocks = (nodeCount + THREADS - 1) / THREADS;
    for (int step = 0; step < 10; step++) {
        edgeFluxes<<<(edgeCount + THREADS - 1) / THREADS, THREADS>>>(d_edges, edgeCount, d_nodes,
                                                                     d_fluxes);
        gather<<<nodeBlocks, THREADS>>>(d_nodes, nodeCount, d_edges, d_fluxes, d_first, d_list);
        update<<<nodeBlocks, THREADS>>>(d_nodes, nodeCount, 0.01);
    }
    elementHeat<<<(elementCount + THREADS - 1) / THREADS, THREADS>>>(d_elements, elementCount,
                                                                     d_nodes);
    CUDA_SAFE_CALL(cudaGetLastError());
    CUDA_SAFE_CALL(cudaMemcpy(nodes, d_nodes, nodeCount * sizeof(Node), cudaMemcpyDeviceToHost));
    CUDA_SAFE_CALL(
        cudaMemcpy(elements, d_elements, elementCount * sizeof(Element), cudaMemcpyDeviceToHost));

    double heat = 0, temperature = 0;
    for (int e = 0; e < elementCount; e++)
        heat += elements[e].heat;
    for (int n = 0; n < nodeCount; n++)
        temperature += nodes[n].temperature * nodes[n].capacity;
    printf("%d nodes, %d edges, %d elements\n", nodeCount, edgeCount, elementCount);
    printf("heat %.8f\nweighted temperature %.6f\n", heat, temperature);
    for (int x = 0; x < w; x += 4)
        printf("T(%.1f) = %.6f\n", nodes[w + x].x, nodes[w + x].temperature);

    cudaFree(d_nodes);
    cudaFree(d_edges);
    cudaFree(d_elements);
    cudaFree(d_fluxes);
    cudaFree(d_first);
    cudaFree(d_list);
    delete[] nodes;
    delete[] edges;
    delete[] elements;
    delete[] first;
    delete[] list;
    return 0;
}
