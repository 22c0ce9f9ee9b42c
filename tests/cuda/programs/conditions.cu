// alone
// toolkit
// options: -std=c++17 -rdc=true -lcudadevrt
// Graphs with conditions that kernels set: if with and without an else, a loop, a switch, and a loop with
// a choice in it.
#include "check.h"

__global__ void decide(cudaGraphConditionalHandle condition, const int *x, int limit) {
    cudaGraphSetConditional(condition, *x < limit);
}
__global__ void choose(cudaGraphConditionalHandle condition, const int *x) {
    cudaGraphSetConditional(condition, (unsigned)*x % 4);
}
__global__ void add(int *x, int value) { *x += value; }

static cudaGraphNode_t node(cudaGraph_t graph, const cudaGraphNode_t *after,
                            void (*kernel)(int *, int), int *x, int value) {
    void *args[] = {&x, &value};
    cudaGraphNodeParams p = {cudaGraphNodeTypeKernel};
    p.kernel.func = (void *)kernel;
    p.kernel.gridDim = p.kernel.blockDim = 1;
    p.kernel.kernelParams = args;
    cudaGraphNode_t made;
    CUDA(cudaGraphAddNode(&made, graph, after, nullptr, after ? 1 : 0, &p));
    return made;
}
static cudaGraphNode_t question(cudaGraph_t graph, const cudaGraphNode_t *after,
                                cudaGraphConditionalHandle handle, int *x, int limit) {
    void *args[] = {&handle, &x, &limit};
    cudaKernelNodeParams p = {};
    p.func = limit < 0 ? (void *)choose : (void *)decide;
    p.gridDim = p.blockDim = 1;
    p.kernelParams = args;
    cudaGraphNode_t made;
    CUDA(cudaGraphAddKernelNode(&made, graph, after, after ? 1 : 0, &p));
    return made;
}
static cudaGraph_t *branch(cudaGraph_t graph, const cudaGraphNode_t *after,
                           cudaGraphConditionalHandle handle, cudaGraphConditionalNodeType type,
                           unsigned size) {
    cudaGraphNodeParams p = {cudaGraphNodeTypeConditional};
    p.conditional.handle = handle;
    p.conditional.type = type;
    p.conditional.size = size;
    cudaGraphNode_t made;
    CUDA(cudaGraphAddNode(&made, graph, after, nullptr, after ? 1 : 0, &p));
    cudaGraphNodeType got;
    CUDA(cudaGraphNodeGetType(made, &got));
    CHECK(got == cudaGraphNodeTypeConditional);
    return p.conditional.phGraph_out;
}
static int launched(cudaGraphExec_t exec, int *x, int first) {
    *x = first;
    CUDA(cudaGraphLaunch(exec, 0));
    CUDA(cudaDeviceSynchronize());
    return *x;
}

int main() {
    int *x;
    CUDA(cudaMallocManaged(&x, sizeof *x));
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphConditionalHandle handle, inner;

    // x < 10 ? x + 100 : x + 1000
    CUDA(cudaGraphCreate(&graph, 0));
    CUDA(cudaGraphConditionalHandleCreate(&handle, graph, 0, 0));
    cudaGraphNode_t asked = question(graph, nullptr, handle, x, 10);
    cudaGraph_t *bodies = branch(graph, &asked, handle, cudaGraphCondTypeIf, 2);
    node(bodies[0], nullptr, add, x, 100);
    node(bodies[1], nullptr, add, x, 1000);
    CUDA(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(launched(exec, x, 3) == 103 && launched(exec, x, 30) == 1030);
    CUDA(cudaGraphExecDestroy(exec));
    cudaGraphNodeParams wrong = {cudaGraphNodeTypeConditional};
    wrong.conditional.handle = handle;
    wrong.conditional.type = cudaGraphCondTypeWhile;
    wrong.conditional.size = 2;
    CHECK(cudaGraphAddNode(&asked, graph, nullptr, nullptr, 0, &wrong) == cudaErrorInvalidValue);
    CHECK(cudaGraphDestroy(bodies[0]) == cudaErrorInvalidValue);
    CUDA(cudaGraphDestroy(graph));

    // While x < 50: x += 7, from a condition that is 1 at each launch; the body is captured.
    cudaStream_t stream;
    CUDA(cudaStreamCreate(&stream));
    CUDA(cudaGraphCreate(&graph, 0));
    CUDA(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
    bodies = branch(graph, nullptr, handle, cudaGraphCondTypeWhile, 1);
    CUDA(cudaStreamBeginCaptureToGraph(stream, bodies[0], nullptr, nullptr, 0,
                                       cudaStreamCaptureModeGlobal));
    add<<<1, 1, 0, stream>>>(x, 7);
    decide<<<1, 1, 0, stream>>>(handle, x, 50);
    cudaGraph_t same;
    CUDA(cudaStreamEndCapture(stream, &same));
    CHECK(same == bodies[0]);
    CUDA(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(launched(exec, x, 0) == 56 && launched(exec, x, 100) == 107);
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaGraphDestroy(graph));

    // A switch by x % 4 of three, and a loop around an if.
    CUDA(cudaGraphCreate(&graph, 0));
    CUDA(cudaGraphConditionalHandleCreate(&handle, graph, 0, 0));
    asked = question(graph, nullptr, handle, x, -1);
    bodies = branch(graph, &asked, handle, cudaGraphCondTypeSwitch, 3);
    for (int i = 0; i < 3; i++)
        node(bodies[i], nullptr, add, x, 10 * (i + 1));
    CUDA(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(launched(exec, x, 4) == 14 && launched(exec, x, 5) == 25 && launched(exec, x, 6) == 36 &&
          launched(exec, x, 7) == 7);
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaGraphDestroy(graph));

    CUDA(cudaGraphCreate(&graph, 0));
    CUDA(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
    bodies = branch(graph, nullptr, handle, cudaGraphCondTypeWhile, 1);
    cudaGraph_t body = bodies[0];
    CUDA(cudaGraphConditionalHandleCreate(&inner, body, 0, cudaGraphCondAssignDefault));
    cudaGraphNode_t added = node(body, nullptr, add, x, 1);
    asked = question(body, &added, inner, x, 5);
    cudaGraph_t *small = branch(body, &asked, inner, cudaGraphCondTypeIf, 1);
    node(small[0], nullptr, add, x, 100);
    cudaGraphNode_t nodes[8];
    size_t count = 8;
    CUDA(cudaGraphGetNodes(body, nodes, &count));
    CHECK(count == 3);
    question(body, &nodes[2], handle, x, 104);
    CUDA(cudaGraphInstantiate(&exec, graph, 0));
    // 0: 1, 101; 102; 103; 104. 10: 11, ..., 104.
    CHECK(launched(exec, x, 0) == 104 && launched(exec, x, 10) == 104 &&
          launched(exec, x, 200) == 201);
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaGraphDestroy(graph));
    CUDA(cudaStreamDestroy(stream));
    CUDA(cudaFree(x));
    return DONE;
}
