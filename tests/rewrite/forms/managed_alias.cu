// Managed memory in C's way: typedef, malloc's twin, functions that return it, a struct of arrays.
// in: NODE=aosoa:32
#include "cuda_runtime.h"
#include <stdio.h>
#include <string.h>

typedef struct {
    float key;
    int left, right;
    char name[6];
} NODE;

typedef struct {
    NODE *nodes;
    int count, *visits;
} TREE;

static NODE *new_nodes(int n) {
    NODE *nodes = 0;
    if (cudaMallocManaged((void **)&nodes, sizeof(NODE) * n, cudaMemAttachGlobal) != cudaSuccess)
        return NULL;
    return nodes;
}

static void build(TREE *t, int n) {
    t->nodes = new_nodes(n);
    t->count = n;
    cudaMallocManaged(&t->visits, n * sizeof(int));
    for (int i = 0; i < n; i++) {
        NODE *node = &t->nodes[i];
        node->key = (float)(i * 29 % n);
        node->left = 2 * i + 1 < n ? 2 * i + 1 : -1;
        node->right = 2 * i + 2 < n ? 2 * i + 2 : -1;
        node->name[0] = 'a' + i % 26;
        node->name[1] = '\0';
        t->visits[i] = 0;
    }
}

__global__ void visit(TREE t, float limit) {
    int i = blockDim.x * blockIdx.x + threadIdx.x, at = 0;
    if (i >= t.count)
        return;
    while (at >= 0) {
        atomicAdd(&t.visits[at], 1);
        at = t.nodes[at].key + i < limit ? t.nodes[at].left : t.nodes[at].right;
    }
    t.nodes[i].name[2] = t.nodes[i].name[0] + 1;
}

static int depth(const NODE *nodes, int at) {
    if (at < 0)
        return 0;
    int l = depth(nodes, nodes[at].left), r = depth(nodes, nodes[at].right);
    return 1 + (l > r ? l : r);
}

int main(int argc, char **argv) {
    TREE tree;
    double sum = 0;
    build(&tree, 100);
    visit<<<4, 32>>>(tree, 90);
    cudaDeviceSynchronize();
    for (int i = 0; i < tree.count; i++)
        sum += tree.visits[i] * (i + 1) + tree.nodes[i].name[0] + tree.nodes[i].name[2];
    printf("%.1f %d\n", sum, depth(tree.nodes, 0));
    cudaFree(tree.nodes);
    cudaFree(tree.visits);
    return argc > 100 && argv;
}
