// Graphs as the driver builds them: nodes, edges, what they tell of themselves, copies, replays.
// options: -lcuda -w
#include <cuda.h>
#include <algorithm>
#include <cstring>
#include <dlfcn.h>
#include <vector>

#include "check.h"

__global__ void fill(int *x, int value) { x[threadIdx.x] = value + threadIdx.x; }

// Of CUDA 12 and before, where edges had no data.
typedef CUresult add_edges_type(CUgraph, const CUgraphNode *, const CUgraphNode *, size_t);
typedef CUresult get_edges_type(CUgraph, CUgraphNode *, CUgraphNode *, size_t *);
typedef CUresult neighbours_type(CUgraphNode, CUgraphNode *, size_t *);
typedef CUresult instantiate_type(CUgraphExec *, CUgraph, CUgraphNode *, char *, size_t);
template <class F> F *named(const char *name) {
    F *found = (F *)dlsym(RTLD_DEFAULT, name);
    CHECK(found);
    return found;
}

static std::vector<int> calls; // by their numbers, in their order
static void CUDA_CB call(void *user) { calls.push_back((int)(size_t)user); }
static CUDA_HOST_NODE_PARAMS numbered(int number) { return {call, (void *)(size_t)number}; }

static CUgraphNode add_call(CUgraph graph, std::vector<CUgraphNode> after, int number) {
    CUgraphNode node;
    CUDA_HOST_NODE_PARAMS params = numbered(number);
    DRIVER(cuGraphAddHostNode(&node, graph, after.data(), after.size(), &params));
    return node;
}
static std::vector<int> launched(CUgraphExec exec) {
    calls.clear();
    DRIVER(cuGraphLaunch(exec, nullptr));
    DRIVER(cuCtxSynchronize());
    return calls;
}

// 1 before 2 and 3, and both before 4, as edges that are added, told and taken away.
static void edges() {
    add_edges_type *add = named<add_edges_type>("cuGraphAddDependencies");
    add_edges_type *remove = named<add_edges_type>("cuGraphRemoveDependencies");
    get_edges_type *get = named<get_edges_type>("cuGraphGetEdges");
    neighbours_type *before = named<neighbours_type>("cuGraphNodeGetDependencies");
    neighbours_type *behind = named<neighbours_type>("cuGraphNodeGetDependentNodes");
    CUgraph graph, other;
    CUgraphNode node[5], got[8], to[8];
    CUgraphNodeType type;
    size_t count = 0;
    CHECK(cuGraphCreate(&graph, 1) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuGraphCreate(nullptr, 0) == CUDA_ERROR_INVALID_VALUE);
    DRIVER(cuGraphCreate(&graph, 0));
    DRIVER(cuGraphCreate(&other, 0));
    for (int i = 4; i; i--) // the last one first
        node[i] = add_call(graph, {}, i);
    CUgraphNode begins[] = {node[1], node[1], node[2], node[3]};
    CUgraphNode ends[] = {node[2], node[3], node[4], node[4]};
    DRIVER(add(graph, begins, ends, 4));
    CHECK(add(graph, begins, ends, 1) == CUDA_ERROR_INVALID_VALUE); // it is there
    CHECK(add(graph, begins, begins, 1) == CUDA_ERROR_INVALID_VALUE);
    CHECK(add(other, begins, ends, 1) == CUDA_ERROR_INVALID_VALUE);
    CHECK(add(graph, nullptr, ends, 1) == CUDA_ERROR_INVALID_VALUE);
    DRIVER(get(graph, nullptr, nullptr, &count));
    CHECK(count == 4);
    count = 8;
    DRIVER(get(graph, got, to, &count));
    CHECK(count == 4 && !got[4] && !to[7]);
    for (int i = 0; i < 4; i++) {
        int found = 0;
        for (int k = 0; k < 4; k++)
            found += got[k] == begins[i] && to[k] == ends[i];
        CHECK(found == 1);
    }
    CHECK(get(graph, got, nullptr, &count) == CUDA_ERROR_INVALID_VALUE);
    DRIVER(cuGraphGetNodes(graph, nullptr, &count));
    CHECK(count == 4);
    count = 2; // no more than there is room for
    got[2] = nullptr;
    DRIVER(cuGraphGetNodes(graph, got, &count));
    CHECK(count == 2 && got[1] && !got[2]);
    CHECK(cuGraphGetNodes(graph, got, nullptr) == CUDA_ERROR_INVALID_VALUE);
    count = 8;
    DRIVER(cuGraphGetRootNodes(graph, got, &count));
    CHECK(count == 1 && got[0] == node[1] && !got[1]);
    CHECK(cuGraphGetRootNodes((CUgraph)node[1], got, &count) == CUDA_ERROR_INVALID_VALUE);
    count = 8;
    DRIVER(before(node[4], got, &count));
    CHECK(count == 2 && std::count(got, got + 2, node[2]) && std::count(got, got + 2, node[3]));
    count = 8;
    DRIVER(behind(node[1], got, &count));
    CHECK(count == 2 && std::count(got, got + 2, node[2]) && std::count(got, got + 2, node[3]));
    DRIVER(before(node[1], nullptr, &count));
    CHECK(count == 0 && before((CUgraphNode)graph, nullptr, &count) == CUDA_ERROR_INVALID_VALUE);
    CHECK(behind(node[1], got, nullptr) == CUDA_ERROR_INVALID_VALUE);

    CUgraphExec exec;
    CUgraphNode wrong = node[1];
    char log[8] = "unused";
    cuuint64_t flags;
    DRIVER(named<instantiate_type>("cuGraphInstantiate_v2")(&exec, graph, &wrong, log, 8));
    CHECK(!wrong);
    std::vector<int> order = launched(exec);
    CHECK(order.size() == 4 && order[0] == 1 && order[3] == 4);
    DRIVER(cuGraphExecGetFlags(exec, &flags));
    CHECK(flags == 0 && cuGraphExecGetFlags((CUgraphExec)graph, &flags) == 1);
    DRIVER(cuGraphUpload(exec, nullptr));
    CHECK(cuGraphUpload((CUgraphExec)graph, nullptr) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuGraphUpload(exec, (CUstream)graph) == CUDA_ERROR_INVALID_HANDLE);
    DRIVER(cuGraphExecDestroy(exec));
    CHECK(cuGraphExecDestroy(exec) == CUDA_ERROR_INVALID_VALUE);

    // Without 3 and its edges; then without the edge from 2 to 4, which makes 4 a root.
    DRIVER(cuGraphDestroyNode(node[3]));
    CHECK(cuGraphDestroyNode(node[3]) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuGraphNodeGetType(node[3], &type) == CUDA_ERROR_INVALID_VALUE);
    DRIVER(get(graph, nullptr, nullptr, &count));
    CHECK(count == 2);
    DRIVER(remove(graph, &node[2], &node[4], 1));
    CHECK(remove(graph, &node[2], &node[4], 1) == CUDA_ERROR_INVALID_VALUE);
    CHECK(remove(other, &node[1], &node[2], 1) == CUDA_ERROR_INVALID_VALUE);
    count = 8;
    DRIVER(cuGraphGetRootNodes(graph, got, &count));
    CHECK(count == 2);

    // A circle is found when the graph is made executable, and named by a node in it.
    CUDA_GRAPH_INSTANTIATE_PARAMS params = {};
    params.flags = CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD;
    DRIVER(cuGraphInstantiateWithParams(&exec, graph, &params));
    CHECK(params.result_out == CUDA_GRAPH_INSTANTIATE_SUCCESS && !params.hErrNode_out);
    DRIVER(cuGraphExecGetFlags(exec, &flags));
    CHECK(flags == CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD);
    order = launched(exec);
    CHECK(order.size() == 3 &&
          std::find(order.begin(), order.end(), 1) < std::find(order.begin(), order.end(), 2));
    DRIVER(cuGraphExecDestroy(exec));
    DRIVER(add(graph, &node[2], &node[1], 1));
    DRIVER(add(graph, &node[2], &node[4], 1));
    CHECK(cuGraphInstantiateWithParams(&exec, graph, &params) == CUDA_ERROR_INVALID_VALUE);
    CHECK(params.result_out == CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE);
    CHECK(params.hErrNode_out == node[1] || params.hErrNode_out == node[2]);
    params.flags = 1 << 20;
    CHECK(cuGraphInstantiateWithParams(&exec, other, &params) == CUDA_ERROR_INVALID_VALUE);
    CHECK(params.result_out == CUDA_GRAPH_INSTANTIATE_ERROR);
    CHECK(cuGraphInstantiateWithParams(&exec, other, nullptr) == CUDA_ERROR_INVALID_VALUE);
    DRIVER(cuGraphDestroy(graph));
    CHECK(cuGraphDestroy(graph) == CUDA_ERROR_INVALID_VALUE);
    DRIVER(cuGraphDestroy(other));
}

// Nodes of other graphs, of nothing, of events; their parameters.
static void nodes() {
    CUgraph graph, child, inside, copy;
    CUgraphNode node[8], again[2];
    CUgraphNodeType type;
    CUgraphExec exec;
    CUevent event, before;
    CUDA_HOST_NODE_PARAMS params;
    float took = -1;
    DRIVER(cuEventCreate(&event, 0));
    DRIVER(cuEventCreate(&before, 0));
    DRIVER(cuGraphCreate(&graph, 0));
    DRIVER(cuGraphCreate(&child, 0));
    add_call(child, {}, 7);
    node[0] = add_call(graph, {}, 1);
    DRIVER(cuGraphAddChildGraphNode(&node[1], graph, node, 1, child));
    add_call(child, {}, 8); // the node has a copy, which this does not change
    DRIVER(cuGraphAddEmptyNode(&node[2], graph, &node[1], 1));
    DRIVER(cuGraphAddEventRecordNode(&node[3], graph, &node[2], 1, event));
    DRIVER(cuGraphAddEventWaitNode(&node[4], graph, &node[3], 1, event));
    node[5] = add_call(graph, {node[4]}, 2);
    const CUgraphNodeType types[] = {CU_GRAPH_NODE_TYPE_HOST,       CU_GRAPH_NODE_TYPE_GRAPH,
                                     CU_GRAPH_NODE_TYPE_EMPTY,      CU_GRAPH_NODE_TYPE_EVENT_RECORD,
                                     CU_GRAPH_NODE_TYPE_WAIT_EVENT, CU_GRAPH_NODE_TYPE_HOST};
    for (int i = 0; i < 6; i++) {
        DRIVER(cuGraphNodeGetType(node[i], &type));
        CHECK(type == types[i]);
    }
    again[0] = again[1] = node[0];
    CHECK(cuGraphAddEmptyNode(&node[6], graph, again, 2) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuGraphAddEmptyNode(&node[6], child, again, 1) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuGraphAddEmptyNode(nullptr, graph, nullptr, 0) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuGraphAddChildGraphNode(&node[6], graph, nullptr, 0, nullptr) == 1);
    CHECK(cuGraphAddEventRecordNode(&node[6], graph, nullptr, 0, nullptr) == 1);
    CHECK(cuGraphAddEventWaitNode(&node[6], graph, nullptr, 0, (CUevent)graph) == 1);
    CHECK(cuGraphAddHostNode(&node[6], graph, nullptr, 0, nullptr) == CUDA_ERROR_INVALID_VALUE);
    DRIVER(cuGraphChildGraphNodeGetGraph(node[1], &inside));
    CHECK(inside != child && cuGraphChildGraphNodeGetGraph(node[0], &inside) == 1);
    DRIVER(cuGraphHostNodeGetParams(node[5], &params));
    CHECK(params.fn == call && params.userData == (void *)2);
    CHECK(cuGraphHostNodeGetParams(node[1], &params) == CUDA_ERROR_INVALID_VALUE);
    DRIVER(cuGraphInstantiate(&exec, graph, 0));
    DRIVER(cuEventRecord(before, nullptr));
    CHECK(launched(exec) == std::vector<int>({1, 7, 2}));
    DRIVER(cuEventElapsedTime(&took, before, event));
    CHECK(took >= 0);
    // Changed before and after it is made executable.
    params = numbered(3);
    DRIVER(cuGraphHostNodeSetParams(node[0], &params));
    CHECK(cuGraphHostNodeSetParams(node[1], &params) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuGraphHostNodeSetParams(node[0], nullptr) == CUDA_ERROR_INVALID_VALUE);
    params = numbered(4);
    DRIVER(cuGraphExecHostNodeSetParams(exec, node[5], &params));
    CHECK(cuGraphExecHostNodeSetParams(exec, node[1], &params) == CUDA_ERROR_INVALID_VALUE);
    CHECK(launched(exec) == std::vector<int>({1, 7, 4}));
    // A copy of it is of the same shape, one with a node less is not.
    DRIVER(cuGraphClone(&copy, graph));
    CHECK(cuGraphClone(&copy, (CUgraph)exec) == CUDA_ERROR_INVALID_VALUE);
    CUgraphExecUpdateResultInfo info = {};
    DRIVER(cuGraphExecUpdate_v2(exec, copy, &info));
    CHECK(info.result == CU_GRAPH_EXEC_UPDATE_SUCCESS);
    CHECK(launched(exec) == std::vector<int>({3, 7, 2}));
    DRIVER(cuGraphDestroyNode(node[5]));
    CHECK(cuGraphExecUpdate_v2(exec, graph, &info) == CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
    CHECK(info.result == CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
    CHECK(cuGraphExecUpdate_v2(exec, nullptr, &info) == CUDA_ERROR_INVALID_VALUE);
    CHECK(launched(exec) == std::vector<int>({3, 7, 2}));
    DRIVER(cuGraphExecDestroy(exec));
    for (CUgraph g : {graph, child, copy})
        DRIVER(cuGraphDestroy(g));
    DRIVER(cuEventDestroy(event));
    DRIVER(cuEventDestroy(before));
}

// Memory of a graph: what a captured kernel leaves in it is copied out before it is freed.
static void memory(CUstream stream) {
    const int n = 32;
    CUgraph graph, kernel, copy;
    CUgraphNode made, ran, freed, other;
    CUDA_MEM_ALLOC_NODE_PARAMS params = {}, told = {};
    CUdeviceptr address = 0;
    CUgraphExec exec;
    unsigned enabled = 9;
    int host[n];
    params.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    params.poolProps.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
    params.bytesize = sizeof host;
    DRIVER(cuGraphCreate(&graph, 0));
    DRIVER(cuGraphAddMemAllocNode(&made, graph, nullptr, 0, &params));
    CHECK(params.dptr && cuGraphAddMemAllocNode(&other, graph, nullptr, 0, nullptr) == 1);
    DRIVER(cuGraphMemAllocNodeGetParams(made, &told));
    CHECK(told.dptr == params.dptr && told.bytesize == sizeof host);
    CHECK(told.poolProps.allocType == CU_MEM_ALLOCATION_TYPE_PINNED);
    CHECK(told.poolProps.location.type == CU_MEM_LOCATION_TYPE_DEVICE);
    DRIVER(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    fill<<<1, n, 0, stream>>>((int *)params.dptr, 100);
    DRIVER(cuMemcpyDtoHAsync(host, params.dptr, sizeof host, stream));
    DRIVER(cuStreamEndCapture(stream, &kernel));
    DRIVER(cuGraphAddChildGraphNode(&ran, graph, &made, 1, kernel));
    DRIVER(cuGraphAddMemFreeNode(&freed, graph, &ran, 1, params.dptr));
    CHECK(cuGraphAddMemFreeNode(&other, graph, &ran, 1, params.dptr) == CUDA_ERROR_INVALID_VALUE);
    DRIVER(cuGraphMemFreeNodeGetParams(freed, &address));
    CHECK(address == params.dptr);
    CHECK(cuGraphMemFreeNodeGetParams(made, &address) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuGraphMemAllocNodeGetParams(freed, &told) == CUDA_ERROR_INVALID_VALUE);
    // The one that allocates is not copied, nor taken apart.
    CHECK(cuGraphClone(&copy, graph) != CUDA_SUCCESS);
    CHECK(cuGraphAddChildGraphNode(&other, kernel, nullptr, 0, graph) != CUDA_SUCCESS);
    CHECK(cuGraphDestroyNode(ran) != CUDA_SUCCESS);
    CHECK(named<add_edges_type>("cuGraphRemoveDependencies")(graph, &made, &ran, 1) != 0);
    DRIVER(cuGraphInstantiate(&exec, graph, 0));
    for (int round = 0; round < 2; round++) {
        std::memset(host, 0, sizeof host);
        DRIVER(cuGraphLaunch(exec, stream));
        DRIVER(cuStreamSynchronize(stream));
        for (int i = 0; i < n; i++)
            CHECK(host[i] == 100 + i);
    }
    DRIVER(cuGraphExecDestroy(exec));
    DRIVER(cuGraphDestroy(graph));
    // The captured kernel can be left out; what is no kernel, copy or fill cannot.
    size_t count = 1;
    CUdeviceptr x;
    CUgraph again;
    DRIVER(cuMemAlloc(&x, sizeof host));
    DRIVER(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    fill<<<1, n, 0, stream>>>((int *)x, 5);
    DRIVER(cuMemcpyDtoHAsync(host, x, sizeof host, stream));
    DRIVER(cuStreamEndCapture(stream, &again));
    DRIVER(cuGraphGetRootNodes(again, &ran, &count));
    other = add_call(again, {}, 1);
    DRIVER(cuGraphInstantiate(&exec, again, 0));
    DRIVER(cuGraphNodeGetEnabled(exec, ran, &enabled));
    CHECK(enabled == 1);
    DRIVER(cuGraphNodeSetEnabled(exec, ran, 0));
    DRIVER(cuGraphNodeGetEnabled(exec, ran, &enabled));
    CHECK(enabled == 0);
    DRIVER(cuMemsetD32(x, 3, n));
    CHECK(launched(exec).size() == 1 && host[0] == 3 && host[n - 1] == 3);
    DRIVER(cuGraphNodeSetEnabled(exec, ran, 1));
    CHECK(launched(exec).size() == 1 && host[0] == 5 && host[n - 1] == 5 + n - 1);
    CHECK(cuGraphNodeSetEnabled(exec, other, 0) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuGraphNodeGetEnabled(exec, nullptr, &enabled) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuGraphNodeGetEnabled(exec, ran, nullptr) == CUDA_ERROR_INVALID_VALUE);
    DRIVER(cuGraphExecDestroy(exec));
    DRIVER(cuGraphDestroy(again));
    DRIVER(cuGraphDestroy(kernel));
    DRIVER(cuMemFree(x));
}

int main() {
    CUcontext context;
    CUstream stream;
    DRIVER(cuInit(0));
    DRIVER(cuDevicePrimaryCtxRetain(&context, 0));
    DRIVER(cuCtxSetCurrent(context));
    DRIVER(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    edges();
    nodes();
    memory(stream);
    return DONE;
}
