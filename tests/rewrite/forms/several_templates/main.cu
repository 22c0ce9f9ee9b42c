// A template that one file instantiates, for another that calls it with managed memory.
// in: Node<float>=soa
#include <cstdio>

#include "vec.h"

int main() {
    Node<float> *nodes = nullptr;
    const int n = 80;
    cudaMallocManaged(&nodes, n * sizeof(Node<float>));
    for (int i = 0; i < n; i++)
        nodes[i] = Node<float>{(float)(i * 3 % 11), 0};
    relink(nodes, n);
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += nodes[i].next * (i + 1);
    printf("%d %d\n", check(nodes, n), sum);
    cudaFree(nodes);
    return 0;
}
